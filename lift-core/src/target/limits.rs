//! What a device has room for.

/// The limits of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Work-items of a group. Longer loops go over their group's work-items several times.
    pub group: i64,
    /// Work-items of a group along each dimension.
    pub sides: [i64; 3],
    /// Bytes of local memory of a group.
    pub local: i64,
    /// Bytes that a work-item keeps for itself: with `toPrivate`, and of what the compiler keeps in each array.
    pub private: i64,
    /// The same of a work-item that is in no group, whose memory no other needs at the same time.
    pub alone: i64,
    /// Bytes of a buffer.
    pub buffer: i64,
}

impl Default for Limits {
    /// Limits that nearly every device meets. A group of more than 1024 work-items no GPU has; some processors' drivers
    /// allow it (pocl 4096), but a group is one core's there, and larger ones only make more placements to search.
    fn default() -> Limits {
        Limits {
            group: 1024,
            sides: [1024, 1024, 64],
            local: 32 << 10,
            private: 4 << 10,
            alone: 4 << 10,
            buffer: 1 << 30,
        }
    }
}
