//! Multiples of a divisor taken out of a dividend: `a = q*b + r`.

use super::Nat;
use super::poly::sum;
use super::term::{Term, Terms, quotient};

/// How far multiples of the divisor are taken out of a dividend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As a person would.
    Mild,
    /// Until nothing is left that the divisor's first term divides: remainders are unique.
    Strict,
}

/// Steps of a polynomial division.
pub(super) const MOST_STEPS: usize = 64;

/// `a = q*b + r`.
pub(super) fn reduced(a: &Nat, b: &Nat, style: Style) -> (Nat, Nat) {
    if let [divisor] = b.parts() { by_term(a, divisor, style) } else { by_sum(a, b, style) }
}

/// By a single term: each coefficient is divided on its own, since the factors that are left differ.
fn by_term(a: &Nat, b: &Term, style: Style) -> (Nat, Nat) {
    let (mut whole, mut rest) = (Terms::new(), Terms::new());
    for t in a.parts() {
        let k = b.coefficient;
        let (q, r) = match quotient(&t.factors, &b.factors) {
            None => (0, t.coefficient),
            // A variable's coefficient is rounded towards zero, so that it keeps its sign; a number
            // ends between 0 and the divisor.
            Some(_) if style == Style::Mild && !t.factors.is_empty() => {
                (t.coefficient / k, t.coefficient % k)
            }
            Some(_) => (t.coefficient.div_euclid(k), t.coefficient.rem_euclid(k)),
        };
        if let (true, Some(factors)) = (q != 0, quotient(&t.factors, &b.factors)) {
            whole.push(Term { coefficient: q, factors });
        }
        if r != 0 {
            rest.push(Term { coefficient: r, factors: t.factors.clone() });
        }
    }
    (Nat::from_ordered(whole), Nat::from_ordered(rest))
}

/// Long division. A person takes a multiple out only if that shortens the dividend.
fn by_sum(a: &Nat, b: &Nat, style: Style) -> (Nat, Nat) {
    let (mut whole, mut rest) = (Nat::constant(0), a.clone());
    if let Some(q) = exact_quotient(a, b) {
        return (q, Nat::constant(0));
    }
    for _ in 0..MOST_STEPS {
        let step = rest.parts().iter().find_map(|t| {
            let lead = &b.parts()[0];
            let factors = quotient(&t.factors, &lead.factors)?;
            let coefficient = match style {
                Style::Mild => t.coefficient.checked_div(lead.coefficient)?,
                Style::Strict => t.coefficient.checked_div_euclid(lead.coefficient)?,
            };
            let q = Nat::from_term(Term { coefficient, factors });
            let left = &rest - &b.times(&q);
            // A multiple beyond 64 bits is not written out, and takes nothing away.
            let good = match style {
                Style::Mild => left.parts().len() < rest.parts().len(),
                Style::Strict => !left.parts().contains(t),
            };
            (coefficient != 0 && good).then_some((q, left))
        });
        match step {
            Some((q, left)) => (whole, rest) = (whole.plus(&q), left),
            None => break,
        }
    }
    (whole, rest)
}

/// `a / b` if `b` divides `a` as a polynomial.
pub(super) fn exact_quotient(a: &Nat, b: &Nat) -> Option<Nat> {
    let lead = b.parts().first()?;
    let (mut whole, mut rest) = (Nat::constant(0), a.clone());
    for _ in 0..MOST_STEPS {
        let Some(first) = rest.parts().first() else { return Some(whole) };
        // Terms are in an order that products keep, so the leading term of the rest must
        // be a multiple of the divisor's.
        if first.coefficient.checked_rem(lead.coefficient)? != 0 {
            return None;
        }
        let coefficient = first.coefficient.checked_div(lead.coefficient)?;
        let q = Nat::from_term(Term { coefficient, factors: quotient(&first.factors, &lead.factors)? });
        rest = sum(&rest, &b.times(&q).scaled(-1))?;
        whole = sum(&whole, &q)?;
    }
    None
}
