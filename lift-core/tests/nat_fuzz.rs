//! Random expressions, facts and conditions against direct evaluation: so many everyday, as many as there is time for
//! under `scripts/hunt`.

// Its own part of this.
#[allow(dead_code)]
#[path = "../../tests/common/hunt.rs"]
mod hunt;
mod nat_bytes;

use lift_core::nat::{Answer, Condition, EvalError, Facts, Nat, Relation, Var};
use std::collections::BTreeMap;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

/// An expression as it is written.
#[derive(Clone, Debug)]
enum Tree {
    Constant(i64),
    Var(Var),
    Op(char, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn random(r: &mut Random, depth: u32, vars: &[Var]) -> Tree {
        if depth == 0 || r.below(6) == 0 {
            return match r.below(3) {
                0 => Tree::Constant(r.between(-6, 9)),
                _ => Tree::Var(vars[r.below(vars.len() as u64) as usize].clone()),
            };
        }
        let op = ['+', '+', '-', '*', '*', '/', '/', '%', '%', 'm', 'M'][r.below(11) as usize];
        let (a, b) = (Tree::random(r, depth - 1, vars), Tree::random(r, depth - 1, vars));
        Tree::Op(op, Box::new(a), Box::new(b))
    }

    fn nat(&self) -> Nat {
        match self {
            Tree::Constant(c) => Nat::constant(*c),
            Tree::Var(v) => Nat::var(v),
            Tree::Op(op, a, b) => {
                let (a, b) = (&a.nat(), &b.nat());
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a.div(b),
                    '%' => a.rem(b),
                    'm' => a.min(b),
                    _ => a.max(b),
                }
            }
        }
    }

    /// `None` where it divides by zero or overflows.
    fn eval(&self, env: &BTreeMap<Var, i64>) -> Option<i128> {
        Some(match self {
            Tree::Constant(c) => i128::from(*c),
            Tree::Var(v) => i128::from(env[v]),
            Tree::Op(op, a, b) => {
                let (a, b) = (a.eval(env)?, b.eval(env)?);
                let floor = |a: i128, b: i128| {
                    let q = a.checked_div(b)?;
                    Some(if q * b != a && (a < 0) != (b < 0) { q - 1 } else { q })
                };
                match op {
                    '+' => a.checked_add(b)?,
                    '-' => a.checked_sub(b)?,
                    '*' => a.checked_mul(b)?,
                    '/' => floor(a, b)?,
                    '%' => a - b * floor(a, b)?,
                    'm' => a.min(b),
                    _ => a.max(b),
                }
            }
        })
    }
}

fn sizes() -> Vec<Var> {
    ["M", "N", "K"].map(Var::size).to_vec()
}

fn all_vars() -> Vec<Var> {
    let mut vars = sizes();
    vars.extend([Var::index("i", 1), Var::index("j", 2)]);
    vars
}

fn lookup(env: &BTreeMap<Var, i64>) -> impl Fn(&Var) -> Option<i64> {
    |v| env.get(v).copied()
}

#[test]
fn normal_forms_keep_values() {
    normal_forms(1, 20_000);
}

fn normal_forms(seed: u64, count: u64) {
    let mut r = Random(seed);
    let vars = all_vars();
    for _ in 0..count {
        let depth = 1 + r.below(4) as u32;
        let tree = Tree::random(&mut r, depth, &vars);
        let n = tree.nat();
        for _ in 0..6 {
            let env: BTreeMap<Var, i64> = vars.iter().map(|v| (v.clone(), r.between(-12, 12))).collect();
            let Some(expected) = tree.eval(&env) else { continue };
            assert_eq!(n.eval(&lookup(&env)).map(i128::from), Ok(expected), "{tree:?} as {n} with {env:?}");
        }
    }
}

#[test]
fn substitution_keeps_values() {
    substitution(2, 5_000);
}

