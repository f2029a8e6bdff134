//! Nodes with random arrays and attributes, most of them senseless: each becomes steps, or is refused in words.

use lift_core::types::Scalar;
use lift_onnx::{Attribute, Dim, Input, Model, Node, Tensor};
use std::time::{Duration, Instant};

/// Operators, with the names of their attributes that are numbers, lists of numbers, and words.
type Names = &'static [&'static str];
const OPERATORS: &[(&str, Names, Names, Names)] = &[
    ("Conv", &["group"], &["pads", "strides", "dilations", "kernel_shape"], &["auto_pad"]),
    (
        "ConvTranspose",
        &["group"],
        &["pads", "strides", "dilations", "output_padding", "output_shape"],
        &["auto_pad"],
    ),
    ("MaxPool", &["ceil_mode"], &["pads", "strides", "dilations", "kernel_shape"], &["auto_pad"]),
    (
        "AveragePool",
        &["ceil_mode", "count_include_pad"],
        &["pads", "strides", "dilations", "kernel_shape"],
        &[],
    ),
    ("LpPool", &["p"], &["pads", "strides", "kernel_shape"], &["auto_pad"]),
    ("GlobalAveragePool", &[], &[], &[]),
    ("BatchNormalization", &["training_mode"], &[], &[]),
    ("InstanceNormalization", &[], &[], &[]),
    ("LayerNormalization", &["axis"], &[], &[]),
    ("GroupNormalization", &["num_groups"], &[], &[]),
    ("LpNormalization", &["axis", "p"], &[], &[]),
    ("LRN", &["size"], &[], &[]),
    ("MatMul", &[], &[], &[]),
    ("Gemm", &["transA", "transB"], &[], &[]),
    ("Softmax", &["axis"], &[], &[]),
    ("ArgMax", &["axis", "keepdims"], &[], &[]),
    ("ReduceMean", &["keepdims"], &["axes"], &[]),
    ("ReduceSum", &["keepdims", "noop_with_empty_axes"], &[], &[]),
    ("Add", &[], &[], &[]),
    ("Relu", &[], &[], &[]),
    ("Where", &[], &[], &[]),
    ("Clip", &[], &[], &[]),
    ("Reshape", &["allowzero"], &[], &[]),
    ("Flatten", &["axis"], &[], &[]),
    ("Squeeze", &[], &["axes"], &[]),
    ("Unsqueeze", &[], &["axes"], &[]),
    ("Transpose", &[], &["perm"], &[]),
    ("Concat", &["axis"], &[], &[]),
    ("Split", &["axis", "num_outputs"], &["split"], &[]),
    ("Slice", &[], &["starts", "ends", "axes"], &[]),
    ("Gather", &["axis"], &[], &[]),
    ("Expand", &[], &[], &[]),
    ("Tile", &[], &[], &[]),
    ("Pad", &[], &["pads"], &["mode"]),
    ("DepthToSpace", &["blocksize"], &[], &["mode"]),
    ("SpaceToDepth", &["blocksize"], &[], &[]),
    ("Resize", &["exclude_outside"], &["axes"], &["mode", "nearest_mode", "coordinate_transformation_mode"]),
    ("Upsample", &[], &[], &["mode"]),
    ("CumSum", &["exclusive"], &[], &[]),
    ("Range", &[], &[], &[]),
    ("ConstantOfShape", &[], &[], &[]),
    ("Shape", &["start", "end"], &[], &[]),
    ("Cast", &["to"], &[], &[]),
    ("Mod", &["fmod"], &[], &[]),
    ("ReduceProd", &["keepdims"], &["axes"], &[]),
    ("NonZero", &[], &[], &[]),
];
const WORDS: &[&str] = &[
    "SAME_UPPER",
    "SAME_LOWER",
    "VALID",
    "NOTSET",
    "reflect",
    "edge",
    "wrap",
    "constant",
    "linear",
    "cubic",
    "nearest",
    "align_corners",
    "asymmetric",
    "half_pixel",
    "half_pixel_symmetric",
    "floor",
    "CRD",
    "DCR",
    "other",
];
const EXTREMES: &[i64] = &[i64::MIN, i64::MAX, i32::MAX as i64, 1 << 40, -2, -1, 0];

fn number(random: &mut fastrand::Rng) -> i64 {
    match random.u8(0..8) {
        0 => *random.choice(EXTREMES).unwrap(),
        _ => random.i64(0..4),
    }
}

fn numbers(random: &mut fastrand::Rng) -> Vec<i64> {
    let count = *random.choice(&[0, 1, 2, 2, 3, 4, 4, 5, 6]).unwrap();
    (0..count).map(|_| number(random)).collect()
}

/// Shapes that go together now and then.
fn shape(random: &mut fastrand::Rng) -> Vec<usize> {
    let shapes: &[&[usize]] = &[
        &[],
        &[1],
        &[2],
        &[4],
        &[2, 4],
        &[4, 2],
        &[1, 4, 5],
        &[4, 2, 3],
        &[1, 4, 5, 5],
        &[4, 2, 3, 3],
        &[4, 4, 1, 2],
        &[2, 4, 3, 3, 3],
        &[4, 4, 2, 2, 2],
        &[0],
        &[2, 0],
        &[1 << 31, 1 << 30],
        &[1, 1 << 40],
    ];
    random.choice(shapes).unwrap().to_vec()
}

