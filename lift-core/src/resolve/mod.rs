//! From syntax to expressions: every name finds what it means, every argument its kind.
//!
//! Decided here, without types: what is a size and what a value, which function a name calls, what
//! the n-dimensional forms expand to. Functions are not values: a lambda bound by `let` is substituted
//! wherever it is named.

mod calls;
mod constants;
mod exprs;
mod index;
mod scope;
mod sizes;
pub mod suggest;

use crate::expr::{Function, Local, Param, Size, Tune};
use crate::nat::Var;
use crate::primitives::nd::Form;
use crate::syntax::{self, Diagnostic, Site};
use crate::types::{Scalar, Type};
use scope::{Binding, Scope};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An error has been recorded; the caller goes on as well as it can.
#[derive(Debug)]
pub struct Reported;

/// The functions of one block.
pub struct Resolved {
    /// One for each function, in the order of the source.
    pub functions: Vec<Resolution>,
    /// What messages need to know of the source.
    pub marks: Marks,
}

/// A function, as much of it as can be checked: nothing if its signature is wrong.
pub struct Resolution {
    /// `None` if its signature has mistakes: nothing can be said of its body then.
    pub function: Option<Function>,
    /// What is wrong with its names, sizes and arguments.
    pub mistakes: Vec<Diagnostic>,
}

/// What messages need to know of the source that is not in the tree.
#[derive(Default)]
pub struct Marks {
    /// Which n-dimensional form a place was written as.
    pub forms: HashMap<Site, &'static Form>,
    /// Other names that are replaced by what they stand for.
    pub names: HashMap<Site, &'static str>,
    /// The bodies of index functions, by where they are given to a primitive.
    pub indices: HashMap<Site, Site>,
    /// The parameters of lambdas.
    pub params: HashMap<Site, Vec<Site>>,
    /// The names of the block's constants.
    pub constants: HashSet<String>,
}

impl Marks {
    /// The name that the user wrote at a place, if it is not that of a primitive.
    pub fn shown(&self, site: Site) -> Option<&'static str> {
        let form = self.forms.get(&site).map(|form| form.name);
        form.or_else(|| self.names.get(&site).copied())
    }
}

/// Resolves the functions of a block. Calls may go to functions further down.
pub fn resolve(functions: &[syntax::Function]) -> Resolved {
    let constants = functions.iter().filter(|f| f.constant).map(|f| f.name.text.clone()).collect();
    let mut marks = Marks { constants, ..Marks::default() };
    let mut resolved = vec![];
    let mut seen: HashSet<&str> = HashSet::new();
    for function in functions {
        let mut resolver = Resolver {
            functions,
            sizes: vec![],
            used: HashSet::new(),
            undeclared: HashSet::new(),
            fresh: 0,
            depth: 0,
            exhausted: false,
            constants: vec![],
            circular: None,
            current: function.name.site,
            marks: &mut marks,
            diagnostics: vec![],
        };
        if !seen.insert(&function.name.text) {
            let what = if function.constant { "constant" } else { "function" };
            let message = format!("the {what} `{}` is defined twice", function.name.text);
            resolver.diagnostics.push(Diagnostic::new(function.name.site, message));
        }
        let result = match function.is_constant_size() {
            true => resolver.constant_size(function).and(Err(Reported)),
            false => resolver.function(function),
        };
        resolved.push(Resolution { function: result.ok(), mistakes: resolver.diagnostics });
    }
    Resolved { functions: resolved, marks }
}

