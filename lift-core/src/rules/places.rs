//! Where values are computed and kept.

use super::build::{apply, as_map, as_reduce, is_size, lambda, map, movable, one};
use super::{Arguments, Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda, Pattern};
use crate::kernel::Space;
use crate::low::UNNAMED;
use crate::nat::Nat;
use crate::primitives::Form;
use crate::types::Type;

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[
    &HOIST,
    &PACK,
    &INWARDS,
    &TO_GLOBAL,
    &TO_LOCAL,
    &TO_LOCAL_PITCHED,
    &TO_PRIVATE,
    &FORGET,
    &TO_ITEMS,
    &AHEAD,
    &ROTATED,
    &PEELED,
    &MAP_GLB,
    &MAP_WRG,
    &MAP_LCL,
    &MAP_SEQ,
    &MAP_SEQ_UNROLL,
    &REDUCE_SEQ,
    &REDUCE_SEQ_UNROLL,
];

/// Rules that put a value into memory.
macro_rules! kept {
    ($($rule:ident $name:literal $source:literal)*) => {$(
        pub static $rule: Rule = Rule {
            name: $name,
            equation: concat!("e = ", $name, "(e)"),
            source: $source,
            sizes: &[],
            inside: false,
            apply: |_, e, _| if is_size(e) { None } else { one($name, &[], e.clone()) },
        };
    )*};
}
kept! {
    TO_GLOBAL "toGlobal" "GPGPU'20 §3.1.2"
    TO_LOCAL "toLocal" "GPGPU'20 §3.1.2"
    TO_PRIVATE "toPrivate" "GPGPU'20 §3.1.2"
    TO_ITEMS "toItems" "Boda-RTC §V (register tiling)"
}

/// A scalar that was kept is used where it is computed.
pub static FORGET: Rule = Rule {
    name: "forget",
    equation: "toPrivate(x) = x for scalars",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let Kind::Apply(p, arguments) = &*e.kind else { return None };
        let [Argument::Value(x)] = &arguments[..] else { return None };
        let is_scalar = matches!(context.ty(x)?, Type::Scalar(_));
        (is_scalar && matches!(p.form, Form::Kept(Space::Private))).then(|| x.clone())
    },
};

/// Rules that give a map, or a reduction, the place where it runs.
macro_rules! placed {
    ($($rule:ident $name:literal ($($size:literal)?) $from:ident $of:literal $operands:literal)*) => {$(
        pub static $rule: Rule = Rule {
            name: $name,
            equation: concat!($of, "(", $operands, ") = ", $name, "(", $($size, ", ",)? $operands, ")"),
            source: "GPGPU'20 §3.1.2",
            sizes: &[$($size)?],
            inside: false,
            apply: |_, e, arguments| {
                $from(e)?;
                placed($name, e, &arguments.sizes)
            },
        };
    )*};
}
placed! {
    MAP_GLB "mapGlb" ("d") as_map "map" "f, xs"
    MAP_WRG "mapWrg" ("d") as_map "map" "f, xs"
    MAP_LCL "mapLcl" ("d") as_map "map" "f, xs"
    MAP_SEQ "mapSeq" () as_map "map" "f, xs"
    MAP_SEQ_UNROLL "mapSeqUnroll" () as_map "map" "f, xs"
    REDUCE_SEQ "reduceSeq" () as_reduce "reduce" "z, f, xs"
    REDUCE_SEQ_UNROLL "reduceSeqUnroll" () as_reduce "reduce" "z, f, xs"
}

fn placed(name: &str, e: &Expr, sizes: &[Nat]) -> Option<Expr> {
    let Kind::Apply(_, arguments) = &*e.kind else { return None };
    let sizes = sizes.iter().cloned().map(Argument::Size);
    apply(name, sizes.chain(arguments.iter().cloned()).collect(), e)
}

/// Keeps a value in local memory with padded rows, against bank conflicts.
pub static TO_LOCAL_PITCHED: Rule = Rule {
    name: "toLocalPitched",
    equation: "xss = toLocalPitched(p, xss)",
    source: "",
    sizes: &["p"],
    inside: false,
    apply: |context, e, arguments| {
        context.ty(e)?.as_array()?.0.as_array()?;
        one("toLocalPitched", &[arguments.sizes.first()?], e.clone())
    },
};

