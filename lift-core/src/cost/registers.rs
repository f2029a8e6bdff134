//! Vector registers: what the innermost loop of a processor's work-item needs of them.

use crate::kernel::{Expr, Local, Stmt};
use std::collections::HashMap;

/// How many times as long a loop takes that needs more registers than there are: compilers then load and store sums in each
/// iteration. GCC 12 for AVX2, blocks of sums of a matrix product: 94 GFLOP/s where 15 or 16 of 16 registers are needed, 40 to 46 where
/// 17 are.
pub(super) const SPILLED: f64 = 2.0;

/// Bytes of a variable, in a register.
pub(super) fn register(local: &Local) -> f64 {
    f64::from(local.width) * local.scalar.bytes() as f64
}

/// Bytes of the variables that an innermost loop assigns to; none of a loop around others, which may put them into memory
/// meanwhile.
pub(super) fn assigned(body: &[Stmt]) -> f64 {
    let (mut found, mut innermost) = (HashMap::new(), true);
    let mut see = |stmt: &Stmt| match stmt {
        Stmt::Assign(local, _) => _ = found.insert(local.id, register(local)),
        Stmt::Loop { .. } => innermost = false,
        Stmt::Comment(_)
        | Stmt::Array(..)
        | Stmt::Store(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::Declare { .. }
        | Stmt::If(..) => {}
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    if innermost { found.values().sum() } else { 0.0 }
}

/// Bytes of the vectors that are loaded once for several statements of a body, as many as are there at the same time: each from
/// the first statement that reads it to the last, in the order in which they are written.
pub(super) fn loaded(body: &[Stmt]) -> f64 {
    let (mut spans, mut count) = (HashMap::new(), 0);
    let mut see = |stmt: &Stmt| {
        if let Some(e) = stmt.expr() {
            e.visit(&mut |e| {
                if let Expr::Load(array, index, width @ 2..) = e {
                    let bytes = f64::from(*width) * array.scalar.bytes() as f64;
                    let (_, last, _) =
                        spans.entry((array.id, index.clone(), *width)).or_insert((count, count, bytes));
                    *last = count;
                }
            });
        }
        count += 1;
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    let several: Vec<_> = spans.values().filter(|(first, last, _)| first < last).collect();
    let at = |n: &usize| several.iter().filter(|(a, z, _)| a <= n && n <= z).map(|(_, _, bytes)| bytes).sum();
    several.iter().map(|(first, ..)| at(first)).fold(0.0, f64::max)
}

/// Is a scalar put into all lanes of a vector?
pub(super) fn spreads(body: &[Stmt]) -> bool {
    let mut found = false;
    let mut see = |stmt: &Stmt| {
        stmt.expr().into_iter().for_each(|e| e.visit(&mut |e| found |= matches!(e, Expr::Splat(..))));
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    found
}
