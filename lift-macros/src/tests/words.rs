//! Bytes as programs, for the fuzzer: almost every byte is a word of the language, so that random bytes and
//! small changes of them are programs that get past the parser.

// The fuzzer's tools use a part of this each.
#![allow(dead_code)]

/// In the place of the first byte: the others are the text as it is.
const RAW: u8 = 0;

/// Closes the bracket that was opened last, if there is one.
const CLOSE: u8 = 1;

const FIRST: u8 = 2;

/// Word `k` is byte `FIRST + k`. New words go to the end: the stored inputs mean what they meant.
const WORDS: &str = "
    ( [ { , ; : | || -> = == != < <= > >= + - * / % & && ^ << >> ! . .. ..= :: _ @ # $
    fn pub where let if else as const tune true false match for mut usize
    bool i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
    a b c d f g h i j k n x y z acc row w p xs ys xss row0
    N M K H W C T S P
    0 1 2 3 4 5 6 7 8 16 31 64 100 127 255 256 1000 65536
    0.0 0.5 1.0 2.0 1e30 1e400 65520.0 1u8 2i64 3.0f32 0.5f16 9223372036854775807 9223372036854775808
    340282366920938463463374607431768211455
    map reduce scan iterate generate repeat split join splitOverlap joinOverlap transpose slide slideStrict unslide reverse take drop reorder
    pad padClamp padMirror padWrap zip unzip concat stridedIndex
    map2D map3D zip2D zip3D slide2D slideStrict2D slide3D pad2D pad3D padClamp2D padMirror2D padWrap2D
    padClamp3D padMirror3D padWrap3D join2D join3D split2D untile2D
    mapGlb mapWrg mapLcl mapSeq mapSeqUnroll reduceSeq reduceSeqUnroll toGlobal toLocal toLocalPitched toPrivate
    asVector asScalar vectorize dot
    min max abs sqrt exp ln sin floor pow fma clamp consts PI INFINITY MAX MIN EPSILON
    #[strict]
    argBest toItems ahead rotated peeled ofWidth
";

/// Brackets are balanced: what is open at the end is closed.
pub fn text(bytes: &[u8]) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    if let [RAW, raw @ ..] = bytes {
        return String::from_utf8_lossy(raw).into_owned();
    }
    let mut open = vec![];
    let mut text = vec![];
    for byte in bytes {
        let word = match byte.checked_sub(FIRST) {
            Some(k) => words[usize::from(k) % words.len()],
            None => match open.pop() {
                Some(bracket) => bracket,
                None => continue,
            },
        };
        match word {
            "(" => open.push(")"),
            "[" => open.push("]"),
            "{" => open.push("}"),
            _ => {}
        }
        text.push(word);
    }
    text.extend(open.into_iter().rev());
    text.join(" ")
}

/// The bytes of a program, to begin with: words that are none of the language's become some that are.
pub fn bytes(words_of_program: &[&str]) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let byte_of = |word: &str| words.iter().position(|w| *w == word).and_then(|k| u8::try_from(k + 2).ok());
    let (lower, upper): (Vec<&str>, Vec<&str>) =
        (words[byte_range(&words, "a", "row0")].to_vec(), words[byte_range(&words, "N", "P")].to_vec());
    let mut names: Vec<&str> = vec![];
    let mut bytes = vec![];
    for word in words_of_program {
        let byte = match *word {
            ")" | "]" | "}" => Some(CLOSE),
            number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                byte_of(number).or_else(|| byte_of(if number.contains('.') { "2.0" } else { "7" }))
            }
            word => byte_of(word).or_else(|| {
                let at = names.iter().position(|n| *n == word).unwrap_or_else(|| {
                    names.push(word);
                    names.len() - 1
                });
                let like = if word.starts_with(char::is_uppercase) { &upper } else { &lower };
                word.starts_with(char::is_alphabetic).then(|| byte_of(like[at % like.len()])).flatten()
            }),
        };
        bytes.extend(byte);
    }
    bytes
}

fn byte_range(words: &[&str], first: &str, last: &str) -> std::ops::Range<usize> {
    let at = |word| words.iter().position(|w| *w == word).unwrap_or_default();
    at(first)..at(last) + 1
}

/// Bytes say words by number: there have to be enough numbers, and every primitive a word.
#[test]
fn every_primitive_is_a_word() {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    assert!(words.len() <= usize::from(u8::MAX - FIRST) + 1, "{} words", words.len());
    let names = lift_core::primitives::all().map(|p| p.definition().name);
    // `xs[i]` is written with brackets.
    let missing: Vec<&str> =
        names.filter(|name| *name != lift_core::primitives::AT && !words.contains(name)).collect();
    assert!(missing.is_empty(), "the fuzzer does not know {missing:?}: add them to the end of WORDS");
}
