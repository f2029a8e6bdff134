//! Blocks of the factors are kept where work-items read them again and again: in local memory of the group, or
//! in registers. They are copied in vectors of elements that are neighbours where they come from.

use super::nest::{each_operand, hoist, operands};
use crate::expr::Child::{Function, Operand, Step};
use crate::expr::{Expr, Function as Program, Kind};
use crate::kernel::Space;
use crate::nat::{Maker, Nat, Var};
use crate::origin::{Access, Origins};
use crate::primitives::Form;
use crate::rules::{
    AHEAD, COPY, COVER, FLATTEN, MAP_FISSION, MAP_LCL, MAP_SEQ, REDUCE_OPERAND, ROUND_UP, SPLIT_JOIN,
    TO_ITEMS, TO_LOCAL_PITCHED, TO_PRIVATE, TRANSPOSE_TRANSPOSE, TURN, VECTOR_MAP,
};
use crate::strategy::{
    Strategy, Stuck, attempt, choose, id, in_array, in_function, in_operand, in_value, inside, inwards,
    repeat, rule, seq, sized,
};
use std::collections::BTreeSet;

/// How the work-items of a group copy blocks of terms to local memory.
pub struct Copying<'a> {
    /// Rows of work-items, and how many there are in each.
    pub items: [&'a Nat; 2],
    /// The width of the vectors that are copied.
    pub width: &'a Nat,
    /// The next block is loaded into registers while this one is computed with.
    pub ahead: bool,
    /// How many elements rows are further apart than they are long.
    pub pitch: &'a Nat,
}

impl Copying<'_> {
    /// `[a][b][k]`, elements of rows of work-items, as `[k][a * b]` in local memory.
    pub fn block(&self) -> Strategy {
        let turned = rule(&TURN).then(in_operand(self.local(&self.shared_out())));
        rule(&FLATTEN).then(in_operand(turned))
    }

    /// `[a][b][k][l]` as `[l][k][a * b]`.
    pub fn two_sums(&self) -> Strategy {
        let each = rule(&COPY).then(in_function(rule(&TURN))).then(apart());
        let flat = rule(&FLATTEN).then(in_operand(self.local(&self.shared_out())));
        let outermost = rule(&TURN).then(in_operand(flat));
        let turned = seq([rule(&TURN), in_operand(each.then(in_array(outermost)))]);
        rule(&FLATTEN).then(in_operand(turned))
    }

    /// `[a][b][k][l]`, where windows of `l` elements slide over an array of `n`, as that array: `[k][n]`.
    pub fn windows(&self) -> Strategy {
        let cover = rule(&COVER).because("windows of neighbouring positions do not overlap");
        let each = rule(&COPY).then(in_function(cover)).then(apart());
        // Windows seldom cover a number of elements that work-items can share evenly.
        let rounds = sized(&ROUND_UP, &[&(self.items[0] * self.items[1])]);
        let copied = self.local(&rounds.then(in_operand(self.shared_out())));
        let turned = rule(&TURN).then(in_operand(each.then(in_array(copied))));
        rule(&FLATTEN).then(in_operand(turned))
    }

    fn local(&self, shared_out: &Strategy) -> Strategy {
        kept(sized(&TO_LOCAL_PITCHED, &[self.pitch]), self.width, shared_out)
    }

    /// Each work-item copies some of it, directly or by way of its registers.
    fn shared_out(&self) -> Strategy {
        let Copying { items: [rows, columns], ahead, .. } = *self;
        let by_registers = seq([
            seq((0..3).map(|depth| inside(vec![Function; depth], rule(&COPY)))),
            in_function(work_items(2)),
            rule(&MAP_SEQ),
            rule(&TO_ITEMS),
        ]);
        seq([
            sized(&SPLIT_JOIN, &[columns]),
            in_operand(sized(&SPLIT_JOIN, &[rows])),
            // Now `join(join(map(…)))`.
            in_operand(in_operand(seq([
                in_function(work_items(2)),
                rule(&MAP_SEQ),
                if ahead { in_array(by_registers) } else { id() },
            ]))),
        ])
    }
}

