//! The built-in CPU device: kernels as C, built by the system's compiler, loaded, and run over all
//! cores.

mod compiler;
mod library;
mod memory;
mod process;
mod run;

pub use compiler::compiler;

use super::driver::{Driver, Kind, Loaded};
use crate::cache::Cache;
use crate::there::Stored;
use crate::{Error, Settings, threads};
use compiler::Compiler;
use lift_core::kernel::{Memory, Plan};
use lift_core::target::{Class, Description, Features};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The built-in device: the cores of this machine.
pub struct Cpu {
    settings: Settings,
    cache: Cache,
    compiler: OnceLock<Arc<Compiler>>,
    /// How many arrays were copied to and from arrays that stay on the device.
    copies: Arc<AtomicUsize>,
}

impl Cpu {
    pub fn new(settings: &Settings) -> Cpu {
        Cpu {
            settings: settings.clone(),
            cache: Cache::new(settings.cache.clone(), settings.cache_limit),
            compiler: OnceLock::new(),
            copies: Arc::default(),
        }
    }

    /// Looked for when first needed. That there is none is not remembered: one may be installed.
    fn compiler(&self) -> Result<&Compiler, Error> {
        match self.compiler.get() {
            Some(compiler) => Ok(compiler),
            None => {
                let found = compiler(&self.settings)?;
                Ok(self.compiler.get_or_init(|| found))
            }
        }
    }
}

/// The widest instruction set for vectors that this processor has, and their bytes.
fn vectors() -> (&'static str, usize) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        return ("avx512", 64);
    } else if std::arch::is_x86_feature_detected!("avx2") {
        return ("avx2", 32);
    }
    if cfg!(target_arch = "aarch64") { ("neon", 16) } else { ("", 16) }
}

impl Driver for Cpu {
    fn name(&self) -> String {
        "cpu".into()
    }

    fn describe(&self) -> String {
        format!("cpu (built in, {} threads)", threads::count())
    }

    fn kind(&self) -> Kind {
        Kind::BuiltIn
    }

    fn version(&self) -> String {
        self.compiler().map_or_else(|_| "no compiler".into(), Compiler::version)
    }

    /// Kernels are built for the processor that this runs on, by a compiler that knows all types.
    fn description(&self) -> Description {
        let (set, vector) = vectors();
        let names = vec![self.name(), set.to_string()];
        let unknown = Description::unknown(Class::Processor, threads::count());
        let wide_vectors = self.compiler().is_ok_and(Compiler::is_clang);
        let features = Features { wide_vectors, ..unknown.features };
        Description { names, vector, features, ..unknown }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn answers(&self, wanted: &str) -> bool {
        wanted == "cpu"
    }

    unsafe fn load(&self, plan: &Plan, memory: &Memory) -> Result<Box<dyn Loaded>, Error> {
        let compiler = self.compiler()?;
        let built = |n: usize| {
            let module = &plan.modules[n];
            let (text, names) = (plan.c_of(n), module.kernel_names());
            // SAFETY: the printer gives every kernel the type `library::Kernel`, and the caller promises that
            // the kernels' indices are in bounds.
            unsafe { library::build(compiler, &self.cache, &text, &names, module.strict) }
        };
        let libraries = threads::map((0..plan.modules.len()).collect(), built);
        let libraries = libraries.into_iter().collect::<Result<_, _>>()?;
        Ok(Box::new(run::Program::new(plan, memory, libraries)))
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Stored>, Error> {
        Ok(Box::new(memory::Array::new(bytes, &self.copies)?))
    }

    /// Arguments and results on the host are read and written where they are.
    fn copies(&self) -> usize {
        self.copies.load(Ordering::Relaxed)
    }
}
