//! Prefix sums. A long array is scanned in chunks, which do not wait for each other once the sum before each is known
//! (Blelloch 1990). A work-item scans several chunks, or rows, side by side: within one of them each element waits for
//! the one before it. Or the work-items of a group share a chunk, or a row: it is cut once more, and what is before the
//! elements of each work-item is found in local memory.

use super::loops::Loops;
use super::nest::{at_level, at_spine, hoist, levels, spine};
use super::prefixes::{STARTS, Staging, TOTALS, WHY, in_group, is_scan, running};
use super::sharing::{Rest, shared};
use super::{Parameter, Schedule};
use crate::expr::Child::Function;
use crate::expr::Expr;
use crate::nat::Nat;
use crate::rules::{MAP_GLB, MAP_SCAN, MAP_WRG, REDUCE_SEQ, SCAN_SPLIT, TO_GLOBAL};
use crate::strategy::{Strategy, Stuck, at_tail, id, in_body, in_function, inside, rule, seq, sized};

/// Prefix sums of chunks or rows, several side by side in a work-item.
pub static SCANS: Schedule = Schedule {
    name: "scans",
    source: "Blelloch 1990",
    parameters: &[
        Parameter {
            name: "C",
            meaning: "elements of a chunk",
            values: &[16, 64, 256, 1024, 2048, 4096, 8192, 16384, 65536, 262_144],
        },
        Parameter { name: "R", meaning: "chunks, or rows, of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "E",
            meaning: "elements of a work-item of a group that shares a chunk, or a row",
            values: &[1, 2, 4, 8, 16, 32, 64, 128],
        },
        Parameter {
            name: "S",
            meaning: "sums of work-items that one of their group scans",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter {
            name: "P",
            meaning: "padding elements between the elements of work-items in local memory, against bank conflicts",
            values: &[0, 1, 2, 4],
        },
    ],
    options: &[
        ("shared", "the work-items of a group share a chunk, or a row"),
        ("staged", "they copy it to local memory and back: neighbours read and write neighbouring elements"),
    ],
    derive: |program, sizes, options| {
        let [chunk, side, own, sums, pitch] = sizes else { return Err(Stuck("five parameters".into())) };
        let [is_shared, is_staged] = ["shared", "staged"].map(|name| options.contains(&name));
        if is_staged && !is_shared {
            return Err(Stuck(ONE_ITEM.into()));
        }
        let staging = Staging { own: own.clone(), sums: sums.clone(), pitch: pitch.clone() };
        let around = levels(program.body).len();
        let path = spine(program.body);
        if !scans(program.body, around) {
            return Err(Stuck("its result is not an array of prefix sums".into()));
        }
        let [totals, before] = match (is_staged, is_shared) {
            (true, _) => [staging.totals(chunk), staging.in_one_group()],
            (_, true) => [shared(1, &chunk.div(own), &Nat::from(1), Rest::None), id()],
            _ => [in_function(rule(&REDUCE_SEQ)).then(sized(&MAP_GLB, &[&Nat::from(0)])), id()],
        };
        let chunked = match around {
            0 => inside(path, sized(&SCAN_SPLIT, &[chunk]).because(WHY).then(starts(totals, before))),
            _ => id(),
        };
        let mut loops = Loops::new(around.max(1));
        if is_shared {
            loops.at_most(1);
            let scan = if is_staged { staging.in_group() } else { in_group(own) };
            loops.step(at_level(0, in_function(scan)));
            loops.step(at_level(0, sized(&MAP_WRG, &[&Nat::from(0)])));
            return Ok(chunked.then(at_tail(loops.strategy())));
        }
        loops.at_most(3);
        let innermost = loops.len() - 1;
        loops.tile(around.max(1) - 1, side, "side by side");
        loops.step(at_level(innermost, in_function(rule(&MAP_SCAN))));
        loops.step(at_level(innermost, in_function(running())));
        for k in (0..=innermost).rev() {
            loops.step(at_level(k, sized(&MAP_GLB, &[&Nat::from(innermost - k)])));
        }
        Ok(chunked.then(at_tail(loops.strategy())))
    },
};

const ONE_ITEM: &str =
    "work-items stage what a group shares in local memory: `staged` is an option of `shared` forms";

/// Is the innermost function a scan, and nothing else?
fn scans(program: &Expr, around: usize) -> bool {
    let paths = levels(program);
    let body = match around.checked_sub(1).map(|k| &paths[k]) {
        Some(path) => program.at(path).and_then(|map| map.child(Function)),
        None => Some(program),
    };
    body.is_some_and(|e| e.at(&spine(e)).is_some_and(is_scan))
}

/// The sum before each chunk, in memory: one kernel computes the totals of the chunks, another one scans these.
fn starts(totals: Strategy, before: Strategy) -> Strategy {
    seq([
        inside(TOTALS, totals.then(at_spine(rule(&TO_GLOBAL)))),
        hoist(TOTALS),
        in_body(inside(STARTS, before.then(rule(&TO_GLOBAL))).then(hoist(STARTS))),
    ])
}
