//! Plans made by hand, as small as can be, and the devices to run them on.

// Each test file uses its own part of this.
#![allow(dead_code)]

use lift_core::kernel::{
    Access, Array, ArrayId, Buffer, BufferId, Expr, Kernel, Launch, Module, Parallel, Plan, Role, Space, Stmt,
};
use lift_core::nat::{Nat, Var};
use lift_core::scalar::Op;
use lift_core::types::Scalar;
use lift_runtime::{Compiled, Device, Error, Kind, Parameter, Settings, Signature};
use std::sync::Arc;

/// Every device. OpenCL must be among them where `CI` is set; elsewhere its absence is said aloud.
pub fn devices() -> Vec<Device> {
    checked(Device::all())
}

pub fn devices_with(settings: &Settings) -> Vec<Device> {
    checked(Device::all_with(settings))
}

fn checked(devices: Vec<Device>) -> Vec<Device> {
    if devices.iter().all(|d| d.kind() == Kind::BuiltIn) {
        let message = "NO OPENCL DEVICE: its half of this test is SKIPPED (apt install pocl-opencl-icd)";
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("\n*** {message} ***\n");
    }
    devices
}

/// The one size of these plans.
pub fn n() -> Nat {
    Nat::var(&Var::size("N"))
}

pub fn op(op: Op, operands: &[Expr]) -> Expr {
    Expr::Op(op, operands[0].scalar(), operands.to_vec())
}

/// What a kernel of these plans is made from: `output[i] = body(inputs[i]…, scalars…)`.
pub struct Pointwise<'a> {
    pub name: &'a str,
    pub inputs: &'a [(&'a str, Scalar)],
    pub scalars: &'a [(&'a str, Scalar)],
    pub output: (&'a str, Scalar),
}

impl Pointwise<'_> {
    /// Identifiers are numbered from `first`; no two kernels of a plan may share a number.
    pub fn kernel(&self, first: u32, body: impl Fn(&[Expr]) -> Expr) -> Kernel {
        let i = Var::index("i", first + 100);
        let at = Nat::var(&i);
        let array = |(k, (name, scalar)): (usize, &(&str, Scalar))| {
            let id = ArrayId::Buffer(BufferId(first as usize + k));
            Arc::new(Array {
                name: (*name).into(),
                id,
                scalar: *scalar,
                width: 1,
                space: Space::Global,
                length: n(),
                registers: false,
            })
        };
        let inputs: Vec<Arc<Array>> = self.inputs.iter().enumerate().map(array).collect();
        let output = array((inputs.len(), &self.output));
        let loads = inputs.iter().map(|a| Expr::Load(a.clone(), at.clone(), 1));
        let scalars = self.scalars.iter().enumerate().map(|(position, (name, scalar))| Expr::Parameter {
            name: (*name).into(),
            scalar: *scalar,
            position,
        });
        let value = body(&loads.chain(scalars).collect::<Vec<_>>());
        let store = Stmt::Store(output.clone(), at, value);
        let body = vec![Stmt::Loop { var: i, extent: n(), parallel: Parallel::Global(0), body: vec![store] }];
        let read = inputs.into_iter().map(|a| (a, Access::Read));
        Kernel {
            name: self.name.into(),
            arrays: read.chain([(output, Access::Write)]).collect(),
            scalars: self.scalars.iter().map(|(name, scalar)| ((*name).into(), *scalar)).collect(),
            grid: [n(), Nat::constant(1), Nat::constant(1)],
            group: None,
            body,
            item: None,
        }
    }
}

pub fn buffer(name: &str, scalar: Scalar, length: usize, role: Role) -> Buffer {
    Buffer { name: name.into(), scalar, length, role }
}

pub fn launch(kernel: usize, arrays: &[usize], scalars: &[usize], length: usize) -> Launch {
    let arrays = arrays.iter().map(|b| BufferId(*b)).collect();
    Launch { module: 0, kernel, arrays, scalars: scalars.to_vec(), grid: [length, 1, 1], group: None }
}

