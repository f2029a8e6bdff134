//! Chooses which candidate is next.
//!
//! Forms are sampled in turn, each sample a solution of its form's constraints, and the model
//! ([`lift_core::cost`]) orders the samples. What was measured corrects the model, form by form: the
//! model need only know which of two candidates of a form is better, measurements tell forms apart.
//! Two candidates of three are neighbours of one of the best so far, the best by the model first: mostly
//! of the best, but also of the best of other forms and places, since the best so far need not lie near the
//! best of all. Of the others half are the model's choice, after steps in the model alone to where it finds
//! nothing better; half, one candidate of six, are of forms that were tried less than others, since the
//! model is not always right about these. Before anything is known a few forms are tried.

use super::form::Form;
use super::forms::{Forms, kernels};
use super::{Cause, Choice, Failures, Found};
use crate::threads;
use fastrand::Rng;
use lift_core::constraints::Code;
use lift_core::cost;
use lift_core::schedules::NotApplicable;
use lift_core::solve::Sample;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A search for fast forms of a program: asked for the next candidate, told how it did.
pub struct Search {
    forms: Arc<Forms>,
    random: Rng,
    seed: u64,
    /// The numbers of the forms that have samples left, grouped by schedule.
    open: Vec<Vec<usize>>,
    /// The forms that samples were drawn from, with the rest of their samples.
    samples: HashMap<usize, (Arc<Form>, Sample)>,
    turn: usize,
    /// Choices to be tried before anything else, the last one first.
    first: Vec<Choice>,
    /// The kernels of every choice that was looked at, if it has any: options and numbers may make no
    /// difference.
    looked: HashMap<Choice, Option<String>>,
    /// Candidates that were not given out yet, by their kernels, with the model's seconds.
    pool: BTreeMap<String, (f64, Choice)>,
    /// The kernels of all candidates that were given out.
    given: HashSet<String>,
    /// The model's seconds of the candidates that were given out.
    predicted: HashMap<Choice, f64>,
    /// The measured candidates, the fastest first.
    measured: Vec<Found>,
    /// Candidates that can't be measured, or not any more.
    failed: Vec<Choice>,
    /// The neighbours of the best candidates, as far as they were asked for; they never change.
    around: HashMap<Choice, [Vec<Choice>; 2]>,
    /// Candidates that the generator refused: constraints should have excluded them.
    refused: Failures,
    /// Forms whose parameters have no values that fit.
    empty: HashSet<usize>,
}

/// New samples that are looked at for each candidate.
const FRESH: usize = 3;
/// New samples that are looked at for the first candidate that is not known.
const FIRST: usize = 30;

/// Samples drawn for each that is wanted, while they give no new candidates: numbers may make no difference.
const DRAWN: usize = 20;

/// Neighbours of one candidate that are looked at.
const NEIGHBOURS: usize = 6;

/// How many of the best candidates are worth looking around.
const ELITE: usize = 4;

/// A candidate that takes this many times as long as the best is far from it.
const FAR: f64 = 4.0;

/// Steps of the local search that are taken in the model alone.
const STEPS: usize = 3;

impl Search {
    /// The candidates of a program. The same seed and the same measurements give the same order. Candidates
    /// that are known to be good come first, and then the program as it is.
    pub(super) fn new(forms: Arc<Forms>, seed: u64, known: &[Choice]) -> Search {
        let plain = forms.plain().and_then(|form| form.nearest(&Choice::default()));
        Search {
            open: forms.by_schedule(),
            samples: HashMap::new(),
            first: plain.into_iter().chain(known.iter().rev().cloned()).collect(),
            forms,
            random: Rng::with_seed(seed),
            seed,
            turn: 0,
            looked: HashMap::new(),
            pool: BTreeMap::new(),
            given: HashSet::new(),
            predicted: HashMap::new(),
            measured: vec![],
            failed: vec![],
            around: HashMap::new(),
            refused: Failures::default(),
            empty: HashSet::new(),
        }
    }

