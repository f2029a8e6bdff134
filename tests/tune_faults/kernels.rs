//! Kernels that do something wrong: the generator's, with something added at the end of the last.

use lift::Plan;
use lift_core::kernel::{Array, Expr, Parallel, Stmt};
use lift_core::nat::{Nat, Var};
use lift_core::scalar::{Op, Value};
use lift_core::types::Scalar;
use std::sync::Arc;

/// At a step in a nanosecond this takes 36 years.
const FOREVER: i64 = 1 << 60;

/// So far outside, no array's memory and nothing else is.
const FAR: i64 = 1 << 40;

/// Statements that keep any compiler busy for a while.
const MANY: u32 = 10_000;

/// Never ends. What the loop computes has no closed form that a compiler could know, and is stored.
pub fn endless(plan: &mut Plan) {
    at_the_end(plan, |result| {
        let (var, extent) = (Var::index("step", 1 << 20), Nat::constant(FOREVER));
        vec![Stmt::Loop { var, extent, parallel: Parallel::Sequential, body: vec![divides(result, 1)] }]
    });
}

/// Takes long to build.
pub fn long(plan: &mut Plan) {
    at_the_end(plan, |result| (1..=MANY).map(|k| divides(result, k)).collect());
}

/// Writes where no memory is.
pub fn crashing(plan: &mut Plan) {
    at_the_end(plan, |result| vec![Stmt::Store(result.clone(), Nat::constant(FAR), constant(1.0))]);
}

/// Writes no number.
pub fn not_a_number(plan: &mut Plan) {
    at_the_end(plan, |result| vec![store(result, constant(f64::NAN))]);
}

/// Writes one more than it should.
pub fn one_too_many(plan: &mut Plan) {
    at_the_end(plan, |result| vec![store(result, op(Op::Add, first(result), constant(1.0)))]);
}

fn at_the_end(plan: &mut Plan, statements: impl Fn(&Arc<Array>) -> Vec<Stmt>) {
    let last = plan.launches.last().expect("a launch").kernel;
    let kernel = &mut plan.modules[0].kernels[last];
    // Those that it writes stand last.
    let result = kernel.arrays.last().expect("a result").0.clone();
    kernel.body.extend(statements(&result));
    kernel.item.iter_mut().for_each(|item| item.extend(statements(&result)));
}

fn first(array: &Arc<Array>) -> Expr {
    Expr::Load(array.clone(), Nat::constant(0), 1)
}

fn constant(x: f64) -> Expr {
    Expr::Literal(Value::from_f64(x, Scalar::F32))
}

fn op(op: Op, a: Expr, b: Expr) -> Expr {
    Expr::Op(op, Scalar::F32, vec![a, b])
}

fn store(result: &Arc<Array>, value: Expr) -> Stmt {
    Stmt::Store(result.clone(), Nat::constant(0), value)
}

/// `result[0] = n / (result[0] + 1)`
fn divides(result: &Arc<Array>, n: u32) -> Stmt {
    store(result, op(Op::Div, constant(f64::from(n)), op(Op::Add, first(result), constant(1.0))))
}