pub fn plan(length: usize, buffers: Vec<Buffer>, kernels: Vec<Kernel>, launches: Vec<Launch>) -> Plan {
    Plan {
        name: "by_hand".into(),
        sizes: vec![(Var::size("N"), length as i64)],
        constants: vec![],
        buffers,
        modules: vec![Module { strict: false, sizes: vec![(Var::size("N"), length as i64)], kernels }],
        launches,
    }
}

pub fn array_parameter(name: &str, scalar: Scalar, length: usize) -> Parameter {
    Parameter { name: name.into(), scalar, shape: vec![length], lengths: vec!["N".into()] }
}

pub fn scalar_parameter(name: &str, scalar: Scalar) -> Parameter {
    Parameter { name: name.into(), scalar, shape: vec![], lengths: vec![] }
}

pub fn signature(parameters: Vec<Parameter>, results: Vec<(Scalar, Vec<usize>)>) -> Signature {
    Signature { program: "by_hand".into(), parameters, results }
}

pub fn load(device: &Device, plan: &Plan, signature: &Signature) -> Result<Compiled, Error> {
    // SAFETY: the plans of these tests index their buffers in bounds.
    unsafe { device.load(plan.clone(), signature.clone()) }
}

/// `sum[i] = a[i] op b[i]` at length `length`.
pub fn pairwise(o: Op, scalar: Scalar, length: usize) -> (Plan, Signature) {
    let result = o.result(scalar);
    let kernel = Pointwise {
        name: "pairwise",
        inputs: &[("a", scalar), ("b", scalar)],
        scalars: &[],
        output: ("sum", result),
    }
    .kernel(1, |x| op(o, x));
    let buffers = vec![
        buffer("a", scalar, length, Role::Input(0)),
        buffer("b", scalar, length, Role::Input(1)),
        buffer("sum", result, length, Role::Output(0)),
    ];
    let plan = plan(length, buffers, vec![kernel], vec![launch(0, &[0, 1, 2], &[], length)]);
    let parameters = vec![array_parameter("a", scalar, length), array_parameter("b", scalar, length)];
    (plan, signature(parameters, vec![(result, vec![length])]))
}

/// Two kernels with a temporary between them: `out[i] = (a[i] * factor) + a[i]`.
pub fn two_kernels(length: usize) -> (Plan, Signature) {
    let f = Scalar::F32;
    let first =
        Pointwise { name: "scale", inputs: &[("a", f)], scalars: &[("factor", f)], output: ("scaled", f) }
            .kernel(1, |x| op(Op::Mul, x));
    let second =
        Pointwise { name: "add", inputs: &[("scaled", f), ("a", f)], scalars: &[], output: ("out", f) }
            .kernel(11, |x| op(Op::Add, x));
    let buffers = vec![
        buffer("a", f, length, Role::Input(1)),
        buffer("scaled", f, length, Role::Temporary),
        buffer("out", f, length, Role::Output(0)),
    ];
    let launches = vec![launch(0, &[0, 1], &[0], length), launch(1, &[1, 0, 2], &[], length)];
    let parameters = vec![scalar_parameter("factor", f), array_parameter("a", f, length)];
    (plan(length, buffers, vec![first, second], launches), signature(parameters, vec![(f, vec![length])]))
}

/// `out[i] = value`.
pub fn filled(length: usize) -> (Plan, Signature) {
    let byte = Scalar::U8;
    let kernel = Pointwise { name: "fill", inputs: &[], scalars: &[("value", byte)], output: ("out", byte) }
        .kernel(1, |x| x[0].clone());
    let plan = plan(
        length,
        vec![buffer("out", byte, length, Role::Output(0))],
        vec![kernel],
        vec![launch(0, &[0], &[0], length)],
    );
    (plan, signature(vec![scalar_parameter("value", byte)], vec![(byte, vec![length])]))
}
