//! The forms that the papers found best can be said here: as points of schedules, as programs that place their maps
//! themselves, and as programs whose maps the solver places. What makes each of them fast is looked for in its kernels, and
//! what they compute is compared with the interpreter.

#[allow(dead_code)]
mod by_hand;
mod common;

use common::{Trial, compare, devices, shapes, values};
use lift::prelude::*;
use lift::schedules::{COMBINED, Candidate, DIRECT, MAPPED, Schedule};
use lift::target::Target;
use lift::{Plan, Program};
use lift_core::constraints::{Limits, Placements, place};
use lift_core::kernel::{Expr, Kernel, Parallel, Role, Space, Stmt};

lift! {
    /// A layer of VGG-16 as GPGPU'20 has it, channels last.
    pub fn channels_last<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        map2D(
            |window| map(
                |(kernel, bias)| reduce(bias, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))),
                zip(kernels, biases)),
            slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input)))
    }

    /// A layer as Hashemi stores it: planes, the input with its border, weights IOHW, a bias for each element.
    pub fn planes<C, K, H, W>(
        const weights: [[[[f32; 3]; 3]; K]; C],
        biases: [[[f32; W]; H]; K],
        input: [[[f32; W + 2]; H + 2]; C],
    ) -> [[[f32; W]; H]; K] {
        let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), plane), input)));
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)));
        map(
            |(kernel, biases)| map2D(
                |(window, bias)| max(sum(window, kernel) + bias, 0.0),
                zip2D(windows, biases)),
            zip(transpose(weights), biases))
    }

    /// The same with the border that the next layer reads.
    pub fn planes_for_the_next<C, K, H, W>(
        const weights: [[[[f32; 3]; 3]; K]; C],
        biases: [[[f32; W]; H]; K],
        input: [[[f32; W + 2]; H + 2]; C],
    ) -> [[[f32; W + 2]; H + 2]; K] {
        map(|plane| pad2D(1, 1, 1, 1, 0.0, plane), planes(weights, biases, input))
    }

    /// A layer of which the user says no more than what it computes, channels last.
    pub fn inner<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        input: [[[f32; C]; W + 2]; H + 2],
    ) -> [[[f32; K]; W]; H] {
        map2D(
            |window| map(
                |kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))),
                kernels),
            slide2D((3, 3), (1, 1), input))
    }

    /// CC'22's form of a layer before its maps are placed: a group takes a tile of 4 × 4 positions and 8 kernels. Of a block
    /// of 4 channels the tile with its border and the kernels are fetched as vectors, once, and all windows and kernels read
    /// what is there.
    pub fn fetched_once<K, C, H, W>(
        const kernels: [[[[f32; 4 * C]; 3]; 3]; 8 * K],
        input: [[[f32; 4 * C]; 4 * W + 2]; 4 * H + 2],
    ) -> [[[f32; 8 * K]; 4 * W]; 4 * H] {
        let blocks = |tile| transpose(map(transpose, map2D(|pixel| asVector(4, pixel), tile)));
        // [K][C][8][3][3] vectors.
        let kernels = map(|some| transpose(map(blocks, some)), split(8, kernels));
        let sums = |tile, kernels| reduceSeq(
            toItems(map(|row| map(|zeros| map(|zero| zero, zeros), row), repeat(4, repeat(4, repeat(8, 0.0))))),
            |sums, (tile, kernels)| {
                // Its 6 × 6 vectors are more than there are sums: 2 × 2 work-items take nine each.
                let fours = split(2, split(2, join(tile)));
                let fetched = toLocal(map(|four| map(|pair| map(|vector| vector, pair), four), fours));
                let tile = split(6, join2D(fetched));
                let kernels = toLocal(map(|kernel| map(|row| map(|vector| vector, row), kernel), kernels));
                map(
                    |(sums, windows)| map(
                        |(sums, window)| map(
                            |(sum, kernel)| reduceSeq(
                                sum, |sum, (x, w)| sum + dot(x, w), zip(join(window), join(kernel))),
                            zip(sums, kernels)),
                        zip(sums, windows)),
                    zip(sums, slide2D((3, 3), (1, 1), tile)))
            },
            zip(blocks(tile), kernels));
        // [H][W][K][4][4][8] → [4 * H][4 * W][8 * K].
        join(map(|row| map(join, transpose(map(|tile| map2D(join, map(transpose, transpose(tile))), row))), map(
            |row| map(
                |tile| map(
                    |kernels| {
                        let sums = sums(tile, kernels);
                        map(|row| map(|sums| map(|sum| sum, sums), row), sums)
                    },
                    kernels),
                row),
            slide2D((6, 6), (4, 4), input))))
    }
}

