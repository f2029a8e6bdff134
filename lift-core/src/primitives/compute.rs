//! Primitives that compute (GPGPU'20 §3.1.1).

use super::builder::{Builder, function, value};
use super::meaning::{Operand, Operands};
use super::{Definition, Form, Typing, Use};
use crate::datum::{Datum, Failure};
use crate::expr::{Argument, Expr, Kind, Pattern};
use crate::scalar::{Op, Value};
use crate::types::{Scalar, Type};

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
        name: "argBest",
        doc: "The index and the value of the best element, where `f(best, x)` says whether `x` is better than the best so far.\n\
              Elements are compared in order: `x > best` finds the first of the largest, `x >= best` the last of them, `x < best` \
              the first of the smallest. With these no NaN is ever better, and nothing is better than a NaN, which is found if it comes \
              first; `x > best || best != best` finds the largest number wherever NaNs are. The index is an `i32`, so an array has \
              fewer than 2^31 elements.",
        picture: "xs                                3       7       1       7\n\
                  best so far                       (0, 3)  (1, 7)  (1, 7)  (1, 7)\n\
                  argBest(|best, x| x > best, xs)                           (1, 7)",
        example: ("argBest(|best, x| x > best, [3, 7, 1, 7])", "(1, 7)"),
        typing: Typing::One("argBest : ((T, T) -> bool, [T; n]) -> (i32, T)"),
        requires: &[("n >= 1", "needs at least 1 element: of none there is no best")],
        meaning: |x| {
            let elements = x[1].array()?;
            let first = elements.first().ok_or_else(|| Failure::new("the best of no elements"))?;
            let (mut index, mut best) = (0, first);
            for (i, element) in (0..).zip(elements.iter()).skip(1) {
                if x[0].call(&[best.clone(), element.clone()])?.scalar()?.is_true() {
                    (index, best) = (i, element);
                }
            }
            Ok(Datum::tuple([Datum::Scalar(Value::I32(index)), best.clone()]))
        },
        form: Form::Derived(arg_best),
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

/// `reduce(zeros, |(at, best), (i, x)| if i == 0 || f(best, x) { (i, x) } else { (at, best) }, zip(generate(n, |i| i), xs))`:
/// each element is read once, so that an array that is computed need not be kept.
fn arg_best(b: &mut Builder, u: &Use) -> Expr {
    let (f, xs, start) = (function(u.arguments, 0), value(u.arguments, 1), b.zero(u.result));
    let indices = b.generate(u.sizes["n"].clone(), |b, i| b.number(i, Scalar::I32));
    let elements = b.apply("zip", vec![Argument::Value(indices), Argument::Value(xs)]);
    let ([best, x], is_better) = b.open(f, ["best", "x"]);
    let (at, i) = (b.local("at"), b.local("i"));
    let index = b.read(&i);
    let zero = b.zero(&Type::Scalar(Scalar::I32));
    let is_first = b.expr(Kind::Op(Op::Eq, vec![index, zero]));
    let is_chosen = b.expr(Kind::Op(Op::Or, vec![is_first, is_better]));
    let [then, otherwise] =
        [[&i, &x], [&at, &best]].map(|parts| b.expr(Kind::Tuple(parts.map(|l| b.read(l)).to_vec())));
    let step = b.expr(Kind::If(is_chosen, then, otherwise));
    let params = [[at, best], [i, x]].map(|parts| Pattern::Tuple(parts.map(Pattern::Local).to_vec()));
    let step = b.function(params.to_vec(), step);
    b.apply("reduce", vec![Argument::Value(start), step, Argument::Value(elements)])
}
