//! Reductions taken apart and put together.

use super::build::{
    apply, as_call, as_reduce, as_scan, bind, lambda, map, map_read, mentions, one, parts, plural, reduce,
    scan, tuple, untyped, zip,
};
use super::operators::{BEST, Operator, is_identity, operator, sum, value};
use super::{Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Local, Pattern};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::scalar::{Op, Value};
use crate::types::Type;

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[
    &REDUCE_JOIN,
    &REDUCE_SPLIT,
    &REDUCE_REST,
    &REDUCE_FLATTEN,
    &REDUCE_INTERCHANGE,
    &REDUCE_FISSION,
    &REDUCE_NESTED,
    &REDUCE_PARTS,
    &REDUCE_ROUND_UP,
    &REDUCE_FILL,
    &SCAN_SPLIT,
    &SCAN_ALONE,
    &SCAN_PIECES,
    &SCAN_ROWS,
    &SCAN_ROUND_UP,
    &PARTIAL_SUMS,
    &START,
    &DOT_SUM,
    &BEST,
];

/// A reduction over joined rows becomes one over rows, with one over each row inside.
pub static REDUCE_JOIN: Rule = Rule {
    name: "reduceJoin",
    equation: "reduce(z, f, zip(join(xss), join(yss)))\n\
               = reduce(z, |acc, (xs, ys)| reduce(acc, f, zip(xs, ys)), zip(xss, yss))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (z, f, rs) = as_reduce(e)?;
        let all = parts(&f.params[1], rs);
        let mut rows = vec![];
        let mut lengths = vec![];
        for (_, array) in &all {
            let (_, inner) = as_call(array, "join")?;
            let (row, _) = context.ty(inner)?.as_array()?;
            lengths.push(row.as_array()?.1.clone());
            rows.push(inner.clone());
        }
        // Rows of the same length, not only as many elements in all.
        if lengths.windows(2).any(|pair| pair[0] != pair[1]) {
            return None;
        }
        nested(context, z, f, rows, &all)
    },
};

/// The reverse: nested reductions become one over the joined rows.
pub static REDUCE_FLATTEN: Rule = Rule {
    name: "reduceFlatten",
    equation: "reduce(z, |acc, x| reduce(acc, f, g(x)), xs) = reduce(z, f, join(map(g, xs)))",
    source: "Boda-RTC §III (a window is a row of a matrix)",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (z, f, rs) = as_reduce(e)?;
        let (start, g, columns) = as_reduce(&f.body)?;
        let running = untyped(&f.params[0]);
        let goes_on = matches!((running, &*start.kind), (Pattern::Local(l), Kind::Local(m)) if l == m);
        let reads = mentions(columns, running) || f.params.iter().any(|p| mentions(&g.body, p));
        if !goes_on || reads {
            return None;
        }
        let xs = parts(&f.params[1], rs);
        let columns = parts(&g.params[1], columns);
        let joined = columns.into_iter().map(|(_, array)| one("join", &[], map_read(&xs, array)?));
        reduce(z.clone(), g.clone(), zip(joined.collect::<Option<_>>()?)?)
    },
};

/// A reduction is split into chunks.
pub static REDUCE_SPLIT: Rule = Rule {
    name: "reduceSplit",
    equation: "reduce(z, f, xs) = reduce(z, |acc, chunk| reduce(acc, f, chunk), split(n, xs))",
    source: "Boda-RTC §V (the inner loop's Kb)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, rs) = as_reduce(e)?;
        let all = parts(&f.params[1], rs);
        let n = arguments.sizes.first()?;
        let chunks: Option<Vec<Expr>> =
            all.iter().map(|(_, array)| one("split", &[n], (*array).clone())).collect();
        nested(context, z, f, chunks?, &all)
    },
};

/// For arrays whose length is not a multiple of the block: whole blocks first, and then the rest.
pub static REDUCE_REST: Rule = Rule {
    name: "reduceRest",
    equation: "reduce(z, f, xs) = reduce(reduce(z, f, take(m - m % n, xs)), f, drop(m - m % n, xs)) for m elements",
    source: "GPGPU'20 §4.2.1 (the other way than optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, rs) = as_reduce(e)?;
        let (m, n) = (context.ty(rs)?.as_array()?.1.clone(), arguments.sizes.first()?);
        let whole = &m - &m.rem(n);
        let some = |primitive: &str| {
            let arrays = parts(&f.params[1], rs).into_iter();
            zip(arrays.map(|(_, xs)| one(primitive, &[&whole], xs.clone())).collect::<Option<_>>()?)
        };
        reduce(reduce(z.clone(), f.clone(), some("take")?)?, f.clone(), some("drop")?)
    },
};

