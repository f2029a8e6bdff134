//! Where a computation runs and where its result is kept (GPGPU'20 §3.1.2): the meaning is that of
//! what is placed.

use super::meaning::Operands;
use super::{Definition, Form, Level, Loop, Typing};
use crate::datum::{Datum, Failure};
use crate::hierarchy::Space;

/// Maps and reductions with a place, values with a memory, and how loops read their arrays.
pub static TABLE: &[Definition] = &[
    Definition {
        name: "mapGlb",
        doc: "`map` whose iterations are the global work-items of dimension `d`: 0, 1 or 2.\n\
              Neighbouring work-items differ in dimension 0.",
        picture: "work-item           0     1     2\n\
                  mapGlb(0, f, xs)    f(a)  f(b)  f(c)",
        example: ("mapGlb(0, |x| x * x, [1, 2, 3])", "array![1, 4, 9]"),
        typing: Typing::One("mapGlb : (d, T -> U, [T; n]) -> [U; n]"),
        requires: DIMENSIONS,
        meaning: spread,
        form: Form::Spread(Level::Global),
    },
    Definition {
        name: "mapWrg",
        doc: "`map` whose iterations are the work-groups of dimension `d`: 0, 1 or 2.\n\
              A `mapLcl` of the same dimension, inside, says what each work-item of a group does.",
        picture: "work-group                                        0            1\n\
                  work-item of it                                   0     1      0     1\n\
                  mapWrg(0, |row| mapLcl(0, f, row), split(2, xs))  f(a)  f(b)   f(c)  f(d)",
        example: (
            "join(mapWrg(0, |row| mapLcl(0, |x| x * x, row), split(2, [1, 2, 3, 4])))",
            "array![1, 4, 9, 16]",
        ),
        typing: Typing::One("mapWrg : (d, T -> U, [T; n]) -> [U; n]"),
        requires: DIMENSIONS,
        meaning: spread,
        form: Form::Spread(Level::Group),
    },
    Definition {
        name: "mapLcl",
        doc: "`map` whose iterations are the work-items of a group, in dimension `d`: 0, 1 or 2.\n\
              It stands inside a `mapWrg` of the same dimension.",
        picture: "work-group                                        0            1\n\
                  work-item of it                                   0     1      0     1\n\
                  mapWrg(0, |row| mapLcl(0, f, row), split(2, xs))  f(a)  f(b)   f(c)  f(d)",
        example: ("mapWrg(0, |row| mapLcl(0, |x| x + 1, row), [[1, 2], [3, 4]])", "array![[2, 3], [4, 5]]"),
        typing: Typing::One("mapLcl : (d, T -> U, [T; n]) -> [U; n]"),
        requires: DIMENSIONS,
        meaning: spread,
        form: Form::Spread(Level::Local),
    },
    Definition {
        name: "mapSeq",
        doc: "`map` in a loop of one work-item.",
        picture: "mapSeq(f, xs)   for i { out[i] = f(xs[i]); }",
        example: ("mapGlb(0, |row| mapSeq(|x| x + 1, row), [[1, 2], [3, 4]])", "array![[2, 3], [4, 5]]"),
        typing: Typing::One("mapSeq : (T -> U, [T; n]) -> [U; n]"),
        requires: &[],
        meaning: super::compute::map,
        form: Form::MapSeq(Loop::Rolled),
    },
    Definition {
        name: "mapSeqUnroll",
        doc: "`mapSeq` as an unrolled loop.",
        picture: "mapSeqUnroll(f, xs)   out[0] = f(xs[0]); out[1] = f(xs[1]); …",
        example: (
            "mapGlb(0, |row| mapSeqUnroll(|x| x + 1, row), [[1, 2], [3, 4]])",
            "array![[2, 3], [4, 5]]",
        ),
        typing: Typing::One("mapSeqUnroll : (T -> U, [T; n]) -> [U; n]"),
        requires: &[],
        meaning: super::compute::map,
        form: Form::MapSeq(Loop::Unrolled),
    },
    Definition {
        name: "reduceSeq",
        doc: "`reduce` in a loop of one work-item, in the order of the elements.",
        picture: "reduceSeq(init, f, xs)   acc = init; for i { acc = f(acc, xs[i]); }",
        example: ("mapGlb(0, |row| reduceSeq(0, |acc, x| acc + x, row), [[1, 2], [3, 4]])", "array![3, 7]"),
        typing: Typing::One("reduceSeq : (U, (U, T) -> U, [T; n]) -> U"),
        requires: &[],
        meaning: super::compute::reduce,
        form: Form::ReduceSeq(Loop::Rolled),
    },
    Definition {
        name: "reduceSeqUnroll",
        doc: "`reduceSeq` as an unrolled loop.",
        picture: "reduceSeqUnroll(init, f, xs)   acc = f(acc, xs[0]); acc = f(acc, xs[1]); …",
        example: (
            "mapGlb(0, |row| reduceSeqUnroll(0, |acc, x| acc + x, row), [[1, 2], [3, 4]])",
            "array![3, 7]",
        ),
        typing: Typing::One("reduceSeqUnroll : (U, (U, T) -> U, [T; n]) -> U"),
        requires: &[],
        meaning: super::compute::reduce,
        form: Form::ReduceSeq(Loop::Unrolled),
    },
    Definition {
        name: "toGlobal",
        doc: "Computes a value once and keeps it in global memory.",
        picture: "toGlobal(e)   __global int kept[…]; kept = e",
        example: ("mapGlb(0, |x| x + 1, toGlobal(mapGlb(0, |x| x * x, [1, 2])))", "array![2, 5]"),
        typing: Typing::One("toGlobal : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Global),
    },
    Definition {
        name: "toLocal",
        doc: "Computes a value once and keeps it in the memory of a work-group.",
        picture: "toLocal(e)   __local int kept[…]; kept = e; barrier",
        example: (
            "mapWrg(0, |row| mapLcl(0, |x| x + 1, reverse(toLocal(mapLcl(0, |x| x, row)))), [[1, 2], [3, 4]])",
            "array![[3, 2], [5, 4]]",
        ),
        typing: Typing::One("toLocal : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Local),
    },
    Definition {
        name: "toLocalPitched",
        doc: "Like `toLocal`, with `p` unused elements after each row.\n\
              So the elements of a column lie in different banks of the memory, and work-items read them without bank conflicts.",
        picture: "toLocalPitched(1, xss)   a b c _\n\
                  \x20                        d e f _",
        example: (
            "mapWrg(0, |xss| mapLcl(0, |xs| mapSeq(|x| x + 1, xs), transpose(toLocalPitched(1, mapLcl(0, |xs| mapSeq(|x| x, xs), xss)))), [[[1, 2], [3, 4]]])",
            "array![[[2, 4], [3, 5]]]",
        ),
        typing: Typing::One("toLocalPitched : (p, [[T; m]; n]) -> [[T; m]; n]"),
        requires: &[("p >= 0", "can\u{2019}t put rows {p} elements further apart")],
        meaning: |x| x[1].value().cloned(),
        form: Form::Kept(Space::Local),
    },
    Definition {
        name: "toPrivate",
        doc: "Computes a value once and keeps it in the memory of one work-item.",
        picture: "toPrivate(e)   int kept[…]; kept = e",
        example: (
            "mapGlb(0, |row| mapSeq(|x| x + 1, mapSeq(|x| toPrivate(x * 2), row)), [[1, 2], [3, 4]])",
            "array![[3, 5], [7, 9]]",
        ),
        typing: Typing::One("toPrivate : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Private),
    },
    Definition {
        name: "toItems",
        doc: "Computes a value once, in `mapLcl`s, and keeps it in the registers of the group's work-items: each has\n\
              the elements at its own indices, and no other work-item may read them.",
        picture: "toItems(mapLcl(0, f, xs))   work-item i: kept = f(xs[i])",
        example: (
            "mapWrg(0, |row| mapLcl(0, |x| x + 1, toItems(mapLcl(0, |x| x * x, row))), [[1, 2], [3, 4]])",
            "array![[2, 5], [10, 17]]",
        ),
        typing: Typing::One("toItems : (T) -> T"),
        requires: &[],
        meaning: identity,
        form: Form::Kept(Space::Items),
    },
    Definition {
        name: "ahead",
        doc: "For the array of a `reduceSeq`: each element is prefetched into registers during the step that uses the one\n\
              before it. This hides the latency of loads (software pipelining).",
        picture: "reduceSeq(z, f, ahead(map(g, xs)))   y = g(xs[0]);\n\
                  \x20                                    for i { use of y in f; y = g(xs[i + 1]); rest of f }",
        example: (
            "mapGlb(0, |row| reduceSeq(0, |acc, x| acc + x, ahead(map(|x| toPrivate(x * x), row))), [[1, 2], [3, 4]])",
            "array![5, 25]",
        ),
        typing: Typing::One("ahead : ([T; n]) -> [T; n]"),
        requires: &[],
        meaning: identity,
        form: Form::Ahead,
    },
    Definition {
        name: "rotated",
        doc: "For the array of windows of a `mapSeq` or `reduceSeq`: the current window is kept in registers, and the elements\n\
              that it shares with the next are moved, so that each element is loaded once. Windows that share no elements, or\n\
              hold more than 64 numbers, are refused.",
        picture: "mapSeq(f, rotated(slide(3, 1, xs)))   a = xs[0]; b = xs[1];\n\
                  \x20                                     for i { c = xs[i + 2]; out[i] = f([a, b, c]); a = b; b = c; }",
        example: (
            "mapGlb(0, |row| mapSeq(|w| reduceSeq(0, |acc, x| acc + x, w), rotated(slide(2, 1, row))), [[1, 2, 3], [4, 5, 6]])",
            "array![[3, 5], [9, 11]]",
        ),
        typing: Typing::One("rotated : ([[T; m]; n]) -> [[T; m]; n]"),
        requires: &[],
        meaning: identity,
        form: Form::Rotated,
    },
    Definition {
        name: "peeled",
        doc: "For the array of a placed `map`: peels its loop, so that only elements at the ends have guards.\n\
              The elements between them must then need fewer guards, against padding or against the part of the last tile that\n\
              is beyond the result. Where nested maps are all `peeled`, an element at the end of any of them has guards.",
        picture: "mapSeq(f, peeled(slide(3, 1, pad(1, 1, 0, xs))))   for i { if (i is inside) { no test } else { tests } }",
        example: (
            "mapGlb(0, |w| reduceSeq(0, |acc, x| acc + x, w), peeled(slide(3, 1, pad(1, 1, 0, [1, 2, 3, 4]))))",
            "array![3, 6, 9, 7]",
        ),
        typing: Typing::One("peeled : ([T; n]) -> [T; n]"),
        requires: &[],
        meaning: identity,
        form: Form::Peeled,
    },
];

const DIMENSIONS: &[(&str, &str)] =
    &[("d >= 0", "has dimensions 0, 1 and 2, not {d}"), ("d <= 2", "has dimensions 0, 1 and 2, not {d}")];

fn spread(x: &Operands) -> Result<Datum, Failure> {
    super::compute::mapped(&x[1], &x[2])
}

fn identity(x: &Operands) -> Result<Datum, Failure> {
    x[0].value().cloned()
}
