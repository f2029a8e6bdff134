//! The results of a run.

use crate::{Error, host, with_scalars};
use half::f16;
use lift_core::types::Scalar;

/// One result of a run: an array, or a scalar as an array of no dimensions.
#[derive(Debug)]
pub struct Output {
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Data,
}

macro_rules! outputs {
    ($($variant:ident $ty:ident $stored:ident $convert:tt,)*) => {
        /// The elements, outer dimension slowest.
        #[derive(Debug)]
        pub(crate) enum Data {
            $($variant(Vec<$stored>),)*
        }

        impl Data {
            fn zeroed(scalar: Scalar, length: usize) -> Result<Data, Error> {
                match scalar {
                    $(Scalar::$variant => host::zeros("the result", length).map(Data::$variant),)*
                }
            }
        }

        impl Output {
            /// The type of its elements.
            pub fn scalar(&self) -> Scalar {
                match self.data { $(Data::$variant(_) => Scalar::$variant,)* }
            }

            /// The elements as numbers; exact for all but large 64-bit integers.
            pub(crate) fn numbers(&self) -> Vec<f64> {
                match &self.data {
                    $(Data::$variant(elements) => {
                        elements.iter().map(|x| x.number()).collect()
                    })*
                }
            }

            /// One of the elements, as they lie in memory; none beyond the last.
            pub(crate) fn number(&self, at: usize) -> Option<f64> {
                match &self.data { $(Data::$variant(elements) => elements.get(at).map(|x| x.number()),)* }
            }

            /// How many elements there are.
            pub(crate) fn len(&self) -> usize {
                match &self.data { $(Data::$variant(elements) => elements.len(),)* }
            }

            pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
                match &mut self.data { $(Data::$variant(elements) => bytemuck::cast_slice_mut(elements),)* }
            }
        }
    };
}

with_scalars!(outputs);

/// A stored element as a number.
trait Number: Copy {
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($ty:ident)*) => {
        $(impl Number for $ty {
            fn number(self) -> f64 {
                self as f64
            }
        })*
    };
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

impl Number for f16 {
    fn number(self) -> f64 {
        self.to_f64()
    }
}

impl Output {
    /// An array of zeros.
    pub(crate) fn zeroed(scalar: Scalar, shape: &[usize]) -> Result<Output, Error> {
        // Too large a product saturates: it is refused below, and need not be exact.
        let length = shape.iter().fold(1usize, |n, d| n.saturating_mul(*d));
        let data = Data::zeroed(scalar, length)?;
        Ok(Output { shape: shape.to_vec(), data })
    }

    /// Lengths, the outer dimension first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
}

/// An array's type as a program writes it: `[[f32; 3]; 2]`.
pub(crate) fn described(scalar: Scalar, shape: &[usize]) -> String {
    shape.iter().rev().fold(scalar.to_string(), |ty, length| format!("[{ty}; {length}]"))
}
