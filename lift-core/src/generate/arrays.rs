//! Memory: buffers of the plan, arrays of a work-item, constant arrays.
//!
//! A value inside a parallel loop needs memory for each of the work-items that compute it: global memory has a
//! dimension for every parallel loop around, local memory for every loop over the work-items of the group.

use super::view::View;
use super::{Environment, Generator, Result, Unsupported};
use crate::expr::Local;
use crate::kernel::{self, Array, ArrayId, Buffer, BufferId, Parallel, Role, Rows, Space, Stmt};
use crate::low::{Memory, Read, Write};
use crate::lower::fits;
use crate::nat::{Nat, Var};
use crate::scalar::Value;
use crate::types::{Scalar, Type};
use std::sync::Arc;

/// Makes memory for a scalar or vector, or an array of them.
type Allocator<'a, G> = dyn FnMut(&mut G, &Type, (Scalar, u8)) -> Result<View> + 'a;

/// Bytes that all such values of a kernel may have together: what is generated again, for another version of a loop, counts
/// again.
const MOST_ALONE: usize = 1 << 20;

impl Generator {
    /// The caller's parameter: an array in a buffer, or a scalar passed by value.
    pub fn parameter(&mut self, position: usize, local: &Local, ty: &Type) -> Result<View> {
        match ty {
            Type::Scalar(scalar) => {
                let name = local.name.clone();
                Ok(View::Scalar(kernel::Expr::Parameter { name, scalar: *scalar, position }))
            }
            _ => self.buffer(ty, &local.name, Role::Input(position)),
        }
    }

    /// Where results go: one buffer for each part.
    pub fn output(&mut self, ty: &Type, count: &mut usize) -> Result<View> {
        if let Type::Tuple(parts) = ty {
            let parts: Result<Vec<View>> = parts.iter().map(|p| self.output(p, count)).collect();
            return Ok(View::Struct { parts: parts?, depth: 0 });
        }
        *count += 1;
        self.buffer(ty, "output", Role::Output(*count - 1))
    }

    /// A new buffer of the plan; one for each component of an array of tuples.
    pub fn buffer(&mut self, ty: &Type, name: &str, role: Role) -> Result<View> {
        self.allocate(ty, &mut |g, ty, (scalar, _)| {
            let scalars = ty.scalars();
            let length = g.value(&scalars)?;
            let array = Arc::new(Array {
                name: Arc::from(name),
                id: ArrayId::Buffer(BufferId(g.buffers.len())),
                scalar,
                width: 1,
                space: Space::Global,
                length: scalars,
                registers: false,
            });
            g.buffers.push(Buffer { name: name.to_string(), scalar, length, role });
            Ok(View::Memory { array, offset: Nat::constant(0), ty: ty.clone() })
        })
    }

    /// The rows that an array lies in, if these are apart.
    pub fn rows_of(&self, array: &Array) -> Option<Rows> {
        match array.id {
            ArrayId::Buffer(id) => self.rows.get(&self.buffers[id.0].role).copied(),
            _ => None,
        }
    }

    /// Scalars from the beginning of one such element of an array in memory to that of the next.
    pub fn apart_in(&self, array: &Array, element: &Type) -> Result<Nat> {
        let Some(rows) = self.rows_of(array) else { return Ok(element.scalars()) };
        let (mut outer, leaf) = element.shape();
        let mut row = self.value(&leaf.scalars())?;
        while row < rows.length {
            // Less than a row.
            let Some(length) = outer.pop() else { return Ok(element.scalars()) };
            row = row.saturating_mul(self.value(length)?);
        }
        if row != rows.length {
            return Err(Unsupported(format!("`{}` has no rows of {} elements", array.name, rows.length)));
        }
        Ok(outer.into_iter().fold(Nat::from(rows.apart), |apart, length| &apart * length))
    }

    /// Memory of a work-item for a value: variables for scalars, arrays for arrays.
    pub fn private(&mut self, ty: &Type, name: &str, registers: bool) -> Result<View> {
        self.allocate(ty, &mut |g, ty, (scalar, width)| {
            if let Some(register) = g.register(ty) {
                let local = g.variable(name, register);
                let value = Self::zero(register);
                g.emit(Stmt::Declare { local: local.clone(), value, change: kernel::Change::Freely })?;
                return Ok(View::Variable(local));
            }
            let array = Arc::new(Array { registers, ..g.array(ty, name, Space::Private, (scalar, width)) });
            g.emit(Stmt::Array(array.clone(), vec![]))?;
            Ok(View::Memory { array, offset: Nat::constant(0), ty: ty.clone() })
        })
    }

