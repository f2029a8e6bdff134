//! Functions of numbers against those of `f64`, over ranges and at special values.

mod common;

use common::{On, array, close, outputs, real, same, whole};
use lift::ndarray::{Array1, ArrayD, IxDyn};
use lift::{Argument, Program};
use lift_operators::{Scalar, elementwise, scalar};

type Unary = fn(f64) -> f64;

/// By its series where that ends soon, else by a continued fraction.
fn erf(x: f64) -> f64 {
    let t = x.abs();
    if t < 3.0 {
        let term = |(n, term): &(f64, f64)| Some((n + 1.0, -term * x * x / (n + 1.0)));
        let terms = std::iter::successors(Some((0.0, x)), term).take(100);
        return terms.map(|(n, term)| term / (2.0 * n + 1.0)).sum::<f64>() * 2.0
            / std::f64::consts::PI.sqrt();
    }
    let fraction = (1..60).rev().fold(t, |rest, k| t + f64::from(k) / 2.0 / rest);
    (1.0 - (-t * t).exp() / fraction / std::f64::consts::PI.sqrt()) * x.signum()
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Functions of one number, with the range that they are tried in.
fn unary() -> Vec<(&'static Program, Unary, (f32, f32))> {
    let wide = (-30.0, 30.0);
    vec![
        (scalar::relu::program(), |x| x.max(0.0), wide),
        (scalar::sigmoid::program(), |x| 1.0 / (1.0 + (-x).exp()), (-100.0, 100.0)),
        (scalar::hard_swish::program(), |x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0), wide),
        (scalar::silu::program(), |x| x / (1.0 + (-x).exp()), wide),
        (scalar::softplus::program(), softplus, (-120.0, 120.0)),
        (scalar::softsign::program(), |x| x / (1.0 + x.abs()), wide),
        (scalar::mish::program(), |x| x * softplus(x).tanh(), wide),
        (scalar::erf::program(), erf, (-6.0, 6.0)),
        (scalar::gelu::program(), |x| 0.5 * x * (1.0 + erf(x / 2f64.sqrt())), (-6.0, 6.0)),
        (
            scalar::gelu_tanh::program(),
            |x| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh()),
            wide,
        ),
        (scalar::neg::program(), |x| -x, wide),
        (scalar::reciprocal::program(), |x| 1.0 / x, (0.1, 9.0)),
        (scalar::square::program(), |x| x * x, wide),
        (scalar::sign::program(), f64::signum, wide),
        (scalar::asinh::program(), f64::asinh, (-1e3, 1e3)),
        (scalar::acosh::program(), f64::acosh, (1.0, 1e3)),
        (scalar::atanh::program(), f64::atanh, (-0.99, 0.99)),
        (scalar::abs::program(), f64::abs, wide),
        (scalar::sqrt::program(), f64::sqrt, (0.0, 1e4)),
        (scalar::exp::program(), f64::exp, (-10.0, 3.0)),
        (scalar::ln::program(), f64::ln, (1e-3, 1e4)),
        (scalar::sin::program(), f64::sin, (-9.0, 9.0)),
        (scalar::cos::program(), f64::cos, (-9.0, 9.0)),
        (scalar::tan::program(), f64::tan, (-1.4, 1.4)),
        (scalar::asin::program(), f64::asin, (-1.0, 1.0)),
        (scalar::acos::program(), f64::acos, (-1.0, 1.0)),
        (scalar::atan::program(), f64::atan, wide),
        (scalar::sinh::program(), f64::sinh, (-4.0, 4.0)),
        (scalar::cosh::program(), f64::cosh, (-4.0, 4.0)),
        (scalar::tanh::program(), f64::tanh, wide),
        (scalar::floor::program(), f64::floor, wide),
        (scalar::ceil::program(), f64::ceil, wide),
        (scalar::round::program(), f64::round, wide),
        (scalar::trunc::program(), f64::trunc, wide),
        (scalar::round_even::program(), f64::round_ties_even, wide),
    ]
}

