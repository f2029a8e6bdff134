//! Where maps run: the second decision of lowering.

use super::{function, moved, single, unary, writes};
use crate::expr::{Argument, Expr, Kind};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::primitives::{Form, Layout, Primitive};

/// Gives the maps that write results their place.
pub fn place(e: &Expr) -> Expr {
    match &*e.kind {
        Kind::Let(pattern, value, body) => e.with(Kind::Let(pattern.clone(), inner(value), place(body))),
        Kind::Tuple(_) => e.map_children(&mut place),
        _ => placed(e, nesting(e).min(3)),
    }
}

/// Places what is kept inside a value that is read.
fn inner(e: &Expr) -> Expr {
    match &*e.kind {
        // Placed by hand, and so is what its function keeps.
        Kind::Apply(p, arguments) if matches!(p.form, Form::Spread(_)) => {
            let arguments = arguments.iter().map(|a| match a {
                Argument::Value(v) => Argument::Value(inner(v)),
                other => other.clone(),
            });
            e.with(Kind::Apply(*p, arguments.collect()))
        }
        Kind::Apply(p, arguments) if matches!(p.form, Form::Kept(Space::Global)) => {
            let value = arguments.iter().map(|a| match a {
                Argument::Value(v) => Argument::Value(place(v)),
                other => other.clone(),
            });
            e.with(Kind::Apply(*p, value.collect()))
        }
        Kind::Apply(p, arguments) => {
            let arguments = arguments.iter().map(|a| match a {
                Argument::Value(v) => Argument::Value(inner(v)),
                other => other.clone(),
            });
            e.with(Kind::Apply(*p, arguments.collect()))
        }
        Kind::Let(pattern, value, body) => e.with(Kind::Let(pattern.clone(), inner(value), inner(body))),
        _ => e.map_children(&mut inner),
    }
}

/// How many maps that write are directly nested here.
fn nesting(e: &Expr) -> usize {
    match &*e.kind {
        Kind::Apply(p, arguments) => match (&p.form, arguments.last()) {
            (Form::Map, Some(Argument::Value(xs))) if moved(e).is_some_and(writes) => nesting(xs),
            (Form::Map, _) => 1 + nested(&unary(arguments).0.body),
            (Form::Layout(Layout { write: Some(_), .. }) | Form::Unzip, Some(Argument::Value(v))) => {
                nesting(v)
            }
            (Form::Repeat, _) => single(e).map_or(0, nesting),
            _ => 0,
        },
        _ => 0,
    }
}

/// As [`nesting`], inside a map. What its array takes to compute is not done anew for each of its
/// elements, as it would be in parallel.
fn nested(e: &Expr) -> usize {
    match &*e.kind {
        Kind::Apply(p, arguments) => match (&p.form, arguments.last()) {
            (Form::Map, Some(Argument::Value(xs))) if !computes(xs) => nesting(e),
            (Form::Layout(Layout { write: Some(_), .. }) | Form::Unzip, Some(Argument::Value(v))) => {
                nested(v)
            }
            _ => 0,
        },
        _ => 0,
    }
}

/// Must something be computed before the elements can be read?
fn computes(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Apply(p, arguments) => {
            matches!(p.form, Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate | Form::Kept(_))
                || arguments.iter().any(|a| matches!(a, Argument::Value(v) if computes(v)))
        }
        _ => e.children().into_iter().any(computes),
    }
}

/// The first `depth` maps become global; whatever else writes stays in its work-item.
fn placed(e: &Expr, depth: usize) -> Expr {
    let Kind::Apply(p, arguments) = &*e.kind else { return inner(e) };
    match &p.form {
        // The function moves what is written, and is no loop.
        Form::Map if moved(e).is_some_and(writes) => {
            let (lambda, xs) = unary(arguments);
            let arguments = vec![Argument::Function(lambda.clone()), Argument::Value(through(xs, depth))];
            e.with(Kind::Apply(*p, arguments))
        }
        Form::Map => {
            let (lambda, xs) = unary(arguments);
            let body = if depth > 1 { placed(&lambda.body, depth - 1) } else { lambda.body.clone() };
            let (name, mut placed_arguments) = match depth {
                0 => ("map", vec![]),
                d => ("mapGlb", vec![Argument::Size(Nat::constant(d as i64 - 1))]),
            };
            placed_arguments.extend([function(lambda, body), Argument::Value(inner(xs))]);
            match Primitive::named(name) {
                Some(primitive) => e.with(Kind::Apply(primitive, placed_arguments)),
                None => e.clone(),
            }
        }
        Form::Layout(Layout { write: Some(_), .. }) | Form::Unzip | Form::AsScalar | Form::Repeat
            if depth > 0 || writes(e) =>
        {
            e.map_children(&mut |child| through(child, depth))
        }
        Form::Concat | Form::Zip => e.map_children(&mut place),
        // Outside all functions every step is a kernel of its own.
        Form::Iterate => e.map_children(&mut place),
        _ => inner(e),
    }
}

/// What is written through a primitive that moves it: the maps counted, or whatever else takes kernels of its own.
fn through(e: &Expr, depth: usize) -> Expr {
    if depth > 0 { placed(e, depth) } else { place(e) }
}
