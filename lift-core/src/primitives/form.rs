//! Forms: how the compiler understands a primitive. Questions that several stages ask of a form are
//! answered here, by matches without a default arm: a new form has to answer them.

use super::Bindings;
use super::builder::Builder;
use crate::expr::{Argument, Expr};
use crate::hierarchy::{Level, Space};
use crate::nat::{Condition, Nat};
use crate::types::Type;

/// Maps the indices of an element, outer dimension first, to those of the element it comes from.
pub type IndexMap = fn(&Bindings, &[Nat]) -> Vec<Nat>;

/// Where the elements of a rearranged array are: element `i` of the result is element `read(i)` of the operand.
pub struct Layout {
    /// How many indices `read` takes. With none, it says which element is meant.
    pub arity: usize,
    /// The index map.
    pub read: IndexMap,
    /// The inverse: how many indices of the operand it takes, and which element of the result they are. Only for
    /// primitives that can be written through: every element of the operand has a place of its own in the result, but for
    /// those that `keeps` leaves out at the ends and for what `overlaps` says. Otherwise two work-items would write to one place.
    pub write: Option<(usize, IndexMap)>,
    /// Elements of rows that follow each other may have the same place in the result, where the last one stays: so one work-item
    /// writes all rows, in order.
    pub overlaps: bool,
    /// The lengths of nested loops that visit the elements in order with less arithmetic than
    /// one loop would.
    pub nest: Option<fn(&Bindings) -> [Nat; 2]>,
    /// The elements of the operand that are in the result, where those are not all: from here on,
    /// and before there. The others are written nowhere.
    pub keeps: Option<fn(&Bindings) -> [Nat; 2]>,
    /// When no element of the operand is in the result twice, if that is not always so. `None` also where it is so but for a
    /// few elements: what is read more than once may be worth keeping.
    pub once: Option<fn(&Bindings) -> Condition>,
}

/// A primitive applied, its type known.
pub struct Use<'a> {
    pub arguments: &'a [Argument],
    /// The sizes in its signature.
    pub sizes: &'a Bindings,
    pub result: &'a Type,
}

/// The expansion of a use of a primitive, in primitives that are not derived themselves. Each argument occurs in it at most
/// once, since no variable may be bound twice.
pub type Expansion = fn(&mut Builder, &Use) -> Expr;

/// How the code generator understands a primitive.
pub enum Form {
    /// Moves no data.
    Layout(Layout),
    /// A layout whose index map is the user's function.
    Reorder,
    /// A guarded layout: a constant stands where there is no element.
    Pad,
    /// Arrays one after the other.
    Concat,
    /// Arrays as one array of tuples.
    Zip,
    /// An array of tuples as a tuple of arrays.
    Unzip,
    /// A function of each element, placed by lowering or a schedule.
    Map,
    /// A running value over the elements, of which the last is the result.
    Reduce,
    /// A running value over the elements, all of which are the result.
    Scan,
    /// A function applied to its own result.
    Iterate,
    /// A function of each index.
    Generate,
    /// Copies of one value.
    Repeat,
    /// `map` whose iterations are spread over a level of OpenCL's hierarchy.
    Spread(Level),
    /// `map` in a loop of one work-item.
    MapSeq(Loop),
    /// `reduce` in a loop of one work-item.
    ReduceSeq(Loop),
    /// Computed once, and kept in memory of this space.
    Kept(Space),
    /// An array whose next element is prefetched while the current one is used.
    Ahead,
    /// Windows: the elements that one shares with the next stay in registers.
    Rotated,
    /// An array whose loop is peeled: iterations at its ends are separate from the others.
    Peeled,
    /// Neighbouring scalars as vectors.
    AsVector,
    /// The lanes of vectors as scalars.
    AsScalar,
    /// The sum of the products of two vectors' lanes, or of two arrays' elements.
    Dot,
    /// The operand, a vector of the stated width.
    Width,
    /// Replaced by its expansion when calls are inlined: the checker knows it, later stages do not.
    Derived(Expansion),
}

/// How a sequential loop is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loop {
    /// As a loop.
    Rolled,
    /// Unrolled: a copy of the body for every iteration.
    Unrolled,
}

