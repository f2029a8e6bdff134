//! Types: scalars, arrays, tuples.

use super::Parser;
use crate::sites::Range;
use lift_core::syntax::{Diagnostic, Site, TypeExpr, TypeKind};
use syn::Type;

impl Parser {
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

    fn type_kind(&mut self, ty: &Type, range: Range) -> Option<TypeKind> {
        match ty {
            Type::Path(path) if path.qself.is_none() => {
                Some(TypeKind::Name(self.path(&path.path, "a type here has no parameters")?))
            }
            Type::Array(array) => {
                let (element, length) = (self.ty(&array.elem), self.expr(&array.len));
                Some(TypeKind::Array(Box::new(element?), Box::new(length?)))
            }
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                let parts: Vec<_> = tuple.elems.iter().map(|part| self.ty(part)).collect();
                Some(TypeKind::Tuple(parts.into_iter().collect::<Option<_>>()?))
            }
            other => self.no_type(other, range),
        }
    }

    fn no_type<T>(&mut self, ty: &Type, range: Range) -> Option<T> {
        let (message, help) = match ty {
            Type::Slice(_) => {
                ("an array has a length here", "write `[f32; N]`, and declare `N` with the function's sizes")
            }
            Type::Reference(_) | Type::Ptr(_) => {
                ("there are no references here", "arrays are passed as they are; remove the `&`")
            }
            Type::Infer(_) => {
                ("a type must be written here", "leave the whole annotation out to have it inferred")
            }
            _ => (
                "this is no type of the language",
                "types are scalars such as `f32`, arrays `[f32; N]` and tuples `(f32, i32)`",
            ),
        };
        self.report(range, Diagnostic::new(Site::default(), message).help(help))
    }
}
