//! Makes the nest of maps from the low tree.

use super::nest::{Code, Map, Memory, Nest, Use, Write, of_group};
use crate::expr::{Local, Pattern};
use crate::hierarchy::Level;
use crate::hierarchy::Space;
use crate::low::{self, Fetched, Fold, Over, Overlap, Read, Reading, Run, Writing, holds_arrays};
use crate::nat::Nat;
use crate::types::Type;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

impl Nest {
    /// Reads the nest off a low tree.
    pub fn of(program: &low::Write) -> Nest {
        let mut reader =
            Reader { found: HashMap::new(), running: HashSet::new(), nest: Nest::default(), kernels: 0 };
        reader.top(program, &Overlap::default());
        reader.nest
    }
}

/// In which memory a value is found, of the kinds that only some work-items see.
#[derive(Clone, Copy, Default)]
struct Found {
    private: bool,
    local: bool,
    /// The number of the memory, if it is distributed over work-items.
    items: Option<usize>,
}

/// Where a value is computed.
#[derive(Clone, Default)]
struct Place {
    around: Vec<usize>,
    kernel: usize,
    step: bool,
    branch: bool,
    /// Is this directly the function of a map, so that a map here may be fused with it?
    direct: bool,
    /// The memory that is written here.
    into: Option<Space>,
    /// The dimensions whose elements share places in it.
    overlap: Overlap,
}

struct Reader {
    found: HashMap<Local, Found>,
    /// The running values of reductions.
    running: HashSet<Local>,
    nest: Nest,
    kernels: usize,
}

impl Found {
    const NOTHING: Found = Found { private: false, local: false, items: None };

    fn and(self, other: Found) -> Found {
        Found {
            private: self.private || other.private,
            local: self.local || other.local,
            items: self.items.or(other.items),
        }
    }

    fn of(space: Space, memory: usize) -> Found {
        Found {
            private: space == Space::Private,
            local: of_group(space),
            items: (space == Space::Items).then_some(memory),
        }
    }
}

impl Place {
    /// The same place, but not directly in the function of a map.
    fn apart(&self) -> Place {
        Place { direct: false, ..self.clone() }
    }

    /// The place inside a value that is written to other memory.
    fn into(&self, space: Option<Space>) -> Place {
        Place { into: space, direct: false, overlap: Overlap::default(), ..self.clone() }
    }
}

impl Reader {
    fn new_kernel(&mut self) -> Place {
        self.kernels += 1;
        Place { kernel: self.kernels - 1, ..Place::default() }
    }

    /// Outside all functions: each value that is written takes one kernel or several.
    fn top(&mut self, e: &low::Write, overlap: &Overlap) {
        match &e.kind {
            Writing::Let(pattern, value, body) => {
                let place = self.new_kernel();
                let found = self.read(value, &place);
                self.bind(pattern, found);
                self.top(body, overlap);
            }
            Writing::Tuple(parts) | Writing::Concat(parts) | Writing::Zip(parts) => {
                parts.iter().for_each(|p| self.top(p, overlap));
            }
            // Each part of what is moved is written right to its place.
            Writing::Moved(motion, value) => self.top(value, &motion.overlap(overlap)),
            Writing::Fold(fold) => match fold.over {
                // Every step is launched by itself.
                Over::Times(_) => {
                    let place = self.new_kernel();
                    let found = self.read(&fold.start.read, &place);
                    self.bind(&fold.running, found);
                    self.top(&fold.step, overlap);
                }
                Over::Elements { .. } | Over::Prefixes { .. } => self.root(e, overlap),
            },
            Writing::Copy | Writing::If(..) | Writing::Loop { .. } | Writing::Kept(..) => {
                self.root(e, overlap)
            }
        }
    }

    fn root(&mut self, e: &low::Write, overlap: &Overlap) {
        let place = Place { into: Some(Space::Global), overlap: overlap.clone(), ..self.new_kernel() };
        self.write(e, &place);
    }

    fn bind(&mut self, pattern: &Pattern, found: Found) {
        self.found.extend(pattern.locals().into_iter().map(|local| (local.clone(), found)));
    }

