//! The n-dimensional forms, each defined by the one-dimensional primitives it expands to
//! (GPGPU'20 §3.1.1: `map2D(f, xs) = map(|row| map(f, row), xs)` and so on).

use super::builder::{Builder, function, size, value};
use crate::expr::{Argument, Expr, Kind};
use crate::nat::Nat;

/// A form: what it is given and what it stands for.
pub(crate) struct Form {
    /// Its name in the language.
    pub name: &'static str,
    /// Its documentation, as of a primitive.
    pub doc: &'static str,
    /// Operands and result, drawn.
    pub picture: &'static str,
    /// An expression, and its value as Rust writes it.
    pub example: (&'static str, &'static str),
    /// Its type, for readers.
    pub signature: &'static str,
    /// The kinds of its arguments, in order.
    pub arguments: &'static [Wanted],
    /// More operands of the last kind may follow.
    pub variadic: bool,
    /// Builds the expansion from arguments of these kinds.
    pub expand: fn(&mut Builder, &[Argument]) -> Expr,
}

/// The kind of an argument of a form.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Wanted {
    /// A size.
    Size,
    /// `(a, b)` or `(a, b, c)`: sizes, delivered one by one.
    Sizes(usize),
    /// A value.
    Value,
    /// A function of that many parameters.
    Function(usize),
}
use Wanted::{Function, Size, Sizes, Value};

