//! From expressions to the low tree: the only place that tells all forms of primitives apart.
//!
//! The match over forms has no default arm: the compiler does not build until a new form is decided on here.

use super::{Fetched, Fold, Indexed, Map, Memory, Over, Read, Reading, Run, Write};
use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda};
use crate::hierarchy::Parallel;
use crate::nat::{Nat, Var};
use crate::primitives::{Bindings, Form, Loop, Primitive};
use crate::scalar::Value;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// An expression that no checked and inlined function contains.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused(pub String);

type Result<T> = std::result::Result<T, Refused>;

/// The low tree of a function without calls: what it writes into its results.
pub fn of(function: &Function, typed: &Typed) -> Result<Rc<Write>> {
    Ok(Write::of(&Reader { typed }.read(&function.body)?))
}

/// The expression's types and sizes, found by the checker.
struct Reader<'a> {
    typed: &'a Typed,
}

fn refused<T>(reason: String) -> Result<T> {
    Err(Refused(reason))
}

/// The arguments of a primitive by kind, each kind in order.
#[derive(Default)]
struct Arguments<'e> {
    sizes: Vec<&'e Nat>,
    values: Vec<&'e Expr>,
    function: Option<&'e Lambda>,
    index: Option<(&'e Var, &'e Nat)>,
    generator: Option<(&'e Var, &'e Expr)>,
}

impl<'e> Arguments<'e> {
    fn of(all: &'e [Argument]) -> Arguments<'e> {
        let mut sorted = Arguments::default();
        for argument in all {
            match argument {
                Argument::Size(n) => sorted.sizes.push(n),
                Argument::Value(e) => sorted.values.push(e),
                Argument::Function(lambda) => sorted.function = Some(lambda),
                Argument::Index(var, n) => sorted.index = Some((var, n)),
                Argument::Generator(var, e) => sorted.generator = Some((var, e)),
            }
        }
        sorted
    }
}

impl Reader<'_> {
    fn ty(&self, e: &Expr) -> Result<Type> {
        self.typed.ty(e.id).cloned().ok_or_else(|| Refused(format!("no type is known for `{e}`")))
    }

    fn node(&self, e: &Expr, kind: Reading) -> Result<Rc<Read>> {
        Ok(Rc::new(Read { id: e.id, site: e.site, ty: self.ty(e)?, kind }))
    }

    fn all(&self, es: &[impl std::borrow::Borrow<Expr>]) -> Result<Vec<Rc<Read>>> {
        es.iter().map(|e| self.read(e.borrow())).collect()
    }

    fn read(&self, e: &Expr) -> Result<Rc<Read>> {
        let kind = match &*e.kind {
            Kind::Local(local) => Reading::Variable(local.clone()),
            Kind::Literal(literal) => match self.ty(e)?.as_scalar() {
                Some(scalar) => Reading::Literal(literal.value(scalar)),
                None => return refused("a literal that is not a scalar".into()),
            },
            Kind::Array(_) => match *self.ty(e)?.shape().1 {
                Type::Scalar(scalar) => Reading::Constants(constants(e, scalar)),
                _ => return refused("a constant array of tuples".into()),
            },
            Kind::Size(n) => Reading::Size(n.clone()),
            Kind::Test(condition) => Reading::Test(condition.clone()),
            Kind::Let(pattern, value, body) => {
                Reading::Let(pattern.clone(), self.read(value)?, self.read(body)?)
            }
            Kind::Tuple(parts) => Reading::Tuple(self.all(parts)?),
            Kind::Field(tuple, k) => Reading::Field(self.read(tuple)?, *k),
            Kind::Op(op, operands) => Reading::Op(*op, self.all(operands)?),
            Kind::Cast(inner, to) => Reading::Cast(self.read(inner)?, *to),
            Kind::If(condition, then, otherwise) => {
                Reading::If(self.read(condition)?, self.read(then)?, self.read(otherwise)?)
            }
            Kind::Typed(inner, _) => return self.read(inner),
            Kind::Call(name, ..) => return refused(format!("the call of `{name}` was not inlined")),
            Kind::Apply(p, arguments) => return self.apply(e, *p, &Arguments::of(arguments)),
        };
        self.node(e, kind)
    }

