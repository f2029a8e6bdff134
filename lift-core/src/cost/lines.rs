//! Lines of memory: which of them a loop or the work-items that run together read, and what the first cache does with that.

use super::LAST_CACHE;
use super::estimate::Counter;
use crate::kernel::{Array, ArrayId, Parallel, Space, Stmt};
use crate::nat::{Nat, Var};
use crate::target::{Costs, Target};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The first and the second cache of nearly every processor's core: so many sets of lines, each of as many that may be there at once.
const SETS: i64 = 64;
const SECOND_SETS: i64 = 1024;
const WAYS: usize = 8;

/// Steps of at least so many bytes are not foreseen: what processors load ahead of time does not leave a page of 4096 bytes,
/// and one step in it says nothing yet. In a row of lines so many are waited for, until the rest is foreseen.
const FAR_STEP: i64 = 2048;
const UNFORESEEN: usize = 4;

/// So many times as long is waited for a line that is written to: it comes, and goes again. Between a softmax of 1024² written by columns
/// and a normalisation of 256², measured on a processor with AVX-512.
const WRITTEN: f64 = 2.0;

/// So many pages has a core's first table of them: where a loop steps over more, their places are looked up anew.
const PAGES: f64 = 64.0;

/// A store into global memory in the body of a loop.
struct Stored {
    array: ArrayId,
    /// Where it stores first, in bytes from the array's beginning.
    first: i64,
    /// How many bytes it stores at a time.
    bytes: f64,
    /// For each loop in the body that moves it: by how many bytes in an iteration, and how many iterations there are.
    loops: Vec<(i64, f64)>,
}

impl Stored {
    /// Bytes that it stores fewer than `step` bytes from a place.
    fn near(&self, place: i64, step: i64) -> f64 {
        match (self.first - place).abs() < step {
            true => {
                let within = self.loops.iter().filter(|(by, _)| by.abs() < step);
                self.bytes * within.map(|(_, trips)| trips).product::<f64>()
            }
            false => 0.0,
        }
    }
}

/// Lines that are waited for, by where they are.
#[derive(Default)]
pub(super) struct Lines {
    pub second: f64,
    pub last: f64,
    pub memory: f64,
}

