//! The imperative kernel tree: what the code generator delivers and the printers read.
//!
//! A tree says nothing of OpenCL or C. Indices are symbolic ([`Nat`]), so that a printer can name
//! sizes as the user did, and so that every later check of an index is a question to the prover.

pub mod c;
mod copies;
mod count;
mod extents;
mod groups;
mod memory;
mod names;
pub mod opencl;
mod plan;
mod report;
mod text;
mod tree;
mod unswitch;
mod vector_math;
mod walk;

use crate::nat::{Condition, Nat, Var};
use crate::scalar::{Op, Value};
use crate::types::Scalar;
use std::sync::Arc;

pub use crate::hierarchy::{Parallel, Space};
pub use count::Work;
pub(crate) use groups::started;
pub use memory::{ALIGNED, Location, Memory, Purpose, Slot};
pub use names::{Entity, Names, word};
pub use plan::{Buffer, BufferId, Launch, Module, Plan, Role, Rows};
pub use report::Report;

/// A scalar variable of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// What the user would call it; printers make it unique.
    pub name: Arc<str>,
    /// Tells the variables of a kernel apart: names may repeat.
    pub id: LocalId,
    /// The type of each scalar.
    pub scalar: Scalar,
    /// The number of lanes: 1 for a scalar.
    pub width: u8,
}

/// Identifies a variable of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum LocalId {
    /// One that the generator made, by number.
    Own(u32),
    /// An element of an array that became registers: the array, and the index.
    Element(ArrayId, u32),
}

/// Identifies an array of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ArrayId {
    /// One of the plan's buffers.
    Buffer(BufferId),
    /// An array that a kernel declares, or a constant one, by number.
    Own(u32),
}

/// An array of scalars that a kernel reads or writes: a parameter or one of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Array {
    /// What the user would call it; printers make it unique.
    pub name: Arc<str>,
    /// Tells arrays apart: names may repeat.
    pub id: ArrayId,
    /// The type of each scalar.
    pub scalar: Scalar,
    /// Lanes of an element: 1, or the width of a vector. Buffers hold scalars.
    pub width: u8,
    /// Where it lives.
    pub space: Space,
    /// Number of elements.
    pub length: Nat,
    /// Is it meant to be registers? Then loops over it are unrolled where that turns its elements into variables.
    pub registers: bool,
}

/// A scalar, or a vector of scalars, without side effects.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number.
    Literal(Value),
    /// A variable that was declared before.
    Local(Local),
    /// A scalar parameter of the program, passed by value: the caller's n-th.
    Parameter {
        /// Its name in the program.
        name: Arc<str>,
        /// Its type.
        scalar: Scalar,
        /// Its position among the caller's arguments, arrays counted as well.
        position: usize,
    },
    /// A size or index as a number of the given type.
    Index(Nat, Scalar),
    /// A condition on sizes and indices.
    Test(Condition),
    /// A load of the given width from the element at an index on: one element, or neighbouring ones as a vector.
    Load(Arc<Array>, Nat, u8),
    /// Operands of one scalar type and one width.
    Op(Op, Scalar, Vec<Expr>),
    /// From the first type to the second, as Rust's `as`.
    Cast(Scalar, Scalar, Box<Expr>),
    /// The same scalar in every lane of a vector of this width.
    Splat(Box<Expr>, u8),
    /// A vector made of scalars, the first in lane 0.
    Lanes(Vec<Expr>),
    /// One lane of a vector.
    Lane(Box<Expr>, u8),
    /// Only the chosen branch is evaluated: a load there may be out of bounds otherwise. If the condition is a vector, a
    /// comparison of vectors, then both are, and each lane is chosen by its own.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The type of its scalar, or of each lane.
    pub fn scalar(&self) -> Scalar {
        match self {
            Expr::Literal(v) => v.scalar(),
            Expr::Local(l) => l.scalar,
            Expr::Parameter { scalar, .. } | Expr::Index(_, scalar) => *scalar,
            Expr::Test(_) => Scalar::Bool,
            Expr::Load(array, ..) => array.scalar,
            Expr::Op(op, s, _) if op.compares() && self.width() > 1 => mask(*s),
            Expr::Op(op, s, _) => op.result(*s),
            Expr::Cast(_, to, _) => *to,
            Expr::Splat(a, _) | Expr::Lane(a, _) | Expr::Select(_, a, _) => a.scalar(),
            Expr::Lanes(parts) => parts.first().map_or(Scalar::F32, Expr::scalar),
        }
    }

    /// The number of lanes: 1 for a scalar.
    pub fn width(&self) -> u8 {
        match self {
            Expr::Local(l) => l.width,
            Expr::Load(_, _, width) | Expr::Splat(_, width) => *width,
            Expr::Lanes(parts) => parts.len() as u8,
            Expr::Op(_, _, operands) => operands.iter().map(Expr::width).max().unwrap_or(1),
            Expr::Cast(_, _, a) | Expr::Select(_, a, _) => a.width(),
            _ => 1,
        }
    }

    /// The operands of `a * b + c`, on floats: what most devices do in one instruction.
    pub fn multiply_add(&self) -> Option<[&Expr; 3]> {
        let Expr::Op(Op::Add, scalar, operands) = self else { return None };
        match &operands[..] {
            [c, Expr::Op(Op::Mul, _, factors)] | [Expr::Op(Op::Mul, _, factors), c] if scalar.is_float() => {
                Some([&factors[0], &factors[1], c])
            }
            _ => None,
        }
    }

    /// The value as a vector of this width; a vector stays as it is.
    pub(crate) fn splat(self, width: u8) -> Expr {
        if self.width() == width { self } else { Expr::Splat(self.into(), width) }
    }

    /// One lane of a vector; a scalar is the same in every lane.
    pub fn lane(&self, k: u8) -> Expr {
        match self {
            _ if self.width() == 1 => self.clone(),
            Expr::Splat(inner, _) => (**inner).clone(),
            Expr::Lanes(parts) => parts[usize::from(k)].clone(),
            _ => Expr::Lane(self.clone().into(), k),
        }
    }

    /// Is it one lane of a vector that is in a variable?
    pub fn is_lane_of_variable(&self) -> bool {
        matches!(self, Expr::Lane(vector, _) if matches!(**vector, Expr::Local(_)))
    }
}

