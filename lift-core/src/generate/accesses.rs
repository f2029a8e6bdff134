//! The arrays and variables that statements read and write, in order. They decide whether a running value can
//! be updated in place, and when registers are free for the next element.

use crate::kernel::{self, Array, ArrayId, LocalId, Parallel, Stmt};
use crate::nat::{Facts, Nat, Var};
use std::collections::HashMap;
use std::sync::Arc;

/// Can a step write the running value while reading it? Yes if it has read all that it reads of it before.
/// Otherwise if every array it stores to is loaded, if at all, at the very index of its only store and not after it,
/// and every variable it assigns is read in no statement but its own assignment; or if it is a loop each of whose iterations
/// has a part of its own, and can write that while reading it. Of branches one is taken.
pub fn in_place(block: &[Stmt], own: &[Target], facts: &Facts) -> bool {
    is_read_before(block, own) || is_read_where_written(block, own) || part_by_part(block, own, facts)
}

fn part_by_part(block: &[Stmt], own: &[Target], facts: &Facts) -> bool {
    let touches = |stmt: &&Stmt| {
        let mut stores = HashMap::new();
        let mut order = vec![];
        collect(std::slice::from_ref(*stmt), &mut stores, &mut order);
        reads_any(stmt, own) || stores.keys().any(|target| own.contains(target))
    };
    let mut all = block.iter().filter(touches);
    let (var, extent, body) = match (all.next(), all.next()) {
        (Some(Stmt::Loop { var, extent, parallel: Parallel::Sequential, body }), None) => (var, extent, body),
        (Some(Stmt::If(_, then, otherwise)), None) => {
            return in_place(then, own, facts) && in_place(otherwise, own, facts);
        }
        _ => return false,
    };
    let mut facts = facts.clone();
    facts.range(var, &Nat::constant(0), extent);
    let arrays = own.iter().all(|target| match target {
        Target::Array(id) => is_apart(*id, var, body, &facts),
        Target::Local(_) => false,
    });
    arrays && in_place(body, own, &facts)
}

/// Does each iteration of a loop over `var` have a part of an array that no other reads or writes?
fn is_apart(id: ArrayId, var: &Var, body: &[Stmt], facts: &Facts) -> bool {
    let mut facts = facts.clone();
    let mut inner = vec![];
    let mut found = vec![];
    for stmt in body {
        stmt.visit(&mut |stmt| {
            if let Stmt::Loop { var, extent, .. } = stmt {
                facts.range(var, &Nat::constant(0), extent);
                inner.push(var.clone());
            }
            stmt.accesses(&mut |array, index, width, _| {
                if array.id == id {
                    found.push((index.clone(), width / array.width));
                }
            });
        });
    }
    // Where the part begins, apart from what is added inside.
    let Some((first, _)) = found.first() else { return true };
    let begin = first.substitute(&|v| (v == var || inner.contains(v)).then(|| Nat::constant(0)));
    let (mut step, mut low, mut end) = (None, i64::MAX, i64::MIN);
    for (index, elements) in &found {
        let Some((factor, rest)) = index.linear_in(var) else { return false };
        let (Some(least), Some(most)) = facts.bounds(&(rest - &begin)) else { return false };
        if step.get_or_insert_with(|| factor.clone()) != &factor {
            return false;
        }
        (low, end) = (low.min(least), end.max(most + i64::from((*elements).max(1))));
    }
    let step = step.and_then(|step| facts.bounds(&step).0);
    step.is_some_and(|step| step >= end - low)
}

fn is_read_before(block: &[Stmt], own: &[Target]) -> bool {
    let writes = |stmt: &Stmt| {
        let mut stores = HashMap::new();
        collect(std::slice::from_ref(stmt), &mut stores, &mut vec![]);
        stores.keys().any(|target| own.contains(target))
    };
    let first = block.iter().position(writes).unwrap_or(block.len());
    !block[first..].iter().any(|stmt| reads_any(stmt, own))
}

fn is_read_where_written(block: &[Stmt], own: &[Target]) -> bool {
    let mut stores = HashMap::new();
    let mut order = vec![];
    collect(block, &mut stores, &mut order);
    stores.retain(|target, _| own.contains(target));
    order.iter().enumerate().all(|(at, reads)| {
        reads.arrays.iter().all(|(array, index)| match stores.get(&Target::Array(array.id)) {
            Some(places) => places.len() == 1 && places[0].1.as_ref() == Some(index) && places[0].0 >= at,
            None => true,
        }) && reads.locals.iter().all(|local| match stores.get(&Target::Local(local.id)) {
            Some(places) => places.iter().all(|(place, _)| *place >= at),
            None => true,
        })
    })
}

/// A place that holds a value that changes.
#[derive(PartialEq, Eq, Hash)]
pub enum Target {
    Array(ArrayId),
    Local(LocalId),
}

/// Is any of these read in a statement?
pub fn reads_any(stmt: &Stmt, targets: &[Target]) -> bool {
    let mut order = vec![];
    collect(std::slice::from_ref(stmt), &mut HashMap::new(), &mut order);
    order.iter().any(|reads| {
        reads.arrays.iter().any(|(array, _)| targets.contains(&Target::Array(array.id)))
            || reads.locals.iter().any(|local| targets.contains(&Target::Local(local.id)))
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
        stmt.expr().into_iter().for_each(|e| read(e, &mut reads));
        let at = order.len();
        match stmt {
            Stmt::Assign(local, _) => {
                stores.entry(Target::Local(local.id)).or_default().push((at, None));
            }
            Stmt::Store(array, index, _) => {
                stores.entry(Target::Array(array.id)).or_default().push((at, Some(index.clone())));
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
