//! The recipe while it is written: programs are applied to arrays of known shapes.

use super::affine::{self, Affine};
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::layout::broadcast;
use crate::model::{Input, Model};
use crate::recipe::{Array, Recipe, Step};
use crate::tensor::{Elements, Tensor, count};
use lift::Program;
use lift_core::types::{Scalar, Type};
use lift_operators::{OperatorError, elementwise, layout};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The recipe, and what is needed to go on with it.
pub(super) struct Network {
    pub recipe: Recipe,
    names: HashSet<String>,
    /// How many names were made of a base.
    numbered: HashMap<String, usize>,
    /// Programs that were made already, by what they do.
    programs: HashMap<String, Arc<Program>>,
    /// Numbers that are arguments, by their bits.
    by_bits: HashMap<u32, usize>,
    /// Results that are an array multiplied with known numbers, with others added.
    pub affines: HashMap<usize, Affine>,
}

impl Network {
    pub(super) fn new(model: &Model) -> Network {
        // Steps and numbers are not called like anything that the model has.
        let names =
            model.inputs.iter().map(|input| &input.name).chain(model.constants.keys()).cloned().collect();
        Network {
            recipe: Recipe::default(),
            names,
            numbered: HashMap::new(),
            programs: HashMap::new(),
            by_bits: HashMap::new(),
            affines: HashMap::new(),
        }
    }

