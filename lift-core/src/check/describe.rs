//! Words for expressions, types and sizes in messages.

use super::holes::Mismatch;
use super::{Checker, holes::Wanted};
use crate::expr::{Expr, Kind};
use crate::nat::{Condition, Nat, Var};
use crate::syntax::Diagnostic;
use crate::types::Type;

/// Expressions longer than this are not quoted.
const QUOTABLE: usize = 32;

/// How a message speaks of an expression.
pub fn name(e: &Expr) -> String {
    let text = e.to_string();
    match &*e.kind {
        Kind::Local(_) | Kind::Field(..) | Kind::Op(..) | Kind::Literal(_) if text.len() <= QUOTABLE => {
            format!("`{text}`")
        }
        _ => "this".to_string(),
    }
}

/// `N = 1, M = 2`, the variables in alphabetical order.
pub fn values(example: &[(Var, i64)]) -> String {
    let parts: Vec<String> = example.iter().map(|(var, value)| format!("{var} = {value}")).collect();
    parts.join(", ")
}

impl Checker<'_> {
    /// A type for readers.
    pub fn show(&self, ty: &Type) -> String {
        match self.wanted(ty) {
            Some(Wanted::Integer) => "an integer".into(),
            Some(Wanted::Float) => "a float".into(),
            _ => match self.resolved(ty) {
                Type::Index => "a size".into(),
                other => format!("`{other}`"),
            },
        }
    }

    /// Says what about two types does not fit, where it is not plain to see.
    pub fn explain_mismatch(&self, diagnostic: Diagnostic, mismatch: Mismatch) -> Diagnostic {
        match mismatch {
            Mismatch::Types => diagnostic,
            Mismatch::IntegerForFloat => diagnostic.help("write the literal as a float, with a point: `1.0`"),
            Mismatch::Lengths(a, b) => self.explain_lengths(diagnostic, &a, &b),
        }
    }

    pub fn explain_lengths(&self, diagnostic: Diagnostic, a: &Nat, b: &Nat) -> Diagnostic {
        let condition = Condition::eq(a, b);
        let answer = self.facts.prove(&condition);
        let shown = [("one length is".to_string(), a.clone()), ("the other".to_string(), b.clone())];
        self.explain(diagnostic, &condition, &answer, &shown)
    }
}
