//! Which nodes of a graph are computed together.
//!
//! A program that reduces nothing, applied to each result of another once, is computed where that is (an epilogue: bias,
//! activation, residual). What reduces nothing before a reduction is computed where that reads it (a prologue); whether its values
//! are kept first is decided when the group's program is cut into parts. What only moves one array's data is read through by whoever reads it;
//! what puts several together stays apart, so that each can be written where it belongs. None of this knows what a node is called.

use super::{Graph, Maker, Node, Value};
use crate::expr::{Expr, Kind, Local, Pattern};
use crate::parts::{arrays_once, computes_anything, reduces, row_by_row, rows_together};
use crate::primitives::{Applied, Form};
use crate::program::Program;
use crate::schedules;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// So many nodes are computed together at most: whatever looks at a program takes longer than in proportion to its length, and what
/// is read and written once for so many costs little.
const MOST: usize = 32;

/// An array that is put together of more pieces than these is put together once, and its elements are not computed there: whoever reads
/// an element has to find its piece, and kernels name each.
const PIECES: usize = 64;

/// The longest name of a group's program that is made of its nodes' programs' names.
const LONGEST: usize = 48;

/// Nodes that are computed together, as one program.
#[derive(Clone, Debug)]
pub struct Group {
    /// What computes its results from its arguments.
    pub program: Program,
    /// The names of its nodes, in their order.
    pub nodes: Vec<Arc<str>>,
    pub(super) arguments: Vec<Value>,
    pub(super) results: Vec<Value>,
}

/// A group with its plan, by its number among different ones.
pub struct Planned<'a> {
    /// What is computed.
    pub group: &'a Group,
    /// Index into the plans.
    pub plan: usize,
}

impl Group {
    pub(super) fn of(node: &Node) -> Group {
        let group = Group {
            program: node.program.clone(),
            nodes: vec![node.name.clone()],
            arguments: node.arguments.clone(),
            results: node.results.clone(),
        };
        group.sharing().unwrap_or(group)
    }

    /// The same with each array passed once; `None` if two parameters can't be one.
    fn sharing(&self) -> Option<Group> {
        let mut group = self.clone();
        while let Some((first, again)) = repeated(&group.arguments) {
            let name = |k: usize| group.program.params()[k].local.name.to_string();
            group.program = group.program.share(&name(first), &name(again)).ok()?;
            group.arguments.remove(again);
        }
        // `x * sigmoid(x)` of two nodes reads each element once, in one function.
        if group.arguments.len() < self.arguments.len()
            && !reduces(group.body())
            && let Some(program) = schedules::fused(&group.program)
        {
            group.program = program;
        }
        Some(group)
    }

    fn body(&self) -> &Expr {
        &self.program.function.body
    }

    /// Does it only move one array's elements?
    fn is_view(&self) -> bool {
        self.arguments.len() == 1 && self.results.len() == 1 && !computes_anything(self.body())
    }

    /// Of how many pieces at most are arrays put together in it?
    fn pieces(&self) -> usize {
        let mut most = 0;
        self.body().visit(&mut |e| {
            if let Kind::Apply(p, arguments) = &*e.kind
                && matches!(p.form, Form::Concat)
            {
                most = most.max(arguments.len());
            }
        });
        most
    }

    /// Does it only put several arrays together? Their makers then write them where they belong.
    pub(super) fn assembles(&self) -> bool {
        self.arguments.len() > 1 && self.results.len() == 1 && !computes_anything(self.body())
    }

    /// This group with another's result, one of its arguments, computed inside it; `None` if the programs can't be put together.
    fn with(&self, at: usize, producer: &Group) -> Option<Group> {
        let parameter = self.program.params()[at].local.name.to_string();
        let program = self.program.of(&parameter, &producer.program).ok()?;
        let names = format!("{}_{}", producer.program.name(), self.program.name());
        let program = if names.len() > LONGEST { program } else { program.named(&names) };
        let program = if rows_together(producer.body()) { row_by_row(&program)? } else { program };
        let group = Group { program, ..self.joined(at, producer) }.sharing()?;
        // The groups and channels of a convolution follow from its images and kernels, of which the images are no argument any more: a
        // product of sizes does not say what each is.
        group.program.free_sizes().is_empty().then_some(group)
    }

