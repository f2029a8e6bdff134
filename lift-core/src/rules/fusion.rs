//! Fusion and fission: what is computed together.
//!
//! Fusion makes no kernel faster by itself, since reading is lazy and fuses anyway. It brings functions together, so
//! that other rules find both in one place; fission takes them apart, so that a part can be kept or placed.

use super::Rule;
use super::build::{
    apply, as_call, as_map, as_reduce, as_zip, bind, flat_parts, lambda, map, map_read, mentions, movable,
    one, parts, put, reduce, tuple, untyped, zip,
};
use crate::expr::{Argument, Expr, Kind, Lambda, Pattern};

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[
    &BETA,
    &AGAIN,
    &LET_OUT,
    &MAP_SPLIT,
    &MAP_FUSION,
    &ZIP_FUSION,
    &ZIP_ONCE,
    &COMPONENTS,
    &MAP_ROWS,
    &REDUCE_MAP_FUSION,
    &TUPLE_FUSION,
    &MAP_FISSION,
    &REDUCE_OPERAND,
    &PROJECT,
];

/// A `let` that costs nothing is none.
pub static BETA: Rule = Rule {
    name: "beta",
    equation: "{ let x = y; f(x) } = f(y)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let Kind::Let(pattern, value, body) = &*e.kind else { return None };
        let bound = bind(pattern, value, body);
        (!matches!(&*bound.kind, Kind::Let(p, v, _) if p == pattern && v == value)).then_some(bound)
    },
};

/// An array is not kept, but computed again for every use.
pub static AGAIN: Rule = Rule {
    name: "again",
    equation: "{ let ys = map(f, xs); g(ys) } = g(map(f, xs))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let Kind::Let(pattern, value, body) = &*e.kind else { return None };
        let Pattern::Local(local) = untyped(pattern) else { return None };
        as_map(value)?;
        Some(put(body, local, value))
    },
};

/// What an operand is computed with has its name around the primitive, too: so a map meets what computes its elements.
pub static LET_OUT: Rule = Rule {
    name: "letOut",
    equation: "map(f, { let y = x; zs }) = { let y = x; map(f, zs) }, the same for every operand of a primitive, and\n\
               { let z = { let y = x; g(y) }; h(z) } = { let y = x; { let z = g(y); h(z) } }",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let named = |e: &Expr| match &*e.kind {
            Kind::Let(pattern, value, body) => Some((pattern.clone(), value.clone(), body.clone())),
            _ => None,
        };
        match &*e.kind {
            Kind::Let(outer, value, body) => {
                let (pattern, inner, bare) = named(value)?;
                let rest = e.with(Kind::Let(outer.clone(), bare, body.clone()));
                Some(e.with(Kind::Let(pattern, inner, rest)))
            }
            Kind::Apply(primitive, arguments) => {
                let of_argument = |argument: &Argument| match argument {
                    Argument::Value(value) => named(value),
                    Argument::Size(_)
                    | Argument::Function(_)
                    | Argument::Index(..)
                    | Argument::Generator(..) => None,
                };
                let (k, (pattern, value, bare)) =
                    (0..).zip(arguments).find_map(|(k, argument)| Some((k, of_argument(argument)?)))?;
                let mut arguments = arguments.clone();
                arguments[k] = Argument::Value(bare);
                Some(e.with(Kind::Let(pattern, value, e.with(Kind::Apply(*primitive, arguments)))))
            }
            _ => None,
        }
    },
};

