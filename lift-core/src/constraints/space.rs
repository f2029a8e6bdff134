//! The space of a program: every valid placement of its maps together with every valid choice of
//! its `tune` parameters.

use super::nest::{Code, Nest};
use super::rule::{Constraint, Options, Rule};
use super::rules::{RULES, constraints};
use super::{explained, problem};
use crate::check::{self, Typed};
use crate::expr::{Function, NodeId, Size};
use crate::low;
use crate::nat::{Nat, Var};
use crate::program::{CompileError, Program, Sizes};
use crate::solve::{Domain, Formula, GivenUp, Problem, Solution, Term};
use crate::syntax::{Diagnostic, Site};
use crate::target::Limits;
use crate::tune::{self, choose};

/// Where each map runs, and the values of the `tune` parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Placement {
    /// Where each map runs.
    pub maps: Vec<(NodeId, Code)>,
    /// The value of each `tune` parameter.
    pub parameters: Vec<(Var, i64)>,
}

/// All placements of a program.
#[derive(Clone, Debug)]
pub struct Placements {
    /// The maps that are placed.
    pub nest: Nest,
    /// What the rules demand, and then what the program demands of its parameters.
    pub constraints: Vec<Constraint>,
    /// Variables are the maps of the nest, and then the parameters.
    pub problem: Problem,
    parameters: Vec<Var>,
    pub(super) function: Function,
    pub(super) typed: Typed,
}

/// The demands on `tune` parameters that the checker left open (see `check::tune`).
pub static PARAMETERS: Rule = Rule {
    name: "tune parameters",
    source: "GPGPU'20 §5.1",
    equation: "in range; what is split, slid over exactly or made vectors of is divisible",
    reason: "a parameter has a value in its range for which the program is well formed",
    help: "allow more values",
    stage: 0,
    apply: |_| {},
};

impl Placements {
    /// The placements of a program at these sizes. `tune` parameters among the sizes keep their values, the
    /// others are variables. Where sizes are not known, nothing is demanded of numbers.
    pub fn of(
        program: &Program,
        sizes: &Sizes,
        limits: Option<Limits>,
        fuse_sequential: bool,
    ) -> Result<Placements, CompileError> {
        let function = &program.function;
        let facts = check::facts_at(function, sizes);
        let typed = check::infer_again(function, &facts).map_err(|message| program.unsupported(message))?;
        let low = low::of(function, &typed).map_err(|refused| program.unsupported(refused.0))?;
        let nest = Nest::of(&low);
        let of_parameter = |size: &Size| size.tune.is_some() && sizes.get(&size.var).is_some();
        let space = match program.sizes().iter().any(of_parameter) {
            true => choose::space(program, sizes)?,
            false => choose::space_of(program, sizes, &typed),
        };
        let parameters: Vec<Var> = space.parameters.iter().map(|(var, _)| var.clone()).collect();
        let maps = nest.maps.len();
        let term = |n: &Nat| {
            Term::of(n, &|v| match sizes.get(v) {
                Some(value) => Some(Term::Constant(value)),
                None => parameters.iter().position(|p| p == v).map(|k| Term::Variable(maps + k)),
            })
            .map(folded)
        };
        let options = Options { fuse_sequential, limits, term: Some(&term) };
        let mut constraints = constraints(&nest, &options);
        let mut problem = problem(&nest, &constraints);
        space.add_to(&mut problem, &|v| sizes.get(v));
        let demands = problem.constraints[constraints.len()..].to_vec();
        constraints.extend(of_parameters(&space, demands));
        Ok(Placements { nest, constraints, problem, parameters, function: function.clone(), typed })
    }

    /// The placements in which every map that is not placed yet is a loop, as in the kernels of a program whose
    /// other maps are placed by hand: only the parameters remain.
    #[must_use]
    pub fn sequential(mut self) -> Placements {
        for (map, domain) in self.nest.maps.iter_mut().zip(&mut self.problem.domains) {
            *domain = Domain::of(vec![map.given.get_or_insert(Code::SEQUENTIAL).0]);
        }
        self
    }

    /// The number of maps that are to be placed.
    pub fn free(&self) -> usize {
        self.nest.maps.iter().filter(|m| m.given.is_none()).count()
    }

    /// The number of placements, each with every choice of parameters.
    pub fn count(&self) -> u64 {
        self.problem.count()
    }

    /// All placements.
    pub fn all(&self) -> impl Iterator<Item = Placement> {
        self.problem.solutions().map(|s| self.placement(&s))
    }

