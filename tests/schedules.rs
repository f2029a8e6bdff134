//! Every schedule derives, from programs as users write them, forms that compute the same.

mod common;
mod nests;
#[path = "schedules/options.rs"]
mod options;
#[path = "schedules/piecewise.rs"]
mod piecewise;
#[path = "schedules/reduced.rs"]
mod reduced;
#[path = "schedules/soon.rs"]
mod soon;
#[path = "schedules/terms.rs"]
mod terms;

use common::{Trial, compare, devices, hunt, shapes, values};
use lift::target::Target;
use lift::{Program, Sizes};
use lift_core::constraints::Limits;
use lift_core::kernel::{self, Buffer, Role, Stmt};
use lift_core::scalar::Value;
use lift_core::schedules::{
    BLOCKED, CHUNKS, COMBINED, DIRECT, DOTS, FRAMED, LANES, MAPPED, ROWS, SCANS, SCHEDULES, Schedule, TILED,
    TURNED,
};
use ndarray::ArrayD;
use nests::{Effort, Form, NESTS, forms, placed, points};
use std::collections::{BTreeMap, BTreeSet};

/// Of each program in the everyday tests, and of one program under `scripts/hunt`.
const EVERYDAY: Effort = Effort { seed: 1, selections: 2, points: 4 };
const DEEP: Effort = Effort { seed: 1, selections: 6, points: 10 };

/// So many programs are more than each schedule needs every day.
const MANY: usize = 16;

/// What one schedule derives from every program is right, or it says why it does not apply.
fn nests_by(schedule: &Schedule, refused: &[(&str, &str)]) {
    let (mut problems, mut tried) = (vec![], Tried::new());
    // Where it applies to few programs, each has more of its forms tried.
    let applies = NESTS.len() - refused.len();
    let selections = EVERYDAY.selections.max(8 / applies.max(1));
    // Where it applies to many, every other one shows as much in half the time; `scripts/hunt` tries all.
    let every = if applies >= MANY { 2 } else { 1 };
    for (seed, (program, sizes)) in (1..).zip(NESTS) {
        let program = program();
        let name = program.name();
        let reason = refused.iter().find(|(refused, _)| *refused == name).map(|(_, reason)| *reason);
        let said = schedule.derive(program, &[]).err().map(|refusal| refusal.reason);
        if said.as_deref() != reason {
            problems.push(format!("{name}: {said:?}"));
        }
        if !(seed + schedule.name.len() as u64).is_multiple_of(every) {
            continue;
        }
        let forms = forms(schedule, program, sizes, Effort { seed, selections, points: 2 * selections });
        let checked = check(program, sizes, &forms, &mut tried, &mut problems);
        // Lengths that no chunk divides have points with some options only.
        let fitting = forms.iter().filter(|form| !form.points.is_empty()).count();
        // Few values divide a short row.
        let wanted = if schedule.name == ROWS.name { 2 } else { EVERYDAY.points };
        let wanted = wanted * fitting / forms.len().max(1);
        if checked < wanted.max(1) && said.is_none() {
            problems.push(format!("{name}: {checked} points only"));
        }
    }
    // Points that are all alike would show nothing.
    for parameter in schedule.parameters {
        let values = tried.get(parameter.name).cloned().unwrap_or_default();
        if values.len() < parameter.values.len().min(2) {
            problems.push(format!("{} is {values:?} only", parameter.name));
        }
    }
    assert!(problems.is_empty(), "{}: {}", schedule.name, problems.join("\n"));
}

/// The values that parameters had.
type Tried = BTreeMap<String, BTreeSet<usize>>;

