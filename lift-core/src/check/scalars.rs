//! Operators, functions and conversions of scalars: Rust's own rules, nothing widens silently.
//! They apply to the elements of vectors of one width, where a scalar stands for each.

use super::Checker;
use super::describe::{name, parenthesised};
use super::holes::Wanted;
use crate::expr::Expr;
use crate::nat::Nat;
use crate::resolve::Reported;
use crate::scalar::{Domain, Op};
use crate::syntax::{Diagnostic, Site};
use crate::types::{Scalar, Type};

impl Checker<'_> {
    /// The type of an operation: operands of one scalar type that the operator accepts, vectors all of one width.
    pub fn operator(&mut self, site: Site, op: Op, operands: &[Expr]) -> Result<Type, Reported> {
        let types = self.exprs(operands)?;
        for (operand, ty) in operands.iter().zip(&types) {
            self.scalar_operand(site, op, operand, ty, &types)?;
        }
        for (operand, ty) in operands.iter().zip(&types) {
            if let ty @ Type::Scalar(_) = self.element(ty) {
                let number = self.number_of(operand, &ty, &types);
                self.domain(site, op, &ty, number)?;
            }
        }
        let width = self.width(site, op, operands, &types)?;
        let elements: Vec<Type> = types.iter().map(|ty| self.element(ty)).collect();
        for (ty, whole) in elements.iter().zip(&types).skip(1) {
            if let Err(mismatch) = self.unify(&elements[0], ty) {
                let (a, b) = (self.show(&types[0]), self.show(whole));
                let message =
                    format!("`{}` takes operands of one type, but these are {a} and {b}", op.name());
                let diagnostic = Diagnostic::new(site, message).help("convert one of them with `as`");
                return self.mismatched(diagnostic, mismatch);
            }
        }
        self.domain(site, op, &elements[0], None)?;
        let element = if op.compares() { Type::Scalar(Scalar::Bool) } else { elements[0].clone() };
        Ok(of_width(element, width))
    }

    /// The scalar in a vector; a scalar itself.
    pub fn element(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Vector(element, _) => (*element).clone(),
            scalar => scalar,
        }
    }

    /// The one width of the vectors among an operation's operands: scalars stand for each element.
    fn width(
        &mut self,
        site: Site,
        op: Op,
        operands: &[Expr],
        types: &[Type],
    ) -> Result<Option<Nat>, Reported> {
        let mut found: Option<(Nat, &Expr)> = None;
        for (operand, ty) in operands.iter().zip(types) {
            let Type::Vector(_, width) = self.shallow(ty) else { continue };
            let Some((first, whose)) = &found else {
                found = Some((width, operand));
                continue;
            };
            if !self.equal(first, &width) {
                let message = format!(
                    "`{}` takes vectors of one width, but {} has {first} elements and {} {width}",
                    op.name(),
                    name(whose),
                    name(operand)
                );
                let widths = [
                    (format!("{} has", name(whose)), first.clone()),
                    (format!("{} has", name(operand)), width),
                ];
                let diagnostic = Diagnostic::new(site, message);
                let help = "make vectors of one width: the first argument of `asVector` and `vectorize` is the width";
                self.unequal(diagnostic.help(help), &widths, true)?;
            }
        }
        Ok(found.map(|(width, _)| width))
    }

    /// Is an operand a scalar or a vector at all? Other mistakes say more about themselves here than in `unify`.
    fn scalar_operand(
        &mut self,
        site: Site,
        op: Op,
        operand: &Expr,
        ty: &Type,
        all: &[Type],
    ) -> Result<(), Reported> {
        let found = match self.shallow(ty) {
            Type::Scalar(_) | Type::Hole(_) | Type::Vector(..) => return Ok(()),
            Type::Index => {
                // It should be converted to the type of the other operands.
                let number =
                    |ty: &Type| self.resolved(&self.element(ty)).as_scalar().filter(|s| *s != Scalar::Bool);
                let to = all.iter().find_map(number);
                return self.not_a_number(operand, to);
            }
            _ => self.show(ty),
        };
        // `map(sqrt, xss)`
        let this = if operand.site == site { "its argument".into() } else { name(operand) };
        let message = format!("`{}` takes scalars, but {this} is {found}", op.name());
        let help = match self.shallow(ty) {
            Type::Tuple(_) => "take the tuple apart: `|(a, b)| …`",
            _ => "apply it to each element with `map`",
        };
        self.report(Diagnostic::new(operand.site, message).help(help))
    }

    /// How a `bool` among numbers is made a number like them.
    fn number_of(&self, operand: &Expr, ty: &Type, all: &[Type]) -> Option<String> {
        if *ty != Type::Scalar(Scalar::Bool) {
            return None;
        }
        let scalar = |ty: &Type| self.resolved(&self.element(ty)).as_scalar().filter(|s| *s != Scalar::Bool);
        let to = all.iter().find_map(scalar).unwrap_or(Scalar::I32);
        let through = if to.is_float() { "u8 as " } else { "" };
        Some(format!("write `{} as {through}{to}`", parenthesised(operand)))
    }

    /// `help` is what to do if the operator does not take this type.
    fn domain(&mut self, site: Site, op: Op, ty: &Type, help: Option<String>) -> Result<(), Reported> {
        let fits = match (self.shallow(ty), self.wanted(ty)) {
            (Type::Scalar(s), _) => op.domain().contains(s),
            (Type::Hole(hole), Some(Wanted::Integer)) if op.domain() == Domain::Float => {
                let rewritten = self.rewrite(hole, Scalar::F32);
                return if rewritten { Err(Reported) } else { Ok(()) };
            }
            (_, Some(Wanted::Integer)) => !matches!(op.domain(), Domain::Float | Domain::Bool),
            (_, Some(Wanted::Float)) => matches!(op.domain(), Domain::Float | Domain::Number | Domain::Any),
            _ => true,
        };
        if fits {
            return Ok(());
        }
        let message =
            format!("`{}` takes {}, but this is {}", op.name(), op.domain().describe(), self.show(ty));
        let mut diagnostic = Diagnostic::new(site, message);
        if let (Domain::Number, Some(help)) = (op.domain(), help) {
            diagnostic = diagnostic.help(help);
        }
        if op.domain() == Domain::Float {
            diagnostic = diagnostic.help("convert numbers to floats with `as f32`");
        }
        if op == Op::BitXor {
            diagnostic = diagnostic.help("`pow(x, y)` raises to a power");
        }
        self.report(diagnostic)
    }

    /// `as`, with Rust's rules: numbers into numbers, `bool` into integers.
    pub fn cast(&mut self, site: Site, inner: &Expr, to: Scalar) -> Result<Type, Reported> {
        let ty = self.expr(inner)?;
        let (ty, width) = match self.shallow(&ty) {
            Type::Vector(element, width) => ((*element).clone(), Some(width)),
            _ => (ty, None),
        };
        let from = match self.shallow(&ty) {
            Type::Index if to != Scalar::Bool => return Ok(Type::Scalar(to)),
            Type::Scalar(from) => from,
            Type::Hole(_) => match self.resolved(&ty).as_scalar() {
                Some(from) => {
                    let _ = self.unify(&ty, &Type::Scalar(from));
                    from
                }
                None => return Err(Reported),
            },
            _ => {
                let message = format!("`as` converts scalars, but {} is {}", name(inner), self.show(&ty));
                return self
                    .report(Diagnostic::new(site, message).help("apply it to each element with `map`"));
            }
        };
        match (from, to) {
            (from, Scalar::Bool) if from != Scalar::Bool => {
                let zero = if from.is_float() { "0.0" } else { "0" };
                let help = format!("write `{} != {zero}`", parenthesised(inner));
                self.report(Diagnostic::new(site, format!("`{from}` does not become `bool`")).help(help))
            }
            (Scalar::Bool, to) if to.is_float() => {
                let help = format!("write `{} as u8 as {to}`", parenthesised(inner));
                self.report(Diagnostic::new(site, format!("`bool` does not become `{to}`")).help(help))
            }
            _ => Ok(of_width(Type::Scalar(to), width)),
        }
    }
}

/// A scalar type, or a vector of it.
fn of_width(element: Type, width: Option<Nat>) -> Type {
    match width {
        Some(width) => Type::vector(element, width),
        None => element,
    }
}
