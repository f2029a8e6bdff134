//! `reduce`, `scan` and `iterate`: a running value, kept in the memory of a work-item.

use super::rotated::rotated;
use super::view::View;
use super::{Environment, Generator, Loops, Result, SEQUENTIAL, pattern_name};
use crate::expr::Pattern;
use crate::kernel::{self, Array, Change, Stmt};
use crate::low::{Fold, Over, Read, Reading, Run, Write, Writing, holds_arrays};
use crate::nat::Nat;
use crate::types::Type;
use std::collections::HashMap;
use std::sync::Arc;

/// A running value of so many scalars is kept in registers, whatever becomes of it.
const REGISTERS: usize = 64;

impl Generator {
    /// `reduce` or `iterate`, as a value that can be read. Given a place, the running value is
    /// kept there.
    pub fn fold_into(&mut self, e: &Read, fold: &Fold, env: &Environment, to: Option<&View>) -> Result<View> {
        let ty = self.ty(&e.ty, env);
        let change = match fold.over {
            Over::Elements { .. } => Change::Reduction,
            Over::Prefixes { .. } | Over::Times(_) => Change::Freely,
        };
        let acc = match to {
            // The running value of the reduction around it goes on.
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
                let loops = if unrolled { Loops::Unrolled } else { SEQUENTIAL };
                let step = |g: &mut Self, x: View| g.step(fold, &ty, &acc, Some((element, x)), env);
                if let Some(fetched) = self.fetched(of, env)? {
                    self.pipeline(&length, loops, &fetched, env, step)?;
                    return self.folded(&ty, &acc, to);
                }
                let xs = self.view(rotated(of).unwrap_or(of), env)?;
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

    /// The last running value, where it goes.
    fn folded(&mut self, ty: &Type, acc: &View, to: Option<&View>) -> Result<View> {
        if let Some(to) = to
            && !same_place(acc, to)
        {
            self.copy(ty, acc, to)?;
        }
        Ok(constant(acc))
    }

    /// Does a fold start with what is in this place already, which nothing else of it reads?
    fn goes_on(&mut self, e: &Read, start: &Write, env: &Environment, to: &View) -> bool {
        let Reading::Variable(local) = &start.read.kind else { return false };
        e.uses(local) == 1 && env.locals.get(local).is_some_and(|view| same_place(view, to))
    }

    /// Is a running value better kept in memory of its own than where it goes in the end? If its
    /// start says where, and if it fits registers.
    fn kept_apart(&self, ty: &Type, start: &Write) -> bool {
        let few = self.value(&ty.scalars()).is_ok_and(|scalars| scalars <= REGISTERS);
        few || start.read.memory().is_some_and(|memory| memory.space != kernel::Space::Global)
    }

    /// `scan`: every running value goes to its place.
    pub fn scan(&mut self, fold: &Fold, env: &Environment, to: &View) -> Result<()> {
        let (Over::Elements { element, of, .. } | Over::Prefixes { element, of }) = &fold.over else {
            return Ok(());
        };
        let ty = self.ty(&fold.start.read.ty, env);
        let acc = self.running(&ty, &fold.running, &fold.start, env, Change::Freely)?;
        let (length, xs) = (self.length(&of.ty, env)?, self.view(of, env)?);
        self.elements(&length, Some(&xs), SEQUENTIAL, |g, i| {
            let x = g.at(&xs, i)?;
            g.step(fold, &ty, &acc, Some((element, x)), env)?;
            let to = g.at(to, i)?;
            g.copy(&ty, &acc, &to)
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
        let mut env = self.bind(&fold.running, constant(acc), env, &body.read)?;
        if let Some((pattern, x)) = x {
            env = self.bind(pattern, x, &env, &body.read)?;
        }
        if let (Type::Scalar(_) | Type::Vector(..), View::Variable(local)) = (ty, acc) {
            let value = self.compute(&body.read, &env)?;
            return self.emit(Stmt::Assign(local.clone(), value));
        }
        let (block, ()) = self.block(|g| g.write(body, &env, acc))?;
        let mut own = vec![];
        targets(acc, &mut own);
        if in_place(&block, &own) {
            return block.into_iter().try_for_each(|stmt| self.emit(stmt));
        }
        // Some element needs the old value of another: the new values are made apart.
        let next = self.memory(ty, "next", false)?;
        self.write(body, &env, &next)?;
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
