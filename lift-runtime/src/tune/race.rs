//! The forms that the model puts first, built, checked and timed: the model only guesses which of them is the fastest.

use super::bench::Bench;

use super::forms::kernels;
use super::goal::Bounds;
use super::{Choice, Tuning};
use crate::{Compiled, Error, threads};
use lift_core::cost;
use lift_core::target::Class;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// How many of them may be of one schedule with the same options.
const ALIKE: usize = 3;
/// A form is timed if the model expects it to take no more than this many times as long as the first. Where no float is computed the
/// model knows too little to leave forms out: of transposes on a processor it expected the fastest to take up to 6 times as long as its
/// first.
const NEAR: f64 = 2.5;
/// The same for the program as it is written: compilers make vectors and blocks of it that the model does not know of, and
/// it is built in a moment.
const NEAR_AS_WRITTEN: f64 = 8.0;
/// The seconds by the model that all of them take together at most, unless one alone takes longer.
const TOGETHER: f64 = 1.0;
/// How often each is timed, in turn with the others: what else the machine does slows all of them.
const ROUNDS: usize = 3;

/// How many forms are timed at most: each is built, and that takes most of the time. A GPU's compiler takes seconds for what
/// is unrolled, and the model knows GPUs better than what C compilers make of a form.
fn most_entrants(class: Class) -> usize {
    match class {
        Class::Processor => 6,
        Class::Gpu => 4,
    }
}

/// One of the forms that are timed, until it is.
struct Entrant {
    choice: Choice,
    compiled: Result<Compiled, Error>,
}

impl Tuning {
    /// The fastest of the forms that the model puts first, of choices with their seconds by the model in this order. Each
    /// that does not run or is wrong is given to `failed`. `None` if that is all of them.
    pub(super) fn fastest_of(
        &self,
        likely: &[(f64, Choice)],
        bounds: Bounds,
        bench: &OnceCell<Bench>,
        failed: &mut dyn FnMut(&Choice, Error),
    ) -> Option<(Choice, Compiled)> {
        let mut right = vec![];
        for Entrant { choice, compiled } in self.built(&self.entrants(likely, bounds), bench) {
            match compiled.and_then(|compiled| self.right(&choice, compiled, bench)) {
                Ok(compiled) => right.push((Duration::MAX, choice, compiled)),
                Err(error) => failed(&choice, error),
            }
        }
        for _ in 0..ROUNDS {
            // There is nothing to compare the last with.
            if right.len() < 2 {
                break;
            }
            right.retain_mut(|(least, choice, compiled)| {
                match self.bench(bench).and_then(|bench| bench.glance(compiled)) {
                    Ok(time) => *least = time.min(*least),
                    Err(error) => {
                        failed(choice, error);
                        return false;
                    }
                }
                true
            });
        }
        right.iter().for_each(|(least, choice, _)| log::debug!("`{choice}` takes {least:?}"));
        right.into_iter().min_by_key(|(least, ..)| *least).map(|(_, choice, compiled)| (choice, compiled))
    }

    /// Those to time: the first by the model and what is near it, no more than a few of one schedule with the same options,
    /// and the program as it is written. Where forms take long, fewer are timed.
    fn entrants(&self, likely: &[(f64, Choice)], bounds: Bounds) -> Vec<Choice> {
        let Some((first, best)) = likely.first() else { return vec![] };
        let (mut chosen, mut seen): (Vec<&Choice>, BTreeSet<String>) = (vec![], BTreeSet::new());
        let plain = likely.iter().find(|(seconds, choice)| {
            choice.is_plain() && (seconds == first || *seconds <= (NEAR_AS_WRITTEN * first).min(TOGETHER))
        });
        let most = most_entrants(self.device.target().family.class());
        let most = if plain.is_some() { most - 1 } else { most };
        let moves = self.forms.plan(best).is_ok_and(|plan| cost::only_moves(&plan));
        let mut together = if best.is_plain() { *first } else { 0.0 };
        for (k, (seconds, choice)) in likely.iter().enumerate() {
            let near = moves || *seconds <= NEAR * first;
            let near = k == 0 || near && together + seconds <= TOGETHER;
            if chosen.len() == most || !near {
                break;
            }
            let alike = chosen.iter().filter(|other| other.form() == choice.form()).count();
            let other = !choice.is_plain() && (alike < ALIKE || !choice.parts.is_empty());
            // What only differs in numbers that say nothing here has the same kernels.
            let plan = || self.forms.plan(choice).ok().filter(|plan| bounds.admit(plan));
            if other && plan().is_some_and(|plan| seen.insert(kernels(&plan))) {
                chosen.push(choice);
                together += seconds;
            }
        }
        let plain = plain.filter(|(seconds, choice)| choice == best || together + seconds <= TOGETHER);
        chosen.extend(plain.map(|(_, choice)| choice));
        chosen.into_iter().cloned().collect()
    }

