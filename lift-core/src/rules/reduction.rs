//! Reductions taken apart and put together.

use super::build::{
    apply, as_call, as_reduce, as_scan, lambda, map, map_read, mentions, one, parts, plural, rearranges,
    reduce, scan, tuple, untyped, zip,
};
use super::{Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Local, Pattern};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::scalar::{Op, Value};
use crate::types::{Scalar, Type};

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[
    &REDUCE_JOIN,
    &REDUCE_SPLIT,
    &REDUCE_FLATTEN,
    &REDUCE_INTERCHANGE,
    &REDUCE_FISSION,
    &REDUCE_NESTED,
    &REDUCE_ROUND_UP,
    &SCAN_SPLIT,
    &SCAN_ALONE,
    &PARTIAL_SUMS,
    &START,
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

/// The operator `o` and the term `g(x)` of a function `|acc, x| acc o g(x)`, where it does not
/// matter in which order the terms are put together.
pub(super) fn sum(f: &Lambda, strict: bool, ty: &Type) -> Option<(Op, Expr)> {
    let Pattern::Local(acc) = untyped(&f.params[0]) else { return None };
    // What is named before belongs to the term.
    if let Kind::Let(pattern, value, body) = &*f.body.kind
        && value.uses(acc) == 0
    {
        let (op, term) = sum(&lambda(f.params.clone(), body.clone()), strict, ty)?;
        return Some((op, f.body.with(Kind::Let(pattern.clone(), value.clone(), term))));
    }
    let Kind::Op(op, operands) = &*f.body.kind else { return None };
    let [a, b] = &operands[..] else { return None };
    let scalar = ty.as_scalar()?;
    let exact = matches!(op, Op::Min | Op::Max) || !scalar.is_float();
    if !matches!(op, Op::Add | Op::Mul | Op::Min | Op::Max) || (strict && !exact) {
        return None;
    }
    let is_acc = |e: &Expr| matches!(&*e.kind, Kind::Local(l) if l == acc);
    let term = match (is_acc(a), is_acc(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    (term.uses(acc) == 0).then(|| (*op, term.clone()))
}

/// How a reduction puts its terms together, where the order does not matter.
#[derive(Clone, Copy, PartialEq)]
enum Operator {
    /// A sum, a product, a minimum or a maximum.
    Of(Op),
    /// The better of two elements with their indices, by `<` or `>`: of equals that with the lower index.
    Better(Op),
}

impl Operator {
    /// `|acc, y| acc o y`
    fn step(self, context: &mut Context, at: &Expr) -> Lambda {
        match self {
            Operator::Of(op) => {
                let ((acc, a), (y, b)) = (context.variable("acc"), context.variable("y"));
                lambda(vec![acc, y], at.with(Kind::Op(op, vec![a, b])))
            }
            Operator::Better(op) => {
                let [old, new] = [["at", "best"], ["i", "x"]].map(|names| names.map(|n| context.variable(n)));
                let [[at_, best], [i, x]] = [&old, &new].map(|pair| [0, 1].map(|k| pair[k].1.clone()));
                let params = [old, new].map(|pair| Pattern::Tuple(pair.map(|(pattern, _)| pattern).to_vec()));
                lambda(params.to_vec(), better(op, at, [at_, best], [i, x]))
            }
        }
    }

    /// The identity element.
    fn identity(self, ty: &Type, at: &Expr) -> Option<Expr> {
        let literal = |value| at.with(Kind::Literal(Literal::Exact(value)));
        let op = match self {
            Operator::Of(op) => return Some(literal(identity(op, ty)?)),
            Operator::Better(op) => op,
        };
        let Type::Tuple(parts) = ty else { return None };
        let [index, element] = &parts[..] else { return None };
        let (index, element) = (index.as_scalar()?, element.as_scalar()?);
        // Nothing is worse, and where something is as bad, that has the lower index.
        let last = Value::from_integer(index.integer_range()?.1, index);
        let worst = match (element.integer_range(), op) {
            (Some((least, _)), Op::Gt) => Value::from_integer(least, element),
            (Some((_, most)), _) => Value::from_integer(most, element),
            (None, _) if !element.is_float() => return None,
            (None, Op::Gt) => Value::from_f64(f64::NEG_INFINITY, element),
            (None, _) => Value::from_f64(f64::INFINITY, element),
        };
        Some(at.with(Kind::Tuple(vec![literal(last), literal(worst)])))
    }
}

/// `if x > best || x == best && i < at { (i, x) } else { (at, best) }`
fn better(op: Op, at: &Expr, [index, best]: [Expr; 2], [i, x]: [Expr; 2]) -> Expr {
    let of = |op: Op, a: &Expr, b: &Expr| at.with(Kind::Op(op, vec![a.clone(), b.clone()]));
    let tie = of(Op::And, &of(Op::Eq, &x, &best), &of(Op::Lt, &i, &index));
    let chosen = of(Op::Or, &of(op, &x, &best), &tie);
    let [new, old] = [[i, x], [index, best]].map(|pair| at.with(Kind::Tuple(pair.to_vec())));
    at.with(Kind::If(chosen, new, old))
}

/// A choice between a pair and the running pair: the condition, the new pair and the running one.
fn choice(f: &Lambda) -> Option<(&Expr, [&Local; 2], [&Local; 2])> {
    let Kind::If(condition, then, otherwise) = &*f.body.kind else { return None };
    let Pattern::Tuple(running) = untyped(&f.params[0]) else { return None };
    let [Pattern::Local(at), Pattern::Local(best)] = [running.first()?, running.get(1)?].map(untyped) else {
        return None;
    };
    let pair = |e: &'_ Expr| -> Option<[Local; 2]> {
        let Kind::Tuple(parts) = &*e.kind else { return None };
        match &parts[..] {
            [a, b] => Some([as_local(a)?.clone(), as_local(b)?.clone()]),
            _ => None,
        }
    };
    let (old, _) = (pair(otherwise)?, pair(then)?);
    let Kind::Tuple(new) = &*then.kind else { return None };
    let new = [as_local(&new[0])?, as_local(&new[1])?];
    let goes_on = running.len() == 2 && old == [at.clone(), best.clone()];
    (goes_on && !new.iter().any(|l| [at, best].contains(l))).then_some((condition, new, [at, best]))
}

fn as_local(e: &Expr) -> Option<&Local> {
    match &*e.kind {
        Kind::Local(local) => Some(local),
        _ => None,
    }
}

/// The operands of an operator.
fn as_op(e: &Expr, op: Op) -> Option<[&Expr; 2]> {
    match &*e.kind {
        Kind::Op(found, operands) if *found == op => Some([operands.first()?, operands.get(1)?]),
        _ => None,
    }
}

/// `x > best` or `x < best`, written either way round: the operator with `x` first.
fn compared(e: &Expr, x: &Local, best: &Local) -> Option<Op> {
    let is = |e: &Expr, local: &Local| as_local(e) == Some(local);
    let either = |op: Op, other: Op| {
        let first = as_op(e, op).is_some_and(|[a, b]| is(a, x) && is(b, best));
        first || as_op(e, other).is_some_and(|[a, b]| is(a, best) && is(b, x))
    };
    [(Op::Gt, Op::Lt), (Op::Lt, Op::Gt)].into_iter().find(|(op, other)| either(*op, *other)).map(|(op, _)| op)
}

/// The operator and the term of a reduction, where the order of the terms does not matter.
fn operator(f: &Lambda, strict: bool, ty: &Type) -> Option<(Operator, Expr)> {
    if let Kind::Let(pattern, value, body) = &*f.body.kind
        && !mentions(value, &f.params[0])
    {
        let (op, term) = operator(&lambda(f.params.clone(), body.clone()), strict, ty)?;
        return Some((op, f.body.with(Kind::Let(pattern.clone(), value.clone(), term))));
    }
    if let Some((op, term)) = sum(f, strict, ty) {
        return Some((Operator::Of(op), term));
    }
    let (condition, [i, x], [at, best]) = choice(f)?;
    let [comparison, tie] = as_op(condition, Op::Or)?;
    let op = compared(comparison, x, best)?;
    let [equal, earlier] = as_op(tie, Op::And)?;
    let [a, b] = as_op(equal, Op::Eq)?.map(as_local);
    let equal = (a, b) == (Some(x), Some(best)) || (a, b) == (Some(best), Some(x));
    let [a, b] = as_op(earlier, Op::Lt)?.map(as_local);
    let Kind::If(_, term, _) = &*f.body.kind else { return None };
    (equal && (a, b) == (Some(i), Some(at))).then(|| (Operator::Better(op), term.clone()))
}

/// The best element and its index, found in any order: of elements that are equally good the first is kept, as in order.
pub static BEST: Rule = Rule {
    name: "best",
    equation: "reduce(z, |(at, best), (i, x)| if i == 0 || x > best { (i, x) } else { (at, best) }, zip(generate(n, |k| k), xs))\n\
               = reduce((0, xs[0]), |(at, best), (i, x)| if x > best || x == best && i < at { (i, x) } else { (at, best) },\n\
               \x20        zip(generate(n, |k| k), xs)), and the same for x < best",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (_, f, rs) = as_reduce(e)?;
        let (condition, [i, x], [at, best]) = choice(f)?;
        let [first, comparison] = as_op(condition, Op::Or)?;
        let op = compared(comparison, x, best)?;
        let [a, zero] = as_op(first, Op::Eq)?;
        let is_first = as_local(a) == Some(i) && is_identity(zero, Op::Add);
        let [(named, indices), (element, xs)] = &parts(&f.params[1], rs)[..] else { return None };
        let is =
            |pattern: &Pattern, local: &Local| matches!(untyped(pattern), Pattern::Local(l) if l == local);
        if !is_first || !is(named, i) || !is(element, x) || !counts(indices) || !rearranges(xs) {
            return None;
        }
        let Type::Tuple(types) = context.ty(e)? else { return None };
        let index = types.first()?.as_scalar()?;
        types.get(1)?.as_scalar()?;
        let zero = e.with(Kind::Literal(Literal::Exact(Value::from_integer(0, index))));
        let start = e.with(Kind::Tuple(vec![zero, one("at", &[&Nat::constant(0)], (*xs).clone())?]));
        let [i, x, at, best] = [i, x, at, best].map(Expr::local);
        let step = better(op, &f.body, [at, best], [i, x]);
        reduce(start, lambda(f.params.clone(), step), rs.clone())
    },
};

/// `generate(n, |k| k)`, as numbers that do not wrap around.
fn counts(e: &Expr) -> bool {
    let Kind::Apply(p, arguments) = &*e.kind else { return false };
    let [_, Argument::Generator(var, body)] = &arguments[..] else { return false };
    let Kind::Cast(index, Scalar::I32) = &*body.kind else { return false };
    let is_index = matches!(&*index.kind, Kind::Size(n) if *n == Nat::var(var));
    matches!(p.form, Form::Generate) && is_index
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

/// The identity element of an operator.
fn identity(op: Op, ty: &Type) -> Option<Value> {
    let scalar = ty.as_scalar()?;
    let least = scalar.integer_range().map(|(least, _)| Value::from_integer(least, scalar));
    let most = scalar.integer_range().map(|(_, most)| Value::from_integer(most, scalar));
    Some(match op {
        Op::Add => Value::from_f64(0.0, scalar),
        Op::Mul => Value::from_f64(1.0, scalar),
        // Of a number and NaN the least, and the greatest, is the number.
        Op::Max => least.unwrap_or_else(|| Value::from_f64(f64::NAN, scalar)),
        Op::Min => most.unwrap_or_else(|| Value::from_f64(f64::NAN, scalar)),
        _ => return None,
    })
}

/// Is this the identity element of the operator?
fn is_identity(e: &Expr, op: Op) -> bool {
    let value = match &*e.kind {
        Kind::Literal(Literal::Int(n)) => *n as f64,
        Kind::Literal(Literal::Float(x)) => *x,
        Kind::Literal(Literal::Exact(value)) => value.to_f64(),
        Kind::Typed(inner, _) => return is_identity(inner, op),
        _ => return false,
    };
    match op {
        Op::Add => value == 0.0,
        Op::Mul => value == 1.0,
        _ => false,
    }
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
