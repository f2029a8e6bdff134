//! Inequalities as sums of known ones.
//!
//! `e >= 0` follows if `e - c` is a sum of expressions that are at least 0, each times a weight that
//! is not negative, and `c > -1`: the value of `e` is an integer. What may be added up are the
//! facts, the inequalities that define division, `min` and `max`, products of all these with monomials
//! that are not negative, such monomials alone, and squares. The weights are found by `simplex`.

use super::prover::Prover;
use super::residues::residue;
use super::simplex::{Optimum, largest};
use crate::nat::Nat;
use crate::nat::term::{Factor, Monomial, Term, degree, multiply, quotient};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// Facts that a proof draws on, each with its products.
const MOST_FACTS: usize = 48;
/// Facts and products of facts with monomials: columns of the simplex table.
const MOST_COLUMNS: usize = 160;
/// Products of two facts.
const MOST_PAIRS: usize = 32;
/// Squares of differences.
const MOST_SQUARES: usize = 4;

/// Which form factors have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// As they are.
    Plain,
    /// A factor that has a constant lower bound is that bound and a factor that is at least 0, under the same
    /// name: more monomials, of which more is known.
    Shifted,
}

impl Prover<'_> {
    /// A constant that `e` is not less than, exact or rounded up. With `enough`, the first found
    /// that is larger.
    pub fn certified(&self, e: &Nat, enough: Option<i128>) -> Option<i128> {
        // Summands are compared monomial by monomial: in this form equal expressions are more often the same ones.
        let goal = self.context.strict(e);
        let briefly = enough.and_then(|_| self.briefly(&goal, enough));
        briefly.or_else(|| self.at_length(&goal, enough))
    }

    /// The cheap attempt, which is where most proofs end: first the facts near the goal alone, then their
    /// products with monomials, then a proof by contradiction.
    fn briefly(&self, goal: &Nat, enough: Option<i128>) -> Option<i128> {
        let plain = Summands { prover: self, form: Form::Plain };
        let mut facts = plain.relevant(goal, 2);
        let found = plain.summed(goal, &facts, enough);
        if found.is_some() {
            return found;
        }
        let mut summands = plain.products(&[goal], &facts, 1);
        summands.extend(plain.parts(goal));
        let found = plain.summed(goal, &summands, enough);
        if found.is_some() {
            return found;
        }
        // A proof by contradiction of what is asked here, `goal > -1` over the integers; of a
        // larger `enough` it would be none.
        // Were the goal wrong, this would be at least 0 too: then anything follows.
        facts.push(-goal - 1);
        let targets: Vec<&Nat> = std::iter::once(goal).chain(&facts).collect();
        let mut summands = plain.products(&targets, &facts, 1);
        summands.extend(plain.parts(goal));
        plain.summed(goal, &summands, enough)
    }

    /// The expensive attempt: bounds shifted away, facts from further off, products of two facts, and squares.
    fn at_length(&self, goal: &Nat, enough: Option<i128>) -> Option<i128> {
        let shifted = Summands { prover: self, form: Form::Shifted };
        let plain = goal;
        let goal = &shifted.formed(plain)?;
        let near = shifted.relevant(goal, 2);
        let all = |facts: &[Nat]| {
            let targets: Vec<&Nat> = std::iter::once(goal).chain(facts).collect();
            shifted.products(&targets, facts, 2)
        };
        let found = shifted.summed(goal, &all(&near), enough);
        if found.is_some() && enough.is_some() {
            return found;
        }
        // More facts, and products of two.
        let far = shifted.relevant(goal, 4);
        let mut summands = all(&far);
        let mut pairs = pairs(goal, &far);
        pairs.extend(squares(plain).iter().filter_map(|n| shifted.formed(n)));
        if far.len() == near.len() && pairs.is_empty() {
            return found;
        }
        summands.extend(pairs);
        let more = shifted.summed(goal, &summands, enough);
        [found, more].into_iter().flatten().max()
    }
}

/// Expressions that are at least 0 and can be added up, in one form.
struct Summands<'a, 'b> {
    prover: &'a Prover<'b>,
    form: Form,
}

