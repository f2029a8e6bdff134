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

/// An index, or its part that is no constant, that grows by the same number in each iteration of a loop.
pub struct Moved {
    pub var: Var,
    /// What it is, by the loop's variable.
    pub value: Nat,
    /// What it is in the first iteration.
    pub first: Nat,
    pub step: Nat,
}

/// Names indices that an innermost loop moves on by themselves, and puts these names into its body. Where several move by
/// the same step, the loop's variable serves all of them.
pub fn moved(body: &[Stmt], var: &Var, name: &mut dyn FnMut(&Array) -> Var) -> (Vec<Moved>, Vec<Stmt>) {
    let found: RefCell<Vec<(Arc<Array>, Nat, Nat, Nat)>> = RefCell::default();
    let find = |n: &Nat, array: Option<&Arc<Array>>| {
        let value = no_size(n);
        let mut all = found.borrow_mut();
        if let Some((array, (first, step))) = array.zip(linear(&value, var))
            && !all.iter().any(|(_, other, ..)| *other == value)
        {
            all.push((array.clone(), value, first, step));
        }
        n.clone()
    };
    body.iter().for_each(|s| drop(s.reindexed(&find)));
    let found = found.into_inner();
    let alone = |step: &Nat| found.iter().filter(|(.., other)| other == step).count() == 1;
    let all = found.iter().filter(|(.., step)| alone(step));
    let all: Vec<Moved> = all
        .map(|(array, value, first, step)| Moved {
            var: name(array),
            value: value.clone(),
            first: first.clone(),
            step: step.clone(),
        })
        .collect();
    let put = |n: &Nat, _: Option<&Arc<Array>>| {
        let value = no_size(n);
        match all.iter().find(|moved| moved.value == value) {
            Some(moved) => &(n - &value) + &Nat::var(&moved.var),
            None => n.clone(),
        }
    };
    let body = body.iter().map(|s| s.reindexed(&put)).collect();
    (all, body)
}

/// What an expression is where a variable is 0, and how much it grows with it, if that is a number for fixed sizes.
fn linear(n: &Nat, var: &Var) -> Option<(Nat, Nat)> {
    let at = |k: i64| n.substitute(&|v| (v == var).then(|| Nat::constant(k)));
    let (first, step) = (at(0), &at(1) - &at(0));
    let grows = step != Nat::constant(0) && step.vars().iter().all(|v| v.index == 0);
    (grows && &first + &(&step * &Nat::var(var)) == *n).then_some((first, step))
}

/// The terms of an index that are more than sizes.
fn no_size(n: &Nat) -> Nat {
    n.terms_in(&|v| v.index == 0).1
}

/// The terms of an index that do not change, sizes left out: they have names already.
fn fixed(n: &Nat, changing: &BTreeSet<Var>) -> Nat {
    no_size(n).terms_in(&|v| !changing.contains(v)).0
}
