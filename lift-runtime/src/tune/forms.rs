//! The forms of a program at its sizes: the program as it is, what schedules derive from it, and, where it has several
//! parts, all that is put together of forms of these.

use super::Choice;
use super::form::Form;
use super::message::Task;
use crate::threads::lock;
use crate::{Compiled, Device, Error, Signature, cache};
use lift_core::kernel::{Plan, Role, Rows};
use lift_core::nat::Var;
use lift_core::parts::{Part, PartForm, Parts};
use lift_core::schedules::{self, Candidate, NotApplicable, Ordered, SCHEDULES, Schedule};
use lift_core::target::Target;
use lift_core::{Program, Sizes};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

/// A program at fixed sizes, and its forms, each derived when it is first asked for.
pub struct Forms {
    /// The program and its sizes as they were given.
    given: (Program, Sizes),
    /// The same with what is 1 in it: see [`with_ones`].
    program: Program,
    sizes: Sizes,
    /// The device that they are for.
    target: Target,
    /// All forms by schedule and options; first the program as it is.
    all: Vec<Slot>,
    /// What schedules derive, which does not depend on the sizes.
    derived: Arc<Derivations>,
    /// The kernels of forms that were asked for last: the same are asked for again and again, for their cost, their memory and to be
    /// built, and to generate them takes some hundredths of a second.
    plans: Arc<Mutex<HashMap<Choice, Arc<Plan>>>>,
    /// The parts of the program and their forms, where it has several.
    parts: OnceLock<Option<(Parts, Vec<Arc<Forms>>)>>,
    /// If these are not all: of which schedule they are, or the program as it is.
    only: Option<Option<String>>,
}

/// What schedules derive from a program, by schedule and options: the same at all sizes.
#[derive(Default)]
pub struct Derivations {
    ordered: OnceLock<Ordered>,
    all: Mutex<HashMap<(&'static str, Vec<&'static str>), Derived>>,
}

/// A program that a schedule derived, or why it does not apply.
type Derived = Arc<OnceLock<Result<Candidate, String>>>;

impl Derivations {
    fn of(&self, schedule: &'static Schedule, options: &[&'static str], program: &Program) -> Derived {
        let derived = lock(&self.all).entry((schedule.name, options.to_vec())).or_default().clone();
        let ordered = || self.ordered.get_or_init(|| Ordered::of(program));
        derived.get_or_init(|| schedule.derive_from(ordered(), options).map_err(|refusal| refusal.reason));
        derived
    }
}

#[derive(Clone)]
struct Slot {
    schedule: Option<&'static Schedule>,
    options: Vec<&'static str>,
    /// The form, or why the schedule does not apply.
    form: OnceLock<Result<Arc<Form>, String>>,
}

impl Slot {
    fn is_of(&self, choice: &Choice) -> bool {
        choice.parts.is_empty()
            && !choice.inline
            && self.schedule.map(|s| s.name) == choice.schedule.as_deref()
            && self.options.iter().eq(choice.options.iter())
    }
}

/// The option of schedules with which numbers need not divide sizes.
pub const RAGGED: &str = "ragged";

/// Options of schedules to copy something before it is computed with. Whether that pays depends on the sizes, but for weights that
/// stay the same: these are copied once.
const COPIES: [&str; 2] = [PACKED, "padded"];
pub const PACKED: &str = "packed";

/// So many plans are remembered: more than `best` looks at, and few beside what a search compares.
const REMEMBERED: usize = 200;

/// A short name for all that a plan does.
pub fn kernels(plan: &Plan) -> String {
    cache::key(&[&plan.opencl(), &format!("{:?}", plan.launches)])
}

/// A program without the sizes that are 1: a window of one element moves nothing, and where it does not, rows follow rows.
fn with_ones(program: &Program, sizes: &Sizes) -> Program {
    let ones = sizes.0.iter().filter(|(_, value)| *value == 1);
    let own = ones.filter(|(var, _)| program.sizes().iter().any(|s| s.var == *var && s.tune.is_none()));
    own.fold(program.clone(), |program, (var, _)| program.fixed(&var.name, 1).unwrap_or(program))
}

