//! Mathematical functions of the built-in device. C's library has them for single numbers only; these are the
//! same for vectors, and compilers can vectorise loops that call them.

use super::text;
use crate::scalar::Op;
use crate::types::Scalar;

/// A function for numbers of one type, or of all floats: its parameters and body, where `{T}` is the type of a number or of
/// a vector of them, `{U}` that of unsigned integers as wide, `{t}` the name of both; `{expm1}`, `{root}` and `{exp}` stand for
/// [`EXPM1`], [`ROOT`] and [`EXP`].
struct Function {
    op: Op,
    only: Option<Scalar>,
    text: &'static str,
    /// The same for vectors of 8 floats under [`AVX`].
    avx: Option<&'static str>,
    /// The same for vectors of 16 floats under [`AVX512`].
    avx512: Option<&'static str>,
}

impl Function {
    /// Is it for vectors of so many of these numbers? Those of integers are C's own where they are no vectors.
    fn is_for(&self, scalar: Scalar, width: u8) -> bool {
        match self.only {
            Some(only) => scalar == only,
            None => scalar.is_float() || (width > 1 && scalar.is_integer()),
        }
    }
}

/// Where these hold, the compiler is GCC and does not find instructions for vectors of 8 or of 16 floats by itself: it is told
/// of them. The instructions for the smaller and the larger of two give the second one if either is NaN.
const AVX: &str = "defined(__AVX__) && defined(__GNUC__) && !defined(__clang__)";
const AVX512: &str = "defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)";

/// `p` is exp(r) - 1, for r between -ln 2 / 2 and ln 2 / 2 (Cephes, expf.c).
const EXPM1: &str = "{T} p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r";

/// `p` is exp(r / 2), for r between -ln 2 and ln 2: the polynomial of degree 6 with the least relative error, 3.3e-9, of those that
/// begin with 1 + r/2.
const ROOT: &str = "{T} p = r * 2.1583039e-5f + 2.6154433e-4f;
    p = p * r + 2.6042785e-3f;
    p = p * r + 2.0833144e-2f;
    p = p * r + 1.24999985e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f";

/// exp(x) for x between -105 and 89, as the square of its root, right to three units in the last place, and to 3.2 where no
/// instruction multiplies and adds. x / 2 = n ln 2 + r / 2: the root is 2^n times a polynomial. It is a normal number even where its
/// square is none any more, so that n is added to the polynomial's exponent. Adding 2^23 + 2^22 rounds, and leaves n in the lowest bits.
const EXP: &str = "const {T} shifted = x * 0.72134752f + 12582912.0f, n = shifted - 12582912.0f;
    const {T} r = (x - n * 1.38671875f) + n * 4.2438888e-4f;
    {root};
    const {T} root = lift_of_bits_{t}(lift_bits_{t}(p) + (lift_bits_{t}(shifted) << 23));
    return root * root;";

