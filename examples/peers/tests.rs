//! Every program against a loop nest at small sizes, the tables, and a run without Python.

use crate::cases::{self, Case, Scale};
use crate::data::{Data, difference, floats};
use crate::flags::Flags;
use crate::forms::Trial;
use crate::operation::{Conv, Operation, is_weights};
use crate::peer::Peers;
use crate::roofline::{self, Roof};
use crate::row::{Own, Peer, Row, mean, median, ratios};
use crate::{plot, report, run};
use clap::Parser;
use lift::{Device, Error, Kind};
use rayon::prelude::*;
use std::collections::HashSet;

/// No test by itself: where this binary is started as a worker, it is one from here on.
#[test]
fn worker() {
    lift::tune::worker();
}

#[test]
fn every_program_agrees_with_a_loop_nest() -> Result<(), Error> {
    let device = Device::cpu();
    let mut small = cases::all();
    small.retain(|case| case.scale == Scale::Quick);
    small.par_iter().try_for_each(|case| agrees(case, &device))
}

fn agrees(case: &Case, device: &Device) -> Result<(), Error> {
    let data = Data::random(case, 7)?;
    let compiled = lift::compile((case.program)(), device, &case.sizes)?;
    let results = floats(compiled.run(&data.arguments())?, &case.operation)?;
    let off = difference(&results, &expected(&case.operation, &data));
    assert!(off < 1e-5, "{} {}: {off}", case.family, case.name);
    Ok(())
}

#[test]
fn the_tables_are_sound() {
    let all = cases::all();
    let mut names = HashSet::new();
    let mut contents = HashSet::new();
    for case in &all {
        assert!(names.insert((case.family, &case.name)), "{} {} is there twice", case.family, case.name);
        // Networks may share a layer, a network has each once.
        let program = (case.program)().name();
        assert!(contents.insert((case.family, program, &case.sizes)), "{} {}", case.family, case.name);
        assert!((case.program)().admits(&case.named()).is_ok(), "{} {}", case.family, case.name);
        assert_eq!(case.sizes.len(), (case.program)().given().count(), "{}", case.name);
    }
    let small: HashSet<&str> =
        all.iter().filter(|c| c.scale == Scale::Quick).map(|c| (c.program)().name()).collect();
    let missing = all.iter().map(|case| (case.program)().name()).find(|name| !small.contains(name));
    assert_eq!(missing, None, "has no small case");
}

/// What Boda-RTC was measured on is measured where it is asked for, with the same layers in each batch.
#[test]
fn boda_is_measured_by_name() {
    let families = |words: &str| {
        let cases = Flags::parse_from(words.split(' ')).cases(false).expect("there are cases");
        let of = |family: &str| cases.iter().filter(|case| case.family == family).count();
        [of("boda 1"), of("boda 5"), of("boda 20"), of("boda products"), cases.len()]
    };
    let [single, five, twenty, products, all] = families("peers --family boda");
    // "~ 180" in the paper, which counts other versions of the three networks.
    assert_eq!([single, five, twenty, products], [63, 63, 63, 8]);
    assert_eq!(all, single + five + twenty + products);
    assert_eq!(families("peers")[..4], [0; 4]);
}

/// Other sizes are the program's own, and what is compared with knows them.
#[test]
fn drawn_sizes_agree_with_a_loop_nest() -> Result<(), Error> {
    let (device, mut rng) = (Device::cpu(), fastrand::Rng::with_seed(3));
    let all = cases::all();
    let drawn: Vec<Case> = all.iter().filter_map(|case| case.drawn(&mut rng)).collect();
    assert!(drawn.len() > all.len() / 2, "{} of {}", drawn.len(), all.len());
    // Loop nests in the plainest way take their time.
    let few = |case: &&Case| case.sizes.iter().map(|n| n.max(&1)).product::<usize>() < 60_000;
    let small: Vec<&Case> = drawn.iter().filter(few).take(4).collect();
    assert!(!small.is_empty());
    small.par_iter().try_for_each(|case| agrees(case, &device))
}

