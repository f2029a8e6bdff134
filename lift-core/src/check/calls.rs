//! Calls of the block's other functions: their sizes solved, their clauses demanded.

use super::Checker;
use super::describe::name;
use crate::expr::{Expr, Function};
use crate::nat::{Condition, Nat, Var};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;
use std::collections::BTreeMap;

impl Checker<'_> {
    pub fn call(&mut self, e: &Expr, callee: &str, arguments: &[Expr]) -> Result<Type, Reported> {
        let types = self.exprs(arguments)?;
        // A callee with mistakes of its own has said so.
        let functions = self.functions;
        let Some(Some(f)) = functions.get(callee) else { return Err(Reported) };
        let mut sizes: BTreeMap<Var, Nat> = BTreeMap::new();
        let mut lengths = vec![];
        for ((param, argument), ty) in f.params.iter().zip(arguments).zip(&types) {
            self.argument(callee, &param.local.name, argument, &param.ty, ty, &mut lengths)?;
        }
        let mut open = self.solve(e.site, callee, &mut sizes, lengths)?;
        for size in &f.sizes {
            if sizes.contains_key(&size.var) {
                continue;
            }
            // What no argument determines is the caller's size of the same name.
            if !self.sizes.iter().any(|own| own.var == size.var) {
                let message =
                    format!("the size `{}` of `{callee}` does not follow from its arguments", size.var);
                let help = format!("declare a size `{}` here too: it is taken for the callee's", size.var);
                return self.report(Diagnostic::new(e.site, message).help(help));
            }
            sizes.insert(size.var.clone(), Nat::var(&size.var));
            open = self.solve(e.site, callee, &mut sizes, open)?;
        }
        let known = self.typed.constraints.len();
        self.clauses(e.site, f, &sizes)?;
        let tuned = self.typed.constraints[known..].iter().map(|(condition, _)| (condition.clone(), e.site));
        self.typed.clauses.extend(tuned.collect::<Vec<_>>());
        let lookup = |v: &Var| sizes.get(v).cloned();
        let result = f.result.substitute(&lookup);
        self.typed.calls.insert(e.id, sizes.into_iter().collect());
        Ok(result)
    }

    /// Matches shapes, and collects the lengths that must agree: the callee's, the caller's, whose.
    fn argument(
        &mut self,
        callee: &str,
        param: &str,
        argument: &Expr,
        wanted: &Type,
        found: &Type,
        lengths: &mut Vec<(Nat, Nat, String)>,
    ) -> Result<(), Reported> {
        let whole = (wanted.clone(), found.clone());
        let (mut wanted, mut found) = (wanted.clone(), self.shallow(found));
        loop {
            match (wanted, found) {
                (Type::Array(w, n), Type::Array(f, m)) => {
                    lengths.push((n, m, format!("{} (its `{param}`)", name(argument))));
                    (wanted, found) = ((*w).clone(), self.shallow(&f));
                }
                (w @ Type::Scalar(_), f) if self.unify(&w, &f).is_ok() => return Ok(()),
                _ => {
                    let (w, f) = (whole.0.to_string(), self.show(&whole.1));
                    let message = format!(
                        "the parameter `{param}` of `{callee}` is `{w}`, but {} is {f}",
                        name(argument)
                    );
                    return self.error(argument.site, message);
                }
            }
        }
    }

    /// Finds the callee's sizes, and demands what does not find one; the lengths that it takes more
    /// sizes to compare remain.
    fn solve(
        &mut self,
        site: Site,
        callee: &str,
        sizes: &mut BTreeMap<Var, Nat>,
        mut lengths: Vec<(Nat, Nat, String)>,
    ) -> Result<Vec<(Nat, Nat, String)>, Reported> {
        while !lengths.is_empty() {
            let before = lengths.len();
            let mut later = vec![];
            for (wanted, found, whose) in lengths {
                let open: Vec<Var> = wanted.vars().into_iter().filter(|v| !sizes.contains_key(v)).collect();
                let lookup = |v: &Var| sizes.get(v).cloned();
                match (&open[..], open.first().and_then(|v| wanted.linear_in(v))) {
                    ([], _) => {
                        let expected = wanted.substitute(&lookup);
                        if !self.equal(&expected, &found) {
                            let message =
                                format!("`{callee}` needs {expected} elements here, but {whose} has {found}");
                            let diagnostic =
                                self.explain_lengths(Diagnostic::new(site, message), &expected, &found);
                            return self.report(diagnostic);
                        }
                    }
                    ([var], Some((factor, rest))) => {
                        let (factor, rest) = (factor.substitute(&lookup), rest.substitute(&lookup));
                        let value = (&found - &rest).div(&factor);
                        let fits = Condition::eq(&(&value * &factor + &rest), &found);
                        let message =
                            format!("`{callee}` needs {wanted} elements here, but {whose} has {found}");
                        self.demand(&fits, Diagnostic::new(site, message), &[])?;
                        sizes.insert(var.clone(), value);
                    }
                    _ => later.push((wanted, found, whose)),
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
        for size in &f.sizes {
            let Some(value) = sizes.get(&size.var) else { continue };
            let (allowed, message) = match &size.tune {
                Some(range) => (range.contains(&Nat::var(&size.var)), "is out of its range"),
                None => (Condition::ge(value, Nat::constant(1)), "must be at least 1"),
            };
            let allowed = allowed.substitute(&|v: &Var| sizes.get(v).cloned());
            let message = format!("the size `{}` of `{}` {message}", size.var, f.name);
            self.demand(&allowed, Diagnostic::new(site, message), &[("it is".into(), value.clone())])?;
        }
        for (clause, _) in &f.wheres {
            let here = clause.substitute(&|v: &Var| sizes.get(v).cloned());
            let message = format!("this breaks `where {clause}` of `{}`", f.name);
            let shown: Vec<(String, Nat)> = clause
                .vars()
                .into_iter()
                .filter_map(|v| sizes.get(&v).map(|n| (format!("its {v} is"), n.clone())))
                .collect();
            self.demand(&here, Diagnostic::new(site, message), &shown)?;
        }
        Ok(())
    }
}
