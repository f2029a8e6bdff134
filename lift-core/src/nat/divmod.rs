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
//! stays), which people and C compilers prefer; [`strict`] is the form without that courtesy, in
//! which equal expressions are more often the same.

use super::Nat;
use super::eval::floor_div;
use super::term::{Factor, Term, gcd, quotient};
use std::collections::HashMap;

/// How far multiples of the divisor are taken out of a dividend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As a person would.
    Mild,
    /// Until nothing is left that the divisor's first term divides: remainders are unique.
    Strict,
}

/// Steps of a polynomial division.
const MOST_STEPS: usize = 64;

impl Nat {
    /// The quotient, rounded down.
    pub fn div(&self, d: &Nat) -> Nat {
        div(self, d, Style::Mild)
    }

    /// The remainder of [`Nat::div`]: `self - d * (self / d)`, between 0 and `d`.
    pub fn rem(&self, d: &Nat) -> Nat {
        rem(self, d)
    }

    /// `x % b` and `b * (x / b)` put together wherever they meet with the same coefficient.
    pub(super) fn recombined(self) -> Nat {
        let mut n = self;
        while n.has(|f| matches!(f, Factor::Mod(..))) && n.has(|f| matches!(f, Factor::Div(..))) {
            match n.parts().iter().find_map(|t| recombination(&n, t)) {
                Some(better) => n = better,
                None => break,
            }
        }
        n
    }
}

fn recombination(n: &Nat, term: &Term) -> Option<Nat> {
    let at = term.factors.iter().position(|(f, _)| matches!(f, Factor::Mod(..)))?;
    let Factor::Mod(x, b) = &term.factors[at].0 else { return None };
    let mut outside = term.clone();
    match outside.factors[at].1 {
        1 => drop(outside.factors.remove(at)),
        ref mut power => *power -= 1,
    }
    let outside = Nat::from_ordered(vec![outside]);
    let multiple = b.times(&x.div(b)).times(&outside);
    let there = |t: &Term| n.parts().contains(t);
    if multiple.is_zero() || !multiple.parts().iter().all(there) {
        return None;
    }
    let gone = super::poly::sum(&multiple, &Nat::from_ordered(vec![term.clone()]))?;
    let rest = super::poly::sum(n, &gone.scaled(-1))?;
    super::poly::sum(&rest, &x.times(&outside))
}

pub(super) fn div(a: &Nat, b: &Nat, style: Style) -> Nat {
    if b.is_zero() {
        return Nat::atom(Factor::Div(a.clone(), b.clone()));
    }
    let (mut a, mut b, mut whole) = (a.clone(), b.clone(), Nat::constant(0));
    // Each round leaves a smaller dividend or divisor.
    for _ in 0..MOST_STEPS {
        if b.parts()[0].coefficient < 0 {
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

fn rem(a: &Nat, b: &Nat) -> Nat {
    if b.is_zero() {
        return Nat::atom(Factor::Mod(a.clone(), b.clone()));
    }
    if b.parts()[0].coefficient < 0 {
        return rem(&a.scaled(-1), &b.scaled(-1)).scaled(-1);
    }
    if let Some((x, y)) = cancelled(a, b) {
        let ratio = |n: &Nat| n.parts().first().cloned();
        return match (ratio(b), ratio(&y)) {
            (Some(old), Some(new)) => {
                let factor = exact_quotient(b, &y).unwrap_or_else(|| ratio_of(&old, &new));
                rem(&x, &y).times(&factor)
            }
            _ => Nat::constant(0),
        };
    }
    let a = &flat(a, b);
    if b.as_constant() == Some(1) || a.is_zero() {
        return Nat::constant(0);
    }
    if let Some((x, y, g)) = rounded(a, b) {
        let left = Nat::constant(a.constant_part().rem_euclid(g));
        return rem(&x, &y).scaled(g).plus(&left);
    }
    let (q, r) = reduced(a, b, Style::Mild);
    if !q.is_zero() {
        return rem(&r, b);
    }
    Nat::atom(Factor::Mod(a.clone(), b.clone()))
}

/// The quotient of single terms that divide.
fn ratio_of(a: &Term, b: &Term) -> Nat {
    let coefficient = a.coefficient.checked_div(b.coefficient).unwrap_or(1);
    let factors = quotient(&a.factors, &b.factors).unwrap_or_default();
    Nat::from_ordered(vec![Term { coefficient, factors }])
}

/// `(k*a, k*b)` as `(a, b)`.
fn cancelled(a: &Nat, b: &Nat) -> Option<(Nat, Nat)> {
    let (cb, mb) = b.content();
    if !a.is_zero() {
        let (ca, ma) = a.content();
        let (c, m) = (gcd(ca, cb), super::term::common(&ma, &mb));
        if c != 1 || !m.is_empty() {
            return Some((a.without(c, &m)?, b.without(c, &m)?));
        }
    }
    // The part of the divisor that is a sum.
    if b.parts().len() > 1 && (cb != 1 || !mb.is_empty()) {
        let primitive = b.without(cb, &mb)?;
        let x = exact_quotient(a, &primitive)?;
        return Some((x, Nat::from_ordered(vec![Term { coefficient: cb, factors: mb }])));
    }
    None
}

/// `(g*u + c, g*v)` as `(u + c/g, v, g)` for numbers.
fn rounded(a: &Nat, b: &Nat) -> Option<(Nat, Nat, i64)> {
    let (k, c) = (b.as_constant()?, a.constant_part());
    if k <= 1 || c == 0 {
        return None;
    }
    let variable: Vec<Term> = a.parts().iter().filter(|t| !t.factors.is_empty()).cloned().collect();
    let g = variable.iter().fold(k, |g, t| gcd(g, t.coefficient));
    if g <= 1 || variable.is_empty() {
        return None;
    }
    let u = Nat::from_ordered(variable).without(g, &vec![])?;
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
    let rest = a - &Nat::from_ordered(vec![division.clone()]);
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
            let outside = Nat::from_ordered(vec![Term {
                coefficient: t.coefficient,
                factors: factors.cloned().collect(),
            }]);
            exact_quotient(&outside.times(k), b)?;
            Some((Nat::from_ordered(vec![t.clone()]), outside.times(x)))
        });
        match inner {
            Some((old, new)) => a = &(&a - &old) + &new,
            None => break,
        }
    }
    a
}

