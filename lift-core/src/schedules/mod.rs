//! The schedules, each a strategy that derives its form from the user's expression: five published ways to make a
//! convolution fast, and seven for other programs.
//!
//! No schedule knows what a convolution is. Six look for a nest of maps around a reduction, find the roles of its
//! levels from what depends on them (`roles`), and put them into their own order: a schedule that fits a convolution
//! fits a matrix product, a filter or pooling too. `rows` looks for maps whose functions reduce,
//! `chunks` for reductions of many terms, in maps or not, `scans` for prefix sums, `lanes` for whatever makes neighbouring
//! results, `turned` for results whose neighbours are read far apart,
//! and `framed` for windows that slide over rows.

mod blocked;
mod borders;
mod chunks;
mod combined;
mod direct;
mod dots;
mod framed;
mod grouped;
mod lanes;
mod loops;
mod mapped;
mod neighbours;
mod nest;
mod packed;
mod partial;
mod phases;
mod prefixes;
mod preloaded;
mod prepared;
mod reduced;
mod roles;
mod rows;
mod scans;
mod sharing;
mod staged;
mod staging;
mod terms;
mod tiled;
mod turned;
mod windows;
mod written_out;

pub use blocked::BLOCKED;
pub use chunks::CHUNKS;
pub use combined::COMBINED;
pub use direct::DIRECT;
pub use dots::DOTS;
pub use framed::FRAMED;
pub use lanes::LANES;
pub use mapped::MAPPED;
pub use rows::ROWS;
pub use scans::SCANS;
pub use tiled::TILED;
pub use turned::TURNED;
pub use written_out::written_out;

use crate::constraints::{Limits, Placements, place};
use crate::expr::{Expr, Function, Path, Size, Tune};
use crate::nat::{Nat, Var};
use crate::pipeline::CompileError;
use crate::placement;
use crate::program::{Program, Sizes};
use crate::strategy::{State, Step, Steps, Strategy, Stuck, attempt, seq};
use crate::{check, strategy};
use roles::Roles;

/// A way to make programs fast.
pub struct Schedule {
    /// What users and choices call it.
    pub name: &'static str,
    /// The paper that the form comes from.
    pub source: &'static str,
    /// The numbers that it leaves open.
    pub parameters: &'static [Parameter],
    /// The options, each with its name and its meaning.
    pub options: &'static [(&'static str, &'static str)],
    derive: Derive,
}

/// The strategy for a program, with the schedule's parameters and options.
type Derive = fn(&Prepared, &[Nat], &[&str]) -> Result<Strategy, Stuck>;

/// A program in order: see [`nest::prepared`].
struct Prepared<'a> {
    body: &'a Expr,
    roles: Option<Roles>,
}

impl Prepared<'_> {
    /// The roles of its levels for the reduction inside.
    fn roles(&self) -> Result<&Roles, Stuck> {
        let reason = "the innermost `map` that makes its result has no `reduce` in its function";
        self.roles.as_ref().ok_or_else(|| Stuck::Because(reason.into()))
    }
}

/// What every schedule begins with.
fn in_order() -> Strategy {
    seq([
        prepared::prepared(),
        borders::apart(),
        neighbours::in_order(),
        phases::phases(),
        attempt(terms::neighbours_last()),
    ])
}

/// The level of a nest that vectors lie across which are computed with its weights.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Channel {
    /// How many levels the nest has.
    pub levels: usize,
    /// The innermost one that goes over weights alone, as over a convolution's output channels.
    pub level: usize,
    /// Are there groups of them, each computed from a part of the input that is its own?
    pub in_groups: bool,
}

/// The channels of a program's nest.
pub(crate) fn channel(program: &Program) -> Option<Channel> {
    let state = in_order().run(&State::new(&program.function), &Path::default()).ok()?;
    let roles = roles::roles(&state.function.body, &nest::constants(&state.function))?;
    let in_groups = !roles.groups.is_empty();
    Some(Channel { levels: roles.levels, level: roles.channel().ok()?, in_groups })
}

/// The program with one function where maps compute something of each other.
pub(crate) fn fused(program: &Program) -> Option<Program> {
    let state = prepared::fused().run(&State::new(&program.function), &Path::default()).ok()?;
    Some(Program { function: (*state.function).clone() })
}

/// A number that a schedule leaves open.
pub struct Parameter {
    /// Its name, in choices and, unless the program has a size of that name, where it is printed.
    pub name: &'static str,
    /// What the number means, for explanations.
    pub meaning: &'static str,
    /// The values that a search chooses from.
    pub values: &'static [i64],
}

