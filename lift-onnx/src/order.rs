//! In which order nodes are computed, and whether all that they need is there.
//!
//! Nothing here recurses: a network may have a hundred thousand nodes in a row.

use crate::error::OnnxError;
use crate::model::{Model, Node};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// How many nodes of a circle a message names.
const SHOWN: usize = 8;

/// The nodes that the model's outputs need, each after those whose results it reads; otherwise in the order of the file.
///
/// # Errors
/// [`OnnxError::DuplicateName`] if a name is computed twice, or computed and passed or stored;
/// [`OnnxError::MissingInput`] if a node or the model's list of outputs has a name that nothing stands for;
/// [`OnnxError::Cycle`] if nodes need each other.
pub(crate) fn order(model: &Model) -> Result<Vec<usize>, OnnxError> {
    let makers = makers(model)?;
    let reads = reads(model, &makers)?;
    let sorted = sorted(model, &reads)?;
    let needed = needed(model, &makers, &reads);
    Ok(sorted.into_iter().filter(|node| needed[*node]).collect())
}

/// For each name that a node computes, which one.
fn makers(model: &Model) -> Result<HashMap<&str, usize>, OnnxError> {
    let mut makers: HashMap<&str, usize> = HashMap::new();
    let inputs: HashMap<&str, ()> = model.inputs.iter().map(|input| (input.name.as_str(), ())).collect();
    for (index, node) in model.nodes.iter().enumerate() {
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            let result = |index: usize| format!("a result of {}", model.nodes[index].label(index));
            let first = if let Some(other) = makers.insert(name, index) {
                result(other)
            } else if model.constants.contains_key(name) {
                "a stored array".to_string()
            } else if inputs.contains_key(name.as_str()) {
                "an input".to_string()
            } else {
                continue;
            };
            return Err(OnnxError::DuplicateName { name: name.clone(), first, second: result(index) });
        }
    }
    Ok(makers)
}

/// For each node the nodes whose results it reads, after a look whether everything is there.
fn reads(model: &Model, makers: &HashMap<&str, usize>) -> Result<Vec<Vec<usize>>, OnnxError> {
    let inputs: HashMap<&str, ()> = model.inputs.iter().map(|input| (input.name.as_str(), ())).collect();
    let passed = |name: &str| model.constants.contains_key(name) || inputs.contains_key(name);
    let find = |name: &str, reader: &dyn Fn() -> String| match makers.get(name) {
        Some(maker) => Ok(Some(*maker)),
        None if passed(name) => Ok(None),
        None => Err(OnnxError::MissingInput { reader: reader(), name: name.to_string() }),
    };
    let mut reads = Vec::with_capacity(model.nodes.len());
    for (index, node) in model.nodes.iter().enumerate() {
        let reader = || described(index, node);
        let given = node.inputs.iter().filter(|name| !name.is_empty());
        let makers: Result<Vec<Option<usize>>, _> = given.map(|name| find(name, &reader)).collect();
        let mut makers: Vec<usize> = makers?.into_iter().flatten().collect();
        makers.sort_unstable();
        makers.dedup();
        reads.push(makers);
    }
    for name in &model.outputs {
        find(name, &|| "the model's list of outputs".to_string())?;
    }
    Ok(reads)
}

fn described(index: usize, node: &Node) -> String {
    format!("{} ({})", node.label(index), node.operator)
}

/// All nodes, each after those that it reads; of several that could be next the first in the file.
fn sorted(model: &Model, reads: &[Vec<usize>]) -> Result<Vec<usize>, OnnxError> {
    let mut readers = vec![vec![]; reads.len()];
    for (node, makers) in reads.iter().enumerate() {
        for maker in makers {
            readers[*maker].push(node);
        }
    }
    let mut waits: Vec<usize> = reads.iter().map(Vec::len).collect();
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..reads.len()).filter(|node| waits[*node] == 0).map(Reverse).collect();
    let mut sorted = Vec::with_capacity(reads.len());
    while let Some(Reverse(node)) = ready.pop() {
        sorted.push(node);
        for reader in &readers[node] {
            waits[*reader] -= 1;
            if waits[*reader] == 0 {
                ready.push(Reverse(*reader));
            }
        }
    }
    if sorted.len() == reads.len() { Ok(sorted) } else { Err(cycle(model, reads, &waits)) }
}

/// A circle among the nodes that wait for ever.
fn cycle(model: &Model, reads: &[Vec<usize>], waits: &[usize]) -> OnnxError {
    // Each node that waits reads one that waits: going from one to the next comes back to one that was seen.
    let waiting = |node: &usize| waits[*node] > 0;
    let mut seen: HashMap<usize, usize> = HashMap::new();
    let mut path = vec![];
    let mut next = (0..reads.len()).find(|node| waiting(node));
    while let Some(node) = next.filter(|node| !seen.contains_key(node)) {
        seen.insert(node, path.len());
        path.push(node);
        next = reads[node].iter().copied().find(|maker| waiting(maker));
    }
    let start = next.and_then(|node| seen.get(&node).copied()).unwrap_or(0);
    let mut circle = path.split_off(start);
    circle.reverse();
    let mut nodes: Vec<String> =
        circle.iter().take(SHOWN).map(|node| described(*node, &model.nodes[*node])).collect();
    if circle.len() > SHOWN {
        nodes.push(format!("and {} more", circle.len() - SHOWN));
    }
    OnnxError::Cycle { nodes }
}

