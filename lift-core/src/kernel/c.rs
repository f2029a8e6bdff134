//! C11, for the built-in CPU device.
//!
//! A kernel becomes
//! `void name_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)`:
//! pointers to its arrays and to its scalars in order, and the range of [`units`] to do. One call over
//! `0..units` does all the work; calls over disjoint ranges may run at the same time.

use super::copies::in_vectors;
use super::text::{self, Dialect, WorkItems, Writer};
use super::unswitch::unswitched;
use super::vector_math;
use super::{Access, Array, Kernel, Module, Parallel, Plan, Space};
use crate::scalar::{Op, Value};
use crate::types::Scalar;

impl Plan {
    /// The kernels as C11 source text, that of each module behind the one before; see [`crate::kernel::c`] for their calling
    /// convention.
    pub fn c(&self) -> String {
        (0..self.modules.len()).map(|module| self.c_of(module)).collect::<Vec<_>>().join("\n")
    }

    /// The same of one module alone.
    pub fn c_of(&self, module: usize) -> String {
        let (small, once) = (self.small_indices(module), self.run_once(module));
        let module = &self.modules[module];
        let unswitched = unswitched(module, &|kernel| is_row(kernel, module));
        text::print(&in_vectors(&unswitched), small, &C { once })
    }
}

/// With at least this many rows of work-items, a row is a unit of work, and the loop over
/// it one that compilers vectorise.
const ENOUGH: usize = 64;

/// How many units of work a launch has: the rows of work-items or groups along dimension 0, or
/// these themselves where there are few rows.
pub fn units(grid: [usize; 3]) -> usize {
    let rows = grid[2].saturating_mul(grid[1]);
    if rows >= ENOUGH { rows } else { rows.saturating_mul(grid[0]) }
}

/// Is the loop over dimension 0 one of each unit?
fn is_row(kernel: &Kernel, module: &Module) -> bool {
    let items = |d: usize| module.value(&kernel.grid[d]).and_then(|n| usize::try_from(n).ok());
    items(1).zip(items(2)).is_some_and(|(rows, planes)| rows.saturating_mul(planes) >= ENOUGH)
}

/// C11 with GNU vector extensions, as GCC and Clang have them.
#[derive(Default)]
struct C {
    /// The names of kernels that run once for the same constants.
    once: Vec<String>,
}

/// What copies weights runs once, and took GCC a fifth of its time (29 files of ResNet-50, 9.1 s, 7.4 without it). Of a function that is
/// said to be seldom called compilers make little code in little time.
const SELDOM: &str = "__attribute__((cold)) ";

/// GCC makes masked loads of loads under a condition when it vectorises the loop around them, and where a loop has several
/// it mixes up their lanes (seen with GCC 12.2, `-O3`, for every processor that has masked loads). And where a loop adds to several
/// running integers, fewer than a vector has lanes, it forgets some of the lanes in the end (seen with GCC 12.2, `-O2`, for
/// AVX2 and AVX-512). It leaves a loop with an `asm` in it as it is.
const GUARD: &str = "\
#if defined(__GNUC__) && !defined(__clang__)
#define lift_guard() __asm__(\"\")
#else
#define lift_guard() ((void)0)
#endif";

/// Macros that a text begins with if it uses them.
const MACROS: &[(&str, &str)] = &[
    ("lift_min", "#define lift_min(a, b) ((a) < (b) ? (a) : (b))"),
    ("lift_max", "#define lift_max(a, b) ((a) > (b) ? (a) : (b))"),
    ("lift_guard", GUARD),
    ("lift_abs", "#define lift_abs(a) ((a) < 0 ? -(uint64_t)(a) : (uint64_t)(a))"),
];