fn substitution(seed: u64, count: u64) {
    let mut r = Random(seed);
    let vars = all_vars();
    for _ in 0..count {
        let (tree, image) = (Tree::random(&mut r, 3, &vars), Tree::random(&mut r, 2, &vars));
        let replaced = tree.nat().substitute(&|v| (*v == vars[0]).then(|| image.nat()));
        for _ in 0..4 {
            let mut env: BTreeMap<Var, i64> = vars.iter().map(|v| (v.clone(), r.between(-9, 9))).collect();
            let found = replaced.eval(&lookup(&env));
            let Some(value) = image.eval(&env) else { continue };
            env.insert(vars[0].clone(), value as i64);
            let Some(expected) = tree.eval(&env) else { continue };
            assert_eq!(found.map(i128::from), Ok(expected), "{tree:?} with {image:?} for M");
        }
    }
}

#[test]
fn linear_parts_add_up() {
    assert!(linear_parts(3, 10_000) > 2_500);
}

fn linear_parts(seed: u64, count: u64) -> u64 {
    let mut r = Random(seed);
    let vars = all_vars();
    let mut linear = 0;
    for _ in 0..count {
        let n = Tree::random(&mut r, 3, &vars).nat();
        let v = &vars[r.below(5) as usize];
        let Some((coefficient, rest)) = n.linear_in(v) else { continue };
        linear += 1;
        assert!(!coefficient.contains(v) && !rest.contains(v));
        assert_eq!(coefficient * Nat::var(v) + rest, n);
    }
    linear
}

#[test]
fn what_is_stored_comes_back() {
    stored(4, 2_000);
}

fn stored(seed: u64, count: u64) {
    let mut r = Random(seed);
    for _ in 0..count {
        let n = Tree::random(&mut r, 4, &all_vars()).nat();
        let text = serde_json::to_string(&n).unwrap();
        let again: Nat = serde_json::from_str(&text).unwrap();
        assert_eq!(again, n, "{text}");
    }
}

/// Facts with a check of valuations.
struct World {
    facts: Facts,
    ranges: Vec<(Var, Nat, Nat)>,
    fixed: Option<(Var, i64)>,
    assumed: Vec<Condition>,
}

impl World {
    fn random(r: &mut Random) -> World {
        let mut facts = Facts::new();
        sizes().iter().for_each(|v| facts.size(v));
        let mut ranges = vec![];
        for (i, v) in all_vars()[3..].iter().enumerate() {
            let scope = &all_vars()[..3 + i];
            let low = Nat::constant(if r.below(4) == 0 { r.between(-2, 3) } else { 0 });
            let end = match r.below(3) {
                0 => Nat::constant(r.between(1, 8)),
                1 => Nat::var(&scope[r.below(scope.len() as u64) as usize]),
                _ => Tree::random(r, 2, scope).nat(),
            };
            ranges.push((v.clone(), low, end));
        }
        let fixed = (r.below(3) == 0).then(|| (sizes()[r.below(3) as usize].clone(), r.between(1, 9)));
        let count = r.below(3);
        let assumed: Vec<Condition> = (0..count).map(|_| random_condition(r, 2, &sizes(), true)).collect();
        let of_sizes = |facts: &mut Facts| {
            fixed.iter().for_each(|(v, value)| facts.fix(v, *value));
            assumed.iter().for_each(|c| facts.assume(c));
        };
        if r.below(2) == 0 {
            ranges.iter().for_each(|(v, low, end)| facts.range(v, low, end));
            of_sizes(&mut facts);
        } else {
            // As a generator learns them, loop by loop, with questions in between: what is known then goes on from what was.
            of_sizes(&mut facts);
            for (v, low, end) in &ranges {
                facts.holds(&Condition::le(Nat::var(v), Nat::var(v) * 2));
                facts.range(v, low, end);
            }
        }
        World { facts, ranges, fixed, assumed }
    }

    fn valuation(&self, r: &mut Random) -> Option<BTreeMap<Var, i64>> {
        let mut env: BTreeMap<Var, i64> = sizes().into_iter().map(|v| (v, r.between(1, 10))).collect();
        if let Some((v, value)) = &self.fixed {
            env.insert(v.clone(), *value);
        }
        for (v, low, end) in &self.ranges {
            let (low, end) = (low.eval(&lookup(&env)).ok()?, end.eval(&lookup(&env)).ok()?);
            if low >= end {
                return None;
            }
            let value = r.between(low, (end - 1).min(low + 40));
            env.insert(v.clone(), value);
        }
        self.assumed.iter().all(|c| c.eval(&lookup(&env)) == Ok(true)).then_some(env)
    }
}

