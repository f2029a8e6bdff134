//! Expressions of scalars.

use super::{AND, ATOM, Bound, EQUAL, OR, ORDER, PRODUCT, SELECT, SHIFT, SUM, UNARY, Writer, at_least};
use crate::kernel::{Array, Expr, Space};
use crate::nat::{Condition, Nat};
use crate::scalar::{Op, Value};
use crate::types::Scalar;

impl Writer<'_> {
    pub fn expr(&mut self, e: &Expr) -> Bound {
        match e {
            Expr::Literal(v) => {
                let text = self.dialect.literal(*v);
                let strength = if text.starts_with('-') { UNARY } else { ATOM };
                (text, strength)
            }
            Expr::Local(l) => (self.local(l), ATOM),
            Expr::Parameter { name, .. } => (self.parameter(name), ATOM),
            Expr::Index(nat, s) => {
                let text = self.nat_bound(nat, UNARY);
                (format!("({}){text}", self.dialect.scalar(*s)), UNARY)
            }
            Expr::Test(condition) => self.condition(condition),
            Expr::Load(array, index, width) => {
                let (name, text) = (self.array(array), self.nat(index).0);
                if *width == array.width {
                    return (format!("{name}[{text}]"), ATOM);
                }
                let aligned = self.aligned(array, index, *width);
                (self.dialect.vector_at(array, &place(&name, &text), *width, aligned), UNARY)
            }
            Expr::Splat(inner, width) => {
                let text = self.expr(inner).0;
                (self.dialect.vector(inner.scalar(), *width, &[text]), UNARY)
            }
            Expr::Lanes(parts) => {
                let texts: Vec<String> = parts.iter().map(|p| self.expr(p).0).collect();
                (self.dialect.vector(e.scalar(), e.width(), &texts), UNARY)
            }
            Expr::Lane(inner, k) => {
                let text = at_least(self.expr(inner), ATOM);
                (self.dialect.lane(&text, *k), ATOM)
            }
            Expr::Op(op, s, operands) => self.op(e, *op, *s, operands),
            Expr::Cast(from, to, x) => self.cast(*from, *to, x),
            Expr::Select(condition, then, otherwise) if condition.width() > 1 => {
                let [condition, then, otherwise] = [condition, then, otherwise].map(|e| self.expr(e).0);
                (self.dialect.chosen(e.scalar(), e.width(), [&condition, &then, &otherwise]), ATOM)
            }
            Expr::Select(condition, then, otherwise) => {
                let c = at_least(self.expr(condition), SELECT + 1);
                let t = self.under(condition, |w| w.branch(then, SELECT + 1));
                let o = self.branch(otherwise, SELECT);
                let [t, o] = [t, o].map(|text| match e.width() {
                    1 => text,
                    width => self.dialect.vector_branch(e.scalar(), width, text),
                });
                (format!("{c} ? {t} : {o}"), SELECT)
            }
        }
    }

    /// A branch of a choice: what it loads is loaded only if it is chosen.
    fn branch(&mut self, e: &Expr, level: u8) -> String {
        let text = at_least(self.expr(e), level);
        if e.loads_scalars() && !self.lone { self.dialect.guarded(text) } else { text }
    }

    fn cast(&mut self, from: Scalar, to: Scalar, x: &Expr) -> Bound {
        let text = self.expr(x);
        if x.width() > 1 {
            return (self.dialect.converted(from, to, x.width(), &text.0), ATOM);
        }
        if to == Scalar::Bool {
            return (format!("{} != 0", at_least(text, EQUAL + 1)), EQUAL);
        }
        if from.is_float() && to.is_integer() {
            return (self.dialect.saturate(from, to, &text.0), ATOM);
        }
        (format!("({}){}", self.dialect.scalar(to), at_least(text, UNARY)), UNARY)
    }

    /// Is a vector of this width at this index aligned to its size? Buffers are, and local arrays are declared so; other arrays
    /// begin wherever one of their elements may.
    pub fn aligned(&self, array: &Array, index: &Nat, width: u8) -> bool {
        match array.space {
            Space::Global | Space::Local => {
                self.proves(&Condition::divides(Nat::from(i64::from(width)), index))
            }
            Space::Private | Space::Items | Space::Constant => false,
        }
    }

    /// The operands of `a * b + c` with a single rounding, and its name, where that is how the device does it.
    pub fn contracted<'e>(&self, e: &'e Expr) -> Option<(&'static str, [&'e Expr; 3])> {
        let operands = e.multiply_add().filter(|_| !self.strict)?;
        Some((self.dialect.fma()?, operands))
    }

    fn op(&mut self, e: &Expr, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        if let Some((fma, operands)) = self.contracted(e) {
            let texts = operands.map(|e| self.expr(e).0);
            return (format!("{fma}({})", texts.join(", ")), ATOM);
        }
        let width = operands.iter().map(Expr::width).max().unwrap_or(1);
        if width > 1
            && let Some(function) = self.dialect.called(op, s, width)
        {
            let texts: Vec<String> = operands.iter().map(|o| self.expr(o).0).collect();
            return (format!("{function}({})", texts.join(", ")), ATOM);
        }
        let text = self.op_unwrapped(op, s, operands);
        // C computes small integers as `int`; the language wraps them in their own type.
        let arithmetic = !op.compares() && s.is_integer() && s.bytes() < 4;
        if arithmetic
            && width == 1
            && !must_wrap(op, s, operands)
            && !matches!(op, Op::Min | Op::Max | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shr)
        {
            return (format!("({}){}", self.dialect.scalar(s), at_least(text, UNARY)), UNARY);
        }
        text
    }

    /// Arithmetic through an unsigned type, where C leaves an overflow undefined.
    fn wrapping(&mut self, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        let width = operands.iter().map(Expr::width).max().unwrap_or(1);
        if width > 1 {
            let wide = self.dialect.ty(unsigned(s, width), width);
            let operand = |w: &mut Self, o: &Expr| {
                let text = w.expr(o).0;
                w.dialect.reinterpreted(&wide, &text)
            };
            let operands: Vec<String> = operands.iter().map(|o| operand(self, o)).collect();
            let text = match &operands[..] {
                [one] => format!("-{one}"),
                _ => operands.join(&format!(" {} ", op.name())),
            };
            return (self.dialect.reinterpreted(&self.dialect.ty(s, width), &text), UNARY);
        }
        let (own, wide) = (self.dialect.scalar(s), self.dialect.scalar(unsigned(s, 1)));
        let operands: Vec<String> =
            operands.iter().map(|o| format!("({wide}){}", at_least(self.expr(o), UNARY))).collect();
        let text = match &operands[..] {
            [one] => format!("-{one}"),
            _ => operands.join(&format!(" {} ", op.name())),
        };
        (format!("({own})({text})"), UNARY)
    }

    fn op_unwrapped(&mut self, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        if matches!(op, Op::Div | Op::Rem) && s.is_integer() {
            return self.integer_division(op, s, operands);
        }
        if must_wrap(op, s, operands) {
            return self.wrapping(op, s, operands);
        }
        if op == Op::Rem || !(op.is_infix() || matches!(op, Op::Neg | Op::Not)) {
            let arguments: Vec<String> = operands.iter().map(|o| self.expr(o).0).collect();
            let width = operands.iter().map(Expr::width).max().unwrap_or(1);
            return (self.dialect.function(op, s, width, &arguments), ATOM);
        }
        if op.arity() == 1 {
            let symbol = if op == Op::Not && s != Scalar::Bool { "~" } else { op.name() };
            let operand = at_least(self.expr(&operands[0]), UNARY);
            // `--x` would be a decrement.
            let operand = if operand.starts_with('-') { format!("({operand})") } else { operand };
            return (format!("{symbol}{operand}"), UNARY);
        }
        if matches!(op, Op::Shl | Op::Shr) {
            let left = at_least(self.expr(&operands[0]), SHIFT);
            let known = match &operands[1] {
                Expr::Literal(v) => v.to_integer(),
                _ => None,
            };
            let right = match (known, &operands[1]) {
                (Some(n), _) => n.rem_euclid(8 * s.bytes() as i128).to_string(),
                (None, other) => format!("({} & {})", at_least(self.expr(other), SUM), 8 * s.bytes() - 1),
            };
            return (format!("{left} {} {right}", op.name()), SHIFT);
        }
        let strength = match op {
            Op::Mul | Op::Div => PRODUCT,
            Op::Add | Op::Sub => SUM,
            Op::Lt | Op::Le | Op::Gt | Op::Ge => ORDER,
            Op::Eq | Op::Ne => EQUAL,
            Op::And => AND,
            Op::Or => OR,
            // Bitwise operators bind oddly in C: always in parentheses.
            _ => 0,
        };
        let (left, right) = (self.expr(&operands[0]), self.expr(&operands[1]));
        if strength == 0 {
            return (format!("({} {} {})", at_least(left, SHIFT), op.name(), at_least(right, SHIFT)), ATOM);
        }
        (format!("{} {} {}", at_least(left, strength), op.name(), at_least(right, strength + 1)), strength)
    }

    /// Division by zero is zero in the language, a trap in C; so is the smallest number by -1.
    fn integer_division(&mut self, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        let left = at_least(self.expr(&operands[0]), PRODUCT);
        let right = at_least(self.expr(&operands[1]), PRODUCT + 1);
        let plain = (format!("{left} {} {right}", op.name()), PRODUCT);
        match &operands[1] {
            Expr::Literal(v) if v.to_integer() == Some(0) => {
                (self.dialect.literal(Value::from_integer(0, s)), ATOM)
            }
            Expr::Literal(v) if v.to_integer() != Some(-1) => plain,
            _ => {
                let special = match op {
                    Op::Div if s.is_signed() => {
                        let (own, wide) = (self.dialect.scalar(s), self.dialect.scalar(unsigned(s, 1)));
                        format!("{right} == 0 ? 0 : {right} == -1 ? ({own})-({wide})({left})")
                    }
                    Op::Rem if s.is_signed() => format!("{right} == 0 || {right} == -1 ? 0"),
                    _ => format!("{right} == 0 ? 0"),
                };
                (format!("({special} : {})", plain.0), ATOM)
            }
        }
    }
}

/// Is an overflow of this operation undefined in C? Types smaller than `int` are computed as `int`, which only
/// products of the largest of them overflow; in vectors they stay as they are.
pub fn must_wrap(op: Op, s: Scalar, operands: &[Expr]) -> bool {
    match s {
        Scalar::I32 | Scalar::I64 => matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg),
        Scalar::I8 | Scalar::I16 => {
            matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg) && operands.iter().any(|o| o.width() > 1)
        }
        Scalar::U16 => op == Op::Mul && operands.iter().all(|o| o.width() == 1),
        _ => false,
    }
}

/// The unsigned type in which the arithmetic of another wraps: as wide in vectors, and for numbers what C computes with.
fn unsigned(s: Scalar, width: u8) -> Scalar {
    match (s, width) {
        (Scalar::I64, _) => Scalar::U64,
        (Scalar::I16, 2..) => Scalar::U16,
        (Scalar::I8, 2..) => Scalar::U8,
        _ => Scalar::U32,
    }
}

/// The address of an element.
pub fn place(name: &str, index: &str) -> String {
    if index == "0" { name.to_string() } else { format!("{name} + {index}") }
}
