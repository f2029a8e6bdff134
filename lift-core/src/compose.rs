//! Programs made of programs, at run time: any Rust function may take a [`Program`] and build a
//! bigger one.
//!
//! Sizes of the parts become sizes of the whole. Sizes of the outer program that the shapes of the inner one
//! determine are solved for and eliminated; a condition that this needs, and that does not always hold,
//! becomes a `where` clause of the whole.

use crate::check::{self, inline};
use crate::expr::{
    Argument, Expr, Function, Kind, Lambda, Literal, Local, Param, Pattern, Size, allows_zero,
};
use crate::nat::{Answer, Condition, Nat, Var};
use crate::primitives::Primitive;
use crate::program::Program;
use crate::scalar::Value;
use crate::syntax::Site;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why two programs do not fit together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ComposeError {
    /// A program does not have the parameter that a value was given for.
    #[error("`{program}` has no parameter `{parameter}`: it has {known}")]
    NoParameter {
        /// The name of the program.
        program: String,
        /// The parameter that was asked for.
        parameter: String,
        /// The parameters that it has, quoted and separated by commas.
        known: String,
    },
    /// A program does not have the name that was to be replaced.
    #[error("`{program}` has neither a parameter nor a size `{name}`: it has {known}")]
    NoName {
        /// The name of the program.
        program: String,
        /// The name that was to be replaced.
        name: String,
        /// Its sizes and parameters, quoted and separated by commas.
        known: String,
    },
    /// The array given for a parameter has another rank or another scalar type.
    #[error("`{parameter}` of `{program}` is {wanted}, but {given}")]
    Type {
        /// The program whose parameter it is.
        program: String,
        /// The parameter that does not fit.
        parameter: String,
        /// The parameter's type.
        wanted: String,
        /// The array that was given for it, with its type, as part of a sentence.
        given: String,
    },
    /// Rank and scalar type fit, but no sizes make all lengths equal.
    #[error("`{parameter}` of `{program}` is {wanted} and {given}: no sizes make {lengths}")]
    Length {
        /// The program whose parameter it is.
        program: String,
        /// The parameter that does not fit.
        parameter: String,
        /// The parameter's type.
        wanted: String,
        /// The array that was given for it, with its type, as part of a sentence.
        given: String,
        /// The first equation that never holds: `3 equal to 4`.
        lengths: String,
    },
    /// A value for a size that the size can't have.
    #[error("`{size}` of `{program}` is at least {least}, and can't be {value}")]
    TooSmall {
        /// The program whose size it is.
        program: String,
        /// The size.
        size: String,
        /// The smallest value that it may have.
        least: i64,
        /// The value that was given.
        value: usize,
    },
    /// A new name would mean two things.
    #[error("`{name}` is the name of a size or parameter of `{program}` already")]
    NameTaken {
        /// The program that has the name already.
        program: String,
        /// The name that was asked for.
        name: String,
    },
    /// The checker refuses the whole: a clause that never holds, or the first of its mistakes.
    #[error("the programs do not fit together: {0}")]
    Unsound(String),
}

impl Program {
    /// The same program by another name.
    #[must_use]
    pub fn named(&self, name: &str) -> Program {
        Program { function: Function { name: Arc::from(name), ..self.function.clone() } }
    }

    /// The same program with another name for a parameter or a size.
    ///
    /// # Errors
    /// No such name, and a new name that is taken.
    pub fn rename(&self, name: &str, new: &str) -> Result<Program, ComposeError> {
        let (program, names) = (self.name().to_string(), names(&self.function));
        if !names.contains(name) {
            let known: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            return Err(ComposeError::NoName { program, name: name.to_string(), known: known.join(", ") });
        }
        if names.contains(new) && name != new {
            return Err(ComposeError::NameTaken { program, name: new.to_string() });
        }
        sound(renamed(&self.function, &|n| (n == name).then(|| new.to_string())))
    }

