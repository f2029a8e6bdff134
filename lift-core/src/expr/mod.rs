//! The typed expression: an immutable tree, names resolved, ready to be checked and rewritten.
//!
//! Nodes carry a number that is unique in their function; what a stage finds out about a node
//! stands in a table beside the tree, keyed by that number, never in the tree.

mod path;
mod print;
mod walk;

pub use path::{Child, Path, Stop};

use crate::nat::{Condition, Nat, Relation, Var};
use crate::primitives::Primitive;
use crate::scalar::{Op, Value};
use crate::syntax::Site;
use crate::types::{Scalar, Type};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A node's number, dense from 0 within a function (see [`Function::number`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// A variable that holds a value: a parameter, or bound by a lambda or a `let`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Local {
    /// What the user called it.
    pub name: Arc<str>,
    /// Tells apart variables of one name.
    pub index: u32,
}

/// An expression: a place in the source, and a form. Cloning it shares the tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Expr {
    /// Its number, by which stages keep what they find out about it.
    pub id: NodeId,
    /// Where it stands in the user's source.
    pub site: Site,
    /// Its form.
    pub kind: Arc<Kind>,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// The value of a variable.
    Local(Local),
    /// A number, or a `bool`.
    Literal(Literal),
    /// A constant array, outer dimension first.
    Array(Vec<Expr>),
    /// A size or index as a value.
    Size(Nat),
    /// A condition on sizes and indices as a value.
    Test(Condition),
    /// `{ let pattern = value; body }`
    Let(Pattern, Expr, Expr),
    /// `(x, y, …)`
    Tuple(Vec<Expr>),
    /// `x.0`, counted from 0.
    Field(Expr, usize),
    /// An operator or function of scalars.
    Op(Op, Vec<Expr>),
    /// `x as f32`
    Cast(Expr, Scalar),
    /// `if condition { then } else { otherwise }`, in this order.
    If(Expr, Expr, Expr),
    /// A primitive with its arguments, as many as its signature says.
    Apply(Primitive, Vec<Argument>),
    /// A call of another function of the block; inlined once types are known. Its sizes as far as they
    /// are given: none at all, or one for each, `None` where it follows from elsewhere.
    Call(Arc<str>, Vec<Option<Nat>>, Vec<Expr>),
    /// A type that the user wrote: `let x: f32 = …`.
    Typed(Expr, Type),
}

/// A number as it was written; without a suffix its type comes from its place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Literal {
    /// An integer without a suffix: of any integer type that its place asks for.
    Int(i128),
    /// A float without a suffix: of any float type that its place asks for.
    Float(#[serde(with = "crate::scalar::bits64")] f64),
    /// A value whose type is known.
    Exact(Value),
}

/// As texts: NaN is the same literal as NaN, though no equal number.
impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        match (self, other) {
            (Literal::Int(a), Literal::Int(b)) => a == b,
            (Literal::Float(a), Literal::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Literal::Exact(a), Literal::Exact(b)) => {
                let both_nan = a.to_f64().is_nan() && b.to_f64().is_nan();
                a == b || (both_nan && a.scalar() == b.scalar())
            }
            (Literal::Int(_) | Literal::Float(_) | Literal::Exact(_), _) => false,
        }
    }
}

/// What a primitive is applied to, in the order of its signature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Argument {
    /// A size.
    Size(Nat),
    /// A value.
    Value(Expr),
    /// A function of values.
    Function(Lambda),
    /// A function of an index, with an index as its result.
    Index(Var, Nat),
    /// A function of an index, with a value as its result.
    Generator(Var, Expr),
}

/// `|params| body`
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lambda {
    /// Where it stands in the user's source.
    pub site: Site,
    /// The patterns that take its arguments.
    pub params: Vec<Pattern>,
    /// Its result.
    pub body: Expr,
}

