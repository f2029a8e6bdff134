//! How far apart neighbours are.

use super::term::Factor;
use super::{Nat, Var};

impl Nat {
    /// How much it grows when an index grows by one, as a rule: where no quotient changes, no remainder starts again and
    /// no minimum or maximum changes sides.
    ///
    /// ```
    /// use lift_core::nat::{Nat, Var};
    /// let (i, w) = (Var::index("i", 1), Nat::size("W"));
    /// let at = |i: &Nat| (&w + 2) * i.div(&w) + i.rem(&w) * 3;
    /// assert_eq!(at(&Nat::var(&i)).stride(&i), Nat::from(3));
    /// ```
    pub fn stride(&self, index: &Var) -> Nat {
        let linear = linear(self, index);
        let at = |value: i64| linear.substitute(&|v| (v == index).then(|| Nat::constant(value)));
        at(1) - at(0)
    }
}

/// The part of it that grows with the index, and what does not depend on it.
fn linear(n: &Nat, index: &Var) -> Nat {
    let factor = |factor: &Factor| match factor {
        Factor::Div(a, b) if a.contains(index) || b.contains(index) => Nat::constant(0),
        Factor::Mod(a, b) if a.contains(index) && !b.contains(index) => linear(a, index),
        Factor::Min(a, b) | Factor::Max(a, b) => linear(if a.contains(index) { a } else { b }, index),
        Factor::Sum(a, b) => linear(a, index) + linear(b, index),
        Factor::Product(a, b) => linear(a, index) * linear(b, index),
        Factor::Var(_) | Factor::Div(..) | Factor::Mod(..) | Factor::TooLarge(..) => {
            Nat::atom(factor.clone())
        }
    };
    n.terms()
        .iter()
        .map(|term| {
            let factors = term.factors.iter().map(|(f, power)| factor(f).pow(*power));
            factors.fold(Nat::constant(term.coefficient), |product, f| product * f)
        })
        .fold(Nat::constant(0), |sum, term| sum + term)
}