/// Shapes that an operator may well be given; the others are.
fn likely(operator: &str) -> &'static [&'static [usize]] {
    match operator {
        "Conv" | "ConvTranspose" => &[&[1, 4, 5, 5], &[4, 4, 2, 2], &[4]],
        "MaxPool" | "AveragePool" | "LpPool" | "SpaceToDepth" | "DepthToSpace" => &[&[1, 4, 4, 4]],
        "BatchNormalization" => &[&[2, 4, 3], &[4], &[4], &[4], &[4]],
        "InstanceNormalization" | "GroupNormalization" => &[&[2, 4, 3], &[4], &[4]],
        "LayerNormalization" => &[&[2, 4], &[4], &[4]],
        "MatMul" | "Gemm" => &[&[2, 4], &[4, 2], &[2]],
        _ => &[&[2, 4], &[2, 4], &[4]],
    }
}

/// Numbers of a node that has an array of images.
fn window(random: &mut fastrand::Rng, name: &str) -> Vec<i64> {
    let count = if name == "pads" { 4 } else { 2 };
    let mut numbers: Vec<i64> = (0..count).map(|_| random.i64(1..3)).collect();
    if random.u8(0..6) == 0 {
        numbers[0] = *random.choice(EXTREMES).unwrap();
    }
    numbers
}

fn model(random: &mut fastrand::Rng) -> Model {
    let (operator, ints, lists, words) = *random.choice(OPERATORS).unwrap();
    let mut model = Model { opset: random.i64(6..=28), outputs: vec!["y0".to_string()], ..Model::default() };
    let mut node = Node { operator: operator.to_string(), ..Node::default() };
    let likely = likely(operator);
    let makes_sense = random.u8(0..3) > 0;
    let count = if makes_sense { random.usize(1..=likely.len()) } else { random.usize(0..6) };
    for at in 0..count {
        let name = format!("x{at}");
        if let Some(lengths) = likely.get(at).filter(|_| makes_sense && (at == 0 || random.bool())) {
            let dims = lengths.iter().map(|length| Dim::Number(*length)).collect();
            model.inputs.push(Input { name: name.clone(), scalar: Scalar::F32, dims });
            node.inputs.push(name);
            continue;
        }
        match random.u8(0..10) {
            0 => node.inputs.push(String::new()),
            1..4 => {
                model.constants.insert(name.clone(), Tensor::list(&numbers(random)));
                node.inputs.push(name);
            }
            4 => {
                let scales: Vec<f32> = numbers(random).into_iter().map(|n| n as f32 * 0.5).collect();
                let scales = Tensor::F32(ndarray::arr1(&scales).into_dyn().into_shared());
                model.constants.insert(name.clone(), scales);
                node.inputs.push(name);
            }
            kind => {
                let scalar = *random.choice(&[Scalar::Bool, Scalar::I64, Scalar::F16]).unwrap();
                let scalar = if kind == 5 { scalar } else { Scalar::F32 };
                let dims = shape(random).into_iter().map(Dim::Number).collect();
                model.inputs.push(Input { name: name.clone(), scalar, dims });
                node.inputs.push(name);
            }
        }
    }
    node.outputs = (0..if makes_sense { 1 } else { random.usize(1..4) }).map(|at| format!("y{at}")).collect();
    for name in ints {
        if random.bool() {
            continue;
        }
        node.attributes.insert(name.to_string(), Attribute::Int(number(random)));
    }
    for name in lists {
        if random.u8(0..3) == 0 {
            continue;
        }
        node.attributes.insert(
            name.to_string(),
            Attribute::Ints(if makes_sense && random.u8(0..4) > 0 {
                window(random, name)
            } else {
                numbers(random)
            }),
        );
    }
    for name in words {
        if random.bool() {
            continue;
        }
        let word = random.choice(WORDS).unwrap().to_string();
        node.attributes.insert(name.to_string(), Attribute::Text(word));
    }
    model.nodes.push(node);
    model
}

#[test]
fn random_nodes_are_imported_or_refused() {
    let mut random =
        fastrand::Rng::with_seed(std::env::var("LIFT_SEED").map_or(3, |seed| seed.parse().unwrap()));
    let (start, mut imported, mut refused) = (Instant::now(), 0, 0);
    while start.elapsed() < Duration::from_secs(5) {
        let model = model(&mut random);
        let begun = Instant::now();
        match model.recipe(&[]) {
            Ok(recipe) => {
                imported += 1;
                recipe.graph("model").unwrap_or_else(|e| panic!("{e}: {:?}", model.nodes));
            }
            Err(error) => {
                refused += 1;
                let message = error.to_string();
                assert!(message.len() < 1000, "{message}");
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?} {:?}", model.nodes, model.inputs);
    }
    println!("{imported} imported, {refused} refused");
    assert!(imported > 10 && refused > 10, "{imported} imported, {refused} refused");
}
