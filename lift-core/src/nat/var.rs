//! Variables.

use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A variable: a size parameter (`index == 0`, unique by its name among those of its maker) or an index variable
/// (`index > 0`, unique among those of its maker).
#[derive(Clone, Eq, Debug, Serialize, Deserialize)]
pub struct Var {
    /// What it is called where it is printed.
    pub name: Arc<str>,
    /// 0 for sizes; otherwise it, and not the name, tells variables apart.
    pub index: u32,
    /// What programs are stored with: their own, and parameters of schedules.
    #[serde(default, skip_serializing_if = "Maker::is_program")]
    pub maker: Maker,
}

/// Who made a variable. Each numbers its own, so that the variables of two of them are never the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub enum Maker {
    /// A program, or the kernel that is generated for it: an index of a function or a loop.
    #[default]
    Program,
    /// A schedule: a parameter that it leaves open, whatever sizes of that name the program has.
    Schedule,
    /// A pass that compares indices: whatever has the same place in both gets the same variable.
    Comparison,
    /// Whoever asks where elements of an array come from: one stands for each element alike.
    Origin,
    /// A printer: the name of a part that indices have in common.
    Printer,
    /// The prover, to solve an equation.
    Equation,
}

impl Maker {
    /// So nearly all are, and what is stored of programs does not say it.
    fn is_program(&self) -> bool {
        *self == Maker::Program
    }
}

impl Var {
    /// A size parameter: two of the same name are the same.
    pub fn size(name: &str) -> Var {
        Var { name: name.into(), index: 0, maker: Maker::Program }
    }

    /// A parameter of a schedule: two of the same name are the same, and never a program's own.
    pub fn parameter(name: &str) -> Var {
        Var { name: name.into(), index: 0, maker: Maker::Schedule }
    }

    /// An index variable: the number, not the name, says which.
    pub fn index(name: &str, index: u32) -> Var {
        Var { name: name.into(), index, maker: Maker::Program }
    }

    /// An index variable of a stage's own, which counts them from 0 on.
    pub fn made(maker: Maker, name: &str, number: u32) -> Var {
        Var { name: name.into(), index: number + 1, maker }
    }

    /// Was it introduced by an equation that facts were solved for?
    pub(super) fn is_introduced(&self) -> bool {
        self.maker == Maker::Equation
    }

    /// What it is ordered by among those of its name: sizes, a program's index variables from the outermost on, and
    /// then those of each maker, of which the first one is the last. So what was introduced first is eliminated first.
    pub fn depth(&self) -> Depth {
        match self.maker {
            Maker::Program | Maker::Schedule | Maker::Comparison => (self.maker, self.index, Reverse(0)),
            Maker::Origin | Maker::Printer | Maker::Equation => (self.maker, 0, Reverse(self.index)),
        }
    }
}

pub type Depth = (Maker, u32, Reverse<u32>);

/// Nearly all that is asked of variables is which of them they are: the text of a name is looked at last, and not at all
/// where it is the same one.
impl PartialEq for Var {
    fn eq(&self, other: &Var) -> bool {
        (self.index, self.maker) == (other.index, other.maker)
            && (Arc::ptr_eq(&self.name, &other.name) || self.name == other.name)
    }
}

impl Hash for Var {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.index, self.maker).hash(state);
        if self.index == 0 {
            self.name.hash(state);
        }
    }
}

impl PartialOrd for Var {
    fn partial_cmp(&self, other: &Var) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Var {
    fn cmp(&self, other: &Var) -> Ordering {
        let names = match Arc::ptr_eq(&self.name, &other.name) {
            true => Ordering::Equal,
            false => self.name.cmp(&other.name),
        };
        names.then_with(|| self.depth().cmp(&other.depth()))
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}
