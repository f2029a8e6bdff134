//! `ahead`: the elements of an array are computed one step of a reduction before they are used, which hides the
//! latency of their loads (software pipelining).
//!
//! An element is kept in registers. After the last use of an element in a step, the next one is fetched into
//! the same registers, while the rest of the step goes on.

use super::accesses::{Target, reads_any};
use super::view::View;
use super::{Environment, Generator, Loops, Result, Unsupported};
use crate::expr::Pattern;
use crate::kernel::{self, Space, Stmt};
use crate::low::{Fetched, Read, Reading, Write};
use crate::nat::{Condition, Nat};
use crate::types::Type;
use std::rc::Rc;

/// The array that a reduction goes over; one of several zipped arrays may be fetched ahead.
pub enum Source<'e> {
    Read(View),
    /// Several arrays together.
    Zip(Vec<Source<'e>>),
    Ahead {
        /// The registers.
        memory: View,
        /// The type of an element.
        ty: Type,
        /// The function that computes an element, if it is more than an element of `inner`.
        function: Option<&'e (Pattern, Rc<Write>)>,
        /// The array that elements come from.
        inner: View,
    },
}

impl Generator {
    /// The arrays that a reduction goes over, if any is ahead.
    pub fn fetched<'e>(&mut self, xs: &'e Read, env: &Environment) -> Result<Option<Source<'e>>> {
        if is_ahead(xs) { self.source(xs, env).map(Some) } else { Ok(None) }
    }

    fn source<'e>(&mut self, array: &'e Read, env: &Environment) -> Result<Source<'e>> {
        match &array.kind {
            Reading::Zip(arrays) if is_ahead(array) => {
                Ok(Source::Zip(arrays.iter().map(|array| self.source(array, env)).collect::<Result<_>>()?))
            }
            Reading::Ahead(Fetched { function, of }) => {
                let ty = self.ty(&array.ty, env);
                let Some((ty, _)) = ty.as_array() else {
                    return Err(Unsupported("the operand of `ahead` is not an array".into()));
                };
                let inner = self.view(of, env)?;
                let name = self.called_next(array, env);
                let memory = match function
                    .as_ref()
                    .and_then(|(_, body)| body.read.memory().map(|memory| memory.space))
                {
                    Some(Space::Items) => self.items(ty, &name)?,
                    _ => self.private(ty, &name, true)?,
                };
                Ok(Source::Ahead { memory, ty: ty.clone(), function: function.as_ref(), inner })
            }
            _ => Ok(Source::Read(self.view(array, env)?)),
        }
    }

    /// Emits the steps of a reduction over these arrays; `step` is given the elements.
    pub fn pipeline(
        &mut self,
        length: &Nat,
        loops: Loops,
        fetched: &Source,
        env: &Environment,
        mut step: impl FnMut(&mut Self, View) -> Result<()>,
    ) -> Result<()> {
        if self.facts.bounds(length).1 == Some(0) {
            return Ok(());
        }
        // The prologue of the software pipeline: the first element.
        self.fetch(fetched, &Nat::constant(0), env)?;
        let mut own = vec![];
        fetched.registers(&mut own);
        self.elements(length, None, loops, |g, i| {
            let element = g.fetched_element(fetched, i)?;
            let (mut block, ()) = g.block(|g| step(g, element))?;
            // The next element goes into the same registers, so its loads come right behind the last statement
            // that reads this one: as early as a write-after-read hazard allows.
            let used = block.iter().rposition(|stmt| reads_any(stmt, &own)).map_or(0, |k| k + 1);
            let rest = block.split_off(used);
            block.into_iter().try_for_each(|stmt| g.emit(stmt))?;
            // The last step has nothing to fetch. Where the step number does not show which one it is, a test does.
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

    /// Loads element `i` of each array that is fetched ahead into its registers.
    fn fetch(&mut self, fetched: &Source, i: &Nat, env: &Environment) -> Result<()> {
        match fetched {
            Source::Read(_) => Ok(()),
            Source::Zip(arrays) => arrays.iter().try_for_each(|array| self.fetch(array, i, env)),
            Source::Ahead { memory, ty, function, inner } => {
                let x = self.at(inner, i)?;
                match function {
                    Some((element, body)) => {
                        let env = self.bind(element, x, env, &body.read)?;
                        self.write(body, &env, memory)
                    }
                    None => self.copy(ty, &x, memory),
                }
            }
        }
    }

    fn fetched_element(&mut self, fetched: &Source, i: &Nat) -> Result<View> {
        match fetched {
            Source::Read(view) => self.at(view, i),
            Source::Ahead { memory, .. } => Ok(memory.constant()),
            Source::Zip(arrays) => {
                let parts =
                    arrays.iter().map(|array| self.fetched_element(array, i)).collect::<Result<_>>()?;
                Ok(View::Struct { parts, depth: 0 })
            }
        }
    }
}

impl Source<'_> {
    /// The registers that elements are fetched into.
    fn registers(&self, found: &mut Vec<Target>) {
        match self {
            Source::Read(_) => {}
            Source::Ahead { memory, .. } => memory.targets(found),
            Source::Zip(arrays) => arrays.iter().for_each(|array| array.registers(found)),
        }
    }
}

/// Is the array `ahead`, or one of several that are zipped in it?
fn is_ahead(e: &Read) -> bool {
    match &e.kind {
        Reading::Ahead(_) => true,
        Reading::Zip(arrays) => arrays.iter().any(|array| is_ahead(array)),
        _ => false,
    }
}
