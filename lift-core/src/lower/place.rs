//! Where maps run: the second decision of lowering.

use crate::hierarchy::{Parallel, Space};
use crate::low::{Fold, Map, Over, Overlap, Read, Reading, Run, Write, is_computed, moves_each};
use crate::nat::{Facts, Nat};
use crate::target::Target;
use std::rc::Rc;

/// How many dimensions work-items have.
const DIMENSIONS: usize = 3;
/// So many rounds of work-items keep all units of a device busy to the end, nearly.
const ROUNDS: f64 = 8.0;
/// So many work-items for each core keep all of them busy with copies.
const COPIES: i64 = 4;

/// Of nested maps, those that are placed: first some that are left as loops, and then so many.
#[derive(Clone, Copy)]
struct Chosen {
    left: usize,
    placed: usize,
}

/// Gives the maps that write results their place.
pub fn place(e: &Rc<Read>, facts: &Facts, target: &Target) -> Rc<Read> {
    let hierarchy = &target.hierarchy;
    let enough = hierarchy.units as f64 * target.costs.busy * ROUNDS;
    let units = hierarchy.units as i64;
    Placing { facts, together: hierarchy.together as i64, enough: enough as i64, units }.place(e)
}

struct Placing<'a> {
    /// What is known of sizes.
    facts: &'a Facts,
    /// How many work-items run together: they read neighbours in memory at once.
    together: i64,
    /// With as many work-items as this, more would not make the device busier.
    enough: i64,
    /// Cores.
    units: i64,
}

impl Placing<'_> {
    fn place(&self, e: &Rc<Read>) -> Rc<Read> {
        match &e.kind {
            Reading::Let(pattern, value, body) => {
                e.with(Reading::Let(pattern.clone(), self.inner(value), self.place(body)))
            }
            Reading::Tuple(_) => e.map_operands(&mut |operand| self.place(operand)),
            _ => self.placed(e, self.chosen(&nest(e, &Overlap::default()), only_moves(e))),
        }
    }

    /// Those of nested maps, with these lengths, that run on all work-items: where work-items run together the innermost
    /// ones, which have neighbours in memory, unless others give work to many more; else the outermost.
    fn chosen(&self, lengths: &[&Nat], only_moves: bool) -> Chosen {
        let most = lengths.len().saturating_sub(DIMENSIONS);
        let length = |n: &&Nat| self.facts.bounds(n).1.unwrap_or(self.enough).max(1);
        let worth = |left: usize| {
            let items = lengths[left..].iter().take(DIMENSIONS).map(length).fold(1, i64::saturating_mul);
            let beside = if left == most { lengths.last().map_or(1, length) } else { 1 };
            (items.min(self.enough) * beside.min(self.together), most - left)
        };
        let left = (0..=most).max_by_key(|left| worth(*left)).unwrap_or(0);
        let placed = lengths.len().min(DIMENSIONS);
        // A core copies whole arrays faster than their elements one by one.
        let items = |count: &usize| lengths[..*count].iter().map(length).fold(1, i64::saturating_mul);
        let few = (1..placed).find(|count| items(count) >= self.units * COPIES);
        match few.filter(|_| only_moves && self.together == 1) {
            Some(few) => Chosen { left: 0, placed: few },
            None => Chosen { left, placed },
        }
    }

    /// Places the maps inside a value that is read, where a part of it is kept in global memory. Maps in
    /// functions stay in their work-item.
    fn inner(&self, e: &Rc<Read>) -> Rc<Read> {
        match &e.kind {
            Reading::Kept(memory, _) if memory.space == Space::Global && !memory.by_element => {
                e.map_operands(&mut |operand| self.place(operand))
            }
            _ => e.map_operands(&mut |operand| self.inner(operand)),
        }
    }

    /// The chosen maps become global; whatever else writes stays in its work-item.
    fn placed(&self, e: &Rc<Read>, chosen: Chosen) -> Rc<Read> {
        let Chosen { left, placed: depth } = chosen;
        match &e.kind {
            Reading::Map(map) if map.run == Run::Open => {
                // The function only moves the value that is written: there is no loop.
                if moves_each(map).is_some() && is_computed(&map.over) {
                    return e.map_operands(&mut |over| self.through(over, chosen));
                }
                let further = match left {
                    0 => Chosen { left, placed: depth.saturating_sub(1) },
                    left => Chosen { left: left - 1, placed: depth },
                };
                let body =
                    if further.placed > 0 { self.placed(&map.body, further) } else { map.body.clone() };
                // The outermost of the placed maps gets the highest dimension, the innermost dimension 0.
                let run = match u8::try_from(depth) {
                    Ok(depth @ 1..) if left == 0 => Run::As(Parallel::Global(depth - 1)),
                    _ => Run::Open,
                };
                let over = self.inner(&map.over);
                e.with(Reading::Map(Map { run, body, over, element: map.element.clone() }))
            }
            // One work-item writes rows that share elements.
            Reading::Layout(indexed, _) if indexed.layout.overlaps && depth == 0 => self.inner(e),
            Reading::Layout(..) | Reading::Unzip(_) | Reading::AsScalar(..) | Reading::Repeat(..)
                if depth > 0 || is_computed(e) =>
            {
                e.map_operands(&mut |value| self.through(value, chosen))
            }
            Reading::Let(pattern, value, body) if depth > 0 && !computes(value) => {
                e.with(Reading::Let(pattern.clone(), self.inner(value), self.placed(body, chosen)))
            }
            Reading::Concat(_) | Reading::Zip(_) => e.map_operands(&mut |operand| self.place(operand)),
            // Outside all functions every step is a kernel of its own.
            Reading::Fold(fold) if matches!(fold.over, Over::Times(_)) => {
                let Fold { start, running, step, over } = &**fold;
                let Over::Times(times) = over else { return self.inner(e) };
                let [start, step] = [start, step].map(|part| Write::of(&self.place(&part.read)));
                let over = Over::Times(times.clone());
                e.with(Reading::Fold(Rc::new(Fold { start, running: running.clone(), step, over })))
            }
            _ => self.inner(e),
        }
    }

    /// Places a value that is written through a primitive that moves it: its nested maps as chosen, or kernels of its own.
    fn through(&self, e: &Rc<Read>, chosen: Chosen) -> Rc<Read> {
        if chosen.placed > 0 { self.placed(e, chosen) } else { self.place(e) }
    }
}

