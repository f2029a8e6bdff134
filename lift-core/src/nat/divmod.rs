//! Floor division and its remainder.
//!
//! Everything here holds for integers of any sign for which the original is defined:
//! * `(q*b + r) / b = q + r / b` and `(q*b + r) % b = r % b`: multiples of the divisor leave.
//! * `(k*a) / (k*b) = a / b` and `(k*a) % (k*b) = k * (a % b)`.
//! * `(g*u + c) / (g*v) = (u + c/g) / v` for numbers `g, v > 0` and `c`, and
//!   `(g*u + c) % (g*v) = g * ((u + c/g) % v) + c % g`.
//! * `a / -b = -a / b` and `a % -b = -(-a % b)`.
//! * `(a/b + c) / d = (a + b*c) / (b*d)` for a number `d > 0`.
//! * `(a + x % k) % b = (a + x) % b` where `b` divides `k`.
//!
//! A number in a dividend ends between 0 and the divisor, so that `(n - 1) / 4 + 1` and
//! `(n + 3) / 4` are one expression. The coefficients of variables keep their sign (`(i - j) / 4`
//! stays), which people and C compilers prefer; [`super::strict`] is the form without that courtesy, in
//! which equal expressions are more often the same.

use super::Nat;
use super::eval::floor_div;
use super::reduce::{MOST_STEPS, Style, exact_quotient, reduced};
use super::term::{Factor, Monomial, Term, Terms, common, gcd, quotient};

impl Nat {
    /// The quotient, rounded down.
    pub fn div(&self, d: &Nat) -> Nat {
        div(self, d, Style::Mild)
    }

    /// The remainder of [`Nat::div`]: `self - d * (self / d)`, between 0 and `d`.
    pub fn rem(&self, d: &Nat) -> Nat {
        rem(self, d, MOST_STEPS)
    }
}

/// `a / b` in normal form. Every step is an identity for all integers for which the original is defined; a
/// divisor that is the number 0 stays as it is, and has no value.
pub(super) fn div(a: &Nat, b: &Nat, style: Style) -> Nat {
    if b.is_zero() {
        return Nat::atom(Factor::Div(a.clone(), b.clone()));
    }
    let (mut a, mut b, mut whole) = (a.clone(), b.clone(), Nat::constant(0));
    // Each round leaves a smaller dividend or divisor.
    for _ in 0..MOST_STEPS {
        // `a / b = -a / -b`: where one of the two divisors is the usual one, only that occurs in normal forms.
        if negative(&b, style) {
            (a, b) = (a.scaled(-1), b.scaled(-1));
        }
        match b.as_constant() {
            Some(1) => return whole.plus(&a),
            Some(k) => {
                if let Some(quotient) = a.as_constant().and_then(|c| floor_div(c.into(), k.into())) {
                    return match i64::try_from(quotient) {
                        Ok(q) => whole.plus(&Nat::constant(q)),
                        Err(_) => whole.plus(&Nat::atom(Factor::Div(a, b))),
                    };
                }
            }
            None => {}
        }
        if a.is_zero() {
            return whole;
        }
        // A common divisor of both leaves a quotient as it is.
        if let Some((x, y)) = cancelled(&a, &b) {
            (a, b) = (x, y);
            continue;
        }
        if let Some((x, y, _)) = rounded(&a, &b) {
            (a, b) = (x, y);
            continue;
        }
        let (q, r) = reduced(&a, &b, style);
        if !q.is_zero() {
            whole = whole.plus(&q);
            a = r;
            continue;
        }
        if let Some((x, y)) = merged(&a, &b, style) {
            (a, b) = (x, y);
            continue;
        }
        break;
    }
    whole.plus(&Nat::atom(Factor::Div(a, b)))
}

