//! Where the device runs as many work-items as a loop over them has iterations, it is no loop: its variable says
//! which one this is. Several such loops of one kind and name need one variable.

use crate::kernel::{Parallel, Stmt};
use crate::nat::{Nat, Var};
use std::sync::Arc;

/// Which of the work-items is meant, by a variable of this name.
type Known = Vec<((Parallel, Arc<str>), Var)>;

/// Statements in which only the first of such loops is left. `is_none` says whether a loop is none.
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
