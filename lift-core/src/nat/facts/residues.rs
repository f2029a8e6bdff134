//! What holds whatever the remainders are: `n * (n + 1) % 2` is 0 for both remainders of `n`.
//!
//! A remainder `x % k` of a polynomial `x` depends on its variables' remainders by `k` alone. There are few, and
//! all are tried.

use crate::nat::eval::Env;
use crate::nat::term::{Factor, degree, gcd};
use crate::nat::{Condition, Nat, Var};
use std::collections::BTreeMap;

/// Combinations of remainders that are tried.
const MOST_TRIES: i64 = 600;

/// Variables with the number of their remainders that matter.
type Periods = BTreeMap<Var, i64>;

/// `a % k`, if it is a number; of what is not linear, for which arithmetic alone finds it.
pub(super) fn residue(a: &Nat, k: i64) -> Option<i64> {
    let mut periods = Periods::new();
    if !a.parts().iter().any(|t| degree(&t.factors) > 1) || !add_periods(a, k, &mut periods) {
        return None;
    }
    let mut found = None;
    let constant = each(&periods, &mut |env| {
        let r = a.eval(env).ok().map(|x| x.rem_euclid(k));
        r.is_some() && *found.get_or_insert(r) == r
    });
    found.flatten().filter(|_| constant)
}

/// Does the condition hold for all remainders for which these do? Of conditions on anything but remainders
/// nothing is known.
pub(super) fn decided(condition: &Condition, assumed: &[Condition]) -> bool {
    let mut periods = Periods::new();
    if !of_remainders(condition, &mut periods) {
        return false;
    }
    let mut kept = vec![];
    for c in assumed {
        let mut more = periods.clone();
        if of_remainders(c, &mut more) && more.keys().eq(periods.keys()) {
            kept.push(c);
            periods = more;
        }
    }
    each(&periods, &mut |env| {
        kept.iter().any(|c| c.eval(env) == Ok(false)) || condition.eval(env) == Ok(true)
    })
}

/// Is it about remainders only, and of polynomials?
fn of_remainders(c: &Condition, periods: &mut Periods) -> bool {
    let mut all = true;
    c.each(&mut |n| {
        all &= n.parts().iter().flat_map(|t| &t.factors).all(|(f, _)| match f {
            Factor::Mod(x, k) => k.as_constant().is_some_and(|k| add_periods(x, k, periods)),
            _ => false,
        });
    });
    all
}

/// Notes that `x` is divided by `k`: a variable's remainder by the least common multiple of all such `k`
/// decides. False for anything but a polynomial and a small number.
fn add_periods(x: &Nat, k: i64, periods: &mut Periods) -> bool {
    let polynomial = !x.has(|f| !matches!(f, Factor::Var(_)));
    if polynomial && (1..=MOST_TRIES).contains(&k) {
        for v in x.vars() {
            let period = periods.entry(v).or_insert(1);
            *period = (*period / gcd(*period, k)).saturating_mul(k);
        }
    }
    polynomial && (1..=MOST_TRIES).contains(&k)
}

/// Is it so for every combination of remainders?
fn each(periods: &Periods, holds: &mut dyn FnMut(Env) -> bool) -> bool {
    let count = periods.values().fold(1i64, |n, period| n.saturating_mul(*period));
    count <= MOST_TRIES
        && (0..count).all(|number| {
            let mut rest = number;
            let values = periods.iter().map(|(v, period)| {
                let value = rest % period;
                rest /= period;
                (v, value)
            });
            let values: BTreeMap<&Var, i64> = values.collect();
            holds(&|v| values.get(v).copied())
        })
}
