//! The form that is likely to be fast, chosen in less time than it takes to build one: for networks, which have many programs,
//! and for a first run.

use super::best::{fits, in_order};
use super::forms::RAGGED;
use super::{Choice, Goal, Tuning, seeds};
use crate::{Error, entry, threads};
use lift_core::kernel::Plan;
use lift_core::target::{Class, Seed};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Of so many variants, together and of each schedule, all seeds are looked at: of those whose first seed the model expects to be the
/// fastest, and within this factor of the fastest. Seeds of one variant differ by as much, where sizes are small.
const VARIANTS: usize = 3;
const OF_A_SCHEDULE: usize = 2;
const PROMISING: f64 = 1.5;

/// A form of a nest that is expected to take more than so many times as long as the fastest is not looked at again for the same nest at
/// other sizes. Of 51 nests of six networks, each at two sizes that differ much, one lost 5 % by that on a processor.
const SLOW: f64 = 3.0;

/// What choices are remembered under that were made without a measurement.
const LIKELY: &str = "likely";

/// What is fast for sizes up to so many times as large, or as small, is taken for these; of others it is one form among those that
/// the model compares.
const NEAR: f64 = 2.0;

/// The model does not tell forms of one schedule apart whose times are within this factor. Of these, one of fewest kernels is taken,
/// which needs least memory.
const ALIKE: f64 = 1.2;

/// So often at most the neighbours of a choice are looked at, each time as long as the last has saved this part of the time:
/// kernels are made of each neighbour, which takes some tenths of a second.
const ROUNDS: usize = 3;
const SAVED: f64 = 0.2;

/// The seconds of choices, given the factors by which to correct the model; without those that have no kernels or take too much.
type Predicted<'a> = dyn Fn(Vec<(f64, Choice)>) -> Vec<(f64, Choice)> + Sync + 'a;

/// What can be told of choices without building them.
pub(super) struct Expected<'a> {
    /// Their seconds.
    pub predicted: &'a Predicted<'a>,
    /// How many kernels each run of one takes.
    pub kernels: &'a (dyn Fn(&Choice) -> Option<usize> + Sync),
}