    /// This program with a value for one of its sizes, which is no size of it any more: a stride, say.
    ///
    /// # Errors
    /// No such size, and a value that the program does not admit.
    pub fn fixed(&self, size: &str, value: usize) -> Result<Program, ComposeError> {
        let f = &self.function;
        let Some(Size { var, .. }) = f.sizes.iter().find(|s| *s.var.name == *size) else {
            let known: Vec<String> = f.sizes.iter().map(|s| format!("`{}`", s.var.name)).collect();
            let (program, name) = (self.name().to_string(), size.to_string());
            return Err(ComposeError::NoName { program, name, known: known.join(", ") });
        };
        let (number, least) = (i64::try_from(value).unwrap_or(i64::MAX), f.least(var));
        if number < least {
            let (program, size) = (self.name().to_string(), size.to_string());
            return Err(ComposeError::TooSmall { program, size, least, value });
        }
        let value = Nat::constant(number);
        let lookup = |v: &Var| (v == var).then(|| value.clone());
        let arguments: Vec<Expr> = f.params.iter().map(|p| Expr::local(&p.local)).collect();
        let stated = f.wheres.iter().filter(|(c, _)| !allows_zero(c, var));
        let stated = stated.map(|(c, site)| (c.substitute(&lookup), *site));
        let sizes = [(var.clone(), value.clone())];
        sound(Function {
            body: inline::call(f, &f.body, &sizes, &arguments, f.site, &mut f.fresh()),
            sizes: f.sizes.iter().filter(|s| s.var != *var).cloned().collect(),
            params: f.params.iter().map(|p| Param { ty: p.ty.substitute(&lookup), ..p.clone() }).collect(),
            result: f.result.substitute(&lookup),
            wheres: stated.collect(),
            ..f.clone()
        })
    }

    /// This program with a number for one of its parameters, which is no parameter of it any more: a bound, an exponent.
    ///
    /// # Errors
    /// No such parameter, and one that is no number of this type.
    pub fn with_number(&self, parameter: &str, value: Value) -> Result<Program, ComposeError> {
        let f = &self.function;
        let param = &f.params[self.position(parameter)?];
        if param.ty != Type::Scalar(value.scalar()) {
            return Err(ComposeError::Type {
                program: self.name().to_string(),
                parameter: parameter.to_string(),
                wanted: param.ty.to_string(),
                given: format!("the number that is given is {}", value.scalar()),
            });
        }
        let number = Expr::new(param.site, Kind::Literal(Literal::Exact(value)));
        sound(Function {
            body: with_numbers(&f.body.put(&param.local, &number)),
            params: f.params.iter().filter(|p| p.local != param.local).cloned().collect(),
            ..f.clone()
        })
    }

    /// This program with the result of another for one of its parameters, whose place in the list
    /// the other's parameters take. Sizes and parameters of this program get a number where the
    /// other has their name too.
    ///
    /// # Errors
    /// No such parameter, and types or lengths that cannot be made equal.
    pub fn of(&self, parameter: &str, inner: &Program) -> Result<Program, ComposeError> {
        let (outer, inner) = (&self.function, &inner.function);
        let at = self.position(parameter)?;
        let (written, outer) = (&outer.params[at].ty, &apart(outer, &names(inner), Some(parameter)));
        let given = format!("the result of `{}`", inner.name);
        let given = Given { param: &outer.params[at], written, found: &inner.result, what: &given };
        let fitted = fit(outer, &[given], &inner.sizes)?;
        let lookup = |v: &Var| fitted.sizes.get(v).cloned();
        let mut fresh = outer.fresh().max(inner.fresh());
        let mut params: Vec<Param> = vec![];
        let mut arguments = vec![];
        for (i, param) in outer.params.iter().enumerate() {
            if i == at {
                arguments.push(inner.body.clone());
                params.extend(inner.params.iter().cloned());
                continue;
            }
            fresh += 1;
            let local = Local { name: param.local.name.clone(), index: fresh };
            arguments.push(Expr::new(param.site, Kind::Local(local.clone())));
            params.push(Param { local, ty: param.ty.substitute(&lookup), ..param.clone() });
        }
        let sizes: Vec<(Var, Nat)> = fitted.sizes.clone().into_iter().collect();
        let body = inline::applied(outer, &sizes, &arguments, &mut fresh);
        let rest = outer.sizes.iter().filter(|s| !fitted.sizes.contains_key(&s.var)).cloned();
        let function = Function {
            sizes: inner.sizes.iter().cloned().chain(rest).collect(),
            params,
            result: outer.result.substitute(&lookup),
            wheres: clauses(inner.wheres.clone(), outer, &fitted),
            body,
            strict: outer.strict || inner.strict,
            ..outer.clone()
        };
        sound(function)
    }

