//! Strategies: which rule is applied where, in which order.
//!
//! A strategy transforms a program at a place in it, or is stuck: it does not match there. Strategies are values,
//! put together with the combinators here (Visser's strategies). Every application of a rule
//! is recorded: the [`Step`]s are a derivation, which can be printed and replayed.

use crate::check::{self, Typed};
use crate::expr::{Child, Expr, Function, Kind, Path};
use crate::nat::{Facts, Nat};
use crate::rules::{Arguments, Context, Rule, explicit, renumbered};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// One rule applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The rule's name.
    pub rule: &'static str,
    /// Where it was applied: the path from the function's body.
    pub at: Path,
    /// The sizes and the inner place that it was given.
    pub arguments: Arguments,
}

/// The steps of a derivation. Derivations that begin alike share what they have in common.
#[derive(Clone, Default)]
pub struct Steps(Option<Arc<(Step, Steps)>>);

impl Steps {
    /// These steps, and then one more.
    #[must_use]
    pub fn and(&self, last: Step) -> Steps {
        Steps(Some(Arc::new((last, self.clone()))))
    }

    /// The last step.
    pub fn last(&self) -> Option<&Step> {
        self.0.as_ref().map(|last| &last.0)
    }

    /// All of them, oldest first.
    pub fn to_vec(&self) -> Vec<Step> {
        let mut at = self;
        let mut steps = vec![];
        while let Some(last) = &at.0 {
            steps.push(last.0.clone());
            at = &last.1;
        }
        steps.reverse();
        steps
    }
}

impl FromIterator<Step> for Steps {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Steps {
        steps.into_iter().fold(Steps::default(), |before, step| before.and(step))
    }
}

/// A program at some point of a derivation, and the steps that led to it.
#[derive(Clone)]
pub struct State {
    /// The program as it is now.
    pub function: Rc<Function>,
    /// The derivation so far.
    pub steps: Steps,
    /// A number above that of every variable.
    fresh: u32,
    facts: Rc<Facts>,
    typed: Rc<OnceCell<Option<Typed>>>,
}

/// A strategy that does not apply at a place, with the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Stuck {
    /// A rule that does not match. Rules are tried nearly everywhere, and what is said of that is seldom read.
    #[error("the rewrite rule `{0}` does not match")]
    Rule(&'static str),
    /// Anything else.
    #[error("{0}")]
    Because(Cow<'static, str>),
}

type Outcome = Result<State, Stuck>;

/// A transformation that is tried at a place of a program.
#[derive(Clone)]
pub struct Strategy(Rc<Apply>);

type Apply = dyn Fn(&State, &Path) -> Outcome;

impl State {
    /// The start of a derivation: every literal's type is written down, so that rules may move expressions freely.
    pub fn new(function: &Function) -> State {
        let facts = check::facts(function);
        // What can't be typed no rule that asks for types will match.
        let function = match check::infer_derived(function, &facts) {
            Ok(typed) => explicit(function, &typed),
            Err(_) => function.clone(),
        };
        let (function, fresh) = renumbered(&function, &function.body);
        State::of(function, fresh, Steps::default(), Rc::new(facts))
    }

    /// A function that these steps led to.
    pub fn after(function: Function, steps: Steps) -> State {
        let facts = Rc::new(check::facts(&function));
        let fresh = function.fresh();
        State::of(function, fresh, steps, facts)
    }

    fn of(function: Function, fresh: u32, steps: Steps, facts: Rc<Facts>) -> State {
        State { function: Rc::new(function), steps, fresh, facts, typed: Rc::default() }
    }

    /// What is known of its sizes, with all that was concluded from that.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The types in it, if it has no mistakes.
    pub fn typed(&self) -> Option<&Typed> {
        let found = || {
            let proved = || check::infer_derived(&self.function, &self.facts).ok();
            check::types_alone(&self.function).or_else(proved)
        };
        self.typed.get_or_init(found).as_ref()
    }

    /// The expression at a place.
    pub fn at(&self, path: &Path) -> Option<&Expr> {
        self.function.body.at(path)
    }

    /// One rule at one place.
    pub fn apply(&self, rule: &'static Rule, arguments: &Arguments, path: &Path) -> Outcome {
        let e = self.at(path).ok_or(Stuck::Rule(rule.name))?;
        self.apply_to(e, rule, arguments, path)
    }

    /// The same given the expression at that place.
    fn apply_to(&self, e: &Expr, rule: &'static Rule, arguments: &Arguments, path: &Path) -> Outcome {
        let mut context = Context {
            typed: &|| self.typed(),
            function: &self.function,
            facts: &self.facts,
            strict: self.function.strict,
            fresh: self.fresh,
        };
        let new = rule.rewrite(&mut context, e, arguments).ok_or(Stuck::Rule(rule.name))?;
        let body = self.function.body.replaced(path, &new);
        let steps = self.steps.and(Step { rule: rule.name, at: path.clone(), arguments: arguments.clone() });
        let (function, fresh) = renumbered(&self.function, &body);
        Ok(State::of(function, fresh, steps, self.facts.clone()))
    }

    /// The same with another function around, of the same body: more sizes, say.
    pub fn with(&self, function: Function) -> State {
        State::after(function, self.steps.clone())
    }
}

/// Applies the steps of a derivation again.
pub fn replay(start: &State, steps: &[Step]) -> Outcome {
    steps.iter().try_fold(start.clone(), |state, step| match Rule::named(step.rule) {
        Some(rule) => state.apply(rule, &step.arguments, &step.at),
        None => Err(Stuck::Because(format!("there is no rule `{}`", step.rule).into())),
    })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.rule)?;
        let sizes: Vec<String> = self.arguments.sizes.iter().map(ToString::to_string).collect();
        if !sizes.is_empty() {
            write!(f, "({})", sizes.join(", "))?;
        }
        write!(f, " at {}", self.at)?;
        if !self.arguments.inside.is_empty() {
            write!(f, ", inside {}", self.arguments.inside)?;
        }
        Ok(())
    }
}

