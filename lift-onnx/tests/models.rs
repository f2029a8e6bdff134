//! What becomes of models as a whole: names, sizes, mistakes in words, and long networks.

mod common;

use common::Length::{Named, Number, Open};
use common::{float, floats, input, ints, list, model, node, npy, output, small};
use lift::{Argument, Device};
use lift_onnx::{Model, OnnxError, Recipe, Tensor};
use ndarray::{ArrayD, IxDyn};

fn recipe(parts: &[Vec<u8>]) -> Result<Recipe, OnnxError> {
    Model::from_bytes(&model(13, parts)).unwrap().recipe(&[])
}

fn refused(parts: &[Vec<u8>]) -> String {
    recipe(parts).unwrap_err().to_string()
}

fn x() -> Vec<u8> {
    input("x", &[Number(1), Number(2), Number(4), Number(4)])
}

/// The only result of a model for ones.
fn of_ones(bytes: &[u8], dims: &[(&str, usize)], shape: &[usize]) -> Tensor {
    let graph = Model::from_bytes(bytes).unwrap().graph(dims).unwrap();
    let network = graph.compile_as_written(&Device::cpu(), &[]).unwrap();
    let ones = ArrayD::<f32>::ones(IxDyn(shape));
    let mut outputs = network.run(&[Argument::from(&ones)]).unwrap();
    assert_eq!(outputs.len(), 1);
    npy::tensor(outputs.remove(0))
}

#[test]
fn a_model_is_computed() {
    let result = of_ones(&small(), &[("batch", 2)], &[2, 1, 4, 4]);
    assert_eq!(result.shape(), [2, 32]);
    let found = npy::numbers(&result);
    // A corner of the first channel sees 4 ones, one of the second too: by halves, less the mean, by the deviation.
    let corner = (2.0 - 0.1) / (1.0f64 + 1e-5).sqrt();
    assert!((found[0] - corner).abs() < 1e-5, "{}", found[0]);
    let corner = 2.0 * (2.0 - 0.2) / (4.0f64 + 1e-5).sqrt() - 1.0;
    assert!((found[16] - corner).abs() < 1e-5, "{}", found[16]);
}

#[test]
fn open_dimensions_get_numbers() {
    let dims = [Named("batch"), Number(2), Named("height"), Open];
    let parts = [input("x", &dims), node("Relu", &["x"], &["y"], &[]), output("y")];
    let model = Model::from_bytes(&model(13, &parts)).unwrap();
    let recipe = model.recipe(&[("height", 3), ("x[3]", 5)]).unwrap();
    assert_eq!(recipe.arrays[recipe.inputs[0]].shape, [1, 2, 3, 5]);
    let message = |dims: &[(&str, usize)]| model.recipe(dims).unwrap_err().to_string();
    assert_eq!(message(&[("height", 3)]), "dimension 3 of input `x` is left open; give a number for `x[3]`");
    assert_eq!(
        message(&[("height", 3), ("x[3]", 5), ("width", 5)]),
        "the model has no open dimension `width`; it has `batch`, `height`, `x[3]`"
    );
    assert!(message(&[("height", 0), ("x[3]", 5)]).contains("it has no elements"));
    assert!(message(&[("height", usize::MAX), ("x[3]", 5)]).contains("no memory is as large"));
}

/// Exporters give lengths that they don't know one name, which is none, and each operator the attributes of all its modes.
#[test]
fn what_exporters_write_is_understood() {
    let dims = [Number(1), Number(1), Named("?"), Named("?")];
    let scales = floats("s", &[4], &[1.0, 1.0, 2.0, 2.0]);
    let attributes = [common::float("cubic_coeff_a", -0.75)];
    let parts =
        [input("x", &dims), scales, node("Resize", &["x", "", "s"], &["y"], &attributes), output("y")];
    let larger = of_ones(&model(13, &parts), &[("x[2]", 2), ("x[3]", 3)], &[1, 1, 2, 3]);
    assert_eq!(larger.shape(), [1, 1, 4, 6]);
}

