//! Sums most of whose terms are zeros, as where zeros were put between elements: the others are found from their
//! positions modulo a stride, their phases.

use super::build::{
    apply, as_map, as_reduce, lambda, map, map_read, mentions, movable, one, parts, plural, rearranges,
    reduce, tuple, untyped, zip,
};
use super::operators::sum;
use super::{Context, Rule};
use crate::expr::{Argument, Child, Expr, Kind, Lambda, Literal, Local, Path, Pattern};
use crate::nat::{Maker, Nat, Var};
use crate::origin::{Access, Origins, Zeros};
use crate::scalar::{Op, Value};
use crate::types::Type;

/// All of this topic.
pub(super) static RULES: &[&Rule] = &[&MAP_PHASES];

/// Of sums side by side each leaves out its zeros.
pub static MAP_PHASES: Rule = Rule {
    name: "mapPhases",
    equation: "map(|x| h(x, reduce(z(x), f, zip(g(x), ys))), xs)\n\
               = map(|(x, as, bs)| h(x, reduce(z(x), f, zip(as, bs))), zip(xs, phases(map(g, xs)), phases(repeat(n, ys))))\n\
               for n elements of xs, where f(acc, (0, y)) = acc, and term j of g(xs[i]) is 0 unless (i + j) % n = c,\n\
               and phases = |rows| take(n, reorder(|k| k % n * n + (c + k / n + (n - 1) * k) % n,\n\
               \x20        join(map(|row| transpose(split(n, pad(0, (n - m % n) % n, 0, row))), rows)))) for rows of m",
    source: "Dumoulin and Visin 2016, \"A guide to convolution arithmetic for deep learning\", section 4 (zeros between the \
             elements of a transposed convolution)",
    sizes: &[],
    inside: true,
    apply: |context, e, arguments| {
        let (outer, xs) = as_map(e)?;
        let sums = outer.body.at(&arguments.inside)?;
        let (z, f, rs) = as_reduce(sums)?;
        let n = context.ty(xs)?.as_array()?.1.as_constant().filter(|n| *n > 1)?;
        let m = context.ty(rs)?.as_array()?.1.clone();
        let all = parts(&f.params[1], rs);
        let sparse =
            all.iter().filter_map(|(pattern, array)| Some((pattern, of_zeros(context, n, outer, array)?)));
        let (pattern, c) = sparse.into_iter().next()?;
        let zeros: Vec<Local> = pattern.locals().into_iter().cloned().collect();
        if !adds_nothing(f, context.strict, context.ty(sums)?, &zeros) {
            return None;
        }
        let phases = Phases { n: Nat::constant(n), c, length: m };
        let (mut names, mut rows) = (vec![outer.params[0].clone()], vec![xs.clone()]);
        let mut terms = vec![];
        for (k, (pattern, array)) in all.iter().enumerate() {
            movable(&outer.body, &arguments.inside.then(&operand(sums, k, all.len())?))?;
            let (row, value) = context.variable(&plural(pattern));
            let groups = phases.groups(context, (*array).clone())?;
            let of_phases = match mentions(array, &outer.params[0]) {
                true => map_read(&parts(&outer.params[0], xs), &groups)?,
                false => one("repeat", &[&phases.n], groups)?,
            };
            names.push(row);
            rows.push(phases.chosen(context, of_phases)?);
            terms.push(value);
        }
        let counted = reduce(z.clone(), f.clone(), zip(terms)?)?;
        let body = outer.body.replaced(&arguments.inside, &counted);
        if !mentions(&body, &outer.params[0]) {
            names.remove(0);
            rows.remove(0);
        }
        map(lambda(vec![tuple(names)], body), zip(rows)?)
    },
};

/// The path from a reduction to one of the arrays that it goes over.
fn operand(e: &Expr, k: usize, all: usize) -> Option<Path> {
    if all == 1 { e.path(&[Child::Array]) } else { e.path(&[Child::Array, Child::Part(k)]) }
}

/// The `c` for which term `j` of this array of phase `i` is 0 unless `(i + j) % n = c`, if there is one.
fn of_zeros(context: &Context, n: i64, outer: &Lambda, array: &Expr) -> Option<i64> {
    let typed = (context.typed)()?;
    let [term, row, inner] =
        [("term", 0), ("row", 1), ("inner", 2)].map(|(name, k)| Var::made(Maker::Comparison, name, k));
    let (lengths, _) = typed.ty(array.id)?.shape();
    let index = Nat::var(&row) * Nat::constant(n) + Nat::var(&term);
    let further = lengths.iter().skip(1).map(|_| Nat::var(&inner));
    let path: Vec<Access> = [index].into_iter().chain(further).map(Access::Element).collect();
    let array = context.function.body.at(&context.function.body.first(&|e| e.id == array.id)?)?;
    let zeros = Origins::new(context.function, typed).zeros(array, &path)?;
    let phase = Origins::element(&outer.params[0])?;
    counting(&zeros, n, &|v, i, j| {
        [(&phase, i), (&term, j)].into_iter().find(|(name, _)| v == *name).map(|(_, k)| Nat::constant(k))
    })
}

