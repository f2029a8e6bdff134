//! A condition as a person would write it in a `where` clause: `N >= 4` for `N - 4 >= 0`.

use crate::nat::{Condition, Factor, Nat, Relation, Term};

/// The same condition in the form that people prefer: no difference is compared with 0, every term stands on the side
/// where it is positive, and a bound on a multiple is a bound on the number itself.
pub fn clause(condition: &Condition) -> Condition {
    match condition {
        Condition::Compare(relation @ (Relation::Eq | Relation::Ne), a, b) => equality(*relation, a, b),
        Condition::Compare(relation, a, b) => {
            inequality(*relation, a, b).unwrap_or_else(|| condition.clone())
        }
        Condition::And(parts) => Condition::And(parts.iter().map(clause).collect()),
        Condition::Or(parts) => Condition::Or(parts.iter().map(clause).collect()),
        Condition::Not(inner) => Condition::Not(Box::new(clause(inner))),
    }
}

/// The terms of `a - b` on the side where they are positive, and its constant.
fn sides(a: &Nat, b: &Nat) -> Option<(Nat, Nat, i64)> {
    let (mut left, mut right, mut constant) = (vec![], vec![], 0);
    for term in (a - b).terms() {
        if term.factors.is_empty() {
            constant = term.coefficient;
        } else if term.coefficient > 0 {
            left.push(term);
        } else {
            right.push(Term { coefficient: term.coefficient.checked_neg()?, ..term });
        }
    }
    Some((Nat::from(left), Nat::from(right), constant))
}

/// As it was stated, unless something cancels.
fn equality(relation: Relation, a: &Nat, b: &Nat) -> Condition {
    let stated = match a.as_constant() {
        Some(_) => Condition::Compare(relation, b.clone(), a.clone()),
        None => Condition::Compare(relation, a.clone(), b.clone()),
    };
    let terms = a.terms().len() + b.terms().len();
    match sides(a, b) {
        Some((left, right, constant)) if (a - b).terms().len() < terms => {
            let zero = Nat::constant(0);
            let (left, right) = match (left == zero, constant > 0) {
                (true, _) => (right, Nat::constant(constant)),
                (_, true) if right != zero => (left + constant, right),
                _ => (left, right + constant.saturating_neg()),
            };
            Condition::Compare(relation, left, right)
        }
        _ => stated,
    }
}

/// Terms on the side where they are positive, the smaller side first unless the other is a number; `None` on overflow.
fn inequality(relation: Relation, a: &Nat, b: &Nat) -> Option<Condition> {
    let (left, right, constant) = sides(a, b)?;
    let zero = Nat::constant(0);
    if right == zero {
        return Some(bound(relation, left, constant.checked_neg()?));
    }
    if left == zero {
        return Some(bound(turned(relation), right, constant));
    }
    // The smaller side first, and the constant where it is positive.
    let (relation, small, large, constant) = match relation {
        Relation::Gt | Relation::Ge => (turned(relation), right, left, constant),
        _ => (relation, left, right, constant.checked_neg()?),
    };
    Some(match constant >= 0 {
        true => Condition::Compare(relation, small, large + constant),
        false => Condition::Compare(relation, small + constant.checked_neg()?, large),
    })
}

/// A comparison with a number; `2 * N >= 3` is `N >= 2`.
fn bound(relation: Relation, n: Nat, bound: i64) -> Condition {
    let (relation, bound) = match relation {
        Relation::Gt => (Relation::Ge, bound.saturating_add(1)),
        Relation::Lt => (Relation::Le, bound.saturating_sub(1)),
        other => (other, bound),
    };
    match &n.terms()[..] {
        // `(M + 1) / 2 >= 2` is `M >= 3`.
        [Term { coefficient: 1, factors }] if relation == Relation::Ge => match &factors[..] {
            [(Factor::Div(a, b), 1)] if b.as_constant().is_some_and(|b| b > 0) => {
                let least = b * &Nat::constant(bound);
                inequality(Relation::Ge, a, &least).unwrap_or(Condition::Compare(
                    Relation::Ge,
                    n,
                    bound.into(),
                ))
            }
            _ => Condition::Compare(Relation::Ge, n, Nat::constant(bound)),
        },
        [term] if term.coefficient > 1 => {
            let (floor, rest) = (bound.div_euclid(term.coefficient), bound.rem_euclid(term.coefficient));
            let bound = if relation == Relation::Ge && rest > 0 { floor + 1 } else { floor };
            let one = Nat::from(vec![Term { coefficient: 1, ..term.clone() }]);
            Condition::Compare(relation, one, Nat::constant(bound))
        }
        _ => Condition::Compare(relation, n, Nat::constant(bound)),
    }
}

/// The same relation with its sides exchanged.
fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Gt,
        Relation::Le => Relation::Ge,
        Relation::Gt => Relation::Lt,
        Relation::Ge => Relation::Le,
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_read_forwards() {
        let (h, k, n) = (&Nat::size("H"), &Nat::size("KH"), &Nat::size("N"));
        let number = Nat::constant;
        let cases = [
            (Condition::le(number(5), n), "N >= 5"),
            (Condition::ge(n - 4, number(0)), "N >= 4"),
            (Condition::ge(n * 2 - 3, number(0)), "N >= 2"),
            (Condition::ge(number(7) - n * 2, number(0)), "N <= 3"),
            (Condition::le(k, h), "KH <= H"),
            (Condition::ge(h - k + 3, number(0)), "KH <= H + 3"),
            (Condition::ge(h - k - 3, number(0)), "KH + 3 <= H"),
            (Condition::lt(number(0), h - 1), "H >= 2"),
            (Condition::eq(h + 1, n + 1), "H == N"),
            (Condition::eq(h + 1, n + 2), "H == N + 1"),
            (Condition::eq(number(3), h + 1), "H == 2"),
            (Condition::ge((n + 1).div(&number(2)), number(2)), "N >= 3"),
            (Condition::divides(number(4), n + 2), "(N + 2) % 4 == 0"),
        ];
        for (condition, text) in cases {
            assert_eq!(clause(&condition).to_string(), text);
        }
    }
}
