//! Windows: convolutions, pooling, stencils.

use super::super::build::{call, expr};
use super::sums::Fold;
use super::{Writer, number, size};
use lift_core::nat::Nat;
use lift_core::syntax::{Expr, ExprKind};
use std::slice::from_ref;

/// How windows lie along one side.
struct Side {
    /// Elements of a window.
    taps: Nat,
    /// From one of them to the next.
    apart: i64,
    step: Nat,
    before: Nat,
    after: Nat,
}

/// What is beyond the ends.
#[derive(Clone, Copy)]
enum Beyond {
    Zeros,
    Number,
    Edge,
    /// What is inside, from the other end or mirrored.
    Wrapped,
    Mirrored,
}

impl Writer<'_> {
    /// Along a side of this length.
    fn side(&mut self, text: &str, length: &Nat, beyond: Beyond) -> Side {
        let taps = self.few(&format!("K{text}"), &[1, 2, 3, 3, 3, 5]);
        let apart = if taps.as_constant().is_some() { self.pick(&[1, 1, 1, 1, 1, 2]) } else { 1 };
        let step = self.few(&format!("S{text}"), &[1, 1, 1, 1, 2, 2, 3]);
        let [before, after] = match self.random.u8(0..8) {
            0 | 1 => [0, 0].map(Nat::constant),
            2 => [self.random.i64(0..3), self.random.i64(0..3)].map(Nat::constant),
            3 => {
                let padding = self.size(&format!("P{text}"));
                self.demand(&padding, &Nat::constant(0));
                [padding.clone(), padding]
            }
            _ => {
                let half = taps.as_constant().map_or(1, |taps| (taps - 1) * apart / 2);
                [half, half].map(Nat::constant)
            }
        };
        let side = Side { taps, apart, step, before, after };
        self.demand(&(length + &side.before + side.after.clone()), &side.span());
        if let Beyond::Wrapped | Beyond::Mirrored = beyond {
            self.demand(length, &side.before);
            self.demand(length, &side.after);
        }
        side
    }

    fn beyond(&mut self) -> Beyond {
        match self.random.u8(0..12) {
            0 => Beyond::Number,
            1 => Beyond::Edge,
            2 => Beyond::Wrapped,
            3 => Beyond::Mirrored,
            _ => Beyond::Zeros,
        }
    }

    /// The array with more at its ends.
    fn padded(&mut self, sides: &[Side], beyond: Beyond, xs: Expr) -> Expr {
        let amounts: Vec<Expr> =
            sides.iter().rev().flat_map(|side| [size(&side.before), size(&side.after)]).collect();
        let (pad, fill) = match beyond {
            Beyond::Zeros => ("pad", vec![self.zero()]),
            Beyond::Number => ("pad", vec![self.number(2.0)]),
            Beyond::Edge => ("padClamp", vec![]),
            Beyond::Wrapped => ("padWrap", vec![]),
            Beyond::Mirrored => ("padMirror", vec![]),
        };
        match sides {
            [_] => call(pad, [amounts, fill, vec![xs]].concat()),
            _ if self.random.bool() => call(&format!("{pad}2D"), [amounts, fill, vec![xs]].concat()),
            // One dimension after the other.
            _ => {
                let (columns, rows) = amounts.split_at(2);
                let xs =
                    self.map(xs, |_, row| call(pad, [columns.to_vec(), fill.clone(), vec![row]].concat()));
                call(pad, [rows.to_vec(), fill.clone(), vec![xs]].concat())
            }
        }
    }

    /// Its windows: the positions first, then the elements of a window, then whatever its elements are.
    fn windows(&mut self, sides: &[Side], beyond: Beyond, xs: Expr) -> Expr {
        let nothing =
            sides.iter().all(|side| [&side.before, &side.after].map(Nat::as_constant) == [Some(0); 2]);
        let xs = if nothing && self.random.bool() { xs } else { self.padded(sides, beyond, xs) };
        let slid = match sides {
            [side] => call("slide", vec![size(&side.span()), size(&side.step), xs]),
            [rows, columns] if self.random.bool() => {
                let pair = |a: &Nat, b: &Nat| expr(ExprKind::Tuple(vec![size(a), size(b)]));
                let (spans, steps) = (pair(&rows.span(), &columns.span()), pair(&rows.step, &columns.step));
                call("slide2D", vec![spans, steps, xs])
            }
            [rows, columns] => {
                let slide = |side: &Side, xs| call("slide", vec![size(&side.span()), size(&side.step), xs]);
                let of_rows = self.map(xs, |_, row| slide(columns, row));
                let slid = slide(rows, of_rows);
                self.map(slid, |_, rows| call("transpose", vec![rows]))
            }
            _ => unreachable!("windows have one or two sides"),
        };
        if sides.iter().all(|side| side.apart == 1) {
            return slid;
        }
        self.deep(sides.len(), slid, |w, span| w.every(sides, span))
    }

    /// Some elements of a window's span.
    fn every(&mut self, sides: &[Side], span: Expr) -> Expr {
        let Some((first, rest)) = sides.split_first() else { return span };
        let some = match first.apart {
            1 => span,
            apart => call("join", vec![call("slide", vec![number(1), number(apart), span])]),
        };
        match rest {
            [] => some,
            _ => self.map(some, |w, row| w.every(rest, row)),
        }
    }
}

