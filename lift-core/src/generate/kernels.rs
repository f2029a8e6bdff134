//! What stands outside all functions: a sequence of kernels with buffers between them.
//!
//! Outside functions a tuple, a `concat` or a `zip` is several kernels, each of which writes its part of the
//! result, and an `iterate` is the launches of its step. Everything else is one kernel, apart from the values
//! kept in global memory inside it, which kernels of their own compute first: no kernel may read what other
//! work-groups of the same launch write, since nothing orders them.

use super::passes::{self, Known};
use super::view::View;
use super::{Environment, Generator, Open, Result, outside, pattern_name};
use crate::expr::Pattern;
use crate::kernel::{self, Access, Array, ArrayId, BufferId, Kernel, Launch, Parallel, Role, Space, Stmt};
use crate::low::{Fold, Memory, Over, Read, Reading, Write, Writing, holds_arrays};
use crate::nat::Nat;
use crate::types::{Scalar, Type};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

impl Generator {
    /// Computes `e` into `to` with as many kernels as it takes. `name` is the user's name for it.
    pub fn top(&mut self, e: &Write, env: &Environment, to: &View, name: &str) -> Result<()> {
        match &e.kind {
            _ if one_kernel(e) => match &e.kind {
                // No map says how several arrays are copied.
                Writing::Copy | Writing::If(..) if are_several(&e.read) => {
                    let from = self.view_outside(&e.read, env, name)?;
                    self.copied(&self.ty(&e.read.ty, env), &from, to, name)
                }
                Writing::Let(pattern, value, body) if any_outside(&e.read, &is_global) => {
                    self.top_let(pattern, value, body, env, to, name)
                }
                // Each work-item computes the bound value once, not anew at every use.
                _ => self.kernel_of(e, env, to, name),
            },
            Writing::Let(pattern, value, body) => self.top_let(pattern, value, body, env, to, name),
            Writing::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let to = self.field(to, k)?;
                    self.top(part, env, &to, &format!("{name}{k}"))?;
                }
                Ok(())
            }
            Writing::Concat(parts) => {
                let mut offset = Nat::constant(0);
                for (k, value) in parts.iter().enumerate() {
                    let part = View::Shift(std::rc::Rc::new(to.clone()), offset.clone());
                    self.top(value, env, &part, &format!("{name}{k}"))?;
                    offset = offset + self.length(&value.read.ty, env)?;
                }
                Ok(())
            }
            Writing::Zip(parts) => {
                for (k, value) in parts.iter().enumerate() {
                    let to = self.component(to, k);
                    self.top(value, env, &to, &format!("{name}{k}"))?;
                }
                Ok(())
            }
            Writing::Moved(motion, value) => {
                let to = self.moved_to(motion, env, to.clone())?;
                self.top(value, env, &to, name)
            }
            Writing::Kept(_, value) => self.top(value, env, to, name),
            Writing::Fold(fold) => match &fold.over {
                Over::Times(times) => self.iterated(&e.read, fold, times, env, to, name),
                Over::Elements { .. } | Over::Prefixes { .. } => self.kernel_of(e, env, to, name),
            },
            Writing::Copy | Writing::If(..) | Writing::Loop { .. } => self.kernel_of(e, env, to, name),
        }
    }

    fn top_let(
        &mut self,
        pattern: &Pattern,
        value: &Rc<Read>,
        body: &Write,
        env: &Environment,
        to: &View,
        name: &str,
    ) -> Result<()> {
        let value = self.view_outside(value, env, &pattern_name(pattern))?;
        let env = self.bind(pattern, value, env, &body.read)?;
        self.top(body, &env, to, name)
    }

    /// Makes kernels for the values that are kept inside `e`, outside its functions, then one for `e`.
    fn kernel_of(&mut self, e: &Write, env: &Environment, to: &View, name: &str) -> Result<()> {
        // A `let` on the way puts its variables in scope.
        self.keep_where(&e.read, env, name, &is_global)?;
        self.kernel(name, |g| g.write(e, env, to))
    }

    /// Makes a value readable for several kernels, so that none of them computes it for itself. A
    /// part whose computation takes statements is computed by kernels of its own, whatever memory it
    /// would be kept in inside a kernel.
    fn view_outside(&mut self, e: &Rc<Read>, env: &Environment, name: &str) -> Result<View> {
        self.keep_where(e, env, name, &|e| takes_statements(e, env))?;
        self.view(e, env)
    }

    /// Computes those parts of `e` that `kept` is true of, outside functions, by kernels of their own into
    /// buffers; later views of these nodes find the buffers.
    fn keep_where(
        &mut self,
        e: &Rc<Read>,
        env: &Environment,
        name: &str,
        kept: &dyn Fn(&Read) -> bool,
    ) -> Result<()> {
        if self.kept.contains_key(&e.id) {
            return Ok(());
        }
        if kept(e) {
            let ty = self.ty(&e.ty, env);
            let value = match &e.kind {
                Reading::Kept(_, value) => value.clone(),
                _ => Write::of(e),
            };
            let name = self.called(name, &value.read, env, Space::Global);
            let memory = self.buffer(&ty, &name, Role::Temporary)?;
            self.top(&value, env, &memory, &name)?;
            // By now what is kept inside the value is known, so that it can be read.
            if let (View::Memory { array, .. }, Some(zeros)) = (&memory, self.zeros(&value.read, env)) {
                self.zeros.insert(array.id, zeros);
            }
            self.kept.insert(e.id, memory);
            return Ok(());
        }
        match &e.kind {
            Reading::Let(pattern, value, body) => {
                let name_inside = pattern_name(pattern);
                self.keep_where(value, env, &name_inside, kept)?;
                if !any_outside(body, kept) {
                    return Ok(());
                }
                let value = self.view_outside(value, env, &name_inside)?;
                let env = self.bind(pattern, value, env, body)?;
                self.keep_where(body, &env, name, kept)
            }
            _ => e.operands().into_iter().try_for_each(|v| self.keep_where(v, env, name, kept)),
        }
    }

    /// `iterate` outside all functions: launches that write two buffers in turn.
    fn iterated(
        &mut self,
        e: &Read,
        fold: &Fold,
        times: &Nat,
        env: &Environment,
        to: &View,
        name: &str,
    ) -> Result<()> {
        let (ty, times) = (self.ty(&e.ty, env), self.value(&env.nat(times))?);
        // The start of the first step: it is read where it is, if it is in memory already.
        let start_at = match &fold.start.read.kind {
            Reading::Variable(_) => Some(self.view(&fold.start.read, env)?),
            _ => None,
        };
        if times == 0 {
            return match start_at {
                Some(view) => self.copied(&ty, &view, to, name),
                None => self.top(&fold.start, env, to, name),
            };
        }
        let mut from = self.buffer(&ty, "before", Role::Temporary)?;
        let into = self.buffer(&ty, "after", Role::Temporary)?;
        let mut first = buffers(&from);
        match start_at.map(|view| (self.whole(&view), view)) {
            Some((Some(dense), _)) => first = dense,
            Some((None, view)) => self.copied(&ty, &view, &from, name)?,
            None => self.top(&fold.start, env, &from, name)?,
        }
        let begin = self.launches.len();
        let inner = self.bind(&fold.running, from.clone(), env, &fold.step.read)?;
        self.top(&fold.step, &inner, &into, name)?;
        let step = self.launches.split_off(begin);
        let (before, after) = (buffers(&from), buffers(&into));
        let direct = self.whole(to);
        for round in 0..times {
            let (mut read, mut written) = if round % 2 == 0 { (&before, &after) } else { (&after, &before) };
            if round == 0 {
                read = &first;
            }
            if let (true, Some(results)) = (round + 1 == times, &direct) {
                written = results;
            }
            // The step's kernels were generated once, from `before` into `after`: each round launches them with
            // these two buffers, or their replacements, exchanged.
            let swap = |id: &BufferId| {
                let at = |ids: &[BufferId]| ids.iter().position(|b| b == id);
                at(&before).map(|k| read[k]).or_else(|| at(&after).map(|k| written[k])).unwrap_or(*id)
            };
            self.launches.extend(
                step.iter().map(|l| Launch { arrays: l.arrays.iter().map(swap).collect(), ..l.clone() }),
            );
        }
        if direct.is_some() {
            return Ok(());
        }
        if times % 2 == 1 {
            from = into;
        }
        self.copied(&ty, &from, to, name)
    }

    /// A kernel for each array of a value, which copies it: one work-item does where elements share places.
    fn copied(&mut self, ty: &Type, from: &View, to: &View, name: &str) -> Result<()> {
        if let Type::Tuple(parts) = ty {
            return parts.iter().enumerate().try_for_each(|(k, part)| {
                let (from, to) = (self.field(from, k)?, self.field(to, k)?);
                self.copied(part, &from, &to, &format!("{name}{k}"))
            });
        }
        let dimensions = if to.shares_places() { 0 } else { ty.shape().0.len().min(3) as u8 };
        self.kernel(name, |g| g.copy_spread(ty, from, to, dimensions))
    }

    /// The buffers of a value, if it fills them exactly.
    fn whole(&self, view: &View) -> Option<Vec<BufferId>> {
        match view {
            View::Memory { array, offset, ty } => {
                let all = array.space == Space::Global
                    && self.rows_of(array).is_none()
                    && *offset == Nat::constant(0)
                    && ty.scalars() == array.length;
                all.then(|| buffers(view))
            }
            View::Struct { parts, .. } => {
                let parts: Option<Vec<_>> = parts.iter().map(|p| self.whole(p)).collect();
                parts.map(|p| p.into_iter().flatten().collect())
            }
            _ => None,
        }
    }

    /// One kernel, whose statements `f` emits, and its launch.
    fn kernel(&mut self, name: &str, f: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.open = Some(Open { blocks: vec![vec![]], ..Open::default() });
        let result = f(self);
        let open = self.open.take();
        result?;
        let open = open.ok_or_else(outside)?;
        let mut body: Vec<Stmt> = open.blocks.into_iter().flatten().collect();
        if body.is_empty() {
            return Ok(());
        }
        let (grid, group) = self.work_items(&open.parallel)?;
        let mut used = Used::default();
        used.block(&body);
        // OpenCL has what a group shares declared at the beginning.
        body.splice(0..0, open.shared.iter().filter(|s| used.declares(s)).cloned());
        let item = match group {
            Some(group) => passes::items::of_one(&body, group, &|n| self.fixed(n))?,
            None => None,
        };
        let fresh = Cell::new(self.number());
        let known = Known {
            group,
            written: &open.written,
            unrolled: &open.unrolled,
            value: &|n| self.value(n).ok(),
            strict: self.strict,
            zeros: &self.zeros,
            facts: &self.facts,
            vector: (self.hierarchy.together == 1).then_some(self.hierarchy.vector),
            fresh: &fresh,
        };
        let passed =
            |body: Vec<Stmt>| self.passes.iter().try_fold(body, |body, pass| (pass.run)(body, &known));
        let (body, mut item) = (passed(body)?, item.map(passed).transpose()?);
        let mut body = body;
        self.fresh = fresh.get();
        let mut used = Used::default();
        used.block(&body);
        // Constant arrays belong to the plan: each kernel declares those that it reads.
        let constants = self.constants.values().map(|(_, stmt)| stmt);
        let mut constants: Vec<&Stmt> = constants.filter(|s| used.declares(s)).collect();
        constants.sort_by_key(|s| match s {
            Stmt::Array(array, _) => Some(array.id),
            _ => None,
        });
        for body in std::iter::once(&mut body).chain(&mut item) {
            body.splice(0..0, constants.iter().map(|stmt| (*stmt).clone()));
        }
        let (buffers, arrays) = used.global().into_iter().unzip();
        let launch = Launch {
            module: 0,
            kernel: self.kernels.len(),
            arrays: buffers,
            scalars: used.scalars.values().map(|(position, _)| *position).collect(),
            grid: [self.value(&grid[0])?, self.value(&grid[1])?, self.value(&grid[2])?],
            group,
        };
        let scalars = used.scalars.iter().map(|(name, (_, scalar))| (name.clone(), *scalar)).collect();
        let name = self.kernel_name(name);
        self.kernels.push(Kernel { name, arrays, scalars, grid, group, body, item });
        self.launches.push(launch);
        Ok(())
    }

    /// As many work-items, or groups and work-items in them, as the loops have iterations, as far
    /// as a device allows.
    fn work_items(&self, parallel: &[(Nat, Parallel)]) -> Result<([Nat; 3], Option<[usize; 3]>)> {
        let mut grid = [Nat::constant(1), Nat::constant(1), Nat::constant(1)];
        let mut group = [1usize; 3];
        let mut grouped = false;
        for (length, parallel) in parallel {
            match parallel {
                Parallel::Sequential => {}
                Parallel::Global(d) | Parallel::Group(d) => {
                    grouped |= matches!(parallel, Parallel::Group(_));
                    grid[usize::from(*d)] = self.facts.simplify(length);
                }
                Parallel::Local(d) => {
                    grouped = true;
                    let size = &mut group[usize::from(*d)];
                    *size = (*size).max(self.value(length)?);
                }
            }
        }
        let least_one = |limit: i64| usize::try_from(limit).unwrap_or(1).max(1);
        let mut room = least_one(self.limits.group);
        for (size, side) in group.iter_mut().zip(self.limits.sides) {
            *size = (*size).min(room).min(least_one(side)).max(1);
            room /= *size;
        }
        if !grouped {
            let items = [self.value(&grid[0])?, self.value(&grid[1])?, self.value(&grid[2])?];
            let started = kernel::started(items, &self.hierarchy);
            for d in (0..3).filter(|d| started[*d] != items[*d]) {
                grid[d] = Nat::from(started[d]);
            }
        }
        Ok((grid, grouped.then_some(group)))
    }

    /// The program's name, and that of what the kernel computes; numbered where there are several.
    fn kernel_name(&self, name: &str) -> String {
        let base = if name.is_empty() { self.name.clone() } else { format!("{}_{name}", self.name) };
        let taken = |candidate: &str| self.kernels.iter().any(|k| k.name == candidate);
        let numbered = (2..).map(|n| format!("{base}_{n}"));
        std::iter::once(base.clone()).chain(numbered).find(|candidate| !taken(candidate)).unwrap_or(base)
    }
}

