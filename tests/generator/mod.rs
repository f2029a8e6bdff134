//! Random well-typed programs, made from the primitives' own table: what a primitive takes and gives
//! is read off its signature, and what it demands off its conditions, so that a new primitive is
//! tried here by being in the table.

// Each test binary uses its own part of this.
#![allow(dead_code, unused_imports)]

mod build;
mod call;
mod corrupt;
mod nests;
pub mod print;
mod scalars;
mod shapes;
mod shrink;
mod stages;
mod vectors;
mod whole;

pub use corrupt::corrupted;
pub use nests::nest;
pub use shapes::shape;
pub use shrink::shrink;
pub use whole::{LARGEST_SIZE, function, program, shaped, staged};

use call::Helper;
use shapes::Shape;

use build::{binary, bound, call, expr, field, int, lambda, name, pattern};
use lift_core::nat::{Condition, Nat, Var};
use lift_core::primitives::signature::{Argument, Pattern, Signature};
use lift_core::primitives::{self, Form, Primitive};
use lift_core::syntax::{self, Binary, Expr, ExprKind, Function, PatternKind};
use lift_core::types::{Scalar, Type};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// No value in a random program has more scalars.
const LARGEST: i64 = 1500;

/// Attempts to fit something, before doing without.
const ATTEMPTS: usize = 8;

pub struct Generator<'a> {
    random: &'a mut fastrand::Rng,
    /// Size parameters.
    sizes: Vec<Var>,
    /// Values of the size parameters that the program must admit.
    samples: Vec<BTreeMap<Var, i64>>,
    wheres: Vec<Condition>,
    /// Variables, the newest last.
    scope: Vec<(String, Type)>,
    /// Index variables.
    indices: Vec<String>,
    names: usize,
    /// Functions that can be called.
    helpers: &'a [Helper],
    /// What is applied.
    primitives: Vec<Primitive>,
    /// May arrays have no elements?
    empties: bool,
    /// What is to be found in the program, here and there.
    shape: Option<Shape>,
}

/// What the variables of a signature stand for.
#[derive(Clone, Default)]
struct Use {
    types: BTreeMap<Arc<str>, Type>,
    sizes: BTreeMap<Arc<str>, Nat>,
}

impl Use {
    fn nat(&self, n: &Nat) -> Nat {
        n.substitute(&|v: &Var| self.sizes.get(&*v.name).cloned())
    }

    /// The type, if every variable in it stands for something.
    fn instantiate(&self, p: &Pattern) -> Option<Type> {
        Some(match p {
            Pattern::Variable(v) => self.types.get(v)?.clone(),
            Pattern::Scalar(scalar) => Type::Scalar(*scalar),
            Pattern::Array(element, length) => {
                let known = length.vars().iter().all(|v| self.sizes.contains_key(&*v.name));
                Type::array(self.instantiate(element)?, known.then(|| self.nat(length))?)
            }
            Pattern::Vector(element, width) => {
                let known = width.vars().iter().all(|v| self.sizes.contains_key(&*v.name));
                Type::vector(self.instantiate(element)?, known.then(|| self.nat(width))?)
            }
            Pattern::Tuple(parts) => {
                Type::tuple(parts.iter().map(|p| self.instantiate(p)).collect::<Option<Vec<_>>>()?)
            }
        })
    }

    /// Makes the pattern stand for the type.
    fn unify(&mut self, p: &Pattern, ty: &Type) -> bool {
        match (p, ty) {
            (Pattern::Variable(v), _) => {
                (!Pattern::is_scalar(v) || ty.as_scalar().is_some())
                    && self.types.entry(v.clone()).or_insert_with(|| ty.clone()) == ty
            }
            (Pattern::Scalar(scalar), Type::Scalar(other)) => scalar == other,
            (Pattern::Array(element, length), Type::Array(inner, n))
            | (Pattern::Vector(element, length), Type::Vector(inner, n)) => {
                let fits = match length.as_var() {
                    Some(v) => self.sizes.entry(v.name.clone()).or_insert_with(|| n.clone()) == n,
                    None => false,
                };
                fits && self.unify(element, inner)
            }
            (Pattern::Tuple(patterns), Type::Tuple(parts)) => {
                patterns.len() == parts.len()
                    && patterns.iter().zip(parts.iter()).all(|(p, t)| self.unify(p, t))
            }
            _ => false,
        }
    }
}

