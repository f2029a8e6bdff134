//! Where the scalars of some values go: followed through the primitives that move them, by whoever changes these values and
//! what reads them together.

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
