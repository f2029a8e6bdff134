//! What editors see. Beside everything else the expansion holds, for rust-analyzer alone, the user's
//! names as names of Rust: sizes are constants, parameters and `let`s are variables, primitives are
//! the documented items of `lift::primitives`. So hovering, going to definitions and completion work.
//!
//! It is made of the tokens and not of the syntax tree: while one types, there is none.

mod body;
mod function;
mod tokens;

use crate::expand;
use crate::parse::{Constant, Parsed};
use body::Names;
use function::Written;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::HashSet;
use syn::ext::IdentExt;

/// The names of the whole block, in items that only editors see.
pub fn names(tokens: TokenStream, parsed: &Parsed) -> TokenStream {
    match parsed.expression {
        true => expression(tokens),
        false => functions(tokens, &expand::named(&parsed.items), &parsed.constants),
    }
}

/// The functions of a block. Those that are items of Rust are found as such; only the others can be
/// named here.
fn functions(tokens: TokenStream, items: &HashSet<String>, constants: &[Constant]) -> TokenStream {
    let written = function::all(tokens);
    let own = written.iter().filter_map(|f| f.name.as_ref()).map(|name| name.unraw().to_string());
    let names = Names::new(own.collect());
    let functions = written.iter().map(|f| match &f.name {
        Some(name) if !items.contains(&name.unraw().to_string()) => function(f, name, &names),
        _ => anonymous(f, &names),
    });
    let constants = constants.iter().map(|Constant { name, ty, .. }| quote!(const #name: #ty = loop {};));
    only_for_editors(constants.chain(functions).collect(), &names)
}

/// The expression form.
fn expression(tokens: TokenStream) -> TokenStream {
    let names = Names::new(HashSet::new());
    let function = anonymous(&Written::expression(tokens), &names);
    only_for_editors(function, &names)
}

fn anonymous(f: &Written, names: &Names) -> TokenStream {
    let function = function(f, &Ident::new("__function", Span::call_site()), names);
    quote!(const _: () = { #function };)
}

fn function(f: &Written, name: &Ident, names: &Names) -> TokenStream {
    let (sizes, params) = (&f.sizes, &f.params);
    let body = body::statements([&f.head[..], &f.body[..]], f.bound(), names);
    quote!(fn #name<#(const #sizes: usize),*>(#(#params),*) { #body })
}

/// rust-analyzer sets `cfg(rust_analyzer)`, of which rustc need not know.
fn only_for_editors(items: TokenStream, names: &Names) -> TokenStream {
    let primitives = names.import();
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            #[allow(warnings, clippy::all)]
            const _: () = { #primitives #items };
        };
    }
}
