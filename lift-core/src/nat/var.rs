//! Variables.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A variable: a size parameter (`index == 0`) or an index variable (unique `index` > 0).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Var {
    /// What it is called where it is printed.
    pub name: Arc<str>,
    /// 0 for sizes; otherwise it, and not the name, tells variables apart.
    pub index: u32,
}

impl Var {
    /// A size parameter: two of the same name are the same.
    pub fn size(name: &str) -> Var {
        Var { name: name.into(), index: 0 }
    }

    /// An index variable: the number, not the name, says which.
    pub fn index(name: &str, index: u32) -> Var {
        Var { name: name.into(), index }
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}
