use lift::prelude::*;

lift! {
    fn f(n: i32) -> i32 {
        while n > 0 {
            n
        }
    }
}

fn main() {}
