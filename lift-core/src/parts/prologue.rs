//! What is applied to an array before a nest reads it.
//!
//! A product reads each element of its operands for many of its results. Where it applies a function to an element,
//! a conversion say, or a scale and an activation, it does so each time; a pass before it does so once. The pass is a part
//! of its own if the array that it makes is read so often.

use super::reads::read_again;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, Param, Pattern};
use crate::flow::{Flow, Flows};
use crate::primitives::{Form, Primitive};
use crate::scalar::Op;
use crate::types::{Scalar, Type};

/// The function with a pass for each parameter to whose elements it applies one function, whatever reads them, and reads many
/// times.
pub fn taken_out(function: &Function) -> Function {
    let mut function = function.clone();
    for number in 0..function.params.len() {
        if let Some(changed) = Pulling::of(&function, number) {
            function = changed.number();
        }
    }
    function
}

/// A function on its way to one that is given an array whose elements are changed already.
struct Pulling {
    flows: Flows,
    /// The scalar parameters: the same for all elements.
    scalars: Vec<Local>,
    /// The array's scalars.
    scalar: Scalar,
    /// What is applied to each of them, once it is known: a function of [`Pulling::element`].
    applied: Option<Expr>,
    element: Local,
}

impl Pulling {
    fn of(function: &Function, number: usize) -> Option<Function> {
        let param = function.params.get(number)?;
        let (lengths, Type::Scalar(scalar)) = param.ty.shape() else { return None };
        if lengths.is_empty() || !read_again(&function.body, std::slice::from_ref(&param.local)) {
            return None;
        }
        let fresh = function.fresh();
        let local = |name: &str, k: u32| Local { name: name.into(), index: fresh + k };
        let changed = local(&param.local.name, 1);
        let body = function.body.put(&param.local, &Expr::local(&changed));
        let one = |p: &&Param| matches!(p.ty, Type::Scalar(_));
        let mut pulling = Pulling {
            flows: Flows::of(&changed),
            scalars: function.params.iter().filter(one).map(|p| p.local.clone()).collect(),
            scalar: *scalar,
            applied: None,
            element: local("x", 2),
        };
        // What is put around the array can be changed only when it is known how: the second time.
        pulling.pulled(&body)?;
        pulling.flows = Flows::of(&changed);
        let body = pulling.whole(&body)?;
        let mut xs = Lambda {
            site: body.site,
            params: vec![Pattern::Local(pulling.element.clone())],
            body: pulling.applied.clone()?,
        };
        let map = |f: Lambda, xs: Expr| {
            let arguments = vec![Argument::Function(f), Argument::Value(xs)];
            Expr::new(body.site, Kind::Apply(Primitive::known("map"), arguments))
        };
        for k in 1..lengths.len() as u32 {
            let row = local("row", 2 + k);
            let params = vec![Pattern::Local(row.clone())];
            xs = Lambda { site: body.site, params, body: map(xs, Expr::local(&row)) };
        }
        let pass = map(xs, Expr::local(&param.local));
        let body = Expr::new(body.site, Kind::Let(Pattern::Local(changed), pass, body));
        Some(Function { body, ..function.clone() })
    }

    /// An expression that has none of the array's scalars in it as they were.
    fn whole(&mut self, e: &Expr) -> Option<Expr> {
        let (e, flow) = self.pulled(e)?;
        flow.is_none().then_some(e)
    }

