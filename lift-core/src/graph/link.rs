//! One plan of the plans of a graph's groups.
//!
//! The arrays between groups become temporaries of the whole, laid out by their lives like any others; each group's plan becomes a
//! module, of equal groups one for all. Those that read or write rows of larger arrays are made anew for these. What depends on constants alone is prepared, across groups.

use super::assemble::{Place, Places};
use super::{Graph, Maker, Planned, Value};
use crate::kernel::{Buffer, BufferId, Launch, Module, Plan, Role, Rows};
use crate::program::{SizeError, Sizes};
use crate::types::Scalar;
use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Range;

/// Makes a plan, by its number, anew for arguments and results that lie in rows.
pub type InRows<'a, E> = dyn Fn(usize, &BTreeMap<Role, Rows>) -> Result<Plan, E> + 'a;

impl Graph {
    /// The plan of the whole, of a plan for each of its groups at these sizes, and which of its launches compute each group. A plan whose
    /// arguments or results lie in larger arrays is made anew for that.
    ///
    /// # Errors
    /// A length that no number can hold; the errors of `in_rows`.
    pub fn linked<E: From<SizeError>>(
        &self,
        sizes: &Sizes,
        groups: &[Planned<'_>],
        plans: &[Plan],
        in_rows: &InRows<'_, E>,
    ) -> Result<(Plan, Vec<Range<usize>>), E> {
        let (places, idle) = Places::of(self, sizes, groups, plans);
        let mut again: BTreeMap<(usize, BTreeMap<Role, Rows>), Plan> = BTreeMap::new();
        let outputs = self.outputs.iter().enumerate().map(|(k, (_, value))| (*value, k)).collect();
        let buffers = vec![];
        let mut linker = Linker { graph: self, sizes, places, outputs, buffers, of: HashMap::new() };
        for value in &self.parameters {
            if self.edges[value.index].ty.as_scalar().is_none() {
                linker.array(*value)?;
            }
        }
        let mut modules = vec![];
        let mut first = BTreeMap::new();
        let (mut launches, mut of_groups) = (vec![], vec![]);
        for (number, planned) in groups.iter().enumerate() {
            let start = launches.len();
            if idle.contains(&number) {
                of_groups.push(start..start);
                continue;
            }
            let rows = linker.places.rows(planned.group);
            let kind = (planned.plan, rows.clone());
            let plan = match rows.is_empty() {
                true => &plans[planned.plan],
                false => match again.entry(kind.clone()) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(in_rows(planned.plan, &rows)?),
                },
            };
            let mut placed = vec![];
            for buffer in &plan.buffers {
                placed.push(match buffer.role {
                    Role::Input(n) => linker.array(planned.group.arguments[n])?,
                    Role::Output(n) => linker.array(planned.group.results[n])?,
                    Role::Temporary => (linker.push(buffer.clone()), 0),
                });
            }
            let offsets: Vec<usize> = placed.iter().map(|(_, offset)| *offset).collect();
            let module = *first.entry((kind, offsets)).or_insert_with_key(|(_, offsets)| {
                modules.extend((0..plan.modules.len()).map(|n| shifted(plan, n, offsets)));
                modules.len() - plan.modules.len()
            });
            for launch in &plan.launches {
                let scalar = |n: &usize| match self.edges[planned.group.arguments[*n].index].maker {
                    Maker::Parameter(position) => Some(position),
                    Maker::Node => None,
                };
                launches.push(Launch {
                    module: module + launch.module,
                    arrays: launch.arrays.iter().map(|id| placed[id.0].0).collect(),
                    // `Graph::apply` lets no node compute what is passed by value.
                    scalars: launch.scalars.iter().filter_map(scalar).collect(),
                    ..launch.clone()
                });
            }
            of_groups.push(start..launches.len());
        }
        let constants = self.parameters().enumerate().filter(|(_, (.., constant))| *constant);
        let plan = Plan {
            name: self.name.clone(),
            sizes: sizes.0.clone(),
            constants: constants.map(|(n, _)| n).collect(),
            buffers: linker.buffers,
            modules,
            launches,
        };
        Ok((plan, of_groups))
    }
}

/// A module of a plan for buffers that begin so many elements later.
fn shifted(plan: &Plan, module: usize, offsets: &[usize]) -> Module {
    let mut shifted = plan.modules[module].clone();
    if offsets.iter().all(|offset| *offset == 0) {
        return shifted;
    }
    for launch in plan.launches.iter().filter(|launch| launch.module == module) {
        let kernel = &mut shifted.kernels[launch.kernel];
        let arrays = kernel.arrays.iter().map(|(array, _)| array.id);
        let moved: Vec<_> = arrays.zip(launch.arrays.iter().map(|id| offsets[id.0])).collect();
        *kernel = kernel.shifted(&moved);
    }
    shifted
}

struct Linker<'a> {
    graph: &'a Graph,
    sizes: &'a Sizes,
    places: Places,
    /// The number of the output that each array is.
    outputs: BTreeMap<Value, usize>,
    buffers: Vec<Buffer>,
    /// The buffer of each array that is not part of another.
    of: HashMap<Value, BufferId>,
}

impl Linker<'_> {
    /// The buffer that an array lies in, made now if there is none, and where in it the array begins.
    fn array(&mut self, value: Value) -> Result<(BufferId, usize), SizeError> {
        let (whole, Place { offset, .. }) = self.places.find(value);
        if let Some(id) = self.of.get(&whole) {
            return Ok((*id, offset));
        }
        let edge = &self.graph.edges[whole.index];
        let role = match (edge.maker, self.outputs.get(&whole)) {
            (Maker::Parameter(n), _) => Role::Input(n),
            (Maker::Node, Some(k)) => Role::Output(*k),
            (Maker::Node, None) => Role::Temporary,
        };
        let length = self.graph.shape(whole, self.sizes)?.into_iter().fold(1usize, usize::saturating_mul);
        let scalar = edge.ty.shape().1.as_scalar().unwrap_or(Scalar::F32);
        let id = self.push(Buffer { name: edge.name.to_string(), scalar, length, role });
        self.of.insert(whole, id);
        Ok((id, offset))
    }

    fn push(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() - 1)
    }
}
