//! Where a plan's buffers lie in device memory, and which launches need not be repeated.
//!
//! Both follow from the launches' dependences. A launch that reads only `const` parameters, or the results of other
//! such launches, computes the same as long as these parameters stay the same: it *prepares*. Launches that prepare
//! come first, and devices remember what they wrote. Temporaries that are not needed at the same time share memory.

use super::{Access, BufferId, Plan, Role};
use std::collections::{BTreeMap, BTreeSet};

/// The device memory of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// All that a device allocates, to the byte; sources while it prepares.
    pub slots: Vec<Slot>,
    /// For each buffer where it lies.
    pub locations: Vec<Location>,
    /// For each launch whether it prepares.
    pub prepares: Vec<bool>,
}

/// Where a buffer lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Location {
    pub slot: usize,
    /// Bytes from the slot's beginning: a multiple of [`ALIGNED`].
    pub offset: usize,
}

/// A stretch of memory that is allocated as one.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// What it is for, and so how long its contents must stay.
    pub purpose: Purpose,
    /// The buffers that lie in it, beside each other or one after the other in time.
    pub buffers: Vec<BufferId>,
    pub bytes: usize,
}

/// Buffers begin at multiples of so many bytes: a page, which is more than any device demands (OpenCL's
/// `CL_DEVICE_MEM_BASE_ADDR_ALIGN`).
pub const ALIGNED: usize = 4096;

/// So large may a slot become by buffers that are needed at the same time: OpenCL devices of the full profile have buffers
/// of twice as many bytes (OpenCL 1.2 §4.2, `CL_DEVICE_MAX_MEM_ALLOC_SIZE`).
const LARGEST: usize = 64 << 20;

impl Slot {
    /// The names of the buffers that lie in it.
    pub fn name(&self, plan: &Plan) -> String {
        self.buffers.iter().map(|b| plan.buffers[b.0].name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Is it the plan's own, not there for an argument or a result?
    pub fn internal(&self) -> bool {
        matches!(self.purpose, Purpose::Prepared | Purpose::Temporary)
    }
}

/// What memory is needed for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// An argument, copied to the device for every run.
    Input,
    /// An input that is declared `const`.
    Constant,
    /// A result, copied back after every run.
    Output,
    /// Made of constants, and kept from run to run.
    Prepared,
    /// Needed during a run only.
    Temporary,
    /// An input that is declared `const` and that only what is prepared is made of: on the device while that is prepared,
    /// and freed then.
    Source,
}

impl Plan {
    /// Where each buffer lies, and which launches prepare.
    pub fn memory(&self) -> Memory {
        Memory::of(self)
    }
}

impl Memory {
    /// Lays out a plan's buffers. An argument, a result and what is prepared has a slot of its own. Temporaries are placed the largest
    /// first: where there is room during their life, in the smallest gap of a slot; else where a slot grows by less than a slot of its
    /// own would take (Pisarchyk and Lee 2020, "Efficient Memory Management for Deep Neural Net Inference": greedy by size).
    pub fn of(plan: &Plan) -> Memory {
        let constants: BTreeSet<usize> = plan.constants.iter().copied().collect();
        let prepares = prepares(plan);
        let lives = lives(plan, &prepares);
        let prepared = prepares.iter().filter(|prepares| **prepares).count();
        let locations = vec![Location::default(); plan.buffers.len()];
        let mut memory = Memory { slots: vec![], locations, prepares };
        let mut shared = vec![];
        for (i, buffer) in plan.buffers.iter().enumerate() {
            let purpose = match buffer.role {
                Role::Input(n) if constants.contains(&n) => match lives[i].span {
                    Some((_, to)) if to < prepared => Purpose::Source,
                    _ => Purpose::Constant,
                },
                Role::Input(_) => Purpose::Input,
                Role::Output(_) => Purpose::Output,
                Role::Temporary if lives[i].kept => Purpose::Prepared,
                Role::Temporary => {
                    shared.push(i);
                    continue;
                }
            };
            memory.locations[i] = Location { slot: memory.slots.len(), offset: 0 };
            memory.slots.push(Slot { purpose, buffers: vec![BufferId(i)], bytes: buffer.bytes() });
        }
        shared.sort_by_key(|i| std::cmp::Reverse(plan.buffers[*i].bytes()));
        let bytes = |buffer: &BufferId| plan.buffers[buffer.0].bytes();
        // The slots of temporaries, and when what is in each is needed: a network has a hundred thousand buffers.
        let first = memory.slots.len();
        let mut needed: Vec<Needed> = vec![];
        for i in shared {
            let id = BufferId(i);
            // For each slot, what it would grow by, and where the buffer would lie.
            let of_slot = |(k, s): (usize, &Slot)| {
                let taken = needed[k].during(&lives[i]).map(|b| (memory.locations[b.0].offset, bytes(&b)));
                let offset = gap(taken.collect(), bytes(&id), s.bytes);
                let end = offset.saturating_add(bytes(&id));
                let location = Location { slot: first + k, offset };
                (end <= s.bytes.max(LARGEST)).then_some((end.saturating_sub(s.bytes), location))
            };
            let temporary = memory.slots[first..].iter().enumerate();
            let found = temporary.filter_map(of_slot).min_by_key(|(more, _)| *more);
            let own = || Location { slot: memory.slots.len(), offset: 0 };
            let at = found.filter(|(more, _)| *more == 0 || *more < bytes(&id)).map_or_else(own, |f| f.1);
            if at.slot == memory.slots.len() {
                memory.slots.push(Slot { purpose: Purpose::Temporary, buffers: vec![], bytes: 0 });
                needed.push(Needed::default());
            }
            needed[at.slot - first].add(id, &lives[i]);
            let slot = &mut memory.slots[at.slot];
            slot.buffers.push(id);
            slot.bytes = slot.bytes.max(at.offset.saturating_add(bytes(&id)));
            memory.locations[i] = at;
        }
        memory
    }

