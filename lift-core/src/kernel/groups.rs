//! The sizes of work-groups where a plan leaves them open. The OpenCL driver and exported programs both take
//! them from here, and only ask what a device has room for.

use super::Launch;
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
    use super::Launch;
    use crate::target::Target;

    /// The group that is chosen for a device with room for `most` work-items in a group.
    fn chosen(items: [usize; 3], most: usize) -> Option<[usize; 3]> {
        let launch = Launch { kernel: 0, arrays: vec![], scalars: vec![], grid: items, group: None };
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
}
