//! Whole random programs.

use super::Generator;
use super::build::{self, bound, expr, field, named};
use super::call::Helper;
use super::shapes::Shape;
use lift_core::kernel::Space;
use lift_core::nat::{Nat, Var};
use lift_core::primitives::{self, Form, Primitive};
use lift_core::syntax::{Expr, ExprKind, Function, Param, PatternKind, SizeParam};
use lift_core::types::Type;
use std::collections::BTreeMap;

/// Sizes are tried up to this.
pub const LARGEST_SIZE: i64 = 6;

/// How deep primitives are nested.
const DEEPEST: usize = 6;

/// A random function of algorithmic primitives that the checker should accept.
pub fn function(random: &mut fastrand::Rng) -> Function {
    shaped(None, random)
}

/// The same with places of this shape.
pub fn shaped(shape: Option<Shape>, random: &mut fastrand::Rng) -> Function {
    let primitives: Vec<Primitive> = primitives::algorithmic().collect();
    one("program", ["N", "M", "K"], &primitives, &[], (shape, |g, depth| g.result(depth)), random).0
}

/// A random function in stages, which takes several kernels.
pub fn staged(random: &mut fastrand::Rng) -> Function {
    let primitives: Vec<Primitive> = primitives::algorithmic().collect();
    one("program", ["N", "M", "K"], &primitives, &[], (None, |g, depth| g.stages(depth)), random).0
}

/// Makes the body of a function, so deep.
type Body = fn(&mut Generator, usize) -> (Expr, Type);

/// A random block of functions of all primitives, the last of which calls some of the others.
pub fn program(random: &mut fastrand::Rng) -> Vec<Function> {
    // Where maps are spread over work-items, and what these share, is decided at the end.
    let nested = |p: &Primitive| !matches!(p.form, Form::Spread(_) | Form::Kept(Space::Local));
    let primitives: Vec<Primitive> = primitives::all().filter(nested).collect();
    let (mut functions, mut helpers) = (vec![], vec![]);
    for name in &["first", "second"][..random.usize(0..3)] {
        let (function, helper) =
            one(name, ["A", "B", "C"], &primitives, &helpers, (None, |g, depth| g.result(depth)), random);
        functions.push(function);
        helpers.push(helper);
    }
    let mut last =
        one("program", ["N", "M", "K"], &primitives, &helpers, (None, |g, depth| g.result(depth)), random).0;
    if random.bool() {
        let copied = [None, Some("toLocal"), Some("toItems"), Some("toLocalPitched")][random.usize(..4)];
        spread(&mut last.body, copied);
    }
    functions.push(last);
    functions
}

/// An outermost `map` over the work-items; one that maps its elements over groups and their work-items, which may
/// begin with a copy of what they read.
fn spread(e: &mut Expr, copied: Option<&str>) {
    match &mut e.kind {
        ExprKind::Block(_, tail) => spread(tail, copied),
        ExprKind::Call(callee, arguments) => match (&callee.kind, &mut arguments[..]) {
            (ExprKind::Name(text), [f, _]) if text == "map" => {
                let inner = match &mut f.kind {
                    ExprKind::Lambda(_, body) => {
                        placed(body, "mapLcl") && copied.is_none_or(|memory| copy(body, memory))
                    }
                    _ => false,
                };
                placed(e, if inner { "mapWrg" } else { "mapGlb" });
            }
            _ => arguments.iter_mut().for_each(|argument| spread(argument, copied)),
        },
        _ => {}
    }
}

/// `mapLcl(0, f, xs)` with `xs` in memory of the group.
fn copy(e: &mut Expr, memory: &str) -> bool {
    if let ExprKind::Call(_, arguments) = &mut e.kind
        && let Some(xs) = arguments.pop()
    {
        let same = build::lambda(vec![build::pattern(PatternKind::Name("same".into()))], build::name("same"));
        let copied = build::call("mapLcl", vec![build::int(0), same, xs]);
        // That has a pitch between its rows.
        arguments.push(match memory {
            "toLocalPitched" => {
                let rows = build::call("split", vec![build::int(1), copied]);
                build::call("join", vec![build::call(memory, vec![build::int(1), rows])])
            }
            _ => build::call(memory, vec![copied]),
        });
    }
    true
}

