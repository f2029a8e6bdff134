//! The forms of a program at its sizes: the program as it is, and what schedules derive from it.

use super::Choice;
use crate::{Compiled, Device, Error, Signature, cache};
use lift_core::kernel::Plan;
use lift_core::nat::Var;
use lift_core::pipeline;
use lift_core::schedules::{SCHEDULES, Schedule};
use lift_core::solve::{Domain, Problem};
use lift_core::{Program, Sizes};
use std::sync::{Arc, OnceLock};

/// A program at fixed sizes, and its forms, each derived when it is first asked for.
pub struct Forms {
    program: Program,
    sizes: Sizes,
    /// By schedule and options; the program as it is stands first.
    all: Vec<Slot>,
}

#[derive(Clone)]
struct Slot {
    schedule: Option<&'static Schedule>,
    options: Vec<&'static str>,
    /// `None`: the schedule does not apply.
    form: OnceLock<Option<Arc<Form>>>,
}

/// A program with numbers left open: those that fit are the solutions of a problem. A schedule
/// that leaves open more than numbers gives its choices a name here, and `program` what they mean.
pub struct Form {
    schedule: Option<&'static Schedule>,
    options: Vec<&'static str>,
    program: Program,
    sizes: Sizes,
    parameters: Vec<Var>,
    pub problem: Problem,
}

/// So many partial choices are looked at to find one near another.
const STEPS: usize = 20_000;

/// A short name for all that a plan does.
pub fn kernels(plan: &Plan) -> String {
    let text = plan.opencl();
    let word = |c: char| !c.is_alphanumeric() && c != '_';
    // A size that no kernel mentions makes no difference.
    let used = |line: &&str| match line.strip_prefix("#define ").and_then(|rest| rest.split(word).next()) {
        Some(name) => text.split(word).filter(|w| *w == name).count() > 1,
        None => true,
    };
    let lines: Vec<&str> = text.lines().filter(used).collect();
    cache::key(&[&lines.join("\n"), &format!("{:?}", plan.launches)])
}

impl Forms {
    /// Of a program whose sizes are solved; `tune` parameters may be among them or not.
    pub fn new(program: &Program, sizes: &Sizes) -> Forms {
        let slot = |schedule, options| Slot { schedule, options, form: OnceLock::new() };
        let mut all = vec![slot(None, vec![])];
        for schedule in SCHEDULES {
            let selections = schedule.options.iter().fold(vec![vec![]], |some: Vec<Vec<_>>, (name, _)| {
                let with: Vec<_> = some.iter().map(|s| [&s[..], &[*name]].concat()).collect();
                some.into_iter().chain(with).collect()
            });
            all.extend(selections.into_iter().map(|options| slot(Some(*schedule), options)));
        }
        Forms { program: program.clone(), sizes: sizes.clone(), all }
    }

    /// Those of one schedule, or the program as it is.
    pub fn only(&self, schedule: Option<&str>) -> Forms {
        let own = self.all.iter().filter(|slot| slot.schedule.map(|s| s.name) == schedule);
        Forms { program: self.program.clone(), sizes: self.sizes.clone(), all: own.cloned().collect() }
    }

    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Those that apply, in a fixed order.
    pub fn all(&self) -> impl Iterator<Item = Arc<Form>> {
        self.all.iter().filter_map(|slot| self.form(slot))
    }

    /// The form that a choice is of, if it applies.
    pub fn of(&self, choice: &Choice) -> Option<Arc<Form>> {
        let same = |slot: &&Slot| {
            slot.schedule.map(|s| s.name) == choice.schedule.as_deref()
                && slot.options.iter().eq(choice.options.iter())
        };
        self.all.iter().find(same).and_then(|slot| self.form(slot))
    }

    fn form(&self, slot: &Slot) -> Option<Arc<Form>> {
        let derive = || {
            let program = match slot.schedule {
                None => self.program.clone(),
                Some(schedule) => schedule.derive(&self.program, &slot.options).ok()?.program,
            };
            let space = pipeline::space(&program, &self.sizes).ok()?;
            let problem = space.problem(&|v| self.sizes.get(v));
            let parameters = space.parameters.into_iter().map(|(var, _)| var).collect();
            let (schedule, options, sizes) = (slot.schedule, slot.options.clone(), self.sizes.clone());
            Some(Arc::new(Form { schedule, options, program, sizes, parameters, problem }))
        };
        slot.form.get_or_init(derive).clone()
    }

