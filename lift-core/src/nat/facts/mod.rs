//! What is known about variables, and what follows from it.

mod certificate;
mod context;
mod equations;
mod goal;
mod interval;
mod prover;
mod rational;
mod residues;
mod samples;
mod schedule;
mod search;
mod simplex;
mod simplify;

use super::{Condition, Nat, Var};
use context::Context;
use goal::Proof;
use prover::Prover;
use search::Outcome;
use serde::{Deserialize, Serialize};
use simplify::{Simplifier, operations};
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Work for one question, in units of some tens of nanoseconds.
const FUEL: i64 = 100_000;

/// What can be said of a condition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Answer {
    Proved,
    /// The smallest valuation found of the condition's variables, sorted, that goes with every
    /// assumption and breaks the condition (or divides by zero in it).
    Refuted(Vec<(Var, i64)>),
    Unknown,
}

impl Answer {
    pub fn is_proved(&self) -> bool {
        matches!(self, Answer::Proved)
    }
}

/// One thing that is known.
#[derive(Clone, Debug)]
enum Known {
    Size(Var),
    Range(Var, Nat, Nat),
    Fix(Var, i64),
    Assume(Condition),
}

/// What is known about variables.
#[derive(Clone, Default)]
pub struct Facts {
    known: Vec<Known>,
    ready: OnceLock<Arc<Context>>,
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(&self.known).finish()
    }
}

impl Facts {
    pub fn new() -> Facts {
        Facts::default()
    }

    fn know(&mut self, known: Known) {
        self.known.push(known);
        self.ready = OnceLock::new();
    }

    /// `v >= 1`
    pub fn size(&mut self, v: &Var) {
        self.know(Known::Size(v.clone()));
    }

    /// `low <= v < end`
    pub fn range(&mut self, v: &Var, low: &Nat, end: &Nat) {
        self.know(Known::Range(v.clone(), low.clone(), end.clone()));
    }

    /// `v == value`, a size that is no longer a choice. What [`Facts::simplify`] returns still
    /// calls it by its name.
    pub fn fix(&mut self, v: &Var, value: i64) {
        self.know(Known::Fix(v.clone(), value));
    }

    pub fn assume(&mut self, c: &Condition) {
        self.know(Known::Assume(c.clone()));
    }

    fn context(&self) -> &Context {
        self.ready.get_or_init(|| Arc::new(Context::new(&self.known)))
    }

    /// Is the condition proved? Cheaper than [`Facts::prove`] where it is not.
    pub fn holds(&self, c: &Condition) -> bool {
        Proof::new(&self.known, self.context(), &Cell::new(FUEL)).holds(c)
    }

    /// Is the condition proved, with little effort?
    pub fn evident(&self, c: &Condition) -> bool {
        Proof::new(&self.known, self.context(), &Cell::new(FUEL / 20)).holds(c)
    }

    /// Does the condition hold for every valuation that goes with the facts, and divide by zero
    /// for none? Facts that contradict each other prove everything.
    pub fn prove(&self, c: &Condition) -> Answer {
        let fuel = Cell::new(FUEL);
        if Proof::new(&self.known, self.context(), &fuel).holds(c) {
            return Answer::Proved;
        }
        match search::search(&self.known, self.context(), c) {
            Outcome::Found(values) => Answer::Refuted(values),
            Outcome::Impossible => Answer::Proved,
            Outcome::None => Answer::Unknown,
        }
    }

    /// An expression of equal value for every valuation that goes with the facts, with fewer
    /// divisions, remainders, minima and maxima where that is possible.
    pub fn simplify(&self, n: &Nat) -> Nat {
        let fuel = Cell::new(FUEL);
        let prover = Prover::new(self.context(), &fuel);
        let simple = Simplifier::new(&prover).simplify(n);
        if operations(&simple) == 0 {
            return simple;
        }
        // Numbers divide where names do not.
        let fixed = |v: &Var| {
            self.known.iter().find_map(|k| match k {
                Known::Fix(w, value) if w == v => Some(Nat::constant(*value)),
                _ => None,
            })
        };
        let numeric = Simplifier::new(&prover).simplify(&simple.substitute(&fixed));
        if operations(&numeric) < operations(&simple) { numeric } else { simple }
    }

    /// Inclusive constant bounds that certainly hold.
    pub fn bounds(&self, n: &Nat) -> (Option<i64>, Option<i64>) {
        let fuel = Cell::new(FUEL);
        let prover = Prover::new(self.context(), &fuel);
        let n = prover.context.apply(n);
        let n = Simplifier::new(&prover).simplify(&n);
        let narrow = |x: Option<i128>| x.and_then(|x| i64::try_from(x).ok());
        let high = prover.least(&-&n).and_then(i128::checked_neg);
        (narrow(prover.least(&n)), narrow(high))
    }
}
