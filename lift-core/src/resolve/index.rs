//! `xs[i]`: an element whose index is known while compiling.

use super::scope::{Binding, Scope};
use super::{Reported, Resolver};
use crate::expr::{Argument, Expr, Kind};
use crate::nat::Nat;
use crate::primitives::{AT, Primitive};
use crate::syntax::{self, Diagnostic, ExprKind, Site};

impl Resolver<'_> {
    /// `xs[i]` as a use of the primitive `at`.
    pub fn element(
        &mut self,
        site: Site,
        xs: &syntax::Expr,
        i: &syntax::Expr,
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        let (array, index) = (self.expr(xs, scope), self.index(xs, i, scope));
        self.marks.indices.insert(site, i.site);
        self.marks.names.insert(site, "[i]");
        let kind = match index {
            Ok(index) => {
                Kind::Apply(Primitive::known(AT), vec![Argument::Size(index), Argument::Value(array)])
            }
            // The array's own mistakes are told all the same.
            Err(Reported) => Kind::Tuple(vec![array, self.lost(site)]),
        };
        Ok(Expr::new(site, kind))
    }

    /// The index as a size. For an index that depends on a value, the message shows how to write the same without one.
    fn index(&mut self, xs: &syntax::Expr, i: &syntax::Expr, scope: &Scope) -> Result<Nat, Reported> {
        let Some((site, value)) = value_in(i, scope) else { return self.size(i, scope) };
        let message = match value {
            Some(name) => format!("an index is known while compiling, but `{name}` is a value"),
            None => "an index is known while compiling, but this is a value".to_string(),
        };
        let (xs, i) = (name_of(xs, "xs"), name_of(i, "i"));
        let k = if i == "k" { "j" } else { "k" };
        let note = "sizes, numbers and the indices of `generate` and `reorder` make an index";
        let help = format!(
            "compare it with every index: `reduce(0.0, |found, (x, {k})| if {k} == {i} {{ x }} else {{ found }}, \
             zip({xs}, generate(N, |{k}| {k} as i32)))`"
        );
        self.report(Diagnostic::new(site, message).note(note).help(help))
    }
}

/// A name, whatever type it is converted to; what is longer is not repeated.
fn name_of<'e>(e: &'e syntax::Expr, other: &'e str) -> &'e str {
    match &e.kind {
        ExprKind::Name(name) => name,
        ExprKind::Cast(inner, _) => name_of(inner, other),
        _ => other,
    }
}

/// The first thing in an index that is known only when the program runs, and its name.
fn value_in<'e>(e: &'e syntax::Expr, scope: &Scope) -> Option<(Site, Option<&'e str>)> {
    match &e.kind {
        ExprKind::Name(name) => {
            matches!(scope.get(name), Some(Binding::Local(_))).then_some((e.site, Some(name.as_str())))
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(a, _) => value_in(a, scope),
        ExprKind::Binary(_, a, b) => value_in(a, scope).or_else(|| value_in(b, scope)),
        ExprKind::Call(_, es) => es.iter().find_map(|e| value_in(e, scope)),
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::If(..) => Some((e.site, None)),
        ExprKind::Int(..)
        | ExprKind::Float(..)
        | ExprKind::Bool(_)
        | ExprKind::Sized(..)
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::Lambda(..)
        | ExprKind::Block(..) => None,
    }
}