    /// Each built, and what checks them besides, if it is needed: several compilers at work.
    fn built(&self, choices: &[Choice], bench: &OnceCell<Bench>) -> Vec<Entrant> {
        let build = |choice: Choice| {
            let compiled = self.forms.build(&self.device, &choice);
            Entrant { choice, compiled }
        };
        let known = bench.get().is_some() || choices.is_empty();
        let (entrants, new) =
            threads::both(|| threads::map(choices.to_vec(), build), || (!known).then(|| self.new_bench()));
        // Where there is none, that is told where one is wanted.
        if let Some(Ok(new)) = new {
            bench.get_or_init(|| new);
        }
        entrants
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tuning;
    use super::ALIKE;
    use crate::Device;
    use crate::tune::Choice;
    use crate::tune::goal::Bounds;
    use crate::tune::seeds::tests::{product, transposition};
    use lift_core::Program;

    /// The forms of a product that are timed, of these with what the model says.
    fn entrants(likely: &[(f64, &str)]) -> Vec<String> {
        entrants_of(&product(), &[256; 3], likely)
    }

    fn entrants_of(program: &Program, sizes: &[usize], likely: &[(f64, &str)]) -> Vec<String> {
        let device = Device::cpu();
        let tuning = Tuning::new(program, &device, sizes).expect("it has forms").stored(None);
        let parsed = |(seconds, form): &(f64, &str)| (*seconds, form.parse::<Choice>().expect("a choice"));
        let likely: Vec<(f64, Choice)> = likely.iter().map(parsed).collect();
        tuning.entrants(&likely, Bounds::NONE).iter().map(ToString::to_string).collect()
    }

    const COMBINED: [&str; 4] =
        ["combined D=8 V=8 Q=8", "combined D=8 V=8 Q=4", "combined D=16 V=8 Q=4", "combined D=16 V=8 Q=2"];
    const LARGER: &str = "tiled GX=1 GY=1 D=8 V=8 Q=8 T=4 U=4";
    const TILED: &str = "tiled GX=1 GY=1 D=8 V=8 Q=4 T=4 U=4";
    const BLOCKED: &str = "blocked GM=8 GN=8 TM=4 TN=4 BK=16 W=1 V=1 P=0";

    #[test]
    fn some_of_each_kind_that_are_near_and_the_program_as_it_is() {
        let [a, b, c, d] = COMBINED;
        let forms = [(1e-4, a), (1.1e-4, b), (1.2e-4, c), (1.25e-4, d), (1.3e-4, TILED), (1.4e-4, BLOCKED)];
        let others = [(1.5e-4, LARGER), (5e-4, "-")];
        assert_eq!(entrants(&[&forms[..], &others].concat()), [a, b, c, TILED, BLOCKED, "-"]);
        const { assert!(ALIKE == 3) };
        // What is not near is left out.
        assert_eq!(entrants(&[(1e-4, a), (2.6e-4, TILED), (1e-3, "-")]), [a]);
        // The same kernels are timed once.
        assert_eq!(entrants(&[(1e-4, a), (1e-4, a), (1.5e-4, "-")]), [a, "-"]);
    }

    #[test]
    fn of_what_only_moves_all_that_there_is_room_for_is_timed() {
        let [large, small] = ["turned wide T=64 V=64 L=8", "turned wide T=16 V=4 L=4"];
        let timed = |seconds| entrants_of(&transposition(), &[4096; 2], &[(1e-3, large), (seconds, small)]);
        assert_eq!(timed(1e-2), [large, small]);
        assert_eq!(timed(1.0), [large]);
    }

    #[test]
    fn what_takes_long_is_not_timed_beside_others() {
        let [a, b, ..] = COMBINED;
        assert_eq!(entrants(&[(1.0, a), (1.1, b), (1.2, "-")]), [a]);
        // As many as take a second together.
        assert_eq!(entrants(&[(0.25, a), (0.3, b), (0.5, TILED), (0.6, "-")]), [a, b]);
        assert_eq!(entrants(&[(0.25, a), (0.3, b), (0.4, TILED), (0.5, "-")]), [a, b, TILED]);
        assert_eq!(entrants(&[(0.25, a), (0.3, b), (0.4, "-"), (0.5, TILED)]), [a, b, "-"]);
        assert_eq!(entrants(&[(1.0, "-"), (1.1, a)]), ["-"]);
        assert_eq!(entrants(&[(0.6, "-"), (0.7, a)]), ["-"]);
        assert!(entrants(&[]).is_empty());
    }
}
