//! Results whose neighbours come from far apart, as in a transposition. A tile has several elements that are neighbours where
//! they are read, and several that are neighbours in the result. It is copied in the order of the first, and written in the
//! order of the second (GPGPU'20 §3.1.2, `toLocal` and `toPrivate` of a copy).

use super::loops::Loops;
use super::neighbours::{Reads, beside};
use super::nest::{at_level, each_operand, global, hoist, is_map, levels, simplify, spine};
use super::{Parameter, Schedule};
use crate::expr::Kind;
use crate::nat::Nat;
use crate::origin::Origins;
use crate::rules::{
    COPY, FORGET, MAP_LCL, MAP_SEQ, MAP_WRG, PEELED, SPLIT_JOIN, TO_LOCAL_PITCHED, TO_PRIVATE,
    TRANSPOSE_TRANSPOSE, TURN, VECTOR_MAP,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, attempt, choose, id, in_function, in_operand, in_value, inside, rule, seq,
    sized,
};
use crate::types::Type;

/// Tiles are copied as they lie where they come from, and written as they lie in the result.
pub static TURNED: Schedule = Schedule {
    name: "turned",
    source: "GPGPU'20 §3.1.2",
    parameters: &[
        Parameter {
            name: "T",
            meaning: "neighbours in a tile as it is read",
            values: &[4, 8, 16, 32, 64, 128],
        },
        Parameter {
            name: "V",
            meaning: "neighbours in a tile as it is written",
            values: &[2, 4, 8, 16, 32, 64, 128, 256],
        },
        Parameter {
            name: "R",
            meaning: "rows of a tile in local memory that a work-item has elements of",
            values: &[1, 2, 4, 8, 16],
        },
        Parameter { name: "L", meaning: "lanes of a vector", values: &[2, 4, 8, 16] },
    ],
    options: &[
        ("ragged", "the last tiles may extend beyond the result: what they hold there is discarded"),
        ("whole", "a tile is as wide as the result, whose rows are short"),
        (
            "shared",
            "a work-group has a tile, of T × T elements in local memory, not a work-item in its registers",
        ),
        ("wide", "a work-item's tile is copied and written in vectors of L neighbours of the result"),
    ],
    derive: |_, sizes, options| {
        let [t, v, r, l] = sizes else { return Err(Stuck::Because("four parameters".into())) };
        let [ragged, whole, shared, wide] =
            ["ragged", "whole", "shared", "wide"].map(|name| options.contains(&name));
        if whole && shared {
            return Err(Stuck::Because(
                "a tile that is shared has as many columns as rows, and is not as wide as the result".into(),
            ));
        }
        if wide && shared {
            return Err(Stuck::Because("tiles that are shared are copied element by element".into()));
        }
        let lanes = wide.then(|| l.clone());
        let (t, v, r) = (t.clone(), if shared { t.clone() } else { v.clone() }, r.clone());
        Ok(elements().then(Strategy::new(move |state, path| {
            let no_others =
                || Stuck::Because("it reads no neighbours that are far apart in its result".into());
            let e = state.at(path).ok_or_else(no_others)?;
            let typed = state.typed().ok_or_else(no_others)?;
            let written = beside(e, typed).ok_or_else(no_others)?;
            let all = levels(e).len();
            let reads = Reads::of(e, all, typed, &Origins::new(&state.function, typed));
            let reads = reads.filter(|reads| reads.scalars).ok_or_else(no_others)?;
            let read = reads.beside_somewhere().into_iter().find(|level| *level != written);
            let read = read.ok_or_else(no_others)?;
            let mut loops = Loops::new(all);
            tile(&mut loops, (read, &t), (written, (!whole).then_some(&v)), ragged);
            // Groups have as many dimensions as their work-items.
            loops.at_most(IN_TILE + if shared { 2 } else { 3 });
            loops.step(simplify());
            if ragged {
                loops.step(seq((0..loops.len() - IN_TILE).map(|k| at_level(k, rule(&PEELED)))));
            }
            match shared {
                true => by_groups(&mut loops, &r),
                false => by_work_items(&mut loops, lanes.as_ref()),
            }
            loops.strategy().run(state, path)
        })))
    },
};

