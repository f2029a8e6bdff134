//! The pages of the book that are made from the project itself are up to date.
//!
//! `LIFT_UPDATE_GOLDEN=1 cargo test --test book` writes them anew.

use std::fmt::Write;
use std::path::Path;

fn page(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, made).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "docs/{name} is out of date: LIFT_UPDATE_GOLDEN=1 cargo test --test book");
}

/// What a file of `tests/ui/fail` says: without the lines that are the same in all of them.
fn program(source: &str) -> String {
    let lines = source.lines().filter(|l| *l != "use lift::prelude::*;" && *l != "fn main() {}");
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

/// The messages, without the path.
fn messages(stderr: &str) -> String {
    let place = |line: &str| line.trim_start().starts_with("--> ");
    let lines = stderr.lines().filter(|line| !place(line));
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

#[test]
fn mistakes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    let mut cases: Vec<_> = std::fs::read_dir(&folder)
        .expect("the compile-fail cases")
        .map(|entry| entry.expect("a case").path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect();
    cases.sort();
    let mut made = String::from(
        "# Mistakes, and what the compiler says\n\n\
         Each of these programs is a test: its message is what it is here, word for word.\n",
    );
    for case in &cases {
        let name = case.file_stem().and_then(|n| n.to_str()).expect("a name").replace('_', " ");
        let source = std::fs::read_to_string(case).expect("a program");
        let stderr = std::fs::read_to_string(case.with_extension("stderr")).expect("its messages");
        let title = name[..1].to_uppercase() + &name[1..];
        write!(
            made,
            "\n## {title}\n\n```rust\n{}\n```\n\n```text\n{}\n```\n",
            program(&source),
            messages(&stderr)
        )
        .expect("a string");
    }
    page("mistakes.md", &made);
}
