//! Images in other sizes, one axis at a time.

use crate::OperatorError;
use crate::build::{
    Draft, binary, call, cast, float, index, int, lambda, name, side_by_side, signed, within,
};
use lift::Program;
use lift_core::syntax::{Binary, Expr};
use lift_core::types::Scalar;

/// Where the elements of a resized axis come from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Resize {
    /// Its length before.
    pub from: usize,
    /// Its length after.
    pub to: usize,
    /// How much longer it is meant to become, where that is not `to / from`, but was rounded.
    pub scale: Option<f64>,
    /// What place an element has.
    pub coordinates: Coordinates,
}

/// What place element `i` of the result has among the elements before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coordinates {
    /// `i / scale`
    Asymmetric,
    /// `(i + 0.5) / scale - 0.5`: elements are squares, and their places are the middles.
    HalfPixel,
    /// The same, and 0 where there is only one element.
    PytorchHalfPixel,
    /// The first and the last element stay where they are.
    AlignCorners,
}

/// Which of two neighbours is nearest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nearest {
    /// The nearer one, the lower one where both are as near.
    PreferFloor,
    /// The nearer one, the higher one where both are as near.
    PreferCeil,
    /// The lower one.
    Floor,
    /// The higher one.
    Ceil,
}

/// An array resized along an axis, each element a copy of the nearest one.
///
/// # Errors
/// An axis that there is not, lengths of 0, and numbers that are too large to compute with.
pub fn resize_nearest(
    scalar: Scalar,
    rank: usize,
    axis: usize,
    resize: Resize,
    nearest: Nearest,
) -> Result<Program, OperatorError> {
    let (draft, x) = draft("resize_nearest", scalar, rank, axis, resize)?;
    let Fraction { step, start, over } = resize.place()?;
    let place = match nearest {
        Nearest::Floor => Fraction { step, start, over },
        Nearest::Ceil => Fraction { step, start: start + over - 1, over },
        Nearest::PreferFloor => Fraction { step: 2 * step, start: 2 * start + over - 1, over: 2 * over },
        Nearest::PreferCeil => Fraction { step: 2 * step, start: 2 * start + over, over: 2 * over },
    };
    let last = resize.from as i64 - 1;
    let places: Vec<i64> =
        (0..resize.to as i64).map(|i| place.at(i).div_euclid(place.over).clamp(0, last)).collect();
    let times = resize.to / resize.from;
    let copies =
        resize.to.is_multiple_of(resize.from) && (0i64..).zip(&places).all(|(i, p)| i / times as i64 == *p);
    let body = within(axis, x, &|xs| match copies {
        true if times == 1 => xs,
        // Layouts of whole numbers are known to what reads them.
        true => call(
            "join",
            vec![call("map", vec![lambda(&["x"], call("repeat", vec![int(times), name("x")])), xs])],
        ),
        false => {
            let limited = place.limited(place.over * last + place.over - 1, resize.to);
            let i = binary(Binary::Div, limited, signed(place.over));
            call("generate", vec![int(resize.to), lambda(&["i"], index(xs, i))])
        }
    });
    draft.program(body)
}

/// An array of floats resized along an axis, each element between the two nearest ones.
///
/// # Errors
/// An axis that there is not, lengths of 0, and numbers that are too large to compute with.
pub fn resize_linear(
    scalar: Scalar,
    rank: usize,
    axis: usize,
    resize: Resize,
) -> Result<Program, OperatorError> {
    let (draft, x) = draft("resize_linear", scalar, rank, axis, resize)?;
    let place = resize.place()?;
    let last = resize.from as i64 - 1;
    let at = place.limited(last * place.over, resize.to);
    let low = binary(Binary::Div, at.clone(), signed(place.over));
    let high = call("min", vec![binary(Binary::Add, low.clone(), int(1)), signed(last)]);
    let rest = cast(binary(Binary::Rem, at, signed(place.over)), scalar);
    let weight = binary(Binary::Div, rest, float(place.over as f64));
    let mixed = |pair: Vec<Expr>| {
        let [low, high] = [0, 1].map(|k: usize| pair[k].clone());
        let other = binary(Binary::Sub, float(1.0), weight.clone());
        let part = |x: Expr, weight: Expr| binary(Binary::Mul, x, weight);
        binary(Binary::Add, part(low, other), part(high, weight.clone()))
    };
    let body = within(axis, x, &|xs| {
        let neighbours = vec![index(xs.clone(), low.clone()), index(xs, high.clone())];
        let element = side_by_side(rank - 1 - axis, neighbours, &mixed);
        call("generate", vec![int(resize.to), lambda(&["i"], element)])
    });
    draft.program(body)
}