impl Strategy {
    /// A strategy from what it does to a program at a place.
    pub fn new(f: impl Fn(&State, &Path) -> Outcome + 'static) -> Strategy {
        Strategy(Rc::new(f))
    }

    /// Applies it at a place.
    ///
    /// # Errors
    /// [`Stuck`] where it does not apply.
    pub fn run(&self, state: &State, path: &Path) -> Outcome {
        (self.0)(state, path)
    }

    /// This, and then that at the same place.
    pub fn then(self, next: Strategy) -> Strategy {
        Strategy::new(move |state, path| next.run(&self.run(state, path)?, path))
    }

    /// This, or that where this is stuck.
    pub fn or(self, other: Strategy) -> Strategy {
        Strategy::new(move |state, path| self.run(state, path).or_else(|_| other.run(state, path)))
    }

    /// The same strategy, with this reason where it is stuck.
    pub fn because(self, reason: &'static str) -> Strategy {
        Strategy::new(move |state, path| self.run(state, path).map_err(|_| Stuck::Because(reason.into())))
    }
}

/// The strategy that changes nothing, and is never stuck.
pub fn id() -> Strategy {
    Strategy::new(|state, _| Ok(state.clone()))
}

/// A rule, without sizes.
pub fn rule(rule: &'static Rule) -> Strategy {
    Strategy::new(move |state, path| state.apply(rule, &Arguments::default(), path))
}

/// The first of these rules that matches, without sizes.
pub fn any(rules: &'static [&'static Rule]) -> Strategy {
    Strategy::new(move |state, path| {
        let e = state.at(path).ok_or_else(|| Stuck::Because("there is no such place".into()))?;
        let first = rules.iter().find_map(|rule| state.apply_to(e, rule, &Arguments::default(), path).ok());
        first.ok_or_else(|| Stuck::Because("none of these rewrite rules matches".into()))
    })
}

/// A rule with these sizes.
pub fn sized(rule: &'static Rule, sizes: &[&Nat]) -> Strategy {
    let arguments =
        Arguments { sizes: sizes.iter().map(|n| (*n).clone()).collect(), inside: Path::default() };
    Strategy::new(move |state, path| state.apply(rule, &arguments, path))
}

/// A rule that is given a place inside the expression that it matches.
pub fn inwards(rule: &'static Rule, inside: Path) -> Strategy {
    let arguments = Arguments { sizes: vec![], inside };
    Strategy::new(move |state, path| state.apply(rule, &arguments, path))
}

/// All of them in order; stuck as soon as one is.
pub fn seq(all: impl IntoIterator<Item = Strategy>) -> Strategy {
    all.into_iter().reduce(Strategy::then).unwrap_or_else(id)
}

/// This, or nothing where it is stuck: never stuck itself.
pub fn attempt(s: Strategy) -> Strategy {
    s.or(id())
}

