//! Terms: a coefficient times powers of factors.
//!
//! Factors are ordered by kind, then by their operands, so that equal products are equal lists.

use super::{Nat, Var};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// An atom of a polynomial: a variable, or an operation that polynomials are not closed under.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Factor {
    /// A size or an index.
    Var(Var),
    /// The quotient, rounded down (towards minus infinity), so that it moves with its
    /// operand: `(a + b) / b = a / b + 1`.
    Div(Nat, Nat),
    /// The remainder that belongs to [`Factor::Div`], `a - b * (a / b)`: for `b > 0` it lies in `0..b`.
    Mod(Nat, Nat),
    /// The smaller of the two.
    Min(Nat, Nat),
    /// The larger of the two.
    Max(Nat, Nat),
    /// A sum that was too large to write out.
    Sum(Nat, Nat),
    /// A product that was too large to write out.
    Product(Nat, Nat),
    /// An expression that was too large to keep: only a fingerprint is left, so that two different
    /// ones are never taken for equal. It has no value.
    TooLarge(u64, u64),
}

impl Factor {
    fn rank(&self) -> u8 {
        match self {
            Factor::Var(_) => 0,
            Factor::Div(..) => 1,
            Factor::Mod(..) => 2,
            Factor::Min(..) => 3,
            Factor::Max(..) => 4,
            Factor::Sum(..) => 5,
            Factor::Product(..) => 6,
            Factor::TooLarge(..) => 7,
        }
    }

    /// The two operands of anything but a variable.
    pub(crate) fn operands(&self) -> Option<(&Nat, &Nat)> {
        match self {
            Factor::Var(_) | Factor::TooLarge(..) => None,
            Factor::Div(a, b)
            | Factor::Mod(a, b)
            | Factor::Min(a, b)
            | Factor::Max(a, b)
            | Factor::Sum(a, b)
            | Factor::Product(a, b) => Some((a, b)),
        }
    }

    /// The same operation on other operands, through the constructors.
    pub(super) fn rebuild(&self, mut f: impl FnMut(&Nat) -> Nat) -> Nat {
        match self {
            Factor::Var(_) | Factor::TooLarge(..) => Nat::atom(self.clone()),
            Factor::Div(a, b) => f(a).div(&f(b)),
            Factor::Mod(a, b) => f(a).rem(&f(b)),
            Factor::Min(a, b) => f(a).min(&f(b)),
            Factor::Max(a, b) => f(a).max(&f(b)),
            Factor::Sum(a, b) => f(a).plus(&f(b)),
            Factor::Product(a, b) => f(a).times(&f(b)),
        }
    }
}

impl Ord for Factor {
    fn cmp(&self, other: &Factor) -> Ordering {
        self.rank().cmp(&other.rank()).then_with(|| match (self, other) {
            (Factor::Var(v), Factor::Var(w)) => v.cmp(w),
            (Factor::TooLarge(a, b), Factor::TooLarge(c, d)) => (a, b).cmp(&(c, d)),
            _ => match (self.operands(), other.operands()) {
                (Some((a, b)), Some((c, d))) => a.compare(c).then_with(|| b.compare(d)),
                _ => Ordering::Equal,
            },
        })
    }
}

impl PartialOrd for Factor {
    fn partial_cmp(&self, other: &Factor) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `coefficient * factor^power * …`
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Term {
    /// Not 0 in a normal form.
    pub coefficient: i64,
    /// Each factor once with its power, which is at least 1, in the order of factors. None: a constant.
    pub factors: Monomial,
}

/// Powers of factors. Most products have one factor or two, which take no allocation of their own.
pub type Monomial = SmallVec<[(Factor, u32); 2]>;

/// The terms of a polynomial. Most have one or two, which take no allocation of their own.
pub(super) type Terms = SmallVec<[Term; 2]>;

/// The order of terms in a normal form: highest degree first, then alphabetically. Products keep
/// it (`a < b` implies `a*c < b*c`), which the division of polynomials relies on.
pub(super) fn order(a: &Monomial, b: &Monomial) -> Ordering {
    degree(b).cmp(&degree(a)).then_with(|| {
        for ((f, p), (g, q)) in a.iter().zip(b) {
            // The one with the earlier factor, or more of it, comes first.
            let by = f.cmp(g).then(q.cmp(p));
            if by != Ordering::Equal {
                return by;
            }
        }
        b.len().cmp(&a.len())
    })
}

/// The sum of all powers.
pub(super) fn degree(m: &Monomial) -> u64 {
    m.iter().map(|(_, p)| u64::from(*p)).sum()
}

/// `a * b`; `None` if a power overflows.
pub(super) fn multiply(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut product = Monomial::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            Ordering::Less => {
                product.push(a[i].clone());
                i += 1;
            }
            Ordering::Greater => {
                product.push(b[j].clone());
                j += 1;
            }
            Ordering::Equal => {
                product.push((a[i].0.clone(), a[i].1.checked_add(b[j].1)?));
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    product.extend(a[i..].iter().cloned());
    product.extend(b[j..].iter().cloned());
    Some(product)
}

/// `a / b` where `b` divides `a`.
pub(super) fn quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut result = Monomial::with_capacity(a.len());
    let mut rest = b.iter().peekable();
    for (f, p) in a {
        match rest.peek() {
            Some((g, q)) if g == f => {
                let left = p.checked_sub(*q)?;
                if left > 0 {
                    result.push((f.clone(), left));
                }
                rest.next();
            }
            _ => result.push((f.clone(), *p)),
        }
    }
    rest.next().is_none().then_some(result)
}

/// The greatest common divisor of two monomials.
pub(super) fn common(a: &Monomial, b: &Monomial) -> Monomial {
    let shared = |(f, p): &(Factor, u32)| {
        let (_, q) = b.iter().find(|(g, _)| g == f)?;
        Some((f.clone(), (*p).min(*q)))
    };
    a.iter().filter_map(shared).collect()
}

/// The greatest common divisor of two coefficients, not negative; 0 only of 0 and 0.
pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
