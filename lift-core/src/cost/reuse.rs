//! What a processor's cache loses between two uses. A loop around more than a cache has room for moves all of it in each
//! iteration; one around less moves only what is new to it.

use crate::kernel::{Array, ArrayId, Parallel, Space, Stmt};
use crate::nat::{Nat, Var};
use std::collections::{HashMap, HashSet};

/// Bytes that a launch of a kernel with this body moves to and from a cache with room for so many, in lines of this length.
pub(super) fn beyond(body: &[Stmt], sizes: &[(Var, i64)], line: f64, room: f64) -> f64 {
    let cache = Cache { sizes, line, room };
    let mut items = vec![];
    let mut see = |stmt: &Stmt| {
        if let Stmt::Loop { var, extent, parallel: Parallel::Global(d) | Parallel::Group(d), .. } = stmt {
            items.push((*d, Turns { var: var.clone(), count: cache.number(extent).max(0) as f64 }));
        }
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    // Work-items and work-groups come one after the other, those of the first dimension next to each other.
    items.sort_by_key(|(d, _)| std::cmp::Reverse(*d));
    let items: Vec<Turns> = items.into_iter().map(|(_, turns)| turns).collect();
    cache.of_items(&items, body)
}

struct Cache<'a> {
    sizes: &'a [(Var, i64)],
    line: f64,
    room: f64,
}

/// A loop.
#[derive(Clone)]
struct Turns {
    var: Var,
    count: f64,
}

/// A load or store of one or several neighbouring elements.
struct Access<'a> {
    array: &'a Array,
    index: &'a Nat,
    width: u8,
}