impl Summands<'_, '_> {
    /// The largest `c` such that `goal - c` is a sum of the summands and of monomials that are not negative.
    /// A row of the table is a monomial, row 0 the constant; a column is a summand.
    fn summed(&self, goal: &Nat, summands: &[Nat], enough: Option<i128>) -> Option<i128> {
        if !self.prover.spend(200) {
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
        // Monomials that are not negative are summands by themselves: each is a column of a single 1.
        let alone = rows.iter().filter(|(m, _)| self.not_negative(m)).map(|(_, row)| vec![(*row, 1)]);
        let mut columns: Vec<Vec<(usize, i128)>> = alone.collect();
        // Hash order must not show.
        columns.sort();
        columns.extend(summands.iter().map(column));
        let mut right = vec![0; rows.len() + 1];
        column(goal).into_iter().for_each(|(row, value)| right[row] = value);
        if !self.prover.spend((right.len() * columns.len()) as i64) {
            return None;
        }
        match largest(&columns, &right, enough, self.prover.fuel) {
            // The value of the goal is an integer, so that a bound of 2/3 is one of 1.
            Optimum::Bound(c) => Some(c.ceil()),
            Optimum::Unbounded => Some(enough.map_or(i128::MAX, |e| e + 1)),
            Optimum::None => None,
        }
    }

    /// An expression that is at least 0, in this form; 0, which adds nothing, where it can't be brought into it.
    fn summand(&self, n: &Nat) -> Nat {
        self.prover.spend(50 + 4 * i64::from(n.0.nodes));
        self.formed(&self.prover.context.strict(n)).unwrap_or(Nat::constant(0))
    }

    /// Every factor `f` with a lower bound `l` written as `f' + l` and multiplied out, `f'` printed under the
    /// name `f`. `f' >= 0` then holds for all of them, so that products of summands have a known sign.
    fn formed(&self, n: &Nat) -> Option<Nat> {
        if self.form == Form::Plain {
            return Some(n.clone());
        }
        let products = n.parts().iter().map(|t| {
            t.factors.iter().fold(Nat::constant(t.coefficient), |product, (f, p)| {
                let low = self.lowest(f).unwrap_or(0);
                product.times(&(Nat::atom(f.clone()) + low).pow(*p))
            })
        });
        let shifted = Nat::total(&products.collect::<Vec<_>>());
        self.prover.spend(20 * shifted.parts().len() as i64);
        written_out(&shifted, &[n]).then_some(shifted)
    }

    /// The bound by which a factor is shifted.
    fn lowest(&self, f: &Factor) -> Option<i64> {
        let low = self.prover.context.factor_interval(f).low.and_then(|l| i64::try_from(l).ok());
        low.or_else(|| match f {
            Factor::Div(a, b) if self.prover.at_least(b, 1) && self.prover.at_least(a, 0) => Some(0),
            _ => None,
        })
    }

    /// Is a monomial at least 0? An even power is; in the shifted form every factor with a lower bound is.
    fn not_negative(&self, m: &Monomial) -> bool {
        m.iter().all(|(f, p)| {
            p.is_multiple_of(2) || self.lowest(f).is_some_and(|low| low >= 0 || self.form == Form::Shifted)
        })
    }

    /// Facts that share factors with the goal, or with such facts; fewer of them where little work is left.
    fn relevant(&self, goal: &Nat, rounds: u32) -> Vec<Nat> {
        // Done once, and charged to whoever asks: what can be proved must not depend on what was asked before.
        let context = self.prover.context;
        let ready = || {
            let charged = Cell::new(0);
            let alone = Summands { prover: &Prover::new(context, &charged), form: self.form };
            let summands = context.facts.iter().map(|f| alone.summand(f)).collect();
            (summands, -charged.get())
        };
        let (summands, work) = context.summands[self.form as usize].get_or_init(ready);
        if !self.prover.prepared[self.form as usize].replace(true) {
            self.prover.spend(*work);
        }
        let mut open: Vec<Nat> = summands.clone();
        let mut factors: FxHashSet<Factor> = FxHashSet::default();
        let (mut chosen, mut fresh): (Vec<Nat>, Vec<Nat>) = (vec![], vec![goal.clone()]);
        // What division, `min` and `max` say of themselves becomes a fact as soon as such a factor is met.
        for _ in 0..rounds {
            for n in std::mem::take(&mut fresh) {
                for (f, _) in n.parts().iter().flat_map(|t| &t.factors) {
                    if self.prover.spend(0) && factors.insert(f.clone()) {
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

    /// Facts, and facts times monomials that are not negative, chosen so that a term of the product is a
    /// monomial of a target. Each product brings new monomials to cancel: that is what the rounds are for.
    fn products(&self, targets: &[&Nat], facts: &[Nat], rounds: u32) -> Vec<Nat> {
        let mut all = facts.to_vec();
        let mut seen: FxHashSet<Nat> = all.iter().cloned().collect();
        let mut targets: Vec<Monomial> =
            targets.iter().flat_map(|n| n.parts()).map(|t| t.factors.clone()).collect();
        targets.retain(|m| degree(m) >= 2);
        for _ in 0..rounds {
            let mut next = vec![];
            for m in std::mem::take(&mut targets) {
                for fact in facts {
                    for t in fact.parts().iter().filter(|t| !t.factors.is_empty()) {
                        let Some(by) = quotient(&m, &t.factors) else { continue };
                        if by.is_empty() || !self.not_negative(&by) || all.len() >= MOST_COLUMNS {
                            continue;
                        }
                        let by = Nat::from_term(Term { coefficient: 1, factors: by });
                        if !self.prover.spend(20 * fact.parts().len() as i64) {
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

    /// For `x*y*z` and `-x` in the goal the summand `x*y*z - x`: it is at least 0 because `y*z >= 1` and `x
    /// >= 0`, though no fact says so.
    fn parts(&self, goal: &Nat) -> Vec<Nat> {
        let positive = |m: &Monomial| m.iter().all(|(f, _)| self.lowest(f).is_some_and(|low| low >= 1));
        let alone = |factors: &Monomial| Nat::from_term(Term { coefficient: 1, factors: factors.clone() });
        let larger = goal.parts().iter().filter(|t| t.coefficient > 0 && degree(&t.factors) >= 2);
        let pair = |large: &Term, small: &Term| {
            let by = quotient(&large.factors, &small.factors)?;
            let fits = small.coefficient < 0
                && degree(&by) >= 2
                && positive(&by)
                && self.not_negative(&small.factors);
            fits.then(|| alone(&large.factors) - alone(&small.factors))
        };
        larger.flat_map(|large| goal.parts().iter().filter_map(move |small| pair(large, small))).collect()
    }

    /// Inequalities that define an operation, each as an expression that is at least 0.
    fn about(&self, f: &Factor) -> Vec<Nat> {
        let x = Nat::atom(f.clone());
        match f {
            // a - b*(a/b) is between 0 and b - 1.
            Factor::Div(a, b) if self.prover.at_least(b, 1) => {
                // `rest` is the remainder. Where it is a number for every value of the variables, it is known exactly.
                let rest = a - b * &x;
                let mut facts = match b.as_constant().and_then(|k| residue(a, k)) {
                    Some(r) => vec![&rest - r, -rest + r],
                    None => vec![b - &rest - 1, rest],
                };
                if self.prover.at_least(a, 0) {
                    facts.push(x.clone());
                    facts.push(a - &x);
                }
                for bound in self.prover.bounds_of(f, false).into_iter().take(1) {
                    facts.push(bound - &x);
                }
                for bound in self.prover.bounds_of(f, true).into_iter().take(1) {
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

/// Has it no other factors than these? A sum beyond 64 bits is a factor of its own, and a fact about that
/// factor is none about the same sum with shifted parts.
fn written_out(n: &Nat, from: &[&Nat]) -> bool {
    let large = |f: &&Factor| matches!(f, Factor::Sum(..) | Factor::Product(..) | Factor::TooLarge(..));
    factors(n).filter(large).all(|f| from.iter().any(|n| factors(n).any(|g| g == f)))
}

/// Squares of differences that make what is negative in the goal: `(x - y)^2` for `-x*y`.
fn squares(goal: &Nat) -> Vec<Nat> {
    let monomial = |factors| Nat::from_term(Term { coefficient: 1, factors });
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
