use lift::prelude::*;

macro_rules! shifted {
    ($name:ident, $by:ident, $amount:expr) => {
        lift! {
            fn $name<N>(xs: [f32; N], $by: f32) -> [f32; N] {
                map(|x| x + $amount, xs)
            }
        }
    };
}
shifted!(right, delta, delta * 2.0);
shifted!(wrong, x, x * 2.0);

fn main() {}
