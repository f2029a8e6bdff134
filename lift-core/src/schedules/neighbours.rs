//! Which elements are neighbours in memory: in the result of a nest, and in the arrays that it reads.

use super::nest::{self, bordered, interchange, is_map};
use crate::check::Typed;
use crate::expr::{Argument, Expr, Kind, Local, Pattern};
use crate::nat::{Maker, Nat, Var};
use crate::origin::{Access, Origin, Origins};
use crate::primitives::{Form, Layout};
use crate::strategy::{Strategy, Stuck, repeat};
use crate::types::Type;

/// Puts the levels of a nest into the order of the result's dimensions, where each of them is one: in whatever order a user
/// wrote the maps, it is the same nest.
pub fn in_order() -> Strategy {
    let swap = Strategy::new(|state, path| {
        let none = || Stuck::Because("the levels are in order".into());
        let e = state.at(path).ok_or_else(none)?;
        let dimensions = state.typed().and_then(|typed| dimensions(e, typed)).ok_or_else(none)?;
        let mut later = (1..dimensions.len()).filter(|inner| dimensions[inner - 1] > dimensions[*inner]);
        later.find_map(|inner| interchange(inner - 1).run(state, path).ok()).ok_or_else(none)
    });
    repeat(swap)
}

/// Which dimension of the result each level is, where each is one.
fn dimensions(e: &Expr, typed: &Typed) -> Option<Vec<usize>> {
    let (indices, of_levels) = elements(e, typed)?;
    of_levels.iter().map(|at| indices.iter().position(|index| *at == Nat::var(index))).collect()
}

/// An index for each dimension of the result, and which element of each level the result's element there is from.
fn elements(e: &Expr, typed: &Typed) -> Option<(Vec<Var>, Vec<Nat>)> {
    let dimensions = typed.ty(e.id)?.shape().0.len() as u32;
    let indices: Vec<Var> = (0..dimensions).map(|d| Var::made(Maker::Origin, "result", d)).collect();
    let of_levels = Elements { typed, bound: vec![] }.of(e, indices.iter().map(Nat::var).collect());
    Some((indices, of_levels))
}

/// The level whose elements are neighbours in the result.
pub fn beside(e: &Expr, typed: &Typed) -> Option<usize> {
    let (indices, of_levels) = elements(e, typed)?;
    let last = indices.last()?;
    of_levels.iter().position(|at| at.stride(last) == Nat::constant(1))
}

/// Which elements of the maps that make a result an element of it is from.
struct Elements<'a> {
    typed: &'a Typed,
    /// The parameters of functions that only move data: the array that each is an element of, and which.
    bound: Vec<(&'a Local, &'a Expr, Nat)>,
}

impl<'a> Elements<'a> {
    /// An index for each map, outermost first, as far as they are known.
    fn of(&mut self, e: &'a Expr, indices: Vec<Nat>) -> Vec<Nat> {
        match &*e.kind {
            Kind::Let(_, _, body) => self.of(body, indices),
            Kind::Local(local) => match self.bound.iter().rposition(|(bound, ..)| *bound == local) {
                Some(at) => {
                    let (_, xs, index) = self.bound.split_off(at).remove(0);
                    self.of(xs, [vec![index], indices].concat())
                }
                None => vec![],
            },
            Kind::Apply(..) => {
                let moved = self.of_map(e, &indices).or_else(|| self.of_layout(e, &indices));
                moved.or_else(|| self.of_bordered(e, &indices)).unwrap_or_default()
            }
            _ => vec![],
        }
    }

    /// Inside a border elements are counted from where it ends, which changes no stride.
    fn of_bordered(&mut self, e: &'a Expr, indices: &[Nat]) -> Option<Vec<Nat>> {
        let Kind::Apply(p, _) = &*e.kind else { return None };
        let inside = bordered(e).filter(|_| matches!(p.form, Form::Concat))?;
        Some(self.of(e.at(&inside)?, indices.to_vec()))
    }

    /// Through what only moves elements.
    fn of_layout(&mut self, e: &'a Expr, indices: &[Nat]) -> Option<Vec<Nat>> {
        let Kind::Apply(p, arguments) = &*e.kind else { return None };
        let Form::Layout(Layout { arity, read, .. }) = &p.form else { return None };
        let Some(Argument::Value(xs)) = arguments.last() else { return None };
        let (front, rest) = indices.split_at_checked(*arity)?;
        let bindings = self.typed.bindings.get(&e.id)?;
        Some(self.of(xs, [&read(bindings, front)[..], rest].concat()))
    }

    /// An element of a map, or of a map whose function only moves data.
    fn of_map(&mut self, e: &'a Expr, indices: &[Nat]) -> Option<Vec<Nat>> {
        let (f, xs) = e.as_map()?;
        let (index, rest) = indices.split_first()?;
        Some(match &f.params[..] {
            [Pattern::Local(local)] if !is_map(e) => {
                self.bound.push((local, xs, index.clone()));
                self.of(&f.body, rest.to_vec())
            }
            _ => [vec![index.clone()], self.of(&f.body, rest.to_vec())].concat(),
        })
    }
}

