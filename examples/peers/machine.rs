//! What a device can do at most: multiply-additions in registers, and copies of memory.

use crate::peak::Peak;
use crate::row::median;
use lift::prelude::*;
use lift::{Error, Kind};
use std::num::NonZeroUsize;
use std::time::Instant;

lift! {
    fn copied<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x, xs)
    }
}

/// Elements that are copied: 64 MiB on a processor, 256 MiB on a GPU, where it takes longer than a launch; beyond
/// the caches.
const ELEMENTS: usize = 1 << 24;
const GPU_ELEMENTS: usize = 1 << 26;
const RUNS: usize = 5;

/// So often kernels of one element are timed, so many in a row: what a device takes to start one.
const LAUNCHES: usize = 50;
const IN_A_ROW: NonZeroUsize = NonZeroUsize::new(50).unwrap();

/// A device's limits.
pub struct Machine {
    pub peak: Peak,
    /// Bytes read and written in a second by a copy.
    pub bandwidth: f64,
    /// The seconds that a kernel takes which copies one element.
    pub launch: f64,
}

impl Machine {
    /// Measures a device.
    pub fn new(device: &Device) -> Result<Machine, Error> {
        let bandwidth = match device.kind() {
            Kind::Gpu => by_kernel(device)?,
            _ => by_threads(),
        };
        Ok(Machine { peak: Peak::new(device)?, bandwidth, launch: launch(device)? })
    }

    /// The least time that so many operations and bytes take, in seconds, and whether it is the bytes'. `gflops` is
    /// the peak at the time.
    pub fn least(&self, flops: f64, bytes: usize, gflops: f64) -> (f64, bool) {
        let (arithmetic, memory) = (flops / (gflops * 1e9), bytes as f64 / self.bandwidth);
        (arithmetic.max(memory), memory > arithmetic)
    }
}

fn by_kernel(device: &Device) -> Result<f64, Error> {
    let compiled = lift::compile(copied::program(), device, &[GPU_ELEMENTS])?;
    let xs = Array1::from_elem(GPU_ELEMENTS, 0.5f32);
    let arguments = [(&xs).into()];
    let (mut outputs, _) = compiled.run_timed(&arguments)?;
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let times = compiled.run_into(&arguments, &mut outputs)?;
        best = best.min(times.total().as_secs_f64());
    }
    Ok(moved(GPU_ELEMENTS) / best)
}

fn launch(device: &Device) -> Result<f64, Error> {
    let compiled = lift::compile(copied::program(), device, &[1])?;
    let xs = Array1::from_elem(1, 0.5f32);
    let arguments = [(&xs).into()];
    let mut outputs = compiled.run(&arguments)?;
    let mut times = (0..LAUNCHES)
        .map(|_| Ok(compiled.run_repeatedly(IN_A_ROW, &arguments, &mut outputs)?.as_secs_f64()))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(median(&mut times))
}

/// A processor's: plain copies on all cores.
fn by_threads() -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (from, mut to) = (vec![0.5f32; ELEMENTS], vec![0.25f32; ELEMENTS]);
    let part = ELEMENTS.div_ceil(threads);
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        std::hint::black_box(&to);
        best = best.min(start.elapsed().as_secs_f64());
    }
    moved(ELEMENTS) / best
}

/// Bytes read and written.
fn moved(elements: usize) -> f64 {
    (2 * elements * size_of::<f32>()) as f64
}
