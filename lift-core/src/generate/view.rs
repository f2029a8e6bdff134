//! Views: how to read, or to write, the elements of an array that may not exist in memory.

use super::accesses::Target;
use super::{Environment, Generator, Result, Unsupported};
use crate::expr::Pattern;
use crate::kernel::{self, Array};
use crate::low::{Motion, Read};
use crate::nat::{Condition, Nat, Var};
use crate::primitives::{Bindings, IndexMap};
use crate::types::Type;
use std::rc::Rc;
use std::sync::Arc;

/// A value that can be read element by element; some can be written so.
#[derive(Clone)]
pub enum View {
    /// A scalar or vector, computed.
    Scalar(kernel::Expr),
    /// A size or index.
    Index(Nat),
    /// A variable of a scalar or vector.
    Variable(kernel::Local),
    /// Dense memory, from `offset` on, which counts scalars.
    Memory {
        array: Arc<Array>,
        offset: Nat,
        ty: Type,
    },
    /// Arrays of `depth` dimensions as one array of tuples; at depth 0 a tuple.
    Struct {
        parts: Vec<View>,
        depth: usize,
    },
    /// One component of an array of tuples.
    Component(Rc<View>, usize),
    /// An index map, and the indices it has got.
    Layout(Rc<Layout>, Vec<Nat>),
    /// The elements from `offset` on.
    Shift(Rc<View>, Nat),
    Reorder {
        var: Var,
        body: Nat,
        inner: Rc<View>,
    },
    /// `length` elements between copies of `fill`, `left` of them before.
    Pad {
        left: Nat,
        length: Nat,
        fill: Rc<View>,
        inner: Rc<View>,
    },
    /// A place to write to that has room for these elements only: the others are discarded.
    Crop {
        from: Nat,
        before: Nat,
        inner: Rc<View>,
    },
    /// The same scalar at every index.
    Fill(Rc<View>),
    /// `inner`, followed along `path`, if the condition holds; else `otherwise` along the path.
    Guard {
        condition: Condition,
        inner: Rc<View>,
        otherwise: Rc<View>,
        path: Vec<Step>,
    },
    /// One or the other.
    Choose {
        condition: kernel::Expr,
        then: Rc<View>,
        otherwise: Rc<View>,
    },
    Concat(Vec<(Nat, View)>),
    /// A function of the elements, applied when one is read.
    Map {
        element: Pattern,
        body: Rc<Read>,
        env: Environment,
        inner: Rc<View>,
    },
    Generate {
        var: Var,
        body: Rc<Read>,
        env: Environment,
    },
    Repeat(Rc<View>),
    /// Neighbouring scalars as vectors of `width` lanes.
    AsVector {
        inner: Rc<View>,
        width: Nat,
    },
    /// One such vector: the elements from `start` on.
    Lanes {
        inner: Rc<View>,
        start: Nat,
        width: u8,
    },
    /// A place to write elements to: the motions say which element of `inner` each becomes.
    Through {
        motions: Rc<[Motion]>,
        env: Environment,
        inner: Rc<View>,
    },
    /// The lanes of vectors of `width` lanes, as scalars.
    AsScalar {
        inner: Rc<View>,
        width: Nat,
    },
}

/// An index map applied to a view.
pub struct Layout {
    /// From indices of the view to indices of `inner`.
    pub map: IndexMap,
    /// How many indices it waits for.
    pub arity: usize,
    /// The values of the names in the primitive's type.
    pub bindings: Bindings,
    /// The view that is rearranged.
    pub inner: View,
    /// See [`crate::primitives::Layout`].
    pub nest: Option<[Nat; 2]>,
    /// Is it a place to write to that rows share elements of?
    pub overlaps: bool,
}

/// One step into a value.
#[derive(Clone)]
pub enum Step {
    Element(Nat),
    Field(usize),
    /// An element of a vector.
    Lane(Nat),
}

