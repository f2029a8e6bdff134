//! How rules read and write expressions.
//!
//! Readers answer `None` for anything but the form that they are named after. Builders need no types: a rule's
//! result is checked like any program.

use super::Context;
use crate::expr::{Argument, Child, Expr, Kind, Lambda, Local, Path, Pattern};
use crate::nat::{Nat, Var};
use crate::primitives::{Form, Primitive};
use crate::types::Type;
use std::sync::Arc;

/// The function and the array of a `map` that is not placed yet.
pub fn as_map(e: &Expr) -> Option<(&Lambda, &Expr)> {
    e.as_map()
}

/// The start, function and array of a `reduce`.
pub fn as_reduce(e: &Expr) -> Option<(&Expr, &Lambda, &Expr)> {
    e.as_reduce()
}

/// The operands of a `zip`.
pub fn as_zip(e: &Expr) -> Option<Vec<&Expr>> {
    e.as_zip()
}

/// The sizes and the operand of a primitive of this name.
pub fn as_call<'e>(e: &'e Expr, name: &str) -> Option<(Vec<&'e Nat>, &'e Expr)> {
    let Kind::Apply(p, arguments) = &*e.kind else { return None };
    let (Argument::Value(xs), sizes) = arguments.split_last()? else { return None };
    let size = |a: &'e Argument| match a {
        Argument::Size(n) => Some(n),
        _ => None,
    };
    if p.name == name { Some((sizes.iter().map(size).collect::<Option<_>>()?, xs)) } else { None }
}

/// Does the expression read any variable of the pattern?
pub fn mentions(e: &Expr, pattern: &Pattern) -> bool {
    pattern.locals().into_iter().any(|local| e.uses(local) > 0)
}

/// `|params| body`
pub fn lambda(params: Vec<Pattern>, body: Expr) -> Lambda {
    Lambda { site: body.site, params, body }
}

/// A primitive with its arguments.
pub fn apply(name: &str, arguments: Vec<Argument>, at: &Expr) -> Option<Expr> {
    Some(at.with(Kind::Apply(Primitive::known(name), arguments)))
}

/// `name(sizes…, xs)`: a primitive of one operand.
pub fn one(name: &str, sizes: &[&Nat], xs: Expr) -> Option<Expr> {
    let site = xs.site;
    let mut arguments: Vec<Argument> = sizes.iter().map(|n| Argument::Size((*n).clone())).collect();
    arguments.push(Argument::Value(xs));
    Some(Expr::new(site, Kind::Apply(Primitive::known(name), arguments)))
}

/// `map(f, xs)`
pub fn map(f: Lambda, xs: Expr) -> Option<Expr> {
    let site = f.body.site;
    Some(Expr::new(
        site,
        Kind::Apply(Primitive::known("map"), vec![Argument::Function(f), Argument::Value(xs)]),
    ))
}

/// `reduce(z, f, xs)`
pub fn reduce(z: Expr, f: Lambda, xs: Expr) -> Option<Expr> {
    let site = f.body.site;
    let arguments = vec![Argument::Value(z), Argument::Function(f), Argument::Value(xs)];
    Some(Expr::new(site, Kind::Apply(Primitive::known("reduce"), arguments)))
}

/// An element of this type all of whose scalars are one value.
pub fn copies(value: Expr, ty: &Type) -> Option<Expr> {
    match ty {
        Type::Scalar(_) => Some(value),
        Type::Array(element, n) => one("repeat", &[n], copies(value, element)?),
        Type::Tuple(_) | Type::Vector(..) | Type::Index | Type::Hole(_) => None,
    }
}

/// The arrays zipped; a single one stays as it is.
pub fn zip(mut parts: Vec<Expr>) -> Option<Expr> {
    if parts.len() == 1 {
        return parts.pop();
    }
    let site = parts.first()?.site;
    let arguments = parts.into_iter().map(Argument::Value).collect();
    Some(Expr::new(site, Kind::Apply(Primitive::known("zip"), arguments)))
}

