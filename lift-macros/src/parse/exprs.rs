//! Expressions.
//!
//! Everything that Rust's expressions have and the language lacks is refused with the form that
//! says the same: see `unsupported`.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::{Binary, Diagnostic, Expr, ExprKind, Let, Pattern, PatternKind, Unary};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{BinOp, ExprClosure, ExprIf, ExprMethodCall, Member, Path, PathArguments, ReturnType, UnOp};

impl Parser {
    /// An expression, with a site of its own. Parentheses and blocks of one expression leave no node.
    pub fn expr(&mut self, e: &syn::Expr) -> Option<Expr> {
        let range = Range::of_expr(e);
        match e {
            syn::Expr::Group(group) => self.expr(&group.expr),
            syn::Expr::Paren(paren) => self.deeper(range, |p| p.expr(&paren.expr)),
            syn::Expr::Block(block) if block.label.is_none() => {
                self.deeper(range, |p| p.statements(&block.block.brace_token, &block.block.stmts))
            }
            _ => self.deeper(range, |p| {
                // Sites are numbered outside in, so that errors come in the order of the source.
                let site = p.sites.add(range);
                let kind = p.kind(e, range)?;
                Some(Expr { site, kind })
            }),
        }
    }

    /// All of them, so that each one's mistakes are seen.
    pub fn exprs<'a>(&mut self, es: impl IntoIterator<Item = &'a syn::Expr>) -> Option<Vec<Expr>> {
        let all: Vec<_> = es.into_iter().map(|e| self.expr(e)).collect();
        all.into_iter().collect()
    }

    /// A subexpression.
    fn boxed(&mut self, e: &syn::Expr) -> Option<Box<Expr>> {
        self.expr(e).map(Box::new)
    }

    /// The form of an expression. All of its parts are read before the first missing one ends it.
    fn kind(&mut self, e: &syn::Expr, range: Range) -> Option<ExprKind> {
        match e {
            syn::Expr::Lit(e) => self.literal(&e.lit),
            syn::Expr::Path(e) if e.qself.is_none() => self.named(&e.path),
            syn::Expr::Unary(e) => {
                let op = match e.op {
                    UnOp::Neg(_) => Unary::Neg,
                    UnOp::Not(_) => Unary::Not,
                    _ => {
                        let diagnostic =
                            unsupported::plain("there are no references here").help("remove `*`");
                        return self.report(range, diagnostic);
                    }
                };
                Some(ExprKind::Unary(op, self.boxed(&e.expr)?))
            }
            syn::Expr::Binary(e) if is_power(e) => {
                let diagnostic = unsupported::plain("`**` is not an operator");
                self.report(range, diagnostic.help("`pow(x, y)` raises to a power"))
            }
            syn::Expr::Binary(e) => {
                let (a, b) = (self.boxed(&e.left), self.boxed(&e.right));
                match binary(&e.op) {
                    Some(op) => Some(ExprKind::Binary(op, a?, b?)),
                    None => self.report(range, unsupported::assignment(e)),
                }
            }
            syn::Expr::Cast(e) => {
                let (value, ty) = (self.boxed(&e.expr), self.ty(&e.ty));
                Some(ExprKind::Cast(value?, ty?))
            }
            syn::Expr::Call(e) => {
                let (callee, arguments) = (self.boxed(&e.func), self.exprs(&e.args));
                Some(ExprKind::Call(callee?, arguments?))
            }
            syn::Expr::MethodCall(e) => self.method_call(e),
            syn::Expr::Field(e) => match &e.member {
                Member::Unnamed(index) => {
                    Some(ExprKind::Field(self.boxed(&e.base)?, usize::try_from(index.index).ok()?))
                }
                Member::Named(name) => {
                    self.error(Range::one(name.span()), "tuples have numbered parts: `.0`, `.1`")
                }
            },
            syn::Expr::Index(e) if matches!(*e.index, syn::Expr::Range(_)) => {
                self.expr(&e.expr);
                self.report(range, unsupported::part())
            }
            syn::Expr::Index(e) => {
                let (array, index) = (self.boxed(&e.expr), self.boxed(&e.index));
                Some(ExprKind::Index(array?, index?))
            }
            syn::Expr::Tuple(e) if !e.elems.is_empty() => Some(ExprKind::Tuple(self.exprs(&e.elems)?)),
            syn::Expr::Array(e) => Some(ExprKind::Array(self.exprs(&e.elems)?)),
            // `[x; n]` is `repeat(n, x)`: the value is written once and the length may be symbolic.
            syn::Expr::Repeat(e) => {
                let (value, length) = (self.expr(&e.expr), self.expr(&e.len));
                self.call("repeat", range, vec![length?, value?])
            }
            syn::Expr::Closure(e) => self.lambda(e),
            syn::Expr::If(e) => self.conditional(e, range),
            other => self.report(range, unsupported::expression(other)),
        }
    }

    /// `x.f(y)` is `f(x, y)`.
    fn method_call(&mut self, e: &ExprMethodCall) -> Option<ExprKind> {
        let given = e.turbofish.as_ref().map(|given| self.given_sizes(given, Range::of(given)));
        let mut arguments = vec![self.expr(&e.receiver)];
        arguments.extend(e.args.iter().map(|e| self.expr(e)));
        let arguments = arguments.into_iter().collect::<Option<_>>()?;
        let (name, range) = (e.method.unraw().to_string(), Range::one(e.method.span()));
        let Some(given) = given else { return self.call(&name, range, arguments) };
        let callee = Expr { site: self.sites.add(range), kind: ExprKind::Sized(name, given?) };
        Some(ExprKind::Call(Box::new(callee), arguments))
    }

    /// `name(arguments…)`, the name at this range.
    fn call(&mut self, name: &str, range: Range, arguments: Vec<Expr>) -> Option<ExprKind> {
        let site = self.sites.add(range);
        let callee = Expr { site, kind: ExprKind::Name(name.to_string()) };
        Some(ExprKind::Call(Box::new(callee), arguments))
    }

    /// `|parameters| body`. A declared result type becomes a typed `let` around the body.
    fn lambda(&mut self, e: &ExprClosure) -> Option<ExprKind> {
        if let Some(capture) = e.capture {
            let diagnostic = unsupported::plain("there are no references here").help("remove `move`");
            return self.report(Range::one(capture.span), diagnostic);
        }
        if e.lifetimes.is_some() || e.constness.is_some() || e.asyncness.is_some() {
            return self.error(Range::of(e), "a function here is `|parameters| expression`");
        }
        let (params, body) = (self.patterns(&e.inputs), self.expr(&e.body));
        let (params, body) = (params?, body?);
        let ReturnType::Type(_, ty) = &e.output else {
            return Some(ExprKind::Lambda(params, Box::new(body)));
        };
        // `|x| -> T { e }` is `|x| { let result: T = e; result }`.
        let (site, ty) = (body.site, self.ty(ty)?);
        let pattern = Pattern { site, kind: PatternKind::Name("result".into()), ty: None };
        // The name can't capture anything: it is bound around itself alone.
        let result = Expr { site, kind: ExprKind::Name("result".into()) };
        let typed = ExprKind::Block(vec![Let { pattern, ty: Some(ty), value: body }], Box::new(result));
        Some(ExprKind::Lambda(params, Box::new(Expr { site, kind: typed })))
    }

    /// `if … { … } else { … }`, which always has both branches.
    fn conditional(&mut self, e: &ExprIf, range: Range) -> Option<ExprKind> {
        if let syn::Expr::Let(test) = &*e.cond {
            return self.error(Range::of(test), "`if let` is not part of the language: patterns always fit");
        }
        let condition = self.boxed(&e.cond);
        let then = self.statements(&e.then_branch.brace_token, &e.then_branch.stmts);
        let Some((_, otherwise)) = &e.else_branch else {
            let message = "this `if` has no `else`, and so no value when its condition is false";
            let help = "an `if` is a value: `if … { … } else { … }`";
            return self.report(range, unsupported::plain(message).help(help));
        };
        let otherwise = self.boxed(otherwise);
        Some(ExprKind::If(condition?, Box::new(then?), otherwise?))
    }

    /// A path as it is written, without spaces and without `r#`.
    pub fn path(
        &mut self,
        path: &Path,
        with_parameters: impl FnOnce(&TokenStream) -> Diagnostic,
    ) -> Option<String> {
        let parameters = path.segments.iter().find(|s| !matches!(s.arguments, PathArguments::None));
        if let Some(segment) = parameters {
            let diagnostic = with_parameters(&segment.arguments.to_token_stream());
            return self.report(Range::of(path), diagnostic);
        }
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.unraw().to_string()).collect();
        Some(segments.join("::"))
    }
}

