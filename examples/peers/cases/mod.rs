//! What is measured: families of programs, each with a table of sizes.

mod boda;
mod convolutions;
mod drawn;
mod kinds;
mod passes;
mod products;
mod stencils;

use crate::operation::Operation;
use lift::{Program, Sizes};

/// What a block of `lift!` gives for each of its programs.
pub type Lookup = fn() -> &'static Program;

/// A program at its sizes.
#[derive(Clone)]
pub struct Case {
    pub family: &'static str,
    pub name: String,
    pub program: Lookup,
    /// In the order of its `<…>`.
    pub sizes: Vec<usize>,
    pub operation: Operation,
    pub scale: Scale,
}

/// What a case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A small one that shows that all is well: for `--quick` and the tests.
    Quick,
    /// One that is measured.
    Full,
    /// One that takes too long on a processor.
    Gpu,
    /// One that is measured if its family is named.
    Named,
}

impl Case {
    /// The sizes with their names.
    pub fn named(&self) -> Sizes {
        let names = (self.program)().given().map(|size| size.var.clone());
        Sizes(names.zip(self.sizes.iter().map(|n| *n as i64)).collect())
    }
}

/// All cases, family by family.
pub fn all() -> Vec<Case> {
    [
        convolutions::cases(),
        kinds::cases(),
        products::cases(),
        stencils::cases(),
        passes::cases(),
        boda::cases(),
    ]
    .concat()
}

/// The families, in order.
pub fn families() -> Vec<&'static str> {
    let mut names: Vec<_> = all().iter().map(|case| case.family).collect();
    names.dedup();
    names
}
