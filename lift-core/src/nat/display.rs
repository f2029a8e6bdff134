//! Expressions and conditions as a person writes them in Rust.

use super::term::{Factor, Term};
use super::{Condition, Nat};
use smallvec::smallvec;
use std::fmt;

/// The surroundings of an expression, which decide whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Place {
    Alone,
    /// Left of `*`, `/` or `%`.
    Left,
    /// Right of them.
    Right,
}

impl fmt::Display for Nat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&sum(self, Place::Alone))
    }
}

impl fmt::Debug for Nat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn in_parentheses(text: String, yes: bool) -> String {
    if yes { format!("({text})") } else { text }
}

fn sum(n: &Nat, place: Place) -> String {
    let n = &rounding_down(n).unwrap_or_else(|| n.parts().to_vec());
    match &n[..] {
        [] => "0".into(),
        [one] => term(one, place),
        parts => {
            // `H - KH + 3`, but `3 - i`.
            let mut sorted: Vec<&Term> = parts.iter().collect();
            let leads = parts.iter().any(|t| t.coefficient > 0 && !t.factors.is_empty());
            sorted.sort_by_key(|t| match t.factors.is_empty() {
                true if leads || t.coefficient < 0 => 3,
                true => 0,
                false => 1 + i32::from(t.coefficient < 0),
            });
            let mut text = String::new();
            for t in sorted {
                match (text.is_empty(), t.coefficient < 0) {
                    (true, _) => text += &term(t, Place::Alone),
                    (false, true) => text += &format!(" - {}", magnitude(t, Place::Alone)),
                    (false, false) => text += &format!(" + {}", magnitude(t, Place::Alone)),
                }
            }
            in_parentheses(text, place > Place::Alone)
        }
    }
}

/// `(n - 1) / 2` for the normal form `(n + 1) / 2 - 1`.
fn rounding_down(n: &Nat) -> Option<Vec<Term>> {
    let (last, before) = n.parts().split_last()?;
    let plain = |t: &&Term| t.coefficient == 1 && matches!(&t.factors[..], [(Factor::Div(..), 1)]);
    let mut divisions = before.iter().filter(plain);
    let (Some(division), None) = (divisions.next(), divisions.next()) else { return None };
    let Factor::Div(a, b) = &division.factors.first()?.0 else { return None };
    if !last.factors.is_empty() || last.coefficient >= 0 || a.constant_part() <= 0 {
        return None;
    }
    let a = a + &Nat::constant(b.as_constant()?.checked_mul(last.coefficient)?);
    let replaced = Term { coefficient: 1, factors: smallvec![(Factor::Div(a, b.clone()), 1)] };
    Some(before.iter().map(|t| if t == division { replaced.clone() } else { t.clone() }).collect())
}

fn term(t: &Term, place: Place) -> String {
    if t.coefficient >= 0 {
        return magnitude(t, place);
    }
    // The minus binds tighter than `*`, `/` and `%`.
    let single = matches!(&t.factors[..], [] | [(Factor::Var(_), 1)]);
    let text = format!("-{}", magnitude(t, if t.coefficient == -1 { Place::Right } else { Place::Alone }));
    in_parentheses(text, place == Place::Right && !single)
}

/// Without its sign.
fn magnitude(t: &Term, place: Place) -> String {
    let c = t.coefficient.unsigned_abs();
    let repeated = |power: u32| if power <= 3 { power } else { 1 };
    let count: u32 = t.factors.iter().map(|(_, p)| repeated(*p)).sum();
    if count == 0 {
        return c.to_string();
    }
    if c == 1 && count == 1 {
        let (f, p) = &t.factors[0];
        return raised(f, *p, place);
    }
    let mut texts: Vec<String> = if c == 1 { vec![] } else { vec![c.to_string()] };
    for (f, p) in &t.factors {
        for _ in 0..repeated(*p) {
            let at = if texts.is_empty() { Place::Left } else { Place::Right };
            texts.push(raised(f, if *p == repeated(*p) { 1 } else { *p }, at));
        }
    }
    in_parentheses(texts.join(" * "), place == Place::Right)
}

