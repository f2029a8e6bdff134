//! Other libraries, run by a script of Python that this program starts and talks to.

use crate::cases::Case;
use crate::data::Data;
use crate::flags::Flags;
use lift::Kind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long everyone waits between turns where the system does not tell what other processes compute: threads of some
/// libraries go on looking for work for about as long after a call, and take a core of whoever is next.
const PAUSE: Duration = Duration::from_millis(200);
/// How long everyone waits at most where the system tells.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the script is watched at a time, and how much of that it may compute to count as idle.
const WATCHED: Duration = Duration::from_millis(5);
const IDLE: Duration = Duration::from_micros(250);

/// The script, running.
pub struct Peers {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Of the arrays that it is given.
    folder: TempDir,
    list: List,
}

#[derive(Default, Deserialize)]
struct List {
    peers: Vec<Found>,
    missing: Vec<Missing>,
}

#[derive(Deserialize)]
struct Found {
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct Missing {
    name: String,
    why: String,
    pip: String,
}

/// The answer to most requests.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    how: String,
    seconds: f64,
    least: f64,
}

impl Peers {
    /// Starts the script for a kind of device.
    pub fn start(flags: &Flags, kind: Kind) -> Result<Peers, Box<dyn Error>> {
        let script = script(flags)?;
        let mut command = Command::new(&flags.python);
        command.arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped());
        if kind == Kind::Gpu {
            command.arg("cuda");
        }
        let mut child = command.spawn().map_err(|e| format!("`{}`: {e}", flags.python.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the script has no pipes".into());
        };
        let folder = tempfile::tempdir()?;
        let (requests, answers) = (Some(requests), BufReader::new(answers));
        let mut peers = Peers { child, requests, answers, folder, list: List::default() };
        peers.list = peers.ask(&json!({"do": "list"}))?;
        Ok(peers)
    }

    /// The names of those that are there.
    pub fn names(&self) -> Vec<String> {
        self.list.peers.iter().map(|peer| peer.name.clone()).collect()
    }

    /// A line for each: what is there, and how to get what is not.
    pub fn lines(&self) -> Vec<String> {
        let found = self.list.peers.iter().map(|peer| format!("{} {}", peer.name, peer.version));
        let missing = self.list.missing.iter();
        let missing = missing.map(|Missing { name, why, pip }| format!("no {name} ({why}): {pip}"));
        found.chain(missing).collect()
    }

    /// Gives a case's arrays to all that come.
    pub fn give(&mut self, data: &Data) -> Result<(), Box<dyn Error>> {
        self.ask::<Value>(&json!({"do": "forget"}))?;
        for (name, array) in &data.inputs {
            let bytes: Vec<u8> = array.iter().flat_map(|x| x.to_ne_bytes()).collect();
            std::fs::write(self.file(name), bytes)?;
        }
        Ok(())
    }

    /// Prepares a case, and says which way it is computed; an error is why it is not.
    pub fn prepare(&mut self, peer: &str, case: &Case, data: &Data) -> Result<String, Box<dyn Error>> {
        let request = json!({
            "do": "prepare", "peer": peer, "case": case.operation,
            "inputs": self.inputs(data), "output": data.output,
        });
        Ok(self.ask::<Answer>(&request)?.how)
    }

    /// The median and the least time of a run, in seconds, measured for so long.
    pub fn time(&mut self, peer: &str, seconds: f64) -> Result<(f64, f64), Box<dyn Error>> {
        let answer: Answer = self.ask(&json!({"do": "time", "peer": peer, "seconds": seconds}))?;
        Ok((answer.seconds, answer.least))
    }

    /// Waits until no thread of the peers computes any more.
    pub fn rest(&self) {
        let start = Instant::now();
        let Some(mut before) = self.computed() else { return std::thread::sleep(PAUSE) };
        while start.elapsed() < PATIENCE {
            std::thread::sleep(WATCHED);
            let Some(now) = self.computed() else { return };
            if now.saturating_sub(before) < IDLE {
                return;
            }
            before = now;
        }
    }

    /// The time that all threads of the script have computed for, as Linux tells it.
    fn computed(&self) -> Option<Duration> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()?;
        let of_thread = |thread: std::io::Result<std::fs::DirEntry>| {
            let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        // A thread may have ended since.
        Some(Duration::from_nanos(threads.filter_map(of_thread).sum()))
    }

    /// Its result.
    pub fn result(&mut self, peer: &str) -> Result<Vec<f32>, Box<dyn Error>> {
        let file = self.file("result");
        self.ask::<Value>(&json!({"do": "result", "peer": peer, "file": file}))?;
        let bytes = std::fs::read(&file)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(numbers.iter().map(|n| f32::from_ne_bytes(*n)).collect())
    }

    /// A case's result in 64-bit floats, by PyTorch.
    pub fn reference(&mut self, case: &Case, data: &Data) -> Result<Vec<f64>, Box<dyn Error>> {
        self.give(data)?;
        let file = self.file("reference");
        let request = json!({
            "do": "reference", "case": case.operation, "inputs": self.inputs(data), "output": data.output,
            "file": file,
        });
        self.ask::<Value>(&request)?;
        let bytes = std::fs::read(&file)?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok(numbers.iter().map(|n| f64::from_ne_bytes(*n)).collect())
    }

    /// The arrays as the script is told of them.
    fn inputs(&self, data: &Data) -> Vec<Value> {
        let shapes = data.shapes().into_iter();
        shapes.map(|(name, shape)| json!({"name": name, "shape": shape, "file": self.file(&name)})).collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.f32"))
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> Result<T, Box<dyn Error>> {
        let requests = self.requests.as_mut().ok_or("the peers have ended")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("the peers have ended: {}", self.child.wait()?).into());
        }
        let answer: Value = serde_json::from_str(&line)?;
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.into()),
            None => Ok(serde_json::from_value(answer)?),
        }
    }
}

impl Drop for Peers {
    /// The script ends where its input does.
    fn drop(&mut self) {
        self.requests = None;
        // It may have ended before.
        let _ = self.child.wait();
    }
}

/// The script that is asked for, that of the repository, or that beside this program.
fn script(flags: &Flags) -> Result<PathBuf, Box<dyn Error>> {
    if let Some(script) = &flags.script {
        return Ok(script.clone());
    }
    let beside = std::env::current_exe()?.with_file_name("peers.py");
    let places = [Path::new("scripts/peers.py").to_path_buf(), beside];
    let found = places.into_iter().find(|place| place.is_file());
    found.ok_or_else(|| "there is no scripts/peers.py here; say where it is with `--script`".into())
}
