//! `min` and `max`.
//!
//! Nested ones are flattened, and of operands whose difference is constant only one is kept:
//! `min(a, min(b, a + 1)) = min(a, b)`.

use super::Nat;
use super::term::Factor;

/// Beyond this many operands, nested ones stay nested.
const MOST_OPERANDS: usize = 16;

impl Nat {
    pub fn min(&self, other: &Nat) -> Nat {
        extreme(self, other, Factor::Min, |n| match n {
            Factor::Min(a, b) => Some((a, b)),
            _ => None,
        })
    }

    pub fn max(&self, other: &Nat) -> Nat {
        // max(a, b) keeps a where min(-a, -b) keeps -a: the sign is all that differs.
        extreme(self, other, Factor::Max, |n| match n {
            Factor::Max(a, b) => Some((a, b)),
            _ => None,
        })
    }
}

type Inside = fn(&Factor) -> Option<(&Nat, &Nat)>;

fn extreme(a: &Nat, b: &Nat, build: fn(Nat, Nat) -> Factor, inside: Inside) -> Nat {
    let zero = Nat::constant(0);
    let lower = matches!(build(zero.clone(), zero), Factor::Min(..));
    let mut all = vec![];
    collect(a, inside, &mut all);
    collect(b, inside, &mut all);
    let mut kept: Vec<Nat> = vec![];
    for n in all {
        let mut covered = false;
        kept.retain(|k| match (k - &n).as_constant() {
            // n is at least as far out as k: drop k.
            Some(d) if (d > 0) == lower && d != 0 => false,
            Some(_) => {
                covered = true;
                true
            }
            None => true,
        });
        if !covered {
            kept.push(n);
        }
    }
    kept.sort_by(Nat::compare);
    let mut rest = kept.into_iter().rev();
    let Some(last) = rest.next() else { return a.clone() };
    rest.fold(last, |inner, n| Nat::atom(build(n, inner)))
}

fn collect(n: &Nat, inside: Inside, all: &mut Vec<Nat>) {
    match n.as_factor().and_then(inside) {
        Some((a, b)) if all.len() < MOST_OPERANDS => {
            collect(a, inside, all);
            collect(b, inside, all);
        }
        _ => all.push(n.clone()),
    }
}