/// As on a machine without Python; the flags as their user gives them.
#[test]
fn it_works_without_python() {
    let folder = tempfile::tempdir().expect("a folder");
    let plot = folder.path().join("plot.svg");
    let words = "peers --quick --fresh --device cpu --family elementwise --family softmax --case 100 --case rows --rounds 1 --turn 0 --python /there/is/none";
    let rows = run(&Flags::parse_from(words.split(' '))).expect("it runs");
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert!(row.errors.is_empty() && row.peers.is_empty() && row.ratio().is_none(), "{:?}", row.errors);
        assert!(row.own[0].us > 0.0 && row.own[0].share > 0.0 && row.own[0].memory >= row.bytes);
    }
    assert!(plot::draw(&rows, "none").is_err());
    assert!(!plot.exists());
    // What was measured before stays as it was, in lines that are whole.
    let kept = folder.path().join("rows.json");
    let words = format!("{words} --resume {}", kept.display());
    let again = || run(&Flags::parse_from(words.split(' '))).expect("it runs");
    let times = |rows: &[Row]| rows.iter().map(|row| row.own[0].us.to_bits()).collect::<Vec<_>>();
    let (first, second) = (again(), again());
    assert_eq!(times(&first), times(&second));
    let text = std::fs::read_to_string(&kept).expect("it is there");
    assert_eq!(text.lines().count(), 4);
    std::fs::write(&kept, &text[..text.len() - 20]).expect("it can be written");
    let third = again();
    assert_eq!(times(&third)[..3], times(&first)[..3]);
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there").lines().count(), 4);
    std::fs::write(&kept, "no row\n").expect("it can be written");
    let damaged = run(&Flags::parse_from(words.split(' '))).map(|_| ()).expect_err("no row");
    assert!(damaged.to_string().contains("rows.json, line 1"), "{damaged}");
    let unknown = run(&Flags::parse_from(["peers", "--family", "nothing"])).map(|_| ()).expect_err("no case");
    assert!(unknown.to_string().contains("softmax"), "{unknown}");
}

/// Where there is a Python; whatever libraries it has.
#[test]
fn the_script_answers() {
    let flags = Flags::parse_from(["peers"]);
    if std::process::Command::new(&flags.python).arg("--version").output().is_err() {
        return;
    }
    let mut peers = Peers::start(&flags, Kind::Cpu).expect("it starts");
    // Each is there or missing.
    assert_eq!(peers.lines().len(), 3, "{:?}", peers.lines());
    let case = cases::all().into_iter().find(|case| case.family == "softmax").expect("it is there");
    let data = Data::random(&case, 1).expect("it fits");
    peers.give(&data).expect("it takes them");
    assert!(peers.prepare("nobody", &case, &data).is_err());
    for name in peers.names() {
        if peers.prepare(&name, &case, &data).is_ok() {
            let result = peers.result(&name).expect("a result");
            assert!(difference(&result, &expected(&case.operation, &data)) < 1e-5, "{name}");
            assert!(peers.time(&name, 0.0).is_ok_and(|(median, least)| 0.0 < least && least <= median));
        }
    }
}

/// Forms of each part of a program are compared with what they should compute, and what is wrong is found.
#[test]
fn forms_are_compared() {
    let case = cases::all().into_iter().find(|case| case.family == "softmax").expect("it is there");
    let (data, device) = (Data::random(&case, 1).expect("it fits"), Device::cpu());
    let mut right = expected(&case.operation, &data);
    let found = Trial::new(&case, &device, &data, &right).of_all(1, 1, |_| ());
    assert!(found.tried > 1 && found.wrong.is_empty(), "{:?} of {}", found.wrong, found.tried);
    right[1] *= 1.001;
    let found = Trial::new(&case, &device, &data, &right).of_all(1, 1, |_| ());
    assert_eq!(found.wrong.len(), found.tried);
}

