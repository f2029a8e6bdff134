//! Questions about single tokens.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

/// The tokens as a list.
pub fn trees(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// The identifier or keyword, if the token is one.
pub fn ident(token: &TokenTree) -> Option<&Ident> {
    if let TokenTree::Ident(ident) = token { Some(ident) } else { None }
}

/// Is it this identifier or keyword?
pub fn is_word(token: &TokenTree, word: &str) -> bool {
    ident(token).is_some_and(|ident| ident == word)
}

/// Is it one of these characters?
pub fn is_punct(token: &TokenTree, characters: &str) -> bool {
    matches!(token, TokenTree::Punct(punct) if characters.contains(punct.as_char()))
}

/// The tokens between these brackets, if the token is such a group.
pub fn group(token: &TokenTree, delimiter: Delimiter) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    }
}

/// The tokens between separators; brackets hide those inside.
pub fn split_at(tokens: &[TokenTree], separator: char) -> Vec<&[TokenTree]> {
    tokens.split(|t| matches!(t, TokenTree::Punct(punct) if punct.as_char() == separator)).collect()
}

/// Is it a word that Rust keeps for itself?
pub fn is_keyword(ident: &Ident) -> bool {
    syn::parse2::<Ident>(quote!(#ident)).is_err()
}
