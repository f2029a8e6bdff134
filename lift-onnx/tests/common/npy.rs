//! Arrays in NumPy's format, of any type that programs have.

use lift::Output;
use lift_core::types::Scalar;
use lift_onnx::Tensor;
use ndarray::ArrayD;
use ndarray_npy::{ReadNpyError, ReadNpyExt, ReadableElement};
use std::fs::File;
use std::path::Path;

/// The array of a file.
pub fn read(path: &Path) -> Tensor {
    fn array<T: ReadableElement>(path: &Path) -> Result<ArrayD<T>, ReadNpyError> {
        ArrayD::<T>::read_npy(File::open(path)?)
    }
    macro_rules! first {
        ($($variant:ident $ty:ty),*) => {
            $(if let Ok(array) = array::<$ty>(path) {
                return Tensor::$variant(array.into_shared());
            })*
        };
    }
    first!(F32 f32, I64 i64, Bool bool, F64 f64, I32 i32, U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, U64 u64);
    panic!("{} holds no array of numbers", path.display())
}

/// The result of a run as an array.
pub fn tensor(output: Output) -> Tensor {
    macro_rules! of {
        ($($variant:ident $ty:ty),*) => {
            match output.scalar() {
                $(Scalar::$variant => Tensor::$variant(output.into_array::<$ty>().unwrap().into_shared()),)*
            }
        };
    }
    of!(F32 f32, I64 i64, Bool bool, F64 f64, I32 i32, U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, U64 u64, F16 half::f16)
}

/// An argument of a program.
pub fn argument(tensor: &Tensor) -> lift::Argument<'_> {
    macro_rules! of {
        ($($variant:ident)*) => {
            match tensor {
                $(Tensor::$variant(array) => lift::Element::argument(array.view()),)*
            }
        };
    }
    of!(F32 I64 Bool F64 I32 U8 I8 U16 I16 U32 U64 F16)
}

/// The elements as numbers.
pub fn numbers(tensor: &Tensor) -> Vec<f64> {
    macro_rules! of {
        ($($variant:ident)*; $($wide:ident)*) => {
            match tensor {
                $(Tensor::$variant(array) => array.iter().map(|x| f64::from(*x)).collect(),)*
                $(Tensor::$wide(array) => array.iter().map(|x| *x as f64).collect(),)*
                Tensor::Bool(array) => array.iter().map(|x| f64::from(u8::from(*x))).collect(),
            }
        };
    }
    of!(F32 F64 F16 I32 U8 I8 U16 I16 U32; I64 U64)
}
