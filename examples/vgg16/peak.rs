//! What a device computes at most: nothing but multiplications and additions, in registers.

use lift::prelude::*;
use lift::{Argument, Compiled, Error, Kind};
use std::sync::Arc;

lift! {
    /// Sixteen running values for each vector, 16 * M fused multiply-additions each.
    fn multiply_and_add<N, M, tune V: [1, 2, 4, 8, 16]>(xs: [f32; 16 * N], ys: [f32; 16]) -> [f32; 256 * N] {
        asScalar(join(mapGlb(0,
            |v| toGlobal(reduceSeq(
                mapSeq(|x| toPrivate(x), repeat(16, v)),
                |sums, y| mapSeq(|sum| sum * v + v, sums),
                join(repeat(M, ys)))),
            asVector(V, xs))))
    }
}

/// The program above, built for a device.
pub struct Peak {
    compiled: Arc<Compiled>,
    arguments: [Array1<f32>; 2],
    operations: f64,
    /// In GFLOP/s, of several runs.
    pub best: f64,
}

impl Peak {
    /// Vectors as wide as a processor's registers, or scalars on a GPU, whose work-items are its lanes.
    pub fn new(device: &Device) -> Result<Peak, Error> {
        let (n, m, v) = match device.kind() {
            Kind::Gpu => (40_000, 100, 1),
            _ => (64, 4_000, 16),
        };
        let compiled = lift::compile(multiply_and_add::program(), device, &[n, m, v])?;
        let arguments = [16 * n, 16].map(|length| Array1::from_elem(length, 0.5));
        let operations = 2.0 * 16.0 * 16.0 * (16 * n * m) as f64;
        let mut peak = Peak { compiled, arguments, operations, best: 0.0 };
        for _ in 0..7 {
            peak.best = peak.best.max(peak.run()?);
        }
        Ok(peak)
    }

    /// What is possible now, in GFLOP/s. A processor may be shared with others, who slow it down for a while. A GPU is
    /// not run again: its caches would lose what the runs before and after leave in them.
    pub fn now(&self) -> Result<f64, Error> {
        match self.compiled.device().kind() {
            Kind::Gpu => Ok(self.best),
            _ => self.run(),
        }
    }

    fn run(&self) -> Result<f64, Error> {
        let arguments = self.arguments.each_ref().map(Argument::from);
        let (_, times) = self.compiled.run_timed(&arguments)?;
        Ok(self.operations / times.total().as_secs_f64() / 1e9)
    }
}
