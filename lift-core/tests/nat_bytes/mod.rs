//! Bytes as a question to the prover, and its answer against evaluation: for the fuzzer, and for tests that
//! replay what it found.

use lift_core::nat::{Answer, Condition, EvalError, Facts, Nat, Relation, Var};
use std::collections::BTreeMap;
use std::fmt::Write;

const RELATIONS: [Relation; 6] =
    [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Le, Relation::Gt, Relation::Ge];

/// Sizes are tried up to this.
const LARGEST: i64 = 5;

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    /// The next byte, below `n`; 0 where there are no more.
    fn below(&mut self, n: u8) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first % n
    }

    fn constant(&mut self) -> i64 {
        match self.below(32) {
            29 => 64,
            30 => 1 << 33,
            31 => i64::MAX,
            small => i64::from(small) - 4,
        }
    }

    fn nat(&mut self, depth: u32, vars: &[Var]) -> Nat {
        let kind = if depth == 0 { self.below(6) } else { self.below(24) };
        let n = u8::try_from(vars.len()).unwrap_or(1);
        match kind {
            0 | 1 => Nat::constant(self.constant()),
            2..=5 => Nat::var(&vars[usize::from(self.below(n))]),
            op => {
                let (a, b) = (&self.nat(depth - 1, vars), &self.nat(depth - 1, vars));
                match op {
                    6..=9 => a + b,
                    10..=12 => a - b,
                    13..=15 => a * b,
                    16..=18 => a.div(b),
                    19..=21 => a.rem(b),
                    22 => a.min(b),
                    _ => a.max(b),
                }
            }
        }
    }

    fn condition(&mut self, depth: u32, vars: &[Var]) -> Condition {
        match if depth == 0 { 0 } else { self.below(8) } {
            0..=3 => {
                let relation = RELATIONS[usize::from(self.below(6))];
                Condition::Compare(relation, self.nat(4, vars), self.nat(4, vars))
            }
            4 => Condition::divides(self.nat(2, vars), self.nat(4, vars)),
            5 => self.condition(depth - 1, vars).and(self.condition(depth - 1, vars)),
            6 => self.condition(depth - 1, vars).or(self.condition(depth - 1, vars)),
            _ => Condition::Not(Box::new(self.condition(depth - 1, vars))),
        }
    }
}

/// What is known, and what is asked.
struct Question {
    vars: Vec<Var>,
    facts: Facts,
    ranges: Vec<(Var, Nat, Nat)>,
    fixed: Option<(Var, i64)>,
    assumed: Vec<Condition>,
    asked: Condition,
}

impl Question {
    fn new(bytes: &[u8]) -> Question {
        let mut bytes = Bytes(bytes);
        let mut vars = vec![Var::size("N"), Var::size("M"), Var::size("K")];
        let mut facts = Facts::new();
        vars.iter().for_each(|v| facts.size(v));
        let mut ranges = vec![];
        for k in 1..=bytes.below(3) {
            let v = Var::index(["i", "j"][usize::from(k - 1)], k.into());
            let low = Nat::constant(i64::from(bytes.below(4)) * i64::from(bytes.below(4) == 3));
            let end = bytes.nat(2, &vars);
            facts.range(&v, &low, &end);
            ranges.push((v.clone(), low, end));
            vars.push(v);
        }
        let fixed = (bytes.below(6) == 5)
            .then(|| (vars[usize::from(bytes.below(3))].clone(), i64::from(bytes.below(5)) + 1));
        if let Some((v, value)) = &fixed {
            facts.fix(v, *value);
        }
        let assumed: Vec<Condition> = (0..bytes.below(4)).map(|_| bytes.condition(1, &vars[..3])).collect();
        assumed.iter().for_each(|c| facts.assume(c));
        let asked = bytes.condition(2, &vars);
        Question { vars, facts, ranges, fixed, assumed, asked }
    }

