//! A solver of constraints over small domains: where maps run and what `tune` parameters are.
//!
//! One search decides everything. Constraints on single values (`a` is one of these, or `b` one of those)
//! are clauses, with unit propagation (see `clauses`). Constraints on numbers are arithmetic,
//! compiled so that every operation is done once for each choice of the last variable that it depends on
//! (see `arithmetic`). Of a parameter that must divide a known number, only the divisors are tried.
//!
//! [`Problem::solutions`] enumerates all, [`Problem::sample`] draws distinct ones at random, [`Problem::closest_in`] finds the one that
//! is least apart from what is wanted, and [`Problem::conflict`] says which constraints leave none.

mod arithmetic;
mod clauses;
mod conflict;
mod formula;
mod random;
mod search;

pub use formula::{Formula, Term};
pub use random::Sample;
pub use search::Solutions;

use arithmetic::Arithmetic;
use clauses::Clauses;

/// The values that a variable may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// From the first to the last.
    Span(i64, i64),
    /// In ascending order, each once.
    List(Vec<i64>),
}

/// Variables, and what must hold of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// What each variable may be; its place in the list is its number.
    pub domains: Vec<Domain>,
    /// All of these hold of a solution.
    pub constraints: Vec<Formula>,
}

/// There was no time to look at everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GivenUp;

/// A value for each variable.
pub type Solution = Vec<i64>;

impl Domain {
    /// These values, sorted.
    pub fn of(mut values: Vec<i64>) -> Domain {
        values.sort_unstable();
        values.dedup();
        Domain::List(values)
    }

    /// Is the value among them?
    pub fn contains(&self, value: i64) -> bool {
        match self {
            Domain::Span(low, high) => (*low..=*high).contains(&value),
            Domain::List(values) => values.binary_search(&value).is_ok(),
        }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        match self {
            Domain::Span(low, high) => high.checked_sub(*low).map_or(usize::MAX, |n| (n + 1).max(0) as usize),
            Domain::List(values) => values.len(),
        }
    }

    /// Is there no value at all? Then a problem with such a variable has no solution.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The smallest value.
    pub fn first(&self) -> Option<i64> {
        (!self.is_empty()).then(|| self.at(0))
    }

    /// The largest value.
    pub fn last(&self) -> Option<i64> {
        self.len().checked_sub(1).map(|k| self.at(k))
    }

    /// Its values from one to another, both included.
    #[must_use]
    pub fn between(&self, least: i64, most: i64) -> Domain {
        match self {
            Domain::Span(low, high) => Domain::Span(*low.max(&least), *high.min(&most)),
            Domain::List(values) => {
                let within = values.iter().copied().filter(|v| (least..=most).contains(v));
                Domain::List(within.collect())
            }
        }
    }

    /// The value at a position.
    fn at(&self, k: usize) -> i64 {
        match self {
            Domain::Span(low, _) => low + k as i64,
            Domain::List(values) => values[k],
        }
    }
}

impl Problem {
    /// A new variable.
    pub fn variable(&mut self, domain: Domain) -> usize {
        self.domains.push(domain);
        self.domains.len() - 1
    }

    /// All solutions. Variables that only arithmetic speaks of come in lexicographic order.
    pub fn solutions(&self) -> Solutions {
        Solutions::new(Compiled::new(&self.domains, &self.constraints))
    }

    /// The solution that is closest to what is wanted, the first of several: `apart` says how far a variable's value is from that, at
    /// least 0, and the sum over all variables is the smallest. The variables have these domains, which may be smaller than the
    /// problem's. The search takes at most so many steps; the closest that it has found by then is returned, if there is one.
    pub fn closest_in(
        &self,
        domains: &[Domain],
        apart: &dyn Fn(usize, i64) -> f64,
        steps: usize,
    ) -> Option<Solution> {
        Solutions::new(Compiled::new(domains, &self.constraints)).closest(apart, steps)
    }

    /// The first solution, if there is one.
    ///
    /// # Errors
    /// [`GivenUp`] if `steps` steps of the search did not decide that.
    pub fn first(&self, steps: usize) -> Result<Option<Solution>, GivenUp> {
        self.solutions().within(steps)
    }

    /// The number of solutions; `u64::MAX` if there are more. Variables that no chain of constraints connects are
    /// independent: each connected set is counted by itself, and the counts are multiplied.
    pub fn count(&self) -> u64 {
        let mut group: Vec<usize> = (0..self.domains.len()).collect();
        let variables: Vec<Vec<usize>> = self.constraints.iter().map(Formula::variables).collect();
        for bound in &variables {
            let least = bound.iter().map(|v| group[*v]).min();
            let joined: Vec<usize> = bound.iter().map(|v| group[*v]).collect();
            group.iter_mut().filter(|g| joined.contains(g)).for_each(|g| *g = least.unwrap_or(*g));
        }
        let alone = |g: usize| {
            // The others are anything.
            let domain =
                |(v, d): (usize, &Domain)| if group[v] == g { d.clone() } else { Domain::Span(0, 0) };
            let here = |vs: &[usize]| vs.first().is_none_or(|v| group[*v] == g);
            let constraints = self.constraints.iter().zip(&variables).filter(|(_, vs)| here(vs));
            Problem {
                domains: self.domains.iter().enumerate().map(domain).collect(),
                constraints: constraints.map(|(c, _)| c.clone()).collect(),
            }
        };
        let groups = (0..group.len()).filter(|g| group.contains(g));
        groups.map(|g| alone(g).solutions().count_all()).try_fold(1u64, u64::checked_mul).unwrap_or(u64::MAX)
    }

    /// Distinct solutions, each about as likely as any other; the seed says which.
    pub fn sample(&self, seed: u64) -> Sample {
        Sample::new(Compiled::new(&self.domains, &self.constraints), seed)
    }
}

/// A problem made ready for the search.
#[derive(Clone)]
struct Compiled {
    domains: Vec<Domain>,
    /// The variables in the order of their choice: first those of clauses, then the others.
    order: Vec<usize>,
    /// The number of variables of clauses.
    block: usize,
    /// Constraints on single values, which are propagated.
    clauses: Clauses,
    /// All other constraints, which are evaluated.
    arithmetic: Arithmetic,
}

impl Compiled {
    fn new<'a>(domains: &[Domain], constraints: impl IntoIterator<Item = &'a Formula>) -> Compiled {
        let (mut clauses, mut rest) = (Clauses::new(domains), vec![]);
        for constraint in constraints {
            if !clauses.take(constraint) {
                rest.push(constraint);
            }
        }
        clauses.settle();
        let is_in = |v: &usize| clauses.speaks_of(*v);
        let mut order: Vec<usize> = (0..domains.len()).filter(is_in).collect();
        let block = order.len();
        order.extend((0..domains.len()).filter(|v| !is_in(v)));
        let arithmetic = Arithmetic::new(&order, block, &rest);
        Compiled { domains: domains.to_vec(), order, block, clauses, arithmetic }
    }
}

#[cfg(test)]
mod tests;
