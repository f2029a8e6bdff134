//! Arithmetic of one element: integers wrap around, and are divided towards zero.

use crate::tensor::Element;

/// An element that can be computed with.
pub(super) trait Number: Element + Copy + PartialOrd {
    fn of_whole(number: i128) -> Self;
    fn real(self) -> f64;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Nothing for an integer divided by zero.
    fn div(self, other: Self) -> Option<Self>;
    /// What is left of a division; `truncated` says that it has the sign of the dividend, else of the divisor.
    fn rem(self, other: Self, truncated: bool) -> Option<Self>;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    /// Functions of real numbers; nothing for integers, which have none of them.
    fn map_real(self, f: fn(f64) -> f64) -> Option<Self>;
}

macro_rules! integers {
    ($($ty:ident)*) => {
        $(impl Number for $ty {
            fn of_whole(number: i128) -> Self {
                number as $ty
            }
            fn real(self) -> f64 {
                self as f64
            }
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn div(self, other: Self) -> Option<Self> {
                (other != 0).then(|| self.wrapping_div(other))
            }
            fn rem(self, other: Self, truncated: bool) -> Option<Self> {
                if other == 0 {
                    return None;
                }
                let left = i128::from(self) % i128::from(other);
                let wraps = !truncated && left != 0 && (left < 0) != (i128::from(other) < 0);
                Some((if wraps { left + i128::from(other) } else { left }) as $ty)
            }
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            fn abs(self) -> Self {
                i128::from(self).unsigned_abs() as $ty
            }
            fn map_real(self, _: fn(f64) -> f64) -> Option<Self> {
                None
            }
        })*
    };
}

integers!(i8 u8 i16 u16 i32 u32 i64 u64);

macro_rules! floats {
    ($($ty:ident)*) => {
        $(impl Number for $ty {
            fn of_whole(number: i128) -> Self {
                number as $ty
            }
            fn real(self) -> f64 {
                f64::from(self)
            }
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn sub(self, other: Self) -> Self {
                self - other
            }
            fn mul(self, other: Self) -> Self {
                self * other
            }
            fn div(self, other: Self) -> Option<Self> {
                Some(self / other)
            }
            fn rem(self, other: Self, truncated: bool) -> Option<Self> {
                let left = self % other;
                let wraps = !truncated && left != 0.0 && (left < 0.0) != (other < 0.0);
                Some(if wraps { left + other } else { left })
            }
            fn neg(self) -> Self {
                -self
            }
            fn abs(self) -> Self {
                self.abs()
            }
            fn map_real(self, f: fn(f64) -> f64) -> Option<Self> {
                Some(f(f64::from(self)) as $ty)
            }
        })*
    };
}

floats!(f32 f64);

/// The same for an array of any type that can be computed with: `numeric!(scalar, T => value, otherwise)`.
macro_rules! numeric {
    ($scalar:expr, $ty:ident => $value:expr, $otherwise:expr) => {
        match $scalar {
            Scalar::I8 => {
                type $ty = i8;
                $value
            }
            Scalar::U8 => {
                type $ty = u8;
                $value
            }
            Scalar::I16 => {
                type $ty = i16;
                $value
            }
            Scalar::U16 => {
                type $ty = u16;
                $value
            }
            Scalar::I32 => {
                type $ty = i32;
                $value
            }
            Scalar::U32 => {
                type $ty = u32;
                $value
            }
            Scalar::I64 => {
                type $ty = i64;
                $value
            }
            Scalar::U64 => {
                type $ty = u64;
                $value
            }
            Scalar::F32 => {
                type $ty = f32;
                $value
            }
            Scalar::F64 => {
                type $ty = f64;
                $value
            }
            Scalar::Bool | Scalar::F16 => $otherwise,
        }
    };
}
pub(super) use numeric;
