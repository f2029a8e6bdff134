//! Facts made ready for proofs.
//!
//! Equations are solved as far as they can be: `H == W + 2` replaces `H`; `N % 4 == 0` replaces
//! `N` by `4 * q` for a new `q`, so that `N / 4 * 4` is `N` by arithmetic alone. What is left are
//! polynomials that are at least 0, over the variables that are left.

use super::Known;
use super::interval::{Interval, NOTHING, quotient, remainder};
use crate::nat::strict::strict;
use crate::nat::term::{Factor, Monomial, Term};
use crate::nat::{Condition, Nat, Relation, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::sync::OnceLock;

/// Values of the free variables for which the facts hold.
pub(super) type Sample = FxHashMap<Var, i64>;

#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// Variables that are no longer free, in terms of those that are.
    pub solved: BTreeMap<Var, Nat>,
    /// Remainders that are 0 and could not be solved away.
    pub zero: FxHashSet<Factor>,
    /// Each is at least 0.
    pub facts: Vec<Nat>,
    /// One of each is true.
    pub choices: Vec<Vec<Condition>>,
    /// Constant bounds of free variables.
    pub intervals: FxHashMap<Var, Interval>,
    /// Symbolic bounds of free index variables, inclusive.
    pub lows: FxHashMap<Var, Vec<Nat>>,
    pub highs: FxHashMap<Var, Vec<Nat>>,
    /// The facts contradict each other.
    pub absurd: bool,
    pub samples: OnceLock<Vec<Sample>>,
    /// The facts in each form that certificates add up, and the work that made them.
    pub summands: [OnceLock<(Vec<Nat>, i64)>; 2],
    /// How many variables equations introduced.
    pub introduced: u32,
}

impl Context {
    pub fn new(known: &[Known]) -> Context {
        let mut context = Context::default();
        let (mut equations, mut facts) = (VecDeque::new(), vec![]);
        for k in known {
            match k {
                Known::Fix(v, value) => equations.push_front(Nat::var(v) - *value),
                Known::Size(v) => facts.push(Nat::var(v) - 1),
                Known::Range(v, low, end) => {
                    facts.push(Nat::var(v) - low);
                    facts.push(end - Nat::var(v) - 1);
                }
                Known::Assume(c) => context.flatten(c, &mut equations, &mut facts),
            }
        }
        // A case of a proof may speak of variables that equations introduced when the facts were first solved. They are
        // introduced again now, by the same equations, and turned; what speaks of them means them as they then are.
        let (about_introduced, mut facts): (Vec<Nat>, Vec<Nat>) =
            facts.into_iter().partition(|f| f.vars().iter().any(Var::is_introduced));
        context.solve(equations, &mut facts);
        facts.extend(about_introduced);
        context.settle(facts);
        context.divide();
        context
    }

    /// The same with ranges of variables of which nothing is known yet, as of the counters of loops. So nothing that is known of
    /// others changes, and only these facts are looked at. `None` if there is anything else among what is known besides.
    pub fn with_ranges(&self, besides: &[Known]) -> Option<Context> {
        let mut facts = vec![];
        for (k, known) in besides.iter().enumerate() {
            let Known::Range(v, low, end) = known else { return None };
            let told = besides[..k].iter().any(|other| matches!(other, Known::Range(w, ..) if w == v));
            if told || self.mentions(v) || [low, end].iter().any(|n| n.contains(v)) {
                return None;
            }
            facts.extend([Nat::var(v) - low, end - Nat::var(v) - 1]);
        }
        if facts.iter().any(|f| f.vars().iter().any(Var::is_introduced)) {
            return None;
        }
        let mut context = Context {
            solved: self.solved.clone(),
            zero: self.zero.clone(),
            facts: vec![],
            choices: self.choices.clone(),
            intervals: self.intervals.clone(),
            lows: self.lows.clone(),
            highs: self.highs.clone(),
            absurd: self.absurd,
            samples: OnceLock::new(),
            summands: Default::default(),
            introduced: self.introduced,
        };
        context.settle(facts);
        context.facts.splice(0..0, self.facts.iter().cloned());
        context.divide();
        Some(context)
    }

    /// Is anything known of a variable?
    fn mentions(&self, v: &Var) -> bool {
        let in_condition = |c: &Condition| c.vars().contains(v);
        self.intervals.contains_key(v)
            || self.solved.contains_key(v)
            || self.facts.iter().any(|f| f.contains(v))
            || self.solved.values().any(|n| n.contains(v))
            || self.zero.iter().filter_map(Factor::operands).any(|(a, b)| a.contains(v) || b.contains(v))
            || self.choices.iter().flatten().any(in_condition)
    }

