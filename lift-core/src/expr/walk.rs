//! Walking and rebuilding trees.

use super::{Argument, Expr, Function, Kind, Lambda, Local, NodeId, Pattern};
use crate::nat::{Nat, Var};
use crate::primitives::{Applied, Execution, Form};
use crate::syntax::Site;
use rustc_hash::FxHashMap;

impl Expr {
    /// The same node with every expression directly inside replaced, in the order of [`Expr::children`].
    pub(crate) fn map_children(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let kind = match &*self.kind {
            Kind::Local(_) | Kind::Literal(_) | Kind::Size(_) | Kind::Test(_) => return self.clone(),
            Kind::Array(es) => Kind::Array(es.iter().map(f).collect()),
            Kind::Tuple(es) => Kind::Tuple(es.iter().map(f).collect()),
            Kind::Op(op, es) => Kind::Op(*op, es.iter().map(f).collect()),
            Kind::Call(name, sizes, es) => {
                Kind::Call(name.clone(), sizes.clone(), es.iter().map(f).collect())
            }
            Kind::Let(pattern, value, body) => Kind::Let(pattern.clone(), f(value), f(body)),
            Kind::Field(e, k) => Kind::Field(f(e), *k),
            Kind::Cast(e, to) => Kind::Cast(f(e), *to),
            Kind::Typed(e, ty) => Kind::Typed(f(e), ty.clone()),
            Kind::If(condition, then, otherwise) => Kind::If(f(condition), f(then), f(otherwise)),
            Kind::Apply(primitive, arguments) => {
                Kind::Apply(*primitive, arguments.iter().map(|a| a.map_expr(f)).collect())
            }
        };
        Expr { id: self.id, site: self.site, kind: kind.into() }
    }

    /// Every node, outside in.
    pub fn visit(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        self.each_child(&mut |_, child| child.visit(f));
    }

    /// How many nodes there are.
    pub(crate) fn count(&self) -> usize {
        let mut all = 0;
        self.visit(&mut |_| all += 1);
        all
    }

    /// The same without places in the source.
    pub(crate) fn nowhere(&self) -> Expr {
        let e = self.map_children(&mut Expr::nowhere);
        let kind = match &*e.kind {
            Kind::Apply(primitive, arguments) => {
                let nowhere = |argument: &Argument| match argument {
                    Argument::Function(f) => {
                        Argument::Function(Lambda { site: Site::default(), ..f.clone() })
                    }
                    other => other.clone(),
                };
                Kind::Apply(*primitive, arguments.iter().map(nowhere).collect()).into()
            }
            _ => e.kind,
        };
        Expr { id: self.id, site: Site::default(), kind }
    }

    /// With a value in place of a variable.
    pub(crate) fn put(&self, local: &Local, value: &Expr) -> Expr {
        match &*self.kind {
            Kind::Local(l) if l == local => value.clone(),
            _ => self.map_children(&mut |child| child.put(local, value)),
        }
    }

    /// How often a variable is read.
    pub fn uses(&self, local: &Local) -> usize {
        let mut count = 0;
        self.visit(&mut |e| count += matches!(&*e.kind, Kind::Local(l) if l == local) as usize);
        count
    }

    /// Is a size or an index variable read?
    pub fn reads(&self, var: &Var) -> bool {
        let mut found = false;
        self.visit(&mut |e| {
            found |= match &*e.kind {
                Kind::Size(n) => n.vars().contains(var),
                Kind::Test(c) => c.vars().contains(var),
                Kind::Apply(_, arguments) => arguments.iter().any(
                    |a| matches!(a, Argument::Size(n) | Argument::Index(_, n) if n.vars().contains(var)),
                ),
                _ => false,
            }
        });
        found
    }

    /// The expression whose value this one's is: behind every `let`.
    pub fn tail(&self) -> &Expr {
        match &*self.kind {
            Kind::Let(_, _, body) => body.tail(),
            _ => self,
        }
    }

