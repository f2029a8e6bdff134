//! Tiling: arrays and windows taken apart.

use super::build::{
    apply, as_call, as_map, copies, flat_parts, lambda, map, movable, one, plural, tuple, zip,
};
use super::{Context, Rule};
use crate::expr::{Argument, Child, Expr, Kind, Path};
use crate::nat::{Condition, Maker, Nat, Var};
use crate::origin::{Access, Origins};
use crate::primitives::Form;
use crate::types::Type;

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[
    &SPLIT_JOIN,
    &SPLIT_JOIN_OVERLAP,
    &SLIDE_TILING,
    &SLIDE_MAP,
    &COVER,
    &ROUND_UP,
    &ROUND_UP_WINDOWS,
    &EXTEND,
    &PAD_CONCAT,
    &ALONE,
];

/// A map becomes a map over chunks.
pub static SPLIT_JOIN: Rule = Rule {
    name: "splitJoin",
    equation: "map(f, xs) = join(map(|chunk| map(f, chunk), split(n, xs))), each array of a `zip` by itself",
    source: "CC'22 §4.1 (map fusion, the other way round)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let n = arguments.sizes.first()?;
        one("join", &[], chunks(context, e, "split", n)?)
    },
};

/// The same for any length that a chunk fits into: the last chunk ends where the array ends, and some results are computed twice.
pub static SPLIT_JOIN_OVERLAP: Rule = Rule {
    name: "splitJoinOverlap",
    equation: "map(f, xs) = joinOverlap(m, map(|chunk| map(f, chunk), splitOverlap(n, xs))) for m elements, each array of a `zip` \
               by itself",
    source: "",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let n = arguments.sizes.first()?;
        let m = context.ty(e)?.as_array()?.1.clone();
        one("joinOverlap", &[&m], chunks(context, e, "splitOverlap", n)?)
    },
};

/// A map over the chunks that a primitive cuts a map's arrays into.
fn chunks(context: &mut Context, e: &Expr, split: &str, n: &Nat) -> Option<Expr> {
    let (f, xs) = as_map(e)?;
    let (mut names, mut chunks, mut cut, mut params) = (vec![], vec![], vec![], vec![]);
    let all = flat_parts(&f.params[0], xs);
    let alone = all.len() == 1;
    for (pattern, array) in all {
        let name = if alone { "chunk".into() } else { plural(pattern) };
        let (name, chunk) = context.variable(&name);
        names.push(name);
        chunks.push(chunk);
        cut.push(one(split, &[n], array.clone())?);
        params.push(pattern.clone());
    }
    // So an array that does not depend on what another does can be read once for many of the other's elements.
    let rows = map(lambda(vec![tuple(params)], f.body.clone()), zip(chunks)?)?;
    map(lambda(vec![tuple(names)], rows), zip(cut)?)
}

/// For arrays whose length is not a multiple of the tile: the last tile is filled up with copies of the last element,
/// which need no guard, and their results are discarded.
pub static ROUND_UP: Rule = Rule {
    name: "roundUp",
    equation: "map(f, xs) = take(m, map(f, padClamp(0, (n - m % n) % n, xs))) for m elements",
    source: "GPGPU'20 §4.2.1 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let n = arguments.sizes.first()?;
        extended(context, e, |m| up_to_whole(m, n))
    },
};

/// The same for windows: they slide over an array that is filled up, so that tiles of them are windows of it, too.
pub static ROUND_UP_WINDOWS: Rule = Rule {
    name: "roundUpWindows",
    equation: "map(f, slide(size, step, xs)) = take(m, map(f, slide(size, step, padClamp(0, (n - m % n) % n * step, xs)))) for m windows",
    source: "GPGPU'20 §4.2.1 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let n = arguments.sizes.first()?;
        let (f, windows) = as_map(e)?;
        let (sizes, xs) = as_call(windows, "slide")?;
        let step = *sizes.last()?;
        let m = context.ty(e)?.as_array()?.1.clone();
        let more = up_to_whole(&m, n) * step;
        let padded = one("padClamp", &[&Nat::constant(0), &more], xs.clone())?;
        one("take", &[&m], map(f.clone(), one("slide", &sizes, padded)?)?)
    },
};

