//! Excerpts: programs that compute some elements of a program's results, for when computing all of them would take
//! too long.
//!
//! An excerpt is cut out by `reorder` and `take`, as close to the expression that computes the result as `let`s and
//! `map`s allow: so rows that are left out are not computed.

use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, Param, Pattern};
use crate::nat::{Nat, Var};
use crate::primitives::{Applied, Execution, Primitive};
use crate::program::Program;
use crate::types::Type;
use crate::widen::Floats;

/// Indices of a dimension: `count` of them, the `i`-th of which is `(start + stride * i) % length`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    /// The first index.
    pub start: i64,
    /// From one index to the next. Without a common divisor with the length, all indices are different.
    pub stride: i64,
    /// The number of indices.
    pub count: i64,
}

/// Which elements of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// All elements.
    Whole,
    /// Of all elements in the order in which they lie in memory.
    Line(Steps),
    /// Of each of the outer dimensions some indices, of the inner ones all.
    Grid(Vec<Steps>),
}

/// A part of one of the results, computed with these floats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// Its number, where the program's result is a tuple.
    pub result: usize,
    /// The floats that it is computed in.
    pub floats: Floats,
    /// Its elements.
    pub part: Part,
}

impl Steps {
    /// The indices, in a dimension of this length.
    pub fn indices(self, length: usize) -> impl Iterator<Item = usize> {
        let length = i128::try_from(length).unwrap_or(i128::MAX).max(1);
        let at = move |i: i64| (i128::from(self.start) + i128::from(self.stride) * i128::from(i)) % length;
        (0..self.count).map(move |i| usize::try_from(at(i)).unwrap_or(0))
    }
}

impl Part {
    /// Where its elements lie in the result, in the order of the part.
    pub fn places(&self, shape: &[usize]) -> Vec<usize> {
        let total = shape.iter().product();
        match self {
            Part::Whole => (0..total).collect(),
            // One number is a part of itself.
            Part::Line(_) if shape.is_empty() => vec![0],
            Part::Line(steps) => steps.indices(total).collect(),
            Part::Grid(steps) => {
                let mut places = vec![0];
                for (d, length) in shape.iter().enumerate() {
                    let along: Vec<usize> = match steps.get(d) {
                        Some(steps) => steps.indices(*length).collect(),
                        None => (0..*length).collect(),
                    };
                    let place = |outer: usize| along.iter().map(move |i| outer * length + i);
                    places = places.into_iter().flat_map(place).collect();
                }
                places
            }
        }
    }
}

impl Program {
    /// The program of the same parameters that computes these excerpts alone, in this order, each in its own way: without
    /// the places that were given to maps, and every reduction in the order in which it is written.
    pub fn excerpts(&self, excerpts: &[Excerpt]) -> Program {
        let f = &self.function;
        let mut fresh = f.fresh();
        let made = excerpts.iter().map(|excerpt| excerpt.of(f, &mut fresh)).collect::<Vec<_>>();
        let (mut bodies, types): (Vec<Expr>, Vec<Type>) = made.into_iter().unzip();
        let (body, result) = match bodies.len() {
            1 => (bodies.remove(0), types[0].clone()),
            _ => (Expr::new(f.site, Kind::Tuple(bodies)), Type::tuple(types)),
        };
        Program { function: Function { body, result, strict: true, ..f.clone() }.number() }
    }
}

impl Excerpt {
    fn of(&self, f: &Function, fresh: &mut u32) -> (Expr, Type) {
        let (tuple, whole) = match &f.result {
            Type::Tuple(parts) => (true, &parts[self.result]),
            one => (false, one),
        };
        let body = unplaced(&f.body.instantiate(&|_| None, fresh));
        let cut = self.cut(&self.floats.expr(&body), tuple, whole, fresh);
        let body = f.params.iter().fold(cut, |body, param| self.read(param, body, fresh));
        (body, self.ty(&self.floats.ty(whole)))
    }

    /// Behind the `let`s, of one of the results.
    fn cut(&self, e: &Expr, tuple: bool, ty: &Type, fresh: &mut u32) -> Expr {
        match &*e.kind {
            Kind::Let(p, value, body) => {
                e.with(Kind::Let(p.clone(), value.clone(), self.cut(body, tuple, ty, fresh)))
            }
            Kind::Typed(inner, _) => self.cut(inner, tuple, ty, fresh),
            Kind::Tuple(parts) if tuple => self.cut(&parts[self.result], false, ty, fresh),
            _ if tuple => self.cut(&e.with(Kind::Field(e.clone(), self.result)), false, ty, fresh),
            _ => match &self.part {
                Part::Whole => e.clone(),
                Part::Line(steps) => line(e, *steps, ty, fresh),
                Part::Grid(steps) => grid(e, steps, ty, fresh),
            },
        }
    }

    fn ty(&self, whole: &Type) -> Type {
        let (lengths, scalar) = whole.shape();
        let count = |steps: &Steps| Nat::constant(steps.count);
        let lengths: Vec<Nat> = match &self.part {
            Part::Line(steps) if !lengths.is_empty() => vec![count(steps)],
            Part::Whole | Part::Line(_) => lengths.into_iter().cloned().collect(),
            Part::Grid(steps) => {
                let rest = lengths.into_iter().skip(steps.len()).cloned();
                steps.iter().map(count).chain(rest).collect()
            }
        };
        lengths.into_iter().rev().fold(scalar.clone(), Type::array)
    }

