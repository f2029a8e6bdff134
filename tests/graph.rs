//! Networks: what is put together, what it computes, and what is said where arrays don't fit.

use lift::graph::{Graph, Length, Network, Value};
use lift::ndarray::{Array, Array1, ArrayD, IxDyn};
use lift::prelude::*;
use lift::tune::Goal;
use lift::{Argument, Program};
use lift_core::target::{Class, Description, Target};
use lift_core::types::Scalar;
use std::collections::BTreeMap;

lift! {
    /// Channels first, the batch outermost.
    pub fn conv<N, K, C, KH, KW, H, W, S, P>(
        const kernels: [[[[f32; KW]; KH]; C]; K],
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]; K]; N]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        map(
            |image| {
                let planes = map(|plane| slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, plane)), image);
                let windows = map(transpose, transpose(planes));
                map(
                    |kernel| map2D(
                        |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))),
                        windows,
                    ),
                    kernels,
                )
            },
            x,
        )
    }

    /// Channels in groups, each of which is computed from some of the input's.
    pub fn in_groups<N, G, M, C, H, W>(const kernels: [[[f32; C]; M]; G], x: [[[[f32; W]; H]; G * C]; N]) -> [[[[f32; W]; H]; G * M]; N] {
        map(|image| join(map(
            |(kernels, channels)| map(
                |kernel| map2D(
                    |pixel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(pixel, kernel)),
                    map(transpose, transpose(channels)),
                ),
                kernels,
            ),
            zip(kernels, split(C, image)),
        )), x)
    }

    /// Running totals of each column.
    pub fn totals<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        transpose(map(|column| scan(0.0, |acc, x| acc + x, column), transpose(rows)))
    }

    /// The same, each step with a name.
    pub fn named_totals<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        let columns = transpose(rows);
        let totals = map(|column| scan(0.0, |acc, x| acc + x, column), columns);
        transpose(totals)
    }

    /// Each row in pairs.
    pub fn pairs<N, M>(rows: [[f32; 2 * N]; M]) -> [[[f32; 2]; N]; M] {
        map(|row| split(2, row), rows)
    }

    pub fn halved<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map2D(|x| 0.5 * x, rows)
    }

    pub fn bias<N, K, H, W>(x: [[[[f32; W]; H]; K]; N], biases: [f32; K]) -> [[[[f32; W]; H]; K]; N] {
        map(|image| map(|(plane, b)| map2D(|v| v + b, plane), zip(image, biases)), x)
    }

    pub fn relu<N, K, H, W>(x: [[[[f32; W]; H]; K]; N]) -> [[[[f32; W]; H]; K]; N] {
        map(|image| map(|plane| map2D(|v| max(v, 0.0), plane), image), x)
    }

    pub fn add<N, K, H, W>(a: [[[[f32; W]; H]; K]; N], b: [[[[f32; W]; H]; K]; N]) -> [[[[f32; W]; H]; K]; N] {
        map(
            |(a, b)| map(|(a, b)| map(|(a, b)| map(|(a, b)| a + b, zip(a, b)), zip(a, b)), zip(a, b)),
            zip(a, b),
        )
    }

    pub fn sigmoid<N, K, H, W>(x: [[[[f32; W]; H]; K]; N]) -> [[[[f32; W]; H]; K]; N] {
        map(|image| map(|plane| map2D(|v| 1.0 / (1.0 + exp(-v)), plane), image), x)
    }

    pub fn product<N, K, H, W>(
        a: [[[[f32; W]; H]; K]; N],
        b: [[[[f32; W]; H]; K]; N],
    ) -> [[[[f32; W]; H]; K]; N] {
        map(|(a, b)| map(|(a, b)| map2D(|(v, w)| v * w, zip2D(a, b)), zip(a, b)), zip(a, b))
    }

    pub fn pool<N, K, H, W>(x: [[[[f32; W]; H]; K]; N]) -> [[[[f32; W / 2]; H / 2]; K]; N]
    where
        H >= 2,
        W >= 2,
    {
        map(
            |image| map(
                |plane| map2D(
                    |window| reduce(f32::NEG_INFINITY, |a, b| max(a, b), join(window)),
                    slide2D((2, 2), (2, 2), plane),
                ),
                image,
            ),
            x,
        )
    }

    pub fn cat<N, A, B, H, W>(
        a: [[[[f32; W]; H]; A]; N],
        b: [[[[f32; W]; H]; B]; N],
    ) -> [[[[f32; W]; H]; A + B]; N] {
        map(|(a, b)| concat(a, b), zip(a, b))
    }

    pub fn flatten<N, K, H, W>(x: [[[[f32; W]; H]; K]; N]) -> [[f32; K * H * W]; N] {
        map(|image| join(join(image)), x)
    }

    pub fn linear<N, M, K>(const weights: [[f32; K]; M], x: [[f32; K]; N]) -> [[f32; M]; N] {
        map(|row| map(|w| reduce(0.0, |acc, (a, b)| acc + a * b, zip(row, w)), weights), x)
    }

    pub fn scaled<N, M>(x: [[f32; M]; N], by: f32) -> [[f32; M]; N] {
        map(|row| map(|v| v * by, row), x)
    }

    pub fn root<M>(x: [f32; M]) -> [f32; M] {
        map(|v| sqrt(abs(v) + 0.5), x)
    }
}