    /// The device memory of the plan's runs, and between them.
    pub fn bytes(&self) -> usize {
        let stay = self.slots.iter().filter(|s| s.purpose != Purpose::Source);
        stay.map(|s| s.bytes).fold(0, usize::saturating_add)
    }

    /// The device memory of a run that prepares: the first, and each that has other constants than the one before.
    pub fn bytes_to_prepare(&self) -> usize {
        self.bytes().saturating_add(self.bytes_for(Purpose::Source))
    }

    /// Bytes that are allocated for a purpose.
    pub fn bytes_for(&self, purpose: Purpose) -> usize {
        let slots = self.slots.iter().filter(|s| s.purpose == purpose);
        slots.map(|s| s.bytes).fold(0, usize::saturating_add)
    }
}

/// Where in a slot of `room` bytes so many are free besides those that are taken, as offsets and bytes: in the smallest gap that is large
/// enough, else behind all.
fn gap(mut taken: Vec<(usize, usize)>, bytes: usize, room: usize) -> usize {
    taken.sort_unstable();
    let (mut free, mut best) = (0_usize, None);
    let mut see = |free: usize, end: usize| {
        let left = end.checked_sub(free).and_then(|gap| gap.checked_sub(bytes));
        if let Some(left) = left
            && best.is_none_or(|(least, _)| left < least)
        {
            best = Some((left, free));
        }
    };
    for (offset, length) in taken {
        see(free, offset);
        let end = offset.saturating_add(length).checked_next_multiple_of(ALIGNED);
        free = free.max(end.unwrap_or(usize::MAX));
    }
    see(free, room);
    best.map_or(free, |(_, at)| at)
}

/// The buffers of a slot by the launches from which on they are needed.
#[derive(Default)]
struct Needed {
    from: BTreeMap<usize, Vec<(usize, BufferId)>>,
    /// The most launches from the first to the last that needs one of them.
    longest: usize,
}

impl Needed {
    fn add(&mut self, buffer: BufferId, life: &Life) {
        // What no launch uses is never needed.
        if let Some((from, to)) = life.span {
            self.from.entry(from).or_default().push((to, buffer));
            self.longest = self.longest.max(to - from);
        }
    }

