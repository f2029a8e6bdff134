//! What a device does in a second, measured once by four small programs, for the model of costs: a family's figures are of one
//! device of it. Kept beside the kernels that were built; it takes about a second.

use crate::cache::{self, Cache};
use crate::entry::Entry;
use crate::{Argument, Device, Error, host};
use lift_core::target::{Class, Measured, Target};
use ndarray::ArrayViewD;
use std::time::{Duration, Instant};

/// As the macro embeds them; `tests/calibrate.rs` has their texts.
static MULTIPLY_ADDS: Entry = Entry::new(include_str!("multiply_adds.json"));
static READS: Entry = Entry::new(include_str!("reads.json"));
static COPIES: Entry = Entry::new(include_str!("copies.json"));

/// Each program is run for so long, and at least so often. The shortest run counts: others may use the device as well.
const TURN: Duration = Duration::from_millis(100);
const RUNS: usize = 4;

/// Bytes of an array that no cache holds, of a processor and of a GPU, unless that is more than a share of the largest buffer.
const FAR: [usize; 2] = [64 << 20, 256 << 20];
const SHARE: usize = 4;

/// Bytes of a float.
const FLOAT: usize = size_of::<f32>();

/// Work-items of a unit, at least.
const LEAST: usize = 128;

/// Bytes of a line of memory.
const LINE: usize = 64;

/// Elements of a kernel that does next to nothing.
const FEW: usize = 64;

/// Rows that are read again and again: as vectors of a processor 4 KiB.
const ROWS: usize = 64;

/// What is known of a device: with what was measured of it in this process or before, else as its family has it.
pub fn known(device: &Device) -> &Target {
    device.calibrated(|| kept(device).map(|measured| device.target().calibrated(&measured)))
}

/// The same; what was not measured yet is now. Without the memory or the compiler that this takes, the device is as its
/// family has it.
pub fn measured(device: &Device) -> &Target {
    device.calibrated(|| {
        let measured = kept(device).or_else(|| match run(device) {
            Ok(measured) => {
                cache(device).write(&name(device), text(&measured).as_bytes());
                log::info!("{device} does {}", text(&measured));
                Some(measured)
            }
            Err(error) => {
                log::warn!("{device} could not be measured: {error}");
                None
            }
        });
        measured.map(|measured| device.target().calibrated(&measured))
    })
}

fn cache(device: &Device) -> Cache {
    let settings = device.settings();
    Cache::new(settings.cache.as_ref().map(|folder| folder.join("measured")), settings.cache_limit)
}

/// With another driver or compiler a device is another one; and programs may become other kernels.
fn name(device: &Device) -> String {
    let lift = env!("CARGO_PKG_VERSION");
    cache::key(&["measured", &device.to_string(), &device.version(), lift])
}

fn kept(device: &Device) -> Option<Measured> {
    let text = String::from_utf8(cache(device).read(&name(device))?).ok()?;
    let figures = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let [multiply_adds, near, far, launch] = figures[..] else { return None };
    Some(Measured { multiply_adds, near, far, launch })
}

fn text(Measured { multiply_adds, near, far, launch }: &Measured) -> String {
    format!("{multiply_adds:e} {near:e} {far:e} {launch:e}")
}

fn run(device: &Device) -> Result<Measured, Error> {
    let target = device.target();
    let (units, class) = (target.hierarchy.units, target.family.class());
    // The lanes of a processor's vectors, each computed with many times; those of a GPU are its work-items.
    let (width, times, far) = match class {
        Class::Processor => ((target.hierarchy.vector / FLOAT).clamp(1, 16), 512, FAR[0]),
        Class::Gpu => (1, 128, FAR[1]),
    };
    // Drivers make groups of many, and each unit is to have some.
    let items = units * (2 * target.costs.resident as usize).max(LEAST);
    let launch = shortest(device, &COPIES, &[FEW], &[(&Floats::new(FEW)?.array(&[FEW])).into()])?;

    // Rounds of 256 elements: 16 running values for each work-item.
    let rounds = (items * width).div_ceil(16);
    let all = Floats::new(256 * rounds)?;
    let xs = all.array(&[256 * rounds]);
    let arguments = [(&xs).into(), 0.5_f32.into()];
    let took = shortest(device, &MULTIPLY_ADDS, &[rounds, times, width], &arguments)?;
    let multiply_adds = (256 * rounds * 16 * times) as f64 / took / units as f64;

    // Parts of one column, or of as many as work-items run together.
    let columns = width * target.hierarchy.together.max(1);
    let read = |parts: usize, times: usize, rows: usize| {
        let elements = parts * rows * columns;
        let xs = Floats::new(elements)?;
        let sizes = [parts, times, rows / 8, columns, width];
        let took = shortest(device, &READS, &sizes, &[(&xs.array(&[parts, rows, columns])).into()])?;
        Ok::<f64, Error>((FLOAT * times * elements) as f64 / took)
    };
    let parts = (items * width).div_ceil(columns);
    // A GPU's work-items keep in registers what they read again: that says nothing of its memory.
    let near = match class {
        Class::Processor => read(parts, times, ROWS)? / units as f64,
        Class::Gpu => f64::INFINITY,
    };
    let bytes = far.min(usize::try_from(target.limits.buffer).unwrap_or(0) / SHARE);
    let far = read(parts, 1, (bytes / FLOAT / columns / parts).max(1).next_multiple_of(8))?;
    Ok(Measured { multiply_adds, near, far, launch })
}

/// Floats that begin where a line of memory does: the built-in device reads them where they are.
struct Floats {
    all: Vec<f32>,
    first: usize,
    length: usize,
}

impl Floats {
    fn new(length: usize) -> Result<Floats, Error> {
        let mut all: Vec<f32> = host::room("what a device is measured with", length + LINE / FLOAT)?;
        let first = all.as_ptr().align_offset(LINE).min(LINE / FLOAT);
        all.resize(length + first, 0.5_f32);
        Ok(Floats { all, first, length })
    }

    fn array(&self, lengths: &[usize]) -> ArrayViewD<'_, f32> {
        let all = &self.all[self.first..self.first + self.length];
        ArrayViewD::from_shape(lengths, all).unwrap_or_else(|e| unreachable!("it has as many elements: {e}"))
    }
}

/// The seconds of the shortest run.
fn shortest(
    device: &Device,
    program: &Entry,
    sizes: &[usize],
    arguments: &[Argument<'_>],
) -> Result<f64, Error> {
    let compiled = program.compile(device, sizes)?;
    let (start, mut least, mut runs) = (Instant::now(), f64::INFINITY, 0);
    let (mut outputs, _) = compiled.run_timed(arguments)?;
    while runs < RUNS || start.elapsed() < TURN {
        least = compiled.run_into(arguments, &mut outputs)?.total().as_secs_f64().min(least);
        runs += 1;
    }
    Ok(least)
}
