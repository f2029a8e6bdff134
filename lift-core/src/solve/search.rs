//! All solutions, one after the other, by backtracking.
//!
//! Variables of clauses are chosen first, value by value, with propagation after each; then the others, for
//! which only arithmetic speaks. Choices are undone in the opposite order by the trail.

use super::clauses::{Set, State};
use super::{Compiled, Domain, GivenUp, Solution};

/// Domains up to this size are tried value by value; for larger ones divisors are found first.
const FEW: usize = 32;

/// The closest solution is looked for below each of these sums in turn: the less a sum may be, the sooner the search turns back, and most
/// problems have a solution below the first.
const SUMS: [f64; 4] = [0.75, 1.5, 3.0, f64::INFINITY];

/// All solutions of a problem.
pub struct Solutions {
    /// The compiled problem.
    problem: Compiled,
    /// What propagation has left of the clauses' variables.
    state: State,
    /// The chosen values of the variables, and behind them those of operations.
    values: Vec<i64>,
    /// Where the search stands, the outermost choice first.
    choices: Vec<Choice>,
    /// Has the first choice been opened?
    begun: bool,
    /// Nothing satisfies the clauses, or the constraints without variables.
    hopeless: bool,
    /// Values that may still be tried.
    steps: usize,
}

/// The values of a variable that are still to be tried.
enum Choice {
    /// A variable of clauses, with the values left and the mark of the trail to go back to.
    Clause { variable: usize, left: Set, mark: usize },
    /// A variable of arithmetic only.
    Number { variable: usize, left: Candidates },
}

/// Values to be tried, in ascending order.
pub(super) struct Candidates {
    domain: Domain,
    next: usize,
}

impl Iterator for Candidates {
    type Item = i64;
    fn next(&mut self) -> Option<i64> {
        let value = (self.next < self.domain.len()).then(|| self.domain.at(self.next));
        self.next += 1;
        value
    }
}

impl Compiled {
    /// The values of a variable that are worth trying when everything before it is chosen.
    pub(super) fn candidates(&self, variable: usize, level: usize, values: &[i64]) -> Candidates {
        let domain = &self.domains[variable];
        let divisors = self.arithmetic.dividend(level, values).and_then(|n| divisors(n, domain));
        Candidates { domain: divisors.unwrap_or_else(|| domain.clone()), next: 0 }
    }
}

/// The divisors of a number that are in a domain, if that is less work than trying all of it.
fn divisors(n: i64, domain: &Domain) -> Option<Domain> {
    let n = n.checked_abs()?;
    if domain.len() <= FEW || (domain.len() as i64).checked_pow(2).is_some_and(|m| m < n) {
        return None;
    }
    let mut found = vec![];
    for small in (1..).take_while(|k: &i64| k.checked_mul(*k).is_some_and(|s| s <= n)) {
        if n % small == 0 {
            found
                .extend([small, n / small, -small, -(n / small)].into_iter().filter(|d| domain.contains(*d)));
        }
    }
    Some(Domain::of(found))
}

impl Solutions {
    pub(super) fn new(problem: Compiled) -> Solutions {
        let mut values = problem.arithmetic.values();
        let start = problem.clauses.start().filter(|_| problem.arithmetic.holds(0, &mut values));
        let hopeless = start.is_none();
        let (state, steps) = (start.unwrap_or_default(), usize::MAX);
        Solutions { state, values, choices: vec![], begun: false, hopeless, steps, problem }
    }

    /// The next solution, or [`GivenUp`] after this many steps.
    pub(super) fn within(mut self, steps: usize) -> Result<Option<Solution>, GivenUp> {
        self.steps = steps;
        self.search()
    }

    /// Goes on to the next solution.
    fn search(&mut self) -> Result<Option<Solution>, GivenUp> {
        if self.hopeless {
            return Ok(None);
        }
        let mut found = !std::mem::replace(&mut self.begun, true) && self.deeper();
        while !found {
            if self.try_next()? {
                found = self.deeper();
            } else {
                self.choices.pop();
                if self.choices.is_empty() {
                    self.hopeless = true;
                    return Ok(None);
                }
            }
        }
        Ok(Some(self.values[..self.problem.domains.len()].to_vec()))
    }

