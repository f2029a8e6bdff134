//! The schedule `mapped`: what it derives is right wherever the solver puts its maps, and what the solver
//! finds becomes kernels.
//!
//! `LIFT_SAMPLE=1000 cargo test --release --test mapped survive -- --nocapture` draws so many, and `LIFT_HUNT_SECONDS=t` some
//! with other seeds as long as there is time.

mod common;
mod nests;

use common::{Trial, compare, devices, hunt, shapes, values};
use lift::constraints::{Code, Limits, Placement, Placements, place};
use lift::prelude::*;
use lift::schedules::{Candidate, MAPPED};
use lift::target::Target;
use lift::{Program, Sizes};
use nests::{NESTS, points_from, selections};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

lift! {
    pub fn layer<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(
            |window| map(
                |(kernel, bias)| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                zip(kernels, biases),
            ),
            windows,
        )
    }
}

/// The sizes that a caller gives, and with them the parameters or not.
fn sizes(program: &Program, values: &[usize]) -> Sizes {
    shapes::named(program, &mut values.iter().copied())
}

fn placements(candidate: &Candidate, point: &[usize]) -> Placements {
    candidate.placements(&sizes(&candidate.program, point), Limits::default()).expect("the point fits")
}

/// At points and placements drawn at random, so many of each.
fn check(program: &Program, given: &[usize], options: &[&str], many: [usize; 2], seed: u64) -> usize {
    let Ok(candidate) = MAPPED.derive(program, options) else { return 0 };
    let random = &mut fastrand::Rng::with_seed(seed);
    let trial = Trial::new(program, sizes(program, given), (-9.0, 9.0), random);
    let expected: Vec<_> = trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
    let mut checked = 0;
    for point in points_from(&candidate, given, many[0], seed) {
        let placements = placements(&candidate, &point);
        for placement in placements.sample(seed).take(many[1]) {
            let program = &place(&placements, &placement);
            let placed = Trial { program, sizes: trial.sizes.clone(), arguments: trial.arguments.clone() };
            for device in devices::all() {
                let what = || format!("{} {options:?} at {placement} on {device}", program.name());
                let got = placed.run_at(device, &point).unwrap_or_else(|e| panic!("{}: {e}", what()));
                if let Err(problem) = compare::check(&got, &expected) {
                    panic!("{}: {problem}\n{}", what(), program.function);
                }
            }
            checked += 1;
        }
    }
    checked
}

#[test]
fn nests_wherever_their_maps_run() {
    let mut tried = 0;
    for (case, seed) in hunt::turns(NESTS.len()) {
        // `scripts/hunt` tries them all.
        if case % 3 != 0 && hunt::deadline(1).is_none() {
            continue;
        }
        let (program, given) = &NESTS[case];
        let applies = |options: &&Vec<&str>| MAPPED.derive(program(), options).is_ok();
        let selections = selections(&MAPPED);
        let applicable = selections.iter().filter(applies).count();
        if ["softmax", "normalised", "total", "centred", "prefix", "prefix_of_rows"]
            .contains(&program().name())
        {
            assert_eq!(applicable, 0, "{}", program().name());
            continue;
        }
        // Where there is little to choose, more of what there is.
        let many = if applicable > 4 { [2, 1] } else { [4, 3] };
        let checked: Vec<usize> = selections.iter().map(|o| check(program(), given, o, many, seed)).collect();
        tried += checked.iter().sum::<usize>();
        println!("{}: {checked:?}", program().name());
        assert!(checked.iter().sum::<usize>() >= 10, "{}: {checked:?}", program().name());
    }
    println!("hunted: {tried} forms and places on {} devices", devices::all().len());
}

#[test]
fn where_it_does_not_apply_it_says_why() {
    let refused =
        |program: &Program, options: &[&str]| MAPPED.derive(program, options).map(|_| ()).unwrap_err().reason;
    assert_eq!(refused(nests::softmax::program(), &[]), nests::NO_REDUCTION);
    assert_eq!(
        refused(nests::depthwise::program(), &["inputs"]),
        "no tile is read by more than one work-item"
    );
}