#[test]
fn what_is_not_supported_is_named() {
    let one = |operator: &str, attributes: &[Vec<u8>]| {
        refused(&[x(), node(operator, &["x"], &["y"], attributes), output("y")])
    };
    assert_eq!(one("NoSuchOperator", &[]), "node 0 can't be imported: NoSuchOperator is not supported");
    assert_eq!(
        one("Relu", &[common::int("slope", 1)]),
        "node 0 can't be imported: Relu with `slope` is not known in this use"
    );
    let pool = [ints("kernel_shape", &[2, 2])];
    let two = refused(&[x(), node("MaxPool", &["x"], &["y", "z"], &pool), output("z")]);
    assert_eq!(two, "node 0 can't be imported: MaxPool has no result 1 here, which `z` is");
    let computed = refused(&[x(), node("Reshape", &["x", "x"], &["y"], &[]), output("y")]);
    assert_eq!(
        computed,
        "node 0 can't be imported: Reshape needs the elements of `x` to know its result's shape, but they are only known \
         when the network runs"
    );
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let conv = |shape: &[i64], attributes: &[Vec<u8>]| {
        let count = shape.iter().product::<i64>() as usize;
        let weights = floats("w", shape, &vec![1.0; count]);
        refused(&[x(), weights, node("Conv", &["x", "w"], &["y"], attributes), output("y")])
    };
    let channels = conv(&[3, 5, 2, 2], &[]);
    assert_eq!(
        channels,
        "node 0 is wrong: Conv can't apply kernels of shape [3, 5, 2, 2] to shape [1, 2, 4, 4] in 1 groups"
    );
    assert!(conv(&[3, 2, 5, 5], &[]).starts_with("node 0 is wrong: Conv can't be applied: `conv` requires"));
    assert!(
        conv(&[3, 2, 2, 2], &[ints("strides", &[1])])
            .contains("[1] as `strides`, where 2 numbers of at least 1")
    );
    assert!(conv(&[3, 2, 2, 2], &[ints("pads", &[-1, 0, 0, 0])]).contains("as `pads`"));
    let lacking = refused(&[x(), node("Conv", &["x"], &["y"], &[]), output("y")]);
    assert_eq!(lacking, "node 0 is wrong: Conv lacks its input 1");
    let sum =
        refused(&[x(), floats("w", &[3], &[0.0; 3]), node("Add", &["x", "w"], &["y"], &[]), output("y")]);
    assert!(sum.contains("can't combine arrays of shapes [[1, 2, 4, 4], [3]]"), "{sum}");
    let wrong = refused(&[x(), list("w", &[1]), node("Add", &["x", "w"], &["y"], &[]), output("y")]);
    assert!(wrong.starts_with("node 0 can't be imported: Add with `w` of type i64"), "{wrong}");
    let parts = [x(), list("p", &[0, 0, 1, 1, 0, 0, 1, 1]), list("v", &[0])];
    let wrong = refused(&[&parts[..], &[node("Pad", &["x", "p", "v"], &["y"], &[]), output("y")]].concat());
    assert_eq!(wrong, "node 0 is wrong: Pad pads an array of f32 with i64");
}

#[test]
fn nodes_that_nobody_reads_are_left_out() {
    let parts = [
        x(),
        node("Relu", &["x"], &["y"], &[]),
        node("NoSuchOperator", &["y"], &["unused"], &[]),
        output("y"),
    ];
    assert_eq!(recipe(&parts).unwrap().steps.len(), 1);
}

#[test]
fn results_may_be_inputs_and_constants() {
    let parts = [x(), list("w", &[1, 2]), output("w")];
    let graph = Model::from_bytes(&model(13, &parts)).unwrap().graph(&[]).unwrap();
    let network = graph.compile_as_written(&Device::cpu(), &[]).unwrap();
    let ones = ArrayD::<f32>::ones(IxDyn(&[1, 2, 4, 4]));
    let result = network.run(&[Argument::from(&ones)]).unwrap().remove(0);
    assert_eq!(npy::tensor(result), Tensor::list(&[1, 2]));
    let same = of_ones(&model(13, &[x(), output("x")]), &[], &[1, 2, 4, 4]);
    assert_eq!(npy::numbers(&same), [1.0; 32]);
}

/// Names of a model are anything: those of nodes and arrays may be the same, and empty.
#[test]
fn names_may_be_anything() {
    let strange = "0 conv/7x7:0 \"é\"\n";
    let named = |operator: &str, from: &str, to: &str| {
        let content =
            [common::bytes(1, from), common::bytes(2, to), common::bytes(3, "x"), common::bytes(4, operator)];
        common::bytes(1, content.concat())
    };
    let parts = [x(), named("Relu", "x", strange), named("Exp", strange, "int"), output("int")];
    let result = of_ones(&model(13, &parts), &[], &[1, 2, 4, 4]);
    assert!(npy::numbers(&result).iter().all(|x| (x - 1f64.exp()).abs() < 1e-6));
}

#[test]
fn long_networks_need_no_stack() {
    const LENGTH: usize = 100_000;
    let name = |i: usize| if i == 0 { "x".to_string() } else { format!("v{i}") };
    let mut parts = vec![input("x", &[Number(2)])];
    parts.extend((0..LENGTH).map(|i| node("Relu", &[&name(i)], &[&name(i + 1)], &[])));
    parts.push(output(&name(LENGTH)));
    let recipe = recipe(&parts).unwrap();
    assert_eq!(recipe.steps.len(), LENGTH);
    recipe.graph("long").unwrap();
}

