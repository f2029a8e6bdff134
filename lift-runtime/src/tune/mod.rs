//! Finding the fastest form of a program on a device, and keeping it.
//!
//! A [`Tuning`] is a program at its sizes on a device. [`Tuning::search`] derives forms by every schedule,
//! tries the ones that a model of costs thinks best, and keeps every one that is right unless another is better
//! in both time and memory. [`Tuning::best`] builds the best known form at once: one that was found for these
//! sizes, else for sizes like these, else the one that the model thinks best.
//!
//! ```no_run
//! # use lift_runtime::{Device, Error, tune::{self, Goal, Limits, Tuning}};
//! # fn tuned(program: &lift_core::Program) -> Result<(), Error> {
//! tune::worker(); // first in `main`: candidates run in a process of their own
//! let device = Device::best()?;
//! let tuning = Tuning::new(program, &device, &[64, 3, 3, 64, 224, 224])?;
//! let report = tuning.search(&Limits::default(), |progress| println!("{progress}"))?;
//! println!("{} of {} candidates were measured", report.measured, report.tried);
//! let fastest = tuning.best(Goal::default())?;
//! println!("{}", fastest.choice);
//! # Ok(())
//! # }
//! ```
//!
//! **Nothing is believed that was not checked.** A candidate's time counts when its results were
//! compared with those of the program itself, computed in another way (see `check`), from inputs that reveal
//! mistakes, into memory that held no numbers. What comes from a file is checked before it is used for the
//! first time on this machine.
//!
//! **Nothing that a candidate of a search does is the user's problem.** It runs in a process of its own; if it
//! does not end, crashes or takes all memory, that process is ended and another started.

mod bench;
mod best;
mod calibrate;
mod check;
mod child;
mod choice;
mod course;
mod coverage;
mod crew;
mod excerpts;
mod failures;
mod folder;
mod form;
mod forms;
mod front;
mod goal;
mod inlined;
mod inputs;
mod lean;
mod likely;
mod limits;
mod message;
mod outcome;
mod pace;
mod race;
mod report;
mod restart;
mod search;
mod seeds;
mod store;
mod tolerance;
mod trial;
mod turns;
mod whole;
mod worker;

#[doc(hidden)]
pub use bench::Bench;
pub use best::Best;
pub use choice::Choice;
pub use failures::{Cause, Failure, Failures};
pub use front::{Found, Front};
pub use goal::Goal;
pub(crate) use likely::{Like, Likely};
pub use limits::{Launcher, Limits};
pub use outcome::{Outcome, Stages, Trial};
pub use report::{Ended, Progress, Report};
pub use search::Search;
pub use store::{Key, Store, Table};
pub use trial::Trials;
pub(crate) use turns::median;
pub use worker::{worker, worker_with};

use crate::{Device, Error, entry, trust};
use forms::Forms;
use lift_core::kernel::{Plan, Role, Rows};
use lift_core::schedules::NotApplicable;
use lift_core::{Program, Sizes};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sizes as they are kept.
fn named(sizes: &Sizes) -> String {
    let named = sizes.0.iter().map(|(var, value)| format!("{var}={value}"));
    named.collect::<Vec<_>>().join(" ")
}

/// A program at its sizes on a device, to be tuned or built in its best form.
#[derive(Clone)]
pub struct Tuning {
    program: Program,
    device: Device,
    forms: Arc<Forms>,
    store: Option<Store>,
    key: Key,
}

impl Tuning {
    /// A program with a value for each size in the order of its `<…>`, `tune` parameters left out.
    ///
    /// # Errors
    /// Sizes that the program does not admit.
    pub fn new(program: &Program, device: &Device, sizes: &[usize]) -> Result<Tuning, Error> {
        let sizes = entry::named(program, sizes)?;
        let (named, hash) = (named(&sizes), entry::hash(program)?);
        let key =
            Key::new(format!("{} {hash}", program.name()), named, &device.to_string(), &device.version());
        let store = device.settings().cache.as_ref().map(|folder| Store::new(folder.join("tuned.txt")));
        let forms = Arc::new(Forms::new(program, &sizes, calibrate::known(device)));
        Ok(Tuning { program: program.clone(), device: device.clone(), forms, store, key })
    }

    /// Keeps what is found in another file than the one in the device's cache folder, or in none.
    #[must_use]
    pub fn stored(self, store: Option<Store>) -> Tuning {
        Tuning { store, ..self }
    }

    /// Of all forms only those of one schedule, or without a name the program as it is.
    #[must_use]
    pub fn only(self, schedule: Option<&str>) -> Tuning {
        Tuning { forms: Arc::new(self.forms.only(schedule)), ..self }
    }

    /// The file that results are kept in.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The key that they are kept under.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// What was found for these sizes on this device.
    pub fn front(&self) -> Front {
        self.table().fronts.remove(&self.key).unwrap_or_default()
    }

    /// A form of the program, built; not checked.
    ///
    /// # Errors
    /// A form that there is not, and everything that can go wrong in building.
    pub fn build(&self, choice: &Choice) -> Result<crate::Compiled, Error> {
        self.forms.build(&self.device, choice)
    }

    /// The kernels, buffers and launches of a form; nothing is built.
    ///
    /// # Errors
    /// A form that there is not.
    pub fn plan(&self, choice: &Choice) -> Result<Plan, Error> {
        self.forms.plan(choice).map(Arc::unwrap_or_clone)
    }

    /// The same for arguments and results of which some lie in rows that are apart.
    pub(crate) fn plan_in_rows(&self, choice: &Choice, rows: &BTreeMap<Role, Rows>) -> Result<Plan, Error> {
        self.forms.plan_in_rows(choice, rows)
    }

    /// The schedules that derive nothing from the program at its sizes, each with why. Nothing is built or run.
    pub fn not_applicable(&self) -> Vec<NotApplicable> {
        self.forms.not_applicable(&[].into())
    }

    /// The order in which candidates are tried, for a way of one's own to measure them.
    pub fn candidates(&self, seed: u64) -> Search {
        Search::new(self.forms.clone(), seed, &self.known())
    }

    /// The same for a model of costs that knows what was measured of the device.
    fn calibrated(&self) -> Tuning {
        let target = calibrate::measured(&self.device);
        match self.forms.target() == target {
            true => self.clone(),
            false => Tuning { forms: Arc::new(self.forms.on(target)), ..self.clone() },
        }
    }

    fn sizes(&self) -> &Sizes {
        self.forms.sizes()
    }

    /// A store that can't be read is as good as an empty one.
    fn table(&self) -> Table {
        self.store.as_ref().map_or_else(Table::default, |store| {
            store.read().unwrap_or_else(|error| {
                trust::not_used(store.path(), &error);
                Table::default()
            })
        })
    }
}
