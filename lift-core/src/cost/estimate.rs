//! What a launch asks of a device, estimated from its kernel's tree: a number for each resource that may be the one
//! that it waits for. It differs from [`crate::kernel::Work`], which counts what is written, in all that a device and its
//! compiler do with that; so the two share no numbers, and only the walk over the tree.

use super::operators::instructions_of;
use super::registers::{SPILLED, assigned, loaded, register, spreads};
use crate::generate::MOST_REGISTERS;
use crate::kernel::{
    Array, ArrayId, Change, Expr, Kernel, Launch, Local, LocalId, Module, Parallel, Plan, Space, Stmt,
};
use crate::nat::{Condition, Nat, Var};
use crate::scalar::Op;
use crate::target::{Class, Target};
use std::collections::{BTreeSet, HashSet};

/// What a launch of a kernel asks of a device, all work-items together.
#[derive(Default)]
pub(super) struct Estimate {
    /// Scalar or vector instructions of all work-items.
    pub instructions: f64,
    /// Instructions to put vectors together lane by lane.
    pub gathering: f64,
    /// Bytes read from and written to memory that is not private, as near memory sees them.
    pub near: f64,
    /// Operations that wait for each other, of all work-items one after the other: the longest chain of those in which
    /// each link needs the one before.
    pub chain: f64,
    /// Answers of far memory that a GPU's work-item waits for, one after the other.
    pub answers: f64,
    /// Of one group.
    pub barriers: f64,
    /// Bytes that a work-item keeps for itself, and bytes that a group shares out.
    pub private: f64,
    pub shared_out: f64,
}

/// At most this many scalars, or vectors of a processor, does a compiler keep in registers from one iteration to the next: as many as
/// fit the registers of any device beside what a work-item computes.
const FEW: f64 = 32.0;

/// Instructions for each lane of a vector that is put together: to load it and to put it in its place; and where the lines
/// that the lanes are in do not stay in the first cache until the next iteration reads on in them. Between those of a
/// product of two matrices by rows, 256³ and 512³, measured on a processor with AVX-512.
const GATHERED: f64 = 2.0;
const GATHERED_FROM_AFAR: f64 = 6.0;
/// Instructions for each lane of a vector that is stored by itself: to take it out of the vector and to store it. Fitted to
/// grouped convolutions of 1 × 1 whose channels come first, on a processor with AVX-512.
const STORED_APART: f64 = 2.0;

/// Instructions that a line takes the time of, where it is so far from the last and the first cache has lost it since it was
/// read before: if the second cache still has it, if that has lost it as well, and if no cache has room for the array. From a
/// convolution of 1 × 1 over 256 channels 12544 bytes apart; from products of 1024³ with one factor's columns 4096 bytes apart, and
/// of 64 × 4096 by 4096² with rows of 256 bytes 16384 bytes apart; and from a matrix of 4096² times a vector, by columns, 256 and
/// 2048 of them at a time. Measured on a processor with AVX-512.
const STEPPED: f64 = 4.0;
const STEPPED_FAR: f64 = 24.0;
const STEPPED_IN_MEMORY: f64 = 96.0;

/// Links of a chain that a processor waits for while it goes on with another: as many as its instructions in flight hold.
const OVERLAPPED: f64 = 64.0;

/// Iterations that compilers unroll at most, so that the loop around them is the innermost: of several loops in each other,
/// and of one (GCC's `max-completely-peel-times`).
const UNROLLED: f64 = 32.0;
const PEELED: f64 = 16.0;

/// Instructions that compilers write a loop out in at most (GCC's `max-completely-peeled-insns`), and those of a lane that is
/// put into a vector as compilers count them.
const WRITTEN_OUT: f64 = 200.0;
const OF_LANE: f64 = 4.0;

/// Instructions for each lane of a vector that is kept in memory since it is wider than registers: to load, compute and
/// store it alone. Measured with GCC 12 for AVX2, where forms with vectors of 64 bytes take 7 to 22 times as long as with 32.
const SCATTERED: f64 = 2.0;