/// All of them.
pub static SCHEDULES: &[&Schedule] =
    &[&DIRECT, &MAPPED, &COMBINED, &TILED, &BLOCKED, &DOTS, &ROWS, &CHUNKS, &SCANS, &LANES, &TURNED, &FRAMED];

/// A program as all schedules want it, what is computed for a result in one function and loops in order, and how it was derived.
pub struct Ordered {
    start: Function,
    end: Result<(Function, Steps), Stuck>,
}

impl Ordered {
    /// What its nest reduces and what it reads for that, in words: the same for nests that differ in what they do with each sum, as
    /// with a bias, an activation or a residual. `None` if it is no nest around one reduction.
    pub fn reduced(&self) -> Option<String> {
        self.end.as_ref().ok().and_then(|(function, _)| reduced::reduced(function))
    }

    /// Derives it.
    pub fn of(program: &Program) -> Ordered {
        let start = State::new(&program.function);
        let end = in_order().run(&start, &Path::default());
        let end = end.map(|state| ((*state.function).clone(), state.steps.clone()));
        Ordered { start: (*start.function).clone(), end }
    }
}

/// A program derived by a schedule, its parameters open.
pub struct Candidate {
    /// The schedule's parameters are `tune` parameters of it.
    pub program: Program,
    /// The name of the schedule.
    pub schedule: &'static str,
    /// The options that it was derived with.
    pub options: Vec<&'static str>,
    /// How it was derived, from the program with these parameters on.
    pub start: Function,
    /// The derivation: the rules that were applied, in order.
    pub steps: Vec<Step>,
}

/// Why a schedule does not apply to a program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{schedule}` does not apply to `{program}`: {reason}")]
pub struct NotApplicable {
    /// The name of the schedule.
    pub schedule: &'static str,
    /// The name of the program.
    pub program: String,
    /// Why not.
    pub reason: String,
}

/// Reasons why an option is refused that would change nothing: the form without it is what it asks for.
const NO_CHANNELS: &str = "weights are rearranged where vectors lie across a level that goes over weights alone, as over a \
                           convolution's output channels";
const NOTHING_PADDED: &str = "nothing is padded";
const INNERMOST: &str = "the level that vectors lie along is already the innermost";
const NOTHING_SHARED: &str = "the tiles of a work-item read nothing that is the same for all of them";
const ONE_TILE: &str =
    "a work-item has one tile, and uses what it would copy only once: `near` goes with `several`";
const ONE_SUM: &str = "there is only one sum, which is both the outermost and the innermost";

impl Schedule {
    /// The schedule of this name.
    pub fn named(name: &str) -> Option<&'static Schedule> {
        SCHEDULES.iter().find(|s| s.name == name).copied()
    }

    /// Derives this form of a program, with some of the options.
    ///
    /// # Errors
    /// The program does not have the shape that the schedule works on; an option does not exist, or would not
    /// change this program.
    pub fn derive(&self, program: &Program, options: &[&str]) -> Result<Candidate, NotApplicable> {
        self.derive_from(&Ordered::of(program), options)
    }

    /// The same from what all schedules start from.
    ///
    /// # Errors
    /// As [`Schedule::derive`].
    pub fn derive_from(&self, ordered: &Ordered, options: &[&str]) -> Result<Candidate, NotApplicable> {
        let program = ordered.start.name.to_string();
        let refused =
            |reason: String| NotApplicable { schedule: self.name, program: program.clone(), reason };
        if let Some(unknown) = options.iter().find(|name| self.option(name).is_none()) {
            return Err(refused(self.no_option(unknown)));
        }
        let options: Vec<&'static str> =
            self.options.iter().map(|(name, _)| *name).filter(|name| options.contains(name)).collect();
        let stuck = |stuck: Stuck| refused(stuck.to_string());
        let (function, steps) = ordered.end.as_ref().map_err(|why| stuck(why.clone()))?;
        let (function, sizes) = self.with_parameters(function);
        let state = State::after(function, steps.clone());
        let constants = nest::constants(&state.function);
        let body = &state.function.body;
        let prepared = Prepared { body, roles: roles::roles(body, &constants) };
        let end = (self.derive)(&prepared, &sizes, &options)
            .and_then(|s| s.run(&state, &Path::default()))
            .map_err(stuck)?;
        // Rules leave the conditions that their results demand to the checker.
        let typed = check::infer_derived(&end.function, end.facts())
            .map_err(|mistakes| refused(mistakes.first().map_or_else(String::new, ToString::to_string)))?;
        if let Some(mistake) = placement::check_typed(&end.function, &typed).into_iter().next() {
            return Err(refused(mistake.to_string()));
        }
        let used = |function: &Function| self.without_unused(function, &end.function);
        Ok(Candidate {
            program: Program { function: used(&end.function) },
            schedule: self.name,
            options,
            start: used(&self.with_parameters(&ordered.start).0),
            steps: end.steps.to_vec(),
        })
    }

    /// What an option means, if there is one of this name.
    pub fn option(&self, name: &str) -> Option<&'static str> {
        self.options.iter().find(|(option, _)| *option == name).map(|(_, meaning)| *meaning)
    }

    fn no_option(&self, name: &str) -> String {
        let all: Vec<&str> = self.options.iter().map(|(name, _)| *name).collect();
        match all.is_empty() {
            true => format!("it has no option `{name}`, and no others either"),
            false => format!("it has no option `{name}`, its options are {}", all.join(", ")),
        }
    }

    /// The function without parameters of the schedule that the derived program does not use.
    fn without_unused(&self, function: &Function, end: &Function) -> Function {
        let mut function = function.clone();
        let own = function.sizes.len() - self.parameters.len();
        let mut at = 0..;
        function.sizes.retain(|size| at.next().is_some_and(|k| k < own) || end.body.reads(&size.var));
        function
    }

    /// The function with the schedule's parameters among its sizes.
    fn with_parameters(&self, function: &Function) -> (Function, Vec<Nat>) {
        let mut function = function.clone();
        let mut sizes = vec![];
        for parameter in self.parameters {
            let var = Var::parameter(parameter.name);
            sizes.push(Nat::var(&var));
            let values = parameter.values.iter().map(|n| Nat::constant(*n)).collect();
            function.sizes.push(Size { var, site: function.site, tune: Some(Tune::List(values)) });
        }
        (function, sizes)
    }
}

