//! The device memory of a plan, to be read by people.

use super::{Memory, Plan, Purpose};
use std::fmt;

/// All memory of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The name of the program.
    pub program: String,
    /// Each allocation: the names of the buffers in it, its purpose, and its bytes.
    pub slots: Vec<(String, Purpose, usize)>,
    /// What each kernel needs besides.
    pub kernels: Vec<Needs>,
}

impl Plan {
    /// All memory that it takes, to be read by people.
    pub fn report(&self) -> Report {
        Report::of(self, &self.memory())
    }
}

/// The memory that a kernel needs besides its buffers.
#[derive(Clone, PartialEq, Debug)]
pub struct Needs {
    /// The name of the kernel.
    pub kernel: String,
    /// For each work-group, exactly.
    pub local: usize,
    /// For each work-item, an estimate of the registers.
    pub private: usize,
}

impl Report {
    /// The report on a plan whose buffers are laid out as `memory` says.
    pub fn of(plan: &Plan, memory: &Memory) -> Report {
        let slot = |s: &super::Slot| (s.name(plan), s.purpose, s.bytes);
        let needs = |(module, k): (&super::Module, &super::Kernel)| Needs {
            kernel: k.name.clone(),
            local: k.local_bytes(module),
            private: k.private_bytes(module),
        };
        let mut slots: Vec<_> = memory.slots.iter().map(slot).collect();
        slots.sort_by_key(|(_, purpose, _)| *purpose);
        Report { program: plan.name.clone(), slots, kernels: plan.kernels().map(needs).collect() }
    }

    /// Bytes of all slots together that runs need, or of those that are freed once all is prepared.
    fn bytes(&self, freed: bool) -> usize {
        let slots = self.slots.iter().filter(|(_, purpose, _)| (*purpose == Purpose::Source) == freed);
        slots.map(|(.., bytes)| *bytes).fold(0, usize::saturating_add)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Purpose::Input => "input",
            Purpose::Constant => "constant",
            Purpose::Output => "output",
            Purpose::Prepared => "prepared once",
            Purpose::Temporary => "temporary",
            Purpose::Source => "to prepare",
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let freed = match self.bytes(true) {
            0 => String::new(),
            freed => format!(", and {freed} more while it prepares what depends on constants alone"),
        };
        writeln!(f, "`{}` takes {} bytes of device memory{freed}", self.program, self.bytes(false))?;
        for (name, purpose, bytes) in &self.slots {
            writeln!(f, "  {bytes:>12}  {purpose:<13}  {name}")?;
        }
        for Needs { kernel, local, private } in &self.kernels {
            writeln!(f, "`{kernel}`: {local} bytes of local memory a group, about {private} a work-item")?;
        }
        Ok(())
    }
}
