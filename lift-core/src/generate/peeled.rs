//! `peeled`: iterations at the ends of loops are kept apart from the others. The body is written twice: as it
//! is anywhere, and as it is where the index is known to be inside, if that version needs fewer tests.

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
        let anywhere = self.rolled(&mut *body);
        let mut versions = vec![];
        let shares = self.open.as_ref().is_some_and(|open| open.has_peeled || open.shared.len() != shared);
        let asks = anywhere.as_ref().is_ok_and(|(block, ())| tests(block) > 0);
        if asks && !shares {
            for starts in [true, false] {
                let inside = self.inside(&loops, starts);
                let block = self.knowing(|facts| facts.assume(&inside), |g| g.block(&mut *body))?.0;
                versions.push((tests(&block), inside, block));
            }
        }
        if let Some(open) = &mut self.open {
            open.peeled.pop();
            open.has_peeled = true;
        }
        let (anywhere, ()) = anywhere?;
        // If iterations at the start need no tests, more of them count as inside.
        versions.reverse();
        let fewest = versions.into_iter().min_by_key(|(tests, ..)| *tests);
        match fewest.filter(|(fewest, ..)| *fewest < tests(&anywhere)) {
            Some((_, inside, block)) => self.emit(Stmt::If(Expr::Test(inside), block, anywhere)),
            None => body(self),
        }
    }

    /// The statements of a body that seldom runs, with arrays instead of registers: its loops are not
    /// unrolled, which would make it long.
    fn rolled(&mut self, body: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<(Vec<Stmt>, ())> {
        let block = self.block(body);
        block.map(|(block, ())| (block.iter().map(in_memory).collect(), ()))
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
