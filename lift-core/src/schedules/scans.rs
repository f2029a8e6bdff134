//! Prefix sums. A long array is scanned in chunks, which do not wait for each other once the sum before each is known
//! (Blelloch 1990). A work-item scans several chunks, or rows, side by side: within one of them each element waits for
//! the one before it. Or the work-items of a group share a chunk, or a row: it is cut once more, and what is before the
//! elements of each work-item is found in local memory.

use super::loops::Loops;
use super::nest::{at_level, at_spine, hoist, is_map, levels, spine};
use super::sharing::{Rest, among_items, of_own_terms, shared};
use super::{Parameter, Schedule};
use crate::expr::Child::{Array, Function, Operand, Part, Step};
use crate::expr::{Child, Expr, Kind};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    MAP_GLB, MAP_SCAN, MAP_SEQ, MAP_WRG, REDUCE_SEQ, SCAN_ALONE, SCAN_SPLIT, TO_GLOBAL, TO_LOCAL, TO_PRIVATE,
};
use crate::strategy::{
    Strategy, Stuck, at_tail, choose, id, in_body, in_function, in_operand, in_start, in_step, inside, rule,
    seq, sized,
};

/// Prefix sums of chunks or rows, several side by side in a work-item.
pub static SCANS: Schedule = Schedule {
    name: "scans",
    source: "Blelloch 1990",
    parameters: &[
        Parameter {
            name: "C",
            meaning: "elements of a chunk",
            values: &[16, 64, 256, 1024, 4096, 16384, 65536, 262_144],
        },
        Parameter { name: "R", meaning: "chunks, or rows, of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "E",
            meaning: "elements of a work-item of a group that shares a chunk, or a row",
            values: &[1, 2, 4, 8, 16, 32, 64, 128],
        },
    ],
    options: &[("shared", "the work-items of a group share a chunk, or a row")],
    derive: |program, sizes, options| {
        let [chunk, side, own] = sizes else { return Err(Stuck("three parameters".into())) };
        let is_shared = options.contains(&"shared");
        let around = levels(program.body).len();
        let path = spine(program.body);
        if !scans(program.body, around) {
            return Err(Stuck("its result is not an array of prefix sums".into()));
        }
        let totals = match is_shared {
            true => shared(1, &chunk.div(own), &Nat::from(1), Rest::None),
            false => in_function(rule(&REDUCE_SEQ)).then(sized(&MAP_GLB, &[&Nat::from(0)])),
        };
        let chunked = match around {
            0 => inside(path, sized(&SCAN_SPLIT, &[chunk]).because(WHY).then(starts(totals))),
            _ => id(),
        };
        let mut loops = Loops::new(around.max(1));
        if is_shared {
            loops.at_most(1);
            loops.step(at_level(0, in_function(in_group(own))));
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

const WHY: &str =
    "only a scan that adds, multiplies, or takes the minimum or maximum can be split into chunks";

/// Where the sums before the chunks are, and the totals of the chunks, in what `scanSplit` makes:
/// `join(map(…, zip(starts, chunks)))`, where `starts` is `scan(z, …, pad(1, 0, 0, take(m / n - 1, totals)))`.
const STARTS: [Child; 3] = [Operand, Array, Part(0)];
const TOTALS: [Child; 6] = [Operand, Array, Part(0), Array, Operand, Operand];

/// Is the innermost function a scan, and nothing else?
fn scans(program: &Expr, around: usize) -> bool {
    let paths = levels(program);
    let body = match around.checked_sub(1).map(|k| &paths[k]) {
        Some(path) => program.at(path).and_then(|map| map.child(Function)),
        None => Some(program),
    };
    body.is_some_and(|e| e.at(&spine(e)).is_some_and(is_scan))
}

fn is_scan(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Scan))
}

/// The sum before each chunk, in memory: one kernel computes the totals of the chunks, another one scans these.
fn starts(totals: Strategy) -> Strategy {
    seq([
        inside(TOTALS, totals.then(at_spine(rule(&TO_GLOBAL)))),
        hoist(TOTALS),
        in_body(inside(STARTS, rule(&TO_GLOBAL)).then(hoist(STARTS))),
    ])
}

/// A scan that a group shares: each work-item has its own elements, and one of them scans the totals of all.
fn in_group(own: &Nat) -> Strategy {
    let total = of_own_terms().then(rule(&TO_LOCAL));
    let start = in_function(in_start(rule(&TO_PRIVATE))).then(among_items()).then(rule(&TO_LOCAL));
    at_spine(seq([
        sized(&SCAN_SPLIT, &[own]).because(WHY),
        inside(TOTALS, total),
        inside(STARTS, rule(&SCAN_ALONE).then(in_operand(start))),
        in_operand(in_function(running()).then(among_items())),
    ]))
}

/// The running values in registers, one loop over the elements.
fn running() -> Strategy {
    choose(|e| {
        let path = spine(e);
        let scan = e.at(&path).filter(|e| is_scan(e)).ok_or_else(|| Stuck("there is no scan".into()))?;
        let step = match scan.child(Step).is_some_and(is_map) {
            true => rule(&MAP_SEQ),
            false => id(),
        };
        Ok(inside(path, seq([in_start(rule(&TO_PRIVATE)), in_step(step), rule(&TO_GLOBAL)])))
    })
}
