//! Results that each take a whole row to compute: its sum, or a softmax. A work-group takes a row. Its work-items
//! share the terms of every reduction, and each combines the partial results of all (GPGPU'20 §4.2.2). Arrays that
//! are computed from a row are kept in local memory, or computed again for every use: rows may be too long to be kept.

use super::loops::Loops;
use super::nest::{at_level, at_spine, hoist, is_map, simplify_typed, spine, tidy};
use super::sharing::{
    Sides, among_items, cut, each_reduction, in_rounds, maps_over_rows, of_own_terms, parts, reductions,
};
use super::{Parameter, Schedule};
use crate::expr::{Child, Expr, Kind, Path};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    AGAIN, ALONE, MAP_FUSION, MAP_SEQ, MAP_WRG, PEELED, REDUCE_MAP_FUSION, REDUCE_REST, REDUCE_SEQ, ROUND_UP,
    SPLIT_JOIN, TO_LOCAL, VECTOR_ELEMENTS,
};
use crate::strategy::{
    Strategy, Stuck, choose, everywhere, id, in_array, in_body, in_function, in_operand, in_start, in_value,
    inside, inwards, rule, seq, sized,
};

/// A work-group takes a row of the result, and its work-items share the row's reductions.
pub static ROWS: Schedule = Schedule {
    name: "rows",
    source: "GPGPU'20 §4.2.2",
    parameters: &[
        Parameter {
            name: "L",
            meaning: "work-items that share a row",
            values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
        },
        Parameter {
            name: "V",
            meaning: "width of the vectors of neighbouring terms",
            values: &[1, 2, 4, 8, 16],
        },
        Parameter {
            name: "U",
            meaning: "vectors of sums that a work-item adds to side by side",
            values: &[1, 2, 4, 8],
        },
    ],
    options: &[
        ("ragged", "rows may be no whole number of rounds of the work-items"),
        ("vectors", "work-items take vectors of neighbouring elements, and add to several sums side by side"),
        ("again", "arrays that are computed from a row are computed again for every use, and not kept"),
    ],
    derive: |program, sizes, options| {
        let [items, width, vectors] = sizes else { return Err(Stuck::Because("three parameters".into())) };
        let levels = maps_over_rows(program.body)
            .ok_or_else(|| Stuck::Because("none of the `map`s that make its result reduces rows".into()))?;
        let [ragged, vectors_, again] = ["ragged", "vectors", "again"].map(|name| options.contains(&name));
        if again && !names_arrays(program.body) {
            return Err(Stuck::Because("no row has an array that is kept".into()));
        }
        let sides =
            if vectors_ { Some(Sides { width: width.clone(), vectors: vectors.clone() }) } else { None };
        let shares = Sharing { items: items.clone(), ragged, again, sides };
        let mut loops = Loops::new(levels);
        // As many dimensions as its work-items have.
        loops.at_most(1);
        let innermost = loops.len() - 1;
        loops.step(at_level(
            innermost,
            choose(move |map| {
                let shared = in_function(shares.of_row());
                let body = map
                    .child(Child::Function)
                    .ok_or_else(|| Stuck::Because("there is no function here".into()))?;
                let is_row = parts(body).last().is_some_and(|result| is_array(result));
                Ok(if is_row { shared } else { shared.then(alone()) })
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
    again: bool,
    sides: Option<Sides>,
}

impl Sharing {
    /// The body of a row: arrays that `let`s bind are kept in local memory, or put where they are used, and the expression
    /// behind them is the result.
    fn of_row(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            Ok(match &*e.kind {
                Kind::Let(_, value, _) if this.again && is_array(value) => {
                    let fused = everywhere(rule(&MAP_FUSION).or(rule(&REDUCE_MAP_FUSION)));
                    seq([rule(&AGAIN), fused, this.of_row()])
                }
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

    /// In rounds: neighbouring work-items have neighbouring elements, or vectors of them where its function can be computed
    /// by vectors.
    fn of_array(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            if !reductions(e).is_empty() {
                return Err(Stuck::Because("a `map` in a row goes over the result of a reduction".into()));
            }
            let one_by_one = this.whole(&this.items, this.rounds());
            Ok(inside(
                spine(e),
                match &this.sides {
                    Some(Sides { width, .. }) => this.of_vectors(width).or(one_by_one),
                    None => one_by_one,
                },
            ))
        })
    }

    fn of_vectors(&self, width: &Nat) -> Strategy {
        let vectors = seq([sized(&VECTOR_ELEMENTS, &[width]), tidy(), simplify_typed()]);
        self.whole(&(&self.items * width), vectors.then(at_spine(self.rounds())))
    }

    /// A map of a multiple of so many elements.
    fn whole(&self, elements: &Nat, s: Strategy) -> Strategy {
        if self.ragged { sized(&ROUND_UP, &[elements]).then(in_operand(s)) } else { s }
    }

    /// The last round is computed apart where it has elements that are discarded.
    fn rounds(&self) -> Strategy {
        let peeled = if self.ragged && self.sides.is_some() { rule(&PEELED) } else { id() };
        sized(&SPLIT_JOIN, &[&self.items]).then(in_operand(seq([
            in_function(among_items()),
            peeled,
            rule(&MAP_SEQ),
        ])))
    }

    /// Each of its reductions.
    fn of_scalar(&self) -> Strategy {
        each_reduction(self.of_reduction())
    }

    /// Each work-item reduces the terms of its rounds; then each of them reduces the partial results of all.
    fn of_reduction(&self) -> Strategy {
        let one_by_one = in_rounds(&self.items, self.ragged).then(of_group(of_own_terms()));
        let Some(sides) = &self.sides else { return one_by_one };
        let round = &self.items * &sides.terms();
        let own = each_reduction(sides.side_by_side());
        let whole = sides.in_rounds(&self.items).then(of_group(in_function(own).then(among_items())));
        match self.ragged {
            // What is less than a round of vectors is shared one by one.
            true => cut(sized(&REDUCE_REST, &[&round])).then(in_start(whole)).then(one_by_one),
            false => whole,
        }
    }
}

/// The partial results of all work-items, in local memory, and the reduction of these.
fn of_group(own: Strategy) -> Strategy {
    in_array(own.then(rule(&TO_LOCAL))).then(rule(&REDUCE_SEQ))
}

/// Has the function of a map, however deep, a `let` that binds an array?
fn names_arrays(e: &Expr) -> bool {
    let body = e.at(&spine(e)).and_then(|map| map.child(Child::Function));
    body.is_some_and(|body| {
        let (bound, result) = parts(body).split_last().map_or((vec![], body), |(r, b)| (b.to_vec(), *r));
        bound.into_iter().any(is_array) || names_arrays(result)
    })
}

fn is_array(e: &Expr) -> bool {
    e.at(&spine(e)).is_some_and(is_map)
}

/// A row whose result is one number: one work-item computes it from the partial results.
fn alone() -> Strategy {
    choose(|map| {
        let none = || Stuck::Because("the result of a row contains no reduction".into());
        let body = map.child(Child::Function).ok_or_else(none)?;
        let lets = parts(body).len() - 1;
        let result = body.path(&vec![Child::Body; lets]).ok_or_else(none)?;
        match &body.at(&result).map(in_local_memory).unwrap_or_default()[..] {
            [] => Err(none()),
            [found] => {
                let one = in_operand(in_function(inside(result.clone(), among_items())));
                Ok(inwards(&ALONE, result.then(found)).then(one))
            }
            // All others are computed before, by all work-items.
            [first, ..] => Ok(in_function(inside(result, hoist(first.clone()))).then(alone())),
        }
    })
}

/// The paths to what is kept in local memory.
fn in_local_memory(e: &Expr) -> Vec<Path> {
    if matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Local))) {
        return vec![Path::default()];
    }
    let found = e.steps().into_iter().map(|(_, step, child)| (step, in_local_memory(child)));
    found.flat_map(|(step, paths)| paths.into_iter().map(move |path| step.then(&path))).collect()
}
