//! The edits that messages propose, applied to the program they are about.
//!
//! Helps that are edits have these forms, and no others have:
//!
//! * ``add `where C` ``: to the clauses of the function in which the mistake is;
//! * ``write `X` `` and ``did you mean `X`?``: instead of what is underlined;
//! * ``remove `X` ``: the first of it in what is underlined.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

/// So many cases have nothing but mistakes with an edit, or something is wrong with the tests.
const AT_LEAST: usize = 90;

/// The wrong programs of `tests/ui/fail` by name, each with all that is proposed to it done.
pub fn edited_programs(root: &Path) -> BTreeMap<String, String> {
    let folder = root.join("tests/ui/fail");
    let mut programs = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the compile-fail cases") {
        let path = entry.expect("a case").path();
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a program");
        let stderr = std::fs::read_to_string(path.with_extension("stderr")).expect("its messages");
        if let Some(text) = with_edits(&source, &messages(&stderr)) {
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_string();
            programs.insert(name, text);
        }
    }
    assert!(programs.len() >= AT_LEAST, "only {} cases have edits", programs.len());
    programs
}

enum Edit {
    Where(String),
    Write(String),
    Remove(String),
}

/// One message: the line it points at, what it underlines there (nothing if that is several lines),
/// and the edit it proposes.
struct Message {
    line: usize,
    columns: Option<Range<usize>>,
    edit: Option<Edit>,
}

fn edit(help: &str) -> Option<Edit> {
    let quoted = |prefix: &str| Some(help.strip_prefix(prefix)?.split('`').next()?.to_string());
    quoted("add `where ")
        .map(Edit::Where)
        .or_else(|| quoted("write `").or_else(|| quoted("did you mean `")).map(Edit::Write))
        .or_else(|| quoted("remove `").map(Edit::Remove))
}

/// The messages in what the compiler printed.
fn messages(stderr: &str) -> Vec<Message> {
    let blocks = stderr.split("\n\n").filter(|block| block.starts_with("error"));
    blocks
        .map(|block| {
            let lines: Vec<&str> = block.lines().map(str::trim_start).collect();
            let place = lines.iter().find_map(|l| l.strip_prefix("--> ")).expect("a place");
            let line = place.rsplit(':').nth(1).and_then(|n| n.parse().ok()).expect("a line");
            let column: usize = place.rsplit(':').next().and_then(|n| n.parse().ok()).expect("a column");
            let underlined = lines.iter().find_map(|l| l.strip_prefix("| ").filter(|l| l.contains('^')));
            let carets = underlined.filter(|l| !l.contains('|')).map(|l| l.matches('^').count());
            let columns = carets.map(|carets| column - 1..column - 1 + carets);
            let edit = lines.iter().find_map(|l| edit(l.strip_prefix("= help: ")?));
            Message { line, columns, edit }
        })
        .collect()
}

/// The program with every edit made; `None` if there is a message without one.
fn with_edits(source: &str, messages: &[Message]) -> Option<String> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut clauses: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let mut replacements: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    for message in messages {
        let start = starts[message.line - 1];
        let underlined = || {
            let columns = message.columns.clone().expect("an edit of one line");
            start + columns.start..start + columns.end
        };
        match message.edit.as_ref()? {
            Edit::Where(clause) => {
                let end = starts.get(message.line).copied().unwrap_or(source.len());
                let function = source[..end].rfind("fn ").expect("a function");
                let body = function + source[function..].find('{').expect("a body");
                clauses.entry(body).or_default().insert(clause);
            }
            Edit::Write(text) => {
                let range = underlined();
                replacements.insert(range.start, (range.end, text.clone()));
            }
            Edit::Remove(text) => {
                let range = underlined();
                let at = range.start + source[range].find(text.as_str()).expect("what is to be removed");
                let (before, after) = (&source[..at], &source[at + text.len()..]);
                // Of a list, with its comma.
                let comma = before.ends_with(", ") && after.starts_with(['>', ',']);
                replacements.insert(if comma { at - 2 } else { at }, (at + text.len(), String::new()));
            }
        }
    }
    for (body, added) in clauses {
        let header = source[..body].trim_end();
        let function = header.rfind("fn ").expect("a function");
        let joined = added.into_iter().collect::<Vec<_>>().join(", ");
        let text = match (header[function..].contains("where"), header.ends_with(',')) {
            (false, _) => format!("where {joined} "),
            (true, true) => format!("{joined} "),
            (true, false) => format!(", {joined} "),
        };
        replacements.insert(body, (body, text));
    }
    let mut text = source.to_string();
    for (start, (end, new)) in replacements.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    Some(text)
}
