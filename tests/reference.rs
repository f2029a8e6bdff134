//! `src/primitives.rs`, which editors and rustdoc show, and the page `docs/primitives.md` say what the table
//! of primitives says.
//!
//! `LIFT_UPDATE_GOLDEN=1 cargo test --test reference` writes it anew.

use lift_core::primitives::reference::{Entry, entries};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
//! The reference of everything that can be called inside [`lift!`](crate::lift): each entry with its type, what
//! it does, a picture and an example.
//!
//! A lower-case name in a type is a size, a capital letter any type, `S` any type of scalars, `R` any type of numbers,
//! and `<S; v>` a vector of `v` scalars. The functions are here to be read, by you and by your editor; they can be
//! called inside `lift!` only.

// Made from the compiler's table of primitives by `LIFT_UPDATE_GOLDEN=1 cargo test --test reference`.

#![allow(non_snake_case, unused_variables, clippy::too_many_arguments)]

/// A length, or an index: arithmetic over size parameters.
pub enum Size {}

/// A lambda, or the name of a function.
pub enum Function {}

/// `[T; n]`
pub enum Array {}

/// A scalar, a vector, a tuple, or an array.
pub enum Value {}

fn inside_lift<T>() -> T {
    unreachable!(\"the functions of `lift::primitives` are called inside `lift!`\")
}
";

const PAGE: &str = "\
# Everything that can be called

Arguments stand in this order. In a type a lower-case name is a size, a capital letter any type, `S` any type of scalars, `R`
any type of numbers, and `<S; v>` a vector of `v` scalars; `fill T` is a `T`, or one scalar for all that is in it, and
`index(n)` an index below `n`. What an entry asks for is proved while your program compiles, for all sizes.

| name | type | what it is |
| --- | --- | --- |
";

#[test]
fn primitives() {
    let made = entries().iter().fold(HEAD.to_string(), |made, entry| made + "\n" + &item(entry));
    up_to_date("src/primitives.rs", &made);
}

#[test]
fn page() {
    let rows = entries().iter().map(row).collect::<String>();
    let sections =
        entries().iter().filter(|entry| !entry.picture.is_empty()).map(section).collect::<String>();
    up_to_date("docs/primitives.md", &format!("{PAGE}{rows}{sections}"));
}

fn up_to_date(file: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, made).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "{file} is out of date: LIFT_UPDATE_GOLDEN=1 cargo test --test reference");
}

/// An entry in one line.
fn row(entry: &Entry) -> String {
    let (_, ty) = entry.types[0].split_once(" : ").expect("a name and a type");
    // Links are for rustdoc.
    let doc = entry.doc.replace("[`", "`").replace("`]", "`").replace('\n', " ");
    let first = doc.split_once(". ").map_or(doc.trim_end_matches('.'), |(first, _)| first);
    format!("| `{}` | `{ty}` | {first}. |\n", entry.name)
}

/// An entry with all that is known of it.
fn section(entry: &Entry) -> String {
    let mut text = format!("\n## `{}`\n\n```text\n{}\n```\n\n", entry.name, entry.types.join("\n"));
    write!(text, "{}\n\n```text\n{}\n```\n", paragraphs(&entry.doc), entry.picture).expect("a string");
    let requires: Vec<String> = entry.requires.iter().map(|condition| format!("`{condition}`")).collect();
    if !requires.is_empty() {
        write!(text, "\nIt asks for {}.\n", requires.join(", ")).expect("a string");
    }
    if let Some((expression, value)) = entry.example {
        write!(text, "\n`{expression}` is `{}`.\n", value.trim_start_matches("array!")).expect("a string");
    }
    text
}

fn item(entry: &Entry) -> String {
    let mut doc = format!("{}\n\n```text\n{}\n```\n", paragraphs(&entry.doc), entry.types.join("\n"));
    if !entry.picture.is_empty() {
        write!(doc, "\n```text\n{}\n```\n", entry.picture).expect("a string");
    }
    if let Some((expression, value)) = entry.example {
        write!(
            doc,
            "\n```\n# use lift::prelude::*;\nlet value = lift!(|| {expression})(&Device::cpu())?;\n\
             assert_eq!(value, {value});\n# Ok::<(), lift::Error>(())\n```\n"
        )
        .expect("a string");
    }
    let doc: String = doc.lines().map(|line| format!("/// {line}").trim_end().to_string() + "\n").collect();
    doc + &stub(entry.name, &entry.types[0])
}

/// The first line is the summary.
fn paragraphs(doc: &str) -> String {
    doc.replacen('\n', "\n\n", 1)
}

/// `pub fn map(f: Function, xs: Array) -> Array`
fn stub(name: &str, ty: &str) -> String {
    let (_, ty) = ty.split_once(" : (").expect("a name and a type");
    let (operands, result) = ty.rsplit_once(") -> ").expect("operands and a result");
    let mut params: Vec<(String, String)> = vec![];
    for operand in split(operands) {
        let Some((mut name, ty)) = parameter(operand) else { continue };
        // The second array is `ys`.
        while params.iter().any(|(other, _)| *other == name) {
            let next = char::from(name.as_bytes()[0] + 1);
            name.replace_range(..1, &next.to_string());
        }
        params.push((name, ty));
    }
    let params: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    let result = match result {
        array if array.starts_with('[') => "Array",
        function if function.contains("->") => "Function",
        _ => "Value",
    };
    format!("pub fn {name}({}) -> {result} {{\n    inside_lift()\n}}\n", params.join(", "))
}

/// Its name, which follows from its type, and what it is.
fn parameter(operand: &str) -> Option<(String, String)> {
    let lower = |text: &str| text.chars().all(char::is_lowercase);
    let (name, ty) = match operand {
        "…" => return None,
        function if function.contains("->") => ("f".to_string(), "Function".to_string()),
        fill if fill.starts_with("fill ") => ("value".to_string(), "Value".to_string()),
        array if array.starts_with('[') => {
            let rank = array.chars().take_while(|c| *c == '[').count();
            ("x".to_string() + &"s".repeat(rank), "Array".to_string())
        }
        sizes if sizes.starts_with('(') => {
            let count = sizes.split(',').count();
            (sizes.to_string(), format!("({})", vec!["Size"; count].join(", ")))
        }
        size if lower(size) => (size.to_string(), "Size".to_string()),
        _ => ("x".to_string(), "Value".to_string()),
    };
    Some((name, ty))
}

/// At the commas that stand in no brackets.
fn split(operands: &str) -> Vec<&str> {
    let mut inside = 0;
    let parts = operands.split(|c| {
        inside += depth(c);
        c == ',' && inside == 0
    });
    parts.map(str::trim).collect()
}

fn depth(c: char) -> i32 {
    match c {
        '(' | '[' => 1,
        ')' | ']' => -1,
        _ => 0,
    }
}