/// A map over the elements of pieces goes over what the pieces are made of: so it meets what computes that. What each piece is zipped
/// with is there once for all of them.
pub static MAP_SPLIT: Rule = Rule {
    name: "mapSplit",
    equation: "map(|piece| map(|(x, y)| f(x, y), zip(piece, ys)), split(n, xs))\n\
               = split(n, map(|(x, y)| f(x, y), zip(xs, join(repeat(m, ys))))) for m pieces, and without ys",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, pieces) = as_map(e)?;
        let (sizes, xs) = as_call(pieces, "split")?;
        let (f, arrays) = as_map(&outer.body)?;
        let Pattern::Local(piece) = untyped(&outer.params[0]) else { return None };
        let is_piece = |array: &Expr| matches!(&*array.kind, Kind::Local(local) if local == piece);
        let all = flat_parts(&f.params[0], arrays);
        let mentioned = |array: &Expr| array.uses(piece) > 0 && !is_piece(array);
        if !all.iter().any(|(_, array)| is_piece(array))
            || all.iter().any(|(_, array)| mentioned(array))
            || f.body.uses(piece) > 0
        {
            return None;
        }
        let (_, count) = context.ty(pieces)?.as_array()?;
        let of_all = |array: &Expr| match is_piece(array) {
            true => Some(xs.clone()),
            false if count.as_constant() == Some(1) => Some(array.clone()),
            false => one("join", &[], one("repeat", &[count], array.clone())?),
        };
        let whole: Vec<Expr> = all.iter().map(|(_, array)| of_all(array)).collect::<Option<_>>()?;
        let names = all.into_iter().map(|(pattern, _)| pattern.clone()).collect();
        one("split", &sizes, map(lambda(vec![tuple(names)], f.body.clone()), zip(whole)?)?)
    },
};

/// No array between two maps: elements go from one function to the next.
pub static MAP_FUSION: Rule = Rule {
    name: "mapFusion",
    equation: "map(f, map(g, xs)) = map(|x| f(g(x)), xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, ys) = as_map(e)?;
        let (g, xs) = as_map(ys)?;
        map(lambda(g.params.clone(), bind(&f.params[0], &g.body, &f.body)), xs.clone())
    },
};

/// The same, where the second map goes over other arrays as well, zipped once or in turn.
pub static ZIP_FUSION: Rule = Rule {
    name: "zipFusion",
    equation: "map(|(y, z)| f(y, z), zip(map(g, xs), zs)) = map(|(x, z)| f(g(x), z), zip(xs, zs))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, arrays) = as_map(e)?;
        let mut all: Vec<(Pattern, Expr)> =
            flat_parts(&f.params[0], arrays).into_iter().map(|(p, xs)| (p.clone(), xs.clone())).collect();
        if all.len() < 2 {
            return None;
        }
        let (mapped, (pattern, ys)) = all.iter().enumerate().find(|(_, (_, ys))| as_map(ys).is_some())?;
        let (g, xs) = as_map(ys)?;
        let body = bind(pattern, &g.body, &f.body);
        all[mapped] = (g.params[0].clone(), xs.clone());
        let (patterns, arrays) = all.into_iter().unzip();
        map(lambda(vec![Pattern::Tuple(patterns)], body), zip(arrays)?)
    },
};

/// The function and the array of a map or a reduction.
fn function(e: &Expr) -> Option<(&Lambda, &Expr)> {
    as_map(e).or_else(|| as_reduce(e).map(|(_, f, xs)| (f, xs)))
}

/// The map or the reduction with another function and another array.
fn with_function(e: &Expr, f: Lambda, xs: Expr) -> Option<Expr> {
    match as_reduce(e) {
        Some((z, ..)) => reduce(z.clone(), f, xs),
        None => map(f, xs),
    }
}

/// An array that is zipped with itself is read once.
pub static ZIP_ONCE: Rule = Rule {
    name: "zipOnce",
    equation: "map(|(x, y)| f(x, y), zip(xs, xs)) = map(|x| f(x, x), xs) for a variable xs, and the same for reduce",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, xs) = function(e)?;
        let (element, running) = f.params.split_last()?;
        let mut all = flat_parts(element, xs);
        let variable = |k: usize| match &*all.get(k)?.1.kind {
            Kind::Local(local) => Some(local),
            _ => None,
        };
        let before = |k: usize| (0..k).find(|i| variable(k).is_some() && variable(*i) == variable(k));
        let (first, again) = (0..all.len()).find_map(|k| Some((before(k)?, k)))?;
        let name = |k: usize| match untyped(all[k].0) {
            Pattern::Local(local) => Some(local),
            _ => None,
        };
        // Either may go, the one without a name say.
        let (gone, kept) = name(first).map(|name| (again, name)).or_else(|| Some((first, name(again)?)))?;
        let body = bind(all[gone].0, &f.body.with(Kind::Local(kept.clone())), &f.body);
        all.remove(gone);
        let (patterns, arrays) = all.into_iter().map(|(pattern, xs)| (pattern.clone(), xs.clone())).unzip();
        with_function(e, lambda([running, &[tuple(patterns)]].concat(), body), zip(arrays)?)
    },
};

