//! How the table writes expressions: what n-dimensional forms and derived primitives stand for.

use super::{AT, Primitive};
use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Local, Pattern};
use crate::nat::{Nat, Var};
use crate::scalar::Value;
use crate::syntax::Site;
use crate::types::{Scalar, Type};
use std::sync::Arc;

/// Builds expressions at one place in the source.
pub struct Builder<'a> {
    pub site: Site,
    pub fresh: &'a mut u32,
}

impl Builder<'_> {
    pub fn apply(&mut self, name: &str, arguments: Vec<Argument>) -> Expr {
        Expr::new(self.site, Kind::Apply(Primitive::known(name), arguments))
    }

    pub fn one(&mut self, name: &str, xs: Expr) -> Expr {
        self.apply(name, vec![Argument::Value(xs)])
    }

    pub fn split(&mut self, m: Nat, xs: Expr) -> Expr {
        self.apply("split", vec![Argument::Size(m), Argument::Value(xs)])
    }

    pub fn slide(&mut self, name: &str, size: Nat, step: Nat, xs: Expr) -> Expr {
        self.apply(name, vec![Argument::Size(size), Argument::Size(step), Argument::Value(xs)])
    }

    pub fn map(&mut self, xs: Expr, body: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        let row = self.local("row");
        let element = self.expr(Kind::Local(row.clone()));
        let body = body(self, element);
        let f = self.function(vec![Pattern::Local(row)], body);
        self.apply("map", vec![f, Argument::Value(xs)])
    }

    /// The array of what the function gives for each index below `n`.
    pub fn generate(&mut self, n: Nat, body: impl FnOnce(&mut Self, Nat) -> Expr) -> Expr {
        *self.fresh += 1;
        let index = Var::index("i", *self.fresh);
        let body = body(self, Nat::var(&index));
        self.apply("generate", vec![Argument::Size(n), Argument::Generator(index, body)])
    }

    /// A new variable.
    pub fn local(&mut self, name: &str) -> Local {
        *self.fresh += 1;
        Local { name: Arc::from(name), index: *self.fresh }
    }

    pub fn function(&self, params: Vec<Pattern>, body: Expr) -> Argument {
        Argument::Function(Lambda { site: self.site, params, body })
    }

    /// Variables for a function's parameters, of these names where they have none, and its body where they are bound.
    pub fn open<const N: usize>(&mut self, f: Lambda, names: [&str; N]) -> ([Local; N], Expr) {
        let (mut params, mut body) = (f.params.into_iter(), f.body);
        let locals = names.map(|name| match params.next() {
            Some(Pattern::Local(local)) => local,
            pattern => {
                let local = self.local(name);
                if let Some(pattern) = pattern {
                    body = self.expr(Kind::Let(pattern, self.read(&local), body.clone()));
                }
                local
            }
        });
        (locals, body)
    }

    pub fn read(&self, local: &Local) -> Expr {
        self.expr(Kind::Local(local.clone()))
    }

    /// A size as a number.
    pub fn number(&self, n: Nat, scalar: Scalar) -> Expr {
        self.expr(Kind::Cast(self.expr(Kind::Size(n)), scalar))
    }

    /// Some value of this type: all zeros.
    pub fn zero(&mut self, ty: &Type) -> Expr {
        match ty {
            Type::Scalar(scalar) => self.expr(Kind::Literal(Literal::Exact(Value::from_integer(0, *scalar)))),
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.zero(part)).collect();
                self.expr(Kind::Tuple(parts))
            }
            Type::Array(element, n) => {
                let zero = self.zero(element);
                self.apply("repeat", vec![Argument::Size(n.clone()), Argument::Value(zero)])
            }
            Type::Vector(element, width) => {
                let zeros = self.zero(&Type::array((**element).clone(), width.clone()));
                let vectors =
                    self.apply("asVector", vec![Argument::Size(width.clone()), Argument::Value(zeros)]);
                self.apply(AT, vec![Argument::Size(Nat::constant(0)), Argument::Value(vectors)])
            }
            // No value of a program is one.
            Type::Index | Type::Hole(_) => self.expr(Kind::Size(Nat::constant(0))),
        }
    }

    pub fn expr(&self, kind: Kind) -> Expr {
        Expr::new(self.site, kind)
    }
}

// Arguments are of the kinds that were asked for.

pub fn size(x: &[Argument], i: usize) -> Nat {
    match &x[i] {
        Argument::Size(n) => n.clone(),
        _ => Nat::constant(0),
    }
}

pub fn value(x: &[Argument], i: usize) -> Expr {
    match &x[i] {
        Argument::Value(e) => e.clone(),
        _ => Expr::new(Site::default(), Kind::Tuple(vec![])),
    }
}

pub fn function(x: &[Argument], i: usize) -> Lambda {
    match &x[i] {
        Argument::Function(lambda) => lambda.clone(),
        _ => Lambda {
            site: Site::default(),
            params: vec![],
            body: Expr::new(Site::default(), Kind::Tuple(vec![])),
        },
    }
}