impl Forms {
    /// Of a program whose sizes are solved, for a device; `tune` parameters may be among the sizes or not.
    pub fn new(program: &Program, sizes: &Sizes, target: &Target) -> Forms {
        Forms::with(program, sizes, target, Arc::default())
    }

    /// The forms of the same program at other sizes: what schedules derive is derived once, unless other sizes are 1.
    pub fn resized(&self, sizes: &Sizes) -> Forms {
        let given = &self.given.0;
        if with_ones(given, sizes) != self.program {
            return Forms::new(given, sizes, &self.target);
        }
        let new = Forms::with(given, sizes, &self.target, self.derived.clone());
        if let Some((parts, forms)) = self.parts() {
            let resized = |(part, forms): (&Part, &Arc<Forms>)| Arc::new(forms.resized(&part.sizes(sizes)));
            let forms = parts.iter().zip(forms).map(resized).collect();
            new.parts.get_or_init(|| Some((parts.clone(), forms)));
        } else {
            new.parts.get_or_init(|| None);
        }
        match &self.only {
            Some(only) => new.only(only.as_deref()),
            None => new,
        }
    }

    fn with(program: &Program, sizes: &Sizes, target: &Target, derived: Arc<Derivations>) -> Forms {
        let slot = |schedule, options| Slot { schedule, options, form: OnceLock::new() };
        let mut all = vec![slot(None, vec![])];
        for schedule in SCHEDULES {
            let selections = schedule.options.iter().fold(vec![vec![]], |some: Vec<Vec<_>>, (name, _)| {
                let with: Vec<_> = some.iter().map(|s| [&s[..], &[*name]].concat()).collect();
                some.into_iter().chain(with).collect()
            });
            all.extend(selections.into_iter().map(|options| slot(Some(*schedule), options)));
        }
        let given = (program.clone(), sizes.clone());
        let program = with_ones(program, sizes);
        let left = |(var, _): &&(Var, i64)| program.sizes().iter().any(|size| size.var == *var);
        let sizes = Sizes(sizes.0.iter().filter(left).cloned().collect());
        let (target, plans, parts) = (target.clone(), Arc::default(), OnceLock::new());
        Forms { given, program, sizes, target, all, derived, plans, parts, only: None }
    }

    /// What the program reduces and what it reads for that, if it is one nest around one reduction: see [`Ordered::reduced`].
    pub fn reduced(&self) -> Option<String> {
        match self.parts() {
            None => self.derived.ordered.get_or_init(|| Ordered::of(&self.program)).reduced(),
            Some(_) => None,
        }
    }

    /// The forms of one schedule; without a name the program as it is.
    pub fn only(&self, schedule: Option<&str>) -> Forms {
        let own = self.all.iter().filter(|slot| slot.schedule.map(|s| s.name) == schedule);
        Forms {
            given: self.given.clone(),
            program: self.program.clone(),
            sizes: self.sizes.clone(),
            target: self.target.clone(),
            all: own.cloned().collect(),
            derived: self.derived.clone(),
            plans: self.plans.clone(),
            parts: OnceLock::from(None),
            only: Some(schedule.map(String::from)),
        }
    }

    /// The same for a device that other times are expected of, and that differs in nothing else.
    pub fn on(&self, target: &Target) -> Forms {
        let parts = match &self.only {
            None => OnceLock::new(),
            Some(_) => OnceLock::from(None),
        };
        Forms {
            given: self.given.clone(),
            program: self.program.clone(),
            sizes: self.sizes.clone(),
            target: target.clone(),
            all: self.all.clone(),
            derived: self.derived.clone(),
            plans: self.plans.clone(),
            parts,
            only: self.only.clone(),
        }
    }

    /// Would a choice be among them, if there were such a form?
    pub fn admit(&self, choice: &Choice) -> bool {
        self.only.as_ref().is_none_or(|schedule| choice.parts.is_empty() && *schedule == choice.schedule)
    }

