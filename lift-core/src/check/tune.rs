//! Obligations that mention `tune` parameters: no demands on the caller, but constraints on what
//! the parameters may be.

use super::{Checker, facts, infer_inlined};
use crate::expr::Function;
use crate::nat::{Answer, Condition, Facts, Nat, Var};
use crate::syntax::{Diagnostic, Site};
use crate::tune::{Conflict, Space, Unsolved, in_words};

/// Partial assignments looked at for one choice of sizes.
const STEPS: usize = 2_000;
/// Choices of sizes that are looked at.
const CHOICES: usize = 40;

/// How far above the smallest possible value each size is tried.
const REACH: i64 = 9;

impl Checker<'_> {
    /// Takes a condition that is not evident as a constraint, if it depends on a `tune` parameter
    /// and on sizes only: from here on it is assumed.
    pub fn left_to_tuning(&mut self, condition: &Condition, diagnostic: impl FnOnce() -> Diagnostic) -> bool {
        let vars = condition.vars();
        let range = |v: &Var| self.sizes.iter().find(|size| size.var == *v)?.tune.clone();
        if vars.iter().all(|v| range(v).is_none()) || vars.iter().any(|v| v.index != 0) {
            return false;
        }
        let parameters = vars.iter().map(|v| Some((v.clone(), range(v)?))).collect::<Option<Vec<_>>>();
        let always =
            |parameters| Space { parameters, constraints: vec![condition.clone().not()] }.is_empty(STEPS);
        // Trying the parameters' few values is less work than a proof.
        if !parameters.is_some_and(always) && !self.facts.evident(condition) {
            self.facts.assume(condition);
            self.typed.constraints.push((condition.clone(), diagnostic()));
        }
        true
    }

    /// The constraints from this one on come from what is replaced when calls are inlined: they go on as clauses.
    pub fn becomes_clauses(&mut self, first: usize, site: Site) {
        let found = self.typed.constraints[first..].iter().map(|(condition, _)| (condition.clone(), site));
        self.typed.clauses.extend(found);
    }
}

/// What a function's `tune` parameters may be, where its obligations are known.
pub fn space(function: &Function, constraints: impl Iterator<Item = Condition>) -> Space {
    let parameters: Vec<_> =
        function.sizes.iter().filter_map(|s| Some((s.var.clone(), s.tune.clone()?))).collect();
    let mut space = Space { parameters, constraints: vec![] };
    let stated = function.wheres.iter().map(|(condition, _)| condition.clone());
    space.constraints = stated.filter(|c| space.mentions(c)).collect();
    space.constraints.extend(constraints);
    space
}

/// Looks for sizes that a caller may use and for which the parameters have no values; sizes that
/// it does not look at are decided when they are known. `before` are the constraints that were found before calls were inlined:
/// those that are clauses now still say what asked for them.
pub fn check(function: &Function, before: &[(Condition, Diagnostic)]) -> Option<Diagnostic> {
    if function.sizes.iter().all(|s| s.tune.is_none()) {
        return None;
    }
    // Its mistakes, if any, were found in the functions it is made of.
    let typed = infer_inlined(function, &facts(function)).ok()?;
    let space = space(function, typed.constraints.iter().map(|(condition, _)| condition.clone()));
    for sizes in choices(function, &space) {
        let lookup = |v: &Var| sizes.iter().find(|(w, _)| w == v).map(|(_, value)| *value);
        if space.first(&lookup, STEPS) == Err(Unsolved::Impossible) {
            let count = first_unsolvable(&space, &lookup);
            let own = space.constraints.len() - typed.constraints.len();
            let asked = count.checked_sub(own + 1).map(|i| typed.constraints[i].1.clone());
            let constraints = space.constraints[..count].to_vec();
            let conflict = Space { constraints, parameters: space.parameters }.conflict(&lookup, STEPS);
            let sizes: Vec<(Var, i64)> =
                sizes.iter().filter(|(v, _)| conflict.mentions(v)).cloned().collect();
            return Some(report(function, &sizes, asked, before, &conflict));
        }
    }
    None
}

