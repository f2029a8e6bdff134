// CC'22, listing 2.
use lift::prelude::*;

lift! {
    /// CC'22, listing 2.
    pub fn conv<IC, IW, IH, KW, KH, OC, SX, SY>(
        input: [[[f32; IC]; IW]; IH],
        kernels: [[[[f32; IC]; KW]; KH]; OC],
    ) -> [[[f32; OC]; (IW - KW + SX) / SX]; (IH - KH + SY) / SY]
    where
        KW <= IW,
        KH <= IH,
    {
        map2D(
            |window| map(
                |kernel| reduce(0.0, |a, b| a + b, map(|(x, w)| x * w, join2D(zip3D(window, kernel)))),
                kernels,
            ),
            slide2D((KH, KW), (SY, SX), input),
        )
    }
}

pub fn main() {
    assert_eq!(conv::program().params().len(), 2);
}
