//! Groups of a graph that are computed in the same way.

use crate::tune::{Choice, Tuning};
use crate::{Device, Error, threads};
use lift_core::graph::{Graph, Group};
use lift_core::kernel::Plan;
use lift_core::{Program, Sizes};

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

/// The numbers of the kinds that are of one program each.
fn by_program(kinds: &[Kind]) -> Vec<Vec<usize>> {
    let mut numbers: Vec<Vec<usize>> = vec![];
    for (number, kind) in kinds.iter().enumerate() {
        match numbers.iter_mut().find(|some| kinds[some[0]].program == kind.program) {
            Some(some) => some.push(number),
            None => numbers.push(vec![number]),
        }
    }
    numbers
}

/// A form, with its kernels.
pub(super) type Chosen = (Choice, Plan);

/// Chooses a form of a program at its sizes, given what was chosen at others, and how many bytes it may take besides its arrays.
pub(super) type Chooser<'a> = dyn Fn(&Tuning, &[Choice], usize) -> Result<Chosen, Error> + Sync + 'a;

/// Are forms of several programs chosen at the same time?
#[derive(Clone, Copy)]
pub(super) enum Turns {
    Together,
    OneByOne,
}

/// A form for each kind. What is chosen at some sizes of a program is given to the choice at the others.
pub(super) fn chosen(
    kinds: &Kinds,
    device: &Device,
    turns: Turns,
    choose: &Chooser<'_>,
) -> Result<Vec<Chosen>, Error> {
    let programs = by_program(&kinds.kinds);
    let found = turns.map(programs, |numbers| of_program(kinds, &numbers, device, turns, choose))?;
    let mut forms = found.concat();
    forms.sort_by_key(|(number, _)| *number);
    Ok(forms.into_iter().map(|(_, chosen)| chosen).collect())
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

/// The forms of the kinds of one program, by their numbers.
fn of_program(
    kinds: &Kinds,
    of_one: &[usize],
    device: &Device,
    turns: Turns,
    choose: &Chooser<'_>,
) -> Result<Vec<(usize, Chosen)>, Error> {
    let Some((first, others)) = of_one.split_first() else { return Ok(vec![]) };
    let Kind { program, sizes } = &kinds.kinds[*first];
    let tuning = Tuning::new(program, device, &numbers(sizes))?;
    let at = |number: usize, like: &[Choice]| {
        let own = tuning.resized(&numbers(&kinds.kinds[number].sizes))?;
        Ok((number, choose(&own, like, kinds.room[number])?))
    };
    // Those first that are likely to differ most, which are free to have any form: networks go from large pictures with
    // few channels to small ones with many.
    let mut forms = vec![(*first, choose(&tuning, &[], kinds.room[*first])?)];
    let Some((last, between)) = others.split_last() else { return Ok(forms) };
    forms.push(at(*last, &[])?);
    let like: Vec<Choice> = forms.iter().map(|(_, (choice, _))| choice.clone()).collect();
    forms.extend(turns.map(between.to_vec(), |number| at(number, &like))?);
    Ok(forms)
}
