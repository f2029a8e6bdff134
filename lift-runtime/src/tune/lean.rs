//! Forms that take less memory, in place of those that take more than there is.

use super::best::fits;
use super::{Choice, Goal, Tuning};
use crate::threads;
use lift_core::schedules::Schedule;
use std::collections::BTreeSet;

impl Tuning {
    /// For each choice that takes more memory than the goal allows: the same without any options, many of which are about
    /// copies, and with each number in turn as much smaller as it takes, if that number is what memory depends on.
    pub(super) fn leaner(&self, choices: &[(f64, Choice)], goal: Goal) -> Vec<(f64, Choice)> {
        let large = |choice: &Choice| self.forms.plan(choice).is_ok_and(|plan| fits(&plan, goal).is_err());
        let smaller = |(times, choice): (f64, Choice)| {
            if !large(&choice) {
                return vec![];
            }
            let bare = Choice { options: vec![], ..choice.clone() };
            let bare = if choice.options.is_empty() { vec![] } else { self.forms.like(&bare) };
            let fewer = choice.point.iter().filter_map(|(name, _)| self.with_less(&choice, name, goal));
            bare.into_iter().chain(fewer).map(|choice| (times, choice)).collect()
        };
        let all = threads::map(choices.to_vec(), smaller).concat();
        // What is one of them already has a time of its own.
        let mut seen: BTreeSet<String> = choices.iter().map(|(_, choice)| choice.to_string()).collect();
        all.into_iter().filter(|(_, choice)| seen.insert(choice.to_string())).collect()
    }

    /// With the largest value of a parameter, below its own, that leaves enough memory; `None` if a smaller value takes as much.
    fn with_less(&self, choice: &Choice, name: &str, goal: Goal) -> Option<Choice> {
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
            if fits(&plan, goal).is_ok() {
                return Some(less);
            }
            bytes = taken;
        }
        None
    }
}
