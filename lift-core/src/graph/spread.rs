//! Functions of single elements, applied to arrays that were put together: `relu(concat(a, b)) = concat(relu(a), relu(b))`. Each
//! array gets the function before it is put together, and the kernel that makes the array computes it.

use super::{Edge, Graph, Group, Maker, Node, Value};
use crate::expr::{Expr, Kind, Local, Pattern};
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The same network with such functions before what puts the arrays together. A function stays where it is if any of the
    /// arrays is read by others too: it would have to be kept twice.
    pub(super) fn spread(&self) -> Graph {
        let mut graph = self.clone();
        let mut uses = Uses::of(&graph);
        // For each node that there was, those that are put before it, and the node unless it moved before another.
        let mut nodes: Vec<(Vec<Node>, Option<Node>)> = vec![];
        for node in std::mem::take(&mut graph.nodes) {
            let of = match node.arguments[..] {
                [whole] if is_of_elements(&node.program) => uses.alone(&graph, whole),
                _ => None,
            };
            let assembling = of.and_then(|at| nodes[at].1.clone().map(|node| (at, node)));
            match assembling.filter(|(_, assembling)| uses.is_movable(&graph, assembling)) {
                Some((at, assembling)) => {
                    let (before, whole) = graph.before(&assembling, &node);
                    before.iter().chain([&whole]).for_each(|node| uses.note(node, at));
                    nodes[at].0.extend(before);
                    nodes[at].1 = Some(whole);
                    nodes.push((vec![], None));
                }
                None => {
                    uses.note(&node, nodes.len());
                    nodes.push((vec![], Some(node)));
                }
            }
        }
        graph.nodes = nodes.into_iter().flat_map(|(before, node)| before.into_iter().chain(node)).collect();
        graph
    }

    /// A function of elements of each array that is put together, and the node that puts the results together.
    fn before(&mut self, assembling: &Node, function: &Node) -> (Vec<Node>, Node) {
        let parts = assembling.arguments.iter().map(|part| {
            let edge =
                Edge { name: function.name.clone(), maker: Maker::Node, ..self.edges[part.index].clone() };
            let result = self.edge(edge);
            Node { arguments: vec![*part], results: vec![result], ..function.clone() }
        });
        let before: Vec<Node> = parts.collect();
        let arguments = before.iter().map(|node| node.results[0]).collect();
        (before, Node { arguments, results: function.results.clone(), ..assembling.clone() })
    }
}

/// Who makes each array, and how often it is read.
struct Uses {
    maker: BTreeMap<Value, usize>,
    reads: BTreeMap<Value, usize>,
}

impl Uses {
    fn of(graph: &Graph) -> Uses {
        let mut reads = BTreeMap::new();
        let outputs = graph.outputs.iter().map(|(_, value)| value);
        for value in graph.nodes.iter().flat_map(|node| &node.arguments).chain(outputs) {
            *reads.entry(*value).or_insert(0) += 1;
        }
        Uses { maker: BTreeMap::new(), reads }
    }

    fn note(&mut self, node: &Node, at: usize) {
        self.maker.extend(node.results.iter().map(|value| (*value, at)));
        node.arguments.iter().for_each(|value| _ = self.reads.entry(*value).or_insert(1));
    }

    /// The number of the node that makes an array which one node reads and nobody asks for.
    fn alone(&self, graph: &Graph, value: Value) -> Option<usize> {
        let once = self.reads.get(&value) == Some(&1) && !graph.edges[value.index].constant;
        self.maker.get(&value).copied().filter(|_| once)
    }

    fn is_movable(&self, graph: &Graph, assembling: &Node) -> bool {
        assembling.arguments.iter().all(|part| self.alone(graph, *part).is_some())
            && Group::of(assembling).assembles()
    }
}

/// Is it a function of each element of its argument, the same for all elements and for arrays of all lengths?
fn is_of_elements(program: &Program) -> bool {
    let [param] = program.params() else { return false };
    let (lengths, _) = param.ty.shape();
    let open: BTreeSet<_> = lengths.iter().filter_map(|length| length.as_var()).collect();
    open.len() == lengths.len()
        && program.function.result == param.ty
        && program.function.wheres.is_empty()
        && of_each(&program.function.body, &param.local, lengths.len())
}

/// Is this a map of so many dimensions over a variable, whose function only computes with its element?
fn of_each(e: &Expr, local: &Local, dimensions: usize) -> bool {
    match (&*e.kind, e.as_map()) {
        (Kind::Let(Pattern::Local(name), value, body), _) if is_local(value, local) => {
            body.uses(local) == 0 && of_each(body, name, dimensions)
        }
        (_, Some((f, xs))) if dimensions > 0 => match &f.params[..] {
            [Pattern::Local(element)] => {
                is_local(xs, local) && f.body.uses(local) == 0 && of_each(&f.body, element, dimensions - 1)
            }
            _ => false,
        },
        _ => dimensions == 0 && of_scalars(e),
    }
}

fn is_local(e: &Expr, local: &Local) -> bool {
    matches!(&*e.kind, Kind::Local(found) if found == local)
}

/// Is it made of numbers and operators alone?
fn of_scalars(e: &Expr) -> bool {
    let mut all = true;
    e.visit(&mut |e| {
        all &= match &*e.kind {
            Kind::Local(_)
            | Kind::Literal(_)
            | Kind::Let(..)
            | Kind::Tuple(_)
            | Kind::Field(..)
            | Kind::Op(..)
            | Kind::Cast(..)
            | Kind::If(..)
            | Kind::Typed(..) => true,
            Kind::Array(_) | Kind::Size(_) | Kind::Test(_) | Kind::Apply(..) | Kind::Call(..) => false,
        };
    });
    all
}
