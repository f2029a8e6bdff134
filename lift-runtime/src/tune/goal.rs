//! Which form of a program is wanted, and what that allows a form to take.

use super::{Choice, Tuning};
use lift_core::kernel::{Memory, Plan, Purpose};
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

/// Which form of a program is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    /// The fastest that takes no more device memory than a convolution by im2col would: the program's arrays and, with a row
    /// for every window, the operands that are not constant ([`Tuning::moderate_bytes`]).
    #[default]
    Moderate,
    /// The shortest time, whatever memory it takes.
    Fastest,
    /// The fastest that takes no more device memory.
    WithinBytes(usize),
    /// The smallest that takes no longer. Only what was measured has a time: without any, the
    /// fastest by the model.
    WithinTime(Duration),
    /// The fastest of those of [`Goal::Moderate`] that start no more kernels in a run than the program does as it is written:
    /// for hosts and drivers that take long to start one. On a GPU that excludes sums whose parts several work-groups add up,
    /// since a second kernel puts these together.
    FewestKernels,
}

/// What a form may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// The most bytes of device memory.
    pub bytes: usize,
    /// The most kernels in each run, without those that prepare constants.
    pub kernels: usize,
}

impl Bounds {
    /// Whatever it takes.
    pub const NONE: Bounds = Bounds { bytes: usize::MAX, kernels: usize::MAX };

    /// Does a plan keep to them?
    pub fn admit(&self, plan: &Plan) -> bool {
        self.has_room_for(plan) && kernels_in_a_run(plan) <= self.kernels
    }

    pub fn has_room_for(&self, plan: &Plan) -> bool {
        plan.memory().bytes() <= self.bytes
    }
}

/// What a choice is remembered under that was made within them.
impl Display for Bounds {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Bounds { bytes, kernels } = self;
        write!(f, "{bytes} bytes, {kernels} kernels")
    }
}

/// How many kernels each run starts, without those that prepare constants.
pub(super) fn kernels_in_a_run(plan: &Plan) -> usize {
    plan.memory().prepares.iter().filter(|prepares| !**prepares).count()
}

impl Tuning {
    /// The bytes of device memory that [`Goal::Moderate`] allows: what the program takes as it is written, or part by part
    /// where it has several, and the operands
    /// of one of its reductions that are not constant, with a row for every window, as im2col writes a picture out. Of a
    /// program that is no loop nest around a reduction, a copy of its arguments instead.
    pub fn moderate_bytes(&self) -> usize {
        let plain = |(_, forms): (_, &[_])| vec![Choice::default(); forms.len()];
        let in_parts = self.forms.parts().map(|parts| Choice { parts: plain(parts), ..Choice::default() });
        let choices = self.plain().into_iter().chain(in_parts);
        let memories = choices.filter_map(|choice| Some(self.forms.plan(&choice).ok()?.memory()));
        let Some(memory) = memories.max_by_key(Memory::bytes) else { return usize::MAX };
        let arguments =
            [Purpose::Input, Purpose::Constant, Purpose::Source].map(|purpose| memory.bytes_for(purpose));
        let parts = match self.forms.parts() {
            Some((_, forms)) => forms.iter().map(|forms| forms.written_out()).max().flatten(),
            None => self.forms.written_out(),
        };
        memory.bytes().saturating_add(parts.unwrap_or(arguments.into_iter().sum()))
    }

    /// What a goal allows this program.
    pub(super) fn bounds(&self, goal: Goal) -> Bounds {
        match goal {
            Goal::Moderate => Bounds { bytes: self.moderate_bytes(), ..Bounds::NONE },
            Goal::Fastest | Goal::WithinTime(_) => Bounds::NONE,
            Goal::WithinBytes(bytes) => Bounds { bytes, ..Bounds::NONE },
            Goal::FewestKernels => {
                Bounds { bytes: self.moderate_bytes(), kernels: self.kernels_as_written() }
            }
        }
    }

    /// What is allowed to this program, as a part of another that is allowed so much: memory is counted for the whole.
    pub(super) fn bounds_of_part(&self, whole: Bounds) -> Bounds {
        let kernels = if whole.kernels == usize::MAX { usize::MAX } else { self.kernels_as_written() };
        Bounds { kernels, ..Bounds::NONE }
    }

    fn kernels_as_written(&self) -> usize {
        self.plain().and_then(|plain| self.kernels_of(&plain)).unwrap_or(usize::MAX)
    }

    /// How many kernels each run of a choice starts, if it has kernels.
    pub(super) fn kernels_of(&self, choice: &Choice) -> Option<usize> {
        Some(kernels_in_a_run(&*self.forms.plan(choice).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::seeds::tests::product;
    use super::{Bounds, Goal};
    use crate::Device;
    use crate::tune::likely::Like;
    use crate::tune::{Choice, Tuning};

    #[test]
    fn forms_of_fewest_kernels_are_found_where_they_are_wanted() {
        let tuning = Tuning::new(&product(), &Device::cpu(), &[256; 3]).expect("it has forms").stored(None);
        let kernels = |goal| {
            let samples = tuning.samples_by_model(tuning.bounds(goal)).into_iter();
            samples.filter_map(|(_, choice)| tuning.kernels_of(&choice)).max()
        };
        assert!(kernels(Goal::Fastest) > Some(1));
        assert_eq!(kernels(Goal::FewestKernels), Some(1));
        let likely = tuning.likely_among(Like::Nothing, 0, Goal::FewestKernels).expect("there is one").choice;
        assert!(tuning.kernels_of(&likely) == Some(1) && likely != Choice::default(), "{likely}");
    }

    #[test]
    fn bounds_are_about_memory_and_kernels() {
        let tuning = Tuning::new(&product(), &Device::cpu(), &[256; 3]).expect("it has forms").stored(None);
        let plan = tuning.plan(&Choice::default()).expect("a plan");
        let own = Bounds { bytes: plan.memory().bytes(), kernels: 1 };
        assert!(own.admit(&plan));
        assert!(!Bounds { bytes: own.bytes - 1, ..own }.admit(&plan));
        assert!(!Bounds { kernels: 0, ..own }.admit(&plan));
    }
}
