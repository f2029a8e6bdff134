//! Why a program's kernels are as they are, and the work that they do, counted from the kernels' trees.

use crate::kernel::{Expr, Kernel, Launch, Plan, Purpose, Stmt};
use crate::nat::Var;
use crate::schedules::{self, Candidate, Schedule};
use std::collections::BTreeMap;
use std::fmt;

/// An account of a plan: how it was derived, with which parameters, and the work of each launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The name of the program.
    pub program: String,
    /// Name, source and options of the schedule that derived it.
    pub schedule: Option<(&'static str, &'static str, Vec<&'static str>)>,
    /// The rules that fired, each with how often.
    pub rules: Vec<(&'static str, usize)>,
    /// The schedule's parameters that the program has, with their values.
    pub parameters: Vec<Parameter>,
    /// One entry for each launch, in order.
    pub launches: Vec<Done>,
    /// Bytes of inputs and outputs: any program with these results reads and writes at least as much.
    pub least_bytes: usize,
}

/// A parameter of the schedule and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Its name in the program.
    pub name: String,
    /// Its value in this plan.
    pub value: i64,
    /// Its meaning, in the schedule's words.
    pub meaning: &'static str,
}

/// The work of one launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// The name of the kernel.
    pub kernel: String,
    /// Is it done only for new constants?
    pub prepares: bool,
    /// Work-items, or work-groups where their size is given.
    pub grid: [usize; 3],
    /// Work-items of a group, where the plan fixes that.
    pub group: Option<[usize; 3]>,
    /// Floating-point operations of all its work-items, a fused multiply-add counted as two.
    pub flops: u128,
    /// Bytes of its arrays, each once.
    pub array_bytes: usize,
    /// Bytes that its work-items load from global memory and store there, caches left out of account.
    pub global_bytes: u128,
    /// The same of local memory.
    pub local_bytes: u128,
    /// Why there are barriers, and in how many places.
    pub barriers: Vec<(String, usize)>,
    /// Why there are guards, and in how many places.
    pub guards: Vec<(String, usize)>,
}

/// Explains a plan, and how it was derived where a schedule did that.
pub fn explain(plan: &Plan, candidate: Option<&Candidate>) -> Explanation {
    let memory = plan.memory();
    let callers = [Purpose::Input, Purpose::Constant, Purpose::Source, Purpose::Output];
    let schedule = candidate.and_then(|c| Schedule::named(c.schedule));
    Explanation {
        program: plan.name.clone(),
        schedule: candidate
            .zip(schedule)
            .map(|(c, schedule)| (schedule.name, schedule.source, c.options.clone())),
        rules: candidate.map_or_else(Vec::new, rules),
        parameters: schedule.map_or_else(Vec::new, |schedule| parameters(plan, schedule)),
        launches: plan.launches.iter().zip(&memory.prepares).map(|(l, p)| done(plan, l, *p)).collect(),
        least_bytes: callers.map(|purpose| memory.bytes_for(purpose)).into_iter().sum(),
    }
}

/// In the order in which they were first used.
fn rules(candidate: &Candidate) -> Vec<(&'static str, usize)> {
    let mut found: Vec<(&'static str, usize)> = vec![];
    for step in &candidate.steps {
        match found.iter_mut().find(|(name, _)| *name == step.rule) {
            Some((_, count)) => *count += 1,
            None => found.push((step.rule, 1)),
        }
    }
    found
}

/// The schedule's parameters that the program has.
fn parameters(plan: &Plan, schedule: &Schedule) -> Vec<Parameter> {
    let one = |parameter: &schedules::Parameter| {
        let var = Var::parameter(parameter.name);
        let (_, value) = plan.sizes.iter().find(|(v, _)| *v == var)?;
        Some(Parameter { name: var.to_string(), value: *value, meaning: parameter.meaning })
    };
    schedule.parameters.iter().filter_map(one).collect()
}

/// Counts and reasons of one launch.
fn done(plan: &Plan, launch: &Launch, prepares: bool) -> Done {
    let module = &plan.modules[launch.module];
    let kernel = &module.kernels[launch.kernel];
    let work = kernel.work(module);
    let (barriers, guards) = reasons(kernel);
    Done {
        kernel: kernel.name.clone(),
        prepares,
        grid: launch.grid,
        group: launch.group,
        flops: work.flops,
        array_bytes: launch.arrays.iter().map(|b| plan.buffers[b.0].bytes()).sum(),
        global_bytes: work.global_bytes,
        local_bytes: work.local_bytes,
        barriers,
        guards,
    }
}

/// Reasons with the number of places that have them.
type Reasons = Vec<(String, usize)>;

/// Why there are barriers and guards: barriers carry their reason, and what a guard is for
/// is read from what stands in it.
fn reasons(kernel: &Kernel) -> (Reasons, Reasons) {
    let (mut barriers, mut guards) = (BTreeMap::new(), BTreeMap::new());
    for stmt in kernel.item.as_ref().unwrap_or(&kernel.body) {
        stmt.visit(&mut |stmt| {
            if let Stmt::Barrier(reason) = stmt {
                *barriers.entry(reason.clone()).or_default() += 1;
            }
            if let Stmt::If(Expr::Test(_), then, otherwise) = stmt {
                *guards.entry(conditional(then, otherwise)).or_default() += 1;
            }
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| {
                    if let Expr::Select(condition, a, b) = e
                        && matches!(**condition, Expr::Test(_))
                    {
                        *guards.entry(selected(a, b)).or_default() += 1;
                    }
                });
            }
        });
    }
    (barriers.into_iter().collect(), guards.into_iter().collect())
}

