//! Barriers: where a work-item of a group reads what another one wrote to local memory, or overwrites
//! what another one has still to read.
//!
//! The pass goes through the statements that all work-items of a group reach, in order, with the accesses since the
//! last barrier. It goes through the body of a loop twice, the second time with the accesses of the round before.
//! Elements that only one work-item reads and writes need no barrier: two accesses whose index is the same
//! function of the work-item are made by the same work-item.

use crate::generate::{Result, Unsupported};
use crate::kernel::{Array, ArrayId, Parallel, Space, Stmt};
use crate::nat::{Maker, Nat, Var};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Inserts the barriers that a kernel needs. `written`: the arrays that a loop writes each element of once, so
/// that no round overwrites what another one wrote. `exact`: does a dimension of the group have exactly as many
/// work-items as a loop over it has iterations? Then control flow does not diverge there.
pub fn insert(body: &mut Vec<Stmt>, written: &Written, exact: &dyn Fn(&Nat, u8) -> bool) -> Result<()> {
    let renamed = Renamed::default();
    let mut barriers = Barriers { since: vec![], written, exact, renamed: &renamed, divergent: None };
    barriers.block(body, &[], false);
    match barriers.divergent {
        None => Ok(()),
        Some(array) => Err(Unsupported(format!(
            "divergent control flow around a barrier: the work-items of a group share `{array}`, and not all of them run \
             the loop around it equally often; give the maps of a dimension one length, or keep `{array}` outside the loop"
        ))),
    }
}

/// Indices with the variables of loops under common names. A loop's accesses are looked at from every loop around it, more than
/// once from each.
#[derive(Default)]
struct Renamed(RefCell<FxHashMap<(Nat, Names), Nat>>);

/// Variables of loops, each with the number of its common name.
type Names = Vec<(Var, u32)>;

impl Renamed {
    fn of(&self, index: &Nat, names: &[(Var, u32)]) -> Nat {
        let asked = (index.clone(), names.to_vec());
        if let Some(known) = self.0.borrow().get(&asked) {
            return known.clone();
        }
        let common = |(_, k): &(Var, u32)| Nat::var(&Var::made(Maker::Comparison, "i", *k));
        let renamed = index.substitute(&|v| names.iter().find(|(w, _)| w == v).map(common));
        self.0.borrow_mut().insert(asked, renamed.clone());
        renamed
    }
}

/// The variables of loops, and which arrays each writes once.
pub type Written = HashMap<Var, Vec<ArrayId>>;

#[derive(Clone)]
struct Access {
    /// An array in local memory; nothing else is tracked.
    array: Arc<Array>,
    /// Is it a store? Two loads never conflict.
    writes: bool,
    /// The index with the work-item's own loop variables under common names, and the extents of the loops around. Two
    /// accesses with equal places are made by the same work-item. `None` outside those loops: every work-item makes it.
    place: Option<(Nat, Vec<Nat>)>,
}

struct Barriers<'a> {
    /// The accesses since the last barrier.
    since: Vec<Access>,
    written: &'a Written,
    exact: &'a dyn Fn(&Nat, u8) -> bool,
    renamed: &'a Renamed,
    /// An array that would need a barrier in divergent control flow.
    divergent: Option<Arc<str>>,
}

/// A loop over the work-items of a group around a place.
type Around = (Var, Nat, u8);

