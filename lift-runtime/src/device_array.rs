//! Arrays that stay on a device, with their type and number of dimensions in Rust's types.

use crate::{Argument, Destination, Device, DeviceOutput, Element, Error, output};
use ndarray::{Array, ArrayBase, Data, DataMut, Dimension};
use std::fmt;
use std::marker::PhantomData;

/// An array on a device: copied there once by [`Device::upload`], or left there by `run_there`, and passed to any number of runs
/// in place of an array of the host.
///
/// ```no_run
/// use lift_runtime::{Argument, Device, DeviceArray};
/// # use lift_runtime::Compiled;
/// # use ndarray::{Array1, Ix1, array};
/// # fn example(device: &Device, first: &Compiled, second: &Compiled) -> Result<(), lift_runtime::Error> {
/// let x = device.upload(&array![1.0f32, 2.0])?;
/// let y = first.run_there(&[(&x).into()])?.remove(0); // stays there
/// let z = second.run_there(&[(&y).into()])?.remove(0); // no copy in between, and no wait
/// let z: DeviceArray<f32, Ix1> = z.into_array()?;
/// let host: Array1<f32> = z.download()?; // waits, and copies
/// # Ok(())
/// # }
/// ```
///
/// A value never changes under its holder. A clone is the same array, and copies nothing; where a result is written over an array
/// that has clones (`run_into(…, [&mut x])`), these keep what they hold, and the result gets memory of its own. So an argument may be
/// the destination, too: `run_into(&[(&x.clone()).into()], [&mut x])`.
///
/// The memory goes back to the device with the last clone. The device keeps some of it for further arrays, and frees that when
/// memory is short.
pub struct DeviceArray<T, D> {
    array: DeviceOutput,
    types: PhantomData<fn() -> (T, D)>,
}

/// What is uploaded, in an error's message.
const ARRAY: &str = "the array to be copied";

impl Device {
    /// Copies an array of any layout to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and what the device's driver says.
    pub fn upload<T: Element, S: Data<Elem = T>, D: Dimension>(
        &self,
        array: &ArrayBase<S, D>,
    ) -> Result<DeviceArray<T, D>, Error> {
        Ok(DeviceArray { array: self.upload_any(&array.into())?, types: PhantomData })
    }

    /// Copies an array whose type is known at run time to the device. One that is there already is not copied.
    ///
    /// # Errors
    /// As [`Device::upload`], and [`Error::OtherDevice`] for an array on another device.
    pub fn upload_any(&self, array: &Argument<'_>) -> Result<DeviceOutput, Error> {
        if let Some(there) = array.there() {
            let (expected, got) = (self.to_string(), there.device().to_string());
            return match there.is_on(self.home()) {
                true => Ok(there.clone()),
                false => Err(Error::OtherDevice { what: ARRAY.into(), expected, got }),
            };
        }
        let dense = array.dense(ARRAY)?;
        let mut copy = self.array(array.scalar(), array.shape())?;
        let bytes = dense.bytes();
        if !bytes.is_empty() {
            let memory = copy.memory(|bytes| self.allocate(bytes))?;
            self.with_room(|| memory.write(bytes))?;
        }
        Ok(copy)
    }
}

impl<T: Element, D: Dimension> DeviceArray<T, D> {
    /// Lengths, the outer dimension first.
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// Waits for the runs that write the array, and copies nothing: to take the time, say.
    ///
    /// # Errors
    /// What went wrong in these runs, as far as the driver says.
    pub fn wait(&self) -> Result<(), Error> {
        self.array.wait()
    }

    /// Waits for the runs that write the array, and copies it to the host.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and what went wrong in these runs, as far as the driver says.
    pub fn download(&self) -> Result<Array<T, D>, Error> {
        let array = self.array.download()?.into_array()?;
        array.into_dimensionality().map_err(|_| self.array.unlike::<T, D>())
    }

    /// The same into an array or a view of any layout that the caller has on the host.
    ///
    /// # Errors
    /// As [`DeviceArray::download`], and [`Error::ResultType`] for an array of another shape.
    pub fn download_into<S: DataMut<Elem = T>>(&self, array: &mut ArrayBase<S, D>) -> Result<(), Error> {
        self.array.download_into(array)
    }

    /// The same array with its type and number of dimensions known at run time only.
    pub fn into_any(self) -> DeviceOutput {
        self.array
    }

    /// The same, borrowed.
    pub fn as_any(&self) -> &DeviceOutput {
        &self.array
    }
}

impl DeviceOutput {
    /// The same array, its type and number of dimensions in Rust's types.
    ///
    /// # Errors
    /// [`Error::ResultType`] if it has others.
    pub fn into_array<T: Element, D: Dimension>(self) -> Result<DeviceArray<T, D>, Error> {
        let rank = self.shape().len();
        if self.scalar() != T::SCALAR || D::NDIM.is_some_and(|n| n != rank) {
            return Err(self.unlike::<T, D>());
        }
        Ok(DeviceArray { array: self, types: PhantomData })
    }

    /// Waits for the runs that write the array, and copies it into an array, a view, a number or a result of an earlier run that the
    /// caller has on the host.
    ///
    /// # Errors
    /// As [`DeviceOutput::download`], and [`Error::ResultType`] for what is not of this type and shape, or not on the host.
    pub fn download_into<'a>(&self, to: impl Into<Destination<'a>>) -> Result<(), Error> {
        let to: Destination<'a> = to.into();
        if (to.scalar(), to.shape()) != (self.scalar(), self.shape()) {
            let expected = output::described(to.scalar(), to.shape());
            return Err(Error::ResultType { expected, got: self.ty() });
        }
        to.fill(|bytes| self.read(bytes))
    }

    fn unlike<T: Element, D: Dimension>(&self) -> Error {
        let dimensions = D::NDIM.map_or_else(|| "any number of".to_string(), |n| n.to_string());
        Error::ResultType { expected: format!("{} in {dimensions} dimensions", T::SCALAR), got: self.ty() }
    }
}

/// An array on the device.
impl<'a, T, D> From<&'a DeviceArray<T, D>> for Argument<'a> {
    fn from(array: &'a DeviceArray<T, D>) -> Self {
        Argument::There(&array.array)
    }
}

/// An array on the device. If it has clones, these keep what they hold, and it gets memory of its own.
impl<'a, T, D> From<&'a mut DeviceArray<T, D>> for Destination<'a> {
    fn from(array: &'a mut DeviceArray<T, D>) -> Self {
        (&mut array.array).into()
    }
}

/// The same array: nothing is copied.
impl<T, D> Clone for DeviceArray<T, D> {
    fn clone(&self) -> Self {
        DeviceArray { array: self.array.clone(), types: PhantomData }
    }
}

impl<T, D> fmt::Debug for DeviceArray<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "DeviceArray({} on {})", self.array.ty(), self.array.device())
    }
}
