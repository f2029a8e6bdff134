//! Unrolls loops so that arrays that are meant to be registers become variables: a loop whose variable is an index of such
//! an array, if then all indices of that array are constants. Others are unrolled where the program asks for it, and on a GPU
//! those that add up the elements of a small window.

use crate::kernel::{Array, ArrayId, Expr, Local, LocalId, Parallel, Space, Stmt};
use crate::nat::{Condition, Nat, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Private arrays of more elements stay arrays.
pub const MOST_REGISTERS: usize = 128;
/// And so do those of more bytes: no device has so many registers for a work-item.
const MOST_BYTES: usize = 2048;
/// A kernel that would have more statements keeps all of its loops.
const MOST_STATEMENTS: usize = 2048;
/// A sum over a window that would have more statements stays a loop: a GPU's caches of instructions are small.
const MOST_IN_WINDOW: usize = 128;

/// Unrolls the loops of a kernel that keep private arrays from becoming variables, those that are `asked` for, and with
/// `windows` those that add up small windows. `value` knows the values of sizes, and `fresh` is a number above that of all variables.
pub fn loops(
    body: Vec<Stmt>,
    asked: &BTreeSet<Var>,
    windows: bool,
    value: &dyn Fn(&Nat) -> Option<usize>,
    fresh: &mut u32,
) -> Vec<Stmt> {
    let mut loops: BTreeMap<Var, Option<usize>> = BTreeMap::new();
    let mut arrays: BTreeMap<ArrayId, (Arc<Array>, BTreeSet<Var>)> = BTreeMap::new();
    for stmt in &body {
        stmt.visit(&mut |s| {
            if let Stmt::Loop { var, extent, parallel, .. } = s {
                let length = value(extent).filter(|_| *parallel == Parallel::Sequential);
                loops.insert(var.clone(), length);
            }
            s.accesses(&mut |array, index, _, _| {
                if array.space == Space::Private {
                    let entry = arrays.entry(array.id).or_insert((array.clone(), BTreeSet::new()));
                    entry.1.extend(index.vars().into_iter().filter(|v| v.index > 0));
                }
            });
        });
    }
    let known = |v: &Var| loops.get(v).copied().flatten().is_some_and(|n| n <= MOST_REGISTERS);
    let fit = |a: &Array, n: usize| {
        n <= MOST_REGISTERS && n * usize::from(a.width) * a.scalar.bytes() <= MOST_BYTES
    };
    let small = |a: &Array| a.registers && value(&a.length).is_some_and(|n| fit(a, n));
    // All indices of an array must become numbers, or none need: one loop of unknown length keeps it in memory.
    let chosen: BTreeSet<Var> = arrays
        .into_values()
        .filter(|(array, vars)| small(array) && vars.iter().all(known))
        .flat_map(|(_, vars)| vars)
        .collect();
    let unroller = |vars: &BTreeSet<Var>| {
        let lengths = vars.iter().filter_map(|v| Some((v.clone(), loops.get(v).copied()??))).collect();
        Unroller { lengths, value }
    };
    let for_registers =
        if unroller(&chosen).statements(&body) > MOST_STATEMENTS { BTreeSet::new() } else { chosen };
    let mut all = &for_registers | asked;
    if windows {
        over_windows(&body, &|v| loops.get(v).copied().flatten(), &unroller, &mut all);
    }
    if all.is_empty() { body } else { unroller(&all).block(&body, fresh) }
}

/// Adds to `all` the loops that add up the elements of a window: the loop's variable tells in which row of the window
/// an element is, and whether it lies in the array. Where the loop is written out, that is known or needs fewer tests, and all
/// elements can be on their way from memory at once. NVIDIA's compiler does this by itself for 3 × 3 elements, and not for 5 × 5.
fn over_windows<'a>(
    block: &[Stmt],
    length: &dyn Fn(&Var) -> Option<usize>,
    unroller: &dyn Fn(&BTreeSet<Var>) -> Unroller<'a>,
    all: &mut BTreeSet<Var>,
) {
    for stmt in block {
        stmt.blocks().into_iter().for_each(|inside| over_windows(inside, length, unroller, all));
        if let Stmt::Loop { var, body, .. } = stmt
            && let Some(length) = length(var)
            && adds_up(body, var, all)
            && places(body, var)
            && unroller(all).statements(body).saturating_mul(length) <= MOST_IN_WINDOW
        {
            all.insert(var.clone());
        }
    }
}

