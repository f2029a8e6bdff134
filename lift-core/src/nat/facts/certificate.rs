//! Inequalities as sums of known ones.
//!
//! `e >= 0` follows if `e - c` is a sum of expressions that are at least 0, each times a weight that
//! is not negative, and `c > -1`: the value of `e` is an integer. What may be added up are the
//! facts, what division, `min` and `max` say of themselves, products of all these with monomials
//! that are not negative, such monomials alone, and squares. The weights are found by [`simplex`].

use super::prover::Prover;
use super::residues::residue;
use super::simplex::{Optimum, largest};
use crate::nat::Nat;
use crate::nat::strict::strict;
use crate::nat::term::{Factor, Monomial, Term, degree, multiply, quotient};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

const MOST_FACTS: usize = 48;
const MOST_COLUMNS: usize = 160;
const MOST_PAIRS: usize = 32;
const MOST_SQUARES: usize = 4;

impl Prover<'_> {
    /// A constant that `e` is not less than, exact or rounded up. With `enough`, the first found
    /// that is larger.
    pub fn certified(&self, e: &Nat, enough: Option<i128>) -> Option<i128> {
        let goal = self.shifted(&strict(e))?;
        let near = self.relevant(&goal, 2);
        let found = self.summed(&goal, &self.products(&goal, &near), enough);
        if found.is_some() && enough.is_some() {
            return found;
        }
        // More facts, and products of two.
        let far = self.relevant(&goal, 4);
        let mut summands = self.products(&goal, &far);
        let mut pairs = pairs(&goal, &far);
        pairs.extend(squares(&strict(e)).iter().filter_map(|n| self.shifted(n)));
        if far.len() == near.len() && pairs.is_empty() {
            return found;
        }
        summands.extend(pairs);
        let more = self.summed(&goal, &summands, enough);
        [found, more].into_iter().flatten().max()
    }

    fn summed(&self, goal: &Nat, summands: &[Nat], enough: Option<i128>) -> Option<i128> {
        if !self.spend(200) {
            return None;
        }
        let mut rows: FxHashMap<&Monomial, usize> = FxHashMap::default();
        for t in goal.parts().iter().chain(summands.iter().flat_map(|s| s.parts())) {
            let next = rows.len() + 1;
            if !t.factors.is_empty() {
                rows.entry(&t.factors).or_insert(next);
            }
        }
        let column = |n: &Nat| -> Vec<(usize, i128)> {
            let row = |m: &Monomial| if m.is_empty() { 0 } else { rows.get(m).copied().unwrap_or(0) };
            n.parts().iter().map(|t| (row(&t.factors), i128::from(t.coefficient))).collect()
        };
        let alone = rows.iter().filter(|(m, _)| self.not_negative(m)).map(|(_, row)| vec![(*row, 1)]);
        let mut columns: Vec<Vec<(usize, i128)>> = alone.collect();
        // Hash order must not show.
        columns.sort();
        columns.extend(summands.iter().map(column));
        let mut right = vec![0; rows.len() + 1];
        column(goal).into_iter().for_each(|(row, value)| right[row] = value);
        if !self.spend((right.len() * columns.len()) as i64) {
            return None;
        }
        match largest(&columns, &right, enough, self.fuel) {
            Optimum::Bound(c) => Some(c.ceil()),
            Optimum::Unbounded => Some(enough.map_or(i128::MAX, |e| e + 1)),
            Optimum::None => None,
        }
    }

    /// 0 if it can't be used.
    fn summand(&self, n: &Nat) -> Nat {
        self.spend(50 + 4 * i64::from(n.0.nodes));
        self.shifted(&strict(n)).unwrap_or(Nat::constant(0))
    }

    /// With every factor that has a constant lower bound written as that bound and a factor that is
    /// at least 0, under the same name.
    fn shifted(&self, n: &Nat) -> Option<Nat> {
        let products = n.parts().iter().map(|t| {
            t.factors.iter().fold(Nat::constant(t.coefficient), |product, (f, p)| {
                let low = self.lowest(f).unwrap_or(0);
                product.times(&(Nat::atom(f.clone()) + low).pow(*p))
            })
        });
        let shifted = Nat::total(&products.collect::<Vec<_>>());
        self.spend(20 * shifted.parts().len() as i64);
        written_out(&shifted, &[n]).then_some(shifted)
    }

    /// The bound by which a factor is shifted.
    fn lowest(&self, f: &Factor) -> Option<i64> {
        self.context.factor_interval(f).low.and_then(|l| i64::try_from(l).ok())
    }

    /// Of shifted factors.
    fn not_negative(&self, m: &Monomial) -> bool {
        m.iter().all(|(f, p)| p.is_multiple_of(2) || self.lowest(f).is_some())
    }

    /// Facts that share factors with the goal, or with such facts; fewer of them where little work is left.
    fn relevant(&self, goal: &Nat, rounds: u32) -> Vec<Nat> {
        // Done once, and charged to whoever asks: what can be proved must not depend on what was asked before.
        let ready = || {
            let charged = Cell::new(0);
            let prover = Prover::new(self.context, &charged);
            let summands = self.context.facts.iter().map(|f| prover.summand(f)).collect();
            (summands, -charged.get())
        };
        let (summands, work) = self.context.summands.get_or_init(ready);
        if !self.prepared.replace(true) {
            self.spend(*work);
        }
        let mut open: Vec<Nat> = summands.clone();
        let mut factors: FxHashSet<Factor> = FxHashSet::default();
        let (mut chosen, mut fresh): (Vec<Nat>, Vec<Nat>) = (vec![], vec![goal.clone()]);
        for _ in 0..rounds {
            for n in std::mem::take(&mut fresh) {
                for (f, _) in n.parts().iter().flat_map(|t| &t.factors) {
                    if self.spend(0) && factors.insert(f.clone()) {
                        open.extend(self.about(f).iter().map(|n| self.summand(n)));
                    }
                }
            }
            let (near, far): (Vec<Nat>, Vec<Nat>) = open
                .into_iter()
                .partition(|n| n.parts().iter().flat_map(|t| &t.factors).any(|(f, _)| factors.contains(f)));
            open = far;
            for n in near {
                // A sum of what is not negative anyway adds nothing.
                let trivial = n.parts().iter().all(|t| t.coefficient > 0 && self.not_negative(&t.factors));
                if !trivial && chosen.len() < MOST_FACTS && !chosen.contains(&n) {
                    chosen.push(n.clone());
                    fresh.push(n);
                }
            }
        }
        chosen
    }

    /// Facts, and facts times monomials that make them meet the goal.
    fn products(&self, goal: &Nat, facts: &[Nat]) -> Vec<Nat> {
        let mut all = facts.to_vec();
        let mut seen: FxHashSet<Nat> = all.iter().cloned().collect();
        let mut targets: Vec<Monomial> = goal.parts().iter().map(|t| t.factors.clone()).collect();
        targets.extend(facts.iter().flat_map(|f| f.parts()).map(|t| t.factors.clone()));
        targets.retain(|m| degree(m) >= 2);
        for _ in 0..2 {
            let mut next = vec![];
            for m in std::mem::take(&mut targets) {
                for fact in facts {
                    for t in fact.parts().iter().filter(|t| !t.factors.is_empty()) {
                        let Some(by) = quotient(&m, &t.factors) else { continue };
                        if by.is_empty() || !self.not_negative(&by) || all.len() >= MOST_COLUMNS {
                            continue;
                        }
                        let by = Nat::from_ordered(vec![Term { coefficient: 1, factors: by }]);
                        if !self.spend(20 * fact.parts().len() as i64) {
                            return all;
                        }
                        let product = fact.times(&by);
                        if !written_out(&product, &[fact, &by]) {
                            continue;
                        }
                        if seen.insert(product.clone()) {
                            next.extend(product.parts().iter().map(|t| t.factors.clone()));
                            all.push(product);
                        }
                    }
                }
            }
            next.retain(|m| degree(m) >= 2);
            targets = next;
        }
        all
    }

    /// What an operation says of itself, each at least 0.
    fn about(&self, f: &Factor) -> Vec<Nat> {
        let x = Nat::atom(f.clone());
        match f {
            // a - b*(a/b) is between 0 and b - 1.
            Factor::Div(a, b) if self.at_least(b, 1) => {
                let rest = a - b * &x;
                let mut facts = match b.as_constant().and_then(|k| residue(a, k)) {
                    Some(r) => vec![&rest - r, -rest + r],
                    None => vec![b - &rest - 1, rest],
                };
                if self.at_least(a, 0) {
                    facts.push(x.clone());
                    facts.push(a - &x);
                }
                for bound in self.bounds_of(f, false).into_iter().take(1) {
                    facts.push(bound - &x);
                }
                for bound in self.bounds_of(f, true).into_iter().take(1) {
                    facts.push(&x - bound);
                }
                facts
            }
            Factor::Min(a, b) => vec![a - &x, b - &x],
            Factor::Max(a, b) => vec![&x - a, &x - b],
            _ => vec![],
        }
    }
}

