//! The checker: types and lengths of every expression, and every condition under which it is
//! defined, proved for all sizes.
//!
//! The same checker runs in the compiler (sizes symbolic) and at run time (sizes known, every
//! condition decided): `infer` is all there is.

mod calls;
mod describe;
mod holes;
mod infer;
pub(crate) mod inline;
pub mod placement;
mod primitive;
mod prove;
mod scalars;
mod tune;

pub use tune::space;

use crate::expr::{Function, Kind, NodeId, Size};
use crate::nat::{Condition, Facts, Nat, Var};
use crate::primitives::Bindings;
use crate::program::Program;
use crate::resolve::{self, Reported};
use crate::syntax::{self, Diagnostic, Site};
use crate::types::Type;
use std::collections::{BTreeMap, HashMap};

/// At most so many mistakes of one function are shown.
const MOST: usize = 5;

/// What the checker found out about a function's nodes.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub types: HashMap<NodeId, Type>,
    /// The sizes in a primitive's signature, where it is used.
    pub bindings: HashMap<NodeId, Bindings>,
    /// The callee's sizes, where a function is called.
    pub calls: HashMap<NodeId, Vec<(Var, Nat)>>,
    /// What calls demand of `tune` parameters, which is no longer to be seen once they are inlined.
    pub clauses: Vec<(Condition, Site)>,
    /// What is left to the choice of `tune` parameters, each with what to say if there is none.
    pub constraints: Vec<(Condition, Diagnostic)>,
}

impl Typed {
    pub fn ty(&self, id: NodeId) -> Option<&Type> {
        self.types.get(&id)
    }
}

/// Checks the functions of one block together, and inlines their calls. All mistakes are
/// reported, not only the first.
pub fn check(functions: &[syntax::Function]) -> Result<Vec<Program>, Vec<Diagnostic>> {
    let resolved = resolve::resolve(functions);
    let mut diagnostics = resolved.diagnostics;
    let known: BTreeMap<String, Option<Function>> = functions
        .iter()
        .zip(resolved.functions)
        .map(|(f, r)| (f.name.text.clone(), r.map(Function::number)))
        .collect();
    diagnostics.extend(inline::recursion(&known));
    let mut typed = BTreeMap::new();
    for function in known.values().flatten() {
        match infer(function, &facts(function), &known, &resolved.forms) {
            Ok(found) => {
                typed.insert(function.name.to_string(), found);
            }
            Err(mistakes) => diagnostics.extend(mistakes),
        }
    }
    if !diagnostics.is_empty() {
        diagnostics.sort_by_key(|d| d.site);
        diagnostics.dedup();
        return Err(diagnostics);
    }
    let mut programs = vec![];
    for f in functions {
        let Some(program) = inline::program(&f.name.text, &known, &typed) else { continue };
        // A helper's parameters are chosen where it is called.
        if f.public {
            diagnostics.extend(placement::check(&program.function));
            diagnostics.extend(tune::check(&program.function));
        }
        programs.push(program);
    }
    if diagnostics.is_empty() { Ok(programs) } else { Err(diagnostics) }
}

/// What a function may assume of its sizes.
pub fn facts(function: &Function) -> Facts {
    let mut facts = Facts::new();
    for size in &function.sizes {
        match &size.tune {
            None => facts.size(&size.var),
            Some(range) => facts.assume(&range.bounds(&Nat::var(&size.var))),
        }
    }
    for (condition, _) in &function.wheres {
        facts.assume(condition);
    }
    facts
}

/// Types of a function without calls, at sizes that `facts` fixes or not.
pub fn infer_inlined(function: &Function, facts: &Facts) -> Result<Typed, Vec<Diagnostic>> {
    infer(function, facts, &BTreeMap::new(), &HashMap::new())
}

fn infer<'a>(
    function: &'a Function,
    facts: &Facts,
    functions: &'a BTreeMap<String, Option<Function>>,
    forms: &'a HashMap<Site, &'static str>,
) -> Result<Typed, Vec<Diagnostic>> {
    let mut checker = Checker {
        sizes: &function.sizes,
        here: function.site,
        facts: facts.clone(),
        functions,
        forms,
        holes: vec![],
        literals: vec![],
        locals: HashMap::new(),
        typed: Typed::default(),
        diagnostics: vec![],
    };
    checker.function(function);
    checker.finish();
    match checker.diagnostics.is_empty() {
        true => Ok(checker.typed),
        false => {
            checker.diagnostics.truncate(MOST);
            Err(checker.diagnostics)
        }
    }
}

struct Checker<'a> {
    /// The size parameters of the function being checked.
    sizes: &'a [Size],
    /// The place of the expression being checked.
    here: Site,
    facts: Facts,
    functions: &'a BTreeMap<String, Option<Function>>,
    /// Which n-dimensional form a place was written as.
    forms: &'a HashMap<Site, &'static str>,
    holes: Vec<holes::Hole>,
    /// Literals whose type comes from their place: node, value, type.
    literals: Vec<(Site, i128, Type)>,
    /// `None`: something wrong was bound; its uses are silent.
    locals: HashMap<crate::expr::Local, Option<Type>>,
    typed: Typed,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn report<T>(&mut self, diagnostic: Diagnostic) -> Result<T, Reported> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn error<T>(&mut self, site: Site, message: impl Into<String>) -> Result<T, Reported> {
        self.report(Diagnostic::new(site, message))
    }

    fn function(&mut self, f: &Function) {
        for param in &f.params {
            self.locals.insert(param.local.clone(), Some(param.ty.clone()));
            self.well_formed(&param.ty, param.site);
        }
        self.well_formed(&f.result, f.result_site);
        let Ok(ty) = self.expr(&f.body) else { return };
        if self.unify(&f.result, &ty).is_ok() {
            return;
        }
        let (declared, found) = (self.show(&f.result), self.show(&ty));
        let message = format!("`{}` should return {declared}, but this is {found}", f.name);
        let mut diagnostic = Diagnostic::new(f.body.tail().site, message);
        if let Err(mismatch) = self.unify(&f.result, &ty) {
            diagnostic = self.explain_mismatch(diagnostic, mismatch);
        }
        if let (Type::Array(d, _), Type::Array(v, _)) = (self.shallow(&f.result), self.shallow(&ty))
            && let (Type::Scalar(_), Type::Vector(..)) = (self.shallow(&d), self.shallow(&v))
        {
            diagnostic = diagnostic.help("make scalars of the vectors with `asScalar`");
        }
        if let Kind::Size(_) = &*f.body.tail().kind {
            diagnostic = diagnostic.help("a size becomes a number through `as`: `N as f32`");
        }
        self.diagnostics.push(diagnostic);
    }
}
