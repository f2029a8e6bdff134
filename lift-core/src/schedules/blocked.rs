//! A matrix product in blocks: a work-group's block of the result from blocks of the factors in local
//! memory, a work-item's tile of it in registers (Boda-RTC §3.4: implicit matrix products).

use super::loops::Loops;
use super::nest::{self, at_level, at_reduction, first, is_map, levels, sequential, simplify_typed, spine};
use super::partial::partial_sums;
use super::{Parameter, Schedule};
use crate::expr::{Expr, Kind};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    AHEAD, COPY, FLATTEN, HOIST, MAP_LCL, MAP_SEQ, MAP_WRG, REDUCE_FLATTEN, REDUCE_OPERAND, REDUCE_SEQ,
    REDUCE_SPLIT, SPLIT_JOIN, TO_ITEMS, TO_LOCAL, TO_PRIVATE, TURN, VECTOR_ACCUMULATOR, VECTOR_MAP,
};
use crate::strategy::{
    Strategy, Stuck, Way, bottom_up, choose, id, inside, inwards, repeat, rule, seq, sized,
};

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
        ("ahead", "the next blocks are loaded into registers while the work-items compute with these"),
        (
            "cached",
            "no memory is local: each work-item reads what it needs of the blocks where it is, through caches",
        ),
    ],
    derive: |roles, sizes, options| {
        let [gm, gn, tm, tn, bk, w, v, s] = sizes else { return Err(Stuck("eight parameters".into())) };
        let channel =
            *roles.channels.last().ok_or_else(|| Stuck("no level of the nest is one of channels".into()))?;
        let mut positions = roles.positions.clone();
        let [ragged, split, ahead, cached] =
            ["ragged", "split", "ahead", "cached"].map(|name| options.contains(&name));
        if cached && ahead {
            return Err(Stuck("blocks that are left where they are can't be loaded ahead".into()));
        }
        let mut loops = Loops::new(roles.levels);
        let blocks = bottom_up(sized(&REDUCE_SPLIT, &[bk]));
        match split {
            true => loops.around("part"),
            false => loops.step(blocks.clone()),
        }
        let mut outer = roles.reductions;
        if ahead {
            // One loop over all blocks: then there is always a next.
            loops.inside(at_reduction(seq((1..outer).map(|_| rule(&REDUCE_FLATTEN)))));
            outer = 1;
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
        if ragged {
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
        if cached {
            let sums = inside(&[0], rule(&TO_PRIVATE)).then(in_steps(outer, inside(&[1], own(w))));
            loops.inside(at_reduction(sums).then(nest::written()));
            loops.grouped(2);
        } else {
            loops.accumulate_through(outer);
            loops.accumulate_through(outer);
            let step = step([gm.clone(), gn.clone()], w, ahead);
            let last = if ahead { step.then(fetched()) } else { step };
            loops.inside(sums().then(at_reduction(in_steps(outer, last))));
            // Groups have as many dimensions as their work-items.
            loops.at_most(2);
            for (k, d) in (0..loops.len()).rev().zip(0..) {
                loops.step(at_level(k, sized(&MAP_WRG, &[&Nat::from(d)])));
            }
        }
        Ok(match split {
            true => partial_sums(roles, blocks, s, loops.strategy()),
            false => loops.strategy(),
        })
    },
};

/// At the last of so many reductions in each other, all of them made sequential.
pub(super) fn in_steps(reductions: usize, s: Strategy) -> Strategy {
    match reductions {
        0 => id(),
        1 => s.then(rule(&REDUCE_SEQ)),
        n => inside(&[1], in_steps(n - 1, s)).then(rule(&REDUCE_SEQ)),
    }
}

/// The reduction over blocks, in its step with one block of each factor: all work-items copy both to local
/// memory, and then each computes with what it needs of them.
fn step(items: [Nat; 2], width: &Nat, ahead: bool) -> Strategy {
    let stage =
        |way: &[usize]| inwards(&HOIST, way.to_vec()).then(inside(&[0], staged(&items, width, ahead)));
    let step = seq([
        // The map over a row's work-items reads the one block, that over the rows the other.
        stage(&[0, 1, 1]),
        inside(&[1], stage(&[1, 1])),
        inside(&[1, 1, 0, 0], sequential()),
        inside(&[1, 1], work_items(2)),
    ]);
    inside(&[1], step)
}

/// One block of each factor of a work-item's sums: read into registers in vectors along the terms, all of it
/// before it is computed with.
fn own(width: &Nat) -> Strategy {
    let read = seq([rule(&COPY), sized(&VECTOR_MAP, &[width]), inside(&[0], rule(&MAP_SEQ))]);
    let kept = rule(&FLATTEN).then(inside(&[0], rule(&TO_PRIVATE).then(inside(&[0], read))));
    let stage = |way: &[usize]| inwards(&HOIST, way.to_vec()).then(inside(&[0], kept.clone()));
    seq([
        stage(&[2, 0, 0]),
        inside(&[1], stage(&[2, 1, 0])),
        inside(&[1, 1], sequential()),
    ])
}

/// What the step of a reduction keeps in registers, fetched before the step.
fn fetched() -> Strategy {
    let is_items =
        |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Items)));
    let out = choose(move |e| {
        let way = e.at(&[1]).and_then(|step| first(step, &is_items));
        Ok(inwards(&REDUCE_OPERAND, way.ok_or_else(|| Stuck("nothing is kept".into()))?))
    });
    let ahead = choose(|e| {
        let arrays = e.at(&[2]).map_or(0, |zip| zip.children().len());
        Ok(seq((0..arrays).map(|k| inside(&[2, k], rule(&AHEAD)))))
    });
    repeat(out).then(ahead)
}

/// Maps in maps as the dimensions of a group.
fn work_items(dimensions: usize) -> Strategy {
    match dimensions {
        0 => id(),
        n => inside(&[0], work_items(n - 1)).then(sized(&MAP_LCL, &[&Nat::from(n - 1)])),
    }
}

/// `[a][b][k]` in local memory as `[k][a * b]`, read from where it is in vectors along `k`, by all
/// work-items of the group; or by way of their registers.
fn staged([rows, columns]: &[Nat; 2], width: &Nat, registers: bool) -> Strategy {
    let by_registers = seq([
        seq((0..3).map(|depth| inside(&vec![0; depth], rule(&COPY)))),
        inside(&[0], work_items(2)),
        rule(&MAP_SEQ),
        rule(&TO_ITEMS),
    ]);
    let spread = seq([
        rule(&COPY),
        sized(&VECTOR_MAP, &[width]),
        inside(&[0], sized(&SPLIT_JOIN, &[columns])),
        inside(&[0, 0], sized(&SPLIT_JOIN, &[rows])),
        inside(&[0, 0, 0, 0], work_items(2)),
        inside(&[0, 0, 0], rule(&MAP_SEQ)),
        if registers { inside(&[0, 0, 0, 1], by_registers) } else { id() },
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
