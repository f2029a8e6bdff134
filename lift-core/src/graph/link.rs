//! One plan of the plans of a graph's groups.
//!
//! The arrays between groups become temporaries of the whole, laid out by their lives like any others; each group's plan becomes a
//! module, of equal groups one for all. What depends on constants alone is prepared, across groups.

use super::{Graph, Group, Maker, Value};
use crate::kernel::{Buffer, BufferId, Launch, Plan, Role};
use crate::program::{SizeError, Sizes};
use std::collections::{BTreeMap, HashMap};

/// A group with its plan, by its number among different ones.
pub struct Planned<'a> {
    /// What is computed.
    pub group: &'a Group,
    /// Index into the plans.
    pub plan: usize,
}

impl Graph {
    /// The plan of the whole, of a plan for each of its groups at these sizes.
    ///
    /// # Errors
    /// A length that no number can hold.
    pub fn linked(&self, sizes: &Sizes, groups: &[Planned<'_>], plans: &[Plan]) -> Result<Plan, SizeError> {
        let mut linker = Linker { graph: self, sizes, buffers: vec![], of: HashMap::new() };
        for value in &self.parameters {
            if self.edges[value.index].ty.as_scalar().is_none() {
                let Maker::Parameter(n) = self.edges[value.index].maker else { continue };
                linker.array(*value, Role::Input(n))?;
            }
        }
        let outputs = self.result_of_output();
        let mut modules = vec![];
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        let mut launches = vec![];
        for planned in groups {
            let plan = &plans[planned.plan];
            let offset = *first.entry(planned.plan).or_insert_with(|| {
                modules.extend(plan.modules.iter().cloned());
                modules.len() - plan.modules.len()
            });
            let mut buffers = vec![];
            for buffer in &plan.buffers {
                buffers.push(match buffer.role {
                    Role::Input(n) => linker.array(planned.group.arguments[n], Role::Temporary)?,
                    Role::Output(n) => {
                        let value = planned.group.results[n];
                        let role = outputs.get(&value).map_or(Role::Temporary, |k| Role::Output(*k));
                        linker.array(value, role)?
                    }
                    Role::Temporary => linker.push(buffer.clone()),
                });
            }
            for launch in &plan.launches {
                let scalar = |n: &usize| match self.edges[planned.group.arguments[*n].index].maker {
                    Maker::Parameter(position) => Some(position),
                    Maker::Node => None,
                };
                launches.push(Launch {
                    module: offset + launch.module,
                    arrays: launch.arrays.iter().map(|id| buffers[id.0]).collect(),
                    // `Graph::apply` lets no node compute what is passed by value.
                    scalars: launch.scalars.iter().filter_map(scalar).collect(),
                    ..launch.clone()
                });
            }
        }
        let constants = self.parameters().enumerate().filter(|(_, (.., constant))| *constant);
        Ok(Plan {
            name: self.name.clone(),
            sizes: sizes.0.clone(),
            constants: constants.map(|(n, _)| n).collect(),
            buffers: linker.buffers,
            modules,
            launches,
        })
    }

    /// The number of the output that each array is.
    fn result_of_output(&self) -> BTreeMap<Value, usize> {
        self.outputs.iter().enumerate().map(|(k, (_, value))| (*value, k)).collect()
    }
}

struct Linker<'a> {
    graph: &'a Graph,
    sizes: &'a Sizes,
    buffers: Vec<Buffer>,
    /// Where each array of the graph is.
    of: HashMap<Value, BufferId>,
}

impl Linker<'_> {
    /// The buffer of an array, made now if it has none.
    fn array(&mut self, value: Value, role: Role) -> Result<BufferId, SizeError> {
        if let Some(id) = self.of.get(&value) {
            return Ok(*id);
        }
        let edge = &self.graph.edges[value.index];
        let length = self.graph.shape(value, self.sizes)?.into_iter().fold(1usize, usize::saturating_mul);
        let scalar = edge.ty.shape().1.as_scalar().unwrap_or(crate::types::Scalar::F32);
        let id = self.push(Buffer { name: edge.name.to_string(), scalar, length, role });
        self.of.insert(value, id);
        Ok(id)
    }

    fn push(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() - 1)
    }
}