/// What a schedule makes of a program; refusals are failures.
fn derived(schedule: &Schedule, options: &[&str], program: &Program) -> Candidate {
    schedule.derive(program, options).unwrap_or_else(|refused| panic!("{}", refused.reason))
}

/// Its kernels at these values of all sizes.
fn plan(program: &Program, point: &[usize]) -> Plan {
    let sizes = shapes::named(program, &mut point.iter().copied());
    lift_core::compile(program, &sizes, &Target::default())
        .unwrap_or_else(|e| panic!("{} at {point:?}: {e}", program.name()))
}

/// Every device finds at this point what the program means at the first of its sizes.
fn is_right(program: &Program, meant: &Program, point: &[usize]) {
    let random = &mut fastrand::Rng::with_seed(20);
    let given = shapes::named(meant, &mut point.iter().copied());
    let meant = Trial::new(meant, given, (-1.0, 1.0), random);
    let expected: Vec<_> = meant.interpret().expect("the point fits").iter().map(values::to_f64).collect();
    let trial = Trial { program, sizes: meant.sizes.clone(), arguments: meant.arguments.clone() };
    for device in devices::all() {
        let got = trial.run_at(device, point).unwrap_or_else(|e| panic!("{point:?} on {device}: {e}"));
        if let Err(problem) = compare::check(&got, &expected) {
            panic!("{} at {point:?} on {device}: {problem}\n{}", program.name(), program.function);
        }
    }
}

fn statements(kernel: &Kernel) -> &[Stmt] {
    kernel.item.as_ref().unwrap_or(&kernel.body)
}

/// The bodies of a work-item's loops, those that have no loop inside them last.
fn loops(stmts: &[Stmt]) -> Vec<&[Stmt]> {
    let mut found: Vec<&[Stmt]> = vec![];
    for stmt in stmts {
        if let Stmt::Loop { parallel: Parallel::Sequential, body, .. } = stmt {
            found.push(body);
        }
        stmt.blocks().into_iter().for_each(|block| found.extend(loops(block)));
    }
    found.sort_by_key(|body| std::cmp::Reverse(depth(body)));
    found
}

/// How many loops stand in each other.
fn depth(stmts: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| {
        let inside = stmt.blocks().into_iter().map(depth).max().unwrap_or(0);
        inside + usize::from(matches!(stmt, Stmt::Loop { parallel: Parallel::Sequential, .. }))
    };
    stmts.iter().map(of).max().unwrap_or(0)
}

/// What is computed, read or written under a condition only.
fn guards(stmts: &[Stmt]) -> usize {
    let mut guards = 0;
    for stmt in stmts {
        stmt.visit(&mut |stmt| {
            guards += usize::from(matches!(stmt, Stmt::If(..)));
            stmt.expr().into_iter().for_each(|e| {
                e.visit(&mut |e| guards += usize::from(matches!(e, Expr::Select(..))));
            });
        });
    }
    guards
}

/// The widths of all loads from an array in global memory.
fn loads(stmts: &[Stmt], array: &str) -> Vec<u8> {
    let mut widths = vec![];
    for stmt in stmts {
        stmt.visit(&mut |stmt| {
            stmt.expr().into_iter().for_each(|e| {
                e.visit(&mut |e| match e {
                    Expr::Load(from, _, width) if from.space == Space::Global && &*from.name == array => {
                        widths.push(*width);
                    }
                    _ => {}
                });
            });
        });
    }
    widths
}

