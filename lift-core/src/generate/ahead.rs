//! `ahead`: the elements of an array computed one step of a reduction before they are used, so that what
//! they are loaded from has time to answer (software pipelining).
//!
//! An element is kept in registers. As soon as a step has made all its uses of one, the next is fetched into
//! the same registers, and the rest of the step goes on meanwhile.

use super::fold::{constant, reads_any, targets};
use super::read::kept_elements;
use super::view::View;
use super::{Environment, Generator, Loops, Result, parts};
use crate::expr::{Argument, Expr, Kind, Lambda};
use crate::kernel::{self, Space, Stmt};
use crate::nat::{Condition, Nat};
use crate::primitives::Form;
use crate::types::Type;

/// The arrays of a reduction, some of them ahead.
pub struct Fetched<'e> {
    arrays: Vec<Source<'e>>,
}

enum Source<'e> {
    Read(View),
    Ahead {
        memory: View,
        ty: Type,
        /// What an element is computed by, if it is more than an element of `inner`.
        function: Option<&'e Lambda>,
        inner: View,
    },
}

impl Generator<'_> {
    /// The arrays that a reduction goes over, if any is ahead.
    pub fn fetched<'e>(&mut self, xs: &'e Expr, env: &Environment) -> Result<Option<Fetched<'e>>> {
        let arrays: Vec<&Expr> = match &*xs.kind {
            Kind::Apply(p, arguments) if matches!(p.form, Form::Zip) => {
                arguments.iter().filter_map(Argument::expr).collect()
            }
            _ => vec![xs],
        };
        if arrays.iter().all(|array| operand(array).is_none()) {
            return Ok(None);
        }
        let arrays: Result<Vec<Source>> = arrays.into_iter().map(|array| self.source(array, env)).collect();
        Ok(Some(Fetched { arrays: arrays? }))
    }

    fn source<'e>(&mut self, array: &'e Expr, env: &Environment) -> Result<Source<'e>> {
        let Some(ys) = operand(array) else { return Ok(Source::Read(self.view(array, env)?)) };
        let ty = self.ty(ys, env)?.as_array().map_or(Type::Index, |(element, _)| element.clone());
        let (function, inner) = match computed(ys) {
            Some((function, xs)) => (Some(function), self.view(xs, env)?),
            None => (None, self.view(ys, env)?),
        };
        let memory = match function.and_then(|f| kept_elements(&f.body)) {
            Some(Space::Items) => self.items(&ty, "next")?,
            _ => self.private(&ty, "next")?,
        };
        Ok(Source::Ahead { memory, ty, function, inner })
    }

    /// The steps of a reduction over these arrays. `step` is given the elements.
    pub fn pipeline(
        &mut self,
        length: &Nat,
        loops: Loops,
        fetched: &Fetched,
        env: &Environment,
        mut step: impl FnMut(&mut Self, View) -> Result<()>,
    ) -> Result<()> {
        if self.facts.bounds(length).1 == Some(0) {
            return Ok(());
        }
        self.fetch(fetched, &Nat::constant(0), env)?;
        let mut own = vec![];
        for source in &fetched.arrays {
            if let Source::Ahead { memory, .. } = source {
                targets(memory, &mut own);
            }
        }
        self.elements(length, None, loops, |g, i| {
            let element = g.elements_of(fetched, i)?;
            let (mut block, ()) = g.block(|g| step(g, element))?;
            let used = block.iter().rposition(|stmt| reads_any(stmt, &own)).map_or(0, |k| k + 1);
            let rest = block.split_off(used);
            block.into_iter().try_for_each(|stmt| g.emit(stmt))?;
            let next = g.facts.simplify(&(i + 1));
            let there = Condition::lt(&next, length);
            if !g.facts.certain(&Condition::ge(&next, length)) {
                let body = |g: &mut Self| g.block(|g| g.fetch(fetched, &next, env));
                let (fetch, ()) = g.knowing(|facts| facts.assume(&there), body)?;
                match g.facts.certain(&there) {
                    true => fetch.into_iter().try_for_each(|stmt| g.emit(stmt))?,
                    false => g.emit(Stmt::If(kernel::Expr::Test(there), fetch, vec![]))?,
                }
            }
            rest.into_iter().try_for_each(|stmt| g.emit(stmt))
        })
    }

    /// Element `i` of each array that is ahead, into its registers.
    fn fetch(&mut self, fetched: &Fetched, i: &Nat, env: &Environment) -> Result<()> {
        for source in &fetched.arrays {
            let Source::Ahead { memory, ty, function, inner } = source else { continue };
            let x = self.at(inner, i)?;
            match function {
                Some(f) => {
                    let env = self.bind(&f.params[0], x, env, &f.body)?;
                    self.write(own(&f.body), &env, memory)?;
                }
                None => self.copy(ty, &x, memory)?,
            }
        }
        Ok(())
    }

    fn elements_of(&mut self, fetched: &Fetched, i: &Nat) -> Result<View> {
        let mut views = vec![];
        for source in &fetched.arrays {
            views.push(match source {
                Source::Read(view) => self.at(view, i)?,
                Source::Ahead { memory, .. } => constant(memory),
            });
        }
        Ok(if views.len() == 1 { views.remove(0) } else { View::Struct { parts: views, depth: 0 } })
    }
}

/// What is ahead.
fn operand(e: &Expr) -> Option<&Expr> {
    match &*e.kind {
        Kind::Apply(p, arguments) if matches!(p.form, Form::Ahead) => arguments.first()?.expr(),
        _ => None,
    }
}

/// The function and the array of a map.
fn computed(ys: &Expr) -> Option<(&Lambda, &Expr)> {
    let Kind::Apply(p, arguments) = &*ys.kind else { return None };
    match (&p.form, parts(arguments)) {
        (Form::Map | Form::MapSeq(_), (Some(lambda), _, values)) => Some((lambda, values.first()?)),
        _ => None,
    }
}

/// What is kept, without the memory that it says: it is kept where it is fetched to.
fn own(body: &Expr) -> &Expr {
    match &*body.kind {
        Kind::Apply(p, arguments) if matches!(p.form, Form::Kept(_)) => {
            arguments.first().and_then(Argument::expr).unwrap_or(body)
        }
        _ => body,
    }
}
