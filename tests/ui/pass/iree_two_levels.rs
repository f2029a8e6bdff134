// Two levels of tiles, channels last.
use lift::prelude::*;

lift! {
    /// Tiles for work-groups, and in them strips for work-items: columns by four channels (IREE 2021).
    pub fn conv<H, W, C, K,
        tune TH: [1, 2, 4, 8], tune TW: 1..=32, tune TK: [4, 8, 16, 32, 64], tune COLUMNS: [1, 2, 4, 8]>(
        const weights: [[[[f32; K]; C]; 3]; 3],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - 2]; H - 2]
    where
        H >= 3,
        W >= 3,
        K % 4 == 0,
    {
        let tiles = slide2D((TH + 2, TW + 2), (TH, TW), input);
        // [K / TK][3][3][C][TK / 4] vectors.
        let filters = map3D(|channels| split(TK / 4, asVector(4, channels)), weights);
        let filters = transpose(map(transpose, map2D(transpose, filters)));
        let filters = map(|block| transpose(map(transpose, map2D(transpose, block))), filters);
        join(mapWrg(2, |row| map(join, transpose(
            mapWrg(1, |tile| map2D(join, map(transpose, transpose(
                mapWrg(0, |filter|
                    mapLcl(2, |rows| join(
                        mapLcl(1, |strip| map(asScalar, transpose(
                            mapLcl(0, |kernel| toGlobal(reduceSeq(
                                mapSeq(|zero| toPrivate(zero), asVector(4, repeat(4 * COLUMNS, 0.0))),
                                |acc, (inputs, kernel)| mapSeq(
                                    |(sum, window)| reduceSeq(
                                        sum, |sum, (x, w)| sum + w * x, zip(join(window), join(kernel))),
                                    zip(acc, slide(3, 1, inputs)),
                                ),
                                zip(strip, kernel))),
                            filter))),
                        transpose(map(|row| slide(COLUMNS + 2, COLUMNS, row), rows)))),
                    slide(3, 1, tile)),
                filters)))),
            row))),
        tiles))
    }
}

pub fn main() {
    assert_eq!(conv::program().result().to_string(), "[[[f32; K]; W - 2]; H - 2]");
}
