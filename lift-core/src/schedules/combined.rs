//! Several output channels and several neighbouring positions for each work-item, so that each
//! weight and each input that is loaded is used many times (Hashemi 2019, "Combining Across Width": 16 channels × 2
//! columns, weights loaded as vectors across output channels).

use super::loops::Loops;
use super::nest::{
    at_reduction, copied_in_vectors, global, in_loops, no_reduction, operands, padding_apart, sequential,
    simplify_typed, written,
};
use super::packed::{NO_POSITIONS, gather, pack, turn};
use super::partial::{Dealt, partial_sums};
use super::preloaded::{shared_before, vectors_first};
use super::roles::Tile;
use super::windows::is_reduction;
use super::{ONE_TILE, Parameter, Schedule};
use crate::expr::{Child, Expr};
use crate::nat::Nat;
use crate::rules::{
    MAP_SEQ, PEELED, REDUCE_OPERAND, REDUCE_SPLIT, TO_PRIVATE, VECTOR_ACCUMULATOR, VECTOR_MAP,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, attempt, bottom_up, choose, id, in_function, in_start, in_step, inside,
    inwards, rule, seq, sized,
};

/// Several output channels and neighbouring positions for each work-item.
pub static COMBINED: Schedule = Schedule {
    name: "combined",
    source: "Hashemi 2019",
    parameters: &[
        Parameter {
            name: "D",
            meaning: "output channels of a work-item",
            values: &[1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024],
        },
        Parameter { name: "V", meaning: "width of the vectors across them", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "R",
            meaning: "rows of a work-item; `along`: output channels",
            values: &[1, 2, 4, 8, 16],
        },
        Parameter { name: "Q", meaning: "columns of a work-item", values: &[1, 2, 4, 5, 6, 7, 8, 14] },
        Parameter { name: "G", meaning: "tiles of a work-item, in turn", values: &[1, 2, 4, 8, 16, 32, 64] },
        Parameter {
            name: "T",
            meaning: "terms that are added to the sums of each tile in turn, or copied as a vector",
            values: &[1, 2, 4, 8, 16, 32, 64, 128, 256],
        },
        Parameter {
            name: "S",
            meaning: "work-items that share the terms of a sum",
            values: &[1, 2, 4, 8, 16],
        },
    ],
    options: &[
        ("packed", "weights are rearranged into blocks of D output channels: once, if they are `const`"),
        (
            "gathered",
            "what weights are multiplied with is rearranged into blocks of Q columns: windows are written out, as by im2col",
        ),
        (
            "inwards",
            "what weights are multiplied with is copied, the terms that lie furthest apart beside each other: channels that come \
             first come last",
        ),
        ("padded", "padding is done by a kernel of its own, not by a guard at every read"),
        ("along", "vectors lie along the innermost level of the result, not across output channels"),
        (
            "merged",
            "positions are one level, rows after rows: where windows have one element, a convolution is a matrix product",
        ),
        ("ragged", "the last tiles may extend beyond the result: what they compute there is discarded"),
        (
            "several",
            "a work-item has G tiles, of positions or else of channels. It adds T terms to the sums of each in turn; \
             meanwhile those of the others are in memory",
        ),
        (
            "near",
            "the weights of T terms are copied, and used for all tiles of the work-item before the next",
        ),
        (
            "copied",
            "a work-item has G tiles of channels, and copies what these are multiplied with before the first: what is computed of it \
             beforehand is computed once for all",
        ),
        ("wide", "`copied`: T terms at a time, as a vector"),
        (
            "swept",
            "a work-item goes over all tiles of the level that vectors lie along, of which the last ends where the level does and \
             computes some results again",
        ),
        (
            "split",
            "each sum is split among several work-items, and a second kernel adds up their partial sums",
        ),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [d, v, r, q, g, t, s] = sizes else { return Err(Stuck::Because("seven parameters".into())) };
        let [ragged, several, near, copied, wide, swept, split] =
            ["ragged", "several", "near", "copied", "wide", "swept", "split"]
                .map(|name| options.contains(&name));
        if near && !several {
            return Err(Stuck::Because(ONE_TILE.into()));
        }
        if copied && (several || options.contains(&"gathered")) {
            return Err(Stuck::Because(COPIED.into()));
        }
        if options.contains(&"inwards") && (options.contains(&"gathered") || options.contains(&"padded")) {
            return Err(Stuck::Because(TURNED.into()));
        }
        if wide && !copied {
            return Err(Stuck::Because(NO_COPY.into()));
        }
        if swept && (several || copied || options.contains(&"packed")) {
            return Err(Stuck::Because(SWEPT.into()));
        }
        let (merged, roles) = match options.contains(&"merged") {
            true => roles.merged()?,
            false => (id(), roles.clone()),
        };
        let roles = &roles;
        let Tile { lanes: channel, around } = roles.tile(options.contains(&"along"))?;
        let column = around.last().copied();
        let row = around.iter().rev().nth(1).copied();
        let mut loops = Loops::new(roles.levels);
        if options.contains(&"padded") {
            loops.step(padding_apart());
        }
        if options.contains(&"inwards") {
            loops.step(turn(program.roles()?));
        }
        loops.step(merged);
        let tiled = [(row, r, "row"), (column, q, "column")];
        let tiled: Vec<_> =
            tiled.into_iter().filter_map(|(level, n, tile)| Some((level?, n, tile))).collect();
        // The level that a work-item has several tiles of, and the sizes of these.
        let (many, one) = column.filter(|_| !copied).map_or((channel, d), |column| (column, q));
        let (all, in_turn) = (g * one, several || copied);
        if ragged {
            let side = |level: usize, n: &Nat| if in_turn && level == many { all.clone() } else { n.clone() };
            if !swept {
                loops.round_up(channel, &side(channel, d));
            }
            tiled.iter().for_each(|(level, n, _)| loops.round_up(*level, &side(*level, n)));
        }
        if options.contains(&"packed") {
            loops.step(pack(roles, channel, d)?);
        }
        if options.contains(&"gathered") {
            let column = column.ok_or_else(|| Stuck::Because(NO_POSITIONS.into()))?;
            loops.step(gather(roles, column, q)?);
        }
        // In turn, blocks of the terms.
        let sums = roles.reductions;
        let blocks = if several || wide { bottom_up(sized(&REDUCE_SPLIT, &[t])) } else { id() };
        let parts = (sums, blocks.clone());
        match split {
            true => loops.around("part"),
            false => loops.step(blocks),
        }
        for (level, n, tile) in [(channel, d, "channel")].into_iter().chain(tiled.iter().cloned()) {
            if in_turn && level == many {
                loops.tile(level, &all, "tiles");
                loops.tile_named("tiles", n, tile);
            } else if swept && level == channel {
                loops.tile_overlapping(level, n, tile);
            } else {
                loops.tile(level, n, tile);
            }
        }
        // Neighbouring work-items share the weights of channels. Where there are no channels,
        // they compute neighbouring results.
        let positions = tiled.iter().map(|(level, ..)| *level);
        let outer: Vec<_> = match roles.channels.contains(&channel) {
            true => [channel].into_iter().chain(positions).collect(),
            false => positions.chain([channel]).collect(),
        };
        let outer = outer.into_iter().filter(|level| !swept || *level != channel).map(Loops::name);
        let tiles = if swept { Some(Loops::name(channel)) } else { in_turn.then(|| "tiles".to_string()) };
        let inner = tiles.into_iter().chain(tiled.iter().map(|(.., tile)| tile.to_string()));
        let inner = inner.chain(["channel".into()]);
        loops.innermost(&outer.chain(inner).collect::<Vec<_>>());
        loops.accumulate();
        loops.inside(at_reduction(attempt(sized(&VECTOR_ACCUMULATOR, &[v]))));
        loops.epilogue(sized(&VECTOR_MAP, &[v]));
        loops.step(simplify_typed());
        tiled.iter().for_each(|_| loops.accumulate());
        // Where tiles may extend beyond the result, those that do are apart.
        let one_after_another = if ragged { rule(&PEELED) } else { id() }.then(rule(&MAP_SEQ));
        if several {
            let step = |s: Strategy| inside(vec![Child::Step; sums], s);
            loops.inside(at_reduction(step(vectors_first())));
            loops.accumulate_through(sums);
            let shared = if near { shared_before(rule(&TO_PRIVATE)) } else { id() };
            let tile = at_reduction(in_start(rule(&TO_PRIVATE)).then(sequential()));
            let tiles = at_tail(in_function(tile).then(one_after_another));
            let kept = in_start(rule(&TO_PRIVATE)).then(in_loops(sums, in_step(shared.then(tiles))));
            loops.inside(at_reduction(kept).then(written()));
        } else {
            let tile = at_reduction(sequential()).then(written());
            match (copied, swept) {
                (true, _) => {
                    let tiles = at_tail(in_function(tile).then(one_after_another));
                    let copy = if wide { copied_in_vectors(t, &rule(&MAP_SEQ)) } else { id() };
                    let order = if wide { in_function(at_reduction(blocks_first())) } else { id() };
                    let shared = order.then(shared_before(copy.then(rule(&TO_PRIVATE))));
                    loops.innermost_by(shared.then(tiles));
                }
                (_, true) => loops.innermost_by(in_function(tile).then(rule(&MAP_SEQ))),
                _ => loops.inside(tile),
            }
        }
        loops.at_most(3);
        loops.peeled();
        loops.step(global(loops.len()));
        Ok(match split {
            true => partial_sums(roles, parts, (s, Dealt::InARow), loops.strategy()),
            false => loops.strategy(),
        })
    },
};

