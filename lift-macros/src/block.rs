//! The whole macro, on tokens that need not come from a compiler.

use crate::{check, expand, parse, report};
use proc_macro2::TokenStream;
use quote::quote;

pub fn block(tokens: TokenStream) -> TokenStream {
    let mut parsed = parse::parse(tokens);
    let programs = check::check(&parsed.items, &mut parsed.diagnostics);
    let items = expand::items(&parsed.items, &programs, &mut parsed.diagnostics);
    // Places are numbered as they are read.
    parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.site);
    let errors = report::compile_errors(&parsed.diagnostics, &parsed.sites);
    match &parsed.items[..] {
        [item] if parsed.expression => {
            let name = &item.name;
            quote!({ #items #errors ::lift::Lifted::new(#name, &#name::ENTRY) })
        }
        _ if parsed.expression => quote!({ #errors }),
        _ => quote!(#items #errors),
    }
}
