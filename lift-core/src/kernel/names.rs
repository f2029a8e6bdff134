//! Identifiers: every variable and array of a kernel gets a C name of its own, as near to the
//! user's as the language allows.

use std::collections::{HashMap, HashSet};

/// Words that a generated identifier must not be: keywords, types and functions of both languages.
const RESERVED: &[&str] = &[
    "memset",
    "memcpy",
    "memmove",
    "malloc",
    "free",
    "clamp",
    "select",
    "step",
    "sign",
    "mix",
    "length",
    "distance",
    "normalize",
    "cross",
    "any",
    "all",
    "event_t",
    "sampler_t",
    "vec_step",
    "shuffle",
    "popcount",
    "rotate",
    "abs",
    "acos",
    "arrays",
    "as",
    "asin",
    "atan",
    "atan2",
    "auto",
    "barrier",
    "begin",
    "bool",
    "break",
    "case",
    "ceil",
    "char",
    "const",
    "constant",
    "continue",
    "cos",
    "cosh",
    "default",
    "do",
    "dot",
    "double",
    "else",
    "end",
    "enum",
    "exp",
    "exp2",
    "extern",
    "fabs",
    "false",
    "float",
    "floor",
    "floor_div",
    "floor_mod",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "for",
    "global",
    "goto",
    "half",
    "hypot",
    "if",
    "inline",
    "int",
    "item",
    "kernel",
    "local",
    "log",
    "log10",
    "log2",
    "long",
    "main",
    "max",
    "min",
    "pow",
    "private",
    "register",
    "restrict",
    "return",
    "round",
    "scalars",
    "short",
    "signed",
    "sin",
    "sinh",
    "sizeof",
    "size_t",
    "sqrt",
    "static",
    "struct",
    "switch",
    "tan",
    "tanh",
    "true",
    "trunc",
    "typedef",
    "uchar",
    "uint",
    "ulong",
    "union",
    "unix",
    "linux",
    "unsigned",
    "ushort",
    "void",
    "volatile",
    "while",
    "NAN",
    "INFINITY",
    "NULL",
    "MIN",
    "MAX",
    "EOF",
    "M_PI",
    "CHAR_BIT",
    "complex",
    "I",
    "y0",
    "y1",
    "j0",
    "j1",
    "yn",
    "jn",
    "gamma",
    "signgam",
    "div",
    "index",
];

/// What an identifier stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Entity {
    Size(String),
    /// An index variable, scalar variable or array: `(kind, number)`.
    Numbered(&'static str, u32),
    Named(String),
}

/// Hands out identifiers; the same entity always gets the same one.
#[derive(Clone, Default)]
pub struct Names {
    given: HashMap<Entity, String>,
    taken: HashSet<String>,
}

impl Names {
    pub fn of(&mut self, entity: Entity, wanted: &str) -> String {
        if let Some(name) = self.given.get(&entity) {
            return name.clone();
        }
        let base = sanitise(wanted);
        let mut name = base.clone();
        let mut number = 1;
        while self.taken.contains(&name) || RESERVED.contains(&name.as_str()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        self.taken.insert(name.clone());
        self.given.insert(entity, name.clone());
        name
    }
}

/// A C identifier from any text: Rust allows letters that C does not, and raw identifiers.
fn sanitise(wanted: &str) -> String {
    let wanted = wanted.trim_start_matches("r#");
    let mut name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // Names with leading underscores or digits belong to the implementation.
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert(0, 'v');
    }
    name
}
