//! What the parser delivers: the user's text as a tree, names not resolved yet.
//!
//! The macro crate makes these trees from Rust tokens; each [`Site`] stands for a place in the
//! user's source, of which only the macro crate knows the span. Everything after this tree is the
//! same whether a program came from a macro, a test or a generator of random programs.

use crate::types::Scalar;
use serde::{Deserialize, Serialize};

/// A place in the user's source. The meaning (a span) stays with whoever made the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Site(pub u32);

/// A name where the user wrote it: of a function, a size or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Its letters, without the `r#` of raw identifiers.
    pub text: String,
    /// Where it stands.
    pub site: Site,
}

/// `fn name<sizes>(params) -> result where … { body }`
#[derive(Clone, Debug)]
pub struct Function {
    /// What the block, and Rust, call it by.
    pub name: Name,
    /// The size parameters in `<…>`, in the order in which they were written.
    pub sizes: Vec<SizeParam>,
    /// The value parameters, in order. A constant has none.
    pub params: Vec<Param>,
    /// `None`: what the body gives.
    pub result: Option<TypeExpr>,
    /// The `where` clauses: conditions on sizes, each still an expression.
    pub wheres: Vec<Expr>,
    /// What it computes.
    pub body: Expr,
    /// Callable from Rust, which can be given arrays of scalars only.
    pub public: bool,
    /// `#[strict]`: reductions of floats keep their order.
    pub strict: bool,
    /// `const NAME: result = body;`: a value for all functions of the block.
    pub constant: bool,
}

impl Function {
    /// Is it a constant that stands for a size: `const TAPS: usize = 5;`?
    pub(crate) fn is_constant_size(&self) -> bool {
        self.constant
            && matches!(&self.result, Some(TypeExpr { kind: TypeKind::Name(ty), .. }) if ty == "usize")
    }
}

/// A size parameter of a function: `N`, or `tune N in 3..=64`.
#[derive(Clone, Debug)]
pub struct SizeParam {
    /// Its name, which lengths of arrays and expressions use.
    pub name: Name,
    /// The range of a `tune` parameter; `None` for a size that arguments or the caller determine.
    pub tune: Option<TuneRange>,
}

/// The values a `tune` parameter may take.
#[derive(Clone, Debug)]
pub enum TuneRange {
    /// `3..=64`
    Span(Expr, Expr),
    /// `[1, 2, 4]`
    List(Vec<Expr>),
}

/// A value parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type, which can't be left out.
    pub ty: TypeExpr,
    /// `const`: changes rarely (weights).
    pub constant: bool,
}

/// A type as it was written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Where it stands.
    pub site: Site,
    /// What it says.
    pub kind: TypeKind,
}

/// The forms of a type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// The name of a scalar type, or any other word that the resolver will refuse.
    Name(String),
    /// `[element; length]`, the length an expression of sizes.
    Array(Box<TypeExpr>, Box<Expr>),
    /// `(a, b, …)`
    Tuple(Vec<TypeExpr>),
}

impl TypeExpr {
    /// The type of sizes: `usize`.
    pub fn is_size(&self) -> bool {
        matches!(&self.kind, TypeKind::Name(ty) if ty == "usize")
    }

    /// Does a length in it name this size?
    pub fn mentions(&self, size: &str) -> bool {
        match &self.kind {
            TypeKind::Name(_) => false,
            TypeKind::Array(element, length) => element.mentions(size) || length.mentions(size),
            TypeKind::Tuple(parts) => parts.iter().any(|p| p.mentions(size)),
        }
    }
}

/// An expression as it was written.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where mistakes in it are reported.
    pub site: Site,
    /// What it says.
    pub kind: ExprKind,
}

