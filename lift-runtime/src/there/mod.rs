//! Arrays that stay on a device, their type and lengths known at run time.

mod home;
mod operand;

pub(crate) use home::{Home, Stored};
pub(crate) use operand::{Operand, Place};

use crate::{Error, Output, output};
use home::Contents;
use lift_core::types::Scalar;
use std::fmt;
use std::sync::Arc;

/// An array on a device whose type and lengths are known at run time: a result of [`crate::Compiled::run_there`], or what
/// [`crate::Device::upload_any`] copied there. An argument, and a place for results, like [`crate::DeviceArray`], which has both in
/// its type.
///
/// A value never changes under its holder. A clone is the same array, and copies nothing; where a result is written over an array that
/// has clones, these keep what they hold, and the result gets memory of its own.
#[derive(Clone)]
pub struct DeviceOutput {
    scalar: Scalar,
    shape: Vec<usize>,
    contents: Arc<Contents>,
}

impl DeviceOutput {
    /// An array of this type and shape, with anything in it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and what the device's driver says.
    pub(crate) fn new(
        home: &Arc<Home>,
        scalar: Scalar,
        shape: &[usize],
        allocate: impl FnOnce(usize) -> Result<Box<dyn Stored>, Error>,
    ) -> Result<DeviceOutput, Error> {
        let contents = Contents::new(home, bytes(scalar, shape), allocate)?;
        Ok(DeviceOutput { scalar, shape: shape.to_vec(), contents: Arc::new(contents) })
    }

    /// The type of its elements.
    pub fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// Lengths, the outer dimension first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Waits for the runs that write the array, and copies it to the host.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and what went wrong in these runs, as far as the driver says.
    pub fn download(&self) -> Result<Output, Error> {
        let mut output = Output::zeroed(self.scalar, &self.shape)?;
        self.read(output.bytes_mut())?;
        Ok(output)
    }

    /// Waits for the runs that write the array, and copies nothing: to take the time, say.
    ///
    /// # Errors
    /// What went wrong in these runs, as far as the driver says.
    pub fn wait(&self) -> Result<(), Error> {
        self.contents.memory().wait()
    }

    /// Copies the elements to this memory, which has as many bytes.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        if bytes.is_empty() { Ok(()) } else { self.contents.memory().read(bytes) }
    }

    /// Is it on this device?
    pub(crate) fn is_on(&self, home: &Arc<Home>) -> bool {
        Arc::ptr_eq(&self.contents.home, home)
    }

    /// What its device is called.
    pub(crate) fn device(&self) -> &str {
        &self.contents.home.device
    }

    /// To be read by a run.
    pub(crate) fn operand(&self) -> Operand<'_> {
        Operand::There { memory: self.contents.memory(), identity: self.contents.identity }
    }

    /// To be written by a run: memory that nobody else reads, the array's own where it has no clones.
    pub(crate) fn memory(
        &mut self,
        allocate: impl FnOnce(usize) -> Result<Box<dyn Stored>, Error>,
    ) -> Result<&mut dyn Stored, Error> {
        if Arc::get_mut(&mut self.contents).is_none() {
            let fresh = Contents::new(&self.contents.home, bytes(self.scalar, &self.shape), allocate)?;
            self.contents = Arc::new(fresh);
        }
        match Arc::get_mut(&mut self.contents) {
            Some(contents) => Ok(contents.memory_mut()),
            None => unreachable!("what was just made has no clones"),
        }
    }

    /// As a program writes its type: `[[f32; 3]; 2]`.
    pub(crate) fn ty(&self) -> String {
        output::described(self.scalar, &self.shape)
    }
}

/// Too large a product saturates: no device has that much.
fn bytes(scalar: Scalar, shape: &[usize]) -> usize {
    shape.iter().fold(scalar.bytes(), |bytes, length| bytes.saturating_mul(*length))
}

impl fmt::Debug for DeviceOutput {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "DeviceOutput({} on {})", self.ty(), self.device())
    }
}
