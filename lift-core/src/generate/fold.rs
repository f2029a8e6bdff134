//! `reduce`, `scan` and `iterate`: a running value, kept in the memory of a work-item.

use super::accesses::in_place;
use super::view::View;
use super::{Environment, Generator, Loops, Result, SEQUENTIAL, Unsupported, pattern_name};
use crate::expr::Pattern;
use crate::kernel::{self, Change, Stmt};
use crate::low::{Fold, Over, Read, Reading, Run, Write, Writing, holds_arrays};
use crate::nat::Nat;
use crate::types::Type;

/// A running value of at most this many scalars is kept in registers, wherever the result is written.
const REGISTERS: usize = 64;

impl Generator {
    /// A `reduce` or `iterate` as a value that can be read. If a place is given, the running value is kept there.
    pub fn fold_into(&mut self, e: &Read, fold: &Fold, env: &Environment, to: Option<&View>) -> Result<View> {
        let ty = self.ty(&e.ty, env);
        let change = match fold.over {
            Over::Elements { .. } => Change::Reduction,
            Over::Prefixes { .. } | Over::Times(_) => Change::Freely,
        };
        let acc = match to {
            // It continues the running value of the reduction around it.
            Some(to) if self.goes_on(e, &fold.start, env, to) => to.clone(),
            Some(to) if holds_arrays(&ty) && !self.kept_apart(&ty, &fold.start) => {
                self.write(&fold.start, env, to)?;
                to.clone()
            }
            _ => self.running(&ty, &fold.running, &fold.start, env, change)?,
        };
        match &fold.over {
            Over::Times(times) => {
                let times = env.nat(times);
                let name = super::loop_name(&times);
                self.for_each(&name, &times, SEQUENTIAL, &mut |g, _| g.step(fold, &ty, &acc, None, env))?;
            }
            Over::Elements { element, of, .. } | Over::Prefixes { element, of } => {
                let length = self.length(&of.ty, env)?;
                let unrolled = matches!(fold.over, Over::Elements { run: Run::Unrolled, .. });
                let loops = match unrolled {
                    true if holds_arrays(&ty) => Loops::UnrolledLater,
                    true => Loops::Unrolled,
                    false => SEQUENTIAL,
                };
                let step = |g: &mut Self, x: View| g.step(fold, &ty, &acc, Some((element, x)), env);
                if let Some(fetched) = self.fetched(of, env)? {
                    self.pipeline(&length, loops, &fetched, env, step)?;
                    return self.folded(&ty, &acc, to);
                }
                let xs = self.view(of.rotated().unwrap_or(of), env)?;
                if let Some(rotation) = self.rotation(of, &xs, &length, env)? {
                    self.rotating(&length, loops, &rotation, |g, _, x| step(g, x))?;
                    return self.folded(&ty, &acc, to);
                }
                self.elements(&length, Some(&xs), loops, |g, i| {
                    let x = g.at(&xs, i)?;
                    step(g, x)
                })?;
            }
        }
        self.folded(&ty, &acc, to)
    }

    /// Writes the last running value to its destination.
    fn folded(&mut self, ty: &Type, acc: &View, to: Option<&View>) -> Result<View> {
        if let Some(to) = to
            && !acc.is_same_place(to)
        {
            self.copy(ty, acc, to)?;
        }
        Ok(acc.constant())
    }

    /// Does a fold start with the value that this place holds already, and does nothing else in it read that value?
    fn goes_on(&mut self, e: &Read, start: &Write, env: &Environment, to: &View) -> bool {
        let Reading::Variable(local) = &start.read.kind else { return false };
        e.uses(local) == 1 && env.locals.get(local).is_some_and(|view| view.is_same_place(to))
    }

    /// Should a running value be kept in memory of its own and copied at the end? Yes if its start asks for a
    /// memory, or if it fits into registers.
    fn kept_apart(&self, ty: &Type, start: &Write) -> bool {
        let few = self.value(&ty.scalars()).is_ok_and(|scalars| scalars <= REGISTERS);
        few || start.read.memory().is_some_and(|memory| memory.space != kernel::Space::Global)
    }

