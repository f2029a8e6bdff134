//! The arrays that cases are run with, and how far results are apart.

use crate::cases::Case;
use crate::operation::Operation;
use lift::{Argument, Error, Output, Program};
use ndarray::ArrayD;

/// Arrays in the order of the program's parameters, each with its name.
pub struct Data {
    pub inputs: Vec<(String, ArrayD<f32>)>,
    /// Lengths of the result.
    pub output: Vec<usize>,
}

impl Data {
    /// Numbers evenly distributed over -1..1, or over 0..1 where they are summed up; for an arg-max all different.
    pub fn random(case: &Case, seed: u64) -> Result<Data, Error> {
        let (program, sizes) = ((case.program)(), case.named());
        let shape = |ty: &_| Program::shape(ty, &sizes).map_err(lift::CompileError::Size);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut inputs = vec![];
        for param in program.params() {
            let mut at = 0u32;
            let mut number = || {
                at = at.wrapping_add(1);
                match case.operation {
                    // An odd factor maps the numbers below 2²⁴ to themselves, in another order.
                    Operation::ArgMax => (at.wrapping_mul(0x9E37_79B1) & 0xFF_FFFF) as f32 / 16_777_216.0,
                    ref other if other.positive() => rng.f32(),
                    _ => rng.f32() * 2.0 - 1.0,
                }
            };
            let array = ArrayD::from_shape_simple_fn(shape(&param.ty)?, &mut number);
            inputs.push((param.local.name.to_string(), array));
        }
        Ok(Data { inputs, output: shape(program.result())? })
    }

    /// As a program takes them.
    pub fn arguments(&self) -> Vec<Argument<'_>> {
        self.inputs.iter().map(|(_, array)| array.into()).collect()
    }

    /// Their names and lengths.
    pub fn shapes(&self) -> Vec<(String, Vec<usize>)> {
        self.inputs.iter().map(|(name, array)| (name.clone(), array.shape().to_vec())).collect()
    }

    /// Bytes of inputs and result: the least that is read and written.
    pub fn bytes(&self) -> usize {
        let inputs: usize = self.inputs.iter().map(|(_, array)| array.len()).sum();
        size_of::<f32>() * (inputs + self.output.iter().product::<usize>())
    }
}

/// A result as floats; indices become them without loss below 2²⁴.
pub fn floats(mut outputs: Vec<Output>, operation: &Operation) -> Result<Vec<f32>, Error> {
    // Every program here has one result.
    let output = outputs.remove(0);
    match operation {
        Operation::ArgMax => Ok(output.into_array::<i32>()?.iter().map(|i| *i as f32).collect()),
        _ => Ok(output.into_array::<f32>()?.into_raw_vec_and_offset().0),
    }
}

/// The largest difference, each by the size of what is expected or by the root of the mean square of all that is
/// expected, whichever is more. What is no number, or another number of them, is infinitely far.
pub fn difference<T: Copy + Into<f64>>(results: &[f32], expected: &[T]) -> f64 {
    if results.len() != expected.len() {
        return f64::INFINITY;
    }
    let squares: f64 = expected.iter().map(|x| Into::<f64>::into(*x).powi(2)).sum();
    let usual = (squares / expected.len().max(1) as f64).sqrt().max(f64::MIN_POSITIVE);
    let apart = results.iter().zip(expected).map(|(got, wanted)| {
        let wanted: f64 = (*wanted).into();
        let off = (f64::from(*got) - wanted).abs() / wanted.abs().max(usual);
        if off.is_nan() { f64::INFINITY } else { off }
    });
    apart.fold(0.0, f64::max)
}