impl Generator<'_> {
    fn pick<'b, T>(&mut self, from: &'b [T]) -> &'b T {
        &from[self.random.usize(0..from.len())]
    }

    /// One of them, the later ones more often: what was bound last is what a body is about.
    fn pick_late<'b, T>(&mut self, from: &'b [T]) -> &'b T {
        let (a, b) = (self.random.usize(0..from.len()), self.random.usize(0..from.len()));
        &from[a.max(b)]
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    /// Does this hold for all sizes that were tried?
    fn holds(&self, c: &Condition) -> bool {
        self.samples.iter().all(|s| c.eval(&|v| s.get(v).copied()) == Ok(true))
    }

    fn is_small(&self, ty: &Type) -> bool {
        self.holds(&Condition::le(ty.scalars(), Nat::constant(LARGEST)))
            && (self.empties || self.has_elements(ty))
    }

    fn has_elements(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, n) => {
                self.holds(&Condition::ge(n, Nat::constant(1))) && self.has_elements(element)
            }
            Type::Tuple(parts) => parts.iter().all(|part| self.has_elements(part)),
            _ => true,
        }
    }

    /// A value of whatever type comes out.
    fn any(&mut self, depth: usize) -> (Expr, Type) {
        if let Some(found) = self.of_shape(depth) {
            return found;
        }
        if depth > 0 && self.random.u8(0..6) > 0 {
            for _ in 0..ATTEMPTS {
                let found = match self.random.u8(0..12) {
                    0 => Some(self.named(depth)),
                    1 => Some(self.pair(depth)),
                    2 | 3 if !self.helpers.is_empty() => self.called(depth - 1),
                    4 | 5 if self.vector_in_scope().is_some() => self.vectorial(),
                    _ => {
                        let primitive = *self.pick(&self.primitives.clone());
                        self.apply(primitive, depth - 1)
                    }
                };
                if let Some((e, ty)) = found
                    && self.is_small(&ty)
                {
                    return (e, ty);
                }
            }
        }
        if self.scope.is_empty() || self.random.u8(0..8) == 0 {
            let s = self.scalar_type();
            return (self.scalar(s, depth), Type::Scalar(s));
        }
        let scope = self.scope.clone();
        let (text, ty) = self.pick_late(&scope);
        (name(text), ty.clone())
    }

    /// Now and then the shape that is wanted.
    fn of_shape(&mut self, depth: usize) -> Option<(Expr, Type)> {
        let shape = self.shape.filter(|_| depth > 0 && self.random.u8(0..3) == 0)?;
        shape(self, depth - 1).filter(|(_, ty)| self.is_small(ty))
    }

    /// `{ let x = …; … }`
    fn named(&mut self, depth: usize) -> (Expr, Type) {
        let (value, ty) = self.any(depth - 1);
        let fresh = self.fresh();
        self.scope.push((fresh.clone(), ty));
        let (tail, result) = self.any(depth - 1);
        self.scope.pop();
        (bound(&fresh, value, tail), result)
    }

    fn pair(&mut self, depth: usize) -> (Expr, Type) {
        let (a, b) = (self.any(depth - 1), self.any(depth - 1));
        (expr(ExprKind::Tuple(vec![a.0, b.0])), Type::tuple(vec![a.1, b.1]))
    }

    /// A value of this type.
    fn of(&mut self, ty: &Type, depth: usize) -> Expr {
        let same: Vec<String> =
            self.scope.iter().filter(|(_, t)| t == ty).map(|(text, _)| text.clone()).collect();
        if !same.is_empty() && (depth == 0 || self.random.u8(0..4) == 0) {
            return name(self.pick_late::<String>(&same));
        }
        if let Some((e, _)) = self.of_shape(depth).filter(|(_, found)| found == ty) {
            return e;
        }
        match ty {
            Type::Scalar(s) => self.scalar(*s, depth.min(3)),
            Type::Tuple(parts) => expr(ExprKind::Tuple(
                parts.iter().map(|part| self.of(part, depth.saturating_sub(1))).collect(),
            )),
            Type::Array(element, n) => self.array_of(element, n, depth.saturating_sub(1)),
            // Whoever asks for one has seen that there is one.
            Type::Vector(..) => same.first().map_or_else(|| unreachable!("no {ty}"), |text| name(text)),
            Type::Index | Type::Hole(_) => unreachable!("no value has such a type"),
        }
    }

    fn array_of(&mut self, element: &Type, n: &Nat, depth: usize) -> Expr {
        let alike: Vec<(String, Type)> =
            self.scope.iter().filter(|(_, t)| t.as_array().is_some_and(|(_, m)| m == n)).cloned().collect();
        let size = build::size(n);
        if let Type::Vector(scalar, width) = element
            && !self.makeable(element)
        {
            let scalars = self.array_of(scalar, &(n * width), depth);
            return call("asVector", vec![build::size(width), scalars]);
        }
        let few = n.as_constant().filter(|n| (1..5).contains(n) && self.makeable(element));
        if let (Some(count), 0) = (few, self.random.u8(0..3)) {
            return expr(ExprKind::Array((0..count).map(|_| self.of(element, depth)).collect()));
        }
        match self.random.u8(0..4) {
            0 => call("repeat", vec![size, self.of(element, depth)]),
            1 if depth > 0 => call("reverse", vec![self.array_of(element, n, depth - 1)]),
            2 | 3 if !alike.is_empty() => {
                let (array, ty) = self.pick_late(&alike).clone();
                let (from, _) = ty.as_array().expect("only arrays are left");
                let f = self.function(std::slice::from_ref(from), |g| (g.of(element, depth), ())).0;
                call("map", vec![f, name(&array)])
            }
            _ => {
                let body = |g: &mut Self| (g.of(element, depth), ());
                let f = self.index_function(body).0;
                call("generate", vec![size, f])
            }
        }
    }

    /// A primitive applied to whatever fits it.
    fn apply(&mut self, primitive: Primitive, depth: usize) -> Option<(Expr, Type)> {
        let operands = self.random.usize(2..4);
        let arrays = primitive.signature_of_arrays().filter(|_| self.random.bool());
        let signature = arrays.map_or_else(|| primitive.signature(operands), Cow::Borrowed);
        let mut u = Use::default();
        let mut arguments: Vec<Option<Expr>> = vec![None; signature.arguments.len()];
        for (slot, wanted) in arguments.iter_mut().zip(&signature.arguments) {
            if let Argument::Value(p) = wanted {
                *slot = Some(self.value(p, &mut u, depth)?);
            }
        }
        self.choose_sizes(&signature, &mut u)?;
        for (slot, wanted) in arguments.iter_mut().zip(&signature.arguments) {
            match wanted {
                Argument::Value(_) => {}
                Argument::Size(v) => *slot = Some(build::size(&u.sizes[v])),
                Argument::Fill(p) => {
                    let element = u.instantiate(p).filter(|ty| self.makeable(ty))?;
                    *slot = Some(self.fill(&element, depth));
                }
                Argument::Function(params, result) => {
                    let params = params.iter().map(|p| u.instantiate(p)).collect::<Option<Vec<_>>>()?;
                    let (f, fits) = self.function(&params, |g| g.body(result, &mut u, depth));
                    *slot = fits.then_some(f);
                }
                Argument::Index(domain, _) => *slot = Some(self.rearrangement(&u.nat(domain))),
                Argument::Generator(_, result) => {
                    let (f, fits) = self.index_function(|g| g.body(result, &mut u, depth));
                    *slot = fits.then_some(f);
                }
            }
        }
        let mut arguments = arguments.into_iter().collect::<Option<Vec<_>>>()?;
        let result = u.instantiate(&signature.result)?;
        // An element is written in two ways.
        if primitive.name == primitives::AT && self.random.bool() {
            let xs = arguments.remove(1);
            return Some((expr(ExprKind::Index(Box::new(xs), Box::new(arguments.remove(0)))), result));
        }
        Some((call(primitive.name, arguments), result))
    }

    /// A value that fits the pattern: something at hand, something that happens to fit, or made to fit.
    fn value(&mut self, p: &Pattern, u: &mut Use, depth: usize) -> Option<Expr> {
        let fits = |ty: &Type| u.clone().unify(p, ty);
        let at_hand: Vec<(String, Type)> = self.scope.iter().filter(|(_, ty)| fits(ty)).cloned().collect();
        if !at_hand.is_empty() && (depth == 0 || self.random.bool()) {
            let (text, ty) = self.pick_late(&at_hand);
            return u.unify(p, ty).then(|| name(text));
        }
        for _ in 0..ATTEMPTS / 2 {
            let (e, ty) = self.any(depth);
            let mut tried = u.clone();
            if tried.unify(p, &ty) {
                *u = tried;
                return Some(e);
            }
        }
        let ty = self.completed(p, u);
        (self.is_small(&ty) && self.makeable(&ty)).then(|| self.of(&ty, depth))
    }

    /// The pattern's type, where it is open chosen at random.
    fn completed(&mut self, p: &Pattern, u: &mut Use) -> Type {
        match p {
            Pattern::Variable(v) => {
                let ty = match u.types.get(v) {
                    Some(chosen) => chosen.clone(),
                    None if Pattern::is_scalar(v) => Type::Scalar(self.scalar_type()),
                    None => self.element_type(),
                };
                u.types.insert(v.clone(), ty.clone());
                ty
            }
            Pattern::Scalar(scalar) => Type::Scalar(*scalar),
            Pattern::Array(element, length) => {
                for v in length.vars() {
                    if !u.sizes.contains_key(&*v.name) {
                        u.sizes.insert(v.name.clone(), self.length());
                    }
                }
                Type::array(self.completed(element, u), u.nat(length))
            }
            Pattern::Vector(element, width) => {
                for v in width.vars() {
                    let chosen = Nat::constant(*self.pick(&vectors::WIDTHS));
                    u.sizes.entry(v.name.clone()).or_insert(chosen);
                }
                Type::vector(self.completed(element, u), u.nat(width))
            }
            Pattern::Tuple(parts) => {
                Type::tuple(parts.iter().map(|p| self.completed(p, u)).collect::<Vec<_>>())
            }
        }
    }

    fn element_type(&mut self) -> Type {
        let s = Type::Scalar(self.scalar_type());
        match self.random.u8(0..6) {
            0 => Type::tuple(vec![s, Type::Scalar(self.scalar_type())]),
            1 => Type::array(s, self.length()),
            _ => s,
        }
    }

    /// A length of an array: a size parameter, or something made of one.
    fn length(&mut self) -> Nat {
        let sizes: Vec<Nat> = self.sizes.iter().map(Nat::var).collect();
        let n = self.pick(&sizes).clone();
        match self.random.u8(0..12) {
            0 => Nat::constant(self.random.i64(1..4)),
            1 => n + self.random.i64(1..3),
            2 => n * 2,
            3 => n.div(&Nat::constant(self.random.i64(2..4))) + 1,
            4 => n.rem(&Nat::constant(self.random.i64(2..4))) + 1,
            _ => n,
        }
    }

    /// Values for the sizes that are arguments, such that the conditions hold; if they don't hold for all
    /// sizes, what is missing becomes a `where` clause.
    fn choose_sizes(&mut self, signature: &Signature, u: &mut Use) -> Option<()> {
        let wanted = signature.arguments.iter().filter_map(|a| match a {
            Argument::Size(v) => Some(v.clone()),
            _ => None,
        });
        let wanted: Vec<Arc<str>> = wanted.collect();
        let mut last = vec![];
        for _ in 0..ATTEMPTS {
            for v in &wanted {
                let n = self.amount(u);
                u.sizes.insert(v.clone(), n);
            }
            let conditions =
                signature.requires.iter().map(|(c, _)| c.substitute(&|v| u.sizes.get(&*v.name).cloned()));
            last = conditions.filter(|c| !self.holds(c)).collect();
            if last.is_empty() {
                return Some(());
            }
        }
        self.admit(last)
    }

    /// Makes conditions that hold for some of the sizes that were tried hold for all: as a `where` clause.
    fn admit(&mut self, last: Vec<Condition>) -> Option<()> {
        let only_sizes = last.iter().all(|c| c.vars().iter().all(|v| v.index == 0 && self.sizes.contains(v)));
        let (before, together) =
            (self.samples.len(), last.into_iter().fold(Condition::truth(true), Condition::and));
        let admitted = |s: &BTreeMap<Var, i64>| together.eval(&|v| s.get(v).copied()) == Ok(true);
        let kept: Vec<_> = self.samples.iter().filter(|s| admitted(s)).cloned().collect();
        if !only_sizes || kept.len() * 3 < before || kept.len() < ATTEMPTS {
            return None;
        }
        self.samples = kept;
        self.wheres.push(together);
        Some(())
    }

    /// What an amount may be: small numbers, sizes, and lengths of the operands.
    fn amount(&mut self, u: &Use) -> Nat {
        let lengths: Vec<Nat> = u.sizes.values().cloned().collect();
        match self.random.u8(0..10) {
            0..5 => Nat::constant(self.random.i64(-1..5)),
            5 | 6 if !lengths.is_empty() => self.pick(&lengths).clone(),
            7 if !lengths.is_empty() => self.pick(&lengths).clone() - 1,
            8 if !lengths.is_empty() => self.pick(&lengths).div(&Nat::constant(2)),
            _ => self.length(),
        }
    }

    /// What `pad` puts where there is nothing.
    fn fill(&mut self, element: &Type, depth: usize) -> Expr {
        match leaf(element) {
            Some(s) if self.random.bool() => self.scalar(s, depth.min(1)),
            _ => self.of(element, depth),
        }
    }

    /// The body of a function whose result must fit the pattern.
    fn body(&mut self, result: &Pattern, u: &mut Use, depth: usize) -> (Expr, bool) {
        if let Some(ty) = u.instantiate(result) {
            let makeable = self.makeable(&ty);
            return (if makeable { self.of(&ty, depth) } else { int(0) }, makeable);
        }
        let (e, ty) = self.any(depth);
        (e, u.unify(result, &ty))
    }

    /// A function; parameters that are tuples may be taken apart.
    fn function<R>(&mut self, params: &[Type], body: impl FnOnce(&mut Self) -> (Expr, R)) -> (Expr, R) {
        let outside = self.scope.len();
        let patterns = params.iter().map(|ty| self.parameter(ty)).collect();
        let (body, result) = body(self);
        self.scope.truncate(outside);
        let f = lambda(patterns, body);
        match params {
            [Type::Vector(_, width)] if self.random.bool() => {
                (call("vectorize", vec![build::size(width), f]), result)
            }
            _ => (f, result),
        }
    }

    fn parameter(&mut self, ty: &Type) -> syntax::Pattern {
        let written = self.shape.is_some() && self.random.u8(0..8) == 0;
        syntax::Pattern { ty: written.then(|| build::ty(ty)), ..self.bare(ty) }
    }

    fn bare(&mut self, ty: &Type) -> syntax::Pattern {
        match ty {
            Type::Tuple(parts) if self.random.bool() => {
                pattern(PatternKind::Tuple(parts.iter().map(|part| self.parameter(part)).collect()))
            }
            _ => {
                let fresh = self.fresh();
                self.scope.push((fresh.clone(), ty.clone()));
                pattern(PatternKind::Name(fresh))
            }
        }
    }

    fn index_function<R>(&mut self, body: impl FnOnce(&mut Self) -> (Expr, R)) -> (Expr, R) {
        let i = self.fresh();
        self.indices.push(i.clone());
        let (body, result) = body(self);
        self.indices.pop();
        (lambda(vec![pattern(PatternKind::Name(i))], body), result)
    }

    /// A function from index to index, both below `n`.
    fn rearrangement(&mut self, n: &Nat) -> Expr {
        let (i, n) = (self.fresh(), build::size(n));
        let index = || name(&i);
        let minus_1 = |e: Expr| binary(Binary::Sub, e, int(1));
        let plus = |e: Expr, k: i64| binary(Binary::Add, e, int(k));
        let body = match self.random.u8(0..8) {
            0 => index(),
            6 => binary(Binary::Rem, binary(Binary::Mul, index(), int(self.random.i64(2..4))), n),
            7 => {
                let rows = int(self.random.i64(2..4));
                let first = binary(Binary::Mul, binary(Binary::Div, index(), rows.clone()), rows.clone());
                let again = binary(Binary::Sub, minus_1(rows.clone()), binary(Binary::Rem, index(), rows));
                call("min", vec![binary(Binary::Add, first, again), minus_1(n)])
            }
            1 => binary(Binary::Sub, minus_1(n), index()),
            2 => binary(Binary::Rem, plus(index(), self.random.i64(1..4)), n),
            3 => call("min", vec![plus(index(), 1), minus_1(n)]),
            4 => call("max", vec![minus_1(index()), int(0)]),
            _ => binary(Binary::Div, index(), int(self.random.i64(1..4))),
        };
        lambda(vec![pattern(PatternKind::Name(i.clone()))], body)
    }

    /// As a program's result must be: tuples inside arrays give up all but one of their parts, and vectors fall
    /// apart.
    fn presentable(&mut self, e: Expr, ty: &Type) -> (Expr, Type) {
        match ty {
            Type::Tuple(parts) => {
                let k = self.random.usize(0..parts.len());
                self.presentable(field(e, k), &parts[k])
            }
            Type::Vector(scalar, _) if scalar.as_scalar() == Some(Scalar::Bool) => {
                let numbers = build::cast(e, Scalar::U8);
                (call("dot", vec![numbers.clone(), numbers]), Type::Scalar(Scalar::U8))
            }
            Type::Vector(scalar, _) => (call("dot", vec![e.clone(), e]), (**scalar).clone()),
            Type::Array(element, n) if matches!(**element, Type::Vector(..)) && self.random.bool() => {
                let Type::Vector(scalar, width) = &**element else { unreachable!("it is one") };
                (call("asScalar", vec![e]), Type::array((**scalar).clone(), n * width))
            }
            Type::Array(element, n) if !matches!(ty.shape().1, Type::Scalar(_)) => {
                let fresh = self.fresh();
                let (body, inner) = self.presentable(name(&fresh), element);
                let f = lambda(vec![pattern(PatternKind::Name(fresh))], body);
                (call("map", vec![f, e]), Type::array(inner, n.clone()))
            }
            _ => (e, ty.clone()),
        }
    }
}

/// The one scalar type in a type, if it is one.
fn leaf(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(s) => Some(*s),
        Type::Array(element, _) => leaf(element),
        Type::Tuple(parts) => {
            let mut all = parts.iter().map(leaf);
            let first = all.next()??;
            all.all(|s| s == Some(first)).then_some(first)
        }
        _ => None,
    }
}

/// The derived primitives that are called: of a checked program they are no part.
pub fn derived(functions: &[Function]) -> Vec<&'static str> {
    let text = print::functions(functions);
    let called = text.split(|c: char| !c.is_alphanumeric()).filter_map(Primitive::named);
    called.filter(|p| matches!(p.form, Form::Derived(_))).map(|p| p.name).collect()
}
