//! Threads, as many as can be had: a system may allow fewer than it has cores, or none.
//!
//! Work is shared among rayon's threads: those of the pool that the caller runs in, else the global one. Rayon panics
//! where that can't be made. So it is made here, before it is first used, from threads that are there already;
//! where there are none, the caller does the work alone.

use crate::Error;
use rayon::prelude::*;
use std::io;
use std::num::NonZero;
use std::panic::catch_unwind;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle, available_parallelism};

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

/// Runs a function on one of the threads that share work, if there are several. A thread that is none of them sleeps while its work
/// is done and has to be woken after it: many pieces of work, one after the other, cost that once so.
pub fn within<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    if are_several() { rayon::scope(|_| run()) } else { run() }
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
        let sum = std::sync::atomic::AtomicUsize::new(0);
        each(100, |i| {
            sum.fetch_add(i, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 4950);
        assert_eq!(map(vec![1, 2, 3], |x| x * x), [1, 4, 9]);
        assert_eq!(start("a test", || 3).unwrap().join().unwrap(), 3);
        assert!(have_room());
    }
}