#[test]
fn rows_become_tables_and_a_picture() {
    let row = |family: &str, case: &Case, ratio| Row {
        family: if family.is_empty() { case.family.into() } else { "another".into() },
        own: vec![Own {
            device: "a device".into(),
            form: "rows L=64".into(),
            build_s: 1.0,
            us: 10.0,
            call_us: 20.0,
            ratio: Some(ratio),
            call_ratio: Some(ratio / 2.0),
            least_ratio: Some(ratio * 2.0),
            least_us: 9.0,
            share: 0.5,
            of: "FMAs".into(),
            memory: 4_000_000,
        }],
        peers: vec![Peer {
            name: "a peer".into(),
            how: "a way".into(),
            us: 10.0 * ratio,
            least_us: 9.0,
            difference: 1e-7,
        }],
        ..Row::new(case, 1e6, 100)
    };
    let all = cases::all();
    let rows = [row("", &all[0], 4.0), row("", &all[1], 0.25), row("another", &all[2], 2.0)];
    let text = report::families(&rows).to_string();
    let words: Vec<&str> = text.lines().nth(2).expect("the first family").split('|').map(str::trim).collect();
    assert_eq!(words[1..8], ["alexnet", "2", "1.00", "2.00", "0.50", "0.25", &all[1].name]);
    assert!(report::cases(&rows).to_string().contains("| 50 % FMAs | 4.0 |"));
    assert!(report::worst_cases(&rows).to_string().contains("rows L=64"));
    let svg = plot::draw(&rows, "A title").expect("it can be drawn");
    let parsed = roxmltree::Document::parse(&svg).expect("it is XML");
    assert_eq!(parsed.descendants().filter(|n| n.has_tag_name("circle")).count(), rows.len());
    let words: Vec<_> = parsed.descendants().filter_map(|n| n.text()).map(str::trim).collect();
    for expected in ["A title", "alexnet", "another", "0.5", "1", "2"] {
        assert!(words.contains(&expected), "{expected}: {words:?}");
    }

    let roofs = [Roof { device: "a device".into(), gflops: 500.0, gigabytes: 20.0 }];
    let svg = roofline::draw(&rows, &roofs).expect("it can be drawn");
    let parsed = roxmltree::Document::parse(&svg).expect("it is XML");
    // Each case by this library and by its peer, and a dot beside the name of each.
    let dots = 2 * (rows.len() + 1);
    assert_eq!(parsed.descendants().filter(|n| n.has_tag_name("circle")).count(), dots);
    let words: Vec<_> = parsed.descendants().filter_map(|n| n.text()).map(str::trim).collect();
    for expected in ["3 cases on a device", "rows", "fastest peer", "500 GFLOP/s, 20 GB/s", "GFLOP/s"] {
        assert!(words.contains(&expected), "{expected}: {words:?}");
    }
    let without = Row { flops: 0.0, ..rows[0].clone() };
    assert!(roofline::draw(&[without], &roofs).is_err());
    let file = tempfile::NamedTempFile::new().expect("a file");
    roofline::write(file.path(), &rows, &roofs).expect("it can be written");
    let text = std::fs::read_to_string(file.path()).expect("it can be read");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 1 + rows.len());
    let column = |name: &str| lines[1][lines[0].iter().position(|word| *word == name).expect(name)];
    // A million operations on 100 bytes in 10 µs: below the flat part of the roof.
    let told = ["schedule", "intensity", "gflops", "roof_gflops", "peer_gflops", "ratio"].map(column);
    assert_eq!(told, ["rows", "10000.0", "100.0", "500.0", "25.0", "4.0"]);
    assert!(roofline::write(&file.path().join("no/folder"), &rows, &roofs).is_err());
}

