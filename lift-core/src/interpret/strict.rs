//! Evaluation that believes nothing: every value is compared with its type, and every primitive's operands with
//! what the table demands of them. Much slower; it is how tests find out what the checker should have
//! refused.

use super::{Environment, Interpreter};
use crate::datum::{Datum, Failure};
use crate::expr::{Argument, Expr};
use crate::nat::{EvalError, Nat, Var};
use crate::primitives::Primitive;
use crate::primitives::meaning::Operand;
use crate::primitives::signature::{self, Pattern};
use crate::types::Type;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

impl Environment {
    /// Has the value exactly the shape that its type says?
    pub(super) fn fits(&self, datum: &Datum, ty: &Type) -> Result<(), Failure> {
        match (datum, ty) {
            (Datum::Scalar(value), Type::Scalar(s)) if value.scalar() == *s => Ok(()),
            (Datum::Index(_), Type::Index) => Ok(()),
            (Datum::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                parts.iter().zip(types.iter()).try_for_each(|(part, ty)| self.fits(part, ty))
            }
            (Datum::Array(elements), Type::Array(element, length) | Type::Vector(element, length)) => {
                let wanted = length.eval(&|v| self.indices.get(v).copied());
                if wanted.as_ref().ok().and_then(|n| usize::try_from(*n).ok()) != Some(elements.len()) {
                    let found = elements.len();
                    return Err(Failure::new(format!("{found} elements, but {ty} has {wanted:?}")));
                }
                elements.iter().try_for_each(|e| self.fits(e, element))
            }
            _ => Err(Failure::new(format!("{datum:?} is not {ty}"))),
        }
    }
}

impl Interpreter<'_> {
    /// Do the operands fit the primitive's signature, and each other?
    pub(super) fn demanded(
        &self,
        primitive: Primitive,
        arguments: &[Argument],
        operands: &[Operand],
    ) -> Result<(), Failure> {
        let first = arguments.iter().find_map(|a| match a {
            Argument::Value(e) => (self.types)(e.id),
            _ => None,
        });
        let signature = match (primitive.signature_of_arrays(), &first) {
            (Some(arrays), Some(Type::Array(..))) => Cow::Borrowed(arrays),
            _ => primitive.signature(operand_count(&first, arguments)),
        };
        let mut sizes = HashMap::new();
        for (wanted, operand) in signature.arguments.iter().zip(operands) {
            if let (signature::Argument::Size(name), Operand::Size(n)) = (wanted, operand) {
                sizes.insert(name.clone(), *n);
            }
        }
        for (wanted, operand) in signature.arguments.iter().zip(operands) {
            if let (signature::Argument::Value(pattern), Operand::Value(datum)) = (wanted, operand) {
                shaped(datum, pattern, &mut sizes)
                    .map_err(|problem| Failure::new(format!("`{}`: {problem}", primitive.name)))?;
            }
        }
        for (condition, message) in &signature.requires {
            match condition.eval(&|v: &Var| sizes.get(&*v.name).copied()) {
                // An empty array does not say how long its elements would be.
                Ok(true) | Err(EvalError::Unbound(_)) => {}
                found => {
                    let name = primitive.name;
                    return Err(Failure::new(format!("`{name}`: {message}: {condition} is {found:?}")));
                }
            }
        }
        Ok(())
    }

    /// Has the value of an expression the type that the checker found?
    pub(super) fn typed(&self, e: &Expr, datum: &Datum, env: &Environment) -> Result<(), Failure> {
        match (self.types)(e.id) {
            Some(ty) => env.fits(datum, &ty).map_err(|problem| Failure::new(format!("{e}: {problem}"))),
            None => Err(Failure::new(format!("{e} has no type"))),
        }
    }
}

/// `unzip` has as many results as its tuples have parts.
fn operand_count(first: &Option<Type>, arguments: &[Argument]) -> usize {
    match first.as_ref().and_then(Type::as_array) {
        Some((Type::Tuple(parts), _)) if arguments.len() == 1 => parts.len(),
        _ => arguments.len(),
    }
}

/// Binds the lengths in a pattern to those of the value; those bound before must be the same.
fn shaped(datum: &Datum, pattern: &Pattern, sizes: &mut HashMap<Arc<str>, i64>) -> Result<(), Failure> {
    match (datum, pattern) {
        (_, Pattern::Variable(_)) => Ok(()),
        (Datum::Scalar(value), Pattern::Scalar(scalar)) if value.scalar() == *scalar => Ok(()),
        (Datum::Array(elements), Pattern::Array(element, length) | Pattern::Vector(element, length)) => {
            agreed(length, elements.len() as i64, sizes)?;
            elements.iter().try_for_each(|e| shaped(e, element, sizes))
        }
        (Datum::Tuple(parts), Pattern::Tuple(patterns)) if parts.len() == patterns.len() => {
            parts.iter().zip(patterns).try_for_each(|(part, p)| shaped(part, p, sizes))
        }
        _ => Err(Failure::new(format!("{datum:?} is not {pattern:?}"))),
    }
}

/// Binds a length that is a bare variable, or compares it with the value that it has.
fn agreed(length: &Nat, found: i64, sizes: &mut HashMap<Arc<str>, i64>) -> Result<(), Failure> {
    if let Some(v) = length.as_var()
        && !sizes.contains_key(&*v.name)
    {
        sizes.insert(v.name.clone(), found);
        return Ok(());
    }
    match length.eval(&|v: &Var| sizes.get(&*v.name).copied()) {
        Ok(wanted) if wanted == found => Ok(()),
        wanted => Err(Failure::new(format!("{found} elements where {length} = {wanted:?} are needed"))),
    }
}
