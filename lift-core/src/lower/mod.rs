//! The default lowering: any program, made ready for the code generator without looking for speed.
//!
//! Two decisions are taken, both written into the expression as primitives of the OpenCL level.
//!
//! * **What is kept.** Reading is lazy: an element of `map(f, xs)` is computed where it is read.
//!   That fuses everything and would compute some things many times over; an expensive array that
//!   is read more than once, and whatever can't be computed element by element, is kept in memory
//!   (`toGlobal` outside all functions, where a kernel of its own makes it; inside, `toPrivate` if
//!   it is small, else `toGlobal`).
//! * **Where maps run.** Of the maps that write a kernel's result, up to three that are directly
//!   nested become `mapGlb`, the innermost in dimension 0, where neighbouring work-items touch
//!   neighbouring memory; the rest are loops in a work-item.

mod place;

use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, NodeId, Pattern};
use crate::kernel::Space;
use crate::nat::{Condition, Facts, Nat};
use crate::primitives::{Bindings, Form, Layout, Primitive};
use crate::scalar::Op;
use crate::types::Type;
use std::cell::RefCell;
use std::collections::HashMap;

/// An array of at most so many bytes may be private to a work-item.
const PRIVATE_BYTES: i64 = 4096;

/// From so many operations an element is worth keeping.
const EXPENSIVE: usize = 8;

/// How often each element of a value is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Demand {
    Never,
    Once,
    Many,
}
use Demand::{Many, Never, Once};

impl Demand {
    /// Read here and read there.
    fn and(self, other: Demand) -> Demand {
        match (self, other) {
            (Never, d) | (d, Never) => d,
            _ => Many,
        }
    }
}

/// Lowers a function whose nodes have the given types.
pub fn lower(function: &Function, typed: &Typed, facts: &Facts) -> Function {
    let lowering = Lowering { typed, facts, demands: RefCell::default() };
    let kept = lowering.write(&function.body, true);
    let body = place::place(&kept);
    Function { body, ..function.clone() }.number()
}

/// Is a value small enough to be private to a work-item?
pub fn fits_private(ty: &Type, facts: &Facts) -> bool {
    let scalars = Nat::constant(PRIVATE_BYTES / 4);
    facts.certain(&Condition::le(ty.scalars(), scalars))
}

struct Lowering<'a> {
    typed: &'a Typed,
    facts: &'a Facts,
    /// Found before: of which node, for which variable, read how often. Without it a chain of
    /// `let`s would take exponential time.
    demands: RefCell<HashMap<(NodeId, u32, Demand), Demand>>,
}

