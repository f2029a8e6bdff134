//! The typed expression: an immutable tree, names resolved, ready to be checked and rewritten.
//!
//! Nodes carry a number that is unique in their function; what a stage finds out about a node
//! stands in a table beside the tree, keyed by that number, never in the tree.

mod print;
mod walk;

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
    pub name: Arc<str>,
    /// Tells apart variables of one name.
    pub index: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Expr {
    pub id: NodeId,
    pub site: Site,
    pub kind: Arc<Kind>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Kind {
    Local(Local),
    Literal(Literal),
    /// A constant array, outer dimension first.
    Array(Vec<Expr>),
    /// A size or index as a value.
    Size(Nat),
    /// A condition on sizes and indices as a value.
    Test(Condition),
    Let(Pattern, Expr, Expr),
    Tuple(Vec<Expr>),
    Field(Expr, usize),
    /// An operator or function of scalars.
    Op(Op, Vec<Expr>),
    Cast(Expr, Scalar),
    If(Expr, Expr, Expr),
    Apply(Primitive, Vec<Argument>),
    /// A call of another function of the block; inlined once types are known. Its sizes as far as they
    /// are given: none at all, or one for each, `None` where it follows from elsewhere.
    Call(Arc<str>, Vec<Option<Nat>>, Vec<Expr>),
    /// A type that the user wrote: `let x: f32 = …`.
    Typed(Expr, Type),
}

/// A number as it was written; without a suffix its type comes from its place.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Literal {
    Int(i128),
    Float(#[serde(with = "crate::scalar::bits64")] f64),
    Exact(Value),
}

/// What a primitive is applied to, in the order of its signature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Argument {
    Size(Nat),
    Value(Expr),
    Function(Lambda),
    /// A function of an index, with an index as its result.
    Index(Var, Nat),
    /// A function of an index, with a value as its result.
    Generator(Var, Expr),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lambda {
    pub site: Site,
    pub params: Vec<Pattern>,
    pub body: Expr,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Pattern {
    Local(Local),
    Wild,
    Tuple(Vec<Pattern>),
    Typed(Box<Pattern>, Type),
}

/// A function: the unit that is checked, and after inlining the unit that is run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: Arc<str>,
    pub site: Site,
    pub sizes: Vec<Size>,
    pub params: Vec<Param>,
    pub result: Type,
    /// Where the result's type stands.
    pub result_site: Site,
    pub wheres: Vec<(Condition, Site)>,
    pub body: Expr,
    /// Reductions of floats keep their order.
    pub strict: bool,
}

/// A size parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Size {
    pub var: Var,
    pub site: Site,
    pub tune: Option<Tune>,
}

/// What a tune parameter may be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Tune {
    Span(Nat, Nat),
    List(Vec<Nat>),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Param {
    pub local: Local,
    pub ty: Type,
    pub site: Site,
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
    pub fn new(site: Site, kind: Kind) -> Expr {
        Expr { id: NodeId::default(), site, kind: Arc::new(kind) }
    }

    /// The same place, another meaning.
    pub fn with(&self, kind: Kind) -> Expr {
        Expr::new(self.site, kind)
    }

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
        n.as_var() == Some(size) && least.as_constant().is_some_and(|least| least + by == 0)
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
