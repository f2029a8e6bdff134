//! Arrays that are put together without being copied: their makers write them to where they belong in the whole.
//!
//! Whether an array's elements lie in the whole one after the other, or its rows do with those of others between them, and from where
//! on, is read from the kernels that would copy them, at the sizes at hand. So it does not matter by which primitives they were put
//! together.

use super::{Graph, Group, Maker, Planned, Value};
use crate::kernel::{ArrayId, Expr, Module, Plan, Role, Rows, Stmt};
use crate::nat::{Nat, Var};
use crate::program::Sizes;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// For each array that is a part of another: that, and how it lies there.
#[derive(Default)]
pub(super) struct Places {
    of: HashMap<Value, (Value, Place)>,
    /// What lies in each array.
    inside: HashMap<Value, Vec<Value>>,
}

/// How an array lies in another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The element of the other that is its first.
    pub offset: usize,
    /// If its elements are not one after the other.
    pub rows: Option<Rows>,
}

impl Place {
    const WHOLE: Place = Place { offset: 0, rows: None };

    /// How what lies in an array lies in another that this array lies in; `None` where its rows would be torn.
    fn within(self, outer: Place) -> Option<Place> {
        let rows = match (self.rows, outer.rows) {
            (rows, None) => rows,
            (Some(Rows { length, apart }), Some(outer)) if apart == outer.length => {
                Some(Rows { length, apart: outer.apart })
            }
            (_, Some(_)) => return None,
        };
        Some(Place { offset: self.offset + outer.offset, rows })
    }
}

impl Places {
    /// The places that spare a copy, and the groups, by number, that have nothing left to do.
    pub(super) fn of(
        graph: &Graph,
        sizes: &Sizes,
        groups: &[Planned<'_>],
        plans: &[Plan],
    ) -> (Places, BTreeSet<usize>) {
        let shape = |value: Value| graph.shape(value, sizes).ok();
        // Arrays of plans that launch a kernel for several can't be moved, since its text has their places.
        let mut fixed: BTreeSet<Value> = graph.outputs.iter().map(|(_, value)| *value).collect();
        for planned in groups {
            let kernels = plans[planned.plan].launches.iter().map(|launch| (launch.module, launch.kernel));
            if kernels.clone().count() != kernels.collect::<BTreeSet<_>>().len() {
                fixed.extend(planned.group.arguments.iter().chain(&planned.group.results));
            }
        }
        let (mut places, mut idle) = (Places::default(), BTreeSet::new());
        for (number, planned) in groups.iter().enumerate() {
            if !planned.group.assembles() {
                continue;
            }
            let (arguments, whole) = (&planned.group.arguments, planned.group.results[0]);
            let rows = |n: usize| rows_in(&shape(arguments[n])?, &shape(whole)?);
            let Some(parts) = parts(&plans[planned.plan], &rows) else { continue };
            let is_constant = |value: Value| graph.edges[value.index].constant;
            let movable = |n: &usize| {
                let part = arguments[*n];
                graph.edges[part.index].maker == Maker::Node
                    && !fixed.contains(&part)
                    && !places.of.contains_key(&part)
                    && is_constant(part) == is_constant(whole)
            };
            // What is put in twice can't be in two places.
            let once = arguments.iter().collect::<BTreeSet<_>>().len() == arguments.len();
            let all = once && parts.len() == arguments.len() && parts.keys().all(movable);
            let parts = parts.into_iter().map(|(n, place)| (arguments[n], place)).collect::<Vec<_>>();
            if all && places.put(&parts, whole) {
                idle.insert(number);
            }
        }
        (places, idle)
    }

    /// The array that this one is part of, itself if it is none, and how it lies there.
    pub(super) fn find(&self, value: Value) -> (Value, Place) {
        self.of.get(&value).copied().unwrap_or((value, Place::WHOLE))
    }

    /// The arguments and results of a group that lie in rows.
    pub(super) fn rows(&self, group: &Group) -> BTreeMap<Role, Rows> {
        let arguments = group.arguments.iter().enumerate().map(|(n, value)| (Role::Input(n), value));
        let results = group.results.iter().enumerate().map(|(n, value)| (Role::Output(n), value));
        let rows =
            arguments.chain(results).filter_map(|(role, value)| Some((role, self.find(*value).1.rows?)));
        rows.collect()
    }

    /// Puts arrays, and what lies in them, into a whole; does not, and is false, if they can't all lie there.
    fn put(&mut self, parts: &[(Value, Place)], whole: Value) -> bool {
        let moved = |(part, outer): &(Value, Place)| {
            let inside = self.inside.get(part).into_iter().flatten();
            let moved = inside.map(|value| Some((*value, self.find(*value).1.within(*outer)?)));
            moved.chain([Some((*part, *outer))]).collect::<Option<Vec<_>>>()
        };
        let Some(all) = parts.iter().map(moved).collect::<Option<Vec<_>>>() else { return false };
        let all = all.concat();
        parts.iter().for_each(|(part, _)| drop(self.inside.remove(part)));
        self.inside.insert(whole, all.iter().map(|(value, _)| *value).collect());
        self.of.extend(all.into_iter().map(|(value, place)| (value, (whole, place))));
        true
    }
}

/// The rows of an array in a whole that has other lengths in one dimension, and is longer in no other.
fn rows_in(part: &[usize], whole: &[usize]) -> Option<Rows> {
    let same_rank = part.len() == whole.len();
    let at = same_rank.then(|| part.iter().zip(whole).position(|(a, b)| a != b)).flatten()?;
    let elements = |shape: &[usize]| shape[at..].iter().try_fold(1usize, |n, length| n.checked_mul(*length));
    Some(Rows { length: elements(part)?, apart: elements(whole)? })
}

/// For each argument of a plan that only copies its arguments, each as it lies or by its rows, to one result: how it lies there.
/// `None` if it does more, or copies otherwise.
fn parts(plan: &Plan, rows: &dyn Fn(usize) -> Option<Rows>) -> Option<BTreeMap<usize, Place>> {
    let mut parts = BTreeMap::new();
    for launch in &plan.launches {
        let (module, kernel) = (plan.modules.get(launch.module)?, plan.kernel(launch)?);
        let role = |id: ArrayId| {
            let at = kernel.arrays.iter().position(|(array, _)| array.id == id)?;
            Some(plan.buffers[launch.arrays[at].0].role)
        };
        let mut copies = Copies { module, role: &role, rows, parts: &mut parts };
        copies.block(kernel.item.as_ref().unwrap_or(&kernel.body), &[])?;
    }
    let length = |wanted: Role| plan.buffers.iter().find(|b| b.role == wanted).map(|b| b.length);
    // All of each, and nothing else, is the whole.
    let lengths: Option<Vec<usize>> = parts.keys().map(|n| length(Role::Input(*n))).collect();
    let whole: usize = lengths?.into_iter().fold(0, usize::saturating_add);
    (Some(whole) == length(Role::Output(0))).then_some(parts)
}

struct Copies<'a> {
    module: &'a Module,
    role: &'a dyn Fn(ArrayId) -> Option<Role>,
    rows: &'a dyn Fn(usize) -> Option<Rows>,
    parts: &'a mut BTreeMap<usize, Place>,
}

