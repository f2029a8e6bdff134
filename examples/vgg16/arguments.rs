//! What words of a command line mean.

use crate::layers::{LAYERS, Layer};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::time::Duration;

pub fn time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let parsed = units.iter().find_map(|(unit, seconds)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Duration::try_from_secs_f64(number * seconds).ok()
    });
    parsed.ok_or_else(|| "a time is given as `60s`, `2m` or `500ms`".into())
}

/// A layer by its number.
pub fn layer() -> impl TypedValueParser<Value = Layer> {
    let numbers = LAYERS.map(|layer| layer.number.to_string());
    let named = |text: String| LAYERS.into_iter().find(|layer| layer.number.to_string() == text);
    PossibleValuesParser::new(numbers).try_map(move |text| named(text).ok_or("no such layer"))
}
