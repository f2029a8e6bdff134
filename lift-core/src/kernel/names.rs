//! Identifiers: every variable, array and kernel gets a C name of its own, as near to the user's as
//! the language allows.
//!
//! All of them end in `_`, and nothing else in a printed text does. No keyword, type, function or macro of C or
//! OpenCL ends so, in any version, driver or extension: so no identifier clashes with one of these, and no list of them is
//! needed. The printers' own definitions begin with `lift_`.

use super::{ArrayId, LocalId};
use crate::nat::Maker;
use std::collections::{HashMap, HashSet};

/// What an identifier stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Entity {
    /// A size, which every kernel of a text shares.
    Size(Maker, String),
    Index(Maker, u32),
    Local(LocalId),
    Array(ArrayId),
    /// Anything else that is told apart by kind and number.
    Numbered(&'static str, u32),
    /// Anything else, told apart by name alone.
    Named(String),
}

/// Hands out identifiers; the same entity always gets the same one.
#[derive(Clone, Default)]
pub struct Names {
    given: HashMap<Entity, String>,
    taken: HashSet<String>,
}

impl Names {
    /// The identifier of an entity: the one it got before, else `wanted_` or, where that
    /// is taken, `wanted_2_` and so on.
    pub fn of(&mut self, entity: Entity, wanted: &str) -> String {
        if let Some(name) = self.given.get(&entity) {
            return name.clone();
        }
        let base = word(wanted);
        let mut name = format!("{base}_");
        let mut number = 1;
        while self.taken.contains(&name) {
            number += 1;
            name = format!("{base}_{number}_");
        }
        self.taken.insert(name.clone());
        self.given.insert(entity, name.clone());
        name
    }
}

/// Letters, digits and `_` in place of any text, a letter first and no `_` last: Rust allows
/// letters that C does not, and raw identifiers.
pub fn word(wanted: &str) -> String {
    let wanted = wanted.trim_start_matches("r#");
    let name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let name = name.trim_end_matches('_');
    // Names with leading underscores belong to the implementation.
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.to_string() } else { format!("v{name}") }
}
