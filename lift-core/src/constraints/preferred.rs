//! One placement of all, chosen without measuring.

use super::space::{Placement, Placements};
use crate::solve::{Domain, Formula};

/// Work-items of a group next to each other, then groups, then work-items that are in no group, and
/// loops only where nothing else is valid.
const WANTED: [i64; 11] = [10, 11, 12, 20, 21, 22, 30, 31, 32, 0, 1];

/// The number of partial choices that are looked at, for each map and code, before the code counts as invalid.
const STEPS: usize = 100_000;

impl Placements {
    /// As parallel as a device could want: each map, from the innermost to the outermost, has the
    /// first place of `WANTED` that leaves a valid one to all others.
    pub fn preferred(&self) -> Option<Placement> {
        let mut problem = self.problem.clone();
        let mut best = problem.first(STEPS).ok()??;
        for m in (0..self.nest.maps.len()).rev().filter(|m| self.nest.maps[*m].given.is_none()) {
            let alone: Vec<&Formula> =
                self.problem.constraints.iter().filter(|c| c.variables() == [m]).collect();
            for code in WANTED {
                let mut tried = best.clone();
                tried[m] = code;
                if !alone.iter().all(|c| c.holds(&tried)) {
                    continue;
                }
                problem.domains[m] = Domain::of(vec![code]);
                // A placement that was found before may show it already.
                if best[m] == code {
                    break;
                }
                if let Ok(Some(found)) = problem.first(STEPS) {
                    best = found;
                    break;
                }
            }
        }
        Some(self.placement(&best))
    }
}