/// A graph, and beside it what each node computes by the interpreter.
struct Both {
    graph: Graph,
    values: BTreeMap<Value, ArrayD<f32>>,
    inputs: Vec<ArrayD<f32>>,
    number: usize,
}

impl Both {
    fn new(name: &str) -> Both {
        Both { graph: Graph::new(name), values: BTreeMap::new(), inputs: vec![], number: 0 }
    }

    fn drawn(&mut self, shape: &[usize]) -> ArrayD<f32> {
        self.number += 1;
        let mut random = fastrand::Rng::with_seed(self.number as u64);
        Array::from_shape_simple_fn(IxDyn(shape), || random.f32() - 0.5)
    }

    fn input(&mut self, name: &str, lengths: &[Length], shape: &[usize]) -> Value {
        let array = self.drawn(shape);
        let value = self.graph.input(name, Scalar::F32, lengths).unwrap();
        self.inputs.push(array.clone());
        self.values.insert(value, array);
        value
    }

    fn constant(&mut self, name: &str, shape: &[usize]) -> Value {
        let array = self.drawn(shape);
        let value = self.graph.constant(name, array.clone()).unwrap();
        self.values.insert(value, array);
        value
    }

    fn apply(
        &mut self,
        name: &str,
        program: &Program,
        sizes: &[(&str, usize)],
        arguments: &[Value],
    ) -> Value {
        let [result] = self.graph.apply(name, program, sizes, arguments).unwrap()[..] else {
            panic!("{name}")
        };
        let free: Vec<usize> = sizes.iter().map(|(_, value)| *value).collect();
        let arrays: Vec<Argument> = arguments.iter().map(|value| (&self.values[value]).into()).collect();
        let [output] = <[_; 1]>::try_from(lift::interpret(program, &free, &arrays).unwrap()).unwrap();
        self.values.insert(result, output.into_array().unwrap());
        result
    }

    /// A convolution with all that usually follows it.
    fn layer(&mut self, name: &str, x: Value, kernels: &[usize], sizes: [usize; 2]) -> Value {
        let weights = self.constant(&format!("{name}.weights"), kernels);
        let biases = self.constant(&format!("{name}.biases"), &kernels[..1]);
        let sizes = [("S", sizes[0]), ("P", sizes[1])];
        let x = self.apply(name, conv::program(), &sizes, &[weights, x]);
        self.apply(&format!("{name}.bias"), bias::program(), &[], &[x, biases])
    }

    /// How many nodes are computed together in each step.
    fn nodes_of_steps(&self) -> Vec<usize> {
        let network = self.graph.compile_as_written(&Device::cpu(), &[]).unwrap();
        network.steps().iter().map(|step| step.nodes.len()).collect()
    }

