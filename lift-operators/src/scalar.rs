//! Functions of numbers: activations, arithmetic, comparisons.
//!
//! Each is a program of scalars; [`elementwise`](crate::elementwise()) makes one of arrays of it. Those that the language
//! has by itself are modules here, with the same `program` that `lift!` gives to the others.
//!
//! `max` and `min` of a NaN and a number are the number, here as in Rust: so `relu` of NaN is 0.

use crate::OperatorError;
use crate::build::{Draft, binary, cast as converted, int};
use lift::{Program, lift};
use lift_core::syntax::Binary;
use lift_core::types::Scalar;

lift! {
    /// 0 for what is negative.
    pub fn relu(x: f32) -> f32 {
        max(x, 0.0)
    }

    /// What is negative, times `alpha`.
    pub fn leaky_relu(x: f32, alpha: f32) -> f32 {
        if x < 0.0 { alpha * x } else { x }
    }

    /// What is negative, times a slope that is learned: the same function as `leaky_relu`, applied to an array of slopes.
    pub fn prelu(x: f32, slope: f32) -> f32 {
        if x < 0.0 { slope * x } else { x }
    }

    /// What is not above `alpha` becomes 0.
    pub fn thresholded_relu(x: f32, alpha: f32) -> f32 {
        if x > alpha { x } else { 0.0 }
    }

    /// `alpha * (exp(x) - 1)` for what is negative.
    pub fn elu(x: f32, alpha: f32) -> f32 {
        if x < 0.0 { alpha * (exp(x) - 1.0) } else { x }
    }

    /// `elu`, times `gamma`.
    pub fn selu(x: f32, alpha: f32, gamma: f32) -> f32 {
        gamma * elu(x, alpha)
    }

    /// `elu` with a derivative that has no step: `alpha * (exp(x / alpha) - 1)` for what is negative.
    pub fn celu(x: f32, alpha: f32) -> f32 {
        max(x, 0.0) + min(alpha * (exp(x / alpha) - 1.0), 0.0)
    }

    /// `1 / (1 + exp(-x))`
    pub fn sigmoid(x: f32) -> f32 {
        1.0 / (1.0 + exp(-x))
    }

    /// A line through `beta`, cut off at 0 and 1.
    pub fn hard_sigmoid(x: f32, alpha: f32, beta: f32) -> f32 {
        max(min(alpha * x + beta, 1.0), 0.0)
    }

    /// `x` times a hard sigmoid of slope 1/6 through 1/2.
    pub fn hard_swish(x: f32) -> f32 {
        x * max(min(x / 6.0 + 0.5, 1.0), 0.0)
    }

    /// `x * sigmoid(x)`
    pub fn silu(x: f32) -> f32 {
        x / (1.0 + exp(-x))
    }

    /// `ln(1 + exp(x))`, also where `exp(x)` is too large for a float.
    pub fn softplus(x: f32) -> f32 {
        max(x, 0.0) + ln(1.0 + exp(-abs(x)))
    }

    /// `x / (1 + |x|)`
    pub fn softsign(x: f32) -> f32 {
        x / (1.0 + abs(x))
    }

    /// `x * tanh(softplus(x))`
    pub fn mish(x: f32) -> f32 {
        x * tanh(softplus(x))
    }

    /// The error function, within a few units in the last place: near 0 a polynomial of `x * x`, further out one of the
    /// logarithm of what is missing to 1. Both were fitted for the smallest largest relative error, which is 2e-8.
    pub fn erf(x: f32) -> f32 {
        let t = abs(x);
        let s = x * x;
        let near = ((-5.953774e-4 * s + 4.985948e-3) * s - 2.6761727e-2) * s + 1.12816826e-1;
        let near = x + x * ((near * s - 3.761248e-1) * s + 1.2837915e-1);
        // From 4 on it is 1.
        let u = min(t, 4.0);
        let far = ((2.136451e-4 * u - 3.2121455e-3) * u + 2.2880921e-2) * u - 1.05247676e-1;
        let far = ((far * u - 6.3572913e-1) * u - 1.28511146e-1) * u - u;
        let tail = 1.0 - exp(far);
        if t > 0.93 {
            if x < 0.0 { -tail } else { tail }
        } else {
            near
        }
    }

    /// `x` times the part of the normal distribution that is below it.
    pub fn gelu(x: f32) -> f32 {
        0.5 * x * (1.0 + erf(x * 0.70710678))
    }

    /// `gelu` by the hyperbolic tangent.
    pub fn gelu_tanh(x: f32) -> f32 {
        0.5 * x * (1.0 + tanh(0.7978846 * (x + 0.044715 * x * x * x)))
    }

    /// At least `low`, at most `high`: `high` where these contradict each other.
    pub fn clip(x: f32, low: f32, high: f32) -> f32 {
        min(max(x, low), high)
    }

    /// What is within `lambda` of 0 becomes 0, the rest moves towards 0 by `bias`.
    pub fn shrink(x: f32, bias: f32, lambda: f32) -> f32 {
        if x < -lambda { x + bias } else if x > lambda { x - bias } else { 0.0 }
    }

    pub fn add(a: f32, b: f32) -> f32 {
        a + b
    }

    pub fn sub(a: f32, b: f32) -> f32 {
        a - b
    }

    pub fn mul(a: f32, b: f32) -> f32 {
        a * b
    }

    pub fn div(a: f32, b: f32) -> f32 {
        a / b
    }

    /// The remainder with the sign of `a`, as Rust's `%`.
    pub fn rem(a: f32, b: f32) -> f32 {
        a % b
    }

    /// `x * scale + shift`
    pub fn affine(x: f32, scale: f32, shift: f32) -> f32 {
        x * scale + shift
    }

    /// With mean 0 and variance 1, by a mean and a variance that are known, then scaled and moved.
    pub fn batch_norm(x: f32, scale: f32, shift: f32, mean: f32, variance: f32, epsilon: f32) -> f32 {
        (x - mean) * (scale / sqrt(variance + epsilon)) + shift
    }

    pub fn neg(x: f32) -> f32 {
        -x
    }

    pub fn reciprocal(x: f32) -> f32 {
        1.0 / x
    }

    pub fn square(x: f32) -> f32 {
        x * x
    }

    /// 1, 0 or -1; NaN stays.
    pub fn sign(x: f32) -> f32 {
        if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }
    }

    /// To the nearest whole number, halves to the even one: the language's `round` goes away from 0 there, as Rust's.
    pub fn round_even(x: f32) -> f32 {
        let whole = round(x);
        if abs(x - trunc(x)) == 0.5 { 2.0 * round(x / 2.0) } else { whole }
    }

    pub fn asinh(x: f32) -> f32 {
        let t = abs(x);
        // ln(t + sqrt(t² + 1)) without loss where t is small: t + t² / (1 + sqrt(t² + 1)) is e^result - 1.
        let y = if t > 1e4 { ln(t) + 0.6931472 } else { ln_1p(t + t * t / (1.0 + sqrt(t * t + 1.0))) };
        if x < 0.0 { -y } else { y }
    }

    pub fn acosh(x: f32) -> f32 {
        if x > 1e4 { ln(x) + 0.6931472 } else { ln_1p((x - 1.0) + sqrt((x - 1.0) * (x + 1.0))) }
    }

    pub fn atanh(x: f32) -> f32 {
        0.5 * ln_1p(2.0 * x / (1.0 - x))
    }

    /// `ln(1 + x)`, precise where `x` is small.
    fn ln_1p(x: f32) -> f32 {
        let u = 1.0 + x;
        if u == 1.0 { x } else { ln(u) * (x / (u - 1.0)) }
    }

    pub fn equal(a: f32, b: f32) -> bool {
        a == b
    }

    pub fn less(a: f32, b: f32) -> bool {
        a < b
    }

    pub fn less_or_equal(a: f32, b: f32) -> bool {
        a <= b
    }

    pub fn greater(a: f32, b: f32) -> bool {
        a > b
    }

    pub fn greater_or_equal(a: f32, b: f32) -> bool {
        a >= b
    }

    pub fn is_nan(x: f32) -> bool {
        x != x
    }

    pub fn not(a: bool) -> bool {
        !a
    }

    pub fn and(a: bool, b: bool) -> bool {
        a && b
    }

    pub fn or(a: bool, b: bool) -> bool {
        a || b
    }

    pub fn xor(a: bool, b: bool) -> bool {
        a != b
    }

    /// `a` where the condition holds, else `b`.
    pub fn choose(condition: bool, a: f32, b: f32) -> f32 {
        if condition { a } else { b }
    }
}

