//! Known arrays, compared with what ONNX's own documentation says of each operator.

use super::fold;
use crate::call::{Budget, Call, Known};
use crate::model::{Attribute, Node};
use crate::tensor::Tensor;
use ndarray::{ArrayD, arr0, arr1, arr2};

const OPSET: i64 = 17;

fn ints(array: impl Into<ArrayD<i64>>) -> Tensor {
    Tensor::I64(array.into().into_shared())
}

fn floats(array: impl Into<ArrayD<f32>>) -> Tensor {
    Tensor::F32(array.into().into_shared())
}

fn list(values: &[i64]) -> Tensor {
    Tensor::list(values)
}

/// The results of one node, or what is wrong with it.
fn apply(
    operator: &str,
    inputs: &[Tensor],
    attributes: &[(&str, Attribute)],
) -> Result<Option<Vec<Tensor>>, String> {
    let node = Node {
        operator: operator.to_string(),
        inputs: (0..inputs.len()).map(|at| format!("x{at}")).collect(),
        outputs: vec!["y".to_string()],
        attributes: attributes.iter().map(|(name, value)| (name.to_string(), value.clone())).collect(),
        ..Node::default()
    };
    let known: Vec<Known> = inputs.iter().cloned().map(Known::from).collect();
    let budget = Budget::default();
    let call = Call::new(&node, 0, OPSET, known.into_iter().map(Some).collect(), &budget);
    fold(&call).map_err(|e| e.to_string())
}

fn one(operator: &str, inputs: &[Tensor], attributes: &[(&str, Attribute)]) -> Tensor {
    let mut results = apply(operator, inputs, attributes).unwrap().unwrap();
    assert_eq!(results.len(), 1);
    results.remove(0)
}

fn refused(operator: &str, inputs: &[Tensor], attributes: &[(&str, Attribute)]) -> String {
    apply(operator, inputs, attributes).unwrap_err()
}

fn matrix() -> Tensor {
    ints(arr2(&[[1, 2, 3], [4, 5, 6]]).into_dyn())
}

#[test]
fn shapes_of_shapes() {
    let shape = one("Shape", &[matrix()], &[]);
    assert_eq!(shape, list(&[2, 3]));
    assert_eq!(one("Shape", &[matrix()], &[("start", Attribute::Int(-1))]), list(&[3]));
    let none = [("start", Attribute::Int(i64::MAX)), ("end", Attribute::Int(i64::MIN))];
    assert_eq!(one("Shape", &[matrix()], &none), list(&[]));
    assert_eq!(one("Size", &[matrix()], &[]), ints(arr0(6).into_dyn()));
    assert_eq!(one("Gather", &[shape.clone(), ints(arr0(-1).into_dyn())], &[]), ints(arr0(3).into_dyn()));
    let product = one("ReduceProd", &[shape], &[("keepdims", Attribute::Int(0))]);
    assert_eq!(product, ints(arr0(6).into_dyn()));
}

