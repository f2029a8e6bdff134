//! Conditions for the prover, and the messages where it does not prove them.

use super::clause::clause;
use super::describe::values;
use super::{Checker, Open};
use crate::nat::{Answer, Condition, Factor, Facts, Nat, Var};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;

/// Neither proved nor refuted.
pub const UNKNOWN: &str = "no sizes were found for which it fails, and no proof that it holds for all";

impl Checker<'_> {
    /// Are two lengths equal for all sizes? Equal normal forms are; otherwise the prover is asked, unless
    /// it depends on `tune` parameters.
    pub fn equal(&mut self, a: &Nat, b: &Nat) -> bool {
        if a == b {
            return true;
        }
        let condition = Condition::eq(a, b);
        let here = self.here;
        let diagnostic = || Diagnostic::new(here, format!("these lengths must be equal: {a} and {b}"));
        self.met(&condition, Facts::holds, diagnostic)
    }

    /// Does nothing more have to be said about a condition? It is not asked for, or proved, or left to others.
    pub fn met(
        &mut self,
        condition: &Condition,
        proved: fn(&Facts, &Condition) -> bool,
        diagnostic: impl FnOnce() -> Diagnostic,
    ) -> bool {
        self.open == Open::Trusted
            || self.facts.evaluates(condition)
            || self.left_to_tuning(condition, diagnostic)
            || proved(&self.facts, condition)
            || self.left_open(condition)
    }

    /// Assumes a condition that is neither proved nor refuted, where that is no mistake.
    fn left_open(&mut self, condition: &Condition) -> bool {
        let open = self.open == Open::Assumed && self.facts.prove(condition) == Answer::Unknown;
        if open {
            self.facts.assume(condition);
        }
        open
    }

    /// Demands a condition; `diagnostic` is what to say if it is not proved, without the reason, and which lengths to show with it.
    pub fn demand(
        &mut self,
        condition: &Condition,
        diagnostic: impl Fn() -> (Diagnostic, Vec<(String, Nat)>),
    ) -> Result<(), Reported> {
        if self.met(condition, Facts::holds, || diagnostic().0) {
            return Ok(());
        }
        match self.facts.prove(condition) {
            Answer::Proved => Ok(()),
            answer => {
                let (diagnostic, shown) = diagnostic();
                let diagnostic = self.explain(diagnostic, &answer, &shown);
                // A refutation comes with its smallest counterexample; either way a clause may be what is missing.
                let diagnostic = self.suggest_clause(diagnostic, condition, None);
                self.assumed(condition, diagnostic)
            }
        }
    }

    /// Lengths that should be equal and are not; `helped` if the diagnostic says what to do.
    pub fn unequal(
        &mut self,
        diagnostic: Diagnostic,
        lengths: &[(String, Nat); 2],
        helped: bool,
    ) -> Result<(), Reported> {
        let condition = Condition::eq(&lengths[0].1, &lengths[1].1);
        let answer = self.facts.prove(&condition);
        let diagnostic = self.explain(diagnostic, &answer, lengths);
        let diagnostic = match helped {
            true => diagnostic,
            false => self.suggest_clause(diagnostic, &condition, None),
        };
        self.assumed(&condition, diagnostic)
    }

    /// Reports that a condition does not hold, and goes on as if it did: what follows from the same
    /// mistake is no mistake of its own. A condition that never holds can't be assumed.
    pub fn assumed(&mut self, condition: &Condition, diagnostic: Diagnostic) -> Result<(), Reported> {
        let hopeless = !self.satisfiable(condition);
        self.diagnostics.push(diagnostic);
        if hopeless {
            return Err(Reported);
        }
        self.facts.assume(condition);
        Ok(())
    }

    /// Adds the smallest counterexample. `shown` are lengths whose values with the counterexample the
    /// reader wants to see.
    pub fn explain(&self, diagnostic: Diagnostic, answer: &Answer, shown: &[(String, Nat)]) -> Diagnostic {
        match answer {
            Answer::Refuted(example) if !example.is_empty() => {
                diagnostic.note(counterexample(example, shown))
            }
            // Numbers speak for themselves.
            Answer::Refuted(_) | Answer::Proved => diagnostic,
            Answer::Unknown => diagnostic.note(UNKNOWN),
        }
    }

    /// Adds the clause that would settle it, if callers can: it is about sizes, and can hold.
    pub fn suggest_clause(
        &self,
        diagnostic: Diagnostic,
        condition: &Condition,
        alternative: Option<&str>,
    ) -> Diagnostic {
        let open = match condition {
            Condition::And(parts) => parts.iter().filter(|p| !self.facts.holds(p)).cloned().collect(),
            one => vec![one.clone()],
        };
        let text = open.iter().map(|c| clause(c).to_string()).collect::<Vec<_>>().join(", ");
        let vars = condition.vars();
        let only_sizes = !vars.is_empty() && vars.iter().all(|v| v.index == 0);
        // Not all that can be shown can be written.
        let writable = !text.contains('…') && !text.contains(".pow(");
        if !only_sizes || !writable || !self.satisfiable(condition) {
            return diagnostic;
        }
        diagnostic.help(match alternative {
            Some(alternative) => format!("add `where {text}`, or {alternative}"),
            None => format!("add `where {text}`"),
        })
    }

    /// Could a clause settle it? One that never holds is no help.
    pub fn satisfiable(&self, condition: &Condition) -> bool {
        !self.facts.certain(&condition.clone().not())
    }

    /// A type as it is written needs lengths of at least 0, and divisors of at least 1.
    pub fn well_formed(&mut self, ty: &Type, site: Site) {
        if self.open == Open::Trusted {
            return;
        }
        match ty {
            Type::Array(element, length) => {
                self.well_formed(element, site);
                if self.defined(length, site).is_ok() {
                    let at_least_0 = Condition::ge(length, Nat::constant(0));
                    let _ = self.demand(&at_least_0, || {
                        let message = format!("the length {length} may be negative");
                        (Diagnostic::new(site, message), vec![("the length is".into(), length.clone())])
                    });
                }
            }
            Type::Tuple(parts) => parts.iter().for_each(|p| self.well_formed(p, site)),
            _ => {}
        }
    }

    /// Divisors must be at least 1.
    pub fn defined(&mut self, n: &Nat, site: Site) -> Result<(), Reported> {
        if self.open == Open::Trusted {
            return Ok(());
        }
        for term in n.terms() {
            for (factor, _) in &term.factors {
                match factor {
                    Factor::Div(a, b) | Factor::Mod(a, b) => {
                        self.defined(a, site)?;
                        self.defined(b, site)?;
                        let at_least_1 = Condition::ge(b, Nat::constant(1));
                        self.demand(&at_least_1, || {
                            let message = format!("the divisor {b} may be less than 1");
                            (Diagnostic::new(site, message), vec![("the divisor is".into(), b.clone())])
                        })?;
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
        if self.open == Open::Trusted {
            return Ok(());
        }
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

/// `with N = 1 and M = 2, the index is N + M = 3`
fn counterexample(example: &[(Var, i64)], shown: &[(String, Nat)]) -> String {
    let lookup = |v: &Var| example.iter().find(|(w, _)| w == v).map(|(_, value)| *value);
    let facts: Vec<String> = shown
        .iter()
        .filter_map(|(what, n)| {
            let value = n.eval(&lookup).ok()?;
            Some(match (n.as_constant(), n.as_var()) {
                (None, None) => format!("{what} {n} = {value}"),
                _ => format!("{what} {value}"),
            })
        })
        .collect();
    match facts.is_empty() {
        true => format!("this fails with {}", values(example)),
        false => format!("with {}, {}", values(example), facts.join(" and ")),
    }
}
