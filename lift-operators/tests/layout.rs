//! Other shapes and orders against `ndarray` and loops.

mod common;

use common::{On, array, close, outputs, same, whole};
use lift::ndarray::{ArrayD, IxDyn, concatenate};
use lift_operators::layout::{BlockOrder, Coordinates, Nearest, Padding, Resize};
use lift_operators::{Scalar, layout};

fn shape(random: &mut fastrand::Rng, most: usize) -> Vec<usize> {
    (0..random.usize(1..=4)).map(|_| random.usize(1..=most)).collect()
}

/// One in so many rounds on a device.
fn on(round: usize, every: usize) -> On {
    if round % every == 0 { On::Device } else { On::Meaning }
}

/// The same primes in another number of factors, in order, with ones between them.
fn regrouped(primes: &[usize], random: &mut fastrand::Rng) -> Vec<usize> {
    let mut shape = vec![];
    for prime in primes {
        match shape.last_mut() {
            Some(last) if random.bool() => *last *= prime,
            _ => shape.push(*prime),
        }
        if random.u8(0..5) == 0 {
            shape.push(1);
        }
    }
    if random.u8(0..5) == 0 {
        shape.insert(0, 1);
    }
    shape
}

#[test]
fn reshaped() {
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..150 {
        let primes: Vec<usize> =
            (0..random.usize(0..5)).map(|_| random.choice([2, 3, 5]).unwrap_or(2)).collect();
        let mut other = primes.clone();
        if random.bool() {
            random.shuffle(&mut other);
        }
        let (from, to) = (regrouped(&primes, &mut random), regrouped(&other, &mut random));
        let x = whole(&from, &mut random);
        let program = layout::reshape(Scalar::F32, &from, &to).expect("as many elements");
        let expected = x.clone().into_shape_with_order(IxDyn(&to)).expect("as many elements");
        same(&program, &[], &[&x], &expected, on(round, 50));
    }
    let flags = ArrayD::from_shape_vec(vec![2, 2], vec![true, false, false, true]).expect("four");
    let program = layout::reshape(Scalar::Bool, &[2, 2], &[4]).expect("as many elements");
    for output in outputs(&program, &[], &[(&flags).into()], On::Device) {
        assert_eq!(
            output.into_array::<bool>().expect("flags").into_raw_vec_and_offset().0,
            [true, false, false, true]
        );
    }
}

#[test]
fn permuted() {
    let mut random = fastrand::Rng::with_seed(2);
    for round in 0..80 {
        let x = whole(&shape(&mut random, 4), &mut random);
        let mut order: Vec<usize> = (0..x.ndim()).collect();
        random.shuffle(&mut order);
        let program = layout::permute(Scalar::F32, &order).expect("an order");
        let expected = x.clone().permuted_axes(IxDyn(&order)).as_standard_layout().into_owned();
        same(&program, &[], &[&x], &expected, on(round, 40));
    }
}

#[test]
fn concatenated() {
    let mut random = fastrand::Rng::with_seed(3);
    for round in 0..60 {
        let shape = shape(&mut random, 4);
        let (axis, count) = (random.usize(0..shape.len()), random.usize(1..=4));
        let arrays: Vec<ArrayD<f32>> = (0..count)
            .map(|_| {
                let mut shape = shape.clone();
                shape[axis] = random.usize(1..=4);
                whole(&shape, &mut random)
            })
            .collect();
        let program = layout::concat(Scalar::F32, shape.len(), axis, count).expect("arrays");
        let views: Vec<_> = arrays.iter().map(|a| a.view()).collect();
        let expected = concatenate(lift::ndarray::Axis(axis), &views).expect("arrays of one shape");
        same(&program, &[], &arrays.iter().collect::<Vec<_>>(), &expected, on(round, 20));
    }
}

#[test]
fn sliced() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut rounds = 0;
    while rounds < 100 {
        let shape = shape(&mut random, 7);
        let axis = random.usize(0..shape.len());
        let n = shape[axis] as i64;
        let (start, step) = (random.i64(0..n), [-3, -2, -1, 1, 2, 3][random.usize(0..6)]);
        let stop = random.i64(-1..=n);
        let mut places = vec![];
        let mut at = start;
        while (step > 0 && at < stop) || (step < 0 && at > stop) {
            places.push(at as usize);
            at += step;
        }
        let program = layout::slice(Scalar::F32, shape.len(), axis, (start as usize, stop, step));
        if places.is_empty() {
            assert!(program.is_err());
            continue;
        }
        rounds += 1;
        let x = whole(&shape, &mut random);
        let expected = x.select(lift::ndarray::Axis(axis), &places);
        same(&program.expect("elements"), &[], &[&x], &expected, on(rounds, 25));

        let places: Vec<usize> = (0..random.usize(1..9)).map(|_| random.usize(0..shape[axis])).collect();
        let program = layout::gather(Scalar::F32, shape.len(), axis, &places).expect("indices");
        same(&program, &[], &[&x], &x.select(lift::ndarray::Axis(axis), &places), on(rounds, 25));
    }
}