fn random_condition(r: &mut Random, depth: u32, vars: &[Var], simple: bool) -> Condition {
    if !simple && r.below(6) == 0 {
        let (a, b) = (random_condition(r, depth, vars, true), random_condition(r, depth, vars, true));
        return match r.below(3) {
            0 => a.and(b),
            1 => a.or(b),
            _ => Condition::Not(Box::new(a.and(b))),
        };
    }
    let a = Tree::random(r, depth, vars).nat();
    if r.below(4) == 0 {
        return Condition::divides(Nat::constant(r.between(2, 4)), a);
    }
    let relations = [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Le, Relation::Gt, Relation::Ge];
    let relation = relations[r.below(6) as usize];
    Condition::Compare(relation, a, Tree::random(r, depth, vars).nat())
}

#[test]
fn simplified_expressions_keep_values() {
    assert!(simplified(5, 1_000) > 1_250);
}

fn simplified(seed: u64, count: u64) -> u64 {
    let mut r = Random(seed);
    let mut checked = 0;
    for _ in 0..count {
        let world = World::random(&mut r);
        let n = Tree::random(&mut r, 4, &all_vars()).nat();
        let simple = world.facts.simplify(&n);
        let (low, high) = world.facts.bounds(&n);
        for _ in 0..12 {
            let Some(env) = world.valuation(&mut r) else { continue };
            let Ok(expected) = n.eval(&lookup(&env)) else { continue };
            checked += 1;
            assert_eq!(
                simple.eval(&lookup(&env)),
                Ok(expected),
                "{n} as {simple} with {env:?}, {:?}",
                world.facts
            );
            assert!(low.is_none_or(|l| l <= expected), "{n} >= {low:?} with {env:?}, {:?}", world.facts);
            assert!(high.is_none_or(|h| h >= expected), "{n} <= {high:?} with {env:?}, {:?}", world.facts);
        }
    }
    checked
}

#[test]
fn proofs_and_counterexamples_are_right() {
    let [proved, refuted, unknown] = answers(6, 5_000);
    assert!(proved > 500 && refuted > 500 && unknown < 1_500, "{proved}, {refuted}, {unknown}");
}

/// How many conditions were proved, how many refuted, and of how many nothing was said.
fn answers(seed: u64, count: u64) -> [u64; 3] {
    let mut r = Random(seed);
    let (mut proved, mut refuted, mut unknown) = (0, 0, 0);
    for _ in 0..count {
        let world = World::random(&mut r);
        let depth = 1 + r.below(3) as u32;
        let c = random_condition(&mut r, depth, &all_vars(), false);
        let answer = world.facts.prove(&c);
        // The first time it is found out, the second time remembered.
        for _ in 0..2 {
            // Where facts contradict each other, which proves everything, `certain` need not find out.
            let same = world.facts.certain(&c) == answer.is_proved();
            let contradiction = || answer.is_proved() && world.facts.prove(&c.clone().not()).is_proved();
            assert!(same || contradiction(), "{c}, {:?}", world.facts);
            assert_eq!(world.facts.prove(&c), answer, "{c}, {:?}", world.facts);
        }
        match answer {
            Answer::Proved => {
                proved += 1;
                for _ in 0..20 {
                    let Some(env) = world.valuation(&mut r) else { continue };
                    let found = c.eval(&lookup(&env));
                    let overflow = found == Err(EvalError::Overflow);
                    assert!(
                        found == Ok(true) || overflow,
                        "{c} with {env:?} is {found:?}, {:?}",
                        world.facts
                    );
                }
            }
            Answer::Refuted(values) => {
                refuted += 1;
                let vars: Vec<Var> = values.iter().map(|(v, _)| v.clone()).collect();
                assert_eq!(vars, c.vars().into_iter().collect::<Vec<_>>());
                let env: BTreeMap<Var, i64> = values.into_iter().collect();
                let found = c.eval(&lookup(&env));
                assert!(
                    matches!(found, Ok(false) | Err(EvalError::DivisionByZero)),
                    "{c} with {env:?} is {found:?}"
                );
                for v in env.keys().filter(|v| v.index == 0) {
                    assert!(env[v] >= 1);
                    assert!(world.fixed.as_ref().is_none_or(|(w, value)| w != v || env[v] == *value));
                }
                for (v, low, end) in world.ranges.iter().filter(|(v, ..)| env.contains_key(v)) {
                    assert!(low.eval(&lookup(&env)).is_ok_and(|l| l <= env[v]));
                    assert!(end.eval(&lookup(&env)).map_or(true, |e| env[v] < e));
                }
                for a in &world.assumed {
                    let shown = a.vars().iter().all(|v| env.contains_key(v));
                    let value = a.eval(&lookup(&env));
                    assert!(!shown || value == Ok(true), "{a} with {env:?} is {value:?}");
                }
            }
            Answer::Unknown => unknown += 1,
        }
    }
    [proved, refuted, unknown]
}

