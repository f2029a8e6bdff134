//! How large the sizes and indices get that a plan computes.
//!
//! 32-bit indices are cheaper on GPUs. Here is the proof that no index needs more, for all values of the loops'
//! variables at the plan's sizes.

use super::{Expr, Module, Plan, Stmt};
use crate::nat::{Condition, Factor, Facts, Nat};

/// With this much room to spare no sum of a few indices leaves 32 bits.
const LIMIT: i64 = i32::MAX as i64 / 2;

impl Plan {
    /// Do all indices of a module's kernels fit 32 bits? Else they compute them in 64.
    pub(super) fn small_indices(&self, module: usize) -> bool {
        let small = |n: usize| n < i32::MAX as usize / 2;
        let mut launches = self.launches.iter().filter(|launch| launch.module == module);
        launches.all(|launch| {
            launch.global().into_iter().all(small)
                && launch.arrays.iter().all(|id| small(self.buffers[id.0].length))
        }) && numbers_are_small(&self.modules[module])
    }
}

/// Do all sizes, loops, indices and conditions of a module fit 32 bits?
fn numbers_are_small(module: &Module) -> bool {
    let mut facts = Facts::new();
    for (var, value) in &module.sizes {
        facts.fix(var, *value);
    }
    module.sizes.iter().all(|(_, value)| value.abs() < LIMIT)
        && module.kernels.iter().all(|k| block_is_small(&k.body, &facts))
}

/// Do all indices that these statements compute fit, with the ranges of the loops around?
fn block_is_small(block: &[Stmt], facts: &Facts) -> bool {
    block.iter().all(|stmt| {
        let own = match stmt {
            Stmt::Array(array, _) => fits(&array.length, facts),
            Stmt::Store(_, index, _) => fits(index, facts),
            Stmt::Loop { extent, .. } => fits(extent, facts),
            _ => true,
        };
        let inside = match stmt {
            Stmt::Loop { var, extent, .. } => {
                let mut inside = facts.clone();
                inside.range(var, &Nat::constant(0), extent);
                inside
            }
            _ => facts.clone(),
        };
        own && stmt.expr().is_none_or(|e| expr_is_small(e, facts))
            && stmt.blocks().into_iter().all(|b| block_is_small(b, &inside))
    })
}

/// Do all indices in an expression fit?
fn expr_is_small(e: &Expr, facts: &Facts) -> bool {
    let own = match e {
        Expr::Index(n, _) | Expr::Load(_, n, _) => fits(n, facts),
        Expr::Test(condition) => condition_is_small(condition, facts),
        _ => true,
    };
    own && e.children().into_iter().all(|child| expr_is_small(child, facts))
}

/// Do both sides of every comparison fit?
fn condition_is_small(c: &Condition, facts: &Facts) -> bool {
    match c {
        Condition::Compare(_, a, b) => fits(a, facts) && fits(b, facts),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().all(|p| condition_is_small(p, facts)),
        Condition::Not(inner) => condition_is_small(inner, facts),
    }
}

/// The least and the largest value.
type Bounds = (Option<i64>, Option<i64>);

/// Does a number fit, with all that is computed on the way to it? Interval arithmetic nearly always decides;
/// the prover is asked only where it is too coarse.
fn fits(n: &Nat, facts: &Facts) -> bool {
    within(n, &|n| facts.rough_bounds(n)) || within(n, &|n| facts.bounds(n))
}

/// The number and each of its terms, since terms are computed on the way to the sum, and each dividend, which
/// may be much larger than its quotient.
fn within(n: &Nat, bounds: &dyn Fn(&Nat) -> Bounds) -> bool {
    let (low, high) = bounds(n);
    let whole = low.is_some_and(|low| low > -LIMIT) && high.is_some_and(|high| high < LIMIT);
    whole
        && n.terms().iter().all(|term| {
            let product = term.factors.iter().try_fold(
                i128::from(term.coefficient).abs(),
                |product, (factor, power)| {
                    let (low, high) = bounds(&value(factor)?);
                    let most = i128::from(low?).abs().max(i128::from(high?).abs());
                    (0..*power).try_fold(product, |product, _| product.checked_mul(most))
                },
            );
            let mut operands = term.factors.iter().filter_map(|(factor, _)| factor.operands());
            product.is_some_and(|p| p < i128::from(LIMIT))
                && operands.all(|(a, b)| within(a, bounds) && within(b, bounds))
        })
}

/// A factor as a number; `None` if it is too large to be written out.
fn value(factor: &Factor) -> Option<Nat> {
    Some(match factor {
        Factor::Var(v) => Nat::var(v),
        Factor::Div(a, b) => a.div(b),
        Factor::Mod(a, b) => a.rem(b),
        Factor::Min(a, b) => a.min(b),
        Factor::Max(a, b) => a.max(b),
        _ => return None,
    })
}
