//! The whole macro, on tokens that need not come from a compiler.

use crate::{check, editor, expand, hygiene, parse, report};
use proc_macro2::TokenStream;
use quote::quote;

/// Expands one call of `lift!`: its items, the mistakes in it as `compile_error!`s, and the names that editors
/// need. Items come out even with mistakes: a call of a function that vanished would be one more error.
pub fn block(tokens: TokenStream) -> TokenStream {
    let mut parsed = parse::parse(tokens.clone());
    parsed.diagnostics.extend(hygiene::check(&parsed.items, &parsed.sites));
    // Mistakes of the parser do not keep the checker from the other functions: all of them are shown at once.
    let programs = check::check(&parsed.items, &parsed.constants, &mut parsed.diagnostics);
    let items = expand::items(&parsed.items, &programs, &mut parsed.diagnostics);
    // Places are numbered as they are read.
    parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.site);
    let errors = report::compile_errors(&parsed.diagnostics, &parsed.sites);
    let names = match parsed.shallow {
        true => editor::names(tokens, &parsed),
        false => TokenStream::new(),
    };
    // Completion asks for the same text up to the place in question, whatever is being typed there.
    match &parsed.items[..] {
        [item] if parsed.expression => {
            let name = &item.name;
            quote!({ #names #items #errors ::lift::Lifted::new(#name, &#name::ENTRY) })
        }
        _ if parsed.expression => quote!({ #names #errors }),
        _ => quote!(#names #items #errors),
    }
}
