// Sixteen output channels and two columns for each work-item.
use lift::prelude::*;

lift! {
    /// Sixteen output channels and two columns for each work-item (Hashemi 2019).
    pub fn conv<C, K, H, W>(
        const weights: [[[[f32; K]; 3]; 3]; C],
        biases: [f32; K],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W]; H]; K]
    where
        K % 16 == 0,
        W % 2 == 0,
    {
        let padded = map(|plane| pad2D(1, 1, 1, 1, 0.0, plane), input);
        // For two columns of the output it takes four of the input: [H][W / 2][C][3][4].
        let patches = map(transpose, transpose(map(|plane| slide2D((3, 4), (1, 2), plane), padded)));
        // Weights are loaded across output channels: [K / 16][C][3][3] vectors.
        let vectors = map3D(|channels| asVector(16, channels), weights);
        let groups = transpose(map(|taps| transpose(map(transpose, taps)), vectors));
        let outputs = mapGlb(2, |(kernels, bias)|
            mapGlb(1, |row|
                mapGlb(0, |patch| {
                    let sums = reduceSeq(
                        mapSeq(|start| toPrivate(start), repeat(2, bias)),
                        |acc, (inputs, kernel)| mapSeq(
                            |(sum, window)| reduceSeqUnroll(
                                sum, |sum, (x, w)| sum + w * x, zip(window, kernel)),
                            zip(acc, slide(3, 1, inputs)),
                        ),
                        zip(join(patch), join(kernels)),
                    );
                    split(16, asScalar(mapSeq(|sum| max(sum, 0.0), sums)))
                }, row),
                patches),
            zip(groups, asVector(16, biases)));
        // [K / 16][H][W / 2][2][16] → [K][H][W].
        join(map(|group| transpose(map(|row| transpose(join(row)), group)), outputs))
    }
}

pub fn main() {
    assert_eq!(conv::program().params().len(), 3);
}
