//! How fast a device does what, by orders of magnitude: what the model of costs multiplies its counts with.

/// What one compute unit does in a second, and what holds it up. Figures are of one compute unit unless they say otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// Instructions in a second, all work-items of the unit together.
    pub issue: f64,
    /// Seconds that an operation waits for the result of the one before: 0 where the unit goes on with other work-items.
    pub latency: f64,
    /// Work-items that the unit needs to be busy.
    pub busy: f64,
    /// Work-items that it holds at a time, at most.
    pub resident: f64,
    /// Bytes of registers that it shares out among its work-items.
    pub registers: f64,
    /// Bytes of registers that one work-item gets at most: the rest is spilled.
    pub most_registers: f64,
    /// Bytes of vector registers that a processor has for the sums of a loop and the vectors that are loaded for several of them;
    /// without end where the device's compiler is not known to mind.
    pub in_a_loop: f64,
    /// Bytes of these that a scalar takes which vectors are computed with: none where instructions take it from memory.
    pub broadcast: f64,
    /// Bytes in a second from local memory or the nearest cache.
    pub near: f64,
    /// Bytes of a line of near memory: it moves as many at once for work-items that run together.
    pub line: i64,
    /// Parts of local memory that answer at the same time, each with `line / banks` bytes; 1 where local memory is
    /// ordinary memory in a cache, which answers line by line.
    pub banks: i64,
    /// Bytes that one instruction loads or stores, where all are wanted.
    pub load: f64,
    /// Bytes that the second cache of a processor's core has room for: those of its family have at least as much, nearly all.
    pub second: f64,
    /// Bytes in a second from the device's memory, all units together.
    pub far: f64,
    /// Seconds until the device's memory answers a work-item: none of a processor, which asks ahead of time.
    pub answer: f64,
    /// Instructions of each work-item to go on behind a barrier.
    pub barrier: f64,
    /// Seconds for which a group waits at a barrier if there is nothing else to do.
    pub wait: f64,
    /// Seconds to start a kernel.
    pub launch: f64,
}