#[test]
fn of_one_number() {
    let mut random = fastrand::Rng::with_seed(1);
    for (program, f, (least, most)) in unary() {
        let xs = real(&[400], least, most, &mut random);
        let expected = xs.mapv(|x| f(f64::from(x)) as f32);
        let program = elementwise(program, 1, &[vec![true]]).expect("one parameter");
        close(&program, &[], &[&xs], &expected, 4e-6, On::Device);
    }
    let near = |program: &Program, xs: &[f32], expected: &[f32]| {
        let program = elementwise(program, 1, &[vec![true]]).expect("one parameter");
        let [xs, expected] = [xs, expected].map(|xs| Array1::from(xs.to_vec()).into_dyn());
        same(&program, &[], &[&xs], &expected, On::Device);
    };
    near(
        scalar::round_even::program(),
        &[0.5, 1.5, 2.5, -0.5, -1.5, 0.25, 1e9, f32::INFINITY],
        &[0.0, 2.0, 2.0, 0.0, -2.0, 0.0, 1e9, f32::INFINITY],
    );
    near(scalar::erf::program(), &[0.0, 100.0, f32::NEG_INFINITY, f32::NAN], &[0.0, 1.0, -1.0, f32::NAN]);
    near(scalar::sign::program(), &[0.0, -3.0, f32::INFINITY, f32::NAN], &[0.0, -1.0, 1.0, f32::NAN]);
    near(scalar::asinh::program(), &[0.0, 1e-6, -1e-6], &[0.0, 1e-6, -1e-6]);
    near(
        scalar::softplus::program(),
        &[f32::INFINITY, f32::NEG_INFINITY, 1000.0],
        &[f32::INFINITY, 0.0, 1000.0],
    );
}

/// To the last bits, also where it is small.
#[test]
fn the_error_function() {
    let mut random = fastrand::Rng::with_seed(4);
    let xs = real(&[2000], -4.0, 4.0, &mut random).mapv(|x| x * x * x / 16.0);
    let program = elementwise(scalar::erf::program(), 1, &[vec![true]]).expect("one parameter");
    for output in outputs(&program, &[], &[(&xs).into()], On::Device) {
        let got = output.into_array::<f32>().expect("numbers");
        for (x, got) in xs.iter().zip(&got) {
            let wanted = erf(f64::from(*x));
            assert!(
                (f64::from(*got) - wanted).abs() <= 2.0 * f64::from(f32::EPSILON) * wanted.abs(),
                "{x}: {got}"
            );
        }
    }
}