/// `reduce(z, |acc, (xs, ys)| reduce(acc, f, zip(xs, ys)), zip(rows))`.
fn nested(
    context: &mut Context,
    z: &Expr,
    f: &Lambda,
    rows: Vec<Expr>,
    all: &[(&Pattern, &Expr)],
) -> Option<Expr> {
    let (running, acc) = match untyped(&f.params[0]) {
        Pattern::Local(local) => context.variable(&local.name),
        _ => context.variable("acc"),
    };
    let (patterns, values): (Vec<Pattern>, Vec<Expr>) =
        all.iter().map(|(pattern, _)| context.variable(&plural(pattern))).unzip();
    let inner = reduce(acc, f.clone(), zip(values)?)?;
    reduce(z.clone(), lambda(vec![running, tuple(patterns)], inner), zip(rows)?)
}

/// The operator and the term, where the term may be a reduction that goes on from `acc`, or such reductions in each other.
fn nested_sum(f: &Lambda, strict: bool, ty: &Type) -> Option<(Operator, Expr)> {
    let Some((acc, g, xs)) = as_reduce(&f.body) else { return operator(f, strict, ty) };
    let running = untyped(&f.params[0]);
    let (op, _) = nested_sum(g, strict, ty)?;
    let free = !mentions(xs, running) && !mentions(&g.body, running);
    let goes_on = matches!((running, &*acc.kind), (Pattern::Local(l), Kind::Local(m)) if l == m);
    let zero = op.identity(ty, &f.body)?;
    (free && goes_on).then(|| reduce(zero, g.clone(), xs.clone())).flatten().map(|term| (op, term))
}

/// A sum of sums becomes one running sum: each inner sum starts with the value of the outer one.
pub static REDUCE_NESTED: Rule = Rule {
    name: "reduceNested",
    equation: "reduce(z, |acc, x| acc + reduce(0, |a, y| a + f(y), g(x)), xs)\n\
               = reduce(z, |acc, x| reduce(acc, |a, y| a + f(y), g(x)), xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (z, f, xs) = as_reduce(e)?;
        let ty = context.ty(e)?.clone();
        let (op, term) = sum(f, context.strict, &ty)?;
        let (start, g, ys) = as_reduce(&term)?;
        let (inner, _) = sum(g, context.strict, &ty)?;
        if inner != op || !is_identity(start, op) {
            return None;
        }
        let (running, acc) = context.variable("acc");
        let f = lambda(vec![running, f.params[1].clone()], reduce(acc, g.clone(), ys.clone())?);
        reduce(z.clone(), f, xs.clone())
    },
};

/// A sum of sums in two parts each: the first parts of all, and then the second parts.
pub static REDUCE_PARTS: Rule = Rule {
    name: "reduceParts",
    equation: "reduce(z, |acc, x| reduce(reduce(acc, f, g(x)), f, h(x)), xs)\n\
               = reduce(reduce(z, |acc, x| reduce(acc, f, g(x)), xs), |acc, x| reduce(acc, f, h(x)), xs)",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (z, f, xs) = as_reduce(e)?;
        let ty = context.ty(e)?.clone();
        let (first, g, rest) = as_reduce(&f.body)?;
        as_reduce(first)?;
        let (running, acc) = context.variable("acc");
        let [firsts, rests] = [first.clone(), reduce(acc, g.clone(), rest.clone())?];
        let firsts = lambda(f.params.clone(), firsts);
        let rests = lambda(vec![running, f.params[1].clone()], rests);
        let operator = |f: &Lambda| nested_sum(f, context.strict, &ty).map(|(op, _)| op);
        if operator(&firsts)? != operator(&rests)? || mentions(&rests.body, &f.params[0]) {
            return None;
        }
        reduce(reduce(z.clone(), firsts, xs.clone())?, rests, xs.clone())
    },
};