    /// Memory of a work-group, with a value for each work-item whose loop is around it.
    pub fn shared(&mut self, ty: &Type, name: &str) -> Result<View> {
        let local = |(_, _, parallel): &&(Var, Nat, Parallel)| matches!(parallel, Parallel::Local(_));
        let around: Vec<_> = self.kernel_here()?.around.iter().filter(local).cloned().collect();
        let items =
            around.iter().rev().fold(ty.clone(), |ty, (_, length, _)| Type::array(ty, length.clone()));
        let mut view = self.allocate(&items, &mut |g, ty, (scalar, _)| {
            let array = Arc::new(g.array(ty, name, Space::Local, (scalar, 1)));
            g.kernel_here()?.shared.push(Stmt::Array(array.clone(), vec![]));
            Ok(View::Memory { array, offset: Nat::constant(0), ty: ty.clone() })
        })?;
        for (var, ..) in &around {
            view = self.at(&view, &Nat::var(var))?;
        }
        Ok(view)
    }

    /// Registers distributed over the work-items of a group.
    pub fn items(&mut self, ty: &Type, name: &str) -> Result<View> {
        self.allocate(ty, &mut |g, ty, register| {
            let array = Arc::new(Array { registers: true, ..g.array(ty, name, Space::Items, register) });
            g.kernel_here()?.shared.push(Stmt::Array(array.clone(), vec![]));
            Ok(View::Memory { array, offset: Nat::constant(0), ty: ty.clone() })
        })
    }

    fn array(&mut self, ty: &Type, name: &str, space: Space, (scalar, width): (Scalar, u8)) -> Array {
        let elements = ty.scalars().div(&Nat::from(i64::from(width)));
        let (length, name) = (self.facts.simplify(&elements), Arc::from(name));
        let id = ArrayId::Own(self.number());
        Array { name, id, scalar, width, space, length, registers: false }
    }

    /// Memory of a work-item, private if the value is small.
    pub fn memory(&mut self, ty: &Type, name: &str, registers: bool) -> Result<View> {
        if fits(ty, &self.facts, self.limits.private) || self.fits_alone(ty)? {
            self.private(ty, name, registers)
        } else {
            self.scratch(ty, name)
        }
    }

    /// Does a work-item that is in no group have room for a value? If so it is counted, so that all together fit a stack.
    fn fits_alone(&mut self, ty: &Type) -> Result<bool> {
        let bytes = self.value(&ty.scalars()).map_or(usize::MAX, |scalars| scalars.saturating_mul(4));
        let one = fits(ty, &self.facts, self.limits.alone);
        let open = self.kernel_here()?;
        let in_group = |parallel: &Parallel| matches!(parallel, Parallel::Local(_) | Parallel::Group(_));
        let fits = one
            && !open.around.iter().any(|(.., parallel)| in_group(parallel))
            && open.large.saturating_add(bytes) <= MOST_ALONE;
        if fits {
            open.large += bytes;
        }
        Ok(fits)
    }

    /// Global memory for a value of each parallel work-item.
    fn scratch(&mut self, ty: &Type, name: &str) -> Result<View> {
        let parallel = self.kernel_here()?.around.clone();
        let mut items = ty.clone();
        for (_, length, _) in parallel.iter().rev() {
            items = Type::array(items, length.clone());
        }
        let mut view = self.buffer(&items, name, Role::Temporary)?;
        for (var, _, _) in &parallel {
            view = self.at(&view, &Nat::var(var))?;
        }
        Ok(view)
    }

    /// Tuples are kept part by part, arrays of tuples as arrays of each part.
    fn allocate(&mut self, ty: &Type, one: &mut Allocator<Self>) -> Result<View> {
        let (lengths, element) = ty.shape();
        match element {
            Type::Scalar(_) | Type::Vector(..) => match self.register(element) {
                Some(register) => one(self, ty, register),
                None => Err(Unsupported(format!("the width of {element} is not known"))),
            },
            Type::Tuple(parts) => {
                let wrap = |part: &Type| {
                    lengths
                        .iter()
                        .rev()
                        .fold(part.clone(), |inner, length| Type::array(inner, (*length).clone()))
                };
                let views: Result<Vec<View>> = parts.iter().map(|p| self.allocate(&wrap(p), one)).collect();
                Ok(View::Struct { parts: views?, depth: lengths.len() })
            }
            other => Err(Unsupported(format!("a value of type {other} cannot be kept in memory"))),
        }
    }

