//! Constant evaluation: constants of the block, and the elements of arrays, are computed while compiling.

use super::Typed;
use crate::datum::Datum;
use crate::expr::{Argument, Expr, Function, Kind, Literal};
use crate::nat::Nat;
use crate::primitives::Primitive;
use crate::scalar::Value;
use crate::syntax::Site;
use crate::types::Type;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Values of expressions that name nothing but constants.
pub struct Constants<'a> {
    /// All functions of the block, constants included.
    functions: &'a BTreeMap<String, Option<Function>>,
    /// Their types.
    typed: &'a BTreeMap<String, Typed>,
    /// The names of the constants.
    names: &'a HashSet<String>,
    /// Found before. `None`: it is not known while compiling, since it takes a primitive.
    known: HashMap<String, Option<Datum>>,
}

impl<'a> Constants<'a> {
    /// Nothing is computed yet: each constant is when it is first named.
    pub fn new(
        functions: &'a BTreeMap<String, Option<Function>>,
        typed: &'a BTreeMap<String, Typed>,
        names: &'a HashSet<String>,
    ) -> Constants<'a> {
        Constants { functions, typed, names, known: HashMap::new() }
    }

    /// The value of an expression in this function.
    pub fn value(&mut self, e: &Expr, owner: &str) -> Option<Datum> {
        match &*e.kind {
            Kind::Literal(literal) => match self.typed.get(owner)?.ty(e.id)? {
                Type::Scalar(scalar) => Some(Datum::Scalar(literal.value(*scalar))),
                _ => None,
            },
            Kind::Array(elements) => self.values(elements, owner).map(Datum::array),
            Kind::Tuple(parts) => self.values(parts, owner).map(Datum::tuple),
            Kind::Field(tuple, k) => self.value(tuple, owner)?.parts().ok()?.get(*k).cloned(),
            Kind::Test(condition) => {
                condition.eval(&|_| None).ok().map(|holds| Datum::Scalar(Value::Bool(holds)))
            }
            Kind::Op(op, operands) => {
                let operands = self.values(operands, owner)?;
                let operands: Option<Vec<Value>> = operands.iter().map(|x| x.scalar().ok()).collect();
                op.apply(&operands?).map(Datum::Scalar)
            }
            Kind::Cast(inner, to) => match &*inner.kind {
                Kind::Size(n) => Some(Datum::Scalar(Value::from_integer(n.as_constant()?.into(), *to))),
                _ => Some(Datum::Scalar(self.value(inner, owner)?.scalar().ok()?.cast(*to))),
            },
            Kind::If(condition, then, otherwise) => {
                let holds = self.value(condition, owner)?.scalar().ok()?.is_true();
                self.value(if holds { then } else { otherwise }, owner)
            }
            Kind::Typed(inner, _) => self.value(inner, owner),
            Kind::Call(name, ..) => self.constant(name),
            Kind::Local(_) | Kind::Size(_) | Kind::Let(..) | Kind::Apply(..) => None,
        }
    }

    /// The values of all of them, if every one is known.
    fn values(&mut self, es: &[Expr], owner: &str) -> Option<Vec<Datum>> {
        es.iter().map(|e| self.value(e, owner)).collect()
    }

    /// The value of a constant, computed once. Constants that name each other in a circle were refused before.
    fn constant(&mut self, name: &str) -> Option<Datum> {
        let name = self.names.get(name)?;
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let body = &self.functions.get(name)?.as_ref()?.body;
        let value = self.value(body, name);
        self.known.insert(name.clone(), value.clone());
        value
    }
}

/// Numbers, and arrays of them: what a kernel has as a table.
pub fn is_plain(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Literal(_) => true,
        Kind::Array(elements) => elements.iter().all(is_plain),
        _ => false,
    }
}

/// Can this be computed while compiling, as far as its form says?
pub fn is_computable(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Literal(_) | Kind::Test(_) | Kind::Size(_) => true,
        Kind::Call(_, _, arguments) => arguments.is_empty(),
        Kind::Local(_) | Kind::Let(..) | Kind::Apply(..) => false,
        Kind::Array(_)
        | Kind::Tuple(_)
        | Kind::Field(..)
        | Kind::Op(..)
        | Kind::Cast(..)
        | Kind::If(..)
        | Kind::Typed(..) => e.children().into_iter().all(is_computable),
    }
}

/// A value as an expression.
pub fn written(value: &Datum, site: Site) -> Expr {
    match value {
        Datum::Scalar(value) => Expr::new(site, Kind::Literal(Literal::Exact(*value))),
        Datum::Index(n) => Expr::new(site, Kind::Size(Nat::constant(*n))),
        Datum::Tuple(parts) => {
            Expr::new(site, Kind::Tuple(parts.iter().map(|part| written(part, site)).collect()))
        }
        Datum::Array(elements) => match components(elements) {
            Some(arrays) => {
                let arrays = arrays.iter().map(|array| Argument::Value(written(array, site))).collect();
                apply("zip", arrays, site)
            }
            None => {
                let elements: Vec<Expr> = elements.iter().map(|element| written(element, site)).collect();
                array_of(&elements, site)
            }
        },
    }
}

/// An array of tuples as one array for each component: so it is a table however long it is.
fn components(elements: &[Datum]) -> Option<Vec<Datum>> {
    let parts: Vec<_> = elements.iter().map(|e| e.parts().ok()).collect::<Option<_>>()?;
    let count = parts.first().map_or(0, |parts| parts.len());
    let component = |k: usize| Datum::array(parts.iter().map(|parts| parts[k].clone()));
    (count >= 2 && parts.iter().all(|p| p.len() == count)).then(|| (0..count).map(component).collect())
}

/// An array of these elements: a table of numbers, or one element after the other.
pub fn array_of(elements: &[Expr], site: Site) -> Expr {
    if elements.iter().all(is_plain) {
        return Expr::new(site, Kind::Array(elements.to_vec()));
    }
    let one = |e: &Expr| {
        let arguments = vec![Argument::Size(Nat::constant(1)), Argument::Value(e.clone())];
        apply("repeat", arguments, site)
    };
    match elements {
        [only] => one(only),
        _ => apply("concat", elements.iter().map(|e| Argument::Value(one(e))).collect(), site),
    }
}

fn apply(name: &str, arguments: Vec<Argument>, site: Site) -> Expr {
    Expr::new(site, Kind::Apply(Primitive::known(name), arguments))
}
