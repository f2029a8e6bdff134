//! OpenCL C 1.2.

use super::text::{self, Dialect, WorkItems, Writer};
use super::{Access, Kernel, Plan, Space};
use crate::scalar::{Op, Value};
use crate::types::Scalar;

pub fn print(plan: &Plan) -> String {
    text::print(plan, &OpenCl)
}

struct OpenCl;

impl Dialect for OpenCl {
    fn scalar(&self, s: Scalar) -> &'static str {
        match s {
            // In memory a `bool` is a byte; OpenCL's own has no size that one may rely on.
            Scalar::Bool | Scalar::U8 => "uchar",
            Scalar::I8 => "char",
            Scalar::I16 => "short",
            Scalar::U16 => "ushort",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::I64 => "long",
            Scalar::U64 => "ulong",
            Scalar::F16 => "half",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        }
    }

    fn index(&self, small: bool) -> &'static str {
        if small { "int" } else { "long" }
    }

    fn function(&self, op: Op, s: Scalar, arguments: &[String]) -> String {
        let name = match op {
            Op::Min if s.is_float() => "fmin",
            Op::Max if s.is_float() => "fmax",
            Op::Abs if s.is_float() => "fabs",
            // OpenCL's integer `abs` is undefined where `abs_diff`, which is unsigned, is not.
            Op::Abs if s.is_signed() => {
                return format!("({0})abs_diff(({0})({1}), ({0})0)", self.scalar(s), arguments[0]);
            }
            Op::Abs => return arguments[0].clone(),
            Op::Rem => "fmod",
            Op::Ln => "log",
            other => other.name(),
        };
        if s.is_integer() {
            // `min` and `max` want arguments of one type, and C's literals are `int`.
            let typed: Vec<String> = arguments.iter().map(|a| format!("({})({a})", self.scalar(s))).collect();
            return format!("{name}({})", typed.join(", "));
        }
        format!("{name}({})", arguments.join(", "))
    }

    fn literal(&self, v: Value) -> String {
        text::literal(v, "half", "L", "UL")
    }

    fn wraps(&self) -> bool {
        false
    }

    fn saturate(&self, _from: Scalar, to: Scalar, x: &str) -> String {
        format!("convert_{}_sat({x})", self.scalar(to))
    }

    fn space(&self, space: Space) -> &'static str {
        match space {
            Space::Global => "global ",
            Space::Local => "local ",
            Space::Private => "",
            Space::Constant => "constant ",
        }
    }

    fn work_items(&self, _: &mut Writer, _: &Kernel, dimension: u8, exact: bool) -> WorkItems {
        let id = format!("get_global_id({dimension})");
        if exact {
            WorkItems::Once(id)
        } else {
            WorkItems::Strided(id, format!("get_global_size({dimension})"))
        }
    }

    fn kernel(&self, w: &mut Writer, k: &Kernel) {
        let mut parameters = vec![];
        for (array, access) in &k.arrays {
            let constant = if *access == Access::Read { "const " } else { "" };
            let name = w.array(array);
            parameters.push(format!("{constant}global {}* restrict {name}", self.scalar(array.scalar)));
        }
        for (name, scalar) in &k.scalars {
            parameters.push(format!("const {} {}", self.scalar(*scalar), w.parameter(name)));
        }
        let name = w.kernel_name(&k.name);
        w.line(&format!("kernel void {name}("));
        w.line(&format!("    {})", parameters.join(",\n    ")));
        w.line("{");
        w.block(&k.body);
        w.line("}");
    }

    fn preamble(&self, body: &str) -> String {
        [("double", "cl_khr_fp64"), ("half", "cl_khr_fp16")]
            .iter()
            .filter(|(word, _)| text::has_word(body, word))
            .map(|(_, name)| format!("#pragma OPENCL EXTENSION {name} : enable\n"))
            .collect()
    }
}