    /// What is divisible by `k`, and at least 1, is at least `k`. Whether it is at least 1 is asked for each context, so
    /// no more than a look at the facts is taken.
    fn divide(&mut self) {
        let mut multiples: Vec<(Nat, Nat)> =
            self.zero.iter().filter_map(Factor::operands).map(|(x, k)| (x.clone(), k.clone())).collect();
        multiples.retain(|(_, k)| self.interval(k).at_least(1));
        multiples.sort_by(|(x, k), (y, l)| {
            (x.0.nodes, k.0.nodes).cmp(&(y.0.nodes, l.0.nodes)).then(x.compare(y)).then(k.compare(l))
        });
        for (x, k) in multiples {
            if !self.interval(&(&x - &k)).at_least(0) && self.evident(&(&x - 1)) {
                let facts = [&x - &k, x.div(&k) - 1];
                self.facts.extend(facts.into_iter().filter(|f| !self.facts.contains(f)).collect::<Vec<_>>());
            }
        }
    }

    /// At least 0 by intervals, by one of the facts, or for quotients of such: `a/b + r >= 0` is `a + b*r >= 0`, and
    /// follows from `a >= 0` and `r >= 0`.
    fn evident(&self, e: &Nat) -> bool {
        // Only a fact with a term of `e` can bring its lower bound up.
        let alike = |e: &Nat, f: &Nat| {
            f.parts()
                .iter()
                .any(|t| !t.factors.is_empty() && e.parts().iter().any(|u| u.factors == t.factors))
        };
        let plainly = |e: &Nat| {
            let by_fact = |f: &Nat| alike(e, f) && self.interval(&(e - f)).at_least(0);
            self.interval(e).at_least(0) || self.facts.iter().any(by_fact)
        };
        plainly(e)
            || e.parts().iter().any(|t| {
                let ([(Factor::Div(a, b), 1)], 1) = (&t.factors[..], t.coefficient) else { return false };
                let rest = e - &Nat::from_term(t.clone());
                self.interval(b).at_least(1)
                    && (plainly(&(a + b * &rest)) || self.evident(a) && self.evident(&rest))
            })
    }

    /// In terms of the free variables.
    pub fn apply(&self, n: &Nat) -> Nat {
        if self.solved.is_empty() && self.zero.is_empty() {
            return n.clone();
        }
        let n = n.substitute(&|v| self.solved.get(v).cloned());
        if self.zero.is_empty() { n } else { n.replace(&|f| self.zero.contains(f).then(|| Nat::constant(0))) }
    }

    /// The form for comparing, where the divisors that are at least 1 for simple reasons are known to be.
    pub fn strict(&self, n: &Nat) -> Nat {
        strict(n, &|b| self.interval(b).at_least(1))
    }

    /// Bounds of an expression over free variables.
    pub fn interval(&self, n: &Nat) -> Interval {
        n.parts().iter().fold(Interval::exactly(0), |sum, t| {
            let start = Interval::exactly(t.coefficient.into());
            let product = t
                .factors
                .iter()
                .fold(start, |product, (f, p)| product.times(self.factor_interval(f).power(*p)));
            sum.plus(product)
        })
    }

    pub fn factor_interval(&self, f: &Factor) -> Interval {
        if let Factor::Var(v) = f {
            return self.intervals.get(v).copied().unwrap_or(NOTHING);
        }
        let Some((a, b)) = f.operands() else { return NOTHING };
        let (a, b) = (self.interval(a), self.interval(b));
        match f {
            Factor::Div(..) => quotient(a, b),
            Factor::Mod(..) => remainder(a, b),
            Factor::Min(..) => Interval {
                low: a.low.zip(b.low).map(|(x, y)| x.min(y)),
                high: [a.high, b.high].into_iter().flatten().min(),
            },
            Factor::Max(..) => Interval {
                low: [a.low, b.low].into_iter().flatten().max(),
                high: a.high.zip(b.high).map(|(x, y)| x.max(y)),
            },
            Factor::Sum(..) => a.plus(b),
            Factor::Product(..) => a.times(b),
            _ => NOTHING,
        }
    }

    /// Does a condition follow from the bounds of single variables? Most that are asked for do. Only polynomials are looked at,
    /// which are defined everywhere.
    pub fn shows(&self, c: &Condition) -> bool {
        let is_polynomial = |n: &Nat| !n.has(|f| !matches!(f, Factor::Var(_)));
        match c {
            Condition::Compare(relation, a, b) if is_polynomial(a) && is_polynomial(b) => {
                let difference = match relation {
                    Relation::Lt => b - a - 1,
                    Relation::Le => b - a,
                    Relation::Gt => a - b - 1,
                    Relation::Ge => a - b,
                    Relation::Eq | Relation::Ne => return false,
                };
                self.interval(&self.apply(&difference)).at_least(0)
            }
            Condition::And(parts) => parts.iter().all(|part| self.shows(part)),
            Condition::Compare(..) | Condition::Or(_) | Condition::Not(_) => false,
        }
    }

