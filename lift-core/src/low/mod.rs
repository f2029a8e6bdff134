//! The tree between expressions and kernels. It says of every part of a program whether it is read where it is needed or
//! written into memory, what is looped, folded, kept and where, viewed, fetched ahead or kept from one window to the next.
//!
//! An expression says what a value is; whether `map` is a loop or a function that is applied where an element is read
//! depends on what stands around it. `from_expr` decides that, once, for whatever comes after.

mod from_expr;
mod to_expr;
mod written;

use crate::expr::{Local, NodeId, Pattern};
use crate::kernel::{Parallel, Space};
use crate::nat::{Condition, Nat, Var};
use crate::primitives::{Bindings, Layout, Primitive};
use crate::scalar::{Op, Value};
use crate::syntax::Site;
use crate::types::{Scalar, Type};
pub use from_expr::of;
use std::rc::Rc;
pub use written::{is_computed, moves, moves_each};

/// A value that is read element by element. What it takes to compute one is done where the element is read, except where
/// the value is kept or folded.
#[derive(Debug)]
pub struct Read {
    /// The expression that it comes from.
    pub id: NodeId,
    pub site: Site,
    pub ty: Type,
    pub kind: Reading,
}

#[derive(Debug)]
pub enum Reading {
    Variable(Local),
    Literal(Value),
    /// An array of constants, in the order of memory.
    Constants(Vec<Value>),
    Size(Nat),
    Test(Condition),
    Op(Op, Vec<Rc<Read>>),
    Cast(Rc<Read>, Scalar),
    Tuple(Vec<Rc<Read>>),
    Field(Rc<Read>, usize),
    Let(Pattern, Rc<Read>, Rc<Read>),
    If(Rc<Read>, Rc<Read>, Rc<Read>),
    /// One element, at an index that the map of no indices gives.
    Element(Indexed, Rc<Read>),
    Layout(Indexed, Rc<Read>),
    /// Element `i` is element `body` of the operand, where the variable is `i`.
    Reorder(Var, Nat, Rc<Read>),
    /// `length` elements between others that are `fill`, `left` of them before.
    Pad {
        left: Nat,
        length: Nat,
        fill: Rc<Read>,
        inner: Rc<Read>,
    },
    Concat(Vec<Rc<Read>>),
    Zip(Vec<Rc<Read>>),
    Unzip(Rc<Read>),
    /// A function of the elements.
    Map(Map),
    /// A function of the index.
    Generate(Var, Rc<Read>),
    /// So many copies.
    Repeat(Nat, Rc<Read>),
    AsVector(Nat, Rc<Read>),
    AsScalar(Nat, Rc<Read>),
    Dot(Rc<Read>, Rc<Read>),
    /// Written to memory, and read there.
    Kept(Memory, Rc<Write>),
    /// Computed before it is read.
    Fold(Rc<Fold>),
    /// What a fold goes over: an element is fetched as soon as the one before it is no longer used.
    Ahead(Fetched),
    /// Windows that a loop goes over: the elements that one shares with the next stay in registers.
    Rotated(Rc<Read>),
}

/// A value that is computed into a destination.
#[derive(Debug)]
pub struct Write {
    /// The same value, as it is read.
    pub read: Rc<Read>,
    pub kind: Writing,
}

#[derive(Debug)]
pub enum Writing {
    /// Each scalar is read, and stored.
    Copy,
    Let(Pattern, Rc<Read>, Rc<Write>),
    Tuple(Vec<Rc<Write>>),
    If(Rc<Read>, Rc<Write>, Rc<Write>),
    Loop {
        run: Run,
        element: Pattern,
        over: Rc<Read>,
        body: Rc<Write>,
    },
    Fold(Rc<Fold>),
    /// One array after the other.
    Concat(Vec<Rc<Write>>),
    Zip(Vec<Rc<Write>>),
    /// What is moved is written where it is moved to.
    Moved(Motion, Rc<Write>),
    /// Kept where it is written, whatever memory that is.
    Kept(Memory, Rc<Write>),
}

/// A function of the elements of an array, applied where they are read, or a loop if the result is written.
#[derive(Clone, Debug)]
pub struct Map {
    pub run: Run,
    pub element: Pattern,
    pub body: Rc<Read>,
    pub over: Rc<Read>,
}

/// How the iterations of a map run where it is a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// Nothing is said: one after the other, unless whoever places maps says otherwise.
    Open,
    /// One after the other, or by the work-items of a level.
    As(Parallel),
    /// Every iteration by itself.
    Unrolled,
}

/// A running value, and what it becomes at each step.
#[derive(Debug)]
pub struct Fold {
    pub start: Rc<Write>,
    pub running: Pattern,
    pub step: Rc<Write>,
    pub over: Over,
}