impl Candidate {
    /// The places of its maps at these sizes; parameters that are not among the sizes are chosen too.
    ///
    /// # Errors
    /// The parameters do not fit the sizes.
    pub fn placements(&self, sizes: &Sizes, limits: Limits) -> Result<Placements, CompileError> {
        let placements = Placements::of(&self.program, sizes, Some(limits), false)?;
        Ok(if self.is_open() { placements } else { placements.sequential() })
    }

    /// The program with every map in a place, by [`Placements::preferred`] where the
    /// schedule left it open.
    ///
    /// # Errors
    /// The parameters do not fit the sizes, or a device with such limits has no room for any placement.
    pub fn placed(&self, sizes: &Sizes, limits: Limits) -> Result<Program, CompileError> {
        if !self.is_open() {
            return Ok(self.program.clone());
        }
        let placements = self.placements(sizes, limits)?;
        let unplaced = || {
            let reason = placements
                .reason()
                .map_or("the search for a placement takes too long".into(), |d| d.to_string());
            CompileError::Unsupported { program: self.program.name().into(), message: reason }
        };
        Ok(place(&placements, &placements.preferred().ok_or_else(unplaced)?))
    }

    /// Did the schedule leave open where maps run?
    pub fn is_open(&self) -> bool {
        !placement::is_placed(&self.program.function)
    }

    /// The program with these places for the maps that the schedule left open. Whether a device
    /// has room for that is not checked.
    ///
    /// # Errors
    /// The parameters do not fit the sizes; there are more or fewer maps; the places break a rule.
    pub fn placed_at(&self, sizes: &Sizes, codes: &[i64]) -> Result<Program, CompileError> {
        let refused =
            |message: String| CompileError::Unsupported { program: self.program.name().into(), message };
        if !self.is_open() {
            return Err(refused(format!("`{}` leaves the placement of no map open", self.schedule)));
        }
        let placements = Placements::of(&self.program, sizes, None, false)?;
        let unfit = || match placements.parameters().iter().find(|var| sizes.get(var).is_none()) {
            Some(missing) => refused(format!("`{missing}` has no value")),
            None => {
                refused(format!("{} places are given, and {} maps are open", codes.len(), placements.free()))
            }
        };
        let solution = placements.solution(codes, &|var| sizes.get(var)).ok_or_else(unfit)?;
        let placement = placements.placement(&solution);
        match placements.broken(&placement).first() {
            Some(constraint) => Err(refused(constraint.diagnostic().to_string())),
            None => Ok(place(&placements, &placement)),
        }
    }

    /// The program after every step, each with the step that led to it.
    pub fn derivation(&self) -> Vec<(Option<Step>, Function)> {
        let mut state = State::new(&self.start);
        let mut all = vec![(None, (*state.function).clone())];
        for step in &self.steps {
            match strategy::replay(&state, std::slice::from_ref(step)) {
                Ok(next) => state = next,
                Err(_) => break,
            }
            all.push((Some(step.clone()), (*state.function).clone()));
        }
        all
    }
}
