//! A loop over work-items is not printed as a loop if the device runs exactly one work-item per iteration: its
//! variable is the id of the work-item. Several such loops of one kind and name share one variable.

use crate::kernel::{Parallel, Stmt};
use crate::nat::{Nat, Var};
use std::sync::Arc;

/// The variables that hold ids of work-items, by dimension and name.
type Known = Vec<((Parallel, Arc<str>), Var)>;

/// The statements with only the first of such loops left. `is_none` says whether a loop is not printed as one.
pub fn shared(body: &[Stmt], is_none: &dyn Fn(&Stmt) -> bool) -> Vec<Stmt> {
    block(body, &mut vec![], is_none)
}

/// `known` are the variables of work-items that are in scope here.
fn block(stmts: &[Stmt], known: &mut Known, is_none: &dyn Fn(&Stmt) -> bool) -> Vec<Stmt> {
    let mut all = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Loop { var, extent, parallel, body } if is_none(stmt) => {
                let id = (*parallel, var.name.clone());
                let same = known.iter().find(|(other, _)| *other == id).map(|(_, var)| var.clone());
                match same {
                    Some(same) => {
                        let same = Nat::var(&same);
                        let rename = |n: &Nat| n.substitute(&|v| (v == var).then(|| same.clone()));
                        let body: Vec<Stmt> = body.iter().map(|s| s.reindexed(&|n, _| rename(n))).collect();
                        all.extend(block(&body, known, is_none));
                    }
                    None => {
                        known.push((id, var.clone()));
                        let (var, extent, parallel) = (var.clone(), extent.clone(), *parallel);
                        all.push(Stmt::Loop { var, extent, parallel, body: block(body, known, is_none) });
                    }
                }
            }
            // A variable that is declared in a block is gone after it.
            other => {
                all.push(other.rebuilt(&mut |e| e.clone(), &mut |b| block(b, &mut known.clone(), is_none)))
            }
        }
    }
    all
}