/// How many of the constraints, from the first one on, it takes to leave no values.
fn first_unsolvable(space: &Space, sizes: &dyn Fn(&Var) -> Option<i64>) -> usize {
    let solvable = |count: usize| {
        let constraints = space.constraints[..count].to_vec();
        Space { constraints, parameters: space.parameters.clone() }.first(sizes, STEPS).is_ok()
    };
    (0..space.constraints.len()).find(|count| !solvable(*count)).unwrap_or(space.constraints.len())
}

/// Says what leaves no values: the last constraint of the conflict, which `asked` reports if it came from the body.
fn report(
    function: &Function,
    sizes: &[(Var, i64)],
    asked: Option<Diagnostic>,
    before: &[(Condition, Diagnostic)],
    conflict: &Conflict,
) -> Diagnostic {
    let with = match sizes.is_empty() {
        true => String::new(),
        false => format!("with {} ", super::describe::values(sizes)),
    };
    let one = conflict.parameters.len() == 1;
    let value = if one { "value" } else { "values" };
    let values = format!("no {value} of {}", in_words(&conflict.parameters));
    let Some((last, others)) = conflict.constraints.split_last() else {
        let last = conflict.parameters.last().map(|(var, _)| var);
        let size = function.sizes.iter().find(|size| Some(&size.var) == last);
        return Diagnostic::new(
            size.map_or(function.site, |size| size.site),
            format!("{with}there is {values}"),
        );
    };
    let others: Vec<String> = others.iter().map(|c| format!("`{c}`")).collect();
    let together = match others.is_empty() {
        true => String::new(),
        false => format!(" together with {}", others.join(" and ")),
    };
    match asked {
        Some(diagnostic) => {
            let allows = if one { "allows" } else { "allow" };
            diagnostic.note(format!("{with}{values} {allows} it{together}"))
        }
        None => {
            let clause = function.wheres.iter().find(|(c, _)| c == last);
            let site = clause.map_or(function.site, |(_, site)| *site);
            let satisfies = if one { "satisfies" } else { "satisfy" };
            let message = format!("{with}{values} {satisfies} `{last}`{together}");
            match before.iter().find(|(condition, _)| condition == last) {
                Some((_, diagnostic)) => diagnostic.clone().note(message),
                None => Diagnostic::new(site, message),
            }
        }
    }
}

/// Small sizes that the `where` clauses allow: the smallest, and those with one of them larger.
fn choices(function: &Function, space: &Space) -> Vec<Vec<(Var, i64)>> {
    let sizes: Vec<Var> = function.sizes.iter().filter(|s| s.tune.is_none()).map(|s| s.var.clone()).collect();
    let mut facts = Facts::new();
    sizes.iter().filter(|size| function.least(size) == 1).for_each(|size| facts.size(size));
    let clauses: Vec<&Condition> =
        function.wheres.iter().map(|(c, _)| c).filter(|c| !space.mentions(c)).collect();
    clauses.iter().for_each(|c| facts.assume(c));
    let sum = sizes.iter().fold(Nat::constant(0), |sum, size| sum + Nat::var(size));
    let smallest = match facts.prove(&Condition::lt(sum, Nat::constant(0))) {
        Answer::Refuted(example) => example,
        _ if sizes.is_empty() => vec![],
        _ => return vec![],
    };
    let mut found = vec![smallest.clone()];
    for more in 1..=REACH {
        for i in 0..smallest.len() {
            let mut larger = smallest.clone();
            larger[i].1 += more;
            let lookup = |v: &Var| larger.iter().find(|(w, _)| w == v).map(|(_, value)| *value);
            if clauses.iter().all(|c| c.eval(&lookup) == Ok(true)) {
                found.push(larger);
            }
        }
    }
    found.truncate(CHOICES);
    found
}
