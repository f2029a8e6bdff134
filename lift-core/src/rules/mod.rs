//! The catalogue of rewrite rules: each a local transformation that keeps a program's meaning.
//!
//! A rule knows the primitives in its equation and nothing else: whatever has that shape is rewritten. It need not
//! check conditions on sizes that a primitive in its result demands anyway (`split`, that its rows fill the array): the
//! checker finds these in the rewritten program, and leaves those that depend on `tune` parameters to the search.

pub(crate) mod build;
mod fusion;
mod interchange;
mod lanes;
mod operators;
mod phases;
mod places;
mod reduction;
mod simplify;
mod tiling;
mod vectors;

pub(crate) use build::{parts as paired, untyped};
pub(crate) use fusion::*;
pub(crate) use interchange::*;
pub(crate) use lanes::*;
pub(crate) use operators::*;
pub(crate) use phases::*;
pub(crate) use places::*;
pub(crate) use reduction::*;
pub(crate) use simplify::*;
pub(crate) use tiling::*;
pub(crate) use vectors::*;

use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Literal, Path, Pattern};
use crate::nat::{Condition, Facts, Nat};
use crate::types::Type;
use std::fmt;
use std::sync::LazyLock;

/// A rewrite rule.
pub struct Rule {
    /// What derivations call it.
    pub name: &'static str,
    /// Both sides of the rule, in the language's own terms.
    pub equation: &'static str,
    /// Where the idea comes from.
    pub source: &'static str,
    /// The sizes it is given, by name.
    pub sizes: &'static [&'static str],
    /// Is it also given the path to an expression inside the one that it matches?
    pub inside: bool,
    /// The rewritten expression; `None` where the rule does not match.
    apply: fn(&mut Context, &Expr, &Arguments) -> Option<Expr>,
}

/// All rules, by topic.
pub static CATALOGUE: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let topics = [
        fusion::RULES,
        tiling::RULES,
        interchange::RULES,
        reduction::RULES,
        phases::RULES,
        vectors::RULES,
        lanes::RULES,
        places::RULES,
        simplify::RULES,
    ];
    topics.concat()
});

/// The sizes and the inner place that a rule is applied with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// A value for each of [`Rule::sizes`].
    pub sizes: Vec<Nat>,
    /// The path to an expression inside.
    pub inside: Path,
}

/// The program around an expression, as far as a rule may know it.
pub struct Context<'a> {
    /// The types of the program before the rule, found out when first asked for.
    pub typed: &'a dyn Fn() -> Option<&'a Typed>,
    /// The whole program.
    pub function: &'a Function,
    /// Facts about its sizes.
    pub facts: &'a Facts,
    /// Must reductions of floats keep their order?
    pub strict: bool,
    /// The number of the last variable made.
    pub fresh: u32,
}

impl Context<'_> {
    /// The type of an expression of the program before the rule.
    pub fn ty(&self, e: &Expr) -> Option<&Type> {
        (self.typed)()?.ty(e.id)
    }

    /// Is this certain of all sizes?
    pub fn holds(&self, condition: &Condition) -> bool {
        self.facts.certain(condition)
    }
}

impl Rule {
    /// The rule of this name.
    pub fn named(name: &str) -> Option<&'static Rule> {
        CATALOGUE.iter().find(|rule| rule.name == name).copied()
    }

    /// The rewritten expression, if the rule matches and is given what it asks for.
    pub fn rewrite(&self, context: &mut Context, e: &Expr, arguments: &Arguments) -> Option<Expr> {
        let given = arguments.sizes.len() == self.sizes.len();
        if given { (self.apply)(context, e, arguments) } else { None }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The function with the type of every literal written out, and no other types: nothing is inferred from an expression's
/// surroundings any more. So rules may move and remove expressions without changing the types of others.
pub(crate) fn explicit(function: &Function, typed: &Typed) -> Function {
    Function { body: without_types(&function.body, typed), ..function.clone() }
}

fn without_types(e: &Expr, typed: &Typed) -> Expr {
    let e = &e.map_children(&mut |child| without_types(child, typed));
    match &*e.kind {
        Kind::Typed(inner, _) => inner.clone(),
        Kind::Literal(literal) => match typed.ty(e.id) {
            Some(Type::Scalar(s)) => e.with(Kind::Literal(Literal::Exact(literal.value(*s)))),
            _ => e.clone(),
        },
        Kind::Let(pattern, value, body) => e.with(Kind::Let(bare(pattern), value.clone(), body.clone())),
        Kind::Apply(primitive, arguments) => {
            let arguments = arguments.iter().map(|argument| match argument {
                Argument::Function(f) => {
                    Argument::Function(Lambda { params: f.params.iter().map(bare).collect(), ..f.clone() })
                }
                other => other.clone(),
            });
            e.with(Kind::Apply(*primitive, arguments.collect()))
        }
        _ => e.clone(),
    }
}

/// A pattern without types.
fn bare(pattern: &Pattern) -> Pattern {
    match pattern {
        Pattern::Typed(inner, _) => bare(inner),
        Pattern::Tuple(parts) => Pattern::Tuple(parts.iter().map(bare).collect()),
        other => other.clone(),
    }
}

/// The function with this body, variables and nodes numbered anew: a rule may have written an expression twice,
/// and two copies must not bind the same variables. And a number above that of every variable.
pub(crate) fn renumbered(function: &Function, body: &Expr) -> (Function, u32) {
    let mut fresh = function.params.iter().map(|p| p.local.index).max().unwrap_or(0);
    let body = body.renumbered(&mut fresh);
    (Function { body, ..function.clone() }, fresh + 1)
}
