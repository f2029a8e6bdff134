//! Nests of loops as users write them, drawn at random: layers of networks, products, reductions, prefix sums, stencils,
//! transpositions. Sizes are parameters or numbers, arrays are stored in any order, and what computes the same is spelled
//! in different ways.

mod moved;
mod scans;
mod sums;
mod windows;

use super::build::{binary, bound, call, cast, condition, expr, int, lambda, name, named, pattern, ty};
use lift_core::nat::{Condition, Nat, Relation, Var};
use lift_core::syntax::{
    Binary, Expr, ExprKind, Function, Param, PatternKind, SizeParam, TypeExpr, TypeKind, Unary,
};
use lift_core::types::{Scalar, Type};

/// Makes the body of one kind of nest.
type Kind = fn(&mut Writer) -> Expr;

const KINDS: [(&str, Kind); 13] = [
    ("convolution", windows::convolution),
    ("depthwise", windows::depthwise),
    ("transposed convolution", windows::transposed),
    ("stencil", windows::stencil),
    ("product", sums::product),
    ("vector", sums::vector),
    ("rows", sums::rows),
    ("total", sums::total),
    ("normalised", sums::normalised),
    ("chained", sums::chained),
    ("scan", scans::scan),
    ("transposition", moved::transposition),
    ("elements", moved::elements),
];

/// A nest of any kind, or of one of these.
pub fn nest(among: &[&str], random: &mut fastrand::Rng) -> Function {
    let kinds: Vec<Kind> = KINDS
        .iter()
        .filter(|(kind, _)| among.is_empty() || among.contains(kind))
        .map(|(_, write)| *write)
        .collect();
    assert!(kinds.len() >= among.len(), "of {among:?} some are no kinds of nests");
    let kind = kinds[random.usize(0..kinds.len())];
    let scalar = match random.u8(0..16) {
        0 | 1 => Scalar::F16,
        2 => Scalar::F64,
        3 | 4 => Scalar::I32,
        5 => [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U32, Scalar::I64][random.usize(0..5)],
        _ => Scalar::F32,
    };
    let stored = match scalar {
        _ if random.u8(0..6) > 0 => scalar,
        Scalar::F64 => Scalar::F32,
        Scalar::F32 => [Scalar::F16, Scalar::I8, Scalar::U8, Scalar::I32][random.usize(0..4)],
        _ => [Scalar::I8, Scalar::U8][random.usize(0..2)],
    };
    let mut writer =
        Writer { random, scalar, stored, sizes: vec![], params: vec![], wheres: vec![], names: 0 };
    let body = kind(&mut writer);
    let Writer { sizes, params, wheres, .. } = writer;
    Function {
        name: named("program"),
        sizes: sizes.iter().map(|text| SizeParam { name: named(text), tune: None }).collect(),
        params,
        result: None,
        wheres: wheres.iter().map(condition).collect(),
        body,
        public: true,
        strict: false,
        constant: false,
    }
}

/// A function that is being written.
pub struct Writer<'a> {
    random: &'a mut fastrand::Rng,
    /// The type of what is computed.
    scalar: Scalar,
    /// The type of what is given.
    stored: Scalar,
    sizes: Vec<String>,
    params: Vec<Param>,
    wheres: Vec<Condition>,
    names: usize,
}

