//! Register promotion: private arrays whose indices are all constants become variables. A compiler keeps variables in
//! registers, and arrays only where it finds that all of their indices are constants.

use crate::kernel::{Array, ArrayId, Change, Expr, Local, LocalId, Space, Stmt};
use crate::nat::Nat;
use crate::scalar::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// Arrays of more elements do not fit registers anyway.
const MOST: u32 = 1024;

/// Replaces private arrays by variables, one for each element. `value` knows the values of sizes.
pub fn promote(body: Vec<Stmt>, value: &dyn Fn(&Nat) -> Option<usize>) -> Vec<Stmt> {
    let element = |index: &Nat| value(index).and_then(|k| u32::try_from(k).ok()).filter(|k| *k < MOST);
    let promotion = Promotion { arrays: promotable(&body, &element), element: &element };
    if promotion.arrays.is_empty() { body } else { promotion.block(&body) }
}

/// The private arrays whose every index is a number.
fn promotable(body: &[Stmt], element: &dyn Fn(&Nat) -> Option<u32>) -> HashSet<ArrayId> {
    let mut found: BTreeMap<ArrayId, bool> = BTreeMap::new();
    body.iter().for_each(|s| {
        s.visit(&mut |s| {
            s.accesses(&mut |array, index, width, _| {
                // One access at an index that is not a number, or of another width, keeps the whole array an array.
                if array.space == Space::Private {
                    let fits = found.entry(array.id).or_insert(true);
                    *fits = *fits && width == array.width && element(index).is_some();
                }
            });
        });
    });
    found.into_iter().filter(|(_, fits)| *fits).map(|(array, _)| array).collect()
}

/// The variable for element `k` of an array.
fn variable(array: &Array, k: u32) -> Local {
    Local {
        name: Arc::from(format!("{}_{k}", array.name)),
        id: LocalId::Element(array.id, k),
        scalar: array.scalar,
        width: array.width,
    }
}

struct Promotion<'a> {
    arrays: HashSet<ArrayId>,
    element: &'a dyn Fn(&Nat) -> Option<u32>,
}

impl Promotion<'_> {
    fn block(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut promoted = vec![];
        // Elements that are declared by the first statement that writes them.
        let mut waiting: BTreeSet<(ArrayId, u32)> = BTreeSet::new();
        for (at, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Array(array, _) if self.arrays.contains(&array.id) => {
                    for (k, first) in self.elements(array, &stmts[at + 1..]) {
                        if first {
                            waiting.insert((array.id, k));
                        } else {
                            // An element that an inner block writes first is declared where the array was, and begins
                            // with 0: compilers can't see that it is written before it is read.
                            let zero = Expr::Literal(Value::from_integer(0, array.scalar)).splat(array.width);
                            let local = variable(array, k);
                            promoted.push(Stmt::Declare { local, value: zero, change: Change::Freely });
                        }
                    }
                }
                Stmt::Store(array, index, value) if self.arrays.contains(&array.id) => {
                    let Some(k) = (self.element)(index) else { continue };
                    let (local, value) = (variable(array, k), self.expr(value));
                    promoted.push(match waiting.remove(&(array.id, k)) {
                        true => Stmt::Declare { local, value, change: Change::Freely },
                        false => Stmt::Assign(local, value),
                    });
                }
                other => promoted.push(other.rebuilt(&mut |e| self.expr(e), &mut |b| self.block(b))),
            }
        }
        promoted
    }

    /// The elements of an array that are used, and whether the first use of each is a statement of
    /// this very block that writes it.
    fn elements(&self, array: &Array, rest: &[Stmt]) -> BTreeMap<u32, bool> {
        let mut found = BTreeMap::new();
        for stmt in rest {
            let written = match stmt {
                Stmt::Store(a, index, value) if a.id == array.id => {
                    let mut reads = false;
                    value.visit(&mut |e| {
                        reads |= matches!(e, Expr::Load(b, i, _) if b.id == a.id && i == index);
                    });
                    (self.element)(index).filter(|_| !reads)
                }
                _ => None,
            };
            stmt.visit(&mut |s| {
                s.accesses(&mut |a, index, _, _| {
                    if a.id == array.id
                        && let Some(k) = (self.element)(index)
                    {
                        found.entry(k).or_insert(written == Some(k));
                    }
                });
            });
        }
        found
    }

    fn expr(&self, e: &Expr) -> Expr {
        match e {
            Expr::Load(array, index, _) if self.arrays.contains(&array.id) => match (self.element)(index) {
                Some(k) => Expr::Local(variable(array, k)),
                None => e.clone(),
            },
            _ => e.map_children(&mut |child| self.expr(child)),
        }
    }
}
