//! What the left sides of rewrite rules look like, with random parts: for rules that programs made of
//! single primitives hardly ever match.

use super::Generator;
use super::build::{self, binary, bound, call, expr, field, int, lambda, name, pattern};
use lift_core::nat::Nat;
use lift_core::scalar::Op;
use lift_core::syntax::{Binary, Expr, ExprKind, Let, PatternKind};
use lift_core::types::{Scalar, Type};

/// Makes an expression of one shape.
pub type Shape = fn(&mut Generator, usize) -> Option<(Expr, Type)>;

/// The shape for a rule of this name, if plain random programs don't do.
pub fn shape(rule: &str) -> Option<Shape> {
    SHAPES.iter().find(|(name, _)| *name == rule).map(|(_, shape)| *shape)
}

static SHAPES: &[(&str, Shape)] = &[
    ("beta", |g, depth| {
        let (a, b) = (g.any(depth), g.any(depth));
        let ty = Type::tuple(vec![a.1, b.1]);
        let value = expr(ExprKind::Tuple(vec![a.0, b.0]));
        let value = if g.random.bool() { value } else { bound("x0", value, name("x0")) };
        let outside = g.scope.len();
        let pattern = g.parameter(&ty);
        let (tail, result) = g.any(depth);
        g.scope.truncate(outside);
        let one = Let { ty: pattern.ty.clone(), pattern: untyped(pattern), value };
        Some((expr(ExprKind::Block(vec![one], Box::new(tail))), result))
    }),
    ("letOut", |g, depth| {
        let n = g.length();
        let named = g.array_over(&n, depth);
        let value = if g.random.bool() { g.reduced(named, depth) } else { named };
        let outside = g.scope.len();
        let only = Let { ty: None, pattern: g.parameter(&value.1), value: value.0 };
        let (tail, ty) = g.array_over(&n, depth);
        g.scope.truncate(outside);
        let mut all = vec![(expr(ExprKind::Block(vec![only], Box::new(tail))), ty)];
        if g.random.bool() {
            all.push(g.array_over(&n, depth));
            g.random.shuffle(&mut all);
        }
        let arrays = g.zip(all);
        Some(if g.random.bool() { g.mapped(arrays, depth) } else { g.reduced(arrays, depth) })
    }),
    ("mapSplit", |g, depth| {
        let (n, m) = (g.length(), g.length());
        let xs = g.array_over(&(&n * &m), depth);
        let Type::Array(element, _) = &xs.1 else { return None };
        let pieces = Type::array(Type::array((**element).clone(), m.clone()), n);
        let pieces = (call("split", vec![build::size(&m), xs.0]), pieces);
        let outside = g.scope.len();
        let piece = g.fresh();
        g.scope.push((piece.clone(), Type::array((**element).clone(), m.clone())));
        let (body, row) = g.mapped((name(&piece), Type::array((**element).clone(), m)), depth);
        g.scope.truncate(outside);
        let Type::Array(_, n) = &pieces.1 else { return None };
        let ty = Type::array(row, n.clone());
        Some((call("map", vec![lambda(vec![pattern(PatternKind::Name(piece))], body), pieces.0]), ty))
    }),
    ("mapFusion", |g, depth| {
        let xs = g.array(depth);
        let ys = g.mapped(xs, depth);
        Some(g.mapped(ys, depth))
    }),
    ("zipFusion", |g, depth| {
        let n = g.length();
        let xs = g.array_over(&n, depth);
        let mut all = vec![g.mapped(xs, depth), g.array_over(&n, depth)];
        if g.random.bool() {
            all.reverse();
        }
        let zipped = g.zip(all);
        Some(g.mapped(zipped, depth))
    }),
    ("zipOnce", |g, depth| {
        let n = g.length();
        let xs = g.array_over(&n, depth);
        let outside = g.scope.len();
        let only = Let { ty: None, pattern: g.parameter(&xs.1), value: xs.0 };
        let same = g.newest();
        let mut all = vec![same.clone(), same, g.array_over(&n, depth)];
        g.random.shuffle(&mut all);
        let zipped = g.zip(all);
        let (tail, ty) = if g.random.bool() { g.mapped(zipped, depth) } else { g.reduced(zipped, depth) };
        g.scope.truncate(outside);
        Some((expr(ExprKind::Block(vec![only], Box::new(tail))), ty))
    }),
    ("components", |g, depth| {
        let n = g.length();
        let all = (0..g.random.usize(2..4)).map(|_| g.array_over(&n, depth)).collect();
        let zipped = g.zip(all);
        Some(if g.random.bool() { g.mapped(zipped, depth) } else { g.reduced(zipped, depth) })
    }),
    ("mapRows", |g, depth| {
        let (n, m) = (g.length(), g.length());
        let long = &n * &m;
        let array = |g: &mut Generator| {
            let element = g.element_type();
            let rows = Type::array(Type::array(element.clone(), m.clone()), n.clone());
            match g.random.u8(0..3) {
                0 => g.array_over(&long, depth),
                _ => (call("join", vec![g.of(&rows, depth)]), Type::array(element, long.clone())),
            }
        };
        let all = (0..g.random.usize(1..4)).map(|_| array(g)).collect();
        let zipped = g.zip(all);
        Some(g.mapped(zipped, depth))
    }),
    ("dotSum", |g, depth| {
        let (s, n) = (g.number(), g.length());
        let [(xs, _), (ys, _)] = [0, 1].map(|_| g.array_of_scalars(s, &n, depth));
        Some((call("dot", vec![xs, ys]), Type::Scalar(s)))
    }),
    ("reduceMapFusion", |g, depth| {
        let xs = g.array(depth);
        let ys = g.mapped(xs, depth);
        Some(g.reduced(ys, depth))
    }),
    ("hoist", indexed),
    ("forget", |g, depth| {
        let s = g.number();
        let kept = |x: Expr| call("toPrivate", vec![x]);
        match g.random.u8(0..4) {
            // An array stays where it is kept.
            0 => {
                let (xs, ty) = g.array(depth);
                Some((kept(xs), ty))
            }
            1 => Some((kept(g.scalar(s, depth)), Type::Scalar(s))),
            _ => {
                let n = g.length();
                let (xs, ty) = g.array_of_scalars(s, &n, depth);
                let x = g.fresh();
                let body = kept(operator(Op::Add, name(&x), name(&x)));
                Some((call("map", vec![lambda(vec![pattern(PatternKind::Name(x))], body), xs]), ty))
            }
        }
    }),
    ("peeled", a_map),
    ("alone", maps_of_rows),
    ("reduceRoundUp", a_sum),
    ("reduceFill", |g, depth| {
        let (s, n) = (g.number(), g.length());
        let all: Vec<_> = (0..g.random.usize(1..4)).map(|_| g.array_of_scalars(s, &n, depth)).collect();
        let names: Vec<_> = all.iter().map(|_| g.fresh()).collect();
        let start = g.scalar(s, depth.min(3));
        let product = |a: Expr, b: &String| operator(Op::Mul, a, name(b));
        let term = names[1..].iter().fold(name(&names[0]), product);
        // Now and then a term that is not 0 where all that it reads is.
        let term = if g.random.u8(0..8) == 0 { operator(Op::Add, term, g.scalar(s, 1)) } else { term };
        let parts: Vec<_> = names.iter().map(|n| pattern(PatternKind::Name(n.clone()))).collect();
        let x = match parts.len() {
            1 => parts[0].clone(),
            _ => pattern(PatternKind::Tuple(parts)),
        };
        let acc = g.fresh();
        let step = operator(Op::Add, name(&acc), term);
        let f = lambda(vec![pattern(PatternKind::Name(acc)), x], step);
        let (xs, _) = g.zip(all);
        Some((call("reduce", vec![start, f, xs]), Type::Scalar(s)))
    }),
    ("scanSplit", a_scan),
    ("scanAlone", a_scan),
    ("scanPieces", a_scan),
    ("scanRoundUp", a_scan),
    ("best", a_best),
    ("mapScan", |g, depth| {
        let (element, n, m) = (g.element_type(), g.length(), g.length());
        let ty = Type::array(Type::array(element, m.clone()), n);
        let xs = (g.of(&ty, depth), ty);
        let (op, s) = g.sum();
        Some(g.mapped_by(xs, |g| {
            let row = if g.random.bool() { g.newest() } else { g.array_over(&m, depth) };
            let start = g.term(op, s, depth);
            let scan = g.running_by("scan", (op, s), start, row, |g| g.term(op, s, depth));
            (scan, Type::array(Type::Scalar(s), m.clone()))
        }))
    }),
    ("mapFission", |g, depth| {
        let xs = g.zipped(depth);
        match g.random.u8(0..3) {
            0 => Some(g.mapped_by(xs, |g| indexed(g, depth).unwrap_or_else(|| g.any(depth)))),
            _ => Some(g.mapped(xs, depth)),
        }
    }),
    ("again", |g, depth| {
        let xs = g.zipped(depth);
        let (ys, ty) = g.mapped(xs, depth);
        let (named, times) = (g.fresh(), g.random.usize(1..3));
        let uses: Vec<_> = (0..times).map(|_| g.mapped((name(&named), ty.clone()), depth)).collect();
        let (uses, types): (Vec<_>, Vec<_>) = uses.into_iter().unzip();
        Some((bound(&named, ys, expr(ExprKind::Tuple(uses))), Type::tuple(types)))
    }),
    ("tupleFusion", |g, depth| {
        let (xs, ty) = g.array(depth);
        let (element, n) = ty.as_array()?;
        let (shared, n) = (g.fresh(), n.clone());
        let result = |g: &mut Generator| match g.random.u8(0..3) {
            0 => (name(&shared), ty.clone()),
            _ => g.mapped((name(&shared), ty.clone()), depth),
        };
        let (a, b) = (result(g), g.mapped((name(&shared), Type::array(element.clone(), n)), depth));
        let results = Type::tuple(vec![a.1, b.1]);
        Some((bound(&shared, xs, expr(ExprKind::Tuple(vec![a.0, b.0]))), results))
    }),
    ("project", |g, depth| {
        let xs = g.zipped(depth);
        Some(g.mapped(xs, depth))
    }),
    ("mapOfComponent", |g, depth| {
        let (xs, ty) = g.zipped(depth);
        let (element, n) = ty.as_array()?;
        let Type::Tuple(parts) = element else { return None };
        let k = g.random.usize(0..parts.len());
        let names: Vec<String> = parts.iter().map(|_| g.fresh()).collect();
        let patterns = names.iter().map(|x| pattern(PatternKind::Name(x.clone()))).collect();
        let f = match g.random.u8(0..4) {
            0 => lambda(vec![pattern(PatternKind::Name(names[0].clone()))], field(name(&names[0]), k)),
            _ => lambda(vec![pattern(PatternKind::Tuple(patterns))], name(&names[k])),
        };
        Some((call("map", vec![f, xs]), Type::array(parts[k].clone(), n.clone())))
    }),
    ("mapIdentity", |g, depth| {
        let (xs, ty) = g.array(depth);
        let element = ty.as_array()?.0.clone();
        let outside = g.scope.len();
        let parameter = g.parameter(&element);
        let body = g.of(&element, 0);
        g.scope.truncate(outside);
        Some((call("map", vec![lambda(vec![parameter], body), xs]), ty))
    }),
    ("splitJoin", a_map),
    ("splitJoinOverlap", a_map),
    ("roundUpWindows", |g, depth| {
        let (size, step, more) = (g.random.i64(1..4), g.random.i64(1..4), g.random.i64(0..7));
        // Elements after the last whole window are in none.
        let left = g.random.i64(0..step);
        let element = g.element_type();
        let xs = g.of(&Type::array(element.clone(), Nat::constant(size + step * more + left)), depth);
        let windows = Type::array(Type::array(element, size.into()), (more + 1).into());
        Some(g.mapped((call("slide", vec![int(size), int(step), xs]), windows), depth))
    }),
    ("mapGlb", a_map),
    ("mapWrg", a_map),
    ("mapLcl", a_map),
    ("mapSeq", a_map),
    ("mapSeqUnroll", a_map),
    ("slideTiling", |g, depth| {
        let (size, step, more) = (g.random.i64(1..4), g.random.i64(1..4), g.random.i64(0..7));
        let element = g.element_type();
        let n = Nat::constant(size + step * more);
        let xs = g.of(&Type::array(element.clone(), n), depth);
        let windows = Type::array(Type::array(element, size.into()), (more + 1).into());
        Some((call("slide", vec![int(size), int(step), xs]), windows))
    }),
    ("slideMap", |g, depth| {
        let (size, step, more) = (g.random.i64(1..4), g.random.i64(1..4), g.random.i64(0..5));
        let xs = g.array_over(&Nat::constant(size + step * more), depth);
        let (ys, ty) = g.mapped(xs, depth);
        let windows = Type::array(Type::array(ty.as_array()?.0.clone(), size.into()), (more + 1).into());
        Some((call("slide", vec![int(size), int(step), ys]), windows))
    }),
    ("cover", |g, depth| {
        let step = g.random.i64(1..4);
        let (size, more) = (step + g.random.i64(0..3), g.random.i64(1..6));
        let (element, n) = (g.element_type(), Nat::constant(size + step * more));
        let xs = g.of(&Type::array(element.clone(), n.clone()), depth);
        let slid = |xs| call("slide", vec![int(size), int(step), xs]);
        let windows = match g.random.u8(0..4) {
            0 => slid(xs),
            1 => call("transpose", vec![call("transpose", vec![slid(xs)])]),
            2 => {
                let rows = call("split", vec![build::size(&n), xs]);
                call(
                    "join",
                    vec![call(
                        "map",
                        vec![lambda(vec![pattern(PatternKind::Name("row".into()))], slid(name("row"))), rows],
                    )],
                )
            }
            // The order of the windows' elements matters.
            _ => {
                let turned = call("reverse", vec![name("window")]);
                call("map", vec![lambda(vec![pattern(PatternKind::Name("window".into()))], turned), slid(xs)])
            }
        };
        Some((windows, Type::array(Type::array(element, size.into()), (more + 1).into())))
    }),
    ("mapMap", |g, depth| {
        let (xs, ys) = (g.array(depth), g.array(depth));
        Some(g.mapped_by(xs, |g| g.mapped(ys, depth)))
    }),
    ("mapMapRows", maps_of_rows),
    ("mapJoin", maps_of_rows),
    ("mapPad", |g, depth| {
        let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
        Some(g.mapped_by(xs, |g| padded(g, depth)))
    }),
    ("padConcat", |g, depth| Some(padded(g, depth))),
    ("mapReduce", |g, depth| {
        let m = g.length();
        let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
        let outer: Vec<_> = (0..g.random.usize(0..3)).map(|_| g.array_over(&m, depth)).collect();
        Some(g.mapped_by(xs, |g| {
            let mut all = outer;
            let inner = g.random.usize(0..3).max(1 - all.len().min(1));
            all.extend((0..inner).map(|_| g.array_over(&m, depth)));
            let rs = g.zip(all);
            g.reduced(rs, depth)
        }))
    }),
    ("mapPhases", |g, depth| {
        let (n, groups, more) = (g.random.i64(2..4), g.random.i64(1..3), g.random.i64(1..3));
        let (left, size) = (g.random.i64(0..n), n * groups - g.random.i64(0..n));
        let s = g.number();
        let [xs, ws] = [more + groups, size].map(|n| g.array_of_scalars(s, &n.into(), depth).0);
        let start = g.term(Op::Add, s, depth);
        let [x, w, acc, window, windows] = [(); 5].map(|()| g.fresh());
        let param = |text: &str| pattern(PatternKind::Name(text.into()));
        let pair = pattern(PatternKind::Tuple(vec![param(&x), param(&w)]));
        // Each with zeros around it.
        let padded = call("pad", vec![int(left), int(n - 1 - left), neutral(Op::Add, s), name(&x)]);
        let apart = call("map", vec![lambda(vec![param(&x)], padded), call("split", vec![int(1), xs])]);
        let spread = call("take", vec![int(n * more + size - 1), call("join", vec![apart])]);
        let product = operator(Op::Mul, name(&x), name(&w));
        let step = lambda(vec![param(&acc), pair], operator(Op::Add, name(&acc), product));
        let sum = call("reduce", vec![start, step, call("zip", vec![name(&window), ws])]);
        let sums = call("map", vec![lambda(vec![param(&window)], sum), name(&windows)]);
        let slid = call("split", vec![int(n), call("slide", vec![int(size), int(1), spread])]);
        let all = call("map", vec![lambda(vec![param(&windows)], sums), slid]);
        Some((all, Type::array(Type::array(Type::Scalar(s), n.into()), more.into())))
    }),
    ("reduceJoin", |g, depth| {
        let (n, m) = (g.length(), g.length());
        let joined = |g: &mut Generator| {
            let element = g.element_type();
            let rows = Type::array(Type::array(element.clone(), m.clone()), n.clone());
            (call("join", vec![g.of(&rows, depth)]), Type::array(element, &n * &m))
        };
        let all = (0..g.random.usize(1..4)).map(|_| joined(g)).collect();
        let rs = g.zip(all);
        Some(g.reduced(rs, depth))
    }),
    ("reduceSplit", a_reduction),
    ("reduceRest", a_reduction),
    ("reduceSeq", a_reduction),
    ("reduceSeqUnroll", a_reduction),
    ("reduceNested", |g, depth| {
        let (op, s) = g.sum();
        let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
        let (start, start_inside) = (g.term(op, s, depth), neutral(op, s));
        let sum = g.folded_by(op, s, start, xs, |g| {
            let ys = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
            g.folded_by(op, s, start_inside, ys, |g| g.term(op, s, depth))
        });
        Some((sum, Type::Scalar(s)))
    }),
    ("reduceParts", |g, depth| {
        let (op, s) = g.sum();
        let (start, acc) = (g.term(op, s, depth), g.fresh());
        let (xs, ty) = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
        let outside = g.scope.len();
        let x = g.parameter(ty.as_array().expect("an array").0);
        // Of another operator it is no sum in two parts.
        let second = if g.random.u8(0..8) == 0 { Op::Max } else { op };
        let sum = [op, second].into_iter().fold(name(&acc), |before, op| {
            let ys = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
            g.folded_by(op, s, before, ys, |g| g.term(op, s, depth))
        });
        g.scope.truncate(outside);
        let step = lambda(vec![pattern(PatternKind::Name(acc)), x], sum);
        Some((call("reduce", vec![start, step, xs]), Type::Scalar(s)))
    }),
    ("partialSums", a_sum),
    ("reduceFission", a_sum),
    ("reduceInterchange", a_sum_of_rows),
    ("reduceFlatten", |g, depth| match g.random.bool() {
        true => a_sum_of_rows(g, depth),
        false => {
            let result = g.element_type();
            let start = g.of(&result, depth);
            Some((g.folded_by_rows(&result, start, depth, true, |g, _| g.of(&result, depth)), result))
        }
    }),
    ("dotProducts", |g, depth| {
        let (s, v, m) = (g.number(), g.width(), g.length());
        let (start, n) = (g.term(Op::Add, s, depth), m * v);
        let [xs, ys] = [0, 1].map(|_| g.array_of_scalars(s, &n, depth).0);
        let [acc, x, y] = ["acc", "x", "y"].map(name);
        let term = operator(Op::Mul, x, y);
        let sum = if g.random.bool() { operator(Op::Add, acc, term) } else { operator(Op::Add, term, acc) };
        let [acc, x, y] = ["acc", "x", "y"].map(|n| pattern(PatternKind::Name(n.into())));
        let f = lambda(vec![acc, pattern(PatternKind::Tuple(vec![x, y]))], sum);
        Some((call("reduce", vec![start, f, call("zip", vec![xs, ys])]), Type::Scalar(s)))
    }),
    ("start", |g, depth| {
        let (op, s) = g.sum();
        let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
        let sum = g.folded_by(op, s, neutral(op, s), xs, |g| g.term(op, s, depth));
        let other = g.term(op, s, depth);
        let (a, b) = if g.random.bool() { (sum, other) } else { (other, sum) };
        Some((operator(op, a, b), Type::Scalar(s)))
    }),
    ("vectorMap", |g, depth| {
        let (s, v, m) = (g.number(), g.width(), g.length());
        let n = m * v;
        let all = (0..g.random.usize(1..4)).map(|_| g.array_of_scalars(s, &n, depth)).collect();
        let xs = g.zip(all);
        Some(g.mapped_by(xs, |g| (g.arithmetic(s, 3), Type::Scalar(s))))
    }),
    ("vectorElements", |g, depth| {
        let (s, v, m, l) = (g.number(), g.width(), g.length(), g.length());
        let row = Type::array(Type::Scalar(s), l);
        let rows = Type::array(row, m * v);
        let xs = (g.of(&rows, depth), rows);
        Some(g.mapped_by(xs, |g| {
            let row = g.newest();
            if g.random.bool() {
                return g.mapped_by(row, |g| (g.arithmetic(s, 3), Type::Scalar(s)));
            }
            let start = g.literal(s);
            let f = g.function(&[Type::Scalar(s), Type::Scalar(s)], |g| (g.arithmetic(s, 3), ())).0;
            let sum = call("reduce", vec![start, f, row.0]);
            // A sum that depends on no element is no vector.
            let sum = if g.random.bool() { operator(Op::Mul, sum, g.literal(s)) } else { sum };
            (sum, Type::Scalar(s))
        }))
    }),
    ("vectorAccumulator", |g, depth| {
        let (s, v, m) = (g.number(), g.width(), g.length());
        let n = m * v;
        if g.random.u8(0..3) == 0 {
            return Some(g.accumulated_pairs(&n, depth));
        }
        let start = g.array_of_scalars(s, &n, depth).0;
        Some((g.accumulated(s, &n, start, depth, 2), Type::array(Type::Scalar(s), n)))
    }),
    ("joinSplit", |g, depth| {
        let (n, m, element) = (g.random.i64(1..4), g.length(), g.element_type());
        let ty = Type::array(element, m * n);
        let xs = g.of(&ty, depth);
        Some((call("join", vec![call("split", vec![int(n), xs])]), ty))
    }),
    ("splitOfJoin", |g, depth| {
        let (n, m, element) = (g.length(), g.length(), g.element_type());
        let ty = Type::array(Type::array(element.clone(), m.clone()), n.clone());
        let joined = call("join", vec![g.of(&ty, depth)]);
        match g.random.u8(0..4) {
            // Rows of another length.
            0 => {
                let ty = Type::array(Type::array(element, n.clone()), m);
                Some((call("split", vec![build::size(&n), joined]), ty))
            }
            _ => Some((call("split", vec![build::size(&m), joined]), ty)),
        }
    }),
    ("transposeTranspose", |g, depth| {
        let (n, m, element) = (g.length(), g.length(), g.element_type());
        let ty = Type::array(Type::array(element, m), n);
        Some((call("transpose", vec![call("transpose", vec![g.of(&ty, depth)])]), ty))
    }),
    ("asScalarAsVector", |g, depth| {
        let (s, v, m) = (g.number(), g.width(), g.length());
        let xs = g.array_of_scalars(s, &(m * v), depth);
        Some((call("asScalar", vec![call("asVector", vec![int(v), xs.0])]), xs.1))
    }),
    ("asVectorAsScalar", |g, depth| {
        let (s, v, m) = (g.number(), g.width(), g.length());
        let (xs, ty) = g.array_of_scalars(s, &(m * v), depth);
        let computed = |g: &mut Generator, xs: Expr| {
            let x = g.fresh();
            let body = operator(Op::Add, name(&x), name(&x));
            call("map", vec![lambda(vec![pattern(PatternKind::Name(x))], body), xs])
        };
        let vectors = computed(g, call("asVector", vec![int(v), xs]));
        // Of the same width or of another.
        let width = if g.random.u8(0..4) == 0 { 1 } else { v };
        let again = call("asVector", vec![int(width), call("asScalar", vec![vectors])]);
        let again = if g.random.bool() { again } else { computed(g, again) };
        Some((call("asScalar", vec![again]), ty))
    }),
];

