//! The program-specific part of the host code: which launches, on which memory, in which order.

use super::npy;
use crate::device::OPTIONS;
use crate::{Compiled, Signature};
use lift_core::kernel::{Entity, Launch, Memory, Names, Plan, Purpose, Role};
use lift_core::target::Hierarchy;
use std::collections::HashSet;

/// The names of a program's parts in its folder.
pub struct Host<'a> {
    pub plan: &'a Plan,
    pub memory: &'a Memory,
    pub signature: &'a Signature,
    /// Of the device that the kernels were made for: which work-groups are tried first.
    pub hierarchy: Hierarchy,
    /// The command, and the kernels' file without its ending.
    pub program: String,
    /// Files of arrays, without their ending `.npy`.
    pub parameters: Vec<String>,
    pub results: Vec<String>,
    pub expected: Vec<String>,
}

/// Names that the Makefile's targets have taken, and names under which `make` looks for a Makefile.
const TAKEN: &[&str] = &["all", "run", "check", "clean", "makefile", "gnumakefile"];

/// The name of the command.
fn command(wanted: &str) -> String {
    let name = lift_core::kernel::word(wanted);
    // Some file systems do not tell upper from lower case.
    if TAKEN.contains(&name.to_lowercase().as_str()) { format!("{name}_2") } else { name }
}

/// Where a line of the program begins.
const INDENT: &str = "\n    ";

impl<'a> Host<'a> {
    pub fn new(compiled: &'a Compiled) -> Host<'a> {
        let (plan, memory, signature) = (compiled.plan(), compiled.memory(), compiled.signature());
        let hierarchy = compiled.device().target().hierarchy;
        let mut taken = HashSet::new();
        // Some file systems do not tell upper from lower case.
        let mut file = |wanted: &str| {
            let letter = |c: char| if c.is_alphanumeric() { c } else { '_' };
            let wanted: String = wanted.trim_start_matches("r#").chars().map(letter).collect();
            let others = (2..).map(|k| format!("{wanted}_{k}"));
            let mut all = std::iter::once(wanted.clone()).chain(others);
            all.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
        };
        let parameters = signature.parameters.iter().map(|p| file(&p.name)).collect();
        let results = signature.results.iter().map(|_| file("output")).collect();
        let expected = signature.results.iter().map(|_| file("expected")).collect();
        let program = command(&plan.name);
        Host { plan, memory, signature, hierarchy, program, parameters, results, expected }
    }

    /// The files of kernels, one for each module, with their texts.
    pub fn texts(&self) -> Vec<(String, String)> {
        let file = |n: usize| match n {
            0 => format!("{}.cl", self.program),
            n => format!("{}_{}.cl", self.program, n + 1),
        };
        (0..self.plan.modules.len()).map(|n| (file(n), self.plan.opencl_of(n))).collect()
    }

    /// The launches that prepare, or the others; empty launches are left out.
    pub fn launches(&self, prepare: bool) -> impl Iterator<Item = &'a Launch> {
        let launches = self.plan.launches.iter().zip(&self.memory.prepares);
        launches.filter(move |(l, p)| **p == prepare && !l.is_empty()).map(|(l, _)| l)
    }

    /// The C program.
    pub fn main(&self) -> String {
        let Host { program, signature, .. } = self;
        let variables = Variables::new(self);
        let arrays = self.arrays(&variables);
        let device = self.device(&variables);
        let memory = self.buffers(&variables);
        let results = self.finish(&variables);
        let free = self.free(&variables);
        let count = signature.results.len();
        let once: String = self.launches(true).map(|l| self.launch(l, &variables, INDENT)).collect();
        let once = match once.as_str() {
            "" => String::new(),
            _ => {
                let sources = self.memory_for(&variables, |purpose| purpose == Purpose::Source);
                let freed: String = sources.map(|m| format!("{INDENT}clReleaseMemObject({m});")).collect();
                format!(
                    "\n\n    /* Of constants alone: once. */{once}{INDENT}opencl_report(&cl, \"once\", 1);{freed}"
                )
            }
        };
        let each: String = self.launches(false).map(|l| self.launch(l, &variables, "\n        ")).collect();
        format!(
            r#"/* Runs `{program}` on an OpenCL device, on arrays in .npy files. Made by lift; see README.md. */

#include "host.h"
#include "npy.h"
#include "opencl.h"

int main(int argc, char** argv)
{{
    struct options options = options_of(argc, argv, {count});
    if (options.list) {{
        opencl_find(NULL, true);
        return EXIT_SUCCESS;
    }}

    /* Arguments and results. */{arrays}

    /* The device and its kernels. */{device}

    /* The device's memory. */{memory}{once}

    /* The first run warms the device up; the others are timed together. */
    for (long k = 0; k <= options.repeat; k++) {{{each}
        if (k == 0) {{
            opencl_report(&cl, "first run", 1);
        }}
    }}
    if (options.repeat > 0) {{
        opencl_report(&cl, "median", (size_t)options.repeat);
    }}

    /* The results. */
    int status = EXIT_SUCCESS;{results}
{free}
    return status;
}}
"#
        )
    }

