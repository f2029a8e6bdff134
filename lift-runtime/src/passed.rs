//! What a typed function takes for an array: an array of the host's, or of the device's.

use crate::argument::sealed::Sealed;
use crate::{Argument, DeviceArray, Element};
use ndarray::{ArrayBase, Data, Dimension};

/// What the parameters of `run_there` take: a view or an array on the host, a [`DeviceArray`], or a reference to one of these.
/// Mixed as they come: `layer.run_there(&weights_there, biases.view(), &image_there)`.
pub trait Passed<T, D>: Sealed {
    /// The array as an argument.
    fn argument(&self) -> Argument<'_>;
}

impl<S: Data, D> Sealed for ArrayBase<S, D> {}

impl<T: Element, S: Data<Elem = T>, D: Dimension> Passed<T, D> for ArrayBase<S, D> {
    fn argument(&self) -> Argument<'_> {
        self.into()
    }
}

impl<T, D> Sealed for DeviceArray<T, D> {}

impl<T: Element, D: Dimension> Passed<T, D> for DeviceArray<T, D> {
    fn argument(&self) -> Argument<'_> {
        self.into()
    }
}

impl<P: Sealed + ?Sized> Sealed for &P {}

impl<T, D, P: Passed<T, D> + ?Sized> Passed<T, D> for &P {
    fn argument(&self) -> Argument<'_> {
        (**self).argument()
    }
}
