//! What im2col would take: memory as a measure of what a form may take beside its arrays.

use super::nest::{constants, levels, reduction};
use super::prepared::prepared;
use super::{neighbours, roles};
use crate::check;
use crate::expr::{Argument, Child, Expr, Kind, Path};
use crate::nat::Nat;
use crate::program::{Program, Sizes};
use crate::strategy::State;
use crate::types::Type;

/// Bytes of what a program's reduction multiplies its weights with, every term of every result in a place of its own, as
/// wide as the sums: as im2col writes a picture out, a row for each window of all channels. Where weights are not constant, they are written
/// out, too. `None` of a program that is no loop nest around a reduction.
pub fn written_out(program: &Program, sizes: &Sizes) -> Option<usize> {
    let start = State::new(&program.function);
    let state = prepared().then(neighbours::in_order()).run(&start, &Path::default()).ok()?;
    let function = &*state.function;
    let typed = check::infer_derived(function, &check::facts_at(function, sizes)).ok()?;
    let array = |e: &Expr| typed.ty(e.child(Child::Array)?.id);
    let value = |n: &Nat| n.eval(&|var| sizes.get(var)).ok();

    let body = &function.body;
    let constants = constants(function);
    let roles = roles::roles(body, &constants)?;
    let paths = levels(body);
    let length = |path: &Path| value(array(body.at(path)?)?.as_array()?.1);
    let lengths = paths.iter().map(length).collect::<Option<Vec<i64>>>()?;
    let results = |levels: &[usize]| -> f64 {
        levels.iter().chain(&roles.groups).map(|level| lengths[*level] as f64).product()
    };
    let innermost = body.at(paths.last()?)?.child(Child::Function)?;
    let fold = innermost.at(&reduction(innermost)?)?;
    let Kind::Apply(_, arguments) = &*fold.kind else { return None };
    let Argument::Value(terms) = arguments.last()? else { return None };
    let sum = widest(typed.ty(fold.id)?);
    let bytes = |operand: &Expr| {
        let ty = typed.ty(operand.id)?;
        Some(value(&ty.scalars())? as f64 * widest(ty).max(sum) as f64)
    };
    let terms = roles::operands(terms).into_iter().map(bytes).collect::<Option<Vec<f64>>>()?;
    let terms = terms.into_iter().fold(0.0, f64::max);
    let positions = results(&roles.positions);
    let channels =
        if constants.is_empty() && !roles.channels.is_empty() { results(&roles.channels) } else { 0.0 };
    Some((terms * (positions + channels)) as usize)
}

/// Bytes of the widest scalar in a type.
fn widest(ty: &Type) -> usize {
    match ty {
        Type::Scalar(scalar) => scalar.bytes(),
        Type::Array(element, _) | Type::Vector(element, _) => widest(element),
        Type::Tuple(parts) => parts.iter().map(widest).max().unwrap_or(0),
        Type::Index | Type::Hole(_) => 8,
    }
}