/// Each component of an element of zipped arrays gets a name of its own, so that each array can be dealt with by itself.
pub static COMPONENTS: Rule = Rule {
    name: "components",
    equation: "map(|pair| f(pair), zip(xs, ys)) = map(|(x, y)| f((x, y)), zip(xs, ys)), and the same for reduce",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (f, xs) = function(e)?;
        let (element, running) = f.params.split_last()?;
        let Pattern::Local(pair) = untyped(element) else { return None };
        let count = as_zip(xs)?.len();
        let (names, values): (Vec<Pattern>, Vec<Expr>) =
            (0..count).map(|k| context.variable(["x", "y", "z"][k.min(2)])).unzip();
        let body = put(&f.body, pair, &f.body.with(Kind::Tuple(values)));
        with_function(e, lambda([running, &[Pattern::Tuple(names)]].concat(), body), xs.clone())
    },
};

/// A map over joined rows, here those at the place given, goes over the rows: so it meets what computes them.
pub static MAP_ROWS: Rule = Rule {
    name: "mapRows",
    equation: "map(|(x, y)| f(x, y), zip(join(xss), ys))\n\
               = join(map(|(xs, ys)| map(|(x, y)| f(x, y), zip(xs, ys)), zip(xss, split(n, ys)))) for rows of n",
    source: "",
    sizes: &[],
    inside: true,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let rows = |xs: &Expr| Some(as_call(xs, "join")?.1.clone());
        let length = |xss: &Expr| Some(context.ty(xss)?.as_array()?.0.as_array()?.1.clone());
        let given = e.at(&arguments.inside)?;
        let n = length(&rows(given)?)?;
        let all = flat_parts(&f.params[0], xs);
        if !all.iter().any(|(_, xs)| std::ptr::eq(*xs, given)) {
            return None;
        }
        let in_rows = |xs: &Expr| match rows(xs).filter(|xss| length(xss).as_ref() == Some(&n)) {
            Some(xss) => Some(xss),
            None => one("split", &[&n], xs.clone()),
        };
        let (names, arrays): (Vec<Pattern>, Vec<Option<Expr>>) =
            all.into_iter().map(|(name, xs)| (name.clone(), in_rows(xs))).unzip();
        let arrays: Vec<Expr> = arrays.into_iter().collect::<Option<_>>()?;
        let (params, rows): (Vec<Pattern>, Vec<Expr>) =
            (0..names.len()).map(|k| context.variable(["xs", "ys", "zs"][k.min(2)])).unzip();
        let of_row = map(lambda(vec![tuple(names)], f.body.clone()), zip(rows)?)?;
        one("join", &[], map(lambda(vec![tuple(params)], of_row), zip(arrays)?)?)
    },
};

/// The elements of a reduction are computed as they are added up.
pub static REDUCE_MAP_FUSION: Rule = Rule {
    name: "reduceMapFusion",
    equation: "reduce(z, f, map(g, xs)) = reduce(z, |acc, x| f(acc, g(x)), xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (z, f, ys) = as_reduce(e)?;
        let (g, xs) = as_map(ys)?;
        let params = vec![f.params[0].clone(), g.params[0].clone()];
        reduce(z.clone(), lambda(params, bind(&f.params[1], &g.body, &f.body)), xs.clone())
    },
};

/// Several results are computed together, so that one can use another's elements while they are at hand.
pub static TUPLE_FUSION: Rule = Rule {
    name: "tupleFusion",
    equation: "(map(f, xs), map(g, xs)) = unzip(map(|x| (f(x), g(x)), xs)), and the same with xs for map(|x| x, xs)",
    source: "Hashemi, \"Combining Across Output Depth\" (the output before its activation)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let Kind::Tuple(results) = &*e.kind else { return None };
        // One result has nothing to be combined with.
        if results.len() < 2 {
            return None;
        }
        let (_, xs) = results.iter().find_map(as_map)?;
        let same =
            |other: &Expr| matches!((&*other.kind, &*xs.kind), (Kind::Local(a), Kind::Local(b)) if a == b);
        let (x, value) = context.variable("x");
        let of_element = |result: &Expr| match as_map(result) {
            Some((f, ys)) if same(ys) => Some(bind(&f.params[0], &value, &f.body)),
            None if same(result) => Some(value.clone()),
            _ => None,
        };
        let elements = results.iter().map(of_element).collect::<Option<_>>()?;
        one("unzip", &[], map(lambda(vec![x], e.with(Kind::Tuple(elements))), xs.clone())?)
    },
};

