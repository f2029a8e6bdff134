//! The `lift!` macro: parse → check → expand.
//!
//! Rust tokens become [`lift_core::syntax`] trees, whose places are numbers (`sites` knows their
//! spans); [`lift_core::check()`] proves their shapes; each function becomes a Rust function that
//! embeds the checked program. Signatures are expanded whether or not the program is right, so
//! that a mistake inside one gives no further errors where it is called.

mod check;
mod expand;
mod parse;
mod report;
mod sites;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;

/// Functions over arrays, in Rust syntax, their shapes checked for all sizes while they compile.
///
/// Documented in the crate `lift`, where it is meant to be used from.
#[proc_macro]
pub fn lift(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    block(input.into()).into()
}

fn block(tokens: TokenStream) -> TokenStream {
    let mut parsed = parse::parse(tokens);
    let programs = check::check(&parsed.items, &mut parsed.diagnostics);
    let items = expand::items(&parsed.items, &programs, &mut parsed.diagnostics);
    // Places are numbered as they are read.
    parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.site);
    let errors = report::compile_errors(&parsed.diagnostics, &parsed.sites);
    match &parsed.items[..] {
        [item] if parsed.expression => {
            let name = &item.name;
            quote!({ #items #errors #name })
        }
        _ if parsed.expression => quote!({ #errors }),
        _ => quote!(#items #errors),
    }
}
