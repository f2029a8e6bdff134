//! The normal form: an integer polynomial over factors, its terms in [`order`].
//!
//! Three limits keep every operation total. A coefficient that leaves `i64`, or more than
//! [`MOST_TERMS`] terms, leaves the sum or product unexpanded as a factor of its own, which still
//! has the right value. An expression whose tree has more than [`MOST_NODES`] nodes (shared parts
//! count each time) or is nested deeper than [`DEEPEST`] is forgotten but for a fingerprint.

use super::term::{Factor, Monomial, Term, Terms, gcd, multiply, order};
use super::{Nat, Var};
use rustc_hash::FxBuildHasher;
use smallvec::smallvec;
use std::cmp::Ordering;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

/// Terms of one polynomial.
pub(super) const MOST_TERMS: usize = 500;
/// Nodes of the tree of one expression, shared parts counted every time.
const MOST_NODES: u32 = 20_000;
/// So many numbers, from -1 on, are made once: they are in nearly every expression.
const KEPT: usize = 66;
/// Operations nested in each other.
const DEEPEST: u32 = 100;

/// What a [`Nat`] shares with its copies.
#[derive(Debug)]
pub(super) struct Node {
    /// In order, none with the coefficient 0, no two with the same factors: equal polynomials are equal lists.
    pub terms: Terms,
    /// The size of the tree.
    pub nodes: u32,
    /// How deeply its operations are nested.
    depth: u32,
    /// Of the terms, computed once: expressions are keys of many tables.
    hash: u64,
}

impl Nat {
    /// From terms that are in order, without zeros.
    pub(super) fn from_ordered(terms: Terms) -> Nat {
        let (mut nodes, mut depth) = (1u32, 0);
        for (factor, power) in terms.iter().flat_map(|t| &t.factors) {
            nodes = nodes.saturating_add(1 + (*power).min(4));
            if let Some((a, b)) = factor.operands() {
                nodes = nodes.saturating_add(a.0.nodes).saturating_add(b.0.nodes);
                depth = depth.max(a.0.depth + 1).max(b.0.depth + 1);
            }
        }
        if nodes > MOST_NODES || depth > DEEPEST {
            return Nat::atom(Factor::TooLarge(fingerprint(0, &terms), fingerprint(1, &terms)));
        }
        let hash = FxBuildHasher.hash_one(&terms);
        Nat(Arc::new(Node { terms, nodes, depth, hash }))
    }

    /// From terms in any order.
    pub(super) fn from_terms(mut terms: Vec<(i128, Monomial)>) -> Option<Nat> {
        // Coefficients are summed in 128 bits: they may leave 64 bits on the way and come back.
        terms.sort_by(|(_, a), (_, b)| order(a, b));
        let mut merged: Vec<(i128, Monomial)> = Vec::with_capacity(terms.len());
        for (c, m) in terms {
            match merged.last_mut() {
                Some((sum, last)) if *last == m => *sum = sum.checked_add(c)?,
                _ => merged.push((c, m)),
            }
        }
        let kept = merged.into_iter().filter(|(c, _)| *c != 0);
        let small = |(c, factors)| Some(Term { coefficient: i64::try_from(c).ok()?, factors });
        let terms: Terms = kept.map(small).collect::<Option<_>>()?;
        (terms.len() <= MOST_TERMS).then(|| Nat::from_ordered(terms))
    }

    pub(super) fn from_term(term: Term) -> Nat {
        Nat::from_ordered(smallvec![term])
    }

    pub(super) fn atom(factor: Factor) -> Nat {
        Nat::from_term(Term { coefficient: 1, factors: smallvec![(factor, 1)] })
    }

    /// A number.
    pub fn constant(value: i64) -> Nat {
        static SMALL: LazyLock<[Nat; KEPT]> =
            LazyLock::new(|| std::array::from_fn(|k| Nat::number(k as i64 - 1)));
        let kept = value.checked_add(1).and_then(|k| usize::try_from(k).ok());
        match kept.and_then(|k| SMALL.get(k)) {
            Some(known) => known.clone(),
            None => Nat::number(value),
        }
    }

    fn number(value: i64) -> Nat {
        match value {
            0 => Nat::from_ordered(Terms::new()),
            _ => Nat::from_term(Term { coefficient: value, factors: Monomial::new() }),
        }
    }

    /// The value of a variable.
    pub fn var(v: &Var) -> Nat {
        Nat::atom(Factor::Var(v.clone()))
    }

