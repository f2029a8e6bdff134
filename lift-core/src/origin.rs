//! The origins of an array's elements, followed through primitives that only move data to parameters and computed
//! values. They tell rules and schedules which elements are neighbours in memory, and which are the same.

use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Literal, Local, NodeId, Pattern};
use crate::nat::{Maker, Nat, Var};
use crate::primitives::{Applied, Form, Layout};
use crate::types::Type;
use std::collections::HashMap;
use std::rc::Rc;

/// What is known of a program's variables.
pub struct Origins<'a> {
    function: &'a Function,
    typed: &'a Typed,
    /// What a variable stands for: a part of the value of this expression.
    bound: HashMap<&'a Local, (&'a Expr, Vec<Access>)>,
}

/// One step into a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Access {
    Element(Nat),
    Part(usize),
}

impl Access {
    /// The index, where this is a step to an element.
    pub fn element(&self) -> Option<Nat> {
        match self {
            Access::Element(i) => Some(i.clone()),
            Access::Part(_) => None,
        }
    }
}

/// A part of what a variable or an expression holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// What the value is a part of.
    pub of: Source,
    /// Which part of it.
    pub path: Vec<Access>,
}

/// Zeros around an array: where the index is not one of its elements.
#[derive(Clone, PartialEq, Debug)]
pub struct Zeros {
    /// The index in the array.
    pub index: Nat,
    /// The elements of the array.
    pub length: Nat,
}

impl Zeros {
    /// Is the element certainly one of them, its index rewritten?
    pub fn certain(&self, rewritten: &dyn Fn(&Nat) -> Nat) -> bool {
        let numbers = [&self.index, &self.length].map(|n| rewritten(n).as_constant());
        matches!(numbers, [Some(index), Some(length)] if !(0..length).contains(&index))
    }
}

/// Is this the number 0?
fn is_zero(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Literal(Literal::Int(n)) => *n == 0,
        Kind::Literal(Literal::Float(x)) => *x == 0.0,
        Kind::Literal(Literal::Exact(value)) => value.to_f64() == 0.0,
        Kind::Typed(inner, _) => is_zero(inner),
        _ => false,
    }
}

impl Origin {
    /// The distance to another part of the same value, in each dimension.
    pub fn moved(&self, to: &Origin) -> Option<Vec<Nat>> {
        let distance = |(from, to): (&Access, &Access)| match (from, to) {
            (Access::Element(i), Access::Element(j)) => Some(j - i),
            (from, to) => (from == to).then(|| Nat::constant(0)),
        };
        let alike = self.of == to.of && self.path.len() == to.path.len();
        if alike { self.path.iter().zip(&to.path).map(distance).collect() } else { None }
    }
}

/// Where following a value ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    Local(Local),
    Node(NodeId),
}

/// The parameters of the functions that are being looked into, each with its value.
type Scope<'a> = Option<Rc<Bound<'a>>>;

struct Bound<'a> {
    lambda: &'a Lambda,
    xs: &'a Expr,
    index: Nat,
    outer: Scope<'a>,
}

