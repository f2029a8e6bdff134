//! Neighbouring results in the lanes of vectors, whatever it takes to compute them: an elementwise pass, a sum for each
//! column, a softmax across planes. All that a work-item computes it computes for several results at once (GPGPU'20
//! §3.4.2, of whole functions).

use super::loops::Loops;
use super::neighbours::{Reads, beside};
use super::nest::{at_level, global, is_map, joined, padding_apart, reduction, simplify_typed, spine, tidy};
use super::{Parameter, Schedule};
use crate::expr::{Child, Expr, Kind};
use crate::nat::Nat;
use crate::origin::Origins;
use crate::parts::Known;
use crate::rules::{TO_PRIVATE, VECTOR_ELEMENTS};
use crate::strategy::{Strategy, Stuck, at_tail, attempt, choose, in_body, in_value, rule, seq, sized};

/// Each work-item computes a vector of neighbouring results.
pub static LANES: Schedule = Schedule {
    name: "lanes",
    source: "GPGPU'20 §3.4.2",
    parameters: &[Parameter {
        name: "V",
        meaning: "neighbouring results of a work-item",
        values: &[2, 4, 8, 16],
    }],
    options: &[
        ("padded", "padding is done by a kernel of its own, not by a guard at every read"),
        (
            "crosswise",
            "vectors lie along elements that are neighbours where they are read, and not where they are written: each lane is written by itself",
        ),
        (
            "merged",
            "levels whose rows follow each other wherever they are read are one level: vectors go on where a row ends",
        ),
        ("ragged", "the last vector may extend beyond the result: what it holds there is discarded"),
        (
            "kept",
            "a work-item keeps the arrays that it computes on the way, and does not compute them again for every use",
        ),
    ],
    derive: |program, sizes, options| {
        let [v] = sizes else { return Err(Stuck::Because("one parameter".into())) };
        let levels = perfect(program.body, &Known::default());
        if levels == 0 {
            return Err(Stuck::Because("no `map` makes its result".into()));
        }
        let v = v.clone();
        let [padded, crosswise, merged, ragged, kept] =
            ["padded", "crosswise", "merged", "ragged", "kept"].map(|name| options.contains(&name));
        let nest = Strategy::new(move |state, path| {
            let none = || Stuck::Because("one work-item computes neighbouring results together".into());
            let e = state.at(path).ok_or_else(none)?;
            let typed = state.typed().ok_or_else(none)?;
            let written = beside(e, typed);
            let reads = |levels: usize| Reads::of(e, levels, typed, &Origins::new(&state.function, typed));
            let level = match crosswise {
                true => {
                    let read = reads(levels).and_then(|reads| reads.beside());
                    read.filter(|level| written != Some(*level))
                        .ok_or_else(|| Stuck::Because(NOT_CROSSWISE.into()))?
                }
                false => written.filter(|level| *level < levels).ok_or_else(none)?,
            };
            let rows = if merged { reads(level + 1).map_or(1, |reads| reads.in_a_row()) } else { 1 };
            if merged && rows < 2 {
                return Err(Stuck::Because(NO_ROWS.into()));
            }
            let (first, left) = (level + 1 - rows, levels + 1 - rows);
            let row = seq((1..rows).map(|_| joined(first)));
            // Results that lie apart are written beside those of the work-item before.
            let last = written.filter(|_| crosswise).map(|k| if k > level { k + 1 - rows } else { k });
            row.then(vectors(left, first, last, &v, [ragged, kept])).run(state, path)
        });
        Ok(if padded { padding_apart().then(at_tail(nest)) } else { nest })
    },
};

const NOT_CROSSWISE: &str = "no level has elements that are neighbours wherever they are read, or they are neighbours in the result, too";
const NO_ROWS: &str = "its rows do not follow each other wherever they are read";

/// Vectors along a level, which becomes the innermost of these but for one that is to be the `last`.
fn vectors(levels: usize, level: usize, last: Option<usize>, v: &Nat, [ragged, kept]: [bool; 2]) -> Strategy {
    let mut loops = Loops::new(levels);
    if ragged {
        loops.round_up(level, v);
    }
    loops.innermost(&[Loops::name(level)]);
    let why = "the function of its `map` does what vectors can't: it compares, converts or asks for single elements";
    loops.step(at_level(levels - 1, sized(&VECTOR_ELEMENTS, &[v]).because(why)).then(tidy()));
    loops.step(simplify_typed());
    if let Some(last) = last {
        loops.innermost(&[Loops::name(last)]);
    }
    loops.at_most(3);
    if kept {
        loops.inside(in_registers());
    }
    if ragged {
        loops.peeled();
    }
    loops.step(global(loops.len()));
    loops.strategy()
}

/// Keeps the arrays that the body of an element names.
fn in_registers() -> Strategy {
    choose(|e| match &*e.kind {
        Kind::Let(_, value, _) if value.at(&spine(value)).is_some_and(is_map) => {
            Ok(in_value(rule(&TO_PRIVATE)).then(in_body(attempt(in_registers()))))
        }
        Kind::Let(..) => Ok(in_body(in_registers())),
        _ => Err(Stuck::Because("its function names no array".into())),
    })
}

/// The number of maps that stand directly in each other, and each of whose elements is computed by itself.
fn perfect(e: &Expr, known: &Known) -> usize {
    let alone = |map: &&Expr| map.as_map().is_some_and(|(_, xs)| !known.is_row(xs));
    let Some(map) = e.at(&spine(e)).filter(|map| is_map(map) && !names_work(e)).filter(alone) else {
        return 0;
    };
    map.child(Child::Function).map_or(0, |body| 1 + perfect(body, &known.inside(map)))
}

/// Are there `let`s of what takes loops to compute around the map that makes it?
fn names_work(e: &Expr) -> bool {
    let around = e.along(&spine(e)).unwrap_or_default();
    around.iter().any(|stop| match &*stop.e.kind {
        Kind::Let(_, value, _) => value.at(&spine(value)).is_some_and(is_map) || reduction(value).is_some(),
        _ => false,
    })
}
