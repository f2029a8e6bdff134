//! `tune` parameters at run time: the first values that fit are taken, unless values are given.

mod common;

use common::devices;
use lift::prelude::*;
use lift::{Error, SizeError, Sizes};
use lift_core::pipeline;
use ndarray::Array1;

lift! {
    /// Sums of neighbours, tile by tile.
    pub fn sums<N, tune TILE: 2..=16, tune CHUNK: [1, 2, 4, 8]>(xs: [f32; N]) -> [f32; N - 1]
    where
        N >= 3,
        (N - 1) % 2 == 0,
        CHUNK <= TILE,
    {
        let tiles = slideStrict(TILE + 1, TILE, xs);
        join(map(
            |tile| join(split(CHUNK, map(|w| reduce(0.0, |a, x| a + x, w), slide(2, 1, tile)))),
            tiles,
        ))
    }

    /// The checker looks at the first sizes only.
    pub fn late<N, tune T: [2, 3, 5, 7, 101, 103, 107, 109]>(xs: [f32; N]) -> [f32; N]
    where
        N >= 100,
    {
        join(split(T, xs))
    }
}

fn sizes(values: &[i64]) -> Sizes {
    Sizes(sums::program().sizes().iter().map(|s| s.var.clone()).zip(values.iter().copied()).collect())
}

#[test]
fn values_are_chosen() -> Result<(), Box<dyn std::error::Error>> {
    let chosen = pipeline::tuned(sums::program(), &sizes(&[7]))?;
    assert_eq!(chosen.to_string(), "N = 7, TILE = 2, CHUNK = 1");
    let xs: Array1<f32> = (0..13).map(|i| (i * i) as f32).collect();
    let expected: Array1<f32> = (0..12).map(|i| (i * i + (i + 1) * (i + 1)) as f32).collect();
    for device in devices::all() {
        assert_eq!(sums(device, xs.view())?, expected);
        // Given, in the order of the program's sizes.
        for (tile, chunk) in [(2, 2), (3, 1), (4, 4), (6, 2), (12, 4)] {
            let built = lift::compile(sums::program(), device, &[13, tile, chunk])?;
            let result = built.run(&[(&xs).into()])?.remove(0).into_array::<f32>()?;
            assert_eq!(result, expected.clone().into_dyn(), "TILE = {tile}, CHUNK = {chunk}");
        }
        let compiled = sums::compile(device, sums::Sizes { N: 13 })?;
        assert_eq!(compiled.run(xs.view())?, expected);
    }
    Ok(())
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let device = &devices::all()[0];
    for (tile, chunk, why) in [(5, 1, "N = 13"), (17, 1, "N = 13"), (2, 4, "CHUNK <= TILE")] {
        let error = lift::compile(sums::program(), device, &[13, tile, chunk]).err().expect(why);
        assert!(error.to_string().contains(why), "{error}");
    }
    let xs = Array1::<f32>::zeros(127);
    let error = late(device, xs.view()).expect_err("127 is prime");
    let expected =
        SizeError::NoTuning { program: "late".into(), parameters: "`T`".into(), sizes: "N = 127".into() };
    assert!(matches!(&error, Error::Size(e) if *e == expected), "{error:?}");
    assert_eq!(error.to_string(), "no values of `T` satisfy what `late` asks of them with N = 127");
}

lift! {
    pub fn placed<N>(xs: [f32; N]) -> [f32; N] {
        mapGlb(0, |x| x * 2.0, xs)
    }
}

#[test]
fn what_is_placed_by_hand_has_a_meaning() -> Result<(), Box<dyn std::error::Error>> {
    let xs: Array1<f32> = (0..5).map(|i| i as f32).collect();
    let meant = lift::interpret(placed::program(), &[], &[(&xs).into()])?.remove(0);
    assert_eq!(meant.into_array::<f32>()?, (&xs * 2.0).into_dyn());
    for device in devices::all() {
        assert_eq!(placed(device, xs.view())?, &xs * 2.0);
    }
    Ok(())
}
