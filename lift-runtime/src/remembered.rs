//! Built programs in memory, one per program and sizes, so that a second call builds nothing.

use crate::Error;
use crate::built::Built;
use crate::threads::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// The hash of a serialised program.
pub type Identity = [u8; 32];

/// A program at fixed sizes.
pub type Key = (Identity, Vec<i64>);

/// This many programs are kept; the one that was used longest ago makes room for another.
const CAPACITY: usize = 256;

#[derive(Default)]
struct Slot {
    /// Held while building: who wants the same program waits instead of building it too.
    built: Mutex<Option<Arc<Built>>>,
}

#[derive(Default)]
pub struct Remembered {
    table: Mutex<Table>,
    /// Everything that was built for the device and is still there.
    loaded: Mutex<Vec<Weak<Built>>>,
}

#[derive(Default)]
struct Table {
    slots: HashMap<Key, (Arc<Slot>, u64)>,
    clock: u64,
}

impl Remembered {
    /// The program with this key, built now if it is not there. A failure is not remembered.
    pub fn get(
        &self,
        key: Key,
        build: impl FnOnce() -> Result<Arc<Built>, Error>,
    ) -> Result<Arc<Built>, Error> {
        let slot = self.slot(key);
        let mut built = lock(&slot.built);
        if let Some(built) = &*built {
            return Ok(built.clone());
        }
        let new = build()?;
        *built = Some(new.clone());
        Ok(new)
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        let mut table = lock(&self.table);
        table.clock += 1;
        let now = table.clock;
        if !table.slots.contains_key(&key) && table.slots.len() >= CAPACITY {
            let oldest = table.slots.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            oldest.and_then(|key| table.slots.remove(&key));
        }
        let entry = table.slots.entry(key).or_default();
        entry.1 = now;
        entry.0.clone()
    }

    /// A program was built for the device.
    pub fn loaded(&self, built: &Arc<Built>) {
        let mut loaded = lock(&self.loaded);
        loaded.retain(|other| other.strong_count() > 0);
        loaded.push(Arc::downgrade(built));
    }

    /// Frees the device memory that idle programs hold for their next run.
    pub fn release(&self) {
        let loaded: Vec<Arc<Built>> = lock(&self.loaded).iter().filter_map(Weak::upgrade).collect();
        loaded.iter().for_each(|built| built.loaded.release());
    }
}
