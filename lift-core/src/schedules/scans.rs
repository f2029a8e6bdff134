//! Prefix sums. A long array is scanned in chunks, which do not wait for each other once the sum before each is known
//! (Blelloch 1990). A work-item scans several chunks, or rows, side by side: within one of them each element waits for
//! the one before it. Or the work-items of a group share a chunk, or a row: it is cut once more, and what is before the
//! elements of each work-item is found in local memory (`grouped`, `staging`).

use super::grouped::Sharing;
use super::loops::Loops;
use super::nest::{at_level, at_spine, hoist, levels, spine};
use super::prefixes::{STARTS, TOTALS, WHY, is_scan, running};
use super::staging::Staging;
use super::{Parameter, Schedule};
use crate::expr::Child::Function;
use crate::expr::{Child, Expr, Path};
use crate::nat::Nat;
use crate::rules::{MAP_GLB, MAP_SCAN, MAP_WRG, REDUCE_SEQ, SCAN_ROUND_UP, SCAN_SPLIT, TO_GLOBAL};
use crate::strategy::{
    Strategy, Stuck, at_tail, choose, id, in_body, in_function, in_operand, inside, rule, sized,
};

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
        Parameter {
            name: "R",
            meaning: "chunks, or rows, of a work-item",
            values: &[1, 2, 4, 8, 16, 32, 64, 128],
        },
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
            name: "T",
            meaning: "elements of a chunk, or a row, in local memory at once",
            values: &[4, 16, 64, 256, 512, 1024, 2048, 4096, 8192],
        },
        Parameter {
            name: "P",
            meaning: "padding elements between the elements of work-items in local memory, against bank conflicts",
            values: &[0, 1, 2, 4],
        },
    ],
    options: &[
        ("shared", "the work-items of a group share a chunk, or a row"),
        (
            "ragged",
            "what work-items or a group take may be no whole number of elements, chunks or rows: the last are filled up",
        ),
        ("staged", "they copy it to local memory and back: neighbours read and write neighbouring elements"),
        ("carried", "they do so piece by piece, and carry the sum of one to the next"),
    ],
    derive: |program, sizes, options| {
        let [chunk, side, own, sums, piece, pitch] = sizes else {
            return Err(Stuck::Because("six parameters".into()));
        };
        let [is_shared, ragged, staged, carried] =
            ["shared", "ragged", "staged", "carried"].map(|name| options.contains(&name));
        refuse(
            staged && !is_shared,
            "`staged` is an option of `shared` forms: only groups have local memory",
        )?;
        refuse(
            carried && !staged,
            "`carried` is an option of `staged` forms: the pieces are in local memory",
        )?;
        let around = levels(program.body).len();
        if !scans(program.body, around) {
            return Err(Stuck::Because("its result is not an array of prefix sums".into()));
        }
        let [own_, sums, pitch] = [own, sums, pitch].map(Clone::clone);
        let staging =
            staged.then(|| Staging { own: own_, sums, pitch, piece: carried.then(|| piece.clone()) });
        let sharing = is_shared.then(|| Sharing { own: own.clone(), ragged, staging });
        let chunked = match around {
            0 => chunks(spine(program.body), chunk, sharing.as_ref(), ragged),
            _ => id(),
        };
        let nest = match &sharing {
            Some(sharing) => by_groups(around.max(1), sharing),
            None => by_items(around.max(1), side, ragged),
        };
        Ok(chunked.then(at_tail(nest)))
    },
};

fn refuse(combination: bool, reason: &'static str) -> Result<(), Stuck> {
    if combination { Err(Stuck::Because(reason.into())) } else { Ok(()) }
}

/// Is the innermost function a scan, and nothing else?
fn scans(program: &Expr, around: usize) -> bool {
    let paths = levels(program);
    let body = match around.checked_sub(1).map(|k| &paths[k]) {
        Some(path) => program.at(path).and_then(|map| map.child(Function)),
        None => Some(program),
    };
    body.is_some_and(|e| e.at(&spine(e)).is_some_and(is_scan))
}

/// A scan in chunks. The sum before each is in memory: one kernel computes the totals of the chunks, another one scans
/// these.
fn chunks(scan: Path, chunk: &Nat, sharing: Option<&Sharing>, ragged: bool) -> Strategy {
    let one_item = in_function(rule(&REDUCE_SEQ)).then(sized(&MAP_GLB, &[&Nat::from(0)]));
    let totals = sharing.map_or(one_item, |sharing| sharing.totals(chunk));
    let before = sharing.map_or_else(id, Sharing::of_totals);
    let split = sized(&SCAN_SPLIT, &[chunk]).because(WHY);
    let whole = match sharing {
        Some(sharing) => sharing.rounded(chunk, split),
        None if ragged => sized(&SCAN_ROUND_UP, &[chunk]).then(in_operand(split)),
        None => split,
    };
    inside(scan, whole).then(kept(&TOTALS, totals)).then(in_body(kept(&STARTS, before)))
}

/// A part of what `scanSplit` makes is computed before it, into global memory.
fn kept(part: &'static [Child], s: Strategy) -> Strategy {
    let s = s.then(at_spine(rule(&TO_GLOBAL)));
    choose(move |e| {
        // The map is the operand that the part is given from.
        let map = spine(e);
        let part = e.at(&map).and_then(|e| e.path(&part[1..]));
        let path = map.then(&part.ok_or_else(|| Stuck::Because("there are no chunks".into()))?);
        Ok(inside(path.clone(), s.clone()).then(hoist(path)))
    })
}

/// Groups share chunks or rows.
fn by_groups(levels: usize, sharing: &Sharing) -> Strategy {
    let mut loops = Loops::new(levels);
    loops.at_most(1);
    loops.step(at_level(0, in_function(sharing.in_group())));
    loops.step(at_level(0, sized(&MAP_WRG, &[&Nat::from(0)])));
    loops.strategy()
}

/// A work-item takes some of the chunks or rows, side by side.
fn by_items(levels: usize, side: &Nat, ragged: bool) -> Strategy {
    let mut loops = Loops::new(levels);
    if ragged {
        loops.round_up(levels - 1, side);
    }
    loops.at_most(3);
    let innermost = loops.len() - 1;
    loops.tile(levels - 1, side, "side by side");
    loops.step(at_level(innermost, in_function(rule(&MAP_SCAN))));
    loops.step(at_level(innermost, in_function(running())));
    for k in (0..=innermost).rev() {
        loops.step(at_level(k, sized(&MAP_GLB, &[&Nat::from(innermost - k)])));
    }
    loops.strategy()
}
