//! Every rewrite rule of the catalogue keeps types and meaning: it is tried on random programs until it has
//! matched 60 of them, each well-typed and of the same value before and after; and so are rules one after
//! another.
//!
//! `LIFT_RULES=n` demands n programs for each rule, `LIFT_HUNT_SECONDS=t` takes what t seconds are enough for,
//! `LIFT_RANDOM_SEED=s` takes others,
//! `LIFT_RULE=name` tries one rule only.

mod common;
mod generator;

use common::hunt::{all_seeds, budget, deadline, number};
use common::{Trial, shapes};
use lift_core::check::{self, Typed};
use lift_core::datum::Datum;
use lift_core::expr::{Argument, Expr, Function, Kind, Local, Path};
use lift_core::interpret;
use lift_core::nat::{Nat, Var};
use lift_core::rules::{Arguments, CATALOGUE, Rule};
use lift_core::scalar::Value;
use lift_core::strategy::State;
use lift_core::{Program, Sizes, syntax};
use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

/// Programs that each rule must match.
const PROGRAMS: u64 = 60;

/// For each of these so many programs are drawn at most.
const PATIENCE: u64 = 100;

/// Places in one program where a rule is tried.
const PLACES: usize = 2;

/// Paths inwards, or sizes, that are tried at one place.
const ATTEMPTS: usize = 4;

/// So many rules are tried one after the other.
const LONGEST: usize = 12;

const ENOUGH: usize = 3;

/// Rules that put sums together in another order: only where floats stay small is that exact.
const REASSOCIATING: [&str; 6] =
    ["reduceNested", "partialSums", "start", "dotProducts", "reduceInterchange", "reduceFission"];

/// What was seen of a rule.
#[derive(Default, Debug)]
struct Seen {
    /// Programs that it matched.
    programs: u64,
    applications: u64,
    /// Applications that are well-typed for all sizes, not only for those tried.
    symbolic: u64,
    /// Applications that are well-typed at many sizes; that they are so at all sizes the checker does not find.
    unproved: u64,
    /// Matches whose sizes did not fit the lengths.
    unfit: u64,
}

