//! A program in several parts: each part is tuned by itself, and the best forms of all of them together are one more form
//! of the program, which is checked and measured like any other.
//!
//! What was found for a part is kept under the part's own name, so that equal parts, of one program or of several, are
//! searched once.

use super::best::fits;
use super::{Choice, Forms, Goal, Key, Limits, Progress, Report, Tuning};
use crate::{Error, cache};
use lift_core::cost;
use lift_core::parts::Part;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of a search's time, what is kept for the program as a whole: one part in so many.
const WHOLE: u32 = 8;

/// A part that takes next to no time is worth this much of what an average one is.
const LEAST: f64 = 0.1;

/// What a part is expected to take.
struct Expected {
    choice: Choice,
    /// Seconds, measured or by the model, and those of the model alone.
    seconds: f64,
    by_model: f64,
}

impl Tuning {
    /// A tuning for each part of the program; none if it has only one.
    pub fn parts(&self) -> Vec<Tuning> {
        let Some((parts, forms)) = self.forms.parts() else { return vec![] };
        let of_part = |(part, forms): (&Part, &Arc<Forms>)| {
            let sizes = part.sizes(self.sizes());
            let values = sizes.0.iter().enumerate().map(|(k, (_, value))| format!("s{k}={value}"));
            let values = values.collect::<Vec<_>>().join(" ");
            let hash = cache::key(&[&part.anonymous()]);
            let key = Key { program: format!("part {}", &hash[..16]), sizes: values, ..self.key.clone() };
            Tuning {
                program: part.program.clone(),
                device: self.device.clone(),
                forms: forms.clone(),
                store: self.store.clone(),
                key,
            }
        };
        parts.iter().zip(forms).map(of_part).collect()
    }

    /// The form that is put together of the best known, or expected, of each part, with how many times as long it takes as the
    /// model says.
    pub(super) fn of_parts(&self, goal: Goal) -> Option<(f64, Choice)> {
        let parts = self.parts();
        let expected: Vec<Expected> = parts.iter().map(Tuning::expected).collect::<Option<_>>()?;
        if expected.is_empty() {
            return None;
        }
        let sum = |of: fn(&Expected) -> f64| expected.iter().map(of).sum::<f64>();
        let times = sum(|part| part.seconds) / sum(|part| part.by_model);
        let choice = Choice::of_parts(expected.into_iter().map(|part| part.choice).collect());
        let reaches = self.forms.plan(&choice).is_ok_and(|plan| fits(&plan, goal).is_ok());
        (reaches && self.forms.admit(&choice)).then_some((times, choice))
    }

    /// The best form that is known, or the one that the model expects to be best. Nothing is built.
    fn expected(&self) -> Option<Expected> {
        let model = |choice: &Choice| {
            let plan = self.forms.plan(choice).ok()?;
            Some(cost::seconds(&plan, self.forms.target()))
        };
        let own = self.own();
        let measured = own.iter().find_map(|found| {
            let by_model = model(&found.choice)?;
            Some(Expected { choice: found.choice.clone(), seconds: found.time.as_secs_f64(), by_model })
        });
        let like = || {
            self.like_these().into_iter().map(|found| found.choice).find_map(|choice| {
                let by_model = model(&choice)?;
                Some(Expected { choice, seconds: by_model, by_model })
            })
        };
        let by_model = || {
            let (seconds, choice) = self.by_model(Goal::Fastest).into_iter().next()?;
            let by_model = model(&choice)?;
            Some(Expected { choice, seconds, by_model })
        };
        measured.or_else(like).or_else(by_model)
    }

    /// Looks for the best forms of the program, and before that of its parts, if it has several. What is found is kept
    /// as it is found.
    ///
    /// # Errors
    /// [`Error::NoWorker`]; a worker that does not start; a program whose results can't be checked;
    /// [`Error::NoCandidate`] if nothing was right. That the store can't be written is no error:
    /// see [`Report::unsaved`]. Nor is what happens once something was found: see
    /// [`Ended::Lost`](super::Ended::Lost).
    pub fn search(&self, limits: &Limits, mut told: impl FnMut(&Progress)) -> Result<Report, Error> {
        let mut parts: Vec<Tuning> = vec![];
        for part in self.parts() {
            if !parts.iter().any(|other| other.key == part.key) {
                parts.push(part);
            }
        }
        if parts.is_empty() {
            return self.search_as_one(limits, &mut told);
        }
        let (mut before, mut tried) = (Duration::ZERO, 0);
        let all = self.parts();
        let times = |part: &Tuning| all.iter().filter(|other| other.key == part.key).count() as f64;
        let seconds = |part: &Tuning| part.expected().map_or(0.0, |e| e.seconds) * times(part);
        let seconds: Vec<f64> = parts.iter().map(seconds).collect();
        let average = (seconds.iter().sum::<f64>() / seconds.len() as f64).max(f64::MIN_POSITIVE);
        let weights: Vec<f64> = seconds.iter().map(|s| (s / average).max(LEAST)).collect();
        let sum: f64 = weights.iter().sum();
        let for_parts = limits.time - limits.time / WHOLE;
        for (part, weight) in parts.iter().zip(weights) {
            let share = limits.share(for_parts.mul_f64(weight / sum), weight / sum);
            let start = Instant::now();
            let so_far = tried;
            let mut shifted = |progress: &Progress| {
                let (tried, elapsed) = (so_far + progress.tried, before + progress.elapsed);
                told(&Progress { tried, elapsed, ..*progress });
            };
            match part.search_as_one(&share, &mut shifted) {
                Ok(report) => tried += report.tried,
                // It is left as it is written.
                Err(Error::NoCandidate { reason, .. }) => log::warn!("`{}`: {reason}", part.program.name()),
                Err(error) => return Err(error),
            }
            before += start.elapsed();
        }
        let rest = limits.share(limits.time.saturating_sub(before), 1.0 / f64::from(WHOLE));
        let mut shifted = |progress: &Progress| {
            let (tried, elapsed) = (tried + progress.tried, before + progress.elapsed);
            told(&Progress { tried, elapsed, ..*progress });
        };
        let mut report = self.search_as_one(&rest, &mut shifted)?;
        report.tried += tried;
        Ok(report)
    }
}
