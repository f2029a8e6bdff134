//! The simplex method on small tables, in exact arithmetic.
//!
//! Given columns `p_j` and a goal `g`, all vectors over the same rows, with row 0 the constant
//! terms: the largest `c` such that `g - c` is a sum of columns with weights that are not
//! negative. Then `g >= c` wherever every column is at least 0.

use super::rational::Rational;
use std::cell::Cell;

/// Tables are small: one that takes more pivots than this is given up, or answered with the bound so far.
const MOST_PIVOTS: usize = 120;

pub(super) enum Optimum {
    /// The largest `c`.
    Bound(Rational),
    /// There is no largest: the columns cannot all be at least 0.
    Unbounded,
    /// No `c` at all, or too much work.
    None,
}

/// `enough` stops the search at the first `c` that is larger.
pub(super) fn largest(
    columns: &[Vec<(usize, i128)>],
    goal: &[i128],
    enough: Option<i128>,
    fuel: &Cell<i64>,
) -> Optimum {
    match Table::new(columns, goal) {
        Some(mut table) => table.solve(enough, fuel).unwrap_or(Optimum::None),
        None => Optimum::None,
    }
}

/// Row `i` of the system: `sum over j of rows[i][j] * x_j = rows[i].last`, `x >= 0`; the basis holds
/// a column that is 1 in row `i` and 0 elsewhere. Row 0 is the cost to be made small.
struct Table {
    rows: Vec<Vec<Rational>>,
    basis: Vec<usize>,
    columns: usize,
}

impl Table {
    /// The table of `sum x_j * p_j = g`, each row with a right side that is not negative, as the method needs it.
    fn new(columns: &[Vec<(usize, i128)>], goal: &[i128]) -> Option<Table> {
        let (height, width) = (goal.len(), columns.len());
        let mut rows = vec![vec![Rational::ZERO; width + 1]; height];
        for (row, value) in rows.iter_mut().zip(goal) {
            row[width] = Rational::from(*value);
        }
        for (j, column) in columns.iter().enumerate() {
            for (i, value) in column {
                rows.get_mut(*i)?[j] = Rational::from(*value);
            }
        }
        // A negative right side becomes positive by changing the sign of its row: artificial columns then begin
        // with values that are not negative.
        for row in rows.iter_mut().skip(1).filter(|r| r[width].sign() < 0) {
            for x in row.iter_mut() {
                *x = Rational::ZERO.minus(*x)?;
            }
        }
        // A column of a single 1 can start in the basis; other rows get an artificial column,
        // numbered from `width` and never written down: it only leaves.
        let mut basis = vec![usize::MAX; height];
        for (j, column) in columns.iter().enumerate() {
            if let [(i, _)] = column[..]
                && i > 0
                && basis[i] == usize::MAX
                && rows[i][j] == Rational::ONE
            {
                basis[i] = j;
            }
        }
        for (i, b) in basis.iter_mut().enumerate().skip(1).filter(|(_, b)| **b == usize::MAX) {
            *b = width + i;
        }
        Some(Table { rows, basis, columns: width })
    }

    /// Two phases: the first finds any weights at all, the second makes the constant as large as it can be.
    /// `None` where numbers leave 128 bits or there is no work left.
    fn solve(&mut self, enough: Option<i128>, fuel: &Cell<i64>) -> Option<Optimum> {
        // First make the artificial columns 0: their sum is what is to become small.
        let mut pivots = 0;
        loop {
            let artificial: Vec<usize> =
                (1..self.rows.len()).filter(|i| self.basis[*i] >= self.columns).collect();
            if artificial.iter().all(|i| self.rows[*i][self.columns].is_zero()) {
                break;
            }
            let gain = |j: usize| -> Option<Rational> {
                artificial.iter().try_fold(Rational::ZERO, |sum, i| sum.minus(self.rows[*i][j]))
            };
            fuel.set(fuel.get() - (artificial.len() * self.columns) as i64);
            let Some(entering) = self.entering(gain, pivots)? else { return Some(Optimum::None) };
            let leaving = self.leaving(entering)??;
            self.pivot(leaving, entering, fuel)?;
            pivots += 1;
            if pivots > MOST_PIVOTS {
                return None;
            }
        }
        // Now the cost: row 0 is kept reduced by every pivot, its last entry is the goal's constant
        // less the cost, the `c` so far.
        loop {
            let c = self.rows[0][self.columns];
            if enough.is_some_and(|e| Rational::from(e).less(c) == Some(true)) {
                return Some(Optimum::Bound(c));
            }
            let Some(entering) = self.entering(|j| Some(self.rows[0][j]), pivots)? else {
                return Some(Optimum::Bound(c));
            };
            match self.leaving(entering)? {
                Some(leaving) => self.pivot(leaving, entering, fuel)?,
                None => return Some(Optimum::Unbounded),
            }
            pivots += 1;
            if pivots > MOST_PIVOTS {
                return Some(Optimum::Bound(c));
            }
        }
    }