    /// Nodes and arguments of this group with another in it, and this group's program still.
    fn joined(&self, at: usize, producer: &Group) -> Group {
        let mut arguments = self.arguments.clone();
        arguments.splice(at..=at, producer.arguments.iter().copied());
        let nodes = producer.nodes.iter().chain(&self.nodes).cloned().collect();
        Group { program: self.program.clone(), nodes, arguments, results: self.results.clone() }
    }
}

/// Programs that were put together before: a network has many nodes, and few that differ.
#[derive(Default)]
struct Joined {
    /// Different programs by their names, each with its number.
    numbers: HashMap<Arc<str>, Vec<(Program, usize)>>,
    count: usize,
    /// What became of two programs, by their numbers: of a reader, of the argument that is computed in it, and of what computes that.
    /// Last, for each argument of both the first that is the same array.
    known: HashMap<(usize, usize, usize, Vec<usize>), Option<Program>>,
}

impl Joined {
    /// The number that a program and its equals have.
    fn number(&mut self, program: &Program) -> usize {
        let alike = self.numbers.entry(program.function.name.clone()).or_default();
        if let Some((_, number)) = alike.iter().find(|(other, _)| other == program) {
            return *number;
        }
        self.count += 1;
        alike.push((program.clone(), self.count));
        self.count
    }

    /// As [`Group::with`].
    fn with(&mut self, reader: &Group, at: usize, producer: &Group) -> Option<Group> {
        let joined = reader.joined(at, producer);
        let all = &joined.arguments;
        let first = all.iter().map(|value| all.iter().position(|other| other == value).unwrap_or(0));
        let key = (self.number(&reader.program), at, self.number(&producer.program), first.collect());
        let program = match self.known.get(&key) {
            Some(program) => program.clone(),
            None => {
                let program = reader.with(at, producer).map(|group| group.program);
                self.known.insert(key, program.clone());
                program
            }
        };
        // Each array is passed once, where it comes first.
        let mut seen = BTreeSet::new();
        let arguments = joined.arguments.iter().filter(|value| seen.insert(**value)).copied().collect();
        Some(Group { program: program?, arguments, ..joined })
    }
}

/// The first two places that are given the same array.
fn repeated(arguments: &[Value]) -> Option<(usize, usize)> {
    let before = |k: usize| arguments[..k].iter().position(|value| *value == arguments[k]);
    (0..arguments.len()).find_map(|k| Some((before(k)?, k)))
}

/// Is each element of this variable, an array, read for one result at most? It is if it stands once, outside all functions, under
/// nothing that repeats elements.
fn read_once(body: &Expr, local: &Local) -> bool {
    body.uses(local) == 1 && on_the_way(body, local)
}

fn on_the_way(e: &Expr, local: &Local) -> bool {
    match &*e.kind {
        Kind::Local(other) => other == local,
        Kind::Apply(p, _) if p.form.applied() == Applied::Nothing && p.form.repeats() => false,
        Kind::Let(Pattern::Local(name), value, rest) if value.uses(local) > 0 => {
            on_the_way(value, local) && read_once(rest, name)
        }
        Kind::Let(_, value, _) if value.uses(local) > 0 => false,
        _ => e.named_children().into_iter().any(|(child, inside)| {
            inside.uses(local) > 0 && !child.is_in_function() && on_the_way(inside, local)
        }),
    }
}

impl Graph {
    /// The nodes, those together that are computed together, in an order in which they can be computed. Nodes that nobody
    /// needs are left out.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Option<Group>> = self.nodes.iter().map(|node| Some(Group::of(node))).collect();
        let mut fusion = Fusion::new(self, &groups);
        for at in 0..groups.len() {
            while let Some(joined) = fusion.join(&groups, at) {
                fusion.replaced(&mut groups, at, joined);
            }
        }
        let mut needed: BTreeSet<Value> = self.outputs.iter().map(|(_, value)| *value).collect();
        let mut kept = vec![];
        for group in groups.into_iter().flatten().rev() {
            if group.results.iter().any(|value| needed.contains(value)) {
                needed.extend(group.arguments.iter().copied());
                kept.push(group);
            }
        }
        kept.reverse();
        kept
    }
}