/// Turns a `map` into one over work-items of dimension 0.
fn placed(e: &mut Expr, primitive: &str) -> bool {
    let ExprKind::Call(callee, arguments) = &mut e.kind else { return false };
    let is_map = matches!(&callee.kind, ExprKind::Name(text) if text == "map");
    if is_map {
        **callee = build::name(primitive);
        arguments.insert(0, build::int(0));
    }
    is_map
}

fn one(
    text: &str,
    names: [&str; 3],
    primitives: &[Primitive],
    helpers: &[Helper],
    (shape, body): (Option<Shape>, Body),
    random: &mut fastrand::Rng,
) -> (Function, Helper) {
    let sizes: Vec<Var> = names[..random.usize(1..4)].iter().map(|text| Var::size(text)).collect();
    let samples = (0..40).map(|k| valuation(&sizes, k == 0, random)).collect();
    let empties = random.u8(0..8) == 0;
    let (wheres, scope, indices) = (vec![], vec![], vec![]);
    let primitives = primitives.to_vec();
    let mut g = Generator {
        random,
        sizes,
        samples,
        wheres,
        scope,
        indices,
        names: 0,
        helpers,
        primitives,
        empties,
        shape,
    };
    let params = g.params();
    let types = g.scope.iter().map(|(_, ty)| ty.clone()).collect();
    let depth = g.random.usize(3..=DEEPEST);
    let (body, result) = body(&mut g, depth);
    let function = Function {
        name: named(text),
        sizes: g.sizes.iter().map(|v| SizeParam { name: named(&v.name), tune: None }).collect(),
        params,
        result: Some(build::ty(&result)),
        wheres: g.wheres.iter().map(build::condition).collect(),
        body,
        public: true,
        strict: false,
        constant: false,
    };
    let helper = Helper { name: text.into(), sizes: g.sizes, params: types, result, wheres: g.wheres };
    (function, helper)
}

fn valuation(sizes: &[Var], ones: bool, random: &mut fastrand::Rng) -> BTreeMap<Var, i64> {
    sizes.iter().map(|v| (v.clone(), if ones { 1 } else { random.i64(1..=LARGEST_SIZE) })).collect()
}

impl Generator<'_> {
    /// Every size is the length of some parameter, and one parameter is an array at least.
    fn params(&mut self) -> Vec<Param> {
        let mut dimensions: Vec<Vec<Nat>> = vec![vec![]; self.random.usize(1..4)];
        for v in self.sizes.clone() {
            let at = self.random.usize(0..dimensions.len());
            dimensions[at].push(Nat::var(&v));
        }
        for lengths in &mut dimensions {
            if self.random.u8(0..3) == 0 && lengths.len() < 3 {
                lengths.push(self.length());
            }
        }
        let mut params = vec![];
        for (k, lengths) in dimensions.into_iter().enumerate() {
            let scalar = Type::Scalar(self.scalar_type());
            let ty = lengths.into_iter().fold(scalar, Type::array);
            let text = ["a", "b", "c"][k];
            params.push(Param { name: named(text), ty: build::ty(&ty), constant: self.random.bool() });
            self.scope.push((text.into(), ty));
        }
        params
    }

    /// A value made by several primitives, presentable as a result.
    fn result(&mut self, depth: usize) -> (Expr, Type) {
        let mut wanted = self.random.usize(1..=6);
        let (e, ty) = loop {
            let (wheres, samples) = (self.wheres.len(), self.samples.clone());
            let (e, ty) = self.any(depth);
            if calls(&e) >= wanted && self.is_small(&ty) {
                break (e, ty);
            }
            // What only a discarded value asked for is asked for no more.
            self.wheres.truncate(wheres);
            self.samples = samples;
            wanted = wanted.saturating_sub(self.random.usize(0..2)).max(1);
        };
        let Type::Tuple(parts) = &ty else { return self.presentable(e, &ty) };
        let fresh = self.fresh();
        let whole = || build::name(&fresh);
        let (values, types): (Vec<Expr>, Vec<Type>) =
            parts.iter().enumerate().map(|(k, part)| self.presentable(field(whole(), k), part)).unzip();
        (bound(&fresh, e, expr(ExprKind::Tuple(values))), Type::tuple(types))
    }
}

/// How many primitives and functions are applied.
fn calls(e: &Expr) -> usize {
    super::print::expr(e).matches('(').count()
}
