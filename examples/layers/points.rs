//! The points at which a schedule's forms of a program are tried, drawn by the solver from everywhere in
//! their spaces.

use lift::constraints::{Limits, Placement, place};
use lift::schedules::{Candidate, NotApplicable, Schedule};
use lift::{Device, Program, Settings, Sizes};
use lift_core::cost;
use lift_core::nat::Var;
use lift_core::target::Target;
use std::cmp::Ordering;

/// A form of a program with every map in its place.
pub struct Point {
    pub program: Program,
    /// All sizes, the schedule's parameters among them.
    pub sizes: Sizes,
    /// Schedule, options and parameters.
    pub name: String,
    /// What it takes by the model of costs; or why it has no kernels, which is a mistake in `lift`.
    pub seconds: Result<f64, String>,
}

/// So many points are drawn for each that is taken: the quickest by the model of costs, since a hopeless one
/// of a full layer takes minutes and shows no more.
const DRAWN: usize = 3;

/// Nor are those whose kernels are longer text: drivers take minutes for them.
const LONGEST: usize = 30_000;

/// At least so many points, if there are, and at least one of every form: of each selection of the
/// schedule's options that makes a difference.
pub fn points(
    schedule: &Schedule,
    program: &Program,
    sizes: &Sizes,
    wanted: usize,
    target: &Target,
    seed: u64,
) -> Result<Vec<Point>, NotApplicable> {
    let forms = forms(schedule, program)?;
    let each = wanted.div_ceil(forms.len());
    let (mut taken, mut left) = (vec![], vec![]);
    for form in &forms {
        let mut drawn = draw(form, sizes, DRAWN * each, target, seed);
        left.extend(drawn.split_off(each.min(drawn.len())));
        taken.extend(drawn);
    }
    // Where some forms have few points, others have more.
    left.sort_by(quicker);
    left.truncate(wanted.saturating_sub(taken.len()));
    taken.extend(left);
    Ok(taken)
}

/// At most so many points, each of another form that is drawn; fewer where few selections of options have any.
pub fn some(
    schedule: &Schedule,
    program: &Program,
    sizes: &Sizes,
    wanted: usize,
    target: &Target,
    seed: u64,
) -> Vec<Point> {
    let mut selections = selections(schedule);
    fastrand::Rng::with_seed(seed).shuffle(&mut selections);
    let derived = selections.iter().filter_map(|options| schedule.derive(program, options).ok());
    let points = derived.filter_map(|form| draw(&form, sizes, DRAWN, target, seed).into_iter().next());
    points.take(wanted).collect()
}

/// All selections of a schedule's options.
fn selections(schedule: &Schedule) -> Vec<Vec<&'static str>> {
    schedule.options.iter().fold(vec![vec![]], |all: Vec<Vec<&str>>, (name, _)| {
        let with: Vec<_> = all.iter().map(|some| [&some[..], &[*name]].concat()).collect();
        all.into_iter().chain(with).collect()
    })
}

/// What the selections of a schedule's options derive, each form once.
fn forms(schedule: &Schedule, program: &Program) -> Result<Vec<Candidate>, NotApplicable> {
    let mut forms: Vec<Candidate> = vec![];
    let mut refusal = None;
    for options in selections(schedule) {
        match schedule.derive(program, &options) {
            Ok(form) if forms.iter().all(|f| f.program != form.program) => forms.push(form),
            Ok(_) => {}
            Err(reason) => refusal = refusal.or(Some(reason)),
        }
    }
    match refusal {
        Some(reason) if forms.is_empty() => Err(reason),
        _ => Ok(forms),
    }
}

/// So many points of a form, the quickest first.
fn draw(form: &Candidate, sizes: &Sizes, most: usize, target: &Target, seed: u64) -> Vec<Point> {
    let Ok(placements) = form.placements(sizes, Limits::default()) else { return vec![] };
    let drawn = placements.sample(seed).take(most);
    let mut points: Vec<Point> =
        drawn.filter_map(|drawn| point(form, place(&placements, &drawn), sizes, &drawn, target)).collect();
    points.sort_by(quicker);
    points
}

/// A point, unless its kernels are too long.
fn point(
    form: &Candidate,
    program: Program,
    sizes: &Sizes,
    drawn: &Placement,
    target: &Target,
) -> Option<Point> {
    let value = |var: &Var| {
        let own = drawn.parameters.iter().find(|(parameter, _)| parameter == var);
        sizes.get(var).or(own.map(|(_, value)| *value))
    };
    let all = Sizes(program.sizes().iter().filter_map(|s| Some((s.var.clone(), value(&s.var)?))).collect());
    let plan = lift::plan(&program, &all, target);
    if plan.as_ref().is_ok_and(|plan| plan.opencl().len() > LONGEST) {
        return None;
    }
    let options = form.options.iter().map(|option| format!(" {option}"));
    let name = format!("{}{} {drawn}", form.schedule, options.collect::<String>());
    let seconds = plan.map(|plan| cost::seconds(&plan, target)).map_err(|e| e.to_string());
    Some(Point { program, sizes: all, name, seconds })
}

/// What has no kernels comes first, so that it is not overlooked.
fn quicker(a: &Point, b: &Point) -> Ordering {
    let seconds = |point: &Point| *point.seconds.as_ref().unwrap_or(&0.0);
    seconds(a).total_cmp(&seconds(b))
}

/// The same device without anything that others left there: of the many kernels that are tried none is worth
/// keeping, nor is the memory that they take.
pub fn alone(device: &Device) -> Device {
    let settings = Settings { cache: None, ..Settings::default() };
    let mut all = Device::all_with(&settings).into_iter();
    all.find(|other| other.to_string() == device.to_string()).unwrap_or_else(|| device.clone())
}
