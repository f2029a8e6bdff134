//! Children by name, and paths made of them.
//!
//! The order of an expression's children is stated here and nowhere else. Derivations print it, as the numbers of a
//! [`Path`]; whoever looks for a child names it, by a [`Child`].

use super::{Argument, Expr, Kind};
use crate::primitives::{Applied, Form, Primitive};
use std::fmt;

/// What a child is to the expression around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// The value that a `let` binds.
    Value,
    /// What a `let` binds its value for.
    Body,
    /// The condition of an `if`.
    Condition,
    /// The result of an `if` whose condition holds.
    Then,
    /// The result of an `if` whose condition does not hold.
    Otherwise,
    /// The body of a primitive's function: what a `map` makes of one element.
    Function,
    /// The body of a reduction's or a scan's function: the next running value.
    Step,
    /// The running value that a reduction or a scan begins with.
    Start,
    /// What a primitive with a function goes over.
    Array,
    /// What a primitive without a function rearranges, keeps or converts; the operand of `as` and of `.0`.
    Operand,
    /// One of several, counted from 0: a component of a tuple, an array of a `zip`, an operand of an operator.
    Part(usize),
}

impl Child {
    /// Is it the body of a function, and not computed where the expression is?
    pub fn is_in_function(self) -> bool {
        matches!(self, Child::Function | Child::Step)
    }
}

/// The place of an expression inside another: which child, which child of that, and so on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path(Vec<usize>);

impl Path {
    /// Does it lead nowhere else, but stay at the expression that it begins at?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// This path, and then the other.
    pub fn then(&self, further: &Path) -> Path {
        Path([&self.0[..], &further.0].concat())
    }
}

/// As derivations are printed: children are counted from 0.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("the top");
        }
        let steps: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&steps.join("."))
    }
}

/// An expression that a path leads through.
pub struct Stop<'e> {
    /// The expression.
    pub e: &'e Expr,
    /// The path to it.
    pub path: Path,
    /// The child of it that the path goes on to.
    pub child: Child,
    /// The path to that child.
    pub next: Path,
    /// The path from that child to the end.
    pub further: Path,
}

impl Expr {
    /// Calls back for each expression directly inside this one, in source order; lambda bodies among them.
    pub(super) fn each_child<'e>(&'e self, f: &mut dyn FnMut(Child, &'e Expr)) {
        match &*self.kind {
            Kind::Local(_) | Kind::Literal(_) | Kind::Size(_) | Kind::Test(_) => {}
            Kind::Array(es) | Kind::Tuple(es) | Kind::Op(_, es) | Kind::Call(_, _, es) => {
                es.iter().enumerate().for_each(|(k, e)| f(Child::Part(k), e));
            }
            Kind::Let(_, value, body) => {
                f(Child::Value, value);
                f(Child::Body, body);
            }
            Kind::Field(e, _) | Kind::Cast(e, _) | Kind::Typed(e, _) => f(Child::Operand, e),
            Kind::If(condition, then, otherwise) => {
                f(Child::Condition, condition);
                f(Child::Then, then);
                f(Child::Otherwise, otherwise);
            }
            Kind::Apply(primitive, arguments) => of_primitive(*primitive, arguments, f),
        }
    }

    /// The expressions directly inside this one, each with what it is to this one.
    pub fn named_children(&self) -> Vec<(Child, &Expr)> {
        let mut found = vec![];
        self.each_child(&mut |name, child| found.push((name, child)));
        found
    }

    /// The same without their names.
    pub fn children(&self) -> Vec<&Expr> {
        let mut found = vec![];
        self.each_child(&mut |_, child| found.push(child));
        found
    }

    /// The child of this name, with its number.
    fn numbered(&self, name: Child) -> Option<(usize, &Expr)> {
        let (mut k, mut found) = (0, None);
        self.each_child(&mut |other, child| {
            if found.is_none() && other == name {
                found = Some((k, child));
            }
            k += 1;
        });
        found
    }

    /// The child of this name.
    pub fn child(&self, name: Child) -> Option<&Expr> {
        self.numbered(name).map(|(_, child)| child)
    }