pub(crate) static FORMS: &[Form] = &[
    Form {
        name: "map2D",
        doc: "Applies a function to every element of an array of arrays.",
        picture: "xss           a b     map2D(f, xss)   f(a) f(b)\n\
                  \x20             c d                     f(c) f(d)",
        example: ("map2D(|x| x * x, [[1, 2], [3, 4]])", "array![[1, 4], [9, 16]]"),
        signature: "map2D : (T -> U, [[T; m]; n]) -> [[U; m]; n]",
        arguments: &[Function(1), Value],
        variadic: false,
        expand: |b, x| {
            let f = function(x, 0);
            b.map(value(x, 1), |b, row| b.apply("map", vec![Argument::Function(f), Argument::Value(row)]))
        },
    },
    Form {
        name: "map3D",
        doc: "Applies a function to every element of a 3-dimensional array.",
        picture: "map3D(f, xsss)   map(|plane| map(|row| map(f, row), plane), xsss)",
        example: ("map3D(|x| x + 1, [[[1, 2]], [[3, 4]]])", "array![[[2, 3]], [[4, 5]]]"),
        signature: "map3D : (T -> U, [[[T; l]; m]; n]) -> [[[U; l]; m]; n]",
        arguments: &[Function(1), Value],
        variadic: false,
        expand: |b, x| {
            let f = function(x, 0);
            b.map(value(x, 1), |b, plane| {
                b.map(plane, |b, row| b.apply("map", vec![Argument::Function(f), Argument::Value(row)]))
            })
        },
    },
    Form {
        name: "zip2D",
        doc: "Arrays of arrays, of one shape, as one of tuples.",
        picture: "xss   a b    yss   e f    zip2D(xss, yss)   (a, e) (b, f)\n\
                  \x20     c d          g h                      (c, g) (d, h)",
        example: ("map2D(|(x, y)| x * y, zip2D([[1, 2]], [[3, 4]]))", "array![[3, 8]]"),
        signature: "zip2D : ([[T; m]; n], [[U; m]; n], …) -> [[(T, U); m]; n]",
        arguments: &[Value, Value],
        variadic: true,
        expand: |b, x| zip_nd(b, 2, values(x)),
    },
    Form {
        name: "zip3D",
        doc: "3-dimensional arrays of one shape as one of tuples.",
        picture: "zip3D(xsss, ysss)   element [i][j][k] is (xsss[i][j][k], ysss[i][j][k])",
        example: ("map3D(|(x, y)| x * y, zip3D([[[1, 2]]], [[[3, 4]]]))", "array![[[3, 8]]]"),
        signature: "zip3D : ([[[T; l]; m]; n], [[[U; l]; m]; n], …) -> [[[(T, U); l]; m]; n]",
        arguments: &[Value, Value],
        variadic: true,
        expand: |b, x| zip_nd(b, 3, values(x)),
    },
    Form {
        name: "slide2D",
        doc: "Windows of `r` rows and `c` columns, moved by `(v, h)`: down and to the right.",
        picture: "xss   a b c     slide2D((2, 2), (1, 1), xss)   a b   b c\n\
                  \x20     d e f                                    d e   e f",
        example: (
            "map2D(join, slide2D((2, 2), (1, 1), [[1, 2, 3], [4, 5, 6]]))",
            "array![[[1, 2, 4, 5], [2, 3, 5, 6]]]",
        ),
        signature: "slide2D : ((r, c), (v, h), [[T; w]; n]) -> [[[[T; c]; r]; (w - c + h) / h]; (n - r + v) / v]",
        arguments: &[Sizes(2), Sizes(2), Value],
        variadic: false,
        expand: |b, x| slide_2d(b, "slide", [size(x, 0), size(x, 1)], [size(x, 2), size(x, 3)], value(x, 4)),
    },
    Form {
        name: "slideStrict2D",
        doc: "Like `slide2D`, where the windows must cover the array exactly.",
        picture: "xss   a b c d     slideStrict2D((1, 2), (1, 2), xss)   a b   c d",
        example: ("map2D(join, slideStrict2D((1, 2), (1, 2), [[1, 2, 3, 4]]))", "array![[[1, 2], [3, 4]]]"),
        signature: "slideStrict2D : ((r, c), (v, h), [[T; w]; n]) -> [[[[T; c]; r]; (w - c + h) / h]; (n - r + v) / v]",
        arguments: &[Sizes(2), Sizes(2), Value],
        variadic: false,
        expand: |b, x| {
            slide_2d(b, "slideStrict", [size(x, 0), size(x, 1)], [size(x, 2), size(x, 3)], value(x, 4))
        },
    },
    Form {
        name: "slide3D",
        doc: "Windows of `p` planes, `r` rows and `c` columns, moved by `(u, v, h)`.",
        picture: "slide3D((p, r, c), (u, v, h), xsss)   windows of p planes, r rows, c columns, for each place one",
        example: (
            "join2D(map3D(join2D, slide3D((1, 1, 2), (1, 1, 1), [[[1, 2, 3]]])))",
            "array![[1, 2], [2, 3]]",
        ),
        signature: "slide3D : ((p, r, c), (u, v, h), [[[T; w]; n]; d]) -> [[[[[[T; c]; r]; p]; (w - c + h) / h]; (n - r + v) / v]; (d - p + u) / u]",
        arguments: &[Sizes(3), Sizes(3), Value],
        variadic: false,
        expand: |b, x| {
            let planes = b.map(value(x, 6), |b, plane| {
                slide_2d(b, "slide", [size(x, 1), size(x, 2)], [size(x, 4), size(x, 5)], plane)
            });
            let slabs = b.slide("slide", size(x, 0), size(x, 3), planes);
            // [d'][p][n'][w'][r][c]: p must go inside n' and w'.
            b.map(slabs, |b, slab| {
                let rows = b.one("transpose", slab);
                b.map(rows, |b, row| b.one("transpose", row))
            })
        },
    },
    Form {
        name: "pad2D",
        doc: "`pad` on the left, right, top and bottom: columns before and after each row, then rows before and after all.\n\
              A scalar value fills rows.",
        picture: "xss   a b     pad2D(1, 0, 0, 1, x, xss)   x a b\n\
                  \x20     c d                                 x c d\n\
                  \x20                                         x x x",
        example: ("pad2D(1, 0, 0, 1, 0, [[1, 2], [3, 4]])", "array![[0, 1, 2], [0, 3, 4], [0, 0, 0]]"),
        signature: "pad2D : (l, r, t, b, fill T, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]",
        arguments: &[Size, Size, Size, Size, Value, Value],
        variadic: false,
        expand: |b, x| {
            let fill = value(x, 4);
            pad_nd(b, "pad", &[size(x, 0), size(x, 1), size(x, 2), size(x, 3)], Some(fill), value(x, 5))
        },
    },
    Form {
        name: "pad3D",
        doc: "`pad` on the left, right, top, bottom, front and back: the innermost dimension comes first.",
        picture: "pad3D(l, r, t, b, f, k, x, xsss)   pad2D of every plane, f planes of x before and k after",
        example: ("pad3D(1, 0, 0, 0, 1, 0, 0, [[[1]]])", "array![[[0, 0]], [[0, 1]]]"),
        signature: "pad3D : (l, r, t, b, f, k, fill T, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]",
        arguments: &[Size, Size, Size, Size, Size, Size, Value, Value],
        variadic: false,
        expand: |b, x| {
            let amounts: Vec<Nat> = (0..6).map(|i| size(x, i)).collect();
            pad_nd(b, "pad", &amounts, Some(value(x, 6)), value(x, 7))
        },
    },
    Form {
        name: "padClamp2D",
        doc: "`padClamp` on the left, right, top and bottom.",
        picture: "xss   a b     padClamp2D(1, 0, 0, 1, xss)   a a b\n\
                  \x20     c d                              c c d\n\
                  \x20                                      c c d",
        example: ("padClamp2D(1, 0, 0, 1, [[1, 2], [3, 4]])", "array![[1, 1, 2], [3, 3, 4], [3, 3, 4]]"),
        signature: "padClamp2D : (l, r, t, b, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]",
        arguments: &[Size, Size, Size, Size, Value],
        variadic: false,
        expand: |b, x| pad_around(b, "padClamp", 4, x),
    },
    Form {
        name: "padMirror2D",
        doc: "`padMirror` on the left, right, top and bottom.",
        picture: "xss   a b     padMirror2D(1, 0, 0, 1, xss)   a a b\n\
                  \x20     c d                               c c d\n\
                  \x20                                       c c d",
        example: ("padMirror2D(1, 0, 0, 1, [[1, 2], [3, 4]])", "array![[1, 1, 2], [3, 3, 4], [3, 3, 4]]"),
        signature: "padMirror2D : (l, r, t, b, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]",
        arguments: &[Size, Size, Size, Size, Value],
        variadic: false,
        expand: |b, x| pad_around(b, "padMirror", 4, x),
    },
    Form {
        name: "padWrap2D",
        doc: "`padWrap` on the left, right, top and bottom.",
        picture: "xss   a b     padWrap2D(1, 0, 0, 1, xss)   b a b\n\
                  \x20     c d                             d c d\n\
                  \x20                                     b a b",
        example: ("padWrap2D(1, 0, 0, 1, [[1, 2], [3, 4]])", "array![[2, 1, 2], [4, 3, 4], [2, 1, 2]]"),
        signature: "padWrap2D : (l, r, t, b, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]",
        arguments: &[Size, Size, Size, Size, Value],
        variadic: false,
        expand: |b, x| pad_around(b, "padWrap", 4, x),
    },
    Form {
        name: "padClamp3D",
        doc: "`padClamp` on the left, right, top, bottom, front and back.",
        picture: "padClamp3D(l, r, t, b, f, k, xsss)   padClamp2D of every plane, and the same among the planes",
        example: ("padClamp3D(1, 0, 0, 0, 1, 0, [[[1]]])", "array![[[1, 1]], [[1, 1]]]"),
        signature: "padClamp3D : (l, r, t, b, f, k, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]",
        arguments: &[Size, Size, Size, Size, Size, Size, Value],
        variadic: false,
        expand: |b, x| pad_around(b, "padClamp", 6, x),
    },
    Form {
        name: "padMirror3D",
        doc: "`padMirror` on the left, right, top, bottom, front and back.",
        picture: "padMirror3D(l, r, t, b, f, k, xsss)   padMirror2D of every plane, and the same among the planes",
        example: ("padMirror3D(1, 0, 0, 0, 1, 0, [[[1]]])", "array![[[1, 1]], [[1, 1]]]"),
        signature: "padMirror3D : (l, r, t, b, f, k, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]",
        arguments: &[Size, Size, Size, Size, Size, Size, Value],
        variadic: false,
        expand: |b, x| pad_around(b, "padMirror", 6, x),
    },
    Form {
        name: "padWrap3D",
        doc: "`padWrap` on the left, right, top, bottom, front and back.",
        picture: "padWrap3D(l, r, t, b, f, k, xsss)   padWrap2D of every plane, and the same among the planes",
        example: ("padWrap3D(1, 0, 0, 0, 1, 0, [[[1]]])", "array![[[1, 1]], [[1, 1]]]"),
        signature: "padWrap3D : (l, r, t, b, f, k, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]",
        arguments: &[Size, Size, Size, Size, Size, Size, Value],
        variadic: false,
        expand: |b, x| pad_around(b, "padWrap", 6, x),
    },
    Form {
        name: "join2D",
        doc: "A 3-dimensional array as one long one.",
        picture: "xsss          [[a b] [c d]] [[e f] [g h]]\n\
                  join2D(xsss)  a  b  c  d  e  f  g  h",
        example: ("join2D([[[1, 2], [3, 4]]])", "array![1, 2, 3, 4]"),
        signature: "join2D : ([[[T; c]; b]; a]) -> [T; a * b * c]",
        arguments: &[Value],
        variadic: false,
        expand: |b, x| {
            let outer = b.one("join", value(x, 0));
            b.one("join", outer)
        },
    },
    Form {
        name: "join3D",
        doc: "A 4-dimensional array as one long one.",
        picture: "join3D(xssss)   join2D of every element, one after the other",
        example: ("join3D([[[[1, 2]], [[3, 4]]]])", "array![1, 2, 3, 4]"),
        signature: "join3D : ([[[[T; d]; c]; b]; a]) -> [T; a * b * c * d]",
        arguments: &[Value],
        variadic: false,
        expand: |b, x| {
            let outer = b.one("join", value(x, 0));
            let middle = b.one("join", outer);
            b.one("join", middle)
        },
    },
    Form {
        name: "split2D",
        doc: "Cuts an image into tiles of `r` rows and `c` columns.",
        picture: "xss   a b c d     split2D((2, 2), xss)   a b   c d\n\
                  \x20     e f g h                            e f   g h",
        example: (
            "map2D(join, split2D((2, 2), [[1, 2, 3, 4], [5, 6, 7, 8]]))",
            "array![[[1, 2, 5, 6], [3, 4, 7, 8]]]",
        ),
        signature: "split2D : ((r, c), [[T; w]; h]) -> [[[[T; c]; r]; w / c]; h / r]",
        arguments: &[Sizes(2), Value],
        variadic: false,
        expand: |b, x| {
            let cut = b.map(value(x, 2), |b, row| b.split(size(x, 1), row));
            let bands = b.split(size(x, 0), cut);
            b.map(bands, |b, band| b.one("transpose", band))
        },
    },
    Form {
        name: "untile2D",
        doc: "Puts tiles together: the inverse of `split2D`.",
        picture: "tiles   a b   c d     untile2D(tiles)   a b c d\n\
                  \x20       e f   g h                       e f g h",
        example: ("untile2D(split2D((1, 2), [[1, 2, 3, 4]]))", "array![[1, 2, 3, 4]]"),
        signature: "untile2D : ([[[[T; c]; r]; m]; n]) -> [[T; m * c]; n * r]",
        arguments: &[Value],
        variadic: false,
        expand: |b, x| {
            let bands = b.map(value(x, 0), |b, band| b.one("transpose", band));
            let rows = b.one("join", bands);
            b.map(rows, |b, row| b.one("join", row))
        },
    },
];

