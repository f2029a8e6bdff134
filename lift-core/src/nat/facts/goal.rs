//! Proofs of conditions.
//!
//! A condition is proved if it holds and all of its divisions are defined, for every valuation that goes with
//! the facts. Comparisons become questions about the sign of a difference; `min`, `max` and assumed
//! disjunctions are taken case by case, each case with its condition among the facts.

use super::Known;
use super::context::Context;
use super::equations::never_zero;
use super::prover::Prover;
use super::residues::decided;
use super::simplify::Simplifier;
use crate::nat::term::Factor;
use crate::nat::{Condition, Nat, Relation};
use std::borrow::Cow;
use std::cell::Cell;

/// How many times a proof goes through the cases of a `min`, a `max` or an assumed `||`.
const MOST_SPLITS: u32 = 4;

/// A set of facts, and the work that one question may still cost.
pub(super) struct Proof<'a> {
    known: Cow<'a, [Known]>,
    context: Cow<'a, Context>,
    fuel: &'a Cell<i64>,
    splits: u32,
}

impl<'a> Proof<'a> {
    pub fn new(known: &'a [Known], context: &'a Context, fuel: &'a Cell<i64>) -> Proof<'a> {
        let (known, context) = (Cow::Borrowed(known), Cow::Borrowed(context));
        Proof { known, context, fuel, splits: MOST_SPLITS }
    }

    /// The same proof where one condition more is assumed. Building the facts anew is work, and is charged.
    fn with(&self, more: Condition, splits: u32) -> Proof<'a> {
        let known = [&self.known[..], &[Known::Assume(more)]].concat();
        let context = Context::new(&known);
        self.fuel.set(self.fuel.get() - 2000);
        Proof { known: known.into(), context: Cow::Owned(context), fuel: self.fuel, splits }
    }

    /// Does the condition hold, and does it divide by nothing that could be 0?
    pub fn holds(&self, c: &Condition) -> bool {
        if self.context.absurd {
            return true;
        }
        if self.fuel.get() <= 0 {
            return false;
        }
        match c {
            Condition::Compare(relation, a, b) => {
                let difference = a - b;
                // A condition that divides by zero has no value, so it is not proved even if the
                // difference is 0 wherever there is one.
                self.defined(a)
                    && self.defined(b)
                    && (self.stated(*relation, &difference)
                        || self.compare(*relation, &self.context.apply(&difference)))
            }
            Condition::And(parts) => match &parts[..] {
                [] => true,
                [one] => self.holds(one),
                // Later parts may rely on earlier ones.
                [first, rest @ ..] => {
                    self.holds(first)
                        && (rest.iter().all(|p| self.holds(p))
                            || self.with(first.clone(), self.splits).holds(&Condition::And(rest.to_vec())))
                }
            },
            // A disjunction follows if its first part does, or if the others follow from its negation. The
            // first part must be defined for that: evaluation stops at a part that divides by zero.
            Condition::Or(parts) => match &parts[..] {
                // `false` is proved only by contradiction: in every case of an assumed disjunction.
                [] => self.by_choice(&|proof| proof.holds(c)),
                [one] => self.holds(one),
                [first, rest @ ..] => {
                    self.holds(first)
                        || self.all_defined(first)
                            && self
                                .with(first.clone().not(), self.splits)
                                .holds(&Condition::Or(rest.to_vec()))
                }
            },
            Condition::Not(inner) => match &**inner {
                Condition::Not(twice) => self.holds(twice),
                other => self.holds(&other.clone().not()),
            },
        }
    }

    /// Is `d relation 0` assumed literally, or with a stricter number? This comes before everything that
    /// equations make of it: a clause that a message proposes must settle what it is proposed for.
    fn stated(&self, relation: Relation, d: &Nat) -> bool {
        let least = |relation: Relation, d: &Nat| match relation {
            Relation::Ge => Some(d.clone()),
            Relation::Gt => Some(d - 1),
            Relation::Le => Some(-d),
            Relation::Lt => Some(-d - 1),
            Relation::Eq | Relation::Ne => None,
        };
        let wanted = least(relation, d);
        let mut assumed = self.known.iter().filter_map(|known| match known {
            Known::Assume(Condition::Compare(relation, a, b)) => Some((*relation, a - b)),
            _ => None,
        });
        assumed.any(|(other, known)| match &wanted {
            None => relation == other && (known == *d || known == -d),
            Some(wanted) => least(other, &known)
                .is_some_and(|known| (wanted - &known).as_constant().is_some_and(|more| more >= 0)),
        })
    }

    fn all_defined(&self, c: &Condition) -> bool {
        let mut all = true;
        c.each(&mut |n| all &= self.defined(n));
        all
    }