/// A part of a map's function becomes a map of its own, which can be kept, placed or vectorised apart.
pub static MAP_FISSION: Rule = Rule {
    name: "mapFission",
    equation: "map(|x| f(x, g(x)), xs) = map(|(x, y)| f(x, y), zip(xs, map(g, xs)))",
    source: "",
    sizes: &[],
    inside: true,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let part = movable(&f.body, &arguments.inside)?;
        let (y, value) = context.variable("y");
        let body = f.body.replaced(&arguments.inside, &value);
        // Of several arrays only those that it reads: others may not be there where it is computed in the end.
        let ys = map_read(&parts(&f.params[0], xs), part)?;
        match mentions(&body, &f.params[0]) {
            true => map(
                lambda(vec![Pattern::Tuple(vec![f.params[0].clone(), y])], body),
                zip(vec![xs.clone(), ys])?,
            ),
            false => map(lambda(vec![y], body), ys),
        }
    },
};

/// The part of a step that depends on its element alone becomes an array that the reduction goes over.
pub static REDUCE_OPERAND: Rule = Rule {
    name: "reduceOperand",
    equation: "reduce(z, |acc, x| f(acc, x, g(x)), xs) = reduce(z, |acc, (x, y)| f(acc, x, y), zip(xs, map(g, xs)))",
    source: "Zhang 2021, \"Vectorization and unrolling\" (the filter is loaded before it is used)",
    sizes: &[],
    inside: true,
    apply: |context, e, arguments| {
        let (z, f, xs) = as_reduce(e)?;
        let part = movable(&f.body, &arguments.inside)?;
        if mentions(part, &f.params[0]) {
            return None;
        }
        let all = parts(&f.params[1], xs);
        let (y, value) = context.variable("y");
        let body = f.body.replaced(&arguments.inside, &value);
        let read_in = |body: &Expr| -> (Vec<Pattern>, Vec<Expr>) {
            let read = all.iter().filter(|(pattern, _)| mentions(body, pattern));
            read.map(|(pattern, array)| ((*pattern).clone(), (*array).clone())).unzip()
        };
        let (names, arrays) = read_in(part);
        if names.is_empty() {
            return None;
        }
        let ys = map(lambda(vec![tuple(names)], part.clone()), zip(arrays)?)?;
        let (mut names, mut arrays) = read_in(&body);
        names.push(y);
        arrays.push(ys);
        reduce(z.clone(), lambda(vec![f.params[0].clone(), tuple(names)], body), zip(arrays)?)
    },
};

/// Arrays that a function does not read need not be zipped.
pub static PROJECT: Rule = Rule {
    name: "project",
    equation: "map(|(x, y)| f(x), zip(xs, ys)) = map(f, xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (f, xs) = as_map(e)?;
        let all = parts(&f.params[0], xs);
        let mut kept = vec![];
        let mut changed = false;
        for (pattern, array) in &all {
            if !mentions(&f.body, pattern) && all.len() > 1 {
                changed = true;
                continue;
            }
            // One component of an array of tuples.
            let used: Vec<_> = pattern.locals().into_iter().filter(|l| f.body.uses(l) > 0).collect();
            match (untyped(pattern), &used[..]) {
                (Pattern::Tuple(_), [local]) => {
                    changed = true;
                    let component = f.body.with(Kind::Local((*local).clone()));
                    let array = map(lambda(vec![(*pattern).clone()], component), (*array).clone())?;
                    kept.push((Pattern::Local((*local).clone()), array));
                }
                _ => kept.push(((*pattern).clone(), (*array).clone())),
            }
        }
        // A function that picks a component is as simple as it gets.
        let picks = matches!(&*f.body.kind, Kind::Local(_)) && all.len() == 1;
        if !changed || kept.is_empty() || picks {
            return None;
        }
        let (patterns, arrays) = kept.into_iter().unzip();
        map(lambda(vec![tuple(patterns)], f.body.clone()), zip(arrays)?).and_then(|new| {
            apply(
                "map",
                match &*new.kind {
                    Kind::Apply(_, a) => a.clone(),
                    _ => return None,
                },
                e,
            )
        })
    },
};