/// The lengths of directly nested maps that write, as far as different elements go to different places.
fn nest<'e>(e: &'e Read, overlap: &Overlap) -> Vec<&'e Nat> {
    match &e.kind {
        Reading::Map(map) if map.run == Run::Open => match moves_each(map).filter(|_| is_computed(&map.over))
        {
            Some(motion) => nest(&map.over, &motion.overlap(overlap)),
            None if overlap.outermost() => vec![],
            None => {
                let length = map.over.ty.as_array().map(|(_, n)| n);
                length.into_iter().chain(nested(&map.body, &overlap.inner())).collect()
            }
        },
        Reading::Layout(indexed, value) if indexed.layout.write.is_some() => {
            nest(value, &indexed.overlap(overlap))
        }
        Reading::Unzip(value) => nest(value, overlap),
        Reading::Repeat(times, value) if times.as_constant() == Some(1) => nest(value, &overlap.inner()),
        Reading::Let(_, value, body) if !computes(value) => nest(body, overlap),
        _ => vec![],
    }
}

/// As [`nest`], inside a map. If its array must be computed first, it does not count: in parallel, each
/// work-item would compute that array anew.
fn nested<'e>(e: &'e Read, overlap: &Overlap) -> Vec<&'e Nat> {
    match &e.kind {
        Reading::Map(map) if map.run == Run::Open && !computes(&map.over) => nest(e, overlap),
        Reading::Layout(indexed, value) if indexed.layout.write.is_some() => {
            nested(value, &indexed.overlap(overlap))
        }
        Reading::Unzip(value) => nested(value, overlap),
        // What is named is another view.
        Reading::Let(_, value, body) if !computes(value) => nested(body, overlap),
        _ => vec![],
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

/// Is nothing computed in it? Padding is: each element asks whether it lies inside.
fn only_moves(e: &Read) -> bool {
    let mut moves = true;
    e.visit(&mut |part| {
        moves &= match &part.kind {
            Reading::Op(..)
            | Reading::Cast(..)
            | Reading::Test(_)
            | Reading::Dot(..)
            | Reading::Fold(_)
            | Reading::If(..)
            | Reading::Generate(..)
            | Reading::Kept(..)
            | Reading::Pad { .. } => false,
            Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Tuple(_)
            | Reading::Field(..)
            | Reading::Let(..)
            | Reading::Layout(..)
            | Reading::Element(..)
            | Reading::Reorder(..)
            | Reading::Concat(_)
            | Reading::Zip(_)
            | Reading::Unzip(_)
            | Reading::Map(_)
            | Reading::Repeat(..)
            | Reading::AsVector(..)
            | Reading::AsScalar(..)
            | Reading::Ahead(_)
            | Reading::Rotated(_)
            | Reading::Peeled(_) => true,
        };
    });
    moves
}