    /// Binds an operand of a function to its parameter; each array of a `zip` is bound by itself.
    fn operand(&mut self, pattern: &Pattern, e: &Rc<Read>, place: &Place) -> Found {
        match (pattern, &e.kind) {
            (Pattern::Typed(inner, _), _) => self.operand(inner, e, place),
            (Pattern::Tuple(patterns), Reading::Zip(arrays)) if patterns.len() == arrays.len() => {
                let arrays = patterns.iter().zip(arrays);
                arrays.fold(Found::NOTHING, |found, (p, array)| found.and(self.operand(p, array, place)))
            }
            _ => {
                let found = self.read(e, place);
                self.bind(pattern, found);
                found
            }
        }
    }

    fn all<'e>(&mut self, es: impl IntoIterator<Item = &'e Rc<Read>>, place: &Place) -> Found {
        es.into_iter().fold(Found::NOTHING, |found, e| found.and(self.read(e, place)))
    }

    /// A value that is written here, element after element.
    fn write(&mut self, e: &low::Write, place: &Place) -> Found {
        let apart = &place.apart();
        match &e.kind {
            Writing::Let(pattern, value, body) => {
                let found = self.read(value, apart);
                self.bind(pattern, found);
                self.write(body, apart)
            }
            // A value that is only passed on is copied, here as in `map`.
            Writing::Tuple(parts) => parts.iter().fold(Found::NOTHING, |found, part| {
                let written = self.write(part, apart);
                if moves(part.read.tail()) { found } else { found.and(written) }
            }),
            Writing::If(condition, then, otherwise) => {
                self.read(condition, apart);
                let branch = Place { branch: true, ..apart.clone() };
                self.write(then, &branch).and(self.write(otherwise, &branch))
            }
            Writing::Loop { run, element, over, body } => self.map(&e.read, *run, element, over, body, place),
            // The function only moves its value while it is written: there is no loop.
            Writing::Moved(motion, value) => {
                self.write(value, &Place { overlap: motion.overlap(&place.overlap), ..apart.clone() })
            }
            Writing::Concat(parts) | Writing::Zip(parts) => {
                parts.iter().fold(Found::NOTHING, |found, part| found.and(self.write(part, apart)))
            }
            // It is kept in the memory that is written here.
            Writing::Kept(memory, value) if memory.by_element => self.write(value, place),
            Writing::Kept(memory, value) => {
                let before = self.nest.maps.len();
                self.write(value, apart);
                match memory.space {
                    Space::Global => Found::NOTHING,
                    _ => self.memory(&e.read, memory, place, before),
                }
            }
            Writing::Fold(fold) => self.folded(e, fold, place),
            Writing::Copy => match &e.read.kind {
                Reading::Fold(fold) => self.folded(e, fold, place),
                _ => self.leaf(e, place),
            },
        }
    }

    fn folded(&mut self, e: &low::Write, fold: &Fold, place: &Place) -> Found {
        // A reduction in the step of another may start with the running value of that one: its
        // result stays in the same place.
        let goes_on =
            matches!(&fold.start.read.kind, Reading::Variable(local) if self.running.contains(local));
        let found = self.fold(fold, &place.apart());
        if !goes_on {
            self.end(e, place);
        }
        found
    }

    /// A value that is computed or copied element by element. A value that is only passed on, perhaps from a
    /// branch of an `if`, is copied to where the result goes, wherever it was before.
    fn leaf(&mut self, e: &low::Write, place: &Place) -> Found {
        let found = self.read(&e.read, &place.apart());
        self.end(e, place);
        if moves(&e.read) { Found::NOTHING } else { found }
    }

    fn end(&mut self, e: &low::Write, place: &Place) {
        if let Some(space) = place.into {
            let (around, kernel) = (place.around.clone(), place.kernel);
            self.nest.writes.push(Write { site: e.read.site, around, kernel, space });
        }
    }

    /// A loop.
    fn map(
        &mut self,
        e: &Read,
        run: Run,
        element: &Pattern,
        over: &Rc<Read>,
        body: &low::Write,
        place: &Place,
    ) -> Found {
        let apart = &place.apart();
        let given = Code::given(run);
        let operands = self.operand(element, over, apart);
        let free = self.free(&body.read);
        let number = self.nest.maps.len();
        self.nest.maps.push(Map {
            id: e.id,
            site: e.site,
            around: place.around.clone(),
            kernel: place.kernel,
            given,
            extent: e.ty.as_array().map(|(_, n)| n.clone()),
            perfect: place.direct && given.is_none() && readable(over),
            private: None,
            local: None,
            step: place.step,
            reread: false,
            overlaps: place.overlap.outermost(),
            items: operands.items,
        });
        let overlap = place.overlap.inner();
        let mut inner = Place { direct: given.is_none(), overlap, ..place.clone() };
        inner.around.push(number);
        let mut written = self.write(body, &inner);
        if moves(body.read.tail()) {
            // A value that is only passed on is copied to where the map's result goes.
            written = Found::NOTHING;
        }
        let read = operands.and(free);
        let map = &mut self.nest.maps[number];
        let uses = |reads: bool, writes: bool| match (reads, writes) {
            (true, _) => Some(Use::Reads),
            (_, true) => Some(Use::Writes),
            _ => None,
        };
        map.private = uses(read.private, written.private || place.into == Some(Space::Private));
        map.local = uses(read.local, written.local || place.into.is_some_and(of_group));
        written
    }

    /// `reduce`, `scan` and `iterate`: the running value is a work-item's own, unless it starts in local memory.
    fn fold(&mut self, fold: &Fold, place: &Place) -> Found {
        let arrays = holds_arrays(&fold.step.read.ty);
        let mut start = self.read(&fold.start.read, place);
        start.private |= !start.local && arrays;
        self.bind(&fold.running, start);
        match &fold.over {
            Over::Elements { element, of, .. } | Over::Prefixes { element, of } => {
                self.operand(element, of, place);
            }
            Over::Times(_) => {}
        }
        self.running.extend(fold.running.locals().into_iter().cloned());
        let into = arrays.then_some(if start.local { Space::Local } else { Space::Private });
        let inner = Place { step: true, into, overlap: Overlap::default(), ..place.clone() };
        match into {
            Some(_) => start.and(self.write(&fold.step, &inner)),
            None => {
                self.read(&fold.step.read, &inner);
                Found::NOTHING
            }
        }
    }

    /// A value whose elements are read where they are needed.
    fn read(&mut self, e: &Rc<Read>, place: &Place) -> Found {
        match &e.kind {
            Reading::Variable(local) => self.found.get(local).copied().unwrap_or_default(),
            Reading::Let(pattern, value, body) => {
                let found = self.read(value, place);
                self.bind(pattern, found);
                self.read(body, place)
            }
            Reading::If(condition, then, otherwise) => {
                self.read(condition, place);
                let branch = &Place { branch: true, ..place.clone() };
                self.read(then, branch).and(self.read(otherwise, branch))
            }
            Reading::Kept(memory, value)
                if memory.space == Space::Global && !memory.by_element && place.around.is_empty() =>
            {
                // A kernel of its own, and a buffer between kernels.
                self.top(value, &Overlap::default());
                let (site, space, around) = (e.site, Space::Global, vec![]);
                let (bytes, inside) = (bytes(&e.ty), vec![]);
                self.nest.memory.push(Memory {
                    site,
                    space,
                    around,
                    kernel: None,
                    bytes,
                    inside,
                    branch: false,
                });
                Found::NOTHING
            }
            Reading::Kept(memory, value) => {
                let before = self.nest.maps.len();
                self.write(value, &place.into(Some(memory.space)));
                self.memory(e, memory, place, before)
            }
            Reading::Map(map) => match kept_by_element(map) {
                // Each element is kept, and so is the whole array if this becomes a loop.
                Some(memory) => {
                    let before = self.nest.maps.len();
                    self.write(&low::Write::of(e), &place.into(Some(memory.space)));
                    self.memory(e, &memory, place, before)
                }
                // The program says that it is spread, even if its elements are computed where they are read.
                None if !map.run.in_order() => self.write(&low::Write::of(e), &place.into(None)),
                None => {
                    let operands = self.read(&map.over, place);
                    self.bind(&map.element, operands);
                    self.read(&map.body, place).and(operands)
                }
            },
            Reading::Fold(fold) => self.fold(fold, &place.into(None)),
            // There is one element at a time, not an array of them.
            Reading::Ahead(Fetched { function: Some((element, body)), of }) => {
                self.operand(element, of, place);
                self.read(&body.read, place)
            }
            Reading::Ahead(Fetched { function: None, of }) => self.read(of, place),
            Reading::Generate(_, body) => self.read(body, place),
            Reading::Literal(_)
            | Reading::Constants(_)
            | Reading::Size(_)
            | Reading::Test(_)
            | Reading::Op(..)
            | Reading::Cast(..) => {
                self.all(e.operands(), place);
                Found::NOTHING
            }
            Reading::Tuple(_)
            | Reading::Field(..)
            | Reading::Element(..)
            | Reading::Layout(..)
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
            | Reading::Peeled(_) => self.all(e.operands(), place),
        }
    }

    /// Memory that a value is kept in, written by the maps from a number on.
    fn memory(&mut self, e: &Read, memory: &low::Memory, place: &Place, from: usize) -> Found {
        let space = memory.space;
        let inside: Vec<usize> =
            (from..self.nest.maps.len()).filter(|m| self.nest.maps[*m].kernel == place.kernel).collect();
        for m in &inside {
            let map = &mut self.nest.maps[*m];
            match space {
                Space::Private => map.private = map.private.or(Some(Use::Writes)),
                Space::Local => map.local = map.local.or(Some(Use::Writes)),
                Space::Items => {
                    map.local = map.local.or(Some(Use::Writes));
                    map.items = Some(self.nest.memory.len());
                }
                Space::Global | Space::Constant => map.reread = true,
            }
        }
        self.nest.memory.push(Memory {
            site: e.site,
            space,
            around: place.around.clone(),
            kernel: Some(place.kernel),
            bytes: bytes(&e.ty.pitched(&memory.pitch)),
            inside,
            branch: place.branch,
        });
        // Local memory outside all groups is a mistake by itself.
        let group = |m: &usize| match self.nest.maps[*m].given {
            None => true,
            Some(code) => code.parallel().is_some_and(|(level, _)| level == Level::Group),
        };
        match space {
            Space::Local | Space::Items if !place.around.iter().any(group) => Found::NOTHING,
            _ => Found::of(space, self.nest.memory.len() - 1),
        }
    }

    /// In which memory the variables are that an expression reads from outside.
    fn free(&self, e: &Read) -> Found {
        let mut found = Found::NOTHING;
        e.visit(&mut |e| {
            if let Reading::Variable(local) = &e.kind
                && let Some(other) = self.found.get(local)
            {
                found = found.and(*other);
            }
        });
        found
    }
}

