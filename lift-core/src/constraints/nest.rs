//! The maps of a program that write, how they are nested, and the memory they use. Rules look at nothing else.

use crate::expr::NodeId;
use crate::hierarchy::Level;
use crate::hierarchy::{Parallel, Space};
use crate::low::Run;
use crate::nat::Nat;
use crate::syntax::Site;

/// Where a map runs (CC'22, table 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Code(pub i64);

/// A map that writes.
#[derive(Clone, Debug)]
pub struct Map {
    /// The expression that it comes from.
    pub id: NodeId,
    /// Where it stands in the user's source.
    pub site: Site,
    /// The maps around it, from the outside in, by their numbers.
    pub around: Vec<usize>,
    /// The number of its kernel. Kernels share nothing but global memory.
    pub kernel: usize,
    /// Where the program says that it runs.
    pub given: Option<Code>,
    /// The number of its elements, if types are known.
    pub extent: Option<Nat>,
    /// Is it perfectly nested: the whole body of the map around it?
    pub perfect: bool,
    /// What it does with private memory, if anything.
    pub private: Option<Use>,
    /// What it does with local memory, if anything.
    pub local: Option<Use>,
    /// Is it in the function of a `reduce`, `scan` or `iterate`?
    pub step: bool,
    /// Does it write global memory that is read in the same kernel?
    pub reread: bool,
    /// Do several of its elements write one place?
    pub overlaps: bool,
    /// The number of the memory that it goes over, if that memory is distributed over the work-items of a group.
    pub items: Option<usize>,
}

/// How a map uses some memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// It only reads the memory.
    Reads,
    /// It writes the memory.
    Writes,
}

/// A place where values are written: the end of a chain of nested maps.
#[derive(Clone, Debug)]
pub struct Write {
    /// Where it stands in the user's source.
    pub site: Site,
    /// The maps around it, from the outside in, by their numbers.
    pub around: Vec<usize>,
    /// The number of its kernel.
    pub kernel: usize,
    /// The memory that is written.
    pub space: Space,
}

/// Memory that was asked for.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Where it is asked for.
    pub site: Site,
    /// Which kind of memory it is.
    pub space: Space,
    /// The maps around it, from the outside in, by their numbers: each of their iterations has such memory.
    pub around: Vec<usize>,
    /// `None`: a buffer between kernels.
    pub kernel: Option<usize>,
    /// Its size, if types are known.
    pub bytes: Option<Nat>,
    /// The maps that write it.
    pub inside: Vec<usize>,
    /// Is it in a branch that not all work-items may take?
    pub branch: bool,
}

/// Everything about a program that the rules look at.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// The maps that write; the others of a program are read lazily, and are no loops.
    pub maps: Vec<Map>,
    /// The places where values are written.
    pub writes: Vec<Write>,
    /// The memory that is asked for.
    pub memory: Vec<Memory>,
}

impl Code {
    /// A loop of one work-item.
    pub const SEQUENTIAL: Code = Code(0);
    /// One loop with the map around it, which must do nothing else.
    pub const FUSED: Code = Code(1);

    /// All codes.
    pub const ALL: [Code; 11] = [
        Code(0),
        Code(1),
        Code(10),
        Code(11),
        Code(12),
        Code(20),
        Code(21),
        Code(22),
        Code(30),
        Code(31),
        Code(32),
    ];

    /// Over the work-items or work-groups of a level, in a dimension: 10, 20 or 30, and the dimension.
    pub fn spread(level: Level, dimension: i64) -> Code {
        Code(
            dimension
                + 10 * match level {
                    Level::Local => 1,
                    Level::Group => 2,
                    Level::Global => 3,
                },
        )
    }

    /// The codes of a level.
    pub fn level(level: Level) -> Vec<i64> {
        (0..3).map(|d| Code::spread(level, d).0).collect()
    }

    /// Level and dimension, if it is spread over work-items at all.
    pub fn parallel(self) -> Option<(Level, i64)> {
        let level = match self.0 / 10 {
            1 => Level::Local,
            2 => Level::Group,
            3 => Level::Global,
            _ => return None,
        };
        Some((level, self.0 % 10))
    }

    /// Where a map says that it runs; `None` if it does not.
    pub fn given(run: Run) -> Option<Code> {
        match run {
            Run::Open => None,
            Run::Unrolled | Run::As(Parallel::Sequential) => Some(Code::SEQUENTIAL),
            Run::As(Parallel::Global(d)) => Some(Code::spread(Level::Global, d.into())),
            Run::As(Parallel::Group(d)) => Some(Code::spread(Level::Group, d.into())),
            Run::As(Parallel::Local(d)) => Some(Code::spread(Level::Local, d.into())),
        }
    }

    /// The primitive.
    pub fn primitive(self) -> &'static str {
        match self.parallel() {
            None => "mapSeq",
            Some((Level::Local, _)) => "mapLcl",
            Some((Level::Group, _)) => "mapWrg",
            Some((Level::Global, _)) => "mapGlb",
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.parallel() {
            Some((_, d)) => write!(f, "`{}({d}, …)`", self.primitive()),
            None if *self == Code::FUSED => f.write_str("a map fused with the one around it"),
            None => f.write_str("`mapSeq`"),
        }
    }
}

impl Nest {
    /// The maps of a kernel, by their numbers.
    pub fn kernel(&self, kernel: usize) -> impl Iterator<Item = usize> {
        (0..self.maps.len()).filter(move |m| self.maps[*m].kernel == kernel)
    }

    /// The number of kernels.
    pub fn kernels(&self) -> usize {
        self.maps.iter().map(|m| m.kernel + 1).max().unwrap_or(0)
    }

    /// The maps inside a map.
    pub fn inside(&self, map: usize) -> impl Iterator<Item = usize> {
        (0..self.maps.len()).filter(move |n| self.maps[*n].around.contains(&map))
    }

    /// The map that is all that this one does.
    pub fn only(&self, map: usize) -> Option<usize> {
        (0..self.maps.len()).find(|n| self.maps[*n].perfect && self.maps[*n].around.last() == Some(&map))
    }

    /// For each memory that is distributed over work-items the maps that count its elements, dimension by dimension: each map
    /// that goes over the memory takes the next dimension.
    pub fn items(&self) -> Vec<Vec<Vec<usize>>> {
        let depth = |m: &Map| m.around.iter().filter(|n| self.maps[**n].items == m.items).count();
        let mut found = vec![vec![]; self.memory.len()];
        for (number, map) in self.maps.iter().enumerate() {
            if let Some(dimensions) = map.items.and_then(|memory| found.get_mut(memory)) {
                let depth = depth(map);
                dimensions.resize(dimensions.len().max(depth + 1), vec![]);
                dimensions[depth].push(number);
            }
        }
        found
    }

    /// Pairs of a map and one inside it.
    pub fn nested(&self) -> impl Iterator<Item = (usize, usize)> {
        self.maps.iter().enumerate().flat_map(|(n, map)| map.around.iter().map(move |m| (*m, n)))
    }
}

/// Is this the memory of a group, shared by its work-items or distributed over them?
pub(super) fn of_group(space: Space) -> bool {
    matches!(space, Space::Local | Space::Items)
}
