//! A program cut into parts: each a program with one loop nest that computes, which a schedule can be applied to.
//!
//! A program may compute one array from another: a product of matrices, then a softmax, then another product; a
//! convolution, then pooling. No single loop nest computes that well. [`Parts::of`] cuts such a program where one nest
//! reads what another computed, and [`Parts::joined`] puts it together again from whatever form of each part was
//! found to be fast: the parts' results are kept in global memory.
//!
//! What needs no reduction (bias, activation, a residual) stays with the nest whose result it reads, as that
//! nest's epilogue; padding and views stay with the nest that reads them. What is computed of an array's elements before a
//! nest that reads each of them for many results (a conversion, a normalisation and an activation) is a part by itself.
//! A program with one nest is one part.

mod cut;
mod prologue;
mod reads;
mod rows;

pub(crate) use reads::{arrays_once, computes_anything, reduces};
pub(crate) use rows::{Known, row_by_row, rows_together, together};

use crate::check::inline;
use crate::expr::{Argument, Expr, Function, Kind, Local, Param, Pattern, Size};
use crate::nat::{Condition, Nat, Var};
use crate::primitives::Primitive;
use crate::program::{Program, Sizes};
use crate::syntax::Site;

/// A program in parts.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The whole, as it was.
    whole: Program,
    /// The parts in the order in which they are computed; the last one's result is the program's.
    parts: Vec<Part>,
}

/// One part of a program.
#[derive(Clone, Debug)]
pub struct Part {
    /// It computes the part from the whole's parameters and the results of parts before it.
    pub program: Program,
    /// What is passed for its parameters: parameters of the whole, or results of other parts.
    arguments: Vec<Local>,
    /// The names of its result, or of the result's components, in the parts behind it.
    results: Vec<Local>,
}

/// How a part of a program is computed.
#[derive(Clone, Debug)]
pub enum PartForm {
    /// By this form of it, with the values of its sizes, those of its schedule's parameters included; its results are kept in global
    /// memory.
    Kept(Program, Sizes),
    /// Where the part behind it reads its result: each time that this reads an element, or once for what its form copies.
    Inline,
}

impl Part {
    /// May it be computed where its result is read? What reduces would be computed many times.
    pub fn may_be_inline(&self) -> bool {
        self.results.len() == 1 && !reduces(&self.program.function.body)
    }

    /// Its sizes, given those of the whole.
    pub fn sizes(&self, sizes: &Sizes) -> Sizes {
        let own = self.program.sizes().iter();
        Sizes(own.filter_map(|size| Some((size.var.clone(), sizes.get(&size.var)?))).collect())
    }

    /// The part's program with numbers for the names of sizes and parameters, and without places in the source: equal for
    /// parts that compute the same in the same way, whatever the whole calls what they are given. So layers of one kind
    /// are tuned once.
    pub fn anonymous(&self) -> Program {
        let function = &self.program.function;
        let var = |k: usize| Var::size(&format!("s{k}"));
        let sizes: Vec<Var> = function.sizes.iter().map(|size| size.var.clone()).collect();
        let renamed = |v: &Var| sizes.iter().position(|size| size == v).map(|k| Nat::var(&var(k)));
        let mut fresh = function.params.len() as u32;
        let mut body = function.body.instantiate(&renamed, &mut fresh);
        let mut params = vec![];
        for (k, param) in function.params.iter().enumerate() {
            let local = Local { name: format!("p{k}").into(), index: k as u32 };
            body = body.put(&param.local, &Expr::local(&local));
            let (ty, site) = (param.ty.substitute(&renamed), Site::default());
            params.push(Param { local, ty, site, constant: param.constant });
        }
        let size = |(k, size): (usize, &Size)| Size { var: var(k), site: Site::default(), ..size.clone() };
        let clause = |(c, _): &(Condition, Site)| (c.substitute(&renamed), Site::default());
        let anonymous = Function {
            name: "part".into(),
            site: Site::default(),
            result_site: Site::default(),
            sizes: function.sizes.iter().enumerate().map(size).collect(),
            params,
            result: function.result.substitute(&renamed),
            wheres: function.wheres.iter().map(clause).collect(),
            body: body.nowhere(),
            strict: function.strict,
        };
        Program { function: anonymous.number() }
    }
}

impl Parts {
    /// Cuts a program. One whose maps are placed by hand, or that runs kernels in a loop, is one part.
    pub fn of(program: &Program) -> Parts {
        let parts = cut::parts(program).filter(|parts| parts.len() > 1);
        let one = || vec![Part { program: program.clone(), arguments: parameters(program), results: vec![] }];
        Parts { whole: program.clone(), parts: parts.unwrap_or_else(one) }
    }

    /// The parts in the order in which they are computed.
    pub fn iter(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }

    /// The parts that read a result of one of these, in order.
    pub fn readers(&self, of: &[usize]) -> Vec<usize> {
        let results = |k: &usize| self.parts.get(*k).map_or(&[][..], |part| &part.results);
        let read: Vec<&Local> = of.iter().flat_map(results).collect();
        let reads = |part: &Part| part.arguments.iter().any(|argument| read.contains(&argument));
        (0..self.parts.len()).filter(|k| reads(&self.parts[*k])).collect()
    }

    /// Is the program no more than one loop nest?
    pub fn is_one(&self) -> bool {
        self.parts.len() == 1
    }

    /// The whole, computed by these forms of its parts.
    pub fn joined(&self, forms: &[PartForm]) -> Program {
        let whole = &self.whole.function;
        let last = |(part, form): (&Part, &PartForm)| match form {
            PartForm::Kept(program, _) => program.function.fresh(),
            PartForm::Inline => part.program.function.fresh(),
        };
        let mut fresh = self.parts.iter().zip(forms).map(last).fold(whole.fresh(), u32::max);
        let mut body: Option<Expr> = None;
        for (part, form) in self.parts.iter().zip(forms).rev() {
            let (function, values) = match form {
                // Parameters of schedules become numbers: those of different parts may have one name.
                PartForm::Kept(program, sizes) => {
                    let tuned = program.sizes().iter().filter(|size| size.tune.is_some());
                    let value = |size: &Size| Some((size.var.clone(), Nat::constant(sizes.get(&size.var)?)));
                    (&program.function, tuned.filter_map(value).collect())
                }
                PartForm::Inline => (&part.program.function, vec![]),
            };
            let arguments: Vec<Expr> = part.arguments.iter().map(Expr::local).collect();
            let value =
                inline::call(function, &function.body, &values, &arguments, function.site, &mut fresh);
            let kept = |value: Expr| match form {
                PartForm::Kept(..) => kept(value),
                PartForm::Inline => value,
            };
            body = Some(match (body, &part.results[..]) {
                (None, _) => value,
                (Some(rest), [one]) => bound(Pattern::Local(one.clone()), kept(value), rest),
                (Some(rest), several) => {
                    let names = several.iter().cloned().map(Pattern::Local).collect();
                    bound(Pattern::Tuple(names), kept(value), rest)
                }
            });
        }
        let body = body.unwrap_or_else(|| whole.body.clone());
        Program { function: Function { body, ..whole.clone() }.number() }
    }
}

/// Computed before what reads it.
fn kept(value: Expr) -> Expr {
    Expr::new(value.site, Kind::Apply(Primitive::known("toGlobal"), vec![Argument::Value(value)]))
}

fn bound(pattern: Pattern, value: Expr, rest: Expr) -> Expr {
    Expr::new(rest.site, Kind::Let(pattern, value, rest))
}

fn parameters(program: &Program) -> Vec<Local> {
    program.params().iter().map(|param| param.local.clone()).collect()
}
