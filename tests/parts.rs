//! Programs cut into parts and put together again compute what they did.

mod common;
mod nests;
mod programs;

use common::{Trial, compare, devices, shapes, values};
use lift::Device;
use lift::prelude::*;
use lift_core::cost;
use lift_core::kernel::Plan;
use lift_core::parts::{Part, PartForm, Parts};
use lift_core::{Program, Sizes};
use ndarray::ArrayD;

lift! {
    fn dense<N, M, L>(a: [[f32; L]; N], b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a)
    }

    fn layer<K, C, H, W>(kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(kernel, bias)| max(0.0, reduce(bias, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)))), zip(kernels, biases)), windows)
    }

    pub fn pooled<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; 2 * W]; 2 * H]) -> [[[f32; K]; W]; H] {
        let all = layer(kernels, biases, input);
        let largest = |window| map(|xs| reduce(f32::NEG_INFINITY, max, xs), transpose(join(window)));
        map2D(largest, slide2D((2, 2), (2, 2), all))
    }

    pub fn two_layers<K, C, H, W>(const first: [[[[f32; C]; 3]; 3]; K], const second: [[[[f32; K]; 3]; 3]; C], biases: [f32; K], more: [f32; C], input: [[[f32; C]; W]; H]) -> [[[f32; C]; W]; H] {
        layer(second, more, layer(first, biases, input))
    }

    pub fn residual<K, C, H, W>(const left: [[[[f32; C]; 3]; 3]; K], const right: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        map3D(|(a, b)| max(a + b, 0.0), zip3D(layer(left, biases, input), layer(right, biases, input)))
    }

    pub fn attention<N, M, L, K>(queries: [[f32; L]; N], keys: [[f32; L]; M], values: [[f32; K]; M]) -> [[f32; K]; N] {
        let scores = map2D(|x| 0.5 * x, dense(queries, transpose(keys)));
        let weights = map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let powers = map(|x| exp(x - top), row);
            let total = reduce(0.0, |acc, x| acc + x, powers);
            map(|x| x / total, powers)
        }, scores);
        dense(weights, values)
    }

    /// The weights' part needs no input: it is the same from run to run.
    pub fn of_constants<N, M>(const a: [[f32; M]; N], const b: [[f32; N]; M], x: [f32; N]) -> [f32; N] {
        let product = dense(a, b);
        map(|row| reduce(0.0, |acc, (w, y)| acc + w * y, zip(row, x)), product)
    }

    pub fn shares_turned<N, M>(rows: [[f32; N]; M]) -> [[f32; M]; N] {
        map(|column| map(|x| 1.0 - x, column), transpose(map(|row| {
            let total = reduce(0.0, |acc, x| acc + x, row);
            map(|x| x / total, row)
        }, rows)))
    }

    pub fn totals_in_a_row<N>(xs: [f32; N]) -> [f32; N] {
        map(|total| max(total, 0.0), scan(0.0, |acc, x| acc + x, xs))
    }

    pub fn normalised_in_a_row<N>(xs: [[f32; N]; 1]) -> [[f32; N]; 1] {
        let shares = map(|row| { let total = reduce(0.0, |acc, x| acc + x, row); map(|x| x / total, row) }, xs);
        map(|row| map(|x| x * x, row), shares)
    }

    /// Rows of groups, and what is computed of each group's rows is joined.
    pub fn normalised_in_groups<N, M>(scales: [f32; N], groups: [[[f32; M]; N]; 2]) -> [[f32; N * M]; 2] {
        let share = |row| { let total = reduce(0.0, |acc, x| acc + x, row); map(|x| x / total, row) };
        map(|rows| join(map(|(row, scale)| map(|x| x * scale, row), zip(rows, scales))), split(N, map(share, join(groups))))
    }

    /// The first two parts compute the same.
    pub fn twice<N>(a: [[f32; N]; N], b: [[f32; N]; N], c: [[f32; N]; N], rest: [[f32; 3 * N]; N]) -> [[f32; 3 * N]; N] {
        dense(dense(dense(a, b), c), rest)
    }

    pub fn centred<N>(xs: [f32; N]) -> [f32; N] {
        let mean = reduce(0.0, |acc, x| acc + x, xs) / N as f32;
        map(|x| x - mean, xs)
    }

    pub fn both<N, M>(rows: [[f32; M]; N]) -> ([f32; N], [f32; M]) {
        (map(|row| reduce(0.0, |acc, x| acc + x, row), rows), map(|column| reduce(1.0, |acc, x| acc * x, column), transpose(rows)))
    }

    pub fn ranked<N, M>(rows: [[f32; M]; N]) -> [i32; N] {
        let (places, best) = unzip(map(|row| argBest(|best, x| x > best, row), rows));
        let top = reduce(f32::NEG_INFINITY, max, best);
        map(|(place, x)| if x == top { place } else { 0 - 1 }, zip(places, best))
    }

    /// Elements are scaled before a product reads each of them for all results of a row.
    pub fn scaled_first<N, M, L>(a: [[f32; L]; N], scales: [f32; L], b: [[f32; M]; L]) -> [[f32; M]; N] {
        dense(map(|row| map(|(x, s)| max(x * s, 0.0), zip(row, scales)), a), b)
    }

    /// Bytes are converted where they are multiplied, the padding around them, too.
    pub fn of_bytes<K, C, H, W>(const kernels: [[[[i8; C]; 3]; 3]; K], zero: f32, input: [[[u8; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 7, input));
        let term = |acc: f32, (x, w): (u8, i8)| acc + (x as f32 - zero) * (w as f32);
        map2D(|window| map(|kernel| reduce(0.0, term, zip(join2D(window), join2D(kernel))), kernels), windows)
    }

    /// Two functions are applied to the left matrix, one to the right one.
    pub fn read_twice<N, L>(a: [[i8; L]; N], b: [[i8; L]; N]) -> [[i32; N]; N] {
        let product = |row, column| reduce(0, |acc, (x, y)| acc + (x as i32 + 1) * (y as i32) + (x as i32) * 2, zip(row, column));
        map(|row| map(|column| product(row, column), b), a)
    }

    /// A depthwise convolution reads an element for a few results: they are converted as they are read. Its weights are
    /// the same for all.
    pub fn depthwise<C, H, W>(weights: [[[i8; C]; 3]; 3], input: [[[u8; C]; W]; H]) -> [[[i32; C]; W]; H] {
        let by_channel = |window| transpose(join(window));
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0, input));
        map2D(|window| map(
            |(ws, xs)| reduce(0, |acc, (w, x)| acc + (w as i32) * (x as i32), zip(ws, xs)),
            zip(by_channel(weights), by_channel(window)),
        ), windows)
    }

    /// One nest: what is added and compared stays with it.
    pub fn one_nest<N, M, L>(a: [[f32; L]; N], b: [[f32; M]; L], bias: [f32; M]) -> [[f32; M]; N] {
        map2D(|x| max(x, 0.0), map(|row| map(|(x, y)| x + y, zip(row, bias)), dense(a, b)))
    }
}

