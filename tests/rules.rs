//! Every rewrite rule of the catalogue keeps types and meaning: it is tried on random programs until it has
//! matched 200 of them, each well-typed and of the same value before and after.
//!
//! `LIFT_RULES=n` demands n programs for each rule, `LIFT_RANDOM_SEED=s` takes others,
//! `LIFT_RULE=name` tries one rule only.

mod common;
mod generator;

use common::{Trial, shapes};
use lift_core::check::{self, Typed};
use lift_core::expr::{Argument, Expr, Function, Kind, Local};
use lift_core::interpret::{self, Datum};
use lift_core::nat::{Nat, Var};
use lift_core::rules::{Arguments, CATALOGUE, Rule};
use lift_core::scalar::Value;
use lift_core::strategy::{State, Way};
use lift_core::{Sizes, syntax};
use std::collections::{BTreeSet, HashSet};

/// Programs that each rule must match.
const PROGRAMS: u64 = 200;

/// For each of these so many programs are drawn at most.
const PATIENCE: u64 = 100;

/// Places in one program where a rule is tried.
const PLACES: usize = 2;

/// Ways inwards, or sizes, that are tried at one place.
const ATTEMPTS: usize = 4;

const ENOUGH: usize = 3;

/// Rules that put sums together in another order: only where floats stay small is that exact.
const REASSOCIATING: [&str; 3] = ["reduceNested", "partialSums", "start"];

