//! The whole way of a model: read, imported, put together, planned and printed; and now and then built and run.

use crate::common::npy;
use lift::{Argument, Device};
use lift_core::graph::{Graph, GraphError, Length, Planned, Value};
use lift_core::kernel::{Plan, Role, Rows};
use lift_core::program::{CompileError, SizeError};
use lift_core::scalar::Value as Number;
use lift_core::target::Target;
use lift_onnx::{Dim, Model, Recipe, Tensor};
use ndarray::{ArrayD, IxDyn};
use std::collections::BTreeMap;

/// How far a model came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reached {
    Unread,
    Unimported,
    Unplanned,
    Planned,
    Unbuilt,
    Ran,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
enum NoPlan {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// So many elements may the arrays of a model have that is run.
const SMALL: usize = 1 << 16;

/// Goes the whole way; what is refused is refused in words. `runs` says whether models are built and run that can be planned.
pub fn carried_out(bytes: &[u8], runs: bool) -> Reached {
    let model = match Model::from_bytes(bytes) {
        Ok(model) => model,
        Err(error) => return refused(&error, Reached::Unread),
    };
    let open = open(&model);
    let dims: Vec<(&str, usize)> = open.iter().map(|(name, length)| (name.as_str(), *length)).collect();
    let recipe = match model.recipe(&dims) {
        Ok(recipe) => recipe,
        Err(error) => return refused(&error, Reached::Unimported),
    };
    // Copies of large constants say nothing more.
    let large = |tensor: &Tensor| tensor.len() > 1 << 24;
    if recipe.arrays.iter().filter_map(|array| array.constant.as_ref()).any(large) {
        return Reached::Unplanned;
    }
    match planned(&recipe) {
        Ok(plan) => assert!(!plan.opencl().is_empty() && plan.memory().slots.len() <= plan.buffers.len()),
        // What the user does by mistake; that no node becomes what has no kernels is the importer's duty.
        Err(NoPlan::Graph(error @ (GraphError::NameTaken { .. } | GraphError::NoOutput { .. }))) => {
            return refused(&error, Reached::Unplanned);
        }
        Err(error) => panic!("{error}"),
    }
    let elements = recipe.arrays.iter().map(|array| array.shape.iter().product::<usize>());
    if !runs || elements.fold(0, usize::saturating_add) > SMALL {
        return Reached::Planned;
    }
    match ran(&recipe) {
        Ok(()) => Reached::Ran,
        Err(error @ lift::Error::OutOfMemory { .. }) => refused(&error, Reached::Unbuilt),
        Err(error) => panic!("{error}"),
    }
}

fn refused(error: &dyn std::error::Error, at: Reached) -> Reached {
    let message = error.to_string();
    if std::env::var_os("SHOW").is_some() {
        println!("{message}");
    }
    assert!(!message.is_empty() && message.len() < 4000, "{message}");
    at
}

/// A small number for each dimension that is left open.
fn open(model: &Model) -> BTreeMap<String, usize> {
    let mut open = BTreeMap::new();
    for input in &model.inputs {
        for (axis, dim) in input.dims.iter().enumerate() {
            match dim {
                Dim::Number(_) => {}
                Dim::Named(name) => drop(open.insert(name.clone(), 2)),
                Dim::Open => drop(open.insert(format!("{}[{axis}]", input.name), 3)),
            }
        }
    }
    open
}

fn number(tensor: &Tensor) -> Option<Number> {
    macro_rules! of {
        ($($variant:ident)*) => {
            match tensor {
                $(Tensor::$variant(array) => array.first().filter(|_| array.ndim() == 0).map(|x| Number::$variant(*x)),)*
            }
        };
    }
    of!(Bool I8 U8 I16 U16 I32 U32 I64 U64 F16 F32 F64)
}

/// The plan of all, each group as it is written, for two kinds of devices.
fn planned(recipe: &Recipe) -> Result<Plan, NoPlan> {
    let mut graph = Graph::new("model");
    let mut values: Vec<Option<Value>> = vec![None; recipe.arrays.len()];
    let lengths = |shape: &[usize]| shape.iter().map(|n| Length::from(*n)).collect::<Vec<_>>();
    for at in &recipe.inputs {
        let array = &recipe.arrays[*at];
        values[*at] = Some(graph.parameter(&array.name, array.scalar, &lengths(&array.shape), false)?);
    }
    for (value, array) in values.iter_mut().zip(&recipe.arrays) {
        let Some(tensor) = &array.constant else { continue };
        *value = Some(match number(tensor) {
            Some(number) => graph.number(&array.name, number)?,
            None => graph.parameter(&array.name, array.scalar, &lengths(&array.shape), true)?,
        });
    }
    for step in &recipe.steps {
        let sizes: Vec<(&str, usize)> = step.sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let arguments: Vec<Value> = step.arguments.iter().map(|array| values[*array].unwrap()).collect();
        let results = graph.apply(&step.name, &step.program, &sizes, &arguments)?;
        for (array, result) in step.results.iter().zip(results) {
            // What was imported is what the graph makes of it.
            let found = graph.ty(result).shape().0.into_iter().map(|n| n.as_constant());
            let expected = recipe.arrays[*array].shape.iter().map(|n| i64::try_from(*n).ok());
            assert!(found.eq(expected), "`{}` has the shape {}", step.name, graph.ty(result));
            values[*array] = Some(result);
        }
    }
    for (name, array) in &recipe.outputs {
        graph.output(name, values[*array].unwrap())?;
    }
    let sizes = graph.at(&[])?;
    let linked = |target: &Target| {
        let (graph, groups) = graph.arranged(target);
        let mut kinds = vec![];
        let (mut plans, mut steps) = (vec![], vec![]);
        for group in &groups {
            let sizes = group.program.solve(&[], &graph.shapes(group, &sizes)?)?;
            let kind = (group.program.clone(), sizes);
            let known = kinds.iter().position(|other| *other == kind);
            steps.push(known.unwrap_or(kinds.len()));
            if known.is_none() {
                plans.push(lift_core::compile(&kind.0, &kind.1, target)?);
                kinds.push(kind);
            }
        }
        graph.room(&groups, &sizes)?;
        let planned = groups.iter().zip(&steps).map(|(group, plan)| Planned { group, plan: *plan });
        let in_rows = |plan: usize, rows: &BTreeMap<Role, Rows>| {
            Ok::<Plan, NoPlan>(lift_core::compile_in_rows(&kinds[plan].0, &kinds[plan].1, target, rows)?)
        };
        let planned = planned.collect::<Vec<_>>();
        let (plan, launches) = graph.linked(&sizes, &planned, &plans, &in_rows)?;
        assert_eq!(launches.len(), groups.len());
        Ok::<Plan, NoPlan>(plan)
    };
    let for_processor = linked(Device::cpu().target())?;
    assert!(!for_processor.c().is_empty());
    linked(&Target::default())
}

/// Builds it for the processor, as written and in forms that are likely to be fast, and runs both. Results of both have the same
/// shapes; elements need not be the same, for what is computed may make much of little differences.
fn ran(recipe: &Recipe) -> Result<(), lift::Error> {
    let graph = recipe.graph("model").expect("what was planned is a graph");
    let inputs = recipe.inputs.iter().map(|array| {
        let array = &recipe.arrays[*array];
        ones(array.scalar, &array.shape)
    });
    let inputs: Vec<Tensor> = inputs.collect();
    let arguments: Vec<Argument> = inputs.iter().map(npy::argument).collect();
    let device = Device::cpu();
    for network in [graph.compile_as_written(&device, &[]), graph.compile(&device, &[])] {
        let outputs = network?.run(&arguments)?;
        let shapes = outputs.into_iter().map(|output| npy::tensor(output).shape().to_vec());
        let expected = recipe.outputs.iter().map(|(_, array)| recipe.arrays[*array].shape.clone());
        assert!(shapes.eq(expected));
    }
    Ok(())
}

fn ones(scalar: lift_core::types::Scalar, shape: &[usize]) -> Tensor {
    use lift_core::types::Scalar;
    macro_rules! of {
        ($($variant:ident $one:expr,)*) => {
            match scalar {
                $(Scalar::$variant => Tensor::$variant(ArrayD::from_elem(IxDyn(shape), $one).into_shared()),)*
            }
        };
    }
    of!(Bool true, I8 1, U8 1, I16 1, U16 1, I32 1, U32 1, I64 1, U64 1, F16 half::f16::ONE, F32 1.0, F64 1.0,)
}