/// Is this the work of a single kernel, apart from the values that are kept inside it?
fn one_kernel(e: &Write) -> bool {
    match &e.kind {
        Writing::Tuple(_) | Writing::Concat(_) | Writing::Zip(_) => false,
        Writing::Let(_, _, body) => one_kernel(body),
        Writing::Moved(_, value) => one_kernel(value),
        // Values in global memory are made by kernels of their own.
        Writing::Kept(Memory { space: Space::Global, .. }, _) => false,
        Writing::Kept(_, value) => one_kernel(value),
        // An `iterate` of scalars alone is one kernel, whose work-item computes all steps.
        Writing::Fold(fold) => !(matches!(fold.over, Over::Times(_)) && holds_arrays(&e.read.ty)),
        Writing::Copy | Writing::If(..) | Writing::Loop { .. } => true,
    }
}

/// Are these arrays in memory already?
fn are_several(e: &Read) -> bool {
    matches!(e.kind, Reading::Variable(_) | Reading::Field(..) | Reading::If(..))
        && matches!(e.ty, Type::Tuple(_))
}

/// Is it kept in global memory?
fn is_global(e: &Read) -> bool {
    matches!(&e.kind, Reading::Kept(memory, _) if memory.space == Space::Global && !memory.by_element)
}

/// Is there any such value, outside functions?
fn any_outside(e: &Read, is_one: &dyn Fn(&Read) -> bool) -> bool {
    is_one(e) || e.operands().into_iter().any(|operand| any_outside(operand, is_one))
}