    fn apply(&self, e: &Expr, p: Primitive, arguments: &Arguments) -> Result<Rc<Read>> {
        let missing = |what: &str| Refused(format!("`{}` without {what}", p.name));
        let value = |k: usize| match arguments.values.get(k) {
            Some(e) => self.read(e),
            None => Err(missing("an operand")),
        };
        let size = |k: usize| arguments.sizes.get(k).map(|n| (*n).clone()).ok_or_else(|| missing("a size"));
        let form: &'static Form = &p.definition().form;
        let kind = match form {
            Form::Layout(layout) => {
                let sizes = arguments.sizes.iter().map(|n| (*n).clone()).collect();
                let indexed = Indexed { primitive: p, layout, sizes, bindings: self.bindings(e)?.clone() };
                match layout.arity {
                    0 => Reading::Element(indexed, value(0)?),
                    _ => Reading::Layout(indexed, value(0)?),
                }
            }
            Form::Reorder => {
                let (var, index) = arguments.index.ok_or_else(|| missing("an index function"))?;
                Reading::Reorder(var.clone(), index.clone(), value(0)?)
            }
            Form::Pad => {
                let length = self.bindings(e)?["n"].clone();
                Reading::Pad { left: size(0)?, length, fill: value(0)?, inner: value(1)? }
            }
            Form::Concat => Reading::Concat(self.all(&arguments.values)?),
            Form::Zip => Reading::Zip(self.all(&arguments.values)?),
            Form::Unzip => Reading::Unzip(value(0)?),
            Form::Map => return self.map(e, p, Run::Open, arguments),
            Form::MapSeq(Loop::Rolled) => return self.map(e, p, Run::As(Parallel::Sequential), arguments),
            Form::MapSeq(Loop::Unrolled) => return self.map(e, p, Run::Unrolled, arguments),
            Form::Spread(level) => {
                let dimension = size(0)?.as_constant().and_then(|d| u8::try_from(d).ok());
                let dimension = dimension.ok_or_else(|| missing("a dimension"))?;
                return self.map(e, p, Run::As(level.parallel(dimension)), arguments);
            }
            Form::Generate => {
                let (var, body) = arguments.generator.ok_or_else(|| missing("a function of an index"))?;
                Reading::Generate(var.clone(), self.read(body)?)
            }
            Form::Repeat => Reading::Repeat(size(0)?, value(0)?),
            Form::AsVector => Reading::AsVector(size(0)?, value(0)?),
            Form::AsScalar => Reading::AsScalar(self.bindings(e)?["v"].clone(), value(0)?),
            Form::Dot => Reading::Dot(value(0)?, value(1)?),
            Form::Width => return value(0),
            Form::Kept(space) => {
                let pitch = arguments.sizes.first().map_or(Nat::constant(0), |n| (*n).clone());
                let memory = Memory { space: *space, pitch, by_element: false, asked: true };
                Reading::Kept(memory, Write::of(&value(0)?))
            }
            Form::Reduce => self.fold(p, Some(Run::Open), arguments)?,
            Form::ReduceSeq(Loop::Rolled) => self.fold(p, Some(Run::As(Parallel::Sequential)), arguments)?,
            Form::ReduceSeq(Loop::Unrolled) => self.fold(p, Some(Run::Unrolled), arguments)?,
            Form::Scan => self.fold(p, None, arguments)?,
            Form::Iterate => {
                let lambda = arguments.function.ok_or_else(|| missing("a function"))?;
                let running = lambda.params.first().cloned().ok_or_else(|| missing("a parameter"))?;
                let (start, step) = (Write::of(&value(0)?), Write::of(&self.read(&lambda.body)?));
                Reading::Fold(Rc::new(Fold { start, running, step, over: Over::Times(size(0)?) }))
            }
            Form::Ahead => {
                let operand = *arguments.values.first().ok_or_else(|| missing("an operand"))?;
                Reading::Ahead(self.fetched(operand)?)
            }
            Form::Rotated => Reading::Rotated(value(0)?),
            Form::Peeled => Reading::Peeled(value(0)?),
            Form::Derived(_) => {
                return refused(format!("`{}` was not replaced by what it stands for", p.name));
            }
        };
        self.node(e, kind)
    }

