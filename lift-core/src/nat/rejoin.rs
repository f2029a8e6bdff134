//! Quotients and remainders put together again.

use super::Nat;
use super::poly::sum;
use super::term::{Factor, Term};

/// Of more remainders, no two are put together.
const MOST_REMAINDERS: usize = 32;

impl Nat {
    /// Wherever they meet with the same coefficient, `x % b` and `b * (x / b)` are `x`, and `x % a`
    /// and `a * (x/a % b)` are `x % (a*b)` for a number `b > 0`.
    pub(super) fn recombined(self) -> Nat {
        self.rejoined(&|b| b.as_constant().is_some_and(|b| b > 0))
    }

    /// [`Nat::recombined`] where more divisors are known to be positive.
    pub(super) fn rejoined(self, positive: &dyn Fn(&Nat) -> bool) -> Nat {
        let mut n = self;
        // Each step leaves fewer remainders.
        while n.has(|f| matches!(f, Factor::Mod(..))) {
            match n.parts().iter().find_map(|t| whole(&n, t).or_else(|| longer(&n, t, positive))) {
                Some(better) => n = better,
                None => break,
            }
        }
        n
    }
}

/// `c * (x % b) + c*b * (x / b)` as `c * x`.
fn whole(n: &Nat, term: &Term) -> Option<Nat> {
    let (x, b, outside) = taken(term)?;
    if !n.has(|f| matches!(f, Factor::Div(..))) {
        return None;
    }
    // The quotient may itself be a sum, `x / b = q + r / b`: all of its terms must be there, times the divisor.
    let multiple = b.times(&x.div(b)).times(&outside);
    if multiple.is_zero() || !multiple.parts().iter().all(|t| n.parts().contains(t)) {
        return None;
    }
    let gone = sum(&multiple, &Nat::from_term(term.clone()))?;
    sum(&sum(n, &gone.scaled(-1))?, &x.times(&outside))
}

/// `c * (x % a) + c*a * (y % b)` where `y` is `x/a + z`, for a positive `b`: the last digits of
/// `x + a*z`, `c * ((x + a*z) % (a*b))`.
fn longer(n: &Nat, low: &Term, positive: &dyn Fn(&Nat) -> bool) -> Option<Nat> {
    let (x, a, outside) = taken(low)?;
    // Most often nothing is there to be joined with; and comparing all with all takes its time.
    let others = n.parts().iter().filter(|t| t.factors.iter().any(|(f, _)| matches!(f, Factor::Mod(..))));
    if !(2..=MOST_REMAINDERS).contains(&others.count()) {
        return None;
    }
    // In a mixed radix `x % a` is the last digit of `x` and `(x / a) % b` the one before it. `y` may differ
    // from `x / a` by a summand without division, which counts as a multiple of `a` in `x`.
    let digit = x.div(a);
    let main = digit.parts().iter().find(|t| t.factors.iter().any(|(f, _)| matches!(f, Factor::Div(..))))?;
    let scale = outside.times(a);
    n.parts().iter().find_map(|high| {
        let (y, b, factor) = taken(high)?;
        if factor != scale || !y.parts().contains(main) || !positive(b) {
            return None;
        }
        let whole = x + a * &(y - &digit);
        let both = sum(&Nat::from_term(low.clone()), &Nat::from_term(high.clone()))?;
        let rest = sum(n, &both.scaled(-1))?;
        sum(&rest, &whole.rem(&a.times(b)).times(&outside))
    })
}

/// A term as `x % b` times the rest of it.
fn taken(term: &Term) -> Option<(&Nat, &Nat, Nat)> {
    let at = term.factors.iter().position(|(f, _)| matches!(f, Factor::Mod(..)))?;
    let Factor::Mod(x, b) = &term.factors[at].0 else { return None };
    let mut outside = term.clone();
    match outside.factors[at].1 {
        1 => drop(outside.factors.remove(at)),
        ref mut power => *power -= 1,
    }
    Some((x, b, Nat::from_term(outside)))
}
