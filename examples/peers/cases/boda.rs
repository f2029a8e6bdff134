//! What Boda-RTC was measured on (Moskewicz, Jannesari and Keutzer 2016, sections V to VII: tables I and II, figures 6 to 8):
//! the different convolutions of AlexNet, NiN and GoogLeNet v1 with batches of 1, 5 and 20, and products of square matrices.
//! Only who names these families has them measured.

use super::convolutions::{ALEXNET, Layer, NIN, batch, last};
use super::products::{NN, product};
use super::{Case, Scale};

/// Channels and rows of what a module of GoogLeNet reads, and the kernels of 1 × 1; of 1 × 1 before 3 × 3 and these; of
/// 1 × 1 before 5 × 5 and these; and of 1 × 1 behind the pooling (Szegedy et al. 2015, table 1).
type Module = (usize, usize, [usize; 6]);

const MODULES: [Module; 9] = [
    (192, 28, [64, 96, 128, 16, 32, 32]),
    (256, 28, [128, 128, 192, 32, 96, 64]),
    (480, 14, [192, 96, 208, 16, 48, 64]),
    (512, 14, [160, 112, 224, 24, 64, 64]),
    (512, 14, [128, 128, 256, 24, 64, 64]),
    (512, 14, [112, 144, 288, 32, 64, 64]),
    (528, 14, [256, 160, 320, 32, 128, 128]),
    (832, 7, [256, 160, 320, 32, 128, 128]),
    (832, 7, [384, 192, 384, 48, 128, 128]),
];

/// Of GoogLeNet before its modules.
const STEM: [Layer; 3] = [(3, 64, 224, 7, 2, 3), (64, 64, 56, 1, 1, 0), (64, 192, 56, 3, 1, 1)];

const BATCHES: [(&str, usize); 3] = [("boda 1", 1), ("boda 5", 5), ("boda 20", 20)];

/// Rows, columns and terms of the square products.
const SQUARE: [usize; 8] = [128, 256, 384, 512, 768, 1024, 1536, 2048];

pub fn cases() -> Vec<Case> {
    let layers = layers();
    let mut all = vec![];
    for (family, pictures) in BATCHES {
        all.extend(layers.iter().map(|layer| match pictures {
            1 => last(family, Scale::Named, layer),
            _ => batch(family, Scale::Named, pictures, layer),
        }));
    }
    all.extend(SQUARE.map(|n| product("boda products", NN, (n, n, n, Scale::Named))));
    all
}

/// Each once.
fn layers() -> Vec<Layer> {
    let mut all = vec![];
    // The first of the others' tables are small ones.
    let networks = ALEXNET[1..].iter().chain(&NIN[1..]).chain(&STEM).copied();
    for layer in networks.chain(MODULES.into_iter().flat_map(module)) {
        if !all.contains(&layer) {
            all.push(layer);
        }
    }
    all
}

fn module((inputs, side, kernels): Module) -> [Layer; 6] {
    let [ones, before_threes, threes, before_fives, fives, pooled] = kernels;
    let one = |outputs| (inputs, outputs, side, 1, 1, 0);
    let (three, five) = ((before_threes, threes, side, 3, 1, 1), (before_fives, fives, side, 5, 1, 2));
    [one(ones), one(before_threes), three, one(before_fives), five, one(pooled)]
}
