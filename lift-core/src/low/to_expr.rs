//! From the low tree back to an expression, to be printed or interpreted. Decisions of lowering become
//! primitives of the OpenCL level.

use super::{Fetched, Fold, Map, Over, Read, Reading, Run};
use crate::expr::{Argument, Expr, Kind, Lambda, Literal, Pattern};
use crate::hierarchy::{Parallel, Space};
use crate::nat::Nat;
use crate::primitives::Primitive;
use crate::scalar::Value;
use crate::types::Type;

impl Read {
    /// `None` if a constant array has fewer numbers than its type says, or if a value with elements has a type
    /// without. Neither happens in a tree that was made from an expression.
    pub fn to_expr(&self) -> Option<Expr> {
        let all = |es: &[std::rc::Rc<Read>]| es.iter().map(|e| e.to_expr()).collect::<Option<Vec<Expr>>>();
        let value = |e: &Read| e.to_expr().map(Argument::Value);
        let size = |n: &Nat| Argument::Size(n.clone());
        let kind = match &self.kind {
            Reading::Variable(local) => Kind::Local(local.clone()),
            Reading::Literal(value) => Kind::Literal(Literal::Exact(*value)),
            Reading::Constants(values) => return self.table(&self.ty, &mut values.iter()),
            Reading::Size(n) => Kind::Size(n.clone()),
            Reading::Test(condition) => Kind::Test(condition.clone()),
            Reading::Op(op, operands) => Kind::Op(*op, all(operands)?),
            Reading::Cast(e, to) => Kind::Cast(e.to_expr()?, *to),
            Reading::Tuple(parts) => Kind::Tuple(all(parts)?),
            Reading::Field(e, k) => Kind::Field(e.to_expr()?, *k),
            Reading::Let(pattern, value, body) => {
                Kind::Let(pattern.clone(), value.to_expr()?, body.to_expr()?)
            }
            Reading::If(condition, then, otherwise) => {
                Kind::If(condition.to_expr()?, then.to_expr()?, otherwise.to_expr()?)
            }
            Reading::Element(indexed, e) | Reading::Layout(indexed, e) => {
                let sizes = indexed.sizes.iter().map(size);
                Kind::Apply(indexed.primitive, sizes.chain([value(e)?]).collect())
            }
            Reading::Reorder(var, n, e) => {
                applied("reorder", vec![Argument::Index(var.clone(), n.clone()), value(e)?])
            }
            Reading::Pad { left, length, fill, inner } => {
                let whole = self.ty.as_array().map(|(_, n)| n.clone())?;
                let right = &(&whole - left) - length;
                applied("pad", vec![size(left), size(&right), value(fill)?, value(inner)?])
            }
            Reading::Concat(parts) => {
                applied("concat", all(parts)?.into_iter().map(Argument::Value).collect())
            }
            Reading::Zip(parts) => applied("zip", all(parts)?.into_iter().map(Argument::Value).collect()),
            Reading::Unzip(e) => applied("unzip", vec![value(e)?]),
            Reading::Map(Map { run, element, body, over }) => {
                let (name, dimension) = match run {
                    Run::Open => ("map", None),
                    Run::Unrolled => ("mapSeqUnroll", None),
                    Run::As(Parallel::Sequential) => ("mapSeq", None),
                    Run::As(Parallel::Global(d)) => ("mapGlb", Some(*d)),
                    Run::As(Parallel::Group(d)) => ("mapWrg", Some(*d)),
                    Run::As(Parallel::Local(d)) => ("mapLcl", Some(*d)),
                };
                let dimension = dimension.map(|d| size(&Nat::from(i64::from(d))));
                let function = self.lambda(&[element], body)?;
                applied(name, dimension.into_iter().chain([function, value(over)?]).collect())
            }
            Reading::Generate(var, body) => {
                let length = self.ty.as_array().map(|(_, n)| size(n))?;
                applied("generate", vec![length, Argument::Generator(var.clone(), body.to_expr()?)])
            }
            Reading::Repeat(times, e) => applied("repeat", vec![size(times), value(e)?]),
            Reading::AsVector(width, e) => applied("asVector", vec![size(width), value(e)?]),
            Reading::AsScalar(_, e) => applied("asScalar", vec![value(e)?]),
            Reading::Dot(a, b) => applied("dot", vec![value(a)?, value(b)?]),
            Reading::Kept(memory, e) if memory.by_element => return e.read.to_expr(),
            Reading::Kept(memory, e) => {
                let pitched = memory.pitch != Nat::constant(0);
                let name = match memory.space {
                    Space::Global => "toGlobal",
                    Space::Local if pitched => "toLocalPitched",
                    Space::Local => "toLocal",
                    Space::Items => "toItems",
                    Space::Private | Space::Constant => "toPrivate",
                };
                let pitch = pitched.then(|| size(&memory.pitch));
                applied(name, pitch.into_iter().chain([value(&e.read)?]).collect())
            }
            Reading::Fold(fold) => {
                let Fold { start, running, step, over } = &**fold;
                let start = value(&start.read)?;
                match over {
                    Over::Elements { run, element, of } => {
                        let name = match run {
                            Run::Open => "reduce",
                            Run::Unrolled => "reduceSeqUnroll",
                            Run::As(_) => "reduceSeq",
                        };
                        applied(name, vec![start, self.lambda(&[running, element], &step.read)?, value(of)?])
                    }
                    Over::Prefixes { element, of } => applied(
                        "scan",
                        vec![start, self.lambda(&[running, element], &step.read)?, value(of)?],
                    ),
                    Over::Times(times) => {
                        applied("iterate", vec![size(times), self.lambda(&[running], &step.read)?, start])
                    }
                }
            }
            Reading::Ahead(Fetched { function: Some((element, body)), of }) => {
                let map = applied("map", vec![self.lambda(&[element], &body.read)?, value(of)?]);
                applied("ahead", vec![Argument::Value(self.expr(map))])
            }
            Reading::Ahead(Fetched { function: None, of }) => applied("ahead", vec![value(of)?]),
            Reading::Rotated(e) => applied("rotated", vec![value(e)?]),
            Reading::Peeled(e) => applied("peeled", vec![value(e)?]),
        };
        Some(self.expr(kind))
    }

    fn expr(&self, kind: Kind) -> Expr {
        Expr::new(self.site, kind)
    }

    fn lambda(&self, params: &[&Pattern], body: &Read) -> Option<Argument> {
        let params = params.iter().map(|p| (*p).clone()).collect();
        Some(Argument::Function(Lambda { site: self.site, params, body: body.to_expr()? }))
    }

    /// Numbers as nested arrays.
    fn table(&self, ty: &Type, values: &mut std::slice::Iter<Value>) -> Option<Expr> {
        let Some((element, length)) = ty.as_array() else {
            return Some(self.expr(Kind::Literal(Literal::Exact(*values.next()?))));
        };
        let rows = (0..length.as_constant()?).map(|_| self.table(element, values));
        Some(self.expr(Kind::Array(rows.collect::<Option<_>>()?)))
    }
}

fn applied(name: &str, arguments: Vec<Argument>) -> Kind {
    Kind::Apply(Primitive::known(name), arguments)
}