impl Counter<'_> {
    /// Does a loop read or write on in more lines than may be in the first cache at once? It does where rows are as long as a
    /// multiple of what the cache takes, as powers of two are.
    pub(super) fn crowded(&self, var: &Var, body: &[Stmt]) -> bool {
        if self.processor().is_none() {
            return false;
        }
        let mut lines = HashSet::new();
        let mut see = |array: &Array, index: &Nat| {
            let first = index.eval(&|v| self.size(v).or(Some(0))).ok();
            let bytes = array.scalar.bytes() as i64 * i64::from(array.width);
            let line = first.filter(|_| self.reads_on(array, index, var)).map(|at| at * bytes / self.line());
            lines.extend(line.map(|line| (array.id, line)));
        };
        let mut of_stmt = |stmt: &Stmt| stmt.accesses(&mut |array, index, _, _| see(array, index));
        body.iter().for_each(|stmt| stmt.visit(&mut of_stmt));
        let of_set = |set| lines.iter().filter(|(_, line)| line.rem_euclid(SETS) == set).count();
        (0..SETS).any(|set| of_set(set) > WAYS)
    }

    /// The lines that an iteration of a loop waits for, since they are far from those of the one before. Where the loop's
    /// steps meet few of the first cache's sets, that has lost them before the rest of the line is read or written.
    pub(super) fn far_steps(&self, var: &Var, trips: f64, body: &[Stmt]) -> Lines {
        if self.processor().is_none() {
            return Lines::default();
        }
        // So many lines, these bytes apart, may a cache with so many sets have at once.
        let room = |sets: i64, step: i64| {
            let way = sets * self.line();
            (WAYS as i64 * way / gcd(step, way).max(1)) as f64
        };
        let (mut lines, mut written) = (BTreeSet::new(), HashSet::new());
        let (mut from_last, mut from_memory) = (HashSet::new(), HashSet::new());
        let stores = OnceCell::new();
        let mut see = |array: &Array, index: &Nat, is_store: bool| {
            let element = array.scalar.bytes() as i64 * i64::from(array.width);
            let step = index.slope(var, &|v| self.size(v));
            let step = step.and_then(|step| step.checked_mul(element)).map_or(0, i64::abs);
            let far = if is_store { self.line() } else { FAR_STEP };
            if array.space == Space::Global && step >= far && trips > room(SETS, step) {
                let first = index.eval(&|v| self.size(v).or(Some(0))).ok();
                let place = first.and_then(|first| first.checked_mul(element));
                if is_store && let Some(place) = place {
                    let all = stores.get_or_init(|| self.stores(body)).iter();
                    let near =
                        all.filter(|other| other.array == array.id).map(|other| other.near(place, step));
                    // One iteration stores all up to what the next one does.
                    if near.sum::<f64>() >= step as f64 {
                        return;
                    }
                }
                lines.extend(place.map(|place| (array.id, place / self.line())));
                if is_store {
                    written.insert(array.id);
                }
                if self.bytes(array) > LAST_CACHE && trips > PAGES {
                    from_memory.insert(array.id);
                } else if trips > room(SECOND_SETS, step) {
                    from_last.insert(array.id);
                }
            }
        };
        let mut of_stmt =
            |stmt: &Stmt| stmt.accesses(&mut |array, index, _, is_store| see(array, index, is_store));
        body.iter().for_each(|stmt| stmt.visit(&mut of_stmt));
        let foreseen = |(id, line): &(ArrayId, i64)| {
            !written.contains(id) && (1..=UNFORESEEN as i64).all(|k| lines.contains(&(*id, line - k)))
        };
        let mut waited = Lines::default();
        for line in lines.iter().filter(|line| !foreseen(line)) {
            let of = match line.0 {
                id if from_memory.contains(&id) => &mut waited.memory,
                id if from_last.contains(&id) => &mut waited.last,
                _ => &mut waited.second,
            };
            *of += if written.contains(&line.0) { WRITTEN } else { 1.0 };
        }
        waited
    }

    /// What these statements store into global memory.
    fn stores(&self, body: &[Stmt]) -> Vec<Stored> {
        let (mut trips, mut stores) = (HashMap::new(), HashMap::new());
        for stmt in body {
            stmt.visit(&mut |stmt| match stmt {
                Stmt::Loop { var, extent, .. } => _ = trips.insert(var.clone(), self.trips(extent)),
                Stmt::Store(array, index, value) if array.space == Space::Global => {
                    let (scalar, width) = (array.scalar.bytes() as i64, i64::from(array.width));
                    let bytes = f64::from(value.width()) * scalar as f64;
                    // What two branches of a test store is stored once.
                    stores.insert((array.id, index.clone()), (scalar * width, bytes));
                }
                Stmt::Store(..)
                | Stmt::Comment(_)
                | Stmt::Declare { .. }
                | Stmt::Assign(..)
                | Stmt::Array(..)
                | Stmt::Soon(..)
                | Stmt::Barrier(_)
                | Stmt::If(..) => {}
            });
        }
        let stored = |((array, index), (element, bytes)): ((ArrayId, Nat), (i64, f64))| {
            let first = index.eval(&|v| self.size(v).or(Some(0))).ok()?.checked_mul(element)?;
            let step = |var: &Var| index.slope(var, &|v| self.size(v))?.checked_mul(element);
            let loops = index.vars().iter().filter_map(|var| Some((step(var)?, *trips.get(var)?))).collect();
            Some(Stored { array, first, bytes, loops })
        };
        stores.into_iter().filter_map(stored).collect()
    }

    /// Bytes of the first cache.
    pub(super) fn first_cache(&self) -> f64 {
        (self.line() * SETS) as f64 * WAYS as f64
    }

    pub(super) fn line(&self) -> i64 {
        self.target.map_or(1, |target| target.costs.line)
    }

    /// Is what the next iteration of a loop wants in the same line of memory?
    pub(super) fn reads_on(&self, array: &Array, index: &Nat, var: &Var) -> bool {
        let element = array.scalar.bytes() as i64 * i64::from(array.width);
        let next = index.slope(var, &|v| self.size(v));
        array.space == Space::Global
            && next.is_some_and(|next| next != 0 && (next * element).abs() < self.line())
    }

    /// Bytes that near memory moves for one work-item's access: it answers work-items that run together line by
    /// line, and each of local memory's banks word by word.
    pub(super) fn moved(&self, array: &Array, index: &Nat, bytes: usize) -> f64 {
        let element = array.scalar.bytes() as i64 * i64::from(array.width);
        let start = |lane: &[i64; 3]| {
            let of_lane = |var: &Var| match self.around.iter().rfind(|around| around.var == *var)?.parallel {
                Parallel::Global(d) | Parallel::Local(d) => lane.get(usize::from(d)).copied(),
                Parallel::Sequential | Parallel::Group(_) => None,
            };
            let index = index.eval(&|var| of_lane(var).or_else(|| self.size(var)).or(Some(0))).ok()?;
            index.checked_mul(element)?.checked_add(bytes as i64).map(|end| end - bytes as i64)
        };
        let starts: Option<Vec<i64>> = self.lanes.iter().map(start).collect();
        let together = starts.filter(|starts| starts.len() > 1).zip(self.target);
        let Some((starts, Target { costs: Costs { line, banks, .. }, .. })) = together else {
            return bytes as f64;
        };
        let parts = |size: i64| -> HashSet<i64> {
            let last = bytes as i64 - 1;
            starts.iter().flat_map(|s| s.div_euclid(size)..=(s + last).div_euclid(size)).collect()
        };
        let turns = match array.space {
            Space::Local => {
                let words = parts(line / banks);
                let of_bank = |bank| words.iter().filter(|word| word.rem_euclid(*banks) == bank).count();
                (0..*banks).map(of_bank).max().unwrap_or_default()
            }
            _ => parts(*line).len(),
        };
        turns as f64 * *line as f64 / starts.len() as f64
    }
}

/// The greatest common divisor.
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