/// The type of the lanes of a comparison of vectors: integers as wide as what is compared, with all bits set or none.
pub fn mask(compared: Scalar) -> Scalar {
    match compared.bytes() {
        1 => Scalar::I8,
        2 => Scalar::I16,
        4 => Scalar::I32,
        _ => Scalar::I64,
    }
}

/// How a variable changes after its declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is `const` in the printed text.
    Never,
    /// It is assigned again.
    Freely,
    /// It is the running value of a reduction: where that is a sum or a product, its terms may be taken in any
    /// order.
    Reduction,
}

/// A statement. Statements of a block run in order; what they declare is visible in the rest of the block.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// A comment in the printed kernel.
    Comment(String),
    /// A scalar variable with its first value.
    Declare {
        /// The variable.
        local: Local,
        /// Its first value.
        value: Expr,
        /// Whether it is assigned later.
        change: Change,
    },
    /// A new value for a variable, of the same width.
    Assign(Local, Expr),
    /// Declares an array of this kernel; constant arrays carry their values, all others begin undefined.
    Array(Arc<Array>, Vec<Value>),
    /// Stores a value of any width into the elements from an index on.
    Store(Arc<Array>, Nat, Expr),
    /// An element that is read or written soon: its line of memory may come nearer meanwhile. Nothing changes by it.
    Soon(Arc<Array>, Nat),
    /// All work-items of the group wait for each other here. The reason goes into the text and the explanation.
    Barrier(String),
    /// `for var in 0..extent`
    Loop {
        /// The index, unique in the kernel.
        var: Var,
        /// The number of iterations.
        extent: Nat,
        /// Who runs them.
        parallel: Parallel,
        /// The statements of an iteration.
        body: Vec<Stmt>,
    },
    /// The first block where the condition holds, else the second.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
}

/// One kernel: parameters, the work-items it wants, and what each does.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// The program's name, followed by that of the array that it computes if that has one; unique in its plan.
    pub name: String,
    /// The global arrays that it is given, first those it only reads.
    pub arrays: Vec<(Arc<Array>, Access)>,
    /// Scalars passed by value, after the arrays.
    pub scalars: Vec<(Arc<str>, Scalar)>,
    /// Work-items in dimensions 0 to 2, or work-groups where their size is given.
    pub grid: [Nat; 3],
    /// Work-items of a group.
    pub group: Option<[usize; 3]>,
    /// The statements of a group, work-item by work-item between barriers.
    pub body: Vec<Stmt>,
    /// The statements of one of its work-items, where these differ: with its own part of the registers that are
    /// distributed over the group.
    pub item: Option<Vec<Stmt>>,
}

/// How a kernel uses one of its arrays. A device may keep what is only read in a faster cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It only loads from it.
    Read,
    /// It only stores into it.
    Write,
    /// It does both.
    ReadWrite,
}
