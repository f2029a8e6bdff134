use super::*;
use crate::nat::Relation;
use std::collections::{BTreeSet, HashMap};

fn var(v: usize) -> Box<Term> {
    Term::Variable(v).into()
}

fn is_zero(term: Term) -> Formula {
    Formula::Compare(Relation::Eq, term, Term::Constant(0))
}

/// `b` divides `a`.
fn divides(b: Term, a: Term) -> Formula {
    is_zero(Term::Mod(a.into(), b.into()))
}

/// Every assignment, one after the other, kept if everything holds.
fn brute_force(problem: &Problem) -> BTreeSet<Solution> {
    let mut all: Vec<Solution> = vec![vec![]];
    for domain in &problem.domains {
        let longer = |s: &Solution| (0..domain.len()).map(|k| [&s[..], &[domain.at(k)]].concat()).collect();
        all = all.iter().flat_map::<Vec<_>, _>(longer).collect();
    }
    all.into_iter().filter(|s| problem.constraints.iter().all(|c| c.holds(s))).collect()
}

/// Numbers below `n`.
fn dice(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |n| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n
    }
}

fn random_problem(seed: u64) -> Problem {
    let mut below = dice(seed);
    let mut problem = Problem::default();
    for _ in 0..2 + below(3) {
        let domain = match below(3) {
            0 => Domain::Span(-2, 4),
            1 => Domain::Span(1, 7),
            _ => Domain::of((0..1 + below(5)).map(|_| below(9) as i64).collect()),
        };
        problem.variable(domain);
    }
    let count = problem.domains.len();
    for _ in 0..1 + below(6) {
        let mut literal = || Formula::In(below(count), (0..5).map(|_| below(9) as i64 - 1).collect());
        let (a, b, c) = (literal(), literal(), literal());
        let term = |below: &mut dyn FnMut(usize) -> usize| {
            let (x, y) = (var(below(count)), var(below(count)));
            match below(7) {
                0 => Term::Sum(x, y),
                1 => Term::Product(x, y),
                2 => Term::Div(x, y),
                3 => Term::Mod(Term::Constant(12).into(), y),
                4 => Term::Min(x, y),
                5 => Term::Max(x, y),
                _ => Term::Choose(Formula::In(below(count), vec![1, 2, 4]).into(), x, y),
            }
        };
        let compare = Formula::Compare(Relation::Le, term(&mut below), term(&mut below));
        problem.constraints.push(match below(6) {
            0 => a,
            1 => a.or(Formula::Not(b.into())),
            2 => Formula::All(vec![a.or(b), Formula::Not(c.into())]),
            3 => is_zero(term(&mut below)).or(compare),
            4 => Formula::Not(is_zero(term(&mut below)).into()).or(a),
            _ => compare,
        });
    }
    problem
}

#[test]
fn finds_what_brute_force_finds() {
    let mut empty = 0;
    for seed in 0..1_000 {
        let problem = random_problem(seed);
        let expected = brute_force(&problem);
        let found: Vec<Solution> = problem.solutions().collect();
        assert_eq!(found.len(), expected.len(), "{problem:?}");
        assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected, "{problem:?}");
        assert_eq!(problem.count(), expected.len() as u64, "{problem:?}");
        assert_eq!(problem.first(1_000_000), Ok(found.first().cloned()));
        let sample: Vec<Solution> = problem.sample(seed).collect();
        assert_eq!(sample.len(), expected.len(), "each once: {problem:?}");
        assert_eq!(sample.into_iter().collect::<BTreeSet<_>>(), expected);
        empty += usize::from(expected.is_empty());
    }
    assert!((100..900).contains(&empty), "{empty} of the problems have no solution");
}

#[test]
fn a_conflict_needs_each_of_its_constraints() {
    let mut conflicts = 0;
    for seed in 0..1_000 {
        let problem = random_problem(seed);
        let Some(conflict) = problem.conflict() else {
            assert!(!brute_force(&problem).is_empty());
            continue;
        };
        conflicts += 1;
        let without = |left_out: Option<usize>| Problem {
            constraints: conflict
                .iter()
                .filter(|k| Some(**k) != left_out)
                .map(|k| problem.constraints[*k].clone())
                .collect(),
            domains: problem.domains.clone(),
        };
        assert!(brute_force(&without(None)).is_empty());
        for k in &conflict {
            assert!(!brute_force(&without(Some(*k))).is_empty(), "{problem:?}: {k} is not needed");
        }
    }
    assert!(conflicts > 100);
}

