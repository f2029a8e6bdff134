//! The result in tiles, one for each work-group, and in smaller ones for its work-items (Zhang 2021): rows
//! × columns × output channels in registers, vectors across the channels, which lie side by side in memory.
//! For a few terms of the sum at a time a work-item loads its weights, and then uses them for all of its
//! positions. Local memory plays no part: on mobile GPUs it is no faster than other memory.

use super::loops::Loops;
use super::nest::{at_reduction, hoist, is_map, operands, padding_apart, simplify_typed, written};
use super::packed::pack;
use super::roles::Tile;
use super::{Parameter, Schedule};
use crate::expr::{Child, Expr, Kind, Path};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    COPY, MAP_SEQ, REDUCE_OPERAND, REDUCE_SEQ, REDUCE_SPLIT, TO_PRIVATE, VECTOR_ACCUMULATOR, VECTOR_MAP,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, bottom_up, choose, id, in_body, in_function, in_operand, in_start, in_step,
    in_value, inside, inwards, repeat, rule, seq, sized,
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
        Parameter { name: "Q", meaning: "columns of a work-item", values: &[1, 2, 4, 7, 8] },
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
        let [gx, gy, gz, d, v, r, q, t, u] = sizes else { return Err(Stuck("nine parameters".into())) };
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

/// Makes the vectors that a reduction reads before it, instead of in each step: so they can be kept.
fn vectors_first() -> Strategy {
    repeat(choose(|e| {
        let is_vector = |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::AsVector));
        let path = e.child(Child::Step).and_then(|body| body.first(&is_vector));
        Ok(inwards(&REDUCE_OPERAND, path.ok_or_else(|| Stuck("nothing is read in vectors".into()))?))
    }))
}

/// The operands of the reduction inside, each loaded into registers: before all maps around the reduction, or
/// else, where it depends on these, before the reduction. Scalars are loaded in vectors.
fn preloaded(width: &Nat) -> Strategy {
    let load = loaded(width);
    choose(move |e| {
        let reduction = e.at(&step(e)).and_then(operands);
        let count = reduction.ok_or_else(|| Stuck("there is no reduction".into()))?.len();
        Ok(seq((0..count).map(|k| at_tail(preloaded_operand(k, load.clone())))))
    })
}

fn loaded(width: &Nat) -> Strategy {
    let scalars = seq([rule(&COPY), sized(&VECTOR_MAP, &[width]), in_operand(rule(&TO_PRIVATE))]);
    in_value(scalars.or(rule(&TO_PRIVATE)))
}

fn preloaded_operand(k: usize, load: Strategy) -> Strategy {
    choose(move |e| {
        let reduction = step(e);
        let all = e.at(&reduction).and_then(operands);
        let kept =
            all.and_then(|all| all.get(k).cloned()).ok_or_else(|| Stuck("there is no reduction".into()))?;
        let early = hoist(reduction.then(&kept));
        let late = inside(reduction, hoist(kept).then(load.clone()));
        Ok(early.then(load.clone()).or(late))
    })
}

/// The path through maps to the reduction that they are made of.
fn step(e: &Expr) -> Path {
    let next = match &*e.kind {
        Kind::Let(..) => e.path(&[Child::Body]),
        _ if is_map(e) => e.path(&[Child::Function]),
        _ => None,
    };
    next.and_then(|next| Some(next.then(&step(e.at(&next)?)))).unwrap_or_default()
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
