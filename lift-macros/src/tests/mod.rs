//! Whatever tokens it is given, the macro does not panic, and what it expands to is Rust.

#[path = "../../../tests/common/edits.rs"]
mod edits;
mod helps;
mod messages;
mod words;

use crate::block::block;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Uses most of the syntax.
const PROGRAM: &str = "
    /// Documented.
    #[strict]
    pub fn smooth<H, W, STEP, tune TILE: 1..=8, tune V: [1, 2, 4]>(
        const kernel: [[f32; 3]; 3], image: [[f32; W]; H], alpha: f32,
    ) -> ([[f32; W - 2]; H - 2], f32)
    where
        H >= 3, W >= 3 && STEP % 2 == 0 || W < STEP,
    {
        let windows = slide2D((3, 3), (1, 1), image);
        let (a, _): (f32, i32) = (f32::MAX, -1 as i32);
        let apply = |window: [[f32; 3]; 3]| -> f32 {
            reduce(0.0f32, |acc, (x, w)| acc + x * w, zip(join(window), kernel.join()))
        };
        (map2D(|w| if apply(w) > alpha { apply(w) } else { !true; [1u8; 3].0 }, windows), a)
    }
    fn helper(x: f16) -> f16 { x.max(1.0) }
";

/// Expands, and checks that Rust can parse what comes out.
fn expand(tokens: TokenStream) -> String {
    let expanded = block(tokens.clone());
    let in_function = quote::quote!(fn main() { #expanded });
    if let Err(error) = syn::parse2::<syn::File>(in_function) {
        panic!("{error} in the expansion of\n{tokens}\n\n{expanded}");
    }
    expanded.to_string()
}

fn expand_text(source: &str) -> String {
    expand(source.parse().expect("tokens"))
}

/// A place in a tree of tokens, counted from outside in and from left to right.
fn edit(tokens: TokenStream, at: &mut isize, how: u8, other: &TokenTree) -> TokenStream {
    let mut edited = vec![];
    for token in tokens {
        *at -= 1;
        let here = *at == -1;
        let token = match token {
            TokenTree::Group(group) => {
                let delimiter = match (here, how) {
                    (true, 3) => Delimiter::Bracket,
                    (true, 4) => Delimiter::None,
                    _ => group.delimiter(),
                };
                TokenTree::Group(Group::new(delimiter, edit(group.stream(), at, how, other)))
            }
            token => token,
        };
        match (here, how) {
            (true, 0) => {}
            (true, 1) => edited.extend([token.clone(), token]),
            (true, 2) => edited.push(other.clone()),
            _ => edited.push(token),
        }
    }
    edited.into_iter().collect()
}

fn count(tokens: TokenStream) -> usize {
    let inside = |token| match token {
        TokenTree::Group(group) => 1 + count(Group::stream(&group)),
        _ => 1,
    };
    tokens.into_iter().map(inside).sum()
}

fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let with_inside = |token| match &token {
        TokenTree::Group(group) => [vec![token.clone()], flat(group.stream())].concat(),
        _ => vec![token],
    };
    tokens.into_iter().flat_map(with_inside).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Tokens taken out, doubled, replaced by others of the program, other brackets around them.
    #[test]
    fn damaged_programs(edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..5, any::<prop::sample::Index>()), 1..4)) {
        let mut tokens: TokenStream = PROGRAM.parse().expect("tokens");
        let others = flat(tokens.clone());
        for (at, how, other) in edits {
            let mut at = at.index(count(tokens.clone()).max(1)) as isize;
            tokens = edit(tokens, &mut at, how, other.get(&others));
        }
        expand(tokens);
    }
}

#[test]
fn nothing_is_too_deep() {
    as_in_the_compiler(|| {
        for n in [30, 100, 240, 260, 900, 2_000, 100_000] {
            for (open, middle, close) in [
                ("(", "x", ")"),
                ("-", "x", ""),
                ("|x| ", "x", ""),
                ("{", "x", "}"),
                ("[", "x", "]"),
                ("map(|x| ", "x", ", x)"),
                ("let x = x; ", "x", ""),
                ("let f = |x| x;", "x", ""),
                ("if true { x } else ", "{ x }", ""),
                ("if x { x } else if ", "x", ""),
                ("", "x", " + x"),
                ("", "x", " as f32"),
                ("", "x", ".abs()"),
                ("(x, ", "x", ")"),
                ("-..", "x", ""),
                ("x as &", "f32", ""),
                ("x::<", "x", ""),
                ("|| ", "x", ""),
                ("return ", "x", ""),
                ("if ", "x", ""),
                ("while let x = ", "x", ""),
            ] {
                // The lexer of the tests is recursive itself.
                if n > 2_000 && "([{m".contains(open.chars().next().unwrap_or('-')) {
                    continue;
                }
                let body = format!("{}{middle}{}", open.repeat(n), close.repeat(n));
                expand_text(&format!("fn f(x: f32) -> f32 {{ {body} }}"));
                expand_text(&format!("|x: f32| {body}"));
            }
            for before in
                ["<", "&", "&'a ", "&'a mut ", "*const ", "fn() -> ", "impl A<", "A<", "A<'a, ", "A<B = "]
            {
                let nested = before.repeat(n);
                expand_text(&format!("fn f(x: {nested}f32) -> f32 {{ x }}"));
                expand_text(&format!("fn f(x: f32) -> f32 {{ let y: {nested}f32 = x; y }}"));
            }
        }
    });
}

