//! Computing a value into a destination.
//!
//! The destination is a view like any other. The operand of a primitive that moves data is written directly to where
//! its elements are moved to, so that a layout around a computed value costs index arithmetic and no memory.

use super::view::{Layout, View};
use super::{Environment, Generator, Loops, Result, SEQUENTIAL, Unsupported, loop_name, pattern_name};
use crate::kernel::{self, Parallel, Stmt};
use crate::low::{Indexed, Motion, Over, Read, Reading, Run, Write, Writing, is_register};
use crate::nat::{Condition, Nat};
use crate::types::Type;
use std::rc::Rc;

impl Generator {
    /// Writes every scalar of `e` to where `to` says.
    pub fn write(&mut self, e: &Write, env: &Environment, to: &View) -> Result<()> {
        if self.kept.contains_key(&e.read.id) {
            return self.copy_read(&e.read, env, to);
        }
        match &e.kind {
            Writing::Copy => self.copy_read(&e.read, env, to),
            // One of two scalars is a scalar, and of two vectors each lane is computed.
            Writing::If(..) if is_register(&e.read.ty) => self.copy_read(&e.read, env, to),
            Writing::If(c, ..) if self.is_lane_by_lane(c, env) => self.copy_read(&e.read, env, to),
            Writing::Let(pattern, value, body) => {
                let value = self.named_view(value, env, &pattern_name(pattern))?;
                let env = self.bind(pattern, value, env, &body.read)?;
                self.write(body, &env, to)
            }
            Writing::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let to = self.field(to, k)?;
                    self.write(part, env, &to)?;
                }
                Ok(())
            }
            Writing::If(c, then, otherwise) => {
                let condition = self.compute(c, env)?;
                let (then, ()) = self.block(|g| g.write(then, env, to))?;
                let (otherwise, ()) = self.block(|g| g.write(otherwise, env, to))?;
                self.emit(Stmt::If(condition, then, otherwise))
            }
            Writing::Loop { run, element, over, body } => {
                let length = self.length(&e.read.ty, env)?;
                let loops = match run {
                    Run::As(parallel) => Loops::Rolled(*parallel),
                    Run::Unrolled => Loops::Unrolled,
                    Run::Open => SEQUENTIAL,
                };
                let each = |g: &mut Self, i: &Nat, x: View| {
                    let to = g.at(to, i)?;
                    let env = g.bind(element, x, env, &body.read)?;
                    g.write(body, &env, &to)
                };
                if let Reading::Peeled(over) = &over.kind {
                    let xs = self.view(over, env)?;
                    return self.elements(&length, None, loops, |g, i| {
                        g.peeled(i, &length, &mut |g| {
                            let x = g.at(&xs, i)?;
                            each(g, i, x)
                        })
                    });
                }
                if let (Reading::Fold(fold), Loops::Rolled(Parallel::Sequential)) = (&over.kind, loops)
                    && matches!(fold.over, Over::Prefixes { .. })
                    && !self.kept.contains_key(&over.id)
                {
                    return self.prefixes(fold, env, |g, i, acc| each(g, i, acc.constant()));
                }
                // Work-items that run at the same time have no window before theirs.
                let windows = if run.in_order() { over.rotated() } else { None };
                let xs = self.view(windows.unwrap_or(over), env)?;
                if windows.is_some()
                    && let Some(rotation) = self.rotation(over, &xs, &length, env)?
                {
                    return self.rotating(&length, loops, &rotation, each);
                }
                self.elements(&length, Some(&xs), loops, |g, i| {
                    let x = g.at(&xs, i)?;
                    each(g, i, x)
                })
            }
            Writing::Fold(fold) => match fold.over {
                Over::Prefixes { .. } => self.scan(fold, env, to),
                Over::Elements { .. } | Over::Times(_) => {
                    self.fold_into(&e.read, fold, env, Some(to)).map(|_| ())
                }
            },
            Writing::Concat(parts) => {
                let mut offset = Nat::constant(0);
                for value in parts {
                    let part = View::Shift(Rc::new(to.clone()), offset.clone());
                    self.write(value, env, &part)?;
                    offset = offset + self.length(&value.read.ty, env)?;
                }
                Ok(())
            }
            Writing::Zip(parts) => {
                for (k, value) in parts.iter().enumerate() {
                    let to = self.component(to, k);
                    self.write(value, env, &to)?;
                }
                Ok(())
            }
            Writing::Moved(motion, value) => {
                let to = self.moved_to(motion, env, to.clone())?;
                self.write(value, env, &to)
            }
            Writing::Kept(_, value) => self.write(value, env, to),
        }
    }

    /// Where the operand of a motion is to be written, given where the result is.
    pub fn moved_to(&mut self, motion: &Motion, env: &Environment, to: View) -> Result<View> {
        Ok(match motion {
            Motion::Layout(indexed) => through(indexed, env, to)?,
            Motion::Single => self.at(&to, &Nat::constant(0))?,
            Motion::Unzip(width) => {
                let parts: Result<_> = (0..*width).map(|k| self.field(&to, k)).collect();
                View::Struct { parts: parts?, depth: 1 }
            }
            Motion::AsScalar(width) => View::AsVector { inner: Rc::new(to), width: env.nat(width) },
            Motion::AsVector(width) => View::AsScalar { inner: Rc::new(to), width: env.nat(width) },
            Motion::Each(motions) => {
                View::Through { motions: motions.clone(), env: env.clone(), inner: Rc::new(to) }
            }
        })
    }

    /// Computes each scalar where it is read, and stores it.
    fn copy_read(&mut self, e: &Read, env: &Environment, to: &View) -> Result<()> {
        let from = self.view(e, env)?;
        let ty = self.ty(&e.ty, env);
        self.copy(&ty, &from, to)
    }

    /// Copies the elements of a view, unless they are in that place already.
    pub fn copy(&mut self, ty: &Type, from: &View, to: &View) -> Result<()> {
        let variable = |from: &View| match (from, to) {
            (View::Scalar(kernel::Expr::Local(from)), View::Variable(to)) => from == to,
            _ => false,
        };
        if from.is_same_place(to) || variable(from) {
            return Ok(());
        }
        match ty {
            Type::Array(element, length) => {
                let element = element.clone();
                self.elements(length, Some(from), SEQUENTIAL, |g, i| {
                    let (from, to) = (g.at(from, i)?, g.at(to, i)?);
                    g.copy(&element, &from, &to)
                })
            }
            Type::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let (from, to) = (self.field(from, k)?, self.field(to, k)?);
                    self.copy(part, &from, &to)?;
                }
                Ok(())
            }
            _ => match self.guarded(to)? {
                // Elements that are not written are not read either.
                Some((condition, place)) => self.if_so(&condition, |g| g.copy(ty, from, &place)),
                None => {
                    let value = self.scalar(from)?;
                    self.store(to, value)
                }
            },
        }
    }

    /// [`Generator::copy`] by global work-items: the loops over the outermost `dimensions` dimensions of the array are
    /// spread over them, the innermost of these in dimension 0.
    pub fn copy_spread(&mut self, ty: &Type, from: &View, to: &View, dimensions: u8) -> Result<()> {
        let (Type::Array(element, length), Some(d)) = (ty, dimensions.checked_sub(1)) else {
            return self.copy(ty, from, to);
        };
        self.elements(length, Some(from), Loops::Rolled(Parallel::Global(d)), |g, i| {
            let (from, to) = (g.at(from, i)?, g.at(to, i)?);
            g.copy_spread(element, &from, &to, d)
        })
    }

    /// Stores a scalar or vector at a place; under its condition, if the place is guarded.
    pub fn store(&mut self, to: &View, value: kernel::Expr) -> Result<()> {
        if let Some((condition, place)) = self.guarded(to)? {
            return self.if_so(&condition, |g| g.store(&place, value));
        }
        match to {
            View::Variable(local) => self.emit(Stmt::Assign(local.clone(), value)),
            View::Memory { array, offset, ty } if self.register(ty).is_some() => {
                let index = self.element_index(array, offset);
                self.emit(Stmt::Store(array.clone(), index, value))
            }
            View::Lanes { inner, start, width } => self.store_lanes(inner, start, *width, value),
            _ => Err(Unsupported("this destination cannot be written".into())),
        }
    }

    /// The condition for a place to be written to, and the place if it holds.
    fn guarded(&mut self, to: &View) -> Result<Option<(Condition, View)>> {
        Ok(match to {
            View::Guard { condition, inner, path, .. } => Some((condition.clone(), self.along(inner, path)?)),
            View::Lanes { inner, start, width } => self.guarded(inner)?.map(|(condition, inner)| {
                (condition, View::Lanes { inner: Rc::new(inner), start: start.clone(), width: *width })
            }),
            _ => None,
        })
    }

    /// Writes under a condition, which may be relied on inside.
    fn if_so(&mut self, condition: &Condition, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let stores = self.knowing(|facts| facts.assume(condition), |g| g.block(write))?.0;
        self.emit(Stmt::If(kernel::Expr::Test(condition.clone()), stores, vec![]))
    }

    /// A loop over the elements of an array. Where the array is rows joined, a loop over rows and
    /// one inside each: then no index has to be divided.
    pub fn elements(
        &mut self,
        length: &Nat,
        view: Option<&View>,
        loops: Loops,
        mut body: impl FnMut(&mut Self, &Nat) -> Result<()>,
    ) -> Result<()> {
        let mut factors = vec![];
        if let (Loops::Rolled(Parallel::Sequential), Some(view)) = (loops, view) {
            joined(view, &mut factors);
        }
        let product = factors.iter().fold(Nat::constant(1), |product, f| product * f);
        if factors.len() < 2 || self.facts.simplify(&product) != self.facts.simplify(length) {
            factors = vec![length.clone()];
        }
        self.nest(&factors, Nat::constant(0), loops, &mut body)
    }

    /// Loops over all factors, the outermost first; the body is given the index into the joined array.
    fn nest(
        &mut self,
        factors: &[Nat],
        outer: Nat,
        loops: Loops,
        body: &mut dyn FnMut(&mut Self, &Nat) -> Result<()>,
    ) -> Result<()> {
        let Some((length, rest)) = factors.split_first() else {
            let index = self.facts.simplify(&outer);
            return body(self, &index);
        };
        self.for_each(&loop_name(length), length, loops, &mut |g, i| {
            g.nest(rest, &outer * length + i, loops, body)
        })
    }
}

