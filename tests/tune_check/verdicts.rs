//! No right program is refused, and every mistake is found.

use crate::common::devices;
use crate::{applications, by_hand, nests, programs};
use lift::prelude::*;
use lift::tune::Bench;
use lift::{Program, Sizes};
use lift_core::kernel::{Expr, Plan, Stmt};
use lift_core::nat::Nat;
use lift_core::scalar::Value;
use std::collections::BTreeMap;

/// Sizes by position.
fn sized(program: &Program, values: &[usize]) -> Sizes {
    crate::common::shapes::named(program, &mut values.iter().copied())
}

fn bench(program: &Program, device: &Device, values: &[usize]) -> Result<Bench, lift::Error> {
    Bench::new(program, &sized(program, values), device, 0)
}

/// What a check of the program says of another.
fn verdict(bench: &Bench, program: &Program, device: &Device, values: &[usize]) -> Result<(), String> {
    let compiled = lift::compile(program, device, values).expect("it builds");
    bench.checked(&compiled).expect("it runs")
}

/// As it is, on a device; with these sizes.
fn plain(program: &Program, device: &Device, values: &[usize]) -> Result<(), String> {
    let bench = bench(program, device, values).map_err(|e| e.to_string())?;
    verdict(&bench, program, device, values)
}

fn none_refused(all: &[(&Program, Vec<usize>)]) {
    let refused = |(k, (program, values)): (usize, &(&Program, Vec<usize>))| {
        devices::in_turn(k).find_map(|device| {
            let reason = plain(program, device, values).err()?;
            Some(format!("`{}` at {values:?} on {device}: {reason}", program.name()))
        })
    };
    let refused: Vec<String> = all.iter().enumerate().filter_map(refused).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn programs_are_right_as_they_are() {
    let of_case = |case: &programs::Case| {
        let program = (case.program)();
        let random = &mut fastrand::Rng::with_seed(7);
        let mut shapes = crate::common::shapes::random(program, case.largest, 6, random);
        shapes.sort_by_key(|sizes| sizes.0.iter().map(|(_, n)| *n).product::<i64>());
        let values = shapes.pop()?.0.iter().map(|(_, n)| *n as usize).collect();
        Some((program, values))
    };
    none_refused(&programs::all().filter_map(of_case).collect::<Vec<_>>());
}

#[test]
fn nests_are_right_as_they_are() {
    let nests = nests::NESTS.iter().map(|(program, sizes)| (program(), sizes.to_vec()));
    let applications = applications::all().into_iter().filter_map(|program| {
        let values = [12; 6][..program.sizes().len()].to_vec();
        program.admits(&sized(program, &values)).is_ok().then_some((program, values))
    });
    none_refused(&nests.chain(applications).collect::<Vec<_>>());
}

#[test]
fn placed_programs_are_right_as_they_are() {
    let all = [by_hand::CONVOLUTIONS, by_hand::LOCAL_MEMORY, by_hand::REGISTERS].concat_all();
    none_refused(&all);
}

trait ConcatAll {
    fn concat_all(&self) -> Vec<(&'static Program, Vec<usize>)>;
}

impl ConcatAll for [&'static [by_hand::Placed]; 3] {
    fn concat_all(&self) -> Vec<(&'static Program, Vec<usize>)> {
        let all = self.iter().flat_map(|placed| placed.iter());
        all.map(|placed| ((placed.program)(), placed.points[0].to_vec())).collect()
    }
}

lift! {
    /// Each function by itself, and of numbers that cancel.
    pub fn functions<N>(xs: [f32; N], ys: [f32; N]) -> (
        [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N],
        [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N],
    ) {
        (
            map(exp, xs), map(exp2, xs), map(|x| ln(abs(x)), xs), map(|x| log2(abs(x)), xs),
            map(|x| log10(abs(x) + 0.5), xs), map(sin, xs), map(cos, xs), map(tan, xs),
            map(|x| asin(x / 9.0), xs), map(|x| acos(x / 9.0), xs), map(atan, xs), map(|(x, y)| atan2(x, y), zip(xs, ys)),
            map(|(x, y)| pow(abs(x), y), zip(xs, ys)), map(|(x, y)| hypot(x, y), zip(xs, ys)),
            map(sinh, xs), map(|x| cosh(x) - tanh(x), xs),
        )
    }

    /// What cancels, what is near a pole, and what is near 0.
    pub fn cancelling<N, M>(xss: [[f32; M]; N], ys: [f32; M]) -> (
        [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N],
    ) {
        let sum = |xs| reduce(0.0, |a, x| a + x, xs);
        let thirds = |xs| reduce(0.0, |a, x| a + x / 3.0, xs);
        (
            map(|xs| thirds(xs) - sum(xs) / 3.0, xss),
            map(|xs| thirds(map(|x| x * x, xs)) / M as f32 - (thirds(xs) / M as f32) * (thirds(xs) / M as f32), xss),
            map(|xs| tan(thirds(xs)), xss),
            map(|xs| ln(1.0 + exp(thirds(xs) / 100.0)), xss),
            map(|xs| 1.0 / (thirds(xs) + 0.1), xss),
            map(|xs| sin(1000.0 * thirds(zip_sum(xs, ys))) + 1.0, xss),
        )
    }
    fn zip_sum<M>(xs: [f32; M], ys: [f32; M]) -> [f32; M] {
        map(|(x, y)| x * y, zip(xs, ys))
    }

    pub fn variance<N>(xs: [f32; N]) -> (f32, f32) {
        let mean = reduce(0.0, |a, x| a + x, xs) / N as f32;
        let squares = reduce(0.0, |a, x| a + x * x, xs) / N as f32;
        (squares - mean * mean, reduce(0.0, |a, x| a + (x - mean) * (x - mean), xs) / N as f32)
    }

    pub fn variance_in_doubles<N, M>(xss: [[f64; N]; M]) -> ([f64; M], [f64; M]) {
        let mean = |xs| reduce(0.0, |a, x| a + x / 7.0, xs) / N as f64;
        (
            map(|xs| reduce(0.0, |a, x| a + (x / 7.0) * (x / 7.0), xs) / N as f64 - mean(xs) * mean(xs), xss),
            map(|xs| ln(abs(mean(xs)) + 0.001) / 3.0, xss),
        )
    }

    pub fn softmax<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let powers = map(|x| exp(x - top), row);
            let total = reduce(0.0, |a, x| a + x, powers);
            map(|x| x / total, powers)
        }, rows)
    }

    pub fn log_softmax<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let total = reduce(0.0, |a, x| a + exp(x - top), row);
            map(|x| x - top - ln(total), row)
        }, rows)
    }

    /// Decided by rounding, and by nothing.
    pub fn decided<N, M>(xss: [[f32; N]; M]) -> ([i32; M], [f32; M], [bool; M]) {
        let mean = |xs| reduce(0.0, |a, x| a + x, xs) / N as f32;
        (
            map(|xs| (mean(xs) * 100.0) as i32, xss),
            map(|xs| if mean(xs) > 0.3 { exp(mean(xs)) } else { 0.0 }, xss),
            map(|xs| mean(xs) > 0.3, xss),
        )
    }

    /// Some elements are no numbers, whatever is put in.
    pub fn masked<N>(xs: [f32; N]) -> [f32; N] {
        map(|(x, i)| if i % 3 == 0 { f32::NEG_INFINITY } else { sqrt(x * x) / 3.0 }, zip(xs, generate(N, |i| i as i32)))
    }
}

