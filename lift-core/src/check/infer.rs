//! The type of every kind of expression.
//!
//! After a mistake the checker goes on with what it has. `Err(Reported)` means that the mistake has been told
//! and nothing is known of the type; whoever receives it says nothing more about it.

use super::constant::is_computable;
use super::describe::{name, parenthesised};
use super::holes::{Mismatch, Wanted};
use super::{Checker, Open};
use crate::expr::{Expr, Kind, Literal, Pattern};
use crate::nat::{Condition, Facts, Nat};
use crate::resolve::Reported;
use crate::scalar::Op;
use crate::syntax::{Diagnostic, Site};
use crate::types::{Scalar, Type};

/// Values that may be written one by one in an array if they are computed when the program
/// runs: each takes code of its own.
const MOST_COMPUTED: usize = 64;

impl Checker<'_> {
    /// Infers, and notes the type beside the tree.
    pub fn expr(&mut self, e: &Expr) -> Result<Type, Reported> {
        let outer = std::mem::replace(&mut self.here, e.site);
        let ty = self.kind(e);
        self.explain_sizes(e);
        self.here = outer;
        let ty = ty?;
        self.typed.types.insert(e.id, ty.clone());
        Ok(ty)
    }

    /// Adds to the mistakes that were found in an expression last which of their sizes a call in it took
    /// by name.
    pub fn explain_sizes(&mut self, e: &Expr) {
        let new = self.explained.min(self.diagnostics.len());
        self.explained = self.diagnostics.len();
        if new == self.diagnostics.len() || self.by_name.is_empty() {
            return;
        }
        let calls = self.by_name_in(e);
        for diagnostic in &mut self.diagnostics[new..] {
            calls.iter().filter_map(|site| self.by_name.get(site)).for_each(|call| call.explain(diagnostic));
        }
    }

    /// Where the calls stand that an expression's value comes from, and that took sizes by name.
    fn by_name_in(&self, e: &Expr) -> Vec<Site> {
        let mut found = vec![];
        e.visit(&mut |e| match &*e.kind {
            Kind::Call(..) if self.by_name.contains_key(&e.site) => found.push(e.site),
            Kind::Local(local) => found.extend(self.bound.get(local).into_iter().flatten()),
            _ => {}
        });
        found
    }

    /// Remembers that a variable's value came from calls that took sizes by name: mistakes in its uses say so too.
    fn bind_sizes(&mut self, pattern: &Pattern, value: &Expr) {
        if self.by_name.is_empty() {
            return;
        }
        let calls = self.by_name_in(value);
        if !calls.is_empty() {
            pattern.locals().into_iter().for_each(|local| {
                self.bound.insert(local.clone(), calls.clone());
            });
        }
    }

    /// All of them, so that each one's mistakes are seen.
    pub fn exprs(&mut self, es: &[Expr]) -> Result<Vec<Type>, Reported> {
        let all: Vec<_> = es.iter().map(|e| self.expr(e)).collect();
        all.into_iter().collect()
    }

    /// The type by the form of the expression. Mistakes in one part do not keep the others from being checked.
    fn kind(&mut self, e: &Expr) -> Result<Type, Reported> {
        match &*e.kind {
            // Unbound only if a mistake in its binding has been reported.
            Kind::Local(local) => self.locals.get(local).cloned().flatten().ok_or(Reported),
            Kind::Literal(Literal::Exact(value)) => Ok(Type::Scalar(value.scalar())),
            Kind::Literal(literal) => {
                let integer = matches!(literal, Literal::Int(_));
                // The type of an unsuffixed literal is a hole, which its surroundings fill.
                let ty = self.hole(if integer { Wanted::Integer } else { Wanted::Float });
                self.literals.push((e.site, *literal, ty.clone()));
                Ok(ty)
            }
            Kind::Array(elements) => self.array(elements),
            Kind::Size(n) => self.defined(n, e.site).map(|()| Type::Index),
            Kind::Test(c) => self.tested(c, e.site).map(|()| Type::Scalar(Scalar::Bool)),
            Kind::Let(pattern, value, body) => {
                let ty = self.expr(value);
                self.bind(pattern, ty.as_ref().ok(), value.site);
                self.bind_sizes(pattern, value);
                let body = self.expr(body);
                ty.and(body)
            }
            Kind::Tuple(parts) => Ok(Type::tuple(self.exprs(parts)?)),
            Kind::Field(tuple, k) => self.field(e.site, tuple, *k),
            Kind::Op(op, operands) => self.operator(e.site, *op, operands),
            Kind::Cast(inner, to) => self.cast(e.site, inner, *to),
            Kind::If(condition, then, otherwise) => self.conditional(condition, then, otherwise),
            Kind::Apply(primitive, arguments) => self.primitive(e, *primitive, arguments),
            Kind::Call(callee, given, arguments) => self.call(e, callee, given, arguments),
            Kind::Typed(inner, ty) => {
                let found = self.expr(inner)?;
                self.expect(ty, &found, inner.site, |d, f| format!("{d} was declared, but this is {f}"))?;
                Ok(ty.clone())
            }
        }
    }

    /// Demands a type; the message is made from the wanted and the found one.
    pub fn expect(
        &mut self,
        wanted: &Type,
        found: &Type,
        site: Site,
        message: impl FnOnce(&str, &str) -> String,
    ) -> Result<(), Reported> {
        let Err(mismatch) = self.unify(wanted, found) else { return Ok(()) };
        let diagnostic = Diagnostic::new(site, message(&self.show(wanted), &self.show(found)));
        self.mismatched(diagnostic, mismatch)
    }

    /// An array of expressions, all of one type.
    fn array(&mut self, elements: &[Expr]) -> Result<Type, Reported> {
        let types = self.exprs(elements)?;
        let number = |ty: &Type| self.resolved(ty).as_scalar();
        let to = types.iter().find_map(number);
        let mut numbers = Ok(());
        for (ty, element) in types.iter().zip(elements) {
            if self.shallow(ty) == Type::Index {
                numbers = self.not_a_number(element, to);
            }
        }
        numbers?;
        let Some((first, rest)) = types.split_first() else { return Err(Reported) };
        for (ty, element) in rest.iter().zip(&elements[1..]) {
            self.expect(first, ty, element.site, |w, f| {
                format!("the elements of an array are of one type: the first is {w}, this is {f}")
            })?;
        }
        if elements.len() > MOST_COMPUTED
            && let Some(element) = elements.iter().find(|e| !is_computable(e))
        {
            let message = format!("an array of computed values has at most {MOST_COMPUTED} elements here");
            let help = "longer ones are made by `map`, `generate` or `repeat`";
            return self.report(Diagnostic::new(element.site, message).help(help));
        }
        Ok(Type::array(first.clone(), elements.len().into()))
    }

    /// A component of a tuple.
    fn field(&mut self, site: Site, tuple: &Expr, k: usize) -> Result<Type, Reported> {
        let ty = self.expr(tuple)?;
        match self.shallow(&ty) {
            Type::Tuple(parts) if k < parts.len() => Ok(parts[k].clone()),
            Type::Tuple(parts) => {
                let message = format!("there is no part {k}: {} has {} parts", name(tuple), parts.len());
                self.report(Diagnostic::new(site, message).note("the first is `.0`"))
            }
            _ => self.error(site, format!("{} is {}, not a tuple", name(tuple), self.show(&ty))),
        }
    }

    /// Both branches have one type; each is checked knowing what the condition says of sizes and indices, and so are
    /// their types compared: `if N == 4 { repeat(4, 0.0) } else { xs }` has the length of `xs`, `N`, whose values are the
    /// first branch's wherever that one is reached.
    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Result<Type, Reported> {
        let c = self.expr(condition);
        let holds = tests(condition, Op::And);
        let refuted: Vec<_> = tests(condition, Op::Or).into_iter().map(Condition::not).collect();
        let t = self.knowing(&holds, |checker| checker.expr(then));
        let o = self.knowing(&refuted, |checker| checker.expr(otherwise));
        let c = c?;
        if let Type::Vector(element, width) = self.shallow(&c) {
            self.condition(condition, &element)?;
            return self.lane_by_lane((then, &t?), (otherwise, &o?), &width);
        }
        self.condition(condition, &c)?;
        let t = t?;
        let o = o?;
        let sizes = [(then, &t), (otherwise, &o)].map(|(branch, ty)| match self.shallow(ty) {
            Type::Index => self.not_a_number(branch.tail(), self.resolved(&o).as_scalar()),
            _ => Ok(()),
        });
        sizes.into_iter().collect::<Result<(), Reported>>()?;
        // Which of the two it is would have to be proved.
        if self.open == Open::Trusted && self.resolved(&t) != self.resolved(&o) {
            return Err(Reported);
        }
        let Err(mismatch) = self.knowing(&refuted, |checker| checker.unify(&t, &o)) else { return Ok(t) };
        if matches!(mismatch, Mismatch::Lengths(..))
            && self.knowing(&holds, |checker| checker.unify(&t, &o)).is_ok()
        {
            return Ok(o);
        }
        let (first, this) = (self.show(&t), self.show(&o));
        let message =
            format!("both branches of an `if` are of one type: the first is {first}, this is {this}");
        self.mismatched(Diagnostic::new(otherwise.tail().site, message), mismatch)?;
        Ok(t)
    }

    /// The type of a choice that each lane of a condition makes for itself: the branches are vectors of as many lanes, scalars
    /// that stand for each lane, or tuples of these.
    fn lane_by_lane(
        &mut self,
        then: (&Expr, &Type),
        otherwise: (&Expr, &Type),
        width: &Nat,
    ) -> Result<Type, Reported> {
        let (t, o) = (self.shallow(then.1), self.shallow(otherwise.1));
        if let (Type::Tuple(ts), Type::Tuple(os)) = (&t, &o)
            && ts.len() == os.len()
        {
            let parts = ts.iter().zip(os.iter());
            let parts = parts.map(|(t, o)| self.lane_by_lane((then.0, t), (otherwise.0, o), width));
            return Ok(Type::tuple(parts.collect::<Result<Vec<_>, _>>()?));
        }
        for (branch, ty) in [(then.0, &t), (otherwise.0, &o)] {
            let fits = match ty {
                Type::Scalar(_) | Type::Hole(_) => true,
                Type::Vector(_, own) => self.equal(own, width),
                Type::Array(..) | Type::Tuple(_) | Type::Index => false,
            };
            if !fits {
                let message = format!(
                    "a condition of {width} lanes chooses between vectors of {width} lanes, but this is {}",
                    self.show(ty)
                );
                return self.report(Diagnostic::new(branch.tail().site, message));
            }
        }
        let (first, second) = (self.element(&t), self.element(&o));
        if let Err(mismatch) = self.unify(&first, &second) {
            let (first, this) = (self.show(&t), self.show(&o));
            let message =
                format!("both branches of an `if` are of one type: the first is {first}, this is {this}");
            return self.mismatched(Diagnostic::new(otherwise.0.tail().site, message), mismatch);
        }
        Ok(Type::vector(first, width.clone()))
    }

    /// Checks a branch that is reached only where these conditions on sizes and indices hold.
    fn knowing<R>(&mut self, conditions: &[Condition], check: impl FnOnce(&mut Self) -> R) -> R {
        if conditions.is_empty() {
            return check(self);
        }
        self.learning(|facts| conditions.iter().for_each(|condition| facts.assume(condition)), check)
    }

    /// Checks something where more is known. Where no condition is asked for that would help nobody, and nothing is learned.
    pub fn learning<R>(&mut self, learn: impl FnOnce(&mut Facts), check: impl FnOnce(&mut Self) -> R) -> R {
        if self.open == Open::Trusted {
            return check(self);
        }
        // Constraints on `tune` parameters that were found inside hold outside too: they
        // are demands on the whole program.
        let (outer, known) = (self.facts.clone(), self.typed.constraints.len());
        learn(&mut self.facts);
        let result = check(self);
        self.facts = outer;
        for (constraint, _) in &self.typed.constraints[known..] {
            self.facts.assume(constraint);
        }
        result
    }

    /// A condition has the type `bool`.
    fn condition(&mut self, condition: &Expr, ty: &Type) -> Result<(), Reported> {
        if self.unify(&Type::Scalar(Scalar::Bool), ty).is_ok() {
            return Ok(());
        }
        let message = format!("a condition is a `bool`, but this is {}", self.show(ty));
        let diagnostic = Diagnostic::new(condition.site, message);
        let zero = match self.resolved(ty) {
            Type::Scalar(s) if s.is_float() => "0.0",
            Type::Scalar(_) => "0",
            _ => return self.report(diagnostic),
        };
        self.report(diagnostic.help(format!("write `{} != {zero}`", parenthesised(condition))))
    }

    /// Binds a pattern's variables; without a type, silently to nothing.
    pub fn bind(&mut self, pattern: &Pattern, ty: Option<&Type>, site: Site) {
        match (pattern, ty) {
            (Pattern::Wild, _) => {}
            (Pattern::Local(local), ty) => {
                self.locals.insert(local.clone(), ty.cloned());
            }
            (Pattern::Typed(inner, declared), Some(ty)) => {
                self.well_formed(declared, site);
                let result =
                    self.expect(declared, ty, site, |w, f| format!("{w} was declared, but this is {f}"));
                self.bind(inner, result.is_ok().then_some(declared), site);
            }
            (Pattern::Tuple(patterns), Some(ty)) => match self.shallow(ty) {
                Type::Tuple(parts) if parts.len() == patterns.len() => {
                    patterns.iter().zip(parts.iter()).for_each(|(p, part)| self.bind(p, Some(part), site));
                }
                _ => {
                    let (wanted, found) = (patterns.len(), self.show(ty));
                    let message = format!(
                        "the pattern `{pattern}` takes apart a tuple of {wanted}, but this is {found}"
                    );
                    let mut diagnostic = Diagnostic::new(site, message);
                    if let Type::Array(..) = self.shallow(ty) {
                        let note = "an array is not a tuple: `reduce` combines its elements, `take` and `drop` cut it";
                        diagnostic = diagnostic.note(note);
                    }
                    self.diagnostics.push(diagnostic);
                    patterns.iter().for_each(|p| self.bind(p, None, site));
                }
            },
            (Pattern::Tuple(patterns), None) => patterns.iter().for_each(|p| self.bind(p, None, site)),
            (Pattern::Typed(inner, _), None) => self.bind(inner, None, site),
        }
    }
}

/// The conditions on sizes and indices among the parts that `joint` puts together: of `a && b`, where it holds,
/// both hold; of `a || b`, where it does not, neither.
fn tests(e: &Expr, joint: Op) -> Vec<Condition> {
    match &*e.kind {
        Kind::Test(condition) => vec![condition.clone()],
        Kind::Op(op, parts) if *op == joint => parts.iter().flat_map(|part| tests(part, joint)).collect(),
        _ => vec![],
    }
}