    /// The next candidate; `None` when all have been given out.
    pub fn next_candidate(&mut self) -> Option<Choice> {
        while let Some(choice) = self.first.pop() {
            if let Some(kernels) = self.look(&[choice]).pop() {
                return self.give(&kernels);
            }
        }
        self.sample(if self.turn == 0 { FIRST } else { FRESH });
        let turn = self.turn;
        self.turn += 1;
        // In every six turns: once the model's choice, once a form that was tried less than others, and four
        // times a form that was never tried or, when there is none, a neighbour of one of the best.
        let next = match turn % 6 {
            0 => self.by_model(),
            3 => self.other_form().map(|(_, kernels)| kernels).or_else(|| self.by_model()),
            _ => self.new_form().or_else(|| self.neighbour()).or_else(|| self.by_model()),
        };
        self.give(&next?)
    }

    /// The next `count` candidates.
    pub(super) fn some(&mut self, count: usize) -> Vec<Choice> {
        std::iter::from_fn(|| self.next_candidate()).take(count).collect()
    }

    /// The measured candidates, the fastest first.
    pub(super) fn fastest(&self) -> &[Found] {
        &self.measured
    }

    /// All candidates that were measured or have failed.
    pub(super) fn tried(&self) -> Vec<&Choice> {
        self.measured.iter().map(|found| &found.choice).chain(&self.failed).collect()
    }

    /// The candidates that the code generator refused, and why.
    pub fn refused(&self) -> &Failures {
        &self.refused
    }

    /// The schedules that give nothing to try, as far as that is known by now.
    pub(super) fn not_applicable(&self) -> Vec<NotApplicable> {
        self.forms.not_applicable(&self.empty)
    }

    /// Takes note of a measured candidate.
    pub fn learn(&mut self, found: &Found) {
        match self.predicted.get(&found.choice) {
            Some(predicted) => {
                log::debug!("{}: {:?}, by the model {predicted:.6} s", found.choice, found.time)
            }
            None => log::debug!("{}: {:?}", found.choice, found.time),
        }
        self.correct(found.clone());
    }

    /// Takes note that a candidate can't be measured, even if it was before.
    pub(super) fn fail(&mut self, choice: &Choice) {
        self.measured.retain(|found| found.choice != *choice);
        self.failed.push(choice.clone());
    }

    /// Takes note of a candidate's time, in place of any earlier one.
    pub(super) fn correct(&mut self, found: Found) {
        self.measured.retain(|other| other.choice != found.choice);
        let at = self.measured.partition_point(|f| f.time <= found.time);
        self.measured.insert(at, found);
    }

    /// Takes a candidate out of the pool.
    fn give(&mut self, kernels: &str) -> Option<Choice> {
        let (seconds, choice) = self.pool.remove(kernels)?;
        self.given.insert(kernels.to_string());
        self.predicted.insert(choice.clone(), seconds);
        Some(choice)
    }

    /// Puts choices into the pool that have kernels which were not tried; these kernels. Making them is
    /// most of the work, and done on all cores.
    fn look(&mut self, choices: &[Choice]) -> Vec<String> {
        let new: HashSet<&Choice> = choices.iter().filter(|c| !self.looked.contains_key(c)).collect();
        let new: Vec<&Choice> = new.into_iter().collect();
        let plan = |choice: &Choice| {
            let plan = self.forms.plan(choice);
            plan.map(|plan| (kernels(&plan), cost::seconds(&plan, self.forms.target())))
        };
        let mut plans: HashMap<&Choice, _> =
            threads::map(new, |choice| (choice, plan(choice))).into_iter().collect();
        let mut found = vec![];
        for choice in choices {
            match plans.remove(choice) {
                None => {}
                Some(Ok((name, seconds))) => {
                    self.looked.insert(choice.clone(), Some(name.clone()));
                    if !self.given.contains(&name) {
                        self.pool.entry(name).or_insert_with(|| (seconds, choice.clone()));
                    }
                }
                Some(Err(error)) => {
                    log::debug!("{choice}: {error}");
                    self.looked.insert(choice.clone(), None);
                    self.failed.push(choice.clone());
                    // One from a store may be no form of this program.
                    if self.forms.have(choice) {
                        self.refused.add(Cause::Generator, &error.to_string(), choice);
                    }
                }
            }
            let known = self.looked.get(choice).cloned().flatten();
            found.extend(known.filter(|name| self.pool.contains_key(name)));
        }
        found
    }

