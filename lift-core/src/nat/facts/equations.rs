//! Equations solved for variables.
//!
//! * `x % k == r` becomes `x == k*q + r` with a new variable `q`.
//! * A variable with coefficient 1 or -1 is replaced by the rest.
//! * Of `a*x + b*y + … == 0` with numbers for coefficients, `x` of the smallest is replaced by
//!   `t - floor(b/a)*y - …`: what is left, `a*t + (b mod a)*y + … == 0`, has smaller ones (the
//!   step of Pugh's Omega test).
//! * What cannot be solved stays, as two inequalities.

use super::context::{Context, divides_by_zero};
use crate::nat::term::{Factor, Monomial, Term};
use crate::nat::{Condition, Maker, Nat, Var};
use std::collections::VecDeque;

/// Equations are not solved for ever.
const MOST_STEPS: usize = 200;

fn introduced(number: u32) -> Var {
    Var::made(Maker::Equation, "q", number)
}

impl Context {
    pub fn solve(&mut self, mut equations: VecDeque<Nat>, facts: &mut Vec<Nat>) {
        let (mut steps, mut waiting, mut known) = (0, VecDeque::new(), 0);
        loop {
            let Some(e) = equations.pop_front() else {
                // What could not be solved by itself may be, with what was solved since.
                if waiting.is_empty() || known == self.solved.len() || steps > MOST_STEPS {
                    break;
                }
                known = self.solved.len();
                std::mem::swap(&mut equations, &mut waiting);
                continue;
            };
            let e = self.apply(&e);
            let (c, _) = e.content();
            let e = e.without(c, &Monomial::new()).unwrap_or(e);
            steps += 1;
            if e.is_zero() {
                continue;
            }
            if never_zero(&e) || divides_by_zero(&e) {
                self.absurd = true;
                return;
            }
            let next = match () {
                () if steps > MOST_STEPS => None,
                () => self.remainder(&e, facts).or_else(|| self.replaced(&e)).or_else(|| self.reduced(&e)),
            };
            match next {
                Some(next) => equations.push_front(next),
                None => waiting.push_back(e),
            }
        }
        for e in waiting {
            self.leave(e, facts);
        }
        self.turn(facts);
    }

    fn introduce(&mut self) -> Var {
        self.introduced += 1;
        introduced(self.introduced - 1)
    }

    fn set(&mut self, v: Var, value: Nat) {
        for image in self.solved.values_mut() {
            *image = image.substitute(&|w| (*w == v).then(|| value.clone()));
        }
        self.solved.insert(v, value);
    }

    /// `x % k == r` as `x == k*q + r`.
    fn remainder(&mut self, e: &Nat, facts: &mut Vec<Nat>) -> Option<Nat> {
        let (x, k, rest) = remainder(e)?;
        let difference = &x - &rest;
        let solvable = match unit_variable(&difference) {
            Some(v) => !k.contains(&v),
            None => k.as_constant().is_some() && difference.parts().iter().all(linear),
        };
        // A new variable would only be one more unknown.
        if !solvable {
            return None;
        }
        if let Some(k) = k.as_constant().filter(|k| *k > 0) {
            facts.push(rest.clone());
            facts.push(-&rest + (k - 1));
        }
        let q = Nat::var(&self.introduce());
        Some(x - k * q - rest)
    }

    /// What is known of an equation that is not solved.
    fn leave(&mut self, e: Nat, facts: &mut Vec<Nat>) {
        if let Some((x, k, rest)) = remainder(&e)
            && rest.is_zero()
        {
            let exact = &x - &k * x.div(&k);
            facts.extend([-&exact, exact]);
            self.zero.insert(Factor::Mod(x, k));
        }
        facts.extend([-&e, e]);
    }

    fn replaced(&mut self, e: &Nat) -> Option<Nat> {
        let v = unit_variable(e)?;
        let (coefficient, rest) = e.linear_in(&v)?;
        self.set(v, if coefficient.as_constant() == Some(1) { -&rest } else { rest });
        Some(Nat::constant(0))
    }

    fn reduced(&mut self, e: &Nat) -> Option<Nat> {
        if !e.parts().iter().all(linear) {
            return None;
        }
        let variable = e.parts().iter().filter(|t| !t.factors.is_empty());
        let smallest = variable.min_by_key(|t| t.coefficient.unsigned_abs())?;
        let (Factor::Var(x), _) = smallest.factors.first()? else { return None };
        let a = smallest.coefficient;
        let (mut value, mut left) = (Nat::constant(0), Nat::constant(0));
        for t in e.parts().iter().filter(|t| *t != smallest) {
            // floor(c / a) and what it leaves, for `a` of either sign.
            let q = crate::nat::eval::floor_div(t.coefficient.into(), a.into())?;
            let r = i128::from(t.coefficient) - q * i128::from(a);
            let with = |coefficient: i128| {
                let coefficient = i64::try_from(coefficient).ok().filter(|c| *c != 0);
                coefficient.map_or(Nat::constant(0), |c| Nat::from_term(Term { coefficient: c, ..t.clone() }))
            };
            value = value - with(q);
            left = left + with(r);
        }
        let (x, t) = (x.clone(), Nat::var(&self.introduce()));
        self.set(x, value + &t);
        Some(left + t * a)
    }

