//! How the work-items of a group share prefix sums: each scans its own elements, and what is before these is found in
//! local memory.

use super::nest::{at_spine, each_operand, hoist, is_map, no_reduction, spine};
use super::sharing::{among_items, in_rounds, of_own_terms};
use crate::expr::Child::{self, Array, Body, Function, Operand, Part, Step};
use crate::expr::{Expr, Kind};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    ALONE, COPY, MAP_SEQ, MAP_WRG, PIECES, REDUCE_SEQ, SCAN_ALONE, SCAN_SPLIT, SPLIT_JOIN, TO_GLOBAL,
    TO_LOCAL, TO_LOCAL_PITCHED, TO_PRIVATE,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, choose, id, in_array, in_body, in_function, in_operand, in_start, in_step,
    in_value, inside, inwards, rule, seq, sized,
};

pub(super) const WHY: &str =
    "only a scan that adds, multiplies, or takes the minimum or maximum can be split into chunks";

/// Where the sums before the chunks are, and the totals of the chunks, in what `scanSplit` makes:
/// `join(map(…, zip(starts, chunks)))`, where `starts` is `scan(z, …, pad(1, 0, 0, take(m / n - 1, totals)))`.
pub(super) const STARTS: [Child; 3] = [Operand, Array, Part(0)];
pub(super) const TOTALS: [Child; 6] = [Operand, Array, Part(0), Array, Operand, Operand];

pub(super) fn is_scan(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Scan))
}

/// A scan that a group shares: each work-item has its own elements, and one of them scans the totals of all.
pub(super) fn in_group(own: &Nat) -> Strategy {
    let total = of_own_terms().then(rule(&TO_LOCAL));
    let start = in_function(in_start(rule(&TO_PRIVATE))).then(among_items()).then(rule(&TO_LOCAL));
    at_spine(seq([
        sized(&SCAN_SPLIT, &[own]).because(WHY),
        inside(TOTALS, total),
        inside(STARTS, rule(&SCAN_ALONE).then(in_operand(start))),
        in_operand(in_function(running()).then(among_items())),
    ]))
}

/// The running values in registers, one loop over the elements.
pub(super) fn running() -> Strategy {
    in_registers().then(at_spine(rule(&TO_GLOBAL)))
}

fn in_registers() -> Strategy {
    choose(|e| {
        let path = spine(e);
        let scan = e.at(&path).filter(|e| is_scan(e)).ok_or_else(|| Stuck("there is no scan".into()))?;
        let step = match scan.child(Step).is_some_and(is_map) {
            true => rule(&MAP_SEQ),
            false => id(),
        };
        Ok(inside(path, seq([in_start(rule(&TO_PRIVATE)), in_step(step)])))
    })
}

/// A scan that a group shares in local memory: its work-items copy the array there and the results back, neighbours
/// neighbouring elements, and each scans its own elements in between.
#[derive(Clone)]
pub(super) struct Staging {
    /// The elements of a work-item.
    pub own: Nat,
    /// How many sums of work-items one of them scans.
    pub sums: Nat,
    /// How many elements the elements of different work-items are further apart than there are, against bank conflicts.
    pub pitch: Nat,
}

impl Staging {
    /// The scan of a group's array, which is staged.
    pub fn in_group(&self) -> Strategy {
        let this = self.clone();
        let copied = each_operand(move |array| hoist(array).then(in_value(this.copied_in())));
        at_spine(copied.then(at_tail(self.results())))
    }

    /// A short scan: one group does all of it, where its array is.
    pub fn in_one_group(&self) -> Strategy {
        let scan = self.shared(in_operand(in_function(running()).then(among_items())));
        rule(&SCAN_ALONE).then(in_operand(in_function(scan).then(sized(&MAP_WRG, &[&Nat::from(0)]))))
    }

    /// The totals of chunks of `n` elements: the work-items of a group take a chunk's terms in rounds, some of them what all
    /// have found, and one of them what these have.
    pub fn totals(&self, n: &Nat) -> Strategy {
        let items = n.div(&self.own);
        let found = of_own_terms().then(rule(&TO_LOCAL));
        let all = in_rounds(&items, false).then(hoist([Array])).then(in_value(found.clone()));
        let some = in_rounds(&items.div(&self.sums), false).then(in_array(found)).then(rule(&REDUCE_SEQ));
        let alone = choose(|map| {
            let found = map.child(Function).and_then(|e| e.path(&[Body, Array]));
            Ok(inwards(&ALONE, found.ok_or_else(no_reduction)?))
        });
        let group = in_function(in_body(among_items())).then(sized(&MAP_WRG, &[&Nat::from(0)]));
        in_function(all.then(in_body(some))).then(alone).then(in_operand(group))
    }

    /// An array in local memory, a row for each work-item.
    fn copied_in(&self) -> Strategy {
        let this = self.clone();
        with_length(move |n| {
            seq([
                sized(&PIECES, &[&this.own]),
                in_operand(seq([this.in_rows(), in_operand(in_operand(copied(&n.div(&this.own))))])),
            ])
        })
    }

    fn in_rows(&self) -> Strategy {
        sized(&TO_LOCAL_PITCHED, &[&self.pitch])
    }

    /// The prefix sums of what is in local memory, there, and then in the result.
    fn results(&self) -> Strategy {
        let this = self.clone();
        with_length(move |n| {
            let results = seq([in_function(in_registers()), among_items(), this.in_rows()]);
            this.shared(in_operand(results).then(copied(&n.div(&this.own))))
        })
    }

    /// The sum of each work-item's elements, what is before these, and then their prefix sums.
    fn shared(&self, results: Strategy) -> Strategy {
        let starts = hoist(STARTS).then(in_value(self.before()));
        split_up(&self.own, starts.then(in_body(results)))
    }

    /// What is before each sum: some work-items scan several sums each, and one of them what these have in all.
    fn before(&self) -> Strategy {
        let one = in_function(in_start(rule(&TO_PRIVATE))).then(among_items()).then(rule(&TO_LOCAL));
        let each = in_function(in_registers()).then(among_items());
        split_up(
            &self.sums,
            seq([inside(STARTS, rule(&SCAN_ALONE).then(in_operand(one))), in_operand(each), rule(&TO_LOCAL)]),
        )
    }
}

/// A scan in chunks, whose totals the work-items of a group compute, one each.
fn split_up(n: &Nat, rest: Strategy) -> Strategy {
    seq([
        sized(&SCAN_SPLIT, &[n]).because(WHY),
        inside(TOTALS, of_own_terms().then(rule(&TO_LOCAL))),
        hoist(TOTALS),
        in_body(rest),
    ])
}

/// An array that so many work-items copy: neighbours have neighbouring elements.
fn copied(items: &Nat) -> Strategy {
    let rounds = in_function(among_items()).then(rule(&MAP_SEQ));
    seq([rule(&COPY), sized(&SPLIT_JOIN, &[items]), in_operand(rounds)])
}

/// A strategy that depends on an array's length.
fn with_length(s: impl Fn(&Nat) -> Strategy + 'static) -> Strategy {
    Strategy::new(move |state, path| {
        let array = state.at(path).zip(state.typed()).and_then(|(e, typed)| typed.ty(e.id)?.as_array());
        let (_, length) = array.ok_or_else(|| Stuck("it is no array".into()))?;
        s(length).run(state, path)
    })
}