#[derive(Debug)]
pub enum Over {
    /// `reduce`: the elements of an array. The last running value is the result.
    Elements { run: Run, element: Pattern, of: Rc<Read> },
    /// `scan`: every running value is an element of the result.
    Prefixes { element: Pattern, of: Rc<Read> },
    /// `iterate`.
    Times(Nat),
}

/// Where a value is kept.
#[derive(Clone, Debug)]
pub struct Memory {
    pub space: Space,
    /// How many elements rows are further apart than they are long.
    pub pitch: Nat,
    /// It is the elements that say so, one by one.
    pub by_element: bool,
    /// The program asks for this memory: what a work-item has for itself is meant to be registers.
    pub asked: bool,
}

/// An index map with the sizes of its primitive.
#[derive(Clone)]
pub struct Indexed {
    pub primitive: Primitive,
    pub layout: &'static Layout,
    /// The sizes that it was given.
    pub sizes: Vec<Nat>,
    pub bindings: Bindings,
}

/// Elements of an array that are fetched ahead: what computes them, if they are more than elements of another array.
#[derive(Debug)]
pub struct Fetched {
    pub function: Option<(Pattern, Rc<Write>)>,
    pub of: Rc<Read>,
}

/// Where the operand of what moves it is written, given where the result goes.
#[derive(Clone, Debug)]
pub enum Motion {
    Layout(Indexed),
    /// Into the only element.
    Single,
    /// Of a tuple of so many arrays.
    Unzip(usize),
    /// By vectors of so many.
    AsScalar(Nat),
    AsVector(Nat),
    /// In every element, the outermost motion first.
    Each(Rc<[Motion]>),
}

impl Run {
    /// Does one work-item run all iterations, as far as is said?
    pub fn in_order(self) -> bool {
        match self {
            Run::Open | Run::Unrolled | Run::As(Parallel::Sequential) => true,
            Run::As(Parallel::Global(_) | Parallel::Group(_) | Parallel::Local(_)) => false,
        }
    }
}

impl std::fmt::Debug for Indexed {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:?}{:?}", self.primitive, self.sizes)
    }
}

impl Read {
    /// What it is made of, outside functions.
    pub fn operands(&self) -> Vec<&Rc<Read>> {
        match &self.kind {
            Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Generate(..) => vec![],
            Reading::Op(_, operands)
            | Reading::Tuple(operands)
            | Reading::Concat(operands)
            | Reading::Zip(operands) => operands.iter().collect(),
            Reading::Cast(e, _)
            | Reading::Field(e, _)
            | Reading::Element(_, e)
            | Reading::Layout(_, e)
            | Reading::Reorder(_, _, e)
            | Reading::Unzip(e)
            | Reading::Repeat(_, e)
            | Reading::AsVector(_, e)
            | Reading::AsScalar(_, e)
            | Reading::Rotated(e)
            | Reading::Ahead(Fetched { of: e, .. })
            | Reading::Map(Map { over: e, .. }) => vec![e],
            Reading::Let(_, value, body) => vec![value, body],
            Reading::If(condition, then, otherwise) => vec![condition, then, otherwise],
            Reading::Pad { fill, inner, .. } => vec![fill, inner],
            Reading::Dot(a, b) => vec![a, b],
            Reading::Kept(_, value) => vec![&value.read],
            Reading::Fold(fold) => match &fold.over {
                Over::Elements { of, .. } | Over::Prefixes { of, .. } => vec![&fold.start.read, of],
                Over::Times(_) => vec![&fold.start.read],
            },
        }
    }

    /// The result of a function that is applied to elements, steps or indices.
    pub fn function(&self) -> Option<&Rc<Read>> {
        match &self.kind {
            Reading::Map(map) => Some(&map.body),
            Reading::Generate(_, body) => Some(body),
            Reading::Fold(fold) => Some(&fold.step.read),
            Reading::Ahead(fetched) => fetched.function.as_ref().map(|(_, body)| &body.read),
            Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Op(..)
            | Reading::Cast(..)
            | Reading::Tuple(_)
            | Reading::Field(..)
            | Reading::Let(..)
            | Reading::If(..)
            | Reading::Element(..)
            | Reading::Layout(..)
            | Reading::Reorder(..)
            | Reading::Pad { .. }
            | Reading::Concat(_)
            | Reading::Zip(_)
            | Reading::Unzip(_)
            | Reading::Repeat(..)
            | Reading::AsVector(..)
            | Reading::AsScalar(..)
            | Reading::Dot(..)
            | Reading::Kept(..)
            | Reading::Rotated(_) => None,
        }
    }

    /// The same value otherwise computed.
    #[must_use]
    pub fn with(&self, kind: Reading) -> Rc<Read> {
        Rc::new(Read { id: self.id, site: self.site, ty: self.ty.clone(), kind })
    }

