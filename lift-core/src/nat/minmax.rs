//! `min` and `max`.
//!
//! Nested ones are flattened, and of operands whose difference is constant only one is kept:
//! `min(a, min(b, a + 1)) = min(a, b)`.

use super::Nat;
use super::term::Factor;

/// Beyond this many operands, nested ones stay nested.
const MOST_OPERANDS: usize = 16;

impl Nat {
    /// The smaller of the two.
    pub fn min(&self, other: &Nat) -> Nat {
        extreme(self, other, true)
    }

    /// The larger of the two.
    pub fn max(&self, other: &Nat) -> Nat {
        extreme(self, other, false)
    }
}

fn extreme(a: &Nat, b: &Nat, min: bool) -> Nat {
    let mut all = vec![];
    collect(a, min, &mut all);
    collect(b, min, &mut all);
    let mut kept: Vec<Nat> = vec![];
    for n in all {
        // Of two with a constant difference, only the outer one counts.
        let ahead = |k: &Nat| (k - &n).as_constant().map(|d| if min { d > 0 } else { d < 0 });
        kept.retain(|k| ahead(k) != Some(true));
        if kept.iter().all(|k| ahead(k).is_none()) {
            kept.push(n);
        }
    }
    // In a fixed order, so that `min(a, b)` and `min(b, a)` are the same tree.
    kept.sort_by(Nat::compare);
    let mut rest = kept.into_iter().rev();
    let Some(last) = rest.next() else { return a.clone() };
    rest.fold(last, |inner, n| Nat::atom(if min { Factor::Min(n, inner) } else { Factor::Max(n, inner) }))
}

fn collect(n: &Nat, min: bool, all: &mut Vec<Nat>) {
    match n.as_factor() {
        Some(Factor::Min(a, b)) if min && all.len() < MOST_OPERANDS => {
            collect(a, min, all);
            collect(b, min, all);
        }
        Some(Factor::Max(a, b)) if !min && all.len() < MOST_OPERANDS => {
            collect(a, min, all);
            collect(b, min, all);
        }
        _ => all.push(n.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_flattened_and_pruned() {
        let (a, b) = (&Nat::size("A"), &Nat::size("B"));
        assert_eq!(a.min(a), *a);
        assert_eq!(a.min(&(a + 1)), *a);
        assert_eq!((a - 1).max(a), *a);
        assert_eq!(a.min(b), b.min(a));
        assert_eq!(a.min(&b.min(&(a + 3))), a.min(b));
        assert_eq!(Nat::from(3).max(&Nat::from(-4)), Nat::from(3));
        assert_eq!(a.min(&Nat::from(4)).min(&Nat::from(2)).to_string(), a.min(&Nat::from(2)).to_string());
    }
}
