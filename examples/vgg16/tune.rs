//! Looking for a layer's fastest form: progress on the way, and Ctrl-C.

use crate::layers::{KERNEL, Layer, conv_layer};
use indicatif::ProgressBar;
use lift::tune::{Best, Goal, Limits};
use lift::{Device, Error};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub struct Tuner {
    /// None where nothing is searched for.
    limits: Option<Limits>,
    /// Also layers whose forms are kept from another time.
    again: bool,
}

impl Tuner {
    /// Ctrl-C ends the search; a second one the program.
    pub fn new(time: Duration, seed: u64, again: bool) -> std::io::Result<Tuner> {
        let stop = Arc::new(AtomicBool::new(false));
        flag::register_conditional_shutdown(SIGINT, 130, stop.clone())?;
        flag::register(SIGINT, stop.clone())?;
        Ok(Tuner { limits: Some(Limits { time, seed, stop, ..Limits::default() }), again })
    }

    /// One that takes what there is.
    pub fn known() -> Tuner {
        Tuner { limits: None, again: false }
    }

    pub fn stopped(&self) -> bool {
        self.limits.as_ref().is_some_and(|limits| limits.stop.load(Ordering::Relaxed))
    }

    /// The best form that is known, after a search if none was found before.
    pub fn best(&self, device: &Device, layer: &Layer, bar: &ProgressBar) -> Result<Best, Error> {
        let Layer { inputs, outputs, side, .. } = *layer;
        let sizes = conv_layer::Sizes { K: outputs, KH: KERNEL, KW: KERNEL, C: inputs, H: side, W: side };
        let tuning = conv_layer::tuning(device, sizes)?;
        if let Some(limits) = &self.limits
            && (self.again || tuning.front().is_empty())
        {
            let report = tuning.search(limits, |progress| {
                bar.set_message(format!("layer {}: {progress}", layer.number));
            })?;
            bar.suspend(|| eprintln!("layer {}: {report}", layer.number));
            if let Some(error) = report.unsaved {
                bar.suspend(|| eprintln!("vgg16: what was found is not kept: {error}"));
            }
        }
        tuning.best(Goal::default())
    }
}
