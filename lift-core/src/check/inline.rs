//! Calls replaced by what they call.

use super::Typed;
use super::constant::{self, Constants};
use crate::expr::{Expr, Function, Kind, Pattern};
use crate::nat::{Condition, Nat, Var};
use crate::program::Program;
use crate::syntax::{self, Diagnostic, Site};
use std::collections::{BTreeMap, BTreeSet};

type Functions = BTreeMap<String, Option<Function>>;

/// A mistake for every way in a circle from function to function, at the first of them in the source.
pub fn recursion(order: &[syntax::Function], functions: &Functions) -> Vec<Diagnostic> {
    let mut mistakes = vec![];
    let mut told: BTreeSet<String> = BTreeSet::new();
    for function in order {
        let name = &function.name.text;
        let Some(Some(f)) = functions.get(name) else { continue };
        for (callee, site) in calls(f) {
            let Some(through) = path(functions, &callee, name, &mut BTreeSet::new()) else { continue };
            if told.contains(name) || through.iter().any(|f| told.contains(f)) {
                continue;
            }
            let detour: Vec<String> = through.iter().map(|f| format!("`{f}`")).collect();
            let itself = if function.constant { "is defined by itself" } else { "calls itself" };
            let message = match detour.is_empty() {
                true => format!("`{name}` {itself}"),
                false => format!("`{name}` {itself} through {}", detour.join(" and ")),
            };
            let diagnostic = Diagnostic::new(site, message).note("recursion is not part of the language");
            mistakes.push(match function.constant {
                true => diagnostic,
                false => diagnostic.help("`iterate` repeats a step"),
            });
            told.extend(through);
            told.insert(name.clone());
        }
    }
    mistakes
}

/// What a function calls, and where.
fn calls(f: &Function) -> Vec<(String, Site)> {
    let mut found = vec![];
    f.body.visit(&mut |e| {
        if let Kind::Call(callee, ..) = &*e.kind {
            found.push((callee.to_string(), e.site));
        }
    });
    found
}

/// The functions on the way from one to another, the first included.
fn path(functions: &Functions, from: &str, to: &str, seen: &mut BTreeSet<String>) -> Option<Vec<String>> {
    if from == to {
        return Some(vec![]);
    }
    if !seen.insert(from.to_string()) {
        return None;
    }
    let callees = functions.get(from)?.as_ref().map(calls)?;
    let rest = callees.iter().find_map(|(callee, _)| path(functions, callee, to, seen))?;
    Some([vec![from.to_string()], rest].concat())
}

/// The program of a checked function, free of calls.
pub fn program<'a>(
    name: &str,
    functions: &'a Functions,
    typed: &'a BTreeMap<String, Typed>,
    constants: &mut Constants<'a>,
) -> Option<Program> {
    let f = functions.get(name)?.as_ref()?;
    let fresh = functions.values().flatten().map(Function::fresh).max().unwrap_or(0);
    let body = Expander { functions, typed, constants, fresh }.expand(&f.body, name);
    let mut wheres = f.wheres.clone();
    for (clause, site) in clauses(name, functions, typed) {
        if !wheres.iter().any(|(other, _)| *other == clause) {
            wheres.push((clause, site));
        }
    }
    Some(Program { function: Function { body, wheres, ..f.clone() }.number() })
}

/// What a function's calls, and the calls in what they call, demand of its `tune` parameters.
fn clauses(name: &str, functions: &Functions, typed: &BTreeMap<String, Typed>) -> Vec<(Condition, Site)> {
    let (Some(Some(f)), Some(own)) = (functions.get(name), typed.get(name)) else { return vec![] };
    let mut found = own.clauses.clone();
    f.body.visit(&mut |e| {
        if let (Kind::Call(callee, ..), Some(sizes)) = (&*e.kind, own.calls.get(&e.id)) {
            let lookup = |v: &Var| sizes.iter().find(|(w, _)| w == v).map(|(_, n)| n.clone());
            found.extend(
                clauses(callee, functions, typed).iter().map(|(c, _)| (c.substitute(&lookup), e.site)),
            );
        }
    });
    found
}

/// Puts in what names stand for: functions that are called, constants, and arrays of computed values.
struct Expander<'a, 'b> {
    functions: &'a Functions,
    typed: &'a BTreeMap<String, Typed>,
    constants: &'b mut Constants<'a>,
    fresh: u32,
}

impl Expander<'_, '_> {
    /// `owner` is the function that the expression stands in.
    fn expand(&mut self, e: &Expr, owner: &str) -> Expr {
        if let Kind::Array(_) | Kind::Call(..) = &*e.kind
            && !constant::is_plain(e)
            && let Some(value) = self.constants.value(e, owner)
        {
            return constant::written(&value, e.site);
        }
        let e = &e.map_children(&mut |child| self.expand(child, owner));
        match &*e.kind {
            Kind::Call(callee, _, arguments) => self.call(e, owner, callee, arguments),
            Kind::Array(elements) => constant::array_of(elements, e.site),
            _ => e.clone(),
        }
    }

    fn call(&mut self, e: &Expr, owner: &str, callee: &str, arguments: &[Expr]) -> Expr {
        let (Some(Some(f)), Some(sizes)) =
            (self.functions.get(callee), self.typed.get(owner).and_then(|t| t.calls.get(&e.id)))
        else {
            return e.clone();
        };
        let body = self.expand(&f.body, callee);
        call(f, &body, sizes, arguments, e.site, &mut self.fresh)
    }
}

/// A function's body, which may have been rewritten, with arguments for its parameters.
pub fn call(
    f: &Function,
    body: &Expr,
    sizes: &[(Var, Nat)],
    arguments: &[Expr],
    site: Site,
    fresh: &mut u32,
) -> Expr {
    let lookup = |v: &Var| sizes.iter().find(|(w, _)| w == v).map(|(_, n)| n.clone());
    // The parameters are bound by `let`s around the body: one instantiation renames all.
    let bind = |body: Expr, (param, argument): (&crate::expr::Param, &Expr)| {
        let hidden = Expr::new(argument.site, Kind::Tuple(vec![]));
        Expr::new(site, Kind::Let(Pattern::Local(param.local.clone()), hidden, body))
    };
    let bound = f.params.iter().zip(arguments).rev().fold(body.clone(), bind).instantiate(&lookup, fresh);
    with_values(&bound, arguments)
}

/// Gives the outermost `let`s their values, which are the caller's and not to be renamed.
fn with_values(e: &Expr, values: &[Expr]) -> Expr {
    match (&*e.kind, values) {
        (Kind::Let(pattern, _, body), [first, rest @ ..]) => {
            e.with(Kind::Let(pattern.clone(), first.clone(), with_values(body, rest)))
        }
        _ => e.clone(),
    }
}
