//! The rules of placement as people read them.

#[allow(dead_code)]
mod problems;

use lift_core::constraints::{Options, RULES, constraints, table};
use lift_core::kernel::Space;
use std::collections::BTreeSet;

const BEGIN: &str = "<!-- rules -->\n";
const END: &str = "<!-- end of rules -->";

/// `LIFT_UPDATE_GOLDEN=1` writes the table anew.
#[test]
fn the_table_is_up_to_date() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../ARCHITECTURE.md");
    let text = std::fs::read_to_string(file).expect("it is there");
    let begin = text.find(BEGIN).expect("there is a table") + BEGIN.len();
    let end = text.find(END).expect("it ends");
    if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
        std::fs::write(file, [&text[..begin], &table(), &text[end..]].concat()).expect("it is ours");
    } else {
        assert_eq!(text[begin..end], table());
    }
}

#[test]
fn rules_have_different_names_and_say_why() {
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len());
    for rule in RULES {
        assert!(!rule.reason.is_empty() && !rule.help.is_empty());
        // They stand in a table.
        assert!(!rule.equation.contains('|'));
    }
}

/// CC'22, table 4, for its kind of convolution.
#[test]
fn most_constraints_are_of_the_hierarchy() {
    let nest = problems::convolution(Space::Local);
    let found = constraints(&nest, &Options::default());
    let count = |name: &str| found.iter().filter(|c| c.rule.name == name).count();
    // Two maps write private memory, four use local memory.
    assert_eq!(count("private scoping"), 2);
    assert_eq!(count("local scoping"), 5);
    // For each pair of nested maps the nine ways to be spread.
    assert_eq!(count("duplicate scheduling"), 9 * nest.nested().count());
}