#[test]
fn with_numbers() {
    let mut random = fastrand::Rng::with_seed(2);
    type Many = fn(&[f64]) -> f64;
    let all: Vec<(&Program, Many, &[f32])> = vec![
        (scalar::leaky_relu::program(), |v| if v[0] < 0.0 { v[0] * v[1] } else { v[0] }, &[0.1]),
        (scalar::prelu::program(), |v| if v[0] < 0.0 { v[0] * v[1] } else { v[0] }, &[0.3]),
        (scalar::thresholded_relu::program(), |v| if v[0] > v[1] { v[0] } else { 0.0 }, &[1.5]),
        (scalar::elu::program(), |v| if v[0] < 0.0 { v[1] * v[0].exp_m1() } else { v[0] }, &[0.7]),
        (
            scalar::selu::program(),
            |v| v[2] * if v[0] < 0.0 { v[1] * v[0].exp_m1() } else { v[0] },
            &[1.6732632, 1.050701],
        ),
        (scalar::celu::program(), |v| v[0].max(0.0) + (v[1] * (v[0] / v[1]).exp_m1()).min(0.0), &[0.8]),
        (scalar::hard_sigmoid::program(), |v| (v[0] * v[1] + v[2]).clamp(0.0, 1.0), &[0.2, 0.5]),
        (scalar::clip::program(), |v| v[0].max(v[1]).min(v[2]), &[-1.0, 2.5]),
        (scalar::clip::program(), |v| v[0].max(v[1]).min(v[2]), &[3.0, 2.5]),
        (
            scalar::shrink::program(),
            |v| match v[0] {
                x if x < -v[2] => x + v[1],
                x if x > v[2] => x - v[1],
                _ => 0.0,
            },
            &[0.5, 1.5],
        ),
        (scalar::affine::program(), |v| v[0] * v[1] + v[2], &[1.5, -2.0]),
        (
            scalar::batch_norm::program(),
            |v| (v[0] - v[3]) / (v[4] + v[5]).sqrt() * v[1] + v[2],
            &[1.5, -2.0, 0.3, 2.0, 1e-5],
        ),
        (scalar::add::program(), |v| v[0] + v[1], &[2.5]),
        (scalar::sub::program(), |v| v[0] - v[1], &[2.5]),
        (scalar::mul::program(), |v| v[0] * v[1], &[2.5]),
        (scalar::div::program(), |v| v[0] / v[1], &[2.5]),
        (scalar::rem::program(), |v| v[0] % v[1], &[2.5]),
        (scalar::max::program(), |v| v[0].max(v[1]), &[1.0]),
        (scalar::min::program(), |v| v[0].min(v[1]), &[1.0]),
        (scalar::pow::program(), |v| v[0].powf(v[1]), &[3.0]),
    ];
    for (program, f, numbers) in all {
        let xs = real(&[200], -4.0, 4.0, &mut random);
        let expected = xs.mapv(|x| {
            let all =
                [&[f64::from(x)], &numbers.iter().map(|n| f64::from(*n)).collect::<Vec<_>>()[..]].concat();
            f(&all) as f32
        });
        let uses: Vec<Vec<bool>> = (0..=numbers.len()).map(|p| vec![p == 0]).collect();
        let program = elementwise(program, 1, &uses).expect("as many parameters");
        let numbers: Vec<ArrayD<f32>> = numbers.iter().map(|n| ArrayD::from_elem(vec![], *n)).collect();
        let arguments: Vec<&ArrayD<f32>> = std::iter::once(&xs).chain(&numbers).collect();
        close(&program, &[], &arguments, &expected, 4e-6, On::Device);
    }
}

#[test]
fn broadcast() {
    let mut random = fastrand::Rng::with_seed(3);
    for round in 0..60 {
        let rank = random.usize(0..=4);
        let shape: Vec<usize> = (0..rank).map(|_| random.usize(1..=4)).collect();
        // Each dimension is one of an array's at least: otherwise no argument says how long it is.
        let mut uses: Vec<Vec<bool>> = (0..3).map(|_| (0..rank).map(|_| random.bool()).collect()).collect();
        uses[random.usize(0..3)] = vec![true; rank];
        let of = |p: usize, i: &[usize]| -> Vec<usize> {
            i.iter().zip(&uses[p]).filter(|(_, used)| **used).map(|(i, _)| *i).collect()
        };
        let arrays: Vec<ArrayD<f32>> = (0..3).map(|p| whole(&of(p, &shape), &mut random)).collect();
        let expected =
            array(&shape, |i| arrays[0][&of(0, i)[..]] * arrays[1][&of(1, i)[..]] + arrays[2][&of(2, i)[..]]);
        let program = elementwise(scalar::affine::program(), rank, &uses).expect("three parameters");
        let on = if round % 20 == 0 { On::Device } else { On::Meaning };
        same(&program, &[], &arrays.iter().collect::<Vec<_>>(), &expected, on);
    }
    let wrong = elementwise(scalar::add::program(), 2, &[vec![true, true]]);
    assert_eq!(
        wrong.expect_err("one of two").to_string(),
        "`elementwise`: `add` has 2 parameters, and for each of them 2 dimensions are needed"
    );
}