    /// The function and the array of a `map` that is not placed.
    pub fn as_map(&self) -> Option<(&Lambda, &Expr)> {
        match self.open(Applied::Elements)? {
            [Argument::Function(f), Argument::Value(xs)] if f.params.len() == 1 => Some((f, xs)),
            _ => None,
        }
    }

    /// The start, function and array of a `reduce` of which nobody has said how it runs.
    pub fn as_reduce(&self) -> Option<(&Expr, &Lambda, &Expr)> {
        match self.open(Applied::Reduction)? {
            [Argument::Value(z), Argument::Function(f), Argument::Value(xs)] if f.params.len() == 2 => {
                Some((z, f, xs))
            }
            _ => None,
        }
    }

    /// The operands of a `zip`.
    pub fn as_zip(&self) -> Option<Vec<&Expr>> {
        let Kind::Apply(p, arguments) = &*self.kind else { return None };
        matches!(p.form, Form::Zip).then(|| arguments.iter().filter_map(Argument::expr).collect())
    }

    /// What a primitive is applied to whose function is for this, and of which nobody has said how it runs.
    fn open(&self, applied: Applied) -> Option<&[Argument]> {
        let Kind::Apply(p, arguments) = &*self.kind else { return None };
        let is_one = p.form.applied() == applied && p.form.execution() == Execution::Open;
        is_one.then_some(arguments)
    }

    pub(crate) fn number(&self, next: &mut u32) -> Expr {
        let id = NodeId(*next);
        *next += 1;
        Expr { id, ..self.map_children(&mut |child| child.number(next)) }
    }

    /// Sizes replaced and every variable it binds made new, so that a tree may stand twice.
    pub fn instantiate(&self, sizes: &dyn Fn(&Var) -> Option<Nat>, fresh: &mut u32) -> Expr {
        Instantiate { sizes, fresh, renamed: FxHashMap::default(), next: None }.expr(self)
    }

    /// Every variable it binds made new, and nodes numbered as [`Function::number`] does.
    pub(crate) fn renumbered(&self, fresh: &mut u32) -> Expr {
        Instantiate { sizes: &|_| None, fresh, renamed: FxHashMap::default(), next: Some(0) }.expr(self)
    }
}

impl Argument {
    /// The expression in it, if any.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Argument::Size(_) | Argument::Index(..) => None,
            Argument::Value(e) | Argument::Generator(_, e) => Some(e),
            Argument::Function(lambda) => Some(&lambda.body),
        }
    }

    fn map_expr(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Argument {
        match self {
            Argument::Size(_) | Argument::Index(..) => self.clone(),
            Argument::Value(e) => Argument::Value(f(e)),
            Argument::Generator(var, e) => Argument::Generator(var.clone(), f(e)),
            Argument::Function(lambda) => {
                Argument::Function(Lambda { body: f(&lambda.body), ..lambda.clone() })
            }
        }
    }
}

impl Function {
    /// Numbers the nodes densely, outside in.
    pub fn number(mut self) -> Function {
        self.body = self.body.number(&mut 0);
        self
    }

    /// A number above that of every variable.
    pub fn fresh(&self) -> u32 {
        let mut most = self.params.iter().map(|p| p.local.index).max().unwrap_or(0);
        self.body.visit(&mut |e| match &*e.kind {
            Kind::Let(pattern, ..) => most = most.max(largest(pattern)),
            Kind::Apply(_, arguments) => {
                for argument in arguments {
                    most = most.max(match argument {
                        Argument::Function(lambda) => lambda.params.iter().map(largest).max().unwrap_or(0),
                        Argument::Index(var, _) | Argument::Generator(var, _) => var.index,
                        Argument::Size(_) | Argument::Value(_) => 0,
                    });
                }
            }
            _ => {}
        });
        most + 1
    }
}

