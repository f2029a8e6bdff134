//! The search for a small counterexample: valuations that satisfy the facts, those with a smaller
//! largest value first, until one breaks the condition.

use super::Known;
use super::context::Context;
use super::schedule::{Schedule, component};
use crate::nat::{Condition, EvalError, Nat, Var};
use std::collections::BTreeSet;

/// Values tried, for conditions of ordinary size.
const MOST_TRIES: i64 = 6000;
/// A variable with at most this many possible values gets them all.
const MOST_VALUES: i64 = 4096;
/// Values of a size from its lower bound on, beside the numbers that occur in the question.
const FEW: i64 = 8;
/// Numbers beyond this are not worth trying.
const LARGE: i64 = 1 << 20;

/// How a search for a counterexample ended.
pub(super) enum Outcome {
    /// A valuation that satisfies the facts and breaks the condition.
    Found(Vec<(Var, i64)>),
    /// Every valuation was tried, none breaks the condition: it is proved.
    Impossible,
    /// None was found among those that were tried, and there are others.
    None,
}

/// The smallest counterexample that can be found, or any.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Smallest,
    Any,
}

/// Looks for a valuation of the condition's variables, and of those that facts connect with them, that breaks it.
pub(super) fn search(known: &[Known], context: &Context, condition: &Condition, which: Wanted) -> Outcome {
    let wanted = condition.vars();
    let vars = component(known, context, &wanted);
    let schedule = Schedule::new(known, context, &vars);
    let mut search = Search {
        numbers: numbers(condition, &schedule),
        tries: tries(condition),
        condition,
        context,
        schedule,
        which,
        wanted,
        values: vec![],
        complete: true,
        best: None,
    };
    search.run();
    match search.best {
        Some((_, values)) => Outcome::Found(values),
        None if search.complete => Outcome::Impossible,
        None => Outcome::None,
    }
}

/// How many values may be tried: the larger the condition, the fewer, so that a question costs about the same.
fn tries(condition: &Condition) -> i64 {
    let mut nodes = 40;
    condition.each(&mut |n| nodes += i64::from(n.0.nodes));
    (MOST_TRIES * 40 / nodes).max(200)
}

/// Largest value, then sum: less is a smaller counterexample.
type Rank = (i64, i128);

struct Search<'a> {
    condition: &'a Condition,
    context: &'a Context,
    schedule: Schedule<'a>,
    which: Wanted,
    wanted: BTreeSet<Var>,
    /// Numbers that occur in the question, and their neighbours.
    numbers: BTreeSet<i64>,
    /// The values so far, the last one last: there are few of them, and each is asked for often.
    values: Vec<(Var, i64)>,
    tries: i64,
    /// Nothing was left out so far.
    complete: bool,
    best: Option<(Rank, Vec<(Var, i64)>)>,
}

