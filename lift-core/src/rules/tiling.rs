//! Tiles: arrays and windows taken apart.

use super::Rule;
use super::build::{as_call, as_map, lambda, map, one};

pub static SPLIT_JOIN: Rule = Rule {
    name: "splitJoin",
    equation: "map(f, xs) = join(map(|chunk| map(f, chunk), split(n, xs)))",
    source: "GPGPU'20 §4.1",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (f, xs) = as_map(e)?;
        let (pattern, chunk) = context.variable("chunk");
        let rows = map(f.clone(), chunk)?;
        let split = one("split", &[arguments.sizes.first()?], xs.clone())?;
        one("join", &[], map(lambda(vec![pattern], rows), split)?)
    },
};

/// Neighbouring windows share elements, and so do tiles of them. `slideStrict` demands that the tiles
/// cover the array, and then the windows are whole tiles.
pub static SLIDE_TILING: Rule = Rule {
    name: "slideTiling",
    equation: "slide(size, step, xs) = join(map(|tile| slide(size, step, tile), slideStrict(size + (n - 1) * step, n * step, xs)))",
    source: "GPGPU'20 §4.2 (overlapped tiling)",
    sizes: &["n"],
    inside: false,
    apply: |context, e, arguments| {
        let (sizes, xs) = as_call(e, "slide")?;
        let ([size, step], [n]) = (&sizes[..], &arguments.sizes[..]) else { return None };
        let (pattern, tile) = context.variable("tile");
        let windows = one("slide", &[size, step], tile)?;
        let (reach, stride) = (*size + &((n - 1) * *step), n * *step);
        let tiles = one("slideStrict", &[&reach, &stride], xs.clone())?;
        one("join", &[], map(lambda(vec![pattern], windows), tiles)?)
    },
};
