//! Blocks: `let`s, then the result.
//!
//! There are no statements with effects, so everything before the result must be a `let`.

use super::{Parser, exprs, unsupported};
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Expr, ExprKind, Let, Site};
use syn::{Stmt, token::Brace};

impl Parser {
    /// The content of a block. Every statement is read, so that all their mistakes are told.
    pub fn statements(&mut self, braces: &Brace, statements: &[Stmt]) -> Option<Expr> {
        let range = Range { start: braces.span.open(), end: braces.span.close() };
        let site = self.sites.add(range);
        let Some((last, before)) = statements.split_last() else {
            return self.no_result(range, "this block is empty, but a result is needed");
        };
        // What follows a `let` is inside it.
        let depth = self.depth;
        let mut lets = vec![];
        for statement in before {
            lets.push(self.deeper(range, |p| p.statement(statement)));
            self.depth += 1;
        }
        let tail = self.tail(last, braces);
        self.depth = depth;
        let lets: Option<Vec<Let>> = lets.into_iter().collect();
        match (lets?, tail?) {
            (lets, tail) if lets.is_empty() => Some(tail),
            (lets, tail) => Some(Expr { site, kind: ExprKind::Block(lets, Box::new(tail)) }),
        }
    }

    /// The result, which must stand last and without a `;`.
    fn tail(&mut self, last: &Stmt, braces: &Brace) -> Option<Expr> {
        match last {
            Stmt::Expr(e, None) => self.expr(e),
            // Rust would give `()` here, which is no value of the language.
            Stmt::Expr(e, Some(semi)) => {
                if is_foreign(e) {
                    self.expr(e);
                }
                let message = "this `;` throws the result away";
                let help = "remove `;`: the last expression of a block is its result";
                self.report(Range::one(semi.span), Diagnostic::new(Site::default(), message).help(help))
            }
            Stmt::Local(_) => {
                self.statement(last);
                self.no_result(Range::one(braces.span.close()), "this block ends without a result")
            }
            other => {
                self.statement(other);
                None
            }
        }
    }

    /// A block without a result.
    fn no_result<T>(&mut self, range: Range, message: &str) -> Option<T> {
        let help = "end it with an expression, without a `;`";
        self.report(range, Diagnostic::new(Site::default(), message).help(help))
    }

    /// A statement before the result: only a `let` has a meaning there.
    fn statement(&mut self, statement: &Stmt) -> Option<Let> {
        match statement {
            Stmt::Local(local) => self.local(local),
            // What is no expression of the language is wrong wherever it stands.
            Stmt::Expr(e, _) if is_foreign(e) => {
                self.expr(e);
                None
            }
            Stmt::Expr(e, _) => {
                let message = "this value is not used, and there are no effects";
                let help = "only `let` stands before the result of a block";
                self.report(Range::of_expr(e), Diagnostic::new(Site::default(), message).help(help))
            }
            Stmt::Item(item) => self.report(Range::of(item), unsupported::item(item)),
            Stmt::Macro(call) => self.report(Range::of(call), unsupported::macros(&call.mac)),
        }
    }

    /// `let pattern: type = value;`
    fn local(&mut self, local: &syn::Local) -> Option<Let> {
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let pattern = self.pattern(pat);
        let ty = ty.map(|ty| self.ty(ty));
        let Some(init) = &local.init else {
            return self.error(Range::of(local), "a `let` needs a value: `let name = value;`");
        };
        let value = self.expr(&init.expr);
        if let Some((keyword, _)) = &init.diverge {
            return self.error(Range::one(keyword.span), "a `let` has no `else`: its pattern always fits");
        }
        let ty = match ty {
            Some(ty) => Some(ty?),
            None => None,
        };
        Some(Let { pattern: pattern?, ty, value: value? })
    }
}

/// Is this an expression of Rust that the language lacks, so that its own message says more than one about its place?
fn is_foreign(e: &syn::Expr) -> bool {
    use syn::Expr::{Assign, Break, Continue, ForLoop, Loop, Macro, Match, Return, Try, Unsafe, While};
    match e {
        syn::Expr::Binary(e) => exprs::binary(&e.op).is_none(),
        e => matches!(
            e,
            Assign(_)
                | Break(_)
                | Continue(_)
                | ForLoop(_)
                | Loop(_)
                | Macro(_)
                | Match(_)
                | Return(_)
                | Try(_)
                | Unsafe(_)
                | While(_)
        ),
    }
}
