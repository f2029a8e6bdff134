//! Passes over the finished statements of a kernel, before they are printed.
//! `crate::pipeline::PASSES` lists them in order.

mod barriers;
mod clamped;
mod halves;
pub(super) mod items;
mod padding;
mod piecewise;
mod reciprocals;
mod registers;
mod settled;
mod soon;
mod strided;
mod transposed;
mod unroll;

use super::Result;
use super::zeros::Zeros;
use crate::kernel::{ArrayId, Stmt};
use crate::nat::{Facts, Nat, Var};
pub use barriers::Written;
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
pub use unroll::MOST_REGISTERS;

/// A transformation of one kernel's statements.
pub struct Pass {
    /// Its name in lists of passes.
    pub name: &'static str,
    /// Why it is run.
    pub why: &'static str,
    pub(super) run: fn(Vec<Stmt>, &Known) -> Result<Vec<Stmt>>,
}

/// Facts about a kernel that its statements do not show.
pub(super) struct Known<'a> {
    /// The work-items of a group in each dimension, if there are groups.
    pub group: Option<[usize; 3]>,
    /// Which loops write each element of an array once: see [`barriers`].
    pub written: &'a Written,
    /// Loops that are to be written out.
    pub unrolled: &'a BTreeSet<Var>,
    /// The values of sizes.
    pub value: &'a dyn Fn(&Nat) -> Option<usize>,
    /// Where padding made zeros of elements of arrays that other kernels write.
    pub zeros: &'a HashMap<ArrayId, Zeros>,
    /// What is known of the sizes.
    pub facts: &'a Facts,
    /// Bytes of the vectors that a work-item of a processor computes with; `None` on a GPU.
    pub vector: Option<usize>,
    /// Do floats keep their order?
    pub strict: bool,
    /// A number above that of all variables.
    pub fresh: &'a Cell<u32>,
}

/// Barriers are the first pass: they are placed by what a work-item reads and writes, loop by loop.
pub static BARRIERS: Pass = Pass {
    name: "barriers",
    why: "the work-items of a group wait where one reads what another wrote, or overwrites what another reads",
    run: |mut body, known| {
        let exact = |length: &Nat, d: u8| {
            known.group.is_some_and(|group| (known.value)(length) == Some(group[usize::from(d)]))
        };
        // A work-item that is alone in its group waits for nobody.
        if known.group != Some([1; 3]) {
            barriers::insert(&mut body, known.written, &exact)?;
        }
        Ok(body)
    },
};

/// After [`BARRIERS`], since all work-items of a group must come to these, and before loops are written out or reordered.
pub static PADDING: Pass = Pass {
    name: "padding",
    why: "terms of sums in which padding is a factor are zeros: a loop that adds nothing else is skipped",
    run: |body, known| match known.strict {
        true => Ok(body),
        false => Ok(padding::skipped(&body, known.zeros, known.facts, known.value)),
    },
};

/// Before [`TRANSPOSED`], which knows no clamped indices.
pub static CLAMPED: Pass = Pass {
    name: "clamped",
    why: "few tiles extend beyond their array: where a copy of one does not, its indices need not be clamped, and processors copy \
          neighbours as vectors",
    run: |body, known| match known.vector {
        Some(_) => Ok(clamped::tested(&body, known.facts)),
        None => Ok(body),
    },
};

/// Before [`UNROLL`], after which the loops are gone.
pub static TRANSPOSED: Pass = Pass {
    name: "transposed",
    why: "a vector whose lanes are far apart in memory is put together lane by lane: where the next iterations of a loop want \
          what is beside these, vectors are loaded as they lie and turned in registers",
    run: |body, known| {
        let mut fresh = known.fresh.get();
        let body = transposed::in_registers(&body, known.value, known.vector, &mut fresh);
        known.fresh.set(fresh);
        Ok(body)
    },
};

/// Before [`UNROLL`], after which many divisions stand in no loop any more.
pub static RECIPROCALS: Pass = Pass {
    name: "reciprocals",
    why: "a division takes as long as many multiplications: where a loop divides by the same number every time, it multiplies by \
          the reciprocal",
    run: |body, known| {
        if known.strict {
            return Ok(body);
        }
        let mut fresh = known.fresh.get();
        let body = reciprocals::before_loops(&body, &mut fresh);
        known.fresh.set(fresh);
        Ok(body)
    },
};

/// Before [`REGISTERS`], whose arrays it prepares, and after barriers, which it copies.
pub static UNROLL: Pass = Pass {
    name: "unroll",
    why: "an array whose indices are all constants can be held in registers: loops over small private arrays are unrolled, those \
          that the program asks for, and for GPUs those that add up small windows",
    run: |body, known| {
        let mut fresh = known.fresh.get();
        let body = unroll::loops(body, known.unrolled, known.vector.is_none(), known.value, &mut fresh);
        known.fresh.set(fresh);
        Ok(body)
    },
};

/// After [`UNROLL`], which makes numbers of loops' indices, and before passes that want to know what lies side by side.
pub static SETTLED: Pass = Pass {
    name: "settled",
    why: "where a test has told the last tile of a row from the others, its clamps and tests have one outcome",
    run: |body, known| Ok(settled::by_tests(&body, known.facts)),
};

/// After [`UNROLL`] and [`REGISTERS`], which make the lanes of vectors of what was an array.
pub static HALVES: Pass = Pass {
    name: "halves",
    why: "a running value that takes the lanes of a vector one by one waits for each: halves of vectors are put together first",
    run: |body, known| {
        let mut fresh = known.fresh.get();
        let body = halves::put_together(body, known.strict, &mut fresh);
        known.fresh.set(fresh);
        Ok(body)
    },
};

/// All passes before it see arrays where it makes variables.
pub static REGISTERS: Pass = Pass {
    name: "registers",
    why: "compilers keep variables in registers, and arrays only where they find that all indices are constants",
    run: |body, known| Ok(registers::promote(body, known.value)),
};

/// After [`REGISTERS`], which needs every access to an array one by one.
pub static STRIDED: Pass = Pass {
    name: "strided",
    why: "a vector of every second element is put together lane by lane: two vectors are loaded as they lie, and the lanes picked \
          from them",
    run: |body, known| {
        let mut fresh = known.fresh.get();
        let body = strided::in_two(&body, known.value, &mut fresh);
        known.fresh.set(fresh);
        Ok(body)
    },
};

/// After the passes that look at what is copied by itself, and before [`SOON`], which adds statements that compute nothing.
pub static PIECEWISE: Pass = Pass {
    name: "piecewise",
    why: "a processor that copies waits for memory, and one that multiplies does not ask for it: what several tiles are multiplied with \
          is copied in the loop of the first of them, piece by piece",
    run: |body, known| match known.vector {
        Some(_) => Ok(piecewise::copies(&body, known.facts, known.value)),
        None => Ok(body),
    },
};

/// The last, since it adds statements that compute nothing.
pub static SOON: Pass = Pass {
    name: "soon",
    why: "a processor fetches what follows in memory ahead of time, but not from a row to the next: where a work-item goes over its row \
          several times, it asks meanwhile for what comes after",
    run: |body, known| match known.vector {
        Some(_) => Ok(soon::asked_for(&body, known.value)),
        None => Ok(body),
    },
};
