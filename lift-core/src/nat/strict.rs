//! The form for comparing.

use super::Nat;
use super::divmod::div;
use super::reduce::Style;
use super::term::{Factor, Term};
use rustc_hash::FxHashMap;

/// Rounds in which one quotient is rewritten.
const MOST_ROUNDS: usize = 8;

/// The form for comparing: remainders written with divisions (`a % b = a - b * (a / b)`), multiples
/// of a divisor taken out of its dividend to the last, and for divisors that are `positive`
///
/// * quotients of quotients as one, `(a/b + c) / d = (a + b*c) / (b*d)`;
/// * dividends that are positive rather than negative, `a / b = -1 - (-a - 1) / b`.
///
/// `positive` is asked of numbers too.
pub(super) fn strict(n: &Nat, positive: &dyn Fn(&Nat) -> bool) -> Nat {
    Strict { positive, done: FxHashMap::default() }.nat(n)
}

struct Strict<'a> {
    /// Is a divisor known to be positive?
    positive: &'a dyn Fn(&Nat) -> bool,
    /// Factors that were rewritten already: parts are shared, and occur many times.
    done: FxHashMap<Factor, Nat>,
}

impl Strict<'_> {
    fn nat(&mut self, n: &Nat) -> Nat {
        if !n.has(|f| f.operands().is_some()) {
            return n.clone();
        }
        // Factors are replaced by sums, so that each term is multiplied out again.
        let products = n.parts().iter().map(|t| {
            let start = Nat::constant(t.coefficient);
            t.factors.iter().fold(start, |n, (f, p)| n.times(&self.factor(f).pow(*p)))
        });
        Nat::total(&products.collect::<Vec<_>>())
    }

    fn factor(&mut self, f: &Factor) -> Nat {
        if let Some(known) = self.done.get(f) {
            return known.clone();
        }
        let result = match f {
            Factor::Div(a, b) => {
                let (a, b) = (self.nat(a), self.nat(b));
                self.quotient(&a, &b)
            }
            Factor::Mod(a, b) => {
                let (a, b) = (self.nat(a), self.nat(b));
                &a - &b.times(&self.quotient(&a, &b))
            }
            other => other.rebuild(|n| self.nat(n)),
        };
        self.done.insert(f.clone(), result.clone());
        result
    }

    /// Of operands that have this form.
    fn quotient(&self, a: &Nat, b: &Nat) -> Nat {
        let mut n = div(a, b, Style::Strict);
        for _ in 0..MOST_ROUNDS {
            let Some((term, image)) = n.parts().iter().find_map(|t| Some((t.clone(), self.rewritten(t)?)))
            else {
                break;
            };
            n = &n - &Nat::from_term(term) + image;
        }
        n
    }

    /// A quotient in the form for comparing, if it is not in it: two divisions as one, or the opposite dividend.
    fn rewritten(&self, term: &Term) -> Option<Nat> {
        let [(Factor::Div(a, b), 1)] = &term.factors[..] else { return None };
        let image = match inner(a) {
            Some((1, x, y, c)) if (self.positive)(b) => div(&(x + y * &c), &(y * b), Style::Strict),
            Some((-1, ..)) if (self.positive)(b) => opposite(a, b),
            _ if mostly_negative(a) && (self.positive)(b) => opposite(a, b),
            _ => return None,
        };
        Some(image * term.coefficient)
    }
}

/// More of what varies is negative: of `N - K` and its opposite neither is usual.
fn mostly_negative(a: &Nat) -> bool {
    a.parts().iter().filter(|t| !t.factors.is_empty()).map(|t| i128::from(t.coefficient)).sum::<i128>() < 0
}

/// `a / b` as `-1 - (-a - 1) / b`.
fn opposite(a: &Nat, b: &Nat) -> Nat {
    -div(&(-a - 1), b, Style::Strict) - 1
}

/// The only quotient in a dividend, as `sign * (x / y) + c`.
fn inner(a: &Nat) -> Option<(i64, &Nat, &Nat, Nat)> {
    let mut divisions =
        a.parts().iter().filter(|t| t.factors.iter().any(|(f, _)| matches!(f, Factor::Div(..))));
    let (Some(division), None) = (divisions.next(), divisions.next()) else { return None };
    let ([(Factor::Div(x, y), 1)], 1 | -1) = (&division.factors[..], division.coefficient) else {
        return None;
    };
    let rest = a - &Nat::from_term(division.clone());
    (!y.is_zero()).then_some((division.coefficient, x, y, rest))
}
