//! Arrays of any scalar type.

use lift_core::datum::Datum;
use lift_core::scalar::Value;
use lift_core::types::Scalar;
use lift_runtime::{Argument, Element, Output};
use ndarray::{ArrayD, IxDyn};

/// An argument or a result; all elements have one type.
pub type Values = ArrayD<Value>;

macro_rules! conversions {
    ($($variant:ident $ty:ty,)*) => {
        /// The array as it is passed to a device.
        pub fn argument(values: &Values) -> Argument<'static> {
            argument_of(values, values.first().expect("no dimension is 0").scalar())
        }

        /// An array that may have no elements.
        pub fn argument_of(values: &Values, scalar: Scalar) -> Argument<'static> {
            match scalar {
                $(Scalar::$variant => {
                    let unwrapped = values.mapv(|value| match value {
                        Value::$variant(x) => x,
                        other => unreachable!("{other} among {}", stringify!($ty)),
                    });
                    Argument::$variant(unwrapped.into())
                })*
            }
        }

        /// A device's result.
        pub fn of(output: Output) -> Values {
            match output.scalar() {
                $(Scalar::$variant => <$ty>::array(output).expect("it is of this type").mapv(Value::$variant),)*
            }
        }
    };
}

conversions! {
    Bool bool, I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64,
    F16 half::f16, F32 f32, F64 f64,
}

pub fn random(shape: &[usize], scalar: Scalar, range: (f64, f64), random: &mut fastrand::Rng) -> Values {
    ArrayD::from_shape_simple_fn(IxDyn(shape), || number(scalar, range, random))
}

fn number(scalar: Scalar, (low, high): (f64, f64), random: &mut fastrand::Rng) -> Value {
    match scalar.integer_range() {
        _ if scalar == Scalar::Bool => Value::Bool(random.bool()),
        None => Value::from_f64(low + (high - low) * random.f64(), scalar),
        Some((least, most)) => {
            let range = (low as i128).max(least)..=(high as i128).min(most);
            Value::from_integer(random.i128(range), scalar)
        }
    }
}

/// The array as the interpreter takes it.
pub fn datum(values: &Values) -> Datum {
    Datum::from_scalars(values.shape(), &mut values.iter().copied())
        .expect("as many values as the shape says")
}

pub fn to_f64(values: &Values) -> ArrayD<f64> {
    values.mapv(Value::to_f64)
}
