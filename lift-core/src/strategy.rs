//! Strategies: which rule is applied where, in which order.
//!
//! A strategy takes a program to the next, at a place in it, or is stuck. Strategies are values,
//! put together with the combinators here (Visser's strategies). Every rule that
//! is applied is noted: the [`Step`]s are a derivation, which can be printed and replayed.

use crate::check::{self, Typed};
use crate::expr::{Argument, Expr, Function, Kind};
use crate::nat::{Facts, Nat};
use crate::rules::{Arguments, Context, Rule, explicit, renumbered};
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

/// A place in a program: at each step the number of a child, from the function's body on.
pub type Way = Vec<usize>;

/// One rule applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The rule's name.
    pub rule: &'static str,
    /// Where it was applied.
    pub at: Way,
    /// The sizes and the inner place that it was given.
    pub arguments: Arguments,
}

/// A program on its way, and how it came here.
#[derive(Clone)]
pub struct State {
    /// The program as it is now.
    pub function: Rc<Function>,
    /// The derivation so far, oldest first.
    pub steps: Rc<Vec<Step>>,
    /// A number above that of every variable.
    fresh: u32,
    facts: Rc<Facts>,
    typed: Rc<OnceCell<Option<Typed>>>,
}

/// A strategy that does not apply at a place, with the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Stuck(pub String);

type Outcome = Result<State, Stuck>;

/// A transformation that is tried at a place of a program.
#[derive(Clone)]
pub struct Strategy(Rc<Apply>);

type Apply = dyn Fn(&State, &[usize]) -> Outcome;

impl State {
    /// The start of a derivation: every literal's type is written down, so that rules may move expressions freely.
    pub fn new(function: &Function) -> State {
        let facts = check::facts(function);
        // What can't be typed no rule that asks for types will match.
        let function = match check::infer_inlined(function, &facts) {
            Ok(typed) => explicit(function, &typed),
            Err(_) => function.clone(),
        };
        State::of(renumbered(&function, &function.body), vec![], Rc::new(facts))
    }

    fn of(function: Function, steps: Vec<Step>, facts: Rc<Facts>) -> State {
        let fresh = function.fresh();
        State { function: Rc::new(function), steps: Rc::new(steps), fresh, facts, typed: Rc::default() }
    }

    /// The types in it, if it has no mistakes.
    pub fn typed(&self) -> Option<&Typed> {
        self.typed.get_or_init(|| check::infer_inlined(&self.function, &self.facts).ok()).as_ref()
    }

    /// The expression at a place.
    pub fn at(&self, way: &[usize]) -> Option<&Expr> {
        self.function.body.at(way)
    }

    /// One rule at one place.
    pub fn apply(&self, rule: &'static Rule, arguments: &Arguments, way: &[usize]) -> Outcome {
        let stuck = || Stuck(format!("the rewrite rule `{}` does not match", rule.name));
        let e = self.at(way).ok_or_else(stuck)?;
        let mut context = Context {
            typed: &|| self.typed(),
            function: &self.function,
            facts: &self.facts,
            strict: self.function.strict,
            fresh: self.fresh,
        };
        let new = rule.rewrite(&mut context, e, arguments).ok_or_else(stuck)?;
        let body = self.function.body.replaced(way, &new);
        let mut steps = (*self.steps).clone();
        steps.push(Step { rule: rule.name, at: way.to_vec(), arguments: arguments.clone() });
        Ok(State::of(renumbered(&self.function, &body), steps, self.facts.clone()))
    }

    /// The same with another function around, of the same body: more sizes, say.
    pub fn with(&self, function: Function) -> State {
        let facts = Rc::new(check::facts(&function));
        State::of(function, (*self.steps).clone(), facts)
    }
}

/// Applies the steps of a derivation again.
pub fn replay(start: &State, steps: &[Step]) -> Outcome {
    steps.iter().try_fold(start.clone(), |state, step| match Rule::named(step.rule) {
        Some(rule) => state.apply(rule, &step.arguments, &step.at),
        None => Err(Stuck(format!("there is no rule `{}`", step.rule))),
    })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.rule)?;
        let sizes: Vec<String> = self.arguments.sizes.iter().map(ToString::to_string).collect();
        if !sizes.is_empty() {
            write!(f, "({})", sizes.join(", "))?;
        }
        write!(f, " at {}", dotted(&self.at))?;
        if !self.arguments.inside.is_empty() {
            write!(f, ", inside {}", dotted(&self.arguments.inside))?;
        }
        Ok(())
    }
}

fn dotted(way: &[usize]) -> String {
    let steps: Vec<String> = way.iter().map(ToString::to_string).collect();
    if steps.is_empty() { "the top".into() } else { steps.join(".") }
}

impl Strategy {
    /// A strategy from what it does to a program at a place.
    pub fn new(f: impl Fn(&State, &[usize]) -> Outcome + 'static) -> Strategy {
        Strategy(Rc::new(f))
    }

    /// Applies it at a place.
    ///
    /// # Errors
    /// [`Stuck`] where it does not apply.
    pub fn run(&self, state: &State, way: &[usize]) -> Outcome {
        (self.0)(state, way)
    }

    /// This, and then that at the same place.
    pub fn then(self, next: Strategy) -> Strategy {
        Strategy::new(move |state, way| next.run(&self.run(state, way)?, way))
    }