    /// Puts new samples into the pool, from any of the forms.
    fn sample(&mut self, count: usize) {
        let enough = self.pool.len() + count;
        let mut left = DRAWN * count;
        while self.pool.len() < enough && !self.open.is_empty() && (left > 0 || self.pool.is_empty()) {
            let missing = enough - self.pool.len();
            let from: Vec<usize> = (0..missing).map(|_| self.open_form()).collect();
            // Deriving a form takes as long as making some plans.
            threads::each(from.len(), |k| drop(self.forms.get(from[k])));
            let drawn: Vec<Choice> = from.into_iter().filter_map(|number| self.draw(number)).collect();
            self.look(&drawn);
            left = left.saturating_sub(missing);
        }
    }

    /// Every schedule is as likely as any other, however many options it has.
    fn open_form(&mut self) -> usize {
        let schedule = &self.open[self.random.usize(..self.open.len())];
        schedule[self.random.usize(..schedule.len())]
    }

    /// A sample of a form; one that has none left is drawn from no more.
    fn draw(&mut self, number: usize) -> Option<Choice> {
        let is_first = !self.samples.contains_key(&number);
        if is_first && let Some(form) = self.forms.get(number) {
            let sample = form.problem().sample(self.seed.wrapping_add((number as u64) << 32));
            self.samples.insert(number, (form, sample));
        }
        let drawn = self.samples.get_mut(&number);
        let drawn = drawn.and_then(|(form, sample)| Some(form.choice(&sample.next()?)));
        if drawn.is_none() {
            if is_first && self.samples.contains_key(&number) {
                self.empty.insert(number);
            }
            self.open.iter_mut().for_each(|forms| forms.retain(|other| *other != number));
            self.open.retain(|forms| !forms.is_empty());
        }
        drawn
    }

    /// The best by the model of a form that was tried less than others, and how often it was. Of forms that are far
    /// from the best, as far as is known, once is enough.
    fn other_form(&self) -> Option<(usize, String)> {
        let mut tried = HashMap::new();
        self.predicted.keys().for_each(|choice| *tried.entry(choice.form()).or_insert(0) += 1);
        let (corrections, far) = (self.corrections(), self.far());
        let pool = self.pool.iter().filter_map(|(kernels, (seconds, choice))| {
            let times = tried.get(&choice.form()).copied().unwrap_or(0);
            let correction = corrections.get(&choice.form()).copied().unwrap_or(1.0);
            (times == 0 || seconds * correction < far).then_some((times, *seconds, kernels))
        });
        let least = pool.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        least.map(|(times, _, kernels)| (times, kernels.clone()))
    }

    /// The time, in seconds, beyond which a candidate's neighbours are not looked at.
    fn far(&self) -> f64 {
        self.measured.first().map_or(f64::INFINITY, |best| best.time.as_secs_f64() * FAR)
    }

    /// One of a form that was never tried, before few were.
    fn new_form(&self) -> Option<String> {
        let forms: HashSet<_> = self.predicted.keys().map(Choice::form).collect();
        let other = if forms.len() < ELITE { self.other_form() } else { None };
        other.filter(|(times, _)| *times == 0).map(|(_, kernels)| kernels)
    }