impl Lowering<'_> {
    fn ty(&self, e: &Expr) -> Type {
        self.typed.ty(e.id).cloned().unwrap_or(Type::Index)
    }

    /// A value that is written to memory, element after element. `top`: outside all functions.
    fn write(&self, e: &Expr, top: bool) -> Expr {
        if !holds_arrays(&self.ty(e)) {
            // One work-item computes it, in a kernel that is there anyway.
            return self.read(e, Once, top && matches!(&*e.kind, Kind::Let(..)));
        }
        match &*e.kind {
            // What is bound and then only moved is written to where it is moved.
            Kind::Let(Pattern::Local(local), value, body) if moves(body, local) && writes(value) => {
                self.write(&put(body, local, value), top)
            }
            Kind::Let(pattern, value, body) => {
                let value = self.bound(pattern, value, body, top);
                self.rebuilt(e, Kind::Let(pattern.clone(), value, self.write(body, top)))
            }
            Kind::Tuple(_) => e.map_children(&mut |child| self.write(child, top)),
            // Outside all functions, choosing element by element keeps every work-item busy.
            Kind::If(..) if !top => e.map_children(&mut |child| self.write(child, top)),
            Kind::Typed(inner, _) => self.write(inner, top),
            Kind::Apply(p, arguments) => match &p.form {
                Form::Spread(_) if top => self.by_hand(e),
                Form::Spread(_) => e.clone(),
                Form::Map | Form::MapSeq(_) if moved(e).is_some_and(writes) => {
                    let (lambda, xs) = unary(arguments);
                    let xs = Argument::Value(self.write(xs, top));
                    self.apply(e, *p, vec![Argument::Function(lambda.clone()), xs])
                }
                // Nothing is computed: the elements are copied one by one.
                Form::Map | Form::MapSeq(_) if moved(e).is_some() => self.copy(e, top),
                Form::Map | Form::MapSeq(_) => {
                    let (lambda, xs) = unary(arguments);
                    let body = self.write(&lambda.body, false);
                    self.apply(
                        e,
                        *p,
                        vec![
                            function(lambda, body),
                            Argument::Value(self.read(xs, element_demand(self, lambda, Once), top)),
                        ],
                    )
                }
                Form::Layout(_) if writes(e) => e.map_children(&mut |child| self.write(child, top)),
                Form::Concat | Form::Zip => e.map_children(&mut |child| self.write(child, top)),
                Form::Repeat if single(e).is_some_and(writes) => {
                    e.map_children(&mut |child| self.write(child, top))
                }
                Form::Unzip | Form::AsScalar if writes(e) => {
                    e.map_children(&mut |child| self.write(child, top))
                }
                Form::Kept(_) => e.map_children(&mut |child| self.write(child, top)),
                Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate => {
                    self.fold(e, *p, arguments, top)
                }
                _ => self.copy(e, top),
            },
            _ => self.copy(e, top),
        }
    }

    /// Placed by hand, and left so; what it is to read from global memory is written like anything else.
    fn by_hand(&self, e: &Expr) -> Expr {
        let Kind::Apply(p, arguments) = &*e.kind else { return e.clone() };
        let arguments = arguments.iter().map(|a| match a {
            Argument::Value(v) if matches!(p.form, Form::Kept(Space::Global)) => {
                Argument::Value(self.write(v, true))
            }
            Argument::Value(v) => Argument::Value(self.by_hand(v)),
            other => other.clone(),
        });
        self.apply(e, *p, arguments.collect())
    }

    /// A value that is only read, made one that is written: `map(|x| x, …)` in all its dimensions.
    fn copy(&self, e: &Expr, top: bool) -> Expr {
        identity(&self.ty(e), self.read(e, Once, top))
    }

    fn generator(&self, e: &Expr, p: Primitive, arguments: &[Argument]) -> Expr {
        let arguments = arguments.iter().map(|a| match a {
            Argument::Generator(var, body) => Argument::Generator(var.clone(), self.read(body, Once, false)),
            other => other.clone(),
        });
        self.apply(e, p, arguments.collect())
    }

    /// `reduce`, `scan`, `iterate`: the running value is written, the array is read once. An `iterate` that is
    /// launches has a step that stands outside all functions, as it does itself.
    fn fold(&self, e: &Expr, p: Primitive, arguments: &[Argument], top: bool) -> Expr {
        let values = arguments.iter().filter(|a| matches!(a, Argument::Value(_))).count();
        let launched = top && launches(&p.form, &self.ty(e));
        let mut seen = 0;
        let lowered = arguments.iter().map(|a| match a {
            Argument::Value(v) => {
                seen += 1;
                let is_array = seen == values && values > 1;
                let lambda = arguments.iter().find_map(as_function);
                match (is_array, lambda) {
                    // The first step reads it where it is.
                    _ if matches!((&p.form, &*v.kind), (Form::Iterate, Kind::Local(_))) => a.clone(),
                    (true, Some(lambda)) => {
                        Argument::Value(self.read(v, element_demand(self, lambda, Once), top))
                    }
                    _ => Argument::Value(self.write(v, top)),
                }
            }
            Argument::Function(lambda) => function(lambda, self.write(&lambda.body, launched)),
            other => other.clone(),
        });
        self.apply(e, p, lowered.collect())
    }

    /// A value bound by `let`, given how the rest reads it.
    fn bound(&self, pattern: &Pattern, value: &Expr, rest: &Expr, top: bool) -> Expr {
        if !holds_arrays(&self.ty(value)) {
            // A scalar is computed where it is bound; outside all functions that takes a kernel.
            let lowered = self.read(value, Once, false);
            return if top && self.folds(value) { self.keep(&lowered, value, top) } else { lowered };
        }
        // Each part of a tuple that is not made part by part takes all the work.
        let parts = pattern.locals().into_iter().map(|l| self.demand(rest, l, Once));
        let demand = match &*value.kind {
            Kind::Tuple(_) => parts.max().unwrap_or(Never),
            _ => parts.fold(Never, Demand::and),
        };
        self.read(value, demand, top)
    }

    /// A value whose elements are read, so often.
    fn read(&self, e: &Expr, demand: Demand, top: bool) -> Expr {
        match &*e.kind {
            Kind::Let(pattern, value, body) => {
                let value = self.bound(pattern, value, body, top);
                self.rebuilt(e, Kind::Let(pattern.clone(), value, self.read(body, demand, top)))
            }
            Kind::Typed(inner, _) => self.read(inner, demand, top),
            Kind::Apply(p, arguments) => self.read_primitive(e, *p, arguments, demand, top),
            _ => e.map_children(&mut |child| self.read(child, demand, top)),
        }
    }

    fn read_primitive(
        &self,
        e: &Expr,
        p: Primitive,
        arguments: &[Argument],
        demand: Demand,
        top: bool,
    ) -> Expr {
        match &p.form {
            Form::Spread(_) if top => self.keep(&self.by_hand(e), e, top),
            Form::Spread(_) => e.clone(),
            Form::Kept(_) => e.map_children(&mut |child| self.write(child, top)),
            // Its elements are kept as they come.
            Form::Ahead => e.map_children(&mut |child| self.read(child, Once, top)),
            Form::Map | Form::MapSeq(_) => {
                let (lambda, xs) = unary(arguments);
                if demand == Many && self.expensive(&lambda.body) {
                    return self.keep(&self.write(e, top), e, top);
                }
                let body = self.read(&lambda.body, demand, false);
                let xs = self.read(xs, element_demand(self, lambda, demand), top);
                self.apply(e, p, vec![function(lambda, body), Argument::Value(xs)])
            }
            Form::Generate if demand == Many && self.folds(e) => self.keep(&self.copy(e, top), e, top),
            Form::Generate => self.generator(e, p, arguments),
            Form::Reduce | Form::ReduceSeq(_) if !top && !holds_arrays(&self.ty(e)) => {
                self.fold(e, p, arguments, top)
            }
            Form::Iterate if !top && !holds_arrays(&self.ty(e)) => self.fold(e, p, arguments, top),
            Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate => {
                self.keep(&self.fold(e, p, arguments, top), e, top)
            }
            Form::Dot if top && self.loops(e) => {
                self.keep(&e.map_children(&mut |child| self.read(child, Once, top)), e, top)
            }
            Form::Layout(Layout { once: Some(once), .. }) if !self.holds(*once, e) => {
                e.map_children(&mut |child| self.read(child, Many, top))
            }
            Form::Repeat if single(e).is_none() => e.map_children(&mut |child| self.read(child, Many, top)),
            _ => e.map_children(&mut |child| self.read(child, demand, top)),
        }
    }

    /// Is this certain of an application's sizes?
    fn holds(&self, condition: fn(&Bindings) -> Condition, e: &Expr) -> bool {
        self.typed.bindings.get(&e.id).is_some_and(|bindings| self.facts.certain(&condition(bindings)))
    }

    /// Keeps `lowered`, which stands for `e`, in memory.
    fn keep(&self, lowered: &Expr, e: &Expr, top: bool) -> Expr {
        let space = if top || !fits_private(&self.ty(e), self.facts) { "toGlobal" } else { "toPrivate" };
        match Primitive::named(space) {
            Some(p) => e.with(Kind::Apply(p, vec![Argument::Value(lowered.clone())])),
            None => lowered.clone(),
        }
    }

    /// Does computing this take a loop, besides those of functions applied lazily?
    fn folds(&self, e: &Expr) -> bool {
        let mut found = false;
        e.visit(&mut |e| found |= self.loops(e));
        found
    }

    /// Is this itself a loop?
    fn loops(&self, e: &Expr) -> bool {
        let Kind::Apply(p, arguments) = &*e.kind else { return false };
        match (&p.form, arguments.first()) {
            (Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate, _) => true,
            (Form::Dot, Some(Argument::Value(xs))) => holds_arrays(&self.ty(xs)),
            _ => false,
        }
    }

    fn expensive(&self, body: &Expr) -> bool {
        let mut cost = 0;
        body.visit(&mut |e| {
            cost += match &*e.kind {
                Kind::Op(
                    Op::Exp | Op::Ln | Op::Sin | Op::Cos | Op::Tanh | Op::Pow | Op::Sqrt | Op::Div | Op::Rem,
                    _,
                ) => EXPENSIVE,
                Kind::Op(..) => 1,
                _ => 0,
            }
        });
        cost >= EXPENSIVE || self.folds(body)
    }

    /// Is a variable, read somewhere in `body`, more than scalars?
    fn is_array(&self, local: &Local, body: &Expr) -> bool {
        let mut found = false;
        body.visit(&mut |e| {
            found |= matches!(&*e.kind, Kind::Local(l) if l == local) && holds_arrays(&self.ty(e));
        });
        found
    }

    /// How often `e`, itself read so often, reads each element of a variable.
    fn demand(&self, e: &Expr, local: &Local, demand: Demand) -> Demand {
        let key = (e.id, local.index, demand);
        if let Some(known) = self.demands.borrow().get(&key) {
            return *known;
        }
        let found = self.demand_anew(e, local, demand);
        self.demands.borrow_mut().insert(key, found);
        found
    }

    fn demand_anew(&self, e: &Expr, local: &Local, demand: Demand) -> Demand {
        let many_inside = |body: &Expr| if body.uses(local) > 0 { Many } else { Never };
        match &*e.kind {
            Kind::Local(l) => {
                if l == local {
                    demand
                } else {
                    Never
                }
            }
            Kind::Let(pattern, value, body) => {
                let inner =
                    pattern.locals().into_iter().map(|l| self.demand(body, l, demand)).max().unwrap_or(Never);
                self.demand(value, local, inner).and(self.demand(body, local, demand))
            }
            Kind::If(c, then, otherwise) => {
                let branches = self.demand(then, local, demand).max(self.demand(otherwise, local, demand));
                self.demand(c, local, demand).and(branches)
            }
            Kind::Apply(p, arguments) => {
                let passes = match &p.form {
                    Form::Layout(Layout { once: Some(once), .. }) if !self.holds(*once, e) => Many,
                    Form::Repeat if single(e).is_some() => demand,
                    Form::Repeat | Form::Iterate => Many,
                    _ => demand,
                };
                let lambda = arguments.iter().find_map(as_function);
                arguments.iter().fold(Never, |sum, argument| {
                    sum.and(match argument {
                        Argument::Value(v) => {
                            let reads =
                                lambda.map_or(passes, |f| element_demand(self, f, passes).max(passes));
                            self.demand(v, local, reads)
                        }
                        Argument::Function(f) => many_inside(&f.body),
                        Argument::Generator(_, body) => many_inside(body),
                        _ => Never,
                    })
                })
            }
            _ => {
                e.children().into_iter().fold(Never, |sum, child| sum.and(self.demand(child, local, demand)))
            }
        }
    }

    fn apply(&self, e: &Expr, p: Primitive, arguments: Vec<Argument>) -> Expr {
        self.rebuilt(e, Kind::Apply(p, arguments))
    }

    fn rebuilt(&self, e: &Expr, kind: Kind) -> Expr {
        Expr { id: e.id, ..e.with(kind) }
    }
}

