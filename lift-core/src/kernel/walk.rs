//! Walking over kernels.
//!
//! Passes are written with `rebuilt` and `map_children`: a pass names the statements and expressions that it
//! changes, and leaves the rest to these.

use super::{Array, ArrayId, Expr, Kernel, Parallel, Stmt};
use crate::nat::Nat;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Gives an index to put in place of another; with the array that it is an index of, if it is one.
pub type Reindex<'a> = &'a dyn Fn(&Nat, Option<&Arc<Array>>) -> Nat;

impl Expr {
    /// The expressions directly inside this one.
    pub fn children(&self) -> SmallVec<[&Expr; 3]> {
        match self {
            Expr::Literal(_)
            | Expr::Local(_)
            | Expr::Parameter { .. }
            | Expr::Index(..)
            | Expr::Test(_)
            | Expr::Load(..) => smallvec![],
            Expr::Op(_, _, operands) | Expr::Lanes(operands) => operands.iter().collect(),
            Expr::Cast(_, _, inner) | Expr::Splat(inner, _) | Expr::Lane(inner, _) => smallvec![&**inner],
            Expr::Select(c, a, b) => smallvec![&**c, &**a, &**b],
        }
    }

    /// Every expression in it, outside in.
    pub fn visit(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        self.children().into_iter().for_each(|child| child.visit(f));
    }

    /// What it loads.
    pub(crate) fn loads<'a>(&'a self, see: &mut dyn FnMut(&'a Arc<Array>, &'a Nat, u8)) {
        if let Expr::Load(array, index, width) = self {
            see(array, index, *width);
        }
        self.children().into_iter().for_each(|e| e.loads(see));
    }

    /// Does it load scalars, one by one?
    pub(crate) fn loads_scalars(&self) -> bool {
        let mut loads = false;
        self.visit(&mut |e| loads |= matches!(e, Expr::Load(_, _, 1)));
        loads
    }

    /// The same with every expression directly inside replaced.
    pub(crate) fn map_children(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        match self {
            Expr::Op(op, s, operands) => Expr::Op(*op, *s, operands.iter().map(f).collect()),
            Expr::Lanes(parts) => Expr::Lanes(parts.iter().map(f).collect()),
            Expr::Cast(from, to, inner) => Expr::Cast(*from, *to, f(inner).into()),
            Expr::Splat(inner, width) => Expr::Splat(f(inner).into(), *width),
            Expr::Lane(inner, k) => Expr::Lane(f(inner).into(), *k),
            Expr::Select(c, a, b) => Expr::Select(f(c).into(), f(a).into(), f(b).into()),
            leaf => leaf.clone(),
        }
    }

    /// The same with other indices.
    pub(crate) fn reindexed(&self, f: Reindex) -> Expr {
        match self {
            Expr::Load(array, index, width) => Expr::Load(array.clone(), f(index, Some(array)), *width),
            Expr::Index(n, scalar) => Expr::Index(f(n, None), *scalar),
            Expr::Test(condition) => Expr::Test(condition.map(&|n| f(n, None))),
            other => other.map_children(&mut |child| child.reindexed(f)),
        }
    }
}

impl Kernel {
    /// The same kernel for arrays that begin so many elements later than it is given them.
    pub(crate) fn shifted(&self, offsets: &[(ArrayId, usize)]) -> Kernel {
        let shift = |index: &Nat, array: Option<&Arc<Array>>| {
            let offset = array.and_then(|array| offsets.iter().find(|(id, _)| *id == array.id));
            offset.map_or_else(|| index.clone(), |(_, offset)| index + &Nat::constant(*offset as i64))
        };
        let block = |body: &[Stmt]| body.iter().map(|stmt| stmt.reindexed(&shift)).collect();
        Kernel { body: block(&self.body), item: self.item.as_deref().map(block), ..self.clone() }
    }
}

impl Stmt {
    /// The expression that a statement itself evaluates.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Stmt::Declare { value, .. } | Stmt::Assign(_, value) | Stmt::Store(_, _, value) => Some(value),
            Stmt::If(condition, ..) => Some(condition),
            Stmt::Comment(_) | Stmt::Array(..) | Stmt::Soon(..) | Stmt::Barrier(_) | Stmt::Loop { .. } => {
                None
            }
        }
    }

    /// What a statement itself stores, and then what it loads: calls back with each array, index and width, and with whether that is a
    /// store.
    pub(crate) fn accesses<'a>(&'a self, see: &mut dyn FnMut(&'a Arc<Array>, &'a Nat, u8, bool)) {
        if let Stmt::Store(array, index, value) = self {
            see(array, index, value.width(), true);
        }
        let mut loaded = |array: &'a _, index: &'a _, width| see(array, index, width, false);
        self.expr().into_iter().for_each(|e| e.loads(&mut loaded));
    }

    /// The blocks inside it.
    pub fn blocks(&self) -> SmallVec<[&[Stmt]; 2]> {
        match self {
            Stmt::Loop { body, .. } => smallvec![&body[..]],
            Stmt::If(_, then, otherwise) => smallvec![&then[..], &otherwise[..]],
            _ => smallvec![],
        }
    }

    /// Is it a loop over work-items of a launch, or around one?
    pub(crate) fn is_over_items(&self) -> bool {
        let own = matches!(self, Stmt::Loop { parallel: Parallel::Global(_), .. });
        own || self.blocks().into_iter().flatten().any(Stmt::is_over_items)
    }

    /// Every statement in it, outside in.
    pub fn visit(&self, f: &mut dyn FnMut(&Stmt)) {
        f(self);
        self.blocks().into_iter().flatten().for_each(|s| s.visit(f));
    }

    /// The same with other indices, in it and in the statements inside it.
    pub(crate) fn reindexed(&self, f: Reindex) -> Stmt {
        let block = &mut |stmts: &[Stmt]| stmts.iter().map(|s| s.reindexed(f)).collect();
        match self.rebuilt(&mut |e| e.reindexed(f), block) {
            Stmt::Store(array, index, value) => {
                let index = f(&index, Some(&array));
                Stmt::Store(array, index, value)
            }
            Stmt::Soon(array, index) => {
                let index = f(&index, Some(&array));
                Stmt::Soon(array, index)
            }
            other => other,
        }
    }

    /// The same with its expressions and blocks replaced.
    pub fn rebuilt(
        &self,
        expr: &mut dyn FnMut(&Expr) -> Expr,
        block: &mut dyn FnMut(&[Stmt]) -> Vec<Stmt>,
    ) -> Stmt {
        match self {
            Stmt::Declare { local, value, change } => {
                Stmt::Declare { local: local.clone(), value: expr(value), change: *change }
            }
            Stmt::Assign(local, value) => Stmt::Assign(local.clone(), expr(value)),
            Stmt::Store(array, index, value) => Stmt::Store(array.clone(), index.clone(), expr(value)),
            Stmt::Loop { var, extent, parallel, body } => Stmt::Loop {
                var: var.clone(),
                extent: extent.clone(),
                parallel: *parallel,
                body: block(body),
            },
            Stmt::If(condition, then, otherwise) => Stmt::If(expr(condition), block(then), block(otherwise)),
            Stmt::Comment(_) | Stmt::Array(..) | Stmt::Soon(..) | Stmt::Barrier(_) => self.clone(),
        }
    }
}
