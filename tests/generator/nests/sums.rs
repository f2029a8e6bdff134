//! Reductions: products, sums of rows and of everything, and what is divided by them.

use super::super::build::{binary, call, cast, expr, field, lambda, name, pattern};
use super::{Writer, added, joined, multiplied, size};
use lift_core::nat::Nat;
use lift_core::syntax::{Binary, Expr, ExprKind, PatternKind};
use lift_core::types::Scalar;
use std::slice::from_ref;

/// What terms are put together by.
#[derive(Clone, Copy)]
pub enum Fold {
    Sum,
    Largest,
    Smallest,
    /// What was before counts less: in no other order is it the same.
    Fading,
}

impl Writer<'_> {
    pub fn fold(&mut self) -> Fold {
        self.pick(&[
            Fold::Sum,
            Fold::Sum,
            Fold::Sum,
            Fold::Largest,
            Fold::Largest,
            Fold::Smallest,
            Fold::Fading,
        ])
    }

    /// What a reduction starts from.
    pub fn start(&mut self, fold: Fold) -> Expr {
        match fold {
            Fold::Sum if self.once_in(4) => self.number(3.0),
            Fold::Sum | Fold::Fading => self.zero(),
            Fold::Largest if self.once_in(4) => self.number(2.0),
            Fold::Largest => self.least(),
            Fold::Smallest => self.number(100.0),
        }
    }

    pub fn together(&mut self, fold: Fold, a: Expr, b: Expr) -> Expr {
        let in_order = matches!(fold, Fold::Fading);
        let (a, b) = if !in_order && self.once_in(4) { (b, a) } else { (a, b) };
        match fold {
            Fold::Sum => added(a, b),
            Fold::Fading => {
                let part = self.number(if self.scalar.is_float() { 0.5 } else { 3.0 });
                added(multiplied(part, a), b)
            }
            Fold::Largest => call("max", vec![a, b]),
            Fold::Smallest => call("min", vec![a, b]),
        }
    }

    /// `reduce(start, |acc, (x, …)| step, zip(xs, …))`
    fn reduced(
        &mut self,
        start: Expr,
        mut arrays: Vec<Expr>,
        step: impl FnOnce(&mut Self, Expr, Vec<Expr>) -> Expr,
    ) -> Expr {
        let acc = self.fresh();
        let names: Vec<String> = arrays.iter().map(|_| self.fresh()).collect();
        let body = step(self, name(&acc), names.iter().map(|x| name(x)).collect());
        let mut parts: Vec<_> = names.into_iter().map(|x| pattern(PatternKind::Name(x))).collect();
        let (x, xs) = match parts.len() {
            1 => (parts.remove(0), arrays.remove(0)),
            _ => (pattern(PatternKind::Tuple(parts)), call("zip", arrays)),
        };
        call("reduce", vec![start, lambda(vec![pattern(PatternKind::Name(acc)), x], body), xs])
    }

    /// Arrays of so many dimensions, element by element made a term, and all terms put together: in one reduction or in
    /// one for each dimension.
    pub fn folded(
        &mut self,
        fold: Fold,
        start: Expr,
        arrays: Vec<Expr>,
        rank: usize,
        term: &mut dyn FnMut(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        if rank > 1 && self.random.bool() {
            let running = self.random.bool();
            return self.reduced(start, arrays, |w, acc, rows| {
                if running {
                    return w.folded(fold, acc, rows, rank - 1, term);
                }
                let start = w.start(fold);
                let row = w.folded(fold, start, rows, rank - 1, term);
                w.together(fold, acc, row)
            });
        }
        let arrays: Vec<Expr> = arrays.into_iter().map(|xs| joined(xs, rank)).collect();
        if self.once_in(6) {
            let terms = self.map_all(arrays, |w, xs| term(w, xs));
            return self.reduced(start, vec![terms], |w, acc, mut x| w.together(fold, acc, x.remove(0)));
        }
        self.reduced(start, arrays, |w, acc, xs| {
            let term = term(w, xs);
            w.together(fold, acc, term)
        })
    }

    /// The sum of products of two arrays of this rank.
    pub fn products(&mut self, start: Expr, a: Expr, b: Expr, rank: usize) -> Expr {
        if rank == 1 && self.once_in(6) {
            return added(start, call("dot", vec![a, b]));
        }
        let mut product = |w: &mut Self, mut xs: Vec<Expr>| {
            let (b, a) = (xs.pop().expect("a factor"), xs.pop().expect("a factor"));
            if w.once_in(4) { multiplied(b, a) } else { multiplied(a, b) }
        };
        self.folded(Fold::Sum, start, vec![a, b], rank, &mut product)
    }

    /// The sum of products with a bias, if there is one: from which the sum starts, or to which it is added.
    pub fn biased(&mut self, bias: Option<Expr>, a: Expr, b: Expr, rank: usize) -> Expr {
        let sum = match bias {
            Some(bias) if self.random.bool() => self.products(bias, a, b, rank),
            Some(bias) => {
                let start = self.start(Fold::Sum);
                let sum = self.products(start, a, b, rank);
                if self.random.bool() { added(sum, bias) } else { added(bias, sum) }
            }
            None => {
                let zero = self.zero();
                self.products(zero, a, b, rank)
            }
        };
        self.ended(sum)
    }

    /// A term made of one number.
    fn term(&mut self, x: Expr) -> Expr {
        match self.random.u8(0..8) {
            0 => multiplied(x.clone(), x),
            1 => call("abs", vec![x]),
            2 => added(x, self.number(1.0)),
            _ => x,
        }
    }
}