/// Instructions that a guard of one comparison takes the time of, and for each of several: a processor does such work beside that with
/// vectors, but several take jumps. From convolutions of 3 × 3 whose borders are guarded, along one dimension and along two, or padded,
/// measured on a processor with AVX-512.
const BESIDE: f64 = 0.2;
const COMPARED: f64 = 0.5;

/// Instructions of a processor for the larger or smaller of two floats of which either may be NaN: to choose, to compare the second
/// with itself, and to choose again.
const NAN_SEEN: f64 = 3.0;

/// Instructions to halve a vector and add up the halves, as often as it takes to make one sum of its lanes.
const HALVED: f64 = 2.0;

impl Estimate {
    pub fn of(plan: &Plan, launch: &Launch, target: &Target) -> Estimate {
        let [x, y, z] = launch.group.unwrap_or(launch.global()).map(|n| n.max(1));
        let all = (0..x.saturating_mul(y).saturating_mul(z)).map(|n| [n % x, n / x % y, n / x / y]);
        let lanes = all.take(target.hierarchy.together).map(|lane| lane.map(|n| n as i64)).collect();
        let module = &plan.modules[launch.module];
        let counter = Counter { target: Some(target), lanes, ..Counter::new(module) };
        counter.counted(&module.kernels[launch.kernel])
    }

    /// Every operation as it stands, on scalars.
    pub fn operations(module: &Module, kernel: &Kernel) -> Estimate {
        Counter::new(module).counted(kernel)
    }
}

/// Values of variables.
type Values<'a> = dyn Fn(&Var) -> Option<i64> + 'a;

pub(super) struct Counter<'a> {
    module: &'a Module,
    /// Without one, operations of scalars are counted.
    pub(super) target: Option<&'a Target>,
    /// Where work-items that run together are in dimensions 0 to 2.
    pub(super) lanes: Vec<[i64; 3]>,
    pub(super) around: Vec<Around>,
    /// The work-items of the launch in each dimension that no loop around the current place goes over.
    apart: [f64; 3],
    /// So many iterations of the loop around the current place are one, with vectors.
    at_once: f64,
    /// The loop around the current place, if what it reads on in does not stay in the first cache.
    crowded: Option<Var>,
    /// Variables, and how many loops are around each.
    declared: Vec<(LocalId, usize)>,
    /// The vectors that are put together lane by lane in the block around the current place.
    gathered: Vec<Expr>,
    /// What is loaded there: a processor's compiler loads it once for all that compute with it.
    loaded: HashSet<(ArrayId, Nat, u8)>,
    /// Bytes of the arrays of the blocks around the current place that a processor's work-item has in registers.
    held: f64,
    estimate: Estimate,
}

/// A loop around what is counted.
pub(super) struct Around {
    pub(super) var: Var,
    trips: f64,
    /// So many of them are one, with vectors.
    at_once: f64,
    pub(super) parallel: Parallel,
    /// What is written in it; `None` if more may be, by other work-items.
    written: Option<HashSet<ArrayId>>,
}

impl Around {
    /// One of which nothing is written.
    pub(super) fn of(var: Var, trips: f64, parallel: Parallel) -> Around {
        Around { var, trips, at_once: 1.0, parallel, written: None }
    }
}

