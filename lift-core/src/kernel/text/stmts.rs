//! Statements.

use super::exprs::{must_wrap, place};
use super::parts::Moved;
use super::reductions::only_reductions;
use super::{SHIFT, WorkItems, Writer, ids, parts};
use crate::kernel::copies::LONG;
use crate::kernel::{Array, Change, Expr, Kernel, Local, Parallel, Space, Stmt};
use crate::nat::{Condition, Facts, Maker, Nat, Var};
use crate::scalar::Op;
use crate::types::Scalar;
use std::collections::HashSet;

impl<'a> Writer<'a> {
    /// Statements of a block.
    pub fn stmts(&mut self, body: &[Stmt]) {
        match body {
            [only @ Stmt::Loop { .. }] => self.stmt(only),
            _ => self.parts(body, None, 2).iter().for_each(|s| self.stmt(s)),
        }
    }

    /// Declares parts of indices, and gives the statements that use them.
    fn parts(&mut self, body: &[Stmt], changing: Option<&Var>, least: usize) -> Vec<Stmt> {
        let facts = self.facts.clone();
        let is_defined = |n: &Nat| is_defined(n, &facts);
        let mut number = self.parts.len() as u32;
        let mut name = |array: Option<&Array>| {
            number += 1;
            self.part(array, number - 1)
        };
        let (named, body) = parts::named(body, changing, least, &is_defined, &mut name);
        for (var, value) in named {
            let (text, int) = (self.nat(&value).0, self.int());
            let name = self.var(&var);
            self.line(&format!("const {int} {name} = {text};"));
            let meaning = value.substitute(&|v| self.parts.get(v).cloned());
            self.parts.insert(var, meaning);
        }
        body
    }

