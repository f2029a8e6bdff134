//! Interchange: which loop is inside which.

use super::Rule;
use super::build::{as_map, as_reduce, bind, lambda, map, mentions, one, parts, plural, reduce, tuple, zip};
use crate::expr::{Expr, Kind, Lambda, Pattern};

pub static MAP_MAP: Rule = Rule {
    name: "mapMap",
    equation: "map(|x| map(|y| f(x, y), ys), xs) = transpose(map(|y| map(|x| f(x, y), xs), ys))",
    source: "GPGPU'20 §4.2",
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

pub static MAP_MAP_ROWS: Rule = Rule {
    name: "mapMapRows",
    equation: "map(|x| map(|(y, z)| f(x, y, z), zip(g(x), zs)), xs)\n\
               = transpose(map(|(ys, z)| map(|(x, y)| f(x, y, z), zip(xs, ys)),\n\
               \x20              zip(transpose(map(g, xs)), zs)))",
    source: "GPGPU'20 §4.2",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, xs) = as_map(e)?;
        let (inner, ys) = as_map(&outer.body)?;
        let x = &outer.params[0];
        if !mentions(ys, x) {
            return None;
        }
        let (mut params, mut arrays, mut names, mut columns) = (vec![], vec![], vec![], vec![]);
        if mentions(&inner.body, x) {
            names.push(x.clone());
            columns.push(xs.clone());
        }
        for (pattern, array) in parts(&inner.params[0], ys) {
            if !mentions(array, x) {
                params.push(pattern.clone());
                arrays.push(array.clone());
                continue;
            }
            let (column, value) = context.variable(&plural(pattern));
            params.push(column);
            arrays.push(turned(outer, array, xs)?);
            names.push(pattern.clone());
            columns.push(value);
        }
        let rows = map(lambda(vec![tuple(names)], inner.body.clone()), zip(columns)?)?;
        one("transpose", &[], map(lambda(vec![tuple(params)], rows), zip(arrays)?)?)
    },
};

/// `transpose(map(|x| array, xs))`
fn turned(outer: &Lambda, array: &Expr, xs: &Expr) -> Option<Expr> {
    one("transpose", &[], map(lambda(outer.params.clone(), array.clone()), xs.clone())?)
}

/// Many reductions side by side as one of many running values: what they read in common is read
/// once for all.
pub static MAP_REDUCE: Rule = Rule {
    name: "mapReduce",
    equation: "map(|x| reduce(z(x), |acc, (r, s)| f(acc, r, s, x), zip(rs, g(x))), xs)\n\
               = reduce(map(z, xs), |accs, (r, ss)| map(|(acc, x, s)| f(acc, r, s, x), zip(accs, xs, ss)),\n\
               \x20        zip(rs, transpose(map(g, xs))))",
    source: "GPGPU'20 §4.2 (register reuse)",
    sizes: &[],
    inside: false,
    apply: |context, e, _| {
        let (outer, xs) = as_map(e)?;
        let (z, f, rs) = as_reduce(&outer.body)?;
        let x = &outer.params[0];
        let (accs, running) = context.variable("accs");
        let (mut params, mut arrays) = (vec![], vec![]);
        let (mut names, mut columns) = (vec![f.params[0].clone()], vec![running]);
        if mentions(&f.body, x) {
            names.push(x.clone());
            columns.push(xs.clone());
        }
        for (pattern, array) in parts(&f.params[1], rs) {
            if !mentions(array, x) {
                params.push(pattern.clone());
                arrays.push(array.clone());
                continue;
            }
            let (column, value) = context.variable(&plural(pattern));
            params.push(column);
            arrays.push(turned(outer, array, xs)?);
            names.push(pattern.clone());
            columns.push(value);
        }
        let starts = map(lambda(outer.params.clone(), z.clone()), xs.clone())?;
        let step = map(lambda(vec![tuple(names)], f.body.clone()), zip(columns)?)?;
        reduce(starts, lambda(vec![accs, tuple(params)], step), zip(arrays)?)
    },
};

pub static MAP_JOIN: Rule = Rule {
    name: "mapJoin",
    equation: "map(|x| map(|y| f(x, y), g(x)), xs)\n\
               = split(m, map(|(x, y)| f(x, y), join(map(|x| map(|y| (x, y), g(x)), xs)))) for rows of m",
    source: "CC'22 §4.2",
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
