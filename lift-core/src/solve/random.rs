//! Distinct solutions at random.
//!
//! A solution is drawn by choosing variables in a random order, each value as likely as any other
//! that is left. That favours solutions in sparse parts of the space; of a few such draws one is
//! kept, with odds proportional to the number of choices that led to it, which corrects the bias
//! (sampling with importance resampling).

use super::clauses::{Set, State};
use super::{Compiled, Solution, Solutions};
use fastrand::Rng;
use std::collections::HashSet;

/// Draws for each solution kept.
const DRAWS: usize = 3;

/// Values tried for each variable before a draw begins anew: what went wrong may lie far back.
const PATIENCE: usize = 3;

/// Attempts with little patience; the one after them has much.
const BEGINNINGS: usize = 100;
/// The patience of the last attempt.
const MORE_PATIENCE: usize = 200;

/// After this many draws in a row that found nothing new the rest is enumerated.
const STALE: usize = 100;

/// Solutions of the rest that are shuffled together.
const SHUFFLED: usize = 100_000;

/// Distinct solutions of a problem in a random order; in the end all.
pub struct Sample {
    /// The compiled problem.
    problem: Compiled,
    /// What propagation has left; `None` if there is no solution.
    state: Option<State>,
    /// The values of variables and operations.
    values: Vec<i64>,
    /// The source of randomness: the same seed gives the same solutions.
    random: Rng,
    /// Solutions that were delivered.
    seen: HashSet<Solution>,
    /// The solutions that are left, once drawing finds nothing new.
    rest: Option<(Vec<Solution>, Box<Solutions>)>,
}

impl Sample {
    pub(super) fn new(problem: Compiled, seed: u64) -> Sample {
        let mut values = problem.arithmetic.values();
        let state = problem.clauses.start().filter(|_| problem.arithmetic.holds(0, &mut values));
        Sample { state, values, random: Rng::with_seed(seed), seen: HashSet::new(), rest: None, problem }
    }

    /// One solution, and the logarithm of how many choices led there.
    fn draw(&mut self) -> Option<(Solution, f64)> {
        let mut patience = std::iter::repeat_n(PATIENCE, BEGINNINGS).chain([MORE_PATIENCE]);
        patience.find_map(|patience| self.attempt(patience))
    }

    /// One draw: clause variables in a random order, since their order biases the draw; the others in
    /// theirs, which arithmetic depends on.
    fn attempt(&mut self, patience: usize) -> Option<(Solution, f64)> {
        let mut order = self.problem.order[..self.problem.block].to_vec();
        self.random.shuffle(&mut order);
        order.extend(&self.problem.order[self.problem.block..]);
        let (mut patience, mut weight) = (patience * order.len(), 0.0);
        let mark = self.state.as_ref()?.mark();
        let found = self.descend(&order, 0, &mut weight, &mut patience);
        if let Some(state) = &mut self.state {
            state.back_to(mark);
        }
        found.then(|| (self.values[..order.len()].to_vec(), weight))
    }

    /// Chooses the variables from `at` on; false if that failed or patience is at an end.
    fn descend(&mut self, order: &[usize], at: usize, weight: &mut f64, patience: &mut usize) -> bool {
        match order.get(at).copied() {
            None => true,
            Some(variable) if at < self.problem.block => {
                self.by_clauses(order, at, variable, weight, patience)
            }
            Some(variable) => self.by_arithmetic(order, at, variable, weight, patience),
        }
    }

    /// Any of the values that propagation has left.
    fn by_clauses(
        &mut self,
        order: &[usize],
        at: usize,
        v: usize,
        weight: &mut f64,
        patience: &mut usize,
    ) -> bool {
        let before = *weight;
        let Some(mut left) = self.state.as_ref().map(|s| s.sets[v]) else { return false };
        // A draw that chose among many values at each step stands for many solutions.
        *weight += f64::from(left.count_ones()).ln();
        while left != 0 && *patience > 0 {
            *patience -= 1;
            let bit = one(left, &mut self.random);
            left &= !bit;
            let Some(state) = &mut self.state else { return false };
            let mark = state.mark();
            self.values[v] = self.problem.domains[v].at(bit.trailing_zeros() as usize);
            let fits = self.problem.clauses.restrict(v, bit, state)
                && (at + 1 < self.problem.block || self.problem.arithmetic.holds(1, &mut self.values));
            if fits && self.descend(order, at + 1, weight, patience) {
                return true;
            }
            if let Some(state) = &mut self.state {
                state.back_to(mark);
            }
        }
        *weight = before;
        false
    }

    /// Any of the values that constraints on numbers allow.
    fn by_arithmetic(
        &mut self,
        order: &[usize],
        at: usize,
        v: usize,
        weight: &mut f64,
        patience: &mut usize,
    ) -> bool {
        let (before, level) = (*weight, at - self.problem.block + 2);
        let candidates = self.problem.candidates(v, level, &self.values);
        let (arithmetic, values) = (&self.problem.arithmetic, &mut self.values);
        let mut left: Vec<i64> = candidates
            .filter(|value| {
                values[v] = *value;
                arithmetic.holds(level, values)
            })
            .collect();
        *weight += (left.len() as f64).ln();
        while !left.is_empty() && *patience > 0 {
            *patience -= 1;
            self.values[v] = left.swap_remove(self.random.usize(..left.len()));
            if self.problem.arithmetic.holds(level, &mut self.values)
                && self.descend(order, at + 1, weight, patience)
            {
                return true;
            }
        }
        *weight = before;
        false
    }

    /// One of a few draws, evened out.
    fn resampled(&mut self) -> Option<Solution> {
        let draws: Vec<_> = (0..DRAWS).filter_map(|_| self.draw()).collect();
        // Weights are logarithms: subtracting the largest keeps their exponentials in range.
        let most = draws.iter().map(|(_, w)| *w).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = draws.iter().map(|(_, w)| (w - most).exp()).sum();
        let mut at = self.random.f64() * total;
        let last = draws.len().checked_sub(1)?;
        for (k, (solution, weight)) in draws.into_iter().enumerate() {
            at -= (weight - most).exp();
            if at <= 0.0 || k == last {
                return Some(solution);
            }
        }
        None
    }

    /// A solution that was not drawn; they are enumerated and shuffled some at a time.
    fn rest(&mut self) -> Option<Solution> {
        let (found, solutions) =
            self.rest.get_or_insert_with(|| (vec![], Box::new(Solutions::new(self.problem.clone()))));
        if found.is_empty() {
            found.extend(solutions.by_ref().filter(|s| !self.seen.contains(s)).take(SHUFFLED));
            self.random.shuffle(found);
        }
        found.pop()
    }
}

impl Iterator for Sample {
    type Item = Solution;
    fn next(&mut self) -> Option<Solution> {
        self.state.as_ref()?;
        if self.rest.is_none() {
            for _ in 0..STALE {
                // Where drawing leads nowhere there is little, or nothing.
                let Some(solution) = self.resampled() else { break };
                if self.seen.insert(solution.clone()) {
                    return Some(solution);
                }
            }
        }
        self.rest()
    }
}

/// One of the bits of a set that is not empty.
fn one(set: Set, random: &mut Rng) -> Set {
    let before = random.u32(..set.count_ones());
    let rest = (0..before).fold(set, |rest, _| rest & (rest - 1));
    rest & rest.wrapping_neg()
}
