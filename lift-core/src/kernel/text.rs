//! What the printers share: statements and expressions are the same text in OpenCL C and in C but
//! for the spelling of types, functions and work-items, which a [`Dialect`] provides.

use super::names::{Entity, Names};
use super::{Array, Expr, Kernel, Local, Parallel, Plan, Space, Stmt};
use crate::nat::{Condition, Factor, Facts, Nat, Relation, Term, Var};
use crate::scalar::{Op, Value};
use crate::types::Scalar;
use std::collections::HashSet;

/// The spelling that differs between languages.
pub trait Dialect {
    fn scalar(&self, s: Scalar) -> &'static str;
    /// Integer type of indices.
    fn index(&self, small: bool) -> &'static str;
    /// A function of scalars, arguments printed.
    fn function(&self, op: Op, s: Scalar, arguments: &[String]) -> String;
    fn literal(&self, v: Value) -> String;
    /// Float to integer with saturation, as Rust's `as`.
    fn saturate(&self, from: Scalar, to: Scalar, x: &str) -> String;
    /// Qualifier of an array declared in a kernel or outside it.
    fn space(&self, space: Space) -> &'static str;
    /// How a loop over the work-items of a dimension is written; with `exact`, there are as many
    /// work-items as iterations.
    fn work_items(&self, w: &mut Writer, k: &Kernel, dimension: u8, exact: bool) -> WorkItems;
    /// Prints the kernel's head and body.
    fn kernel(&self, w: &mut Writer, k: &Kernel);
    /// What must stand before kernels whose text is `body`.
    fn preamble(&self, body: &str) -> String;
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

pub struct Writer<'a> {
    pub out: String,
    pub depth: usize,
    pub names: Names,
    pub facts: Facts,
    pub small: bool,
    pub dialect: &'a dyn Dialect,
    pub kernel: Option<&'a Kernel>,
    /// Constant arrays that have been printed: kernels may share them.
    pub printed: HashSet<u32>,
}

/// The names of a plan's kernels in the printed text, in order.
pub fn kernel_names(plan: &Plan) -> Vec<String> {
    let mut names = Names::default();
    for (var, _) in &plan.sizes {
        names.of(Entity::Size(var.name.to_string()), &var.name);
    }
    plan.kernels.iter().map(|k| names.of(Entity::Named(k.name.clone()), &k.name)).collect()
}

/// Prints a whole plan: sizes, then constants and kernels.
pub fn print(plan: &Plan, dialect: &dyn Dialect) -> String {
    let mut names = Names::default();
    let mut facts = Facts::new();
    let mut sizes = String::new();
    let suffix = if plan.small_indices() { "" } else { "L" };
    for (var, value) in &plan.sizes {
        let name = names.of(Entity::Size(var.name.to_string()), &var.name);
        facts.fix(var, *value);
        sizes += &format!("#define {name} {value}{suffix}\n");
    }
    for kernel in &plan.kernels {
        names.of(Entity::Named(kernel.name.clone()), &kernel.name);
    }
    let mut writer = Writer {
        out: String::new(),
        depth: 0,
        names,
        facts,
        small: plan.small_indices(),
        dialect,
        kernel: None,
        printed: HashSet::new(),
    };
    for kernel in &plan.kernels {
        writer.blank();
        writer.kernel = Some(kernel);
        writer.constants(&kernel.body);
        writer.scope(|w| dialect.kernel(w, kernel));
    }
    let head = dialect.preamble(&writer.out);
    let helpers = helpers(&writer.out, &writer);
    [head, sizes, helpers]
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!("{part}\n"))
        .collect::<String>()
        + writer.out.trim_start_matches('\n')
}

