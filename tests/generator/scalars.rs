//! Random expressions of scalars.
//!
//! Floats are small multiples of a power of two and are only added, compared, doubled and halved: every
//! execution computes them exactly, in whatever order, so that a comparison or a conversion has
//! one right answer. Integers know no such care, for they wrap the same everywhere.

use super::Generator;
use super::build::{binary, bound, call, cast, condition, expr, field, name};
use lift_core::nat::{Condition, Nat};
use lift_core::scalar::Op;
use lift_core::syntax::{Binary, Expr, ExprKind, Unary};
use lift_core::types::{Scalar, Type};

const EXACT: [Op; 7] = [Op::Add, Op::Sub, Op::Min, Op::Max, Op::Neg, Op::Abs, Op::Mul];

const BINARY: [Binary; 18] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::And,
    Binary::Or,
    Binary::BitAnd,
    Binary::BitOr,
    Binary::BitXor,
    Binary::Shl,
    Binary::Shr,
];

impl Generator<'_> {
    /// The types of elements: mostly four, now and then any but `f16`, which few devices know.
    pub fn scalar_type(&mut self) -> Scalar {
        const USUAL: [Scalar; 4] = [Scalar::F32, Scalar::I32, Scalar::U8, Scalar::Bool];
        const OTHERS: [Scalar; 7] =
            [Scalar::I8, Scalar::I16, Scalar::U16, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F64];
        if self.random.u8(0..8) == 0 { *self.pick(&OTHERS) } else { *self.pick(&USUAL) }
    }

    pub fn scalar(&mut self, s: Scalar, depth: usize) -> Expr {
        let leaves = self.scalars_in_scope(s);
        if depth == 0 || (!leaves.is_empty() && self.random.u8(0..4) == 0) {
            return match leaves.is_empty() || self.random.u8(0..6) == 0 {
                true => self.literal(s),
                false => self.pick_late(&leaves).clone(),
            };
        }
        match self.random.u8(0..12) {
            0 => self.converted(s, depth - 1),
            1 => {
                let c = self.scalar(Scalar::Bool, depth - 1);
                let (then, otherwise) = (self.scalar(s, depth - 1), self.scalar(s, depth - 1));
                expr(ExprKind::If(Box::new(c), Box::new(then), Box::new(otherwise)))
            }
            2 => {
                let other = self.scalar_type();
                let (fresh, value) = (self.fresh(), self.scalar(other, depth - 1));
                self.scope.push((fresh.clone(), Type::Scalar(other)));
                let tail = self.scalar(s, depth - 1);
                self.scope.pop();
                bound(&fresh, value, tail)
            }
            3 | 4 => self.folded(s, depth - 1),
            5 if s == Scalar::Bool => condition(&self.test()),
            6..10 if s == Scalar::Bool => {
                let other = self.scalar_type();
                let ops: Vec<Op> = Op::ALL.iter().copied().filter(|op| op.compares()).collect();
                let op = *self.pick(&ops);
                self.operation(op, other, depth - 1)
            }
            _ => {
                let fits = |op: &Op| {
                    op.domain().contains(s) && !op.compares() && (!s.is_float() || EXACT.contains(op))
                };
                let ops: Vec<Op> = Op::ALL.iter().copied().filter(fits).collect();
                let op = *self.pick(&ops);
                self.operation(op, s, depth - 1)
            }
        }
    }

    /// `op` applied to operands of type `s`.
    fn operation(&mut self, op: Op, s: Scalar, depth: usize) -> Expr {
        let mut operands: Vec<Expr> = (0..op.arity()).map(|_| self.scalar(s, depth)).collect();
        if s.is_float() && op == Op::Mul {
            operands[1] = float(*self.pick(&[0.5, 2.0, 0.0]), s);
        }
        self.operated(op, operands)
    }

    /// The operator as it is written.
    pub fn operated(&self, op: Op, mut operands: Vec<Expr>) -> Expr {
        match (op, operands.len()) {
            (Op::Neg, _) => expr(ExprKind::Unary(Unary::Neg, Box::new(operands.remove(0)))),
            (Op::Not, _) => expr(ExprKind::Unary(Unary::Not, Box::new(operands.remove(0)))),
            (op, 2) if op.is_infix() => {
                let written =
                    BINARY.into_iter().find(|b| b.symbol() == op.name()).expect("every operator is written");
                let b = operands.remove(1);
                binary(written, operands.remove(0), b)
            }
            (op, _) => call(op.name(), operands),
        }
    }

    /// From another type, or from a size or an index.
    fn converted(&mut self, s: Scalar, depth: usize) -> Expr {
        if s == Scalar::Bool {
            return self.scalar(s, depth);
        }
        if self.random.bool() {
            let n = self.index_or_size();
            return cast(super::build::size(&n), s);
        }
        let at_hand = self.scope.iter().rev().find_map(|(_, ty)| ty.as_scalar());
        let from = match at_hand.filter(|_| self.random.bool()).unwrap_or_else(|| self.scalar_type()) {
            // Rust has no such conversion.
            Scalar::Bool if s.is_float() => Scalar::U8,
            other => other,
        };
        cast(self.scalar(from, depth), s)
    }

    /// An array in scope, reduced.
    fn folded(&mut self, s: Scalar, depth: usize) -> Expr {
        let arrays: Vec<(String, Type)> =
            self.scope.iter().filter(|(_, t)| matches!(t, Type::Array(..))).cloned().collect();
        if arrays.is_empty() {
            return self.scalar(s, depth);
        }
        let (array, ty) = self.pick_late(&arrays).clone();
        let (element, _) = ty.as_array().expect("only arrays are left");
        let start = self.literal(s);
        let (acc, x) = (self.fresh(), self.fresh());
        self.scope.push((acc.clone(), Type::Scalar(s)));
        self.scope.push((x.clone(), element.clone()));
        let body = self.scalar(s, depth.min(2));
        self.scope.truncate(self.scope.len() - 2);
        let params = [acc, x].map(|text| super::build::pattern(lift_core::syntax::PatternKind::Name(text)));
        // The start decides the type: a bare literal would be `i32` or `f32`.
        let start = if s == Scalar::Bool { start } else { cast(start, s) };
        call("reduce", vec![start, super::build::lambda(params.to_vec(), body), name(&array)])
    }

    pub fn literal(&mut self, s: Scalar) -> Expr {
        match s {
            Scalar::Bool => expr(ExprKind::Bool(self.random.bool())),
            s if s.is_float() && self.shape.is_none() && self.random.u8(0..16) == 0 => {
                name(&format!("{s}::{}", self.pick(&["INFINITY", "NEG_INFINITY", "MAX", "MIN"])))
            }
            s if s.is_float() => {
                let suffix = Some(s).filter(|_| self.suffixed());
                signed(self.random.i32(-4..=4).into(), suffix)
            }
            s => {
                let (least, most) = s.integer_range().expect("an integer");
                let n = self.random.i128(least.max(-5)..=most.min(9));
                let edge = if self.random.u8(0..8) == 0 { *self.pick(&[least, most]) } else { n };
                let suffix = Some(s).filter(|_| self.suffixed());
                let magnitude = expr(ExprKind::Int(edge.unsigned_abs(), suffix));
                if edge < 0 { expr(ExprKind::Unary(Unary::Neg, Box::new(magnitude))) } else { magnitude }
            }
        }
    }

    /// Is a literal's type written, or left to its place?
    fn suffixed(&mut self) -> bool {
        self.shape.is_none() || self.random.u8(0..4) > 0
    }

    /// Variables of this type, and parts of tuples.
    pub fn scalars_in_scope(&self, s: Scalar) -> Vec<Expr> {
        fn reach(e: Expr, ty: &Type, s: Scalar, found: &mut Vec<Expr>) {
            match ty {
                Type::Scalar(t) if *t == s => found.push(e),
                Type::Tuple(parts) => {
                    parts.iter().enumerate().for_each(|(k, part)| reach(field(e.clone(), k), part, s, found));
                }
                _ => {}
            }
        }
        let mut found = vec![];
        self.scope.iter().for_each(|(text, ty)| reach(name(text), ty, s, &mut found));
        found
    }

    fn index_or_size(&mut self) -> Nat {
        let indices = self.indices.clone();
        let sizes: Vec<Nat> = self.sizes.iter().map(Nat::var).collect();
        match indices.is_empty() || self.random.u8(0..4) == 0 {
            true => self.pick(&sizes).clone(),
            false => Nat::size(self.pick::<String>(&indices)),
        }
    }

    /// A comparison of sizes and indices.
    fn test(&mut self) -> Condition {
        let (a, b) = (self.index_or_size(), self.index_or_size());
        match self.random.u8(0..5) {
            0 => Condition::lt(&a, &b),
            4 => {
                let size = Nat::var(&self.pick(&self.sizes.clone()).clone());
                Condition::ge(a.div(&size), Nat::constant(1))
            }
            1 => Condition::ge(&a, Nat::constant(self.random.i64(0..4))),
            2 => Condition::eq(a.rem(&Nat::constant(2)), Nat::constant(0)),
            _ => Condition::le(&(&a + 1), &b).or(Condition::ne(&b, Nat::constant(2))),
        }
    }
}

fn float(x: f64, s: Scalar) -> Expr {
    signed(x, Some(s))
}

fn signed(x: f64, suffix: Option<Scalar>) -> Expr {
    let literal = expr(ExprKind::Float(x.abs(), suffix));
    if x < 0.0 { expr(ExprKind::Unary(Unary::Neg, Box::new(literal))) } else { literal }
}
