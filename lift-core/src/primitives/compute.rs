//! Primitives that compute (GPGPU'20 §3.1.1).

use super::meaning::{Operand, Operands};
use super::{Definition, Form, Typing};
use crate::datum::{Datum, Failure};

/// The primitives whose elements are computed and not only moved.
pub static TABLE: &[Definition] = &[
    Definition {
        name: "map",
        doc: "Applies a function to every element.",
        picture: "xs         a     b     c\n\
                  map(f, xs) f(a)  f(b)  f(c)",
        example: ("map(|x| x * x, [1, 2, 3])", "array![1, 4, 9]"),
        typing: Typing::One("map : (T -> U, [T; n]) -> [U; n]"),
        requires: &[],
        meaning: map,
        form: Form::Map,
    },
    Definition {
        name: "reduce",
        doc: "Combines all elements into one value, from the left, starting with `init`: of no elements it is `init`.\n\
              Schedules may reassociate `+ * min max` and the like; `#[strict]` on the function forbids it \
              for floats.",
        picture: "xs                    a b c\n\
                  reduce(init, f, xs)   f(f(f(init, a), b), c)",
        example: ("reduce(10, |acc, x| acc + x, [1, 2, 3])", "16"),
        typing: Typing::One("reduce : (U, (U, T) -> U, [T; n]) -> U"),
        requires: &[],
        meaning: reduce,
        form: Form::Reduce,
    },
    Definition {
        name: "scan",
        doc: "Like `reduce`, and keeps every intermediate result: n of them, the first after one element.\n\
              `init` itself is not among them, so the last one is what `reduce` gives.",
        picture: "xs                  a           b                 c\n\
                  scan(init, f, xs)   f(init, a)  f(f(init, a), b)  f(f(f(init, a), b), c)",
        example: ("scan(0, |acc, x| acc + x, [1, 2, 3])", "array![1, 3, 6]"),
        typing: Typing::One("scan : (U, (U, T) -> U, [T; n]) -> [U; n]"),
        requires: &[],
        meaning: |x| {
            let mut acc = x[0].value()?.clone();
            let mut results = vec![];
            for element in x[2].array()?.iter() {
                acc = x[1].call(&[acc, element.clone()])?;
                results.push(acc.clone());
            }
            Ok(Datum::array(results))
        },
        form: Form::Scan,
    },
    Definition {
        name: "iterate",
        doc: "Applies a function `m` times, each time to what it gave before; where `m` is 0 not at all.",
        picture: "iterate(3, f, x)   f(f(f(x)))",
        example: ("iterate(3, |x| x * 2, 1)", "8"),
        typing: Typing::One("iterate : (m, T -> T, T) -> T"),
        requires: &[("m >= 0", "cannot apply a function {m} times")],
        meaning: |x| {
            let start = x[2].value()?.clone();
            (0..x[0].size()?).try_fold(start, |value, _| x[1].call(&[value]))
        },
        form: Form::Iterate,
    },
    Definition {
        name: "generate",
        doc: "The array of `f(0)`, `f(1)`, … `f(n - 1)`. The index is a size: `i as f32` makes a number of it.",
        picture: "generate(3, f)   f(0)  f(1)  f(2)",
        example: ("generate(4, |i| (i * i) as i32)", "array![0, 1, 4, 9]"),
        typing: Typing::One("generate : (n, index(n) -> T) -> [T; n]"),
        requires: &[("n >= 0", "cannot make an array of {n} elements")],
        meaning: |x| {
            let values: Result<Vec<_>, Failure> = (0..x[0].size()?).map(|i| x[1].generated(i)).collect();
            Ok(Datum::array(values?))
        },
        form: Form::Generate,
    },
    Definition {
        name: "repeat",
        doc: "An array of `n` times the same value.",
        picture: "repeat(3, x)   x  x  x",
        example: ("repeat(3, 7)", "array![7, 7, 7]"),
        typing: Typing::One("repeat : (n, T) -> [T; n]"),
        requires: &[("n >= 0", "cannot make an array of {n} elements")],
        meaning: |x| Ok(Datum::array(std::iter::repeat_n(x[1].value()?.clone(), x[0].size()?))),
        form: Form::Repeat,
    },
];

/// The meaning of `map`, wherever it runs.
pub fn map(x: &Operands) -> Result<Datum, Failure> {
    mapped(&x[0], &x[1])
}

/// A function applied to every element.
pub fn mapped(f: &Operand, xs: &Operand) -> Result<Datum, Failure> {
    let mapped: Result<Vec<_>, Failure> =
        xs.array()?.iter().map(|element| f.call(std::slice::from_ref(element))).collect();
    Ok(Datum::array(mapped?))
}

/// The meaning of `reduce`: from the first element to the last. Rules that take another
/// order need an associative operator.
pub fn reduce(x: &Operands) -> Result<Datum, Failure> {
    let init = x[0].value()?.clone();
    x[2].array()?.iter().try_fold(init, |acc, element| x[1].call(&[acc, element.clone()]))
}
