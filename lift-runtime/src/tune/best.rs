//! The best form that is known, built at once.

use super::bench::Bench;
use super::form::Form;
use super::forms::kernels;
use super::goal::{Bounds, Goal, kernels_in_a_run};
use super::seeds;
use super::store::Key;
use super::{Choice, Found, Front, Tuning};
use crate::cache::{self, Cache};
use crate::{Compiled, Error, threads};
use lift_core::cost;
use lift_core::kernel::Plan;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// A form of a program, built.
#[derive(Clone)]
pub struct Best {
    /// Which form it is.
    pub choice: Choice,
    /// The form, ready to run.
    pub compiled: Compiled,
    /// Why it is the program as it is written, where it is that: by the schedules that do not apply, each with
    /// its reason, or because nothing else that can be had is known to be faster.
    pub as_written: Option<String>,
}

/// Samples of each form that are looked at where nothing was measured.
const SAMPLES: usize = 6;
/// How many of them are built at most.
const ATTEMPTS: usize = 4;

impl Tuning {
    /// The best form, built: of those that were found for these sizes, else for sizes like these, else by the model:
    /// of the seeds of such devices, or of samples of every form, once the device has been measured, which takes about a second
    /// and is kept. It was checked on this machine when it was
    /// measured, or is checked now: in this process and without a limit of time, unlike the candidates of a
    /// search. So where nothing was measured for a device whose driver is not trusted, search first.
    ///
    /// # Errors
    /// A goal that no form reaches; everything that can go wrong in building and running.
    pub fn best(&self, goal: Goal) -> Result<Best, Error> {
        let bench = OnceCell::new();
        let own = self.own();
        let bounds = self.bounds(goal);
        let fitting = own.iter().filter(|found| found.bytes <= bounds.bytes);
        // From the fastest to the smallest.
        let found: Vec<Choice> = match goal {
            Goal::Moderate | Goal::Fastest | Goal::WithinBytes(_) | Goal::FewestKernels => {
                fitting.map(|found| found.choice.clone()).collect()
            }
            Goal::WithinTime(most) => {
                fitting.rev().filter(|found| found.time <= most).map(|found| found.choice.clone()).collect()
            }
        };
        let mut reason = None;
        let mut attempt = |choice: &Choice| match self.sound(choice, bounds, &bench) {
            Ok(compiled) => Some(self.told(choice, compiled)),
            Err(error) => {
                log::warn!("`{choice}`: {error}");
                reason = Some(error);
                None
            }
        };
        if let Some(best) = found.iter().find_map(&mut attempt) {
            return Ok(best);
        }
        if let (Goal::WithinTime(most), Some(fastest)) = (goal, own.best())
            && fastest.time > most
        {
            let (program, device) = (self.program.name().to_string(), self.device.to_string());
            let reason = format!("the fastest that was found takes {:?}", fastest.time);
            return Err(Error::NoCandidate { program, device, reason });
        }
        let like: Vec<Choice> =
            self.like_these(f64::INFINITY).into_iter().take(1).map(|f| f.choice).collect();
        let chosen = self.chosen_as(&bounds.to_string());
        let mut best = like.iter().find_map(&mut attempt);
        best = best.or_else(|| chosen.and_then(|choice| attempt(&choice)));
        // To make kernels of samples of every form takes long: where seeds will do, they do.
        let calibrated = OnceCell::new();
        for choices in [Tuning::seeds_or_plain, Tuning::samples_by_model] {
            best = best.or_else(|| {
                let this: &Tuning = calibrated.get_or_init(|| self.calibrated());
                let best = this.likeliest(&choices(this, bounds), bounds, &bench, &mut attempt)?;
                self.remember_as(&bounds.to_string(), &best.choice);
                Some(best)
            });
        }
        let best = best.or_else(|| attempt(&self.plain()?));
        let (program, device) = (self.program.name().to_string(), self.device.to_string());
        best.ok_or_else(|| {
            let no_form = || Error::NoCandidate {
                program,
                device,
                reason: "no kernels can be generated for any of them".into(),
            };
            reason.unwrap_or_else(no_form)
        })
    }