/// How many points of a program were checked.
fn check(
    program: &Program,
    sizes: &[usize],
    forms: &[Form],
    tried: &mut Tried,
    problems: &mut Vec<String>,
) -> usize {
    let random = &mut fastrand::Rng::with_seed(5);
    let trial = Trial::new(program, shapes::named(program, &mut sizes.iter().copied()), (-9.0, 9.0), random);
    let expected = trial.interpret().expect("the sizes fit");
    let expected: Vec<_> = expected.iter().map(values::to_f64).collect();
    let mut checked = 0;
    for Form { candidate, points } in forms {
        for point in points {
            for (size, value) in candidate.program.sizes().iter().zip(point).skip(sizes.len()) {
                tried.entry(size.var.name.to_string()).or_default().insert(*value);
            }
            let program = &placed(candidate, point);
            let derived = Trial { program, sizes: trial.sizes.clone(), arguments: trial.arguments.clone() };
            checked += 1;
            for device in devices::in_turn(checked) {
                let got = derived.run_at(device, point).map_err(|e| e.to_string());
                if let Err(problem) = got.and_then(|got| compare::check(&got, &expected)) {
                    let (name, options) = (program.name(), &candidate.options);
                    problems.push(format!("{name} {options:?} at {point:?} on {device}: {problem}"));
                }
            }
        }
    }
    checked
}

const NO_REDUCTION: [(&str, &str); 6] = [
    ("total", nests::NO_REDUCTION),
    ("centred", nests::NO_REDUCTION),
    ("softmax", nests::NO_REDUCTION),
    ("prefix", nests::NO_REDUCTION),
    ("prefix_of_rows", nests::NO_REDUCTION),
    ("normalised", nests::NO_REDUCTION),
];

#[test]
fn direct() {
    let no_products = "the sum is not a sum of products";
    let refused = ["boxes", "pooling", "columns"].map(|name| (name, no_products));
    nests_by(&DIRECT, &[&NO_REDUCTION[..], &refused].concat());
}

#[test]
fn combined() {
    nests_by(&COMBINED, &NO_REDUCTION);
}

#[test]
fn dots() {
    nests_by(&DOTS, &NO_REDUCTION);
}

