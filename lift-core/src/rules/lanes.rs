//! Whole functions on vectors: every lane is another element's.

use super::build::{apply, as_map, as_zip, copies, lambda, map, one, zip};
use super::vectors::{bytes_of_scalars, is_number};
use super::{Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda};
use crate::flow::{Flow, Flows};
use crate::nat::Nat;
use crate::primitives::{AT, Form};
use crate::scalar::Op;
use crate::types::{Scalar, Type};

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[&VECTOR_ELEMENTS];

/// A map over arrays becomes one over arrays of vectors: what its function does with an element it does with several
/// at once, reductions and inner maps included.
pub static VECTOR_ELEMENTS: Rule = Rule {
    name: "vectorElements",
    equation: "map(f, xss) = transpose(map(asScalar, transpose(map(f, transpose(map(|xs| asVector(v, xs), transpose(xss)))))))\n\
               for f of arrays of scalars that computes the same for each element; scalars and deeper arrays alike",
    source: "GPGPU'20 §3.4.2, of functions of any kind",
    sizes: &["v"],
    inside: false,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let element = context.ty(xs)?.as_array()?.0.clone();
        let result = context.ty(&f.body)?.clone();
        let v = arguments.sizes.first()?.clone();
        let mut widening = Widening { context, v, known: Flows::default() };
        widening.known.bind(&f.params[0], &Flow::Every);
        let (body, found) = widening.widen(&f.body)?;
        let body = widening.spread(body, &result, &found, &Flow::Every)?;
        let vectors = widening.vectors(xs, &element)?;
        widening.scalars(map(lambda(f.params.clone(), body), vectors)?, &result)
    },
};

/// A function on its way to vectors.
struct Widening<'c, 't> {
    context: &'c mut Context<'t>,
    /// Their width.
    v: Nat,
    /// Which scalars became vectors, with a lane for each element.
    known: Flows,
}

