//! Whatever a user calls sizes, arrays, variables and functions, kernels can be built and are right: tried with
//! every identifier of both languages' headers, as this machine has them, and with their keywords.

mod headers;

use super::common::{buffer, devices, launch, load, op, signature};
use lift_core::kernel::{
    Access, Array, ArrayId, BufferId, Change, Expr, Kernel, Launch, Local, LocalId, Module, Parallel, Plan,
    Role, Space, Stmt,
};
use lift_core::nat::{Nat, Var};
use lift_core::scalar::{Op, Value};
use lift_core::types::Scalar;
use ndarray::{Array1, ArrayD};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names of parameters in one kernel: devices limit these.
const PARAMETERS: usize = 50;
/// Names that are printed together.
const TOGETHER: usize = 100;
/// Of the headers' identifiers every so many-th is built, too.
const SAMPLED: usize = 100;

/// What the text has for a user's name is in no header, wherever the name stands.
#[test]
fn no_name_is_in_a_header() {
    let headers = headers::identifiers();
    assert!(headers.len() > 2000, "fewer names than the headers of C alone declare: {}", headers.len());
    let texts = |names: &[String]| {
        let mut all = BTreeSet::new();
        for (plan, _) in [sizes(names), variables(names), kernels(names)] {
            headers::words(&plan.c(), &mut all);
            headers::words(&plan.opencl(), &mut all);
        }
        all
    };
    let language = texts(&["name".into()]);
    let names: Vec<String> = headers.iter().cloned().collect();
    for names in names.chunks(TOGETHER) {
        let used = texts(names);
        let bad: Vec<_> = used.difference(&language).filter(|word| headers.contains(*word)).collect();
        assert!(bad.is_empty(), "{bad:?}");
    }
}

#[test]
fn kernels_with_names_of_the_languages_are_built_and_right() {
    let names = headers::identifiers().into_iter().step_by(SAMPLED).chain(headers::tricky());
    let names: Vec<String> = names.collect::<BTreeSet<_>>().into_iter().collect();
    let trials = [sizes(&names), variables(&names), kernels(&names)];
    for device in devices() {
        for (plan, expected) in &trials {
            let signature = signature(vec![], vec![(Scalar::I32, vec![expected.len()])]);
            let compiled = load(&device, plan, &signature).unwrap_or_else(|e| panic!("{device}: {e}"));
            let output: ArrayD<i32> = compiled.run(&[]).unwrap().remove(0).into_array().unwrap();
            assert_eq!(output, Array1::from(expected.clone()).into_dyn(), "{} on {device}", plan.name);
        }
    }
}

/// A plan whose one result should be these numbers.
type Trial = (Plan, Vec<i32>);

fn numbers(names: &[String]) -> Vec<i32> {
    (1..).take(names.len()).collect()
}

/// Each size is stored.
fn sizes(names: &[String]) -> Trial {
    let sizes: Vec<Var> = names.iter().map(|name| Var::size(name)).collect();
    let stored = sizes.iter().map(Nat::var).map(|size| Expr::Index(size, Scalar::I32));
    let body = stored.enumerate().map(|(k, size)| store(names.len(), k, size)).collect();
    let kernel = kernel("sizes", names.len(), vec![], body);
    let mut plan = plan("sizes", names.len(), vec![kernel], vec![launch(0, &[0], &[], 1)]);
    plan.modules[0].sizes = sizes.into_iter().zip(numbers(names).into_iter().map(i64::from)).collect();
    (plan, numbers(names))
}

/// For each name a loop, a scalar and an array of this name: the array's element is stored.
fn variables(names: &[String]) -> Trial {
    let numbered = names.iter().zip(numbers(names)).enumerate();
    let body = numbered.map(|(k, (name, number))| {
        let index = 10 + 3 * k as u32;
        let var = Var::index(name, index);
        let local =
            Local { name: name.as_str().into(), id: LocalId::Own(index), scalar: Scalar::I32, width: 1 };
        let array = array(name, index, Space::Private, 1);
        let value = Expr::Local(local.clone());
        let sum = op(Op::Add, &[value, Expr::Index(Nat::var(&var), Scalar::I32)]);
        let loaded = Expr::Load(array.clone(), Nat::constant(0), 1);
        let stmts = vec![
            Stmt::Declare { local, value: Expr::Literal(Value::I32(number)), change: Change::Never },
            Stmt::Array(array.clone(), vec![]),
            Stmt::Store(array, Nat::constant(0), sum),
            store(names.len(), k, loaded),
        ];
        Stmt::Loop { var, extent: Nat::constant(1), parallel: Parallel::Sequential, body: stmts }
    });
    let kernel = kernel("variables", names.len(), vec![], body.collect());
    let plan = plan("variables", names.len(), vec![kernel], vec![launch(0, &[0], &[], 1)]);
    (plan, numbers(names))
}

/// A kernel of each name, and kernels whose parameters have these names; those of the first few are run.
fn kernels(names: &[String]) -> Trial {
    let result = PARAMETERS.min(names.len());
    let numbered = names.iter().zip(numbers(names)).enumerate();
    let called = numbered.map(|(k, (name, number))| {
        let body = vec![store(result, k % result, Expr::Literal(Value::I32(number)))];
        kernel(name, result, vec![], body)
    });
    let given = names.chunks(PARAMETERS).enumerate().map(|(chunk, names)| {
        let index = 10 + (chunk * PARAMETERS) as u32;
        let arrays = (index..).zip(names).map(|(index, name)| array(name, index, Space::Global, 1));
        let mut kernel = kernel(&format!("given {chunk}"), result, arrays.collect(), vec![]);
        kernel.scalars = names.iter().map(|name| (name.as_str().into(), Scalar::I32)).collect();
        kernel
    });
    let kernels: Vec<Kernel> = called.chain(given).collect();
    let launches = (0..result).map(|k| launch(k, &[0], &[], 1)).collect();
    (plan("kernels", result, kernels, launches), numbers(&names[..result]))
}

fn store(length: usize, at: usize, value: Expr) -> Stmt {
    Stmt::Store(array("output", 1, Space::Global, length), Nat::from(at as i64), value)
}

fn array(name: &str, index: u32, space: Space, length: usize) -> Arc<Array> {
    let length = Nat::from(length as i64);
    let id = match space {
        Space::Global => ArrayId::Buffer(BufferId(index as usize)),
        _ => ArrayId::Own(index),
    };
    Arc::new(Array { name: name.into(), id, scalar: Scalar::I32, width: 1, space, length, registers: false })
}

fn kernel(name: &str, length: usize, inputs: Vec<Arc<Array>>, body: Vec<Stmt>) -> Kernel {
    let inputs = inputs.into_iter().map(|array| (array, Access::Read));
    let output = (array("output", 1, Space::Global, length), Access::Write);
    Kernel {
        name: name.into(),
        arrays: inputs.chain([output]).collect(),
        scalars: vec![],
        grid: [1, 1, 1].map(Nat::constant),
        group: None,
        body,
        item: None,
    }
}

fn plan(name: &str, length: usize, kernels: Vec<Kernel>, launches: Vec<Launch>) -> Plan {
    Plan {
        name: name.into(),
        sizes: vec![],
        constants: vec![],
        buffers: vec![buffer("output", Scalar::I32, length, Role::Output(0))],
        modules: vec![Module { strict: false, sizes: vec![], kernels }],
        launches,
    }
}
