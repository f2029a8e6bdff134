//! Makes values readable as views: an element is computed when it is read.

use super::view::{self, View};
use super::{Environment, Generator, Result, SEQUENTIAL, Unsupported};
use crate::kernel::{self, Stmt};
use crate::low::{Fold, Indexed, Map, Over, Read, Reading, Run, UNNAMED};
use crate::nat::Nat;
use crate::types::Type;
use std::rc::Rc;

impl Generator {
    /// Makes a value readable. Emits code for what must be computed first.
    pub fn view(&mut self, e: &Read, env: &Environment) -> Result<View> {
        if let Some(kept) = self.kept.get(&e.id) {
            return Ok(kept.clone());
        }
        let shared = |g: &mut Self, e: &Read| -> Result<Rc<View>> { Ok(Rc::new(g.view(e, env)?)) };
        Ok(match &e.kind {
            Reading::Variable(local) => match env.locals.get(local) {
                Some(view) => view.clone(),
                None => return Err(Unsupported(format!("`{}` is not in scope", local.name))),
            },
            Reading::Literal(value) => View::Scalar(kernel::Expr::Literal(*value)),
            Reading::Constants(values) => self.constant(e, values)?,
            Reading::Size(n) => View::Index(env.nat(n)),
            Reading::Test(c) => View::Scalar(kernel::Expr::Test(env.condition(c))),
            Reading::Op(..) | Reading::Cast(..) => View::Scalar(self.compute(e, env)?),
            Reading::Tuple(parts) => View::Struct { parts: self.views(parts, env)?, depth: 0 },
            Reading::Field(tuple, k) => {
                let tuple = self.view(tuple, env)?;
                self.field(&tuple, *k)?
            }
            Reading::Let(pattern, value, body) => {
                let value = self.named_view(value, env, &super::pattern_name(pattern))?;
                let env = self.bind(pattern, value, env, body)?;
                self.view(body, &env)?
            }
            Reading::If(condition, then, otherwise) => self.choice(e, condition, then, otherwise, env)?,
            Reading::Element(Indexed { layout, bindings, .. }, inner) => {
                let mut view = self.view(inner, env)?;
                for index in (layout.read)(&env.bindings(bindings), &[]) {
                    view = self.at(&view, &self.facts.simplify(&index))?;
                }
                view
            }
            Reading::Layout(Indexed { layout, bindings, .. }, inner) => {
                let (inner, bindings) = (self.view(inner, env)?, env.bindings(bindings));
                let nest = layout.nest.map(|lengths| lengths(&bindings));
                let (map, arity) = (layout.read, layout.arity);
                let layout = view::Layout { map, arity, bindings, inner, nest, overlaps: false };
                View::Layout(Rc::new(layout), vec![])
            }
            Reading::Reorder(var, body, inner) => {
                View::Reorder { var: var.clone(), body: env.nat(body), inner: shared(self, inner)? }
            }
            Reading::Pad { left, length, fill, inner } => {
                let inner = shared(self, inner)?;
                let (scalar, fill) = (fill.ty.as_scalar().is_some(), self.view(fill, env)?);
                let fill = Rc::new(if scalar { View::Fill(Rc::new(fill)) } else { fill });
                View::Pad { left: env.nat(left), length: env.nat(length), fill, inner }
            }
            Reading::Concat(parts) => {
                let view = |part: &Rc<Read>| Ok((self.length(&part.ty, env)?, self.view(part, env)?));
                View::Concat(parts.iter().map(view).collect::<Result<_>>()?)
            }
            Reading::Zip(parts) => View::Struct { parts: self.views(parts, env)?, depth: 1 },
            Reading::Unzip(inner) => {
                let inner = self.view(inner, env)?;
                let width = match &e.ty {
                    Type::Tuple(parts) => parts.len(),
                    _ => 0,
                };
                View::Struct { parts: (0..width).map(|k| self.component(&inner, k)).collect(), depth: 0 }
            }
            Reading::Map(Map { run: Run::Unrolled, .. }) => {
                return Err(Unsupported(
                    "`mapSeqUnroll` has no effect here: its elements are computed where they are read, and there is \
                     no loop to unroll"
                        .into(),
                ));
            }
            Reading::Map(Map { element, body, over, run: Run::Open | Run::As(_) }) => View::Map {
                element: element.clone(),
                body: body.clone(),
                env: env.clone(),
                inner: shared(self, over)?,
            },
            Reading::Generate(var, body) => {
                View::Generate { var: var.clone(), body: body.clone(), env: env.clone() }
            }
            Reading::Repeat(_, inner) => View::Repeat(shared(self, inner)?),
            Reading::AsVector(width, inner) => {
                View::AsVector { inner: shared(self, inner)?, width: env.nat(width) }
            }
            Reading::AsScalar(width, inner) => {
                View::AsScalar { inner: shared(self, inner)?, width: env.nat(width) }
            }
            Reading::Dot(a, b) => self.dot_product(e, [a, b], env)?,
            Reading::Kept(memory, value) => self.keep(value, env, memory, UNNAMED)?,
            Reading::Fold(fold) => match &**fold {
                Fold { over: Over::Prefixes { .. }, .. } => {
                    let ty = self.ty(&e.ty, env);
                    let to = self.private(&ty, "scanned", false)?;
                    self.scan(fold, env, &to)?;
                    to
                }
                _ => self.fold_into(e, fold, env, None)?,
            },
            // The loops that these are for read them otherwise.
            Reading::Peeled(_) => return Err(no_loop("peeled")),
            Reading::Ahead(_) => return Err(no_loop("ahead")),
            Reading::Rotated(_) => return Err(no_loop("rotated")),
        })
    }

    fn views(&mut self, all: &[Rc<Read>], env: &Environment) -> Result<Vec<View>> {
        all.iter().map(|e| self.view(e, env)).collect()
    }

    fn dot_product(&mut self, e: &Read, [a, b]: [&Read; 2], env: &Environment) -> Result<View> {
        let Type::Array(_, length) = self.ty(&a.ty, env) else {
            let (a, b) = (self.compute(a, env)?, self.compute(b, env)?);
            return Ok(View::Scalar(self.dot(None, a, b)?));
        };
        let register = self.register(&self.ty(&e.ty, env));
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
    pub fn named_view(&mut self, e: &Read, env: &Environment, name: &str) -> Result<View> {
        match &e.kind {
            Reading::Kept(memory, value) if !memory.by_element && !self.kept.contains_key(&e.id) => {
                self.keep(value, env, memory, name)
            }
            _ => self.view(e, env),
        }
    }

    /// The length of an array.
    pub fn length(&self, ty: &Type, env: &Environment) -> Result<Nat> {
        match self.ty(ty, env).as_array() {
            Some((_, length)) => Ok(length.clone()),
            None => Err(Unsupported(format!("a value of type {ty} is not an array"))),
        }
    }
}

fn no_loop(name: &str) -> Unsupported {
    Unsupported(format!(
        "`{name}` has no effect here: no loop goes over its elements, which are computed where they are read"
    ))
}
