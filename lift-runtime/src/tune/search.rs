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
use std::collections::{HashMap, HashSet};
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
    seen: HashSet<Choice>,
    /// Of those that were seen.
    kernels: HashSet<String>,
    /// Not tried yet, with the model's seconds.
    pool: Vec<(f64, Choice)>,
    /// Of candidates that were given out.
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
    /// Candidates of a program; the same seed and the same measurements give the same order. The
    /// program as it is comes first, and then what is known to be good.
    pub(super) fn new(forms: Arc<Forms>, machine: Machine, seed: u64, known: &[Choice]) -> Search {
        let samples: Vec<_> = (0u64..)
            .zip(forms.all())
            .map(|(k, form)| (form.clone(), form.problem.sample(seed.wrapping_add(k << 32))))
            .collect();
        let plain = forms.all().next().and_then(|form| form.nearest(&Choice::default()));
        let first = known.iter().rev().cloned().chain(plain).collect();
        Search {
            forms,
            machine,
            random: Random(seed),
            samples,
            turn: 0,
            first,
            seen: HashSet::new(),
            kernels: HashSet::new(),
            pool: vec![],
            predicted: HashMap::new(),
            measured: vec![],
            front: Front::default(),
            refused: 0,
        }
    }

    /// The next candidate; `None` when all have been given out.
    pub fn next_candidate(&mut self) -> Option<Choice> {
        while let Some(choice) = self.first.pop() {
            if let Some(seconds) = self.predict(&choice) {
                return Some(self.give(seconds, choice));
            }
        }
        self.sample(FRESH);
        let turn = self.turn;
        self.turn += 1;
        let around = if turn % 3 == 0 { None } else { self.neighbour() };
        let (seconds, choice) = around.or_else(|| self.from_pool(turn % 6 == 3))?;
        Some(self.give(seconds, choice))
    }

    /// How a candidate did.
    pub fn learn(&mut self, found: &Found) {
        let predicted = self.predicted.get(&found.choice).copied().unwrap_or_default();
        log::debug!("{}: {:?}, by the model {:.6} s", found.choice, found.time, predicted);
        self.measured.push(found.clone());
        self.measured.sort_by_key(|f| f.time);
        self.front.insert(found.clone());
    }

    fn give(&mut self, seconds: f64, choice: Choice) -> Choice {
        self.predicted.insert(choice.clone(), seconds);
        choice
    }

    /// The model's seconds of a candidate that was not looked at before, if it has kernels.
    fn predict(&mut self, choice: &Choice) -> Option<f64> {
        if !self.seen.insert(choice.clone()) {
            return None;
        }
        match self.forms.plan(choice) {
            // What an option or a number makes no difference to was tried already.
            Ok(plan) => self.kernels.insert(kernels(&plan)).then(|| cost::seconds(&plan, &self.machine)),
            Err(error) => {
                log::debug!("{choice}: {error}");
                self.refused += 1;
                None
            }
        }
    }

    /// Puts new samples into the pool, from each form in turn.
    fn sample(&mut self, count: usize) {
        for _ in 0..count {
            while !self.samples.is_empty() {
                let k = self.random.below(self.samples.len());
                let (form, sample) = &mut self.samples[k];
                let Some(solution) = sample.next() else {
                    self.samples.remove(k);
                    continue;
                };
                let choice = form.choice(&solution);
                if let Some(seconds) = self.predict(&choice) {
                    self.pool.push((seconds, choice));
                    break;
                }
            }
        }
    }

    /// The best of the pool, or any of it.
    fn from_pool(&mut self, any: bool) -> Option<(f64, Choice)> {
        if self.pool.is_empty() {
            return None;
        }
        let corrected: Vec<f64> = self.pool.iter().map(|(s, choice)| s * self.correction(choice)).collect();
        let best = (0..self.pool.len()).min_by(|a, b| corrected[*a].total_cmp(&corrected[*b]))?;
        let k = if any { self.random.below(self.pool.len()) } else { best };
        Some(self.pool.swap_remove(k))
    }

    /// By how much the model is off for this candidate's form, as far as is known; for a form of which
    /// nothing is known as for the form that does best.
    fn correction(&self, choice: &Choice) -> f64 {
        let mut forms: HashMap<_, (f64, f64)> = HashMap::new();
        for found in &self.measured {
            let Some(predicted) = self.predicted.get(&found.choice) else { continue };
            let (sum, count) = forms.entry(found.choice.form()).or_default();
            *sum += (found.time.as_secs_f64() / predicted).ln();
            *count += 1.0;
        }
        let means = forms.iter().map(|(form, (sum, count))| (*form, (sum / count).exp()));
        let means: HashMap<_, f64> = means.collect();
        let least = means.values().copied().fold(f64::INFINITY, f64::min);
        means.get(&choice.form()).copied().unwrap_or(if least.is_finite() { least } else { 1.0 })
    }

    /// The best by the model of some candidates around one of the best measured.
    fn neighbour(&mut self) -> Option<(f64, Choice)> {
        let elite = self.measured.iter().take(ELITE).chain(self.front.iter());
        let elite: Vec<Choice> = elite.map(|f| f.choice.clone()).collect();
        for choice in elite {
            let mut around = self.around(&choice);
            around.retain(|c| !self.seen.contains(c));
            self.random.shuffle(&mut around);
            let mut some: Vec<(f64, Choice)> = vec![];
            while let Some(next) = around.pop().filter(|_| some.len() < NEIGHBOURS) {
                if let Some(seconds) = self.predict(&next) {
                    some.push((seconds, next));
                }
            }
            some.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !some.is_empty() {
                let best = some.remove(0);
                self.pool.extend(some);
                return Some(best);
            }
        }
        None
    }

    /// One step away: in a number, or in the schedule's options.
    fn around(&self, choice: &Choice) -> Vec<Choice> {
        let same = self.forms.of(choice).map(|form| form.neighbours(choice)).unwrap_or_default();
        let others = self.forms.all().filter(|form| form.schedule() == choice.schedule.as_deref());
        let mut all: Vec<Choice> = others.filter_map(|form| form.nearest(choice)).collect();
        all.retain(|c| c != choice);
        all.extend(same);
        all
    }
}