/// How often a function of elements reads each part of an element. A scalar element is computed
/// once and held, however often it is used.
fn element_demand(lowering: &Lowering, lambda: &Lambda, demand: Demand) -> Demand {
    let reads = lambda.params.iter().flat_map(Pattern::locals);
    let arrays = reads.filter(|l| lowering.is_array(l, &lambda.body));
    arrays.map(|l| lowering.demand(&lambda.body, l, Once)).max().unwrap_or(Never).max(demand)
}

/// `map(|x| x, value)`, once for each dimension of the type.
fn identity(ty: &Type, value: Expr) -> Expr {
    let (Type::Array(element, _), Some(map)) = (ty, Primitive::named("map")) else { return value };
    // The resolver counts from 1, and nothing else is in sight here.
    let local = Local { name: "x".into(), index: 0 };
    let x = Expr::local(&local);
    let site = value.site;
    let lambda = Lambda { site, params: vec![Pattern::Local(local)], body: identity(element, x) };
    Expr::new(site, Kind::Apply(map, vec![Argument::Function(lambda), Argument::Value(value)]))
}

/// Is this more than another view of something that is there?
pub fn writes(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Let(_, _, body) => writes(body),
        Kind::Tuple(_) | Kind::If(..) => true,
        Kind::Apply(p, arguments) => match (&p.form, arguments.last()) {
            (Form::Map | Form::MapSeq(_), Some(Argument::Value(xs))) if moved(e).is_some() => writes(xs),
            (Form::Map | Form::MapSeq(_) | Form::Spread(_) | Form::Concat, _) => true,
            (Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate, _) => true,
            (Form::Repeat, _) => single(e).is_some_and(writes),
            (form, Some(Argument::Value(v))) if writes_through(form, v) => writes(v),
            _ => false,
        },
        _ => false,
    }
}

