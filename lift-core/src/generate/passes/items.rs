//! Registers distributed over the work-items of a group: one array for all, of which each work-item holds the part
//! that its own indices select.
//!
//! Where a group's work-items are run by loops, as in C, it is an ordinary array. In OpenCL each
//! work-item has only its own part: the indices that select it go away.

use crate::generate::{Result, Unsupported};
use crate::kernel::{Array, ArrayId, Expr, Parallel, Space, Stmt};
use crate::nat::{Condition, Facts, Nat, Var};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// A dimension of the group, and the distance between its neighbours' parts, in elements.
type Strides = BTreeMap<u8, usize>;

/// The statements of one work-item, if any array is distributed. `fixed` substitutes the values of sizes.
pub fn of_one(body: &[Stmt], group: [usize; 3], fixed: &dyn Fn(&Nat) -> Nat) -> Result<Option<Vec<Stmt>>> {
    // All accesses are read first: how far apart the parts of neighbouring work-items are must be the same for
    // all of them, and each must stay within its work-item's part.
    let mut reader = Reader { fixed, accesses: vec![], foreign: None };
    reader.block(body, &[], &Facts::new());
    let Reader { accesses, foreign, .. } = reader;
    if let Some(array) = foreign {
        return Err(foreign_to(&array));
    }
    let mut parts: BTreeMap<ArrayId, Part> = BTreeMap::new();
    for access in &accesses {
        let array = &access.array;
        let part = match parts.entry(array.id) {
            Entry::Occupied(part) => part.into_mut(),
            Entry::Vacant(place) => {
                let strides = strides(array, &accesses)?;
                place.insert(Part::new(array, &strides, group, fixed).ok_or_else(|| uneven(array))?)
            }
        };
        if !part.has(access) {
            return Err(foreign_to(array));
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let writer = Writer { parts, fixed, uneven: RefCell::default() };
    let body = writer.block(body, &[]);
    writer.uneven.into_inner().map_or(Ok(Some(body)), Err)
}

fn foreign_to(array: &Array) -> Unsupported {
    Unsupported(format!(
        "`{}` is in registers (`toItems`), and a work-item would use an element in the registers of another: keep it with \
         `toLocal`",
        array.name
    ))
}

/// Where an array is used.
struct Access {
    array: Arc<Array>,
    strides: Strides,
    /// Only the first work-items in these dimensions reach this place: their indices may have been simplified to 0.
    first: Vec<u8>,
    /// The index where the work-item's own numbers are 0, and what is known there.
    own: Nat,
    facts: Facts,
}

/// The strides that all accesses of an array agree on. A dimension that only its first work-item
/// reaches has no stride of its own.
fn strides(array: &Array, accesses: &[Access]) -> Result<Strides> {
    let own = || accesses.iter().filter(|access| access.array.id == array.id);
    let all: Strides = own().flat_map(|access| access.strides.clone()).collect();
    let differs = |access: &Access| {
        all.iter().any(|(d, stride)| match access.strides.get(d) {
            Some(own) => own != stride,
            None => !access.first.contains(d),
        })
    };
    if own().any(differs) { Err(foreign_to(array)) } else { Ok(all) }
}

fn uneven(array: &Array) -> Unsupported {
    Unsupported(format!(
        "`{}` is in registers (`toItems`), but its elements can't be distributed evenly over the work-items of the group: keep \
         it with `toLocal`",
        array.name
    ))
}

/// A work-item's own part: in every `period` elements a run of `run` at the same place.
struct Part {
    array: Arc<Array>,
    run: usize,
    period: usize,
    length: usize,
}

impl Part {
    /// The parts of a group's work-items; `None` if they do not tile the array: each stride must be
    /// the next smaller one times its number of work-items, and the smallest is the length of a run.
    fn new(array: &Array, strides: &Strides, group: [usize; 3], fixed: &dyn Fn(&Nat) -> Nat) -> Option<Part> {
        let mut all: Vec<(usize, usize)> =
            strides.iter().map(|(d, stride)| (*stride, group[usize::from(*d)])).collect();
        all.sort_unstable();
        let length = number(&fixed(&array.length))?;
        let run = all.first().map_or(length, |(stride, _)| *stride);
        let period =
            all.iter().try_fold(run, |next, (stride, count)| (*stride == next).then(|| next * count))?;
        // A dimension without a stride may have one work-item only: several would share a part.
        let named: usize = (0..3).filter(|d| !strides.contains_key(&(*d as u8))).map(|d| group[d]).product();
        let even = period > 0 && length.is_multiple_of(period) && named == 1;
        even.then(|| {
            let own = Nat::from(length / period * run);
            let array = Arc::new(Array { space: Space::Private, length: own, ..array.clone() });
            Part { array, run, period, length }
        })
    }

    /// Is the index, without the work-item's own contribution, always within the run that begins the part?
    fn has(&self, access: &Access) -> bool {
        let run = Nat::from(self.run);
        let own = match self.period == self.length {
            true => access.own.clone(),
            false => access.own.rem(&Nat::from(self.period)),
        };
        let facts = &access.facts;
        facts.certain(&Condition::ge(&own, Nat::constant(0))) && facts.certain(&Condition::lt(&own, &run))
    }

    /// The index in the part, given the index in the whole array with the work-item's own variables at 0. Every
    /// whole period of the array is a run of the part; `None` where a term's factor lies outside its run.
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

/// A loop over work-items around a place, and its dimension.
type Around = (Var, u8);

/// Collects the accesses to distributed arrays.
struct Reader<'a> {
    fixed: &'a dyn Fn(&Nat) -> Nat,
    accesses: Vec<Access>,
    /// An array with an index that is not linear in a work-item's number.
    foreign: Option<Arc<Array>>,
}

impl Reader<'_> {
    fn block(&mut self, stmts: &[Stmt], around: &[Around], facts: &Facts) {
        for stmt in stmts {
            stmt.accesses(&mut |array, index, _, _| self.access(array, index, around, facts));
            match stmt {
                Stmt::Loop { var, extent, body, .. } => {
                    let mut inside = facts.clone();
                    inside.range(var, &Nat::constant(0), &(self.fixed)(extent));
                    self.block(body, &inner(stmt, around), &inside);
                }
                Stmt::If(Expr::Test(condition), then, otherwise) => {
                    let mut inside = facts.clone();
                    inside.assume(&condition.map(self.fixed));
                    self.block(then, around, &inside);
                    self.block(otherwise, around, facts);
                }
                _ => stmt.blocks().into_iter().for_each(|b| self.block(b, around, facts)),
            }
        }
    }

    fn access(&mut self, array: &Arc<Array>, index: &Nat, around: &[Around], facts: &Facts) {
        if array.space != Space::Items {
            return;
        }
        let (array, mut own, mut strides) = (array.clone(), (self.fixed)(index), Strides::new());
        for (var, d) in around {
            // The factor of a work-item's number in the index is the stride of its dimension.
            let Some((factor, rest)) = own.linear_in(var) else { return self.foreign = Some(array) };
            match number(&factor) {
                Some(0) => {}
                Some(stride) => drop(strides.insert(*d, stride)),
                None => return self.foreign = Some(array),
            }
            own = rest;
        }
        let first = |(var, _): &&Around| facts.bounds(&Nat::var(var)).1 == Some(0);
        let first = around.iter().filter(first).map(|(_, d)| *d).collect();
        self.accesses.push(Access { array, strides, first, own, facts: facts.clone() });
    }
}

fn inner(stmt: &Stmt, around: &[Around]) -> Vec<Around> {
    let mut inner = around.to_vec();
    if let Stmt::Loop { var, parallel: Parallel::Local(d), .. } = stmt {
        inner.push((var.clone(), *d));
    }
    inner
}

/// Rewrites the statements for one work-item: arrays become its parts, indices those in them.
struct Writer<'a> {
    parts: BTreeMap<ArrayId, Part>,
    fixed: &'a dyn Fn(&Nat) -> Nat,
    /// Why that failed, if it did.
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
        self.parts.get(&array.id).map_or(array, |part| &part.array).clone()
    }

    fn index(&self, array: &Array, index: &Nat, around: &[Around]) -> Nat {
        let Some(part) = self.parts.get(&array.id) else { return index.clone() };
        let own = index.substitute(&|v| around.iter().any(|(var, _)| var == v).then(|| Nat::constant(0)));
        part.index(&own, self.fixed).unwrap_or_else(|| {
            self.uneven.replace(Some(uneven(array)));
            own
        })
    }
}
