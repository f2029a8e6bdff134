//! Programs with a slip in them: one edit of the kind that people make.

use super::build::{binary, int, name, pattern};
use super::print;
use super::shrink::parts;
use lift_core::primitives;
use lift_core::primitives::signature::Argument;
use lift_core::syntax::{Binary, Expr, ExprKind, Function, Pattern, PatternKind, TypeExpr, TypeKind};
use lift_core::types::Scalar;
use std::mem::discriminant;

const RELATIONS: [Binary; 6] = [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge];
const ARITHMETIC: [Binary; 5] = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem];
const LOGIC: [Binary; 2] = [Binary::And, Binary::Or];

/// The program with one edit that shows in its text.
pub fn corrupted(functions: &[Function], random: &mut fastrand::Rng) -> Vec<Function> {
    let before = print::functions(functions);
    loop {
        let mut changed = functions.to_vec();
        // The last function is the one that is run.
        let at = if random.bool() { changed.len() - 1 } else { random.usize(0..changed.len()) };
        let f = &mut changed[at];
        let mut edit = Edit { names: names(f), random };
        match edit.random.u8(0..8) {
            0 => edit.clause(f),
            1 => {
                let k = edit.random.usize(0..=f.params.len());
                if let Some(ty) = f.params.get_mut(k).map(|p| &mut p.ty).or(f.result.as_mut()) {
                    edit.ty(ty);
                }
            }
            _ => edit.somewhere(&mut f.body),
        }
        if print::functions(&changed) != before {
            return changed;
        }
    }
}

/// Everything that has a name in the function.
fn names(f: &Function) -> Vec<String> {
    fn collect(e: &Expr, found: &mut Vec<String>) {
        if let ExprKind::Name(text) = &e.kind {
            found.push(text.clone());
        }
        parts(&mut e.clone()).into_iter().for_each(|part| collect(part, found));
    }
    let mut found: Vec<String> = f.sizes.iter().map(|s| s.name.text.clone()).collect();
    found.extend(f.params.iter().map(|p| p.name.text.clone()));
    collect(&f.body, &mut found);
    found
}

struct Edit<'a> {
    names: Vec<String>,
    random: &'a mut fastrand::Rng,
}

