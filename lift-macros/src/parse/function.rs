//! Functions: everything between their attributes and their last brace.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::{Expr, Function, Name, TypeExpr};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::parse::discouraged::Speculative;
use syn::{Attribute, Ident, Token, Visibility, braced};

/// A function as Rust sees it, and as the language does.
pub struct Item {
    /// All but `#[strict]`, for the Rust function.
    pub attributes: Vec<Attribute>,
    /// Of the Rust function; whatever is not private is checked as public.
    pub visibility: Visibility,
    /// Its name, with the user's span.
    pub name: Ident,
    /// Its size parameters, in order.
    pub sizes: Vec<SizeName>,
    /// Its parameters, in order.
    pub params: Vec<Parameter>,
    /// `None` if it could not be read.
    pub result: Option<TypeExpr>,
    /// `None` if there are mistakes in it.
    pub function: Option<Function>,
}

impl Item {
    /// The name without `r#`.
    pub fn text(&self) -> String {
        self.name.unraw().to_string()
    }
}

/// A size parameter, as an identifier for the expansion.
pub struct SizeName {
    pub name: Ident,
    /// Is it a `tune` parameter? Callers don't pass those.
    pub tune: bool,
}

/// A parameter, as an identifier for the expansion.
pub struct Parameter {
    pub name: Ident,
    /// `None` if it could not be read.
    pub ty: Option<TypeExpr>,
}

impl Parser {
    /// The items of a block, one after the other. After one that can't be read, the next
    /// is looked for behind its braces.
    pub fn items(&mut self, input: ParseStream) -> Vec<Item> {
        let mut items = vec![];
        while !input.is_empty() {
            if self.constant_item(input) || self.foreign_item(input) {
                continue;
            }
            match self.item(input) {
                Ok(item) if items.iter().any(|i: &Item| i.text() == item.text()) => {
                    let message = format!("the function `{}` is defined twice", item.text());
                    self.error::<()>(Range::one(item.name.span()), message);
                }
                Ok(item) => items.push(item),
                Err(error) => {
                    self.syntax::<()>(error);
                    skip_function(input);
                }
            }
        }
        items
    }

    /// Reads what Rust has beside functions, and says that it does not belong here.
    fn foreign_item(&mut self, input: ParseStream) -> bool {
        let ahead = input.fork();
        let header = ahead.call(Attribute::parse_outer).and_then(|_| ahead.parse::<Visibility>());
        if header.is_err() || ahead.peek(Token![fn]) || ahead.peek2(Token![fn]) {
            return false;
        }
        // Read from a fork: if it is no item, nothing has been used up.
        let ahead = input.fork();
        let Ok(item) = ahead.parse::<syn::Item>() else { return false };
        input.advance_to(&ahead);
        self.report::<()>(Range::of(&item), unsupported::item(&item));
        true
    }

    /// An `Err` is a mistake after which nothing of the function can be used.
    fn item(&mut self, input: ParseStream) -> syn::Result<Item> {
        let before = self.diagnostics.len();
        let mut attributes = input.call(Attribute::parse_outer)?;
        let strict = attributes.iter().any(is_strict);
        attributes.retain(|a| !is_strict(a));
        let visibility: Visibility = input.parse()?;
        self.fn_keyword(input)?;
        let name: Ident = input.parse()?;
        let text = self.name(&name);
        let sizes = self.size_params(input)?;
        let params = self.params(input)?;
        let result = self.result(input, &name)?;
        let wheres = self.wheres(input)?;
        let body = self.body(input);
        let clean = self.diagnostics.len() == before;
        let size_names =
            sizes.iter().map(|(name, param)| SizeName { name: name.clone(), tune: param.tune.is_some() });
        let parameters = params
            .iter()
            .map(|(name, param)| Parameter { name: name.clone(), ty: param.as_ref().map(|p| p.ty.clone()) });
        let (size_names, parameters) = (size_names.collect(), parameters.collect());
        let function = body.zip(result.clone()).filter(|_| clean).map(|(body, result)| Function {
            name: text,
            sizes: sizes.into_iter().map(|(_, size)| size).collect(),
            params: params.into_iter().filter_map(|(_, param)| param).collect(),
            result: Some(result),
            wheres,
            body,
            public: !matches!(visibility, Visibility::Inherited),
            strict,
            constant: false,
        });
        Ok(Item { attributes, visibility, name, sizes: size_names, params: parameters, result, function })
    }

    /// The body. syn reads it as a whole; a mistake that syn finds there costs this body only.
    fn body(&mut self, input: ParseStream) -> Option<Expr> {
        if !input.peek(syn::token::Brace) {
            let (range, missing) = (Range::one(input.span()), "a function needs a body: `{ … }`");
            if input.peek(Token![;]) {
                let _ = input.parse::<Token![;]>();
            } else {
                skip_function(input);
            }
            return self.error(range, missing);
        }
        // Kept for the message: what syn expects says little where sizes are given in a call.
        let body = match input.cursor().group(Delimiter::Brace) {
            Some((inside, ..)) => inside.token_stream(),
            None => TokenStream::new(),
        };
        match braces(input) {
            Ok((braces, statements)) => self.statements(&braces, &statements),
            Err(error) => self.body_error(error, body),
        }
    }

    /// An identifier as a name with a site.
    pub fn name(&mut self, ident: &Ident) -> Name {
        Name { text: ident.unraw().to_string(), site: self.sites.add(Range::one(ident.span())) }
    }
}

/// A block; its content is used up even if there is a mistake in it.
fn braces(input: ParseStream) -> syn::Result<(syn::token::Brace, Vec<syn::Stmt>)> {
    let content;
    let braces = braced!(content in input);
    let statements = content.call(syn::Block::parse_within);
    if statements.is_err() {
        let _ = content.parse::<proc_macro2::TokenStream>();
    }
    Ok((braces, statements?))
}

/// `#[strict]`, which is the macro's own attribute.
fn is_strict(attribute: &Attribute) -> bool {
    attribute.path().is_ident("strict") && attribute.meta.require_path_only().is_ok()
}

/// Past the next thing in braces, which should be a body.
fn skip_function(input: ParseStream) {
    while let Ok(token) = input.parse::<TokenTree>() {
        if matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace) {
            return;
        }
    }
}
