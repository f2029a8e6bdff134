//! A plan: kernels, the buffers they work on, and the order of their launches.

use super::{Access, Kernel};
use crate::nat::{Nat, Var};
use crate::types::Scalar;

/// Index into [`Plan::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BufferId(pub usize);

/// The purpose of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Role {
    /// The caller's n-th array parameter (counting arrays and scalars together).
    Input(usize),
    /// The n-th result.
    Output(usize),
    /// An intermediate array, the plan's own.
    Temporary,
}

/// How an array lies in memory that others lie in, too: rows of it one after the other, with elements of others between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Rows {
    /// Elements of a row: of one or several of the array's inner dimensions.
    pub length: usize,
    /// Elements from where one begins to where the next one does.
    pub apart: usize,
}

/// A stretch of device memory: `length` scalars, dense, outer dimension slowest.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// The parameter's name, or what an intermediate array is to its reader.
    pub name: String,
    /// The type of its elements.
    pub scalar: Scalar,
    /// The number of its elements.
    pub length: usize,
    /// Who provides it, and who sees it.
    pub role: Role,
}

impl Buffer {
    /// Its size; saturates instead of overflowing.
    pub fn bytes(&self) -> usize {
        self.length.saturating_mul(self.scalar.bytes())
    }
}

/// One execution of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// Index into [`Plan::modules`].
    pub module: usize,
    /// Index into the kernels of that.
    pub kernel: usize,
    /// One buffer for each of the kernel's arrays, in order.
    pub arrays: Vec<BufferId>,
    /// For each of the kernel's scalars the caller's parameter that is passed.
    pub scalars: Vec<usize>,
    /// Work-items in dimensions 0 to 2, or work-groups where their size is given. Where one is 0 nothing is
    /// started: [`Launch::is_empty`].
    pub grid: [usize; 3],
    /// Work-items of a group; else the device chooses.
    pub group: Option<[usize; 3]>,
}

impl Launch {
    /// All work-items in dimensions 0 to 2.
    pub fn global(&self) -> [usize; 3] {
        let group = self.group.unwrap_or([1; 3]);
        [0, 1, 2].map(|d| self.grid[d].saturating_mul(group[d]))
    }

    /// No work-items, and so no work: it is not started. No device has to know what an empty grid means,
    /// and a kernel may rely on having at least one work-item.
    pub fn is_empty(&self) -> bool {
        self.global().contains(&0)
    }
}

/// Kernels that are printed as one text and built at once.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// Floats are computed in the order and with the roundings in which they are written.
    pub strict: bool,
    /// The values of the sizes that the kernels mention.
    pub sizes: Vec<(Var, i64)>,
    /// Each kernel once, however often it is launched.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// The value of a size.
    pub fn size(&self, size: &Var) -> Option<i64> {
        self.sizes.iter().find(|(var, _)| var == size).map(|(_, value)| *value)
    }

    /// The value of a length or an index; none where it depends on the index of a loop.
    pub fn value(&self, n: &Nat) -> Option<i64> {
        n.eval(&|v| self.size(v)).ok()
    }
}

/// Everything a device needs to run a program at fixed sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The name of the program.
    pub name: String,
    /// The values of the program's size parameters.
    pub sizes: Vec<(Var, i64)>,
    /// The positions of the caller's parameters that are declared `const`.
    pub constants: Vec<usize>,
    /// Everything that the launches work on: inputs, outputs and intermediate arrays.
    pub buffers: Vec<Buffer>,
    /// The kernels: one module for a program, several for a network of programs.
    pub modules: Vec<Module>,
    /// In the order in which they must take effect: each may read what those before it wrote.
    pub launches: Vec<Launch>,
}

impl Plan {
    /// Nothing is started: all results are empty. Then nothing has to be built either.
    pub fn is_idle(&self) -> bool {
        self.launches.iter().all(Launch::is_empty)
    }

    /// The kernel that a launch executes.
    pub fn kernel(&self, launch: &Launch) -> Option<&Kernel> {
        self.modules.get(launch.module)?.kernels.get(launch.kernel)
    }

    /// The kernels of all modules, each with its module.
    pub fn kernels(&self) -> impl Iterator<Item = (&Module, &Kernel)> {
        self.modules.iter().flat_map(|module| module.kernels.iter().map(move |kernel| (module, kernel)))
    }

    /// The buffers that a launch uses, and how.
    pub fn accesses<'a>(&'a self, launch: &'a Launch) -> impl Iterator<Item = (BufferId, Access)> + 'a {
        let arrays = self.kernel(launch).into_iter().flat_map(|k| &k.arrays);
        launch.arrays.iter().copied().zip(arrays.map(|(_, access)| *access))
    }
}
