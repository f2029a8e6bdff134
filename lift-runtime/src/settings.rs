//! Settings: where built kernels are kept, and which C compiler is used.

use crate::trust;
use etcetera::BaseStrategy;
use std::path::PathBuf;

/// How devices build kernels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    /// The folder of built kernels; without one nothing is kept on disk.
    /// The folder is made for the user alone; one that others own or may write to is not used.
    pub cache: Option<PathBuf>,
    /// Bytes that the folder may take, 512 MiB without a wish: what was used longest ago makes room.
    pub cache_limit: u64,
    /// Whether the binaries of OpenCL programs are kept there. Without a wish they are, unless the driver does better
    /// by itself: pocl keeps what it has built, and to give a binary it compiles every kernel once more.
    pub binaries: Option<bool>,
    /// The C compiler of the built-in CPU device, arguments allowed (`ccache gcc`). Without one: the
    /// variable `CC`, else `cc`, `gcc` or `clang`, whichever runs first. A program that is set-uid does not obey its
    /// caller's variables: it takes those of `/usr/bin`.
    pub compiler: Option<String>,
}

impl Default for Settings {
    /// The user's cache folder (`~/.cache/lift` on Linux) and the system's compiler. A program that is set-uid
    /// has no cache, since its caller's variables would say where that is.
    fn default() -> Settings {
        let folders = etcetera::choose_base_strategy().ok().filter(|_| !trust::elevated());
        let cache = folders.map(|folders| folders.cache_dir().join("lift"));
        Settings { cache, cache_limit: 512 << 20, binaries: None, compiler: None }
    }
}
