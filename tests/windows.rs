//! On a GPU sums over small windows are written out, and whether an element lies in the array is tested only where it may lie outside.

use lift::prelude::*;
use lift::target::{Class, Description, Target};
use lift::{Program, Sizes};

lift! {
    /// Each channel by itself.
    pub fn by_channel<K, C, H, W, P>(kernels: [[[f32; C]; K]; K], input: [[[f32; C]; W]; H]) -> [[[f32; C]; W + 2 * P - K + 1]; H + 2 * P - K + 1]
    where
        K <= H + 2 * P,
        K <= W + 2 * P,
    {
        let channels = |window| transpose(join(window));
        let sum = |(xs, ws)| reduce(0.0, |acc, (x, w)| acc + x * w, zip(xs, ws));
        map2D(
            |window| map(sum, zip(channels(window), channels(kernels))),
            slide2D((K, K), (1, 1), pad2D(P, P, P, P, 0.0, input)),
        )
    }

    /// The product of each row with one: its elements are read in order, without a test.
    pub fn dots<N, M>(rows: [[f32; M]; N], row: [f32; M]) -> [f32; N] {
        map(|xs| reduce(0.0, |acc, (x, y)| acc + x * y, zip(xs, row)), rows)
    }
}

/// The kernel of a program as it is written: its text, how many products it adds up, and whether it has a loop.
fn kernel(program: &Program, sizes: &[i64], class: Class) -> (String, usize, bool) {
    let target = Target::of(&Description::unknown(class, 16));
    let sizes = Sizes(program.sizes().iter().map(|s| s.var.clone()).zip(sizes.iter().copied()).collect());
    let text = lift_core::compile(program, &sizes, &target).expect("it compiles at these sizes").opencl();
    let (products, loops) = (text.matches("fma(").count(), text.contains("for ("));
    (text, products, loops)
}

#[test]
fn small_windows_are_written_out_on_a_gpu() {
    for k in [3, 5, 7] {
        let (text, products, loops) = kernel(by_channel::program(), &[k, 32, 28, 28, k / 2], Class::Gpu);
        assert_eq!((products as i64, loops), (k * k, false), "{text}");
        // The element in the middle is always there; each of the others lies in the padding at some border.
        let asked = text.lines().filter(|line| line.contains("fma(") && line.contains("? ")).count() as i64;
        assert_eq!(asked, k * k - 1, "{text}");
    }
}

#[test]
fn what_is_large_or_tells_nothing_stays_a_loop() {
    let (text, _, loops) = kernel(by_channel::program(), &[15, 32, 28, 28, 7], Class::Gpu);
    assert!(loops, "{text}");
    let (text, _, loops) = kernel(dots::program(), &[1000, 25], Class::Gpu);
    assert!(loops, "{text}");
    let (text, _, loops) = kernel(by_channel::program(), &[5, 32, 28, 28, 2], Class::Processor);
    assert!(loops, "{text}");
}
