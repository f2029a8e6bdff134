//! Simplification where ranges are known.
//!
//! * `a / b = 0` and `a % b = a` for `0 <= a < b`; the like for `k*b <= a < (k+1)*b`.
//! * `(g*u + r) / (g*v) = u / v` and `(g*u + r) % (g*v) = g * (u % v) + r` for `0 <= r < g` and
//!   `v >= 1`: what makes flattened indices fall apart into their parts.
//! * `(a + r) / b = a / b` and `(a + r) % b = a % b + r` for a number `0 <= r < g`, where the facts show that `g` divides
//!   both `a` and `b`: the elements of a vector lie in one row.
//! * `(a / b) / c = a / (b*c)` for `c >= 1`, also where `c` is not a number.
//! * `(a % (b*c)) / b = (a / b) % c` for `b, c >= 1`.
//! * Multiples of a divisor that only the facts show to be multiples.
//! * `x % k` that is the same whatever the remainders of its variables.
//! * `min` and `max` of operands in known order.
//!
//! Whether conditions hold is decided with fixed sizes at their values; what is returned has their
//! names.

use super::prover::Prover;
use super::residues::residue;
use crate::nat::Nat;
use crate::nat::eval::floor_div;
use crate::nat::reduce::{Style, exact_quotient, reduced};
use crate::nat::term::{Factor, Monomial, Term, Terms, common, gcd};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Rules are applied until nothing changes, but no more often than this.
const MOST_ROUNDS: usize = 12;

/// Rewrites factors from the inside out, asking the prover whether a rule's condition holds.
pub(super) struct Simplifier<'a> {
    prover: &'a Prover<'a>,
    /// What each factor became; `None` where it stays as it is.
    done: RefCell<FxHashMap<Factor, Option<Nat>>>,
}

/// How many divisions, remainders, minima and maxima, and how large: less is simpler.
pub(super) fn cost(n: &Nat) -> (u32, u32) {
    (operations(n), n.0.nodes)
}

/// Divisions, remainders, minima and maxima, counted as often as they are carried out; powers above 4 count as 4.
pub(super) fn operations(n: &Nat) -> u32 {
    n.parts().iter().flat_map(|t| &t.factors).fold(0u32, |sum, (f, p)| match f.operands() {
        Some((a, b)) => {
            let inside = (1 + operations(a)).saturating_add(operations(b));
            sum.saturating_add(inside.saturating_mul((*p).min(4)))
        }
        None => sum,
    })
}