impl Side {
    fn span(&self) -> Nat {
        (self.taps.clone() - 1) * self.apart + 1
    }

    /// How many windows there are, where each element begins one.
    fn positions(&self, length: &Nat) -> Option<Nat> {
        let all = length + &self.before + self.after.clone() - self.span() + 1;
        (self.step.as_constant() == Some(1)).then_some(all)
    }
}

/// One or two dimensions of a picture, and their windows.
fn picture(w: &mut Writer, beyond: Beyond) -> (Vec<Nat>, Vec<Side>) {
    let rank = w.pick(&[1, 2, 2, 2]);
    let names = &["H", "W"][2 - rank..];
    let lengths: Vec<Nat> = names.iter().map(|text| w.length(text)).collect();
    let sides = names.iter().zip(&lengths).map(|(text, length)| w.side(text, length, beyond)).collect();
    (lengths, sides)
}

fn taps(sides: &[Side]) -> Vec<Nat> {
    sides.iter().map(|side| side.taps.clone()).collect()
}

/// Channels last or first, in a batch, in groups, with a bias: in any order.
pub fn convolution(w: &mut Writer) -> Expr {
    let beyond = w.beyond();
    let (lengths, sides) = picture(w, beyond);
    let (k, c) = (w.length("K"), w.length("C"));
    let batch = if w.once_in(4) { vec![w.size("N")] } else { vec![] };
    let groups = w.once_in(6).then(|| w.size("G"));
    let in_groups = |n: &Nat| groups.as_ref().map_or_else(|| n.clone(), |groups| groups * n);
    let constant = w.random.bool();
    let taps = taps(&sides);
    let kernels = w.array("kernels", &[&[in_groups(&k), c.clone()], &taps[..]].concat(), constant);
    let biases = w.random.bool().then(|| w.input("biases", &[in_groups(&k)], constant));
    let images = w.array("images", &[&batch[..], &[in_groups(&c)], &lengths].concat(), false);
    let (last, kernels_first) = (w.random.bool(), groups.is_some() || w.random.bool());
    let rank = sides.len();
    let layer = |w: &mut Writer, kernels: Expr, biases: Option<Expr>, image: Expr| {
        // The channels are elements of a window, or each has windows of its own.
        let (kernels, windows) = match last {
            true => {
                let kernels = w.map(kernels, |w, kernel| (0..rank).fold(kernel, |k, at| w.swapped(at, k)));
                let image = (0..rank).fold(image, |image, at| w.swapped(at, image));
                (kernels, w.windows(&sides, beyond, image))
            }
            false => {
                let planes = w.map(image, |w, plane| w.windows(&sides, beyond, plane));
                (kernels, (0..rank).fold(planes, |windows, at| w.swapped(at, windows)))
            }
        };
        let all = [vec![kernels], biases.into_iter().collect()].concat();
        let parts = |mut all: Vec<Expr>| {
            let bias = (all.len() > 1).then(|| all.pop()).flatten();
            (all.remove(0), bias)
        };
        if kernels_first {
            return w.map_all(all, |w, one| {
                let (kernel, bias) = parts(one);
                w.deep(rank, windows, |w, window| w.biased(bias, window, kernel, rank + 1))
            });
        }
        w.deep(rank, windows, |w, window| {
            w.map_all(all, |w, one| {
                let (kernel, bias) = parts(one);
                w.biased(bias, window, kernel, rank + 1)
            })
        })
    };
    let grouped = |w: &mut Writer, image: Expr| match &groups {
        None => layer(w, kernels, biases, image),
        Some(_) => {
            let split = |n: &Nat, xs: Expr| call("split", vec![size(n), xs]);
            let of_kernels = [Some(kernels), biases].into_iter().flatten().map(|xs| split(&k, xs));
            let all: Vec<Expr> = of_kernels.chain([split(&c, image)]).collect();
            let result = w.map_all(all, |w, mut group| {
                let image = group.pop().expect("the channels of a group");
                let bias = (group.len() > 1).then(|| group.pop()).flatten();
                layer(w, group.remove(0), bias, image)
            });
            call("join", vec![result])
        }
    };
    let result = match batch.is_empty() {
        true => grouped(w, images),
        false => w.map(images, grouped),
    };
    let whole = lengths.iter().zip(&sides).map(|(length, side)| side.positions(length));
    if let Some(positions) = whole.collect::<Option<Vec<_>>>().filter(|_| w.once_in(5)) {
        let channels = groups.as_ref().map_or_else(|| k.clone(), |groups| groups * &k);
        let of_one = match kernels_first {
            true => [&[channels], &positions[..]].concat(),
            false => [&positions[..], &[channels]].concat(),
        };
        let more = w.array("more", &[&batch[..], &of_one].concat(), false);
        return super::moved::zipped(w, rank + 1 + batch.len(), result, more);
    }
    w.finished(rank + 1 + batch.len(), result)
}

