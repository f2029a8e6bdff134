use lift::prelude::*;

lift! {
    fn first<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; N] {
        let sums = map(|(x, y)| x + y, zip(xs, ys));
        let halves = split(2, xs);
        let wrong = map(|x| x + unknown, xs);
        sums
    }

    fn second<N>(xs: [i32; N]) -> [i32; N] {
        map(|x| sqrt(x), xs)
    }

    fn third<N>(xs: [i32; N]) -> [i32; N] {
        map(|x| return x, xs)
    }
}

fn main() {}
