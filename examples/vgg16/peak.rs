//! What a device computes at most: nothing but multiplications and additions, in registers.

use lift::prelude::*;
use lift::{Error, Kind};

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

/// In GFLOP/s, the best of several runs: vectors as wide as a processor's registers, or scalars on a GPU, whose
/// work-items are its lanes.
pub fn gflops(device: &Device) -> Result<f64, Error> {
    let (n, m, v) = match device.kind() {
        Kind::Gpu => (40_000, 100, 1),
        _ => (64, 4_000, 16),
    };
    let compiled = lift::compile(multiply_and_add::program(), device, &[n, m, v])?;
    let xs = Array1::from_elem(16 * n, 0.5f32);
    let ys = Array1::from_elem(16, 0.5f32);
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let (_, times) = compiled.run_timed(&[(&xs).into(), (&ys).into()])?;
        best = best.min(times.total().as_secs_f64());
    }
    Ok(2.0 * 16.0 * 16.0 * (16 * n * m) as f64 / best / 1e9)
}
