//! Which elements of an array in memory padding made zero.

use super::{Environment, Generator};
use crate::kernel::Expr;
use crate::low::{Read, Reading};
use crate::nat::{Condition, Facts, Nat, Var};

/// The zeros of an array: its elements are others only where a condition on their indices holds.
pub struct Zeros {
    /// The indices, outermost first, with the lengths of their dimensions.
    indices: Vec<(Var, Nat)>,
    condition: Condition,
}

impl Zeros {
    /// The condition under which the element at this place in memory is not certainly zero.
    pub fn outside(&self, at: &Nat, facts: &Facts) -> Condition {
        let mut stride = Nat::constant(1);
        let mut indices = vec![];
        for (k, (var, length)) in self.indices.iter().enumerate().rev() {
            let index = at.div(&stride);
            indices.push((var, facts.simplify(&if k == 0 { index } else { index.rem(length) })));
            stride = stride * length;
        }
        let value = |v: &Var| indices.iter().find(|(var, _)| *var == v).map(|(_, index)| index.clone());
        self.condition.map(&|n| facts.simplify(&n.substitute(&value)))
    }
}

impl Generator {
    /// Where the elements of a value are zeros, if padding makes some.
    pub fn zeros(&mut self, e: &Read, env: &Environment) -> Option<Zeros> {
        let mut pads = false;
        e.visit(&mut |part| pads |= matches!(part.kind, Reading::Pad { .. }));
        let ty = self.ty(&e.ty, env);
        let (lengths, element) = ty.shape();
        element.as_scalar().filter(|_| pads)?;
        let indices: Vec<(Var, Nat)> =
            lengths.into_iter().map(|length| (Var::index("at", self.number()), length.clone())).collect();
        let inside = |facts: &mut Facts| {
            indices.iter().for_each(|(var, length)| facts.range(var, &Nat::constant(0), length));
        };
        let value = self.knowing(inside, |g| {
            let array = g.view(e, env).ok()?;
            let element = indices.iter().try_fold(array, |array, (var, _)| g.at(&array, &Nat::var(var)));
            g.scalar(&element.ok()?).ok()
        });
        match value? {
            Expr::Select(test, _, otherwise) => match (*test, *otherwise) {
                (Expr::Test(condition), Expr::Literal(zero)) if zero.is_zero() => {
                    Some(Zeros { indices, condition })
                }
                _ => None,
            },
            _ => None,
        }
    }
}
