//! The part that printers share: statements and expressions are the same text in OpenCL C and in C, but for the
//! spelling of types, functions and work-items, which a [`Dialect`] provides.

mod exprs;
mod ids;
mod indices;
mod parts;
mod reductions;
mod stmts;

use super::names::{Entity, Names};
use super::{Array, ArrayId, Kernel, Local, LocalId, Module, Parallel, Space, Stmt};
use crate::nat::{Condition, Facts, Nat, Var};
use crate::scalar::{Op, Value};
use crate::types::Scalar;
use std::collections::{HashMap, HashSet};

/// The spelling that differs between languages.
pub trait Dialect {
    /// The name of a scalar type.
    fn scalar(&self, s: Scalar) -> &'static str;
    /// Integer type of indices.
    fn index(&self, small: bool) -> &'static str;
    /// A scalar or vector type.
    fn ty(&self, s: Scalar, width: u8) -> String {
        if width == 1 { self.scalar(s).to_string() } else { format!("{}{width}", self.scalar(s)) }
    }
    /// A function of scalars or vectors, arguments printed.
    fn function(&self, op: Op, s: Scalar, width: u8, arguments: &[String]) -> String;
    /// The name of a function of indices: `min` or `max`.
    fn of_indices(&self, op: Op) -> String;
    /// Are places in arrays to be moved on from iteration to iteration, where compilers would compute them anew?
    fn moves_indices(&self) -> bool {
        false
    }
    /// The function for `a * b + c`, rounded once: none where the compiler finds it by itself.
    fn fma(&self) -> Option<&'static str>;
    /// The vector of `width` scalars from `place` on, an address; as a place it can be assigned.
    fn vector_at(&self, array: &Array, place: &str, width: u8, aligned: bool) -> String;
    /// The statement that writes such a vector.
    fn store_vector(&self, array: &Array, place: &str, value: &str, width: u8, aligned: bool) -> String;
    /// A vector of these scalars; a single one stands for all lanes.
    fn vector(&self, s: Scalar, width: u8, lanes: &[String]) -> String;
    /// A vector of the lanes of two others, chosen by the lanes of a comparison: condition, first and second.
    fn chosen(&self, s: Scalar, width: u8, operands: [&str; 3]) -> String;
    /// An element of a vector.
    fn lane(&self, vector: &str, k: u8) -> String;
    /// Asks for the line of memory that a place is in.
    fn soon(&self, place: &str) -> String;
    /// Where work-items of a group wait for each other.
    fn barrier(&self, reason: &str) -> Option<String>;
    /// A number, written so that it has the value's type.
    fn literal(&self, v: Value) -> String;
    /// A value with loads of scalars that are carried out only where a condition holds.
    fn guarded(&self, value: String) -> String {
        value
    }
    /// A vector as one branch of `?:`.
    fn vector_branch(&self, _: Scalar, _: u8, value: String) -> String {
        value
    }
    /// The first line of a block of such loads, and of a loop with several running integers.
    fn guarded_block(&self) -> Option<&'static str> {
        None
    }
    /// The bits of a vector as a vector of another type of the same size.
    fn reinterpreted(&self, ty: &str, vector: &str) -> String;
    /// The function for an operator on vectors of such numbers, where the language has no operator for them.
    fn called(&self, _op: Op, _s: Scalar, _width: u8) -> Option<String> {
        None
    }
    /// Float to integer with saturation, as Rust's `as`.
    fn saturate(&self, from: Scalar, to: Scalar, x: &str) -> String;
    /// A vector of other numbers, each lane as Rust's `as`: never from or to `bool`.
    fn converted(&self, from: Scalar, to: Scalar, width: u8, x: &str) -> String;
    /// Qualifier of an array declared in a kernel or outside it.
    fn space(&self, space: Space) -> &'static str;
    /// How a loop over the work-items of a dimension is written; with `exact`, there are as many
    /// work-items as iterations.
    fn work_items(&self, w: &mut Writer, k: &Kernel, parallel: Parallel, exact: bool) -> WorkItems;
    /// A line before a loop that only adds to or multiplies these running values, whose terms may be taken in any
    /// order: each operator with the variables that it combines with their terms. `None` where that would not help.
    fn reduction(&self, _: &[((Op, Scalar), Vec<String>)]) -> Option<String> {
        None
    }
    /// Prints the kernel's head and body.
    fn kernel(&self, w: &mut Writer, k: &Kernel);
    /// What must stand before kernels whose text is `body`.
    fn preamble(&self, body: &str, strict: bool) -> String;
}

