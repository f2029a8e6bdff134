//! Programs, not plans: sizes are solved, kernels are remembered, and `lift!`'s way in works.

mod common;

use common::{devices, n};
use lift_core::Program;
use lift_core::expr::{Expr, Function, Kind, Literal, Local, NodeId, Param, Size};
use lift_core::nat::{Condition, Nat, Var};
use lift_core::scalar::{Op, Value};
use lift_core::syntax::Site;
use lift_core::types::{Scalar, Type};
use lift_runtime::{Argument, Device, Element, Entry, Error, compile, run};
use ndarray::{Array1, Array2};
use std::sync::{Arc, LazyLock};

fn site() -> Site {
    Site::default()
}

fn node(kind: Kind) -> Expr {
    Expr { id: NodeId::default(), site: site(), kind: Arc::new(kind) }
}

fn param(index: u32, name: &str, ty: Type) -> Param {
    Param { local: Local { name: name.into(), index }, ty, site: site(), constant: false }
}

/// `fn both<N, K>(xs: [f32; N], ys: [f32; N], factor: f32) -> ([f32; N], f32) where K <= N
/// { (xs, factor * factor) }`
fn both() -> Program {
    let f32s = || Type::array(Type::Scalar(Scalar::F32), n());
    let size = |name| Size { var: Var::size(name), site: site(), tune: None };
    let params =
        vec![param(0, "xs", f32s()), param(1, "ys", f32s()), param(2, "factor", Type::Scalar(Scalar::F32))];
    let factor = Expr::local(&params[2].local);
    let product = node(Kind::Op(Op::Mul, vec![factor.clone(), factor]));
    let body = node(Kind::Tuple(vec![Expr::local(&params[0].local), product]));
    Program {
        function: Function {
            name: "both".into(),
            site: site(),
            sizes: vec![size("N"), size("K")],
            params,
            result: Type::tuple(vec![f32s(), Type::Scalar(Scalar::F32)]),
            result_site: site(),
            wheres: vec![(Condition::le(Nat::var(&Var::size("K")), n()), site())],
            body,
            strict: false,
        },
    }
}

fn entry() -> &'static Entry {
    static ENTRY: LazyLock<Entry> =
        LazyLock::new(|| Entry::new(serde_json::to_string(&both()).unwrap().leak()));
    &ENTRY
}

fn array(x: &Array1<f32>) -> Argument<'_> {
    f32::argument(x.view().into_dyn())
}

#[test]
fn a_program_runs_embedded_and_made_at_run_time() {
    let (xs, ys) = (Array1::from_shape_fn(7, |i| i as f32), Array1::<f32>::zeros(7));
    assert_eq!(entry().program(), &both());
    for device in devices() {
        let arguments = [array(&xs), array(&ys), 3.0f32.scalar()];
        for mut outputs in [
            entry().call(&device, &[2], &arguments).unwrap(),
            run(&both(), &device, &[2], &arguments).unwrap(),
            compile(&both(), &device, &[7, 2]).unwrap().run(&arguments).unwrap(),
        ] {
            assert_eq!(outputs.len(), 2);
            assert_eq!(outputs.pop().unwrap().into_scalar::<f32>().unwrap(), 9.0);
            assert_eq!(outputs.pop().unwrap().into_array::<f32>().unwrap(), xs.clone().into_dyn());
        }
    }
}

#[test]
fn what_was_built_is_remembered() {
    let device = Device::cpu();
    let plan = |sizes: &[usize]| entry().compile(&device, sizes).unwrap().plan() as *const _;
    // Kept alive by the device, the same plan has the same address.
    assert_eq!(plan(&[11, 3]), plan(&[11, 3]));
    assert_ne!(plan(&[11, 3]), plan(&[12, 3]));
    std::thread::scope(|scope| {
        let addresses: Vec<usize> = (0..4)
            .map(|_| scope.spawn(|| plan(&[13, 3]) as usize))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        assert!(addresses.iter().all(|a| *a == addresses[0]), "built once");
    });
}

fn refusal(free: &[usize], arguments: &[Argument<'_>]) -> String {
    entry().call(&Device::cpu(), free, arguments).unwrap_err().to_string()
}

#[test]
fn sizes_and_arguments_that_do_not_fit_are_named() {
    let (four, five, none) = (Array1::<f32>::zeros(4), Array1::<f32>::zeros(5), Array1::<f32>::zeros(0));
    let (square, integers) = (Array2::<f32>::zeros((4, 4)), Array1::<i32>::zeros(4));
    let one = || 1.0f32.scalar();
    let both = |a, b| [array(a), array(b), one()];
    assert_eq!(refusal(&[1], &[one()]), "`both` takes 3 arguments, but 1 was given");
    assert_eq!(
        refusal(&[], &both(&four, &four)),
        "`both` takes 1 size besides its arguments, but 0 were given"
    );
    assert_eq!(refusal(&[1], &both(&four, &five)), "argument `xs` makes `N` 4, but argument `ys` makes it 5");
    assert_eq!(
        refusal(&[1], &both(&none, &four)),
        "dimension 0 of argument `xs` has length 0, but a size is at least 1"
    );
    assert_eq!(
        refusal(&[1], &[f32::argument(square.view().into_dyn()), array(&four), one()]),
        "argument `xs` has 2 dimensions, but its type [f32; N] has 1"
    );
    assert_eq!(
        refusal(&[1], &[array(&four), i32::argument(integers.view().into_dyn()), one()]),
        "argument `ys` holds i32 where the program takes f32"
    );
    assert_eq!(
        refusal(&[5], &both(&four, &four)),
        "`both` requires K <= N, which does not hold with N = 4, K = 5"
    );
    assert_eq!(refusal(&[0], &both(&four, &four)), "size `K` must be at least 1, not 0");
    let sizes = |sizes: &[usize]| entry().compile(&Device::cpu(), sizes).err().unwrap();
    assert!(matches!(sizes(&[4]), Error::SizeCount { expected: 2, got: 1, .. }));
    assert!(matches!(sizes(&[4, 5]), Error::Size(_)));
}

#[test]
fn sizes_beyond_all_memory_are_refused_before_anything_is_built() {
    for device in devices() {
        for size in [1 << 50, usize::MAX / 2, usize::MAX] {
            let error = entry().compile(&device, &[size, 1]).and_then(|c| c.run(&[])).unwrap_err();
            let refused = matches!(error, Error::OutOfMemory { .. } | Error::Size(_) | Error::Compile(_));
            assert!(refused, "{size} on {device}: {error:?}");
        }
    }
}

#[test]
fn what_json_has_no_number_for_survives_embedding() {
    let mut program = both();
    let infinity = node(Kind::Literal(Literal::Exact(Value::F32(f32::NEG_INFINITY))));
    program.function.body = node(Kind::Tuple(vec![Expr::local(&program.function.params[0].local), infinity]));
    let json = serde_json::to_string(&program).unwrap();
    let entry = Entry::new(json.leak());
    assert_eq!(entry.program(), &program);
}
