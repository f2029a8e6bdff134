//! The default lowering: any program, made ready for the code generator without looking for speed.
//!
//! Two decisions are taken, both written into the tree.
//!
//! * **What is kept.** Reading is lazy: an element of `map(f, xs)` is computed where it is read.
//!   That fuses everything and would compute some things many times over; an expensive array that
//!   is read more than once, and whatever can't be computed element by element, is kept in memory
//!   (global outside all functions, where a kernel of its own makes it; inside, private to the work-item if
//!   it is small, else global).
//! * **Where maps run** (`place`). Of the maps that write a kernel's result, up to three that are directly
//!   nested run on all work-items, the innermost in dimension 0, where neighbouring work-items touch
//!   neighbouring memory; the rest are loops in a work-item. Of more than three these are, where several
//!   work-items run together, the innermost ones, unless that leaves the device without work; else the outermost ones.

mod demand;
mod place;

use crate::expr::{Local, NodeId, Pattern};
use crate::hierarchy::Space;
use crate::low::{
    self, Fetched, Fold, Map, Memory, Over, Read, Reading, Run, Write, holds_arrays, is_computed, moves,
    moves_each,
};
use crate::nat::{Condition, Facts, Nat};
use crate::target::{Limits, Target};
use crate::types::Type;
use demand::Demand::{self, Many, Never, Once};
use std::cell::Cell;
use std::rc::Rc;

/// Lowers a program for a device.
pub fn lower(program: &Write, facts: &Facts, target: &Target) -> Rc<Write> {
    let mut most = 0;
    program.read.visit(&mut |e| most = most.max(e.id.0));
    let limits = target.limits;
    let lowering = Lowering { facts, limits, demands: demand::Found::default(), last: Cell::new(most) };
    let kept = lowering.write(&program.read, true);
    Write::of(&place::place(&kept, facts, target))
}

/// Is a value small enough for so many bytes?
pub fn fits(ty: &Type, facts: &Facts, bytes: i64) -> bool {
    facts.certain(&Condition::le(ty.scalars(), Nat::constant(bytes / 4)))
}

struct Lowering<'a> {
    /// Facts about the program's sizes.
    facts: &'a Facts,
    /// What the device has room for.
    limits: Limits,
    /// How often variables are read: answers found before.
    demands: demand::Found,
    /// The largest number of a node.
    last: Cell<u32>,
}

