//! Four executions of every program in `programs/` agree at random shapes: the interpreter, the built-in CPU device,
//! OpenCL, and a plain loop nest.

mod common;
mod programs;
mod tiles;

use common::{Trial, compare, devices, hunt, shapes, values};
use lift_core::Sizes;
use lift_core::expr::Size;
use lift_runtime::Device;
use ndarray::ArrayD;
use programs::Case;

/// Shapes at which each program is run; `scripts/hunt` runs it at others.
const SHAPES: usize = 4;

/// A program that admits fewer shapes than this says little.
const DIFFERENT: usize = 20;

/// After so many failures of one program the rest says nothing new.
const ENOUGH: usize = 3;

macro_rules! programs {
    ($($family:ident: $($name:ident)*;)*) => {
        $(mod $family {
            $(#[test]
            fn $name() {
                super::agrees(super::programs::$family::CASES, stringify!($name));
            })*
        })*

        #[test]
        fn every_program_is_tested() {
            let here = [$($(stringify!($name),)*)*];
            let there: Vec<&str> = programs::all().map(|case| (case.program)().name()).collect();
            assert_eq!(there, here);
        }
    };
}

programs! {
    best: largest last_smallest classes nearest heaviest_row blocked_largest uphill;
    convolution: conv_layer conv_nchw depthwise strided dilated grouped conv2d;
    forms: cropped differences four triangle haar even_odd last_kept doubled smoothed turned gru padded_conv rotated extended;
    general: lanes_choose wide_lanes_choose lanes_choose_pairs extent histogram fourier rearranged row_and_column_sums
        smooth_functions stepped_functions;
    image: blur sharpen threshold;
    iterative: power_iteration residual conjugate_gradients jacobi jacobi_watched in_rows;
    linear: matrix_product gemm matrix_vector fir fir_causal fir_decimating;
    pooling: max_pool mean_pool global_mean;
    softmax: softmax softmax_rows softmax_columns normalised_rows;
    stencil: stencil_2d heat_2d heat_2d_clamp heat_2d_mirror heat_2d_wrap heat_2d_steps heat_2d_three
        heat_3d heat_3d_clamp heat_3d_mirror heat_3d_wrap smear_mirror smear_wrap smear_clamp;
    sums: prefix_sum running_maximum integral_image totals_above blocked_prefix_sum;
    transposed: transposed_1d transposed_cropped transposed_2d transposed_layer;
}

