//! Scalar values, and the operators and functions on them with their meaning.
//!
//! The meaning is Rust's wherever Rust has one without panicking. Where Rust panics, a device
//! cannot: integer arithmetic wraps, integer division by zero is zero, and shift amounts are taken
//! modulo the width. `min` and `max` of floats ignore a NaN, as Rust's do.

use crate::types::Scalar;
use half::f16;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One value of a scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A value of type `bool`.
    Bool(bool),
    /// A value of type `i8`.
    I8(i8),
    /// A value of type `u8`.
    U8(u8),
    /// A value of type `i16`.
    I16(i16),
    /// A value of type `u16`.
    U16(u16),
    /// A value of type `i32`.
    I32(i32),
    /// A value of type `u32`.
    U32(u32),
    /// A value of type `i64`.
    I64(i64),
    /// A value of type `u64`.
    U64(u64),
    /// A value of type `f16`.
    F16(f16),
    /// A value of type `f32`, stored by its bits.
    F32(#[serde(with = "bits32")] f32),
    /// A value of type `f64`, stored by its bits.
    F64(#[serde(with = "bits64")] f64),
}

/// Floats are stored by their bits: text formats know no infinity, and round.
mod bits32 {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the bits.
    pub fn serialize<S: Serializer>(x: &f32, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u32(x.to_bits())
    }

    /// Reads the bits back.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f32, D::Error> {
        u32::deserialize(d).map(f32::from_bits)
    }
}

/// As the 32 bits above.
pub(crate) mod bits64 {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the bits.
    pub fn serialize<S: Serializer>(x: &f64, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u64(x.to_bits())
    }

    /// Reads the bits back.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        u64::deserialize(d).map(f64::from_bits)
    }
}

impl Value {
    /// Its type.
    pub fn scalar(self) -> Scalar {
        match self {
            Value::Bool(_) => Scalar::Bool,
            Value::I8(_) => Scalar::I8,
            Value::U8(_) => Scalar::U8,
            Value::I16(_) => Scalar::I16,
            Value::U16(_) => Scalar::U16,
            Value::I32(_) => Scalar::I32,
            Value::U32(_) => Scalar::U32,
            Value::I64(_) => Scalar::I64,
            Value::U64(_) => Scalar::U64,
            Value::F16(_) => Scalar::F16,
            Value::F32(_) => Scalar::F32,
            Value::F64(_) => Scalar::F64,
        }
    }

    /// The integer `n` as a value of type `scalar`, wrapped as `as` does.
    pub fn from_integer(n: i128, scalar: Scalar) -> Value {
        match scalar {
            Scalar::Bool => Value::Bool(n != 0),
            Scalar::I8 => Value::I8(n as i8),
            Scalar::U8 => Value::U8(n as u8),
            Scalar::I16 => Value::I16(n as i16),
            Scalar::U16 => Value::U16(n as u16),
            Scalar::I32 => Value::I32(n as i32),
            Scalar::U32 => Value::U32(n as u32),
            Scalar::I64 => Value::I64(n as i64),
            Scalar::U64 => Value::U64(n as u64),
            Scalar::F16 => Value::F16(f16::from_f64(n as f64)),
            Scalar::F32 => Value::F32(n as f32),
            Scalar::F64 => Value::F64(n as f64),
        }
    }

    /// The number `x` as a value of type `scalar`; integers saturate and take NaN as 0, as `as` does.
    pub fn from_f64(x: f64, scalar: Scalar) -> Value {
        match scalar {
            Scalar::Bool => Value::Bool(x != 0.0),
            Scalar::I8 => Value::I8(x as i8),
            Scalar::U8 => Value::U8(x as u8),
            Scalar::I16 => Value::I16(x as i16),
            Scalar::U16 => Value::U16(x as u16),
            Scalar::I32 => Value::I32(x as i32),
            Scalar::U32 => Value::U32(x as u32),
            Scalar::I64 => Value::I64(x as i64),
            Scalar::U64 => Value::U64(x as u64),
            Scalar::F16 => Value::F16(f16::from_f64(x)),
            Scalar::F32 => Value::F32(x as f32),
            Scalar::F64 => Value::F64(x),
        }
    }

    /// The value as a number; exact for all but large 64-bit integers.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::F16(x) => x.to_f64(),
            Value::F32(x) => x as f64,
            Value::F64(x) => x,
            other => other.to_integer().unwrap_or(0) as f64,
        }
    }

    /// Is it 0, of either sign, or `false`?
    pub fn is_zero(self) -> bool {
        self.to_f64() == 0.0
    }

    /// The value of an integer or a `bool`; `None` for floats.
    pub fn to_integer(self) -> Option<i128> {
        Some(match self {
            Value::Bool(x) => x as i128,
            Value::I8(x) => x as i128,
            Value::U8(x) => x as i128,
            Value::I16(x) => x as i128,
            Value::U16(x) => x as i128,
            Value::I32(x) => x as i128,
            Value::U32(x) => x as i128,
            Value::I64(x) => x as i128,
            Value::U64(x) => x as i128,
            Value::F16(_) | Value::F32(_) | Value::F64(_) => return None,
        })
    }

    /// `self as scalar`, as Rust's `as`.
    pub fn cast(self, scalar: Scalar) -> Value {
        match self.to_integer() {
            Some(n) => Value::from_integer(n, scalar),
            None => Value::from_f64(self.to_f64(), scalar),
        }
    }

    /// Is it `true`? No number is.
    pub fn is_true(self) -> bool {
        self == Value::Bool(true)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Bool(x) => write!(f, "{x}"),
            Value::F16(x) => write!(f, "{x:?}"),
            Value::F32(x) => write!(f, "{x:?}"),
            Value::F64(x) => write!(f, "{x:?}"),
            other => write!(f, "{}", other.to_integer().unwrap_or(0)),
        }
    }
}

