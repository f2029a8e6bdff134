//! Where a computation runs and where its result is kept (GPGPU'20 §3.1.2): the meaning is that of
//! what is placed.

use super::{Definition, Form, Level, Loop, Space, Typing};
use crate::interpret::{Datum, Failure, Operands};

pub static TABLE: &[Definition] = &[
    Definition {
        name: "mapGlb",
        doc: "`map` whose iterations are the global work-items of dimension `d`: 0, 1 or 2.\n\
              Neighbouring work-items differ in dimension 0.",
        typing: Typing::One("mapGlb : (d, T -> U, [T; n]) -> [U; n]"),
        requires: DIMENSIONS,
        meaning: spread,
        form: Form::Spread(Level::Global),
    },
    Definition {
        name: "mapWrg",
        doc: "`map` whose iterations are the work-groups of dimension `d`: 0, 1 or 2.\n\
              A `mapLcl` of the same dimension, inside, says what each work-item of a group does.",
        typing: Typing::One("mapWrg : (d, T -> U, [T; n]) -> [U; n]"),
        requires: DIMENSIONS,
        meaning: spread,
        form: Form::Spread(Level::Group),
    },
    Definition {
        name: "mapLcl",
        doc: "`map` whose iterations are the work-items of a group, in dimension `d`: 0, 1 or 2.\n\
              It stands inside a `mapWrg` of the same dimension.",
        typing: Typing::One("mapLcl : (d, T -> U, [T; n]) -> [U; n]"),
        requires: DIMENSIONS,
        meaning: spread,
        form: Form::Spread(Level::Local),
    },
    Definition {
        name: "mapSeq",
        doc: "`map` in a loop of one work-item.",
        typing: Typing::One("mapSeq : (T -> U, [T; n]) -> [U; n]"),
        requires: &[],
        meaning: super::compute::map,
        form: Form::MapSeq(Loop::Rolled),
    },
    Definition {
        name: "mapSeqUnroll",
        doc: "`mapSeq` with every iteration written down by itself.",
        typing: Typing::One("mapSeqUnroll : (T -> U, [T; n]) -> [U; n]"),
        requires: &[],
        meaning: super::compute::map,
        form: Form::MapSeq(Loop::Unrolled),
    },
    Definition {
        name: "reduceSeq",
        doc: "`reduce` in a loop of one work-item, in the order of the elements.",
        typing: Typing::One("reduceSeq : (U, (U, T) -> U, [T; n]) -> U"),
        requires: &[],
        meaning: super::compute::reduce,
        form: Form::ReduceSeq(Loop::Rolled),
    },
    Definition {
        name: "reduceSeqUnroll",
        doc: "`reduceSeq` with every iteration written down by itself.",
        typing: Typing::One("reduceSeqUnroll : (U, (U, T) -> U, [T; n]) -> U"),
        requires: &[],
        meaning: super::compute::reduce,
        form: Form::ReduceSeq(Loop::Unrolled),
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
        name: "toLocal",
        doc: "Computes a value once and keeps it in the memory of a work-group.",
        typing: Typing::One("toLocal : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Local),
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

const DIMENSIONS: &[(&str, &str)] =
    &[("d >= 0", "there is no dimension {d}"), ("d <= 2", "there is no dimension {d}, only 0, 1 and 2")];

fn spread(x: &Operands) -> Result<Datum, Failure> {
    super::compute::mapped(&x[1], &x[2])
}

fn identity(x: &Operands) -> Result<Datum, Failure> {
    x[0].value().cloned()
}
