//! Expressions where a value is wanted.

use super::scope::{Binding, Scope};
use super::sizes::{comparison, size_operator};
use super::{Reported, Resolver, suggest};
use crate::expr::{Expr, Kind, Lambda, Literal, Pattern};
use crate::nat::{Condition, Nat};
use crate::scalar::{Op, Value};
use crate::syntax::{self, Binary, Diagnostic, ExprKind, PatternKind, Site, Unary};
use crate::types::Scalar;

/// Named numbers, as Rust has them.
fn named_number(path: &str) -> Option<Literal> {
    let path = path.strip_prefix("std::").or_else(|| path.strip_prefix("core::")).unwrap_or(path);
    if let Some(name) = path.strip_prefix("consts::") {
        return mathematical(name).map(Literal::Float);
    }
    let (scalar, name) = path.split_once("::")?;
    let scalar = Scalar::from_name(scalar)?;
    if let Some(name) = name.strip_prefix("consts::") {
        return mathematical(name)
            .filter(|_| scalar.is_float())
            .map(|x| Literal::Exact(Value::from_f64(x, scalar)));
    }
    if let Some((low, high)) = scalar.integer_range() {
        let n = match name {
            "MIN" => low,
            "MAX" => high,
            _ => return None,
        };
        return Some(Literal::Exact(Value::from_integer(n, scalar)));
    }
    let (max, epsilon, tiny) = match scalar {
        Scalar::F16 => {
            (half::f16::MAX.to_f64(), half::f16::EPSILON.to_f64(), half::f16::MIN_POSITIVE.to_f64())
        }
        Scalar::F32 => (f32::MAX as f64, f32::EPSILON as f64, f32::MIN_POSITIVE as f64),
        Scalar::F64 => (f64::MAX, f64::EPSILON, f64::MIN_POSITIVE),
        _ => return None,
    };
    let x = match name {
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "NAN" => f64::NAN,
        "MAX" => max,
        "MIN" => -max,
        "EPSILON" => epsilon,
        "MIN_POSITIVE" => tiny,
        _ => return None,
    };
    Some(Literal::Exact(Value::from_f64(x, scalar)))
}

fn mathematical(name: &str) -> Option<f64> {
    use std::f64::consts::*;
    Some(match name {
        "PI" => PI,
        "TAU" => TAU,
        "E" => E,
        "SQRT_2" => SQRT_2,
        "LN_2" => LN_2,
        "LN_10" => LN_10,
        "FRAC_PI_2" => FRAC_PI_2,
        "FRAC_1_SQRT_2" => FRAC_1_SQRT_2,
        _ => return None,
    })
}

