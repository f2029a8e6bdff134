//! What a user may want otherwise: where built kernels are kept, and which C compiler is used.

use etcetera::BaseStrategy;
use std::path::PathBuf;

/// How devices build kernels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    /// The folder of built kernels; without one nothing is kept on disk.
    pub cache: Option<PathBuf>,
    /// Whether the binaries of OpenCL programs are kept there. Without a wish they are, unless the driver does better
    /// by itself: pocl keeps what it has built, and to give a binary it compiles every kernel once more.
    pub binaries: Option<bool>,
    /// The C compiler of the built-in CPU device, arguments allowed (`ccache gcc`). Without one: the
    /// variable `CC`, else `cc`, `gcc` or `clang`, whichever runs first.
    pub compiler: Option<String>,
}

impl Default for Settings {
    /// The user's cache folder (`~/.cache/lift` on Linux) and the system's compiler.
    fn default() -> Settings {
        let cache = etcetera::choose_base_strategy().ok().map(|folders| folders.cache_dir().join("lift"));
        Settings { cache, binaries: None, compiler: None }
    }
}
