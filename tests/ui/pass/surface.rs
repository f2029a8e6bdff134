// Every form of expression, run.
use lift::prelude::*;

lift! {
    /// Numbers, named and written.
    pub fn numbers(x: f32) -> (f32, f32, i32, u8, f64, bool) {
        (
            x + 1.5e1 + 1f32 - std::f32::consts::PI + core::f32::consts::PI,
            if x > f32::NEG_INFINITY && !(x > f32::INFINITY) { f32::MAX } else { f32::EPSILON },
            -128 + 0x1f + 0b11 + 1_000 + i32::MIN - i32::MIN,
            b'a' + 3u8,
            x as f64 * 2.0,
            true,
        )
    }

    /// `let`s, patterns, blocks.
    fn bindings<N>(xs: [f32; N], ys: [f32; N], zs: [i32; N]) -> [f32; N] {
        let xs = map(|x: f32| x * 2.0, xs);
        let (a, _) = (xs, ys);
        let pair: (f32, f32) = (1.0, 2.0);
        let halve = |x| x / 2.0;
        map(
            |(x, (y, z))| {
                let sum = x + y;
                let twice: f32 = { let sum = sum + pair.0; sum + sum };
                if z > 0 {
                    halve(twice)
                } else if z == 0 {
                    twice
                } else {
                    -twice - pair.1
                }
            },
            zip(a, zip(ys, zs)),
        )
    }

    // Methods are calls, and an array of one value is `repeat`.
    fn methods<N>(xs: [f32; N]) -> [f32; N] {
        let larger = |pair: (f32, f32)| -> f32 { pair.0.max(pair.1) };
        map(larger, xs.zip([1.0; N]))
    }

    // Functions of the block, of the language, and lambdas are all things to map.
    fn functions<N>(xs: [f32; N]) -> [f32; N] {
        let twice = |x| x + x;
        map(twice, map(square, map(sqrt, xs)))
    }

    fn square(x: f32) -> f32 { x * x }

    #[strict]
    fn constant<N>(xs: [f32; N]) -> f32
    where
        N >= 3,
    {
        let weights = [[1.0, 2.0, 1.0]];
        reduce(0.0, |acc, (x, w)| acc + x * w, zip(take(3, xs), join(weights)))
    }

    // A size that no argument determines, before one that an argument does.
    pub fn every<STEP, N>(const xs: [f32; N], alpha: f32) -> [f32; N / STEP]
    where
        N % STEP == 0,
    {
        map(|row| alpha * reduce(0.0, |acc, x| acc + x, row), split(STEP, xs))
    }
}

pub fn main() -> Result<(), lift::Error> {
    let device = Device::cpu();
    let (a, b, c, d, e, f) = numbers(&device, 1.0)?;
    assert_eq!((a, b, c, d, e, f), (17.0, f32::MAX, 906, 100, 2.0, true));

    let (xs, ys) = (array![1.0f32, 2.0, 3.0], array![10.0f32, 20.0, 30.0]);
    let zs = array![1, 0, -1];
    assert_eq!(bindings(&device, xs.view(), ys.view(), zs.view())?, array![13.0, 50.0, -76.0]);
    assert_eq!(methods(&device, array![0.5f32, 2.0].view())?, array![1.0, 2.0]);
    assert_eq!(functions(&device, array![4.0f32, 9.0].view())?, array![8.0, 18.0]);
    assert_eq!(square(&device, 3.0)?, 9.0);
    assert_eq!(constant(&device, xs.view())?, 8.0);
    assert_eq!(every(&device, 3, array![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].view(), 2.0)?, array![12.0, 30.0]);

    let sizes = every::Sizes { STEP: 2, N: 4 };
    let every = every::compile(&device, sizes)?;
    let (sums, times) = every.run_timed(array![1.0f32, 2.0, 3.0, 4.0].view(), 1.0)?;
    assert_eq!((sums, times.kernels.len()), (array![3.0, 7.0], 1));
    assert_eq!(every.sizes().to_string(), "STEP = 2, N = 4");
    let there = device.upload(&array![1.0f32, 2.0, 3.0, 4.0])?;
    let sums: lift::DeviceArray<f32, Ix1> = every.run_there(&there, 1.0)?;
    assert_eq!(sums.download()?, array![3.0, 7.0]);
    Ok(())
}