impl<'a> Origins<'a> {
    /// Notes for each variable what it is bound to; types and lengths come from `typed`.
    pub fn new(function: &'a Function, typed: &'a Typed) -> Origins<'a> {
        let mut origins = Origins { function, typed, bound: HashMap::new() };
        origins.bind(&function.body);
        origins
    }

    fn bind(&mut self, e: &'a Expr) {
        match &*e.kind {
            Kind::Let(pattern, value, _) => self.bind_pattern(pattern, value, vec![]),
            Kind::Apply(p, arguments) => match p.form.applied() {
                Applied::Elements | Applied::Reduction | Applied::Prefixes => {
                    let function = arguments.iter().find_map(as_function);
                    if let (Some(f), Some(Argument::Value(xs))) = (function, arguments.last())
                        && let Some(element) = f.params.last()
                    {
                        let index = Origins::element(element);
                        let path = index.map(|index| Access::Element(Nat::var(&index)));
                        self.bind_pattern(element, xs, path.into_iter().collect());
                    }
                }
                Applied::Nothing | Applied::Whole | Applied::Indices => {}
            },
            _ => {}
        }
        e.children().into_iter().for_each(|child| self.bind(child));
    }

    /// A unique number for the element that a parameter stands for, the same wherever it is read.
    pub fn element(pattern: &Pattern) -> Option<Var> {
        pattern.locals().first().map(|local| Var::made(Maker::Origin, "element", local.index))
    }

    fn bind_pattern(&mut self, pattern: &'a Pattern, value: &'a Expr, path: Vec<Access>) {
        for (local, parts) in places(pattern) {
            self.bound.insert(local, (value, [&path[..], &parts].concat()));
        }
    }

    /// All that this part of an expression's value depends on: what it is a part of itself, and on the way
    /// there whether it lies in what was padded. `None`: it is not known.
    pub fn of(&self, e: &'a Expr, path: &[Access]) -> Option<Vec<Origin>> {
        self.follow(e, path.to_vec(), &None)
    }

    fn follow(&self, e: &'a Expr, path: Vec<Access>, scope: &Scope<'a>) -> Option<Vec<Origin>> {
        match &*e.kind {
            Kind::Typed(inner, _) => self.follow(inner, path, scope),
            Kind::Local(local) => self.variable(local, path, scope),
            Kind::Let(_, _, body) => self.follow(body, path, scope),
            Kind::Field(tuple, k) => self.follow(tuple, [vec![Access::Part(*k)], path].concat(), scope),
            Kind::Tuple(parts) => match &path[..] {
                [Access::Part(k), rest @ ..] => self.follow(parts.get(*k)?, rest.to_vec(), scope),
                _ => None,
            },
            Kind::Apply(_, arguments) => match self.moved(e, arguments, &path, scope) {
                Some(found) => found,
                None => self.computed(e, path, scope),
            },
            _ => self.computed(e, path, scope),
        }
    }

    fn variable(&self, local: &'a Local, path: Vec<Access>, scope: &Scope<'a>) -> Option<Vec<Origin>> {
        let mut around = scope;
        while let Some(bound) = around {
            for (name, parts) in bound.lambda.params.iter().flat_map(places) {
                if name == local {
                    let element = vec![Access::Element(bound.index.clone())];
                    return self.follow(bound.xs, [element, parts, path].concat(), &bound.outer);
                }
            }
            around = &bound.outer;
        }
        match self.bound.get(local) {
            Some((value, parts)) => self.follow(value, [&parts[..], &path].concat(), scope),
            None => Some(vec![Origin { of: Source::Local(local.clone()), path }]),
        }
    }

    /// Through a primitive that moves data; the outer `None`: it does not, or not this far.
    fn moved(
        &self,
        e: &'a Expr,
        arguments: &'a [Argument],
        path: &[Access],
        scope: &Scope<'a>,
    ) -> Option<Option<Vec<Origin>>> {
        let Kind::Apply(p, _) = &*e.kind else { return None };
        let Some(Argument::Value(xs)) = arguments.last() else { return None };
        let bindings = self.typed.bindings.get(&e.id);
        let further =
            |front: Vec<Access>, rest: &[Access]| self.follow(xs, [&front[..], rest].concat(), scope);
        Some(match &p.form {
            Form::Layout(Layout { arity, read, .. }) => {
                let (front, rest) = path.split_at_checked(*arity)?;
                let indices: Option<Vec<Nat>> = front.iter().map(Access::element).collect();
                let from = read(bindings?, &indices?);
                further(from.into_iter().map(Access::Element).collect(), rest)
            }
            Form::Reorder => {
                let (i, rest) = split_element(path)?;
                let Argument::Index(var, body) = arguments.first()? else { return None };
                let from = body.substitute(&|v| (v == var).then(|| i.clone()));
                further(vec![Access::Element(from)], rest)
            }
            Form::Pad => {
                let (i, rest) = split_element(path)?;
                let Argument::Size(left) = arguments.first()? else { return None };
                let from = i - left;
                let guard = Origin { of: Source::Node(e.id), path: vec![Access::Element(from.clone())] };
                // What is put around may be an array itself, and another at each of its places.
                let value = arguments.get(2)?.expr()?;
                let around = self.follow(value, fitting(rest, self.typed.ty(value.id)?), scope);
                let inside = further(vec![Access::Element(from)], rest);
                inside.zip(around).map(|(inside, around)| [inside, vec![guard], around].concat())
            }
            Form::Repeat => further(vec![], split_element(path)?.1),
            Form::Zip => {
                let [i @ Access::Element(_), Access::Part(k), rest @ ..] = path else { return None };
                let xs = arguments.get(*k)?.expr()?;
                self.follow(xs, [std::slice::from_ref(i), rest].concat(), scope)
            }
            Form::Unzip => {
                let [k @ Access::Part(_), i @ Access::Element(_), rest @ ..] = path else { return None };
                further(vec![i.clone(), k.clone()], rest)
            }
            Form::Map | Form::Spread(_) | Form::MapSeq(_) => {
                let (i, rest) = split_element(path)?;
                let lambda = arguments.iter().find_map(as_function)?;
                let bound = Bound { lambda, xs, index: i.clone(), outer: scope.clone() };
                self.follow(&lambda.body, rest.to_vec(), &Some(Rc::new(bound)))
            }
            Form::Ahead | Form::Rotated | Form::Peeled => further(vec![], path),
            // They compute, or are kept in memory of their own, or which operand is meant depends on the index.
            Form::Concat
            | Form::Reduce
            | Form::ReduceSeq(_)
            | Form::Scan
            | Form::Iterate
            | Form::Generate
            | Form::Kept(_)
            | Form::AsVector
            | Form::AsScalar
            | Form::Dot
            | Form::Width
            | Form::Derived(_) => return None,
        })
    }

    /// Computed values are the same if everything that they are computed from is.
    fn computed(&self, e: &'a Expr, path: Vec<Access>, scope: &Scope<'a>) -> Option<Vec<Origin>> {
        let mut found = Some(vec![Origin { of: Source::Node(e.id), path }]);
        e.visit(&mut |e| {
            let Kind::Local(local) = &*e.kind else { return };
            let more = match bound_in(local, scope) {
                true => self.variable(local, vec![], scope),
                // What a function computes on the way may be another value each time.
                false if scope.is_some() && self.is_named(local) => None,
                false => Some(vec![]),
            };
            found = found.take().zip(more).map(|(found, more)| [found, more].concat());
        });
        found
    }

    /// Is this bound by `let`?
    fn is_named(&self, local: &Local) -> bool {
        self.bound.get(local).is_some_and(|(_, path)| !matches!(path.first(), Some(Access::Element(_))))
    }

    /// The padding that an element may lie in, if all of it is zeros: the element is 0 in any of these, wherever else it
    /// lies. `None`: it is not known, or something else is put around.
    pub fn zeros(&self, e: &'a Expr, path: &[Access]) -> Option<Vec<Zeros>> {
        let mut found = vec![];
        for Origin { of, path } in self.of(e, path)? {
            let Source::Node(id) = of else { continue };
            let Some(Kind::Apply(p, arguments)) = self.node(id).map(|e| &*e.kind) else { continue };
            if matches!(p.form, Form::Pad) {
                let [_, _, Argument::Value(value), Argument::Value(inside)] = &arguments[..] else {
                    return None;
                };
                let length = self.typed.ty(inside.id)?.as_array()?.1.clone();
                let index = path.first()?.element()?;
                is_zero(value).then(|| found.push(Zeros { index, length }))?;
            }
        }
        Some(found)
    }

    fn node(&self, id: NodeId) -> Option<&'a Expr> {
        self.function.body.at(&self.function.body.first(&|e| e.id == id)?)
    }

    /// Which scalar of a parameter an element is, counted from the first on; `None` if it is not known to be
    /// in one.
    pub fn address(&self, e: &'a Expr, path: &[Access]) -> Option<Nat> {
        self.of_parameter(self.of(e, path)?.first()?)
    }

    /// Which scalar of a parameter this is; `None` if it is not known to be in one.
    pub fn of_parameter(&self, origin: &Origin) -> Option<Nat> {
        let Origin { of: Source::Local(local), path } = origin else { return None };
        let (lengths, _) = self.function.params.iter().find(|p| p.local == *local)?.ty.shape();
        let mut address = Nat::constant(0);
        for (length, access) in lengths.iter().zip(path) {
            address = &address * *length + access.element()?;
        }
        (lengths.len() == path.len()).then_some(address)
    }
}

