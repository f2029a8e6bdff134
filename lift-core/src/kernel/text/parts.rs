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
    /// Its name.
    pub var: Var,
    /// What it is, by the loop's variable.
    pub value: Nat,
    /// What it is in the first iteration.
    pub first: Nat,
    /// How much it grows.
    pub step: Nat,
}

/// Names indices that an innermost loop moves on by themselves, and puts these names into its body. Where several move by
/// the same step, the loop's variable serves all of them. As in [`named`], `is_defined` says whether what an index is at first has
/// a value even where there is no iteration.
pub fn moved(
    body: &[Stmt],
    var: &Var,
    is_defined: &dyn Fn(&Nat) -> bool,
    name: &mut dyn FnMut(&Array) -> Var,
) -> (Vec<Moved>, Vec<Stmt>) {
    let found: RefCell<Vec<(Arc<Array>, [Nat; 3])>> = RefCell::default();
    let find = |n: &Nat, array: Option<&Arc<Array>>| {
        let value = no_size(n);
        let mut all = found.borrow_mut();
        if let Some((array, (first, step))) = array.zip(linear(&value, var))
            && is_defined(&first)
            && !all.iter().any(|(_, [other, ..])| *other == value)
        {
            all.push((array.clone(), [value, first, step]));
        }
        n.clone()
    };
    body.iter().for_each(|s| drop(s.reindexed(&find)));
    let found = found.into_inner();
    let alone = |step: &Nat| found.iter().filter(|(_, [.., other])| other == step).count() == 1;
    let all = found.iter().filter(|(_, [.., step])| alone(step));
    let all: Vec<Moved> = all
        .map(|(array, [value, first, step])| Moved {
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

#[cfg(test)]
mod tests {
    use super::moved;
    use crate::hierarchy::Space;
    use crate::kernel::{Array, ArrayId, Expr, Local, LocalId, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::types::Scalar;
    use std::sync::Arc;

    fn load(array: u32, index: Nat) -> Stmt {
        let (name, length) = (Arc::from("xs"), Nat::from(1000));
        let (id, scalar) = (ArrayId::Own(array), Scalar::F32);
        let xs = Array { name, id, scalar, width: 1, space: Space::Global, length, registers: false };
        let local = Local { name: "sum".into(), id: LocalId::Own(array), scalar, width: 4 };
        Stmt::Assign(local, Expr::Load(xs.into(), index, 4))
    }

    /// What is moved on, with its step, and the statements' indices then.
    fn steps(indices: &[Nat], is_defined: bool) -> (Vec<(Nat, Nat)>, Vec<String>) {
        let body: Vec<Stmt> = (0..).zip(indices).map(|(k, index)| load(k, index.clone())).collect();
        let mut count = 0;
        let mut name = |_: &Array| {
            count += 1;
            Var::made(Maker::Printer, "at", count - 1)
        };
        let (moved, body) = moved(&body, &Var::index("i", 1), &|_| is_defined, &mut name);
        let index = |stmt: &Stmt| match stmt {
            Stmt::Assign(_, Expr::Load(_, index, _)) => index.to_string(),
            other => panic!("{other:?}"),
        };
        (moved.into_iter().map(|m| (m.first, m.step)).collect(), body.iter().map(index).collect())
    }

    #[test]
    fn an_index_is_moved_on_where_no_other_moves_by_its_step() {
        let size = Nat::var(&Var::size("N"));
        let [i, p, q] = [("i", 1), ("p", 2), ("q", 3)].map(|(name, n)| Nat::var(&Var::index(name, n)));
        let four = |n: &Nat| n * &Nat::from(4);
        // Constants and sizes are added where it is used.
        let weights = &(&four(&i) + &p) + &size;
        let (moved, indices) = steps(&[weights.clone(), &weights + &Nat::from(2)], true);
        assert_eq!(moved, [(p.clone(), Nat::from(4))]);
        assert!(indices.iter().all(|index| index.contains("at") && !index.contains('i')), "{indices:?}");
        // Two rows move by the same step.
        let (moved, indices) = steps(&[&i + &p, &i + &q, weights.clone()], true);
        assert_eq!(moved, [(p.clone(), Nat::from(4))]);
        assert!(indices[..2].iter().all(|index| index.contains('i')), "{indices:?}");
        // By a size, too.
        assert_eq!(steps(&[&(&i * &size) + &p], true).0, [(p.clone(), size)]);
    }

    #[test]
    fn others_are_computed_from_the_loops_variable() {
        let [i, p] = [("i", 1), ("p", 2)].map(|(name, n)| Nat::var(&Var::index(name, n)));
        for index in [p.clone(), &i * &i, i.div(&Nat::from(2)), &i * &p] {
            assert_eq!(steps(std::slice::from_ref(&index), true), (vec![], vec![index.to_string()]));
        }
        // Without an iteration nothing says that the divisor is not zero.
        let divided = &i + &Nat::from(7).div(&p);
        assert_eq!(steps(std::slice::from_ref(&divided), false).0, []);
        assert_eq!(steps(&[divided], true).0.len(), 1);
    }
}
