//! Functions of rows, along every axis, against loops in `f64`.

mod common;

use common::{On, array, close, outputs, real, whole};
use lift::ndarray::{Array1, ArrayD, Axis};
use lift::target::Target;
use lift::{Device, Program, Sizes, explain};
use lift_operators::{along, norm, over, rows};

type Row = fn(&[f64]) -> Vec<f64>;

fn sum(xs: &[f64]) -> f64 {
    xs.iter().sum()
}

fn largest(xs: &[f64]) -> f64 {
    xs.iter().copied().fold(f64::MIN, f64::max)
}

fn standard(xs: &[f64]) -> Vec<f64> {
    let n = xs.len() as f64;
    let mean = sum(xs) / n;
    let variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    xs.iter().map(|x| (x - mean) / (variance + 1e-5).sqrt()).collect()
}

/// Programs with the same of one row.
fn known() -> Vec<(&'static Program, Row)> {
    vec![
        (rows::sum::program(), |xs| vec![sum(xs)]),
        (rows::mean::program(), |xs| vec![sum(xs) / xs.len() as f64]),
        (rows::prod::program(), |xs| vec![xs.iter().product()]),
        (rows::max_of::program(), |xs| vec![largest(xs)]),
        (rows::min_of::program(), |xs| vec![xs.iter().copied().fold(f64::MAX, f64::min)]),
        (rows::sum_squares::program(), |xs| vec![xs.iter().map(|x| x * x).sum()]),
        (rows::l1::program(), |xs| vec![xs.iter().map(|x| x.abs()).sum()]),
        (rows::l2::program(), |xs| vec![xs.iter().map(|x| x * x).sum::<f64>().sqrt()]),
        (rows::log_sum_exp::program(), |xs| vec![xs.iter().map(|x| x.exp()).sum::<f64>().ln()]),
    ]
}

/// The same with as many results as elements.
fn kept() -> Vec<(&'static Program, Row)> {
    vec![
        (rows::softmax::program(), |xs| {
            let total: f64 = xs.iter().map(|x| x.exp()).sum();
            xs.iter().map(|x| x.exp() / total).collect()
        }),
        (rows::log_softmax::program(), |xs| {
            let total: f64 = xs.iter().map(|x| x.exp()).sum();
            xs.iter().map(|x| x - total.ln()).collect()
        }),
        (rows::hard_max::program(), |xs| {
            let best = xs.iter().position(|x| *x == largest(xs));
            (0..xs.len()).map(|i| if Some(i) == best { 1.0 } else { 0.0 }).collect()
        }),
        (rows::l1_normalized::program(), |xs| {
            let norm: f64 = xs.iter().map(|x| x.abs()).sum();
            xs.iter().map(|x| if norm == 0.0 { 0.0 } else { x / norm }).collect()
        }),
        (rows::l2_normalized::program(), |xs| {
            let norm = xs.iter().map(|x| x * x).sum::<f64>().sqrt();
            xs.iter().map(|x| if norm == 0.0 { 0.0 } else { x / norm }).collect()
        }),
        (rows::cumulative_sum::program(), |xs| {
            xs.iter()
                .scan(0.0, |sum, x| {
                    *sum += x;
                    Some(*sum)
                })
                .collect()
        }),
    ]
}