/// A number that is added to a sum becomes its start.
pub static START: Rule = Rule {
    name: "start",
    equation: "reduce(0, |acc, x| acc + f(x), xs) + z = reduce(z, |acc, x| acc + f(x), xs)",
    source: "GPGPU'20 §4.1 (sums begin with the bias)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let Kind::Op(op, operands) = &*e.kind else { return None };
        let [a, b] = &operands[..] else { return None };
        let ty = context.ty(e)?.clone();
        let folded = |sum_: &Expr, z: &Expr| {
            let (start, f, xs) = as_reduce(sum_)?;
            let (inner, _) = sum(f, context.strict, &ty)?;
            (inner == *op && is_identity(start, *op)).then_some(())?;
            reduce(z.clone(), f.clone(), xs.clone())
        };
        folded(a, b).or_else(|| folded(b, a))
    },
};

/// A dot product of arrays is a sum. It begins with the first product, and the sum with 0: the sign of a zero may differ.
pub static DOT_SUM: Rule = Rule {
    name: "dotSum",
    equation: "dot(xs, ys) = reduce(0, |acc, (x, y)| acc + x * y, zip(xs, ys)) for arrays",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let Kind::Apply(p, arguments) = &*e.kind else { return None };
        let [Argument::Value(xs), Argument::Value(ys)] = &arguments[..] else { return None };
        if !matches!(p.form, Form::Dot) || context.strict {
            return None;
        }
        context.ty(xs)?.as_array()?;
        let zero = Operator::Of(Op::Add).identity(context.ty(e)?, e)?;
        let [(acc, a), (x, b), (y, c)] = ["acc", "x", "y"].map(|name| context.variable(name));
        let product = e.with(Kind::Op(Op::Mul, vec![b, c]));
        let body = e.with(Kind::Op(Op::Add, vec![a, product]));
        let step = lambda(vec![acc, Pattern::Tuple(vec![x, y])], body);
        reduce(zero, step, zip(vec![xs.clone(), ys.clone()])?)
    },
};

/// Chunks of a sum are added up apart, and then the partial sums.
pub static PARTIAL_SUMS: Rule = Rule {
    name: "partialSums",
    equation: "reduce(z, |acc, x| acc + f(x), xs)\n\
               = reduce(z, |acc, x| acc + x, map(|chunk| reduce(0, |acc, x| acc + f(x), chunk), split(n, xs)))",
    source: "GPGPU'20 §4.2.2 (partial reduction)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, rs) = as_reduce(e)?;
        let ty = context.ty(e)?.clone();
        let (op, _) = operator(f, context.strict, &ty)?;
        let zero = op.identity(&ty, e)?;
        let all = parts(&f.params[1], rs);
        if all.iter().any(|(pattern, _)| mentions(z, pattern)) {
            return None;
        }
        let n = arguments.sizes.first()?;
        let chunks: Option<Vec<Expr>> =
            all.iter().map(|(_, array)| one("split", &[n], (*array).clone())).collect();
        let (patterns, values): (Vec<_>, Vec<_>) =
            all.iter().map(|(pattern, _)| context.variable(&plural(pattern))).unzip();
        let partial =
            map(lambda(vec![tuple(patterns)], reduce(zero, f.clone(), zip(values)?)?), zip(chunks?)?)?;
        reduce(z.clone(), op.step(context, e), partial)
    },
};

/// Nested reductions change places.
pub static REDUCE_INTERCHANGE: Rule = Rule {
    name: "reduceInterchange",
    equation: "reduce(z, |acc, x| reduce(acc, f, g(x)), xs)\n\
               = reduce(z, |acc, ys| reduce(acc, f, ys), transpose(map(g, xs)))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (z, f, rs) = as_reduce(e)?;
        let (_, g, columns) = as_reduce(&f.body)?;
        nested_sum(f, context.strict, context.ty(e)?)?;
        if mentions(&g.body, &f.params[1]) {
            return None;
        }
        let xs = parts(&f.params[1], rs);
        let all = parts(&g.params[1], columns);
        let turned = all.iter().map(|(_, array)| one("transpose", &[], map_read(&xs, array)?));
        let turned: Option<Vec<Expr>> = turned.collect();
        nested(context, z, g, turned?, &all)
    },
};

/// The terms of a sum are computed first, as an array.
pub static REDUCE_FISSION: Rule = Rule {
    name: "reduceFission",
    equation: "reduce(z, |acc, x| acc + f(x), xs) = reduce(z, |acc, y| acc + y, map(f, xs))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (z, f, xs) = as_reduce(e)?;
        let (op, term) = nested_sum(f, context.strict, context.ty(e)?)?;
        let terms = map(lambda(vec![f.params[1].clone()], term), xs.clone())?;
        reduce(z.clone(), op.step(context, e), terms)
    },
};

