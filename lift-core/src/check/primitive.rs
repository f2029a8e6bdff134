//! The use of a primitive: its signature matched against its arguments.
//!
//! A signature is matched in one direction: sizes and values bind its variables, functions use them. So no
//! unification of functions is needed, and a message can say which argument bound what.

use super::Checker;
use super::holes::Wanted;
use super::operand::{Operand, Place, Subject};
use crate::expr::{Argument, Expr, Lambda, Param};
use crate::nat::{Condition, Nat, Var};
use crate::primitives::signature::{self, Pattern, Signature};
use crate::primitives::{AT, Bindings, Form, Primitive};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::{Scalar, Type};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// What the variables of a signature stand for at one use.
#[derive(Default)]
pub struct Use<'a> {
    /// What each type variable stands for.
    types: FxHashMap<Arc<str>, Type>,
    /// What each size variable stands for.
    pub sizes: Bindings,
    /// The argument that bound each length, for messages.
    pub from: FxHashMap<Arc<str>, Subject<'a>>,
}

impl Use<'_> {
    /// A length of the signature at this use.
    fn nat(&self, n: &Nat) -> Nat {
        n.substitute(&|v: &Var| self.sizes.0.get(&*v.name).cloned())
    }

    /// A requirement of the signature at this use.
    pub fn condition(&self, c: &Condition) -> Condition {
        c.substitute(&|v: &Var| self.sizes.0.get(&*v.name).cloned())
    }
}