    /// `scan`: copies every running value to its place in the result.
    pub fn scan(&mut self, fold: &Fold, env: &Environment, to: &View) -> Result<()> {
        let ty = self.ty(&fold.start.read.ty, env);
        self.prefixes(fold, env, |g, i, acc| {
            let to = g.at(to, i)?;
            g.copy(&ty, &acc, &to)
        })
    }

    /// The running values of a `scan`, each used as soon as it is there.
    pub fn prefixes(
        &mut self,
        fold: &Fold,
        env: &Environment,
        mut each: impl FnMut(&mut Self, &Nat, View) -> Result<()>,
    ) -> Result<()> {
        let (Over::Elements { element, of, .. } | Over::Prefixes { element, of }) = &fold.over else {
            return Err(Unsupported("the intermediate results of an `iterate`".into()));
        };
        let ty = self.ty(&fold.start.read.ty, env);
        let acc = self.running(&ty, &fold.running, &fold.start, env, Change::Freely)?;
        let (length, xs) = (self.length(&of.ty, env)?, self.view(of, env)?);
        self.elements(&length, Some(&xs), SEQUENTIAL, |g, i| {
            let x = g.at(&xs, i)?;
            g.step(fold, &ty, &acc, Some((element, x)), env)?;
            each(g, i, acc.clone())
        })
    }

    /// The running value, at its start, under the names that the function gives it.
    fn running(
        &mut self,
        ty: &Type,
        pattern: &Pattern,
        start: &Write,
        env: &Environment,
        change: Change,
    ) -> Result<View> {
        if let Some(register) = self.register(ty) {
            let value = self.compute(&start.read, env)?;
            let local = self.variable(&pattern_name(pattern), register);
            self.emit(Stmt::Declare { local: local.clone(), value, change })?;
            return Ok(View::Variable(local));
        }
        match (ty, pattern, &start.kind) {
            (Type::Tuple(types), Pattern::Tuple(patterns), Writing::Tuple(starts)) => {
                let parts = types.iter().zip(patterns).zip(starts);
                let parts: Result<Vec<View>> =
                    parts.map(|((t, p), s)| self.running(t, p, s, env, change)).collect();
                Ok(View::Struct { parts: parts?, depth: 0 })
            }
            (_, Pattern::Typed(inner, _), _) => self.running(ty, inner, start, env, change),
            _ => {
                let name = pattern_name(pattern);
                let memory = start.read.memory();
                let acc = match memory.map(|memory| memory.space) {
                    Some(kernel::Space::Items) => self.items(ty, &name)?,
                    Some(kernel::Space::Local) => {
                        let pitch = start.read.pitch().map_or(Nat::constant(0), |pitch| env.nat(pitch));
                        self.shared(&ty.pitched(&pitch), &name)?
                    }
                    _ => self.memory(ty, &name, memory.is_some_and(|memory| memory.asked))?,
                };
                self.write(start, env, &acc)?;
                Ok(acc)
            }
        }
    }

    /// One step: the running value becomes the function's result.
    fn step(
        &mut self,
        fold: &Fold,
        ty: &Type,
        acc: &View,
        x: Option<(&Pattern, View)>,
        env: &Environment,
    ) -> Result<()> {
        let body = &fold.step;
        let mut env = self.bind(&fold.running, acc.constant(), env, &body.read)?;
        if let Some((pattern, x)) = x {
            env = self.bind(pattern, x, &env, &body.read)?;
        }
        if let (Type::Scalar(_) | Type::Vector(..), View::Variable(local)) = (ty, acc) {
            let value = self.compute(&body.read, &env)?;
            return self.emit(Stmt::Assign(local.clone(), value));
        }
        let (block, ()) = self.block(|g| g.write(body, &env, acc))?;
        let mut own = vec![];
        acc.targets(&mut own);
        // What is computed twice is computed of the same old value both times.
        if !body.read.writes_twice() && in_place(&block, &own, &self.facts) {
            return block.into_iter().try_for_each(|stmt| self.emit(stmt));
        }
        if acc.is_of_group() {
            return Err(Unsupported(
                "a step reads elements of its running value after it has written others, and the running value is in local \
                 memory: keep what it needs of it in memory of its own, by `toLocal`, before"
                    .into(),
            ));
        }
        // Some element needs the old value of another: the new values are made apart.
        let next = self.memory(ty, "next", false)?;
        self.write(body, &env, &next)?;
        self.copy(ty, &next, acc)
    }
}
