//! The solver counts as many solutions as pumpkin-solver, a lazy clause generation solver, finds.

mod other;
#[path = "../../lift-core/tests/problems/mod.rs"]
mod problems;
mod tiles;

use lift_core::constraints::Limits;
use lift_core::kernel::Space;
use lift_core::solve::{Domain, Problem};
use other::Other;
use problems::{LIMITS, chains, convolution, parameters, placement};
use std::collections::BTreeSet;
use std::time::Instant;

/// Both find as many solutions; how many.
fn count(what: &str, problem: &Problem) -> u64 {
    count_in_parts(what, problem, &[])
}

/// Both find as many in each of a problem's parts, by these variables one after the other; how many in all.
fn count_in_parts(what: &str, problem: &Problem, variables: &[usize]) -> u64 {
    let mut all = vec![problem.clone()];
    for v in variables {
        all = all.iter().flat_map(|part| parts(part, *v)).collect();
    }
    let start = Instant::now();
    let mut total = 0;
    for part in &all {
        let count = part.count();
        assert_eq!(Other::count(part), count, "{what}: {:?}", part.domains);
        total += count;
    }
    println!("{what}: {total}, in {} parts, {:?}", all.len(), start.elapsed());
    assert_eq!(problem.count(), total, "{what}");
    total
}

/// A problem in parts that together have all its solutions, each a few, since the other solver gets slower the
/// more it has found: a variable has one of the values that it has in solutions, or one of all others, the small
/// or the large, of which the other solver can't multiply the largest by the largest.
fn parts(problem: &Problem, variable: usize) -> Vec<Problem> {
    let found: BTreeSet<i64> = problem.solutions().map(|solution| solution[variable]).collect();
    let mut others = other::values(&problem.domains[variable]);
    others.retain(|n| !found.contains(n));
    let half = others.len().div_ceil(2).max(1);
    let with = |values: &[i64]| {
        let mut part = problem.clone();
        part.domains[variable] = Domain::of(values.to_vec());
        part
    };
    let found: Vec<i64> = found.into_iter().collect();
    others.chunks(half).chain(found.chunks(1)).map(with).collect()
}

#[test]
fn placements_are_as_many() {
    for nest in [chains(1, 1), chains(1, 3), chains(1, 4), chains(2, 2), chains(2, 3)] {
        count(&format!("{} maps", nest.maps.len()), &placement(&nest, None));
    }
}

/// All twelve maps of CC'22's convolution: the outermost two of one kernel and one of the other fixed in every way.
#[test]
fn placements_of_a_convolution_are_as_many() {
    for tiles in [Space::Private, Space::Local] {
        for limits in [None, Some(LIMITS)] {
            let limited = limits.map_or("", |_| " on a small device");
            let problem = placement(&convolution(tiles), limits);
            assert_eq!(problem.domains.len(), 12);
            count_in_parts(&format!("tiles in {tiles:?} memory{limited}"), &problem, &[8, 0, 9]);
        }
    }
}

/// Where maps run and how large tiles are: each of a device's limits leaves some out.
#[test]
fn places_and_parameters_are_as_many() {
    let all = count("tiles", &tiles::problem(tiles::LIMITS));
    let most = 1 << 20;
    let without = [
        Limits { group: most, ..tiles::LIMITS },
        Limits { sides: [most; 3], ..tiles::LIMITS },
        Limits { local: most, ..tiles::LIMITS },
        Limits { private: most, alone: most, ..tiles::LIMITS },
    ];
    for limits in without {
        assert!(count(&format!("tiles on {limits:?}"), &tiles::problem(limits)) > all);
    }
}

#[test]
fn parameters_are_as_many() {
    for (c, k, h) in [(1, 2, 5), (4, 6, 6), (3, 8, 10)] {
        count(&format!("C = {c}, K = {k}, H = {h}"), &parameters(c, k, h).problem(&|_| None));
    }
}

/// All of a large layer's: by SIGMA, which has most values, then by THETA and KAPPA.
#[test]
fn many_parameters_are_as_many() {
    let problem = parameters(512, 512, 226).problem(&|_| None);
    assert!(count_in_parts("C = 512, K = 512, H = 226", &problem, &[3, 0, 1]) >= 100_000);
}
