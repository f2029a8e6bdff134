//! Scalars: computed where they are needed, held in a variable where they are needed again.
//!
//! Loads and operations stay expressions as long as that repeats no work: a value that is used again gets a
//! variable, and only a branch that takes statements to compute becomes an `if` statement.

use super::view::{Step, View};
use super::{Environment, Generator, Result, Unsupported};
use crate::expr::Pattern;
use crate::kernel::{self, Stmt};
use crate::low::{Read, Reading};
use crate::nat::Condition;
use crate::scalar::Op;
use crate::types::Scalar;
use std::rc::Rc;

impl Generator {
    /// The value of a scalar expression.
    pub fn compute(&mut self, e: &Read, env: &Environment) -> Result<kernel::Expr> {
        match &e.kind {
            Reading::Op(op, operands) => {
                // `dot(x, y) + start`: the running value starts the chain of multiply-adds
                // instead of being added to their sum.
                if *op == Op::Add && !self.strict {
                    for (sum, start) in operands.iter().zip(operands.iter().rev()) {
                        let Some([x, y]) = self.factors(sum, env) else { continue };
                        let start = self.compute(start, env)?;
                        let (x, y) = (self.compute(x, env)?, self.compute(y, env)?);
                        return self.dot(Some(start), x, y);
                    }
                }
                let scalar = self.element_type(&operands[0], env)?;
                let operands: Result<Vec<_>> = operands.iter().map(|o| self.compute(o, env)).collect();
                self.operation(*op, scalar, operands?)
            }
            Reading::Cast(inner, to) => match self.view(inner, env)? {
                View::Index(n) => Ok(kernel::Expr::Index(self.facts.simplify(&n), *to)),
                view => {
                    let value = self.scalar(&view)?;
                    self.converted(value, *to)
                }
            },
            _ => {
                let view = self.view(e, env)?;
                self.scalar(&view)
            }
        }
    }

