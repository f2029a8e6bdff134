//! How long a plan takes, roughly: good enough to say which of two forms of a program to try first.
//!
//! Everything is counted on the kernel tree: instructions, bytes from near and far memory, registers,
//! work-items, barriers. A [`Machine`] says what of that a device does in a second. The longest of computing,
//! near memory, far memory and waiting at barriers counts in full, the others a quarter, since they overlap but
//! not quite.

mod estimate;

use crate::kernel::{Kernel, Launch, Plan};
use estimate::Estimate;

/// What a device does, by orders of magnitude.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// Cores, or a GPU's compute units.
    pub units: f64,
    /// Bytes that one instruction of a work-item computes with.
    pub width: f64,
    /// Instructions of a unit in a second, all its work-items together.
    pub issue: f64,
    /// Work-items that a unit needs to be busy.
    pub busy: f64,
    /// Bytes of registers that a unit shares out among its work-items.
    pub registers: f64,
    /// Bytes of registers that one work-item gets at most: the rest is spilled.
    pub most_registers: f64,
    /// Bytes in a second from local memory or the nearest cache, for each unit.
    pub near: f64,
    /// Bytes in a second from the device's memory.
    pub far: f64,
    /// Neighbouring work-items that run as one: near memory answers them together.
    pub together: usize,
    /// Instructions of each work-item to go on behind a barrier.
    pub barrier: f64,
    /// Seconds for which a group waits at one if there is nothing else to do.
    pub wait: f64,
    /// Seconds to start a kernel.
    pub launch: f64,
}

impl Machine {
    /// A processor with this many threads, and vectors of `vector` bytes.
    pub fn processor(threads: usize, vector: usize) -> Machine {
        // Where vectors are long there are twice as many of them (AVX-512). Some of what a kernel keeps is
        // never there at the same time.
        let registers = (vector * if vector >= 64 { 32 } else { 16 }) as f64 * 1.25;
        Machine {
            units: threads.max(1) as f64,
            width: vector.max(4) as f64,
            issue: 6e9,
            busy: 1.0,
            registers,
            most_registers: registers,
            near: 1e11,
            far: 2e10,
            together: 1,
            // Its work-items are a loop between barriers, and keep in memory what they need behind one.
            barrier: 8.0,
            wait: 0.0,
            launch: 1e-5,
        }
    }

    /// A graphics processor with this many compute units.
    pub fn graphics(units: usize) -> Machine {
        Machine {
            units: units.max(1) as f64,
            width: 4.0,
            issue: 2e11,
            busy: 512.0,
            registers: 262_144.0,
            most_registers: 1020.0,
            near: 2e11,
            far: 1e12,
            together: 32,
            barrier: 1.0,
            wait: 5e-7,
            launch: 4e-6,
        }
    }
}

/// Seconds that a run of a plan takes, without what is prepared once.
pub fn seconds(plan: &Plan, machine: &Machine) -> f64 {
    let prepares = plan.memory().prepares;
    let every_run = plan.launches.iter().zip(prepares).filter(|(_, prepares)| !prepares);
    every_run.map(|(launch, _)| of_launch(plan, launch, machine)).sum()
}

/// Operations of scalars in a run of a plan.
pub fn total(plan: &Plan) -> f64 {
    plan.launches.iter().map(|launch| operations(plan, &plan.kernels[launch.kernel])).sum()
}

/// Operations of scalars in one launch of a kernel, every loop carried out in full.
pub fn operations(plan: &Plan, kernel: &Kernel) -> f64 {
    Estimate::operations(plan, kernel).instructions
}

/// Bytes that a work-item keeps, to compute with one part while others are on their way.
const MUCH: f64 = 64.0;

fn of_launch(plan: &Plan, launch: &Launch, machine: &Machine) -> f64 {
    let work = Estimate::of(plan, launch, machine);
    let items: f64 = launch.global().iter().map(|n| *n as f64).product();
    let group: f64 = match launch.group {
        Some(group) => group.iter().map(|n| *n as f64).product(),
        None => (machine.busy / 4.0).max(1.0).min(items),
    };
    let private = work.private + work.shared_out / group;
    // Work-items that run as one take as long as a full set of them, even where a group does not fill the last set.
    let together = (machine.together as f64).min(items);
    let taken = (group / together).ceil() * together;
    // As many groups of a unit at the same time as registers allow, and as there are.
    let groups = items / group / machine.units;
    let resident = (machine.registers / private.max(128.0).min(machine.most_registers)).min(2048.0);
    let at_once = (resident / taken).floor().min(groups.ceil()).max(1.0);
    // Units that have one group less than others wait for these.
    let even = groups / groups.ceil();
    // What comes from local memory comes soon: where a work-item computes much from that at a time, fewer are busy.
    let alone = if work.barriers > 0.0 { (private / MUCH).clamp(1.0, 4.0) } else { 1.0 };
    let hidden = ((at_once * taken).min(resident) * alone / machine.busy).clamp(0.05, 1.0);
    let spilled = 1.0 + 3.0 * (private / machine.most_registers - 1.0).clamp(0.0, 8.0);
    let instructions = work.instructions * spilled + work.barriers * items * machine.barrier;
    let computing = instructions * (taken / group) / (machine.issue * machine.units * even * hidden);
    let near = work.near / (machine.near * machine.units * even);
    let far = launch.arrays.iter().map(|id| plan.buffers[id.0].bytes() as f64).sum::<f64>() / machine.far;
    let waiting = work.barriers * (groups / at_once).ceil() * machine.wait;
    let all = [computing, near, far, waiting];
    let longest = all.into_iter().fold(0.0, f64::max);
    machine.launch + longest + 0.25 * (all.into_iter().sum::<f64>() - longest)
}
