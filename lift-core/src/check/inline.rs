//! Inlining: calls are replaced by the bodies of their functions, and derived primitives by their expansions.
//!
//! Kernels have no calls, and rules see through them only once they are gone. A function that calls another
//! twice has its body twice, so sizes are limited here, where the reason can still be told.

use super::Typed;
use super::constant::{self, Constants};
use crate::expr::{Argument, Expr, Function, Kind, Local, Pattern};
use crate::nat::{Condition, Nat, Var};
use crate::primitives::builder::Builder;
use crate::primitives::{Form, Primitive, Use};
use crate::program::Program;
use crate::syntax::{self, Diagnostic, Site};
use std::collections::{BTreeMap, BTreeSet};

type Functions = BTreeMap<String, Option<Function>>;

/// A mistake for every cycle of calls, at the first of its functions in the source.
pub fn recursion(order: &[syntax::Function], functions: &Functions) -> Vec<Diagnostic> {
    let mut mistakes = vec![];
    let mut told: BTreeSet<String> = BTreeSet::new();
    for function in order {
        let name = &function.name.text;
        let Some(Some(f)) = functions.get(name) else { continue };
        for (callee, site) in calls(f) {
            let Some(through) = path(functions, &callee, name, &mut BTreeSet::new()) else { continue };
            // Each circle is told once, by whichever of its functions stands first.
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

/// The calls in a function, and their places.
fn calls(f: &Function) -> Vec<(String, Site)> {
    let mut found = vec![];
    f.body.visit(&mut |e| {
        if let Kind::Call(callee, ..) = &*e.kind {
            found.push((callee.to_string(), e.site));
        }
    });
    found
}

/// The functions on the path of calls from one to another, the first included.
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

/// Expressions in one function: more than any program has that a person wrote, constant arrays included.
const LARGEST: usize = 100_000;

/// The depth of nested expressions: everything that reads programs is recursive, and stacks are finite.
const DEEPEST: usize = 2_000;

/// The size of a function after inlining.
#[derive(Clone, Copy)]
struct Extent {
    /// All of them.
    expressions: usize,
    /// The depth of nesting.
    levels: usize,
}

impl Extent {
    fn is_possible(self) -> bool {
        self.expressions <= LARGEST && self.levels <= DEEPEST
    }

    /// Another expression inside.
    fn with(self, inner: Extent) -> Extent {
        Extent {
            expressions: self.expressions.saturating_add(inner.expressions),
            levels: self.levels.max(inner.levels),
        }
    }
}

/// A mistake for every function that is too large by itself, but not for functions that only call it.
pub fn too_large(order: &[syntax::Function], functions: &Functions) -> Vec<Diagnostic> {
    let mut known = BTreeMap::new();
    let mut mistakes = vec![];
    for function in order {
        let name = &function.name.text;
        let found = extent(name, functions, &mut known);
        let Some(Some(f)) = functions.get(name) else { continue };
        let callees = calls(f);
        let is_callees = |(name, _): &(String, Site)| known.get(name).is_some_and(|e| !e.is_possible());
        if !found.is_possible() && !callees.iter().any(is_callees) {
            mistakes.push(impossible(function, found, callees.is_empty()));
        }
    }
    mistakes
}

fn impossible(function: &syntax::Function, found: Extent, alone: bool) -> Diagnostic {
    let name = &function.name.text;
    let message = match found.expressions > LARGEST {
        true => format!(
            "`{name}` is too large: it has {} expressions, and at most {LARGEST} are possible",
            found.expressions
        ),
        false => format!(
            "`{name}` is nested too deeply: {} expressions stand in each other, and at most {DEEPEST} can",
            found.levels
        ),
    };
    let diagnostic = Diagnostic::new(function.name.site, message);
    match alone {
        true => diagnostic.help("pass large arrays of constants as parameters: `const table: [f32; N]`"),
        false => diagnostic
            .note("every call is replaced by the body of what it calls, and counts as much as that")
            .help("call a function once and use its result twice: `let y = f(x);`"),
    }
}

/// The extent of a function, computed once. There is no recursion: that was refused before.
fn extent(name: &str, functions: &Functions, known: &mut BTreeMap<String, Extent>) -> Extent {
    if let Some(extent) = known.get(name) {
        return *extent;
    }
    let extent = match functions.get(name) {
        Some(Some(f)) => extent_of(&f.body, functions, known),
        _ => Extent { expressions: 0, levels: 0 },
    };
    known.insert(name.to_string(), extent);
    extent
}

fn extent_of(e: &Expr, functions: &Functions, known: &mut BTreeMap<String, Extent>) -> Extent {
    let none = Extent { expressions: 0, levels: 0 };
    let inside = e.children().into_iter().fold(none, |all, e| all.with(extent_of(e, functions, known)));
    let inside = match &*e.kind {
        Kind::Call(callee, _, arguments) => {
            // A `let` for each argument stands around the body.
            let body = extent(callee, functions, known);
            let lets = Extent { levels: body.levels + arguments.len(), ..body };
            inside.with(lets)
        }
        _ => inside,
    };
    Extent { expressions: inside.expressions.saturating_add(1), levels: inside.levels + 1 }
}

/// The program of a checked function, free of calls.
pub fn program<'a>(
    name: &str,
    functions: &'a Functions,
    typed: &'a BTreeMap<String, Typed>,
    constants: &mut Constants<'a>,
) -> Option<Program> {
    let f = functions.get(name)?.as_ref()?;
    // Above all variables of all functions: whatever is put in gets numbers of its own.
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

/// Substitutes called functions, constants, arrays of computed values, and derived primitives.
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
            Kind::Apply(primitive, arguments) => self.primitive(e, owner, *primitive, arguments),
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

    fn primitive(&mut self, e: &Expr, owner: &str, primitive: Primitive, arguments: &[Argument]) -> Expr {
        let typed = self.typed.get(owner);
        let found = typed.and_then(|typed| Some((typed.bindings.get(&e.id)?, typed.ty(e.id)?)));
        let (Form::Derived(expand), Some((sizes, result))) = (&primitive.form, found) else {
            return e.clone();
        };
        let builder = &mut Builder { site: e.site, fresh: &mut self.fresh };
        expand(builder, &Use { arguments, sizes, result })
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

/// A function's body with arguments for its parameters. A name stands for a name, and only what is computed is bound by a `let`:
/// else programs that are made of many would be nested as deeply as all of these have parameters.
pub fn applied(f: &Function, sizes: &[(Var, Nat)], arguments: &[Expr], fresh: &mut u32) -> Expr {
    let (mut names, mut computed, mut params) = (BTreeMap::new(), vec![], vec![]);
    for (param, argument) in f.params.iter().zip(arguments) {
        match &*argument.kind {
            Kind::Local(local) => drop(names.insert(param.local.clone(), local.clone())),
            _ => {
                params.push(param.clone());
                computed.push(argument.clone());
            }
        }
    }
    let body = renamed(&f.body, &names);
    call(&Function { params, ..f.clone() }, &body, sizes, &computed, f.site, fresh)
}

/// Other names for variables that are not bound inside.
fn renamed(e: &Expr, names: &BTreeMap<Local, Local>) -> Expr {
    match &*e.kind {
        Kind::Local(local) => match names.get(local) {
            Some(name) => e.with(Kind::Local(name.clone())),
            None => e.clone(),
        },
        _ => e.map_children(&mut |child| renamed(child, names)),
    }
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
