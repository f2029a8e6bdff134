//! What puts the terms of a reduction together, where it does not matter in which order.

use super::Context;
use super::Rule;
use super::build::{as_reduce, lambda, mentions, one, parts, rearranges, reduce, untyped};
use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Local, Pattern};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::scalar::{Op, Value};
use crate::types::{Scalar, Type};

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
pub(super) enum Operator {
    /// A sum, a product, a minimum or a maximum.
    Of(Op),
    /// The better of two elements with their indices, by `<` or `>`: of equals that with the lower index.
    Better(Op),
}

impl Operator {
    /// `|acc, y| acc o y`
    pub(super) fn step(self, context: &mut Context, at: &Expr) -> Lambda {
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
    pub(super) fn identity(self, ty: &Type, at: &Expr) -> Option<Expr> {
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
pub(super) fn operator(f: &Lambda, strict: bool, ty: &Type) -> Option<(Operator, Expr)> {
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

/// The value of a term where the variables that it reads have these, if it is made of operators alone.
pub(super) fn value(term: &Expr, of: &impl Fn(&Local) -> Option<Value>) -> Option<Value> {
    match &*term.kind {
        Kind::Local(local) => of(local),
        Kind::Literal(Literal::Exact(value)) => Some(*value),
        Kind::Typed(inner, _) => value(inner, of),
        Kind::Op(op, operands) => {
            op.apply(&operands.iter().map(|e| value(e, of)).collect::<Option<Vec<_>>>()?)
        }
        _ => None,
    }
}

/// Is this the identity element of the operator?
pub(super) fn is_identity(e: &Expr, op: Op) -> bool {
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