#[test]
fn what_rounds_is_right_as_it_is() {
    none_refused(&[
        (functions::program(), vec![3000]),
        (cancelling::program(), vec![500, 700]),
        (variance::program(), vec![100_003]),
        (variance_in_doubles::program(), vec![999, 77]),
        (softmax::program(), vec![2048, 300]),
        (log_softmax::program(), vec![2048, 60]),
        (decided::program(), vec![999, 300]),
        (masked::program(), vec![1000]),
    ]);
}

/// Sums that a schedule may take in another order.
#[test]
fn what_rounds_otherwise_is_right_too() -> Result<(), lift::Error> {
    let program = softmax_backwards::program();
    for device in devices::all() {
        let bench = bench(softmax::program(), device, &[2048, 300])?;
        assert_eq!(verdict(&bench, program, device, &[2048, 300]), Ok(()), "{device}");
        let bench = self::bench(variance::program(), device, &[100_003])?;
        assert_eq!(verdict(&bench, variance_backwards::program(), device, &[100_003]), Ok(()), "{device}");
    }
    Ok(())
}

lift! {
    pub fn softmax_backwards<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let total = reduce(0.0, |a, x| a + exp(x - top), reverse(row));
            map(|x| exp(x - top) / total, row)
        }, rows)
    }

    pub fn softmax_without_a_term<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] where N > 1 {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let total = reduce(0.0, |a, x| a + exp(x - top), drop(1, row));
            map(|x| exp(x - top) / total, row)
        }, rows)
    }

    pub fn softmax_of_neighbours<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let total = reduce(0.0, |a, x| a + exp(x - top), row);
            map(|x| exp(x - top) / total, reorder(|i| (i + 1) % N, row))
        }, rows)
    }

    pub fn variance_backwards<N>(xs: [f32; N]) -> (f32, f32) {
        let mean = reduce(0.0, |a, x| a + x, reverse(xs)) / N as f32;
        let squares = reduce(0.0, |a, x| a + x * x, reverse(xs)) / N as f32;
        (squares - mean * mean, reduce(0.0, |a, x| a + (x - mean) * (x - mean), reverse(xs)) / N as f32)
    }

    /// The first two elements are not there.
    pub fn variance_of_fewer<N>(xs: [f32; N]) -> (f32, f32) where N > 2 {
        let mean = reduce(0.0, |a, x| a + x, drop(2, xs)) / N as f32;
        let squares = reduce(0.0, |a, x| a + x * x, drop(2, xs)) / N as f32;
        (squares - mean * mean, reduce(0.0, |a, x| a + (x - mean) * (x - mean), drop(2, xs)) / N as f32)
    }
}

