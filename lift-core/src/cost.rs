//! How long a plan takes, roughly: good enough to say which of two forms of a program to try first.
//!
//! Everything is counted on the kernel tree: instructions, bytes from near and far memory, registers,
//! work-items. A [`Machine`] says what of that a device does in a second. The longest of computing,
//! near memory and far memory counts in full, the others a quarter, since they overlap but not quite.

use crate::kernel::{Array, Expr, Kernel, Launch, Parallel, Plan, Space, Stmt};
use crate::nat::{Nat, Var};

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
    /// Bytes of registers of a unit, and the most that one work-item gets.
    pub registers: f64,
    pub most_registers: f64,
    /// Bytes in a second from local memory or the nearest cache, for each unit.
    pub near: f64,
    /// Bytes in a second from the device's memory.
    pub far: f64,
    /// Neighbouring work-items that run as one: their reads of neighbouring elements are one read.
    pub together: f64,
    /// Seconds to start a kernel.
    pub launch: f64,
}

impl Machine {
    /// A processor with so many threads and vectors of so many bytes.
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
            together: 1.0,
            launch: 1e-5,
        }
    }

    /// A graphics processor with so many compute units.
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
            together: 32.0,
            launch: 4e-6,
        }
    }
}

/// Seconds that a plan takes.
pub fn seconds(plan: &Plan, machine: &Machine) -> f64 {
    plan.launches.iter().map(|launch| of_launch(plan, launch, machine)).sum()
}

/// Operations of scalars in one launch of a kernel, every loop carried out in full.
pub fn operations(plan: &Plan, kernel: &Kernel) -> f64 {
    count(plan, kernel, 0.0, 1.0).instructions
}

fn of_launch(plan: &Plan, launch: &Launch, machine: &Machine) -> f64 {
    let kernel = &plan.kernels[launch.kernel];
    let work = count(plan, kernel, machine.width, machine.together);
    let items: f64 = launch.global().iter().map(|n| *n as f64).product();
    let group: f64 = launch.group.map_or(1.0, |g| g.iter().map(|n| *n as f64).product());
    let private = work.private + work.shared_out / group;
    // The last wave of groups leaves units idle.
    let tasks = items / group.max((machine.busy / 4.0).min(items)).max(1.0);
    let waves = tasks / machine.units;
    let even = waves / waves.ceil().max(1.0);
    let resident = (machine.registers / private.max(128.0)).min(2048.0);
    let hidden = (resident / machine.busy).clamp(0.05, 1.0);
    let spilled = 1.0 + 3.0 * (private / machine.most_registers - 1.0).clamp(0.0, 8.0);
    // Work-items that run together wait for each other, also for those that a group lacks.
    let lanes = machine.together.min(items);
    let idle = if launch.group.is_some() { (group / lanes).ceil() * lanes / group } else { 1.0 };
    let computing = work.instructions * spilled * idle / (machine.issue * machine.units * even * hidden);
    let near = work.near / (machine.near * machine.units * even);
    let far = launch.arrays.iter().map(|id| plan.buffers[id.0].bytes() as f64).sum::<f64>() / machine.far;
    let longest = computing.max(near).max(far);
    machine.launch + longest + 0.25 * (computing + near + far - longest)
}

/// What a launch of a kernel does, all work-items together.
#[derive(Default)]
struct Work {
    instructions: f64,
    /// Bytes read from and written to memory that is not private, as near memory sees them.
    near: f64,
    /// Bytes that a work-item keeps for itself, and bytes that a group shares out.
    private: f64,
    shared_out: f64,
}

struct Counter<'a> {
    plan: &'a Plan,
    width: f64,
    together: f64,
    /// The loop whose neighbouring iterations are neighbouring work-items.
    lane: Option<Var>,
    work: Work,
}

/// A width of 0 counts scalars.
fn count(plan: &Plan, kernel: &Kernel, width: f64, together: f64) -> Work {
    let mut counter = Counter { plan, width, together, lane: None, work: Work::default() };
    counter.block(&kernel.body, 1.0);
    counter.work
}

