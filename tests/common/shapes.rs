//! Random sizes that a program admits.

use lift_core::tune::choose;
use lift_core::{Program, Sizes};
use std::collections::HashSet;

/// How many sizes are drawn for each shape wanted, before giving up.
const PATIENCE: usize = 10_000;

/// `count` different shapes, or all there are: every size from 1 (from 0 where a clause lets it be 0) to its largest, ones
/// and primes more often than others. Which combinations are allowed the program itself says: its `where` clauses, and
/// what its primitives ask of `tune` parameters.
pub fn random(program: &Program, largest: &[usize], count: usize, random: &mut fastrand::Rng) -> Vec<Sizes> {
    assert_eq!(program.sizes().len(), largest.len(), "`{}` has other sizes", program.name());
    let mut seen = HashSet::new();
    let mut shapes = vec![];
    let ones = named(program, &mut largest.iter().map(|_| 1));
    let zero: Vec<bool> = program.sizes().iter().map(|s| program.function.least(&s.var) == 0).collect();
    let drawn = std::iter::repeat_with(|| {
        let mut values = largest.iter().zip(&zero).map(|(n, zero)| match zero {
            true if random.u8(0..3) == 0 => 0,
            _ => size(*n, random),
        });
        named(program, &mut values)
    });
    for sizes in std::iter::once(ones).chain(drawn.take(PATIENCE * count)) {
        if shapes.len() == count {
            break;
        }
        if choose::tuned(program, &sizes).is_ok() && seen.insert(sizes.clone()) {
            shapes.push(sizes);
        }
    }
    shapes
}

/// Sizes by position.
pub fn named(program: &Program, values: &mut dyn Iterator<Item = usize>) -> Sizes {
    Sizes(program.sizes().iter().zip(values).map(|(size, n)| (size.var.clone(), n as i64)).collect())
}

fn size(largest: usize, random: &mut fastrand::Rng) -> usize {
    const PRIMES: [usize; 18] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61];
    let primes = PRIMES.iter().filter(|p| **p <= largest).count();
    match random.u8(0..10) {
        0 => 1,
        1..5 if primes > 0 => PRIMES[random.usize(0..primes)],
        _ => random.usize(1..=largest),
    }
}
