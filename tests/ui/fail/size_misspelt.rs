use lift::prelude::*;

lift! {
    fn scale<WIDTH>(xs: [f32; WIDHT]) -> [f32; WIDTH] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
