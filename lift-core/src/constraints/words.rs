//! The rules as a table.

use super::rules::RULES;
use super::space::PARAMETERS;

/// All rules as Markdown: name, source, equation, reason. `ARCHITECTURE.md` has it.
pub fn table() -> String {
    let mut text = "| rule | source | equation | because |\n| --- | --- | --- | --- |\n".to_string();
    for rule in RULES.into_iter().chain([&PARAMETERS]) {
        text += &format!("| {} | {} | {} | {} |\n", rule.name, rule.source, rule.equation, rule.reason);
    }
    text
}
