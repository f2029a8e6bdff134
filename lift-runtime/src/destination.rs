//! Arrays of the caller's that results are written into.

use crate::there::{DeviceOutput, Place, Stored};
use crate::{Error, Output};
use lift_core::types::Scalar;

/// Where a run puts a result: an array of the result's type and shape. Made `from` a mutable array or view of any rank and
/// layout, from a number, from a result of an earlier run, or from an array on the device.
pub struct Destination<'a> {
    scalar: Scalar,
    shape: Vec<usize>,
    room: Room<'a>,
}

enum Room<'a> {
    /// Its own memory on the host, which kernels write to.
    Here(&'a mut [u8]),
    /// It lies in memory in another way than results do: they are computed elsewhere, and copied.
    Copied(Box<dyn FnOnce(Output) -> Result<(), Error> + 'a>),
    /// It is on a device.
    There(&'a mut DeviceOutput),
}

impl<'a> Destination<'a> {
    /// An array whose elements lie in memory as kernels write them.
    pub(crate) fn here(scalar: Scalar, shape: &[usize], bytes: &'a mut [u8]) -> Destination<'a> {
        Destination { scalar, shape: shape.to_vec(), room: Room::Here(bytes) }
    }

    /// One that results are copied to.
    pub(crate) fn copied(
        scalar: Scalar,
        shape: &[usize],
        copy: impl FnOnce(Output) -> Result<(), Error> + 'a,
    ) -> Destination<'a> {
        Destination { scalar, shape: shape.to_vec(), room: Room::Copied(Box::new(copy)) }
    }

    /// The type of its elements.
    pub(crate) fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// Lengths, the outer dimension first.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The array, if it is on a device.
    pub(crate) fn there(&self) -> Option<&DeviceOutput> {
        match &self.room {
            Room::Here(_) | Room::Copied(_) => None,
            Room::There(array) => Some(array),
        }
    }
}

impl Destination<'_> {
    /// Has `read` write to it what is on a device.
    ///
    /// # Errors
    /// Those of `read`; [`Error::ResultType`] if it is on a device itself.
    pub(crate) fn fill(self, read: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<(), Error> {
        match self.room {
            Room::Here(bytes) => read(bytes),
            Room::Copied(copy) => {
                let mut output = Output::zeroed(self.scalar, &self.shape)?;
                read(output.bytes_mut())?;
                copy(output)
            }
            Room::There(array) => {
                let expected = format!("an array on {}", array.device());
                Err(Error::ResultType { expected, got: array.ty() })
            }
        }
    }
}

/// Has `run` write results to where they belong: into the destinations where kernels can, else into memory of their own,
/// from where they are copied. Arrays on the device that have clones are given other memory, of `allocate`.
pub(crate) fn write<R>(
    destinations: Vec<Destination<'_>>,
    allocate: impl Fn(usize) -> Result<Box<dyn Stored>, Error>,
    run: impl FnOnce(&mut [Place<'_>]) -> Result<R, Error>,
) -> Result<R, Error> {
    let elsewhere = |to: &Destination<'_>| match to.room {
        Room::Here(_) | Room::There(_) => Ok(None),
        Room::Copied(_) => Output::zeroed(to.scalar, &to.shape).map(Some),
    };
    let mut elsewhere = destinations.iter().map(elsewhere).collect::<Result<Vec<_>, Error>>()?;
    let (mut memory, mut copies): (Vec<Place<'_>>, Vec<_>) = (vec![], vec![]);
    for (to, output) in destinations.into_iter().zip(&mut elsewhere) {
        let (place, copy) = match (to.room, output) {
            (Room::Here(bytes), _) => (Place::Host(bytes), None),
            (Room::There(array), _) => (Place::There(array.memory(&allocate)?), None),
            (Room::Copied(copy), Some(output)) => (Place::Host(output.bytes_mut()), Some(copy)),
            // Memory was made above for each that is copied.
            (Room::Copied(copy), None) => (Place::Host(&mut []), Some(copy)),
        };
        memory.push(place);
        copies.push(copy);
    }
    let ran = run(&mut memory)?;
    for (copy, output) in copies.into_iter().zip(elsewhere) {
        if let (Some(copy), Some(output)) = (copy, output) {
            copy(output)?;
        }
    }
    Ok(ran)
}

/// A result of an earlier run.
impl<'a> From<&'a mut Output> for Destination<'a> {
    fn from(output: &'a mut Output) -> Self {
        let (scalar, shape) = (output.scalar(), output.shape.clone());
        Destination::here(scalar, &shape, output.bytes_mut())
    }
}

/// An array on the device. If it has clones, these keep what they hold, and it gets memory of its own.
impl<'a> From<&'a mut DeviceOutput> for Destination<'a> {
    fn from(array: &'a mut DeviceOutput) -> Self {
        let (scalar, shape) = (array.scalar(), array.shape().to_vec());
        Destination { scalar, shape, room: Room::There(array) }
    }
}