/// A function of every row that lies along an axis; what it gives lies there, too.
fn mapped(x: &ArrayD<f32>, axis: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> ArrayD<f32> {
    let mut y: Option<ArrayD<f32>> = None;
    let lanes: Vec<Vec<f64>> =
        x.lanes(Axis(axis)).into_iter().map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect();
    for (k, lane) in lanes.iter().enumerate() {
        let results = f(lane);
        let whole = y.get_or_insert_with(|| {
            let mut shape = x.shape().to_vec();
            shape[axis] = results.len();
            ArrayD::zeros(shape)
        });
        let row = whole.lanes_mut(Axis(axis)).into_iter().nth(k).expect("as many rows");
        row.into_iter().zip(results).for_each(|(to, from)| *to = from as f32);
    }
    y.expect("at least one row")
}

fn shape(random: &mut fastrand::Rng) -> Vec<usize> {
    (0..random.usize(1..=4)).map(|_| random.usize(1..=4)).collect()
}

#[test]
fn along_an_axis() {
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..12 {
        let shape = shape(&mut random);
        let axis = random.usize(0..shape.len());
        let on = if round == 0 { On::Device } else { On::Meaning };
        // Whole numbers make equal elements likely, and rows of zeros.
        let x = if round % 2 == 0 {
            whole(&shape, &mut random) / 2.0
        } else {
            real(&shape, -3.0, 3.0, &mut random)
        };
        for (program, f) in known() {
            let expected = mapped(&x, axis, f).remove_axis(Axis(axis));
            close(&along(program, shape.len(), axis).expect("an axis"), &[], &[&x], &expected, 1e-5, on);
        }
        for (program, f) in kept() {
            let expected = mapped(&x, axis, f);
            close(&along(program, shape.len(), axis).expect("an axis"), &[], &[&x], &expected, 1e-5, on);
        }
    }
}

#[test]
fn over_several_axes() {
    let mut random = fastrand::Rng::with_seed(2);
    for round in 0..30 {
        let shape = shape(&mut random);
        let mut axes: Vec<usize> = (0..shape.len()).filter(|_| random.bool()).collect();
        if axes.is_empty() {
            axes = vec![random.usize(0..shape.len())];
        }
        let x = whole(&shape, &mut random);
        let mut expected = x.clone();
        for axis in axes.iter().rev() {
            expected = expected.sum_axis(Axis(*axis));
        }
        random.shuffle(&mut axes);
        let program = over(rows::sum::program(), shape.len(), &axes).expect("axes");
        let on = if round % 10 == 0 { On::Device } else { On::Meaning };
        close(&program, &[], &[&x], &expected, 0.0, on);
    }
    let message = |result: Result<Program, lift_operators::OperatorError>| {
        result.expect_err("it is refused").to_string()
    };
    assert_eq!(
        message(over(rows::sum::program(), 2, &[1, 1])),
        "`over`: [1, 1] are not different axes, at least one"
    );
    assert_eq!(
        message(over(rows::softmax::program(), 2, &[1])),
        "`over`: the result of `softmax` is no number"
    );
    assert_eq!(
        message(along(rows::sum::program(), 2, 2)),
        "`along`: there is no axis 2 in an array of 2 dimensions"
    );
    assert_eq!(
        message(along(lift_operators::scalar::relu::program(), 2, 1)),
        "`along`: the first parameter of `relu` is no row"
    );
}

#[test]
fn places() {
    let mut random = fastrand::Rng::with_seed(3);
    for round in 0..10 {
        let x = whole(&shape(&mut random), &mut random);
        let axis = random.usize(0..x.ndim());
        let on = if round == 0 { On::Device } else { On::Meaning };
        let first = |xs: Vec<f32>, better: fn(f32, f32) -> bool| {
            (1..xs.len()).fold(0, |best, i| if better(xs[i], xs[best]) { i } else { best }) as i32
        };
        type Better = fn(f32, f32) -> bool;
        let all: [(&Program, Better); 4] = [
            (rows::arg_max::program(), |x, best| x > best),
            (rows::arg_max_last::program(), |x, best| x >= best),
            (rows::arg_min::program(), |x, best| x < best),
            (rows::arg_min_last::program(), |x, best| x <= best),
        ];
        for (program, better) in all {
            let expected = x.map_axis(Axis(axis), |row| first(row.to_vec(), better));
            let program = along(program, x.ndim(), axis).expect("an axis");
            for output in outputs(&program, &[], &[(&x).into()], on) {
                assert_eq!(output.into_array::<i32>().expect("places"), expected, "{}", program.name());
            }
        }
    }
}

#[test]
fn extremes() {
    let infinite = [f32::NEG_INFINITY, 1.0, f32::INFINITY];
    for (xs, expected) in [
        (vec![1000.0, 1000.0], 1000.0 + 2f32.ln()),
        (vec![f32::NEG_INFINITY; 2], f32::NEG_INFINITY),
        (infinite.to_vec(), f32::INFINITY),
    ] {
        let (xs, expected) = (Array1::from(xs).into_dyn(), ArrayD::from_elem(vec![], expected));
        close(rows::log_sum_exp::program(), &[], &[&xs], &expected, 1e-6, On::Device);
    }
    let xs = Array1::from(vec![1.0, 2.0, 3.0]).into_dyn();
    close(rows::log_sum::program(), &[], &[&xs], &ArrayD::from_elem(vec![], 6f32.ln()), 1e-6, On::Device);
    let xs = Array1::from(vec![1000.0, 1000.0]).into_dyn();
    close(rows::softmax::program(), &[], &[&xs], &ArrayD::from_elem(vec![2], 0.5), 1e-6, On::Device);
}

#[test]
fn norms() {
    let mut random = fastrand::Rng::with_seed(4);
    let epsilon = ArrayD::from_elem(vec![], 1e-5);
    for round in 0..12 {
        let on = if round == 0 { On::Device } else { On::Meaning };
        let shape = shape(&mut random);
        let axis = random.usize(0..shape.len());
        let x = real(&shape, -2.0, 2.0, &mut random);
        let [scales, shifts] = [(); 2].map(|()| real(&[shape[axis]], -2.0, 2.0, &mut random));
        let moved = |xs: Vec<f64>| {
            let of = |i: usize| (f64::from(scales[[i]]), f64::from(shifts[[i]]));
            xs.iter().enumerate().map(|(i, x)| x * of(i).0 + of(i).1).collect()
        };
        let program = along(rows::layer_norm::program(), shape.len(), axis).expect("an axis");
        let expected = mapped(&x, axis, |xs| moved(standard(xs)));
        close(&program, &[], &[&x, &scales, &shifts, &epsilon], &expected, 1e-4, on);
        let program = along(rows::normalized::program(), shape.len(), axis).expect("an axis");
        close(&program, &[], &[&x, &epsilon], &mapped(&x, axis, standard), 1e-4, on);
        let program = along(rows::rms_norm::program(), shape.len(), axis).expect("an axis");
        let expected = mapped(&x, axis, |xs| {
            let square = xs.iter().map(|x| x * x).sum::<f64>() / xs.len() as f64;
            let factor = 1.0 / (square + 1e-5).sqrt();
            xs.iter().enumerate().map(|(i, x)| x * factor * f64::from(scales[[i]])).collect()
        });
        close(&program, &[], &[&x, &scales, &epsilon], &expected, 1e-4, on);

        let (left, right) = (random.usize(0..3), random.usize(0..3));
        let [alpha, bias] = [0.5f64, 1.5];
        for beta in [0.75, 0.6] {
            let expected = mapped(&x, axis, |xs| {
                let around = |i: usize| &xs[i.saturating_sub(left)..(i + right + 1).min(xs.len())];
                let squares = |i: usize| around(i).iter().map(|x| x * x).sum::<f64>();
                let size = (left + right + 1) as f64;
                (0..xs.len()).map(|i| xs[i] / (bias + alpha / size * squares(i)).powf(beta)).collect()
            });
            let [alpha, beta, bias] = [alpha, beta, bias].map(|x| ArrayD::from_elem(vec![], x as f32));
            let program = along(rows::lrn::program(), shape.len(), axis).expect("an axis");
            close(&program, &[left, right], &[&x, &alpha, &beta, &bias], &expected, 1e-4, on);
            if beta[[]] == 0.75 {
                let program = along(rows::lrn_three_quarters::program(), shape.len(), axis).expect("an axis");
                close(&program, &[left, right], &[&x, &alpha, &bias], &expected, 1e-4, on);
            }
        }
    }
}

#[test]
fn norms_of_images() {
    let mut random = fastrand::Rng::with_seed(5);
    let epsilon = ArrayD::from_elem(vec![], 1e-5);
    for round in 0..12 {
        let on = if round == 0 { On::Device } else { On::Meaning };
        let [n, g, m, h, w] = [(); 5].map(|()| random.usize(1..=3));
        let x = real(&[n, g * m, h, w], -2.0, 2.0, &mut random);
        let [scales, shifts] = [(); 2].map(|()| real(&[g * m], -2.0, 2.0, &mut random));
        for groups in [g, g * m] {
            let each = g * m / groups;
            let expected = array(x.shape(), |i| {
                let first = i[1] / each * each;
                let mut group = vec![];
                for c in first..first + each {
                    group.extend((0..h * w).map(|p| f64::from(x[[i[0], c, p / w, p % w]])));
                }
                let at = ((i[1] - first) * h + i[2]) * w + i[3];
                standard(&group)[at] as f32 * scales[[i[1]]] + shifts[[i[1]]]
            });
            let arguments = [&x, &scales, &shifts, &epsilon];
            if each == 1 {
                close(norm::instance_norm::program(), &[], &arguments, &expected, 1e-4, on);
            }
            close(norm::group_norm::program(), &[groups, each], &arguments, &expected, 1e-4, on);
        }
    }
}

/// As it is written, too, a program does work in proportion to its array: no element does what its row does together.
#[test]
fn work_grows_with_the_array() {
    let targets = [Target::default(), Device::cpu().target().clone()];
    let flops = |program: &Program, lengths: &[i64], target: &Target| {
        let sizes =
            Sizes(program.sizes().iter().map(|size| size.var.clone()).zip(lengths.to_vec()).collect());
        let plan = lift::plan(program, &sizes, target).expect("it has kernels");
        explain(&plan, None).launches.iter().map(|launch| launch.flops as f64).sum::<f64>()
    };
    let totals = (rows::cumulative_sum::program(), (|_| vec![]) as Row);
    let mut compared = 0;
    for (row, _) in known().into_iter().chain(kept()).chain([totals]) {
        for (axis, target) in (0..3).flat_map(|axis| targets.iter().map(move |target| (axis, target))) {
            let program = along(row, 3, axis).expect("an axis");
            let before = flops(&program, &[6, 6, 6], target);
            for longer in 0..3 {
                let mut lengths = [6; 3];
                lengths[longer] = 24;
                let times = flops(&program, &lengths, target) / before.max(1.0);
                assert!(times <= 4.5, "{} along {axis} at {lengths:?}: {times} times the work", row.name());
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}