#[test]
fn padded() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut rounds = 0;
    while rounds < 150 {
        let shape = shape(&mut random, 5);
        let axis = random.usize(0..shape.len());
        let n = shape[axis] as i64;
        let (before, after) = (random.i64(-2..=4), random.i64(-2..=4));
        let left = n + before.min(0) + after.min(0);
        let padding = [Padding::Constant, Padding::Edge, Padding::Reflect, Padding::Wrap][random.usize(0..4)];
        let most = match padding {
            Padding::Constant | Padding::Edge => 4,
            Padding::Reflect => left - 1,
            Padding::Wrap => left,
        };
        if left < 1 || before.max(after) > most {
            continue;
        }
        rounds += 1;
        let x = whole(&shape, &mut random);
        let (first, last) = ((-before).max(0), n - 1 - (-after).max(0));
        let place = |i: i64| match padding {
            _ if (first..=last).contains(&i) => Some(i),
            Padding::Constant => None,
            Padding::Edge => Some(i.clamp(first, last)),
            Padding::Reflect => Some(if i < first { 2 * first - i } else { 2 * last - i }),
            Padding::Wrap => Some((i - first).rem_euclid(left) + first),
        };
        let mut result = shape.clone();
        result[axis] = (n + before + after) as usize;
        let expected = array(&result, |i| {
            let mut i = i.to_vec();
            place(i[axis] as i64 - before).map_or(7.0, |p| {
                i[axis] = p as usize;
                x[&i[..]]
            })
        });
        let program = layout::pad(Scalar::F32, shape.len(), axis, (before, after), padding).expect("an axis");
        let value = ArrayD::from_elem(vec![], 7.0);
        let arguments = if padding == Padding::Constant { vec![&x, &value] } else { vec![&x] };
        same(&program, &[], &arguments, &expected, on(rounds, 25));
    }
}

#[test]
fn repeated() {
    let mut random = fastrand::Rng::with_seed(6);
    for round in 0..60 {
        let to = shape(&mut random, 4);
        let kept = random.usize(0..=to.len());
        let from: Vec<usize> =
            to[to.len() - kept..].iter().map(|n| if random.bool() { 1 } else { *n }).collect();
        let x = whole(&from, &mut random);
        let program = layout::expand(Scalar::F32, &from, &to).expect("a shape that it fits into");
        let expected = x.broadcast(IxDyn(&to)).expect("a shape that it fits into").to_owned();
        same(&program, &[], &[&x], &expected, on(round, 20));

        let x = whole(&to, &mut random);
        let times: Vec<usize> = to.iter().map(|_| random.usize(1..=3)).collect();
        let result: Vec<usize> = to.iter().zip(&times).map(|(n, times)| n * times).collect();
        let expected = array(&result, |i| x[&i.iter().zip(&to).map(|(i, n)| i % n).collect::<Vec<_>>()[..]]);
        same(&layout::tile(Scalar::F32, &times).expect("times"), &[], &[&x], &expected, on(round, 20));
    }
}

#[test]
fn blocks() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..20 {
        let [n, c, h, w] = [(); 4].map(|()| random.usize(1..=3));
        let b = random.usize(1..=3);
        let deep = whole(&[n, c * b * b, h, w], &mut random);
        for (order, name) in [(BlockOrder::DepthLast, "DCR"), (BlockOrder::DepthFirst, "CRD")] {
            let expected = array(&[n, c, h * b, w * b], |i| {
                let (y, x) = (i[2] % b, i[3] % b);
                let channel = if name == "DCR" { (y * b + x) * c + i[1] } else { (i[1] * b + y) * b + x };
                deep[[i[0], channel, i[2] / b, i[3] / b]]
            });
            let program = layout::depth_to_space(Scalar::F32, b, order).expect("a side");
            same(&program, &[], &[&deep], &expected, on(round, 10));
        }
        let wide = whole(&[n, c, h * b, w * b], &mut random);
        let expected = array(&[n, c * b * b, h, w], |i| {
            let (place, channel) = (i[1] / c, i[1] % c);
            wide[[i[0], channel, i[2] * b + place / b, i[3] * b + place % b]]
        });
        let program = layout::space_to_depth(Scalar::F32, b).expect("a side");
        same(&program, &[], &[&wide], &expected, on(round, 10));
    }
}

/// By the formulas of ONNX, in floats.
fn place(resize: &Resize, i: usize) -> f64 {
    let (from, to, i) = (resize.from as f64, resize.to as f64, i as f64);
    let scale = resize.scale.unwrap_or(to / from);
    match resize.coordinates {
        Coordinates::Asymmetric => i / scale,
        Coordinates::HalfPixel => (i + 0.5) / scale - 0.5,
        Coordinates::PytorchHalfPixel if resize.to > 1 => (i + 0.5) / scale - 0.5,
        Coordinates::AlignCorners if resize.to > 1 => i * (from - 1.0) / (to - 1.0),
        Coordinates::PytorchHalfPixel | Coordinates::AlignCorners => 0.0,
    }
}

