//! Bodies: every name as a statement of its own, in the scopes that it was written in.

use super::tokens::{ident, is_keyword, is_punct, is_word, trees};
use lift_core::primitives::reference;
use lift_core::types::Scalar;
use proc_macro2::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::HashSet;
use syn::ext::IdentExt;

/// Scopes inside scopes that are shown.
const DEEPEST: usize = 100;

/// The names that are the same in all of a block.
pub struct Names {
    functions: HashSet<String>,
    primitives: HashSet<&'static str>,
}

impl Names {
    /// A walk through the body of a function, in a block with these functions.
    pub fn new(functions: HashSet<String>) -> Names {
        Names { functions, primitives: reference::names().collect() }
    }

    /// What an import brings in would hide a function of the block that has its name.
    pub fn import(&self) -> TokenStream {
        if self.functions.iter().all(|name| !self.primitives.contains(&**name)) {
            return quote!(
                use ::lift::primitives::*;
            );
        }
        let others = self.primitives.iter().filter(|name| !self.functions.contains(**name));
        let others = others.map(|name| Ident::new(name, Span::call_site()));
        quote!(use ::lift::primitives::{#(#others),*};)
    }
}

/// The names in these tokens, where `bound` are those of sizes and parameters.
pub fn statements<'a>(
    parts: impl IntoIterator<Item = &'a [TokenTree]>,
    bound: HashSet<String>,
    names: &Names,
) -> TokenStream {
    let mut writer = Writer { names, bound, depth: 0, out: TokenStream::new() };
    parts.into_iter().for_each(|tokens| writer.tokens(tokens));
    writer.out
}

struct Writer<'a> {
    names: &'a Names,
    /// Names that were bound so far, in whatever scope.
    bound: HashSet<String>,
    depth: usize,
    out: TokenStream,
}

impl Writer<'_> {
    fn tokens(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let rest = &tokens[at + 1..];
            let before = at.checked_sub(1).map(|i| &tokens[i]);
            at += 1 + match token {
                _ if is_word(token, "let") => self.binding(rest),
                TokenTree::Punct(bar) if bar.as_char() == '|' => match starts_operand(before) {
                    true => self.lambda(rest),
                    // The second one of `||` starts nothing either.
                    false => usize::from(rest.first().is_some_and(|t| is_punct(t, "|"))),
                },
                TokenTree::Ident(name) => self.name(name, before, rest),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    self.scope(&[], &trees(group.stream()));
                    0
                }
                TokenTree::Group(group) => {
                    self.tokens(&trees(group.stream()));
                    0
                }
                _ => 0,
            };
        }
    }

    /// `{ let pattern; … }`
    fn scope(&mut self, pattern: &[TokenTree], tokens: &[TokenTree]) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.out);
        self.pattern(pattern);
        self.tokens(tokens);
        let inner = std::mem::replace(&mut self.out, outer);
        self.out.extend(quote!({ #inner }));
        self.depth -= 1;
    }

    /// What follows `let`: the value's names, and then the variables. How many tokens it takes.
    fn binding(&mut self, tokens: &[TokenTree]) -> usize {
        let end = tokens.iter().position(|t| is_punct(t, ";")).unwrap_or(tokens.len());
        let equals = tokens[..end].iter().position(|t| is_punct(t, "=")).unwrap_or(end);
        self.tokens(tokens.get(equals + 1..end).unwrap_or_default());
        self.pattern(&tokens[..equals]);
        end
    }

    /// What follows the first `|` of a lambda. How many tokens it takes.
    fn lambda(&mut self, tokens: &[TokenTree]) -> usize {
        let bar = tokens.iter().position(|t| is_punct(t, "|")).unwrap_or(tokens.len());
        let after = tokens.get(bar + 1..).unwrap_or_default();
        let length = after.iter().position(|t| is_punct(t, ",;")).unwrap_or(after.len());
        self.scope(&tokens[..bar], &after[..length]);
        (bar + 1 + length).min(tokens.len())
    }

    /// A variable for every name that is no type's.
    fn pattern(&mut self, tokens: &[TokenTree]) {
        for part in tokens.split(|t| is_punct(t, ",")) {
            let colon = part.iter().position(|t| is_punct(t, ":")).unwrap_or(part.len());
            let (variables, ty) = part.split_at(colon);
            for token in variables {
                match token {
                    TokenTree::Ident(name) if !is_keyword(name) => {
                        self.bound.insert(name.unraw().to_string());
                        self.out.extend(quote!(let #name;));
                    }
                    TokenTree::Group(group) => self.pattern(&trees(group.stream())),
                    _ => {}
                }
            }
            self.tokens(ty);
        }
    }

    /// A name, or a path that begins with it. How many tokens it takes besides.
    fn name(&mut self, name: &Ident, before: Option<&TokenTree>, rest: &[TokenTree]) -> usize {
        if let [TokenTree::Punct(a), TokenTree::Punct(b), ..] = rest
            && (a.as_char(), a.spacing(), b.as_char()) == (':', Spacing::Joint, ':')
        {
            return self.path(name, rest);
        }
        let called =
            matches!(rest, [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Parenthesis);
        let text = name.unraw().to_string();
        // A method is a function.
        let method = before.is_some_and(|t| is_punct(t, "."));
        if is_keyword(name) || Scalar::from_name(&text).is_some() || (method && !called) {
            return 0;
        }
        let known = [&self.bound, &self.names.functions].iter().any(|names| names.contains(&text))
            || self.names.primitives.contains(&*text);
        // Being typed: where there are parentheses already, completion adds none.
        self.out.extend(if called && !known { quote!(#name();) } else { quote!(#name;) });
        0
    }

    /// Rust's own constants: `f32::INFINITY`.
    fn path(&mut self, first: &Ident, rest: &[TokenTree]) -> usize {
        let parts = |at: &usize| {
            matches!(&rest[*at..], [TokenTree::Punct(a), b, c, ..]
            if (a.as_char(), a.spacing()) == (':', Spacing::Joint) && is_punct(b, ":")
                && ident(c).is_some_and(|name| !is_keyword(name)))
        };
        let length = (0..rest.len()).step_by(3).take_while(parts).count() * 3;
        let root = first.to_string();
        if length > 0 && (root == "std" || root == "core" || Scalar::from_name(&root).is_some()) {
            let rest: TokenStream = rest[..length].iter().cloned().collect();
            self.out.extend(quote!(#first #rest;));
        }
        length.max(2)
    }
}

/// After this token, does `|` begin a lambda, rather than stand between two operands?
fn starts_operand(before: Option<&TokenTree>) -> bool {
    match before {
        None | Some(TokenTree::Punct(_)) => true,
        Some(TokenTree::Ident(word)) => is_keyword(word),
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) => false,
    }
}
