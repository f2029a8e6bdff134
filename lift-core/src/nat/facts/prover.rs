//! Is an expression at least 0?
//!
//! Cheap answers first: interval arithmetic, then the largest and smallest values of index
//! variables and of what contains them (an expression that is linear in `i` is smallest at one of
//! the ends of `i`'s range), then certificates.

use super::context::Context;
use crate::nat::Nat;
use crate::nat::term::{Factor, Monomial, Term, multiply};
use crate::nat::var::Depth;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// Steps of nested reasoning: signs of coefficients, bounds of dividends.
const DEEPEST: u32 = 6;
/// Variables replaced by ends of their ranges, one after the other.
const MOST_STEPS: u32 = 16;

enum Known {
    True,
    /// Not proved with this many steps of nested reasoning behind it, or more.
    NotAt(u32),
}

/// Answers questions about signs from one set of facts, with a limit on the work.
pub(super) struct Prover<'a> {
    pub context: &'a Context,
    /// Work left, shared by all that serves one question.
    pub fuel: &'a Cell<i64>,
    /// For each form: what makes the facts ready for certificates was charged.
    pub prepared: [Cell<bool>; 2],
    /// How many steps of nested reasoning are under way.
    depth: Cell<u32>,
    /// Questions answered, or being answered.
    known: RefCell<FxHashMap<Nat, Known>>,
}