/// As many elements as one likes are added, and their results discarded: so the length can be one that tiles divide.
pub static EXTEND: Rule = Rule {
    name: "extend",
    equation: "map(f, xs) = take(m, map(f, padClamp(0, n, xs))) for m elements",
    source: "GPGPU'20 §4.2.1 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let n = arguments.sizes.first()?;
        extended(context, e, |_| n.clone())
    },
};

/// How many elements `m` are short of a whole number of tiles of `n`.
fn up_to_whole(m: &Nat, n: &Nat) -> Nat {
    (n - &m.rem(n)).rem(n)
}

/// A map over more elements than there are: copies of the last one, as many as are asked for at this length.
fn extended(context: &mut Context, e: &Expr, by: impl FnOnce(&Nat) -> Nat) -> Option<Expr> {
    let (f, xs) = as_map(e)?;
    let m = context.ty(xs)?.as_array()?.1.clone();
    let by = by(&m);
    // Each of several arrays by itself, so that one can be kept apart.
    let (mut params, mut padded) = (vec![], vec![]);
    for (pattern, array) in flat_parts(&f.params[0], xs) {
        params.push(pattern.clone());
        padded.push(one("padClamp", &[&Nat::constant(0), &by], array.clone())?);
    }
    one("take", &[&m], map(lambda(vec![tuple(params)], f.body.clone()), zip(padded)?)?)
}

/// What is put around an array is written apart from it, and the array is written right to its place. An end that gets
/// nothing has no part.
pub static PAD_CONCAT: Rule = Rule {
    name: "padConcat",
    equation: "pad(l, r, v, xs) = concat(repeat(l, v), xs, repeat(r, v))",
    source: "Hashemi 2019 (the output has the border that the next layer reads)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let Kind::Apply(p, arguments) = &*e.kind else { return None };
        let (
            Form::Pad,
            [Argument::Size(before), Argument::Size(after), Argument::Value(fill), Argument::Value(xs)],
        ) = (&p.form, &arguments[..])
        else {
            return None;
        };
        let element = context.ty(xs)?.as_array()?.0.clone();
        let is_scalar = matches!(context.ty(fill)?, Type::Scalar(_));
        let value = if is_scalar { copies(fill.clone(), &element)? } else { fill.clone() };
        let none = Nat::constant(0);
        // A negative number of elements crops.
        let is_added = |n: &Nat| context.holds(&Condition::le(none.clone(), n.clone()));
        if !is_added(before) || !is_added(after) {
            return None;
        }
        let end = |n: &Nat| if *n == none { None } else { one("repeat", &[n], value.clone()) };
        let parts: Vec<Expr> = [end(before), Some(xs.clone()), end(after)].into_iter().flatten().collect();
        match parts.len() {
            1 => Some(xs.clone()),
            _ => apply("concat", parts.into_iter().map(Argument::Value).collect(), e),
        }
    },
};

/// One result becomes a map over one element, so that one of several work-items can compute it.
pub static ALONE: Rule = Rule {
    name: "alone",
    equation: "map(|x| f(x, ys), xs) = join(map(|x| map(|zs| f(x, zs), split(n, ys)), xs)) for n elements of ys",
    source: "",
    sizes: &[],
    inside: true,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        // What is named before the result stays before it.
        let (lets, inside) = behind_lets(&f.body, &arguments.inside)?;
        let tail = f.body.at(&lets)?;
        let ys = movable(tail, &inside)?;
        let n = context.ty(ys)?.as_array()?.1.clone();
        let (pattern, zs) = context.variable("zs");
        let chunks = one("split", &[&n], ys.clone())?;
        let alone = map(lambda(vec![pattern], tail.replaced(&inside, &zs)), chunks)?;
        let body = f.body.replaced(&lets, &alone);
        one("join", &[], map(lambda(f.params.clone(), body), xs.clone())?)
    },
};

