//! `peeled`: loop peeling. The body of a loop is generated twice, for any index and for indices that are known to be
//! inside, if the second version needs fewer tests.

use super::{Generator, Result, Unsupported};
use crate::kernel::{Array, Expr, Stmt};
use crate::nat::{Condition, Factor, Nat};
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
                self.where_inside(&loops, tests(anywhere), body)
            }
            _ => Ok(None),
        };
        if let Some(open) = &mut self.open {
            open.peeled.pop();
            open.has_peeled = true;
        }
        let (anywhere, ()) = anywhere?;
        match inside? {
            // What seldom runs is long enough without loops that are unrolled for registers.
            Some((inside, block)) => {
                let anywhere = anywhere.iter().map(in_memory).collect();
                self.emit(Stmt::If(Expr::Test(inside), block, anywhere))
            }
            None => anywhere.into_iter().try_for_each(|stmt| self.emit(stmt)),
        }
    }

    /// The body with fewer tests than this, and the condition for it, if there is one. Most iterations should
    /// meet the condition: it asks for the first ones only if that saves tests.
    fn where_inside(
        &mut self,
        loops: &[(Nat, Nat)],
        most: usize,
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<Option<(Condition, Vec<Stmt>)>> {
        let mut fewest = (most, None);
        for starts in [true, false] {
            let inside = self.inside(loops, starts);
            let block = self.knowing(|facts| facts.assume(&inside), |g| g.block(&mut *body))?.0;
            let left = tests(&block);
            let better = if starts { left < fewest.0 } else { left <= fewest.0 };
            if !better {
                break;
            }
            fewest = (left, Some((inside, block)));
        }
        Ok(fewest.1)
    }

    /// The condition that no index is the last one, nor the first if `starts`. A loop that would have no
    /// iterations left is not tested.
    fn inside(&self, loops: &[(Nat, Nat)], starts: bool) -> Condition {
        let conditions = loops.iter().map(|(index, length)| {
            let count = self.facts.bounds(length).0.unwrap_or(0);
            let before_last = Condition::lt(index + 1, length);
            match count {
                3.. if starts => Condition::ge(index, Nat::constant(1)).and(before_last),
                2.. => before_last,
                _ => Condition::truth(true),
            }
        });
        conditions.fold(Condition::truth(true), Condition::and)
    }
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
            for e in stmt.exprs() {
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

fn clamps(index: &Nat) -> usize {
    let of = |factor: &Factor| match factor {
        Factor::Min(..) | Factor::Max(..) => 1,
        Factor::Div(a, b) | Factor::Mod(a, b) | Factor::Sum(a, b) | Factor::Product(a, b) => {
            clamps(a) + clamps(b)
        }
        Factor::Var(_) | Factor::TooLarge(..) => 0,
    };
    index.terms().iter().flat_map(|term| &term.factors).map(|(factor, _)| of(factor)).sum()
}