impl Copies<'_> {
    /// Statements, inside loops with these numbers of iterations.
    fn block(&mut self, body: &[Stmt], around: &[(Var, i64)]) -> Option<()> {
        body.iter().try_for_each(|stmt| match stmt {
            Stmt::Comment(_) => Some(()),
            Stmt::Loop { var, extent, body, .. } => {
                let own = (var.clone(), self.module.value(extent)?);
                self.block(body, &[around, &[own]].concat())
            }
            Stmt::Store(to, index, Expr::Load(from, read, width)) => {
                let (Some(Role::Output(0)), Some(Role::Input(n))) =
                    ((self.role)(to.id), (self.role)(from.id))
                else {
                    return None;
                };
                let place = match self.offset(index, read, around) {
                    Some(offset) => Place { offset, rows: None },
                    None => self.in_rows((self.rows)(n)?, index, read, i64::from(*width), around)?,
                };
                (*self.parts.entry(n).or_insert(place) == place).then_some(())
            }
            Stmt::Store(..)
            | Stmt::Declare { .. }
            | Stmt::Assign(..)
            | Stmt::Array(..)
            | Stmt::Soon(..)
            | Stmt::Barrier(_)
            | Stmt::If(..) => None,
        })
    }

    /// How much further on each element is written than it is read, if that is the same for all.
    fn offset(&self, index: &Nat, read: &Nat, around: &[(Var, i64)]) -> Option<usize> {
        let single = |var: &Var| around.contains(&(var.clone(), 1)).then(|| Nat::constant(0));
        usize::try_from(self.module.value(&(index - read).substitute(&single))?).ok()
    }

    /// How an array lies whose elements are read and written at these indices: each loop goes on either within the rows or from row
    /// to row.
    fn in_rows(
        &self,
        rows: Rows,
        index: &Nat,
        read: &Nat,
        width: i64,
        around: &[(Var, i64)],
    ) -> Option<Place> {
        let [length, apart] = [rows.length, rows.apart].map(|n| i64::try_from(n).ok());
        let (length, apart) = (length.filter(|n| *n > 0)?, apart?);
        let begin = |var: &Var| around.iter().any(|(other, _)| other == var).then(|| Nat::constant(0));
        let first = |index: &Nat| self.module.value(&index.substitute(&begin));
        let step = |index: &Nat, var: &Var| index.slope(var, &|size| self.module.value(&Nat::var(size)));
        let (read_first, written_first) = (first(read)?, first(index)?);
        let (row, mut last) = (read_first.div_euclid(length), read_first.rem_euclid(length) + width - 1);
        for (var, times) in around {
            let (read, written) = (step(read, var)?, step(index, var)?);
            let from_row_to_row = read % length == 0 && (read / length).checked_mul(apart) == Some(written);
            match (from_row_to_row, read == written && read >= 0) {
                (true, _) => {}
                (false, true) => last = last.checked_add(read.checked_mul(times - 1)?)?,
                (false, false) => return None,
            }
        }
        let offset = written_first - row.checked_mul(apart)? - read_first.rem_euclid(length);
        let inside = last < length && offset >= 0 && offset + length <= apart;
        inside.then_some(Place { offset: usize::try_from(offset).ok()?, rows: Some(rows) })
    }
}
