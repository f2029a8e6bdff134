//! Results that each take a whole row to compute: its sum, or a softmax. A work-group takes a row. Its work-items
//! share the terms of every reduction, and each combines the partial results of all (GPGPU'20 §4.2.2). Arrays that
//! are computed from a row are kept in local memory.

use super::loops::Loops;
use super::nest::{at_level, is_map, spine};
use super::sharing::{among_items, each_reduction, in_rounds, maps_over_rows, of_own_terms, reductions};
use super::{Parameter, Schedule};
use crate::expr::{Child, Expr, Kind};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{ALONE, MAP_SEQ, MAP_WRG, REDUCE_SEQ, ROUND_UP, SPLIT_JOIN, TO_LOCAL};
use crate::strategy::{
    Strategy, Stuck, choose, in_array, in_body, in_function, in_operand, in_value, inside, inwards, rule,
    seq, sized,
};

/// A work-group takes a row of the result, and its work-items share the row's reductions.
pub static ROWS: Schedule = Schedule {
    name: "rows",
    source: "GPGPU'20 §4.2.2",
    parameters: &[Parameter {
        name: "L",
        meaning: "work-items that share a row",
        values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    }],
    options: &[("ragged", "rows may be no whole number of rounds of the work-items")],
    derive: |program, sizes, options| {
        let [items] = sizes else { return Err(Stuck("one parameter".into())) };
        let levels = maps_over_rows(program.body)
            .ok_or_else(|| Stuck("none of the `map`s that make its result reduces rows".into()))?;
        let shares = Sharing { items: items.clone(), ragged: options.contains(&"ragged") };
        let mut loops = Loops::new(levels);
        // As many dimensions as its work-items have.
        loops.at_most(1);
        let innermost = loops.len() - 1;
        loops.step(at_level(
            innermost,
            choose(move |map| {
                let shared = in_function(shares.of_row());
                let (lets, result) = tail(
                    map.child(Child::Function).ok_or_else(|| Stuck("there is no function here".into()))?,
                );
                Ok(if is_array(result) { shared } else { shared.then(alone(lets)) })
            }),
        ));
        loops.step(at_level(innermost, sized(&MAP_WRG, &[&Nat::from(0)])));
        Ok(loops.strategy())
    },
};

/// How the work-items of a group share a row.
#[derive(Clone)]
struct Sharing {
    items: Nat,
    ragged: bool,
}

impl Sharing {
    /// The body of a row: arrays that `let`s bind are kept in local memory, and the expression behind them is the result.
    fn of_row(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            Ok(match &*e.kind {
                Kind::Let(_, value, _) => {
                    let named = if is_array(value) {
                        this.of_array().then(rule(&TO_LOCAL))
                    } else {
                        this.of_scalar()
                    };
                    in_value(named).then(in_body(this.of_row()))
                }
                _ if is_array(e) => this.of_array(),
                _ => this.of_scalar(),
            })
        })
    }

    /// In rounds: neighbouring work-items have neighbouring elements.
    fn of_array(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            if !reductions(e).is_empty() {
                return Err(Stuck("a `map` in a row goes over the result of a reduction".into()));
            }
            let rounds = seq([
                sized(&SPLIT_JOIN, &[&this.items]),
                in_operand(in_function(among_items()).then(rule(&MAP_SEQ))),
            ]);
            let shared = match this.ragged {
                true => sized(&ROUND_UP, &[&this.items]).then(in_operand(rounds)),
                false => rounds,
            };
            Ok(inside(spine(e), shared))
        })
    }

    /// Each of its reductions.
    fn of_scalar(&self) -> Strategy {
        each_reduction(self.of_reduction())
    }

    /// Each work-item reduces the terms of its rounds; then each of them reduces the partial results of all.
    fn of_reduction(&self) -> Strategy {
        let own = of_own_terms().then(rule(&TO_LOCAL));
        seq([in_rounds(&self.items, self.ragged), in_array(own), rule(&REDUCE_SEQ)])
    }
}

fn is_array(e: &Expr) -> bool {
    e.at(&spine(e)).is_some_and(is_map)
}

/// The number of `let`s that a body begins with, and the expression behind them.
fn tail(e: &Expr) -> (usize, &Expr) {
    match &*e.kind {
        Kind::Let(_, _, body) => {
            let (lets, tail) = tail(body);
            (lets + 1, tail)
        }
        _ => (0, e),
    }
}

/// A row whose result is one number, behind this many `let`s: one work-item computes it from the partial results.
fn alone(lets: usize) -> Strategy {
    choose(move |map| {
        let is_found =
            |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Local)));
        let none = || Stuck("the result of a row contains no reduction".into());
        let body = map.child(Child::Function).ok_or_else(none)?;
        let result = body.path(&vec![Child::Body; lets]).ok_or_else(none)?;
        let found = body.at(&result).and_then(|result| result.first(&is_found)).ok_or_else(none)?;
        let one = in_operand(in_function(inside(result.clone(), among_items())));
        Ok(inwards(&ALONE, result.then(&found)).then(one))
    })
}
