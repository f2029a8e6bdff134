//! Tiles: arrays and windows taken apart.

use super::Rule;
use super::build::{apply, as_call, as_map, lambda, map, one};
use crate::expr::{Argument, Kind, Literal};
use crate::nat::Nat;
use crate::scalar::Value;
use crate::types::{Scalar, Type};

pub static SPLIT_JOIN: Rule = Rule {
    name: "splitJoin",
    equation: "map(f, xs) = join(map(|chunk| map(f, chunk), split(n, xs)))",
    source: "GPGPU'20 §4.1",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let (pattern, chunk) = context.variable("chunk");
        let rows = map(f.clone(), chunk)?;
        let split = one("split", &[arguments.sizes.first()?], xs.clone())?;
        one("join", &[], map(lambda(vec![pattern], rows), split)?)
    },
};

/// Arrays that are no whole number of tiles: what is computed for the rest is not kept.
pub static ROUND_UP: Rule = Rule {
    name: "roundUp",
    equation: "map(f, xs) = take(m, map(f, pad(0, (n - m % n) % n, 0, xs))) for m elements",
    source: "GPGPU'20 §4.2 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let (element, m) = context.ty(xs)?.as_array()?;
        let zero = zero(element)?;
        let n = arguments.sizes.first()?;
        let rest = (n - &m.rem(n)).rem(n);
        let fill = xs.with(Kind::Literal(Literal::Exact(zero)));
        let sizes = [Nat::constant(0), rest].map(Argument::Size);
        let operands = [Argument::Value(fill), Argument::Value(xs.clone())];
        let padded = apply("pad", sizes.into_iter().chain(operands).collect(), xs)?;
        one("take", &[m], map(f.clone(), padded)?)
    },
};

/// The number that stands where there is no element: all its scalars are of one type.
fn zero(ty: &Type) -> Option<Value> {
    match ty {
        // Vectors are not padded: nothing fills one.
        Type::Array(element, _) => zero(element),
        Type::Tuple(parts) => {
            let mut all = parts.iter().map(zero);
            let first = all.next()??;
            all.all(|other| other.is_some_and(|other| other.scalar() == first.scalar())).then_some(first)
        }
        Type::Scalar(scalar) if *scalar != Scalar::Bool => Some(Value::from_integer(0, *scalar)),
        _ => None,
    }
}

/// Neighbouring windows share elements, and so do tiles of them. `slideStrict` demands that the tiles
/// cover the array, and then the windows are whole tiles.
pub static SLIDE_TILING: Rule = Rule {
    name: "slideTiling",
    equation: "slide(size, step, xs) = join(map(|tile| slide(size, step, tile), slideStrict(size + (n - 1) * step, n * step, xs)))",
    source: "GPGPU'20 §4.2 (overlapped tiling)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (sizes, xs) = as_call(e, "slide")?;
        let ([size, step], [n]) = (&sizes[..], &arguments.sizes[..]) else { return None };
        let (pattern, tile) = context.variable("tile");
        let windows = one("slide", &[size, step], tile)?;
        let (reach, stride) = (*size + &((n - 1) * *step), n * *step);
        let tiles = one("slideStrict", &[&reach, &stride], xs.clone())?;
        one("join", &[], map(lambda(vec![pattern], windows), tiles)?)
    },
};