/// The widths of all stores into an array.
fn stores(stmts: &[Stmt], array: &str) -> Vec<u8> {
    let mut widths = vec![];
    for stmt in stmts {
        stmt.visit(&mut |stmt| match stmt {
            Stmt::Store(to, _, value) if &*to.name == array => widths.push(value.width()),
            _ => {}
        });
    }
    widths
}

/// GPGPU'20, table 4, of layer 7: an input tile of 5 × 5 is 3 × 3 windows; 4 kernels, 3 windows, 144 elements as 36 vectors of
/// 4 for a work-item; 11 more elements at the right and below; neighbouring work-items read neighbours.
#[test]
fn the_best_point_of_direct_convolution() {
    let options = ["padded", "coalesced", "flat", "extended"];
    let candidate = derived(&DIRECT, &options, channels_last::program());
    // K, C, H, W, THETA, KAPPA, SIGMA, OMEGA, V, RHO: 144 elements as vectors, and one by one.
    for (omega, v) in [(36, 4), (144, 1)] {
        let plan = plan(&candidate.program, &[128, 128, 112, 112, 3, 4, 3, omega, v, 11]);
        let text = plan.opencl();
        // Partial sums are added up by the kernel that crops.
        let [pad, partial, sum] = &plan.modules[0].kernels[..] else { panic!("{text}") };
        assert_eq!(
            (guards(statements(pad)), guards(statements(partial)), guards(statements(sum))),
            (1, 0, 0),
            "{text}"
        );
        // 8 chunks of 144 elements are the 1152 of a window; 3 groups of windows in a tile: table 1.
        assert_eq!(partial.group, Some([8, 1, 3]), "{text}");
        // The window is flat: one loop goes over a chunk of it, and loads 3 windows and 4 kernels.
        let [chunk] = &loops(statements(partial))[..] else { panic!("{text}") };
        let width = u8::try_from(v).expect("a width");
        let count = |array| loads(chunk, array).into_iter().filter(|w| *w == width).count();
        assert!(count("input_padded") == 3 && count("kernels") >= 4, "{text}");
        // Tiles cover 112 + 11 windows along each side.
        let partial_sums = plan.buffers.iter().find(|b| b.bytes() == 123 * 123 * 128 * 8 * 4);
        assert!(partial_sums.is_some_and(|b| b.role == Role::Temporary), "{text}");
    }
    for point in [
        &[8, 32, 7, 7, 3, 4, 3, 36, 4, 11][..],
        // The least padding, and the most.
        &[4, 32, 4, 7, 3, 4, 3, 36, 4, 2],
        &[4, 16, 7, 4, 3, 4, 3, 144, 1, 14],
        &[4, 32, 7, 7, 3, 2, 1, 144, 1, 5],
    ] {
        is_right(&candidate.program, channels_last::program(), point);
    }
}

/// The four expressions of GPGPU'20 §4.2 as four kernels, at the parameters of table 4.
#[test]
fn direct_convolution_in_four_kernels() {
    for omega in [36, 144] {
        // C, KS, K, H, W, S, THETA, RHO, KAPPA, SIGMA, OMEGA, V
        let plan = plan(by_hand::direct::program(), &[128, 3, 128, 114, 114, 1, 5, 11, 4, 3, omega, 4]);
        let text = plan.opencl();
        let [pad, partial, sum, crop] = &plan.modules[0].kernels[..] else { panic!("{text}") };
        assert_eq!([partial, sum, crop].map(|kernel| guards(statements(kernel))), [0; 3], "{text}");
        assert!(guards(statements(pad)) > 0, "{text}");
        assert_eq!(partial.group, Some([1152 / omega, 3, 1]), "{text}");
        let [chunk] = &loops(statements(partial))[..] else { panic!("{text}") };
        // The listing puts elements in the order of work-items before it makes vectors of them, and so these are gathered:
        // where there are chunks, of neighbours' elements.
        let count = |array| loads(chunk, array).iter().map(|width| usize::from(*width)).sum::<usize>();
        assert_eq!((count("padded"), count("weights")), (3 * 4, 4 * 4), "{text}");
        let program = by_hand::direct::program();
        is_right(program, program, &[32, 3, 4, 9, 9, 1, 5, 11, 4, 3, omega, 4]);
    }
}

