//! Simplification: pairs of primitives that undo each other, and the like.

use super::Rule;
use super::build::{as_call, as_map, as_zip, lambda, map, one, untyped};
use crate::expr::{Kind, Pattern};

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[
    &JOIN_SPLIT,
    &SPLIT_JOIN_INVERSE,
    &TRANSPOSE_TRANSPOSE,
    &AS_VECTOR_AS_SCALAR,
    &AS_SCALAR_AS_VECTOR,
    &MAP_IDENTITY,
    &MAP_OF_COMPONENT,
    &COPY,
    &TURN,
    &FLATTEN,
    &PIECES,
];

/// `outer(n, inner(m, xs)) = xs` where the two undo each other.
macro_rules! inverse {
    ($($rule:ident $name:literal $equation:literal $outer:literal $inner:literal $always:literal)*) => {$(
        pub static $rule: Rule = Rule {
            name: $name,
            equation: $equation,
            source: "",
            sizes: &[],
            inside: false,
            apply: |context, e, _| {
                let (_, ys) = as_call(e, $outer)?;
                let (_, xs) = as_call(ys, $inner)?;
                // The types agree only if the sizes are right.
                ($always || context.ty(e)? == context.ty(xs)?).then(|| xs.clone())
            },
        };
    )*};
}
inverse! {
    JOIN_SPLIT "joinSplit" "join(split(n, xs)) = xs" "join" "split" true
    SPLIT_JOIN_INVERSE "splitOfJoin" "split(n, join(xss)) = xss for rows of n" "split" "join" false
    TRANSPOSE_TRANSPOSE "transposeTranspose" "transpose(transpose(xss)) = xss" "transpose" "transpose" true
    AS_VECTOR_AS_SCALAR "asVectorAsScalar" "asVector(v, asScalar(vs)) = vs for vectors of v" "asVector" "asScalar" false
    AS_SCALAR_AS_VECTOR "asScalarAsVector" "asScalar(asVector(v, xs)) = xs" "asScalar" "asVector" true
}

/// A map that does nothing.
pub static MAP_IDENTITY: Rule = Rule {
    name: "mapIdentity",
    equation: "map(|x| x, xs) = xs",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, xs) = as_map(e)?;
        match (untyped(&f.params[0]), &*f.body.kind) {
            (Pattern::Local(x), Kind::Local(y)) if x == y => Some(xs.clone()),
            _ => None,
        }
    },
};

/// A component of a zip is one of its arrays.
pub static MAP_OF_COMPONENT: Rule = Rule {
    name: "mapOfComponent",
    equation: "map(|(x, y)| x, zip(xs, ys)) = xs",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, xs) = as_map(e)?;
        let (Pattern::Tuple(patterns), Kind::Local(local), arrays) =
            (untyped(&f.params[0]), &*f.body.kind, as_zip(xs)?)
        else {
            return None;
        };
        let k = patterns.iter().position(|p| matches!(untyped(p), Pattern::Local(l) if l == local))?;
        arrays.get(k).map(|array| (*array).clone())
    },
};

/// The opposite of [`MAP_IDENTITY`]: a value that is only moved becomes a loop, which can be
/// placed and whose result can be kept.
pub static COPY: Rule = Rule {
    name: "copy",
    equation: "xs = map(|x| x, xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        context.ty(e)?.as_array()?;
        let (pattern, x) = context.variable("x");
        map(lambda(vec![pattern], x), e.clone())
    },
};

/// Rows and columns change places twice, so that other rules apply in between.
pub static TURN: Rule = Rule {
    name: "turn",
    equation: "xss = transpose(transpose(xss))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        context.ty(e)?.as_array()?.0.as_array()?;
        one("transpose", &[], one("transpose", &[], e.clone())?)
    },
};

/// Rows as pieces of one long array, so that rules about joined arrays apply.
pub static FLATTEN: Rule = Rule {
    name: "flatten",
    equation: "xss = split(n, join(xss)) for rows of n",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let n = context.ty(e)?.as_array()?.0.as_array()?.1.clone();
        one("split", &[&n], one("join", &[], e.clone())?)
    },
};

/// An array as pieces, so that these can be rows in memory.
pub static PIECES: Rule = Rule {
    name: "pieces",
    equation: "xs = join(split(n, xs))",
    source: "",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        context.ty(e)?.as_array()?;
        one("join", &[], one("split", &[arguments.sizes.first()?], e.clone())?)
    },
};
