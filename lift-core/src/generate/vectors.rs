//! Vectors: neighbours loaded and stored at once where they are neighbours in memory.

use super::passes::MOST_REGISTERS;
use super::powers::quarters;
use super::view::View;
use super::{Environment, Generator, Result, Unsupported};
use crate::kernel::{self, Array, Expr, Space, Stmt};
use crate::low::{Read, Reading};
use crate::nat::{Condition, Nat};
use crate::scalar::{Op, Value};
use crate::types::{Scalar, Type};
use std::sync::Arc;

impl Generator {
    /// The element of an array at an offset that counts scalars.
    pub fn element_index(&self, array: &Array, offset: &Nat) -> Nat {
        let width = Nat::from(i64::from(array.width));
        self.facts.simplify(&if array.width == 1 { offset.clone() } else { offset.div(&width) })
    }

    /// The vector of `width` elements of a view.
    pub fn load_lanes(&mut self, inner: &View, start: &Nat, width: u8) -> Result<Expr> {
        // More may be known here than where it was said what the vector is of.
        let start = self.facts.simplify(start);
        let (statements, lanes) = self.block(|g| {
            let lane = |k: u8| {
                let element = g.at(inner, &(&start + i64::from(k)))?;
                g.scalar(&element)
            };
            (0..width).map(lane).collect::<Result<Vec<_>>>()
        })?;
        // What lanes read before they compute is read as vectors, too, if all of it can be.
        if let Some(read) = statements.iter().map(loaded).collect::<Option<Vec<_>>>() {
            let whole = self.packed(lanes.iter().map(|lane| with(lane, &read)).collect());
            let mut apart = false;
            whole.visit(&mut |e| apart |= matches!(e, Expr::Lanes(_)));
            if !apart {
                return Ok(whole);
            }
        }
        statements.into_iter().try_for_each(|stmt| self.emit(stmt))?;
        Ok(self.packed(lanes))
    }

    /// Registers have no addresses; private arrays that are too large for them have.
    fn is_memory(&self, array: &Array) -> bool {
        match array.space {
            Space::Items => false,
            Space::Private => self.value(&array.length).is_ok_and(|n| n > MOST_REGISTERS),
            Space::Global | Space::Local | Space::Constant => true,
        }
    }

    /// Scalars as one vector.
    fn packed(&self, lanes: Vec<Expr>) -> Expr {
        let width = lanes.len() as u8;
        let Some((first, rest)) = lanes.split_first() else { return Expr::Lanes(lanes) };
        if rest.iter().all(|lane| lane == first) {
            return first.clone().splat(width);
        }
        match first {
            Expr::Load(array, base, 1) if array.width == 1 && self.is_memory(array) => {
                let follows = |(k, lane): (usize, &Expr)| match lane {
                    Expr::Load(other, index, 1) => other == array && self.apart(base, index, k),
                    _ => false,
                };
                if lanes.iter().enumerate().all(follows) {
                    return Expr::Load(array.clone(), base.clone(), width);
                }
            }
            Expr::Lane(vector, 0) if vector.width() == width => {
                let same = |(k, lane): (usize, &Expr)| matches!(lane, Expr::Lane(other, j) if other == vector && usize::from(*j) == k);
                if lanes.iter().enumerate().all(same) {
                    return (**vector).clone();
                }
            }
            // Neighbouring indices: one in all lanes, and how far each lane is from it.
            Expr::Index(base, scalar) if scalar.is_integer() && scalar.bytes() >= 4 => {
                let follows = |(k, lane): (usize, &Expr)| match lane {
                    Expr::Index(index, other) => other == scalar && self.apart(base, index, k),
                    _ => false,
                };
                if lanes.iter().enumerate().all(follows) {
                    let apart = (0..width).map(|k| Expr::Literal(Value::from_integer(k.into(), *scalar)));
                    let operands = vec![first.clone().splat(width), Expr::Lanes(apart.collect())];
                    return Expr::Op(Op::Add, *scalar, operands);
                }
            }
            Expr::Select(condition, ..) => {
                let branches: Option<(Vec<Expr>, Vec<Expr>)> = lanes
                    .iter()
                    .map(|lane| match lane {
                        Expr::Select(c, a, b) if self.same(c, condition) => {
                            Some(((**a).clone(), (**b).clone()))
                        }
                        _ => None,
                    })
                    .collect();
                if let Some((then, otherwise)) = branches {
                    let (then, otherwise) = (self.packed(then), self.packed(otherwise));
                    return Expr::Select(condition.clone(), then.into(), otherwise.into());
                }
            }
            // The same is computed in each lane.
            Expr::Op(op, scalar, operands) if scalar.is_float() => {
                let is_plain = |e: &Expr| e.width() == 1 && e.scalar() == *scalar;
                let of_lane = |lane: &Expr| match lane {
                    Expr::Op(other, s, operands) if (other, s) == (op, scalar) => {
                        operands.iter().all(is_plain).then(|| operands.clone())
                    }
                    _ => None,
                };
                let all: Option<Vec<Vec<Expr>>> = lanes.iter().map(of_lane).collect();
                if let Some(all) = all.filter(|all| all.iter().all(|of| of.len() == operands.len())) {
                    let operand = |k: usize| self.packed(all.iter().map(|of| of[k].clone()).collect());
                    return Expr::Op(*op, *scalar, (0..operands.len()).map(operand).collect());
                }
            }
            _ => {}
        }
        Expr::Lanes(lanes)
    }

