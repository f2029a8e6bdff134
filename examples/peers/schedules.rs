//! What each schedule makes of a case: the best form after a short search, beside the program as it is written.

use crate::cases::Case;
use crate::report::table;
use comfy_table::Table;
use indicatif::ProgressBar;
use lift::schedules::SCHEDULES;
use lift::tune::{Limits, Tuning};
use lift::{Device, Error};
use serde::Serialize;
use std::time::Duration;

/// The best form of one schedule, or the program as it is written.
#[derive(Serialize)]
struct Found {
    family: &'static str,
    case: String,
    form: String,
    microseconds: f64,
    /// How many times as fast as the program as it is written.
    times: f64,
    tried: usize,
}

/// All cases by all schedules; printed as it goes as JSON, or a table in the end.
pub fn compare(
    cases: &[Case],
    device: &Device,
    time: Duration,
    json: bool,
    bar: &ProgressBar,
) -> Result<Option<Table>, Box<dyn std::error::Error>> {
    bar.set_length((cases.len() * (SCHEDULES.len() + 1)) as u64);
    let mut table = table(&["family", "case", "form", "µs", "times as fast", "tried"], &[3, 4, 5]);
    for case in cases {
        let mut written = None;
        for schedule in std::iter::once(None).chain(SCHEDULES.iter().map(|s| Some(s.name))) {
            bar.set_message(format!("{} {} by {}", case.family, case.name, schedule.unwrap_or("none")));
            let found = search(case, device, schedule, time)?;
            bar.inc(1);
            let Some((form, microseconds, tried)) = found else { continue };
            let times = *written.get_or_insert(microseconds) / microseconds;
            let (family, case) = (case.family, case.name.clone());
            let found = Found { family, case, form, microseconds, times, tried };
            if json {
                let line = serde_json::to_string(&found)?;
                bar.suspend(|| println!("{line}"));
            }
            let (us, times, tried) = (format!("{microseconds:.1}"), format!("{times:.2}"), tried.to_string());
            table.add_row([found.family.to_string(), found.case, found.form, us, times, tried]);
        }
    }
    Ok((!json).then_some(table))
}

/// The best form of a schedule, its time in microseconds, and how many were tried; nothing where it does not apply.
fn search(
    case: &Case,
    device: &Device,
    schedule: Option<&str>,
    time: Duration,
) -> Result<Option<(String, f64, usize)>, Error> {
    let tuning = Tuning::new((case.program)(), device, &case.sizes)?.stored(None).only(schedule);
    let limits = Limits { time, ..Limits::default() };
    match tuning.search(&limits, |_| ()) {
        Ok(report) => Ok(report.front.best().map(|best| {
            let form = if schedule.is_none() { "as written".into() } else { best.choice.to_string() };
            (form, best.time.as_secs_f64() * 1e6, report.tried)
        })),
        Err(Error::NoCandidate { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
