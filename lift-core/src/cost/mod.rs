//! How long a plan takes, roughly: good enough to say which of two forms of a program to try first.
//!
//! Everything is counted on the kernel tree: instructions, bytes from near and far memory, registers,
//! work-items, barriers. A [`Target`] says what of that a device does in a second. The longest of computing,
//! near memory, far memory, waiting at barriers and waiting for far memory's answers counts in full, the others a quarter, since they overlap but
//! not quite.

mod answers;
mod estimate;
mod lines;
mod operators;
mod registers;
mod reuse;

use crate::kernel::{Expr, Kernel, Launch, Module, Plan};
use crate::target::{Class, Target};
use estimate::Estimate;
pub(crate) use operators::instructions_of;

/// Seconds that a run of a plan takes, without what is prepared once.
pub fn seconds(plan: &Plan, target: &Target) -> f64 {
    corrected(plan, target, 1.0)
}

/// The same for a form that was found to take so many times as long as the model says, where computing limited it: bytes
/// from far memory and launches take as long in every form, and so do copies.
pub fn corrected(plan: &Plan, target: &Target, times: f64) -> f64 {
    let prepares = plan.memory().prepares;
    let every_run = plan.launches.iter().zip(prepares).filter(|(_, prepares)| !prepares);
    let times = |launch: &Launch| if computes(plan, launch) { times } else { 1.0 };
    every_run.map(|(launch, _)| of_launch(plan, launch, target, times(launch))).sum()
}

/// Does no kernel of a plan compute with floats? Then its time depends on caches and pages, of which the model knows less than of
/// instructions.
pub fn only_moves(plan: &Plan) -> bool {
    !plan.launches.iter().any(|launch| computes(plan, launch))
}

/// Does a kernel compute with floats? Others copy, with or without padding.
fn computes(plan: &Plan, launch: &Launch) -> bool {
    let kernel = &plan.modules[launch.module].kernels[launch.kernel];
    let mut found = false;
    for stmt in &kernel.body {
        stmt.visit(&mut |stmt| {
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| found |= matches!(e, Expr::Op(..)) && e.scalar().is_float());
            }
        });
    }
    found
}

/// Seconds that a device needs at least, by the model, to compute what a plan does with floats: where all units multiply and add in each
/// instruction, with all lanes of a vector. Floats of 16 bits are counted as if they took 32, as on processors that compute with none.
pub fn least(plan: &Plan, target: &Target) -> f64 {
    let Target { hierarchy, costs, .. } = target;
    let flops = |launch: &Launch| {
        let module = &plan.modules[launch.module];
        module.kernels[launch.kernel].work(module).flops as f64
    };
    let lanes = (hierarchy.vector as f64 / FLOAT).max(1.0);
    let in_a_second = 2.0 * lanes * costs.issue * hierarchy.units as f64;
    plan.launches.iter().map(flops).sum::<f64>() / in_a_second
}

/// Operations of scalars in a run of a plan.
pub fn total(plan: &Plan) -> f64 {
    let of_launch = |launch: &Launch| {
        let module = &plan.modules[launch.module];
        operations(module, &module.kernels[launch.kernel])
    };
    plan.launches.iter().map(of_launch).sum()
}

/// Operations of scalars in one launch of a kernel, every loop carried out in full.
pub fn operations(module: &Module, kernel: &Kernel) -> f64 {
    Estimate::operations(module, kernel).instructions
}

/// Bytes of the last cache, or of a core's share of it: a guess, since no driver tells.
const LAST_CACHE: f64 = 16e6;

/// Bytes of a float.
const FLOAT: f64 = 4.0;

/// How many times as fast as memory the last cache is.
const CACHED: f64 = 4.0;

/// Seconds that it takes to read or write an array once.
fn from_afar(bytes: f64, target: &Target) -> f64 {
    let cached = target.family.class() == Class::Processor && bytes <= LAST_CACHE;
    bytes / (target.costs.far * if cached { CACHED } else { 1.0 })
}

/// Seconds that it takes a processor to read and write again what its caches have lost. That every array is read or written
/// once is not counted here.
fn anew(plan: &Plan, launch: &Launch, target: &Target) -> f64 {
    if target.family.class() != Class::Processor {
        return 0.0;
    }
    let (module, line) = (&plan.modules[launch.module], target.costs.line as f64);
    let kernel = &module.kernels[launch.kernel];
    let once: f64 = launch.arrays.iter().map(|id| plan.buffers[id.0].bytes() as f64).sum();
    let moved = |room| reuse::beyond(&kernel.body, &module.sizes, line, room).max(once);
    let [second, last] = [target.costs.second, LAST_CACHE].map(moved);
    ((second - last) / CACHED + (last - once)) / target.costs.far
}

/// Bytes that a work-item keeps, to compute with one part while others are on their way.
const MUCH: f64 = 64.0;

fn of_launch(plan: &Plan, launch: &Launch, target: &Target, times: f64) -> f64 {
    let Target { hierarchy, costs, .. } = target;
    let units = hierarchy.units as f64;
    let work = Estimate::of(plan, launch, target);
    let items: f64 = launch.global().iter().map(|n| *n as f64).product();
    let group: f64 = match launch.group {
        Some(group) => group.iter().map(|n| *n as f64).product(),
        None => (costs.busy / 4.0).max(1.0).min(items),
    };
    let private = work.private + work.shared_out / group;
    // Work-items that run as one take as long as a full set of them, even where a group does not fill the last set.
    let together = (hierarchy.together as f64).min(items);
    let taken = (group / together).ceil() * together;
    // As many groups of a unit at the same time as registers allow, and as there are.
    let groups = items / group / units;
    let resident = (costs.registers / private.min(costs.most_registers)).min(costs.resident);
    let at_once = (resident / taken).floor().min(groups.ceil()).max(1.0);
    // Units that have one group less than others wait for these.
    let even = groups / groups.ceil();
    // What comes from local memory comes soon: where a work-item computes much from that at a time, fewer are busy.
    let alone = if work.barriers > 0.0 { (private / MUCH).clamp(1.0, 4.0) } else { 1.0 };
    let hidden = ((at_once * taken).min(resident) * alone / costs.busy).clamp(0.05, 1.0);
    let spilled = 1.0 + 3.0 * (private / costs.most_registers - 1.0).clamp(0.0, 8.0);
    let instructions = work.instructions * spilled + work.barriers * items * costs.barrier;
    let in_a_second = costs.issue * units * even * hidden;
    let linked = work.chain * costs.latency / (units * even);
    let computing = (instructions * (taken / group) / in_a_second).max(linked);
    let gathering = work.gathering / in_a_second;
    let near = work.near / (costs.near * units * even);
    let once: f64 = launch.arrays.iter().map(|id| from_afar(plan.buffers[id.0].bytes() as f64, target)).sum();
    let far = once + anew(plan, launch, target);
    let turns = (groups / at_once).ceil();
    let waiting = work.barriers * turns * costs.wait;
    let answered = work.answers * turns * costs.answer;
    let all = [computing * times + gathering, near * times, far, waiting * times, answered];
    let longest = all.into_iter().fold(0.0, f64::max);
    costs.launch + longest + 0.25 * (all.into_iter().sum::<f64>() - longest)
}