/// A bias for each position instead of each channel, and a second result.
#[test]
fn combined_with_other_ends() {
    let (mut problems, mut tried) = (vec![], Tried::new());
    for (program, sizes) in
        [(nests::bias_by_position::program(), [8, 3, 4, 5]), (nests::both::program(), [4, 3, 6, 5])]
    {
        let forms = forms(&COMBINED, program, &sizes, DEEP);
        let checked = check(program, &sizes, &forms, &mut tried, &mut problems);
        assert!(checked >= DEEP.points, "{}: {checked} points only", program.name());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Derived primitives are what they stand for: schedules know nothing of them.
#[test]
fn the_best_of_rows_is_a_reduction() {
    let (mut problems, mut tried) = (vec![], Tried::new());
    let cases: [(&Schedule, &Program, &[usize]); 6] = [
        (&ROWS, nests::best_of_rows::program(), &[16, 7]),
        (&CHUNKS, nests::best_of_rows::program(), &[32, 12]),
        (&CHUNKS, nests::best::program(), &[96]),
        (&COMBINED, nests::best_of_rows::program(), &[7, 12]),
        (&MAPPED, nests::best_of_rows::program(), &[12, 16]),
        (&COMBINED, nests::classes::program(), &[6, 8, 5]),
    ];
    for (schedule, program, sizes) in cases {
        if let Err(refusal) = schedule.derive(program, &[]) {
            problems.push(format!("{} of {}: {}", schedule.name, program.name(), refusal.reason));
        }
        let forms = forms(schedule, program, sizes, EVERYDAY);
        let checked = check(program, sizes, &forms, &mut tried, &mut problems);
        if checked < EVERYDAY.points {
            problems.push(format!("{} of {}: {checked} points only", schedule.name, program.name()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "scripts/hunt runs it"]
fn forms_of_all_schedules_are_right() {
    let all: Vec<(&Schedule, &nests::Nest)> =
        SCHEDULES.iter().flat_map(|schedule| NESTS.iter().map(move |nest| (*schedule, nest))).collect();
    let (mut problems, mut tried, mut checked) = (vec![], Tried::new(), 0);
    for (case, seed) in hunt::turns(all.len()) {
        let (schedule, (program, sizes)) = all[case];
        let forms = forms(schedule, program(), sizes, Effort { seed, ..DEEP });
        checked += check(program(), sizes, &forms, &mut tried, &mut problems);
        assert!(problems.is_empty(), "seed {seed}: {}", problems.join("\n"));
    }
    println!("hunted: {checked} points of forms on {} devices", devices::all().len());
}

#[test]
fn tiled() {
    nests_by(&TILED, &NO_REDUCTION);
}

#[test]
fn blocked() {
    let refused = ["depthwise", "fir", "boxes", "pooling", "vector", "columns"]
        .map(|name| (name, nests::NO_WEIGHTS_ALONE));
    // The vector is given first, and the matrix is its weights.
    let no_positions = [("vector_first", nests::NO_POSITIONS)];
    nests_by(&BLOCKED, &[&NO_REDUCTION[..], &refused, &no_positions].concat());
}

#[test]
fn rows() {
    let no_rows = "none of the `map`s that make its result reduces rows";
    nests_by(&ROWS, &["total", "centred", "prefix", "prefix_of_rows"].map(|name| (name, no_rows)));
}

#[test]
fn chunks() {
    let no_sums = "nothing that it computes is a reduction, or a `map` of reductions";
    nests_by(&CHUNKS, &["prefix", "prefix_of_rows"].map(|name| (name, no_sums)));
}

/// Of equals the first is found, a NaN where it comes first and else not at all, whoever looks at which elements.
#[test]
fn the_best_is_found_in_any_order() {
    let none = f32::NAN;
    let cases: [[f32; 8]; 6] = [
        [3.0, 7.0, 1.0, 7.0, 7.0, 2.0, 7.0, 0.0],
        [none, 7.0, 1.0, 7.0, none, 2.0, 7.0, 0.0],
        [f32::NEG_INFINITY; 8],
        [f32::INFINITY; 8],
        [-1.0, none, none, none, none, none, none, none],
        [f32::NEG_INFINITY, none, f32::NEG_INFINITY, none, none, -0.0, 0.0, none],
    ];
    let (mut problems, mut checked) = (vec![], 0);
    let forms = [
        (&ROWS, nests::best_of_rows::program(), &[8, 6][..]),
        (&CHUNKS, nests::best_of_rows::program(), &[8, 6]),
        (&CHUNKS, nests::best::program(), &[48]),
    ];
    for (schedule, program, sizes) in forms {
        let random = &mut fastrand::Rng::with_seed(1);
        let named = shapes::named(program, &mut sizes.iter().copied());
        let mut trial = Trial::new(program, named, (-9.0, 9.0), random);
        let scalars = cases.iter().flatten().map(|x| Value::F32(*x)).collect();
        let shape: &[usize] = if sizes.len() == 2 { &[6, 8] } else { &[48] };
        trial.arguments = vec![ArrayD::from_shape_vec(shape, scalars).expect("as many")];
        let expected = trial.interpret().expect("the sizes fit");
        for options in [&[][..], &["ragged"]] {
            let candidate = schedule.derive(program, options).expect("it applies");
            for point in points(&candidate, sizes, 4) {
                let program = &placed(&candidate, &point);
                let derived =
                    Trial { program, sizes: trial.sizes.clone(), arguments: trial.arguments.clone() };
                for device in devices::all() {
                    let got = derived.run_at(device, &point);
                    if !got.as_ref().is_ok_and(|got| format!("{got:?}") == format!("{expected:?}")) {
                        problems.push(format!("{} {options:?} {point:?} {device}: {got:?}", schedule.name));
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(problems.is_empty() && checked > 10, "{}", problems.join("\n"));
}

#[test]
fn scans() {
    let no_scan = "its result is not an array of prefix sums";
    let scans = ["prefix", "prefix_of_rows"];
    let others = NESTS.iter().map(|(program, _)| program().name()).filter(|name| !scans.contains(name));
    nests_by(&SCANS, &others.map(|name| (name, no_scan)).collect::<Vec<_>>());
}

#[test]
fn lanes() {
    let none = "no `map` makes its result";
    let inside = "one work-item computes neighbouring results together";
    let refused = [
        ("softmax", inside),
        ("total", none),
        ("centred", none),
        ("prefix", none),
        ("prefix_of_rows", inside),
        ("normalised", inside),
    ];
    nests_by(&LANES, &refused);
}

/// Every selection of options, with arrays that are computed on the way.
#[test]
fn lanes_with_all_options() {
    let (mut problems, mut tried) = (vec![], Tried::new());
    let cases: [(&Program, &[usize]); 6] = [
        (nests::shares::program(), &[3, 16]),
        (nests::shares::program(), &[5, 11]),
        (nests::depthwise::program(), &[8, 4, 6]),
        (options::scaled::program(), &[3, 5, 7]),
        (options::scaled_last::program(), &[3, 5, 7]),
        (options::scaled_last::program(), &[2, 4, 4]),
    ];
    for (seed, (program, sizes)) in (1..).zip(cases) {
        let forms = forms(&LANES, program, sizes, Effort { seed, selections: 8, points: 6 });
        let checked = check(program, sizes, &forms, &mut tried, &mut problems);
        assert!(checked >= 3, "{}: {checked} points only", program.name());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Positions of a convolution of 1 × 1 are one row where channels come first: all that is read and written there is vectors,
/// but for the last ones of the row.
#[test]
fn positions_in_a_row() {
    let program = options::one::program();
    let (mut problems, mut tried) = (vec![], Tried::new());
    for sizes in [[5, 3, 6, 10], [3, 4, 5, 7]] {
        let found = ["along", "packed"].map(|option| {
            let candidate = COMBINED.derive(program, &[option, "merged", "ragged"]).expect("it applies");
            let points = points(&candidate, &sizes, 6);
            Form { candidate, points }
        });
        assert!(check(program, &sizes, &found, &mut tried, &mut problems) >= 6);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let candidate = COMBINED.derive(program, &["along", "merged"]).expect("it applies");
    // K, C, H, W, D, V, R, Q
    let named = shapes::named(&candidate.program, &mut [4, 3, 6, 8, 16, 4, 1, 2].into_iter());
    let kernels =
        lift_core::compile(&candidate.program, &named, &Target::default()).expect("kernels").opencl();
    assert!(kernels.contains("vload4(0, x_") || kernels.contains("*(const global float4*)(x_"), "{kernels}");
    assert!(kernels.contains("vstore4(") || kernels.contains("*(global float4*)(output_"), "{kernels}");
    assert!(!kernels.contains(".s0"), "{kernels}");
}

#[test]
fn turned() {
    let in_order = "it reads no neighbours that are far apart in its result";
    for (program, _) in NESTS {
        let said = TURNED.derive(program(), &[]).err().map(|refusal| refusal.reason);
        assert_eq!(said.as_deref(), Some(in_order), "{}", program().name());
    }
    let (mut problems, mut tried) = (vec![], Tried::new());
    for (seed, (program, sizes)) in (1..).zip(nests::TURNED) {
        let program = program();
        let forms = forms(&TURNED, program, sizes, Effort { seed, selections: 16, points: 6 });
        assert_eq!(forms.len(), 10, "{}", program.name());
        let checked = check(program, sizes, &forms, &mut tried, &mut problems);
        assert!(checked >= 2, "{}: {checked} points only", program.name());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn framed() {
    let (mut problems, mut tried) = (vec![], Tried::new());
    for (seed, (program, sizes)) in (1..).zip(nests::FRAMED) {
        let program = program();
        let forms = forms(&FRAMED, program, sizes, Effort { seed, selections: 8, points: 6 });
        assert_eq!(forms.len(), 4, "{}", program.name());
        let checked = check(program, sizes, &forms, &mut tried, &mut problems);
        assert!(checked >= 4, "{}: {checked} points only", program.name());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // No windows of rows, or none at all.
    for program in [nests::nhwc::program(), nests::product::program(), nests::transposition::program()] {
        assert!(FRAMED.derive(program, &[]).is_err(), "{}", program.name());
    }
}

/// Rows of 16 numbers in private memory, of which nothing says that it begins where a vector may.
#[test]
fn vectors_of_private_arrays_need_no_alignment() {
    let candidate = FRAMED.derive(nests::blurred::program(), &["unrolled"]).expect("it applies");
    let point = [8, 12, 8, 4, 4];
    let program = &placed(&candidate, &point);
    let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
    let plan = lift::plan(program, &sizes, &lift::target::Target::default()).expect("it compiles");
    let text = plan.opencl();
    assert!(text.contains("vload4(0, picture_tile_") && !text.contains("(picture_tile_"), "{text}");
    let trial = Trial::new(program, sizes, (-1.0, 1.0), &mut fastrand::Rng::with_seed(2));
    let expected: Vec<_> = trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
    for device in devices::all() {
        let got = trial.run_at(device, &point).unwrap_or_else(|e| panic!("{device}: {e}"));
        compare::check(&got, &expected).unwrap_or_else(|problem| panic!("{device}: {problem}"));
    }
}

/// Tiles of 2 KiB for each of more work-items than a thread's stack has room for.
#[test]
fn large_tiles_have_room_on_every_device() {
    let candidate = TURNED.derive(nests::transposition::program(), &[]).expect("it applies");
    let point = [2048, 2048, 64, 8];
    let program = &placed(&candidate, &point);
    let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
    let trial = Trial::new(program, sizes, (-1.0, 1.0), &mut fastrand::Rng::with_seed(1));
    for device in devices::all().iter().filter(|device| !devices::is_simulator(device)) {
        let got = trial.run_at(device, &point).unwrap_or_else(|e| panic!("{device}: {e}"));
        assert!(got[0] == trial.arguments[0].t(), "{device}");
    }
}

/// Every selection of options, at lengths that pieces divide and at others.
#[test]
fn scans_with_all_options() {
    let (mut problems, mut tried) = (vec![], Tried::new());
    let cases: [(&Program, &[usize]); 8] = [
        (nests::prefix::program(), &[4096]),
        (nests::prefix::program(), &[1000]),
        (nests::prefix_of_rows::program(), &[3, 512]),
        (nests::prefix_of_rows::program(), &[5, 77]),
        (nests::weighted::program(), &[4, 256]),
        (nests::weighted::program(), &[2, 100]),
        (nests::highest::program(), &[1024]),
        (nests::highest::program(), &[203]),
    ];
    for (seed, (program, sizes)) in (1..).zip(cases) {
        let forms = forms(&SCANS, program, sizes, Effort { seed, selections: 16, points: 14 });
        // Those that are refused need another one.
        assert_eq!(forms.len(), 8, "{}", program.name());
        check(program, sizes, &forms, &mut tried, &mut problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn scans_refused() {
    let reason = |program: &Program, options: &[&str]| SCANS.derive(program, options).err().map(|r| r.reason);
    let prefix = nests::prefix_of_rows::program();
    for (options, refined) in [(&["staged"][..], "shared"), (&["shared", "carried"], "staged")] {
        let said = reason(prefix, options).expect("another option is missing");
        assert!(said.contains(&format!("is an option of `{refined}` forms")), "{said}");
    }
    let split = "only a scan that adds, multiplies, or takes the minimum or maximum can be split into chunks";
    for options in [&[][..], &["shared", "staged"], &["shared", "staged", "carried"]] {
        assert_eq!(reason(nests::decay::program(), options).as_deref(), Some(split));
    }
}

/// Windows slide over what is in local memory wherever they overlap for all sizes.
#[test]
fn blocked_slides_windows_that_overlap() {
    let no_windows = "no sum goes over windows of neighbouring positions";
    let apart = "windows of neighbouring positions do not overlap";
    let refused = [
        ("product", no_windows),
        ("one_by_one", no_windows),
        ("pointwise", no_windows),
        ("residual", no_windows),
        ("up", no_windows),
        ("matrices", no_windows),
        // Their step is a size that the caller chooses.
        ("relu_inside_batch", apart),
        ("stepping", apart),
        // Their elements are not neighbours.
        ("dilated", apart),
    ];
    for (program, _) in NESTS {
        let program = program();
        if BLOCKED.derive(program, &[]).is_err() {
            continue;
        }
        let reason =
            refused.iter().find(|(refused, _)| *refused == program.name()).map(|(_, reason)| *reason);
        let said = BLOCKED.derive(program, &["sliding"]).err().map(|refusal| refusal.reason);
        assert_eq!(said.as_deref(), reason, "{}", program.name());
    }
}

/// The form through caches is of one work-item's own: it needs no local memory, and waits for nobody.
#[test]
fn blocked_through_caches_shares_nothing() {
    for (program, sizes) in NESTS {
        let Ok(candidate) = BLOCKED.derive(program(), &["cached"]) else { continue };
        for point in points(&candidate, sizes, 3) {
            let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
            let plan =
                lift_core::compile(&candidate.program, &sizes, &Target::default()).expect("the point fits");
            assert!(plan.report().kernels.iter().all(|kernel| kernel.local == 0), "{}", program().name());
            assert!(!plan.opencl().contains("barrier("), "{}", program().name());
        }
    }
}

/// A row of four elements is one vector, which one of two work-items loads ahead and hands on.
#[test]
fn some_work_items_have_nothing_to_load_ahead() {
    let program = nests::nhwc::program();
    let candidate = BLOCKED.derive(program, &["ahead", "sliding"]).expect("it applies");
    let sizes = [8, 3, 4, 4];
    // GM, GN, TM, TN, BK, W, V, P
    let point = [&sizes[..], &[2, 1, 1, 8, 1, 4, 1, 0]].concat();
    let (mut problems, mut tried) = (vec![], Tried::new());
    check(program, &sizes, &[Form { candidate, points: vec![point] }], &mut tried, &mut problems);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What a group has in local memory is what the constraint counts, to the byte, also between rows.
#[test]
fn blocks_are_as_large_as_the_constraint_says() {
    let candidate = BLOCKED.derive(nests::product::program(), &[]).expect("it applies");
    for pitch in [0, 1, 2, 4] {
        // N, M, L; GM, GN, TM, TN, BK, W, V, P
        let point = [16, 16, 8, 2, 4, 2, 2, 4, 1, 1, pitch];
        let sizes = shapes::named(&candidate.program, &mut point.into_iter());
        let plan =
            lift_core::compile(&candidate.program, &sizes, &Target::default()).expect("the point fits");
        let bytes = plan.report().kernels[0].local;
        assert_eq!(bytes, 4 * 4 * ((2 * 2 + pitch) + (4 * 2 + pitch)));
        let room = |bytes: usize| {
            let limits = Limits { local: bytes as i64, ..Limits::default() };
            candidate.placements(&sizes, limits).expect("the point fits").preferred().is_some()
        };
        assert!(room(bytes) && !room(bytes - 1), "rows {pitch} apart");
    }
}

/// Of the points of a schedule that places its maps itself, those are drawn that a device has room for.
#[test]
fn points_are_those_that_a_device_has_room_for() {
    let small = Limits { group: 16, sides: [16, 8, 2], local: 512, ..Limits::default() };
    for schedule in [&DIRECT, &TILED, &BLOCKED] {
        let candidate = schedule.derive(nests::product::program(), &[]).expect("it applies");
        let given = candidate.program.given().map(|s| s.var.clone()).zip([16, 16, 8]);
        let given = Sizes(given.collect());
        let drawn = |limits| {
            let placements = candidate.placements(&given, limits).expect("the sizes fit");
            assert_eq!(placements.free(), 0);
            let drawn: Vec<_> = placements.sample(1).take(40).collect();
            drawn
                .into_iter()
                .map(|drawn| {
                    let all = given.0.iter().cloned().chain(drawn.parameters);
                    let plan =
                        lift_core::compile(&candidate.program, &Sizes(all.collect()), &Target::default())
                            .expect("it fits");
                    let group = plan
                        .launches
                        .iter()
                        .filter_map(|l| l.group)
                        .fold([1; 3], |a, b| [0, 1, 2].map(|d| a[d].max(b[d])));
                    let local = plan.report().kernels.iter().map(|k| k.local).max().unwrap_or(0);
                    group.iter().product::<usize>() <= 16
                        && group.iter().zip([16, 8, 2]).all(|(n, most)| *n <= most)
                        && local <= 512
                })
                .collect::<Vec<_>>()
        };
        let (fits, any) = (drawn(small), drawn(Limits::default()));
        assert!(fits.len() > 10 && fits.iter().all(|fits| *fits), "{}", schedule.name);
        assert!(!any.iter().all(|fits| *fits), "{} knows no larger groups", schedule.name);
    }
}

/// What makes no sense together is refused in words.
#[test]
fn blocked_says_which_options_exclude_each_other() {
    let anywhere =
        [["cached", "ahead"], ["cached", "sliding"], ["ragged", "sliding"], ["cached", "unrolled"]];
    let anywhere = anywhere.map(|options| (NESTS[0].0(), options));
    // Vectors lie along what windows slide over where channels come first.
    for (program, options) in
        anywhere.into_iter().chain([(nests::nchw::program(), ["sliding", "interleaved"])])
    {
        let refusal = BLOCKED.derive(program, &options).err().map(|refusal| refusal.reason);
        assert!(
            refusal.is_some_and(|reason| reason.contains("can't") || reason.contains("no")),
            "{options:?}"
        );
    }
}

/// What tiles have beyond the result is computed, too, and left out by the kernel that adds up.
#[test]
fn whole_tiles_need_no_guard() {
    let candidate = DIRECT.derive(nests::nhwc::program(), &["padded", "ragged"]).expect("it applies");
    let (mut partial, mut beyond) = (0, 0);
    for point in points(&candidate, &[8, 3, 5, 5], 10) {
        let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
        let plan =
            lift_core::compile(&candidate.program, &sizes, &Target::default()).expect("the point fits");
        let mut guards = 0;
        let [_, main, _] = &plan.modules[0].kernels[..] else {
            panic!("{} kernels", plan.modules[0].kernels.len())
        };
        main.body.iter().for_each(|s| {
            s.visit(&mut |s| {
                // Loops that add nothing but padding are skipped: that guards no result.
                let mut writes = false;
                s.visit(&mut |inner| writes |= matches!(inner, Stmt::Store(..)));
                guards += usize::from(matches!(s, Stmt::If(..)) && writes);
                s.expr().into_iter().for_each(|e| {
                    e.visit(&mut |e| guards += usize::from(matches!(e, kernel::Expr::Select(..))));
                });
            });
        });
        assert_eq!(guards, 0, "at {point:?}\n{}", plan.opencl());
        partial += 1;
        // Sides of 5 are whole in tiles of 1 only.
        beyond += usize::from(point[4] > 1);
    }
    assert!(partial >= 5 && beyond > 0, "{beyond} of {partial}");
}

/// What an activation was given and what it gives, say: written by the work-item that has them.
#[test]
fn several_results_are_one_kernel() {
    for options in [&[][..], &["ragged"]] {
        let candidate = COMBINED.derive(nests::both::program(), options).expect("it applies");
        for point in points(&candidate, &[4, 3, 6, 4], 3) {
            let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
            let plan =
                lift_core::compile(&candidate.program, &sizes, &Target::default()).expect("the point fits");
            let text = plan.opencl();
            assert_eq!(
                (plan.modules[0].kernels.len(), plan.launches.len()),
                (1, 1),
                "{options:?} {point:?}\n{text}"
            );
        }
    }
}

/// What is computed on the way stays in registers and local memory, unless an option asks for more.
#[test]
fn no_memory_but_for_arguments_and_results() {
    for schedule in [&COMBINED, &TILED, &BLOCKED] {
        let mut checked = 0;
        for (program, sizes) in NESTS {
            let Ok(candidate) = schedule.derive(program(), &[]) else { continue };
            for point in points(&candidate, sizes, 3) {
                let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
                let plan = lift_core::compile(&candidate.program, &sizes, &Target::default())
                    .expect("the point fits");
                let given = |b: &&Buffer| matches!(b.role, Role::Input(_) | Role::Output(_));
                let bytes: usize = plan.buffers.iter().filter(given).map(Buffer::bytes).sum();
                assert_eq!(
                    plan.memory().bytes(),
                    bytes,
                    "{} by {} at {point:?}",
                    program().name(),
                    schedule.name
                );
                checked += 1;
            }
        }
        assert!(checked > NESTS.len(), "{} hardly applies", schedule.name);
    }
}