    /// Those that are needed at some time of a life.
    fn during(&self, life: &Life) -> impl Iterator<Item = BufferId> {
        let found = life.span.map(|(start, end)| {
            let begun = self.from.range(start.saturating_sub(self.longest)..=end);
            begun.flat_map(|(_, all)| all).filter(move |(to, _)| start <= *to).map(|(_, buffer)| *buffer)
        });
        found.into_iter().flatten()
    }
}

impl Plan {
    /// The names of a module's kernels that are started only to prepare.
    pub(super) fn run_once(&self, module: usize) -> Vec<String> {
        let prepares = prepares(self);
        let here = || self.launches.iter().zip(&prepares).filter(|(launch, _)| launch.module == module);
        let only =
            |kernel: usize| here().filter(|(launch, _)| launch.kernel == kernel).all(|(_, once)| *once);
        let kernels = self.modules[module].kernels.iter().enumerate();
        kernels.filter(|(kernel, _)| only(*kernel)).map(|(_, kernel)| kernel.name.clone()).collect()
    }
}

/// For each launch: does it write the same in every run with the same constants? The most
/// launches for which that is consistent.
fn prepares(plan: &Plan) -> Vec<bool> {
    let constants: BTreeSet<usize> = plan.constants.iter().copied().collect();
    let mut accesses = vec![vec![]; plan.buffers.len()];
    for (n, launch) in plan.launches.iter().enumerate() {
        plan.accesses(launch).for_each(|(buffer, access)| accesses[buffer.0].push((n, access)));
    }
    let mut prepares = vec![true; plan.launches.len()];
    loop {
        let mut changed = false;
        for (n, launch) in plan.launches.iter().enumerate() {
            let constant = |buffer: &BufferId| match plan.buffers[buffer.0].role {
                Role::Input(n) => constants.contains(&n),
                Role::Output(_) => false,
                Role::Temporary => settled(&accesses[buffer.0], &prepares),
            };
            let still =
                launch.scalars.iter().all(|n| constants.contains(n)) && launch.arrays.iter().all(constant);
            if prepares[n] && !still {
                // Launches after this one see it in this round.
                prepares[n] = false;
                changed = true;
            }
        }
        // The set only shrinks, so this ends, and what is left is the greatest fixed point.
        if !changed {
            return prepares;
        }
    }
}

/// Is a buffer, of which these are all uses in order, written by launches that prepare, and by none after another launch has
/// read it? Then these can be moved before all others, and be left out of the next run.
fn settled(accesses: &[(usize, Access)], prepares: &[bool]) -> bool {
    let mut others = false;
    accesses.iter().all(|(launch, access)| {
        let written_late = *access != Access::Read && (others || !prepares[*launch]);
        others |= !prepares[*launch];
        !written_late
    })
}

/// When a buffer is needed, counted in launches; launches that prepare come first.
#[derive(Clone, Default)]
struct Life {
    span: Option<(usize, usize)>,
    /// It is needed in the next run too.
    kept: bool,
}

fn lives(plan: &Plan, prepares: &[bool]) -> Vec<Life> {
    let mut lives = vec![Life::default(); plan.buffers.len()];
    let (first, second): (Vec<_>, Vec<_>) = plan.launches.iter().zip(prepares).partition(|(_, p)| **p);
    let prepared = first.len();
    for (time, (launch, _)) in first.into_iter().chain(second).enumerate() {
        for buffer in &launch.arrays {
            let life = &mut lives[buffer.0];
            let from = life.span.map_or(time, |(from, _)| from);
            // Results of launches that prepare, read by later launches, must stay for the next run too.
            life.kept |= from < prepared && time >= prepared;
            life.span = Some((from, if life.kept { usize::MAX } else { time }));
        }
    }
    lives
}