impl<'a> Simplifier<'a> {
    pub fn new(prover: &'a Prover<'a>) -> Simplifier<'a> {
        Simplifier { prover, done: RefCell::default() }
    }

    /// Every rule applied everywhere, as long as that changes something. Most rules only
    /// apply where they make an expression cheaper; the limit is for the few that could undo each other.
    pub fn simplify(&self, n: &Nat) -> Nat {
        let mut n = n.clone();
        for _ in 0..MOST_ROUNDS {
            if !n.has(|f| f.operands().is_some()) || !self.prover.spend(5) {
                break;
            }
            let next = n.replace(&|f| if f.operands().is_some() { self.factor(f) } else { None });
            let next = next.rejoined(&|b| self.at_least(b, 1));
            if next == n {
                break;
            }
            n = next;
        }
        n
    }

    /// The simpler form of a factor; `None` if neither it nor its operands become simpler.
    fn factor(&self, f: &Factor) -> Option<Nat> {
        if let Some(known) = self.done.borrow().get(f) {
            return known.clone();
        }
        // What a rule makes of it may hold it again.
        self.done.borrow_mut().insert(f.clone(), None);
        let inside = f.rebuild(|n| self.simplify(n));
        let result = match inside.as_factor() {
            Some(same) => self.rules(same).unwrap_or(inside),
            None => inside,
        };
        let result = (result != Nat::atom(f.clone())).then_some(result);
        self.done.borrow_mut().insert(f.clone(), result.clone());
        result
    }

    /// The first rule that applies to a factor whose operands are simple already.
    fn rules(&self, f: &Factor) -> Option<Nat> {
        self.prover.spend(100);
        let before = cost(&Nat::atom(f.clone()));
        let better = |n: &Nat| cost(n) < before;
        if let Factor::Mod(a, b) = f
            && let Some(r) = b.as_constant().and_then(|k| residue(a, k))
        {
            return Some(Nat::constant(r));
        }
        // From the strongest conclusion to the weakest: a quotient that is a number, parts that cancel,
        // multiples that the facts show, and then one division for two.
        match f {
            Factor::Div(a, b) | Factor::Mod(a, b) if self.at_least(b, 1) => {
                let divides = matches!(f, Factor::Div(..));
                self.one_quotient(a, b, divides)
                    .or_else(|| self.common_factor(a, b, divides).filter(better))
                    .or_else(|| self.multiples(a, b, divides).filter(better))
                    .or_else(|| self.nested(a, b, divides).filter(better))
                    .or_else(|| self.left_over(a, b, divides))
            }
            Factor::Div(a, b) if self.at_least(&-b, 1) => Some((-a).div(&-b)),
            Factor::Mod(a, b) if self.at_least(&-b, 1) => Some(-(-a).rem(&-b)),
            Factor::Min(a, b) => self.extreme(a, b, true),
            Factor::Max(a, b) => self.extreme(a, b, false),
            _ => None,
        }
    }

    fn at_least(&self, n: &Nat, least: i64) -> bool {
        self.prover.at_least(&self.prover.context.apply(n), least)
    }

    /// `a >= b`
    fn not_less(&self, a: &Nat, b: &Nat) -> bool {
        self.at_least(&(a - b), 0)
    }

    fn extreme(&self, a: &Nat, b: &Nat, min: bool) -> Option<Nat> {
        let (less, more) = if min { (a, b) } else { (b, a) };
        if self.not_less(b, a) {
            return Some(less.clone());
        }
        self.not_less(a, b).then(|| more.clone())
    }

    /// `k*b <= a < (k+1)*b`
    fn one_quotient(&self, a: &Nat, b: &Nat, divides: bool) -> Option<Nat> {
        let context = self.prover.context;
        let (x, y) = (context.interval(&context.apply(a)), context.interval(&context.apply(b)));
        let mut guesses = vec![0, -1, 1];
        if let (Some(low), Some(k)) = (x.low, y.high.filter(|h| *h >= 1 && y.low == Some(*h))) {
            guesses = vec![i64::try_from(floor_div(low, k)?).ok()?];
        }
        // Where the divisor is a number, the dividend's lower bound leaves a single guess; otherwise the
        // quotients that padding and clamping lead to are tried.
        let k = guesses.into_iter().find(|k| {
            let rest = a - b * *k;
            self.at_least(&rest, 0) && self.at_least(&(b - &rest), 1)
        })?;
        Some(if divides { Nat::constant(k) } else { a - b * k })
    }

    /// `(g*u + r) / (g*v) = u / v` for `0 <= r < g`: the multiples of `g` and the rest never meet in a carry,
    /// so that the rest has no part in the quotient and all of it stays in the remainder.
    fn common_factor(&self, a: &Nat, b: &Nat, divides: bool) -> Option<Nat> {
        self.candidates(a, b).into_iter().find_map(|g| {
            let v = exact_quotient(b, &g)?;
            let (u, r) = reduced(a, &g, Style::Mild);
            // Of `u*g - 1`, what is left of one `g` less.
            let (u, r) = if self.at_least(&-&r, 1) { (u - 1, r + &g) } else { (u, r) };
            let fits =
                !u.is_zero() && self.at_least(&r, 0) && self.at_least(&(&g - &r), 1) && self.at_least(&v, 1);
            fits.then(|| if divides { self.simplify(&u.div(&v)) } else { self.simplify(&u.rem(&v)) * &g + r })
        })
    }

    /// Divisors of `b` that a part of `a` shares, large ones first.
    fn candidates(&self, a: &Nat, b: &Nat) -> Vec<Nat> {
        let (c, m) = b.content();
        let monomial = |coefficient: i64, factors: Monomial| Nat::from_term(Term { coefficient, factors });
        let mut all: Vec<Nat> = vec![];
        if b.parts().len() > 1 {
            all.extend(b.without(c, &m));
            all.push(monomial(c, m.clone()));
        }
        for t in a.parts() {
            all.push(monomial(gcd(t.coefficient, c), common(&t.factors, &m)));
        }
        let mut kept: Vec<Nat> = vec![];
        for g in all {
            if g.as_constant() != Some(1) && g != *b && !kept.contains(&g) {
                kept.push(g);
            }
        }
        kept.sort_by_key(|g| {
            std::cmp::Reverse((g.parts().iter().map(|t| t.factors.len()).max(), g.0.nodes, g.content().0))
        });
        kept
    }

    /// Terms that the facts show to be multiples of `b`.
    fn multiples(&self, a: &Nat, b: &Nat, divides: bool) -> Option<Nat> {
        let context = self.prover.context;
        let divisor = context.apply(b);
        let (multiple, rest): (Terms, Terms) = a
            .parts()
            .iter()
            .cloned()
            .partition(|t| context.apply(&Nat::from_term(t.clone())).rem(&divisor).is_zero());
        if multiple.is_empty() {
            return None;
        }
        let (multiple, rest) = (Nat::from_ordered(multiple), Nat::from_ordered(rest));
        Some(match divides {
            true => self.simplify(&rest.div(b)) + multiple.div(b),
            false => self.simplify(&rest.rem(b)),
        })
    }

    /// `(a + r) / b = a / b` for a number `0 <= r < g`, where `g` divides `a` and `b` as the facts have them.
    fn left_over(&self, a: &Nat, b: &Nat, divides: bool) -> Option<Nat> {
        let number = |t: &&Term| t.factors.is_empty();
        let r = a.parts().iter().find(number)?.coefficient;
        let rest = a - r;
        let context = self.prover.context;
        let (c, _) = context.apply(&rest).content();
        let g = gcd(c, context.apply(b).as_constant()?);
        (0 < r && r < g)
            .then(|| if divides { self.simplify(&rest.div(b)) } else { self.simplify(&rest.rem(b)) + r })
    }

    /// `(x / y) / b = x / (y*b)` and `(x % (b*c)) / b = (x / b) % c`. Rounding down twice is rounding down
    /// once as long as `b` is positive, which the caller has proved.
    fn nested(&self, a: &Nat, b: &Nat, divides: bool) -> Option<Nat> {
        match a.as_factor()? {
            Factor::Div(x, y) if divides => Some(self.simplify(&x.div(&(y * b)))),
            Factor::Mod(x, y) if divides => {
                let c = exact_quotient(y, b)?;
                self.at_least(&c, 1).then(|| self.simplify(&self.simplify(&x.div(b)).rem(&c)))
            }
            _ => None,
        }
    }
}