/// The state of resolving one function.
struct Resolver<'a> {
    /// All functions of the block.
    functions: &'a [syntax::Function],
    /// The function's size parameters.
    sizes: Vec<Var>,
    /// Size parameters that were mentioned.
    used: HashSet<Var>,
    /// Names that were reported not to be sizes.
    undeclared: HashSet<String>,
    /// The last number given to a variable.
    fresh: u32,
    /// The nesting of the lambdas that are being substituted.
    depth: u32,
    /// Too many lambdas were substituted, and that was reported.
    exhausted: bool,
    /// The constants of sizes that are being worked out, each named in the one before.
    constants: Vec<String>,
    /// One of them whose definition names itself.
    circular: Option<String>,
    /// The place of the name that is being resolved.
    current: Site,
    /// What messages will need to know of the source.
    marks: &'a mut Marks,
    /// The mistakes so far.
    diagnostics: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn report<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Reported> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn error<T>(&mut self, site: Site, message: impl Into<String>) -> Result<T, Reported> {
        self.report(Diagnostic::new(site, message))
    }

    fn local(&mut self, name: &str) -> Local {
        self.fresh += 1;
        Local { name: Arc::from(name), index: self.fresh }
    }

    /// Signature first, then the body. The body of a function with a mistaken signature is resolved as well,
    /// since its own mistakes are worth telling.
    fn function(&mut self, f: &syntax::Function) -> Result<Function, Reported> {
        let sizes = self.size_params(f);
        let mut scope = Scope::default();
        let mut params = vec![];
        for param in &f.params {
            let ty = self.param_type(param, f.public);
            if let (true, Ok(ty)) = (f.public, &ty) {
                self.untuned(f, ty, param.ty.site, "this type");
            }
            let local = self.local(&param.name.text);
            if self.sizes.iter().any(|v| *v.name == *param.name.text) {
                let message = format!("`{}` is a size; a parameter needs another name", param.name.text);
                let _ = self.error::<()>(param.name.site, message);
            }
            if matches!(scope.get(&param.name.text), Some(Binding::Local(_))) {
                let message = format!("the parameter `{}` is declared twice", param.name.text);
                let _ = self.error::<()>(param.name.site, message);
            }
            scope = scope.with(&param.name.text, Binding::Local(local.clone()));
            params.push(ty.map(|ty| Param { local, ty, site: param.ty.site, constant: param.constant }));
        }
        let result_site = f.result.as_ref().map_or(f.body.site, |ty| ty.site);
        let result = match &f.result {
            Some(ty) if f.public => self.result_type(ty),
            Some(ty) => self.ty(ty, &Scope::default()),
            None => Ok(Type::INFERRED),
        };
        if let (true, Ok(ty)) = (f.public, &result) {
            self.untuned(f, ty, result_site, "the result");
        }
        let mut wheres = vec![];
        for clause in &f.wheres {
            if let Ok(condition) = self.condition(clause, &Scope::default()) {
                wheres.push((condition, clause.site));
            }
        }
        let understood = self.diagnostics.is_empty();
        let body = self.expr(&f.body, &scope);
        self.unused_sizes(&sizes);
        if !understood {
            return Err(Reported);
        }
        let params: Result<Vec<Param>, Reported> = params.into_iter().collect();
        Ok(Function {
            name: Arc::from(&*f.name.text),
            site: f.name.site,
            sizes,
            params: params?,
            result: result?,
            result_site,
            wheres,
            body,
            strict: f.strict,
        })
    }

    /// Declares the size parameters, in order: the range of a `tune` parameter may name those before it.
    fn size_params(&mut self, f: &syntax::Function) -> Vec<Size> {
        let mut sizes: Vec<Size> = vec![];
        for param in &f.sizes {
            let var = Var::size(&param.name.text);
            if self.sizes.contains(&var) {
                let message = format!("the size `{}` is declared twice", param.name.text);
                let _ = self.error::<()>(param.name.site, message);
                continue;
            }
            let tune = param.tune.as_ref().and_then(|range| self.tune(param, range).ok());
            self.sizes.push(var.clone());
            sizes.push(Size { var, site: param.name.site, tune });
        }
        sizes
    }

    /// The range of a `tune` parameter. Constant ranges must have values, none of them negative.
    fn tune(&mut self, param: &syntax::SizeParam, range: &syntax::TuneRange) -> Result<Tune, Reported> {
        let nowhere = Scope::default();
        let tune = self.tune_values(range, &nowhere)?;
        let name = &param.name.text;
        match (range, &tune) {
            (syntax::TuneRange::Span(from, to), Tune::Span(low, high)) => {
                let (Some(low), Some(high)) = (low.as_constant(), high.as_constant()) else {
                    return Ok(tune);
                };
                let diagnostic =
                    |message: &str| Diagnostic::new(from.site, format!("{message} `{name}`")).until(to.site);
                if high < low {
                    let help = format!("the smaller value stands first: `{high}..={low}`");
                    return self.report(diagnostic("there are no values in the range of").help(help));
                }
                if low < 0 {
                    let help = format!("write `1..={}`", high.max(1));
                    return self.report(diagnostic("no negative values are allowed for").help(help));
                }
            }
            (syntax::TuneRange::List(values), Tune::List(numbers)) => {
                if numbers.is_empty() {
                    return self
                        .error(param.name.site, format!("there are no values in the list of `{name}`"));
                }
                for (value, n) in values.iter().zip(numbers.iter()) {
                    if n.as_constant().is_some_and(|n| n < 0) {
                        let message = format!("no negative values are allowed for `{name}`");
                        return self.error(value.site, message);
                    }
                }
            }
            _ => {}
        }
        Ok(tune)
    }

    fn tune_values(&mut self, range: &syntax::TuneRange, nowhere: &Scope) -> Result<Tune, Reported> {
        Ok(match range {
            syntax::TuneRange::Span(low, high) => {
                Tune::Span(self.size(low, nowhere)?, self.size(high, nowhere)?)
            }
            syntax::TuneRange::List(values) => {
                let values: Result<Vec<_>, Reported> = values.iter().map(|v| self.size(v, nowhere)).collect();
                Tune::List(values?.into())
            }
        })
    }

    /// What Rust passes and gets does not depend on what the tuner chooses.
    fn untuned(&mut self, f: &syntax::Function, ty: &Type, site: Site, what: &str) {
        let tuned = f.sizes.iter().filter(|p| p.tune.is_some()).map(|p| Var::size(&p.name.text));
        if let Some(diagnostic) = depends_on_tuning(tuned, ty, site, what) {
            self.diagnostics.push(diagnostic.help("only functions without `pub` may have such types"));
        }
    }

    fn unused_sizes(&mut self, sizes: &[Size]) {
        // A mistake elsewhere may be why a size was not seen.
        if !self.diagnostics.is_empty() {
            return;
        }
        for size in sizes {
            if !self.used.contains(&size.var) {
                let message = format!("the size `{}` is declared but never used", size.var.name);
                let remove = match size.tune {
                    None => format!("remove `{}`, or use it in a type", size.var.name),
                    Some(_) => "an unused parameter needs no tuning".into(),
                };
                self.diagnostics.push(Diagnostic::new(size.site, message).help(remove));
            }
        }
    }

    /// What Rust passes are scalars and arrays of scalars.
    fn param_type(&mut self, param: &syntax::Param, public: bool) -> Result<Type, Reported> {
        if let syntax::TypeKind::Name(ty) = &param.ty.kind
            && ty == "usize"
        {
            let name = &param.name.text;
            self.undeclared.insert(name.clone());
            let message = format!("`{name}` is a size, and sizes are not parameters");
            let help = format!("declare it after the function's name: `<{name}>`");
            return self.report(Diagnostic::new(param.ty.site, message).help(help));
        }
        let ty = self.ty(&param.ty, &Scope::default())?;
        match ty.shape().1 {
            _ if !public => Ok(ty),
            Type::Scalar(_) => Ok(ty),
            _ => {
                let parts = "pass its parts as parameters of their own, and `zip` them inside";
                let message = "a parameter that Rust passes is a scalar or an array of scalars, not a tuple";
                self.report(Diagnostic::new(param.ty.site, message).help(parts))
            }
        }
    }

    fn result_type(&mut self, ty: &syntax::TypeExpr) -> Result<Type, Reported> {
        let result = self.ty(ty, &Scope::default())?;
        if result.is_returnable() {
            return Ok(result);
        }
        self.report(not_returnable(&result, ty.site))
    }

    fn ty(&mut self, ty: &syntax::TypeExpr, scope: &Scope) -> Result<Type, Reported> {
        match &ty.kind {
            syntax::TypeKind::Name(name) => match Scalar::from_name(name) {
                Some(scalar) => Ok(Type::Scalar(scalar)),
                None => self.unknown_type(name, ty.site),
            },
            syntax::TypeKind::Array(element, length) => {
                let element = self.ty(element, scope);
                let length = self.size(length, scope);
                Ok(Type::array(element?, length?))
            }
            syntax::TypeKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.ty(p, scope)).collect();
                let parts: Result<Vec<Type>, Reported> = parts.into_iter().collect();
                Ok(Type::tuple(parts?))
            }
        }
    }

    fn unknown_type(&mut self, name: &str, site: Site) -> Result<Type, Reported> {
        let scalars = Scalar::ALL.iter().map(|s| s.name());
        let mut diagnostic = Diagnostic::new(site, format!("there is no type `{name}`"));
        diagnostic = match suggest::foreign_type(name).or(suggest::nearest(name, scalars.clone())) {
            _ if name == "usize" || name == "isize" => {
                diagnostic.help("sizes become numbers of other types: `N as u64`")
            }
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => {
                diagnostic.note(format!("the scalar types are {}", scalars.collect::<Vec<_>>().join(" ")))
            }
        };
        self.report(diagnostic)
    }
}

