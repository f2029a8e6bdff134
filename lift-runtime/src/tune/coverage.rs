//! Which elements of a program's results are compared with the reference: all of them where computing these costs
//! little, else some that meet every shape of work-group, every edge and every split.
//!
//! Elements are taken at a stride that is coprime to their number, so that every residue of an index modulo a
//! tile, a vector or a block occurs, and the last element always does. Rows that share an expensive computation
//! are taken whole. The corners come with them, two elements from either end of each dimension.

use super::excerpts::Source;
use crate::Error;
use fastrand::Rng;
use lift_core::cost;
use lift_core::excerpt::{Excerpt, Part, Steps};
use lift_core::widen::Floats;

/// Operations that a part may take: a few hundredths of a second.
const BUDGET: f64 = 1.5e8;

/// An excerpt may take this much more memory than the whole results.
const ROOM: usize = 256 << 20;

/// How many times a part is made smaller to keep to the budget.
const TRIES: usize = 3;

/// Parts of every result.
///
/// # Errors
/// A result has no kernels.
pub fn of_all(source: &Source, seed: u64) -> Result<Vec<(usize, Part)>, Error> {
    let results = &source.signature.results;
    let mut parts = Parts::new(source, seed);
    let mut all = vec![];
    for (n, (_, shape)) in results.iter().enumerate() {
        let some = parts.of(n, shape, BUDGET / results.len() as f64)?;
        all.extend(some.into_iter().map(|part| (n, part)));
    }
    Ok(all)
}

/// The cost of computing something.
#[derive(Clone, Copy)]
struct Effort {
    operations: f64,
    bytes: usize,
}

struct Parts<'a> {
    source: &'a Source,
    random: Rng,
}

impl<'a> Parts<'a> {
    fn new(source: &'a Source, seed: u64) -> Parts<'a> {
        Parts { source, random: Rng::with_seed(seed) }
    }

    /// The parts of a result of this shape that take no more than `budget` operations, if there are such. Where
    /// all results share an expensive computation there are none: then the parts that take least, or the whole.
    ///
    /// # Errors
    /// The result has no kernels.
    fn of(&mut self, result: usize, shape: &[usize], budget: f64) -> Result<Vec<Part>, Error> {
        let whole = self.effort(result, &Part::Whole)?;
        let total: usize = shape.iter().product();
        if whole.operations <= budget || shape.is_empty() || total <= 1 {
            return Ok(vec![Part::Whole]);
        }
        let fair = total as f64 * budget / whole.operations;
        let mut best: Option<(usize, Part)> = None;
        let mut least: Option<(f64, Part)> = None;
        // The more dimensions, the better do elements spread; the fewer, the more they share.
        let families = (1..shape.len().max(2)).rev().map(Some);
        for dimensions in std::iter::once(None).chain(families) {
            let mut share = budget / whole.operations;
            for _ in 0..TRIES {
                let part = self.part(shape, dimensions, share);
                let count = part.places(shape).len();
                let Ok(effort) = self.effort(result, &part) else { break };
                if effort.bytes > whole.bytes.saturating_add(ROOM) {
                    break;
                }
                if least.as_ref().is_none_or(|(operations, _)| effort.operations < *operations) {
                    least = Some((effort.operations, part.clone()));
                }
                if effort.operations <= budget {
                    if best.as_ref().is_none_or(|(most, _)| count > *most) {
                        best = Some((count, part));
                    }
                    break;
                }
                share *= 0.8 * budget / effort.operations;
            }
            if best.as_ref().is_some_and(|(count, _)| *count as f64 * 4.0 >= fair) {
                break;
            }
        }
        let cheapest = least.filter(|(operations, _)| *operations < whole.operations / 2.0);
        let Some(part) = best.map(|(_, part)| part).or(cheapest.map(|(_, part)| part)) else {
            return Ok(vec![Part::Whole]);
        };
        let corners = corners(shape);
        let cheap = self.effort(result, &corners).is_ok_and(|effort| effort.operations <= budget / 2.0);
        Ok(std::iter::once(part).chain(cheap.then_some(corners)).collect())
    }

    fn effort(&self, result: usize, part: &Part) -> Result<Effort, Error> {
        let excerpt = Excerpt { result, floats: Floats::Own, part: part.clone() };
        let Source { program, sizes, by, .. } = self.source;
        let plan = lift_core::compile(&program.excerpts(&[excerpt]), sizes, by.target())?;
        Ok(Effort { operations: cost::total(&plan), bytes: plan.memory().bytes() })
    }

    /// About this share of the elements: of all, or of rows of the outermost `dimensions` dimensions.
    fn part(&mut self, shape: &[usize], dimensions: Option<usize>, share: f64) -> Part {
        let Some(dimensions) = dimensions else {
            return Part::Line(self.steps(shape.iter().product(), share));
        };
        let each = share.powf(1.0 / dimensions as f64);
        Part::Grid(shape.iter().take(dimensions).map(|length| self.steps(*length, each)).collect())
    }

    fn steps(&mut self, length: usize, share: f64) -> Steps {
        let length = i64::try_from(length).unwrap_or(i64::MAX).max(1);
        let count = ((length as f64 * share) as i64).clamp(1, length);
        // The indices are computed in 64 bits.
        let most = length.min(i64::MAX / 2 / count).max(2);
        let odd = |stride: &i64| common(*stride, length) == 1 && common(*stride, 210) == 1;
        // By the golden ratio, which keeps any number of them apart; another time it is another stride.
        let golden = i64::try_from(i128::from(most) * 618_034 / 1_000_000).unwrap_or(1).max(1);
        let start = golden + self.random.i64(0..=most / 256);
        let stride = (start..start + 1000).find(odd).unwrap_or(1);
        Steps { start: length - 1, stride, count }
    }
}

/// The last two and the first two indices of each dimension.
fn corners(shape: &[usize]) -> Part {
    let ends = |length: &usize| {
        let length = i64::try_from(*length).unwrap_or(i64::MAX).max(1);
        Steps { start: (length - 2).max(0), stride: 1, count: length.min(4) }
    };
    Part::Grid(shape.iter().map(ends).collect())
}

/// The greatest common divisor.
fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common(b, a % b) }
}
