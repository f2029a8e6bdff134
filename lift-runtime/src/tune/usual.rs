//! Forms that are often best, to begin a search with: they were found for some layers on some devices,
//! and do well on others of the kind. They are a start only: each is fitted to the sizes at hand, and
//! checked and measured like any other.

use super::Choice;
use super::forms::Forms;
use crate::{Kind, threads};

/// A line for each.
pub const USUAL: &str = include_str!("usual.txt");

/// For a kind of device, as far as they have a form of these sizes, with how many times as long as the model says
/// they took. Options that do not apply are left out: most forms were found for padded convolutions with constant weights.
pub fn usual(forms: &Forms, kind: Kind) -> Vec<(f64, Choice)> {
    let kind = if kind == Kind::Gpu { "gpu" } else { "processor" };
    let fitted = |choice: Choice| forms.like(&choice)?.nearest(&choice);
    // To derive a form takes a tenth of a second.
    let of_kind: Vec<_> = lines().filter(|line| line[0] == kind).collect();
    let parsed = |[_, times, choice]: [&str; 3]| Some((times.parse().ok()?, fitted(choice.parse().ok()?)?));
    threads::map(of_kind, parsed).into_iter().flatten().collect()
}

fn lines() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = USUAL.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.splitn(3, "  ").collect::<Vec<_>>().try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::tune::Choice;
    use lift_core::schedules::Schedule;

    #[test]
    fn all_are_forms_of_schedules() {
        assert!(lines().count() >= 10);
        for [kind, times, choice] in lines() {
            assert!(times.parse().is_ok_and(|times: f64| times > 0.01 && times < 100.0), "{times}");
            let choice: Choice = choice.parse().expect("a choice");
            let schedule = choice.schedule.as_deref().and_then(Schedule::named).expect("a schedule");
            assert!(["gpu", "processor"].contains(&kind));
            let known = |name: &String| schedule.options.iter().any(|(option, _)| option == name);
            assert!(choice.options.iter().all(known), "{choice}");
            let named = |name: &str| schedule.parameters.iter().any(|p| name.trim_end_matches('_') == p.name);
            assert!(choice.point.iter().all(|(name, _)| named(name)), "{choice}");
        }
    }
}