impl View {
    /// Are these the same memory?
    pub fn is_same_place(&self, other: &View) -> bool {
        match (self, other) {
            (View::Memory { array: a, offset: i, ty: t }, View::Memory { array: b, offset: j, ty: u }) => {
                a == b && i == j && t == u
            }
            (View::Struct { parts: a, depth: n }, View::Struct { parts: b, depth: m }) => {
                n == m && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same_place(b))
            }
            _ => false,
        }
    }

    /// Variables that do not change while they are read as this.
    pub fn constant(&self) -> View {
        match self {
            View::Variable(local) => View::Scalar(kernel::Expr::Local(local.clone())),
            View::Struct { parts, depth: 0 } => {
                View::Struct { parts: parts.iter().map(View::constant).collect(), depth: 0 }
            }
            other => other.clone(),
        }
    }

    /// Does a group share the memory that a running value is kept in?
    pub fn is_of_group(&self) -> bool {
        match self {
            View::Memory { array, .. } => array.space == kernel::Space::Local,
            View::Struct { parts, .. } => parts.iter().any(View::is_of_group),
            _ => false,
        }
    }

    /// Do elements of this, as a place to write to, share places, so that one work-item has to write them all?
    pub fn shares_places(&self) -> bool {
        match self {
            View::Layout(layout, _) => layout.overlaps || layout.inner.shares_places(),
            View::Through { motions, inner, .. } => {
                motions.iter().any(Motion::shares_places) || inner.shares_places()
            }
            View::Struct { parts, .. } => parts.iter().any(View::shares_places),
            View::Concat(parts) => parts.iter().any(|(_, part)| part.shares_places()),
            View::Component(inner, _)
            | View::Shift(inner, _)
            | View::Reorder { inner, .. }
            | View::Pad { inner, .. }
            | View::Crop { inner, .. }
            | View::Fill(inner)
            | View::Map { inner, .. }
            | View::Repeat(inner)
            | View::AsVector { inner, .. }
            | View::Lanes { inner, .. }
            | View::AsScalar { inner, .. } => inner.shares_places(),
            View::Guard { inner, otherwise, .. } => inner.shares_places() || otherwise.shares_places(),
            View::Choose { then, otherwise, .. } => then.shares_places() || otherwise.shares_places(),
            View::Scalar(_)
            | View::Index(_)
            | View::Variable(_)
            | View::Memory { .. }
            | View::Generate { .. } => false,
        }
    }

    /// The places that a running value is kept in.
    pub fn targets(&self, found: &mut Vec<Target>) {
        match self {
            View::Memory { array, .. } => found.push(Target::Array(array.id)),
            View::Variable(local) => found.push(Target::Local(local.id)),
            View::Struct { parts, .. } => parts.iter().for_each(|p| p.targets(found)),
            _ => {}
        }
    }
}

