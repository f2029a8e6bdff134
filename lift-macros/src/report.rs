//! Mistakes, as the compiler shows them.

use crate::sites::{Range, Sites};
use lift_core::syntax::Diagnostic;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote_spanned;

/// One `compile_error!` for each mistake, where it was made.
pub fn compile_errors(diagnostics: &[Diagnostic], sites: &Sites) -> TokenStream {
    diagnostics
        .iter()
        .map(|d| {
            let (first, last) = (sites.range(d.site), sites.range(d.until.unwrap_or(d.site)));
            compile_error(&text(d), Range { end: last.end, ..first })
        })
        .collect()
}

/// The lines that rustc itself adds to a message look like this.
fn text(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| format!("\n = note: {note}"));
    let helps = diagnostic.helps.iter().map(|help| format!("\n = help: {help}"));
    [diagnostic.message.clone()].into_iter().chain(notes).chain(helps).collect()
}

/// An error underlines the macro call that it comes from: from its first to its last token.
fn compile_error(message: &str, range: Range) -> TokenStream {
    // The first token carries the start and the last one the end, since spans can't be joined.
    let mut braces = Group::new(Delimiter::Brace, quote_spanned!(range.end=> #message));
    braces.set_span(range.end);
    let mut tokens = quote_spanned!(range.start=> ::core::compile_error!);
    tokens.extend([TokenTree::Group(braces)]);
    tokens
}
