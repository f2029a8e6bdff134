//! Registers that the work-items of a group share out: one array for all, of which each work-item
//! has the part that its own indices select.
//!
//! Where a group's work-items are run by loops, as in C, it is an ordinary array. In OpenCL each
//! work-item has only its own part: the indices that select it go away.

use super::{Result, Unsupported};
use crate::kernel::{Array, Expr, Parallel, Space, Stmt};
use crate::nat::{Condition, Facts, Nat, Var};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A dimension of the group, and how many elements apart its neighbours' parts are.
type Strides = BTreeMap<u8, usize>;

/// What one work-item does, if any array is shared out. `fixed` puts in the values of sizes.
pub fn of_one(body: &[Stmt], group: [usize; 3], fixed: &dyn Fn(&Nat) -> Nat) -> Result<Option<Vec<Stmt>>> {
    let mut found = BTreeMap::new();
    let mut reader = Reader { group, fixed, found: &mut found, foreign: None };
    reader.block(body, &[]);
    if let Some(name) = reader.foreign {
        return Err(Unsupported(format!("a work-item would use what another keeps of `{name}`")));
    }
    if found.is_empty() {
        return Ok(None);
    }
    let mut parts = BTreeMap::new();
    for (array, strides) in found.values() {
        let part = Part::new(array, strides, group, fixed).ok_or_else(|| uneven(array))?;
        parts.insert(array.index, part);
    }
    let writer = Writer { parts, fixed, uneven: RefCell::default() };
    let body = writer.block(body, &[]);
    writer.uneven.into_inner().map_or(Ok(Some(body)), Err)
}

fn uneven(array: &Array) -> Unsupported {
    Unsupported(format!("`{}` is not shared out evenly among the work-items of a group", array.name))
}

/// A work-item's own part: in every `period` elements a run of `run` at the same place.
struct Part {
    array: Arc<Array>,
    run: usize,
    period: usize,
    length: usize,
}

impl Part {
    fn new(array: &Array, strides: &Strides, group: [usize; 3], fixed: &dyn Fn(&Nat) -> Nat) -> Option<Part> {
        let mut all: Vec<(usize, usize)> =
            strides.iter().map(|(d, stride)| (*stride, group[usize::from(*d)])).collect();
        all.sort_unstable();
        let length = number(&fixed(&array.length))?;
        let run = all.first().map_or(length, |(stride, _)| *stride);
        let period =
            all.iter().try_fold(run, |next, (stride, count)| (*stride == next).then(|| next * count))?;
        let named: usize = (0..3).filter(|d| !strides.contains_key(&(*d as u8))).map(|d| group[d]).product();
        let even = period > 0 && length.is_multiple_of(period) && named == 1;
        even.then(|| {
            let own = Nat::from(length / period * run);
            let array = Arc::new(Array { space: Space::Private, length: own, ..array.clone() });
            Part { array, run, period, length }
        })
    }

    /// Where the element of an index is, what says whose it is being 0.
    fn index(&self, index: &Nat, fixed: &dyn Fn(&Nat) -> Nat) -> Option<Nat> {
        if self.period == self.length {
            return Some(index.clone());
        }
        let (run, period) = (i64::try_from(self.run).ok()?, i64::try_from(self.period).ok()?);
        let own = |n: i64| {
            let within = n.rem_euclid(period);
            (within < run).then_some(n.div_euclid(period) * run + within)
        };
        let mut rest = fixed(index);
        let mut found = Nat::constant(0);
        for var in rest.vars() {
            let (factor, others) = rest.linear_in(&var)?;
            found = &found + &(&Nat::var(&var) * own(factor.as_constant()?)?);
            rest = others;
        }
        Some(&found + own(rest.as_constant()?)?)
    }
}

fn number(n: &Nat) -> Option<usize> {
    n.as_constant().and_then(|n| usize::try_from(n).ok())
}

/// A loop over work-items around a place.
#[derive(Clone)]
struct Around {
    var: Var,
    dimension: u8,
    /// Does only the first of them come there? Then what is known there may have made its number a 0.
    first: bool,
}

struct Reader<'a> {
    group: [usize; 3],
    fixed: &'a dyn Fn(&Nat) -> Nat,
    found: &'a mut BTreeMap<u32, (Arc<Array>, Strides)>,
    foreign: Option<Arc<str>>,
}

