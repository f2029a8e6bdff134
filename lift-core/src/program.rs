//! A checked program: what `lift!` embeds and the runtime runs.

use crate::expr::{Function, Param, Size};
use crate::nat::{Condition, Nat, Var};
use crate::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One function of a `lift!` block, checked, with every function it calls inlined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub function: Function,
}

/// The values of a program's size parameters, in the order of its `<…>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sizes(pub Vec<(Var, i64)>);

impl Sizes {
    pub fn get(&self, var: &Var) -> Option<i64> {
        self.0.iter().find(|(v, _)| v == var).map(|(_, value)| *value)
    }
}

impl std::fmt::Display for Sizes {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(var, value)| format!("{var} = {value}")).collect();
        f.write_str(&parts.join(", "))
    }
}

/// Real arrays, or sizes given by hand, that a program does not admit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizeError {
    #[error("`{program}` takes {}, but {got} {} given", count(*.expected, "argument"), was(*.got))]
    ArgumentCount { program: String, expected: usize, got: usize },
    #[error("argument `{argument}` has {got} dimensions, but its type {ty} has {expected}")]
    Rank { argument: String, ty: String, expected: usize, got: usize },
    #[error("dimension {dimension} of argument `{argument}` has length {got}, but {expected}{} is expected", known(.expected, .value))]
    Length {
        argument: String,
        /// Counted from 0, the outer dimension first.
        dimension: usize,
        /// In the program's own names.
        expected: String,
        value: Option<i64>,
        got: usize,
    },
    #[error(
        "argument `{first_argument}` makes `{size}` {first}, but argument `{second_argument}` makes it {second}"
    )]
    Disagreement { size: String, first: i64, first_argument: String, second: i64, second_argument: String },
    #[error(
        "no value of `{size}` makes {length} equal to {got}, the length of dimension {dimension} of argument `{argument}`"
    )]
    NoFit { argument: String, dimension: usize, size: String, length: String, got: usize },
    #[error("dimension {dimension} of argument `{argument}` has length 0, but a size is at least 1")]
    Empty { argument: String, dimension: usize },
    #[error("`{program}` requires {clause}, which does not hold with {sizes}")]
    Where { program: String, clause: String, sizes: String },
    #[error("size `{size}` must be at least {least}, not {got}")]
    TooSmall { size: String, least: i64, got: i64 },
    #[error("no argument's shape determines size `{size}`: give its value")]
    Undetermined { size: String },
    /// No values of some `tune` parameters fit the sizes.
    #[error("{}", no_tuning(.program, .parameters, .asked, .sizes))]
    NoTuning {
        program: String,
        /// Those that have none, each with its range.
        parameters: String,
        /// What they don't satisfy; nothing where a range is empty.
        asked: String,
        sizes: String,
    },
    #[error("`{program}` takes `{parameter}` in {range}, not {got}, with {sizes}")]
    OutOfRange { program: String, parameter: String, range: String, got: i64, sizes: String },
    #[error(
        "it takes too long to find values of the `tune` parameters of `{program}` with {sizes}; give values for them"
    )]
    TuningGivenUp { program: String, sizes: String },
    #[error("`{what}` is too large for 64 bits with {sizes}")]
    Overflow { what: String, sizes: String },
}

/// Why a checked program has no kernels at these sizes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The generator met something it does not know how to do.
    #[error("`{program}`: {message}")]
    Unsupported { program: String, message: String },
}

fn no_tuning(program: &str, parameters: &str, asked: &str, sizes: &str) -> String {
    let with = if sizes.is_empty() { String::new() } else { format!(" with {sizes}") };
    match asked {
        "" => format!("`{program}` has no value for {parameters}: there is none in that range{with}"),
        asked => {
            format!("`{program}` asks for {asked}, and has no value for {parameters} that satisfies it{with}")
        }
    }
}

/// `no sizes`, `1 size`, `2 sizes`.
pub fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

/// The verb for so many.
pub fn was(n: usize) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

fn known(expected: &str, value: &Option<i64>) -> String {
    match value {
        Some(value) if *expected != value.to_string() => format!(" = {value}"),
        _ => String::new(),
    }
}

impl Program {
    /// The error that something in this program is not supported.
    pub fn unsupported(&self, message: String) -> CompileError {
        CompileError::Unsupported { program: self.name().into(), message }
    }