/// What is known of the forms of programs that are like one, or of the same at other sizes.
#[derive(Clone, Copy)]
pub(crate) enum Like<'a> {
    Nothing,
    /// One of these may be the fastest; no other is.
    Forms(&'a [Named]),
    /// These were chosen.
    Choices(&'a [Choice]),
}

impl<'a> Like<'a> {
    pub(super) fn of(choices: &'a [Choice]) -> Like<'a> {
        if choices.is_empty() { Like::Nothing } else { Like::Choices(choices) }
    }

    fn choices(self) -> &'a [Choice] {
        match self {
            Like::Nothing | Like::Forms(_) => &[],
            Like::Choices(choices) => choices,
        }
    }
}

/// A form by its schedule and options.
pub(crate) type Named = (Option<String>, Vec<String>);

/// A likely form.
#[derive(Clone)]
pub(crate) struct Likely {
    pub choice: Choice,
    pub plan: Plan,
    /// Those that may be the fastest at other sizes; none if that is not known.
    pub forms: Vec<Named>,
}

/// Seeds that are fitted to sizes.
pub(super) struct Fitted {
    /// Each with how many times as long as the model says it took.
    pub choices: Vec<(f64, Choice)>,
    /// The forms that may be the fastest at other sizes; none if that is not known.
    pub forms: Vec<Named>,
}

fn named(choice: &Choice) -> Named {
    let (schedule, options) = choice.form();
    (schedule.map(String::from), options.to_vec())
}

impl Tuning {
    /// The same program at other sizes: what schedules derive from it is derived once for both.
    ///
    /// # Errors
    /// Sizes that the program does not admit.
    pub fn resized(&self, sizes: &[usize]) -> Result<Tuning, Error> {
        let sizes = entry::named(&self.program, sizes)?;
        let key = super::Key { sizes: super::named(&sizes), ..self.key.clone() };
        Ok(Tuning { forms: Arc::new(self.forms.resized(&sizes)), key, ..self.clone() })
    }

    /// What programs have in common with this one for which the same forms are fast, whatever they do with each sum; `None` if that is
    /// not known.
    pub(crate) fn reduced(&self) -> Option<String> {
        if self.forms_carry_over() { self.forms.reduced() } else { None }
    }

    /// Is what is slow for a nest at one size slow at all? Not on GPUs: which forms keep all units of one busy depends on the sizes
    /// more than on anything else.
    pub(crate) fn forms_carry_over(&self) -> bool {
        self.device.target().family.class() == Class::Processor
    }

    /// A form that is likely to be fast, with its kernels: the fastest that was found for these sizes, else for sizes like these,
    /// else the one that the model expects to be the fastest of the device's seeds and, on a processor, their neighbours. Nothing is built, measured
    /// or checked: [`Tuning::best`] does that, and takes some seconds where this takes one. `like` are forms that were chosen
    /// at other sizes: if there are any, seeds of other forms are not looked at. It takes no more memory than [`Goal::Moderate`]
    /// allows or, if that is more, than the program as it is written and so many bytes of `room`.
    ///
    /// # Errors
    /// No kernels can be generated for the program.
    pub fn likely(&self, like: &[Choice], room: usize) -> Result<(Choice, Plan), Error> {
        self.likely_among(Like::of(like), room).map(|found| (found.choice, found.plan))
    }

    /// The same given more than choices, and with what it says of other sizes.
    pub(crate) fn likely_among(&self, like: Like<'_>, room: usize) -> Result<Likely, Error> {
        let known = self.own().iter().map(|found| found.choice.clone()).collect::<Vec<_>>();
        let near = || self.like_these(NEAR.ln()).into_iter().take(1).map(|found| found.choice);
        let within = OnceCell::new();
        let goal = || *within.get_or_init(|| self.with_room(room));
        let found = known.into_iter().chain(near()).find_map(|choice| {
            let plan = self.plan(&choice).ok()?;
            fits(&plan, goal()).is_ok().then_some((choice, plan))
        });
        if let Some((choice, plan)) = found {
            return Ok(Likely { choice, plan, forms: vec![] });
        }
        let purpose = format!("{LIKELY} {room}");
        if let Some(choice) = self.chosen_as(&purpose)
            && let Ok(plan) = self.plan(&choice)
        {
            return Ok(Likely { choice, plan, forms: vec![] });
        }
        let goal = goal();
        let Fitted { choices, forms } = match self.forms.parts() {
            None => {
                let predicted = |choices| self.predicted(choices, goal);
                let kernels = |choice: &Choice| self.kernels_of(choice);
                self.likely_seeds(like, &Expected { predicted: &predicted, kernels: &kernels })
            }
            Some(_) => Fitted { choices: self.likely_in_parts(like.choices(), room, goal)?, forms: vec![] },
        };
        let times: BTreeMap<String, f64> =
            choices.iter().map(|(t, choice)| (choice.to_string(), *t)).collect();
        let expected = self.with_fewest_kernels(in_order(self.predicted(choices, goal)));
        let choice = expected.map_or(Choice::default(), |(_, choice)| {
            // Where forms do not carry over, neither does what is known of one to its neighbours: VGG-19 took 1.07 times as long on an
            // H200 with those that the model finds faster. And what was chosen for others like it has been compared with its neighbours there.
            if !self.forms_carry_over() || matches!(like, Like::Choices(_)) {
                return choice;
            }
            let times = times.get(&choice.to_string()).copied().unwrap_or(1.0);
            self.refined((times, choice), goal)
        });
        let plan = self.plan(&choice)?;
        self.remember_as(&purpose, &choice);
        Ok(Likely { choice, plan, forms })
    }

    /// As much memory as [`Goal::Moderate`] allows, or so much besides what the program takes as it is written.
    fn with_room(&self, room: usize) -> Goal {
        let plain = self.plan(&Choice::default()).map_or(0, |plan| plan.memory().bytes());
        Goal::WithinBytes(self.moderate_bytes().max(plain.saturating_add(room)))
    }

    /// Of choices in the order of their times, the first with fewest kernels in each run among those of the fastest one's schedule that
    /// are about as fast.
    pub(super) fn with_fewest_kernels(&self, choices: Vec<(f64, Choice)>) -> Option<(f64, Choice)> {
        let (least, schedule) = choices.first().map(|(least, choice)| (*least, choice.schedule.clone()))?;
        let alike = choices.into_iter().take_while(|(seconds, _)| *seconds <= ALIKE * least);
        alike
            .filter(|(_, choice)| choice.schedule == schedule)
            .min_by_key(|(_, choice)| self.kernels_of(choice).unwrap_or(usize::MAX))
    }

    /// How many kernels each run of a choice takes, if it has kernels.
    pub(super) fn kernels_of(&self, choice: &Choice) -> Option<usize> {
        let plan = self.plan(choice).ok()?;
        Some(plan.memory().prepares.iter().filter(|prepares| !**prepares).count())
    }

    /// From neighbour to neighbour, as long as these are expected to be faster: seeds were found for other sizes. What is known of
    /// how long a choice took holds for its neighbours, too, but for those that are seeds themselves, of which more is known.
    fn refined(&self, (times, choice): (f64, Choice), goal: Goal) -> Choice {
        let seeds = self.seeds();
        let as_seed = |choice: &Choice| {
            let own = |(seed, _): &&(Choice, Seed)| {
                seed.form() == choice.form() && choice.doublings_from(seed) == 0.0
            };
            seeds.iter().find(own).map(|(_, seed)| seed.times)
        };
        let with_times = |choice: Choice| (as_seed(&choice).unwrap_or(times), choice);
        let first = |choices: Vec<(f64, Choice)>| in_order(self.predicted(choices, goal)).into_iter().next();
        let Some((mut seconds, mut choice)) = first(vec![(times, choice.clone())]) else { return choice };
        for _ in 0..ROUNDS {
            let Some([beside, _]) = self.forms.of(&choice).map(|form| form.neighbours(&choice)) else {
                break;
            };
            let beside = beside.into_iter().map(with_times).collect();
            let Some(next) = first(beside).filter(|(next, _)| *next < seconds) else { break };
            let saved = 1.0 - next.0 / seconds;
            (seconds, choice) = next;
            if saved < SAVED {
                break;
            }
        }
        choice
    }

    /// The seeds of the device.
    fn seeds(&self) -> Vec<(Choice, Seed)> {
        let all = self.device.target().family.seeds().into_iter();
        all.filter_map(|seed| Some((seed.form.parse().ok()?, seed))).collect()
    }

    /// Of choices in the order of their times, those whose forms may be the fastest at other sizes; none if that is not known.
    fn near<'c>(&self, ranked: &'c [(f64, Choice)]) -> Vec<&'c Choice> {
        let least = ranked.first().filter(|_| self.forms_carry_over()).map_or(0.0, |(seconds, _)| *seconds);
        let near = ranked.iter().take_while(|(seconds, _)| *seconds <= SLOW * least);
        near.map(|(_, choice)| choice).collect()
    }

    /// The seeds of the forms that are likely to be fast by what is expected of choices.
    pub(super) fn likely_seeds(&self, like: Like<'_>, expected: &Expected) -> Fitted {
        let seeds = self.seeds();
        let may_be = |choice: &Choice| !(expected.predicted)(vec![(1.0, choice.clone())]).is_empty();
        let carry_over = self.forms_carry_over();
        let fitted = |(choice, seed): &(Choice, Seed)| match carry_over {
            true => seeds::fitted_in_short(&self.forms, choice, seed.times, &may_be),
            false => seeds::fitted(&self.forms, choice, seed.times),
        };
        let each_once = |choices: Vec<(f64, Choice)>| {
            let mut seen = BTreeSet::new();
            let new = |(_, choice): &(f64, Choice)| seen.insert(choice.to_string());
            choices.into_iter().filter(new).collect::<Vec<_>>()
        };
        // Where a form's first seed says little of its others, all are looked at.
        if matches!(like, Like::Nothing) && !self.forms_carry_over() {
            let all = threads::map(seeds.iter().collect(), fitted).concat();
            return Fitted { choices: each_once(all), forms: vec![] };
        }
        let (wanted, forms) = match like {
            Like::Choices(some) => (some.to_vec(), vec![]),
            Like::Nothing | Like::Forms(_) => {
                // One of each form, and the best of these.
                let mut seen = BTreeSet::new();
                let may_be = |name: &Named| !matches!(like, Like::Forms(forms) if !forms.contains(name));
                let new = |(choice, _): &&(Choice, Seed)| {
                    let name = named(choice);
                    may_be(&name) && seen.insert(name)
                };
                let first: Vec<&(Choice, Seed)> = seeds.iter().filter(new).collect();
                let of_each = threads::map(first.clone(), fitted);
                let ranked = in_order((expected.predicted)(of_each.concat()));
                let near = self.near(&ranked);
                let is_near = |some: &[(f64, Choice)]| some.iter().any(|(_, choice)| near.contains(&choice));
                let may_be = first.iter().zip(&of_each).filter(|(_, fitted)| is_near(fitted));
                let forms = may_be.map(|((choice, _), _)| named(choice)).collect();
                (promising(ranked, expected.kernels), forms)
            }
        };
        let of_wanted = |(times, choice): (f64, Choice)| {
            wanted.iter().any(|one| variant(one) == variant(&choice)).then_some((times, choice))
        };
        // Seeds with more options than apply are of these forms, too.
        let could = |(choice, _): &&(Choice, Seed)| {
            wanted.iter().any(|one| {
                one.schedule == choice.schedule
                    && one.options.iter().all(|o| choice.options.contains(o) || o == RAGGED)
            })
        };
        let again: Vec<&(Choice, Seed)> = seeds.iter().filter(could).collect();
        // What was chosen at other sizes took as long, compared with the model, as the seed of its form that is nearest.
        let as_nearest = |choice: Choice| {
            let of_form = seeds.iter().filter(|(seed, _)| seed.form() == choice.form());
            let apart = of_form.map(|(form, seed)| (choice.doublings_from(form), seed.times));
            let nearest = apart.min_by(|a, b| a.0.total_cmp(&b.0));
            (nearest.map_or(1.0, |(apart, times)| seeds::weighed(times, apart)), choice)
        };
        let own = wanted.iter().filter_map(|one| self.forms.of(one)?.nearest(one)).map(as_nearest);
        let all = threads::map(again, fitted).concat().into_iter().filter_map(of_wanted);
        let found = self.like_these(f64::INFINITY).into_iter().map(|found| (1.0, found.choice));
        Fitted { choices: each_once(all.chain(own).chain(found).collect()), forms }
    }
}

