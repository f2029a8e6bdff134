//! Explanations of kernels say what is counted in them and nothing else.

mod common;
mod nests;

use lift::explain;
use lift::prelude::*;
use lift::schedules::Schedule;
use lift_core::Sizes;
use lift_core::explain::Explanation;
use lift_core::kernel::Plan;
use nests::{nhwc, product};

lift! {
    /// Each work-item of a row adds up the row.
    pub fn shares<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        mapGlb(1, |row| {
            let total = reduceSeq(0.0, |acc, x| acc + x, row);
            mapGlb(0, |x| x / total, row)
        }, rows)
    }
    /// Running totals down the columns, with more names than they need.
    pub fn totals<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        let columns = transpose(xs);
        let sums = map(|column| { let sums = scan(0.0, |acc, x| acc + x, column); let named = sums; named }, columns);
        let turned = sums;
        let result = transpose(turned);
        result
    }
}

/// A program by a schedule at a point, every size by its name.
fn explained(schedule: &str, program: &lift::Program, point: &[(&str, i64)]) -> (Plan, Explanation) {
    let schedule = Schedule::named(schedule).expect("a schedule's name");
    let candidate = schedule.derive(program, &[]).expect("it applies");
    let value = |name: &str| point.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    let sizes = candidate.program.sizes().iter().map(|s| s.var.clone());
    let known = Sizes(sizes.filter_map(|var| Some((var.clone(), value(&var.name)?))).collect());
    let sizes = lift::tuned(&candidate.program, &known).expect("the point fits");
    let plan =
        lift::plan(&candidate.program, &sizes, &lift::target::Target::default()).expect("it has kernels");
    let explanation = explain(&plan, Some(&candidate));
    assert_eq!(explanation.rules.iter().map(|(_, n)| n).sum::<usize>(), candidate.steps.len());
    for (name, value) in point {
        let parameter = explanation.parameters.iter().find(|p| p.name == *name);
        let stated = schedule.parameters.iter().find(|p| p.name == *name);
        let found = parameter.map(|p| (p.value, p.meaning));
        assert_eq!(found, stated.map(|p| (*value, p.meaning)), "{name}");
    }
    (plan, explanation)
}

#[test]
fn what_stands_before_a_loop_over_work_items_each_of_them_does() {
    let program = shares::program();
    let sizes = program.sizes().iter().map(|size| size.var.clone()).zip([3, 5]).collect();
    let plan = lift::plan(program, &Sizes(sizes), &lift::target::Target::default()).expect("it has kernels");
    let explanation = explain(&plan, None);
    let [done] = &explanation.launches[..] else { panic!("{explanation}") };
    assert_eq!((done.grid, done.flops), ([5, 3, 1], 3 * 5 * (5 + 1)));
}

/// Where a value is only moved, names on its way change nothing: each total is computed once, and written where it ends.
#[test]
fn names_between_are_as_good_as_none() {
    let program = totals::program();
    let sizes = program.sizes().iter().map(|size| size.var.clone()).zip([5, 4]).collect();
    let plan = lift::plan(program, &Sizes(sizes), &lift::target::Target::default()).expect("it has kernels");
    let explanation = explain(&plan, None);
    let [done] = &explanation.launches[..] else { panic!("{explanation}") };
    assert_eq!((done.flops, done.array_bytes), (5 * 4, 2 * 4 * 5 * 4), "{}", plan.opencl());
    assert_eq!(plan.opencl().matches("for (").count(), 1, "{}", plan.opencl());
}

#[test]
fn guards_and_operations_of_a_convolution_in_registers() {
    let point = [("K", 8), ("C", 3), ("H", 4), ("W", 4), ("D", 4), ("V", 4), ("R", 1), ("Q", 2)];
    let (plan, explanation) = explained("combined", nhwc::program(), &point);
    let [done] = &explanation.launches[..] else { panic!("{explanation}") };
    assert_eq!(done.flops, 2 * 8 * 3 * 9 * 4 * 4);
    assert_eq!(explanation.least_bytes, 4 * (8 * 3 * 9 + 8 + 3 * 4 * 4 + 8 * 4 * 4));
    assert_eq!((done.array_bytes, done.grid.iter().product()), (explanation.least_bytes, 2 * 4 * 2));
    assert!(done.barriers.is_empty() && !done.guards.is_empty(), "{explanation}");
    assert!(done.guards.iter().all(|(reason, _)| reason.contains("outside `input`")), "{explanation}");
    assert_eq!(plan.report().kernels[0].local, 0);
}

#[test]
fn barriers_and_local_memory_of_a_product_in_blocks() {
    let sizes = [("N", 16), ("M", 16), ("L", 8)];
    let tiles = [("GM", 2), ("GN", 4), ("TM", 2), ("TN", 2), ("BK", 4), ("W", 1), ("V", 1), ("P", 2)];
    let (plan, explanation) = explained("blocked", product::program(), &[&sizes[..], &tiles].concat());
    let [done] = &explanation.launches[..] else { panic!("{explanation}") };
    assert_eq!((done.group, done.flops), (Some([4, 2, 1]), 2 * 16 * 16 * 8));
    assert_eq!(done.grid.iter().product::<usize>(), 4 * 2);
    let reasons: Vec<&str> = done.barriers.iter().map(|(reason, _)| reason.as_str()).collect();
    assert!(reasons.iter().any(|r| r.contains("read-after-write hazard on")), "{explanation}");
    assert!(done.guards.is_empty(), "{explanation}");
    // A block of each factor: BK terms of as many positions and channels as the group has, and P more.
    assert_eq!(plan.report().kernels[0].local, 4 * (4 * (2 * 2 + 2) + 4 * (4 * 2 + 2)));
}

#[test]
fn a_work_item_that_is_alone_waits_for_nobody() {
    let sizes = [("N", 16), ("M", 16), ("L", 8)];
    let tiles = [("GM", 1), ("GN", 1), ("TM", 4), ("TN", 4), ("BK", 4), ("W", 1), ("V", 1), ("P", 0)];
    let (plan, explanation) = explained("blocked", product::program(), &[&sizes[..], &tiles].concat());
    let [done] = &explanation.launches[..] else { panic!("{explanation}") };
    assert_eq!(done.group, Some([1; 3]));
    // What is read there was written there.
    assert!(plan.report().kernels[0].local > 0 && done.barriers.is_empty(), "{explanation}");
}