impl Generator {
    /// Element `i`.
    pub fn at(&mut self, view: &View, i: &Nat) -> Result<View> {
        Ok(match view {
            View::Memory { array, offset, ty } => {
                let Some((element, _)) = ty.as_array() else {
                    return Err(Unsupported("a scalar in memory has no elements".into()));
                };
                let offset = self.facts.simplify(&(offset + &(i * &self.apart_in(array, element)?)));
                View::Memory { array: array.clone(), offset, ty: element.clone() }
            }
            View::Struct { parts, depth } if *depth > 0 => {
                let parts: Result<Vec<View>> = parts.iter().map(|p| self.at(p, i)).collect();
                View::Struct { parts: parts?, depth: depth - 1 }
            }
            View::Component(inner, k) => {
                let element = self.at(inner, i)?;
                self.field(&element, *k)?
            }
            View::Layout(layout, got) => {
                let mut got = got.clone();
                got.push(i.clone());
                if got.len() < layout.arity {
                    return Ok(View::Layout(layout.clone(), got));
                }
                if layout.overlaps {
                    self.in_order(&got[0])?;
                }
                let mut view = layout.inner.clone();
                for index in (layout.map)(&layout.bindings, &got) {
                    view = self.at(&view, &self.facts.simplify(&index))?;
                }
                view
            }
            View::Shift(inner, offset) => self.at(inner, &(i + offset))?,
            View::Reorder { var, body, inner } => {
                let index = body.substitute(&|v| (v == var).then(|| i.clone()));
                self.at(inner, &self.facts.simplify(&index))?
            }
            View::Pad { left, length, fill, inner } => self.padded(i, left, length, fill, inner)?,
            View::Crop { from, before, inner } => {
                let within = [Condition::ge(i, from), Condition::lt(i, before)];
                let needed: Vec<_> = within.into_iter().filter(|c| !self.facts.certain(c)).collect();
                if needed.is_empty() {
                    return self.at(inner, i);
                }
                View::Guard {
                    condition: Condition::And(needed),
                    inner: inner.clone(),
                    otherwise: inner.clone(),
                    path: vec![Step::Element(i.clone())],
                }
            }
            View::Fill(_) => view.clone(),
            View::Guard { .. } => follow(view, Step::Element(i.clone())),
            View::Choose { condition, then, otherwise } => {
                let (then, otherwise) = (self.at(then, i)?, self.at(otherwise, i)?);
                View::Choose { condition: condition.clone(), then: then.into(), otherwise: otherwise.into() }
            }
            View::Concat(views) => self.concatenated(i, views)?,
            View::Map { element, body, env, inner } => {
                let x = self.at(inner, i)?;
                let env = self.bind(element, x, env, body)?;
                self.view(body, &env)?
            }
            View::Generate { var, body, env } => self.view(body, &env.with_index(var, i))?,
            View::Repeat(inner) => (**inner).clone(),
            View::Through { motions, env, inner } => {
                let to = self.at(inner, i)?;
                motions.iter().try_fold(to, |to, motion| self.moved_to(motion, env, to))?
            }
            View::AsVector { inner, width } => {
                let start = self.facts.simplify(&(i * width));
                let width = self.value(width)?;
                let Ok(width) = u8::try_from(width) else {
                    return Err(Unsupported(format!("a vector of {width} elements")));
                };
                View::Lanes { inner: inner.clone(), start, width }
            }
            View::AsScalar { inner, width } => {
                let (vector, k) = (self.facts.simplify(&i.div(width)), self.facts.simplify(&i.rem(width)));
                let vector = self.at(inner, &vector)?;
                self.element_of(&vector, &k)?
            }
            View::Scalar(_)
            | View::Index(_)
            | View::Variable(_)
            | View::Lanes { .. }
            | View::Struct { .. } => {
                return Err(Unsupported("a value that is not an array has no elements".into()));
            }
        })
    }

    /// Rows that share elements are written by one work-item, in order: does it write them all?
    fn in_order(&self, row: &Nat) -> Result<()> {
        let around = self.open.iter().flat_map(|open| &open.around);
        match around.into_iter().any(|(var, ..)| row.contains(var)) {
            true => Err(Unsupported(
                "several work-items write rows of `joinOverlap`, which share elements: one has to write them all".into(),
            )),
            false => Ok(()),
        }
    }

    /// An element of a vector.
    pub fn element_of(&mut self, vector: &View, k: &Nat) -> Result<View> {
        match vector {
            View::Lanes { inner, start, .. } => return self.at(inner, &(start + k)),
            View::Guard { .. } => return Ok(follow(vector, Step::Lane(k.clone()))),
            View::Memory { array, offset, ty: Type::Vector(element, _) } if array.width == 1 => {
                let offset = self.facts.simplify(&(offset + k));
                return Ok(View::Memory { array: array.clone(), offset, ty: (**element).clone() });
            }
            _ => {}
        }
        let value = self.scalar(vector)?;
        match k.as_constant().and_then(|k| u8::try_from(k).ok()) {
            Some(k) => Ok(View::Scalar(value.lane(k))),
            None => self.chosen_lane(value, k),
        }
    }

