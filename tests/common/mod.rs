//! What the tests of whole programs share: devices, random shapes and numbers, and the comparison
//! of results.

// Each test binary uses its own part of this.
#![allow(dead_code)]

pub mod compare;
pub mod devices;
pub mod hunt;
pub mod shapes;
pub mod values;

use lift_core::datum::Datum;
use lift_core::scalar::Value;
use lift_core::types::Type;
use lift_core::{Program, Sizes, pipeline};
use lift_runtime::{Argument, Compiled, Device};
use ndarray::ArrayD;
use values::Values;

/// A program at one shape, with arguments: ready to run anywhere.
#[derive(Clone)]
pub struct Trial<'a> {
    pub program: &'a Program,
    pub sizes: Sizes,
    pub arguments: Vec<Values>,
}

impl<'a> Trial<'a> {
    /// Random arguments for these sizes.
    pub fn new(
        program: &'a Program,
        sizes: Sizes,
        range: (f64, f64),
        random: &mut fastrand::Rng,
    ) -> Trial<'a> {
        let mut argument = |ty: &Type| {
            let shape = Program::shape(ty, &sizes).expect("small sizes");
            let scalar = ty.shape().1.as_scalar().expect("parameters are scalars or arrays of them");
            values::random(&shape, scalar, range, random)
        };
        let arguments = program.params().iter().map(|p| argument(&p.ty)).collect();
        Trial { program, sizes, arguments }
    }

    /// Random arguments with which arithmetic is exact: small whole numbers, also where the type is a
    /// float; among integers, now and then the largest and the smallest.
    pub fn exact(program: &'a Program, sizes: Sizes, random: &mut fastrand::Rng) -> Trial<'a> {
        Trial::whole(program, sizes, 9.0, random)
    }

    /// The same, up to this number.
    pub fn whole(program: &'a Program, sizes: Sizes, most: f64, random: &mut fastrand::Rng) -> Trial<'a> {
        let mut trial = Trial::new(program, sizes, (-most, most), random);
        for argument in &mut trial.arguments {
            argument.mapv_inplace(|v| match v.scalar().integer_range() {
                Some((least, most)) if random.u8(0..8) == 0 => {
                    Value::from_integer(if random.bool() { least } else { most }, v.scalar())
                }
                _ if v.scalar().is_float() => Value::from_f64(v.to_f64().round(), v.scalar()),
                _ => v,
            });
        }
        trial
    }

    /// The arguments as they are passed to a device.
    fn passed(&self) -> Vec<Argument<'static>> {
        let scalar = |ty: &Type| ty.shape().1.as_scalar().expect("parameters are scalars or arrays of them");
        let params = self.program.params().iter().map(|p| scalar(&p.ty));
        self.arguments
            .iter()
            .zip(params)
            .map(|(values, scalar)| values::argument_of(values, scalar))
            .collect()
    }

    /// The reference meaning.
    pub fn interpret(&self) -> Result<Vec<Values>, String> {
        let datum =
            pipeline::interpret(self.program, &self.sizes, &self.data()).map_err(|e| e.to_string())?;
        self.results(&datum)
    }

    /// The arguments, for the interpreter.
    pub fn data(&self) -> Vec<Datum> {
        self.arguments.iter().map(values::datum).collect()
    }

    /// What the interpreter gave, as arrays.
    pub fn results(&self, datum: &Datum) -> Result<Vec<Values>, String> {
        let one = |ty: &Type, datum: &Datum| {
            let shape = Program::shape(ty, &self.sizes).map_err(|e| e.to_string())?;
            ArrayD::from_shape_vec(shape, datum.scalars()).map_err(|e| format!("the shape of {ty}: {e}"))
        };
        match (self.program.result(), datum) {
            (Type::Tuple(types), Datum::Tuple(parts)) => {
                types.iter().zip(parts.iter()).map(|(t, p)| one(t, p)).collect()
            }
            (ty, datum) => Ok(vec![one(ty, datum)?]),
        }
    }

    /// Runs it as a caller does: shapes are solved from the arguments.
    pub fn run(&self, device: &Device) -> Result<Vec<Values>, String> {
        let free = self.program.free_sizes();
        let free: Vec<usize> =
            free.iter().map(|s| self.sizes.get(&s.var).expect("all sizes are known") as usize).collect();
        let arguments = self.passed();
        let outputs = lift_runtime::run(self.program, device, &free, &arguments).map_err(|e| match e {
            lift_runtime::Error::Build { log, text, .. } => format!("{log}\n{text}"),
            other => other.to_string(),
        })?;
        Ok(outputs.into_iter().map(values::of).collect())
    }

    /// Runs it at given values of all sizes, `tune` parameters among them.
    pub fn run_at(&self, device: &Device, sizes: &[usize]) -> Result<Vec<Values>, String> {
        let compiled = lift_runtime::compile(self.program, device, sizes).map_err(|e| match e {
            lift_runtime::Error::Build { log, text, .. } => format!("{log}\n{text}"),
            other => other.to_string(),
        })?;
        let arguments = self.passed();
        let outputs = compiled.run(&arguments).map_err(|e| e.to_string())?;
        Ok(outputs.into_iter().map(values::of).collect())
    }

    /// Runs what it was compiled to, such that what no kernel writes is no number.
    pub fn run_spoiled(&self, compiled: &Compiled) -> Result<Vec<Values>, String> {
        let (outputs, _) = compiled.run_spoiled(&self.passed()).map_err(|e| e.to_string())?;
        Ok(outputs.into_iter().map(values::of).collect())
    }
}
