//! What is told of a network: its steps, and the totals.

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use lift::graph::Network;
use lift::{Argument, Device, DeviceOutput, Purpose};
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// A name of nodes that is longer is cut.
const LONGEST: usize = 60;

#[derive(Serialize)]
pub struct Report {
    model: String,
    device: String,
    /// Seconds to read the model and check the graph, to choose forms and build them, and of the first run, in which weights are
    /// prepared.
    read: f64,
    compiled: f64,
    first: f64,
    /// Milliseconds of a run whose inputs are on the device and whose outputs stay there: the median, and the least.
    ms: f64,
    least_ms: f64,
    /// The median of a run with copies of its inputs and outputs from and to the host.
    copied_ms: f64,
    /// Milliseconds of all kernels of a run, each its median.
    kernels_ms: f64,
    launches: usize,
    /// Bytes of arrays between steps, of weights as they are and prepared, and of inputs and outputs.
    activations: usize,
    weights: usize,
    arguments: usize,
    steps: Vec<Step>,
}

/// One measured run, in the three ways that tell different times.
pub struct Run {
    /// On arrays of the device, from start to end.
    pub there: Duration,
    /// On arrays of the host, copies included.
    pub copied: Duration,
    /// Of each step, as the device says.
    pub steps: Vec<Duration>,
}

impl Run {
    /// `inputs` of the host, and the same on the device.
    pub fn of(
        network: &Network,
        inputs: &[Argument<'_>],
        there: &[DeviceOutput],
    ) -> Result<Run, lift::Error> {
        let there: Vec<Argument<'_>> = there.iter().map(Argument::from).collect();
        let start = Instant::now();
        let mut outputs = network.run_there(&there)?;
        outputs.iter().try_for_each(DeviceOutput::wait)?;
        let on_device = start.elapsed();
        let times = network.run_into(&there, &mut outputs)?;
        let start = Instant::now();
        network.run(inputs)?;
        Ok(Run { there: on_device, copied: start.elapsed(), steps: network.by_step(&times) })
    }
}

#[derive(Serialize)]
struct Step {
    nodes: Vec<String>,
    form: String,
    launches: usize,
    ms: f64,
}

impl Report {
    pub fn new(
        model: &Path,
        device: &Device,
        network: &Network,
        [read, compiled, first]: [Duration; 3],
        runs: &[Run],
    ) -> Report {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let median = |mut times: Vec<Duration>| {
            times.sort();
            times.get(times.len() / 2).copied().map_or(0.0, ms)
        };
        let prepares = &network.memory().prepares;
        let steps = network.steps().iter().enumerate().map(|(k, step)| Step {
            nodes: step.nodes.clone(),
            form: step.choice.to_string(),
            launches: prepares[step.launches.clone()].iter().filter(|prepares| !**prepares).count(),
            ms: median(runs.iter().map(|run| run.steps[k]).collect()),
        });
        let steps: Vec<Step> = steps.collect();
        let whole = |of: &[Purpose]| of.iter().map(|purpose| network.memory().bytes_for(*purpose)).sum();
        Report {
            model: model.display().to_string(),
            device: device.to_string(),
            read: read.as_secs_f64(),
            compiled: compiled.as_secs_f64(),
            first: first.as_secs_f64(),
            ms: median(runs.iter().map(|run| run.there).collect()),
            least_ms: runs.iter().map(|run| run.there).min().map_or(0.0, ms),
            copied_ms: median(runs.iter().map(|run| run.copied).collect()),
            kernels_ms: steps.iter().map(|step| step.ms).sum(),
            launches: steps.iter().map(|step| step.launches).sum(),
            activations: whole(&[Purpose::Temporary]),
            weights: whole(&[Purpose::Constant, Purpose::Prepared]),
            arguments: whole(&[Purpose::Input, Purpose::Output]),
            steps,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(ASCII_MARKDOWN);
        table.set_header(["nodes", "form", "launches", "ms", "of all"]);
        for column in table.column_iter_mut().skip(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for step in self.steps.iter().filter(|step| step.launches > 0) {
            let mut nodes = step.nodes.join(" ");
            if nodes.chars().count() > LONGEST {
                nodes = nodes.chars().take(LONGEST).chain("…".chars()).collect();
            }
            let share = 100.0 * step.ms / self.kernels_ms.max(f64::MIN_POSITIVE);
            table.add_row([
                nodes,
                step.form.clone(),
                step.launches.to_string(),
                format!("{:.3}", step.ms),
                format!("{share:.1} %"),
            ]);
        }
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        writeln!(f, "{} on {}", self.model, self.device)?;
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "a run on arrays that are on the device: {:.2} ms (the shortest {:.2}); {:.2} in {} kernels; {:.2} with copies from and \
             to the host",
            self.ms, self.least_ms, self.kernels_ms, self.launches, self.copied_ms
        )?;
        writeln!(
            f,
            "before it: {:.2} s to put the graph together, {:.2} s to choose and build kernels, {:.2} s in the first run",
            self.read, self.compiled, self.first
        )?;
        write!(
            f,
            "memory: {:.1} MB between steps, {:.1} MB of weights, {:.1} MB of inputs and outputs",
            megabytes(self.activations),
            megabytes(self.weights),
            megabytes(self.arguments)
        )
    }
}