fn a_map(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
    Some(g.mapped(xs, depth))
}

/// An array whose elements depend on where they stand.
fn indexed(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let (n, s) = (g.length(), g.number());
    let (ys, ty) = g.array(depth);
    let m = build::size(ty.as_array()?.1);
    let (i, j) = (g.fresh(), g.fresh());
    let (body, element) = match g.random.bool() {
        true => {
            let turned = binary(Binary::Rem, binary(Binary::Add, name(&i), name(&j)), m);
            (call("reorder", vec![lambda(vec![pattern(PatternKind::Name(j))], turned), ys]), ty)
        }
        false => {
            g.indices.push(i.clone());
            let value = g.scalar(s, depth.min(2));
            g.indices.pop();
            (operator(Op::Add, build::cast(name(&i), s), value), Type::Scalar(s))
        }
    };
    let f = lambda(vec![pattern(PatternKind::Name(i))], body);
    Some((call("generate", vec![build::size(&n), f]), Type::array(element, n)))
}

/// An array of scalars or of rows, with more of them at its ends.
fn padded(g: &mut Generator, depth: usize) -> (Expr, Type) {
    let (s, n) = (g.number(), g.length());
    let rows = if g.random.bool() { Some(g.length()) } else { None };
    let element = rows.iter().fold(Type::Scalar(s), |element, m| Type::array(element, m.clone()));
    let xs = g.of(&Type::array(element.clone(), n.clone()), depth);
    let [before, after] = [(); 2].map(|()| g.random.i64(0..3));
    let fill = if g.random.bool() { g.literal(s) } else { g.scalar(s, depth.min(3)) };
    (call("pad", vec![int(before), int(after), fill, xs]), Type::array(element, n + (before + after)))
}

