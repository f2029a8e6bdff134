//! Answers of far memory that a work-item waits for, one after the other. A GPU has other work-items to go on with meanwhile, if there
//! are enough of them; each still takes as long as its longest chain.

use super::estimate::{Around, Counter};
use crate::kernel::{Array, Parallel, Space, Stmt};
use crate::nat::{Nat, Var};

/// Iterations of loops that compilers write out, those of loops in each other multiplied: what is loaded in these is asked for at the
/// same time.
const WRITTEN_OUT: f64 = 16.0;

/// What a block waits for.
#[derive(Default)]
struct Waits<'a> {
    /// What is loaded from global memory in each iteration of the loop around the block, or in ones that are written out in it.
    loaded: Vec<(&'a Array, &'a Nat)>,
    /// Answers that loops in it wait for.
    in_loops: f64,
    /// Iterations of the loops in it that are written out, multiplied.
    written_out: f64,
    /// Is there a barrier in it? What is loaded between barriers is asked for at the same time, and that time is that of barriers.
    barrier: bool,
}

impl Counter<'_> {
    /// Answers that a work-item waits for.
    pub(super) fn answers(&mut self, body: &[Stmt]) -> f64 {
        let waits = self.waits(body);
        let at_once = if waits.loaded.is_empty() { 0.0 } else { 1.0 };
        waits.in_loops + at_once
    }

    fn waits<'b>(&mut self, body: &'b [Stmt]) -> Waits<'b> {
        let mut waits = Waits { written_out: 1.0, ..Waits::default() };
        for stmt in body {
            for e in stmt.exprs() {
                e.loads(&mut |array, index, _| {
                    if array.space == Space::Global {
                        waits.loaded.push((array, index));
                    }
                });
            }
            let inner = match stmt {
                Stmt::Loop { var, extent, parallel, body } => {
                    let trips = self.trips(extent);
                    let around = Around::of(var.clone(), trips, *parallel);
                    self.around.push(around);
                    let inner = self.waits(body);
                    self.around.pop();
                    match parallel {
                        Parallel::Sequential => self.of_loop(var, trips, inner),
                        Parallel::Global(_) | Parallel::Local(_) | Parallel::Group(_) => inner,
                    }
                }
                Stmt::If(_, then, otherwise) => self.waits(then).and(self.waits(otherwise)),
                Stmt::Barrier(_) => Waits { barrier: true, ..Waits::default() },
                Stmt::Comment(_)
                | Stmt::Array(..)
                | Stmt::Declare { .. }
                | Stmt::Assign(..)
                | Stmt::Store(..) => Waits::default(),
            };
            waits = waits.and(inner);
        }
        waits
    }

    fn of_loop<'b>(&self, var: &Var, trips: f64, body: Waits<'b>) -> Waits<'b> {
        if body.barrier {
            return Waits { barrier: true, ..Waits::default() };
        }
        let written_out = trips * body.written_out.max(1.0);
        if written_out <= WRITTEN_OUT && body.in_loops == 0.0 {
            return Waits { written_out, ..body };
        }
        // What lies in the line of the one before is there already.
        let of_line = |(array, index): &(&Array, &Nat)| {
            let element = array.scalar.bytes() as f64 * f64::from(array.width);
            let step = index.slope(var, &|v| self.size(v));
            step.map_or(1.0, |step| (step.unsigned_abs() as f64 * element / self.line() as f64).min(1.0))
        };
        let each = body.loaded.iter().map(of_line).fold(0.0, f64::max);
        Waits { in_loops: trips * (each + body.in_loops), ..Waits::default() }
    }
}

impl<'a> Waits<'a> {
    fn and(mut self, other: Waits<'a>) -> Waits<'a> {
        self.loaded.extend(other.loaded);
        Waits {
            loaded: self.loaded,
            in_loops: self.in_loops + other.in_loops,
            written_out: self.written_out.max(other.written_out),
            barrier: self.barrier | other.barrier,
        }
    }
}
