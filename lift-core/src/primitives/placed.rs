//! Primitives of the OpenCL level: where a computation runs and where its result is kept
//! (GPGPU'20 §3.1.2). Lowering produces them; their meaning is that of what they place.

use super::{Definition, Form, Space, Typing};
use crate::interpret::{Datum, Failure, Operands};

pub static TABLE: &[Definition] = &[
    Definition {
        name: "mapGlb",
        doc: "`map` whose iterations are the global work-items of a dimension.",
        typing: Typing::One("mapGlb : (d, T -> U, [T; n]) -> [U; n]"),
        requires: &[("d >= 0", "there is no dimension {d}"), ("d <= 2", "there is no dimension {d}")],
        meaning: |x| {
            let mapped: Result<Vec<_>, Failure> =
                x[2].array()?.iter().map(|element| x[1].call(std::slice::from_ref(element))).collect();
            Ok(Datum::array(mapped?))
        },
        form: Form::MapGlobal,
    },
    Definition {
        name: "toGlobal",
        doc: "Computes a value once and keeps it in global memory.",
        typing: Typing::One("toGlobal : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Global),
    },
    Definition {
        name: "toPrivate",
        doc: "Computes a value once and keeps it in the memory of one work-item.",
        typing: Typing::One("toPrivate : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Private),
    },
];

fn identity(x: &Operands) -> Result<Datum, Failure> {
    x[0].value().cloned()
}