/// Does it change registers alone, the same ones for every value of a variable, and has it no loops but those that are written out?
fn adds_up(block: &[Stmt], var: &Var, written_out: &BTreeSet<Var>) -> bool {
    block.iter().all(|stmt| match stmt {
        Stmt::Declare { .. } | Stmt::Assign(..) | Stmt::Comment(_) => true,
        Stmt::Store(array, index, _) => {
            array.space == Space::Private && array.registers && !index.contains(var)
        }
        Stmt::Loop { var: inner, body, .. } => written_out.contains(inner) && adds_up(body, var, written_out),
        Stmt::If(_, then, otherwise) => {
            adds_up(then, var, written_out) && adds_up(otherwise, var, written_out)
        }
        Stmt::Array(..) | Stmt::Soon(..) | Stmt::Barrier(_) => false,
    })
}

/// Does a variable tell by a quotient or a remainder which element is meant, or by a test whether there is one?
fn places(block: &[Stmt], var: &Var) -> bool {
    let told = |e: &Expr| match e {
        Expr::Load(_, n, _) | Expr::Index(n, _) => n.is_divided(var),
        Expr::Test(c) => c.vars().contains(var),
        Expr::Literal(_)
        | Expr::Local(_)
        | Expr::Parameter { .. }
        | Expr::Op(..)
        | Expr::Cast(..)
        | Expr::Splat(..)
        | Expr::Lanes(_)
        | Expr::Lane(..)
        | Expr::Select(..) => false,
    };
    let mut found = false;
    let mut seen = |stmt: &Stmt| stmt.expr().into_iter().for_each(|e| e.visit(&mut |e| found |= told(e)));
    block.iter().for_each(|stmt| stmt.visit(&mut seen));
    found
}

/// The loops that are written out, with their lengths.
struct Unroller<'a> {
    lengths: HashMap<Var, usize>,
    value: &'a dyn Fn(&Nat) -> Option<usize>,
}

impl Unroller<'_> {
    /// How many statements there will be.
    fn statements(&self, block: &[Stmt]) -> usize {
        let one = |s: &Stmt| {
            let inside: usize = s.blocks().into_iter().map(|b| self.statements(b)).sum();
            match s {
                Stmt::Loop { var, .. } => inside.saturating_mul(self.lengths.get(var).copied().unwrap_or(1)),
                _ => 1 + inside,
            }
        };
        block.iter().map(one).fold(0, usize::saturating_add)
    }

    fn block(&self, stmts: &[Stmt], fresh: &mut u32) -> Vec<Stmt> {
        let mut unrolled = vec![];
        for stmt in stmts {
            match stmt {
                Stmt::Loop { var, body, .. } if self.lengths.contains_key(var) => {
                    // Inner loops first, so that each is unrolled once and then copied.
                    let body = self.block(body, fresh);
                    for i in 0..self.lengths[var] {
                        unrolled.extend(Iteration::new(self, var, i, &body, fresh).block(&body));
                    }
                }
                other => {
                    unrolled.push(other.rebuilt(&mut Expr::clone, &mut |b| self.block(b, fresh)));
                }
            }
        }
        unrolled
    }
}

/// One iteration of a loop, with variables and arrays of its own.
struct Iteration<'a> {
    unroller: &'a Unroller<'a>,
    var: &'a Var,
    /// The value of the loop's variable.
    number: Nat,
    locals: HashMap<LocalId, LocalId>,
    arrays: HashMap<ArrayId, Arc<Array>>,
    /// New variables for the loops inside.
    loops: HashMap<Var, Var>,
}

