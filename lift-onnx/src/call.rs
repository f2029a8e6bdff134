//! One node with what is known of the arrays that it reads.

use crate::error::OnnxError;
use crate::model::{Attribute, Node};
use crate::tensor::{Element, MAX_RANK, Tensor, count};
use lift_core::types::Scalar;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// What is known of an array while a model is imported.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Lengths, the outer dimension first.
    pub shape: Vec<usize>,
    /// The type of the elements.
    pub scalar: Scalar,
    /// The elements, if they are known before the network runs.
    pub constant: Option<Tensor>,
    /// Which array of the recipe it is; nothing for known elements that nobody needed there yet.
    pub array: Option<usize>,
}

impl From<Tensor> for Known {
    fn from(tensor: Tensor) -> Known {
        Known { shape: tensor.shape().to_vec(), scalar: tensor.scalar(), constant: Some(tensor), array: None }
    }
}

impl Known {
    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }
}

/// The memory that arrays may take which are computed while importing.
pub(crate) struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Budget {
        Budget(Cell::new(1 << 30))
    }
}

/// One node with what is known of the arrays that it reads.
pub(crate) struct Call<'a> {
    pub node: &'a Node,
    /// The version of ONNX's operators.
    pub opset: i64,
    label: String,
    inputs: Vec<Option<Known>>,
    budget: &'a Budget,
    /// The attributes that were asked for: a node that has others is refused.
    asked: RefCell<BTreeSet<&'a str>>,
}

