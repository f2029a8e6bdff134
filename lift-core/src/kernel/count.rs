//! The operations, bytes and memory of a kernel, counted exactly from its tree, for users.
//!
//! [`crate::cost`] counts too, but estimates what a device makes of the tree, in order to guess a time: a load
//! that iterations share counts once, a multiplication with its addition is one instruction, vectors are as
//! wide as the device's, and neighbouring work-items are served together. A user is told none of that, and no
//! guesses, as for a loop of unknown length.

use super::{Array, Expr, Kernel, Module, Parallel, Space, Stmt};
use crate::nat::{Facts, Nat};
use crate::scalar::Op;

/// The work of one launch of a kernel. Of two computations that a condition decides between, the larger one
/// counts; if the length of a loop depends on another loop, its greatest length.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Operations on floats; a multiplication and addition in one are two.
    pub flops: u128,
    /// Bytes that are loaded from and stored to global memory, caches or not.
    pub global_bytes: u128,
    /// Bytes that are loaded from and stored to local memory.
    pub local_bytes: u128,
}

impl Kernel {
    /// The work of one launch, at the module's sizes.
    pub fn work(&self, module: &Module) -> Work {
        let facts = facts(module);
        let apart = match self.group {
            Some(_) => [1; 3],
            None => [0, 1, 2].map(|d| most(&self.grid[d], &facts)),
        };
        block(&self.body, apart, &facts)
    }

    /// Bytes of local memory that a work-group needs.
    pub fn local_bytes(&self, module: &Module) -> usize {
        arrays(&self.body, Space::Local, module)
    }

    /// Bytes of the arrays that a work-item has for itself.
    pub fn array_bytes(&self, module: &Module) -> usize {
        arrays(self.item.as_ref().unwrap_or(&self.body), Space::Private, module)
    }

    /// The most bytes that a work-item keeps for itself at one place: an estimate of its registers.
    pub fn private_bytes(&self, module: &Module) -> usize {
        private(self.item.as_ref().unwrap_or(&self.body), module)
    }
}

fn facts(module: &Module) -> Facts {
    let mut facts = Facts::new();
    for (var, value) in &module.sizes {
        facts.fix(var, *value);
    }
    facts
}

fn array_bytes(array: &Array, module: &Module) -> usize {
    let elements = module.value(&array.length).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    elements * usize::from(array.width) * array.scalar.bytes()
}

fn arrays(body: &[Stmt], space: Space, module: &Module) -> usize {
    let mut bytes = 0;
    let mut add = |stmt: &Stmt| {
        if let Stmt::Array(array, _) = stmt
            && array.space == space
        {
            bytes += array_bytes(array, module);
        }
    };
    body.iter().for_each(|stmt| stmt.visit(&mut add));
    bytes
}

fn private(body: &[Stmt], module: &Module) -> usize {
    let (mut here, mut inside) = (0, 0);
    for stmt in body {
        here += match stmt {
            Stmt::Declare { local, .. } => usize::from(local.width) * local.scalar.bytes(),
            Stmt::Array(array, _) if matches!(array.space, Space::Private | Space::Items) => {
                array_bytes(array, module)
            }
            _ => 0,
        };
        let blocks = stmt.blocks().into_iter().map(|b| private(b, module));
        inside = inside.max(blocks.max().unwrap_or(0));
    }
    here + inside
}

impl Work {
    fn and(self, other: Work) -> Work {
        self.zip(other, u128::saturating_add)
    }

    fn or(self, other: Work) -> Work {
        self.zip(other, u128::max)
    }

    fn times(self, n: u128) -> Work {
        self.zip(Work { flops: n, global_bytes: n, local_bytes: n }, u128::saturating_mul)
    }

    fn zip(self, other: Work, f: fn(u128, u128) -> u128) -> Work {
        Work {
            flops: f(self.flops, other.flops),
            global_bytes: f(self.global_bytes, other.global_bytes),
            local_bytes: f(self.local_bytes, other.local_bytes),
        }
    }

    fn moved(array: &Array, width: u8) -> Work {
        let bytes = u128::from(width) * array.scalar.bytes() as u128;
        match array.space {
            Space::Global => Work { global_bytes: bytes, ..Work::default() },
            Space::Local => Work { local_bytes: bytes, ..Work::default() },
            Space::Private | Space::Items | Space::Constant => Work::default(),
        }
    }
}

/// The work-items of a launch in each dimension that no loop around the current place goes over: what stands before such a loop
/// each of them does.
type Apart = [u128; 3];

fn block(body: &[Stmt], apart: Apart, facts: &Facts) -> Work {
    body.iter().map(|stmt| statement(stmt, apart, facts)).fold(Work::default(), Work::and)
}

fn statement(stmt: &Stmt, apart: Apart, facts: &Facts) -> Work {
    if apart != [1; 3] && !stmt.is_over_items() {
        return statement(stmt, [1; 3], facts).times(apart.into_iter().fold(1, u128::saturating_mul));
    }
    let own = stmt.expr().map(expression).unwrap_or_default();
    match stmt {
        Stmt::Store(array, _, value) => own.and(Work::moved(array, value.width())),
        Stmt::Loop { var, extent, parallel, body } => {
            let mut inside = facts.clone();
            inside.range(var, &Nat::constant(0), extent);
            let trips = most(extent, facts);
            let mut apart = apart;
            if let Parallel::Global(d) = parallel {
                apart[usize::from(*d)] = 1;
            }
            block(body, apart, &inside).times(trips)
        }
        Stmt::If(_, then, otherwise) => own.and(block(then, apart, facts).or(block(otherwise, apart, facts))),
        _ => own,
    }
}

fn most(n: &Nat, facts: &Facts) -> u128 {
    facts.bounds(n).1.map_or(0, |n| n.max(0) as u128)
}

fn expression(e: &Expr) -> Work {
    let inside = || e.children().into_iter().map(expression).fold(Work::default(), Work::and);
    match e {
        Expr::Load(array, _, width) => Work::moved(array, *width),
        Expr::Select(condition, a, b) => expression(condition).and(expression(a).or(expression(b))),
        Expr::Op(op, scalar, _) if scalar.is_float() => {
            let each = match op {
                Op::Fma => 2,
                Op::Neg | Op::Abs => 0,
                op if op.compares() => 0,
                _ => 1,
            };
            inside().and(Work { flops: each * u128::from(e.width()), ..Work::default() })
        }
        _ => inside(),
    }
}
