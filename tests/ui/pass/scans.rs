// Reductions, scans and sums.
use lift::prelude::*;

lift! {
    pub fn prefix_sums<N>(xs: [i64; N]) -> [i64; N] {
        scan(0, |acc, x| acc + x, xs)
    }

    /// Without the last, and a 0 before.
    pub fn exclusive<N>(xs: [i32; N]) -> [i32; N] {
        take(N, concat(repeat(1, 0), scan(0, |acc, x| acc + x, xs)))
    }

    /// Sums of all rectangles from the corner.
    pub fn integral<H, W>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        let rows = map(|row| scan(0.0, |acc, x| acc + x, row), image);
        transpose(map(|column| scan(0.0, |acc, x| acc + x, column), transpose(rows)))
    }

    /// Box filters from sums.
    pub fn moving_average<K, N>(xs: [f32; N]) -> [f32; N - K + 1]
    where
        K <= N,
    {
        let sums = scan(0.0, |acc, x| acc + x, xs);
        let before = pad(1, -K, 0.0, sums);
        map(|(to, from)| (to - from) / K as f32, zip(drop(K - 1, sums), before))
    }

    /// How many fall into each of B bins.
    pub fn histogram<B, N>(xs: [u8; N]) -> [u32; B] {
        generate(B, |b| reduce(0u32, |count, x| count + if x as i32 == b as i32 { 1 } else { 0 }, xs))
    }

    pub fn cumulative<B, N>(xs: [u8; N]) -> [f32; B] {
        map(|count| count as f32 / N as f32, scan(0, |acc, x| acc + x, histogram(xs)))
    }

    pub fn mean_and_variance<N>(xs: [f64; N]) -> (f64, f64) {
        let mean = reduce(0.0, |acc, x| acc + x, xs) / N as f64;
        (mean, reduce(0.0, |acc, x| acc + (x - mean) * (x - mean), xs) / N as f64)
    }

    /// The largest, and where it is.
    pub fn largest<N>(xs: [f32; N]) -> (f32, i32) {
        let numbered = zip(xs, generate(N, |i| i as i32));
        reduce((f32::NEG_INFINITY, 0), |(m, at), (x, i)| if x > m { (x, i) } else { (m, at) }, numbered)
    }

    /// A tree, by hand: half as many each time.
    pub fn pairwise<N>(xs: [f32; 4 * N]) -> [f32; N] {
        let half = |xs| map(|pair| reduce(0.0, |acc, x| acc + x, pair), split(2, xs));
        half(half(xs))
    }

    pub fn horner<D, N>(coefficients: [f64; D], xs: [f64; N]) -> [f64; N] {
        map(|x| reduce(0.0, |acc, c| fma(acc, x, c), coefficients), xs)
    }

    /// A filter with feedback.
    pub fn smooth<N>(alpha: f32, xs: [f32; N]) -> [f32; N] {
        scan(0.0, |y, x| y + alpha * (x - y), xs)
    }

    pub fn all_and_any<N>(tests: [bool; N]) -> (bool, bool) {
        (reduce(true, |acc, t| acc && t, tests), reduce(false, |acc, t| acc || t, tests))
    }
}

pub fn main() {}