/// Applies a strategy until it is stuck. A strategy that goes on for 1000 rounds, or that makes a function of more than 50,000
/// expressions, undoes its own work, and is refused.
pub fn repeat(s: Strategy) -> Strategy {
    const MOST: usize = 1000;
    const LARGEST: usize = 50_000;
    /// To count takes as long as a step: it is done now and then.
    const NOW_AND_THEN: usize = 16;
    Strategy::new(move |state, path| {
        let mut state = state.clone();
        for round in 1..=MOST {
            match s.run(&state, path) {
                Ok(next) => state = next,
                Err(_) => return Ok(state),
            }
            if round.is_multiple_of(NOW_AND_THEN) && state.function.body.count() > LARGEST {
                break;
            }
        }
        Err(Stuck::Because("a strategy undoes its own steps, and never ends".into()))
    })
}

/// Where a place is inside an expression: a [`Path`] that was found, or the names of children, each inside the one before.
pub trait Inside {
    /// The path to it from this expression.
    fn path(&self, e: &Expr) -> Option<Path>;
}

impl Inside for Path {
    fn path(&self, _: &Expr) -> Option<Path> {
        Some(self.clone())
    }
}

impl<const N: usize> Inside for [Child; N] {
    fn path(&self, e: &Expr) -> Option<Path> {
        e.path(self)
    }
}

impl Inside for Vec<Child> {
    fn path(&self, e: &Expr) -> Option<Path> {
        e.path(self)
    }
}

/// At a place further inside.
pub fn inside(place: impl Inside + 'static, s: Strategy) -> Strategy {
    Strategy::new(move |state, path| {
        let further = state.at(path).and_then(|e| place.path(e));
        s.run(state, &path.then(&further.ok_or_else(|| Stuck::Because("there is no such place".into()))?))
    })
}

/// The strategy that an expression asks for.
pub fn choose(f: impl Fn(&Expr) -> Result<Strategy, Stuck> + 'static) -> Strategy {
    Strategy::new(move |state, path| {
        let e = state.at(path).ok_or_else(|| Stuck::Because("there is no such place".into()))?;
        f(e)?.run(state, path)
    })
}

/// At the first place, from the outside in, where it applies.
pub fn top_down(s: Strategy) -> Strategy {
    fn first(s: &Strategy, state: &State, path: &Path) -> Outcome {
        let here = s.run(state, path);
        children(state, path).fold(here, |found, child| found.or_else(|_| first(s, state, &child)))
    }
    Strategy::new(move |state, path| first(&s, state, path))
}

/// At the first place, from the inside out, where it applies.
pub fn bottom_up(s: Strategy) -> Strategy {
    fn first(s: &Strategy, state: &State, path: &Path) -> Outcome {
        let inside = children(state, path).find_map(|child| first(s, state, &child).ok());
        inside.map_or_else(|| s.run(state, path), Ok)
    }
    Strategy::new(move |state, path| first(&s, state, path))
}

fn children(state: &State, path: &Path) -> impl Iterator<Item = Path> {
    let steps = state.at(path).map_or_else(Vec::new, Expr::steps);
    steps.into_iter().map(|(_, step, _)| path.then(&step))
}

/// At the first place where it applies, again and again until there is none.
pub fn everywhere(s: Strategy) -> Strategy {
    repeat(top_down(s))
}

/// At the expression behind every `let`.
pub fn at_tail(s: Strategy) -> Strategy {
    choose(move |e| {
        Ok(match &*e.kind {
            Kind::Let(..) => in_body(at_tail(s.clone())),
            _ => s.clone(),
        })
    })
}

/// In what a `let` binds.
pub fn in_value(s: Strategy) -> Strategy {
    inside([Child::Value], s)
}

/// In what a `let` binds its value for.
pub fn in_body(s: Strategy) -> Strategy {
    inside([Child::Body], s)
}

/// In the function of a map.
pub fn in_function(s: Strategy) -> Strategy {
    inside([Child::Function], s)
}

/// In the function of a reduction or a scan.
pub fn in_step(s: Strategy) -> Strategy {
    inside([Child::Step], s)
}

/// In what a reduction or a scan begins with.
pub fn in_start(s: Strategy) -> Strategy {
    inside([Child::Start], s)
}

/// In the array that a map, a reduction or a scan goes over.
pub fn in_array(s: Strategy) -> Strategy {
    inside([Child::Array], s)
}

/// In what is rearranged, kept or converted.
pub fn in_operand(s: Strategy) -> Strategy {
    inside([Child::Operand], s)
}