/// The parameter `x`, whose axis has its length before.
fn draft(
    operator: &'static str,
    scalar: Scalar,
    rank: usize,
    axis: usize,
    resize: Resize,
) -> Result<(Draft, Expr), OperatorError> {
    if axis >= rank {
        return Err(OperatorError::Axis { operator, axis, rank });
    }
    let mut draft = Draft::new(operator);
    let mut lengths = draft.dimensions_but(rank, axis);
    lengths.insert(axis, int(resize.from));
    let x = draft.param("x", scalar, &lengths);
    Ok((draft, x))
}

/// `(step * i + start) / over`
#[derive(Clone, Copy, PartialEq, Debug)]
struct Fraction {
    step: i64,
    start: i64,
    over: i64,
}

impl Fraction {
    /// What is divided.
    fn at(&self, i: i64) -> i64 {
        self.step * i + self.start
    }

    /// What is divided, at least 0 and at most this; `i` has so many values.
    fn limited(&self, most: i64, count: usize) -> Expr {
        let scaled = binary(Binary::Mul, signed(self.step), name("i"));
        let at = match self.start {
            0 => scaled,
            start => binary(Binary::Add, scaled, signed(start)),
        };
        let at = if self.start < 0 { call("max", vec![at, int(0)]) } else { at };
        if self.at(count as i64 - 1) > most { call("min", vec![at, signed(most)]) } else { at }
    }
}

/// Indices are numbers of 32 bits on devices.
const LARGEST: u64 = 1 << 28;

impl Resize {
    /// The place of element `i`.
    fn place(&self) -> Result<Fraction, OperatorError> {
        let refused = |reason: &str| {
            let Resize { from, to, scale, .. } = self;
            OperatorError::numbers(
                "resize",
                format!("from {from} to {to} elements, scale {scale:?}: {reason}"),
            )
        };
        let is_length = |n: usize| (1..LARGEST).contains(&(n as u64));
        if !is_length(self.from) || !is_length(self.to) {
            return Err(refused("an axis has at least 1 and at most 2^28 elements"));
        }
        let (from, to) = (self.from as i64, self.to as i64);
        let (step, over) = match self.scale {
            None => (from, to),
            Some(scale) => {
                ratio(1.0 / scale).ok_or_else(|| refused("the scale is no ratio of small numbers"))?
            }
        };
        let half = Fraction { step: 2 * step, start: step - over, over: 2 * over };
        let place = match self.coordinates {
            Coordinates::Asymmetric => Fraction { step, start: 0, over },
            Coordinates::HalfPixel => half,
            Coordinates::PytorchHalfPixel if to > 1 => half,
            Coordinates::AlignCorners if to > 1 => Fraction { step: from - 1, start: 0, over: to - 1 },
            Coordinates::PytorchHalfPixel | Coordinates::AlignCorners => {
                Fraction { step: 0, start: 0, over: 1 }
            }
        };
        let common = [place.start.abs(), place.over].into_iter().fold(place.step, divisor);
        let place =
            Fraction { step: place.step / common, start: place.start / common, over: place.over / common };
        let largest = [place.step.checked_mul(to), place.over.checked_mul(from)];
        let small = |n: &Option<i64>| n.is_some_and(|n| n.unsigned_abs() < LARGEST);
        if largest.iter().all(small) { Ok(place) } else { Err(refused("the numbers are too large")) }
    }
}

/// The largest number that divides both.
fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// A number as one over another, neither of them large: a convergent of its continued fraction.
fn ratio(x: f64) -> Option<(i64, i64)> {
    // What is given as `f32` is off by this much.
    let near = |p: i64, q: i64| (p as f64 / q as f64 - x).abs() <= 1e-7 * x;
    if !x.is_finite() || x <= 0.0 {
        return None;
    }
    let (mut before, mut now, mut rest) = ((0, 1), (1, 0), x);
    for _ in 0..20 {
        let whole = rest.floor();
        if whole >= 65536.0 {
            return None;
        }
        let next = (whole as i64 * now.0 + before.0, whole as i64 * now.1 + before.1);
        if next.0.max(next.1) > 65536 {
            return None;
        }
        if near(next.0, next.1) {
            return Some(next);
        }
        (before, now, rest) = (now, next, 1.0 / (rest - whole));
    }
    None
}
