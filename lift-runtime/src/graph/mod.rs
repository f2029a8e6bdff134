//! Networks: graphs of checked programs, compiled as a whole.
//!
//! A [`Graph`] is put together in Rust: its nodes are programs that `lift!` checked, its edges arrays. Each node is
//! checked against the arrays that it is given when it is added, for all sizes that the graph leaves open. [`Graph::compile`]
//! puts nodes together that are computed best in one, chooses a form for each of what remains, equal ones once, and
//! makes one program for the device of all: its arrays stay there, share memory, and what is made of weights alone is made once.
//!
//! ```no_run
//! # use lift_runtime::{Device, Error, graph::{Graph, Length}};
//! # use lift_core::{Program, types::Scalar};
//! # use ndarray::{Array1, Array2};
//! # fn layers(linear: &Program, bias: &Program, relu: &Program) -> Result<(), Error> {
//! let mut graph = Graph::new("two_layers");
//! let mut x = graph.input("x", Scalar::F32, &["N".into(), 64.into()])?;
//! for layer in ["first", "second"] {
//!     let weights = graph.constant(&format!("{layer}.weights"), Array2::<f32>::ones((64, 64)))?;
//!     let biases = graph.constant(&format!("{layer}.biases"), Array1::<f32>::zeros(64))?;
//!     let product = graph.apply(layer, linear, &[], &[weights, x])?[0];
//!     let sum = graph.apply(&format!("{layer}.bias"), bias, &[], &[product, biases])?[0];
//!     x = graph.apply(&format!("{layer}.relu"), relu, &[], &[sum])?[0];
//! }
//! graph.output("y", x)?;
//! let network = graph.compile(&Device::best()?, &[("N", 16)])?;
//! let outputs = network.run(&[(&Array2::<f32>::ones((16, 64))).into()])?;
//! # Ok(())
//! # }
//! ```

mod compared;
mod kinds;
mod network;
mod search;

use crate::argument::Dense;
use crate::device::constants::fingerprint;
use crate::device::driver::Arguments;
use crate::signature::{Parameter, Signature};
use crate::there::Operand;
use crate::tune::{Choice, Goal, Likely};
use crate::{Argument, Device, Element, Error};
use lift_core::graph::{self, Planned};
use lift_core::kernel::{Plan, Role, Rows};
use lift_core::types::{Scalar, Type};
use lift_core::{Program, Sizes};
use ndarray::{ArrayBase, Data, Dimension};
use std::collections::BTreeMap;
use std::sync::Arc;

use kinds::{Chooser, Kinds, Turns, chosen};
pub use lift_core::graph::{GraphError, Length, Value};
pub use network::{Network, Step};
pub use search::{Searched, Searching};

/// A network, put together node by node.
#[derive(Clone)]
pub struct Graph {
    graph: graph::Graph,
    /// The values of constants, by their positions among the parameters.
    constants: BTreeMap<usize, Arc<Argument<'static>>>,
}

impl Graph {
    /// A graph without arrays and nodes.
    pub fn new(name: &str) -> Graph {
        Graph { graph: graph::Graph::new(name), constants: BTreeMap::new() }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        self.graph.name()
    }

    /// An array, or without lengths a number, that every run is passed. A name in place of a length is a size that stays
    /// open until the graph is compiled.
    ///
    /// # Errors
    /// A name that is taken; a length that no number can hold.
    pub fn input(&mut self, name: &str, scalar: Scalar, shape: &[Length]) -> Result<Value, GraphError> {
        self.graph.parameter(name, scalar, shape, false)
    }