/// The scalar types that an operator accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Integers and floats.
    Number,
    /// Floats only.
    Float,
    /// Integers only: shifts.
    Integer,
    /// Integers and `bool`.
    Bits,
    /// `bool` only.
    Bool,
    /// Every scalar type.
    Any,
}

impl Domain {
    /// Does an operator of this domain accept operands of type `s`?
    pub fn contains(self, s: Scalar) -> bool {
        match self {
            Domain::Number => s != Scalar::Bool,
            Domain::Float => s.is_float(),
            Domain::Integer => s.is_integer(),
            Domain::Bits => !s.is_float(),
            Domain::Bool => s == Scalar::Bool,
            Domain::Any => true,
        }
    }

    /// The domain in words, for messages: `a number`.
    pub fn describe(self) -> &'static str {
        match self {
            Domain::Number => "a number",
            Domain::Float => "a float",
            Domain::Integer => "an integer",
            Domain::Bits => "an integer or `bool`",
            Domain::Bool => "`bool`",
            Domain::Any => "a scalar",
        }
    }
}

/// Declares [`Op`] with everything that is the same for every operator: its name in the language,
/// its arity, what it accepts, and whether it answers with a `bool`.
macro_rules! operators {
    ($($variant:ident $name:literal $arity:literal $domain:ident $compares:literal,)*) => {
        /// An operator or function of scalars; all operands have one type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Op { $(
            #[doc = concat!("`", $name, "`: ", stringify!($arity), " operands, of domain [`Domain::", stringify!($domain), "`].")]
            $variant,
        )* }

        impl Op {
            /// Every operator once, in the order of the table.
            pub const ALL: &[Op] = &[$(Op::$variant,)*];

            /// Its name in the language: a symbol such as `+`, or the name of a function such as `sqrt`.
            pub fn name(self) -> &'static str { match self { $(Op::$variant => $name,)* } }
            /// How many operands it takes: 1 to 3.
            pub fn arity(self) -> usize { match self { $(Op::$variant => $arity,)* } }
            /// The scalar types that its operands may have.
            pub fn domain(self) -> Domain { match self { $(Op::$variant => Domain::$domain,)* } }
            /// Does it answer with a `bool` whatever its operands are?
            pub fn compares(self) -> bool { match self { $(Op::$variant => $compares,)* } }
        }
    };
}

operators! {
    Neg "-" 1 Number false,
    Not "!" 1 Bits false,
    Add "+" 2 Number false,
    Sub "-" 2 Number false,
    Mul "*" 2 Number false,
    Div "/" 2 Number false,
    Rem "%" 2 Number false,
    Eq "==" 2 Any true,
    Ne "!=" 2 Any true,
    Lt "<" 2 Any true,
    Le "<=" 2 Any true,
    Gt ">" 2 Any true,
    Ge ">=" 2 Any true,
    And "&&" 2 Bool false,
    Or "||" 2 Bool false,
    BitAnd "&" 2 Bits false,
    BitOr "|" 2 Bits false,
    BitXor "^" 2 Bits false,
    Shl "<<" 2 Integer false,
    Shr ">>" 2 Integer false,
    Min "min" 2 Number false,
    Max "max" 2 Number false,
    Abs "abs" 1 Number false,
    Sqrt "sqrt" 1 Float false,
    Exp "exp" 1 Float false,
    Exp2 "exp2" 1 Float false,
    Ln "ln" 1 Float false,
    Log2 "log2" 1 Float false,
    Log10 "log10" 1 Float false,
    Sin "sin" 1 Float false,
    Cos "cos" 1 Float false,
    Tan "tan" 1 Float false,
    Asin "asin" 1 Float false,
    Acos "acos" 1 Float false,
    Atan "atan" 1 Float false,
    Atan2 "atan2" 2 Float false,
    Sinh "sinh" 1 Float false,
    Cosh "cosh" 1 Float false,
    Tanh "tanh" 1 Float false,
    Floor "floor" 1 Float false,
    Ceil "ceil" 1 Float false,
    Round "round" 1 Float false,
    Trunc "trunc" 1 Float false,
    Pow "pow" 2 Float false,
    Hypot "hypot" 2 Float false,
    Fma "fma" 3 Float false,
}