fn factors(n: &Nat) -> impl Iterator<Item = &Factor> {
    n.parts().iter().flat_map(|t| &t.factors).map(|(f, _)| f)
}

/// Has it no other factors than these? What 64 bits don't hold is a factor of its own, and what is known of it
/// is not known of it with shifted parts.
fn written_out(n: &Nat, from: &[&Nat]) -> bool {
    let large = |f: &&Factor| matches!(f, Factor::Sum(..) | Factor::Product(..) | Factor::TooLarge(..));
    factors(n).filter(large).all(|f| from.iter().any(|n| factors(n).any(|g| g == f)))
}

/// Squares of differences that make what is negative in the goal: `(x - y)^2` for `-x*y`.
fn squares(goal: &Nat) -> Vec<Nat> {
    let monomial = |factors| Nat::from_ordered(vec![Term { coefficient: 1, factors }]);
    let roots = goal.parts().iter().filter(|t| t.coefficient > 0).filter_map(|t| {
        let half = |(x, p): &(Factor, u32)| p.is_multiple_of(2).then(|| (x.clone(), p / 2));
        Some((t.coefficient, t.factors.iter().map(half).collect::<Option<Monomial>>()?))
    });
    let roots: Vec<(i64, Monomial)> = roots.filter(|(_, root)| !root.is_empty()).collect();
    let difference = |t: &Term| {
        roots.iter().find_map(|(square, root)| {
            let other = quotient(&t.factors, root)?;
            let c = if other.is_empty() { t.coefficient.checked_div(square.checked_mul(2)?)? } else { -1 };
            Some(monomial(root.clone()) + monomial(other) * c)
        })
    };
    let negative = goal.parts().iter().filter(|t| t.coefficient < 0);
    negative.filter_map(difference).take(MOST_SQUARES).map(|n| n.pow(2)).collect()
}

/// Products of two facts that make a monomial of the goal.
fn pairs(goal: &Nat, facts: &[Nat]) -> Vec<Nat> {
    let wanted: FxHashSet<&Monomial> =
        goal.parts().iter().map(|t| &t.factors).filter(|m| degree(m) >= 2).collect();
    let mut found = vec![];
    if wanted.is_empty() {
        return found;
    }
    for (i, f) in facts.iter().enumerate() {
        for g in &facts[i..] {
            let made = |s: &Term| {
                g.parts().iter().filter_map(|t| multiply(&s.factors, &t.factors)).any(|m| wanted.contains(&m))
            };
            let small = f.parts().len() * g.parts().len() <= 36;
            if small && found.len() < MOST_PAIRS && f.parts().iter().any(made) {
                found.extend(Some(f.times(g)).filter(|product| written_out(product, &[f, g])));
            }
        }
    }
    found
}