    /// A `reduce` whose iterations are run in this way, or a `scan` if none is given.
    fn fold(&self, p: Primitive, run: Option<Run>, arguments: &Arguments) -> Result<Reading> {
        let (Some(Lambda { params, body, .. }), [start, array]) = (arguments.function, &arguments.values[..])
        else {
            return refused(format!("`{}` without a function, a start or an array", p.name));
        };
        let [running, element] = &params[..] else {
            return refused(format!("`{}` of a function without two parameters", p.name));
        };
        let (running, element) = (running.clone(), element.clone());
        let (start, of) = (Write::of(&self.read(start)?), self.read(array)?);
        let over = match run {
            Some(run) => Over::Elements { run, element, of },
            None => Over::Prefixes { element, of },
        };
        let step = Write::of(&self.read(body)?);
        Ok(Reading::Fold(Rc::new(Fold { start, running, step, over })))
    }

    /// A map. If its elements ask for memory and somebody runs its iterations, the whole array is kept in that memory.
    fn map(&self, e: &Expr, p: Primitive, run: Run, arguments: &Arguments) -> Result<Rc<Read>> {
        let (Some(Lambda { params, body, .. }), [over]) = (arguments.function, &arguments.values[..]) else {
            return refused(format!("`{}` without a function or an array", p.name));
        };
        let Some(element) = params.first().cloned() else {
            return refused(format!("`{}` of a function without a parameter", p.name));
        };
        let (body, over) = (self.read(body)?, self.read(over)?);
        let space = match &body.tail().kind {
            Reading::Kept(memory, _) if run != Run::Open && !memory.by_element => Some(memory.space),
            _ => None,
        };
        let map = self.node(e, Reading::Map(Map { run, element, body, over }))?;
        match space {
            Some(space) => {
                let memory = Memory { space, pitch: Nat::constant(0), by_element: true, asked: true };
                self.node(e, Reading::Kept(memory, Write::of(&map)))
            }
            None => Ok(map),
        }
    }

    /// A fetched element that a function computes is computed right into the memory that it is fetched to.
    fn fetched(&self, array: &Expr) -> Result<Fetched> {
        let read = self.read(array)?;
        let computed = match &read.kind {
            Reading::Kept(memory, value) if memory.by_element => &value.read,
            _ => &read,
        };
        match &computed.kind {
            Reading::Map(map) if map.run.in_order() => {
                let function = Some((map.element.clone(), Write::of(&map.body)));
                Ok(Fetched { function, of: map.over.clone() })
            }
            _ => Ok(Fetched { function: None, of: read }),
        }
    }

    fn bindings(&self, e: &Expr) -> Result<&Bindings> {
        self.typed.bindings.get(&e.id).ok_or_else(|| Refused(format!("`{e}` was not checked")))
    }
}

/// The numbers of a constant array, in the order of memory.
fn constants(e: &Expr, scalar: Scalar) -> Vec<Value> {
    match &*e.kind {
        Kind::Array(elements) => elements.iter().flat_map(|e| constants(e, scalar)).collect(),
        Kind::Literal(literal) => vec![literal.value(scalar)],
        Kind::Typed(inner, _) => constants(inner, scalar),
        _ => vec![],
    }
}
