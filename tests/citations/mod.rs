//! What the project cites, the papers have: each section, listing, table, figure and rule that is named anywhere in
//! the tree is one of these.

use std::path::{Path, PathBuf};

struct Paper {
    names: &'static [&'static str],
    sections: &'static [&'static str],
    /// Headings, where sections have no numbers.
    headings: &'static [&'static str],
    listings: u32,
    tables: u32,
    figures: u32,
    rules: u32,
}

const PAPERS: &[Paper] = &[
    Paper {
        names: &["GPGPU'20"],
        sections: &[
            "1", "2", "2.1", "2.2", "2.3", "2.4", "3", "3.1", "3.1.1", "3.1.2", "3.2", "3.3", "3.4", "3.4.1",
            "3.4.2", "4", "4.1", "4.2", "4.2.1", "4.2.2", "4.2.3", "4.2.4", "5", "5.1", "5.2", "5.3", "6",
            "7", "7.1", "7.2", "7.3", "8", "9",
        ],
        headings: &[],
        listings: 4,
        tables: 4,
        figures: 6,
        rules: 0,
    },
    Paper {
        names: &["CC'22"],
        sections: &[
            "1", "2", "3", "3.1", "3.2", "3.3", "4", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "5", "5.1",
            "5.1.1", "5.1.2", "5.1.3", "5.2", "5.3", "5.4", "5.5", "6", "7",
        ],
        headings: &[],
        listings: 3,
        tables: 4,
        figures: 6,
        rules: 8,
    },
    Paper {
        names: &["Boda-RTC", "Boda"],
        sections: &["I", "II", "III", "IV", "V", "VI", "VII", "VIII"],
        headings: &[],
        listings: 1,
        tables: 2,
        figures: 8,
        rules: 0,
    },
    Paper {
        names: &["Hashemi"],
        sections: &[],
        headings: &[
            "The Concise Implementation",
            "Weight Vectorization",
            "Input Vectorization",
            "Combining Across Output Depth",
            "Combining Across Width",
        ],
        listings: 0,
        tables: 0,
        figures: 0,
        rules: 0,
    },
    Paper {
        names: &["Zhang", "IREE"],
        sections: &[],
        headings: &[
            "Background and Scope",
            "Overall CodeGen Strategy",
            "Tiling and distribution",
            "Vectorization and unrolling",
        ],
        listings: 0,
        tables: 0,
        figures: 0,
        rules: 0,
    },
];

/// Other works, whose sections are not listed here.
const OTHERS: &[&str] = &["OpenCL 1.2 "];

const FOLDERS: &[&str] =
    &["docs", "examples", "src", "tests", "lift-core", "lift-macros/src", "lift-runtime/src", "oracle/tests"];
const FILES: &[&str] = &["README.md", "ARCHITECTURE.md"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|e| e.to_str()) {
            // This file names all that there is.
            _ if path.is_dir() && !path.ends_with("target") && !path.ends_with("citations") => {
                files(&path, found)
            }
            Some("rs" | "md" | "csv" | "stderr") => found.push(path),
            _ => {}
        }
    }
}

/// The text without the ends of lines, and without what begins those of comments.
fn joined(text: &str) -> String {
    let marks = ["///", "//!", "//", "|"];
    let line = |line: &str| {
        let line = line.trim();
        marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim().to_string()
    };
    text.lines().map(line).collect::<Vec<_>>().join(" ").replace("\\\"", "\"")
}

/// What follows one of these, and what they are followed by up to where `end` holds.
fn item<'a>(text: &'a str, marks: &[&str], end: fn(char) -> bool) -> Option<(&'a str, &'a str)> {
    let rest = marks.iter().find_map(|mark| text.strip_prefix(mark))?;
    Some(rest.split_at(rest.find(end).unwrap_or(rest.len())))
}

/// What is wrong with what is cited of a paper, and where the citation ends.
fn cited<'a>(paper: &Paper, after: &'a str) -> (Vec<String>, &'a str) {
    let (mut wrong, mut rest, mut rule) = (vec![], after, false);
    for word in ["'s", " 2019", " 2021", " (IREE)"] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    loop {
        let next = rest.trim_start_matches([',', ' ']);
        let next = next.strip_prefix("and ").unwrap_or(next);
        let not_digit: fn(char) -> bool = |c| !c.is_ascii_digit();
        let mut numbered = |what: &[&str], last: u32| {
            let (number, left) = item(next, what, not_digit).filter(|(number, _)| !number.is_empty())?;
            let known = number.parse().is_ok_and(|n: u32| (1..=last).contains(&n));
            (!known).then(|| wrong.push(format!("{}{number}", what[0])));
            Some(left)
        };
        let rules = if rule { &["rule ", "rules ", ""][..] } else { &["rule ", "rules "] };
        let numbers = numbered(&["listing "], paper.listings)
            .or_else(|| numbered(&["table "], paper.tables))
            .or_else(|| numbered(&["figure "], paper.figures));
        let rule_left = numbered(rules, paper.rules);
        rule = rule_left.is_some();
        let numbers = numbers.or(rule_left);
        if let Some(left) = numbers {
            rest = left;
        } else if let Some((section, left)) =
            item(next, &["§"], |c| !(c.is_ascii_alphanumeric() || c == '.'))
        {
            let section = section.trim_end_matches('.');
            if !paper.sections.contains(&section) {
                wrong.push(format!("§{section}"));
            }
            rest = left;
        } else if let Some((heading, left)) = item(next, &["\""], |c| c == '"')
            .filter(|_| !paper.headings.is_empty() && next.len() < rest.len())
        {
            if !paper.headings.contains(&heading) {
                wrong.push(format!("{heading:?}"));
            }
            rest = &left[left.len().min(1)..];
        } else {
            return (wrong, rest);
        }
    }
}

#[test]
fn what_is_cited_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = FILES.iter().map(|file| root.join(file)).collect();
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut paths));
    let (mut citations, mut problems) = (0, vec![]);
    for path in paths {
        let text = joined(&std::fs::read_to_string(&path).expect("a text"));
        let mut say = |what: String| problems.push(format!("{}: {what}", path.display()));
        let mut rest = &text[..];
        loop {
            let names = PAPERS.iter().flat_map(|paper| paper.names.iter().map(move |name| (paper, *name)));
            let found = names
                .filter_map(|(paper, name)| Some((rest.find(name)?, std::cmp::Reverse(name.len()), paper)));
            let next = found.min_by_key(|(at, length, _)| (*at, *length));
            // What stands between citations names no section, or says of which other work.
            let between = &rest[..next.map_or(rest.len(), |(at, ..)| at)];
            for (at, _) in between.match_indices('§') {
                if !OTHERS.iter().any(|other| between[..at].ends_with(other)) {
                    say(format!("a section of what? {}", between[at..].chars().take(40).collect::<String>()));
                }
            }
            let Some((at, length, paper)) = next else { break };
            let (wrong, left) = cited(paper, &rest[at + length.0..]);
            wrong.iter().for_each(|what| say(format!("{} has no {what}", paper.names[0])));
            (citations, rest) = (citations + 1, left);
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(citations > 100, "{citations}");
}