/// A program, sizes, and how many parts it has.
type Case = (fn() -> &'static Program, &'static [usize], usize);

const CASES: &[Case] = &[
    (pooled::program, &[4, 3, 3, 2], 2),
    (two_layers::program, &[4, 3, 5, 4], 2),
    (residual::program, &[4, 3, 5, 4], 2),
    (attention::program, &[5, 4, 3, 6], 3),
    (twice::program, &[4], 3),
    (of_constants::program, &[4, 3], 2),
    (normalised_in_groups::program, &[5, 3], 1),
    (centred::program, &[7], 1),
    (both::program, &[4, 3], 2),
    (ranked::program, &[4, 3], 2),
    (one_nest::program, &[4, 3, 5], 1),
    (scaled_first::program, &[4, 3, 5], 2),
    (of_bytes::program, &[4, 3, 5, 4], 3),
    (read_twice::program, &[4, 5], 2),
    (depthwise::program, &[3, 5, 4], 2),
];

#[test]
fn of_these_programs_there_are_so_many() {
    for (program, _, parts) in CASES {
        let found: Vec<String> =
            Parts::of(program()).iter().map(|p| p.program.function.to_string()).collect();
        assert_eq!(found.len(), *parts, "{}:\n{}", program().name(), found.join("\n"));
    }
}