    /// The first placement, if it is found within this many choices.
    pub fn first(&self, steps: usize) -> Result<Option<Placement>, GivenUp> {
        Ok(self.problem.first(steps)?.map(|s| self.placement(&s)))
    }

    /// Distinct placements, drawn at random.
    pub fn sample(&self, seed: u64) -> impl Iterator<Item = Placement> {
        self.problem.sample(seed).map(|s| self.placement(&s))
    }

    /// The constraints that do not hold.
    pub fn broken(&self, placement: &Placement) -> Vec<&Constraint> {
        let values = self.values(placement);
        self.constraints.iter().filter(|c| !c.formula.holds(&values)).collect()
    }

    /// Why there is no placement: rules that contradict each other, as few as can be found. `None`
    /// if there are some, or it takes too long to tell.
    pub fn reason(&self) -> Option<Diagnostic> {
        explained(&self.problem, &self.constraints, self.function.site)
    }

    /// How often each rule was applied (CC'22, table 4).
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let count = |rule: &Rule| self.constraints.iter().filter(|c| c.rule.name == rule.name).count();
        RULES.into_iter().chain([&PARAMETERS]).map(|rule| (rule.name, count(rule))).collect()
    }

    /// A solution of the problem, in words.
    pub fn placement(&self, solution: &[i64]) -> Placement {
        let maps = self.nest.maps.iter().zip(solution);
        let free = maps.filter(|(m, _)| m.given.is_none()).map(|(m, value)| (m.id, Code(*value)));
        let parameters =
            self.parameters.iter().cloned().zip(solution[self.nest.maps.len()..].iter().copied());
        Placement { maps: free.collect(), parameters: parameters.collect() }
    }

    /// The codes of the maps that are to be placed, in the order of the nest.
    pub fn codes(&self, solution: &[i64]) -> Vec<i64> {
        let maps = self.nest.maps.iter().zip(solution);
        maps.filter(|(m, _)| m.given.is_none()).map(|(_, code)| *code).collect()
    }

    /// The reverse: values of all variables, which may break constraints. `None` if the number of maps differs,
    /// or if a parameter has no value.
    pub fn solution(&self, codes: &[i64], value: &dyn Fn(&Var) -> Option<i64>) -> Option<Solution> {
        if codes.len() != self.free() {
            return None;
        }
        let mut codes = codes.iter().copied();
        let maps = self.nest.maps.iter().map(|m| m.given.map_or_else(|| codes.next(), |code| Some(code.0)));
        let maps: Vec<_> = maps.collect();
        maps.into_iter().chain(self.parameters.iter().map(value)).collect()
    }

    /// The `tune` parameters, in the order of the variables behind those of maps.
    pub fn parameters(&self) -> &[Var] {
        &self.parameters
    }

    fn values(&self, placement: &Placement) -> Solution {
        let code = |id: NodeId| placement.maps.iter().find(|(other, _)| *other == id).map(|(_, code)| *code);
        let maps = self.nest.maps.iter().map(|m| m.given.or(code(m.id)).unwrap_or(Code::SEQUENTIAL).0);
        let value = |var: &Var| placement.parameters.iter().find(|(v, _)| v == var).map_or(0, |(_, n)| *n);
        maps.chain(self.parameters.iter().map(value)).collect()
    }
}

impl std::fmt::Display for Placement {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let maps: Vec<String> = self.maps.iter().map(|(_, code)| code.0.to_string()).collect();
        let places = (!maps.is_empty()).then(|| format!("[{}]", maps.join(" ")));
        let values = self.parameters.iter().map(|(var, value)| format!("{var}={value}"));
        f.write_str(&places.into_iter().chain(values).collect::<Vec<_>>().join(" "))
    }
}

/// A number that is known.
fn folded(term: Term) -> Term {
    match term.constant() {
        Some(n) => Term::Constant(n),
        None => term,
    }
}

/// The demands of a program on its parameters, in words too. First come ranges that depend on other parameters.
fn of_parameters(space: &tune::Space, demands: Vec<Formula>) -> Vec<Constraint> {
    let ranges = demands.len() - space.constraints.len();
    let ranges = std::iter::repeat_n("a parameter is outside of its range".to_string(), ranges);
    let messages = ranges.chain(space.constraints.iter().map(|c| format!("`{c}` does not hold")));
    let constraint = |(message, formula)| Constraint {
        rule: &PARAMETERS,
        site: Site::default(),
        kernel: None,
        message,
        formula,
    };
    messages.zip(demands).map(constraint).collect()
}
