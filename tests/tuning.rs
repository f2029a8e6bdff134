//! `tune` parameters at run time: the first values that fit are taken, unless values are given.

mod common;

use common::devices;
use lift::prelude::*;
use lift::{Error, SizeError, Sizes};
use lift_core::tune;
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
    let chosen = tune::choose::tuned(sums::program(), &sizes(&[7]))?;
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
    let parameters = "`T` in [2, 3, 5, 7, 101, 103, 107, 109]".to_string();
    let (program, sizes) = ("late".to_string(), "N = 127".to_string());
    let expected = SizeError::NoTuning { program, parameters, asked: "N % T == 0".into(), sizes };
    assert!(matches!(&error, Error::Size(e) if *e == expected), "{error:?}");
    assert_eq!(
        error.to_string(),
        "`late` asks for N % T == 0, and has no value for `T` in [2, 3, 5, 7, 101, 103, 107, 109] that satisfies \
         it with N = 127"
    );
}

lift! {
    /// Of four parameters one has no value at some sizes.
    pub fn one_of_four<N, tune A: 1..=4, tune B: [2, 4], tune C: 1..=B, tune D: N / 50..=3>(
        xs: [f32; N],
    ) -> [f32; N]
    where
        N >= 100,
        N % 2 == 0,
        A * B <= 16,
        (C + A) * 25 >= N / 5,
    {
        map(|x| x * (A + B + C + D) as f32, xs)
    }
}

/// What is said of parameters is said of those that it is about.
#[test]
fn the_parameter_that_is_at_fault_is_named() {
    let device = &devices::all()[0];
    let told = |n: usize| {
        let error = one_of_four(device, Array1::<f32>::zeros(n).view()).err();
        error.map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(told(100), "");
    let range = "`one_of_four` has no value for `D` in N / 50..=3: there is none in that range with N = 200";
    assert_eq!(told(200), range);
    let given = |values: &[usize]| {
        let error = lift::compile(one_of_four::program(), device, values).err();
        error.map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(given(&[100, 1, 2, 2, 2]), "");
    let sizes = "with N = 100, A = 5, B = 2, C = 2, D = 2";
    assert_eq!(given(&[100, 5, 2, 2, 2]), format!("`one_of_four` takes `A` in 1..=4, not 5, {sizes}"));
    let sizes = "with N = 100, A = 1, B = 3, C = 2, D = 2";
    assert_eq!(given(&[100, 1, 3, 2, 2]), format!("`one_of_four` takes `B` in [2, 4], not 3, {sizes}"));
    let sizes = "with N = 100, A = 1, B = 2, C = 3, D = 2";
    assert_eq!(given(&[100, 1, 2, 3, 2]), format!("`one_of_four` takes `C` in 1..=B, not 3, {sizes}"));
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
