//! What the Rust function's parameters are called.

use proc_macro2::Ident;
use std::collections::HashSet;
use syn::ext::IdentExt;

/// In lower case, as Rust has it: `N` or `Ok` may be a constant or a variant where the function
/// stands, or an item beside it, and no parameter can shadow these.
pub fn parameters(names: &[&Ident]) -> Vec<Ident> {
    let texts: Vec<String> = names.iter().map(|name| name.unraw().to_string()).collect();
    let mut taken: HashSet<String> = texts.iter().filter(|text| !is_upper(text)).cloned().collect();
    let name = |(name, text): (&&Ident, &String)| {
        if !is_upper(text) {
            return (*name).clone();
        }
        let mut lower = text.to_lowercase();
        while syn::parse_str::<Ident>(&lower).is_err() || !taken.insert(lower.clone()) {
            lower.push('_');
        }
        Ident::new(&lower, name.span())
    };
    names.iter().zip(&texts).map(name).collect()
}

/// Are items that a parameter can't shadow called so?
fn is_upper(text: &str) -> bool {
    text.trim_start_matches('_').starts_with(char::is_uppercase)
}
