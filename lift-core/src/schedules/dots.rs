//! Sums whose terms lie beside each other in memory, as in a product of rows by rows: a work-item adds neighbouring terms
//! to as many running sums, the lanes of a vector, and adds these up in the end. It does so for a tile of results, so
//! that each vector that is loaded is used many times, and where nothing is used twice, several rows are read at a time.

use super::loops::Loops;
use super::nest::{
    accumulate, at_level, at_reduction, global, hoist, is_map, padding_apart, reduction, sequential,
    simplify, simplify_typed,
};
use super::packed::pack;
use super::partial::{array_taken_out, terms};
use super::roles::Tile;
use super::{Parameter, Schedule};
use crate::expr::Child::{Array, Start, Step};
use crate::expr::Expr;
use crate::nat::Nat;
use crate::rules::{
    MAP_SEQ, REDUCE_FISSION, REDUCE_INTERCHANGE, REDUCE_PARTS, REDUCE_REST, REDUCE_SEQ, REDUCE_SEQ_UNROLL,
    REDUCE_SPLIT, VECTOR_ACCUMULATOR,
};
use crate::strategy::{
    Strategy, Stuck, attempt, choose, id, in_body, in_function, in_start, in_step, in_value, inside, rule,
    seq, sized,
};

/// Tiles of results, each the sum of a vector's lanes, which add up neighbouring terms.
pub static DOTS: Schedule = Schedule {
    name: "dots",
    source: "GPGPU'20 §3.4.2, §4.2.2",
    parameters: &[
        Parameter {
            name: "V",
            meaning: "neighbouring terms that are added up side by side",
            values: &[1, 2, 4, 8, 16],
        },
        Parameter { name: "D", meaning: "output channels of a work-item", values: &[1, 2, 3, 4, 6, 8] },
        Parameter { name: "R", meaning: "rows of a work-item", values: &[1, 2, 4] },
        Parameter { name: "Q", meaning: "columns of a work-item", values: &[1, 2, 4, 6, 7, 8] },
    ],
    options: &[
        (
            "packed",
            "weights are rearranged, each output channel's in the order of the sums: once, if they are `const`",
        ),
        ("padded", "padding is done by a kernel of its own, not by a guard at every read"),
        (
            "ragged",
            "the last tiles may extend beyond the result: what they compute there is discarded; terms that fill no \
             vector are added one by one",
        ),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [v, d, r, q] = sizes else { return Err(Stuck::Because("four parameters".into())) };
        let Tile { lanes: channel, around } = roles.tile(false)?;
        let mut tiled: Vec<_> = around.iter().copied().rev().zip([(q, "column"), (r, "row")]).collect();
        tiled.reverse();
        tiled.push((channel, (d, "channel")));
        let [packed, padded, ragged] = ["packed", "padded", "ragged"].map(|name| options.contains(&name));
        let mut loops = Loops::new(roles.levels);
        if padded {
            loops.step(padding_apart());
        }
        if ragged {
            tiled.iter().for_each(|(level, (n, _))| loops.round_up(*level, n));
        }
        if packed {
            loops.step(pack(roles, channel, &Nat::from(1))?);
        }
        for (level, (n, tile)) in &tiled {
            loops.tile(*level, n, tile);
        }
        // Neighbouring work-items share the weights of channels: these are read again while they are near.
        let levels = [channel].into_iter().chain(tiled.iter().map(|(level, _)| *level));
        let mut order: Vec<String> = levels.take(tiled.len()).map(Loops::name).collect();
        order.extend(tiled.iter().map(|(_, (_, tile))| tile.to_string()));
        loops.innermost(&order);
        loops.inside(at_reduction(in_lanes(roles.reductions, v, ragged)));
        loops.at_most(3 + tiled.len());
        let around = loops.len() - tiled.len();
        let results = in_tile(tiled.len(), v, ragged);
        loops.step(match around.checked_sub(1) {
            Some(innermost) => at_level(innermost, in_function(results)),
            None => results,
        });
        loops.step(global(around));
        Ok(loops.strategy())
    },
};

/// Of nested reductions: the sums of every `v`-th term of the innermost, and their sum. Where `v` need not divide the
/// number of terms, those that are left over are added to that.
fn in_lanes(reductions: usize, v: &Nat, ragged: bool) -> Strategy {
    let at = |depth: usize, s: Strategy| inside(vec![Step; depth], s);
    let innermost = reductions - 1;
    let outwards = (0..reductions).rev().map(|depth| at(depth, rule(&REDUCE_INTERCHANGE)));
    let lanes =
        seq([at(innermost, sized(&REDUCE_SPLIT, &[v])), seq(outwards), rule(&REDUCE_FISSION), simplify()]);
    if !ragged {
        return lanes;
    }
    let apart = (0..innermost).rev().map(|depth| at(depth, rule(&REDUCE_PARTS)));
    seq([at(innermost, sized(&REDUCE_REST, &[v])), seq(apart), in_start(lanes)])
}

/// The results of so many maps: the sums of all their lanes in registers, and then the sums of these.
fn in_tile(maps: usize, v: &Nat, ragged: bool) -> Strategy {
    let lanes = accumulate(maps)
        .then(at_level(maps - 1, in_function(at_reduction(attempt(sized(&VECTOR_ACCUMULATOR, &[v]))))))
        .then(simplify_typed());
    let sums = lanes.then(seq((0..maps).rev().map(accumulate))).then(at_reduction(sequential()));
    let apart = array_taken_out(maps - 1, move |body| {
        let sum = reduction(body)?;
        let path: &[_] = if ragged { &[Start, Array] } else { &[Array] };
        Some(sum.then(&body.at(&sum)?.path(path)?))
    });
    let named = apart.then(choose(|e: &Expr| Ok(hoist(terms(e)?))));
    named.then(in_value(sums)).then(in_body(simplify().then(written(ragged))))
}

/// Adds up the lanes of each result, and what is left over, and writes it.
fn written(ragged: bool) -> Strategy {
    choose(move |e| match is_map(e) {
        true => Ok(in_function(written(ragged)).then(rule(&MAP_SEQ))),
        false => Ok(at_reduction(if ragged {
            in_start(rule(&REDUCE_SEQ_UNROLL)).then(one_by_one())
        } else {
            rule(&REDUCE_SEQ_UNROLL)
        })),
    })
}

/// Nested reductions, term after term.
fn one_by_one() -> Strategy {
    choose(|e| {
        let nested = e.as_reduce().is_some_and(|(_, step, _)| step.body.as_reduce().is_some());
        Ok(if nested { in_step(one_by_one()) } else { id() }.then(rule(&REDUCE_SEQ)))
    })
}
