//! Rust syntax that the language lacks, and what to write instead.

use lift_core::syntax::{Diagnostic, Site};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprBinary, Item, Macro, Type};

/// The caller knows the place.
pub fn plain(message: &str) -> Diagnostic {
    Diagnostic::new(Site::default(), message)
}

/// A keyword that the language lacks.
fn word(word: &str) -> Diagnostic {
    plain(&format!("`{word}` is not part of the language"))
}

/// For an expression of Rust that the language lacks.
pub fn expression(e: &Expr) -> Diagnostic {
    let loops = "`map` applies a function to every element, `reduce` and `scan` carry a value along, `iterate` repeats";
    match e {
        Expr::Match(_) => word("match").help("choose with `if … else if … else …`"),
        Expr::ForLoop(_) => word("for").help(loops),
        Expr::While(_) => word("while").help(loops),
        Expr::Loop(_) => word("loop").help(loops),
        Expr::Return(e) => {
            let diagnostic = word("return");
            match e.expr {
                Some(_) => diagnostic.help("remove `return`: the last expression of a block is its result"),
                None => diagnostic.help("the last expression of a block is its result"),
            }
        }
        Expr::Break(_) => word("break").help(loops),
        Expr::Continue(_) => word("continue").help(loops),
        Expr::Await(_) | Expr::Async(_) => word("async"),
        Expr::Unsafe(_) => word("unsafe").help("nothing here is unsafe: write the expression without it"),
        Expr::Const(_) => word("const"),
        Expr::Yield(_) => word("yield"),
        Expr::Macro(e) => macros(&e.mac),
        Expr::Assign(_) => immutable(),
        Expr::Reference(e) => match e.mutability {
            Some(_) => plain("there are no references here").help("remove `&mut`"),
            None => plain("there are no references here").help("remove `&`"),
        },
        Expr::RawAddr(_) => plain("there are no references here"),
        Expr::Range(_) => plain("ranges are not part of the language")
            .help("`generate(n, |i| …)` makes an array from indices"),
        Expr::Struct(_) => plain("there are no structs here").help("use a tuple: `(a, b)`, `.0`, `.1`"),
        Expr::Try(_) => plain("nothing can fail here").help("remove `?`"),
        Expr::Let(_) => plain("`let` stands at the beginning of a block: `{ let x = …; … }`"),
        Expr::Infer(_) => plain("`_` is a pattern, not a value"),
        Expr::Tuple(_) => plain("`()` is not a value here"),
        _ => plain("this is not an expression of the language"),
    }
}

/// `xs[1..4]`
pub fn part() -> Diagnostic {
    plain("an index is one number, not a range")
        .help("`drop(1, xs)` is `xs` from its element 1 on, and `take(3, …)` are the first 3 elements")
}

/// For whatever assigns.
fn immutable() -> Diagnostic {
    plain("nothing is mutable here").help("bind a new name: `let next = …;`")
}

/// `acc += x`
pub fn assignment(e: &ExprBinary) -> Diagnostic {
    let text = |tokens: TokenStream| tokens.to_string();
    let (left, right) = (text(e.left.to_token_stream()), text(e.right.to_token_stream()));
    let operator = text(e.op.to_token_stream());
    let simple = matches!((&*e.left, &*e.right), (Expr::Path(_), Expr::Path(_) | Expr::Lit(_)));
    match operator.strip_suffix('=') {
        Some(operator) if simple => {
            plain("nothing is mutable here").help(format!("write `{left} {operator} {right}`"))
        }
        _ => immutable(),
    }
}

/// `sqrt::<f32>`
pub fn parameters(arguments: &TokenStream) -> Diagnostic {
    let text = arguments.to_string().replace(' ', "");
    plain("types and sizes are inferred here").help(format!("remove `{text}`"))
}

/// For a call of a macro inside.
pub fn macros(call: &Macro) -> Diagnostic {
    let diagnostic = plain("macros are not part of the language");
    match call.path.segments.last().map(|s| s.ident.to_string()).as_deref() {
        Some("vec" | "array") => diagnostic.help("`repeat(n, x)` and `[1.0, 2.0]` make arrays"),
        Some("print" | "println" | "dbg") => diagnostic.help("nothing can be printed from a kernel"),
        Some("assert" | "assert_eq" | "debug_assert") => {
            diagnostic.help("conditions on sizes stand after the result's type: `where N >= 2`")
        }
        _ => diagnostic,
    }
}

/// For a type of Rust that the language lacks.
pub fn ty(ty: &Type) -> Diagnostic {
    let arrays = "an array is written with its length: `[f32; N]`, where `N` is declared after the function's name: `<N>`";
    match ty {
        Type::Slice(_) => plain("the length of this array is missing").help(arrays),
        Type::Reference(reference) if matches!(&*reference.elem, Type::Slice(_)) => {
            plain("there are no slices here").help(arrays)
        }
        Type::Reference(reference) => {
            let reference = if reference.mutability.is_some() { "&mut" } else { "&" };
            plain("there are no references here").help(format!("remove `{reference}`"))
        }
        Type::Ptr(_) => plain("there are no pointers here").help(arrays),
        Type::Infer(_) => {
            plain("a type must be written here").help("leave the whole annotation out to have it inferred")
        }
        Type::ImplTrait(_) | Type::FnPtr(_) | Type::TraitObject(_) => {
            plain("a function is not a value here").help("name it with `let`, or declare it beside this one")
        }
        _ => plain("this is not a type of the language")
            .help("types are scalars such as `f32`, arrays `[f32; N]` and tuples `(f32, i32)`"),
    }
}

/// `Vec<f32>`
pub fn generic_type(arguments: &TokenStream) -> Diagnostic {
    let inside = arguments.to_string().replace(' ', "");
    let element = inside.trim_start_matches('<').trim_end_matches('>');
    plain("types have no parameters here")
        .help(format!("an array is written with its length: `[{element}; N]`, where `N` is declared after the function's name: `<N>`"))
}

/// For an item that is no function.
pub fn item(item: &Item) -> Diagnostic {
    let beside = "it can stand beside `lift!`, in Rust";
    let named = |what: &str| plain(&format!("{what} is not part of the language")).help(beside);
    match item {
        Item::Struct(_) | Item::Enum(_) | Item::Union(_) => plain("there are no types to define here")
            .help("tuples hold several values: `(a, b)`, `.0`, `.1`"),
        Item::Use(_) => named("`use`"),
        Item::Impl(_) => named("`impl`"),
        Item::Trait(_) => named("`trait`"),
        Item::Mod(_) => named("`mod`"),
        Item::Static(_) => {
            plain("`static` is not part of the language").help("a constant is `const NAME: type = value;`")
        }
        // Beside functions they are constants.
        Item::Const(_) => plain("constants stand beside the functions, not in them")
            .help("`let` names a value inside a function"),
        Item::Type(_) => named("`type`"),
        Item::Macro(item) => macros(&item.mac),
        Item::Fn(_) => plain("functions stand side by side, not in each other")
            .help("a lambda can be named inside: `let f = |x| …;`"),
        _ => plain("`lift!` holds functions: `fn name<sizes>(parameters) -> type { … }`"),
    }
}