/// A statement that depends on indices.
fn conditional(then: &[Stmt], otherwise: &[Stmt]) -> String {
    let mut written = vec![];
    then.iter().chain(otherwise).for_each(|stmt| {
        stmt.visit(&mut |stmt| {
            if let Stmt::Store(array, ..) = stmt {
                written.push(array.name.to_string());
            }
        });
    });
    written.sort();
    written.dedup();
    match written.is_empty() {
        true => "a computation is done for some indices only".into(),
        false => format!("`{}` is written for some indices only", written.join("`, `")),
    }
}

/// A value that depends on indices.
fn selected(a: &Expr, b: &Expr) -> String {
    let loads = |e: &Expr| {
        let mut read = vec![];
        e.visit(&mut |e| {
            if let Expr::Load(array, ..) = e {
                read.push(array.name.to_string());
            }
        });
        read.sort();
        read.dedup();
        read
    };
    match (&loads(a)[..], &loads(b)[..]) {
        ([], []) => "a value depends on the index".into(),
        (read, []) => format!("an index may be outside `{}`: there it is {b}", read.join("`, `")),
        ([], read) => format!("an index may be outside `{}`: there it is {a}", read.join("`, `")),
        (one, other) => {
            format!("`{}` for some indices, `{}` for others", one.join("`, `"), other.join("`, `"))
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`", self.program)?;
        if let Some((name, source, options)) = &self.schedule {
            let with = if options.is_empty() { "no options".into() } else { options.join(", ") };
            writeln!(f, " by the schedule `{name}` ({source}), {with}")?;
            let steps: usize = self.rules.iter().map(|(_, count)| count).sum();
            let rules: Vec<String> =
                self.rules.iter().map(|(name, count)| format!("{name} × {count}")).collect();
            writeln!(f, "derived in {steps} steps: {}", rules.join(", "))?;
        } else {
            writeln!(f, " as it is written")?;
        }
        for Parameter { name, value, meaning } in &self.parameters {
            writeln!(f, "  {name} = {value}: {meaning}")?;
        }
        self.launches.iter().try_for_each(|done| write!(f, "{done}"))?;
        let every_run = || self.launches.iter().filter(|d| !d.prepares);
        let flops: u128 = every_run().map(|d| d.flops).sum();
        let planned: usize = every_run().map(|d| d.array_bytes).sum();
        writeln!(f, "each run: {flops} FLOPs")?;
        writeln!(
            f,
            "  {} bytes of arguments and results: {} FLOPs a byte at best",
            self.least_bytes,
            intensity(flops, self.least_bytes as u128)
        )?;
        writeln!(
            f,
            "  {planned} bytes with every kernel's arrays read and written once: {} FLOPs a byte",
            intensity(flops, planned as u128)
        )
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let once = if self.prepares { ", once for the same constants" } else { "" };
        writeln!(f, "kernel `{}`{once}", self.kernel)?;
        match self.group {
            Some(group) => writeln!(
                f,
                "  {} work-groups ({}) of {} work-items ({})",
                product(self.grid),
                by(self.grid),
                product(group),
                by(group)
            )?,
            None => writeln!(f, "  {} work-items ({})", product(self.grid), by(self.grid))?,
        }
        writeln!(f, "  {} FLOPs on {} bytes of arrays", self.flops, self.array_bytes)?;
        let loaded = intensity(self.flops, self.global_bytes);
        writeln!(f, "  loads and stores of {} bytes: {loaded} FLOPs a byte", self.global_bytes)?;
        if self.local_bytes > 0 {
            let loaded = intensity(self.flops, self.local_bytes);
            writeln!(f, "  of {} bytes in local memory: {loaded} FLOPs a byte", self.local_bytes)?;
        }
        for (what, reasons) in [("barrier", &self.barriers), ("guard", &self.guards)] {
            for (reason, places) in reasons {
                let places = if *places == 1 { String::new() } else { format!(", in {places} places") };
                writeln!(f, "  {what}: {reason}{places}")?;
            }
        }
        Ok(())
    }
}

fn product(sizes: [usize; 3]) -> usize {
    sizes.into_iter().fold(1, usize::saturating_mul)
}

fn by([x, y, z]: [usize; 3]) -> String {
    format!("{x} × {y} × {z}")
}

/// Arithmetic intensity: operations for each byte.
fn intensity(flops: u128, bytes: u128) -> String {
    if bytes == 0 { "no".into() } else { format!("{:.2}", flops as f64 / bytes as f64) }
}
