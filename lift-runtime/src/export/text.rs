//! The files beside the program: the Makefile, and a page for people.

use super::host::Host;
use lift_core::kernel::Launch;
use lift_core::nat::Maker;

/// `make`, `make run`, `make check`.
pub fn makefile(host: &Host) -> String {
    let program = &host.program;
    let expected: String = host.expected.iter().map(|file| format!(" --expect {file}.npy")).collect();
    format!(
        "# For another system, name its compiler and its OpenCL:\n\
         # make CC=aarch64-linux-android30-clang CL_CFLAGS=-Isdk/include CL_LIBS='-Lsdk/lib -lOpenCL'\n\
         # Options of the program: make run ARGS='--device gpu --repeat 10'\n\
         CFLAGS ?= -O2\n\
         CL_CFLAGS ?=\n\
         CL_LIBS ?= -lOpenCL\n\
         ARGS ?=\n\
         \n\
         {program}: main.c host.h npy.h opencl.h\n\
         \t$(CC) -std=c99 -Wall -Wextra $(CFLAGS) $(CL_CFLAGS) -o $@ main.c $(LDFLAGS) $(CL_LIBS) -lm\n\
         \n\
         run: {program}\n\
         \t./{program} $(ARGS)\n\
         \n\
         check: {program}\n\
         \t./{program}{expected} $(ARGS)\n\
         \n\
         clean:\n\
         \trm -f {program}\n\
         \n\
         .PHONY: run check clean\n"
    )
}

/// The page that says what was exported. `data`: are arguments there? `expected`: are results?
pub fn readme(host: &Host, form: Option<&str>, data: bool, expected: bool) -> String {
    let Host { plan, program, .. } = host;
    let named = |schedule: bool| {
        let own = plan.sizes.iter().filter(move |(var, _)| (var.maker == Maker::Schedule) == schedule);
        own.map(|(var, value)| format!("{var} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let (sizes, parameters) = (named(false), named(true));
    // One may be called as a size is.
    let parameters = match &*parameters {
        "" => String::new(),
        some => format!("\nThe schedule's parameters: {some}.\n"),
    };
    let form = form.map(|form| format!("\nIt has the form `{form}`.\n")).unwrap_or_default();
    let given = match (data, expected) {
        (true, true) => "All are in this folder.",
        (true, false) => "Put what `make check` expects into this folder.",
        (false, _) => "Put what `make run` reads and `make check` expects into this folder.",
    };
    let once: String = host.launches(true).map(|launch| row(host, launch, "once")).collect();
    let each: String = host.launches(false).map(|launch| row(host, launch, "each run")).collect();
    format!(
        "# `{name}` in OpenCL\n\
         \n\
         Made by [lift](https://github.com/lift-rs/lift), for these sizes: {sizes}.\n\
         {parameters}{form}\
         \n\
         ```sh\n\
         make        # needs a C compiler, OpenCL's headers and libOpenCL\n\
         make run    # reads the arguments, runs the kernels, writes the results\n\
         make check  # and compares them with what is expected\n\
         ./{program} --list\n\
         ./{program} --device gpu --repeat 20\n\
         ```\n\
         \n\
         | file | what it is |\n\
         | --- | --- |\n\
         {kernels}\
         | `main.c` | what is launched, on which memory, in which order |\n\
         | `opencl.h`, `npy.h`, `host.h` | the same for every program |\n\
         {arrays}\
         \n\
         Arrays are in NumPy's format and in C's order. Sizes are fixed; an array of another shape or type is\n\
         refused. {given}\n\
         \n\
         | kernel | work-items | in groups of | runs |\n\
         | --- | --- | --- | --- |\n\
         {once}{each}\
         \n\
         ```text\n\
         {report}\
         ```\n",
        name = plan.name,
        sizes = if sizes.is_empty() { "none".into() } else { sizes },
        kernels = host.texts().iter().map(|(file, _)| kernels(file)).collect::<String>(),
        arrays = arrays(host),
        report = plan.report(),
    )
}

fn kernels(file: &str) -> String {
    format!("| `{file}` | the kernels; read when the program starts |\n")
}

fn row(host: &Host, launch: &Launch, when: &str) -> String {
    let by = |sizes: [usize; 3]| sizes.map(|n| n.to_string()).join(" × ");
    let kernel = &host.plan.modules[launch.module].kernel_names()[launch.kernel];
    let group = launch.group.map_or("any size".into(), by);
    format!("| `{kernel}` | {} | {group} | {when} |\n", by(launch.global()))
}

fn arrays(host: &Host) -> String {
    let parameters = host.signature.parameters.iter().enumerate().zip(&host.parameters);
    let parameters = parameters.map(|((n, p), file)| {
        let constant = if host.plan.constants.contains(&n) { "constant" } else { "argument" };
        format!("| `{file}.npy` | {constant} `{}: {}`, of shape {:?} |\n", p.name, p.ty(), p.shape)
    });
    let results = host.signature.results.iter().zip(host.results.iter().zip(&host.expected));
    let results = results.map(|((scalar, shape), (file, expected))| {
        format!(
            "| `{file}.npy` | result of `{scalar}`, of shape {shape:?}; `{expected}.npy` is what is expected |\n"
        )
    });
    parameters.chain(results).collect()
}
