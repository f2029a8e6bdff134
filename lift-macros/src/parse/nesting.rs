//! A limit on nesting: parsers and checkers are recursive, and the compiler's stack ends somewhere.

use super::Parser;
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Site};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Brackets inside brackets; a `<` is one until a `>` or `;` comes.
const DEEPEST_BRACKETS: usize = 64;
/// Tokens before a token that can stand around it: `- - - x` and `a + b + c` nest without brackets.
const LONGEST_RUN: usize = 2_000;
/// Words that count for more in a run: without optimisation, syn takes up to 35 KB of stack for a level of them.
const KEYWORDS: [&str; 16] = [
    "async", "break", "const", "dyn", "fn", "for", "if", "impl", "in", "let", "match", "move", "mut",
    "return", "while", "yield",
];
/// What one of them counts.
const KEYWORD: usize = LONGEST_RUN / 125;
/// A `&`, `*`, `|` or `'` that no operand stands before.
const PREFIX: usize = LONGEST_RUN / 60;
/// A `..`: syn takes time exponential in their number to write such an expression as tokens again.
const RANGE: usize = LONGEST_RUN / 8;
/// Expressions inside expressions, `let`s around what follows them included.
const DEEPEST: usize = 250;

impl Parser {
    /// Can these tokens, an expression or functions, be parsed without running out of stack?
    pub fn shallow_enough(&mut self, tokens: TokenStream, expression: bool) -> bool {
        match too_deep(tokens, usize::from(expression), 0) {
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

    /// Reports that there is no going deeper.
    fn too_deep<T>(&mut self, range: Range) -> Option<T> {
        let help = "give a part of it a name, in a function of its own";
        self.report(range, Diagnostic::new(Site::default(), "this is nested too deeply").help(help))
    }
}

/// The first token that lies too deep. Since syn itself must not be run to find out, this is an upper bound on
/// its recursion from the tokens alone: brackets around a token, and the run of tokens before it that no comma,
/// semicolon or function's end has cut off.
fn too_deep(tokens: TokenStream, brackets: usize, before: usize) -> Option<Range> {
    let mut run = before;
    // The run before each `<` that may be a bracket.
    let mut angles: Vec<usize> = vec![];
    // Characters that still make one operator with an operand before them.
    let mut infix = 0usize;
    // The character just before, if it is of the same operator.
    let mut joined = ' ';
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if brackets + angles.len() > DEEPEST_BRACKETS || run > LONGEST_RUN {
            return Some(Range::one(token.span()));
        }
        let (operand, last) = (infix, joined);
        (infix, joined) = (2, ' ');
        match token {
            TokenTree::Group(group) => {
                if let Some(range) = too_deep(group.stream(), brackets + angles.len() + 1, run) {
                    return Some(range);
                }
                // At the outside, braces end a function.
                if brackets == 0 && group.delimiter() == Delimiter::Brace {
                    run = before;
                    angles.clear();
                } else {
                    run += 1;
                }
            }
            TokenTree::Punct(punct) => {
                infix = operand.saturating_sub(1);
                let joint = punct.spacing() == Spacing::Joint;
                let compares =
                    matches!(tokens.peek(), Some(TokenTree::Punct(p)) if joint && p.as_char() == '=');
                match punct.as_char() {
                    // A comma ends an element of whatever list is open, and with it what nests around the next one.
                    ',' => run = angles.last().copied().unwrap_or(before),
                    ';' => {
                        run = before;
                        angles.clear();
                    }
                    '<' if !compares => angles.push(run),
                    '>' if !matches!(last, '-' | '=') => run = angles.pop().unwrap_or(run) + 1,
                    '.' if joint => run += RANGE,
                    '&' | '*' | '|' | '\'' if operand == 0 => run += PREFIX,
                    _ => run += 1,
                }
                joined = if joint { punct.as_char() } else { ' ' };
            }
            TokenTree::Ident(name) => {
                let keyword = KEYWORDS.iter().any(|k| name == k);
                run += if keyword { KEYWORD } else { 1 };
                // No operand, and neither is a lifetime.
                if keyword || last == '\'' {
                    infix = 0;
                }
            }
            TokenTree::Literal(_) => run += 1,
        }
    }
    None
}
