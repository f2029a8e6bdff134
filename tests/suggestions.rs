//! What a message says to write compiles: every help that is an edit is applied to the program it is about, word for
//! word, and the result is compiled. The everyday tests ask the macro alone (`lift-macros/src/tests/messages.rs`).

#[path = "common/edits.rs"]
mod edits;

use std::fmt::Write;
use std::path::Path;

/// What is wrong with the edited programs, and nothing else is.
const ONE_MISTAKE: &str = "const NOTHING: () = 0;";

/// What is said to it in the second line of a file.
fn its_message(file: &Path) -> String {
    let place = file.display();
    format!(
        "error[E0308]: mismatched types\n --> {place}:2:21\n  |\n2 | {ONE_MISTAKE}\n  |                     \
         ^ expected `()`, found integer\n"
    )
}

#[test]
#[ignore = "scripts/hunt runs it"]
fn suggestions_compile() {
    // Where one mistake is expected, `trybuild` only checks programs, for which it builds much less.
    let mut all = format!("#![allow(dead_code, non_snake_case)]\n{ONE_MISTAKE}\nfn main() {{}}\n");
    for (name, text) in edits::edited_programs(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        write!(all, "\nmod {name} {{\n{text}}}\n").expect("a string");
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("suggestions.rs");
    std::fs::write(&file, all).expect("a file for the edited programs");
    std::fs::write(file.with_extension("stderr"), its_message(&file))
        .expect("a file for what is said to them");
    trybuild::TestCases::new().compile_fail(file);
}
