//! `reduce`, `scan` and `iterate`: a running value, kept in the memory of a work-item.

use super::read::kept_elements;
use super::rotated::rotated;
use super::view::View;
use super::{Environment, Generator, Loops, Result, SEQUENTIAL, Unsupported, parts, pattern_name};
use crate::expr::{Expr, Kind, Lambda, Pattern};
use crate::kernel::{self, Array, Change, Stmt};
use crate::lower::holds_arrays;
use crate::nat::Nat;
use crate::primitives::{Form, Loop};
use crate::types::Type;
use std::collections::HashMap;
use std::sync::Arc;

/// A running value of so many scalars is kept in registers, whatever becomes of it.
const REGISTERS: usize = 64;

impl Generator<'_> {
    /// `reduce` or `iterate`, as a value that can be read. Given a place, the running value is
    /// kept there.
    pub fn fold_into(&mut self, e: &Expr, env: &Environment, to: Option<&View>) -> Result<View> {
        let Kind::Apply(p, arguments) = &*e.kind else { return self.view(e, env) };
        let (Some(lambda), sizes, values) = parts(arguments) else {
            return Err(Unsupported(format!("`{}` without a function", p.name)));
        };
        let ty = self.ty(e, env)?;
        let acc = match to {
            // The running value of the reduction around it goes on.
            Some(to) if self.goes_on(e, values[0], env, to) => to.clone(),
            Some(to) if holds_arrays(&ty) && !self.kept_apart(&ty, values[0]) => {
                self.write(values[0], env, to)?;
                to.clone()
            }
            _ => {
                let change = if matches!(p.form, Form::Iterate) { Change::Freely } else { Change::Reduction };
                self.running(&ty, &lambda.params[0], values[0], env, change)?
            }
        };
        match p.form {
            Form::Iterate => {
                let times = env.nat(sizes[0]);
                let name = super::loop_name(&times);
                self.for_each(&name, &times, SEQUENTIAL, &mut |g, _| g.step(lambda, &ty, &acc, None, env))?;
            }
            _ => {
                let length = self.length(values[1], env)?;
                let unrolled = matches!(p.form, Form::ReduceSeq(Loop::Unrolled));
                let loops = if unrolled { Loops::Unrolled } else { SEQUENTIAL };
                if let Some(fetched) = self.fetched(values[1], env)? {
                    self.pipeline(&length, loops, &fetched, env, |g, x| {
                        g.step(lambda, &ty, &acc, Some(x), env)
                    })?;
                    return self.folded(&ty, &acc, to);
                }
                let xs = self.view(rotated(values[1]).unwrap_or(values[1]), env)?;
                if let Some(rotation) = self.rotation(values[1], &xs, &length, env)? {
                    self.rotating(&length, loops, &rotation, |g, _, x| {
                        g.step(lambda, &ty, &acc, Some(x), env)
                    })?;
                    return self.folded(&ty, &acc, to);
                }
                self.elements(&length, Some(&xs), loops, |g, i| {
                    let x = g.at(&xs, i)?;
                    g.step(lambda, &ty, &acc, Some(x), env)
                })?;
            }
        }
        self.folded(&ty, &acc, to)
    }

    /// The last running value, where it goes.
    fn folded(&mut self, ty: &Type, acc: &View, to: Option<&View>) -> Result<View> {
        if let Some(to) = to
            && !same_place(acc, to)
        {
            self.copy(ty, acc, to)?;
        }
        Ok(constant(acc))
    }

    /// Does a reduction start with what is in this place already, which nothing else of it reads?
    fn goes_on(&mut self, e: &Expr, init: &Expr, env: &Environment, to: &View) -> bool {
        let Kind::Local(local) = &*init.kind else { return false };
        e.uses(local) == 1 && env.locals.get(local).is_some_and(|view| same_place(view, to))
    }

    /// Is a running value better kept in memory of its own than where it goes in the end? If its
    /// start says where, and if it fits registers.
    fn kept_apart(&self, ty: &Type, init: &Expr) -> bool {
        let few = self.value(&ty.scalars()).is_ok_and(|scalars| scalars <= REGISTERS);
        few || kept_elements(init).is_some_and(|space| space != kernel::Space::Global)
    }

    /// `scan`: every running value goes to its place.
    pub fn scan(&mut self, e: &Expr, env: &Environment, to: &View) -> Result<()> {
        let Kind::Apply(p, arguments) = &*e.kind else { return Ok(()) };
        let (Some(lambda), _, values) = parts(arguments) else {
            return Err(Unsupported(format!("`{}` without a function", p.name)));
        };
        let ty = self.ty(values[0], env)?;
        let acc = self.running(&ty, &lambda.params[0], values[0], env, Change::Freely)?;
        let (length, xs) = (self.length(values[1], env)?, self.view(values[1], env)?);
        self.elements(&length, Some(&xs), SEQUENTIAL, |g, i| {
            let x = g.at(&xs, i)?;
            g.step(lambda, &ty, &acc, Some(x), env)?;
            let to = g.at(to, i)?;
            g.copy(&ty, &acc, &to)
        })
    }

    /// The running value, at its start, under the names that the function gives it.
    fn running(
        &mut self,
        ty: &Type,
        pattern: &Pattern,
        init: &Expr,
        env: &Environment,
        change: Change,
    ) -> Result<View> {
        if let Some(register) = self.register(ty) {
            let value = self.compute(init, env)?;
            let local = self.variable(&pattern_name(pattern), register);
            self.emit(Stmt::Declare { local: local.clone(), value, change })?;
            return Ok(View::Variable(local));
        }
        match (ty, pattern, &*init.kind) {
            (Type::Tuple(types), Pattern::Tuple(patterns), Kind::Tuple(inits)) => {
                let parts = types.iter().zip(patterns).zip(inits);
                let parts: Result<Vec<View>> =
                    parts.map(|((t, p), i)| self.running(t, p, i, env, change)).collect();
                Ok(View::Struct { parts: parts?, depth: 0 })
            }
            (_, Pattern::Typed(inner, _), _) => self.running(ty, inner, init, env, change),
            _ => {
                let name = pattern_name(pattern);
                let acc = match kept_elements(init) {
                    Some(kernel::Space::Items) => self.items(ty, &name)?,
                    Some(kernel::Space::Local) => self.shared(&self.rows_of(init, ty, env), &name)?,
                    _ => self.memory(ty, &name)?,
                };
                self.write(init, env, &acc)?;
                Ok(acc)
            }
        }
    }

    /// One step: the running value becomes the function's result.
    fn step(
        &mut self,
        lambda: &Lambda,
        ty: &Type,
        acc: &View,
        x: Option<View>,
        env: &Environment,
    ) -> Result<()> {
        let env = self.bind(&lambda.params[0], constant(acc), env, &lambda.body)?;
        let env = match (x, lambda.params.get(1)) {
            (Some(x), Some(pattern)) => self.bind(pattern, x, &env, &lambda.body)?,
            _ => env,
        };
        if let (Type::Scalar(_) | Type::Vector(..), View::Variable(local)) = (ty, acc) {
            let value = self.compute(&lambda.body, &env)?;
            return self.emit(Stmt::Assign(local.clone(), value));
        }
        let (block, ()) = self.block(|g| g.write(&lambda.body, &env, acc))?;
        let mut own = vec![];
        targets(acc, &mut own);
        if in_place(&block, &own) {
            return block.into_iter().try_for_each(|stmt| self.emit(stmt));
        }
        // Some element needs the old value of another: the new values are made apart.
        let next = self.memory(ty, "next")?;
        self.write(&lambda.body, &env, &next)?;
        self.copy(ty, &next, acc)
    }
}

