//! Words for expressions, types and sizes in messages.

use super::holes::Mismatch;
use super::{Checker, holes::Wanted};
use crate::expr::{Expr, Kind};
use crate::nat::{Answer, Condition, Var};
use crate::resolve::Reported;
use crate::syntax::Diagnostic;
use crate::types::{Scalar, Type};

/// Expressions longer than this are not quoted.
const QUOTABLE: usize = 32;

/// What the error underlines.
pub const THIS: &str = "this";

/// How a message speaks of an expression.
pub fn name(e: &Expr) -> String {
    let text = match &*e.kind {
        Kind::Local(_) | Kind::Field(..) | Kind::Op(..) | Kind::Literal(_) | Kind::Size(_) => e.to_string(),
        _ => return THIS.to_string(),
    };
    if text.len() <= QUOTABLE { format!("`{text}`") } else { THIS.to_string() }
}

/// `N = 1, M = 2 and i = 0`
pub fn values(example: &[(Var, i64)]) -> String {
    let parts: Vec<String> = example.iter().map(|(var, value)| format!("{var} = {value}")).collect();
    match &parts[..] {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
    }
}

/// `1 element`, `2 elements`
pub fn count(n: i64) -> String {
    if n == 1 { "1 element".into() } else { format!("{n} elements") }
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

    /// Reports two types that do not fit, and says why where it is not plain to see.
    pub fn mismatched<T>(&mut self, diagnostic: Diagnostic, mismatch: Mismatch) -> Result<T, Reported> {
        let diagnostic = match mismatch {
            Mismatch::Types => diagnostic,
            Mismatch::Lengths(wanted, found) => {
                let answer = self.facts.prove(&Condition::eq(&wanted, &found));
                // Where nothing speaks against it, a clause is all that is missing.
                let open = answer == Answer::Unknown;
                let both_plain = wanted.as_var().is_some() && found.as_var().is_some();
                let shown =
                    [("the length should be".to_string(), wanted.clone()), ("is".into(), found.clone())];
                let diagnostic = self.explain(diagnostic, &answer, &shown);
                // Anything more would be a riddle, not a way out.
                match both_plain || open {
                    true => self.suggest_clause(diagnostic, &Condition::eq(&wanted, &found), None),
                    false => diagnostic,
                }
            }
        };
        self.report(diagnostic)
    }

    /// A size where a number is needed: `to` if its type is known.
    pub fn not_a_number<T>(&mut self, e: &Expr, to: Option<Scalar>) -> Result<T, Reported> {
        let message = match name(e).as_str() {
            THIS => "this is a size, not a number".to_string(),
            quoted => format!("{quoted} is a size, not a number"),
        };
        let help = format!("write `{} as {}`", parenthesised(e), to.unwrap_or(Scalar::F32));
        self.report(Diagnostic::new(e.site, message).help(help))
    }
}

/// An expression's text where an operator follows that binds more than its own.
pub fn parenthesised(e: &Expr) -> String {
    let text = e.to_string();
    if text.contains(' ') && !text.ends_with(')') { format!("({text})") } else { text }
}