    /// The vectors that `dot` is applied to, if that is what an expression is.
    fn factors<'e>(&self, e: &'e Read, env: &Environment) -> Option<[&'e Read; 2]> {
        match &e.kind {
            Reading::Dot(x, y) => self.register(&self.ty(&x.ty, env)).is_some().then_some([x, y]),
            _ => None,
        }
    }

    /// The type of a scalar, or of a vector's elements.
    pub fn element_type(&self, e: &Read, env: &Environment) -> Result<Scalar> {
        let register = self.register(&self.ty(&e.ty, env));
        register.map(|(scalar, _)| scalar).ok_or_else(|| Unsupported(format!("{} is no scalar", e.ty)))
    }

    /// Reads a scalar.
    pub fn scalar(&mut self, view: &View) -> Result<kernel::Expr> {
        match view {
            View::Scalar(e) => Ok(e.clone()),
            View::Variable(local) => Ok(kernel::Expr::Local(local.clone())),
            View::Memory { array, offset, ty } => match self.register(ty) {
                Some((_, width)) => {
                    let index = self.element_index(array, offset);
                    Ok(kernel::Expr::Load(array.clone(), index, width))
                }
                None => Err(Unsupported("an array where a scalar is needed".into())),
            },
            View::Lanes { inner, start, width } => self.load_lanes(inner, start, *width),
            View::Fill(inner) | View::Repeat(inner) => self.scalar(inner),
            View::Guard { condition, inner, otherwise, path } => {
                let condition = kernel::Expr::Test(condition.clone());
                self.select(condition, |g| g.followed(inner, path), |g| g.followed(otherwise, path))
            }
            View::Choose { condition, then, otherwise } => {
                self.select(condition.clone(), |g| g.scalar(then), |g| g.scalar(otherwise))
            }
            _ => Err(Unsupported("an array where a scalar is needed".into())),
        }
    }

    fn followed(&mut self, view: &Rc<View>, path: &[Step]) -> Result<kernel::Expr> {
        let view = self.along(view, path)?;
        self.scalar(&view)
    }

    /// The part of a view at the end of a path.
    pub fn along(&mut self, view: &Rc<View>, path: &[Step]) -> Result<View> {
        let mut view = (**view).clone();
        for step in path {
            view = match step {
                Step::Element(i) => self.at(&view, i)?,
                Step::Field(k) => self.field(&view, *k)?,
                Step::Lane(k) => self.element_of(&view, k)?,
            };
        }
        Ok(view)
    }

    /// One of two values; an `if` statement where computing either takes statements.
    fn select(
        &mut self,
        condition: kernel::Expr,
        then: impl FnOnce(&mut Self) -> Result<kernel::Expr>,
        otherwise: impl FnOnce(&mut Self) -> Result<kernel::Expr>,
    ) -> Result<kernel::Expr> {
        let test = match &condition {
            kernel::Expr::Test(c) => Some(c.clone()),
            _ => None,
        };
        let knowing = |holds: bool| {
            let test = test.clone();
            move |facts: &mut crate::nat::Facts| {
                if let Some(c) = &test {
                    facts.assume(&if holds { c.clone() } else { c.clone().not() });
                }
            }
        };
        // Statements of a branch must run only if it is chosen: what it loads may be out of bounds otherwise.
        let (then_block, then) = self.knowing(knowing(true), |g| g.block(then))?;
        let (else_block, otherwise) = self.knowing(knowing(false), |g| g.block(otherwise))?;
        if then_block.is_empty() && else_block.is_empty() {
            return Ok(merged(condition, then, otherwise));
        }
        let local = self.variable("chosen", (then.scalar(), then.width()));
        let start = kernel::Expr::Literal(crate::scalar::Value::from_integer(0, then.scalar()));
        let start = start.splat(then.width());
        self.emit(Stmt::Declare { local: local.clone(), value: start, change: kernel::Change::Freely })?;
        let assigned = |mut block: Vec<Stmt>, value| {
            block.push(Stmt::Assign(local.clone(), value));
            block
        };
        self.emit(Stmt::If(condition, assigned(then_block, then), assigned(else_block, otherwise)))?;
        Ok(kernel::Expr::Local(local))
    }

    /// `if … else` as a value of any type.
    pub fn choice(
        &mut self,
        e: &Read,
        c: &Read,
        then: &Read,
        otherwise: &Read,
        env: &Environment,
    ) -> Result<View> {
        if self.is_lane_by_lane(c, env) {
            let condition = self.mask(c, env)?;
            let condition = self.held("condition", condition)?;
            let (then, otherwise) = (self.view(then, env)?, self.view(otherwise, env)?);
            return self.lane_by_lane(&condition, &then, &otherwise, &self.ty(&e.ty, env));
        }
        let condition = self.compute(c, env)?;
        if self.register(&self.ty(&e.ty, env)).is_some() {
            let value = self.select(condition, |g| g.compute(then, env), |g| g.compute(otherwise, env))?;
            return Ok(View::Scalar(value));
        }
        // Tested at every element: better once.
        let condition = self.held("condition", condition)?;
        let (then, otherwise) = (self.view(then, env)?, self.view(otherwise, env)?);
        Ok(View::Choose { condition, then: then.into(), otherwise: otherwise.into() })
    }

    /// Binds a pattern in what follows. A scalar that is used more than once is computed here.
    pub fn bind(
        &mut self,
        pattern: &Pattern,
        view: View,
        env: &Environment,
        body: &Read,
    ) -> Result<Environment> {
        match pattern {
            Pattern::Wild => Ok(env.clone()),
            Pattern::Typed(inner, _) => self.bind(inner, view, env, body),
            Pattern::Tuple(patterns) => {
                let mut env = env.clone();
                for (k, p) in patterns.iter().enumerate() {
                    let part = self.field(&view, k)?;
                    env = self.bind(p, part, &env, body)?;
                }
                Ok(env)
            }
            Pattern::Local(local) => {
                let view = match repeats(body, local) {
                    true => self.held_view(&local.name, view)?,
                    false => view,
                };
                Ok(env.with(local, view))
            }
        }
    }

    /// Puts the scalars of a view into variables; arrays stay as they are.
    fn held_view(&mut self, name: &str, view: View) -> Result<View> {
        match &view {
            View::Struct { parts, depth: 0 } => {
                let parts: Result<Vec<View>> =
                    parts.iter().map(|p| self.held_view(name, p.clone())).collect();
                Ok(View::Struct { parts: parts?, depth: 0 })
            }
            // It may stand for a whole array.
            View::Fill(inner) => Ok(View::Fill(Rc::new(self.held_view(name, (**inner).clone())?))),
            _ if self.open.is_some() && self.is_scalar(&view) => {
                let value = self.scalar(&view)?;
                Ok(View::Scalar(self.held(name, value)?))
            }
            _ => Ok(view),
        }
    }

    /// Can the view be read as a scalar or vector without further steps?
    fn is_scalar(&self, view: &View) -> bool {
        match view {
            View::Scalar(_) | View::Variable(_) | View::Lanes { .. } => true,
            View::Memory { ty, .. } => self.register(ty).is_some(),
            View::Choose { then, .. } => self.is_scalar(then),
            _ => false,
        }
    }

    /// The value in a variable, unless it is as simple as one.
    pub fn held(&mut self, name: &str, value: kernel::Expr) -> Result<kernel::Expr> {
        use kernel::Expr::{Literal, Local, Parameter};
        if self.open.is_none() || matches!(value, Literal(_) | Parameter { .. } | Local(_)) {
            return Ok(value);
        }
        let local = self.variable(name, (value.scalar(), value.width()));
        self.emit(Stmt::Declare { local: local.clone(), value, change: kernel::Change::Never })?;
        Ok(Local(local))
    }
}

/// Is a variable read more than once, loops counted?
fn repeats(body: &Read, local: &crate::expr::Local) -> bool {
    let uses = body.uses(local);
    uses > 1 || (uses == 1 && body.uses_inside(local))
}

/// `a ? (b ? x : y) : y` is `a && b ? x : y`.
fn merged(condition: kernel::Expr, then: kernel::Expr, otherwise: kernel::Expr) -> kernel::Expr {
    if let (kernel::Expr::Test(outer), kernel::Expr::Select(inner, x, y)) = (&condition, &then)
        && let kernel::Expr::Test(inner) = &**inner
        && **y == otherwise
    {
        let both = match (outer.clone(), inner.clone()) {
            (Condition::And(mut a), Condition::And(b)) => {
                a.extend(b);
                Condition::And(a)
            }
            (a, b) => a.and(b),
        };
        return kernel::Expr::Select(kernel::Expr::Test(both).into(), x.clone(), otherwise.into());
    }
    kernel::Expr::Select(condition.into(), then.into(), otherwise.into())
}
