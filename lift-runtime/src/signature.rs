//! The types and shapes of a built program's arguments and results, at its sizes.

use crate::output::described;
use crate::{Argument, Destination, Error};
use lift_core::program::SizeError;
use lift_core::types::{Scalar, Type};
use lift_core::{CompileError, Program, Sizes};

/// A parameter of a program at fixed sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name in the program.
    pub name: String,
    /// The type of its elements, or its own if it is a scalar.
    pub scalar: Scalar,
    /// Lengths, the outer dimension first; none for a scalar.
    pub shape: Vec<usize>,
    /// The same lengths in the program's own names.
    pub lengths: Vec<String>,
}

/// The types of a program at fixed sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name of the program, for messages.
    pub program: String,
    /// In the order of the arguments.
    pub parameters: Vec<Parameter>,
    /// Scalar type and shape of each result; a scalar has no dimensions.
    pub results: Vec<(Scalar, Vec<usize>)>,
}

impl Signature {
    /// The signature of a program at these sizes.
    ///
    /// # Errors
    /// A length that does not fit 64 bits.
    pub fn new(program: &Program, sizes: &Sizes) -> Result<Signature, Error> {
        let mut parameters = vec![];
        for param in program.params() {
            let (name, scalar) = (param.local.name.to_string(), element(program, &param.ty)?);
            let lengths = param.ty.shape().0.iter().map(|length| length.to_string()).collect();
            parameters.push(Parameter { name, scalar, shape: Program::shape(&param.ty, sizes)?, lengths });
        }
        let parts = match program.result() {
            Type::Tuple(parts) => parts.to_vec(),
            one => vec![one.clone()],
        };
        let result = |ty: &Type| Ok((element(program, ty)?, Program::shape(ty, sizes)?));
        let results = parts.iter().map(result).collect::<Result<_, Error>>()?;
        Ok(Signature { program: program.name().to_string(), parameters, results })
    }

    /// Has it the same parameters and results? A form of a program has, though it may have other names for lengths: a size that is 1
    /// is the number 1 there.
    pub(crate) fn is_alike(&self, other: &Signature) -> bool {
        let same =
            |(a, b): (&Parameter, &Parameter)| (&a.name, a.scalar, &a.shape) == (&b.name, b.scalar, &b.shape);
        self.parameters.len() == other.parameters.len()
            && self.parameters.iter().zip(&other.parameters).all(same)
            && self.results == other.results
    }

    /// Are these arguments of the right number, types and shapes?
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self, arguments: &[Argument<'_>]) -> Result<(), Error> {
        let (expected, got) = (self.parameters.len(), arguments.len());
        if expected != got {
            return Err(SizeError::ArgumentCount { program: self.program.clone(), expected, got }.into());
        }
        self.parameters.iter().zip(arguments).try_for_each(|(parameter, argument)| parameter.check(argument))
    }

    /// Does every array that a result is to be written into fit it?
    ///
    /// # Errors
    /// The first that does not.
    pub(crate) fn check_destinations(&self, destinations: &[Destination<'_>]) -> Result<(), Error> {
        let (program, expected, got) = (self.program.clone(), self.results.len(), destinations.len());
        if expected != got {
            return Err(Error::DestinationCount { program, expected, got });
        }
        for (number, ((scalar, shape), to)) in self.results.iter().zip(destinations).enumerate() {
            if (*scalar, &shape[..]) != (to.scalar(), to.shape()) {
                let (expected, got) = (described(*scalar, shape), described(to.scalar(), to.shape()));
                return Err(Error::Destination { program, number, expected, got });
            }
        }
        Ok(())
    }
}

impl Parameter {
    pub(crate) fn check(&self, argument: &Argument<'_>) -> Result<(), Error> {
        same_type(&self.name, self.scalar, argument)?;
        let (argument, shape) = (self.name.clone(), argument.shape());
        if shape.len() != self.shape.len() {
            let (expected, got) = (self.shape.len(), shape.len());
            return Err(SizeError::Rank { argument, ty: self.ty(), expected, got }.into());
        }
        match (0..shape.len()).find(|d| shape[*d] != self.shape[*d]) {
            None => Ok(()),
            Some(dimension) => {
                let value = i64::try_from(self.shape[dimension]).ok();
                let (expected, got) = (self.lengths[dimension].clone(), shape[dimension]);
                Err(SizeError::Length { argument, dimension, expected, value, got }.into())
            }
        }
    }

    /// The type as a program writes it: `[[f32; W]; H]`.
    pub(crate) fn ty(&self) -> String {
        self.lengths.iter().rev().fold(self.scalar.to_string(), |ty, length| format!("[{ty}; {length}]"))
    }
}

fn same_type(name: &str, expected: Scalar, argument: &Argument<'_>) -> Result<(), Error> {
    match argument.scalar() {
        got if got == expected => Ok(()),
        got => Err(Error::ArgumentType { argument: name.to_string(), expected, got }),
    }
}

/// The sizes that make the arguments fit, everything checked that can be before building.
pub fn solve(program: &Program, free: &[usize], arguments: &[Argument<'_>]) -> Result<Sizes, Error> {
    let expected = program.free_sizes().len();
    if free.len() != expected {
        return Err(Error::SizeCount { program: program.name().to_string(), expected, got: free.len() });
    }
    let free: Vec<i64> = free.iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX)).collect();
    let shapes: Vec<Vec<usize>> = arguments.iter().map(|a| a.shape().to_vec()).collect();
    let sizes = program.solve(&free, &shapes)?;
    for (param, argument) in program.params().iter().zip(arguments) {
        same_type(&param.local.name, element(program, &param.ty)?, argument)?;
    }
    Ok(sizes)
}

/// The type of the elements of an array.
fn element(program: &Program, ty: &Type) -> Result<Scalar, Error> {
    ty.shape().1.as_scalar().ok_or_else(|| {
        let message = format!("an array passed in or out holds numbers, not {ty}");
        Error::Compile(CompileError::Unsupported { program: program.name().to_string(), message })
    })
}
