//! The arguments of a call (views of arrays of any layout, arrays on the device, and scalars), and results in the types of Rust.

use crate::destination::Destination;
use crate::output::{Data, Output};
use crate::there::DeviceOutput;
use crate::{Error, host, with_scalars};
use bytemuck::Zeroable;
use half::f16;
use lift_core::scalar::Value;
use lift_core::types::Scalar;
use ndarray::{
    Array, ArrayBase, ArrayD, ArrayViewD, ArrayViewMut1, ArrayViewMutD, Axis, CowArray, DataMut, Dimension,
    IxDyn, arr0,
};
use std::borrow::Cow;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A Rust type that an array of a program can hold: `bool`, the integers of 8 to 64 bits,
/// [`half::f16`], `f32` and `f64`.
pub trait Element: Copy + Send + Sync + 'static + sealed::Sealed {
    /// The scalar type of programs that this Rust type is.
    const SCALAR: Scalar;

    /// An array argument; any layout will do.
    fn argument(view: ArrayViewD<'_, Self>) -> Argument<'_>;

    /// An array argument that borrows nothing.
    fn owned(array: ArrayD<Self>) -> Argument<'static>;

    /// A scalar argument.
    fn scalar<'a>(self) -> Argument<'a>;

    /// An array that a result is written into; any layout will do.
    fn destination(view: ArrayViewMutD<'_, Self>) -> Destination<'_>;

    /// The result as an array of this type.
    ///
    /// # Errors
    /// [`Error::ResultType`] if the result holds another type.
    fn array(result: Output) -> Result<ArrayD<Self>, Error>;
}

impl Output {
    /// The result as an array of `T`.
    ///
    /// # Errors
    /// [`Error::ResultType`] if it holds another type.
    pub fn into_array<T: Element>(self) -> Result<ArrayD<T>, Error> {
        T::array(self)
    }

    /// The result as one number.
    ///
    /// # Errors
    /// [`Error::ResultType`] if it holds another type, or more or less than one element.
    pub fn into_scalar<T: Element>(self) -> Result<T, Error> {
        let got = format!("shape {:?}", self.shape);
        let array = T::array(self)?;
        match array.iter().next() {
            Some(value) if array.len() == 1 => Ok(*value),
            _ => Err(Error::ResultType { expected: "one number".into(), got }),
        }
    }
}

macro_rules! arguments {
    ($($variant:ident $ty:ident $stored:ident $convert:tt,)*) => {
        /// One argument of a call: an array, or a scalar as an array of no dimensions.
        #[derive(Clone, Debug)]
        pub enum Argument<'a> {
            $(
                #[doc = concat!("Elements of type `", stringify!($ty), "`, borrowed where the caller's view allows it.")]
                $variant(CowArray<'a, $ty, IxDyn>),
            )*
            /// An array that is on the device already: nothing is copied. Where a program takes a number, which is passed to
            /// kernels by value, it is read first, which waits for what computes it.
            There(&'a DeviceOutput),
        }

        impl Argument<'_> {
            /// The type of its elements.
            pub fn scalar(&self) -> Scalar {
                match self {
                    $(Argument::$variant(_) => Scalar::$variant,)*
                    Argument::There(array) => array.scalar(),
                }
            }

            /// Its value, if it is a number of the host's.
            pub(crate) fn number(&self) -> Option<Value> {
                match self {
                    $(Argument::$variant(array) => match array.ndim() {
                        0 => array.first().map(|x| Value::$variant(*x)),
                        _ => None,
                    },)*
                    Argument::There(_) => None,
                }
            }

            /// Lengths, the outer dimension first.
            pub fn shape(&self) -> &[usize] {
                match self {
                    $(Argument::$variant(array) => array.shape(),)*
                    Argument::There(array) => array.shape(),
                }
            }

            /// The array, if it is on a device.
            pub(crate) fn there(&self) -> Option<&DeviceOutput> {
                match self {
                    $(Argument::$variant(_) => None,)*
                    Argument::There(array) => Some(array),
                }
            }

            /// An array of zeros.
            pub(crate) fn zeros(scalar: Scalar, shape: &[usize]) -> Argument<'static> {
                match scalar {
                    $(Scalar::$variant => Argument::$variant(ArrayD::<$ty>::default(IxDyn(shape)).into()),)*
                }
            }

            /// The same array, borrowed.
            pub(crate) fn view(&self) -> Argument<'_> {
                match self {
                    $(Argument::$variant(array) => Argument::$variant(array.view().into()),)*
                    Argument::There(array) => Argument::There(array),
                }
            }

            /// The same array in standard layout on the host, copied only if it is in another, or on a device. A view may have
            /// more elements than any memory has room for.
            pub(crate) fn dense(&self, name: &str) -> Result<Dense<'_>, Error> {
                match self {
                    $(Argument::$variant(array) => dense(array, name).map(Dense::$variant),)*
                    Argument::There(array) => Ok(match array.download()?.data {
                        $(Data::$variant(elements) => {
                            let convert: fn(Vec<$stored>) -> Vec<$ty> = $convert;
                            Dense::$variant(Cow::Owned(convert(elements)))
                        })*
                    }),
                }
            }
        }

        /// The elements of an argument in standard layout, the outer dimension slowest.
        pub(crate) enum Dense<'a> {
            $($variant(Cow<'a, [$ty]>),)*
        }

        impl Dense<'_> {
            pub(crate) fn bytes(&self) -> &[u8] {
                match self { $(Dense::$variant(elements) => bytemuck::cast_slice(elements),)* }
            }
        }

        $(
            impl sealed::Sealed for $ty {}

            /// A scalar.
            impl From<$ty> for Argument<'_> {
                fn from(scalar: $ty) -> Self {
                    Element::scalar(scalar)
                }
            }

            /// A result that is one number.
            impl<'a> From<&'a mut $ty> for Destination<'a> {
                fn from(number: &'a mut $ty) -> Self {
                    let one = ArrayViewMut1::from(std::slice::from_mut(number));
                    destination(one.index_axis_move(Axis(0), 0).into_dyn())
                }
            }

            impl Element for $ty {
                const SCALAR: Scalar = Scalar::$variant;

                fn argument(view: ArrayViewD<'_, Self>) -> Argument<'_> {
                    Argument::$variant(view.into())
                }

                fn owned(array: ArrayD<Self>) -> Argument<'static> {
                    Argument::$variant(array.into())
                }

                fn scalar<'a>(self) -> Argument<'a> {
                    Argument::$variant(arr0(self).into_dyn().into())
                }

                fn destination(view: ArrayViewMutD<'_, Self>) -> Destination<'_> {
                    destination(view)
                }

                fn array(result: Output) -> Result<ArrayD<Self>, Error> {
                    let got = result.scalar();
                    let mismatch = || Error::ResultType { expected: Self::SCALAR.to_string(), got: got.to_string() };
                    let Data::$variant(elements) = result.data else { return Err(mismatch()) };
                    let convert: fn(Vec<$stored>) -> Vec<Self> = $convert;
                    ArrayD::from_shape_vec(result.shape, convert(elements)).map_err(|_| mismatch())
                }
            }
        )*
    };
}

