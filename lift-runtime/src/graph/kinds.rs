//! Groups of a graph that are computed in the same way.

use crate::tune::{Choice, Like, Likely, Tuning};
use crate::{Device, Error, threads};
use lift_core::graph::{Graph, Group};
use lift_core::kernel::Plan;
use lift_core::{Program, Sizes};
use std::ops::Range;

/// A program at its sizes: what groups have in common that are computed in the same way.
#[derive(PartialEq)]
pub(super) struct Kind {
    pub program: Program,
    pub sizes: Sizes,
}

/// The kinds of a graph's groups, and for each group the number of its kind.
pub(super) struct Kinds {
    pub kinds: Vec<Kind>,
    pub steps: Vec<usize>,
    /// For each kind, the bytes that any group of it may take besides its arrays.
    pub room: Vec<usize>,
}

impl Kinds {
    pub fn of(graph: &Graph, groups: &[Group], sizes: &Sizes) -> Result<Kinds, Error> {
        let (mut kinds, mut steps) = (vec![], vec![]);
        for group in groups {
            let sizes = group.program.solve(&[], &graph.shapes(group, sizes)?)?;
            let kind = Kind { program: group.program.clone(), sizes };
            let known = kinds.iter().position(|other| *other == kind);
            steps.push(known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            }));
        }
        let mut room = vec![usize::MAX; kinds.len()];
        for (kind, bytes) in steps.iter().zip(graph.room(groups, sizes)?) {
            room[*kind] = room[*kind].min(bytes);
        }
        Ok(Kinds { kinds, steps, room })
    }
}

/// The values of sizes, in their order.
pub(super) fn numbers(sizes: &Sizes) -> Vec<usize> {
    sizes.0.iter().map(|(_, value)| usize::try_from(*value).unwrap_or(usize::MAX)).collect()
}

/// Chooses a form of a program at its sizes, given what is known of others that are like it, and how many bytes it may take besides its
/// arrays.
pub(super) type Chooser<'a> = dyn Fn(&Tuning, Like<'_>, usize) -> Result<Likely, Error> + Sync + 'a;

/// Are forms of several programs chosen at the same time?
#[derive(Clone, Copy)]
pub(super) enum Turns {
    Together,
    OneByOne,
}

/// A form that was chosen for a kind.
pub(super) struct Chosen {
    pub choice: Choice,
    pub plan: Plan,
    /// Where it comes from.
    pub tuning: Tuning,
}

/// A form for each kind. What is chosen for some kinds is given to the choice for others that are like them.
pub(super) fn chosen(
    kinds: &Kinds,
    device: &Device,
    turns: Turns,
    choose: &Chooser<'_>,
) -> Result<Vec<Chosen>, Error> {
    let programs = together(0..kinds.kinds.len(), |number| &kinds.kinds[number].program);
    let open = turns.map((0..).zip(programs).collect(), |(program, numbers)| {
        of_program(kinds, device, program, numbers)
    })?;
    let mut open = open.concat();
    open.sort_by_key(|kind| kind.number);
    let alike = together(0..open.len(), |number| &open[number].common);
    let found = turns.map(alike, |numbers| {
        of_alike(kinds, numbers.iter().map(|number| &open[*number]).collect(), turns, choose)
    })?;
    let mut forms = found.concat();
    forms.sort_by_key(|(number, _)| *number);
    let chosen = forms.into_iter().zip(open);
    Ok(chosen
        .map(|((_, Likely { choice, plan, .. }), Open { tuning, .. })| Chosen { choice, plan, tuning })
        .collect())
}

/// Numbers in groups of those that have this in common, in the order of the first of each.
fn together<'a, K: PartialEq + 'a>(numbers: Range<usize>, of: impl Fn(usize) -> &'a K) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    for number in numbers {
        match groups.iter_mut().find(|group| of(group[0]) == of(number)) {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups
}

/// A kind that a form is to be chosen for.
#[derive(Clone)]
struct Open {
    number: usize,
    tuning: Tuning,
    common: Common,
}

/// What kinds have in common for which the same forms are fast.
#[derive(Clone, PartialEq)]
enum Common {
    /// What their nests reduce and read for that. What they do with each sum differs, and matters little.
    Reduced(String),
    /// The program, by a number.
    Program(usize),
}

/// The kinds of one program: what schedules derive from it is derived once for all of them.
fn of_program(
    kinds: &Kinds,
    device: &Device,
    program: usize,
    numbers: Vec<usize>,
) -> Result<Vec<Open>, Error> {
    let mut first: Option<Tuning> = None;
    let of_one = |number: usize| {
        let Kind { program: own, sizes } = &kinds.kinds[number];
        let tuning = match &first {
            Some(first) => first.resized(&self::numbers(sizes))?,
            None => Tuning::new(own, device, &self::numbers(sizes))?,
        };
        first.get_or_insert_with(|| tuning.clone());
        let common = tuning.reduced().map_or(Common::Program(program), Common::Reduced);
        Ok(Open { number, tuning, common })
    };
    numbers.into_iter().map(of_one).collect()
}

/// The forms of kinds that are alike, by their numbers.
fn of_alike(
    kinds: &Kinds,
    all: Vec<&Open>,
    turns: Turns,
    choose: &Chooser<'_>,
) -> Result<Vec<(usize, Likely)>, Error> {
    let at =
        |one: &Open, like: Like<'_>| Ok((one.number, choose(&one.tuning, like, kinds.room[one.number])?));
    let Some((first, others)) = all.split_first() else { return Ok(vec![]) };
    // Of one program at other sizes nothing follows for these.
    if !first.tuning.forms_carry_over() {
        return turns.map(all, |one| at(one, Like::Nothing));
    }
    // Those first that are likely to differ most, which are free to have any form that may be fast: networks go from large pictures with
    // few channels to small ones with many.
    let mut forms = vec![at(first, Like::Nothing)?];
    let Some((last, between)) = others.split_last() else { return Ok(forms) };
    let may_be = forms[0].1.forms.clone();
    forms.push(at(last, if may_be.is_empty() { Like::Nothing } else { Like::Forms(&may_be) })?);
    let like: Vec<Choice> = forms.iter().map(|(_, likely)| likely.choice.clone()).collect();
    let over = forms[0].1.over.zip(forms[1].1.over).map(|(first, last)| (first * last).sqrt());
    forms.extend(turns.map(between.to_vec(), |one| at(one, Like::Choices(&like, over)))?);
    Ok(forms)
}

impl Turns {
    /// What is made of each, or the first error.
    fn map<T: Send, R: Send>(
        self,
        all: Vec<T>,
        make: impl Fn(T) -> Result<R, Error> + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        match self {
            Turns::Together => threads::map(all, make).into_iter().collect(),
            Turns::OneByOne => all.into_iter().map(make).collect(),
        }
    }
}
