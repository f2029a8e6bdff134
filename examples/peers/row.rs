//! What was measured of a case.

use crate::cases::Case;
use serde::{Deserialize, Serialize};

/// A case by this library and by others; a line of `--json`.
#[derive(Clone, Serialize, Deserialize)]
pub struct Row {
    pub family: String,
    pub case: String,
    pub precision: String,
    /// Multiplications and additions.
    pub flops: f64,
    /// Of inputs and result.
    pub bytes: usize,
    /// On each device, the fastest first.
    pub own: Vec<Own>,
    /// The fastest first.
    pub peers: Vec<Peer>,
    /// Peers that don't compute this, each with why.
    pub without: Vec<String>,
    /// What went wrong.
    pub errors: Vec<String>,
}

/// This library's on a device.
#[derive(Clone, Serialize, Deserialize)]
pub struct Own {
    pub device: String,
    /// Schedule, options and parameters.
    pub form: String,
    /// Seconds for choosing the form and building it; after another time hardly any.
    pub build_s: f64,
    /// The kernels, and the whole call with the copies to and from the device.
    pub us: f64,
    pub call_us: f64,
    /// How many times as long the fastest peer takes: the median of the rounds.
    pub ratio: Option<f64>,
    pub call_ratio: Option<f64>,
    /// The same by the shortest run of each, which what else the machine does disturbs least.
    pub least_ratio: Option<f64>,
    pub least_us: f64,
    /// The least time by what the device does at most, by the time of the shortest run; and which limit that is.
    pub share: f64,
    pub of: String,
    /// Bytes on the device.
    pub memory: usize,
}

/// Another library's.
#[derive(Clone, Serialize, Deserialize)]
pub struct Peer {
    pub name: String,
    /// The layout, or the call.
    pub how: String,
    pub us: f64,
    pub least_us: f64,
    /// The largest difference of the results.
    pub difference: f64,
}

impl Row {
    /// Nothing measured yet.
    pub fn new(case: &Case, flops: f64, bytes: usize) -> Row {
        Row {
            family: case.family.into(),
            case: case.name.clone(),
            precision: "f32".into(),
            flops,
            bytes,
            own: vec![],
            peers: vec![],
            without: vec![],
            errors: vec![],
        }
    }

    /// How many times as long the fastest peer takes as this library on its fastest device.
    pub fn ratio(&self) -> Option<f64> {
        self.own.first()?.ratio
    }
}

/// The middle one, or between the middle ones; they are put in order. There is at least one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n => (values[(n - 1) / 2] + values[n / 2]) / 2.0,
    }
}

/// The median of the quotients of what was measured one after the other.
pub fn ratios(above: &[f64], below: &[f64]) -> f64 {
    median(&mut above.iter().zip(below).map(|(a, b)| a / b).collect::<Vec<_>>())
}

/// The geometric mean.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}
