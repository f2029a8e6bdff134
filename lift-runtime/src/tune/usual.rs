//! What is often best, to begin with: forms that were found for some layers on some devices and do
//! well on others of the kind. As a start only: each is fitted to the sizes at hand, and checked and
//! measured like any other.

use super::Choice;
use super::forms::Forms;
use crate::Kind;

const FOUND: &str = include_str!("usual.txt");

/// For a kind of device, as far as they have a form of these sizes.
pub fn usual(forms: &Forms, kind: Kind) -> Vec<Choice> {
    let kind = if kind == Kind::Gpu { "gpu" } else { "processor" };
    let fitted = |choice: Choice| forms.of(&choice)?.nearest(&choice);
    lines().filter(|(of, _)| *of == kind).filter_map(|(_, choice)| fitted(choice.parse().ok()?)).collect()
}

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    FOUND.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once("  "))
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::tune::Choice;
    use lift_core::schedules::Schedule;

    #[test]
    fn all_are_forms_of_schedules() {
        assert!(lines().count() >= 10);
        for (kind, choice) in lines() {
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
