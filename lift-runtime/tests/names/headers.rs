//! The identifiers of C's and OpenCL's headers.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Words that no header declares: keywords of C up to C23, of OpenCL C up to 3.0, of C++ and of compilers, and
/// what drivers have built in.
const WORDS: &str = "
    alignas alignof auto bool break case char const constexpr continue default do double else enum
    extern false float for goto if inline int long nullptr register restrict return short signed sizeof
    static static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void
    volatile while asm fortran far near vector pixel linux unix class template namespace this new delete
    operator public private using virtual
    global local constant generic kernel read_only write_only read_write uniform pipe half quad complex
    imaginary uchar ushort uint ulong size_t image2d_t sampler_t event_t queue_t reserve_id_t
    float2 float4 int16 uchar8 half2 double4 bool2 quad4 as_int as_float4 convert_int convert_uchar4_sat_rte
    vload4 vstore4 shuffle printf vec_step M_PI SIZE_MAX isnan lgamma degrees mad get_global_id min max abs
    clamp select any all NAN INFINITY main memcpy malloc environ s0 s1 s2 x y z w lo hi even odd xyzw";

/// Names that printers use, or might, and such as are alike once they are written in C.
const PRINTED: &str = "
    arrays scalars begin end item floor_div floor_mod magnitude to_i32 kept at next sum acc index output
    lift_item lift_arrays lift_begin lift_min lift_floor_div lift_f32x4 a a_ a_2 a_2_ _a __a v_a v";

/// Headers of C.
const C: &[&str] = &[
    "assert",
    "complex",
    "ctype",
    "errno",
    "fenv",
    "float",
    "inttypes",
    "iso646",
    "limits",
    "locale",
    "math",
    "setjmp",
    "signal",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "tgmath",
    "threads",
    "time",
    "uchar",
    "unistd",
    "wchar",
    "wctype",
];

/// Where drivers and compilers lay the headers that every OpenCL C program includes; `*` is any name.
const OPENCL: &[&str] = &[
    "/usr/share/pocl/include/*.h",
    "/usr/local/share/pocl/include/*.h",
    "/usr/lib/llvm-*/lib/clang/*/include/opencl-c*.h",
    "/usr/lib/clang/*/include/opencl-c*.h",
    "/usr/lib/*/oclgrind/*/opencl-c*.h",
    "/usr/include/clc/*.h",
    "/usr/include/clc/*/*.h",
];

/// Names that are worth trying wherever a name may stand.
pub fn tricky() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    words(WORDS, &mut all);
    words(PRINTED, &mut all);
    all
}

/// Every identifier.
pub fn identifiers() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    words(WORDS, &mut all);
    for flag in ["-dM", "-P"] {
        words(&preprocessed(flag), &mut all);
    }
    for header in OPENCL.iter().flat_map(|pattern| found(pattern)) {
        words(&std::fs::read_to_string(header).unwrap_or_default(), &mut all);
    }
    all
}

/// What the C compiler makes of its headers: the macros (`-dM`), or the declarations.
fn preprocessed(flag: &str) -> String {
    let include = |name: &&str| format!("#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n");
    let includes: String = C.iter().map(include).collect();
    let mut cc = Command::new("cc")
        .args(["-E", flag, "-x", "c", "-D_GNU_SOURCE", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the built-in device has a C compiler");
    cc.stdin.take().expect("it is piped").write_all(includes.as_bytes()).expect("it reads all");
    String::from_utf8_lossy(&cc.wait_with_output().expect("it ends").stdout).into_owned()
}

/// The files of a pattern.
fn found(pattern: &str) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let next = |path: &PathBuf| match part.split_once('*') {
            None => vec![path.join(part)],
            Some((start, end)) => {
                let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
                let fits = |name: &str| name.starts_with(start) && name.ends_with(end);
                entries.filter(|e| e.file_name().to_str().is_some_and(fits)).map(|e| e.path()).collect()
            }
        };
        paths = paths.iter().flat_map(next).collect();
    }
    paths.into_iter().filter(|path| path.is_file()).collect()
}

/// Adds the identifiers of a text.
pub fn words(text: &str, all: &mut BTreeSet<String>) {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    all.extend(words.filter(|w| w.starts_with(|c: char| !c.is_ascii_digit())).map(str::to_string));
}
