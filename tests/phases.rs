//! Sums most of whose terms are zeros that were put between elements: these terms are left out, in every form.

mod common;

use common::{Trial, compare, shapes, values};
use lift::constraints::Limits;
use lift::prelude::*;
use lift::schedules::{BLOCKED, COMBINED, DIRECT, Schedule, TILED};
use lift::target::Target;
use lift::{Program, Sizes};

lift! {
    /// Doubles the resolution: windows of 4 × 4.
    pub fn doubled<K, C, H, W>(const kernels: [[[[f32; C]; 4]; 4]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; 2 * W]; 2 * H] {
        let spread = |row| join(map(|x| pad(0, 1, 0.0, x), split(1, row)));
        let spaced = join(map(|rows| pad(0, 1, 0.0, rows), split(1, map(spread, input))));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(|window| map(|kernel| sum(window, kernel), kernels), slide2D((4, 4), (1, 1), pad2D(2, 1, 2, 1, 0.0, spaced)))
    }

    /// As many results and terms, none of which is a zero.
    pub fn dense<K, C, H, W>(const kernels: [[[[f32; C]; 4]; 4]; K], input: [[[f32; C]; 2 * W]; 2 * H]) -> [[[f32; K]; 2 * W]; 2 * H] {
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(|window| map(|kernel| sum(window, kernel), kernels), slide2D((4, 4), (1, 1), pad2D(2, 1, 2, 1, 0.0, input)))
    }

    /// Three times the resolution, with a bias and an activation: windows of 4 × 4, which 3 does not divide.
    pub fn tripled<K, C, H, W>(const kernels: [[[[f32; C]; 4]; 4]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; 3 * W]; 3 * H] {
        let spread = |row| join(map(|x| pad(1, 1, 0.0, x), split(1, row)));
        let spaced = join(map(|rows| pad(1, 1, 0.0, rows), split(1, map(spread, input))));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        let windows = slide2D((4, 4), (1, 1), pad2D(2, 1, 2, 1, 0.0, spaced));
        map2D(|window| map(|(kernel, bias)| max(0.0, bias + sum(window, kernel)), zip(kernels, biases)), windows)
    }

    /// Windows of any size, here as large as there are channels: of an even one there is an odd number.
    pub fn odd<K, C, H, W>(const kernels: [[[[f32; C]; C]; C]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; 2 * W - C + 3]; 2 * H - C + 3]
    where
        C <= 2 * W + 2,
        C <= 2 * H + 2,
    {
        let spread = |row| join(map(|x| pad(0, 1, 0.0, x), split(1, row)));
        let spaced = join(map(|rows| pad(0, 1, 0.0, rows), split(1, map(spread, input))));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(|window| map(|kernel| sum(window, kernel), kernels), slide2D((C, C), (1, 1), pad2D(1, 1, 1, 1, 0.0, spaced)))
    }

    /// Each sum begins with what is not zero, and goes on in the user's order.
    #[strict]
    pub fn in_order<K, C, H, W>(const kernels: [[[[f32; C]; 4]; 4]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; 2 * W]; 2 * H] {
        let spread = |row| join(map(|x| pad(0, 1, 0.0, x), split(1, row)));
        let spaced = join(map(|rows| pad(0, 1, 0.0, rows), split(1, map(spread, input))));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(|window| map(|kernel| sum(window, kernel), kernels), slide2D((4, 4), (1, 1), pad2D(2, 1, 2, 1, 0.0, spaced)))
    }

    /// Ones between elements: there is nothing to leave out.
    pub fn with_ones<K, C, H, W>(const kernels: [[[[f32; C]; 4]; 4]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; 2 * W]; 2 * H] {
        let spread = |row| join(map(|x| pad(0, 1, 1.0, x), split(1, row)));
        let spaced = join(map(|rows| pad(0, 1, 1.0, rows), split(1, map(spread, input))));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(|window| map(|kernel| sum(window, kernel), kernels), slide2D((4, 4), (1, 1), pad2D(2, 1, 2, 1, 1.0, spaced)))
    }
}

/// A schedule, its options and its parameters.
type Form = (&'static Schedule, &'static [&'static str], &'static [usize]);

const FORMS: [Form; 4] = [
    (&DIRECT, &[], &[2, 2, 2, 1, 4]),
    (&COMBINED, &["packed"], &[8, 4, 2, 4]),
    (&TILED, &[], &[2, 2, 1, 4, 4, 1, 2, 4, 4]),
    (&BLOCKED, &["flat"], &[4, 4, 2, 2, 4, 2, 2, 0]),
];

const SIZES: [usize; 4] = [16, 4, 4, 8];

/// The operations of a form, whose results are those of the program as it is written.
fn operations(program: &'static Program, (schedule, options, point): Form) -> f64 {
    let what = format!("{} by {} {options:?}", program.name(), schedule.name);
    let random = &mut fastrand::Rng::with_seed(11);
    let named: Sizes = shapes::named(program, &mut SIZES.iter().copied());
    let trial = Trial::new(program, named, (-2.0, 2.0), random);
    let expected: Vec<_> = trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
    let candidate = schedule.derive(program, options).unwrap_or_else(|refusal| panic!("{refusal}"));
    let sizes = shapes::named(&candidate.program, &mut SIZES.iter().chain(point).copied());
    let placed = candidate.placed(&sizes, Limits::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
    let derived = Trial { program: &placed, sizes: sizes.clone(), arguments: trial.arguments.clone() };
    let got = derived.interpret().unwrap_or_else(|e| panic!("{what}: {e:?}"));
    if let Err(problem) = compare::check(&got, &expected) {
        panic!("{what}: {problem}");
    }
    let plan = lift::plan(&placed, &sizes, &Target::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
    lift_core::cost::total(&plan)
}

/// Multiply-adds of a dense sum, of which one in `n` × `n` is left.
#[test]
fn zeros_between_elements_take_no_time() {
    for form in FORMS {
        let (sparse, dense) = (operations(doubled::program(), form), operations(dense::program(), form));
        let share = sparse / dense;
        assert!((0.2..0.4).contains(&share), "{}: {share}", form.0.name);
    }
}

#[test]
fn windows_need_not_be_whole_strides() {
    for form in FORMS {
        // Of 16 terms at most four count; what they are filled up to takes its time too, but for loops of nothing else.
        let (sparse, dense) = (operations(tripled::program(), form), operations(dense::program(), form));
        let share = sparse / dense / (9.0 / 4.0);
        assert!((0.1..0.5).contains(&share), "{}: {share}", form.0.name);
    }
}

#[test]
fn what_may_not_be_left_out_is_not() {
    for form in FORMS {
        for program in [in_order::program(), with_ones::program()] {
            if form.0.derive(program, form.1).is_err() {
                continue;
            }
            let share = operations(program, form) / operations(dense::program(), form);
            assert!(share > 0.9, "{} by {}: {share}", program.name(), form.0.name);
        }
    }
}

/// Zeros stay there, and so do the forms.
#[test]
fn phases_of_other_lengths_keep_their_forms() {
    let form: Form = (&COMBINED, &["packed", "ragged"], &[8, 4, 2, 4]);
    assert!(operations(odd::program(), form) > 0.0);
}