impl Resolver<'_> {
    /// After a mistake, something without a type: what stands beside it is checked all the same.
    pub fn expr(&mut self, e: &syntax::Expr, scope: &Scope) -> Expr {
        match self.value(e, scope) {
            Ok(value) => value,
            Err(Reported) => self.lost(e.site),
        }
    }

    fn value(&mut self, e: &syntax::Expr, scope: &Scope) -> Result<Expr, Reported> {
        let kind = match &e.kind {
            ExprKind::Name(name) => return self.name(name, e.site, scope),
            ExprKind::Int(n, suffix) => self.int(*n, *suffix, false, e.site)?,
            ExprKind::Float(x, None) => Kind::Literal(Literal::Float(*x)),
            ExprKind::Float(x, Some(s)) => Kind::Literal(Literal::Exact(Value::from_f64(*x, *s))),
            ExprKind::Bool(b) => Kind::Literal(Literal::Exact(Value::Bool(*b))),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, e.site, scope)?,
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a, scope), self.expr(b, scope));
                binary(*op, a, b)
            }
            ExprKind::Cast(inner, ty) => {
                let (inner, ty) = (self.expr(inner, scope), self.ty(ty, scope));
                match ty?.as_scalar() {
                    Some(scalar) => Kind::Cast(inner, scalar),
                    None => {
                        return self
                            .error(e.site, "`as` makes scalars, one at a time; `map` it over an array");
                    }
                }
            }
            ExprKind::Call(callee, arguments) => return self.call(e.site, callee, arguments, scope),
            ExprKind::Sized(name, _) => {
                let diagnostic = Diagnostic::new(e.site, format!("`{name}` is a function, not a value"));
                return self.report(diagnostic.help("call it, or give it to a primitive such as `map`"));
            }
            ExprKind::Index(xs, i) => return self.element(e.site, xs, i, scope),
            ExprKind::Field(inner, k) => Kind::Field(self.expr(inner, scope), *k),
            ExprKind::Tuple(parts) => Kind::Tuple(self.exprs(parts, scope)),
            ExprKind::Array(elements) if elements.is_empty() => {
                return self.error(e.site, "a constant array has at least 1 element");
            }
            ExprKind::Array(elements) => Kind::Array(self.exprs(elements, scope)),
            ExprKind::Lambda(..) => {
                let help = "give it to a primitive such as `map`, or name it with `let`";
                return self.report(Diagnostic::new(e.site, "a function is not a value here").help(help));
            }
            ExprKind::Block(lets, tail) => return Ok(self.block(lets, tail, scope)),
            ExprKind::If(condition, then, otherwise) => {
                let parts =
                    [self.expr(condition, scope), self.expr(then, scope), self.expr(otherwise, scope)];
                let [condition, then, otherwise] = parts;
                Kind::If(condition, then, otherwise)
            }
        };
        Ok(Expr::new(e.site, kind))
    }

    /// Stands where a mistake was reported: a variable that nothing binds has no type.
    pub fn lost(&mut self, site: Site) -> Expr {
        Expr::new(site, Kind::Local(self.local("lost")))
    }

    pub fn exprs(&mut self, es: &[syntax::Expr], scope: &Scope) -> Vec<Expr> {
        es.iter().map(|e| self.expr(e, scope)).collect()
    }

    fn int(&mut self, n: u128, suffix: Option<Scalar>, negative: bool, site: Site) -> Result<Kind, Reported> {
        let too_large = || format!("the literal {n} is too large");
        let Ok(n) = i128::try_from(n) else { return self.error(site, too_large()) };
        let n = if negative { -n } else { n };
        let Some(scalar) = suffix else { return Ok(Kind::Literal(Literal::Int(n))) };
        if let Some((low, high)) = scalar.integer_range()
            && !(low..=high).contains(&n)
        {
            return self.error(
                site,
                format!("the literal {n} does not fit `{scalar}`, which holds {low} to {high}"),
            );
        }
        Ok(Kind::Literal(Literal::Exact(Value::from_integer(n, scalar))))
    }

    fn unary(
        &mut self,
        op: Unary,
        inner: &syntax::Expr,
        site: Site,
        scope: &Scope,
    ) -> Result<Kind, Reported> {
        // `-128` is one literal, not the negation of one that does not fit.
        if let (Unary::Neg, ExprKind::Int(n, suffix)) = (op, &inner.kind)
            && !suffix.is_some_and(Scalar::is_float)
        {
            return self.int(*n, *suffix, true, site);
        }
        let inner = self.expr(inner, scope);
        Ok(match (op, &*inner.kind) {
            (Unary::Neg, Kind::Size(n)) => Kind::Size(-n),
            (Unary::Neg, Kind::Literal(Literal::Float(x))) => Kind::Literal(Literal::Float(-x)),
            (Unary::Not, Kind::Test(c)) => Kind::Test(c.clone().not()),
            (Unary::Neg, _) => Kind::Op(Op::Neg, vec![inner]),
            (Unary::Not, _) => Kind::Op(Op::Not, vec![inner]),
        })
    }

    fn name(&mut self, name: &str, site: Site, scope: &Scope) -> Result<Expr, Reported> {
        match scope.get(name) {
            Some(Binding::Local(local)) => return Ok(Expr::new(site, Kind::Local(local.clone()))),
            Some(Binding::Index(var)) => return Ok(Expr::new(site, Kind::Size(Nat::var(var)))),
            Some(Binding::Size(n)) => return Ok(Expr::new(site, Kind::Size(n.clone()))),
            Some(Binding::Poison) => return Err(Reported),
            Some(Binding::Function(_)) => {
                let help = format!("call it: `{name}(…)`, or give it to a primitive such as `map`");
                return self.report(
                    Diagnostic::new(site, format!("`{name}` is a function, not a value")).help(help),
                );
            }
            None => {}
        }
        if let Some(var) = self.size_param(name) {
            return Ok(Expr::new(site, Kind::Size(Nat::var(&var))));
        }
        if let Some(constant) = self.constant_value(name, site) {
            return constant;
        }
        if let Some(literal) = named_number(name) {
            return Ok(Expr::new(site, Kind::Literal(literal)));
        }
        let mut diagnostic = Diagnostic::new(site, format!("cannot find `{name}` here"));
        if self.names_function(name) {
            diagnostic = Diagnostic::new(site, format!("`{name}` is a function, not a value"));
            diagnostic = diagnostic.help(format!("call it: `{name}(…)`"));
        } else {
            let sizes: Vec<String> = self.sizes.iter().map(|v| v.name.to_string()).collect();
            let constants = self.functions.iter().filter(|f| f.constant).map(|f| f.name.text.as_str());
            let known = scope.names().chain(sizes.iter().map(String::as_str)).chain(constants);
            if let Some(near) = suggest::foreign_number(name).or(suggest::nearest(name, known)) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            } else if !name.contains(char::is_lowercase) {
                let help = format!(
                    "Rust's definitions around `lift!` are not visible inside it: pass `{name}` as a parameter"
                );
                diagnostic = diagnostic.help(help);
            }
        }
        self.report(diagnostic)
    }

    /// Is there a function of this name in the block?
    pub fn in_block(&self, name: &str) -> bool {
        self.functions.iter().any(|f| !f.constant && f.name.text == name)
    }

    fn block(&mut self, lets: &[syntax::Let], tail: &syntax::Expr, scope: &Scope) -> Expr {
        let Some((first, rest)) = lets.split_first() else { return self.expr(tail, scope) };
        if let (true, PatternKind::Name(name)) = (self.is_function(&first.value, scope), &first.pattern.kind)
        {
            let function = std::rc::Rc::new((first.value.clone(), scope.clone()));
            return self.block(rest, tail, &scope.with(name, Binding::Function(function)));
        }
        let before = self.diagnostics.len();
        let value = self.expr(&first.value, scope);
        let poison = self.diagnostics.len() > before;
        let size = first.ty.as_ref().is_none_or(syntax::TypeExpr::is_size);
        if let (Kind::Size(n), PatternKind::Name(name), true) = (&*value.kind, &first.pattern.kind, size) {
            return self.block(rest, tail, &scope.with(name, Binding::Size(n.clone())));
        }
        let mut inner = scope.clone();
        let mut pattern = self.pattern(&first.pattern, &mut inner, poison);
        if let Some(ty) = &first.ty {
            let ty = self.ty(ty, scope);
            pattern = pattern.and_then(|p| Ok(Pattern::Typed(Box::new(p), ty?)));
        }
        let body = self.block(rest, tail, &inner);
        let kind = match pattern {
            Ok(pattern) => Kind::Let(pattern, value, body),
            Err(Reported) => Kind::Tuple(vec![value, body]),
        };
        Expr::new(first.value.site, kind)
    }

    /// Binds a pattern's names in `scope`; poisoned if what they stand for is wrong.
    fn pattern(&mut self, p: &syntax::Pattern, scope: &mut Scope, poison: bool) -> Result<Pattern, Reported> {
        if let (true, Some(ty)) = (p.is_size(), &p.ty) {
            if let PatternKind::Name(name) = &p.kind {
                *scope = scope.with(name, Binding::Poison);
            }
            let message =
                "a value is not a size: `usize` is the type of sizes, which are known while compiling";
            let help = "`generate(n, |i| …)` gives indices, and a call of a lambda can be given sizes";
            return self.report(Diagnostic::new(ty.site, message).help(help));
        }
        let bare = match &p.kind {
            PatternKind::Wild => Pattern::Wild,
            PatternKind::Name(name) => {
                let local = self.local(name);
                let binding = if poison { Binding::Poison } else { Binding::Local(local.clone()) };
                *scope = scope.with(name, binding);
                Pattern::Local(local)
            }
            PatternKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.pattern(part, scope, poison)).collect();
                Pattern::Tuple(parts.into_iter().collect::<Result<_, _>>()?)
            }
        };
        match &p.ty {
            Some(ty) => Ok(Pattern::Typed(Box::new(bare), self.ty(ty, scope)?)),
            None => Ok(bare),
        }
    }

    /// A lambda in its own scope.
    pub fn lambda(
        &mut self,
        params: &[syntax::Pattern],
        body: &syntax::Expr,
        scope: &Scope,
        site: Site,
    ) -> Result<Lambda, Reported> {
        let mut inner = scope.clone();
        self.marks.params.insert(site, params.iter().map(|p| p.site).collect());
        let patterns: Vec<_> = params.iter().map(|p| self.pattern(p, &mut inner, false)).collect();
        let body = self.expr(body, &inner);
        let params: Result<Vec<Pattern>, Reported> = patterns.into_iter().collect();
        Ok(Lambda { site, params: params?, body })
    }
}

