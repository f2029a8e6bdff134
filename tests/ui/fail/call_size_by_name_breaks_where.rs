use lift::prelude::*;

lift! {
    fn resample<N, OUT>(xs: [f32; N]) -> [f32; OUT]
    where
        OUT <= N,
    {
        generate(OUT, |i| xs[i * N / OUT])
    }
    fn resized<H, W, OUT>(image: [[f32; W]; H]) -> [[f32; OUT]; OUT]
    where
        OUT <= W,
    {
        transpose(map(resample, transpose(map(resample, image))))
    }
}

fn main() {}
