//! Searches over networks: the time goes where the time of a run goes.

use super::kinds::{Kind, Kinds, numbers};
use super::{Graph, Network};
use crate::tune::{Limits, Progress, Report, Tuning};
use crate::{Argument, Device, Error};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A search that is shorter has hardly begun.
const LEAST: Duration = Duration::from_secs(2);

/// Runs whose shortest times say how a search's time is shared out.
const ROUNDS: usize = 3;

/// How far a search over a network is.
pub struct Searching<'a> {
    /// The group that is searched now, from 1, and how many different ones there are.
    pub number: usize,
    /// How many different groups there are.
    pub count: usize,
    /// The nodes of the first group of its kind.
    pub nodes: &'a [String],
    /// Its part of a run's time, and so of the search's.
    pub share: f64,
    /// How far its own search is.
    pub progress: &'a Progress<'a>,
}

/// What a search found for one kind of group.
#[derive(Debug)]
pub struct Searched {
    /// The nodes of the first group of this kind.
    pub nodes: Vec<String>,
    /// Its part of a run's time before the search.
    pub share: f64,
    /// What was found.
    pub report: Report,
    /// How many times as fast as before it is with what was found, in runs of the network. Below 1 the form that it had before stays.
    /// `None` if that is also what was found, or if there was no room for both networks to compare them.
    pub gain: Option<f64>,
}

impl Graph {
    /// Looks for the fastest forms of the network's groups, each for as long as its share of a run's time is; equal ones once.
    /// To begin takes some seconds for each, which count: those that take least of a run come last, and may not be reached.
    /// What is found is kept as it is found, and [`Graph::compile`] takes it from then on: a search can be ended at any time, and
    /// one that follows begins with what is known. In the end the network runs with the forms that it had and with those that were found,
    /// in turn for some seconds, and of each group the one that is faster there stays: alone a form may be faster than it is in the network.
    ///
    /// # Errors
    /// As [`Graph::compile`], and those of [`Tuning::search`], but for groups of which no form can be measured: these stay as
    /// they are.
    pub fn search(
        &self,
        device: &Device,
        sizes: &[(&str, usize)],
        limits: &Limits,
        mut told: impl FnMut(&Searching<'_>),
    ) -> Result<Vec<Searched>, Error> {
        let network = self.compile(device, sizes)?;
        let times = network.least_times(ROUNDS)?;
        let at = self.graph.at(sizes)?;
        let (graph, groups) = self.graph.arranged(device.target());
        let all_kinds = Kinds::of(&graph, &groups, &at)?;
        let Kinds { kinds, steps, .. } = &all_kinds;
        let seconds = |kind: usize| {
            let of_kind = steps.iter().zip(&times).filter(|(other, _)| **other == kind);
            of_kind.map(|(_, time)| time.as_secs_f64()).sum::<f64>()
        };
        let all: f64 = times.iter().map(Duration::as_secs_f64).sum();
        let (start, mut open) = (Instant::now(), all);
        // What only prepares takes no time in a run.
        let mut order: Vec<(usize, f64)> = (0..kinds.len()).map(|kind| (kind, seconds(kind))).collect();
        order.retain(|(_, seconds)| *seconds > 0.0);
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (count, mut found) = (order.len(), vec![]);
        for (number, (kind, seconds)) in (1..).zip(order) {
            let left = limits.time.saturating_sub(start.elapsed());
            if limits.stop.load(Ordering::Relaxed) || left.is_zero() {
                break;
            }
            let time = time_for(left, seconds, open);
            open -= seconds;
            let Kind { program, sizes } = &kinds[kind];
            let first = steps.iter().position(|other| *other == kind).unwrap_or(0);
            let nodes: Vec<String> = groups[first].nodes.iter().map(|name| name.to_string()).collect();
            let tuning = Tuning::new(program, device, &numbers(sizes))?;
            let share = seconds / all;
            let mut of_kind = |progress: &Progress<'_>| {
                told(&Searching { number, count, nodes: &nodes, share, progress });
            };
            match tuning.search(&limits.share(time, share), &mut of_kind) {
                Ok(report) => found.push((kind, Searched { nodes, share, report, gain: None })),
                Err(Error::NoCandidate { reason, .. }) => log::warn!("{}: {reason}", nodes.join(", ")),
                Err(error) => return Err(error),
            }
        }
        let compared = match self.keep_the_faster(&network, device, sizes, &all_kinds) {
            // There need not be room for the weights of two.
            Err(error @ Error::OutOfMemory { .. }) => {
                log::warn!("`{}` before and after the search is not compared: {error}", self.name());
                vec![]
            }
            compared => compared?,
        };
        let with_gain = |(kind, searched): (usize, Searched)| {
            let gain = compared.iter().find(|compared| compared.kind == kind).map(|compared| compared.gain);
            Searched { gain, ..searched }
        };
        Ok(found.into_iter().map(with_gain).collect())
    }
}

/// How long a group may be searched that takes so many seconds of a run, of the time that is left for it and those after it, which
/// take `open` seconds together.
fn time_for(left: Duration, seconds: f64, open: f64) -> Duration {
    left.mul_f64(seconds / open.max(seconds)).max(LEAST).min(left)
}

impl Network {
    /// How long each step takes, the shortest of several runs on zeros.
    fn least_times(&self, runs: usize) -> Result<Vec<Duration>, Error> {
        let inputs = self.zeros();
        let mut least = vec![Duration::MAX; self.steps.len()];
        for _ in 0..runs {
            let times = self.step_times(&inputs)?;
            least.iter_mut().zip(times).for_each(|(least, time)| *least = time.min(*least));
        }
        Ok(least)
    }

    /// How long each step takes in a run.
    pub(super) fn step_times(&self, inputs: &[Argument<'_>]) -> Result<Vec<Duration>, Error> {
        Ok(self.by_step(&self.run_timed(inputs)?.1))
    }

    /// An input of zeros for each.
    pub(super) fn zeros(&self) -> Vec<Argument<'static>> {
        let parameters = self.signature().parameters.iter().zip(&self.constants);
        let inputs = parameters.filter(|(_, constant)| constant.is_none());
        inputs.map(|(parameter, _)| Argument::zeros(parameter.scalar, &parameter.shape)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long groups are searched that take so many seconds of a run, if to begin with each takes `begins`; and when all is over.
    fn searched(limit: f64, seconds: &[f64], begins: f64) -> (Vec<f64>, f64) {
        let (mut now, mut open, mut all) = (0.0, seconds.iter().sum::<f64>(), vec![]);
        for seconds in seconds {
            let left = Duration::from_secs_f64((limit - now).max(0.0));
            if left.is_zero() {
                break;
            }
            let time = time_for(left, *seconds, open).as_secs_f64();
            open -= seconds;
            now += begins + time;
            all.push(time);
        }
        (all, now)
    }

    #[test]
    fn time_goes_where_the_time_of_a_run_goes() {
        let (times, end) = searched(60.0, &[3.0, 2.0, 1.0], 0.0);
        assert_eq!(times.iter().map(|time| time.round()).collect::<Vec<_>>(), [30.0, 20.0, 10.0]);
        assert!((end - 60.0).abs() < 0.01, "{end}");
    }

    #[test]
    fn what_it_takes_to_begin_counts() {
        let (times, end) = searched(60.0, &[0.1; 63], 5.0);
        assert!(times.len() < 12 && times.iter().all(|time| *time >= 1.9), "{times:?}");
        assert!(end < 60.0 + 5.0 + 2.0, "{end}");
        assert_eq!(searched(1.0, &[1.0], 0.0), (vec![1.0], 1.0));
    }
}