fn agrees(family: &[Case], name: &str) {
    let case =
        family.iter().find(|case| (case.program)().name() == name).expect("the program is in its family");
    let program = (case.program)();
    let random = &mut fastrand::Rng::with_seed(20);
    let shapes = shapes::random(program, case.largest, DIFFERENT, random);
    assert!(shapes.len() >= DIFFERENT, "only {} different shapes", shapes.len());
    let mut failures = vec![];
    // The first is the smallest that there is, if the program admits it.
    for (k, sizes) in shapes.into_iter().take(SHAPES).enumerate() {
        let trial = Trial::new(program, sizes, case.range, random);
        failures.extend(disagreements(case, &trial, devices::in_turn(k)));
        if failures.len() >= ENOUGH {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[ignore = "scripts/hunt runs it"]
fn programs_agree_at_other_sizes() {
    let all: Vec<&Case> = programs::all().collect();
    let mut compared = 0;
    for (case, seed) in hunt::turns(all.len()) {
        let (case, random) = (all[case], &mut fastrand::Rng::with_seed(seed));
        let program = (case.program)();
        // Not the first, which are the same for each seed.
        let Some(sizes) = shapes::random(program, case.largest, SHAPES, random).pop() else { continue };
        let trial = Trial::new(program, sizes, case.range, random);
        let failures = disagreements(case, &trial, devices::all().iter());
        assert!(failures.is_empty(), "seed {seed}: {}", failures.join("\n"));
        compared += 1;
    }
    println!("hunted: {compared} programs at sizes");
}

/// One line for each execution that differs from the loop nest.
fn disagreements(case: &Case, trial: &Trial, devices: impl Iterator<Item = &'static Device>) -> Vec<String> {
    let sizes: Vec<usize> = trial.sizes.0.iter().map(|(_, n)| *n as usize).collect();
    let arguments: Vec<ArrayD<f64>> = trial.arguments.iter().map(values::to_f64).collect();
    let expected = (case.expected)(&sizes, &arguments);
    let interpreted = ("the interpreter".to_string(), trial.interpret());
    let run = devices.map(|device| (device.to_string(), trial.run(device)));
    let verdict = |(place, results): (String, Result<_, String>)| {
        let problem = results.and_then(|results: Vec<_>| compare::check(&results, &expected)).err()?;
        Some(format!("{} at {}, {place}: {problem}", trial.program.name(), trial.sizes))
    };
    std::iter::once(interpreted).chain(run).filter_map(verdict).collect()
}

/// Tiled programs compute what the plain ones do, at whatever sizes they admit.
#[test]
fn tiles_change_nothing() {
    let random = &mut fastrand::Rng::with_seed(21);
    for (tiled, plain) in tiles::PAIRS {
        let (tiled, plain) = (tiled(), plain());
        let shapes = shapes::random(tiled, &vec![9; tiled.sizes().len()], 4, random);
        let mut compared = 0;
        for sizes in shapes {
            let of_plain = |size: &Size| Some((size.var.clone(), sizes.get(&size.var)?));
            let plain_sizes = Sizes(plain.sizes().iter().filter_map(of_plain).collect());
            if plain.admits(&plain_sizes).is_err() {
                continue;
            }
            let trial = Trial::exact(tiled, sizes.clone(), random);
            let reference = Trial { program: plain, sizes: plain_sizes, arguments: trial.arguments.clone() };
            let expected: Vec<ArrayD<f64>> =
                reference.interpret().expect("a value").iter().map(values::to_f64).collect();
            let mut results = vec![trial.interpret()];
            if compared == 0 {
                results.extend(devices::all().iter().map(|device| trial.run(device)));
            }
            for result in results {
                let verdict = result.and_then(|result| compare::check(&result, &expected));
                assert!(verdict.is_ok(), "{} at {sizes}: {verdict:?}", tiled.name());
            }
            compared += 1;
        }
        assert!(compared > 0, "no sizes for {}", tiled.name());
    }
}

/// The functions that `lift!` makes are called as a user calls them.
mod typed {
    use super::common::devices;
    use super::programs::{convolution, general, image, linear, stencil};
    use ndarray::{Array1, Array2, Array3, Array4, array, s};

    /// Numbers that differ everywhere.
    fn numbers<D: ndarray::Dimension>(shape: impl ndarray::ShapeBuilder<Dim = D>) -> ndarray::Array<f32, D> {
        let mut next = 0;
        ndarray::Array::from_shape_simple_fn(shape, || {
            next = (next * 37 + 11) % 101;
            next as f32 / 101.0
        })
    }

    #[test]
    fn a_layer_with_free_sizes() {
        let (kernels, biases, input): (Array4<f32>, Array1<f32>, Array3<f32>) =
            (numbers((2, 3, 3, 4)), numbers(2), numbers((5, 7, 4)));
        for device in devices::all() {
            let run = |input: ndarray::ArrayView3<f32>| {
                convolution::conv_layer(device, 2, 2, 2, 2, 1, 2, kernels.view(), biases.view(), input)
            };
            let output: Array3<f32> = run(input.view()).expect("it runs");
            assert_eq!(output.dim(), (5, 4, 2));
            // Views of any layout: turned over and back, the same numbers.
            let turned = input.t().as_standard_layout().into_owned();
            assert_eq!(run(turned.t()).expect("it runs"), output);
            let wide = ndarray::concatenate![ndarray::Axis(1), input, input];
            assert_eq!(run(wide.slice(s![.., 7.., ..])).expect("it runs"), output);
            let backwards = input.slice(s![..;-1, .., ..]).to_owned();
            assert_eq!(run(backwards.slice(s![..;-1, .., ..])).expect("it runs"), output);
        }
    }

    #[test]
    fn compiled_once_called_often() {
        for device in devices::all() {
            let sizes = linear::matrix_product::Sizes { M: 2, N: 3, K: 2 };
            let product = linear::matrix_product::compile(device, sizes).expect("it builds");
            let b: Array2<f32> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
            for factor in [1.0, 2.0] {
                let a = array![[factor, 0.0], [0.0, -factor]];
                let expected = array![[1.0, 2.0, 3.0], [-4.0, -5.0, -6.0]] * factor;
                assert_eq!(product.run(a.view(), b.view()).expect("it runs"), expected);
            }
            let a = Array2::eye(2);
            let (output, times) = product.run_timed(a.view(), b.view()).expect("it runs");
            assert_eq!((output, times.kernels.len()), (b.clone(), 1));
            // Other sizes are another program.
            let error = product.run(b.view(), a.view()).expect_err("the shapes are others");
            assert!(error.to_string().contains("`a`"), "{error}");
        }
    }

    #[test]
    fn scalars_tuples_and_other_types() {
        for device in devices::all() {
            let (low, high, mean) = general::extent(device, array![3.0, -1.0, 4.0].view()).expect("it runs");
            assert_eq!((low, high, mean), (-1.0, 4.0, 2.0));
            let (rows, columns) =
                general::row_and_column_sums(device, array![[1.0, 2.0], [3.0, 4.0]].view()).expect("it runs");
            assert_eq!((rows, columns), (array![3.0, 7.0], array![4.0, 6.0]));
            let heat = stencil::heat_2d(device, 0.25, array![[4.0]].view()).expect("it runs");
            assert_eq!(heat, array![[0.0]]);
            let grey = image::threshold(device, 100, array![[[99u8, 99, 99], [101, 101, 101]]].view())
                .expect("it runs");
            assert_eq!(grey, array![[false, true]]);
            let counts = general::histogram(device, 3, array![2u8, 0, 2, 7].view()).expect("it runs");
            assert_eq!(counts, array![1u32, 0, 2]);
        }
    }
}