const FUNCTIONS: &[Function] = &[
    // If one argument is NaN, the result is the other. The first choice is one instruction; of scalars the second is a jump, which
    // is foreseen where NaN is rare.
    Function {
        op: Op::Min,
        only: None,
        text: "({T} a, {T} b) {
    const {T} one = lift_choose_{t}(a < b, a, b);
    return lift_choose_{t}(b != b, a, one);
}",
        avx: Some(
            "({T} a, {T} b) { return __builtin_ia32_blendvps256(__builtin_ia32_minps256(a, b), a, __builtin_ia32_cmpps256(b, b, 3)); }",
        ),
        avx512: Some(
            "({T} a, {T} b) { return __builtin_ia32_minps512_mask(a, b, a, __builtin_ia32_cmpps512_mask(b, b, 7, -1, 4), 4); }",
        ),
    },
    Function {
        op: Op::Max,
        only: None,
        text: "({T} a, {T} b) {
    const {T} one = lift_choose_{t}(a > b, a, b);
    return lift_choose_{t}(b != b, a, one);
}",
        avx: Some(
            "({T} a, {T} b) { return __builtin_ia32_blendvps256(__builtin_ia32_maxps256(a, b), a, __builtin_ia32_cmpps256(b, b, 3)); }",
        ),
        avx512: Some(
            "({T} a, {T} b) { return __builtin_ia32_maxps512_mask(a, b, a, __builtin_ia32_cmpps512_mask(b, b, 7, -1, 4), 4); }",
        ),
    },
    // Beyond the limits the result is 0 or infinite, or NaN for NaN.
    Function {
        op: Op::Exp,
        only: Some(Scalar::F32),
        text: "({T} x) {
    const {T} zero = {0};
    x = lift_choose_{t}(x > 89.0f, zero + 89.0f, x);
    x = lift_choose_{t}(x < -105.0f, zero - 105.0f, x);
    {exp}
}",
        avx: Some(
            "({T} x) {
    const {T} zero = {0};
    x = __builtin_ia32_minps256(zero + 89.0f, x);
    x = __builtin_ia32_maxps256(zero - 105.0f, x);
    {exp}
}",
        ),
        // One instruction multiplies by 2^n, whatever n.
        avx512: Some(
            "({T} x) {
    const {T} zero = {0};
    x = __builtin_ia32_minps512_mask(zero + 89.0f, x, x, -1, 4);
    x = __builtin_ia32_maxps512_mask(zero - 105.0f, x, x, -1, 4);
    const {T} n = x * 0.72134752f + 12582912.0f - 12582912.0f;
    const {T} r = (x - n * 1.38671875f) + n * 4.2438888e-4f;
    {root};
    const {T} root = __builtin_ia32_scalefps512_mask(p, n, p, -1, 4);
    return root * root;
}",
        ),
    },
    // e / (e + 2), where e = exp(2|x|) - 1, computed as `exp` does: with s = 2^n, s (exp(r) - 1) + (s - 1) keeps all digits of
    // small numbers. From 9.1 on the result is 1. Right to three units in the last place, never beyond 1, and odd.
    Function {
        op: Op::Tanh,
        only: Some(Scalar::F32),
        text: "({T} x) {
    const {T} zero = {0};
    {T} size = lift_of_bits_{t}(lift_bits_{t}(x) & 0x7FFFFFFFu);
    size = lift_choose_{t}(size > 9.1f, zero + 9.1f, size);
    const {T} shifted = size * 2.88539008f + 12583039.0f, n = shifted - 12583039.0f;
    const {T} r = (size + size - n * 0.693359375f) + n * 2.12194440e-4f;
    {expm1};
    const {T} s = lift_of_bits_{t}(lift_bits_{t}(shifted) << 23), e = p * s + (s - 1.0f);
    return lift_of_bits_{t}(lift_bits_{t}(e / (e + 2.0f)) | (lift_bits_{t}(x) & 0x80000000u));
}",
        avx: None,
        avx512: None,
    },
];

/// To integers of at most 32 bits, lane by lane as Rust's `as`: the nearest that there is, 0 for NaN. `{I}` is the type of 32-bit
/// integers, `{R}` that of the result, `{least}` and `{beyond}` its least number and the first above its largest.
const CONVERTED: &str = "({T} x) {
    const {T} zero = {0};
    {T} y = lift_choose_{t}(x > {least}, x, zero + {least});
    y = lift_choose_{t}(x < {beyond}, y, zero);
    const {I} above = __builtin_convertvector(x >= {beyond}, {I});
    return __builtin_convertvector((__builtin_convertvector(y, {I}) & ~above) | (({most}) & above), {R});
}";

/// Between vectors of 16-bit and 32-bit floats: `{H}` and `{S}`. GCC makes single numbers of them, and is told of the instructions.
const WIDENED: [(u8, &str, &str); 2] = [
    (8, "__builtin_ia32_vcvtph2ps256((lift_shorts8)x)", "({H})__builtin_ia32_vcvtps2ph256(x, 0)"),
    (
        16,
        "__builtin_ia32_vcvtph2ps512_mask((lift_shorts16)x, ({S}){0}, -1, 4)",
        "({H})__builtin_ia32_vcvtps2ph512_mask(x, 0, (lift_shorts16){0}, -1)",
    ),
];
const F16C: &str = "defined(__F16C__) && defined(__GNUC__) && !defined(__clang__)";

/// An operator of vectors of 16-bit floats.
const OF_HALVES: &str = "{
#if defined(__AVX512FP16__) || defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
    return {whole};
