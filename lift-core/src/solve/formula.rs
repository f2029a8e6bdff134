//! What constraints are made of.

use crate::nat::{Condition, Factor, Nat, Relation, Var};

/// A number. Where it has no value (a division by zero, more than 64 bits), a constraint on it does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A number.
    Constant(i64),
    /// The value of a variable, by its number in the problem.
    Variable(usize),
    /// `a + b`
    Sum(Box<Term>, Box<Term>),
    /// `a * b`
    Product(Box<Term>, Box<Term>),
    /// Rounded down.
    Div(Box<Term>, Box<Term>),
    /// The remainder that belongs to [`Term::Div`]; not negative where the divisor is positive.
    Mod(Box<Term>, Box<Term>),
    /// The smaller of the two.
    Min(Box<Term>, Box<Term>),
    /// The larger of the two.
    Max(Box<Term>, Box<Term>),
    /// The first term where the formula holds, else the second.
    Choose(Box<Formula>, Box<Term>, Box<Term>),
}

/// What must hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A variable is one of these.
    In(usize, Vec<i64>),
    /// A relation between two numbers.
    Compare(Relation, Term, Term),
    /// All of these.
    All(Vec<Formula>),
    /// At least one of these.
    Any(Vec<Formula>),
    /// The opposite.
    Not(Box<Formula>),
}

impl Term {
    /// A symbolic number, where `variable` says what stands for a size; `None` if it does not know.
    pub fn of(n: &Nat, variable: &dyn Fn(&Var) -> Option<Term>) -> Option<Term> {
        let mut sum: Option<Term> = None;
        for term in n.terms() {
            let mut product = (term.coefficient != 1).then_some(Term::Constant(term.coefficient));
            for (factor, power) in &term.factors {
                let factor = Term::factor(factor, variable)?;
                for _ in 0..*power {
                    product = Some(match product {
                        None => factor.clone(),
                        Some(so_far) => Term::Product(so_far.into(), factor.clone().into()),
                    });
                }
            }
            let product = product.unwrap_or(Term::Constant(1));
            sum = Some(match sum {
                None => product,
                Some(so_far) => Term::Sum(so_far.into(), product.into()),
            });
        }
        Some(sum.unwrap_or(Term::Constant(0)))
    }

    fn factor(factor: &Factor, variable: &dyn Fn(&Var) -> Option<Term>) -> Option<Term> {
        type Make = fn(Box<Term>, Box<Term>) -> Term;
        let (make, a, b): (Make, _, _) = match factor {
            Factor::Var(v) => return variable(v),
            Factor::TooLarge(..) => return None,
            Factor::Div(a, b) => (Term::Div, a, b),
            Factor::Mod(a, b) => (Term::Mod, a, b),
            Factor::Min(a, b) => (Term::Min, a, b),
            Factor::Max(a, b) => (Term::Max, a, b),
            Factor::Sum(a, b) => (Term::Sum, a, b),
            Factor::Product(a, b) => (Term::Product, a, b),
        };
        Some(make(Term::of(a, variable)?.into(), Term::of(b, variable)?.into()))
    }
}

impl Formula {
    /// A condition on sizes.
    pub fn of(c: &Condition, variable: &dyn Fn(&Var) -> Option<Term>) -> Option<Formula> {
        let all = |parts: &[Condition]| parts.iter().map(|p| Formula::of(p, variable)).collect::<Option<_>>();
        Some(match c {
            Condition::Compare(relation, a, b) => {
                Formula::Compare(*relation, Term::of(a, variable)?, Term::of(b, variable)?)
            }
            Condition::And(parts) => Formula::All(all(parts)?),
            Condition::Or(parts) => Formula::Any(all(parts)?),
            Condition::Not(inner) => Formula::Not(Formula::of(inner, variable)?.into()),
        })
    }

    /// At least one of the two.
    pub fn or(self, other: Formula) -> Formula {
        Formula::Any(vec![self, other])
    }

