use lift::prelude::*;

lift! {
    fn f(n: i32) -> i32 {
        loop {
            n
        }
    }
}

fn main() {}
