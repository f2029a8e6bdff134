//! Threads, as many as can be had: a system may allow fewer than it has cores, or none.
//!
//! Work is shared among rayon's threads: those of the pool that the caller runs in, else the global one. Rayon panics
//! where that can't be made. So it is made here, before it is first used, from threads that are there already;
//! where there are none, the caller does the work alone.

use crate::Error;
use rayon::prelude::*;
use std::num::NonZero;
use std::ops::Range;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Builder, JoinHandle, available_parallelism};
use std::time::{Duration, Instant};
use std::{hint, io};

/// The memory that a driver may need besides, and the stack that a system usually gives its threads.
const SPARE: usize = 2;
const STACK: usize = 8 << 20;

/// Locks a mutex. A panic in another thread left nothing half done, so its data is used further.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread of its own.
///
/// # Errors
/// [`Error::Io`] where the system has no room for one.
pub fn start<T: Send + 'static>(
    task: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Error> {
    let failed = |error| Error::Io { doing: format!("no thread can be started for {task}"), error };
    Builder::new().spawn(run).map_err(failed)
}

/// How many threads share work.
pub fn count() -> usize {
    if are_several() { rayon::current_num_threads() } else { 1 }
}

/// Are there threads to share work with? Nothing of rayon's is to be used where there are not.
pub fn are_several() -> bool {
    static GLOBAL: OnceLock<bool> = OnceLock::new();
    rayon::current_thread_index().is_some() || *GLOBAL.get_or_init(|| make_global(wanted(), &spawn))
}

/// Does something for each number below `count`, each of which may wait for a thread of its own.
pub fn each(count: usize, run: impl Fn(usize) + Send + Sync) {
    if are_several() {
        (0..count).into_par_iter().with_max_len(1).for_each(run);
    } else {
        (0..count).for_each(run);
    }
}

/// Units of work that threads share.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub units: usize,
    /// A thread takes this many at a time, or more.
    pub least: usize,
}

/// How far threads are with a work.
struct Progress {
    /// Each thread begins with one of them, the same in every work and every run: what it touched there may still be in its cache.
    shares: Vec<Share>,
    done: AtomicUsize,
}

/// Units that follow each other. Other threads write to the memory beside it while one looks at it.
#[repr(align(128))]
struct Share {
    /// The first unit that nobody has taken.
    next: AtomicUsize,
    end: usize,
}

/// Does works one after the other, by all threads that have nothing else to do: each begins when all units of the one before are
/// done. `finished` is told of each, in their order.
///
/// Waking a thread takes as long as a small kernel, so threads that wait for each other stay awake.
pub fn in_turn(
    works: &[Work],
    part: impl Fn(usize, Range<usize>) + Sync,
    mut finished: impl FnMut(usize) + Send,
) {
    let threads = if works.iter().any(|work| work.least < work.units) { count() } else { 1 };
    if threads == 1 {
        for (i, work) in works.iter().enumerate() {
            if work.units > 0 {
                part(i, 0..work.units);
            }
            finished(i);
        }
        return;
    }
    let all: Vec<Progress> = works.iter().map(|work| Progress::new(*work, threads)).collect();
    let share = |finished: &mut dyn FnMut(usize)| {
        let me = rayon::current_thread_index().unwrap_or(0);
        for (i, (work, progress)) in works.iter().zip(&all).enumerate() {
            while let Some(units) = progress.take(*work, me) {
                let _done = Done(progress, units.len());
                part(i, units);
            }
            wait(|| progress.done.load(Ordering::Acquire) == work.units);
            finished(i);
        }
    };
    // On one of the threads that share work: another one would sleep while its work is done, and be woken after it.
    rayon::scope(|scope| {
        (1..threads).for_each(|_| scope.spawn(|_| share(&mut |_| {})));
        share(&mut finished);
    });
}

/// So many units are done when it is dropped: also where a panic ends them, since others wait for them and rayon passes it on.
struct Done<'a>(&'a Progress, usize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.done.fetch_add(self.1, Ordering::Release);
    }
}