/// Does making this readable emit statements, so that it must happen in a kernel? A value that is read lazily
/// takes none before its elements are read.
fn takes_statements(e: &Read, env: &Environment) -> bool {
    match &e.kind {
        Reading::Fold(_) | Reading::Kept(..) => true,
        Reading::Dot(a, b) => holds_arrays(&a.ty) || holds_arrays(&b.ty),
        // One element is made at once, with all that its functions do.
        Reading::Element(_, inner) => {
            let mut found = false;
            inner.visit(&mut |e| {
                found |= match &e.kind {
                    // The bound value may be computed where it is read.
                    Reading::Variable(l) => !matches!(env.locals.get(l), Some(View::Memory { .. })),
                    _ => takes_statements(e, env),
                }
            });
            found
        }
        Reading::Variable(_)
        | Reading::Literal(_)
        | Reading::Constants(_)
        | Reading::Size(_)
        | Reading::Test(_)
        | Reading::Op(..)
        | Reading::Cast(..)
        | Reading::Tuple(_)
        | Reading::Field(..)
        | Reading::Let(..)
        | Reading::If(..)
        | Reading::Layout(..)
        | Reading::Reorder(..)
        | Reading::Pad { .. }
        | Reading::Concat(_)
        | Reading::Zip(_)
        | Reading::Unzip(_)
        | Reading::Map(_)
        | Reading::Generate(..)
        | Reading::Repeat(..)
        | Reading::AsVector(..)
        | Reading::AsScalar(..)
        | Reading::Ahead(_)
        | Reading::Rotated(_)
        | Reading::Peeled(_) => false,
    }
}

