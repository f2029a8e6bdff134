//! The language, the checker, the rules and the code generator of `lift`: pure functions from
//! expressions to kernels. Nothing here touches a device, a file or the clock.

pub mod check;
mod compose;
pub mod constraints;
pub mod cost;
pub mod datum;
pub mod excerpt;
pub mod explain;
pub mod expr;
mod flow;
mod generate;
pub mod graph;
pub mod hierarchy;
pub mod interpret;
pub mod kernel;
mod low;
mod lower;
pub mod nat;
mod origin;
pub mod parts;
pub mod pipeline;
mod placement;
pub mod primitives;
pub mod program;
mod resolve;
pub mod rules;
pub mod scalar;
pub mod schedules;
pub mod solve;
pub mod strategy;
pub mod syntax;
pub mod target;
pub mod tune;
pub mod types;
pub mod widen;

pub use compose::ComposeError;
pub use pipeline::{check, compile, compile_in_rows};
pub use program::{CompileError, Program, SizeError, Sizes};