    /// Computes a value here and now, into memory of its own.
    pub fn keep(&mut self, e: &Write, env: &Environment, memory: &Memory, name: &str) -> Result<View> {
        let ty = self.ty(&e.read.ty, env);
        let memory = Memory { pitch: env.nat(&memory.pitch), ..memory.clone() };
        let name = self.called(name, &e.read, env, memory.space);
        self.keep_by(&ty, &memory, &name, |g, to| g.write(e, env, to))
    }

    /// A value in memory of its own, which `write` computes there.
    pub fn keep_by(
        &mut self,
        ty: &Type,
        memory: &Memory,
        name: &str,
        write: impl FnOnce(&mut Self, &View) -> Result<()>,
    ) -> Result<View> {
        let ty = ty.pitched(&memory.pitch);
        let to = match memory.space {
            Space::Global => self.scratch(&ty, name)?,
            Space::Local => self.shared(&ty, name)?,
            Space::Items => self.items(&ty, name)?,
            Space::Private | Space::Constant => self.private(&ty, name, memory.asked)?,
        };
        let (block, ()) = self.block(|g| write(g, &to))?;
        if memory.space == Space::Local {
            self.written_once(&block);
        }
        block.into_iter().try_for_each(|stmt| self.emit(stmt))?;
        Ok(to)
    }

    /// Notes which loops write which arrays, and don't read them: such a loop writes every element once.
    fn written_once(&mut self, block: &[Stmt]) {
        let mut found = vec![];
        block.iter().for_each(|s| {
            s.visit(&mut |s| {
                if let Stmt::Loop { var, body, .. } = s {
                    found.push((var.clone(), stores_only(body)));
                }
            });
        });
        if let Some(open) = &mut self.open {
            open.written.extend(found);
        }
    }

    /// A constant array, printed once with its values.
    pub fn constant(&mut self, e: &Read, values: &[Value]) -> Result<View> {
        if let Some((view, _)) = self.constants.get(&e.id) {
            return Ok(view.clone());
        }
        let ty = e.ty.clone();
        let Type::Scalar(scalar) = *ty.shape().1 else {
            return Err(Unsupported("a constant array of tuples".into()));
        };
        let id = ArrayId::Own(self.number());
        let length = Nat::from(values.len());
        let array = Arc::new(Array {
            name: Arc::from("constants"),
            id,
            scalar,
            width: 1,
            space: Space::Constant,
            length,
            registers: false,
        });
        let view = View::Memory { array: array.clone(), offset: Nat::constant(0), ty };
        self.constants.insert(e.id, (view.clone(), Stmt::Array(array, values.to_vec())));
        Ok(view)
    }

    /// With the values of the plan's sizes.
    pub fn fixed(&self, n: &Nat) -> Nat {
        let size = |v: &Var| if v.index > 0 { None } else { self.value(&Nat::var(v)).ok().map(Nat::from) };
        self.facts.simplify(&n.substitute(&size))
    }

    /// The value of a length at the plan's sizes.
    pub fn value(&self, n: &Nat) -> Result<usize> {
        let bounds =
            n.as_constant().map_or_else(|| self.facts.bounds(n), |number| (Some(number), Some(number)));
        match bounds {
            (Some(low), Some(high)) if low == high => {
                usize::try_from(low).map_err(|_| Unsupported(format!("the length {n} is {low}")))
            }
            _ => Err(Unsupported(format!("the length {n} is not known, or does not fit 64 bits"))),
        }
    }
}

/// The arrays that are written and not read.
fn stores_only(body: &[Stmt]) -> Vec<ArrayId> {
    let (mut stored, mut loaded) = (vec![], vec![]);
    body.iter().for_each(|s| {
        s.visit(&mut |s| {
            if let Stmt::Store(array, ..) = s {
                stored.push(array.id);
            }
            s.expr().into_iter().for_each(|e| {
                e.visit(&mut |e| {
                    if let kernel::Expr::Load(array, ..) = e {
                        loaded.push(array.id);
                    }
                });
            });
        });
    });
    stored.retain(|array| !loaded.contains(array));
    stored
}
