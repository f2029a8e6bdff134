//! Vectors: several scalars computed at once.

use super::build::{apply, as_map, as_reduce, lambda, map, one, parts, reduce, untyped, zip};
use super::operators::sum;
use super::{Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda, Pattern};
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
        // A function that ignores its vectors has a scalar for its result.
        if !is_arithmetic(&f.body, context) || !uses_some(f) {
            return None;
        }
        let vectors = as_vectors(context, &f.params[0], xs, arguments.sizes.first()?)?;
        one("asScalar", &[], map(f.clone(), vectors)?)
    },
};

/// The scalars of a running array become vectors, from its start to its end.
pub static VECTOR_ACCUMULATOR: Rule = Rule {
    name: "vectorAccumulator",
    equation: "reduce(zs, |accs, r| map(f, zip(accs, xs)), rs)\n\
               = asScalar(reduce(asVector(v, zs), |accs, r| map(f, zip(accs, asVector(v, xs))), rs)) for f of scalars",
    source: "Hashemi, \"Combining Across Output Depth\" (vectors of weights)",
    sizes: &["v"],
    inside: false,
    apply: |context, e, arguments| {
        let v = arguments.sizes.first()?;
        let start = one("asVector", &[v], as_reduce(e)?.0.clone())?;
        one("asScalar", &[], accumulate(context, e, v, start)?)
    },
};

/// The reduction with vectors as the elements of its running value: the step is a map, or again such a
/// reduction that starts with the running value.
fn accumulate(context: &Context, e: &Expr, v: &Nat, start: Expr) -> Option<Expr> {
    let (_, f, rs) = as_reduce(e)?;
    let Pattern::Local(accs) = untyped(&f.params[0]) else { return None };
    if f.body.uses(accs) != 1 {
        return None;
    }
    let step = match (as_map(&f.body), as_reduce(&f.body)) {
        (Some((g, xs)), _) if is_arithmetic(&g.body, context) && uses_some(g) => {
            let mut operands = vec![];
            for (pattern, array) in parts(&g.params[0], xs) {
                if !is_scalars(context, array) || !is_name(pattern) {
                    return None;
                }
                let is_accs = matches!(&*array.kind, Kind::Local(l) if l == accs);
                // The running value in another order would be its vectors in another order.
                if !is_accs && array.uses(accs) > 0 {
                    return None;
                }
                operands.push(if is_accs { array.clone() } else { one("asVector", &[v], array.clone())? });
            }
            map(g.clone(), zip(operands)?)?
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
        let vectors = as_vectors(context, &f.params[1], rs, arguments.sizes.first()?)?;
        let product = apply("dot", vec![Argument::Value(x.clone()), Argument::Value(y.clone())], &term)?;
        let acc = f.body.with(Kind::Local(f.params[0].locals().first().map(|l| (*l).clone())?));
        let body = f.body.with(Kind::Op(op, vec![acc, product]));
        reduce(z.clone(), lambda(f.params.clone(), body), vectors)
    },
};

/// The operand of a map as vectors, each array of a `zip` by itself.
fn as_vectors(context: &Context, pattern: &Pattern, xs: &Expr, v: &Nat) -> Option<Expr> {
    let mut vectors = vec![];
    for (pattern, array) in parts(pattern, xs) {
        if !is_scalars(context, array) || !is_name(pattern) {
            return None;
        }
        vectors.push(one("asVector", &[v], array.clone())?);
    }
    zip(vectors)
}

fn is_scalars(context: &Context, array: &Expr) -> bool {
    let number = |ty: &Type| matches!(ty, Type::Scalar(s) if *s != Scalar::Bool);
    context.ty(array).and_then(Type::as_array).is_some_and(|(element, _)| number(element))
}

/// Operators, functions of scalars and casts, of one number type: these are what vectors have.
fn is_arithmetic(e: &Expr, context: &Context) -> bool {
    match &*e.kind {
        Kind::Local(_) | Kind::Literal(_) => matches!(context.ty(e), Some(Type::Scalar(_))),
        Kind::Op(op, operands) => {
            !op.compares()
                && !matches!(op, Op::And | Op::Or | Op::Not)
                && operands.iter().all(|o| is_arithmetic(o, context))
        }
        Kind::Typed(inner, _) => is_arithmetic(inner, context),
        _ => false,
    }
}

fn uses_some(f: &Lambda) -> bool {
    f.params.iter().flat_map(Pattern::locals).any(|l| f.body.uses(l) > 0)
}

fn is_name(pattern: &Pattern) -> bool {
    matches!(untyped(pattern), Pattern::Local(_) | Pattern::Wild)
}
