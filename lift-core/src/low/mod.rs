//! The low tree, between expressions and kernels. For each part of a program it says whether the part is
//! read where it is needed or written into memory, and which values are loops, folds, views, kept in
//! memory, fetched ahead or rotated.
//!
//! An expression says only which value it is: whether `map` is a loop, or a function that is applied where an
//! element is read, depends on what stands around it. `from_expr` decides that once, for all later stages.

mod from_expr;
mod overlap;
mod to_expr;
mod written;

use crate::expr::{Local, NodeId, Pattern};
use crate::hierarchy::{Parallel, Space};
use crate::nat::{Condition, Nat, Var};
use crate::primitives::{Bindings, Layout, Primitive};
use crate::scalar::{Op, Value};
use crate::syntax::Site;
use crate::types::{Scalar, Type};
pub use from_expr::of;
pub use overlap::Overlap;
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;
pub use written::{is_computed, moves, moves_each};

/// What a derived program calls a value that it keeps: the generator finds a name that says what it is.
pub const UNNAMED: &str = "kept";

/// A value that is read element by element. An element is computed where it is read, except
/// where the value is kept or folded.
#[derive(Debug)]
pub struct Read {
    /// The expression that it comes from.
    pub id: NodeId,
    /// Where it stands in the user's source.
    pub site: Site,
    /// Its type.
    pub ty: Type,
    /// How it is read.
    pub kind: Reading,
}

/// How a value is read.
#[derive(Debug)]
pub enum Reading {
    /// The value that was bound to a variable, wherever it is.
    Variable(Local),
    /// A number.
    Literal(Value),
    /// An array of constants, in the order of memory.
    Constants(Vec<Value>),
    /// A size or index as a value.
    Size(Nat),
    /// A condition on sizes and indices, as a `bool`.
    Test(Condition),
    /// A scalar or vector operation, computed where it is read.
    Op(Op, Vec<Rc<Read>>),
    /// A scalar as another type.
    Cast(Rc<Read>, Scalar),
    /// Several values; to read a component, only its part is read.
    Tuple(Vec<Rc<Read>>),
    /// A component of a tuple.
    Field(Rc<Read>, usize),
    /// A value bound to a name. Lowering decides whether it is computed once or at every read.
    Let(Pattern, Rc<Read>, Rc<Read>),
    /// One of two values; only that one is read.
    If(Rc<Read>, Rc<Read>, Rc<Read>),
    /// One element, at an index that the map of no indices gives.
    Element(Indexed, Rc<Read>),
    /// Elements at other indices.
    Layout(Indexed, Rc<Read>),
    /// Element `i` is element `body` of the operand, where the variable is `i`.
    Reorder(Var, Nat, Rc<Read>),
    /// `length` elements between others that are `fill`, `left` of them before.
    Pad { left: Nat, length: Nat, fill: Rc<Read>, inner: Rc<Read> },
    /// Arrays one after the other.
    Concat(Vec<Rc<Read>>),
    /// An array of tuples, read component by component.
    Zip(Vec<Rc<Read>>),
    /// A tuple of arrays, read from an array of tuples.
    Unzip(Rc<Read>),
    /// A function of the elements.
    Map(Map),
    /// A function of the index.
    Generate(Var, Rc<Read>),
    /// Copies of one value, this many.
    Repeat(Nat, Rc<Read>),
    /// Neighbouring scalars, that many at a time, as vectors.
    AsVector(Nat, Rc<Read>),
    /// The lanes of vectors of that width, one after the other.
    AsScalar(Nat, Rc<Read>),
    /// The sum of products of two vectors, or of two arrays.
    Dot(Rc<Read>, Rc<Read>),
    /// Written to memory, and read there.
    Kept(Memory, Rc<Write>),
    /// Computed before it is read.
    Fold(Rc<Fold>),
    /// The array of a fold, each element fetched as soon as the one before it is no longer used.
    Ahead(Fetched),
    /// Windows that a loop goes over: the elements that one shares with the next stay in registers.
    Rotated(Rc<Read>),
    /// The array of a loop whose iterations at the ends are written apart from the others.
    Peeled(Rc<Read>),
}

/// A value that is computed into a destination.
#[derive(Debug)]
pub struct Write {
    /// The same value, as it is read.
    pub read: Rc<Read>,
    /// How it is written.
    pub kind: Writing,
}

/// How a value is written into a destination.
#[derive(Debug)]
pub enum Writing {
    /// Each scalar is read, and stored.
    Copy,
    /// The name is bound first, then the rest is written.
    Let(Pattern, Rc<Read>, Rc<Write>),
    /// Each part into its part of the destination.
    Tuple(Vec<Rc<Write>>),
    /// The statements that write one or the other.
    If(Rc<Read>, Rc<Write>, Rc<Write>),
    /// Each element is written by an iteration.
    Loop {
        /// How the iterations run.
        run: Run,
        /// The name of an element of the array in the body.
        element: Pattern,
        /// The array.
        over: Rc<Read>,
        /// Writes one element of the result.
        body: Rc<Write>,
    },
    /// The running value is kept in the destination, or written there at the end.
    Fold(Rc<Fold>),
    /// One array after the other.
    Concat(Vec<Rc<Write>>),
    /// Each array into its component of the elements.
    Zip(Vec<Rc<Write>>),
    /// Written at once to where the motion takes it: no memory is needed between.
    Moved(Motion, Rc<Write>),
    /// Asked to be kept: it is kept where it is written, whatever memory that is.
    Kept(Memory, Rc<Write>),
}