impl Writer<'_> {
    /// Once in so many times.
    fn once_in(&mut self, many: u8) -> bool {
        self.random.u8(0..many) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())]
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    /// A size of which callers choose, as a length.
    fn size(&mut self, text: &str) -> Nat {
        self.sizes.push(text.into());
        Nat::var(&Var::size(text))
    }

    /// Now and then a number instead, or a multiple.
    fn length(&mut self, text: &str) -> Nat {
        match self.random.u8(0..12) {
            0 => Nat::constant(self.pick(&[1, 2, 3, 4, 6, 8])),
            1 => self.size(text) * 2,
            2 => self.size(text) * 4,
            3 => self.size(text) + 1,
            _ => self.size(text),
        }
    }

    /// A small number, or a size.
    fn few(&mut self, text: &str, numbers: &[i64]) -> Nat {
        if self.once_in(6) { self.size(text) } else { Nat::constant(self.pick(numbers)) }
    }

    /// What the program asks of its sizes, where that is not known.
    fn demand(&mut self, more: &Nat, less: &Nat) {
        if more.as_constant().is_none() || less.as_constant().is_none() {
            self.wheres.push(Condition::Compare(Relation::Ge, more.clone(), less.clone()));
        }
    }

    /// A parameter.
    fn input(&mut self, text: &str, lengths: &[Nat], constant: bool) -> Expr {
        let scalar = ty(&Type::Scalar(self.stored));
        let array = |element: TypeExpr, n: &Nat| TypeExpr {
            kind: TypeKind::Array(Box::new(element), Box::new(super::build::size(n))),
            site: scalar.site,
        };
        let ty = lengths.iter().rev().fold(scalar.clone(), array);
        self.params.push(Param { name: named(text), ty, constant });
        match self.stored == self.scalar {
            true => name(text),
            false => self.deep(lengths.len(), name(text), |w, x| cast(x, w.scalar)),
        }
    }

    /// An array of these lengths, stored in some order; now and then something is done to it first.
    fn array(&mut self, text: &str, lengths: &[Nat], constant: bool) -> Expr {
        match (self.random.u8(0..20), lengths) {
            (0, _) => {
                let xs = self.array_in_any_order(text, lengths, constant);
                self.deep(lengths.len(), xs, |w, x| w.ended(x))
            }
            (1, [_, ..]) => call("reverse", vec![self.array_in_any_order(text, lengths, constant)]),
            (2, [first, rest @ ..]) => {
                let longer = [&[first + 2], rest].concat();
                let xs = self.array_in_any_order(text, &longer, constant);
                call("take", vec![size(first), call("drop", vec![number(1), xs])])
            }
            (3, [_, ..]) => {
                let xs = self.array_in_any_order(text, lengths, constant);
                let ys = self.array_in_any_order(&format!("{text}_2"), lengths, constant);
                moved::zipped(self, lengths.len(), xs, ys)
            }
            _ => self.array_in_any_order(text, lengths, constant),
        }
    }

    fn array_in_any_order(&mut self, text: &str, lengths: &[Nat], constant: bool) -> Expr {
        let mut stored = lengths.to_vec();
        let mut swaps = vec![];
        while stored.len() > 1 && swaps.len() < 3 && self.once_in(3) {
            let at = self.random.usize(0..stored.len() - 1);
            stored.swap(at, at + 1);
            swaps.push(at);
        }
        let stored = self.input(text, &stored, constant);
        swaps.into_iter().rev().fold(stored, |xs, at| self.swapped(at, xs))
    }

    /// The array with this dimension and the next one the other way round.
    fn swapped(&mut self, at: usize, xs: Expr) -> Expr {
        self.deep(at, xs, |_, xs| call("transpose", vec![xs]))
    }

    /// A result of so many dimensions, now and then in another order.
    fn turned(&mut self, rank: usize, xs: Expr) -> Expr {
        match rank > 1 && self.once_in(4) {
            true => {
                let at = self.random.usize(0..rank - 1);
                self.swapped(at, xs)
            }
            false => xs,
        }
    }

    /// `map` in `map`, so deep.
    fn deep(&mut self, depth: usize, xs: Expr, f: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        if depth == 0 {
            return f(self, xs);
        }
        let x = self.fresh();
        let body = self.deep(depth - 1, name(&x), f);
        call("map", vec![lambda(vec![pattern(PatternKind::Name(x))], body), xs])
    }

    fn map(&mut self, xs: Expr, f: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        self.deep(1, xs, f)
    }

    /// A function of a tuple's parts, applied to each element of arrays side by side.
    fn map_all(&mut self, mut arrays: Vec<Expr>, f: impl FnOnce(&mut Self, Vec<Expr>) -> Expr) -> Expr {
        if arrays.len() == 1 {
            return self.map(arrays.remove(0), |w, x| f(w, vec![x]));
        }
        let names: Vec<String> = arrays.iter().map(|_| self.fresh()).collect();
        let body = f(self, names.iter().map(|x| name(x)).collect());
        let parts = names.into_iter().map(|x| pattern(PatternKind::Name(x))).collect();
        let f = lambda(vec![pattern(PatternKind::Tuple(parts))], body);
        call("map", vec![f, call("zip", arrays)])
    }

    /// `let x = value; …`, or the value in its place.
    fn bind(&mut self, value: Expr, tail: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        let x = self.fresh();
        let tail = tail(self, name(&x));
        bound(&x, value, tail)
    }

    fn number(&self, x: f64) -> Expr {
        let scalar = self.scalar;
        let negative = x < 0.0 && scalar.integer_range().is_none_or(|(least, _)| least < 0);
        let kind = match scalar.is_float() {
            true => ExprKind::Float(x.abs(), Some(scalar)),
            false => ExprKind::Int(x.abs().ceil() as u128, Some(scalar)),
        };
        match negative {
            true => expr(ExprKind::Unary(Unary::Neg, Box::new(expr(kind)))),
            false => expr(kind),
        }
    }

    fn zero(&self) -> Expr {
        self.number(0.0)
    }

    /// A number that is less than most.
    fn least(&mut self) -> Expr {
        match self.scalar.is_float() {
            true if self.random.bool() => name(&format!("{}::NEG_INFINITY", self.scalar)),
            true => self.number(-1000.0),
            false => name(&format!("{}::MIN", self.scalar)),
        }
    }

    /// What becomes of a number in the end: an activation, a scale, or nothing.
    fn ended(&mut self, x: Expr) -> Expr {
        match self.random.u8(0..12) {
            0 | 1 => call("max", vec![x, self.zero()]),
            2 => call("min", vec![call("max", vec![self.zero(), x]), self.number(6.0)]),
            3 => binary(Binary::Mul, x, self.number(2.0)),
            4 => self.bind(x, |w, x| {
                let positive = binary(Binary::Gt, x.clone(), w.zero());
                let small = binary(Binary::Mul, x.clone(), w.number(0.5));
                expr(ExprKind::If(Box::new(positive), Box::new(x), Box::new(small)))
            }),
            5 => binary(Binary::Sub, x, self.number(1.0)),
            6 => added(self.number(3.0), x),
            _ => x,
        }
    }

    /// The same of all numbers of an array; or with another array beside it, or two results.
    fn finished(&mut self, rank: usize, xs: Expr) -> Expr {
        match self.random.u8(0..8) {
            0 | 1 if rank > 0 => {
                let ended = self.deep(rank, xs, |w, x| w.ended(x));
                self.turned(rank, ended)
            }
            2 if rank > 0 => self.bind(xs, |w, xs| {
                let other = w.deep(rank, xs.clone(), |w, x| call("max", vec![x, w.zero()]));
                expr(ExprKind::Tuple(vec![xs, other]))
            }),
            3 if rank > 0 => self.bordered(rank, xs),
            _ => self.turned(rank, xs),
        }
    }

    /// A result with a border, as the next layer of a network reads it.
    fn bordered(&mut self, rank: usize, xs: Expr) -> Expr {
        let fill = if self.random.bool() { self.zero() } else { self.least() };
        if rank > 1 && self.random.bool() {
            let sides: Vec<Expr> = (0..4).map(|_| self.border()).collect();
            let plane = |_: &mut Self, plane| call("pad2D", [sides, vec![fill, plane]].concat());
            return self.deep(rank - 2, xs, plane);
        }
        (0..rank).fold(xs, |xs, at| {
            let ends = vec![self.border(), self.border(), fill.clone()];
            self.deep(at, xs, |_, xs| call("pad", [ends, vec![xs]].concat()))
        })
    }

    /// How many elements are added at an end.
    fn border(&mut self) -> Expr {
        match self.random.u8(0..8) {
            0 => {
                let border = self.size(&format!("B{}", self.sizes.len()));
                self.demand(&border, &Nat::constant(0));
                size(&border)
            }
            1 | 2 => number(0),
            3 => number(2),
            _ => number(1),
        }
    }
}

/// All dimensions as one.
fn joined(xs: Expr, rank: usize) -> Expr {
    (1..rank).fold(xs, |xs, _| call("join", vec![xs]))
}

fn size(n: &Nat) -> Expr {
    super::build::size(n)
}

fn added(a: Expr, b: Expr) -> Expr {
    binary(Binary::Add, a, b)
}

fn multiplied(a: Expr, b: Expr) -> Expr {
    binary(Binary::Mul, a, b)
}

fn number(n: i64) -> Expr {
    int(n)
}