/// A path in two parts: through the `let`s that it begins with, and from the expression behind them on.
fn behind_lets(e: &Expr, path: &Path) -> Option<(Path, Path)> {
    let stops = e.along(path)?;
    let last = stops.into_iter().take_while(|stop| stop.child == Child::Body).last();
    Some(last.map_or_else(|| (Path::default(), path.clone()), |stop| (stop.next, stop.further)))
}

/// Neighbouring windows share elements, and so do tiles of them. `slideStrict` demands that the tiles
/// cover what windows have elements of, and then the windows are whole tiles.
pub static SLIDE_TILING: Rule = Rule {
    name: "slideTiling",
    equation: "slide(size, step, xs) = join(map(|tile| slide(size, step, tile), slideStrict(size + (n - 1) * step, n * step, ys)))\n\
               where ys are the elements of xs that windows have: take((m - 1) * step + size, xs) for m windows",
    source: "GPGPU'20 §3.4.1",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (sizes, xs) = as_call(e, "slide")?;
        let ([size, step], [n]) = (&sizes[..], &arguments.sizes[..]) else { return None };
        let windows = context.ty(e)?.as_array()?.1.clone();
        let (reach, all) = ((windows - 1) * *step + *size, context.ty(xs)?.as_array()?.1);
        let reached = if reach == *all { xs.clone() } else { one("take", &[&reach], xs.clone())? };
        let (pattern, tile) = context.variable("tile");
        let windows = one("slide", &[size, step], tile)?;
        let (reach, stride) = (*size + &((n - 1) * *step), n * *step);
        one(
            "join",
            &[],
            map(lambda(vec![pattern], windows), one("slideStrict", &[&reach, &stride], reached)?)?,
        )
    },
};

/// What is done to each element of an array is done to the elements of its windows: so these are windows of the array itself.
pub static SLIDE_MAP: Rule = Rule {
    name: "slideMap",
    equation: "slide(size, step, map(f, xs)) = map(|window| map(f, window), slide(size, step, xs))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (sizes, ys) = as_call(e, "slide")?;
        let (f, xs) = as_map(ys)?;
        let (pattern, window) = context.variable("window");
        let elements = map(f.clone(), window)?;
        map(lambda(vec![pattern], elements), one("slide", &sizes, xs.clone())?)
    },
};

/// Rows that are overlapping windows of one array, however they were made, are read from that array: so the elements that
/// they share can be kept once.
pub static COVER: Rule = Rule {
    name: "cover",
    equation: "xss = slide(n, s, unslide(s, xss)) for rows of n, each s elements further in one array",
    source: "Boda-RTC §VI (tconv)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let n = context.ty(e)?.as_array()?.0.as_array()?.1.clone();
        let step = step(context, e)?;
        let overlap = [Condition::ge(&step, Nat::constant(1)), Condition::le(&step, &n)];
        if !overlap.iter().all(|condition| context.holds(condition)) {
            return None;
        }
        one("slide", &[&n, &step], one("unslide", &[&step], e.clone())?)
    },
};

/// The distance between the beginnings of neighbouring rows in the array that they are windows of.
fn step(context: &Context, e: &Expr) -> Option<Nat> {
    let origins = Origins::new(context.function, (context.typed)()?);
    let [row, column] = ["row", "column"].map(|name| Nat::var(&Var::made(Maker::Origin, name, 0)));
    let at = |i: Nat, j: Nat| origins.of(e, &[Access::Element(i), Access::Element(j)]);
    let here = at(row.clone(), column.clone())?;
    let (below, beside) = (at(&row + 1, column.clone())?, at(row, &column + 1)?);
    let (mut step, mut moves) = (None, vec![]);
    for ((here, below), beside) in here.iter().zip(&below).zip(&beside) {
        for (down, right) in here.moved(below)?.into_iter().zip(here.moved(beside)?) {
            let right = right.as_constant()?;
            if right == 1 {
                step.get_or_insert(down.clone());
            }
            moves.push((down, right));
        }
    }
    // Rows may be at uneven distances: then the distance depends on the row.
    let everywhere = |step: &Nat| step.vars().iter().all(|v| v.index == 0);
    step.filter(|step| everywhere(step) && moves.iter().all(|(down, right)| *down == step * *right))
}
