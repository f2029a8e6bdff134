//! Values, substitution and the questions that a walk answers.
//!
//! Evaluation is exact or an error: the prover's counterexamples and the sizes of real arrays both rely on it.

use super::term::{Factor, Monomial, Term, Terms};
use super::{Nat, Var};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::fmt;

/// Why an expression has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// A variable without a value.
    Unbound(Var),
    /// A quotient or a remainder by 0.
    DivisionByZero,
    /// A value beyond 64 bits, or an expression too large to keep.
    Overflow,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            EvalError::Unbound(v) => write!(f, "`{v}` has no value"),
            EvalError::DivisionByZero => write!(f, "division by zero"),
            EvalError::Overflow => write!(f, "a number is too large"),
        }
    }
}

impl std::error::Error for EvalError {}

pub(super) type Env<'a> = &'a dyn Fn(&Var) -> Option<i64>;

impl Nat {
    /// The value where `env` gives every variable one. Intermediate results may exceed 64 bits.
    pub fn eval(&self, env: &dyn Fn(&Var) -> Option<i64>) -> Result<i64, EvalError> {
        i64::try_from(value(self, env)?).map_err(|_| EvalError::Overflow)
    }

    /// Variables replaced, all at once.
    pub fn substitute(&self, f: &dyn Fn(&Var) -> Option<Nat>) -> Nat {
        self.replace(&|factor| match factor {
            Factor::Var(v) => f(v),
            _ => None,
        })
    }

    /// Factors replaced, outer ones first.
    pub(super) fn replace(&self, f: &dyn Fn(&Factor) -> Option<Nat>) -> Nat {
        self.map_factors(&mut FxHashMap::default(), f)
    }

    fn map_factors(
        &self,
        done: &mut FxHashMap<Factor, Option<Nat>>,
        f: &dyn Fn(&Factor) -> Option<Nat>,
    ) -> Nat {
        // As a rule nothing changes, and nothing is copied then.
        let unchanged = |term: &&Term| term.factors.iter().all(|(x, _)| image(x, done, f).is_none());
        let first = self.parts().iter().take_while(unchanged).count();
        if first == self.parts().len() {
            return self.clone();
        }
        let mut same: Terms = self.parts()[..first].into();
        let mut changed = Nat::constant(0);
        for term in &self.parts()[first..] {
            let images: SmallVec<[Option<Nat>; 4]> =
                term.factors.iter().map(|(x, _)| image(x, done, f)).collect();
            if images.iter().all(Option::is_none) {
                same.push(term.clone());
                continue;
            }
            let mut kept = Term { coefficient: term.coefficient, factors: Monomial::new() };
            let mut product = Nat::constant(1);
            for ((factor, power), image) in term.factors.iter().zip(images) {
                match image {
                    Some(n) => product = product.times(&n.pow(*power)),
                    None => kept.factors.push((factor.clone(), *power)),
                }
            }
            changed = changed.plus(&product.times(&Nat::from_term(kept)));
        }
        changed.plus(&Nat::from_ordered(same))
    }

