//! The primitives: one table, each entry with its documentation, its type, what it demands, its
//! meaning and how the code generator reads and writes through it.
//!
//! Names and argument order follow the LIFT papers (GPGPU'20 §3.1, CC'22 §3.2). The n-dimensional
//! forms (`map2D`, `slide2D`, …) are no primitives: [`nd`] expands them into these.

mod compute;
mod layout;
pub mod nd;
mod pad;
mod placed;
pub mod reference;
pub mod signature;
mod tuple;
pub mod vector;

use crate::interpret::{Datum, Failure, Operands};
use crate::kernel::{Parallel, Space};
use crate::nat::{Condition, Nat};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use signature::Signature;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// The primitive that `xs[i]` is.
pub const AT: &str = "at";

/// Everything about one primitive.
pub struct Definition {
    /// Its name in the language.
    pub name: &'static str,
    /// First line: what it does. Then, if needed, what one should know.
    pub doc: &'static str,
    /// Operands and result, drawn.
    pub picture: &'static str,
    /// An expression, and its value as Rust writes it.
    pub example: (&'static str, &'static str),
    /// Its type, in one of the forms that types have.
    pub typing: Typing,
    /// What must hold of its sizes besides its type, each with the message for when it does not, which
    /// goes on after the primitive's name. A second line says what the elements do not make, and a
    /// third is another way out than a `where` clause.
    pub requires: &'static [(&'static str, &'static str)],
    /// The reference meaning, on plain values.
    pub meaning: fn(&Operands) -> Result<Datum, Failure>,
    /// How the code generator understands it.
    pub form: Form,
}

/// The type of a primitive, in the notation of [`signature`].
pub enum Typing {
    /// One signature.
    One(&'static str),
    /// For any number of operands.
    Many(fn(usize) -> String),
    /// For vectors, and for arrays.
    Either(&'static str, &'static str),
}

/// The values of a signature's size variables at one use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings(pub HashMap<String, Nat>);

impl std::ops::Index<&str> for Bindings {
    type Output = Nat;
    /// Every variable of the signature is bound once its use has been checked.
    fn index(&self, name: &str) -> &Nat {
        &self.0[name]
    }
}

/// Maps the indices of an element, outer dimension first, to those of the element it comes from.
pub type IndexMap = fn(&Bindings, &[Nat]) -> Vec<Nat>;

/// Where the elements of a rearranged array are: element `i` of the result is element `read(i)` of the operand.
pub struct Layout {
    /// How many indices `read` takes. With none, it says which element is meant.
    pub arity: usize,
    /// The index map.
    pub read: IndexMap,
    /// The inverse, for primitives that can be written through: how many indices of the
    /// operand it takes, and which element of the result they are.
    pub write: Option<(usize, IndexMap)>,
    /// The lengths of nested loops that visit the elements in order with less arithmetic than
    /// one loop would.
    pub nest: Option<fn(&Bindings) -> [Nat; 2]>,
    /// The elements of the operand that are in the result, where those are not all: from here on,
    /// and before there. The others are written nowhere.
    pub keeps: Option<fn(&Bindings) -> [Nat; 2]>,
    /// When no element of the operand is in the result twice, if that is not always so.
    pub once: Option<fn(&Bindings) -> Condition>,
}

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
    /// An array of whose elements the next is computed while one is used.
    Ahead,
    /// Windows, of which what one shares with the next stays in registers.
    Rotated,
    /// Neighbouring scalars as vectors.
    AsVector,
    /// The lanes of vectors as scalars.
    AsScalar,
    /// The sum of the products of two vectors' lanes, or of two arrays' elements.
    Dot,
    /// The operand, a vector of the stated width.
    Width,
}

/// Who iterates (GPGPU'20 §3.1.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    /// All work-items, whatever their group.
    Global,
    /// Work-groups.
    Group,
    /// The work-items of a group.
    Local,
}

impl Level {
    /// This level as the place of a kernel's loop, in a dimension from 0 to 2.
    pub fn parallel(self, dimension: u8) -> Parallel {
        match self {
            Level::Global => Parallel::Global(dimension),
            Level::Group => Parallel::Group(dimension),
            Level::Local => Parallel::Local(dimension),
        }
    }
}

/// How a sequential loop is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loop {
    /// As a loop.
    Rolled,
    /// Every iteration by itself.
    Unrolled,
}

/// What a program says, whatever the device.
static ALGORITHMIC: &[&[Definition]] = &[compute::TABLE, layout::TABLE, pad::TABLE, tuple::TABLE];

/// How OpenCL is to do it: written by experts, by lowering and by rules.
static OPENCL: &[&[Definition]] = &[placed::TABLE, vector::TABLE];

/// The algorithmic primitives, in the order of the table.
pub fn algorithmic() -> impl Iterator<Item = Primitive> {
    ALGORITHMIC.iter().flat_map(|table| table.iter()).map(Primitive)
}

/// The primitives of the OpenCL level, in the order of the table.
pub fn opencl() -> impl Iterator<Item = Primitive> {
    OPENCL.iter().flat_map(|table| table.iter()).map(Primitive)
}

/// All primitives.
pub fn all() -> impl Iterator<Item = Primitive> {
    algorithmic().chain(opencl())
}

/// A primitive: a pointer into the table.
#[derive(Clone, Copy)]
pub struct Primitive(&'static Definition);

impl Primitive {
    /// The primitive of this name.
    pub fn named(name: &str) -> Option<Primitive> {
        all().find(|p| p.name == name)
    }

    /// Its entry in the table.
    pub fn definition(self) -> &'static Definition {
        self.0
    }

    /// Its type for this many operands.
    pub fn signature(self, operands: usize) -> Signature {
        static PARSED: LazyLock<HashMap<&'static str, Signature>> = LazyLock::new(|| {
            all()
                .filter_map(|p| match p.typing {
                    Typing::One(text) | Typing::Either(text, _) => {
                        Some((p.name, Signature::parse(text, p.requires)))
                    }
                    Typing::Many(_) => None,
                })
                .collect()
        });
        match self.typing {
            Typing::One(_) | Typing::Either(..) => PARSED[self.name].clone(),
            Typing::Many(text) => Signature::parse(&text(operands.max(2)), self.requires),
        }
    }

    /// Its type for arrays, where it has one for vectors too.
    pub fn signature_of_arrays(self) -> Option<Signature> {
        match self.typing {
            Typing::Either(_, text) => Some(Signature::parse(text, self.requires)),
            _ => None,
        }
    }

    /// Does it take any number of operands?
    pub fn is_variadic(self) -> bool {
        matches!(self.typing, Typing::Many(_))
    }
}

impl std::ops::Deref for Primitive {
    type Target = Definition;
    fn deref(&self) -> &Definition {
        self.0
    }
}

impl PartialEq for Primitive {
    fn eq(&self, other: &Primitive) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Eq for Primitive {}

impl Serialize for Primitive {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Primitive {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let name = String::deserialize(d)?;
        Primitive::named(&name).ok_or_else(|| serde::de::Error::custom(format!("no primitive `{name}`")))
    }
}