/// `[a][b]…`, where neighbouring work-items `a` have neighbouring elements `b`, as an array of these in the order
/// in memory: `[b * a]…`.
pub fn in_turn(staged: Strategy) -> Strategy {
    rule(&TURN).then(in_operand(rule(&FLATTEN).then(in_operand(staged))))
}

/// Takes the operand out of a function that only rearranges it: a map of its own computes the operands.
fn apart() -> Strategy {
    choose(|map| {
        let operand = map.child(Function).and_then(|body| body.path(&[Operand]));
        Ok(inwards(
            &MAP_FISSION,
            operand.ok_or_else(|| Stuck::Because("the function rearranges nothing".into()))?,
        ))
    })
}

/// `[k][n]` in memory, copied row by row, or column by column, as it lies where it comes from, in vectors of this width. What
/// lies in pieces in rows is copied element by element: neighbouring work-items have neighbouring elements then.
fn kept(memory: Strategy, width: &Nat, vectors: &Strategy) -> Strategy {
    let copy = |width: &Nat| seq([rule(&COPY), sized(&VECTOR_MAP, &[width]), in_operand(vectors.clone())]);
    let in_rows = |width: &Nat| rule(&FLATTEN).then(in_operand(copy(width)));
    let (rows, pieces) = (in_rows(width), in_rows(&Nat::constant(1)));
    let turned = attempt(rule(&TRANSPOSE_TRANSPOSE)).then(rows.clone());
    let columns = rule(&TURN).then(in_operand(turned));
    memory.then(in_operand(Strategy::new(move |state, path| {
        let [row, column] = ["row", "column"].map(|name| Var::made(Maker::Origin, name, 0));
        let at = state.at(path).zip(state.typed()).and_then(|(e, typed)| {
            let path = [&row, &column].map(|v| Access::Element(Nat::var(v)));
            Origins::new(&state.function, typed).address(e, &path)
        });
        let one = Nat::constant(1);
        let next = |at: &Nat| at.substitute(&|v| (*v == column).then(|| Nat::var(v) + 1));
        match at {
            Some(at) if next(&at) - &at == one => rows.run(state, path),
            Some(at) if is_short(&at.stride(&column), &state.function) => pieces.run(state, path),
            _ => columns.run(state, path),
        }
    })))
}

/// Neighbours no further apart than this are read with few others between them.
const NEAR: i64 = 4;

/// Are neighbours no row of an array apart, but the step of windows, say?
fn is_short(stride: &Nat, function: &Program) -> bool {
    let shapes = function.params.iter().flat_map(|p| p.ty.shape().0);
    let lengths: BTreeSet<Var> = shapes.flat_map(Nat::vars).collect();
    stride.as_constant().map_or(!stride.vars().iter().any(|v| lengths.contains(v)), |n| n.abs() <= NEAR)
}

/// Blocks of both factors in registers of the work-item that reads them: `[k][n]` in each.
pub fn in_registers(width: &Nat) -> Strategy {
    let copied = kept(rule(&TO_PRIVATE), width, &rule(&MAP_SEQ));
    each_operand(move |array| hoist(array).then(in_value(copied.clone())))
}

/// Fetches the arrays that a step of a reduction keeps in registers one step ahead.
pub fn fetched() -> Strategy {
    let is_items =
        |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Items)));
    let out = choose(move |e| {
        let path = e.child(Step).and_then(|step| step.first(&is_items));
        Ok(inwards(
            &REDUCE_OPERAND,
            path.ok_or_else(|| Stuck::Because("no array is kept in registers".into()))?,
        ))
    });
    let ahead = choose(move |e| {
        let paths = operands(e).ok_or_else(|| Stuck::Because("there is no reduction".into()))?;
        let kept =
            paths.into_iter().filter(|path| e.at(path).is_some_and(|array| array.first(&is_items).is_some()));
        Ok(seq(kept.map(|path| inside(path, rule(&AHEAD)))))
    });
    out.clone().then(repeat(out)).then(ahead)
}

/// Nested maps as the dimensions of a group.
pub fn work_items(dimensions: usize) -> Strategy {
    match dimensions {
        0 => id(),
        n => in_function(work_items(n - 1)).then(sized(&MAP_LCL, &[&Nat::from(n - 1)])),
    }
}
