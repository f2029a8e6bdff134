//! One form of a program, and the choices that it leaves: numbers, and where maps run.

use super::Choice;
use lift_core::constraints::{Placements, place};
use lift_core::nat::{Maker, Var};
use lift_core::schedules::{Candidate, Schedule};
use lift_core::solve::{Domain, Problem};
use lift_core::target::Limits;
use lift_core::{CompileError, Program, Sizes};
use std::sync::OnceLock;

/// A program whose numbers are open, and also its maps if the schedule leaves these open. The valid choices are
/// the solutions of a problem, whose variables are the maps, if they are open, and then the numbers.
pub struct Form {
    schedule: Option<&'static Schedule>,
    options: Vec<&'static str>,
    program: Program,
    sizes: Sizes,
    placements: Placements,
    /// Where its maps would be without measuring.
    preferred: OnceLock<Option<Vec<i64>>>,
    /// For each variable, the constraints that mention it.
    speaking: Vec<Vec<usize>>,
}

/// Steps of the search for a choice near another.
const STEPS: usize = 20_000;
/// How many doublings away its numbers may be: near choices are looked for first.
const DOUBLINGS: [u32; 6] = [0, 1, 2, 3, 5, 40];

impl Form {
    /// The program as it is.
    ///
    /// # Errors
    /// Why it can't be compiled.
    pub fn as_it_is(program: &Program, sizes: &Sizes, limits: Limits) -> Result<Form, String> {
        let placements = as_it_is(program, sizes, limits).map_err(|e| e.to_string())?;
        Ok(Form::of(None, vec![], program.clone(), sizes, placements))
    }

    /// What a schedule derived.
    ///
    /// # Errors
    /// Why there is none at these sizes.
    pub fn new(
        schedule: &'static Schedule,
        candidate: &Candidate,
        sizes: &Sizes,
        limits: Limits,
    ) -> Result<Form, String> {
        let placements = candidate.placements(sizes, limits).map_err(|e| e.to_string())?;
        let options = candidate.options.clone();
        Ok(Form::of(Some(schedule), options, candidate.program.clone(), sizes, placements))
    }

    fn of(
        schedule: Option<&'static Schedule>,
        options: Vec<&'static str>,
        program: Program,
        sizes: &Sizes,
        placements: Placements,
    ) -> Form {
        let problem = &placements.problem;
        let mut speaking = vec![vec![]; problem.domains.len()];
        for (k, constraint) in problem.constraints.iter().enumerate() {
            constraint.variables().into_iter().for_each(|v| speaking[v].push(k));
        }
        let (sizes, preferred) = (sizes.clone(), OnceLock::new());
        Form { schedule, options, program, sizes, placements, preferred, speaking }
    }

    /// The program of a choice, and all sizes; `None` if it is none of this form's.
    pub fn program(&self, choice: &Choice) -> Option<(Program, Sizes)> {
        let named = self.misnamed(choice).is_none();
        let solution = self.solution(choice).filter(|s| named && self.fits(s))?;
        let sizes = self.at(&self.choice(&solution));
        Some((place(&self.placements, &self.placements.placement(&solution)), sizes))
    }

    /// A solution of the problem as a choice.
    pub fn choice(&self, solution: &[i64]) -> Choice {
        let names = self.parameters().iter().map(|var| self.label(var));
        Choice {
            schedule: self.schedule.map(|s| s.name.to_string()),
            options: self.options.iter().map(|o| o.to_string()).collect(),
            places: self.placements.codes(solution),
            point: names.zip(solution[self.maps()..].iter().copied()).collect(),
            parts: vec![],
            inline: false,
        }
    }

