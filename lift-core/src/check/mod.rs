//! The checker: types and lengths of every expression, and every condition under which it is
//! defined, proved for all sizes.
//!
//! The same checker runs in the compiler (sizes symbolic) and at run time (sizes known, every
//! condition decided): `infer` is all there is.

mod calls;
mod clause;
mod constant;
mod describe;
mod holes;
mod infer;
pub(crate) mod inline;
mod operand;
mod primitive;
mod prove;
mod requires;
mod result;
mod scalars;
mod tune;

pub use tune::space;

use crate::expr::{Function, Literal, NodeId, Param, Size};
use crate::nat::{Condition, Facts, Nat, Var};
use crate::primitives::Bindings;
use crate::program::{Program, Sizes};
use crate::resolve::{self, Marks, Reported};
use crate::syntax::{self, Diagnostic, Site};
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashSet};

/// Mistakes of one function that are shown: the first of them, in the order of the source.
const MOST: usize = 5;

/// The checker's findings about the nodes of one function.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// The type of every expression, holes filled.
    pub types: FxHashMap<NodeId, Type>,
    /// The sizes in a primitive's signature, where it is used.
    pub bindings: FxHashMap<NodeId, Bindings>,
    /// The callee's sizes, where a function is called.
    pub calls: FxHashMap<NodeId, Vec<(Var, Nat)>>,
    /// What calls and derived primitives demand of `tune` parameters, which is no longer to be seen once they are inlined.
    pub clauses: Vec<(Condition, Site)>,
    /// Conditions that `tune` parameters must satisfy, each with what to say if no values do.
    pub constraints: Vec<(Condition, Diagnostic)>,
}

impl Typed {
    /// The type of a node, if the checker came to it.
    pub fn ty(&self, id: NodeId) -> Option<&Type> {
        self.types.get(&id)
    }
}

/// Checks the functions of one block together, and inlines their calls. All mistakes are
/// reported, not only the first.
pub fn check(functions: &[syntax::Function]) -> Result<Vec<Program>, Vec<Diagnostic>> {
    let resolved = resolve::resolve(functions);
    let marks = &resolved.marks;
    // `None` for functions with mistakes: calls of them are silent.
    let mut known: BTreeMap<String, Option<Function>> = BTreeMap::new();
    let mut partial = vec![];
    for (f, resolution) in functions.iter().zip(resolved.functions) {
        let mut function = resolution.function.map(Function::number);
        if !resolution.mistakes.is_empty() {
            partial.push((function.take(), resolution.mistakes));
        }
        known.insert(f.name.text.clone(), function);
    }
    let mut diagnostics = inline::recursion(functions, &known);
    // What could be made of a function with mistakes may show more of them.
    for (function, mut mistakes) in partial {
        if let Some(function) = function {
            mistakes.extend(
                infer(&function, &facts(&function), Open::Mistake, &known, marks).err().unwrap_or_default(),
            );
        }
        diagnostics.extend(first_of(mistakes));
    }
    let mut typed = BTreeMap::new();
    for function in known.values().flatten() {
        match infer(function, &facts(function), Open::Mistake, &known, marks) {
            Ok(found) => {
                typed.insert(function.name.to_string(), found);
            }
            Err(mistakes) => diagnostics.extend(first_of(mistakes)),
        }
    }
    if !diagnostics.is_empty() {
        diagnostics.sort_by_key(|d| d.site);
        diagnostics.dedup();
        return Err(diagnostics);
    }
    let too_large = inline::too_large(functions, &known);
    if !too_large.is_empty() {
        return Err(too_large);
    }
    result::fill_in(&mut known, &typed);
    let mut programs = vec![];
    let mut constants = constant::Constants::new(&known, &typed, &marks.constants);
    for f in functions.iter().filter(|f| !f.constant) {
        let Some(program) = inline::program(&f.name.text, &known, &typed, &mut constants) else { continue };
        // A helper's parameters are chosen where it is called.
        if f.public {
            let before = typed.get(&f.name.text).map_or(&[][..], |typed| &typed.constraints);
            diagnostics.extend(tune::check(&program.function, before));
        }
        programs.push(program);
    }
    if diagnostics.is_empty() { Ok(programs) } else { Err(diagnostics) }
}

