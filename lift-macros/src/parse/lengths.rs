//! `[f32; H, W]`: two lengths in one pair of brackets, which Rust's grammar has nowhere.

use super::{Parser, unsupported};
use crate::sites::Range;
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

impl Parser {
    /// Reports every such type, and gives the tokens with what it should have been.
    pub fn single_lengths(&mut self, tokens: TokenStream) -> TokenStream {
        tokens.into_iter().map(|token| self.single_length(token)).collect()
    }

    /// One token, which may be brackets with such a type inside.
    fn single_length(&mut self, token: TokenTree) -> TokenTree {
        // What is made anew has one span for both of its brackets.
        let TokenTree::Group(group) = &token else { return token };
        if !holds_list(group) {
            return token;
        }
        let stream = self.single_lengths(group.stream());
        let stream = match lists(&stream) {
            Some((element, lengths)) if group.delimiter() == Delimiter::Bracket => {
                let nested = TokenTree::Group(Group::new(Delimiter::Bracket, nest(element, lengths)));
                let text = nested.to_string().replace("[ ", "[").replace(" ]", "]").replace(" ;", ";");
                let message = "an array has one length: an array of arrays has brackets in brackets";
                let help = format!("write `{text}`: the outer length stands last");
                self.report::<()>(Range::of(group), unsupported::plain(message).help(help));
                let TokenTree::Group(nested) = nested else { return token };
                nested.stream()
            }
            _ => stream,
        };
        let mut same = Group::new(group.delimiter(), stream);
        same.set_span(group.span());
        TokenTree::Group(same)
    }
}

/// Is there such a type in these brackets, or are they one?
fn holds_list(group: &Group) -> bool {
    let inside = |token| matches!(token, TokenTree::Group(group) if holds_list(&group));
    group.delimiter() == Delimiter::Bracket && lists(&group.stream()).is_some()
        || group.stream().into_iter().any(inside)
}

/// `element; length, length, …` with two lengths or more.
fn lists(tokens: &TokenStream) -> Option<(TokenStream, Vec<TokenStream>)> {
    let is = |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let semicolon = all.iter().position(|token| is(token, ';'))?;
    let lengths: Vec<TokenStream> = all[semicolon + 1..]
        .split(|token| is(token, ','))
        .map(|length| length.iter().cloned().collect())
        .collect();
    let several = lengths.len() > 1 && lengths.iter().all(|length: &TokenStream| !length.is_empty());
    several.then(|| (all[..semicolon].iter().cloned().collect(), lengths))
}

/// What stands inside the outermost brackets: `[f32; W]; H`.
fn nest(element: TokenStream, lengths: Vec<TokenStream>) -> TokenStream {
    let semicolon = || TokenTree::Punct(proc_macro2::Punct::new(';', Spacing::Alone));
    // The innermost length stands last in the list, and first in the nested type: `[f32; H, W]` means `[[f32; W]; H]`.
    let mut lengths = lengths.into_iter().rev();
    let mut inner = element;
    let Some(first) = lengths.next() else { return inner };
    inner.extend([semicolon()]);
    inner.extend(first);
    for length in lengths {
        inner = TokenStream::from(TokenTree::Group(Group::new(Delimiter::Bracket, inner)));
        inner.extend([semicolon()]);
        inner.extend(length);
    }
    inner
}