/// A reduction whose length is not a multiple of the block is filled up with the identity element.
pub static REDUCE_ROUND_UP: Rule = Rule {
    name: "reduceRoundUp",
    equation: "reduce(z, |acc, x| acc + f(x), xs)\n\
               = reduce(z, |acc, y| acc + y, pad(0, (n - m % n) % n, 0, map(f, xs))) for m elements",
    source: "GPGPU'20 §4.2.1 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, xs) = as_reduce(e)?;
        let ty = context.ty(e)?.clone();
        let (op, term) = nested_sum(f, context.strict, &ty)?;
        let m = context.ty(xs)?.as_array()?.1.clone();
        let n = arguments.sizes.first()?;
        let rest = (n - &m.rem(n)).rem(n);
        let zero = op.identity(&ty, e)?;
        let terms = map(lambda(vec![f.params[1].clone()], term), xs.clone())?;
        let sizes = [Nat::constant(0), rest].map(Argument::Size);
        let values = [zero, terms].map(Argument::Value);
        let padded = apply("pad", sizes.into_iter().chain(values).collect(), e)?;
        reduce(z.clone(), op.step(context, e), padded)
    },
};

/// The same where zeros are no term: they are added to the arrays, which can be kept in memory with them.
pub static REDUCE_FILL: Rule = Rule {
    name: "reduceFill",
    equation: "reduce(z, |acc, (x, y)| acc + f(x, y), zip(xs, ys))\n\
               = reduce(z, |acc, (x, y)| acc + f(x, y), zip(pad(0, r, 0, xs), pad(0, r, 0, ys)))\n\
               where r = (n - m % n) % n for m elements, and f(0, 0) is the identity element",
    source: "GPGPU'20 §4.2.1 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, xs) = as_reduce(e)?;
        let ty = context.ty(e)?.clone();
        let (op, term) = sum(f, context.strict, &ty)?;
        let all = parts(&f.params[1], xs);
        let mut zeros = vec![];
        for (pattern, array) in &all {
            let Pattern::Local(local) = untyped(pattern) else { return None };
            let scalar = context.ty(array)?.as_array()?.0.as_scalar()?;
            zeros.push((local, Value::from_f64(0.0, scalar)));
        }
        let zero = |l: &Local| zeros.iter().find(|(local, _)| *local == l).map(|(_, zero)| *zero);
        is_identity(&e.with(Kind::Literal(Literal::Exact(value(&term, &zero)?))), op).then_some(())?;
        let m = context.ty(xs)?.as_array()?.1.clone();
        let n = arguments.sizes.first()?;
        let rest = (n - &m.rem(n)).rem(n);
        let filled = all.iter().zip(&zeros).map(|((_, array), (_, zero))| {
            let sizes = [Nat::constant(0), rest.clone()].map(Argument::Size);
            let values =
                [e.with(Kind::Literal(Literal::Exact(*zero))), (*array).clone()].map(Argument::Value);
            apply("pad", sizes.into_iter().chain(values).collect(), e)
        });
        reduce(z.clone(), f.clone(), zip(filled.collect::<Option<_>>()?)?)
    },
};

/// Prefix sums in chunks: first the totals of the chunks, then the sum before each, then all chunks independently.
pub static SCAN_SPLIT: Rule = Rule {
    name: "scanSplit",
    equation: "scan(z, f, xs) = join(map(|(start, chunk)| scan(start, f, chunk), zip(starts, split(n, xs))))\n\
               where f = |acc, x| acc + g(x), totals = map(|chunk| reduce(0, f, chunk), split(n, xs))\n\
               and starts = scan(z, |acc, x| acc + x, pad(1, 0, 0, take(m / n - 1, totals))) for m elements",
    source: "Blelloch 1990, \"Prefix Sums and Their Applications\", section 1.2.1",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, rs) = as_scan(e)?;
        let (element, m) = context.ty(e)?.as_array()?;
        let (ty, m) = (element.clone(), m.clone());
        let (op, _) = nested_sum(f, context.strict, &ty)?;
        let n = arguments.sizes.first()?;
        let all = parts(&f.params[1], rs);
        let chunks: Option<Vec<Expr>> =
            all.iter().map(|(_, array)| one("split", &[n], (*array).clone())).collect();
        let chunks = chunks?;
        let (patterns, values): (Vec<_>, Vec<_>) =
            all.iter().map(|(pattern, _)| context.variable(&plural(pattern))).unzip();
        let zero = op.identity(&ty, e)?;
        let total = reduce(zero.clone(), f.clone(), zip(values)?)?;
        let totals = map(lambda(vec![tuple(patterns)], total), zip(chunks.clone())?)?;
        let before = one("take", &[&(m.div(n) - 1)], totals)?;
        let sizes = [1, 0].map(|n| Argument::Size(Nat::constant(n)));
        let shifted =
            apply("pad", sizes.into_iter().chain([zero, before].map(Argument::Value)).collect(), e)?;
        let starts = scan(z.clone(), op.step(context, e), shifted)?;
        let (start_name, start) = context.variable("start");
        let (names, values): (Vec<_>, Vec<_>) =
            all.iter().map(|(pattern, _)| context.variable(&plural(pattern))).unzip();
        let each = scan(start, f.clone(), zip(values)?)?;
        let patterns = [vec![start_name], names].concat();
        let arrays = [vec![starts], chunks].concat();
        one("join", &[], map(lambda(vec![tuple(patterns)], each), zip(arrays)?)?)
    },
};

