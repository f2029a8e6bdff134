//! The devices of this machine, where OpenCL's library and drivers were looked for, and what is missing.
//!
//! `cargo run --release --example devices` (`-- --json` for machines)

use clap::Parser;
use lift::Device;
use lift::drivers::{self, Drivers};
use serde::Serialize;
use std::process::ExitCode;

/// Lists the devices of this machine, and says where OpenCL's library and drivers were looked for and what is missing
#[derive(Parser)]
struct Flags {
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    devices: Vec<Line>,
    drivers: Drivers,
}

/// A device, its kind, and the version of its driver.
#[derive(Serialize)]
struct Line {
    name: String,
    kind: String,
    version: String,
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    let line = |device: &Device| Line {
        name: device.to_string(),
        kind: format!("{:?}", device.kind()),
        version: device.version(),
    };
    let report = Report { devices: Device::all().iter().map(line).collect(), drivers: drivers::find() };
    if flags.json {
        return match serde_json::to_string(&report) {
            Ok(text) => {
                println!("{text}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("devices: {error}");
                ExitCode::FAILURE
            }
        };
    }
    println!("Devices:");
    for Line { name, kind, version } in &report.devices {
        println!("  {name} ({kind}; {version})");
    }
    print!("{}", report.drivers);
    ExitCode::SUCCESS
}