impl<'a> Iteration<'a> {
    fn new(unroller: &'a Unroller, var: &'a Var, i: usize, body: &[Stmt], fresh: &mut u32) -> Iteration<'a> {
        let (mut locals, mut arrays, mut loops) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut renamed = || {
            *fresh += 1;
            *fresh
        };
        body.iter().for_each(|s| {
            s.visit(&mut |s| match s {
                Stmt::Declare { local, .. } => {
                    locals.insert(local.id, LocalId::Own(renamed()));
                }
                Stmt::Array(array, _) => {
                    arrays.insert(
                        array.id,
                        Arc::new(Array { id: ArrayId::Own(renamed()), ..(**array).clone() }),
                    );
                }
                // Those over work-items are none in OpenCL: their variables stand side by side.
                Stmt::Loop { var, .. } => {
                    loops.insert(var.clone(), Var::index(&var.name, renamed()));
                }
                _ => {}
            });
        });
        Iteration { unroller, var, number: Nat::from(i), locals, arrays, loops }
    }

    fn lookup(&self, v: &Var) -> Option<Nat> {
        match v == self.var {
            true => Some(self.number.clone()),
            false => self.loops.get(v).map(Nat::var),
        }
    }

    fn nat(&self, n: &Nat) -> Nat {
        n.substitute(&|v| self.lookup(v))
    }

    fn local(&self, local: &Local) -> Local {
        let id = self.locals.get(&local.id).copied().unwrap_or(local.id);
        Local { id, ..local.clone() }
    }

    fn array(&self, array: &Arc<Array>) -> Arc<Array> {
        self.arrays.get(&array.id).unwrap_or(array).clone()
    }

    fn block(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|s| self.stmt(s)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        match stmt.rebuilt(&mut |e| self.expr(e), &mut |b| self.block(b)) {
            Stmt::Declare { local, value, change } => {
                Stmt::Declare { local: self.local(&local), value, change }
            }
            Stmt::Assign(local, value) => Stmt::Assign(self.local(&local), value),
            Stmt::Array(array, values) => Stmt::Array(self.array(&array), values),
            Stmt::Store(array, index, value) => Stmt::Store(self.array(&array), self.nat(&index), value),
            Stmt::Loop { var, extent, parallel, body } => {
                let var = self.loops.get(&var).cloned().unwrap_or(var);
                Stmt::Loop { var, extent: self.nat(&extent), parallel, body }
            }
            other => other,
        }
    }

    fn expr(&self, e: &Expr) -> Expr {
        match e {
            Expr::Local(local) => Expr::Local(self.local(local)),
            Expr::Index(n, scalar) => Expr::Index(self.nat(n), *scalar),
            Expr::Test(c) => Expr::Test(c.substitute(&|v| self.lookup(v))),
            Expr::Load(array, index, width) => Expr::Load(self.array(array), self.nat(index), *width),
            Expr::Select(c, then, otherwise) => match self.expr(c) {
                Expr::Test(c) => match self.decided(&c) {
                    Some(true) => self.expr(then),
                    Some(false) => self.expr(otherwise),
                    None => {
                        let (then, otherwise) = (self.expr(then), self.expr(otherwise));
                        Expr::Select(Expr::Test(c).into(), then.into(), otherwise.into())
                    }
                },
                c => Expr::Select(c.into(), self.expr(then).into(), self.expr(otherwise).into()),
            },
            other => other.map_children(&mut |child| self.expr(child)),
        }
    }

    /// A condition on this iteration's number and sizes alone, which element of a vector is meant say.
    fn decided(&self, condition: &Condition) -> Option<bool> {
        let value = |v: &Var| (self.unroller.value)(&Nat::var(v)).and_then(|n| i64::try_from(n).ok());
        condition.eval(&value).ok()
    }
}