/// `a = q*b + r`.
pub(super) fn reduced(a: &Nat, b: &Nat, style: Style) -> (Nat, Nat) {
    if let [divisor] = b.parts() { by_term(a, divisor, style) } else { by_sum(a, b, style) }
}

fn by_term(a: &Nat, b: &Term, style: Style) -> (Nat, Nat) {
    let (mut whole, mut rest) = (vec![], vec![]);
    for t in a.parts() {
        let k = b.coefficient;
        let (q, r) = match quotient(&t.factors, &b.factors) {
            None => (0, t.coefficient),
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
                Style::Mild => t.coefficient / lead.coefficient,
                Style::Strict => t.coefficient.div_euclid(lead.coefficient),
            };
            let q = Nat::from_ordered(vec![Term { coefficient, factors }]);
            let left = &rest - &b.times(&q);
            let good = style == Style::Strict || left.parts().len() < rest.parts().len();
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
        if first.coefficient.checked_rem(lead.coefficient)? != 0 {
            return None;
        }
        let coefficient = first.coefficient.checked_div(lead.coefficient)?;
        let q =
            Nat::from_ordered(vec![Term { coefficient, factors: quotient(&first.factors, &lead.factors)? }]);
        rest = super::poly::sum(&rest, &b.times(&q).scaled(-1))?;
        whole = super::poly::sum(&whole, &q)?;
    }
    None
}

/// The form for comparing: remainders written with divisions (`a % b = a - b * (a / b)`), and
/// multiples of a divisor taken out of its dividend to the last.
pub(super) fn strict(n: &Nat) -> Nat {
    strict_with(n, &mut HashMap::new())
}

fn strict_with(n: &Nat, done: &mut HashMap<Factor, Nat>) -> Nat {
    if !n.has(|f| f.operands().is_some()) {
        return n.clone();
    }
    n.parts().iter().fold(Nat::constant(0), |sum, t| {
        let start = Nat::constant(t.coefficient);
        let product = t.factors.iter().fold(start, |n, (f, p)| n.times(&strict_factor(f, done).pow(*p)));
        sum.plus(&product)
    })
}

fn strict_factor(f: &Factor, done: &mut HashMap<Factor, Nat>) -> Nat {
    if let Some(known) = done.get(f) {
        return known.clone();
    }
    let result = match f {
        Factor::Div(a, b) => div(&strict_with(a, done), &strict_with(b, done), Style::Strict),
        Factor::Mod(a, b) => {
            let (a, b) = (strict_with(a, done), strict_with(b, done));
            &a - &b.times(&div(&a, &b, Style::Strict))
        }
        other => other.rebuild(|n| strict_with(n, done)),
    };
    done.insert(f.clone(), result.clone());
    result
}