/// Hashemi, "Combining Across Width": 16 outputs × 2 columns for each work-item, from his own layout.
#[test]
fn portable_layers_in_their_own_layout() {
    let candidate = derived(&COMBINED, &["along"], planes::program());
    // C, K, H, W, D, V, R, Q
    let plan = plan(&candidate.program, &[64, 64, 56, 56, 2, 2, 16, 1]);
    let text = plan.opencl();
    let [kernel] = &plan.modules[0].kernels[..] else { panic!("{text}") };
    // Nothing is repacked, or padded once more.
    assert!(plan.buffers.iter().all(|b| matches!(b.role, Role::Input(_) | Role::Output(_))), "{text}");
    let item = statements(kernel);
    assert_eq!(guards(item), 0, "{text}");
    // Whatever is along the width, is a vector: sixteen rows of the bias and of the result.
    assert_eq!((loads(item, "biases"), stores(item, "output")), (vec![2; 16], vec![2; 16]), "{text}");
    let innermost = *loops(item).last().expect("it has loops");
    assert!(loads(innermost, "input").into_iter().all(|width| width == 2), "{text}");
    assert_eq!(loads(innermost, "weights"), vec![1; 16], "{text}");
    assert!(text.contains("vload2(0, input_ +"), "{text}");
    for point in [&[3, 16, 4, 6, 2, 2, 16, 1][..], &[2, 32, 1, 2, 2, 2, 16, 1], &[3, 16, 6, 8, 2, 2, 16, 2]] {
        is_right(&candidate.program, planes::program(), point);
    }
}

/// What only moves the result is no part of the nest: it is computed right to its place in the padded result.
#[test]
fn portable_layers_are_derived_with_the_border_of_the_next() {
    let candidate = derived(&COMBINED, &["along"], planes_for_the_next::program());
    // C, K, H, W, D, V, R, Q
    let plan = plan(&candidate.program, &[64, 64, 56, 56, 2, 2, 16, 1]);
    let text = plan.opencl();
    assert!(plan.buffers.iter().all(|b| matches!(b.role, Role::Input(_) | Role::Output(_))), "{text}");
    let summing = |kernel: &&Kernel| !loads(statements(kernel), "weights").is_empty();
    let [kernel] = &plan.modules[0].kernels.iter().filter(summing).collect::<Vec<_>>()[..] else {
        panic!("{text}")
    };
    let item = statements(kernel);
    assert_eq!(guards(item), 0, "{text}");
    assert_eq!((loads(item, "biases"), stores(item, "output")), (vec![2; 16], vec![2; 16]), "{text}");
    for point in [&[3, 16, 4, 6, 2, 2, 16, 1][..], &[2, 32, 1, 2, 2, 2, 16, 1], &[3, 16, 6, 8, 2, 2, 16, 2]] {
        is_right(&candidate.program, planes_for_the_next::program(), point);
    }
}