#[test]
fn mistakes_are_found_in_what_rounds() -> Result<(), lift::Error> {
    for device in devices::all() {
        let bench = bench(softmax::program(), device, &[2048, 300])?;
        for program in [softmax_without_a_term::program(), softmax_of_neighbours::program()] {
            assert!(
                verdict(&bench, program, device, &[2048, 300]).is_err(),
                "{} on {device}",
                program.name()
            );
        }
        let bench = self::bench(variance::program(), device, &[3000])?;
        assert!(verdict(&bench, variance_of_fewer::program(), device, &[3000]).is_err(), "{device}");
    }
    Ok(())
}

/// Too large to be compared whole; all sizes are primes.
const LARGE: [usize; 3] = [523, 541, 547];

lift! {
    pub fn product<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        map(|x| map(|y| reduce(0.0, |a, (p, q)| a + p * q, zip(x, y)), ys), xs)
    }
    pub fn without_a_term<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] where L > 1 {
        let short = |rows| map(|row| drop(1, row), rows);
        product(short(xs), short(ys))
    }
    pub fn with_a_term_twice<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        let long = |rows| map(|row| concat(row, take(1, row)), rows);
        product(long(xs), long(ys))
    }
    pub fn of_the_next_row<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        product(xs, reorder(|i| (i + 1) % M, ys))
    }
    /// The last element of all.
    pub fn wrong_at_the_end<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] where N > 1, M > 1 {
        let right = product(xs, ys);
        let wrong = map(|row| concat(take(M - 1, row), [0.5]), drop(N - 1, right));
        concat(take(N - 1, right), wrong)
    }
    pub fn wrong_first_row<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        let right = product(xs, ys);
        concat(map(|row| map(|x| x + 1.0, row), take(1, right)), drop(1, right))
    }
    pub fn wrong_column<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] where M > 400 {
        map(|row| concat(take(311, row), map(|x| x - 1.0, take(1, drop(311, row))), drop(312, row)), product(xs, ys))
    }
    /// A tile of rows has what the tile before it has, as without a barrier.
    pub fn stale<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] where N > 400 {
        let right = product(xs, ys);
        concat(take(256, right), take(16, drop(240, right)), drop(272, right))
    }
    /// One element in each tile of 32 by 32 is what the next one should be.
    pub fn wrong_in_each_tile<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        let right = product(xs, ys);
        map(|(row, i)| map(|(x, j)| if i % 32 == 21 && j % 32 == 13 { x + 1.0 } else { x },
            zip(row, generate(M, |j| j as i32))), zip(right, generate(N, |i| i as i32)))
    }
    pub fn turned_tile<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] where N > 400, M > 400 {
        let right = product(xs, ys);
        let tile = map(|row| take(32, drop(128, row)), take(32, drop(64, right)));
        let rows = map(|(row, tile)| concat(take(128, row), tile, drop(160, row)),
            zip(take(32, drop(64, right)), transpose(tile)));
        concat(take(64, right), rows, drop(96, right))
    }
}