/// What the function of a primitive is applied to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Applied {
    /// It has none, or one of indices alone: [`Form::Reorder`].
    Nothing,
    /// Each element of its array.
    Elements,
    /// A running value and each element, for the last running value.
    Reduction,
    /// The same, but every running value is an element of the result.
    Prefixes,
    /// The array itself, and then each result in turn.
    Whole,
    /// Each index of the result.
    Indices,
}

/// What a primitive says of how something is executed, besides what it computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Execution {
    /// Nothing: that is the compiler's to choose.
    Open,
    /// Its iterations are those of this level.
    Spread(Level),
    /// Its iterations are a loop of one work-item.
    Sequential(Loop),
    /// Its operand is kept in memory of this space.
    Kept(Space),
    /// The loop over its operand keeps elements in registers, ahead of their use or for the next iteration, or
    /// takes those at the ends apart.
    Registers,
}

impl Form {
    /// Does its result hold the elements of its operand, each where an index map says? Then a result can be written through it.
    pub fn is_written_through(&self) -> bool {
        match self {
            Form::Layout(layout) => layout.write.is_some(),
            Form::Unzip | Form::AsScalar => true,
            Form::Reorder
            | Form::Pad
            | Form::Concat
            | Form::Zip
            | Form::Map
            | Form::Reduce
            | Form::Scan
            | Form::Iterate
            | Form::Generate
            | Form::Repeat
            | Form::Spread(_)
            | Form::MapSeq(_)
            | Form::ReduceSeq(_)
            | Form::Kept(_)
            | Form::Ahead
            | Form::Rotated
            | Form::Peeled
            | Form::AsVector
            | Form::Dot
            | Form::Width
            | Form::Derived(_) => false,
        }
    }

    /// Is each element of its result one of its operand, or a vector of these? Where elements go is known both ways.
    pub fn only_moves(&self) -> bool {
        self.is_written_through() || matches!(self, Form::AsVector)
    }

    /// May an element of its operand be in its result more than once?
    pub fn repeats(&self) -> bool {
        match self {
            Form::Layout(layout) => layout.once.is_some(),
            Form::Repeat | Form::Reorder => true,
            Form::Pad
            | Form::Concat
            | Form::Zip
            | Form::Unzip
            | Form::Map
            | Form::Reduce
            | Form::Scan
            | Form::Iterate
            | Form::Generate
            | Form::Spread(_)
            | Form::MapSeq(_)
            | Form::ReduceSeq(_)
            | Form::Kept(_)
            | Form::Ahead
            | Form::Rotated
            | Form::Peeled
            | Form::AsVector
            | Form::AsScalar
            | Form::Dot
            | Form::Width
            | Form::Derived(_) => false,
        }
    }

    /// What its function is applied to.
    pub fn applied(&self) -> Applied {
        match self {
            Form::Map | Form::Spread(_) | Form::MapSeq(_) => Applied::Elements,
            Form::Reduce | Form::ReduceSeq(_) => Applied::Reduction,
            Form::Scan => Applied::Prefixes,
            Form::Iterate => Applied::Whole,
            Form::Generate => Applied::Indices,
            Form::Layout(_)
            | Form::Reorder
            | Form::Pad
            | Form::Concat
            | Form::Zip
            | Form::Unzip
            | Form::Repeat
            | Form::Kept(_)
            | Form::Ahead
            | Form::Rotated
            | Form::Peeled
            | Form::AsVector
            | Form::AsScalar
            | Form::Dot
            | Form::Width
            | Form::Derived(_) => Applied::Nothing,
        }
    }

    /// What it says of how it is executed.
    pub fn execution(&self) -> Execution {
        match self {
            Form::Spread(level) => Execution::Spread(*level),
            Form::MapSeq(rolled) | Form::ReduceSeq(rolled) => Execution::Sequential(*rolled),
            Form::Kept(space) => Execution::Kept(*space),
            Form::Ahead | Form::Rotated | Form::Peeled => Execution::Registers,
            Form::Layout(_)
            | Form::Reorder
            | Form::Pad
            | Form::Concat
            | Form::Zip
            | Form::Unzip
            | Form::Map
            | Form::Reduce
            | Form::Scan
            | Form::Iterate
            | Form::Generate
            | Form::Repeat
            | Form::AsVector
            | Form::AsScalar
            | Form::Dot
            | Form::Width
            | Form::Derived(_) => Execution::Open,
        }
    }
}
