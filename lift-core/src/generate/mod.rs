//! The code generator: from a lowered expression to kernels and the buffers between them.
//!
//! Two walks drive it. `write` computes an expression into a destination; `view`
//! makes an expression readable element by element, and emits code only for what must be computed
//! before it can be read. Primitives that move no data become index arithmetic on the way
//! (CC'22 §3.2: the view system).

mod accesses;
mod ahead;
mod arrays;
mod called;
mod clamps;
mod fold;
mod kernels;
pub mod passes;
mod peeled;
mod powers;
mod read;
mod rotated;
mod scalars;
mod vectors;
mod view;
mod write;
mod zeros;

use crate::expr::{Function, Local, NodeId, Pattern};
use crate::kernel::{
    self, ArrayId, Buffer, BufferId, Kernel, Launch, LocalId, Module, Parallel, Plan, Role, Rows, Stmt,
};
use crate::low;
use crate::nat::{Condition, Factor, Facts, Nat, Term, Var};
use crate::primitives::Bindings;
use crate::program::Sizes;
use crate::target::{Hierarchy, Limits, Target};
use crate::types::{Scalar, Type};
pub(crate) use passes::MOST_REGISTERS;
use passes::Pass;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use view::View;
use zeros::Zeros;

/// Why no kernels could be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported(pub String);

/// The outcome of generating some part of a program.
pub type Result<T> = std::result::Result<T, Unsupported>;

/// The variables in scope. Cheap to clone: lazily read functions keep theirs.
#[derive(Clone, Default)]
struct Environment {
    /// The view of each variable in scope.
    locals: Rc<HashMap<Local, View>>,
    /// The values of index variables of `generate`.
    indices: Rc<HashMap<Var, Nat>>,
}

impl Environment {
    fn with(&self, local: &Local, view: View) -> Environment {
        let mut locals = (*self.locals).clone();
        locals.insert(local.clone(), view);
        Environment { locals: Rc::new(locals), indices: self.indices.clone() }
    }

    fn with_index(&self, var: &Var, value: &Nat) -> Environment {
        let mut indices = (*self.indices).clone();
        indices.insert(var.clone(), value.clone());
        Environment { locals: self.locals.clone(), indices: Rc::new(indices) }
    }

    fn nat(&self, n: &Nat) -> Nat {
        if self.indices.is_empty() { n.clone() } else { n.substitute(&|v| self.indices.get(v).cloned()) }
    }

    fn condition(&self, c: &Condition) -> Condition {
        c.substitute(&|v| self.indices.get(v).cloned())
    }

    fn bindings(&self, bindings: &Bindings) -> Bindings {
        Bindings(bindings.0.iter().map(|(name, n)| (name.clone(), self.nat(n))).collect())
    }
}

/// Generates the plan of a lowered function at fixed sizes, for a device. Every kernel goes through the passes, in their order.
pub fn generate(
    function: &Function,
    lowered: &low::Write,
    facts: &Facts,
    sizes: &Sizes,
    target: &Target,
    passes: &'static [&'static Pass],
    rows: &BTreeMap<Role, Rows>,
) -> Result<Plan> {
    let mut g = Generator {
        passes,
        strict: function.strict,
        facts: facts.clone(),
        limits: target.limits,
        hierarchy: target.hierarchy,
        name: function.name.to_string(),
        rows: rows.clone(),
        buffers: vec![],
        kernels: vec![],
        launches: vec![],
        fresh: function.fresh(),
        open: None,
        kept: HashMap::new(),
        zeros: HashMap::new(),
        constants: HashMap::new(),
    };
    let mut env = Environment::default();
    for (i, param) in function.params.iter().enumerate() {
        let view = g.parameter(i, &param.local, &param.ty)?;
        env = env.with(&param.local, view);
    }
    let mut outputs = 0;
    let destination = g.output(&function.result, &mut outputs)?;
    g.top(lowered, &env, &destination, "")?;
    let Generator { name, buffers, kernels, launches, .. } = g;
    let strict = function.strict;
    let constants = (0..).zip(&function.params).filter(|(_, p)| p.constant).map(|(i, _)| i).collect();
    let sizes = sizes.0.clone();
    let modules = vec![Module { strict, sizes: sizes.clone(), kernels }];
    Ok(without_unused(Plan { name, sizes, constants, buffers, modules, launches }))
}