    fn flatten(&mut self, c: &Condition, equations: &mut VecDeque<Nat>, facts: &mut Vec<Nat>) {
        match c {
            Condition::Compare(relation, a, b) => match relation {
                Relation::Eq => equations.push_back(a - b),
                Relation::Ne => {
                    let sides = vec![Condition::lt(a, b), Condition::gt(a, b)];
                    self.choices.push(sides);
                }
                Relation::Lt => facts.push(b - a - 1),
                Relation::Le => facts.push(b - a),
                Relation::Gt => facts.push(a - b - 1),
                Relation::Ge => facts.push(a - b),
            },
            Condition::And(parts) => parts.iter().for_each(|p| self.flatten(p, equations, facts)),
            Condition::Or(parts) => match &parts[..] {
                [] => self.absurd = true,
                [one] => self.flatten(one, equations, facts),
                _ => self.choices.push(parts.clone()),
            },
            Condition::Not(inner) => match &**inner {
                Condition::Not(twice) => self.flatten(twice, equations, facts),
                other => self.flatten(&other.clone().not(), equations, facts),
            },
        }
    }

    /// Facts over free variables, each as strong as integers allow, and the bounds that follow.
    fn settle(&mut self, facts: Vec<Nat>) {
        let mut facts: Vec<Nat> = facts.iter().map(|f| self.apply(f)).collect();
        // A bound of one variable can make a factor of another fact positive.
        for _ in 0..5 {
            let mut seen = FxHashSet::default();
            let before = (self.intervals.clone(), facts.clone());
            facts = facts.iter().flat_map(|f| self.tightened(f)).filter(|f| seen.insert(f.clone())).collect();
            facts.iter().for_each(|f| self.bound(f));
            if before == (self.intervals.clone(), facts.clone()) {
                break;
            }
        }
        self.absurd |=
            facts.iter().any(|f| divides_by_zero(f) || self.interval(f).high.is_some_and(|h| h < 0));
        for f in &facts {
            for v in f.vars().iter().filter(|v| v.index > 0) {
                let Some((coefficient, rest)) = f.linear_in(v) else { continue };
                match coefficient.as_constant() {
                    Some(1) => self.lows.entry(v.clone()).or_default().push(-&rest),
                    Some(-1) => self.highs.entry(v.clone()).or_default().push(rest),
                    _ => {}
                }
            }
        }
        self.facts = facts;
    }

    /// `g*u + c >= 0` as `u + floor(c / g) >= 0`; for a positive `m`, `m*u >= 0` as `u >= 0`, and
    /// with `m*u - c >= 0` for a positive `c` also `u >= 1`.
    fn tightened(&mut self, f: &Nat) -> Vec<Nat> {
        let mut f = f.clone();
        if let Some(c) = f.as_constant() {
            self.absurd |= c < 0;
            return vec![];
        }
        let c = f.constant_part();
        let (_, m) = if c < 0 { (&f - &Nat::constant(c)).content() } else { f.content() };
        let positive: Monomial = m
            .into_iter()
            .filter(|(x, _)| match x {
                Factor::Var(v) => self.intervals.get(v).is_some_and(|i| i.low.is_some_and(|l| l >= 1)),
                _ => false,
            })
            .collect();
        let mut more = None;
        if !positive.is_empty() {
            match (f.without(1, &positive), c < 0) {
                (Some(u), _) => f = u,
                (None, true) => more = (&f - &Nat::constant(c)).without(1, &positive).map(|u| u - 1),
                (None, false) => {}
            }
        }
        let c = f.constant_part();
        let variable = &f - &Nat::constant(c);
        let (g, _) = variable.content();
        if g > 1 {
            f = variable.without(g, &Monomial::new()).map_or(f, |u| u + c.div_euclid(g));
        }
        more.into_iter().chain([f]).collect()
    }

    fn bound(&mut self, f: &Nat) {
        if let [Term { coefficient, factors }, rest @ ..] = f.parts()
            && let [(Factor::Var(v), 1)] = &factors[..]
            && rest.iter().all(|t| t.factors.is_empty())
        {
            let c = i128::from(f.constant_part());
            let interval = self.intervals.entry(v.clone()).or_default();
            // Tightened: the coefficient is 1 or -1.
            if *coefficient == 1 {
                interval.low = Some(interval.low.map_or(-c, |l| l.max(-c)));
            } else if *coefficient == -1 {
                interval.high = Some(interval.high.map_or(c, |h| h.min(c)));
            }
            self.absurd |= interval.low.zip(interval.high).is_some_and(|(l, h)| l > h);
        }
    }
}

/// What has no value, whatever the variables are, is not at least 0, and equal to nothing.
pub(super) fn divides_by_zero(n: &Nat) -> bool {
    n.parts().iter().flat_map(|t| &t.factors).any(|(f, _)| {
        let by_zero = matches!(f, Factor::Div(_, b) | Factor::Mod(_, b) if b.is_zero());
        by_zero || f.operands().is_some_and(|(a, b)| divides_by_zero(a) || divides_by_zero(b))
    })
}
