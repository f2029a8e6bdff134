//! Programs in stages, as methods are written: values are bound one after the other, each made of those before as a
//! whole (repeated steps, sums, running results), and several of them are the result.

use super::build::{self, bound, call, expr, int, name};
use super::{ATTEMPTS, Generator};
use lift_core::nat::{Condition, Nat};
use lift_core::syntax::{Expr, ExprKind, Let};
use lift_core::types::{Scalar, Type};

impl Generator<'_> {
    /// A body in stages, presentable as a result.
    pub fn stages(&mut self, depth: usize) -> (Expr, Type) {
        let depth = depth.min(3);
        let outside = self.scope.len();
        let lets = self.bindings(1, depth);
        let (tail, ty) = self.ending(depth);
        self.scope.truncate(outside);
        (block(lets, tail), ty)
    }

    /// A few `let`s, whose variables are left in scope.
    fn bindings(&mut self, least: usize, depth: usize) -> Vec<Let> {
        let count = self.random.usize(least..4);
        (0..count)
            .map(|_| {
                let (value, ty) = self.stage(depth);
                Let { ty: None, pattern: self.parameter(&ty), value }
            })
            .collect()
    }

    /// A value that takes some work.
    fn stage(&mut self, depth: usize) -> (Expr, Type) {
        for _ in 0..ATTEMPTS {
            let (wheres, samples) = (self.wheres.len(), self.samples.clone());
            let found = match self.random.u8(0..12) {
                0..4 => self.repeated(depth),
                4 => self.total(depth),
                5 => {
                    let xs = self.array(depth);
                    self.reduced_to_state(xs, depth)
                }
                6 => self.running_states(depth),
                7 | 8 => {
                    let xs = if self.random.bool() { self.array(depth) } else { self.zipped(depth) };
                    self.mapped(xs, depth)
                }
                9 => self.product(depth),
                10 => {
                    let ty = self.state(1);
                    let one =
                        if self.random.bool() { self.built(&ty, depth) } else { self.chosen(&ty, depth) };
                    (one, ty)
                }
                _ => self.any(depth),
            };
            if self.is_small(&found.1) {
                return found;
            }
            self.wheres.truncate(wheres);
            self.samples = samples;
        }
        let s = self.scalar_type();
        (self.scalar(s, 1), Type::Scalar(s))
    }

    /// One thing, or several.
    fn ending(&mut self, depth: usize) -> (Expr, Type) {
        let count = [1, 1, 2, 2, 3][self.random.usize(0..5)];
        let (mut values, mut types) = (vec![], vec![]);
        for _ in 0..count {
            let (value, ty) = match self.random.u8(0..3) {
                0 => self.stage(depth),
                1 => self.newest(),
                _ => self.moved(),
            };
            let (value, ty) = self.shown(value, ty);
            values.push(value);
            types.push(ty);
        }
        match count {
            1 => (values.remove(0), types.remove(0)),
            _ => (expr(ExprKind::Tuple(values)), Type::tuple(types)),
        }
    }

    /// A result of the program, or a part of it. It must not be a tuple: what is presentable of one is taken.
    fn shown(&mut self, value: Expr, ty: Type) -> (Expr, Type) {
        let x = self.fresh();
        let (shown, result) = self.presentable(name(&x), &ty);
        match &shown.kind {
            ExprKind::Name(_) => (value, ty),
            _ => (bound(&x, value, shown), result),
        }
    }

    /// Something at hand, moved.
    fn moved(&mut self) -> (Expr, Type) {
        let scope = self.scope.clone();
        let (text, ty) = self.pick_late(&scope).clone();
        match &ty {
            Type::Array(element, n) => match (self.random.u8(0..3), &**element) {
                (0, Type::Array(inner, m)) => {
                    let turned = Type::array(Type::array((**inner).clone(), n.clone()), m.clone());
                    (call("transpose", vec![name(&text)]), turned)
                }
                (1, Type::Array(inner, m)) => {
                    (call("join", vec![name(&text)]), Type::array((**inner).clone(), n * m))
                }
                (2, _) => (name(&text), ty),
                _ => (call("reverse", vec![name(&text)]), ty),
            },
            _ => (name(&text), ty),
        }
    }

    /// What a method keeps from step to step.
    fn state(&mut self, deeper: usize) -> Type {
        match self.random.u8(0..8) {
            0..3 if deeper > 0 => {
                let count = self.random.usize(2..4);
                Type::tuple((0..count).map(|_| self.state(deeper - 1)).collect::<Vec<_>>())
            }
            3 => Type::array(Type::array(Type::Scalar(self.scalar_type()), self.length()), self.length()),
            4..7 => Type::array(Type::Scalar(self.scalar_type()), self.length()),
            _ => self.element_type(),
        }
    }

    fn small_state(&mut self) -> Type {
        for _ in 0..ATTEMPTS {
            let ty = self.state(1);
            if self.is_small(&ty) {
                return ty;
            }
        }
        Type::Scalar(Scalar::I32)
    }

    /// `iterate` of a step that holds intermediate results.
    fn repeated(&mut self, depth: usize) -> (Expr, Type) {
        let ty = self.small_state();
        let times = match self.random.u8(0..4) {
            0 => build::size(&self.length()),
            _ => int(self.random.i64(0..4)),
        };
        let start = self.of(&ty, depth);
        let step = self.function(std::slice::from_ref(&ty), |g| (g.step(&ty, depth), ())).0;
        (call("iterate", vec![times, step, start]), ty)
    }

    fn step(&mut self, ty: &Type, depth: usize) -> Expr {
        let outside = self.scope.len();
        let lets = if depth > 0 { self.bindings(0, depth - 1) } else { vec![] };
        let next = if self.random.u8(0..4) == 0 { self.chosen(ty, depth) } else { self.built(ty, depth) };
        self.scope.truncate(outside);
        block(lets, next)
    }

    /// One of two values, of whatever type.
    fn chosen(&mut self, ty: &Type, depth: usize) -> Expr {
        let condition = self.scalar(Scalar::Bool, 2);
        let [then, otherwise] = [0, 1].map(|_| Box::new(self.built(ty, depth.min(1))));
        expr(ExprKind::If(Box::new(condition), then, otherwise))
    }

    /// A value of this type, put together from parts.
    fn built(&mut self, ty: &Type, depth: usize) -> Expr {
        match ty {
            Type::Tuple(parts) => expr(ExprKind::Tuple(parts.iter().map(|p| self.built(p, depth)).collect())),
            Type::Array(element, n) if self.random.u8(0..3) > 0 => {
                let more = Condition::ge(n, Nat::constant(2));
                if depth > 0 && self.random.bool() && self.holds(&more) {
                    let parts = [Nat::constant(1), n - 1].map(|n| Type::array((**element).clone(), n));
                    let [a, b] = parts.map(|ty| self.built(&ty, depth - 1));
                    let (a, b) = if self.random.bool() { (a, b) } else { (b, a) };
                    return call("concat", vec![a, b]);
                }
                let xs = self.array_over(n, depth);
                self.mapped_by(xs, |g| (g.built(element, depth), (**element).clone())).0
            }
            ty => self.of(ty, depth),
        }
    }

    /// The sum, or the largest, of an array's terms.
    fn total(&mut self, depth: usize) -> (Expr, Type) {
        let (op, s) = self.sum();
        let xs = if self.random.bool() { self.array(depth) } else { self.zipped(depth) };
        let start = self.term(op, s, depth);
        (self.folded_by(op, s, start, xs, |g| g.term(op, s, depth)), Type::Scalar(s))
    }

    fn reduced_to_state(&mut self, (xs, ty): (Expr, Type), depth: usize) -> (Expr, Type) {
        let element = ty.as_array().expect("an array").0.clone();
        let result = self.small_state();
        let start = self.of(&result, depth);
        let f = self.function(&[result.clone(), element], |g| (g.step(&result, depth.min(1)), ())).0;
        (call("reduce", vec![start, f, xs]), result)
    }

    fn running_states(&mut self, depth: usize) -> (Expr, Type) {
        let (xs, ty) = if self.random.bool() { self.array(depth) } else { self.zipped(depth) };
        let (element, n) = ty.as_array().expect("an array");
        let result = self.small_state();
        let start = self.of(&result, depth);
        let f = self.function(&[result.clone(), element.clone()], |g| (g.step(&result, depth.min(1)), ())).0;
        (call("scan", vec![start, f, xs]), Type::array(result, n.clone()))
    }

    /// `dot` of two arrays of whole numbers.
    fn product(&mut self, depth: usize) -> (Expr, Type) {
        let (s, n) = (*self.pick(&[Scalar::I32, Scalar::U8, Scalar::I64]), self.length());
        let [xs, ys] = [0, 1].map(|_| self.array_of_scalars(s, &n, depth).0);
        (call("dot", vec![xs, ys]), Type::Scalar(s))
    }
}

fn block(lets: Vec<Let>, tail: Expr) -> Expr {
    match lets.is_empty() {
        true => tail,
        false => expr(ExprKind::Block(lets, Box::new(tail))),
    }
}
