use lift::prelude::*;

lift! {
    fn conv<K, W, H>(kernel: [[f32; K]; K], image: [[f32; W]; H]) -> [[f32; W]; H]
    where
        K <= W,
        K <= H,
    {
        map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))),
            slide2D((K, K), (1, 1), image),
        )
    }
}

fn main() {}
