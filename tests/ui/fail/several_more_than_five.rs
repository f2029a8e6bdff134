use lift::prelude::*;

lift! {
    fn f(x: f32) -> f32 {
        let a = x + b1;
        let b = x + b2;
        let c = x + b3;
        let d = x + b4;
        let e = x + b5;
        let f = x + b6;
        x
    }
}

fn main() {}
