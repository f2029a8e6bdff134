//! Commands that must come to an end.

use crate::trust;
use std::io;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Runs a command without input until it ends, and answers with what it said.
///
/// # Errors
/// It can't be started, or has not ended in this time; then it is ended.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Output> {
    if trust::elevated() {
        // The caller's variables say where compilers find their parts.
        command.env_clear().env("PATH", "/usr/bin:/bin");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    system::run(command, limit)
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub fn run(command: &mut Command, _: Duration) -> io::Result<Output> {
        command.output()
    }
}

/// Output of a command is read as far as it is there, and never waited for: a process that the command
/// started and left behind may hold its pipes open. So this needs no thread, which may not be available, and
/// no file, on a disk that may be full.
#[cfg(unix)]
mod system {
    use super::*;
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process};
    use std::io::{Error, ErrorKind, Read};
    use std::os::fd::AsFd;
    use std::process::{Child, ChildStderr, ChildStdout, ExitStatus};
    use std::time::Instant;

    /// Nobody reads more.
    const MOST: usize = 16 << 20;

    /// How long a command that was asked to end may take: compilers remove their files.
    const GRACE: Duration = Duration::from_millis(500);

    pub fn run(command: &mut Command, limit: Duration) -> io::Result<Output> {
        let mut running = Running::new(limited(command, limit)?);
        match running.wait(limit) {
            Ok(Some(status)) => Ok(Output { status, stdout: running.output, stderr: running.errors }),
            other => {
                running.end()?;
                let what = format!("it did not end within {} s", limit.as_secs_f64());
                Err(other.err().unwrap_or_else(|| Error::new(ErrorKind::TimedOut, what)))
            }
        }
    }

    /// Starts a command, and limits the time on a processor of it and of each process that it starts: a compiler that is ended may
    /// leave the one behind that does its work. The limit is set once the command has begun: to set it in between, all of this
    /// process's memory would be mapped a second time.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn limited(command: &mut Command, limit: Duration) -> io::Result<Child> {
        let child = command.spawn()?;
        limit_with_children(child.id(), seconds(limit));
        Ok(child)
    }

    /// Children have the limit of the process that starts them; those that were started before are limited one by one.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn limit_with_children(process: u32, limit: Rlimit) {
        let Some(id) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return };
        // Without it the command is ended all the same.
        let _ = rustix::process::prlimit(Some(id), Resource::Cpu, limit);
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        let children = children.unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).for_each(|child| {
            limit_with_children(child, limit);
        });
    }

    /// The same where a process can only limit itself.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn limited(command: &mut Command, limit: Duration) -> io::Result<Child> {
        use std::os::unix::process::CommandExt;
        let limits = seconds(limit);
        let set = move || {
            let _ = rustix::process::setrlimit(Resource::Cpu, limits);
            Ok(())
        };
        // SAFETY: what runs in the new process before it becomes the command makes one system call, and neither allocates nor locks.
        unsafe { command.pre_exec(set) };
        command.spawn()
    }

    pub fn seconds(limit: Duration) -> Rlimit {
        let seconds = Some(limit.as_secs() + 1);
        Rlimit { current: seconds, maximum: seconds }
    }

    struct Running {
        child: Child,
        pipes: (Option<ChildStdout>, Option<ChildStderr>),
        output: Vec<u8>,
        errors: Vec<u8>,
    }

    impl Running {
        fn new(mut child: Child) -> Running {
            let pipes = (child.stdout.take(), child.stderr.take());
            Running { child, pipes, output: vec![], errors: vec![] }
        }

        /// Asks again and again, the longer it takes the more seldom.
        fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
            let start = Instant::now();
            loop {
                // In this order: when it has ended, all that it said is there.
                let status = self.child.try_wait()?;
                read(&mut self.pipes.0, &mut self.output)?;
                read(&mut self.pipes.1, &mut self.errors)?;
                let taken = start.elapsed();
                if status.is_some() || taken >= limit {
                    return Ok(status);
                }
                let pause = (taken / 32).clamp(Duration::from_micros(200), Duration::from_millis(20));
                std::thread::sleep(pause.min(limit - taken));
            }
        }

        fn end(&mut self) -> io::Result<()> {
            // A compiler that is asked to end removes its files.
            if let Some(id) = Pid::from_raw(self.child.id() as i32) {
                let _ = kill_process(id, Signal::TERM);
            }
            if matches!(self.wait(GRACE), Ok(Some(_))) {
                return Ok(());
            }
            self.child.kill()?;
            self.child.wait().map(drop)
        }
    }

    /// Reads what is there now, at most a little more than a pipe holds, so that a command that writes
    /// without end does not keep this busy.
    fn read<P: Read + AsFd>(pipe: &mut Option<P>, all: &mut Vec<u8>) -> io::Result<()> {
        let Some(pipe) = pipe else { return Ok(()) };
        fcntl_setfl(pipe.as_fd(), OFlags::NONBLOCK)?;
        let mut part = [0; 1 << 14];
        for _ in 0..100 {
            match pipe.read(&mut part) {
                Ok(0) => return Ok(()),
                Ok(length) => all.extend(&part[..length.min(MOST - all.len())]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::path::Path;
    use std::time::Instant;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_is_said_is_heard() {
        let said = run(&mut shell("cat; echo out; echo err >&2; exit 3"), Duration::from_secs(60)).unwrap();
        assert_eq!(
            (said.status.code(), &said.stdout[..], &said.stderr[..]),
            (Some(3), &b"out\n"[..], &b"err\n"[..])
        );
    }

    #[test]
    fn much_can_be_said() {
        let said = run(&mut shell("head -c 3000000 /dev/zero"), Duration::from_secs(60)).unwrap();
        assert_eq!(said.stdout.len(), 3_000_000);
    }

    /// A compiler's driver ends, and what it started goes on for no longer than itself might have.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn what_is_left_behind_ends() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("id");
        let script = format!("(while :; do :; done) & echo $! > {}; wait", kept.display());
        let error = run(&mut shell(&script), Duration::from_millis(500)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let id = std::fs::read_to_string(&kept).unwrap();
        let state = Path::new("/proc").join(id.trim()).join("stat");
        // Nobody may be there to ask how it ended.
        let goes_on = || std::fs::read_to_string(&state).is_ok_and(|state| !state.contains(") Z "));
        let start = Instant::now();
        while goes_on() {
            assert!(start.elapsed() < Duration::from_secs(60), "it goes on");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Where a machine is busy, a command has started another before its time is limited.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn what_was_started_before_has_the_limit() {
        use std::io::{BufRead, BufReader};
        let script = "sh -c 'sleep 100 & echo $!; wait' & echo $!; wait";
        let mut child = shell(script).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().take(2);
        let started: Vec<String> = lines.map(Result::unwrap).collect();
        system::limit_with_children(child.id(), system::seconds(Duration::from_secs(60)));
        let limits = started.iter().map(|id| std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap());
        let limited =
            limits.map(|all| all.lines().any(|l| l.starts_with("Max cpu time") && l.contains("61")));
        assert_eq!(limited.collect::<Vec<_>>(), [true; 2]);
        shell(&format!("kill {}", started.join(" "))).status().unwrap();
        child.wait().unwrap();
    }

    /// Also one that does not want to, and whatever it leaves behind.
    #[test]
    fn what_does_not_end_is_ended() {
        let start = Instant::now();
        for script in ["exec sleep 100", "exec cat /dev/zero", "trap '' TERM; while :; do sleep 1; done"] {
            let error = run(&mut shell(script), Duration::from_millis(200)).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
        }
        let said = run(&mut shell("sleep 20 & echo started"), Duration::from_secs(10)).unwrap();
        assert_eq!(said.stdout, b"started\n");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
