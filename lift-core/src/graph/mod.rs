//! Networks: graphs whose nodes are checked programs and whose edges are arrays.
//!
//! Each node is checked when it is added, for all sizes that the graph leaves open, as the checker checks a call in a
//! program. [`Graph::groups`] puts nodes together that are computed best in one: what is applied to each result of a
//! convolution, and what only moves data, costs no launch and no memory. [`Graph::linked`] makes one [`Plan`] of the groups'
//! plans. A network is then a plan like that of a single program.
//!
//! [`Plan`]: crate::kernel::Plan

mod arranged;
mod assemble;
mod error;
mod fuse;
mod link;
mod room;
mod spread;

use crate::compose::{ComposeError, Given, apart, fit};
use crate::expr::{Expr, Function, Local, Param, Size};
use crate::nat::{Answer, Condition, Facts, Nat, Var};
use crate::program::{Program, SizeError, Sizes};
use crate::scalar::Value as Number;
use crate::syntax::Site;
use crate::types::{Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use error::GraphError;
pub use fuse::{Group, Planned};
pub use link::InRows;

/// An array of a graph: one that it is given, or a result of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value {
    /// The graph that it belongs to.
    graph: u64,
    /// Index into [`Graph::edges`].
    index: usize,
}

/// A length of an array that a graph is given: a number, or the name of a size that stays open until the graph is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Length(Nat);

impl From<usize> for Length {
    fn from(length: usize) -> Length {
        Length(Nat::constant(i64::try_from(length).unwrap_or(i64::MAX)))
    }
}

impl From<&str> for Length {
    fn from(name: &str) -> Length {
        Length(Nat::var(&Var::size(name)))
    }
}

/// Where an array comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Maker {
    /// The caller passes it: the n-th parameter.
    Parameter(usize),
    /// A node computes it.
    Node,
}

/// An array between nodes.
#[derive(Clone, Debug)]
struct Edge {
    name: Arc<str>,
    ty: Type,
    maker: Maker,
    /// Is it the same in every run: weights, and what is computed of nothing else?
    constant: bool,
    /// Its value, if it is a number that is known.
    number: Option<Number>,
}

/// A program applied to arrays.
#[derive(Clone, Debug)]
struct Node {
    name: Arc<str>,
    program: Program,
    arguments: Vec<Value>,
    results: Vec<Value>,
}

/// A network, while it is put together and after that.
#[derive(Clone, Debug)]
pub struct Graph {
    id: u64,
    name: String,
    /// The sizes that stay open, in the order in which arrays mention them.
    sizes: Vec<Var>,
    /// What nodes demand of the sizes, each with the node.
    demands: Vec<(Condition, Arc<str>)>,
    edges: Vec<Edge>,
    /// The arrays that are passed, in order.
    parameters: Vec<Value>,
    nodes: Vec<Node>,
    outputs: Vec<(Arc<str>, Value)>,
    /// The names of outputs.
    returned: BTreeSet<String>,
    /// The arrays that are outputs.
    results: BTreeSet<Value>,
    names: BTreeSet<String>,
}