    fn arrays(&self, variables: &Variables) -> String {
        let array = |shape: &[usize]| match shape {
            [] => "0, NULL".to_string(),
            _ => format!("{}, (size_t[]){}", shape.len(), list(shape)),
        };
        let parameters = self.signature.parameters.iter().zip(&variables.parameters).zip(&self.parameters);
        let parameters = parameters.map(|((p, variable), file)| {
            let file = literal(&format!("{file}.npy"));
            let (ty, shape) = (npy::ty(p.scalar), array(&p.shape));
            format!("{INDENT}struct npy {variable} = npy_read({file}, \"{ty}\", {shape});")
        });
        let results = self.signature.results.iter().zip(&variables.results);
        let results = results.map(|((scalar, shape), variable)| {
            format!("{INDENT}struct npy {variable} = npy_new(\"{}\", {});", npy::ty(*scalar), array(shape))
        });
        parameters.chain(results).collect()
    }

    fn device(&self, variables: &Variables) -> String {
        let open = format!("{INDENT}struct opencl cl = opencl_open(options.device);");
        if self.plan.is_idle() {
            return open;
        }
        let source = self.plan.opencl();
        // The printer names the extensions that its text needs.
        let needs = ["cl_khr_fp64", "cl_khr_fp16"].into_iter().filter(|name| source.contains(name));
        let needs: String = needs.map(|name| format!("{INDENT}opencl_needs(&cl, \"{name}\");")).collect();
        let modules = self.plan.modules.iter().zip(&variables.kernels).zip(self.texts());
        let modules = modules.map(|((module, variables), (file, _))| {
            let kernels = module.kernel_names().into_iter().zip(variables).map(|(name, variable)| {
                format!("{INDENT}cl_kernel {variable} = opencl_kernel(&cl, \"{name}\");")
            });
            let kernels: String = kernels.collect();
            format!("{INDENT}opencl_build(&cl, \"{file}\", \"{OPTIONS}\");{kernels}")
        });
        let modules: String = modules.collect();
        format!("{open}{needs}{modules}")
    }

    /// Allocations, and the copies of arguments.
    fn buffers(&self, variables: &Variables) -> String {
        let slots = self.memory.slots.iter().zip(&variables.memory).map(|(slot, variable)| {
            let flags = match slot.purpose {
                Purpose::Input | Purpose::Constant | Purpose::Source => "CL_MEM_READ_ONLY",
                Purpose::Output | Purpose::Prepared | Purpose::Temporary => "CL_MEM_READ_WRITE",
            };
            let (name, bytes) = (literal(&slot.name(self.plan)), slot.bytes);
            format!("{INDENT}cl_mem {variable} = opencl_memory(&cl, {name}, {flags}, {bytes});")
        });
        let writes = self.plan.buffers.iter().zip(&variables.buffers).filter_map(|(buffer, memory)| {
            let Role::Input(n) = buffer.role else { return None };
            let array = &variables.parameters[n];
            Some(format!("{INDENT}opencl_write(&cl, {memory}, {array}.data, {array}.bytes);"))
        });
        let locations = self.memory.locations.iter().zip(&self.plan.buffers).zip(&variables.buffers);
        let parts = locations.filter(|((at, _), _)| at.offset > 0).map(|((at, buffer), variable)| {
            let (whole, offset) = (&variables.memory[at.slot], at.offset);
            let (name, bytes) = (literal(&buffer.name), buffer.bytes());
            format!("{INDENT}cl_mem {variable} = opencl_part({whole}, {name}, {offset}, {bytes});")
        });
        slots.chain(parts).chain(writes).collect()
    }

    fn finish(&self, variables: &Variables) -> String {
        let reads = self.plan.buffers.iter().zip(&variables.buffers).filter_map(|(buffer, memory)| {
            let Role::Output(n) = buffer.role else { return None };
            let array = &variables.results[n];
            let file = literal(&format!("{}.npy", self.results[n]));
            Some(format!(
                r#"
    opencl_read(&cl, {memory}, {array}.data, {array}.bytes);
    npy_write({file}, &{array});
    if (options.files > {n} && !npy_compare({file}, &{array}, options.expected[{n}], options.tolerance)) {{
        status = EXIT_FAILURE;
    }}"#
            ))
        });
        reads.collect()
    }

