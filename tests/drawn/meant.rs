//! What a program computes, and how far its forms may be from that.

use crate::common::values::{self, Values};
use crate::common::{Trial, compare};
use lift_core::expr::{Function, Kind, Param};
use lift_core::scalar::{Op, Value};
use lift_core::types::Scalar;
use lift_core::widen::Floats;
use lift_core::{Program, Sizes};
use ndarray::ArrayD;

/// A program is off by this part of its value where its own floats make it so: its forms may be off by so many times that.
const TIMES: f64 = 8.0;

/// By how much less rounding does to an `f64` than to an `f32`.
const TO_DOUBLE: f64 = 1.0 / (1u64 << 29) as f64;

/// From here on every second whole number is no `f16`; half of it, as sums may have been larger on their way.
const HALVES_EXACT_TO: f64 = 1024.0;

/// A program at some sizes, and its value.
pub struct Meant<'a> {
    pub trial: Trial<'a>,
    values: Vec<Values>,
    /// The same with all floats in `f64`.
    wide: Vec<ArrayD<f64>>,
    /// By how much the two differ.
    off: f64,
    /// Are there operations that devices round otherwise?
    rounded: bool,
    /// May a device compute in wider floats?
    halves: bool,
}

impl<'a> Meant<'a> {
    /// With random arguments; nothing where numbers become too large for the program's floats.
    pub fn new(
        program: &'a Program,
        sizes: Sizes,
        random: &mut fastrand::Rng,
    ) -> Result<Option<Meant<'a>>, String> {
        let halves = in_halves(&program.function);
        let most = if halves { 2.0 } else { 9.0 };
        // Where sums are to keep their order, numbers that show whether they do.
        let mut trial = match program.function.strict {
            true => Trial::new(program, sizes, (-most, most), random),
            false => Trial::whole(program, sizes, most, random),
        };
        // The largest integers become floats of which a sum depends on its order.
        if converts(&program.function) {
            let small = |v: Value| match v.scalar().is_integer() {
                true => Value::from_f64(v.to_f64() % (most + 1.0), v.scalar()),
                false => v,
            };
            trial.arguments.iter_mut().for_each(|values| *values = values.mapv(small));
        }
        let values = trial.interpret()?;
        let all = |values: &[Values]| values.iter().map(values::to_f64).collect::<Vec<_>>();
        let in_floats = |program: &Program, scalar: Scalar| {
            let with = |v: Value| if v.scalar().is_float() { Value::from_f64(v.to_f64(), scalar) } else { v };
            let arguments = trial.arguments.iter().map(|values| values.mapv(with)).collect();
            Trial { program, sizes: trial.sizes.clone(), arguments }.interpret()
        };
        let (widened, narrowed) = (program.widened(), narrowed(program));
        let (mut wide, mut off) = (all(&values), 0.0f64);
        if widened != *program {
            wide = all(&in_floats(&widened, Scalar::F64)?);
            let Ok(apart) = compare::apart(&values, &wide) else { return Ok(None) };
            off = apart;
        }
        // Of what is computed in `f64` anyway, `f32` shows how much rounding does.
        if narrowed != *program {
            let narrow = in_floats(&narrowed, Scalar::F32)?;
            let Ok(apart) = compare::apart(&narrow, &wide) else { return Ok(None) };
            off = off.max(apart * TO_DOUBLE);
        }
        // What was rounded on its way to a large number may be right by chance.
        if halves && wide.iter().flatten().any(|v| v.abs() > HALVES_EXACT_TO) {
            off = off.max(f64::from(half::f16::EPSILON));
        }
        let rounded = rounds(&program.function);
        Ok(Some(Meant { trial, values, wide, off, rounded, halves }))
    }

    /// Is this the value, computed by the interpreter?
    pub fn interpreted(&self, got: &[Values]) -> Result<(), String> {
        // Without rounding the order does not matter, and where it does, it may have to be kept.
        match self.off == 0.0 || self.trial.program.function.strict {
            true => self.equal(got),
            false => self.near(got),
        }
    }

    /// Is this the value, computed by a device?
    pub fn computed(&self, got: &[Values]) -> Result<(), String> {
        let exact = self.off == 0.0 || (self.trial.program.function.strict && !self.halves);
        match exact && !self.rounded {
            true => self.equal(got),
            false => self.near(got),
        }
    }

    fn equal(&self, got: &[Values]) -> Result<(), String> {
        let same = |a: &Value, b: &Value| a == b || (a.to_f64().is_nan() && b.to_f64().is_nan());
        for (got, values) in got.iter().zip(&self.values) {
            if got.shape() != values.shape() {
                return Err(format!("shape {:?} instead of {:?}", got.shape(), values.shape()));
            }
            if let Some(((at, a), b)) = got.indexed_iter().zip(values).find(|((_, a), b)| !same(a, b)) {
                return Err(format!("{a} instead of {b} at {at:?}"));
            }
        }
        if got.len() == self.values.len() { Ok(()) } else { Err(format!("{} results", got.len())) }
    }

    fn near(&self, got: &[Values]) -> Result<(), String> {
        compare::within(got, &self.wide, TIMES * self.off)
    }
}

/// The program with `f32` in place of every `f64`.
fn narrowed(program: &Program) -> Program {
    let mut function = program.function.clone();
    let narrow = |p: Param| Param { ty: Floats::Narrow.ty(&p.ty), ..p };
    function.params = function.params.into_iter().map(narrow).collect();
    function.result = Floats::Narrow.ty(&function.result);
    function.body = Floats::Narrow.expr(&function.body);
    Program { function }
}

/// Does it compute in `f16`, from arguments of that type or of others?
fn in_halves(function: &Function) -> bool {
    let half = Some(Scalar::F16);
    let mut found = function.params.iter().any(|p| p.ty.shape().1.as_scalar() == half);
    function.body.visit(&mut |e| found |= matches!(&*e.kind, Kind::Cast(_, Scalar::F16)));
    found
}

/// Does it compute other scalars from some?
fn converts(function: &Function) -> bool {
    let mut found = false;
    function.body.visit(&mut |e| found |= matches!(&*e.kind, Kind::Cast(..)));
    found
}

/// Division and functions.
fn rounds(function: &Function) -> bool {
    const WHOLE: [Op; 4] = [Op::Floor, Op::Ceil, Op::Round, Op::Trunc];
    let rounds = |op: Op| op == Op::Div || (!op.domain().contains(Scalar::I32) && !WHOLE.contains(&op));
    let mut found = false;
    function.body.visit(&mut |e| found |= matches!(&*e.kind, Kind::Op(op, _) if rounds(*op)));
    found
}
