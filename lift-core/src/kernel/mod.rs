//! The imperative kernel tree: what the code generator delivers and the printers read.
//!
//! A tree says nothing of OpenCL or C. Indices are symbolic ([`Nat`]), so that a printer can name
//! sizes as the user did, and so that every later check of an index is a question to the prover.

pub mod c;
mod count;
mod extents;
mod memory;
mod names;
pub mod opencl;
mod plan;
mod report;
mod text;
mod tree;
mod walk;

use crate::nat::{Condition, Nat, Var};
use crate::scalar::{Op, Value};
use crate::types::Scalar;
use std::sync::Arc;

pub use count::Work;
pub use memory::{Memory, Purpose, Slot};
pub use names::{Entity, Names, word};
pub use plan::{Buffer, BufferId, Launch, Plan, Role};
pub use report::Report;

/// A scalar variable of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// What the user would call it; printers make it unique.
    pub name: Arc<str>,
    pub index: u32,
    pub scalar: Scalar,
    /// How many scalars it holds: 1, or a vector of so many.
    pub width: u8,
}

/// Where an array lives (OpenCL 1.2 §3.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    Global,
    Local,
    Private,
    /// Registers that the work-items of a group share out: part of an array for each.
    Items,
    /// Never written, its contents known: printed once, outside the kernel.
    Constant,
}

/// An array of scalars that a kernel reads or writes: a parameter or one of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Array {
    pub name: Arc<str>,
    pub index: u32,
    pub scalar: Scalar,
    /// Scalars in an element: 1, or a vector of so many. Buffers hold scalars.
    pub width: u8,
    pub space: Space,
    /// Number of elements.
    pub length: Nat,
    /// Is it meant to be registers? Then loops are written out if so its elements can be variables.
    pub registers: bool,
}

/// A scalar, or a vector of scalars, without side effects.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Literal(Value),
    Local(Local),
    /// A scalar parameter of the program, passed by value: the caller's n-th.
    Parameter {
        name: Arc<str>,
        scalar: Scalar,
        position: usize,
    },
    /// A size or index as a number of the given type.
    Index(Nat, Scalar),
    /// A condition on sizes and indices.
    Test(Condition),
    /// So many scalars from an element on: an element, or a vector of neighbours.
    Load(Arc<Array>, Nat, u8),
    /// Operands of one scalar type and one width.
    Op(Op, Scalar, Vec<Expr>),
    Cast(Scalar, Scalar, Box<Expr>),
    /// A vector, its elements all this scalar.
    Splat(Box<Expr>, u8),
    /// A vector of these scalars.
    Lanes(Vec<Expr>),
    /// One element of a vector.
    Lane(Box<Expr>, u8),
    /// Only the chosen branch is evaluated: a load there may be out of bounds otherwise.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub fn scalar(&self) -> Scalar {
        match self {
            Expr::Literal(v) => v.scalar(),
            Expr::Local(l) => l.scalar,
            Expr::Parameter { scalar, .. } | Expr::Index(_, scalar) => *scalar,
            Expr::Test(_) => Scalar::Bool,
            Expr::Load(array, ..) => array.scalar,
            Expr::Op(op, s, _) => op.result(*s),
            Expr::Cast(_, to, _) => *to,
            Expr::Splat(a, _) | Expr::Lane(a, _) | Expr::Select(_, a, _) => a.scalar(),
            Expr::Lanes(parts) => parts.first().map_or(Scalar::F32, Expr::scalar),
        }
    }

    /// How many scalars it is.
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

    /// The same in every lane of so many.
    pub(crate) fn splat(self, width: u8) -> Expr {
        if self.width() == width { self } else { Expr::Splat(self.into(), width) }
    }
}

/// How the iterations of a loop are carried out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Parallel {
    /// One after the other, in one work-item.
    Sequential,
    /// Over the global work-items of a dimension.
    Global(u8),
    /// Over the work-groups of a dimension.
    Group(u8),
    /// Over the work-items of a group, in a dimension.
    Local(u8),
}

/// How a variable changes after its declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Never,
    Freely,
    /// It is the running value of a reduction: where that is a sum or a product, its terms may be taken in any
    /// order.
    Reduction,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Comment(String),
    /// A scalar variable with its first value.
    Declare {
        local: Local,
        value: Expr,
        change: Change,
    },
    Assign(Local, Expr),
    /// An array of this kernel; constant arrays carry their values.
    Array(Arc<Array>, Vec<Value>),
    /// A value, from an element on.
    Store(Arc<Array>, Nat, Expr),
    /// Work-items of a group wait for each other here, for this reason.
    Barrier(String),
    /// `for var in 0..extent`
    Loop {
        var: Var,
        extent: Nat,
        parallel: Parallel,
        body: Vec<Stmt>,
    },
    If(Expr, Vec<Stmt>, Vec<Stmt>),
}

/// One kernel: parameters, the work-items it wants, and what each does.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    pub name: String,
    /// The global arrays it is given, those that it writes last.
    pub arrays: Vec<(Arc<Array>, Access)>,
    /// Scalars passed by value, after the arrays.
    pub scalars: Vec<(Arc<str>, Scalar)>,
    /// Work-items in dimensions 0 to 2, or work-groups where their size is given.
    pub grid: [Nat; 3],
    /// Work-items of a group.
    pub group: Option<[usize; 3]>,
    /// What a group does, work-item by work-item between barriers.
    pub body: Vec<Stmt>,
    /// What one of its work-items does, where that is written differently: with its own part of
    /// what they share out.
    pub item: Option<Vec<Stmt>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}