    pub fn name(&self) -> &str {
        &self.function.name
    }

    pub fn sizes(&self) -> &[Size] {
        &self.function.sizes
    }

    pub fn params(&self) -> &[Param] {
        &self.function.params
    }

    pub fn result(&self) -> &Type {
        &self.function.result
    }

    /// Sizes that no argument's shape determines, in order: the caller passes them. What is
    /// tuned is not the caller's to choose.
    pub fn free_sizes(&self) -> Vec<&Size> {
        self.given().filter(|s| !self.determined(&s.var)).collect()
    }

    /// The sizes that come from the caller, all but the `tune` parameters.
    pub fn given(&self) -> impl Iterator<Item = &Size> {
        self.function.sizes.iter().filter(|s| s.tune.is_none())
    }

    /// Can this size be solved from the arguments' shapes?
    fn determined(&self, var: &Var) -> bool {
        self.solvable().iter().any(|v| v == var)
    }

    /// The sizes that [`Program::solve`] finds, in the order in which it finds them.
    fn solvable(&self) -> Vec<Var> {
        let mut known: Vec<Var> = vec![];
        loop {
            let before = known.len();
            for (_, _, length) in self.lengths() {
                let open: Vec<Var> = length.vars().into_iter().filter(|v| !known.contains(v)).collect();
                if let [var] = &open[..]
                    && length.linear_in(var).is_some()
                {
                    known.push(var.clone());
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    /// Every length in the parameters' types: parameter, dimension, length.
    fn lengths(&self) -> Vec<(usize, usize, &Nat)> {
        let mut all = vec![];
        for (p, param) in self.function.params.iter().enumerate() {
            for (d, length) in param.ty.shape().0.into_iter().enumerate() {
                all.push((p, d, length));
            }
        }
        all
    }

    /// Solves the sizes from the arguments' shapes and the free sizes, and checks everything that
    /// the program asks of them.
    pub fn solve(&self, free: &[i64], shapes: &[Vec<usize>]) -> Result<Sizes, SizeError> {
        let params = &self.function.params;
        if shapes.len() != params.len() {
            return Err(SizeError::ArgumentCount {
                program: self.name().into(),
                expected: params.len(),
                got: shapes.len(),
            });
        }
        for (param, shape) in params.iter().zip(shapes) {
            let rank = param.ty.shape().0.len();
            if rank != shape.len() {
                let argument = param.local.name.to_string();
                return Err(SizeError::Rank {
                    argument,
                    ty: param.ty.to_string(),
                    expected: rank,
                    got: shape.len(),
                });
            }
        }
        let mut known: BTreeMap<Var, (i64, String)> = BTreeMap::new();
        for (size, value) in self.free_sizes().iter().zip(free) {
            known.insert(size.var.clone(), (*value, String::new()));
        }
        self.solve_lengths(&mut known, shapes)?;
        let mut sizes = vec![];
        for size in self.given() {
            match known.get(&size.var) {
                Some((value, _)) => sizes.push((size.var.clone(), *value)),
                None => return Err(SizeError::Undetermined { size: size.var.name.to_string() }),
            }
        }
        let sizes = Sizes(sizes);
        self.admits(&sizes)?;
        Ok(sizes)
    }

    fn solve_lengths(
        &self,
        known: &mut BTreeMap<Var, (i64, String)>,
        shapes: &[Vec<usize>],
    ) -> Result<(), SizeError> {
        let mut open = self.lengths();
        while !open.is_empty() {
            let before = open.len();
            let mut later = vec![];
            for (p, d, length) in open {
                let argument = self.function.params[p].local.name.to_string();
                let got = shapes[p][d];
                let value = i64::try_from(got).unwrap_or(i64::MAX);
                let unknown: Vec<Var> =
                    length.vars().into_iter().filter(|v| !known.contains_key(v)).collect();
                match &unknown[..] {
                    [] => check_length(length, known, &argument, d, got)?,
                    [var] => match length.linear_in(var) {
                        Some((factor, rest)) => {
                            let lookup = |v: &Var| known.get(v).map(|(value, _)| *value);
                            let solved =
                                solve_linear(factor.eval(&lookup).ok(), rest.eval(&lookup).ok(), value);
                            let Some(solved) = solved else {
                                let (size, length) = (var.name.to_string(), length.to_string());
                                return Err(SizeError::NoFit { argument, dimension: d, size, length, got });
                            };
                            let least = self.function.least(var);
                            if solved < least {
                                let size = var.name.to_string();
                                return Err(match got {
                                    0 => SizeError::Empty { argument, dimension: d },
                                    _ => SizeError::TooSmall { size, least, got: solved },
                                });
                            }
                            known.insert(var.clone(), (solved, argument));
                        }
                        None => later.push((p, d, length)),
                    },
                    _ => later.push((p, d, length)),
                }
            }
            open = later;
            if open.len() == before {
                let var = open[0].2.vars().into_iter().find(|v| !known.contains_key(v));
                let size = var.map_or_else(String::new, |v| v.name.to_string());
                return Err(SizeError::Undetermined { size });
            }
        }
        Ok(())
    }

    /// Do these sizes satisfy what the program states? Clauses that mention a `tune` parameter
    /// without a value are left to the choice of one.
    pub fn admits(&self, sizes: &Sizes) -> Result<(), SizeError> {
        for (var, value) in &sizes.0 {
            let least = self.function.least(var);
            if *value < least && self.given().any(|s| s.var == *var) {
                return Err(SizeError::TooSmall { size: var.name.to_string(), least, got: *value });
            }
        }
        for (condition, _) in &self.function.wheres {
            let chosen = |v: &Var| sizes.get(v).is_some() || self.given().any(|s| s.var == *v);
            if condition.vars().iter().all(chosen) && condition.eval(&|v| sizes.get(v)) != Ok(true) {
                return Err(self.broken(condition, sizes));
            }
        }
        self.countable(sizes)
    }

    /// Can the bytes of every argument and result be counted in 64 bits?
    fn countable(&self, sizes: &Sizes) -> Result<(), SizeError> {
        let params = self.function.params.iter().map(|p| &p.ty);
        for ty in params.chain([&self.function.result]) {
            let scalars = ty.scalars();
            let bytes = scalars.eval(&|v| sizes.get(v)).ok().and_then(|n| n.checked_mul(8));
            if bytes.is_none() {
                return Err(SizeError::Overflow { what: scalars.to_string(), sizes: sizes.to_string() });
            }
        }
        Ok(())
    }

    fn broken(&self, condition: &Condition, sizes: &Sizes) -> SizeError {
        let vars = condition.vars();
        let shown = Sizes(sizes.0.iter().filter(|(v, _)| vars.contains(v)).cloned().collect());
        SizeError::Where {
            program: self.name().into(),
            clause: condition.to_string(),
            sizes: shown.to_string(),
        }
    }

    /// The shape of each array that is passed in, or of the result's components, at these sizes.
    pub fn shape(ty: &Type, sizes: &Sizes) -> Result<Vec<usize>, SizeError> {
        let one = |length: &Nat| length.eval(&|v| sizes.get(v)).ok().and_then(|n| usize::try_from(n).ok());
        ty.shape()
            .0
            .into_iter()
            .map(|length| {
                one(length)
                    .ok_or_else(|| SizeError::Overflow { what: length.to_string(), sizes: sizes.to_string() })
            })
            .collect()
    }
}

/// The integer x with `factor * x + rest == value`.
fn solve_linear(factor: Option<i64>, rest: Option<i64>, value: i64) -> Option<i64> {
    let (factor, difference) = (factor?, value.checked_sub(rest?)?);
    (factor != 0 && difference % factor == 0).then(|| difference / factor)
}

fn check_length(
    length: &Nat,
    known: &BTreeMap<Var, (i64, String)>,
    argument: &str,
    dimension: usize,
    got: usize,
) -> Result<(), SizeError> {
    let value = length.eval(&|v| known.get(v).map(|(value, _)| *value)).ok();
    if value.and_then(|v| usize::try_from(v).ok()) == Some(got) {
        return Ok(());
    }
    let argument = argument.to_string();
    if let (Some(var), Some(first)) = (length.as_var(), value)
        && let Some((_, other)) = known.get(var)
        && *other != argument
        && !other.is_empty()
    {
        let second = i64::try_from(got).unwrap_or(i64::MAX);
        let size = var.name.to_string();
        return Err(SizeError::Disagreement {
            size,
            first,
            first_argument: other.clone(),
            second,
            second_argument: argument,
        });
    }
    Err(SizeError::Length { argument, dimension, expected: length.to_string(), value, got })
}
