//! The reference meaning of a program: a direct evaluation over plain values, without regard for
//! speed. Every other execution is compared with it.

mod strict;

use crate::datum::{Datum, Failure};
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Literal, Local, NodeId, Pattern};
use crate::nat::{Condition, EvalError, Nat, Var};
use crate::primitives::meaning::{Operand, Operands};
use crate::scalar::Value;
use crate::types::Type;
use std::collections::HashMap;

/// The variables in scope.
#[derive(Clone, Default)]
pub struct Environment {
    locals: HashMap<Local, Datum>,
    indices: HashMap<Var, i64>,
}

impl Environment {
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
    /// Are facts that the checker has proved tested again?
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

/// The number of scalars in the largest value that [`run`] makes at these sizes, a measure of its memory.
pub fn largest(
    function: &Function,
    types: &dyn Fn(NodeId) -> Option<Type>,
    sizes: &dyn Fn(&Var) -> Option<i64>,
) -> u128 {
    let numbers = |ty: &Type| match ty.scalars().eval(sizes) {
        Ok(count) => u128::try_from(count).unwrap_or(0),
        Err(EvalError::Overflow) => u128::MAX,
        // It depends on an index: what it is part of counts.
        Err(_) => 0,
    };
    let mut most = function.params.iter().map(|param| numbers(&param.ty)).max().unwrap_or(0);
    function.body.visit(&mut |e| most = most.max(types(e.id).as_ref().map_or(0, numbers)));
    most
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
                let condition = self.eval(condition, env)?;
                if let Datum::Array(lanes) = &condition {
                    return chosen(lanes, &self.eval(then, env)?, &self.eval(otherwise, env)?);
                }
                self.eval(if condition.scalar()?.is_true() { then } else { otherwise }, env)
            }
            Kind::Apply(primitive, arguments) => {
                let operands: Result<Vec<Operand>, Failure> =
                    arguments.iter().map(|a| self.operand(a, env)).collect();
                let (operands, result) = (operands?, (self.types)(e.id));
                if self.strict {
                    self.demanded(*primitive, arguments, &operands)?;
                }
                (primitive.meaning)(&Operands::new(operands, result, &|v| env.indices.get(v).copied()))
            }
            Kind::Call(name, ..) => Err(Failure::new(format!("the call of `{name}` was not inlined"))),
            Kind::Typed(inner, _) => self.eval(inner, env),
        }
    }

    fn all(&self, es: &[Expr], env: &Environment) -> Result<Vec<Datum>, Failure> {
        es.iter().map(|e| self.eval(e, env)).collect()
    }

    fn operand<'b>(&'b self, argument: &'b Argument, env: &'b Environment) -> Result<Operand<'b>, Failure> {
        Ok(match argument {
            Argument::Size(n) => Operand::Size(self.nat(n, env)?),
            Argument::Value(e) => Operand::Value(self.eval(e, env)?),
            Argument::Function(lambda) => {
                Operand::Function(Box::new(|arguments| self.call(lambda, arguments, env)))
            }
            Argument::Index(var, body) => {
                Operand::Index(Box::new(|i| self.nat(body, &env.with_index(var, i))))
            }
            Argument::Generator(var, body) => {
                Operand::Generator(Box::new(|i| self.eval(body, &env.with_index(var, i))))
            }
        })
    }

    fn call(&self, lambda: &Lambda, arguments: &[Datum], env: &Environment) -> Result<Datum, Failure> {
        let mut inner = env.clone();
        for (pattern, argument) in lambda.params.iter().zip(arguments) {
            inner.bind(pattern, argument)?;
        }
        self.eval(&lambda.body, &inner)
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

/// What each lane of a condition chooses: scalars stand for each lane, tuples are chosen part by part.
fn chosen(lanes: &[Datum], then: &Datum, otherwise: &Datum) -> Result<Datum, Failure> {
    if let (Datum::Tuple(a), Datum::Tuple(b)) = (then, otherwise) {
        let parts: Result<Vec<Datum>, Failure> =
            a.iter().zip(b.iter()).map(|(a, b)| chosen(lanes, a, b)).collect();
        return Ok(Datum::Tuple(parts?.into()));
    }
    let values: Result<Vec<Datum>, Failure> = lanes
        .iter()
        .enumerate()
        .map(|(k, lane)| match if lane.scalar()?.is_true() { then } else { otherwise } {
            Datum::Array(elements) => {
                elements.get(k).cloned().ok_or_else(|| Failure::new(format!("no lane {k}")))
            }
            scalar => Ok(scalar.clone()),
        })
        .collect();
    Ok(Datum::array(values?))
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