    /// The variable for a part of indices, of this array's if one is given.
    fn part(&mut self, array: Option<&Array>, number: u32) -> Var {
        let wanted = array.map_or("at".into(), |array| format!("{}at", self.array(array)));
        Var::made(Maker::Printer, &wanted, number)
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => self.line(&format!("// {}", ascii(text))),
            Stmt::Declare { local, value, change } => {
                let value = self.expr(value).0;
                let (name, scalar) = (self.local(local), self.dialect.ty(local.scalar, local.width));
                let qualifier = if *change == Change::Never { "const " } else { "" };
                if *change == Change::Reduction {
                    self.running.insert(local.id);
                }
                self.line(&format!("{qualifier}{scalar} {name} = {value};"));
            }
            Stmt::Assign(local, value) => self.assign(local, value),
            Stmt::Array(array, _) if array.space == Space::Constant => {}
            Stmt::Array(array, _) => {
                let (name, length) = (self.array(array), self.nat(&array.length).0);
                let (space, ty) =
                    (self.dialect.space(array.space), self.dialect.ty(array.scalar, array.width));
                // Vectors are read from it at once.
                let aligned = if array.space == Space::Local { " __attribute__((aligned(64)))" } else { "" };
                self.line(&format!("{space}{ty} {name}[{length}]{aligned};"));
            }
            Stmt::Store(array, index, value) => {
                let (width, value) = (value.width(), self.expr(value).0);
                let (name, text) = (self.array(array), self.nat(index).0);
                if width == array.width {
                    return self.line(&format!("{name}[{text}] = {value};"));
                }
                let (place, aligned) = (place(&name, &text), self.aligned(array, index, width));
                let store = self.dialect.store_vector(array, &place, &value, width, aligned);
                self.line(&format!("{store};"));
            }
            Stmt::Soon(array, index) => {
                let (name, text) = (self.array(array), self.nat(index).0);
                self.line(&self.dialect.soon(&place(&name, &text)));
            }
            Stmt::Barrier(reason) => {
                if let Some(barrier) = self.dialect.barrier(&ascii(reason)) {
                    self.line(&barrier);
                }
            }
            Stmt::Loop { var, extent, parallel, body } => {
                let long = self.value(extent) >= LONG;
                let outer = std::mem::replace(&mut self.lone, long && guarded_loads(body) == 1);
                self.loop_(var, extent, *parallel, body);
                self.lone = outer;
            }
            Stmt::If(condition, then, otherwise) => {
                let text = self.expr(condition).0;
                self.line(&format!("if ({text}) {{"));
                self.under(condition, |w| w.guarded_block(then));
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.guarded_block(otherwise);
                }
                self.line("}");
            }
        }
    }

    /// A block that runs only where a condition holds.
    fn guarded_block(&mut self, block: &[Stmt]) {
        if let Some(line) = self.dialect.guarded_block().filter(|_| self.loads_at_once(block)) {
            self.depth += 1;
            self.line(line);
            self.depth -= 1;
        }
        self.block(block);
    }

    /// Are there loads of scalars in it, outside all loops that are long enough to stay loops?
    fn loads_at_once(&self, block: &[Stmt]) -> bool {
        block.iter().any(|stmt| match stmt {
            Stmt::Loop { extent, .. } if self.value(extent) >= LONG => false,
            stmt => {
                stmt.expr().is_some_and(Expr::loads_scalars)
                    || stmt.blocks().into_iter().any(|inside| self.loads_at_once(inside))
            }
        })
    }

    /// `acc += x` where the value is `acc + x` of a type that C does not promote.
    fn assign(&mut self, local: &Local, value: &Expr) {
        let name = self.local(local);
        if self.contracted(value).is_none()
            && let Expr::Op(op @ (Op::Add | Op::Sub | Op::Mul), s, operands) = value
            && operands[0] == Expr::Local(local.clone())
            && s.bytes() >= 4
            && !must_wrap(*op, *s, operands)
        {
            let right = self.expr(&operands[1]).0;
            self.line(&format!("{name} {}= {right};", op.name()));
        } else {
            let value = self.expr(value).0;
            self.line(&format!("{name} = {value};"));
        }
    }

    fn loop_(&mut self, var: &Var, extent: &Nat, parallel: Parallel, body: &[Stmt]) {
        let (end, int) = (self.nat_bound(extent, SHIFT), self.int());
        let outer = self.facts.clone();
        self.facts.range(var, &Nat::constant(0), extent);
        let items = match self.work_items(parallel) {
            Some((kernel, count)) => {
                let exact = self.is_exactly(&count, extent);
                self.dialect.work_items(self, kernel, parallel, exact)
            }
            None => WorkItems::Plain,
        };
        let (first, step) = match items {
            WorkItems::Once(value) => {
                let name = self.var(var);
                self.line(&format!("const {int} {name} = {value};"));
                // Its facts stay true: it is in scope after the loop too.
                return self.stmts(body);
            }
            WorkItems::Strided(first, step) => (first, format!(" += {step}")),
            WorkItems::Plain => ("0".to_string(), "++".to_string()),
        };
        let body = self.parts(body, Some(var), 1);
        let reduction = self.reduction(extent, &body);
        if let Some(line) = &reduction {
            self.line(line);
        }
        let moves = self.dialect.moves_indices() && reduction.is_none() && adds_to_vectors(&body);
        self.scope(|w| {
            let (moved, body) = if moves { w.moved(&body, var) } else { (vec![], body) };
            let name = w.var(var);
            let (mut firsts, mut steps) = (format!("{name} = {first}"), format!("{name}{step}"));
            for (name, first, step) in moved {
                firsts += &format!(", {name} = {first}");
                steps += &format!(", {name} += {step}");
            }
            w.line(&format!("for ({int} {firsts}; {name} < {end}; {steps}) {{"));
            if let Some(line) = w.dialect.guarded_block().filter(|_| several_integers(&body)) {
                w.depth += 1;
                w.line(line);
                w.depth -= 1;
            }
            w.block(&body);
            w.line("}");
        });
        self.facts = outer;
    }

    /// The indices that an innermost loop moves on, each with what it begins with and grows by, and the loop's body with them.
    fn moved(&mut self, body: &[Stmt], var: &Var) -> (Vec<(String, String, String)>, Vec<Stmt>) {
        let facts = self.facts.clone();
        let is_defined = |n: &Nat| is_defined(n, &facts);
        let mut number = self.parts.len() as u32;
        let mut name = |array: &Array| {
            number += 1;
            self.part(Some(array), number - 1)
        };
        let (moved, body) = parts::moved(body, var, &is_defined, &mut name);
        let texts = moved.into_iter().map(|Moved { var, value, first, step }| {
            let (first, step) = (self.nat(&first).0, self.nat(&step).0);
            let meaning = value.substitute(&|v| self.parts.get(v).cloned());
            self.parts.insert(var.clone(), meaning);
            (self.var(&var), first, step)
        });
        (texts.collect(), body)
    }

    /// The line before a loop with this body, if its floats may be taken in any order and the loop
    /// is long enough for that to help.
    fn reduction(&mut self, extent: &Nat, body: &[Stmt]) -> Option<String> {
        let is_long = !self.strict && self.value(extent) >= LONG;
        let found = only_reductions(body, &self.running).filter(|_| is_long)?;
        let names: Vec<((Op, Scalar), Vec<String>)> = found
            .into_iter()
            .map(|(of, locals)| (of, locals.into_iter().map(|local| self.local(local)).collect()))
            .collect();
        self.dialect.reduction(&names)
    }

    /// The number of work-items that share a loop.
    fn work_items(&self, parallel: Parallel) -> Option<(&'a Kernel, Nat)> {
        let kernel = self.kernel?;
        match parallel {
            Parallel::Sequential => None,
            Parallel::Global(d) | Parallel::Group(d) => Some((kernel, kernel.grid[d as usize].clone())),
            Parallel::Local(d) => Some((kernel, Nat::from(kernel.group?[d as usize]))),
        }
    }

    fn is_exactly(&self, count: &Nat, extent: &Nat) -> bool {
        count == extent || self.facts.certain(&Condition::eq(count, extent))
    }

    /// The iterations that each work-item runs.
    pub fn work_item(&mut self, body: &[Stmt]) {
        let is_none = |stmt: &Stmt| match stmt {
            Stmt::Loop { extent, parallel, .. } => {
                self.work_items(*parallel).is_some_and(|(_, count)| self.is_exactly(&count, extent))
            }
            _ => false,
        };
        let body = ids::shared(body, &is_none);
        self.block(&body);
    }

    /// Runs `f` with what a true condition says about indices.
    pub fn under<R>(&mut self, condition: &Expr, f: impl FnOnce(&mut Self) -> R) -> R {
        let Expr::Test(test) = condition else { return f(self) };
        let outer = self.facts.clone();
        self.facts.assume(&self.meaning(test));
        let result = f(self);
        self.facts = outer;
        result
    }
}

