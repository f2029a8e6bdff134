//! Why candidates came to nothing: by reason, with how many there were and one of them.

use super::{Choice, Outcome};
use std::fmt;

/// What a candidate failed at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// No kernels could be made of it.
    Generator,
    /// The device, its compiler or its memory refused it.
    Device,
    /// Its results are not those of the program.
    Results,
    /// It ended the process that it ran in.
    Process,
}

/// Candidates that failed for the same reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// At which stage they failed.
    pub cause: Cause,
    /// Of the example; the other candidates' reasons differ in numbers at most.
    pub reason: String,
    /// How many they are.
    pub count: usize,
    /// One of them.
    pub example: Choice,
}

/// All that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Failures(Vec<Failure>);

impl Failures {
    /// The most frequent reason first.
    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.0.iter()
    }

    /// How many candidates.
    pub fn count(&self) -> usize {
        self.0.iter().map(|failure| failure.count).sum()
    }

    /// One more, if it failed for a reason.
    pub(super) fn learn(&mut self, example: &Choice, outcome: &Outcome) {
        match outcome {
            Outcome::Wrong(reason) => self.add(Cause::Results, reason, example),
            Outcome::Refused(reason) => self.add(Cause::Device, reason, example),
            Outcome::Crashed(reason) => self.add(Cause::Process, reason, example),
            Outcome::Measured { .. } | Outcome::Late => {}
        }
    }

    pub(super) fn add(&mut self, cause: Cause, reason: &str, example: &Choice) {
        let reason = brief(reason);
        let same = |known: &&mut Failure| {
            known.cause == cause && without_numbers(&known.reason) == without_numbers(&reason)
        };
        match self.0.iter_mut().find(same) {
            Some(known) => known.count += 1,
            None => self.0.push(Failure { cause, reason, count: 1, example: example.clone() }),
        }
        self.0.sort_by_key(|failure| std::cmp::Reverse(failure.count));
    }

    pub(super) fn extend(&mut self, others: &Failures) {
        self.0.extend(others.0.iter().cloned());
        self.0.sort_by_key(|failure| std::cmp::Reverse(failure.count));
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Failure { cause, reason, count, example } = self;
        let what = match cause {
            Cause::Generator => "refused by the code generator",
            Cause::Device => "refused by the device",
            Cause::Results => "wrong",
            Cause::Process => "crashed",
        };
        let among = if *count > 1 { ", for example" } else { "" };
        write!(f, "{count} {what}{among} `{example}`: {reason}")
    }
}

/// Lines of a compiler's log that are told.
const LINES: usize = 3;

/// The first lines of a reason.
fn brief(reason: &str) -> String {
    let lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(LINES).collect::<Vec<_>>().join(" ")
}

/// A reason with every number as the same one: sizes and elements differ from candidate to candidate.
fn without_numbers(reason: &str) -> String {
    let mut text = String::new();
    for c in reason.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('0') => {}
            true => text.push('0'),
            false => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Cause, Failures};
    use crate::tune::{Choice, Outcome};

    #[test]
    fn the_same_reason_is_told_once() {
        let choice = |text: &str| text.parse::<Choice>().expect("a choice");
        let mut failures = Failures::default();
        failures.learn(&choice("- T=1"), &Outcome::Wrong("element 7 is 3 instead of 12".into()));
        for (t, bytes) in [(2, 640), (4, 1280), (8, 96)] {
            let reason = format!("the group's memory takes {bytes} bytes\n\n   of 48 KiB\nline 3\nline 4");
            failures.learn(&choice(&format!("- T={t}")), &Outcome::Refused(reason));
        }
        failures.learn(&choice("- T=16"), &Outcome::Late);
        failures.add(Cause::Generator, "element 9 is 3 instead of 4", &choice("- T=32"));
        assert_eq!(failures.count(), 5);
        let told: Vec<String> = failures.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "3 refused by the device, for example `- T=2`: the group's memory takes 640 bytes of 48 KiB line 3",
                "1 wrong `- T=1`: element 7 is 3 instead of 12",
                "1 refused by the code generator `- T=32`: element 9 is 3 instead of 4",
            ]
        );
    }
}
