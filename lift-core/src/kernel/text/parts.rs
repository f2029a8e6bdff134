//! Parts of indices that are computed once: before a loop that does not change them, or at the beginning of a
//! block in which several accesses share them.

use crate::kernel::{Array, Stmt};
use crate::nat::{Nat, Var};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A part of indices.
struct Part {
    value: Nat,
    /// The array whose indices had it first.
    array: Option<Arc<Array>>,
    uses: usize,
}

/// Names the parts of indices that do not change in these statements and are used at least `least` times: the
/// statements with the names in them, and what each name means. `is_defined` says whether a part has a value
/// even where none of the statements is executed; `name` makes a name, for indices of an array if one is given.
pub fn named(
    body: &[Stmt],
    changing: Option<&Var>,
    least: usize,
    is_defined: &dyn Fn(&Nat) -> bool,
    name: &mut dyn FnMut(Option<&Array>) -> Var,
) -> (Vec<(Var, Nat)>, Vec<Stmt>) {
    let mut changing: BTreeSet<Var> = changing.cloned().into_iter().collect();
    body.iter().for_each(|s| {
        s.visit(&mut |s| {
            if let Stmt::Loop { var, .. } = s {
                changing.insert(var.clone());
            }
        });
    });
    let found: RefCell<Vec<Part>> = RefCell::default();
    let find = |n: &Nat, array: Option<&Arc<Array>>| {
        let value = fixed(n, &changing);
        // A sum of two numbers in a condition alone is not worth a name.
        let is_work = if array.is_some() { value.is_work() } else { !value.divisors().is_empty() };
        let mut parts = found.borrow_mut();
        match parts.iter_mut().find(|part| part.value == value) {
            Some(part) => part.uses += 1,
            None if is_work && is_defined(&value) => {
                parts.push(Part { value, array: array.cloned(), uses: 1 })
            }
            None => {}
        }
        n.clone()
    };
    body.iter().for_each(|s| drop(s.reindexed(&find)));
    let often = found.into_inner().into_iter().filter(|part| part.uses >= least);
    let names: Vec<(Var, Nat)> = often.map(|part| (name(part.array.as_deref()), part.value)).collect();
    let put = |n: &Nat, _: Option<&Arc<Array>>| {
        let part = fixed(n, &changing);
        match names.iter().find(|(_, value)| *value == part) {
            Some((var, _)) => &(n - &part) + &Nat::var(var),
            None => n.clone(),
        }
    };
    let body = body.iter().map(|s| s.reindexed(&put)).collect();
    (names, body)
}

/// The terms of an index that do not change, sizes left out: they have names already.
fn fixed(n: &Nat, changing: &BTreeSet<Var>) -> Nat {
    let (_, moving) = n.terms_in(&|v| v.index == 0);
    moving.terms_in(&|v| !changing.contains(v)).0
}