/// A comment for compilers that read nothing but ASCII, even there; users' names may be in it.
fn ascii(comment: &str) -> String {
    comment.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '_' }).collect()
}

/// Has an expression a value wherever its variables have theirs?
fn is_defined(n: &Nat, facts: &Facts) -> bool {
    n.divisors().iter().all(|divisor| facts.bounds(divisor).0.is_some_and(|low| low > 0))
}

/// Is it an innermost loop that adds to vectors?
fn adds_to_vectors(body: &[Stmt]) -> bool {
    let (mut innermost, mut adds) = (true, false);
    let mut see = |stmt: &Stmt| match stmt {
        Stmt::Assign(local, _) => adds |= local.width > 1,
        Stmt::Loop { .. } => innermost = false,
        Stmt::Comment(_)
        | Stmt::Declare { .. }
        | Stmt::Array(..)
        | Stmt::Store(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::If(..) => {}
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    innermost && adds
}

/// Does a loop with this body carry several integers from one iteration to the next?
fn several_integers(body: &[Stmt]) -> bool {
    let (mut declared, mut assigned) = (HashSet::new(), HashSet::new());
    let mut see = |stmt: &Stmt| match stmt {
        Stmt::Declare { local, .. } => _ = declared.insert(local.id),
        Stmt::Assign(local, _) if local.width == 1 && !local.scalar.is_float() => {
            _ = assigned.insert(local.id)
        }
        Stmt::Assign(..)
        | Stmt::Comment(_)
        | Stmt::Array(..)
        | Stmt::Store(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::Loop { .. }
        | Stmt::If(..) => {}
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    assigned.difference(&declared).count() > 1
}

/// How many loads of scalars stand in choices, in these statements and those inside them.
fn guarded_loads(body: &[Stmt]) -> usize {
    let mut count = 0;
    let mut see = |e: &Expr| {
        if let Expr::Select(_, then, otherwise) = e {
            for branch in [then, otherwise] {
                branch.visit(&mut |e| count += usize::from(matches!(e, Expr::Load(_, _, 1))));
            }
        }
    };
    for stmt in body {
        stmt.visit(&mut |stmt| stmt.expr().into_iter().for_each(|e| e.visit(&mut see)));
    }
    count
}
