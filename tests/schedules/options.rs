//! Every option of every schedule, on programs of all kinds: it does what it says, or is refused with the reason.

use super::common::shapes;
use super::nests::{self, Nest, points};
use lift::constraints::Limits;
use lift::prelude::*;
use lift::schedules::{BLOCKED, Candidate, MAPPED, SCHEDULES, Schedule};
use lift::target::Target;
use lift::{Plan, Program, Purpose, Sizes};
use lift_core::cost;
use lift_core::expr::{Function, Kind};
use lift_core::kernel::{self, Change, Kernel, Parallel, Stmt};
use lift_core::primitives::Form;

lift! {
    /// One dimension, channels first.
    pub fn line<K, C, W>(const kernels: [[[f32; 3]; C]; K], biases: [f32; K], signal: [[f32; W]; C]) -> [[f32; W]; K] {
        let windows = transpose(map(|channel| slide(3, 1, pad(1, 1, 0.0, channel)), signal));
        map(|(kernel, bias)| map(|window| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))), windows), zip(kernels, biases))
    }
    /// A batch, every second row and column, channels first.
    pub fn strided<N, K, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; K], inputs: [[[[f32; W]; H]; C]; N]) -> [[[[f32; (W + 1) / 2]; (H + 1) / 2]; K]; N] {
        map(|input| {
            let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (2, 2), pad2D(1, 1, 1, 1, 0.0, plane)), input)));
            map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
        }, inputs)
    }
    /// Groups, channels first, padded in the function of a group.
    pub fn groups<G, M, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; G * M], input: [[[f32; W]; H]; G * C]) -> [[[f32; W]; H]; G * M] {
        join(map(|(kernels, channels)| {
            let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, plane)), channels)));
            map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
        }, zip(split(M, kernels), split(C, input))))
    }
    /// A product for each of a batch, both factors given anew.
    pub fn products<B, N, M, L>(a: [[[f32; L]; N]; B], b: [[[f32; M]; L]; B]) -> [[[f32; M]; N]; B] {
        map(|(a, b)| map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a), zip(a, b))
    }
    /// A convolution of 1 × 1, channels first.
    pub fn one<K, C, H, W>(const kernels: [[f32; C]; K], x: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; K] {
        map(
            |kernel| map2D(|pixel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(pixel, kernel)), map(transpose, transpose(x))),
            kernels,
        )
    }
    /// An elementwise pass, whose rows follow each other.
    pub fn scaled<C, H, W>(factors: [f32; C], planes: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; C] {
        map(|(factor, plane)| map2D(|x| x * factor, plane), zip(factors, planes))
    }
    /// The same, channels last in the result.
    pub fn scaled_last<C, H, W>(factors: [f32; C], planes: [[[f32; W]; H]; C]) -> [[[f32; C]; W]; H] {
        map(transpose, transpose(map(|(factor, plane)| map2D(|x| x * factor, plane), zip(factors, planes))))
    }
    /// What is padded depends on what is read with it.
    pub fn shifted<N, M>(rows: [[f32; M]; N], const taps: [[f32; 3]; 4]) -> [[[f32; 4]; M]; N] {
        map(|row| map(|w| map(|t| reduce(0.0, |acc, (x, y)| acc + x * y, zip(w, t)), taps), slide(3, 1, pad(1, 1, 0.5, map(|x| x * 2.0, row)))), rows)
    }
}

const FEW: &[Nest] = &[
    // K, C, H, W
    (nests::nchw::program, &[4, 3, 4, 8]),
    // N, M, L
    (nests::product::program, &[8, 12, 6]),
    // K, C, H, W
    (nests::alexnet::program, &[4, 3, 18, 17]),
    // C, H, W, S
    (nests::planes::program, &[3, 8, 12, 1]),
    // N, T
    (nests::fir::program, &[16, 3]),
    // N, M
    (nests::prefix_of_rows::program, &[4, 16]),
    // G, M, C, H, W
    (groups::program, &[2, 4, 3, 4, 6]),
    // C, N
    (nests::shares::program, &[3, 8]),
    // C, H, W
    (nests::channels_last::program, &[8, 4, 8]),
    (scaled::program, &[8, 4, 8]),
    (scaled_last::program, &[8, 4, 8]),
];