impl Graph {
    /// A graph without arrays and nodes.
    pub fn new(name: &str) -> Graph {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Graph {
            id: NUMBER.fetch_add(1, Ordering::Relaxed),
            name: name.to_string(),
            sizes: vec![],
            demands: vec![],
            edges: vec![],
            parameters: vec![],
            nodes: vec![],
            outputs: vec![],
            returned: BTreeSet::new(),
            results: BTreeSet::new(),
            names: BTreeSet::new(),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An array, or without lengths a number, that whoever runs the network passes; `constant` if it is the same in every run.
    ///
    /// # Errors
    /// A name that is taken; a length that no number can hold.
    pub fn parameter(
        &mut self,
        name: &str,
        scalar: Scalar,
        shape: &[Length],
        constant: bool,
    ) -> Result<Value, GraphError> {
        let ty =
            shape.iter().rev().fold(Type::Scalar(scalar), |ty, length| Type::array(ty, length.0.clone()));
        if let Some(length) = ty.lengths().into_iter().find(|n| n.as_constant() == Some(i64::MAX)) {
            return Err(GraphError::Length { name: name.to_string(), length: length.to_string() });
        }
        self.take(name)?;
        for var in ty.shape().0.into_iter().flat_map(Nat::vars) {
            if !self.sizes.contains(&var) {
                self.sizes.push(var);
            }
        }
        let maker = Maker::Parameter(self.parameters.len());
        let value = self.edge(Edge { name: Arc::from(name), ty, maker, constant, number: None });
        self.parameters.push(value);
        Ok(value)
    }

    /// A number that is the same in every run, and known: what it is applied to is compiled for it.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn number(&mut self, name: &str, number: Number) -> Result<Value, GraphError> {
        let value = self.parameter(name, number.scalar(), &[], true)?;
        self.edges[value.index].number = Some(number);
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
        let node = || name.to_string();
        let wrong = |error| GraphError::Argument { node: node(), error: Box::new(error) };
        let mut program = program.clone();
        for (size, value) in sizes {
            program = program.fixed(size, *value).map_err(wrong)?;
        }
        let (expected, got) = (program.params().len(), arguments.len());
        if expected != got {
            let program = program.name().to_string();
            return Err(GraphError::Arguments { node: node(), program, expected, got });
        }
        if arguments.iter().any(|value| !self.owns(*value)) {
            return Err(GraphError::Foreign { name: node() });
        }
        for (param, value) in program.params().iter().zip(arguments) {
            let edge = &self.edges[value.index];
            if param.ty.as_scalar().is_some() && edge.maker == Maker::Node {
                let (parameter, maker) = (param.local.name.to_string(), edge.name.to_string());
                return Err(GraphError::ComputedNumber { node: node(), parameter, maker });
            }
        }
        let (result, demands) = self.fitted(&node(), &program, arguments)?;
        let constant = arguments.iter().all(|value| self.edges[value.index].constant);
        // What changes from run to run is not worth a fingerprint, and the weights of a network are its own.
        let params = program.function.params.iter_mut().zip(arguments);
        params.for_each(|(param, value)| param.constant = self.edges[value.index].constant);
        let (program, arguments) = self.with_numbers(program, arguments).map_err(wrong)?;
        self.take(name)?;
        self.demands.extend(demands.into_iter().map(|demand| (demand, Arc::from(name))));
        let types = match result {
            Type::Tuple(parts) => parts.to_vec(),
            one => vec![one],
        };
        let several = types.len() > 1;
        let result = |(k, ty): (usize, Type)| {
            let name = if several { format!("{name}.{k}") } else { node() };
            self.edge(Edge { name: Arc::from(name), ty, maker: Maker::Node, constant, number: None })
        };
        let results: Vec<Value> = types.into_iter().enumerate().map(result).collect();
        self.nodes.push(Node { name: Arc::from(name), program, arguments, results: results.clone() });
        Ok(results)
    }

    /// A program with the numbers that are known in it, and its other arguments; as it is where it has no others.
    fn with_numbers(
        &self,
        program: Program,
        arguments: &[Value],
    ) -> Result<(Program, Vec<Value>), ComposeError> {
        let number = |value: &Value| self.edges[value.index].number;
        let others: Vec<Value> = arguments.iter().filter(|value| number(value).is_none()).copied().collect();
        if others.is_empty() {
            return Ok((program, arguments.to_vec()));
        }
        let mut with = program.clone();
        for (param, value) in program.params().iter().zip(arguments) {
            if let Some(number) = number(value) {
                with = with.with_number(&param.local.name, number)?;
            }
        }
        Ok((with, others))
    }

    /// Asks for an array: running the network returns it.
    ///
    /// # Errors
    /// A name that another output has; an array of another graph.
    pub fn output(&mut self, name: &str, value: Value) -> Result<(), GraphError> {
        if !self.owns(value) {
            return Err(GraphError::Foreign { name: name.to_string() });
        }
        if !self.returned.insert(name.to_string()) {
            return Err(GraphError::NameTaken { name: name.to_string() });
        }
        let again = !self.results.insert(value);
        let is_passed = self.edges[value.index].maker != Maker::Node;
        // Each output is an array of its own.
        let value = if again || is_passed { self.copied(name, value) } else { value };
        self.outputs.push((Arc::from(name), value));
        Ok(())
    }

    /// The same array once more, in memory of its own.
    fn copied(&mut self, name: &str, value: Value) -> Value {
        let edge = &self.edges[value.index];
        let (lengths, scalar) = edge.ty.shape();
        let sizes: Vec<Var> = (0..lengths.len()).map(|d| Var::size(&format!("D{d}"))).collect();
        let array = |ty, var: &Var| Type::array(ty, Nat::var(var));
        let ty = sizes.iter().rev().fold(scalar.clone(), array);
        let edge = Edge { name: Arc::from(name), maker: Maker::Node, ..edge.clone() };
        let (local, site) = (Local { name: Arc::from("x"), index: 0 }, Site::default());
        let program = Function {
            name: Arc::from("copy"),
            site,
            sizes: sizes.into_iter().map(|var| Size { var, site, tune: None }).collect(),
            params: vec![Param { local: local.clone(), ty: ty.clone(), site, constant: edge.constant }],
            result: ty,
            result_site: site,
            wheres: vec![],
            body: Expr::local(&local),
            strict: false,
        };
        let program = Program { function: program.number() };
        let result = self.edge(edge);
        let (name, arguments, results) = (Arc::from(name), vec![value], vec![result]);
        self.nodes.push(Node { name, program, arguments, results });
        result
    }

    /// The type of an array, in the graph's sizes.
    ///
    /// # Panics
    /// If it is of another graph.
    pub fn ty(&self, value: Value) -> &Type {
        assert!(self.owns(value), "an array of another network");
        &self.edges[value.index].ty
    }

    /// The names of the outputs, in order.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.outputs.iter().map(|(name, value)| (&**name, &self.edges[value.index].ty))
    }

