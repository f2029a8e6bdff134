//! Numbers as they are written.
//!
//! A float that its type can't hold is refused here. Integers are compared with the range of their type later: by the
//! resolver where the suffix tells it, by the checker where the place does.

use super::Parser;
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, ExprKind, Site};
use lift_core::types::Scalar;
use syn::{Lit, LitFloat, LitInt};

impl Parser {
    /// A literal with the type in its suffix.
    pub fn literal(&mut self, lit: &Lit) -> Option<ExprKind> {
        let range = Range::one(lit.span());
        match lit {
            Lit::Int(int) => self.int(int, range),
            Lit::Float(float) => self.float(float, range),
            Lit::Bool(bool) => Some(ExprKind::Bool(bool.value)),
            Lit::Byte(byte) => Some(ExprKind::Int(byte.value().into(), Some(Scalar::U8))),
            _ => self.error(range, "there is no text here: literals are numbers, `true` and `false`"),
        }
    }

    /// An integer literal; `1f32` is a float.
    fn int(&mut self, int: &LitInt, range: Range) -> Option<ExprKind> {
        let suffix = self.suffix(int.suffix(), range)?;
        if suffix.is_some_and(Scalar::is_float) {
            return self.finite(int.base10_digits().parse().unwrap_or(f64::INFINITY), suffix, range);
        }
        match int.base10_digits().parse() {
            Ok(n) => Some(ExprKind::Int(n, suffix)),
            Err(_) => self.error(range, "this number is too large"),
        }
    }

    /// A float literal.
    fn float(&mut self, float: &LitFloat, range: Range) -> Option<ExprKind> {
        let suffix = self.suffix(float.suffix(), range)?;
        if let Some(scalar) = suffix.filter(|s| !s.is_float()) {
            return self.error(range, format!("a number with a point is a float, not `{scalar}`"));
        }
        self.finite(float.base10_digits().parse().unwrap_or(f64::INFINITY), suffix, range)
    }

    /// A number that is too large becomes infinite when it is parsed, which nobody means.
    fn finite(&mut self, x: f64, suffix: Option<Scalar>, range: Range) -> Option<ExprKind> {
        let (fits, ty) = match suffix {
            Some(Scalar::F32) => ((x as f32).is_finite(), "f32"),
            // Halfway between the largest value and what would come next.
            Some(Scalar::F16) => (x < 65520.0, "f16"),
            _ => (x.is_finite(), "f64"),
        };
        match fits {
            true => Some(ExprKind::Float(x, suffix)),
            false => self.error(range, format!("this number is too large for `{ty}`")),
        }
    }

    /// The scalar type that a suffix names; the inner `None` for no suffix.
    fn suffix(&mut self, suffix: &str, range: Range) -> Option<Option<Scalar>> {
        match (suffix, Scalar::from_name(suffix)) {
            ("", _) => Some(None),
            ("usize" | "isize", _) => {
                let diagnostic = Diagnostic::new(Site::default(), "a size has no suffix");
                self.report(range, diagnostic.help(format!("remove `{suffix}`")))
            }
            (_, Some(scalar)) if scalar != Scalar::Bool => Some(Some(scalar)),
            _ => {
                let message = format!("`{suffix}` is not a number type here");
                let numbers: Vec<_> =
                    Scalar::ALL.iter().filter(|s| **s != Scalar::Bool).map(|s| s.name()).collect();
                let note = format!("the number types are {}", numbers.join(" "));
                self.report(range, Diagnostic::new(Site::default(), message).note(note))
            }
        }
    }
}