fn maps_of_rows(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let (element, n, m) = (g.element_type(), g.length(), g.length());
    let ty = Type::array(Type::array(element, m.clone()), n);
    let xs = (g.of(&ty, depth), ty);
    Some(g.mapped_by(xs, |g| {
        let row = g.newest();
        let rows = if g.random.bool() { row } else { g.array_over(&m, depth) };
        g.mapped(rows, depth)
    }))
}

fn a_sum(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let (op, s) = g.sum();
    let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
    let start = g.term(op, s, depth);
    Some((g.folded_by(op, s, start, xs, |g| g.term(op, s, depth)), Type::Scalar(s)))
}

fn a_scan(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let (op, s) = g.sum();
    let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
    let ty = Type::array(Type::Scalar(s), xs.1.as_array()?.1.clone());
    let start = g.term(op, s, depth);
    Some((g.running_by("scan", (op, s), start, xs, |g| g.term(op, s, depth)), ty))
}

/// By a comparison that the rule knows, or by one that it must not take for such.
fn a_best(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let (_, s) = g.sum();
    let n = g.length();
    let ty = Type::array(Type::Scalar(s), n);
    let xs = g.of(&ty, depth.min(1));
    let (best, x) = (g.fresh(), g.fresh());
    let op = *g
        .random
        .choice([Binary::Gt, Binary::Lt, Binary::Gt, Binary::Lt, Binary::Ge, Binary::Le])
        .as_ref()?;
    let (a, b) = if g.random.bool() { (&best, &x) } else { (&x, &best) };
    let better = binary(op, name(a), name(b));
    let f = lambda([best, x].map(|text| pattern(PatternKind::Name(text))).to_vec(), better);
    Some((call("argBest", vec![f, xs]), Type::tuple(vec![Type::Scalar(Scalar::I32), Type::Scalar(s)])))
}

