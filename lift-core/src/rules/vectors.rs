//! Vectors: several scalars computed at once.

use super::build::{
    apply, as_map, as_reduce, as_zip, flat_parts, lambda, map, mentions, one, reduce, tuple, untyped, zip,
};
use super::operators::sum;
use super::{Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda, Local, Pattern};
use crate::nat::Nat;
use crate::scalar::Op;
use crate::types::{Scalar, Type};

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[&VECTOR_MAP, &VECTOR_ACCUMULATOR, &DOT];

/// A map over scalars becomes one over vectors.
pub static VECTOR_MAP: Rule = Rule {
    name: "vectorMap",
    equation: "map(f, xs) = asScalar(map(f, asVector(v, xs))) for f of scalars",
    source: "GPGPU'20 §3.4.2",
    sizes: &["v"],
    inside: false,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let lanes = parameters(f);
        if !is_arithmetic(&f.body, &lanes, context) || !is_of_vectors(&f.body, &lanes) {
            return None;
        }
        let (names, vectors) = as_vectors(context, f, 0, xs, arguments.sizes.first()?)?;
        one("asScalar", &[], map(lambda(vec![names], f.body.clone()), vectors)?)
    },
};

/// The scalars of a running array become vectors, from its start to its end.
pub static VECTOR_ACCUMULATOR: Rule = Rule {
    name: "vectorAccumulator",
    equation: "reduce(zs, |accs, r| map(f, zip(accs, xs)), rs)\n\
               = asScalar(reduce(asVector(v, zs), |accs, r| map(f, zip(accs, asVector(v, xs))), rs)) for f of scalars, and \
               the same of tuples of scalars, each part by itself",
    source: "Hashemi, \"Combining Across Output Depth\" (vectors of weights)",
    sizes: &["v"],
    inside: false,
    apply: |context, e, arguments| {
        let v = arguments.sizes.first()?;
        let start = as_reduce(e)?.0.clone();
        let Some((Type::Tuple(_), _)) = context.ty(&start).and_then(Type::as_array) else {
            let start = one("asVector", &[v], start)?;
            return one("asScalar", &[], accumulate(context, e, v, start)?);
        };
        let vectors = components(&start)?.into_iter().map(|part| one("asVector", &[v], part));
        let start = zip(vectors.collect::<Option<_>>()?)?;
        let count = as_zip(&start)?.len();
        let sums = one("unzip", &[], accumulate(context, e, v, start)?)?;
        let (patterns, arrays): (Vec<_>, Vec<_>) =
            (0..count).map(|k| context.variable(&format!("part_{k}"))).unzip();
        let scalars = arrays.into_iter().map(|array| one("asScalar", &[], array));
        let scalars = zip(scalars.collect::<Option<_>>()?)?;
        Some(e.with(Kind::Let(Pattern::Tuple(patterns), sums, scalars)))
    },
};

/// The arrays whose elements are the parts of an array's tuples.
fn components(xs: &Expr) -> Option<Vec<Expr>> {
    if let Some(arrays) = as_zip(xs) {
        return Some(arrays.into_iter().cloned().collect());
    }
    let (f, operand) = as_map(xs)?;
    let Kind::Tuple(parts) = &*f.body.kind else { return None };
    parts.iter().map(|part| map(lambda(f.params.clone(), part.clone()), operand.clone())).collect()
}

/// The reduction with vectors as the elements of its running value: the step is a map, or again such a
/// reduction that starts with the running value.
fn accumulate(context: &Context, e: &Expr, v: &Nat, start: Expr) -> Option<Expr> {
    let (_, f, rs) = as_reduce(e)?;
    let Pattern::Local(accs) = untyped(&f.params[0]) else { return None };
    if f.body.uses(accs) != 1 {
        return None;
    }
    let step = match (as_map(&f.body), as_reduce(&f.body)) {
        (Some((g, xs)), _)
            if is_wide(&g.body, &parameters(g), context) && is_of_vectors(&g.body, &parameters(g)) =>
        {
            let (mut names, mut operands) = (vec![], vec![]);
            for (pattern, array) in flat_parts(&g.params[0], xs) {
                let is_accs = matches!(&*array.kind, Kind::Local(l) if l == accs);
                // The running value in another order would be its vectors in another order.
                if !is_accs && (array.uses(accs) > 0 || !is_scalars(context, array) || !is_name(pattern)) {
                    return None;
                }
                names.push(pattern.clone());
                operands.push(if is_accs { array.clone() } else { one("asVector", &[v], array.clone())? });
            }
            map(lambda(vec![tuple(names)], g.body.clone()), zip(operands)?)?
        }
        (_, Some((inner, ..))) if matches!(&*inner.kind, Kind::Local(l) if l == accs) => {
            accumulate(context, &f.body, v, inner.clone())?
        }
        _ => return None,
    };
    reduce(start, lambda(f.params.clone(), step), rs.clone())
}