#[test]
fn the_seed_says_which_and_every_solution_is_about_as_likely() {
    // In the sparse half, where `a` is 0, only one `b` is left; in the other one, eight.
    let mut problem = Problem::default();
    let (a, b) = (problem.variable(Domain::Span(0, 1)), problem.variable(Domain::Span(0, 7)));
    problem.constraints.push(Formula::In(a, vec![1]).or(Formula::In(b, vec![3])));
    let first = |seed| problem.sample(seed).next().expect("there are nine");
    let mut counts: HashMap<Solution, usize> = HashMap::new();
    for seed in 0..9_000 {
        *counts.entry(first(seed)).or_default() += 1;
        assert_eq!(first(seed), first(seed));
    }
    assert_eq!(counts.len(), 9);
    assert!(counts.values().all(|n| (600..1_700).contains(n)), "{counts:?}");
}

#[test]
fn the_closest_solution_has_the_smallest_sum() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..2_000 {
        let problem = random_problem(seed);
        let mut below = dice(seed + 7);
        let wanted: Vec<i64> = problem.domains.iter().map(|_| below(9) as i64 - 1).collect();
        // Sums on the limits of the search's passes, too.
        let apart = |variable: usize, value: i64| (value - wanted[variable]).abs() as f64 / 4.0;
        let sum = |s: &Solution| s.iter().enumerate().map(|(v, value)| apart(v, *value)).sum::<f64>();
        let all = brute_force(&problem);
        let least = all.iter().map(sum).min_by(f64::total_cmp);
        let closest = problem.closest_in(&problem.domains, &apart, usize::MAX);
        assert_eq!(closest.as_ref().map(sum), least, "{problem:?}");
        assert!(closest.iter().all(|s| all.contains(s)), "{problem:?}");
        *if closest.is_some() { &mut found } else { &mut none } += 1;
        // What few steps find may be further, and is one.
        let early = problem.closest_in(&problem.domains, &apart, below(12));
        assert!(early.iter().all(|s| all.contains(s)), "{problem:?}");
    }
    assert!(found > 100 && none > 100, "{found} found, {none} have none");
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    let mut problem = Problem::default();
    for _ in 0..10 {
        problem.variable(Domain::Span(1, 1_000));
    }
    let sum = (1..10).fold(Term::Variable(0), |sum, v| Term::Sum(sum.into(), var(v)));
    problem.constraints.push(Formula::Compare(Relation::Gt, sum, Term::Constant(20_000)));
    assert_eq!(problem.first(1_000), Err(GivenUp));
    assert_eq!(problem.conflict(), None);
}

#[test]
fn divisors_are_found_in_large_domains() {
    let mut problem = Problem::default();
    let large = || Domain::Span(1, 100_000_000);
    let (a, b) = (problem.variable(large()), problem.variable(large()));
    problem.constraints = vec![
        divides(Term::Variable(a), Term::Constant(720_720)),
        divides(Term::Variable(b), Term::Div(Term::Constant(720_720).into(), var(a))),
    ];
    // One for each way to write 720720 = 2⁴·3²·5·7·11·13 as a product of three.
    assert_eq!(problem.count(), 15 * 6 * 3 * 3 * 3 * 3);
}

#[test]
fn numbers_without_a_value_satisfy_nothing() {
    let mut problem = Problem::default();
    let x = problem.variable(Domain::Span(0, 1));
    let divided = || Term::Div(Term::Constant(4).into(), var(x));
    problem.constraints = vec![Formula::Compare(Relation::Ge, divided(), Term::Constant(0))];
    assert_eq!(problem.solutions().collect::<Vec<_>>(), [[1]]);
    // An earlier part guards it.
    problem.constraints = vec![Formula::In(x, vec![0]).or(problem.constraints.remove(0))];
    assert_eq!(problem.count(), 2);
    let large =
        Term::Product(Term::Constant(i64::MAX).into(), Term::Sum(var(x), Term::Constant(2).into()).into());
    problem.constraints = vec![Formula::Compare(Relation::Ge, large, Term::Constant(0))];
    assert_eq!(problem.count(), 0);
}