/// Where the operand of a layout is to be written, given where its result is.
fn through(
    Indexed { primitive, layout, bindings, .. }: &Indexed,
    env: &Environment,
    to: View,
) -> Result<View> {
    let Some((arity, map)) = layout.write else {
        return Err(Unsupported(format!("`{}` is not written through", primitive.name)));
    };
    let bindings = env.bindings(bindings);
    let kept = layout.keeps.map(|keeps| keeps(&bindings));
    let view = View::Layout(
        Rc::new(Layout { map, arity, bindings, inner: to, nest: None, overlaps: layout.overlaps }),
        vec![],
    );
    Ok(match kept {
        Some([from, before]) => View::Crop { from, before, inner: Rc::new(view) },
        None => view,
    })
}

/// The lengths of the dimensions that were joined into this array, the outermost first.
fn joined(view: &View, factors: &mut Vec<Nat>) {
    match view {
        View::Layout(layout, got) if got.is_empty() => {
            let Some([rows, columns]) = &layout.nest else { return };
            // The rows may be joined themselves.
            joined(&layout.inner, factors);
            if factors.is_empty() {
                factors.push(rows.clone());
            }
            factors.push(columns.clone());
        }
        View::Struct { parts, depth } if *depth > 0 => {
            for part in parts {
                if factors.is_empty() {
                    joined(part, factors);
                }
            }
        }
        View::Map { inner, .. } => joined(inner, factors),
        _ => {}
    }
}