impl Lowering<'_> {
    /// A node of its own.
    fn node(&self, of: &Read, ty: &Type, kind: Reading) -> Rc<Read> {
        self.last.set(self.last.get() + 1);
        Rc::new(Read { id: NodeId(self.last.get()), site: of.site, ty: ty.clone(), kind })
    }

    /// A value that is written to memory, element after element. `top`: outside all functions.
    fn write(&self, e: &Rc<Read>, top: bool) -> Rc<Read> {
        if !holds_arrays(&e.ty) {
            // One work-item computes it, in a kernel that is there anyway.
            return self.read(e, Once, top && matches!(e.kind, Reading::Let(..)));
        }
        let each = || e.map_operands(&mut |operand| self.write(operand, top));
        match &e.kind {
            // A value that is bound and then only moved is written to where it is moved.
            Reading::Let(Pattern::Local(local), value, body) if moves(body, local) && is_computed(value) => {
                self.write(&put(body, local, value), top)
            }
            Reading::Let(pattern, value, body) => {
                let value = self.bound(pattern, value, body, top);
                e.with(Reading::Let(pattern.clone(), value, self.write(body, top)))
            }
            // Outside all functions, choosing element by element keeps every work-item busy.
            Reading::If(..) if top => self.copy(e, top),
            Reading::Kept(memory, value) if memory.by_element => match &value.read.kind {
                Reading::Map(map) if !map.run.in_order() => self.placed(e, top),
                _ => e.with(Reading::Kept(memory.clone(), Write::of(&self.write(&value.read, top)))),
            },
            Reading::Map(map) if !map.run.in_order() => self.placed(e, top),
            Reading::Map(map) => match moves_each(map) {
                Some(_) if is_computed(&map.over) => each(),
                // Nothing is computed: the elements are copied one by one.
                Some(_) => self.copy(e, top),
                None => {
                    let over = self.read(&map.over, self.of_elements(&[&map.element], &map.body, Once), top);
                    let body = self.write(&map.body, false);
                    e.with(Reading::Map(Map { body, over, ..map.clone() }))
                }
            },
            Reading::Fold(fold) => self.fold(e, fold, top),
            Reading::Tuple(_)
            | Reading::If(..)
            | Reading::Concat(_)
            | Reading::Zip(_)
            | Reading::Kept(..) => each(),
            Reading::Element(..)
            | Reading::Layout(..)
            | Reading::Unzip(_)
            | Reading::Repeat(..)
            | Reading::AsScalar(..)
                if is_computed(e) =>
            {
                each()
            }
            Reading::Element(..)
            | Reading::Layout(..)
            | Reading::Unzip(_)
            | Reading::Repeat(..)
            | Reading::AsScalar(..)
            | Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Op(..)
            | Reading::Cast(..)
            | Reading::Field(..)
            | Reading::Reorder(..)
            | Reading::Pad { .. }
            | Reading::Generate(..)
            | Reading::AsVector(..)
            | Reading::Dot(..)
            | Reading::Ahead(_)
            | Reading::Rotated(_)
            | Reading::Peeled(_) => self.copy(e, top),
        }
    }

    /// A value whose maps are placed by hand: they are left as they are. Outside all functions, parts that it
    /// reads from global memory are lowered like any other value that is written.
    fn placed(&self, e: &Rc<Read>, top: bool) -> Rc<Read> {
        match &e.kind {
            _ if !top => e.clone(),
            Reading::Kept(memory, value) if memory.space == Space::Global && !memory.by_element => {
                e.with(Reading::Kept(memory.clone(), Write::of(&self.write(&value.read, true))))
            }
            _ => e.map_operands(&mut |operand| self.placed(operand, top)),
        }
    }

    /// Makes a value that is only read one that is written: `map(|x| x, …)` in all its dimensions.
    fn copy(&self, e: &Rc<Read>, top: bool) -> Rc<Read> {
        self.identity(&e.ty, self.read(e, Once, top))
    }

    /// `map(|x| x, value)`, nested as deeply as the type has dimensions: loops that can be placed.
    fn identity(&self, ty: &Type, value: Rc<Read>) -> Rc<Read> {
        let Type::Array(element, _) = ty else { return value };
        // Variables count from 1, and nothing else is in sight here.
        let local = Local { name: "x".into(), index: 0 };
        let x = self.node(&value, element, Reading::Variable(local.clone()));
        let (body, element) = (self.identity(element, x), Pattern::Local(local));
        let map = Map { run: Run::Open, element, body, over: value.clone() };
        self.node(&value, ty, Reading::Map(map))
    }

    /// `reduce`, `scan`, `iterate`: the running value is written, the array is read once. An `iterate` that is
    /// launches has a step that stands outside all functions, as it does itself.
    fn fold(&self, e: &Rc<Read>, fold: &Fold, top: bool) -> Rc<Read> {
        let launched = top && matches!(fold.over, Over::Times(_)) && holds_arrays(&e.ty);
        let start = match (&fold.over, &fold.start.read.kind) {
            // The first step reads it where it is.
            (Over::Times(_), Reading::Variable(_)) => fold.start.clone(),
            _ => Write::of(&self.write(&fold.start.read, top)),
        };
        let array = |of: &Rc<Read>, element: &Pattern| {
            self.read(of, self.of_elements(&[&fold.running, element], &fold.step.read, Once), top)
        };
        let over = match &fold.over {
            Over::Elements { run, element, of } => {
                Over::Elements { run: *run, element: element.clone(), of: array(of, element) }
            }
            Over::Prefixes { element, of } => {
                Over::Prefixes { element: element.clone(), of: array(of, element) }
            }
            Over::Times(times) => Over::Times(times.clone()),
        };
        let step = Write::of(&self.write(&fold.step.read, launched));
        e.with(Reading::Fold(Rc::new(Fold { start, running: fold.running.clone(), step, over })))
    }

    /// Lowers a value bound by `let`, given how often the rest reads it.
    fn bound(&self, pattern: &Pattern, value: &Rc<Read>, rest: &Read, top: bool) -> Rc<Read> {
        if !holds_arrays(&value.ty) {
            // A scalar is computed where it is bound; outside all functions that takes a kernel.
            let lowered = self.read(value, Once, false);
            return if top && demand::folds(value) { self.keep(&lowered, value, top) } else { lowered };
        }
        // Each part of a tuple that is not made part by part takes all the work.
        let parts = pattern.locals().into_iter().map(|l| self.demand(rest, l, Once));
        let demand = match &value.kind {
            Reading::Tuple(_) => parts.max().unwrap_or(Never),
            _ => parts.fold(Never, Demand::and),
        };
        self.read(value, demand, top)
    }

    /// Lowers a value that is read, each element as often as `demand` says.
    fn read(&self, e: &Rc<Read>, demand: Demand, top: bool) -> Rc<Read> {
        let each = |demand: Demand| e.map_operands(&mut |operand| self.read(operand, demand, top));
        match &e.kind {
            Reading::Let(pattern, value, body) => {
                let value = self.bound(pattern, value, body, top);
                e.with(Reading::Let(pattern.clone(), value, self.read(body, demand, top)))
            }
            Reading::Kept(memory, value) if memory.by_element => match &value.read.kind {
                Reading::Map(map) if map.run.in_order() => {
                    let map = self.read(&value.read, demand, top);
                    match &map.kind {
                        Reading::Map(_) => e.with(Reading::Kept(memory.clone(), Write::of(&map))),
                        _ => map,
                    }
                }
                _ if top => self.keep(&self.placed(e, top), e, top),
                _ => e.clone(),
            },
            Reading::Map(map) if !map.run.in_order() => match top {
                true => self.keep(&self.placed(e, top), e, top),
                false => e.clone(),
            },
            Reading::Kept(..) => e.map_operands(&mut |value| self.write(value, top)),
            // Its elements are kept as they come.
            Reading::Ahead(Fetched { function, of }) => {
                let fetched = match function {
                    Some((element, body)) => Fetched {
                        function: Some((element.clone(), Write::of(&self.read(&body.read, Once, false)))),
                        of: self.read(of, self.of_elements(&[element], &body.read, Once), top),
                    },
                    None => Fetched { function: None, of: self.read(of, Once, top) },
                };
                e.with(Reading::Ahead(fetched))
            }
            Reading::Map(map) => {
                // Kept only where it would be computed anew at several reads, and that costs more than a load.
                if demand == Many && demand::is_expensive(&map.body) {
                    return self.keep(&self.write(e, top), e, top);
                }
                let body = self.read(&map.body, demand, false);
                let over = self.read(&map.over, self.of_elements(&[&map.element], &map.body, demand), top);
                e.with(Reading::Map(Map { body, over, ..map.clone() }))
            }
            Reading::Generate(var, body) => match demand == Many && demand::folds(e) {
                true => self.keep(&self.copy(e, top), e, top),
                false => e.with(Reading::Generate(var.clone(), self.read(body, Once, false))),
            },
            Reading::Fold(fold) => {
                let lowered = self.fold(e, fold, top);
                let scalars = !holds_arrays(&e.ty) && !matches!(fold.over, Over::Prefixes { .. });
                if !top && scalars { lowered } else { self.keep(&lowered, e, top) }
            }
            Reading::Dot(..) if top && demand::loops(e) => self.keep(&each(Once), e, top),
            Reading::Layout(indexed, _) | Reading::Element(indexed, _) => {
                each(if self.moves_once(indexed) { demand } else { Many })
            }
            Reading::Repeat(times, _) if times.as_constant() != Some(1) => each(Many),
            Reading::Variable(_)
            | Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Op(..)
            | Reading::Cast(..)
            | Reading::Tuple(_)
            | Reading::Field(..)
            | Reading::If(..)
            | Reading::Reorder(..)
            | Reading::Pad { .. }
            | Reading::Concat(_)
            | Reading::Zip(_)
            | Reading::Unzip(_)
            | Reading::Repeat(..)
            | Reading::AsVector(..)
            | Reading::AsScalar(..)
            | Reading::Dot(..)
            | Reading::Rotated(_)
            | Reading::Peeled(_) => each(demand),
        }
    }

    /// Is no element of the operand in the result more than once?
    fn moves_once(&self, indexed: &low::Indexed) -> bool {
        indexed.layout.once.is_none_or(|once| self.facts.certain(&once(&indexed.bindings)))
    }

    /// Keeps `lowered`, the lowered form of `e`, in memory.
    fn keep(&self, lowered: &Rc<Read>, e: &Read, top: bool) -> Rc<Read> {
        let space =
            if top || !fits(&e.ty, self.facts, self.limits.private) { Space::Global } else { Space::Private };
        let memory = Memory { space, pitch: Nat::constant(0), by_element: false, asked: false };
        self.node(e, &e.ty, Reading::Kept(memory, Write::of(lowered)))
    }
}

/// Replaces a variable by its value.
fn put(e: &Rc<Read>, local: &Local, value: &Rc<Read>) -> Rc<Read> {
    match &e.kind {
        Reading::Variable(l) if l == local => value.clone(),
        _ => e.map_operands(&mut |operand| put(operand, local, value)),
    }
}