    /// The fastest of the forms that the model puts first; if none of those is right, the next that is.
    fn likeliest(
        &self,
        likely: &[(f64, Choice)],
        bounds: Bounds,
        bench: &OnceCell<Bench>,
        attempt: &mut dyn FnMut(&Choice) -> Option<Best>,
    ) -> Option<Best> {
        let mut tried = vec![];
        let mut failed = |choice: &Choice, error: Error| {
            log::warn!("`{choice}`: {error}");
            tried.push(choice.clone());
        };
        if let Some((choice, compiled)) = self.fastest_of(likely, bounds, bench, &mut failed) {
            return Some(self.told(&choice, compiled));
        }
        // The first says once more why not, for whom nothing else works.
        let others = likely.iter().filter(|(_, choice)| !tried[1.min(tried.len())..].contains(choice));
        others.take(ATTEMPTS).find_map(|(_, choice)| attempt(choice))
    }

    /// A form, with why it is no better one than the program as it is written.
    fn told(&self, choice: &Choice, compiled: Compiled) -> Best {
        let as_written = choice.is_plain().then(|| self.why_as_written());
        if let Some(why) = &as_written {
            log::info!("`{}` runs as it is written on {}: {why}", self.program.name(), self.device);
        }
        Best { choice: choice.clone(), compiled, as_written }
    }

    fn why_as_written(&self) -> String {
        if self.forms.scope() == "-" {
            return "no other form is asked for".into();
        }
        let refused = self.forms.not_applicable(&HashSet::new());
        let why = match (refused.len() < self.forms.schedules(), self.own().is_empty()) {
            (false, _) => "no schedule applies",
            (true, false) => "nothing else that was measured is faster",
            (true, true) => "the model of costs expects nothing else that runs to be faster",
        };
        let reasons = refused.iter().map(|r| format!("`{}` does not apply: {}", r.schedule, r.reason));
        match reasons.collect::<Vec<_>>().join("; ") {
            none if none.is_empty() => why.to_string(),
            reasons => format!("{why} ({reasons})"),
        }
    }

    /// What was found for these sizes, of the forms that are asked for.
    pub(super) fn own(&self) -> Front {
        self.front().iter().filter(|found| self.forms.admit(&found.choice)).cloned().collect()
    }

    /// What is known of these sizes, or else of sizes like these and of devices like this, the best first.
    pub(super) fn known(&self) -> Vec<Choice> {
        // Those that another version of this library knew are tried, too: what can't be built is forgotten.
        let own: Vec<Choice> = self.own().iter().map(|found| found.choice.clone()).collect();
        let in_parts = self.of_parts(Bounds::NONE).into_iter().map(|(_, choice)| choice);
        let in_parts = in_parts.filter(|choice| !own.contains(choice));
        if own.iter().any(|choice| self.forms.have(choice)) {
            return in_parts.chain(own.iter().cloned()).collect();
        }
        let like = self.like_these(f64::INFINITY).into_iter().map(|found| found.choice);
        // A search may have no time for all of the seeds; and the fastest may take more memory than will be allowed.
        let seeds = seeds::seeds(&self.forms);
        let lean = self.leaner(&seeds, self.bounds(Goal::Moderate));
        let seeds = in_order(self.predicted(seeds.into_iter().chain(lean), Bounds::NONE));
        let seeds = seeds.into_iter().map(|(_, choice)| choice);
        in_parts.chain(own.iter().cloned()).chain(like).chain(seeds).collect()
    }

    /// What was found for the sizes nearest to these, put right for these, if they are no further apart: sizes are apart by the
    /// logarithms of their ratios.
    pub(super) fn like_these(&self, at_most: f64) -> Vec<Found> {
        let table = self.table();
        let Key { program, device, version, .. } = &self.key;
        let others = table.fronts.iter().filter(|(key, _)| {
            key.program == *program && key.device == *device && key.version == *version && **key != self.key
        });
        let near = others.filter_map(|(key, front)| Some((apart(&key.sizes, &self.key.sizes)?, front)));
        let nearest = near.filter(|(apart, _)| *apart <= at_most).min_by(|a, b| a.0.total_cmp(&b.0));
        let fitted = |found: &Found| {
            let choice = self.forms.of(&found.choice)?.nearest(&found.choice)?;
            Some(Found { choice, ..found.clone() })
        };
        nearest.map(|(_, front)| front.iter().filter_map(fitted).collect()).unwrap_or_default()
    }

    /// What was chosen another time where nothing was measured: kernels are made of many before the model can tell.
    pub(super) fn chosen_as(&self, purpose: &str) -> Option<Choice> {
        String::from_utf8(self.marks().read(&self.name_of_choice(purpose))?).ok()?.parse().ok()
    }