    /// The kernels of a choice.
    ///
    /// # Errors
    /// A schedule that is not there or does not apply, values that don't fit.
    pub fn plan(&self, choice: &Choice) -> Result<Plan, Error> {
        let form = self.of(choice).ok_or_else(|| self.no_form(choice))?;
        let solution = form.solution(choice).filter(|s| form.fits(s)).ok_or_else(|| self.no_form(choice))?;
        Ok(lift_core::compile(&form.program, &form.at(&form.choice(&solution)))?)
    }

    /// A choice, built for a device.
    ///
    /// # Errors
    /// As [`Forms::plan`], and those of building.
    pub fn build(&self, device: &Device, choice: &Choice) -> Result<Compiled, Error> {
        self.load(device, self.plan(choice)?)
    }

    /// The kernels of a form of the program, built for a device.
    ///
    /// # Errors
    /// Those of building.
    pub fn load(&self, device: &Device, plan: Plan) -> Result<Compiled, Error> {
        // Forms have the same parameters and results.
        let signature = Signature::new(&self.program, &Sizes(plan.sizes.clone()))?;
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers.
        unsafe { device.load(plan, signature) }
    }

    fn no_form(&self, choice: &Choice) -> Error {
        let message = format!("no schedule derives the form `{choice}`");
        let program = self.program.name().to_string();
        Error::Compile(lift_core::CompileError::Unsupported { program, message })
    }
}

impl Form {
    pub fn schedule(&self) -> Option<&'static str> {
        self.schedule.map(|s| s.name)
    }

    /// A solution of the problem as a choice.
    pub fn choice(&self, solution: &[i64]) -> Choice {
        let names = self.parameters.iter().map(|var| var.name.to_string());
        Choice {
            schedule: self.schedule.map(|s| s.name.to_string()),
            options: self.options.iter().map(|o| o.to_string()).collect(),
            point: names.zip(solution.iter().copied()).collect(),
        }
    }

    /// Choices with one value moved to the next or the one before it, and choices with two moved
    /// against each other, which keeps their product.
    pub fn neighbours(&self, choice: &Choice) -> [Vec<Choice>; 2] {
        let Some(here) = self.solution(choice) else { return [vec![], vec![]] };
        let moves: Vec<Vec<i64>> =
            self.problem.domains.iter().zip(&here).map(|(d, value)| beside(d, *value)).collect();
        let (mut ones, mut twos) = (vec![], vec![]);
        for (k, values) in moves.iter().enumerate() {
            for value in values {
                let mut one = here.clone();
                one[k] = *value;
                for (j, others) in moves.iter().enumerate().skip(k + 1) {
                    let against = others.iter().filter(|other| (**other > here[j]) != (*value > here[k]));
                    twos.extend(against.map(|other| {
                        let mut two = one.clone();
                        two[j] = *other;
                        two
                    }));
                }
                ones.push(one);
            }
        }
        let choices = |all: Vec<Vec<i64>>| {
            all.into_iter().filter(|s| self.fits(s)).map(|s| self.choice(&s)).collect::<Vec<_>>()
        };
        [choices(ones), choices(twos)]
    }

    /// The choice of this form that is most like one that may not fit: of other sizes, say.
    pub fn nearest(&self, wanted: &Choice) -> Option<Choice> {
        if let Some(solution) = self.solution(wanted).filter(|s| self.fits(s)) {
            return Some(self.choice(&solution));
        }
        let apart = |solution: &[i64]| -> f64 {
            let pairs = self.parameters.iter().zip(solution);
            let wanted = |var: &Var| wanted.value(&var.name).unwrap_or(1).max(1) as f64;
            pairs.map(|(var, value)| (wanted(var).ln() - ((*value).max(1) as f64).ln()).abs()).sum()
        };
        let all = self.problem.solutions().take(STEPS);
        all.min_by(|a, b| apart(a).total_cmp(&apart(b))).map(|s| self.choice(&s))
    }

    /// The sizes of the program and the values of a choice.
    fn at(&self, choice: &Choice) -> Sizes {
        let value = |var: &Var| self.sizes.get(var).or_else(|| choice.value(&var.name));
        Sizes(self.program.sizes().iter().filter_map(|s| Some((s.var.clone(), value(&s.var)?))).collect())
    }

    fn solution(&self, choice: &Choice) -> Option<Vec<i64>> {
        self.parameters.iter().map(|var| choice.value(&var.name)).collect()
    }

    fn fits(&self, solution: &[i64]) -> bool {
        let known = self.problem.domains.iter().zip(solution).all(|(d, value)| d.contains(*value));
        known && self.problem.constraints.iter().all(|c| c.holds(solution))
    }
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