/// The `c` for which term `j` of result `i` is certainly one of these zeros unless `(i + j) % n = c`, if there is one: given what
/// variables are for `i` and `j`.
pub(crate) fn counting(
    zeros: &[Zeros],
    n: i64,
    value: &dyn Fn(&Var, i64, i64) -> Option<Nat>,
) -> Option<i64> {
    let is_zero = |i: i64, j: i64| {
        let at = |index: &Nat| index.substitute(&|v| value(v, i, j));
        zeros.iter().any(|padding| padding.certain(&at))
    };
    let c = (0..n).find(|j| !is_zero(0, *j))?;
    let counts = |i: i64, j: i64| (i + j - c).rem_euclid(n) == 0;
    (0..n).all(|i| (0..n).all(|j| counts(i, j) || is_zero(i, j))).then_some(c)
}

/// The terms that count in each of `n` phases: `j` in `i` where `(i + j) % n = c`.
struct Phases {
    n: Nat,
    c: i64,
    /// The number of all terms.
    length: Nat,
}

impl Phases {
    /// The terms of a row in groups: those with the same place in groups of `n`.
    fn groups(&self, context: &Context, row: Expr) -> Option<Expr> {
        let rest = (&self.n - &self.length.rem(&self.n)).rem(&self.n);
        let padded = if rest.as_constant() == Some(0) {
            row
        } else {
            let scalar = context.ty(&row)?.shape().1.as_scalar()?;
            let zero = row.with(Kind::Literal(Literal::Exact(Value::from_f64(0.0, scalar))));
            let sizes = [Nat::constant(0), rest].map(Argument::Size);
            let values = [zero, row.clone()].map(Argument::Value);
            apply("pad", sizes.into_iter().chain(values).collect(), &row)?
        };
        one("transpose", &[], one("split", &[&self.n], padded)?)
    }

    /// Of the groups of each phase the one that counts.
    fn chosen(&self, context: &mut Context, rows: Expr) -> Option<Expr> {
        let (n, c) = (&self.n, Nat::constant(self.c));
        context.fresh += 1;
        let index = Var::index("k", context.fresh);
        let k = Nat::var(&index);
        let place = (c + k.div(n) + (n - 1) * &k).rem(n);
        let from = k.rem(n) * n + place;
        let joined = one("join", &[], rows)?;
        let at = joined.clone();
        let all = apply("reorder", vec![Argument::Index(index, from), Argument::Value(joined)], &at)?;
        one("take", &[n], all)
    }
}

/// Does a sum stay the same where these variables are, or consist of, zeros?
fn adds_nothing(f: &Lambda, strict: bool, ty: &Type, zeros: &[Local]) -> bool {
    match as_reduce(&f.body) {
        Some((z, g, terms)) => {
            let goes_on =
                matches!((&*z.kind, untyped(&f.params[0])), (Kind::Local(a), Pattern::Local(b)) if a == b);
            let zeros: Vec<Local> = parts(&g.params[1], terms)
                .into_iter()
                .filter(|(_, array)| is_zeros(array, zeros))
                .flat_map(|(pattern, _)| pattern.locals().into_iter().cloned())
                .collect();
            goes_on && adds_nothing(g, strict, ty, &zeros)
        }
        None => sum(f, strict, ty).is_some_and(|(op, term)| op == Op::Add && vanishes(&term, zeros)),
    }
}

/// Is this made of zeros by moving them alone?
fn is_zeros(array: &Expr, zeros: &[Local]) -> bool {
    let (mut read, mut elements) = (vec![], vec![]);
    array.visit(&mut |e| match &*e.kind {
        Kind::Local(local) => read.push(local.clone()),
        Kind::Apply(_, arguments) => {
            let functions = arguments.iter().filter_map(|argument| match argument {
                Argument::Function(f) => Some(f),
                _ => None,
            });
            elements.extend(functions.flat_map(|f| f.params.iter().flat_map(Pattern::locals)).cloned());
        }
        _ => {}
    });
    rearranges(array) && !read.is_empty() && read.iter().all(|l| zeros.contains(l) || elements.contains(l))
}

/// Is this a product with a zero?
fn vanishes(term: &Expr, zeros: &[Local]) -> bool {
    match &*term.kind {
        Kind::Local(local) => zeros.contains(local),
        Kind::Typed(inner, _) | Kind::Cast(inner, _) => vanishes(inner, zeros),
        Kind::Op(Op::Mul, operands) => operands.iter().any(|e| vanishes(e, zeros)),
        _ => false,
    }
}
