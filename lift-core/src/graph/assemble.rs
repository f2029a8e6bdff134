//! Arrays that are put together without being copied: their makers write them to where they belong in the whole.
//!
//! Whether an array's elements lie in the whole one after the other, and from where on, is read from the kernels that would copy
//! them, at the sizes at hand. So it does not matter by which primitives they were put together, and along which dimension.

use super::{Graph, Maker, Planned, Value};
use crate::kernel::{ArrayId, Expr, Module, Plan, Role, Stmt};
use crate::nat::{Nat, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// For each array that is a part of another: that, and the element of it that is its first.
#[derive(Default)]
pub(super) struct Places(HashMap<Value, (Value, usize)>);

impl Places {
    /// The places that spare a copy, and the groups, by number, that have nothing left to do.
    pub(super) fn of(graph: &Graph, groups: &[Planned<'_>], plans: &[Plan]) -> (Places, BTreeSet<usize>) {
        // Arrays of plans that launch a kernel for several can't be moved, since its text has their places.
        let mut fixed: BTreeSet<Value> = graph.outputs.iter().map(|(_, value)| *value).collect();
        for planned in groups {
            let kernels = plans[planned.plan].launches.iter().map(|launch| (launch.module, launch.kernel));
            if kernels.clone().count() != kernels.collect::<BTreeSet<_>>().len() {
                fixed.extend(planned.group.arguments.iter().chain(&planned.group.results));
            }
        }
        let (mut places, mut idle) = (Places::default(), BTreeSet::new());
        for (number, planned) in groups.iter().enumerate() {
            if !planned.group.assembles() {
                continue;
            }
            let Some(parts) = parts(&plans[planned.plan]) else { continue };
            let (arguments, whole) = (&planned.group.arguments, planned.group.results[0]);
            let is_constant = |value: Value| graph.edges[value.index].constant;
            let movable = |n: &usize| {
                let part = arguments[*n];
                graph.edges[part.index].maker == Maker::Node
                    && !fixed.contains(&part)
                    && !places.0.contains_key(&part)
                    && is_constant(part) == is_constant(whole)
            };
            // What is put in twice can't be in two places.
            let once = arguments.iter().collect::<BTreeSet<_>>().len() == arguments.len();
            if once && parts.len() == arguments.len() && parts.keys().all(movable) {
                places.0.extend(parts.iter().map(|(n, offset)| (arguments[*n], (whole, *offset))));
                idle.insert(number);
            }
        }
        (places, idle)
    }

    /// The array that this one is part of, itself if it is none, and the element of that which is its first.
    pub(super) fn find(&self, value: Value) -> (Value, usize) {
        let (mut whole, mut offset) = (value, 0);
        while let Some((of, more)) = self.0.get(&whole) {
            (whole, offset) = (*of, offset + more);
        }
        (whole, offset)
    }
}

/// For each argument of a plan that only copies its arguments, each as it lies, to one result: the element of the result where it
/// begins. `None` if it does more, or copies otherwise.
fn parts(plan: &Plan) -> Option<BTreeMap<usize, usize>> {
    let mut parts = BTreeMap::new();
    for launch in &plan.launches {
        let (module, kernel) = (plan.modules.get(launch.module)?, plan.kernel(launch)?);
        let role = |id: ArrayId| {
            let at = kernel.arrays.iter().position(|(array, _)| array.id == id)?;
            Some(plan.buffers[launch.arrays[at].0].role)
        };
        let mut copies = Copies { module, role: &role, parts: &mut parts };
        copies.block(kernel.item.as_ref().unwrap_or(&kernel.body), &[])?;
    }
    let length = |wanted: Role| plan.buffers.iter().find(|b| b.role == wanted).map(|b| b.length);
    // All of each, and nothing else, is the whole.
    let lengths: Option<Vec<usize>> = parts.keys().map(|n| length(Role::Input(*n))).collect();
    let whole: usize = lengths?.into_iter().fold(0, usize::saturating_add);
    (Some(whole) == length(Role::Output(0))).then_some(parts)
}

struct Copies<'a> {
    module: &'a Module,
    role: &'a dyn Fn(ArrayId) -> Option<Role>,
    parts: &'a mut BTreeMap<usize, usize>,
}

impl Copies<'_> {
    /// Statements, inside loops of one iteration that count these.
    fn block(&mut self, body: &[Stmt], single: &[Var]) -> Option<()> {
        body.iter().try_for_each(|stmt| match stmt {
            Stmt::Comment(_) => Some(()),
            Stmt::Loop { var, extent, body, .. } => match self.module.value(extent) {
                Some(1) => self.block(body, &[single, std::slice::from_ref(var)].concat()),
                _ => self.block(body, single),
            },
            Stmt::Store(to, index, Expr::Load(from, read, _)) => {
                let (Some(Role::Output(0)), Some(Role::Input(n))) =
                    ((self.role)(to.id), (self.role)(from.id))
                else {
                    return None;
                };
                let first = |var: &Var| single.contains(var).then(|| Nat::constant(0));
                let offset = self.module.value(&(index - read).substitute(&first))?;
                let offset = usize::try_from(offset).ok()?;
                (*self.parts.entry(n).or_insert(offset) == offset).then_some(())
            }
            Stmt::Store(..)
            | Stmt::Declare { .. }
            | Stmt::Assign(..)
            | Stmt::Array(..)
            | Stmt::Barrier(_)
            | Stmt::If(..) => None,
        })
    }
}
