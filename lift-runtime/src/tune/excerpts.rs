//! Parts of a program's results as they should be, computed in another way than the candidates that are checked.
//!
//! It is the user's own expression, without any schedule or place, on the built-in device, with `f64` for every
//! narrower float and every sum in the order in which it is written: other rules, another path through the
//! generator, another compiler, and nearly no rounding. The same in the program's own floats says what rounding does.

use crate::{Argument, Compiled, Device, Error, Output, Signature};
use lift_core::excerpt::{Excerpt, Part};
use lift_core::kernel::Plan;
use lift_core::types::Scalar;
use lift_core::widen::Floats;
use lift_core::{Program, Sizes};

/// A program, and where its parts are computed.
pub struct Source {
    pub program: Program,
    /// All of them, `tune` parameters too.
    pub sizes: Sizes,
    pub signature: Signature,
    pub by: Device,
    /// Has it floats narrower than `f64`?
    narrow: bool,
}

/// Some elements of one result.
pub struct Elements {
    pub result: usize,
    /// Where they lie; nothing if these are all.
    pub places: Option<Vec<usize>>,
    /// What they should be.
    pub wanted: Vec<f64>,
    /// What they are with other floats: a float is so far off, an integer may be that.
    pub other: Vec<f64>,
}

/// A program of parts, built.
pub struct Parts {
    compiled: Compiled,
    parts: Vec<(usize, Part)>,
}

/// By how much less rounding does to an `f64` than to an `f32`.
const TO_DOUBLE: f64 = 1.0 / (1u64 << 29) as f64;

/// The tolerance, as a share of the number, where an `f32` can't hold the number of an `f64` program.
const BEYOND: f64 = 1.0 / (1u64 << 45) as f64;

impl Source {
    pub fn new(program: &Program, sizes: &Sizes, device: &Device) -> Result<Source, Error> {
        let signature = Signature::new(program, sizes)?;
        let by = if crate::device::has_compiler() { Device::cpu() } else { device.clone() };
        let narrow = program.widened() != *program;
        Ok(Source { program: program.clone(), sizes: sizes.clone(), signature, by, narrow })
    }

    /// The floats that say what a result should be, and others to compare that with.
    fn floats(&self, scalar: Scalar) -> [Floats; 2] {
        match (scalar.is_float(), self.narrow) {
            (true, true) => [Floats::Wide, Floats::Own],
            // Integers are what rounding makes of the program's own floats.
            (false, true) => [Floats::Own, Floats::Wide],
            (true, false) => [Floats::Own, Floats::Narrow],
            (false, false) => [Floats::Own, Floats::Own],
        }
    }

    /// # Errors
    /// [`Source::plan`]'s, and whatever can go wrong in building.
    pub fn build(&self, parts: Vec<(usize, Part)>) -> Result<Parts, Error> {
        let (plan, signature) = self.plan(&parts)?;
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers.
        let compiled = unsafe { self.by.load(plan, signature) }?;
        Ok(Parts { compiled, parts })
    }

    /// # Errors
    /// No kernels can be made of the parts.
    pub fn plan(&self, parts: &[(usize, Part)]) -> Result<(Plan, Signature), Error> {
        let excerpt = |(result, part): &(usize, Part)| {
            let (scalar, _) = self.signature.results[*result];
            self.floats(scalar).map(|floats| Excerpt { result: *result, floats, part: part.clone() })
        };
        let program = self.program.excerpts(&parts.iter().flat_map(excerpt).collect::<Vec<_>>());
        let plan = lift_core::compile(&program, &self.sizes, self.by.target())?;
        Ok((plan, Signature::new(&program, &self.sizes)?))
    }

    /// # Errors
    /// Whatever can go wrong in running.
    pub fn run(&self, parts: &Parts, arguments: &[Argument<'_>]) -> Result<Vec<Elements>, Error> {
        let mut outputs = parts.compiled.run(arguments)?.into_iter();
        let mut all = vec![];
        for (result, part) in &parts.parts {
            let (Some(wanted), Some(other)) = (outputs.next(), outputs.next()) else { break };
            let (scalar, shape) = &self.signature.results[*result];
            let places = (*part != Part::Whole).then(|| part.places(shape));
            let (wanted, other) = (wanted.numbers(), self.apart(*scalar, &wanted, &other));
            all.push(Elements { result: *result, places, wanted, other });
        }
        Ok(all)
    }

    /// How far floats are off; integers that differ count as they are.
    fn apart(&self, scalar: Scalar, wanted: &Output, other: &Output) -> Vec<f64> {
        let (wanted, other) = (wanted.numbers(), other.numbers());
        let apart = |(w, o): (f64, f64)| match (scalar.is_float(), self.narrow) {
            (false, _) => o,
            (true, true) => (w - o).abs(),
            (true, false) if o.is_finite() => (w - o).abs() * TO_DOUBLE,
            (true, false) => w.abs() * BEYOND,
        };
        wanted.into_iter().zip(other).map(apart).collect()
    }
}