    /// The column whose gain is the most negative. After many pivots the first with a negative gain: with the
    /// smallest index leaving on ties this is Bland's rule, which cannot cycle.
    fn entering(&self, gain: impl Fn(usize) -> Option<Rational>, pivots: usize) -> Option<Option<usize>> {
        let mut best: Option<(usize, Rational)> = None;
        for j in 0..self.columns {
            let g = gain(j)?;
            let better = match best {
                None => g.sign() < 0,
                Some((_, b)) => pivots < MOST_PIVOTS / 2 && g.less(b)?,
            };
            if better {
                best = Some((j, g));
            }
        }
        Some(best.map(|(j, _)| j))
    }

    /// The row that limits how far the column can grow. An artificial column that is 0 must stay 0,
    /// so that its row limits whatever the sign.
    fn leaving(&self, entering: usize) -> Option<Option<usize>> {
        let mut best: Option<(usize, Rational)> = None;
        for i in 1..self.rows.len() {
            let (x, right) = (self.rows[i][entering], self.rows[i][self.columns]);
            let stuck = self.basis[i] >= self.columns && right.is_zero() && !x.is_zero();
            if x.sign() <= 0 && !stuck {
                continue;
            }
            let ratio = if stuck { Rational::ZERO } else { right.over(x)? };
            let better = match best {
                None => true,
                Some((k, r)) => ratio.less(r)? || ratio == r && self.basis[i] < self.basis[k],
            };
            if better {
                best = Some((i, ratio));
            }
        }
        Some(best.map(|(i, _)| i))
    }

    /// Gaussian elimination around one entry: the entering column becomes a unit vector, the cost row included.
    fn pivot(&mut self, leaving: usize, entering: usize, fuel: &Cell<i64>) -> Option<()> {
        // The pivot becomes 1, and every other entry of its column 0.
        let scale = self.rows[leaving][entering];
        for x in self.rows[leaving].iter_mut().filter(|x| !x.is_zero()) {
            *x = x.over(scale)?;
        }
        let pivot = self.rows[leaving].clone();
        let entries: Vec<usize> = (0..pivot.len()).filter(|j| !pivot[*j].is_zero()).collect();
        let mut work = 0;
        for (_, row) in self.rows.iter_mut().enumerate().filter(|(i, _)| *i != leaving) {
            let factor = row[entering];
            if factor.is_zero() {
                continue;
            }
            for &j in &entries {
                row[j] = row[j].minus(factor.times(pivot[j])?)?;
            }
            work += 2 * entries.len() as i64;
        }
        self.basis[leaving] = entering;
        fuel.set(fuel.get() - work);
        (fuel.get() > 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(columns: &[Vec<(usize, i128)>], goal: &[i128]) -> Option<i128> {
        match largest(columns, goal, None, &Cell::new(1_000_000)) {
            Optimum::Bound(c) => Some(c.ceil()),
            _ => None,
        }
    }

    /// Rows: the constant, x, y.
    #[test]
    fn weights_are_found() {
        // x - 2 >= 0 and y - 3 >= 0: 2x + y is at least 7.
        let facts = [vec![(0, -2), (1, 1)], vec![(0, -3), (2, 1)]];
        assert_eq!(bound(&facts, &[0, 2, 1]), Some(7));
        // Nothing is known of -x.
        assert_eq!(bound(&facts, &[0, -1, 0]), None);
        // x + y <= 10 as well: -x is at least -7.
        let facts = [facts[0].clone(), facts[1].clone(), vec![(0, 10), (1, -1), (2, -1)]];
        assert_eq!(bound(&facts, &[0, -1, 0]), Some(-7));
    }

    #[test]
    fn contradictions_prove_everything() {
        let facts = [vec![(0, -2), (1, 1)], vec![(0, 1), (1, -1)]];
        assert!(matches!(largest(&facts, &[0, 1], None, &Cell::new(1000)), Optimum::Unbounded));
    }
}
