//! The result in tiles, one for each work-group, and in smaller ones for its work-items (Zhang 2021): rows
//! × columns × output channels in registers, vectors across the channels, which lie side by side in memory.
//! For a few terms of the sum at a time a work-item loads its weights, and then uses them for all of its
//! positions. Local memory plays no part: on mobile GPUs it is no faster than other memory.

use super::loops::Loops;
use super::nest::{at_reduction, is_map, padding_apart, simplify_typed, written};
use super::packed::pack;
use super::preloaded::{preloaded, vectors_first};
use super::roles::Tile;
use super::{Parameter, Schedule};
use crate::expr::{Child, Kind};
use crate::nat::Nat;
use crate::rules::{MAP_SEQ, REDUCE_SEQ, REDUCE_SPLIT, TO_PRIVATE, VECTOR_ACCUMULATOR, VECTOR_MAP};
use crate::strategy::{
    Strategy, Stuck, bottom_up, choose, id, in_body, in_function, in_start, in_step, inside, rule, seq, sized,
};

/// Tiles of the result in registers, vectors across output channels, no local memory.
pub static TILED: Schedule = Schedule {
    name: "tiled",
    source: "Zhang 2021 (IREE)",
    parameters: &[
        Parameter { name: "GX", meaning: "work-items of a group across channels", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "GY", meaning: "work-items of a group across columns", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "GZ", meaning: "work-items of a group across rows", values: &[1, 2, 4] },
        Parameter {
            name: "D",
            meaning: "output channels of a work-item",
            values: &[1, 2, 4, 8, 16, 24, 32, 48],
        },
        Parameter { name: "V", meaning: "width of the vectors across them", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "R", meaning: "rows of a work-item", values: &[1, 2, 4] },
        Parameter { name: "Q", meaning: "columns of a work-item", values: &[1, 2, 4, 5, 6, 7, 8] },
        Parameter {
            name: "T",
            meaning: "terms of the sum whose weights are loaded at once",
            values: &[1, 2, 3, 4, 8],
        },
        Parameter {
            name: "U",
            meaning: "width of the vectors that the inputs are loaded in",
            values: &[1, 2, 4],
        },
    ],
    options: &[
        (
            "packed",
            "weights are rearranged into blocks of a work-group's output channels: once, if they are `const`",
        ),
        ("padded", "padding is done by a kernel of its own, not by a guard at every read"),
        ("along", "vectors lie along the innermost level of the result, not across output channels"),
        ("ragged", "the last tiles may extend beyond the result: what they compute there is discarded"),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [gx, gy, gz, d, v, r, q, t, u] = sizes else {
            return Err(Stuck::Because("nine parameters".into()));
        };
        let Tile { lanes: channel, around } = roles.tile(options.contains(&"along"))?;
        let column = Side { items: gy, own: q, tiles: "columns", tile: "column" };
        let row = Side { items: gz, own: r, tiles: "rows", tile: "row" };
        let mut positions: Vec<_> = around.iter().copied().rev().zip([column, row]).collect();
        positions.reverse();
        let mut loops = Loops::new(roles.levels);
        if options.contains(&"padded") {
            loops.step(padding_apart());
        }
        if options.contains(&"ragged") {
            loops.round_up(channel, &(gx * d));
            positions.iter().for_each(|(level, side)| loops.round_up(*level, &side.of_group()));
        }
        if options.contains(&"packed") {
            loops.step(pack(roles, channel, &(gx * d))?);
        }
        loops.step(bottom_up(sized(&REDUCE_SPLIT, &[t])));
        // Neighbouring work-items have neighbouring vectors; the next vectors of a work-item
        // lie one round of them further.
        loops.tile(channel, &(gx * d), "vectors");
        loops.tile_named("vectors", &(gx * v), "channels");
        loops.tile_named("channels", v, "channel");
        for (level, side) in &positions {
            loops.tile(*level, &side.of_group(), side.tiles);
            loops.tile_named(side.tiles, side.own, side.tile);
        }
        let groups = positions.iter().map(|(level, _)| *level).chain([channel]).map(Loops::name);
        let items = positions.iter().map(|(_, side)| side.tiles).chain(["channels"]);
        let own = positions.iter().map(|(_, side)| side.tile).chain(["vectors", "channel"]);
        loops.innermost(&groups.chain(items.chain(own).map(String::from)).collect::<Vec<_>>());
        loops.accumulate();
        loops.inside(at_reduction(sized(&VECTOR_ACCUMULATOR, &[v])));
        loops.epilogue(sized(&VECTOR_MAP, &[v]));
        loops.step(simplify_typed());
        let sums = roles.reductions;
        loops.inside(at_reduction(inside(vec![Child::Step; sums], vectors_first())));
        loops.accumulate();
        positions.iter().for_each(|_| loops.accumulate_through(sums));
        let step = preloaded(u).then(in_registers());
        let outer = (0..sums).rev().map(|k| inside(vec![Child::Step; k], rule(&REDUCE_SEQ)));
        let start = in_start(rule(&TO_PRIVATE));
        let kept = seq([start, inside(vec![Child::Step; sums], step), seq(outer)]);
        loops.inside(at_reduction(kept).then(written()));
        loops.at_most(2 * (positions.len() + 1));
        loops.peeled();
        loops.grouped(positions.len() + 1);
        Ok(loops.strategy())
    },
};

/// A side of the tiles: the sizes that a work-group's side is made of, and the names of the levels.
struct Side<'a> {
    items: &'a Nat,
    own: &'a Nat,
    tiles: &'static str,
    tile: &'static str,
}

impl Side<'_> {
    fn of_group(&self) -> Nat {
        self.items * self.own
    }
}

/// Maps, and the reduction inside, as loops of one work-item: the generator writes them out, since all
/// that they go over is in registers.
fn in_registers() -> Strategy {
    choose(|e| {
        Ok(match &*e.kind {
            Kind::Let(..) => in_body(in_registers()),
            _ if e.as_reduce().is_some() => in_step(in_registers()).then(rule(&REDUCE_SEQ)),
            _ if is_map(e) => in_function(in_registers()).then(rule(&MAP_SEQ)),
            _ => id(),
        })
    })
}