impl<'a> Call<'a> {
    /// `inputs` are as many as the node's; those that are left out are nothing.
    pub(crate) fn new(
        node: &'a Node,
        index: usize,
        opset: i64,
        inputs: Vec<Option<Known>>,
        budget: &'a Budget,
    ) -> Call<'a> {
        Call { node, opset, label: node.label(index), inputs, budget, asked: RefCell::default() }
    }

    pub(crate) fn operator(&self) -> &'a str {
        &self.node.operator
    }

    /// What steps for the node are called: its name, or else its operator.
    pub(crate) fn name(&self) -> &'a str {
        if self.node.name.is_empty() { &self.node.operator } else { &self.node.name }
    }

    /// How many inputs the node has, those included that are left out.
    pub(crate) fn arity(&self) -> usize {
        self.inputs.len()
    }

    /// Does anybody read the result with this number, from 0?
    pub(crate) fn wants(&self, result: usize) -> bool {
        self.node.outputs.get(result).is_some_and(|name| !name.is_empty())
    }

    // Errors.

    /// The node is wrong; `reason` follows the name of the operator.
    pub(crate) fn wrong(&self, reason: impl Into<String>) -> OnnxError {
        let (node, operator) = (self.label.clone(), self.operator().to_string());
        OnnxError::Shape { node, operator, reason: reason.into() }
    }

    /// The node may be right but can't be imported; `reason` follows the name of the operator.
    pub(crate) fn unsupported(&self, reason: impl Into<String>) -> OnnxError {
        let (node, operator) = (self.label.clone(), self.operator().to_string());
        OnnxError::Unsupported { node, operator, attribute: None, reason: reason.into() }
    }

    /// The same because of an attribute or input.
    pub(crate) fn unsupported_with(&self, attribute: &str, reason: impl Into<String>) -> OnnxError {
        let (node, operator) = (self.label.clone(), self.operator().to_string());
        OnnxError::Unsupported {
            node,
            operator,
            attribute: Some(attribute.to_string()),
            reason: reason.into(),
        }
    }

    /// Takes memory for an array that is computed while importing.
    pub(crate) fn allocate(&self, shape: &[usize], scalar: Scalar) -> Result<(), OnnxError> {
        let bytes = count(shape).map(|elements| elements * scalar.bytes());
        match bytes.and_then(|bytes| self.budget.0.get().checked_sub(bytes)) {
            Some(left) => {
                self.budget.0.set(left);
                Ok(())
            }
            None => Err(OnnxError::TooLarge {
                node: self.label.clone(),
                operator: self.operator().to_string(),
                shape: shape.to_vec(),
            }),
        }
    }

    /// Refuses arrays of more dimensions than any network has, before anything is done for each.
    pub(crate) fn dimensions(&self, rank: usize) -> Result<(), OnnxError> {
        match rank {
            ..=MAX_RANK => Ok(()),
            _ => {
                Err(self
                    .wrong(format!("makes an array of {rank} dimensions; at most {MAX_RANK} are possible")))
            }
        }
    }

    // Inputs.

    /// An input that must be there.
    pub(crate) fn input(&self, at: usize) -> Result<&Known, OnnxError> {
        self.optional(at).ok_or_else(|| self.wrong(format!("lacks its input {at}")))
    }

    /// An input that may be left out.
    pub(crate) fn optional(&self, at: usize) -> Option<&Known> {
        self.inputs.get(at)?.as_ref()
    }

    /// All inputs of an operator that takes any number of them, at least one.
    pub(crate) fn all(&self) -> Result<Vec<&Known>, OnnxError> {
        match self.arity() {
            0 => Err(self.wrong("has no inputs")),
            arity => (0..arity).map(|at| self.input(at)).collect(),
        }
    }

    /// The elements of an input that must be known while importing.
    pub(crate) fn constant(&self, at: usize) -> Result<&Tensor, OnnxError> {
        self.input(at)?.constant.as_ref().ok_or_else(|| OnnxError::DataDependentShape {
            node: self.label.clone(),
            operator: self.operator().to_string(),
            input: self.node.inputs[at].clone(),
        })
    }

    /// Whole numbers that must be known while importing.
    pub(crate) fn numbers(&self, at: usize) -> Result<Vec<i64>, OnnxError> {
        let tensor = self.constant(at)?;
        tensor.integers().ok_or_else(|| {
            self.wrong(format!("needs whole numbers of 32 or 64 bits as input {at}, not {}", tensor.scalar()))
        })
    }

    /// The same for an input that may be left out.
    pub(crate) fn optional_numbers(&self, at: usize) -> Result<Option<Vec<i64>>, OnnxError> {
        self.optional(at).map(|_| self.numbers(at)).transpose()
    }

    /// One number that must be known while importing.
    pub(crate) fn single<T: Element + Copy>(&self, at: usize) -> Result<T, OnnxError> {
        let tensor = self.constant(at)?;
        let elements = T::elements(tensor).ok_or_else(|| {
            self.wrong(format!("needs {} as input {at}, not {}", T::SCALAR, tensor.scalar()))
        })?;
        match elements.first() {
            Some(value) if elements.len() == 1 => Ok(*value),
            _ => Err(self.wrong(format!("needs one number as input {at}, not shape {:?}", tensor.shape()))),
        }
    }

    // Attributes.

    fn attribute(&self, name: &'a str) -> Option<&'a Attribute> {
        self.asked.borrow_mut().insert(name);
        self.node.attributes.get(name)
    }

    fn mistyped(&self, name: &str, value: &Attribute, wanted: &str) -> OnnxError {
        self.wrong(format!("has {} as attribute `{name}`, where {wanted} belongs", value.kind()))
    }

    /// A whole number, if the attribute is there.
    pub(crate) fn optional_int(&self, name: &'a str) -> Result<Option<i64>, OnnxError> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Int(value)) => Ok(Some(*value)),
            Some(other) => Err(self.mistyped(name, other, "a whole number")),
        }
    }

    /// A whole number.
    pub(crate) fn int(&self, name: &'a str, default: i64) -> Result<i64, OnnxError> {
        Ok(self.optional_int(name)?.unwrap_or(default))
    }

    /// Yes or no, written as a whole number.
    pub(crate) fn flag(&self, name: &'a str, default: bool) -> Result<bool, OnnxError> {
        Ok(self.int(name, i64::from(default))? != 0)
    }

    /// A number, if the attribute is there.
    pub(crate) fn optional_float(&self, name: &'a str) -> Result<Option<f32>, OnnxError> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Float(value)) => Ok(Some(*value)),
            Some(other) => Err(self.mistyped(name, other, "a number")),
        }
    }

    /// A number.
    pub(crate) fn float(&self, name: &'a str, default: f32) -> Result<f32, OnnxError> {
        Ok(self.optional_float(name)?.unwrap_or(default))
    }

    /// A word.
    pub(crate) fn text(&self, name: &'a str, default: &'a str) -> Result<&'a str, OnnxError> {
        match self.attribute(name) {
            None => Ok(default),
            Some(Attribute::Text(value)) => Ok(value),
            Some(other) => Err(self.mistyped(name, other, "a word")),
        }
    }

    /// Whole numbers, if the attribute is there.
    pub(crate) fn ints(&self, name: &'a str) -> Result<Option<&'a [i64]>, OnnxError> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Ints(values)) => Ok(Some(values)),
            Some(other) => Err(self.mistyped(name, other, "a list of whole numbers")),
        }
    }

    /// Numbers, if the attribute is there.
    pub(crate) fn floats(&self, name: &'a str) -> Result<Option<&'a [f32]>, OnnxError> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Floats(values)) => Ok(Some(values)),
            Some(other) => Err(self.mistyped(name, other, "a list of numbers")),
        }
    }

    /// An array, if the attribute is there.
    pub(crate) fn tensor(&self, name: &'a str) -> Result<Option<&'a Tensor>, OnnxError> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Tensor(value)) => Ok(Some(value)),
            Some(other) => Err(self.mistyped(name, other, "an array")),
        }
    }

    /// Whole numbers that older versions have as an attribute and newer ones as an input.
    pub(crate) fn list(&self, name: &'a str, input: usize) -> Result<Option<Vec<i64>>, OnnxError> {
        match self.ints(name)? {
            Some(values) => Ok(Some(values.to_vec())),
            None => self.optional_numbers(input),
        }
    }

    /// An attribute that says nothing which matters to results.
    pub(crate) fn ignore(&self, name: &'a str) {
        self.asked.borrow_mut().insert(name);
    }

    /// Refuses the node if it has an attribute that nobody asked for.
    pub(crate) fn finish(&self) -> Result<(), OnnxError> {
        let asked = self.asked.borrow();
        match self.node.attributes.keys().filter(|name| !asked.contains(name.as_str())).min() {
            Some(name) => Err(self.unsupported_with(name, "is not known in this use")),
            None => Ok(()),
        }
    }

    // Axes.

    /// A dimension of an array of this rank; negative numbers count from the last.
    pub(crate) fn axis(&self, axis: i64, rank: usize) -> Result<usize, OnnxError> {
        let from_start = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
        match from_start.and_then(|axis| usize::try_from(axis).ok()) {
            Some(axis) if axis < rank => Ok(axis),
            _ => Err(self.wrong(format!("names dimension {axis} of an array that has {rank}"))),
        }
    }

    /// Different dimensions of an array of this rank, in the order in which they are named.
    pub(crate) fn axes(&self, axes: &[i64], rank: usize) -> Result<Vec<usize>, OnnxError> {
        let mut found = vec![];
        for axis in axes {
            let axis = self.axis(*axis, rank)?;
            if found.contains(&axis) {
                return Err(self.wrong(format!("names dimension {axis} twice")));
            }
            found.push(axis);
        }
        Ok(found)
    }
}