/// A placement that someone wrote down, and one that the rules refuse.
#[test]
fn maps_can_be_placed_by_hand() {
    let candidate = MAPPED.derive(nests::product::program(), &[]).expect("it applies");
    let point = [8, 16, 4, 2, 4, 2, 2, 2];
    let placements = placements(&candidate, &point);
    let by_hand = |codes: [i64; 4]| {
        let all = codes.into_iter().chain(std::iter::repeat(0));
        let maps = placements.nest.maps.iter().zip(all).map(|(map, code)| (map.id, Code(code))).collect();
        Placement { maps, ..placements.all().next().expect("there are some") }
    };
    assert!(placements.broken(&by_hand([21, 20, 11, 10])).is_empty());
    let broken: Vec<_> = placements.broken(&by_hand([10, 20, 11, 10])).iter().map(|c| c.rule.name).collect();
    assert!(broken.contains(&"hierarchy"), "{broken:?}");
    let program = place(&placements, &by_hand([21, 20, 11, 10]));
    let at = sizes(&program, &point);
    let plan = lift_core::compile(&program, &at, &Target::default()).expect("it generates");
    assert_eq!(plan.launches[0].group, Some([4, 2, 1]));
    // The same as numbers, as a store has them, and what is wrong with others in words.
    let maps = placements.nest.maps.len();
    let numbers = |codes: [i64; 4]| codes.into_iter().chain(vec![0; maps - codes.len()]).collect::<Vec<_>>();
    let good = numbers([21, 20, 11, 10]);
    let same = candidate.placed_at(&at, &good).expect("it is as good as before");
    assert_eq!(same.function.to_string(), program.function.to_string());
    let refused = |sizes: &Sizes, codes: &[i64]| match candidate.placed_at(sizes, codes) {
        Ok(placed) => panic!("it is not good: {}", placed.function),
        Err(error) => error.to_string(),
    };
    let few = refused(&at, &good[1..]);
    assert!(few.contains(&format!("{} places are given, and {maps} maps are open", maps - 1)), "{few}");
    let mut fewer = at.clone();
    let (parameter, _) = fewer.0.pop().expect("it has parameters");
    let unknown = refused(&fewer, &good);
    assert!(unknown.contains(&format!("`{parameter}` has no value")), "{unknown}");
    let rule = refused(&at, &numbers([10, 20, 11, 10]));
    let why = placements.broken(&by_hand([10, 20, 11, 10]))[0].diagnostic().to_string();
    assert!(rule.contains(&why), "{rule}: not {why}");
}

/// Vectors across channels are loaded as they are where weights are packed, and else put together from single elements.
#[test]
fn packed_weights_are_loaded_as_vectors() {
    let fetched = |options: &[&str]| {
        let candidate = MAPPED.derive(layer::program(), options).expect("it applies");
        // K, C, H, W, TR, TQ, TD, Q, D, BK, V
        let sizes = sizes(&candidate.program, &[16, 4, 8, 8, 2, 1, 2, 4, 8, 2, 4]);
        let placed = candidate.placed(&sizes, Limits::default()).expect("it can be placed");
        let plan = lift_core::compile(&placed, &sizes, &Target::default()).expect("it generates");
        let text = plan.opencl();
        let declared = text.lines().filter_map(|line| line.trim().strip_prefix("float4 ")?.split_once(" = "));
        let values: Vec<_> =
            declared.map(|(_, value)| value.to_string()).filter(|value| value.contains("kernels_")).collect();
        assert_eq!(values.len(), 4, "{text}");
        values
    };
    assert!(fetched(&["across"]).iter().all(|value| value.starts_with("(float4)(")));
    assert!(fetched(&["packed", "across"]).iter().all(|value| value.starts_with("*(const global float4*)")));
}

