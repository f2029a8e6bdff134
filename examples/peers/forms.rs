//! Random forms of the cases at their full sizes: is each one's result what PyTorch computes in 64-bit floats?

use crate::cases::Case;
use crate::data::{Data, difference, floats};
use crate::flags::Flags;
use crate::peer::Peers;
use crate::points::{self, Point};
use crate::report::table;
use crate::row::Row;
use indicatif::ProgressBar;
use lift::schedules::SCHEDULES;
use lift::{Device, Error, Program, Sizes};
use lift_core::parts::{PartForm, Parts};
use serde::Serialize;

/// Forms that take longer by the model of costs are passed over: they would take minutes, and show no more.
const LONGEST: f64 = 0.5;

/// What was found of a case on a device; a line of `--json`.
#[derive(Serialize)]
pub struct Finding {
    family: &'static str,
    case: String,
    device: String,
    pub tried: usize,
    /// How far the worst element of all was off, as [`difference`] counts, and how far one may be.
    worst: f64,
    allowed: f64,
    /// Forms that were not right, and why.
    pub wrong: Vec<String>,
}

/// So many forms of each part by each schedule. What is wrong is among the errors of the rows.
pub fn check(
    cases: &[Case],
    devices: &[Device],
    wanted: usize,
    flags: &Flags,
    peers: &mut Peers,
    bar: &ProgressBar,
) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let mut rows = vec![];
    let columns = ["family", "case", "device", "right / tried", "worst error", "allowed"];
    let mut table = table(&columns, &[3, 4, 5]);
    for case in cases {
        let data = Data::random(case, flags.seed)?;
        let mut row = Row::new(case, 0.0, data.bytes());
        bar.set_message(format!("{} {}: PyTorch", case.family, case.name));
        match peers.reference(case, &data) {
            Ok(expected) => {
                for device in devices {
                    let trial = Trial::new(case, device, &data, &expected);
                    let found = trial.of_all(wanted, flags.seed, |point| {
                        bar.set_message(format!("{} {}: {}", case.family, case.name, point.name));
                    });
                    row.errors.extend(found.wrong.iter().map(|wrong| format!("{}: {wrong}", found.device)));
                    if flags.json {
                        let line = serde_json::to_string(&found)?;
                        bar.suspend(|| println!("{line}"));
                    }
                    let right = format!("{} / {}", found.tried - found.wrong.len(), found.tried);
                    let (worst, allowed) = (format!("{:.1e}", found.worst), format!("{:.1e}", found.allowed));
                    let (family, case) = (found.family.to_string(), found.case.clone());
                    table.add_row([family, case, found.device.clone(), right, worst, allowed]);
                }
            }
            Err(error) => row.errors.push(format!("PyTorch: {error}")),
        }
        rows.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !flags.json {
        println!("{table}");
        println!(
            "error: of an element, by its own size or the root of the elements' mean square, whichever is more"
        );
    }
    Ok(rows)
}

/// A case with what it should compute, on a device.
pub struct Trial<'a> {
    case: &'a Case,
    device: &'a Device,
    data: &'a Data,
    expected: &'a [f64],
    sizes: Sizes,
    parts: Parts,
    /// The parts as they are written, each with its sizes.
    plain: Vec<(Program, Sizes)>,
}

impl<'a> Trial<'a> {
    pub fn new(case: &'a Case, device: &'a Device, data: &'a Data, expected: &'a [f64]) -> Trial<'a> {
        let (sizes, parts) = (case.named(), Parts::of((case.program)()));
        let plain = parts.iter().map(|part| (part.program.clone(), part.sizes(&sizes))).collect();
        Trial { case, device, data, expected, sizes, parts, plain }
    }

    /// Forms of each part, the others as they are written.
    pub fn of_all(&self, wanted: usize, seed: u64, next: impl Fn(&Point)) -> Finding {
        // Roundings of a sum are as likely up as down: they grow with the root of its length.
        let terms = self.case.operation.terms(&self.data.shapes(), &self.data.output);
        let mut found = Finding {
            family: self.case.family,
            case: self.case.name.clone(),
            device: self.device.name(),
            tried: 0,
            worst: 0.0,
            allowed: f64::from(f32::EPSILON) * (16.0 + 4.0 * terms.sqrt()),
            wrong: vec![],
        };
        for (k, (part, sizes)) in self.plain.iter().enumerate() {
            for schedule in SCHEDULES {
                let points = points::some(schedule, part, sizes, wanted, self.device.target(), seed);
                let long = |point: &Point| point.seconds.as_ref().is_ok_and(|seconds| *seconds > LONGEST);
                for point in points.iter().filter(|point| !long(point)) {
                    next(point);
                    found.tried += 1;
                    match self.with(k, point).map(|result| difference(&result, self.expected)) {
                        Ok(off) if off <= found.allowed => found.worst = found.worst.max(off),
                        Ok(off) => found.wrong.push(format!("{}: {off:.1e} off", point.name)),
                        Err(why) => found.wrong.push(format!("{}: {why}", point.name)),
                    }
                }
            }
        }
        found
    }

    /// What comes out with this part at a point.
    fn with(&self, part: usize, point: &Point) -> Result<Vec<f32>, String> {
        point.seconds.as_ref().map_err(Clone::clone)?;
        let mut forms = self.plain.clone();
        forms[part] = (point.program.clone(), point.sizes.clone());
        let forms: Vec<_> =
            forms.into_iter().map(|(program, sizes)| PartForm::Kept(program, sizes)).collect();
        let joined = self.parts.joined(&forms);
        let values = joined.sizes().iter().filter_map(|size| self.sizes.get(&size.var));
        let values: Vec<usize> = values.filter_map(|n| usize::try_from(n).ok()).collect();
        let run = || {
            let compiled = lift::compile(&joined, &points::alone(self.device), &values)?;
            let (outputs, _) = compiled.run_spoiled(&self.data.arguments())?;
            floats(outputs, &self.case.operation)
        };
        run().map_err(|error: Error| error.to_string())
    }
}
