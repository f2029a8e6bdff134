//! The pages of the book that are made from the project itself are up to date.
//!
//! `LIFT_UPDATE_GOLDEN=1 cargo test --test book` writes them anew; read what changed.

mod applications;
mod citations;
#[allow(dead_code)]
#[path = "../examples/tour.rs"]
mod tour;

use lift_core::Program;
use lift_core::expr::{self, Kind, Size, Tune};
use lift_core::nat::{Nat, Var};
use lift_core::rules::{Arguments, CATALOGUE, Rule};
use lift_core::strategy::State;
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

/// `ARCHITECTURE.md` shows what `examples/tour.rs` prints.
#[test]
fn architecture() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let found = std::fs::read_to_string(&path).expect("the page");
    let (_, source) = include_str!("../examples/tour.rs").split_once("// begin\n").expect("a beginning");
    let (source, _) = source.split_once("// end\n").expect("an end");
    let mut texts = vec![("source", "rust", source.to_string())];
    for (title, text) in tour::stages().expect("the stages") {
        let body = match title {
            "checked" => continue,
            // What stands above the body is the source's.
            "lowered" => {
                text.split_once("\n{\n").map_or(&*text, |(_, body)| body).trim_end_matches(['}', '\n'])
            }
            _ => &text,
        };
        texts.push((title, if title == "OpenCL" { "c" } else { "text" }, body.to_string()));
    }
    let made = texts.iter().fold(found.clone(), |page, (title, language, text)| {
        let (before, rest) = page.split_once(&format!("<!-- tour {title} -->\n")).expect(title);
        let (_, after) = rest.split_once("<!-- end of tour").expect(title);
        let text = text.trim_end();
        format!("{before}<!-- tour {title} -->\n```{language}\n{text}\n```\n<!-- end of tour{after}")
    });
    if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &made).expect("it is ours");
    } else {
        assert!(found == made, "ARCHITECTURE.md is out of date: LIFT_UPDATE_GOLDEN=1 cargo test --test book");
    }
}

/// The topics of the catalogue, each with the first of its rules.
const TOPICS: [(&str, &str); 7] = [
    ("Fusion and fission", "beta"),
    ("Tiling", "splitJoin"),
    ("Interchange", "mapMap"),
    ("Reductions", "reduceJoin"),
    ("Vectors", "vectorMap"),
    ("Places and memory", "hoist"),
    ("Simplification", "joinSplit"),
];

#[test]
fn rules() {
    let mut made = String::from(
        "# The rewrite rules\n\n\
         Each rule rewrites whatever has the shape of one side of its equation into the other side. Rules keep types \
         and meaning: each is tried on hundreds of random programs. Below each stands what one application does to a \
         small program. Sizes in lower case are those that a rule is given.\n",
    );
    for rule in CATALOGUE.iter() {
        if let Some((topic, _)) = TOPICS.iter().find(|(_, first)| *first == rule.name) {
            write!(made, "\n## {topic}\n").expect("a string");
        }
        let (before, after) = application(rule).unwrap_or_else(|| {
            panic!("`{}` matches none of tests/applications: add a program for it", rule.name)
        });
        let source = if rule.source.is_empty() { String::new() } else { format!("{}\n\n", rule.source) };
        let (name, equation) = (rule.name, rule.equation);
        write!(
            made,
            "\n### `{name}`\n\n{source}```text\n{equation}\n```\n\n\
             ```rust\n{before}\n```\n\nbecomes\n\n```rust\n{after}\n```\n"
        )
        .expect("a string");
    }
    page("rules.md", &made);
}

/// What a rule makes of the program that is named after it, else of the first that it matches: the bodies
/// before and after.
fn application(rule: &'static Rule) -> Option<(String, String)> {
    let snake = rule.name.chars().flat_map(|c| {
        let break_before = c.is_uppercase().then_some('_');
        break_before.into_iter().chain(c.to_lowercase())
    });
    let name: String = snake.collect();
    let mut programs = applications::all();
    programs.sort_by_key(|program| program.name() != name);
    programs.into_iter().find_map(|program| applied(rule, program))
}

/// At the first place, from the outside in, with sizes of the names in the rule's equation.
fn applied(rule: &'static Rule, program: &Program) -> Option<(String, String)> {
    let mut function = program.function.clone();
    let mut sizes = vec![];
    for name in rule.sizes {
        let var = Var::size(name);
        // A dimension is a number.
        sizes.push(if *name == "d" { Nat::constant(0) } else { Nat::var(&var) });
        function.sizes.push(Size { var, site: function.site, tune: Some(Tune::List([1.into()].into())) });
    }
    let state = State::new(&function);
    let next = state.function.body.paths().into_iter().find_map(|path| {
        let e = state.at(&path)?;
        let inside = if rule.inside { e.paths() } else { vec![expr::Path::default()] };
        let computes = |path: &expr::Path| {
            !rule.inside || e.at(path).is_some_and(|e| !matches!(&*e.kind, Kind::Local(_)))
        };
        inside
            .into_iter()
            .filter(computes)
            .find_map(|inside| state.apply(rule, &Arguments { sizes: sizes.clone(), inside }, &path).ok())
    })?;
    Some((body(&state), body(&next)))
}

/// The function's body as it is printed, without indentation.
fn body(state: &State) -> String {
    let text = state.function.to_string();
    let (_, body) = text.split_once("{\n").expect("a body");
    let lines = body.trim_end().trim_end_matches('}').trim_end().lines();
    lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}
