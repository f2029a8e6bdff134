//! Calls of the block's other functions: their sizes solved, their clauses demanded.

use super::Checker;
use super::describe::name;
use crate::expr::{Expr, Function, Param};
use crate::nat::{Condition, Nat, Var};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// One call: what is known of the callee's sizes, and from which of its parameters.
struct Call<'a> {
    callee: &'a Function,
    sizes: BTreeMap<Var, Nat>,
    origins: BTreeMap<Var, String>,
}

/// A length of a parameter, and that of what it is given.
struct Length<'a> {
    wanted: Nat,
    found: Nat,
    param: &'a Param,
    argument: &'a Expr,
    /// The argument's type.
    whole: Type,
}

impl Call<'_> {
    /// The callee's length in the caller's sizes, where they are known.
    fn here(&self, n: &Nat) -> Nat {
        n.substitute(&|v: &Var| self.sizes.get(v).cloned())
    }

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
            let origin = self.origins.get(v).filter(|origin| **origin != **param)?;
            Some(format!("its `{v}` follows from `{origin}`: here it is {}", self.sizes.get(v)?))
        };
        let origins: Vec<String> = length.wanted.vars().iter().filter_map(from).collect();
        let diagnostic = Diagnostic::new(length.argument.site, message);
        match origins.is_empty() {
            true => diagnostic,
            false => diagnostic.note(format!(
                "`{callee}` declares `{param}: {}`; {}",
                length.param.ty,
                origins.join("; ")
            )),
        }
    }
}

impl Checker<'_> {
    pub fn call(&mut self, e: &Expr, callee: &str, arguments: &[Expr]) -> Result<Type, Reported> {
        let types = self.exprs(arguments)?;
        // A callee with mistakes of its own has said so.
        let functions = self.functions;
        let Some(Some(f)) = functions.get(callee) else { return Err(Reported) };
        let mut call = Call { callee: f, sizes: BTreeMap::new(), origins: BTreeMap::new() };
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
                let help = format!("declare a size `{}` here too: it is taken for the callee's", size.var);
                return self.report(Diagnostic::new(e.site, message).help(help));
            }
            call.sizes.insert(size.var.clone(), Nat::var(&size.var));
            open = self.solve(&mut call, open)?;
        }
        let sizes = call.sizes;
        let known = self.typed.constraints.len();
        self.clauses(e.site, f, &sizes)?;
        let tuned = self.typed.constraints[known..].iter().map(|(condition, _)| (condition.clone(), e.site));
        self.typed.clauses.extend(tuned.collect::<Vec<_>>());
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
        let (mut wanted, mut found) = (param.ty.clone(), self.shallow(ty));
        loop {
            match (wanted, found) {
                (Type::Array(w, n), Type::Array(f, m)) => {
                    lengths.push(Length { wanted: n, found: m, param, argument, whole: whole.clone() });
                    (wanted, found) = ((*w).clone(), self.shallow(&f));
                }
                (Type::Scalar(to), Type::Index) => return self.not_a_number(argument, Some(to)),
                (w @ Type::Scalar(_), f) if self.unify(&w, &f).is_ok() => return Ok(()),
                _ => {
                    // `map(relu, xss)`
                    let this = if argument.site == site { "here it".into() } else { name(argument) };
                    let message = format!(
                        "the argument `{}` of `{}` should be `{}`, but {this} is {}",
                        param.local.name,
                        callee.name,
                        param.ty,
                        self.show(&whole)
                    );
                    return self.error(argument.site, message);
                }
            }
        }
    }

    /// Finds the callee's sizes, and demands what does not find one; the lengths that it takes more
    /// sizes to compare remain.
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
                            self.unequal(call.mismatch(&length), &shown)?;
                        }
                    }
                    ([var], Some((factor, rest))) => {
                        let (factor, rest) = (call.here(&factor), call.here(&rest));
                        let value = (found - &rest).div(&factor);
                        let fits = Condition::divides(&factor, found - &rest);
                        let shown = [(format!("{} has", name(length.argument)), found.clone())];
                        self.demand(&fits, call.mismatch(&length), &shown)?;
                        call.sizes.insert(var.clone(), value);
                        call.origins.insert(var.clone(), length.param.local.name.to_string());
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

    fn clauses(&mut self, site: Site, f: &Function, sizes: &BTreeMap<Var, Nat>) -> Result<(), Reported> {
        for (clause, _) in &f.wheres {
            let here = clause.substitute(&|v: &Var| sizes.get(v).cloned());
            let message = format!("this breaks `where {clause}` of `{}`", f.name);
            let shown: Vec<(String, Nat)> = clause
                .vars()
                .into_iter()
                .filter_map(|v| sizes.get(&v).map(|n| (format!("its `{v}` is"), n.clone())))
                .collect();
            self.demand(&here, Diagnostic::new(site, message), &shown)?;
        }
        for size in &f.sizes {
            let Some(value) = sizes.get(&size.var) else { continue };
            let own = Nat::var(&size.var);
            let (allowed, message) = match &size.tune {
                Some(range) => (range.contains(&own), "is out of its range"),
                None => (Condition::ge(own, Nat::constant(1)), "must be at least 1"),
            };
            let allowed = allowed.substitute(&|v: &Var| sizes.get(v).cloned());
            let message = format!("the size `{}` of `{}` {message}", size.var, f.name);
            self.demand(&allowed, Diagnostic::new(site, message), &[("it is".into(), value.clone())])?;
        }
        Ok(())
    }
}
