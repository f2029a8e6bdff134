//! The sizes of work-groups where a plan leaves them open. The OpenCL driver and exported programs both take
//! them from here, and only ask what a device has room for.

use super::{Launch, Plan};
use crate::target::Hierarchy;

impl Launch {
    /// Work-groups for a GPU that work-items are grouped so on, the best first: it takes the first that it, and the kernel on it, has room for. The last
    /// is a single work-item, which fits everywhere.
    ///
    /// OpenCL 1.2 wants them to divide the work-items exactly. Drivers left alone choose groups of one work-item where
    /// a size is prime; these fill dimension 0 first, since neighbours there read neighbouring memory.
    pub fn groups(&self, hierarchy: &Hierarchy) -> Vec<[usize; 3]> {
        let mut all: Vec<[usize; 3]> =
            (1..=hierarchy.group).rev().map(|room| within(self.global(), room)).collect();
        all.dedup();
        all
    }
}

impl Plan {
    /// The work-group for a processor, where it matters how large it is. Drivers for processors run a group in one thread, and
    /// may keep the arrays of all its work-items on that thread's stack: groups of thousands have no room there.
    pub fn group_on_processor(&self, launch: &Launch) -> Option<[usize; 3]> {
        let bytes = self.kernel(launch)?.array_bytes(self.modules.get(launch.module)?);
        let room = IN_CACHE.checked_div(bytes)?;
        (bytes * LARGEST_GROUP > STACK).then(|| within(launch.global(), room.max(1)))
    }
}

/// Bytes of a thread's stack that arrays may take up: half of what threads usually have.
const STACK: usize = 4 << 20;
/// Bytes of them that stay in the caches of a core.
const IN_CACHE: usize = 128 << 10;
/// The work-items of the largest groups that drivers for processors choose by themselves.
const LARGEST_GROUP: usize = 4096;

/// The work-items that a device starts for so many: more, where no group divides these that would keep the device busy and hold
/// neighbours (OpenCL 1.2 wants groups to divide them). What is too many finds nothing to do.
pub fn started(items: [usize; 3], hierarchy: &Hierarchy) -> [usize; 3] {
    let Hierarchy { group, together, .. } = *hierarchy;
    let run = RUN.min(together);
    // The share of work-items that compute, of those that run, and of what is read from memory that which is asked for.
    let busy = |started: [usize; 3]| {
        let group = within(started, group);
        let all: usize = group.iter().product();
        let count = |items: [usize; 3]| items.iter().map(|n| *n as f64).product::<f64>();
        let neighbours = items[0].clamp(1, run);
        let beside = group[0].min(neighbours) as f64 / neighbours as f64;
        beside * count(items) / count(started) * all as f64 / all.next_multiple_of(together) as f64
    };
    let largest = (0..3).rev().max_by_key(|d| items[*d]).unwrap_or(0);
    let sizes = std::iter::successors(Some(together), |n| Some(2 * n)).take_while(|n| *n <= group);
    // Beyond the numbers that sizes have there are no devices: such a plan is refused elsewhere.
    let rounded = sizes.flat_map(|n| [largest, 0].map(|d| (d, n))).filter_map(|(d, n)| {
        let mut more = items;
        more[d] = items[d].checked_next_multiple_of(n).filter(|n| i64::try_from(*n).is_ok())?;
        Some(more)
    });
    let best = rounded.max_by(|a, b| busy(*a).total_cmp(&busy(*b))).unwrap_or(items);
    if busy(items) < ENOUGH * busy(best) { best } else { items }
}

/// Neighbours in dimension 0 read neighbouring memory: so many elements of four bytes are in the 32 bytes that a GPU reads at once.
const RUN: usize = 8;

/// A group that is so much worse than another is not worth that each work-item asks whether it is one too many.
const ENOUGH: f64 = 0.8;

/// The group that fills room for this many work-items, dimension by dimension.
fn within(items: [usize; 3], mut room: usize) -> [usize; 3] {
    items.map(|items| {
        let size = (1..=room.min(items)).rev().find(|n| items.is_multiple_of(*n)).unwrap_or(1);
        room /= size;
        size
    })
}

#[cfg(test)]
mod tests {
    use super::{Launch, started};
    use crate::target::{Hierarchy, Target};

    /// The group that is chosen for a device with room for `most` work-items in a group.
    fn chosen(items: [usize; 3], most: usize) -> Option<[usize; 3]> {
        let launch =
            Launch { module: 0, kernel: 0, arrays: vec![], scalars: vec![], grid: items, group: None };
        let sides = [1024, 1024, 64];
        let fits = |group: &[usize; 3]| {
            group.iter().product::<usize>() <= most && group.iter().zip(sides).all(|(n, side)| *n <= side)
        };
        launch.groups(&Target::default().hierarchy).into_iter().find(fits)
    }

    #[test]
    fn work_groups_divide_the_work_and_keep_the_limits() {
        assert_eq!(chosen([224, 224, 64], 1024), Some([224, 1, 1]));
        assert_eq!(chosen([64, 56, 56], 1024), Some([64, 4, 1]));
        assert_eq!(chosen([1009, 7, 3], 1024), Some([1, 7, 3]));
        assert_eq!(chosen([1, 1, 128], 1024), Some([1, 1, 64]));
        assert_eq!(chosen([1 << 40, 1, 1], 100), Some([64, 1, 1]));
        assert_eq!(chosen([3, 5, 7], 1), Some([1, 1, 1]));
    }

    #[test]
    fn more_are_started_where_no_group_divides_them() {
        let together = |together| Hierarchy { units: 16, group: 256, together, vector: 4 };
        for (items, expected) in [
            // A prime: full groups instead of single work-items.
            ([1_048_573, 1, 1], [1_048_576, 1, 1]),
            ([1009, 7, 3], [1024, 7, 3]),
            // Twice a prime, in the larger dimension.
            ([2, 10_007, 1], [2, 10_016, 1]),
            // Groups of 2 × 41 and of 1 × 82 would be large enough, but hardly any two of their work-items neighbours.
            ([1906, 533, 1], [2048, 533, 1]),
            ([953, 1066, 1], [1024, 1066, 1]),
            // Good as they are.
            ([1000, 1, 1], [1000, 1, 1]),
            ([112, 112, 3], [112, 112, 3]),
            ([7, 7, 512], [7, 7, 512]),
            ([3, 1, 1], [3, 1, 1]),
            ([0, 5, 1], [0, 5, 1]),
            ([i64::MAX as usize, 1, 1], [i64::MAX as usize, 1, 1]),
            ([usize::MAX, 1, 1], [usize::MAX, 1, 1]),
        ] {
            assert_eq!(started(items, &together(32)), expected, "{items:?}");
            // Where each runs by itself, nobody waits for others.
            assert_eq!(started(items, &together(1)), items);
        }
    }
}
