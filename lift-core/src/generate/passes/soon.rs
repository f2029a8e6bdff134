//! Work-items of a processor that go over a row several times, as for a softmax: in the first loop the row comes from memory, in the last
//! the result goes there, and in between there is only computing, with what is in the first cache. Processors fetch ahead of time what
//! follows in memory, though not beyond a page, and begin anew with each row. So the loop that computes most asks for the elements of
//! the next work-item's row that are beside its own, and for those of the result that the last loop stores.

use crate::cost::instructions_of;
use crate::kernel::{Array, ArrayId, Expr, Parallel, Space, Stmt};
use crate::nat::{Nat, Var};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes of a line: what follows in it comes with it.
const LINE: usize = 64;
/// Rows of more bytes fill the first cache of most processors by themselves.
const ROW: usize = 32 << 10;
/// Bytes of the vectors before which a loop may ask for something: of a loop over scalars that does, compilers make no vectors.
const VECTOR: usize = 16;

/// Adds the requests to a kernel's statements. `value` knows the values of sizes.
pub fn asked_for(body: &[Stmt], value: &dyn Fn(&Nat) -> Option<usize>) -> Vec<Stmt> {
    let one = |stmt: &Stmt| match stmt {
        Stmt::Loop { var, extent, parallel: Parallel::Global(0) | Parallel::Group(0), .. } => {
            let item = Item { var, extent, value };
            stmt.rebuilt(&mut Expr::clone, &mut |block| {
                item.requests(block).unwrap_or_else(|| block.to_vec())
            })
        }
        Stmt::Loop { .. }
        | Stmt::Comment(_)
        | Stmt::Declare { .. }
        | Stmt::Assign(..)
        | Stmt::Array(..)
        | Stmt::Store(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::If(..) => stmt.rebuilt(&mut Expr::clone, &mut |block| asked_for(block, value)),
    };
    body.iter().map(one).collect()
}

/// Work-items that come one after the other.
struct Item<'a> {
    var: &'a Var,
    extent: &'a Nat,
    value: &'a dyn Fn(&Nat) -> Option<usize>,
}

/// A loop of a work-item that is in no other.
struct Turn<'a> {
    accesses: Vec<Access<'a>>,
    /// Instructions of operators in an iteration of the innermost loops.
    work: f64,
}

struct Access<'a> {
    array: &'a Arc<Array>,
    index: &'a Nat,
    width: u8,
    stores: bool,
    /// The loops around it.
    around: Vec<(&'a Var, &'a Nat)>,
}

/// What a loop asks for, before it makes an access. It may lie up to a vector beyond what is stored, where the last vector of a row is
/// stored in part: nothing is read or written there.
struct Request {
    before: (ArrayId, Nat),
    array: Arc<Array>,
    index: Nat,
}

