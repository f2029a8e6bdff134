//! Sizes that are given in a call: `blur::<W, { H + 2 }>(…)`.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::{Expr, ExprKind, GivenSizes};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{AngleBracketedGenericArguments, GenericArgument, Path, PathArguments, Type};

const IN_BRACES: &str = "anything but a name or a number goes in braces here: `{ 2 * N }`";

impl Parser {
    /// A name, or `name::<sizes>`.
    pub fn named(&mut self, path: &Path) -> Option<ExprKind> {
        let mut segments = path.segments.iter().rev();
        let last = segments.next().map(|segment| &segment.arguments);
        let plain = segments.all(|segment| matches!(segment.arguments, PathArguments::None));
        match last {
            Some(PathArguments::AngleBracketed(given)) if plain => {
                let names: Vec<String> = path.segments.iter().map(|s| s.ident.unraw().to_string()).collect();
                let given = self.given_sizes(given, Range::of(path))?;
                Some(ExprKind::Sized(names.join("::"), given))
            }
            _ => Some(ExprKind::Name(self.path(path, unsupported::parameters)?)),
        }
    }

    /// `::<H, { 2 * W }, _>`
    pub fn given_sizes(
        &mut self,
        given: &AngleBracketedGenericArguments,
        range: Range,
    ) -> Option<GivenSizes> {
        let site = self.sites.add(range);
        let sizes: Vec<_> = given.args.iter().map(|argument| self.given_size(argument)).collect();
        let text = given.to_token_stream().to_string().replace(' ', "");
        Some(GivenSizes { site, text, sizes: sizes.into_iter().collect::<Option<_>>()? })
    }

    /// The inner `None` is `_`. As in Rust, what is more than a name or a number stands in braces.
    fn given_size(&mut self, argument: &GenericArgument) -> Option<Option<Expr>> {
        let range = Range::of(argument);
        match argument {
            GenericArgument::Type(Type::Infer(_)) => Some(None),
            GenericArgument::Type(Type::Path(path)) if path.qself.is_none() => {
                let site = self.sites.add(range);
                let kind = ExprKind::Name(self.path(&path.path, unsupported::parameters)?);
                Some(Some(Expr { site, kind }))
            }
            GenericArgument::Const(size) => self.expr(size).map(Some),
            _ => {
                let diagnostic = unsupported::plain("a size is given here, or `_`");
                self.report(range, diagnostic.help(IN_BRACES))
            }
        }
    }

    /// An error that syn found in a body. Of arithmetic between `::<` and `>` it says that it expects a
    /// comma.
    pub fn body_error<T>(&mut self, error: syn::Error, body: TokenStream) -> Option<T> {
        if error.to_string() == "expected `,`" && calculates(body) {
            let diagnostic = unsupported::plain("the sizes of a call are names and numbers");
            return self.report(Range::one(error.span()), diagnostic.help(IN_BRACES));
        }
        self.syntax(error)
    }
}

/// Is there arithmetic between a `::<` and its `>`?
fn calculates(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |token: &TokenTree, characters: &str| matches!(token, TokenTree::Punct(p) if characters.contains(p.as_char()));
    let opens = |w: &[TokenTree]| is(&w[0], ":") && is(&w[1], ":") && is(&w[2], "<");
    let inside = |start: usize| {
        let given = tokens[start + 3..].iter().take_while(|t| !is(t, ">;"));
        given.into_iter().any(|t| is(t, "+-*/%"))
    };
    tokens.windows(3).enumerate().any(|(start, w)| opens(w) && inside(start))
        || tokens.iter().any(|t| matches!(t, TokenTree::Group(group) if calculates(group.stream())))
}
