//! What stands before a function's body. Sizes and `where` have a grammar of their own; the rest is
//! Rust's.

use super::Parser;
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Expr, Param, Site, SizeParam, TuneRange, TypeExpr};
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{Ident, Lifetime, RangeLimits, ReturnType, Token, parenthesized, token};

type Sized = (Ident, SizeParam);
type Named = (Ident, Option<Param>);

impl Parser {
    /// `fn`, without the words that Rust allows before it.
    pub fn fn_keyword(&mut self, input: ParseStream) -> syn::Result<()> {
        while input.peek(Token![const]) || input.peek(Token![async]) || input.peek(Token![unsafe]) {
            let word: TokenTree = input.parse()?;
            self.error::<()>(Range::of(&word), format!("a function in `lift!` is not `{word}`"));
        }
        if !input.peek(Token![fn]) {
            return Err(input.error("`lift!` holds functions: `fn name<sizes>(parameters) -> type { … }`"));
        }
        input.parse::<Token![fn]>().map(|_| ())
    }

    /// `<K, KH, tune TILE: 3..=64>`
    pub fn size_params(&mut self, input: ParseStream) -> syn::Result<Vec<Sized>> {
        let mut params = vec![];
        if !input.peek(Token![<]) {
            return Ok(params);
        }
        input.parse::<Token![<]>()?;
        while !input.peek(Token![>]) {
            params.extend(self.size_param(input)?);
            if input.peek(Token![>]) {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        input.parse::<Token![>]>()?;
        Ok(params)
    }

    fn size_param(&mut self, input: ParseStream) -> syn::Result<Option<Sized>> {
        if input.peek(Lifetime) {
            let lifetime: Lifetime = input.parse()?;
            return Ok(
                self.error(Range::of(&lifetime), "values have no lifetimes; only sizes are declared here")
            );
        }
        let constant = input.parse::<Option<Token![const]>>()?.is_some();
        let first: Ident = input.parse()?;
        let chosen = first == "tune" && input.peek(Ident);
        let name: Ident = if chosen { input.parse()? } else { first };
        let range = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(until_comma(input)?),
            None => None,
        };
        // After a mistake it is a size all the same.
        let tune = match (chosen, range) {
            (true, Some(range)) => self.tune_range(&name, range),
            (true, None) => self.no_range(&name),
            (false, Some(_)) => self.bound(&name),
            (false, None) if constant => self.bound(&name),
            (false, None) => None,
        };
        let param = SizeParam { name: self.name(&name), tune };
        Ok(Some((name, param)))
    }

    fn no_range<T>(&mut self, name: &Ident) -> Option<T> {
        let message = format!("`tune {name}` needs the values to choose from");
        let help = format!("write `tune {name}: 1..=64` or `tune {name}: [1, 2, 4]`");
        self.report(Range::one(name.span()), Diagnostic::new(Site::default(), message).help(help))
    }

    fn bound<T>(&mut self, name: &Ident) -> Option<T> {
        let message = format!("a size is declared by its name alone: `{name}`");
        let help = format!("state conditions after the result's type: `where {name} >= 2`");
        self.report(Range::one(name.span()), Diagnostic::new(Site::default(), message).help(help))
    }

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
                let message = "the values to choose from are a range with both ends, or a list";
                let help = format!("write `tune {name}: 1..=64` or `tune {name}: [1, 2, 4]`");
                self.report(Range::of_expr(other), Diagnostic::new(Site::default(), message).help(help))
            }
        }
    }

    pub fn params(&mut self, input: ParseStream) -> syn::Result<Vec<Named>> {
        if !input.peek(token::Paren) {
            return Err(input.error("expected the parameters: `(name: type, …)`"));
        }
        let content;
        parenthesized!(content in input);
        let mut params = vec![];
        while !content.is_empty() {
            let before = self.diagnostics.len();
            params.extend(self.param(&content));
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

    fn param(&mut self, input: ParseStream) -> Option<Named> {
        let constant = matches!(input.parse::<Option<Token![const]>>(), Ok(Some(_)));
        let Ok(name) = input.parse::<Ident>() else {
            return self.syntax(input.error("a parameter is a name and a type: `name: type`"));
        };
        let ty = match input.parse::<Token![:]>() {
            Err(_) => self.error(
                Range::one(name.span()),
                format!("the parameter `{name}` needs a type: `{name}: type`"),
            ),
            Ok(_) => match input.parse() {
                Ok(ty) => self.ty(&ty),
                Err(error) => self.syntax(error),
            },
        };
        let param = ty.map(|ty| Param { name: self.name(&name), ty, constant });
        Some((name, param))
    }

    pub fn result(&mut self, input: ParseStream, name: &Ident) -> syn::Result<Option<TypeExpr>> {
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
            wheres.extend(self.expr(&input.call(syn::Expr::parse_without_eager_brace)?));
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

fn until_comma(input: ParseStream) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![>]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}
