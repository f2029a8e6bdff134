//! The text of generated kernels, read by people: short, named after the user's parameters and
//! sizes, no division where the shapes are regular, no loop that one would have left out.
//!
//! `LIFT_UPDATE_GOLDEN=1 cargo test --test golden` writes the files anew; read what changed.

use lift::constraints::Limits;
use lift::prelude::*;
use lift::schedules::{
    BLOCKED, CHUNKS, COMBINED, DIRECT, DOTS, FRAMED, MAPPED, SCANS, Schedule, TILED, TURNED,
};
use lift::target::Target;
use lift_core::kernel::{Parallel, Plan, Space, Stmt};
use lift_core::nat::Nat;
use lift_core::{Program, Sizes};
use std::path::Path;

lift! {
    pub fn convolution<K, KH, KW, C, H, W>(
        const kernels: [[[[f32; C]; KW]; KH]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - KW + 3]; H - KH + 3]
    where
        KH <= H + 2,
        KW <= W + 2,
    {
        let padded = pad2D(1, 1, 1, 1, 0.0, input);
        let windows = slide2D((KH, KW), (1, 1), padded);
        map2D(
            |window| map(
                |(kernel, bias)| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                zip(kernels, biases),
            ),
            windows,
        )
    }

    /// A layer of 1 × 1 kernels, channels first.
    pub fn pointwise<K, C, H, W>(
        const kernels: [[f32; C]; K],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W]; H]; K] {
        let pixels = map(transpose, transpose(input));
        map(
            |kernel| map2D(
                |pixel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(pixel, kernel)),
                pixels,
            ),
            kernels,
        )
    }

    pub fn planes<C, H, W>(const kernels: [[[f32; 3]; 3]; C], input: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; C] {
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel)));
        let windows = |plane| slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, plane));
        map(|(plane, kernel)| map2D(|window| sum(window, kernel), windows(plane)), zip(input, kernels))
    }

    pub fn turned<H, W>(xs: [[f32; W]; H]) -> [[f32; H]; W] {
        transpose(xs)
    }

    pub fn product<M, N, K>(a: [[f32; K]; M], b: [[f32; N]; K]) -> [[f32; N]; M] {
        let dot = |row, column| reduce(0.0, |sum, (x, y)| sum + x * y, zip(row, column));
        map(|row| map(|column| dot(row, column), transpose(b)), a)
    }

    pub fn softmax<N>(xs: [f32; N]) -> [f32; N] {
        let largest = reduce(f32::NEG_INFINITY, max, xs);
        let powers = map(|x| exp(x - largest), xs);
        let total = reduce(0.0, |a, x| a + x, powers);
        map(|x| x / total, powers)
    }

    pub fn columns<N, M>(xs: [[f32; M]; N]) -> [f32; M] {
        map(|column| reduce(0.0, |sum, x| sum + x, column), transpose(xs))
    }

    pub fn rows<N, M>(xs: [[f32; N]; M]) -> [[f32; N]; M] {
        map(softmax, xs)
    }

    pub fn prefixes<N, M>(xs: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|row| scan(0.0, |sum, x| sum + x, row), xs)
    }

    pub fn blur<H, W>(image: [[u8; W]; H]) -> [[u8; W]; H] {
        let windows = slide2D((3, 3), (1, 1), padClamp2D(1, 1, 1, 1, image));
        map2D(|window| (reduce(0, |sum, x| sum + x as i32, join(window)) / 9) as u8, windows)
    }

    pub fn smoothed<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        let mean = |window| reduceSeq(0.0, |sum, (x, c)| sum + x * c, zip(window, [0.25, 0.5, 0.25]));
        mapGlb(0, |row| mapSeq(mean, rotated(slide(3, 1, padClamp(1, 1, row)))), rows)
    }

    pub fn heat<N>(rod: [f32; N]) -> [f32; N] {
        let step = |xs| map(
            |w| reduce(0.0, |sum, (x, c)| sum + x * c, zip(w, [0.25, 0.5, 0.25])),
            slide(3, 1, padWrap(1, 1, xs)),
        );
        iterate(3, step, rod)
    }

    pub fn statistics<N, M>(xs: [[f32; N]; M], scale: f32) -> ([f32; M], [f32; M], f32) {
        let range = |row| reduce(
            (f32::INFINITY, f32::NEG_INFINITY),
            |(low, high), x| (min(low, x), max(high, x)),
            row,
        );
        let (lows, highs) = unzip(map(range, xs));
        (lows, highs, scale * reduce(0.0, |a, x| a + x, join(xs)))
    }
}