    /// Sizes should grow with what was introduced for them: that is how its lower bound is found.
    fn turn(&mut self, facts: &mut [Nat]) {
        for number in 0..self.introduced {
            let t = introduced(number);
            let images =
                self.solved.iter().filter(|(v, _)| v.index == 0).filter_map(|(_, n)| n.linear_in(&t));
            let signs: Vec<i64> = images.filter_map(|(c, _)| c.as_constant().map(i64::signum)).collect();
            if signs.contains(&-1) && !signs.contains(&1) {
                let turned = |n: &Nat| n.substitute(&|v| (*v == t).then(|| -Nat::var(&t)));
                self.solved.values_mut().for_each(|n| *n = turned(n));
                facts.iter_mut().for_each(|n| *n = turned(n));
                let choice = |c: &Condition| c.map(&|n| turned(n));
                self.choices.iter_mut().flatten().for_each(|c| *c = choice(c));
                // What is no single remainder any more is known by its two inequalities still.
                let zero = std::mem::take(&mut self.zero);
                self.zero =
                    zero.into_iter().filter_map(|f| turned(&Nat::atom(f)).as_factor().cloned()).collect();
            }
        }
    }
}

/// `g*u + c` where `g` does not divide `c`.
pub(super) fn never_zero(e: &Nat) -> bool {
    let c = e.constant_part();
    let (g, _) = (e - &Nat::constant(c)).content();
    c.checked_rem(g).is_some_and(|r| r != 0) || e.as_constant().is_some_and(|c| c != 0)
}

fn linear(t: &Term) -> bool {
    matches!(&t.factors[..], [] | [(Factor::Var(_), 1)])
}

/// A variable that occurs once, with coefficient 1 or -1: index variables rather than sizes.
fn unit_variable(e: &Nat) -> Option<Var> {
    let units = e.parts().iter().filter_map(|t| match (&t.factors[..], t.coefficient) {
        ([(Factor::Var(v), 1)], 1 | -1) if e.linear_in(v).is_some_and(|(c, _)| c.as_constant().is_some()) => {
            Some(v)
        }
        _ => None,
    });
    units.max_by_key(|v| (v.depth(), *v)).cloned()
}

/// `e = 0` as `x % k == rest`.
fn remainder(e: &Nat) -> Option<(Nat, Nat, Nat)> {
    let mut found = e.parts().iter().filter_map(|t| match &t.factors[..] {
        [(Factor::Mod(x, k), 1)] if matches!(t.coefficient, 1 | -1) => Some((t, x, k)),
        _ => None,
    });
    let (term, x, k) = found.next()?;
    let rest = e - &Nat::from_term(term.clone());
    let rest = if term.coefficient == 1 { -&rest } else { rest };
    (!rest.has(|f| matches!(f, Factor::Mod(..)))).then(|| (x.clone(), k.clone(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nat::facts::Known;

    fn solved(conditions: &[Condition], n: &Nat) -> Nat {
        let sizes = ["M", "N", "S"].map(|s| Known::Size(Var::size(s)));
        let known: Vec<Known> =
            sizes.into_iter().chain(conditions.iter().cloned().map(Known::Assume)).collect();
        Context::new(&known).apply(n)
    }

    #[test]
    fn divisibility_becomes_a_product() {
        let (n, m, four) = (&Nat::size("N"), &Nat::size("M"), &Nat::from(4));
        let found = solved(&[Condition::divides(four, n)], &(n.div(four) * 4 - n));
        assert_eq!(found, Nat::from(0));
        let found = solved(&[Condition::eq(n.rem(four), Nat::from(3))], &(n + 1).rem(four));
        assert_eq!(found, Nat::from(0));
        let s = &Nat::size("S");
        let found = solved(&[Condition::divides(s, n - m)], &((n - m).div(s) * s + m - n));
        assert_eq!(found, Nat::from(0));
    }

    #[test]
    fn coefficients_are_made_smaller() {
        let (n, m) = (&Nat::size("N"), &Nat::size("M"));
        let found = solved(&[Condition::eq(n * 5, m * 3)], &m.rem(&Nat::from(5)));
        assert_eq!(found, Nat::from(0));
        let (three, four) = (&Nat::from(3), &Nat::from(4));
        let both = [Condition::divides(three, n), Condition::divides(four, n)];
        assert_eq!(solved(&both, &n.rem(&Nat::from(12))), Nat::from(0));
    }

    #[test]
    fn impossible_equations_are_noticed() {
        let odd = Condition::eq(Nat::size("N") * 2, Nat::size("M") * 4 + 1);
        assert!(Context::new(&[Known::Assume(odd)]).absurd);
    }
}
