//! Programs made of programs by Rust functions: the whole gives what its parts give one after the
//! other.

mod common;

use common::devices;
use lift::prelude::*;
use lift::{Argument, ComposeError, Error, Program, SizeError};
use lift_core::scalar::Value;
use ndarray::{Array1, Array2, array};

lift! {
    /// A convolution whose output is 2 shorter each way.
    pub fn conv<H, W>(kernel: [[f32; 3]; 3], image: [[f32; W]; H]) -> [[f32; W - 2]; H - 2]
    where
        H >= 3,
        W >= 3,
    {
        map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))),
            slide2D((3, 3), (1, 1), image),
        )
    }

    /// The largest of each 2 × 2.
    pub fn pool<H, W>(image: [[f32; 2 * W]; 2 * H]) -> [[f32; W]; H] {
        map2D(|tile| reduce(f32::NEG_INFINITY, max, join(tile)), split2D((2, 2), image))
    }

    pub fn add<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(xs, ys))
    }

    pub fn scale<N>(factor: f32, xs: [f32; N]) -> [f32; N] {
        map(|x| x * factor, xs)
    }

    pub fn ends<N>(xs: [f32; N]) -> (f32, [f32; 1]) {
        (reduce(0.0, |_, x| x, xs), take(1, xs))
    }

    pub fn fourth() -> [f32; 4] {
        repeat(4, 1.0)
    }

    pub fn three(xs: [f32; 3]) -> f32 {
        reduce(0.0, |a, x| a + x, xs)
    }
}

/// Any network with an input, its output added to the input: what a Rust function makes of a program.
fn residual(block: &Program, input: &str) -> Result<Program, ComposeError> {
    add::program().rename("xs", "skipped")?.of("ys", block)?.share(input, "skipped")
}

fn run(program: &Program, device: &Device, arguments: &[Argument]) -> Result<ndarray::ArrayD<f32>, Error> {
    lift::run(program, device, &[], arguments)?.remove(0).into_array()
}

#[test]
fn a_pyramid() -> Result<(), Box<dyn std::error::Error>> {
    let pyramid = conv::program().of("image", &pool::program().of("image", conv::program())?)?;
    assert_eq!(
        pyramid.params().iter().map(|p| p.local.name.to_string()).collect::<Vec<_>>(),
        ["kernel2", "kernel", "image"]
    );
    assert_eq!(pyramid.result().to_string(), "[[f32; W / 2 - 3]; H / 2 - 3]");
    let clauses: Vec<String> = pyramid.function.wheres.iter().map(|(c, _)| c.to_string()).collect();
    assert_eq!(clauses, ["H >= 3", "W >= 3", "H % 2 == 0", "W % 2 == 0", "H / 2 - 1 >= 3", "W / 2 - 1 >= 3"]);
    let image = Array2::from_shape_fn((12, 20), |(y, x)| ((y * 7 + x * 5) % 11) as f32);
    let (first, second) = (Array2::from_shape_fn((3, 3), |(y, x)| (y + x) as f32), Array2::eye(3));
    for device in devices::all() {
        let small = conv(device, first.view(), image.view())?;
        let expected = conv(device, second.view(), pool(device, small.view())?.view())?;
        let got = run(&pyramid, device, &[(&second).into(), (&first).into(), (&image).into()])?;
        assert_eq!(got, expected.into_dyn());
        let meant = lift::interpret(&pyramid, &[], &[(&second).into(), (&first).into(), (&image).into()])?;
        assert_eq!(meant.into_iter().next().map(|m| m.into_array()).transpose()?, Some(got));
    }
    let odd = Array2::<f32>::zeros((13, 20));
    let arguments = [(&second).into(), (&first).into(), (&odd).into()];
    let error = run(&pyramid, &devices::all()[0], &arguments).expect_err("an odd number of rows");
    assert!(matches!(error, Error::Size(SizeError::Where { .. })), "{error}");
    Ok(())
}