impl Cache<'_> {
    /// Of work-items in turn, all that is in the body of each.
    fn of_items(&self, items: &[Turns], body: &[Stmt]) -> f64 {
        match items {
            [] => self.of_block(body),
            [turns, inner @ ..] => self.of_turns(turns, inner, body, &|| self.of_items(inner, body)),
        }
    }

    fn of_block(&self, body: &[Stmt]) -> f64 {
        let of_stmt = |stmt: &Stmt| match stmt {
            Stmt::Loop { body, parallel: Parallel::Global(_) | Parallel::Group(_), .. } => {
                self.of_block(body)
            }
            Stmt::Loop { var, extent, parallel: Parallel::Sequential | Parallel::Local(_), body } => {
                let turns = Turns { var: var.clone(), count: self.number(extent).max(0) as f64 };
                self.of_turns(&turns, &[], body, &|| self.of_block(body))
            }
            Stmt::If(_, then, otherwise) => self.of_block(usual(then, otherwise)),
            Stmt::Comment(_)
            | Stmt::Declare { .. }
            | Stmt::Assign(..)
            | Stmt::Array(..)
            | Stmt::Store(..)
            | Stmt::Soon(..)
            | Stmt::Barrier(_) => {
                let mut accesses = vec![];
                of_one(stmt, &mut accesses);
                self.distinct(&accesses, &[])
            }
        };
        body.iter().map(of_stmt).sum()
    }

    /// Of a loop, given the loops that stand for work-items inside it, and what an iteration moves if it moves everything anew.
    fn of_turns(&self, turns: &Turns, items: &[Turns], body: &[Stmt], anew: &dyn Fn() -> f64) -> f64 {
        let (mut loops, mut accesses) = (items.to_vec(), vec![]);
        self.inside(body, &mut loops, &mut accesses);
        if self.distinct(&accesses, &loops) > self.room {
            return turns.count * anew();
        }
        loops.push(turns.clone());
        self.distinct(&accesses, &loops)
    }

    /// The loops and accesses of a block.
    fn inside<'b>(&self, body: &'b [Stmt], loops: &mut Vec<Turns>, accesses: &mut Vec<Access<'b>>) {
        for stmt in body {
            of_one(stmt, accesses);
            match stmt {
                Stmt::Loop { var, extent, parallel, body } => {
                    if matches!(parallel, Parallel::Sequential | Parallel::Local(_)) {
                        loops.push(Turns { var: var.clone(), count: self.number(extent).max(0) as f64 });
                    }
                    self.inside(body, loops, accesses);
                }
                Stmt::If(_, then, otherwise) => self.inside(usual(then, otherwise), loops, accesses),
                Stmt::Comment(_)
                | Stmt::Declare { .. }
                | Stmt::Assign(..)
                | Stmt::Array(..)
                | Stmt::Store(..)
                | Stmt::Soon(..)
                | Stmt::Barrier(_) => {}
            }
        }
    }

    /// Bytes of the lines that accesses touch in these loops: of an array no more than it has.
    fn distinct(&self, accesses: &[Access], loops: &[Turns]) -> f64 {
        let mut of_arrays: HashMap<ArrayId, (&Array, Vec<Together>)> = HashMap::new();
        for access in accesses {
            let (_, all) = of_arrays.entry(access.array.id).or_insert((access.array, vec![]));
            let steps = self.steps(access, loops);
            let first = self.number(access.index) as f64 * element(access.array);
            let part = (first, f64::from(access.width) * access.array.scalar.bytes() as f64);
            match all.iter_mut().find(|together| together.steps == steps) {
                Some(together) => together.parts.push(part),
                None => all.push(Together { steps, parts: vec![part] }),
            }
        }
        let of_array = |(array, all): &(&Array, Vec<Together>)| {
            let sum: f64 = all.iter().map(|together| together.distinct(self.line)).sum();
            sum.min(self.number(&array.length) as f64 * element(array))
        };
        of_arrays.values().map(of_array).sum()
    }

    /// How far an access moves in an iteration of each loop, in bytes, and how often, where it moves. Where a place is no
    /// multiple of a loop's variable, nothing is known of how far the next is.
    fn steps(&self, access: &Access, loops: &[Turns]) -> Vec<(f64, f64)> {
        let moved = loops.iter().filter(|turns| access.index.contains(&turns.var));
        let step = |turns: &Turns| {
            let of_one = access.index.slope(&turns.var, &|var| Some(self.first(var)));
            let bytes = |step: i64| step.abs() as f64 * element(access.array);
            (of_one.map_or(f64::INFINITY, bytes), turns.count)
        };
        moved.map(step).collect()
    }

    /// With the first values of loops that it depends on.
    fn number(&self, n: &Nat) -> i64 {
        n.eval(&|var| Some(self.first(var))).unwrap_or(0)
    }

    /// The value of a size, or the first of a loop's variable.
    fn first(&self, var: &Var) -> i64 {
        self.sizes.iter().find(|(v, _)| v == var).map_or(0, |(_, value)| *value)
    }
}

/// Accesses to an array that move together.
struct Together {
    /// How far in each loop, and how often.
    steps: Vec<(f64, f64)>,
    /// Where they begin, and how many bytes each has.
    parts: Vec<(f64, f64)>,
}

impl Together {
    fn distinct(&self, line: f64) -> f64 {
        let count: f64 = self.steps.iter().map(|(_, turns)| turns.max(1.0)).product();
        let moved: f64 = self.steps.iter().map(|(step, turns)| step * (turns - 1.0).max(0.0)).sum();
        let nearest = self.steps.iter().map(|(step, _)| *step).filter(|step| *step > 0.0);
        let far = nearest.fold(f64::INFINITY, f64::min) >= line && !self.steps.is_empty();
        // Where the next iteration reads on, all of a line is used in the end.
        let at_once = if far {
            let lines = |(first, bytes): &(f64, f64)| {
                (first / line).floor() as i64..=((first + bytes - 1.0) / line).floor() as i64
            };
            self.parts.iter().flat_map(lines).collect::<HashSet<_>>().len() as f64 * line
        } else {
            self.parts.iter().map(|(_, bytes)| bytes).sum()
        };
        let begin = self.parts.iter().map(|(first, _)| *first).fold(f64::INFINITY, f64::min);
        let end = self.parts.iter().map(|(first, bytes)| first + bytes).fold(0.0, f64::max);
        (count * at_once).min(moved + end - begin)
    }
}

