//! A layer by one schedule: at each point built, run and compared, element by element.

use crate::convolution::{Data, in_order};
use crate::layers::Layer;
use crate::points::{self, Point};
use lift::schedules::Schedule;
use lift::{Argument, Device, Error, Kind, Sizes};
use ndarray::{ArrayD, Dimension};
use serde::Serialize;
use std::time::Duration;

/// A layer with its arrays in its program's order, and the result that it should have.
pub struct Trial {
    pub layer: Layer,
    arguments: Vec<ArrayD<f32>>,
    sizes: Sizes,
    expected: ArrayD<f64>,
    /// How far a result may be off: by so much of its size, or of that of results in general if that is more.
    allowed: f64,
    usual: f64,
}

/// What was found of a layer by a schedule; a line of `--json`.
#[derive(Serialize)]
pub struct Finding {
    pub layer: &'static str,
    pub schedule: &'static str,
    pub device: String,
    pub seed: u64,
    pub points: usize,
    pub right: usize,
    /// How far the worst element was off; as `allowed` counts.
    pub worst: f64,
    pub allowed: f64,
    /// Time of the fastest point's kernels, in their first run, and which it is.
    pub ms: Option<f64>,
    pub fastest: Option<String>,
    /// Why the schedule does not apply.
    pub reason: Option<String>,
    /// Points that were not right, and why.
    pub wrong: Vec<String>,
}

impl Finding {
    /// It was tried at as many points as wanted and right at all of them, or there is a reason where there should be one.
    pub fn good(&self, layer: &Layer, wanted: usize) -> bool {
        match layer.unsuited.contains(&self.schedule) {
            true => self.reason.is_some(),
            false => self.reason.is_none() && self.wrong.is_empty() && self.points >= wanted,
        }
    }
}

impl Trial {
    pub fn new(layer: &Layer, seed: u64) -> Result<Trial, Error> {
        let program = (layer.program)();
        let biased = program.params().iter().any(|p| &*p.local.name == "biases");
        let data = Data::random(&layer.convolution, biased, seed);
        let mut expected = data.convolved(&layer.convolution);
        if layer.activation {
            expected.mapv_inplace(|x| x.max(0.0));
        }
        let array = |name: &str| match name {
            "kernels" => in_order(data.weights.clone().into_dyn(), "KCYX", layer.axes.weights),
            "biases" => data.biases.clone().into_dyn(),
            _ => in_order(data.input.clone().into_dyn(), "NCYX", layer.axes.input),
        };
        let arguments: Vec<_> = program.params().iter().map(|p| array(&p.local.name)).collect();
        let free = program.free_sizes();
        let free: Vec<i64> =
            free.iter().filter_map(|s| Some(layer.convolution.size(&s.var.name)? as i64)).collect();
        let shapes: Vec<_> = arguments.iter().map(|a| a.shape().to_vec()).collect();
        let sizes = program.solve(&free, &shapes).map_err(lift::CompileError::Size)?;
        let squares: f64 = expected.iter().map(|x| x * x).sum();
        Ok(Trial {
            layer: layer.clone(),
            arguments,
            sizes,
            // Roundings of a sum are as likely up as down: they grow with the root of its length.
            allowed: f64::from(f32::EPSILON) * (16.0 + 4.0 * (layer.convolution.terms() as f64).sqrt()),
            usual: (squares / expected.len().max(1) as f64).sqrt(),
            expected: in_order(expected.into_dyn(), "NKYX", layer.axes.output),
        })
    }

    /// Tries a schedule at so many points or more, and says of each that it is the next.
    pub fn by(
        &self,
        schedule: &Schedule,
        device: &Device,
        wanted: usize,
        seed: u64,
        next: impl Fn(usize, usize, &Point),
    ) -> Finding {
        let mut finding = Finding {
            layer: self.layer.name,
            schedule: schedule.name,
            device: device.to_string(),
            seed,
            points: 0,
            right: 0,
            worst: 0.0,
            allowed: self.allowed,
            ms: None,
            fastest: None,
            reason: None,
            wrong: vec![],
        };
        let program = (self.layer.program)();
        let points = match points::points(schedule, program, &self.sizes, wanted, device.target(), seed) {
            Ok(points) => points,
            Err(refusal) => {
                finding.reason = Some(refusal.reason);
                return finding;
            }
        };
        finding.points = points.len();
        for (k, point) in points.iter().enumerate() {
            next(k, points.len(), point);
            match self.at(point, device) {
                Ok((off, time)) => {
                    finding.right += 1;
                    finding.worst = finding.worst.max(off);
                    let ms = time.as_secs_f64() * 1e3;
                    if finding.ms.is_none_or(|best| ms < best) {
                        (finding.ms, finding.fastest) = (Some(ms), Some(point.name.clone()));
                    }
                }
                Err(why) => finding.wrong.push(format!("{}: {why}", point.name)),
            }
        }
        finding
    }