    /// Are these the same condition?
    fn same(&self, a: &Expr, b: &Expr) -> bool {
        match (a, b) {
            (Expr::Test(a), Expr::Test(b)) => self.alike(a, b),
            _ => a == b,
        }
    }

    fn alike(&self, a: &Condition, b: &Condition) -> bool {
        match (a, b) {
            (Condition::Compare(r, x, y), Condition::Compare(s, u, v)) => {
                r == s && self.apart(&(x - y), &(u - v), 0)
            }
            (Condition::And(xs), Condition::And(ys)) | (Condition::Or(xs), Condition::Or(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.alike(x, y))
            }
            _ => false,
        }
    }

    /// Is `index` this much greater than `base`? At the plan's sizes: windows that move by one are neighbours, whatever
    /// their step is called.
    fn apart(&self, base: &Nat, index: &Nat, k: usize) -> bool {
        let difference = index - base;
        let known = difference.as_constant().or_else(|| self.facts.simplify(&difference).as_constant());
        known.or_else(|| self.fixed(&difference).as_constant()) == i64::try_from(k).ok()
    }

    /// Writes a vector to `width` elements of a view.
    pub fn store_lanes(&mut self, inner: &View, start: &Nat, width: u8, value: Expr) -> Result<()> {
        let views: Vec<View> =
            (0..width).map(|k| self.at(inner, &(start + i64::from(k)))).collect::<Result<_>>()?;
        self.store_each(&views, value)
    }

    /// A vector's elements, each in its place.
    fn store_each(&mut self, views: &[View], value: Expr) -> Result<()> {
        let width = views.len() as u8;
        if let Some((condition, views)) = self.guarded_alike(views)? {
            let body = |g: &mut Self| g.block(|g| g.store_each(&views, value));
            let stores = self.knowing(|facts| facts.assume(&condition), body)?.0;
            return self.emit(Stmt::If(Expr::Test(condition), stores, vec![]));
        }
        let mut places: Vec<(Arc<Array>, Nat)> = vec![];
        for view in views {
            match view {
                View::Memory { array, offset, ty } if self.register(ty).is_some() => {
                    places.push((array.clone(), self.facts.simplify(offset)));
                }
                // Some elements may have no place.
                View::Guard { .. } => break,
                _ => return Err(Unsupported("a vector can only be written to memory".into())),
            }
        }
        if places.len() < views.len() {
            let value = self.held("vector", value.splat(width))?;
            return (0..).zip(views).try_for_each(|(k, view)| self.store(view, value.lane(k)));
        }
        let Some((array, base)) = places.first().cloned() else { return Ok(()) };
        let value = value.splat(width);
        let dense = places.iter().enumerate().all(|(k, (other, at))| {
            *other == array && array.width == 1 && self.is_memory(&array) && self.apart(&base, at, k)
        });
        if dense {
            return self.emit(Stmt::Store(array, base, value));
        }
        let value = self.held("vector", value)?;
        for (k, (array, at)) in (0..).zip(places) {
            if array.width > 1 {
                return Err(Unsupported(
                    "a single element of a vector in registers cannot be written".into(),
                ));
            }
            self.emit(Stmt::Store(array, at, value.lane(k)))?;
        }
        Ok(())
    }

    /// The condition under which all of these places exist, if it is the same for all, and the places.
    fn guarded_alike(&mut self, views: &[View]) -> Result<Option<(Condition, Vec<View>)>> {
        let Some(View::Guard { condition: first, .. }) = views.first() else { return Ok(None) };
        let mut places = vec![];
        for view in views {
            match view {
                View::Guard { condition, inner, path, .. } if condition == first => {
                    places.push(self.along(inner, path)?);
                }
                _ => return Ok(None),
            }
        }
        Ok(Some((first.clone(), places)))
    }