impl Op {
    /// The function of this name, as in `sqrt(x)`; operators are not functions.
    pub fn function(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name && name.starts_with(|c: char| c.is_alphabetic()))
    }

    /// Written between its operands?
    pub fn is_infix(self) -> bool {
        self.arity() == 2 && !self.name().starts_with(|c: char| c.is_alphabetic())
    }

    /// The result's type for operands of type `s`.
    pub fn result(self, s: Scalar) -> Scalar {
        if self.compares() { Scalar::Bool } else { s }
    }

    /// Applies the operator; `None` if the operands are not of one type that it accepts.
    pub fn apply(self, operands: &[Value]) -> Option<Value> {
        let scalar = operands.first()?.scalar();
        let alike = operands.iter().all(|v| v.scalar() == scalar);
        if !alike || operands.len() != self.arity() || !self.domain().contains(scalar) {
            return None;
        }
        if self.compares() {
            return Some(Value::Bool(self.compare(operands[0], operands[1])));
        }
        if scalar.is_float() {
            let numbers: Vec<f64> = operands.iter().map(|v| v.to_f64()).collect();
            return Some(self.float(scalar, &numbers));
        }
        let numbers: Vec<i128> = operands.iter().filter_map(|v| v.to_integer()).collect();
        Some(Value::from_integer(self.integer(scalar, &numbers), scalar))
    }

    fn compare(self, a: Value, b: Value) -> bool {
        let order = match (a.to_integer(), b.to_integer()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.to_f64().partial_cmp(&b.to_f64()),
        };
        match self {
            Op::Eq => order.is_some_and(|o| o.is_eq()),
            Op::Ne => !order.is_some_and(|o| o.is_eq()),
            Op::Lt => order.is_some_and(|o| o.is_lt()),
            Op::Le => order.is_some_and(|o| o.is_le()),
            Op::Gt => order.is_some_and(|o| o.is_gt()),
            _ => order.is_some_and(|o| o.is_ge()),
        }
    }

    /// Exact on `i128`; the caller wraps the result into the type.
    fn integer(self, scalar: Scalar, x: &[i128]) -> i128 {
        let bits = 8 * scalar.bytes() as i128;
        match self {
            Op::Neg => -x[0],
            Op::Not if scalar == Scalar::Bool => 1 - x[0],
            Op::Not => !x[0],
            Op::Add => x[0] + x[1],
            Op::Sub => x[0] - x[1],
            Op::Mul => x[0].wrapping_mul(x[1]),
            Op::Div => x[0].checked_div(x[1]).unwrap_or(0),
            Op::Rem => x[0].checked_rem(x[1]).unwrap_or(0),
            Op::And | Op::BitAnd => x[0] & x[1],
            Op::Or | Op::BitOr => x[0] | x[1],
            Op::BitXor => x[0] ^ x[1],
            Op::Shl => x[0].wrapping_shl((x[1].rem_euclid(bits)) as u32),
            Op::Shr => x[0] >> x[1].rem_euclid(bits),
            Op::Min => x[0].min(x[1]),
            Op::Max => x[0].max(x[1]),
            Op::Abs => x[0].abs(),
            // The domain check has refused integers for all the others.
            _ => 0,
        }
    }

    /// Computed in `f64` and rounded once: as precise as any device, not bit-identical to each.
    fn float(self, scalar: Scalar, x: &[f64]) -> Value {
        let y = match self {
            Op::Neg => -x[0],
            Op::Add => x[0] + x[1],
            Op::Sub => x[0] - x[1],
            Op::Mul => x[0] * x[1],
            Op::Div => x[0] / x[1],
            Op::Rem => x[0] % x[1],
            Op::Min => x[0].min(x[1]),
            Op::Max => x[0].max(x[1]),
            Op::Abs => x[0].abs(),
            Op::Sqrt => x[0].sqrt(),
            Op::Exp => x[0].exp(),
            Op::Exp2 => x[0].exp2(),
            Op::Ln => x[0].ln(),
            Op::Log2 => x[0].log2(),
            Op::Log10 => x[0].log10(),
            Op::Sin => x[0].sin(),
            Op::Cos => x[0].cos(),
            Op::Tan => x[0].tan(),
            Op::Asin => x[0].asin(),
            Op::Acos => x[0].acos(),
            Op::Atan => x[0].atan(),
            Op::Atan2 => x[0].atan2(x[1]),
            Op::Sinh => x[0].sinh(),
            Op::Cosh => x[0].cosh(),
            Op::Tanh => x[0].tanh(),
            Op::Floor => x[0].floor(),
            Op::Ceil => x[0].ceil(),
            Op::Round => x[0].round(),
            Op::Trunc => x[0].trunc(),
            Op::Pow => x[0].powf(x[1]),
            Op::Hypot => x[0].hypot(x[1]),
            Op::Fma => x[0].mul_add(x[1], x[2]),
            // The domain check has refused floats for all the others.
            _ => f64::NAN,
        };
        Value::from_f64(y, scalar)
    }
}
