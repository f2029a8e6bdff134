//! How values are written: as loops, as copies, or computed right into the place that they are moved to.

use super::{Fetched, Indexed, Map, Motion, Over, Read, Reading, Run, Write, Writing, is_register};
use crate::expr::{Local, Pattern};
use crate::types::Type;
use std::rc::Rc;

impl Write {
    /// Decides how a value is written, from its form alone.
    pub fn of(read: &Rc<Read>) -> Rc<Write> {
        let kind = match moved(read) {
            Some((motion, value)) => Writing::Moved(motion, Write::of(value)),
            None => written(read),
        };
        Rc::new(Write { read: read.clone(), kind })
    }
}

/// How a value is written if nothing moves it.
fn written(read: &Rc<Read>) -> Writing {
    let all = |parts: &[Rc<Read>]| parts.iter().map(Write::of).collect();
    match &read.kind {
        Reading::Let(pattern, value, body) => Writing::Let(pattern.clone(), value.clone(), Write::of(body)),
        Reading::Tuple(parts) => Writing::Tuple(all(parts)),
        Reading::If(condition, then, otherwise) => {
            Writing::If(condition.clone(), Write::of(then), Write::of(otherwise))
        }
        Reading::Map(Map { run, element, body, over }) => {
            let (element, over, body) = (element.clone(), over.clone(), Write::of(body));
            Writing::Loop { run: *run, element, over, body }
        }
        Reading::Concat(parts) => Writing::Concat(all(parts)),
        Reading::Zip(parts) => Writing::Zip(all(parts)),
        Reading::Fold(fold) if matches!(fold.over, Over::Prefixes { .. }) || !is_register(&read.ty) => {
            Writing::Fold(fold.clone())
        }
        Reading::Kept(memory, value) => Writing::Kept(memory.clone(), value.clone()),
        Reading::Fold(_)
        | Reading::Variable(_)
        | Reading::Literal(_)
        | Reading::Constants(_)
        | Reading::Size(_)
        | Reading::Test(_)
        | Reading::Op(..)
        | Reading::Cast(..)
        | Reading::Field(..)
        | Reading::Element(..)
        | Reading::Layout(..)
        | Reading::Reorder(..)
        | Reading::Pad { .. }
        | Reading::Unzip(_)
        | Reading::Generate(..)
        | Reading::Repeat(..)
        | Reading::AsVector(..)
        | Reading::AsScalar(..)
        | Reading::Dot(..)
        | Reading::Ahead(_)
        | Reading::Rotated(_)
        | Reading::Peeled(_) => Writing::Copy,
    }
}

/// The operand of a primitive that only moves data, if the operand is computed: it is
/// written right where it is moved to.
fn moved(read: &Read) -> Option<(Motion, &Rc<Read>)> {
    let (motion, value) = match &read.kind {
        Reading::Layout(indexed, value) if writes_through(indexed, value) => {
            (Motion::Layout(indexed.clone()), value)
        }
        Reading::Unzip(value) => (unzipped(&read.ty)?, value),
        Reading::AsScalar(width, value) if is_loop_over_vectors(value) => {
            return Some((Motion::AsScalar(width.clone()), value));
        }
        Reading::AsScalar(width, value) => (Motion::AsScalar(width.clone()), value),
        Reading::Repeat(times, value) if times.as_constant() == Some(1) => (Motion::Single, value),
        Reading::Map(map) => (moves_each(map)?, &map.over),
        _ => return None,
    };
    is_computed(value).then_some((motion, value))
}

/// Are these vectors that a map makes, even if it does nothing to them? Then they are written one by one.
fn is_loop_over_vectors(read: &Read) -> bool {
    let vectors = matches!(read.ty.as_array(), Some((Type::Vector(..), _)));
    vectors && matches!(read.kind, Reading::Map(_))
}

fn unzipped(ty: &Type) -> Option<Motion> {
    match ty {
        Type::Tuple(parts) => Some(Motion::Unzip(parts.len())),
        _ => None,
    }
}