/// In the order of the source, at most [`MOST`].
fn first_of(mut mistakes: Vec<Diagnostic>) -> Vec<Diagnostic> {
    mistakes.sort_by_key(|d| d.site);
    mistakes.dedup();
    mistakes.truncate(MOST);
    mistakes
}

/// The facts that a function may assume of its sizes.
pub fn facts(function: &Function) -> Facts {
    let mut facts = Facts::new();
    for size in &function.sizes {
        match &size.tune {
            // What is more than that its clauses say.
            None if function.least(&size.var) == 0 => {}
            None => facts.size(&size.var),
            Some(range) => facts.assume(&range.bounds(&Nat::var(&size.var))),
        }
    }
    for (condition, _) in &function.wheres {
        facts.assume(condition);
    }
    facts
}

/// What a function may assume where these of its sizes are known: everything about them can be proved by evaluation.
pub fn facts_at(function: &Function, sizes: &Sizes) -> Facts {
    let mut facts = facts(function);
    for (var, value) in &sizes.0 {
        facts.fix(var, *value);
    }
    facts
}

/// Types of a function that was checked before, when less was known of its sizes. Mistakes found only now are not
/// the user's, so they become one message.
pub fn infer_again(function: &Function, facts: &Facts) -> Result<Typed, String> {
    infer_inlined(function, facts)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// Types of a function without calls, at sizes that `facts` fixes or not.
pub fn infer_inlined(function: &Function, facts: &Facts) -> Result<Typed, Vec<Diagnostic>> {
    infer(function, facts, Open::Mistake, &BTreeMap::new(), &Marks::default())
}

/// Types of what rules derived from a checked function. What is neither proved nor refuted for all sizes is assumed: it is
/// checked once sizes are known, before there are kernels.
pub fn infer_derived(function: &Function, facts: &Facts) -> Result<Typed, Vec<Diagnostic>> {
    infer(function, facts, Open::Assumed, &BTreeMap::new(), &Marks::default())
}

/// The types in what rules made of a checked function, on the way of a derivation: none of the conditions is looked at, which takes
/// far longer. `None` where they do not say what a type is, as where an `if` chooses between arrays whose lengths only look different,
/// and where there are mistakes.
pub fn types_alone(function: &Function) -> Option<Typed> {
    let typed = infer(function, &Facts::new(), Open::Trusted, &BTreeMap::new(), &Marks::default()).ok()?;
    typed.ty(function.body.id).is_some().then_some(typed)
}

/// The same for a function whose calls were checked before they were inlined: types need no second proof, which may be out of
/// reach once the sizes of several functions are in one formula.
pub fn types_of_inlined(function: &Function, facts: &Facts) -> Typed {
    checked(function, facts, Open::Mistake, &BTreeMap::new(), &Marks::default()).0
}

fn infer<'a>(
    function: &'a Function,
    facts: &Facts,
    open: Open,
    functions: &'a BTreeMap<String, Option<Function>>,
    marks: &'a Marks,
) -> Result<Typed, Vec<Diagnostic>> {
    let (typed, diagnostics) = checked(function, facts, open, functions, marks);
    if diagnostics.is_empty() { Ok(typed) } else { Err(diagnostics) }
}

/// Types as far as they were found, and the mistakes.
fn checked<'a>(
    function: &'a Function,
    facts: &Facts,
    open: Open,
    functions: &'a BTreeMap<String, Option<Function>>,
    marks: &'a Marks,
) -> (Typed, Vec<Diagnostic>) {
    let mut checker = Checker {
        sizes: &function.sizes,
        params: &function.params,
        here: function.site,
        facts: facts.clone(),
        open,
        functions,
        marks,
        written: FxHashMap::default(),
        holes: vec![],
        literals: vec![],
        rewritten: HashSet::new(),
        locals: FxHashMap::default(),
        by_name: FxHashMap::default(),
        bound: FxHashMap::default(),
        explained: 0,
        typed: Typed::default(),
        diagnostics: vec![],
    };
    checker.function(function);
    checker.finish();
    (checker.typed, checker.diagnostics)
}