/// What sums in each other read is in the order of these but for the innermost, which goes over the terms of a vector.
fn blocks_first() -> Strategy {
    let is_outer = |e: &Expr| e.child(Child::Step).is_some_and(is_reduction);
    choose(move |e| {
        if !is_outer(e) || !e.child(Child::Step).is_some_and(is_outer) {
            return Ok(id());
        }
        let count = e.child(Child::Step).and_then(operands).map_or(0, |all| all.len());
        let pulled = |k: usize| {
            attempt(choose(move |e| {
                let operand = e.child(Child::Step).and_then(operands).and_then(|all| all.get(k).cloned());
                Ok(inwards(&REDUCE_OPERAND, operand.ok_or_else(no_reduction)?))
            }))
        };
        Ok(in_step(blocks_first()).then(seq((0..count).map(pulled))))
    })
}

const NO_COPY: &str = "nothing is copied that could be copied in vectors: `wide` goes with `copied`";

const TURNED: &str = "what weights are multiplied with is copied once: with `inwards` as it is given, and not with windows or padding";

const SWEPT: &str =
    "tiles that overlap are no blocks of weights, and a work-item has all of them in turn already";

const COPIED: &str = "what the tiles of channels are multiplied with is copied once: where it is gathered it is a copy already, and \
                      the tiles of `several` are others";