    /// Compiles and runs it on every device, twice, and compares each output; how many launches a run has.
    fn agree(&self, outputs: &[Value], sizes: &[(&str, usize)]) -> usize {
        let mut launches = 0;
        for device in Device::all() {
            let mut networks = vec![self.graph.compile_as_written(&device, sizes).unwrap()];
            // To choose forms takes some seconds, and is much the same for all devices.
            networks.extend((device.name() == "cpu").then(|| self.graph.compile(&device, sizes).unwrap()));
            for network in networks {
                let inputs: Vec<Argument> = self.inputs.iter().map(Argument::from).collect();
                for _ in 0..2 {
                    let found = network.run(&inputs).unwrap();
                    for (found, value) in found.into_iter().zip(outputs) {
                        let (found, expected) = (found.into_array::<f32>().unwrap(), &self.values[value]);
                        assert_eq!(found.shape(), expected.shape());
                        let apart = (&found - expected).iter().fold(0.0f32, |most, x| most.max(x.abs()));
                        assert!(apart < 1e-4, "{device}: {apart}");
                    }
                }
                launches = network.memory().prepares.iter().filter(|prepares| !**prepares).count();
            }
        }
        launches
    }
}

/// A residual network: three kernels for its convolutions, one for pooling, one for the last layer.
#[test]
fn a_residual_network() {
    let mut net = Both::new("residual");
    let x = net.input("image", &["N".into(), 3.into(), "H".into(), "W".into()], &[2, 3, 12, 10]);
    let x = net.layer("first", x, &[8, 3, 3, 3], [1, 1]);
    let x = net.apply("first.relu", relu::program(), &[], &[x]);
    let x = net.apply("pool", pool::program(), &[], &[x]);
    let y = net.layer("second", x, &[8, 8, 3, 3], [1, 1]);
    let y = net.apply("second.relu", relu::program(), &[], &[y]);
    let y = net.layer("third", y, &[8, 8, 1, 1], [1, 0]);
    let sum = net.apply("sum", add::program(), &[], &[y, x]);
    let sum = net.apply("sum.relu", relu::program(), &[], &[sum]);
    let flat = net.apply("flat", flatten::program(), &[], &[sum]);
    let weights = net.constant("last.weights", &[5, 8 * 6 * 5]);
    let y = net.apply("last", linear::program(), &[], &[weights, flat]);
    net.graph.output("classes", y).unwrap();
    assert_eq!(net.graph.ty(sum).to_string(), "[[[[f32; (W / 2)]; (H / 2)]; 8]; N]".replace(['(', ')'], ""));
    let launches = net.agree(&[y], &[("N", 2), ("H", 12), ("W", 10)]);
    assert!((5..=6).contains(&launches), "{launches} launches");
    let (device, sizes) = (Device::cpu(), [("N", 2), ("H", 12), ("W", 10)]);
    let written = net.graph.compile_as_written(&device, &sizes).unwrap();
    let fewest = net.graph.compile_for(&device, &sizes, Goal::FewestKernels).unwrap();
    let kernels = |network: &Network| network.memory().prepares.iter().filter(|prepares| !**prepares).count();
    assert_eq!(kernels(&fewest), kernels(&written));
    assert_ne!(fewest.steps()[0].choice, written.steps()[0].choice);
    let inputs: Vec<Argument> = net.inputs.iter().map(Argument::from).collect();
    let [found, expected] = [fewest, written].map(|network| {
        let found = network.run(&inputs).unwrap().remove(0);
        found.into_array::<f32>().unwrap()
    });
    assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-4), "{found} {expected}");
}

