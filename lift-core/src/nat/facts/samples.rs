//! A few valuations that satisfy the facts: what is wrong for one of them need not be tried to be
//! proved.

use super::context::{Context, Sample};
use crate::nat::eval::Env;
use crate::nat::{Condition, Nat, Var};
use std::collections::BTreeSet;

const MOST_SAMPLES: usize = 8;
const MOST_TRIES: u64 = 48;
/// Distances from a lower bound: first attempts use the first of them only.
const STEPS: [i64; 8] = [0, 1, 2, 3, 5, 8, 16, 33];
const ANYTHING: [i64; 8] = [3, -2, 0, 7, 1, -5, 2, 11];

impl Context {
    /// Is this less than 0 for some valuation that satisfies the facts?
    pub fn disproved(&self, e: &Nat) -> bool {
        self.for_some(&|value| e.eval(value).is_ok_and(|x| x < 0))
    }

    /// Is this false for some valuation that satisfies the facts?
    pub fn refuted(&self, c: &Condition) -> bool {
        let false_for = |value: Env| {
            let all = |v: &Var| match self.solved.get(v) {
                Some(n) => n.eval(value).ok(),
                None => value(v),
            };
            c.eval(&all) == Ok(false)
        };
        self.for_some(&false_for)
    }

    fn for_some(&self, is_so: &dyn Fn(Env) -> bool) -> bool {
        let samples = self.samples.get_or_init(|| samples(self));
        samples.iter().enumerate().any(|(i, sample)| {
            // A variable that no fact mentions may be anything.
            is_so(&|v| Some(sample.get(v).copied().unwrap_or(ANYTHING[i % ANYTHING.len()])))
        })
    }

    /// Inclusive bounds of a free variable, where other variables have these values.
    pub fn ends(&self, v: &Var, env: &dyn Fn(&Var) -> Option<i64>) -> (Option<i64>, Option<i64>) {
        let known = self.intervals.get(v).copied().unwrap_or_default();
        let values = |bounds: Option<&Vec<Nat>>| -> Vec<i64> {
            bounds.into_iter().flatten().filter_map(|n| n.eval(env).ok()).collect()
        };
        let narrow = |x: Option<i128>| x.and_then(|x| i64::try_from(x).ok());
        let low = values(self.lows.get(v)).into_iter().chain(narrow(known.low)).max();
        (low, values(self.highs.get(v)).into_iter().chain(narrow(known.high)).min())
    }
}

fn samples(context: &Context) -> Vec<Sample> {
    let mut vars: BTreeSet<Var> = context.facts.iter().flat_map(Nat::vars).collect();
    context.choices.iter().flatten().for_each(|c| vars.append(&mut c.vars()));
    let mut order: Vec<Var> = vars.into_iter().filter(|v| !context.solved.contains_key(v)).collect();
    // Sizes, what equations introduced, index variables: later ranges depend on earlier values.
    order.sort_by_key(|v| (v.index > 0, !v.is_introduced(), v.depth()));
    let mut found: Vec<Sample> = vec![];
    let tries = if context.absurd { 0 } else { MOST_TRIES };
    for attempt in 0..tries {
        if let Some(sample) = sample(context, &order, attempt)
            && !found.contains(&sample)
        {
            found.push(sample);
            if found.len() == MOST_SAMPLES {
                break;
            }
        }
    }
    found
}

fn sample(context: &Context, order: &[Var], attempt: u64) -> Option<Sample> {
    let mut sample = Sample::default();
    // A generator of no great quality, but the same every time.
    let mut state = attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for v in order {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = (state >> 40) as i64;
        let env = |w: &Var| sample.get(w).copied();
        let (low, high) = context.ends(v, &env);
        let value = match (low, high) {
            (Some(low), Some(high)) if low > high => return None,
            (Some(low), Some(high)) => match pick % 4 {
                0 => low,
                1 => high,
                2 => low.midpoint(high),
                // Not always a power of two where both ends are.
                _ => low.saturating_add(pick / 4 % high.saturating_sub(low).saturating_add(1)),
            },
            (Some(low), None) => {
                low.checked_add(STEPS[pick as usize % (2 + attempt as usize / 2).min(STEPS.len())])?
            }
            (None, Some(high)) => high.checked_sub(pick % 9)?,
            (None, None) => pick % 17 - 5,
        };
        sample.insert(v.clone(), value);
    }
    let env = |w: &Var| sample.get(w).copied();
    let fits = context.facts.iter().all(|f| f.eval(&env).is_ok_and(|x| x >= 0))
        && context.zero.iter().all(|f| Nat::atom(f.clone()).eval(&env) == Ok(0));
    let solved = |v: &Var| env(v).or_else(|| context.solved.get(v)?.eval(&env).ok());
    let chosen = context.choices.iter().all(|parts| parts.iter().any(|c| c.eval(&solved) == Ok(true)));
    (fits && chosen).then_some(sample)
}
