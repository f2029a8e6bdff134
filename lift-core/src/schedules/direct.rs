//! Direct convolution (GPGPU'20 §4.2): work-groups take tiles of overlapping windows and groups of
//! kernels; the work-items of a group share the terms of every sum, and a second kernel adds up
//! their partial sums.

use super::loops::Loops;
use super::nest::{at_level, at_reduction, global, hoist, padding_apart, sequential, simplify, spine};
use super::partial::{taken_out, terms};
use super::roles::{Roles, Tile};
use super::{ONE_SUM, Parameter, Schedule};
use crate::expr::{Argument, Child, Expr, Kind, Path};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    DOT, MAP_LCL, MAP_WRG, REDUCE_FISSION, REDUCE_FLATTEN, REDUCE_INTERCHANGE, REDUCE_SPLIT, TO_GLOBAL,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, choose, id, in_body, in_function, in_value, inside, rule, seq, sized,
};

/// The work-items of a group share the terms of each sum; a second kernel adds up their partial sums.
pub static DIRECT: Schedule = Schedule {
    name: "direct",
    source: "GPGPU'20 §4.2",
    parameters: &[
        Parameter {
            name: "THETA",
            meaning: "windows along each side of a work-group's tile",
            values: &[1, 2, 3, 4, 7, 8, 14, 16],
        },
        Parameter { name: "KAPPA", meaning: "kernels of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "SIGMA", meaning: "windows of a work-item", values: &[1, 2, 3, 4, 7, 8] },
        Parameter {
            name: "OMEGA",
            meaning: "terms, or vectors of them, that a work-item adds up one after the other",
            values: &[1, 2, 3, 4, 8, 16, 32, 36, 64, 128, 144],
        },
        Parameter { name: "V", meaning: "width of the vectors of terms", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "RHO",
            meaning: "windows along each side that are computed beyond the result (`extended`)",
            values: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        },
    ],
    options: &[
        ("padded", "padding is done by a kernel of its own, not by a guard at every read"),
        (
            "ragged",
            "the last tiles may extend beyond the result (the least of the paper's extra padding ρ), and the second kernel \
             crops them",
        ),
        (
            "extended",
            "RHO more windows along each side, so that tiles divide them (ρ as the paper has it: free)",
        ),
        ("flat", "the terms of all sums in each other are one row, which is cut into chunks"),
        ("outermost", "the outermost of the nested sums is shared among work-items, not the innermost"),
        ("coalesced", "neighbouring work-items read neighbouring terms"),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [_, _, _, omega, v, _] = sizes else { return Err(Stuck::Because("six parameters".into())) };
        let padded = if options.contains(&"padded") { padding_apart() } else { id() };
        // The nested sum whose terms the work-items share.
        let innermost = roles.reductions.saturating_sub(1);
        let [outermost, flat] = ["outermost", "flat"].map(|name| options.contains(&name));
        if (outermost || flat) && innermost == 0 {
            return Err(Stuck::Because(ONE_SUM.into()));
        }
        if outermost && flat {
            return Err(Stuck::Because(
                "the terms of all sums are one row, and none of them is the outermost".into(),
            ));
        }
        let row = if flat { seq((0..innermost).map(|_| rule(&REDUCE_FLATTEN))) } else { id() };
        let shared = if outermost || flat { 0 } else { innermost };
        let chunks = match options.contains(&"coalesced") {
            true => strided(omega).then(rule(&REDUCE_INTERCHANGE)),
            false => sized(&REDUCE_SPLIT, &[omega]),
        };
        let sums = seq([
            in_sums(innermost, sized(&DOT, &[v]).because("the sum is not a sum of products")),
            row,
            in_sums(shared, chunks),
            seq((0..shared).rev().map(|k| in_sums(k, rule(&REDUCE_INTERCHANGE)))),
            rule(&REDUCE_FISSION).because("the sum can't be split into partial sums"),
        ]);
        let last = roles.levels - 1;
        let hoisted = choose(|e| Ok(hoist(terms(e)?)));
        Ok(padded.then(at_tail(seq([
            at_level(last, in_function(at_reduction(sums))),
            simplify(),
            taken_out(last),
            hoisted,
            in_value(seq([simplify(), tiled(roles, sizes, options)?, whole()])),
            in_body(simplify().then(summed(roles.levels))),
        ]))))
    },
};

/// The partial sums: dimension 0 of a group counts its chunks of every sum, the others its windows.
fn tiled(roles: &Roles, sizes: &[Nat], options: &[&str]) -> Result<Strategy, Stuck> {
    let [theta, kappa, sigma, .., rho] = sizes else { return Err(Stuck::Because("six parameters".into())) };
    let Tile { lanes: channel, around } = roles.tile(false)?;
    let sides = ["column", "row"];
    let mut windows: Vec<_> = around.iter().rev().copied().zip(sides).collect();
    windows.reverse();
    let mut loops = Loops::new(roles.levels + 1);
    if options.contains(&"extended") {
        if windows.is_empty() {
            return Err(Stuck::Because("there are no windows to add to".into()));
        }
        windows.iter().for_each(|(level, _)| loops.extend(*level, rho));
    }
    if options.contains(&"ragged") {
        windows.iter().for_each(|(level, _)| loops.round_up(*level, theta));
        loops.round_up(channel, kappa);
    }
    windows.iter().for_each(|(level, side)| loops.tile(*level, theta, side));
    loops.tile(channel, kappa, "kernel");
    loops.tile_named("column", sigma, "window");
    let chunk = Loops::name(roles.levels);
    let groups = windows.iter().map(|(level, _)| *level).chain([channel]).map(Loops::name);
    let items = windows.iter().map(|(_, side)| side.to_string()).chain([chunk]);
    let own = ["window", "kernel"].map(String::from);
    let order: Vec<_> = groups.chain(items).chain(own).collect();
    loops.innermost(&order);
    loops.accumulate();
    if !windows.is_empty() {
        loops.accumulate();
    }
    loops.inside(at_reduction(sequential().then(rule(&TO_GLOBAL))));
    let dimensions = windows.len() + 1;
    loops.at_most(2 * dimensions);
    for (k, d) in (0..2 * dimensions).rev().zip(0..) {
        let placed = if d < dimensions { (&MAP_LCL, d) } else { (&MAP_WRG, d - dimensions) };
        loops.step(at_level(k, sized(placed.0, &[&Nat::from(placed.1)])));
    }
    Ok(loops.strategy())
}

/// Stores whole tiles, also the elements beyond the result: so the kernel that computes them needs no guards,
/// and the kernel that reads them crops (GPGPU'20 §4.2.4). Reads beyond the last window repeat that window
/// (`padClamp`); the paper's padding kernel writes more zeros instead.
fn whole() -> Strategy {
    choose(|e| {
        let stops = e.along(&spine(e)).unwrap_or_default();
        let cropped = stops.into_iter().rev().find(|stop| crops(stop.e));
        Ok(inside(cropped.map_or_else(Path::default, |stop| stop.next), rule(&TO_GLOBAL)))
    })
}

/// Are elements left out here?
fn crops(e: &Expr) -> bool {
    if let Some((f, _)) = e.as_map() {
        return crops(&f.body);
    }
    let Kind::Apply(p, arguments) = &*e.kind else { return false };
    let Form::Layout(layout) = &p.form else { return false };
    layout.keeps.is_some() || matches!(arguments.last(), Some(Argument::Value(xs)) if crops(xs))
}

/// One work-item for each output adds up the partial sums.
fn summed(levels: usize) -> Strategy {
    let mut loops = Loops::new(levels);
    loops.inside(at_reduction(sequential().then(rule(&TO_GLOBAL))));
    loops.at_most(3);
    loops.step(global(loops.len()));
    loops.strategy()
}

/// At the step of the innermost of this many nested sums.
fn in_sums(sums: usize, s: Strategy) -> Strategy {
    inside(vec![Child::Step; sums], s)
}

/// Chunks of `n` terms that lie in stripes: together they read neighbours in every step
/// (`stridedIndex`, GPGPU'20 §3.1.1).
fn strided(n: &Nat) -> Strategy {
    let n = n.clone();
    Strategy::new(move |state, path| {
        let array = state.at(path).and_then(|reduction| reduction.child(Child::Array));
        let terms = array.and_then(|xs| state.typed()?.ty(xs.id)?.as_array());
        let (_, all) = terms.ok_or_else(|| Stuck::Because("there is no reduction".into()))?;
        sized(&REDUCE_SPLIT, &[&all.div(&n)]).run(state, path)
    })
}
