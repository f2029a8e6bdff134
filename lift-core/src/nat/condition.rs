//! Conditions on expressions.
//!
//! They are `where` clauses, the conditions under which primitives are defined, and the guards of kernels.

use super::eval::Env;
use super::{EvalError, Nat, Var};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How two integers compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Relation {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Relation {
    /// As Rust writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Eq => "==",
            Relation::Ne => "!=",
            Relation::Lt => "<",
            Relation::Le => "<=",
            Relation::Gt => ">",
            Relation::Ge => ">=",
        }
    }

    /// Does it hold of these two numbers?
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Relation::Eq => a == b,
            Relation::Ne => a != b,
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Gt => a > b,
            Relation::Ge => a >= b,
        }
    }

    /// The relation that holds where this one does not.
    pub fn negated(self) -> Relation {
        match self {
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
            Relation::Lt => Relation::Ge,
            Relation::Le => Relation::Gt,
            Relation::Gt => Relation::Le,
            Relation::Ge => Relation::Lt,
        }
    }
}

/// A condition; `And(vec![])` is true, `Or(vec![])` false.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Condition {
    /// A relation between two expressions; it has no value where one of them divides by zero.
    Compare(Relation, Nat, Nat),
    /// All of these.
    And(Vec<Condition>),
    /// At least one of these.
    Or(Vec<Condition>),
    /// The opposite.
    Not(Box<Condition>),
}

impl Condition {
    /// The condition that always holds, or the one that never does.
    pub fn truth(value: bool) -> Condition {
        if value { Condition::And(vec![]) } else { Condition::Or(vec![]) }
    }

    /// How many comparisons it is made of.
    pub fn comparisons(&self) -> usize {
        match self {
            Condition::Compare(..) => 1,
            Condition::And(all) | Condition::Or(all) => all.iter().map(Condition::comparisons).sum(),
            Condition::Not(other) => other.comparisons(),
        }
    }

    fn compare(relation: Relation, a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::Compare(relation, a.as_ref().clone(), b.as_ref().clone())
    }

    /// `a == b`
    pub fn eq(a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::compare(Relation::Eq, a, b)
    }

    /// `a != b`
    pub fn ne(a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::compare(Relation::Ne, a, b)
    }

    /// `a < b`
    pub fn lt(a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::compare(Relation::Lt, a, b)
    }

    /// `a <= b`
    pub fn le(a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::compare(Relation::Le, a, b)
    }

    /// `a > b`
    pub fn gt(a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::compare(Relation::Gt, a, b)
    }

    /// `a >= b`
    pub fn ge(a: impl AsRef<Nat>, b: impl AsRef<Nat>) -> Condition {
        Condition::compare(Relation::Ge, a, b)
    }

    /// `n % d == 0`
    pub fn divides(d: impl AsRef<Nat>, n: impl AsRef<Nat>) -> Condition {
        Condition::eq(n.as_ref().rem(d.as_ref()), Nat::constant(0))
    }

    /// Both conditions. Nested conjunctions are flattened, so that equal ones are more often equal trees.
    pub fn and(self, other: Condition) -> Condition {
        let mut parts = match self {
            Condition::And(parts) => parts,
            one => vec![one],
        };
        match other {
            Condition::And(more) => parts.extend(more),
            one => parts.push(one),
        }
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => Condition::And(parts),
        }
    }

    /// At least one of the two, flattened likewise.
    pub fn or(self, other: Condition) -> Condition {
        let mut parts = match self {
            Condition::Or(parts) => parts,
            one => vec![one],
        };
        match other {
            Condition::Or(more) => parts.extend(more),
            one => parts.push(one),
        }
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => Condition::Or(parts),
        }
    }

    /// The opposite, with no `Not` in it but those that were there.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Condition {
        match self {
            Condition::Compare(relation, a, b) => Condition::Compare(relation.negated(), a, b),
            Condition::And(parts) => Condition::Or(parts.into_iter().map(Condition::not).collect()),
            Condition::Or(parts) => Condition::And(parts.into_iter().map(Condition::not).collect()),
            Condition::Not(inner) => *inner,
        }
    }

    /// The value where `env` gives every variable one. As in Rust, `&&` and `||` stop at the part
    /// that decides, so that an earlier part can guard a division.
    pub fn eval(&self, env: &dyn Fn(&Var) -> Option<i64>) -> Result<bool, EvalError> {
        self.value(env)
    }

    fn value(&self, env: Env) -> Result<bool, EvalError> {
        match self {
            Condition::Compare(relation, a, b) => Ok(relation.holds(a.eval(env)?, b.eval(env)?)),
            Condition::And(parts) => parts.iter().try_fold(true, |all, p| Ok(all && p.value(env)?)),
            Condition::Or(parts) => parts.iter().try_fold(false, |any, p| Ok(any || p.value(env)?)),
            Condition::Not(inner) => inner.value(env).map(|b| !b),
        }
    }

    /// Variables replaced, all at once.
    pub fn substitute(&self, f: &dyn Fn(&Var) -> Option<Nat>) -> Condition {
        self.map(&|n| n.substitute(f))
    }

    /// The same about other numbers.
    pub fn map(&self, f: &dyn Fn(&Nat) -> Nat) -> Condition {
        let all = |parts: &[Condition]| parts.iter().map(|p| p.map(f)).collect();
        match self {
            Condition::Compare(relation, a, b) => Condition::Compare(*relation, f(a), f(b)),
            Condition::And(parts) => Condition::And(all(parts)),
            Condition::Or(parts) => Condition::Or(all(parts)),
            Condition::Not(inner) => Condition::Not(Box::new(inner.map(f))),
        }
    }

    /// Conditions that hold together where this one holds.
    pub fn conjuncts(&self) -> Vec<&Condition> {
        match self {
            Condition::And(parts) => parts.iter().flat_map(Condition::conjuncts).collect(),
            Condition::Compare(..) | Condition::Or(_) | Condition::Not(_) => vec![self],
        }
    }

    /// The variables that it depends on.
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut found = BTreeSet::new();
        self.each(&mut |n| found.append(&mut n.vars()));
        found
    }

    /// Calls back for the sides of every comparison.
    pub(super) fn each(&self, f: &mut dyn FnMut(&Nat)) {
        match self {
            Condition::Compare(_, a, b) => {
                f(a);
                f(b);
            }
            Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|p| p.each(f)),
            Condition::Not(inner) => inner.each(f),
        }
    }
}

impl AsRef<Nat> for Nat {
    fn as_ref(&self) -> &Nat {
        self
    }
}