    /// A name that nothing has.
    fn fresh(&mut self, base: &str) -> String {
        // Thousands of nodes may be called the same: the search goes on where the last one ended.
        let number = self.numbered.entry(base.to_string()).or_insert(0);
        loop {
            *number += 1;
            let name = if *number == 1 { base.to_string() } else { format!("{base}.{number}") };
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    // Arrays.

    fn add(&mut self, name: String, scalar: Scalar, shape: &[usize], constant: Option<Tensor>) -> usize {
        self.recipe.arrays.push(Array { name, scalar, shape: shape.to_vec(), constant });
        self.recipe.arrays.len() - 1
    }

    /// An array that the caller passes.
    pub(super) fn input(&mut self, input: &Input, shape: Vec<usize>) -> Result<Known, OnnxError> {
        let wrong = |reason: String| OnnxError::Input { input: input.name.clone(), reason };
        match count(&shape) {
            None => return Err(wrong(format!("no memory is as large as its shape {shape:?} says"))),
            Some(0) => return Err(wrong(format!("with shape {shape:?} it has no elements"))),
            Some(_) => {}
        }
        let array = self.add(input.name.clone(), input.scalar, &shape, None);
        self.recipe.inputs.push(array);
        Ok(Known { shape, scalar: input.scalar, constant: None, array: Some(array) })
    }

    /// All that was imported, with as few steps and arrays as it takes.
    pub(super) fn finished(mut self) -> Recipe {
        affine::join(&mut self);
        self.recipe.without_unread()
    }

    /// The array of the recipe, to which known elements are added when they are needed.
    pub(super) fn array(&mut self, call: &Call, known: &Known) -> Result<usize, OnnxError> {
        if let Some(array) = known.array {
            return Ok(array);
        }
        let Some(tensor) = &known.constant else {
            return Err(call.wrong("reads an array that does not exist"));
        };
        if tensor.is_empty() {
            return Err(
                call.unsupported(format!("reads an array of shape {:?}, without elements", known.shape))
            );
        }
        Ok(self.constant(call, tensor))
    }

    /// Known elements, once for all nodes that read them.
    fn constant(&mut self, call: &Call, tensor: &Tensor) -> usize {
        let name = self.fresh(&format!("{}.constant", call.name()));
        self.add(name, tensor.scalar(), tensor.shape(), Some(tensor.clone()))
    }

    /// Numbers that were computed of known ones.
    pub(super) fn numbers(&mut self, of: &str, elements: Elements<f32>) -> usize {
        let name = self.fresh(&format!("{of}.constant"));
        let shape = elements.shape().to_vec();
        self.add(name, Scalar::F32, &shape, Some(Tensor::F32(elements)))
    }

    /// A number as an argument.
    pub(super) fn number(&mut self, value: f32) -> usize {
        if let Some(array) = self.by_bits.get(&value.to_bits()) {
            return *array;
        }
        let name = self.fresh(&format!("number {value}"));
        let array = self.add(name, Scalar::F32, &[], Some(Tensor::single(value)));
        self.by_bits.insert(value.to_bits(), array);
        array
    }

    pub(super) fn shape(&self, array: usize) -> &[usize] {
        &self.recipe.arrays[array].shape
    }

    pub(super) fn scalar(&self, array: usize) -> Scalar {
        self.recipe.arrays[array].scalar
    }

    /// What is known of an array of the recipe.
    pub(super) fn known(&self, array: usize) -> Known {
        let Array { shape, scalar, .. } = &self.recipe.arrays[array];
        Known { shape: shape.clone(), scalar: *scalar, constant: None, array: Some(array) }
    }

    /// The same with a shape of its own: an array without dimensions has one of length 1 here.
    pub(super) fn shaped(&mut self, call: &Call, array: usize, shape: &[usize]) -> Result<Known, OnnxError> {
        let physical = if shape.is_empty() { &[1] } else { shape };
        let array = self.reshape(call, array, physical)?;
        Ok(Known { shape: shape.to_vec(), ..self.known(array) })
    }

    /// An input of the node as an array of the recipe with at least one dimension, and elements of type `f32`.
    pub(super) fn floats(&mut self, call: &Call, at: usize) -> Result<usize, OnnxError> {
        let known = call.input(at)?;
        if known.scalar != Scalar::F32 {
            let reason = format!("of type {} is not supported, only f32", known.scalar);
            return Err(call.unsupported_with(&call.node.inputs[at], reason));
        }
        self.any(call, at)
    }

    /// The same of any type.
    pub(super) fn any(&mut self, call: &Call, at: usize) -> Result<usize, OnnxError> {
        let known = call.input(at)?.clone();
        let array = self.array(call, &known)?;
        match self.shape(array).is_empty() {
            true => self.reshape(call, array, &[1]),
            false => Ok(array),
        }
    }

    /// A result of the model.
    pub(super) fn output(&mut self, name: &str, known: &Known) -> Result<(), OnnxError> {
        let array = match (known.array, &known.constant) {
            (Some(array), _) => array,
            (None, Some(tensor)) if tensor.is_empty() => {
                let reason = format!("its shape is {:?}, which has no elements", known.shape);
                return Err(OnnxError::Output { output: name.to_string(), reason });
            }
            (None, Some(tensor)) => {
                let name = self.fresh(&format!("{name}.constant"));
                self.add(name, tensor.scalar(), tensor.shape(), Some(tensor.clone()))
            }
            (None, None) => return Ok(()),
        };
        self.recipe.outputs.push((name.to_string(), array));
        Ok(())
    }

    // Programs.

    /// A program that is made once: `key` says what it does.
    pub(super) fn program(
        &mut self,
        call: &Call,
        key: String,
        make: impl FnOnce() -> Result<Program, OperatorError>,
    ) -> Result<Arc<Program>, OnnxError> {
        self.made(key, make).map_err(|e| no_program(call, e))
    }

    fn made(
        &mut self,
        key: String,
        make: impl FnOnce() -> Result<Program, OperatorError>,
    ) -> Result<Arc<Program>, OperatorError> {
        if let Some(program) = self.programs.get(&key) {
            return Ok(program.clone());
        }
        let program = Arc::new(make()?);
        self.programs.insert(key, program.clone());
        Ok(program)
    }

    /// A program that is made for this node alone.
    pub(super) fn new_program(
        call: &Call,
        make: impl FnOnce() -> Result<Program, OperatorError>,
    ) -> Result<Arc<Program>, OnnxError> {
        make().map(Arc::new).map_err(|e| no_program(call, e))
    }

    /// Applies a program that has one result. Of `sizes` those are used that no argument determines.
    pub(super) fn apply(
        &mut self,
        call: &Call,
        program: &Arc<Program>,
        sizes: &[(&str, usize)],
        arguments: &[usize],
    ) -> Result<usize, OnnxError> {
        let wrong = |e: &dyn std::fmt::Display| call.wrong(format!("can't be applied: {e}"));
        let mut free = vec![];
        let mut values = vec![];
        for size in program.free_sizes() {
            let name = &*size.var.name;
            let (_, value) = sizes.iter().find(|(given, _)| *given == name).ok_or_else(|| wrong(&name))?;
            free.push(i64::try_from(*value).map_err(|e| wrong(&e))?);
            values.push((name.to_string(), *value));
        }
        let shapes: Vec<Vec<usize>> = arguments.iter().map(|array| self.shape(*array).to_vec()).collect();
        let solved = program.solve(&free, &shapes).map_err(|e| wrong(&e))?;
        let result = program.result();
        let Type::Scalar(scalar) = result.shape().1 else {
            return Err(call.unsupported("has a program with several results"));
        };
        let shape = Program::shape(result, &solved).map_err(|e| wrong(&e))?;
        match count(&shape) {
            Some(0) => {
                return Err(call.unsupported(format!("makes an array of shape {shape:?}, without elements")));
            }
            Some(_) => {}
            None => {
                return Err(
                    call.wrong(format!("makes an array of shape {shape:?}, for which there is no memory"))
                );
            }
        }
        let name = self.fresh(call.name());
        let array = self.add(format!("{name} result"), *scalar, &shape, None);
        let (program, arguments) = (program.clone(), arguments.to_vec());
        self.recipe.steps.push(Step { name, program, sizes: values, arguments, results: vec![array] });
        Ok(array)
    }

    /// The same elements in order, in another shape.
    pub(super) fn reshape(&mut self, call: &Call, array: usize, to: &[usize]) -> Result<usize, OnnxError> {
        let (from, scalar) = (self.shape(array).to_vec(), self.scalar(array));
        if from == to {
            return Ok(array);
        }
        // Weights are stored as they are read.
        if let Some(tensor) =
            self.recipe.arrays[array].constant.as_ref().and_then(|tensor| tensor.reshaped(to))
        {
            return Ok(self.constant(call, &tensor));
        }
        let make = || layout::reshape(scalar, &from, to);
        let program = self.program(call, format!("reshape {scalar} {from:?} {to:?}"), make)?;
        self.apply(call, &program, &[], &[array])
    }

    /// Dimension `i` of the result is dimension `order[i]` of the array.
    pub(super) fn permute(&mut self, call: &Call, array: usize, order: &[usize]) -> Result<usize, OnnxError> {
        if order.iter().copied().eq(0..order.len()) {
            return Ok(array);
        }
        let scalar = self.scalar(array);
        let program =
            self.program(call, format!("permute {scalar} {order:?}"), || layout::permute(scalar, order))?;
        self.apply(call, &program, &[], &[array])
    }

    /// Elements `start`, `start + step`, … along one axis, as many as `count`.
    pub(super) fn slice(
        &mut self,
        call: &Call,
        array: usize,
        slice: crate::layout::Slice,
    ) -> Result<usize, OnnxError> {
        let crate::layout::Slice { axis, start, step, count } = slice;
        if count == 0 {
            return Err(call.unsupported("takes no elements, and arrays without any are not supported"));
        }
        if (start, step, count) == (0, 1, self.shape(array)[axis]) {
            return Ok(array);
        }
        let (scalar, rank) = (self.scalar(array), self.shape(array).len());
        let stop = start as i64 + step as i64 * (count as i64 - 1) + step.signum() as i64;
        let key = format!("slice {scalar} {rank} {axis} {start} {stop} {step}");
        let make = || layout::slice(scalar, rank, axis, (start, stop, step as i64));
        let program = self.program(call, key, make)?;
        self.apply(call, &program, &[], &[array])
    }

    /// A program of numbers applied to arrays that are repeated along dimensions that they lack, or in which their length is
    /// 1; and then to numbers.
    pub(super) fn elementwise(
        &mut self,
        call: &Call,
        program: &Program,
        operands: &[usize],
        numbers: &[f32],
    ) -> Result<usize, OnnxError> {
        let shapes: Vec<Vec<usize>> = operands.iter().map(|array| self.shape(*array).to_vec()).collect();
        let Some(mut shape) = broadcast(shapes.iter().map(Vec::as_slice)) else {
            return Err(call.wrong(format!("can't combine arrays of shapes {shapes:?}")));
        };
        if shape.is_empty() {
            shape.push(1);
        }
        let (mut arguments, mut uses) = (vec![], vec![]);
        for (array, own) in operands.iter().zip(shapes) {
            let skipped = shape.len() - own.len();
            let used: Vec<bool> =
                (0..shape.len()).map(|d| d >= skipped && own[d - skipped] == shape[d]).collect();
            let (array, used) = self.fitted(call, *array, used, &shape)?;
            arguments.push(array);
            uses.push(used);
        }
        for number in numbers {
            arguments.push(self.number(*number));
            uses.push(vec![false; shape.len()]);
        }
        if !uses.iter().any(|row| row.contains(&true)) {
            // Nothing but numbers: what is computed is an array all the same.
            let last = shape.len() - 1;
            arguments[0] = self.reshape(call, arguments[0], &[1])?;
            uses[0][last] = true;
        }
        let lifted = self.lifted(program, shape.len(), &uses).map_err(|e| no_program(call, e))?;
        let numbers = numbers.iter().map(|number| self.number(*number));
        let operands: Vec<usize> = operands.iter().copied().chain(numbers).collect();
        let affine = Affine::of(program, &operands, &self.recipe.arrays, &shape);
        let result = self.apply(call, &lifted, &[], &arguments)?;
        self.affines.extend(affine.map(|affine| (result, affine)));
        Ok(result)
    }

    /// A program of numbers for arrays, of which each parameter has the dimensions that `uses` says.
    pub(super) fn lifted(
        &mut self,
        program: &Program,
        rank: usize,
        uses: &[Vec<bool>],
    ) -> Result<Arc<Program>, OperatorError> {
        let types: Vec<String> = program.params().iter().map(|param| param.ty.to_string()).collect();
        let key = format!("elementwise {} {types:?} {} {uses:?}", program.name(), program.result());
        self.made(key, || elementwise(program, rank, uses))
    }

    /// The operand without the dimensions that it is repeated along.
    fn fitted(
        &mut self,
        call: &Call,
        array: usize,
        mut used: Vec<bool>,
        shape: &[usize],
    ) -> Result<(usize, Vec<bool>), OnnxError> {
        let mut kept: Vec<usize> =
            shape.iter().zip(&used).filter(|(_, used)| **used).map(|(n, _)| *n).collect();
        let own = self.shape(array).to_vec();
        if kept.is_empty() && !own.is_empty() && self.recipe.arrays[array].constant.is_none() {
            // A number that a step computes is no argument by itself: it is repeated along the last dimension.
            let last = shape.len() - 1;
            let array = self.reshape(call, array, &[1])?;
            let (scalar, length) = (self.scalar(array), shape[last]);
            let make = || layout::expand(scalar, &[1], &[length]);
            let program = self.program(call, format!("expand {scalar} [1] [{length}]"), make)?;
            used[last] = true;
            return Ok((self.apply(call, &program, &[], &[array])?, used));
        }
        // Dimensions of length 1 that stay are those where the result has length 1, too.
        let array = self.reshape(call, array, &std::mem::take(&mut kept))?;
        Ok((array, used))
    }

    /// A program that makes one number of a row, of all that lies along several axes, which are gone then.
    pub(super) fn over(
        &mut self,
        call: &Call,
        program: &Program,
        array: usize,
        axes: &[usize],
    ) -> Result<usize, OnnxError> {
        let rank = self.shape(array).len();
        if rank == axes.len() {
            // What a step makes has a dimension.
            let mut shape = self.shape(array).to_vec();
            shape.insert(0, 1);
            let array = self.reshape(call, array, &shape)?;
            let axes: Vec<usize> = axes.iter().map(|axis| axis + 1).collect();
            return self.over(call, program, array, &axes);
        }
        let make = || lift_operators::over(program, rank, axes);
        let program = self.program(call, format!("over {} {rank} {axes:?}", program.name()), make)?;
        self.apply(call, &program, &[], &[array])
    }

    /// A program of rows along one axis of an array, with numbers as further arguments.
    pub(super) fn along(
        &mut self,
        call: &Call,
        program: &Program,
        sizes: &[(&str, usize)],
        (array, axis): (usize, usize),
        numbers: &[f32],
    ) -> Result<usize, OnnxError> {
        let rank = self.shape(array).len();
        let make = || lift_operators::along(program, rank, axis);
        let program = self.program(call, format!("along {} {rank} {axis}", program.name()), make)?;
        let mut arguments = vec![array];
        for number in numbers {
            arguments.push(self.number(*number));
        }
        self.apply(call, &program, sizes, &arguments)
    }
}

fn no_program(call: &Call, error: OperatorError) -> OnnxError {
    call.unsupported(format!("has no program here: {error}"))
}
