//! Patterns: names, `_`, tuples of them.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Pattern, PatternKind, Site};
use std::collections::HashSet;
use syn::Pat;
use syn::ext::IdentExt;

impl Parser {
    /// What binds several names at once: the parameters of a lambda.
    pub fn patterns<'a>(&mut self, pats: impl IntoIterator<Item = &'a Pat>) -> Option<Vec<Pattern>> {
        let mut names = HashSet::new();
        let patterns: Vec<_> = pats.into_iter().map(|pat| self.pattern_in(pat, &mut names)).collect();
        patterns.into_iter().collect()
    }

    /// The pattern of a `let`.
    pub fn pattern(&mut self, pat: &Pat) -> Option<Pattern> {
        self.pattern_in(pat, &mut HashSet::new())
    }

    /// A pattern; `names` are bound by the same pattern already.
    fn pattern_in(&mut self, pat: &Pat, names: &mut HashSet<String>) -> Option<Pattern> {
        match pat {
            Pat::Paren(paren) => return self.pattern_in(&paren.pat, names),
            Pat::Type(typed) => {
                let (pattern, ty) = (self.pattern_in(&typed.pat, names), self.ty(&typed.ty));
                return Some(Pattern { ty: Some(ty?), ..pattern? });
            }
            _ => {}
        }
        let range = Range::of(pat);
        let site = self.sites.add(range);
        let kind = self.deeper(range, |p| p.pattern_kind(pat, range, names))?;
        Some(Pattern { site, kind, ty: None })
    }

    /// The form of a pattern.
    fn pattern_kind(&mut self, pat: &Pat, range: Range, names: &mut HashSet<String>) -> Option<PatternKind> {
        match pat {
            Pat::Wild(_) => Some(PatternKind::Wild),
            Pat::Ident(name) if name.mutability.is_some() => {
                self.report(range, unsupported::plain("nothing is mutable here").help("remove `mut`"))
            }
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let text = name.ident.unraw().to_string();
                match names.insert(text.clone()) {
                    true => Some(PatternKind::Name(text)),
                    false => self.error(range, format!("`{text}` is bound twice in one pattern")),
                }
            }
            Pat::Tuple(tuple) if !tuple.elems.is_empty() => {
                let parts: Vec<_> = tuple.elems.iter().map(|part| self.pattern_in(part, names)).collect();
                Some(PatternKind::Tuple(parts.into_iter().collect::<Option<_>>()?))
            }
            Pat::Reference(_) => {
                self.report(range, unsupported::plain("there are no references here").help("remove `&`"))
            }
            Pat::Rest(_) => {
                self.error(range, "a pattern names every part of a tuple; write `_` for one you don't need")
            }
            _ => {
                let message = "this is not a pattern of the language";
                let help = "patterns are names, `_`, and tuples of them: `|(x, (y, _))| …`";
                self.report(range, Diagnostic::new(Site::default(), message).help(help))
            }
        }
    }
}