impl Checker<'_> {
    /// The type of a use of a primitive. Sizes are bound first, then values, whose lengths bind more sizes,
    /// then fill values, and functions at last: only then are the types of their parameters known.
    pub fn primitive(
        &mut self,
        e: &Expr,
        primitive: Primitive,
        arguments: &[Argument],
    ) -> Result<Type, Reported> {
        let shown = self.marks.shown(e.site).unwrap_or(primitive.name);
        let mut values: Vec<Option<Result<Type, Reported>>> = vec![];
        for argument in arguments {
            values.push(match argument {
                Argument::Value(e) => Some(self.expr(e)),
                _ => None,
            });
        }
        let signature = self.signature(primitive, arguments, &values);
        let mut u = Use::default();
        for (wanted, argument) in signature.arguments.iter().zip(arguments) {
            if let (signature::Argument::Size(variable), Argument::Size(n)) = (wanted, argument) {
                self.defined(n, e.site)?;
                if matches!(primitive.form, Form::Spread(_)) && n.as_constant().is_none() {
                    let message = format!("the dimension of `{shown}` is a number, not a size");
                    return self.report(Diagnostic::new(e.site, message).help("write 0, 1 or 2"));
                }
                u.sizes.0.insert(variable.clone(), n.clone());
            }
        }
        let mut clean = Ok(());
        let mut place = Place::first(&signature);
        for ((wanted, argument), ty) in signature.arguments.iter().zip(arguments).zip(&values) {
            if let (signature::Argument::Value(pattern), Argument::Value(value), Some(ty)) =
                (wanted, argument, ty)
            {
                // One argument that does not fit is enough said.
                clean = match (clean, ty) {
                    (Ok(()), Ok(ty)) => {
                        let operand = self.operand(e.site, shown, value, pattern, ty, &place);
                        self.dimensions(&operand).and_then(|()| self.value(&operand, pattern, ty, &mut u))
                    }
                    _ => Err(Reported),
                };
                place.next();
            }
        }
        for ((wanted, argument), ty) in signature.arguments.iter().zip(arguments).zip(&values) {
            if let (signature::Argument::Fill(pattern), Argument::Value(value), Some(ty)) =
                (wanted, argument, ty)
            {
                match ty {
                    Ok(ty) => clean = clean.and(self.fill_value(shown, value, pattern, ty, &mut u)),
                    Err(Reported) => clean = Err(Reported),
                }
            }
        }
        clean?;
        for (wanted, argument) in signature.arguments.iter().zip(arguments) {
            self.function_of(e.site, shown, wanted, argument, &mut u)?;
        }
        if let (AT, [Argument::Size(index), _]) = (primitive.name, arguments) {
            self.in_range(e.site, index, &u)?;
        }
        let known = self.typed.constraints.len();
        self.requirements(e.site, shown, &signature, &u)?;
        if let Form::Derived(_) = primitive.form {
            self.becomes_clauses(known, e.site);
        }
        let result = self.instantiate(&signature.result, &mut u);
        self.typed.bindings.insert(e.id, u.sizes);
        Ok(result)
    }

    /// `unzip` has as many results as its tuples have parts, and `dot` takes vectors or arrays.
    fn signature(
        &self,
        primitive: Primitive,
        arguments: &[Argument],
        values: &[Option<Result<Type, Reported>>],
    ) -> Cow<'static, Signature> {
        let mut operands = arguments.len();
        if let (Form::Unzip, Some(Some(Ok(ty)))) = (&primitive.form, values.first())
            && let Type::Array(element, _) = self.shallow(ty)
            && let Type::Tuple(parts) = self.shallow(&element)
        {
            operands = parts.len();
        }
        if let (Some(arrays), Some(Some(Ok(ty)))) = (primitive.signature_of_arrays(), values.first())
            && matches!(self.shallow(ty), Type::Array(..))
        {
            return Cow::Borrowed(arrays);
        }
        primitive.signature(operands)
    }

    /// Matches a type with a pattern of the signature, which binds the variables in it.
    fn value<'a>(
        &mut self,
        o: &Operand<'a>,
        pattern: &Pattern,
        ty: &Type,
        u: &mut Use<'a>,
    ) -> Result<(), Reported> {
        match (pattern, self.shallow(ty)) {
            (Pattern::Variable(variable), Type::Array(..) | Type::Tuple(_) | Type::Vector(..))
                if Pattern::is_scalar(variable) =>
            {
                let message =
                    format!("`{}` works on scalars, but {} holds {}", o.shown, o.top(), self.show(ty));
                let help = format!("`map` `{}` over the rows", o.shown);
                self.report(Diagnostic::new(o.value.site, message).help(help))
            }
            (Pattern::Variable(variable), Type::Scalar(Scalar::Bool)) if Pattern::is_number(variable) => {
                let message = format!("`{}` computes with numbers, but {} holds bool", o.shown, o.top());
                let diagnostic = Diagnostic::new(o.value.site, message);
                self.report(diagnostic.help("convert them to numbers: `map(|x| x as i32, …)`"))
            }
            (Pattern::Variable(variable), found) => match u.types.get(variable).cloned() {
                None if found == Type::Index => self.not_a_number(o.value, None),
                None => {
                    u.types.insert(variable.clone(), found);
                    Ok(())
                }
                Some(bound) => self.expect(&bound, &found, o.value.site, |w, f| {
                    format!("`{}` needs elements of one type: these are {f}, the others {w}", o.shown)
                }),
            },
            (Pattern::Scalar(wanted), found) => {
                self.expect(&Type::Scalar(*wanted), &found, o.value.site, |w, f| {
                    format!("`{}` takes {w} here, but this is {f}", o.shown)
                })
            }
            (Pattern::Array(element, length), Type::Array(inner, n)) => {
                self.length(o, length, &n, u)?;
                self.value(&o.inside(), element, &inner, u)
            }
            (Pattern::Vector(element, width), Type::Vector(inner, n)) => {
                self.vector_width(o, width, &n, u)?;
                self.value(o, element, &inner, u)
            }
            (Pattern::Tuple(patterns), Type::Tuple(parts)) if patterns.len() == parts.len() => {
                patterns.iter().zip(parts.iter()).try_for_each(|(p, part)| self.value(o, p, part, u))
            }
            _ => self.wrong_shape(o),
        }
    }

    /// A width in the signature meets a vector's.
    fn vector_width<'a>(
        &mut self,
        o: &Operand<'a>,
        wanted: &Nat,
        found: &Nat,
        u: &mut Use<'a>,
    ) -> Result<(), Reported> {
        let Some(expected) = self.bound(o, wanted, found, u) else { return Ok(()) };
        let message =
            format!("`{}` needs vectors of {expected} here, but {} has {found}", o.shown, o.subject);
        let diagnostic = Diagnostic::new(o.site, message);
        let help = format!("`asVector({expected}, …)` makes vectors of {expected} scalars");
        let lengths = [("one has".to_string(), expected), ("the other".into(), found.clone())];
        self.unequal(diagnostic.help(help), &lengths, true)
    }

    /// Binds a length in the signature; what it is bound to already, if that is another.
    fn bound<'a>(&mut self, o: &Operand<'a>, wanted: &Nat, found: &Nat, u: &mut Use<'a>) -> Option<Nat> {
        if let Some(variable) = wanted.as_var().map(|v| &v.name)
            && !u.sizes.0.contains_key(variable)
        {
            u.sizes.0.insert(variable.clone(), found.clone());
            u.from.insert(variable.clone(), o.subject.clone());
            return None;
        }
        let expected = u.nat(wanted);
        (!self.equal(&expected, found)).then_some(expected)
    }

    /// A length in the signature meets a length of the argument.
    fn length<'a>(
        &mut self,
        o: &Operand<'a>,
        wanted: &Nat,
        found: &Nat,
        u: &mut Use<'a>,
    ) -> Result<(), Reported> {
        let Some(expected) = self.bound(o, wanted, found, u) else { return Ok(()) };
        let other = wanted.as_var().and_then(|v| u.from.get(&*v.name));
        let other = other.map_or("the first".into(), Subject::to_string);
        let message = format!(
            "`{}` needs arrays of one length, but {other} has {expected} and {} has {found}",
            o.shown, o.subject
        );
        let diagnostic = Diagnostic::new(o.site, message);
        let (diagnostic, helped) = match self.turned([&other, &o.subject.to_string()], &expected, found) {
            Some(help) => (diagnostic.help(help), true),
            None => (diagnostic, false),
        };
        let lengths = [(format!("{other} has"), expected), (format!("{} has", o.subject), found.clone())];
        self.unequal(diagnostic, &lengths, helped)
    }

    /// What to transpose, if rows were taken where columns are meant: an array has rows of the one length, and as
    /// many as the other. Two parameters of one dimension are rows of no array.
    fn turned(&self, operands: [&str; 2], expected: &Nat, found: &Nat) -> Option<String> {
        expected.as_var().zip(found.as_var())?;
        let is_vector = |operand: &str| {
            let is_it = |p: &&Param| operand.trim_matches('`') == &*p.local.name;
            self.params.iter().find(is_it).is_some_and(|p| p.ty.shape().0.len() == 1)
        };
        if operands.into_iter().all(is_vector) {
            return None;
        }
        let sides = |lengths: &[&Nat], rows: &Nat, columns: &Nat| {
            lengths.windows(2).any(|pair| pair[0] == rows && pair[1] == columns)
        };
        let turned = |rows: &Nat, columns: &Nat| {
            self.params.iter().rev().find(|p| sides(&p.ty.shape().0, rows, columns)).map(|p| {
                let name = &p.local.name;
                format!(
                    "`{name}` has {rows} rows of {columns}: `transpose({name})` has {columns} rows of {rows}"
                )
            })
        };
        turned(expected, found).or_else(|| turned(found, expected))
    }

    /// A value of the element's type, or a scalar for every scalar in it.
    fn fill_value(
        &mut self,
        shown: &str,
        value: &Expr,
        pattern: &Pattern,
        ty: &Type,
        u: &mut Use,
    ) -> Result<(), Reported> {
        let element = self.instantiate(pattern, u);
        let scalar = matches!(self.shallow(ty), Type::Scalar(_) | Type::Hole(_));
        let wanted = if scalar { self.leaves(&element) } else { vec![element] };
        wanted.iter().try_for_each(|wanted| {
            self.expect(wanted, ty, value.site, |w, f| {
                format!("`{shown}` adds elements of type {w}, but this is {f}")
            })
        })
    }

    /// The types of all scalars in a type.
    fn leaves(&self, ty: &Type) -> Vec<Type> {
        match self.shallow(ty) {
            Type::Array(element, _) => self.leaves(&element),
            Type::Tuple(parts) => parts.iter().flat_map(|p| self.leaves(p)).collect(),
            other => vec![other],
        }
    }

    /// Checks a function given to a primitive, once the types of its parameters are known.
    fn function_of(
        &mut self,
        site: Site,
        shown: &str,
        wanted: &signature::Argument,
        argument: &Argument,
        u: &mut Use,
    ) -> Result<(), Reported> {
        match (wanted, argument) {
            (signature::Argument::Function(params, result), Argument::Function(lambda)) => {
                let params: Vec<Type> = params.iter().map(|p| self.instantiate(p, u)).collect();
                let body = self.lambda(lambda, &params)?;
                self.function_result(shown, result, &lambda.body, &body, u)
            }
            (signature::Argument::Index(domain, codomain), Argument::Index(var, body)) => {
                let (domain, codomain) = (u.nat(domain), u.nat(codomain));
                let inside = Condition::ge(body, Nat::constant(0)).and(Condition::lt(body, &codomain));
                let site = self.marks.indices.get(&site).copied().unwrap_or(site);
                self.with_index(var, &domain, |checker| {
                    checker.defined(body, site)?;
                    checker.demand(&inside, || {
                        let message =
                            format!("the index {body} may be outside the {codomain} elements of `{shown}`");
                        (Diagnostic::new(site, message), vec![("the index is".into(), body.clone())])
                    })
                })
            }
            (signature::Argument::Generator(domain, result), Argument::Generator(var, body)) => {
                let ty = self.with_index(var, &u.nat(domain), |checker| checker.expr(body))?;
                self.function_result(shown, result, body, &ty, u)
            }
            _ => Ok(()),
        }
    }

    /// `xs[i]` has an element.
    fn in_range(&mut self, site: Site, index: &Nat, u: &Use) -> Result<(), Reported> {
        let site = self.marks.indices.get(&site).copied().unwrap_or(site);
        let length = &u.sizes["n"];
        let inside = Condition::ge(index, Nat::constant(0)).and(Condition::lt(index, length));
        self.demand(&inside, || {
            let array = u.from.get("n").map_or("the array".into(), Subject::to_string);
            let message = format!("the index {index} may be outside the {length} elements of {array}");
            let shown =
                vec![("the index is".into(), index.clone()), (format!("{array} has"), length.clone())];
            (Diagnostic::new(site, message), shown)
        })
    }

    /// Checks something where an index runs over a range.
    fn with_index<R>(&mut self, var: &Var, end: &Nat, check: impl FnOnce(&mut Self) -> R) -> R {
        self.learning(|facts| facts.range(var, &Nat::constant(0), end), check)
    }

    /// The type of a lambda's body, its parameters bound to these types.
    fn lambda(&mut self, lambda: &Lambda, params: &[Type]) -> Result<Type, Reported> {
        let sites = self.marks.params.get(&lambda.site);
        for (i, (pattern, ty)) in lambda.params.iter().zip(params).enumerate() {
            let site = sites.and_then(|sites| sites.get(i)).copied().unwrap_or(lambda.site);
            self.bind(pattern, Some(ty), site);
        }
        self.expr(&lambda.body)
    }

    /// Matches the type of a function's result with the signature; a variable that nothing has bound takes it.
    fn function_result(
        &mut self,
        shown: &str,
        result: &Pattern,
        body: &Expr,
        ty: &Type,
        u: &mut Use,
    ) -> Result<(), Reported> {
        if self.shallow(ty) == Type::Index {
            return self.not_a_number(body.tail(), None);
        }
        if let Pattern::Variable(variable) = result
            && !u.types.contains_key(variable)
        {
            u.types.insert(variable.clone(), ty.clone());
            return Ok(());
        }
        let wanted = self.instantiate(result, u);
        let Err(mismatch) = self.unify(&wanted, ty) else { return Ok(()) };
        let (w, f) = (self.show(&wanted), self.show(ty));
        let message = format!("the function of `{shown}` should return {w}, but this is {f}");
        self.mismatched(Diagnostic::new(body.tail().site, message), mismatch)
    }

    /// A type of the signature at this use; a variable that is still free becomes a hole.
    fn instantiate(&mut self, pattern: &Pattern, u: &mut Use) -> Type {
        match pattern {
            Pattern::Variable(variable) => match u.types.get(variable) {
                Some(ty) => ty.clone(),
                None => {
                    let hole = self.hole(Wanted::Anything);
                    u.types.insert(variable.clone(), hole.clone());
                    hole
                }
            },
            Pattern::Scalar(scalar) => Type::Scalar(*scalar),
            Pattern::Array(element, length) => Type::array(self.instantiate(element, u), u.nat(length)),
            Pattern::Vector(element, width) => Type::vector(self.instantiate(element, u), u.nat(width)),
            Pattern::Tuple(parts) => {
                Type::tuple(parts.iter().map(|p| self.instantiate(p, u)).collect::<Vec<_>>())
            }
        }
    }
}
