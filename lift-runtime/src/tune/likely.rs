//! The form that is likely to be fast, chosen in less time than it takes to build one: for networks, which have many programs,
//! and for a first run.

use super::best::in_order;
use super::forms::{PACKED, RAGGED};
use super::goal::{Bounds, Goal};
use super::{Choice, Tuning, seeds};
use crate::{Error, entry, threads};
use lift_core::cost;
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

/// Where a form that rearranges constant weights once is expected to take no more than so many times as long as the device computes at
/// least, forms that read them as they are given are not looked at: of 118 convolutions of 14 families on a processor with AVX2, one
/// was fastest by such a form, of three output channels.
const CLOSE: f64 = 2.0;

/// What was chosen for others is taken without a look at more forms if it is expected to come as close to what the device computes at
/// least as it did there, but for this factor.
const AS_CLOSE: f64 = 1.05;

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
    /// The seconds that each computes at least; 0 if that is not known.
    pub least: f64,
}

/// What is known of the forms of programs that are like one, or of the same at other sizes.
#[derive(Clone, Copy)]
pub(crate) enum Like<'a> {
    Nothing,
    /// One of these may be the fastest; no other is.
    Forms(&'a [Named]),
    /// These were chosen, and are expected to take so many times as long as the device computes at least, if that is known.
    Choices(&'a [Choice], Option<f64>),
}

impl<'a> Like<'a> {
    pub(super) fn of(choices: &'a [Choice]) -> Like<'a> {
        if choices.is_empty() { Like::Nothing } else { Like::Choices(choices, None) }
    }

    fn choices(self) -> &'a [Choice] {
        match self {
            Like::Nothing | Like::Forms(_) => &[],
            Like::Choices(choices, _) => choices,
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
    /// How many times as long as the device computes at least it is expected to take, if the model chose it.
    pub over: Option<f64>,
}

impl Likely {
    /// One of whose like at other sizes nothing is known.
    pub fn alone(choice: Choice, plan: Plan) -> Likely {
        Likely { choice, plan, forms: vec![], over: None }
    }
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
        self.likely_among(Like::of(like), room, Goal::Moderate).map(|found| (found.choice, found.plan))
    }

    /// The same for a goal, given more than choices, and with what it says of other sizes. Room is only for goals that are about
    /// something else than memory.
    pub(crate) fn likely_among(&self, like: Like<'_>, room: usize, goal: Goal) -> Result<Likely, Error> {
        let known = self.own().iter().map(|found| found.choice.clone()).collect::<Vec<_>>();
        let near = || self.like_these(NEAR.ln()).into_iter().take(1).map(|found| found.choice);
        let within = OnceCell::new();
        let bounds = || *within.get_or_init(|| self.with_room(goal, room));
        let found = known.into_iter().chain(near()).find_map(|choice| {
            let plan = self.plan(&choice).ok()?;
            bounds().admit(&plan).then_some((choice, plan))
        });
        if let Some((choice, plan)) = found {
            return Ok(Likely::alone(choice, plan));
        }
        let purpose = format!("{LIKELY} {goal:?} {room}");
        if let Some(choice) = self.chosen_as(&purpose)
            && let Ok(plan) = self.plan(&choice)
        {
            return Ok(Likely::alone(choice, plan));
        }
        let bounds = bounds();
        let Fitted { choices, forms } = match self.forms.parts() {
            None => {
                let predicted = |choices| self.predicted(choices, bounds);
                let kernels = |choice: &Choice| self.kernels_of(choice);
                let least = self.least();
                self.likely_seeds(like, &Expected { predicted: &predicted, kernels: &kernels, least })
            }
            Some(_) => {
                Fitted { choices: self.likely_in_parts(like.choices(), room, goal, bounds)?, forms: vec![] }
            }
        };
        let times: BTreeMap<String, f64> =
            choices.iter().map(|(t, choice)| (choice.to_string(), *t)).collect();
        let expected = self.with_fewest_kernels(in_order(self.predicted(choices, bounds)));
        let over =
            expected.as_ref().map(|(seconds, _)| seconds / self.least()).filter(|over| over.is_finite());
        let choice = expected.map_or(Choice::default(), |(_, choice)| {
            // Where forms do not carry over, neither does what is known of one to its neighbours: VGG-19 took 1.07 times as long on an
            // H200 with those that the model finds faster. And what was chosen for others like it has been compared with its neighbours there.
            if !self.forms_carry_over() || matches!(like, Like::Choices(..)) {
                return choice;
            }
            let times = times.get(&choice.to_string()).copied().unwrap_or(1.0);
            self.refined((times, choice), bounds)
        });
        let plan = self.plan(&choice)?;
        self.remember_as(&purpose, &choice);
        Ok(Likely { choice, plan, forms, over })
    }

    /// The seconds that the device computes at least, by the model; 0 if the program has no kernels as it is written.
    fn least(&self) -> f64 {
        self.forms.plan(&Choice::default()).map_or(0.0, |plan| cost::least(&plan, self.device.target()))
    }

    /// What a goal allows, where programs may take so much memory besides what they take as they are written.
    fn with_room(&self, goal: Goal, room: usize) -> Bounds {
        let bounds = self.bounds(goal);
        match goal {
            Goal::Moderate | Goal::FewestKernels => {
                let plain = self.forms.plan(&Choice::default()).map_or(0, |plan| plan.memory().bytes());
                Bounds { bytes: bounds.bytes.max(plain.saturating_add(room)), ..bounds }
            }
            Goal::Fastest | Goal::WithinBytes(_) | Goal::WithinTime(_) => bounds,
        }
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

    /// From neighbour to neighbour, as long as these are expected to be faster: seeds were found for other sizes. Not from one whose
    /// numbers fit these sizes, too: a search has looked at its neighbours. What is known of how long a choice took holds for its
    /// neighbours, but for those that are seeds themselves, of which more is known.
    fn refined(&self, (times, choice): (f64, Choice), bounds: Bounds) -> Choice {
        let seeds = self.seeds();
        let as_seed = |choice: &Choice| {
            let own = |(seed, _): &&(Choice, Seed)| {
                seed.form() == choice.form() && choice.doublings_from(seed) == 0.0
            };
            seeds.iter().find(own).map(|(_, seed)| seed.times)
        };
        if as_seed(&choice).is_some() {
            return choice;
        }
        let with_times = |choice: Choice| (as_seed(&choice).unwrap_or(times), choice);
        let first =
            |choices: Vec<(f64, Choice)>| in_order(self.predicted(choices, bounds)).into_iter().next();
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
        let each_once = |choices: Vec<(f64, Choice)>| {
            let mut seen = BTreeSet::new();
            let new = |(_, choice): &(f64, Choice)| seen.insert(choice.to_string());
            choices.into_iter().filter(new).collect::<Vec<_>>()
        };
        let (wanted, forms) = match like {
            // Where a form's first seed says little of its others, all are looked at.
            Like::Nothing if !self.forms_carry_over() => {
                let fitted = |seed| self.fitted(seed, expected, &|_| true);
                let all = threads::map(seeds.iter().collect(), fitted).concat();
                return Fitted { choices: each_once(all), forms: vec![] };
            }
            Like::Choices(some, over) => {
                let own = self.as_chosen(some);
                let as_close = |over: f64| {
                    let soonest = in_order((expected.predicted)(own.clone())).into_iter().next();
                    soonest.is_some_and(|(seconds, _)| seconds <= AS_CLOSE * over * expected.least)
                };
                if over.is_some_and(as_close) {
                    return Fitted { choices: own, forms: vec![] };
                }
                (some.to_vec(), vec![])
            }
            Like::Nothing => self.variants(&seeds, &|_| true, expected),
            Like::Forms(forms) => self.variants(&seeds, &|name| forms.contains(name), expected),
        };
        let is_wanted = |choice: &Choice| wanted.iter().any(|one| variant(one) == variant(choice));
        // Seeds with more options than apply are of these forms, too.
        let could = |(choice, _): &&(Choice, Seed)| {
            wanted.iter().any(|one| {
                one.schedule == choice.schedule
                    && one.options.iter().all(|o| choice.options.contains(o) || o == RAGGED)
            })
        };
        let again: Vec<&(Choice, Seed)> = seeds.iter().filter(could).collect();
        let all = threads::map(again, |seed| self.fitted(seed, expected, &is_wanted)).concat().into_iter();
        let all = all.filter(|(_, choice)| is_wanted(choice));
        let own = self.as_chosen(&wanted);
        let found = self.like_these(f64::INFINITY).into_iter().map(|found| (1.0, found.choice));
        Fitted { choices: each_once(all.chain(own).chain(found).collect()), forms }
    }

    /// A seed as it fits here, in the ways that are wanted.
    fn fitted(
        &self,
        (choice, seed): &(Choice, Seed),
        expected: &Expected,
        wanted: &dyn Fn(&Choice) -> bool,
    ) -> Vec<(f64, Choice)> {
        let may_be = |choice: &Choice| !(expected.predicted)(vec![(1.0, choice.clone())]).is_empty();
        match self.forms_carry_over() {
            true => seeds::fitted_in_short(&self.forms, choice, seed.times, wanted, &may_be),
            false => seeds::fitted(&self.forms, choice, seed.times),
        }
    }

    /// The best of the first seed of each form that may be: those of which all seeds are to be looked at, and the forms that may be the
    /// fastest at other sizes.
    fn variants(
        &self,
        seeds: &[(Choice, Seed)],
        may_be: &dyn Fn(&Named) -> bool,
        expected: &Expected,
    ) -> (Vec<Choice>, Vec<Named>) {
        let mut seen = BTreeSet::new();
        let new = |(choice, _): &&(Choice, Seed)| {
            let name = named(choice);
            may_be(&name) && seen.insert(name)
        };
        // Those that rearrange constant weights, and the others only if these are slow.
        let rearranges = |(choice, _): &&(Choice, Seed)| {
            self.forms.have_weights() && choice.options.iter().any(|option| option == PACKED)
        };
        let (mut first, others): (Vec<_>, Vec<_>) = seeds.iter().filter(new).partition(rearranges);
        let fitted = |seed| self.fitted(seed, expected, &|_| true);
        let mut of_each = threads::map(first.clone(), fitted);
        let mut ranked = in_order((expected.predicted)(of_each.concat()));
        if ranked.first().is_none_or(|(seconds, _)| *seconds > CLOSE * expected.least) {
            let of_others = threads::map(others.clone(), fitted);
            ranked = in_order([ranked, (expected.predicted)(of_others.concat())].concat());
            first.extend(others);
            of_each.extend(of_others);
        }
        let near = self.near(&ranked);
        let is_near = |some: &[(f64, Choice)]| some.iter().any(|(_, choice)| near.contains(&choice));
        let forms = first.iter().zip(&of_each).filter(|(_, fitted)| is_near(fitted));
        let forms = forms.map(|((choice, _), _)| named(choice)).collect();
        (promising(ranked, expected.kernels), forms)
    }

    /// What was chosen at other sizes, fitted to these. It took as long, compared with the model, as the seed of its form that is nearest.
    fn as_chosen(&self, choices: &[Choice]) -> Vec<(f64, Choice)> {
        let seeds = self.seeds();
        let as_nearest = |choice: Choice| {
            let of_form = seeds.iter().filter(|(seed, _)| seed.form() == choice.form());
            let apart = of_form.map(|(form, seed)| (choice.doublings_from(form), seed.times));
            let nearest = apart.min_by(|a, b| a.0.total_cmp(&b.0));
            (nearest.map_or(1.0, |(apart, times)| seeds::weighed(times, apart)), choice)
        };
        choices.iter().filter_map(|one| self.forms.of(one)?.nearest(one)).map(as_nearest).collect()
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
    use super::super::forms::PACKED;
    use super::super::seeds::tests::product;
    use super::{AS_CLOSE, CLOSE, Choice, Expected, Fitted, Like, promising};
    use crate::tune::Tuning;
    use crate::tune::goal::Bounds;
    use crate::{Device, threads};
    use std::sync::Mutex;

    /// A product by constant weights on the processor.
    fn by_weights() -> Tuning {
        let mut program = product();
        for weights in program.function.params.iter_mut().skip(1) {
            weights.constant = true;
        }
        Tuning::new(&program, &Device::cpu(), &[256; 3]).expect("it has forms").stored(None)
    }

    /// What is looked at if each form is expected to take a second and computes so many seconds at least, and what of that is likely.
    fn looked_at(tuning: &Tuning, like: Like<'_>, least: f64) -> (Vec<Choice>, Fitted) {
        let asked = Mutex::new(vec![]);
        let predicted = |choices: Vec<(f64, Choice)>| {
            threads::lock(&asked).extend(choices.iter().map(|(_, choice)| choice.clone()));
            choices.into_iter().map(|(_, choice)| (1.0, choice)).collect()
        };
        let expected = Expected { predicted: &predicted, kernels: &|_| Some(1), least };
        let fitted = tuning.likely_seeds(like, &expected);
        (asked.into_inner().expect("no thread has panicked"), fitted)
    }

    fn rearranges(choice: &Choice) -> bool {
        choice.options.iter().any(|option| option == PACKED)
    }

    #[test]
    fn a_product_computes_at_least_its_multiplications() {
        let tuning = by_weights();
        let target = tuning.device.target();
        let lanes = target.hierarchy.vector as f64 / 4.0;
        let in_a_second = lanes * target.costs.issue * target.hierarchy.units as f64;
        let least = 256f64.powi(3) / in_a_second;
        assert!((tuning.least() / least - 1.0).abs() < 1e-9, "{} {least}", tuning.least());
    }

    #[test]
    fn weights_as_they_are_given_are_looked_at_where_rearranged_ones_are_slow() {
        let tuning = by_weights();
        let (close, _) = looked_at(&tuning, Like::Nothing, 1.0 / CLOSE);
        assert!(!close.is_empty() && close.iter().all(rearranges), "{close:?}");
        let (far, _) = looked_at(&tuning, Like::Nothing, 0.9 / CLOSE);
        assert!(far.iter().any(rearranges) && !far.iter().all(rearranges), "{far:?}");
    }

    #[test]
    fn what_was_chosen_for_others_is_enough_where_it_is_as_close() {
        let tuning = by_weights();
        let (_, Fitted { choices, .. }) = looked_at(&tuning, Like::Nothing, 1.0);
        let chosen = [choices[0].1.clone()];
        let over = 1.3;
        let least = |close: f64| close / (AS_CLOSE * over);
        let (asked, as_close) = looked_at(&tuning, Like::Choices(&chosen, Some(over)), least(1.01));
        assert_eq!((asked.len(), as_close.choices.len()), (1, 1), "{asked:?}");
        let (asked, farther) = looked_at(&tuning, Like::Choices(&chosen, Some(over)), least(0.99));
        assert!(farther.choices.len() > 1, "{asked:?}");
        // What is of other forms is not even asked for.
        let form = |choice: &Choice| super::variant(choice).1.join(" ");
        assert!(asked.iter().all(|choice| form(choice) == form(&chosen[0])), "{asked:?}");
    }

    #[test]
    fn seeds_that_fit_have_no_better_neighbours() {
        let tuning = by_weights();
        let fits = |choice: &Choice| {
            tuning.forms.of(choice).and_then(|form| form.nearest(choice)).is_some_and(|n| n == *choice)
        };
        let seeds: Vec<Choice> =
            tuning.seeds().into_iter().map(|(choice, _)| choice).filter(fits).take(3).collect();
        assert!(!seeds.is_empty());
        for seed in seeds {
            assert_eq!(tuning.refined((1.0, seed.clone()), Bounds::NONE), seed);
        }
    }

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
