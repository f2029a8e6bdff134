//! Computing an expression into a destination.

use super::rotated::rotated;
use super::view::{Layout, View};
use super::{Environment, Generator, Loops, Result, SEQUENTIAL, Unsupported, loop_name, parts, pattern_name};
use crate::expr::{Argument, Expr, Kind};
use crate::kernel::{self, Parallel, Stmt};
use crate::lower::{moved, single, writes_through};
use crate::nat::{Condition, Nat};
use crate::primitives::{Form, Loop};
use crate::types::Type;
use std::rc::Rc;

impl Generator<'_> {
    /// Writes every scalar of `e` to where `to` says.
    pub fn write(&mut self, e: &Expr, env: &Environment, to: &View) -> Result<()> {
        match &*e.kind {
            Kind::Let(pattern, value, body) => {
                let value = self.named_view(value, env, &pattern_name(pattern))?;
                let env = self.bind(pattern, value, env, body)?;
                self.write(body, &env, to)
            }
            Kind::Typed(inner, _) => self.write(inner, env, to),
            Kind::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let to = self.field(to, k)?;
                    self.write(part, env, &to)?;
                }
                Ok(())
            }
            Kind::If(c, then, otherwise) if self.register(&self.ty(e, env)?).is_none() => {
                let condition = self.compute(c, env)?;
                let (then, ()) = self.block(|g| g.write(then, env, to))?;
                let (otherwise, ()) = self.block(|g| g.write(otherwise, env, to))?;
                self.emit(Stmt::If(condition, then, otherwise))
            }
            Kind::Apply(_, arguments) => self.write_primitive(e, arguments, env, to),
            _ => self.copy_expr(e, env, to),
        }
    }

    fn write_primitive(
        &mut self,
        e: &Expr,
        arguments: &[Argument],
        env: &Environment,
        to: &View,
    ) -> Result<()> {
        let Kind::Apply(p, _) = &*e.kind else { return self.copy_expr(e, env, to) };
        if self.kept.contains_key(&e.id) {
            return self.copy_expr(e, env, to);
        }
        let (function, sizes, values) = parts(arguments);
        if let Some(value) = self.written_through(e) {
            let to = self.moved_to(e, env, to.clone())?;
            return self.write(value, env, &to);
        }
        match (&p.form, function, &values[..]) {
            (Form::Map | Form::Spread(_) | Form::MapSeq(_), Some(lambda), [xs]) => {
                let loops = match (&p.form, sizes.first().and_then(|d| d.as_constant())) {
                    (Form::Spread(level), Some(d)) => Loops::Rolled(level.parallel(d as u8)),
                    (Form::MapSeq(Loop::Unrolled), _) => Loops::Unrolled,
                    _ => SEQUENTIAL,
                };
                let Type::Array(_, length) = self.ty(e, env)? else {
                    return Err(Unsupported("`map` that makes no array".into()));
                };
                let body = |g: &mut Self, i: &Nat, x: View| {
                    let to = g.at(to, i)?;
                    let env = g.bind(&lambda.params[0], x, env, &lambda.body)?;
                    g.write(&lambda.body, &env, &to)
                };
                // Work-items that run at the same time have no window before theirs.
                let windows = if matches!(p.form, Form::Spread(_)) { None } else { rotated(xs) };
                let rotation = *xs;
                let xs = self.view(windows.unwrap_or(xs), env)?;
                if windows.is_some()
                    && let Some(rotation) = self.rotation(rotation, &xs, &length, env)?
                {
                    return self.rotating(&length, loops, &rotation, body);
                }
                self.elements(&length, Some(&xs), loops, |g, i| {
                    let x = g.at(&xs, i)?;
                    body(g, i, x)
                })
            }
            (Form::Concat, _, values) => {
                let mut offset = Nat::constant(0);
                for value in values {
                    let part = View::Shift(Rc::new(to.clone()), offset.clone());
                    self.write(value, env, &part)?;
                    if let Type::Array(_, length) = self.ty(value, env)? {
                        offset = offset + length;
                    }
                }
                Ok(())
            }
            (Form::Zip, _, values) => {
                for (k, value) in values.iter().enumerate() {
                    let to = self.component(to, k);
                    self.write(value, env, &to)?;
                }
                Ok(())
            }
            (Form::Scan, ..) => self.scan(e, env, to),
            (Form::Reduce | Form::ReduceSeq(_) | Form::Iterate, ..)
                if self.register(&self.ty(e, env)?).is_none() =>
            {
                self.fold_into(e, env, Some(to)).map(|_| ())
            }
            _ => self.copy_expr(e, env, to),
        }
    }

    /// Is this computed into a destination rather than read element by element?
    fn is_written(&self, e: &Expr) -> bool {
        match &*e.kind {
            Kind::Let(_, _, body) => self.is_written(body),
            Kind::Tuple(_) => true,
            Kind::Apply(p, arguments) => match (&p.form, arguments.last()) {
                (Form::Map | Form::Spread(_) | Form::MapSeq(_) | Form::Scan | Form::Concat, _) => true,
                (Form::Reduce | Form::ReduceSeq(_) | Form::Iterate, _) => true,
                (Form::Repeat, _) => single(e).is_some_and(|x| self.is_written(x)),
                (form, Some(Argument::Value(v))) if writes_through(form, v) => self.is_written(v),
                _ => false,
            },
            _ => false,
        }
    }

    /// The operand of a primitive that only moves it, if it is computed where it is moved to.
    pub fn written_through<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        let Kind::Apply(p, arguments) = &*e.kind else { return None };
        let Some(Argument::Value(value)) = arguments.last() else { return None };
        let through = match &p.form {
            Form::Map | Form::MapSeq(_) => moved(e).is_some() && self.is_written(value),
            // It is kept where it is written.
            Form::Kept(_) => true,
            Form::Repeat => single(e).is_some() && self.is_written(value),
            form => writes_through(form, value) && self.is_written(value),
        };
        through.then_some(value)
    }

    /// Where an element is to be written that a function moves before it is where `to` says.
    pub fn before(&mut self, e: &Expr, env: &Environment, to: View) -> Result<View> {
        let Kind::Apply(_, arguments) = &*e.kind else { return Ok(to) };
        let [value] = &parts(arguments).2[..] else { return Ok(to) };
        let to = self.moved_to(e, env, to)?;
        self.before(value, env, to)
    }

    /// Where the operand of a primitive that moves it is to be written, given where the result is.
    pub fn moved_to(&mut self, e: &Expr, env: &Environment, to: View) -> Result<View> {
        let Kind::Apply(p, arguments) = &*e.kind else { return Ok(to) };
        Ok(match (&p.form, parts(arguments).0) {
            (form @ Form::Layout { .. }, _) => self.through(e, form, env, to)?,
            (Form::Repeat, _) => self.at(&to, &Nat::constant(0))?,
            (Form::Unzip, _) => {
                let Type::Tuple(parts) = self.ty(e, env)? else { return Ok(to) };
                let parts: Result<_> = (0..parts.len()).map(|k| self.field(&to, k)).collect();
                View::Struct { parts: parts?, depth: 1 }
            }
            (Form::AsScalar, _) => {
                View::AsVector { inner: Rc::new(to), width: self.bindings(e, env)?["v"].clone() }
            }
            (Form::AsVector, _) => {
                View::AsScalar { inner: Rc::new(to), width: self.bindings(e, env)?["v"].clone() }
            }
            (_, Some(lambda)) => {
                View::Through { lambda: Rc::new(lambda.clone()), env: env.clone(), inner: Rc::new(to) }
            }
            _ => to,
        })
    }

    /// Where the operand of a layout is to be written, given where its result is.
    fn through(&mut self, e: &Expr, form: &Form, env: &Environment, to: View) -> Result<View> {
        let Form::Layout { write: Some((arity, map)), keeps, .. } = form else { return Ok(to) };
        let bindings = self.bindings(e, env)?;
        let kept = keeps.map(|keeps| keeps(&bindings));
        let layout = Layout { map: *map, arity: *arity, bindings, inner: to, nest: None };
        let view = View::Layout(Rc::new(layout), vec![]);
        Ok(match kept {
            Some([from, before]) => View::Crop { from, before, inner: Rc::new(view) },
            None => view,
        })
    }

    fn copy_expr(&mut self, e: &Expr, env: &Environment, to: &View) -> Result<()> {
        let from = self.view(e, env)?;
        let ty = self.ty(e, env)?;
        self.copy(&ty, &from, to)
    }

    /// Writes what a view reads.
    pub fn copy(&mut self, ty: &Type, from: &View, to: &View) -> Result<()> {
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
                // What is not written is not read either.
                Some((condition, place)) => self.if_so(&condition, |g| g.copy(ty, from, &place)),
                None => {
                    let value = self.scalar(from)?;
                    self.store(to, value)
                }
            },
        }
    }

    /// The same with an element for each work-item, in so many dimensions.
    pub fn copy_spread(&mut self, ty: &Type, from: &View, to: &View, dimensions: u8) -> Result<()> {
        let (Type::Array(element, length), Some(d)) = (ty, dimensions.checked_sub(1)) else {
            return self.copy(ty, from, to);
        };
        self.elements(length, Some(from), Loops::Rolled(Parallel::Global(d)), |g, i| {
            let (from, to) = (g.at(from, i)?, g.at(to, i)?);
            g.copy_spread(element, &from, &to, d)
        })
    }

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