with_scalars!(arguments);

fn dense<'a, T: Zeroable + Clone>(
    array: &'a CowArray<'_, T, IxDyn>,
    name: &str,
) -> Result<Cow<'a, [T]>, Error> {
    if let Some(elements) = array.as_slice() {
        return Ok(Cow::Borrowed(elements));
    }
    let what = format!("a copy of `{name}`, which is not in standard layout,");
    let mut elements = host::zeros(&what, array.len())?;
    let unlike = |_| Error::ResultType { expected: format!("{:?}", array.shape()), got: "a copy".into() };
    ArrayViewMutD::from_shape(array.raw_dim(), &mut elements).map_err(unlike)?.assign(array);
    Ok(Cow::Owned(elements))
}

/// An array of any rank and layout.
impl<'a, T: Element, S: ndarray::Data<Elem = T>, D: ndarray::Dimension> From<&'a ArrayBase<S, D>>
    for Argument<'a>
{
    fn from(array: &'a ArrayBase<S, D>) -> Self {
        T::argument(array.view().into_dyn())
    }
}

/// An array on the device.
impl<'a> From<&'a DeviceOutput> for Argument<'a> {
    fn from(array: &'a DeviceOutput) -> Self {
        Argument::There(array)
    }
}

/// An array that the argument owns.
impl<T: Element, D: Dimension> From<Array<T, D>> for Argument<'static> {
    fn from(array: Array<T, D>) -> Self {
        T::owned(array.into_dyn())
    }
}

fn destination<T: Written>(mut view: ArrayViewMutD<'_, T>) -> Destination<'_> {
    let shape = view.shape().to_vec();
    if T::IN_PLACE && view.is_standard_layout() {
        return Destination::here(T::SCALAR, &shape, view.into_slice().map_or(&mut [], T::bytes));
    }
    Destination::copied(T::SCALAR, &shape, move |output| {
        view.assign(&output.into_array()?);
        Ok(())
    })
}

/// Elements as kernels write them. A `bool` must be 0 or 1, which Rust can't believe of kernels: those are copied.
trait Written: Element {
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
