//! Where the maps of a program may run, as constraints (CC'22 §4).
//!
//! Every rule is stated once, in `rules`: its name, the paper's number, its equation, the reason
//! in words, and the function that applies it to the [`Nest`] of a program. Four readers share it:
//!
//! * the solver: [`Placements`] is the space of all valid placements and `tune` parameters;
//! * the checker of programs that place their maps themselves ([`broken`]);
//! * the printer: [`table`] is what `ARCHITECTURE.md` shows, [`Placements::counts`] CC'22's table 4;
//! * the explanation of why there is no placement at all ([`Placements::reason`]).
//!
//! A map is a variable with CC'22's values (table 2): 0 a loop in a work-item, 1 fused with the map
//! around it, 10 to 12 over the work-items of a group in dimensions 0 to 2, 20 to 22 over groups, 30
//! to 32 over all work-items.
//!
//! **Which maps are variables.** Reading is lazy: a `map` whose elements are computed where they are read is no loop,
//! so there is nothing to place, and it has no variable; nor has a `map` that only moves data. A `map` has a variable
//! if it writes: to the result, or to memory that the program asked for with `toGlobal`, `toLocal`, `toLocalPitched`,
//! `toPrivate` or `toItems` (the paper's *ConcreteMaps*). Value 1 is the fusion of CC'22 §4.1, which makes
//! `split ∘ map(f) ∘ join` of `map(map(f))`. A map can have it if it is all that the map around it does.

mod application;
mod items;
mod limits;
mod nest;
mod place;
mod preferred;
mod reader;
mod rule;
mod rules;
mod space;
mod words;

pub use crate::target::Limits;
pub use nest::{Code, Map, Memory, Nest, Use, Write};
pub use place::place;
pub use rule::{Constraint, Numbers, Options, Rule};
pub use rules::{RULES, constraints};
pub use space::{PARAMETERS, Placement, Placements};
pub use words::table;

use crate::low;
use crate::solve::{Domain, Problem};
use crate::syntax::{Diagnostic, Site};
use std::collections::BTreeSet;

/// Mistakes in a program without calls that places its maps itself. In such a program a plain
/// `map` is a loop of the work-item that reaches it.
pub fn broken(program: &low::Write) -> Vec<Diagnostic> {
    let nest = Nest::of(program);
    let placement: Vec<i64> = nest.maps.iter().map(|m| m.given.unwrap_or(Code::SEQUENTIAL).0).collect();
    let mut broken: Vec<Constraint> = constraints(&nest, &Options::default());
    broken.retain(|c| !c.formula.holds(&placement));
    // One mistake leads to others: mistakes of a later stage are shown only for kernels without earlier ones.
    let mut faulty: BTreeSet<Option<usize>> = BTreeSet::new();
    let mut mistakes = vec![];
    for stage in 0..rules::STAGES {
        let (mut sites, mut found) = (BTreeSet::new(), BTreeSet::new());
        for constraint in broken.iter().filter(|c| c.rule.stage == stage && !faulty.contains(&c.kernel)) {
            found.insert(constraint.kernel);
            if sites.insert(constraint.site) {
                mistakes.push(constraint.diagnostic());
            }
        }
        faulty.extend(found);
    }
    mistakes
}

/// Why the plain maps of a program without calls cannot be placed at all; `None` if they can.
pub fn hopeless(program: &low::Write, site: Site) -> Option<Diagnostic> {
    let nest = Nest::of(program);
    let constraints = constraints(&nest, &Options::default());
    explained(&problem(&nest, &constraints), &constraints, site)
}

/// The maps as variables, and what must hold of them.
fn problem(nest: &Nest, constraints: &[Constraint]) -> Problem {
    let all: Vec<i64> = Code::ALL.iter().map(|c| c.0).collect();
    let domain = |map: &Map| Domain::of(map.given.map_or(all.clone(), |code| vec![code.0]));
    Problem {
        domains: nest.maps.iter().map(domain).collect(),
        constraints: constraints.iter().map(|c| c.formula.clone()).collect(),
    }
}

/// Rules that contradict each other, as few as can be found. `None` if there are solutions, or it
/// takes too long to tell.
fn explained(problem: &Problem, constraints: &[Constraint], site: Site) -> Option<Diagnostic> {
    let conflict: Vec<&Constraint> = problem.conflict()?.into_iter().map(|k| &constraints[k]).collect();
    let site = conflict.iter().map(|c| c.site).max().unwrap_or(site);
    let mut diagnostic = Diagnostic::new(site, "the maps of this program cannot be placed");
    for Constraint { rule, message, .. } in conflict {
        let note = format!("{} ({}): otherwise {message}", rule.name, rule.source);
        if !diagnostic.notes.contains(&note) {
            diagnostic.notes.push(note);
        }
    }
    Some(diagnostic)
}