    /// Arguments keep their types: a parameter is converted where it is read.
    fn read(&self, param: &Param, body: Expr, fresh: &mut u32) -> Expr {
        let (lengths, scalar) = param.ty.shape();
        let Some(scalar) = scalar.as_scalar().filter(|scalar| self.floats.of(*scalar) != *scalar) else {
            return body;
        };
        // The new variable has the parameter's name, and hides it from here on.
        let hidden = variable(&param.local.name, fresh);
        let renamed = rename(&body, &param.local, &hidden);
        let to = self.floats.of(scalar);
        let value = each(Expr::local(&param.local), lengths.len(), fresh, &|x| {
            let site = x.site;
            Expr::new(site, Kind::Cast(x, to))
        });
        Expr::new(param.site, Kind::Let(Pattern::Local(hidden), value, renamed))
    }
}

fn variable(name: &str, fresh: &mut u32) -> Local {
    *fresh += 1;
    Local { name: name.into(), index: *fresh }
}

fn rename(e: &Expr, old: &Local, new: &Local) -> Expr {
    match &*e.kind {
        Kind::Local(local) if local == old => e.with(Kind::Local(new.clone())),
        _ => e.map_children(&mut |child| rename(child, old, new)),
    }
}

/// A function of scalars, applied to each scalar of an array with this many dimensions.
fn each(xs: Expr, rank: usize, fresh: &mut u32, f: &dyn Fn(Expr) -> Expr) -> Expr {
    if rank == 0 {
        return f(xs);
    }
    let x = variable("x", fresh);
    let body = each(Expr::local(&x), rank - 1, fresh, f);
    mapped(x, body, xs)
}

fn mapped(x: Local, body: Expr, xs: Expr) -> Expr {
    let lambda = Lambda { site: xs.site, params: vec![Pattern::Local(x)], body };
    apply("map", vec![Argument::Function(lambda), Argument::Value(xs)])
}

/// Some elements of all of them.
fn line(e: &Expr, steps: Steps, ty: &Type, fresh: &mut u32) -> Expr {
    let lengths = ty.lengths();
    let Some(total) = lengths.iter().copied().cloned().reduce(|a, b| a * b) else { return e.clone() };
    let joined = (1..lengths.len()).fold(e.clone(), |xs, _| apply("join", vec![Argument::Value(xs)]));
    picked(joined, steps, &total, fresh)
}

/// Some indices of the outer dimensions.
fn grid(e: &Expr, steps: &[Steps], ty: &Type, fresh: &mut u32) -> Expr {
    let (Some((first, rest)), Some((row, length))) = (steps.split_first(), ty.as_array()) else {
        return e.clone();
    };
    match (&*e.kind, e.as_map()) {
        (Kind::Let(p, value, body), _) => {
            e.with(Kind::Let(p.clone(), value.clone(), grid(body, steps, ty, fresh)))
        }
        (Kind::Typed(inner, _), _) => grid(inner, steps, ty, fresh),
        (Kind::Apply(map, _), Some((f, xs))) => {
            let f = Lambda { body: grid(&f.body, rest, row, fresh), ..f.clone() };
            let xs = picked(xs.clone(), *first, length, fresh);
            e.with(Kind::Apply(*map, vec![Argument::Function(f), Argument::Value(xs)]))
        }
        _ => rows(e, first, rest, ty, fresh),
    }
}

fn rows(e: &Expr, first: &Steps, rest: &[Steps], ty: &Type, fresh: &mut u32) -> Expr {
    let Some((row, length)) = ty.as_array() else { return e.clone() };
    let xs = picked(e.clone(), *first, length, fresh);
    if rest.is_empty() {
        return xs;
    }
    let x = variable("row", fresh);
    let body = grid(&Expr::local(&x), rest, row, fresh);
    mapped(x, body, xs)
}

/// `take(count, reorder(|i| (start + stride * i) % length, xs))`
fn picked(xs: Expr, steps: Steps, length: &Nat, fresh: &mut u32) -> Expr {
    *fresh += 1;
    let i = Var::index("i", *fresh);
    let index = (Nat::var(&i) * steps.stride + steps.start).rem(length);
    let reordered = apply("reorder", vec![Argument::Index(i, index), Argument::Value(xs)]);
    apply("take", vec![Argument::Size(Nat::constant(steps.count)), Argument::Value(reordered)])
}

/// A primitive of the table applied to something.
fn apply(name: &str, arguments: Vec<Argument>) -> Expr {
    let site = arguments.iter().find_map(Argument::expr).map(|e| e.site).unwrap_or_default();
    Expr::new(site, Kind::Apply(Primitive::known(name), arguments))
}

/// The same without saying where maps run, which loops are written out, and what is kept in which memory.
fn unplaced(e: &Expr) -> Expr {
    let e = &e.map_children(&mut unplaced);
    let Kind::Apply(p, arguments) = &*e.kind else { return e.clone() };
    let values = || arguments.iter().filter(|a| !matches!(a, Argument::Size(_))).cloned().collect();
    match (p.form.execution(), p.form.applied(), arguments.last()) {
        (Execution::Open, ..) => e.clone(),
        (Execution::Spread(_) | Execution::Sequential(_), Applied::Elements, _) => apply("map", values()),
        (Execution::Spread(_) | Execution::Sequential(_), Applied::Reduction, _) => apply("reduce", values()),
        (Execution::Kept(_) | Execution::Registers, Applied::Nothing, Some(Argument::Value(operand))) => {
            operand.clone()
        }
        (said, applied, _) => unreachable!("`{p:?}` says {said:?} of a function of {applied:?}"),
    }
}