#[test]
fn resized() {
    let mut random = fastrand::Rng::with_seed(8);
    for round in 0..200 {
        let shape = shape(&mut random, 6);
        let axis = random.usize(0..shape.len());
        let from = shape[axis];
        let coordinates = [
            Coordinates::Asymmetric,
            Coordinates::HalfPixel,
            Coordinates::PytorchHalfPixel,
            Coordinates::AlignCorners,
        ][random.usize(0..4)];
        let given = [None, Some(2.0), Some(1.5), Some(0.6), Some(2.3f32 as f64)][random.usize(0..5)];
        let to = given.map_or(random.usize(1..=15), |scale| (from as f64 * scale).floor() as usize);
        if to == 0 {
            continue;
        }
        let resize = Resize { from, to, scale: given, coordinates };
        let nearest =
            [Nearest::PreferFloor, Nearest::PreferCeil, Nearest::Floor, Nearest::Ceil][random.usize(0..4)];
        let x = whole(&shape, &mut random);
        let mut result = shape.clone();
        result[axis] = to;
        let with = |i: &[usize], p: f64| {
            let mut i = i.to_vec();
            i[axis] = (p.max(0.0) as usize).min(from - 1);
            x[&i[..]]
        };
        // Halves are exact up to the errors of the formulas.
        let expected = array(&result, |i| {
            let p = place(&resize, i[axis]);
            with(
                i,
                match nearest {
                    Nearest::PreferFloor => (p - 0.5 - 1e-6).ceil(),
                    Nearest::PreferCeil => (p + 0.5 + 1e-6).floor(),
                    Nearest::Floor => (p + 1e-6).floor(),
                    Nearest::Ceil => (p - 1e-6).ceil(),
                },
            )
        });
        let program =
            layout::resize_nearest(Scalar::F32, shape.len(), axis, resize, nearest).expect("lengths");
        same(&program, &[], &[&x], &expected, on(round, 25));
        let expected = array(&result, |i| {
            let p = place(&resize, i[axis]).clamp(0.0, (from - 1) as f64);
            let weight = (p - p.floor()) as f32;
            with(i, p.floor()) * (1.0 - weight) + with(i, p.floor() + 1.0) * weight
        });
        let program = layout::resize_linear(Scalar::F32, shape.len(), axis, resize).expect("lengths");
        close(&program, &[], &[&x], &expected, 1e-5, on(round, 25));
    }
}

#[test]
fn what_is_refused() {
    let message = |result: Result<lift::Program, lift_operators::OperatorError>| {
        result.expect_err("it is refused").to_string()
    };
    assert_eq!(
        message(layout::reshape(Scalar::F32, &[2, 3], &[4])),
        "`reshape`: arrays of shapes [2, 3] and [4] do not have the same number of elements, 1 or more"
    );
    assert_eq!(
        message(layout::permute(Scalar::F32, &[0, 0])),
        "`permute`: [0, 0] is no order of 2 dimensions"
    );
    assert_eq!(
        message(layout::concat(Scalar::F32, 2, 2, 3)),
        "`concat`: there is no axis 2 in an array of 2 dimensions"
    );
    assert_eq!(
        message(layout::slice(Scalar::F32, 1, 0, (3, 3, 1))),
        "`slice`: there are no elements from 3 to 3 in steps of 1"
    );
    let resize = |from, to, scale| {
        let resize = Resize { from, to, scale, coordinates: Coordinates::HalfPixel };
        layout::resize_linear(Scalar::F32, 1, 0, resize)
    };
    for huge in [
        resize(usize::MAX, 3, None),
        resize(3, usize::MAX, None),
        resize(0, 3, None),
        resize(1 << 20, (1 << 20) - 1, None),
        resize(3, 3, Some(f64::NAN)),
        resize(3, 3, Some(0.0)),
        resize(3, 3, Some(1e-9)),
        layout::reshape(Scalar::F32, &[usize::MAX, 3], &[3, usize::MAX]),
        layout::slice(Scalar::F32, 1, 0, (usize::MAX, i64::MAX, -1)),
        layout::depth_to_space(Scalar::F32, usize::MAX, BlockOrder::DepthLast),
    ] {
        assert!(huge.is_err());
    }
    // Numbers at the limits are checked, or refused, but never a panic.
    for n in [i64::MIN, i64::MAX] {
        for padding in [Padding::Constant, Padding::Edge, Padding::Reflect, Padding::Wrap] {
            let _ = layout::pad(Scalar::F32, 1, 0, (n, n), padding);
        }
        let _ = layout::slice(Scalar::F32, 1, 0, (0, n, 1));
        let _ = layout::slice(Scalar::F32, 1, 0, (0, 5, n));
    }
}