/// A sum that goes on from row to row.
fn a_sum_of_rows(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let (op, s) = g.sum();
    let start = g.term(op, s, depth);
    // A term that reads the running value is no term of a sum; now and then one may try.
    let reads = g.random.u8(0..8) == 0;
    let sum = g.folded_by_rows(&Type::Scalar(s), start, depth, reads, |g, acc| {
        let term = g.term(op, s, depth);
        let (a, b) = if g.random.bool() { (acc, term) } else { (term, acc) };
        operator(op, a, b)
    });
    Some((sum, Type::Scalar(s)))
}

fn a_reduction(g: &mut Generator, depth: usize) -> Option<(Expr, Type)> {
    let xs = if g.random.bool() { g.array(depth) } else { g.zipped(depth) };
    Some(g.reduced(xs, depth))
}

/// A parameter as a `let` has it: its type stands beside it.
fn untyped(p: lift_core::syntax::Pattern) -> lift_core::syntax::Pattern {
    lift_core::syntax::Pattern { ty: None, ..p }
}

fn operator(op: Op, a: Expr, b: Expr) -> Expr {
    match op {
        Op::Add => binary(Binary::Add, a, b),
        Op::Mul => binary(Binary::Mul, a, b),
        _ => call(op.name(), vec![a, b]),
    }
}