fn largest(pattern: &Pattern) -> u32 {
    match pattern {
        Pattern::Local(local) => local.index,
        Pattern::Wild => 0,
        Pattern::Tuple(parts) => parts.iter().map(largest).max().unwrap_or(0),
        Pattern::Typed(inner, _) => largest(inner),
    }
}

/// Copies a tree with sizes replaced and fresh numbers for everything it binds.
struct Instantiate<'a> {
    sizes: &'a dyn Fn(&Var) -> Option<Nat>,
    fresh: &'a mut u32,
    /// New numbers of variables in scope, index variables included: both are counted together.
    renamed: FxHashMap<u32, u32>,
    /// The number of the next node, where nodes are numbered.
    next: Option<u32>,
}

impl Instantiate<'_> {
    fn fresh(&mut self, index: u32) -> u32 {
        *self.fresh += 1;
        self.renamed.insert(index, *self.fresh);
        *self.fresh
    }

    fn nat(&self, n: &Nat) -> Nat {
        n.substitute(&|v| self.var(v))
    }

    fn var(&self, v: &Var) -> Option<Nat> {
        match self.renamed.get(&v.index) {
            // As a rule most keep their numbers, and what is made of them stays as it is.
            Some(index) if v.index == *index => None,
            Some(index) if v.index > 0 => Some(Nat::var(&Var::index(&v.name, *index))),
            _ => (self.sizes)(v),
        }
    }

    fn pattern(&mut self, p: &Pattern) -> Pattern {
        match p {
            Pattern::Local(l) => Pattern::Local(Local { name: l.name.clone(), index: self.fresh(l.index) }),
            Pattern::Wild => Pattern::Wild,
            Pattern::Tuple(parts) => Pattern::Tuple(parts.iter().map(|p| self.pattern(p)).collect()),
            Pattern::Typed(inner, ty) => {
                let ty = ty.substitute(&|v| self.var(v));
                Pattern::Typed(Box::new(self.pattern(inner)), ty)
            }
        }
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        let number = self.next.map(NodeId);
        self.next = self.next.map(|next| next + 1);
        let new = self.renamed_in(e);
        Expr { id: number.unwrap_or(new.id), ..new }
    }

    fn renamed_in(&mut self, e: &Expr) -> Expr {
        let kind = match &*e.kind {
            Kind::Local(l) => match self.renamed.get(&l.index) {
                Some(index) if *index != l.index => {
                    Kind::Local(Local { name: l.name.clone(), index: *index })
                }
                _ => return e.clone(),
            },
            Kind::Size(n) => Kind::Size(self.nat(n)),
            Kind::Test(c) => Kind::Test(c.substitute(&|v| self.var(v))),
            Kind::Typed(inner, ty) => Kind::Typed(self.expr(inner), ty.substitute(&|v| self.var(v))),
            Kind::Let(pattern, value, body) => {
                // Outside the scope of what is bound.
                let value = self.expr(value);
                let pattern = self.pattern(pattern);
                Kind::Let(pattern, value, self.expr(body))
            }
            Kind::Apply(primitive, arguments) => {
                Kind::Apply(*primitive, arguments.iter().map(|a| self.argument(a)).collect())
            }
            _ => return e.map_children(&mut |child| self.expr(child)),
        };
        e.with(kind)
    }

    fn argument(&mut self, argument: &Argument) -> Argument {
        match argument {
            Argument::Size(n) => Argument::Size(self.nat(n)),
            Argument::Value(e) => Argument::Value(self.expr(e)),
            Argument::Function(lambda) => {
                let params = lambda.params.iter().map(|p| self.pattern(p)).collect();
                Argument::Function(Lambda { site: lambda.site, params, body: self.expr(&lambda.body) })
            }
            Argument::Index(var, n) => {
                let var = Var::index(&var.name, self.fresh(var.index));
                Argument::Index(var, self.nat(n))
            }
            Argument::Generator(var, e) => {
                let var = Var::index(&var.name, self.fresh(var.index));
                Argument::Generator(var, self.expr(e))
            }
        }
    }
}
