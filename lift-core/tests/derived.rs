//! What a derived primitive stands for has the value that its entry says.

use lift_core::check::{self, Typed};
use lift_core::datum::Datum;
use lift_core::expr::{Argument, Expr, Function, Kind, Lambda, Local, Param, Pattern};
use lift_core::interpret;
use lift_core::nat::{Nat, Var};
use lift_core::primitives::builder::Builder;
use lift_core::primitives::{Form, Primitive, Use, algorithmic};
use lift_core::scalar::{Op, Value};
use lift_core::syntax::Site;
use lift_core::types::{Scalar, Type};
use std::sync::Arc;

fn local(name: &str, index: u32) -> Local {
    Local { name: Arc::from(name), index }
}

fn op(op: Op, operands: [Expr; 2]) -> Expr {
    Expr::new(Site::default(), Kind::Op(op, operands.to_vec()))
}

/// `|(best, _), (x, _)| x … best` of pairs.
fn comparison(by: Op) -> Argument {
    let [best, x] = [local("best", 2), local("x", 3)];
    let params = [&best, &x].map(|l| Pattern::Tuple(vec![Pattern::Local(l.clone()), Pattern::Wild])).to_vec();
    let body = op(by, [Expr::local(&x), Expr::local(&best)]);
    Argument::Function(Lambda { site: Site::default(), params, body })
}

/// A function of `xs: [T; N]` whose body this is.
fn function(element: &Type, result: Type, body: Expr) -> Function {
    let n = Var::size("N");
    let size = lift_core::expr::Size { var: n.clone(), site: Site::default(), tune: None };
    let xs = Param {
        local: local("xs", 1),
        ty: Type::array(element.clone(), Nat::var(&n)),
        site: Site::default(),
        constant: false,
    };
    let (name, site) = (Arc::from("f"), Site::default());
    let (sizes, params, wheres) = (vec![size], vec![xs], vec![]);
    Function { name, site, sizes, params, result, result_site: site, wheres, body, strict: false }.number()
}

fn typed(function: &Function) -> Typed {
    check::infer_inlined(function, &check::facts(function)).expect("it is well-typed")
}

fn value(function: &Function, xs: &Datum) -> Datum {
    let (typed, n) = (typed(function), xs.elements().expect("an array").len() as i64);
    let types = |id| typed.ty(id).cloned();
    interpret::run_strictly(function, &types, &[(Var::size("N"), n)], std::slice::from_ref(xs))
        .expect("it has a value")
}

/// The function before and after its body, a derived primitive applied, is replaced.
fn both(function: &Function) -> [Function; 2] {
    let typed = typed(function);
    let Kind::Apply(primitive, arguments) = &*function.body.kind else { panic!("nothing is applied") };
    let Form::Derived(expand) = &primitive.form else { panic!("`{}` is not derived", primitive.name) };
    let (sizes, result) = (&typed.bindings[&function.body.id], typed.ty(function.body.id).expect("its type"));
    let builder = &mut Builder { site: Site::default(), fresh: &mut function.fresh() };
    let body = expand(builder, &Use { arguments, sizes, result });
    [function.clone(), Function { body, ..function.clone() }.number()]
}

#[test]
fn arg_best() {
    let random = &mut fastrand::Rng::with_seed(3);
    let element =
        Type::tuple(vec![Type::Scalar(Scalar::F32), Type::array(Type::Scalar(Scalar::U8), Nat::constant(2))]);
    let result = Type::tuple(vec![Type::Scalar(Scalar::I32), element.clone()]);
    for by in [Op::Gt, Op::Ge, Op::Lt, Op::Le, Op::Ne] {
        let arguments = vec![comparison(by), Argument::Value(Expr::local(&local("xs", 1)))];
        let body = Expr::new(Site::default(), Kind::Apply(Primitive::known("argBest"), arguments));
        let [before, after] = both(&function(&element, result.clone(), body));
        for n in (1..20).chain([1, 1, 2, 2]) {
            let xs = Datum::array((0..n).map(|_| {
                let x = [f32::NAN, f32::INFINITY, 0.0, -0.0, 1.0, 2.0, 3.0][random.usize(0..7)];
                let bytes = (0..2).map(|_| Datum::Scalar(Value::U8(random.u8(..)))).collect::<Vec<_>>();
                Datum::tuple([Datum::Scalar(Value::F32(x)), Datum::array(bytes)])
            }));
            // As text: a NaN is not equal to itself.
            let [wanted, got] = [&before, &after].map(|function| format!("{:?}", value(function, &xs)));
            assert_eq!(got, wanted, "{by:?} of {xs:?}");
        }
    }
}

/// No other is forgotten here.
#[test]
fn every_derived_primitive_is_tested() {
    let derived = algorithmic().filter(|p| matches!(p.form, Form::Derived(_)));
    assert_eq!(derived.map(|p| p.name).collect::<Vec<_>>(), ["argBest"]);
}
