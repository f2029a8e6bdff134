//! The order in which a search gives values to variables.

use super::Known;
use super::context::Context;
use crate::nat::{Nat, Var};
use std::collections::BTreeSet;

/// Variables in the order in which they get values, and what can be said once the first `n` have
/// one: which others follow from them, and which facts can be checked.
pub(super) struct Schedule<'a> {
    /// Each variable that is chosen freely.
    pub order: Vec<Var>,
    /// By how many of them have a value: those whose value an equation gives then.
    pub follow: Vec<Vec<(Var, Nat)>>,
    /// By how many have a value: the facts all of whose variables have one then, and not before. Checking
    /// each as early as possible is what cuts the search short.
    pub checks: Vec<Vec<&'a Known>>,
}

impl<'a> Schedule<'a> {
    pub fn new(known: &'a [Known], context: &Context, vars: &BTreeSet<Var>) -> Schedule<'a> {
        let solved = |v: &Var| context.solved.get(v).map(|image| (v.clone(), image.clone()));
        let mut dependent: Vec<(Var, Nat)> = vars.iter().filter_map(solved).collect();
        let mut free: BTreeSet<Var> = dependent.iter().flat_map(|(_, image)| image.vars()).collect();
        free.extend(vars.iter().filter(|v| !context.solved.contains_key(v)).cloned());
        let mut order: Vec<Var> = free.into_iter().collect();
        // Sizes, what equations introduced, index variables: ranges depend on what comes before.
        order.sort_by_key(|v| (v.index > 0, !v.is_introduced(), v.depth()));
        let mut waiting: Vec<&Known> = known.iter().filter(|k| vars_of(k).is_subset(vars)).collect();
        let (mut follow, mut checks) = (vec![], vec![]);
        let mut valued = BTreeSet::new();
        for count in 0..=order.len() {
            valued.extend(count.checked_sub(1).and_then(|last| order.get(last)).cloned());
            let now: Vec<(Var, Nat)> =
                dependent.extract_if(.., |(_, n)| n.vars().is_subset(&valued)).collect();
            valued.extend(now.iter().map(|(v, _)| v.clone()));
            follow.push(now);
            checks.push(waiting.extract_if(.., |k| vars_of(k).is_subset(&valued)).collect());
        }
        Schedule { order, follow, checks }
    }
}

/// All variables that facts connect with these, directly or through others. What has one value connects nothing: whatever
/// values other variables have, it has that.
pub(super) fn component(known: &[Known], context: &Context, wanted: &BTreeSet<Var>) -> BTreeSet<Var> {
    let has_one_value = |v: &Var| context.solved.get(v).is_some_and(|image| image.as_constant().is_some());
    let mut open: Vec<BTreeSet<Var>> = known.iter().map(vars_of).collect();
    let mut all = wanted.clone();
    loop {
        let connected = |vars: &mut BTreeSet<Var>| vars.iter().any(|v| all.contains(v) && !has_one_value(v));
        let more: Vec<BTreeSet<Var>> = open.extract_if(.., connected).collect();
        if more.is_empty() {
            return all;
        }
        all.extend(more.into_iter().flatten());
    }
}

fn vars_of(known: &Known) -> BTreeSet<Var> {
    match known {
        Known::Size(v) | Known::Fix(v, _) => BTreeSet::from([v.clone()]),
        Known::Range(v, low, end) => {
            let mut all = low.vars();
            all.append(&mut end.vars());
            all.insert(v.clone());
            all
        }
        Known::Assume(c) => c.vars(),
    }
}

impl Known {
    /// Is it true of this valuation? Without a value for one of its variables it is not.
    pub fn holds(&self, env: &dyn Fn(&Var) -> Option<i64>) -> bool {
        match self {
            Known::Size(v) => env(v).is_some_and(|x| x >= 1),
            Known::Fix(v, value) => env(v) == Some(*value),
            Known::Range(v, low, end) => match (env(v), low.eval(env), end.eval(env)) {
                (Some(x), Ok(low), Ok(end)) => low <= x && x < end,
                _ => false,
            },
            Known::Assume(c) => c.eval(env) == Ok(true),
        }
    }

    /// The expressions in it.
    pub fn each(&self, f: &mut dyn FnMut(&Nat)) {
        match self {
            Known::Assume(c) => c.each(f),
            Known::Range(_, low, end) => {
                f(low);
                f(end);
            }
            Known::Fix(..) | Known::Size(_) => {}
        }
    }
}