/// A loop for each dimension of the result, down to its scalars. What is only moved goes through a register, and so is a loop
/// like any other.
fn elements() -> Strategy {
    choose(|e| {
        let path = spine(e);
        let maps = e.at(&path).is_some_and(is_map);
        let further = Strategy::new(move |state, path| {
            let ty = state.at(path).zip(state.typed()).and_then(|(e, typed)| typed.ty(e.id));
            let array = ty.and_then(Type::as_array).is_some();
            match (array, maps) {
                (true, true) => in_function(elements()).run(state, path),
                (true, false) => rule(&COPY).then(in_function(elements())).run(state, path),
                (false, _) if state.at(path).is_some_and(|e| matches!(&*e.kind, Kind::Local(_))) => {
                    rule(&TO_PRIVATE).run(state, path)
                }
                (false, _) => id().run(state, path),
            }
        });
        Ok(inside(path, further))
    })
}

/// Tiles of the level whose elements are neighbours where they are read, and of the level whose elements are neighbours where they
/// are written. These two become the innermost levels, in this order.
fn tile(loops: &mut Loops, (read, t): (usize, &Nat), (written, v): (usize, Option<&Nat>), ragged: bool) {
    let of_written = v.map(|v| (written, v, "written"));
    let tiled: Vec<_> = [(read, t, "read")].into_iter().chain(of_written).collect();
    if ragged {
        tiled.iter().for_each(|(level, n, _)| loops.round_up(*level, n));
    }
    tiled.iter().for_each(|(level, n, name)| loops.tile(*level, n, name));
    let in_tile = ["read".into(), if v.is_some() { "written".into() } else { Loops::name(written) }];
    let tiles = tiled.iter().map(|(level, ..)| Loops::name(*level));
    loops.innermost(&tiles.chain(in_tile).collect::<Vec<_>>());
}

/// The levels of a tile.
const IN_TILE: usize = 2;

/// A tile for each work-item, in its registers: copied and written element by element, or else so many at a time.
fn by_work_items(loops: &mut Loops, lanes: Option<&Nat>) {
    let around = loops.len() - IN_TILE;
    let in_turn =
        lanes.map_or_else(|| rule(&MAP_SEQ), |n| sized(&VECTOR_MAP, &[n]).then(in_operand(rule(&MAP_SEQ))));
    let row = rule(&COPY).then(in_turn.clone());
    let copy = seq([rule(&COPY), in_function(row), rule(&MAP_SEQ), rule(&TO_PRIVATE)]);
    let written = in_function(element().then(in_turn)).then(rule(&MAP_SEQ));
    loops.step(at_level(around, copied(copy).then(at_tail(written))));
    loops.step(global(around));
}

/// A tile for each work-group, in local memory: neighbouring work-items read neighbours, and write neighbours.
fn by_groups(loops: &mut Loops, rows: &Nat) {
    let around = loops.len() - IN_TILE;
    let shared_out = |row: Strategy| {
        let row = row.then(sized(&MAP_LCL, &[&Nat::from(0)]));
        let some = in_function(in_function(row).then(rule(&MAP_SEQ))).then(sized(&MAP_LCL, &[&Nat::from(1)]));
        sized(&SPLIT_JOIN, &[rows]).then(in_operand(some))
    };
    let in_rows = rule(&COPY).then(in_function(rule(&COPY))).then(shared_out(id()));
    // Rows of as many elements as local memory has banks would all begin in the same bank.
    let local = sized(&TO_LOCAL_PITCHED, &[&Nat::from(1)]).then(in_operand(in_rows));
    let copy = rule(&TURN).then(in_operand(attempt(rule(&TRANSPOSE_TRANSPOSE)).then(local)));
    loops.step(at_level(around, copied(copy).then(at_tail(shared_out(element())))));
    for (k, d) in (0..around).rev().zip(0..) {
        loops.step(at_level(k, sized(&MAP_WRG, &[&Nat::from(d)])));
    }
}

/// The arrays that a tile is made of, each copied.
fn copied(copy: Strategy) -> Strategy {
    let why = "a tile of elements of several arrays is not as wide as the result";
    let copy = copy.because(why);
    each_operand(move |array| hoist(array).then(in_value(copy.clone())))
}

/// Takes away the register that an element which is only moved went through while the loops were put in order.
fn element() -> Strategy {
    in_function(attempt(rule(&FORGET)))
}