/// Prefix sums become a map over one array, so that one of several work-items can compute them.
pub static SCAN_ALONE: Rule = Rule {
    name: "scanAlone",
    equation: "scan(z, f, xs) = join(map(|xs| scan(z, f, xs), split(n, xs))) for n elements",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (z, f, xs) = as_scan(e)?;
        let n = context.ty(xs)?.as_array()?.1.clone();
        let (pattern, all) = context.variable("all");
        let alone = scan(z.clone(), f.clone(), all)?;
        one("join", &[], map(lambda(vec![pattern], alone), one("split", &[&n], xs.clone())?)?)
    },
};

/// Prefix sums piece by piece: the prefix sums of a piece begin with the last one of the piece before it.
pub static SCAN_PIECES: Rule = Rule {
    name: "scanPieces",
    equation: "scan(z, f, xs)\n\
               = join(scan(repeat(n, z), |accs, piece| scan(accs[n - 1], f, piece), split(n, xs)))",
    source: "",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, rs) = as_scan(e)?;
        let n = arguments.sizes.first()?;
        let (accs, before) = context.variable("accs");
        let (mut patterns, mut values, mut pieces) = (vec![], vec![], vec![]);
        for (pattern, array) in parts(&f.params[1], rs) {
            let (name, value) = context.variable(&plural(pattern));
            patterns.push(name);
            values.push(value);
            pieces.push(one("split", &[n], array.clone())?);
        }
        let last = one("at", &[&(n - 1)], before)?;
        let step = lambda(vec![accs, tuple(patterns)], scan(last, f.clone(), zip(values)?)?);
        one("join", &[], scan(one("repeat", &[n], z.clone())?, step, zip(pieces)?)?)
    },
};

/// A running array becomes rows, which can be padded in memory.
pub static SCAN_ROWS: Rule = Rule {
    name: "scanRows",
    equation: "scan(zs, f, xs)\n\
               = map(|accs| join(accs), scan(split(n, zs), |accs, x| split(n, f(join(accs), x)), xs))",
    source: "",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (zs, f, xs) = as_scan(e)?;
        context.ty(zs)?.as_array()?;
        let n = arguments.sizes.first()?;
        let (accs, rows) = context.variable("accs");
        let body = bind(&f.params[0], &one("join", &[], rows)?, &f.body);
        let step = lambda(vec![accs, f.params[1].clone()], one("split", &[n], body)?);
        let all = scan(one("split", &[n], zs.clone())?, step, xs.clone())?;
        let (accs, rows) = context.variable("accs");
        map(lambda(vec![accs], one("join", &[], rows)?), all)
    },
};

/// Prefix sums of an array whose length is not a multiple of the piece: it is filled up with copies of its last element,
/// and what comes of these is discarded.
pub static SCAN_ROUND_UP: Rule = Rule {
    name: "scanRoundUp",
    equation: "scan(z, f, xs) = take(m, scan(z, f, padClamp(0, (n - m % n) % n, xs))) for m elements",
    source: "GPGPU'20 §4.2.1 (optimisational padding)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, xs) = as_scan(e)?;
        let m = context.ty(xs)?.as_array()?.1.clone();
        let n = arguments.sizes.first()?;
        let rest = (n - &m.rem(n)).rem(n);
        let padded = one("padClamp", &[&Nat::constant(0), &rest], xs.clone())?;
        one("take", &[&m], scan(z.clone(), f.clone(), padded)?)
    },
};
