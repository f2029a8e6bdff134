//! Operators, functions and conversions of scalars: Rust's own rules, nothing widens silently.
//! They apply to the elements of vectors of one width, where a scalar stands for each.

use super::Checker;
use super::describe::name;
use super::holes::{Mismatch, Wanted};
use crate::expr::Expr;
use crate::nat::Nat;
use crate::resolve::Reported;
use crate::scalar::{Domain, Op};
use crate::syntax::{Diagnostic, Site};
use crate::types::{Scalar, Type};

impl Checker<'_> {
    pub fn operator(&mut self, site: Site, op: Op, operands: &[Expr]) -> Result<Type, Reported> {
        let types = self.exprs(operands)?;
        for (operand, ty) in operands.iter().zip(&types) {
            self.scalar_operand(op, operand, ty)?;
        }
        let width = self.width(site, op, operands, &types)?;
        let elements: Vec<Type> = types.iter().map(|ty| self.element(ty)).collect();
        for (ty, whole) in elements.iter().zip(&types).skip(1) {
            if let Err(mismatch) = self.unify(&elements[0], ty) {
                let (a, b) = (self.show(&types[0]), self.show(whole));
                let message =
                    format!("`{}` takes operands of one type, but these are {a} and {b}", op.name());
                let diagnostic = Diagnostic::new(site, message);
                return self.report(match mismatch {
                    Mismatch::IntegerForFloat => {
                        diagnostic.help("write the literal as a float, with a point: `1.0`")
                    }
                    _ => diagnostic.help("convert one of them with `as`"),
                });
            }
        }
        self.domain(site, op, &elements[0])?;
        let element = if op.compares() { Type::Scalar(Scalar::Bool) } else { elements[0].clone() };
        Ok(of_width(element, width))
    }

    /// The scalar in a vector; a scalar itself.
    fn element(&self, ty: &Type) -> Type {
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
                let diagnostic = self.explain_lengths(Diagnostic::new(site, message), first, &width);
                return self.report(diagnostic);
            }
        }
        Ok(found.map(|(width, _)| width))
    }

    fn scalar_operand(&mut self, op: Op, operand: &Expr, ty: &Type) -> Result<(), Reported> {
        let found = match self.shallow(ty) {
            Type::Scalar(_) | Type::Hole(_) | Type::Vector(..) => return Ok(()),
            Type::Index => {
                let message = format!("{} is a size, not a number", name(operand));
                let help = format!("make a number of it: `{operand} as f32`");
                return self.report(Diagnostic::new(operand.site, message).help(help));
            }
            _ => self.show(ty),
        };
        let message = format!("`{}` takes scalars, but {} is {found}", op.name(), name(operand));
        self.report(Diagnostic::new(operand.site, message).help("apply it to each element with `map`"))
    }

    fn domain(&mut self, site: Site, op: Op, ty: &Type) -> Result<(), Reported> {
        let fits = match (self.shallow(ty), self.wanted(ty)) {
            (Type::Scalar(s), _) => op.domain().contains(s),
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
        if op.domain() == Domain::Float {
            diagnostic = diagnostic.help("convert it: `… as f32`");
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
            (from, Scalar::Bool) if from != Scalar::Bool => self.report(
                Diagnostic::new(site, format!("`{from}` does not become `bool`"))
                    .help("compare it: `x != 0`"),
            ),
            (Scalar::Bool, to) if to.is_float() => {
                let help = format!("go through an integer: `… as u8 as {to}`");
                self.report(Diagnostic::new(site, format!("`bool` does not become `{to}`")).help(help))
            }
            _ => Ok(of_width(Type::Scalar(to), width)),
        }
    }
}

fn of_width(element: Type, width: Option<Nat>) -> Type {
    match width {
        Some(width) => Type::vector(element, width),
        None => element,
    }
}