/// What is multiplied and added by known numbers one after the other is one step, unless somebody else wants what is between.
#[test]
fn products_and_sums_with_known_numbers_are_one_step() {
    let channels = |name: &str, numbers: [f32; 2]| floats(name, &[2], &numbers);
    let column = |name: &str, numbers: [f32; 2]| floats(name, &[2, 1, 1], &numbers);
    let before = [
        x(),
        channels("scale", [1.0, 3.0]),
        channels("shift", [1.0, -1.0]),
        channels("mean", [0.5, 2.0]),
        channels("variance", [4.0, 0.25]),
        column("a", [2.0, -1.0]),
        column("b", [0.5, 7.0]),
        floats("two", &[], &[2.0]),
        floats("row", &[4], &[1.0, 2.0, 3.0, 4.0]),
        floats("huge", &[1], &[3e38]),
        node("BatchNormalization", &["x", "scale", "shift", "mean", "variance"], &["n"], &[]),
    ];
    let parts = |nodes: &[Vec<u8>]| [&before, nodes].concat();
    let binary = |operator: &str, a: &str, b: &str, to: &str| node(operator, &[a, b], &[to], &[]);
    // The first element of each channel, of ones: 1 is (1 − 0.5) / 2 + 1 and 3 · (1 − 2) / 0.5 − 1 after the normalisation.
    let firsts = |parts: &[Vec<u8>]| {
        let found = npy::numbers(&of_ones(&model(13, parts), &[], &[1, 2, 4, 4]));
        [found[0], found[16]]
    };
    let close = |found: [f64; 2], expected: [f64; 2]| {
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs());
        assert!(near, "{found:?} instead of {expected:?}");
    };
    let steps = |parts: &[Vec<u8>]| recipe(parts).unwrap().steps.len();

    let chain = parts(&[
        binary("Mul", "n", "a", "m"),
        binary("Add", "b", "m", "p"),
        binary("Sub", "p", "two", "q"),
        output("q"),
    ]);
    assert_eq!(steps(&chain), 1);
    close(firsts(&chain), [2.0 * 1.25 + 0.5 - 2.0, 7.0 + 7.0 - 2.0]);
    // Nothing is left of the numbers that it was made of.
    let arrays = recipe(&chain).unwrap().arrays;
    assert_eq!(arrays.len(), 4, "{:?}", arrays.iter().map(|array| &array.name).collect::<Vec<_>>());

    let products = parts(&[binary("Mul", "x", "a", "m"), binary("Mul", "two", "m", "q"), output("q")]);
    assert_eq!(steps(&products), 1);
    close(firsts(&products), [4.0, -2.0]);
    let sums = parts(&[binary("Add", "x", "b", "m"), binary("Add", "m", "two", "q"), output("q")]);
    assert_eq!(steps(&sums), 1);
    close(firsts(&sums), [3.5, 10.0]);

    let wanted = parts(&[binary("Mul", "n", "a", "m"), binary("Add", "m", "n", "q"), output("q")]);
    assert_eq!(steps(&wanted), 3, "the normalisation is read twice");
    close(firsts(&wanted), [3.0 * 1.25, 0.0]);
    let result = parts(&[binary("Mul", "n", "a", "m"), output("n"), output("m")]);
    assert_eq!(steps(&result), 2, "the normalisation is a result");
    let larger = parts(&[binary("Mul", "x", "a", "m"), binary("Mul", "m", "row", "q"), output("q")]);
    assert_eq!(steps(&larger), 2, "a number for each channel and column is more than two and four");
    close(firsts(&larger), [2.0, -1.0]);
    let overflow = parts(&[
        binary("Mul", "x", "huge", "m"),
        binary("Sub", "m", "huge", "z"),
        binary("Mul", "z", "two", "q"),
        output("q"),
    ]);
    assert_eq!(steps(&overflow), 2, "twice the number is none");
    close(firsts(&overflow), [0.0, 0.0]);
    let other = parts(&[binary("Mul", "x", "a", "m"), binary("Sub", "two", "m", "q"), output("q")]);
    assert_eq!(steps(&other), 2);
    close(firsts(&other), [0.0, 3.0]);
}

/// Numbers that are attributes are known as well.
#[test]
fn factors_of_a_product_of_matrices_join_what_is_added() {
    let parts = [
        input("x", &[Number(1), Number(2)]),
        floats("w", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        floats("c", &[3], &[2.0, 4.0, 6.0]),
        node("Gemm", &["x", "w", "c"], &["y"], &[float("alpha", 3.0), float("beta", 0.5)]),
        output("y"),
    ];
    let found = npy::numbers(&of_ones(&model(13, &parts), &[], &[1, 2]));
    assert_eq!(found, [3.0 * 5.0 + 1.0, 3.0 * 7.0 + 2.0, 3.0 * 9.0 + 3.0]);
    // The product, then three times that with half of what is added.
    assert_eq!(recipe(&parts).unwrap().steps.len(), 2);
}