impl Reader<'_> {
    fn block(&mut self, stmts: &[Stmt], around: &[Around]) {
        for stmt in stmts {
            if let Stmt::Store(array, index, _) = stmt {
                self.access(array, index, around);
            }
            for e in stmt.exprs() {
                e.visit(&mut |e| {
                    if let Expr::Load(array, index, _) = e {
                        self.access(array, index, around);
                    }
                });
            }
            match stmt {
                Stmt::If(Expr::Test(condition), then, otherwise) => {
                    self.block(then, &self.firsts(condition, around));
                    self.block(otherwise, around);
                }
                _ => {
                    let inner = inner(stmt, around);
                    stmt.blocks().into_iter().for_each(|b| self.block(b, &inner));
                }
            }
        }
    }

    /// The same where a condition holds.
    fn firsts(&self, condition: &Condition, around: &[Around]) -> Vec<Around> {
        let mut facts = Facts::new();
        for Around { var, dimension, .. } in around {
            facts.range(var, &Nat::constant(0), &Nat::from(self.group[usize::from(*dimension)]));
        }
        facts.assume(&condition.map(self.fixed));
        let first = |a: &Around| a.first || facts.bounds(&Nat::var(&a.var)).1 == Some(0);
        around.iter().map(|a| Around { first: first(a), ..a.clone() }).collect()
    }

    fn access(&mut self, array: &Arc<Array>, index: &Nat, around: &[Around]) {
        if array.space != Space::Items {
            return;
        }
        let index = (self.fixed)(index);
        let mut strides = Strides::new();
        for Around { var, dimension, .. } in around {
            let stride = index.linear_in(var).and_then(|(factor, _)| number(&factor));
            match stride {
                Some(0) => {}
                Some(stride) => drop(strides.insert(*dimension, stride)),
                None => self.foreign = Some(array.name.clone()),
            }
        }
        let known = self.found.entry(array.index).or_insert_with(|| (array.clone(), strides.clone()));
        let first = |d: &u8| around.iter().any(|a| a.dimension == *d && a.first);
        let differs = |d: &u8| !first(d) && known.1.get(d) != strides.get(d);
        if known.1.keys().chain(strides.keys()).any(differs) {
            self.foreign = Some(array.name.clone());
        }
    }
}

fn inner(stmt: &Stmt, around: &[Around]) -> Vec<Around> {
    let mut inner = around.to_vec();
    if let Stmt::Loop { var, parallel: Parallel::Local(d), .. } = stmt {
        inner.push(Around { var: var.clone(), dimension: *d, first: false });
    }
    inner
}

struct Writer<'a> {
    parts: BTreeMap<u32, Part>,
    fixed: &'a dyn Fn(&Nat) -> Nat,
    uneven: RefCell<Option<Unsupported>>,
}

impl Writer<'_> {
    fn block(&self, stmts: &[Stmt], around: &[Around]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt, around)).collect()
    }

    fn stmt(&self, stmt: &Stmt, around: &[Around]) -> Stmt {
        let inner = inner(stmt, around);
        match stmt.rebuilt(&mut |e| self.expr(e, around), &mut |b| self.block(b, &inner)) {
            Stmt::Array(array, values) => Stmt::Array(self.array(&array), values),
            Stmt::Store(array, index, value) => {
                Stmt::Store(self.array(&array), self.index(&array, &index, around), value)
            }
            other => other,
        }
    }

    fn expr(&self, e: &Expr, around: &[Around]) -> Expr {
        match e {
            Expr::Load(array, index, width) => {
                Expr::Load(self.array(array), self.index(array, index, around), *width)
            }
            _ => e.map_children(&mut |child| self.expr(child, around)),
        }
    }

    fn array(&self, array: &Arc<Array>) -> Arc<Array> {
        self.parts.get(&array.index).map_or(array, |part| &part.array).clone()
    }

    fn index(&self, array: &Array, index: &Nat, around: &[Around]) -> Nat {
        let Some(part) = self.parts.get(&array.index) else { return index.clone() };
        let own = index.substitute(&|v| around.iter().any(|a| a.var == *v).then(|| Nat::constant(0)));
        part.index(&own, self.fixed).unwrap_or_else(|| {
            self.uneven.replace(Some(uneven(array)));
            own
        })
    }
}