    /// Remembers what was chosen for a purpose.
    pub(super) fn remember_as(&self, purpose: &str, choice: &Choice) {
        self.marks().write(&self.name_of_choice(purpose), choice.to_string().as_bytes());
    }

    fn name_of_choice(&self, purpose: &str) -> String {
        let Key { program, sizes, device, version } = &self.key;
        let (forms, lift) = (self.forms.scope(), env!("CARGO_PKG_VERSION"));
        let seeds = seeds::text(self.device.target().family);
        cache::key(&["chosen", program, sizes, device, version, purpose, forms, lift, &seeds])
    }

    /// The forms that the model expects to be best, with their seconds by the model, the fastest first.
    pub(super) fn by_model(&self, bounds: Bounds) -> Vec<(f64, Choice)> {
        let seeds = self.seeds_or_plain(bounds);
        if seeds.is_empty() { self.samples_by_model(bounds) } else { seeds }
    }

    /// The seeds of the device and what is put together of forms of the program's parts, the fastest by the model first,
    /// and the program as it is among them; nothing if none of them will do.
    fn seeds_or_plain(&self, bounds: Bounds) -> Vec<(f64, Choice)> {
        let seeds = seeds::seeds(&self.forms);
        let lean = self.leaner(&seeds, bounds);
        let known = seeds.into_iter().chain(lean).chain(self.of_parts(bounds));
        let mut all = self.predicted(known, bounds);
        if !all.is_empty() {
            all.extend(self.predicted(self.plain().map(|choice| (1.0, choice)), bounds));
        }
        in_order(all)
    }

    /// Some of each form, the fastest by the model first.
    pub(super) fn samples_by_model(&self, bounds: Bounds) -> Vec<(f64, Choice)> {
        let some = |form: Arc<Form>| {
            let some = form.problem().sample(0).take(SAMPLES);
            some.map(|solution| (1.0, form.choice(&solution))).collect::<Vec<_>>()
        };
        // To derive a form takes long.
        let numbers = self.forms.by_schedule().concat();
        let samples = threads::map(numbers, |n| self.forms.get(n).map(some).unwrap_or_default()).concat();
        in_order(self.predicted(samples, bounds))
    }

    /// The program as it is.
    pub(super) fn plain(&self) -> Option<Choice> {
        self.forms.plain()?.nearest(&Choice::default())
    }

    /// The choices that have kernels within these bounds, each with its seconds by the model, corrected by
    /// the factor that comes with it.
    pub(super) fn predicted(
        &self,
        choices: impl IntoIterator<Item = (f64, Choice)>,
        bounds: Bounds,
    ) -> Vec<(f64, Choice)> {
        let seconds = |(times, choice): (f64, Choice)| {
            let plan = self.forms.plan(&choice).ok().filter(|plan| bounds.admit(plan))?;
            Some((cost::corrected(&plan, self.forms.target(), times), choice))
        };
        threads::map(choices.into_iter().collect(), seconds).into_iter().flatten().collect()
    }

    /// Does a plan keep to these bounds?
    fn admitted(&self, plan: &Plan, bounds: Bounds) -> Result<(), Error> {
        if !bounds.has_room_for(plan) {
            return Err(Error::OutOfMemory {
                what: format!("`{}`", plan.name),
                bytes: plan.memory().bytes() as u128,
                available: Some(bounds.bytes as u128),
            });
        }
        let kernels = kernels_in_a_run(plan);
        if kernels > bounds.kernels {
            let (program, device) = (self.program.name().to_string(), self.device.to_string());
            let reason =
                format!("each run starts {kernels} kernels, and no more than {} are wanted", bounds.kernels);
            return Err(Error::NoCandidate { program, device, reason });
        }
        Ok(())
    }

    /// A choice, built, and checked if that was not done on this machine before.
    fn sound(&self, choice: &Choice, bounds: Bounds, bench: &OnceCell<Bench>) -> Result<Compiled, Error> {
        let plan = self.forms.plan(choice)?;
        self.admitted(&plan, bounds)?;
        // Two compilers at work, where there is no bench yet and one is wanted.
        let known = bench.get().is_some() || self.marks().read(&self.name_of_mark(&plan)).is_some();
        let (compiled, new) = threads::both(
            || self.forms.load(&self.device, Arc::unwrap_or_clone(plan)),
            || (!known).then(|| self.new_bench()),
        );
        if let Some(new) = new.transpose()? {
            bench.get_or_init(|| new);
        }
        self.right(choice, compiled?, bench)
    }