impl Widening<'_, '_> {
    /// The expression on vectors, and what became of its scalars; `None` where vectors can't do the same.
    fn widen(&mut self, e: &Expr) -> Option<(Expr, Flow)> {
        if !self.known.read_by(e) {
            return Some((e.clone(), Flow::None));
        }
        Some(match &*e.kind {
            Kind::Local(local) => (e.clone(), self.known.get(local)?.clone()),
            Kind::Let(pattern, value, body) => {
                let (value, lanes) = self.widen(value)?;
                self.known.bind(pattern, &lanes);
                let (body, lanes) = self.widen(body)?;
                (e.with(Kind::Let(pattern.clone(), value, body)), lanes)
            }
            Kind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.widen(part)).collect::<Option<_>>()?;
                let (parts, lanes) = parts.into_iter().unzip();
                (e.with(Kind::Tuple(parts)), Flow::Parts(lanes))
            }
            Kind::Field(tuple, k) => {
                let (tuple, lanes) = self.widen(tuple)?;
                (e.with(Kind::Field(tuple, *k)), lanes.part(*k)?.clone())
            }
            Kind::Op(op, operands) => {
                let operands = self.all(operands)?;
                let same = operands.iter().all(|(.., lanes)| *lanes == Flow::None);
                let numbers = operands.iter().all(|(before, ..)| is_number(self.context, before));
                // What compares vectors is a condition: see [`Widening::comparison`].
                let of_numbers = numbers && !op.compares();
                if !same && !of_numbers {
                    return None;
                }
                let operands = operands.into_iter().map(|(_, operand, _)| operand).collect();
                (e.with(Kind::Op(*op, operands)), if same { Flow::None } else { Flow::Every })
            }
            Kind::If(condition, then, otherwise) => {
                let branches = self.all(&[then.clone(), otherwise.clone()])?;
                if let Some(condition) = self.comparison(condition, bytes_of_scalars(self.context.ty(e)?)) {
                    let (branches, lanes) = self.alike(branches)?;
                    let ty = self.context.ty(e)?.clone();
                    let mut branches =
                        branches.into_iter().map(|e| self.spread(e, &ty, &lanes, &Flow::Every));
                    let (then, otherwise) = (branches.next()??, branches.next()??);
                    return Some((e.with(Kind::If(condition, then, otherwise)), Flow::Every));
                }
                let (condition, Flow::None) = self.widen(condition)? else { return None };
                let (mut branches, lanes) = self.alike(branches)?;
                let (otherwise, then) = (branches.pop()?, branches.pop()?);
                (e.with(Kind::If(condition, then, otherwise)), lanes)
            }
            Kind::Typed(inner, _) => self.widen(inner)?,
            Kind::Apply(p, arguments) => {
                let (arguments, lanes) = self.applied(&p.form, arguments)?;
                (e.with(Kind::Apply(*p, arguments)), lanes)
            }
            Kind::Cast(inner, scalar) => {
                let numbers = is_number(self.context, inner) && *scalar != Scalar::Bool;
                let (inner, lanes) = self.widen(inner)?;
                if lanes != Flow::None && !numbers {
                    return None;
                }
                (e.with(Kind::Cast(inner, *scalar)), lanes)
            }
            // These have no variables in them, or are taken apart before there are rules.
            Kind::Array(_) | Kind::Literal(_) | Kind::Size(_) | Kind::Test(_) | Kind::Call(..) => {
                return None;
            }
        })
    }

    /// A condition that each lane of vectors of so many bytes decides for itself.
    fn comparison(&mut self, e: &Expr, bytes: Option<usize>) -> Option<Expr> {
        let Kind::Op(op, operands) = &*e.kind else { return None };
        if matches!(op, Op::And | Op::Or | Op::Not) {
            let mut some = false;
            let mut parts = vec![];
            for operand in operands {
                parts.push(match self.comparison(operand, bytes) {
                    Some(lanes) => {
                        some = true;
                        lanes
                    }
                    None => match self.widen(operand)? {
                        (same, Flow::None) => same,
                        _ => return None,
                    },
                });
            }
            return some.then(|| e.with(Kind::Op(*op, parts)));
        }
        let alike = |o: &Expr| self.context.ty(o).and_then(bytes_of_scalars) == bytes;
        if !op.compares() || bytes.is_none() || !operands.iter().all(alike) {
            return None;
        }
        let operands = self.all(operands)?;
        let differs = operands.iter().any(|(.., lanes)| *lanes != Flow::None);
        let operands = operands.into_iter().map(|(_, operand, _)| operand).collect();
        differs.then(|| e.with(Kind::Op(*op, operands)))
    }

    /// The arguments of a primitive, and what becomes of the scalars of its result.
    fn applied(&mut self, form: &Form, arguments: &[Argument]) -> Option<(Vec<Argument>, Flow)> {
        Some(match (form, arguments) {
            (
                Form::Layout(_) | Form::Reorder | Form::Repeat | Form::Unzip,
                [others @ .., Argument::Value(xs)],
            ) => {
                let (xs, lanes) = self.widen(xs)?;
                ([others, &[Argument::Value(xs)]].concat(), lanes)
            }
            (Form::Pad, [others @ .., Argument::Value(fill), Argument::Value(xs)]) => {
                let whole = self.context.ty(xs)?.as_array()?.0.clone();
                let one_for_all = self.context.ty(fill)?.as_scalar().is_some();
                let values = self.all(&[fill.clone(), xs.clone()])?;
                let (mut values, lanes) = self.alike(values)?;
                // A scalar stands for every scalar of an array, but no vector for every vector.
                if one_for_all && lanes != Flow::None {
                    values[0] = copies(values[0].clone(), &whole)?;
                }
                (others.iter().cloned().chain(values.into_iter().map(Argument::Value)).collect(), lanes)
            }
            (Form::Concat, _) => {
                let values: Vec<Expr> = arguments.iter().filter_map(Argument::expr).cloned().collect();
                let values = self.all(&values)?;
                let (values, lanes) = self.alike(values)?;
                (values.into_iter().map(Argument::Value).collect(), lanes)
            }
            (Form::Zip, _) => {
                let values: Vec<Expr> = arguments.iter().filter_map(Argument::expr).cloned().collect();
                let values = self.all(&values)?;
                let lanes = values.iter().map(|(.., lanes)| lanes.clone()).collect();
                (values.into_iter().map(|(_, value, _)| Argument::Value(value)).collect(), Flow::Parts(lanes))
            }
            (Form::Map, [Argument::Function(f), Argument::Value(xs)]) => {
                let (xs, lanes) = self.widen(xs)?;
                self.known.bind(&f.params[0], &lanes);
                let (body, lanes) = self.widen(&f.body)?;
                (vec![Argument::Function(Lambda { body, ..f.clone() }), Argument::Value(xs)], lanes)
            }
            (Form::Generate, [Argument::Generator(var, body)]) => {
                let (body, lanes) = self.widen(body)?;
                (vec![Argument::Generator(var.clone(), body)], lanes)
            }
            (Form::Reduce | Form::Scan, [Argument::Value(z), Argument::Function(f), Argument::Value(xs)]) => {
                let (xs, of_xs) = self.widen(xs)?;
                let (start, of_start) = self.widen(z)?;
                let mut running = of_start.clone();
                let (body, of_body) = loop {
                    self.known.bind(&f.params[0], &running);
                    self.known.bind(&f.params[1], &of_xs);
                    let (body, found) = self.widen(&f.body)?;
                    let next = running.and(&found)?;
                    if next == running {
                        break (body, found);
                    }
                    running = next;
                };
                let ty = self.context.ty(z)?.clone();
                let start = self.spread(start, &ty, &of_start, &running)?;
                let body = self.spread(body, &ty, &of_body, &running)?;
                let f = Lambda { body, ..f.clone() };
                (vec![Argument::Value(start), Argument::Function(f), Argument::Value(xs)], running)
            }
            // Where something runs or is kept was said of scalars; a `dot` of vectors is another one.
            (
                Form::Layout(_)
                | Form::Reorder
                | Form::Repeat
                | Form::Unzip
                | Form::Pad
                | Form::Map
                | Form::Generate
                | Form::Reduce
                | Form::Scan
                | Form::Iterate
                | Form::Spread(_)
                | Form::MapSeq(_)
                | Form::ReduceSeq(_)
                | Form::Kept(_)
                | Form::Ahead
                | Form::Rotated
                | Form::Peeled
                | Form::AsVector
                | Form::AsScalar
                | Form::Dot
                | Form::Width
                | Form::Derived(_),
                _,
            ) => return None,
        })
    }

    /// Each of them: as it was, on vectors, and what became of its scalars.
    fn all(&mut self, es: &[Expr]) -> Option<Vec<(Expr, Expr, Flow)>> {
        let one = |e: &Expr| self.widen(e).map(|(new, lanes)| (e.clone(), new, lanes));
        es.iter().map(one).collect()
    }

    /// Values that stand for each other.
    fn alike(&mut self, values: Vec<(Expr, Expr, Flow)>) -> Option<(Vec<Expr>, Flow)> {
        let lanes = values.iter().try_fold(Flow::None, |all, (.., lanes)| all.and(lanes))?;
        let spread = values.into_iter().map(|(before, new, from)| {
            let ty = self.context.ty(&before)?.clone();
            self.spread(new, &ty, &from, &lanes)
        });
        Some((spread.collect::<Option<_>>()?, lanes))
    }

    /// A value whose scalars are the same for all elements, with these in every lane.
    fn spread(&mut self, e: Expr, ty: &Type, from: &Flow, to: &Flow) -> Option<Expr> {
        if from == to || (from.is_every() && to.is_every()) {
            return Some(e);
        }
        match ty {
            Type::Scalar(s) if *s != Scalar::Bool => {
                let copies = one("repeat", &[&self.v], e)?;
                let vectors = one("asVector", &[&self.v], copies)?;
                apply(AT, vec![Argument::Size(Nat::constant(0)), Argument::Value(vectors.clone())], &vectors)
            }
            Type::Array(element, _) => {
                let (pattern, x) = self.context.variable("x");
                let body = self.spread(x, element, from, to)?;
                map(lambda(vec![pattern], body), e)
            }
            Type::Tuple(parts) => {
                let Kind::Tuple(values) = &*e.kind else { return None };
                let each = values
                    .iter()
                    .zip(parts.iter())
                    .enumerate()
                    .map(|(k, (value, ty))| self.spread(value.clone(), ty, from.part(k)?, to.part(k)?));
                let parts = each.collect::<Option<_>>()?;
                Some(e.with(Kind::Tuple(parts)))
            }
            Type::Scalar(_) | Type::Vector(..) | Type::Index | Type::Hole(_) => None,
        }
    }

    /// An array with these elements as one of the same elements of vectors, `v` of its own elements in each.
    fn vectors(&mut self, xs: &Expr, element: &Type) -> Option<Expr> {
        match element {
            Type::Scalar(s) if *s != Scalar::Bool => one("asVector", &[&self.v], xs.clone()),
            Type::Array(inner, _) => {
                let (pattern, row) = self.context.variable("row");
                let body = self.vectors(&row, inner)?;
                turned(lambda(vec![pattern], body), xs.clone())
            }
            Type::Tuple(types) => {
                let arrays = unzipped(xs)?;
                let arrays = arrays.iter().zip(types.iter()).map(|(xs, ty)| self.vectors(xs, ty));
                zip(arrays.collect::<Option<_>>()?)
            }
            Type::Scalar(_) | Type::Vector(..) | Type::Index | Type::Hole(_) => None,
        }
    }

    /// The inverse, for what the function makes of an element.
    fn scalars(&mut self, ys: Expr, element: &Type) -> Option<Expr> {
        match element {
            Type::Scalar(s) if *s != Scalar::Bool => one("asScalar", &[], ys),
            Type::Array(inner, _) => {
                let (pattern, row) = self.context.variable("row");
                let body = self.scalars(row, inner)?;
                turned(lambda(vec![pattern], body), ys)
            }
            Type::Scalar(_) | Type::Tuple(_) | Type::Vector(..) | Type::Index | Type::Hole(_) => None,
        }
    }
}

/// The arrays that an array of tuples is zipped from, each moved as the whole is.
fn unzipped(xs: &Expr) -> Option<Vec<Expr>> {
    if let Some(arrays) = as_zip(xs) {
        return Some(arrays.into_iter().cloned().collect());
    }
    let Kind::Apply(p, arguments) = &*xs.kind else { return None };
    let (Form::Layout(_), Some((Argument::Value(inner), others))) = (&p.form, arguments.split_last()) else {
        return None;
    };
    let moved = |array: Expr| {
        let arguments = others.iter().cloned().chain([Argument::Value(array)]).collect();
        xs.with(Kind::Apply(*p, arguments))
    };
    Some(unzipped(inner)?.into_iter().map(moved).collect())
}

/// A function of columns: `transpose(map(f, transpose(xs)))`.
fn turned(f: Lambda, xs: Expr) -> Option<Expr> {
    one("transpose", &[], map(f, one("transpose", &[], xs)?)?)
}
