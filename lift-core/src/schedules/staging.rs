//! Prefix sums in local memory. The work-items of a group copy an array there and the results back, neighbours
//! neighbouring elements, and each scans its own elements in between. An array that is too long goes through local
//! memory piece by piece.

use super::nest::{at_spine, each_operand, hoist, no_reduction};
use super::prefixes::{STARTS, TOTALS, WHY, in_registers, running};
use super::sharing::{among_items, in_rounds, of_own_terms};
use crate::expr::Child::{Array, Body, Function};
use crate::nat::Nat;
use crate::rules::{
    ALONE, COPY, MAP_SEQ, MAP_WRG, PIECES, REDUCE_SEQ, SCAN_ALONE, SCAN_PIECES, SCAN_ROWS, SCAN_SPLIT,
    SPLIT_JOIN, TO_LOCAL, TO_LOCAL_PITCHED, TO_PRIVATE,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, choose, in_array, in_body, in_function, in_operand, in_start, in_step,
    in_value, inside, inwards, rule, seq, sized,
};

/// How the elements of a group lie in local memory, and what its work-items do with them.
#[derive(Clone)]
pub(super) struct Staging {
    /// The elements of a work-item: a row in local memory.
    pub own: Nat,
    /// How many elements rows are further apart than they are long, against bank conflicts.
    pub pitch: Nat,
    /// How many sums of rows one work-item scans.
    pub sums: Nat,
    /// The elements of a piece, if a group goes through its array piece by piece.
    pub piece: Option<Nat>,
}

impl Staging {
    /// A group's array is a whole number of these.
    pub fn least(&self) -> Nat {
        self.piece.clone().unwrap_or_else(|| self.whole())
    }

    /// The elements of the work-items whose sums one of them scans.
    pub fn whole(&self) -> Nat {
        &self.own * &self.sums
    }

    /// The scan of a group.
    pub fn in_group(&self) -> Strategy {
        match &self.piece {
            Some(piece) => self.in_turn(piece),
            None => self.staged(self.copied_out()),
        }
    }

    /// A short scan: one group does all of it, where its array is.
    pub fn in_one_group(&self) -> Strategy {
        let scan = self.shared(in_operand(in_function(running()).then(among_items())));
        rule(&SCAN_ALONE).then(in_operand(in_function(scan).then(sized(&MAP_WRG, &[&Nat::from(0)]))))
    }

    /// The totals of chunks of `n` elements: the work-items of a group take a chunk's terms in rounds, some of them
    /// what all have found, and one of them what these have.
    pub fn totals(&self, n: &Nat) -> Strategy {
        let items = self.piece.as_ref().unwrap_or(n).div(&self.own);
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

    /// Piece by piece: the results of one stay in local memory until the next begins with the last of them.
    fn in_turn(&self, piece: &Nat) -> Strategy {
        let own = in_function(rule(&COPY).then(rule(&MAP_SEQ))).then(among_items());
        let start = seq([rule(&COPY), own, self.in_rows()]);
        let results = in_operand(in_function(in_registers()).then(among_items()));
        let step = at_spine(self.staged(self.shared(results)));
        let pieces = seq([
            sized(&SCAN_ROWS, &[&self.own]),
            in_array(in_start(start).then(in_step(step))),
            in_function(copied(&piece.div(&self.own))).then(rule(&MAP_SEQ)),
        ]);
        sized(&SCAN_PIECES, &[piece]).then(in_operand(pieces))
    }

    /// The array of a scan in local memory, and then the scan.
    fn staged(&self, scan: Strategy) -> Strategy {
        let this = self.clone();
        each_operand(move |array| hoist(array).then(in_value(this.copied_in()))).then(at_tail(scan))
    }

    fn copied_in(&self) -> Strategy {
        let this = self.clone();
        with_length(move |n| {
            let rows = this.in_rows().then(in_operand(in_operand(copied(&n.div(&this.own)))));
            sized(&PIECES, &[&this.own]).then(in_operand(rows))
        })
    }

    fn in_rows(&self) -> Strategy {
        sized(&TO_LOCAL_PITCHED, &[&self.pitch])
    }

    /// The results in local memory, and from there to where they go.
    fn copied_out(&self) -> Strategy {
        let this = self.clone();
        with_length(move |n| {
            let results = seq([in_function(in_registers()), among_items(), this.in_rows()]);
            this.shared(in_operand(results).then(copied(&n.div(&this.own))))
        })
    }

    /// The sum of each row, what is before these, and then the results of the rows.
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
        let (_, length) = array.ok_or_else(|| Stuck::Because("it is no array".into()))?;
        s(length).run(state, path)
    })
}