    /// The candidate of the pool that the model thinks best, or a better one around it.
    fn by_model(&mut self) -> Option<String> {
        let best = |search: &Search| {
            let corrections = search.corrections();
            let unknown = corrections.values().copied().fold(f64::INFINITY, f64::min).min(1e6);
            let corrected = |(seconds, choice): &(f64, Choice)| {
                seconds * corrections.get(&choice.form()).copied().unwrap_or(unknown)
            };
            let best = search.pool.iter().min_by(|a, b| corrected(a.1).total_cmp(&corrected(b.1)));
            best.map(|(kernels, (_, choice))| (kernels.clone(), choice.clone()))
        };
        let (mut kernels, mut choice) = best(self)?;
        for _ in 0..STEPS {
            let around = self.around(&choice);
            self.look(&around[..around.len().min(NEIGHBOURS)]);
            let (better, next) = best(self)?;
            if better == kernels {
                break;
            }
            (kernels, choice) = (better, next);
        }
        Some(kernels)
    }

    /// By how much the model is off for each form of which something was measured. Others are taken to
    /// be like the one that does best.
    fn corrections(&self) -> HashMap<(Option<&str>, &[String]), f64> {
        let mut sums: HashMap<_, (f64, f64)> = HashMap::new();
        for found in &self.measured {
            let Some(predicted) = self.predicted.get(&found.choice) else { continue };
            let (sum, count) = sums.entry(found.choice.form()).or_default();
            *sum += (found.time.as_secs_f64() / predicted).ln();
            *count += 1.0;
        }
        sums.into_iter().map(|(form, (sum, count))| (form, (sum / count).exp())).collect()
    }

    /// The best by the model of some candidates around one of the best measured.
    fn neighbour(&mut self) -> Option<String> {
        let mut elite = self.elite();
        while !elite.is_empty() {
            // The best half of the time, the next a quarter of it.
            let at = (0..elite.len()).find(|_| self.random.bool()).unwrap_or(0);
            let choice = elite.remove(at);
            let mut around = self.around(&choice);
            let tried = |c: &Choice| match self.looked.get(c) {
                None => false,
                Some(kernels) => kernels.as_ref().is_none_or(|k| !self.pool.contains_key(k)),
            };
            around.retain(|c| !tried(c));
            let some = self.look(&around[..around.len().min(NEIGHBOURS)]);
            let seconds = |kernels: &String| self.pool.get(kernels).map_or(f64::INFINITY, |(s, _)| *s);
            let best = some.into_iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// The two fastest, and the fastest of other forms or with other maps in parallel.
    fn elite(&self) -> Vec<Choice> {
        let kind = |choice: &Choice| {
            let parallel = choice.places.iter().map(|code| Code(*code).parallel()).collect::<Vec<_>>();
            (choice.schedule.clone(), choice.options.clone(), parallel)
        };
        let far = self.far();
        let mut elite: Vec<(_, &Choice)> = vec![];
        for Found { choice, .. } in self.measured.iter().take_while(|f| f.time.as_secs_f64() < far) {
            let own = kind(choice);
            if elite.len() < 2 || elite.iter().all(|(other, _)| *other != own) {
                elite.push((own, choice));
            }
            if elite.len() == ELITE {
                break;
            }
        }
        elite.into_iter().map(|(_, choice)| choice.clone()).collect()
    }

    /// One step away, in a number, a place or the schedule's options, and after these two steps.
    fn around(&mut self, choice: &Choice) -> Vec<Choice> {
        if !self.around.contains_key(choice) {
            let form = self.forms.of(choice);
            let [mut near, far] = form.map(|form| form.neighbours(choice)).unwrap_or_default();
            let others = self.forms.beside(choice);
            near.extend(threads::map(others, |form| form.nearest(choice)).into_iter().flatten());
            self.around.insert(choice.clone(), [near, far]);
        }
        let [mut near, mut far] = self.around[choice].clone();
        self.random.shuffle(&mut near);
        self.random.shuffle(&mut far);
        near.extend(far);
        near
    }
}