/// What is asked for is kept, also where it could be computed inside its reader; each output is an array of its own, also where
/// it is an input or another output.
#[test]
fn outputs_of_every_kind() {
    let mut net = Both::new("outputs");
    let x = net.input("x", &["N".into(), 6.into()], &[3, 6]);
    let (weights, by) = (net.constant("weights", &[4, 6]), net.constant("by", &[]));
    let y = net.apply("product", linear::program(), &[], &[weights, x]);
    let z = net.apply("scaled", scaled::program(), &[], &[y, by]);
    for (name, value) in [("z", z), ("y", y), ("x", x), ("z again", z), ("weights", weights)] {
        net.graph.output(name, value).unwrap();
    }
    net.agree(&[z, y, x, z, weights], &[("N", 3)]);
}

/// What is put together along channels is written there by the kernels that make it, also where the whole is part of a larger one and
/// its parts are read by themselves, and where others lie between the rows of each.
#[test]
fn what_is_put_together_is_not_copied() {
    for pictures in [1, 2] {
        let mut net = Both::new("dense");
        let x = net.input("x", &[pictures.into(), 3.into(), 6.into(), 5.into()], &[pictures, 3, 6, 5]);
        let first = net.layer("first", x, &[4, 3, 3, 3], [1, 1]);
        let second = net.layer("second", first, &[3, 4, 3, 3], [1, 1]);
        let both = net.apply("both", cat::program(), &[], &[first, second]);
        let third = net.layer("third", both, &[5, 7, 3, 3], [1, 1]);
        let all = net.apply("all", cat::program(), &[], &[third, both]);
        let y = net.layer("fourth", all, &[2, 12, 1, 1], [1, 0]);
        net.graph.output("y", y).unwrap();
        net.graph.output("third", third).unwrap();
        // What is asked for is an array by itself.
        let launches = net.agree(&[y, third], &[]);
        assert!((4..=5).contains(&launches), "{launches} launches of {pictures} pictures");
    }
}

/// What is computed of each element of arrays that are put together is computed where each of them is made; it stays where it is
/// if one of them is read by others too.
#[test]
fn functions_of_elements_come_before_arrays_are_put_together() {
    for (shared, expected) in [(false, vec![4, 4, 1, 2, 2]), (true, vec![2, 2, 1, 2, 2, 2])] {
        let mut net = Both::new("joined");
        let x = net.input("x", &[1.into(), 3.into(), 6.into(), 5.into()], &[1, 3, 6, 5]);
        let first = net.layer("first", x, &[4, 3, 3, 3], [1, 1]);
        let second = net.layer("second", x, &[3, 3, 3, 3], [1, 1]);
        let both = net.apply("both", cat::program(), &[], &[first, second]);
        let both = net.apply("relu", relu::program(), &[], &[both]);
        let both = net.apply("sigmoid", sigmoid::program(), &[], &[both]);
        let third = net.layer("third", both, &[2, 7, 1, 1], [1, 0]);
        let fourth = net.layer("fourth", both, &[2, 7, 3, 3], [1, 1]);
        let mut outputs = vec![third, fourth];
        if shared {
            outputs.push(first);
        }
        for (k, value) in outputs.iter().enumerate() {
            net.graph.output(&format!("output {k}"), *value).unwrap();
        }
        let mut steps = net.nodes_of_steps();
        steps.sort_by_key(|nodes| std::cmp::Reverse(*nodes));
        let mut expected = expected;
        expected.sort_by_key(|nodes| std::cmp::Reverse(*nodes));
        assert_eq!(steps, expected);
        net.agree(&outputs, &[]);
    }
}

