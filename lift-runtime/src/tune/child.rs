//! A worker, seen from the tuner: started, asked, and ended when it does not answer.

use super::message::Reply;
use super::worker::{VARIABLE, prepared};
use crate::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Why there is no answer.
#[derive(Debug)]
pub enum Silence {
    /// There was no time for it.
    Late,
    /// The process ended; how, and the last that it said.
    Died(String),
    /// Nobody wants to know any more.
    Stopped,
}

/// A running worker. Dropped, it ends.
pub struct Child {
    process: process::Child,
    input: ChildStdin,
    replies: Receiver<Reply>,
    said: Arc<Mutex<Vec<u8>>>,
    /// Where it and its compiler put what goes with them, however they end.
    _folder: TempDir,
}

/// How to start a worker: this program, without arguments, unless told otherwise.
#[derive(Clone, Debug)]
pub struct Launcher {
    pub program: std::path::PathBuf,
    pub arguments: Vec<String>,
}

/// The flag that stops a search is looked at so often.
const TICK: Duration = Duration::from_millis(20);

/// By which programs know where temporary files go.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// So much of what a worker says is kept.
const TAIL: usize = 2000;

impl Launcher {
    /// This program.
    ///
    /// # Errors
    /// [`Error::NoWorker`] if it has not called [`super::worker`].
    pub fn this() -> Result<Launcher, Error> {
        if !prepared() {
            return Err(Error::NoWorker);
        }
        let program = std::env::current_exe()
            .map_err(|error| Error::Io { doing: "this program can't be found".into(), error })?;
        Ok(Launcher { program, arguments: vec![] })
    }

    pub fn start(&self) -> Result<Child, Error> {
        let mut command = Command::new(&self.program);
        let environment = crate::device::environment().iter().cloned();
        command.args(&self.arguments).env_clear().envs(environment).env(VARIABLE, "1");
        // The built-in device's name tells of its threads.
        command.env("RAYON_NUM_THREADS", rayon::current_num_threads().to_string());
        let unmade = |error| Error::Io { doing: "a temporary folder can't be made".into(), error };
        let folder = tempfile::tempdir().map_err(unmade)?;
        command.envs(TEMPORARY.map(|name| (name, folder.path())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for the tuner: it ends its worker when it has kept what was found.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let failed =
            |error| Error::Io { doing: format!("{} can't be started", self.program.display()), error };
        let mut process = command.spawn().map_err(failed)?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(Error::WorkerLost("it has no pipes".into()));
        };
        let (send, replies) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.filter_map(|line| Reply::read(&line)).try_for_each(|reply| send.send(reply))
        });
        let said = Arc::new(Mutex::new(vec![]));
        let kept = said.clone();
        std::thread::spawn(move || keep_tail(errors, &kept));
        Ok(Child { process, input, replies, said, _folder: folder })
    }
}

impl Child {
    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Gives a task without waiting for the answer.
    pub fn send(&mut self, line: &str) {
        // A worker that is gone is found out when its answer does not come.
        if let Err(error) = self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush()) {
            log::debug!("a worker takes no tasks: {error}");
        }
    }

    /// Waits for the answer.
    pub fn receive(&mut self, until: Instant, stopped: &dyn Fn() -> bool) -> Result<Reply, Silence> {
        loop {
            match self.replies.recv_timeout(TICK) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Died(self.end())),
                Err(RecvTimeoutError::Timeout) if stopped() => return Err(Silence::Stopped),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => return Err(Silence::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How the process ended.
    fn end(&mut self) -> String {
        // Its output is closed: it ends at once, or is made to.
        let until = Instant::now() + Duration::from_secs(1);
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(TICK);
        }
        kill(&mut self.process);
        let status = self.process.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        let said = crate::remembered::lock(&self.said);
        let last = String::from_utf8_lossy(&said).trim().to_string();
        if last.is_empty() { status } else { format!("{status}; it said: {last}") }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        kill(&mut self.process);
        if let Err(error) = self.process.wait() {
            log::debug!("a worker can't be waited for: {error}");
        }
    }
}

/// Ends a worker, and with it a compiler that it may have started.
fn kill(process: &mut process::Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(process.id() as i32)
        && matches!(process.try_wait(), Ok(None))
    {
        // Else it has ended by itself, and its number may be another's.
        if let Err(error) = rustix::process::kill_process_group(group, rustix::process::Signal::KILL) {
            log::debug!("a worker's processes can't be ended: {error}");
        }
    }
    if let Err(error) = process.kill() {
        log::debug!("a worker can't be ended: {error}");
    }
}

/// Reads all there is, since a full pipe would stop the writer, and keeps the end of it.
fn keep_tail(mut from: impl Read, to: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let mut kept = crate::remembered::lock(to);
        kept.extend(&bytes[..count]);
        let surplus = kept.len().saturating_sub(TAIL);
        kept.drain(..surplus);
    }
}
