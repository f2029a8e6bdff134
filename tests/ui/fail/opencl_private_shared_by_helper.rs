use lift::prelude::*;

lift! {
    fn windows<A, B, C>(a: [[[i32; A]; B]; C]) -> [[[[i32; A]; B]; 1]; ((-1) / C) + 2] {
        slide(1, C, a)
    }
    fn rows<A>() -> [[[i32; A]; (A / 2) + 1]; ((((-1) / ((A % 3) + 1)) * ((-1) / ((A % 3) + 1))) + (3 * ((-1) / ((A % 3) + 1)))) + 3] {
        unslide((-1) + 2, windows(generate(1, |x1| generate((A / 2) + 1, |x2| repeat(A, 2i32)))))
    }
    // No proof is found of the type that the body has once both calls are inlined. Memory is checked nevertheless.
    pub fn shared<M>(a: [f32; M]) -> [[[[[i32; M]; (M / 2) + 1]; ((((-1) / ((M % 3) + 1)) * ((-1) / ((M % 3) + 1))) + (3 * ((-1) / ((M % 3) + 1)))) + 3]; 1]; 2] {
        let all = mapSeq(
            |x| slide((((-1) * ((-1) / ((M % 3) + 1))) + (3 * ((-1) / ((M % 3) + 1)))) + 3, ((((-1) / ((M % 3) + 1)) * ((-1) / ((M % 3) + 1))) + (3 * (-1))) + 3, rows::<M>()),
            repeat(2, toPrivate(1)),
        );
        mapGlb(0, |x| x, all)
    }
}

fn main() {}