impl Dialect for C {
    fn scalar(&self, s: Scalar) -> &'static str {
        match s {
            Scalar::Bool | Scalar::U8 => "uint8_t",
            Scalar::I8 => "int8_t",
            Scalar::I16 => "int16_t",
            Scalar::U16 => "uint16_t",
            Scalar::I32 => "int32_t",
            Scalar::U32 => "uint32_t",
            Scalar::I64 => "int64_t",
            Scalar::U64 => "uint64_t",
            Scalar::F16 => "_Float16",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        }
    }

    /// As wide as addresses: what is narrower has to be widened for each of them, and takes registers for that. Convolutions of 3 × 3
    /// took up to 1.2 times as long with `int`, by GCC 12 on a processor with AVX-512.
    fn index(&self, _: bool) -> &'static str {
        "long"
    }

    fn ty(&self, s: Scalar, width: u8) -> String {
        if width == 1 { self.scalar(s).to_string() } else { format!("lift_{}x{width}", s.name()) }
    }

    fn of_indices(&self, op: Op) -> String {
        format!("lift_{}", op.name())
    }

    /// As GCC would do by itself with a pointer for each access, for which there are not registers enough (`-fno-ivopts`).
    fn moves_indices(&self) -> bool {
        true
    }

    /// The C compiler finds fused multiplications and additions by itself.
    fn fma(&self) -> Option<&'static str> {
        None
    }

    fn vector_at(&self, array: &Array, place: &str, width: u8, _: bool) -> String {
        format!("*(const {} *)({place})", self.ty(array.scalar, width))
    }

    fn store_vector(&self, array: &Array, place: &str, value: &str, width: u8, _: bool) -> String {
        format!("*({} *)({place}) = {value}", self.ty(array.scalar, width))
    }

    fn vector(&self, s: Scalar, width: u8, lanes: &[String]) -> String {
        let ty = self.ty(s, width);
        match lanes {
            // A scalar minus a vector of zeros is that scalar in all lanes, and -0 stays -0. The difference is of a
            // type without the alignment of this one, hence the cast: both branches of `?:` must have one type.
            // Where a processor has no 16-bit floats GCC computes with them as wider ones, which it doesn't make narrow vectors of.
            [one] if s == Scalar::F16 => {
                format!("({ty}){{{}}}", vec![one.as_str(); usize::from(width)].join(", "))
            }
            // C computes small integers as `int`, which is too wide for a lane.
            [one] if s.bytes() < 4 => format!("(({ty})(({})({one}) - ({ty}){{0}}))", self.scalar(s)),
            [one] => format!("(({ty})(({one}) - ({ty}){{0}}))"),
            _ => format!("({ty}){{{}}}", lanes.join(", ")),
        }
    }

    fn chosen(&self, s: Scalar, width: u8, operands: [&str; 3]) -> String {
        format!("{}({})", vector_math::choosing(s, width), operands.join(", "))
    }

    fn lane(&self, vector: &str, k: u8) -> String {
        format!("{vector}[{k}]")
    }

    /// GCC takes a product of vectors for another type than that of its operands, and both branches must have one.
    fn vector_branch(&self, s: Scalar, width: u8, value: String) -> String {
        format!("({})({value})", self.ty(s, width))
    }

    fn guarded(&self, value: String) -> String {
        format!("({{ lift_guard(); {value}; }})")
    }

    fn guarded_block(&self) -> Option<&'static str> {
        Some("lift_guard();")
    }

    fn soon(&self, place: &str) -> String {
        format!("__builtin_prefetch({place});")
    }

    /// One thread runs a whole group.
    fn barrier(&self, _: &str) -> Option<String> {
        None
    }

    fn function(&self, op: Op, s: Scalar, width: u8, arguments: &[String]) -> String {
        if let Some(name) = vector_math::name(op, s, width) {
            return format!("{name}({})", arguments.join(", "));
        }
        if width > 1 {
            let lane = |k: u8| {
                let arguments: Vec<String> =
                    arguments.iter().map(|a| self.lane(&format!("({a})"), k)).collect();
                self.function(op, s, 1, &arguments)
            };
            return self.vector(s, width, &(0..width).map(lane).collect::<Vec<_>>());
        }
        if s.is_integer() {
            return match op {
                Op::Abs if s.is_signed() => format!("({})lift_abs({})", self.scalar(s), arguments[0]),
                Op::Abs => format!("({})", arguments[0]),
                other => format!("lift_{}({})", other.name(), arguments.join(", ")),
            };
        }
        let name = match op {
            Op::Abs => "fabs",
            Op::Rem => "fmod",
            Op::Ln => "log",
            other => other.name(),
        };
        let suffix = if s == Scalar::F64 { "" } else { "f" };
        format!("{name}{suffix}({})", arguments.join(", "))
    }

    fn literal(&self, v: Value) -> String {
        text::literal(v, "_Float16", "L", "UL")
    }

    fn reinterpreted(&self, ty: &str, vector: &str) -> String {
        format!("({ty})({vector})")
    }

    fn saturate(&self, _from: Scalar, to: Scalar, x: &str) -> String {
        format!("lift_to_{}({x})", to.name())
    }

    fn converted(&self, from: Scalar, to: Scalar, width: u8, x: &str) -> String {
        // GCC makes single numbers of vectors where one instruction does not do all: in two steps each has one.
        let small = |s: Scalar| s.is_integer() && s.bytes() < 4;
        let between = match (from, to) {
            (Scalar::F16, to) if to != Scalar::F32 => Some(Scalar::F32),
            (from, Scalar::F16) if from.is_integer() => Some(Scalar::F32),
            (from, to) if small(from) && to.is_float() => Some(Scalar::I32),
            _ => None,
        };
        if let Some(between) = between {
            let half_way = self.converted(from, between, width, x);
            return self.converted(between, to, width, &half_way);
        }
        if let Some(name) = vector_math::widening(from, to, width) {
            return format!("{name}({x})");
        }
        if from.is_float() && to.is_integer() {
            return match vector_math::converting(from, to, width) {
                Some(name) => format!("{name}({x})"),
                None => {
                    let lanes = (0..width).map(|k| self.saturate(from, to, &self.lane(&format!("({x})"), k)));
                    self.vector(to, width, &lanes.collect::<Vec<_>>())
                }
            };
        }
        format!("__builtin_convertvector({x}, {})", self.ty(to, width))
    }

    /// Where a processor has no 16-bit floats, GCC has no operators for their vectors.
    fn called(&self, op: Op, s: Scalar, width: u8) -> Option<String> {
        if s == Scalar::F16 { vector_math::of_halves(op, width) } else { None }
    }

    fn space(&self, space: Space) -> &'static str {
        match space {
            Space::Constant => "static const ",
            _ => "",
        }
    }

    fn work_items(&self, w: &mut Writer, k: &Kernel, parallel: Parallel, exact: bool) -> WorkItems {
        let (Parallel::Global(dimension) | Parallel::Group(dimension)) = parallel else {
            return WorkItems::Plain;
        };
        let sizes = [0, 1, 2].map(|d| usize::try_from(w.value(&k.grid[d])).unwrap_or(0));
        let by_row = sizes[1].saturating_mul(sizes[2]) >= ENOUGH;
        let dimension = usize::from(dimension);
        if by_row && dimension == 0 {
            return WorkItems::Plain;
        }
        // The number of a unit counts the inner dimensions fastest.
        let mut id = "lift_item".to_string();
        for (inner, size) in k.grid.iter().zip(sizes).take(dimension).skip(usize::from(by_row)) {
            if size != 1 {
                id = format!("{id} / {}", w.nat_at_least_product(inner));
            }
        }
        let size = w.nat_at_least_product(&k.grid[dimension]);
        if sizes[dimension + 1..].iter().any(|n| *n != 1) {
            id = format!("{id} % {size}");
        }
        if exact { WorkItems::Once(id) } else { WorkItems::Strided(id, size) }
    }

    fn reduction(&self, reductions: &[((Op, Scalar), Vec<String>)]) -> Option<String> {
        let clause = |((op, scalar), names): &((Op, Scalar), Vec<String>)| {
            let by = vector_math::name(*op, *scalar, 1).unwrap_or_else(|| op.name().into());
            format!(" reduction({by}:{})", names.join(", "))
        };
        Some(format!("#pragma omp simd{}", reductions.iter().map(clause).collect::<String>()))
    }

    fn kernel(&self, w: &mut Writer, k: &Kernel) {
        let name = w.kernel_name(&k.name);
        let seldom = if self.once.contains(&k.name) { SELDOM } else { "" };
        w.line(&format!(
            "{seldom}void {name}(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)"
        ));
        w.line("{");
        w.depth += 1;
        for (i, (array, access)) in k.arrays.iter().enumerate() {
            let constant = if *access == Access::Read { "const " } else { "" };
            let (name, scalar) = (w.array(array), self.scalar(array.scalar));
            w.line(&format!("{constant}{scalar} *restrict {name} = lift_arrays[{i}];"));
        }
        for (i, (name, scalar)) in k.scalars.iter().enumerate() {
            let (name, scalar) = (w.parameter(name), self.scalar(*scalar));
            w.line(&format!("const {scalar} {name} = *(const {scalar} *)lift_scalars[{i}];"));
        }
        // Compilers vectorise this loop only where indices are of its own type.
        let int = self.index(w.small);
        w.line(&format!("for ({int} lift_item = lift_begin; lift_item < lift_end; lift_item++) {{"));
        w.block(&k.body);
        w.line("}");
        w.depth -= 1;
        w.line("}");
    }

    fn preamble(&self, body: &str, _: bool) -> String {
        let mut text = String::from("#include <math.h>\n#include <stdint.h>\n");
        let functions = vector_math::definitions(body, |s, width| self.ty(s, width));
        let body = &format!("{body}{functions}");
        for (word, line) in MACROS {
            if text::has_word(body, word) {
                text += &format!("\n{line}");
            }
        }
        for scalar in Scalar::ALL {
            for width in [2, 4, 8, 16] {
                let (element, vector) = (self.scalar(scalar), self.ty(scalar, width));
                if text::has_word(body, &vector) {
                    let bytes = scalar.bytes() * usize::from(width);
                    text += &format!(
                        "\ntypedef {element} {vector} __attribute__((vector_size({bytes}), aligned({}), may_alias));",
                        scalar.bytes()
                    );
                }
            }
        }
        for to in Scalar::ALL {
            if let Some((low, high)) = to.integer_range()
                && text::has_word(body, &format!("lift_to_{to}"))
            {
                let name = self.scalar(to);
                let (low_text, high_text) = (Value::from_integer(low, to), Value::from_integer(high, to));
                let (least, most) = (self.literal(low_text), self.literal(high_text));
                text += &format!(
                    "\nstatic inline {name} lift_to_{to}(double x) {{ return x != x ? 0 : x <= {}.0 ? {least} : x >= {}.0 ? {most} : ({name})x; }}",
                    low, high as f64
                );
            }
        }
        text + &functions + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::{C, Dialect};
    use crate::types::Scalar;

    /// GCC refuses an `int` in the lanes of a vector of bytes, and `max(x, y)` is one.
    #[test]
    fn small_integers_keep_their_type() {
        assert_eq!(
            C::default().vector(Scalar::U8, 2, &["lift_max(5, x)".into()]),
            "((lift_u8x2)((uint8_t)(lift_max(5, x)) - (lift_u8x2){0}))"
        );
    }

    /// GCC refuses `x - (vector){0}` of such numbers where the processor has none.
    #[test]
    fn vectors_of_one_half_are_written_out() {
        assert_eq!(C::default().vector(Scalar::F16, 4, &["x".into()]), "(lift_f16x4){x, x, x, x}");
        assert_eq!(
            C::default().vector(Scalar::F32, 4, &["x".into()]),
            "((lift_f32x4)((x) - (lift_f32x4){0}))"
        );
    }
}
