//! The same program with wider floats: what its results would be without rounding, nearly.

use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Param, Pattern};
use crate::program::Program;
use crate::scalar::Value;
use crate::types::{Scalar, Type};

impl Program {
    /// This program with `f64` in place of every narrower float. Its sizes are the same.
    pub fn widened(&self) -> Program {
        let mut function = self.function.clone();
        function.params = function.params.into_iter().map(|p| Param { ty: ty(&p.ty), ..p }).collect();
        function.result = ty(&function.result);
        function.body = expr(&function.body);
        Program { function }
    }
}

fn scalar(s: Scalar) -> Scalar {
    if s.is_float() { Scalar::F64 } else { s }
}

fn ty(t: &Type) -> Type {
    match t {
        Type::Scalar(s) => Type::Scalar(scalar(*s)),
        Type::Array(element, n) => Type::Array(ty(element).into(), n.clone()),
        Type::Vector(element, n) => Type::Vector(ty(element).into(), n.clone()),
        Type::Tuple(parts) => Type::Tuple(parts.iter().map(ty).collect()),
        Type::Index | Type::Hole(_) => t.clone(),
    }
}

fn expr(e: &Expr) -> Expr {
    let inside = e.map_children(&mut expr);
    let kind = match &*inside.kind {
        Kind::Literal(Literal::Exact(Value::F16(x))) => Kind::Literal(Literal::Exact(Value::F64(x.to_f64()))),
        Kind::Literal(Literal::Exact(Value::F32(x))) => {
            Kind::Literal(Literal::Exact(Value::F64(f64::from(*x))))
        }
        Kind::Cast(inner, to) => Kind::Cast(inner.clone(), scalar(*to)),
        Kind::Typed(inner, t) => Kind::Typed(inner.clone(), ty(t)),
        Kind::Let(p, value, body) => Kind::Let(pattern(p), value.clone(), body.clone()),
        Kind::Apply(primitive, arguments) => {
            Kind::Apply(*primitive, arguments.iter().map(argument).collect())
        }
        _ => return inside,
    };
    Expr { kind: kind.into(), ..inside }
}

/// Only the types of a lambda's parameters: its body is done.
fn argument(a: &Argument) -> Argument {
    match a {
        Argument::Function(lambda) => {
            let params = lambda.params.iter().map(pattern).collect();
            Argument::Function(Lambda { params, ..lambda.clone() })
        }
        other => other.clone(),
    }
}

fn pattern(p: &Pattern) -> Pattern {
    match p {
        Pattern::Typed(inner, t) => Pattern::Typed(pattern(inner).into(), ty(t)),
        Pattern::Tuple(parts) => Pattern::Tuple(parts.iter().map(pattern).collect()),
        Pattern::Local(_) | Pattern::Wild => p.clone(),
    }
}