#[test]
fn arrays_are_moved() {
    assert_eq!(one("Reshape", &[matrix(), list(&[-1])], &[]), list(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(one("Reshape", &[matrix(), list(&[3, -1, 1])], &[]).shape(), [3, 2, 1]);
    assert_eq!(one("Reshape", &[matrix(), list(&[0, 3, 1])], &[]).shape(), [2, 3, 1]);
    let transposed = one("Transpose", &[matrix()], &[]);
    assert_eq!(transposed, ints(arr2(&[[1, 4], [2, 5], [3, 6]]).into_dyn()));
    assert_eq!(one("Reshape", &[transposed, list(&[6])], &[]), list(&[1, 4, 2, 5, 3, 6]));
    assert_eq!(one("Flatten", &[matrix()], &[("axis", Attribute::Int(0))]).shape(), [1, 6]);
    assert_eq!(one("Flatten", &[matrix()], &[("axis", Attribute::Int(2))]).shape(), [6, 1]);
    assert_eq!(one("Unsqueeze", &[matrix(), list(&[0, -1])], &[]).shape(), [1, 2, 3, 1]);
    assert_eq!(one("Squeeze", &[list(&[7])], &[]), ints(arr0(7).into_dyn()));
    let axis = [("axis", Attribute::Int(0))];
    assert_eq!(one("Concat", &[list(&[1]), list(&[]), list(&[2, 3])], &axis), list(&[1, 2, 3]));
    assert_eq!(one("Expand", &[list(&[1, 2]), list(&[2, 1])], &[]), ints(arr2(&[[1, 2], [1, 2]]).into_dyn()));
    assert_eq!(one("Tile", &[list(&[1, 2]), list(&[2])], &[]), list(&[1, 2, 1, 2]));
    let tiled = one("Tile", &[matrix(), list(&[2, 1])], &[]);
    assert_eq!(tiled, ints(arr2(&[[1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]).into_dyn()));
    // Of an array whose elements do not lie in order.
    let turned = one("Transpose", &[matrix()], &[]);
    let tiled = one("Tile", &[turned.clone(), list(&[1, 2])], &[]);
    assert_eq!(tiled, ints(arr2(&[[1, 4, 1, 4], [2, 5, 2, 5], [3, 6, 3, 6]]).into_dyn()));
    assert_eq!(one("Tile", &[matrix(), list(&[0, 2])], &[]).shape(), [0, 6]);
    assert_eq!(one("NonZero", &[list(&[0, 5, 0, 6])], &[]), ints(arr2(&[[1, 3]]).into_dyn()));
    let places = one("NonZero", &[ints(arr2(&[[0, 1], [0, 0], [2, 3]]).into_dyn())], &[]);
    assert_eq!(places, ints(arr2(&[[0, 2, 2], [1, 0, 1]]).into_dyn()));
    assert_eq!(one("NonZero", &[ints(ArrayD::zeros(vec![2, 0]))], &[]).shape(), [2, 0]);
    let sums = one("ReduceSum", &[turned, list(&[0])], &[("keepdims", Attribute::Int(1))]);
    assert_eq!(sums, ints(arr2(&[[6, 15]]).into_dyn()));
}

#[test]
fn parts_are_taken() {
    let part = |start, end, step| {
        one("Slice", &[list(&[0, 1, 2, 3, 4]), list(&[start]), list(&[end]), list(&[0]), list(&[step])], &[])
    };
    assert_eq!(part(1, 4, 2), list(&[1, 3]));
    assert_eq!(part(-1, i64::MIN, -1), list(&[4, 3, 2, 1, 0]));
    assert_eq!(part(3, 0, -2), list(&[3, 1]));
    assert_eq!(part(4, 1, 1), list(&[]));
    assert_eq!(part(0, i64::MAX, i64::MAX), list(&[0]));
}

#[test]
fn arrays_are_split() {
    let parts = |length: i64, outputs: usize, inputs: &[Tensor]| {
        let node = Node {
            operator: "Split".to_string(),
            inputs: vec!["x".to_string(); 1 + inputs.len()],
            outputs: vec!["y".to_string(); outputs],
            ..Node::default()
        };
        let whole = list(&(0..length).collect::<Vec<i64>>());
        let known: Vec<Known> = [whole].iter().chain(inputs).cloned().map(Known::from).collect();
        let budget = Budget::default();
        let call = Call::new(&node, 0, OPSET, known.into_iter().map(Some).collect(), &budget);
        fold(&call).map(Option::unwrap).map_err(|e| e.to_string())
    };
    assert_eq!(parts(4, 2, &[]).unwrap(), [list(&[0, 1]), list(&[2, 3])]);
    assert_eq!(parts(4, 2, &[list(&[1, 3])]).unwrap(), [list(&[0]), list(&[1, 2, 3])]);
    assert!(parts(5, 2, &[]).unwrap_err().contains("2 equal parts of 5"));
    assert!(parts(5, 2, &[list(&[1, 3])]).unwrap_err().contains("[1, 3]"));
    assert!(parts(5, 2, &[list(&[i64::MAX, i64::MAX])]).is_err());
}

#[test]
fn numbers_are_computed() {
    let pair = |operator, a: &[i64], b: &[i64]| one(operator, &[list(a), list(b)], &[]);
    assert_eq!(pair("Add", &[1, 2], &[10]), list(&[11, 12]));
    assert_eq!(pair("Sub", &[1, 2], &[10, 20]), list(&[-9, -18]));
    assert_eq!(pair("Mul", &[i64::MAX], &[2]), list(&[-2]));
    assert_eq!(pair("Div", &[7, -7], &[2]), list(&[3, -3]));
    assert_eq!(pair("Div", &[i64::MIN], &[-1]), list(&[i64::MIN]));
    assert_eq!(pair("Mod", &[7, -7], &[3]), list(&[1, 2]));
    assert_eq!(pair("Max", &[1, 9], &[5]), list(&[5, 9]));
    assert!(refused("Div", &[list(&[1]), list(&[0])], &[]).contains("not defined"));
    let halves = floats(arr1(&[0.5f32, -1.5]).into_dyn());
    assert_eq!(one("Floor", std::slice::from_ref(&halves), &[]), floats(arr1(&[0.0f32, -2.0]).into_dyn()));
    assert_eq!(one("Ceil", std::slice::from_ref(&halves), &[]), floats(arr1(&[1.0f32, -1.0]).into_dyn()));
    assert_eq!(one("Cast", &[halves], &[("to", Attribute::Int(7))]), list(&[0, -1]));
    let rows = one("ReduceSum", &[matrix(), list(&[-1])], &[]);
    assert_eq!(rows, ints(arr2(&[[6], [15]]).into_dyn()));
    let most =
        one("ReduceMax", &[matrix()], &[("axes", Attribute::Ints(vec![0])), ("keepdims", Attribute::Int(0))]);
    assert_eq!(most, list(&[4, 5, 6]));
}

#[test]
fn values_are_chosen() {
    let equal = one("Equal", &[list(&[-1, 2]), list(&[-1])], &[]);
    assert_eq!(equal, Tensor::Bool(arr1(&[true, false]).into_dyn().into_shared()));
    assert_eq!(one("Where", &[equal.clone(), list(&[7]), list(&[1, 2])], &[]), list(&[7, 2]));
    assert_eq!(one("Not", &[equal], &[]), Tensor::Bool(arr1(&[false, true]).into_dyn().into_shared()));
}

#[test]
fn arrays_are_made() {
    let range = |a, b, c| one("Range", &[a, b, c].map(|n: i64| ints(arr0(n).into_dyn())), &[]);
    assert_eq!(range(1, 6, 2), list(&[1, 3, 5]));
    assert_eq!(range(3, 0, -1), list(&[3, 2, 1]));
    assert_eq!(range(3, 0, 1), list(&[]));
    assert_eq!(one("Constant", &[], &[("value_ints", Attribute::Ints(vec![1, 2]))]), list(&[1, 2]));
    let seven = Attribute::Tensor(list(&[7]));
    let filled = one("ConstantOfShape", &[list(&[2, 2])], &[("value", seven)]);
    assert_eq!(filled, ints(arr2(&[[7, 7], [7, 7]]).into_dyn()));
    assert_eq!(one("ConstantOfShape", &[list(&[1])], &[]), floats(arr1(&[0.0f32]).into_dyn()));
}

/// Nothing is allocated because a file names a large number.
#[test]
fn memory_is_limited() {
    let large = 1 << 40;
    assert!(refused("ConstantOfShape", &[list(&[large])], &[]).contains("too much memory"));
    assert!(refused("ConstantOfShape", &[list(&[large, large, large])], &[]).contains("too much memory"));
    assert!(refused("ConstantOfShape", &[list(&[-1])], &[]).contains("[-1]"));
    assert!(refused("Expand", &[list(&[1]), list(&[large])], &[]).contains("too much memory"));
    assert!(refused("Expand", &[list(&[1]), list(&[large, large])], &[]).contains("can't make"));
    assert!(refused("Tile", &[list(&[1, 2]), list(&[large])], &[]).contains("too much memory"));
    // A gibibyte, and eight bytes more.
    assert!(refused("Tile", &[list(&[1]), list(&[(1 << 27) + 1])], &[]).contains("too much memory"));
    let range = [0, i64::MAX, 1].map(|n| ints(arr0(n).into_dyn()));
    assert!(refused("Range", &range, &[]).contains("too much memory"));
    let endless = [0, 1, 0].map(|n| ints(arr0(n).into_dyn()));
    assert!(refused("Range", &endless, &[]).contains("never comes to an end"));
}

#[test]
fn mistakes_are_named() {
    assert!(refused("Reshape", &[matrix(), list(&[4])], &[]).contains("can't make shape [4] of [2, 3]"));
    assert!(refused("Reshape", &[matrix(), list(&[-1, -1])], &[]).contains("[-1, -1]"));
    assert!(refused("Reshape", &[matrix(), list(&[0, 0, 0])], &[]).contains("[0, 0, 0]"));
    assert!(refused("Gather", &[list(&[1]), list(&[1])], &[]).contains("takes element 1 of 1"));
    assert!(refused("Add", &[list(&[1, 2]), list(&[1, 2, 3])], &[]).contains("[2] and [3]"));
    assert!(refused("Concat", &[list(&[1])], &[]).contains("does not say along which"));
    assert!(refused("Squeeze", &[matrix(), list(&[0])], &[]).contains("its length is not 1"));
    assert!(refused("Unsqueeze", &[matrix(), list(&[0, 0])], &[]).contains("twice"));
    assert!(refused("Transpose", &[matrix()], &[("perm", Attribute::Ints(vec![0, 0]))]).contains("twice"));
    let strange = [("colour", Attribute::Int(1))];
    assert!(refused("Identity", &[matrix()], &strange).contains("Identity with `colour` is not known"));
    let mistyped = [("to", Attribute::Text("int".to_string()))];
    assert!(refused("Cast", &[matrix()], &mistyped).contains("has a word as attribute `to`"));
    assert!(
        refused("Slice", &[matrix(), list(&[0]), list(&[1]), list(&[0]), list(&[0])], &[]).contains("0th")
    );
    assert_eq!(apply("Conv", &[matrix()], &[]), Ok(None));
}
