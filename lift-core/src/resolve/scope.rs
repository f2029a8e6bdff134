//! What names mean at a place.

use crate::expr::Local;
use crate::nat::{Nat, Var};
use crate::syntax::Expr;
use std::collections::HashMap;
use std::rc::Rc;

/// What a name stands for.
#[derive(Clone)]
pub enum Binding {
    /// A value.
    Local(Local),
    /// An index, from a function of an index.
    Index(Var),
    /// `let half = N / 2;`
    Size(Nat),
    /// A function bound by `let`, with the scope it was written in.
    Function(Rc<(Expr, Scope)>),
    /// A mistake was reported where it was bound: say no more.
    Poison,
}

/// An immutable map; inner scopes are made from outer ones.
#[derive(Clone, Default)]
pub struct Scope {
    names: HashMap<String, Binding>,
}

impl Scope {
    /// The scope with one name more, which hides another of the same spelling.
    pub fn with(&self, name: &str, binding: Binding) -> Scope {
        let mut inner = self.clone();
        inner.names.insert(name.to_string(), binding);
        inner
    }

    /// What a name stands for here; `None` if nothing binds it.
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.names.get(name)
    }

    /// All names that are bound here, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }
}
