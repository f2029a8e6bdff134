//! Several arrays as one.

use super::{Definition, Form, Typing};
use crate::datum::{Datum, Failure};

/// Primitives of any number of arrays: their types are made for the number at hand.
pub static TABLE: &[Definition] = &[
    Definition {
        name: "zip",
        doc: "Arrays of one length as one array of tuples.",
        picture: "xs           a      b      c\n\
                  ys           d      e      f\n\
                  zip(xs, ys)  (a, d) (b, e) (c, f)",
        example: ("map(|(x, y)| x * y, zip([1, 2, 3], [4, 5, 6]))", "array![4, 10, 18]"),
        typing: Typing::Many(|k| {
            let operands: Vec<String> = (0..k).map(|i| format!("[T{i}; n]")).collect();
            let parts: Vec<String> = (0..k).map(|i| format!("T{i}")).collect();
            format!("zip : ({}) -> [({}); n]", operands.join(", "), parts.join(", "))
        }),
        requires: &[],
        meaning: |x| {
            let arrays: Result<Vec<_>, Failure> = x.iter().map(|a| a.array()).collect();
            let arrays = arrays?;
            let length = arrays.iter().map(|a| a.len()).min().unwrap_or(0);
            Ok(Datum::array((0..length).map(|i| Datum::tuple(arrays.iter().map(|a| a[i].clone())))))
        },
        form: Form::Zip,
    },
    Definition {
        name: "unzip",
        doc: "An array of tuples as a tuple of arrays: the inverse of `zip`.",
        picture: "xys         (a, d) (b, e) (c, f)\n\
                  unzip(xys)  ([a  b  c], [d  e  f])",
        example: ("unzip(map(|x| (x, x * x), [1, 2, 3]))", "(array![1, 2, 3], array![1, 4, 9])"),
        typing: Typing::Many(|k| {
            let parts: Vec<String> = (0..k).map(|i| format!("T{i}")).collect();
            let results: Vec<String> = (0..k).map(|i| format!("[T{i}; n]")).collect();
            format!("unzip : ([({}); n]) -> ({})", parts.join(", "), results.join(", "))
        }),
        requires: &[],
        meaning: |x| {
            let tuples: Result<Vec<_>, Failure> = x[0].array()?.iter().map(Datum::parts).collect();
            let tuples = tuples?;
            let width = x.parts();
            Ok(Datum::tuple((0..width).map(|k| Datum::array(tuples.iter().map(|t| t[k].clone())))))
        },
        form: Form::Unzip,
    },
    Definition {
        name: "concat",
        doc: "One array after the other.",
        picture: "xs              a  b\n\
                  ys                    c  d  e\n\
                  concat(xs, ys)  a  b  c  d  e",
        example: ("concat([1, 2], [3], [4, 5])", "array![1, 2, 3, 4, 5]"),
        typing: Typing::Many(|k| {
            let operands: Vec<String> = (0..k).map(|i| format!("[T; n{i}]")).collect();
            let lengths: Vec<String> = (0..k).map(|i| format!("n{i}")).collect();
            format!("concat : ({}) -> [T; {}]", operands.join(", "), lengths.join(" + "))
        }),
        requires: &[],
        meaning: |x| {
            let arrays: Result<Vec<_>, Failure> = x.iter().map(|a| a.array()).collect();
            Ok(Datum::array(arrays?.iter().flat_map(|a| a.iter().cloned())))
        },
        form: Form::Concat,
    },
];