/// `a % b` in normal form, by the same steps as [`div`]: what it takes out of the quotient is a multiple of
/// the divisor here, and vanishes. One step may undo another: after so many it stays as it is.
fn rem(a: &Nat, b: &Nat, steps: usize) -> Nat {
    let Some(steps) = steps.checked_sub(1).filter(|_| !b.is_zero()) else {
        return Nat::atom(Factor::Mod(a.clone(), b.clone()));
    };
    if negative(b, Style::Mild) {
        return rem(&a.scaled(-1), &b.scaled(-1), steps).scaled(-1);
    }
    if let (Some(x), Some(k)) = (a.as_constant(), b.as_constant()) {
        return Nat::constant(x.rem_euclid(k));
    }
    if let Some((x, y)) = cancelled(a, b) {
        let ratio = |n: &Nat| n.parts().first().cloned();
        return match (ratio(b), ratio(&y)) {
            (Some(old), Some(new)) => {
                let factor = exact_quotient(b, &y).unwrap_or_else(|| ratio_of(&old, &new));
                rem(&x, &y, steps).times(&factor)
            }
            _ => Nat::constant(0),
        };
    }
    let flat = flat(a, b);
    if flat != *a {
        // It may have what the divisor has, too.
        return rem(&flat, b, steps);
    }
    if b.as_constant() == Some(1) || a.is_zero() {
        return Nat::constant(0);
    }
    if let Some((x, y, g)) = rounded(a, b) {
        let left = Nat::constant(a.constant_part().rem_euclid(g));
        return rem(&x, &y, steps).scaled(g).plus(&left);
    }
    let (q, r) = reduced(a, b, Style::Mild);
    if !q.is_zero() {
        return rem(&r, b, steps);
    }
    Nat::atom(Factor::Mod(a.clone(), b.clone()))
}

/// Is the other sign the usual one? More of what varies is positive in `W - 2`, though the whole may
/// not be. Of `W - KW + 1` and its opposite neither is usual, and people's choice stays.
fn negative(b: &Nat, style: Style) -> bool {
    let constant = b.as_constant().map(i128::from);
    let variable =
        b.parts().iter().filter(|t| !t.factors.is_empty()).map(|t| i128::from(t.coefficient)).sum();
    let sum = constant.unwrap_or(variable);
    sum < 0 || sum == 0 && style == Style::Strict && b.parts().first().is_some_and(|t| t.coefficient < 0)
}

/// The quotient of single terms that divide.
fn ratio_of(a: &Term, b: &Term) -> Nat {
    let coefficient = a.coefficient.checked_div(b.coefficient).unwrap_or(1);
    let factors = quotient(&a.factors, &b.factors).unwrap_or_default();
    Nat::from_term(Term { coefficient, factors })
}

/// `(k*a, k*b)` as `(a, b)`.
fn cancelled(a: &Nat, b: &Nat) -> Option<(Nat, Nat)> {
    let (cb, mb) = b.content();
    if !a.is_zero() {
        let (ca, ma) = a.content();
        let (c, m) = (gcd(ca, cb), common(&ma, &mb));
        if c != 1 || !m.is_empty() {
            return Some((a.without(c, &m)?, b.without(c, &m)?));
        }
    }
    // The part of the divisor that is a sum.
    if b.parts().len() > 1 && (cb != 1 || !mb.is_empty()) {
        let primitive = b.without(cb, &mb)?;
        let x = exact_quotient(a, &primitive)?;
        return Some((x, Nat::from_term(Term { coefficient: cb, factors: mb })));
    }
    None
}

/// `(g*u + c, g*v)` as `(u + c/g, v, g)` for numbers.
fn rounded(a: &Nat, b: &Nat) -> Option<(Nat, Nat, i64)> {
    let (k, c) = (b.as_constant()?, a.constant_part());
    if k <= 1 || c == 0 {
        return None;
    }
    let variable: Terms = a.parts().iter().filter(|t| !t.factors.is_empty()).cloned().collect();
    let g = variable.iter().fold(k, |g, t| gcd(g, t.coefficient));
    if g <= 1 || variable.is_empty() {
        return None;
    }
    let u = Nat::from_ordered(variable).without(g, &Monomial::new())?;
    Some((u.plus(&Nat::constant(c.div_euclid(g))), Nat::constant(k / g), g))
}

/// `(a/b + c, d)` as `(a + b*c, b*d)`, where the dividend has one division only.
fn merged(a: &Nat, d: &Nat, style: Style) -> Option<(Nat, Nat)> {
    if d.as_constant()? <= 0 {
        return None;
    }
    let mut divisions =
        a.parts().iter().filter(|t| t.factors.iter().any(|(f, _)| matches!(f, Factor::Div(..))));
    let (Some(division), None) = (divisions.next(), divisions.next()) else { return None };
    let [(Factor::Div(x, b), 1)] = &division.factors[..] else { return None };
    let rest = a - &Nat::from_term(division.clone());
    let welcome = style == Style::Strict || rest.as_constant().is_some();
    (division.coefficient == 1 && welcome && !b.is_zero()).then(|| (x.plus(&b.times(&rest)), b.times(d)))
}