/// Bytes of an array's elements.
fn element(array: &Array) -> f64 {
    array.scalar.bytes() as f64 * f64::from(array.width)
}

/// The branch that is taken but at edges.
fn usual<'a>(then: &'a [Stmt], otherwise: &'a [Stmt]) -> &'a [Stmt] {
    if then.is_empty() { otherwise } else { then }
}

/// The accesses to memory that a statement itself makes.
fn of_one<'a>(stmt: &'a Stmt, accesses: &mut Vec<Access<'a>>) {
    stmt.accesses(&mut |array, index, width, _| {
        let same =
            |other: &Access| other.array.id == array.id && other.index == index && other.width == width;
        if array.space == Space::Global && !accesses.iter().any(same) {
            accesses.push(Access { array, index, width });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::beyond;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::types::Scalar;
    use std::sync::Arc;

    const LINE: f64 = 64.0;

    fn index(number: u32) -> Var {
        Var::made(Maker::Comparison, "i", number)
    }

    /// `sums[0] = xs[place]`
    fn read(length: i64, place: Nat) -> Stmt {
        let array = |name: &str, id, length| {
            let (id, length) = (ArrayId::Own(id), Nat::from(length));
            let (name, scalar, space) = (name.into(), Scalar::F32, Space::Global);
            Arc::new(Array { name, id, scalar, width: 1, space, length, registers: false })
        };
        Stmt::Store(array("sums", 1, 1), Nat::from(0), Expr::Load(array("xs", 2, length), place, 1))
    }

    fn looped(var: Var, extent: i64, parallel: Parallel, body: Stmt) -> Stmt {
        Stmt::Loop { var, extent: Nat::from(extent), parallel, body: vec![body] }
    }

    #[test]
    fn what_fits_is_read_once() {
        // 4000 bytes, a hundred times.
        let one = looped(index(0), 1000, Parallel::Sequential, read(1000, Nat::var(&index(0))));
        let all = [looped(index(1), 100, Parallel::Sequential, one)];
        assert_eq!(beyond(&all, &[], LINE, 5e3), 4004.0);
        assert_eq!(beyond(&all, &[], LINE, 2e3), 100.0 * 4004.0);
    }

    #[test]
    fn columns_of_a_matrix_share_lines() {
        let place = Nat::var(&index(0)) * Nat::from(1000) + Nat::var(&index(1));
        let column = looped(index(0), 1000, Parallel::Sequential, read(1_000_000, place));
        let all = [looped(index(1), 1000, Parallel::Global(0), column)];
        assert_eq!(beyond(&all, &[], LINE, 1e5), 4e6 + 4.0);
        assert_eq!(beyond(&all, &[], LINE, 3e4), 1000.0 * (1000.0 * LINE + 4.0));
    }

    #[test]
    fn work_items_beside_each_other_come_one_after_the_other() {
        // Each reads an array of 4000 bytes, which those of the first dimension share.
        let place = Nat::var(&index(2)) * Nat::from(1000) + Nat::var(&index(0));
        let one = looped(index(0), 1000, Parallel::Sequential, read(10_000, place));
        let second = looped(index(1), 50, Parallel::Global(0), one);
        let outer = [looped(index(2), 10, Parallel::Global(1), second.clone())];
        let Stmt::Loop { body, .. } = second else { panic!("a loop") };
        let inner = looped(index(2), 10, Parallel::Global(1), body[0].clone());
        let swapped = [looped(index(1), 50, Parallel::Global(0), inner)];
        for order in [outer, swapped] {
            assert_eq!(beyond(&order, &[], LINE, 5e3), 40_004.0);
            assert_eq!(beyond(&order, &[], LINE, 2e3), 500.0 * 4004.0);
        }
    }
}
