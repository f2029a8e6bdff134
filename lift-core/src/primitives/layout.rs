//! Primitives that rearrange an array and move nothing (GPGPU'20 §3.1.1).

use super::meaning::Operands;
use super::{AT, Bindings, Definition, Form, Layout, Typing};
use crate::datum::{Datum, Failure};
use crate::nat::{Condition, Nat};

/// Primitives that only rearrange: each is an index map, and its inverse where there is one.
pub static TABLE: &[Definition] = &[
    Definition {
        name: "split",
        doc: "Cuts an array into rows of `m` elements.",
        picture: "xs            a  b  c  d  e  f\n\
                  split(2, xs)  [a b] [c d] [e f]",
        example: ("split(2, [1, 2, 3, 4])", "array![[1, 2], [3, 4]]"),
        typing: Typing::One("split : (m, [T; n]) -> [[T; m]; n / m]"),
        requires: &[
            ("m >= 1", "needs rows of at least 1 element, not {m}"),
            ("n % m == 0", "into rows of {m} leaves elements over\nno whole row\npad {xs} first"),
        ],
        meaning: |x| {
            let (m, xs) = (x[0].size()?, x[1].array()?);
            Ok(Datum::array(xs.chunks(m.max(1)).map(|row| Datum::array(row.iter().cloned()))))
        },
        form: Form::Layout(Layout {
            arity: 2,
            // Row-major order: element `j` of row `i` is element `i*m + j`, and back by quotient and remainder.
            read: |s, i| vec![&i[0] * &s["m"] + &i[1]],
            write: Some((1, |s, i| vec![i[0].div(&s["m"]), i[0].rem(&s["m"])])),
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "join",
        doc: "Puts the rows of an array one after the other: the inverse of `split`.",
        picture: "xss        [a b] [c d] [e f]\n\
                  join(xss)  a  b  c  d  e  f",
        example: ("join([[1, 2], [3, 4]])", "array![1, 2, 3, 4]"),
        typing: Typing::One("join : ([[T; m]; n]) -> [T; n * m]"),
        requires: &[],
        meaning: |x| {
            let rows = x[0].array()?;
            let rows: Result<Vec<_>, Failure> = rows.iter().map(Datum::elements).collect();
            Ok(Datum::array(rows?.iter().flat_map(|row| row.iter().cloned())))
        },
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| vec![i[0].div(&s["m"]), i[0].rem(&s["m"])],
            write: Some((2, |s, i| vec![&i[0] * &s["m"] + &i[1]])),
            overlaps: false,
            // One loop over all elements would divide each index by `m`; a loop over rows and one in each row does not.
            nest: Some(|s| [s["n"].clone(), s["m"].clone()]),
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "splitOverlap",
        doc: "Cuts an array into rows of `m` elements, of which the last one ends where the array does: if the rows do not \
              fill the array exactly, it begins inside the row before it.",
        picture: "xs                   a  b  c  d  e\n\
                  splitOverlap(3, xs)  [a  b  c]\n\
                  \x20                         [c  d  e]",
        example: ("splitOverlap(3, [1, 2, 3, 4, 5])", "array![[1, 2, 3], [3, 4, 5]]"),
        typing: Typing::One("splitOverlap : (m, [T; n]) -> [[T; m]; (n + m - 1) / m]"),
        requires: &[
            ("m >= 1", "needs rows of at least 1 element, not {m}"),
            ("m <= n", "of {n} elements has no row of {m}"),
        ],
        meaning: |x| {
            let (m, xs) = (x[0].size()?.max(1), x[1].array()?);
            let starts = (0..xs.len()).step_by(m).map(|start| start.min(xs.len().saturating_sub(m)));
            Ok(Datum::array(starts.map(|start| Datum::array(xs.iter().skip(start).take(m).cloned()))))
        },
        form: Form::Layout(Layout {
            arity: 2,
            read: |s, i| vec![overlapping(s, &i[0]) + &i[1]],
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "joinOverlap",
        doc: "The array of `n` elements that `splitOverlap` cut into these rows: its inverse.\n\
              Of two rows that have an element the last one says what it is.",
        picture: "xss                  [a  b  c]\n\
                  \x20                         [c  d  e]\n\
                  joinOverlap(5, xss)  a  b  c  d  e",
        example: ("joinOverlap(5, [[1, 2, 3], [3, 4, 5]])", "array![1, 2, 3, 4, 5]"),
        typing: Typing::One("joinOverlap : (n, [[T; m]; k]) -> [T; n]"),
        requires: &[
            ("m >= 1", "needs rows of at least 1 element, not {m}"),
            ("m <= n", "makes no array of {n} elements of rows of {m}"),
            (
                "k == (n + m - 1) / m",
                "of {k} rows of {m} makes no array of {n}\n`splitOverlap` cuts that into (n + m - 1) / m rows",
            ),
        ],
        meaning: |x| {
            let (n, rows) = (x[0].size()?, x[1].array()?);
            let rows: Result<Vec<_>, Failure> = rows.iter().map(Datum::elements).collect();
            let rows = rows?;
            let (last, before) = rows.split_last().ok_or_else(|| Failure::new("no rows"))?;
            let first = before.iter().flat_map(|row| row.iter()).take(n.saturating_sub(last.len()));
            Ok(Datum::array(first.chain(last.iter()).cloned()))
        },
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| {
                // The quotient by `n` is 1 for what the last row has, and 0 for all before it.
                let last = &(&s["k"] - 1) * &(&i[0] + &s["m"]).div(&s["n"]);
                let row = i[0].div(&s["m"]).max(&last);
                let start = overlapping(s, &row);
                vec![row, &i[0] - &start]
            },
            write: Some((2, |s, i| vec![overlapping(s, &i[0]) + &i[1]])),
            overlaps: true,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "transpose",
        doc: "Swaps the two outer dimensions.",
        picture: "xss   a b c     transpose(xss)   a d\n\
                  \x20     d e f                      b e\n\
                  \x20                                c f",
        example: ("transpose([[1, 2, 3], [4, 5, 6]])", "array![[1, 4], [2, 5], [3, 6]]"),
        typing: Typing::One("transpose : ([[T; m]; n]) -> [[T; n]; m]"),
        requires: &[("n >= 1", "needs at least 1 row: without rows there are no columns")],
        meaning: |x| {
            let rows: Result<Vec<_>, Failure> = x[0].array()?.iter().map(Datum::elements).collect();
            let rows = rows?;
            let columns = rows.first().map_or(0, |row| row.len());
            Ok(Datum::array((0..columns).map(|c| Datum::array(rows.iter().map(|row| row[c].clone())))))
        },
        form: Form::Layout(Layout {
            arity: 2,
            read: |_, i| vec![i[1].clone(), i[0].clone()],
            write: Some((2, |_, i| vec![i[1].clone(), i[0].clone()])),
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "slide",
        doc: "Moves a window of `size` elements over an array by `step` elements at a time.\n\
              Elements after the last whole window are not used.",
        picture: "xs               a  b  c  d  e  f\n\
                  slide(3, 2, xs)  [a  b  c]\n\
                  \x20                      [c  d  e]     and no window has f",
        example: ("slide(3, 2, [1, 2, 3, 4, 5, 6])", "array![[1, 2, 3], [3, 4, 5]]"),
        typing: Typing::One("slide : (size, step, [T; n]) -> [[T; size]; (n - size + step) / step]"),
        requires: &[
            ("size >= 1", "needs windows of at least 1 element, not {size}"),
            ("step >= 1", "needs a step of at least 1 element, not {step}"),
            ("size <= n", "over {n} elements has no room for a window of {size}"),
        ],
        meaning: slide,
        form: Form::Layout(Layout {
            arity: 2,
            read: |s, i| vec![&i[0] * &s["step"] + &i[1]],
            // An element may be in several windows: there is no single place to write it to.
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: Some(|s| Condition::le(&s["size"], &s["step"])),
        }),
    },
    Definition {
        name: "slideStrict",
        doc: "Like `slide`, where the windows must cover the array exactly (GPGPU'20 §5.2).",
        picture: "xs                     a  b  c  d  e\n\
                  slideStrict(3, 2, xs)  [a  b  c]\n\
                  \x20                            [c  d  e]",
        example: ("slideStrict(3, 2, [1, 2, 3, 4, 5])", "array![[1, 2, 3], [3, 4, 5]]"),
        typing: Typing::One("slideStrict : (size, step, [T; n]) -> [[T; size]; (n - size + step) / step]"),
        requires: &[
            ("size >= 1", "needs windows of at least 1 element, not {size}"),
            ("step >= 1", "needs a step of at least 1 element, not {step}"),
            ("size <= n", "over {n} elements has no room for a window of {size}"),
            (
                "(n - size) % step == 0",
                "with windows of {size}, moved by {step}, leaves elements over\n\nuse `slide`, which leaves them out",
            ),
        ],
        meaning: slide,
        form: Form::Layout(Layout {
            arity: 2,
            read: |s, i| vec![&i[0] * &s["step"] + &i[1]],
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: Some(|s| Condition::le(&s["size"], &s["step"])),
        }),
    },
    Definition {
        name: "unslide",
        doc: "The array that windows were moved over by `step` elements at a time: the inverse of `slide`.\n\
              Of the windows that have an element the last one says what it is.",
        picture: "xss              [a  b  c]\n\
                  \x20                      [c  d  e]\n\
                  unslide(2, xss)  a  b  c  d  e",
        example: ("unslide(1, [[1, 2, 3], [2, 3, 4]])", "array![1, 2, 3, 4]"),
        typing: Typing::One("unslide : (step, [[T; size]; n]) -> [T; (n - 1) * step + size]"),
        requires: &[
            ("n >= 1", "needs at least 1 window"),
            ("step >= 1", "needs a step of at least 1 element, not {step}"),
            ("step <= size", "of windows of {size}, moved by {step}, has no elements between them"),
        ],
        meaning: |x| {
            let (step, windows) = (x[0].size()?.max(1), x[1].array()?);
            let windows: Result<Vec<_>, Failure> = windows.iter().map(Datum::elements).collect();
            let windows = windows?;
            let (last, before) = windows.split_last().ok_or_else(|| Failure::new("no windows"))?;
            let first = before.iter().flat_map(|window| window.iter().take(step));
            Ok(Datum::array(first.chain(last.iter()).cloned()))
        },
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| {
                // The window that begins last at or before the element, the last window for all behind it: it
                // need not be the only one that has the element.
                let window = i[0].div(&s["step"]).min(&(&s["n"] - 1));
                vec![window.clone(), &i[0] - &(&window * &s["step"])]
            },
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "reverse",
        doc: "The elements in the opposite order.",
        picture: "xs           a  b  c\n\
                  reverse(xs)  c  b  a",
        example: ("reverse([1, 2, 3])", "array![3, 2, 1]"),
        typing: Typing::One("reverse : ([T; n]) -> [T; n]"),
        requires: &[],
        meaning: |x| Ok(Datum::array(x[0].array()?.iter().rev().cloned())),
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| vec![&s["n"] - 1 - &i[0]],
            write: Some((1, |s, i| vec![&s["n"] - 1 - &i[0]])),
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "take",
        doc: "The first `m` elements: the number comes first, then the array.",
        picture: "xs           a  b  c  d\n\
                  take(2, xs)  a  b",
        example: ("take(2, [1, 2, 3, 4])", "array![1, 2]"),
        typing: Typing::One("take : (m, [T; n]) -> [T; m]"),
        requires: &[
            ("m >= 0", "cannot make an array of {m} elements"),
            ("m <= n", "of {m} elements asks for more than the {n} there are"),
        ],
        meaning: |x| Ok(Datum::array(x[1].array()?.iter().take(x[0].size()?).cloned())),
        form: Form::Layout(Layout {
            arity: 1,
            read: |_, i| vec![i[0].clone()],
            write: Some((1, |_, i| vec![i[0].clone()])),
            overlaps: false,
            nest: None,
            keeps: Some(|s| [Nat::constant(0), s["m"].clone()]),
            once: None,
        }),
    },
    Definition {
        name: "drop",
        doc: "All but the first `m` elements: the number comes first, then the array.",
        picture: "xs           a  b  c  d\n\
                  drop(2, xs)        c  d",
        example: ("drop(3, [1, 2, 3, 4])", "array![4]"),
        typing: Typing::One("drop : (m, [T; n]) -> [T; n - m]"),
        requires: &[
            ("m >= 0", "cannot leave {m} elements out"),
            ("m <= n", "of {m} elements leaves out more than the {n} there are"),
        ],
        meaning: |x| Ok(Datum::array(x[1].array()?.iter().skip(x[0].size()?).cloned())),
        form: Form::Layout(Layout {
            arity: 1,
            read: |s, i| vec![&i[0] + &s["m"]],
            write: Some((1, |s, i| vec![&i[0] - &s["m"]])),
            overlaps: false,
            nest: None,
            keeps: Some(|s| [s["m"].clone(), s["n"].clone()]),
            once: None,
        }),
    },
    Definition {
        name: AT,
        doc: "The element with this index, also written `xs[i]`.\n\
              An index is made of sizes, numbers and the indices of `generate` and `reorder`, and is proved to \
              be in range.",
        picture: "xs         a  b  c\n\
                  at(1, xs)     b",
        example: ("at(1, [10, 20, 30])", "20"),
        typing: Typing::One("at : (i, [T; n]) -> T"),
        requires: &[
            ("i >= 0", "with the index {i} asks for an element before the first"),
            ("i < n", "with the index {i} asks for more than the {n} elements there are"),
        ],
        meaning: |x| {
            let (i, xs) = (x[0].size()?, x[1].array()?);
            xs.get(i).cloned().ok_or_else(|| Failure::new(format!("index {i} of {} elements", xs.len())))
        },
        form: Form::Layout(Layout {
            arity: 0,
            read: |s, _| vec![s["i"].clone()],
            write: None,
            overlaps: false,
            nest: None,
            keeps: None,
            once: None,
        }),
    },
    Definition {
        name: "reorder",
        doc: "Element `i` of the result is element `f(i)`.\n\
              `stridedIndex(s)` is such an `f`: i ↦ i / n + s * (i % n) with n = L / s on length L.",
        picture: "xs                     a  b  c  d\n\
                  reorder(|i| 3 - i, xs) d  c  b  a\n\
                  reorder(stridedIndex(2), xs)\n\
                  \x20                      a  c  b  d",
        example: ("reorder(|i| (i + 1) % 4, [1, 2, 3, 4])", "array![2, 3, 4, 1]"),
        typing: Typing::One("reorder : (index(n) -> index(n), [T; n]) -> [T; n]"),
        requires: &[],
        meaning: |x| {
            let xs = x[1].array()?;
            let pick = |i: usize| {
                let j = x[0].index(i)?;
                xs.get(j).cloned().ok_or_else(|| Failure::new(format!("index {j} of {} elements", xs.len())))
            };
            let picked: Result<Vec<_>, Failure> = (0..xs.len()).map(pick).collect();
            Ok(Datum::array(picked?))
        },
        form: Form::Reorder,
    },
];

/// Where a row of `m` elements begins in an array of `n`, the last of which ends where the array does.
fn overlapping(s: &Bindings, row: &Nat) -> Nat {
    (row * &s["m"]).min(&(&s["n"] - &s["m"]))
}

fn slide(x: &Operands) -> Result<Datum, Failure> {
    let (size, step, xs) = (x[0].size()?, x[1].size()?, x[2].array()?);
    let windows = xs.windows(size.max(1)).step_by(step.max(1));
    Ok(Datum::array(windows.map(|w| Datum::array(w.iter().cloned()))))
}