/// Operators on sizes make sizes and conditions; on anything else, values.
fn binary(op: Binary, a: Expr, b: Expr) -> Kind {
    if let (Kind::Test(x), Kind::Test(y)) = (&*a.kind, &*b.kind) {
        match op {
            Binary::And => return Kind::Test(x.clone().and(y.clone())),
            Binary::Or => return Kind::Test(x.clone().or(y.clone())),
            _ => {}
        }
    }
    let sized = matches!(&*a.kind, Kind::Size(_)) || matches!(&*b.kind, Kind::Size(_));
    if let (true, Some(x), Some(y)) = (sized, as_size(&a), as_size(&b)) {
        if let Some(size) = size_operator(op, &x, &y) {
            return Kind::Size(size);
        }
        if let Some(condition) = comparison(op, &x, &y) {
            let condition: Condition = condition;
            return Kind::Test(condition);
        }
    }
    let op = match op {
        Binary::Add => Op::Add,
        Binary::Sub => Op::Sub,
        Binary::Mul => Op::Mul,
        Binary::Div => Op::Div,
        Binary::Rem => Op::Rem,
        Binary::Eq => Op::Eq,
        Binary::Ne => Op::Ne,
        Binary::Lt => Op::Lt,
        Binary::Le => Op::Le,
        Binary::Gt => Op::Gt,
        Binary::Ge => Op::Ge,
        Binary::And => Op::And,
        Binary::Or => Op::Or,
        Binary::BitAnd => Op::BitAnd,
        Binary::BitOr => Op::BitOr,
        Binary::BitXor => Op::BitXor,
        Binary::Shl => Op::Shl,
        Binary::Shr => Op::Shr,
    };
    Kind::Op(op, vec![a, b])
}

/// A size, or a number that can be one.
pub fn as_size(e: &Expr) -> Option<Nat> {
    match &*e.kind {
        Kind::Size(n) => Some(n.clone()),
        Kind::Literal(Literal::Int(n)) => i64::try_from(*n).ok().map(Nat::constant),
        _ => None,
    }
}
