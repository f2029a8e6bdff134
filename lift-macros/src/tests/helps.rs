//! The clauses that messages propose lead somewhere: programs that lack some of their clauses are given those that
//! the messages ask for, until they are accepted.

use crate::parse;
use lift_core::syntax::{Diagnostic, Expr, Function};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Whoever adds what is asked for is not asked more often.
const ROUNDS: usize = 6;

/// So many programs are completed by what messages propose, or something is wrong with this test.
const AT_LEAST: usize = 60;

/// What came of following the messages.
enum Outcome {
    Accepted,
    /// A message proposes no clause: nothing was promised.
    Unpromised,
    Circle(String),
}

/// The functions of each block in the programs of the tests.
fn blocks() -> Vec<Vec<Function>> {
    let tests = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests"));
    let sources = ["programs", "tiles"].into_iter().flat_map(|folder| {
        let folder = std::fs::read_dir(tests.join(folder)).expect("a folder of programs");
        folder.map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a source"))
    });
    let files = sources.map(|source| syn::parse_str::<syn::File>(&source).expect("Rust"));
    let calls = files.flat_map(|file| file.items).filter_map(|item| match item {
        syn::Item::Macro(call) if call.mac.path.is_ident("lift") => Some(call.mac.tokens),
        _ => None,
    });
    // Functions that are looked at without their block lose its constants.
    calls
        .filter(|tokens| tokens.clone().into_iter().all(|token| token.to_string() != "const"))
        .map(|tokens| parse::parse(tokens).items.into_iter().filter_map(|item| item.function).collect())
        .collect()
}

/// The first function, and what it needs of the others.
fn with_callees(function: &Function, block: &[Function]) -> Vec<Function> {
    let (mut kept, mut open) = (vec![], vec![function.clone()]);
    while let Some(next) = open.pop() {
        for other in
            block.iter().filter(|other| crate::check::mentions(&next.body, &[other.name.text.clone()].into()))
        {
            let known = |f: &Function| f.name.text == other.name.text;
            if !kept.iter().any(known) && !open.iter().any(known) && other.name.text != function.name.text {
                open.push(other.clone());
            }
        }
        kept.push(next);
    }
    kept
}

/// The clauses in a message's help.
fn proposed(diagnostic: &Diagnostic) -> Option<String> {
    let help = diagnostic.helps.iter().find_map(|help| help.strip_prefix("add `where "))?;
    Some(help.split('`').next()?.to_string())
}

fn clauses(text: &str) -> Vec<Expr> {
    let source = format!("fn clauses(x: f32) -> f32 where {text} {{{{ x }}}}");
    let parsed = parse::parse(source.parse().expect("tokens"));
    let function = parsed.items.into_iter().find_map(|item| item.function);
    function.unwrap_or_else(|| panic!("`{text}` is no list of clauses")).wheres
}

/// Adds what is proposed until nothing is wrong.
fn follow(mut functions: Vec<Function>) -> Outcome {
    let mut added = BTreeSet::new();
    for _ in 0..ROUNDS {
        let Err(diagnostics) = lift_core::check(&functions) else { return Outcome::Accepted };
        let Some(texts) = diagnostics.iter().map(proposed).collect::<Option<BTreeSet<String>>>() else {
            return Outcome::Unpromised;
        };
        for text in texts {
            if !added.insert(text.clone()) {
                return Outcome::Circle(format!("`{text}` is asked for again"));
            }
            functions[0].wheres.extend(clauses(&text));
        }
    }
    Outcome::Circle(format!("{ROUNDS} rounds did not end with a program: {added:?}"))
}

/// Each program without one of its clauses, and without any.
fn incomplete(block: &[Function]) -> Vec<(String, Vec<Function>)> {
    let mut all = vec![];
    for function in block.iter().filter(|f| f.public && !f.wheres.is_empty()) {
        let name = &function.name.text;
        let mut without = |what: String, wheres: Vec<Expr>| {
            let mut functions = with_callees(function, block);
            functions[0].wheres = wheres;
            all.push((what, functions));
        };
        without(format!("{name} without clauses"), vec![]);
        for at in 0..function.wheres.len() {
            let mut wheres = function.wheres.clone();
            wheres.remove(at);
            without(format!("{name} without clause {}", at + 1), wheres);
        }
    }
    all
}

#[test]
fn helps_lead_to_programs() {
    let (mut accepted, mut unpromised, mut circles) = (0, vec![], vec![]);
    for (what, functions) in blocks().iter().flat_map(|block| incomplete(block)) {
        match follow(functions) {
            Outcome::Accepted => accepted += 1,
            Outcome::Unpromised => unpromised.push(what),
            Outcome::Circle(how) => circles.push(format!("{what}: {how}")),
        }
    }
    println!("{accepted} completed, {} without a proposal: {unpromised:?}", unpromised.len());
    assert!(circles.is_empty(), "{}", circles.join("\n"));
    assert!(accepted >= AT_LEAST, "only {accepted} programs were completed");
}

/// What users write about tiles is proved without more clauses than are there, and quickly.
#[test]
fn tiles_are_accepted() {
    for block in blocks() {
        if let Err(diagnostics) = lift_core::check(&block) {
            let messages: Vec<String> = diagnostics.iter().map(|d| format!("{d}\n{:?}", d.helps)).collect();
            let names: Vec<&str> = block.iter().map(|f| f.name.text.as_str()).collect();
            panic!("{names:?}:\n{}", messages.join("\n"));
        }
    }
}
