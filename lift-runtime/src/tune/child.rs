//! A worker, seen from the tuner: started, asked, and ended when it does not answer.

use super::folder::{Folder, VARIABLE};
use super::limits::Launcher;
use super::message::{Lines, Reply};
use super::restart;
use crate::{Error, threads};
use std::io::{self, Read, Write};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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
    /// Has the system been asked how it ended? Until then its number is nobody else's.
    waited: bool,
    tasks: Sender<String>,
    replies: Receiver<Reply>,
    said: Arc<Mutex<Vec<u8>>>,
    /// Reads what it says, as long as it says something.
    listener: Option<JoinHandle<()>>,
    /// Where it and its compiler put what goes with them, however they end.
    _folder: Folder,
}

/// How often the flag that stops a search is looked at.
const TICK: Duration = Duration::from_millis(20);

/// A process whose output is closed ends at once, or is made to.
const LAST: Duration = Duration::from_secs(1);

/// The variables that tell programs where temporary files go.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Bytes that are kept of what a worker says: the last ones.
const TAIL: usize = 2000;

/// Answers of a worker that may wait to be heard.
const REPLIES: usize = 4;

impl Launcher {
    /// This program.
    ///
    /// # Errors
    /// [`Error::NoWorker`] if it has not called [`super::worker()`].
    pub fn this() -> Result<Launcher, Error> {
        if !restart::prepared() {
            return Err(Error::NoWorker);
        }
        let program = restart::program()
            .map_err(|error| Error::Io { doing: "this program can't be found".into(), error })?;
        Ok(Launcher { program, arguments: vec![] })
    }

    /// Starts a worker in a temporary folder of its own, and tells it the folder's token.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder or the process can't be made; [`Error::WorkerLost`] if it has no pipes.
    pub fn start(&self) -> Result<Child, Error> {
        let mut command = Command::new(&self.program);
        let environment = crate::device::environment().iter().cloned();
        command.args(&self.arguments).env_clear().envs(environment);
        // The last that it says is told as the reason for its end: no place for a backtrace.
        command.env("RUST_BACKTRACE", "0");
        // The built-in device's name tells of its threads.
        command.env("RAYON_NUM_THREADS", threads::count().to_string());
        let unmade = |error| Error::Io { doing: "a temporary folder can't be made".into(), error };
        let folder = Folder::new().map_err(unmade)?;
        command.env(VARIABLE, folder.path()).envs(TEMPORARY.map(|name| (name, folder.path())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Ctrl-C is for the tuner: it ends its worker when it has kept what was found.
            command.process_group(0);
            if restart::is_itself(&self.program) {
                std::env::args_os().next().map(|name| command.arg0(name));
            }
        }
        let started = restart::unchanged(&self.program).and_then(|()| command.spawn());
        let process = started.map_err(|error| Error::Io { doing: self.failure(), error })?;
        Child::new(process, folder)
    }

    fn failure(&self) -> String {
        match restart::is_itself(&self.program) {
            true => "this program can't be started again, to try candidates".into(),
            false => format!("{} can't be started", self.program.display()),
        }
    }
}

impl Child {
    /// A process that was just started, from here on listened to. Where that is not possible, it is ended.
    fn new(mut process: process::Child, folder: Folder) -> Result<Child, Error> {
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (tasks, lines) = channel();
        // A worker answers each task once. One that goes on is not listened to before that was heard.
        let (send, replies) = sync_channel(REPLIES);
        let said = Arc::new(Mutex::new(vec![]));
        let kept = said.clone();
        let token = folder.token().to_string();
        let mut child =
            Child { process, waited: false, tasks, replies, said, listener: None, _folder: folder };
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(Error::WorkerLost("it has no pipes".into()));
        };
        threads::start("a worker's tasks", move || write(input, &lines))?;
        threads::start("a worker's answers", move || read(output, &send))?;
        child.listener = Some(threads::start("a worker's errors", move || keep_tail(errors, &kept))?);
        child.send(token);
        Ok(child)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Gives a task without waiting for the answer.
    pub fn send(&self, line: String) {
        if let Err(error) = self.tasks.send(line) {
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
        soon(|| self.has_ended());
        self.kill();
        self.waited = true;
        let status = self.process.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        soon(|| self.listener.as_ref().is_none_or(JoinHandle::is_finished));
        let said = crate::threads::lock(&self.said);
        let last = String::from_utf8_lossy(&said).trim().to_string();
        if last.is_empty() { status } else { format!("{status}; it said: {last}") }
    }

    /// Has the process ended? The system still knows it.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let number = Pid::from_raw(self.process.id() as i32);
        number.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Ends it, and with it a compiler that it may have started, and that may have outlived it.
    fn kill(&mut self) {
        if self.waited {
            return;
        }
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.process.id() as i32)
            && let Err(error) = rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
        {
            log::debug!("a worker's processes can't be ended: {error}");
        }
        if let Err(error) = self.process.kill() {
            log::debug!("a worker can't be ended: {error}");
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        if let Err(error) = self.process.wait() {
            log::debug!("a worker can't be waited for: {error}");
        }
    }
}

/// Waits a moment for something that is about to happen.
fn soon(mut happened: impl FnMut() -> bool) {
    let until = Instant::now() + LAST;
    while !happened() && Instant::now() < until {
        std::thread::sleep(TICK);
    }
}

/// A worker may not read, and a pipe holds only so much. One that is gone is found out when its answer does not
/// come.
fn write(mut to: ChildStdin, lines: &Receiver<String>) {
    let all = lines.iter().try_for_each(|line| to.write_all(line.as_bytes()).and_then(|()| to.flush()));
    if let Err(error) = all {
        log::debug!("a worker takes no more tasks: {error}");
    }
}

/// Drivers and kernels may print anything.
fn read(from: ChildStdout, replies: &SyncSender<Reply>) {
    let lines = Lines::new(io::BufReader::new(from));
    let mut found = lines.filter_map(|line| Reply::read(&String::from_utf8_lossy(&line)));
    // Until nobody listens any more.
    found.all(|reply| replies.send(reply).is_ok());
}

/// Reads all there is, since a full pipe would stop the writer, and keeps the end of it.
fn keep_tail(mut from: impl Read, to: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let mut kept = crate::threads::lock(to);
        kept.extend(&bytes[..count]);
        let surplus = kept.len().saturating_sub(TAIL);
        kept.drain(..surplus);
    }
}
