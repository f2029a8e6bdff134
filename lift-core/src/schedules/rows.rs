//! Results that each take a whole row to compute: a sum of it, or a softmax. A work-group takes a row; its work-items
//! share out the terms of every reduction, and add up each other's partial sums (GPGPU'20 §4.2.2), and what maps make
//! of a row is in local memory.

use super::loops::Loops;
use super::nest::{at_level, first, is_map, reduction, spine};
use super::{Parameter, Schedule};
use crate::expr::{Argument, Expr, Kind};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::primitives::Form;
use crate::rules::{
    ALONE, MAP_LCL, MAP_SEQ, MAP_WRG, REDUCE_FISSION, REDUCE_FLATTEN, REDUCE_INTERCHANGE, REDUCE_ROUND_UP,
    REDUCE_SEQ, REDUCE_SPLIT, ROUND_UP, SPLIT_JOIN, TO_LOCAL,
};
use crate::strategy::{
    Strategy, Stuck, Way, choose, id, in_function, inside, inwards, repeat, rule, seq, sized,
};

pub static ROWS: Schedule = Schedule {
    name: "rows",
    source: "GPGPU'20 §4.2.2",
    parameters: &[Parameter {
        name: "L",
        meaning: "work-items that share a row",
        values: &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    }],
    options: &[("ragged", "rows may be no whole number of rounds of the work-items")],
    derive: |program, sizes, options| {
        let [items] = sizes else { return Err(Stuck("one parameter".into())) };
        let levels = rows(program.body)?;
        let shares = Sharing { items: items.clone(), ragged: options.contains(&"ragged") };
        let mut loops = Loops::new(levels);
        // As many dimensions as its work-items have.
        loops.at_most(1);
        let innermost = loops.len() - 1;
        loops.step(at_level(
            innermost,
            choose(move |map| {
                let shared = inside(&[0], shares.of_row());
                let (lets, result) = tail(map.at(&[0]).ok_or_else(|| Stuck("no function".into()))?);
                Ok(if is_array(result) { shared } else { shared.then(alone(lets)) })
            }),
        ));
        loops.step(at_level(innermost, sized(&MAP_WRG, &[&Nat::from(0)])));
        Ok(loops.strategy())
    },
};

/// How many maps in each other go over the rows: the function of the innermost reduces, at least once.
fn rows(program: &Expr) -> Result<usize, Stuck> {
    let (mut levels, mut at) = (0, program);
    loop {
        let next = at.at(&spine(at)).filter(|e| is_map(e) && !has_lets(at));
        let Some(function) = next.and_then(|map| map.at(&[0])) else { break };
        (levels, at) = (levels + 1, function);
        if !parts(at).iter().all(|part| reductions(part).is_empty()) {
            return Ok(levels);
        }
    }
    Err(Stuck("no `map` that makes its result reduces rows".into()))
}

fn has_lets(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Let(..))
}

/// What a row's result is made of: what is named, and what that is for.
fn parts(e: &Expr) -> Vec<&Expr> {
    match &*e.kind {
        Kind::Let(_, value, body) => [vec![value], parts(body)].concat(),
        _ => vec![e],
    }
}

/// The ways to the reductions that are in no function.
fn reductions(e: &Expr) -> Vec<Way> {
    if reduction(e).is_some_and(|way| way.is_empty()) {
        return vec![vec![]];
    }
    let is_value = |k: usize| match &*e.kind {
        Kind::Apply(_, arguments) => {
            matches!(arguments.iter().filter(|a| a.expr().is_some()).nth(k), Some(Argument::Value(_)))
        }
        _ => true,
    };
    let children = e.children().into_iter().enumerate().filter(|(k, _)| is_value(*k));
    children
        .flat_map(|(k, child)| reductions(child).into_iter().map(move |way| [vec![k], way].concat()))
        .collect()
}

/// How the work-items of a group share a row.
#[derive(Clone)]
struct Sharing {
    items: Nat,
    ragged: bool,
}

impl Sharing {
    /// All that is computed of a row: arrays that are named stay in local memory, and what is not named is the result.
    fn of_row(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            Ok(match &*e.kind {
                Kind::Let(_, value, _) => {
                    let named = if is_array(value) {
                        this.of_array().then(rule(&TO_LOCAL))
                    } else {
                        this.of_scalar()
                    };
                    inside(&[0], named).then(inside(&[1], this.of_row()))
                }
                _ if is_array(e) => this.of_array(),
                _ => this.of_scalar(),
            })
        })
    }

    /// In rounds: neighbouring work-items have neighbouring elements.
    fn of_array(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| {
            if !reductions(e).is_empty() {
                return Err(Stuck("a `map` in a row goes over an array that is reduced first".into()));
            }
            let rounds = seq([
                sized(&SPLIT_JOIN, &[&this.items]),
                inside(&[0, 0], items()),
                inside(&[0], rule(&MAP_SEQ)),
            ]);
            let shared = match this.ragged {
                true => sized(&ROUND_UP, &[&this.items]).then(inside(&[0], rounds)),
                false => rounds,
            };
            Ok(inside(&spine(e), shared))
        })
    }

    /// Each of its reductions.
    fn of_scalar(&self) -> Strategy {
        let this = self.clone();
        choose(move |e| Ok(seq(reductions(e).into_iter().map(|way| inside(&way, this.of_reduction())))))
    }

    /// A work-item adds up the terms of its rounds, and then everybody what all found.
    fn of_reduction(&self) -> Strategy {
        let one_sum = repeat(rule(&REDUCE_FLATTEN));
        let rounded = if self.ragged { sized(&REDUCE_ROUND_UP, &[&self.items]) } else { id() };
        let apart =
            seq([sized(&REDUCE_SPLIT, &[&self.items]), rule(&REDUCE_INTERCHANGE), rule(&REDUCE_FISSION)]);
        let own = in_function(rule(&REDUCE_SEQ)).then(items()).then(rule(&TO_LOCAL));
        let why =
            "a reduction that does more than add, multiply or take the least or greatest can't be shared out";
        seq([one_sum, rounded.then(apart).because(why), inside(&[2], own), rule(&REDUCE_SEQ)])
    }
}

fn is_array(e: &Expr) -> bool {
    e.at(&spine(e)).is_some_and(is_map)
}

/// What a function is for, behind so many `let`s.
fn tail(e: &Expr) -> (usize, &Expr) {
    match &*e.kind {
        Kind::Let(_, _, body) => {
            let (lets, tail) = tail(body);
            (lets + 1, tail)
        }
        _ => (0, e),
    }
}

/// A row with one number for its result, behind so many `let`s: one work-item makes that of what all found.
fn alone(lets: usize) -> Strategy {
    let way = vec![1; lets];
    choose(move |map| {
        let is_found =
            |e: &Expr| matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Local)));
        let found = map.at(&[&[0], &way[..]].concat()).and_then(|result| first(result, &is_found));
        let found = found.ok_or_else(|| Stuck("the result of a row reduces nothing".into()))?;
        let inner = [&[0, 0], &way[..]].concat();
        Ok(inwards(&ALONE, [&way[..], &found].concat()).then(inside(&inner, items())))
    })
}

fn items() -> Strategy {
    sized(&MAP_LCL, &[&Nat::from(0)])
}
