//! What is known about variables, and what follows from it.

use super::{Condition, Nat, Var};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Answer {
    Proved,
    /// The smallest valuation found that satisfies every assumption and breaks the condition (or
    /// divides by zero in it), sorted by variable.
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

#[derive(Clone, Debug, Default)]
pub struct Facts {
    known: Vec<Known>,
}

impl Facts {
    pub fn new() -> Facts {
        Facts::default()
    }

    /// `v >= 1`
    pub fn size(&mut self, v: &Var) {
        self.known.push(Known::Size(v.clone()));
    }

    /// `low <= v < end`
    pub fn range(&mut self, v: &Var, low: &Nat, end: &Nat) {
        self.known.push(Known::Range(v.clone(), low.clone(), end.clone()));
    }

    /// `v == value`, a size that is no longer a choice; what [`Facts::simplify`] returns still
    /// calls it by its name.
    pub fn fix(&mut self, v: &Var, value: i64) {
        self.known.push(Known::Fix(v.clone(), value));
    }

    pub fn assume(&mut self, c: &Condition) {
        self.known.push(Known::Assume(c.clone()));
    }

    pub fn prove(&self, c: &Condition) -> Answer {
        let _ = c;
        Answer::Unknown
    }

    pub fn simplify(&self, n: &Nat) -> Nat {
        n.clone()
    }

    pub fn bounds(&self, n: &Nat) -> (Option<i64>, Option<i64>) {
        (n.as_constant(), n.as_constant())
    }
}
