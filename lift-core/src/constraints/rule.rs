//! Rules, what they are applied to, and the constraints that they make.

use super::nest::Nest;
use crate::nat::Nat;
use crate::solve::{Formula, Term};
use crate::syntax::{Diagnostic, Site};
use crate::target::Limits;

/// A rule that every placement keeps.
pub struct Rule {
    /// What tables and explanations call it.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// `m`, `n`: maps, `n` inside `m`; `level` and `dim`: a code divided by 10, and what remains.
    pub equation: &'static str,
    /// Why it must hold, in a sentence that messages contain.
    pub reason: &'static str,
    /// What to do where it is broken.
    pub help: &'static str,
    /// Mistakes of a hand-placed kernel are shown stage by stage.
    pub(super) stage: usize,
    pub(super) apply: fn(&mut Application),
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// One application of a rule.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The rule that demands it.
    pub rule: &'static Rule,
    /// The place of the map or memory that it is about.
    pub site: Site,
    /// The kernel that it is about, if it is about one.
    pub kernel: Option<usize>,
    /// The mistake of a program that breaks it.
    pub message: String,
    /// What must hold: its first variables are the maps, by their numbers in the nest, then come the `tune` parameters.
    pub formula: Formula,
}

impl Constraint {
    /// The constraint as a mistake of a program that breaks it.
    pub fn diagnostic(&self) -> Diagnostic {
        let note = format!("{} ({})", self.rule.reason, self.rule.source);
        Diagnostic::new(self.site, &self.message).note(note).help(self.rule.help)
    }
}

/// A rule being applied.
pub(super) struct Application<'a> {
    pub(super) rule: &'static Rule,
    pub(super) nest: &'a Nest,
    pub(super) options: &'a Options<'a>,
    pub(super) found: &'a mut Vec<Constraint>,
}

/// Everything that rules know besides the nest.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Treat sequential maps that can be fused as fused, so that there are fewer placements (CC'22, rule 8).
    pub fuse_sequential: bool,
    /// The limits of the device, if it is known.
    pub limits: Option<Limits>,
    /// Turns symbolic numbers into terms; without it no constraint mentions numbers.
    pub term: Option<Numbers<'a>>,
}

/// Symbolic numbers as terms of a problem.
pub type Numbers<'a> = &'a dyn Fn(&Nat) -> Option<Term>;
