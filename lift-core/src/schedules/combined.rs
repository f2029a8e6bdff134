//! Several output channels and several neighbouring positions for each work-item, so that each
//! weight and each input that is loaded is used many times (Hashemi 2019, "Combining Across Width": 16 channels × 2
//! columns, weights loaded as vectors across output channels).

use super::loops::Loops;
use super::nest::{at_reduction, global, padding_apart, sequential, simplify_typed, written};
use super::packed::{NO_POSITIONS, gather, pack};
use super::roles::Tile;
use super::{Parameter, Schedule};
use crate::rules::{VECTOR_ACCUMULATOR, VECTOR_MAP};
use crate::strategy::{Stuck, attempt, sized};

/// Several output channels and neighbouring positions for each work-item.
pub static COMBINED: Schedule = Schedule {
    name: "combined",
    source: "Hashemi 2019",
    parameters: &[
        Parameter {
            name: "D",
            meaning: "output channels of a work-item",
            values: &[1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024],
        },
        Parameter { name: "V", meaning: "width of the vectors across them", values: &[1, 2, 4, 8, 16] },
        Parameter {
            name: "R",
            meaning: "rows of a work-item; `along`: output channels",
            values: &[1, 2, 4, 8, 16],
        },
        Parameter { name: "Q", meaning: "columns of a work-item", values: &[1, 2, 4, 7, 8, 14] },
    ],
    options: &[
        ("packed", "weights are rearranged into blocks of D output channels: once, if they are `const`"),
        (
            "gathered",
            "what weights are multiplied with is rearranged into blocks of Q columns: windows are written out, as by im2col",
        ),
        ("padded", "padding is done by a kernel of its own, not by a guard at every read"),
        ("along", "vectors lie along the innermost level of the result, not across output channels"),
        ("ragged", "the last tiles may extend beyond the result: what they compute there is discarded"),
    ],
    derive: |program, sizes, options| {
        let roles = program.roles()?;
        let [d, v, r, q] = sizes else { return Err(Stuck("four parameters".into())) };
        let Tile { lanes: channel, around } = roles.tile(options.contains(&"along"))?;
        let column = around.last().copied();
        let row = around.iter().rev().nth(1).copied();
        let mut loops = Loops::new(roles.levels);
        if options.contains(&"padded") {
            loops.step(padding_apart());
        }
        let tiled = [(row, r, "row"), (column, q, "column")];
        let tiled: Vec<_> =
            tiled.into_iter().filter_map(|(level, n, tile)| Some((level?, n, tile))).collect();
        if options.contains(&"ragged") {
            loops.round_up(channel, d);
            tiled.iter().for_each(|(level, n, _)| loops.round_up(*level, n));
        }
        if options.contains(&"packed") {
            loops.step(pack(roles, channel, d)?);
        }
        if options.contains(&"gathered") {
            let column = column.ok_or_else(|| Stuck(NO_POSITIONS.into()))?;
            loops.step(gather(roles, column, q)?);
        }
        loops.tile(channel, d, "channel");
        for (level, n, tile) in &tiled {
            loops.tile(*level, n, tile);
        }
        // Neighbouring work-items share the weights of channels. Where there are no channels,
        // they compute neighbouring results.
        let positions = tiled.iter().map(|(level, ..)| *level);
        let outer: Vec<_> = match roles.channels.contains(&channel) {
            true => [channel].into_iter().chain(positions).collect(),
            false => positions.chain([channel]).collect(),
        };
        let outer = outer.into_iter().map(Loops::name);
        let inner = tiled.iter().map(|(.., tile)| tile.to_string()).chain(["channel".into()]);
        loops.innermost(&outer.chain(inner).collect::<Vec<_>>());
        loops.accumulate();
        loops.inside(at_reduction(attempt(sized(&VECTOR_ACCUMULATOR, &[v]))));
        loops.epilogue(sized(&VECTOR_MAP, &[v]));
        loops.step(simplify_typed());
        tiled.iter().for_each(|_| loops.accumulate());
        loops.inside(at_reduction(sequential()).then(written()));
        loops.at_most(3);
        loops.peeled();
        loops.step(global(loops.len()));
        Ok(loops.strategy())
    },
};