/// A sum of products becomes a sum of dot products of vectors.
pub static DOT: Rule = Rule {
    name: "dotProducts",
    equation: "reduce(z, |acc, (x, y)| acc + x * y, zip(xs, ys))\n\
               = reduce(z, |acc, (x, y)| acc + dot(x, y), zip(asVector(v, xs), asVector(v, ys)))",
    source: "GPGPU'20 §3.4.2",
    sizes: &["v"],
    inside: false,
    apply: |context, e, arguments| {
        let (z, f, rs) = as_reduce(e)?;
        let ty = context.ty(e)?.clone();
        let (op, term) = sum(f, context.strict, &ty)?;
        let Kind::Op(Op::Mul, factors) = &*term.kind else { return None };
        let names = f.params[1].locals();
        let is_element = |e: &Expr| matches!(&*e.kind, Kind::Local(l) if names.contains(&l));
        if op != Op::Add || !factors.iter().all(is_element) {
            return None;
        }
        let [x, y] = &factors[..] else { return None };
        let (pattern, vectors) = as_vectors(context, f, 1, rs, arguments.sizes.first()?)?;
        let product = apply("dot", vec![Argument::Value(x.clone()), Argument::Value(y.clone())], &term)?;
        let acc = f.body.with(Kind::Local(f.params[0].locals().first().map(|l| (*l).clone())?));
        let body = f.body.with(Kind::Op(op, vec![acc, product]));
        reduce(z.clone(), lambda(vec![f.params[0].clone(), pattern], body), vectors)
    },
};

/// The operand of a function's parameter as vectors, each array by itself of a `zip` that the function reads, and what its
/// elements are called then.
fn as_vectors(
    context: &Context,
    f: &Lambda,
    parameter: usize,
    xs: &Expr,
    v: &Nat,
) -> Option<(Pattern, Expr)> {
    let (mut names, mut vectors) = (vec![], vec![]);
    let all = flat_parts(f.params.get(parameter)?, xs);
    for (pattern, array) in all.into_iter().filter(|(pattern, _)| mentions(&f.body, pattern)) {
        if !is_scalars(context, array) || !is_name(pattern) {
            return None;
        }
        names.push(pattern.clone());
        vectors.push(one("asVector", &[v], array.clone())?);
    }
    Some((tuple(names), zip(vectors)?))
}

fn is_scalars(context: &Context, array: &Expr) -> bool {
    let number = |ty: &Type| matches!(ty, Type::Scalar(s) if *s != Scalar::Bool);
    context.ty(array).and_then(Type::as_array).is_some_and(|(element, _)| number(element))
}

/// What vectors have: operators and functions of scalars of one number type, choices between such, and names for them. These
/// variables become vectors.
fn is_arithmetic(e: &Expr, lanes: &[Local], context: &Context) -> bool {
    match &*e.kind {
        Kind::Local(_) | Kind::Literal(_) => matches!(context.ty(e), Some(Type::Scalar(_))),
        Kind::Op(op, operands) => {
            !op.compares()
                && !matches!(op, Op::And | Op::Or | Op::Not)
                && operands.iter().all(|o| is_arithmetic(o, lanes, context))
        }
        Kind::Cast(inner, scalar) => {
            is_number(context, inner) && *scalar != Scalar::Bool && is_arithmetic(inner, lanes, context)
        }
        Kind::Let(..) | Kind::If(..) => is_wide(e, lanes, context),
        Kind::Typed(inner, _) => is_arithmetic(inner, lanes, context),
        _ => false,
    }
}

