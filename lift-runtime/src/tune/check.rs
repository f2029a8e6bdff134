//! Are results those of the program?
//!
//! * **Parts** are compared with the reference (see `excerpts`), which takes a few hundredths of a second however large the
//!   program is: all elements where that is not too much, else some that `parts` chooses. Each may be off by a multiple
//!   of what its own floats make of it (see `tolerance`); whole numbers, of which sums are exact in any order, by
//!   nothing.
//! * **All elements** are compared with those of another form where there is one that is right: the program as it is, if
//!   the device computes that in no time, else the candidate before. And all must be numbers, if those of the parts are. What
//!   two forms disagree about is decided by the reference, computed there: no form is refused for what another does.

use super::coverage;
use super::excerpts::{Elements, Source};
use super::inputs::Inputs;
use super::tolerance::Tolerance;
use crate::threads::lock;
use crate::{Argument, Device, Error, Output, threads};
use lift_core::excerpt::{Part, Steps};
use lift_core::tune::choose;
use lift_core::types::Scalar;
use lift_core::{Program, Sizes, cost};
use std::sync::Mutex;

/// Arguments, and the results that they should give.
pub struct Reference {
    source: Source,
    arguments: Vec<Argument<'static>>,
    expected: Vec<Expected>,
    /// The results of another form, in which no mistake was found so far.
    peer: Mutex<Option<Vec<Output>>>,
}

/// Everything known of one result.
struct Expected {
    scalar: Scalar,
    shape: Vec<usize>,
    elements: Vec<Elements>,
    tolerance: Tolerance,
    /// How far any element may be off.
    most: f64,
}

/// Elements that are computed where forms disagree.
const AROUND: usize = 64;

/// Results of more bytes than this are not kept for what comes after.
const KEPT: usize = 1 << 29;

impl Reference {
    /// Of a program at these sizes.
    ///
    /// # Errors
    /// Those of building and running; [`Error::NoReference`] where no inputs have finite results.
    pub fn new(program: &Program, sizes: &Sizes, device: &Device, seed: u64) -> Result<Reference, Error> {
        let sizes = choose::tuned(program, sizes)?;
        let source = Source::new(program, &sizes, device)?;
        let built = source.build(coverage::of_all(&source, seed)?)?;
        let mut best: Option<([usize; 2], Vec<Argument<'static>>, Vec<Elements>)> = None;
        for inputs in Inputs::of(&source.signature) {
            let arguments = inputs.arguments(&source.signature, seed);
            let elements = source.run(&built, &arguments)?;
            let telling = |e: &Elements| e.telling(source.signature.results[e.result].0);
            let telling: usize = elements.iter().map(telling).sum();
            let known: usize = elements.iter().map(Elements::known).sum();
            let all = telling == elements.iter().map(|e| e.wanted.len()).sum::<usize>();
            if best.as_ref().is_none_or(|(most, ..)| [telling, known] > *most) {
                best = Some(([telling, known], arguments, elements));
            }
            if all {
                break;
            }
        }
        let known =
            best.filter(|([_, known], _, elements)| *known > 0 || elements.iter().all(Elements::is_empty));
        let Some((_, arguments, elements)) = known else {
            return Err(Error::NoReference { program: program.name().to_string() });
        };
        let expected = Expected::of_all(&source, elements);
        Ok(Reference { source, arguments, expected, peer: Mutex::default() })
    }

    /// How many operations it takes to compute what results are compared with.
    ///
    /// # Errors
    /// Those of making kernels.
    pub fn operations(program: &Program, sizes: &Sizes) -> Result<f64, Error> {
        let source = Source::new(program, &choose::tuned(program, sizes)?, &Device::cpu())?;
        Ok(cost::total(&source.plan(&coverage::of_all(&source, 0)?)?.0))
    }

    /// The arguments that candidates are run with.
    pub fn arguments(&self) -> &[Argument<'static>] {
        &self.arguments
    }

    /// Where the expected results come from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Is there more to compare than what is known, and nothing to compare it with?
    pub fn is_alone(&self) -> bool {
        self.expected.iter().any(Expected::is_partial) && lock(&self.peer).is_none()
    }

    /// Are these the results, up to rounding? What is not a number where it should be one is never right. The answer is
    /// the first that is not right, in words.
    ///
    /// # Errors
    /// Those of computing the reference where forms disagree.
    pub fn check(&self, outputs: Vec<Output>) -> Result<Result<(), String>, Error> {
        if let Err(reason) = self.parts_of(&outputs) {
            return Ok(Err(reason));
        }
        let peer = lock(&self.peer).take();
        for (n, (expected, output)) in self.expected.iter().zip(&outputs).enumerate() {
            let other = peer.as_ref().and_then(|outputs| outputs.get(n));
            for place in expected.suspicious(output, other) {
                if let Err(reason) = self.look(n, place, output)? {
                    *lock(&self.peer) = peer;
                    return Ok(Err(reason));
                }
            }
        }
        let bytes: usize = outputs.iter().map(|output| output.len() * output.scalar().bytes()).sum();
        *lock(&self.peer) = Some(outputs).filter(|_| bytes <= KEPT);
        Ok(Ok(()))
    }

    /// Are the parts right that the reference was computed for?
    ///
    /// # Errors
    /// The first element that is not, in words.
    pub fn parts_of(&self, outputs: &[Output]) -> Result<(), String> {
        if outputs.len() != self.expected.len() {
            return Err(format!("{} results instead of {}", outputs.len(), self.expected.len()));
        }
        self.expected.iter().zip(outputs).try_for_each(|(expected, output)| expected.check(output))
    }

    /// Compares what lies at a place and behind it.
    fn look(&self, n: usize, place: usize, output: &Output) -> Result<Result<(), String>, Error> {
        let count = output.len().saturating_sub(place).min(AROUND);
        let (start, count) = (i64::try_from(place).unwrap_or(0), i64::try_from(count).unwrap_or(0));
        let part = Part::Line(Steps { start, stride: 1, count });
        let built = self.source.build(vec![(n, part)])?;
        let there = self.source.run(&built, &self.arguments)?;
        Ok(there.iter().try_for_each(|elements| self.expected[n].compare(elements, output)))
    }
}

impl Elements {
    /// How many of them are numbers, with these floats and with others.
    fn known(&self) -> usize {
        self.numbers().count()
    }

