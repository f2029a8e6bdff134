//! Sums of many terms for few results: of a long array, of long rows, of the columns of a tall matrix. The terms are
//! cut into chunks. A work-group takes a chunk of one result, or of several that are neighbours in memory; one kernel
//! computes the results of the chunks, another puts them together (GPGPU'20 §4.2, "split reduction"). Within a chunk
//! the work-items of a group share the terms as in `rows`.

use super::loops::Loops;
use super::nest::{at_level, global, hoist, interchange, is_map, last_array, levels, simplify, spine, tidy};
use super::partial::terms;
use super::rows::{COMBINES, any_order, each_reduction, in_rounds, parts, reductions};
use super::{Parameter, Schedule};
use crate::expr::Child::{Array, Function, Value};
use crate::expr::{Expr, Kind, Path};
use crate::nat::Nat;
use crate::rules::{
    BETA, MAP_FISSION, MAP_JOIN, MAP_LCL, MAP_WRG, PARTIAL_SUMS, PROJECT, REDUCE_ROUND_UP, REDUCE_SEQ,
    TO_GLOBAL, TO_LOCAL,
};
use crate::strategy::{
    Strategy, Stuck, attempt, choose, everywhere, id, in_body, in_function, in_value, inside, inwards, rule,
    seq, sized,
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
        let [terms, items, beside] = sizes else { return Err(Stuck("three parameters".into())) };
        let Some(most) = parts(program.body).into_iter().filter_map(around).max() else {
            return Err(Stuck("nothing that it computes is a reduction, or a `map` of reductions".into()));
        };
        let ragged = options.contains(&"ragged");
        let [terms, items, beside] = [terms, items, beside].map(Clone::clone);
        let beside = if most == 0 { Nat::from(1) } else { beside };
        Ok(Chunks { terms, items, beside, ragged }.whole())
    },
};

/// The number of nested maps around reductions that are in no other function.
fn around(e: &Expr) -> Option<usize> {
    if parts(e).into_iter().any(|part| !reductions(part).is_empty()) {
        return Some(0);
    }
    let map = e.at(&spine(e)).filter(|map| is_map(map) && !named(e))?;
    Some(1 + around(map.child(Function)?)?)
}

/// Does it begin with a `let`?
fn named(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Let(..))
}

/// The function of the innermost of this many maps; without maps the whole.
fn row(e: &Expr, maps: usize) -> Result<&Expr, Stuck> {
    let Some(innermost) = maps.checked_sub(1) else { return Ok(e) };
    levels(e).get(innermost).and_then(|path| e.at(path)?.child(Function)).ok_or_else(none)
}

fn none() -> Stuck {
    Stuck("there is no reduction".into())
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
            let before = match parts(value).into_iter().any(|part| around(part).is_some()) {
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
            let Some(maps) = around(e) else { return Ok(spread()) };
            let body = row(e, maps)?;
            if !named(body) {
                return Ok(this.in_row(maps, this.cut()).then(this.apart(maps)));
            }
            let value = body.path(&[Value]).ok_or_else(none)?;
            let unnamed = at_level(maps - 1, in_function(attempt(rule(&BETA)))).then(simplify());
            Ok(taken_out(maps, value).then(in_body(unnamed)).then(this.whole()))
        })
    }

    /// Reductions inside this many maps are cut into chunks.
    fn cut(&self) -> Strategy {
        let rounded = if self.ragged { sized(&REDUCE_ROUND_UP, &[&self.terms]) } else { id() };
        let cut = seq([any_order(), rounded, sized(&PARTIAL_SUMS, &[&self.terms])]);
        each_reduction(cut.because(COMBINES))
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
            let row = row(e, maps)?;
            let is_open = |sum: &Path| row.at(sum).and_then(|sum| sum.child(Array)).is_some_and(is_map);
            let Some(sum) = reductions(row).into_iter().find(is_open) else { return Ok(rest.clone()) };
            let array = sum.then(&row.at(&sum).and_then(|sum| sum.path(&[Array])).ok_or_else(none)?);
            // Neighbours in memory are the same as in the result: the chunks are the outermost level.
            let ordered = seq((0..maps).rev().map(interchange));
            let tidied = seq([everywhere(rule(&PROJECT)), simplify(), tidy(), ordered]);
            let beside = if maps == 0 { Nat::from(1) } else { this.beside.clone() };
            let shared = shared(maps + 1, &this.items, &beside, this.rest(maps, round_up));
            let memory = choose(|e| Ok(inside(spine(e), rule(&TO_GLOBAL))));
            let kept = tidied.then(shared).then(memory);
            let further = this.kept(maps, round_up, rest.clone());
            Ok(taken_out(maps, array).then(in_value(kept)).then(in_body(simplify().then(further))))
        })
    }
}

