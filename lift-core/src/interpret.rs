//! The reference meaning of a program: a direct evaluation over plain values, with no care for
//! speed. What every other execution is compared with.

mod strict;

use crate::expr::{Argument, Expr, Function, Kind, Lambda, Literal, Local, NodeId, Pattern};
use crate::nat::{Condition, Nat, Var};
use crate::scalar::Value;
use crate::types::{Scalar, Type};
use std::collections::HashMap;
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

/// What a primitive's meaning is given for each of its arguments.
pub enum Operand<'a> {
    /// A size.
    Size(i64),
    /// A value.
    Value(Datum),
    /// A lambda, with what evaluates it and the variables where it stands.
    Function(&'a Interpreter<'a>, &'a Lambda, Environment),
    /// A function from index to index, likewise.
    Index(&'a Interpreter<'a>, &'a Var, &'a Nat, Environment),
    /// A function from an index to a value, likewise.
    Generator(&'a Interpreter<'a>, &'a Var, &'a Expr, Environment),
}

/// All that a primitive is applied to, and what its result is to be.
pub struct Operands<'a> {
    operands: Vec<Operand<'a>>,
    result: Option<Type>,
    environment: Environment,
}

impl<'a> std::ops::Deref for Operands<'a> {
    type Target = [Operand<'a>];
    fn deref(&self) -> &[Operand<'a>] {
        &self.operands
    }
}

impl Operands<'_> {
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
            (Datum::Scalar(_), Some((element, _))) => self.environment.filled(value, element),
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
        let Operand::Function(interpreter, lambda, environment) = self else {
            return Err(Failure::new("not a function"));
        };
        let mut inner = environment.clone();
        for (pattern, argument) in lambda.params.iter().zip(arguments) {
            inner.bind(pattern, argument)?;
        }
        interpreter.eval(&lambda.body, &inner)
    }

    /// Applies a function from index to index.
    pub fn index(&self, i: usize) -> Result<usize, Failure> {
        let Operand::Index(interpreter, var, body, environment) = self else {
            return Err(Failure::new("not an index function"));
        };
        let inner = environment.with_index(var, i as i64);
        usize::try_from(interpreter.nat(body, &inner)?).map_err(|_| Failure::new("a negative index"))
    }

    /// Applies a function from an index.
    pub fn generated(&self, i: usize) -> Result<Datum, Failure> {
        let Operand::Generator(interpreter, var, body, environment) = self else {
            return Err(Failure::new("not a function of an index"));
        };
        interpreter.eval(body, &environment.with_index(var, i as i64))
    }
}

/// The variables in scope.
#[derive(Clone, Default)]
pub struct Environment {
    locals: HashMap<Local, Datum>,
    indices: HashMap<Var, i64>,
}

impl Environment {
    fn filled(&self, value: &Datum, ty: &Type) -> Result<Datum, Failure> {
        match ty {
            Type::Array(element, length) => {
                let length = length.eval(&|v| self.indices.get(v).copied());
                let length = length.map_err(|e| Failure::new(format!("{ty}: {e:?}")))?;
                let element = self.filled(value, element)?;
                Ok(Datum::array(std::iter::repeat_n(element, usize::try_from(length).unwrap_or(0))))
            }
            Type::Tuple(parts) => {
                let parts: Result<Vec<_>, Failure> = parts.iter().map(|p| self.filled(value, p)).collect();
                Ok(Datum::tuple(parts?))
            }
            _ => Ok(value.clone()),
        }
    }

    fn with_index(&self, var: &Var, value: i64) -> Environment {
        let mut inner = self.clone();
        inner.indices.insert(var.clone(), value);
        inner
    }

    fn bind(&mut self, pattern: &Pattern, datum: &Datum) -> Result<(), Failure> {
        match pattern {
            Pattern::Local(local) => {
                self.locals.insert(local.clone(), datum.clone());
            }
            Pattern::Wild => {}
            Pattern::Typed(inner, _) => self.bind(inner, datum)?,
            Pattern::Tuple(patterns) => {
                for (inner, part) in patterns.iter().zip(datum.parts()?.iter()) {
                    self.bind(inner, part)?;
                }
            }
        }
        Ok(())
    }
}

/// Evaluates a function without calls, whose nodes have the given types.
pub struct Interpreter<'a> {
    types: &'a dyn Fn(NodeId) -> Option<Type>,
    /// Is nothing taken for granted that the checker has proved?
    strict: bool,
}

/// Applies a checked function to sizes and arguments.
pub fn run(
    function: &Function,
    types: &dyn Fn(NodeId) -> Option<Type>,
    sizes: &[(Var, i64)],
    arguments: &[Datum],
) -> Result<Datum, Failure> {
    applied(&Interpreter { types, strict: false }, function, sizes, arguments)
}

/// [`run`], where every value and every operand is compared with what its type says: for tests of the checker.
pub fn run_strictly(
    function: &Function,
    types: &dyn Fn(NodeId) -> Option<Type>,
    sizes: &[(Var, i64)],
    arguments: &[Datum],
) -> Result<Datum, Failure> {
    applied(&Interpreter { types, strict: true }, function, sizes, arguments)
}

fn applied(
    interpreter: &Interpreter,
    function: &Function,
    sizes: &[(Var, i64)],
    arguments: &[Datum],
) -> Result<Datum, Failure> {
    let mut environment = Environment::default();
    environment.indices.extend(sizes.iter().cloned());
    for (param, argument) in function.params.iter().zip(arguments) {
        environment.locals.insert(param.local.clone(), argument.clone());
    }
    let result = interpreter.eval(&function.body, &environment)?;
    if interpreter.strict {
        environment.fits(&result, &function.result)?;
    }
    Ok(result)
}

