//! A case: built for every device, prepared by every peer, compared, and timed in turn.

use crate::cases::Case;
use crate::data::{Data, difference, floats};
use crate::flags::Flags;
use crate::machine::Machine;
use crate::peer::Peers;
use crate::row::{Own, Peer, Row, median, ratios};
use lift::tune::{Limits, Tuning};
use lift::{Argument, Compiled, Device, Kind};
use std::error::Error;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Results may be apart by so much (see [`difference`]): convolutions by other algorithms, and sums in other orders.
const ALLOWED: f64 = 1e-3;

/// How long everyone runs on a processor before it counts, here and in the script: after a rest a virtual machine's cores
/// are at half their speed for some 40 milliseconds.
const WARMING: Duration = Duration::from_millis(60);

/// What a GPU runs in a row takes so long, or is so many runs: like the peers' captured graphs, in the script, but more, since events
/// also hold the start of the first.
const ROW: Duration = Duration::from_millis(2);
const MOST_IN_A_ROW: usize = 200;

/// A case in its best form on a device.
struct Built {
    compiled: Compiled,
    form: String,
    /// What it took to choose and build it, in seconds.
    build: f64,
    /// The runs of each round: medians of the kernels' time and of the whole call's, in seconds.
    rounds: Vec<(f64, f64)>,
    /// The shortest of all, and the peak then, in GFLOP/s.
    least: f64,
    peak: f64,
}

/// Measures a case; what goes wrong on the way is part of the row.
pub fn measure(
    case: &Case,
    devices: &[(Device, Machine)],
    peers: &mut Option<Peers>,
    flags: &Flags,
    say: &dyn Fn(String),
) -> Result<Row, Box<dyn Error>> {
    let data = Data::random(case, flags.seed)?;
    let arguments = data.arguments();
    let flops = case.operation.flops(&data.shapes(), &data.output);
    let mut row = Row::new(case, flops, data.bytes());
    let mut built: Vec<(usize, Built)> = vec![];
    let mut results = vec![];
    for (number, (device, _)) in devices.iter().enumerate() {
        say(format!("{} {}: building for {}", case.family, case.name, device.name()));
        match build(case, device, row.bytes, flags, say) {
            Ok(one) => {
                let outputs = one.compiled.run(&arguments)?;
                results.push(floats(outputs, &case.operation)?);
                built.push((number, one));
            }
            Err(error) => row.errors.push(format!("{}: {error}", device.name())),
        }
    }
    // Those of this library by each other, also where there is no peer.
    if let [first, others @ ..] = &results[..] {
        for other in others {
            let off = difference(other, first);
            if off > ALLOWED {
                row.errors.push(format!("results of two devices are {off:.1e} apart"));
            }
        }
    }
    let mut timed: Vec<(Peer, Vec<f64>)> = vec![];
    if let Some(peers) = peers {
        peers.give(&data)?;
        for name in peers.names() {
            say(format!("{} {}: {name}", case.family, case.name));
            let prepared = peers.prepare(&name, case, &data).and_then(|how| Ok((how, peers.result(&name)?)));
            let (how, result) = match prepared {
                Ok(prepared) => prepared,
                Err(why) => {
                    row.without.push(format!("{name}: {why}"));
                    continue;
                }
            };
            let apart = results.iter().map(|own| difference(own, &result)).fold(0.0, f64::max);
            if apart > ALLOWED {
                row.errors.push(format!("{name}'s result is {apart:.1e} apart"));
            }
            let least_us = f64::INFINITY;
            timed.push((Peer { name, how, us: 0.0, least_us, difference: apart }, vec![]));
        }
    }
    for round in 0..flags.rounds {
        say(format!("{} {}: round {} of {}", case.family, case.name, round + 1, flags.rounds));
        for (number, one) in &mut built {
            peers.iter().for_each(Peers::rest);
            one.turn(&arguments, flags.turn)?;
            one.peak = devices[*number].1.peak.now()?.max(one.peak);
        }
        if let Some(peers) = peers {
            for (peer, times) in &mut timed {
                peers.rest();
                let (median, least) = peers.time(&peer.name, flags.turn.as_secs_f64())?;
                times.push(median);
                peer.least_us = peer.least_us.min(least * 1e6);
            }
        }
    }
    for (peer, times) in &mut timed {
        peer.us = median(&mut times.clone()) * 1e6;
    }
    timed.sort_by(|a, b| a.0.us.total_cmp(&b.0.us));
    let fastest = timed.first().map(|(peer, times)| (&times[..], peer.least_us));
    for (number, one) in &built {
        let (device, machine) = &devices[*number];
        row.own.push(one.told(device, machine, &row, fastest));
    }
    row.own.sort_by(|a, b| a.us.total_cmp(&b.us));
    row.peers = timed.into_iter().map(|(peer, _)| peer).collect();
    Ok(row)
}