/// Drops temporary buffers that no launch touches.
fn without_unused(mut plan: Plan) -> Plan {
    let used: BTreeSet<BufferId> = plan.launches.iter().flat_map(|l| l.arrays.iter().copied()).collect();
    let mut renumbered = HashMap::new();
    let mut kept = vec![];
    for (i, buffer) in plan.buffers.into_iter().enumerate() {
        if buffer.role != Role::Temporary || used.contains(&BufferId(i)) {
            renumbered.insert(BufferId(i), BufferId(kept.len()));
            kept.push(buffer);
        }
    }
    plan.buffers = kept;
    for array in plan.launches.iter_mut().flat_map(|l| l.arrays.iter_mut()) {
        *array = renumbered[array];
    }
    plan
}

struct Generator {
    /// The passes that the statements of every kernel go through.
    passes: &'static [&'static Pass],
    /// Must reductions of floats keep their order?
    strict: bool,
    /// What is known at the current place: sizes, the ranges of the loops around it, and the conditions that guard it.
    facts: Facts,
    /// What the device has room for.
    limits: Limits,
    hierarchy: Hierarchy,
    /// The program's name.
    name: String,
    /// Arguments and results that lie in rows which are apart.
    rows: BTreeMap<Role, Rows>,
    /// All arrays in global memory, by their numbers.
    buffers: Vec<Buffer>,
    kernels: Vec<Kernel>,
    launches: Vec<Launch>,
    /// The last number given to a variable or array.
    fresh: u32,
    /// The kernel being written, if any.
    open: Option<Open>,
    /// Values that kernels of their own have written, outside all functions.
    kept: HashMap<NodeId, View>,
    /// Where padding made zeros of elements of arrays that kernels have written.
    zeros: HashMap<ArrayId, Zeros>,
    /// Constant arrays, and the statements that declare them.
    constants: HashMap<NodeId, (View, Stmt)>,
}

/// A kernel being written.
#[derive(Default)]
struct Open {
    /// From the outermost to the current one.
    blocks: Vec<Vec<Stmt>>,
    /// The parallel loops around the current place, from the outermost in.
    around: Vec<(Var, Nat, Parallel)>,
    /// All parallel loops of the kernel, whether around the current place or not.
    parallel: Vec<(Nat, Parallel)>,
    /// Loops that write elements of arrays that a group shares, each once.
    written: passes::Written,
    /// Loops that a pass is to write out.
    unrolled: BTreeSet<Var>,
    /// Arrays that a group shares: OpenCL demands that they are declared at the beginning of a kernel.
    shared: Vec<Stmt>,
    /// The `peeled` loops around the current place, and whether the last one contained another one.
    peeled: Vec<(Nat, Nat)>,
    has_peeled: bool,
    /// Bytes of arrays that only a work-item in no group may keep for itself.
    large: usize,
}

/// How a loop is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    Rolled(Parallel),
    /// Unrolled: a copy of the body for every iteration.
    Unrolled,
    /// The same, written out by a pass ([`passes::UNROLL`]): until then one statement updates a running array.
    UnrolledLater,
}

/// A loop in one work-item.
const SEQUENTIAL: Loops = Loops::Rolled(Parallel::Sequential);

impl Generator {
    /// A type where index variables have these values.
    fn ty(&self, ty: &Type, env: &Environment) -> Type {
        match env.indices.is_empty() {
            true => ty.clone(),
            false => ty.substitute(&|v| env.indices.get(v).cloned()),
        }
    }