/// A product of matrices, or of many.
pub fn product(w: &mut Writer) -> Expr {
    let (n, m, l) = (w.length("N"), w.length("M"), w.length("L"));
    let terms = if w.once_in(5) { vec![l, w.length("P")] } else { vec![l] };
    let many = if w.once_in(4) { vec![w.size("B")] } else { vec![] };
    let shared = !many.is_empty() && w.once_in(3);
    let constant = w.once_in(3);
    let of_a = [&many[..], from_ref(&n), &terms].concat();
    let of_b = [if shared { &[] } else { &many[..] }, from_ref(&m), &terms].concat();
    let (a, b) = (w.array("a", &of_a, false), w.array("b", &of_b, constant));
    let biases = w.once_in(4).then(|| w.input("biases", from_ref(&m), true));
    let rank = terms.len();
    let swapped = w.once_in(4);
    let one = |w: &mut Writer, a: Expr, b: Expr| {
        let columns = [vec![b], biases.iter().cloned().collect()].concat();
        if swapped {
            return w.map_all(columns, |w, mut column| {
                let bias = (column.len() > 1).then(|| column.pop()).flatten();
                let b = column.remove(0);
                w.map(a, |w, row| w.biased(bias, row, b, rank))
            });
        }
        w.map(a, |w, row| {
            w.map_all(columns, |w, mut column| {
                let bias = (column.len() > 1).then(|| column.pop()).flatten();
                w.biased(bias, row, column.remove(0), rank)
            })
        })
    };
    let result = match (many.is_empty(), shared) {
        (true, _) => one(w, a, b),
        (false, true) => w.map(a, |w, a| one(w, a, b)),
        (false, false) => w.map_all(vec![a, b], |w, mut both| {
            let (b, a) = (both.pop().expect("a factor"), both.pop().expect("a factor"));
            one(w, a, b)
        }),
    };
    // What is stored in the order of the result is added.
    if w.once_in(5) {
        let sides = if swapped { [m, n] } else { [n, m] };
        let more = w.array("more", &[&many[..], &sides].concat(), false);
        return super::moved::zipped(w, 2 + many.len(), result, more);
    }
    w.finished(2 + many.len(), result)
}

/// What one nest makes is read by another.
pub fn chained(w: &mut Writer) -> Expr {
    let (n, m, l) = (w.length("N"), w.length("M"), w.size("L"));
    let (a, b) = (w.array("a", &[n, l.clone()], false), w.array("b", &[m.clone(), l], true));
    let products = w.map(a, |w, row| w.map(b, |w, column| w.biased(None, row, column, 1)));
    w.bind(products, |w, products| match w.random.u8(0..4) {
        0 => {
            let k = w.size("K");
            let c = w.array("c", &[k, m], true);
            let result = w.map(products, |w, row| w.map(c, |w, column| w.biased(None, row, column, 1)));
            w.finished(2, result)
        }
        1 => {
            let turned = w.swapped(0, products);
            let fold = w.fold();
            let plain = &mut |_: &mut Writer, mut x: Vec<Expr>| x.remove(0);
            w.map(turned, |w, column| {
                let start = w.start(fold);
                w.folded(fold, start, vec![column], 1, plain)
            })
        }
        2 => {
            let padded = call("pad", vec![super::number(1), super::number(1), w.zero(), products]);
            let windows = call("slide", vec![super::number(3), super::number(1), padded]);
            let plain = &mut |_: &mut Writer, mut x: Vec<Expr>| x.remove(0);
            w.map(windows, |w, window| {
                let columns = w.swapped(0, window);
                w.map(columns, |w, column| {
                    let zero = w.zero();
                    w.folded(Fold::Sum, zero, vec![column], 1, plain)
                })
            })
        }
        _ => w.map(products, |w, row| {
            let fold = w.fold();
            let start = w.start(fold);
            let plain = &mut |_: &mut Writer, mut x: Vec<Expr>| x.remove(0);
            let best = w.folded(fold, start, vec![row.clone()], 1, plain);
            w.bind(best, |w, best| w.map(row, |_, x| binary(Binary::Sub, x, best)))
        }),
    })
}

