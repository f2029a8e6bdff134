//! Scalars that are computed with together (GPGPU'20 §3.1.2). Operators and functions of scalars
//! apply to vectors of one width element by element; `vectorize(v, f)` says that a function is
//! applied to vectors of width `v`.

use super::{Definition, Form, Typing};
use crate::datum::{Datum, Failure};
use crate::scalar::Op;

/// What `vectorize` applies to the operands of its function.
pub const WIDTH: &str = "ofWidth";

/// Primitives that make vectors, take them apart and combine them.
pub(crate) static TABLE: &[Definition] = &[
    Definition {
        name: "asVector",
        doc: "Groups of `v` neighbouring scalars as vectors of width 1, 2, 4, 8 or 16.",
        picture: "xs               a  b  c  d\n\
                  asVector(2, xs)  <a b>  <c d>",
        example: ("asScalar(map(|v| v * 10, asVector(2, [1, 2, 3, 4])))", "array![10, 20, 30, 40]"),
        typing: Typing::One("asVector : (v, [S; n]) -> [<S; v>; n / v]"),
        requires: &[
            (
                "v == 1 || v == 2 || v == 4 || v == 8 || v == 16",
                "makes vectors of 1, 2, 4, 8 or 16 elements, not {v}",
            ),
            ("n % v == 0", "into vectors of {v} leaves elements over\nno whole vector\npad {xs} first"),
        ],
        meaning: |x| {
            let (v, xs) = (x[0].size()?.max(1), x[1].array()?);
            Ok(Datum::array(xs.chunks(v).map(|chunk| Datum::array(chunk.iter().cloned()))))
        },
        form: Form::AsVector,
    },
    Definition {
        name: "asScalar",
        doc: "The elements of vectors, one after the other: the inverse of `asVector`.",
        picture: "vs            <a b>  <c d>\n\
                  asScalar(vs)  a  b  c  d",
        example: ("asScalar(map(|v| v + v, asVector(2, [1, 2, 3, 4])))", "array![2, 4, 6, 8]"),
        typing: Typing::One("asScalar : ([<S; v>; n]) -> [S; n * v]"),
        requires: &[],
        meaning: |x| {
            let vectors: Result<Vec<_>, Failure> = x[0].array()?.iter().map(Datum::elements).collect();
            Ok(Datum::array(vectors?.iter().flat_map(|vector| vector.iter().cloned())))
        },
        form: Form::AsScalar,
    },
    Definition {
        name: "dot",
        doc: "The sum of the products of two vectors\u{2019} elements, or of two arrays\u{2019}.",
        picture: "dot(<a b>, <c d>)   a * c + b * d",
        example: ("map(|v| dot(v, v), asVector(2, [1, 2, 3, 4]))", "array![5, 25]"),
        typing: Typing::Either("dot : (<R; v>, <R; v>) -> R", "dot : ([R; v], [R; v]) -> R"),
        requires: &[],
        meaning: |x| {
            let (a, b) = (x[0].array()?, x[1].array()?);
            let product = |(a, b): (&Datum, &Datum)| apply(Op::Mul, a, b);
            let mut products = a.iter().zip(b.iter()).map(product);
            match products.next() {
                Some(first) => products.try_fold(first?, |sum, next| apply(Op::Add, &sum, &next?)),
                None => x.zero(),
            }
        },
        form: Form::Dot,
    },
    Definition {
        name: WIDTH,
        doc: "A vector as it is, of width `v`: what `vectorize(v, f)` asks of the operands of `f`.",
        picture: "ofWidth(2, <a b>)   <a b>",
        example: ("asScalar(map(|v| ofWidth(2, v), asVector(2, [1, 2])))", "array![1, 2]"),
        typing: Typing::One("ofWidth : (v, <S; v>) -> <S; v>"),
        requires: &[],
        meaning: |x| x[1].value().cloned(),
        form: Form::Width,
    },
];

fn apply(op: Op, a: &Datum, b: &Datum) -> Result<Datum, Failure> {
    let result = op.apply(&[a.scalar()?, b.scalar()?]);
    result.map(Datum::Scalar).ok_or_else(|| Failure::new(format!("{op:?} of {a:?} and {b:?}")))
}