    /// This program with one parameter for two: what is passed as `kept` is passed as `other` too.
    ///
    /// # Errors
    /// No such parameters, and types or lengths that cannot be made equal.
    pub fn share(&self, kept: &str, other: &str) -> Result<Program, ComposeError> {
        let (f, at, from) = (&self.function, self.position(other)?, self.position(kept)?);
        if at == from {
            return Ok(self.clone());
        }
        let kept = &f.params[from];
        let (param, what) = (&f.params[at], format!("`{}`", kept.local.name));
        let given = Given { param, written: &param.ty, found: &kept.ty, what: &what };
        let fitted = fit(f, &[given], &[])?;
        let lookup = |v: &Var| fitted.sizes.get(v).cloned();
        let params: Vec<Param> =
            f.params.iter().map(|p| Param { ty: p.ty.substitute(&lookup), ..p.clone() }).collect();
        let mut fresh = f.fresh();
        let arguments: Vec<Expr> =
            (0..params.len()).map(|i| Expr::local(&params[if i == at { from } else { i }].local)).collect();
        let sizes: Vec<(Var, Nat)> = fitted.sizes.clone().into_iter().collect();
        let body = inline::applied(f, &sizes, &arguments, &mut fresh);
        let function = Function {
            sizes: f.sizes.iter().filter(|s| !fitted.sizes.contains_key(&s.var)).cloned().collect(),
            params: params.into_iter().enumerate().filter(|(i, _)| *i != at).map(|(_, p)| p).collect(),
            result: f.result.substitute(&lookup),
            wheres: clauses(vec![], f, &fitted),
            body,
            ..f.clone()
        };
        sound(function)
    }

    /// This program applied to each of `size` values of these parameters; the others are the same
    /// every time. The new dimension is the outermost.
    ///
    /// # Errors
    /// No such parameters, a `size` that is taken, and a result that is a tuple.
    pub fn each(&self, size: &str, parameters: &[&str]) -> Result<Program, ComposeError> {
        let f = &self.function;
        let places: BTreeSet<usize> =
            parameters.iter().map(|p| self.position(p)).collect::<Result<_, _>>()?;
        let taken = || ComposeError::NameTaken { program: f.name.to_string(), name: size.to_string() };
        if names(f).contains(size) {
            return Err(taken());
        }
        let var = Var::size(size);
        let length = Nat::var(&var);
        let (mut params, mut mapped, mut inner) = (f.params.clone(), vec![], vec![]);
        for (fresh, at) in (f.fresh()..).zip(&places) {
            let param = &mut params[*at];
            inner.push(Pattern::Local(param.local.clone()));
            param.local = Local { index: fresh, ..param.local.clone() };
            param.ty = Type::array(param.ty.clone(), length.clone());
            mapped.push(Argument::Value(Expr::local(&param.local)));
        }
        let apply = |name: &str, arguments| Expr::new(f.site, Kind::Apply(Primitive::known(name), arguments));
        let body = match mapped.len() {
            0 => apply("repeat", vec![Argument::Size(length.clone()), Argument::Value(f.body.clone())]),
            count => {
                let xs = if count == 1 { mapped.remove(0) } else { Argument::Value(apply("zip", mapped)) };
                let pattern = if count == 1 { inner.remove(0) } else { Pattern::Tuple(inner) };
                let lambda = Lambda { site: f.site, params: vec![pattern], body: f.body.clone() };
                apply("map", vec![Argument::Function(lambda), xs])
            }
        };
        let (result, body) = match &f.result {
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|part| Type::array(part.clone(), length.clone()));
                (Type::tuple(parts.collect::<Vec<_>>()), apply("unzip", vec![Argument::Value(body)]))
            }
            one => (Type::array(one.clone(), length), body),
        };
        let mut sizes = vec![Size { var, site: f.site, tune: None }];
        sizes.extend(f.sizes.iter().cloned());
        sound(Function { sizes, params, result, body, ..f.clone() })
    }

    /// The place of a parameter in the list.
    fn position(&self, parameter: &str) -> Result<usize, ComposeError> {
        let params = &self.function.params;
        params.iter().position(|p| *p.local.name == *parameter).ok_or_else(|| {
            let known: Vec<String> = params.iter().map(|p| format!("`{}`", p.local.name)).collect();
            ComposeError::NoParameter {
                program: self.name().to_string(),
                parameter: parameter.to_string(),
                known: known.join(", "),
            }
        })
    }
}

/// Numbers in the places of the variables that are bound to them.
fn with_numbers(e: &Expr) -> Expr {
    match &*e.kind {
        Kind::Let(Pattern::Local(local), value, body) if matches!(&*value.kind, Kind::Literal(_)) => {
            with_numbers(&body.put(local, value))
        }
        _ => e.map_children(&mut with_numbers),
    }
}