/// Of the placements and parameters that the solver draws for a layer, nearly all become kernels
/// (CC'22: 5 %).
#[test]
fn what_the_solver_finds_survives() {
    let many = usize::try_from(hunt::number("LIFT_SAMPLE", 20)).expect("a small number");
    let all = selections(&MAPPED);
    let mut tried = 0;
    for (case, seed) in hunt::turns(all.len()) {
        let options = &all[case];
        // VGG-16's layer 19.
        let Some(candidate) = derived(layer::program(), options) else { continue };
        let given = sizes(&candidate.program, &[512, 512, 28, 28]);
        let started = Instant::now();
        let space = candidate.placements(&given, Limits::default()).expect("the sizes fit");
        let drawn: Vec<Placement> = space.sample(seed).take(many).collect();
        let drawing = started.elapsed();
        assert_eq!(drawn.len(), many);
        let (mut reasons, mut longest) = (BTreeMap::<String, usize>::new(), Duration::ZERO);
        for placement in &drawn {
            let started = Instant::now();
            let mut all = given.clone();
            all.0.extend(placement.parameters.iter().cloned());
            if let Err(e) = lift_core::compile(&place(&space, placement), &all, &Target::default()) {
                *reasons.entry(e.to_string()).or_default() += 1;
            }
            longest = longest.max(started.elapsed());
        }
        let survive = many - reasons.values().sum::<usize>();
        println!(
            "{options:?}: {survive} of {many} in {:?}, {drawing:?} to draw, {longest:?} at most: {reasons:?}",
            started.elapsed()
        );
        assert!(survive * 100 >= many * 95, "seed {seed}: {options:?}: {reasons:?}");
        tried += many;
    }
    println!("hunted: {tried} placements made kernels");
}

/// Nothing where an option is refused: some ask for others, and some steps have no vectors.
fn derived(program: &Program, options: &[&str]) -> Option<Candidate> {
    let refined = options.contains(&"across") || options.contains(&"wide");
    let candidate = MAPPED.derive(program, options);
    assert!(candidate.is_ok() || refined, "{options:?}: {:?}", candidate.err());
    candidate.ok()
}

lift! {
    pub fn masked_product<M, N, K>(rows: [[f32; K]; M], const columns: [[f32; K]; N]) -> [[f32; N]; M] {
        map(
            |row| map(
                |column| reduce(0.0, |acc, (x, w)| if x > 0.0 { acc + x * w } else { acc }, zip(row, column)),
                columns,
            ),
            rows,
        )
    }

    pub fn largest_product<M, N, K>(rows: [[f32; K]; M], const columns: [[f32; K]; N]) -> [[f32; N]; M] {
        map(
            |row| map(
                |column| reduce(
                    -1000.0,
                    |most, (x, w)| {
                        let term = x * w;
                        if term > most { term } else { most }
                    },
                    zip(row, column),
                ),
                columns,
            ),
            rows,
        )
    }

    pub fn last_product<M, N, K>(rows: [[f32; K]; M], const columns: [[f32; K]; N]) -> [[f32; N]; M] {
        map(
            |row| map(|column| reduce(0.0, |acc, (x, w)| if x > w { x } else { w }, zip(row, column)), columns),
            rows,
        )
    }
}

/// A step that passes on, on a condition, what it is given: all that the solver finds becomes kernels, and they
/// are right.
#[test]
fn folds_of_an_if_wherever_their_maps_run() {
    let given = [16, 8, 12];
    for program in [masked_product::program(), largest_product::program(), last_product::program()] {
        for options in selections(&MAPPED) {
            let Some(candidate) = derived(program, &options) else { continue };
            let given = sizes(&candidate.program, &given);
            let space = candidate.placements(&given, Limits::default()).expect("the sizes fit");
            for placement in space.sample(3).take(15) {
                let mut all = given.clone();
                all.0.extend(placement.parameters.iter().cloned());
                let plan = lift_core::compile(&place(&space, &placement), &all, &Target::default());
                plan.unwrap_or_else(|e| panic!("{} {options:?} at {placement}: {e}", program.name()));
            }
        }
        let checked: usize = selections(&MAPPED).iter().map(|o| check(program, &given, o, [1, 1], 5)).sum();
        assert!(checked >= 1, "{}: {checked}", program.name());
    }
}