    /// The number of elements of which rounding leaves something: elements too small for a program's own floats
    /// say as little as elements too large.
    fn telling(&self, scalar: Scalar) -> usize {
        let is_telling = |(w, o): &(&f64, &f64)| !scalar.is_float() || **w == 0.0 || **o < w.abs();
        self.numbers().filter(is_telling).count()
    }

    fn numbers(&self) -> impl Iterator<Item = (&f64, &f64)> {
        self.wanted.iter().zip(&self.other).filter(|(w, o)| w.is_finite() && o.is_finite())
    }

    fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }
}

impl Expected {
    fn of_all(source: &Source, elements: Vec<Elements>) -> Vec<Expected> {
        let mut each: Vec<Vec<Elements>> = source.signature.results.iter().map(|_| vec![]).collect();
        for some in elements {
            each[some.result].push(some);
        }
        let results = source.signature.results.iter().zip(each);
        results.map(|((scalar, shape), elements)| Expected::new(*scalar, shape, elements)).collect()
    }

    fn new(scalar: Scalar, shape: &[usize], elements: Vec<Elements>) -> Expected {
        let wanted: Vec<f64> = elements.iter().flat_map(|e| &e.wanted).copied().collect();
        let apart: Vec<f64> = elements.iter().flat_map(|e| &e.other).copied().collect();
        // Sums of whole numbers are exact as long as they are small: then one term of a long one is not missed.
        let exact = |v: &f64| v.fract() == 0.0 && v.abs() <= exact_to(scalar);
        let most = if wanted.iter().all(exact) { 0.5 } else { f64::INFINITY };
        let tolerance = Tolerance::new(scalar, &wanted, &apart);
        Expected { scalar, shape: shape.to_vec(), elements, tolerance, most }
    }

    fn is_partial(&self) -> bool {
        self.elements.iter().any(|elements| elements.places.is_some())
    }

    fn check(&self, output: &Output) -> Result<(), String> {
        if output.scalar() != self.scalar || output.shape() != self.shape {
            let Expected { scalar, shape, .. } = self;
            let (other, other_shape) = (output.scalar(), output.shape());
            return Err(format!("{other} of shape {other_shape:?} instead of {scalar} of shape {shape:?}"));
        }
        self.elements.iter().try_for_each(|elements| self.compare(elements, output))
    }

    fn compare(&self, elements: &Elements, output: &Output) -> Result<(), String> {
        let wrong = |i: &usize| {
            let got = output.number(elements.place(*i));
            !got.is_some_and(|got| self.is_right(got, elements.wanted[*i], elements.other[*i]))
        };
        match threads::first(elements.wanted.len(), wrong) {
            None => Ok(()),
            Some(i) => {
                let (at, wanted) = (elements.place(i), elements.wanted[i]);
                let got = output.number(at).map_or("missing".to_string(), |got| got.to_string());
                Err(format!("element {at} is {got} instead of {wanted}"))
            }
        }
    }

    fn is_right(&self, got: f64, wanted: f64, other: f64) -> bool {
        if !self.scalar.is_float() {
            return got == wanted || got == other;
        }
        if !wanted.is_finite() {
            return got == wanted || got.is_nan() && wanted.is_nan();
        }
        // A number that the program's own floats can't hold is none in any form.
        other.is_nan() || other.is_infinite() || (got - wanted).abs() <= self.allows(wanted, other)
    }

    fn allows(&self, wanted: f64, apart: f64) -> f64 {
        self.tolerance.allows(wanted, apart).min(self.most)
    }

    /// Where a result may be wrong that is right as far as it is known: the first place and the last.
    fn suspicious(&self, output: &Output, other: Option<&Output>) -> Vec<usize> {
        if !self.is_partial() {
            return vec![];
        }
        let finite = self.elements.iter().flat_map(|e| &e.wanted).all(|wanted| wanted.is_finite());
        let odd = |at: &usize| {
            let got = output.number(*at).unwrap_or(f64::NAN);
            let differs = other.and_then(|other| other.number(*at)).is_some_and(|other| {
                let alike = other == got || other.is_nan() && got.is_nan();
                let apart = (got - other).abs();
                // Both may be off.
                !alike && (apart.is_nan() || apart > 2.0 * self.allows(other, 0.0))
            });
            differs || finite && !got.is_finite()
        };
        let count = output.len();
        let first = threads::first(count, odd);
        let from_the_end = |i: &usize| odd(&(count - 1 - i));
        let last = first.and_then(|_| threads::first(count, from_the_end)).map(|i| count - 1 - i);
        first.into_iter().chain(last.filter(|last| Some(*last) != first)).collect()
    }
}

impl Elements {
    /// Where in the result an element lies.
    fn place(&self, i: usize) -> usize {
        self.places.as_ref().map_or(i, |places| places[i])
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
