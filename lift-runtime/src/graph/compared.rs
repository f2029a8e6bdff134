//! What a search found, compared with what there was before, in runs of the network.
//!
//! A form that is fastest by itself need not be in a network: alone its weights stay in the caches, and its arrays lie as its
//! program has them, where in the network they may be rows of larger ones.

use super::kinds::{Kind, Kinds, numbers};
use super::{Graph, Network};
use crate::tune::{Choice, Tuning, median};
use crate::{Device, Error};
use std::time::{Duration, Instant};

/// Both networks run in turn for so long, and so often at the least.
const TIME: Duration = Duration::from_secs(2);
const LEAST: usize = 5;

/// A kind of steps that has another form than before.
pub(super) struct Compared {
    /// The number of the kind.
    pub kind: usize,
    /// How many times as long as now its steps took before, in runs of the network.
    pub gain: f64,
}

impl Graph {
    /// Of each kind that has got another form since a network was compiled, the form that is faster in runs of the whole becomes the
    /// best that is known.
    pub(super) fn keep_the_faster(
        &self,
        before: &Network,
        device: &Device,
        sizes: &[(&str, usize)],
        kinds: &Kinds,
    ) -> Result<Vec<Compared>, Error> {
        let now = self.compile(device, sizes)?;
        let changed = (0..kinds.kinds.len()).filter_map(|kind| {
            let step = kinds.steps.iter().position(|other| *other == kind)?;
            let [old, new] = [before, &now].map(|network| &network.steps[step].choice);
            (old != new).then_some((step, old, new))
        });
        let changed: Vec<(usize, &Choice, &Choice)> = changed.collect();
        if changed.is_empty() {
            return Ok(vec![]);
        }
        let rounds = rounds(before, &now)?;
        let mut all = vec![];
        for (step, old, new) in changed {
            let kind = kinds.steps[step];
            let gain = gain(&rounds, |other| kinds.steps[other] == kind);
            if gain < 1.0 {
                let Kind { program, sizes } = &kinds.kinds[kind];
                let tuning = Tuning::new(program, device, &numbers(sizes))?;
                let time = rounds.iter().map(|[before, _]| before[step]).min().unwrap_or_default();
                // As when a search can't keep what it finds: that is no reason to lose what it says.
                if let Err(error) = tuning.prefer(old, gain, new, time) {
                    log::warn!("{error}");
                }
            }
            all.push(Compared { kind, gain });
        }
        Ok(all)
    }
}

/// What each step of one network and of another takes, in each of several rounds.
type Rounds = Vec<[Vec<Duration>; 2]>;

fn rounds(before: &Network, now: &Network) -> Result<Rounds, Error> {
    let inputs = now.zeros();
    let (start, mut rounds) = (Instant::now(), vec![]);
    while rounds.len() < LEAST || start.elapsed() < TIME {
        rounds.push([before.step_times(&inputs)?, now.step_times(&inputs)?]);
    }
    // The first one prepares weights, and has nothing in a cache.
    rounds.remove(0);
    Ok(rounds)
}

/// How many times as long as in the second network these steps took in the first: the median of the rounds.
fn gain(rounds: &Rounds, these: impl Fn(usize) -> bool) -> f64 {
    let seconds = |times: &Vec<Duration>| {
        let own = times.iter().enumerate().filter(|(step, _)| these(*step));
        own.map(|(_, time)| time.as_secs_f64()).sum::<f64>()
    };
    let ratio = |[before, now]: &[Vec<Duration>; 2]| seconds(before) / seconds(now);
    // Steps that take no time have no ratio.
    let ratios: Vec<f64> = rounds.iter().map(ratio).filter(|ratio| ratio.is_finite()).collect();
    median(&ratios).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::{Rounds, gain};
    use std::time::Duration;

    #[test]
    fn a_round_in_which_one_was_held_up_says_nothing() {
        let round = |before: [u64; 2], now: [u64; 2]| {
            [before, now].map(|all| all.map(Duration::from_micros).to_vec())
        };
        let rounds: Rounds =
            vec![round([10, 50], [20, 25]), round([10, 900], [20, 25]), round([11, 50], [22, 26])];
        assert_eq!(gain(&rounds, |step| step == 0), 0.5);
        assert_eq!(gain(&rounds, |step| step == 1), 2.0);
        assert_eq!(gain(&rounds, |_| false), 1.0);
        assert_eq!(gain(&vec![round([0, 0], [0, 0])], |_| true), 1.0);
    }
}
