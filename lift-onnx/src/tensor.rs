//! Arrays whose elements are known: weights, and what shapes are computed with.

use half::f16;
use lift_core::types::Scalar;
use ndarray::{ArcArray, IxDyn};

/// More dimensions than this has no array of a network.
pub(crate) const MAX_RANK: usize = 16;

/// An array of known elements, shared between its copies.
pub type Elements<T> = ArcArray<T, IxDyn>;

/// Calls a macro with every scalar type: `Variant type, …`.
macro_rules! with_scalars {
    ($callback:ident) => {
        $callback! {
            Bool bool, I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64, F16 f16, F32 f32,
            F64 f64,
        }
    };
}

macro_rules! tensor {
    ($($variant:ident $ty:ty,)*) => {
        /// An array of known elements; a copy shares them.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Tensor {
            $(
                #[doc = concat!("Elements of type `", stringify!($ty), "`.")]
                $variant(Elements<$ty>),
            )*
        }

        impl Tensor {
            /// The type of its elements.
            pub fn scalar(&self) -> Scalar {
                match self { $(Tensor::$variant(_) => Scalar::$variant,)* }
            }

            /// Lengths, the outer dimension first.
            pub fn shape(&self) -> &[usize] {
                match self { $(Tensor::$variant(array) => array.shape(),)* }
            }

            /// How many elements it has.
            pub fn len(&self) -> usize {
                match self { $(Tensor::$variant(array) => array.len(),)* }
            }
        }

        $(
            impl From<Elements<$ty>> for Tensor {
                fn from(elements: Elements<$ty>) -> Tensor {
                    Tensor::$variant(elements)
                }
            }

            impl Element for $ty {
                const SCALAR: Scalar = Scalar::$variant;

                fn tensor(elements: Elements<$ty>) -> Tensor {
                    elements.into()
                }

                fn elements(tensor: &Tensor) -> Option<&Elements<$ty>> {
                    match tensor {
                        Tensor::$variant(elements) => Some(elements),
                        _ => None,
                    }
                }
            }
        )*

    };
}

with_scalars!(tensor);

/// The same for arrays of all types: `any!(tensor, elements => a value)`.
macro_rules! any {
    ($tensor:expr, $elements:ident => $value:expr) => {
        match $tensor {
            $crate::tensor::Tensor::Bool($elements) => $value,
            $crate::tensor::Tensor::I8($elements) => $value,
            $crate::tensor::Tensor::U8($elements) => $value,
            $crate::tensor::Tensor::I16($elements) => $value,
            $crate::tensor::Tensor::U16($elements) => $value,
            $crate::tensor::Tensor::I32($elements) => $value,
            $crate::tensor::Tensor::U32($elements) => $value,
            $crate::tensor::Tensor::I64($elements) => $value,
            $crate::tensor::Tensor::U64($elements) => $value,
            $crate::tensor::Tensor::F16($elements) => $value,
            $crate::tensor::Tensor::F32($elements) => $value,
            $crate::tensor::Tensor::F64($elements) => $value,
        }
    };
}

/// The same for what makes an array of an array.
macro_rules! each {
    ($tensor:expr, $elements:ident => $value:expr) => {
        $crate::tensor::any!($tensor, $elements => $crate::tensor::Tensor::from($value))
    };
}

pub(crate) use {any, each};

/// A Rust type that elements have.
pub trait Element: Clone + 'static + Sized {
    /// The scalar type of programs that it is.
    const SCALAR: Scalar;

    /// The array that these elements are.
    fn tensor(elements: Elements<Self>) -> Tensor;

    /// The elements of an array, if they are of this type.
    fn elements(tensor: &Tensor) -> Option<&Elements<Self>>;
}

impl Tensor {
    /// A list of whole numbers.
    pub fn list(numbers: &[i64]) -> Tensor {
        Tensor::I64(ndarray::arr1(numbers).into_dyn().into_shared())
    }

    /// One value, without dimensions.
    pub fn single<T: Element>(value: T) -> Tensor {
        T::tensor(ndarray::arr0(value).into_dyn().into_shared())
    }

    /// The same elements in order, in another shape; nothing if that has another number of elements.
    pub(crate) fn reshaped(&self, shape: &[usize]) -> Option<Tensor> {
        fn reshaped<T: Clone>(array: &Elements<T>, shape: &[usize]) -> Option<Elements<T>> {
            match array.is_standard_layout() {
                true => array.clone().into_shape_with_order(IxDyn(shape)).ok(),
                false => ArcArray::from_shape_vec(IxDyn(shape), array.iter().cloned().collect()).ok(),
            }
        }
        Some(each!(self, array => reshaped(array, shape)?))
    }

    /// Has it no elements at all?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its elements in order if they are whole numbers of 32 or 64 bits.
    pub fn integers(&self) -> Option<Vec<i64>> {
        match self {
            Tensor::I64(array) => Some(array.iter().copied().collect()),
            Tensor::I32(array) => Some(array.iter().map(|x| i64::from(*x)).collect()),
            _ => None,
        }
    }
}

/// Numbers for a message: of many only the first.
pub(crate) fn few(numbers: &[impl std::fmt::Display]) -> String {
    let shown: Vec<String> = numbers.iter().take(MAX_RANK).map(ToString::to_string).collect();
    match numbers.len() {
        ..=MAX_RANK => format!("[{}]", shown.join(", ")),
        all => format!("[{}, …] of {all} numbers", shown.join(", ")),
    }
}

/// The number of elements of this shape, if it can be counted as memory is.
pub(crate) fn count(shape: &[usize]) -> Option<usize> {
    // Without zeros: an array can't have a dimension that is too long, even if another is empty.
    let length = shape.iter().filter(|d| **d != 0).try_fold(1usize, |n, d| n.checked_mul(*d))?;
    // No element takes more than 8 bytes.
    (length <= isize::MAX as usize / 8).then(|| if shape.contains(&0) { 0 } else { length })
}
