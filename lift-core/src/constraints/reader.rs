//! From an expression to its nest of maps. What is written and what is read follows the code
//! generator: see `generate::write` and `generate::view`.

use super::nest::{Code, Map, Memory, Nest, Use, Write, of_group};
use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, Pattern};
use crate::kernel::Space;
use crate::lower::{moved, writes};
use crate::nat::Nat;
use crate::primitives::{Form, Layout, Level, Primitive};
use crate::types::Type;
use std::collections::{HashMap, HashSet};

impl Nest {
    /// Of a function without calls. Without types nothing is known of lengths.
    pub fn of(function: &Function, typed: Option<&Typed>) -> Nest {
        let mut reader = Reader {
            typed,
            found: HashMap::new(),
            running: HashSet::new(),
            nest: Nest::default(),
            kernels: 0,
        };
        reader.top(&function.body);
        reader.nest
    }
}

/// The memory that only some work-items see in which a value is found.
#[derive(Clone, Copy, Default)]
struct Found {
    private: bool,
    local: bool,
    /// The memory, by its number, that is shared out.
    items: Option<usize>,
}

/// Where an expression stands.
#[derive(Clone, Default)]
struct Place {
    around: Vec<usize>,
    kernel: usize,
    step: bool,
    branch: bool,
    /// Directly in the function of a map that may be fused with this.
    direct: bool,
    /// The memory that is written here.
    into: Option<Space>,
}

struct Reader<'a> {
    typed: Option<&'a Typed>,
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
    /// The same place, but for what is directly around it.
    fn apart(&self) -> Place {
        Place { direct: false, ..self.clone() }
    }
}