/// A matrix and a vector.
pub fn vector(w: &mut Writer) -> Expr {
    let (n, m) = (w.length("N"), w.length("M"));
    let first = w.random.bool();
    let x = first.then(|| w.input("x", from_ref(&m), false));
    let constant = w.once_in(3);
    let a = w.array("a", &[n.clone(), m.clone()], constant);
    let x = x.unwrap_or_else(|| w.input("x", &[m], false));
    let scale = w.once_in(4).then(|| w.input("scale", &[n], false));
    let rows = [vec![a], scale.into_iter().collect()].concat();
    let result = w.map_all(rows, |w, mut row| {
        let scale = (row.len() > 1).then(|| row.pop()).flatten();
        let (a, b) = if first { (x, row.remove(0)) } else { (row.remove(0), x) };
        let sum = w.biased(None, a, b, 1);
        scale.into_iter().fold(sum, multiplied)
    });
    w.finished(1, result)
}

/// Something of each row or column, or of each block.
pub fn rows(w: &mut Writer) -> Expr {
    let outer: Vec<Nat> = ["N", "M"][..w.pick(&[1, 1, 2])].iter().map(|text| w.length(text)).collect();
    let inner: Vec<Nat> = ["L", "P"][..w.pick(&[1, 1, 2])].iter().map(|text| w.length(text)).collect();
    let xs = w.array("xs", &[&outer[..], &inner].concat(), false);
    let weights = w.once_in(3).then(|| w.array("weights", &inner, false));
    let rank = inner.len();
    if w.once_in(5) {
        return w.deep(outer.len(), xs, |w, row| best(w, joined(row, rank)));
    }
    let fold = w.fold();
    // Two results of each row.
    if outer.len() == 1 && w.once_in(6) {
        let both = w.map(xs, |w, row| {
            let parts = [0, 1].map(|_| {
                let fold = w.fold();
                let start = w.start(fold);
                let term = &mut |w: &mut Writer, mut x: Vec<Expr>| w.term(x.remove(0));
                w.folded(fold, start, vec![row.clone()], rank, term)
            });
            expr(ExprKind::Tuple(parts.to_vec()))
        });
        return call("unzip", vec![both]);
    }
    let result = w.deep(outer.len(), xs, |w, row| {
        let arrays = [vec![row], weights.into_iter().collect()].concat();
        if rank == 2 && w.once_in(3) {
            return scaled_rows(w, fold, arrays);
        }
        let start = w.start(fold);
        let mut term = |w: &mut Writer, mut xs: Vec<Expr>| {
            let weight = (xs.len() > 1).then(|| xs.pop()).flatten();
            let term = w.term(xs.remove(0));
            weight.into_iter().fold(term, multiplied)
        };
        let sum = w.folded(fold, start, arrays, rank, &mut term);
        w.ended(sum)
    });
    w.finished(outer.len(), result)
}

/// Terms that read what a reduction around theirs has: of each row its first element.
fn scaled_rows(w: &mut Writer, fold: Fold, arrays: Vec<Expr>) -> Expr {
    let (start, running) = (w.start(fold), w.random.bool());
    w.reduced(start, arrays, |w, acc, rows| {
        let first = expr(ExprKind::Index(Box::new(rows[0].clone()), Box::new(super::number(0))));
        let from = if running { acc.clone() } else { w.start(fold) };
        let mut term = |_: &mut Writer, mut xs: Vec<Expr>| added(xs.remove(0), first.clone());
        let sum = w.folded(fold, from, rows, 1, &mut term);
        if running { sum } else { w.together(fold, acc, sum) }
    })
}