impl Search<'_> {
    /// Where every size is bounded, one pass over all values decides. Elsewhere passes with a growing limit
    /// find a small counterexample before a large one, and prove nothing.
    fn run(&mut self) {
        if self.schedule.order.iter().all(|v| v.index > 0 || self.is_bounded(v)) {
            return self.assign(0, i64::MAX);
        }
        let mut levels: BTreeSet<i64> = (1..=FEW).collect();
        levels.extend(&self.numbers);
        for level in levels {
            self.assign(0, level);
            if self.best.is_some() || self.tries <= 0 {
                break;
            }
        }
        self.complete = false;
    }

    fn is_bounded(&self, v: &Var) -> bool {
        let ends = self.context.intervals.get(v).and_then(|i| i.low.zip(i.high));
        ends.is_some_and(|(low, high)| high.saturating_sub(low) < MOST_VALUES.into())
    }

    /// Gives values to the variables from `depth` on, sizes at most `level`.
    fn assign(&mut self, depth: usize, level: i64) {
        let followed = self.follow(depth);
        let possible = followed.is_some() && {
            let env = |w: &Var| self.value(w);
            self.schedule.checks[depth].iter().all(|k| k.holds(&env))
        };
        if possible {
            match self.schedule.order.get(depth).cloned() {
                None => self.judge(),
                Some(v) => self.try_values(v, depth, level),
            }
        }
        self.values.truncate(self.values.len() - followed.unwrap_or_default());
    }

    fn value(&self, v: &Var) -> Option<i64> {
        self.values.iter().find(|(w, _)| w == v).map(|(_, value)| *value)
    }

    /// Adds the values that follow from those given, and says how many they are; `None` if one cannot be.
    fn follow(&mut self, depth: usize) -> Option<usize> {
        let env = |w: &Var| self.value(w);
        let eval = |(v, image): &(Var, Nat)| image.eval(&env).map(|value| (v.clone(), value));
        match self.schedule.follow[depth].iter().map(eval).collect::<Result<Vec<_>, _>>() {
            Ok(followed) => {
                let count = followed.len();
                self.values.extend(followed);
                Some(count)
            }
            Err(why) => {
                self.complete &= why == EvalError::DivisionByZero;
                None
            }
        }
    }

    fn try_values(&mut self, v: Var, depth: usize, level: i64) {
        for value in self.candidates(&v, level) {
            self.tries -= 1;
            if self.tries <= 0 {
                self.complete = false;
                break;
            }
            self.values.push((v.clone(), value));
            self.assign(depth + 1, level);
            self.values.pop();
        }
    }

    /// Every variable has a value: what of the condition?
    fn judge(&mut self) {
        let env = |w: &Var| self.value(w);
        match self.condition.eval(&env) {
            Ok(true) => return,
            Ok(false) | Err(EvalError::DivisionByZero) => {}
            Err(_) => {
                self.complete = false;
                return;
            }
        }
        let shown = self.values.iter().filter(|(v, _)| self.wanted.contains(v));
        // People understand small counterexamples best, so the largest value counts first.
        let sizes = shown.clone().map(|(_, x)| x.saturating_abs());
        let rank = (sizes.clone().max().unwrap_or(0), sizes.map(i128::from).sum());
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            let mut shown: Vec<(Var, i64)> = shown.cloned().collect();
            shown.sort();
            self.best = Some((rank, shown));
        }
        if self.which == Wanted::Any {
            self.tries = 0;
        }
    }

    fn candidates(&mut self, v: &Var, level: i64) -> Vec<i64> {
        let (low, high) = self.context.ends(v, &|w| self.value(w));
        if let (Some(low), Some(high)) = (low, high)
            && (v.index > 0 || level == i64::MAX)
        {
            if high.saturating_sub(low) < MOST_VALUES {
                return (low..=high).collect();
            }
            self.complete = false;
            return vec![low, low + 1, low.midpoint(high), high - 1, high];
        }
        self.complete = false;
        // A size, or an index variable without an end.
        let low = low.unwrap_or(-2);
        let high = high.map_or(level, |h| h.min(level)).max(low);
        let mut all: BTreeSet<i64> = (low..=high.min(low.saturating_add(FEW))).collect();
        all.extend(self.numbers.range(low..=high));
        all.into_iter().collect()
    }
}

/// Numbers of the question, and those beside them.
fn numbers(condition: &Condition, schedule: &Schedule) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let mut collect = |n: &Nat| constants(n, &mut found);
    condition.each(&mut collect);
    schedule.checks.iter().flatten().for_each(|k| k.each(&mut collect));
    found.into_iter().flat_map(|n| [n - 1, n, n + 1]).collect()
}

fn constants(n: &Nat, found: &mut BTreeSet<i64>) {
    for t in n.parts() {
        let c = t.coefficient.saturating_abs();
        if c > 1 && c < LARGE {
            found.insert(c);
        }
        for (a, b) in t.factors.iter().filter_map(|(f, _)| f.operands()) {
            constants(a, found);
            constants(b, found);
        }
    }
}