/// `x` as a number of another type, by the rules of Rust's `as`; a number becomes `true` if it is not 0, and `true` 1.
///
/// # Errors
/// None that are known: there is such a program for all types.
pub fn cast(from: Scalar, to: Scalar) -> Result<Program, OperatorError> {
    let mut draft = Draft::new("cast");
    let x = draft.param("x", from, &[]);
    draft.program(match (from, to) {
        (Scalar::Bool, Scalar::Bool) => x,
        (Scalar::Bool, to) => converted(converted(x, Scalar::U8), to),
        (from, Scalar::Bool) => binary(Binary::Ne, x, converted(int(0), from)),
        (_, to) => converted(x, to),
    })
}

/// Modules for what the language has by itself: a function of this name in a block would call itself.
macro_rules! own {
    ($($(#[$doc:meta])* $name:ident($($x:ident),+);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use lift::Program;
            use std::sync::LazyLock;

            /// The checked program.
            pub fn program() -> &'static Program {
                static PROGRAM: LazyLock<Program> = LazyLock::new(|| {
                    let function = lift::lift!(|$($x: f32),+| $name($($x),+));
                    function.program().named(stringify!($name))
                });
                &PROGRAM
            }
        }
    )*};
}

own! {
    /// `|x|`
    abs(x);
    /// The larger of `a` and `b`.
    max(a, b);
    /// The smaller of `a` and `b`.
    min(a, b);
    /// `a` to the power of `b`.
    pow(a, b);
    /// The square root.
    sqrt(x);
    /// e to the power of `x`.
    exp(x);
    /// The natural logarithm.
    ln(x);
    /// The sine.
    sin(x);
    /// The cosine.
    cos(x);
    /// The tangent.
    tan(x);
    /// The inverse of the sine.
    asin(x);
    /// The inverse of the cosine.
    acos(x);
    /// The inverse of the tangent.
    atan(x);
    /// The hyperbolic sine.
    sinh(x);
    /// The hyperbolic cosine.
    cosh(x);
    /// The hyperbolic tangent.
    tanh(x);
    /// The largest whole number that is not above `x`.
    floor(x);
    /// The smallest whole number that is not below `x`.
    ceil(x);
    /// The nearest whole number, halves away from 0.
    round(x);
    /// The whole number next to `x`, towards 0.
    trunc(x);
}