fn check(name: &str, program: &Program, sizes: &[i64]) {
    let sizes = Sizes(program.sizes().iter().map(|s| s.var.clone()).zip(sizes.iter().copied()).collect());
    let plan = lift_core::compile(program, &sizes, &Target::default())
        .expect("these programs compile at these sizes");
    for (text, ending) in [(plan.opencl(), "cl"), (plan.c(), "c")] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.{ending}"));
        if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &text).expect("the folder is there");
        }
        let golden = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(text == golden, "{} should be\n{text}", file.display());
    }
}

/// What a schedule makes of the convolution, at a point of its parameters.
fn check_schedule(schedule: &Schedule, options: &[&str], point: &[i64]) {
    let point = [&[64, 3, 3, 64, 56, 56], point].concat();
    check_form(schedule.name, schedule, options, convolution::program(), &point);
}

/// What a schedule makes of a program, at a point of all sizes.
fn check_form(name: &str, schedule: &Schedule, options: &[&str], program: &Program, point: &[i64]) {
    let candidate = schedule.derive(program, options).expect("it applies");
    let vars = candidate.program.sizes().iter().map(|size| size.var.clone());
    let sizes = Sizes(vars.zip(point.iter().copied()).collect());
    let placed = candidate.placed(&sizes, Limits::default()).expect("there is room");
    check(name, &placed, point);
    let plan = lift_core::compile(&placed, &sizes, &Target::default()).expect("it compiled before");
    is_tight(&plan);
}

/// As a person would leave it: no loop of one iteration, nothing private in an array that is indexed, and no index divided
/// in the loops that compute.
fn is_tight(plan: &Plan) {
    let text = plan.opencl();
    let value = |n: &Nat| {
        n.substitute(&|v| plan.sizes.iter().find(|(size, _)| size == v).map(|(_, n)| Nat::constant(*n)))
    };
    let mut loops = 0;
    for kernel in &plan.modules[0].kernels {
        for stmt in kernel.item.as_ref().unwrap_or(&kernel.body) {
            stmt.visit(&mut |stmt| match stmt {
                Stmt::Loop { var, extent, parallel: Parallel::Sequential, .. } => {
                    loops += 1;
                    assert!(value(extent).as_constant() > Some(1), "{var} has {extent} iterations\n{text}");
                }
                Stmt::Array(array, _) => {
                    assert_eq!(array.space, Space::Local, "{array} is an array\n{text}");
                }
                _ => {}
            });
        }
    }
    assert!(loops > 0, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    for (k, head) in lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("for (")) {
        let end = format!("{}}}", &head[..head.len() - head.trim_start().len()]);
        let body: Vec<&str> = lines[k + 1..].iter().copied().take_while(|line| *line != end).collect();
        let sums = body.iter().any(|line| line.contains("fma("));
        let innermost = !body.iter().any(|line| line.contains("for ("));
        let divides = |line: &&str| [" / ", " % "].iter().any(|sign| line.contains(sign));
        assert!(!(sums && innermost && body.iter().any(divides)), "{head}\n{text}");
    }
}

#[test]
fn direct_is_a_tile_for_each_group_with_sums_in_registers() {
    check_schedule(&DIRECT, &["padded", "coalesced"], &[4, 4, 2, 4, 4]);
}

/// GPGPU'20, table 4: its best point of layer 7.
#[test]
fn direct_of_flat_windows_is_one_loop_over_a_chunk() {
    let candidate = DIRECT
        .derive(convolution::program(), &["padded", "coalesced", "flat", "extended"])
        .expect("it applies");
    check("direct_flat", &candidate.program, &[128, 3, 3, 128, 112, 112, 3, 4, 3, 36, 4, 11]);
}

#[test]
fn combined_is_one_loop_over_channels_with_sums_in_registers() {
    check_schedule(&COMBINED, &["packed", "padded"], &[8, 4, 1, 4]);
}

