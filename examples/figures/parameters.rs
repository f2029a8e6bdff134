//! The parameters of the best form that is known of a layer: GPGPU'20, table 4.

use crate::figure::{Figure, Picture, markdown};
use crate::flags::Known;
use crate::session::{DAY, Session, ms, schedule};
use crate::sheet::Sheet;
use crate::throughput::choices;
use lift::schedules::Schedule;
use lift::tune::{Choice, Goal, Outcome};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::Duration;

pub static FIGURE: Figure = Figure {
    name: "parameters",
    title: "Tuned parameters",
    source: "GPGPU'20, table 4",
    text: "What tuning chose for a layer on this device: the schedule, which of its options, and the value of each of its \
           parameters. The time is that of this choice, measured and checked anew when the table was made.",
    of_device: true,
    draw,
};

#[derive(Serialize, Deserialize)]
pub struct Row {
    pub layer: usize,
    pub schedule: String,
    pub ms: f64,
    pub parameter: String,
    pub meaning: String,
    pub value: String,
}

/// The paper's layer.
pub fn look_up(session: &Session, known: &Known) -> Result<Vec<Row>, Box<dyn Error>> {
    let given = choices(known)?;
    let mut rows = vec![];
    for layer in session.layers(&[7]) {
        let tuning = session.tuning(&layer)?;
        if let Some(time) = session.effort.tune {
            tuning.search(&session.limits(time), |progress| {
                session.say(format!("layer {}: {progress}", layer.number));
            })?;
        }
        let given = given.iter().filter(|(number, _)| *number == layer.number).map(|(_, choice)| choice);
        let candidates: Vec<Choice> = given.cloned().chain([tuning.best(Goal::Fastest)?.choice]).collect();
        let limits = session.limits(DAY);
        let mut trials = tuning.trials(&limits)?;
        let mut best: Option<(Duration, Choice)> = None;
        for choice in candidates {
            let trial = trials.choice(&choice)?;
            match trial.map(|trial| trial.outcome) {
                Some(Outcome::Measured { time, .. }) => {
                    if best.as_ref().is_none_or(|(least, _)| time < *least) {
                        best = Some((time, choice));
                    }
                }
                Some(other) => session.warn(&format!("layer {}: `{choice}`: {other:?}", layer.number)),
                None => break,
            }
        }
        let Some((time, choice)) = best else { continue };
        let of_layer = entries(&choice).into_iter().map(|(parameter, meaning, value)| Row {
            layer: layer.number,
            schedule: schedule(&choice),
            ms: ms(time),
            parameter,
            meaning,
            value,
        });
        rows.extend(of_layer);
    }
    rows.iter().try_for_each(|row| session.tell(row))?;
    Ok(rows)
}

/// Name, meaning and value of everything that a choice decides.
fn entries(choice: &Choice) -> Vec<(String, String, String)> {
    let schedule = choice.schedule.as_deref().and_then(Schedule::named);
    let meaning = |name: &str| {
        let own = schedule.and_then(|s| s.parameters.iter().find(|p| p.name == name));
        own.map_or(String::new(), |p| p.meaning.to_string())
    };
    let source = schedule.map_or("the program as it is", |s| s.source);
    let head = ("schedule".into(), source.to_string(), choice.schedule.clone().unwrap_or("-".into()));
    let point = choice.point.iter().map(|(name, value)| (name.clone(), meaning(name), value.to_string()));
    let options = schedule.map_or(&[][..], |s| s.options).iter().map(|(name, meaning)| {
        let taken = choice.options.iter().any(|option| option == name);
        (name.to_string(), meaning.to_string(), if taken { "yes" } else { "no" }.to_string())
    });
    [head].into_iter().chain(point).chain(options).collect()
}

fn draw(sheet: &Sheet) -> Result<Picture, Box<dyn Error>> {
    let rows: Vec<Row> = sheet.rows()?;
    let mut layers: Vec<usize> = rows.iter().map(|row| row.layer).collect();
    layers.dedup();
    let table = |layer: &usize| {
        let own = || rows.iter().filter(|row| row.layer == *layer);
        let time = own().next().map_or(0.0, |row| row.ms);
        let head = ["parameter", "meaning", "value"].map(String::from).to_vec();
        let cells =
            own().map(|row| vec![format!("`{}`", row.parameter), row.meaning.clone(), row.value.clone()]);
        let table = markdown(&[head].into_iter().chain(cells).collect::<Vec<_>>());
        format!("Layer {layer} on {}, {time:.3} ms:\n\n{table}", sheet.device)
    };
    Ok(Picture::Table(layers.iter().map(table).collect::<Vec<_>>().join("\n")))
}
