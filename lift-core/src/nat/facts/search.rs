//! The search for a small counterexample.

use super::Known;
use super::context::Context;
use crate::nat::{Condition, EvalError, Nat, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Valuations tried, for conditions of ordinary size.
const MOST_TRIES: i64 = 6000;
/// An index variable with at most this many values gets them all.
const MOST_VALUES: i64 = 4096;

pub(super) enum Outcome {
    Found(Vec<(Var, i64)>),
    /// Every valuation was tried.
    Impossible,
    None,
}

pub(super) fn search(known: &[Known], context: &Context, condition: &Condition) -> Outcome {
    let wanted = condition.vars();
    let relevant = component(known, &wanted);
    let mut search = Search::new(known, context, condition, relevant);
    search.run();
    match search.best {
        Some((_, values)) => Outcome::Found(values.into_iter().filter(|(v, _)| wanted.contains(v)).collect()),
        None if search.complete => Outcome::Impossible,
        None => Outcome::None,
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

/// What is connected with these variables through facts.
fn component(known: &[Known], wanted: &BTreeSet<Var>) -> BTreeSet<Var> {
    let mut all = wanted.clone();
    loop {
        let before = all.len();
        for k in known {
            let vars = vars_of(k);
            if vars.iter().any(|v| all.contains(v)) {
                all.extend(vars);
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

fn holds(known: &Known, env: &dyn Fn(&Var) -> Option<i64>) -> bool {
    match known {
        Known::Size(v) => env(v).is_some_and(|x| x >= 1),
        Known::Fix(v, value) => env(v) == Some(*value),
        Known::Range(v, low, end) => match (env(v), low.eval(env), end.eval(env)) {
            (Some(x), Ok(low), Ok(end)) => low <= x && x < end,
            _ => false,
        },
        Known::Assume(c) => c.eval(env) == Ok(true),
    }
}

/// Largest value, then sum: less is a smaller counterexample.
type Rank = (i64, i128);

struct Search<'a> {
    condition: &'a Condition,
    context: &'a Context,
    /// Facts to check once this many of `order` have values.
    checks: Vec<Vec<&'a Known>>,
    /// Variables with values of their own, and those that follow once this many have values.
    order: Vec<Var>,
    follow: Vec<Vec<(Var, Nat)>>,
    /// Numbers that occur in the question, and their neighbours.
    numbers: BTreeSet<i64>,
    values: BTreeMap<Var, i64>,
    tries: i64,
    complete: bool,
    /// Order of preference: largest value, then sum.
    best: Option<(Rank, Vec<(Var, i64)>)>,
    wanted: BTreeSet<Var>,
}

impl<'a> Search<'a> {
    fn new(
        known: &'a [Known],
        context: &'a Context,
        condition: &'a Condition,
        vars: BTreeSet<Var>,
    ) -> Search<'a> {
        let mut free: BTreeSet<Var> = BTreeSet::new();
        for v in &vars {
            match context.solved.get(v) {
                Some(image) => free.append(&mut image.vars()),
                None => drop(free.insert(v.clone())),
            }
        }
        // Sizes, then what equations introduced, then index variables, outer ones first.
        let own: BTreeSet<&Var> = free.iter().filter(|v| vars.contains(v)).collect();
        let mut order: Vec<Var> = free.iter().cloned().collect();
        order.sort_by_key(|v| match (v.index, own.contains(v)) {
            (0, _) => (0, 0),
            (n, false) => (1, u32::MAX - n),
            (n, true) => (2, n),
        });
        let relevant: Vec<&Known> =
            known.iter().filter(|k| vars_of(k).iter().all(|v| vars.contains(v))).collect();
        let mut assigned: BTreeSet<Var> = BTreeSet::new();
        let (mut checks, mut follow) = (vec![], vec![]);
        let mut waiting = relevant.clone();
        let mut dependent: Vec<(&Var, &Nat)> =
            vars.iter().filter_map(|v| context.solved.get(v).map(|image| (v, image))).collect();
        for depth in 0..=order.len() {
            if depth > 0 {
                assigned.insert(order[depth - 1].clone());
            }
            let (ready, later) = dependent.into_iter().partition(|(_, n)| n.vars().is_subset(&assigned));
            dependent = later;
            let ready: Vec<(&Var, &Nat)> = ready;
            let ready: Vec<(Var, Nat)> = ready.into_iter().map(|(v, n)| (v.clone(), n.clone())).collect();
            let with: BTreeSet<Var> =
                assigned.iter().cloned().chain(ready.iter().map(|(v, _)| v.clone())).collect();
            let before: BTreeSet<Var> =
                follow.iter().flatten().map(|(v, _): &(Var, Nat)| v.clone()).collect();
            let all: BTreeSet<Var> = with.union(&before).cloned().collect();
            let (closed, open) = waiting.into_iter().partition(|k| vars_of(k).is_subset(&all));
            waiting = open;
            follow.push(ready);
            checks.push(closed);
        }
        let mut numbers = BTreeSet::new();
        let mut collect = |n: &Nat| constants(n, &mut numbers);
        condition.each(&mut collect);
        for k in &relevant {
            match k {
                Known::Assume(c) => c.each(&mut collect),
                Known::Range(_, low, end) => {
                    collect(low);
                    collect(end);
                }
                Known::Fix(..) | Known::Size(_) => {}
            }
        }
        let mut weight = 1i64;
        condition.each(&mut |n| weight += i64::from(n.0.nodes));
        let wanted = condition.vars();
        let tries = (MOST_TRIES * 40 / (weight + 40)).max(200);
        Search {
            condition,
            context,
            checks,
            order,
            follow,
            numbers,
            values: BTreeMap::new(),
            tries,
            complete: true,
            best: None,
            wanted,
        }
    }

    fn run(&mut self) {
        let bounded =
            self.order.iter().all(|v| self.range(v).is_some_and(|(low, high)| high - low < MOST_VALUES));
        if bounded || self.order.iter().all(|v| v.index > 0) {
            return self.assign(0, i64::MAX);
        }
        self.complete = false;
        let mut levels: BTreeSet<i64> = (1..=8).collect();
        levels.extend(
            self.numbers.iter().flat_map(|n| [*n, n.saturating_add(1)]).filter(|n| *n > 8 && *n < 1 << 20),
        );
        for level in levels {
            self.assign(0, level);
            if self.best.is_some() || self.tries <= 0 {
                break;
            }
        }
        self.complete = false;
    }

    /// Constant bounds of a free variable.
    fn range(&self, v: &Var) -> Option<(i64, i64)> {
        let interval = self.context.intervals.get(v)?;
        Some((i64::try_from(interval.low?).ok()?, i64::try_from(interval.high?).ok()?))
    }

    /// Gives values to the variables from `depth` on, sizes at most `level`.
    fn assign(&mut self, depth: usize, level: i64) {
        if self.tries <= 0 {
            self.complete = false;
            return;
        }
        let mut added = vec![];
        let mut possible = true;
        for (v, image) in &self.follow[depth] {
            let env = |w: &Var| self.values.get(w).copied();
            match image.eval(&env) {
                Ok(value) => {
                    self.values.insert(v.clone(), value);
                    added.push(v.clone());
                }
                Err(EvalError::DivisionByZero) => possible = false,
                Err(_) => {
                    possible = false;
                    self.complete = false;
                }
            }
        }
        let env = |w: &Var| self.values.get(w).copied();
        possible = possible && self.checks[depth].iter().all(|k| holds(k, &env));
        if possible && depth == self.order.len() {
            self.judge();
        } else if possible {
            let v = self.order[depth].clone();
            for value in self.candidates(&v, level) {
                self.values.insert(v.clone(), value);
                self.tries -= 1;
                self.assign(depth + 1, level);
                if self.tries <= 0 {
                    break;
                }
            }
            self.values.remove(&v);
        } else {
            self.tries -= 1;
        }
        for v in &added {
            self.values.remove(v);
        }
    }

    /// The condition, with every variable given a value.
    fn judge(&mut self) {
        self.tries -= 1;
        let env = |w: &Var| self.values.get(w).copied();
        match self.condition.eval(&env) {
            Ok(true) => return,
            Ok(false) | Err(EvalError::DivisionByZero) => {}
            Err(_) => {
                self.complete = false;
                return;
            }
        }
        let shown = self.values.iter().filter(|(v, _)| self.wanted.contains(v));
        let largest = shown.clone().map(|(_, x)| x.saturating_abs()).max().unwrap_or(0);
        let sum = shown.clone().map(|(_, x)| i128::from(*x).abs()).sum();
        if self.best.as_ref().is_none_or(|(rank, _)| (largest, sum) < *rank) {
            self.best = Some(((largest, sum), shown.map(|(v, x)| (v.clone(), *x)).collect()));
        }
    }

    fn candidates(&mut self, v: &Var, level: i64) -> Vec<i64> {
        let env = |w: &Var| self.values.get(w).copied();
        let ends = |bounds: Option<&Vec<Nat>>| -> Vec<i64> {
            bounds.map_or(&[][..], |b| &b[..]).iter().filter_map(|n| n.eval(&env).ok()).collect()
        };
        let constant = self.context.intervals.get(v).copied().unwrap_or_default();
        let narrow = |x: Option<i128>| x.and_then(|x| i64::try_from(x).ok());
        let low = ends(self.context.lows.get(v)).into_iter().chain(narrow(constant.low)).max();
        let high = ends(self.context.highs.get(v)).into_iter().chain(narrow(constant.high)).min();
        if v.index > 0
            && let (Some(low), Some(high)) = (low, high)
        {
            if high.saturating_sub(low) < MOST_VALUES {
                return (low..=high).collect();
            }
            self.complete = false;
            return vec![low, low + 1, low + (high - low) / 2, high - 1, high];
        }
        // A size, or a variable that an equation introduced.
        let top = high.map_or(level, |h| h.min(level));
        if self.range(v).is_some_and(|(low, high)| high - low < MOST_VALUES) && level == i64::MAX {
            return (low.unwrap_or(1)..=top).collect();
        }
        self.complete = false;
        let bottom = low.unwrap_or(if v.index == 0 { -2 } else { 0 }).min(1 << 40);
        let few = bottom..=bottom.saturating_add(if level == i64::MAX { 8 } else { 7 });
        let mut all: BTreeSet<i64> = few.filter(|x| *x <= top.max(bottom)).collect();
        all.extend(
            self.numbers.iter().flat_map(|n| [n - 1, *n, n + 1]).filter(|x| *x >= bottom && *x <= top),
        );
        all.into_iter().collect()
    }
}

/// Numbers in an expression; not beyond what is sensible to try.
fn constants(n: &Nat, found: &mut BTreeSet<i64>) {
    for t in n.parts() {
        let c = t.coefficient.unsigned_abs();
        if c > 1 && c < 1 << 20 {
            found.insert(c as i64);
        }
        for (f, _) in &t.factors {
            if let Some((a, b)) = f.operands() {
                constants(a, found);
                constants(b, found);
            }
        }
    }
}