fn buffer(array: ArrayId) -> Option<BufferId> {
    match array {
        ArrayId::Buffer(buffer) => Some(buffer),
        ArrayId::Own(_) => None,
    }
}

/// The buffers of a dense value.
fn buffers(view: &View) -> Vec<BufferId> {
    match view {
        View::Memory { array, .. } => buffer(array.id).into_iter().collect(),
        View::Struct { parts, .. } => parts.iter().flat_map(buffers).collect(),
        _ => vec![],
    }
}

/// The arrays and parameters that a kernel's statements mention.
#[derive(Default)]
struct Used {
    arrays: BTreeMap<ArrayId, (Arc<Array>, bool, bool)>,
    /// By name: the position among the caller's parameters, and the type.
    scalars: BTreeMap<Arc<str>, (usize, Scalar)>,
}

impl Used {
    /// The buffers that a kernel uses, as arrays, and how it uses them; those that it writes come last.
    fn global(&self) -> Vec<(BufferId, (Arc<Array>, Access))> {
        let used = |(id, (array, read, written)): (&ArrayId, &(Arc<Array>, bool, bool))| {
            let access = match (read, written) {
                (true, false) => Access::Read,
                (false, _) => Access::Write,
                (true, true) => Access::ReadWrite,
            };
            Some((buffer(*id)?, (array.clone(), access)))
        };
        let mut all: Vec<_> = self.arrays.iter().filter_map(used).collect();
        all.sort_by_key(|(buffer, (_, access))| (*access != Access::Read, *buffer));
        all
    }

    fn declares(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Array(array, _) if self.arrays.contains_key(&array.id))
    }

    /// Notes a load or a store.
    fn touch(&mut self, array: &Arc<Array>, read: bool) {
        let entry = self.arrays.entry(array.id).or_insert_with(|| (array.clone(), false, false));
        entry.1 |= read;
        entry.2 |= !read;
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let Stmt::Store(array, ..) = stmt {
                self.touch(array, false);
            }
            stmt.expr().into_iter().for_each(|e| self.expr(e));
            stmt.blocks().into_iter().for_each(|b| self.block(b));
        }
    }

    fn expr(&mut self, e: &kernel::Expr) {
        e.visit(&mut |e| match e {
            kernel::Expr::Parameter { name, scalar, position } => {
                self.scalars.insert(name.clone(), (*position, *scalar));
            }
            kernel::Expr::Load(array, ..) => self.touch(array, true),
            _ => {}
        });
    }
}
