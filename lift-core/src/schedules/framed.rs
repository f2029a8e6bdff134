//! Results that overlapping windows make, in tiles of rows. What the windows of a tile reach, the tile and a frame around it,
//! is copied to the work-item's own memory first, padding included: then no window asks where the array ends, and each
//! element comes from far away once (GPGPU'20 §3.4.1, the tiles of `slideTiling`).

use super::loops::Loops;
use super::neighbours::beside;
use super::nest::{
    at_level, at_reduction, global, hoist, levels, sequential, simplify, simplify_typed, spine, tidy,
    unrolled, written,
};
use super::{Parameter, Schedule};
use crate::expr::Child;
use crate::rules::{
    COPY, MAP_FUSION, MAP_SEQ, REDUCE_INTERCHANGE, ROUND_UP_WINDOWS, SLIDE_MAP, SLIDE_TILING,
    SPLIT_JOIN_INVERSE, TO_PRIVATE, VECTOR_ACCUMULATOR, VECTOR_MAP, ZIP_FUSION,
};
use crate::strategy::{
    Strategy, Stuck, attempt, choose, everywhere, in_array, in_function, in_value, rule, seq, sized,
};

/// Tiles of rows, whose surroundings are copied to private memory.
pub static FRAMED: Schedule = Schedule {
    name: "framed",
    source: "GPGPU'20 §3.4.1",
    parameters: &[
        Parameter { name: "R", meaning: "rows of a tile", values: &[1, 2, 4, 7, 8, 14, 16, 28] },
        Parameter { name: "Q", meaning: "rows that are computed at once", values: &[1, 2, 4, 7, 8] },
        Parameter { name: "V", meaning: "neighbouring results in a vector", values: &[1, 2, 4, 8, 16] },
    ],
    options: &[
        (
            "ragged",
            "the last vector of a row ends where the row does, and computes some results again; rows beyond the last are discarded",
        ),
        ("unrolled", "the sums over windows are written out, term by term"),
    ],
    derive: |program, sizes, options| {
        let [r, q, v] = sizes else { return Err(Stuck::Because("three parameters".into())) };
        if !program.roles()?.channels.is_empty() {
            return Err(Stuck::Because(SHARED.into()));
        }
        let (r, q, v) = (r.clone(), q.clone(), v.clone());
        let [ragged, written_out] = ["ragged", "unrolled"].map(|name| options.contains(&name));
        let fused = || rule(&MAP_FUSION).or(rule(&ZIP_FUSION));
        let windows = everywhere(rule(&SLIDE_MAP).or(fused())).then(simplify());
        let nest = Strategy::new(move |state, path| {
            let none = || Stuck::Because("there are no rows of neighbouring results".into());
            let e = state.at(path).ok_or_else(none)?;
            let typed = state.typed().ok_or_else(none)?;
            let column = beside(e, typed).ok_or_else(none)?;
            let all = levels(e).len();
            let row = (0..all).rev().find(|level| *level != column).ok_or_else(none)?;
            let mut loops = Loops::new(all);
            if ragged {
                loops.step(at_level(row, sized(&ROUND_UP_WINDOWS, &[&r])).because(NO_WINDOWS).then(tidy()));
            }
            loops.step(at_level(row, in_array(sized(&SLIDE_TILING, &[&r])).because(NO_WINDOWS)));
            loops.tile(row, &r, "row");
            loops.step(everywhere(rule(&SPLIT_JOIN_INVERSE)).then(everywhere(fused())));
            loops.innermost(&["row".into(), Loops::name(column)]);
            loops.step(at_level(all - 2, in_function(frame())));
            // Terms of one column follow each other: they read the same vectors, each for another row of results.
            loops.inside(attempt(at_reduction(rule(&REDUCE_INTERCHANGE))));
            loops.tile_named("row", &q, "beside");
            match ragged {
                true => loops.tile_overlapping(column, &v, "lane"),
                false => loops.tile(column, &v, "lane"),
            }
            loops.innermost(&["row".into(), Loops::name(column), "beside".into(), "lane".into()]);
            loops.accumulate();
            loops.inside(at_reduction(attempt(sized(&VECTOR_ACCUMULATOR, &[&v]))));
            loops.epilogue(sized(&VECTOR_MAP, &[&v]));
            loops.step(simplify_typed());
            loops.accumulate();
            let terms = if written_out { unrolled() } else { sequential() };
            loops.inside(at_reduction(terms).then(written()));
            loops.at_most(IN_TILE + 3);
            let around = loops.len() - IN_TILE;
            loops.step(seq((around..loops.len()).rev().map(|level| at_level(level, rule(&MAP_SEQ)))));
            loops.step(global(around));
            loops.strategy().run(state, path)
        });
        Ok(windows.then(nest))
    },
};

const SHARED: &str = "a `map` goes over its weights alone: many results share what a tile reads, and tiles of rows are not enough of them";

const NO_WINDOWS: &str = "no windows slide over rows";

/// The levels of a tile that are loops.
const IN_TILE: usize = 2;

/// The rows that the windows of a tile reach, copied.
fn frame() -> Strategy {
    choose(|e| {
        let none = || Stuck::Because(NO_WINDOWS.into());
        let map = spine(e);
        let array = map.then(&e.at(&map).and_then(|map| map.path(&[Child::Array])).ok_or_else(none)?);
        let tile = e.at(&array).and_then(|windows| windows.path(&[Child::Operand])).ok_or_else(none)?;
        Ok(hoist(array.then(&tile)).then(in_value(copied())))
    })
}

/// A copy in private memory, row by row.
fn copied() -> Strategy {
    let row = rule(&COPY).then(rule(&MAP_SEQ));
    seq([rule(&COPY), in_function(row), rule(&MAP_SEQ), rule(&TO_PRIVATE)])
}