/// The whole of it: three vectors of four columns and nine vectors of weights for each channel, no condition, biases for each
/// element, and a result with the border that the next layer reads.
#[test]
fn portable_layers_write_the_border_of_the_next() {
    let plan = plan(by_hand::in_own_layout::program(), &[64, 64, 56, 56]);
    let text = plan.opencl();
    let [kernel] = &plan.modules[0].kernels[..] else { panic!("{text}") };
    assert!(plan.buffers.iter().all(|b| matches!(b.role, Role::Input(_) | Role::Output(_))), "{text}");
    let item = statements(kernel);
    assert_eq!(guards(item), 0, "{text}");
    let channel = loops(item).into_iter().find(|body| !loads(body, "weights").is_empty()).expect("a sum");
    assert_eq!((loads(channel, "input"), loads(channel, "weights")), (vec![4; 3], vec![16; 9]), "{text}");
    assert_eq!(loads(item, "biases"), vec![2; 16], "{text}");
    let [pairs, zeros] =
        [2, 1].map(|width| stores(item, "output").into_iter().filter(|w| *w == width).count());
    // A row of zeros above and below, and a column on both sides.
    assert_eq!((pairs, zeros), (16, 4), "{text}");
    let program = by_hand::in_own_layout::program();
    is_right(program, program, &[3, 32, 5, 6]);
}

/// Wherever the solver puts the maps: each element of a tile is fetched once for all windows and kernels of a group, four at
/// a time (CC'22 §3.3).
#[test]
fn tiles_are_fetched_once_as_vectors_wherever_their_maps_run() {
    let program = fetched_once::program();
    // K, C, H, W
    let point = [2, 3, 2, 1];
    let sizes = shapes::named(program, &mut point.into_iter());
    let space = Placements::of(program, &sizes, Some(Limits::default()), false).expect("the sizes fit");
    let preferred = space.preferred();
    assert!(preferred.is_some(), "{:?}", space.reason().map(|d| d.to_string()));
    for placement in preferred.into_iter().chain(space.sample(7).take(6)) {
        let placed = place(&space, &placement);
        let plan = plan(&placed, &point);
        let text = plan.opencl();
        let [kernel] = &plan.modules[0].kernels[..] else { panic!("{text}") };
        let item = statements(kernel);
        assert_eq!((loads(item, "input"), loads(item, "kernels")), (vec![4], vec![4]), "{placement}\n{text}");
        let local = |stmt: &Stmt| matches!(stmt, Stmt::Array(array, _) if array.space == Space::Local);
        let mut tiles = 0;
        kernel.body.iter().for_each(|s| s.visit(&mut |s| tiles += usize::from(local(s))));
        assert_eq!(tiles, 2, "{placement}\n{text}");
        is_right(&placed, program, &point);
    }
}

/// The same from the user's expression: tiles are fetched four at a time, and sums are vectors across channels.
#[test]
fn tiles_are_derived_that_are_fetched_as_vectors_wherever_their_maps_run() {
    let candidate = derived(&MAPPED, &["inputs", "weights", "across", "wide"], inner::program());
    // K, C, H, W, TR, TQ, TD, Q, D, BK, V, W
    for point in [[16, 16, 4, 4, 2, 2, 4, 2, 4, 8, 4, 4], [16, 8, 2, 8, 2, 4, 2, 1, 8, 4, 2, 4]] {
        let sizes = shapes::named(&candidate.program, &mut point.into_iter());
        let space = candidate.placements(&sizes, Limits::default()).expect("the sizes fit");
        let preferred = space.preferred();
        assert!(preferred.is_some(), "{:?}", space.reason().map(|d| d.to_string()));
        for placement in preferred.into_iter().chain(space.sample(7).take(6)) {
            let placed = place(&space, &placement);
            let plan = plan(&placed, &point);
            let text = plan.opencl();
            let [kernel] = &plan.modules[0].kernels[..] else { panic!("{text}") };
            let item = statements(kernel);
            let widths = [loads(item, "input"), loads(item, "kernels"), stores(item, "output")];
            let of_four = |widths: &[u8]| !widths.is_empty() && widths.iter().all(|width| *width == 4);
            assert!(of_four(&widths[0]) && of_four(&widths[1]), "{placement}: {widths:?}\n{text}");
            let across = u8::try_from(point[10]).expect("a width");
            assert!(widths[2].iter().all(|width| *width == across), "{placement}: {widths:?}\n{text}");
            is_right(&placed, inner::program(), &point);
        }
    }
}
