//! The form for comparing.

use super::Nat;
use super::divmod::div;
use super::reduce::Style;
use super::term::Factor;
use rustc_hash::FxHashMap;

/// The form for comparing: remainders written with divisions (`a % b = a - b * (a / b)`), and
/// multiples of a divisor taken out of its dividend to the last.
pub(super) fn strict(n: &Nat) -> Nat {
    strict_with(n, &mut FxHashMap::default())
}

fn strict_with(n: &Nat, done: &mut FxHashMap<Factor, Nat>) -> Nat {
    if !n.has(|f| f.operands().is_some()) {
        return n.clone();
    }
    let products = n.parts().iter().map(|t| {
        let start = Nat::constant(t.coefficient);
        t.factors.iter().fold(start, |n, (f, p)| n.times(&strict_factor(f, done).pow(*p)))
    });
    Nat::total(&products.collect::<Vec<_>>())
}

fn strict_factor(f: &Factor, done: &mut FxHashMap<Factor, Nat>) -> Nat {
    if let Some(known) = done.get(f) {
        return known.clone();
    }
    let result = match f {
        Factor::Div(a, b) => div(&strict_with(a, done), &strict_with(b, done), Style::Strict),
        Factor::Mod(a, b) => {
            let (a, b) = (strict_with(a, done), strict_with(b, done));
            &a - &b.times(&div(&a, &b, Style::Strict))
        }
        other => other.rebuild(|n| strict_with(n, done)),
    };
    done.insert(f.clone(), result.clone());
    result
}