    /// This, or that where this is stuck.
    pub fn or(self, other: Strategy) -> Strategy {
        Strategy::new(move |state, way| self.run(state, way).or_else(|_| other.run(state, way)))
    }

    /// The same strategy, with this reason where it is stuck.
    pub fn because(self, reason: &'static str) -> Strategy {
        Strategy::new(move |state, way| self.run(state, way).map_err(|_| Stuck(reason.into())))
    }
}

/// Does nothing, and is never stuck.
pub fn id() -> Strategy {
    Strategy::new(|state, _| Ok(state.clone()))
}

/// A rule, without sizes.
pub fn rule(rule: &'static Rule) -> Strategy {
    Strategy::new(move |state, way| state.apply(rule, &Arguments::default(), way))
}

/// A rule with these sizes.
pub fn sized(rule: &'static Rule, sizes: &[&Nat]) -> Strategy {
    let arguments = Arguments { sizes: sizes.iter().map(|n| (*n).clone()).collect(), inside: vec![] };
    Strategy::new(move |state, way| state.apply(rule, &arguments, way))
}

/// A rule that is given a place inside the expression that it matches.
pub fn inwards(rule: &'static Rule, inside: Way) -> Strategy {
    let arguments = Arguments { sizes: vec![], inside };
    Strategy::new(move |state, way| state.apply(rule, &arguments, way))
}

/// All of them in order; stuck as soon as one is.
pub fn seq(all: impl IntoIterator<Item = Strategy>) -> Strategy {
    all.into_iter().reduce(Strategy::then).unwrap_or_else(id)
}

/// This, or nothing where it is stuck: never stuck itself.
pub fn attempt(s: Strategy) -> Strategy {
    s.or(id())
}

/// Applies a strategy until it is stuck. A strategy that goes on for 1000 rounds undoes its own work, and is refused.
pub fn repeat(s: Strategy) -> Strategy {
    const MOST: usize = 1000;
    Strategy::new(move |state, way| {
        let mut state = state.clone();
        for _ in 0..MOST {
            match s.run(&state, way) {
                Ok(next) => state = next,
                Err(_) => return Ok(state),
            }
        }
        Err(Stuck("a strategy goes round in a circle".into()))
    })
}

/// At a place further inside.
pub fn inside(further: &[usize], s: Strategy) -> Strategy {
    let further = further.to_vec();
    Strategy::new(move |state, way| s.run(state, &[way, &further].concat()))
}

/// The strategy that an expression asks for.
pub fn choose(f: impl Fn(&Expr) -> Result<Strategy, Stuck> + 'static) -> Strategy {
    Strategy::new(move |state, way| {
        let e = state.at(way).ok_or_else(|| Stuck("there is no such place".into()))?;
        f(e)?.run(state, way)
    })
}

/// At the first place, from the outside in, where it goes.
pub fn top_down(s: Strategy) -> Strategy {
    fn first(s: &Strategy, state: &State, way: &[usize]) -> Outcome {
        let here = s.run(state, way);
        let children = state.at(way).map_or(0, |e| e.children().len());
        (0..children).fold(here, |found, k| found.or_else(|_| first(s, state, &[way, &[k]].concat())))
    }
    Strategy::new(move |state, way| first(&s, state, way))
}

/// At the first place, from the inside out, where it goes.
pub fn bottom_up(s: Strategy) -> Strategy {
    fn first(s: &Strategy, state: &State, way: &[usize]) -> Outcome {
        let children = state.at(way).map_or(0, |e| e.children().len());
        let inside = (0..children).find_map(|k| first(s, state, &[way, &[k]].concat()).ok());
        inside.map_or_else(|| s.run(state, way), Ok)
    }
    Strategy::new(move |state, way| first(&s, state, way))
}

/// At the first place where it applies, again and again until there is none.
pub fn everywhere(s: Strategy) -> Strategy {
    repeat(top_down(s))
}

/// At the expression behind every `let`.
pub fn at_tail(s: Strategy) -> Strategy {
    choose(move |e| {
        let mut way = vec![];
        let mut at = e;
        while let Kind::Let(_, _, body) = &*at.kind {
            way.push(1);
            at = body;
        }
        Ok(inside(&way, s.clone()))
    })
}

/// In the function of a primitive.
pub fn in_function(s: Strategy) -> Strategy {
    choose(move |e| match &*e.kind {
        Kind::Apply(p, arguments) => {
            let at = arguments
                .iter()
                .filter(|a| a.expr().is_some())
                .position(|a| matches!(a, Argument::Function(_)));
            at.map(|k| inside(&[k], s.clone())).ok_or_else(|| Stuck(format!("`{}` has no function", p.name)))
        }
        _ => Err(Stuck("no primitive".into())),
    })
}

/// In the last operand of a primitive.
pub fn in_operand(s: Strategy) -> Strategy {
    choose(move |e| {
        let last = match &*e.kind {
            Kind::Apply(_, arguments) => arguments.last(),
            _ => None,
        };
        match last {
            Some(Argument::Value(_)) => Ok(inside(&[e.children().len() - 1], s.clone())),
            _ => Err(Stuck("no operand".into())),
        }
    })
}