    /// The value of a size parameter of this name.
    pub fn size(name: &str) -> Nat {
        Nat::var(&Var::size(name))
    }

    /// The number, if no variable is in it.
    pub fn as_constant(&self) -> Option<i64> {
        match &self.0.terms[..] {
            [] => Some(0),
            [one] if one.factors.is_empty() => Some(one.coefficient),
            _ => None,
        }
    }

    /// The variable, if it is one and nothing else.
    pub fn as_var(&self) -> Option<&Var> {
        match self.as_factor()? {
            Factor::Var(v) => Some(v),
            _ => None,
        }
    }

    /// The factor that this is, with nothing around it.
    pub(super) fn as_factor(&self) -> Option<&Factor> {
        match &self.0.terms[..] {
            [Term { coefficient: 1, factors }] => match &factors[..] {
                [(factor, 1)] => Some(factor),
                _ => None,
            },
            _ => None,
        }
    }

    /// The terms: highest degree first, the constant last.
    pub fn terms(&self) -> Vec<Term> {
        self.0.terms.to_vec()
    }

    /// An order for canonical forms. `Nat` is not `Ord`: that trait's `min` and `max` would be taken
    /// for the arithmetic ones.
    pub(super) fn compare(&self, other: &Nat) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.terms.cmp(&other.0.terms) }
    }

    pub(super) fn parts(&self) -> &[Term] {
        &self.0.terms
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.terms.is_empty()
    }

    /// The term without factors.
    pub(super) fn constant_part(&self) -> i64 {
        self.0.terms.last().filter(|t| t.factors.is_empty()).map_or(0, |t| t.coefficient)
    }

    pub(super) fn has(&self, wanted: fn(&Factor) -> bool) -> bool {
        self.0.terms.iter().flat_map(|t| &t.factors).any(|(f, _)| wanted(f))
    }

    /// The sum, and where it is too large to write out, a factor of its own.
    pub(super) fn plus(&self, other: &Nat) -> Nat {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => sum(self, other).map_or_else(|| unexpanded(Factor::Sum, self, other), |n| n.recombined()),
        }
    }

    /// The difference, as [`Nat::plus`] of the opposite.
    pub(super) fn minus(&self, other: &Nat) -> Nat {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other.scaled(-1),
            (_, true) => self.clone(),
            _ => match merged(self, other, -1) {
                Some(n) => n.recombined(),
                None => self.plus(&other.scaled(-1)),
            },
        }
    }

    /// The sum of many, made at once.
    pub(super) fn total(all: &[Nat]) -> Nat {
        let terms = all.iter().flat_map(Nat::parts).map(|t| (t.coefficient.into(), t.factors.clone()));
        match Nat::from_terms(terms.collect()) {
            Some(n) => n.recombined(),
            None => all.iter().fold(Nat::constant(0), |sum, n| sum.plus(n)),
        }
    }

    /// A multiple. It is written out even where the sum of products would not be, since the number of terms stays.
    pub(super) fn scaled(&self, by: i64) -> Nat {
        if by == 1 {
            return self.clone();
        }
        if by == 0 {
            return Nat::constant(0);
        }
        let scale =
            |t: &Term| Some(Term { coefficient: t.coefficient.checked_mul(by)?, factors: t.factors.clone() });
        match self.0.terms.iter().map(scale).collect::<Option<Terms>>() {
            Some(terms) => Nat::from_ordered(terms),
            None => unexpanded(Factor::Product, self, &Nat::constant(by)),
        }
    }

    pub(super) fn times(&self, other: &Nat) -> Nat {
        match (self.as_constant(), other.as_constant()) {
            (Some(c), _) => other.scaled(c),
            (_, Some(c)) => self.scaled(c),
            _ => product(self, other)
                .map_or_else(|| unexpanded(Factor::Product, self, other), |n| n.recombined()),
        }
    }

    /// `self * self * …`
    pub fn pow(&self, power: u32) -> Nat {
        if let [Term { coefficient: 1, factors }] = &self.0.terms[..] {
            let raised = factors.iter().map(|(f, p)| Some((f.clone(), p.checked_mul(power)?)));
            if let (Some(factors), true) = (raised.collect(), power > 0) {
                return Nat::from_term(Term { coefficient: 1, factors });
            }
        }
        let (mut result, mut square, mut left) = (Nat::constant(1), self.clone(), power);
        while left > 0 {
            if left & 1 == 1 {
                result = result.times(&square);
            }
            left >>= 1;
            if left > 0 {
                square = square.times(&square);
            }
        }
        result
    }

    /// The largest integer and monomial that divide every term; 1 for zero.
    pub(super) fn content(&self) -> (i64, Monomial) {
        let mut terms = self.0.terms.iter();
        let Some(first) = terms.next() else { return (1, Monomial::new()) };
        terms.fold((gcd(first.coefficient, 0), first.factors.clone()), |(c, m), t| {
            (gcd(c, t.coefficient), if m.is_empty() { m } else { super::term::common(&m, &t.factors) })
        })
    }

    /// Divided by what divides every term.
    pub(super) fn without(&self, c: i64, m: &Monomial) -> Option<Nat> {
        let divide = |t: &Term| {
            let exact = t.coefficient.checked_rem(c)? == 0;
            let coefficient = exact.then(|| t.coefficient.checked_div(c))??;
            Some(Term { coefficient, factors: super::term::quotient(&t.factors, m)? })
        };
        // Dividing by a monomial keeps the order.
        self.0.terms.iter().map(divide).collect::<Option<_>>().map(Nat::from_ordered)
    }
}

