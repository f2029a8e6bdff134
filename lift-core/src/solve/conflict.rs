//! Why there is no solution: constraints that contradict each other, as few as can be found.

use super::{Compiled, Problem, Solutions};

/// Constraints count as solvable if this many steps did not refute them.
const STEPS: usize = 20_000;

/// Orders in which constraints are left out: the smallest conflict of all of them is taken.
const ORDERS: usize = 6;

impl Problem {
    /// Constraints that leave no solution, and would if any of them were left out; `None` if there
    /// are solutions, or it takes too long to tell.
    pub fn conflict(&self) -> Option<Vec<usize>> {
        let all: Vec<usize> = (0..self.constraints.len()).collect();
        if !self.contradict(&all) {
            return None;
        }
        // Which few are found depends on which are left out first.
        let orders = (0..ORDERS).map(|k| {
            let mut order = all.clone();
            order.rotate_left(k / 2 * all.len() / ORDERS.div_ceil(2));
            if k % 2 == 1 {
                order.reverse();
            }
            self.reduced(order)
        });
        orders.min_by_key(Vec::len)
    }

    /// Leaves out what is not needed for the contradiction: first in large pieces, then one by one.
    fn reduced(&self, mut set: Vec<usize>) -> Vec<usize> {
        let mut piece = set.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < set.len() {
                let mut fewer = set.clone();
                fewer.drain(at..(at + piece).min(set.len()));
                if self.contradict(&fewer) {
                    set = fewer;
                } else {
                    at += piece;
                }
            }
            if piece == 1 {
                set.sort_unstable();
                return set;
            }
            piece = piece.div_ceil(2);
        }
    }

    /// Is it certain that these have no solution?
    fn contradict(&self, constraints: &[usize]) -> bool {
        let chosen = constraints.iter().map(|k| &self.constraints[*k]);
        Solutions::new(Compiled::new(&self.domains, chosen)).within(STEPS) == Ok(None)
    }
}
