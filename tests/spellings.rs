//! One convolution in the ways in which people write it: the compiler brings them to one nest, so that each has all forms of
//! the others, and these cost the same.

mod common;

use common::{Trial, compare, shapes, values};
use lift::constraints::Limits;
use lift::prelude::*;
use lift::schedules::{BLOCKED, COMBINED, DIRECT, SCHEDULES, Schedule, TILED};
use lift::target::Target;
use lift::{Program, Sizes};

lift! {
    pub fn plain<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(kernel, bias)| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), zip(kernels, biases)), windows)
    }

    /// A running sum handed from reduction to reduction.
    pub fn nested<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let row = |acc, xs, ws| reduce(acc, |acc, (xs, ws)| reduce(acc, |acc, (x, w)| acc + x * w, zip(xs, ws)), zip(xs, ws));
        map2D(|window| map(|(kernel, bias)| reduce(bias, |acc, (xs, ws)| row(acc, xs, ws), zip(window, kernel)), zip(kernels, biases)), windows)
    }

    /// Sums of sums, each of which begins with 0, and the bias added in the end.
    pub fn sums<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let sum = |xs, ws| reduce(0.0, |acc, (x, w)| acc + x * w, zip(xs, ws));
        let rows = |xs, ws| reduce(0.0, |acc, (xs, ws)| acc + sum(xs, ws), zip(xs, ws));
        map2D(|window| map(|(kernel, bias)| bias + reduce(0.0, |acc, (xs, ws)| acc + rows(xs, ws), zip(window, kernel)), zip(kernels, biases)), windows)
    }

    pub fn dots<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(kernel, bias)| bias + dot(join(join(window)), join(join(kernel))), zip(kernels, biases)), windows)
    }

    /// The bias in a pass of its own.
    pub fn bias_after<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let sums = map2D(|window| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), kernels), windows);
        map2D(|channels| map(|(x, bias)| x + bias, zip(channels, biases)), sums)
    }

    /// All products, and then their sum.
    pub fn products<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(kernel, bias)| reduce(bias, |acc, p| acc + p, map(|(x, w)| x * w, zip(join(join(window)), join(join(kernel))))), zip(kernels, biases)), windows)
    }

    /// Plane by plane, and the planes made the last dimension.
    pub fn planes<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let planes = map(|(kernel, bias)| map2D(|window| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), windows), zip(kernels, biases));
        map(transpose, transpose(planes))
    }

    /// The same, and the bias added to what was moved.
    pub fn bias_after_planes<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let planes = map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), windows), kernels);
        map2D(|channels| map(|(x, bias)| x + bias, zip(channels, biases)), map(transpose, transpose(planes)))
    }

    /// One dimension after the other.
    pub fn by_dimensions<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let padded = map(|row| pad(1, 1, 0.0, row), pad(1, 1, 0.0, input));
        let windows = |rows| map(transpose, slide(3, 1, transpose(rows)));
        map(|rows| map(|window| map(|(kernel, bias)| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), zip(kernels, biases)), windows(rows)), slide(3, 1, padded))
    }

    /// Factors, terms and arrays the other way round.
    pub fn turned_round<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(bias, kernel)| reduce(bias, |acc, (w, x)| w * x + acc, zip(join(join(kernel)), join(join(window)))), zip(biases, kernels)), windows)
    }

    /// The sums of all channels together, element by element of the window.
    pub fn accumulated<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let rows = transpose(map(|kernel| join(join(kernel)), kernels));
        map2D(|window| reduce(biases, |accs, (x, ws)| map(|(acc, w)| acc + x * w, zip(accs, ws)), zip(join(join(window)), rows)), windows)
    }
}

fn spellings() -> [&'static Program; 11] {
    [
        plain::program(),
        nested::program(),
        sums::program(),
        dots::program(),
        bias_after::program(),
        products::program(),
        planes::program(),
        bias_after_planes::program(),
        by_dimensions::program(),
        turned_round::program(),
        accumulated::program(),
    ]
}

