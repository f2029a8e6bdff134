//! Powers whose exponent is a number that products and square roots make: `pow(x, 0.75)` is `sqrt(x) · sqrt(sqrt(x))`, which takes a
//! fraction of the time and is more exact than `pow` has to be (OpenCL 1.2 §7.4: 16 units in the last place).

use super::{Generator, Result};
use crate::kernel::Expr;
use crate::scalar::{Op, Value};
use crate::types::Scalar;

/// So many quarters an exponent may have: each further factor rounds once more.
const MOST: u32 = 16;

impl Generator {
    /// The power of a float by so many quarters, one at least.
    pub(super) fn power(&mut self, base: Expr, quarters: u32, scalar: Scalar) -> Result<Expr> {
        let width = base.width();
        let x = self.held("base", base)?;
        let op = |op: Op, operands: &[&Expr]| {
            Expr::Op(op, scalar, operands.iter().map(|e| (*e).clone()).collect())
        };
        let mut factors = vec![];
        let (mut whole, mut square) = (quarters / 4, x.clone());
        while whole > 0 {
            if whole % 2 == 1 {
                factors.push(square.clone());
            }
            whole /= 2;
            if whole > 0 {
                square = self.held("square", op(Op::Mul, &[&square, &square]))?;
            }
        }
        if !quarters.is_multiple_of(4) {
            let root = self.held("root", op(Op::Sqrt, &[&x]))?;
            if !quarters.is_multiple_of(2) {
                factors.push(op(Op::Sqrt, &[&root]));
            }
            if quarters % 4 >= 2 {
                factors.push(root);
            }
        }
        let product = factors.into_iter().reduce(|a, b| op(Op::Mul, &[&a, &b])).unwrap_or(x.clone());
        if quarters.is_multiple_of(4) {
            return Ok(product);
        }
        // A root of negative infinity is no number, but its power by a fraction is infinite. The root of -0 is -0, its power 0.
        let number = |value: f64| Expr::Literal(Value::from_f64(value, scalar)).splat(width);
        let product = op(Op::Add, &[&product, &number(0.0)]);
        let is_least = op(Op::Eq, &[&x, &number(f64::NEG_INFINITY)]);
        Ok(Expr::Select(is_least.into(), number(f64::INFINITY).into(), product.into()))
    }
}

/// How many quarters an exponent has, if it is a number with few of them.
pub(super) fn quarters(exponent: &Expr) -> Option<u32> {
    match exponent {
        // `f16` would round too much on the way.
        Expr::Literal(value) if matches!(value.scalar(), Scalar::F32 | Scalar::F64) => {
            let quarters = value.to_f64() * 4.0;
            (1..=MOST).find(|n| f64::from(*n) == quarters)
        }
        Expr::Splat(scalar, _) => quarters(scalar),
        _ => None,
    }
}