/// What leaves others as they are.
fn neutral(op: Op, s: Scalar) -> Expr {
    let n = i64::from(op == Op::Mul);
    let kind =
        if s.is_float() { ExprKind::Float(n as f64, Some(s)) } else { ExprKind::Int(n as u128, Some(s)) };
    expr(kind)
}

impl Generator<'_> {
    /// An array of anything.
    pub fn array(&mut self, depth: usize) -> (Expr, Type) {
        let n = self.length();
        self.array_over(&n, depth)
    }

    pub fn array_over(&mut self, n: &Nat, depth: usize) -> (Expr, Type) {
        let at_hand: Vec<(String, Type)> =
            self.scope.iter().filter(|(_, ty)| ty.as_array().is_some_and(|(_, m)| m == n)).cloned().collect();
        if !at_hand.is_empty() && self.random.bool() {
            let (text, ty) = self.pick_late(&at_hand);
            return (name(text), ty.clone());
        }
        let ty = Type::array(self.element_type(), n.clone());
        (self.of(&ty, depth), ty)
    }

    pub fn array_of_scalars(&mut self, s: Scalar, n: &Nat, depth: usize) -> (Expr, Type) {
        let ty = Type::array(Type::Scalar(s), n.clone());
        (self.of(&ty, depth), ty)
    }

    /// Two or three arrays as one.
    pub fn zipped(&mut self, depth: usize) -> (Expr, Type) {
        let n = self.length();
        let all = (0..self.random.usize(2..4)).map(|_| self.array_over(&n, depth)).collect();
        self.zip(all)
    }

    fn zip(&mut self, mut all: Vec<(Expr, Type)>) -> (Expr, Type) {
        if all.len() == 1 {
            return all.remove(0);
        }
        let n = all[0].1.as_array().expect("arrays").1.clone();
        let (arrays, types): (Vec<Expr>, Vec<Type>) = all.into_iter().unzip();
        let parts = types.iter().map(|ty| ty.as_array().expect("arrays").0.clone()).collect::<Vec<_>>();
        (call("zip", arrays), Type::array(Type::tuple(parts), n))
    }

    /// What was bound last.
    pub fn newest(&self) -> (Expr, Type) {
        let (text, ty) = self.scope.last().expect("something is bound");
        (name(text), ty.clone())
    }

    pub fn mapped(&mut self, xs: (Expr, Type), depth: usize) -> (Expr, Type) {
        self.mapped_by(xs, |g| match g.random.bool() {
            true => g.any(depth),
            false => {
                let ty = g.element_type();
                (g.of(&ty, depth), ty)
            }
        })
    }

    pub fn mapped_by(
        &mut self,
        (xs, ty): (Expr, Type),
        body: impl FnOnce(&mut Self) -> (Expr, Type),
    ) -> (Expr, Type) {
        let (element, n) = ty.as_array().expect("an array");
        let (f, result) = self.function(std::slice::from_ref(element), body);
        (call("map", vec![f, xs]), Type::array(result, n.clone()))
    }

    fn reduced(&mut self, (xs, ty): (Expr, Type), depth: usize) -> (Expr, Type) {
        let element = ty.as_array().expect("an array").0.clone();
        let result = self.element_type();
        let start = self.of(&result, depth);
        let f = self.function(&[result.clone(), element], |g| (g.of(&result, depth), ())).0;
        (call("reduce", vec![start, f, xs]), result)
    }

    /// An operator that puts terms together, and a type that has it.
    pub fn sum(&mut self) -> (Op, Scalar) {
        let op = *self.pick(&[Op::Add, Op::Add, Op::Add, Op::Mul, Op::Min, Op::Max]);
        (op, self.number())
    }

    fn number(&mut self) -> Scalar {
        std::iter::repeat_with(|| self.scalar_type()).find(|s| *s != Scalar::Bool).unwrap_or(Scalar::I32)
    }

    /// A term: among the factors of a product of floats only powers of two, for exactness.
    pub fn term(&mut self, op: Op, s: Scalar, depth: usize) -> Expr {
        if op != Op::Mul || !s.is_float() {
            return self.scalar(s, depth.min(3));
        }
        let [a, b] = [0, 1].map(|_| expr(ExprKind::Float(*self.pick(&[0.5, 1.0, 2.0]), Some(s))));
        expr(ExprKind::If(Box::new(self.scalar(Scalar::Bool, depth.min(2))), Box::new(a), Box::new(b)))
    }

    /// `reduce(start, |acc, x| acc op term, xs)`.
    pub fn folded_by(
        &mut self,
        op: Op,
        s: Scalar,
        start: Expr,
        xs: (Expr, Type),
        term: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        self.running_by("reduce", (op, s), start, xs, term)
    }

    /// The same by `reduce` or `scan`.
    fn running_by(
        &mut self,
        primitive: &str,
        (op, s): (Op, Scalar),
        start: Expr,
        (xs, ty): (Expr, Type),
        term: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let element = ty.as_array().expect("an array").0.clone();
        let acc = self.fresh();
        let outside = self.scope.len();
        // A term that reads the running value is no term of a sum; now and then one may try.
        if self.random.u8(0..8) == 0 {
            self.scope.push((acc.clone(), Type::Scalar(s)));
        }
        let x = self.parameter(&element);
        let term = term(self);
        self.scope.truncate(outside);
        let (a, b) = if self.random.bool() { (name(&acc), term) } else { (term, name(&acc)) };
        let f = lambda(vec![pattern(PatternKind::Name(acc)), x], operator(op, a, b));
        call(primitive, vec![start, f, xs])
    }

    /// `reduce(start, |acc, x| reduce(acc, |a, y| step, rows of x), xs)`; may the step's parts read `a`?
    fn folded_by_rows(
        &mut self,
        ty: &Type,
        start: Expr,
        depth: usize,
        reads: bool,
        step: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let (element, n, m) = (self.element_type(), self.length(), self.length());
        let row = Type::array(element, m.clone());
        let xs = self.of(&Type::array(row.clone(), n), depth);
        let [acc, x, a] = [0; 3].map(|_| self.fresh());
        let outside = self.scope.len();
        self.scope.push((x.clone(), row));
        let rows = match self.random.u8(0..3) {
            0 => self.newest(),
            1 => self.array_over(&m, depth),
            _ => {
                let all = vec![self.newest(), self.array_over(&m, depth)];
                self.zip(all)
            }
        };
        if self.random.u8(0..8) != 0 {
            self.scope.truncate(outside);
        }
        if reads {
            self.scope.push((a.clone(), ty.clone()));
        }
        let element = rows.1.as_array().expect("an array").0.clone();
        let y = self.parameter(&element);
        let body = step(self, name(&a));
        self.scope.truncate(outside);
        let name_of = |x: String| pattern(PatternKind::Name(x));
        let inner = lambda(vec![name_of(a), y], body);
        let inner = call("reduce", vec![name(&acc), inner, rows.0]);
        call("reduce", vec![start, lambda(vec![name_of(acc), name_of(x)], inner), xs])
    }

    fn width(&mut self) -> i64 {
        *self.pick(&[1, 2, 2, 4])
    }

    /// Operators, functions and literals of one type, of the variables in scope; now and then anything.
    fn arithmetic(&mut self, s: Scalar, depth: usize) -> Expr {
        let leaves = self.scalars_in_scope(s);
        match self.random.u8(0..16) {
            0 => self.scalar(s, depth),
            _ if depth == 0 => match leaves.is_empty() || self.random.u8(0..4) == 0 {
                true => self.literal(s),
                false => self.pick_late(&leaves).clone(),
            },
            1..4 if !leaves.is_empty() => self.pick_late(&leaves).clone(),
            4 => self.choice(s, depth, |g| g.arithmetic(s, depth - 1)),
            5 => self.named_arithmetic(s, depth),
            _ => {
                let fits = |op: &Op| {
                    let exact = [Op::Add, Op::Sub, Op::Min, Op::Max, Op::Neg, Op::Abs];
                    op.domain().contains(s) && !op.compares() && (!s.is_float() || exact.contains(op))
                };
                let ops: Vec<Op> = Op::ALL.iter().copied().filter(fits).collect();
                let op = *self.pick(&ops);
                let operands = (0..op.arity()).map(|_| self.arithmetic(s, depth - 1)).collect();
                self.operated(op, operands)
            }
        }
    }

    /// `let (x, y) = (…, …); …`, or one name, or one tuple that is not taken apart.
    fn named_arithmetic(&mut self, s: Scalar, depth: usize) -> Expr {
        let count = self.random.usize(1..4);
        let parts: Vec<Expr> = (0..count).map(|_| self.arithmetic(s, depth - 1)).collect();
        let (value, ty) = match <[Expr; 1]>::try_from(parts) {
            Ok([one]) => (one, Type::Scalar(s)),
            Err(parts) => (expr(ExprKind::Tuple(parts)), Type::Tuple(vec![Type::Scalar(s); count].into())),
        };
        let outside = self.scope.len();
        let only = Let { ty: None, pattern: self.parameter(&ty), value };
        let body = self.arithmetic(s, depth - 1);
        self.scope.truncate(outside);
        expr(ExprKind::Block(vec![only], Box::new(body)))
    }

    /// `if x < y && … { … } else { … }`
    fn choice(&mut self, s: Scalar, depth: usize, mut branch: impl FnMut(&mut Self) -> Expr) -> Expr {
        let compared = |g: &mut Self| {
            let op = *g.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne]);
            let operands = (0..2).map(|_| g.arithmetic(s, depth.saturating_sub(1))).collect();
            g.operated(op, operands)
        };
        let mut condition = compared(self);
        match self.random.u8(0..6) {
            0 => {
                let op = *self.pick(&[Op::And, Op::Or]);
                condition = operator(op, condition, compared(self));
            }
            1 => condition = self.operated(Op::Not, vec![condition]),
            _ => {}
        }
        let (then, otherwise) = (branch(self), branch(self));
        expr(ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)))
    }

    /// `reduce(start, |accs, r| map(f, zip(accs, xs, …)), rs)`, or with such a reduction for its step.
    fn accumulated(&mut self, s: Scalar, n: &Nat, start: Expr, depth: usize, levels: usize) -> Expr {
        let ty = Type::array(Type::Scalar(s), n.clone());
        let (rs, all) = if self.random.bool() { self.array(depth) } else { self.zipped(depth) };
        let element = all.as_array().expect("an array").0.clone();
        let accs = self.fresh();
        let outside = self.scope.len();
        let r = self.parameter(&element);
        let body = if levels > 0 && self.random.u8(0..3) == 0 {
            self.accumulated(s, n, name(&accs), depth, levels - 1)
        } else {
            let running = match self.random.u8(0..8) {
                0 => call("reverse", vec![name(&accs)]),
                _ => name(&accs),
            };
            let mut parts = vec![(running, ty)];
            for _ in 0..self.random.usize(0..3) {
                let more = self.array_of_scalars(s, n, depth);
                let at = self.random.usize(0..=parts.len());
                parts.insert(at, more);
            }
            let xs = self.zip(parts);
            self.mapped_by(xs, |g| (g.arithmetic(s, 3), Type::Scalar(s))).0
        };
        self.scope.truncate(outside);
        call("reduce", vec![start, lambda(vec![pattern(PatternKind::Name(accs)), r], body), rs])
    }

    /// The same with pairs of numbers for its running values.
    fn accumulated_pairs(&mut self, n: &Nat, depth: usize) -> (Expr, Type) {
        let pairs = [
            [Scalar::I32, Scalar::F32],
            [Scalar::F32, Scalar::F32],
            [Scalar::I64, Scalar::F64],
            [Scalar::I32, Scalar::F64],
        ];
        let [a, b] = *self.pick(&pairs);
        let ty = Type::array(Type::tuple([a, b].map(Type::Scalar)), n.clone());
        let starts = [a, b].map(|s| self.array_of_scalars(s, n, depth).0);
        let (rs, all) = if self.random.bool() { self.array(depth) } else { self.zipped(depth) };
        let element = all.as_array().expect("an array").0.clone();
        let accs = self.fresh();
        let outside = self.scope.len();
        let r = self.parameter(&element);
        let mut parts = vec![(name(&accs), ty.clone())];
        for _ in 0..self.random.usize(0..3) {
            let s = *self.pick(&[a, b]);
            parts.push(self.array_of_scalars(s, n, depth));
        }
        let xs = self.zip(parts);
        let body = self.mapped_by(xs, |g| {
            let pair = |g: &mut Self| expr(ExprKind::Tuple([a, b].map(|s| g.arithmetic(s, 2)).into()));
            let body = if g.random.bool() { pair(g) } else { g.choice(b, 2, pair) };
            (body, Type::tuple([a, b].map(Type::Scalar)))
        });
        self.scope.truncate(outside);
        let f = lambda(vec![pattern(PatternKind::Name(accs)), r], body.0);
        (call("reduce", vec![call("zip", starts.into()), f, rs]), ty)
    }
}