#else
    {T} result = {0};
    for (int k = 0; k < {width}; k++) result[k] = {lane};
    return result;
#endif
}";

/// The helpers that the functions call, for numbers.
const OF_NUMBERS: &str = "
static inline {T} lift_choose_{t}(int first, {T} a, {T} b) { return first ? a : b; }
static inline {U} lift_bits_{t}({T} x) { {U} bits; __builtin_memcpy(&bits, &x, sizeof bits); return bits; }
static inline {T} lift_of_bits_{t}({U} bits) { {T} x; __builtin_memcpy(&x, &bits, sizeof x); return x; }
";

/// The helpers for vectors. There a comparison is an integer in each lane, with all bits set or none.
const OF_VECTORS: &str = "
typedef {u} {U} __attribute__((vector_size({bytes}), aligned({align}), may_alias));
static inline {T} lift_choose_{t}(__typeof__(({T}){0} < ({T}){0}) first, {T} a, {T} b) { return ({T})((({U})a & ({U})first) | (({U})b & ~({U})first)); }
static inline {U} lift_bits_{t}({T} x) { return ({U})x; }
static inline {T} lift_of_bits_{t}({U} bits) { return ({T})bits; }
";

/// The name of the function for vectors of these numbers, if there is one. Width 1 is a single number.
pub fn name(op: Op, scalar: Scalar, width: u8) -> Option<String> {
    FUNCTIONS.iter().find(|f| f.op == op && f.is_for(scalar, width)).map(|_| called(op, scalar, width))
}

/// The name of the function that makes integers of vectors of floats, if there is one.
pub fn converting(from: Scalar, to: Scalar, width: u8) -> Option<String> {
    let small = matches!(to, Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I32);
    let is_it = small && matches!(from, Scalar::F32 | Scalar::F64) && width > 1;
    is_it.then(|| format!("lift_to_{to}_{}", of(from, width)))
}

/// The name of the function that widens or narrows vectors of 16-bit floats, if there is one.
pub fn widening(from: Scalar, to: Scalar, width: u8) -> Option<String> {
    let known = WIDENED.iter().any(|(w, ..)| *w == width);
    let halves = matches!((from, to), (Scalar::F16, Scalar::F32) | (Scalar::F32, Scalar::F16));
    (known && halves).then(|| format!("lift_to_{to}_{}", of(from, width)))
}

/// The name of the function that does an operator's work on vectors of 16-bit floats.
pub fn of_halves(op: Op, width: u8) -> Option<String> {
    let name = match op {
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::Div => "div",
        Op::Neg => "neg",
        _ => return None,
    };
    Some(format!("lift_{name}_{}", of(Scalar::F16, width)))
}

/// The name of the function that chooses lanes of vectors by the lanes of a comparison.
pub fn choosing(scalar: Scalar, width: u8) -> String {
    format!("lift_choose_{}", of(scalar, width))
}

fn called(op: Op, scalar: Scalar, width: u8) -> String {
    format!("lift_{}_{}", op.name(), of(scalar, width))
}

fn of(scalar: Scalar, width: u8) -> String {
    if width == 1 { scalar.name().to_string() } else { format!("{}x{width}", scalar.name()) }
}