/// Where arrays are large there is no room, and where they are small there is what is left of that.
#[test]
fn groups_have_the_room_that_arrays_leave() {
    let mut graph = lift_core::graph::Graph::new("funnel");
    let x = graph.parameter("x", Scalar::F32, &["N".into(), 8.into(), 16.into(), 16.into()], false).unwrap();
    let mut values = vec![x];
    for (layer, channels) in [("first", 8), ("second", 2), ("third", 2)] {
        let inputs = [8, 8, 2][values.len() - 1];
        let shape = [channels, inputs, 1, 1].map(lift::graph::Length::from);
        let weights = graph.parameter(layer, Scalar::F32, &shape, true).unwrap();
        let arguments = [weights, values[values.len() - 1]];
        let name = format!("{layer}.conv");
        values.push(graph.apply(&name, conv::program(), &[("S", 1), ("P", 0)], &arguments).unwrap()[0]);
    }
    graph.output("y", values[3]).unwrap();
    let (groups, sizes) = (graph.groups(), graph.at(&[("N", 3)]).unwrap());
    assert_eq!(groups.len(), 3, "a sum over channels is no part of another");
    // The first makes 8 channels, the second reads them and makes 2, the third reads these and makes 2; what is passed to
    // every run and what never changes is not counted.
    let picture = 3 * 16 * 16 * 4;
    assert_eq!(graph.room(&groups, &sizes).unwrap(), [2 * picture, 0, 6 * picture]);
}

/// On a processor what a convolution makes for layers that keep its dimensions has channels as the innermost one, also where it is
/// put together; what is flattened or passed to the caller lies as it is written, and on GPUs all does.
#[test]
fn arrays_between_layers_lie_along_channels() {
    let mut graph = lift_core::graph::Graph::new("arranged");
    let x = graph.parameter("x", Scalar::F32, &["N".into(), 3.into(), 8.into(), 6.into()], false).unwrap();
    let layer = |graph: &mut lift_core::graph::Graph, name: &str, x: Value, shape: [usize; 2]| {
        let shape = [shape[0], shape[1], 3, 3].map(Length::from);
        let weights = graph.parameter(&format!("{name}.weights"), Scalar::F32, &shape, true).unwrap();
        graph.apply(name, conv::program(), &[("S", 1), ("P", 1)], &[weights, x]).unwrap()[0]
    };
    let first = layer(&mut graph, "first", x, [5, 3]);
    let pooled = graph.apply("pool", pool::program(), &[], &[first]).unwrap()[0];
    let second = layer(&mut graph, "second", pooled, [5, 5]);
    let third = layer(&mut graph, "third", second, [3, 5]);
    let both = graph.apply("both", cat::program(), &[], &[second, third]).unwrap()[0];
    let fourth = layer(&mut graph, "fourth", both, [4, 8]);
    let flat = graph.apply("flat", flatten::program(), &[], &[fourth]).unwrap()[0];
    let shape = [2, 48].map(Length::from);
    let weights = graph.parameter("linear.weights", Scalar::F32, &shape, true).unwrap();
    let y = graph.apply("linear", linear::program(), &[], &[weights, flat]).unwrap()[0];
    graph.output("y", y).unwrap();
    graph.output("fourth", fourth).unwrap();
    let sizes = graph.at(&[("N", 2)]).unwrap();
    let read = |target: &Target| -> Vec<Vec<usize>> {
        let (graph, groups) = graph.arranged(target);
        let shapes = groups.iter().map(|group| graph.shapes(group, &sizes).unwrap());
        shapes.flatten().filter(|shape| shape[0] == 2 && shape.len() == 4).collect()
    };
    let image = vec![2, 3, 8, 6];
    // What the third, `both` (of two), the fourth and the last read.
    let written = [[2, 5, 8, 6], [2, 5, 4, 3], [2, 5, 4, 3], [2, 5, 4, 3], [2, 3, 4, 3], [2, 8, 4, 3]];
    let all = |between: [[usize; 4]; 6]| {
        let last = vec![2, 4, 4, 3];
        [vec![image.clone()], between.map(|shape| shape.to_vec()).to_vec(), vec![last]].concat()
    };
    let as_written = all(written);
    let arranged = all(written.map(|[pictures, channels, h, w]| [pictures, h, w, channels]));
    assert_eq!(read(Device::cpu().target()), arranged);
    let gpu = Target::of(&Description {
        class: Class::Gpu,
        names: vec!["NVIDIA H200".into()],
        units: 132,
        clock: None,
        vector: 4,
        limits: Device::cpu().target().limits,
        features: Device::cpu().target().features,
    });
    assert_eq!(read(&gpu), as_written);
}