    /// An array that never changes, such as weights; without dimensions, a number, which programs are compiled for.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn constant<T: Element, S: Data<Elem = T>, D: Dimension>(
        &mut self,
        name: &str,
        array: ArrayBase<S, D>,
    ) -> Result<Value, GraphError> {
        let shape: Vec<Length> = array.shape().iter().map(|length| Length::from(*length)).collect();
        let position = self.graph.parameters().len();
        // In standard layout, which runs need it in.
        let owned = T::owned(array.as_standard_layout().into_owned().into_dyn());
        let value = match owned.number() {
            Some(number) => self.graph.number(name, number)?,
            None => self.graph.parameter(name, T::SCALAR, &shape, true)?,
        };
        self.constants.insert(position, Arc::new(owned));
        Ok(value)
    }

    /// Applies a program to arrays: a node. `sizes` are the values of those of its sizes that no argument's shape
    /// determines, such as strides. The results, one or for a tuple several, are arrays for other nodes.
    ///
    /// # Errors
    /// Arguments that don't fit, in type, shape or number; sizes that are missing; conditions of the program that do not hold.
    pub fn apply(
        &mut self,
        name: &str,
        program: &Program,
        sizes: &[(&str, usize)],
        arguments: &[Value],
    ) -> Result<Vec<Value>, GraphError> {
        self.graph.apply(name, program, sizes, arguments)
    }

    /// Asks for an array: running the network returns it.
    ///
    /// # Errors
    /// A name that another output has; an array of another graph.
    pub fn output(&mut self, name: &str, value: Value) -> Result<(), GraphError> {
        self.graph.output(name, value)
    }

    /// Which of the parameters of the network's signature are constants, and not passed.
    pub fn constants(&self) -> Vec<bool> {
        self.graph.parameters().map(|(.., constant)| constant).collect()
    }

    /// The type of an array, in the graph's sizes.
    ///
    /// # Panics
    /// If it is of another graph.
    pub fn ty(&self, value: Value) -> &Type {
        self.graph.ty(value)
    }

    /// Values for the sizes that it leaves open, checked as [`Graph::compile`] checks them.
    ///
    /// # Errors
    /// Sizes that the graph does not have or does not admit; a graph without outputs.
    pub fn at(&self, sizes: &[(&str, usize)]) -> Result<Sizes, GraphError> {
        self.graph.at(sizes)
    }

    /// Builds the network for a device, with values for the sizes that it leaves open: each group of nodes in the form that is
    /// likely to be fast ([`crate::tune::Tuning::likely`]), which is the fastest that a search has found, if there was one. Forms that
    /// no search has found are not checked: they are right as far as the rules and the device's compiler are.
    ///
    /// # Errors
    /// Sizes that the graph does not have or does not admit, and everything that can go wrong in building.
    pub fn compile(&self, device: &Device, sizes: &[(&str, usize)]) -> Result<Network, Error> {
        self.compile_for(device, sizes, Goal::Moderate)
    }

    /// The same for a goal, which is one for each group, and not for all together: where starting a kernel is dear,
    /// [`Goal::FewestKernels`].
    ///
    /// # Errors
    /// As [`Graph::compile`].
    pub fn compile_for(
        &self,
        device: &Device,
        sizes: &[(&str, usize)],
        goal: Goal,
    ) -> Result<Network, Error> {
        self.compile_with(device, sizes, Turns::Together, &|tuning, like, room| {
            tuning.likely_among(like, room, goal)
        })
    }

    /// The same with each group of nodes in the best form that is known, checked and timed as [`crate::tune::Tuning::best`] does
    /// it, which takes some seconds for each that is new. The goal is one for each group, and not for all together.
    ///
    /// # Errors
    /// As [`Graph::compile`], and a goal that no form of a group reaches.
    pub fn compile_best(
        &self,
        device: &Device,
        sizes: &[(&str, usize)],
        goal: Goal,
    ) -> Result<Network, Error> {
        // What is timed is alone on the machine.
        self.compile_with(device, sizes, Turns::OneByOne, &|tuning, _, _| {
            let best = tuning.best(goal)?;
            Ok(Likely::alone(best.choice, best.compiled.plan().clone()))
        })
    }

    /// The same with each group of nodes as it is written: built soonest, and not fast.
    ///
    /// # Errors
    /// As [`Graph::compile`].
    pub fn compile_as_written(&self, device: &Device, sizes: &[(&str, usize)]) -> Result<Network, Error> {
        self.compile_with(device, sizes, Turns::Together, &|tuning, _, _| {
            let choice = Choice::default();
            let plan = tuning.plan(&choice)?;
            Ok(Likely::alone(choice, plan))
        })
    }

    fn compile_with(
        &self,
        device: &Device,
        sizes: &[(&str, usize)],
        turns: Turns,
        form: &Chooser<'_>,
    ) -> Result<Network, Error> {
        let sizes = self.graph.at(sizes)?;
        let (graph, groups) = self.graph.arranged(device.target());
        let kinds = Kinds::of(&graph, &groups, &sizes)?;
        let forms = chosen(&kinds, device, turns, form)?;
        let steps = kinds.steps;
        let plans: Vec<Plan> = forms.iter().map(|form| form.plan.clone()).collect();
        let in_rows = |kind: usize, rows: &BTreeMap<Role, Rows>| {
            forms[kind].tuning.plan_in_rows(&forms[kind].choice, rows)
        };
        let planned = groups.iter().zip(&steps).map(|(group, plan)| Planned { group, plan: *plan });
        let (plan, launches) = graph.linked(&sizes, &planned.collect::<Vec<_>>(), &plans, &in_rows)?;
        let signature = self.signature(&sizes)?;
        let parameters = self.graph.parameters().enumerate().zip(&signature.parameters);
        let constants = parameters.map(|((n, _), parameter)| {
            let constant = self.constants.get(&n).cloned();
            (parameter.name.clone(), constant)
        });
        let constants: Vec<(String, Option<Arc<Argument<'static>>>)> = constants.collect();
        let dense = constants.iter().map(|(name, constant)| match constant {
            Some(constant) => constant.dense(name).map(Some),
            None => Ok(None),
        });
        let dense = dense.collect::<Result<Vec<Option<Dense<'_>>>, Error>>()?;
        let operands = dense.iter().map(|d| Operand::Host(d.as_ref().map_or(&[][..], Dense::bytes)));
        let operands: Vec<Operand<'_>> = operands.collect();
        let fingerprint = fingerprint(&plan, Arguments { operands: &operands, constants: None });
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers, and linking them keeps the arrays'
        // sizes, which the checker found equal on both sides of each edge.
        let compiled = unsafe { device.load(plan, signature) }?.with_constants(fingerprint);
        let steps = groups.into_iter().zip(steps).zip(launches);
        let steps = steps.map(|((group, kind), launches)| Step {
            nodes: group.nodes.iter().map(|name| name.to_string()).collect(),
            choice: forms[kind].choice.clone(),
            launches,
        });
        let steps = steps.collect();
        let constants = constants.into_iter().map(|(_, constant)| constant).collect();
        Ok(Network { compiled, constants, steps })
    }

    fn signature(&self, sizes: &Sizes) -> Result<Signature, Error> {
        let scalar = |ty: &Type| ty.shape().1.as_scalar().unwrap_or(Scalar::F32);
        let mut parameters = vec![];
        for (name, ty, _) in self.graph.parameters() {
            parameters.push(Parameter {
                name: name.to_string(),
                scalar: scalar(ty),
                shape: Program::shape(ty, sizes)?,
                lengths: ty.shape().0.iter().map(|length| length.to_string()).collect(),
            });
        }
        let result = |(_, ty): (&str, &Type)| Ok((scalar(ty), Program::shape(ty, sizes)?));
        let results = self.graph.outputs().map(result).collect::<Result<_, Error>>()?;
        Ok(Signature { program: self.graph.name().to_string(), parameters, results })
    }
}
