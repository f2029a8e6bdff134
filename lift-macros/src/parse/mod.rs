//! Rust tokens → `lift_core::syntax`.
//!
//! Tolerant: a mistake is recorded, and what stands beside it is read all the same. `None` means
//! "recorded; there is nothing to hand on".

mod block;
mod constants;
mod expression;
mod exprs;
mod function;
mod given;
mod header;
mod lengths;
mod literals;
mod nesting;
mod patterns;
mod types;
mod unsupported;

pub use constants::Constant;
pub use function::Item;

use crate::sites::{Range, Sites};
use lift_core::syntax::{Diagnostic, Site};
use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};

/// Everything that was found in one macro call.
pub struct Parsed {
    /// The functions, those with mistakes included.
    pub items: Vec<Item>,
    /// The constants, likewise.
    pub constants: Vec<Constant>,
    /// Is it the expression form, whose value is its one item?
    pub expression: bool,
    /// Could it be read without running out of stack?
    pub shallow: bool,
    /// Where each place is.
    pub sites: Sites,
    /// What is wrong so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the tokens of a macro call, and never fails as a whole: what can't be read is reported and left out.
pub fn parse(tokens: TokenStream) -> Parsed {
    let mut parser = Parser { sites: Sites::new(), diagnostics: vec![], constants: vec![], depth: 0 };
    let mut items = vec![];
    let expression = expression::is_expression(tokens.clone());
    let shallow = parser.shallow_enough(tokens.clone(), expression);
    if shallow {
        let tokens = parser.single_lengths(tokens);
        let parse = |input: ParseStream| {
            match expression {
                true => items.push(parser.expression(input)?),
                false => items = parser.items(input),
            }
            Ok(())
        };
        // After an error was recorded, syn reports what it was not asked to read once more.
        if let Err(error) = parse.parse2(tokens)
            && parser.diagnostics.is_empty()
        {
            parser.syntax::<()>(error);
        }
    }
    let Parser { sites, diagnostics, constants, .. } = parser;
    Parsed { items, constants, expression, shallow, sites, diagnostics }
}

/// The state of the parser: everything that is collected on the way.
struct Parser {
    /// Every place that was numbered.
    sites: Sites,
    /// Every mistake.
    diagnostics: Vec<Diagnostic>,
    /// Every constant.
    constants: Vec<Constant>,
    /// Expressions around the current one.
    depth: usize,
}

impl Parser {
    /// Records a mistake, and hands on nothing.
    fn error<T>(&mut self, range: Range, message: impl Into<String>) -> Option<T> {
        self.report(range, Diagnostic::new(Site::default(), message))
    }

    /// The same with notes and helps; the place is numbered here.
    fn report<T>(&mut self, range: Range, diagnostic: Diagnostic) -> Option<T> {
        let site = self.sites.add(range);
        self.diagnostics.push(Diagnostic { site, ..diagnostic });
        None
    }

    /// An error that syn found.
    fn syntax<T>(&mut self, error: syn::Error) -> Option<T> {
        for error in error {
            self.error::<()>(Range::one(error.span()), error.to_string());
        }
        None
    }
}