/// What Rust is given is a scalar, an array of scalars, or a tuple of these.
pub fn not_returnable(ty: &Type, site: Site) -> Diagnostic {
    let help = match ty.shape() {
        (_, Type::Vector(..)) => "make scalars of the vectors with `asScalar`",
        (_, Type::Index) => "convert a size to a number with `as`: `N as f32`",
        (lengths, Type::Tuple(parts))
            if lengths.is_empty() && parts.iter().any(|p| matches!(p, Type::Tuple(_))) =>
        {
            "name the parts of the inner tuple, and return all parts in one: `(a, b, c)`"
        }
        _ => "take an array of tuples apart with `unzip`",
    };
    Diagnostic::new(site, "a result is a scalar, an array of scalars, or a tuple of these").help(help)
}

/// The mistake of a type that callers must know, if one of these sizes occurs in it.
pub fn depends_on_tuning(
    mut tuned: impl Iterator<Item = Var>,
    ty: &Type,
    site: Site,
    what: &str,
) -> Option<Diagnostic> {
    let lengths = ty.lengths();
    let size = tuned.find(|size| lengths.iter().any(|n| n.contains(size)))?;
    let name = &size.name;
    let message = format!("{what} depends on `{name}`, which the tuner chooses and callers don't know");
    Some(Diagnostic::new(site, message))
}