#[test]
fn mistakes_are_found_in_what_is_large() -> Result<(), lift::Error> {
    let wrong = [
        without_a_term::program(),
        with_a_term_twice::program(),
        of_the_next_row::program(),
        wrong_at_the_end::program(),
        wrong_first_row::program(),
        wrong_column::program(),
        stale::program(),
        wrong_in_each_tile::program(),
        turned_tile::program(),
    ];
    let mut seen = BTreeMap::new();
    for device in devices::all() {
        let bench = bench(product::program(), device, &LARGE)?;
        assert_eq!(verdict(&bench, product::program(), device, &LARGE), Ok(()), "{device}");
        // The first verdict by the reference alone, the second with what is known to be right.
        for program in wrong {
            let reference = self::bench(product::program(), device, &LARGE)?.parts_of(&run(program, device)?);
            if reference.is_ok() {
                seen.insert((device.to_string(), program.name()), "not by the reference");
            }
            assert!(verdict(&bench, program, device, &LARGE).is_err(), "{} on {device}", program.name());
        }
    }
    assert!(seen.is_empty(), "{seen:?}");
    Ok(())
}

fn run(program: &Program, device: &Device) -> Result<lift::Compiled, lift::Error> {
    Ok((*lift::compile(program, device, &LARGE)?).clone())
}

/// The kernels of the program with this written to one of its elements at the end.
fn with_one_wrong(device: &Device, at: usize, value: f64) -> Result<lift::Compiled, lift::Error> {
    let right = lift::compile(product::program(), device, &LARGE)?;
    let mut plan: Plan = right.plan().clone();
    let kernel = plan.modules[0].kernels.last_mut().expect("a kernel");
    let result = kernel.arrays.last().expect("a result").0.clone();
    let literal = Expr::Literal(Value::F32(value as f32));
    let store = Stmt::Store(result, Nat::constant(at as i64), literal);
    kernel.body.push(store.clone());
    kernel.item.iter_mut().for_each(|item| item.push(store.clone()));
    // SAFETY: the element is one of the result's.
    unsafe { device.load(plan, right.signature().clone()) }
}

/// Where the reference computes parts, other forms say what the rest is.
#[test]
fn one_wrong_element_among_all_is_found() -> Result<(), lift::Error> {
    for device in devices::all() {
        let bench = bench(product::program(), device, &LARGE)?;
        let at = 277 * LARGE[1] + 111;
        let not_a_number = bench.checked(&with_one_wrong(device, at, f64::NAN)?)?;
        assert!(not_a_number.is_err(), "{device}");
        let wrong = with_one_wrong(device, at, 0.25)?;
        let right = lift::compile(product::program(), device, &LARGE)?;
        assert_eq!(bench.checked(&right)?, Ok(()), "{device}");
        let reason = bench.checked(&wrong)?.expect_err("it is wrong");
        assert!(reason.contains(&format!("element {at} ")), "{device}: {reason}");
        // It is the wrong form that is refused, in whatever order they come.
        assert_eq!(bench.checked(&right)?, Ok(()), "{device}");
    }
    Ok(())
}

/// However large a program is: the reference takes no more operations than this, and no candidate takes fewer.
#[test]
fn a_reference_is_cheap() -> Result<(), lift::Error> {
    let device = &Device::cpu();
    for n in [2048usize, 1 << 14] {
        let sizes = sized(product::program(), &[n, n, n]);
        let operations = Bench::operations(product::program(), &sizes)?;
        assert!(operations > 1e7 && operations < 5e8, "{n}: {operations}");
        assert!(operations < 2.0 * (n as f64).powi(3) / 10.0, "{n}: {operations}");
    }
    let rows = sized(softmax::program(), &[2048, 1 << 20]);
    let operations = Bench::operations(softmax::program(), &rows)?;
    assert!(operations > 1e7 && operations < 5e8, "{operations}");
    // What has no parts is computed whole.
    let sum = sized(variance::program(), &[1 << 24]);
    assert!(Bench::operations(variance::program(), &sum)? > 1e8);
    assert_eq!(plain(product::program(), device, &[1, 1, 1]), Ok(()));
    Ok(())
}

lift! {
    pub fn far_apart<N>(xs: [f32; N]) -> [f32; N] {
        reorder(|i| (100003 * i + 7) % N, xs)
    }
}

/// What an index is computed from may be larger than the index.
#[test]
fn large_numbers_on_the_way_to_an_index() -> Result<(), lift::Error> {
    let n = 60_000;
    let xs = Array1::from_shape_fn(n, |i| i as f32);
    let expected = Array1::from_shape_fn(n, |i| ((100_003 * i + 7) % n) as f32);
    for device in devices::all() {
        assert_eq!(far_apart(device, xs.view())?, expected, "{device}");
    }
    Ok(())
}
