//! Interchange: which loop is inside which.

use super::build::{
    as_map, as_reduce, as_scan, bind, flat_parts, lambda, map, map_read, mentions, one, parts, plural,
    reduce, scan, tuple, untyped, zip,
};
use super::{Context, Rule};
use crate::expr::{Argument, Expr, Kind, Lambda, Pattern};
use crate::primitives::Form;
use crate::types::Type;

/// All of this topic.
pub(super) static RULES: &[&Rule] =
    &[&MAP_MAP, &MAP_MAP_ROWS, &MAP_PAD, &MAP_REDUCE, &REDUCE_MAP, &MAP_SCAN, &MAP_JOIN];

/// Two nested maps change places, where the inner array does not depend on the outer element.
pub static MAP_MAP: Rule = Rule {
    name: "mapMap",
    equation: "map(|x| map(|y| f(x, y), ys), xs) = transpose(map(|y| map(|x| f(x, y), xs), ys))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |_, e, _| {
        let (outer, xs) = as_map(e)?;
        let (inner, ys) = as_map(&outer.body)?;
        if mentions(ys, &outer.params[0]) {
            return None;
        }
        let rows = map(lambda(outer.params.clone(), inner.body.clone()), xs.clone())?;
        one("transpose", &[], map(lambda(inner.params.clone(), rows), ys.clone())?)
    },
};

/// Two nested maps change places, where the inner array depends on the outer element.
pub static MAP_MAP_ROWS: Rule = Rule {
    name: "mapMapRows",
    equation: "map(|x| map(|(y, z)| f(x, y, z), zip(g(x), zs)), xs)\n\
               = transpose(map(|(ys, z)| map(|(x, y)| f(x, y, z), zip(xs, ys)),\n\
               \x20              zip(transpose(map(g, xs)), zs)))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, xs) = as_map(e)?;
        let (inner, ys) = as_map(&outer.body)?;
        if !mentions(ys, &outer.params[0]) {
            return None;
        }
        let mut turned = Turned::default();
        turned.around(outer, xs, &inner.body);
        turned.each(context, outer, xs, flat_parts(&inner.params[0], ys))?;
        let rows = map(lambda(vec![tuple(turned.names)], inner.body.clone()), zip(turned.columns)?)?;
        one("transpose", &[], map(lambda(vec![tuple(turned.params)], rows), zip(turned.arrays)?)?)
    },
};

/// Rows that get a border alike are an array whose columns get it, so that it can be written apart from what computes rows.
pub static MAP_PAD: Rule = Rule {
    name: "mapPad",
    equation: "map(|x| pad(l, r, v, f(x)), xs) = transpose(pad(l, r, v, transpose(map(f, xs)))) for a scalar v",
    source: "Hashemi 2019 (the output has the border that the next layer reads)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (f, xs) = as_map(e)?;
        let Kind::Apply(p, arguments) = &*f.body.kind else { return None };
        let (Form::Pad, [amounts @ .., Argument::Value(fill), Argument::Value(row)]) =
            (&p.form, &arguments[..])
        else {
            return None;
        };
        let is_scalar = matches!(context.ty(fill)?, Type::Scalar(_));
        if !is_scalar || mentions(fill, &f.params[0]) {
            return None;
        }
        let rows = map_read(&parts(&f.params[0], xs), row)?;
        let columns = [Argument::Value(fill.clone()), Argument::Value(one("transpose", &[], rows)?)];
        let padded = f.body.with(Kind::Apply(*p, [amounts, &columns].concat()));
        one("transpose", &[], padded)
    },
};

/// The arrays of two loops that have changed places.
#[derive(Default)]
struct Turned {
    /// The arrays of the new outer loop: arrays that depend on the old outer element, transposed.
    params: Vec<Pattern>,
    arrays: Vec<Expr>,
    /// The arrays of the new inner loop: the array of the old outer loop, and elements of the transposed arrays.
    names: Vec<Pattern>,
    columns: Vec<Expr>,
}

impl Turned {
    /// The old outer loop's own arrays, as far as the body reads their elements.
    fn around(&mut self, outer: &Lambda, xs: &Expr, body: &Expr) {
        for (pattern, array) in flat_parts(&outer.params[0], xs) {
            if mentions(body, pattern) {
                self.names.push(pattern.clone());
                self.columns.push(array.clone());
            }
        }
    }

    /// The arrays of the old inner loop.
    fn each(
        &mut self,
        context: &mut Context,
        outer: &Lambda,
        xs: &Expr,
        inner: Vec<(&Pattern, &Expr)>,
    ) -> Option<()> {
        for (pattern, array) in inner {
            if !mentions(array, &outer.params[0]) {
                self.params.push(pattern.clone());
                self.arrays.push(array.clone());
                continue;
            }
            let (column, value) = context.variable(&plural(pattern));
            self.params.push(column);
            let rows = map_read(&flat_parts(&outer.params[0], xs), array)?;
            self.arrays.push(one("transpose", &[], rows)?);
            self.names.push(pattern.clone());
            self.columns.push(value);
        }
        Some(())
    }
}

/// Many reductions side by side become one with many running values: an array that they all read is then read once.
pub static MAP_REDUCE: Rule = Rule {
    name: "mapReduce",
    equation: "map(|x| reduce(z(x), |acc, (r, s)| f(acc, r, s, x), zip(rs, g(x))), xs)\n\
               = reduce(map(z, xs), |accs, (r, ss)| map(|(acc, x, s)| f(acc, r, s, x), zip(accs, xs, ss)),\n\
               \x20        zip(rs, transpose(map(g, xs))))",
    source: "GPGPU'20 §4.2.2 (one chunk of the input for all kernels of a group)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, xs) = as_map(e)?;
        let (starts, step, rows) = side_by_side(context, outer, xs, as_reduce(&outer.body)?)?;
        reduce(starts, step, rows)
    },
};