/// Remainders inside a dividend that the outer remainder takes anyway.
fn flat(a: &Nat, b: &Nat) -> Nat {
    let mut a = a.clone();
    // What replaces a remainder may hold others.
    for _ in 0..MOST_STEPS {
        let inner = a.parts().iter().find_map(|t| {
            let (Factor::Mod(x, k), 1) = t.factors.iter().find(|(f, _)| matches!(f, Factor::Mod(..)))? else {
                return None;
            };
            let factors =
                t.factors.iter().filter(|(f, _)| !matches!(f, Factor::Mod(y, l) if y == x && l == k));
            let outside =
                Nat::from_term(Term { coefficient: t.coefficient, factors: factors.cloned().collect() });
            exact_quotient(&outside.times(k), b)?;
            Some((Nat::from_term(t.clone()), outside.times(x)))
        });
        match inner {
            Some((old, new)) => a = &(&a - &old) + &new,
            None => break,
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(n: Nat) -> String {
        n.to_string()
    }

    #[test]
    fn multiples_of_the_divisor_leave() {
        let (n, h, i, j) = (&Nat::size("N"), &Nat::size("H"), &Nat::size("I"), &Nat::size("J"));
        let four = &Nat::from(4);
        assert_eq!(show((i * 4 + j).div(four)), "I + J / 4");
        assert_eq!(show((i * 4 + j).rem(four)), "J % 4");
        assert_eq!(show((n * h + i).div(h)), "N + I / H");
        assert_eq!(show(((n + 1) * (h + 1) + i).div(&(h + 1))), "N + I / (H + 1) + 1");
        assert_eq!(show((n * 8).div(&(h * 4))), "2 * N / H");
        assert_eq!(show((n * 8).rem(&(h * 4))), "4 * (2 * N % H)");
        assert_eq!(show((n * 4 + 3).div(&Nat::from(8))), "N / 2");
        assert_eq!(show((n * 4 + 3).rem(&Nat::from(8))), "4 * (N % 2) + 3");
    }

    #[test]
    fn numbers_end_between_zero_and_the_divisor() {
        let (n, four) = (&Nat::size("N"), &Nat::from(4));
        assert_eq!((n - 1).div(four) + 1, (n + 3).div(four));
        assert_eq!(show((n - 3).div(&Nat::from(2)) + 1), "(N - 1) / 2");
        assert_eq!(show((n - 5).rem(four)), "(N + 3) % 4");
    }

    #[test]
    fn divisions_of_divisions_are_one() {
        let n = &Nat::size("N");
        let half = |n: &Nat| n.div(&Nat::from(2));
        assert_eq!(half(&half(n)), n.div(&Nat::from(4)));
        assert_eq!(half(&(half(&(n + 1)) + 1)), (n + 3).div(&Nat::from(4)));
    }

    #[test]
    fn quotient_and_remainder_meet_again() {
        let (n, m) = (&Nat::size("N"), &Nat::size("M"));
        assert_eq!(n.div(m) * m + n.rem(m), *n);
        let digits = n.div(&Nat::from(4)).rem(&Nat::from(8)) * 4 + n.rem(&Nat::from(4));
        assert_eq!(digits, n.rem(&Nat::from(32)));
    }

    #[test]
    fn remainders_of_remainders_are_flat() {
        let (n, i, k) = (&Nat::size("N"), &Nat::size("I"), &Nat::size("K"));
        assert_eq!(n.rem(k).rem(k), n.rem(k));
        assert_eq!((n.rem(&(k * 2)) + i).rem(k), (n + i).rem(k));
        assert_eq!((i * k).rem(&(i * n * n)).rem(&(i * n)), (i * k).rem(&(i * n)));
    }

    #[test]
    fn dividing_by_zero_stays() {
        let (n, zero) = (&Nat::size("N"), &Nat::from(0));
        assert!(n.div(zero).eval(&|_| Some(1)).is_err() && n.rem(zero).eval(&|_| Some(1)).is_err());
    }
}