impl Item<'_> {
    /// The work-item's statements with requests; `None` if there is nothing to ask for.
    fn requests(&self, body: &[Stmt]) -> Option<Vec<Stmt>> {
        let turns: Vec<(usize, Turn)> =
            body.iter().enumerate().filter_map(|(at, stmt)| Some((at, turn(stmt)?))).collect();
        let (_, later) = turns.split_first().filter(|_| self.several())?;
        let first = |id: ArrayId| {
            let touches =
                |(_, turn): &&(usize, Turn)| turn.accesses.iter().any(|access| access.array.id == id);
            turns.iter().position(|turn| touches(&turn))
        };
        let busiest = |turns: Vec<&(usize, Turn)>| {
            let most = turns.iter().map(|(_, turn)| turn.work).fold(0.0, f64::max);
            turns.into_iter().find(|(_, turn)| turn.work == most).map(|(at, _)| *at)
        };
        let mut found: Vec<(usize, Request)> = vec![];
        let mut seen = BTreeSet::new();
        let accesses =
            turns.iter().enumerate().flat_map(|(k, (_, turn))| turn.accesses.iter().map(move |a| (k, a)));
        for (k, access) in accesses.filter(|(_, access)| self.is_row(access)) {
            let id = access.array.id;
            // What was read before is there: the next row is not. What is stored for the first time is not there, either.
            if first(id) != Some(k) || !seen.insert(id) {
                continue;
            }
            if access.stores {
                let like =
                    |(_, turn): &&(usize, Turn)| turn.accesses.iter().any(|own| self.alike(own, access));
                let before = later.iter().take(k.saturating_sub(1)).filter(like).collect();
                let Some(at) = busiest(before) else { continue };
                let turn = turns.iter().find(|(other, _)| *other == at).map(|(_, turn)| turn);
                let own = turn.and_then(|turn| turn.accesses.iter().find(|own| self.alike(own, access)));
                found.extend(own.map(|own| (at, access.stored_by(own))));
            } else {
                let reads = |turn: &&(usize, Turn)| turn.1.accesses.iter().any(|own| own.reads_on(id));
                let again = later.iter().skip(k).filter(reads).collect();
                let Some(at) = busiest(again) else { continue };
                let own = turns.iter().filter(|(other, _)| *other == at).flat_map(|(_, turn)| &turn.accesses);
                found.extend(own.filter(|own| own.reads_on(id)).map(|own| (at, self.next(own))));
            }
        }
        if found.is_empty() {
            return None;
        }
        let asking = |(at, stmt): (usize, &Stmt)| {
            let own: Vec<&Request> =
                found.iter().filter(|(turn, _)| *turn == at).map(|(_, request)| request).collect();
            if own.is_empty() { stmt.clone() } else { self.asking(stmt, &own) }
        };
        Some(body.iter().enumerate().map(asking).collect())
    }

    fn several(&self) -> bool {
        (self.value)(self.extent).is_none_or(|items| items > 1)
    }

    /// By how many elements a place is further for the next work-item.
    fn step(&self, index: &Nat) -> Option<usize> {
        (self.value)(&(index.substitute(&|v| (v == self.var).then(|| Nat::var(v) + 1)) - index))
    }

    /// Does each work-item have a row of its own there?
    fn is_row(&self, access: &Access) -> bool {
        let bytes = access.array.scalar.bytes() * usize::from(access.array.width);
        let row = self.step(access.index).map(|step| step * bytes);
        access.array.space == Space::Global && row.is_some_and(|row| (LINE..=ROW).contains(&row))
    }

    /// Do both go on alike: are loops as long around them, and vectors as wide?
    fn alike(&self, own: &Access, other: &Access) -> bool {
        let lengths = |access: &Access| {
            access.around.iter().map(|(_, extent)| (self.value)(extent)).collect::<Vec<_>>()
        };
        own.is_vector() && own.width == other.width && lengths(own) == lengths(other)
    }

    /// The same element of the next row; of the last row there is none, and it is asked for again.
    fn next(&self, own: &Access) -> Request {
        let next = (Nat::var(self.var) + 1).min(&(self.extent - 1));
        let index = own.index.substitute(&|v| (v == self.var).then(|| next.clone()));
        Request { before: (own.array.id, own.index.clone()), array: own.array.clone(), index }
    }

    /// A loop with requests before its accesses, each line asked for once in an iteration.
    fn asking(&self, stmt: &Stmt, requests: &[&Request]) -> Stmt {
        let block = &mut |block: &[Stmt]| {
            let mut done: Vec<Stmt> = vec![];
            let mut asked: Vec<&Request> = vec![];
            for stmt in block {
                let mut wanted: Vec<&Request> = vec![];
                stmt.accesses(&mut |array, index, _, _| {
                    let own = requests.iter().filter(|request| request.before == (array.id, index.clone()));
                    wanted.extend(own);
                });
                for request in wanted {
                    if !asked.iter().any(|other| self.is_in_line(other, request)) {
                        done.push(Stmt::Soon(request.array.clone(), request.index.clone()));
                        asked.push(request);
                    }
                }
                done.push(self.asking(stmt, requests));
            }
            done
        };
        stmt.rebuilt(&mut Expr::clone, block)
    }

    /// Is it in the line of what another one asks for, if lines begin there?
    fn is_in_line(&self, other: &Request, request: &Request) -> bool {
        let bytes = request.array.scalar.bytes() * usize::from(request.array.width);
        let apart = (self.value)(&(&request.index - &other.index));
        other.array.id == request.array.id && apart.is_some_and(|elements| elements * bytes < LINE)
    }
}

impl Access<'_> {
    fn is_vector(&self) -> bool {
        let moves = self.around.last().is_some_and(|(var, _)| self.index.contains(var));
        moves && usize::from(self.width) * self.array.scalar.bytes() >= VECTOR
    }

    fn reads_on(&self, id: ArrayId) -> bool {
        self.array.id == id && !self.stores && self.is_vector()
    }

    /// This element, asked for by a loop like the one around it.
    fn stored_by(&self, own: &Access) -> Request {
        let in_place_of = |var: &Var| {
            let place = self.around.iter().position(|(other, _)| *other == var)?;
            own.around.get(place).map(|(var, _)| Nat::var(var))
        };
        let index = self.index.substitute(&in_place_of);
        Request { before: (own.array.id, own.index.clone()), array: self.array.clone(), index }
    }
}

/// A statement as a loop of a work-item, if it is one.
fn turn(stmt: &Stmt) -> Option<Turn<'_>> {
    let Stmt::Loop { parallel: Parallel::Sequential | Parallel::Local(_), .. } = stmt else { return None };
    let mut turn = Turn { accesses: vec![], work: 0.0 };
    turn.see(std::slice::from_ref(stmt), &mut vec![]);
    Some(turn)
}

