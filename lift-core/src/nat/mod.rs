//! Symbolic integers.
mod arith;
mod condition;
mod display;
mod divmod;
mod eval;
pub mod facts;
mod minmax;
mod poly;
mod reduce;
mod rejoin;
mod strict;
mod term;
mod var;

pub use condition::{Condition, Relation};
pub use eval::EvalError;
pub use facts::{Answer, Facts};
pub use term::{Factor, Term};
pub use var::Var;

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An integer expression in normal form: equal forms are equal numbers wherever both are defined.
/// It may be negative; "nat" is the literature's word.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "Vec<Term>", into = "Vec<Term>")]
pub struct Nat(Arc<poly::Node>);