#[test]
fn dots_adds_up_terms_in_the_lanes_of_vectors_and_then_these() {
    check_schedule(&DOTS, &["padded"], &[4, 2, 1, 4]);
}

#[test]
fn tiled_loads_weights_once_for_all_positions() {
    check_schedule(&TILED, &["packed", "padded"], &[8, 2, 2, 4, 4, 1, 4, 4, 4]);
}

#[test]
fn mapped_is_copied_by_a_group_and_summed_up_in_registers() {
    check_schedule(&MAPPED, &["inputs", "weights"], &[4, 4, 8, 2, 2, 2]);
}

#[test]
fn blocked_fetches_the_next_blocks_while_it_computes_with_these() {
    check_schedule(&BLOCKED, &["ahead"], &[8, 8, 4, 4, 8, 4, 4, 0]);
}

/// Neighbouring work-items read and write neighbouring elements, and a row is read once.
#[test]
fn scans_carry_a_sum_from_piece_to_piece_in_local_memory() {
    check_form(
        "scans_carried",
        &SCANS,
        &["shared", "staged", "carried"],
        prefixes::program(),
        &[65536, 256, 8, 16, 4096, 1],
    );
}

#[test]
fn blocked_through_caches_has_no_local_memory_and_no_barrier() {
    let point = [64, 3, 3, 64, 56, 56, 8, 8, 2, 4, 4, 4, 4];
    check_form("blocked_cached", &BLOCKED, &["cached"], convolution::program(), &point);
}

#[test]
fn blocked_slides_windows_over_a_row_in_local_memory() {
    let point = [64, 3, 3, 64, 56, 56, 2, 16, 4, 4, 8, 4, 4, 0];
    check_form("blocked_sliding", &BLOCKED, &["sliding"], convolution::program(), &point);
}

#[test]
fn blocked_interleaves_vectors_and_writes_out_the_terms_of_a_block() {
    let point = [64, 64, 64, 2, 4, 4, 8, 4, 4, 4, 4];
    check_form("blocked_interleaved", &BLOCKED, &["interleaved", "unrolled"], product::program(), &point);
}

#[test]
fn blocked_makes_a_matrix_product_of_a_layer_of_single_elements() {
    let point = [64, 64, 56, 56, 8, 8, 4, 4, 8, 4, 4, 4];
    check_form("blocked_pointwise", &BLOCKED, &[], pointwise::program(), &point);
}

/// Neighbouring work-items read neighbours, and write neighbours.
#[test]
fn turned_goes_through_local_memory() {
    check_form("turned_shared", &TURNED, &["shared"], turned::program(), &[1024, 512, 32, 8]);
}

/// Only the copy asks where the picture ends.
#[test]
fn framed_copies_what_the_windows_of_a_tile_reach() {
    let candidate = FRAMED.derive(planes::program(), &[]).expect("it applies");
    check("framed", &candidate.program, &[32, 112, 112, 4, 4, 16]);
}

#[test]
fn chunks_of_columns_are_summed_up_by_two_kernels() {
    let candidate = CHUNKS.derive(columns::program(), &[]).expect("it applies");
    check("chunks_of_columns", &candidate.program, &[4096, 1024, 128, 8, 32]);
}

#[test]
fn a_convolution_is_three_loops_without_division() {
    check("convolution", convolution::program(), &[64, 3, 3, 64, 56, 56]);
}

#[test]
fn a_matrix_product_is_one_loop() {
    check("product", product::program(), &[64, 48, 100]);
}

#[test]
fn windows_in_registers_load_each_element_once() {
    check("smoothed", smoothed::program(), &[64, 100]);
}

#[test]
fn softmax_of_rows_is_one_kernel_and_of_a_vector_four() {
    check("rows", rows::program(), &[100, 20]);
    check("softmax", softmax::program(), &[1000]);
}

#[test]
fn an_integer_filter_clamps_at_the_edges() {
    check("blur", blur::program(), &[480, 640]);
}

#[test]
fn iterations_share_one_kernel() {
    check("heat", heat::program(), &[1000]);
}

#[test]
fn several_results_and_scalars() {
    check("statistics", statistics::program(), &[30, 7]);
}
