//! A small program for each rewrite rule, of the rule's name; a rule without one is shown on the first that it
//! matches.

use lift::Program;
use lift::prelude::*;

lift! {
    pub fn squares<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * x, xs)
    }

    pub fn sum<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }

    pub fn beta<N>(xs: [f32; N]) -> f32 {
        let doubled = map(|x| x * 2.0, xs);
        reduce(0.0, |acc, x| acc + x, doubled)
    }

    pub fn again<N>(xs: [f32; N]) -> [f32; N] {
        let squares = map(|x| x * x, xs);
        let total = reduce(0.0, |sum, x| sum + x, squares);
        map(|x| x / total, squares)
    }

    pub fn cover<N>(xs: [f32; N]) -> [f32; N - 2] where N >= 3 {
        let columns = transpose(slide(3, 1, xs));
        map(|window| reduce(0.0, |acc, x| acc + x, window), transpose(columns))
    }

    pub fn rotated<N>(xs: [f32; N]) -> [f32; N - 2] where N >= 3 {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(3, 1, xs))
    }

    pub fn peeled<N>(xs: [f32; N]) -> [f32; N] {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(3, 1, pad(1, 1, 0.0, xs)))
    }

    pub fn alone<N, M>(rows: [[f32; M]; N]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, x| acc + x, map(|x| x * x, row)), rows)
    }

    pub fn scan_split<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |acc, x| acc + x, xs)
    }

    pub fn scan_alone<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |acc, x| acc + x, xs)
    }

    pub fn scan_rows<N, M>(starts: [f32; M], rows: [[f32; M]; N]) -> [[f32; M]; N] {
        scan(starts, |accs, row| map(|(acc, x)| acc + x, zip(accs, row)), rows)
    }

    pub fn best<N>(xs: [f32; N]) -> (i32, f32) {
        argBest(|best, x| x > best, xs)
    }

    pub fn map_scan<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| scan(0.0, |acc, x| acc + x, row), rows)
    }

    pub fn to_local_pitched<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| map(|x| x * x, row), rows)
    }

    pub fn map_fusion<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + 1.0, map(|x| x * 2.0, xs))
    }

    pub fn let_out<N>(xs: [f32; N]) -> [f32; N] {
        map(
            |share| share * share,
            {
                let total = reduce(0.0, |acc, x| acc + x, xs);
                map(|x| x / total, xs)
            },
        )
    }

    pub fn map_split<N>(xs: [f32; 4 * N], ys: [f32; 4]) -> [[f32; 4]; N] {
        map(|piece| map(|(x, y)| x * y, zip(piece, ys)), split(4, xs))
    }

    pub fn reduce_map_fusion<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, map(|x| x * x, xs))
    }

    pub fn tuple_fusion<N>(xs: [f32; N]) -> ([f32; N], [f32; N]) {
        (xs, map(|x| max(x, 0.0), xs))
    }

    pub fn map_fission<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| sqrt(x + 1.0) * x, xs)
    }

    pub fn project<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x * 2.0, zip(xs, ys))
    }

    pub fn slide_tiling<N>(xs: [f32; N]) -> [f32; N - 2] where N >= 3 {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(3, 1, xs))
    }

    pub fn round_up_windows<N>(xs: [f32; N]) -> [f32; N - 2] where N >= 3 {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(3, 1, xs))
    }

    pub fn slide_map<N>(xs: [f32; N]) -> [[f32; 3]; N - 2] where N >= 3 {
        slide(3, 1, map(|x| x * x, xs))
    }

    pub fn map_map<N, M>(xs: [f32; N], ys: [f32; M]) -> [[f32; M]; N] {
        map(|x| map(|y| x * y, ys), xs)
    }

    pub fn map_map_rows<N, M>(xs: [f32; N], rows: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|(x, row)| map(|y| x * y, row), zip(xs, rows))
    }

    pub fn map_pad<N, M>(rows: [[f32; M]; N]) -> [[f32; M + 2]; N] {
        map(|row| pad(1, 1, 0.0, map(|x| x * x, row)), rows)
    }

    pub fn pad_concat<N>(xs: [f32; N]) -> [f32; N + 2] {
        pad(1, 1, 0.0, map(|x| x * x, xs))
    }

    pub fn map_reduce<N, M>(rows: [[f32; M]; N], weights: [f32; M]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, (x, w)| acc + x * w, zip(row, weights)), rows)
    }

    /// An interpolation: zeros between the elements, and a weighted sum of neighbours.
    pub fn map_phases<N>(weights: [f32; 4], xs: [f32; N]) -> [[f32; 2]; N - 1] where N >= 2 {
        let spread = join(map(|x| pad(0, 1, 0.0, x), split(1, xs)));
        map(
            |windows| map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, weights)), windows),
            split(2, slide(4, 1, pad(0, 1, 0.0, spread))),
        )
    }

    pub fn reduce_join<N, M>(rows: [[f32; M]; N], weights: [[f32; M]; N]) -> f32 {
        reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(rows), join(weights)))
    }

    pub fn reduce_nested<N, M>(rows: [[f32; M]; N]) -> f32 {
        reduce(0.0, |acc, row| acc + reduce(0.0, |a, x| a + x * x, row), rows)
    }

    pub fn reduce_parts<N, M>(rows: [[f32; M]; N]) -> f32 where M >= 2 {
        reduce(0.0, |acc, row| reduce(reduce(acc, |a, x| a + x, take(2, row)), |a, x| a + x, drop(2, row)), rows)
    }

    pub fn reduce_flatten<N, M>(rows: [[f32; M]; N]) -> f32 {
        reduce(0.0, |acc, row| reduce(acc, |a, x| a + x * x, row), rows)
    }

    pub fn reduce_interchange<N, M>(rows: [[f32; M]; N]) -> f32 {
        reduce(0.0, |acc, row| reduce(acc, |a, x| a + x * x, row), rows)
    }

    pub fn reduce_fission<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x * x, xs)
    }

    pub fn partial_sums<N>(xs: [f32; N], ys: [f32; N]) -> f32 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(xs, ys))
    }

    pub fn reduce_fill<N>(xs: [f32; N], ys: [f32; N]) -> f32 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(xs, ys))
    }

    pub fn start<N>(bias: f32, xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x * x, xs) + bias
    }

    pub fn vector_accumulator<N, M>(starts: [f32; M], rows: [[f32; M]; N]) -> [f32; M] {
        reduce(starts, |accs, row| map(|(acc, x)| acc + x, zip(accs, row)), rows)
    }

    pub fn hoist<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x / reduce(0.0, |acc, y| acc + y, xs), xs)
    }

    pub fn forget<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| toPrivate(x * x), xs)
    }

    pub fn dot_sum<N>(xs: [f32; N], ys: [f32; N]) -> f32 {
        dot(xs, ys)
    }

    pub fn zip_fusion<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(map(|x| x * x, xs), ys))
    }

    pub fn zip_once<N>(xs: [f32; N]) -> [f32; N] {
        map(|(x, y)| x * exp(y), zip(xs, xs))
    }

    pub fn components<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|pair| pair.0 * pair.1 + pair.0, zip(xs, ys))
    }

    pub fn map_rows<N, M>(rows: [[f32; M]; N], ys: [f32; N * M]) -> [f32; N * M] {
        map(|(x, y)| x + y, zip(join(map(|row| map(|x| x * x, row), rows)), ys))
    }

    pub fn reduce_map<N, M>(starts: [f32; M], rows: [[f32; M]; N]) -> [f32; M] {
        reduce(starts, |accs, row| map(|(acc, x)| acc + x, zip(accs, row)), rows)
    }

    pub fn pack<N, M>(weights: [[f32; M]; N]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, w| acc + w, row), weights)
    }

    pub fn join_split<N>(xs: [f32; N]) -> [f32; N] where N % 4 == 0 {
        join(split(4, xs))
    }

    pub fn split_of_join<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        split(M, join(rows))
    }

    pub fn transpose_transpose<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        transpose(transpose(rows))
    }

    pub fn as_vector_as_scalar<N>(xs: [f32; N]) -> [f32; N] where N % 4 == 0 {
        let doubled = map(|v| v * 2.0, asVector(4, xs));
        asScalar(map(|v| v + 1.0, asVector(4, asScalar(doubled))))
    }

    pub fn as_scalar_as_vector<N>(xs: [f32; N]) -> [f32; N] where N % 4 == 0 {
        asScalar(asVector(4, xs))
    }

    pub fn map_identity<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x, xs)
    }

    pub fn map_of_component<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| y, zip(xs, ys))
    }
}

