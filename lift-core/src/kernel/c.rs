//! C11, for the built-in CPU device.
//!
//! A kernel becomes
//! `void name(void *const *arrays, const void *const *scalars, long begin, long end)`: pointers to
//! its arrays and to its scalars in order, and the range of [`units`] to do. One call over
//! `0..units` does all the work; calls over disjoint ranges may run at the same time.

use super::text::{self, Dialect, WorkItems, Writer};
use super::{Access, Kernel, Plan, Space};
use crate::scalar::{Op, Value};
use crate::types::Scalar;

pub fn print(plan: &Plan) -> String {
    text::print(plan, &C)
}

/// How many units of work a launch has: the work-items of dimensions 2 and 1, or of dimension 0
/// where those have one only. The other work-items are an inner loop, which the compiler vectorises.
pub fn units(global: [usize; 3]) -> usize {
    let outer = global[2].saturating_mul(global[1]);
    if outer > 1 { outer } else { global[0] }
}

struct C;

const ONE_LINERS: &[(&str, &str)] = &[
    ("min", "#define min(a, b) ((a) < (b) ? (a) : (b))"),
    ("max", "#define max(a, b) ((a) > (b) ? (a) : (b))"),
    ("magnitude", "#define magnitude(a) ((a) < 0 ? -(a) : (a))"),
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

    fn index(&self, small: bool) -> &'static str {
        if small { "int" } else { "long" }
    }

    fn function(&self, op: Op, s: Scalar, arguments: &[String]) -> String {
        if s.is_integer() {
            return match op {
                Op::Abs if s.is_signed() => format!("({})magnitude({})", self.scalar(s), arguments[0]),
                Op::Abs => arguments[0].clone(),
                other => format!("{}({})", other.name(), arguments.join(", ")),
            };
        }
        let name = match op {
            Op::Min => "fmin",
            Op::Max => "fmax",
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

    fn saturate(&self, _from: Scalar, to: Scalar, x: &str) -> String {
        format!("to_{}({x})", to.name())
    }

    fn space(&self, space: Space) -> &'static str {
        match space {
            Space::Constant => "static const ",
            _ => "",
        }
    }

    fn work_items(&self, w: &mut Writer, k: &Kernel, dimension: u8, exact: bool) -> WorkItems {
        let sizes = [0, 1, 2].map(|d| w.value(&k.global[d]));
        let outer = sizes[1] * sizes[2] > 1;
        if outer == (dimension == 0) {
            return WorkItems::Plain;
        }
        let inner = w.nat_at_least_product(&k.global[1]);
        let id = match dimension {
            1 if sizes[2] > 1 => format!("item % {inner}"),
            2 if sizes[1] > 1 => format!("item / {inner}"),
            _ => "item".to_string(),
        };
        let size = w.nat_at_least_product(&k.global[dimension as usize]);
        if exact { WorkItems::Once(id) } else { WorkItems::Strided(id, size) }
    }

    fn kernel(&self, w: &mut Writer, k: &Kernel) {
        let name = w.kernel_name(&k.name);
        w.line(&format!(
            "void {name}(void *const *arrays, const void *const *scalars, long begin, long end)"
        ));
        w.line("{");
        w.depth += 1;
        for (i, (array, access)) in k.arrays.iter().enumerate() {
            let constant = if *access == Access::Read { "const " } else { "" };
            let (name, scalar) = (w.array(array), self.scalar(array.scalar));
            w.line(&format!("{constant}{scalar} *restrict {name} = arrays[{i}];"));
        }
        for (i, (name, scalar)) in k.scalars.iter().enumerate() {
            let (name, scalar) = (w.parameter(name), self.scalar(*scalar));
            w.line(&format!("const {scalar} {name} = *(const {scalar} *)scalars[{i}];"));
        }
        w.line("for (long item = begin; item < end; item++) {");
        w.block(&k.body);
        w.line("}");
        w.depth -= 1;
        w.line("}");
    }

    fn preamble(&self, body: &str) -> String {
        let mut text = String::from("#include <math.h>\n#include <stdint.h>\n");
        for (word, line) in ONE_LINERS {
            if text::has_word(body, word) {
                text += &format!("\n{line}");
            }
        }
        for to in Scalar::ALL {
            if let Some((low, high)) = to.integer_range()
                && text::has_word(body, &format!("to_{to}"))
            {
                let name = self.scalar(to);
                let (low_text, high_text) = (Value::from_integer(low, to), Value::from_integer(high, to));
                let (least, most) = (self.literal(low_text), self.literal(high_text));
                text += &format!(
                    "\nstatic inline {name} to_{to}(double x) {{ return x != x ? 0 : x <= {}.0 ? {least} : x >= {}.0 ? {most} : ({name})x; }}",
                    low, high as f64
                );
            }
        }
        text + "\n"
    }
}
