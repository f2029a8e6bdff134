//! The `lift!` macro: parse → check → expand.
//!
//! Rust tokens become [`lift_core::syntax`] trees, whose places are numbers (`sites` knows their
//! spans); [`lift_core::check()`] proves their shapes; each function becomes a Rust function that
//! embeds the checked program. Signatures are expanded whether or not the program is right, so
//! that a mistake inside one gives no further errors where it is called.

mod block;
mod check;
mod editor;
mod expand;
mod hygiene;
mod parse;
mod report;
mod sites;
#[cfg(test)]
mod tests;

/// Functions over arrays, in Rust syntax, their shapes checked for all sizes while they compile.
///
/// Documented in the crate `lift`, where it is meant to be used from.
#[proc_macro]
pub fn lift(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    block::block(input.into()).into()
}