#[test]
fn rules_keep_types_and_meaning() {
    let only = std::env::var("LIFT_RULE").ok();
    let (mut matched, mut unproved, mut failures) = (0, 0, vec![]);
    for rule in CATALOGUE.iter().filter(|rule| only.as_ref().is_none_or(|name| name == rule.name)) {
        let start = Instant::now();
        let (seen, mut found) = hunt(rule);
        println!("{:20} {seen:?}, {:.1} s", rule.name, start.elapsed().as_secs_f64());
        matched += seen.programs;
        unproved += seen.unproved;
        let wanted = number("LIFT_RULES", PROGRAMS);
        if found.is_empty() && seen.programs < wanted && deadline(1).is_none() {
            let hint = "tests/generator/shapes.rs can make programs of its shape";
            found.push(format!("`{}` matched {} programs only: {hint}", rule.name, seen.programs));
        }
        failures.extend(found);
    }
    println!("hunted: {matched} programs that rules matched");
    assert!(unproved <= 1 + matched / PROVED, "{unproved} applications not proved for all sizes");
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

fn hunt(rule: &'static Rule) -> (Seen, Vec<String>) {
    let (mut seen, mut failures) = (Seen::default(), vec![]);
    let (until, wanted) = (deadline(CATALOGUE.len() as u32), number("LIFT_RULES", PROGRAMS));
    for (nth, seed) in (0..).zip(all_seeds()) {
        let enough = match until {
            Some(until) => Instant::now() >= until,
            None => seen.programs == wanted || nth == wanted * PATIENCE,
        };
        if enough || failures.len() == ENOUGH {
            break;
        }
        let attempt = |function: &syntax::Function, random: fastrand::Rng, seen: &mut Seen| {
            tried(rule, function, random, seen).map_err(|problem| format!("`{}`: {problem}", rule.name))
        };
        let (function, random) = drawn(rule, seed);
        failures.extend(failure(seed, function, random, &mut seen, attempt));
    }
    (seen, failures)
}

/// A program for a rule, and the generator for what is drawn for it: each depends on the seed alone.
fn drawn(rule: &Rule, seed: u64) -> (syntax::Function, fastrand::Rng) {
    let mut random = fastrand::Rng::with_seed(seed);
    let shape = generator::shape(rule.name);
    let plain = !REASSOCIATING.contains(&rule.name) && random.u8(0..8) == 0;
    let mut function = generator::shaped(shape.filter(|_| !plain), &mut random);
    function.strict = random.u8(0..4) == 0;
    (function, random)
}

/// The smallest program that fails like this one, if it does; a panic is such a failure.
fn failure<S: Default>(
    seed: u64,
    function: syntax::Function,
    random: fastrand::Rng,
    seen: &mut S,
    one: impl Fn(&syntax::Function, fastrand::Rng, &mut S) -> Result<(), String>,
) -> Option<String> {
    let attempt = |function: &syntax::Function, seen: &mut S| {
        let attempt = std::panic::AssertUnwindSafe(|| one(function, random.clone(), seen));
        std::panic::catch_unwind(attempt).unwrap_or_else(|_| Err("it panicked".into()))
    };
    attempt(&function, seen).err()?;
    let fails = &mut |f: &[syntax::Function]| attempt(&f[0], &mut S::default()).is_err();
    let small = generator::shrink(&[function], fails).remove(0);
    let problem = attempt(&small, &mut S::default()).err().unwrap_or_else(|| "not always".into());
    Some(format!("seed {seed}, {problem}\n{}", generator::print::function(&small)))
}

/// What became of a program that a rule was applied to.
enum Fate {
    /// It is well-typed and of the same value.
    Kept,
    /// So it is at many sizes; that it is well-typed for all sizes the checker does not find.
    Unproved,
    /// The sizes that the rule was given do not fit.
    Unfit,
}

/// Of so many applications one may be left without a proof.
const PROVED: u64 = 1000;

/// A program at some size with arguments, if it is accepted and has a result at all.
struct Subject {
    program: Program,
    state: State,
    sizes: Sizes,
    data: Vec<Datum>,
    value: Datum,
    /// Must floats be the same to the last bit?
    exact: bool,
}

impl Subject {
    fn new(function: &syntax::Function, random: &mut fastrand::Rng) -> Result<Option<Subject>, String> {
        let Ok(mut programs) = lift_core::check(std::slice::from_ref(function)) else { return Ok(None) };
        let program = programs.remove(0);
        let largest = vec![generator::LARGEST_SIZE as usize; program.sizes().len()];
        let mut admitted = shapes::random(&program, &largest, 3, random);
        let sizes = admitted.swap_remove(random.usize(0..admitted.len()));
        let state = State::new(&program.function);
        // Where sums are to keep their order, numbers that show whether they do.
        let trial = match function.strict {
            true => Trial::new(&program, sizes, (-9.0, 9.0), random),
            false => Trial::exact(&program, sizes, random),
        };
        let data = trial.data();
        let value = Known::new(&state.function, &trial.sizes)?.value(&data)?;
        let sizes = trial.sizes.clone();
        let subject = Subject { program, state, sizes, data, value, exact: function.strict };
        Ok(Some(subject).filter(|subject| !subject.value.scalars().is_empty()))
    }

    fn known(&self) -> Result<Known<'_>, String> {
        Known::new(&self.state.function, &self.sizes)
    }

    /// Is what a rule made of it well-typed and of the same value?
    fn survives(&self, rule: &Rule, next: &State) -> Result<Fate, String> {
        let what = |problem: String| {
            let step = next.steps.last().map_or(String::new(), ToString::to_string);
            format!("{problem}: {step}, at {}\n{}became\n{}", self.sizes, self.state.function, next.function)
        };
        scoped(&next.function).map_err(what)?;
        let known = match Known::new(&next.function, &self.sizes) {
            Ok(known) => known,
            Err(problem) if unfit(&problem) => return Ok(Fate::Unfit),
            Err(problem) => return Err(what(format!("not well-typed: {problem}"))),
        };
        // Where no size was chosen, nothing about sizes is left to chance, as far as proofs go.
        let mut fate = Fate::Kept;
        let for_all_sizes = |function| Known::new(function, &Sizes(vec![])).err();
        if rule.sizes.is_empty() && for_all_sizes(&self.state.function).is_none() {
            let mistakes = for_all_sizes(&next.function);
            if let Some(problem) = mistakes.filter(|problem| !unfit(problem)) {
                for sizes in self.many_sizes() {
                    if let Some(mistake) = Known::new(&next.function, &sizes).err().filter(|p| !unfit(p)) {
                        return Err(what(format!("not well-typed at {sizes}: {mistake}")));
                    }
                }
                println!("not proved for all sizes: {problem}");
                fate = Fate::Unproved;
            }
        }
        let value = known.value(&self.data).map_err(what)?;
        same(&self.value, &value, self.exact).map_err(what)?;
        Ok(fate)
    }

    /// Small sizes and large ones that the program admits.
    fn many_sizes(&self) -> Vec<Sizes> {
        let (largest, random) = (vec![100; self.program.sizes().len()], &mut fastrand::Rng::with_seed(1));
        shapes::random(&self.program, &largest, 40, random)
    }
}

