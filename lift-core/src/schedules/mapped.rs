//! Tiles at several levels, fetched ahead into shared memory and registers, and no map placed: where
//! each runs is left to the solver (CC'22 §2, §4).

use super::loops::Loops;
use super::nest::{
    at_reduction, copied_in_vectors, each_operand, hoist, in_loops, is_map, no_reduction, simplify_typed,
    spine,
};
use super::packed::pack;
use super::roles::{Roles, Tile};
use super::{Parameter, Schedule};
use crate::expr::Child::{Array, Body, Function, Part, Step};
use crate::expr::{Expr, Kind, Path};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    COPY, REDUCE_OPERAND, REDUCE_SEQ, REDUCE_SPLIT, Rule, TO_GLOBAL, TO_ITEMS, TO_LOCAL, TO_PRIVATE,
    VECTOR_ACCUMULATOR, VECTOR_MAP,
};
use crate::strategy::{
    Inside, Strategy, Stuck, at_tail, attempt, bottom_up, choose, id, in_function, in_operand, in_start,
    in_step, in_value, inside, inwards, repeat, rule, seq, sized,
};

/// Tiles at several levels whose maps the solver places.
pub static MAPPED: Schedule = Schedule {
    name: "mapped",
    source: "CC'22 §2",
    parameters: &[
        Parameter { name: "TR", meaning: "rows of a tile", values: &[1, 2, 4, 7, 8, 14] },
        Parameter { name: "TQ", meaning: "blocks of columns of a tile", values: &[1, 2, 4, 7, 8, 14] },
        Parameter { name: "TD", meaning: "blocks of channels of a tile", values: &[1, 2, 4, 8, 16, 32] },
        Parameter { name: "Q", meaning: "columns of a block", values: &[1, 2, 4, 7, 8] },
        Parameter { name: "D", meaning: "channels of a block", values: &[1, 2, 4, 8, 16, 32, 64] },
        Parameter { name: "BK", meaning: "terms of the sum fetched at once", values: &[1, 2, 3, 4, 8, 16] },
        Parameter { name: "V", meaning: "channels in a vector", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "W", meaning: "terms copied to local memory at once", values: &[1, 2, 4, 8, 16] },
    ],
    options: &[
        (
            "packed",
            "weights are rearranged into blocks of a tile's output channels: once, if they are `const`",
        ),
        ("inputs", "the inputs of a tile are copied to local memory first"),
        ("weights", "the weights of a tile are copied to local memory first"),
        (
            "across",
            "vectors lie across the channels of a block: V sums are one vector, and so are their weights",
        ),
        ("wide", "tiles are copied to local memory in vectors of W terms"),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [_, _, td, _, d, bk, v, w] = sizes else { return Err(Stuck::Because("eight parameters".into())) };
        let mut loops = Loops::new(roles.levels);
        if options.contains(&"packed") {
            loops.step(pack(roles, roles.tile(false)?.lanes, &(td * d))?);
        }
        loops.step(bottom_up(sized(&REDUCE_SPLIT, &[bk])));
        let tiled = tiles(&mut loops, roles, sizes)?;
        let across = options.contains(&"across");
        loops.accumulate();
        if across {
            loops.inside(at_reduction(sized(&VECTOR_ACCUMULATOR, &[v]).because(NO_VECTORS)));
            loops.epilogue(sized(&VECTOR_MAP, &[v]));
            loops.step(simplify_typed());
        }
        for _ in 1..2.min(tiled) {
            loops.accumulate();
        }
        let fetched = if across { as_vectors().then(fetched()) } else { fetched() };
        let shared = ["inputs", "weights"].map(|name| options.contains(&name));
        let copies = if options.contains(&"wide") { copied_in_vectors(w, &id()) } else { copied() };
        match shared {
            [false, false] if options.contains(&"wide") => return Err(Stuck::Because(NOT_SHARED.into())),
            [false, false] => loops.inside(at_reduction(running(&TO_PRIVATE, roles, fetched))),
            _ if roles.channels.is_empty() || roles.positions.is_empty() => {
                return Err(Stuck::Because("no tile is read by more than one work-item".into()));
            }
            _ => {
                for _ in 0..tiled {
                    loops.accumulate_through(roles.reductions);
                }
                let step = staged(shared, tiled, &copies, fetched);
                let items = in_start(vectors_one_by_one()).then(running(&TO_ITEMS, roles, step));
                loops.inside(written().then(at_reduction(items)));
            }
        }
        loops.inside(rule(&TO_GLOBAL));
        Ok(loops.strategy())
    },
};

const NOT_SHARED: &str =
    "`wide` is an option of `inputs` and `weights` forms, which copy tiles to local memory";

