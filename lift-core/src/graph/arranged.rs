//! In which order the dimensions of arrays between groups lie in memory: nobody outside sees it.
//!
//! A processor's vectors lie across a convolution's output channels, for which a weight that was loaded serves many
//! positions. Where channels are the innermost dimension of the result, such vectors are stored as they are, and the next
//! convolution reads the terms of its sums one after the other; where positions are, each lane is stored alone.

use super::{Graph, Group, Maker, Value};
use crate::compose::sound;
use crate::expr::{Expr, Local, Pattern};
use crate::program::Program;
use crate::rules::build;
use crate::schedules::{self, Channel};
use crate::target::{Class, Target};
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The network as it is compiled for a device, and its groups: what is computed of elements is computed before these are put
    /// together, and the arrays between groups lie in memory as is best for the device.
    #[must_use]
    pub fn arranged(&self, target: &Target) -> (Graph, Vec<Group>) {
        let mut graph = self.spread();
        let groups = graph.groups();
        // Work-items that run together read and write neighbours, whichever dimension these are in.
        if target.family.class() != Class::Processor {
            return (graph, groups);
        }
        let mut channels = Channels::default();
        // Where a program can't be rewritten, or its channels are not found again, all arrays of its group stay as they are, for other
        // groups, too. So do those of channels in groups: few of them share what they read, and vectors lie along positions.
        let mut in_groups = |group: &&Group| channels.of(&group.program).is_some_and(|own| own.in_groups);
        let mut fixed: BTreeSet<Value> =
            groups.iter().filter(&mut in_groups).flat_map(Group::arrays).collect();
        let (innermost, groups) = loop {
            let innermost = graph.innermost(&groups, &fixed, &mut channels);
            // What is put together lies as all of its parts do, or as none.
            let torn = groups.iter().filter(|group| group.assembles() && !lies_alike(group, &innermost));
            let torn: Vec<Value> = torn.flat_map(Group::arrays).collect();
            if !torn.is_empty() {
                fixed.extend(torn);
                continue;
            }
            let mut lying = |group: &Group| {
                let lying = group.lying(&innermost)?;
                let had = channels.of(&group.program).is_some();
                (!had || channels.of(&lying.program).is_some()).then_some(lying)
            };
            let lying: Vec<Option<Group>> = groups.iter().map(&mut lying).collect();
            let refused = groups.iter().zip(&lying).filter(|(_, lying)| lying.is_none());
            let refused: Vec<Value> = refused.flat_map(|(group, _)| group.arrays()).collect();
            if refused.is_empty() {
                break (innermost, lying.into_iter().flatten().collect());
            }
            fixed.extend(refused);
        };
        for (value, dimension) in &innermost {
            let ty = &mut graph.edges[value.index].ty;
            *ty = moved(ty, *dimension);
        }
        (graph, groups)
    }

    /// The arrays that are to lie in memory with another dimension than their last as the innermost, and which. What is
    /// computed in vectors across a level of channels lies along these, and what is made of such an array in the same
    /// dimensions, or of several, lies as that does. The `fixed` ones stay as they are.
    fn innermost(
        &self,
        groups: &[Group],
        fixed: &BTreeSet<Value>,
        channels: &mut Channels,
    ) -> BTreeMap<Value, usize> {
        let rank = |value: Value| self.edges[value.index].ty.shape().0.len();
        let result = |group: &Group| match group.results[..] {
            [result] => Some(result),
            _ => None,
        };
        let outputs: BTreeSet<Value> = self.outputs.iter().map(|(_, value)| *value).collect();
        let mut readers: BTreeMap<Value, Vec<&Group>> = BTreeMap::new();
        for group in groups {
            for argument in group.arguments.iter().collect::<BTreeSet<_>>() {
                readers.entry(*argument).or_default().push(group);
            }
        }
        let mut innermost = BTreeMap::new();
        for group in groups {
            let Some(value) = result(group) else { continue };
            let edge = &self.edges[value.index];
            if edge.maker != Maker::Node
                || edge.constant
                || outputs.contains(&value)
                || fixed.contains(&value)
            {
                continue;
            }
            // What is made of it in other dimensions, as where it is flattened, reads on in it.
            let mut readers = readers.get(&value).into_iter().flatten();
            if !readers.all(|reader| result(reader).is_some_and(|made| rank(made) == rank(value))) {
                continue;
            }
            let own = channels.of(&group.program).filter(|own| own.levels == rank(value));
            let alike = || {
                let mut same = group.arguments.iter().filter(|argument| rank(**argument) == rank(value));
                same.find_map(|argument| innermost.get(argument).copied())
            };
            let dimension = own.map(|own| own.level).or_else(alike);
            if let Some(dimension) = dimension.filter(|dimension| dimension + 1 < rank(value)) {
                innermost.insert(value, dimension);
            }
        }
        innermost
    }
}