impl<'a> Turn<'a> {
    fn see(&mut self, block: &'a [Stmt], around: &mut Vec<(&'a Var, &'a Nat)>) {
        for stmt in block {
            stmt.accesses(&mut |array, index, width, stores| {
                self.accesses.push(Access { array, index, width, stores, around: around.clone() });
            });
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| {
                    self.work += if let Expr::Op(op, ..) = e { instructions_of(*op) } else { 0.0 }
                });
            }
            if let Stmt::Loop { var, extent, body, .. } = stmt {
                around.push((var, extent));
                self.see(body, around);
                around.pop();
            } else {
                stmt.blocks().into_iter().for_each(|block| self.see(block, around));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::asked_for;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, Local, LocalId, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::scalar::Op;
    use crate::types::Scalar;
    use std::sync::Arc;

    const ROWS: i64 = 10;

    fn var(name: &str, number: u32) -> Var {
        Var::made(Maker::Comparison, name, number)
    }

    fn array(name: &str, id: u32, space: Space) -> Arc<Array> {
        let (length, scalar) = (Nat::from(1 << 20), Scalar::F32);
        Arc::new(Array {
            name: name.into(),
            id: ArrayId::Own(id),
            scalar,
            width: 1,
            space,
            length,
            registers: false,
        })
    }

    fn looped(var: &Var, extent: i64, parallel: Parallel, body: Vec<Stmt>) -> Stmt {
        Stmt::Loop { var: var.clone(), extent: Nat::from(extent), parallel, body }
    }

    /// A softmax of rows of so many elements, more or less: the largest, the powers, and what these are divided by something.
    fn softmax(elements: i64, width: u8) -> Vec<Stmt> {
        let (n, [i, j, k]) = (var("n", 0), [1, 2, 3].map(|number| var("i", number)));
        let (xs, ys) = (array("xs", 1, Space::Global), array("ys", 2, Space::Global));
        let powers = array("powers", 3, Space::Private);
        let top = Local { name: "top".into(), id: LocalId::Own(4), scalar: Scalar::F32, width };
        let step = i64::from(width);
        let at = |i: &Var| Nat::var(&n) * elements + Nat::var(i) * step;
        let own = |i: &Var| Nat::var(i) * step;
        let load = |array: &Arc<Array>, index: Nat| Expr::Load(array.clone(), index, width);
        let op = |op: Op, operands: Vec<Expr>| Expr::Op(op, Scalar::F32, operands);
        let largest =
            Stmt::Assign(top.clone(), op(Op::Max, vec![Expr::Local(top.clone()), load(&xs, at(&i))]));
        let power = Stmt::Store(powers.clone(), own(&j), op(Op::Exp, vec![load(&xs, at(&j))]));
        let share =
            Stmt::Store(ys, at(&k), op(Op::Mul, vec![load(&powers, own(&k)), load(&powers, own(&k))]));
        let turns = [(i.clone(), largest), (j.clone(), power), (k.clone(), share)]
            .map(|(var, stmt)| looped(&var, elements / step, Parallel::Sequential, vec![stmt]));
        vec![looped(&n, ROWS, Parallel::Global(0), turns.to_vec())]
    }

    /// What is asked for, each with the number of the loop that does so.
    fn asked(body: &[Stmt]) -> Vec<(usize, String)> {
        let value = |n: &Nat| n.eval(&|_| None).ok().and_then(|n| usize::try_from(n).ok());
        let body = asked_for(body, &value);
        let Stmt::Loop { body: turns, .. } = &body[0] else { panic!("a loop") };
        let mut found = vec![];
        for (turn, stmt) in turns.iter().enumerate() {
            stmt.visit(&mut |stmt| {
                if let Stmt::Soon(array, index) = stmt {
                    found.push((turn, format!("{array}[{index}]")));
                }
            });
        }
        found
    }

    #[test]
    fn the_busiest_loop_asks_for_the_next_row_and_for_the_result() {
        let expected = [(1, "ys[8 * i + 1000 * n]"), (1, "xs[8 * i + 1000 * min(n + 1, 9)]")];
        assert_eq!(asked(&softmax(1000, 8)), expected.map(|(turn, text)| (turn, text.to_string())));
    }

    #[test]
    fn loops_that_compilers_make_vectors_of_ask_for_nothing() {
        assert_eq!(asked(&softmax(1000, 1)), []);
    }

    #[test]
    fn long_rows_are_gone_before_they_are_wanted() {
        assert_eq!(asked(&softmax(80_000, 8)), []);
    }

    /// Two vectors of eight floats are one line.
    #[test]
    fn a_line_is_asked_for_once() {
        let mut body = softmax(1000, 8);
        let Stmt::Loop { body: turns, .. } = &mut body[0] else { panic!("a loop") };
        let Stmt::Loop { body: powers, .. } = &mut turns[1] else { panic!("a loop") };
        let second = powers[0].reindexed(&|index, _| index + 8);
        powers.push(second);
        let Stmt::Loop { body: shares, .. } = &mut turns[2] else { panic!("a loop") };
        shares.clear();
        assert_eq!(asked(&body), [(1, "xs[8 * i + 1000 * min(n + 1, 9)]".to_string())]);
    }
}
