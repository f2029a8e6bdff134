//! A function's parts, as far as they have been written.

use super::tokens::{group, ident, is_keyword, is_punct, is_word, split_at, trees};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;
use std::collections::HashSet;
use syn::Type;
use syn::ext::IdentExt;

/// What can be told apart of a function without parsing it.
#[derive(Default)]
pub struct Written {
    /// Its name, if that is typed already.
    pub name: Option<Ident>,
    /// Its sizes and `tune` parameters.
    pub sizes: Vec<Ident>,
    /// `name: type`, for each parameter.
    pub params: Vec<TokenStream>,
    param_names: Vec<Ident>,
    /// Types that could not be read as such, the result's, ranges of `tune` parameters, and what
    /// follows `where`.
    pub head: Vec<TokenTree>,
    /// The tokens between the braces.
    pub body: Vec<TokenTree>,
}

/// Every `fn` with what follows it, until its braces or the next one.
pub fn all(tokens: TokenStream) -> Vec<Written> {
    let mut found: Vec<Vec<TokenTree>> = vec![];
    let mut inside = false;
    for token in tokens {
        if is_word(&token, "fn") {
            found.push(vec![]);
            inside = true;
            continue;
        }
        let ends = group(&token, Delimiter::Brace).is_some();
        if let (true, Some(last)) = (inside, found.last_mut()) {
            last.push(token);
        }
        inside &= !ends;
    }
    found.iter().map(|tokens| Written::function(tokens)).collect()
}

impl Written {
    /// What follows `fn`.
    fn function(tokens: &[TokenTree]) -> Written {
        let mut written = Written::default();
        let mut rest = tokens;
        if let [TokenTree::Ident(name), after @ ..] = rest {
            written.name = Some(name.clone()).filter(|name| !is_keyword(name));
            rest = after;
        }
        rest = written.sizes_before(rest);
        if let Some((params, after)) =
            rest.split_first().and_then(|(first, after)| Some((group(first, Delimiter::Parenthesis)?, after)))
        {
            split_at(&trees(params), ',').into_iter().for_each(|param| written.param(param));
            rest = after;
        }
        if let Some((TokenTree::Group(last), before)) = rest.split_last()
            && last.delimiter() == Delimiter::Brace
        {
            written.body = trees(last.stream());
            rest = before;
        }
        written.head.extend(rest.iter().cloned());
        written
    }

    /// A closure, sizes before it.
    pub fn expression(tokens: TokenStream) -> Written {
        let (mut written, tokens) = (Written::default(), trees(tokens));
        written.body = written.sizes_before(&tokens).to_vec();
        let params: Vec<TokenTree> =
            written.body.iter().skip(1).take_while(|t| !is_punct(t, "|")).cloned().collect();
        lengths(&params, &mut written.sizes);
        written
    }

    /// `<K, tune TILE: 3..=64>`
    fn sizes_before<'a>(&mut self, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        let Some((_, inside)) = tokens.split_first().filter(|(first, _)| is_punct(first, "<")) else {
            return tokens;
        };
        let end = inside.iter().position(|t| is_punct(t, ">")).unwrap_or(inside.len());
        for size in split_at(&inside[..end], ',') {
            let mut idents = size.iter().filter_map(ident);
            let name = idents.find(|name| !is_keyword(name) && (*name != "tune" || size.len() == 1));
            self.sizes.extend(name.cloned());
            self.head.extend(size.iter().skip_while(|t| !is_punct(t, ":")).cloned());
        }
        inside.get(end + 1..).unwrap_or_default()
    }

    fn param(&mut self, tokens: &[TokenTree]) {
        let tokens = match tokens {
            [first, rest @ ..] if is_word(first, "const") => rest,
            all => all,
        };
        let [TokenTree::Ident(name), rest @ ..] = tokens else { return };
        if is_keyword(name) {
            return;
        }
        let ty: TokenStream = rest.iter().skip(1).cloned().collect();
        let ty = match syn::parse2::<Type>(ty) {
            Ok(ty) => quote!(#ty),
            Err(_) => {
                self.head.extend(rest.iter().cloned());
                quote!(())
            }
        };
        self.param_names.push(name.clone());
        self.params.push(quote!(#name: #ty));
    }

    /// The names that its head binds.
    pub fn bound(&self) -> HashSet<String> {
        self.sizes.iter().chain(&self.param_names).map(|name| name.unraw().to_string()).collect()
    }
}

/// The names in the lengths of types, each once.
fn lengths(tokens: &[TokenTree], names: &mut Vec<Ident>) {
    for inside in tokens.iter().filter_map(|t| group(t, Delimiter::Bracket)) {
        let inside = trees(inside);
        let end = inside.iter().position(|t| is_punct(t, ";")).unwrap_or(inside.len());
        let length: TokenStream = inside[end..].iter().cloned().collect();
        in_length(length, names);
        lengths(&inside[..end], names);
    }
}

fn in_length(tokens: TokenStream, names: &mut Vec<Ident>) {
    let tokens = trees(tokens);
    for (i, token) in tokens.iter().enumerate() {
        match token {
            // `min(N, M)`: the function is no size.
            TokenTree::Ident(name)
                if !matches!(tokens.get(i + 1), Some(TokenTree::Group(_)))
                    && !is_keyword(name)
                    && !names.contains(name) =>
            {
                names.push(name.clone());
            }
            TokenTree::Group(group) => in_length(group.stream(), names),
            _ => {}
        }
    }
}
