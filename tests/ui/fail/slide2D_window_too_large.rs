use lift::prelude::*;

lift! {
    fn valid<KH, KW, H, W>(kernel: [[f32; KW]; KH], image: [[f32; W]; H]) -> [[f32; W - KW + 1]; H - KH + 1]
    where
        KH <= H,
    {
        map2D(
            |window| reduce(0.0, |acc, (x, k)| acc + x * k, zip(join(window), join(kernel))),
            slide2D((KH, KW), (1, 1), image),
        )
    }
}

fn main() {}
