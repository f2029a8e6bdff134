//! Arrays of the caller's that results are written into.

use crate::argument::Element;
use crate::signature::Signature;
use crate::{Error, Output};
use half::f16;
use lift_core::types::Scalar;
use ndarray::{ArrayBase, ArrayViewMutD, DataMut, Dimension};

/// Where a run puts a result: an array of the result's type and shape. Made `from` a mutable array or view of any rank and
/// layout, from a number, or from a result of an earlier run.
pub struct Destination<'a> {
    scalar: Scalar,
    shape: Vec<usize>,
    room: Room<'a>,
}

enum Room<'a> {
    /// Its own memory, which kernels write to.
    There(&'a mut [u8]),
    /// It lies in memory in another way than results do: they are computed elsewhere, and copied.
    Copied(Box<dyn FnOnce(Output) -> Result<(), Error> + 'a>),
}

impl<'a> Destination<'a> {
    pub(crate) fn of<T: Written>(mut view: ArrayViewMutD<'a, T>) -> Destination<'a> {
        let shape = view.shape().to_vec();
        let room = if T::IN_PLACE && view.is_standard_layout() {
            Room::There(view.into_slice().map_or(&mut [], T::bytes))
        } else {
            Room::Copied(Box::new(move |output| {
                view.assign(&output.into_array()?);
                Ok(())
            }))
        };
        Destination { scalar: T::SCALAR, shape, room }
    }

    /// The array's type, as programs write it.
    fn ty(&self) -> String {
        described(self.scalar, &self.shape)
    }
}

fn described(scalar: Scalar, shape: &[usize]) -> String {
    shape.iter().rev().fold(scalar.to_string(), |ty, length| format!("[{ty}; {length}]"))
}

/// Fits every destination the result that it is for?
///
/// # Errors
/// The first that does not.
pub(crate) fn check(signature: &Signature, destinations: &[Destination<'_>]) -> Result<(), Error> {
    let (program, expected, got) = (&signature.program, signature.results.len(), destinations.len());
    if expected != got {
        return Err(Error::DestinationCount { program: program.clone(), expected, got });
    }
    for (number, ((scalar, shape), to)) in signature.results.iter().zip(destinations).enumerate() {
        if (scalar, shape) != (&to.scalar, &to.shape) {
            let (expected, got) = (described(*scalar, shape), to.ty());
            return Err(Error::Destination { program: program.clone(), number, expected, got });
        }
    }
    Ok(())
}

/// Has `run` write results to where they belong: into the destinations where kernels can, else into memory of their own,
/// from where they are copied.
pub(crate) fn write<R>(
    destinations: Vec<Destination<'_>>,
    run: impl FnOnce(&mut [&mut [u8]]) -> Result<R, Error>,
) -> Result<R, Error> {
    let elsewhere = |to: &Destination<'_>| match to.room {
        Room::There(_) => Ok(None),
        Room::Copied(_) => Output::zeroed(to.scalar, &to.shape).map(Some),
    };
    let mut elsewhere = destinations.iter().map(elsewhere).collect::<Result<Vec<_>, Error>>()?;
    let (mut memory, mut copies): (Vec<&mut [u8]>, Vec<_>) = (vec![], vec![]);
    for (to, output) in destinations.into_iter().zip(&mut elsewhere) {
        match (to.room, output) {
            (Room::There(bytes), _) => {
                memory.push(bytes);
                copies.push(None);
            }
            (Room::Copied(copy), Some(output)) => {
                memory.push(output.bytes_mut());
                copies.push(Some(copy));
            }
            // Memory was made above for each that is copied.
            (Room::Copied(_), None) => memory.push(&mut []),
        }
    }
    let ran = run(&mut memory)?;
    for (copy, output) in copies.into_iter().zip(elsewhere) {
        if let (Some(copy), Some(output)) = (copy, output) {
            copy(output)?;
        }
    }
    Ok(ran)
}

/// Elements as kernels write them. A `bool` must be 0 or 1, which Rust can't believe of kernels: those are copied.
pub trait Written: Element {
    /// Do kernels write them where they are?
    const IN_PLACE: bool;

    /// Their memory.
    fn bytes(elements: &mut [Self]) -> &mut [u8];
}

macro_rules! written {
    ($($ty:ident)*) => {
        $(impl Written for $ty {
            const IN_PLACE: bool = true;

            fn bytes(elements: &mut [Self]) -> &mut [u8] {
                bytemuck::cast_slice_mut(elements)
            }
        })*
    };
}

written!(u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64);

impl Written for bool {
    const IN_PLACE: bool = false;

    fn bytes(_: &mut [Self]) -> &mut [u8] {
        &mut []
    }
}

/// An array of any rank and layout.
impl<'a, T: Element, S: DataMut<Elem = T>, D: Dimension> From<&'a mut ArrayBase<S, D>> for Destination<'a> {
    fn from(array: &'a mut ArrayBase<S, D>) -> Self {
        T::destination(array.view_mut().into_dyn())
    }
}

/// A result of an earlier run.
impl<'a> From<&'a mut Output> for Destination<'a> {
    fn from(output: &'a mut Output) -> Self {
        let (scalar, shape) = (output.scalar(), output.shape.clone());
        Destination { scalar, shape, room: Room::There(output.bytes_mut()) }
    }
}
