//! The block's constants: `const GAIN: f32 = 0.5;`.

use super::{Parser, unsupported};
use crate::sites::Range;
use lift_core::syntax::Function;
use proc_macro2::{Ident, TokenTree};
use syn::parse::ParseStream;
use syn::parse::discouraged::Speculative;
use syn::{Attribute, ItemConst, Token, Visibility};

/// A constant as Rust sees it, and as the language does.
pub struct Constant {
    /// Its name in the source.
    pub name: Ident,
    /// Its type, for the names that editors are given.
    pub ty: syn::Type,
    /// `None` if there are mistakes in it.
    pub function: Option<Function>,
}

impl Parser {
    /// Reads a constant, if that is what comes next.
    pub fn constant_item(&mut self, input: ParseStream) -> bool {
        let ahead = input.fork();
        let header = ahead.call(Attribute::parse_outer).and_then(|_| ahead.parse::<Visibility>());
        let functions = ahead.peek2(Token![fn]) || ahead.peek2(Token![unsafe]) || ahead.peek2(Token![async]);
        if header.is_err() || !ahead.peek(Token![const]) || functions {
            return false;
        }
        let ahead = input.fork();
        match ahead.parse::<ItemConst>() {
            Ok(item) => {
                input.advance_to(&ahead);
                self.constant(&item);
            }
            Err(error) => {
                let range = Range::one(error.span());
                let diagnostic = unsupported::plain("a constant is written `const NAME: type = value;`");
                self.report::<()>(range, diagnostic);
                while !input.is_empty() && !input.peek(Token![;]) && input.parse::<TokenTree>().is_ok() {}
                let _ = input.parse::<Option<Token![;]>>();
            }
        }
        true
    }

    /// A constant is a function of no parameters to everything after the parser.
    fn constant(&mut self, item: &ItemConst) {
        let before = self.diagnostics.len();
        if !matches!(item.vis, Visibility::Inherited) {
            let diagnostic = unsupported::plain("a constant is known to the functions of its block only");
            self.report::<()>(Range::of(&item.vis), diagnostic.help("remove `pub`"));
        }
        let attribute = item.attrs.iter().find(|a| !a.path().is_ident("doc"));
        if let Some(attribute) = attribute {
            self.error::<()>(Range::of(attribute), "a constant has no attributes");
        }
        let name = self.name(&item.ident);
        let (ty, body) = (self.ty(&item.ty), self.expr(&item.expr));
        let clean = self.diagnostics.len() == before;
        let function = ty.zip(body).filter(|_| clean).map(|(ty, body)| Function {
            name,
            sizes: vec![],
            params: vec![],
            result: Some(ty),
            wheres: vec![],
            body,
            public: false,
            strict: false,
            constant: true,
        });
        let (name, ty) = (item.ident.clone(), (*item.ty).clone());
        self.constants.push(Constant { name, ty, function });
    }
}
