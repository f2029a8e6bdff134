//! Conditions put to the prover, and what is said when it does not prove them.

use super::Checker;
use super::describe::values;
use crate::nat::{Answer, Condition, Factor, Nat};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;

impl Checker<'_> {
    pub fn equal(&mut self, a: &Nat, b: &Nat) -> bool {
        let condition = Condition::eq(a, b);
        let here = self.here;
        let diagnostic = || Diagnostic::new(here, format!("these lengths are to be equal: {a} and {b}"));
        a == b || self.left_to_tuning(&condition, diagnostic) || self.facts.holds(&condition)
    }

    /// Demands a condition; `diagnostic` is what to say if it is not proved, without the reason.
    pub fn demand(
        &mut self,
        condition: &Condition,
        diagnostic: Diagnostic,
        shown: &[(String, Nat)],
    ) -> Result<(), Reported> {
        if self.left_to_tuning(condition, || diagnostic.clone()) || self.facts.holds(condition) {
            return Ok(());
        }
        match self.facts.prove(condition) {
            Answer::Proved => Ok(()),
            answer => {
                let diagnostic = self.explain(diagnostic, condition, &answer, shown);
                self.report(diagnostic)
            }
        }
    }

    /// Adds the smallest counterexample, and the clause that would settle it. `shown` are lengths
    /// whose values with the counterexample the reader wants to see.
    pub fn explain(
        &self,
        mut diagnostic: Diagnostic,
        condition: &Condition,
        answer: &Answer,
        shown: &[(String, Nat)],
    ) -> Diagnostic {
        match answer {
            Answer::Refuted(example) if !example.is_empty() => {
                diagnostic = diagnostic.note(counterexample(example, shown));
            }
            Answer::Refuted(_) => {
                let facts: Vec<String> = shown.iter().map(|(what, n)| format!("{what} {n}")).collect();
                if !facts.is_empty() {
                    diagnostic = diagnostic.note(facts.join(", "));
                }
            }
            _ => diagnostic = diagnostic.note("this cannot be shown for all sizes"),
        }
        let vars = condition.vars();
        let only_sizes = vars.iter().all(|v| v.index == 0);
        if !vars.is_empty() && only_sizes && self.satisfiable(condition) {
            diagnostic = diagnostic.help(format!("add `where {condition}`"));
        }
        diagnostic
    }

    /// Is there any hope? A clause that never holds is no help.
    fn satisfiable(&self, condition: &Condition) -> bool {
        !matches!(self.facts.prove(&condition.clone().not()), Answer::Proved)
    }

    /// A type as it is written needs lengths of at least 0, and divisors of at least 1.
    pub fn well_formed(&mut self, ty: &Type, site: Site) {
        match ty {
            Type::Array(element, length) => {
                self.well_formed(element, site);
                if self.defined(length, site).is_ok() {
                    let at_least_0 = Condition::ge(length, Nat::constant(0));
                    let diagnostic = Diagnostic::new(site, format!("the length {length} may be negative"));
                    let _ = self.demand(&at_least_0, diagnostic, &[("the length is".into(), length.clone())]);
                }
            }
            Type::Tuple(parts) => parts.iter().for_each(|p| self.well_formed(p, site)),
            _ => {}
        }
    }

    /// Divisors must be at least 1.
    pub fn defined(&mut self, n: &Nat, site: Site) -> Result<(), Reported> {
        for term in n.terms() {
            for (factor, _) in &term.factors {
                match factor {
                    Factor::Div(a, b) | Factor::Mod(a, b) => {
                        self.defined(a, site)?;
                        self.defined(b, site)?;
                        let at_least_1 = Condition::ge(b, Nat::constant(1));
                        let diagnostic = Diagnostic::new(site, format!("the divisor {b} may be less than 1"));
                        self.demand(&at_least_1, diagnostic, &[("the divisor is".into(), b.clone())])?;
                    }
                    Factor::Min(a, b) | Factor::Max(a, b) | Factor::Sum(a, b) | Factor::Product(a, b) => {
                        self.defined(a, site)?;
                        self.defined(b, site)?;
                    }
                    Factor::TooLarge(..) => return self.error(site, "this arithmetic of sizes is too large"),
                    Factor::Var(_) => {}
                }
            }
        }
        Ok(())
    }

    /// A comparison of sizes as a value. As in Rust, a part of `&&` or `||` may rely on those before it.
    pub fn tested(&mut self, c: &Condition, site: Site) -> Result<(), Reported> {
        match c {
            Condition::Compare(_, a, b) => {
                self.defined(a, site)?;
                self.defined(b, site)
            }
            Condition::Not(inner) => self.tested(inner, site),
            Condition::And(parts) | Condition::Or(parts) => {
                let outside = self.facts.clone();
                let all = parts.iter().try_for_each(|part| {
                    let tested = self.tested(part, site);
                    let reached = match c {
                        Condition::Or(_) => part.clone().not(),
                        _ => part.clone(),
                    };
                    self.facts.assume(&reached);
                    tested
                });
                self.facts = outside;
                all
            }
        }
    }
}

/// `with N = 1, M = 2 it is 3`.
fn counterexample(example: &[(crate::nat::Var, i64)], shown: &[(String, Nat)]) -> String {
    let lookup = |v: &crate::nat::Var| example.iter().find(|(w, _)| w == v).map(|(_, value)| *value);
    let facts: Vec<String> = shown
        .iter()
        .filter_map(|(what, n)| {
            n.eval(&lookup).ok().map(|value| match n.as_constant() {
                Some(_) => format!("{what} {value}"),
                None => format!("{what} {n} = {value}"),
            })
        })
        .collect();
    match facts.is_empty() {
        true => format!("it does not hold with {}", values(example)),
        false => format!("with {}, {}", values(example), facts.join(" and ")),
    }
}