/// Vectors lie along positions where channels are in groups: arrays that such a layer reads or makes stay as they are.
#[test]
fn arrays_of_channels_in_groups_stay_as_they_are() {
    let mut graph = lift_core::graph::Graph::new("in_groups");
    let x = graph.parameter("x", Scalar::F32, &[1, 3, 8, 6].map(Length::from), false).unwrap();
    let mut layer = |name: &str, program: &Program, sizes: &[(&str, usize)], shape: &[usize], x: Value| {
        let shape: Vec<Length> = shape.iter().copied().map(Length::from).collect();
        let weights = graph.parameter(&format!("{name}.weights"), Scalar::F32, &shape, true).unwrap();
        graph.apply(name, program, sizes, &[weights, x]).unwrap()[0]
    };
    let sizes = [("S", 1), ("P", 1)];
    let first = layer("first", conv::program(), &sizes, &[4, 3, 3, 3], x);
    let second = layer("second", in_groups::program(), &[], &[2, 5, 2], first);
    let third = layer("third", conv::program(), &sizes, &[4, 10, 3, 3], second);
    let last = layer("last", conv::program(), &sizes, &[4, 4, 3, 3], third);
    graph.output("y", last).unwrap();
    let at = graph.at(&[]).unwrap();
    let (arranged, groups) = graph.arranged(Device::cpu().target());
    let shapes = groups.iter().map(|group| arranged.shapes(group, &at).unwrap());
    let read: Vec<Vec<usize>> = shapes.flatten().filter(|shape| shape[0] == 1).collect();
    assert_eq!(read, [[1, 3, 8, 6], [1, 4, 8, 6], [1, 10, 8, 6], [1, 8, 6, 4]].map(|shape| shape.to_vec()));
}

/// Whoever reads an array that is put together of many pieces would have to find the piece of each element.
#[test]
fn what_is_made_of_many_pieces_is_put_together_once() {
    let groups = |count: usize| {
        let mut graph = lift_core::graph::Graph::new("pieces");
        let x = graph.parameter("x", Scalar::F32, &[2, 500].map(Length::from), false).unwrap();
        // At no two equal distances.
        let places: Vec<usize> = (0..count).map(|k| k * (k + 3) / 2 % 90).collect();
        let gather = lift_operators::layout::gather(Scalar::F32, 2, 1, &places).unwrap();
        let first = graph.apply("first", &gather, &[], &[x]).unwrap()[0];
        let half = graph.apply("half", halved::program(), &[], &[first]).unwrap()[0];
        graph.output("y", half).unwrap();
        graph.groups().len()
    };
    assert_eq!((groups(20), groups(100)), (1, 2));
}

/// An array that a node is given twice is computed once, and put together with itself it is read through.
#[test]
fn what_is_given_twice() {
    let mut net = Both::new("twice");
    let x = net.input("x", &[1.into(), 3.into(), 6.into(), 5.into()], &[1, 3, 6, 5]);
    let y = net.layer("layer", x, &[4, 3, 3, 3], [1, 1]);
    let sum = net.apply("sum", add::program(), &[], &[y, y]);
    let both = net.apply("both", cat::program(), &[], &[sum, sum]);
    let z = net.layer("last", both, &[2, 8, 1, 1], [1, 0]);
    net.graph.output("z", z).unwrap();
    net.agree(&[z], &[]);
    assert_eq!(net.nodes_of_steps(), [3, 3]);
}

/// `x · sigmoid(x)` of several nodes is an epilogue of what computes `x`.
#[test]
fn what_is_combined_with_what_is_made_of_it() {
    let mut net = Both::new("swish");
    let x = net.input("x", &[1.into(), 3.into(), 6.into(), 5.into()], &[1, 3, 6, 5]);
    let y = net.layer("layer", x, &[4, 3, 3, 3], [1, 1]);
    let squashed = net.apply("sigmoid", sigmoid::program(), &[], &[y]);
    let swish = net.apply("swish", product::program(), &[], &[y, squashed]);
    let sum = net.apply("sum", add::program(), &[], &[swish, y]);
    let z = net.layer("last", sum, &[2, 4, 1, 1], [1, 0]);
    net.graph.output("z", z).unwrap();
    net.agree(&[z], &[]);
    assert_eq!(net.nodes_of_steps(), [5, 2]);
}

