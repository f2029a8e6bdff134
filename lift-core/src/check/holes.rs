//! Types not known yet, and making two types one.
//!
//! Only literals without a suffix, and variables of signatures that nothing binds, have unknown types. Lengths
//! are never unknown: they are compared by proof, which is why this is no full type inference.

use super::Checker;
use crate::expr::Literal;
use crate::nat::Nat;
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::{Scalar, Type};

/// A type to be found out.
#[derive(Clone, Debug)]
pub enum Hole {
    /// Not known yet.
    Open(Wanted),
    /// Known.
    Found(Type),
}

/// The types that a hole may become.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Wanted {
    /// Every type.
    Anything,
    /// An integer literal's type: `i32` if nothing else is asked for.
    Integer,
    /// A float literal's type: `f32` if nothing else is asked for.
    Float,
}

/// The reason why two types are not one.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// They differ in more than a length.
    Types,
    /// Two lengths are not proved to be equal.
    Lengths(Nat, Nat),
}

impl Checker<'_> {
    /// A new type to be found out.
    pub fn hole(&mut self, wanted: Wanted) -> Type {
        self.holes.push(Hole::Open(wanted));
        Type::Hole(self.holes.len() as u32 - 1)
    }

    /// The type with holes filled in at the top; parts may still have some.
    pub fn shallow(&self, ty: &Type) -> Type {
        match ty {
            Type::Hole(h) => match &self.holes[*h as usize] {
                Hole::Found(found) => self.shallow(found),
                Hole::Open(_) => ty.clone(),
            },
            other => other.clone(),
        }
    }

    /// The type with everything known filled in; what stays open takes its default.
    pub fn resolved(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Array(element, length) => Type::array(self.resolved(&element), length),
            Type::Vector(element, width) => Type::vector(self.resolved(&element), width),
            Type::Tuple(parts) => Type::tuple(parts.iter().map(|p| self.resolved(p)).collect::<Vec<_>>()),
            Type::Hole(h) => match self.holes[h as usize] {
                Hole::Open(Wanted::Integer) => Type::Scalar(Scalar::I32),
                _ => Type::Scalar(Scalar::F32),
            },
            other => other,
        }
    }

    /// Makes two types one, filling holes; lengths must be provably equal.
    pub fn unify(&mut self, a: &Type, b: &Type) -> Result<(), Mismatch> {
        match (self.shallow(a), self.shallow(b)) {
            (Type::Hole(x), Type::Hole(y)) if x == y => Ok(()),
            // The later one is filled: the first of many elements that are made one with it in turn stays one
            // step away, where a chain of them would be walked once for each.
            (Type::Hole(x), Type::Hole(y)) => self.fill(x.max(y), Type::Hole(x.min(y))),
            (Type::Hole(h), other) | (other, Type::Hole(h)) => self.fill(h, other),
            (Type::Scalar(x), Type::Scalar(y)) if x == y => Ok(()),
            (Type::Index, Type::Index) => Ok(()),
            (Type::Array(x, n), Type::Array(y, m)) | (Type::Vector(x, n), Type::Vector(y, m)) => {
                self.unify(&x, &y)?;
                if self.equal(&n, &m) { Ok(()) } else { Err(Mismatch::Lengths(n, m)) }
            }
            (Type::Tuple(xs), Type::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.unify(x, y))
            }
            _ => Err(Mismatch::Types),
        }
    }

    /// Fills a hole if the type is one that it may become. Literals of another kind, `1` for a float, are
    /// reported once and then count as rewritten.
    fn fill(&mut self, hole: u32, ty: Type) -> Result<(), Mismatch> {
        let Hole::Open(wanted) = self.holes[hole as usize].clone() else { return Ok(()) };
        let fits = match (&ty, wanted) {
            (_, Wanted::Anything) => true,
            (Type::Scalar(s), Wanted::Integer) => s.is_integer() || s.is_float() && self.rewrite(hole, *s),
            (Type::Scalar(s), Wanted::Float) => s.is_float() || s.is_integer() && self.rewrite(hole, *s),
            (Type::Hole(other), _) => match self.holes[*other as usize].clone() {
                Hole::Open(Wanted::Anything) => {
                    self.holes[*other as usize] = Hole::Found(Type::Hole(hole));
                    return Ok(());
                }
                Hole::Open(theirs) if theirs == wanted => true,
                // `1 + 2.0`: floats they are.
                Hole::Open(Wanted::Integer) if self.rewrite(*other, Scalar::F32) => {
                    self.holes[*other as usize] = Hole::Found(Type::Hole(hole));
                    return Ok(());
                }
                Hole::Open(Wanted::Float) => self.rewrite(hole, Scalar::F32),
                _ => false,
            },
            _ => false,
        };
        if !fits {
            return Err(Mismatch::Types);
        }
        self.holes[hole as usize] = Hole::Found(ty);
        Ok(())
    }

    /// Reports that the literals that opened a hole are written for another type than this one,
    /// if they are mistaken in nothing else: checking goes on as if they had been rewritten.
    pub fn rewrite(&mut self, hole: u32, to: Scalar) -> bool {
        let same = |ty: &Type| matches!(self.shallow(ty), Type::Hole(h) if h == hole);
        let literals: Vec<(Site, Literal)> =
            self.literals.iter().filter(|(_, _, ty)| same(ty)).map(|(site, l, _)| (*site, *l)).collect();
        // Two types were asked of one literal: the first time was enough.
        if literals.iter().any(|(site, _)| self.rewritten.contains(site)) {
            return true;
        }
        let mut rewritten = vec![];
        for (site, literal) in literals {
            let (is, new) = match literal {
                Literal::Int(n) => ("an integer", format!("{n}.0")),
                Literal::Float(x) if x.fract() == 0.0 && x.abs() < 1e9 => ("a float", format!("{x:.0}")),
                _ => return false,
            };
            let message = format!("`{to}` is needed here, but `{literal}` is {is}");
            rewritten.push(Diagnostic::new(site, message).help(format!("write `{new}`")));
        }
        let any = !rewritten.is_empty();
        self.rewritten.extend(rewritten.iter().map(|d| d.site));
        self.diagnostics.extend(rewritten);
        any
    }

    /// What a hole is known to want.
    pub fn wanted(&self, ty: &Type) -> Option<Wanted> {
        match self.shallow(ty) {
            Type::Hole(h) => match self.holes[h as usize] {
                Hole::Open(wanted) => Some(wanted),
                Hole::Found(_) => None,
            },
            _ => None,
        }
    }

    /// Fills in every type found, and checks that literals fit theirs.
    pub fn finish(&mut self) {
        let mut types = std::mem::take(&mut self.typed.types);
        types.values_mut().filter(|ty| ty.has_holes()).for_each(|ty| *ty = self.resolved(ty));
        self.typed.types = types;
        for (site, n, ty) in std::mem::take(&mut self.literals) {
            let Type::Scalar(scalar) = self.resolved(&ty) else { continue };
            if let (Literal::Int(n), Some((low, high))) = (n, scalar.integer_range())
                && !(low..=high).contains(&n)
            {
                let message = format!("the literal {n} does not fit `{scalar}`, which holds {low} to {high}");
                let _: Result<(), Reported> = self.error(site, message);
            }
        }
    }
}
