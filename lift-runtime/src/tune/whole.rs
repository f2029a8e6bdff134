//! A program in several parts: each part is tuned by itself, and the best forms of all of them together are one more form
//! of the program, which is checked and measured like any other.
//!
//! What was found for a part is kept under the part's own name, so that equal parts, of one program or of several, are
//! searched once.

use super::goal::Bounds;
use super::{Choice, Ended, Forms, Key, Limits, Progress, Report, Tuning};
use crate::{Error, entry};
use lift_core::cost;
use lift_core::parts::Part;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// An eighth of a search's time is for the program as a whole.
const WHOLE: u32 = 8;

/// The least share of a part, as a fraction of an average one: what is expected to take no time may take some.
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
            let program = format!("part {}", entry::hash(&part.anonymous()).ok()?);
            let key = Key { program, sizes: values, ..self.key.clone() };
            let (device, store) = (self.device.clone(), self.store.clone());
            Some(Tuning { program: part.program.clone(), device, forms: forms.clone(), store, key })
        };
        // All or none: a form of the whole has one of each.
        parts.iter().zip(forms).map(of_part).collect::<Option<_>>().unwrap_or_default()
    }

    /// The forms that are put together of the best known, or expected, of each part: of all, and with some computed where they are
    /// read. With each, how many times as long it takes as the model says.
    pub(super) fn of_parts(&self, bounds: Bounds) -> Vec<(f64, Choice)> {
        let parts = self.parts();
        let expected: Option<Vec<Expected>> =
            parts.iter().map(|part| part.expected(part.bounds_of_part(bounds))).collect();
        let Some(expected) = expected.filter(|all| !all.is_empty()) else { return vec![] };
        let sum = |of: fn(&Expected) -> f64| expected.iter().map(of).sum::<f64>();
        let times = sum(|part| part.seconds) / sum(|part| part.by_model);
        let choice = Choice::of_parts(expected.into_iter().map(|part| part.choice).collect());
        let reaches = |choice: &Choice| self.forms.plan(choice).is_ok_and(|plan| bounds.admit(&plan));
        let all = self.with_inlined(choice, bounds).into_iter();
        all.filter(|choice| reaches(choice) && self.forms.admit(choice))
            .map(|choice| (times, choice))
            .collect()
    }

    /// The best form within these bounds that is known, or the one that the model expects to be best. Nothing is built.
    fn expected(&self, bounds: Bounds) -> Option<Expected> {
        let model = |choice: &Choice| {
            let plan = self.forms.plan(choice).ok().filter(|plan| bounds.admit(plan))?;
            Some(cost::seconds(&plan, self.forms.target()))
        };
        let own = self.own();
        let measured = own.iter().find_map(|found| {
            let by_model = model(&found.choice)?;
            Some(Expected { choice: found.choice.clone(), seconds: found.time.as_secs_f64(), by_model })
        });
        let like = || {
            self.like_these(f64::INFINITY).into_iter().map(|found| found.choice).find_map(|choice| {
                let by_model = model(&choice)?;
                Some(Expected { choice, seconds: by_model, by_model })
            })
        };
        let by_model = || {
            let (seconds, choice) = self.by_model(bounds).into_iter().next()?;
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
    /// [`Ended::Lost`].
    pub fn search(&self, limits: &Limits, mut told: impl FnMut(&Progress)) -> Result<Report, Error> {
        let shares = self.shares(limits);
        if shares.is_empty() {
            return self.search_as_one(limits, &mut told);
        }
        let (mut parts, mut tried, start) = (vec![], 0, Instant::now());
        for (number, part, share) in shares {
            if limits.stop.load(Ordering::Relaxed) {
                return Ok(Report { front: self.own(), ended: Ended::Stopped, parts, ..Report::default() });
            }
            let (before, so_far) = (start.elapsed(), tried);
            let mut of_part = |progress: &Progress| {
                let (tried, elapsed) = (so_far + progress.tried, before + progress.elapsed);
                told(&Progress { tried, elapsed, part: Some(number), ..*progress });
            };
            match part.search_as_one(&share, &mut of_part) {
                Ok(report) => {
                    tried += report.tried;
                    parts.push((number, report));
                }
                // It is left as it is written.
                Err(Error::NoCandidate { reason, .. }) => log::warn!("`{}`: {reason}", part.program.name()),
                Err(error) => return Err(error),
            }
        }
        // Workers take time to start, which is nobody's share.
        let before = start.elapsed();
        let rest = limits.time.saturating_sub(before).max(limits.time / WHOLE);
        let limits = limits.share(rest, 1.0 / f64::from(WHOLE));
        let mut of_whole = |progress: &Progress| {
            told(&Progress {
                tried: tried + progress.tried,
                elapsed: before + progress.elapsed,
                ..*progress
            });
        };
        Ok(Report { parts, ..self.search_as_one(&limits, &mut of_whole)? })
    }

    /// Each part that is to be searched by itself, of equal ones the first, with its number among all and what it may take: by
    /// the time that it is expected to take in a run of the program.
    fn shares(&self, limits: &Limits) -> Vec<(usize, Tuning, Limits)> {
        let all = self.parts();
        let equal = |part: &Tuning| all.iter().filter(|other| other.key == part.key).count() as f64;
        let first = |(k, part): &(usize, &Tuning)| all[..*k].iter().all(|other| other.key != part.key);
        let seconds = |part: &Tuning| part.expected(Bounds::NONE).map_or(0.0, |e| e.seconds) * equal(part);
        let different: Vec<(usize, f64)> =
            all.iter().enumerate().filter(first).map(|(k, part)| (k, seconds(part))).collect();
        let average = different.iter().map(|(_, s)| s).sum::<f64>() / different.len().max(1) as f64;
        let weight = |seconds: f64| (seconds / average.max(f64::MIN_POSITIVE)).max(LEAST);
        let sum: f64 = different.iter().map(|(_, seconds)| weight(*seconds)).sum();
        let of_parts = 1.0 - 1.0 / f64::from(WHOLE);
        let share = |(k, part): (usize, Tuning)| {
            let (_, seconds) = different.iter().find(|(other, _)| *other == k)?;
            let share = of_parts * weight(*seconds) / sum;
            Some((k + 1, part, limits.share(limits.time.mul_f64(share), share)))
        };
        all.iter().cloned().enumerate().filter_map(share).collect()
    }
}
