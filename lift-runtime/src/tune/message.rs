//! The messages between a tuner and its worker, a line of JSON each.
//!
//! A worker's lines begin with a mark, since drivers and test harnesses write to standard output too.

use super::{Choice, Limits, Stages, Trial};
use crate::{Device, Error};
use lift_core::{Program, Sizes};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Read};

/// Before a worker's lines.
const MARK: &str = "\u{1e}lift ";

/// No reply is longer: a worker that writes without end does not fill the tuner's memory.
const LONGEST: u64 = 16 << 20;

/// A line to the worker.
#[derive(Clone, Serialize, Deserialize)]
pub enum Task {
    /// The first task: the program that all others are about.
    Start {
        /// The program as JSON in a string of its own, since it may be nested deeply.
        program: String,
        /// The values of all sizes in the program's `<…>`, as far as they are known.
        sizes: Vec<Option<i64>>,
        /// The device's description and version, and its number among all.
        device: [String; 2],
        number: usize,
        compiler: Option<String>,
        seed: u64,
        /// Bytes that the worker may take.
        memory: Option<u64>,
    },
    /// Build, run and check a program of the same signature, at all the sizes in its `<…>`. It
    /// is derived once, by the tuner.
    Prepare { choice: Choice, program: String, sizes: Vec<Option<i64>> },
    /// Time the prepared candidate, or the one that is kept, for a moment.
    Time { kept: bool },
    /// Keep the prepared candidate, whatever is prepared after it.
    Keep,
    /// The candidate that is kept is not needed any more.
    Drop,
}

/// A line from the worker: one for each task.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    Ready,
    /// It can't start; the reason.
    Failed(String),
    /// It is right, and can be timed.
    Prepared(Stages),
    /// There is nothing more to do.
    Done(Trial),
    /// The task was done.
    Kept,
}

impl Task {
    /// # Errors
    /// The program can't be written as text.
    pub fn start(program: &Program, sizes: &Sizes, device: &Device, limits: &Limits) -> Result<Task, Error> {
        let (program, sizes) = written(program, sizes)?;
        let Limits { seed, memory, .. } = *limits;
        let (number, compiler) = (device.number(), device.settings().compiler.clone());
        let device = [device.to_string(), device.version()];
        Ok(Task::Start { program, sizes, device, number, compiler, seed, memory })
    }

    /// # Errors
    /// The program can't be written as text.
    pub fn prepare(choice: &Choice, program: &Program, sizes: &Sizes) -> Result<Task, Error> {
        let (program, sizes) = written(program, sizes)?;
        Ok(Task::Prepare { choice: choice.clone(), program, sizes })
    }

    /// As a line of text.
    pub fn line(&self) -> String {
        // Strings and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// A program as text, and the values of its sizes.
fn written(program: &Program, sizes: &Sizes) -> Result<(String, Vec<Option<i64>>), Error> {
    let text = serde_json::to_string(program).map_err(|error| Error::WorkerLost(error.to_string()))?;
    Ok((text, program.sizes().iter().map(|size| sizes.get(&size.var)).collect()))
}

impl Reply {
    /// As a line of text.
    pub fn line(&self) -> String {
        format!("{MARK}{}\n", serde_json::to_string(self).unwrap_or_default())
    }

    /// The reply in a line, if it is one.
    pub fn read(line: &str) -> Option<Reply> {
        serde_json::from_str(&line[line.find(MARK)? + MARK.len()..]).ok()
    }
}

/// The lines that a worker writes, as far as they may be replies.
pub struct Lines<R> {
    from: R,
    longest: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(from: R) -> Lines<R> {
        Lines { from, longest: LONGEST }
    }

    /// A line, or the end of one that was too long; nothing where there is none any more.
    fn next_part(&mut self) -> Option<Vec<u8>> {
        let mut line = vec![];
        let read = self.from.by_ref().take(self.longest).read_until(b'\n', &mut line);
        read.ok().filter(|count| *count > 0).map(|_| line)
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let is_part = |line: &Vec<u8>| line.last() != Some(&b'\n');
        let mut line = self.next_part()?;
        while is_part(&line) && line.len() as u64 == self.longest {
            log::debug!("a worker's line is too long, and is not read");
            while is_part(&line) {
                line = self.next_part()?;
            }
            line = self.next_part()?;
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_too_long_are_passed_over() {
        let lines = |text: &'static [u8]| {
            let lines = Lines { from: text, longest: 4 };
            lines.map(|line| String::from_utf8(line).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(lines(b"a\n\nabc\nend"), ["a\n", "\n", "abc\n", "end"]);
        assert_eq!(lines(b"abcd\nabcdabcd\nabcdabcdab\nabc"), ["abc"]);
        assert_eq!(lines(b"a\nabcdabcdabcd"), ["a\n"]);
        assert_eq!(lines(b""), [""; 0]);
    }

    #[test]
    fn a_reply_is_found_behind_what_a_driver_prints() {
        let line = format!("warning: {}", Reply::Failed("why".into()).line());
        assert!(matches!(Reply::read(&line), Some(Reply::Failed(why)) if why == "why"));
        assert!(Reply::read(MARK).is_none() && Reply::read("{}").is_none());
    }
}
