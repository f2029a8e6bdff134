//! Short ways to write syntax trees.

use lift_core::nat::{Condition, Factor, Nat, Relation, Term};
use lift_core::syntax::{
    Binary, Expr, ExprKind, Let, Name, Pattern, PatternKind, Site, TypeExpr, TypeKind, Unary,
};
use lift_core::types::Type;

pub fn expr(kind: ExprKind) -> Expr {
    Expr { site: Site::default(), kind }
}

pub fn name(text: &str) -> Expr {
    expr(ExprKind::Name(text.into()))
}

pub fn int(n: i64) -> Expr {
    let magnitude = expr(ExprKind::Int(n.unsigned_abs().into(), None));
    if n < 0 { expr(ExprKind::Unary(Unary::Neg, Box::new(magnitude))) } else { magnitude }
}

pub fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(Box::new(name(function)), arguments))
}

pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

pub fn field(tuple: Expr, k: usize) -> Expr {
    expr(ExprKind::Field(Box::new(tuple), k))
}

pub fn cast(e: Expr, scalar: lift_core::types::Scalar) -> Expr {
    expr(ExprKind::Cast(Box::new(e), ty(&Type::Scalar(scalar))))
}

pub fn lambda(params: Vec<Pattern>, body: Expr) -> Expr {
    expr(ExprKind::Lambda(params, Box::new(body)))
}

pub fn bound(text: &str, value: Expr, tail: Expr) -> Expr {
    let only = Let { pattern: pattern(PatternKind::Name(text.into())), ty: None, value };
    expr(ExprKind::Block(vec![only], Box::new(tail)))
}

pub fn pattern(kind: PatternKind) -> Pattern {
    Pattern { site: Site::default(), kind, ty: None }
}

pub fn named(text: &str) -> Name {
    Name { text: text.into(), site: Site::default() }
}

pub fn ty(ty: &Type) -> TypeExpr {
    let kind = match ty {
        Type::Array(element, length) => TypeKind::Array(Box::new(self::ty(element)), Box::new(size(length))),
        Type::Tuple(parts) => TypeKind::Tuple(parts.iter().map(self::ty).collect()),
        scalar => TypeKind::Name(scalar.to_string()),
    };
    TypeExpr { site: Site::default(), kind }
}

pub fn size(n: &Nat) -> Expr {
    let terms = n.terms();
    let Some((first, rest)) = terms.split_first() else { return int(0) };
    rest.iter().fold(term(first), |sum, t| {
        // A person writes `N - 1`, not `N + -1`.
        if t.coefficient < 0 {
            let positive = Term { coefficient: -t.coefficient, factors: t.factors.clone() };
            binary(Binary::Sub, sum, term(&positive))
        } else {
            binary(Binary::Add, sum, term(t))
        }
    })
}

fn term(t: &Term) -> Expr {
    let factors = t.factors.iter().flat_map(|(f, power)| std::iter::repeat_n(f, *power as usize)).map(factor);
    let coefficient = (t.coefficient != 1 || t.factors.is_empty()).then(|| int(t.coefficient));
    let all = coefficient.into_iter().chain(factors);
    all.reduce(|a, b| binary(Binary::Mul, a, b)).unwrap_or_else(|| int(1))
}

fn factor(f: &Factor) -> Expr {
    match f {
        Factor::Var(v) => name(&v.name),
        Factor::Div(a, b) => binary(Binary::Div, size(a), size(b)),
        Factor::Mod(a, b) => binary(Binary::Rem, size(a), size(b)),
        Factor::Min(a, b) => call("min", vec![size(a), size(b)]),
        Factor::Max(a, b) => call("max", vec![size(a), size(b)]),
        Factor::Sum(a, b) => binary(Binary::Add, size(a), size(b)),
        Factor::Product(a, b) => binary(Binary::Mul, size(a), size(b)),
        Factor::TooLarge(..) => unreachable!("sizes of random programs stay small"),
    }
}

pub fn condition(c: &Condition) -> Expr {
    let joined = |op: Binary, parts: &[Condition], empty: bool| {
        parts
            .iter()
            .map(condition)
            .reduce(|a, b| binary(op, a, b))
            .unwrap_or_else(|| expr(ExprKind::Bool(empty)))
    };
    match c {
        Condition::Compare(relation, a, b) => {
            let op = match relation {
                Relation::Eq => Binary::Eq,
                Relation::Ne => Binary::Ne,
                Relation::Lt => Binary::Lt,
                Relation::Le => Binary::Le,
                Relation::Gt => Binary::Gt,
                Relation::Ge => Binary::Ge,
            };
            binary(op, size(a), size(b))
        }
        Condition::And(parts) => joined(Binary::And, parts, true),
        Condition::Or(parts) => joined(Binary::Or, parts, false),
        Condition::Not(inner) => expr(ExprKind::Unary(Unary::Not, Box::new(condition(inner)))),
    }
}