/// The best form that is known, or is found by a search if one is wanted.
fn build(
    case: &Case,
    device: &Device,
    arrays: usize,
    flags: &Flags,
    say: &dyn Fn(String),
) -> Result<Built, Box<dyn Error>> {
    let start = Instant::now();
    let tuning = Tuning::new((case.program)(), device, &case.sizes)?;
    if let Some(time) = flags.tune.filter(|_| tuning.front().is_empty()) {
        let limits = Limits { time, seed: flags.seed, ..Limits::default() };
        tuning.search(&limits, |progress| say(format!("{} {}: {progress}", case.family, case.name)))?;
    }
    let best = tuning.best(flags.goal.goal(arrays))?;
    let form = if best.as_written.is_some() { "as written".into() } else { best.choice.to_string() };
    let build = start.elapsed().as_secs_f64();
    Ok(Built { compiled: best.compiled, form, build, rounds: vec![], least: f64::INFINITY, peak: 0.0 })
}

impl Built {
    /// Runs for so long, after runs that warm up. Like the peers', results are written where those of the run before are, and
    /// runs on a GPU follow each other without a wait.
    fn turn(&mut self, arguments: &[Argument<'_>], time: Duration) -> Result<(), lift::Error> {
        let begin = Instant::now();
        let (mut outputs, _) = self.compiled.run_timed(arguments)?;
        while self.compiled.device().kind() != Kind::Gpu && begin.elapsed() < WARMING {
            self.compiled.run_into(arguments, &mut outputs)?;
        }
        let (mut kernels, mut calls) = (vec![], vec![]);
        let begin = Instant::now();
        while kernels.len() < 3 || begin.elapsed() < time {
            let start = Instant::now();
            let single = self.compiled.run_into(arguments, &mut outputs)?.total();
            calls.push(start.elapsed().as_secs_f64());
            let time = match self.compiled.device().kind() {
                // A single run holds the kernel's start, which in a row goes on during the kernel before it.
                Kind::Gpu => self.compiled.run_repeatedly(in_a_row(single), arguments, &mut outputs)?,
                _ => single,
            };
            kernels.push(time.as_secs_f64());
        }
        self.least = kernels.iter().copied().fold(self.least, f64::min);
        self.rounds.push((median(&mut kernels), median(&mut calls)));
        Ok(())
    }

    fn told(&self, device: &Device, machine: &Machine, row: &Row, peer: Option<(&[f64], f64)>) -> Own {
        let (least, memory) = machine.least(row.flops, row.bytes, self.peak);
        let (mut kernels, mut calls): (Vec<f64>, Vec<f64>) = self.rounds.iter().copied().unzip();
        Own {
            device: device.name(),
            form: self.form.clone(),
            build_s: self.build,
            ratio: peer.map(|(times, _)| ratios(times, &kernels)),
            call_ratio: peer.map(|(times, _)| ratios(times, &calls)),
            least_ratio: peer.map(|(_, least)| least / (self.least * 1e6)),
            least_us: self.least * 1e6,
            us: median(&mut kernels) * 1e6,
            call_us: median(&mut calls) * 1e6,
            share: least / self.least,
            of: if memory { "copies" } else { "FMAs" }.into(),
            memory: self.compiled.bytes(),
        }
    }
}

/// How many runs of this length are timed in a row.
fn in_a_row(single: Duration) -> NonZeroUsize {
    let runs = ROW.div_duration_f64(single.max(Duration::from_nanos(1)));
    NonZeroUsize::new((runs as usize).min(MOST_IN_A_ROW)).unwrap_or(NonZeroUsize::MIN)
}
