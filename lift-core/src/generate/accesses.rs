//! The arrays and variables that statements read and write, in order. They decide whether a running value can
//! be updated in place, and when registers are free for the next element.

use crate::kernel::{self, Array, ArrayId, LocalId, Stmt};
use crate::nat::Nat;
use std::collections::HashMap;
use std::sync::Arc;

/// Can a step write the running value while reading it? Yes if it has read all that it reads of it before.
/// Otherwise if every array it stores to is loaded, if at all, at the very index of its only store and not after it,
/// and every variable it assigns is read in no statement but its own assignment.
pub fn in_place(block: &[Stmt], own: &[Target]) -> bool {
    is_read_before(block, own) || is_read_where_written(block, own)
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
        stmt.exprs().into_iter().for_each(|e| read(e, &mut reads));
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
