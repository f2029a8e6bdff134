//! The reference meaning of a program: no device, no kernels, one element at a time.

use crate::argument::Dense;
use crate::output::Data;
use crate::signature::{Signature, solve};
use crate::{Argument, Error, Output, host, with_scalars};
use half::f16;
use lift_core::datum::{Datum, Failure};
use lift_core::scalar::Value;
use lift_core::tune::choose;
use lift_core::types::Scalar;
use lift_core::{CompileError, Program, pipeline};

/// Computes a program by the definitions of its primitives: slow, and the measure of every device's results.
/// The arguments are those of [`run`](crate::run).
///
/// # Errors
/// Arguments that don't fit the program; values for which there is no memory.
pub fn interpret(
    program: &Program,
    free: &[usize],
    arguments: &[Argument<'_>],
) -> Result<Vec<Output>, Error> {
    let sizes = choose::tuned(program, &solve(program, free, arguments)?)?;
    let signature = Signature::new(program, &sizes)?;
    // Nothing is shared between values of a program but by chance, and each is made twice.
    let numbers = pipeline::largest(program, &sizes)?;
    let bytes = numbers.saturating_mul(3 * size_of::<Datum>() as u128);
    host::reserve(&format!("interpreting `{}`", program.name()), bytes)?;
    let failure = |failure: Failure| {
        let program = program.name().to_string();
        Error::Compile(CompileError::Unsupported { program, message: failure.to_string() })
    };
    let datum = |argument| datum(argument)?.map_err(failure);
    let data = arguments.iter().map(datum).collect::<Result<Vec<Datum>, Error>>()?;
    let result = pipeline::interpret(program, &sizes, &data).map_err(failure)?;
    let parts = match &result {
        Datum::Tuple(parts) => parts.to_vec(),
        one => vec![one.clone()],
    };
    let outputs = parts.iter().zip(signature.results);
    let output =
        |(part, (scalar, shape)): (&Datum, _)| output(scalar, shape, &part.scalars()).map_err(failure);
    outputs.map(output).collect()
}

macro_rules! values {
    ($($variant:ident $ty:ident $stored:ident $convert:tt,)*) => {
        fn datum(argument: &Argument) -> Result<Result<Datum, Failure>, Error> {
            let fewer = || Failure::new("an array has fewer elements than its shape says");
            let read = |shape: &[usize], values: &mut dyn Iterator<Item = Value>| {
                Datum::from_scalars(shape, values).ok_or_else(fewer)
            };
            Ok(match argument {
                $(Argument::$variant(array) => read(array.shape(), &mut array.iter().map(|x| Value::$variant(*x))),)*
                Argument::There(array) => match argument.dense("an argument")? {
                    $(Dense::$variant(elements) => {
                        read(array.shape(), &mut elements.iter().map(|x| Value::$variant(*x)))
                    })*
                },
            })
        }

        fn output(scalar: Scalar, shape: Vec<usize>, values: &[Value]) -> Result<Output, Failure> {
            let other = |value: &Value| Failure::new(format!("a result of type {scalar} is {value:?}"));
            let data = match scalar {
                $(Scalar::$variant => Data::$variant(values.iter().map(|value| match value {
                    Value::$variant(x) => Ok($stored::from(*x)),
                    _ => Err(other(value)),
                }).collect::<Result<_, _>>()?),)*
            };
            Ok(Output { shape, data })
        }
    };
}

with_scalars!(values);
