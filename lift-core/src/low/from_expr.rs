//! From expressions to the tree of what is read: the one place that tells apart all forms of primitives.

use super::{Fetched, Fold, Indexed, Map, Memory, Over, Read, Reading, Run, Write};
use crate::check::Typed;
use crate::expr::{Argument, Expr, Function, Kind, Lambda};
use crate::kernel::Parallel;
use crate::nat::{Nat, Var};
use crate::primitives::{Bindings, Form, Loop, Primitive};
use crate::scalar::Value;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// An expression that no checked and inlined function has.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused(pub String);

type Result<T> = std::result::Result<T, Refused>;

/// What a function without calls computes into its results.
pub fn of(function: &Function, typed: &Typed) -> Result<Rc<Write>> {
    Ok(Write::of(&Reader { typed }.read(&function.body)?))
}

struct Reader<'a> {
    typed: &'a Typed,
}

fn refused<T>(reason: String) -> Result<T> {
    Err(Refused(reason))
}

/// The arguments of a primitive by what they are, each in order.
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
                None => return refused("a literal that is no scalar".into()),
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
            Form::Map | Form::Spread(_) | Form::MapSeq(_) => return self.map(e, p, arguments),
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
                let memory = Memory { space: *space, pitch, by_element: false };
                Reading::Kept(memory, Write::of(&value(0)?))
            }
            Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate => {
                let lambda = arguments.function.ok_or_else(|| missing("a function"))?;
                let parameter =
                    |k: usize| lambda.params.get(k).cloned().ok_or_else(|| missing("a parameter"));
                let over = match form {
                    Form::Iterate => Over::Times(size(0)?),
                    Form::Scan => Over::Prefixes { element: parameter(1)?, of: value(1)? },
                    form => Over::Elements {
                        run: match form {
                            Form::ReduceSeq(Loop::Unrolled) => Run::Unrolled,
                            Form::ReduceSeq(Loop::Rolled) => Run::As(Parallel::Sequential),
                            _ => Run::Open,
                        },
                        element: parameter(1)?,
                        of: value(1)?,
                    },
                };
                let (start, step) = (Write::of(&value(0)?), Write::of(&self.read(&lambda.body)?));
                Reading::Fold(Rc::new(Fold { start, running: parameter(0)?, step, over }))
            }
            Form::Ahead => {
                let operand = *arguments.values.first().ok_or_else(|| missing("an operand"))?;
                Reading::Ahead(self.fetched(operand)?)
            }
            Form::Rotated => Reading::Rotated(value(0)?),
        };
        self.node(e, kind)
    }

    /// Where each element says in which memory it is to be, the array is there, if a work-item makes it or several do.
    fn map(&self, e: &Expr, p: Primitive, arguments: &Arguments) -> Result<Rc<Read>> {
        let (run, map) = self.lazily(e, p, arguments)?;
        let space = match (run, &map.kind) {
            (Run::Open, _) => None,
            (_, Reading::Map(map)) => match &map.body.tail().kind {
                Reading::Kept(memory, _) if !memory.by_element => Some(memory.space),
                _ => None,
            },
            _ => None,
        };
        match space {
            Some(space) => {
                let memory = Memory { space, pitch: Nat::constant(0), by_element: true };
                self.node(e, Reading::Kept(memory, Write::of(&map)))
            }
            None => Ok(map),
        }
    }

    fn lazily(&self, e: &Expr, p: Primitive, arguments: &Arguments) -> Result<(Run, Rc<Read>)> {
        let (Some(Lambda { params, body, .. }), [over]) = (arguments.function, &arguments.values[..]) else {
            return refused(format!("`{}` without a function or an array", p.name));
        };
        let Some(element) = params.first().cloned() else {
            return refused(format!("`{}` of a function without a parameter", p.name));
        };
        let dimension = || arguments.sizes.first().and_then(|d| u8::try_from(d.as_constant()?).ok());
        let run = match (&p.form, dimension()) {
            (Form::Spread(level), Some(d)) => Run::As(level.parallel(d)),
            (Form::MapSeq(Loop::Unrolled), _) => Run::Unrolled,
            (Form::MapSeq(Loop::Rolled), _) => Run::As(Parallel::Sequential),
            _ => Run::Open,
        };
        let map = Map { run, element, body: self.read(body)?, over: self.read(over)? };
        Ok((run, self.node(e, Reading::Map(map))?))
    }

    /// What is fetched by a function is computed into the memory that it is fetched to.
    fn fetched(&self, array: &Expr) -> Result<Fetched> {
        match &*array.kind {
            Kind::Typed(inner, _) => return self.fetched(inner),
            Kind::Apply(p, arguments) if matches!(p.form, Form::Map | Form::MapSeq(_)) => {
                let (_, map) = self.lazily(array, *p, &Arguments::of(arguments))?;
                if let Reading::Map(Map { element, body, over, .. }) = &map.kind {
                    let function = Some((element.clone(), Write::of(body)));
                    return Ok(Fetched { function, of: over.clone() });
                }
            }
            _ => {}
        }
        Ok(Fetched { function: None, of: self.read(array)? })
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