impl Progress {
    /// A share for each thread, as far as each is worth a thread.
    fn new(work: Work, threads: usize) -> Progress {
        let count = (work.units / work.least.max(1)).clamp(1, threads);
        let (each, rest) = (work.units / count, work.units % count);
        let begin = |n: usize| n * each + n.min(rest);
        let share = |n| Share { next: AtomicUsize::new(begin(n)), end: begin(n + 1) };
        Progress { shares: (0..count).map(share).collect(), done: AtomicUsize::new(0) }
    }

    /// The units that a thread does next: of its own share, then of the others'.
    fn take(&self, work: Work, thread: usize) -> Option<Range<usize>> {
        let shares = self.shares.iter().cycle().skip(thread % self.shares.len());
        shares.take(self.shares.len()).find_map(|share| share.take(work.least))
    }
}

impl Share {
    /// A part of what is left, so that the last ones are few and a slow thread is not waited for.
    fn take(&self, least: usize) -> Option<Range<usize>> {
        let end = |next: usize| next.saturating_add(((self.end - next) / 2).max(least).max(1)).min(self.end);
        let after = |next| (next < self.end).then(|| end(next));
        let begin = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
        Some(begin..end(begin))
    }
}

/// Waits until something holds: actively at first, then letting others have the core, then asleep for short times.
fn wait(holds: impl Fn() -> bool) {
    const ACTIVE: Duration = Duration::from_micros(50);
    const AWAKE: Duration = Duration::from_millis(1);
    const SLEEP: Duration = Duration::from_micros(100);
    // How long it takes is not asked where it takes no time.
    if (0..64).any(|_| {
        hint::spin_loop();
        holds()
    }) {
        return;
    }
    let start = Instant::now();
    while !holds() {
        match start.elapsed() {
            waited if waited < ACTIVE => hint::spin_loop(),
            waited if waited < AWAKE => thread::yield_now(),
            _ => thread::sleep(SLEEP),
        }
    }
}

/// The result of something for each number below `count`.
pub fn map<T: Send, R: Send>(items: Vec<T>, make: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    if are_several() {
        items.into_par_iter().map(make).collect()
    } else {
        items.into_iter().map(make).collect()
    }
}

/// The first number below `count` for which something holds.
pub fn first(count: usize, holds: impl Fn(&usize) -> bool + Send + Sync) -> Option<usize> {
    if are_several() { (0..count).into_par_iter().find_first(holds) } else { (0..count).find(holds) }
}

/// The results of two functions, which run at the same time if there are threads for both.
pub fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if are_several() { rayon::join(a, b) } else { (a(), b()) }
}

/// Is there room for a thread for each core, and some more? Some drivers start that many and can't do without.
pub fn have_room() -> bool {
    let wanted = available_parallelism().map_or(1, NonZero::get) + SPARE;
    let gate = Arc::new(Mutex::new(()));
    let closed = lock(&gate);
    let start = || {
        let gate = gate.clone();
        Builder::new().stack_size(STACK).spawn(move || drop(lock(&gate)))
    };
    let started: Vec<_> = (0..wanted).map_while(|_| start().ok()).collect();
    drop(closed);
    let count = started.len();
    started.into_iter().for_each(|thread| drop(thread.join()));
    count == wanted
}

/// As many as rayon would start by itself.
fn wanted() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    asked.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get)).min(rayon::max_num_threads())
}

/// Where a thread of the pool finds out what it is.
type Waiting = Sender<rayon::ThreadBuilder>;

fn spawn() -> io::Result<Waiting> {
    let (tell, told) = channel::<rayon::ThreadBuilder>();
    // Where it is not needed, nobody tells it anything, and it ends.
    Builder::new().spawn(move || told.recv().map(rayon::ThreadBuilder::run))?;
    Ok(tell)
}

/// Makes the global pool, of `wanted` threads or fewer, unless the program has made it already. Is there a pool now?
fn make_global(wanted: usize, spawn: &dyn Fn() -> io::Result<Waiting>) -> bool {
    let waiting = start_most(wanted, spawn);
    if waiting.is_empty() {
        return false;
    }
    let count = waiting.len();
    let mut waiting = waiting.into_iter();
    let tell = |thread| {
        let told = waiting.next().map(|tell| tell.send(thread).is_ok());
        if told == Some(true) { Ok(()) } else { Err(io::Error::other("it has ended")) }
    };
    let made = rayon::ThreadPoolBuilder::new().num_threads(count).spawn_handler(tell).build_global();
    // It may be that the program tried to make one, and could not.
    made.is_ok() || catch_unwind(rayon::current_num_threads).is_ok()
}