impl Counter<'_> {
    fn block(&mut self, body: &[Stmt], times: f64) {
        for stmt in body {
            stmt.exprs().into_iter().for_each(|e| self.expr(e, times));
            match stmt {
                Stmt::Array(array, _) => self.array(array),
                Stmt::Store(array, index, value) => self.access(array, index, value.width(), times),
                Stmt::Loop { var, extent, parallel, body } => {
                    let trips = self.trips(extent);
                    if matches!(parallel, Parallel::Global(0) | Parallel::Local(0)) {
                        self.lane = Some(var.clone());
                    }
                    // A loop counts; work-items do not.
                    let counting = if *parallel == Parallel::Sequential { times * trips } else { 0.0 };
                    self.work.instructions += counting;
                    self.block(body, times * trips);
                }
                Stmt::If(_, then, otherwise) => {
                    self.block(then, times);
                    self.block(otherwise, times);
                }
                // All wait for the slowest.
                Stmt::Barrier(_) => self.work.instructions += 8.0 * times,
                // Constants come and go; what is assigned to stays.
                Stmt::Declare { local, mutable: true, .. } => {
                    self.work.private += f64::from(local.width) * local.scalar.bytes() as f64;
                }
                Stmt::Comment(_) | Stmt::Declare { .. } | Stmt::Assign(..) => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr, times: f64) {
        match e {
            Expr::Load(array, index, width) => self.access(array, index, *width, times),
            Expr::Op(..) | Expr::Cast(..) | Expr::Select(..) | Expr::Test(_) => {
                self.work.instructions += times * self.instructions(e.width(), e.scalar().bytes());
            }
            _ => {}
        }
        e.children().into_iter().for_each(|child| self.expr(child, times));
    }

    fn access(&mut self, array: &Array, index: &Nat, width: u8, times: f64) {
        if !matches!(array.space, Space::Global | Space::Local) {
            return;
        }
        self.work.instructions += times * self.instructions(width, array.scalar.bytes());
        let bytes = usize::from(width) * array.scalar.bytes();
        self.work.near += times * bytes as f64 * self.scatter(array, index, width);
    }

    /// How much more than the bytes themselves are moved: less if work-items read the same, more if
    /// they read far apart.
    fn scatter(&self, array: &Array, index: &Nat, width: u8) -> f64 {
        let Some(lane) = self.lane.as_ref().filter(|_| self.together > 1.0) else { return 1.0 };
        let stride = index.linear_in(lane).and_then(|(factor, _)| factor.eval(&|v| self.size(v)).ok());
        let apart = stride.map_or(4.0, |s| s.unsigned_abs() as f64) / f64::from(width);
        match array.space {
            // All banks answer at once.
            Space::Local => {
                if apart == 0.0 {
                    0.25
                } else {
                    1.0
                }
            }
            _ => apart.clamp(1.0 / self.together, self.together / 4.0),
        }
    }

    fn array(&mut self, array: &Array) {
        let scalars = array.length.eval(&|v| self.size(v)).unwrap_or(0) as f64 * f64::from(array.width);
        let bytes = scalars * array.scalar.bytes() as f64;
        match array.space {
            Space::Private => self.work.private += bytes,
            Space::Items => self.work.shared_out += bytes,
            Space::Global | Space::Local | Space::Constant => {}
        }
    }

    fn instructions(&self, width: u8, bytes: usize) -> f64 {
        let scalars = f64::from(width);
        if self.width == 0.0 { scalars } else { (scalars * bytes as f64 / self.width).ceil().max(1.0) }
    }

    /// Iterations of a loop; a guess where they depend on another loop's.
    fn trips(&self, extent: &Nat) -> f64 {
        const GUESS: f64 = 8.0;
        extent.eval(&|v| self.size(v)).map_or(GUESS, |n| n.max(0) as f64)
    }

    fn size(&self, var: &Var) -> Option<i64> {
        self.plan.sizes.iter().find(|(v, _)| v == var).map(|(_, value)| *value)
    }
}
