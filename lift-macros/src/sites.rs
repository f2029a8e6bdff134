//! Where in the user's source the places of a syntax tree are.

use lift_core::syntax::Site;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;

/// From a first token to a last one. Spans can't be joined on stable Rust; an error that is given
/// both underlines everything between them.
#[derive(Clone, Copy)]
pub struct Range {
    /// The first token.
    pub start: Span,
    /// The last token; the same as the first for a single one.
    pub end: Span,
}

/// The range of every [`Site`]; site 0 is the macro as a whole.
pub struct Sites(Vec<Range>);

impl Sites {
    /// Only the macro as a whole.
    pub fn new() -> Sites {
        Sites(vec![Range::one(Span::call_site())])
    }

    /// Numbers a range.
    pub fn add(&mut self, range: Range) -> Site {
        self.0.push(range);
        Site(u32::try_from(self.0.len() - 1).unwrap_or_default())
    }

    /// The range of a site; that of the whole macro for one that is not known.
    pub fn range(&self, site: Site) -> Range {
        let range = usize::try_from(site.0).ok().and_then(|i| self.0.get(i));
        range.copied().unwrap_or(Range::one(Span::call_site()))
    }
}

impl Range {
    /// A single token.
    pub fn one(span: Span) -> Range {
        Range { start: span, end: span }
    }

    /// Of anything that can be turned into tokens, which is slow for large trees: each level of a tree that
    /// does so writes all of its tokens again.
    pub fn of(tokens: &impl ToTokens) -> Range {
        Range::of_stream(tokens.to_token_stream())
    }

    /// From the first token's span to the last one's; brackets have a span on either side.
    fn of_stream(tokens: TokenStream) -> Range {
        let mut range = None;
        for token in tokens {
            let (start, end) = match &token {
                TokenTree::Group(group) => (group.span_open(), group.span_close()),
                other => (other.span(), other.span()),
            };
            range = Some(Range { start: range.map_or(start, |r: Range| r.start), end });
        }
        range.unwrap_or(Range::one(Span::call_site()))
    }

    /// Of an expression, found without turning the tree into tokens again for each of its nodes.
    pub fn of_expr(e: &Expr) -> Range {
        Range { start: first(e), end: last(e) }
    }
}

/// The first token of an expression, found without the tokens of the rest.
fn first(e: &Expr) -> Span {
    match e {
        Expr::Array(e) => e.bracket_token.span.open(),
        Expr::Binary(e) => first(&e.left),
        Expr::Block(e) if e.label.is_none() => e.block.brace_token.span.open(),
        Expr::Call(e) => first(&e.func),
        Expr::Cast(e) => first(&e.expr),
        Expr::Closure(e) => e.capture.map_or(e.inputs_begin.span, |capture| capture.span),
        Expr::Field(e) => first(&e.base),
        Expr::Group(e) => first(&e.expr),
        Expr::If(e) => e.if_token.span,
        Expr::Index(e) => first(&e.expr),
        Expr::Lit(e) => e.lit.span(),
        Expr::MethodCall(e) => first(&e.receiver),
        Expr::Paren(e) => e.paren_token.span.open(),
        Expr::Repeat(e) => e.bracket_token.span.open(),
        Expr::Tuple(e) => e.paren_token.span.open(),
        other => Range::of(other).start,
    }
}

/// The last token of an expression, likewise.
fn last(e: &Expr) -> Span {
    match e {
        Expr::Array(e) => e.bracket_token.span.close(),
        Expr::Binary(e) => last(&e.right),
        Expr::Block(e) => e.block.brace_token.span.close(),
        Expr::Call(e) => e.paren_token.span.close(),
        Expr::Closure(e) => last(&e.body),
        Expr::Group(e) => last(&e.expr),
        Expr::If(e) => match &e.else_branch {
            Some((_, otherwise)) => last(otherwise),
            None => e.then_branch.brace_token.span.close(),
        },
        Expr::Index(e) => e.bracket_token.span.close(),
        Expr::Lit(e) => e.lit.span(),
        Expr::MethodCall(e) => e.paren_token.span.close(),
        Expr::Paren(e) => e.paren_token.span.close(),
        Expr::Repeat(e) => e.bracket_token.span.close(),
        Expr::Tuple(e) => e.paren_token.span.close(),
        Expr::Unary(e) => last(&e.expr),
        other => Range::of(other).end,
    }
}