/// Can the operand of a layout be written where the result goes? If the layout leaves elements out, that pays
/// only where the operand is placed: elsewhere elements that are left out are never computed.
pub fn writes_through(indexed: &Indexed, operand: &Read) -> bool {
    indexed.layout.write.is_some() && (indexed.layout.keeps.is_none() || is_placed(operand))
}

/// Does it contain maps that are placed on work-items?
fn is_placed(read: &Read) -> bool {
    let mut found = false;
    read.visit(&mut |read| {
        found |= matches!(&read.kind, Reading::Map(map) if !map.run.in_order());
    });
    found
}

/// Is this computed into a destination, rather than found or computed where it is read?
pub fn is_computed(read: &Read) -> bool {
    match &read.kind {
        // What is bound and then only moved is written to where it is moved.
        Reading::Let(Pattern::Local(local), value, body) if moves(body, local) => is_computed(value),
        Reading::Let(_, _, body) => is_computed(body),
        Reading::Tuple(_) | Reading::If(..) | Reading::Concat(_) | Reading::Fold(_) => true,
        // A map that only moves data is a view, unless the program says that it is a loop.
        Reading::Map(map) => map.run != Run::Open || moves_each(map).is_none() || is_computed(&map.over),
        Reading::Kept(_, value) => is_computed(&value.read),
        Reading::Repeat(times, value) => times.as_constant() == Some(1) && is_computed(value),
        Reading::Layout(indexed, value) => writes_through(indexed, value) && is_computed(value),
        Reading::Unzip(value) => is_computed(value),
        Reading::AsScalar(_, value) => is_computed(value) || is_loop_over_vectors(value),
        Reading::Variable(_)
        | Reading::Literal(_)
        | Reading::Constants(_)
        | Reading::Size(_)
        | Reading::Test(_)
        | Reading::Op(..)
        | Reading::Cast(..)
        | Reading::Field(..)
        | Reading::Element(..)
        | Reading::Reorder(..)
        | Reading::Pad { .. }
        | Reading::Zip(_)
        | Reading::Generate(..)
        | Reading::AsVector(..)
        | Reading::Dot(..)
        | Reading::Ahead(Fetched { .. })
        | Reading::Rotated(_)
        | Reading::Peeled(_) => false,
    }
}

/// The motion of a map whose function does nothing but move: to write its result is to write its operand, each
/// element where the function would move it.
pub fn moves_each(map: &Map) -> Option<Motion> {
    match &map.element {
        Pattern::Local(element) if map.run.in_order() => {
            let mut motions = vec![];
            chain(&map.body, element, &mut motions)?;
            Some(Motion::Each(motions.into()))
        }
        _ => None,
    }
}

/// Is this the variable, moved only by primitives that can be written through?
pub fn moves(read: &Read, from: &Local) -> bool {
    chain(read, from, &mut vec![]).is_some()
}

/// The motions between a variable and where it is moved to, the last first.
fn chain(read: &Read, from: &Local, motions: &mut Vec<Motion>) -> Option<()> {
    let (motion, value) = match &read.kind {
        Reading::Variable(local) => return (local == from).then_some(()),
        Reading::Layout(indexed, value) if indexed.layout.write.is_some() => {
            (Motion::Layout(indexed.clone()), value)
        }
        Reading::Unzip(value) => (unzipped(&read.ty)?, value),
        Reading::AsScalar(width, value) => (Motion::AsScalar(width.clone()), value),
        Reading::AsVector(width, value) => (Motion::AsVector(width.clone()), value),
        Reading::Map(map) => (moves_each(map)?, &map.over),
        // Names between are as good as none.
        Reading::Let(Pattern::Local(local), value, body) => {
            chain(body, local, motions)?;
            return chain(value, from, motions);
        }
        _ => return None,
    };
    motions.push(motion);
    chain(value, from, motions)
}
