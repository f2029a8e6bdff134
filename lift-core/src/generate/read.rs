//! Expressions as views: what is read of them, element by element, is computed then.

use super::view::{Layout, View};
use super::{Environment, Generator, Result, SEQUENTIAL, Unsupported, parts};
use crate::expr::{Argument, Expr, Kind, Lambda};
use crate::kernel::{self, Stmt};
use crate::nat::Nat;
use crate::primitives::{Bindings, Form, Loop};
use crate::types::Type;
use std::rc::Rc;

impl Generator<'_> {
    /// Makes an expression readable. Emits code for what must be computed first.
    pub fn view(&mut self, e: &Expr, env: &Environment) -> Result<View> {
        match &*e.kind {
            Kind::Local(local) => match env.locals.get(local) {
                Some(view) => Ok(view.clone()),
                None => Err(Unsupported(format!("`{}` is not in scope", local.name))),
            },
            Kind::Literal(literal) => {
                let scalar = self
                    .ty(e, env)?
                    .as_scalar()
                    .ok_or_else(|| Unsupported("a literal that is no scalar".into()))?;
                Ok(View::Scalar(kernel::Expr::Literal(literal.value(scalar))))
            }
            Kind::Array(_) => self.constant(e),
            Kind::Size(n) => Ok(View::Index(env.nat(n))),
            Kind::Test(c) => Ok(View::Scalar(kernel::Expr::Test(env.condition(c)))),
            Kind::Let(pattern, value, body) => {
                let value = self.named_view(value, env, &super::pattern_name(pattern))?;
                let env = self.bind(pattern, value, env, body)?;
                self.view(body, &env)
            }
            Kind::Tuple(parts) => {
                let parts: Result<Vec<View>> = parts.iter().map(|p| self.view(p, env)).collect();
                Ok(View::Struct { parts: parts?, depth: 0 })
            }
            Kind::Field(tuple, k) => {
                let tuple = self.view(tuple, env)?;
                self.field(&tuple, *k)
            }
            Kind::Op(..) | Kind::Cast(..) => Ok(View::Scalar(self.compute(e, env)?)),
            Kind::If(condition, then, otherwise) => self.choice(e, condition, then, otherwise, env),
            Kind::Apply(_, arguments) => self.primitive(e, arguments, env),
            Kind::Typed(inner, _) => self.view(inner, env),
            Kind::Call(name, ..) => Err(Unsupported(format!("the call of `{name}` was not inlined"))),
        }
    }

    fn primitive(&mut self, e: &Expr, arguments: &[Argument], env: &Environment) -> Result<View> {
        let Kind::Apply(p, _) = &*e.kind else { return self.view(e, env) };
        if let Some(kept) = self.kept.get(&e.id) {
            return Ok(kept.clone());
        }
        let (function, sizes, values) = parts(arguments);
        let last = |g: &mut Self| -> Result<Rc<View>> {
            match values.last() {
                Some(v) => Ok(Rc::new(g.view(v, env)?)),
                None => Err(Unsupported(format!("`{}` without an array", p.name))),
            }
        };
        match &p.form {
            Form::Layout { arity: 0, read, .. } => {
                let (mut view, bindings) = ((*last(self)?).clone(), self.bindings(e, env)?);
                for index in read(&bindings, &[]) {
                    view = self.at(&view, &self.facts.simplify(&index))?;
                }
                Ok(view)
            }
            Form::Layout { arity, read, nest, .. } => {
                let inner = (*last(self)?).clone();
                let bindings = self.bindings(e, env)?;
                let nest = nest.map(|lengths| lengths(&bindings));
                Ok(View::Layout(Rc::new(Layout { map: *read, arity: *arity, bindings, inner, nest }), vec![]))
            }
            Form::Reorder => match &arguments[0] {
                Argument::Index(var, body) => {
                    Ok(View::Reorder { var: var.clone(), body: env.nat(body), inner: last(self)? })
                }
                _ => Err(Unsupported("`reorder` without an index function".into())),
            },
            Form::Pad => {
                let inner = last(self)?;
                let length = self.bindings(e, env)?["n"].clone();
                let fill = self.view(values[0], env)?;
                let scalar = self.ty(values[0], env)?.as_scalar().is_some();
                let fill = Rc::new(if scalar { View::Fill(Rc::new(fill)) } else { fill });
                Ok(View::Pad { left: env.nat(sizes[0]), length, fill, inner })
            }
            Form::Concat => {
                let mut views = vec![];
                for v in &values {
                    let length = self.length(v, env)?;
                    views.push((length, self.view(v, env)?));
                }
                Ok(View::Concat(views))
            }
            Form::Zip => {
                let parts: Result<Vec<View>> = values.iter().map(|v| self.view(v, env)).collect();
                Ok(View::Struct { parts: parts?, depth: 1 })
            }
            Form::Unzip => {
                let inner = last(self)?;
                let width = match self.ty(e, env)? {
                    Type::Tuple(parts) => parts.len(),
                    _ => 0,
                };
                let parts = (0..width).map(|k| self.component(&inner, k)).collect();
                Ok(View::Struct { parts, depth: 0 })
            }
            Form::Map | Form::Spread(_) | Form::MapSeq(_) => match function {
                // Each element is kept: so is the array.
                Some(Lambda { body, .. }) if !matches!(p.form, Form::Map) && body.memory().is_some() => {
                    self.keep(e, env, body.memory().unwrap_or(kernel::Space::Private), "kept")
                }
                Some(_) if matches!(p.form, Form::MapSeq(Loop::Unrolled)) => Err(Unsupported(format!(
                    "`{}` changes nothing here: its elements are computed where they are read, and there is no loop \
                     to be written out",
                    p.name
                ))),
                Some(lambda) => {
                    Ok(View::Map { lambda: Rc::new(lambda.clone()), env: env.clone(), inner: last(self)? })
                }
                None => Err(Unsupported("`map` without a function".into())),
            },
            Form::Generate => match &arguments[1] {
                Argument::Generator(var, body) => {
                    Ok(View::Generate { var: var.clone(), body: Rc::new(body.clone()), env: env.clone() })
                }
                _ => Err(Unsupported("`generate` without a function of an index".into())),
            },
            Form::Repeat => Ok(View::Repeat(last(self)?)),
            Form::Kept(space) => {
                let pitch = sizes.first().map_or(Nat::constant(0), |p| env.nat(p));
                self.keep_pitched(values[0], env, (*space, &pitch), "kept")
            }
            Form::Reduce | Form::ReduceSeq(_) | Form::Iterate => self.fold_into(e, env, None),
            Form::AsVector => Ok(View::AsVector { inner: last(self)?, width: env.nat(sizes[0]) }),
            Form::AsScalar => {
                let width = self.bindings(e, env)?["v"].clone();
                Ok(View::AsScalar { inner: last(self)?, width })
            }
            Form::Width => self.view(values[0], env),
            // The loops that these are for take them off.
            Form::Ahead | Form::Rotated => Err(Unsupported(format!(
                "`{}` changes nothing here: its elements are read where they are used, and no loop goes over them",
                p.name
            ))),
            Form::Dot => self.dot_product(e, &values, env),
            Form::Scan => self.keep(e, env, kernel::Space::Private, "scanned"),
        }
    }

    fn dot_product(&mut self, e: &Expr, values: &[&Expr], env: &Environment) -> Result<View> {
        let [a, b] = values else { return Err(Unsupported("`dot` of two operands".into())) };
        let Type::Array(_, length) = self.ty(a, env)? else {
            let (a, b) = (self.compute(a, env)?, self.compute(b, env)?);
            return Ok(View::Scalar(self.dot(None, a, b)?));
        };
        let register = self.register(&self.ty(e, env)?);
        let register = register.ok_or_else(|| Unsupported("`dot` makes a scalar".into()))?;
        let (a, b) = (self.view(a, env)?, self.view(b, env)?);
        let sum = self.variable("sum", register);
        let value = Self::zero(register);
        self.emit(Stmt::Declare { local: sum.clone(), value, change: kernel::Change::Reduction })?;
        self.elements(&length, Some(&a), SEQUENTIAL, |g, i| {
            let (x, y) = (g.at(&a, i)?, g.at(&b, i)?);
            let (x, y) = (g.scalar(&x)?, g.scalar(&y)?);
            let total = g.dot(Some(kernel::Expr::Local(sum.clone())), x, y)?;
            g.emit(Stmt::Assign(sum.clone(), total))
        })?;
        Ok(View::Scalar(kernel::Expr::Local(sum)))
    }

    /// A view under the name that the user gave it.
    pub fn named_view(&mut self, e: &Expr, env: &Environment, name: &str) -> Result<View> {
        if let Kind::Apply(p, arguments) = &*e.kind
            && let (Form::Kept(space), [Argument::Value(value)]) = (&p.form, &arguments[..])
            && !self.kept.contains_key(&e.id)
        {
            return self.keep(value, env, *space, name);
        }
        self.view(e, env)
    }

    /// The sizes in the signature of a primitive, as they are here.
    pub fn bindings(&self, e: &Expr, env: &Environment) -> Result<Bindings> {
        match self.typed.bindings.get(&e.id) {
            Some(b) => Ok(Bindings(b.0.iter().map(|(name, n)| (name.clone(), env.nat(n))).collect())),
            None => Err(Unsupported(format!("`{e}` was not checked"))),
        }
    }

    /// The length of an array.
    pub fn length(&self, e: &Expr, env: &Environment) -> Result<Nat> {
        match self.ty(e, env)?.as_array() {
            Some((_, length)) => Ok(length.clone()),
            None => Err(Unsupported(format!("`{e}` is no array"))),
        }
    }
}

/// The memory that a value is kept in, or each of its elements.
pub fn kept_elements(e: &Expr) -> Option<kernel::Space> {
    match &*e.tail().kind {
        Kind::Apply(p, arguments) if matches!(p.form, Form::Map | Form::MapSeq(_)) => {
            arguments.iter().filter_map(|a| a.expr()).find_map(kept_elements)
        }
        _ => e.memory(),
    }
}