impl<'a> Prover<'a> {
    pub fn new(context: &'a Context, fuel: &'a Cell<i64>) -> Prover<'a> {
        Prover { context, fuel, prepared: Default::default(), depth: Cell::new(0), known: RefCell::default() }
    }

    /// Takes work from what is left; false once nothing is left.
    pub fn spend(&self, work: i64) -> bool {
        self.fuel.set(self.fuel.get() - work);
        self.fuel.get() > 0
    }

    /// Is `n >= least` proved?
    pub fn at_least(&self, n: &Nat, least: i64) -> bool {
        self.not_negative_value(&(n - &Nat::constant(least)))
    }

    /// Is this, over free variables, at least 0?
    pub fn not_negative_value(&self, e: &Nat) -> bool {
        if self.context.absurd || self.context.interval(e).at_least(0) {
            return true;
        }
        if e.as_constant().is_some() || self.depth.get() >= DEEPEST || !self.spend(10) {
            return false;
        }
        // A question that failed with less reasoning behind it left fails again with as little; one
        // that had more room may succeed.
        let depth = self.depth.get();
        match self.known.borrow().get(e) {
            Some(Known::True) => return true,
            Some(Known::NotAt(least)) if depth >= *least => return false,
            _ => {}
        }
        self.spend(8 * i64::from(e.0.nodes));
        // While it is being answered, it cannot be its own reason.
        self.known.borrow_mut().insert(e.clone(), Known::NotAt(0));
        if self.context.disproved(e) {
            return false;
        }
        self.depth.set(depth + 1);
        // From cheap to dear.
        let answer = self.by_one_fact(e)
            || self.by_content(e)
            || self.by_operands(e)
            || self.at_the_ends(e, 0)
            || self.by_quotient(e)
            || self.certified(e, Some(-1)).is_some_and(|c| c >= 0);
        self.depth.set(depth);
        self.known.borrow_mut().insert(e.clone(), if answer { Known::True } else { Known::NotAt(depth) });
        answer
    }

    /// More than what some fact says is at least 0?
    fn by_one_fact(&self, e: &Nat) -> bool {
        self.spend(20 * self.context.facts.len() as i64);
        self.context.facts.iter().any(|f| self.context.interval(&(e - f)).at_least(0))
    }

    /// `m*u >= 0` where `m` and `u` are.
    fn by_content(&self, e: &Nat) -> bool {
        let (_, m) = e.content();
        let (even, odd): (Monomial, Monomial) = m.into_iter().partition(|(_, p)| p.is_multiple_of(2));
        let known = odd.into_iter().filter(|(f, _)| self.context.factor_interval(f).at_least(0));
        let known: Monomial = multiply(&even, &known.collect()).unwrap_or_default();
        !known.is_empty() && e.without(1, &known).is_some_and(|u| self.not_negative_value(&u))
    }

    /// `c*min(a, b) + r >= 0` is `c*a + r >= 0 && c*b + r >= 0` where `c >= 0`; of `c*max(a, b) + r >= 0` it is `||`.
    fn by_operands(&self, e: &Nat) -> bool {
        let mut extremes: Vec<&Factor> = e.parts().iter().flat_map(|t| &t.factors).map(|(f, _)| f).collect();
        extremes.retain(|f| matches!(f, Factor::Min(..) | Factor::Max(..)));
        extremes.dedup();
        extremes.into_iter().any(|f| {
            let (Some((up, coefficient, rest)), Some((a, b))) = (self.monotone(e, f), f.operands()) else {
                return false;
            };
            let mut operands = [a, b].into_iter().map(|x| x * &coefficient + &rest);
            match matches!(f, Factor::Min(..)) == up {
                true => operands.all(|x| self.not_negative_value(&x)),
                false => operands.any(|x| self.not_negative_value(&x)),
            }
        })
    }

    /// `a/b + r >= 0` is `a + b*r >= 0`, and `r - a/b >= 0` is `b*r + b - 1 - a >= 0`.
    fn by_quotient(&self, e: &Nat) -> bool {
        e.parts().iter().any(|t| {
            let ([(Factor::Div(a, b), 1)], 1 | -1) = (&t.factors[..], t.coefficient) else { return false };
            let rest = e - &Nat::from_term(t.clone());
            let multiplied = match t.coefficient {
                1 => a + b * &rest,
                _ => b * &rest + b - 1 - a,
            };
            self.at_least(b, 1) && self.not_negative_value(&multiplied)
        })
    }

    /// At least 0 where what depends on index variables takes its extreme values?
    fn at_the_ends(&self, e: &Nat, steps: u32) -> bool {
        // Bounds can depend on each other in a circle.
        if steps > MOST_STEPS || !self.spend(10) {
            return false;
        }
        for f in self.dependent(e) {
            let Some((up, coefficient, rest)) = self.monotone(e, &f) else { continue };
            let bounds = self.bounds_of(&f, up);
            if !bounds.is_empty() {
                return bounds.iter().any(|b| {
                    let at_end = &coefficient * b + &rest;
                    self.context.interval(&at_end).at_least(0)
                        || !self.context.disproved(&at_end) && self.at_the_ends(&at_end, steps + 1)
                });
            }
        }
        steps > 0 && self.not_negative_value(e)
    }

    /// A constant that the expression is not less than.
    pub fn least(&self, e: &Nat) -> Option<i128> {
        let plain = self.context.interval(e).low;
        if e.as_constant().is_some() {
            return plain;
        }
        let ends = self.extreme(e, true);
        let by_ends = self.context.interval(&ends).low;
        [plain, by_ends, self.certified(e, None)].into_iter().flatten().max()
    }

    /// The least (or with `up` false the largest) value, as far as index variables can be removed.
    fn extreme(&self, e: &Nat, least: bool) -> Nat {
        let mut e = e.clone();
        'next: for _ in 0..MOST_STEPS {
            for f in self.dependent(&e) {
                let Some((up, coefficient, rest)) = self.monotone(&e, &f) else { continue };
                if let Some(bound) = self.bounds_of(&f, up == least).first() {
                    e = coefficient * bound + rest;
                    continue 'next;
                }
            }
            break;
        }
        e
    }

    /// Factors that depend on index variables, large ones and inner loops' variables first.
    fn dependent(&self, e: &Nat) -> Vec<Factor> {
        let mut found: Vec<(u32, Depth, Factor)> = vec![];
        for (f, p) in e.parts().iter().flat_map(|t| &t.factors) {
            let (size, depth) = match f {
                Factor::Var(v) if v.index > 0 => (0, Some(v.depth())),
                other => match other.operands() {
                    Some((a, b)) => {
                        let mut depth = None;
                        a.each_var(&mut |v| {
                            depth = depth.max((v.index > 0).then(|| v.depth()));
                            true
                        });
                        (a.0.nodes + b.0.nodes, depth)
                    }
                    None => (0, None),
                },
            };
            if let Some(depth) = depth.filter(|_| *p == 1)
                && !found.iter().any(|(_, _, g)| g == f)
            {
                found.push((size, depth, f.clone()));
            }
        }
        found.sort_by(|(s, i, f), (t, j, g)| (t, j, g).cmp(&(s, i, f)));
        found.into_iter().map(|(_, _, f)| f).collect()
    }

    /// `e = coefficient * f + rest` where the coefficient's sign is known, and with it whether `e` grows or
    /// falls with `f`: true if it grows. `rest` may still depend on what `f` depends on.
    fn monotone(&self, e: &Nat, f: &Factor) -> Option<(bool, Nat, Nat)> {
        let (coefficient, rest) = e.linear_in_factor(f)?;
        if self.not_negative_value(&coefficient) {
            return Some((true, coefficient, rest));
        }
        self.not_negative_value(&-&coefficient).then_some((false, coefficient, rest))
    }

    /// Lower (or upper) bounds that depend on fewer index variables.
    pub fn bounds_of(&self, f: &Factor, low: bool) -> Vec<Nat> {
        if !self.spend(5) || self.depth.get() >= DEEPEST {
            return vec![];
        }
        self.depth.set(self.depth.get() + 1);
        let mut found = match f {
            Factor::Var(v) => {
                let bounds = if low { &self.context.lows } else { &self.context.highs };
                bounds.get(v).map_or(&[][..], |b| &b[..]).iter().take(4).cloned().collect()
            }
            Factor::Div(a, b) if self.at_least(b, 1) => {
                let mut found = vec![];
                let end = self.extreme(a, low);
                if end != *a {
                    found.push(self.fractions_gone(&end.div(b), b, low));
                }
                if low && self.at_least(a, 0) {
                    found.push(Nat::constant(0));
                }
                found
            }
            Factor::Mod(a, b) if self.at_least(b, 1) => match low {
                true => vec![Nat::constant(0)],
                false if self.at_least(a, 0) => vec![b - &Nat::constant(1), self.extreme(a, false)],
                false => vec![b - &Nat::constant(1)],
            },
            Factor::Min(a, b) if !low => vec![a.clone(), b.clone()],
            Factor::Max(a, b) if low => vec![a.clone(), b.clone()],
            Factor::Min(a, b) => vec![self.extreme(a, true).min(&self.extreme(b, true))],
            Factor::Max(a, b) => vec![self.extreme(a, false).max(&self.extreme(b, false))],
            _ => vec![],
        };
        self.depth.set(self.depth.get() - 1);
        let itself = Nat::atom(f.clone());
        found.retain(|b| *b != itself);
        if found.is_empty() {
            let interval = self.context.factor_interval(f);
            let constant = if low { interval.low } else { interval.high };
            found.extend(constant.and_then(|c| i64::try_from(c).ok()).map(Nat::constant));
        }
        found
    }

    /// Quotients of numbers by a positive divisor `b`, replaced by numbers. Inside other operations that must
    /// be exact. A quotient that is added or subtracted may become its lower or upper bound, whichever makes
    /// the whole a bound of the wanted kind.
    fn fractions_gone(&self, n: &Nat, b: &Nat, low: bool) -> Nat {
        let exact = n.replace(&|f| match f {
            Factor::Div(x, d) if d == b => match x.as_constant() {
                Some(c) => (-1..=0).contains(&c).then(|| Nat::constant(c)),
                None => (self.at_least(x, 0) && self.at_least(&(b - x), 1)).then(|| Nat::constant(0)),
            },
            _ => None,
        });
        let bound = |t: &Term| {
            let [(Factor::Div(x, d), 1)] = &t.factors[..] else { return None };
            let c = x.as_constant().filter(|_| d == b)?;
            let bound = match low == (t.coefficient > 0) {
                true => c.min(0),
                false if c < 0 => -1,
                false => c,
            };
            Some(Nat::constant(bound) * t.coefficient)
        };
        let terms = exact.parts().iter();
        terms.fold(Nat::constant(0), |sum, t| sum + bound(t).unwrap_or_else(|| Nat::from_term(t.clone())))
    }
}
