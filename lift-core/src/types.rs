//! Scalars, vectors, arrays and tuples: what a value of the language can be.

use crate::nat::{Nat, Var};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The scalar types, with Rust's names and Rust's meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Scalar {
    /// `false` or `true`; in memory a byte, 0 or 1.
    Bool,
    /// 8 bits, signed.
    I8,
    /// 8 bits, unsigned.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits, unsigned.
    U32,
    /// 64 bits, signed.
    I64,
    /// 64 bits, unsigned.
    U64,
    /// IEEE binary16 (`half::f16`): Rust has no stable type for it.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Scalar {
    /// Every scalar type once, in the order of their declaration.
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Its name in Rust and in programs: `f32`.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The type of this name; `None` for any other word, `usize` included, since a size is no value.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Size in bytes, in memory of any kind. A `bool` is one byte, 0 or 1.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Is it one of `f16`, `f32` and `f64`?
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Is it an integer type? `bool` is none.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// Can it hold negative numbers? All floats can.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64) || self.is_float()
    }

    /// The smallest and largest value of an integer type.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        if !self.is_integer() {
            return None;
        }
        let bits = 8 * self.bytes() as u32;
        Some(if self.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        })
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A type. Lengths are symbolic; the outer dimension is outermost, as in Rust.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    /// One scalar.
    Scalar(Scalar),
    /// A size or an index used as a value; it becomes a number through `as`.
    Index,
    /// Element type and length. The length is at least 0 and may depend on sizes and on indices.
    Array(Arc<Type>, Nat),
    /// Scalars that are computed with together, in a register of the device.
    Vector(Arc<Type>, Nat),
    /// Values of different types side by side. An array of tuples lies in memory as one array for each component.
    Tuple(Arc<[Type]>),
    /// Not known yet: exists only while a program is being checked.
    Hole(u32),
}

impl Type {
    /// The result of a function that states none, until the checker has found it.
    pub(crate) const INFERRED: Type = Type::Hole(0);

    /// `[element; length]`
    pub fn array(element: Type, length: Nat) -> Type {
        Type::Array(Arc::new(element), length)
    }

    /// `<element; width>`
    pub fn vector(element: Type, width: Nat) -> Type {
        Type::Vector(Arc::new(element), width)
    }

    /// `(part, part, …)`
    pub fn tuple(parts: impl Into<Arc<[Type]>>) -> Type {
        Type::Tuple(parts.into())
    }

    /// The scalar type that it is, if it is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// Element type and length of an array.
    pub fn as_array(&self) -> Option<(&Type, &Nat)> {
        match self {
            Type::Array(element, length) => Some((element, length)),
            _ => None,
        }
    }

    /// Is a part of it not known yet?
    pub(crate) fn has_holes(&self) -> bool {
        match self {
            Type::Scalar(_) | Type::Index => false,
            Type::Array(element, _) | Type::Vector(element, _) => element.has_holes(),
            Type::Tuple(parts) => parts.iter().any(Type::has_holes),
            Type::Hole(_) => true,
        }
    }

    /// The lengths of nested arrays from the outside in, and what they hold.
    pub fn shape(&self) -> (Vec<&Nat>, &Type) {
        let (mut lengths, mut inner) = (vec![], self);
        while let Type::Array(element, length) = inner {
            lengths.push(length);
            inner = element;
        }
        (lengths, inner)
    }

    /// Every length and width in it.
    pub fn lengths(&self) -> Vec<&Nat> {
        match self {
            Type::Array(element, length) | Type::Vector(element, length) => {
                let mut lengths = element.lengths();
                lengths.push(length);
                lengths
            }
            Type::Tuple(parts) => parts.iter().flat_map(Type::lengths).collect(),
            _ => vec![],
        }
    }

    /// The same with more elements in each row, which nobody reads.
    pub(crate) fn pitched(&self, more: &Nat) -> Type {
        match self {
            Type::Array(row, n) => match &**row {
                Type::Array(element, m) => Type::array(Type::array((**element).clone(), m + more), n.clone()),
                _ => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// Number of scalars in a value of this type, tuples counted once per scalar component.
    pub fn scalars(&self) -> Nat {
        match self {
            Type::Array(element, length) | Type::Vector(element, length) => element.scalars() * length,
            Type::Tuple(parts) => parts.iter().fold(Nat::constant(0), |sum, p| sum + p.scalars()),
            _ => Nat::constant(1),
        }
    }

    /// Can Rust be given it? A scalar, an array of scalars, or a tuple of these.
    pub(crate) fn is_returnable(&self) -> bool {
        let array = |ty: &Type| matches!(ty.shape().1, Type::Scalar(_));
        match self {
            Type::Tuple(parts) => !parts.is_empty() && parts.iter().all(array),
            one => array(one),
        }
    }

    /// The same type with sizes replaced.
    pub fn substitute(&self, f: &dyn Fn(&Var) -> Option<Nat>) -> Type {
        match self {
            Type::Array(element, length) => Type::array(element.substitute(f), length.substitute(f)),
            Type::Vector(element, width) => Type::vector(element.substitute(f), width.substitute(f)),
            Type::Tuple(parts) => Type::tuple(parts.iter().map(|p| p.substitute(f)).collect::<Vec<_>>()),
            other => other.clone(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Type::Scalar(s) => write!(f, "{s}"),
            Type::Index => f.write_str("index"),
            Type::Array(element, length) => write!(f, "[{element}; {length}]"),
            Type::Vector(element, width) => write!(f, "<{element}; {width}>"),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Type::Hole(_) => f.write_str("_"),
        }
    }
}