impl Reader<'_> {
    fn new_kernel(&mut self) -> Place {
        self.kernels += 1;
        Place { kernel: self.kernels - 1, ..Place::default() }
    }

    /// Outside all functions: what is written takes a kernel, or several.
    fn top(&mut self, e: &Expr) {
        match &*e.kind {
            Kind::Let(pattern, value, body) => {
                let place = self.new_kernel();
                let found = self.read(value, &place);
                self.bind(pattern, found);
                self.top(body);
            }
            Kind::Tuple(parts) => parts.iter().for_each(|p| self.top(p)),
            Kind::Apply(p, arguments) => match (&p.form, function(arguments)) {
                (Form::Concat | Form::Zip, _) => {
                    arguments.iter().filter_map(Argument::expr).for_each(|v| self.top(v))
                }
                // Every step is launched by itself.
                (Form::Iterate, Some(lambda)) => {
                    let place = self.new_kernel();
                    let found = self.all(values(arguments), &place);
                    lambda.params.iter().for_each(|p| self.bind(p, found));
                    self.top(&lambda.body);
                }
                _ => self.root(e),
            },
            _ => self.root(e),
        }
    }

    fn root(&mut self, e: &Expr) {
        let place = Place { into: Some(Space::Global), ..self.new_kernel() };
        self.write(e, &place);
    }

    fn bind(&mut self, pattern: &Pattern, found: Found) {
        self.found.extend(pattern.locals().into_iter().map(|local| (local.clone(), found)));
    }

    /// An operand of a function, bound to its parameter: each array of a `zip` for itself.
    fn operand(&mut self, pattern: Option<&Pattern>, e: &Expr, place: &Place) -> Found {
        match (pattern, &*e.kind) {
            (Some(Pattern::Typed(inner, _)), _) => self.operand(Some(inner), e, place),
            (Some(Pattern::Tuple(patterns)), Kind::Apply(p, arguments))
                if matches!(p.form, Form::Zip) && patterns.len() == arguments.len() =>
            {
                let arrays = patterns.iter().zip(values(arguments));
                arrays
                    .fold(Found::NOTHING, |found, (p, array)| found.and(self.operand(Some(p), array, place)))
            }
            _ => {
                let found = self.read(e, place);
                pattern.into_iter().for_each(|p| self.bind(p, found));
                found
            }
        }
    }

    fn all<'e>(&mut self, es: impl IntoIterator<Item = &'e Expr>, place: &Place) -> Found {
        es.into_iter().fold(Found::NOTHING, |found, e| found.and(self.read(e, place)))
    }

    /// A value that is written here, element after element.
    fn write(&mut self, e: &Expr, place: &Place) -> Found {
        let apart = &place.apart();
        match &*e.kind {
            Kind::Let(pattern, value, body) => {
                let found = self.read(value, apart);
                self.bind(pattern, found);
                self.write(body, apart)
            }
            // What is only passed on is copied, here as in `map`.
            Kind::Tuple(parts) => parts.iter().fold(Found::NOTHING, |found, part| {
                let written = self.write(part, apart);
                if moves(part.tail()) { found } else { found.and(written) }
            }),
            Kind::Typed(inner, _) => self.write(inner, place),
            Kind::If(condition, then, otherwise) => {
                self.read(condition, apart);
                let branch = Place { branch: true, ..apart.clone() };
                self.write(then, &branch).and(self.write(otherwise, &branch))
            }
            Kind::Apply(p, arguments) => self.write_primitive(e, *p, arguments, place),
            _ => self.leaf(e, place),
        }
    }

    fn write_primitive(&mut self, e: &Expr, p: Primitive, arguments: &[Argument], place: &Place) -> Found {
        let apart = &place.apart();
        let operands = || values(arguments);
        match (&p.form, function(arguments)) {
            // The function moves what is written, and is no loop.
            (Form::Map | Form::MapSeq(_), _) if moved(e).is_some_and(writes) => {
                operands().fold(Found::NOTHING, |found, v| found.and(self.write(v, apart)))
            }
            (Form::Map | Form::MapSeq(_) | Form::Spread(_), Some(lambda)) => {
                self.map(e, Code::given(p, arguments), lambda, arguments, place)
            }
            (
                Form::Layout(Layout { write: Some(_), .. })
                | Form::Unzip
                | Form::AsScalar
                | Form::Concat
                | Form::Zip,
                _,
            ) if writes(e) || matches!(p.form, Form::Concat | Form::Zip) => {
                operands().fold(Found::NOTHING, |found, v| found.and(self.write(v, apart)))
            }
            (Form::Repeat, _) if writes(e) => {
                operands().fold(Found::NOTHING, |found, v| found.and(self.write(v, apart)))
            }
            // It is kept where it is written.
            (Form::Kept(Space::Global), _) => {
                operands().for_each(|v| {
                    self.write(v, apart);
                });
                Found::NOTHING
            }
            (Form::Kept(space), _) => {
                let before = self.nest.maps.len();
                operands().for_each(|v| {
                    self.write(v, apart);
                });
                self.memory(e, *space, place, before)
            }
            (Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate, Some(lambda)) => {
                let goes_on = self.goes_on(arguments);
                let found = self.fold(p, lambda, arguments, apart);
                if !goes_on {
                    self.end(e, place);
                }
                found
            }
            _ => self.leaf(e, place),
        }
    }

    /// Does a reduction start with the running value of the one whose step it is? Then its result is
    /// where it goes already.
    fn goes_on(&self, arguments: &[Argument]) -> bool {
        let start = values(arguments).next().map(|e| &*e.kind);
        matches!(start, Some(Kind::Local(local)) if self.running.contains(local))
    }

    /// What is computed, or copied, element by element: what is only passed on, from a branch of an `if` as well, is
    /// copied to where the result goes, wherever it was.
    fn leaf(&mut self, e: &Expr, place: &Place) -> Found {
        let found = self.read(e, &place.apart());
        self.end(e, place);
        if moves(e) { Found::NOTHING } else { found }
    }

    fn end(&mut self, e: &Expr, place: &Place) {
        if let Some(space) = place.into {
            let (around, kernel) = (place.around.clone(), place.kernel);
            self.nest.writes.push(Write { site: e.site, around, kernel, space });
        }
    }

    /// A loop.
    fn map(
        &mut self,
        e: &Expr,
        given: Option<Code>,
        lambda: &Lambda,
        arguments: &[Argument],
        place: &Place,
    ) -> Found {
        let apart = &place.apart();
        let plain = values(arguments).all(readable);
        let operands = values(arguments)
            .fold(Found::NOTHING, |found, xs| found.and(self.operand(lambda.params.first(), xs, apart)));
        let free = self.free(&lambda.body);
        let number = self.nest.maps.len();
        let extent = self.ty(e).and_then(|ty| ty.as_array().map(|(_, n)| n.clone()));
        self.nest.maps.push(Map {
            id: e.id,
            site: e.site,
            around: place.around.clone(),
            kernel: place.kernel,
            given,
            extent,
            perfect: place.direct && given.is_none() && plain,
            private: None,
            local: None,
            step: place.step,
            reread: false,
            items: operands.items,
        });
        let mut inner = Place { direct: given.is_none(), ..place.clone() };
        inner.around.push(number);
        let mut body = self.write(&lambda.body, &inner);
        if moves(lambda.body.tail()) {
            // What is only passed on is copied to where the map's result goes.
            body = Found::NOTHING;
        }
        let read = operands.and(free);
        let map = &mut self.nest.maps[number];
        let uses = |reads: bool, writes: bool| match (reads, writes) {
            (true, _) => Some(Use::Reads),
            (_, true) => Some(Use::Writes),
            _ => None,
        };
        map.private = uses(read.private, body.private || place.into == Some(Space::Private));
        map.local = uses(read.local, body.local || place.into.is_some_and(of_group));
        body
    }

    /// `reduce` and the like: the running value is a work-item's own, unless it begins in local
    /// memory.
    fn fold(&mut self, p: Primitive, lambda: &Lambda, arguments: &[Argument], place: &Place) -> Found {
        let mut start = Found::NOTHING;
        let count = values(arguments).count();
        for (k, value) in values(arguments).enumerate() {
            if k > 0 || (count == 1 && !matches!(p.form, Form::Iterate)) {
                self.operand(lambda.params.last(), value, place);
                continue;
            }
            start = self.read(value, place);
            start.private |= !start.local && makes_array(&lambda.body);
            lambda.params.first().into_iter().for_each(|p| self.bind(p, start));
        }
        self.running.extend(lambda.params.first().into_iter().flat_map(Pattern::locals).cloned());
        let into =
            makes_array(&lambda.body).then_some(if start.local { Space::Local } else { Space::Private });
        let inner = Place { step: true, into, ..place.clone() };
        match into {
            Some(_) => start.and(self.write(&lambda.body, &inner)),
            None => {
                self.read(&lambda.body, &inner);
                Found::NOTHING
            }
        }
    }

    /// A value whose elements are read where they are needed.
    fn read(&mut self, e: &Expr, place: &Place) -> Found {
        match &*e.kind {
            Kind::Local(local) => self.found.get(local).copied().unwrap_or_default(),
            Kind::Let(pattern, value, body) => {
                let found = self.read(value, place);
                self.bind(pattern, found);
                self.read(body, place)
            }
            Kind::Tuple(parts) => self.all(parts, place),
            Kind::Field(inner, _) | Kind::Typed(inner, _) => self.read(inner, place),
            Kind::If(condition, then, otherwise) => {
                self.read(condition, place);
                let branch = &Place { branch: true, ..place.clone() };
                self.read(then, branch).and(self.read(otherwise, branch))
            }
            Kind::Apply(p, arguments) => self.read_primitive(e, *p, arguments, place),
            _ => {
                self.all(e.children(), place);
                Found::NOTHING
            }
        }
    }

    fn read_primitive(&mut self, e: &Expr, p: Primitive, arguments: &[Argument], place: &Place) -> Found {
        match (&p.form, function(arguments)) {
            (Form::Kept(Space::Global), _) if place.around.is_empty() => {
                // A kernel of its own, and a buffer between kernels.
                values(arguments).for_each(|v| self.top(v));
                let bytes = self.ty(e).and_then(bytes);
                let (site, space, around) = (e.site, Space::Global, vec![]);
                self.nest.memory.push(Memory {
                    site,
                    space,
                    around,
                    kernel: None,
                    bytes,
                    inside: vec![],
                    branch: false,
                });
                Found::NOTHING
            }
            (Form::Kept(space), _) => {
                let before = self.nest.maps.len();
                let inner = &Place { into: Some(*space), direct: false, ..place.clone() };
                values(arguments).for_each(|v| {
                    self.write(v, inner);
                });
                self.memory(e, *space, place, before)
            }
            // Each element is kept: so is the array.
            (Form::Map | Form::MapSeq(_) | Form::Spread(_), Some(lambda))
                if lambda.body.memory().is_some() =>
            {
                let before = self.nest.maps.len();
                let space = lambda.body.memory().unwrap_or(Space::Private);
                let inner = Place { into: Some(space), direct: false, ..place.clone() };
                self.map(e, Code::given(p, arguments), lambda, arguments, &inner);
                self.memory(e, space, place, before)
            }
            // It says that it is spread, even if what it computes is computed where it is read.
            (Form::Spread(_), Some(lambda)) => {
                let inner = Place { into: None, direct: false, ..place.clone() };
                self.map(e, Code::given(p, arguments), lambda, arguments, &inner)
            }
            (Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate, Some(lambda)) => {
                self.fold(p, lambda, arguments, &Place { into: None, ..place.apart() })
            }
            // There is one element at a time, not an array of them.
            (Form::Ahead, _) => values(arguments).fold(Found::NOTHING, |found, ys| {
                found.and(match &*ys.kind {
                    Kind::Apply(map, inner) if matches!(map.form, Form::Map | Form::MapSeq(_)) => {
                        self.elements(inner, place)
                    }
                    _ => self.read(ys, place),
                })
            }),
            (_, function) => {
                let operands = self.all(values(arguments), place);
                match function {
                    Some(lambda) => {
                        lambda.params.iter().for_each(|p| self.bind(p, operands));
                        self.read(&lambda.body, place).and(operands)
                    }
                    None => operands,
                }
            }
        }
    }

    /// What a map computes, one after the other.
    fn elements(&mut self, arguments: &[Argument], place: &Place) -> Found {
        let Some(lambda) = function(arguments) else { return Found::NOTHING };
        values(arguments).for_each(|xs| {
            self.operand(lambda.params.first(), xs, place);
        });
        self.read(&lambda.body, place)
    }

    /// Memory that a value is kept in, written by the maps from a number on.
    fn memory(&mut self, e: &Expr, space: Space, place: &Place, from: usize) -> Found {
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
                _ => map.reread = true,
            }
        }
        let ty = self.ty(e).map(|ty| e.pitch().map_or_else(|| ty.clone(), |p| ty.pitched(p)));
        let bytes = ty.as_ref().and_then(bytes);
        self.nest.memory.push(Memory {
            site: e.site,
            space,
            around: place.around.clone(),
            kernel: Some(place.kernel),
            bytes,
            inside,
            branch: place.branch,
        });
        // What stands in no group is a mistake by itself.
        let group = |m: &usize| match self.nest.maps[*m].given {
            None => true,
            Some(code) => code.parallel().is_some_and(|(level, _)| level == Level::Group),
        };
        match space {
            Space::Local | Space::Items if !place.around.iter().any(group) => Found::NOTHING,
            _ => Found::of(space, self.nest.memory.len() - 1),
        }
    }

    /// Where the values of variables from outside are kept that an expression reads.
    fn free(&self, e: &Expr) -> Found {
        let mut found = Found::NOTHING;
        e.visit(&mut |e| {
            if let Kind::Local(local) = &*e.kind
                && let Some(other) = self.found.get(local)
            {
                found = found.and(*other);
            }
        });
        found
    }

    fn ty(&self, e: &Expr) -> Option<&Type> {
        self.typed?.ty(e.id)
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

fn function(arguments: &[Argument]) -> Option<&Lambda> {
    arguments.iter().find_map(|a| match a {
        Argument::Function(lambda) => Some(lambda),
        _ => None,
    })
}

fn values(arguments: &[Argument]) -> impl Iterator<Item = &Expr> {
    arguments.iter().filter_map(|a| match a {
        Argument::Value(e) | Argument::Generator(_, e) => Some(e),
        _ => None,
    })
}

/// Can elements be read anywhere, with nothing computed before?
fn readable(e: &Expr) -> bool {
    let mut found = true;
    e.visit(&mut |e| {
        found &= match &*e.kind {
            Kind::Let(..) | Kind::If(..) => false,
            Kind::Apply(p, _) => !matches!(
                p.form,
                Form::Reduce
                    | Form::ReduceSeq(_)
                    | Form::Scan
                    | Form::Iterate
                    | Form::Kept(_)
                    | Form::Spread(_)
            ),
            _ => true,
        };
    });
    found
}

/// Is the result of a reduction's function an array?
fn makes_array(body: &Expr) -> bool {
    match &*body.tail().kind {
        Kind::Tuple(parts) => parts.iter().any(makes_array),
        Kind::If(_, then, otherwise) => makes_array(then) || makes_array(otherwise),
        Kind::Typed(inner, _) => makes_array(inner),
        Kind::Apply(p, arguments) => match (&p.form, function(arguments)) {
            (Form::Dot | Form::Width, _) => false,
            (Form::Reduce | Form::ReduceSeq(_) | Form::Iterate, Some(lambda)) => makes_array(&lambda.body),
            (Form::Kept(_), _) => values(arguments).any(makes_array),
            _ => true,
        },
        _ => false,
    }
}

/// Does an expression move data only, and compute nothing?
fn moves(e: &Expr) -> bool {
    use Form::{AsScalar, AsVector, Concat, Kept, Layout, Map, MapSeq, Pad, Reorder, Unzip, Width, Zip};
    let here = match &*e.kind {
        Kind::Local(_) | Kind::Let(..) | Kind::Tuple(_) | Kind::Field(..) | Kind::Typed(..) => true,
        Kind::Apply(primitive, _) => matches!(
            primitive.form,
            Layout(_)
                | Reorder
                | Pad
                | Concat
                | Zip
                | Unzip
                | Kept(_)
                | AsVector
                | AsScalar
                | Width
                | Map
                | MapSeq(_)
        ),
        _ => false,
    };
    here && e.children().into_iter().all(moves)
}