#[test]
fn they_compute_the_same_together() {
    let random = &mut fastrand::Rng::with_seed(71);
    for (k, (program, sizes, _)) in CASES.iter().enumerate() {
        let sizes = shapes::named(program(), &mut sizes.iter().copied());
        same(program(), sizes, (-2.0, 2.0), k, random).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn so_do_those_of_all_other_programs() {
    let random = &mut fastrand::Rng::with_seed(72);
    let mut cut = 0;
    let nests = nests::NESTS.iter().map(|(program, sizes)| (program(), sizes.to_vec(), (-2.0, 2.0)));
    let cases = programs::all().filter_map(|case| {
        let program = (case.program)();
        let sizes = shapes::random(program, case.largest, 3, random).pop()?;
        Some((program, sizes.0.iter().map(|(_, n)| *n as usize).collect(), case.range))
    });
    for (k, (program, sizes, range)) in nests.chain(cases.collect::<Vec<_>>()).enumerate() {
        let sizes = shapes::named(program, &mut sizes.into_iter());
        let random = &mut fastrand::Rng::with_seed(k as u64);
        cut += same(program, sizes, range, k, random).unwrap_or_else(|e| panic!("{e}"));
    }
    println!("{cut} programs have several parts");
    assert!(cut >= 3);
}

#[test]
fn equal_parts_are_equal_whatever_they_are_given() {
    let parts: Vec<Program> = Parts::of(twice::program()).iter().map(|part| part.anonymous()).collect();
    assert_eq!(parts[0].function, parts[1].function);
    assert_ne!(parts[1].function, parts[2].function);
}

#[test]
fn a_part_is_computed_for_what_its_reader_copies() -> Result<(), Box<dyn std::error::Error>> {
    let sizes = scaled_first::Sizes { N: 6, M: 8, L: 40 };
    let tuning = scaled_first::tuning(&Device::cpu(), sizes)?.stored(None);
    let named = shapes::named(scaled_first::program(), &mut [6, 8, 40].into_iter());
    let trial = Trial::new(scaled_first::program(), named, (-2.0, 2.0), &mut fastrand::Rng::with_seed(73));
    let arguments: Vec<_> = trial.arguments.iter().map(values::argument).collect();
    let expected: Vec<ArrayD<f64>> = trial.interpret()?.iter().map(values::to_f64).collect();
    let run = |choice: &str| -> Result<Plan, Box<dyn std::error::Error>> {
        let compiled = tuning.build(&choice.parse()?)?;
        let results: Vec<_> = compiled.run(&arguments)?.into_iter().map(values::of).collect();
        compare::check(&results, &expected)?;
        Ok(compiled.plan().clone())
    };
    let twice = run("parts: -; combined D=4 V=4 R=1 Q=2")?;
    let once = run("parts: inline; combined copied D=4 V=4 R=1 Q=2 G=2")?;
    assert_eq!((twice.launches.len(), once.launches.len()), (2, 1));
    // Each element is scaled once for all columns.
    assert!(cost::total(&once) <= cost::total(&twice), "{}", once.opencl());
    // In vectors, what it is computed with, too.
    let wide = run("parts: inline; combined copied wide D=4 V=4 R=1 Q=2 G=2 T=4")?;
    assert!(wide.opencl().contains("*(const global float4*)(scales_"), "{}", wide.opencl());
    assert!(cost::seconds(&wide, Device::cpu().target()) < cost::seconds(&once, Device::cpu().target()));
    for (choice, reason) in [
        ("parts: inline; inline", "part 2 is no function of elements that a part behind it reads"),
        ("parts: inline", "it has 2 parts"),
        ("inline", "it is no part of another program"),
    ] {
        let error = tuning.build(&choice.parse()?).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(reason), "{choice}: {error}");
    }
    Ok(())
}

/// Runs a program and its parts, and says whether it has several.
fn same(
    program: &Program,
    sizes: Sizes,
    range: (f64, f64),
    turn: usize,
    random: &mut fastrand::Rng,
) -> Result<usize, String> {
    let parts = Parts::of(program);
    if parts.is_one() {
        return Ok(0);
    }
    let kept = |part: &Part| PartForm::Kept(part.program.clone(), part.sizes(&sizes));
    let inline = |part: &Part| if part.may_be_inline() { PartForm::Inline } else { kept(part) };
    let trial = Trial::new(program, sizes.clone(), range, random);
    let expected: Vec<ArrayD<f64>> = trial.interpret()?.iter().map(values::to_f64).collect();
    let ways = [parts.iter().map(kept).collect::<Vec<_>>(), parts.iter().map(inline).collect()];
    for joined in ways.map(|forms| parts.joined(&forms)) {
        let what = |problem: String| format!("{}: {problem}\n{}", program.name(), joined.function);
        let trial = Trial { program: &joined, ..trial.clone() };
        let interpreted = trial.interpret().map_err(what)?;
        compare::check(&interpreted, &expected).map_err(what)?;
        for device in devices::in_turn(turn) {
            compare::check(&trial.run(device).map_err(what)?, &expected).map_err(what)?;
        }
    }
    Ok(1)
}

/// Whoever reads the elements of a softmax or of running totals in another order than that of their rows has the rows computed
/// first, or takes their order: else each element would take the work of a row.
#[test]
fn elements_that_are_computed_together_are_computed_once() {
    const SIDE: usize = 128;
    let programs = [
        programs::softmax::softmax_columns::program(),
        programs::sums::totals_above::program(),
        shares_turned::program(),
        totals_in_a_row::program(),
        normalised_in_a_row::program(),
        normalised_in_groups::program(),
    ];
    for program in programs {
        let sizes: Vec<usize> = program.sizes().iter().map(|_| SIDE).collect();
        let sizes = if sizes.len() == 1 { vec![SIDE * SIDE] } else { sizes };
        let tuning = lift::tune::Tuning::new(program, &Device::cpu(), &sizes).expect("sizes fit");
        let (choice, plan) = tuning.likely(&[], 0).expect("there are kernels");
        let flops: u128 = lift::explain(&plan, None).launches.iter().map(|launch| launch.flops).sum();
        let elements = (SIDE * SIDE) as u128;
        // An exponential counts as one.
        assert!(flops < 12 * elements, "`{}` as `{choice}`: {flops} for {elements}", program.name());
    }
}