/// What a lambda or a `let` binds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Pattern {
    /// A variable for the whole value.
    Local(Local),
    /// `_`
    Wild,
    /// One pattern for each component.
    Tuple(Vec<Pattern>),
    /// A pattern with a type that the user wrote.
    Typed(Box<Pattern>, Type),
}

/// A function: the unit that is checked, and after inlining the unit that is run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Its name, without `r#`.
    pub name: Arc<str>,
    /// Where the name stands.
    pub site: Site,
    /// Its size parameters, in the order of `<…>`.
    pub sizes: Vec<Size>,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// The type of its result.
    pub result: Type,
    /// Where the result's type stands.
    pub result_site: Site,
    /// Its `where` clauses, with their places.
    pub wheres: Vec<(Condition, Site)>,
    /// What it computes.
    pub body: Expr,
    /// Reductions of floats keep their order.
    pub strict: bool,
}

/// A size parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Size {
    /// The variable that stands for it in lengths.
    pub var: Var,
    /// Where it is declared.
    pub site: Site,
    /// The range of a `tune` parameter; `None` for a size that arguments or callers determine.
    pub tune: Option<Tune>,
}

/// What a tune parameter may be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Tune {
    /// Every number from the first to the last.
    Span(Nat, Nat),
    /// These numbers.
    List(Arc<[Nat]>),
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Param {
    /// The variable that has its value.
    pub local: Local,
    /// Its type.
    pub ty: Type,
    /// Where the type stands.
    pub site: Site,
    /// Is it declared `const`: are its values the same from run to run, as weights are?
    pub constant: bool,
}

impl Literal {
    /// The literal as a value of the type its place asks for.
    pub fn value(self, scalar: Scalar) -> Value {
        match self {
            Literal::Int(n) => Value::from_integer(n, scalar),
            Literal::Float(x) => Value::from_f64(x, scalar),
            Literal::Exact(value) => value,
        }
    }
}

impl Expr {
    /// An expression that is not numbered yet.
    pub fn new(site: Site, kind: Kind) -> Expr {
        Expr { id: NodeId::default(), site, kind: Arc::new(kind) }
    }

    /// The same place, another meaning.
    pub fn with(&self, kind: Kind) -> Expr {
        Expr::new(self.site, kind)
    }

    /// The value of a variable, at no place in particular.
    pub fn local(local: &Local) -> Expr {
        Expr::new(Site::default(), Kind::Local(local.clone()))
    }
}

impl Pattern {
    /// The variables it binds, from left to right.
    pub fn locals(&self) -> Vec<&Local> {
        match self {
            Pattern::Local(local) => vec![local],
            Pattern::Wild => vec![],
            Pattern::Tuple(parts) => parts.iter().flat_map(Pattern::locals).collect(),
            Pattern::Typed(inner, _) => inner.locals(),
        }
    }
}

impl Function {
    /// The smallest value that a size may have: 1, unless a `where` clause says that it may be 0.
    pub fn least(&self, size: &Var) -> i64 {
        if self.wheres.iter().any(|(clause, _)| allows_zero(clause, size)) { 0 } else { 1 }
    }
}

/// `P >= 0`, however it is written, by itself or with `&&`.
pub fn allows_zero(clause: &Condition, size: &Var) -> bool {
    let bound = |n: &Nat, least: &Nat, by: i64| {
        n.as_var() == Some(size) && least.as_constant().is_some_and(|least| least.checked_add(by) == Some(0))
    };
    match clause {
        Condition::And(parts) => parts.iter().any(|part| allows_zero(part, size)),
        Condition::Compare(Relation::Ge, n, least) | Condition::Compare(Relation::Le, least, n) => {
            bound(n, least, 0)
        }
        Condition::Compare(Relation::Gt, n, less) | Condition::Compare(Relation::Lt, less, n) => {
            bound(n, less, 1)
        }
        Condition::Compare(Relation::Eq | Relation::Ne, ..) | Condition::Or(_) | Condition::Not(_) => false,
    }
}