fn raised(f: &Factor, power: u32, place: Place) -> String {
    match power {
        1 => factor(f, place),
        p => format!("{}.pow({p})", in_parentheses(factor(f, Place::Alone), !matches!(f, Factor::Var(_)))),
    }
}

fn factor(f: &Factor, place: Place) -> String {
    let infix = |a: &Nat, symbol: &str, b: &Nat| {
        let text = format!("{} {symbol} {}", sum(a, Place::Left), sum(b, Place::Right));
        in_parentheses(text, place == Place::Right)
    };
    match f {
        Factor::Var(v) => v.to_string(),
        Factor::Div(a, b) => infix(a, "/", b),
        Factor::Mod(a, b) => infix(a, "%", b),
        Factor::Product(a, b) => infix(a, "*", b),
        Factor::Sum(a, b) => {
            let text = format!("{} + {}", sum(a, Place::Alone), sum(b, Place::Left));
            in_parentheses(text, place > Place::Alone)
        }
        Factor::Min(a, b) => format!("min({}, {})", sum(a, Place::Alone), sum(b, Place::Alone)),
        Factor::Max(a, b) => format!("max({}, {})", sum(a, Place::Alone), sum(b, Place::Alone)),
        Factor::TooLarge(..) => "…".into(),
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let joined = |parts: &[Condition], symbol: &str| {
            let one = |p: &Condition| {
                in_parentheses(
                    p.to_string(),
                    matches!(p, Condition::And(x) | Condition::Or(x) if x.len() > 1),
                )
            };
            parts.iter().map(one).collect::<Vec<_>>().join(symbol)
        };
        match self {
            Condition::Compare(relation, a, b) => {
                let side = |n: &Nat| sum(n, Place::Alone);
                write!(f, "{} {} {}", side(a), relation.symbol(), side(b))
            }
            Condition::And(parts) if parts.is_empty() => f.write_str("true"),
            Condition::Or(parts) if parts.is_empty() => f.write_str("false"),
            Condition::And(parts) => f.write_str(&joined(parts, " && ")),
            Condition::Or(parts) => f.write_str(&joined(parts, " || ")),
            Condition::Not(inner) => write!(f, "!({inner})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_as_a_person_writes_them() {
        let (h, k, n) = (&Nat::size("H"), &Nat::size("KH"), &Nat::size("N"));
        let four = &Nat::from(4);
        let shown = [
            (h - k + 3, "H - KH + 3"),
            (n * 4, "4 * N"),
            ((n + 2).div(four), "(N + 2) / 4"),
            (h * n * 2 + 1, "2 * H * N + 1"),
            (Nat::from(3) - h, "3 - H"),
            (-h - 3, "-H - 3"),
            (n.div(four) * 4, "4 * (N / 4)"),
            (-n.div(four), "-(N / 4)"),
            (n.div(h).rem(four), "N / H % 4"),
            (n.div(&(h * k)), "N / (H * KH)"),
            (n.rem(&(h + 1)), "N % (H + 1)"),
            (n.pow(2) - 1, "N * N - 1"),
            (n.pow(5), "N.pow(5)"),
            (h.min(&(n - 1)) + 1, "min(H, N - 1) + 1"),
            (Nat::from(0), "0"),
            (Nat::from(-7), "-7"),
        ];
        for (n, text) in shown {
            assert_eq!(n.to_string(), text);
        }
    }

    #[test]
    fn conditions_are_rust() {
        let (h, k, n) = (&Nat::size("H"), &Nat::size("KH"), &Nat::size("N"));
        let divides = Condition::divides(Nat::from(4), n + 2);
        let fits = Condition::le(k, h + 2);
        assert_eq!(divides.clone().and(fits.clone()).to_string(), "(N + 2) % 4 == 0 && KH <= H + 2");
        let either = Condition::lt(h, n).or(divides.and(fits));
        assert_eq!(either.to_string(), "H < N || ((N + 2) % 4 == 0 && KH <= H + 2)");
        assert_eq!(Condition::truth(true).to_string(), "true");
        assert_eq!(Condition::eq(h, n).not().to_string(), "H != N");
    }
}
