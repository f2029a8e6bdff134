//! The expression form: `lift!(|x: [f32; N]| -> [f32; N] { map(|v| v * v, x) })`.

use super::Parser;
use super::function::{Item, Parameter, SizeName};
use crate::sites::Range;
use lift_core::syntax::{
    Diagnostic, Expr, ExprKind, Function, Name, Param, Site, SizeParam, TypeExpr, TypeKind,
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{ExprClosure, Pat, ReturnType, Visibility};

/// What the function is called, in messages and in kernels.
const NAME: &str = "expression";

pub fn is_expression(tokens: TokenStream) -> bool {
    matches!(tokens.into_iter().next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '|')
}

impl Parser {
    /// A function without a name, whose sizes are those in the types of its parameters.
    pub fn expression(&mut self, e: &ExprClosure) -> Item {
        let before = self.diagnostics.len();
        let name = self.sites.add(Range { start: e.inputs_begin.span, end: e.inputs_end.span });
        let params: Vec<(Ident, Option<TypeExpr>)> =
            e.inputs.iter().filter_map(|pat| self.typed_name(pat)).collect();
        let sizes = sizes(params.iter().filter_map(|(_, ty)| ty.as_ref()));
        let result = match &e.output {
            ReturnType::Type(_, ty) => self.ty(ty),
            ReturnType::Default => {
                let help = "write `|x: [f32; N]| -> [f32; N] { … }`";
                let message = "the result of an expression in `lift!` needs a type";
                let site = Site::default();
                self.report(Range::of_expr(&e.body), Diagnostic::new(site, message).help(help))
            }
        };
        let body = self.expr(&e.body).filter(|_| self.diagnostics.len() == before);
        let function = body.zip(result.clone()).map(|(body, result)| Function {
            name: Name { text: NAME.into(), site: name },
            sizes: sizes.iter().map(|name| SizeParam { name: name.clone(), tune: None }).collect(),
            params: params
                .iter()
                .filter_map(|(name, ty)| Some(self.expression_param(name, ty.clone()?)))
                .collect(),
            result,
            wheres: vec![],
            body,
            public: true,
            strict: false,
        });
        let ident =
            |text: &str| syn::parse_str(text).unwrap_or_else(|_| Ident::new_raw(text, Span::call_site()));
        Item {
            attributes: vec![],
            visibility: Visibility::Inherited,
            name: Ident::new(NAME, Span::call_site()),
            sizes: sizes.iter().map(|name| SizeName { name: ident(&name.text), tune: false }).collect(),
            params: params.into_iter().map(|(name, ty)| Parameter { name, ty }).collect(),
            result,
            function,
        }
    }

    fn expression_param(&mut self, name: &Ident, ty: TypeExpr) -> Param {
        Param { name: self.name(name), ty, constant: false }
    }

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

/// The names in the lengths of types, each once.
fn sizes<'a>(types: impl Iterator<Item = &'a TypeExpr>) -> Vec<Name> {
    let mut names: Vec<Name> = vec![];
    types.for_each(|ty| in_type(ty, &mut names));
    names
}

fn in_type(ty: &TypeExpr, names: &mut Vec<Name>) {
    match &ty.kind {
        TypeKind::Name(_) => {}
        TypeKind::Array(element, length) => {
            in_length(length, names);
            in_type(element, names);
        }
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| in_type(part, names)),
    }
}

fn in_length(e: &Expr, names: &mut Vec<Name>) {
    match &e.kind {
        ExprKind::Name(text) if !text.contains("::") && names.iter().all(|n| n.text != *text) => {
            names.push(Name { text: text.clone(), site: e.site });
        }
        ExprKind::Unary(_, a) => in_length(a, names),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| in_length(e, names)),
        // `min(N, M)`: the function is no size.
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|e| in_length(e, names)),
        _ => {}
    }
}
