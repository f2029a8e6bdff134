//! Whole random programs.

use super::Generator;
use super::build::{self, bound, expr, field, named};
use super::call::Helper;
use lift_core::nat::{Nat, Var};
use lift_core::syntax::{Expr, ExprKind, Function, Param, SizeParam};
use lift_core::types::Type;
use std::collections::HashMap;

/// Sizes are tried up to this.
pub const LARGEST_SIZE: i64 = 6;

/// How deep primitives are nested.
const DEEPEST: usize = 6;

/// A random function that the checker should accept.
pub fn function(random: &mut fastrand::Rng) -> Function {
    one("program", ["N", "M", "K"], &[], random).0
}

/// A random block of functions, the last of which calls some of the others.
pub fn program(random: &mut fastrand::Rng) -> Vec<Function> {
    let (mut functions, mut helpers) = (vec![], vec![]);
    for name in &["first", "second"][..random.usize(0..3)] {
        let (function, helper) = one(name, ["A", "B", "C"], &helpers, random);
        functions.push(function);
        helpers.push(helper);
    }
    functions.push(one("program", ["N", "M", "K"], &helpers, random).0);
    functions
}

fn one(text: &str, names: [&str; 3], helpers: &[Helper], random: &mut fastrand::Rng) -> (Function, Helper) {
    let sizes: Vec<Var> = names[..random.usize(1..4)].iter().map(|text| Var::size(text)).collect();
    let samples = (0..40).map(|k| valuation(&sizes, k == 0, random)).collect();
    let empties = random.u8(0..8) == 0;
    let (wheres, scope, indices) = (vec![], vec![], vec![]);
    let mut g = Generator { random, sizes, samples, wheres, scope, indices, names: 0, helpers, empties };
    let params = g.params();
    let types = g.scope.iter().map(|(_, ty)| ty.clone()).collect();
    let depth = g.random.usize(3..=DEEPEST);
    let (body, result) = g.result(depth);
    let function = Function {
        name: named(text),
        sizes: g.sizes.iter().map(|v| SizeParam { name: named(&v.name), tune: None }).collect(),
        params,
        result: Some(build::ty(&result)),
        wheres: g.wheres.iter().map(build::condition).collect(),
        body,
        public: true,
        strict: false,
    };
    let helper = Helper { name: text.into(), sizes: g.sizes, params: types, result, wheres: g.wheres };
    (function, helper)
}

fn valuation(sizes: &[Var], ones: bool, random: &mut fastrand::Rng) -> HashMap<Var, i64> {
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