/// Elements are fetched one step before a reduction uses them.
pub static AHEAD: Rule = Rule {
    name: "ahead",
    equation: "xs = ahead(xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        context.ty(e)?.as_array()?;
        one("ahead", &[], e.clone())
    },
};

/// The part that windows share with the next stays in registers.
pub static ROTATED: Rule = Rule {
    name: "rotated",
    equation: "xss = rotated(xss)",
    source: "LIFT's mapSeqSlide",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        context.ty(e)?.as_array()?.0.as_array()?;
        one("rotated", &[], e.clone())
    },
};

/// Iterations at the ends of a loop keep their guards against what lies outside; the others lose them.
pub static PEELED: Rule = Rule {
    name: "peeled",
    equation: "map(f, xs) = map(f, peeled(xs))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, xs) = as_map(e)?;
        map(f.clone(), one("peeled", &[], xs.clone())?)
    },
};

/// A part of an expression is bound before it, so that it can be kept.
pub static HOIST: Rule = Rule {
    name: "hoist",
    equation: "f(e) = { let x = e; f(x) }",
    source: "",
    sizes: &[],
    inside: true,
    apply: |context, e, arguments| {
        let part = movable(e, &arguments.inside)?;
        let (pattern, value) = context.variable(UNNAMED);
        let body = e.replaced(&arguments.inside, &value);
        Some(e.with(Kind::Let(pattern, part.clone(), body)))
    },
};

/// Another order in memory: in every block of `n` its outer dimension becomes the inner one.
pub static PACK: Rule = Rule {
    name: "pack",
    equation: "xs = join(map(inwards⁻¹, map(inwards, split(n, xs))))\n\
               where inwards makes the outer dimension the inner one",
    source: "Boda-RTC §VI (input transformations)",
    sizes: &["n"],
    inside: false,
    apply: pack,
};

fn pack(context: &mut Context, e: &Expr, arguments: &Arguments) -> Option<Expr> {
    let rank = context.ty(e)?.shape().0.len();
    let blocks = one("split", &[arguments.sizes.first()?], e.clone())?;
    if rank < 2 {
        return None;
    }
    let (block, value) = context.variable("block");
    let moved = inwards(context, value, rank - 1)?;
    let packed = map(lambda(vec![block], moved), blocks)?;
    let (block, value) = context.variable("block");
    let back = outwards(context, value, rank - 1)?;
    one("join", &[], map(lambda(vec![block], back), packed)?)
}

/// The elements of an array with another dimension as the innermost: a step on the way to [`PACK`].
pub static INWARDS: Rule = Rule {
    name: "inwards",
    equation: "xs = map(inwards⁻¹, map(inwards, xs))\n\
               where inwards makes the outer dimension the inner one",
    source: "Boda-RTC §VI (input transformations)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let dimensions = context.ty(e)?.shape().0.len().checked_sub(2).filter(|d| *d > 0)?;
        let (element, value) = context.variable("element");
        let moved = inwards(context, value, dimensions)?;
        let moved = map(lambda(vec![element], moved), e.clone())?;
        let (element, value) = context.variable("element");
        let back = outwards(context, value, dimensions)?;
        map(lambda(vec![element], back), moved)
    },
};

/// `[n][a][b]…` as `[a][b]…[n]`, for an array of this many dimensions.
fn inwards(context: &mut Context, xs: Expr, dimensions: usize) -> Option<Expr> {
    let turned = one("transpose", &[], xs)?;
    if dimensions == 1 {
        return Some(turned);
    }
    let (row, value) = context.variable("row");
    let body = inwards(context, value, dimensions - 1)?;
    map(lambda(vec![row], body), turned)
}

/// `[a][b]…[n]` as `[n][a][b]…`.
fn outwards(context: &mut Context, xs: Expr, dimensions: usize) -> Option<Expr> {
    if dimensions == 1 {
        return one("transpose", &[], xs);
    }
    let (row, value) = context.variable("row");
    let body: Expr = outwards(context, value, dimensions - 1)?;
    let params: Vec<Pattern> = vec![row];
    one("transpose", &[], map(Lambda { site: body.site, params, body }, xs)?)
}
