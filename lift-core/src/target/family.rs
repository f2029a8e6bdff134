//! Families of devices: what is known of them beyond what a driver tells, read from a file each.
//!
//! The files are part of the library and are read when they are first needed: expanding the macro never does.

use super::{Class, Costs, Description, Hierarchy, Measured};
use serde::Deserialize;
use std::sync::OnceLock;

/// The files, by their families' names. The first that knows one of a device's names is its family, so what is narrow
/// stands before what is wide; else the first processor whose vectors are no longer; else the unknown one of its class.
static FILES: [(&str, &str); 10] = [
    ("nvidia", include_str!("families/nvidia.toml")),
    ("mali-bifrost", include_str!("families/mali-bifrost.toml")),
    ("mali-bifrost-wide", include_str!("families/mali-bifrost-wide.toml")),
    ("mali-valhall", include_str!("families/mali-valhall.toml")),
    ("adreno", include_str!("families/adreno.toml")),
    ("avx512", include_str!("families/avx512.toml")),
    ("avx2", include_str!("families/avx2.toml")),
    ("neon", include_str!("families/neon.toml")),
    ("unknown-gpu", include_str!("families/unknown-gpu.toml")),
    ("unknown-processor", include_str!("families/unknown-processor.toml")),
];

/// Devices that are alike.
#[derive(Clone, PartialEq, Debug)]
pub struct Family {
    /// The name of its file.
    pub name: &'static str,
    file: File,
}

/// A form to begin a search with.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// How many times as long as the model of costs says it took, where that was measured; else 1.
    #[serde(default = "one")]
    pub times: f64,
    /// A schedule, its options and its point, as a store of what was tuned writes them.
    pub form: String,
}

fn one() -> f64 {
    1.0
}