/// What programs of tiles are made of: quotients of quotients, tiles rounded up, what is left of them, their products.
fn of_tiles(r: &mut Random, depth: u32) -> Nat {
    let size = |r: &mut Random| Nat::var(&sizes()[r.below(3) as usize]);
    if depth == 0 {
        return match r.below(4) {
            0 => Nat::constant(r.between(0, 3)),
            1 => Nat::var(&all_vars()[3 + r.below(2) as usize]),
            _ => size(r),
        };
    }
    let (a, b) = (&of_tiles(r, depth - 1), &size(r));
    match r.below(9) {
        0 => a.div(b),
        1 => (a + b - 1).div(b),
        2 => (a - b).div(&size(r)) + 1,
        3 => a.div(b) * b,
        4 => a.rem(b),
        5 => (b - a.rem(b)).rem(b),
        6 => a * b - size(r),
        7 => a + &of_tiles(r, depth - 1),
        _ => a.div(b).div(&size(r)),
    }
}

/// Proofs and simplifications where divisors are names: facts are bounds and divisibility of such expressions, and
/// every valuation of small sizes is tried.
#[test]
fn tiles_with_symbolic_divisors() {
    let [proved, with_facts] = tiles(8, 800);
    assert!(proved > 80 && with_facts > 25, "{proved}, {with_facts}");
}

fn tiles(seed: u64, count: u64) -> [u64; 2] {
    let mut r = Random(seed);
    let (mut proved, mut divisible) = (0, 0);
    for _ in 0..count {
        let mut facts = Facts::new();
        sizes().iter().for_each(|v| facts.size(v));
        let (i, j) = (&all_vars()[3], &all_vars()[4]);
        let ends = [of_tiles_of_sizes(&mut r), of_tiles_of_sizes(&mut r)];
        facts.range(i, &Nat::constant(0), &ends[0]);
        facts.range(j, &Nat::constant(0), &ends[1]);
        let assumed: Vec<Condition> = (0..r.below(3))
            .map(|_| match r.below(2) {
                0 => Condition::divides(Nat::var(&sizes()[r.below(3) as usize]), of_tiles_of_sizes(&mut r)),
                _ => Condition::le(of_tiles_of_sizes(&mut r), of_tiles_of_sizes(&mut r)),
            })
            .collect();
        assumed.iter().for_each(|c| facts.assume(c));
        let (a, b) = (of_tiles(&mut r, 2), of_tiles(&mut r, 2));
        let asked = match r.below(4) {
            0 => Condition::eq(&a, &b),
            1 => Condition::divides(Nat::var(&sizes()[r.below(3) as usize]), &a),
            2 => Condition::ge(&a, Nat::constant(r.between(0, 1))),
            _ => Condition::le(&a, &b),
        };
        let (holds, simple) = (facts.holds(&asked), facts.simplify(&a));
        proved += u64::from(holds);
        divisible += u64::from(holds && !assumed.is_empty());
        for code in 0..125 {
            let mut env: BTreeMap<Var, i64> = sizes()
                .into_iter()
                .zip([code % 5, code / 5 % 5, code / 25])
                .map(|(v, x)| (v, x + 1))
                .collect();
            if !assumed.iter().all(|c| c.eval(&lookup(&env)) == Ok(true)) {
                continue;
            }
            let last = ends.each_ref().map(|end| end.eval(&lookup(&env)).unwrap_or(0) - 1);
            if last.iter().any(|last| *last < 0) {
                continue;
            }
            for corner in 0..4 {
                let within =
                    |last: i64, at_end: bool, r: &mut Random| if at_end { last } else { r.between(0, last) };
                env.insert(i.clone(), within(last[0], corner % 2 == 1, &mut r));
                env.insert(j.clone(), within(last[1], corner / 2 == 1, &mut r));
                let found = asked.eval(&lookup(&env));
                assert!(!holds || found == Ok(true), "{asked} with {env:?}, {facts:?}");
                if let Ok(value) = a.eval(&lookup(&env)) {
                    assert_eq!(
                        simple.eval(&lookup(&env)),
                        Ok(value),
                        "{a} as {simple} with {env:?}, {facts:?}"
                    );
                }
            }
        }
    }
    [proved, divisible]
}