#[test]
fn conditions() {
    let numbers = [0.0f32, 1.0, -1.0, f32::INFINITY, f32::NAN];
    type Compared = fn(f32, f32) -> bool;
    let all: [(&Program, Compared); 5] = [
        (scalar::equal::program(), |a, b| a == b),
        (scalar::less::program(), |a, b| a < b),
        (scalar::less_or_equal::program(), |a, b| a <= b),
        (scalar::greater::program(), |a, b| a > b),
        (scalar::greater_or_equal::program(), |a, b| a >= b),
    ];
    let xs = Array1::from(numbers.to_vec()).into_dyn();
    for (program, f) in all {
        let program = elementwise(program, 2, &[vec![true, false], vec![false, true]]).expect("two");
        for output in outputs(&program, &[], &[(&xs).into(), (&xs).into()], On::Device) {
            let expected: Vec<bool> =
                numbers.iter().flat_map(|a| numbers.iter().map(move |b| f(*a, *b))).collect();
            assert_eq!(output.into_array::<bool>().expect("flags").into_raw_vec_and_offset().0, expected);
        }
    }
    let flags = ArrayD::from_shape_vec(IxDyn(&[2]), vec![false, true]).expect("two");
    type Combined = fn(bool, bool) -> bool;
    let all: [(&Program, Combined); 3] = [
        (scalar::and::program(), |a, b| a && b),
        (scalar::or::program(), |a, b| a || b),
        (scalar::xor::program(), |a, b| a != b),
    ];
    for (program, f) in all {
        let program = elementwise(program, 2, &[vec![true, false], vec![false, true]]).expect("two");
        for output in outputs(&program, &[], &[(&flags).into(), (&flags).into()], On::Device) {
            let expected = [f(false, false), f(false, true), f(true, false), f(true, true)];
            assert_eq!(output.into_array::<bool>().expect("flags").into_raw_vec_and_offset().0, expected);
        }
    }
    let not = elementwise(scalar::not::program(), 1, &[vec![true]]).expect("one");
    for output in outputs(&not, &[], &[(&flags).into()], On::Device) {
        assert_eq!(output.into_array::<bool>().expect("flags").into_raw_vec_and_offset().0, [true, false]);
    }
    let choose =
        elementwise(scalar::choose::program(), 1, &[vec![true], vec![false], vec![false]]).expect("three");
    for output in outputs(&choose, &[], &[(&flags).into(), 1.5f32.into(), 2.5f32.into()], On::Device) {
        assert_eq!(output.into_array::<f32>().expect("numbers").into_raw_vec_and_offset().0, [2.5, 1.5]);
    }
}

#[test]
fn converted() {
    for from in Scalar::ALL {
        for to in Scalar::ALL {
            scalar::cast(from, to).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
        }
    }
    let wanted = |from: Argument, to: Scalar, given: Scalar| {
        let cast = scalar::cast(given, to).expect("types");
        outputs(&elementwise(&cast, 1, &[vec![true]]).expect("one"), &[], &[from], On::Device)
    };
    let xs = Array1::from(vec![0.0f32, -1.7, 2.9]).into_dyn();
    for output in wanted((&xs).into(), Scalar::I64, Scalar::F32) {
        assert_eq!(output.into_array::<i64>().expect("numbers").into_raw_vec_and_offset().0, [0, -1, 2]);
    }
    for output in wanted((&xs).into(), Scalar::Bool, Scalar::F32) {
        assert_eq!(
            output.into_array::<bool>().expect("flags").into_raw_vec_and_offset().0,
            [false, true, true]
        );
    }
    let flags = Array1::from(vec![false, true]).into_dyn();
    for output in wanted((&flags).into(), Scalar::F32, Scalar::Bool) {
        assert_eq!(output.into_array::<f32>().expect("numbers").into_raw_vec_and_offset().0, [0.0, 1.0]);
    }
}
