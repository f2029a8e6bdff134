//! Which candidate is next.
//!
//! Forms are sampled in turn, each sample a solution of its form's constraints, and the model
//! ([`lift_core::cost`]) orders the samples. What was measured corrects the model, form by form: the
//! model need only know which of two candidates of a form is better, measurements tell forms apart.
//! Two candidates of three are neighbours of the best so far, the best by the model first; one of six
//! is any sample, since the model is not always right.

use super::forms::{Form, Forms, kernels};
use super::{Choice, Found, Front};
use lift_core::cost::{self, Machine};
use lift_core::solve::{Random, Sample};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A search for fast forms of a program: asked for the next candidate, told how it did.
pub struct Search {
    forms: Arc<Forms>,
    machine: Machine,
    random: Random,
    samples: Vec<(Arc<Form>, Sample)>,
    turn: usize,
    /// To be tried before anything else.
    first: Vec<Choice>,
    /// The kernels of every choice that was looked at, if it has any: options and numbers may make no
    /// difference.
    looked: HashMap<Choice, Option<String>>,
    /// By kernels: not tried yet, with the model's seconds.
    pool: BTreeMap<String, (f64, Choice)>,
    /// By kernels: given out.
    given: HashSet<String>,
    /// The model's seconds of those.
    predicted: HashMap<Choice, f64>,
    measured: Vec<Found>,
    front: Front,
    /// Candidates that the generator refused, which constraints should have.
    pub refused: usize,
}

/// So many new samples are looked at for each candidate.
const FRESH: usize = 4;

/// So many neighbours of one candidate are looked at.
const NEIGHBOURS: usize = 6;

/// The fastest so many are worth looking around.
const ELITE: usize = 4;

impl Search {
    /// Candidates of a program; the same seed and the same measurements give the same order. What is
    /// known to be good comes first, and then the program as it is.
    pub(super) fn new(forms: Arc<Forms>, machine: Machine, seed: u64, known: &[Choice]) -> Search {
        let samples: Vec<_> = (0u64..)
            .zip(forms.all())
            .map(|(k, form)| (form.clone(), form.problem.sample(seed.wrapping_add(k << 32))))
            .collect();
        let plain = forms.all().next().filter(|form| form.schedule().is_none());
        let plain = plain.and_then(|form| form.nearest(&Choice::default()));
        let first = plain.into_iter().chain(known.iter().rev().cloned()).collect();
        Search {
            forms,
            machine,
            random: Random(seed),
            samples,
            turn: 0,
            first,
            looked: HashMap::new(),
            pool: BTreeMap::new(),
            given: HashSet::new(),
            predicted: HashMap::new(),
            measured: vec![],
            front: Front::default(),
            refused: 0,
        }
    }

    /// The next candidate; `None` when all have been given out.
    pub fn next_candidate(&mut self) -> Option<Choice> {
        while let Some(choice) = self.first.pop() {
            if let Some(kernels) = self.look(&choice) {
                return self.give(&kernels);
            }
        }
        self.sample(FRESH);
        let turn = self.turn;
        self.turn += 1;
        let around = if turn.is_multiple_of(3) { None } else { self.neighbour() };
        let next = around.or_else(|| self.pick(turn % 6 == 3))?;
        self.give(&next)
    }

    /// How a candidate did.
    pub fn learn(&mut self, found: &Found) {
        let predicted = self.predicted.get(&found.choice).copied().unwrap_or_default();
        log::debug!("{}: {:?}, by the model {:.6} s", found.choice, found.time, predicted);
        self.measured.push(found.clone());
        self.measured.sort_by_key(|f| f.time);
        self.front.insert(found.clone());
    }

    fn give(&mut self, kernels: &str) -> Option<Choice> {
        let (seconds, choice) = self.pool.remove(kernels)?;
        self.given.insert(kernels.to_string());
        self.predicted.insert(choice.clone(), seconds);
        Some(choice)
    }

    /// Puts a choice into the pool if it has kernels that were not tried; these.
    fn look(&mut self, choice: &Choice) -> Option<String> {
        if let Some(known) = self.looked.get(choice) {
            return known.clone().filter(|k| self.pool.contains_key(k));
        }
        let plan = self.forms.plan(choice);
        let name = plan.as_ref().ok().map(kernels);
        self.looked.insert(choice.clone(), name.clone());
        match plan {
            Ok(plan) => {
                let name = name.filter(|k| !self.given.contains(k))?;
                let seconds = || (cost::seconds(&plan, &self.machine), choice.clone());
                self.pool.entry(name.clone()).or_insert_with(seconds);
                Some(name)
            }
            Err(error) => {
                log::debug!("{choice}: {error}");
                self.refused += 1;
                None
            }
        }
    }

    /// Puts new samples into the pool, from each form in turn.
    fn sample(&mut self, count: usize) {
        let enough = self.pool.len() + count;
        while self.pool.len() < enough && !self.samples.is_empty() {
            let k = self.random.below(self.samples.len());
            let (form, sample) = &mut self.samples[k];
            match sample.next() {
                None => {
                    self.samples.remove(k);
                }
                Some(solution) => {
                    let choice = form.choice(&solution);
                    self.look(&choice);
                }
            }
        }
    }

    /// The best of the pool, or any of it.
    fn pick(&mut self, any: bool) -> Option<String> {
        if any {
            let k = self.random.below(self.pool.len().max(1));
            return self.pool.keys().nth(k).cloned();
        }
        let corrections = self.corrections();
        let unknown = corrections.values().copied().fold(f64::INFINITY, f64::min).min(1e6);
        let corrected = |(seconds, choice): &(f64, Choice)| {
            seconds * corrections.get(&choice.form()).copied().unwrap_or(unknown)
        };
        let best = self.pool.iter().min_by(|a, b| corrected(a.1).total_cmp(&corrected(b.1)));
        best.map(|(kernels, _)| kernels.clone())
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
        let elite = self.measured.iter().take(ELITE).chain(self.front.iter());
        let elite: Vec<Choice> = elite.map(|f| f.choice.clone()).collect();
        elite.iter().find_map(|choice| {
            let mut around = self.around(choice);
            let mut some: Vec<String> = vec![];
            while let Some(next) = around.pop().filter(|_| some.len() < NEIGHBOURS) {
                some.extend(self.look(&next));
            }
            let seconds = |kernels: &String| self.pool.get(kernels).map_or(f64::INFINITY, |(s, _)| *s);
            some.into_iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b)))
        })
    }

    /// One step away, in a number or in the schedule's options, and before these two steps: what is
    /// taken first stands last.
    fn around(&mut self, choice: &Choice) -> Vec<Choice> {
        let [mut near, mut far] =
            self.forms.of(choice).map(|form| form.neighbours(choice)).unwrap_or_default();
        let others = self.forms.all().filter(|form| form.schedule() == choice.schedule.as_deref());
        near.extend(others.filter_map(|form| form.nearest(choice)).filter(|c| c != choice));
        self.random.shuffle(&mut near);
        self.random.shuffle(&mut far);
        far.extend(near);
        far
    }
}
