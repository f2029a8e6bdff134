//! Adding elements at both ends of an array, or with negative amounts taking them away.

use super::meaning::Operands;
use super::{Bindings, Definition, Form, Layout, Typing};
use crate::datum::{Datum, Failure};
use crate::nat::Nat;

/// `pad`, and the forms of it that take the added elements from the array.
pub static TABLE: &[Definition] = &[
    Definition {
        name: "pad",
        doc: "Adds `l` copies of a value before an array and `r` after it. Negative amounts crop.\n\
              A scalar value fills elements that are arrays.",
        picture: "xs                     a  b  c\n\
                  pad(2, 1, x, xs)  x  x  a  b  c  x\n\
                  pad(-1, 0, x, xs)          b  c",
        example: ("pad(2, 1, 0, [1, 2, 3])", "array![0, 0, 1, 2, 3, 0]"),
        typing: Typing::One("pad : (l, r, fill T, [T; n]) -> [T; l + n + r]"),
        requires: &[
            ("0 - l <= n", "by {l} crops more than the {n} elements there are"),
            ("0 - r <= n", "by {r} crops more than the {n} elements there are"),
            ("0 <= l + n + r", "by {l} and {r} crops more than the {n} elements there are"),
        ],
        meaning: |x| {
            let (l, xs) = (x[0].integer()?, x[3].array()?);
            let length = l + xs.len() as i64 + x[1].integer()?;
            let fill = x.filled(x[2].value()?)?;
            let element = |i: i64| {
                let inside = usize::try_from(i - l).ok().and_then(|i| xs.get(i));
                inside.cloned().unwrap_or_else(|| fill.clone())
            };
            Ok(Datum::array((0..length).map(element)))
        },
        form: Form::Pad,
    },
    Definition {
        name: "padClamp",
        doc: "Like `pad`, with copies of the first and the last element.",
        picture: "xs                        a  b  c\n\
                  padClamp(2, 1, xs)  a  a  a  b  c  c",
        example: ("padClamp(2, 1, [1, 2, 3])", "array![1, 1, 1, 2, 3, 3]"),
        typing: Typing::One("padClamp : (l, r, [T; n]) -> [T; l + n + r]"),
        requires: &[
            ("n >= 1", "needs at least 1 element to repeat"),
            ("0 - l <= n", "by {l} crops more than the {n} elements there are"),
            ("0 - r <= n", "by {r} crops more than the {n} elements there are"),
            ("0 <= l + n + r", "by {l} and {r} crops more than the {n} elements there are"),
        ],
        meaning: |x| around(x, |i, n| i.clamp(0, n - 1)),
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| vec![clamped(s, &i[0])],
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "padMirror",
        doc: "Like `pad`, reflecting the array at its ends, the end elements repeated: `b a | a b c`, not `c b | a b c`.",
        picture: "xs                         a  b  c\n\
                  padMirror(2, 1, xs)  b  a  a  b  c  c",
        example: ("padMirror(2, 1, [1, 2, 3])", "array![2, 1, 1, 2, 3, 3]"),
        typing: Typing::One("padMirror : (l, r, [T; n]) -> [T; l + n + r]"),
        requires: &[
            ("l <= n", "by {l} reflects more than the {n} elements there are"),
            ("r <= n", "by {r} reflects more than the {n} elements there are"),
            ("0 - l <= n", "by {l} crops more than the {n} elements there are"),
            ("0 - r <= n", "by {r} crops more than the {n} elements there are"),
            ("0 <= l + n + r", "by {l} and {r} crops more than the {n} elements there are"),
        ],
        meaning: |x| {
            around(x, |i, n| match i {
                i if i < 0 => -1 - i,
                i if i >= n => 2 * n - 1 - i,
                i => i,
            })
        },
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| vec![mirrored(s, &i[0])],
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "padWrap",
        doc: "Like `pad`, as if the array were a ring.",
        picture: "xs                       a  b  c\n\
                  padWrap(2, 1, xs)  b  c  a  b  c  a",
        example: ("padWrap(2, 1, [1, 2, 3])", "array![2, 3, 1, 2, 3, 1]"),
        typing: Typing::One("padWrap : (l, r, [T; n]) -> [T; l + n + r]"),
        requires: &[
            ("l <= n", "by {l} goes round more than the {n} elements there are"),
            ("r <= n", "by {r} goes round more than the {n} elements there are"),
            ("0 - l <= n", "by {l} crops more than the {n} elements there are"),
            ("0 - r <= n", "by {r} crops more than the {n} elements there are"),
            ("0 <= l + n + r", "by {l} and {r} crops more than the {n} elements there are"),
        ],
        meaning: |x| around(x, |i, n| i.rem_euclid(n)),
        form: Form::Layout(Layout {
            arity: 1,
            // i - l is at least -n: with n added, the remainder needs no care for negative numbers.
            read: |s, i| vec![(&i[0] - &s["l"] + &s["n"]).rem(&s["n"])],
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
];

/// The nearest index within the array: `min(max(i - l, 0), n - 1)`.
fn clamped(s: &Bindings, i: &Nat) -> Nat {
    (i - &s["l"]).max(&Nat::constant(0)).min(&(&s["n"] - 1))
}

/// With x = i - l in -n..2n: the larger of x and -1 - x is never negative and right on the left
/// side; the smaller of that and its reflection at the right end is right everywhere.
fn mirrored(s: &Bindings, i: &Nat) -> Nat {
    let x = i - &s["l"];
    let left = x.max(&(-&x - 1));
    left.min(&(&s["n"] * 2 - 1 - &left))
}

/// The meaning of the forms without a fill value: `pick` gives the element, of `n`, that stands at
/// an index, which may be outside.
fn around(x: &Operands, pick: fn(i64, i64) -> i64) -> Result<Datum, Failure> {
    let (l, r, xs) = (x[0].integer()?, x[1].integer()?, x[2].array()?);
    let n = xs.len() as i64;
    let element = |i: i64| {
        let j = if n == 0 { -1 } else { pick(i - l, n) };
        let found = usize::try_from(j).ok().and_then(|j| xs.get(j));
        found.cloned().ok_or_else(|| Failure::new(format!("index {j} of {n} elements")))
    };
    let elements: Result<Vec<_>, Failure> = (0..l + n + r).map(element).collect();
    Ok(Datum::array(elements?))
}
