//! What the reduction inside nested maps reads, loaded before it: before all maps, or else before the reduction.

use super::NOTHING_SHARED;
use super::nest::{hoist, no_reduction, operands, reduction};
use crate::expr::{Child, Expr, Kind, Path};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{COPY, REDUCE_OPERAND, TO_PRIVATE, VECTOR_MAP};
use crate::strategy::{
    Strategy, Stuck, at_tail, attempt, choose, id, in_operand, in_value, inside, inwards, repeat, rule, seq,
    sized,
};

/// Makes the vectors that a reduction reads before it, instead of in each step: so they can be kept.
pub fn vectors_first() -> Strategy {
    repeat(choose(|e| {
        let is_vector = |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::AsVector));
        let path = e.child(Child::Step).and_then(|body| body.first(&is_vector));
        Ok(inwards(&REDUCE_OPERAND, path.ok_or_else(|| Stuck::Because("nothing is read in vectors".into()))?))
    }))
}

/// The operands of the reduction inside, each loaded into registers: before all maps around the reduction, or
/// else, where it depends on these, before the reduction. Scalars are loaded in vectors.
pub fn preloaded(width: &Nat) -> Strategy {
    let scalars = seq([rule(&COPY), sized(&VECTOR_MAP, &[width]), in_operand(rule(&TO_PRIVATE))]);
    let load = in_value(scalars.or(rule(&TO_PRIVATE)));
    each(move |reduction, operand| {
        let early = hoist(reduction.then(&operand));
        let late = inside(reduction, hoist(operand).then(load.clone()));
        early.then(load.clone()).or(late)
    })
}

/// Of the operands of the reduction inside, those that are the same for all maps around it, copied before these by a strategy.
pub fn shared_before(copy: Strategy) -> Strategy {
    let copy = in_value(copy);
    let copied = each(move |reduction, operand| attempt(hoist(reduction.then(&operand)).then(copy.clone())));
    copied.then(choose(|e| match &*e.kind {
        Kind::Let(..) => Ok(id()),
        _ => Err(Stuck::Because(NOTHING_SHARED.into())),
    }))
}

/// A strategy for each operand of the reduction inside, given the paths to the reduction, and to the operand from there.
fn each(s: impl Fn(Path, Path) -> Strategy + Clone + 'static) -> Strategy {
    let found = |e: &Expr| {
        let reduction = step(e);
        let all = operands(e.at(&reduction)?)?;
        Some((reduction, all))
    };
    choose(move |e| {
        let count = found(e).ok_or_else(no_reduction)?.1.len();
        let one = |k: usize| {
            let s = s.clone();
            choose(move |e| {
                let (reduction, all) = found(e).ok_or_else(no_reduction)?;
                Ok(s(reduction, all.get(k).cloned().ok_or_else(no_reduction)?))
            })
        };
        Ok(seq((0..count).map(|k| at_tail(one(k)))))
    })
}

/// The path to the reduction here, or in the function of the maps.
fn step(e: &Expr) -> Path {
    let into = |child: Child| e.path(&[child]).and_then(|next| Some(next.then(&step(e.at(&next)?))));
    let further = match &*e.kind {
        Kind::Let(..) => into(Child::Body),
        _ => reduction(e).or_else(|| into(Child::Function)),
    };
    further.unwrap_or_default()
}