/// All sizes and parameters: they share a name space.
fn names(f: &Function) -> BTreeSet<String> {
    let sizes = f.sizes.iter().map(|s| s.var.name.to_string());
    sizes.chain(f.params.iter().map(|p| p.local.name.to_string())).collect()
}

/// A function with sizes and parameters renamed whose names are others' already, all but the parameter that goes.
pub(crate) fn apart(outer: &Function, others: &BTreeSet<String>, goes: Option<&str>) -> Function {
    let mut taken = names(outer);
    taken.extend(others.iter().cloned());
    let mut fresh = BTreeMap::new();
    for name in names(outer).into_iter().filter(|n| others.contains(n) && Some(&**n) != goes) {
        let Some(new) = (2..).map(|i| format!("{name}{i}")).find(|n| !taken.contains(n)) else { continue };
        taken.insert(new.clone());
        fresh.insert(name, new);
    }
    renamed(outer, &|name| fresh.get(name).cloned())
}

/// The same function with other names for sizes and parameters.
fn renamed(f: &Function, new: &dyn Fn(&str) -> Option<String>) -> Function {
    let new = |name: &Arc<str>| new(name).map_or_else(|| name.clone(), Arc::from);
    let var = |v: &Var| Var { name: new(&v.name), ..v.clone() };
    let sizes: Vec<(Var, Nat)> = f.sizes.iter().map(|s| (s.var.clone(), Nat::var(&var(&s.var)))).collect();
    let lookup = |v: &Var| sizes.iter().find(|(w, _)| w == v).map(|(_, n)| n.clone());
    let param = |p: &Param| {
        let local = Local { name: new(&p.local.name), ..p.local.clone() };
        Param { local, ty: p.ty.substitute(&lookup), ..p.clone() }
    };
    let size = |s: &Size| Size {
        var: var(&s.var),
        tune: s.tune.as_ref().map(|t| t.substitute(&lookup)),
        site: s.site,
    };
    let params: Vec<Param> = f.params.iter().map(param).collect();
    let arguments: Vec<Expr> = params.iter().map(|p| Expr::local(&p.local)).collect();
    Function {
        body: inline::call(f, &f.body, &sizes, &arguments, f.site, &mut f.fresh()),
        sizes: f.sizes.iter().map(size).collect(),
        params,
        result: f.result.substitute(&lookup),
        wheres: f.wheres.iter().map(|(c, site)| (c.substitute(&lookup), *site)).collect(),
        ..f.clone()
    }
}

/// Sizes solved, and conditions for them to be right.
#[derive(Default)]
pub(crate) struct Fitted {
    /// The outer function's sizes that follow from what is given.
    pub sizes: BTreeMap<Var, Nat>,
    /// Conditions under which all lengths are equal.
    pub demands: Vec<Condition>,
}

/// What is given for a parameter.
pub(crate) struct Given<'a> {
    pub param: &'a Param,
    /// The parameter's type in its user's names.
    pub written: &'a Type,
    /// The type of what is given.
    pub found: &'a Type,
    /// What is given, as the beginning of a sentence: "the result of `conv`".
    pub what: &'a str,
}

impl Given<'_> {
    fn said(&self) -> String {
        format!("{} is {}", self.what, self.found)
    }

    fn of_another_type(&self, program: &str) -> ComposeError {
        ComposeError::Type {
            program: program.to_string(),
            parameter: self.param.local.name.to_string(),
            wanted: self.written.to_string(),
            given: self.said(),
        }
    }
}