/// Who makes and who reads each array, while groups are put together.
struct Fusion {
    maker: BTreeMap<Value, usize>,
    readers: BTreeMap<Value, usize>,
    outputs: BTreeSet<Value>,
    /// Arrays that are the same in every run.
    constants: BTreeSet<Value>,
    /// What could not be put together: reader and array.
    refused: BTreeSet<(usize, Value)>,
    programs: Joined,
}

impl Fusion {
    fn new(graph: &Graph, groups: &[Option<Group>]) -> Fusion {
        let (mut maker, mut readers) = (BTreeMap::new(), BTreeMap::new());
        for (k, group) in groups.iter().enumerate() {
            let Some(group) = group else { continue };
            maker.extend(group.results.iter().map(|value| (*value, k)));
            let read: BTreeSet<Value> = group.arguments.iter().copied().collect();
            read.into_iter().for_each(|value| *readers.entry(value).or_insert(0) += 1);
        }
        maker.retain(|value, _| graph.edges[value.index].maker == Maker::Node);
        let outputs = graph.outputs.iter().map(|(_, value)| *value).collect();
        let made = maker.keys().filter(|value| graph.edges[value.index].constant);
        let constants = made.copied().collect();
        Fusion { maker, readers, outputs, constants, refused: BTreeSet::new(), programs: Joined::default() }
    }

    /// A group with one more computed in it, and which.
    fn join(&mut self, groups: &[Option<Group>], at: usize) -> Option<(Group, usize)> {
        let reader = groups[at].as_ref()?;
        for (k, value) in reader.arguments.iter().enumerate() {
            let Some(producer) = self.maker.get(value) else { continue };
            let Some(made) = &groups[*producer] else { continue };
            if self.refused.contains(&(at, *value)) || !self.belongs(reader, k, made) {
                continue;
            }
            match self.programs.with(reader, k, made) {
                Some(joined) => return Some((joined, *producer)),
                None => drop(self.refused.insert((at, *value))),
            }
        }
        None
    }

    /// Is an argument of a reader computed best inside it?
    fn belongs(&self, reader: &Group, argument: usize, producer: &Group) -> bool {
        let value = reader.arguments[argument];
        if producer.results.len() != 1 || producer.assembles() || reader.assembles() && !producer.is_view() {
            return false;
        }
        if reader.nodes.len() + producer.nodes.len() > MOST || reader.pieces().max(producer.pieces()) > PIECES
        {
            return false;
        }
        if producer.is_view() {
            return true;
        }
        let alone = self.readers.get(&value) == Some(&1) && !self.outputs.contains(&value);
        // What is the same in every run is computed once.
        let once =
            self.constants.contains(&value) && !reader.results.iter().all(|v| self.constants.contains(v));
        let local = &reader.program.params()[argument].local;
        alone
            && !once
            && match (reduces(reader.body()), reduces(producer.body())) {
                (true, true) => false,
                (true, false) => true,
                (false, false) => read_once(reader.body(), local),
                // Nor are the elements of its rows: they would be reduced again.
                (false, true) => {
                    read_once(reader.body(), local)
                        && arrays_once(reader.body(), &Pattern::Local(local.clone()))
                }
            }
    }

    /// Puts a group in the place of its reader; the producer goes if nobody else reads it.
    fn replaced(&mut self, groups: &mut [Option<Group>], at: usize, (joined, producer): (Group, usize)) {
        let before: BTreeSet<Value> = groups[at].iter().flat_map(|group| group.arguments.clone()).collect();
        let after: BTreeSet<Value> = joined.arguments.iter().copied().collect();
        groups[at] = Some(joined);
        self.read(after.difference(&before), 1);
        let mut gone: BTreeSet<Value> = before.difference(&after).copied().collect();
        self.read(gone.iter(), -1);
        // A view that everybody reads through is computed by nobody.
        let unread = |value: &Value| self.readers.get(value) == Some(&0) && !self.outputs.contains(value);
        if groups[producer].as_ref().is_some_and(|group| group.results.iter().all(unread))
            && let Some(group) = groups[producer].take()
        {
            gone = group.arguments.iter().copied().collect();
            self.read(gone.iter(), -1);
        }
    }

    fn read<'v>(&mut self, values: impl Iterator<Item = &'v Value>, more: isize) {
        for value in values {
            let readers = self.readers.entry(*value).or_insert(0);
            *readers = readers.saturating_add_signed(more);
        }
    }
}
