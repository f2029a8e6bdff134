//! Products with the zeros of padding are left out of sums: also where a kernel wrote the padding, in every form, and never where
//! it is no zero or sums keep their order.

mod common;

use common::{Trial, compare, devices, shapes, values};
use lift::constraints::Limits;
use lift::prelude::*;
use lift::schedules::{COMBINED, DIRECT, Schedule};
use lift::target::{Class, Description, Target};
use lift::{Program, Sizes};

lift! {
    /// Elements of the kernel are 6 apart, as far as 12 rows of padding reach together.
    pub fn dilated<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let spread = |window| map(|row| join(slide(1, 6, row)), join(slide(1, 6, window)));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(
            |window| map(|kernel| sum(spread(window), kernel), kernels),
            slide2D((13, 13), (1, 1), pad2D(6, 6, 6, 6, 0.0, input)),
        )
    }

    /// The same with ones around the picture.
    pub fn with_ones<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let spread = |window| map(|row| join(slide(1, 6, row)), join(slide(1, 6, window)));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(
            |window| map(|kernel| sum(spread(window), kernel), kernels),
            slide2D((13, 13), (1, 1), pad2D(6, 6, 6, 6, 1.0, input)),
        )
    }

    /// The same, with nothing left out.
    #[strict]
    pub fn in_order<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let spread = |window| map(|row| join(slide(1, 6, row)), join(slide(1, 6, window)));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(
            |window| map(|kernel| sum(spread(window), kernel), kernels),
            slide2D((13, 13), (1, 1), pad2D(6, 6, 6, 6, 0.0, input)),
        )
    }

    /// Kernels write what is convolved, and then the padding around it.
    pub fn in_memory<K, C, H, W>(kernels: [[[[f32; C]; 3]; 3]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let doubled = toGlobal(map2D(|xs| map(|x| 2.0 * x, xs), input));
        let padded = toGlobal(pad2D(1, 1, 1, 1, 0.0, doubled));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map2D(|window| map(|kernel| sum(window, kernel), kernels), slide2D((3, 3), (1, 1), padded))
    }

    /// Sums of the squares of what lies around each element.
    pub fn squares<C, H, W>(input: [[[i32; C]; W]; H]) -> [[i32; W]; H] {
        let sum = |window| reduce(0, |acc, x| acc + x * x, join2D(window));
        map2D(|window| sum(window), slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0, input)))
    }

    /// Differences count in the padding, too.
    pub fn distances<C, H, W>(pattern: [[[f32; C]; 3]; 3], input: [[[f32; C]; W]; H]) -> [[f32; W]; H] {
        let sum = |window| reduce(
            0.0,
            |acc, (x, y)| acc + (x - y) * (x - y),
            zip(join2D(window), join2D(pattern)),
        );
        map2D(|window| sum(window), slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input)))
    }
}

/// A schedule, its options and its parameters.
type Form = (&'static Schedule, &'static [&'static str], &'static [usize]);

const FORMS: [Form; 3] = [
    (&DIRECT, &[], &[2, 2, 2, 4, 4]),
    (&COMBINED, &["packed"], &[8, 4, 1, 4]),
    // Its own kernel writes the padding, and the last tile of a row extends beyond it.
    (&COMBINED, &["packed", "padded", "ragged"], &[8, 4, 1, 7]),
];

const SIZES: [usize; 4] = [16, 64, 8, 8];

fn program(program: &'static Program, (schedule, options, point): Form) -> Option<(Program, Sizes)> {
    let candidate = schedule.derive(program, options).ok()?;
    let sizes = shapes::named(&candidate.program, &mut SIZES.iter().chain(point).copied());
    let placed = candidate.placed(&sizes, Limits::default());
    Some((
        placed.unwrap_or_else(|e| panic!("{} by {} {options:?}: {e}", program.name(), schedule.name)),
        sizes,
    ))
}

/// The operations of a form.
fn operations(of: &'static Program, form: Form) -> Option<f64> {
    let (program, sizes) = program(of, form)?;
    let plan = lift::plan(&program, &sizes, &Target::of(&Description::unknown(Class::Processor, 2)));
    Some(lift_core::cost::total(&plan.unwrap_or_else(|e| panic!("{} by {}: {e}", of.name(), form.0.name))))
}

/// Of 8 rows each, 2 are read where the kernel's first and last rows are, and so it is with columns.
#[test]
fn products_with_padding_take_no_time() {
    for form in FORMS {
        let [left_out, all] = [dilated::program(), with_ones::program()].map(|p| operations(p, form));
        let share = left_out.expect("it applies") / all.expect("it applies");
        // Rows alone leave a half of all products; where results of columns are computed together, all of these must be zeros.
        assert!((0.2..0.65).contains(&share), "{} {:?}: {share}", form.0.name, form.1);
        if let Some(in_order) = operations(in_order::program(), form) {
            assert!(in_order / all.expect("it applies") > 0.9, "{} {:?}", form.0.name, form.1);
        }
    }
}

/// The value of a program, by the interpreter and on every device.
fn check(program: &'static Program, derived: &Program, sizes: &Sizes, own: &[usize]) {
    let named = shapes::named(program, &mut own.iter().copied());
    let trial = Trial::new(program, named, (-3.0, 3.0), &mut fastrand::Rng::with_seed(5));
    let expected: Vec<_> = trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
    let trial = Trial { program: derived, sizes: sizes.clone(), arguments: trial.arguments };
    for device in devices::all() {
        let got = trial.run(device).unwrap_or_else(|e| panic!("{} on {device}: {e}", program.name()));
        if let Err(problem) = compare::check(&got, &expected) {
            panic!("{} on {device}: {problem}", program.name());
        }
    }
}

#[test]
fn what_is_left_is_right() {
    for form in FORMS {
        for of in [dilated::program(), with_ones::program()] {
            let (derived, sizes) = program(of, form).expect("it applies");
            check(of, &derived, &sizes, &SIZES);
        }
    }
    let plain = [
        (squares::program(), &[40, 5, 7][..]),
        (distances::program(), &[40, 5, 7]),
        (in_memory::program(), &[8, 40, 5, 7]),
    ];
    for (of, own) in plain {
        check(of, of, &shapes::named(of, &mut own.iter().copied()), own);
    }
}

/// The guards of a row and of a column stand before the loops that they do not change, and nothing is asked inside.
#[test]
fn tests_stand_before_loops() {
    for (of, own) in [(squares::program(), &[40, 5, 7][..]), (in_memory::program(), &[8, 40, 5, 7])] {
        let sizes = shapes::named(of, &mut own.iter().copied());
        let plan = lift::plan(of, &sizes, &Target::default()).expect("the sizes fit");
        let text = plan.modules[0].kernels.last().expect("there is a kernel").to_string();
        let (guards, sum) = (text.matches("  if (").count(), text.find(" = (").unwrap_or(0));
        assert!(guards == 2 && text.rfind("  if (").is_some_and(|guard| guard < sum), "{text}");
        assert!(!text[sum..].contains("if ("), "{text}");
    }
}