/// Which nodes the model's outputs need.
fn needed(model: &Model, makers: &HashMap<&str, usize>, reads: &[Vec<usize>]) -> Vec<bool> {
    let mut needed = vec![false; reads.len()];
    let mut open: Vec<usize> =
        model.outputs.iter().filter_map(|name| makers.get(name.as_str()).copied()).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut needed[node], true) {
            open.extend(&reads[node]);
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::order;
    use crate::model::{Dim, Input, Model, Node};
    use crate::tensor::Tensor;
    use lift_core::types::Scalar;

    fn node(inputs: &[&str], outputs: &[&str]) -> Node {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        Node { operator: "Op".into(), inputs: names(inputs), outputs: names(outputs), ..Node::default() }
    }

    fn model(nodes: Vec<Node>, outputs: &[&str]) -> Model {
        let input = Input { name: "x".into(), scalar: Scalar::F32, dims: vec![Dim::Number(2)] };
        let outputs = outputs.iter().map(|name| name.to_string()).collect();
        Model { opset: 13, inputs: vec![input], outputs, nodes, ..Model::default() }
    }

    #[test]
    fn nodes_come_after_what_they_read() {
        let nodes = vec![
            node(&["b", "", "a"], &["c", ""]),
            node(&["a"], &["b"]),
            node(&["x", "x"], &["a"]),
            node(&["a"], &["unused"]),
        ];
        assert_eq!(order(&model(nodes, &["c"])).unwrap(), [2, 1, 0]);
        assert!(order(&model(vec![], &["x"])).unwrap().is_empty());
    }

    #[test]
    fn long_chains_need_no_stack() {
        const LENGTH: usize = 100_000;
        let name = |i: usize| if i == 0 { "x".to_string() } else { format!("v{i}") };
        let mut nodes: Vec<Node> = (0..LENGTH).map(|i| node(&[&name(i)], &[&name(i + 1)])).collect();
        nodes.reverse();
        let model = model(nodes, &[&name(LENGTH)]);
        assert!(order(&model).unwrap().into_iter().eq((0..LENGTH).rev()));
    }

    #[test]
    fn long_circles_need_no_stack() {
        const LENGTH: usize = 100_000;
        let nodes =
            (0..LENGTH).map(|i| node(&[&format!("v{i}")], &[&format!("v{}", (i + 1) % LENGTH)])).collect();
        let message = order(&model(nodes, &["v0"])).unwrap_err().to_string();
        assert!(message.contains("node 0 (Op)") || message.contains("and 99992 more"), "{message}");
    }

    #[test]
    fn circles_are_named() {
        let nodes = vec![
            node(&["x"], &["a"]),
            node(&["a", "d"], &["b"]),
            node(&["b"], &["c"]),
            node(&["c"], &["d"]),
            node(&["d"], &["e"]),
        ];
        let message = order(&model(nodes, &["e"])).unwrap_err().to_string();
        let circle = "node 2 (Op), node 3 (Op), node 1 (Op)";
        assert!(message.ends_with(circle), "{message}");
        let message = order(&model(vec![node(&["a"], &["a"])], &["a"])).unwrap_err().to_string();
        assert!(message.ends_with("node 0 (Op)"), "{message}");
    }

    #[test]
    fn names_without_values_are_named() {
        let message = order(&model(vec![node(&["y"], &["a"])], &["a"])).unwrap_err().to_string();
        assert!(message.starts_with("node 0 (Op) needs `y`"), "{message}");
        let message = order(&model(vec![], &["y"])).unwrap_err().to_string();
        assert!(message.starts_with("the model's list of outputs needs `y`"), "{message}");
    }

    #[test]
    fn names_stand_for_one_value() {
        let twice = model(vec![node(&["x"], &["a"]), node(&["x"], &["a"])], &["a"]);
        let message = order(&twice).unwrap_err().to_string();
        assert_eq!(message, "the name `a` is used for a result of node 0 and for a result of node 1");
        let message = order(&model(vec![node(&["x"], &["x"])], &["x"])).unwrap_err().to_string();
        assert_eq!(message, "the name `x` is used for an input and for a result of node 0");
        let mut stored = model(vec![node(&["x"], &["w"])], &["w"]);
        stored.constants.insert("w".into(), Tensor::list(&[1]));
        assert!(order(&stored).unwrap_err().to_string().contains("for a stored array and"));
        let same = model(vec![node(&["x"], &["a", "a"])], &["a"]);
        assert!(order(&same).is_err());
    }
}