    /// The arrays that are passed, in order: name and type, and whether it is constant.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&str, &Type, bool)> {
        let edges = self.parameters.iter().map(|value| &self.edges[value.index]);
        edges.map(|edge| (&*edge.name, &edge.ty, edge.constant))
    }

    /// The names of the sizes that stay open.
    pub fn sizes(&self) -> impl Iterator<Item = &str> {
        self.sizes.iter().map(|var| &*var.name)
    }

    /// Values for the sizes that stay open, in their order.
    ///
    /// # Errors
    /// Other names than the graph's; values that break what a node demands; a graph without outputs.
    pub fn at(&self, sizes: &[(&str, usize)]) -> Result<Sizes, GraphError> {
        if self.outputs.is_empty() {
            return Err(GraphError::NoOutput { graph: self.name.clone() });
        }
        let given: BTreeMap<&str, usize> = sizes.iter().copied().collect();
        if given.len() != sizes.len() || !given.keys().copied().eq(self.sizes().collect::<BTreeSet<_>>()) {
            let (expected, got) = (
                self.sizes().map(String::from).collect(),
                sizes.iter().map(|(n, _)| (*n).to_string()).collect(),
            );
            return Err(GraphError::Sizes { graph: self.name.clone(), expected, got });
        }
        let value = |var: &Var| (var.clone(), i64::try_from(given[&*var.name]).unwrap_or(i64::MAX));
        let sizes = Sizes(self.sizes.iter().map(value).collect());
        for (var, value) in &sizes.0 {
            if !(1..i64::MAX).contains(value) {
                return Err(GraphError::Length { name: var.name.to_string(), length: value.to_string() });
            }
        }
        for (clause, node) in &self.demands {
            if clause.eval(&|v| sizes.get(v)) != Ok(true) {
                let (node, clause, sizes) = (node.to_string(), clause.to_string(), sizes.to_string());
                return Err(GraphError::Broken { node, clause, sizes });
            }
        }
        Ok(sizes)
    }

    fn owns(&self, value: Value) -> bool {
        value.graph == self.id
    }

    /// Takes a name that nothing has.
    fn take(&mut self, name: &str) -> Result<(), GraphError> {
        match self.names.insert(name.to_string()) {
            true => Ok(()),
            false => Err(GraphError::NameTaken { name: name.to_string() }),
        }
    }

    fn edge(&mut self, edge: Edge) -> Value {
        self.edges.push(edge);
        Value { graph: self.id, index: self.edges.len() - 1 }
    }

    /// What is known of the sizes.
    fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        self.sizes.iter().for_each(|var| facts.size(var));
        self.demands.iter().for_each(|(demand, _)| facts.assume(demand));
        facts
    }

    /// The type of a program's result for these arguments, and what must hold for that and does not hold for all sizes.
    fn fitted(
        &self,
        node: &str,
        program: &Program,
        arguments: &[Value],
    ) -> Result<(Type, Vec<Condition>), GraphError> {
        let own: BTreeSet<String> = self.sizes().map(String::from).collect();
        let f = &apart(&program.function, &own, None);
        let edges: Vec<&Edge> = arguments.iter().map(|value| &self.edges[value.index]).collect();
        let whats: Vec<String> = edges
            .iter()
            .map(|edge| match edge.maker {
                Maker::Parameter(_) => format!("`{}`", edge.name),
                Maker::Node => format!("the result of `{}`", edge.name),
            })
            .collect();
        let parameters = f.params.iter().zip(&program.function.params);
        let given = parameters.zip(edges.iter().zip(&whats)).map(|((param, written), (edge, what))| Given {
            param,
            written: &written.ty,
            found: &edge.ty,
            what,
        });
        let fitted = fit(f, &given.collect::<Vec<_>>(), &[])
            .map_err(|error| GraphError::Argument { node: node.to_string(), error: Box::new(error) })?;
        let lookup = |v: &Var| fitted.sizes.get(v).cloned();
        let named = program.sizes().iter().zip(&f.sizes);
        if let Some((size, _)) = named.clone().find(|(_, size)| !fitted.sizes.contains_key(&size.var)) {
            let (program, size) = (program.name().to_string(), size.var.name.to_string());
            return Err(GraphError::Undetermined { node: node.to_string(), program, size });
        }
        // As the program has them, for messages, and in the graph's sizes.
        let stated = program.function.wheres.iter().zip(&f.wheres);
        let stated = stated.map(|((own, _), (clause, _))| (own.clone(), clause.substitute(&lookup)));
        let least = named.map(|(own, size)| {
            let clause = |var: &Var| Condition::ge(Nat::var(var), Nat::constant(f.least(&size.var)));
            (clause(&own.var), clause(&size.var).substitute(&lookup))
        });
        let demands = fitted.demands.iter().map(|demand| (demand.clone(), demand.clone()));
        let facts = self.facts();
        let mut open = vec![];
        for (own, clause) in stated.chain(least).chain(demands) {
            if facts.prove(&clause) == Answer::Proved || open.contains(&clause) {
                continue;
            }
            if facts.holds(&clause.clone().not()) {
                let types = edges.iter().zip(&whats).map(|(edge, what)| format!("{what}, {}", edge.ty));
                return Err(GraphError::Demand {
                    node: node.to_string(),
                    program: program.name().to_string(),
                    clause: own.to_string(),
                    arguments: types.collect::<Vec<_>>().join("; "),
                });
            }
            open.push(clause);
        }
        Ok((f.result.substitute(&lookup), open))
    }

    /// The shapes of a group's arguments at these sizes.
    ///
    /// # Errors
    /// A length that no number can hold.
    pub fn shapes(&self, group: &Group, sizes: &Sizes) -> Result<Vec<Vec<usize>>, SizeError> {
        group.arguments.iter().map(|value| self.shape(*value, sizes)).collect()
    }

    /// The shape of an array at these sizes.
    fn shape(&self, value: Value, sizes: &Sizes) -> Result<Vec<usize>, SizeError> {
        Program::shape(&self.edges[value.index].ty, sizes)
    }
}