    fn free(&self, variables: &Variables) -> String {
        let arrays = variables.parameters.iter().chain(&variables.results);
        let arrays = arrays.map(|array| format!("{INDENT}npy_free(&{array});"));
        let memory = self.memory_for(variables, |purpose| purpose != Purpose::Source);
        let locations = self.memory.locations.iter().zip(&variables.buffers);
        // Parts are released before the whole, the last one first: NVIDIA's driver 580.159 crashes otherwise.
        let parts = locations.filter(|(at, _)| at.offset > 0).map(|(_, variable)| variable).rev();
        let memory = parts.chain(memory).map(|m| format!("{INDENT}clReleaseMemObject({m});"));
        let kernels = variables.kernels.iter().flatten().filter(|_| !self.plan.is_idle());
        let kernels = kernels.map(|k| format!("{INDENT}clReleaseKernel({k});"));
        let last = ["opencl_close(&cl);", "free(options.expected);"].map(|line| format!("{INDENT}{line}"));
        arrays.chain(memory).chain(kernels).chain(last).collect()
    }

    /// The variables of the slots for such purposes.
    fn memory_for<'v>(
        &'v self,
        variables: &'v Variables,
        wanted: impl Fn(Purpose) -> bool + 'v,
    ) -> impl Iterator<Item = &'v String> {
        let slots = self.memory.slots.iter().zip(&variables.memory);
        slots.filter(move |(slot, _)| wanted(slot.purpose)).map(|(_, variable)| variable)
    }

    /// The start of a kernel on its arrays and scalars.
    fn launch(&self, launch: &Launch, variables: &Variables, indent: &str) -> String {
        let kernel = &variables.kernels[launch.module][launch.kernel];
        let arrays = launch.arrays.iter().map(|id| variables.buffers[id.0].as_str());
        let arrays = arrays.collect::<Vec<_>>().join(", ");
        let count = launch.arrays.len();
        let scalars = (count..).zip(&launch.scalars).map(|(k, n)| {
            let array = &variables.parameters[*n];
            format!("{indent}opencl_scalar({kernel}, {k}, {array}.data, {array}.bytes);")
        });
        let scalars: String = scalars.collect();
        let (items, group) = (list(&launch.global()), self.group(launch, kernel, indent));
        format!(
            "{indent}opencl_arrays({kernel}, {count}, (cl_mem[]){{{arrays}}});{scalars}\
             {indent}opencl_launch(&cl, {kernel}, (size_t[]){items},{group});"
        )
    }

    /// The size of a launch's work-groups, or the sizes that a device may choose from.
    fn group(&self, launch: &Launch, kernel: &str, indent: &str) -> String {
        if let Some(group) = launch.group {
            return format!(" (size_t[]){}", list(&group));
        }
        let groups: Vec<String> = launch.groups(&self.hierarchy).iter().map(|group| list(group)).collect();
        let lines: Vec<String> = groups.chunks(8).map(|line| line.join(", ")).collect();
        let (count, groups) = (groups.len(), lines.join(&format!(",{indent}        ")));
        let other = self.plan.group_on_processor(launch);
        let other = other.map_or("NULL".into(), |group| format!("(size_t[]){}", list(&group)));
        format!(
            "{indent}    opencl_group(&cl, {kernel}, {other}, {count}, (const size_t[][3]){{{indent}        {groups}}})"
        )
    }
}

/// The names of the C program's variables; each ends in what it is.
struct Variables {
    parameters: Vec<String>,
    results: Vec<String>,
    /// By module.
    kernels: Vec<Vec<String>>,
    /// Of slots, and of buffers: its slot's, if that begins where the buffer does.
    memory: Vec<String>,
    buffers: Vec<String>,
}

impl Variables {
    fn new(host: &Host) -> Variables {
        let mut names = Names::default();
        let mut number = 0;
        let mut variable = |wanted: &str, what: &str| {
            number += 1;
            names.of(Entity::Numbered("variable", number), &format!("{wanted}_{what}"))
        };
        let mut array = |name: &String| variable(name, "array");
        let parameters = host.parameters.iter().map(&mut array).collect();
        let results = host.results.iter().map(array).collect();
        let modules = host.plan.modules.iter();
        let kernels =
            modules.map(|m| m.kernels.iter().map(|k| variable(&k.name, "kernel")).collect()).collect();
        let memory = host.memory.slots.iter().map(|slot| match slot.buffers[..] {
            [only] => variable(&host.plan.buffers[only.0].name, "memory"),
            _ => variable("shared", "memory"),
        });
        let memory: Vec<String> = memory.collect();
        let buffers =
            host.memory.locations.iter().zip(&host.plan.buffers).map(|(at, buffer)| match at.offset {
                0 => memory[at.slot].clone(),
                _ => variable(&buffer.name, "memory"),
            });
        let buffers = buffers.collect();
        Variables { parameters, results, kernels, memory, buffers }
    }
}

fn list(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    format!("{{{}}}", sizes.join(", "))
}

/// A string of C: letters and digits are written as Rust does.
fn literal(text: &str) -> String {
    format!("{text:?}")
}
