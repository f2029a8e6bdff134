//! A matrix product in blocks: a work-group's block of the result from blocks of the factors in local
//! memory, a work-item's tile of it in registers (Boda-RTC §3.4: implicit matrix products).

use super::loops::Loops;
use super::nest::{at_level, at_reduction, is_map, levels, sequential, simplify_typed, spine};
use super::partial::partial_sums;
use super::{Parameter, Schedule};
use crate::nat::Nat;
use crate::rules::{
    COPY, FLATTEN, HOIST, MAP_LCL, MAP_SEQ, MAP_WRG, REDUCE_SEQ, REDUCE_SPLIT, SPLIT_JOIN, TO_ITEMS,
    TO_LOCAL, TURN, VECTOR_ACCUMULATOR, VECTOR_MAP,
};
use crate::strategy::{Strategy, Stuck, Way, bottom_up, choose, id, inside, inwards, rule, seq, sized};

pub static BLOCKED: Schedule = Schedule {
    name: "blocked",
    source: "Boda-RTC §3.4",
    parameters: &[
        Parameter {
            name: "GM",
            meaning: "work-items of a group across positions",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter {
            name: "GN",
            meaning: "work-items of a group across channels",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter { name: "TM", meaning: "positions of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "TN", meaning: "channels of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "BK",
            meaning: "terms of the sum in local memory at once",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter { name: "W", meaning: "width of the vectors that blocks are read in", values: &[1, 2, 4] },
        Parameter { name: "V", meaning: "width of the vectors of sums", values: &[1, 2, 4] },
        Parameter { name: "S", meaning: "groups that share the terms of a sum", values: &[1, 2, 4, 8, 16] },
    ],
    options: &[
        ("ragged", "the last blocks may be partly outside: what they compute there is not kept"),
        (
            "split",
            "the terms of the sums are shared out among groups, and a kernel of its own adds up theirs",
        ),
    ],
    derive: |roles, sizes, options| {
        let [gm, gn, tm, tn, bk, w, v, s] = sizes else { return Err(Stuck("eight parameters".into())) };
        let channel =
            *roles.channels.last().ok_or_else(|| Stuck("no level of the nest is one of channels".into()))?;
        let mut positions = roles.positions.clone();
        let split = options.contains(&"split");
        let mut loops = Loops::new(roles.levels);
        let blocks = bottom_up(sized(&REDUCE_SPLIT, &[bk]));
        match split {
            true => loops.around("part"),
            false => loops.step(blocks.clone()),
        }
        let order = positions.iter().chain([&channel]).map(|k| Loops::name(*k)).collect::<Vec<_>>();
        loops.innermost(&order);
        while positions.len() > 1 {
            let at = loops.len() - 1 - positions.len();
            loops.merge(at);
            positions.remove(0);
        }
        let position =
            *positions.first().ok_or_else(|| Stuck("no level of the nest is one of positions".into()))?;
        if options.contains(&"ragged") {
            loops.round_up(position, &(gm * tm));
            loops.round_up(channel, &(gn * tn));
        }
        loops.tile(channel, &(gn * tn), "n");
        loops.tile(position, &(gm * tm), "m");
        loops.tile_named("n", tn, "ni");
        loops.tile_named("m", tm, "mi");
        let names = [&Loops::name(position), &Loops::name(channel), "m", "n", "mi", "ni"];
        loops.innermost(&names.map(String::from));
        loops.accumulate();
        loops.inside(at_reduction(sized(&VECTOR_ACCUMULATOR, &[v])));
        loops.epilogue(sized(&VECTOR_MAP, &[v]));
        loops.step(simplify_typed());
        loops.accumulate();
        let outer = roles.reductions;
        loops.accumulate_through(outer);
        loops.accumulate_through(outer);
        let items = [gm.clone(), gn.clone()];
        loops.inside(sums().then(at_reduction(in_steps(outer, step(items, w)))));
        // Groups have as many dimensions as their work-items.
        loops.at_most(2);
        for (k, d) in (0..loops.len()).rev().zip(0..) {
            loops.step(at_level(k, sized(&MAP_WRG, &[&Nat::from(d)])));
        }
        Ok(match split {
            true => partial_sums(roles, blocks, s, loops.strategy()),
            false => loops.strategy(),
        })
    },
};

/// At the step of so many reductions in each other, each made sequential on the way.
pub(super) fn in_steps(reductions: usize, s: Strategy) -> Strategy {
    match reductions {
        0 => s,
        n => inside(&[1], in_steps(n - 1, s)).then(rule(&REDUCE_SEQ)),
    }
}

/// The step on one block of each factor: all work-items copy both to local memory, and then each
/// computes with what it needs of them.
fn step(items: [Nat; 2], width: &Nat) -> Strategy {
    let stage = |way: &[usize]| inwards(&HOIST, way.to_vec()).then(inside(&[0], staged(&items, width)));
    seq([
        // The map over a row's work-items reads the one block, that over the rows the other.
        stage(&[0, 1, 1]),
        inside(&[1], stage(&[1, 1])),
        inside(&[1, 1, 0, 0], sequential()),
        inside(&[1, 1], work_items(2)),
    ])
}

/// Maps in maps as the dimensions of a group.
fn work_items(dimensions: usize) -> Strategy {
    match dimensions {
        0 => id(),
        n => inside(&[0], work_items(n - 1)).then(sized(&MAP_LCL, &[&Nat::from(n - 1)])),
    }
}

/// `[a][b][k]` in local memory as `[k][a * b]`, read from where it is in vectors along `k`, by all
/// work-items of the group.
fn staged([rows, columns]: &[Nat; 2], width: &Nat) -> Strategy {
    let spread = seq([
        rule(&COPY),
        sized(&VECTOR_MAP, &[width]),
        inside(&[0], sized(&SPLIT_JOIN, &[columns])),
        inside(&[0, 0], sized(&SPLIT_JOIN, &[rows])),
        inside(&[0, 0, 0, 0], work_items(2)),
        inside(&[0, 0, 0], rule(&MAP_SEQ)),
    ]);
    let flat = rule(&FLATTEN).then(inside(&[0], spread));
    let local = rule(&TO_LOCAL).then(inside(&[0, 0], flat));
    seq([rule(&FLATTEN), inside(&[0], rule(&TURN).then(inside(&[0], local)))])
}

/// The sums in registers, from their start to where they are written: by what is done with them in
/// the end, or else by a copy.
fn sums() -> Strategy {
    let start = at_reduction(inside(&[0], work_items(2).then(rule(&TO_ITEMS))));
    let end = choose(|e| {
        let way = spine(e);
        match e.at(&way).filter(|e| is_map(e)).map(levels) {
            Some(levels) => Ok(inside(&way, written(levels))),
            None => {
                let copied = seq((0..4).map(|depth| inside(&vec![0; depth], rule(&COPY))));
                Ok(at_reduction(copied.then(written((0..4).map(|depth| vec![0; depth]).collect()))))
            }
        }
    });
    start.then(end)
}

/// Maps over rows and columns of work-items, and over each one's own, in each other.
fn written(levels: Vec<Way>) -> Strategy {
    let place = |k: usize| match 1usize.checked_sub(k) {
        Some(dimension) => sized(&MAP_LCL, &[&Nat::from(dimension)]),
        None => rule(&MAP_SEQ),
    };
    seq(levels.into_iter().enumerate().rev().map(|(k, way)| inside(&way, place(k))))
}