/// The memory that the elements of a map ask for, where nobody has placed the map yet.
fn kept_by_element(map: &low::Map) -> Option<low::Memory> {
    match &map.body.tail().kind {
        Reading::Kept(memory, _) if !memory.by_element => {
            Some(low::Memory { pitch: Nat::constant(0), by_element: true, ..memory.clone() })
        }
        _ => None,
    }
}

/// The size of a value in memory.
pub fn bytes(ty: &Type) -> Option<Nat> {
    Some(match ty {
        Type::Scalar(scalar) => Nat::from(scalar.bytes()),
        Type::Array(element, n) | Type::Vector(element, n) => bytes(element)? * n,
        Type::Tuple(parts) => {
            parts.iter().map(bytes).try_fold(Nat::constant(0), |sum, part| Some(sum + part?))?
        }
        Type::Index | Type::Hole(_) => return None,
    })
}

/// Can the elements be read anywhere, without computing something first?
fn readable(e: &Read) -> bool {
    let mut found = true;
    e.visit(&mut |e| {
        found &= match &e.kind {
            Reading::Let(..) | Reading::If(..) | Reading::Fold(_) | Reading::Kept(..) => false,
            Reading::Map(map) => map.run.in_order(),
            _ => true,
        };
    });
    found
}

/// Does the value only move data, and compute nothing?
fn moves(e: &Read) -> bool {
    let here = match &e.kind {
        Reading::Variable(_)
        | Reading::Let(..)
        | Reading::Tuple(_)
        | Reading::Field(..)
        | Reading::Element(..)
        | Reading::Layout(..)
        | Reading::Reorder(..)
        | Reading::Pad { .. }
        | Reading::Concat(_)
        | Reading::Zip(_)
        | Reading::Unzip(_)
        | Reading::Kept(..)
        | Reading::AsVector(..)
        | Reading::AsScalar(..) => true,
        Reading::Map(map) => map.run.in_order(),
        Reading::Literal(_)
        | Reading::Constants(_)
        | Reading::Size(_)
        | Reading::Test(_)
        | Reading::Op(..)
        | Reading::Cast(..)
        | Reading::If(..)
        | Reading::Generate(..)
        | Reading::Repeat(..)
        | Reading::Dot(..)
        | Reading::Fold(_)
        | Reading::Ahead(_)
        | Reading::Rotated(_)
        | Reading::Peeled(_) => false,
    };
    here && e.operands().into_iter().chain(e.function()).all(|part| moves(part))
}
