//! Where a program is cut.
//!
//! An array is computed by itself if it takes a reduction, and if what reads it would compute its elements more than
//! once or reduces itself: a loop nest is scheduled around one reduction. Between the two, functions that reduce
//! nothing stay with the reduction whose results they are applied to; what is computed of an array before a nest reads each
//! element for many results is computed by itself, too.

use super::Part;
use super::prologue::taken_out;
use super::reads::{
    computes_anything, elements_read_again, elements_read_more, locals, read_again, read_in_a_function,
    reduces, reduces_itself,
};
use super::rows::{moves_rows, row_by_row, together, works_again};
use crate::check::{Typed, facts, infer_inlined};
use crate::expr::{Child, Expr, Function, Kind, Local, NodeId, Param, Path, Pattern, Size};
use crate::nat::Var;
use crate::primitives::{Applied, Execution, Form};
use crate::program::Program;
use crate::rules::untyped;
use crate::types::{Scalar, Type};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The parts of a program; `None` if it can't be cut.
pub fn parts(program: &Program) -> Option<Vec<Part>> {
    let function = program.function.clone().number();
    if function.sizes.iter().any(|size| size.tune.is_some()) || !open(&function.body) {
        return None;
    }
    let function = match works_again(&function.body) {
        true => row_by_row(program).map_or(function, |program| program.function.number()),
        false => function,
    };
    let typed = |function: &Function| infer_inlined(function, &facts(function)).ok();
    let prepared = taken_out(&function);
    let (function, typed) = match typed(&prepared) {
        Some(types) => (prepared, types),
        None => (function.clone(), typed(&function)?),
    };
    let fresh = function.fresh();
    let mut cutter = Cutter {
        function: &function,
        typed,
        known: vec![],
        around: vec![],
        parts: vec![],
        again: BTreeSet::new(),
        more: BTreeSet::new(),
        fresh,
    };
    for param in &function.params {
        cutter.known.push(param.clone());
    }
    let rest = cutter.value(&function.body, Read::default());
    if cutter.parts.is_empty() {
        return None;
    }
    cutter.part(rest, function.result.clone(), vec![]);
    let parts = cutter.parts;
    parts.iter().all(|part| sound(&part.program)).then_some(parts)
}

/// Does the checker accept it, for all sizes? What was proved of the whole may have needed what a part does not know.
fn sound(program: &Program) -> bool {
    infer_inlined(&program.function, &facts(&program.function)).is_ok()
}

/// Is nothing said of how it is executed, and does no function run whole kernels again and again?
fn open(body: &Expr) -> bool {
    let mut open = true;
    body.visit(&mut |e| {
        if let Kind::Apply(p, _) = &*e.kind {
            open &= p.form.execution() == Execution::Open && p.form.applied() != Applied::Whole;
        }
    });
    open
}

/// How an array is read.
#[derive(Clone, Copy, Default)]
struct Read {
    /// By something that reduces, or that reads elements more than once.
    apart: bool,
    /// By a nest that reads each element for many results.
    again: bool,
}

struct Cutter<'a> {
    function: &'a Function,
    /// The types of the whole's expressions.
    typed: Typed,
    /// What parts may be given: the parameters of the whole and the results of parts.
    known: Vec<Param>,
    /// The `let`s around the current place whose values are not parts.
    around: Vec<(Pattern, Expr)>,
    parts: Vec<Part>,
    /// Arrays whose elements a nest reads again and again, as far as they were met.
    again: BTreeSet<NodeId>,
    /// Arrays whose elements are arrays that a function reads more than once, as far as they were met.
    more: BTreeSet<NodeId>,
    /// The last number given to a variable.
    fresh: u32,
}

