use lift::prelude::*;

lift! {
    fn f0(x: f32) -> f32 {
        x + 1.0
    }
    fn f1(x: f32) -> f32 {
        f0(x) * f0(x + 1.0)
    }
    fn f2(x: f32) -> f32 {
        f1(x) * f1(x + 1.0)
    }
    fn f3(x: f32) -> f32 {
        f2(x) * f2(x + 1.0)
    }
    fn f4(x: f32) -> f32 {
        f3(x) * f3(x + 1.0)
    }
    fn f5(x: f32) -> f32 {
        f4(x) * f4(x + 1.0)
    }
    fn f6(x: f32) -> f32 {
        f5(x) * f5(x + 1.0)
    }
    fn f7(x: f32) -> f32 {
        f6(x) * f6(x + 1.0)
    }
    fn f8(x: f32) -> f32 {
        f7(x) * f7(x + 1.0)
    }
    fn f9(x: f32) -> f32 {
        f8(x) * f8(x + 1.0)
    }
    fn f10(x: f32) -> f32 {
        f9(x) * f9(x + 1.0)
    }
    fn f11(x: f32) -> f32 {
        f10(x) * f10(x + 1.0)
    }
    fn f12(x: f32) -> f32 {
        f11(x) * f11(x + 1.0)
    }
    fn f13(x: f32) -> f32 {
        f12(x) * f12(x + 1.0)
    }
    fn f14(x: f32) -> f32 {
        f13(x) * f13(x + 1.0)
    }
    fn f15(x: f32) -> f32 {
        f14(x) * f14(x + 1.0)
    }
    fn f16(x: f32) -> f32 {
        f15(x) * f15(x + 1.0)
    }
    fn f17(x: f32) -> f32 {
        f16(x) * f16(x + 1.0)
    }
    fn f18(x: f32) -> f32 {
        f17(x) * f17(x + 1.0)
    }
    fn f19(x: f32) -> f32 {
        f18(x) * f18(x + 1.0)
    }
    pub fn all<N>(xs: [f32; N]) -> [f32; N] {
        map(f19, xs)
    }
}

fn main() {}