    /// The parts of the program, where it has several, and their forms.
    pub fn parts(&self) -> Option<(&Parts, &[Arc<Forms>])> {
        let cut = || {
            let parts = Parts::of(&self.program);
            let forms =
                |part: &Part| Arc::new(Forms::new(&part.program, &part.sizes(&self.sizes), &self.target));
            let forms = parts.iter().map(forms).collect();
            (!parts.is_one()).then_some((parts, forms))
        };
        self.parts.get_or_init(cut).as_ref().map(|(parts, forms)| (parts, &forms[..]))
    }

    /// The program of a choice, and all sizes in its `<…>`; `None` if it is none of these forms.
    fn derive(&self, choice: &Choice) -> Option<(Program, Sizes)> {
        if choice.parts.is_empty() {
            return self.of(choice)?.program(choice);
        }
        let (parts, forms) = self.parts().filter(|(_, forms)| forms.len() == choice.parts.len())?;
        let derived = parts.iter().zip(forms).zip(&choice.parts).map(|((part, forms), choice)| {
            if choice.inline {
                return part.may_be_inline().then_some(PartForm::Inline);
            }
            let (program, sizes) = forms.derive(choice)?;
            Some(PartForm::Kept(program, sizes))
        });
        Some((parts.joined(&derived.collect::<Option<Vec<_>>>()?), self.sizes.clone()))
    }

    /// What im2col would write out of the program: see [`schedules::written_out`].
    pub fn written_out(&self) -> Option<usize> {
        let sizes = lift_core::tune::choose::tuned(&self.program, &self.sizes).ok()?;
        schedules::written_out(&self.program, &sizes)
    }

    /// Are there weights that stay the same from call to call, so that they are copied once?
    pub fn have_weights(&self) -> bool {
        self.program.function.params.iter().any(|param| param.constant && param.ty.shape().0.len() > 1)
    }

    /// How many schedules there are forms of, if they apply.
    pub fn schedules(&self) -> usize {
        self.by_schedule().iter().filter(|numbers| self.all[numbers[0]].schedule.is_some()).count()
    }

    /// A name for this selection of forms.
    pub fn scope(&self) -> &str {
        match &self.only {
            None => "all",
            Some(schedule) => schedule.as_deref().unwrap_or("-"),
        }
    }

    /// The sizes that candidates are built for.
    pub fn sizes(&self) -> &Sizes {
        &self.given.1
    }

    /// The device that candidates are built for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The numbers of all forms, grouped by schedule.
    pub fn by_schedule(&self) -> Vec<Vec<usize>> {
        let numbers: Vec<usize> = (0..self.all.len()).collect();
        let name = |number: usize| self.all[number].schedule.map(|s| s.name);
        numbers.chunk_by(|a, b| name(*a) == name(*b)).map(<[usize]>::to_vec).collect()
    }

    /// One by its number, if it applies.
    pub fn get(&self, number: usize) -> Option<Arc<Form>> {
        self.all.get(number).and_then(|slot| self.form(slot))
    }

    /// The program as it is.
    pub fn plain(&self) -> Option<Arc<Form>> {
        self.of(&Choice::default())
    }

    /// The forms of the same schedule with one option more or one less.
    pub fn beside(&self, choice: &Choice) -> Vec<Arc<Form>> {
        let near = |slot: &&Slot| {
            let more = slot.options.iter().filter(|o| !choice.options.iter().any(|c| c == *o)).count();
            let same = slot.options.len() - more;
            slot.schedule.map(|s| s.name) == choice.schedule.as_deref()
                && more + choice.options.len() - same == 1
        };
        self.all.iter().filter(near).filter_map(|slot| self.form(slot)).collect()
    }

    /// The form that a choice is of, if it applies.
    pub fn of(&self, choice: &Choice) -> Option<Arc<Form>> {
        self.all.iter().find(|slot| slot.is_of(choice)).and_then(|slot| self.form(slot))
    }

    fn form(&self, slot: &Slot) -> Option<Arc<Form>> {
        self.derived(slot).as_ref().ok().cloned()
    }

