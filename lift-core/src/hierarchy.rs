//! OpenCL's hierarchy of work-items and of memory: what a program can speak of, and kernels are made of.

/// Who iterates (GPGPU'20 §3.1.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    /// All work-items, whatever their group.
    Global,
    /// Work-groups.
    Group,
    /// The work-items of a group.
    Local,
}

impl Level {
    /// This level as the place of a kernel's loop, in a dimension from 0 to 2.
    pub fn parallel(self, dimension: u8) -> Parallel {
        match self {
            Level::Global => Parallel::Global(dimension),
            Level::Group => Parallel::Group(dimension),
            Level::Local => Parallel::Local(dimension),
        }
    }
}

/// How the iterations of a loop are carried out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Parallel {
    /// One after the other, in one work-item.
    Sequential,
    /// Over the global work-items of a dimension.
    Global(u8),
    /// Over the work-groups of a dimension.
    Group(u8),
    /// Over the work-items of a group, in a dimension.
    Local(u8),
}

/// Where an array lives (OpenCL 1.2 §3.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// The device's memory, which all work-items share and which outlives a launch.
    Global,
    /// A work-group's own, as fast as a cache; visible to its other work-items after a barrier.
    Local,
    /// A work-item's own: registers, where indices are known and there are enough of them.
    Private,
    /// Registers of the work-items of a group, each of which holds a part of an array.
    Items,
    /// Never written, its contents known: printed once, outside the kernel.
    Constant,
}
