//! The process that runs candidates: this program, started again.
//!
//! A library has no second program to start, and a user's program should need no second file beside
//! it. So the tuner starts the running program again, with a variable set, and [`worker`], called
//! first in `main`, does not return there. It holds the device over many candidates, since starting a
//! driver takes long, and ends when its standard input does: when the tuner ends, however that
//! happens.

use super::bench::{Bench, Fault};
use super::folder::{VARIABLE, Workplace};
use super::message::{Reply, Task};
use super::{Stages, Trial, restart};
use crate::entry::from_json;
use crate::{Device, Error, Settings, threads};
use lift_core::{Program, Sizes};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// Call this first in the `main` of a program that tunes: where the program was started to run
/// candidates, it does so and ends; elsewhere this does nothing.
pub fn worker() {
    // SAFETY: kernels stay as they are.
    unsafe { worker_with(|_, _| {}) }
}

/// A worker whose candidates' kernels are changed before they are built: how tests find out that wrong
/// results, crashes and endless loops are noticed.
///
/// # Safety
/// The kernels' indices must stay in bounds of their buffers, but where the process is to crash.
#[doc(hidden)]
pub unsafe fn worker_with(fault: Fault) {
    restart::remember();
    let Some(folder) = std::env::var_os(VARIABLE) else { return };
    // Anybody can set a variable, and a program that is started by a worker inherits it.
    match Workplace::enter(Path::new(&folder), std::io::stdin().lock()) {
        Ok(place) => {
            let place = Arc::new(place);
            serve(fault, &place);
            abandoned(&place)
        }
        Err(why) => {
            eprintln!(
                "the variable {VARIABLE} is set, as it is where a tuner starts its own program to try candidates, \
                 but no tuner started this process: {why}"
            );
            std::process::exit(1)
        }
    }
}

fn serve(fault: Fault, place: &Arc<Workplace>) {
    // Where memory runs out, the system is to end this process and not another (Linux only).
    if let Err(error) = std::fs::write("/proc/self/oom_score_adj", "1000") {
        log::debug!("this process is as likely to be ended as any other: {error}");
    }
    let tasks = match tasks(place.clone()) {
        Ok(tasks) => tasks,
        Err(error) => return drop(say(&Reply::Failed(error.to_string()))),
    };
    let mut bench = None;
    for task in tasks {
        let reply = match task {
            Task::Start { program, sizes, device, number, compiler, seed, memory } => {
                limit(memory);
                match start(&program, &sizes, &device, number, compiler, seed) {
                    Ok(mut new) => {
                        new.fault = fault;
                        bench = Some(new);
                        Reply::Ready
                    }
                    Err(reason) => Reply::Failed(reason),
                }
            }
            Task::Prepare { choice, program, sizes } => match given(&program, &sizes) {
                Ok((program, sizes)) => {
                    reply(bench.as_mut().map(|bench| bench.prepare(&choice, &program, &sizes)))
                }
                Err(reason) => Reply::Failed(reason),
            },
            Task::Time { kept } => bench.as_ref().map_or_else(nothing, |bench| Reply::Done(bench.time(kept))),
            Task::Keep | Task::Drop => bench.as_mut().map_or_else(nothing, |bench| {
                bench.keep(matches!(task, Task::Keep));
                Reply::Kept
            }),
        };
        if say(&reply).is_err() {
            return;
        }
    }
}

fn say(reply: &Reply) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(reply.line().as_bytes()).and_then(|()| out.flush())
}

/// Limits the memory of this process, so that memory runs out here and nowhere else. Only what it can write
/// counts, since drivers for GPUs reserve addresses without end.
fn limit(memory: Option<u64>) {
    #[cfg(unix)]
    if let Some(bytes) = memory {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        if let Err(error) = setrlimit(Resource::Data, limit) {
            log::debug!("memory is not limited: {error}");
        }
    }
}

/// Tasks as they come. A candidate may never end: it is the reader that notices that nobody waits
/// for it any more.
fn tasks(place: Arc<Workplace>) -> Result<Receiver<Task>, Error> {
    let (send, receive) = channel();
    threads::start("a tuner's tasks", move || {
        let lines = std::io::stdin().lock().lines().map_while(Result::ok);
        for task in lines.map_while(|line| serde_json::from_str(&line).ok()) {
            if send.send(task).is_err() {
                break;
            }
        }
        abandoned(&place);
    })?;
    Ok(receive)
}

/// Nobody is there any more who would tidy up.
fn abandoned(place: &Workplace) -> ! {
    place.remove();
    // A compiler may run, too. The group is this worker's if it is the first of it.
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};
        if getpgrp() == getpid()
            && let Err(error) = kill_current_process_group(Signal::KILL)
        {
            log::debug!("a compiler can't be ended: {error}");
        }
    }
    std::process::exit(0)
}

fn reply(result: Option<Result<Stages, Trial>>) -> Reply {
    result.map_or_else(nothing, |result| result.map_or_else(Reply::Done, Reply::Prepared))
}

fn nothing() -> Reply {
    Reply::Failed("there is nothing to measure".into())
}

/// A program and its sizes, as they were sent.
fn given(program: &str, sizes: &[Option<i64>]) -> Result<(Program, Sizes), String> {
    let program = from_json(program).map_err(|e| e.to_string())?;
    let named =
        program.sizes().iter().zip(sizes).filter_map(|(size, value)| Some((size.var.clone(), (*value)?)));
    let sizes = Sizes(named.collect());
    Ok((program, sizes))
}

fn start(
    program: &str,
    sizes: &[Option<i64>],
    device: &[String; 2],
    number: usize,
    compiler: Option<String>,
    seed: u64,
) -> Result<Bench, String> {
    let (program, sizes) = given(program, sizes)?;
    // Of the many kernels that are tried, few are worth keeping.
    let settings = Settings { cache: None, compiler, ..Settings::default() };
    let is_it = |d: &Device| [d.to_string(), d.version()] == *device;
    let cpu = Device::cpu_with(&settings);
    // Its worker starts no driver.
    let all = if is_it(&cpu) { vec![cpu] } else { Device::all_with(&settings) };
    // If several devices are the same, the one that was meant.
    let alike = all.iter().filter(|d| is_it(d));
    let found = alike.min_by_key(|d| d.number() != number).ok_or_else(|| {
        let others: Vec<String> = all.iter().map(|d| format!("{d} ({})", d.version())).collect();
        format!("{} ({}) is not there any more, but {}", device[0], device[1], others.join(", "))
    })?;
    Bench::new(&program, &sizes, found, seed).map_err(|e| e.to_string())
}
