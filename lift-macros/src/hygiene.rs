//! Names that come through `macro_rules!`. Rust tells two `x` apart of which one was written in a macro and
//! one handed to it; the language compares text. A name for which that makes a difference is refused.

use crate::parse::Item;
use crate::sites::Sites;
use lift_core::syntax::{Diagnostic, Expr, ExprKind, Param, Pattern, PatternKind, Site};

/// The names whose binding would depend on who wrote them.
pub fn check(items: &[Item], sites: &Sites) -> Vec<Diagnostic> {
    let mut names = Names { sites, bound: vec![], diagnostics: vec![] };
    for function in items.iter().filter_map(|item| item.function.as_ref()) {
        names.bound = function.params.iter().map(parameter).collect();
        names.expr(&function.body);
    }
    names.diagnostics
}

fn parameter(p: &Param) -> (String, Site) {
    (p.name.text.clone(), p.name.site)
}

/// A walk through one function, with the variables in scope.
struct Names<'a> {
    /// The spans of names, which carry their contexts.
    sites: &'a Sites,
    /// The variables in scope, the innermost last, and where they are bound.
    bound: Vec<(String, Site)>,
    /// What was found so far.
    diagnostics: Vec<Diagnostic>,
}

impl Names<'_> {
    /// Which expansion of which macro wrote a name. Compilers show it and offer no other way to ask; where
    /// it can't be read, all names count as written in one place.
    fn context(&self, site: Site) -> Option<String> {
        // It is shown as `#4 bytes(10..13)`: the context, then the place.
        let shown = format!("{:?}", self.sites.range(site).start);
        shown.strip_prefix('#')?.split_once(" bytes(").map(|(context, _)| context.to_string())
    }

    /// Compares a name with the innermost binding of the same text.
    fn used(&mut self, name: &str, site: Site) {
        let Some((_, binding)) = self.bound.iter().rev().find(|(text, _)| text == name) else { return };
        if self.context(*binding) != self.context(site) {
            let message = format!(
                "this `{name}` is not the `{name}` that is bound around it: one of them was written in a macro, \
                 the other was passed to it"
            );
            self.diagnostics.push(Diagnostic::new(site, message).help("give one of them another name"));
        }
    }

    fn all<'e>(&mut self, es: impl IntoIterator<Item = &'e Expr>) {
        es.into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => self.used(name, e.site),
            ExprKind::Sized(name, given) => {
                self.used(name, e.site);
                self.all(given.sizes.iter().flatten());
            }
            ExprKind::Index(xs, index) => self.all([&**xs, index]),
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Bool(_) => {}
            ExprKind::Unary(_, a) | ExprKind::Cast(a, _) | ExprKind::Field(a, _) => self.expr(a),
            ExprKind::Binary(_, a, b) => self.all([&**a, b]),
            ExprKind::If(a, b, c) => self.all([&**a, b, c]),
            ExprKind::Tuple(es) | ExprKind::Array(es) => self.all(es),
            ExprKind::Call(callee, es) => {
                self.expr(callee);
                self.all(es);
            }
            ExprKind::Lambda(patterns, body) => {
                let outer = self.bound.len();
                patterns.iter().for_each(|p| self.bind(p));
                self.expr(body);
                self.bound.truncate(outer);
            }
            ExprKind::Block(lets, tail) => {
                let outer = self.bound.len();
                for l in lets {
                    self.expr(&l.value);
                    self.bind(&l.pattern);
                }
                self.expr(tail);
                self.bound.truncate(outer);
            }
        }
    }

    /// Brings the names of a pattern into scope.
    fn bind(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) => self.bound.push((name.clone(), pattern.site)),
            PatternKind::Wild => {}
            PatternKind::Tuple(parts) => parts.iter().for_each(|p| self.bind(p)),
        }
    }
}
