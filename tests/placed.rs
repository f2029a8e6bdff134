//! Programs that place their maps themselves, generated as written: every device gives what the
//! interpreter does.

mod by_hand;
mod common;

use by_hand::Placed;
use common::{Trial, compare, devices, shapes, values};
use lift::Program;
use lift::prelude::*;
use lift::target::Target;

lift! {
    /// Of eight work-items each keeps what it has computed; the first would read what all keep.
    pub fn reads_all<N>(xs: [[f32; 8]; N]) -> [[f32; 8]; N] {
        mapWrg(0, |row| {
            let kept = toItems(mapLcl(0, |x| x * 2.0, row));
            mapLcl(0, |x| x, generate(8, |i| if i < 1 { reduce(0.0, |a, x| a + x, kept) } else { 0.0 }))
        }, xs)
    }
    /// The first would read what the fourth keeps.
    pub fn reads_another<N>(xs: [[f32; 8]; N]) -> [[f32; 8]; N] {
        mapWrg(0, |row| {
            let kept = toItems(mapLcl(0, |x| x * 2.0, row));
            mapLcl(0, |x| x, generate(8, |i| if i < 1 { reduce(0.0, |a, x| a + x, take(1, drop(3, kept))) } else { 0.0 }))
        }, xs)
    }
    /// Each would read what its neighbours keep.
    pub fn reads_neighbours<N>(xs: [[f32; 8]; N]) -> [[f32; 8]; N] {
        mapWrg(0, |row| {
            let kept = toItems(mapLcl(0, |x| x * 2.0, row));
            mapLcl(0, |window| reduce(0.0, |a, x| a + x, window), slide(3, 1, pad(1, 1, 0.0, kept)))
        }, xs)
    }
    /// Each work-item would read what another one writes at the same time.
    pub fn turned_sums<N, M, L>(rows: [[[f32; L]; M]; N], starts: [f32; L]) -> [[[f32; L]; M]; N] {
        mapWrg(
            0,
            |rows| mapSeq(
                |sums| mapLcl(0, |x| x, sums),
                scan(
                    toLocal(mapLcl(0, |x| x, starts)),
                    |sums, row| mapLcl(0, |(x, y)| x + y, zip(row, reverse(sums))),
                    rows,
                ),
            ),
            rows,
        )
    }
    /// Each of two reads that are neighbours in memory is under a condition.
    pub fn pairs_turned<N>(xs: [[f32; 2]; N]) -> [[f32; 2]; N + 2] {
        mapSeq(|pair| [pair[1], pair[0]], pad(1, 1, 0.0, xs))
    }
    /// One condition is around both, and around the loop over them.
    pub fn turned_pairs_copied<N>(xs: [[f32; 2]; N]) -> [[f32; 2]; N + 2] {
        mapSeq(|pair| mapSeq(|x| x, pair), pad(1, 1, 0.0, map(reverse, xs)))
    }
}

fn check(family: &[Placed]) {
    let random = &mut fastrand::Rng::with_seed(31);
    for Placed { program, points } in family {
        let program = program();
        for point in *points {
            let sizes = shapes::named(program, &mut point.iter().copied());
            let trial = Trial::new(program, sizes, (-9.0, 9.0), random);
            let expected = trial.interpret().expect("the point fits");
            let expected: Vec<_> = expected.iter().map(values::to_f64).collect();
            for device in devices::all() {
                let got = trial.run_at(device, point).unwrap_or_else(|e| panic!("{}: {e}", program.name()));
                if let Err(problem) = compare::check(&got, &expected) {
                    panic!("{} at {point:?} on {device}: {problem}", program.name());
                }
            }
        }
    }
}

#[test]
fn convolutions_of_the_papers() {
    check(by_hand::CONVOLUTIONS);
}

#[test]
fn local_memory() {
    check(by_hand::LOCAL_MEMORY);
}

#[test]
fn vectors_and_registers() {
    check(by_hand::REGISTERS);
}

/// Compilers that vectorise a loop make masked loads of reads under a condition; where there are several, GCC 12.2 mixes up
/// their lanes.
#[test]
fn reads_under_a_condition_are_not_mixed_up() {
    check(&[
        Placed { program: pairs_turned::program, points: &[&[16], &[33]] },
        Placed { program: turned_pairs_copied::program, points: &[&[16], &[33]] },
    ]);
}

/// A loop over a padded row is cut at the ends of what is inside, and one over a plane is written once more for the rows
/// above and below.
#[test]
fn borders_are_written_by_loops_of_their_own() {
    check(&[Placed {
        program: bordered::program,
        points: &[&[3, 2], &[3, 9], &[3, 40], &[1, 16], &[2, 17]],
    }]);
    let sizes = |n: usize| shapes::named(bordered::program(), &mut [3, n].into_iter());
    let text =
        |n| lift_core::compile(bordered::program(), &sizes(n), &Target::default()).map(|plan| plan.c());
    let [short, long] = [2, 40].map(|n| text(n).expect("it has kernels").matches('?').count());
    // A short row is not worth three loops.
    assert!(short > 0 && long == 0, "{short} choices, and {long}");
}

/// Registers of another work-item can't be read: whoever would is told so.
#[test]
fn what_another_keeps_is_out_of_reach() {
    for program in [reads_all::program(), reads_another::program(), reads_neighbours::program()] {
        let sizes = shapes::named(program, &mut [4].into_iter());
        let refused = lift_core::compile(program, &sizes, &Target::default()).map(|plan| plan.opencl());
        let message = refused.expect_err(program.name()).to_string();
        assert!(message.contains("in the registers of another: keep it with `toLocal`"), "{message}");
    }
}