/// Applies the rule to a program where it matches.
fn tried(
    rule: &'static Rule,
    function: &syntax::Function,
    mut random: fastrand::Rng,
    seen: &mut Seen,
) -> Result<(), String> {
    let Some(subject) = Subject::new(function, &mut random)? else { return Ok(()) };
    let mut applications = 0;
    for (path, arguments, next) in matches(rule, &subject.state, &subject.known()?, &mut random) {
        match subject.survives(rule, &next)? {
            Fate::Kept => {}
            Fate::Unproved => seen.unproved += 1,
            Fate::Unfit => {
                seen.unfit += 1;
                continue;
            }
        }
        let again = subject.state.apply(rule, &arguments, &path).map_err(|e| e.to_string())?;
        if again.function != next.function {
            return Err("applied again, it gives another program".into());
        }
        let more = Arguments { sizes: [&arguments.sizes[..], &[1.into()]].concat(), ..arguments };
        if subject.state.apply(rule, &more, &path).is_ok() {
            return Err("it takes more sizes than it has".into());
        }
        applications += 1;
        seen.symbolic += u64::from(next.typed().is_some());
    }
    seen.applications += applications;
    seen.programs += u64::from(applications > 0);
    Ok(())
}

/// What one rule makes is what another starts from.
#[test]
fn rules_in_any_order_keep_types_and_meaning() {
    let (mut tried, mut seen, mut failures) = (0, Seen::default(), vec![]);
    for seed in budget(all_seeds(), "LIFT_RULES", PROGRAMS) {
        tried += 1;
        let rule = CATALOGUE[seed as usize % CATALOGUE.len()];
        let (function, random) = drawn(rule, seed);
        failures.extend(failure(seed, function, random, &mut seen, chained));
        if failures.len() == ENOUGH {
            break;
        }
    }
    let Seen { applications, unproved, .. } = seen;
    println!("hunted: {tried} programs, {applications} steps, {unproved} of them not proved for all sizes");
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
    assert!(applications >= tried, "only {applications} steps");
    assert!(
        unproved <= 1 + applications / PROVED,
        "{unproved} of {applications} steps not proved for all sizes"
    );
}

fn chained(function: &syntax::Function, mut random: fastrand::Rng, seen: &mut Seen) -> Result<(), String> {
    let Some(mut subject) = Subject::new(function, &mut random)? else { return Ok(()) };
    for _ in 0..LONGEST {
        let rule = CATALOGUE[random.usize(0..CATALOGUE.len())];
        let found = matches(rule, &subject.state, &subject.known()?, &mut random);
        let Some((.., next)) = found.into_iter().next() else { continue };
        match subject.survives(rule, &next)? {
            Fate::Kept => {}
            Fate::Unproved => seen.unproved += 1,
            Fate::Unfit => continue,
        }
        subject.state = next;
        seen.applications += 1;
    }
    Ok(())
}