    /// The variable is none of these.
    pub fn not_in(variable: usize, values: Vec<i64>) -> Formula {
        Formula::Not(Formula::In(variable, values).into())
    }

    /// The variables that it speaks of.
    pub fn variables(&self) -> Vec<usize> {
        let mut found = vec![];
        self.visit(&mut |v| found.push(v));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn visit(&self, f: &mut dyn FnMut(usize)) {
        match self {
            Formula::In(v, _) => f(*v),
            Formula::Compare(_, a, b) => [a, b].into_iter().for_each(|t| t.visit(f)),
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|p| p.visit(f)),
            Formula::Not(inner) => inner.visit(f),
        }
    }

    /// Does it hold? As [`Condition::eval`], parts are looked at from the left until one decides.
    pub fn holds(&self, solution: &[i64]) -> bool {
        self.value(solution) == Some(true)
    }

    fn value(&self, solution: &[i64]) -> Option<bool> {
        match self {
            Formula::In(v, values) => Some(values.contains(&solution[*v])),
            Formula::Compare(relation, a, b) => Some(relation.holds(a.value(solution)?, b.value(solution)?)),
            Formula::All(parts) => parts.iter().try_fold(true, |all, p| Some(all && p.value(solution)?)),
            Formula::Any(parts) => parts.iter().try_fold(false, |any, p| Some(any || p.value(solution)?)),
            Formula::Not(inner) => inner.value(solution).map(|b| !b),
        }
    }
}

impl Term {
    fn visit(&self, f: &mut dyn FnMut(usize)) {
        match self {
            Term::Constant(_) => {}
            Term::Variable(v) => f(*v),
            Term::Choose(c, a, b) => {
                c.visit(f);
                [a, b].into_iter().for_each(|t| t.visit(f));
            }
            Term::Sum(a, b)
            | Term::Product(a, b)
            | Term::Div(a, b)
            | Term::Mod(a, b)
            | Term::Min(a, b)
            | Term::Max(a, b) => [a, b].into_iter().for_each(|t| t.visit(f)),
        }
    }

    /// Its value, if no variable occurs in it.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Term::Constant(n) => Some(*n),
            Term::Variable(_) | Term::Choose(..) => None,
            Term::Sum(a, b)
            | Term::Product(a, b)
            | Term::Div(a, b)
            | Term::Mod(a, b)
            | Term::Min(a, b)
            | Term::Max(a, b) => {
                a.constant()?;
                b.constant()?;
                self.value(&[])
            }
        }
    }

    /// Its value for a value of each variable; `None` where it divides by zero or exceeds 64 bits.
    pub fn value(&self, solution: &[i64]) -> Option<i64> {
        let both = |a: &Term, b: &Term| Some((a.value(solution)?, b.value(solution)?));
        match self {
            Term::Constant(n) => Some(*n),
            Term::Variable(v) => Some(solution[*v]),
            Term::Sum(a, b) => both(a, b).and_then(|(a, b)| a.checked_add(b)),
            Term::Product(a, b) => both(a, b).and_then(|(a, b)| a.checked_mul(b)),
            Term::Div(a, b) => both(a, b).and_then(|(a, b)| floor_div(a, b)),
            Term::Mod(a, b) => both(a, b).and_then(|(a, b)| floor_mod(a, b)),
            Term::Min(a, b) => both(a, b).map(|(a, b)| a.min(b)),
            Term::Max(a, b) => both(a, b).map(|(a, b)| a.max(b)),
            Term::Choose(c, a, b) => {
                if c.value(solution)? {
                    a.value(solution)
                } else {
                    b.value(solution)
                }
            }
        }
    }
}

/// The quotient rounded down; `None` for a divisor of 0 and on overflow.
pub(super) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
    Some(if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q })
}

/// The remainder with the divisor's sign; `None` as for [`floor_div`].
pub(super) fn floor_mod(a: i64, b: i64) -> Option<i64> {
    let r = a.checked_rem(b)?;
    Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
}