impl Edit<'_> {
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())].clone()
    }

    /// A `where` clause dropped or changed.
    fn clause(&mut self, f: &mut Function) {
        if f.wheres.is_empty() {
            return;
        }
        let k = self.random.usize(0..f.wheres.len());
        if self.random.bool() {
            f.wheres.remove(k);
        } else {
            self.somewhere(&mut f.wheres[k]);
        }
    }

    /// Another length, scalar type or rank.
    fn ty(&mut self, ty: &mut TypeExpr) {
        match &mut ty.kind {
            TypeKind::Array(element, length) => match self.random.u8(0..6) {
                0 => *ty = (**element).clone(),
                1 | 2 => self.ty(element),
                _ => self.somewhere(length),
            },
            TypeKind::Tuple(parts) => {
                let k = self.random.usize(0..parts.len());
                if self.random.bool() { self.ty(&mut parts[k]) } else { parts.swap(0, k) }
            }
            TypeKind::Name(text) => *text = self.pick(&Scalar::ALL).to_string(),
        }
    }

    fn somewhere(&mut self, e: &mut Expr) {
        let k = self.random.usize(0..count(e));
        if let Some(found) = nth(e, &mut k.clone()) {
            self.node(found);
        }
    }

    fn node(&mut self, e: &mut Expr) {
        if self.random.u8(0..4) == 0 {
            return self.arithmetic(e);
        }
        match &mut e.kind {
            ExprKind::Int(n, suffix) => match self.random.u8(0..4) {
                0 => *suffix = Some(self.pick(&Scalar::ALL)),
                1 => *n += 1,
                2 => *n = n.saturating_sub(1),
                _ => *n = self.pick(&[0, 2, 7, 100]),
            },
            ExprKind::Float(x, suffix) => match self.random.bool() {
                true => *suffix = Some(self.pick(&Scalar::ALL)),
                false => e.kind = ExprKind::Int(x.abs() as u128, None),
            },
            ExprKind::Bool(b) => *b = !*b,
            ExprKind::Name(text) => *text = self.pick(&self.names.clone()),
            ExprKind::Sized(text, given) => match self.random.bool() {
                true => *text = self.pick(&self.names.clone()),
                false => drop(given.sizes.pop()),
            },
            ExprKind::Index(xs, i) => match self.random.bool() {
                true => *e = (**xs).clone(),
                false => self.arithmetic(i),
            },
            ExprKind::Unary(_, a) => *e = (**a).clone(),
            ExprKind::Binary(op, a, b) => match self.random.u8(0..4) {
                0 => std::mem::swap(a, b),
                1 => *e = (**a).clone(),
                _ => {
                    let alike =
                        [&RELATIONS[..], &ARITHMETIC, &LOGIC].into_iter().find(|all| all.contains(op));
                    *op = alike.map_or(Binary::Add, |all| self.pick(all));
                }
            },
            ExprKind::Cast(a, to) => match self.random.bool() {
                true => *e = (**a).clone(),
                false => self.ty(to),
            },
            ExprKind::Field(a, k) => match self.random.u8(0..3) {
                0 => *e = (**a).clone(),
                1 => *k += 1,
                _ => *k = k.saturating_sub(1),
            },
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => self.list(parts),
            ExprKind::Call(callee, arguments) => match self.random.u8(0..6) {
                0 => *e = arguments.pop().unwrap_or_else(|| int(0)),
                1..4 => self.another(callee, arguments.len()),
                _ => self.list(arguments),
            },
            ExprKind::Lambda(params, _) => self.params(params),
            ExprKind::Block(lets, tail) => match self.random.u8(0..3) {
                0 => *e = (**tail).clone(),
                1 => *e = lets[0].value.clone(),
                _ => self.pattern(&mut lets[0].pattern),
            },
            ExprKind::If(_, a, b) => match self.random.bool() {
                true => std::mem::swap(a, b),
                false => *e = (**a).clone(),
            },
        }
    }

    /// What a size turns into when one is off by something.
    fn arithmetic(&mut self, e: &mut Expr) {
        let other = match self.random.u8(0..3) {
            0 => name(&self.pick(&self.names.clone())),
            _ => int(self.random.i64(1..4)),
        };
        let (op, whole) = (self.pick(&ARITHMETIC), e.clone());
        *e = if self.random.u8(0..4) == 0 { binary(op, other, whole) } else { binary(op, whole, other) };
    }

    /// Exchanged, left out or said twice.
    fn list(&mut self, all: &mut Vec<Expr>) {
        if all.is_empty() {
            return;
        }
        let (i, j) = (self.random.usize(0..all.len()), self.random.usize(0..all.len()));
        match self.random.u8(0..6) {
            0 => drop(all.remove(i)),
            1 => all.insert(j, all[i].clone()),
            _ => all.swap(i, j),
        }
    }

    /// Another primitive that takes arguments of the same kinds.
    fn another(&mut self, callee: &mut Expr, operands: usize) {
        let ExprKind::Name(text) = &callee.kind else { return };
        let kinds = |p: primitives::Primitive| -> Vec<_> {
            let signature = p.signature(operands);
            signature.arguments.iter().map(discriminant::<Argument>).collect()
        };
        let found = primitives::all().find(|p| p.name == *text);
        let alike: Vec<String> = match found {
            Some(p) => {
                primitives::all().filter(|q| kinds(*q) == kinds(p)).map(|q| q.name.to_string()).collect()
            }
            None => ["min", "max", "abs", "first", "second"].map(String::from).to_vec(),
        };
        *callee = name(&self.pick(&alike));
    }

    fn params(&mut self, params: &mut Vec<Pattern>) {
        let k = self.random.usize(0..params.len().max(1));
        match self.random.u8(0..4) {
            0 => params.push(pattern(PatternKind::Wild)),
            1 if !params.is_empty() => drop(params.remove(k)),
            2 if !params.is_empty() => params.swap(0, k),
            _ => params.iter_mut().take(k + 1).for_each(|p| self.pattern(p)),
        }
    }

    fn pattern(&mut self, p: &mut Pattern) {
        match &mut p.kind {
            PatternKind::Tuple(parts) => match self.random.u8(0..3) {
                0 => drop(parts.pop()),
                1 => parts.push(pattern(PatternKind::Wild)),
                _ => parts.reverse(),
            },
            PatternKind::Name(_) | PatternKind::Wild => {
                let inside = p.clone();
                p.kind = PatternKind::Tuple(vec![inside, pattern(PatternKind::Wild)]);
            }
        }
    }
}

fn count(e: &mut Expr) -> usize {
    1 + parts(e).into_iter().map(count).sum::<usize>()
}

/// The node of this number, counted from the outside.
fn nth<'a>(e: &'a mut Expr, k: &mut usize) -> Option<&'a mut Expr> {
    if *k == 0 {
        return Some(e);
    }
    *k -= 1;
    parts(e).into_iter().find_map(|part| nth(part, k))
}
