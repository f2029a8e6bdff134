//! Where maps run: the second decision of lowering.

use crate::hierarchy::{Parallel, Space};
use crate::low::{Fold, Map, Over, Read, Reading, Run, Write, is_computed, moves_each};
use std::rc::Rc;

/// Gives the maps that write results their place.
pub fn place(e: &Rc<Read>) -> Rc<Read> {
    match &e.kind {
        Reading::Let(pattern, value, body) => {
            e.with(Reading::Let(pattern.clone(), inner(value), place(body)))
        }
        Reading::Tuple(_) => e.map_operands(&mut place),
        _ => placed(e, nesting(e).min(3)),
    }
}

/// Places the maps inside a value that is read, where a part of it is kept in global memory. Maps in
/// functions stay in their work-item.
fn inner(e: &Rc<Read>) -> Rc<Read> {
    match &e.kind {
        Reading::Kept(memory, _) if memory.space == Space::Global && !memory.by_element => {
            e.map_operands(&mut place)
        }
        _ => e.map_operands(&mut inner),
    }
}

/// The number of directly nested maps that write.
fn nesting(e: &Read) -> usize {
    match &e.kind {
        Reading::Map(map) if map.run == Run::Open => {
            match moves_each(map).is_some() && is_computed(&map.over) {
                true => nesting(&map.over),
                false => 1 + nested(&map.body),
            }
        }
        Reading::Layout(indexed, value) if indexed.layout.write.is_some() => nesting(value),
        Reading::Unzip(value) => nesting(value),
        Reading::Repeat(times, value) if times.as_constant() == Some(1) => nesting(value),
        Reading::Let(_, value, body) if !computes(value) => nesting(body),
        _ => 0,
    }
}

/// As [`nesting`], inside a map. If its array must be computed first, it does not count: in parallel, each
/// work-item would compute that array anew.
fn nested(e: &Read) -> usize {
    match &e.kind {
        Reading::Map(map) if map.run == Run::Open && !computes(&map.over) => nesting(e),
        Reading::Layout(indexed, value) if indexed.layout.write.is_some() => nested(value),
        Reading::Unzip(value) => nested(value),
        // What is named is another view.
        Reading::Let(_, value, body) if !computes(value) => nested(body),
        _ => 0,
    }
}

/// Must something be computed before the elements can be read?
fn computes(e: &Read) -> bool {
    let here = match &e.kind {
        Reading::Kept(memory, _) => !memory.by_element,
        Reading::Fold(_) => true,
        _ => false,
    };
    here || e.operands().into_iter().any(|operand| computes(operand))
}

/// The first `depth` maps become global; whatever else writes stays in its work-item.
fn placed(e: &Rc<Read>, depth: usize) -> Rc<Read> {
    match &e.kind {
        Reading::Map(map) if map.run == Run::Open => {
            // The function only moves the value that is written: there is no loop.
            if moves_each(map).is_some() && is_computed(&map.over) {
                return e.map_operands(&mut |over| through(over, depth));
            }
            let body = if depth > 1 { placed(&map.body, depth - 1) } else { map.body.clone() };
            // The outermost of the placed maps gets the highest dimension, the innermost dimension 0.
            let run = match u8::try_from(depth) {
                Ok(depth @ 1..) => Run::As(Parallel::Global(depth - 1)),
                _ => Run::Open,
            };
            e.with(Reading::Map(Map { run, body, over: inner(&map.over), element: map.element.clone() }))
        }
        Reading::Layout(..) | Reading::Unzip(_) | Reading::AsScalar(..) | Reading::Repeat(..)
            if depth > 0 || is_computed(e) =>
        {
            e.map_operands(&mut |value| through(value, depth))
        }
        Reading::Let(pattern, value, body) if depth > 0 && !computes(value) => {
            e.with(Reading::Let(pattern.clone(), inner(value), placed(body, depth)))
        }
        Reading::Concat(_) | Reading::Zip(_) => e.map_operands(&mut place),
        // Outside all functions every step is a kernel of its own.
        Reading::Fold(fold) if matches!(fold.over, Over::Times(_)) => {
            let Fold { start, running, step, over } = &**fold;
            let Over::Times(times) = over else { return inner(e) };
            let (start, step) = (Write::of(&place(&start.read)), Write::of(&place(&step.read)));
            let over = Over::Times(times.clone());
            e.with(Reading::Fold(Rc::new(Fold { start, running: running.clone(), step, over })))
        }
        _ => inner(e),
    }
}

/// Places a value that is written through a primitive that moves it: its nested maps as counted, or kernels of its own.
fn through(e: &Rc<Read>, depth: usize) -> Rc<Read> {
    if depth > 0 { placed(e, depth) } else { place(e) }
}