#[test]
fn differences_and_means() {
    assert_eq!(difference(&[1.0, 3.0], &[1.0, 3.0]), 0.0);
    assert!((difference(&[1.0, 3.3], &[1.0, 3.0]) - 0.1).abs() < 1e-6);
    assert_eq!(difference(&[1.0], &[1.0, 3.0]), f64::INFINITY);
    assert_eq!(difference(&[f32::NAN], &[1.0]), f64::INFINITY);
    assert_eq!((median(&mut [3.0, 1.0, 2.0]), median(&mut [4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
    assert_eq!(ratios(&[2.0, 9.0, 8.0], &[1.0, 3.0, 1.0]), 3.0);
    assert_eq!((mean([].into_iter()), mean([4.0, 1.0].into_iter())), (None, Some(2.0)));
}

/// The flops of the first layer of VGG-16 and of a transposed one, by hand.
#[test]
fn operations_are_counted() {
    let flops = |family: &str, name: &str| {
        let all = cases::all();
        let case = all.iter().find(|c| c.family == family && c.name == name).expect("it is there");
        let shape = |ty: &_| lift::Program::shape(ty, &case.named()).expect("it fits");
        let program = (case.program)();
        let inputs =
            program.params().iter().map(|p| (p.local.name.to_string(), shape(&p.ty))).collect::<Vec<_>>();
        case.operation.flops(&inputs, &shape(program.result()))
    };
    assert_eq!(flops("vgg16", "3×3 3→64 @224"), 2.0 * 224.0 * 224.0 * 64.0 * 27.0);
    assert_eq!(flops("depthwise", "3×3/2 96 @112"), 2.0 * 56.0 * 56.0 * 96.0 * 9.0);
    assert_eq!(flops("transposed", "4×4/2 64→3 @64"), 2.0 * 64.0 * 64.0 * 64.0 * 3.0 * 16.0);
    assert_eq!(flops("products", "nn 512×512·512×512"), 2.0 * 512.0 * 512.0 * 512.0);
}

/// What a case's operation is, by loops, in `f64`.
fn expected(operation: &Operation, data: &Data) -> Vec<f64> {
    let arrays: Vec<Vec<f64>> =
        data.inputs.iter().map(|(_, array)| array.iter().map(|x| f64::from(*x)).collect()).collect();
    let shape = data.inputs[0].1.shape();
    let xs = &arrays[0];
    let columns = shape.last().copied().unwrap_or(1);
    let rows = || xs.chunks(columns);
    let along = |at: &[usize], axis: usize| {
        let at = at.to_vec();
        (0..shape[axis]).map(move |k| {
            let place = [&at[..axis], &[k], &at[axis + 1..]].concat();
            xs[flat(&place, shape)]
        })
    };
    match operation {
        Operation::Conv(conv) => convolution(conv, data),
        Operation::Product { transpose_a, transpose_b, depth } => {
            let (ys, depth) = (&arrays[1], *depth);
            let batch = if data.output.len() == 3 { data.output[0] } else { 1 };
            let (m, n) = (xs.len() / batch / depth, ys.len() / batch / depth);
            let mut result = vec![];
            for (b, i, j) in (0..batch).flat_map(|b| (0..m).flat_map(move |i| (0..n).map(move |j| (b, i, j))))
            {
                result.push(
                    (0..depth)
                        .map(|k| {
                            let x = if *transpose_a { k * m + i } else { i * depth + k };
                            let y = if *transpose_b { j * depth + k } else { k * n + j };
                            xs[b * m * depth + x] * ys[b * n * depth + y]
                        })
                        .sum(),
                );
            }
            result
        }
        Operation::Transpose { order } => indices(&data.output)
            .map(|at| {
                let mut from = vec![0; at.len()];
                order.iter().zip(&at).for_each(|(axis, i)| from[*axis] = *i);
                xs[flat(&from, shape)]
            })
            .collect(),
        Operation::ScaleAdd => xs.iter().zip(&arrays[1]).map(|(x, y)| 2.5 * x + y).collect(),
        Operation::Gelu => {
            let inner = |x: f64| (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            xs.iter().map(|x| 0.5 * x * (1.0 + inner(*x).tanh())).collect()
        }
        Operation::Sigmoid => xs.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect(),
        Operation::Pool { largest, axes, window, stride } => indices(&data.output)
            .map(|at| {
                let place = |letter| axes.find(letter).expect("an axis");
                let all = indices(&[*window, *window]).map(|by| {
                    let mut from = at.clone();
                    from[place('Y')] = at[place('Y')] * stride + by[0];
                    from[place('X')] = at[place('X')] * stride + by[1];
                    xs[flat(&from, shape)]
                });
                match largest {
                    true => all.fold(f64::NEG_INFINITY, f64::max),
                    false => all.sum::<f64>() / (window * window) as f64,
                }
            })
            .collect(),
        Operation::Sum { axis: None } => vec![xs.iter().sum()],
        Operation::Sum { axis: Some(0) } => (0..columns).map(|c| rows().map(|row| row[c]).sum()).collect(),
        Operation::Sum { .. } => rows().map(|row| row.iter().sum()).collect(),
        Operation::Softmax { axis } => indices(&data.output)
            .map(|at| xs[flat(&at, shape)].exp() / along(&at, *axis).map(f64::exp).sum::<f64>())
            .collect(),
        Operation::LayerNorm => rows()
            .flat_map(|row| {
                let mean = row.iter().sum::<f64>() / columns as f64;
                let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / columns as f64;
                let rest = arrays[1].iter().zip(&arrays[2]);
                row.iter().zip(rest).map(move |(x, (s, t))| (x - mean) / (spread + 1e-5).sqrt() * s + t)
            })
            .collect(),
        Operation::ArgMax => rows()
            .map(|row| {
                let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                row.iter().position(|x| *x == most).expect("it is there") as f64
            })
            .collect(),
        Operation::Prefix { axis } => {
            indices(&data.output).map(|at| along(&at, *axis).take(at[*axis] + 1).sum()).collect()
        }
    }
}

/// A convolution of up to three dimensions: what each element of the input gives to each of the output.
fn convolution(conv: &Conv, data: &Data) -> Vec<f64> {
    let named = |wanted: &dyn Fn(&str) -> bool| data.inputs.iter().find(|(name, _)| wanted(name));
    let numbers = |array: &ndarray::ArrayD<f32>| array.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    let (weights_shape, weights) = match (named(&is_weights), &conv.constant) {
        (Some((_, array)), _) => (array.shape().to_vec(), numbers(array)),
        (None, Some((shape, values))) => (shape.clone(), values.iter().map(|x| f64::from(*x)).collect()),
        (None, None) => unreachable!("a convolution has weights"),
    };
    let biases = named(&|name| name == "biases").map(|(_, array)| numbers(array));
    let (_, input) = named(&|name| !is_weights(name) && name != "biases").expect("an input");
    let xs = numbers(input);
    let mut result = vec![0.0; data.output.iter().product()];
    let along = |axes: &str, at: &[usize], letter| axes.find(letter).map(|axis| at[axis]);
    let length = |axes: &str, shape: &[usize], letter| axes.find(letter).map_or(1, |axis| shape[axis]);
    let outputs_of_group = length(conv.output, &data.output, 'K') / conv.groups;
    let inputs_of_group = length(conv.input, input.shape(), 'I') / conv.groups;
    for out in indices(&data.output) {
        let k = along(conv.output, &out, 'K').unwrap_or(0);
        let mut sum = biases.as_ref().map_or(0.0, |biases| biases[k]);
        for w in indices(&weights_shape) {
            if along(conv.weights, &w, 'K').is_some_and(|own| own != k) {
                continue;
            }
            let channel = along(conv.weights, &w, 'C').unwrap_or(0) + k / outputs_of_group * inputs_of_group;
            let from = conv.input.char_indices().map(|(axis, letter)| match letter {
                'N' => along(conv.output, &out, 'N'),
                'I' => Some(channel),
                place => {
                    let (o, w) =
                        (along(conv.output, &out, place)?, along(conv.weights, &w, place).unwrap_or(0));
                    let at = match conv.transposed {
                        false => (o * conv.stride + w * conv.dilation).checked_sub(conv.padding)?,
                        true => {
                            let spaced = (o + conv.padding).checked_sub(w)?;
                            (spaced % conv.stride == 0).then_some(spaced / conv.stride)?
                        }
                    };
                    (at < input.shape()[axis]).then_some(at)
                }
            });
            if let Some(from) = from.collect::<Option<Vec<_>>>() {
                sum += xs[flat(&from, input.shape())] * weights[flat(&w, &weights_shape)];
            }
        }
        result[flat(&out, &data.output)] = sum;
    }
    result
}

/// All indices of an array, the last fastest.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let (shape, count) = (shape.to_vec(), shape.iter().product::<usize>());
    (0..count).map(move |mut at| {
        let mut index = vec![0; shape.len()];
        for (axis, length) in shape.iter().enumerate().rev() {
            (index[axis], at) = (at % length, at / length);
        }
        index
    })
}

fn flat(at: &[usize], shape: &[usize]) -> usize {
    at.iter().zip(shape).fold(0, |sum, (i, n)| sum * n + i)
}