/// How a loop over work-items is written.
pub enum WorkItems {
    /// The variable is this expression, once.
    Once(String),
    /// From the first expression, in steps of the second.
    Strided(String, String),
    /// An ordinary loop.
    Plain,
}

/// A text being printed, with what is known at the current place.
pub struct Writer<'a> {
    /// The text so far.
    pub out: String,
    /// Levels of indentation.
    pub depth: usize,
    /// Which identifiers are taken here, and by what.
    pub names: Names,
    /// The sizes' values and the ranges of the loops around: what decides whether a division may be C's.
    pub facts: Facts,
    /// Do all indices fit 32 bits?
    pub small: bool,
    /// The spelling of the language.
    pub dialect: &'a dyn Dialect,
    /// Are floats computed in the order in which they are written?
    pub strict: bool,
    /// The kernel being printed.
    pub kernel: Option<&'a Kernel>,
    /// Constant arrays that have been printed: kernels may share them.
    pub printed: HashSet<ArrayId>,
    /// Is it an iteration of a long loop with a single guarded load?
    lone: bool,
    /// The variables that hold running values of reductions.
    running: HashSet<LocalId>,
    /// The named parts of indices, with their values.
    parts: HashMap<Var, Nat>,
}

impl Module {
    /// What each kernel is called in the printed texts: its name, unless C or a size has taken that.
    pub fn kernel_names(&self) -> Vec<String> {
        let mut names = Names::default();
        for (var, _) in &self.sizes {
            names.of(Entity::Size(var.maker, var.name.to_string()), &var.name);
        }
        self.kernels.iter().map(|k| names.of(Entity::Named(k.name.clone()), &k.name)).collect()
    }
}

/// Prints a whole module: sizes, then constants and kernels. `small`: indices fit 32 bits.
pub fn print(module: &Module, small: bool, dialect: &dyn Dialect) -> String {
    let mut names = Names::default();
    let mut facts = Facts::new();
    let mut sizes = vec![];
    let suffix = if small { "" } else { "L" };
    for (var, value) in &module.sizes {
        let name = names.of(Entity::Size(var.maker, var.name.to_string()), &var.name);
        facts.fix(var, *value);
        let line = format!("#define {name} {value}{suffix}\n");
        sizes.push((name, line));
    }
    for kernel in &module.kernels {
        names.of(Entity::Named(kernel.name.clone()), &kernel.name);
    }
    let mut writer = Writer {
        out: String::new(),
        depth: 0,
        names,
        facts,
        small,
        dialect,
        strict: module.strict,
        kernel: None,
        printed: HashSet::new(),
        running: HashSet::new(),
        lone: false,
        parts: HashMap::new(),
    };
    for kernel in &module.kernels {
        writer.blank();
        writer.kernel = Some(kernel);
        if writer.constants(&kernel.body) {
            writer.blank();
        }
        writer.scope(|w| dialect.kernel(w, kernel));
    }
    let code = without_comments(&writer.out);
    let head = dialect.preamble(&code, module.strict);
    let helpers = helpers(&code, &writer);
    let used = sizes.into_iter().filter(|(name, _)| has_word(&code, name));
    let sizes: String = used.map(|(_, line)| line).collect();
    [head, sizes, helpers]
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!("{}\n\n", part.trim_end()))
        .collect::<String>()
        + writer.out.trim_start_matches('\n')
}

/// Floor division of possibly negative indices, where a kernel uses it.
fn helpers(body: &str, w: &Writer) -> String {
    let int = w.dialect.index(w.small);
    let mut text = String::new();
    if body.contains("lift_floor_div(") {
        text += &format!(
            "static inline {int} lift_floor_div({int} a, {int} b) {{ return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }}\n"
        );
    }
    if body.contains("lift_floor_mod(") {
        text +=
            &format!("static inline {int} lift_floor_mod({int} a, {int} b) {{ return (a % b + b) % b; }}\n");
    }
    text
}

/// Text with the strength of its outermost operator (C's precedence, higher binds tighter).
type Bound = (String, u8);
const ATOM: u8 = 16;
const UNARY: u8 = 14;
const PRODUCT: u8 = 13;
const SUM: u8 = 12;
const SHIFT: u8 = 11;
const ORDER: u8 = 10;
const EQUAL: u8 = 9;
const AND: u8 = 5;
const OR: u8 = 4;
const SELECT: u8 = 3;