fn of_tiles_of_sizes(r: &mut Random) -> Nat {
    let n = of_tiles(r, 1);
    // Index variables are bounded by sizes.
    n.substitute(&|v| (v.index > 0).then(|| Nat::var(&sizes()[v.index as usize - 1])))
}

#[test]
#[ignore = "scripts/hunt runs it"]
fn all_these_with_other_seeds() {
    let (mut questions, mut random) = (0, 0);
    for (kind, seed) in hunt::turns(8) {
        match kind {
            0 => normal_forms(seed, 2_000),
            1 => substitution(seed, 500),
            2 => _ = linear_parts(seed, 1_000),
            3 => stored(seed, 500),
            4 => _ = simplified(seed, 200),
            5 => questions += answers(seed, 500).iter().sum::<u64>(),
            6 => _ = tiles(seed, 100),
            // What the fuzzer asks, if not so cleverly.
            _ => {
                let r = &mut Random(seed);
                for _ in 0..500 {
                    let bytes: Vec<u8> = (0..r.between(10, 120)).map(|_| r.below(256) as u8).collect();
                    let answer = nat_bytes::check(&bytes);
                    assert_eq!(answer, Ok(()), "seed {seed}: {}", nat_bytes::shown(&bytes));
                    random += 1;
                }
            }
        }
    }
    println!("hunted: {questions} questions with facts, {random} of random bytes");
}

#[test]
fn nothing_panics_on_extremes() {
    let mut r = Random(7);
    let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, i64::MAX - 1, i64::MAX, 1 << 40, -(1 << 62)];
    for _ in 0..5_000 {
        let pick = |r: &mut Random| Nat::constant(extremes[r.below(10) as usize]);
        let vars = all_vars();
        let mut n = pick(&mut r);
        for _ in 0..r.below(9) {
            let other = match r.below(3) {
                0 => pick(&mut r),
                1 => Nat::var(&vars[r.below(5) as usize]),
                _ => n.clone(),
            };
            n = match r.below(7) {
                0 => &n + &other,
                1 => &n - &other,
                2 => &n * &other,
                3 => n.div(&other),
                4 => n.rem(&other),
                5 => n.min(&other),
                _ => -n,
            };
        }
        let world = World::random(&mut r);
        let env: BTreeMap<Var, i64> =
            vars.iter().map(|v| (v.clone(), extremes[r.below(10) as usize])).collect();
        let _ =
            (n.eval(&lookup(&env)), world.facts.simplify(&n), world.facts.bounds(&n), n.to_string().len());
        let _ = world.facts.prove(&Condition::ge(&n, pick(&mut r)));
    }
}

#[test]
fn growth_is_bounded() {
    let x = Nat::size("X");
    let (mut doubled, mut deep, mut wide) = (x.clone(), x.clone(), Nat::constant(0));
    for k in 0..2_000 {
        let by = Nat::constant(k % 7 + 2);
        doubled = doubled.div(&by) + (&doubled * &doubled).div(&(&by + 1));
        deep = (&deep + 1).div(&(&x + k));
        wide = wide + Nat::size(&format!("V{k}")) * &x;
    }
    for n in [doubled, deep, wide] {
        let mut facts = Facts::new();
        facts.size(&Var::size("X"));
        let _ = (n.eval(&|_| Some(3)), facts.simplify(&n), facts.bounds(&n), n.to_string().len());
        let _ = facts.prove(&Condition::ge(&n, Nat::constant(1)));
        assert_eq!(n.clone() - &n, Nat::constant(0));
    }
}