fn written(body: &[Stmt]) -> Option<HashSet<ArrayId>> {
    let mut written = Some(HashSet::new());
    let mut see = |stmt: &Stmt| match stmt {
        Stmt::Store(array, ..) => written.iter_mut().for_each(|written| written.extend([array.id])),
        Stmt::Barrier(_) => written = None,
        _ => {}
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    written
}

/// What is assigned to in a loop, and read there for more than the next assignment: each iteration waits for the one
/// before.
fn carried(body: &[Stmt]) -> HashSet<LocalId> {
    let (mut declared, mut assigned, mut read) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut see = |stmt: &Stmt| {
        let own = match stmt {
            Stmt::Declare { local, .. } => {
                declared.insert(local.id);
                None
            }
            Stmt::Assign(local, _) => {
                assigned.insert(local.id);
                Some(local.id)
            }
            Stmt::Comment(_)
            | Stmt::Array(..)
            | Stmt::Store(..)
            | Stmt::Soon(..)
            | Stmt::Barrier(_)
            | Stmt::Loop { .. }
            | Stmt::If(..) => None,
        };
        if let Some(e) = stmt.expr() {
            e.visit(&mut |e| match e {
                Expr::Local(local) if Some(local.id) != own => _ = read.insert(local.id),
                _ => {}
            });
        }
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    assigned.into_iter().filter(|id| read.contains(id) && !declared.contains(id)).collect()
}

/// What a loop assigns to that is declared around it: sums, of which each iteration adds a term.
fn carried_over(body: &[Stmt]) -> HashSet<LocalId> {
    let (mut declared, mut assigned) = (HashSet::new(), HashSet::new());
    let mut see = |stmt: &Stmt| match stmt {
        Stmt::Declare { local, .. } => _ = declared.insert(local.id),
        Stmt::Assign(local, _) => _ = assigned.insert(local.id),
        Stmt::Comment(_)
        | Stmt::Array(..)
        | Stmt::Store(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::Loop { .. }
        | Stmt::If(..) => {}
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    &assigned - &declared
}

impl<'a> Counter<'a> {
    pub(super) fn new(module: &'a Module) -> Counter<'a> {
        Counter {
            module,
            target: None,
            lanes: vec![],
            around: vec![],
            apart: [1.0; 3],
            at_once: 1.0,
            crowded: None,
            declared: vec![],
            gathered: vec![],
            loaded: HashSet::new(),
            held: 0.0,
            estimate: Estimate::default(),
        }
    }

    pub(super) fn processor(&self) -> Option<&'a Target> {
        self.target.filter(|target| target.family.class() == Class::Processor)
    }

    fn counted(mut self, kernel: &Kernel) -> Estimate {
        if kernel.group.is_none() {
            self.apart = [0, 1, 2].map(|d| self.trips(&kernel.grid[d]));
        }
        self.block(&kernel.body, 1.0);
        if self.target.is_some() && self.processor().is_none() {
            self.estimate.answers = self.answers(&kernel.body);
        }
        self.estimate
    }

    fn block(&mut self, body: &[Stmt], times: f64) {
        let outer = (std::mem::take(&mut self.gathered), std::mem::take(&mut self.loaded), self.held);
        for stmt in body {
            // What stands before a loop over work-items each of them does.
            let apart = self.apart;
            let mut times = times;
            if apart != [1.0; 3] && !stmt.is_over_items() {
                times *= apart.into_iter().product::<f64>();
                self.apart = [1.0; 3];
            }
            stmt.expr().into_iter().for_each(|e| self.expr(e, times));
            match stmt {
                Stmt::Array(array, _) => self.array(array),
                Stmt::Store(array, index, value) => {
                    self.loaded.retain(|(id, ..)| *id != array.id);
                    self.access(array, index, value.width(), times);
                    if value.is_lane_of_variable() && self.processor().is_some() {
                        self.estimate.gathering += times * STORED_APART;
                    }
                }
                Stmt::Loop { var, extent, parallel, body } => {
                    let trips = self.trips(extent);
                    // A loop counts; work-items do not.
                    let sequential = *parallel == Parallel::Sequential;
                    let written = if sequential { written(body) } else { None };
                    // Neighbouring work-items are a loop on a processor.
                    let is_loop = sequential || *parallel == Parallel::Global(0);
                    let at_once = if is_loop { self.vectorised(var, trips, body) } else { 1.0 };
                    let crowded = if is_loop && self.crowded(var, body) { Some(var.clone()) } else { None };
                    self.around.push(Around {
                        var: var.clone(),
                        trips,
                        at_once,
                        parallel: *parallel,
                        written,
                    });
                    let counts = sequential && !self.is_peeled(trips, body);
                    self.estimate.instructions += if counts { times * trips / at_once } else { 0.0 };
                    if is_loop {
                        let lines = self.far_steps(var, trips, body);
                        let each = STEPPED * lines.second
                            + STEPPED_FAR * lines.last
                            + STEPPED_IN_MEMORY * lines.memory;
                        self.estimate.gathering += times * trips * each;
                    }
                    if sequential && self.processor().is_some() {
                        self.estimate.private = self.estimate.private.max(self.held + assigned(body));
                    }
                    if at_once > 1.0 {
                        let sums = carried_over(body).len() as f64;
                        self.estimate.instructions += times * sums * HALVED * at_once.log2();
                    }
                    if let Parallel::Global(d) = parallel {
                        self.apart[usize::from(*d)] = 1.0;
                    }
                    let outer = (self.at_once, self.crowded.take());
                    (self.at_once, self.crowded) = (at_once, crowded);
                    let before = self.estimate.instructions;
                    self.block(body, times * trips / at_once);
                    if sequential && self.spills(body) {
                        self.estimate.instructions += (SPILLED - 1.0) * (self.estimate.instructions - before);
                    }
                    (self.at_once, self.crowded) = outer;
                    self.around.pop();
                }
                Stmt::If(condition, then, otherwise) => {
                    let [of_then, of_otherwise] = self.taken(condition);
                    self.block(then, times * of_then);
                    self.block(otherwise, times * of_otherwise);
                }
                Stmt::Soon(..) => self.estimate.instructions += times,
                Stmt::Barrier(_) => {
                    let again = self.around.iter().filter(|around| around.parallel == Parallel::Sequential);
                    self.estimate.barriers += again.map(|around| around.trips).product::<f64>();
                }
                // Constants come and go; what is assigned to stays: on a processor for as long as a loop assigns to it.
                Stmt::Declare { local, change: Change::Freely | Change::Reduction, .. } => {
                    self.declared.push((local.id, self.around.len()));
                    if self.processor().is_none() {
                        self.estimate.private += register(local);
                    }
                }
                Stmt::Assign(local, value) => self.link(local, value),
                Stmt::Comment(_) | Stmt::Declare { change: Change::Never, .. } => {}
            }
            self.apart = apart;
        }
        (self.gathered, self.loaded, self.held) = outer;
    }

    fn expr(&mut self, e: &Expr, times: f64) {
        let fused = e.multiply_add().filter(|_| self.target.is_some() && !self.module.strict);
        if let Some(operands) = fused {
            self.estimate.instructions += times * self.instructions(e.width(), e.scalar().bytes());
            return operands.into_iter().for_each(|operand| self.expr(operand, times));
        }
        match e {
            Expr::Load(array, index, width) => {
                let once = self.processor().is_some();
                if once && !self.loaded.insert((array.id, index.clone(), *width)) {
                    return;
                }
                self.access(array, index, *width, times / self.kept(array, index, *width));
            }
            Expr::Op(op, ..) => {
                let each = if self.target.is_some() { instructions_of(*op) } else { 1.0 };
                let each = if self.sees_to_nan(e) { NAN_SEEN } else { each };
                self.estimate.instructions += times * each * self.instructions(e.width(), e.scalar().bytes());
            }
            Expr::Select(condition, then, otherwise) if e.width() == 1 && self.processor().is_some() => {
                self.guarded(condition, [&**then, &**otherwise], times);
                return;
            }
            Expr::Test(_) if e.width() == 1 && self.processor().is_some() => {
                self.estimate.instructions += times * BESIDE;
            }
            Expr::Cast(..) | Expr::Select(..) | Expr::Test(_) => {
                self.estimate.instructions += times * self.instructions(e.width(), e.scalar().bytes());
            }
            // Lanes of vectors in another order are one instruction.
            Expr::Lanes(parts) if parts.iter().all(Expr::is_lane_of_variable) => {
                self.estimate.instructions += times * self.instructions(e.width(), e.scalar().bytes());
                return;
            }
            // Where vectors are registers, scalars are loaded and put into one lane by lane: once for all that compute
            // with it in a block.
            Expr::Lanes(parts) if self.processor().is_some() => {
                if !self.gathered.contains(e) {
                    self.gathered.push(e.clone());
                    let lanes = parts.len() as f64;
                    let read =
                        lanes * e.scalar().bytes() as f64 * self.around.last().map_or(1.0, |l| l.trips);
                    let first_cache = self.first_cache();
                    let of_lane = if read < first_cache { GATHERED } else { GATHERED_FROM_AFAR };
                    self.estimate.gathering += times * of_lane * lanes / self.put_together(parts);
                }
                return;
            }
            _ => {}
        }
        e.children().into_iter().for_each(|child| self.expr(child, times));
    }

    /// A choice of scalars on a processor: what a guard keeps from being loaded is guarded once for all that compute with it in a
    /// block.
    fn guarded(&mut self, condition: &Expr, branches: [&Expr; 2], times: f64) {
        let mut load = None;
        let mut see = |e: &Expr| {
            if let Expr::Load(array, index, width) = e {
                load = Some((array.clone(), index.clone(), *width));
            }
        };
        branches.iter().for_each(|branch| branch.visit(&mut see));
        let once = match load {
            Some((array, index, width)) if self.loaded.contains(&(array.id, index.clone(), width)) => return,
            Some((array, index, width)) => self.kept(&array, &index, width),
            None => 1.0,
        };
        match condition {
            Expr::Test(condition) => {
                // Compilers drop tests that hold for every value of a loop's variable.
                let open = condition.conjuncts().into_iter().filter(|one| !self.always(one));
                let each = match open.map(Condition::comparisons).sum() {
                    0 => 0.0,
                    1 => BESIDE,
                    several => COMPARED * several as f64,
                };
                self.estimate.instructions += times * each / once;
            }
            other => self.expr(other, times),
        }
        branches.into_iter().for_each(|branch| self.expr(branch, times));
    }

    /// How many times what is loaded is used: iterations that want the same elements have them in registers, while these
    /// are few.
    fn kept(&self, array: &Array, index: &Nat, width: u8) -> f64 {
        let registers = || self.instructions(width, array.scalar.bytes());
        let each = if self.processor().is_some() { registers() } else { f64::from(width) };
        let (mut kept, mut times) = (each, 1.0);
        for around in self.around.iter().rev().filter(|_| self.target.is_some()) {
            let unchanged = around.written.as_ref().is_some_and(|written| !written.contains(&array.id));
            if !unchanged || kept > FEW {
                break;
            }
            *(if index.contains(&around.var) { &mut kept } else { &mut times }) *= around.trips.max(1.0);
        }
        times
    }

    /// How many times a vector is used whose lanes are loaded one by one. It stays in a register where the innermost loop is
    /// written out.
    fn put_together(&self, lanes: &[Expr]) -> f64 {
        let innermost = self.around.last().map_or(1.0, |around| around.trips);
        if innermost * lanes.len() as f64 * OF_LANE > WRITTEN_OUT {
            return 1.0;
        }
        let kept = lanes.iter().map(|lane| match lane {
            Expr::Load(array, index, _) => self.kept(array, index, lanes.len() as u8),
            _ => 1.0,
        });
        kept.reduce(f64::min).unwrap_or(1.0)
    }

    /// What is assigned waits for what was before, if it is computed from that. Of short chains a processor computes several
    /// at the same time.
    fn link(&mut self, local: &Local, value: &Expr) {
        let mut waits = false;
        value.visit(&mut |e| waits |= matches!(e, Expr::Local(before) if before.id == local.id));
        let declared = self.declared.iter().rfind(|(id, _)| *id == local.id);
        let Some((_, depth)) = declared.filter(|_| waits) else { return };
        let links = |around: &[Around]| around.iter().map(|l| l.trips / l.at_once).product::<f64>();
        if links(&self.around[*depth..]) > OVERLAPPED {
            self.estimate.chain = self.estimate.chain.max(links(&self.around));
        }
    }

    /// Is an array in memory? A private one is, if it is too large for registers.
    fn in_memory(&self, array: &Array) -> bool {
        match array.space {
            Space::Global | Space::Local => true,
            Space::Private => {
                let room = self.processor().map_or(f64::INFINITY, |target| target.costs.most_registers);
                let length = array.length.eval(&|v| self.size(v)).unwrap_or(0);
                length > MOST_REGISTERS as i64 || self.bytes(array) > room
            }
            Space::Items | Space::Constant => false,
        }
    }

    /// Does an innermost loop need more registers than a processor has, for its sums and what it adds to them?
    fn spills(&self, body: &[Stmt]) -> bool {
        let Some(Target { costs, .. }) = self.processor() else { return false };
        let sums = assigned(body);
        let scalar = if spreads(body) { costs.broadcast } else { 0.0 };
        sums > 0.0 && sums + loaded(body) + scalar > costs.in_a_loop
    }

    pub(super) fn bytes(&self, array: &Array) -> f64 {
        let elements = array.length.eval(&|v| self.size(v)).unwrap_or(0) as f64;
        elements * f64::from(array.width) * array.scalar.bytes() as f64
    }

    fn access(&mut self, array: &Array, index: &Nat, width: u8, times: f64) {
        if !self.in_memory(array) {
            return;
        }
        let bytes = usize::from(width) * array.scalar.bytes();
        let at_once = self.target.map(|target| (target.hierarchy.vector as f64).max(target.costs.load));
        self.estimate.instructions +=
            times * at_once.map_or(f64::from(width), |most| (bytes as f64 / most).ceil());
        let lost = self.crowded.as_ref().filter(|var| self.reads_on(array, index, var));
        let moved = if lost.is_some() { self.line() as f64 } else { self.moved(array, index, bytes) };
        self.estimate.near += times * self.at_once * moved;
    }

    /// How many iterations of a loop a compiler makes one of, with vectors: those of a loop over neighbouring elements that
    /// contains no loops but such as are unrolled. Terms of sums may be taken in any order unless the program says that they
    /// may not.
    fn vectorised(&self, var: &Var, trips: f64, body: &[Stmt]) -> f64 {
        let Some(Target { hierarchy, costs, features, .. }) = self.processor() else { return 1.0 };
        let width = hierarchy.vector as f64;
        // Elements that are next to each other, or the same one for all.
        let beside = |index: &Nat| -> Option<i64> {
            let step = index.slope(var, &|v| self.size(v));
            step.filter(|k| (0..=1).contains(k))
        };
        let (mut fits, mut bytes, mut sums, mut unrolled) = (true, 1, 0, 1.0);
        let carried = carried(body);
        let mut see = |stmt: &Stmt| {
            fits &= match stmt {
                Stmt::Store(array, index, value) => {
                    bytes = bytes.max(array.scalar.bytes());
                    value.width() == 1 && array.width == 1 && beside(index) == Some(1)
                }
                Stmt::Assign(local, _) => {
                    sums += 1;
                    local.width == 1 && !self.module.strict && !carried.contains(&local.id)
                }
                Stmt::Loop { extent, parallel, .. } => {
                    let trips = self.trips(extent);
                    unrolled *= trips;
                    let short = trips <= PEELED && unrolled <= UNROLLED && features.vector_sums;
                    trips <= 1.0 || *parallel == Parallel::Sequential && short
                }
                Stmt::Barrier(_) | Stmt::Soon(..) | Stmt::Array(..) => false,
                Stmt::Comment(_) | Stmt::Declare { .. } | Stmt::If(..) => true,
            };
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| match e {
                    Expr::Load(array, index, width) => {
                        bytes = bytes.max(array.scalar.bytes());
                        fits &= *width == 1 && array.width == 1 && beside(index).is_some();
                    }
                    Expr::Select(_, then, otherwise) => {
                        fits &= !then.loads_scalars() && !otherwise.loads_scalars();
                    }
                    _ => {}
                });
            }
        };
        body.iter().for_each(|stmt| stmt.visit(&mut see));
        // What is added to is as many vectors.
        let room = f64::from(sums) * width <= costs.most_registers;
        let may = features.vector_sums || carried_over(body).is_empty();
        if !(fits && room && may) {
            return 1.0;
        }
        // The rest are scalars; of a loop that is written out, shorter and shorter vectors.
        let lanes = width / bytes as f64;
        let rest = trips % lanes;
        let written_out = sums == 0 && self.is_peeled(trips, body);
        let rest = if written_out { f64::from((rest as u32).count_ones()) } else { rest };
        trips / ((trips / lanes).floor() + rest).max(1.0)
    }

    /// Does a processor's compiler write a loop's iterations out, one after the other?
    fn is_peeled(&self, trips: f64, body: &[Stmt]) -> bool {
        let (mut all, mut short) = (trips, trips <= PEELED);
        let mut see = |stmt: &Stmt| match stmt {
            Stmt::Loop { extent, .. } => {
                let trips = self.trips(extent);
                all *= trips;
                short &= trips <= PEELED;
            }
            Stmt::Comment(_)
            | Stmt::Array(..)
            | Stmt::Store(..)
            | Stmt::Soon(..)
            | Stmt::Barrier(_)
            | Stmt::Declare { .. }
            | Stmt::Assign(..)
            | Stmt::If(..) => {}
        };
        body.iter().for_each(|stmt| stmt.visit(&mut see));
        self.processor().is_some() && short && all <= UNROLLED
    }

    fn array(&mut self, array: &Array) {
        let bytes = self.bytes(array);
        match array.space {
            // A processor's work-item has it in its first caches, and loads and stores are counted.
            Space::Private if self.processor().is_some() && self.in_memory(array) => {}
            Space::Private if self.processor().is_some() => {
                self.held += bytes;
                self.estimate.private = self.estimate.private.max(self.held);
            }
            Space::Private => self.estimate.private += bytes,
            Space::Items => self.estimate.shared_out += bytes,
            Space::Global | Space::Local | Space::Constant => {}
        }
    }

    /// Is it the larger or smaller of two floats, on a processor, where the second may be NaN? A processor's own instruction passes
    /// that on.
    fn sees_to_nan(&self, e: &Expr) -> bool {
        match e {
            Expr::Op(Op::Min | Op::Max, _, operands) => {
                let number = operands.last().is_some_and(|last| matches!(last, Expr::Literal(..)));
                self.processor().is_some() && e.scalar().is_float() && !number
            }
            _ => false,
        }
    }

    fn instructions(&self, width: u8, bytes: usize) -> f64 {
        let scalars = f64::from(width);
        let Some(Target { hierarchy, features, .. }) = self.target else { return scalars };
        let registers = (scalars * bytes as f64 / hierarchy.vector as f64).ceil().max(1.0);
        let scattered = registers > 1.0 && self.processor().is_some() && !features.wide_vectors;
        if scattered { SCATTERED * scalars } else { registers }
    }

    /// Iterations of a loop, in the mean where they depend on another loop's.
    pub(super) fn trips(&self, extent: &Nat) -> f64 {
        const GUESS: f64 = 8.0;
        let mut sum = (0.0, 0.0);
        let known = self.sampled(&extent.vars(), &mut |env| {
            let trips = extent.eval(env).ok()?.max(0) as f64;
            sum = (sum.0 + trips, sum.1 + 1.0);
            Some(())
        });
        known.map_or(GUESS, |()| sum.0 / sum.1)
    }

    /// The shares of the times that each branch of an `if` is taken: by one of the work-items that run together, at least,
    /// since the others wait for it. Both are, where it takes data to tell.
    fn taken(&self, condition: &Expr) -> [f64; 2] {
        let Expr::Test(condition) = condition else { return [1.0; 2] };
        let vars = condition.vars();
        let of_lanes: BTreeSet<_> = vars.iter().filter_map(|v| self.dimension(v)).collect();
        let own = |lane: &[i64; 3]| [0, 1, 2].map(|d| if of_lanes.contains(&d) { lane[d] } else { 0 });
        let mut lanes: BTreeSet<[i64; 3]> = self.lanes.iter().map(own).collect();
        lanes.insert([0; 3]);
        let width = |d: usize| lanes.iter().map(|lane| lane[d] + 1).max().unwrap_or(1);
        let widths = [0, 1, 2].map(width);
        let mut counted = [0.0; 3];
        let known = self.sampled(&vars, &mut |env| {
            let mut sides = [false; 2];
            for lane in &lanes {
                let of_lane = |v: &Var| {
                    let start = env(v)?;
                    let moved = |d: usize| (start - start % widths[d] + lane[d]).min(self.last(v));
                    Some(self.dimension(v).map_or(start, moved))
                };
                sides[usize::from(!condition.eval(&of_lane).ok()?)] = true;
            }
            let one = sides.map(|side| if side { 1.0 } else { 0.0 });
            counted = [counted[0] + one[0], counted[1] + one[1], counted[2] + 1.0];
            Some(())
        });
        known.map_or([1.0; 2], |()| [counted[0] / counted[2], counted[1] / counted[2]])
    }

    /// Does a condition hold for all values of the loops' variables that are looked at?
    fn always(&self, condition: &Condition) -> bool {
        let holds = |env: &dyn Fn(&Var) -> Option<i64>| (condition.eval(&env) == Ok(true)).then_some(());
        self.sampled(&condition.vars(), &mut |env| holds(env)).is_some()
    }

    /// The dimension that a variable counts the work-items of.
    fn dimension(&self, var: &Var) -> Option<usize> {
        match self.around.iter().rfind(|around| around.var == *var)?.parallel {
            Parallel::Global(d) | Parallel::Local(d) => Some(usize::from(d)),
            Parallel::Sequential | Parallel::Group(_) => None,
        }
    }

    /// The last value of a loop's variable.
    fn last(&self, var: &Var) -> i64 {
        self.around
            .iter()
            .rfind(|around| around.var == *var)
            .map_or(0, |around| around.trips as i64 - 1)
            .max(0)
    }

    /// Sees values of variables of loops around the current place: all where these are few, else some that are spread
    /// evenly. `None` if there are other variables, or once what sees them has none to give.
    fn sampled(&self, vars: &BTreeSet<Var>, see: &mut dyn FnMut(&Values) -> Option<()>) -> Option<()> {
        const MANY: i64 = 256;
        let loops: Vec<&Var> = vars.iter().filter(|v| self.size(v).is_none()).collect();
        if loops.iter().any(|v| self.around.iter().all(|around| around.var != **v)) {
            return None;
        }
        let all = loops.iter().fold(1_i64, |all, v| all.saturating_mul(self.last(v) + 1));
        for n in 0..all.min(MANY) {
            let value = |v: &Var| {
                let before = loops.iter().take_while(|other| **other != v);
                let trips = self.last(v) + 1;
                if all <= MANY {
                    return n / before.map(|other| self.last(other) + 1).product::<i64>() % trips;
                }
                // Multiples of powers of a number between 0 and 1 fill the space between 0 and 1 evenly (Roberts 2018,
                // "The Unreasonable Effectiveness of Quasirandom Sequences").
                let step = ratio(loops.len()).powi(before.count() as i32 + 1);
                ((0.5 + n as f64 * step).fract() * trips as f64) as i64
            };
            see(&|v| self.size(v).or_else(|| loops.contains(&v).then(|| value(v))))?;
        }
        Some(())
    }

    pub(super) fn size(&self, var: &Var) -> Option<i64> {
        self.module.size(var)
    }
}

/// The number between 0 and 1 whose powers up to this dimension, as steps, fill a cube most evenly: where `x^(d + 1) = x + 1`,
/// of one over it.
fn ratio(dimension: usize) -> f64 {
    let root = |x: f64| (1.0 + x).powf(1.0 / (dimension as f64 + 1.0));
    1.0 / (0..32).fold(1.5, |x, _| root(x))
}
