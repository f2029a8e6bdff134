//! Calls: which function is meant, and what kind each argument is.

use super::exprs::as_size;
use super::scope::{Binding, Scope};
use super::{Reported, Resolver, suggest};
use crate::expr::{Argument, Expr, Kind, Lambda, Pattern};
use crate::nat::{Nat, Var};
use crate::primitives::builder::Builder;
use crate::primitives::nd::{FORMS, Form, Wanted};
use crate::primitives::reference::{VECTORIZE, VECTORIZE_TYPE};
use crate::primitives::signature::{self, Signature};
use crate::primitives::vector::WIDTH;
use crate::primitives::{self, Primitive};
use crate::scalar::Op;
use crate::syntax::{self, Diagnostic, ExprKind, GivenSizes, PatternKind, Site};
use std::sync::Arc;

/// What messages call a lambda that is called directly.
const THIS_FUNCTION: &str = "this function";

/// Lambdas may name lambdas, but n `let`s could make 2^n copies.
const DEEPEST: u32 = 64;

/// More variables than any program written by a person needs.
const MOST_VARIABLES: u32 = 10_000;

impl Resolver<'_> {
    pub fn call(
        &mut self,
        site: Site,
        callee: &syntax::Expr,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        match &callee.kind {
            ExprKind::Name(name) if name != VECTORIZE => {
                self.call_name(site, callee.site, (name, None), arguments, scope)
            }
            ExprKind::Sized(name, given) => {
                self.call_name(site, callee.site, (name, Some(given)), arguments, scope)
            }
            _ if self.is_function(callee, scope) => self.call_function(site, callee, scope, arguments, scope),
            _ => self.error(callee.site, "only functions can be called"),
        }
    }

    fn call_name(
        &mut self,
        site: Site,
        name_site: Site,
        (name, given): (&str, Option<&GivenSizes>),
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        if let Some(given) = given {
            self.takes_sizes(name, given, scope)?;
        }
        match scope.get(name).cloned() {
            Some(Binding::Function(function)) => {
                let (function, definition) = &*function;
                return self.call_function(site, function, definition, arguments, scope);
            }
            Some(Binding::Poison) => return Err(Reported),
            Some(_) => return self.error(name_site, format!("`{name}` is a value, and cannot be called")),
            None => {}
        }
        if self.marks.constants.contains(name) {
            return self.error(name_site, format!("`{name}` is a constant, and cannot be called"));
        }
        if let Some(callee) = self.functions.iter().find(|f| f.name.text == name) {
            return self.call_of_block(site, callee, given, arguments, scope);
        }
        if let Some(form) = Form::named(name) {
            return self.form(site, form, arguments, scope);
        }
        // `min(a, b)` of sizes is a size, and `min` is no array primitive: scalars come first.
        if let Some(op) = Op::function(name) {
            return self.scalar_function(site, op, arguments, scope);
        }
        match Primitive::named(name) {
            Some(primitive) => self.primitive(site, primitive, arguments, scope),
            None => self.unknown(name_site, name),
        }
    }

    /// A call of a function that stands in the same block.
    fn call_of_block(
        &mut self,
        site: Site,
        callee: &syntax::Function,
        given: Option<&GivenSizes>,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        let name = &callee.name.text;
        if callee.result.is_none() {
            return self
                .error(site, format!("`{name}` is called, so the type of its result must be written"));
        }
        self.count(site, name, arguments.len(), callee.params.len(), None)?;
        let sizes = match given {
            Some(given) => self.given_sizes(callee, given, scope),
            None => Ok(vec![]),
        };
        // What its arguments do not determine is taken from the caller's sizes of the same name.
        for (k, size) in callee.sizes.iter().enumerate() {
            let is_given = sizes.as_ref().is_ok_and(|sizes| matches!(sizes.get(k), Some(Some(_))));
            if !is_given && !callee.params.iter().any(|p| p.ty.mentions(&size.name.text)) {
                self.size_param(&size.name.text);
            }
        }
        let arguments = self.exprs(arguments, scope);
        Ok(Expr::new(site, Kind::Call(Arc::from(&**name), sizes?, arguments)))
    }

    /// Only functions of the block have sizes that can be given.
    fn takes_sizes(&mut self, name: &str, given: &GivenSizes, scope: &Scope) -> Result<(), Reported> {
        let own = scope.get(name).is_some();
        if !own && (self.in_block(name) || !self.names_function(name)) {
            return Ok(());
        }
        let diagnostic = Diagnostic::new(given.site, "types and sizes are inferred here");
        self.report(diagnostic.help(format!("remove `{}`", given.text)))
    }

    /// `::<H, _>`: one for each size of the function that is called.
    fn given_sizes(
        &mut self,
        callee: &syntax::Function,
        given: &GivenSizes,
        scope: &Scope,
    ) -> Result<Vec<Option<Nat>>, Reported> {
        let sizes: Vec<_> = given
            .sizes
            .iter()
            .map(|size| size.as_ref().map(|size| self.size(size, scope)).transpose())
            .collect();
        if sizes.len() != callee.sizes.len() {
            let (name, wanted) = (&callee.name.text, callee.sizes.len());
            let declared: Vec<&str> = callee.sizes.iter().map(|size| size.name.text.as_str()).collect();
            let message = match (wanted, sizes.len()) {
                (0, _) => format!("`{name}` has no sizes"),
                (1, got) => format!("`{name}` has 1 size, but {got} are given"),
                (_, 1) => format!("`{name}` has {wanted} sizes, but 1 is given"),
                (_, got) => format!("`{name}` has {wanted} sizes, but {got} are given"),
            };
            let diagnostic = Diagnostic::new(given.site, message);
            return self.report(match wanted {
                0 => diagnostic.help(format!("remove `{}`", given.text)),
                _ => diagnostic
                    .note(format!("it is declared as `{name}<{}>`", declared.join(", ")))
                    .help("`_` stands for a size that follows from the arguments"),
            });
        }
        sizes.into_iter().collect()
    }

    fn unknown(&mut self, site: Site, name: &str) -> Result<Expr, Reported> {
        let functions: Vec<&str> =
            self.functions.iter().filter(|f| !f.constant).map(|f| f.name.text.as_str()).collect();
        let known = primitives::all()
            .map(|p| p.name)
            .chain([VECTORIZE])
            .chain(FORMS.iter().map(|f| f.name))
            .chain(Op::ALL.iter().map(|op| op.name()))
            .chain(functions);
        let mut diagnostic = Diagnostic::new(site, format!("there is no function `{name}`"));
        // `f32::sqrt` is `sqrt`, whatever it is given.
        let bare = name.rsplit("::").next().filter(|bare| name.contains("::") && self.names_function(bare));
        let near = bare.or(suggest::nearest(name, known)).map(|near| format!("did you mean `{near}`?"));
        if let Some(help) = suggest::foreign(name).or(near) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    fn count(
        &mut self,
        site: Site,
        name: &str,
        got: usize,
        wanted: usize,
        ty: Option<&str>,
    ) -> Result<(), Reported> {
        if got == wanted {
            return Ok(());
        }
        let plural = if wanted == 1 { "" } else { "s" };
        let name = if name == THIS_FUNCTION { name.to_string() } else { format!("`{name}`") };
        let message = format!("{name} takes {wanted} argument{plural}, but {got} were given")
            .replace("1 were", "1 was");
        let mut diagnostic = Diagnostic::new(site, message);
        if let Some(ty) = ty {
            diagnostic = diagnostic.note(ty);
        }
        self.report(diagnostic)
    }

    fn scalar_function(
        &mut self,
        site: Site,
        op: Op,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        self.count(site, op.name(), arguments.len(), op.arity(), None)?;
        let operands = self.exprs(arguments, scope);
        if let (Op::Min | Op::Max, [a, b]) = (op, &operands[..])
            && (matches!(&*a.kind, Kind::Size(_)) || matches!(&*b.kind, Kind::Size(_)))
            && let (Some(a), Some(b)) = (as_size(a), as_size(b))
        {
            let size = if op == Op::Min { a.min(&b) } else { a.max(&b) };
            return Ok(Expr::new(site, Kind::Size(size)));
        }
        Ok(Expr::new(site, Kind::Op(op, operands)))
    }

    fn primitive(
        &mut self,
        site: Site,
        primitive: Primitive,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        let signature = primitive.signature(arguments.len());
        let wanted = signature.arguments.len();
        if primitive.is_variadic() && primitive.name != "unzip" {
            if arguments.len() < 2 {
                return self.error(site, format!("`{}` takes 2 arguments or more", primitive.name));
            }
        } else {
            let ty = match primitive.typing {
                primitives::Typing::One(text) | primitives::Typing::Either(text, _) => Some(text),
                primitives::Typing::Many(_) => None,
            };
            self.count(site, primitive.name, arguments.len(), wanted, ty)?;
        }
        if primitive.name == "reorder"
            && let Some(expr) = self.strided(site, arguments, scope)
        {
            return expr;
        }
        let wants: Vec<bool> =
            signature.arguments.iter().map(|a| matches!(a, signature::Argument::Function(..))).collect();
        self.function_misplaced(primitive.name, &wants, arguments, scope)?;
        let resolved = self.arguments(site, primitive.name, &signature, arguments, scope);
        Ok(match self.arguments_of(site, resolved) {
            Ok(arguments) => Expr::new(site, Kind::Apply(primitive, arguments)),
            Err(values) => values,
        })
    }

    /// `reorder(stridedIndex(s), xs)`: reading with stride s is transposing rows of s.
    fn strided(
        &mut self,
        site: Site,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Option<Result<Expr, Reported>> {
        let [function, xs] = arguments else { return None };
        let ExprKind::Call(callee, sizes) = &function.kind else { return None };
        match (&callee.kind, &sizes[..]) {
            (ExprKind::Name(name), [stride]) if name == "stridedIndex" => {
                let (stride, xs) = (self.size(stride, scope), self.expr(xs, scope));
                self.marks.names.insert(site, "stridedIndex");
                Some(stride.map(|stride| {
                    let mut b = Builder { site, fresh: &mut self.fresh };
                    let rows = b.split(stride, xs);
                    let columns = b.one("transpose", rows);
                    b.one("join", columns)
                }))
            }
            _ => None,
        }
    }

    fn arguments(
        &mut self,
        site: Site,
        name: &str,
        signature: &Signature,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Vec<Result<Argument, Reported>> {
        let mut resolved = vec![];
        for (wanted, argument) in signature.arguments.iter().zip(arguments) {
            resolved.push(match wanted {
                signature::Argument::Size(_) => self.size(argument, scope).map(Argument::Size),
                signature::Argument::Value(_) | signature::Argument::Fill(_) => {
                    Ok(Argument::Value(self.expr(argument, scope)))
                }
                signature::Argument::Function(params, _) => {
                    self.function_argument(name, argument, params.len(), scope).map(Argument::Function)
                }
                signature::Argument::Index(..) => self
                    .index_function(argument, scope, |r, body, scope| {
                        r.marks.indices.insert(site, body.site);
                        r.size(body, scope)
                    })
                    .map(|(v, n)| Argument::Index(v, n)),
                signature::Argument::Generator(..) => self
                    .index_function(argument, scope, |r, body, scope| Ok(r.expr(body, scope)))
                    .map(|(v, e)| Argument::Generator(v, e)),
            });
        }
        resolved
    }

    fn form(
        &mut self,
        site: Site,
        form: &'static Form,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        let mut wanted = form.arguments.to_vec();
        if form.variadic {
            wanted.resize(arguments.len().max(wanted.len()), Wanted::Value);
        }
        self.count(site, form.name, arguments.len(), wanted.len(), Some(form.signature))?;
        let functions: Vec<bool> = wanted.iter().map(|w| matches!(w, Wanted::Function(_))).collect();
        self.function_misplaced(form.name, &functions, arguments, scope)?;
        let mut resolved: Vec<Result<Argument, Reported>> = vec![];
        for (wanted, argument) in wanted.iter().zip(arguments) {
            match wanted {
                Wanted::Size => resolved.push(self.size(argument, scope).map(Argument::Size)),
                Wanted::Value => resolved.push(Ok(Argument::Value(self.expr(argument, scope)))),
                Wanted::Function(arity) => {
                    resolved.push(
                        self.function_argument(form.name, argument, *arity, scope).map(Argument::Function),
                    );
                }
                Wanted::Sizes(count) => match &argument.kind {
                    ExprKind::Tuple(parts) if parts.len() == *count => {
                        resolved.extend(parts.iter().map(|p| self.size(p, scope).map(Argument::Size)));
                    }
                    kind => {
                        let message = format!("`{}` takes {count} sizes in parentheses here", form.name);
                        let mut diagnostic = Diagnostic::new(argument.site, message).note(form.signature);
                        let one = match kind {
                            ExprKind::Int(n, None) => Some(n.to_string()),
                            ExprKind::Name(name) => Some(name.clone()),
                            _ => None,
                        };
                        if let Some(one) = one {
                            diagnostic =
                                diagnostic.help(format!("write `({})`", vec![one; *count].join(", ")));
                        }
                        resolved.push(self.report(diagnostic));
                    }
                },
            }
        }
        self.marks.forms.insert(site, form);
        Ok(match self.arguments_of(site, resolved) {
            Ok(arguments) => (form.expand)(&mut Builder { site, fresh: &mut self.fresh }, &arguments),
            Err(values) => values,
        })
    }

    /// `xs.map(f)` and `map(xs, f)`: one mistake, not one for each argument.
    fn function_misplaced(
        &mut self,
        name: &str,
        wants: &[bool],
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<(), Reported> {
        let mut pairs = wants.iter().zip(arguments);
        let missing = pairs.clone().find(|(wanted, e)| **wanted && !self.is_function(e, scope));
        let lambda = |e: &syntax::Expr| matches!(e.kind, ExprKind::Lambda(..));
        let elsewhere = pairs.find(|(wanted, e)| !**wanted && lambda(e));
        let (Some(_), Some((_, function)), Some(first)) =
            (missing, elsewhere, wants.iter().position(|wanted| *wanted))
        else {
            return Ok(());
        };
        let place = ["first", "second", "third"].get(first).copied().unwrap_or("last");
        let message = format!("`{name}` takes its function as the {place} argument");
        let example = wants.iter().zip(["a", "xs", "ys"]).map(|(f, x)| if *f { "|x| …" } else { x });
        let help = format!("it is called like this: `{name}({})`", example.collect::<Vec<_>>().join(", "));
        self.report(Diagnostic::new(function.site, message).help(help))
    }

    /// A lambda, or the name of anything that can be called.
    fn function_argument(
        &mut self,
        taker: &str,
        e: &syntax::Expr,
        arity: usize,
        scope: &Scope,
    ) -> Result<Lambda, Reported> {
        match &e.kind {
            ExprKind::Lambda(params, body) => {
                self.lambda_arity(taker, params, arity, e.site)?;
                self.lambda(params, body, scope, e.site)
            }
            ExprKind::Call(callee, arguments) if is_vectorize(callee) => {
                self.vectorized(e.site, arguments, arity, scope)
            }
            ExprKind::Name(name) if name != VECTORIZE => match scope.get(name).cloned() {
                Some(Binding::Function(function)) => {
                    let (function, definition) = &*function;
                    if let ExprKind::Lambda(params, _) = &function.kind {
                        self.lambda_arity(taker, params, arity, e.site)?;
                    }
                    let lambda =
                        self.deeper(e.site, |r| r.function_argument(taker, function, arity, definition))?;
                    Ok(Lambda { site: e.site, ..lambda })
                }
                Some(Binding::Poison) => Err(Reported),
                Some(_) => {
                    self.error(e.site, format!("`{taker}` needs a function here, but `{name}` is a value"))
                }
                None => self.named_function((name, None), e.site, arity, scope),
            },
            ExprKind::Sized(name, given) if self.is_function(e, scope) => {
                self.named_function((name, Some(given)), e.site, arity, scope)
            }
            _ => {
                let example = if arity == 1 { "|x| …" } else { "|a, x| …" };
                let message = format!("`{taker}` needs a function here");
                self.report(
                    Diagnostic::new(e.site, message)
                        .help(format!("a function is written `{example}`, or named")),
                )
            }
        }
    }

    /// `vectorize(v, f)`: f, whose parameters are vectors of width v.
    fn vectorized(
        &mut self,
        site: Site,
        arguments: &[syntax::Expr],
        arity: usize,
        scope: &Scope,
    ) -> Result<Lambda, Reported> {
        self.count(site, VECTORIZE, arguments.len(), 2, Some(VECTORIZE_TYPE))?;
        let width = self.size(&arguments[0], scope);
        let lambda = self.function_argument(VECTORIZE, &arguments[1], arity, scope)?;
        let width = width?;
        self.marks.names.insert(site, VECTORIZE);
        let (mut params, mut body) = (vec![], lambda.body);
        for pattern in lambda.params {
            let local = match &pattern {
                Pattern::Local(local) => self.local(&local.name),
                _ => self.local("x"),
            };
            let operand = Expr::new(site, Kind::Local(local.clone()));
            let vector = vec![Argument::Size(width.clone()), Argument::Value(operand)];
            let vector = Expr::new(site, Kind::Apply(Primitive::known(WIDTH), vector));
            body = Expr::new(site, Kind::Let(pattern, vector, body));
            params.push(Pattern::Local(local));
        }
        Ok(Lambda { site, params, body })
    }

    /// Is this a function, rather than a value? A function that a `let` binds is substituted where it is used.
    pub fn is_function(&self, e: &syntax::Expr, scope: &Scope) -> bool {
        match &e.kind {
            ExprKind::Lambda(..) => true,
            ExprKind::Call(callee, _) => is_vectorize(callee),
            ExprKind::Name(name) | ExprKind::Sized(name, _) => match scope.get(name) {
                Some(binding) => matches!(binding, Binding::Function(_)),
                None => self.names_function(name),
            },
            _ => false,
        }
    }

    /// Does this name stand for a function wherever it is not bound to something else?
    pub fn names_function(&self, name: &str) -> bool {
        self.size_named(name).is_none()
            && (self.in_block(name)
                || Form::named(name).is_some()
                || Op::function(name).is_some()
                || Primitive::named(name).is_some())
    }

    fn lambda_arity(
        &mut self,
        taker: &str,
        params: &[syntax::Pattern],
        arity: usize,
        site: Site,
    ) -> Result<(), Reported> {
        if params.len() == arity {
            return Ok(());
        }
        let plural = if arity == 1 { "" } else { "s" };
        let message = format!(
            "`{taker}` needs a function of {arity} parameter{plural}, but this one has {}",
            params.len()
        );
        let (Some(first), Some(last)) = (params.first(), params.last()) else {
            return self.error(site, message);
        };
        let mut diagnostic = Diagnostic::new(first.site, message).until(last.site);
        let names =
            |params: &[syntax::Pattern]| params.iter().map(pattern_text).collect::<Vec<_>>().join(", ");
        match (arity, params) {
            (1, [_, _, ..]) => {
                diagnostic = diagnostic.help(format!("write `({})` to take a tuple apart", names(params)));
            }
            (2, [syntax::Pattern { kind: PatternKind::Tuple(parts), .. }]) if parts.len() == 2 => {
                diagnostic = diagnostic.help(format!("write `{}`", names(parts)));
            }
            _ => {}
        }
        self.report(diagnostic)
    }

    /// `map(transpose, xs)`: the name of a function stands for a lambda that calls it.
    fn named_function(
        &mut self,
        name: (&str, Option<&GivenSizes>),
        site: Site,
        arity: usize,
        scope: &Scope,
    ) -> Result<Lambda, Reported> {
        let mut inner = scope.clone();
        let mut params = vec![];
        let mut arguments = vec![];
        for i in 0..arity {
            // No user's name has a space in it.
            let text = format!("argument {i}");
            let local = self.local(if i + 1 == arity { "x" } else { "acc" });
            inner = inner.with(&text, Binding::Local(local.clone()));
            params.push(Pattern::Local(local));
            arguments.push(syntax::Expr { site, kind: ExprKind::Name(text) });
        }
        let body = self.call_name(site, site, name, &arguments, &inner)?;
        Ok(Lambda { site, params, body })
    }

    fn index_function<R>(
        &mut self,
        e: &syntax::Expr,
        scope: &Scope,
        resolve: impl FnOnce(&mut Self, &syntax::Expr, &Scope) -> Result<R, Reported>,
    ) -> Result<(Var, R), Reported> {
        let lambda = match &e.kind {
            ExprKind::Lambda(params, body) => Some((params.clone(), (**body).clone(), scope.clone())),
            ExprKind::Name(name) => match scope.get(name) {
                Some(Binding::Function(function)) => match &function.0.kind {
                    ExprKind::Lambda(params, body) => {
                        Some((params.clone(), (**body).clone(), function.1.clone()))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let Some((params, body, definition)) = lambda else {
            return self.error(e.site, "a function of an index is needed here: `|i| …`");
        };
        let [param] = &params[..] else {
            return self.error(
                e.site,
                format!("a function of 1 index is needed here, but this one has {} parameters", params.len()),
            );
        };
        if let Some(ty) = param.ty.as_ref().filter(|_| !param.is_size()) {
            let message = "an index is a size: convert it to another type with `as`";
            return self.report(Diagnostic::new(ty.site, message).help("leave the type out"));
        }
        self.fresh += 1;
        let (name, inner_name) = match &param.kind {
            PatternKind::Name(name) => (name.clone(), name.clone()),
            PatternKind::Wild => ("i".to_string(), "no name".to_string()),
            PatternKind::Tuple(_) => return self.error(param.site, "an index is one number, not a tuple"),
        };
        let var = Var::index(&name, self.fresh);
        let inner = definition.with(&inner_name, Binding::Index(var.clone()));
        Ok((var, resolve(self, &body, &inner)?))
    }

    /// Calls a function: its parameters become `let`s.
    fn call_function(
        &mut self,
        site: Site,
        function: &syntax::Expr,
        definition: &Scope,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        let name = match &function.kind {
            ExprKind::Lambda(params, _) => {
                self.count(site, THIS_FUNCTION, arguments.len(), params.len(), None)?;
                "this"
            }
            ExprKind::Name(name) => {
                return self.call_name(site, function.site, (name, None), arguments, scope);
            }
            ExprKind::Sized(name, given) => {
                return self.call_name(site, function.site, (name, Some(given)), arguments, scope);
            }
            _ => VECTORIZE,
        };
        if let ExprKind::Lambda(params, body) = &function.kind
            && params.iter().any(syntax::Pattern::is_size)
        {
            return self.call_with_sizes(site, (params, body, function.site), definition, arguments, scope);
        }
        let values = self.exprs(arguments, scope);
        let lambda = self.deeper(site, |r| r.function_argument(name, function, values.len(), definition))?;
        let bind =
            |body: Expr, (pattern, value): (Pattern, Expr)| Expr::new(site, Kind::Let(pattern, value, body));
        Ok(lambda.params.into_iter().zip(values).rev().fold(lambda.body, bind))
    }

    /// Calls a lambda some of whose parameters are sizes: `|i: usize, x| …`.
    fn call_with_sizes(
        &mut self,
        site: Site,
        (params, body, written): (&[syntax::Pattern], &syntax::Expr, Site),
        definition: &Scope,
        arguments: &[syntax::Expr],
        scope: &Scope,
    ) -> Result<Expr, Reported> {
        let (mut inner, mut patterns, mut values) = (definition.clone(), vec![], vec![]);
        for (param, argument) in params.iter().zip(arguments) {
            if !param.is_size() {
                patterns.push(param.clone());
                values.push(self.expr(argument, scope));
                continue;
            }
            let size = self.size(argument, scope);
            if let PatternKind::Name(name) = &param.kind {
                inner = inner.with(name, size.map_or(Binding::Poison, Binding::Size));
            }
        }
        let lambda = self.deeper(site, |r| r.lambda(&patterns, body, &inner, written))?;
        let bind =
            |body: Expr, (pattern, value): (Pattern, Expr)| Expr::new(site, Kind::Let(pattern, value, body));
        Ok(lambda.params.into_iter().zip(values).rev().fold(lambda.body, bind))
    }

    /// The arguments; if one of them is wrong, what can be checked of the others.
    fn arguments_of(
        &mut self,
        site: Site,
        resolved: Vec<Result<Argument, Reported>>,
    ) -> Result<Vec<Argument>, Expr> {
        if resolved.iter().all(Result::is_ok) {
            return Ok(resolved.into_iter().flatten().collect());
        }
        let values = resolved.into_iter().flatten().filter_map(|argument| match argument {
            Argument::Value(value) => Some(value),
            _ => None,
        });
        Err(Expr::new(site, Kind::Tuple(values.chain([self.lost(site)]).collect())))
    }

    fn deeper<R>(
        &mut self,
        site: Site,
        f: impl FnOnce(&mut Self) -> Result<R, Reported>,
    ) -> Result<R, Reported> {
        if self.depth >= DEEPEST || self.fresh >= MOST_VARIABLES {
            let message =
                "functions bound by `let` are copied to where they are used: here that makes too many copies";
            return if std::mem::replace(&mut self.exhausted, true) {
                Err(Reported)
            } else {
                self.error(site, message)
            };
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}

fn is_vectorize(callee: &syntax::Expr) -> bool {
    matches!(&callee.kind, ExprKind::Name(name) if name == VECTORIZE)
}

fn pattern_text(p: &syntax::Pattern) -> String {
    match &p.kind {
        PatternKind::Name(name) => name.clone(),
        PatternKind::Wild => "_".into(),
        PatternKind::Tuple(parts) => {
            format!("({})", parts.iter().map(pattern_text).collect::<Vec<_>>().join(", "))
        }
    }
}