/// Is it only that rows, tiles or vectors don't fill the array, or that there are none? Of lengths rules leave
/// it to the checker to find what they demand.
fn unfit(problem: &str) -> bool {
    const DEMANDS: [&str; 7] = [
        "leaves elements over",
        "has no room",
        "has no row of",
        "needs at least 1 row",
        "needs at least 1 window",
        "needs rows of at least 1 element",
        "needs at least 1 element to repeat",
    ];
    problem.lines().all(|line| DEMANDS.iter().any(|demand| line.contains(demand)))
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
    fn value(&self, data: &[Datum]) -> Result<Datum, String> {
        let types = |id| self.typed.ty(id).cloned();
        interpret::run_strictly(self.function, &types, &self.sizes.0, data)
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

impl Known<'_> {
    /// Is it in the function of a loop without iterations? Whatever a rule demands there holds, so that what follows of
    /// lengths need not be what others know of them.
    fn is_idle(&self, path: &Path) -> bool {
        let length = |e: &Expr| {
            let (_, n) = self.typed.ty(e.id)?.as_array()?;
            n.eval(&|v| self.sizes.get(v)).ok()
        };
        let stops = self.function.body.along(path).unwrap_or_default();
        let mut loops = stops.iter().filter(|stop| stop.child.is_in_function()).map(|stop| stop.e);
        loops.any(|e| std::iter::once(e).chain(e.children()).any(|part| length(part) == Some(0)))
    }
}

/// Some places where the rule matches, what it was applied with, and what came out.
fn matches(
    rule: &'static Rule,
    state: &State,
    known: &Known,
    random: &mut fastrand::Rng,
) -> Vec<(Path, Arguments, State)> {
    let mut paths = places(&state.function.body);
    paths.retain(|path| !known.is_idle(path));
    random.shuffle(&mut paths);
    let mut found = vec![];
    for path in paths {
        let e = state.at(&path).expect("a place in the program");
        let mut inside = if rule.inside { places(e) } else { vec![] };
        random.shuffle(&mut inside);
        let lengths = known.lengths(e);
        for k in 0..if rule.inside || !rule.sizes.is_empty() { ATTEMPTS } else { 1 } {
            let sizes = rule.sizes.iter().map(|name| size(name, &lengths, random)).collect();
            let arguments = Arguments { sizes, inside: inside.get(k).cloned().unwrap_or_default() };
            if let Ok(next) = state.apply(rule, &arguments, &path) {
                found.push((path, arguments, next));
                break;
            }
        }
        if found.len() == PLACES {
            break;
        }
    }
    found
}

/// Paths lead where the children say that they lead.
#[test]
fn paths_lead_to_the_children() {
    let mut seen = 0;
    for seed in 0..PROGRAMS {
        let (function, _) = drawn(CATALOGUE[seed as usize % CATALOGUE.len()], seed);
        let Ok(programs) = lift_core::check(&[function]) else { continue };
        programs[0].function.body.visit(&mut |e| {
            for (_, step, child) in e.steps() {
                assert!(e.at(&step).is_some_and(|found| std::ptr::eq(found, child)), "{step} of {e}");
                seen += 1;
            }
        });
    }
    assert!(seen > 1000, "{seen}");
}

/// The paths to everything in an expression; the numbers of a constant array can only be numbers.
fn places(e: &Expr) -> Vec<Path> {
    let in_constant = |path: &Path| {
        let stops = e.along(path).unwrap_or_default();
        stops.iter().any(|stop| matches!(&*stop.e.kind, Kind::Array(_)))
    };
    e.paths().into_iter().filter(|path| !in_constant(path)).collect()
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

/// Equal scalars, NaN among them; unless `exact`, floats as near as sums in another
/// order are.
fn same(before: &Datum, after: &Datum, exact: bool) -> Result<(), String> {
    let (before, after) = (before.scalars(), after.scalars());
    let equal = |(a, b): (&Value, &Value)| {
        let (x, y) = (a.to_f64(), b.to_f64());
        let near = !exact && a.scalar().is_float() && (x - y).abs() <= 1e-5 * x.abs();
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
        self.once(local.index)
    }

    fn once(&mut self, index: u32) -> Result<(), String> {
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
            self.once(var.index)?;
        }
        inside(self)?;
        self.locals.truncate(outside.0);
        self.indices.truncate(outside.1);
        Ok(())
    }
}

lift::lift! {
    /// Rows of an array that is put around others are windows of nothing.
    pub fn framed<N>(xs: [u8; 2 * N + 1]) -> [[[u8; 3]; N]; 2] {
        let around = concat(repeat(1, [3u8, 255u8, 1u8]), repeat(N - 1, repeat(3, 4u8)));
        map(|(row, _)| row, pad(1, 0, (around, 1.0), zip(split(N, slide(3, 2, xs)), repeat(1, 2.0))))
    }

    /// The same, around an array that is repeated.
    pub fn repeated_and_framed<N>(xs: [u8; 2 * N + 1]) -> [[[u8; 3]; N]; 2] {
        let around = concat(repeat(1, [3u8, 255u8, 1u8]), repeat(N - 1, repeat(3, 4u8)));
        map(|row| row, pad(1, 0, around, repeat(1, slide(3, 2, xs))))
    }

    /// Whichever of them it is, its rows are the windows.
    pub fn repeated<N>(xs: [u8; 2 * N + 1]) -> [[[u8; 3]; N]; 2] {
        map(|row| row, repeat(2, slide(3, 2, xs)))
    }

    /// Rows of zeros above and below are windows of the padded array.
    pub fn padded<N>(xs: [f32; N]) -> [[f32; 3]; N] {
        slide(3, 1, pad(1, 1, 0.0, xs))
    }
}

#[test]
fn only_windows_are_covered() {
    let cover = CATALOGUE.iter().find(|rule| rule.name == "cover").expect("a rule");
    let places = |program: &lift::Program, named: &dyn Fn(&str) -> bool| {
        let state = State::new(&program.function);
        let at = places(&state.function.body).into_iter();
        let covered = at.filter(|path| state.apply(cover, &Arguments::default(), path).is_ok());
        covered.filter(|path| named(&state.at(path).expect("a place").to_string())).count()
    };
    assert_eq!(places(framed::program(), &|e| e == "row"), 0);
    assert_eq!(places(repeated_and_framed::program(), &|e| e == "row"), 0);
    assert_eq!(places(repeated::program(), &|e| e == "row"), 1);
    assert!(places(padded::program(), &|_| true) > 0);
}
