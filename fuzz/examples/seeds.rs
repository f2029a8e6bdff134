//! Inputs to begin with: `seeds FOLDER FILE.rs…` writes one for each function in the `lift!` blocks of the files.

#[path = "../../lift-macros/src/tests/words.rs"]
mod words;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    std::fs::create_dir_all(&folder)?;
    for file in arguments {
        let mut blocks = vec![];
        if let Ok(tokens) = std::fs::read_to_string(&file)?.parse() {
            find(tokens, &mut blocks);
        }
        for (k, block) in blocks.into_iter().enumerate() {
            let mut found = vec![];
            words_of(block, &mut found);
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            std::fs::write(format!("{folder}/{}-{k}", file.replace(['/', '.'], "_")), words::bytes(&found))?;
        }
    }
    Ok(())
}

/// What stands in the brackets after `lift!`, function by function.
fn find(tokens: TokenStream, blocks: &mut Vec<TokenStream>) {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, token) in all.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let called = k >= 2 && all[k - 2].to_string() == "lift" && all[k - 1].to_string() == "!";
        match called {
            false => find(group.stream(), blocks),
            true => {
                let mut function = vec![];
                for token in group.stream() {
                    let ends =
                        matches!(&token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
                    function.push(token);
                    if ends {
                        blocks.push(function.drain(..).collect());
                    }
                }
                blocks.push(group.stream());
            }
        }
    }
}

/// One string for each word, operators of several characters in one piece; attributes are left out.
fn words_of(tokens: TokenStream, found: &mut Vec<String>) {
    let mut joint = false;
    let mut attribute = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if attribute => {
                attribute = false;
                drop(group);
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                found.push(open.into());
                words_of(group.stream(), found);
                found.push(close.into());
                joint = false;
            }
            TokenTree::Punct(p) => {
                attribute = p.as_char() == '#';
                match found.last_mut() {
                    _ if attribute => {}
                    Some(last) if joint => last.push(p.as_char()),
                    _ => found.push(p.to_string()),
                }
                joint = p.spacing() == Spacing::Joint;
            }
            other => {
                found.push(other.to_string());
                joint = false;
            }
        }
    }
}
