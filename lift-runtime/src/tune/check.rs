//! What results should be, found in another way than the one that is checked.
//!
//! The reference is the user's own expression, without any schedule, on the built-in CPU device,
//! with `f64` for every float: other rules, another generator's path, another compiler, and nearly
//! no rounding. A program whose results are no floats keeps its types, since there rounding may
//! decide.

use super::inputs::Inputs;
use crate::{Argument, Device, Error, Output, Signature};
use lift_core::types::Scalar;
use lift_core::{Program, Sizes, cost, pipeline};

/// Arguments, and the results that they should have.
pub struct Reference {
    pub inputs: Inputs,
    pub seed: u64,
    expected: Vec<Expected>,
}

struct Expected {
    scalar: Scalar,
    shape: Vec<usize>,
    values: Vec<f64>,
    /// How far a result may be off at its own size 1.
    tolerance: f64,
    /// The root of the mean square: what sums whose terms cancel are measured by.
    scale: f64,
    /// How far any result may be off.
    most: f64,
}

impl Reference {
    /// Of a program at these sizes.
    ///
    /// # Errors
    /// Those of building and running; [`Error::NoReference`] where no inputs have finite results.
    pub fn new(program: &Program, sizes: &Sizes, device: &Device, seed: u64) -> Result<Reference, Error> {
        let sizes = pipeline::tuned(program, sizes)?;
        let signature = Signature::new(program, &sizes)?;
        let floats = signature.results.iter().all(|(scalar, _)| scalar.is_float());
        let widened = if floats { program.widened() } else { program.clone() };
        let by = if crate::device::has_compiler() { Device::cpu() } else { device.clone() };
        let plan = lift_core::compile(&widened, &sizes)?;
        let results: f64 = signature.results.iter().map(|(_, shape)| elements(shape) as f64).sum();
        let kernels = plan.launches.iter().map(|launch| &plan.kernels[launch.kernel]);
        let terms = kernels.map(|k| cost::operations(&plan, k)).sum::<f64>() / results.max(1.0);
        let of_widened = Signature::new(&widened, &sizes)?;
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers.
        let compiled = unsafe { by.load(plan, of_widened.clone()) }?;
        for inputs in Inputs::of(&signature) {
            let outputs = compiled.run(&inputs.arguments(&of_widened, seed))?;
            let expected: Vec<Expected> = signature
                .results
                .iter()
                .zip(outputs)
                .map(|((scalar, shape), output)| Expected::new(*scalar, shape, &output, terms))
                .collect();
            if expected.iter().all(Expected::is_finite) {
                return Ok(Reference { inputs, seed, expected });
            }
        }
        Err(Error::NoReference { program: program.name().to_string() })
    }

    pub fn arguments(&self, signature: &Signature) -> Vec<Argument<'static>> {
        self.inputs.arguments(signature, self.seed)
    }

    /// Are these the results, up to rounding? What is not a number is never right.
    ///
    /// # Errors
    /// The first that is not, in words.
    pub fn check(&self, outputs: &[Output]) -> Result<(), String> {
        if outputs.len() != self.expected.len() {
            return Err(format!("{} results instead of {}", outputs.len(), self.expected.len()));
        }
        self.expected.iter().zip(outputs).try_for_each(|(expected, output)| expected.check(output))
    }
}

impl Expected {
    fn new(scalar: Scalar, shape: &[usize], output: &Output, terms: f64) -> Expected {
        let values = output.numbers();
        let squares: f64 = values.iter().map(|v| v * v).sum();
        let scale = (squares / values.len().max(1) as f64).sqrt();
        // Roundings of a sum are as likely up as down: they grow with the root of its length.
        let tolerance = epsilon(scalar) * (16.0 + 4.0 * terms.max(0.0).sqrt());
        // Sums of whole numbers are exact as long as they are small: then one term of a long one is not missed.
        let exact = |v: &f64| v.fract() == 0.0 && v.abs() <= exact_to(scalar);
        let most = if values.iter().all(exact) { 0.5 } else { f64::INFINITY };
        Expected { scalar, shape: shape.to_vec(), values, tolerance, scale, most }
    }

    /// Can its type hold all of it, and are there numbers for how far it may be off?
    fn is_finite(&self) -> bool {
        let largest = match self.scalar {
            Scalar::F16 => 65_504.0,
            Scalar::F32 => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        self.scale.is_finite() && self.values.iter().all(|v| v.abs() <= largest)
    }

    fn check(&self, output: &Output) -> Result<(), String> {
        if output.scalar() != self.scalar || output.shape() != self.shape {
            let Expected { scalar, shape, .. } = self;
            return Err(format!(
                "{} of shape {:?} instead of {scalar} of shape {shape:?}",
                output.scalar(),
                output.shape()
            ));
        }
        for (at, (got, wanted)) in output.numbers().into_iter().zip(&self.values).enumerate() {
            let allowed = (self.tolerance * wanted.abs().max(self.scale)).min(self.most);
            let apart = (got - wanted).abs();
            if apart.is_nan() || apart > allowed {
                return Err(format!("element {at} is {got} instead of {wanted}"));
            }
        }
        Ok(())
    }
}

/// The distance from 1 to the next number; integers are exact.
fn epsilon(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => 2f64.powi(-10),
        Scalar::F32 => f64::from(f32::EPSILON),
        Scalar::F64 => f64::EPSILON,
        _ => 0.0,
    }
}

/// A sum of whole numbers is exact if it is no larger than this, for what was added up on the way is hardly larger. And
/// what is computed otherwise, by powers say, is off by less than 1/2.
fn exact_to(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => 2f64.powi(10),
        Scalar::F32 => 2f64.powi(18),
        _ => 2f64.powi(45),
    }
}

fn elements(shape: &[usize]) -> usize {
    shape.iter().product()
}