/// In parentheses, if it binds less than its place asks for.
fn at_least(bound: Bound, strength: u8) -> String {
    if bound.1 < strength { format!("({})", bound.0) } else { bound.0 }
}

impl Writer<'_> {
    /// A line at this depth.
    pub fn line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n("    ", self.depth));
        self.out += text;
        self.out.push('\n');
    }

    /// The identifier of a kernel.
    pub fn kernel_name(&mut self, name: &str) -> String {
        self.names.of(Entity::Named(name.to_string()), name)
    }

    /// The identifier of a scalar parameter.
    pub fn parameter(&mut self, name: &str) -> String {
        self.names.of(Entity::Named(format!("scalar {name}")), name)
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// The type of indices.
    pub fn int(&self) -> &'static str {
        self.dialect.index(self.small)
    }

    /// The identifier of a variable.
    pub fn local(&mut self, l: &Local) -> String {
        self.names.of(Entity::Local(l.id), &l.name)
    }

    /// The identifier of an array.
    pub fn array(&mut self, a: &Array) -> String {
        self.names.of(Entity::Array(a.id), &a.name)
    }

    /// The identifier of a size or an index.
    pub fn var(&mut self, v: &Var) -> String {
        let entity = match v.index {
            0 => Entity::Size(v.maker, v.name.to_string()),
            n => Entity::Index(v.maker, n),
        };
        self.names.of(entity, &v.name)
    }

    /// Constant arrays stand before the kernel.
    fn constants(&mut self, body: &[Stmt]) -> bool {
        let mut any = false;
        for stmt in body {
            if let Stmt::Array(array, values) = stmt
                && array.space == Space::Constant
                && self.printed.insert(array.id)
            {
                let (name, space) = (self.array(array), self.dialect.space(Space::Constant));
                let values: Vec<String> = values.iter().map(|v| self.dialect.literal(*v)).collect();
                let scalar = self.dialect.scalar(array.scalar);
                self.line(&format!("{space}{scalar} {name}[{}] = {{{}}};", values.len(), values.join(", ")));
                any = true;
            }
        }
        any
    }

    /// Names given in `f` are free again after it.
    pub fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        let outer = self.names.clone();
        f(self);
        self.names = outer;
    }

    /// Statements one level deeper; the names in them end there.
    pub fn block(&mut self, body: &[Stmt]) {
        self.depth += 1;
        self.scope(|w| w.stmts(body));
        self.depth -= 1;
    }

    /// Proves a condition, with the named parts of indices replaced by their values.
    fn proves(&self, condition: &Condition) -> bool {
        self.facts.certain(&self.meaning(condition))
    }

    fn meaning(&self, condition: &Condition) -> Condition {
        condition.substitute(&|v| self.parts.get(v).cloned())
    }
}

/// The text without its comments: these name arrays as the user does, who may have called one like a type.
fn without_comments(text: &str) -> String {
    text.lines().flat_map(|line| [line.split("//").next().unwrap_or_default(), "\n"]).collect()
}

/// Does the text use this identifier?
pub fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

/// A literal in C's syntax, given the spelling of `half` and the suffixes of 64-bit integers.
pub fn literal(v: Value, half: &str, long: &str, ulong: &str) -> String {
    let float = |x: f64, digits: String| match x {
        _ if x.is_nan() => "NAN".to_string(),
        _ if x.is_infinite() => format!("{}INFINITY", if x < 0.0 { "-" } else { "" }),
        _ => digits,
    };
    match v {
        Value::Bool(b) => (b as u8).to_string(),
        Value::F16(x) => format!("({half}){}", float(x.to_f64(), format!("{:?}f", x.to_f32()))),
        Value::F32(x) => float(x as f64, format!("{x:?}f")),
        // C's INFINITY and NAN are floats.
        Value::F64(x) if !x.is_finite() => format!("(double){}", float(x, String::new())),
        Value::F64(x) => format!("{x:?}"),
        // The smallest numbers have no literal: C reads `-` and a number that is too large.
        Value::I32(i32::MIN) => "(-2147483647 - 1)".into(),
        Value::I64(i64::MIN) => format!("(-9223372036854775807{long} - 1)"),
        Value::U32(x) => format!("{x}u"),
        Value::I64(x) => format!("{x}{long}"),
        Value::U64(x) => format!("{x}{ulong}"),
        other => other.to_integer().unwrap_or(0).to_string(),
    }
}
