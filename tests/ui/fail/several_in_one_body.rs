use lift::prelude::*;

lift! {
    fn f<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; N] {
        let a = zip(xs, ys);
        let b = slide(3, 1, xs);
        let c = map(|x| sqtr(x), ys);
        let d = reduce(0, |acc, x| acc + x, xs);
        map(|x| x + d, xs)
    }
}

fn main() {}
