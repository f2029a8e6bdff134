//! The values of `tune` parameters: their ranges, what must hold of them, and a search for some
//! that satisfy it (GPGPU'20 §5.1).

pub mod choose;
mod conflict;

pub use conflict::{Conflict, in_words};

use crate::expr::Tune;
use crate::nat::{Condition, Facts, Nat, Var};
use crate::solve::{Domain, Formula, GivenUp, Problem, Term};

/// What a program's `tune` parameters may be.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// In the order of the program's `<…>`; a range may mention sizes and parameters before it.
    pub parameters: Vec<(Var, Tune)>,
    /// Conditions that a choice of values must satisfy, over parameters and sizes.
    pub constraints: Vec<Condition>,
}

/// Why a search ended without values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// There are none.
    Impossible,
    /// There was no time to look at all of them.
    GivenUp,
}

/// Of a number, as far as they are known.
type Bounds = (Option<i64>, Option<i64>);

impl Tune {
    /// The same range with sizes replaced.
    pub fn substitute(&self, f: &dyn Fn(&Var) -> Option<Nat>) -> Tune {
        match self {
            Tune::Span(low, high) => Tune::Span(low.substitute(f), high.substitute(f)),
            Tune::List(values) => Tune::List(values.iter().map(|v| v.substitute(f)).collect()),
        }
    }

    /// Values among which it lies, as far as `bounds` knows those of other numbers.
    fn domain(&self, bounds: &dyn Fn(&Nat) -> Bounds) -> Option<Domain> {
        match self {
            Tune::Span(low, high) => Some(Domain::Span(bounds(low).0?, bounds(high).1?)),
            Tune::List(values) => {
                let all: Option<Vec<_>> = values.iter().map(|v| Some((bounds(v).0?, bounds(v).1?))).collect();
                let all = all?;
                if all.iter().all(|(low, high)| low == high) {
                    return Some(Domain::of(all.into_iter().map(|(value, _)| value).collect()));
                }
                let (low, high) = (all.iter().map(|r| r.0).min()?, all.iter().map(|r| r.1).max()?);
                Some(Domain::Span(low, high))
            }
        }
    }

    /// What the prover is to know of a parameter: for a list of numbers, the ends will do.
    pub fn bounds(&self, value: &Nat) -> Condition {
        let Tune::List(values) = self else { return self.contains(value) };
        let numbers: Option<Vec<i64>> = values.iter().map(Nat::as_constant).collect();
        match numbers.as_ref().and_then(|n| Some((*n.iter().min()?, *n.iter().max()?))) {
            Some((low, high)) => Tune::Span(low.into(), high.into()).contains(value),
            None => self.contains(value),
        }
    }

    /// That a parameter is in this range.
    pub fn contains(&self, value: &Nat) -> Condition {
        match self {
            Tune::Span(low, high) => Condition::le(low, value).and(Condition::le(value, high)),
            Tune::List(values) => {
                values.iter().fold(Condition::truth(false), |any, v| any.or(Condition::eq(value, v)))
            }
        }
    }

    fn vars(&self) -> Vec<Var> {
        let lengths = match self {
            Tune::Span(low, high) => vec![low, high],
            Tune::List(values) => values.iter().collect(),
        };
        lengths.into_iter().flat_map(Nat::vars).collect()
    }
}

impl Space {
    /// Is this one of the parameters?
    pub fn is_parameter(&self, var: &Var) -> bool {
        self.parameters.iter().any(|(v, _)| v == var)
    }

    /// Does anything here depend on a parameter?
    pub fn mentions(&self, condition: &Condition) -> bool {
        condition.vars().iter().any(|v| self.is_parameter(v))
    }

    /// Adds its parameters to a problem, as its next variables, and what must hold of them: the
    /// ranges that depend on other parameters, in the parameters' order, and then the constraints.
    /// A range without known ends is empty.
    pub fn add_to(&self, problem: &mut Problem, sizes: &dyn Fn(&Var) -> Option<i64>) {
        let first = problem.domains.len();
        let position = |v: &Var| self.parameters.iter().position(|(w, _)| w == v);
        let term = |v: &Var| match position(v) {
            Some(k) => Some(Term::Variable(first + k)),
            None => sizes(v).map(Term::Constant),
        };
        let never = || Formula::Any(vec![]);
        let formula = |c: &Condition| Formula::of(c, &term).unwrap_or_else(never);
        let mut facts = Facts::new();
        let mut known = vec![];
        for (var, range) in &self.parameters {
            let range =
                range.substitute(&|v| if position(v).is_none() { sizes(v).map(Nat::constant) } else { None });
            let bounds = |n: &Nat| match n.as_constant() {
                Some(n) => (Some(n), Some(n)),
                None if n.vars().iter().all(|v| known.contains(v)) => facts.bounds(n),
                None => (None, None),
            };
            let domain = range.domain(&bounds).unwrap_or(Domain::Span(1, 0));
            if let (Some(low), Some(high)) = (domain.first(), domain.last()) {
                facts.assume(&Tune::Span(low.into(), high.into()).contains(&Nat::var(var)));
                known.push(var.clone());
            }
            problem.variable(domain);
            if !range.vars().is_empty() {
                problem.constraints.push(formula(&range.contains(&Nat::var(var))));
            }
        }
        problem.constraints.extend(self.constraints.iter().map(formula));
    }

    /// As a problem of its own.
    pub fn problem(&self, sizes: &dyn Fn(&Var) -> Option<i64>) -> Problem {
        let mut problem = Problem::default();
        self.add_to(&mut problem, sizes);
        problem
    }

    /// The first values that satisfy the constraints, in lexicographic order, trying at most `steps` partial choices.
    pub fn first(
        &self,
        sizes: &dyn Fn(&Var) -> Option<i64>,
        steps: usize,
    ) -> Result<Vec<(Var, i64)>, Unsolved> {
        match self.problem(sizes).first(steps) {
            Err(GivenUp) => Err(Unsolved::GivenUp),
            Ok(None) => Err(Unsolved::Impossible),
            Ok(Some(values)) => Ok(self.parameters.iter().map(|(var, _)| var.clone()).zip(values).collect()),
        }
    }

    /// Is it certain, whatever the sizes, that there are no values? Ranges that depend on sizes
    /// leave it open.
    pub fn is_empty(&self, steps: usize) -> bool {
        self.parameters.iter().all(|(_, range)| range.vars().is_empty())
            && self.first(&|_| None, steps) == Err(Unsolved::Impossible)
    }
}
