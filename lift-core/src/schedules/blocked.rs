//! A matrix product in blocks: a work-group's block of the result from blocks of the factors in local
//! memory, a work-item's tile of it in registers (Boda-RTC §V, §VI: implicit matrix products).

use super::loops::Loops;
use super::nest::{
    self, at_level, at_reduction, hoist, in_loops, is_map, levels, sequential, simplify_typed, spine,
};
use super::partial::{Dealt, partial_sums};
use super::staged::{Copying, fetched, in_registers, in_turn, work_items};
use super::windows::windows_last;
use super::{ONE_SUM, Parameter, Schedule};
use crate::expr::Child::{self, Array, Function, Part};
use crate::nat::Nat;
use crate::rules::{
    COPY, MAP_LCL, MAP_SEQ, MAP_WRG, REDUCE_FILL, REDUCE_FLATTEN, REDUCE_SPLIT, TO_ITEMS, TO_PRIVATE,
    VECTOR_ACCUMULATOR, VECTOR_MAP,
};
use crate::strategy::{
    Inside, Strategy, Stuck, at_tail, attempt, bottom_up, choose, id, in_body, in_function, in_start,
    in_step, in_value, inside, repeat, rule, seq, sized,
};

/// Blocks of the result that a work-group computes from tiles in local memory, each work-item a block of registers.
pub static BLOCKED: Schedule = Schedule {
    name: "blocked",
    source: "Boda-RTC §VI",
    parameters: &[
        Parameter {
            name: "GM",
            meaning: "work-items of a group across positions",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter {
            name: "GN",
            meaning: "work-items of a group across channels",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter { name: "TM", meaning: "positions of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter { name: "TN", meaning: "channels of a work-item", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "BK",
            meaning: "terms of the sum in local memory at once",
            values: &[1, 2, 4, 8, 16, 32],
        },
        Parameter { name: "W", meaning: "width of the vectors that blocks are read in", values: &[1, 2, 4] },
        Parameter { name: "V", meaning: "width of the vectors of sums", values: &[1, 2, 4] },
        Parameter { name: "S", meaning: "groups that share the terms of a sum", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "P",
            meaning: "padding elements between rows of blocks, against bank conflicts",
            values: &[0, 1, 2, 4],
        },
    ],
    options: &[
        (
            "ragged",
            "the last blocks may extend beyond the result, where what they compute is discarded, and beyond the terms of a \
             single sum, where zeros are added",
        ),
        ("flat", "the terms of all sums in each other are one row, which is cut into blocks"),
        ("split", "each sum is split among several groups, and a second kernel adds up their partial sums"),
        (
            "ahead",
            "the next blocks are prefetched into registers while the work-items compute with the current ones",
        ),
        ("cached", "local memory is not used: work-items read the blocks through caches"),
        (
            "sliding",
            "elements that overlapping windows share are in local memory once, and the windows slide over them",
        ),
        (
            "interleaved",
            "the vectors of a row's work-items alternate: neighbours read neighbouring vectors of a block",
        ),
        ("unrolled", "the sum over the terms of a block is written out, term by term"),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [gm, gn, tm, tn, bk, w, v, s, p] = sizes else {
            return Err(Stuck::Because("nine parameters".into()));
        };
        let (channel, position) = (roles.channel()?, roles.position()?);
        let [ragged, split, ahead, cached, sliding, interleaved, unrolled, flat] =
            ["ragged", "split", "ahead", "cached", "sliding", "interleaved", "unrolled", "flat"]
                .map(|name| options.contains(&name));
        refuse(cached && ahead, "blocks that are read through caches can't be prefetched")?;
        refuse(cached && sliding, "windows slide over local memory, which `cached` does not use")?;
        refuse(
            cached && unrolled,
            "blocks in registers are written out anyway: there is no loop over their terms",
        )?;
        refuse(flat && roles.reductions < 2, ONE_SUM)?;
        refuse(flat && sliding, "windows slide where the sums over their elements are in each other")?;
        refuse(ragged && sliding, "windows of positions beyond the result do not slide")?;
        let mut loops = Loops::new(roles.levels);
        // The sums over blocks, and the sums over the terms of one block.
        let mut outer = match (sliding, flat) {
            (true, _) => roles.reductions.saturating_sub(1),
            (false, true) => 1,
            (false, false) => roles.reductions,
        };
        let blocks = match (sliding, flat || roles.reductions == 1) {
            (true, _) => windows_last(position, bk),
            (false, true) => {
                let all = if split { bk * s } else { bk.clone() };
                in_a_row(roles.levels, bk, ragged.then_some(all))
            }
            (false, false) => bottom_up(sized(&REDUCE_SPLIT, &[bk])),
        };
        let parts = (outer, blocks.clone());
        match split {
            true => loops.around("part"),
            false => loops.step(blocks),
        }
        if ahead {
            // One loop over all blocks: then every block but the last has a next one.
            loops.inside(at_reduction(seq((1..outer).map(|_| rule(&REDUCE_FLATTEN)))));
            outer = 1;
        }
        // The last dimension of the result stays innermost: its elements are neighbours in memory.
        let mut sides =
            [Side { level: position, items: gm, own: tm }, Side { level: channel, items: gn, own: tn }];
        sides.sort_by_key(|side| side.level);
        if !sliding {
            merged(&mut loops, &roles.positions, channel);
        }
        let [rows, columns] = sides;
        refuse(
            interleaved && sliding && columns.level == position,
            "there are no vectors of neighbouring positions to interleave where windows slide over them",
        )?;
        let [rows_name, columns_name] = [rows, columns].map(|side| Loops::name(side.level));
        if ragged {
            sides.iter().for_each(|side| loops.round_up(side.level, &side.of_group()));
        }
        loops.tile(rows.level, &rows.of_group(), "m");
        loops.tile_named("m", rows.own, "mi");
        let mut names = vec![&*rows_name, &*columns_name, "m", "n", "mi", "ni"];
        match interleaved {
            true => {
                // A vector of each work-item in turn, and again.
                loops.tile(columns.level, &columns.of_group(), "ni");
                loops.tile_named("ni", &(columns.items * v), "n");
                loops.tile_named("n", v, "vector");
                names.push("vector");
            }
            false => {
                loops.tile(columns.level, &columns.of_group(), "n");
                loops.tile_named("n", columns.own, "ni");
            }
        }
        loops.innermost(&names.into_iter().map(String::from).collect::<Vec<_>>());
        loops.accumulate();
        loops.inside(at_reduction(sized(&VECTOR_ACCUMULATOR, &[v])));
        loops.epilogue(sized(&VECTOR_MAP, &[v]));
        loops.step(simplify_typed());
        if interleaved {
            loops.accumulate();
        }
        loops.accumulate();
        if cached {
            let step = in_registers(w).then(at_tail(sequential()));
            let sums = in_start(rule(&TO_PRIVATE)).then(in_loops(outer, in_step(step)));
            loops.inside(at_reduction(sums).then(nest::written()));
            loops.grouped(2);
        } else {
            loops.accumulate_through(outer);
            loops.accumulate_through(outer);
            let copying = Copying { items: [rows.items, columns.items], width: w, ahead, pitch: p };
            let [block, windows] = match sliding {
                true => [copying.two_sums(), copying.windows()],
                false => [copying.block(), copying.block()],
            };
            let [of_rows, of_columns] =
                if rows.level == position { [windows, block] } else { [block, windows] };
            let of_columns = if interleaved { in_turn(of_columns) } else { of_columns };
            let terms = if unrolled { nest::unrolled() } else { sequential() };
            let step = step([of_rows, of_columns], terms);
            let last = if ahead { step.then(fetched()) } else { step };
            // Of a work-item's rows and columns, and of those the vectors of each in turn.
            let dimensions = if interleaved { 5 } else { 4 };
            loops.inside(sums(dimensions).then(at_reduction(in_loops(outer, last))));
            // Groups have as many dimensions as their work-items.
            loops.at_most(2);
            for (k, d) in (0..loops.len()).rev().zip(0..) {
                loops.step(at_level(k, sized(&MAP_WRG, &[&Nat::from(d)])));
            }
        }
        Ok(match split {
            true => partial_sums(roles, parts, (s, Dealt::InTurn), loops.strategy()),
            false => loops.strategy(),
        })
    },
};

fn refuse(combination: bool, reason: &'static str) -> Result<(), Stuck> {
    if combination { Err(Stuck::Because(reason.into())) } else { Ok(()) }
}

/// The terms of all sums inside so many levels in one row, cut into blocks: filled up until `whole` divides their number, if
/// they can be.
fn in_a_row(levels: usize, block: &Nat, whole: Option<Nat>) -> Strategy {
    let filled = whole.map_or(id(), |whole| attempt(sized(&REDUCE_FILL, &[&whole])));
    let row = repeat(rule(&REDUCE_FLATTEN)).then(filled);
    at_level(levels - 1, in_function(at_reduction(row.then(sized(&REDUCE_SPLIT, &[block])))))
}

/// One side of a group's block of the result.
#[derive(Clone, Copy)]
struct Side<'a> {
    level: usize,
    items: &'a Nat,
    own: &'a Nat,
}

impl Side<'_> {
    fn of_group(&self) -> Nat {
        self.items * self.own
    }
}

