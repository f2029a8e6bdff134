//! What a device is, as far as the compiler, its estimates and a search need to know.
//!
//! A [`Target`] puts together what a driver tells of its device ([`Description`]: names, compute units, limits) and what
//! is known of the family that the device belongs to ([`Family`]: how many work-items run together, what each compute
//! unit does in a second, which forms a search begins with). The families are data files, `families/*.toml`, each with
//! its sources; no other part of the compiler names a vendor or a device.
//!
//! Every stage that asks something of the device takes a `&Target`: `lower` how much is kept in private memory,
//! `generate` how large groups are, `constraints` what placements must fit into, `cost` what takes how long. Where there
//! is no device, as in tests or where a kernel is only printed, they take [`Target::default`].
//!
//! **Room for intrinsics.** What only some devices compute in one instruction (a tile's multiply–accumulate, an integer
//! dot product, an asynchronous copy) is to be declared here: as a field of [`Target`] with a row for each, which says
//! what it means as an equation in primitives that there are, how it lies over lanes and registers, and, for each back
//! end, how it is spelled. A family's file lists those that its devices have. Nothing does so yet.

mod costs;
mod family;
mod limits;
mod measured;

pub use costs::Costs;
pub use family::{Family, Seed};
pub use limits::Limits;
pub use measured::Measured;

use serde::Deserialize;

/// A device, or a kind of devices, that programs are compiled for.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// The family that it belongs to.
    pub family: &'static Family,
    /// How its work-items are grouped.
    pub hierarchy: Hierarchy,
    /// What it has room for.
    pub limits: Limits,
    /// What it can do that not every device can.
    pub features: Features,
    /// How fast it does what.
    pub costs: Costs,
}

/// The two ways to run work-items in parallel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Many work-items at a time on each compute unit, several in lockstep.
    Gpu,
    /// One work-item at a time on each core, with vectors.
    Processor,
}

/// How the work-items of a device are grouped, from the outside in.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hierarchy {
    /// Cores, or a GPU's compute units: each runs whole work-groups.
    pub units: usize,
    /// Work-items of a group where a program leaves its size open.
    pub group: usize,
    /// Neighbouring work-items that run as one (a warp, wave or subgroup); 1 where each runs by itself.
    pub together: usize,
    /// Bytes that one instruction of a work-item computes with.
    pub vector: usize,
}

/// What not every device can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// 16-bit floats (`cl_khr_fp16`).
    pub f16: bool,
    /// 64-bit floats (`cl_khr_fp64`).
    pub f64: bool,
    /// Its compiler computes vectors that are wider than registers in several of them. GCC keeps them in memory.
    pub wide_vectors: bool,
    /// Its compiler makes vectors of loops that sum up or that have short loops in them, as C compilers do. OpenCL lets
    /// nobody take sums in another order unasked. Of no meaning for a GPU.
    pub vector_sums: bool,
}

/// What a driver tells of its device.
#[derive(Clone, PartialEq, Debug)]
pub struct Description {
    /// How it runs work-items.
    pub class: Class,
    /// What the device, its vendor and its driver are called, and, of a processor, the instruction sets that it has
    /// (`avx2`): families are recognised by parts of these.
    pub names: Vec<String>,
    /// Cores, or a GPU's compute units.
    pub units: usize,
    /// Its clock rate in Hz, if it is told.
    pub clock: Option<f64>,
    /// Bytes of the vectors that a core computes with; of no meaning for a GPU.
    pub vector: usize,
    /// What it has room for.
    pub limits: Limits,
    /// What it can do that not every device can.
    pub features: Features,
}

impl Description {
    /// Of a device that nothing but this is known of.
    pub fn unknown(class: Class, units: usize) -> Description {
        Description {
            class,
            names: vec![],
            units,
            clock: None,
            vector: 16,
            limits: Limits::default(),
            features: Features { f16: true, f64: true, wide_vectors: true, vector_sums: true },
        }
    }
}

/// Bytes of its own that a processor's work-item may have: they are on the stack, and fit the second cache with room for what
/// passes through it.
const ALONE: i64 = 64 << 10;

impl Target {
    /// The target that a description is of, by the first family that recognises it.
    pub fn of(description: &Description) -> Target {
        let family = Family::of(description);
        let hierarchy = family.hierarchy(description);
        let costs = family.costs(description, &hierarchy);
        let (mut limits, features) = (description.limits, description.features);
        if family.class() == Class::Processor {
            limits.alone = limits.alone.max(ALONE);
        }
        Target { family, hierarchy, limits, features, costs }
    }
}

impl Default for Target {
    /// Where there is no device: a GPU of no known family, with limits that nearly every device meets and every
    /// feature. What is compiled for it runs on whatever has that much room.
    fn default() -> Target {
        Target::of(&Description::unknown(Class::Gpu, 16))
    }
}

#[cfg(test)]
mod tests;
