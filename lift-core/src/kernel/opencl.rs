//! OpenCL C 1.2.

use super::text::{self, Dialect, WorkItems, Writer};
use super::{Access, Array, Kernel, Parallel, Plan, Space};
use crate::scalar::{Op, Value};
use crate::types::Scalar;

impl Plan {
    /// The kernels as OpenCL C 1.2 source text, that of each module behind the one before.
    pub fn opencl(&self) -> String {
        (0..self.modules.len()).map(|module| self.opencl_of(module)).collect::<Vec<_>>().join("\n")
    }

    /// The same of one module alone.
    pub fn opencl_of(&self, module: usize) -> String {
        text::print(&self.modules[module], self.small_indices(module), &OpenCl)
    }
}

/// OpenCL C 1.2.
struct OpenCl;

/// The absolute value; that of the least integer is the least integer.
const ABS: [(&str, &str); 2] = [
    ("lift_abs", "#define lift_abs(a) ((a) < 0 ? -(ulong)(a) : (ulong)(a))"),
    ("lift_abs_of", "#define lift_abs_of(T, U, a) as_##T((a) < (T)(0) ? (U)(0) - as_##U(a) : as_##U(a))"),
];

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

    fn of_indices(&self, op: Op) -> String {
        op.name().to_string()
    }

    fn fma(&self) -> Option<&'static str> {
        Some("fma")
    }

    fn vector_at(&self, array: &Array, place: &str, width: u8, aligned: bool) -> String {
        match aligned {
            true => format!("*(const {})({place})", self.pointer(array, width)),
            false => format!("vload{width}(0, {place})"),
        }
    }

    fn store_vector(&self, array: &Array, place: &str, value: &str, width: u8, aligned: bool) -> String {
        match aligned {
            true => format!("*({})({place}) = {value}", self.pointer(array, width)),
            false => format!("vstore{width}({value}, 0, {place})"),
        }
    }

    fn vector(&self, s: Scalar, width: u8, lanes: &[String]) -> String {
        format!("({})({})", self.ty(s, width), lanes.join(", "))
    }

    fn chosen(&self, _: Scalar, _: u8, [condition, then, otherwise]: [&str; 3]) -> String {
        format!("(({condition}) ? ({then}) : ({otherwise}))")
    }

    fn lane(&self, vector: &str, k: u8) -> String {
        format!("{vector}.s{k:x}")
    }

    fn soon(&self, place: &str) -> String {
        format!("prefetch({place}, 1);")
    }

    fn barrier(&self, reason: &str) -> Option<String> {
        Some(format!("barrier(CLK_LOCAL_MEM_FENCE); // {reason}"))
    }

    fn function(&self, op: Op, s: Scalar, width: u8, arguments: &[String]) -> String {
        let name = match op {
            Op::Min if s.is_float() => "fmin",
            Op::Max if s.is_float() => "fmax",
            Op::Abs if s.is_float() => "fabs",
            // OpenCL drivers compute `abs` and `abs_diff` of the least integer in a way that is undefined in C.
            Op::Abs if s.is_signed() && width == 1 => {
                return format!("({0})lift_abs(({0})({1}))", self.scalar(s), arguments[0]);
            }
            Op::Abs if s.is_signed() => {
                let ty = self.ty(s, width);
                return format!("lift_abs_of({ty}, u{ty}, {})", arguments[0]);
            }
            Op::Abs => return format!("({})", arguments[0]),
            Op::Rem => "fmod",
            Op::Ln => "log",
            other => other.name(),
        };
        if s.is_integer() && width == 1 {
            // `min` and `max` want arguments of one type, and C's literals are `int`.
            let typed: Vec<String> = arguments.iter().map(|a| format!("({})({a})", self.scalar(s))).collect();
            return format!("{name}({})", typed.join(", "));
        }
        format!("{name}({})", arguments.join(", "))
    }

    fn literal(&self, v: Value) -> String {
        text::literal(v, "half", "L", "UL")
    }

    fn reinterpreted(&self, ty: &str, vector: &str) -> String {
        format!("as_{ty}({vector})")
    }

    fn saturate(&self, _from: Scalar, to: Scalar, x: &str) -> String {
        format!("convert_{}_sat({x})", self.scalar(to))
    }

    fn converted(&self, from: Scalar, to: Scalar, width: u8, x: &str) -> String {
        let saturated = if from.is_float() && to.is_integer() { "_sat" } else { "" };
        format!("convert_{}{saturated}({x})", self.ty(to, width))
    }

    fn space(&self, space: Space) -> &'static str {
        match space {
            Space::Global => "global ",
            Space::Local => "local ",
            Space::Private | Space::Items => "",
            Space::Constant => "constant ",
        }
    }

    fn work_items(&self, _: &mut Writer, k: &Kernel, parallel: Parallel, exact: bool) -> WorkItems {
        let (id, count) = match parallel {
            Parallel::Sequential => return WorkItems::Plain,
            Parallel::Global(d) => (format!("get_global_id({d})"), format!("get_global_size({d})")),
            Parallel::Group(d) => (format!("get_group_id({d})"), format!("get_num_groups({d})")),
            Parallel::Local(d) => {
                let size = k.group.map_or(1, |group| group[usize::from(d)]);
                (format!("get_local_id({d})"), size.to_string())
            }
        };
        if exact { WorkItems::Once(id) } else { WorkItems::Strided(id, count) }
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
        if let Some([x, y, z]) = k.group {
            w.line(&format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))"));
        }
        w.line(&format!("kernel void {name}("));
        w.line(&format!("    {})", parameters.join(",\n    ")));
        w.line("{");
        w.work_item(k.item.as_ref().unwrap_or(&k.body));
        w.line("}");
    }

    fn preamble(&self, body: &str, strict: bool) -> String {
        let contracted = if strict { "#pragma OPENCL FP_CONTRACT OFF\n" } else { "" };
        let extensions = [("double", "cl_khr_fp64"), ("half", "cl_khr_fp16")]
            .iter()
            .filter(|(word, _)| text::has_word(body, word))
            .map(|(_, name)| format!("#pragma OPENCL EXTENSION {name} : enable\n"));
        let defined = ABS.iter().filter(|(name, _)| text::has_word(body, name));
        let defined = defined.map(|(_, line)| format!("{line}\n"));
        extensions.chain([contracted.to_string()]).chain(defined).collect()
    }
}

impl OpenCl {
    /// Pointer to vectors in an array.
    fn pointer(&self, array: &Array, width: u8) -> String {
        format!("{}{}*", self.space(array.space), self.ty(array.scalar, width))
    }
}
