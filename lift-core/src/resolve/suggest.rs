//! "Did you mean …?"

/// What other languages and libraries call it: the name here, or how it is said here.
pub fn foreign(name: &str) -> Option<String> {
    let here = match name {
        "fold" | "foldl" | "reduceLeft" => "`reduce(init, |acc, x| …, xs)` combines all elements",
        "sum" => "write it out: `reduce(0.0, |acc, x| acc + x, xs)`",
        "product" | "prod" => "write it out: `reduce(1.0, |acc, x| acc * x, xs)`",
        "windows" | "window" | "array_windows" => "`slide(size, step, xs)` makes windows",
        "chunks" | "chunks_exact" | "as_chunks" | "reshape" => {
            "`split(m, xs)` cuts an array into rows of `m` elements"
        }
        "len" | "length" | "shape" | "dim" => {
            "a length is a size, known by its name: with `xs: [f32; N]` it is `N`"
        }
        "iter" | "into_iter" | "iter_mut" | "collect" | "to_vec" | "to_owned" | "clone" | "cloned"
        | "copied" => "arrays are values, and primitives take them as they are",
        "filter" | "retain" | "find" | "position" => {
            "the length of an array does not depend on what it holds; choose values with `if`"
        }
        "enumerate" => "`zip(generate(N, |i| i as i32), xs)` numbers the elements",
        "push" | "insert" | "append" | "extend" => {
            "`concat(xs, ys)` puts arrays together, `pad` adds elements"
        }
        "clamp" => "`min(max(x, low), high)` keeps `x` between two bounds",
        "signum" | "sign" => "write it out: `if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 }`",
        "sort" | "sorted" | "sort_by" | "sort_unstable" | "argsort" => {
            "nothing is sorted here; an element's rank is how many are smaller: \
             `map(|x| reduce(0, |rank, y| rank + (y < x) as i32, xs), xs)`"
        }
        "argmax" | "argmin" | "argMax" | "argMin" | "max_by" | "min_by" | "max_by_key" | "min_by_key" => {
            "`argBest(|best, x| x > best, xs)` gives the index and the value of the first that is largest"
        }
        "mean" | "average" => "write it out: `reduce(0.0, |acc, x| acc + x, xs) / (N as f32)`",
        "count" => "write it out: `reduce(0, |n, x| n + (x > 0.0) as i32, xs)`",
        "any" => "write it out: `reduce(false, |any, x| any || x > 0.0, xs)`",
        "all" => "write it out: `reduce(true, |all, x| all && x > 0.0, xs)`",
        "is_nan" | "isnan" => "`x != x` is true for NaN alone",
        "recip" => "write `1.0 / x`",
        "rsqrt" => "write `1.0 / sqrt(x)`",
        "sigmoid" => "write it out: `1.0 / (1.0 + exp(-x))`",
        "relu" => "write it out: `max(x, 0.0)`",
        "for_each" => "`map` applies a function to every element",
        "powi" | "powf" => "`pow(x, y)` takes both as floats",
        "println" | "print" | "dbg" => "nothing is printed from a kernel",
        "conv" | "conv2d" | "conv2D" | "convolve" | "convolution" => {
            "a convolution is written: `map` over the windows that `slide` makes, `reduce` in each"
        }
        _ => {
            let same = match name {
                "rev" => "reverse",
                "skip" => "drop",
                "flatten" | "flat" => "join",
                "log" => "ln",
                "chain" | "concatenate" => "concat",
                "power" => "pow",
                "maximum" | "fmax" => "max",
                "minimum" | "fmin" => "min",
                "fabs" => "abs",
                "t" | "swap_axes" => "transpose",
                _ => return None,
            };
            return Some(format!("did you mean `{same}`?"));
        }
    };
    Some(here.into())
}

/// Numbers by their bare names.
pub fn foreign_number(name: &str) -> Option<&'static str> {
    Some(match name {
        "PI" | "pi" | "M_PI" => "consts::PI",
        "TAU" | "tau" => "consts::TAU",
        "INFINITY" | "inf" | "infinity" => "f32::INFINITY",
        "NEG_INFINITY" => "f32::NEG_INFINITY",
        "EPSILON" | "epsilon" => "f32::EPSILON",
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        _ => return None,
    })
}

/// Types by other languages' names.
pub fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "Float" | "float32" | "single" => "f32",
        "double" | "float64" => "f64",
        "half" | "float16" => "f16",
        "int" | "int32" | "i32_t" | "Int" => "i32",
        "uint" | "uint32" | "unsigned" => "u32",
        "long" | "int64" | "i128" | "isize" => "i64",
        "ulong" | "uint64" | "u128" => "u64",
        "short" | "int16" => "i16",
        "ushort" | "uint16" => "u16",
        "byte" | "uchar" | "uint8" => "u8",
        "char" | "int8" => "i8",
        "boolean" | "Bool" => "bool",
        _ => return None,
    })
}

/// The candidate nearest to a misspelt name, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(d, candidate)| *d <= limit && *d < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap neighbours) that lead from one word to the other
/// (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]) as usize;
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let names = ["split", "slide", "zip", "reduce", "transpose"];
        assert_eq!(nearest("transopse", names.into_iter()), Some("transpose"));
        assert_eq!(nearest("silde", names.into_iter()), Some("slide"));
        assert_eq!(nearest("reduec", names.into_iter()), Some("reduce"));
        assert_eq!(nearest("convolve", names.into_iter()), None);
    }
}
