//! Types: scalars, arrays, tuples.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::{TypeExpr, TypeKind};
use syn::Type;

impl Parser {
    /// A type, with a site of its own.
    pub fn ty(&mut self, ty: &Type) -> Option<TypeExpr> {
        let range = Range::of(ty);
        match ty {
            Type::Group(group) => self.ty(&group.elem),
            Type::Paren(paren) => self.ty(&paren.elem),
            _ => self.deeper(range, |p| {
                let site = p.sites.add(range);
                let kind = p.type_kind(ty, range)?;
                Some(TypeExpr { site, kind })
            }),
        }
    }

    /// The form of a type.
    fn type_kind(&mut self, ty: &Type, range: Range) -> Option<TypeKind> {
        match ty {
            Type::Path(path) if path.qself.is_none() => {
                Some(TypeKind::Name(self.path(&path.path, unsupported::generic_type)?))
            }
            Type::Array(array) => {
                let (element, length) = (self.ty(&array.elem), self.expr(&array.len));
                Some(TypeKind::Array(Box::new(element?), Box::new(length?)))
            }
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                let parts: Vec<_> = tuple.elems.iter().map(|part| self.ty(part)).collect();
                Some(TypeKind::Tuple(parts.into_iter().collect::<Option<_>>()?))
            }
            other => self.report(range, unsupported::ty(other)),
        }
    }
}