impl Interpreter<'_> {
    fn eval(&self, e: &Expr, env: &Environment) -> Result<Datum, Failure> {
        let datum = self.value(e, env)?;
        if self.strict {
            self.typed(e, &datum, env)?;
        }
        Ok(datum)
    }

    fn value(&self, e: &Expr, env: &Environment) -> Result<Datum, Failure> {
        match &*e.kind {
            Kind::Local(local) => env
                .locals
                .get(local)
                .cloned()
                .ok_or_else(|| Failure::new(format!("`{}` is unbound", local.name))),
            Kind::Literal(literal) => self.literal(*literal, e.id),
            Kind::Array(elements) => Ok(Datum::array(self.all(elements, env)?)),
            Kind::Size(n) => Ok(Datum::Index(self.nat(n, env)?)),
            Kind::Test(c) => Ok(Datum::Scalar(Value::Bool(self.test(c, env)?))),
            Kind::Let(pattern, value, body) => {
                let mut inner = env.clone();
                inner.bind(pattern, &self.eval(value, env)?)?;
                self.eval(body, &inner)
            }
            Kind::Tuple(parts) => Ok(Datum::tuple(self.all(parts, env)?)),
            Kind::Field(tuple, k) => {
                let parts = self.eval(tuple, env)?.parts()?;
                parts.get(*k).cloned().ok_or_else(|| Failure::new(format!("no field {k}")))
            }
            Kind::Op(op, operands) => {
                let operands = self.all(operands, env)?;
                each_element(&operands, &|values| {
                    op.apply(values).ok_or_else(|| Failure::new(format!("{op:?} of {values:?}")))
                })
            }
            Kind::Cast(inner, to) => match self.eval(inner, env)? {
                Datum::Index(i) => Ok(Datum::Scalar(Value::from_integer(i as i128, *to))),
                other => each_element(&[other], &|values| Ok(values[0].cast(*to))),
            },
            Kind::If(condition, then, otherwise) => {
                let chosen = if self.eval(condition, env)?.scalar()?.is_true() { then } else { otherwise };
                self.eval(chosen, env)
            }
            Kind::Apply(primitive, arguments) => {
                let operands: Result<Vec<Operand>, Failure> =
                    arguments.iter().map(|a| self.operand(a, env)).collect();
                let (operands, result) = (operands?, (self.types)(e.id));
                if self.strict {
                    self.demanded(*primitive, arguments, &operands)?;
                }
                (primitive.meaning)(&Operands { operands, result, environment: env.clone() })
            }
            Kind::Call(name, ..) => Err(Failure::new(format!("the call of `{name}` was not inlined"))),
            Kind::Typed(inner, _) => self.eval(inner, env),
        }
    }

    fn all(&self, es: &[Expr], env: &Environment) -> Result<Vec<Datum>, Failure> {
        es.iter().map(|e| self.eval(e, env)).collect()
    }

    fn operand<'b>(&'b self, argument: &'b Argument, env: &Environment) -> Result<Operand<'b>, Failure> {
        Ok(match argument {
            Argument::Size(n) => Operand::Size(self.nat(n, env)?),
            Argument::Value(e) => Operand::Value(self.eval(e, env)?),
            Argument::Function(lambda) => Operand::Function(self, lambda, env.clone()),
            Argument::Index(var, body) => Operand::Index(self, var, body, env.clone()),
            Argument::Generator(var, body) => Operand::Generator(self, var, body, env.clone()),
        })
    }

    fn literal(&self, literal: Literal, id: NodeId) -> Result<Datum, Failure> {
        let scalar = match (self.types)(id) {
            Some(Type::Scalar(scalar)) => scalar,
            other => return Err(Failure::new(format!("a literal of type {other:?}"))),
        };
        Ok(Datum::Scalar(literal.value(scalar)))
    }

    fn nat(&self, n: &Nat, env: &Environment) -> Result<i64, Failure> {
        n.eval(&|v| env.indices.get(v).copied()).map_err(|e| Failure::new(format!("{n}: {e:?}")))
    }

    fn test(&self, c: &Condition, env: &Environment) -> Result<bool, Failure> {
        c.eval(&|v| env.indices.get(v).copied()).map_err(|e| Failure::new(format!("{c}: {e:?}")))
    }
}

/// Applies an operation on scalars to the elements of vectors; a scalar stands for each element.
fn each_element(
    operands: &[Datum],
    operation: &dyn Fn(&[Value]) -> Result<Value, Failure>,
) -> Result<Datum, Failure> {
    let widths = operands.iter().filter_map(|operand| match operand {
        Datum::Array(elements) => Some(elements.len()),
        _ => None,
    });
    let Some(width) = widths.min() else {
        let values: Result<Vec<Value>, Failure> = operands.iter().map(Datum::scalar).collect();
        return Ok(Datum::Scalar(operation(&values?)?));
    };
    let element = |i: usize| {
        let values: Result<Vec<Value>, Failure> = operands
            .iter()
            .map(|operand| match operand {
                Datum::Array(elements) => elements[i].scalar(),
                scalar => scalar.scalar(),
            })
            .collect();
        Ok(Datum::Scalar(operation(&values?)?))
    };
    let elements: Result<Vec<Datum>, Failure> = (0..width).map(element).collect();
    Ok(Datum::array(elements?))
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
