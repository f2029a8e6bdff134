//! Where the scalars of some values go: followed through the primitives that move them, by whoever changes these values and
//! what reads them together.

use crate::expr::{Expr, Local, Pattern};
use crate::rules::untyped;
use std::collections::HashMap;

/// What is followed of the variables' values.
#[derive(Default)]
pub struct Flows(HashMap<Local, Flow>);

impl Flows {
    /// Those with one variable, of which everything is followed.
    pub fn of(local: &Local) -> Flows {
        Flows(HashMap::from([(local.clone(), Flow::Every)]))
    }

    /// A variable's; `None` if it is not known.
    pub fn get(&self, local: &Local) -> Option<&Flow> {
        self.0.get(local)
    }

    /// Gives the variables of a pattern their parts of a value's.
    pub fn bind(&mut self, pattern: &Pattern, flow: &Flow) {
        match untyped(pattern) {
            Pattern::Local(local) => _ = self.0.insert(local.clone(), flow.clone()),
            Pattern::Tuple(patterns) => {
                for (k, pattern) in patterns.iter().enumerate() {
                    self.bind(pattern, flow.part(k).unwrap_or(&Flow::None));
                }
            }
            Pattern::Wild | Pattern::Typed(..) => {}
        }
    }

    /// Does an expression read a variable of which something is followed?
    pub fn read_by(&self, e: &Expr) -> bool {
        self.0.iter().any(|(local, flow)| !flow.is_none() && e.uses(local) > 0)
    }
}

/// Which of a value's scalars, however deep they lie in it, are those that are followed.
#[derive(Clone, PartialEq, Debug)]
pub enum Flow {
    /// None.
    None,
    /// Every one.
    Every,
    /// The parts of a tuple, or of an array's tuples, each by itself.
    Parts(Vec<Flow>),
}

impl Flow {
    /// Of two values that stand for each other.
    pub fn and(&self, other: &Flow) -> Option<Flow> {
        Some(match (self, other) {
            (Flow::None, flow) | (flow, Flow::None) => flow.clone(),
            (Flow::Every, Flow::Every) => Flow::Every,
            (Flow::Parts(parts), Flow::Every) | (Flow::Every, Flow::Parts(parts)) => {
                Flow::Parts(parts.iter().map(|part| part.and(&Flow::Every)).collect::<Option<_>>()?)
            }
            (Flow::Parts(a), Flow::Parts(b)) if a.len() == b.len() => {
                Flow::Parts(a.iter().zip(b).map(|(a, b)| a.and(b)).collect::<Option<_>>()?)
            }
            (Flow::Parts(_), Flow::Parts(_)) => return None,
        })
    }

    /// Are all of its scalars followed?
    pub fn is_every(&self) -> bool {
        match self {
            Flow::Every => true,
            Flow::None => false,
            Flow::Parts(parts) => parts.iter().all(Flow::is_every),
        }
    }

    /// Is none of its scalars followed?
    pub fn is_none(&self) -> bool {
        match self {
            Flow::None => true,
            Flow::Every => false,
            Flow::Parts(parts) => parts.iter().all(Flow::is_none),
        }
    }

    /// Of one part of a tuple.
    pub fn part(&self, k: usize) -> Option<&Flow> {
        match self {
            Flow::Parts(parts) => parts.get(k),
            whole => Some(whole),
        }
    }
}