/// Floor division of possibly negative indices, where a kernel uses it.
fn helpers(body: &str, w: &Writer) -> String {
    let int = w.dialect.index(w.small);
    let mut text = String::new();
    if body.contains("floor_div(") {
        text += &format!(
            "static inline {int} floor_div({int} a, {int} b) {{ return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }}\n"
        );
    }
    if body.contains("floor_mod(") {
        text += &format!("static inline {int} floor_mod({int} a, {int} b) {{ return (a % b + b) % b; }}\n");
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

fn at_least(bound: Bound, strength: u8) -> String {
    if bound.1 < strength { format!("({})", bound.0) } else { bound.0 }
}

impl Writer<'_> {
    pub fn line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n("    ", self.depth));
        self.out += text;
        self.out.push('\n');
    }

    pub fn kernel_name(&mut self, name: &str) -> String {
        self.names.of(Entity::Named(name.to_string()), name)
    }

    pub fn parameter(&mut self, name: &str) -> String {
        self.names.of(Entity::Named(format!("scalar {name}")), name)
    }

    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    pub fn int(&self) -> &'static str {
        self.dialect.index(self.small)
    }

    pub fn local(&mut self, l: &Local) -> String {
        self.names.of(Entity::Numbered("local", l.index), &l.name)
    }

    pub fn array(&mut self, a: &Array) -> String {
        self.names.of(Entity::Numbered("array", a.index), &a.name)
    }

    pub fn var(&mut self, v: &Var) -> String {
        let entity = match v.index {
            0 => Entity::Size(v.name.to_string()),
            n => Entity::Numbered("index", n),
        };
        self.names.of(entity, &v.name)
    }

    /// Constant arrays stand before the kernel.
    fn constants(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Array(array, values)
                    if array.space == Space::Constant && self.printed.insert(array.index) =>
                {
                    let (name, space) = (self.array(array), self.dialect.space(Space::Constant));
                    let values: Vec<String> = values.iter().map(|v| self.dialect.literal(*v)).collect();
                    let scalar = self.dialect.scalar(array.scalar);
                    self.line(&format!(
                        "{space}{scalar} {name}[{}] = {{{}}};",
                        values.len(),
                        values.join(", ")
                    ));
                }
                Stmt::Loop { body, .. } => self.constants(body),
                Stmt::If(_, then, otherwise) => {
                    self.constants(then);
                    self.constants(otherwise);
                }
                _ => {}
            }
        }
    }

    /// Names given in `f` are free again after it.
    pub fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        let outer = self.names.clone();
        f(self);
        self.names = outer;
    }

    pub fn block(&mut self, body: &[Stmt]) {
        self.depth += 1;
        self.scope(|w| body.iter().for_each(|s| w.stmt(s)));
        self.depth -= 1;
    }

    pub fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => self.line(&format!("// {text}")),
            Stmt::Declare { local, value, mutable } => {
                let value = self.expr(value).0;
                let (name, scalar) = (self.local(local), self.dialect.scalar(local.scalar));
                let qualifier = if *mutable { "" } else { "const " };
                self.line(&format!("{qualifier}{scalar} {name} = {value};"));
            }
            Stmt::Assign(local, value) => self.assign(local, value),
            Stmt::Array(array, _) if array.space == Space::Constant => {}
            Stmt::Array(array, _) => {
                let (name, length) = (self.array(array), self.nat(&array.length).0);
                let (space, scalar) = (self.dialect.space(array.space), self.dialect.scalar(array.scalar));
                self.line(&format!("{space}{scalar} {name}[{length}];"));
            }
            Stmt::Store(array, index, value) => {
                let value = self.expr(value).0;
                let (name, index) = (self.array(array), self.nat(index).0);
                self.line(&format!("{name}[{index}] = {value};"));
            }
            Stmt::Loop { var, extent, parallel, body } => self.loop_(var, extent, *parallel, body),
            Stmt::If(condition, then, otherwise) => {
                let text = self.expr(condition).0;
                self.line(&format!("if ({text}) {{"));
                self.under(condition, |w| w.block(then));
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
        }
    }

    /// `acc += x` where the value is `acc + x` of a type that C does not promote.
    fn assign(&mut self, local: &Local, value: &Expr) {
        let name = self.local(local);
        if let Expr::Op(op @ (Op::Add | Op::Sub | Op::Mul), s, operands) = value
            && operands[0] == Expr::Local(local.clone())
            && s.bytes() >= 4
        {
            let right = self.expr(&operands[1]).0;
            self.line(&format!("{name} {}= {right};", op.name()));
        } else {
            let value = self.expr(value).0;
            self.line(&format!("{name} = {value};"));
        }
    }

    fn loop_(&mut self, var: &Var, extent: &Nat, parallel: Parallel, body: &[Stmt]) {
        let (end, int) = (self.nat_bound(extent, SHIFT), self.int());
        let outer = self.facts.clone();
        self.facts.range(var, &Nat::constant(0), extent);
        let items = match (parallel, self.kernel) {
            (Parallel::Global(d), Some(kernel)) => {
                let global = &kernel.global[d as usize];
                let exact = global == extent || self.facts.prove(&Condition::eq(global, extent)).is_proved();
                self.dialect.work_items(self, kernel, d, exact)
            }
            _ => WorkItems::Plain,
        };
        let (first, step) = match items {
            WorkItems::Once(value) => {
                let name = self.var(var);
                self.line(&format!("const {int} {name} = {value};"));
                body.iter().for_each(|s| self.stmt(s));
                self.facts = outer;
                return;
            }
            WorkItems::Strided(first, step) => (first, format!(" += {step}")),
            WorkItems::Plain => ("0".to_string(), "++".to_string()),
        };
        self.scope(|w| {
            let name = w.var(var);
            w.line(&format!("for ({int} {name} = {first}; {name} < {end}; {name}{step}) {{"));
            w.block(body);
            w.line("}");
        });
        self.facts = outer;
    }

    /// Runs `f` with what a true condition says about indices.
    fn under<R>(&mut self, condition: &Expr, f: impl FnOnce(&mut Self) -> R) -> R {
        let Expr::Test(test) = condition else { return f(self) };
        let outer = self.facts.clone();
        self.facts.assume(test);
        let result = f(self);
        self.facts = outer;
        result
    }

    pub fn expr(&mut self, e: &Expr) -> Bound {
        match e {
            Expr::Literal(v) => {
                let text = self.dialect.literal(*v);
                let strength = if text.starts_with('-') { UNARY } else { ATOM };
                (text, strength)
            }
            Expr::Local(l) => (self.local(l), ATOM),
            Expr::Parameter { name, .. } => (self.parameter(name), ATOM),
            Expr::Index(nat, s) => {
                let text = self.nat_bound(nat, UNARY);
                (format!("({}){text}", self.dialect.scalar(*s)), UNARY)
            }
            Expr::Test(condition) => self.condition(condition),
            Expr::Load(array, index) => {
                let (name, index) = (self.array(array), self.nat(index).0);
                (format!("{name}[{index}]"), ATOM)
            }
            Expr::Op(op, s, operands) => self.op(*op, *s, operands),
            Expr::Cast(from, to, x) => self.cast(*from, *to, x),
            Expr::Select(condition, then, otherwise) => {
                let c = at_least(self.expr(condition), SELECT + 1);
                let t = self.under(condition, |w| at_least(w.expr(then), SELECT + 1));
                let o = at_least(self.expr(otherwise), SELECT);
                (format!("{c} ? {t} : {o}"), SELECT)
            }
        }
    }

    fn cast(&mut self, from: Scalar, to: Scalar, x: &Expr) -> Bound {
        let text = self.expr(x);
        if to == Scalar::Bool {
            return (format!("{} != 0", at_least(text, EQUAL + 1)), EQUAL);
        }
        if from.is_float() && to.is_integer() {
            return (self.dialect.saturate(from, to, &text.0), ATOM);
        }
        (format!("({}){}", self.dialect.scalar(to), at_least(text, UNARY)), UNARY)
    }

    fn op(&mut self, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        let text = self.op_unwrapped(op, s, operands);
        // C computes small integers as `int`; the language wraps them in their own type.
        let arithmetic = !op.compares() && s.is_integer() && s.bytes() < 4;
        if arithmetic && !matches!(op, Op::Min | Op::Max | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shr) {
            return (format!("({}){}", self.dialect.scalar(s), at_least(text, UNARY)), UNARY);
        }
        text
    }

    fn op_unwrapped(&mut self, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        if matches!(op, Op::Div | Op::Rem) && s.is_integer() {
            return self.integer_division(op, s, operands);
        }
        if op == Op::Rem || !(op.is_infix() || matches!(op, Op::Neg | Op::Not)) {
            let arguments: Vec<String> = operands.iter().map(|o| self.expr(o).0).collect();
            return (self.dialect.function(op, s, &arguments), ATOM);
        }
        if op.arity() == 1 {
            let symbol = if op == Op::Not && s != Scalar::Bool { "~" } else { op.name() };
            let operand = at_least(self.expr(&operands[0]), UNARY);
            // `--x` would be a decrement.
            let operand = if operand.starts_with('-') { format!("({operand})") } else { operand };
            return (format!("{symbol}{operand}"), UNARY);
        }
        if matches!(op, Op::Shl | Op::Shr) {
            let left = at_least(self.expr(&operands[0]), SHIFT);
            let right = match &operands[1] {
                Expr::Literal(v) => {
                    let bits = 8 * s.bytes() as i128;
                    v.to_integer().unwrap_or(0).rem_euclid(bits).to_string()
                }
                other => format!("({} & {})", at_least(self.expr(other), SUM), 8 * s.bytes() - 1),
            };
            return (format!("{left} {} {right}", op.name()), SHIFT);
        }
        let strength = match op {
            Op::Mul | Op::Div => PRODUCT,
            Op::Add | Op::Sub => SUM,
            Op::Lt | Op::Le | Op::Gt | Op::Ge => ORDER,
            Op::Eq | Op::Ne => EQUAL,
            Op::And => AND,
            Op::Or => OR,
            // Bitwise operators bind oddly in C: always in parentheses.
            _ => 0,
        };
        let (left, right) = (self.expr(&operands[0]), self.expr(&operands[1]));
        if strength == 0 {
            return (format!("({} {} {})", at_least(left, SHIFT), op.name(), at_least(right, SHIFT)), ATOM);
        }
        (format!("{} {} {}", at_least(left, strength), op.name(), at_least(right, strength + 1)), strength)
    }

    /// Division by zero is zero in the language, a trap in C; so is the smallest number by -1.
    fn integer_division(&mut self, op: Op, s: Scalar, operands: &[Expr]) -> Bound {
        let left = at_least(self.expr(&operands[0]), PRODUCT);
        let right = at_least(self.expr(&operands[1]), PRODUCT + 1);
        let plain = (format!("{left} {} {right}", op.name()), PRODUCT);
        match &operands[1] {
            Expr::Literal(v) if v.to_integer() == Some(0) => {
                (self.dialect.literal(Value::from_integer(0, s)), ATOM)
            }
            Expr::Literal(v) if v.to_integer() != Some(-1) => plain,
            _ => {
                let special = match op {
                    Op::Div if s.is_signed() => format!("{right} == 0 ? 0 : {right} == -1 ? -{left}"),
                    Op::Rem if s.is_signed() => format!("{right} == 0 || {right} == -1 ? 0"),
                    _ => format!("{right} == 0 ? 0"),
                };
                (format!("({special} : {})", plain.0), ATOM)
            }
        }
    }

    pub fn condition(&mut self, c: &Condition) -> Bound {
        match c {
            Condition::Compare(relation, a, b) => {
                let (symbol, strength) = match relation {
                    Relation::Eq => ("==", EQUAL),
                    Relation::Ne => ("!=", EQUAL),
                    Relation::Lt => ("<", ORDER),
                    Relation::Le => ("<=", ORDER),
                    Relation::Gt => (">", ORDER),
                    Relation::Ge => (">=", ORDER),
                };
                let left = self.nat_bound(a, strength + 1);
                (format!("{left} {symbol} {}", self.nat_bound(b, strength + 1)), strength)
            }
            Condition::And(parts) => self.junction(parts, "&&", "true", AND),
            Condition::Or(parts) => self.junction(parts, "||", "false", OR),
            Condition::Not(part) => (format!("!{}", at_least(self.condition(part), UNARY)), UNARY),
        }
    }

    fn junction(&mut self, parts: &[Condition], symbol: &str, empty: &str, strength: u8) -> Bound {
        match parts {
            [] => (empty.to_string(), ATOM),
            [one] => self.condition(one),
            // `a && b || c` is right in C, but compilers warn of it, and readers wonder.
            _ => {
                let texts: Vec<String> = parts.iter().map(|p| at_least(self.condition(p), AND + 1)).collect();
                (texts.join(&format!(" {symbol} ")), strength)
            }
        }
    }

    /// A size as an operand of `*`, `/` or `%`, or as a bound.
    pub fn nat_at_least_product(&mut self, n: &Nat) -> String {
        self.nat_bound(n, PRODUCT + 1)
    }

    /// The value of an expression of sizes.
    pub fn value(&self, n: &Nat) -> i64 {
        self.facts.bounds(n).1.unwrap_or(i64::MAX)
    }

    fn nat_bound(&mut self, n: &Nat, strength: u8) -> String {
        at_least(self.nat(n), strength)
    }

    /// An index as a person would write it: `(h * W + w) * C + c` rather than the sum of products
    /// that its normal form is.
    pub fn nat(&mut self, n: &Nat) -> Bound {
        self.sum(n.terms())
    }

    fn sum(&mut self, mut terms: Vec<Term>) -> Bound {
        if terms.is_empty() {
            return ("0".into(), ATOM);
        }
        if terms.len() == 1 {
            return self.product(&terms[0]);
        }
        // Horner: take out the factor that most terms share.
        if let Some(factor) = common_factor(&terms) {
            let (inside, outside): (Vec<Term>, Vec<Term>) =
                terms.into_iter().partition(|t| has_factor(t, &factor));
            let inside: Vec<Term> = inside.into_iter().map(|t| without_factor(t, &factor)).collect();
            let (left, right) =
                (at_least(self.sum(inside), PRODUCT), at_least(self.factor(&factor), PRODUCT + 1));
            let product = format!("{left} * {right}");
            if outside.is_empty() {
                return (product, PRODUCT);
            }
            let rest = self.sum(outside).0;
            return match rest.strip_prefix('-') {
                Some(positive) => (format!("{product} - {positive}"), SUM),
                None => (format!("{product} + {rest}"), SUM),
            };
        }
        // Positive terms first: `h + kh - 1`.
        terms.sort_by_key(|t| (t.coefficient < 0, t.factors.is_empty()));
        let mut text = String::new();
        for term in &terms {
            let negative = term.coefficient < 0 && !text.is_empty();
            let shown = Term {
                coefficient: if negative { -term.coefficient } else { term.coefficient },
                ..term.clone()
            };
            let product = self.product(&shown).0;
            if !text.is_empty() {
                text += if negative { " - " } else { " + " };
            }
            text += &product;
        }
        (text, SUM)
    }

    fn product(&mut self, term: &Term) -> Bound {
        let mut factors: Vec<Bound> = vec![];
        for (factor, power) in &term.factors {
            for _ in 0..*power {
                let text = self.factor(factor);
                factors.push(text);
            }
        }
        let c = term.coefficient;
        if factors.is_empty() {
            return (c.to_string(), if c < 0 { UNARY } else { ATOM });
        }
        let sign = if c == -1 { "-" } else { "" };
        if c != 1 && c != -1 {
            factors.insert(0, (c.to_string(), ATOM));
        }
        if factors.len() == 1 {
            let (text, strength) = factors.remove(0);
            return if sign.is_empty() {
                (text, strength)
            } else {
                (format!("-{}", at_least((text, strength), UNARY)), UNARY)
            };
        }
        let last = factors.len() - 1;
        let texts: Vec<String> = factors
            .into_iter()
            .enumerate()
            .map(|(i, f)| at_least(f, if i == 0 && last > 0 { PRODUCT } else { PRODUCT + 1 }))
            .collect();
        (format!("{sign}{}", texts.join(" * ")), PRODUCT)
    }

    fn factor(&mut self, factor: &Factor) -> Bound {
        match factor {
            Factor::Var(v) => (self.var(v), ATOM),
            Factor::Div(a, b) | Factor::Mod(a, b) => {
                let modulo = matches!(factor, Factor::Mod(..));
                if self.never_negative(a) && self.never_negative(b) {
                    let left = self.nat_bound(a, PRODUCT);
                    let right = self.nat_bound(b, PRODUCT + 1);
                    return (format!("{left} {} {right}", if modulo { "%" } else { "/" }), PRODUCT);
                }
                let (left, right) = (self.nat(a).0, self.nat(b).0);
                (format!("floor_{}({left}, {right})", if modulo { "mod" } else { "div" }), ATOM)
            }
            Factor::Min(a, b) | Factor::Max(a, b) => {
                let name = if matches!(factor, Factor::Min(..)) { "min" } else { "max" };
                let (left, right) = (self.nat(a).0, self.nat(b).0);
                (format!("{name}({}, {})", self.typed(left), self.typed(right)), ATOM)
            }
            other => (format!("{other:?}"), ATOM),
        }
    }

    /// Both arguments of OpenCL's `min` must be of one type, and literals are `int`.
    fn typed(&self, text: String) -> String {
        if self.small { text } else { format!("({})({text})", self.int()) }
    }

    fn never_negative(&self, n: &Nat) -> bool {
        self.facts.prove(&Condition::ge(n, &Nat::constant(0))).is_proved()
    }
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
        Value::F64(x) => float(x, format!("{x:?}")),
        // The smallest numbers have no literal: C reads `-` and a number that is too large.
        Value::I32(i32::MIN) => "(-2147483647 - 1)".into(),
        Value::I64(i64::MIN) => format!("(-9223372036854775807{long} - 1)"),
        Value::U32(x) => format!("{x}u"),
        Value::I64(x) => format!("{x}{long}"),
        Value::U64(x) => format!("{x}{ulong}"),
        other => other.to_integer().unwrap_or(0).to_string(),
    }
}

fn has_factor(term: &Term, factor: &Factor) -> bool {
    term.factors.iter().any(|(f, _)| f == factor)
}

fn without_factor(mut term: Term, factor: &Factor) -> Term {
    for (f, power) in &mut term.factors {
        if f == factor {
            *power -= 1;
        }
    }
    term.factors.retain(|(_, power)| *power > 0);
    term
}

/// The factor in the most terms, if at least two have it.
fn common_factor(terms: &[Term]) -> Option<Factor> {
    let mut best: Option<(usize, &Factor)> = None;
    for (factor, _) in terms.iter().flat_map(|t| &t.factors) {
        let count = terms.iter().filter(|t| has_factor(t, factor)).count();
        if count >= 2 && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, factor));
        }
    }
    best.map(|(_, factor)| factor.clone())
}