    fn number(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    fn variable(&mut self, name: &str, (scalar, width): (Scalar, u8)) -> kernel::Local {
        kernel::Local { name: Arc::from(name), id: LocalId::Own(self.number()), scalar, width }
    }

    /// The scalar or vector type of a register that holds a value of this type, if one can.
    fn register(&self, ty: &Type) -> Option<(Scalar, u8)> {
        match ty {
            Type::Scalar(scalar) => Some((*scalar, 1)),
            Type::Vector(element, width) => {
                let width = u8::try_from(self.value(width).ok()?).ok()?;
                Some((element.as_scalar()?, width))
            }
            _ => None,
        }
    }

    /// Appends a statement to the innermost open block.
    fn emit(&mut self, stmt: Stmt) -> Result<()> {
        match self.kernel_here()?.blocks.last_mut() {
            Some(block) => {
                block.push(stmt);
                Ok(())
            }
            None => Err(outside()),
        }
    }

    /// The kernel being written.
    fn kernel_here(&mut self) -> Result<&mut Open> {
        self.open.as_mut().ok_or_else(outside)
    }

    /// The statements that `f` emits, not appended to any block yet.
    fn block<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R>) -> Result<(Vec<Stmt>, R)> {
        match &mut self.open {
            Some(open) => open.blocks.push(vec![]),
            // Outside all kernels nothing can be emitted anyway.
            None => return Ok((vec![], f(self)?)),
        }
        let result = f(self);
        let block = self.kernel_here()?.blocks.pop().ok_or_else(outside)?;
        Ok((block, result?))
    }

    /// Runs `f` with more facts, and forgets them afterwards.
    fn knowing<R>(&mut self, learn: impl FnOnce(&mut Facts), f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.facts.clone();
        learn(&mut self.facts);
        let result = f(self);
        self.facts = outer;
        result
    }

    /// A loop over `0..length`; none for a length of 1. `body` is given the index.
    fn for_each(
        &mut self,
        name: &str,
        length: &Nat,
        loops: Loops,
        body: &mut dyn FnMut(&mut Self, &Nat) -> Result<()>,
    ) -> Result<()> {
        let parallel = match loops {
            Loops::Unrolled => {
                let count = self.value(length)?;
                return (0..count).try_for_each(|i| body(self, &Nat::from(i)));
            }
            Loops::UnrolledLater => Parallel::Sequential,
            Loops::Rolled(parallel) => parallel,
        };
        // Of a group's work-items all but one must skip a single iteration.
        let local = matches!(parallel, Parallel::Local(_));
        match self.facts.bounds(length) {
            (Some(1), Some(1)) if !local => return body(self, &Nat::constant(0)),
            (_, Some(0)) => return Ok(()),
            _ => {}
        }
        // The body knows the range of its index, which is what makes divisions and guards in it go away.
        let var = Var::index(name, self.number());
        if loops == Loops::UnrolledLater {
            self.kernel_here()?.unrolled.insert(var.clone());
        }
        if let (true, Some(open)) = (parallel != Parallel::Sequential, &mut self.open) {
            open.around.push((var.clone(), length.clone(), parallel));
            open.parallel.push((length.clone(), parallel));
        }
        let index = Nat::var(&var);
        let block = self
            .knowing(|facts| facts.range(&var, &Nat::constant(0), length), |g| g.block(|g| body(g, &index)));
        if let (true, Some(open)) = (parallel != Parallel::Sequential, &mut self.open) {
            open.around.pop();
        }
        let (block, ()) = block?;
        self.emit(Stmt::Loop { var, extent: length.clone(), parallel, body: block })
    }
}

fn outside() -> Unsupported {
    Unsupported("a computation belongs to no kernel".into())
}

/// The name of a loop, by its length: `h` for `H`, `H - KH + 3` or `H / 4`.
fn loop_name(length: &Nat) -> String {
    let terms = length.terms();
    let count = |factor: &Factor| terms.iter().filter(|t| t.factors.iter().any(|(f, _)| f == factor)).count();
    let alone = |t: &&Term| t.coefficient > 0 && t.factors.len() == 1;
    let factors = terms.iter().filter(alone).map(|t| &t.factors[0].0);
    // In `W - (K - 1) * D` the loop counts a part of `W`.
    let named = factors.min_by_key(|f| count(f)).and_then(|factor| match factor {
        Factor::Var(v) => Some(v.clone()),
        Factor::Div(a, _) | Factor::Mod(a, _) => a.vars().into_iter().next(),
        _ => None,
    });
    named.map_or_else(|| "i".to_string(), |v| v.name.to_lowercase())
}

/// A name for what a pattern binds.
fn pattern_name(pattern: &Pattern) -> String {
    pattern.locals().first().map_or_else(|| "value".to_string(), |l| l.name.to_string())
}
