//! What stands outside all functions: a sequence of kernels with buffers between them.

use super::view::View;
use super::{
    Environment, Generator, Open, Result, Unsupported, barriers, items, parts, pattern_name, registers,
    unroll,
};
use crate::expr::{Argument, Expr, Kind};
use crate::kernel::{self, Access, Array, BufferId, Kernel, Launch, Parallel, Role, Space, Stmt};
use crate::lower::{holds_arrays, launches};
use crate::nat::Nat;
use crate::primitives::{Form, Primitive};
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No GPU has larger work-groups; longer loops go over their work-items several times.
const MOST_OF_A_GROUP: usize = 1024;

impl Generator<'_> {
    /// Computes `e` into `to` with as many kernels as it takes. `name` is the user's name for it.
    pub fn top(&mut self, e: &Expr, env: &Environment, to: &View, name: &str) -> Result<()> {
        match &*e.kind {
            // What is bound is computed once by each work-item, not anew at every use.
            Kind::Let(..) if self.one_kernel(e) && !self.keeps(e) => self.kernel_of(e, env, to, name),
            Kind::Let(pattern, value, body) => {
                let value = self.view_outside(value, env, &pattern_name(pattern))?;
                let env = self.bind(pattern, value, env, body)?;
                self.top(body, &env, to, name)
            }
            Kind::Typed(inner, _) => self.top(inner, env, to, name),
            Kind::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let to = self.field(to, k)?;
                    self.top(part, env, &to, &format!("{name}{k}"))?;
                }
                Ok(())
            }
            Kind::Apply(p, arguments) if !self.one_kernel(e) => {
                self.top_primitive(e, *p, arguments, env, to, name)
            }
            // No map says how several arrays are copied.
            Kind::Local(_) | Kind::Field(..) | Kind::If(..) if matches!(self.ty(e, env)?, Type::Tuple(_)) => {
                let from = self.view_outside(e, env, name)?;
                self.copied(&self.ty(e, env)?, &from, to, name)
            }
            _ => self.kernel_of(e, env, to, name),
        }
    }

    /// A primitive that takes several kernels: for each of its operands, or for what it moves, or for each step.
    fn top_primitive(
        &mut self,
        e: &Expr,
        p: Primitive,
        arguments: &[Argument],
        env: &Environment,
        to: &View,
        name: &str,
    ) -> Result<()> {
        match (&p.form, &parts(arguments).2[..]) {
            (Form::Concat, values) => {
                let mut offset = Nat::constant(0);
                for (k, value) in values.iter().enumerate() {
                    let part = View::Shift(std::rc::Rc::new(to.clone()), offset.clone());
                    self.top(value, env, &part, &format!("{name}{k}"))?;
                    if let Type::Array(_, length) = self.ty(value, env)? {
                        offset = offset + length;
                    }
                }
                Ok(())
            }
            (Form::Zip, values) => {
                for (k, value) in values.iter().enumerate() {
                    let to = self.component(to, k);
                    self.top(value, env, &to, &format!("{name}{k}"))?;
                }
                Ok(())
            }
            (Form::Iterate, [start]) => self.iterated(e, start, env, to, name),
            (_, [value]) => {
                let to = self.moved_to(e, env, to.clone())?;
                self.top(value, env, &to, name)
            }
            _ => self.kernel_of(e, env, to, name),
        }
    }

    /// Is this the work of a single kernel, but for what is kept inside it?
    fn one_kernel(&self, e: &Expr) -> bool {
        let Kind::Apply(p, arguments) = &*e.kind else {
            return match &*e.kind {
                Kind::Tuple(_) => false,
                Kind::Let(_, _, body) => self.one_kernel(body),
                Kind::Typed(inner, _) => self.one_kernel(inner),
                _ => true,
            };
        };
        match (&p.form, &parts(arguments).2[..]) {
            (Form::Concat | Form::Zip, _) => false,
            (form @ Form::Iterate, _) => !self.typed.ty(e.id).is_some_and(|ty| launches(form, ty)),
            // It is made where it is to be.
            (Form::Kept(Space::Global), _) => false,
            (_, [value]) if self.written_through(e).is_some() => self.one_kernel(value),
            _ => true,
        }
    }

    /// Kernels for what is kept inside `e`, outside its functions, then one for `e`.
    fn kernel_of(&mut self, e: &Expr, env: &Environment, to: &View, name: &str) -> Result<()> {
        self.keep_inside(e, env, name)?;
        self.kernel(name, |g| g.write(e, env, to))
    }

    /// Makes everything that is to be kept, before the kernel that reads it. A `let` on the way
    /// puts its variables in scope.
    fn keep_inside(&mut self, e: &Expr, env: &Environment, name: &str) -> Result<()> {
        self.keep_where(e, env, name, &|_, e| is_global(e))
    }

    /// A value that several kernels read: none of them computes it for itself. What takes statements is computed in
    /// kernels of its own, whatever memory it would be kept in inside a kernel.
    fn view_outside(&mut self, e: &Expr, env: &Environment, name: &str) -> Result<View> {
        self.keep_where(e, env, name, &|g, e| g.takes_statements(e, env))?;
        self.view(e, env)
    }

    fn keep_where(
        &mut self,
        e: &Expr,
        env: &Environment,
        name: &str,
        kept: &dyn Fn(&Self, &Expr) -> bool,
    ) -> Result<()> {
        if self.kept.contains_key(&e.id) {
            return Ok(());
        }
        if kept(self, e) {
            let ty = self.ty(e, env)?;
            let memory = self.buffer(&ty, if name.is_empty() { "kept" } else { name }, Role::Temporary)?;
            self.top(stored(e).unwrap_or(e), env, &memory, name)?;
            self.kept.insert(e.id, memory);
            return Ok(());
        }
        match &*e.kind {
            Kind::Let(pattern, value, body) => {
                let name_inside = pattern_name(pattern);
                self.keep_where(value, env, &name_inside, kept)?;
                if !self.any_outside(body, kept) {
                    return Ok(());
                }
                let value = self.view_outside(value, env, &name_inside)?;
                let env = self.bind(pattern, value, env, body)?;
                self.keep_where(body, &env, name, kept)
            }
            Kind::Apply(_, arguments) => {
                parts(arguments).2.iter().try_for_each(|v| self.keep_where(v, env, name, kept))
            }
            _ => e.children().into_iter().try_for_each(|child| self.keep_where(child, env, name, kept)),
        }
    }

    /// Does making this readable take statements, and so a kernel to be in? What is read lazily takes none before
    /// its elements are read.
    fn takes_statements(&self, e: &Expr, env: &Environment) -> bool {
        let Kind::Apply(p, arguments) = &*e.kind else { return false };
        match &p.form {
            Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate | Form::Kept(_) => true,
            Form::Dot => parts(arguments).2.iter().any(|v| self.typed.ty(v.id).is_some_and(holds_arrays)),
            Form::Spread(_) | Form::MapSeq(_) => {
                parts(arguments).0.is_some_and(|lambda| lambda.body.memory().is_some())
            }
            // One element is made at once, with all that its functions do.
            Form::Layout { arity: 0, .. } => {
                let mut found = false;
                let mut look = |e: &Expr| {
                    found |= match &*e.kind {
                        // What is bound may be computed where it is read.
                        Kind::Local(l) => !matches!(env.locals.get(l), Some(View::Memory { .. })),
                        _ => self.takes_statements(e, env),
                    }
                };
                parts(arguments).2.iter().for_each(|v| v.visit(&mut look));
                found
            }
            Form::Layout { .. }
            | Form::Reorder
            | Form::Pad
            | Form::Concat
            | Form::Zip
            | Form::Unzip
            | Form::Map
            | Form::Generate
            | Form::Repeat
            | Form::Ahead
            | Form::Rotated
            | Form::AsVector
            | Form::AsScalar
            | Form::Width => false,
        }
    }

    /// Is there anything to be kept, outside functions?
    fn keeps(&self, e: &Expr) -> bool {
        self.any_outside(e, &|_, e| is_global(e))
    }

    /// Is there any such expression, outside functions?
    fn any_outside(&self, e: &Expr, is_one: &dyn Fn(&Self, &Expr) -> bool) -> bool {
        is_one(self, e)
            || match &*e.kind {
                Kind::Apply(_, arguments) => parts(arguments).2.iter().any(|v| self.any_outside(v, is_one)),
                _ => e.children().into_iter().any(|child| self.any_outside(child, is_one)),
            }
    }

    /// `iterate` outside all functions: launches that write two buffers in turn.
    fn iterated(&mut self, e: &Expr, start: &Expr, env: &Environment, to: &View, name: &str) -> Result<()> {
        let Kind::Apply(_, arguments) = &*e.kind else { return Ok(()) };
        let (Some(lambda), sizes, _) = parts(arguments) else {
            return Err(Unsupported("`iterate` without a function".into()));
        };
        let (ty, times) = (self.ty(e, env)?, self.value(&env.nat(sizes[0]))?);
        // Where the first step finds it: read where it is, if it is there.
        let start_at = match &*start.kind {
            Kind::Local(_) => Some(self.view(start, env)?),
            _ => None,
        };
        if times == 0 {
            return match start_at {
                Some(view) => self.copied(&ty, &view, to, name),
                None => self.top(start, env, to, name),
            };
        }
        let mut from = self.buffer(&ty, "before", Role::Temporary)?;
        let into = self.buffer(&ty, "after", Role::Temporary)?;
        let mut first = buffers(&from);
        match start_at.map(|view| (self.whole(&view), view)) {
            Some((Some(dense), _)) => first = dense,
            Some((None, view)) => self.copied(&ty, &view, &from, name)?,
            None => self.top(start, env, &from, name)?,
        }
        let begin = self.launches.len();
        let inner = self.bind(&lambda.params[0], from.clone(), env, &lambda.body)?;
        self.top(&lambda.body, &inner, &into, name)?;
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

    /// A kernel for each array of a value, which copies it.
    fn copied(&mut self, ty: &Type, from: &View, to: &View, name: &str) -> Result<()> {
        if let Type::Tuple(parts) = ty {
            return parts.iter().enumerate().try_for_each(|(k, part)| {
                let (from, to) = (self.field(from, k)?, self.field(to, k)?);
                self.copied(part, &from, &to, &format!("{name}{k}"))
            });
        }
        let dimensions = ty.shape().0.len().min(3) as u8;
        self.kernel(name, |g| g.copy_spread(ty, from, to, dimensions))
    }

    /// The buffers of a value that fills them exactly.
    fn whole(&self, view: &View) -> Option<Vec<BufferId>> {
        match view {
            View::Memory { array, offset, ty } => {
                let all = array.space == Space::Global
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
        let open = self.open.take().unwrap_or_default();
        result?;
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
            Some(group) => items::of_one(&body, group, &|n| self.fixed(n))?,
            None => None,
        };
        let in_registers = |g: &mut Self, mut body: Vec<Stmt>| -> Result<Vec<Stmt>> {
            let exact = |length: &Nat, d: u8| {
                group.is_some_and(|group| g.value(length).ok() == Some(group[usize::from(d)]))
            };
            // A work-item that is alone in its group waits for nobody.
            if group != Some([1; 3]) {
                barriers::insert(&mut body, &open.written, &exact)?;
            }
            if g.placed {
                let mut fresh = g.number();
                body = unroll::for_registers(body, &|n| g.value(n).ok(), &mut fresh);
                g.fresh = fresh;
            }
            Ok(registers::promote(body, &|n| g.value(n).ok()))
        };
        let mut item = item.map(|body| in_registers(self, body)).transpose()?;
        body = in_registers(self, body)?;
        let mut used = Used::default();
        used.block(&body);
        let constants = self.constants.values().map(|(_, stmt)| stmt);
        let mut constants: Vec<&Stmt> = constants.filter(|s| used.declares(s)).collect();
        constants.sort_by_key(|s| match s {
            Stmt::Array(array, _) => array.index,
            _ => 0,
        });
        for body in std::iter::once(&mut body).chain(&mut item) {
            body.splice(0..0, constants.iter().map(|stmt| (*stmt).clone()));
        }
        let arrays = used.global();
        let launch = Launch {
            kernel: self.kernels.len(),
            arrays: arrays.iter().map(|(array, _)| BufferId(array.index as usize)).collect(),
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
        let mut room = MOST_OF_A_GROUP;
        for size in &mut group {
            *size = (*size).min(room).max(1);
            room /= *size;
        }
        Ok((grid, grouped.then_some(group)))
    }

    fn kernel_name(&self, name: &str) -> String {
        let base = if name.is_empty() { self.name.clone() } else { format!("{}_{name}", self.name) };
        let taken = |candidate: &str| self.kernels.iter().any(|k| k.name == candidate);
        let numbered = (2..).map(|n| format!("{base}_{n}"));
        std::iter::once(base.clone()).chain(numbered).find(|candidate| !taken(candidate)).unwrap_or(base)
    }
}

/// Is this `toGlobal(…)`?
fn is_global(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Global)))
}