const MORE: &[Nest] = &[
    // K, C, H, W
    (nests::nhwc::program, &[8, 3, 4, 4]),
    (nests::nchw_sums::program, &[4, 3, 4, 8]),
    // C, H, W
    (nests::depthwise::program, &[4, 4, 4]),
    // K, C, W
    (line::program, &[4, 3, 8]),
    // N, K, C, H, W
    (strided::program, &[2, 4, 3, 6, 8]),
    // B, N, M, L
    (products::program, &[2, 4, 8, 5]),
    // N, M
    (shifted::program, &[4, 6]),
];

/// `LIFT_OPTIONS=all` tries every schedule on all of them; else that whose forms take longest to derive is tried on two.
fn programs(schedule: &Schedule) -> impl Iterator<Item = &'static Nest> {
    let all = std::env::var("LIFT_OPTIONS").is_ok_and(|which| which == "all");
    let few = if all || schedule.name != BLOCKED.name { FEW } else { &FEW[..2] };
    few.iter().chain(if all { MORE } else { &[] })
}

#[test]
fn options_have_their_effect_or_are_refused() {
    let (mut problems, mut seen) = (vec![], vec![]);
    for schedule in SCHEDULES {
        for (program, sizes) in programs(schedule) {
            let program = program();
            let plain = match schedule.derive(program, &[]) {
                Ok(plain) => plain,
                Err(refusal) => {
                    // Nothing is said about options where the schedule does not apply.
                    if let Some((option, _)) = schedule.options.first() {
                        assert!(schedule.derive(program, &[option]).is_err(), "{refusal}");
                    }
                    continue;
                }
            };
            for (option, _) in schedule.options {
                let refined = refines(schedule, option);
                assert!(refined.is_empty() || schedule.derive(program, &[option]).is_err(), "{option}");
                let found = match schedule.derive(program, &[refined, &[*option]].concat()) {
                    Ok(with) => {
                        seen.push((schedule.name, *option));
                        let without = schedule.derive(program, refined);
                        effect(option, &with, without.as_ref().unwrap_or(&plain), sizes)
                    }
                    Err(refusal) => expected(option, program, &refusal.reason),
                };
                if let Err(problem) = found {
                    problems.push(format!("{} {option} of {}: {problem}", schedule.name, program.name()));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // Each was seen at work.
    for (schedule, option) in SCHEDULES.iter().flat_map(|s| s.options.iter().map(|(o, _)| (s.name, *o))) {
        assert!(seen.contains(&(schedule, option)), "{schedule} {option}");
    }
}

/// The options that this one refines: without them it is refused.
fn refines(schedule: &Schedule, option: &str) -> &'static [&'static str] {
    match (schedule.name, option) {
        ("combined", "near") => &["several"],
        ("combined", "wide") => &["copied"],
        ("mapped", "wide") => &["weights"],
        ("scans", "staged") => &["shared"],
        ("scans", "carried") => &["shared", "staged"],
        _ => &[],
    }
}

/// Is this what an option does, compared with the form without it? At some point of the parameters: there may be
/// others where a tile is all there is.
fn effect(option: &str, with: &Candidate, plain: &Candidate, sizes: &[usize]) -> Result<(), String> {
    if option == "ragged" {
        let further = points(with, sizes, 12).into_iter().any(|point| plan(plain, with, &point).is_none());
        return if further { Ok(()) } else { Err("every point fits the form without it, too".into()) };
    }
    // Of a block of one term nothing is written out, and sums over the three columns of a window have no others.
    let single = |point: &[usize]| {
        let mut values = with.program.sizes().iter().zip(point);
        option == "unrolled" && values.any(|(size, value)| &*size.var.name == "BK" && *value == 1)
    };
    // Of the form that has all parameters of the other.
    let of = if with.program.sizes().len() < plain.program.sizes().len() { plain } else { with };
    let points = points(of, sizes, 8);
    if points.iter().all(|point| single(point)) {
        return Ok(());
    }
    let mut problems = vec![];
    for point in points.into_iter().filter(|point| !single(point)) {
        let Some(without) = plan(plain, of, &point) else { continue };
        let Some(with) = plan(with, of, &point) else { continue };
        match does(option, &with, &without) {
            Ok(()) => return Ok(()),
            Err(problem) => problems.push(format!("at {point:?}: {problem}")),
        }
    }
    Err(problems.pop().unwrap_or_else(|| "no point of both was drawn".into()))
}

fn does(option: &str, with: &Plan, without: &Plan) -> Result<(), String> {
    let local = |plan: &Plan| plan.report().kernels.iter().map(|kernel| kernel.local).sum::<usize>();
    let bytes = |plan: &Plan, purpose| plan.memory().bytes_for(purpose);
    let kept = |plan: &Plan| bytes(plan, Purpose::Prepared) + bytes(plan, Purpose::Temporary);
    // Those that pad come first.
    let reading = || {
        with.modules[0]
            .kernels
            .iter()
            .skip(with.modules[0].kernels.len().saturating_sub(without.modules[0].kernels.len()))
    };
    let differs = with.opencl() != without.opencl();
    let loops = |plan: &Plan| plan.modules[0].kernels.iter().map(loops).sum::<usize>();
    let (held, what) = match option {
        "packed" | "gathered" | "inwards" => (kept(with) > kept(without), "nothing is rearranged"),
        "padded" => (
            with.launches.len() > without.launches.len() && reading().all(|kernel| guards(kernel) == 0),
            "what reads the padded array is guarded still",
        ),
        "extended" => (kept(with) > kept(without), "no more is computed"),
        "split" => (with.launches.len() > without.launches.len(), "no kernel adds up parts"),
        "cached" => (local(with) == 0 && local(without) > 0, "local memory is used"),
        "shared" => (local(with) > 0 && local(without) == 0, "nothing is in local memory"),
        "inputs" | "weights" | "staged" => (local(with) > local(without), "no more is in local memory"),
        "ahead" => {
            (with.opencl().contains("next") && !without.opencl().contains("next"), "nothing is fetched")
        }
        "again" => (local(with) < local(without), "as much is in local memory"),
        "kept" => (cost::total(with) < cost::total(without), "nothing is computed less often"),
        "vectors" => (sums(with) > sums(without), "no more sums are side by side"),
        "across" => (widest(with) > widest(without), "no sums are vectors"),
        "unrolled" => (loops(with) < loops(without), "no loop is written out"),
        "along" | "outermost" | "coalesced" | "sliding" | "interleaved" | "flat" | "whole" | "wide"
        | "several" | "near" | "copied" | "merged" | "crosswise" => (differs, "the kernels are the same"),
        "carried" | "swept" => (loops(with) > loops(without), "no loop goes over pieces"),
        other => return Err(format!("this test does not know what `{other}` does")),
    };
    if held { Ok(()) } else { Err(what.to_string()) }
}

/// The lanes of all variables that change.
fn sums(plan: &Plan) -> usize {
    let mut lanes = 0;
    running(plan, &mut |width| lanes += usize::from(width));
    lanes
}

/// The lanes of the widest variable that changes.
fn widest(plan: &Plan) -> u8 {
    let mut widest = 0;
    running(plan, &mut |width| widest = widest.max(width));
    widest
}

/// The widths of all variables that change.
fn running(plan: &Plan, found: &mut impl FnMut(u8)) {
    plan.modules[0].kernels.iter().flat_map(|kernel| &kernel.body).for_each(|s| {
        s.visit(&mut |s| match s {
            Stmt::Declare { change: Change::Never, .. } => {}
            Stmt::Declare { local, .. } => found(local.width),
            _ => {}
        });
    });
}

/// Loops of one work-item.
fn loops(kernel: &Kernel) -> usize {
    let mut loops = 0;
    let sequential = |s: &Stmt| matches!(s, Stmt::Loop { parallel: Parallel::Sequential, .. });
    let body = kernel.item.as_ref().unwrap_or(&kernel.body);
    body.iter().for_each(|s| s.visit(&mut |s| loops += usize::from(sequential(s))));
    loops
}

/// Reads and writes that happen under a condition only.
fn guards(kernel: &Kernel) -> usize {
    let mut guards = 0;
    kernel.body.iter().for_each(|s| {
        s.visit(&mut |s| {
            guards += usize::from(matches!(s, Stmt::If(..)));
            s.expr().into_iter().for_each(|e| {
                e.visit(&mut |e| guards += usize::from(matches!(e, kernel::Expr::Select(..))));
            });
        });
    });
    guards
}

/// The kernels of a form where its parameters have the values that they have at a point of another; the others are
/// chosen. Nothing where that is none of its points.
fn plan(candidate: &Candidate, of: &Candidate, point: &[usize]) -> Option<Plan> {
    let named = shapes::named(&of.program, &mut point.iter().copied());
    let values =
        candidate.program.sizes().iter().filter_map(|size| Some((size.var.clone(), named.get(&size.var)?)));
    let sizes = Sizes(values.collect());
    let placed = candidate.placed(&sizes, Limits::default()).ok()?;
    lift_core::compile(&placed, &sizes, &Target::default()).ok()
}

/// Is this the reason why this option of this program is refused?
fn expected(option: &str, program: &Program, reason: &str) -> Result<(), String> {
    let function = &program.function;
    let known = |reasons: &[&str]| reasons.iter().any(|known| reason.contains(known));
    let (may_be, known) = match option {
        "padded" => (!pads(function), known(&["nothing is padded"])),
        // Blocks of one output channel, each in the order of the sums: as weights often are given.
        "packed" if known(&["are in this order already"]) => (true, true),
        // No level goes over a filter's taps alone, or over a depthwise convolution's kernels.
        "packed" => (
            ["fir", "depthwise", "planes"].contains(&program.name()),
            known(&["a level that goes over weights alone"]),
        ),
        "gathered" => (program.name() == "fir", known(&["no level goes only over what its weights"])),
        "inwards" => (
            !["nchw", "nchw_sums", "line", "strided"].contains(&program.name()),
            known(&["is read in one place and whose first or second dimension"]),
        ),
        "along" => (true, known(&["is already the innermost"])),
        "outermost" => (!program.name().starts_with("nchw"), known(&["only one sum"])),
        "extended" => (program.name() == "fir", known(&["there are no windows to add to"])),
        "flat" => {
            (["product", "products", "shifted", "fir"].contains(&program.name()), known(&["only one sum"]))
        }
        "sliding" => (true, known(&["windows of neighbouring positions", "the sums go over windows only"])),
        "kept" => (program.name() != "shares", known(&["names no array"])),
        "again" => (program.name() != "shares", known(&["no row has an array that is kept"])),
        "near" => (true, known(&["nothing that is the same for all of them"])),
        "merged" => (
            program.name() != "scaled",
            known(&["no two levels of positions follow each other", "do not follow each other wherever"]),
        ),
        "crosswise" => (program.name() != "scaled_last", known(&["they are neighbours in the result, too"])),
        "inputs" | "weights" | "wide" => (true, known(&["no tile is read by more than one work-item"])),
        _ => (false, false),
    };
    if may_be && known { Ok(()) } else { Err(format!("refused: {reason}")) }
}

fn pads(function: &Function) -> bool {
    let mut found = false;
    function
        .body
        .visit(&mut |e| found |= matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Pad)));
    found
}

/// A misspelt option is none that is left out.
#[test]
fn unknown_options_are_refused() {
    let known =
        |schedule: &Schedule| schedule.options.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    for schedule in SCHEDULES {
        let refusal = schedule.derive(nests::nhwc::program(), &["pading"]).err().expect("there is none");
        let others = match schedule.options {
            [] => "and no others either".into(),
            _ => format!("its options are {}", known(schedule)),
        };
        assert_eq!(refusal.reason, format!("it has no option `pading`, {others}"));
    }
    assert!(MAPPED.option("inputs").is_some() && MAPPED.option("pading").is_none());
}
