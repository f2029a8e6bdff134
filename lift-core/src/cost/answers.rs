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
    /// Iterations of the loops in it that are written out, of loops in each other multiplied; 0 if there are none.
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
        let mut waits = Waits::default();
        for stmt in body {
            if let Some(e) = stmt.expr() {
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
                | Stmt::Store(..)
                | Stmt::Soon(..) => Waits::default(),
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

#[cfg(test)]
mod tests {
    use super::Counter;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, Module, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::target::{Class, Description, Target};
    use crate::types::Scalar;
    use std::sync::Arc;

    fn index(number: u32) -> Var {
        Var::made(Maker::Comparison, "i", number)
    }

    /// `sum[0] = xs[place]`
    fn read(place: Nat, space: Space) -> Stmt {
        let array = |name: &str, id, space| {
            let (id, length, name) = (ArrayId::Own(id), Nat::from(1 << 20), name.into());
            Arc::new(Array { name, id, scalar: Scalar::F32, width: 1, space, length, registers: false })
        };
        let x = Expr::Load(array("xs", 2, space), place, 1);
        Stmt::Store(array("sum", 1, Space::Private), Nat::from(0), x)
    }

    fn looped(number: u32, extent: i64, body: Vec<Stmt>) -> Stmt {
        Stmt::Loop { var: index(number), extent: Nat::from(extent), parallel: Parallel::Sequential, body }
    }

    /// With lines of 128 bytes.
    fn answers(body: Stmt) -> f64 {
        let names = vec!["NVIDIA".into()];
        let target = Target::of(&Description { names, ..Description::unknown(Class::Gpu, 8) });
        let module = Module { strict: false, sizes: vec![], kernels: vec![] };
        let mut counter = Counter::new(&module);
        counter.target = Some(&target);
        counter.answers(&[body])
    }

    #[test]
    fn each_line_is_waited_for() {
        let at = |step: i64| read(Nat::var(&index(0)) * Nat::from(step), Space::Global);
        assert_eq!(answers(looped(0, 512, vec![at(100)])), 512.0);
        assert_eq!(answers(looped(0, 512, vec![at(1)])), 512.0 / 32.0);
        // Both at the same time.
        assert_eq!(answers(looped(0, 512, vec![at(1), at(100)])), 512.0);
        assert_eq!(answers(at(1)), 1.0);
        assert_eq!(answers(looped(0, 512, vec![read(Nat::from(0), Space::Local)])), 0.0);
    }

    #[test]
    fn what_is_written_out_is_asked_for_at_once() {
        let place = || Nat::var(&index(0)) * Nat::from(1000) + Nat::var(&index(1)) * Nat::from(100);
        let inner = |extent| looped(1, extent, vec![read(place(), Space::Global)]);
        assert_eq!(answers(looped(0, 64, vec![inner(3)])), 64.0);
        assert_eq!(answers(looped(0, 64, vec![inner(32)])), 64.0 * 32.0);
        assert_eq!(answers(looped(0, 4, vec![inner(4)])), 1.0);
    }

    /// Its time is counted with the barriers.
    #[test]
    fn what_is_read_between_barriers_is_no_chain() {
        let far = read(Nat::var(&index(0)) * Nat::from(100), Space::Global);
        assert_eq!(answers(looped(0, 64, vec![far, Stmt::Barrier("all is there".into())])), 0.0);
    }
}
