//! How the work-items of a group share prefix sums: each scans its own elements, and what is before these is found in
//! local memory.

use super::nest::at_spine;
use super::prefixes::{STARTS, TOTALS, WHY, running};
use super::sharing::{Rest, among_items, of_own_terms, shared};
use super::staging::Staging;
use crate::nat::Nat;
use crate::rules::{SCAN_ALONE, SCAN_ROUND_UP, SCAN_SPLIT, TO_LOCAL, TO_PRIVATE};
use crate::strategy::{Strategy, id, in_function, in_operand, in_start, inside, rule, seq, sized};

/// How a group shares a chunk, or a row.
pub(super) struct Sharing {
    /// The elements of a work-item.
    pub own: Nat,
    /// The array may be no whole number of these.
    pub ragged: bool,
    /// If the array is copied to local memory, and the results from there.
    pub staging: Option<Staging>,
}

impl Sharing {
    /// The scan of a group.
    pub fn in_group(&self) -> Strategy {
        at_spine(match &self.staging {
            Some(staging) => self.rounded(&staging.least(), staging.in_group()),
            None => self.rounded(&self.own, in_place(&self.own)),
        })
    }

    /// A scan of a whole number of pieces.
    pub fn rounded(&self, piece: &Nat, scan: Strategy) -> Strategy {
        if self.ragged { sized(&SCAN_ROUND_UP, &[piece]).then(in_operand(scan)) } else { scan }
    }

    /// The totals of chunks of `n` elements, a group for each.
    pub fn totals(&self, n: &Nat) -> Strategy {
        match &self.staging {
            Some(staging) => staging.totals(n),
            None => shared(1, &n.div(&self.own), &Nat::from(1), Rest::None),
        }
    }

    /// The scan of these totals: of one work-item, or of one group.
    pub fn of_totals(&self) -> Strategy {
        match &self.staging {
            Some(staging) => self.rounded(&staging.whole(), staging.in_one_group()),
            None => id(),
        }
    }
}

/// Each work-item scans its own elements where they are, and one of them the totals of all.
fn in_place(own: &Nat) -> Strategy {
    let total = of_own_terms().then(rule(&TO_LOCAL));
    let start = in_function(in_start(rule(&TO_PRIVATE))).then(among_items()).then(rule(&TO_LOCAL));
    seq([
        sized(&SCAN_SPLIT, &[own]).because(WHY),
        inside(TOTALS, total),
        inside(STARTS, rule(&SCAN_ALONE).then(in_operand(start))),
        in_operand(in_function(running()).then(among_items())),
    ])
}
