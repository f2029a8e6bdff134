//! What the operators of scalars cost.

use crate::scalar::Op;

/// How many instructions an operator takes as long as: roughly, for devices have their own ways. Those of functions are after
/// the built-in device's polynomials, and of divisions after processors, which do them in 8 to 16 cycles.
pub fn instructions_of(op: Op) -> f64 {
    match op {
        Op::Neg
        | Op::Not
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::And
        | Op::Or
        | Op::BitAnd
        | Op::BitOr
        | Op::BitXor
        | Op::Shl
        | Op::Shr
        | Op::Min
        | Op::Max
        | Op::Abs
        | Op::Floor
        | Op::Ceil
        | Op::Round
        | Op::Trunc
        | Op::Fma => 1.0,
        Op::Div | Op::Rem | Op::Sqrt => 8.0,
        Op::Exp | Op::Exp2 | Op::Ln | Op::Log2 | Op::Log10 | Op::Tanh => 20.0,
        Op::Sin | Op::Cos | Op::Tan | Op::Sinh | Op::Cosh => 30.0,
        Op::Asin | Op::Acos | Op::Atan | Op::Atan2 | Op::Pow | Op::Hypot => 40.0,
    }
}