/// The programs, in the order in which they are tried.
pub fn all() -> Vec<&'static Program> {
    vec![
        squares::program(),
        sum::program(),
        beta::program(),
        again::program(),
        let_out::program(),
        map_split::program(),
        map_fusion::program(),
        reduce_map_fusion::program(),
        tuple_fusion::program(),
        map_fission::program(),
        project::program(),
        slide_tiling::program(),
        round_up_windows::program(),
        slide_map::program(),
        peeled::program(),
        alone::program(),
        scan_split::program(),
        scan_alone::program(),
        scan_rows::program(),
        map_scan::program(),
        cover::program(),
        map_map::program(),
        map_map_rows::program(),
        map_pad::program(),
        pad_concat::program(),
        map_reduce::program(),
        map_phases::program(),
        reduce_join::program(),
        reduce_nested::program(),
        reduce_parts::program(),
        reduce_flatten::program(),
        reduce_interchange::program(),
        reduce_fission::program(),
        partial_sums::program(),
        reduce_fill::program(),
        start::program(),
        best::program(),
        vector_accumulator::program(),
        hoist::program(),
        to_local_pitched::program(),
        dot_sum::program(),
        zip_fusion::program(),
        zip_once::program(),
        components::program(),
        map_rows::program(),
        reduce_map::program(),
        forget::program(),
        pack::program(),
        join_split::program(),
        split_of_join::program(),
        transpose_transpose::program(),
        as_vector_as_scalar::program(),
        as_scalar_as_vector::program(),
        map_identity::program(),
        map_of_component::program(),
    ]
}