impl Cutter<'_> {
    /// An expression outside all functions, with variables for what is cut from it.
    fn value(&mut self, e: &Expr, read: Read) -> Expr {
        let Kind::Let(pattern, value, body) = &*e.kind else {
            let moved = self.operands(e, read);
            let wanted = if reduces(&moved) { read.apart } else { read.again && changes(e) };
            return if wanted && computes(e) { self.cut(&moved, "part") } else { moved };
        };
        let named = match untyped(pattern) {
            Pattern::Local(local) => Some(local),
            _ => None,
        };
        // A name for what is read once changes nothing.
        if let Some(local) = named
            && (body.uses(local) == 0 || body.uses(local) == 1 && !read_in_a_function(body, local))
        {
            return self.value(&body.put(local, value), read);
        }
        let again = read_again(body, &locals(pattern));
        let mut value = self.value(value, Read { apart: true, again });
        if reduces(&value) {
            let name = pattern.locals().first().map_or_else(|| "part".to_string(), |l| l.name.to_string());
            value = self.cut(&value, &name);
        }
        // Nor does another name for a variable.
        if let (Some(local), Kind::Local(_)) = (named, &*value.kind) {
            return self.value(&body.put(local, &value), read);
        }
        self.around.push((pattern.clone(), value.clone()));
        let body = self.value(body, read);
        self.around.pop();
        e_with(e, Kind::Let(pattern.clone(), value, body))
    }

    /// The same expression with its operands cut.
    fn operands(&mut self, e: &Expr, read: Read) -> Expr {
        let below = match &*e.kind {
            Kind::Apply(p, _) if p.form.applied() == Applied::Nothing => {
                Read { apart: read.apart || p.form.repeats(), ..read }
            }
            Kind::Apply(..) => Read { apart: reduces_itself(e), again: read.again && !changes(e) },
            _ => read,
        };
        self.again.extend(elements_read_again(e));
        self.more.extend(elements_read_more(e));
        let mut moved = e.clone();
        let applied = e.as_map().is_some_and(|(f, _)| computes_anything(&f.body));
        for (_, path, child) in operands(e) {
            let again = below.again || self.again.contains(&child.id);
            // Whoever computes with one element of these does the work for all of them.
            let apart = below.apart
                || self.more.contains(&child.id)
                || applied && (together(child) || moves_rows(child));
            moved = moved.replaced(&path, &self.value(child, Read { apart, again }));
        }
        // Two reductions for one element would be one nest: all but the last are computed before.
        let several: Vec<(Path, Expr)> = {
            let reduced = operands(&moved).into_iter().filter(|(_, _, operand)| reduces(operand));
            reduced.map(|(_, path, operand)| (path, operand.clone())).collect()
        };
        for (path, operand) in several.iter().rev().skip(1) {
            moved = moved.replaced(path, &self.cut(operand, "part"));
        }
        moved
    }

    /// Makes an expression a part, and gives what reads its result.
    fn cut(&mut self, e: &Expr, name: &str) -> Expr {
        let Some(ty) = self.typed.ty(e.id).cloned() else { return e.clone() };
        let components = match &ty {
            Type::Tuple(parts) if parts.iter().all(is_result) => parts.to_vec(),
            one if is_result(one) => vec![one.clone()],
            _ => return e.clone(),
        };
        let results: Vec<Local> = components.iter().map(|_| self.local(name)).collect();
        self.part(e.clone(), ty.clone(), results.clone());
        let constant = self.parts.last().is_some_and(|part| part.program.params().iter().all(|p| p.constant));
        let named = results.iter().zip(components);
        self.known.extend(named.map(|(local, ty)| Param {
            local: local.clone(),
            ty,
            site: e.site,
            constant,
        }));
        let read: Vec<Expr> = results.iter().map(|l| Expr { id: e.id, ..Expr::local(l) }).collect();
        match (&ty, &read[..]) {
            (Type::Tuple(_), _) => e_with(e, Kind::Tuple(read)),
            (_, [one]) => one.clone(),
            (_, _) => e.clone(),
        }
    }

    fn local(&mut self, name: &str) -> Local {
        self.fresh += 1;
        Local { name: Arc::from(name), index: self.fresh }
    }

    fn part(&mut self, body: Expr, result: Type, results: Vec<Local>) {
        let body = self.around.iter().rev().fold(body, |body, (pattern, value)| {
            match pattern.locals().into_iter().any(|l| body.uses(l) > 0) {
                true => Expr::new(body.site, Kind::Let(pattern.clone(), value.clone(), body)),
                false => body,
            }
        });
        // In the order in which they are read: equal parts have equal parameters, whatever the whole has.
        let mut read: Vec<Local> = vec![];
        body.visit(&mut |e| {
            if let Kind::Local(local) = &*e.kind
                && !read.contains(local)
            {
                read.push(local.clone());
            }
        });
        let known = |local: &Local| self.known.iter().find(|p| p.local == *local).cloned();
        let params: Vec<Param> = read.iter().filter_map(known).collect();
        let arguments = params.iter().map(|p| p.local.clone()).collect();
        let number = self.parts.len() + 1;
        let function = Function {
            name: Arc::from(format!("{}_{number}", self.function.name)),
            params,
            result,
            body,
            ..self.function.clone()
        };
        let program = Program { function: of_its_sizes(function).number() };
        self.parts.push(Part { program, arguments, results });
    }
}

