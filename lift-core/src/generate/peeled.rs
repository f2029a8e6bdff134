//! `peeled`: loop peeling. The body of a loop is generated for any index, and again for indices that are known to be at no
//! end, if that version needs fewer tests; and where one of several loops has most of the tests at its ends, once more for indices
//! that are at none of these.

use super::clamps::{clamps, follow, unclamped};
use super::{Generator, Result, Unsupported};
use crate::kernel::{Array, Expr, Stmt};
use crate::nat::{Condition, Nat};
use std::sync::Arc;

impl Generator {
    /// Emits one iteration of such a loop, given its index and the number of iterations. Of nested
    /// loops the innermost has the tests.
    pub fn peeled(
        &mut self,
        index: &Nat,
        length: &Nat,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some(open) = &mut self.open else {
            return Err(Unsupported("`peeled` stands outside all kernels".into()));
        };
        open.peeled.push((index.clone(), length.clone()));
        open.has_peeled = false;
        let (loops, shared) = (open.peeled.clone(), open.shared.len());
        let anywhere = self.block(&mut *body);
        let innermost =
            self.open.as_ref().is_some_and(|open| !open.has_peeled && open.shared.len() == shared);
        let inside = match &anywhere {
            Ok((anywhere, ())) if innermost && tests(anywhere) > 0 => {
                self.where_inside(&loops, anywhere, body)
            }
            _ => Ok(vec![]),
        };
        if let Some(open) = &mut self.open {
            open.peeled.pop();
            open.has_peeled = true;
        }
        let (anywhere, ()) = anywhere?;
        let inside = inside?;
        let last = match inside.is_empty() || !gathers(&anywhere) {
            true => anywhere,
            // What seldom runs is long enough without loops that are unrolled for registers.
            false => anywhere.iter().map(in_memory).collect(),
        };
        let chain = inside.into_iter().rev().fold(last, |otherwise, version| {
            vec![Stmt::If(Expr::Test(version.condition), version.block, otherwise)]
        });
        chain.into_iter().try_for_each(|stmt| self.emit(stmt))
    }

    /// Versions of the body with fewer tests than this one, the first with the fewest: where no index is at an end that matters.
    /// Often one loop's end costs most of the tests, as where vectors extend beyond a row, and the next version is for all
    /// that is not at that end.
    fn where_inside(
        &mut self,
        loops: &[(Nat, Nat)],
        anywhere: &[Stmt],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<Vec<Version>> {
        let most = tests(anywhere);
        let ends: Vec<Vec<Condition>> =
            loops.iter().map(|(index, length)| self.ends(index, length)).collect();
        let all: Vec<Condition> = ends.concat();
        let mut best = self.version(all.clone(), body)?;
        if best.tests >= most {
            return self.within(anywhere, most, body);
        }
        // Most iterations should meet the condition: it asks for no end that makes no difference.
        let mut needed = all;
        for k in (0..needed.len()).rev() {
            let fewer: Vec<_> = [&needed[..k], &needed[k + 1..]].concat();
            let version = self.version(fewer.clone(), body)?;
            if version.tests <= best.tests {
                (best, needed) = (version, fewer);
            }
        }
        // Not all that is at an end needs tests: of the last tile of tiles only those that extend beyond a row.
        let weaker = |exact: &Vec<Condition>| {
            exact.len() <= needed.len()
                && follow(&needed, exact, &self.facts)
                && !follow(exact, &needed, &self.facts)
        };
        if let Some(exact) = unclamped(anywhere, &self.facts).filter(weaker) {
            let version = self.version(exact, body)?;
            if version.tests <= best.tests {
                return Ok(vec![version]);
            }
        }
        let mut next: Option<Version> = None;
        for own in &ends {
            let own: Vec<_> = own.iter().filter(|end| needed.contains(end)).cloned().collect();
            if own.is_empty() || own.len() == needed.len() {
                continue;
            }
            let version = self.version(own, body)?;
            let fewest = next.as_ref().map_or(most / 2, |next| next.tests);
            if version.tests < fewest {
                next = Some(version);
            }
        }
        Ok([best].into_iter().chain(next).collect())
    }

    /// The version where nothing is clamped, which may be elsewhere than at the ends of loops: tiles of each of several groups
    /// that are one loop end where each group does.
    fn within(
        &mut self,
        anywhere: &[Stmt],
        most: usize,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<Vec<Version>> {
        let never = |exact: &Vec<Condition>| {
            exact.iter().any(|condition| self.facts.certain(&condition.clone().not()))
        };
        let exact = unclamped(anywhere, &self.facts).filter(|exact| !exact.is_empty() && !never(exact));
        let version = exact.map(|exact| self.version(exact, body)).transpose()?;
        Ok(version.filter(|version| version.tests < most / 2).into_iter().collect())
    }

    /// The body where these conditions hold.
    fn version(
        &mut self,
        conditions: Vec<Condition>,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<Version> {
        let condition = conditions.into_iter().fold(Condition::truth(true), Condition::and);
        let block = self.knowing(|facts| facts.assume(&condition), |g| g.block(&mut *body))?.0;
        Ok(Version { condition, tests: tests(&block), block })
    }

    /// That an index is neither the last one nor the first. A loop that would have no iterations left is not tested.
    fn ends(&self, index: &Nat, length: &Nat) -> Vec<Condition> {
        let before_last = Condition::lt(index + 1, length);
        match self.facts.bounds(length).0.unwrap_or(0) {
            3.. => vec![Condition::ge(index, Nat::constant(1)), before_last],
            2 => vec![before_last],
            _ => vec![],
        }
    }
}

/// The body of a loop where a condition holds.
struct Version {
    condition: Condition,
    block: Vec<Stmt>,
    /// How many tests are left.
    tests: usize,
}

/// The same statement with arrays instead of registers.
fn in_memory(stmt: &Stmt) -> Stmt {
    let array = |array: &Arc<Array>| Arc::new(Array { registers: false, ..(**array).clone() });
    fn loads(e: &Expr, array: &dyn Fn(&Arc<Array>) -> Arc<Array>) -> Expr {
        match e {
            Expr::Load(from, index, width) => Expr::Load(array(from), index.clone(), *width),
            other => other.map_children(&mut |child| loads(child, array)),
        }
    }
    let block = &mut |stmts: &[Stmt]| stmts.iter().map(in_memory).collect();
    match stmt.rebuilt(&mut |e| loads(e, &array), block) {
        Stmt::Array(declared, values) => Stmt::Array(array(&declared), values),
        Stmt::Store(to, index, value) => Stmt::Store(array(&to), index, value),
        other => other,
    }
}

/// Are vectors put together lane by lane? Then the block takes long, and is long.
fn gathers(block: &[Stmt]) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.visit(&mut |stmt| {
            stmt.expr().into_iter().for_each(|e| e.visit(&mut |e| found |= matches!(e, Expr::Lanes(_))))
        });
    }
    found
}

/// The number of tests, of indices that are clamped, and of vectors' lanes that are put together one by one:
/// the work that ends of loops cause.
fn tests(block: &[Stmt]) -> usize {
    let mut count = 0;
    for stmt in block {
        stmt.visit(&mut |stmt| {
            count += match stmt {
                Stmt::If(..) => 1,
                Stmt::Store(_, index, _) => clamps(index),
                _ => 0,
            };
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| {
                    count += match e {
                        Expr::Select(..) => 1,
                        Expr::Load(_, index, _) | Expr::Index(index, _) => clamps(index),
                        Expr::Lanes(lanes) => lanes.len(),
                        _ => 0,
                    };
                });
            }
        });
    }
    count
}
