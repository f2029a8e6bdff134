//! What a device computes at most: nothing but multiplications and additions, in registers.

use lift::prelude::*;
use lift::{Compiled, Error, Kind};
use std::sync::Arc;
use std::time::{Duration, Instant};

lift! {
    /// Eight vectors for each work-item, which two pipelines of four stages are busy with, and 16 * M fused
    /// multiply-additions of each; all vectors are different, since a C compiler computes what is the same once.
    fn multiply_and_add<N, M, tune V: [1, 2, 4, 8, 16]>(xs: [f32; 128 * N], y: f32) -> [f32; 128 * N] {
        asScalar(join(mapGlb(0,
            |vs| toGlobal(reduceSeq(
                mapSeq(|v| toPrivate(v), vs),
                |sums, y| mapSeq(|sum| fma(sum, y, y), sums),
                join(repeat(M, repeat(16, y))))),
            split(8, asVector(V, xs)))))
    }
}

/// So long it is run before anything else.
const WARM: Duration = Duration::from_millis(200);

/// The program above, built for a device.
pub struct Peak {
    compiled: Arc<Compiled>,
    xs: Array1<f32>,
    operations: f64,
    /// In GFLOP/s, of many runs.
    pub best: f64,
}

impl Peak {
    /// Vectors as wide as a processor's registers, or scalars on a GPU, whose work-items are its lanes.
    pub fn new(device: &Device) -> Result<Peak, Error> {
        let (n, m, v) = match device.kind() {
            Kind::Gpu => (20_000, 200, 1),
            _ => (64, 4_000, device.target().hierarchy.vector / size_of::<f32>()),
        };
        let compiled = lift::compile(multiply_and_add::program(), device, &[n, m, v])?;
        let xs = Array1::from_elem(128 * n, 0.5);
        let operations = 2.0 * (128 * n * 16 * m) as f64;
        let mut peak = Peak { compiled, xs, operations, best: 0.0 };
        // A device that was idle takes a while until it is as fast as it can be.
        let start = Instant::now();
        while start.elapsed() < WARM {
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
        let (_, times) = self.compiled.run_timed(&[(&self.xs).into(), 0.5f32.into()])?;
        Ok(self.operations / times.total().as_secs_f64() / 1e9)
    }
}
