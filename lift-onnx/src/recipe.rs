//! What a model becomes: programs, in order, and the arrays that they are applied to.

use crate::error::OnnxError;
use crate::tensor::{Tensor, any};
use lift::Program;
use lift::graph::{Graph, Length, Value};
use lift_core::types::Scalar;
use std::sync::Arc;

/// A network as a list of applications of programs, all of whose shapes are numbers.
///
/// A [`Graph`](lift::graph::Graph) is made of it step by step. It can also be carried out one step after the other, which
/// is slow but says which step is wrong if one is.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// Every array: inputs, constants, and results of steps.
    pub arrays: Vec<Array>,
    /// Programs in the order in which they can be applied.
    pub steps: Vec<Step>,
    /// The arrays that the caller passes, in order.
    pub inputs: Vec<usize>,
    /// The results, in order, each with its name.
    pub outputs: Vec<(String, usize)>,
}

/// An array of a recipe. Results of steps have at least one dimension; inputs and constants without any are numbers.
#[derive(Clone, Debug)]
pub struct Array {
    /// What it is called: no other array and no step has this name.
    pub name: String,
    /// The type of its elements.
    pub scalar: Scalar,
    /// Lengths, the outer dimension first.
    pub shape: Vec<usize>,
    /// The elements, if it is a constant.
    pub constant: Option<Tensor>,
}

/// A program that is applied to arrays.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is called: no other step and no array has this name.
    pub name: String,
    /// The program.
    pub program: Arc<Program>,
    /// Values for those of its sizes that no argument determines.
    pub sizes: Vec<(String, usize)>,
    /// The arrays that it is applied to.
    pub arguments: Vec<usize>,
    /// The arrays that it computes.
    pub results: Vec<usize>,
}

impl Recipe {
    /// The same without the arrays that no step reads, and that are no results either. Inputs stay.
    pub(crate) fn without_unread(mut self) -> Recipe {
        let mut read = vec![false; self.arrays.len()];
        let of_steps = self.steps.iter().flat_map(|step| step.arguments.iter().chain(&step.results));
        let others = self.inputs.iter().chain(self.outputs.iter().map(|(_, array)| array));
        of_steps.chain(others).for_each(|array| read[*array] = true);
        // Where each lies then: as many are before it as are kept.
        let before = |count: &mut usize, read: &bool| {
            *count += usize::from(*read);
            Some(*count - usize::from(*read))
        };
        let now: Vec<usize> = read.iter().scan(0, before).collect();
        let mut kept = read.into_iter();
        self.arrays.retain(|_| kept.next() == Some(true));
        let steps = self.steps.iter_mut().flat_map(|step| step.arguments.iter_mut().chain(&mut step.results));
        let others = self.inputs.iter_mut().chain(self.outputs.iter_mut().map(|(_, array)| array));
        steps.chain(others).for_each(|array| *array = now[*array]);
        self
    }

    /// The graph with these steps, which has no open sizes.
    ///
    /// # Errors
    /// [`OnnxError::Graph`] if the graph refuses a step.
    pub fn graph(&self, name: &str) -> Result<Graph, OnnxError> {
        let mut graph = Graph::new(name);
        let mut values: Vec<Option<Value>> = vec![None; self.arrays.len()];
        for at in &self.inputs {
            let Array { name, scalar, shape, .. } = &self.arrays[*at];
            let lengths: Vec<Length> = shape.iter().map(|length| Length::from(*length)).collect();
            values[*at] = Some(graph.input(name, *scalar, &lengths)?);
        }
        for (value, array) in values.iter_mut().zip(&self.arrays) {
            if let Some(constant) = &array.constant {
                *value = Some(any!(constant, elements => graph.constant(&array.name, elements.view())?));
            }
        }
        for step in &self.steps {
            let sizes: Vec<(&str, usize)> =
                step.sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            // Steps come after those whose results they read.
            let arguments: Vec<Value> = step.arguments.iter().filter_map(|array| values[*array]).collect();
            let results = graph.apply(&step.name, &step.program, &sizes, &arguments)?;
            for (array, result) in step.results.iter().zip(results) {
                values[*array] = Some(result);
            }
        }
        for (name, array) in &self.outputs {
            if let Some(value) = values[*array] {
                graph.output(name, value)?;
            }
        }
        Ok(graph)
    }
}
