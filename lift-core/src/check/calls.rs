//! Calls of the block's other functions: their sizes solved, their clauses demanded.
//!
//! A call is checked against the callee's signature alone, never its body: a function is right for all sizes
//! that its clauses allow, so its callers need to show no more than these clauses.

use super::Checker;
use super::describe::name;
use super::holes::Mismatch;
use crate::expr::{Expr, Function, Param};
use crate::nat::{Condition, Nat, Var};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// One call: the callee's sizes as far as they are known, and where each comes from.
struct Call<'a> {
    /// The function that is called.
    callee: &'a Function,
    /// The callee's sizes that are known so far, in the caller's sizes.
    sizes: BTreeMap<Var, Nat>,
    /// Where each of them comes from, for messages.
    origins: BTreeMap<Var, Source>,
}

/// Where the value of a callee's size comes from.
enum Source {
    /// The length of what is passed for this parameter.
    Parameter(String),
    /// It is given in the call.
    Given,
    /// The caller's size of the same name, since nothing else says what it is.
    SameName,
}

/// A length of a parameter, and that of what it is given.
struct Length<'a> {
    /// The length in the parameter's type, in the callee's sizes.
    wanted: Nat,
    /// The length of the argument, in the caller's sizes.
    found: Nat,
    /// The parameter.
    param: &'a Param,
    /// What is passed for it.
    argument: &'a Expr,
    /// The argument's type.
    whole: Type,
}

impl Call<'_> {
    /// The callee's length in the caller's sizes, where they are known.
    fn here(&self, n: &Nat) -> Nat {
        n.substitute(&|v: &Var| self.sizes.get(v).cloned())
    }

    /// The message where a length does not agree: with the values of the callee's sizes
    /// in it, and where they come from.
    fn mismatch(&self, length: &Length) -> Diagnostic {
        let (param, callee) = (&length.param.local.name, &self.callee.name);
        let known = |v: &Var| self.sizes.contains_key(v);
        let declared = length.param.ty.lengths().iter().flat_map(|n| n.vars()).collect::<BTreeSet<Var>>();
        let open: Vec<String> = declared.iter().filter(|v| !known(v)).map(|v| format!("`{v}`")).collect();
        let wanted = length.param.ty.substitute(&|v: &Var| self.sizes.get(v).cloned());
        let wanted = match open.is_empty() {
            true => format!("`{wanted}`"),
            false => format!("`{wanted}` for some {}", open.join(", ")),
        };
        let message = format!(
            "the argument `{param}` of `{callee}` should be {wanted}, but {} is `{}`",
            name(length.argument),
            length.whole
        );
        let from = |v: &Var| {
            let value = self.sizes.get(v)?;
            match self.origins.get(v)? {
                Source::Parameter(origin) if *origin == **param => None,
                Source::Parameter(origin) => {
                    Some(format!("its `{v}` follows from `{origin}`: here it is {value}"))
                }
                Source::Given => Some(format!("its `{v}` is given as {value}")),
                Source::SameName => Some(format!("its `{v}` is taken to be the `{v}` here")),
            }
        };
        let origins: Vec<String> = length.wanted.vars().iter().filter_map(from).collect();
        let mut diagnostic = Diagnostic::new(length.argument.site, message);
        if !origins.is_empty() {
            diagnostic = diagnostic.note(format!(
                "`{callee}` declares `{param}: {}`; {}",
                length.param.ty,
                origins.join("; ")
            ));
        }
        let by_name = |v: &Var| matches!(self.origins.get(v), Some(Source::SameName));
        let taken: Vec<Var> = length.wanted.vars().into_iter().filter(by_name).collect();
        match taken.is_empty() {
            true => diagnostic,
            false => diagnostic.help(give_sizes(self.callee, &taken)),
        }
    }
}

/// How a call says what some of the callee's sizes are.
fn give_sizes(callee: &Function, missing: &[Var]) -> String {
    let size = |v: &Var| if missing.contains(v) { v.to_string() } else { "_".into() };
    let sizes: Vec<String> = callee.sizes.iter().map(|s| size(&s.var)).collect();
    let named: Vec<String> = missing.iter().map(|v| format!("`{v}`")).collect();
    format!(
        "say what is meant in the call: `{}::<{}>(…)`, with a size from here for {}",
        callee.name,
        sizes.join(", "),
        named.join(" and ")
    )
}