    /// Does each lane of vectors choose for itself by this condition?
    pub fn is_lane_by_lane(&self, condition: &Read, env: &Environment) -> bool {
        self.register(&self.ty(&condition.ty, env)).is_some_and(|(_, width)| width > 1)
    }

    /// A condition on vectors as integers, all of whose bits are set in a lane or none.
    pub fn mask(&mut self, condition: &Read, env: &Environment) -> Result<Expr> {
        if let Some(mask) = self.compared(condition, env)? {
            return Ok(mask);
        }
        let value = self.compute(condition, env)?;
        let value = if value.width() == 1 { value } else { self.held("condition", value)? };
        let [all, none] = [-1, 0].map(|n| Expr::Literal(Value::from_integer(n, Scalar::I32)));
        let lane = |k: u8| Expr::Select(value.lane(k).into(), all.clone().into(), none.clone().into());
        Ok(if value.width() == 1 { lane(0) } else { Expr::Lanes((0..value.width()).map(lane).collect()) })
    }

    /// The same where it is made of comparisons of vectors as languages have them.
    fn compared(&mut self, condition: &Read, env: &Environment) -> Result<Option<Expr>> {
        let Reading::Op(op, operands) = &condition.kind else { return Ok(None) };
        if !self.is_lane_by_lane(condition, env) {
            return Ok(None);
        }
        let joined = match op {
            Op::And => Op::BitAnd,
            Op::Or => Op::BitOr,
            Op::Not => Op::Not,
            op if op.compares() => {
                let scalar = self.element_type(&operands[0], env)?;
                if scalar == Scalar::Bool || scalar == Scalar::F16 {
                    return Ok(None);
                }
                let operands: Vec<Expr> =
                    operands.iter().map(|o| self.compute(o, env)).collect::<Result<_>>()?;
                let width = operands.iter().map(Expr::width).max().unwrap_or(1);
                let operands = operands.into_iter().map(|o| o.splat(width)).collect();
                return Ok(Some(Expr::Op(*op, scalar, operands)));
            }
            _ => return Ok(None),
        };
        let masks: Vec<Expr> = operands.iter().map(|o| self.mask(o, env)).collect::<Result<_>>()?;
        let width = masks.iter().map(Expr::width).max().unwrap_or(1);
        let wide = masks.iter().find(|mask| mask.width() == width).map(Expr::scalar);
        let Some(scalar) = wide.filter(|s| masks.iter().all(|m| m.width() == 1 || m.scalar() == *s)) else {
            return Ok(None);
        };
        let masks = masks.into_iter().map(|m| as_wide(m, scalar).splat(width)).collect();
        Ok(Some(Expr::Op(joined, scalar, masks)))
    }

    /// What the lanes of a mask choose from two values of a type. All of it is computed before any is written: it may be
    /// written where operands are.
    pub fn lane_by_lane(&mut self, mask: &Expr, then: &View, otherwise: &View, ty: &Type) -> Result<View> {
        if let Type::Tuple(types) = ty {
            let mut parts = vec![];
            for (k, ty) in types.iter().enumerate() {
                let (then, otherwise) = (self.field(then, k)?, self.field(otherwise, k)?);
                parts.push(match self.lane_by_lane(mask, &then, &otherwise, ty)? {
                    View::Scalar(chosen) => View::Scalar(self.held("chosen", chosen)?),
                    parts => parts,
                });
            }
            return Ok(View::Struct { parts, depth: 0 });
        }
        let (then, otherwise) = (self.scalar(then)?, self.scalar(otherwise)?);
        let width = mask.width();
        if kernel::mask(then.scalar()) == mask.scalar() {
            let [then, otherwise] = [then, otherwise].map(|value| value.splat(width));
            return Ok(View::Scalar(Expr::Select(mask.clone().into(), then.into(), otherwise.into())));
        }
        // Lanes of another size are chosen one by one.
        let (then, otherwise) = (self.held("vector", then)?, self.held("vector", otherwise)?);
        let zero = || Expr::Literal(Value::from_integer(0, mask.scalar()));
        let lane = |k: u8| {
            let is_set = Expr::Op(Op::Ne, mask.scalar(), vec![mask.lane(k), zero()]);
            Expr::Select(is_set.into(), then.lane(k).into(), otherwise.lane(k).into())
        };
        Ok(View::Scalar(Expr::Lanes((0..width).map(lane).collect())))
    }

