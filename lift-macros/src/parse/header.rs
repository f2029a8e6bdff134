//! What stands before a function's body. Sizes and `where` have a grammar of their own; the rest is
//! Rust's.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Expr, Param, Site, SizeParam, TuneRange, TypeExpr};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashSet;
use syn::parse::ParseStream;
use syn::{Ident, Lifetime, RangeLimits, ReturnType, Token, parenthesized, token};

/// A size parameter, and its name as it was written.
pub type Sized = (Ident, SizeParam);
/// A parameter's name as it was written, and the parameter if its type could be read.
type Named = (Ident, Option<Param>);

impl Parser {
    /// `fn`, without the words that Rust allows before it.
    pub fn fn_keyword(&mut self, input: ParseStream) -> syn::Result<()> {
        while input.peek(Token![const]) || input.peek(Token![async]) || input.peek(Token![unsafe]) {
            let word: TokenTree = input.parse()?;
            self.error::<()>(Range::of(&word), format!("a function in `lift!` is not `{word}`"));
        }
        if !input.peek(Token![fn]) {
            let message = "`lift!` holds functions: `fn name<sizes>(parameters) -> type { … }`";
            return Err(input.error(message));
        }
        input.parse::<Token![fn]>().map(|_| ())
    }

    /// `<K, KH, tune TILE: 3..=64>`
    pub fn size_params(&mut self, input: ParseStream) -> syn::Result<Vec<Sized>> {
        let mut params = vec![];
        if input.peek(token::Bracket) {
            let wrong: TokenTree = input.parse()?;
            let inside = wrong.to_string();
            let inside = inside.trim_start_matches('[').trim_end_matches(']').trim();
            let diagnostic = unsupported::plain("sizes are declared between `<` and `>`");
            self.report::<()>(Range::of(&wrong), diagnostic.help(format!("write `<{inside}>`")));
        }
        if !input.peek(Token![<]) {
            return Ok(params);
        }
        input.parse::<Token![<]>()?;
        let mut seen = HashSet::new();
        while !input.peek(Token![>]) {
            if let Some((name, param)) = self.size_param(input)? {
                match seen.insert(param.name.text.clone()) {
                    true => params.push((name, param)),
                    false => self.twice("size", &name),
                }
            }
            if input.peek(Token![>]) {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        input.parse::<Token![>]>()?;
        Ok(params)
    }

    /// One size parameter. What can't be read as one is reported, and a name kept wherever there is one, so
    /// that its uses are no further mistakes.
    fn size_param(&mut self, input: ParseStream) -> syn::Result<Option<Sized>> {
        if input.peek(Lifetime) {
            let lifetime: Lifetime = input.parse()?;
            return Ok(
                self.error(Range::of(&lifetime), "values have no lifetimes; only sizes are declared here")
            );
        }
        let start = input.span();
        let constant = input.parse::<Option<Token![const]>>()?.is_some();
        let first: Ident = input.parse()?;
        let chosen = first == "tune" && input.peek(Ident);
        let name: Ident = if chosen { input.parse()? } else { first };
        let range = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(until_comma(input)?),
            None => None,
        };
        let last = range.clone().and_then(|tokens| tokens.into_iter().last());
        let whole = Range { start, end: last.map_or(name.span(), |token| token.span()) };
        // After a mistake it is a size all the same.
        let tune = match (chosen, range) {
            (true, Some(range)) => self.tune_range(&name, range),
            (true, None) => self.no_range(whole, &name),
            (false, Some(_)) if name == "tune" => {
                self.error(whole, "`tune` stands before a name: `tune TILE: 1..=64`")
            }
            (false, Some(range)) if range.to_string() != "usize" => self.no_bound(whole, &name),
            (false, Some(_)) => self.bound(whole, &name),
            (false, None) if constant => self.bound(whole, &name),
            (false, None) => None,
        };
        let param = SizeParam { name: self.name(&name), tune };
        Ok(Some((name, param)))
    }

    /// `tune` without values.
    fn no_range<T>(&mut self, range: Range, name: &Ident) -> Option<T> {
        let message = format!("`tune {name}` needs the values to choose from");
        let help = format!("write `tune {name}: 1..=64`, or `tune {name}: [1, 2, 4]`");
        self.report(range, Diagnostic::new(Site::default(), message).help(help))
    }

    /// A size with a type or `const`, which it does not need.
    fn bound<T>(&mut self, range: Range, name: &Ident) -> Option<T> {
        let message = "a size is declared by its name alone";
        let help = format!("write `{name}`; conditions stand after the result's type: `where {name} >= 2`");
        self.report(range, Diagnostic::new(Site::default(), message).help(help))
    }

    /// A name with a bound, as Rust's generics have: not a size.
    fn no_bound<T>(&mut self, range: Range, name: &Ident) -> Option<T> {
        let message = "only sizes are declared here, and a size has no bounds";
        let help = format!(
            "types are written out, as `f32`; conditions on a size stand in a clause: `where {name} >= 2`"
        );
        self.report(range, unsupported::plain(message).help(help))
    }

    /// The values of a `tune` parameter: `low..=high`, or a list.
    fn tune_range(&mut self, name: &Ident, tokens: TokenStream) -> Option<TuneRange> {
        let range = match syn::parse2::<syn::Expr>(tokens) {
            Ok(range) => range,
            Err(error) => return self.syntax(error),
        };
        match &range {
            syn::Expr::Range(syn::ExprRange {
                start: Some(low),
                limits: RangeLimits::Closed(_),
                end: Some(high),
                ..
            }) => {
                let (low, high) = (self.expr(low), self.expr(high));
                Some(TuneRange::Span(low?, high?))
            }
            syn::Expr::Array(list) => Some(TuneRange::List(self.exprs(&list.elems)?)),
            other => {
                let message = format!("the values of `{name}` are a range with both ends, or a list");
                let diagnostic = Diagnostic::new(Site::default(), message);
                let help = match half_open(other) {
                    Some(closed) => format!("write `{closed}`"),
                    None => format!("for example `tune {name}: 1..=64` or `tune {name}: [1, 2, 4]`"),
                };
                self.report(Range::of_expr(other), diagnostic.help(help))
            }
        }
    }

    /// `(name: type, …)`
    pub fn params(&mut self, input: ParseStream) -> syn::Result<Vec<Named>> {
        if !input.peek(token::Paren) {
            return Err(input.error("expected the parameters: `(name: type, …)`"));
        }
        let content;
        parenthesized!(content in input);
        let mut params = vec![];
        let mut seen = HashSet::new();
        while !content.is_empty() {
            // At most one mistake for each parameter: after the first, the rest of it is skipped up to the comma.
            let before = self.diagnostics.len();
            if let Some((name, param)) = self.param(&content) {
                match seen.insert(name.to_string()) {
                    true => params.push((name, param)),
                    false => self.twice("parameter", &name),
                }
            }
            if self.diagnostics.len() == before && !content.is_empty() && !content.peek(Token![,]) {
                self.syntax::<()>(content.error("expected `,`"));
            }
            // After a mistake, on with the next one.
            while !content.is_empty() && content.parse::<Option<Token![,]>>()?.is_none() {
                content.parse::<TokenTree>()?;
            }
        }
        Ok(params)
    }

    /// A name that is there already.
    fn twice(&mut self, what: &str, name: &Ident) {
        self.error::<()>(Range::one(name.span()), format!("the {what} `{name}` is declared twice"));
    }

    /// `const name: type`, where `const` says that its values rarely change.
    fn param(&mut self, input: ParseStream) -> Option<Named> {
        let constant = matches!(input.parse::<Option<Token![const]>>(), Ok(Some(_)));
        if let Ok(Some(word)) = input.parse::<Option<Token![mut]>>() {
            let diagnostic = unsupported::plain("nothing is mutable here").help("remove `mut`");
            self.report::<()>(Range::one(word.span), diagnostic);
        }
        let Ok(name) = input.parse::<Ident>() else {
            return self.syntax(input.error("a parameter is a name and a type: `name: type`"));
        };
        let ty = match input.parse::<Token![:]>() {
            Err(_) => self.error(
                Range::one(name.span()),
                format!("the parameter `{name}` needs a type: `{name}: type`"),
            ),
            Ok(_) if input.peek(Token![const]) => {
                let message = format!("`const` stands before the name: `const {name}: …`");
                self.error(Range::one(input.span()), message)
            }
            Ok(_) => match input.parse() {
                Ok(ty) => self.ty(&ty),
                // syn lists everything that a type can begin with.
                Err(error) => self.error(Range::one(error.span()), "expected a type"),
            },
        };
        let param = ty.map(|ty| Param { name: self.name(&name), ty, constant });
        Some((name, param))
    }

    /// `-> type`
    pub fn result(&mut self, input: ParseStream, name: &Ident) -> syn::Result<Option<TypeExpr>> {
        if input.peek(Token![=>]) || input.peek(Token![:]) {
            let wrong = input.span();
            let range = match input.parse::<Option<Token![=>]>>()? {
                Some(arrow) => Range { start: wrong, end: arrow.spans[1] },
                None => input.parse::<Token![:]>().map(|_| Range::one(wrong))?,
            };
            let diagnostic = unsupported::plain("the type of a result stands after `->`");
            self.report::<()>(range, diagnostic.help("write `->`"));
            return Ok(self.ty(&input.parse()?));
        }
        match input.parse::<ReturnType>()? {
            ReturnType::Type(_, ty) => Ok(self.ty(&ty)),
            ReturnType::Default => {
                let message = format!("`{name}` needs a result: `-> type`");
                Ok(self.error(Range::one(name.span()), message))
            }
        }
    }

    /// `where KH <= H + 2, W % 4 == 0,`: conditions, where Rust has bounds.
    pub fn wheres(&mut self, input: ParseStream) -> syn::Result<Vec<Expr>> {
        let mut wheres = vec![];
        if input.parse::<Option<Token![where]>>()?.is_none() {
            return Ok(wheres);
        }
        while !input.peek(token::Brace) && !input.peek(Token![;]) && !input.is_empty() {
            // The body's brace must not be taken for a struct literal: `where N >= M { … }`.
            match &input.call(syn::Expr::parse_without_eager_brace)? {
                clause @ syn::Expr::Assign(e) => {
                    let [left, right] = [&e.left, &e.right].map(|e| e.to_token_stream().to_string());
                    let diagnostic = unsupported::plain("a clause compares, it does not assign");
                    let help = format!("write `{left} == {right}`");
                    self.report::<()>(Range::of_expr(clause), diagnostic.help(help));
                }
                clause => wheres.extend(self.expr(clause)),
            }
            if input.peek(Token![:]) {
                return Err(input.error("a clause is a condition on sizes: `where KH <= H + 2, N % 4 == 0`"));
            }
            if input.parse::<Option<Token![,]>>()?.is_none() {
                break;
            }
        }
        Ok(wheres)
    }
}

/// `1..64` as the language has it: `1..=63`.
fn half_open(e: &syn::Expr) -> Option<String> {
    let number = |e: &syn::Expr| match e {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse::<u64>().ok(),
        _ => None,
    };
    match e {
        syn::Expr::Range(syn::ExprRange {
            start: Some(low),
            limits: RangeLimits::HalfOpen(_),
            end: Some(high),
            ..
        }) => Some(format!("{}..={}", number(low)?, number(high)?.checked_sub(1)?)),
        _ => None,
    }
}

/// The tokens up to the next `,` or `>`.
fn until_comma(input: ParseStream) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![>]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}
