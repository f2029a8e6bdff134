//! The figures of the papers that `lift` comes from, measured and drawn.
//!
//! `cargo run --release --example figures -- throughput --device pocl --tune 60s` (see `--help` after `--`)
//! writes what it measured as CSV and a picture of it; `-- draw FILE.csv` makes the picture anew.

#[path = "../vgg16/arguments.rs"]
mod arguments;
mod chart;
mod constraints;
mod expectancy;
mod exploration;
mod figure;
mod flags;
#[path = "../vgg16/layers.rs"]
#[allow(dead_code, reason = "candidates are run with data of the tuner's")]
mod layers;
mod mapped;
mod page;
mod parameters;
mod pareto;
#[path = "../vgg16/peak.rs"]
mod peak;
mod session;
mod sheet;
#[cfg(test)]
mod tests;
mod throughput;

use clap::Parser;
use flags::{Command, Effort, Flags};
use session::Session;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    lift::tune::worker();
    let words = words(std::env::args().skip(1));
    match run(&Flags::parse().command, &format!("figures {}", words.join(" "))) {
        Ok(files) => {
            files.iter().for_each(|file| eprintln!("figures: {}", file.display()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("figures: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The command for others to repeat: wherever they put what it makes.
fn words(mut arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut words = vec![];
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--out" => drop(arguments.next()),
            word if word.starts_with("--out=") => {}
            _ => words.push(word),
        }
    }
    words
}

/// The files that were written.
fn run(command: &Command, words: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let session = |effort: &Effort| Session::new(effort, words.to_string());
    match command {
        Command::Throughput { effort, known, peers } => {
            let session = session(effort)?;
            session.keep(&throughput::FIGURE, &throughput::measure(&session, known, peers)?)
        }
        Command::Pareto { effort } => {
            let session = session(effort)?;
            session.keep(&pareto::FIGURE, &pareto::measure(&session)?)
        }
        Command::Exploration { effort, form } => {
            let session = session(effort)?;
            session.keep(&exploration::FIGURE, &exploration::measure(&session, form)?)
        }
        Command::Expectancy { effort, form } => {
            let session = session(effort)?;
            session.keep(&expectancy::FIGURE, &expectancy::measure(&session, form)?)
        }
        Command::Constraints { effort } => {
            let session = session(effort)?;
            session.keep(&constraints::FIGURE, &constraints::count(&session)?)
        }
        Command::Parameters { effort, known } => {
            let session = session(effort)?;
            session.keep(&parameters::FIGURE, &parameters::look_up(&session, known)?)
        }
        Command::Draw { files } => files.iter().map(|file| figure::draw(file)).collect(),
        Command::Page { folder } => page::write(folder).map(|page| vec![page]),
    }
}