#[test]
fn a_residual_block() -> Result<(), Box<dyn std::error::Error>> {
    let block = residual(scale::program(), "xs")?;
    assert_eq!(block.params().len(), 2);
    let xs: Array1<f32> = array![1.0, 2.0, 3.0];
    for device in devices::all() {
        let got = run(&block, device, &[3.0f32.into(), (&xs).into()])?;
        assert_eq!(got, array![4.0f32, 8.0, 12.0].into_dyn());
    }
    Ok(())
}

#[test]
fn a_batch() -> Result<(), Box<dyn std::error::Error>> {
    let batch = scale::program().each("B", &["xs"])?;
    assert_eq!(batch.result().to_string(), "[[f32; N]; B]");
    let both = scale::program().each("B", &["xs", "factor"])?;
    let ends = ends::program().each("B", &["xs"])?;
    assert_eq!(ends.result().to_string(), "([f32; B], [[f32; 1]; B])");
    let xs: Array2<f32> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    for device in devices::all() {
        let got = run(&batch, device, &[2.0f32.into(), (&xs).into()])?;
        assert_eq!(got, (&xs * 2.0).into_dyn());
        let factors: Array1<f32> = array![1.0, -1.0];
        let got = run(&both, device, &[(&factors).into(), (&xs).into()])?;
        assert_eq!(got, array![[1.0f32, 2.0, 3.0], [-4.0, -5.0, -6.0]].into_dyn());
        let last = run(&ends, device, &[(&xs).into()])?;
        assert_eq!(last, array![3.0f32, 6.0].into_dyn());
    }
    Ok(())
}

#[test]
fn a_number_that_is_known() -> Result<(), Box<dyn std::error::Error>> {
    let doubled = scale::program().with_number("factor", Value::F32(2.0))?;
    assert_eq!(doubled.params().len(), 1);
    let xs = array![1.0f32, 2.5];
    for device in devices::all() {
        assert_eq!(run(&doubled, device, &[(&xs).into()])?, array![2.0f32, 5.0].into_dyn());
    }
    let said = |parameter: &str, value: Value| {
        scale::program().with_number(parameter, value).expect_err("it does not fit").to_string()
    };
    assert_eq!(
        said("factor", Value::F64(2.0)),
        "`factor` of `scale` is f32, but the number that is given is f64"
    );
    assert_eq!(
        said("xs", Value::F32(2.0)),
        "`xs` of `scale` is [f32; N], but the number that is given is f32"
    );
    assert_eq!(said("n", Value::F32(2.0)), "`scale` has no parameter `n`: it has `factor`, `xs`");
    Ok(())
}

#[test]
fn what_does_not_fit_is_said() {
    let message = |result: Result<Program, ComposeError>| result.expect_err("it does not fit").to_string();
    let missing = message(conv::program().of("picture", pool::program()));
    assert_eq!(missing, "`conv` has no parameter `picture`: it has `kernel`, `image`");
    let ranks = message(conv::program().of("image", add::program()));
    assert_eq!(ranks, "`image` of `conv` is [[f32; W]; H], but the result of `add` is [f32; N]");
    let lengths = message(three::program().of("xs", &fourth::program().named("four")));
    assert_eq!(
        lengths,
        "`xs` of `three` is [f32; 3] and the result of `four` is [f32; 4]: no sizes make 3 equal to 4"
    );
    let taken = message(scale::program().each("N", &["xs"]));
    assert_eq!(taken, "`N` is the name of a size or parameter of `scale` already");
    let unknown = message(scale::program().rename("M", "K"));
    assert_eq!(unknown, "`scale` has neither a parameter nor a size `M`: it has `N`, `factor`, `xs`");
    let tuple = message(add::program().of("xs", ends::program()));
    assert_eq!(tuple, "`xs` of `add` is [f32; N], but the result of `ends` is (f32, [f32; 1])");
}