    /// The element of a vector that an index says: vectors in registers have no indices.
    fn chosen_lane(&mut self, value: kernel::Expr, k: &Nat) -> Result<View> {
        // One in registers is held already.
        let value = match value {
            kernel::Expr::Load(ref array, ..) if array.space == kernel::Space::Private => value,
            value => self.held("vector", value)?,
        };
        let test = |j: u8| kernel::Expr::Test(Condition::eq(k, Nat::from(i64::from(j))));
        let last = value.lane(value.width() - 1);
        let select = |rest: kernel::Expr, j: u8| {
            kernel::Expr::Select(test(j).into(), value.lane(j).into(), rest.into())
        };
        Ok(View::Scalar((0..value.width() - 1).rev().fold(last, select)))
    }

    /// Component `k` of a tuple.
    pub fn field(&mut self, view: &View, k: usize) -> Result<View> {
        Ok(match view {
            View::Struct { parts, depth: 0 } if k < parts.len() => parts[k].clone(),
            View::Guard { .. } => follow(view, Step::Field(k)),
            View::Fill(_) => view.clone(),
            View::Choose { condition, then, otherwise } => {
                let (then, otherwise) = (self.field(then, k)?, self.field(otherwise, k)?);
                View::Choose { condition: condition.clone(), then: then.into(), otherwise: otherwise.into() }
            }
            _ => return Err(Unsupported("a value that is not a tuple has no parts".into())),
        })
    }

    /// Component `k` of an array of tuples.
    pub fn component(&self, view: &View, k: usize) -> View {
        match view {
            View::Struct { parts, depth: 1 } if k < parts.len() => parts[k].clone(),
            _ => View::Component(Rc::new(view.clone()), k),
        }
    }

    fn padded(
        &mut self,
        i: &Nat,
        left: &Nat,
        length: &Nat,
        fill: &Rc<View>,
        inner: &Rc<View>,
    ) -> Result<View> {
        let index = self.facts.simplify(&(i - left));
        let low = Condition::ge(&index, Nat::constant(0));
        let high = Condition::lt(&index, length);
        let mut needed = vec![];
        for part in [low, high] {
            if self.facts.certain(&part) {
                continue;
            }
            if self.facts.certain(&part.clone().not()) {
                return Ok((**fill).clone());
            }
            needed.push(part);
        }
        if needed.is_empty() {
            return self.at(inner, &index);
        }
        Ok(View::Guard {
            condition: Condition::And(needed),
            inner: inner.clone(),
            otherwise: Rc::new(View::Repeat(fill.clone())),
            path: vec![Step::Element(index)],
        })
    }

    /// Which array an index falls into, tested from the first on.
    fn concatenated(&mut self, i: &Nat, views: &[(Nat, View)]) -> Result<View> {
        let Some(((length, first), rest)) = views.split_first() else {
            return Err(Unsupported("an empty concatenation".into()));
        };
        let inside = Condition::lt(i, length);
        if rest.is_empty() || self.facts.certain(&inside) {
            return self.at(first, i);
        }
        let beyond = self.facts.simplify(&(i - length));
        if self.facts.certain(&inside.clone().not()) {
            return self.concatenated(&beyond, rest);
        }
        Ok(View::Guard {
            condition: inside,
            inner: Rc::new(first.clone()),
            otherwise: Rc::new(View::Shift(Rc::new(View::Concat(rest.to_vec())), -length)),
            path: vec![Step::Element(i.clone())],
        })
    }
}

/// One step further into a guarded value.
fn follow(guard: &View, step: Step) -> View {
    match guard {
        View::Guard { condition, inner, otherwise, path } => {
            let mut path = path.clone();
            path.push(step);
            let (condition, inner, otherwise) = (condition.clone(), inner.clone(), otherwise.clone());
            View::Guard { condition, inner, otherwise, path }
        }
        other => other.clone(),
    }
}
