//! Names for arrays that the user did not name: an array is called after the array that its elements come from.

use super::view::View;
use super::{Environment, Generator};
use crate::expr::Pattern;
use crate::kernel::{self, Space};
use crate::low::{Map, Over, Read, Reading, UNNAMED};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the names of registers for the next element of an array begin with.
const NEXT: &str = "next_";

/// Views that are looked at for one name: a view may contain another one many times.
const MOST_VIEWS: usize = 1000;

/// What a value is made from.
#[derive(Default)]
struct Source {
    /// The names of the arrays that its elements come from.
    arrays: BTreeSet<Arc<str>>,
    /// Does padding contribute elements?
    padded: bool,
    /// Are elements computed, not only moved?
    computed: bool,
    /// Is it made by reductions?
    folded: bool,
    /// Is it made by scans?
    scanned: bool,
    /// The number of views that were looked at.
    views: usize,
}

impl Generator {
    /// The name of memory for a value: the user's, or one that says what is in it.
    pub fn called(&self, name: &str, value: &Read, env: &Environment, space: Space) -> String {
        if !name.is_empty() && name != UNNAMED {
            return name.into();
        }
        let mut source = Source::default();
        source.read(value, env);
        let what = match space {
            _ if source.computed => "values",
            Space::Global if source.padded => "padded",
            Space::Global => "packed",
            Space::Local | Space::Items | Space::Private | Space::Constant => "tile",
        };
        match source.arrays.first() {
            _ if source.scanned => "prefixes".into(),
            _ if source.folded => "partial".into(),
            Some(only) if source.arrays.len() == 1 => format!("{only}_{what}"),
            _ => "values".into(),
        }
    }

    /// The name of registers for the next element of an array.
    pub fn called_next(&self, array: &Read, env: &Environment) -> String {
        let mut source = Source::default();
        source.read(array, env);
        match source.arrays.first() {
            Some(only) if source.arrays.len() == 1 => format!("{NEXT}{only}"),
            _ => format!("{NEXT}values"),
        }
    }
}

impl Source {
    fn array(&mut self, name: &Arc<str>) {
        self.arrays.insert(name.strip_prefix(NEXT).map_or_else(|| name.clone(), Arc::from));
    }

    fn read(&mut self, value: &Read, env: &Environment) {
        match &value.kind {
            Reading::Variable(local) => env.locals.get(local).into_iter().for_each(|view| self.view(view)),
            Reading::Field(tuple, k) => self.read_part(tuple, &[*k], env),
            Reading::Map(Map { element, body, over, .. }) => {
                parts_read(element, body).iter().for_each(|part| self.read_part(over, part, env));
                self.read(body, env);
            }
            _ => {
                match &value.kind {
                    Reading::Pad { .. } => self.padded = true,
                    Reading::Op(..) | Reading::Cast(..) | Reading::Dot(..) => self.computed = true,
                    Reading::Fold(fold) => match fold.over {
                        Over::Prefixes { .. } => self.scanned = true,
                        Over::Elements { .. } | Over::Times(_) => self.folded = true,
                    },
                    _ => {}
                }
                value.operands().into_iter().for_each(|operand| self.read(operand, env));
                value.function().into_iter().for_each(|body| self.read(body, env));
            }
        }
    }

    /// A part of a tuple, or of an array of tuples: which component, which component of that, and so on.
    fn read_part(&mut self, value: &Read, part: &[usize], env: &Environment) {
        match (&value.kind, part.split_first()) {
            (Reading::Variable(local), _) => {
                env.locals.get(local).into_iter().for_each(|view| self.part(view, part));
            }
            (Reading::Zip(all) | Reading::Tuple(all), Some((k, rest))) => {
                all.get(*k).into_iter().for_each(|value| self.read_part(value, rest, env));
            }
            (Reading::Layout(_, inner), _) => self.read_part(inner, part, env),
            _ => self.read(value, env),
        }
    }

    fn part(&mut self, view: &View, part: &[usize]) {
        match (view, part.split_first()) {
            (View::Struct { parts, .. }, Some((k, rest))) => {
                parts.get(*k).into_iter().for_each(|view| self.part(view, rest));
            }
            (View::Component(inner, k), _) => self.part(inner, &[&[*k], part].concat()),
            (View::Shift(inner, _) | View::Repeat(inner), _) => self.part(inner, part),
            (View::Layout(layout, _), _) => self.part(&layout.inner, part),
            (View::Map { element, body, env, inner }, Some((k, _))) => match &body.kind {
                Reading::Tuple(all) => all.get(*k).into_iter().for_each(|body| {
                    self.read(body, env);
                    parts_read(element, body).iter().for_each(|part| self.part(inner, part));
                }),
                _ => self.view(view),
            },
            _ => self.view(view),
        }
    }

    fn view(&mut self, view: &View) {
        self.views += 1;
        if self.views > MOST_VIEWS {
            return;
        }
        match view {
            View::Memory { array, .. } => self.array(&array.name),
            View::Scalar(e) => e.visit(&mut |e| {
                if let kernel::Expr::Load(array, ..) = e {
                    self.array(&array.name);
                }
            }),
            View::Index(_) | View::Variable(_) => {}
            View::Struct { parts, .. } => parts.iter().for_each(|part| self.view(part)),
            View::Concat(parts) => parts.iter().for_each(|(_, part)| self.view(part)),
            View::Component(inner, k) => self.part(inner, &[*k]),
            View::Shift(inner, _)
            | View::Reorder { inner, .. }
            | View::Crop { inner, .. }
            | View::Fill(inner)
            | View::Repeat(inner)
            | View::AsVector { inner, .. }
            | View::Lanes { inner, .. }
            | View::Through { inner, .. }
            | View::AsScalar { inner, .. } => self.view(inner),
            View::Layout(layout, _) => self.view(&layout.inner),
            View::Pad { fill, inner, .. } => {
                self.padded = true;
                self.view(fill);
                self.view(inner);
            }
            View::Guard { inner, otherwise, .. } => {
                self.view(inner);
                self.view(otherwise);
            }
            View::Choose { then, otherwise, .. } => {
                self.view(then);
                self.view(otherwise);
            }
            View::Map { element, body, env, inner } => {
                self.read(body, env);
                parts_read(element, body).iter().for_each(|part| self.part(inner, part));
            }
            View::Generate { body, env, .. } => self.read(body, env),
        }
    }
}

/// The parts of its element that a function reads.
fn parts_read(element: &Pattern, body: &Read) -> Vec<Vec<usize>> {
    match element {
        Pattern::Local(local) if body.uses(local) > 0 => vec![vec![]],
        Pattern::Local(_) | Pattern::Wild => vec![],
        Pattern::Tuple(parts) => {
            let inside = |(k, part)| parts_read(part, body).into_iter().map(move |p| [vec![k], p].concat());
            parts.iter().enumerate().flat_map(inside).collect()
        }
        Pattern::Typed(inner, _) => parts_read(inner, body),
    }
}
