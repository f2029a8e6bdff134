//! One layer: built, run, timed and checked.

use crate::layers::{Data, Layer};
use crate::peak::Peak;
use crate::reference;
use lift::{Compiled, Error, Purpose};
use ndarray::{Array3, Ix3};
use serde::Serialize;
use std::time::Duration;

/// What was measured of a layer; a line of `--json`.
#[derive(Serialize)]
pub struct Measurement {
    pub layer: usize,
    /// Input channels, output channels, and rows and columns of the picture.
    pub shape: [usize; 3],
    pub device: String,
    /// Schedule, options and parameters.
    pub form: String,
    /// Time of the kernels, without copies to and from the device: the median of the runs.
    pub ms: f64,
    /// Time of the kernels that are run once for the same weights.
    pub prepare_ms: f64,
    pub runs: usize,
    pub gflops: f64,
    /// As a part of what multiplications and additions alone reach: the shortest run, since what else the machine does
    /// makes runs longer, never shorter.
    pub of_peak: f64,
    /// Device memory that the compiled program takes.
    pub bytes: usize,
    /// Of these what is made of the weights once, and what is there during a run only.
    pub prepared_bytes: usize,
    pub temporary_bytes: usize,
    pub minimum_bytes: usize,
    pub im2col_bytes: usize,
    /// ‖output − reference‖ / ‖reference‖; none if it was not compared.
    pub error: Option<f64>,
    pub seed: u64,
}

/// Errors from here on are mistakes in `lift`, not rounding.
const LARGEST_ERROR: f64 = 1e-5;

impl Measurement {
    /// Nothing wrong was found. An error that is not a number is wrong.
    pub fn correct(&self) -> bool {
        self.error.is_none_or(|error| error < LARGEST_ERROR)
    }
}

/// How a layer is to be measured.
pub struct Effort {
    /// Timed runs, if the user said how many.
    pub repeat: Option<u32>,
    pub check: bool,
    pub seed: u64,
}

/// Where no number of runs is given: until this much kernel time, but no more than so many runs.
const ENOUGH: Duration = Duration::from_secs(1);
const MOST_RUNS: usize = 10;

/// A layer in the form of this name.
pub fn measure(
    form: String,
    compiled: &Compiled,
    layer: &Layer,
    effort: &Effort,
    peak: &Peak,
) -> Result<Measurement, Error> {
    let data = Data::random(layer, effort.seed);
    let Runs { output, mut times, peak, prepare } = Runs::new(compiled, &data, effort.repeat, peak)?;
    let gflops = |seconds: f64| layer.operations() as f64 / seconds / 1e9;
    times.sort_by(f64::total_cmp);
    let error = effort.check.then(|| reference::relative_error(&output, &reference::conv(&data)));
    let seconds = median(&times);
    Ok(Measurement {
        layer: layer.number,
        shape: [layer.inputs, layer.outputs, layer.side],
        device: compiled.device().name(),
        form,
        ms: seconds * 1e3,
        prepare_ms: prepare.as_secs_f64() * 1e3,
        runs: times.len(),
        gflops: gflops(seconds),
        of_peak: gflops(times[0]) / peak,
        bytes: compiled.bytes(),
        prepared_bytes: compiled.memory().bytes_for(Purpose::Prepared),
        temporary_bytes: compiled.memory().bytes_for(Purpose::Temporary),
        minimum_bytes: layer.minimum_bytes(),
        im2col_bytes: layer.im2col_bytes(),
        error,
        seed: effort.seed,
    })
}

/// What is measured after a first run, to warm up.
struct Runs {
    output: Array3<f32>,
    /// Kernel time of each, in seconds; there is at least one.
    times: Vec<f64>,
    /// The most that the device did in turn with them, in GFLOP/s.
    peak: f64,
    /// What was done once, before the first.
    prepare: Duration,
}

