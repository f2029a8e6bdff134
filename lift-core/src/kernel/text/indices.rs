//! Sizes, indices, and conditions on them.
//!
//! An index is printed with few operations: a factor that several terms share is taken out, and a division is
//! C's own wherever neither operand can be negative.

use super::{AND, ATOM, Bound, EQUAL, OR, ORDER, PRODUCT, SUM, UNARY, Writer, at_least};
use crate::nat::{Condition, Factor, Nat, Relation, Term};
use crate::scalar::Op;

impl Writer<'_> {
    pub fn condition(&mut self, c: &Condition) -> Bound {
        match c {
            Condition::Compare(relation, a, b) => {
                let (symbol, strength) = match relation {
                    Relation::Eq => ("==", EQUAL),
                    Relation::Ne => ("!=", EQUAL),
                    Relation::Lt => ("<", ORDER),
                    Relation::Le => ("<=", ORDER),
                    Relation::Gt => (">", ORDER),
                    Relation::Ge => (">=", ORDER),
                };
                let left = self.nat_bound(a, strength + 1);
                (format!("{left} {symbol} {}", self.nat_bound(b, strength + 1)), strength)
            }
            Condition::And(parts) => self.junction(parts, "&&", "1", AND),
            Condition::Or(parts) => self.junction(parts, "||", "0", OR),
            Condition::Not(part) => (format!("!{}", at_least(self.condition(part), UNARY)), UNARY),
        }
    }

    fn junction(&mut self, parts: &[Condition], symbol: &str, empty: &str, strength: u8) -> Bound {
        match parts {
            [] => (empty.to_string(), ATOM),
            [one] => self.condition(one),
            // `a && b || c` is right in C, but compilers warn of it, and readers wonder.
            _ => {
                let texts: Vec<String> = parts.iter().map(|p| at_least(self.condition(p), AND + 1)).collect();
                (texts.join(&format!(" {symbol} ")), strength)
            }
        }
    }

    /// A size as an operand of `*`, `/` or `%`, or as a bound.
    pub fn nat_at_least_product(&mut self, n: &Nat) -> String {
        self.nat_bound(n, PRODUCT + 1)
    }

    /// The value of an expression of sizes.
    pub fn value(&self, n: &Nat) -> i64 {
        self.facts.bounds(n).1.unwrap_or(i64::MAX)
    }

    pub fn nat_bound(&mut self, n: &Nat, strength: u8) -> String {
        at_least(self.nat(n), strength)
    }

    /// An index as a person would write it: `(h * W + w) * C + c` rather than the sum of products
    /// that its normal form is.
    pub fn nat(&mut self, n: &Nat) -> Bound {
        // First where it starts, then how much further.
        let (further, start) = n.terms_in(&|v| !self.parts.contains_key(v));
        if start.terms().is_empty() || further.terms().is_empty() {
            return self.sum(n.terms());
        }
        let (start, further) = (self.sum(start.terms()).0, self.sum(further.terms()).0);
        match further.strip_prefix('-') {
            Some(less) => (format!("{start} - {less}"), SUM),
            None => (format!("{start} + {further}"), SUM),
        }
    }

    fn sum(&mut self, mut terms: Vec<Term>) -> Bound {
        if terms.is_empty() {
            return ("0".into(), ATOM);
        }
        if terms.len() == 1 {
            return self.product(&terms[0]);
        }
        // Horner: take out the factor that most terms share.
        if let Some(factor) = common_factor(&terms) {
            let (inside, outside): (Vec<Term>, Vec<Term>) =
                terms.into_iter().partition(|t| has_factor(t, &factor));
            let inside: Vec<Term> = inside.into_iter().map(|t| without_factor(t, &factor)).collect();
            let (left, right) =
                (at_least(self.sum(inside), PRODUCT), at_least(self.factor(&factor), PRODUCT + 1));
            let product = format!("{left} * {right}");
            if outside.is_empty() {
                return (product, PRODUCT);
            }
            let rest = self.sum(outside).0;
            return match rest.strip_prefix('-') {
                Some(positive) => (format!("{product} - {positive}"), SUM),
                None => (format!("{product} + {rest}"), SUM),
            };
        }
        // Positive terms first: `h + kh - 1`.
        terms.sort_by_key(|t| (t.coefficient < 0, t.factors.is_empty()));
        let mut text = String::new();
        for term in &terms {
            let negative = term.coefficient < 0 && !text.is_empty();
            let shown = Term {
                coefficient: if negative { -term.coefficient } else { term.coefficient },
                ..term.clone()
            };
            let product = self.product(&shown).0;
            if !text.is_empty() {
                text += if negative { " - " } else { " + " };
            }
            text += &product;
        }
        (text, SUM)
    }

    fn product(&mut self, term: &Term) -> Bound {
        let mut factors: Vec<Bound> = vec![];
        for (factor, power) in &term.factors {
            for _ in 0..*power {
                let text = self.factor(factor);
                factors.push(text);
            }
        }
        let c = term.coefficient;
        if factors.is_empty() {
            return (c.to_string(), if c < 0 { UNARY } else { ATOM });
        }
        let sign = if c == -1 { "-" } else { "" };
        if c != 1 && c != -1 {
            factors.insert(0, (c.to_string(), ATOM));
        }
        if factors.len() == 1 {
            let (text, strength) = factors.remove(0);
            return if sign.is_empty() {
                (text, strength)
            } else {
                (format!("-{}", at_least((text, strength), UNARY)), UNARY)
            };
        }
        let last = factors.len() - 1;
        let texts: Vec<String> = factors
            .into_iter()
            .enumerate()
            .map(|(i, f)| at_least(f, if i == 0 && last > 0 { PRODUCT } else { PRODUCT + 1 }))
            .collect();
        (format!("{sign}{}", texts.join(" * ")), PRODUCT)
    }

    fn factor(&mut self, factor: &Factor) -> Bound {
        match factor {
            Factor::Var(v) => (self.var(v), ATOM),
            Factor::Div(a, b) => self.quotient(a, b),
            Factor::Mod(a, b) => self.remainder(a, b),
            Factor::Min(a, b) | Factor::Max(a, b) => {
                let op = if matches!(factor, Factor::Min(..)) { Op::Min } else { Op::Max };
                let name = self.dialect.of_indices(op);
                let (left, right) = (self.nat(a).0, self.nat(b).0);
                (format!("{name}({}, {})", self.typed(left), self.typed(right)), ATOM)
            }
            other => (format!("{other:?}"), ATOM),
        }
    }

    /// C divides towards zero: the same as floor division where nothing is negative.
    fn quotient(&mut self, a: &Nat, b: &Nat) -> Bound {
        if self.never_negative(a) && self.never_negative(b) {
            let left = self.nat_bound(a, PRODUCT);
            return (format!("{left} / {}", self.nat_bound(b, PRODUCT + 1)), PRODUCT);
        }
        (format!("lift_floor_div({}, {})", self.nat(a).0, self.nat(b).0), ATOM)
    }

    fn remainder(&mut self, a: &Nat, b: &Nat) -> Bound {
        // An index just below 0, as at the edge of a ring, needs one divisor more.
        let shifted = a + b;
        for a in [a, &shifted] {
            if self.never_negative(a) && self.never_negative(b) {
                let left = self.nat_bound(a, PRODUCT);
                return (format!("{left} % {}", self.nat_bound(b, PRODUCT + 1)), PRODUCT);
            }
        }
        (format!("lift_floor_mod({}, {})", self.nat(a).0, self.nat(b).0), ATOM)
    }

    /// Both arguments of OpenCL's `min` must be of one type, and literals are `int`.
    fn typed(&self, text: String) -> String {
        if self.small { text } else { format!("({})({text})", self.int()) }
    }

    fn never_negative(&self, n: &Nat) -> bool {
        self.proves(&Condition::ge(n, Nat::constant(0)))
    }
}

fn has_factor(term: &Term, factor: &Factor) -> bool {
    term.factors.iter().any(|(f, _)| f == factor)
}

fn without_factor(mut term: Term, factor: &Factor) -> Term {
    for (f, power) in &mut term.factors {
        if f == factor {
            *power -= 1;
        }
    }
    term.factors.retain(|(_, power)| *power > 0);
    term
}

/// The factor in the most terms, if at least two have it.
fn common_factor(terms: &[Term]) -> Option<Factor> {
    let mut best: Option<(usize, &Factor)> = None;
    for (factor, _) in terms.iter().flat_map(|t| &t.factors) {
        let count = terms.iter().filter(|t| has_factor(t, factor)).count();
        if count >= 2 && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, factor));
        }
    }
    best.map(|(_, factor)| factor.clone())
}
