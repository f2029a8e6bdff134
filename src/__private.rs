//! What code made by `lift!` calls; no part of the interface.

pub use lift_runtime::{Entry, Output};

use lift_runtime::{Argument, DeviceArray, DeviceOutput, Element, Error};
use ndarray::{Array, ArrayView, Dimension};

pub fn array<T: Element, D: Dimension>(view: ArrayView<'_, T, D>) -> Argument<'_> {
    T::argument(view.into_dyn())
}

pub fn scalar<T: Element>(value: &T) -> Argument<'_> {
    T::argument(ndarray::aview0(value).into_dyn())
}

pub fn take_array<T: Element, D: Dimension>(output: Option<Output>) -> Result<Array<T, D>, Error> {
    let array = output.ok_or_else(missing)?.into_array::<T>()?;
    let shape = array.shape().to_vec();
    array.into_dimensionality().map_err(|_| {
        let dimensions = D::NDIM.map_or_else(|| "any number of".to_string(), |n| n.to_string());
        Error::ResultType { expected: format!("{dimensions} dimensions"), got: format!("shape {shape:?}") }
    })
}

pub fn take_scalar<T: Element>(output: Option<Output>) -> Result<T, Error> {
    output.ok_or_else(missing)?.into_scalar()
}

pub fn take_there<T: Element, D: Dimension>(
    output: Option<DeviceOutput>,
) -> Result<DeviceArray<T, D>, Error> {
    output.ok_or_else(missing)?.into_array()
}

fn missing() -> Error {
    Error::ResultType { expected: "one more result".into(), got: "none".into() }
}