    /// The variables in it, those inside of divisions, minima and the like included.
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut found = BTreeSet::new();
        self.each_var(&mut |v| {
            if !found.contains(v) {
                found.insert(v.clone());
            }
            true
        });
        found
    }

    /// Does the variable occur in it?
    pub fn contains(&self, v: &Var) -> bool {
        !self.each_var(&mut |w| w != v)
    }

    /// The terms all of whose variables are these, numbers among them, and the other terms.
    pub(crate) fn terms_in(&self, these: &dyn Fn(&Var) -> bool) -> (Nat, Nat) {
        let (inside, outside): (Terms, Terms) =
            self.parts().iter().cloned().partition(|term: &Term| term.each_var(&mut |v| these(v)));
        (Nat::from_ordered(inside), Nat::from_ordered(outside))
    }

    /// All divisors of quotients and remainders in it.
    pub fn divisors(&self) -> Vec<Nat> {
        let factors = self.parts().iter().flat_map(|t| &t.factors);
        let of = |factor: &Factor| {
            let inner = factor.operands().map(|(a, b)| [a.divisors(), b.divisors()].concat());
            let own = match factor {
                Factor::Div(_, b) | Factor::Mod(_, b) => Some(b.clone()),
                _ => None,
            };
            inner.into_iter().flatten().chain(own).collect::<Vec<_>>()
        };
        factors.flat_map(|(factor, _)| of(factor)).collect()
    }

    /// Does the variable occur in a quotient or a remainder?
    pub(crate) fn is_divided(&self, v: &Var) -> bool {
        let of = |factor: &Factor| match factor {
            Factor::Div(a, b) | Factor::Mod(a, b) => a.contains(v) || b.contains(v),
            other => other.operands().is_some_and(|(a, b)| a.is_divided(v) || b.is_divided(v)),
        };
        self.parts().iter().flat_map(|t| &t.factors).any(|(factor, _)| of(factor))
    }

    /// Is there more to it than a product of variables?
    pub(crate) fn is_work(&self) -> bool {
        self.parts().len() > 1 || self.has(|factor| !matches!(factor, Factor::Var(_)))
    }

    /// Calls back for every occurrence until the answer is `false`.
    pub(super) fn each_var(&self, f: &mut dyn FnMut(&Var) -> bool) -> bool {
        self.parts().iter().all(|term| term.each_var(f))
    }

    /// `self = coefficient * v + rest` with `v` in neither; `None` if `v` occurs in a division,
    /// remainder, `min` or `max`, or with a power.
    pub fn linear_in(&self, v: &Var) -> Option<(Nat, Nat)> {
        let (coefficient, rest) = self.linear_in_factor(&Factor::Var(v.clone()))?;
        (!coefficient.contains(v) && !rest.contains(v)).then_some((coefficient, rest))
    }

    /// The value of the coefficient of [`Nat::linear_in`] and nothing else of it, where `env` gives the variables in it one: how
    /// far the value moves when `v` grows by 1. 0 if `v` does not occur, `None` where that is `None`.
    pub(crate) fn slope(&self, v: &Var, env: &dyn Fn(&Var) -> Option<i64>) -> Option<i64> {
        let here = |factor: &Factor| matches!(factor, Factor::Var(w) if w == v);
        let inside = |factor: &Factor| factor.operands().is_some_and(|(a, b)| a.contains(v) || b.contains(v));
        let mut sum = 0i128;
        for term in self.parts() {
            if term.factors.iter().any(|(f, power)| inside(f) || here(f) && *power > 1) {
                return None;
            }
            if !term.factors.iter().any(|(f, _)| here(f)) {
                continue;
            }
            let mut product = i128::from(term.coefficient);
            for (factor, power) in term.factors.iter().filter(|(f, _)| !here(f)) {
                product = product.checked_mul(factor_value(factor, env).ok()?.checked_pow(*power)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        i64::try_from(sum).ok()
    }

    /// `self = coefficient * factor + rest`, the factor a factor of no term of either; `None` if it
    /// has a power.
    pub(super) fn linear_in_factor(&self, factor: &Factor) -> Option<(Nat, Nat)> {
        let (mut with, mut rest) = (Terms::new(), Terms::new());
        for term in self.parts() {
            match term.factors.iter().position(|(f, _)| f == factor) {
                Some(at) if term.factors[at].1 == 1 => {
                    let mut factors = term.factors.clone();
                    factors.remove(at);
                    with.push(Term { coefficient: term.coefficient, factors });
                }
                Some(_) => return None,
                None => rest.push(term.clone()),
            }
        }
        // Taking one factor out of every term keeps their order.
        Some((Nat::from_ordered(with), Nat::from_ordered(rest)))
    }
}

impl Term {
    /// Calls back for every occurrence of a variable until the answer is `false`.
    fn each_var(&self, f: &mut dyn FnMut(&Var) -> bool) -> bool {
        self.factors.iter().all(|(factor, _)| match factor {
            Factor::Var(v) => f(v),
            other => other.operands().is_none_or(|(a, b)| a.each_var(f) && b.each_var(f)),
        })
    }
}

/// What a factor becomes: replaced as a whole, else rebuilt from its replaced operands; `None` if nothing
/// changes. Rebuilding goes through the constructors, since new operands may cancel.
fn image(
    factor: &Factor,
    done: &mut FxHashMap<Factor, Option<Nat>>,
    f: &dyn Fn(&Factor) -> Option<Nat>,
) -> Option<Nat> {
    if let Some(replaced) = f(factor) {
        return Some(replaced);
    }
    let (a, b) = factor.operands()?;
    if let Some(known) = done.get(factor) {
        return known.clone();
    }
    let (x, y) = (a.map_factors(done, f), b.map_factors(done, f));
    let image = (x != *a || y != *b).then(|| {
        let mut images = [x, y].into_iter();
        factor.rebuild(|n| images.next().unwrap_or_else(|| n.clone()))
    });
    done.insert(factor.clone(), image.clone());
    image
}

/// The value in 128 bits, by the definitions of all operations.
fn value(n: &Nat, env: Env) -> Result<i128, EvalError> {
    let mut sum = 0i128;
    for term in n.parts() {
        let mut product = i128::from(term.coefficient);
        for (factor, power) in &term.factors {
            let raised = factor_value(factor, env)?.checked_pow(*power).ok_or(EvalError::Overflow)?;
            product = product.checked_mul(raised).ok_or(EvalError::Overflow)?;
        }
        sum = sum.checked_add(product).ok_or(EvalError::Overflow)?;
    }
    Ok(sum)
}

fn factor_value(factor: &Factor, env: Env) -> Result<i128, EvalError> {
    if let Factor::Var(v) = factor {
        return env(v).map(i128::from).ok_or_else(|| EvalError::Unbound(v.clone()));
    }
    let (a, b) = factor.operands().ok_or(EvalError::Overflow)?;
    let (a, b) = (value(a, env)?, value(b, env)?);
    let exact = match factor {
        Factor::Div(..) | Factor::Mod(..) if b == 0 => return Err(EvalError::DivisionByZero),
        Factor::Div(..) => floor_div(a, b),
        Factor::Mod(..) => floor_div(a, b).and_then(|q| a.checked_sub(q.checked_mul(b)?)),
        Factor::Min(..) => Some(a.min(b)),
        Factor::Max(..) => Some(a.max(b)),
        Factor::Sum(..) => a.checked_add(b),
        _ => a.checked_mul(b),
    };
    exact.ok_or(EvalError::Overflow)
}

pub(super) fn floor_div(a: i128, b: i128) -> Option<i128> {
    let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
    Some(if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q })
}

#[cfg(test)]
mod tests {
    use super::{Nat, Var};

    #[test]
    fn slopes_are_the_values_of_coefficients() {
        let [i, j, n] = ["i", "j", "N"].map(Var::size);
        let [x, y, size] = [&i, &j, &n].map(Nat::var);
        // `j` has no value: it is in no coefficient of `i`.
        let known = |var: &Var| (*var == n).then_some(7);
        let cases = [
            (&x * &size * 3 + &x - &y.div(&size), Some(22)),
            (&y * &size + 5, Some(0)),
            (&x * &y, None),
            (&x * &x, None),
            (x.div(&size) + &x, None),
            (&x * (size.min(&Nat::from(5))), Some(5)),
            (&x * i64::MAX + &x * &size, None),
        ];
        for (index, slope) in cases {
            assert_eq!(index.slope(&i, &known), slope, "{index}");
            let by_coefficient = index.linear_in(&i).and_then(|(step, _)| step.eval(&known).ok());
            assert_eq!(by_coefficient, slope, "{index}");
        }
    }
}
