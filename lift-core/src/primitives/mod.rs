//! The primitives: one table, each entry with its documentation, its type, what it demands, its
//! meaning and how the code generator reads and writes through it.
//!
//! Names and argument order follow the LIFT papers (GPGPU'20 §3.1, CC'22 §3.2). The n-dimensional
//! forms (`map2D`, `slide2D`, …) are no primitives: [`nd`] expands them into these.

pub mod builder;
mod compute;
mod form;
mod layout;
pub mod meaning;
pub mod nd;
mod pad;
mod placed;
pub mod reference;
pub mod signature;
mod tuple;
pub mod vector;

use crate::datum::{Datum, Failure};
pub use crate::hierarchy::Level;
use crate::nat::Nat;
pub use form::{Applied, Execution, Expansion, Form, IndexMap, Layout, Loop, Use};
use meaning::Operands;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use signature::Signature;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

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
pub struct Bindings(pub FxHashMap<Arc<str>, Nat>);

impl std::ops::Index<&str> for Bindings {
    type Output = Nat;
    /// Every variable of the signature is bound once its use has been checked.
    fn index(&self, name: &str) -> &Nat {
        &self.0[name]
    }
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

/// The types of primitives with a fixed number of operands, and those of them that have another type for arrays.
static PARSED: LazyLock<FxHashMap<&'static str, (Signature, Option<Signature>)>> = LazyLock::new(|| {
    let parsed = |p: Primitive| {
        let parse = |text| Signature::parse(text, p.requires);
        match p.typing {
            Typing::One(text) => Some((p.name, (parse(text), None))),
            Typing::Either(text, of_arrays) => Some((p.name, (parse(text), Some(parse(of_arrays))))),
            Typing::Many(_) => None,
        }
    };
    all().filter_map(parsed).collect()
});

/// The types of primitives of any number of operands, for as many as nearly all have.
static OF_FEW: LazyLock<FxHashMap<(&'static str, usize), Signature>> = LazyLock::new(|| {
    let of_few = |p: Primitive| {
        let parsed = move |operands| Some(((p.name, operands), p.parsed_for(operands)?));
        (LEAST..=FEW).filter_map(parsed)
    };
    all().flat_map(of_few).collect()
});

/// What takes any number of operands takes so many at least, and seldom more than so many.
const LEAST: usize = 2;
const FEW: usize = 8;

impl Primitive {
    /// The primitive of this name.
    pub fn named(name: &str) -> Option<Primitive> {
        all().find(|p| p.name == name)
    }

    /// The primitive of a name that the compiler writes itself.
    ///
    /// # Panics
    /// If it is not in the table, which is a mistake in the compiler.
    pub fn known(name: &str) -> Primitive {
        Primitive::named(name).unwrap_or_else(|| unreachable!("`{name}` is in the table of primitives"))
    }

    /// Its entry in the table.
    pub fn definition(self) -> &'static Definition {
        self.0
    }

    /// Its type for this many operands.
    pub fn signature(self, operands: usize) -> Cow<'static, Signature> {
        let operands = operands.max(LEAST);
        match OF_FEW.get(&(self.name, operands)) {
            Some(signature) => Cow::Borrowed(signature),
            None => self.parsed_for(operands).map_or_else(|| Cow::Borrowed(&PARSED[self.name].0), Cow::Owned),
        }
    }

    /// The same of what takes any number, parsed anew.
    fn parsed_for(self, operands: usize) -> Option<Signature> {
        match self.typing {
            Typing::One(_) | Typing::Either(..) => None,
            Typing::Many(text) => Some(Signature::parse(&text(operands), self.requires)),
        }
    }

    /// Its type for arrays, where it has one for vectors too.
    pub fn signature_of_arrays(self) -> Option<&'static Signature> {
        PARSED.get(self.name).and_then(|(_, of_arrays)| of_arrays.as_ref())
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
