//! What every figure is measured with: the device, limits, progress, and where rows go.

use crate::figure::Figure;
use crate::flags::Effort;
use crate::layers::{KERNEL, LAYERS, Layer, conv_layer};
use crate::sheet::Sheet;
use indicatif::{ProgressBar, ProgressStyle};
use lift::tune::{Choice, Limits, Store, Tuning};
use lift::{Device, Error};
use serde::Serialize;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub struct Session {
    pub effort: Effort,
    pub device: Device,
    /// As it was typed, for whoever wants to know how a figure came about.
    command: String,
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// Ctrl-C ends what is being measured, and what was measured is drawn; a second one ends the program.
    pub fn new(effort: &Effort, command: String) -> Result<Session, Box<dyn std::error::Error>> {
        let stop = Arc::new(AtomicBool::new(false));
        flag::register_conditional_shutdown(SIGINT, 130, stop.clone())?;
        flag::register(SIGINT, stop.clone())?;
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}")?);
        bar.enable_steady_tick(Duration::from_millis(200));
        let device = Device::named(&effort.device)?;
        Ok(Session { effort: effort.clone(), device, command, bar, stop })
    }

    /// Those that were asked for, or these.
    pub fn layers(&self, usual: &[usize]) -> Vec<Layer> {
        match &self.effort.layers[..] {
            [] => LAYERS.into_iter().filter(|layer| usual.contains(&layer.number)).collect(),
            asked => asked.to_vec(),
        }
    }

    pub fn tuning(&self, layer: &Layer) -> Result<Tuning, Error> {
        let Layer { inputs, outputs, side, .. } = *layer;
        let sizes = conv_layer::Sizes { K: outputs, KH: KERNEL, KW: KERNEL, C: inputs, H: side, W: side };
        let tuning = conv_layer::tuning(&self.device, sizes)?;
        let store = self.effort.store.clone().map(Store::new);
        Ok(if store.is_some() { tuning.stored(store) } else { tuning })
    }

    pub fn limits(&self, time: Duration) -> Limits {
        let Effort { candidate_time, seed, worker, .. } = self.effort.clone();
        let candidates = self.effort.candidates.unwrap_or(usize::MAX);
        let stop = self.stop.clone();
        Limits { time, candidates, candidate_time, seed, worker, stop, ..Limits::default() }
    }

    pub fn time(&self, usual: Duration) -> Duration {
        self.effort.tune.unwrap_or(usual)
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn say(&self, what: String) {
        self.bar.set_message(what);
    }

    /// What stays on the terminal.
    pub fn warn(&self, what: &str) {
        self.bar.suspend(|| eprintln!("figures: {what}"));
    }

    /// A row as it is measured.
    pub fn tell(&self, row: &impl Serialize) -> serde_json::Result<()> {
        if self.effort.json {
            let line = serde_json::to_string(row)?;
            self.bar.suspend(|| println!("{line}"));
        }
        Ok(())
    }

    /// Writes a figure's rows and draws them; where they are of a device, the files' names end with its name as
    /// it was asked for.
    pub fn keep<R: Serialize>(
        &self,
        figure: &Figure,
        rows: &[R],
    ) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
        let device = self.effort.device.replace(|c: char| !c.is_ascii_alphanumeric(), "_").to_lowercase();
        let (name, device) = match figure.of_device {
            true => (format!("{}-{device}.csv", figure.name), self.device.to_string()),
            false => (format!("{}.csv", figure.name), "any device".into()),
        };
        let path = self.effort.out.join(name);
        Sheet::new(&self.command, &device, rows)?.write(&path)?;
        let drawn = crate::figure::draw(&path)?;
        self.bar.finish_and_clear();
        Ok(vec![path, drawn])
    }
}

/// The schedule's name, and that of a program without.
pub fn schedule(choice: &Choice) -> String {
    choice.schedule.clone().unwrap_or_else(|| "no schedule".into())
}

/// 10⁹ operations a second.
pub fn gflops(layer: &Layer, time: Duration) -> f64 {
    layer.operations() as f64 / time.as_secs_f64() / 1e9
}

/// For what takes as long as it takes.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