/// A call some of whose sizes are the caller's of the same name.
#[derive(Clone)]
pub struct ByName {
    /// The function that is called.
    callee: String,
    /// The sizes that were taken by name.
    sizes: Vec<Var>,
    /// How to give others.
    help: String,
}

impl ByName {
    /// Adds to a message that speaks of one of these sizes where it comes from.
    pub fn explain(&self, diagnostic: &mut Diagnostic) {
        let texts = [std::slice::from_ref(&diagnostic.message), &diagnostic.notes];
        let spoken = |v: &Var| texts.iter().any(|texts| texts.iter().any(|text| has_word(text, &v.name)));
        let sizes: Vec<String> = self.sizes.iter().filter(|v| spoken(v)).map(|v| format!("`{v}`")).collect();
        if sizes.is_empty() {
            return;
        }
        let (sizes, callee) = (sizes.join(", "), &self.callee);
        let note = format!("no argument of `{callee}` says what its {sizes} is: the {sizes} here is taken");
        if !diagnostic.notes.contains(&note) {
            diagnostic.notes.push(note);
            diagnostic.helps.push(self.help.clone());
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

impl Checker<'_> {
    /// The type of a call. The callee's sizes come from the call's `::<…>`, then from the arguments' lengths,
    /// and at last from the caller's sizes of the same names; then its clauses must hold.
    pub fn call(
        &mut self,
        e: &Expr,
        callee: &str,
        given: &[Option<Nat>],
        arguments: &[Expr],
    ) -> Result<Type, Reported> {
        let types = self.exprs(arguments)?;
        // A callee with mistakes of its own has said so.
        let functions = self.functions;
        let Some(Some(f)) = functions.get(callee) else { return Err(Reported) };
        let mut call = Call { callee: f, sizes: BTreeMap::new(), origins: BTreeMap::new() };
        for (size, given) in f.sizes.iter().zip(given) {
            let Some(given) = given else { continue };
            self.defined(given, e.site)?;
            call.sizes.insert(size.var.clone(), given.clone());
            call.origins.insert(size.var.clone(), Source::Given);
        }
        let mut lengths = vec![];
        for ((param, argument), ty) in f.params.iter().zip(arguments).zip(&types) {
            self.argument(e.site, f, param, argument, ty, &mut lengths)?;
        }
        let mut open = self.solve(&mut call, lengths)?;
        for size in &f.sizes {
            if call.sizes.contains_key(&size.var) {
                continue;
            }
            // What no argument determines is the caller's size of the same name.
            if !self.sizes.iter().any(|own| own.var == size.var) {
                let message =
                    format!("the size `{}` of `{callee}` does not follow from its arguments", size.var);
                let given = give_sizes(f, std::slice::from_ref(&size.var));
                let help = format!("declare a size `{}` here too, or {given}", size.var);
                return self.report(Diagnostic::new(e.site, message).help(help));
            }
            call.sizes.insert(size.var.clone(), Nat::var(&size.var));
            call.origins.insert(size.var.clone(), Source::SameName);
            open = self.solve(&mut call, open)?;
        }
        let same = |(v, source): (&Var, &Source)| matches!(source, Source::SameName).then(|| v.clone());
        let same: Vec<Var> = call.origins.iter().filter_map(same).collect();
        if !same.is_empty() {
            let help = give_sizes(f, &same);
            let by_name = ByName { callee: callee.to_string(), sizes: same, help };
            self.by_name.insert(e.site, by_name);
        }
        let sizes = call.sizes;
        // Clauses that depend on `tune` parameters become constraints. They are kept with the call, since
        // inlining leaves no trace of them.
        let known = self.typed.constraints.len();
        self.clauses(e.site, f, &sizes)?;
        self.becomes_clauses(known, e.site);
        let lookup = |v: &Var| sizes.get(v).cloned();
        let result = f.result.substitute(&lookup);
        self.typed.calls.insert(e.id, sizes.into_iter().collect());
        Ok(result)
    }

    /// Matches shapes, and collects the lengths that must agree.
    fn argument<'a>(
        &mut self,
        site: Site,
        callee: &Function,
        param: &'a Param,
        argument: &'a Expr,
        ty: &Type,
        lengths: &mut Vec<Length<'a>>,
    ) -> Result<(), Reported> {
        let whole = self.resolved(ty);
        let mut found = vec![];
        if self.shape(&param.ty, ty, &mut found).is_ok() {
            let length = |(wanted, found)| Length { wanted, found, param, argument, whole: whole.clone() };
            lengths.extend(found.into_iter().map(length));
            return Ok(());
        }
        if let (Type::Scalar(to), Type::Index) = (&param.ty, self.shallow(ty)) {
            return self.not_a_number(argument, Some(*to));
        }
        // `map(relu, xss)`
        let this = if argument.site == site { "here it".into() } else { name(argument) };
        let message = format!(
            "the argument `{}` of `{}` should be `{}`, but {this} is {}",
            param.local.name,
            callee.name,
            param.ty,
            self.show(&whole)
        );
        self.error(argument.site, message)
    }

    /// Do two types agree but for their lengths, which are to be compared?
    fn shape(&mut self, wanted: &Type, found: &Type, lengths: &mut Vec<(Nat, Nat)>) -> Result<(), Mismatch> {
        match (wanted, self.shallow(found)) {
            (Type::Array(w, n), Type::Array(f, m)) => {
                lengths.push((n.clone(), m));
                self.shape(w, &f, lengths)
            }
            (Type::Tuple(ws), Type::Tuple(fs)) if ws.len() == fs.len() => {
                ws.iter().zip(fs.iter()).try_for_each(|(w, f)| self.shape(w, f, lengths))
            }
            (w @ Type::Scalar(_), f) => self.unify(w, &f),
            _ => Err(Mismatch::Types),
        }
    }

    /// One pass after the other over the lengths: a length of known sizes is a demand; a length that is linear
    /// in its only unknown size determines it. Lengths with more unknowns are returned.
    fn solve<'a>(
        &mut self,
        call: &mut Call<'a>,
        mut lengths: Vec<Length<'a>>,
    ) -> Result<Vec<Length<'a>>, Reported> {
        while !lengths.is_empty() {
            let before = lengths.len();
            let mut later = vec![];
            for length in lengths {
                let Length { wanted, found, .. } = &length;
                let open: Vec<Var> =
                    wanted.vars().into_iter().filter(|v| !call.sizes.contains_key(v)).collect();
                match (&open[..], open.first().and_then(|v| wanted.linear_in(v))) {
                    ([], _) => {
                        let expected = call.here(wanted);
                        if !self.equal(&expected, found) {
                            let shown =
                                [("it should have".to_string(), expected), ("has".into(), found.clone())];
                            self.unequal(call.mismatch(&length), &shown, false)?;
                        }
                    }
                    ([var], Some((factor, rest))) => {
                        let (factor, rest) = (call.here(&factor), call.here(&rest));
                        let value = (found - &rest).div(&factor);
                        let fits = Condition::divides(&factor, found - &rest);
                        self.demand(&fits, || {
                            let shown = vec![(format!("{} has", name(length.argument)), found.clone())];
                            (call.mismatch(&length), shown)
                        })?;
                        call.sizes.insert(var.clone(), value);
                        let origin = Source::Parameter(length.param.local.name.to_string());
                        call.origins.insert(var.clone(), origin);
                    }
                    _ => later.push(length),
                }
            }
            lengths = later;
            if lengths.len() == before {
                break;
            }
        }
        Ok(lengths)
    }

    /// Demands the callee's `where` clauses, and that its sizes are in their ranges.
    fn clauses(&mut self, site: Site, f: &Function, sizes: &BTreeMap<Var, Nat>) -> Result<(), Reported> {
        for (clause, _) in &f.wheres {
            let here = clause.substitute(&|v: &Var| sizes.get(v).cloned());
            self.demand(&here, || {
                let message = format!("this breaks `where {clause}` of `{}`", f.name);
                let shown = clause.vars().into_iter();
                let shown = shown.filter_map(|v| sizes.get(&v).map(|n| (format!("its `{v}` is"), n.clone())));
                (Diagnostic::new(site, message), shown.collect())
            })?;
        }
        for size in &f.sizes {
            let Some(value) = sizes.get(&size.var) else { continue };
            let own = Nat::var(&size.var);
            let (allowed, message) = match &size.tune {
                Some(range) => (range.contains(&own), "is out of its range".to_string()),
                None => {
                    let least = f.least(&size.var);
                    (Condition::ge(own, Nat::constant(least)), format!("must be at least {least}"))
                }
            };
            let allowed = allowed.substitute(&|v: &Var| sizes.get(v).cloned());
            let message = format!("the size `{}` of `{}` {message}", size.var, f.name);
            self.demand(&allowed, || {
                (Diagnostic::new(site, &message), vec![("it is".into(), value.clone())])
            })?;
        }
        Ok(())
    }
}