/// Expanded, without looking for remainders to put together; `None` if too large.
pub(super) fn sum(a: &Nat, b: &Nat) -> Option<Nat> {
    merged(a, b, 1)
}

/// `a + sign * b`, as [`sum`].
fn merged(a: &Nat, b: &Nat, sign: i64) -> Option<Nat> {
    let (mut left, mut right) = (a.parts().iter().peekable(), b.parts().iter().peekable());
    let mut terms = Terms::with_capacity(a.parts().len() + b.parts().len());
    let signed = |t: &Term| t.coefficient.checked_mul(sign);
    let own = |t: &Term| Some(Term { coefficient: signed(t)?, factors: t.factors.clone() });
    while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
        match order(&x.factors, &y.factors) {
            Ordering::Less => terms.extend(left.next().cloned()),
            Ordering::Greater => terms.push(own(right.next()?)?),
            Ordering::Equal => {
                let coefficient = x.coefficient.checked_add(signed(y)?)?;
                if coefficient != 0 {
                    terms.push(Term { coefficient, factors: x.factors.clone() });
                }
                left.next();
                right.next();
            }
        }
    }
    terms.extend(left.cloned());
    for t in right {
        terms.push(own(t)?);
    }
    (terms.len() <= MOST_TERMS).then(|| Nat::from_ordered(terms))
}

fn product(a: &Nat, b: &Nat) -> Option<Nat> {
    if a.parts().len() * b.parts().len() > 8 * MOST_TERMS {
        return None;
    }
    let mut terms = Vec::with_capacity(a.parts().len() * b.parts().len());
    for x in a.parts() {
        for y in b.parts() {
            let c = i128::from(x.coefficient) * i128::from(y.coefficient);
            terms.push((c, multiply(&x.factors, &y.factors)?));
        }
    }
    Nat::from_terms(terms)
}

/// A sum or product that stays as it is: its operands in order, so that `a + b` and `b + a` are the same.
fn unexpanded(operation: fn(Nat, Nat) -> Factor, a: &Nat, b: &Nat) -> Nat {
    let (a, b) = if a.compare(b).is_le() { (a, b) } else { (b, a) };
    Nat::atom(operation(a.clone(), b.clone()))
}

/// 64 bits of hash; with two salts a name that different expressions do not share in practice.
fn fingerprint(salt: u8, terms: &[Term]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (salt, terms).hash(&mut hasher);
    hasher.finish()
}

impl PartialEq for Nat {
    fn eq(&self, other: &Nat) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.0.terms == other.0.terms)
    }
}

impl Eq for Nat {}

impl Hash for Nat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

/// Written by others' hands: through the constructors into normal form.
impl From<Vec<Term>> for Nat {
    fn from(terms: Vec<Term>) -> Nat {
        terms.iter().fold(Nat::constant(0), |sum, t| {
            let start = Nat::constant(t.coefficient);
            let product = t.factors.iter().fold(start, |n, (f, p)| n.times(&f.rebuild(Nat::clone).pow(*p)));
            sum.plus(&product)
        })
    }
}

impl From<Nat> for Vec<Term> {
    fn from(n: Nat) -> Vec<Term> {
        n.terms()
    }
}