    /// Choices with one thing changed: a number moved to the next or the one before it, a map put
    /// elsewhere. And choices with two changed: numbers moved against each other, which keeps their
    /// product, two maps put elsewhere, since what one takes another must often give up.
    pub fn neighbours(&self, choice: &Choice) -> [Vec<Choice>; 2] {
        let Some(here) = self.solution(choice) else { return [vec![], vec![]] };
        let maps = self.maps();
        let moves: Vec<Vec<i64>> = (0..here.len())
            .map(|k| match &self.problem().domains[k] {
                Domain::List(codes) if k < maps => codes.iter().copied().filter(|c| *c != here[k]).collect(),
                domain => beside(domain, here[k]),
            })
            .collect();
        let (mut ones, mut twos) = (vec![], vec![]);
        let mut there = here.clone();
        for k in 0..here.len() {
            for value in &moves[k] {
                there[k] = *value;
                if self.still_fits(&there, &[k]) {
                    ones.push(self.choice(&there));
                }
                for j in k + 1..here.len() {
                    let both = |other: i64| match (k < maps, j < maps) {
                        (true, true) => true,
                        (false, false) => (other > here[j]) != (*value > here[k]),
                        _ => false,
                    };
                    for other in moves[j].iter().copied().filter(|other| both(*other)) {
                        there[j] = other;
                        if self.still_fits(&there, &[k, j]) {
                            twos.push(self.choice(&there));
                        }
                    }
                    there[j] = here[j];
                }
            }
            there[k] = here[k];
        }
        [ones, twos]
    }

    /// The choice of this form that is most like one that may not fit: of other sizes, say. Maps that
    /// it does not place are where they would be preferred.
    pub fn nearest(&self, wanted: &Choice) -> Option<Choice> {
        if let Some(solution) = self.solution(wanted).filter(|s| self.fits(s)) {
            return Some(self.choice(&solution));
        }
        let value = |var: &Var| wanted.value(&self.label(var)).unwrap_or(1).max(1);
        let values: Vec<i64> = self.parameters().iter().map(value).collect();
        // Wherever maps are, they are as near.
        let apart = |variable: usize, value: i64| match variable.checked_sub(self.maps()) {
            Some(k) => ((values[k] as f64).ln() - (value.max(1) as f64).ln()).abs(),
            None => 0.0,
        };
        let closest = |domains: &[Domain]| {
            self.problem().closest_in(domains, &apart, STEPS).map(|solution| self.choice(&solution))
        };
        // Of a whole space only a corner would be seen.
        let nearest = |domains: &[Domain]| {
            DOUBLINGS.iter().find_map(|doublings| {
                let mut near = domains.to_vec();
                for (domain, wanted) in near[self.maps()..].iter_mut().zip(&values) {
                    let times = 1 << doublings;
                    // 0 is as near as 1.
                    let least = if times < *wanted { wanted / times } else { 0 };
                    *domain = domain.between(least, wanted.saturating_mul(times));
                }
                closest(&near)
            })
        };
        let by = |codes: &[i64]| nearest(&self.with_places(codes)?);
        let preferred = || {
            let found = self.placements.preferred()?;
            Some(found.maps.iter().map(|(_, code)| code.0).collect())
        };
        by(&wanted.places).or_else(|| by(self.preferred.get_or_init(preferred).as_ref()?))
    }

    /// What its variables may be with the maps in these places, the numbers open.
    fn with_places(&self, codes: &[i64]) -> Option<Vec<Domain>> {
        let solution = self.placements.solution(codes, &|_| Some(0))?;
        let (placed, open) = (&solution[..self.maps()], &self.problem().domains[self.maps()..]);
        Some(placed.iter().map(|code| Domain::of(vec![*code])).chain(open.iter().cloned()).collect())
    }

    /// Its variables are the maps, and then the numbers.
    pub fn problem(&self) -> &Problem {
        &self.placements.problem
    }

    fn parameters(&self) -> &[Var] {
        self.placements.parameters()
    }

    /// What a parameter is called in choices: a schedule's by the schedule's own name, whatever the program's sizes are
    /// called, so that forms of one program mean the same of another.
    fn label(&self, var: &Var) -> String {
        let taken = self.schedule.is_some_and(|s| s.parameters.iter().any(|p| *p.name == *var.name));
        if taken && var.maker == Maker::Program { format!("program.{var}") } else { var.to_string() }
    }