/// Have all arrays of a group the same dimension as the innermost?
fn lies_alike(group: &Group, innermost: &BTreeMap<Value, usize>) -> bool {
    let mut each = group.arrays().map(|value| innermost.get(&value));
    let first = each.next();
    each.all(|other| Some(other) == first)
}

/// What is known of programs' channels: groups have few different programs.
#[derive(Default)]
struct Channels(Vec<(Program, Option<Channel>)>);

impl Channels {
    /// As [`schedules::channel`] says.
    fn of(&mut self, program: &Program) -> Option<Channel> {
        if let Some((_, known)) = self.0.iter().find(|(other, _)| other == program) {
            return *known;
        }
        let found = schedules::channel(program);
        self.0.push((program.clone(), found));
        found
    }
}

impl Group {
    /// All arrays that it reads and makes.
    fn arrays(&self) -> impl Iterator<Item = Value> {
        self.arguments.iter().chain(&self.results).copied()
    }

    /// The same with arrays that lie in memory with these dimensions as the innermost.
    fn lying(&self, innermost: &BTreeMap<Value, usize>) -> Option<Group> {
        if self.arrays().all(|value| !innermost.contains_key(&value)) {
            return Some(self.clone());
        }
        let mut f = self.program.function.clone();
        for (param, value) in f.params.iter_mut().zip(&self.arguments) {
            if let Some(dimension) = innermost.get(value) {
                param.ty = moved(&param.ty, *dimension);
            }
        }
        for (k, value) in self.arguments.iter().enumerate() {
            if let Some(dimension) = innermost.get(value) {
                let local = f.params[k].local.clone();
                let depths = (*dimension..f.params[k].ty.shape().0.len() - 1).rev();
                let own = transposed(Expr::local(&local), depths, f.fresh())?;
                f.body = build::put(&f.body, &local, &own);
            }
        }
        if let [value] = self.results[..]
            && let Some(dimension) = innermost.get(&value)
        {
            let depths = *dimension..f.result.shape().0.len() - 1;
            f.body = transposed(f.body.clone(), depths, f.fresh())?;
            f.result = moved(&f.result, *dimension);
        }
        Some(Group { program: sound(f).ok()?, ..self.clone() })
    }
}

/// The type of an array with one of its dimensions as the innermost.
fn moved(ty: &Type, dimension: usize) -> Type {
    let (mut lengths, scalar) = ty.shape();
    let length = lengths.remove(dimension);
    lengths.push(length);
    lengths.into_iter().rev().fold(scalar.clone(), |ty, length| Type::array(ty, length.clone()))
}

/// An array with neighbouring dimensions swapped, at one depth after the other. `fresh` is the index of a new variable.
fn transposed(xs: Expr, depths: impl Iterator<Item = usize>, fresh: u32) -> Option<Expr> {
    let mut fresh = fresh;
    let mut xs = xs;
    for depth in depths {
        xs = within(depth, xs, &mut fresh)?;
    }
    Some(xs)
}

/// `transpose` of all that lies this deep in an array.
fn within(depth: usize, xs: Expr, fresh: &mut u32) -> Option<Expr> {
    if depth == 0 {
        return build::one("transpose", &[], xs);
    }
    let local = Local { name: "x".into(), index: *fresh };
    *fresh += 1;
    let body = within(depth - 1, Expr::local(&local), fresh)?;
    build::map(build::lambda(vec![Pattern::Local(local)], body), xs)
}
