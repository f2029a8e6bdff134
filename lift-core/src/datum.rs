//! Values as the interpreter and the meanings of primitives have them.

use crate::scalar::Value;
use std::rc::Rc;

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A scalar.
    Scalar(Value),
    /// A size or index as a value.
    Index(i64),
    /// The components.
    Tuple(Rc<[Datum]>),
    /// An array, or a vector.
    Array(Rc<[Datum]>),
}

/// Why an evaluation stopped. Never happens to a checked program at sizes that it admits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    /// Why an evaluation stopped, in words.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure(message.into())
    }
}

impl Datum {
    /// An array of these elements.
    pub fn array(elements: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::Array(elements.into_iter().collect())
    }

    /// A tuple of these components.
    pub fn tuple(parts: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::Tuple(parts.into_iter().collect())
    }

    /// The elements of an array or vector.
    ///
    /// # Errors
    /// It is no array.
    pub fn elements(&self) -> Result<Rc<[Datum]>, Failure> {
        match self {
            Datum::Array(elements) => Ok(elements.clone()),
            other => Err(Failure::new(format!("{other:?} is not an array"))),
        }
    }

    /// The components of a tuple.
    ///
    /// # Errors
    /// It is no tuple.
    pub fn parts(&self) -> Result<Rc<[Datum]>, Failure> {
        match self {
            Datum::Tuple(parts) => Ok(parts.clone()),
            other => Err(Failure::new(format!("{other:?} is not a tuple"))),
        }
    }

    /// The value of a scalar.
    ///
    /// # Errors
    /// It is no scalar.
    pub fn scalar(&self) -> Result<Value, Failure> {
        match self {
            Datum::Scalar(value) => Ok(*value),
            other => Err(Failure::new(format!("{other:?} is not a scalar"))),
        }
    }

    /// An array of the given shape from its scalars, the last dimension fastest.
    pub fn from_scalars(shape: &[usize], scalars: &mut dyn Iterator<Item = Value>) -> Option<Datum> {
        match shape {
            [] => scalars.next().map(Datum::Scalar),
            [length, inner @ ..] => {
                let elements: Option<Vec<Datum>> =
                    (0..*length).map(|_| Datum::from_scalars(inner, scalars)).collect();
                elements.map(Datum::array)
            }
        }
    }

    /// All scalars in order.
    pub fn scalars(&self) -> Vec<Value> {
        match self {
            Datum::Scalar(value) => vec![*value],
            Datum::Index(i) => vec![Value::I64(*i)],
            Datum::Tuple(parts) | Datum::Array(parts) => parts.iter().flat_map(Datum::scalars).collect(),
        }
    }
}