/// What follows from constants alone is prepared, and not computed again.
#[test]
fn what_is_made_of_weights_is_made_once() {
    let mut net = Both::new("prepared");
    let x = net.input("x", &[2.into(), 6.into(), 3.into(), 4.into()], &[2, 6, 3, 4]);
    let raw = net.constant("raw", &[6]);
    let roots = net.apply("roots", root::program(), &[], &[raw]);
    let again = net.apply("roots of roots", root::program(), &[], &[roots]);
    let y = net.apply("bias", bias::program(), &[], &[x, again]);
    net.graph.output("y", y).unwrap();
    assert_eq!(net.agree(&[y], &[]), 1);
    let network = net.graph.compile(&Device::cpu(), &[]).unwrap();
    assert_eq!(network.memory().prepares, [true, false]);
    assert_eq!(network.steps().iter().map(|step| step.nodes.len()).collect::<Vec<_>>(), [2, 1]);
}

/// Layers of one kind are built once. The first and the last differ from those between where arrays between layers lie as they are
/// best computed: callers' arrays lie as callers say.
#[test]
fn equal_layers_share_their_kernels() {
    let mut net = Both::new("tower");
    let mut x = net.input("x", &[1.into(), 4.into(), 7.into(), 7.into()], &[1, 4, 7, 7]);
    for layer in ["one", "two", "three", "four", "five"] {
        x = net.layer(layer, x, &[4, 4, 3, 3], [1, 1]);
        x = net.apply(&format!("{layer}.relu"), relu::program(), &[], &[x]);
    }
    net.graph.output("y", x).unwrap();
    net.agree(&[x], &[]);
    let network = net.graph.compile(&Device::cpu(), &[]).unwrap();
    assert_eq!((network.plan().modules.len(), network.steps().len()), (3, 5));
}

/// Messages name the layers and arrays as the user does.
#[test]
fn what_does_not_fit_is_said() {
    let mut net = Both::new("wrong");
    let x = net.input("image", &["N".into(), 3.into(), "H".into(), 32.into()], &[1, 3, 32, 32]);
    let first = net.layer("first", x, &[8, 3, 3, 3], [1, 1]);
    let weights = net.constant("second.weights", &[8, 16, 3, 3]);
    let small = net.constant("small.weights", &[8, 8, 99, 99]);
    let mut other = Graph::new("other");
    let foreign = other.constant("foreign", Array1::<f32>::zeros(3)).unwrap();
    let graph = &mut net.graph;
    let sizes = [("S", 1), ("P", 1)];
    let mut told = vec![
        graph.apply("second", conv::program(), &sizes, &[weights, first]).unwrap_err(),
        graph.apply("second", conv::program(), &sizes, &[small, first]).unwrap_err(),
        graph.apply("second", conv::program(), &sizes[..1], &[small, first]).unwrap_err(),
        graph.apply("second", conv::program(), &[("S", 0), ("P", 1)], &[weights, first]).unwrap_err(),
        graph.apply("second", conv::program(), &[("T", 1)], &[weights, first]).unwrap_err(),
        graph.apply("second", conv::program(), &sizes, &[weights]).unwrap_err(),
        graph.apply("second", bias::program(), &[], &[first, foreign]).unwrap_err(),
        graph.apply("first", relu::program(), &[], &[first]).unwrap_err(),
        graph.at(&[]).unwrap_err(),
    ];
    graph.output("y", first).unwrap();
    told.push(graph.at(&[("N", 1), ("W", 3)]).unwrap_err());
    told.push(graph.at(&[("N", 0), ("H", 32)]).unwrap_err());
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    let expected = include_str!("graph/messages.txt");
    if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
        std::fs::write("tests/graph/messages.txt", told.join("\n") + "\n").unwrap();
        return;
    }
    assert_eq!(told.join("\n") + "\n", expected);
}

