//! Expressions where a size or a condition on sizes is wanted.
//!
//! Sizes and values are two languages with one syntax: which of them an expression belongs to is decided by
//! where it stands, never by its type.

use super::scope::{Binding, Scope};
use super::{Reported, Resolver, suggest};
use crate::nat::{Condition, Nat, Var};
use crate::syntax::{Binary, Diagnostic, Expr, ExprKind, Site, TypeExpr, TypeKind, Unary};

impl Resolver<'_> {
    /// An expression of sizes: numbers, size parameters, indices, `+ - * / %`, `min`, `max`.
    pub fn size(&mut self, e: &Expr, scope: &Scope) -> Result<Nat, Reported> {
        match &e.kind {
            ExprKind::Int(n, None) => match i64::try_from(*n) {
                Ok(n) => Ok(Nat::constant(n)),
                Err(_) => self.error(e.site, format!("{n} is too large for a size")),
            },
            ExprKind::Name(name) => self.size_name(name, e.site, scope),
            ExprKind::Unary(Unary::Neg, inner) => Ok(-self.size(inner, scope)?),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.size(a, scope), self.size(b, scope));
                let (a, b) = (a?, b?);
                match size_operator(*op, &a, &b) {
                    Some(size) => Ok(size),
                    None => self.error(
                        e.site,
                        format!("`{}` does not make a size: sizes have + - * / % min max", op.symbol()),
                    ),
                }
            }
            ExprKind::Call(callee, arguments) => match (&callee.kind, &arguments[..]) {
                (ExprKind::Name(name), [a, b]) if name == "min" || name == "max" => {
                    let (a, b) = (self.size(a, scope), self.size(b, scope));
                    let (a, b) = (a?, b?);
                    Ok(if name == "min" { a.min(&b) } else { a.max(&b) })
                }
                _ => self.error(e.site, "a size is needed here: numbers, size parameters, + - * / % min max"),
            },
            // A size is a `usize` already.
            ExprKind::Cast(inner, TypeExpr { kind: TypeKind::Name(ty), .. }) if ty == "usize" => {
                self.size(inner, scope)
            }
            ExprKind::Int(_, Some(suffix)) => self
                .report(Diagnostic::new(e.site, "a size has no suffix").help(format!("remove `{suffix}`"))),
            ExprKind::Float(x, _) => self.error(e.site, format!("a size is a whole number, not {x:?}")),
            ExprKind::Tuple(_) => self.error(e.site, "one size is needed here, not several"),
            _ => self.error(e.site, "a size is needed here: numbers, size parameters, + - * / % min max"),
        }
    }

    /// What a name stands for where a size is wanted: a binding of the scope, a size parameter or a constant.
    /// An unknown name is reported once per function.
    fn size_name(&mut self, name: &str, site: Site, scope: &Scope) -> Result<Nat, Reported> {
        match scope.get(name) {
            Some(Binding::Index(var)) => return Ok(Nat::var(var)),
            Some(Binding::Size(n)) => return Ok(n.clone()),
            Some(Binding::Poison) => return Err(Reported),
            Some(_) => return self.error(site, format!("`{name}` is a value, but a size is needed here")),
            None => {}
        }
        if let Some(var) = self.size_param(name) {
            return Ok(Nat::var(&var));
        }
        if let Some(constant) = self.constant_as_size(name, site) {
            return constant;
        }
        if !self.undeclared.insert(name.to_string()) {
            return Err(Reported);
        }
        let declared: Vec<String> = self.sizes.iter().map(|v| v.name.to_string()).collect();
        let mut diagnostic = Diagnostic::new(site, format!("the size `{name}` is not declared"));
        diagnostic = match suggest::nearest(name, declared.iter().map(String::as_str)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic
                .help(format!("declare it with the function's other sizes: `<{}>`", listed(&declared, name))),
        };
        self.report(diagnostic)
    }

    /// A size parameter of this name; from now on it counts as used.
    pub fn size_param(&mut self, name: &str) -> Option<Var> {
        let var = self.size_named(name)?;
        self.used.insert(var.clone());
        Some(var)
    }

    /// A size parameter of this name.
    pub fn size_named(&self, name: &str) -> Option<Var> {
        self.sizes.iter().find(|v| *v.name == *name).cloned()
    }

    /// A condition on sizes: a `where` clause.
    pub fn condition(&mut self, e: &Expr, scope: &Scope) -> Result<Condition, Reported> {
        match &e.kind {
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let (a, b) = (self.condition(a, scope), self.condition(b, scope));
                let (a, b) = (a?, b?);
                Ok(if *op == Binary::And { a.and(b) } else { a.or(b) })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.size(a, scope), self.size(b, scope));
                match comparison(*op, &a?, &b?) {
                    Some(condition) => Ok(condition),
                    None => self.not_a_condition(e.site),
                }
            }
            ExprKind::Unary(Unary::Not, inner) => Ok(self.condition(inner, scope)?.not()),
            ExprKind::Bool(b) => Ok(Condition::truth(*b)),
            _ => self.not_a_condition(e.site),
        }
    }

    fn not_a_condition(&mut self, site: Site) -> Result<Condition, Reported> {
        let help = "compare sizes, as in `where KH <= H + 2, N % 4 == 0`";
        self.report(Diagnostic::new(site, "a condition on sizes is needed here").help(help))
    }
}

fn listed(declared: &[String], name: &str) -> String {
    declared.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(", ")
}

/// An operation on sizes; `None` for operators that make no size.
pub fn size_operator(op: Binary, a: &Nat, b: &Nat) -> Option<Nat> {
    Some(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a.div(b),
        Binary::Rem => a.rem(b),
        _ => return None,
    })
}

/// A comparison of sizes; `None` for other operators.
pub fn comparison(op: Binary, a: &Nat, b: &Nat) -> Option<Condition> {
    Some(match op {
        Binary::Eq => Condition::eq(a, b),
        Binary::Ne => Condition::ne(a, b),
        Binary::Lt => Condition::lt(a, b),
        Binary::Le => Condition::le(a, b),
        Binary::Gt => Condition::gt(a, b),
        Binary::Ge => Condition::ge(a, b),
        _ => return None,
    })
}