    /// How far the worst element is off at a point, and the kernels' time.
    fn at(&self, point: &Point, device: &Device) -> Result<(f64, Duration), String> {
        point.seconds.as_ref().map_err(Clone::clone)?;
        let device = points::alone(device);
        let run = || {
            let values: Vec<usize> = point.sizes.0.iter().map(|(_, value)| *value as usize).collect();
            let compiled = lift::compile(&point.program, &device, &values)?;
            let arguments: Vec<Argument> = self.arguments.iter().map(Argument::from).collect();
            let (mut outputs, times) = compiled.run_spoiled(&arguments)?;
            // A convolution has one result.
            let result = outputs.remove(0).into_array::<f32>()?;
            Ok((result, times.total() + times.preparing(), compiled.memory().bytes(), compiled.allocated()))
        };
        let (result, time, planned, allocated) = run().map_err(|error: Error| error.to_string())?;
        // The built-in device works on the caller's arrays.
        if device.kind() != Kind::BuiltIn && allocated != planned {
            return Err(format!("{allocated} bytes are allocated, {planned} were planned"));
        }
        Ok((self.compare(&result)?, time))
    }

    fn compare(&self, result: &ArrayD<f32>) -> Result<f64, String> {
        if result.shape() != self.expected.shape() {
            return Err(format!("shape {:?} instead of {:?}", result.shape(), self.expected.shape()));
        }
        let mut worst = 0.0;
        for ((at, got), wanted) in result.indexed_iter().zip(&self.expected) {
            let off = (f64::from(*got) - wanted).abs() / wanted.abs().max(self.usual);
            // What is no number is never within what is allowed.
            if off.is_nan() || off > self.allowed {
                return Err(format!("{got} instead of {wanted} at {:?}", at.slice()));
            }
            worst = f64::max(worst, off);
        }
        Ok(worst)
    }
}

#[cfg(test)]
mod tests {
    use super::Trial;
    use crate::convolution::Convolution;
    use crate::flags::of_convolutions;
    use crate::layers::{Layer, layers};
    use lift::schedules::{DIRECT, Schedule};
    use lift::{Device, Error};

    /// The same kind of layer with hardly any channels and a small picture.
    fn small(layer: &Layer) -> Layer {
        let Convolution { groups, inputs, outputs, side, .. } = layer.convolution;
        let few = groups.min(2);
        let convolution = Convolution {
            groups: few,
            inputs: (inputs / groups).min(4) * few,
            outputs: (outputs / groups).min(4) * few,
            side: side.min(15),
            ..layer.convolution
        };
        Layer { convolution, ..layer.clone() }
    }

    /// On the last of the devices: one of OpenCL's, where there is one.
    fn are_right(layers: &[Layer], schedules: &[&Schedule]) -> Result<(), Error> {
        let device = Device::all().pop().expect("there is always one");
        let mut tried = 0;
        for layer in layers {
            let trial = Trial::new(&small(layer), 1)?;
            for schedule in schedules {
                let finding = trial.by(schedule, &device, 1, 2, |_, _, _| {});
                assert!(finding.good(layer, 1), "{} by {}: {:?}", layer.name, schedule.name, finding.wrong);
                tried += finding.right;
            }
        }
        assert!(tried >= schedules.len() * layers.len(), "{tried} points only");
        Ok(())
    }

    #[test]
    fn a_small_layer_is_right_by_a_schedule() -> Result<(), Error> {
        are_right(&layers()[10..11], &[&DIRECT])
    }

    #[test]
    #[ignore = "scripts/hunt runs it"]
    fn small_layers_are_right_by_every_schedule() -> Result<(), Error> {
        are_right(&layers()[10..12], &of_convolutions())
    }

    /// What is wrong is found: another element, and what is no number.
    #[test]
    fn wrong_elements_are_found() -> Result<(), Error> {
        let trial = Trial::new(&small(&layers()[0]), 1)?;
        let right = trial.expected.mapv(|x| x as f32);
        assert!(trial.compare(&right).is_ok_and(|off| off < trial.allowed));
        for wrong in [f32::NAN, f32::INFINITY, right[[1, 2, 3]] * 1.001 + 0.001] {
            let mut result = right.clone();
            result[[1, 2, 3]] = wrong;
            assert!(trial.compare(&result).is_err_and(|e| e.contains("[1, 2, 3]")), "{wrong}");
        }
        Ok(())
    }
}
