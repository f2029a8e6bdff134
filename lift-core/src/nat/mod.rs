//! Symbolic integers: the arithmetic of lengths and indices.
//!
//! A [`Nat`] is an integer expression over variables, kept in a **normal form**: a polynomial with
//! integer coefficients whose factors are variables, floor divisions, remainders, minima and
//! maxima. Building an expression normalises it, so that much of what is true is true by being the
//! same:
//!
//! ```
//! use lift_core::nat::Nat;
//! let (n, size, step) = (&Nat::size("N"), &Nat::size("SIZE"), &Nat::size("STEP"));
//! assert_eq!((n - size + step).div(step), (n - size).div(step) + 1);
//! assert_eq!((n + 2 - 3).div(&Nat::from(1)) + 1, *n);
//! ```
//!
//! Division rounds down and the remainder belongs to it, `a == b * (a / b) + a % b`; nothing that
//! normalisation does depends on the sign of anything. Where the original divides by zero the
//! normal form may have a value.
//!
//! [`Facts`] are what is known of variables: sizes are at least 1, indices lie in ranges, `where`
//! clauses hold. Three questions are put to them:
//!
//! * [`Facts::prove`], for the shape checker: proved, refuted with the smallest counterexample, or
//!   unknown.
//! * [`Facts::certain`], for rules and the code generator: proved or not.
//! * [`Facts::simplify`], for the code generator: the same value with fewer operations. It is what
//!   makes generated kernels index arrays as a person would, `(i*4 + j) / 4` as `i`.
//!
//! ```
//! use lift_core::nat::{Answer, Condition, Facts, Nat, Var};
//! let (n, i, j) = (Var::size("N"), Var::index("i", 1), Var::index("j", 2));
//! let mut facts = Facts::new();
//! facts.size(&n);
//! facts.range(&i, &Nat::from(0), &Nat::var(&n));
//! facts.range(&j, &Nat::from(0), &Nat::from(4));
//! let flat = Nat::var(&i) * 4 + Nat::var(&j);
//! assert_eq!(facts.prove(&Condition::lt(&flat, Nat::var(&n) * 4)), Answer::Proved);
//! assert_eq!(facts.simplify(&flat.div(&Nat::from(4))), Nat::var(&i));
//! let even = Condition::divides(Nat::from(2), Nat::var(&n));
//! assert_eq!(facts.prove(&even), Answer::Refuted(vec![(n, 1)]));
//! ```
//!
//! How a proof goes, from cheap to dear (the files are under `facts`):
//!
//! 1. *Equations* are solved and substituted, `N % 4 == 0` as `N = 4*q`; what is left to prove is
//!    that some polynomials are at least 0.
//! 2. *Interval* arithmetic with constant bounds.
//! 3. *Samples*: a few valuations that satisfy the facts. What is wrong for one is not tried.
//! 4. Indices at the *ends* of their ranges, whose bounds may be symbolic.
//! 5. *Certificates*: the polynomial as a sum of known ones with positive weights, found by an
//!    exact simplex method; products of facts make it work beyond what is linear.
//! 6. *Residues*: where remainders by small numbers decide, each of them is tried.
//! 7. *Cases* of `min`, `max`, `||` and `!=`.
//!
//! What is not proved is searched for a counterexample. All of it is bounded: a question costs
//! microseconds as a rule and some tens of milliseconds at worst, and then the answer is "unknown".
//! Answers of `certain` and `simplify` are remembered with the facts that they follow from, since the same is
//! asked often.
//! Nothing here panics, whatever the input: numbers beyond 64 bits and expressions beyond all
//! bounds are kept unexpanded or forgotten (the limits are those of the normal form).

mod arith;
mod condition;
mod display;
mod divmod;
mod eval;
mod facts;
mod minmax;
mod poly;
mod reduce;
mod rejoin;
mod strict;
mod stride;
mod term;
mod var;

pub use condition::{Condition, Relation};
pub use eval::EvalError;
pub use facts::{Answer, Facts};
pub use term::{Factor, Monomial, Term};
pub use var::{Maker, Var};

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An integer expression in normal form: equal forms are equal numbers wherever both are defined.
/// It may be negative; "nat" is the literature's word.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "Vec<Term>", into = "Vec<Term>")]
pub struct Nat(Arc<poly::Node>);