/// `x ** y`, which Rust reads as `x * (*y)`.
fn is_power(e: &syn::ExprBinary) -> bool {
    let dereferenced = matches!(&*e.right, syn::Expr::Unary(right) if matches!(right.op, UnOp::Deref(_)));
    dereferenced && matches!(e.op, BinOp::Mul(_))
}

/// An infix operator; `None` for operators that assign.
pub fn binary(op: &BinOp) -> Option<Binary> {
    Some(match op {
        BinOp::Add(_) => Binary::Add,
        BinOp::Sub(_) => Binary::Sub,
        BinOp::Mul(_) => Binary::Mul,
        BinOp::Div(_) => Binary::Div,
        BinOp::Rem(_) => Binary::Rem,
        BinOp::Eq(_) => Binary::Eq,
        BinOp::Ne(_) => Binary::Ne,
        BinOp::Lt(_) => Binary::Lt,
        BinOp::Le(_) => Binary::Le,
        BinOp::Gt(_) => Binary::Gt,
        BinOp::Ge(_) => Binary::Ge,
        BinOp::And(_) => Binary::And,
        BinOp::Or(_) => Binary::Or,
        BinOp::BitAnd(_) => Binary::BitAnd,
        BinOp::BitOr(_) => Binary::BitOr,
        BinOp::BitXor(_) => Binary::BitXor,
        BinOp::Shl(_) => Binary::Shl,
        BinOp::Shr(_) => Binary::Shr,
        _ => return None,
    })
}