    /// What checks and times forms of this program.
    pub(super) fn new_bench(&self) -> Result<Bench, Error> {
        Bench::new(&self.program, self.sizes(), &self.device, 0)
    }

    /// The same, made when it is first wanted.
    pub(super) fn bench<'a>(&self, bench: &'a OnceCell<Bench>) -> Result<&'a Bench, Error> {
        match bench.get() {
            Some(bench) => Ok(bench),
            None => {
                let new = self.new_bench()?;
                Ok(bench.get_or_init(|| new))
            }
        }
    }

    /// A form that was built, if its results are right; they are computed if that was not done on this machine before.
    pub(super) fn right(
        &self,
        choice: &Choice,
        compiled: Compiled,
        bench: &OnceCell<Bench>,
    ) -> Result<Compiled, Error> {
        let (cache, mark) = (self.marks(), self.name_of_mark(compiled.plan()));
        if cache.read(&mark).is_some() {
            return Ok(compiled);
        }
        match self.bench(bench)?.checked(&compiled)? {
            Ok(_) => {
                cache.write(&mark, b"");
                Ok(compiled)
            }
            Err(reason) => {
                self.disown(choice, &reason);
                let (program, device) = (self.program.name().to_string(), self.device.to_string());
                Err(Error::NoCandidate { program, device, reason })
            }
        }
    }

    /// Forgets a choice that is not right.
    pub(super) fn disown(&self, choice: &Choice, why: &str) {
        if self.front().iter().any(|found| found.choice == *choice)
            && let Some(Err(error)) = self.store.as_ref().map(|store| store.remove(&self.key, choice))
        {
            log::warn!("{error}");
        }
        if let Ok(plan) = self.forms.plan(choice) {
            let (cache, mark) = (self.marks(), self.name_of_mark(&plan));
            if cache.read(&mark).is_some() {
                cache.remove(&mark, why);
            }
        }
    }

    /// Makes a choice the best that is known: it takes this many times as long as another one, and took this time just now. What counts
    /// is the former, where there is a time of the other.
    pub(crate) fn prefer(
        &self,
        choice: &Choice,
        times: f64,
        other: &Choice,
        time: Duration,
    ) -> Result<(), Error> {
        let Some(store) = &self.store else { return Ok(()) };
        let of_other = self.own().iter().find(|found| found.choice == *other).map(|found| found.time);
        let time = of_other.map_or(time, |other| other.mul_f64(times));
        let bytes = self.plan(choice)?.memory().bytes();
        store.merge(&self.key, &[Found { choice: choice.clone(), time, bytes }].into_iter().collect())
    }

    /// Notes that these were checked on this machine.
    pub(super) fn mark<'a>(&self, all: impl IntoIterator<Item = &'a Found>) {
        let cache = self.marks();
        for found in all {
            if let Ok(plan) = self.forms.plan(&found.choice) {
                cache.write(&self.name_of_mark(&plan), b"");
            }
        }
    }

    fn marks(&self) -> Cache {
        let settings = self.device.settings();
        Cache::new(settings.cache.as_ref().map(|folder| folder.join("checked")), settings.cache_limit)
    }

    /// Made of what runs, and where: kernels that are generated otherwise are checked again.
    fn name_of_mark(&self, plan: &Plan) -> String {
        let Key { program, device, version, .. } = &self.key;
        cache::key(&["checked", program, device, version, &kernels(plan)])
    }
}

/// By their seconds, each once.
pub(super) fn in_order(mut choices: Vec<(f64, Choice)>) -> Vec<(f64, Choice)> {
    choices.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut all: Vec<(f64, Choice)> = vec![];
    for (seconds, choice) in choices {
        if all.iter().all(|(_, other)| *other != choice) {
            all.push((seconds, choice));
        }
    }
    all
}

/// How far sizes are apart: by their ratios. `None` if they are of other names.
fn apart(a: &str, b: &str) -> Option<f64> {
    let (a, b): (Vec<_>, Vec<_>) = (a.split(' ').collect(), b.split(' ').collect());
    if a.len() != b.len() {
        return None;
    }
    a.iter().zip(&b).try_fold(0.0, |sum, (a, b)| {
        let ((name, a), (other, b)) = (a.split_once('=')?, b.split_once('=')?);
        let (a, b): (f64, f64) = (a.parse().ok()?, b.parse().ok()?);
        // A size may be 0, which is as far from 1 as 1 is from 2.
        (name == other).then(|| sum + (a.max(0.5).ln() - b.max(0.5).ln()).abs())
    })
}