lift! {
    pub fn bordered<M, N>(rows: [[f32; N]; M]) -> [[f32; N + 5]; M + 2] {
        mapGlb(0, |row| mapSeq(|x| x, row), pad2D(2, 3, 1, 1, 1.5, rows))
    }
    /// The windows share nothing if they move by as many elements as they have.
    pub fn moved_by<S, N>(rows: [[i32; 3 + S]; N]) -> [[i32; 2]; N] {
        mapGlb(0, |row| mapSeq(|w| reduceSeq(0, |acc, x| acc * 3 + x, w), rotated(slide(3, S, row))), rows)
    }
    /// Windows of 65 numbers.
    pub fn large<N>(rows: [[i32; 70]; N]) -> [[i32; 6]; N] {
        mapGlb(0, |row| mapSeq(|w| reduceSeq(0, |acc, x| acc * 3 + x, w), rotated(slide(65, 1, row))), rows)
    }
    /// No loop goes over what `map` makes here: its elements are computed where they are read.
    pub fn read_at_once<N>(rows: [[i32; 8]; N]) -> [i32; N] {
        mapGlb(0, |row| reduceSeq(0, |acc, x| acc * 3 + x, map(|w| reduceSeq(0, |a, x| a + x, w), rotated(slide(3, 1, row)))), rows)
    }
    pub fn written_out<N>(rows: [[i32; 8]; N]) -> [i32; N] {
        mapGlb(0, |row| reduceSeq(0, |acc, x| acc * 3 + x, mapSeqUnroll(|x| x + 1, row)), rows)
    }
    /// Fetched ahead among arrays that are not, and in a `zip` in a `zip`.
    pub fn ahead_among_others<N, M>(xs: [[i32; M]; N], ys: [[i32; M]; N], zs: [[i32; M]; N]) -> [i32; N] {
        mapGlb(0, |(x, y, z)| reduceSeq(
            0,
            |acc, (x, (y, z))| acc * 3 + x * y - z,
            zip(x, zip(ahead(map(|y| toPrivate(y * y), y)), z))), zip(xs, ys, zs))
    }
    /// A running value in local memory, its rows further apart.
    pub fn pitched_sums<N, P>(xs: [[[[i32; 4]; 4]; 3]; N]) -> [[[i32; 4]; 4]; N] where P <= 8 {
        mapWrg(0, |blocks| mapLcl(0, |row| mapSeq(|x| x, row), transpose(reduceSeq(
            toLocalPitched(P, mapLcl(0, |row| mapSeq(|x| x, row), repeat(4, repeat(4, 0)))),
            |sums, block| mapLcl(0, |(sum, row)| mapSeq(|(a, x)| a + x, zip(sum, row)), zip(sums, block)),
            blocks))), xs)
    }
}

/// What says how a loop reads its array has an effect, or is refused: nothing is left out in silence.
#[test]
fn what_would_change_nothing_is_refused() {
    let refused = |program: &'static Program, sizes: &[usize]| {
        let sizes = shapes::named(program, &mut sizes.iter().copied());
        lift_core::compile(program, &sizes, &Target::default())
            .map(|plan| plan.opencl())
            .map_err(|error| error.to_string())
    };
    let nothing = "`rotated` cannot keep these windows in registers";
    let no_loop = "has no effect here";
    for (program, sizes, reason) in [
        (moved_by::program(), &[3, 2][..], nothing),
        (large::program(), &[2], nothing),
        (read_at_once::program(), &[2], no_loop),
        (written_out::program(), &[2], no_loop),
    ] {
        let message = refused(program, sizes).expect_err(program.name());
        assert!(message.contains(reason), "{message}");
    }
    for step in [1, 2] {
        let text = refused(moved_by::program(), &[step, 2]).expect("these windows share elements");
        assert!(text.contains("window"), "{text}");
    }
}

/// Wherever it stands among the arrays of a reduction: the element for the next step is loaded in this one.
#[test]
fn what_is_ahead_is_fetched_in_every_place() {
    let sizes = shapes::named(ahead_among_others::program(), &mut [2, 5].into_iter());
    let text = lift_core::compile(ahead_among_others::program(), &sizes, &Target::default())
        .expect("it compiles")
        .opencl();
    assert!(text.contains("next"), "{text}");
    check(&[Placed { program: ahead_among_others::program, points: &[&[2, 5], &[1, 1], &[3, 2]] }]);
}

#[test]
fn a_running_value_of_a_group_is_updated_in_place() {
    let sizes = shapes::named(turned_sums::program(), &mut [2, 3, 4].into_iter());
    let refused = lift_core::compile(turned_sums::program(), &sizes, &Target::default()).err();
    let said = refused.expect("work-items would wait for nobody").to_string();
    assert!(said.contains("the running value is in local memory"), "{said}");
}

/// Rows of a running value are as far apart as rows of anything else.
#[test]
fn running_values_are_pitched() {
    let local = |pitch: usize| {
        let sizes = shapes::named(pitched_sums::program(), &mut [2, pitch].into_iter());
        lift_core::compile(pitched_sums::program(), &sizes, &Target::default())
            .expect("it compiles")
            .report()
            .kernels[0]
            .local
    };
    assert_eq!((local(1), local(3)), (4 * 4 * (4 + 1), 4 * 4 * (4 + 3)));
    check(&[Placed { program: pitched_sums::program, points: &[&[2, 1], &[1, 3]] }]);
}