/// The steps that a type has: a scalar fills arrays.
fn fitting(path: &[Access], ty: &Type) -> Vec<Access> {
    match (path, ty) {
        ([step @ Access::Element(_), rest @ ..], Type::Array(element, _)) => {
            [vec![step.clone()], fitting(rest, element)].concat()
        }
        ([step @ Access::Part(k), rest @ ..], Type::Tuple(parts)) => {
            let inner = parts.get(*k).map(|part| fitting(rest, part));
            [vec![step.clone()], inner.unwrap_or_default()].concat()
        }
        ([Access::Element(_), rest @ ..], _) => fitting(rest, ty),
        ([Access::Part(_), ..], _) | ([], _) => vec![],
    }
}

fn bound_in(local: &Local, scope: &Scope) -> bool {
    let mut around = scope;
    while let Some(bound) = around {
        if bound.lambda.params.iter().any(|pattern| pattern.locals().contains(&local)) {
            return true;
        }
        around = &bound.outer;
    }
    false
}

fn as_function(argument: &Argument) -> Option<&Lambda> {
    match argument {
        Argument::Function(f) => Some(f),
        _ => None,
    }
}

/// The index that a path begins with, and the rest of it.
fn split_element(path: &[Access]) -> Option<(&Nat, &[Access])> {
    match path.split_first()? {
        (Access::Element(i), rest) => Some((i, rest)),
        (Access::Part(_), _) => None,
    }
}

/// The variables of a pattern, each with the way to it.
fn places(pattern: &Pattern) -> Vec<(&Local, Vec<Access>)> {
    match pattern {
        Pattern::Local(local) => vec![(local, vec![])],
        Pattern::Wild => vec![],
        Pattern::Typed(inner, _) => places(inner),
        Pattern::Tuple(patterns) => {
            let inside = |(k, pattern)| {
                let deeper = move |(local, way)| (local, [vec![Access::Part(k)], way].concat());
                places(pattern).into_iter().map(deeper)
            };
            patterns.iter().enumerate().flat_map(inside).collect()
        }
    }
}