/// With a stack as large as rustc's own.
fn as_in_the_compiler(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(f);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn signatures() {
    let expanded = expand_text(
        "pub(crate) fn f<N, STEP, const M: usize>(xs: [[u8; N]; 3], x: f16, y: f64) -> ([f16; STEP], bool) { xs }",
    );
    let expected = ":: lift :: Device , step : :: core :: primitive :: usize , m : :: core :: primitive :: usize , \
                    xs : :: lift :: ndarray :: ArrayView2 < '_ , :: core :: primitive :: u8 > , \
                    x : :: lift :: half :: f16 , y : :: core :: primitive :: f64 ,) \
                    -> :: core :: result :: Result < (:: lift :: ndarray :: Array1 < :: lift :: half :: f16 > , \
                    :: core :: primitive :: bool ,)";
    assert!(expanded.contains(expected), "{expanded}");
}

#[test]
fn mistakes_beside_mistakes() {
    let expanded = expand_text(
        "fn a(x: f32) -> f32 { match x {} }
         fn b(x: f32) -> f32 { a(x) }
         fn c(x: f32 -> f32) -> f32 { x }
         fn d(x: ?, y: f32) -> f32 { }
         fn e(x: f32) -> f32 { y }",
    );
    let errors = expanded.matches("compile_error").count();
    assert_eq!(errors, 5, "{expanded}");
    for name in ["a", "b", "c", "d", "e"] {
        assert!(expanded.contains(&format!("fn {name} (device")), "{name}: {expanded}");
    }
}

#[test]
fn expressions() {
    let expanded =
        expand_text("|x: [[f32; min(N, M) + K]; N]| -> [f32; N] { map(|row| row.reduce(0.0), x) }");
    assert!(
        expanded.starts_with("{") && expanded.ends_with(":: new (expression , & expression :: ENTRY) }"),
        "{expanded}"
    );
    let sizes = |names: &[&str]| {
        let sizes: Vec<_> =
            names.iter().map(|name| format!("pub {name} : :: core :: primitive :: usize")).collect();
        sizes.join(" , ")
    };
    assert!(expanded.contains(&sizes(&["N", "M", "K"])), "{expanded}");
    let inferred = expand_text("<STEP> |x: [f32; N]| (x, STEP as f64)");
    let free = "step : :: core :: primitive :: usize , x : :: lift :: ndarray :: ArrayView1";
    assert!(inferred.contains(free), "{inferred}");
    assert!(inferred.contains(&sizes(&["STEP", "N"])), "{inferred}");
    let result =
        "(:: lift :: ndarray :: Array1 < :: core :: primitive :: f32 > , :: core :: primitive :: f64 ,)";
    assert!(inferred.contains(result), "{inferred}");
    for wrong in [
        "|",
        "||",
        "|x|",
        "|x| x",
        "<",
        "<N>",
        "<N> |x: f32| x",
        "|x: [f32; N]| N",
        "|x: [f32; N]| zip(x, x)",
        "<tune T: [1, 2]> |x: [f32; 4 * N]| split(T, x)",
        "|x: f32| expression(x)",
        "|x: f32, (a, b): f32| -> f32 { x }",
        "|x: f32| -> f32 { y }",
    ] {
        assert!(expand_text(wrong).contains("compile_error"), "{wrong}");
    }
}

#[test]
fn names_for_editors() {
    let names = |source: &str| {
        let expanded = expand_text(source);
        let (_, names) = expanded.split_once("# [cfg (rust_analyzer)]").expect("names");
        names.split_once("clippy :: all)]").expect("items").1.to_string()
    };
    let typed = names("fn f<N>(xs: [f32; N]) -> { let ys = map(|x| , xs); sli }");
    let function = "< const N : usize > (xs : [f32 ; N]) { map ; { let x ; } xs ; let ys ; sli ; }";
    assert!(typed.contains(function), "{typed}");
    let shadowed = names("fn map<N>(xs: [f32; N]) -> f32 { 0.0 }");
    assert!(!shadowed.contains("primitives :: *") && !shadowed.contains(" map ,"), "{shadowed}");
}

/// Many numbers take a moment, and calls of calls are refused before they take for ever.
#[test]
fn large_programs() {
    as_in_the_compiler(|| {
        let numbers: Vec<String> = (0..20_000).map(|n| format!("{n}.5")).collect();
        let table =
            format!("pub fn f(k: f32) -> [f32; 20000] {{ map(|x| x * k, [{}]) }}", numbers.join(", "));
        let taken = duration(|| assert!(!expand_text(&table).contains("compile_error")));
        assert!(taken < LONGEST, "{taken:?}");
        let more = table.replace("[f32; 20000]", "[f32; 120001]");
        let more = more.replace("[0.5,", &format!("[{}0.5,", "0.5, ".repeat(100_001)));
        assert!(expand_text(&more).contains("at most 100000 are possible"));
        // A chain of calls, each of the one before once, and each twice.
        for (call, n, refused) in [("f#(x) + 1.0", 100, false), ("f#(x) * f#(x + 1.0)", 100, true)] {
            let next = |k: usize| {
                let body = call.replace('#', &(k - 1).to_string());
                format!("pub fn f{k}(x: f32) -> f32 {{ {body} }}")
            };
            let functions: String = (1..n).map(next).collect();
            let block = format!("pub fn f0(x: f32) -> f32 {{ x }} {functions}");
            let taken = duration(|| assert_eq!(expand_text(&block).contains("compile_error"), refused));
            assert!(taken < LONGEST, "{taken:?}");
        }
    });
}

#[test]
fn attributes() {
    let expanded = expand_text(
        "/// Kept.
         #[cfg(unix)] #[strict] #[deprecated]
         pub fn f(x: f32) -> f32 { x }",
    );
    assert_eq!(expanded.matches("# [cfg (unix)]").count(), 2, "{expanded}");
    assert_eq!(expanded.matches("# [deprecated]").count(), 1, "{expanded}");
    assert!(expanded.contains("\" Kept.\"") && !expanded.contains("# [strict]"), "{expanded}");
    assert!(expanded.contains("\\\"strict\\\":true"), "{expanded}");
}

#[test]
fn tests_of_sizes_divide_by_nothing_that_may_be_zero() {
    let chosen = |test: &str| {
        expand_text(&format!(
            "fn f<N>(x: [f32; N]) -> f32 {{ if {test} {{ sum(x) }} else {{ 0.0 }} }}
                              fn sum<N>(x: [f32; N]) -> f32 {{ reduce(0.0, |a, b| a + b, x) }}"
        ))
    };
    for wrong in ["4 % (N - 1) == 0", "N > 2 || 4 / (N - 1) == 1", "N > 0 && 4 / (N - 1) == 1"] {
        assert!(chosen(wrong).contains("the divisor N - 1 may be less than 1"), "{wrong}");
    }
    for right in ["4 % N == 0", "N > 1 && 4 / (N - 1) == 1", "N == 1 || 4 % (N - 1) == 0"] {
        assert!(!chosen(right).contains("compile_error"), "{right}");
    }
}

/// What the fuzzer found worth keeping, and everything that ever went wrong; `LIFT_FUZZED=folder` tries what
/// is there instead, and `SHOW=1` prints the input that takes longest.
#[test]
#[ignore = "scripts/hunt runs it"]
fn fuzzed_programs() {
    as_in_the_compiler(replay);
}

fn replay() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/kept/tokens");
    let folder = std::env::var("LIFT_FUZZED").unwrap_or(kept.into());
    let (mut replayed, mut slowest) = (0, (Duration::ZERO, String::new()));
    for entry in std::fs::read_dir(folder).expect("inputs that the fuzzer kept") {
        let text = words::text(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
        if let Ok(tokens) = text.parse::<TokenStream>() {
            let taken = duration(|| drop(expand(tokens.clone())));
            replayed += 1;
            if taken > slowest.0 {
                slowest = (taken, text);
            }
        }
    }
    println!("{replayed} inputs, the slowest takes {:?}", slowest.0);
    if std::env::var_os("SHOW").is_some() {
        println!("{}", slowest.1);
    }
    assert!(replayed > 50, "{replayed}");
    assert!(slowest.0 < LONGEST, "{:?} for\n{}", slowest.0, slowest.1);
}

/// No input takes longer, unoptimised and with another test beside it.
const LONGEST: Duration = Duration::from_secs(2);

/// What it takes where nothing interferes: the shortest of a few attempts, if the first took too long.
fn duration(attempt: impl Fn()) -> Duration {
    let timed = || {
        let start = Instant::now();
        attempt();
        start.elapsed()
    };
    let mut shortest = timed();
    for _ in 0..3 {
        if shortest >= LONGEST {
            shortest = shortest.min(timed());
        }
    }
    shortest
}

/// The fuzzer compiles this crate's modules one by one, and no ordinary build compiles the fuzzer.
#[test]
fn the_fuzzer_has_every_module() {
    let modules = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("mod ")).map(ToString::to_string).collect()
    };
    let fuzzer = modules(include_str!("../../../fuzz/fuzz_targets/tokens.rs"));
    let crate_itself = modules(include_str!("../lib.rs"));
    let missing: Vec<_> = crate_itself.iter().filter(|m| !fuzzer.contains(m) && *m != "mod tests;").collect();
    assert!(missing.is_empty(), "fuzz/fuzz_targets/tokens.rs lacks {missing:?}");
}
