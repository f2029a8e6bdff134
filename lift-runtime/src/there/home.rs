//! The memory of arrays on a device, and what is kept of it for further arrays.

use crate::Error;
use crate::threads::lock;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// This many pieces of memory are kept for further arrays, of so many bytes together: programs that follow each other write few
/// arrays in turn, and what is freed for good should not be held for long.
const KEPT: usize = 16;
const KEPT_BYTES: usize = 512 << 20;

/// Memory of a device that one array lies in.
pub(crate) trait Stored: Any + Send + Sync {
    /// Copies these bytes there. Runs that were started before read what was there before.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error>;
    /// Copies what runs that were started before have written.
    fn read(&self, bytes: &mut [u8]) -> Result<(), Error>;
    /// Waits for the runs that were started before.
    fn wait(&self) -> Result<(), Error>;
}

/// What the arrays of one device share. It does not hold the device.
pub(crate) struct Home {
    /// What the device is called, for messages.
    pub(super) device: String,
    /// Memory that was freed, and its bytes: what was freed last is used first, what was freed first makes room.
    kept: Mutex<VecDeque<(usize, Box<dyn Stored>)>>,
}

impl Home {
    pub(crate) fn new(device: String) -> Home {
        Home { device, kept: Mutex::default() }
    }

    /// Frees what is kept for further arrays.
    pub(crate) fn release(&self) {
        let kept = std::mem::take(&mut *lock(&self.kept));
        // Not with the lock held: drivers take their time.
        drop(kept);
    }

    fn take(&self, bytes: usize) -> Option<Box<dyn Stored>> {
        let mut kept = lock(&self.kept);
        let at = kept.iter().rposition(|(of, _)| *of == bytes)?;
        kept.remove(at).map(|(_, memory)| memory)
    }

    fn keep(&self, bytes: usize, memory: Box<dyn Stored>) {
        let mut freed = vec![];
        let mut kept = lock(&self.kept);
        kept.push_back((bytes, memory));
        let mut whole = kept.iter().map(|(of, _)| *of).fold(0, usize::saturating_add);
        while kept.len() > KEPT || whole > KEPT_BYTES {
            let Some((of, memory)) = kept.pop_front() else { break };
            whole = whole.saturating_sub(of);
            freed.push(memory);
        }
        // As in `release`: what makes room goes after the lock.
        drop(kept);
    }
}

/// What is in an array.
pub(super) struct Contents {
    pub(super) home: Arc<Home>,
    /// A number that tells it apart from all that was and will be in any array of the process.
    pub(super) identity: u64,
    bytes: usize,
    memory: Box<dyn Stored>,
}

impl Contents {
    /// Memory that was kept, or is allocated now, with anything in it.
    pub(super) fn new(
        home: &Arc<Home>,
        bytes: usize,
        allocate: impl FnOnce(usize) -> Result<Box<dyn Stored>, Error>,
    ) -> Result<Contents, Error> {
        let memory = home.take(bytes).map_or_else(|| allocate(bytes), Ok)?;
        Ok(Contents { home: home.clone(), identity: identity(), bytes, memory })
    }

    pub(super) fn memory(&self) -> &dyn Stored {
        &*self.memory
    }

    /// To be written: from now on it is something else that is in the array, also if writing fails.
    pub(super) fn memory_mut(&mut self) -> &mut dyn Stored {
        self.identity = identity();
        &mut *self.memory
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        let memory = std::mem::replace(&mut self.memory, Box::new(Gone));
        self.home.keep(self.bytes, memory);
    }
}

/// Another number each time. They last for centuries.
fn identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// In the place of memory that was given back, of an array that nobody has any more.
struct Gone;

impl Stored for Gone {
    fn write(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn read(&self, _: &mut [u8]) -> Result<(), Error> {
        Ok(())
    }

    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(home: &Arc<Home>, bytes: usize, allocated: &mut usize) -> Contents {
        let allocate = |_| {
            *allocated += 1;
            Ok(Box::new(Gone) as Box<dyn Stored>)
        };
        Contents::new(home, bytes, allocate).unwrap()
    }

    #[test]
    fn what_was_freed_is_used_again_for_as_many_bytes() {
        let (home, mut allocated) = (Arc::new(Home::new("a test".into())), 0);
        drop(contents(&home, 100, &mut allocated));
        let _again = contents(&home, 100, &mut allocated);
        assert_eq!(allocated, 1);
        let (_second, _other) = (contents(&home, 100, &mut allocated), contents(&home, 99, &mut allocated));
        assert_eq!(allocated, 3);
        drop(contents(&home, 1, &mut allocated));
        home.release();
        drop(contents(&home, 1, &mut allocated));
        assert_eq!(allocated, 5, "what was released is gone");
    }

    #[test]
    fn little_is_kept() {
        let (home, mut allocated) = (Arc::new(Home::new("a test".into())), 0);
        let many: Vec<Contents> = (0..100).map(|_| contents(&home, 8, &mut allocated)).collect();
        drop(many);
        assert_eq!(lock(&home.kept).len(), KEPT);
        drop(contents(&home, KEPT_BYTES, &mut allocated));
        assert_eq!(lock(&home.kept).len(), 1, "the last one has room, and no other beside it");
        drop(contents(&home, KEPT_BYTES + 1, &mut allocated));
        assert_eq!(lock(&home.kept).len(), 0);
    }

    #[test]
    fn no_two_contents_have_one_identity() {
        let (home, mut allocated) = (Arc::new(Home::new("a test".into())), 0);
        let mut one = contents(&home, 8, &mut allocated);
        let first = one.identity;
        one.memory_mut();
        let second = one.identity;
        drop(one);
        let third = contents(&home, 8, &mut allocated).identity;
        assert!(first != second && second != third && first != third);
    }
}