/// A kernel for each channel.
pub fn depthwise(w: &mut Writer) -> Expr {
    let beyond = w.beyond();
    let (lengths, sides) = picture(w, beyond);
    let c = w.length("C");
    let (rank, constant) = (sides.len(), w.random.bool());
    let taps = taps(&sides);
    let kernels = w.array("kernels", &[from_ref(&c), &taps[..]].concat(), constant);
    let biases = w.once_in(3).then(|| w.input("biases", from_ref(&c), constant));
    let input = w.array("input", &[&[c], &lengths[..]].concat(), false);
    let all = [Some(input), Some(kernels), biases].into_iter().flatten().collect();
    let result = w.map_all(all, |w, mut one| {
        let bias = (one.len() > 2).then(|| one.pop()).flatten();
        let (kernel, plane) = (one.pop().expect("a kernel"), one.pop().expect("a plane"));
        let windows = w.windows(&sides, beyond, plane);
        w.deep(rank, windows, |w, window| w.biased(bias, window, kernel, rank))
    });
    w.finished(rank + 1, result)
}

/// Windows of one array: pooling, or with the same weights for all.
pub fn stencil(w: &mut Writer) -> Expr {
    let beyond = w.beyond();
    let (lengths, sides) = picture(w, beyond);
    let rank = sides.len();
    let planes = if w.once_in(3) { vec![w.length("C")] } else { vec![] };
    let xs = w.array("xs", &[&planes[..], &lengths].concat(), false);
    let weights = w.random.bool().then(|| w.array("weights", &taps(&sides), false));
    let fold = w.fold();
    let result = w.deep(planes.len(), xs, |w, plane| {
        let windows = w.windows(&sides, beyond, plane);
        w.deep(rank, windows, |w, window| match weights {
            Some(weights) => w.biased(None, window, weights, rank),
            None => {
                let start = w.start(fold);
                let plain = &mut |_: &mut Writer, mut x: Vec<Expr>| x.remove(0);
                let sum = w.folded(fold, start, vec![window], rank, plain);
                w.ended(sum)
            }
        })
    });
    w.finished(rank + planes.len(), result)
}

/// Zeros between the elements, then a convolution.
pub fn transposed(w: &mut Writer) -> Expr {
    let rank = w.pick(&[1, 2]);
    let names = &["H", "W"][2 - rank..];
    let lengths: Vec<Nat> = names.iter().map(|text| w.length(text)).collect();
    let (k, c) = (w.length("K"), w.length("C"));
    let taps: Vec<i64> = names.iter().map(|_| w.pick(&[2, 3, 4])).collect();
    let apart: Vec<i64> = names.iter().map(|_| w.pick(&[2, 2, 3])).collect();
    let of_kernels = taps.iter().copied().map(Nat::constant).collect::<Vec<_>>();
    let kernels = w.array("kernels", &[&[k, c.clone()], &of_kernels[..]].concat(), true);
    let image = w.array("image", &[&[c], &lengths[..]].concat(), false);
    let (cut, first) = (w.random.bool(), w.random.bool());
    let sides: Vec<Side> = taps
        .iter()
        .map(|taps| Side {
            taps: Nat::constant(*taps),
            apart: 1,
            step: Nat::constant(1),
            before: Nat::constant(taps - 1),
            after: Nat::constant(taps - 1),
        })
        .collect();
    let planes = w.map(image, |w, plane| {
        let spread = (0..rank).fold(plane, |xs, at| {
            w.deep(at, xs, |w, row| {
                let zero = w.zero();
                let one = call("split", vec![number(1), row]);
                let apart_by = number(apart[at] - 1);
                let padded = w.map(one, |_, x| call("pad", vec![number(0), apart_by, zero, x]));
                let all = call("join", vec![padded]);
                let n = (lengths[at].clone() - 1) * apart[at] + 1;
                if cut { call("take", vec![size(&n), all]) } else { all }
            })
        });
        w.windows(&sides, Beyond::Zeros, spread)
    });
    let windows = (0..rank).fold(planes, |windows, at| w.swapped(at, windows));
    let result = match first {
        true => w.map(kernels, |w, kernel| {
            w.deep(rank, windows, |w, window| w.biased(None, window, kernel, rank + 1))
        }),
        false => w.deep(rank, windows, |w, window| {
            w.map(kernels, |w, kernel| w.biased(None, window, kernel, rank + 1))
        }),
    };
    w.finished(rank + 1, result)
}