    /// The number of variables that are maps.
    fn maps(&self) -> usize {
        self.problem().domains.len() - self.parameters().len()
    }

    /// Why a choice is not one of this form: which value must be another, or is missing.
    pub fn unfit(&self, choice: &Choice) -> String {
        let names = || {
            self.parameters()
                .iter()
                .map(|var| format!("`{}`", self.label(var)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if let Some(name) = self.misnamed(choice) {
            return match self.parameters() {
                [] => format!("there is no parameter `{name}`, nor any other"),
                _ => format!("there is no parameter `{name}`, but these: {}", names()),
            };
        }
        if let Some(missing) = self.parameters().iter().find(|var| choice.value(&self.label(var)).is_none()) {
            return format!("`{}` has no value", self.label(missing));
        }
        match (self.placements.free(), choice.places.len()) {
            (maps, places) if maps == places => format!("these values do not fit {}", self.sizes),
            (maps, places) => format!("{maps} of its maps are to be placed, and there are {places} places"),
        }
    }

    /// A value of a choice that would change nothing: of no parameter here. Parameters that the schedule has no use for in
    /// this program may have the least of their values, which says no more than that.
    fn misnamed<'a>(&self, choice: &'a Choice) -> Option<&'a str> {
        let own = |name: &str| self.parameters().iter().any(|var| self.label(var) == name);
        let of_schedule = self.schedule.map_or(&[][..], |schedule| schedule.parameters);
        let unused = |name: &str, value: i64| {
            of_schedule.iter().any(|p| p.name == name && p.values.first() == Some(&value))
        };
        let wrong = choice.point.iter().find(|(name, value)| !own(name) && !unused(name, *value));
        wrong.map(|(name, _)| name.as_str())
    }

    /// The sizes of the program and the values of a choice.
    fn at(&self, choice: &Choice) -> Sizes {
        let value = |var: &Var| self.sizes.get(var).or_else(|| choice.value(&self.label(var)));
        Sizes(self.program.sizes().iter().filter_map(|s| Some((s.var.clone(), value(&s.var)?))).collect())
    }

    fn solution(&self, choice: &Choice) -> Option<Vec<i64>> {
        self.placements.solution(&choice.places, &|var| choice.value(&self.label(var)))
    }

    fn fits(&self, solution: &[i64]) -> bool {
        let known = self.problem().domains.iter().zip(solution).all(|(d, value)| d.contains(*value));
        known && self.problem().constraints.iter().all(|c| c.holds(solution))
    }

    /// After a change of these variables.
    fn still_fits(&self, solution: &[i64], changed: &[usize]) -> bool {
        let mut speaking = changed.iter().flat_map(|v| &self.speaking[*v]);
        speaking.all(|k| self.problem().constraints[*k].holds(solution))
    }
}

/// The numbers that a program leaves open; its maps are placed by what lowers it. Some of a device's limits are
/// estimates: where nothing keeps them, the device is to say what it can do.
fn as_it_is(program: &Program, sizes: &Sizes, limits: Limits) -> Result<Placements, CompileError> {
    let within = |limits| Ok(Placements::of(program, sizes, limits, false)?.sequential());
    let limited = within(Some(limits))?;
    if limited.problem.solutions().next().is_some() { Ok(limited) } else { within(None) }
}

/// The values before and after this one.
fn beside(domain: &Domain, value: i64) -> Vec<i64> {
    match domain {
        Domain::Span(low, high) => {
            [value - 1, value + 1].into_iter().filter(|v| (low..=high).contains(&v)).collect()
        }
        Domain::List(values) => {
            let before = values.iter().rev().find(|v| **v < value);
            before.into_iter().chain(values.iter().find(|v| **v > value)).copied().collect()
        }
    }
}