/// Where the arrays lie that a nest reads through the elements of its levels.
pub struct Reads {
    /// The index of each level, and how many elements it has.
    levels: Vec<(Var, Nat)>,
    /// For each read the addresses of what is read, and all else that its value depends on.
    places: Vec<Vec<Place>>,
    /// Are all variables of the innermost function scalars?
    pub scalars: bool,
}

/// A number that says where something is read.
#[derive(Clone)]
enum Place {
    /// Which scalar of a parameter it is.
    Address(Nat),
    /// Another index, as that in an array with padding around it.
    Index(Nat),
}

impl Reads {
    /// What is read through the elements of a nest's outermost levels; `None` if it is not known where that lies.
    pub fn of<'a>(e: &'a Expr, levels: usize, typed: &Typed, origins: &Origins<'a>) -> Option<Reads> {
        let maps: Vec<&Expr> = nest::levels(e).iter().take(levels).filter_map(|path| e.at(path)).collect();
        let functions = || maps.iter().filter_map(|map| map.as_map()).map(|(f, _)| f);
        let body = &functions().next_back()?.body;
        let locals: Vec<&Local> =
            functions().flat_map(|f| f.params.iter().flat_map(Pattern::locals)).collect();
        let level = |map: &&Expr| {
            let index = Origins::element(map.as_map()?.0.params.first()?)?;
            Some((index, typed.ty(map.id)?.as_array()?.1.clone()))
        };
        let levels = maps.iter().map(level).collect::<Option<Vec<_>>>()?;
        let (mut places, mut scalars) = (Some(vec![]), true);
        body.visit(&mut |e| {
            let Kind::Local(local) = &*e.kind else { return };
            scalars &= matches!(typed.ty(e.id), Some(Type::Scalar(_)));
            if locals.contains(&local) {
                let of_this = read_at(e, typed, origins);
                places = places.take().zip(of_this).map(|(places, more)| [places, more].concat());
            }
        });
        Some(Reads { levels, places: places?, scalars })
    }

    /// How many levels, up from the innermost, are rows of one row: wherever elements of them are read, the first of a row
    /// follows the last of the row before it.
    pub fn in_a_row(&self) -> usize {
        let follow = |pair: &&[(Var, Nat)]| {
            let [(outer, _), (inner, length)] = pair else { return false };
            let follows = |place: &Place| {
                let (Place::Address(at) | Place::Index(at)) = place;
                let (row, element) = (step(at, outer), step(at, inner));
                row == length * &element && !element.vars().iter().any(|v| v == outer || v == inner)
            };
            self.places.iter().flatten().all(follows)
        };
        self.levels.windows(2).rev().take_while(follow).count() + 1
    }

    /// For each read of a parameter the level, if there is one, whose elements are neighbours there.
    pub fn beside_somewhere(&self) -> Vec<usize> {
        let level_of =
            |at: &Nat| self.levels.iter().position(|(level, _)| step(at, level).as_constant() == Some(1));
        let levels = self.places.iter().flatten().filter_map(|place| match place {
            Place::Address(at) => level_of(at),
            Place::Index(_) => None,
        });
        levels.collect()
    }

    /// The innermost level whose elements are neighbours wherever they are read.
    pub fn beside(&self) -> Option<usize> {
        let is_beside = |(level, _): &(Var, Nat)| {
            let steps = || {
                self.places.iter().flatten().map(|place| match place {
                    Place::Address(at) => (step(at, level), 1),
                    Place::Index(at) => (step(at, level), 0),
                })
            };
            steps().all(|(by, most)| by.as_constant().is_some_and(|by| (0..=most).contains(&by)))
                && steps().any(|(by, _)| by.as_constant() == Some(1))
        };
        self.levels.iter().rposition(is_beside)
    }
}

/// By how much a number grows with an index.
pub fn step(at: &Nat, index: &Var) -> Nat {
    at.substitute(&|v| (v == index).then(|| Nat::var(v) + 1)) - at
}

/// Where what an expression holds is read.
fn read_at<'a>(e: &'a Expr, typed: &Typed, origins: &Origins<'a>) -> Option<Vec<Vec<Place>>> {
    let rank = typed.ty(e.id)?.shape().0.len() as u32;
    let path: Vec<Access> =
        (0..rank).map(|d| Access::Element(Nat::var(&Var::made(Maker::Origin, "read", d)))).collect();
    let places = |origin: &Origin| match origins.of_parameter(origin) {
        Some(address) => vec![Place::Address(address)],
        None => origin.path.iter().filter_map(Access::element).map(Place::Index).collect(),
    };
    Some(origins.of(e, &path)?.iter().map(places).collect())
}
