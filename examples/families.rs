//! Programs that are no convolution of many channels: filters, pooling, sums of rows, softmax, prefix sums, products with
//! vectors. What the default lowering takes, and the best form of each schedule after a short search.
//!
//! `cargo run --release --example families` (see `--help` after `--` for what it can be asked)

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use indicatif::{ProgressBar, ProgressStyle};
use lift::prelude::*;
use lift::schedules::SCHEDULES;
use lift::tune::{Limits, Tuning};
use lift::{Error, Program};
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;

lift! {
    pub fn fir<N, T>(taps: [f32; T], signal: [f32; N]) -> [f32; N - T + 1] where T <= N {
        map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, taps)), slide(T, 1, signal))
    }

    pub fn boxes<H, W, S>(xs: [[f32; W]; H]) -> [[f32; W - S + 1]; H - S + 1] where S <= W, S <= H {
        map2D(|window| reduce(0.0, |acc, x| acc + x, join(window)), slide2D((S, S), (1, 1), xs))
    }

    pub fn heat<H, W>(xs: [[f32; W]; H]) -> [[f32; W - 2]; H - 2] where W >= 3, H >= 3 {
        map2D(
            |w| w[1][1] + 0.1 * (w[0][1] + w[2][1] + w[1][0] + w[1][2] - 4.0 * w[1][1]),
            slide2D((3, 3), (1, 1), xs),
        )
    }

    pub fn pooling<C, H, W>(xs: [[[f32; 2 * W]; 2 * H]; C]) -> [[[f32; W]; H]; C] {
        map(|plane| map2D(|w| reduce(f32::NEG_INFINITY, max, join(w)), slide2D((2, 2), (2, 2), plane)), xs)
    }

    pub fn depthwise<C, H, W>(const kernels: [[[f32; 3]; 3]; C], input: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; C] {
        let plane = |xs, k| {
            let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, xs));
            map2D(|w| reduce(0.0, |acc, (x, y)| acc + x * y, zip(join(w), join(k))), windows)
        };
        map(|(xs, k)| plane(xs, k), zip(input, kernels))
    }

    pub fn vector<N, M>(a: [[f32; M]; N], x: [f32; M]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, x)), a)
    }

    pub fn sums<N, M>(xs: [[f32; M]; N]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, x| acc + x, row), xs)
    }

    pub fn softmax<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let powers = map(|x| exp(x - top), row);
            let total = reduce(0.0, |acc, x| acc + x, powers);
            map(|x| x / total, powers)
        }, xs)
    }

    pub fn prefix<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |acc, x| acc + x, xs)
    }

    pub fn prefix_of_rows<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| scan(0.0, |acc, x| acc + x, row), xs)
    }
}

/// A program, and its sizes in the order of its `<…>`.
type Family = (fn() -> &'static Program, &'static [usize]);

const FAMILIES: &[Family] = &[
    // N, T
    (fir::program, &[1 << 20, 32]),
    // H, W, S
    (boxes::program, &[1080, 1920, 5]),
    // H, W
    (heat::program, &[1080, 1920]),
    // C, H, W
    (pooling::program, &[64, 112, 112]),
    (depthwise::program, &[128, 56, 56]),
    // N, M
    (vector::program, &[2048, 2048]),
    (sums::program, &[2048, 2048]),
    (softmax::program, &[2048, 1024]),
    // N
    (prefix::program, &[1 << 22]),
    // N, M
    (prefix_of_rows::program, &[1024, 1024]),
];

/// Times of programs of many kinds: the default lowering, and the best form of each schedule after a short search.
#[derive(Parser)]
struct Flags {
    /// Part of the name of a device; the best there is if not said
    #[arg(long)]
    device: Option<String>,
    /// Only programs of these names
    #[arg(long)]
    program: Vec<String>,
    /// Seconds of search for each schedule
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// A line of JSON for each form
    #[arg(long)]
    json: bool,
}

/// The best form of one schedule, or the program as it is written.
#[derive(Serialize)]
struct Found {
    program: String,
    sizes: Vec<usize>,
    form: String,
    microseconds: f64,
    /// How many times as fast as the default lowering.
    times: f64,
    tried: usize,
}

fn main() -> ExitCode {
    lift::tune::worker();
    match run(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("families: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<(), Box<dyn std::error::Error>> {
    let device = match &flags.device {
        Some(name) => Device::named(name)?,
        None => Device::best()?,
    };
    let wanted =
        |program: &Program| flags.program.is_empty() || flags.program.iter().any(|p| p == program.name());
    let programs: Vec<_> = FAMILIES.iter().filter(|(program, _)| wanted(program())).collect();
    if programs.is_empty() {
        let names: Vec<&str> = FAMILIES.iter().map(|(program, _)| program().name()).collect();
        return Err(format!("there is no such program; there are {}", names.join(", ")).into());
    }
    if !flags.json {
        println!("{device}");
    }
    let bar = ProgressBar::new((programs.len() * (SCHEDULES.len() + 1)) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}")?);
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["program", "sizes", "form", "µs", "times as fast"]);
    for (program, sizes) in programs {
        let program = program();
        let mut written = None;
        for schedule in std::iter::once(None).chain(SCHEDULES.iter().map(|s| Some(s.name))) {
            bar.set_message(format!("{} by {}", program.name(), schedule.unwrap_or("the default lowering")));
            let found = search(program, &device, sizes, schedule, flags.seconds)?;
            bar.inc(1);
            let Some((form, microseconds, tried)) = found else { continue };
            let base = *written.get_or_insert(microseconds);
            let (program, sizes, times) = (program.name().to_string(), sizes.to_vec(), base / microseconds);
            let found = Found { program, sizes, form, microseconds, times, tried };
            if flags.json {
                bar.suspend(|| serde_json::to_string(&found).map(|line| println!("{line}")))?;
            }
            let sizes = found.sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
            let (time, times) = (format!("{microseconds:.1}"), format!("{times:.2}"));
            table.add_row([found.program, sizes, found.form, time, times]);
        }
    }
    bar.finish_and_clear();
    if !flags.json {
        for column in [3, 4] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        println!("{table}");
    }
    Ok(())
}

/// The best form of a schedule, its time, and how many were tried; nothing where the schedule does not apply.
fn search(
    program: &Program,
    device: &Device,
    sizes: &[usize],
    schedule: Option<&str>,
    seconds: f64,
) -> Result<Option<(String, f64, usize)>, Error> {
    let tuning = Tuning::new(program, device, sizes)?.stored(None).only(schedule);
    let limits = Limits { time: Duration::from_secs_f64(seconds), ..Limits::default() };
    match tuning.search(&limits, |_| ()) {
        Ok(report) => Ok(report.front.best().map(|best| {
            let form = if schedule.is_none() { "as written".into() } else { best.choice.to_string() };
            (form, best.time.as_secs_f64() * 1e6, report.tried)
        })),
        Err(Error::NoCandidate { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
