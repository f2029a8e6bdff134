//! What Boda-RTC was measured on (Moskewicz, Jannesari and Keutzer 2016, sections V to VII: tables I and II, figures 6 to 8):
//! the different convolutions of AlexNet, NiN and GoogLeNet v1 with batches of 1, 5 and 20, and products of square matrices.
//! Only who names these families has them measured.

use super::convolutions::{ALEXNET, Layer, NIN, batch, last};
use super::products::{NN, product};
use super::{Case, Scale};
use crate::modules::MODULES;

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
    for layer in networks.chain(modules()) {
        if !all.contains(&layer) {
            all.push(layer);
        }
    }
    all
}

/// The convolutions of GoogLeNet's modules: each module reads what the one before it puts together, and pooling halves the rows.
fn modules() -> Vec<Layer> {
    let (mut all, mut inputs) = (vec![], STEM[2].1);
    for (name, [ones, before_threes, threes, before_fives, fives, pooled]) in MODULES {
        let side = match name.as_bytes()[0] {
            b'3' => 28,
            b'4' => 14,
            _ => 7,
        };
        let one = |outputs| (inputs, outputs, side, 1, 1, 0);
        let (three, five) = ((before_threes, threes, side, 3, 1, 1), (before_fives, fives, side, 5, 1, 2));
        all.extend([one(ones), one(before_threes), three, one(before_fives), five, one(pooled)]);
        inputs = ones + threes + fives + pooled;
    }
    all
}
