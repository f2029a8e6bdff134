//! The form that is likely to be fast, chosen in less time than it takes to build one: for networks, which have many programs,
//! and for a first run.

use super::best::{fits, in_order};
use super::{Choice, Goal, Tuning, seeds};
use crate::{Error, entry, threads};
use lift_core::kernel::Plan;
use lift_core::target::Seed;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Of so many forms, those whose first seed the model expects to be the fastest, all seeds are looked at.
const FORMS: usize = 2;

/// What choices are remembered under that were made without a measurement.
const LIKELY: &str = "likely";

impl Tuning {
    /// The same program at other sizes: what schedules derive from it is derived once for both.
    ///
    /// # Errors
    /// Sizes that the program does not admit.
    pub fn resized(&self, sizes: &[usize]) -> Result<Tuning, Error> {
        let sizes = entry::named(&self.program, sizes)?;
        let key = super::Key { sizes: super::named(&sizes), ..self.key.clone() };
        Ok(Tuning { forms: Arc::new(self.forms.resized(&sizes)), key, ..self.clone() })
    }

    /// A form that is likely to be fast, with its kernels: the fastest that was found for these sizes, else for sizes like these,
    /// else the one that the model expects to be the fastest of the device's seeds. Nothing is built, measured or
    /// checked: [`Tuning::best`] does that, and takes some seconds where this takes one. `like` are forms that were chosen
    /// at other sizes: if there are any, seeds of other forms are not looked at. It takes no more memory than [`Goal::Moderate`]
    /// allows, unless the program as it is written does.
    ///
    /// # Errors
    /// No kernels can be generated for the program.
    pub fn likely(&self, like: &[Choice]) -> Result<(Choice, Plan), Error> {
        let known = self.own().iter().map(|found| found.choice.clone()).collect::<Vec<_>>();
        let near = || self.like_these().into_iter().take(1).map(|found| found.choice);
        let within = OnceCell::new();
        let goal = || *within.get_or_init(|| self.in_bytes(Goal::default()));
        let found = known.into_iter().chain(near()).find_map(|choice| {
            let plan = self.plan(&choice).ok()?;
            fits(&plan, goal()).is_ok().then_some((choice, plan))
        });
        if let Some(found) = found {
            return Ok(found);
        }
        if let Some(choice) = self.chosen_as(LIKELY)
            && let Ok(plan) = self.plan(&choice)
        {
            return Ok((choice, plan));
        }
        let goal = goal();
        let parts = self.parts();
        let of_parts = || -> Result<Choice, Error> {
            let part = |(k, part): (usize, &Tuning)| {
                let like: Vec<Choice> =
                    like.iter().filter_map(|choice| choice.parts.get(k).cloned()).collect();
                Ok(part.likely(&like)?.0)
            };
            Ok(Choice::of_parts(parts.iter().enumerate().map(part).collect::<Result<_, Error>>()?))
        };
        let choices = match parts.is_empty() {
            true => self.likely_seeds(like, goal),
            false => of_parts().into_iter().map(|choice| (1.0, choice)).collect(),
        };
        let plain = Choice::default();
        let expected = in_order(self.predicted(choices, goal));
        let choice = expected.into_iter().next().map_or(plain, |(_, choice)| choice);
        let plan = self.plan(&choice)?;
        self.remember_as(LIKELY, &choice);
        Ok((choice, plan))
    }

    /// The seeds of the forms that are likely to be fast, with how many times as long as the model says they took, fitted to
    /// these sizes.
    fn likely_seeds(&self, like: &[Choice], goal: Goal) -> Vec<(f64, Choice)> {
        let seeds: Vec<(Choice, Seed)> = {
            let all = self.device.target().family.seeds().into_iter();
            all.filter_map(|seed| Some((seed.form.parse().ok()?, seed))).collect()
        };
        let fitted = |(choice, seed): &(Choice, Seed)| seeds::fitted(&self.forms, choice, seed.times);
        let wanted: Vec<Choice> = match like {
            [] => {
                // One of each form, and the best of these.
                let mut seen = BTreeSet::new();
                let new = |(choice, _): &&(Choice, Seed)| {
                    let (schedule, options) = choice.form();
                    seen.insert((schedule.map(String::from), options.to_vec()))
                };
                let first: Vec<&(Choice, Seed)> = seeds.iter().filter(new).collect();
                let first = threads::map(first, fitted).concat();
                let ranked = in_order(self.predicted(first, goal));
                ranked.into_iter().map(|(_, choice)| choice).take(FORMS).collect()
            }
            some => some.to_vec(),
        };
        let of_wanted = |(times, choice): (f64, Choice)| {
            wanted.iter().any(|one| one.form() == choice.form()).then_some((times, choice))
        };
        // Seeds with more options than apply are of these forms, too.
        let could = |(choice, _): &&(Choice, Seed)| {
            wanted.iter().any(|one| {
                one.schedule == choice.schedule
                    && one.options.iter().all(|o| choice.options.contains(o) || o == "ragged")
            })
        };
        let again: Vec<&(Choice, Seed)> = seeds.iter().filter(could).collect();
        let own =
            wanted.iter().filter_map(|one| self.forms.of(one)?.nearest(one)).map(|choice| (1.0, choice));
        let all = threads::map(again, fitted).concat().into_iter().filter_map(of_wanted);
        let mut seen = BTreeSet::new();
        all.chain(own).filter(|(_, choice)| seen.insert(choice.to_string())).collect()
    }
}
