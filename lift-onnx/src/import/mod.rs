//! From nodes to applications of programs: what each operator of a network is made of.
//!
//! All shapes are numbers by now. A function for each family of operators looks at a node and the arrays that it reads, and
//! adds steps to the recipe. Where ONNX says the same thing in several ways, they become the same program here.

mod affine;
mod elementwise;
mod layout;
mod matrix;
mod network;
mod norm;
mod reduce;
mod resize;
mod scalars;
mod window;

use crate::call::{Budget, Call, Known};
use crate::error::OnnxError;
use crate::fold::fold;
use crate::model::{Dim, Input, Model};
use crate::order::order;
use crate::recipe::Recipe;
use network::Network;
use std::collections::{BTreeSet, HashMap};

/// The steps that compute what the model does, with these numbers for dimensions that it leaves open.
pub(crate) fn import(model: &Model, dims: &[(&str, usize)]) -> Result<Recipe, OnnxError> {
    let order = order(model)?;
    let (mut network, budget) = (Network::new(model), Budget::default());
    let mut known: HashMap<&str, Known> = HashMap::new();
    for (input, shape) in model.inputs.iter().zip(shapes(model, dims)?) {
        known.insert(&input.name, network.input(input, shape)?);
    }
    // How many nodes still read an array: the elements of a constant are let go with the last.
    let mut readers: HashMap<&str, usize> = HashMap::new();
    let names = order.iter().flat_map(|at| &model.nodes[*at].inputs).chain(&model.outputs);
    for name in names.filter(|name| !name.is_empty()) {
        *readers.entry(name).or_default() += 1;
    }
    for index in order {
        let node = &model.nodes[index];
        let find = |name: &String| {
            let constant = || model.constants.get(name).map(|tensor| Known::from(tensor.clone()));
            known.get(name.as_str()).cloned().or_else(constant)
        };
        let inputs = node.inputs.iter().map(|name| if name.is_empty() { None } else { find(name) }).collect();
        let call = Call::new(node, index, model.opset, inputs, &budget);
        let results = match fold(&call)? {
            Some(tensors) => tensors.into_iter().map(Known::from).collect(),
            None => {
                let results = apply(&mut network, &call)?;
                call.finish()?;
                results
            }
        };
        for (at, name) in
            node.outputs.iter().enumerate().filter(|(_, name)| readers.contains_key(name.as_str()))
        {
            let result = results.get(at).cloned();
            let missing = || call.unsupported(format!("has no result {at} here, which `{name}` is"));
            known.insert(name, result.ok_or_else(missing)?);
        }
        for name in node.inputs.iter().filter(|name| !name.is_empty()) {
            if let Some(count) = readers.get_mut(name.as_str()) {
                *count -= 1;
                if *count == 0 {
                    known.remove(name.as_str());
                }
            }
        }
    }
    for name in &model.outputs {
        let constant = || model.constants.get(name).map(|tensor| Known::from(tensor.clone()));
        // Whatever is no node's result is an input or a constant: `order` has looked.
        if let Some(output) = known.get(name.as_str()).cloned().or_else(constant) {
            network.output(name, &output)?;
        }
    }
    Ok(network.finished())
}

/// The results of a node that is not known before the network runs; of those that nobody computes, as few as there are.
fn apply(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    if !call.node.domain.is_empty() {
        return Err(
            call.unsupported(format!("is of the set `{}`, which is not ONNX's own", call.node.domain))
        );
    }
    let families = [
        elementwise::apply,
        window::apply,
        matrix::apply,
        norm::apply,
        reduce::apply,
        layout::apply,
        resize::apply,
    ];
    for family in families {
        if let Some(results) = family(network, call)? {
            return Ok(results);
        }
    }
    if matches!(call.operator(), "Range" | "ConstantOfShape" | "NonZero") {
        // Computed from what is known, or not at all.
        (0..call.arity()).try_for_each(|at| call.constant(at).map(drop))?;
    }
    Err(call.unsupported("is not supported"))
}

/// The shapes of the inputs.
fn shapes(model: &Model, dims: &[(&str, usize)]) -> Result<Vec<Vec<usize>>, OnnxError> {
    let mut open = BTreeSet::new();
    let mut shapes = vec![];
    for input in &model.inputs {
        let lengths = input.dims.iter().enumerate().map(|(axis, dim)| {
            if let Dim::Number(length) = dim {
                return Ok(*length);
            }
            let name = open_name(input, axis, dim);
            let given = dims.iter().find(|(wanted, _)| *wanted == name).map(|(_, length)| *length);
            let missing = || OnnxError::OpenDimension { input: input.name.clone(), axis, name: name.clone() };
            // The outer dimension is the batch.
            let length = given.or((axis == 0).then_some(1)).ok_or_else(missing);
            open.insert(name.clone());
            length
        });
        shapes.push(lengths.collect::<Result<Vec<usize>, _>>()?);
    }
    match dims.iter().find(|(name, _)| !open.contains(*name)) {
        Some((name, _)) => {
            Err(OnnxError::NoSuchDimension { name: name.to_string(), known: open.into_iter().collect() })
        }
        None => Ok(shapes),
    }
}

/// What a number for an open dimension is given to: its name, or `input[axis]`.
fn open_name(input: &Input, axis: usize, dim: &Dim) -> String {
    match dim {
        Dim::Named(name) => name.clone(),
        _ => format!("{}[{axis}]", input.name),
    }
}