fn number(variable: &str, usual: u64) -> u64 {
    let wanted = std::env::var(variable).ok();
    wanted.map_or(usual, |n| n.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// What was seen of a rule.
#[derive(Default, Debug)]
struct Seen {
    /// Programs that it matched.
    programs: u64,
    applications: u64,
    /// Applications that are well-typed for all sizes, not only for those tried.
    symbolic: u64,
    /// Matches whose sizes did not fit the lengths.
    unfit: u64,
}

#[test]
fn rules_keep_types_and_meaning() {
    let only = std::env::var("LIFT_RULE").ok();
    let mut failures = vec![];
    for rule in CATALOGUE.iter().filter(|rule| only.as_ref().is_none_or(|name| name == rule.name)) {
        let start = std::time::Instant::now();
        let (seen, mut found) = hunt(rule);
        println!("{:20} {seen:?}, {:.1} s", rule.name, start.elapsed().as_secs_f64());
        let wanted = number("LIFT_RULES", PROGRAMS);
        if found.is_empty() && seen.programs < wanted {
            let hint = "tests/generator/shapes.rs can make programs of its shape";
            found.push(format!("`{}` matched {} programs only: {hint}", rule.name, seen.programs));
        }
        failures.extend(found);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

fn hunt(rule: &'static Rule) -> (Seen, Vec<String>) {
    let (mut seen, mut failures) = (Seen::default(), vec![]);
    let (first, wanted) = (number("LIFT_RANDOM_SEED", 1), number("LIFT_RULES", PROGRAMS));
    for seed in first..first + wanted * PATIENCE {
        if seen.programs == wanted || failures.len() == ENOUGH {
            break;
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let shape = generator::shape(rule.name);
        let plain = shape.is_none() || (!REASSOCIATING.contains(&rule.name) && random.u8(0..8) == 0);
        let function = generator::shaped(shape.filter(|_| !plain), &mut random);
        let attempt = |function: &syntax::Function, seen: &mut Seen| {
            let attempt = std::panic::AssertUnwindSafe(|| tried(rule, function, random.clone(), seen));
            std::panic::catch_unwind(attempt).unwrap_or_else(|_| Err("it panicked".into()))
        };
        if attempt(&function, &mut seen).is_ok() {
            continue;
        }
        let fails = &mut |f: &[syntax::Function]| attempt(&f[0], &mut Seen::default()).is_err();
        let small = generator::shrink(&[function], fails).remove(0);
        let problem = attempt(&small, &mut Seen::default()).err().unwrap_or_else(|| "not always".into());
        failures.push(format!(
            "`{}`, seed {seed}: {problem}\n{}",
            rule.name,
            generator::print::function(&small)
        ));
    }
    (seen, failures)
}

/// Applies the rule to a program, if that is accepted and where it matches.
fn tried(
    rule: &'static Rule,
    function: &syntax::Function,
    mut random: fastrand::Rng,
    seen: &mut Seen,
) -> Result<(), String> {
    let Ok(programs) = lift_core::check(std::slice::from_ref(function)) else { return Ok(()) };
    let program = &programs[0];
    let largest = vec![generator::LARGEST_SIZE as usize; program.sizes().len()];
    let mut admitted = shapes::random(program, &largest, 3, &mut random);
    let sizes = admitted.swap_remove(random.usize(0..admitted.len()));
    let state = State::new(&program.function);
    let known = Known::new(&state.function, &sizes)?;
    let found = matches(rule, &state, &known, &mut random);
    if found.is_empty() {
        return Ok(());
    }
    let trial = Trial::exact(program, sizes, &mut random);
    let before = known.value(&trial)?;
    if before.scalars().is_empty() {
        return Ok(());
    }
    let mut applications = 0;
    for (way, arguments, next) in found {
        let what = || {
            let step = next.steps.last().map_or(String::new(), ToString::to_string);
            format!("{step}, at {}\n{}became\n{}", trial.sizes, state.function, next.function)
        };
        scoped(&next.function).map_err(|problem| format!("{problem}: {}", what()))?;
        let after = match Known::new(&next.function, &trial.sizes) {
            Ok(known) => known,
            Err(problem) if !rule.sizes.is_empty() && unfit(&problem) => {
                seen.unfit += 1;
                continue;
            }
            Err(problem) => return Err(format!("not well-typed: {problem}: {}", what())),
        };
        let after = after.value(&trial).map_err(|problem| format!("{problem}: {}", what()))?;
        same(&before, &after, REASSOCIATING.contains(&rule.name))
            .map_err(|problem| format!("{problem}: {}", what()))?;
        let replayed = state.apply(rule, &arguments, &way).map_err(|e| e.to_string())?;
        assert_eq!(replayed.function, next.function, "a rule is a function");
        applications += 1;
        // Where no size was chosen, nothing about sizes is left to chance.
        let symbolic = next.typed().is_some();
        if !symbolic && rule.sizes.is_empty() {
            return Err(format!("not well-typed for all sizes: {}", what()));
        }
        seen.symbolic += u64::from(symbolic);
    }
    seen.applications += applications;
    seen.programs += u64::from(applications > 0);
    Ok(())
}

/// Is it only that the rows, tiles or vectors don't fill the array?
fn unfit(problem: &str) -> bool {
    problem.lines().all(|line| line.contains("leaves elements over") || line.contains("has no room"))
}

/// A function at certain sizes, with the types in it.
struct Known<'a> {
    function: &'a Function,
    typed: Typed,
    sizes: Sizes,
}

impl<'a> Known<'a> {
    fn new(function: &'a Function, sizes: &Sizes) -> Result<Known<'a>, String> {
        let mut facts = check::facts(function);
        sizes.0.iter().for_each(|(var, value)| facts.fix(var, *value));
        let typed = check::infer_inlined(function, &facts)
            .map_err(|all| all.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n"))?;
        Ok(Known { function, typed, sizes: sizes.clone() })
    }

    /// Its value, where nothing is taken for granted.
    fn value(&self, trial: &Trial) -> Result<Datum, String> {
        let types = |id| self.typed.ty(id).cloned();
        interpret::run_strictly(self.function, &types, &self.sizes.0, &trial.data())
            .map_err(|e| format!("not defined: {e}"))
    }

    /// The lengths of the arrays that an expression is, and is made of.
    fn lengths(&self, e: &Expr) -> BTreeSet<i64> {
        let all = std::iter::once(e).chain(e.children());
        let types = all.filter_map(|e| self.typed.ty(e.id));
        let lengths = types.flat_map(|ty| ty.shape().0.into_iter().cloned().collect::<Vec<Nat>>());
        lengths.filter_map(|n| n.eval(&|v| self.sizes.get(v)).ok()).filter(|n| *n > 0).collect()
    }
}

/// Some places where the rule matches, what it was applied with, and what came out.
fn matches(
    rule: &'static Rule,
    state: &State,
    known: &Known,
    random: &mut fastrand::Rng,
) -> Vec<(Way, Arguments, State)> {
    let mut ways = vec![];
    places(&state.function.body, &mut vec![], &mut ways);
    random.shuffle(&mut ways);
    let mut found = vec![];
    for way in ways {
        let e = state.at(&way).expect("a place in the program");
        let mut inside = vec![];
        if rule.inside {
            places(e, &mut vec![], &mut inside);
            random.shuffle(&mut inside);
        }
        let lengths = known.lengths(e);
        for k in 0..if rule.inside || !rule.sizes.is_empty() { ATTEMPTS } else { 1 } {
            let sizes = rule.sizes.iter().map(|name| size(name, &lengths, random)).collect();
            let arguments = Arguments { sizes, inside: inside.get(k).cloned().unwrap_or_default() };
            if let Ok(next) = state.apply(rule, &arguments, &way) {
                found.push((way, arguments, next));
                break;
            }
        }
        if found.len() == PLACES {
            break;
        }
    }
    found
}

/// The ways to everything in an expression; the numbers of a constant array can only be numbers.
fn places(e: &Expr, way: &mut Way, found: &mut Vec<Way>) {
    found.push(way.clone());
    if matches!(&*e.kind, Kind::Array(_)) {
        return;
    }
    for (k, child) in e.children().into_iter().enumerate() {
        way.push(k);
        places(child, way, found);
        way.pop();
    }
}

/// What a rule might be given: a divisor of a length, a vector's width, a dimension.
fn size(name: &str, lengths: &BTreeSet<i64>, random: &mut fastrand::Rng) -> Nat {
    let choices: Vec<i64> = match name {
        "v" => vec![1, 2, 4],
        "d" => vec![0, 1, 2],
        _ => (1..=12).filter(|n| *n == 1 || lengths.iter().any(|length| length % n == 0)).collect(),
    };
    choices[random.usize(0..choices.len())].into()
}

/// Equal scalars, NaN among them; sums of floats in another order as near as they should be.
fn same(before: &Datum, after: &Datum, rounded: bool) -> Result<(), String> {
    let (before, after) = (before.scalars(), after.scalars());
    let equal = |(a, b): (&Value, &Value)| {
        let (x, y) = (a.to_f64(), b.to_f64());
        let near = rounded && a.scalar().is_float() && (x - y).abs() <= 1e-5 * x.abs();
        a == b || (x.is_nan() && y.is_nan()) || near
    };
    match before.len() == after.len() && before.iter().zip(&after).all(equal) {
        true => Ok(()),
        false => Err(format!("{before:?} became {after:?}")),
    }
}

/// Is every variable bound where it is read, and only once?
fn scoped(function: &Function) -> Result<(), String> {
    let mut scope = Scope::default();
    for param in &function.params {
        scope.bind(&param.local)?;
    }
    scope.expr(&function.body)
}

#[derive(Default)]
struct Scope {
    locals: Vec<Local>,
    indices: Vec<Var>,
    seen: HashSet<u32>,
}

impl Scope {
    fn bind(&mut self, local: &Local) -> Result<(), String> {
        self.locals.push(local.clone());
        self.new(local.index)
    }

    fn new(&mut self, index: u32) -> Result<(), String> {
        if self.seen.insert(index) { Ok(()) } else { Err("a variable is bound twice".into()) }
    }

    fn nat(&self, vars: &BTreeSet<Var>) -> Result<(), String> {
        match vars.iter().find(|v| v.index > 0 && !self.indices.contains(v)) {
            Some(v) => Err(format!("the index `{v}` is read where it is not bound")),
            None => Ok(()),
        }
    }

    fn expr(&mut self, e: &Expr) -> Result<(), String> {
        match &*e.kind {
            Kind::Local(local) if !self.locals.contains(local) => {
                return Err(format!("`{}` is read where it is not bound", local.name));
            }
            Kind::Size(n) => self.nat(&n.vars())?,
            Kind::Test(c) => self.nat(&c.vars())?,
            Kind::Let(pattern, value, body) => {
                self.expr(value)?;
                return self.within(pattern.locals(), None, |scope| scope.expr(body));
            }
            Kind::Apply(_, arguments) => return arguments.iter().try_for_each(|a| self.argument(a)),
            _ => {}
        }
        e.children().into_iter().try_for_each(|child| self.expr(child))
    }

    fn argument(&mut self, argument: &Argument) -> Result<(), String> {
        match argument {
            Argument::Size(n) => self.nat(&n.vars()),
            Argument::Value(e) => self.expr(e),
            Argument::Function(f) => {
                let locals = f.params.iter().flat_map(|p| p.locals()).collect();
                self.within(locals, None, |scope| scope.expr(&f.body))
            }
            Argument::Index(var, n) => self.within(vec![], Some(var), |scope| scope.nat(&n.vars())),
            Argument::Generator(var, e) => self.within(vec![], Some(var), |scope| scope.expr(e)),
        }
    }

    fn within(
        &mut self,
        locals: Vec<&Local>,
        index: Option<&Var>,
        inside: impl FnOnce(&mut Scope) -> Result<(), String>,
    ) -> Result<(), String> {
        let outside = (self.locals.len(), self.indices.len());
        locals.into_iter().try_for_each(|local| self.bind(local))?;
        if let Some(var) = index {
            self.indices.push(var.clone());
            self.new(var.index)?;
        }
        inside(self)?;
        self.locals.truncate(outside.0);
        self.indices.truncate(outside.1);
        Ok(())
    }
}
