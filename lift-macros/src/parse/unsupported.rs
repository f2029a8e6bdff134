//! What Rust has and the language has not, and what to write instead.

use lift_core::syntax::{Diagnostic, Site};
use syn::Expr;

pub fn expression(e: &Expr) -> Diagnostic {
    let diagnostic = |message: &str| Diagnostic::new(Site::default(), message);
    let word = |word: &str| diagnostic(&format!("`{word}` is not part of the language"));
    let loops = "`map` applies a function to every element, `reduce` and `scan` carry a value along, `iterate` repeats";
    match e {
        Expr::Match(_) => word("match").help("choose with `if … else if … else …`"),
        Expr::ForLoop(_) => word("for").help(loops),
        Expr::While(_) => word("while").help(loops),
        Expr::Loop(_) => word("loop").help(loops),
        Expr::Return(_) => word("return").help("the last expression of a block is its result"),
        Expr::Break(_) => word("break").help(loops),
        Expr::Continue(_) => word("continue").help(loops),
        Expr::Await(_) | Expr::Async(_) => word("async"),
        Expr::Unsafe(_) => word("unsafe"),
        Expr::Const(_) => word("const"),
        Expr::Yield(_) => word("yield"),
        Expr::Macro(_) => diagnostic("macros are not part of the language"),
        Expr::Assign(_) => diagnostic("nothing is mutable here; bind a new name with `let` instead"),
        Expr::Reference(_) | Expr::RawAddr(_) => diagnostic("there are no references here; remove the `&`"),
        Expr::Index(_) => diagnostic("arrays are not indexed").help(
            "`map`, `zip` and `slide` bring elements together; `reorder` permutes, `take` and `drop` cut",
        ),
        Expr::Range(_) => diagnostic("ranges are not part of the language")
            .help("`generate(n, |i| …)` makes an array from indices"),
        Expr::Struct(_) => diagnostic("there are no structs here").help("use a tuple: `(a, b)`, `.0`, `.1`"),
        Expr::Try(_) | Expr::TryBlock(_) => diagnostic("nothing can fail here; remove the `?`"),
        Expr::Let(_) => diagnostic("`let` stands at the beginning of a block: `{ let x = …; … }`"),
        Expr::Infer(_) => diagnostic("`_` is a pattern, not a value"),
        Expr::Tuple(_) => diagnostic("`()` is not a value here"),
        _ => diagnostic("this is no expression of the language"),
    }
}