    /// Opens the next choice; true if every variable has a value.
    fn deeper(&mut self) -> bool {
        let at = self.choices.len();
        let Some(variable) = self.problem.order.get(at).copied() else { return true };
        self.choices.push(if at < self.problem.block {
            Choice::Clause { variable, left: self.state.sets[variable], mark: self.state.mark() }
        } else {
            let level = at - self.problem.block + 2;
            Choice::Number { variable, left: self.problem.candidates(variable, level, &self.values) }
        });
        false
    }

    /// Gives the innermost choice its next value that no constraint contradicts; false if it has none left.
    fn try_next(&mut self) -> Result<bool, GivenUp> {
        let depth = self.choices.len();
        let Solutions { problem, state, values, choices, steps, .. } = self;
        match choices.last_mut() {
            None => {}
            Some(Choice::Clause { variable, left, mark }) => {
                while *left != 0 {
                    *steps = steps.checked_sub(1).ok_or(GivenUp)?;
                    // The lowest value that is left; the next line takes it out of the set.
                    let bit = left.trailing_zeros();
                    *left &= *left - 1;
                    state.back_to(*mark);
                    values[*variable] = problem.domains[*variable].at(bit as usize);
                    if problem.clauses.restrict(*variable, 1 << bit, state)
                        && (depth < problem.block || problem.arithmetic.holds(1, values))
                    {
                        return Ok(true);
                    }
                }
                state.back_to(*mark);
            }
            Some(Choice::Number { variable, left }) => {
                let level = depth - problem.block + 1;
                for value in left {
                    *steps = steps.checked_sub(1).ok_or(GivenUp)?;
                    values[*variable] = value;
                    if problem.arithmetic.holds(level, values) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The number of solutions that are left. Where no constraint binds the open variables any more, their
    /// numbers of values are multiplied.
    pub(super) fn count_all(mut self) -> u64 {
        if self.hopeless {
            return 0;
        }
        self.from(0)
    }

    /// The solution with the smallest sum of what its values are apart, or the best that so many steps find.
    pub(super) fn closest(mut self, apart: &dyn Fn(usize, i64) -> f64, steps: usize) -> Option<Solution> {
        if self.hopeless {
            return None;
        }
        self.steps = steps;
        SUMS.into_iter().find_map(|most| {
            let mut best = (most, None);
            // Given up or not, what was found counts.
            _ = self.closer(0, 0.0, apart, &mut best);
            best.1
        })
    }

    /// Searches from the choice `at` on, where the choices `before` it add up to that sum, and replaces the best solution by every closer one.
    fn closer(
        &mut self,
        at: usize,
        before: f64,
        apart: &dyn Fn(usize, i64) -> f64,
        best: &mut (f64, Option<Solution>),
    ) -> Result<(), GivenUp> {
        let Some(variable) = self.problem.order.get(at).copied() else {
            *best = (before, Some(self.values[..self.problem.domains.len()].to_vec()));
            return Ok(());
        };
        self.choices.truncate(at);
        self.deeper();
        while self.try_next()? {
            let sum = before + apart(variable, self.values[variable]);
            if sum < best.0 {
                self.closer(at + 1, sum, apart, best)?;
                self.choices.truncate(at + 1);
            }
        }
        self.choices.truncate(at);
        Ok(())
    }

    /// Solutions from the choice `at` on.
    fn from(&mut self, at: usize) -> u64 {
        let block = self.problem.block;
        if at < block && self.problem.arithmetic.is_done(1) {
            let open = &self.problem.order[at..block];
            if self.problem.clauses.independent(open, &self.state) {
                let sets = open.iter().map(|v| u64::from(self.state.sets[*v].count_ones()));
                let others =
                    self.problem.order[block..].iter().map(|v| self.problem.domains[*v].len() as u64);
                return sets.chain(others).product();
            }
        }
        if at == self.problem.order.len() {
            return 1;
        }
        self.choices.truncate(at);
        self.deeper();
        let mut total = 0;
        while self.try_next() == Ok(true) {
            total += self.from(at + 1);
            self.choices.truncate(at + 1);
        }
        self.choices.truncate(at);
        total
    }
}

impl Iterator for Solutions {
    type Item = Solution;
    fn next(&mut self) -> Option<Solution> {
        self.search().ok().flatten()
    }
}
