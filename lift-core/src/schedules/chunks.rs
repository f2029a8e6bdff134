//! Sums of many terms for few results: of a long array, of long rows, of the columns of a tall matrix. The terms are
//! cut into chunks. A work-group takes a chunk of one result, or of several that are neighbours in memory; one kernel
//! computes the results of the chunks, another puts them together (GPGPU'20 §4.2, "split reduction"). Within a chunk
//! the work-items of a group share the terms (`sharing`).

use super::loops::Loops;
use super::nest::{at_level, at_spine, global, hoist, interchange, levels, no_reduction, simplify, tidy};
use super::partial::{array_taken_out, terms};
use super::sharing::{
    Rest, array_to_keep, cut, each_reduction, has_lets, maps_around, parts, rounded, shared,
};
use super::{Parameter, Schedule};
use crate::expr::Child::{Array, Function, Value};
use crate::expr::{Expr, Kind, Path};
use crate::nat::Nat;
use crate::rules::{BETA, PARTIAL_SUMS, PROJECT, REDUCE_SEQ, TO_GLOBAL};
use crate::strategy::{
    Strategy, Stuck, attempt, choose, everywhere, id, in_body, in_function, in_value, rule, seq, sized,
};

/// The terms of each sum are cut into chunks; a second kernel puts the results of the chunks together.
pub static CHUNKS: Schedule = Schedule {
    name: "chunks",
    source: "GPGPU'20 §4.2",
    parameters: &[
        Parameter {
            name: "C",
            meaning: "terms of a chunk",
            values: &[4, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536],
        },
        Parameter {
            name: "L",
            meaning: "work-items that share the terms of a chunk",
            values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
        },
        Parameter {
            name: "W",
            meaning: "neighbouring results of a work-group",
            values: &[1, 2, 4, 8, 16, 32, 64, 128],
        },
    ],
    options: &[(
        "ragged",
        "the terms may be no whole number of chunks, and the results no whole number of groups",
    )],
    derive: |program, sizes, options| {
        let [terms, items, beside] = sizes else { return Err(Stuck::Because("three parameters".into())) };
        let Some(most) = parts(program.body).into_iter().filter_map(maps_around).max() else {
            return Err(Stuck::Because(
                "nothing that it computes is a reduction, or a `map` of reductions".into(),
            ));
        };
        let ragged = options.contains(&"ragged");
        let [terms, items, beside] = [terms, items, beside].map(Clone::clone);
        let beside = if most == 0 { Nat::from(1) } else { beside };
        Ok(Chunks { terms, items, beside, ragged }.whole())
    },
};

/// The function of the innermost of this many maps; without maps the whole.
fn row(e: &Expr, maps: usize) -> Result<&Expr, Stuck> {
    let Some(innermost) = maps.checked_sub(1) else { return Ok(e) };
    levels(e).get(innermost).and_then(|path| e.at(path)?.child(Function)).ok_or_else(no_reduction)
}

#[derive(Clone)]
struct Chunks {
    terms: Nat,
    items: Nat,
    beside: Nat,
    ragged: bool,
}

impl Chunks {
    /// What `let`s bind is computed before what is behind them, if it reduces anything.
    fn whole(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            let Kind::Let(_, value, _) = &*e.kind else { return Ok(this.nest()) };
            let before = match parts(value).into_iter().any(|part| maps_around(part).is_some()) {
                true => in_value(this.whole().then(rule(&TO_GLOBAL))),
                false => id(),
            };
            Ok(before.then(in_body(this.whole())))
        })
    }

    /// Nested maps around reductions. What `let`s bind in their function is computed for all rows first.
    fn nest(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            let Some(maps) = maps_around(e) else { return Ok(spread()) };
            let body = row(e, maps)?;
            if !has_lets(body) {
                return Ok(this.in_row(maps, this.cut()).then(this.apart(maps)));
            }
            let value = body.path(&[Value]).ok_or_else(no_reduction)?;
            let unnamed = at_level(maps - 1, in_function(attempt(rule(&BETA)))).then(simplify());
            Ok(taken_out(maps, value).then(in_body(unnamed)).then(this.whole()))
        })
    }

    /// Reductions inside this many maps are cut into chunks.
    fn cut(&self) -> Strategy {
        let partial = rounded(&self.terms, self.ragged).then(sized(&PARTIAL_SUMS, &[&self.terms]));
        each_reduction(cut(partial))
    }

    /// What may be left over where work-items share terms, or the results of chunks: nobody asks for a number of chunks
    /// that they can share evenly.
    fn rest(&self, maps: usize, of_chunks: bool) -> Rest {
        match maps {
            1.. if self.ragged => Rest::Results,
            _ if self.ragged || of_chunks => Rest::Terms,
            _ => Rest::None,
        }
    }

    fn in_row(&self, maps: usize, s: Strategy) -> Strategy {
        match maps.checked_sub(1) {
            Some(innermost) => at_level(innermost, in_function(s)),
            None => s,
        }
    }

    /// The results of the chunks are computed by kernels of their own before they are put together.
    fn apart(&self, maps: usize) -> Strategy {
        match maps {
            // One result: a group puts the results of the chunks together too.
            0 => {
                let once = all_at_once().then(self.kept(0, true, each_reduction(rule(&REDUCE_SEQ))));
                self.kept(0, false, each_reduction(once))
            }
            _ => self.kept(maps, false, shared(maps, &self.items, &self.beside, self.rest(maps, true))),
        }
    }

    /// The arrays of results that reductions inside this many maps go over are computed before, and kept in memory.
    fn kept(&self, maps: usize, round_up: bool, rest: Strategy) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            let Some(array) = array_to_keep(row(e, maps)?) else { return Ok(rest.clone()) };
            // Neighbours in memory are the same as in the result: the chunks are the outermost level.
            let ordered = seq((0..maps).rev().map(interchange));
            let tidied = seq([everywhere(rule(&PROJECT)), simplify(), tidy(), ordered]);
            let beside = if maps == 0 { Nat::from(1) } else { this.beside.clone() };
            let shared = shared(maps + 1, &this.items, &beside, this.rest(maps, round_up));
            let kept = tidied.then(shared).then(at_spine(rule(&TO_GLOBAL)));
            let further = this.kept(maps, round_up, rest.clone());
            Ok(taken_out(maps, array).then(in_value(kept)).then(in_body(simplify().then(further))))
        })
    }
}

/// An expression inside this many maps is computed before them, for all their elements.
fn taken_out(maps: usize, part: Path) -> Strategy {
    let Some(innermost) = maps.checked_sub(1) else { return hoist(part) };
    array_taken_out(innermost, move |_| Some(part.clone())).then(choose(|e| Ok(hoist(terms(e)?))))
}

/// All terms of a reduction are one chunk.
fn all_at_once() -> Strategy {
    Strategy::new(|state, path| {
        let array = state.at(path).and_then(|reduction| reduction.child(Array));
        let terms = array.and_then(|xs| state.typed()?.ty(xs.id)?.as_array());
        let (_, all) = terms.ok_or_else(no_reduction)?;
        sized(&PARTIAL_SUMS, &[all]).run(state, path)
    })
}

/// What reduces nothing has a work-item for each element.
fn spread() -> Strategy {
    choose(|e| {
        let mut loops = Loops::new(levels(e).len());
        loops.at_most(3);
        loops.step(global(loops.len()));
        Ok(loops.strategy())
    })
}