/// The index or the value of the best element.
fn best(w: &mut Writer, xs: Expr) -> Expr {
    let op = w.pick(&[Binary::Gt, Binary::Lt, Binary::Ge]);
    let (best, x) = (w.fresh(), w.fresh());
    let better = binary(op, name(&x), name(&best));
    let f = lambda([best, x].map(|text| pattern(PatternKind::Name(text))).to_vec(), better);
    let part = w.random.usize(0..2);
    field(call("argBest", vec![f, xs]), part)
}

/// One number of everything, or several.
pub fn total(w: &mut Writer) -> Expr {
    let lengths: Vec<Nat> = ["N", "M"][..w.pick(&[1, 1, 2])].iter().map(|text| w.length(text)).collect();
    let xs = w.array("xs", &lengths, false);
    let weights = w.once_in(3).then(|| w.array("weights", &lengths, false));
    if w.once_in(5) {
        return best(w, joined(xs, lengths.len()));
    }
    let one = |w: &mut Writer| {
        let fold = w.fold();
        let start = w.start(fold);
        let arrays = [vec![xs.clone()], weights.iter().cloned().collect()].concat();
        let mut term = |w: &mut Writer, mut xs: Vec<Expr>| {
            let weight = (xs.len() > 1).then(|| xs.pop()).flatten();
            let term = w.term(xs.remove(0));
            weight.into_iter().fold(term, multiplied)
        };
        let sum = w.folded(fold, start, arrays, lengths.len(), &mut term);
        w.ended(sum)
    };
    match w.once_in(4) {
        true => {
            let parts = vec![one(w), one(w)];
            expr(ExprKind::Tuple(parts))
        }
        false => one(w),
    }
}

/// Rows divided by something of them.
pub fn normalised(w: &mut Writer) -> Expr {
    if !w.scalar.is_float() || w.scalar == Scalar::F16 {
        w.scalar = Scalar::F32;
    }
    let (n, m) = (w.length("N"), w.length("M"));
    w.demand(&m, &Nat::constant(1));
    let xs = w.array("xs", &[n, m.clone()], false);
    let scale = w.once_in(3).then(|| w.input("scale", from_ref(&m), false));
    let scalar = w.scalar;
    let (kind, tiny) = (w.random.u8(0..3), w.number(0.125));
    let result = w.map(xs, |w, row| {
        let shares = |w: &mut Writer, ys: Expr, divisor: Expr| {
            let arrays = [vec![ys], scale.iter().cloned().collect()].concat();
            w.bind(divisor, |w, divisor| {
                w.map_all(arrays, |_, mut x| {
                    let scale = (x.len() > 1).then(|| x.pop()).flatten();
                    scale.into_iter().fold(binary(Binary::Div, x.remove(0), divisor), multiplied)
                })
            })
        };
        let plain = &mut |_: &mut Writer, mut x: Vec<Expr>| x.remove(0);
        let square = &mut |_: &mut Writer, mut x: Vec<Expr>| {
            let x = x.remove(0);
            multiplied(x.clone(), x)
        };
        match kind {
            0 => {
                let least = w.number(-1000.0);
                let top = w.folded(Fold::Largest, least, vec![row.clone()], 1, plain);
                w.bind(top, |w, top| {
                    let powers = w.map(row, |_, x| call("exp", vec![binary(Binary::Sub, x, top)]));
                    w.bind(powers, |w, powers| {
                        let zero = w.zero();
                        let total = w.folded(Fold::Sum, zero, vec![powers.clone()], 1, plain);
                        shares(w, powers, total)
                    })
                })
            }
            1 => {
                let zero = w.zero();
                let count = cast(size(&m), scalar);
                let sum = w.folded(Fold::Sum, zero, vec![row.clone()], 1, plain);
                w.bind(binary(Binary::Div, sum, count), |w, mean| {
                    let from = w.map(row, |_, x| binary(Binary::Sub, x, mean));
                    w.bind(from, |w, from| {
                        let squares = w.folded(Fold::Sum, tiny, vec![from.clone()], 1, square);
                        shares(w, from, call("sqrt", vec![squares]))
                    })
                })
            }
            _ => {
                let sum = w.folded(Fold::Sum, tiny, vec![row.clone()], 1, square);
                shares(w, row, sum)
            }
        }
    });
    w.turned(2, result)
}
