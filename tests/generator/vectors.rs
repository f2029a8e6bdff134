//! Vectors: nothing makes one by itself, so that they come from arrays and from what is in scope.

use super::Generator;
use super::build::{binary, call, cast, name};
use lift_core::syntax::{Binary, Expr};
use lift_core::types::{Scalar, Type};

pub const WIDTHS: [i64; 5] = [1, 2, 4, 8, 16];

impl Generator<'_> {
    /// Can a value of this type be written down here?
    pub fn makeable(&self, ty: &Type) -> bool {
        match ty {
            Type::Scalar(_) => true,
            Type::Array(element, _) => matches!(**element, Type::Vector(..)) || self.makeable(element),
            Type::Tuple(parts) => parts.iter().all(|part| self.makeable(part)),
            vector => self.scope.iter().any(|(_, known)| known == vector),
        }
    }

    pub fn vector_in_scope(&self) -> Option<(String, Type)> {
        self.scope.iter().rev().find(|(_, ty)| matches!(ty, Type::Vector(..))).cloned()
    }

    /// Something computed with the newest vector: another one, or a scalar.
    pub fn vectorial(&mut self) -> Option<(Expr, Type)> {
        let (text, ty) = self.vector_in_scope()?;
        let Type::Vector(element, width) = &ty else { return None };
        let scalar = element.as_scalar()?;
        let vector = name(&text);
        let other = if self.random.bool() { vector.clone() } else { self.scalar(scalar, 1) };
        let op = [Binary::Add, Binary::Sub][self.random.usize(0..2)];
        Some(match self.random.u8(0..6) {
            _ if scalar == Scalar::Bool => (binary(Binary::BitAnd, vector, other), ty),
            0 => (call("dot", vec![vector.clone(), vector]), (**element).clone()),
            1 => (call(["min", "max"][self.random.usize(0..2)], vec![vector, other]), ty),
            2 => (binary(op, other, vector), ty),
            3 => {
                let to = Some(self.scalar_type()).filter(|s| *s != Scalar::Bool).unwrap_or(Scalar::I16);
                (cast(vector, to), Type::vector(Type::Scalar(to), width.clone()))
            }
            4 if scalar.is_integer() => {
                let op = [Binary::BitAnd, Binary::BitOr, Binary::BitXor][self.random.usize(0..3)];
                (binary(op, vector, other), ty)
            }
            _ => (binary(op, vector, other), ty),
        })
    }
}