/// What a file says. [`Costs`] and [`Hierarchy`] say what the figures mean.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    class: Class,
    /// A part of one of a device's names, whatever the case, each.
    #[serde(default)]
    names: Vec<String>,
    /// A processor that no name tells is recognised by vectors of at least so many bytes.
    vector: Option<usize>,
    hierarchy: Grouping,
    costs: Figures,
    /// What the device was measured to do that these costs are of, if one was.
    measured: Option<Measured>,
    /// In the order in which they are tried.
    #[serde(default)]
    seeds: Vec<Seed>,
    /// Families whose seeds are tried, too.
    #[serde(default)]
    seeds_of: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Grouping {
    group: usize,
    together: usize,
    /// A processor's driver tells it.
    vector: Option<usize>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Figures {
    /// The clock rate, in Hz, that `issue` and `near` are stated at: they are scaled to the device's own.
    /// Without one they are taken as they stand.
    clock: Option<f64>,
    issue: f64,
    /// 0 if it is not given: other work-items go on.
    #[serde(default)]
    latency: f64,
    busy: f64,
    resident: f64,
    registers: Registers,
    near: f64,
    line: i64,
    banks: i64,
    load: f64,
    /// 0 where nothing asks for it, as of a GPU.
    #[serde(default)]
    second: f64,
    far: Far,
    /// 0 if it is not given.
    #[serde(default)]
    answer: f64,
    barrier: f64,
    wait: f64,
    launch: f64,
}

/// Registers: bytes of a unit and the most of one work-item, or the vector registers of a core, all of which its only
/// work-item has.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
enum Registers {
    Bytes {
        unit: f64,
        item: f64,
    },
    Vectors {
        vectors: f64,
        /// So many have a scalar that vectors are computed with, in each lane: none where instructions take it from memory.
        broadcast: f64,
    },
}

/// Bytes in a second from the device's memory; in proportion to the units where devices of the family differ much.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(untagged, rename_all_fields = "kebab-case")]
enum Far {
    Whole(f64),
    PerUnit { per_unit: f64 },
}

/// Some of what a kernel keeps in vectors is never there at the same time, so that more fits than there are registers.
const REUSED: f64 = 1.25;

/// The least vector: a scalar.
const SCALAR: usize = 4;

impl Family {
    /// All families, in the order in which they are asked.
    pub fn all() -> &'static [Family] {
        static ALL: OnceLock<Vec<Family>> = OnceLock::new();
        ALL.get_or_init(|| FILES.iter().map(|(name, text)| Family::read(name, text)).collect())
    }

    /// The family of this name.
    pub fn named(name: &str) -> Option<&'static Family> {
        Family::all().iter().find(|family| family.name == name)
    }

    /// The family that a device belongs to.
    pub fn of(description: &Description) -> &'static Family {
        let own = || Family::all().iter().filter(|family| family.class() == description.class);
        // Names say more than vectors do: not only AVX2's have 32 bytes.
        let named = own().find(|family| family.is_called(&description.names));
        let wide =
            || own().find(|family| family.file.vector.is_some_and(|least| description.vector >= least));
        let found = named.or_else(wide).or_else(|| own().find(|family| family.is_unknown()));
        found.unwrap_or_else(|| unreachable!("each class has a family for all others"))
    }

    /// The files are part of this library, and a test reads them all.
    fn read(name: &'static str, text: &str) -> Family {
        let file = basic_toml::from_str(text);
        Family { name, file: file.unwrap_or_else(|e| unreachable!("families/{name}.toml: {e}")) }
    }

    /// How its devices run work-items.
    pub fn class(&self) -> Class {
        self.file.class
    }

    /// Is it the family of all devices of its class that no other recognises?
    pub fn is_unknown(&self) -> bool {
        self.file.names.is_empty()
    }

    /// What the device was measured to do that its costs are of.
    pub fn measured(&self) -> Option<&Measured> {
        self.file.measured.as_ref()
    }

    /// Instructions and bytes of near memory in a second of a unit of that device.
    pub(super) fn issue(&self) -> f64 {
        self.file.costs.issue
    }

    pub(super) fn near(&self) -> f64 {
        self.file.costs.near
    }

    /// The forms that a search on its devices begins with, in their order: its own, and then those of the families that
    /// its file names. How the time of these was off from the model's on other devices says nothing of this one.
    pub fn seeds(&self) -> Vec<Seed> {
        let mut all = self.file.seeds.clone();
        for family in self.file.seeds_of.iter().filter_map(|name| Family::named(name)) {
            for seed in &family.file.seeds {
                if all.iter().all(|other| other.form != seed.form) {
                    all.push(Seed { times: 1.0, ..seed.clone() });
                }
            }
        }
        all
    }

    fn is_called(&self, names: &[String]) -> bool {
        self.file.names.iter().any(|part| names.iter().any(|name| has(name, part)))
    }

    /// What its file says of groups and vectors, with the device's own number of units.
    pub(super) fn hierarchy(&self, description: &Description) -> Hierarchy {
        let Grouping { group, together, vector } = self.file.hierarchy;
        let vector = vector.unwrap_or(description.vector).max(SCALAR);
        Hierarchy { units: description.units.max(1), group, together, vector }
    }

    /// What its file says of times, for a device of so many units and of its clock rate.
    pub(super) fn costs(&self, description: &Description, hierarchy: &Hierarchy) -> Costs {
        let Figures { latency, busy, resident, line, banks, load, second, answer, .. } = self.file.costs;
        let Figures { barrier, wait, launch, .. } = self.file.costs;
        let own = description.clock.filter(|clock| *clock > 0.0);
        let faster = own.zip(self.file.costs.clock).map_or(1.0, |(own, stated)| own / stated);
        let (registers, most_registers, in_a_loop, broadcast) = match self.file.costs.registers {
            Registers::Bytes { unit, item } => (unit, item, f64::INFINITY, 0.0),
            Registers::Vectors { vectors, broadcast } => {
                let vector = hierarchy.vector as f64;
                let bytes = vector * vectors * REUSED;
                (bytes, bytes, vector * vectors, vector * broadcast)
            }
        };
        let far = match self.file.costs.far {
            Far::Whole(bytes) => bytes,
            Far::PerUnit { per_unit: bytes } => bytes * hierarchy.units as f64,
        };
        let (issue, near) = (self.file.costs.issue * faster, self.file.costs.near * faster);
        Costs {
            issue,
            latency,
            busy,
            resident,
            registers,
            most_registers,
            in_a_loop,
            broadcast,
            near,
            line,
            banks,
            load,
            second,
            far,
            answer,
            barrier,
            wait,
            launch,
        }
    }
}

/// Is `part` in a name, whatever the case, and the number at its end whole there? `Mali-G71` is not in `Mali-G710`.
fn has(name: &str, part: &str) -> bool {
    let (name, part) = (name.to_lowercase(), part.to_lowercase());
    let whole = |at: usize| {
        let ends = part.ends_with(|c: char| c.is_ascii_digit());
        !(ends && name[at + part.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    name.match_indices(&part).any(|(at, _)| whole(at))
}