/// Operations of the only group of a graph with one input, as it is written.
fn flops_as_written(graph: &lift_core::graph::Graph, input: &[usize]) -> u128 {
    let groups = graph.groups();
    let [group] = &groups[..] else { panic!("{} groups", groups.len()) };
    let sizes = group.program.solve(&[], &[input.to_vec()]).unwrap();
    let plan = lift::plan(&group.program, &sizes, &Target::default()).unwrap();
    lift::explain(&plan, None).launches.iter().map(|launch| launch.flops).sum()
}

/// A node that reads the elements of running totals is computed with these, column by column, also in the program as it is written: not
/// row by row, where each element would take the sum of its column.
#[test]
fn columns_that_are_computed_together_are_read_as_columns() {
    let mut net = Both::new("columns");
    let x = net.input("x", &[64.into(), 96.into()], &[64, 96]);
    let x = net.apply("totals", totals::program(), &[], &[x]);
    let x = net.apply("halved", halved::program(), &[], &[x]);
    net.graph.output("halves", x).unwrap();
    assert_eq!(net.agree(&[x], &[]), 1);

    let mut graph = lift_core::graph::Graph::new("columns");
    let x = graph.parameter("x", Scalar::F32, &[64.into(), 96.into()], false).unwrap();
    let x = graph.apply("totals", totals::program(), &[], &[x]).unwrap()[0];
    let x = graph.apply("halved", halved::program(), &[], &[x]).unwrap()[0];
    graph.output("halves", x).unwrap();
    assert_eq!(flops_as_written(&graph, &[64, 96]), 2 * 64 * 96);
}

/// What a node names and the next only moves is written to where it is moved: a column's totals are computed once.
#[test]
fn totals_that_are_only_moved_are_computed_once() {
    let mut net = Both::new("columns in pairs");
    let x = net.input("x", &[64.into(), 96.into()], &[64, 96]);
    let x = net.apply("totals", named_totals::program(), &[], &[x]);
    let x = net.apply("pairs", pairs::program(), &[], &[x]);
    net.graph.output("pairs", x).unwrap();
    assert_eq!(net.agree(&[x], &[]), 1);

    let mut graph = lift_core::graph::Graph::new("columns");
    let x = graph.parameter("x", Scalar::F32, &[64.into(), 96.into()], false).unwrap();
    let x = graph.apply("totals", named_totals::program(), &[], &[x]).unwrap()[0];
    let x = graph.apply("pairs", pairs::program(), &[], &[x]).unwrap()[0];
    graph.output("pairs", x).unwrap();
    assert_eq!(flops_as_written(&graph, &[64, 96]), 64 * 96);
}

/// Of two pictures, parts with as many channels as no vector has, in wholes that are parts of a larger one, of which one is also read by
/// itself.
#[test]
fn parts_lie_in_rows() {
    let mut net = Both::new("rows");
    let x = net.input("x", &[2.into(), 3.into(), 4.into(), 5.into()], &[2, 3, 4, 5]);
    let parts: Vec<_> =
        (0..4).map(|k| net.layer(&format!("layer {k}"), x, &[3 + k, 3, 3, 3], [1, 1])).collect();
    let left = net.apply("left", cat::program(), &[], &[parts[0], parts[1]]);
    let right = net.apply("right", cat::program(), &[], &[parts[2], parts[3]]);
    let whole = net.apply("whole", cat::program(), &[], &[right, left]);
    let y = net.layer("last", whole, &[2, 18, 3, 3], [1, 1]);
    let z = net.layer("of left", left, &[2, 7, 1, 1], [1, 0]);
    net.graph.output("y", y).unwrap();
    net.graph.output("z", z).unwrap();
    let launches = net.agree(&[y, z], &[]);
    assert!((6..=8).contains(&launches), "{launches} launches");
}
