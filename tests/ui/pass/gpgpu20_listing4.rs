// GPGPU'20, listing 4 with its six tuning parameters and its maps placed by hand, and the steps around it.
use lift::prelude::*;

lift! {
    /// GPGPU'20, listing 4.
    fn partial_conv<C, KS, K, H, W, S,
        tune THETA: KS..=KS + 64, tune KAPPA: 1..=16, tune SIGMA: 1..=16, tune OMEGA: 1..=64, tune V: [1, 2, 4, 8, 16]>(
        weights: [[[[f32; C]; KS]; KS]; K],
        padded: [[[f32; C]; W]; H],
    ) -> [[[[[[f32; C * KS * KS / OMEGA]; SIGMA]; (THETA - KS + S) / S * ((THETA - KS + S) / S) / SIGMA]; KAPPA]; K / KAPPA];
          (H - KS + S) / (THETA - KS + S) * ((W - KS + S) / (THETA - KS + S))]
    where KS <= H, KS <= W
    {
        let stride = THETA - (KS - S);
        let tiles = join(slideStrict2D((THETA, THETA), (stride, stride), padded));
        let windows = map(|tile| join(slideStrict2D((KS, KS), (S, S), tile)), tiles);
        let coalesce = |window| {
            let flat = join2D(window);
            let coalesced = reorder(stridedIndex(C * KS * KS / OMEGA), flat);
            map(|chunk| asVector(V, chunk), split(OMEGA, coalesced))
        };
        let windows = map(|tile| split(SIGMA, map(coalesce, tile)), windows);
        let kernels = split(KAPPA, map(coalesce, weights));
        mapWrg(1, |tile|
            mapWrg(0, |kernels| transpose(
                mapLcl(1, |windows| map(transpose, transpose(
                    mapLcl(0, |(window, kernel)|
                        toGlobal(reduceSeq(
                            mapSeq(|zeros| toPrivate(zeros), repeat(KAPPA, repeat(SIGMA, 0.0))),
                            |acc, (inputs, kernels)| {
                                let inputs = mapSeq(|input| toPrivate(input), inputs);
                                mapSeq(
                                    |(row, kernel)| mapSeq(
                                        |(value, input)| value + vectorize(V, dot)(input, kernel),
                                        zip(row, inputs),
                                    ),
                                    zip(acc, kernels),
                                )
                            },
                            zip(transpose(window), transpose(kernel)),
                        )),
                        zip(transpose(windows), transpose(kernels))))),
                    tile)),
                kernels),
            windows)
    }

    /// The four steps of GPGPU'20 §4.2.
    pub fn conv<C, KS, K, H, W, S,
        tune THETA: KS..=KS + 64, tune RHO: 0..=64, tune KAPPA: 1..=16, tune SIGMA: 1..=16, tune OMEGA: 1..=64, tune V: [1, 2, 4, 8, 16]>(
        const weights: [[[[f32; C]; KS]; KS]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; (W - KS + S) / S]; (H - KS + S) / S]; K]
    where KS <= H, KS <= W, (H - KS) % S == 0, (W - KS) % S == 0
    {
        let padded = pad2D(0, RHO, 0, RHO, 0.0, input);
        let partial = toGlobal(partial_conv(weights, padded));
        let summed = mapWrg(1, |tile|
            mapWrg(0, |kernels|
                mapLcl(1, |kernel|
                    mapLcl(0, |window| reduceSeq(0.0, |a, b| a + b, window), join(kernel)),
                    kernels),
                tile),
            partial);
        let perTile = (THETA - KS + S) / S;
        let channels = transpose(map(join, summed));
        let tiled = map(|channel| split((W + RHO - KS + S) / (THETA - KS + S), map(|tile| split(perTile, tile), channel)), channels);
        map(|channel| pad2D(0, -(RHO / S), 0, -(RHO / S), 0.0, untile2D(channel)), tiled)
    }
}

pub fn main() {
    let tuned: Vec<&str> = conv::program().sizes().iter().filter(|s| s.tune.is_some()).map(|s| &*s.var.name).collect();
    assert_eq!(tuned, ["THETA", "RHO", "KAPPA", "SIGMA", "OMEGA", "V"]);
}
