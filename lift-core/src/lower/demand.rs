//! How often the elements of values are read, and what computing them costs.
//!
//! Reading an element computes it, so that an element that is read twice is computed twice unless it is
//! kept. The answers are estimates: an index map that repeats a few elements, as that of `padClamp`
//! does, counts as reading each once.

use super::Lowering;
use crate::expr::{Local, NodeId, Pattern};
use crate::low::{Fetched, Fold, Over, Read, Reading, holds_arrays};
use crate::scalar::Op;
use Demand::{Many, Never};
use std::cell::RefCell;
use std::collections::HashMap;

/// From this many operations on an element is worth keeping.
const EXPENSIVE: usize = 8;

/// How often each element of a value is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Demand {
    /// No element is read.
    Never,
    /// Each element about once.
    Once,
    /// Some element may be read several times.
    Many,
}

impl Demand {
    /// The demand of a value that is read in two places.
    pub fn and(self, other: Demand) -> Demand {
        match (self, other) {
            (Never, d) | (d, Never) => d,
            _ => Many,
        }
    }
}

/// Answers found before, by node, variable and how often the node is read. Without them a chain of
/// `let`s would take exponential time.
pub type Found = RefCell<HashMap<(NodeId, u32, Demand), Demand>>;

impl Lowering<'_> {
    /// How often `e`, which is itself read as often as `demand` says, reads each element of a variable.
    pub fn demand(&self, e: &Read, local: &Local, demand: Demand) -> Demand {
        let key = (e.id, local.index, demand);
        if let Some(known) = self.demands.borrow().get(&key) {
            return *known;
        }
        let found = self.demand_anew(e, local, demand);
        self.demands.borrow_mut().insert(key, found);
        found
    }

    fn demand_anew(&self, e: &Read, local: &Local, demand: Demand) -> Demand {
        let many_inside = |body: &Read| if body.uses(local) > 0 { Many } else { Never };
        let all = |passes: Demand| {
            e.operands().into_iter().fold(Never, |sum, operand| sum.and(self.demand(operand, local, passes)))
        };
        match &e.kind {
            Reading::Variable(l) => {
                if l == local {
                    demand
                } else {
                    Never
                }
            }
            Reading::Let(pattern, value, body) => {
                let inner =
                    pattern.locals().into_iter().map(|l| self.demand(body, l, demand)).max().unwrap_or(Never);
                self.demand(value, local, inner).and(self.demand(body, local, demand))
            }
            Reading::If(c, then, otherwise) => {
                // Only one of the branches is evaluated.
                let branches = self.demand(then, local, demand).max(self.demand(otherwise, local, demand));
                self.demand(c, local, demand).and(branches)
            }
            Reading::Layout(indexed, _) | Reading::Element(indexed, _) => {
                all(if self.moves_once(indexed) { demand } else { Many })
            }
            Reading::Repeat(times, _) => all(if times.as_constant() == Some(1) { demand } else { Many }),
            Reading::Map(map) => {
                all(self.of_elements(&[&map.element], &map.body, demand)).and(many_inside(&map.body))
            }
            Reading::Ahead(Fetched { function: Some((element, body)), .. }) => {
                all(self.of_elements(&[element], &body.read, demand)).and(many_inside(&body.read))
            }
            Reading::Fold(fold) => {
                let Fold { running, step, over, .. } = &**fold;
                let (patterns, passes) = match over {
                    Over::Elements { element, .. } | Over::Prefixes { element, .. } => {
                        (vec![running, element], demand)
                    }
                    Over::Times(_) => (vec![running], Many),
                };
                all(self.of_elements(&patterns, &step.read, passes)).and(many_inside(&step.read))
            }
            Reading::Generate(_, body) => many_inside(body),
            Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Op(..)
            | Reading::Cast(..)
            | Reading::Tuple(_)
            | Reading::Field(..)
            | Reading::Reorder(..)
            | Reading::Pad { .. }
            | Reading::Concat(_)
            | Reading::Zip(_)
            | Reading::Unzip(_)
            | Reading::AsVector(..)
            | Reading::AsScalar(..)
            | Reading::Dot(..)
            | Reading::Kept(..)
            | Reading::Ahead(_)
            | Reading::Rotated(_)
            | Reading::Peeled(_) => all(demand),
        }
    }

    /// How often a function of elements, whose result is read as often as `demand` says, reads each part of an
    /// element. A scalar element is computed once and held, however often it is used.
    pub fn of_elements(&self, elements: &[&Pattern], body: &Read, demand: Demand) -> Demand {
        let locals = elements.iter().flat_map(|pattern| pattern.locals());
        let arrays = locals.filter(|l| is_array(l, body));
        arrays.map(|l| self.demand(body, l, Demand::Once)).max().unwrap_or(Never).max(demand)
    }
}

/// Is a variable, read somewhere in `body`, more than scalars?
fn is_array(local: &Local, body: &Read) -> bool {
    let mut found = false;
    body.visit(&mut |e| {
        found |= matches!(&e.kind, Reading::Variable(l) if l == local) && holds_arrays(&e.ty);
    });
    found
}

/// Does computing this take a loop? Functions that are applied lazily are looked into as well.
pub fn folds(e: &Read) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= loops(e));
    found
}

/// Is this itself a loop?
pub fn loops(e: &Read) -> bool {
    match &e.kind {
        Reading::Dot(xs, _) => holds_arrays(&xs.ty),
        Reading::Fold(_) => true,
        _ => false,
    }
}

/// Is computing this anew at every read worse than keeping it? Functions and divisions count as much as
/// [`EXPENSIVE`] cheap operations, and a loop is expensive always.
pub fn is_expensive(body: &Read) -> bool {
    let mut cost = 0;
    body.visit(&mut |e| {
        cost += match &e.kind {
            Reading::Op(
                Op::Exp | Op::Ln | Op::Sin | Op::Cos | Op::Tanh | Op::Pow | Op::Sqrt | Op::Div | Op::Rem,
                _,
            ) => EXPENSIVE,
            Reading::Op(..) => 1,
            _ => 0,
        }
    });
    cost >= EXPENSIVE || folds(body)
}