lift! {
    /// Groups of channels that know nothing of each other, and the bias where each result is computed.
    pub fn grouped<G, M, C, N>(const kernels: [[[f32; 3]; C]; G * M], biases: [f32; G * M], input: [[f32; N]; G * C]) -> [[f32; N]; G * M] {
        let windows = |rows| transpose(map(|row| slide(3, 1, pad(1, 1, 0.0, row)), rows));
        join(map(
            |(kernels, biases, rows)| map(|(kernel, bias)| map(|window| bias + reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))), windows(rows)), zip(kernels, biases)),
            zip(split(M, kernels), split(M, biases), split(C, input)),
        ))
    }

    /// The bias added to the results of all groups.
    pub fn grouped_bias_after<G, M, C, N>(const kernels: [[[f32; 3]; C]; G * M], biases: [f32; G * M], input: [[f32; N]; G * C]) -> [[f32; N]; G * M] {
        let windows = |rows| transpose(map(|row| slide(3, 1, pad(1, 1, 0.0, row)), rows));
        let sums = join(map(
            |(kernels, rows)| map(|kernel| map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))), windows(rows)), kernels),
            zip(split(M, kernels), split(C, input)),
        ));
        map(|(row, bias)| map(|x| x + bias, row), zip(sums, biases))
    }
}

/// No option, each by itself, and of a few all pairs.
fn selections(schedule: &Schedule) -> Vec<Vec<&'static str>> {
    let options: Vec<&str> = schedule.options.iter().map(|(name, _)| *name).collect();
    let few = if options.len() <= 5 { options.len() } else { 0 };
    let pairs = (0..few).flat_map(|k| (0..k).map(move |j| [j, k]));
    let pairs = pairs.map(|pair| pair.map(|k| options[k]).to_vec());
    [vec![vec![]], options.iter().map(|option| vec![*option]).collect(), pairs.collect()].concat()
}

#[test]
fn all_have_the_same_forms() {
    for (programs, least) in
        [(&spellings()[..], 40), (&[grouped::program(), grouped_bias_after::program()], 20)]
    {
        let mut forms = 0;
        for schedule in SCHEDULES {
            for options in selections(schedule) {
                let derived = |program: &&Program| {
                    (program.name().to_string(), schedule.derive(program, &options).is_ok())
                };
                let applies: Vec<(String, bool)> = programs.iter().map(derived).collect();
                let first = applies[0].1;
                assert!(
                    applies.iter().all(|(_, one)| *one == first),
                    "{} {options:?}: {applies:?}",
                    schedule.name
                );
                forms += usize::from(first);
            }
        }
        assert!(forms > least, "{forms} forms only");
    }
}

#[test]
fn forms_are_right_and_cost_the_same() {
    let sizes = [16, 4, 4, 8];
    let forms: [(&Schedule, &[&str], &[usize]); 5] = [
        (&DIRECT, &["padded"], &[2, 2, 2, 1, 4]),
        (&COMBINED, &["packed", "padded"], &[8, 4, 2, 4]),
        (&COMBINED, &[], &[8, 4, 2, 4]),
        (&TILED, &["padded"], &[2, 2, 1, 4, 4, 1, 2, 4, 4]),
        (&BLOCKED, &["flat"], &[4, 4, 2, 2, 4, 2, 2, 0]),
    ];
    let random = &mut fastrand::Rng::with_seed(7);
    let named: Sizes = shapes::named(plain::program(), &mut sizes.iter().copied());
    let trial = Trial::new(plain::program(), named, (-2.0, 2.0), random);
    let expected: Vec<_> = trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
    for (schedule, options, point) in forms {
        let mut costs = vec![];
        for program in spellings() {
            let what = format!("{} by {} {options:?}", program.name(), schedule.name);
            let candidate = schedule.derive(program, options).unwrap_or_else(|refusal| panic!("{refusal}"));
            let mut values = sizes.iter().chain(point).copied();
            let sizes = shapes::named(&candidate.program, &mut values);
            let placed =
                candidate.placed(&sizes, Limits::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
            let derived =
                Trial { program: &placed, sizes: sizes.clone(), arguments: trial.arguments.clone() };
            let got = derived.interpret().unwrap_or_else(|e| panic!("{what}: {e:?}"));
            if let Err(problem) = compare::check(&got, &expected) {
                panic!("{what}: {problem}");
            }
            let plan =
                lift::plan(&placed, &sizes, &Target::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
            costs.push((program.name(), plan.modules[0].kernels.len(), lift_core::cost::total(&plan)));
        }
        assert!(
            costs.iter().all(|(_, n, cost)| (*n, *cost) == (costs[0].1, costs[0].2)),
            "{}: {costs:?}",
            schedule.name
        );
    }
}