/// What a form is but for what it does where numbers do not divide sizes: a schedule and its other options.
fn variant(choice: &Choice) -> (Option<&str>, Vec<&str>) {
    let options = choice.options.iter().map(String::as_str).filter(|option| *option != RAGGED);
    (choice.schedule.as_deref(), options.collect())
}

/// Of choices in the order of their times, one of each of the variants of which all seeds are looked at. If another variant of the
/// fastest one's schedule is about as fast and takes fewer kernels than these, one of it, too.
fn promising(ranked: Vec<(f64, Choice)>, kernels: &dyn Fn(&Choice) -> Option<usize>) -> Vec<Choice> {
    let least = ranked.first().map_or(0.0, |(seconds, _)| *seconds);
    let mut found: Vec<Choice> = vec![];
    let mut alike: Vec<Choice> = vec![];
    for (seconds, choice) in ranked.into_iter().take_while(|(seconds, _)| *seconds <= PROMISING * least) {
        let of_schedule = || found.iter().filter(|other| other.schedule == choice.schedule);
        let is_new = of_schedule().all(|other| variant(other) != variant(&choice));
        if is_new && of_schedule().count() < OF_A_SCHEDULE && found.len() < VARIANTS {
            found.push(choice);
        } else if is_new
            && seconds <= ALIKE * least
            && found.first().is_some_and(|first| first.schedule == choice.schedule)
        {
            alike.push(choice);
        }
    }
    let fewest = |some: &[Choice], schedule: &Option<String>| {
        let of_schedule = some.iter().filter(|choice| choice.schedule == *schedule);
        let counted = of_schedule.filter_map(|choice| Some((kernels(choice)?, choice.clone())));
        counted.min_by_key(|(count, _)| *count)
    };
    if let Some(schedule) = alike.first().map(|choice| &choice.schedule)
        && let (Some((count, _)), Some((fewer, choice))) =
            (fewest(&found, schedule), fewest(&alike, schedule))
        && fewer < count
    {
        found.push(choice);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Choice, promising};

    #[test]
    fn a_variant_with_fewer_kernels_is_looked_at_where_it_is_about_as_fast() {
        let choice = |text: &str| text.parse::<Choice>().expect("a choice");
        let ranked = |seconds: f64| {
            let fewer = (seconds, choice("combined packed copied D=32"));
            let others =
                ["combined packed gathered D=32", "combined packed padded D=32", "tiled packed GX=1"];
            let all = [1.0, 1.05, 1.07].into_iter().zip(others.map(choice));
            all.chain([fewer, (1.45, choice("combined D=32"))]).collect::<Vec<_>>()
        };
        let kernels =
            |choice: &Choice| Some(if choice.options.iter().any(|o| o == "copied") { 1 } else { 2 });
        let options =
            |found: Vec<Choice>| found.into_iter().map(|one| one.options.join(" ")).collect::<Vec<_>>();
        let three = ["packed gathered", "packed padded", "packed"];
        assert_eq!(options(promising(ranked(1.15), &kernels)), [&three[..], &["packed copied"]].concat());
        assert_eq!(options(promising(ranked(1.25), &kernels)), three);
        assert_eq!(options(promising(ranked(1.15), &|_| Some(2))), three);
    }
}
