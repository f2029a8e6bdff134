//! What the compiler says about the wrong programs of `tests/ui/fail`, rendered as rustc does from the tokens that
//! the macro returns. That rustc does render it so is what `tests/compile_fail.rs` sees: it takes minutes, and
//! `scripts/hunt` runs it.

use super::edits::edited_programs;
use crate::block::block;
use proc_macro2::{LineColumn, TokenStream, TokenTree};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// So many programs can be looked at without rustc, or something is wrong with this test.
const AT_LEAST: usize = 340;

#[test]
fn of_wrong_programs() {
    super::as_in_the_compiler(|| {
        let folder = Path::new("tests/ui/fail");
        let entries = std::fs::read_dir(root().join(folder)).expect("wrong programs");
        let mut names: Vec<PathBuf> =
            entries.map(|entry| entry.expect("an entry").file_name().into()).collect();
        names.retain(|name| name.extension().is_some_and(|e| e == "rs"));
        names.sort();
        let (mut seen, mut differ) = (0, vec![]);
        for path in names.iter().map(|name| folder.join(name)) {
            let source = std::fs::read_to_string(root().join(&path)).expect("a program");
            // Which macro a name was written in is known to rustc only.
            if source.contains("macro_rules!") {
                continue;
            }
            seen += 1;
            let expected = std::fs::read_to_string(root().join(&path).with_extension("stderr"));
            let got = said(&source, &path);
            if expected.expect("its messages") != got {
                differ.push(got);
            }
        }
        assert!(differ.is_empty(), "these are said otherwise:\n{}", differ.join("\n"));
        assert!(seen >= AT_LEAST, "{seen} programs");
    });
}

/// What a message says to write is right.
#[test]
fn what_is_proposed_is_accepted() {
    super::as_in_the_compiler(|| {
        for (name, program) in edited_programs(root()) {
            let said = said(&program, Path::new(&name));
            assert!(said.is_empty(), "of\n{program}\n{said}");
        }
    });
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// All messages about a file.
fn said(source: &str, path: &Path) -> String {
    let mut errors = vec![];
    calls(source.parse().expect("tokens"), &mut |tokens| find_errors(block(tokens), &mut errors));
    let errors: Vec<String> = errors.iter().map(|error| error.rendered(source, path)).collect();
    errors.join("\n")
}

/// What every `lift! { … }` in a file is given.
fn calls(tokens: TokenStream, each: &mut dyn FnMut(TokenStream)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            let is = |k: Option<usize>, text: &str| {
                k.and_then(|k| tokens.get(k)).is_some_and(|t| t.to_string() == text)
            };
            if is(k.checked_sub(2), "lift") && is(k.checked_sub(1), "!") {
                each(group.stream());
            } else {
                calls(group.stream(), each);
            }
        }
    }
}

struct Error {
    message: String,
    start: LineColumn,
    end: LineColumn,
}

/// The calls of `compile_error!`.
fn find_errors(expanded: TokenStream, errors: &mut Vec<Error>) {
    let mut start = None;
    for token in expanded {
        match token {
            TokenTree::Ident(name) if name == "compile_error" => start = Some(name.span().start()),
            TokenTree::Group(group) => match start.take() {
                Some(start) => {
                    let message: syn::LitStr = syn::parse2(group.stream()).expect("a message");
                    errors.push(Error { message: message.value(), start, end: group.span().end() });
                }
                None => find_errors(group.stream(), errors),
            },
            _ => {}
        }
    }
}

impl Error {
    /// As rustc does, where what is underlined in several lines is all that these have.
    fn rendered(&self, source: &str, path: &Path) -> String {
        let Error { message, start, end } = self;
        let indent = " ".repeat(end.line.to_string().len());
        let message = message.replace('\n', &format!("\n{}", " ".repeat("error: ".len())));
        let place = format!("{}:{}:{}", path.display(), start.line, start.column + 1);
        let mut text = format!("error: {message}\n{indent}--> {place}\n{indent} |\n");
        let lines = (1..).zip(source.lines()).skip(start.line - 1).take(end.line + 1 - start.line);
        for (number, line) in lines {
            let side = match number {
                _ if start.line == end.line => "",
                n if n == start.line => "/ ",
                _ => "| ",
            };
            writeln!(text, "{number:indent$} | {side}{line}", indent = indent.len()).expect("a string grows");
        }
        match start.line == end.line {
            true => {
                let (before, under) = (" ".repeat(start.column), "^".repeat(end.column - start.column));
                writeln!(text, "{indent} | {before}{under}")
            }
            false => writeln!(text, "{indent} | |{}^", "_".repeat(end.column)),
        }
        .expect("a string grows");
        text
    }
}