/// The forms of an expression. Nothing is resolved: what a name stands for depends on its scope.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `x`, or a path such as `f32::INFINITY` as it was written, without spaces.
    Name(String),
    /// An integer literal, with the type in its suffix if it has one. A minus sign is an operator.
    Int(u128, Option<Scalar>),
    /// A float literal, with the type in its suffix if it has one.
    Float(f64, Option<Scalar>),
    /// `true` or `false`.
    Bool(bool),
    /// `-x` or `!x`
    Unary(Unary, Box<Expr>),
    /// `x + y`; both sides of sizes and of values alike.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `x as f32`
    Cast(Box<Expr>, TypeExpr),
    /// `callee(arguments)`; a method call `x.f(y)` arrives as `f(x, y)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `name::<N, _>`: a function with sizes that are given.
    Sized(String, GivenSizes),
    /// `x.0`, counted from 0.
    Field(Box<Expr>, usize),
    /// `xs[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `(x, y, …)`; `()` has no parts.
    Tuple(Vec<Expr>),
    /// `[x, y, …]`
    Array(Vec<Expr>),
    /// `|patterns| body`
    Lambda(Vec<Pattern>, Box<Expr>),
    /// `{ let …; let …; tail }`
    Block(Vec<Let>, Box<Expr>),
    /// `if condition { then } else { otherwise }`, in this order.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// What stands in `::<…>` after a function's name.
#[derive(Clone, Debug)]
pub struct GivenSizes {
    /// Where the `<…>` stands.
    pub site: Site,
    /// As it was written, without spaces.
    pub text: String,
    /// `None` for `_`: the size follows from elsewhere.
    pub sizes: Vec<Option<Expr>>,
}

impl Expr {
    /// Does this arithmetic of sizes name a size?
    fn mentions(&self, size: &str) -> bool {
        match &self.kind {
            ExprKind::Name(name) => name == size,
            ExprKind::Unary(_, a) => a.mentions(size),
            ExprKind::Binary(_, a, b) => a.mentions(size) || b.mentions(size),
            ExprKind::Call(_, arguments) => arguments.iter().any(|a| a.mentions(size)),
            _ => false,
        }
    }
}

/// `let pattern: ty = value;`
#[derive(Clone, Debug)]
pub struct Let {
    /// What the parts of the value are called.
    pub pattern: Pattern,
    /// The type, if one was written.
    pub ty: Option<TypeExpr>,
    /// What is bound, evaluated outside the scope of the pattern.
    pub value: Expr,
}

/// What a lambda or a `let` binds.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Where it stands.
    pub site: Site,
    /// What it binds.
    pub kind: PatternKind,
    /// `|x: f32|`
    pub ty: Option<TypeExpr>,
}

impl Pattern {
    /// Is this a parameter that stands for a size: `i: usize`?
    pub fn is_size(&self) -> bool {
        self.ty.as_ref().is_some_and(TypeExpr::is_size)
    }
}

/// The forms of a pattern.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A variable for the whole value.
    Name(String),
    /// `_`: the value is not used.
    Wild,
    /// `(a, b, …)`: one pattern for each component.
    Tuple(Vec<Pattern>),
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unary {
    /// `-`, of numbers.
    Neg,
    /// `!`, of `bool`s, and of the bits of integers.
    Not,
}

/// An infix operator, of values or of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: rounds down for sizes, and towards zero for integer values, as in Rust.
    Div,
    /// `%`: the remainder that belongs to [`Binary::Div`].
    Rem,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`: arithmetic for signed types, logical for unsigned ones.
    Shr,
}

impl Binary {
    /// As Rust writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::BitAnd => "&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
        }
    }
}

/// Something wrong with a program, at a place in the user's source.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What is marked in the source, or the first token of it where `until` names the last.
    pub site: Site,
    /// Where what is wrong ends, if not where `site` does.
    pub until: Option<Site>,
    /// One line, what is wrong.
    pub message: String,
    /// Lines of explanation, printed after the message: what was found, and why it is wrong.
    pub notes: Vec<String>,
    /// Lines that say what to do instead; those that propose an edit keep to the forms in `tests/suggestions.rs`.
    pub helps: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic of one line, at one place.
    pub fn new(site: Site, message: impl Into<String>) -> Diagnostic {
        Diagnostic { site, until: None, message: message.into(), notes: vec![], helps: vec![] }
    }

    /// Extends the marked source from `site` to the end of `last`.
    pub fn until(self, last: Site) -> Diagnostic {
        Diagnostic { until: Some(last), ..self }
    }

    /// Adds an explanation.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds a way out.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.helps.push(help.into());
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        self.notes.iter().try_for_each(|n| write!(f, "\n= note: {n}"))?;
        self.helps.iter().try_for_each(|h| write!(f, "\n= help: {h}"))
    }
}