    fn derived<'a>(&self, slot: &'a Slot) -> &'a Result<Arc<Form>, String> {
        let (sizes, limits) = (&self.sizes, self.target.limits);
        let form = || match slot.schedule {
            None => Form::as_it_is(&self.program, sizes, limits),
            Some(schedule) => match self.derived.of(schedule, &slot.options, &self.program).get() {
                Some(Ok(candidate)) => Form::new(schedule, candidate, sizes, limits),
                Some(Err(reason)) => Err(reason.clone()),
                None => Err("it was not derived".into()),
            },
        };
        slot.form.get_or_init(|| form().map(Arc::new))
    }

    /// The schedules without a form that could be tried, each with what it says without options. `empty` are the numbers
    /// of forms whose parameters have no values that fit.
    pub fn not_applicable(&self, empty: &HashSet<usize>) -> Vec<NotApplicable> {
        let reason = |number: usize| match self.derived(&self.all[number]) {
            Err(reason) => Some(reason.clone()),
            Ok(_) if empty.contains(&number) => {
                Some("no values of its parameters fit these sizes on this device".into())
            }
            Ok(_) => None,
        };
        let of_schedule = |numbers: Vec<usize>| {
            let [plain, others @ ..] = &numbers[..] else { return None };
            let (schedule, reason_of_plain) = (self.all[*plain].schedule?.name, reason(*plain)?);
            let none = others.iter().all(|number| reason(*number).is_some());
            let program = self.program.name().to_string();
            none.then_some(NotApplicable { schedule, program, reason: reason_of_plain })
        };
        self.by_schedule().into_iter().filter_map(of_schedule).collect()
    }

    /// The choices that are most like one that may be of another program and other sizes: with as many of its options as
    /// apply to this program, in all ways, and with numbers near to its own. Where only other numbers divide the sizes, also
    /// what takes rests, with numbers that are nearer. Each is also tried without each copy that it makes.
    pub fn like(&self, choice: &Choice) -> Vec<Choice> {
        self.like_with(choice, None)
    }

    /// The same, none of them without this copy.
    pub fn like_with(&self, choice: &Choice, copy: Option<&str>) -> Vec<Choice> {
        // Where the schedule does not apply, neither does it with options.
        let plain = Choice { options: vec![], ..choice.clone() };
        if self.of(&plain).is_none() {
            return vec![];
        }
        let all = choice.options.len();
        let without = |left_out: usize| {
            let options = choice.options.iter().enumerate().filter(move |(k, _)| left_out >> k & 1 == 0);
            Choice { options: options.map(|(_, option)| option.clone()).collect(), ..choice.clone() }
        };
        let fitted = |left_out: usize| self.of(&without(left_out))?.nearest(choice);
        let by_number =
            |n: usize| (0..1 << all).filter(move |left_out: &usize| left_out.count_ones() as usize == n);
        let found = (0..=all).map(|n| by_number(n).filter_map(fitted).collect::<Vec<_>>());
        let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        let nearer = |fitted: &Choice| {
            let apart = fitted.doublings_from(choice);
            let ragged = (apart > 0.0).then(|| self.ragged(fitted)).flatten()?.nearest(choice)?;
            (ragged.doublings_from(choice) < apart).then_some(ragged)
        };
        let nearer: Vec<Choice> = found.iter().filter_map(nearer).collect();
        let all: Vec<Choice> = found.into_iter().chain(nearer).collect();
        let in_place = |fitted: &Choice| {
            let may_go = COPIES.iter().filter(|other| copy != Some(**other));
            let copies = may_go.filter(|copy| fitted.options.iter().any(|option| option == *copy));
            let without = copies.map(|copy| Choice {
                options: fitted.options.iter().filter(|option| option != copy).cloned().collect(),
                ..choice.clone()
            });
            without.filter_map(|bare| self.of(&bare)?.nearest(choice)).collect::<Vec<_>>()
        };
        let in_place: Vec<Choice> = all.iter().flat_map(in_place).collect();
        all.into_iter().chain(in_place).collect()
    }

    /// The form of a choice's schedule with its options and [`RAGGED`], if that is one more.
    fn ragged(&self, choice: &Choice) -> Option<Arc<Form>> {
        let one_more = self.all.iter().find(|slot| {
            slot.schedule.map(|s| s.name) == choice.schedule.as_deref()
                && slot.options.len() == choice.options.len() + 1
                && slot.options.contains(&RAGGED)
                && choice.options.iter().all(|option| slot.options.contains(&option.as_str()))
        });
        one_more.and_then(|slot| self.form(slot))
    }

    /// Is a choice one of these forms, at these sizes?
    pub fn have(&self, choice: &Choice) -> bool {
        self.derive(choice).is_some()
    }

    /// The kernels of a choice.
    ///
    /// # Errors
    /// A schedule that is not there or does not apply, values that don't fit.
    pub fn plan(&self, choice: &Choice) -> Result<Arc<Plan>, Error> {
        if let Some(plan) = lock(&self.plans).get(choice) {
            return Ok(plan.clone());
        }
        let plan = Arc::new(self.plan_in_rows(choice, &BTreeMap::new())?);
        let mut plans = lock(&self.plans);
        if plans.len() >= REMEMBERED {
            plans.clear();
        }
        plans.insert(choice.clone(), plan.clone());
        Ok(plan)
    }

    /// The same for arguments and results of which some lie in rows that are apart.
    ///
    /// # Errors
    /// As [`Forms::plan`].
    pub fn plan_in_rows(&self, choice: &Choice, rows: &BTreeMap<Role, Rows>) -> Result<Plan, Error> {
        let (program, sizes) = self.derive(choice).ok_or_else(|| self.no_form(choice))?;
        let mut plan = lift_core::compile_in_rows(&program, &sizes, &self.target, rows)?;
        let others = plan.sizes.into_iter().filter(|(var, _)| self.given.1.get(var).is_none());
        plan.sizes = self.given.1.0.iter().cloned().chain(others).collect();
        Ok(plan)
    }

    /// A choice as a task for a worker.
    ///
    /// # Errors
    /// A schedule that is not there or does not apply, values that don't fit.
    pub fn task(&self, choice: &Choice) -> Result<Task, Error> {
        let (program, sizes) = self.derive(choice).ok_or_else(|| self.no_form(choice))?;
        Task::prepare(choice, &program, &sizes)
    }

    /// A choice, built for a device.
    ///
    /// # Errors
    /// The errors of [`Forms::plan`] and of building.
    pub fn build(&self, device: &Device, choice: &Choice) -> Result<Compiled, Error> {
        self.load(device, Arc::unwrap_or_clone(self.plan(choice)?))
    }

    /// The kernels of a choice, built for a device.
    ///
    /// # Errors
    /// The errors of building.
    pub fn load(&self, device: &Device, plan: Plan) -> Result<Compiled, Error> {
        // Forms have the same parameters and results.
        let signature = Signature::new(&self.given.0, &Sizes(plan.sizes.clone()))?;
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers.
        unsafe { device.load(plan, signature) }
    }

    fn no_form(&self, choice: &Choice) -> Error {
        if !choice.parts.is_empty() {
            return self.no_form_in_parts(choice);
        }
        let slot = self.all.iter().find(|slot| slot.is_of(choice));
        let why = match slot.map(|slot| self.derived(slot)) {
            None if choice.inline => "it is no part of another program".into(),
            None => "there is no schedule of this name with these options".into(),
            Some(Err(reason)) => reason.clone(),
            Some(Ok(form)) => form.unfit(choice),
        };
        self.refusal(choice, &why)
    }

    fn no_form_in_parts(&self, choice: &Choice) -> Error {
        let Some((parts, forms)) = self.parts() else { return self.refusal(choice, "it has one part") };
        for ((number, part), (forms, of_part)) in (1..).zip(parts.iter()).zip(forms.iter().zip(&choice.parts))
        {
            if of_part.inline && !part.may_be_inline() {
                return self.refusal(
                    choice,
                    &format!("part {number} is no function of elements that a part behind it reads"),
                );
            } else if !of_part.inline && !forms.have(of_part) {
                return forms.no_form(of_part);
            }
        }
        self.refusal(choice, &format!("it has {} parts", forms.len()))
    }

    fn refusal(&self, choice: &Choice, why: &str) -> Error {
        let message = format!("it has no form `{choice}`: {why}");
        let program = self.program.name().to_string();
        Error::Compile(lift_core::CompileError::Unsupported { program, message })
    }
}