/// A function of the elements of an array, applied where they are read, or a loop if the result is written.
#[derive(Clone, Debug)]
pub struct Map {
    /// How the iterations run, if it becomes a loop.
    pub run: Run,
    /// The name of an element in the body.
    pub element: Pattern,
    /// The element of the result.
    pub body: Rc<Read>,
    /// The array.
    pub over: Rc<Read>,
}

/// How the iterations of a map run where it is a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// The program does not say: one after the other, unless placement decides otherwise.
    Open,
    /// One after the other, or by the work-items of a level.
    As(Parallel),
    /// Unrolled: a copy of the body for every iteration.
    Unrolled,
}

/// A running value, and what it becomes at each step.
#[derive(Debug)]
pub struct Fold {
    /// The first running value.
    pub start: Rc<Write>,
    /// The name of the running value in the step.
    pub running: Pattern,
    /// The next running value.
    pub step: Rc<Write>,
    /// How many steps there are, and what each is given.
    pub over: Over,
}

/// The sequence that a fold goes over.
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
    /// The kind of memory.
    pub space: Space,
    /// How many elements rows are further apart than they are long: padding against bank conflicts.
    pub pitch: Nat,
    /// Did the elements ask for this memory, and not the array as a whole?
    pub by_element: bool,
    /// Does the program ask for this memory? Then private memory is meant to be registers.
    pub asked: bool,
}

/// An index map with the sizes of its primitive.
#[derive(Clone)]
pub struct Indexed {
    /// The primitive whose index map it is.
    pub primitive: Primitive,
    /// The index map, and its inverse where there is one.
    pub layout: &'static Layout,
    /// The sizes that it was given.
    pub sizes: Vec<Nat>,
    /// All sizes of its signature.
    pub bindings: Bindings,
}

/// The elements of an array that are fetched ahead.
#[derive(Debug)]
pub struct Fetched {
    /// The function that computes an element, if it is more than an element of the array: its parameter and body.
    pub function: Option<(Pattern, Rc<Write>)>,
    /// The array that elements are fetched from.
    pub of: Rc<Read>,
}

/// How a primitive that moves data changes the place of its operand, given the place of the result.
#[derive(Clone, Debug)]
pub enum Motion {
    /// To the index that the inverse of the map gives.
    Layout(Indexed),
    /// The operand of `repeat(1, x)`: into the only element.
    Single,
    /// The operand of `unzip`: component by component into a tuple of this many arrays.
    Unzip(usize),
    /// The operand of `asScalar`: vectors of this width, each over neighbouring scalars.
    AsScalar(Nat),
    /// The operand of `asVector`: scalars, each into a lane.
    AsVector(Nat),
    /// In every element, the outermost motion first.
    Each(Rc<[Motion]>),
}

impl Run {
    /// Does one work-item run all iterations, as far as the program says?
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
    /// The operands of this node, without the results of functions.
    pub fn operands(&self) -> SmallVec<[&Rc<Read>; 3]> {
        match &self.kind {
            Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Generate(..) => smallvec![],
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
            | Reading::Peeled(e)
            | Reading::Ahead(Fetched { of: e, .. })
            | Reading::Map(Map { over: e, .. }) => smallvec![e],
            Reading::Let(_, value, body) => smallvec![value, body],
            Reading::If(condition, then, otherwise) => smallvec![condition, then, otherwise],
            Reading::Pad { fill, inner, .. } => smallvec![fill, inner],
            Reading::Dot(a, b) => smallvec![a, b],
            Reading::Kept(_, value) => smallvec![&value.read],
            Reading::Fold(fold) => match &fold.over {
                Over::Elements { of, .. } | Over::Prefixes { of, .. } => smallvec![&fold.start.read, of],
                Over::Times(_) => smallvec![&fold.start.read],
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
            | Reading::Rotated(_)
            | Reading::Peeled(_) => None,
        }
    }

    /// The same value, computed in another way.
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
            Reading::Peeled(e) => Reading::Peeled(f(e)),
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

    /// Are elements written that rows share, each time with the same value?
    pub fn writes_twice(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| {
            found |= matches!(&e.kind, Reading::Layout(indexed, _) if indexed.layout.overlaps)
        });
        found
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

    /// The memory that the value, or each of its elements, is to be kept in.
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

    /// The windows that are to be kept in registers.
    pub fn rotated(&self) -> Option<&Read> {
        match &self.kind {
            Reading::Rotated(windows) => Some(windows),
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

/// Does it contain an array, so that keeping it takes memory and loops?
pub fn holds_arrays(ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Tuple(parts) => parts.iter().any(holds_arrays),
        Type::Scalar(_) | Type::Index | Type::Vector(..) | Type::Hole(_) => false,
    }
}