    /// An operation on scalars or vectors.
    pub fn operation(&mut self, op: Op, scalar: Scalar, operands: Vec<Expr>) -> Result<Expr> {
        let width = operands.iter().map(Expr::width).max().unwrap_or(1);
        if let (Op::Pow, [base, exponent], false) = (op, &operands[..], self.strict)
            && let Some(quarters) = quarters(exponent)
        {
            return self.power(base.clone().splat(width), quarters, scalar);
        }
        if width == 1 {
            return Ok(Expr::Op(op, scalar, operands));
        }
        let number = scalar != Scalar::Bool;
        let whole = match op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg => number,
            Op::BitAnd | Op::BitOr | Op::BitXor | Op::Not => scalar.is_integer(),
            Op::Div => scalar.is_float(),
            _ => false,
        };
        if whole {
            return Ok(Expr::Op(op, scalar, operands.into_iter().map(|o| o.splat(width)).collect()));
        }
        // Operations that languages do not have for vectors are done lane by lane.
        let mut held = vec![];
        for operand in operands {
            held.push(if operand.width() == 1 { operand } else { self.held("vector", operand)? });
        }
        let function = match op {
            Op::Min | Op::Max => number,
            _ => scalar.is_float() && !op.is_infix() && op != Op::Not,
        };
        if function {
            return Ok(Expr::Op(op, scalar, held.into_iter().map(|o| o.splat(width)).collect()));
        }
        let each = |k| Expr::Op(op, scalar, held.iter().map(|o| o.lane(k)).collect());
        Ok(Expr::Lanes((0..width).map(each).collect()))
    }

    pub fn converted(&mut self, value: Expr, to: Scalar) -> Result<Expr> {
        let from = value.scalar();
        if from == to {
            return Ok(value);
        }
        if value.width() == 1 {
            return Ok(Expr::Cast(from, to, value.into()));
        }
        if from == Scalar::Bool {
            let held = self.held("vector", value)?;
            return Ok(Expr::Lanes(
                (0..held.width()).map(|k| Expr::Cast(from, to, held.lane(k).into())).collect(),
            ));
        }
        // Lanes that languages have no function for are taken one by one when it is printed.
        let value = if from.is_float() && to.is_integer() { self.held("vector", value)? } else { value };
        Ok(Expr::Cast(from, to, value.into()))
    }

    /// The sum of the products of two vectors' lanes, added to a running sum if there is one.
    /// Each product is then one `fma`.
    pub fn dot(&mut self, start: Option<Expr>, a: Expr, b: Expr) -> Result<Expr> {
        let (scalar, width) = (a.scalar(), a.width());
        let (a, b) = match width {
            1 => (a, b),
            _ => (self.held("left", a)?, self.held("right", b)?),
        };
        let products = (0..width).map(|k| Expr::Op(Op::Mul, scalar, vec![a.lane(k), b.lane(k)]));
        let sum = start.into_iter().chain(products).reduce(|sum, p| Expr::Op(Op::Add, scalar, vec![sum, p]));
        sum.ok_or_else(|| Unsupported("vectors have elements".into()))
    }

    /// A zero to start a sum with.
    pub fn zero((scalar, width): (Scalar, u8)) -> kernel::Expr {
        Expr::Literal(Value::from_integer(0, scalar)).splat(width)
    }
}

/// A mask of one lane with as many bits as others have.
fn as_wide(mask: Expr, scalar: Scalar) -> Expr {
    match mask.scalar() == scalar {
        true => mask,
        false => Expr::Cast(mask.scalar(), scalar, mask.into()),
    }
}

/// A scalar that was loaded into a variable.
fn loaded(stmt: &Stmt) -> Option<(&kernel::Local, &Expr)> {
    match stmt {
        Stmt::Declare { local, value: value @ Expr::Load(_, _, 1), change: kernel::Change::Never } => {
            Some((local, value))
        }
        _ => None,
    }
}

/// An expression with what was loaded in place of variables.
fn with(e: &Expr, loaded: &[(&kernel::Local, &Expr)]) -> Expr {
    let of = |local: &kernel::Local| loaded.iter().find(|(of, _)| *of == local);
    match e {
        Expr::Local(local) => of(local).map_or_else(|| e.clone(), |(_, value)| (*value).clone()),
        _ => e.map_children(&mut |child| with(child, loaded)),
    }
}