impl Form {
    /// The form of this name.
    pub fn named(name: &str) -> Option<&'static Form> {
        FORMS.iter().find(|f| f.name == name)
    }

    /// The number of dimensions that a form needs of its arrays: read off the brackets of its signature.
    pub fn rank(&self) -> usize {
        let operands = self.signature.rsplit_once(") ->").map_or("", |(operands, _)| operands);
        operands.split(|c| c != '[').map(str::len).max().unwrap_or(1)
    }
}

/// Windows in both dimensions: each row is cut into windows, bands of rows are taken, and within a
/// band windows come before rows.
fn slide_2d(b: &mut Builder, name: &str, sizes: [Nat; 2], steps: [Nat; 2], xs: Expr) -> Expr {
    let [rows, columns] = sizes;
    let [down, right] = steps;
    let cut = b.map(xs, |b, row| b.slide(name, columns, right, row));
    let bands = b.slide(name, rows, down, cut);
    b.map(bands, |b, band| b.one("transpose", band))
}

/// Amounts in pairs, the innermost dimension's first.
fn pad_nd(b: &mut Builder, name: &str, amounts: &[Nat], fill: Option<Expr>, xs: Expr) -> Expr {
    let [inner @ .., low, high] = amounts else { return xs };
    let xs = match inner {
        [] => xs,
        _ => b.map(xs, |b, row| pad_nd(b, name, inner, fill.clone(), row)),
    };
    let mut arguments = vec![Argument::Size(low.clone()), Argument::Size(high.clone())];
    arguments.extend(fill.map(Argument::Value));
    arguments.push(Argument::Value(xs));
    b.apply(name, arguments)
}

/// A form of `pad` that takes its elements from the array and needs no fill value.
fn pad_around(b: &mut Builder, name: &str, amounts: usize, x: &[Argument]) -> Expr {
    let sizes: Vec<Nat> = (0..amounts).map(|i| size(x, i)).collect();
    pad_nd(b, name, &sizes, None, value(x, amounts))
}

/// Zips dimension by dimension.
fn zip_nd(b: &mut Builder, dimensions: usize, operands: Vec<Expr>) -> Expr {
    let count = operands.len();
    let zipped = b.apply("zip", operands.into_iter().map(Argument::Value).collect());
    if dimensions == 1 {
        return zipped;
    }
    b.map(zipped, |b, rows| {
        let parts = (0..count).map(|k| Expr::new(b.site, Kind::Field(rows.clone(), k))).collect();
        zip_nd(b, dimensions - 1, parts)
    })
}

fn values(x: &[Argument]) -> Vec<Expr> {
    (0..x.len()).map(|i| value(x, i)).collect()
}
