//! A placement written into the expression: each `map` becomes `mapSeq`, `mapLcl`, `mapWrg` or
//! `mapGlb`, and maps that are fused become one (CC'22 §4.1).

use super::nest::Code;
use super::space::{Placement, Placements};
use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, NodeId, Pattern};
use crate::nat::Nat;
use crate::primitives::Primitive;
use crate::program::Program;
use std::collections::HashMap;

/// The program with its maps where the placement says.
pub fn place(placements: &Placements, placement: &Placement) -> Program {
    let function = &placements.function;
    let mut placing = Placing {
        codes: placement.maps.iter().copied().collect(),
        typed: &placements.typed,
        fresh: function.fresh(),
    };
    let body = placing.expr(&function.body);
    Program { function: Function { body, ..function.clone() }.number() }
}

struct Placing<'a> {
    codes: HashMap<NodeId, Code>,
    typed: &'a Typed,
    fresh: u32,
}

impl Placing<'_> {
    fn expr(&mut self, e: &Expr) -> Expr {
        match (&*e.kind, self.codes.get(&e.id).copied()) {
            (Kind::Apply(_, arguments), Some(code)) => match unary(arguments) {
                Some((lambda, xs)) => self.map(e, code, lambda, xs),
                None => e.clone(),
            },
            _ => e.map_children(&mut |child| self.expr(child)),
        }
    }

    /// A map, and the maps that are fused with it.
    fn map(&mut self, e: &Expr, code: Code, lambda: &Lambda, xs: &Expr) -> Expr {
        let (mut lambda, mut xs, mut lengths) = (lambda.clone(), self.expr(xs), vec![]);
        while let Some((inner, ys, length)) = self.fused(&lambda.body) {
            xs = self.pairs(&lambda, &inner, &ys, &length, xs);
            lambda = match uses(&lambda.params[0], &inner.body) {
                false => inner,
                true => {
                    let both = vec![lambda.params[0].clone(), inner.params[0].clone()];
                    Lambda { params: vec![Pattern::Tuple(both)], ..inner }
                }
            };
            lengths.push(length);
        }
        let body = self.expr(&lambda.body);
        let mut arguments =
            code.parallel().map(|(_, d)| Argument::Size(Nat::constant(d))).into_iter().collect::<Vec<_>>();
        arguments.extend([Argument::Function(Lambda { body, ..lambda }), Argument::Value(xs)]);
        let map = apply(e, code.primitive(), arguments);
        lengths
            .into_iter()
            .rev()
            .fold(map, |map, length| apply(e, "split", vec![Argument::Size(length), Argument::Value(map)]))
    }

    /// The map that is to be fused with the map around it, whose function has this body: its
    /// function, its operand and its length.
    fn fused(&self, body: &Expr) -> Option<(Lambda, Expr, Nat)> {
        let body = match &*body.kind {
            Kind::Typed(inner, _) => inner,
            _ => body,
        };
        let Kind::Apply(_, arguments) = &*body.kind else { return None };
        let (lambda, xs) = unary(arguments)?;
        let (_, length) = self.typed.ty(body.id)?.as_array()?;
        (self.codes.get(&body.id) == Some(&Code::FUSED)).then(|| (lambda.clone(), xs.clone(), length.clone()))
    }

    /// The operand of the fused map: the elements `ys` of all elements of `xs` as one array, zipped with the
    /// elements of `xs` if the function needs these too.
    fn pairs(&mut self, outer: &Lambda, inner: &Lambda, ys: &Expr, length: &Nat, xs: Expr) -> Expr {
        let pattern = &outer.params[0];
        let needed = uses(pattern, &inner.body);
        let is_element = |local: &Local| matches!(&*ys.kind, Kind::Local(l) if l == local);
        let rows = match pattern {
            Pattern::Local(local) if !needed && is_element(local) => xs,
            _ => {
                self.fresh += 1;
                let element = Local { name: "element".into(), index: self.fresh };
                let value = Expr::local(&element);
                let taken = |e: Expr| ys.with(Kind::Let(pattern.clone(), value.clone(), e));
                let row = match needed {
                    false => taken(ys.clone()),
                    true => {
                        let repeated = vec![Argument::Size(length.clone()), Argument::Value(value.clone())];
                        let repeated = apply(ys, "repeat", repeated);
                        let row = Argument::Value(taken(ys.clone()));
                        apply(ys, "zip", vec![Argument::Value(repeated), row])
                    }
                };
                let lambda = Lambda { site: ys.site, params: vec![Pattern::Local(element)], body: row };
                apply(ys, "map", vec![Argument::Function(lambda), Argument::Value(xs)])
            }
        };
        apply(ys, "join", vec![Argument::Value(rows)])
    }
}

fn unary(arguments: &[Argument]) -> Option<(&Lambda, &Expr)> {
    match arguments {
        [Argument::Function(lambda), Argument::Value(xs)] => Some((lambda, xs)),
        _ => None,
    }
}

/// Is anything that a pattern binds read?
fn uses(pattern: &Pattern, e: &Expr) -> bool {
    pattern.locals().into_iter().any(|local| e.uses(local) > 0)
}

/// A primitive of the table at the place of an expression.
fn apply(at: &Expr, name: &str, arguments: Vec<Argument>) -> Expr {
    at.with(Kind::Apply(Primitive::known(name), arguments))
}