    /// The child of this number, in the order of [`Expr::each_child`]. A derivation looks for the place of every rule that it
    /// tries, so this one does not ask what the children are.
    fn nth_child(&self, k: usize) -> Option<&Expr> {
        match &*self.kind {
            Kind::Local(_) | Kind::Literal(_) | Kind::Size(_) | Kind::Test(_) => None,
            Kind::Array(es) | Kind::Tuple(es) | Kind::Op(_, es) | Kind::Call(_, _, es) => es.get(k),
            Kind::Let(_, value, body) => [value, body].get(k).copied(),
            Kind::Field(e, _) | Kind::Cast(e, _) | Kind::Typed(e, _) => [e].get(k).copied(),
            Kind::If(condition, then, otherwise) => [condition, then, otherwise].get(k).copied(),
            Kind::Apply(_, arguments) => arguments.iter().filter_map(Argument::expr).nth(k),
        }
    }

    /// The children with their names and the paths to them.
    pub fn steps(&self) -> Vec<(Child, Path, &Expr)> {
        let children = self.named_children().into_iter().enumerate();
        children.map(|(k, (name, child))| (name, Path(vec![k]), child)).collect()
    }

    /// The path through the children of these names.
    pub fn path(&self, names: &[Child]) -> Option<Path> {
        let mut at = self;
        let mut path = vec![];
        for name in names {
            let (k, child) = at.numbered(*name)?;
            path.push(k);
            at = child;
        }
        Some(Path(path))
    }

    /// The expression at the end of a path.
    pub fn at(&self, path: &Path) -> Option<&Expr> {
        path.0.iter().try_fold(self, |e, step| e.nth_child(*step))
    }

    /// The same with another expression there.
    pub fn replaced(&self, path: &Path, new: &Expr) -> Expr {
        self.replaced_at(&path.0, new)
    }

    fn replaced_at(&self, path: &[usize], new: &Expr) -> Expr {
        let Some((step, rest)) = path.split_first() else { return new.clone() };
        let mut k = 0;
        self.map_children(&mut |child| {
            k += 1;
            if k - 1 == *step { child.replaced_at(rest, new) } else { child.clone() }
        })
    }

    /// The expressions that a path leads through, from the outside in, without the one at its end; `None` where
    /// it leads to nothing.
    pub fn along(&self, path: &Path) -> Option<Vec<Stop<'_>>> {
        let mut stops = vec![];
        let mut at = self;
        for (k, step) in path.0.iter().enumerate() {
            let (child, next) = at.named_children().get(*step).copied()?;
            let part = |range: &[usize]| Path(range.to_vec());
            stops.push(Stop {
                e: at,
                path: part(&path.0[..k]),
                child,
                next: part(&path.0[..=k]),
                further: part(&path.0[k + 1..]),
            });
            at = next;
        }
        Some(stops)
    }

    /// The paths to all expressions in this one, from the outside in, itself first.
    pub fn paths(&self) -> Vec<Path> {
        let inside = self.steps().into_iter().flat_map(|(_, step, child)| {
            child.paths().into_iter().map(move |path| step.then(&path)).collect::<Vec<_>>()
        });
        std::iter::once(Path::default()).chain(inside).collect()
    }

    /// The path to what is looked for in one of the children, the first in which it is found.
    pub fn find_in_children(&self, find: impl Fn(Child, &Expr) -> Option<Path>) -> Option<Path> {
        self.steps().into_iter().find_map(|(name, step, child)| Some(step.then(&find(name, child)?)))
    }

    /// The path to the first expression of this kind, from the outside in.
    pub fn first(&self, wanted: &dyn Fn(&Expr) -> bool) -> Option<Path> {
        if wanted(self) {
            return Some(Path::default());
        }
        self.find_in_children(|_, child| child.first(wanted))
    }
}

/// Of a primitive: its arguments that are values, and the body of its function, if it has one.
fn of_primitive<'e>(primitive: Primitive, arguments: &'e [Argument], found: &mut dyn FnMut(Child, &'e Expr)) {
    let is_function = |a: &Argument| matches!(a, Argument::Function(_) | Argument::Generator(..));
    let function = arguments.iter().position(is_function);
    let folds = matches!(primitive.form.applied(), Applied::Reduction | Applied::Prefixes);
    let alike = matches!(primitive.form, Form::Zip | Form::Concat);
    let mut parts = 0;
    for (k, argument) in arguments.iter().enumerate() {
        let Some(e) = argument.expr() else { continue };
        let name = match function {
            Some(f) if k == f && folds => Child::Step,
            Some(f) if k == f => Child::Function,
            Some(f) if k < f => Child::Start,
            Some(_) => Child::Array,
            None if k + 1 == arguments.len() && !alike => Child::Operand,
            None => Child::Part(parts),
        };
        parts += 1;
        found(name, e);
    }
}
