//! The expression form: `lift!(|x: [f32; N]| map(|v| v * v, x))`, or, with a size that no parameter's
//! type names, `lift!(<N> |x: f32| repeat(N, x))`.

use super::Parser;
use super::function::{Item, Parameter, SizeName};
use super::header::Sized;
use crate::sites::Range;
use lift_core::syntax::{Expr, ExprKind, Function, Name, Param, SizeParam, TypeExpr, TypeKind};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{ExprClosure, Pat, ReturnType, Visibility};

/// What the function is called, in messages and in kernels.
const NAME: &str = "expression";

/// Does the call begin as a closure does, or as the sizes before one?
pub fn is_expression(tokens: TokenStream) -> bool {
    matches!(tokens.into_iter().next(), Some(TokenTree::Punct(punct)) if "|<".contains(punct.as_char()))
}

impl Parser {
    /// A function without a name. Its sizes are those declared before it, and those in the types of
    /// its parameters.
    pub fn expression(&mut self, input: ParseStream) -> syn::Result<Item> {
        let before = self.diagnostics.len();
        let declared = self.size_params(input)?;
        let e: ExprClosure = input.parse()?;
        let name = self.sites.add(Range { start: e.inputs_begin.span, end: e.inputs_end.span });
        let params: Vec<(Ident, Option<TypeExpr>)> =
            e.inputs.iter().filter_map(|pat| self.typed_name(pat)).collect();
        let sizes = sizes(declared, params.iter().filter_map(|(_, ty)| ty.as_ref()));
        let result = match &e.output {
            ReturnType::Type(_, ty) => self.ty(ty),
            ReturnType::Default => None,
        };
        let body = self.expr(&e.body).filter(|_| self.diagnostics.len() == before);
        let size_names =
            sizes.iter().map(|(name, size)| SizeName { name: name.clone(), tune: size.tune.is_some() });
        let size_names = size_names.collect();
        let function = body.map(|body| Function {
            name: Name { text: NAME.into(), site: name },
            sizes: sizes.into_iter().map(|(_, size)| size).collect(),
            params: params
                .iter()
                .filter_map(|(name, ty)| Some(self.expression_param(name, ty.clone()?)))
                .collect(),
            result: result.clone(),
            wheres: vec![],
            body,
            public: true,
            strict: false,
            constant: false,
        });
        Ok(Item {
            attributes: vec![],
            visibility: Visibility::Inherited,
            name: Ident::new(NAME, Span::call_site()),
            sizes: size_names,
            params: params.into_iter().map(|(name, ty)| Parameter { name, ty }).collect(),
            result,
            function,
        })
    }

    /// A parameter of the closure.
    fn expression_param(&mut self, name: &Ident, ty: TypeExpr) -> Param {
        Param { name: self.name(name), ty, constant: false }
    }

    /// `name: type`; other patterns are not possible, since the name becomes the parameter's.
    fn typed_name(&mut self, pat: &Pat) -> Option<(Ident, Option<TypeExpr>)> {
        if let Pat::Type(typed) = pat
            && let Pat::Ident(name) = &*typed.pat
            && name.mutability.is_none()
            && name.by_ref.is_none()
            && name.subpat.is_none()
        {
            return Some((name.ident.clone(), self.ty(&typed.ty)));
        }
        self.error(Range::of(pat), "a parameter is a name and a type: `name: type`")
    }
}

/// The declared sizes, then the other names in the lengths of types, each once.
fn sizes<'a>(declared: Vec<Sized>, types: impl Iterator<Item = &'a TypeExpr>) -> Vec<Sized> {
    let mut sizes = declared;
    types.for_each(|ty| in_type(ty, &mut sizes));
    sizes
}

/// Adds the names in the lengths of a type.
fn in_type(ty: &TypeExpr, sizes: &mut Vec<Sized>) {
    match &ty.kind {
        TypeKind::Name(_) => {}
        TypeKind::Array(element, length) => {
            in_length(length, sizes);
            in_type(element, sizes);
        }
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| in_type(part, sizes)),
    }
}

/// Adds the names in a length.
fn in_length(e: &Expr, sizes: &mut Vec<Sized>) {
    match &e.kind {
        ExprKind::Name(text)
            if !text.contains("::") && sizes.iter().all(|(_, size)| size.name.text != *text) =>
        {
            let name = Name { text: text.clone(), site: e.site };
            sizes.push((ident(text), SizeParam { name, tune: None }));
        }
        ExprKind::Unary(_, a) => in_length(a, sizes),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| in_length(e, sizes)),
        // `min(N, M)`: the function is no size.
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|e| in_length(e, sizes)),
        _ => {}
    }
}

/// An identifier of this text; raw if it is a keyword.
fn ident(text: &str) -> Ident {
    syn::parse_str(text).unwrap_or_else(|_| Ident::new_raw(text, Span::call_site()))
}