/// A scan without functions of functions: its start, its function and its array.
pub fn as_scan(e: &Expr) -> Option<(&Expr, &Lambda, &Expr)> {
    let Kind::Apply(p, arguments) = &*e.kind else { return None };
    match &arguments[..] {
        [Argument::Value(z), Argument::Function(f), Argument::Value(xs)] if p.name == "scan" => {
            Some((z, f, xs))
        }
        _ => None,
    }
}

pub fn scan(z: Expr, f: Lambda, xs: Expr) -> Option<Expr> {
    let at = xs.clone();
    apply("scan", vec![Argument::Value(z), Argument::Function(f), Argument::Value(xs)], &at)
}

/// The pattern for an element of [`zip`].
pub fn tuple(mut parts: Vec<Pattern>) -> Pattern {
    match parts.len() {
        1 => parts.remove(0),
        _ => Pattern::Tuple(parts),
    }
}

/// The arrays of an operand, each with what its element is called; a `zip` is taken apart.
pub fn parts<'e>(pattern: &'e Pattern, xs: &'e Expr) -> Vec<(&'e Pattern, &'e Expr)> {
    match (untyped(pattern), as_zip(xs)) {
        (Pattern::Tuple(patterns), Some(arrays)) if patterns.len() == arrays.len() => {
            patterns.iter().zip(arrays).collect()
        }
        _ => vec![(pattern, xs)],
    }
}

/// The same where a `zip` of a `zip` is taken apart, too.
pub fn flat_parts<'e>(pattern: &'e Pattern, xs: &'e Expr) -> Vec<(&'e Pattern, &'e Expr)> {
    match &parts(pattern, xs)[..] {
        [_] => vec![(pattern, xs)],
        several => several.iter().flat_map(|(pattern, xs)| flat_parts(pattern, xs)).collect(),
    }
}

/// `map(|x| body, xs)` over the arrays that the body reads; over all if it reads none.
pub fn map_read(all: &[(&Pattern, &Expr)], body: &Expr) -> Option<Expr> {
    let read: Vec<_> = all.iter().filter(|(pattern, _)| mentions(body, pattern)).collect();
    let read = if read.is_empty() { all.iter().collect() } else { read };
    let (names, arrays) = read.into_iter().map(|(p, xs)| ((*p).clone(), (*xs).clone())).unzip();
    map(lambda(vec![tuple(names)], body.clone()), zip(arrays)?)
}

/// A pattern without the type that was written for it.
pub fn untyped(pattern: &Pattern) -> &Pattern {
    match pattern {
        Pattern::Typed(inner, _) => untyped(inner),
        other => other,
    }
}

/// A name for an array of what a pattern binds: `rows` for `row`.
pub fn plural(pattern: &Pattern) -> String {
    match pattern.locals().first() {
        Some(local) if local.name.ends_with('s') => local.name.to_string(),
        Some(local) => format!("{}s", local.name),
        None => "column".into(),
    }
}

impl Context<'_> {
    /// A new variable: its pattern and its value.
    pub fn variable(&mut self, name: &str) -> (Pattern, Expr) {
        self.fresh += 1;
        let local = Local { name: Arc::from(name), index: self.fresh };
        (Pattern::Local(local.clone()), Expr::local(&local))
    }
}

/// The body of a function applied to a value: the value is put in where that repeats no work, else bound by `let`.
pub fn bind(pattern: &Pattern, value: &Expr, body: &Expr) -> Expr {
    match (untyped(pattern), &*value.kind) {
        (Pattern::Wild, _) => body.clone(),
        (Pattern::Tuple(patterns), Kind::Tuple(values)) if patterns.len() == values.len() => {
            patterns.iter().zip(values).fold(body.clone(), |body, (p, v)| bind(p, v, &body))
        }
        (Pattern::Tuple(patterns), _) if is_place(value) => (0..)
            .zip(patterns)
            .fold(body.clone(), |body, (k, p)| bind(p, &value.with(Kind::Field(value.clone(), k)), &body)),
        (Pattern::Local(local), _) if is_place(value) || is_once(body, local) => put(body, local, value),
        (Pattern::Local(local), _) if body.uses(local) == 1 && rearranges(value) => put(body, local, value),
        (Pattern::Local(local), _) if body.uses(local) == 0 => body.clone(),
        _ => body.with(Kind::Let(pattern.clone(), value.clone(), body.clone())),
    }
}