/// The same of tuples.
fn is_wide(e: &Expr, lanes: &[Local], context: &Context) -> bool {
    match &*e.kind {
        Kind::Tuple(parts) => parts.iter().all(|part| is_wide(part, lanes, context)),
        Kind::Let(_, value, body) => {
            let inside = [lanes, &named(e, is_of_vectors(value, lanes))].concat();
            is_wide(value, lanes, context) && is_wide(body, &inside, context)
        }
        Kind::If(condition, then, otherwise) => {
            let bytes = context.ty(e).and_then(bytes_of_scalars);
            bytes.is_some_and(|bytes| is_comparison(condition, bytes, lanes, context))
                && [then, otherwise].into_iter().all(|branch| is_wide(branch, lanes, context))
        }
        _ => is_arithmetic(e, lanes, context),
    }
}

/// A condition that lanes of so many bytes can choose by: comparisons of vectors of such, all of them or any.
fn is_comparison(e: &Expr, bytes: usize, lanes: &[Local], context: &Context) -> bool {
    match &*e.kind {
        Kind::Op(Op::And | Op::Or | Op::Not, operands) => {
            operands.iter().all(|o| is_comparison(o, bytes, lanes, context))
        }
        Kind::Op(op, operands) if op.compares() && is_of_vectors(e, lanes) => operands.iter().all(|o| {
            let same = context.ty(o).and_then(bytes_of_scalars) == Some(bytes);
            same && is_arithmetic(o, lanes, context)
        }),
        _ => false,
    }
}

/// The size of a number, or of each in a tuple: comparisons of others than these are not made of vectors.
pub(super) fn bytes_of_scalars(ty: &Type) -> Option<usize> {
    match ty {
        Type::Scalar(Scalar::Bool | Scalar::F16) => None,
        Type::Scalar(s) => Some(s.bytes()),
        Type::Tuple(parts) => {
            let mut sizes = parts.iter().map(bytes_of_scalars);
            let first = sizes.next()??;
            sizes.all(|size| size == Some(first)).then_some(first)
        }
        Type::Array(..) | Type::Vector(..) | Type::Index | Type::Hole(_) => None,
    }
}

/// Is it one number?
pub(super) fn is_number(context: &Context, e: &Expr) -> bool {
    matches!(context.ty(e), Some(Type::Scalar(s)) if *s != Scalar::Bool)
}

/// Is the result a vector, or a tuple of vectors, where these variables are? What only names a vector and does not read it is
/// a scalar.
fn is_of_vectors(e: &Expr, lanes: &[Local]) -> bool {
    match &*e.kind {
        Kind::Tuple(parts) => parts.iter().all(|part| is_of_vectors(part, lanes)),
        Kind::If(condition, ..) => is_of_vectors(condition, lanes),
        Kind::Let(_, value, body) => {
            is_of_vectors(body, &[lanes, &named(e, is_of_vectors(value, lanes))].concat())
        }
        Kind::Op(_, operands) => operands.iter().any(|operand| is_of_vectors(operand, lanes)),
        Kind::Cast(inner, _) | Kind::Typed(inner, _) => is_of_vectors(inner, lanes),
        _ => uses_some(e, lanes),
    }
}

/// The variable that a `let` binds, if that is what is asked for.
fn named(e: &Expr, wanted: bool) -> Vec<Local> {
    match &*e.kind {
        Kind::Let(pattern, ..) if wanted => pattern.locals().into_iter().cloned().collect(),
        _ => vec![],
    }
}

fn uses_some(e: &Expr, locals: &[Local]) -> bool {
    locals.iter().any(|local| e.uses(local) > 0)
}

/// The variables that a function binds.
fn parameters(f: &Lambda) -> Vec<Local> {
    f.params.iter().flat_map(Pattern::locals).cloned().collect()
}

fn is_name(pattern: &Pattern) -> bool {
    matches!(untyped(pattern), Pattern::Local(_) | Pattern::Wild)
}