/// Are these the same memory?
fn same_place(a: &View, b: &View) -> bool {
    match (a, b) {
        (View::Memory { array: a, offset: i, ty: t }, View::Memory { array: b, offset: j, ty: u }) => {
            a == b && i == j && t == u
        }
        (View::Struct { parts: a, depth: n }, View::Struct { parts: b, depth: m }) => {
            n == m && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_place(a, b))
        }
        _ => false,
    }
}

/// Variables that do not change while they are read as this.
pub fn constant(view: &View) -> View {
    match view {
        View::Variable(local) => View::Scalar(kernel::Expr::Local(local.clone())),
        View::Struct { parts, depth: 0 } => {
            View::Struct { parts: parts.iter().map(constant).collect(), depth: 0 }
        }
        other => other.clone(),
    }
}

/// Can a step write the running value while reading it? Yes if every array it stores to is loaded,
/// if at all, at the very index of its only store and not after it, and every variable it assigns
/// is read in no statement but its own assignment.
fn in_place(block: &[Stmt], own: &[Target]) -> bool {
    let mut stores = HashMap::new();
    let mut order = vec![];
    collect(block, &mut stores, &mut order);
    stores.retain(|target, _| own.contains(target));
    order.iter().enumerate().all(|(at, reads)| {
        reads.arrays.iter().all(|(array, index)| match stores.get(&Target::Array(array.index)) {
            Some(places) => places.len() == 1 && places[0].1.as_ref() == Some(index) && places[0].0 >= at,
            None => true,
        }) && reads.locals.iter().all(|local| match stores.get(&Target::Local(local.index)) {
            Some(places) => places.iter().all(|(place, _)| *place >= at),
            None => true,
        })
    })
}