    /// Can no divisor be 0?
    fn defined(&self, n: &Nat) -> bool {
        let prover = Prover::new(&self.context, self.fuel);
        n.parts().iter().flat_map(|t| &t.factors).all(|(f, _)| {
            let Some((a, b)) = f.operands() else { return !matches!(f, Factor::TooLarge(..)) };
            let divides = matches!(f, Factor::Div(..) | Factor::Mod(..));
            let not_zero = |b: &Nat| match b.as_constant() {
                Some(c) => c != 0,
                None => {
                    let b = self.context.apply(b);
                    prover.at_least(&b, 1) || prover.at_least(&-&b, 1)
                }
            };
            self.defined(a) && self.defined(b) && (!divides || not_zero(b))
        })
    }

    /// `d relation 0`, over free variables.
    fn compare(&self, relation: Relation, d: &Nat) -> bool {
        if relation == Relation::Eq && (d.is_zero() || self.context.strict(d).is_zero()) {
            return true;
        }
        // Cases need some of the work too.
        let kept = if self.context.choices.is_empty() { 0 } else { self.fuel.get() / 2 };
        self.fuel.set(self.fuel.get() - kept);
        let simplified = self.simplified(d);
        let prover = Prover::new(&self.context, self.fuel);
        let proved = self.plain(&prover, relation, &simplified)
            || simplified != *d && self.plain(&prover, relation, d);
        self.fuel.set(self.fuel.get().max(0) + kept);
        proved
            || self.by_residues(relation, &simplified)
            || self.by_extremes(&simplified, &|proof, d| proof.compare(relation, &proof.context.apply(d)))
            || self.by_choice(&|proof| proof.compare(relation, &proof.context.apply(d)))
    }

    /// With no more than half of the work that is left: the proof needs some too.
    fn simplified(&self, d: &Nat) -> Nat {
        let half = self.fuel.get() / 2;
        let fuel = Cell::new(half);
        let simplified = Simplifier::new(&Prover::new(&self.context, &fuel)).simplify(d);
        self.fuel.set(self.fuel.get() - (half - fuel.get()));
        simplified
    }

    /// Without distinguishing cases. Over integers `d > 0` is `d >= 1`.
    fn plain(&self, prover: &Prover, relation: Relation, d: &Nat) -> bool {
        match relation {
            Relation::Eq => {
                d.is_zero()
                    || self.context.strict(d).is_zero()
                    || prover.at_least(d, 0) && prover.at_least(&-d, 0)
            }
            Relation::Ne => never_zero(d) || prover.at_least(d, 1) || prover.at_least(&-d, 1),
            Relation::Lt => prover.at_least(&-d, 1),
            Relation::Le => prover.at_least(&-d, 0),
            Relation::Gt => prover.at_least(d, 1),
            Relation::Ge => prover.at_least(d, 0),
        }
    }

    /// Whatever the remainders are that occur in it.
    fn by_residues(&self, relation: Relation, d: &Nat) -> bool {
        let assumed = self.known.iter().filter_map(|k| match k {
            Known::Assume(c) => Some(c.map(&|n| self.context.apply(n))),
            _ => None,
        });
        let asked = Condition::Compare(relation, d.clone(), Nat::constant(0));
        d.has(|f| matches!(f, Factor::Mod(..))) && decided(&asked, &assumed.collect::<Vec<_>>())
    }

    /// Both cases of the first `min` or `max`.
    fn by_extremes(&self, d: &Nat, prove: &dyn Fn(&Proof, &Nat) -> bool) -> bool {
        if self.splits == 0 || self.fuel.get() <= 0 {
            return false;
        }
        let Some(factor) = extreme(d) else { return false };
        let (Factor::Min(a, b) | Factor::Max(a, b)) = &factor else { return false };
        // In the case `a <= b` the minimum is `a` and the maximum is `b`; in the other it is the other way round.
        let (less, more) = if matches!(factor, Factor::Min(..)) { (a, b) } else { (b, a) };
        [(Condition::le(a, b), less), (Condition::gt(a, b), more)].into_iter().all(|(case, value)| {
            let d = d.replace(&|f| (*f == factor).then(|| value.clone()));
            let proof = self.with(case, self.splits - 1);
            // A case that contradicts the facts never arises.
            proof.context.absurd || prove(&proof, &d)
        })
    }

    /// Every case of an assumed `||`.
    fn by_choice(&self, prove: &dyn Fn(&Proof) -> bool) -> bool {
        if self.splits == 0 || self.fuel.get() <= 0 {
            return false;
        }
        self.context.choices.iter().take(2).enumerate().any(|(i, choice)| {
            choice.len() <= 4
                && choice.iter().all(|case| {
                    let mut proof = self.with(case.clone(), self.splits - 1);
                    if i < proof.context.choices.len() {
                        proof.context.to_mut().choices.remove(i);
                    }
                    proof.context.absurd || prove(&proof)
                })
        })
    }
}

/// A `min` or `max`, an inner one first.
fn extreme(n: &Nat) -> Option<Factor> {
    n.parts().iter().flat_map(|t| &t.factors).find_map(|(f, _)| {
        let (a, b) = f.operands()?;
        let itself = matches!(f, Factor::Min(..) | Factor::Max(..)).then(|| f.clone());
        extreme(a).or_else(|| extreme(b)).or(itself)
    })
}
