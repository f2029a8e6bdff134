//! Prefix sums: an array's in chunks that do not wait for each other, once it is known what comes before each (Blelloch
//! 1990), and those of several chunks, or rows, side by side in a work-item, since in each of them an element waits for the one
//! before it.

use super::loops::Loops;
use super::nest::{at_level, is_map, levels, spine};
use super::{Parameter, Schedule};
use crate::expr::{Expr, Kind};
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{HOIST, MAP_GLB, MAP_SCAN, MAP_SEQ, REDUCE_SEQ, SCAN_SPLIT, TO_GLOBAL, TO_PRIVATE};
use crate::strategy::{Strategy, Stuck, at_tail, choose, id, in_function, inside, inwards, rule, seq, sized};

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
    ],
    options: &[],
    derive: |program, sizes, _| {
        let [chunk, side] = sizes else { return Err(Stuck("two parameters".into())) };
        let around = levels(program.body).len();
        let way = spine(program.body);
        if !scans(program.body, around) {
            return Err(Stuck("its result is no array of prefix sums".into()));
        }
        let chunked = match around {
            0 => inside(&way, sized(&SCAN_SPLIT, &[chunk]).because(WHY).then(starts())),
            _ => id(),
        };
        let mut loops = Loops::new(around.max(1));
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
    "a scan that does more than add, multiply or take the least or greatest can't be taken apart";

/// Is the innermost function a scan, and nothing else?
fn scans(program: &Expr, around: usize) -> bool {
    let ways = levels(program);
    let body = match around.checked_sub(1).map(|k| &ways[k]) {
        Some(way) => program.at(way).and_then(|map| map.at(&[0])),
        None => Some(program),
    };
    body.is_some_and(|e| e.at(&spine(e)).is_some_and(is_scan))
}

fn is_scan(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Scan))
}

/// What comes before each chunk, in memory: the chunks' totals by a kernel, and these added up by another.
fn starts() -> Strategy {
    let totals = seq([in_function(rule(&REDUCE_SEQ)), sized(&MAP_GLB, &[&Nat::from(0)]), rule(&TO_GLOBAL)]);
    // The scan of the totals is the first of the arrays that the chunks' map goes over.
    let of_totals = vec![0, 1, 0, 2, 1, 0];
    seq([
        inside(&of_totals, totals),
        inwards(&HOIST, of_totals),
        inside(&[1, 0, 1, 0], rule(&TO_GLOBAL)),
        inside(&[1], inwards(&HOIST, vec![0, 1, 0])),
    ])
}

/// The running values in registers, one loop over the elements.
fn running() -> Strategy {
    choose(|e| {
        let way = spine(e);
        let scan = e.at(&way).filter(|e| is_scan(e)).ok_or_else(|| Stuck("there is no scan".into()))?;
        let step = match scan.at(&[1]).is_some_and(is_map) {
            true => rule(&MAP_SEQ),
            false => id(),
        };
        Ok(inside(&way, seq([inside(&[0], rule(&TO_PRIVATE)), inside(&[1], step), rule(&TO_GLOBAL)])))
    })
}
