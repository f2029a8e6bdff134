//! The likely form of a program in parts: each part by itself, or some where their results are read.
//!
//! What is computed of each element before a nest reads it (a normalisation, an activation, a conversion) is a pass of its own, or
//! it is computed by what reads it. That pays where the reader copies what it reads again and again: then it is computed
//! once for the copy.

use super::best::in_order;
use super::goal::{Bounds, Goal};
use super::likely::{Expected, Like};
use super::{Choice, Tuning};
use crate::Error;
use lift_core::parts::Parts;

impl Tuning {
    /// The forms that are likely to be fast, of a program in parts. `like` are forms that were chosen at other sizes: if there are
    /// any, the parts that are inline there are inline here.
    pub(super) fn likely_in_parts(
        &self,
        like: &[Choice],
        room: usize,
        goal: Goal,
        bounds: Bounds,
    ) -> Result<Vec<(f64, Choice)>, Error> {
        let Some((parts, _)) = self.forms.parts() else { return Ok(vec![]) };
        let mut sets: Vec<Vec<usize>> = match like {
            [] => [vec![]].into_iter().chain(may_be_inlined(parts)).collect(),
            some => some.iter().map(inlined).collect(),
        };
        sets.sort();
        sets.dedup();
        let tunings = self.parts();
        let likely = |set: Vec<usize>| {
            // What is not inline has the form that is likely for it alone.
            let alone = |(k, part): (usize, &Tuning)| match set.contains(&k) {
                true => Ok(Choice::inline()),
                false => Ok(part.likely_among(Like::of(&of_part(like, k)), room, goal)?.choice),
            };
            let all = tunings.iter().enumerate().map(alone).collect::<Result<_, Error>>()?;
            Ok((1.0, self.with_readers(Choice::of_parts(all), like, bounds)))
        };
        sets.into_iter().map(likely).collect()
    }

    /// A form of a program in parts, and what becomes of it where some of these are inline.
    pub(super) fn with_inlined(&self, choice: Choice, bounds: Bounds) -> Vec<Choice> {
        let Some((parts, _)) = self.forms.parts() else { return vec![choice] };
        let with = |set: Vec<usize>| {
            let mut all = choice.parts.clone();
            set.into_iter().for_each(|k| all[k] = Choice::inline());
            self.with_readers(Choice::of_parts(all), &[], bounds)
        };
        let others: Vec<Choice> = may_be_inlined(parts).into_iter().map(with).collect();
        [choice].into_iter().chain(others).collect()
    }

    /// The choice with forms of those parts that read inline ones for which the model says that the whole is fastest.
    fn with_readers(&self, mut choice: Choice, like: &[Choice], bounds: Bounds) -> Choice {
        let Some((parts, _)) = self.forms.parts() else { return choice };
        let tunings = self.parts();
        let inline = inlined(&choice);
        for reader in parts.readers(&inline).into_iter().filter(|reader| !inline.contains(reader)) {
            let with = |of_reader: Choice| {
                let mut all = choice.parts.clone();
                all[reader] = of_reader;
                Choice::of_parts(all)
            };
            let predicted = |some: Vec<(f64, Choice)>| {
                let whole = some.into_iter().map(|(times, of_reader)| (times, with(of_reader)));
                let of_reader = |(seconds, whole): (f64, Choice)| (seconds, whole.parts[reader].clone());
                self.predicted(whole, bounds).into_iter().map(of_reader).collect()
            };
            let kernels = |of_reader: &Choice| self.kernels_of(&with(of_reader.clone()));
            let expected = Expected { predicted: &predicted, kernels: &kernels, least: 0.0 };
            let seeds = tunings[reader].likely_seeds(Like::of(&of_part(like, reader)), &expected).choices;
            let own = (1.0, choice.parts[reader].clone());
            let wholes = seeds.into_iter().chain([own]).map(|(times, of_reader)| (times, with(of_reader)));
            let mut ranked = in_order(self.predicted(wholes, bounds));
            let schedule = ranked.first().and_then(|(_, whole)| whole.parts[reader].schedule.clone());
            ranked.retain(|(_, whole)| whole.parts[reader].schedule == schedule);
            choice = self.with_fewest_kernels(ranked).map_or(choice, |(_, whole)| whole);
        }
        choice
    }
}

/// What of these choices is the form of a part by itself.
fn of_part(like: &[Choice], part: usize) -> Vec<Choice> {
    let all = like.iter().filter_map(|choice| choice.parts.get(part));
    all.filter(|choice| !choice.inline).cloned().collect()
}

/// The parts that are inline.
fn inlined(choice: &Choice) -> Vec<usize> {
    (0..choice.parts.len()).filter(|k| choice.parts[*k].inline).collect()
}

/// Each part that may be inline, and all of them.
fn may_be_inlined(parts: &Parts) -> Vec<Vec<usize>> {
    let all: Vec<usize> =
        parts.iter().enumerate().filter(|(_, part)| part.may_be_inline()).map(|(k, _)| k).collect();
    let together = (all.len() > 1).then(|| all.clone());
    all.iter().map(|k| vec![*k]).chain(together).collect()
}
