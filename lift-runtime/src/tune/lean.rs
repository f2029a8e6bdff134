//! Forms that take less memory, in place of those that take more than there is.

use super::goal::Bounds;
use super::{Choice, Tuning};
use crate::threads;
use lift_core::schedules::Schedule;
use std::collections::BTreeSet;
use std::iter;

impl Tuning {
    /// For each choice that takes more than is allowed: the same without any options, many of which are about
    /// copies, and with each number in turn as much smaller as it takes, if that number is what memory depends on.
    pub(super) fn leaner(&self, choices: &[(f64, Choice)], bounds: Bounds) -> Vec<(f64, Choice)> {
        let large = |choice: &Choice| self.forms.plan(choice).is_ok_and(|plan| !bounds.admit(&plan));
        let too_large = |(times, choice): (f64, Choice)| large(&choice).then_some((times, choice));
        let all = threads::map(choices.to_vec(), too_large).into_iter().flatten();
        // Each number of each is looked at on its own: there are few that are too large, and their numbers take long.
        let ways = |(times, choice): (f64, Choice)| {
            let numbers: Vec<String> = choice.point.iter().map(|(name, _)| name.clone()).collect();
            iter::once(None).chain(numbers.into_iter().map(Some)).map(move |way| (times, choice.clone(), way))
        };
        let smaller = |(times, choice, way): (f64, Choice, Option<String>)| {
            let found = match way {
                Some(number) => self.with_less(&choice, &number, bounds).into_iter().collect(),
                None if choice.options.is_empty() => vec![],
                None => self.forms.like(&Choice { options: vec![], ..choice }),
            };
            found.into_iter().map(move |choice| (times, choice)).collect::<Vec<_>>()
        };
        let all = threads::map(all.flat_map(ways).collect(), smaller).concat();
        // What is one of them already has a time of its own.
        let mut seen: BTreeSet<String> = choices.iter().map(|(_, choice)| choice.to_string()).collect();
        all.into_iter().filter(|(_, choice)| seen.insert(choice.to_string())).collect()
    }

    /// With the largest value of a parameter, below its own, that leaves enough memory; `None` if a smaller value takes as much.
    fn with_less(&self, choice: &Choice, name: &str, bounds: Bounds) -> Option<Choice> {
        let schedule = Schedule::named(choice.schedule.as_deref()?)?;
        let parameter = schedule.parameters.iter().find(|parameter| parameter.name == name)?;
        let own = choice.value(name)?;
        let mut bytes = self.forms.plan(choice).ok()?.memory().bytes();
        for value in parameter.values.iter().rev().filter(|value| **value < own) {
            let point = choice
                .point
                .iter()
                .map(|(other, n)| (other.clone(), if other == name { *value } else { *n }));
            let less = Choice { point: point.collect(), ..choice.clone() };
            let Ok(plan) = self.forms.plan(&less) else { continue };
            let taken = plan.memory().bytes();
            if taken >= bytes {
                return None;
            }
            if bounds.admit(&plan) {
                return Some(less);
            }
            bytes = taken;
        }
        None
    }
}
