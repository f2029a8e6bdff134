//! The rules as a table.

use super::rules::RULES;

/// All rules: name, source, equation, reason; as Markdown.
///
/// ```
/// let architecture = std::fs::read_to_string("../ARCHITECTURE.md").unwrap();
/// let table = lift_core::constraints::table();
/// assert!(architecture.contains(&table), "the table in ARCHITECTURE.md should be\n{table}");
/// ```
pub fn table() -> String {
    let mut text = "| rule | source | equation | because |\n| --- | --- | --- | --- |\n".to_string();
    for rule in RULES {
        text += &format!("| {} | {} | {} | {} |\n", rule.name, rule.source, rule.equation, rule.reason);
    }
    text
}