/// The definitions of the functions that a text calls; `ty` spells the types.
pub fn definitions(body: &str, ty: impl Fn(Scalar, u8) -> String) -> String {
    let mut all = String::new();
    for scalar in Scalar::ALL {
        for width in [1, 2, 4, 8, 16] {
            let is_called = |name: &String| text::has_word(body, name);
            let wanted = |f: &&Function| f.is_for(scalar, width) && is_called(&called(f.op, scalar, width));
            let functions: Vec<&Function> = FUNCTIONS.iter().filter(wanted).collect();
            let conversions = Scalar::ALL
                .into_iter()
                .filter_map(|to| converting(scalar, to, width).filter(is_called).map(|name| (to, name)));
            let conversions: Vec<(Scalar, String)> = conversions.collect();
            if functions.is_empty() && conversions.is_empty() && !is_called(&choosing(scalar, width)) {
                continue;
            }
            let unsigned = format!("uint{}_t", 8 * scalar.bytes());
            let bits = if width == 1 {
                unsigned.clone()
            } else {
                format!("lift_bits{}x{width}", 8 * scalar.bytes())
            };
            let made_of = if width == 1 { OF_NUMBERS } else { OF_VECTORS };
            let defined = |text: &str| {
                text.replace("{exp}", EXP)
                    .replace("{root}", ROOT)
                    .replace("{expm1}", EXPM1)
                    .replace("{T}", &ty(scalar, width))
                    .replace("{t}", &of(scalar, width))
                    .replace("{U}", &bits)
                    .replace("{u}", &unsigned)
                    .replace("{bytes}", &(scalar.bytes() * usize::from(width)).to_string())
                    .replace("{align}", &scalar.bytes().to_string())
            };
            all += &defined(made_of);
            for (to, name) in conversions {
                let Some((least, most)) = to.integer_range() else { continue };
                let text = CONVERTED
                    .replace("{least}", &format!("{least}.0{}", suffix(scalar)))
                    .replace("{beyond}", &format!("{}.0{}", most + 1, suffix(scalar)))
                    .replace("{most}", &most.to_string())
                    .replace("{I}", &ty(Scalar::I32, width))
                    .replace("{R}", &ty(to, width));
                all += &defined(&format!("static inline {} {name}{text}\n", ty(to, width)));
            }
            for f in functions {
                let head = format!("static inline {{T}} {}", called(f.op, scalar, width));
                let general = defined(&format!("{head}{}", f.text));
                let told = match (scalar, width) {
                    (Scalar::F32, 8) => f.avx.map(|text| (AVX, text)),
                    (Scalar::F32, 16) => f.avx512.map(|text| (AVX512, text)),
                    _ => None,
                };
                let told = told.map(|(processor, text)| (processor, defined(&format!("{head}{text}"))));
                all += &match told {
                    Some((processor, told)) => {
                        format!("#if {processor}\n{told}\n#else\n{general}\n#endif\n")
                    }
                    None => format!("{general}\n"),
                };
                // OpenMP's own begin with an infinity, which is no result of NaN alone.
                if width == 1 && matches!(f.op, Op::Min | Op::Max) {
                    let name = self::called(f.op, scalar, 1);
                    let by = format!("{name} : {{T}} : omp_out = {name}(omp_out, omp_in)");
                    all += &format!(
                        "{}\n",
                        defined(&format!("#pragma omp declare reduction({by}) initializer(omp_priv = NAN)"))
                    );
                }
            }
        }
    }
    for (width, widen, narrow) in WIDENED {
        let (half, single) = (Scalar::F16, Scalar::F32);
        let processor = if width == 8 { F16C } else { AVX512 };
        for (from, to, told) in [(half, single, widen), (single, half, narrow)] {
            let Some(name) = widening(from, to, width).filter(|name| text::has_word(body, name)) else {
                continue;
            };
            let (result, told) =
                (ty(to, width), told.replace("{H}", &ty(half, width)).replace("{S}", &ty(single, width)));
            let bytes = 2 * width;
            all += &format!(
                "
#if {processor}
typedef short lift_shorts{width} __attribute__((vector_size({bytes})));
static inline {result} {name}({} x) {{ return {told}; }}
#else
static inline {result} {name}({} x) {{ return __builtin_convertvector(x, {result}); }}
#endif
",
                ty(from, width),
                ty(from, width),
            );
        }
    }
    for width in [2, 4, 8, 16] {
        for op in [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Neg] {
            if let Some(name) = of_halves(op, width).filter(|name| text::has_word(body, name)) {
                let (vector, sign) = (ty(Scalar::F16, width), op.name());
                let (head, whole, lane) = match op.arity() {
                    1 => (format!("({vector} a) "), "-a".to_string(), "-a[k]".to_string()),
                    _ => (
                        format!("({vector} a, {vector} b) "),
                        format!("a {sign} b"),
                        format!("a[k] {sign} b[k]"),
                    ),
                };
                let text = OF_HALVES
                    .replace("{whole}", &whole)
                    .replace("{lane}", &lane)
                    .replace("{width}", &width.to_string())
                    .replace("{T}", &vector);
                all += &format!("static inline {vector} {name}{head}{text}\n");
            }
        }
    }
    all
}

fn suffix(scalar: Scalar) -> &'static str {
    if scalar == Scalar::F32 { "f" } else { "" }
}