/// The element of an array that has one: `repeat(1, x)`. It is written where the array goes.
pub fn single(e: &Expr) -> Option<&Expr> {
    let Kind::Apply(p, arguments) = &*e.kind else { return None };
    match (&p.form, &arguments[..]) {
        (Form::Repeat, [Argument::Size(n), Argument::Value(x)]) => (n.as_constant() == Some(1)).then_some(x),
        _ => None,
    }
}

/// Can a primitive's operand be written where its result goes? Where elements are left out that is
/// worth it only if the operand is placed: else those are never computed.
pub fn writes_through(form: &Form, operand: &Expr) -> bool {
    match form {
        Form::Layout(Layout { write: Some(_), keeps, .. }) => keeps.is_none() || is_placed(operand),
        Form::Unzip | Form::AsScalar | Form::Kept(_) => true,
        _ => false,
    }
}

fn is_placed(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Spread(_))));
    found
}

/// What a `map` of a function that only moves data is applied to: to write the result is to write
/// that, each element where the function would move it.
pub fn moved(e: &Expr) -> Option<&Expr> {
    match &*e.kind {
        Kind::Apply(p, arguments) => match (&p.form, &arguments[..]) {
            (
                Form::Map | Form::MapSeq(_),
                [Argument::Function(Lambda { params, body, .. }), Argument::Value(xs)],
            ) => {
                let [Pattern::Local(param)] = &params[..] else { return None };
                moves(body, param).then_some(xs)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Is this a variable, moved by primitives that can be written through?
fn moves(e: &Expr, param: &Local) -> bool {
    match &*e.kind {
        Kind::Local(local) => local == param,
        Kind::Apply(p, arguments) => match (&p.form, arguments.last()) {
            (
                Form::Layout(Layout { write: Some(_), .. }) | Form::Unzip | Form::AsScalar | Form::AsVector,
                Some(Argument::Value(v)),
            ) => moves(v, param),
            (Form::Map | Form::MapSeq(_), _) => moved(e).is_some_and(|xs| moves(xs, param)),
            _ => false,
        },
        _ => false,
    }
}

/// The value of a variable put in where it stands.
fn put(e: &Expr, local: &Local, value: &Expr) -> Expr {
    match &*e.kind {
        Kind::Local(l) if l == local => value.clone(),
        _ => e.map_children(&mut |child| put(child, local, value)),
    }
}

/// Outside all functions, is this a sequence of launches? Of scalars alone one work-item computes all steps.
pub fn launches(form: &Form, ty: &Type) -> bool {
    matches!(form, Form::Iterate) && holds_arrays(ty)
}

pub fn holds_arrays(ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Tuple(parts) => parts.iter().any(holds_arrays),
        _ => false,
    }
}

fn as_function(argument: &Argument) -> Option<&Lambda> {
    match argument {
        Argument::Function(lambda) => Some(lambda),
        _ => None,
    }
}

fn function(lambda: &Lambda, body: Expr) -> Argument {
    Argument::Function(Lambda { body, ..lambda.clone() })
}

/// The function and the array of a `map`.
fn unary(arguments: &[Argument]) -> (&Lambda, &Expr) {
    match arguments {
        [Argument::Function(lambda), Argument::Value(xs)] => (lambda, xs),
        // The checker has matched the arguments with the signature of `map`.
        _ => unreachable!("`map` takes a function and an array"),
    }
}