/// A reduction whose running value is an array of running values becomes a reduction for each of them.
pub static REDUCE_MAP: Rule = Rule {
    name: "reduceMap",
    equation: "reduce(zs, |accs, r| map(|(acc, x, y)| f(acc, r, x, y), zip(accs, xs, g(r))), rs)\n\
               = map(|(z, x, ys)| reduce(z, |acc, (r, y)| f(acc, r, x, y), zip(rs, ys)),\n\
               \x20     zip(zs, xs, transpose(map(g, rs))))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (zs, f, rs) = as_reduce(e)?;
        let Pattern::Local(accs) = untyped(&f.params[0]) else { return None };
        let (step, arrays) = as_map(&f.body)?;
        if step.body.uses(accs) > 0 {
            return None;
        }
        let terms = parts(&f.params[1], rs);
        let (z, start) = context.variable("z");
        let (mut outer, mut beside) = (vec![z], vec![zs.clone()]);
        let mut inner: Vec<(Pattern, Expr)> = terms
            .iter()
            .filter(|(pattern, _)| mentions(&step.body, pattern))
            .map(|(pattern, xs)| ((*pattern).clone(), (*xs).clone()))
            .collect();
        let mut running = None;
        for (pattern, array) in parts(&step.params[0], arrays) {
            if matches!(&*array.kind, Kind::Local(local) if local == accs) {
                // Twice the same running value has one name only.
                if running.replace(pattern.clone()).is_some() {
                    return None;
                }
            } else if array.uses(accs) > 0 {
                return None;
            } else if mentions(array, &f.params[1]) {
                let (column, value) = context.variable(&plural(pattern));
                outer.push(column);
                beside.push(one("transpose", &[], map_read(&terms, array)?)?);
                inner.push((pattern.clone(), value));
            } else {
                outer.push(pattern.clone());
                beside.push(array.clone());
            }
        }
        // Terms that the step does not look at still count.
        if inner.is_empty() {
            inner.push((Pattern::Wild, rs.clone()));
        }
        let (patterns, values): (Vec<_>, Vec<_>) = inner.into_iter().unzip();
        let each = reduce(start, lambda(vec![running?, tuple(patterns)], step.body.clone()), zip(values)?)?;
        map(lambda(vec![tuple(outer)], each), zip(beside)?)
    },
};

/// Many scans side by side become one with many running values, which do not wait for each other.
pub static MAP_SCAN: Rule = Rule {
    name: "mapScan",
    equation: "map(|x| scan(z(x), |acc, s| f(acc, s, x), g(x)), xs)\n\
               = transpose(scan(map(z, xs), |accs, ss| map(|(acc, x, s)| f(acc, s, x), zip(accs, xs, ss)),\n\
               \x20                transpose(map(g, xs))))",
    source: "",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, xs) = as_map(e)?;
        let (starts, step, rows) = side_by_side(context, outer, xs, as_scan(&outer.body)?)?;
        one("transpose", &[], scan(starts, step, rows)?)
    },
};

/// Of reductions or scans in the function of a map over `xs`, the start, function and array of the one that does them all.
fn side_by_side(
    context: &mut Context,
    outer: &Lambda,
    xs: &Expr,
    (z, f, rs): (&Expr, &Lambda, &Expr),
) -> Option<(Expr, Lambda, Expr)> {
    let (accs, running) = context.variable("accs");
    let mut turned = Turned { names: vec![f.params[0].clone()], columns: vec![running], ..Turned::default() };
    turned.around(outer, xs, &f.body);
    turned.each(context, outer, xs, flat_parts(&f.params[1], rs))?;
    let starts = map(lambda(outer.params.clone(), z.clone()), xs.clone())?;
    let step = map(lambda(vec![tuple(turned.names)], f.body.clone()), zip(turned.columns)?)?;
    Some((starts, lambda(vec![accs, tuple(turned.params)], step), zip(turned.arrays)?))
}

/// Nested maps become one map over all pairs of their elements.
pub static MAP_JOIN: Rule = Rule {
    name: "mapJoin",
    equation: "map(|x| map(|y| f(x, y), g(x)), xs)\n\
               = split(m, map(|(x, y)| f(x, y), join(map(|x| map(|y| (x, y), g(x)), xs)))) for rows of m",
    source: "CC'22 §4.1 (map fusion)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, xs) = as_map(e)?;
        let (inner, ys) = as_map(&outer.body)?;
        let (_, m) = context.ty(&outer.body)?.as_array()?;
        // The length may not depend on the outer element; it can't, or `e` had no type.
        let m = m.clone();
        let ((px, x), (py, y)) = (context.variable("x"), context.variable("y"));
        let (params, rows) = match mentions(&inner.body, &outer.params[0]) {
            true => {
                let pair = e.with(Kind::Tuple(vec![x.clone(), y]));
                let names = vec![Pattern::Tuple(vec![outer.params[0].clone(), inner.params[0].clone()])];
                let ys = bind(&outer.params[0], &x, ys);
                (names, map(lambda(vec![px], map(lambda(vec![py], pair), ys)?), xs.clone())?)
            }
            false => (inner.params.clone(), map(lambda(outer.params.clone(), ys.clone()), xs.clone())?),
        };
        one("split", &[&m], map(lambda(params, inner.body.clone()), one("join", &[], rows)?)?)
    },
};
