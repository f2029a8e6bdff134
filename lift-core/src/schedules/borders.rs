//! Results with a border around them, as the next layer of a network reads them: the border is written apart, so that what
//! computes the rest is a nest like any other, which writes its results right to their places.

use super::nest::{bordered, simplify, tidy};
use crate::expr::{Argument, Child, Expr, Kind, Lambda, Path, Pattern};
use crate::primitives::Form;
use crate::rules::{MAP_FISSION, MAP_PAD, PAD_CONCAT};
use crate::strategy::{Strategy, Stuck, attempt, choose, id, inside, inwards, repeat, rule};

/// Takes padding around a nest out of all functions, and writes what it adds apart. Nothing happens where one of these
/// can't be done: where what is added depends on the element, or where elements are cropped.
pub fn apart() -> Strategy {
    let outwards = repeat(choose(|e| {
        let Inner { map, pad } = inner(e, false).ok_or_else(none)?;
        let fission = if pad.is_empty() { id() } else { inwards(&MAP_FISSION, pad.clone()) };
        // What stood around it is a map around this one now.
        let array = if pad.is_empty() { vec![] } else { vec![Child::Array] };
        Ok(inside(map, fission.then(inside(array, rule(&MAP_PAD)))).then(simplify()))
    }));
    let written = repeat(choose(|e| {
        let pad = outer(e).filter(|_| computes(e)).ok_or_else(none)?;
        Ok(inside(pad, rule(&PAD_CONCAT)))
    }));
    let all = choose(|e| if outer(e).is_none() { Ok(id()) } else { Err(cropped()) });
    attempt(outwards.then(written).then(all).then(tidy()))
}

fn none() -> Stuck {
    Stuck::Because("nothing is padded around it".into())
}

fn cropped() -> Stuck {
    Stuck::Because("elements may be cropped".into())
}

/// Padding in the function of a map.
struct Inner {
    map: Path,
    /// From the function.
    pad: Path,
}

/// The step towards what computes, through what only moves data or pads.
fn onwards(e: &Expr) -> Option<Path> {
    match &*e.kind {
        Kind::Let(..) => e.path(&[Child::Body]),
        Kind::Apply(p, _) if pads(e) || p.form.is_written_through() => e.path(&[Child::Operand]),
        Kind::Apply(p, _) if matches!(p.form, Form::Concat) => bordered(e),
        Kind::Apply(p, arguments) if matches!(p.form, Form::Map) => match &arguments[..] {
            [Argument::Function(f), Argument::Value(_)] if moves(f) => e.path(&[Child::Array]),
            _ => None,
        },
        _ => None,
    }
}

/// The places on the way to what computes, that included.
fn way(e: &Expr) -> Vec<Path> {
    let mut found = vec![Path::default()];
    let mut at = e;
    while let Some((step, next)) = onwards(at).and_then(|step| Some((step.clone(), at.at(&step)?))) {
        found.extend(found.last().map(|path| path.then(&step)));
        at = next;
    }
    found
}

/// Does the function move or pad its parameter, and nothing else?
fn moves(f: &Lambda) -> bool {
    let [Pattern::Local(param)] = &f.params[..] else { return false };
    let end = way(&f.body).pop().and_then(|path| f.body.at(&path));
    end.is_some_and(|end| matches!(&*end.kind, Kind::Local(local) if local == param))
}

fn pads(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Pad))
}

/// The path to the first padding that is in no function.
fn outer(e: &Expr) -> Option<Path> {
    way(e).into_iter().find(|path| e.at(path).is_some_and(pads))
}

/// The first padding that is in a function, around what computes; `computed`: what the expression moves is.
fn inner(e: &Expr, computed: bool) -> Option<Inner> {
    way(e).into_iter().find_map(|path| {
        let map = e.at(&path)?;
        let (f, _) = map.as_map()?;
        let computed = moves(f) && (computed || computes(map));
        if let Some(Inner { map: further, pad }) = inner(&f.body, computed) {
            let function = map.path(&[Child::Function])?;
            return Some(Inner { map: path.then(&function).then(&further), pad });
        }
        let pad = outer(&f.body).filter(|_| computed || computes(&f.body))?;
        Some(Inner { map: path, pad })
    })
}

/// Is it more than moved from somewhere?
fn computes(e: &Expr) -> bool {
    let end = way(e).pop().and_then(|path| e.at(&path));
    end.is_some_and(|end| end.as_map().is_some() || end.as_reduce().is_some())
}