/// Makes the types of parameters equal to what is given for them, by solving the function's sizes.
/// The sizes of what is given are no unknowns.
pub(crate) fn fit(f: &Function, given: &[Given<'_>], known: &[Size]) -> Result<Fitted, ComposeError> {
    // Of two lengths of one program either may be solved for; the inner program's sizes stay.
    let mut fitted = Fitted::default();
    // Lengths that are to be equal, and conditions, by the parameter that they come from.
    let mut open: Vec<(usize, Nat, Nat)> = vec![];
    let mut demands: Vec<(usize, Condition)> = vec![];
    for (k, one) in given.iter().enumerate() {
        let ((wanted_lengths, wanted), (found_lengths, scalar)) = (one.param.ty.shape(), one.found.shape());
        if wanted != scalar || wanted_lengths.len() != found_lengths.len() {
            return Err(one.of_another_type(&f.name));
        }
        open.extend(wanted_lengths.into_iter().zip(found_lengths).map(|(w, l)| (k, w.clone(), l.clone())));
    }
    let free = |v: &Var| f.sizes.iter().any(|s| s.var == *v) && !known.iter().any(|s| s.var == *v);
    loop {
        let before = open.len();
        let mut later = vec![];
        for (k, wanted, found) in open {
            let lookup = |v: &Var| fitted.sizes.get(v).cloned();
            let (wanted, found) = (wanted.substitute(&lookup), found.substitute(&lookup));
            let unknown: Vec<Var> = wanted.vars().into_iter().filter(|v| free(v)).collect();
            // A size that also occurs in what is given is no unknown: solving for it would define it by itself.
            let unsolved = |v: &&Var| !found.contains(v);
            match unknown.iter().filter(unsolved).collect::<Vec<_>>()[..] {
                [] => demands.push((k, Condition::eq(&wanted, &found))),
                [var] if unknown.len() == 1 && wanted.linear_in(var).is_some() => {
                    let Some((factor, rest)) = wanted.linear_in(var) else { continue };
                    let value = (&found - &rest).div(&factor);
                    demands.push((k, Condition::divides(&factor, &found - &rest)));
                    // No size is less than 0, and as a clause that would say that it may be 0.
                    if f.least(var) > 0 || value.as_var().is_none() {
                        demands.push((k, Condition::ge(&value, Nat::constant(f.least(var)))));
                    }
                    let image = |n: &Nat| n.substitute(&|v| (v == var).then(|| value.clone()));
                    fitted.sizes.values_mut().for_each(|n| *n = image(n));
                    fitted.sizes.insert(var.clone(), value.clone());
                }
                _ => later.push((k, wanted, found)),
            }
        }
        open = later;
        if open.len() == before || open.is_empty() {
            break;
        }
    }
    demands.extend(open.iter().map(|(k, wanted, found)| (*k, Condition::eq(wanted, found))));
    let lookup = |v: &Var| fitted.sizes.get(v).cloned();
    let demands: Vec<(usize, Condition)> =
        demands.into_iter().map(|(k, c)| (k, c.substitute(&lookup))).collect();
    let impossible = |c: &Condition| c.vars().is_empty() && c.eval(&|_| None) != Ok(true);
    let broken = demands.iter().find_map(|(k, c)| match c {
        Condition::Compare(_, length, other) if impossible(c) => Some((k, length, other)),
        _ => None,
    });
    if let Some((k, length, other)) = broken {
        return Err(ComposeError::Length {
            program: f.name.to_string(),
            parameter: given[*k].param.local.name.to_string(),
            wanted: given[*k].written.to_string(),
            given: given[*k].said(),
            lengths: format!("{length} equal to {other}"),
        });
    }
    fitted.demands = demands.into_iter().map(|(_, condition)| condition).collect();
    Ok(fitted)
}

/// The clauses of the whole.
fn clauses(own: Vec<(Condition, Site)>, f: &Function, fitted: &Fitted) -> Vec<(Condition, Site)> {
    let lookup = |v: &Var| fitted.sizes.get(v).cloned();
    // That a size may be 0 is said of this size only, and not of what it is here.
    let of_solved = |c: &Condition| fitted.sizes.keys().any(|v| allows_zero(c, v));
    let stated = f.wheres.iter().filter(|(c, _)| !of_solved(c));
    let stated = stated.map(|(c, site)| (c.substitute(&lookup), *site));
    let demands = fitted.demands.iter().map(|c| (c.clone(), f.site));
    own.into_iter().chain(stated).chain(demands).collect()
}

/// Drops clauses that follow from those before them, and checks the whole once more.
pub(crate) fn sound(mut f: Function) -> Result<Program, ComposeError> {
    let all = std::mem::take(&mut f.wheres);
    let sizes: Vec<Var> = f.sizes.iter().map(|size| size.var.clone()).collect();
    let zero = |c: &Condition| sizes.iter().any(|v| allows_zero(c, v));
    let (zeros, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(clause, _)| zero(clause));
    f.wheres.extend(zeros);
    for (clause, site) in others {
        match check::facts(&f).prove(&clause) {
            Answer::Proved => {}
            _ if check::facts(&f).holds(&clause.clone().not()) => {
                return Err(ComposeError::Unsound(format!("{clause} never holds")));
            }
            _ => f.wheres.push((clause, site)),
        }
    }
    let f = f.number();
    match check::infer_inlined(&f, &check::facts(&f)) {
        Ok(_) => Ok(Program { function: f }),
        Err(mistakes) => {
            Err(ComposeError::Unsound(mistakes.first().map_or_else(String::new, ToString::to_string)))
        }
    }
}
