//! Searches over networks: the time goes where the time of a run goes.

use super::kinds::{Kind, Kinds, numbers};
use super::{Graph, Network};
use crate::tune::{Limits, Progress, Report, Tuning};
use crate::{Argument, Device, Error};
use std::sync::atomic::Ordering;
use std::time::Duration;

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
}

impl Graph {
    /// Looks for the fastest forms of the network's groups, each for as long as its share of a run's time is; equal ones once.
    /// What is found is kept as it is found, and [`Graph::compile`] takes it from then on: a search can be ended at any time, and
    /// one that follows begins with what is known.
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
        let sizes = self.graph.at(sizes)?;
        let (graph, groups) = self.graph.arranged(device.target());
        let Kinds { kinds, steps, .. } = Kinds::of(&graph, &groups, &sizes)?;
        let seconds = |kind: usize| {
            let of_kind = steps.iter().zip(&times).filter(|(other, _)| **other == kind);
            of_kind.map(|(_, time)| time.as_secs_f64()).sum::<f64>()
        };
        let all: f64 = times.iter().map(Duration::as_secs_f64).sum();
        // What only prepares takes no time in a run.
        let mut order: Vec<(usize, f64)> = (0..kinds.len()).map(|kind| (kind, seconds(kind))).collect();
        order.retain(|(_, seconds)| *seconds > 0.0);
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (count, mut reports) = (order.len(), vec![]);
        for (number, (kind, seconds)) in (1..).zip(order) {
            if limits.stop.load(Ordering::Relaxed) {
                break;
            }
            let Kind { program, sizes } = &kinds[kind];
            let first = steps.iter().position(|other| *other == kind).unwrap_or(0);
            let nodes: Vec<String> = groups[first].nodes.iter().map(|name| name.to_string()).collect();
            let tuning = Tuning::new(program, device, &numbers(sizes))?;
            let share = seconds / all;
            let mut of_kind = |progress: &Progress<'_>| {
                told(&Searching { number, count, nodes: &nodes, share, progress });
            };
            match tuning.search(&limits.share(limits.time.mul_f64(share), share), &mut of_kind) {
                Ok(report) => reports.push(Searched { nodes, share, report }),
                Err(Error::NoCandidate { reason, .. }) => log::warn!("{}: {reason}", nodes.join(", ")),
                Err(error) => return Err(error),
            }
        }
        Ok(reports)
    }
}

impl Network {
    /// How long each step takes, the shortest of several runs on zeros.
    fn least_times(&self, runs: usize) -> Result<Vec<Duration>, Error> {
        let parameters = self.signature().parameters.iter().zip(&self.constants);
        let inputs = parameters.filter(|(_, constant)| constant.is_none());
        let inputs: Vec<Argument<'_>> = inputs.map(|(p, _)| Argument::zeros(p.scalar, &p.shape)).collect();
        let mut least = vec![Duration::MAX; self.steps.len()];
        for _ in 0..runs {
            let (_, times) = self.run_timed(&inputs)?;
            least.iter_mut().zip(self.by_step(&times)).for_each(|(least, time)| *least = time.min(*least));
        }
        Ok(least)
    }
}