impl Barriers<'_> {
    /// Looks at the statements of a block in order and inserts barriers. `strays`: is this divergent control flow,
    /// which some work-items reach more often than others? A barrier there would wait for work-items that never come.
    fn block(&mut self, block: &mut Vec<Stmt>, around: &[Around], strays: bool) {
        let mut at = 0;
        while at < block.len() {
            if matches!(block[at], Stmt::Barrier(_)) {
                self.since.clear();
            } else if spreads(&block[at]) {
                // A barrier that the loop needs goes before it where control flow inside diverges, and also where the
                // loop fills an array, or where its rounds do not wait for each other: one barrier does then, instead
                // of one in each round.
                let apart = self.strays(&block[at]) || self.never_waits(&block[at], around);
                let before = (!strays && apart) || self.fills(&block[at]);
                let waits = begins_with_barrier(&block[at]);
                if before
                    && !waits
                    && let Some(reason) = self.conflict(&self.accesses(&block[at], around), strays)
                {
                    block.insert(at, Stmt::Barrier(reason));
                    self.since.clear();
                    at += 1;
                }
                self.inside(&mut block[at], around, strays);
            } else {
                let accesses = self.accesses(&block[at], around);
                if let Some(reason) = self.conflict(&accesses, strays) {
                    block.insert(at, Stmt::Barrier(reason));
                    self.since.clear();
                    at += 1;
                }
                self.since.extend(accesses);
            }
            at += 1;
        }
    }

    /// Does a sequential loop write each element of some array once? Then its rounds do not conflict over that array.
    fn fills(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Loop { var, parallel: Parallel::Sequential, .. } if self.written.get(var).is_some_and(|arrays| !arrays.is_empty()))
    }

    /// Is this a sequential loop that needs no barrier inside, but for what was done before it?
    fn never_waits(&self, stmt: &Stmt, around: &[Around]) -> bool {
        let (written, exact, renamed) = (self.written, self.exact, self.renamed);
        let mut alone = Barriers { since: vec![], written, exact, renamed, divergent: None };
        let mut stmt = stmt.clone();
        alone.inside(&mut stmt, around, false);
        let mut waits = false;
        stmt.visit(&mut |s| waits |= matches!(s, Stmt::Barrier(_)));
        matches!(stmt, Stmt::Loop { parallel: Parallel::Sequential, .. }) && !waits
    }

    /// Is there a loop over the work-items of a group that some of them run more often than others?
    fn strays(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.visit(&mut |s| {
            found |= matches!(s, Stmt::Loop { extent, parallel: Parallel::Local(d), .. } if !(self.exact)(extent, *d));
        });
        found
    }

    /// A statement with loops over work-items inside.
    fn inside(&mut self, stmt: &mut Stmt, around: &[Around], strays: bool) {
        match stmt {
            Stmt::Loop { var, extent, parallel, body } => {
                let mut inner = around.to_vec();
                let mut strays = strays;
                if let Parallel::Local(d) = parallel {
                    inner.push((var.clone(), extent.clone(), *d));
                    strays |= !(self.exact)(extent, *d);
                }
                // The innermost of them is what a single work-item does.
                self.block(body, &inner, strays);
                // A second look at the body, with the accesses of its own end before it, finds the conflicts of
                // one round with the next. A loop over work-items with one iteration each has no next round.
                if *parallel == Parallel::Sequential || strays {
                    if let Some(arrays) = self.written.get(var) {
                        self.since.retain(|a| !(a.writes && arrays.contains(&a.array.id)));
                    }
                    self.next_round(var);
                    self.block(body, &inner, strays);
                }
            }
            Stmt::If(_, then, otherwise) => {
                // Either branch may have been taken: both begin with the same accesses behind them, and
                // whatever follows has those of both.
                let before = self.since.clone();
                self.block(then, around, strays);
                let after = std::mem::replace(&mut self.since, before);
                self.block(otherwise, around, strays);
                self.since.extend(after);
            }
            _ => {}
        }
    }

    /// The accesses of a statement to local memory.
    fn accesses(&self, stmt: &Stmt, around: &[Around]) -> Vec<Access> {
        let mut accesses = Accesses { renamed: self.renamed, loops: vec![], found: vec![] };
        accesses.collect(std::slice::from_ref(stmt), around);
        accesses.found
    }

    /// Renames a loop's variable in the accesses so far: an access of the last round is to another element than the
    /// access with the same index in this round, and maybe by another work-item.
    fn next_round(&mut self, var: &Var) {
        let last = Nat::var(&Var::made(Maker::Comparison, "last", 0));
        for access in &mut self.since {
            if let Some((index, _)) = &mut access.place {
                *index = index.substitute(&|v| (v == var).then(|| last.clone()));
            }
        }
    }

    /// The first hazard between these accesses and the accesses since the last barrier, in words; `None` if no
    /// work-item touches what another one does.
    fn conflict(&mut self, accesses: &[Access], strays: bool) -> Option<String> {
        let same = |a: &Access, b: &Access| a.place.is_some() && a.place == b.place;
        for now in accesses {
            for before in &self.since {
                if before.array.id != now.array.id || !(before.writes || now.writes) || same(before, now) {
                    continue;
                }
                if strays {
                    self.divergent.get_or_insert(now.array.name.clone());
                }
                let name = &now.array.name;
                return Some(match (before.writes, now.writes) {
                    (true, false) => format!("read-after-write hazard on {name}"),
                    (false, true) => format!("write-after-read hazard on {name}"),
                    _ => format!("write-after-write hazard on {name}"),
                });
            }
        }
        None
    }
}

/// Does a loop begin each round with a barrier?
fn begins_with_barrier(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Barrier(_) => true,
        Stmt::Loop { parallel: Parallel::Sequential, body, .. } => {
            body.first().is_some_and(begins_with_barrier)
        }
        _ => false,
    }
}

/// Are there loops over work-items inside, so that barriers may stand between them?
fn spreads(stmt: &Stmt) -> bool {
    let mut found = false;
    for block in stmt.blocks() {
        block.iter().for_each(|s| {
            s.visit(&mut |s| found |= matches!(s, Stmt::Loop { parallel: Parallel::Local(_), .. }));
        });
    }
    found
}

/// What one work-item does to local memory, with its loops numbered from the outside in.
struct Accesses<'a> {
    renamed: &'a Renamed,
    loops: Vec<(Var, Nat)>,
    found: Vec<Access>,
}

impl Accesses<'_> {
    fn collect(&mut self, block: &[Stmt], around: &[Around]) {
        for stmt in block {
            stmt.accesses(&mut |array, index, _, writes| self.note(array, index, writes, around));
            match stmt {
                Stmt::Loop { var, extent, parallel: Parallel::Local(d), body } => {
                    let mut inner = around.to_vec();
                    inner.push((var.clone(), extent.clone(), *d));
                    self.collect(body, &inner);
                }
                Stmt::Loop { var, extent, body, .. } => {
                    self.loops.push((var.clone(), extent.clone()));
                    self.collect(body, around);
                    self.loops.pop();
                }
                other => other.blocks().into_iter().for_each(|b| self.collect(b, around)),
            }
        }
    }

    /// Notes an access to local memory, its index renamed by the dimension of a work-item's loop and the depth of any
    /// other, so that accesses in different loops over the same work-items can be compared.
    fn note(&mut self, array: &Arc<Array>, index: &Nat, writes: bool, around: &[Around]) {
        if array.space != Space::Local {
            return;
        }
        let items = around.iter().map(|(v, _, d)| (v.clone(), u32::from(*d)));
        let steps = (3..).zip(&self.loops).map(|(k, (v, _))| (v.clone(), k));
        let names: Names = items.chain(steps).collect();
        let extents = around.iter().map(|(_, n, _)| n).chain(self.loops.iter().map(|(_, n)| n));
        let place =
            (!around.is_empty()).then(|| (self.renamed.of(index, &names), extents.cloned().collect()));
        self.found.push(Access { array: array.clone(), writes, place });
    }
}