const NO_VECTORS: &str = "the step of its sums does what vectors can't";

/// Tiles of rows, columns and channels, as many as there are, and inside them blocks of columns and
/// of channels. All other levels are one with that of the outermost tiles.
fn tiles(loops: &mut Loops, roles: &Roles, sizes: &[Nat]) -> Result<usize, Stuck> {
    let [tr, tq, td, q, d, ..] = sizes else { return Err(Stuck::Because("eight parameters".into())) };
    let Tile { lanes: channel, around } = roles.tile(false)?;
    let mut positions = around.iter().rev();
    let (column, row) = (positions.next(), positions.next());
    let (columns, channels) = (&(tq * q), &(td * d));
    let tiles = [(row, tr, "rows"), (column, columns, "columns"), (Some(&channel), channels, "channels")];
    let tiles: Vec<_> = tiles.into_iter().filter_map(|(level, n, name)| Some((*level?, n, name))).collect();
    for (level, n, name) in &tiles {
        loops.tile(*level, n, name);
    }
    loops.tile_named("columns", q, "column");
    loops.tile_named("channels", d, "channel");
    let outer = tiles.iter().map(|(level, ..)| Loops::name(*level));
    let inner = tiles.iter().map(|(.., name)| *name).chain(["column", "channel"]);
    let inner = inner.filter(|name| *name != "column" || column.is_some()).map(String::from);
    loops.innermost(&outer.chain(inner).collect::<Vec<_>>());
    for _ in tiles.len()..roles.levels {
        loops.merge(0);
    }
    Ok(tiles.len())
}

/// A reduction with its running value in this memory, and what it does with blocks of terms.
fn running(memory: &'static Rule, roles: &Roles, step: Strategy) -> Strategy {
    in_start(rule(memory)).then(in_loops(roles.reductions, in_step(step)))
}

/// Copies the parts of a block of terms that a tile reads to local memory first: with `inputs` the array of the
/// tile's outermost map, with `weights` that of its innermost.
fn staged([inputs, weights]: [bool; 2], maps: usize, copies: &Strategy, fetched: Strategy) -> Strategy {
    // A map over sums goes over these and over the array of a factor.
    let factor = [Array, Part(1)];
    let innermost = [vec![Function; maps - 1], factor.to_vec()].concat();
    let (mut steps, mut at) = (vec![], vec![]);
    for (wanted, array) in [(weights, innermost), (inputs, factor.to_vec())] {
        if wanted {
            steps.push(inside(at.clone(), kept(&TO_LOCAL, copies.clone(), array)));
            at.push(Body);
        }
    }
    at.extend(vec![Function; maps]);
    seq(steps).then(inside(at, fetched))
}

/// A reduction over registers that a block of terms of both factors was fetched into before.
fn fetched() -> Strategy {
    each_operand(|path| kept(&TO_PRIVATE, copied(), path)).then(at_tail(rule(&REDUCE_SEQ)))
}

/// What the reduction reads as vectors are arrays of vectors, so that they are fetched as such.
fn as_vectors() -> Strategy {
    repeat(choose(|e| {
        let path = e.child(Step).and_then(vectors).ok_or_else(no_reduction)?;
        Ok(inwards(&REDUCE_OPERAND, path))
    }))
}

/// Sums that begin as vectors begin one by one, like all else that is done with them: so work-items have the same in hand.
fn vectors_one_by_one() -> Strategy {
    choose(|e| Ok(vectors(e).map_or_else(id, |path| inside(path, rule(&COPY)))))
}

/// The path to the first scalars taken as vectors.
fn vectors(e: &Expr) -> Option<Path> {
    e.first(&|e| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::AsVector)))
}

/// An array that is read further inside is copied to memory before.
fn kept(memory: &'static Rule, copies: Strategy, array: impl Inside + 'static) -> Strategy {
    hoist(array).then(in_value(copies.then(rule(memory))))
}

/// Copies element by element, in maps that can be placed.
fn copied() -> Strategy {
    choose(|_| Ok(rule(&COPY).then(in_function(attempt(copied())))))
}

/// Sums are written to the result by the function that is applied to them in the end, or else by a copy.
fn written() -> Strategy {
    choose(|e| match e.at(&spine(e)).is_some_and(is_map) {
        true => Ok(id()),
        false => {
            let scalars =
                |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::AsScalar));
            let vectors = e.first(&scalars).map_or_else(id, |path| inside(path, in_operand(rule(&COPY))));
            let named = rule(&COPY).then(hoist([Array]));
            Ok(vectors.then(at_reduction(named.then(inside([Body, Function], attempt(copied()))))))
        }
    })
}