/// What is done where numbers do not divide.
#[derive(Clone, Copy, PartialEq)]
pub enum Rest {
    /// They have to.
    None,
    /// Work-items without terms have the identity element.
    Terms,
    /// That, and the last group may have fewer results than others.
    Results,
}

/// A group takes neighbouring results of this many maps, and its work-items share the terms of their reductions.
pub fn shared(maps: usize, items: &Nat, beside: &Nat, rest: Rest) -> Strategy {
    let mut loops = Loops::new(maps);
    if rest == Rest::Results {
        loops.round_up(maps - 1, beside);
    }
    loops.tile(maps - 1, beside, "beside");
    loops.at_most(2);
    loops.step(at_level(1, in_function(each_reduction(in_rounds(items, rest != Rest::None)))));
    loops.step(at_level(1, lanes()));
    loops.step(at_level(1, in_function(each_reduction(rule(&REDUCE_SEQ))).then(in_group())));
    loops.step(at_level(0, sized(&MAP_WRG, &[&Nat::from(0)])));
    loops.strategy()
}

/// An expression inside this many maps is computed before them, for all their elements.
fn taken_out(maps: usize, part: Path) -> Strategy {
    let Some(innermost) = maps.checked_sub(1) else { return hoist(part) };
    let outwards = (0..innermost).rev().map(|level| {
        let found = |map: &Expr| map.child(Function).and_then(last_array);
        at_level(level, choose(move |map| Ok(inwards(&MAP_FISSION, found(map).ok_or_else(none)?))))
    });
    let taken = at_level(innermost, inwards(&MAP_FISSION, part)).then(seq(outwards));
    taken.then(choose(|e| Ok(hoist(terms(e)?))))
}

/// All terms of a reduction are one chunk.
fn all_at_once() -> Strategy {
    Strategy::new(|state, path| {
        let array = state.at(path).and_then(|reduction| reduction.child(Array));
        let terms = array.and_then(|xs| state.typed()?.ty(xs.id)?.as_array());
        let (_, all) = terms.ok_or_else(none)?;
        sized(&PARTIAL_SUMS, &[all]).run(state, path)
    })
}

/// What the work-items that share results find is kept in local memory: neighbours have neighbouring results.
fn lanes() -> Strategy {
    choose(|map| {
        let body = map.child(Function).ok_or_else(none)?;
        let is_open = |sum: &Path| body.at(sum).and_then(|sum| sum.child(Array)).is_some_and(is_map);
        let Some(sum) = reductions(body).into_iter().find(is_open) else { return Ok(id()) };
        let array = sum.then(&body.at(&sum).and_then(|sum| sum.path(&[Array])).ok_or_else(none)?);
        let own = choose(|map| Ok(inside(last_array(map).ok_or_else(none)?, own())));
        Ok(inwards(&MAP_FISSION, array).then(own).then(lanes()))
    })
}

/// The terms of each work-item, one after the other.
fn own() -> Strategy {
    seq([
        interchange(0),
        at_level(0, rule(&MAP_JOIN)).then(tidy()),
        at_level(0, in_function(each_reduction(rule(&REDUCE_SEQ))).then(in_group())),
        choose(|e| Ok(inside(spine(e), rule(&TO_LOCAL)))),
    ])
}

fn in_group() -> Strategy {
    sized(&MAP_LCL, &[&Nat::from(0)])
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