    /// The same node with all of its [`operands`](Read::operands) replaced.
    #[must_use]
    pub fn map_operands(self: &Rc<Read>, f: &mut dyn FnMut(&Rc<Read>) -> Rc<Read>) -> Rc<Read> {
        let all = |es: &[Rc<Read>], f: &mut dyn FnMut(&Rc<Read>) -> Rc<Read>| es.iter().map(f).collect();
        let kind = match &self.kind {
            Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Generate(..) => return self.clone(),
            Reading::Op(op, operands) => Reading::Op(*op, all(operands, f)),
            Reading::Tuple(parts) => Reading::Tuple(all(parts, f)),
            Reading::Concat(parts) => Reading::Concat(all(parts, f)),
            Reading::Zip(parts) => Reading::Zip(all(parts, f)),
            Reading::Cast(e, to) => Reading::Cast(f(e), *to),
            Reading::Field(e, k) => Reading::Field(f(e), *k),
            Reading::Element(indexed, e) => Reading::Element(indexed.clone(), f(e)),
            Reading::Layout(indexed, e) => Reading::Layout(indexed.clone(), f(e)),
            Reading::Reorder(var, n, e) => Reading::Reorder(var.clone(), n.clone(), f(e)),
            Reading::Unzip(e) => Reading::Unzip(f(e)),
            Reading::Repeat(n, e) => Reading::Repeat(n.clone(), f(e)),
            Reading::AsVector(n, e) => Reading::AsVector(n.clone(), f(e)),
            Reading::AsScalar(n, e) => Reading::AsScalar(n.clone(), f(e)),
            Reading::Rotated(e) => Reading::Rotated(f(e)),
            Reading::Ahead(Fetched { function, of }) => {
                Reading::Ahead(Fetched { function: function.clone(), of: f(of) })
            }
            Reading::Map(map) => Reading::Map(Map { over: f(&map.over), ..map.clone() }),
            Reading::Let(pattern, value, body) => Reading::Let(pattern.clone(), f(value), f(body)),
            Reading::If(condition, then, otherwise) => Reading::If(f(condition), f(then), f(otherwise)),
            Reading::Pad { left, length, fill, inner } => {
                let (left, length) = (left.clone(), length.clone());
                Reading::Pad { left, length, fill: f(fill), inner: f(inner) }
            }
            Reading::Dot(a, b) => Reading::Dot(f(a), f(b)),
            Reading::Kept(memory, value) => Reading::Kept(memory.clone(), Write::of(&f(&value.read))),
            Reading::Fold(fold) => {
                let start = Write::of(&f(&fold.start.read));
                let over = match &fold.over {
                    Over::Elements { run, element, of } => {
                        Over::Elements { run: *run, element: element.clone(), of: f(of) }
                    }
                    Over::Prefixes { element, of } => Over::Prefixes { element: element.clone(), of: f(of) },
                    Over::Times(times) => Over::Times(times.clone()),
                };
                let (running, step) = (fold.running.clone(), fold.step.clone());
                Reading::Fold(Rc::new(Fold { start, running, step, over }))
            }
        };
        self.with(kind)
    }

    /// Every node, outside in.
    pub fn visit(&self, f: &mut dyn FnMut(&Read)) {
        f(self);
        self.operands().into_iter().for_each(|operand| operand.visit(f));
        self.function().into_iter().for_each(|body| body.visit(f));
    }

    /// How often a variable is read.
    pub fn uses(&self, local: &Local) -> usize {
        let mut count = 0;
        self.visit(&mut |e| count += usize::from(matches!(&e.kind, Reading::Variable(l) if l == local)));
        count
    }

    /// Is a variable read in a function that may be applied many times?
    pub fn uses_inside(&self, local: &Local) -> bool {
        self.function().is_some_and(|body| body.uses(local) > 0)
            || self.operands().into_iter().any(|operand| operand.uses_inside(local))
    }

    /// The value behind every `let`.
    pub fn tail(&self) -> &Read {
        match &self.kind {
            Reading::Let(_, _, body) => body.tail(),
            _ => self,
        }
    }

    /// The memory that says that it is to be in, or each of its elements.
    pub fn memory(&self) -> Option<&Memory> {
        match &self.tail().kind {
            Reading::Kept(memory, value) if memory.by_element => value.read.memory(),
            Reading::Kept(memory, _) => Some(memory),
            Reading::Map(Map {
                run: Run::Open | Run::Unrolled | Run::As(Parallel::Sequential),
                body,
                over,
                ..
            }) => body.memory().or_else(|| over.memory()),
            _ => None,
        }
    }

    /// How many elements rows are further apart than they are long, in the memory that it is kept in.
    pub fn pitch(&self) -> Option<&Nat> {
        match &self.tail().kind {
            Reading::Kept(memory, _) => Some(&memory.pitch),
            _ => None,
        }
    }
}

/// A scalar or a vector: what a register holds.
pub fn is_register(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(_) | Type::Vector(..))
}

pub fn holds_arrays(ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Tuple(parts) => parts.iter().any(holds_arrays),
        Type::Scalar(_) | Type::Index | Type::Vector(..) | Type::Hole(_) => false,
    }
}