/// All levels of positions as one, by the name of the last.
fn merged(loops: &mut Loops, positions: &[usize], channel: usize) {
    let order = positions.iter().chain([&channel]).map(|k| Loops::name(*k)).collect::<Vec<_>>();
    loops.innermost(&order);
    for left in (1..positions.len()).rev() {
        loops.merge(loops.len() - 2 - left);
    }
}

/// The step of the reduction over blocks, which has one block of each factor: all work-items copy both to local
/// memory, first the rows' block and then the columns', and then each computes with the parts that it needs.
fn step([rows, columns]: [Strategy; 2], terms: Strategy) -> Strategy {
    let stage = |array: Vec<Child>, staged: Strategy| hoist(array).then(in_value(staged));
    in_step(seq([
        // The map over the work-items of a row reads one block, the map over rows the other.
        stage(vec![Function, Array, Part(1)], columns),
        in_body(stage(vec![Array, Part(1)], rows)),
        in_body(in_body(in_function(in_function(terms)).then(work_items(2)))),
    ]))
}

/// The sums in registers, from their start until they are written to the result: by the function that is
/// applied to them in the end, or else by a copy.
fn sums(dimensions: usize) -> Strategy {
    let start = at_reduction(in_start(work_items(2).then(rule(&TO_ITEMS))));
    let end = choose(move |e| {
        let path = spine(e);
        match e.at(&path).filter(|e| is_map(e)).map(levels) {
            Some(levels) => Ok(inside(path, written(levels))),
            None => {
                let maps = || (0..dimensions).map(|depth| vec![Function; depth]);
                let copied = seq(maps().map(|place| inside(place, rule(&COPY))));
                Ok(at_reduction(copied.then(written(maps()))))
            }
        }
    });
    start.then(end)
}

/// Nested maps: over rows and columns of work-items, and over the rows and columns of each work-item.
fn written<P: Inside + 'static>(maps: impl IntoIterator<Item = P>) -> Strategy {
    let place = |k: usize| match 1usize.checked_sub(k) {
        Some(dimension) => sized(&MAP_LCL, &[&Nat::from(dimension)]),
        None => rule(&MAP_SEQ),
    };
    let maps: Vec<P> = maps.into_iter().collect();
    seq(maps.into_iter().enumerate().rev().map(|(k, map)| inside(map, place(k))))
}