/// What a running value is kept in.
#[derive(PartialEq, Eq, Hash)]
pub enum Target {
    Array(u32),
    Local(u32),
}

pub fn targets(view: &View, found: &mut Vec<Target>) {
    match view {
        View::Memory { array, .. } => found.push(Target::Array(array.index)),
        View::Variable(local) => found.push(Target::Local(local.index)),
        View::Struct { parts, .. } => parts.iter().for_each(|p| targets(p, found)),
        _ => {}
    }
}

/// Is any of these read in a statement?
pub fn reads_any(stmt: &Stmt, targets: &[Target]) -> bool {
    let mut order = vec![];
    collect(std::slice::from_ref(stmt), &mut HashMap::new(), &mut order);
    order.iter().any(|reads| {
        reads.arrays.iter().any(|(array, _)| targets.contains(&Target::Array(array.index)))
            || reads.locals.iter().any(|local| targets.contains(&Target::Local(local.index)))
    })
}

#[derive(Default)]
struct Reads {
    arrays: Vec<(Arc<Array>, Nat)>,
    locals: Vec<kernel::Local>,
}

/// The statements in order: what each reads, and where each target is written.
fn collect(block: &[Stmt], stores: &mut HashMap<Target, Vec<(usize, Option<Nat>)>>, order: &mut Vec<Reads>) {
    for stmt in block {
        let mut reads = Reads::default();
        stmt.exprs().into_iter().for_each(|e| read(e, &mut reads));
        let at = order.len();
        match stmt {
            Stmt::Assign(local, _) => {
                stores.entry(Target::Local(local.index)).or_default().push((at, None));
            }
            Stmt::Store(array, index, _) => {
                stores.entry(Target::Array(array.index)).or_default().push((at, Some(index.clone())));
            }
            _ => {}
        }
        order.push(reads);
        stmt.blocks().into_iter().for_each(|block| collect(block, stores, order));
    }
}

fn read(e: &kernel::Expr, reads: &mut Reads) {
    e.visit(&mut |e| match e {
        kernel::Expr::Local(local) => reads.locals.push(local.clone()),
        kernel::Expr::Load(array, index, _) => reads.arrays.push((array.clone(), index.clone())),
        _ => {}
    });
}
