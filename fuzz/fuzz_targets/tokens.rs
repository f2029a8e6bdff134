//! Whatever stands in `lift! { … }`, the macro neither panics nor hangs, and what it expands to is Rust.
//!
//! A crate of macros can't be linked: its modules are compiled in here.
#![no_main]

#[path = "../../lift-macros/src/block.rs"]
mod block;
#[path = "../../lift-macros/src/check.rs"]
mod check;
#[path = "../../lift-macros/src/editor/mod.rs"]
mod editor;
#[path = "../../lift-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../lift-macros/src/hygiene.rs"]
mod hygiene;
#[path = "../../lift-macros/src/parse/mod.rs"]
mod parse;
#[path = "../../lift-macros/src/report.rs"]
mod report;
#[path = "../../lift-macros/src/sites.rs"]
mod sites;
#[path = "../../lift-macros/src/tests/words.rs"]
mod words;

use libfuzzer_sys::fuzz_target;
use proc_macro2::TokenStream;

fuzz_target!(|bytes: &[u8]| {
    let text = words::text(bytes);
    if std::env::var_os("SHOW").is_some() {
        println!("{text}");
    }
    let Ok(tokens) = text.parse::<TokenStream>() else { return };
    let expanded = block::block(tokens);
    let in_function = quote::quote!(fn main() { #expanded });
    if let Err(error) = syn::parse2::<syn::File>(in_function) {
        panic!("{error} in the expansion of\n{text}\n\n{expanded}");
    }
});