/// What is to be stored in memory, by an expression that says so.
fn stored(e: &Expr) -> Option<&Expr> {
    match &*e.kind {
        Kind::Apply(p, arguments) if matches!(p.form, Form::Kept(_)) => parts(arguments).2.first().copied(),
        _ => None,
    }
}

/// The buffers of a dense value.
fn buffers(view: &View) -> Vec<BufferId> {
    match view {
        View::Memory { array, .. } => vec![BufferId(array.index as usize)],
        View::Struct { parts, .. } => parts.iter().flat_map(buffers).collect(),
        _ => vec![],
    }
}

/// What a kernel's statements mention.
#[derive(Default)]
struct Used {
    arrays: BTreeMap<u32, (Arc<Array>, bool, bool)>,
    /// By name: position among the caller's parameters, type.
    scalars: BTreeMap<Arc<str>, (usize, Scalar)>,
}

impl Used {
    /// Global arrays and how they are used, those that are written last.
    fn global(&self) -> Vec<(Arc<Array>, Access)> {
        let mut all: Vec<(Arc<Array>, Access)> = self
            .arrays
            .values()
            .filter(|(array, ..)| array.space == Space::Global)
            .map(|(array, read, written)| {
                let access = match (read, written) {
                    (true, false) => Access::Read,
                    (false, _) => Access::Write,
                    (true, true) => Access::ReadWrite,
                };
                (array.clone(), access)
            })
            .collect();
        all.sort_by_key(|(array, access)| (*access != Access::Read, array.index));
        all
    }

    fn declares(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Array(array, _) if self.arrays.contains_key(&array.index))
    }

    fn touch(&mut self, array: &Arc<Array>, read: bool) {
        let entry = self.arrays.entry(array.index).or_insert_with(|| (array.clone(), false, false));
        entry.1 |= read;
        entry.2 |= !read;
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let Stmt::Store(array, ..) = stmt {
                self.touch(array, false);
            }
            stmt.exprs().into_iter().for_each(|e| self.expr(e));
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