    /// Small sizes, and of every range both ends and what lies between them near an end.
    fn valuations(&self) -> Vec<BTreeMap<Var, i64>> {
        let mut all = vec![BTreeMap::new()];
        for v in &self.vars {
            let mut more = vec![];
            for env in all {
                let values: Vec<i64> = match self.ranges.iter().find(|(w, ..)| w == v) {
                    None => match &self.fixed {
                        Some((w, value)) if w == v => vec![*value],
                        _ => (1..=LARGEST).collect(),
                    },
                    Some((_, low, end)) => {
                        let lookup = |v: &Var| env.get(v).copied();
                        let (Ok(low), Ok(end)) = (low.eval(&lookup), end.eval(&lookup)) else { continue };
                        let mut values: Vec<i64> = [low, low + 1, low + 2, end.saturating_sub(1)]
                            .into_iter()
                            .filter(|x| (low..end).contains(x))
                            .collect();
                        values.dedup();
                        values
                    }
                };
                for value in values {
                    let mut env: BTreeMap<Var, i64> = env.clone();
                    env.insert(v.clone(), value);
                    more.push(env);
                }
            }
            all = more;
        }
        all.retain(|env| self.assumed.iter().all(|c| c.eval(&|v| env.get(v).copied()) == Ok(true)));
        all
    }

    /// A counterexample names the variables of the condition alone: what is said of others can't be looked at.
    fn goes_with_the_facts(&self, env: &BTreeMap<Var, i64>) -> bool {
        let lookup = |v: &Var| env.get(v).copied();
        let sizes = self.vars[..3].iter().all(|v| lookup(v).is_none_or(|x| x >= 1));
        let fixed = self.fixed.iter().all(|(v, value)| lookup(v).is_none_or(|x| x == *value));
        let ranges = self.ranges.iter().all(|(v, low, end)| {
            let Some(x) = lookup(v) else { return true };
            low.eval(&lookup).is_ok_and(|low| low <= x) && end.eval(&lookup).is_ok_and(|end| x < end)
                || end.vars().iter().any(|v| lookup(v).is_none())
        });
        let whole = |c: &&Condition| c.vars().iter().all(|v| lookup(v).is_some());
        sizes && fixed && ranges && self.assumed.iter().filter(whole).all(|c| c.eval(&lookup) == Ok(true))
    }
}

/// Asks, and says what is wrong with the answer.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    let question = Question::new(bytes);
    let asked = &question.asked;
    let wrong = |what: String| {
        let mut text = format!("{asked}: {what}");
        let _ = write!(text, ", {:?}", question.facts);
        Err(text)
    };
    let (mut simpler, mut values) = (vec![], vec![]);
    if let Condition::Compare(_, a, b) = asked {
        simpler.extend([a, b].map(|n| (n, question.facts.simplify(n), question.facts.bounds(n))));
    }
    let answer = question.facts.prove(asked);
    if let Answer::Refuted(found) = &answer {
        let env: BTreeMap<Var, i64> = found.iter().cloned().collect();
        let value = asked.eval(&|v| env.get(v).copied());
        if !matches!(value, Ok(false) | Err(EvalError::DivisionByZero)) {
            return wrong(format!("is {value:?} with the counterexample {env:?}"));
        }
        if !question.goes_with_the_facts(&env) {
            return wrong(format!("the counterexample {env:?} is not among what is possible"));
        }
    }
    if answer.is_proved() || !simpler.is_empty() {
        values = question.valuations();
    }
    for env in values {
        let lookup = |v: &Var| env.get(v).copied();
        let value = asked.eval(&lookup);
        if answer.is_proved() && !matches!(value, Ok(true) | Err(EvalError::Overflow)) {
            return wrong(format!("was proved, but is {value:?} with {env:?}"));
        }
        for (n, simple, (low, high)) in &simpler {
            let Ok(value) = n.eval(&lookup) else { continue };
            let same = simple.eval(&lookup);
            if same != Ok(value) && same != Err(EvalError::Overflow) {
                return wrong(format!("{n} became {simple} with {env:?}"));
            }
            if low.is_some_and(|l| l > value) || high.is_some_and(|h| h < value) {
                return wrong(format!("{n} is {value}, outside of {low:?} to {high:?}, with {env:?}"));
            }
        }
    }
    Ok(())
}

/// The question in words.
#[allow(dead_code)]
pub fn shown(bytes: &[u8]) -> String {
    let question = Question::new(bytes);
    format!("{:?} |- {}", question.facts, question.asked)
}
