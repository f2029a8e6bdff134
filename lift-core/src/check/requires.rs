//! What a primitive demands of its sizes.

use super::describe::{count, values};
use super::primitive::Use;
use super::{Checker, Open};
use crate::nat::{Answer, Condition, Facts, Nat, Var};
use crate::primitives::signature::Signature;
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use std::collections::BTreeSet;

/// A demand that was not proved: as the signature states it, and of the sizes at this use.
struct Failing<'a> {
    /// The variables of the signature that it speaks of.
    variables: BTreeSet<Var>,
    /// The demand, of the sizes at this use.
    condition: Condition,
    /// The lines of its message in the table of primitives.
    message: Vec<&'a str>,
}

impl Checker<'_> {
    /// One mistake however many of the demands it breaks: the message of the first that is not
    /// implied by the others, and a clause for all of them.
    pub fn requirements(
        &mut self,
        site: Site,
        shown: &str,
        signature: &Signature,
        u: &Use,
    ) -> Result<(), Reported> {
        let mut failing = vec![];
        if self.open == Open::Trusted {
            return Ok(());
        }
        for (stated, message) in &signature.requires {
            let condition = u.condition(stated);
            let message: Vec<&str> = message.split('\n').collect();
            let diagnostic = || Diagnostic::new(site, format!("`{shown}` {}", with_sizes(message[0], u)));
            if !self.met(&condition, Facts::certain, diagnostic) {
                failing.push(Failing { variables: stated.vars(), condition, message });
            }
        }
        // A demand that no sizes meet can't be assumed afterwards, and no clause helps: it is told alone.
        if let Some(hopeless) = failing.iter().find(|f| !self.satisfiable(&f.condition)) {
            let diagnostic = self.broken(site, shown, hopeless, u);
            return self.report(diagnostic);
        }
        self.strongest(&mut failing);
        let Some(first) = failing.first() else { return Ok(()) };
        let all = failing.iter().map(|f| f.condition.clone()).reduce(Condition::and);
        let all = all.unwrap_or(Condition::truth(true));
        let alternative = first.message.get(2).map(|text| with_array(text, first, u));
        let diagnostic = self.broken(site, shown, first, u);
        let diagnostic = self.suggest_clause(diagnostic, &all, alternative.as_deref());
        self.assumed(&all, diagnostic)
    }

    /// Leaves out what follows from the others.
    fn strongest(&self, failing: &mut Vec<Failing>) {
        let mut i = 0;
        while failing.len() > 1 && i < failing.len() {
            let mut facts = self.facts.clone();
            let others = failing.iter().enumerate().filter(|(j, _)| *j != i);
            others.for_each(|(_, f)| facts.assume(&f.condition));
            if facts.holds(&failing[i].condition) {
                failing.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// The message of a demand that is not met, with the smallest counterexample in the words of the array.
    fn broken(&self, site: Site, shown: &str, failing: &Failing, u: &Use) -> Diagnostic {
        let diagnostic = Diagnostic::new(site, format!("`{shown}` {}", with_sizes(failing.message[0], u)));
        match self.facts.prove(&failing.condition) {
            Answer::Refuted(example) => match shortfall(failing, &example, u) {
                Some(note) => diagnostic.note(note),
                None => diagnostic,
            },
            _ => diagnostic.note(super::prove::UNKNOWN),
        }
    }
}

/// `` `xs` has length N + 2; with N = 1 it has 3 elements and they make no whole row ``
fn shortfall(failing: &Failing, example: &[(Var, i64)], u: &Use) -> Option<String> {
    let lookup = |v: &Var| example.iter().find(|(w, _)| w == v).map(|(_, value)| *value);
    let value = |n: &Nat| n.eval(&lookup).ok();
    let with = format!("with {}", values(example));
    let plain = |n: &Nat| n.as_constant().is_some() || n.as_var().is_some();
    let mut others = vec![];
    for var in &failing.variables {
        if let (None, Some(n)) = (u.from.get(&*var.name), u.sizes.0.get(&*var.name))
            && !plain(n)
        {
            others.push(format!("{n} is {}", value(n)?));
        }
    }
    let Some((subject, n)) = array(failing, u) else {
        return (!others.is_empty()).then(|| format!("{with}, {}", others.join(" and ")));
    };
    let elements = value(n)?;
    let mut has = count(elements);
    if let Some(whole) = failing.message.get(1).filter(|text| !text.is_empty()) {
        let make = if elements == 1 { "and it makes" } else { "and they make" };
        has = format!("{has} {make} {whole}");
    }
    let mut note = match (example.is_empty(), plain(n)) {
        (true, _) => format!("{subject} has {has}"),
        (false, true) => format!("{with}, {subject} has {has}"),
        (false, false) => format!("{subject} has length {n}; {with} it has {has}"),
    };
    others.iter().for_each(|other| note.push_str(&format!(", and {other}")));
    Some(note)
}

/// The array that a demand is about, and its length.
fn array<'a>(failing: &Failing, u: &'a Use) -> Option<(String, &'a Nat)> {
    failing.variables.iter().find_map(|v| Some((u.from.get(&*v.name)?.to_string(), u.sizes.0.get(&*v.name)?)))
}

/// A message of the table, with the sizes at this use for `{variable}`.
fn with_sizes(text: &str, u: &Use) -> String {
    u.sizes.0.iter().fold(text.to_string(), |text, (variable, n)| {
        text.replace(&format!("{{{variable}}}"), &n.to_string())
    })
}

fn with_array(text: &str, failing: &Failing, u: &Use) -> String {
    text.replace("{xs}", &array(failing, u).map_or("the array".into(), |(subject, _)| subject))
}
