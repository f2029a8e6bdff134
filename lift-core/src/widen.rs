//! The same program with other floats: what its results would be with nearly no rounding, or with more of it.
//!
//! Tuning compares the results of a program in its own floats with those in wider or narrower ones, and so
//! learns how far rounding alone takes an element.

use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Param, Pattern};
use crate::program::Program;
use crate::scalar::Value;
use crate::types::{Scalar, Type};

/// Which floats a program computes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Floats {
    /// The floats that it states.
    Own,
    /// `f64` in place of every narrower float.
    Wide,
    /// `f32` in place of every `f64`.
    Narrow,
}

impl Floats {
    /// What stands in place of a scalar.
    pub fn of(self, scalar: Scalar) -> Scalar {
        match (self, scalar) {
            (Floats::Wide, Scalar::F16 | Scalar::F32) => Scalar::F64,
            (Floats::Narrow, Scalar::F64) => Scalar::F32,
            _ => scalar,
        }
    }

    /// A type with these floats.
    pub fn ty(self, t: &Type) -> Type {
        match t {
            Type::Scalar(s) => Type::Scalar(self.of(*s)),
            Type::Array(element, n) => Type::Array(self.ty(element).into(), n.clone()),
            Type::Vector(element, n) => Type::Vector(self.ty(element).into(), n.clone()),
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.ty(part)).collect()),
            Type::Index | Type::Hole(_) => t.clone(),
        }
    }

    /// An expression over variables with these floats.
    pub fn expr(self, e: &Expr) -> Expr {
        let inside = e.map_children(&mut |child| self.expr(child));
        let kind = match &*inside.kind {
            Kind::Literal(Literal::Exact(value)) if value.scalar().is_float() => {
                let value = Value::from_f64(value.to_f64(), self.of(value.scalar()));
                Kind::Literal(Literal::Exact(value))
            }
            Kind::Cast(inner, to) => Kind::Cast(inner.clone(), self.of(*to)),
            Kind::Typed(inner, t) => Kind::Typed(inner.clone(), self.ty(t)),
            Kind::Let(p, value, body) => Kind::Let(self.pattern(p), value.clone(), body.clone()),
            Kind::Apply(primitive, arguments) => {
                Kind::Apply(*primitive, arguments.iter().map(|a| self.argument(a)).collect())
            }
            _ => return inside,
        };
        Expr { kind: kind.into(), ..inside }
    }

    /// Only the types of a lambda's parameters: its body is done.
    fn argument(self, a: &Argument) -> Argument {
        match a {
            Argument::Function(lambda) => {
                let params = lambda.params.iter().map(|p| self.pattern(p)).collect();
                Argument::Function(Lambda { params, ..lambda.clone() })
            }
            other => other.clone(),
        }
    }

    /// A pattern with the types in it changed.
    fn pattern(self, p: &Pattern) -> Pattern {
        match p {
            Pattern::Typed(inner, t) => Pattern::Typed(self.pattern(inner).into(), self.ty(t)),
            Pattern::Tuple(parts) => Pattern::Tuple(parts.iter().map(|p| self.pattern(p)).collect()),
            Pattern::Local(_) | Pattern::Wild => p.clone(),
        }
    }
}

impl Program {
    /// This program with `f64` in place of every narrower float. Its sizes are the same.
    pub fn widened(&self) -> Program {
        let mut function = self.function.clone();
        let wide = |p: Param| Param { ty: Floats::Wide.ty(&p.ty), ..p };
        function.params = function.params.into_iter().map(wide).collect();
        function.result = Floats::Wide.ty(&function.result);
        function.body = Floats::Wide.expr(&function.body);
        Program { function }
    }
}