/// A variable, or a part of one: as cheap to read as its name.
fn is_place(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Local(_) => true,
        Kind::Field(inner, _) => is_place(inner),
        _ => false,
    }
}

/// Does the expression only rearrange elements? Reading is lazy, so reading it twice computes nothing twice.
pub fn rearranges(e: &Expr) -> bool {
    match &*e.kind {
        Kind::Literal(_) => true,
        Kind::Apply(p, arguments) => {
            let moves = matches!(p.form, Form::Layout(_) | Form::Pad | Form::Zip | Form::Map);
            moves && arguments.iter().filter_map(Argument::expr).all(rearranges)
        }
        _ => is_place(e),
    }
}

/// Is a variable read once, and in no function, where it would be computed again and again?
fn is_once(e: &Expr, local: &Local) -> bool {
    e.uses(local) == 1 && !in_function(e, local)
}

/// Is a variable read in a function or generator inside?
fn in_function(e: &Expr, local: &Local) -> bool {
    let inside = match &*e.kind {
        Kind::Apply(_, arguments) => arguments.iter().any(|a| match a {
            Argument::Function(f) => f.body.uses(local) > 0,
            Argument::Generator(_, body) => body.uses(local) > 0,
            _ => false,
        }),
        _ => false,
    };
    inside || e.children().into_iter().any(|child| in_function(child, local))
}

/// Replaces a variable by a value. A component of a tuple that is built there is taken directly.
pub fn put(e: &Expr, local: &Local, value: &Expr) -> Expr {
    match &*e.kind {
        Kind::Local(l) if l == local => value.clone(),
        Kind::Field(inner, k) => {
            let inner = put(inner, local, value);
            match &*inner.kind {
                Kind::Tuple(parts) if *k < parts.len() => parts[*k].clone(),
                _ => e.with(Kind::Field(inner, *k)),
            }
        }
        _ => e.map_children(&mut |child| put(child, local, value)),
    }
}

/// The expression at the end of a path, if its value can be kept at the path's start: it reads no variable that is
/// bound on the path, it is not a number of a constant array, whose elements must all be numbers, and not a size.
pub fn movable<'e>(e: &'e Expr, path: &Path) -> Option<&'e Expr> {
    let (mut locals, mut indices) = (vec![], vec![]);
    for stop in e.along(path)? {
        match (&*stop.e.kind, stop.child) {
            (Kind::Array(_), _) => return None,
            (Kind::Let(pattern, ..), Child::Body) => locals.extend(pattern.locals()),
            (Kind::Apply(_, arguments), child) if child.is_in_function() => {
                for argument in arguments {
                    match argument {
                        Argument::Function(f) => locals.extend(f.params.iter().flat_map(Pattern::locals)),
                        Argument::Generator(var, _) => indices.push(var),
                        Argument::Size(_) | Argument::Value(_) | Argument::Index(..) => {}
                    }
                }
            }
            _ => {}
        }
    }
    let part = e.at(path)?;
    let read = |var: &&Var| part.reads(var);
    let bound = locals.into_iter().any(|local| part.uses(local) > 0) || indices.iter().any(read);
    (!bound && !path.is_empty() && !is_size(part)).then_some(part)
}

/// Is this a size, or a tuple with a size in it? Sizes are not stored in memory.
pub fn is_size(e: &Expr) -> bool {
    match &*e.tail().kind {
        Kind::Size(_) => true,
        Kind::Tuple(parts) => parts.iter().any(is_size),
        Kind::If(_, then, _) => is_size(then),
        _ => false,
    }
}