impl Runs {
    fn new(compiled: &Compiled, data: &Data, repeat: Option<u32>, peak: &Peak) -> Result<Runs, Error> {
        let arguments = [(&data.kernels).into(), (&data.biases).into(), (&data.input).into()];
        let (mut outputs, first) = compiled.run_timed(&arguments)?;
        let (mut times, mut most) = (vec![], 0.0);
        loop {
            times.push(compiled.run_into(&arguments, &mut outputs)?.total().as_secs_f64());
            most = peak.now()?.max(most);
            let done = match repeat {
                Some(wanted) => times.len() >= wanted as usize,
                None => times.len() == MOST_RUNS || times.iter().sum::<f64>() >= ENOUGH.as_secs_f64(),
            };
            if done {
                // A layer has one result, of three dimensions.
                let output = outputs.remove(0).into_array()?.into_dimensionality::<Ix3>();
                return Ok(Runs {
                    output: output.unwrap_or_default(),
                    times,
                    peak: most,
                    prepare: first.preparing(),
                });
            }
        }
    }
}

/// Of values in order.
fn median(values: &[f64]) -> f64 {
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::{Effort, measure};
    use crate::form::Form;
    use crate::layers::{KERNEL, LAYERS, Layer, conv_layer};
    use crate::peak::Peak;
    use lift::tune::{Choice, Tuning};
    use lift::{Device, Error};

    #[test]
    fn a_small_layer_is_right_on_every_device() -> Result<(), Error> {
        let layer = Layer { number: 0, inputs: 5, outputs: 7, side: 6 };
        let form = Form::new(Choice::default()).expect("the program itself");
        for device in Device::all() {
            let compiled = form.compile(&device, &layer)?;
            let effort = Effort { repeat: Some(2), check: true, seed: 1 };
            let measured = measure(form.name(), &compiled, &layer, &effort, &Peak::new(&device)?)?;
            assert!(measured.correct() && measured.runs == 2, "{:?} on {device}", measured.error);
            assert!(measured.bytes >= measured.minimum_bytes);
        }
        Ok(())
    }

    #[test]
    fn a_small_layer_is_right_by_every_schedule() -> Result<(), Error> {
        let layer = Layer { number: 0, inputs: 4, outputs: 8, side: 4 };
        // A convolution is no prefix sum, no transposition, and no window in planes.
        let others = ["scans", "turned", "framed"];
        for schedule in lift::schedules::SCHEDULES.iter().filter(|s| !others.contains(&s.name)) {
            let form = Form::new(schedule.name.parse().expect("a choice")).expect("it applies");
            for device in Device::all() {
                let compiled = form.compile(&device, &layer)?;
                let effort = Effort { repeat: Some(1), check: true, seed: 1 };
                let measured = measure(form.name(), &compiled, &layer, &effort, &Peak::new(&device)?)?;
                assert!(measured.correct(), "{:?} by {} on {device}", measured.error, schedule.name);
            }
        }
        let unknown = Form::new("combined Z=1".parse().expect("a choice")).map(|_| ());
        assert_eq!(unknown, Err("`combined` has no parameter `Z`, but these: D, V, R, Q".into()));
        Ok(())
    }

    /// The first layer's, worked out by hand.
    #[test]
    fn bytes_are_counted() {
        let layer = &LAYERS[0];
        assert_eq!(layer.minimum_bytes(), 4 * (224 * 224 * 3 + 27 * 64 + 64 + 224 * 224 * 64));
        assert_eq!(layer.im2col_bytes() - layer.minimum_bytes(), 4 * 224 * 224 * 27);
        assert_eq!(layer.operations(), 2 * 224 * 224 * 64 * 27);
    }

    /// What forms may take by default is what im2col would.
    #[test]
    fn by_default_forms_take_no_more_than_im2col() -> Result<(), lift::Error> {
        for layer in LAYERS {
            let sizes = [layer.outputs, KERNEL, KERNEL, layer.inputs, layer.side, layer.side];
            let tuning = Tuning::new(conv_layer::program(), &Device::cpu(), &sizes)?;
            assert_eq!(tuning.moderate_bytes(), layer.im2col_bytes(), "layer {}", layer.number);
        }
        Ok(())
    }
}
