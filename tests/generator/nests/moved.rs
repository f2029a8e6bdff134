//! What is moved more than computed.

use super::super::build::call;
use super::{Writer, added, multiplied, number};
use lift_core::nat::Nat;
use lift_core::syntax::Expr;

/// An array in another order, beside others.
pub fn transposition(w: &mut Writer) -> Expr {
    let rank = w.pick(&[2, 2, 3]);
    let lengths: Vec<Nat> = ["N", "M", "L"][..rank].iter().map(|text| w.length(text)).collect();
    let at = w.random.usize(0..rank - 1);
    let mut stored = lengths.clone();
    stored.swap(at, at + 1);
    let xs = w.input("xs", &stored, false);
    let xs = w.swapped(at, xs);
    let result = match w.random.u8(0..4) {
        0 => {
            let ys = w.array("ys", &lengths, false);
            zipped(w, rank, xs, ys)
        }
        1 => w.deep(rank, xs, |w, x| w.ended(x)),
        2 => call("reverse", vec![xs]),
        _ => xs,
    };
    w.finished(rank, result)
}

/// A function of each element of arrays.
pub fn elements(w: &mut Writer) -> Expr {
    let rank = w.pick(&[1, 2, 2, 3]);
    let lengths: Vec<Nat> = ["N", "M", "L"][..rank].iter().map(|text| w.length(text)).collect();
    let xs = w.array("xs", &lengths, false);
    let xs = match w.random.u8(0..6) {
        0 => call("reverse", vec![xs]),
        1 => call("pad", vec![number(1), number(2), w.zero(), xs]),
        _ => return both(w, rank, &lengths, xs),
    };
    w.deep(rank, xs, |w, x| w.ended(x))
}

fn both(w: &mut Writer, rank: usize, lengths: &[Nat], xs: Expr) -> Expr {
    let ys = w.array("ys", lengths, false);
    let result = zipped(w, rank, xs, ys);
    w.finished(rank, result)
}

/// Two arrays, element by element.
pub fn zipped(w: &mut Writer, rank: usize, xs: Expr, ys: Expr) -> Expr {
    w.map_all(vec![xs, ys], |w, mut both| {
        let (y, x) = (both.pop().expect("one"), both.pop().expect("one"));
        match rank {
            1 if w.random.bool() => multiplied(added(x.clone(), x), y),
            1 => {
                let x = w.ended(x);
                added(x, y)
            }
            _ => zipped(w, rank - 1, x, y),
        }
    })
}
