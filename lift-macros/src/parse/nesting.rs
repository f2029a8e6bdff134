//! A limit on nesting: parsers and checkers are recursive, and the compiler's stack ends somewhere.

use super::Parser;
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Site};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Brackets inside brackets.
const DEEPEST_BRACKETS: usize = 64;
/// Tokens before a token that can stand around it: `- - - x` and `a + b + c` nest without brackets.
const LONGEST_RUN: usize = 2_000;
/// What a `..` counts for in a run: syn takes time exponential in their number to write such an expression
/// as tokens again.
const RANGE: usize = LONGEST_RUN / 8;
/// Expressions inside expressions, `let`s around what follows them included.
const DEEPEST: usize = 250;

impl Parser {
    /// Can these tokens be parsed without running out of stack?
    pub fn shallow_enough(&mut self, tokens: TokenStream) -> bool {
        match too_deep(tokens, 0, 0) {
            None => true,
            Some(range) => {
                self.too_deep::<()>(range);
                false
            }
        }
    }

    /// Goes one expression deeper.
    pub fn deeper<T>(&mut self, range: Range, f: impl FnOnce(&mut Parser) -> Option<T>) -> Option<T> {
        if self.depth >= DEEPEST {
            return self.too_deep(range);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self, range: Range) -> Option<T> {
        let help = "give a part of it a name, in a function of its own";
        self.report(range, Diagnostic::new(Site::default(), "this is nested too deeply").help(help))
    }
}

/// The first token that lies too deep.
fn too_deep(tokens: TokenStream, brackets: usize, before: usize) -> Option<Range> {
    let mut run = before;
    for token in tokens {
        if brackets > DEEPEST_BRACKETS || run > LONGEST_RUN {
            return Some(Range::one(token.span()));
        }
        match token {
            TokenTree::Group(group) => {
                if let Some(range) = too_deep(group.stream(), brackets + 1, run) {
                    return Some(range);
                }
                // At the outside, braces end a function.
                let ends = brackets == 0 && group.delimiter() == Delimiter::Brace;
                run = if ends { before } else { run + 1 };
            }
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => run = before,
            TokenTree::Punct(punct) if punct.as_char() == '.' && punct.spacing() == Spacing::Joint => {
                run += RANGE;
            }
            _ => run += 1,
        }
    }
    None
}