/// Without the sizes, and what is known of them, that have nothing to do with it; the others in the order in which
/// its parameters mention them.
fn of_its_sizes(function: Function) -> Function {
    let mut ordered = vec![];
    for ty in function.params.iter().map(|p| &p.ty).chain([&function.result]) {
        lengths(ty, &mut ordered);
    }
    ordered.extend(function.sizes.iter().map(|s| &s.var).filter(|var| function.body.reads(var)).cloned());
    let mut used: BTreeSet<Var> = ordered.iter().cloned().collect();
    loop {
        let before = used.len();
        for (clause, _) in &function.wheres {
            let vars = clause.vars();
            if vars.iter().any(|v| used.contains(v)) {
                used.extend(vars);
            }
        }
        if used.len() == before {
            break;
        }
    }
    let mut sizes: Vec<Size> = function.sizes.iter().filter(|s| used.contains(&s.var)).cloned().collect();
    sizes.sort_by_key(|s| ordered.iter().position(|var| *var == s.var).unwrap_or(ordered.len()));
    let known = |vars: BTreeSet<Var>| vars.iter().all(|v| used.contains(v));
    let wheres =
        function.wheres.iter().filter(|(c, _)| known(c.vars().into_iter().collect())).cloned().collect();
    Function { sizes, wheres, ..function }
}

/// The sizes in the lengths of a type.
fn lengths(ty: &Type, vars: &mut Vec<Var>) {
    match ty {
        Type::Array(element, length) => {
            vars.extend(length.vars());
            lengths(element, vars);
        }
        Type::Vector(element, width) => {
            vars.extend(width.vars());
            lengths(element, vars);
        }
        Type::Tuple(parts) => parts.iter().for_each(|part| lengths(part, vars)),
        Type::Scalar(_) | Type::Index | Type::Hole(_) => {}
    }
}

/// What a program may be given and return, and be kept in between.
fn is_result(ty: &Type) -> bool {
    let mut ty = ty;
    let mut dimensions = 0;
    while let Type::Array(element, _) = ty {
        (ty, dimensions) = (element, dimensions + 1);
    }
    dimensions > 0 && matches!(ty, Type::Scalar(s) if *s != Scalar::Bool)
}

/// Is it more than a view of something else?
fn computes(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Apply(p, _) => p.form.applied() != Applied::Nothing || matches!(p.form, Form::Dot),
        _ => false,
    }
}

/// Does its function change elements, and not only move them?
fn changes(e: &Expr) -> bool {
    let mut found = false;
    for (child, inside) in e.named_children() {
        if child.is_in_function() {
            inside.visit(&mut |e| found |= matches!(&*e.kind, Kind::Op(..) | Kind::Cast(..) | Kind::If(..)));
        }
    }
    found
}

/// The children that are values, and not bodies of functions.
fn operands(e: &Expr) -> Vec<(Child, Path, &Expr)> {
    e.steps().into_iter().filter(|(child, ..)| !child.is_in_function()).collect()
}

/// Another form of the same node.
fn e_with(e: &Expr, kind: Kind) -> Expr {
    Expr { id: e.id, site: e.site, kind: kind.into() }
}
