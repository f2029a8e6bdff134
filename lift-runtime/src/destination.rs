//! Arrays of the caller's that results are written into.

use crate::{Error, Output};
use lift_core::types::Scalar;

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
    /// An array whose elements lie in memory as kernels write them.
    pub(crate) fn there(scalar: Scalar, shape: &[usize], bytes: &'a mut [u8]) -> Destination<'a> {
        Destination { scalar, shape: shape.to_vec(), room: Room::There(bytes) }
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

/// A result of an earlier run.
impl<'a> From<&'a mut Output> for Destination<'a> {
    fn from(output: &'a mut Output) -> Self {
        let (scalar, shape) = (output.scalar(), output.shape.clone());
        Destination::there(scalar, &shape, output.bytes_mut())
    }
}