/// What becomes of a condition that is neither proved nor refuted, and whether conditions are asked for at all.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// The user has to say more of the sizes.
    Mistake,
    /// It is assumed, and checked where sizes are known.
    Assumed,
    /// It is not asked for: only types are.
    Trusted,
}

/// The state of checking one function.
struct Checker<'a> {
    /// The size parameters of the function being checked.
    sizes: &'a [Size],
    /// Its parameters.
    params: &'a [Param],
    /// The place of the expression being checked.
    here: Site,
    /// What is known of sizes and indices at the place being checked.
    facts: Facts,
    /// What becomes of conditions that are neither proved nor refuted.
    open: Open,
    /// All functions of the block, for calls.
    functions: &'a BTreeMap<String, Option<Function>>,
    /// What messages need to know of the source.
    marks: &'a Marks,
    /// What the operands of n-dimensional forms are called, where those are used.
    written: FxHashMap<Site, Vec<String>>,
    /// Types of literals that are not determined yet.
    holes: Vec<holes::Hole>,
    /// Literals whose type comes from their place.
    literals: Vec<(Site, Literal, Type)>,
    /// Literals that were said to be written for another type.
    rewritten: HashSet<Site>,
    /// `None`: the bound value had a mistake; its uses report nothing more.
    locals: FxHashMap<crate::expr::Local, Option<Type>>,
    /// Calls that take sizes of the caller's by their names, by where they stand.
    by_name: FxHashMap<Site, calls::ByName>,
    /// The places of such calls in the values that `let`s bind.
    bound: FxHashMap<crate::expr::Local, Vec<Site>>,
    /// The mistakes up to this one say already which of their sizes were taken by name.
    explained: usize,
    /// What was found out so far.
    typed: Typed,
    /// The mistakes so far.
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

    /// Parameters, body, and then the declared result against what the body gives.
    fn function(&mut self, f: &Function) {
        for param in &f.params {
            self.locals.insert(param.local.clone(), Some(param.ty.clone()));
            self.well_formed(&param.ty, param.site);
        }
        let ty = self.expr(&f.body);
        if f.result == Type::INFERRED {
            if let Ok(ty) = ty {
                self.inferred_result(f, &ty);
            }
            return;
        }
        if let Ok(ty) = ty {
            let _ = self.result(f, &ty);
            self.explain_sizes(f.body.tail());
        }
        // What is wrong with its length is as a rule what is wrong in the body.
        if self.diagnostics.is_empty() {
            self.well_formed(&f.result, f.result_site);
        }
    }

    /// Does the body's type agree with the declared one? If not, says how they differ.
    fn result(&mut self, f: &Function, ty: &Type) -> Result<(), Reported> {
        let Err(mismatch) = self.unify(&f.result, ty) else { return Ok(()) };
        let tail = f.body.tail();
        if self.shallow(ty) == Type::Index {
            return self.not_a_number(tail, f.result.as_scalar());
        }
        let (declared, found) = (self.show(&f.result), self.show(ty));
        let message = match self.marks.constants.contains(&*f.name) {
            true => format!("`{}` should be {declared}, but this is {found}", f.name),
            false => format!("`{}` should return {declared}, but this is {found}", f.name),
        };
        let mut diagnostic = Diagnostic::new(tail.site, message);
        if transposed(&f.result, &self.resolved(ty)) {
            return self.report(diagnostic.note("the dimensions are the same, in another order"));
        }
        if let (Type::Array(d, _), Type::Array(v, _)) = (self.shallow(&f.result), self.shallow(ty))
            && let (Type::Scalar(_), Type::Vector(..)) = (self.shallow(&d), self.shallow(&v))
        {
            diagnostic = diagnostic.help("make scalars of the vectors with `asScalar`");
        }
        self.mismatched(diagnostic, mismatch)
    }
}

/// Are these the same lengths in different orders?
fn transposed(a: &Type, b: &Type) -> bool {
    let ((a, x), (b, y)) = (a.shape(), b.shape());
    let mut left = b.clone();
    let all = a.iter().all(|n| left.iter().position(|m| m == n).map(|i| left.swap_remove(i)).is_some());
    a != b && x == y && all && left.is_empty()
}
