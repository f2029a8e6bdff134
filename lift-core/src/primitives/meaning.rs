//! The arguments of a primitive's meaning: evaluated operands, and functions that can be called.
//! How a function is evaluated is the interpreter's own affair, which the primitives need not know.

use crate::datum::{Datum, Failure};
use crate::nat::Var;
use crate::scalar::Value;
use crate::types::Type;
use std::rc::Rc;

/// A function of values, ready to be applied.
type Function<'a> = dyn Fn(&[Datum]) -> Result<Datum, Failure> + 'a;

/// An argument of a primitive's meaning.
pub enum Operand<'a> {
    /// A size.
    Size(i64),
    /// A value.
    Value(Datum),
    /// A function of values.
    Function(Box<Function<'a>>),
    /// A function from index to index.
    Index(Box<dyn Fn(i64) -> Result<i64, Failure> + 'a>),
    /// A function from an index to a value.
    Generator(Box<dyn Fn(i64) -> Result<Datum, Failure> + 'a>),
}

/// All that a primitive is applied to, and what its result is to be.
pub struct Operands<'a> {
    operands: Vec<Operand<'a>>,
    result: Option<Type>,
    /// The values of the sizes and indices in scope.
    sizes: &'a dyn Fn(&Var) -> Option<i64>,
}

impl<'a> std::ops::Deref for Operands<'a> {
    type Target = [Operand<'a>];
    fn deref(&self) -> &[Operand<'a>] {
        &self.operands
    }
}

impl<'a> Operands<'a> {
    /// What a primitive is applied to; `result`: the type of its result, if the checker has found it.
    pub fn new(
        operands: Vec<Operand<'a>>,
        result: Option<Type>,
        sizes: &'a dyn Fn(&Var) -> Option<i64>,
    ) -> Operands<'a> {
        Operands { operands, result, sizes }
    }

    /// How many parts the result has.
    pub fn parts(&self) -> usize {
        match &self.result {
            Some(Type::Tuple(parts)) => parts.len(),
            _ => 0,
        }
    }

    /// The number 0 of the result's type.
    pub fn zero(&self) -> Result<Datum, Failure> {
        match &self.result {
            Some(Type::Scalar(scalar)) => Ok(Datum::Scalar(Value::from_integer(0, *scalar))),
            other => Err(Failure::new(format!("0 as {other:?}"))),
        }
    }

    /// An element of the result all of whose scalars are this one; anything but a scalar is itself.
    pub fn filled(&self, value: &Datum) -> Result<Datum, Failure> {
        match (value, self.result.as_ref().and_then(Type::as_array)) {
            (Datum::Scalar(_), Some((element, _))) => filled(value, element, self.sizes),
            _ => Ok(value.clone()),
        }
    }
}

impl Operand<'_> {
    /// A size, which may be negative.
    ///
    /// # Errors
    /// It is no size.
    pub fn integer(&self) -> Result<i64, Failure> {
        match self {
            Operand::Size(n) => Ok(*n),
            _ => Err(Failure::new("not a size")),
        }
    }

    /// A size that counts something.
    ///
    /// # Errors
    /// It is no size, or negative.
    pub fn size(&self) -> Result<usize, Failure> {
        usize::try_from(self.integer()?).map_err(|_| Failure::new("a negative size"))
    }

    /// A value.
    ///
    /// # Errors
    /// It is a size or a function.
    pub fn value(&self) -> Result<&Datum, Failure> {
        match self {
            Operand::Value(datum) => Ok(datum),
            _ => Err(Failure::new("not a value")),
        }
    }

    /// The elements of an array.
    ///
    /// # Errors
    /// It is no array.
    pub fn array(&self) -> Result<Rc<[Datum]>, Failure> {
        self.value()?.elements()
    }

    /// Applies a function.
    pub fn call(&self, arguments: &[Datum]) -> Result<Datum, Failure> {
        match self {
            Operand::Function(function) => function(arguments),
            _ => Err(Failure::new("not a function")),
        }
    }

    /// Applies a function from index to index.
    pub fn index(&self, i: usize) -> Result<usize, Failure> {
        match self {
            Operand::Index(function) => {
                usize::try_from(function(i as i64)?).map_err(|_| Failure::new("a negative index"))
            }
            _ => Err(Failure::new("not an index function")),
        }
    }

    /// Applies a function from an index.
    pub fn generated(&self, i: usize) -> Result<Datum, Failure> {
        match self {
            Operand::Generator(function) => function(i as i64),
            _ => Err(Failure::new("not a function of an index")),
        }
    }
}

/// A value of this type all of whose scalars are the same.
fn filled(value: &Datum, ty: &Type, sizes: &dyn Fn(&Var) -> Option<i64>) -> Result<Datum, Failure> {
    match ty {
        Type::Array(element, length) => {
            let length = length.eval(sizes).map_err(|e| Failure::new(format!("{ty}: {e:?}")))?;
            let element = filled(value, element, sizes)?;
            Ok(Datum::array(std::iter::repeat_n(element, usize::try_from(length).unwrap_or(0))))
        }
        Type::Tuple(parts) => {
            let parts: Result<Vec<_>, Failure> = parts.iter().map(|p| filled(value, p, sizes)).collect();
            Ok(Datum::tuple(parts?))
        }
        Type::Scalar(_) | Type::Index | Type::Vector(..) | Type::Hole(_) => Ok(value.clone()),
    }
}