/// Starts `wanted` threads. Where there is no room for all, half of the threads that fit: compilers, drivers
/// and workers need some as well.
fn start_most<T>(wanted: usize, start: &dyn Fn() -> io::Result<T>) -> Vec<T> {
    let mut started = vec![];
    while started.len() < wanted {
        match start() {
            Ok(thread) => started.push(thread),
            Err(error) => {
                started.truncate(started.len() / 2);
                let count = started.len().max(1);
                log::warn!("work is shared by {count} threads instead of {wanted}: {error}");
                break;
            }
        }
    }
    started
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn fewer_threads_are_enough() {
        for (room, expected) in [(8u8, 8), (7, 3), (2, 1), (1, 0), (0, 0)] {
            let left = Cell::new(room as usize);
            let start = || match left.replace(left.get().saturating_sub(1)) {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                n => Ok(n),
            };
            assert_eq!(start_most(8, &start).len(), expected, "room for {room}");
        }
        assert!(!make_global(8, &|| Err(io::ErrorKind::WouldBlock.into())));
    }

    #[test]
    fn all_is_done() {
        let sum = AtomicUsize::new(0);
        each(100, |i| {
            sum.fetch_add(i, Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 4950);
        assert_eq!(map(vec![1, 2, 3], |x| x * x), [1, 4, 9]);
        assert_eq!(start("a test", || 3).unwrap().join().unwrap(), 3);
        assert!(have_room());
    }

    #[test]
    fn works_are_done_in_turn() {
        let works: Vec<Work> = [(1000, 1), (0, 1), (1, 1), (77, 100), (64, 3), (5, 0)]
            .map(|(units, least)| Work { units, least })
            .into();
        let counts = || -> Vec<Vec<AtomicUsize>> {
            works.iter().map(|w| (0..w.units).map(|_| AtomicUsize::new(0)).collect()).collect()
        };
        let done = counts();
        let all_done = |i: usize| done[i].iter().all(|count| count.load(Ordering::Relaxed) == 1);
        let mut finished = vec![];
        let part = |i: usize, units: Range<usize>| {
            assert!((0..i).all(all_done), "all before work {i} is done");
            // Long enough that others come.
            thread::sleep(Duration::from_micros(10));
            done[i][units].iter().for_each(|count| _ = count.fetch_add(1, Ordering::Relaxed));
        };
        in_turn(&works, part, |i| {
            assert!(all_done(i), "every unit of work {i} once");
            finished.push(i);
        });
        assert_eq!(finished, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_panic_is_passed_on_and_nobody_waits_for_it() {
        let works = [Work { units: 100, least: 1 }; 2];
        let part = |i: usize, units: Range<usize>| assert!(i == 0 || !units.contains(&50), "unit 50");
        assert!(catch_unwind(|| in_turn(&works, part, |_| {})).is_err());
    }

    #[test]
    fn nothing_is_done_of_no_units() {
        let mut finished = 0;
        in_turn(&[Work { units: 0, least: 0 }], |_, _| panic!("there is nothing"), |_| finished += 1);
        assert_eq!(finished, 1);
    }

    /// The parts that a thread takes by itself: its own share first. Together, they are all units, and the last ones of a share are small.
    #[test]
    fn parts_become_smaller() {
        let parts = |units, least, thread| {
            let work = Work { units, least };
            let progress = Progress::new(work, 2);
            let next = || progress.take(work, thread);
            std::iter::from_fn(next).map(|part| (part.start, part.end)).collect::<Vec<_>>()
        };
        assert_eq!(parts(9, 1, 0), [(0, 2), (2, 3), (3, 4), (4, 5), (5, 7), (7, 8), (8, 9)]);
        assert_eq!(parts(9, 1, 1), [(5, 7), (7, 8), (8, 9), (0, 2), (2, 3), (3, 4), (4, 5)]);
        assert_eq!(parts(10, 4, 1), [(5, 9), (9, 10), (0, 4), (4, 5)]);
        assert_eq!(parts(10, 6, 1), [(0, 6), (6, 10)]);
        assert_eq!(parts(10, usize::MAX, 0), [(0, 10)]);
        assert_eq!(parts(0, 1, 1), []);
    }
}