    /// The expression as it is with the changed array, and which of its scalars are the array's; `None` if one is used
    /// otherwise than through the one function.
    fn pulled(&mut self, e: &Expr) -> Option<(Expr, Flow)> {
        if !self.flows.read_by(e) {
            return Some((e.clone(), Flow::None));
        }
        Some(match &*e.kind {
            Kind::Local(local) => (e.clone(), self.flows.get(local)?.clone()),
            Kind::Let(pattern, value, body) => {
                let (value, flow) = self.pulled(value)?;
                self.flows.bind(pattern, &flow);
                let (body, flow) = self.pulled(body)?;
                (e.with(Kind::Let(without_types(pattern, &flow), value, body)), flow)
            }
            Kind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.pulled(part)).collect::<Option<_>>()?;
                let (parts, flows) = parts.into_iter().unzip();
                (e.with(Kind::Tuple(parts)), Flow::Parts(flows))
            }
            Kind::Field(tuple, k) => {
                let (tuple, flow) = self.pulled(tuple)?;
                (e.with(Kind::Field(tuple, *k)), flow.part(*k)?.clone())
            }
            Kind::Typed(inner, _) => self.pulled(inner)?,
            Kind::Op(..) | Kind::Cast(..) | Kind::If(..) => match self.function_of_one(e) {
                Some((element, applied)) => {
                    let known = self.applied.get_or_insert_with(|| applied.clone());
                    (*known == applied).then_some(())?;
                    (element, Flow::None)
                }
                None => {
                    let mut sound = true;
                    let mut child = |child: &Expr| {
                        self.whole(child).unwrap_or_else(|| {
                            sound = false;
                            child.clone()
                        })
                    };
                    let e = e.map_children(&mut child);
                    sound.then_some((e, Flow::None))?
                }
            },
            Kind::Apply(p, arguments) => {
                let (arguments, flow) = self.applied(&p.form, arguments)?;
                (e.with(Kind::Apply(*p, arguments)), flow)
            }
            Kind::Array(_) | Kind::Literal(_) | Kind::Size(_) | Kind::Test(_) | Kind::Call(..) => {
                return None;
            }
        })
    }

    /// The one scalar of the array that an expression of scalars is a function of, and the function.
    fn function_of_one(&self, e: &Expr) -> Option<(Expr, Expr)> {
        let mut element = None;
        let number = match &*e.kind {
            Kind::Op(op, _) => !op.compares() && !matches!(op, Op::And | Op::Or),
            _ => true,
        };
        let applied = self.with_element(e, &mut element).filter(|_| number)?;
        Some((element?, bare(&applied)))
    }

    /// The expression with the variable [`Pulling::element`] for the array's scalar.
    fn with_element(&self, e: &Expr, element: &mut Option<Expr>) -> Option<Expr> {
        if self.is_element(e) {
            let first = element.get_or_insert_with(|| e.clone());
            return (bare(first) == bare(e)).then(|| Expr::local(&self.element));
        }
        match &*e.kind {
            Kind::Local(local) => self.scalars.contains(local).then(|| e.clone()),
            Kind::Literal(_) => Some(e.clone()),
            Kind::Op(..) | Kind::Cast(..) | Kind::If(..) | Kind::Typed(..) => {
                let mut sound = true;
                let mut child = |child: &Expr| {
                    self.with_element(child, element).unwrap_or_else(|| {
                        sound = false;
                        child.clone()
                    })
                };
                let changed = e.map_children(&mut child);
                sound.then_some(changed)
            }
            _ => None,
        }
    }

    /// Is it one of the array's scalars?
    fn is_element(&self, e: &Expr) -> bool {
        fn flow<'f>(pulling: &'f Pulling, e: &Expr) -> Option<&'f Flow> {
            match &*e.kind {
                Kind::Local(local) => pulling.flows.get(local),
                Kind::Field(tuple, k) => flow(pulling, tuple)?.part(*k),
                _ => None,
            }
        }
        flow(self, e) == Some(&Flow::Every)
    }

    /// What the array's scalars are surrounded with, changed like them.
    fn changed(&self, fill: &Expr) -> Option<Expr> {
        let is_number = match &*fill.kind {
            Kind::Literal(_) => true,
            Kind::Op(Op::Neg, operands) => matches!(&*operands[0].kind, Kind::Literal(_)),
            _ => false,
        };
        let typed = fill.with(Kind::Typed(fill.clone(), Type::Scalar(self.scalar)));
        match &self.applied {
            None => Some(fill.clone()),
            Some(applied) => is_number.then(|| applied.put(&self.element, &typed)),
        }
    }

    fn applied(&mut self, form: &Form, arguments: &[Argument]) -> Option<(Vec<Argument>, Flow)> {
        Some(match (form, arguments) {
            (
                Form::Layout(_) | Form::Reorder | Form::Repeat | Form::Unzip,
                [others @ .., Argument::Value(xs)],
            ) => {
                let (xs, flow) = self.pulled(xs)?;
                ([others, &[Argument::Value(xs)]].concat(), flow)
            }
            (Form::Pad, [others @ .., Argument::Value(fill), Argument::Value(xs)]) => {
                let (xs, flow) = self.pulled(xs)?;
                if self.flows.read_by(fill) || !(flow.is_every() || flow.is_none()) {
                    return None;
                }
                let fill = if flow.is_none() { fill.clone() } else { self.changed(fill)? };
                ([others, &[Argument::Value(fill), Argument::Value(xs)]].concat(), flow)
            }
            (Form::Zip, _) => {
                let mut flows = vec![];
                let mut values = vec![];
                for value in arguments.iter().filter_map(Argument::expr) {
                    let (value, flow) = self.pulled(value)?;
                    values.push(Argument::Value(value));
                    flows.push(flow);
                }
                (values, Flow::Parts(flows))
            }
            (Form::Map, [Argument::Function(f), Argument::Value(xs)]) => {
                let (xs, flow) = self.pulled(xs)?;
                let pattern = without_types(&f.params[0], &flow);
                self.flows.bind(&pattern, &flow);
                let (body, flow) = self.pulled(&f.body)?;
                let f = Lambda { body, params: vec![pattern], ..f.clone() };
                (vec![Argument::Function(f), Argument::Value(xs)], flow)
            }
            (Form::Generate, [Argument::Generator(var, body)]) => {
                let (body, flow) = self.pulled(body)?;
                (vec![Argument::Generator(var.clone(), body)], flow)
            }
            (Form::Reduce | Form::Scan, [Argument::Value(z), Argument::Function(f), Argument::Value(xs)]) => {
                let (xs, flow) = self.pulled(xs)?;
                let z = self.whole(z)?;
                let terms = without_types(&f.params[1], &flow);
                self.flows.bind(&f.params[0], &Flow::None);
                self.flows.bind(&terms, &flow);
                let body = self.whole(&f.body)?;
                let f = Lambda { body, params: vec![f.params[0].clone(), terms], ..f.clone() };
                (vec![Argument::Value(z), Argument::Function(f), Argument::Value(xs)], Flow::None)
            }
            // Nothing is applied to vectors one by one; what is copied or placed was told so by hand.
            (
                Form::Layout(_)
                | Form::Reorder
                | Form::Repeat
                | Form::Unzip
                | Form::Pad
                | Form::Concat
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
}

/// Equal for expressions that read the same, wherever they stand.
fn bare(e: &Expr) -> Expr {
    e.nowhere().number(&mut 0)
}

/// A pattern without the types that were written for what changed.
fn without_types(pattern: &Pattern, flow: &Flow) -> Pattern {
    match pattern {
        Pattern::Typed(inner, _) if !flow.is_none() => without_types(inner, flow),
        Pattern::Tuple(patterns) => {
            let each = patterns.iter().enumerate();
            let each = each.map(|(k, pattern)| without_types(pattern, flow.part(k).unwrap_or(&Flow::None)));
            Pattern::Tuple(each.collect())
        }
        other => other.clone(),
    }
}
