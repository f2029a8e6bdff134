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

#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub site: Site,
}

/// `fn name<sizes>(params) -> result where … { body }`
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub sizes: Vec<SizeParam>,
    pub params: Vec<Param>,
    /// `None`: what the body gives.
    pub result: Option<TypeExpr>,
    pub wheres: Vec<Expr>,
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

#[derive(Clone, Debug)]
pub struct SizeParam {
    pub name: Name,
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

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub ty: TypeExpr,
    /// `const`: changes rarely (weights).
    pub constant: bool,
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub site: Site,
    pub kind: TypeKind,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Name(String),
    Array(Box<TypeExpr>, Box<Expr>),
    Tuple(Vec<TypeExpr>),
}

impl TypeExpr {
    /// Does a length in it name this size?
    pub fn mentions(&self, size: &str) -> bool {
        match &self.kind {
            TypeKind::Name(_) => false,
            TypeKind::Array(element, length) => element.mentions(size) || length.mentions(size),
            TypeKind::Tuple(parts) => parts.iter().any(|p| p.mentions(size)),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub site: Site,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `x`, or a path such as `f32::INFINITY` as it was written, without spaces.
    Name(String),
    Int(u128, Option<Scalar>),
    Float(f64, Option<Scalar>),
    Bool(bool),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>, TypeExpr),
    /// `callee(arguments)`; a method call `x.f(y)` arrives as `f(x, y)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `name::<N, _>`: a function with sizes that are given.
    Sized(String, GivenSizes),
    Field(Box<Expr>, usize),
    /// `xs[i]`
    Index(Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    Lambda(Vec<Pattern>, Box<Expr>),
    /// `{ let …; let …; tail }`
    Block(Vec<Let>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// What stands in `::<…>` after a function's name.
#[derive(Clone, Debug)]
pub struct GivenSizes {
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

#[derive(Clone, Debug)]
pub struct Let {
    pub pattern: Pattern,
    pub ty: Option<TypeExpr>,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    pub site: Site,
    pub kind: PatternKind,
    /// `|x: f32|`
    pub ty: Option<TypeExpr>,
}

#[derive(Clone, Debug)]
pub enum PatternKind {
    Name(String),
    Wild,
    Tuple(Vec<Pattern>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unary {
    Neg,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

impl Binary {
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
    pub site: Site,
    /// Where what is wrong ends, if not where `site` does.
    pub until: Option<Site>,
    /// One line, what is wrong.
    pub message: String,
    pub notes: Vec<String>,
    pub helps: Vec<String>,
}

impl Diagnostic {
    pub fn new(site: Site, message: impl Into<String>) -> Diagnostic {
        Diagnostic { site, until: None, message: message.into(), notes: vec![], helps: vec![] }
    }

    pub fn until(self, last: Site) -> Diagnostic {
        Diagnostic { until: Some(last), ..self }
    }

    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

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
