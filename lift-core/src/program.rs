//! A checked program: what `lift!` embeds and the runtime runs.
//!
//! It is stored and sent as data, so nothing in it may depend on the process that made it. At run time
//! [`Program::solve`] finds its sizes from real arrays' shapes, as far as these determine them.

use crate::expr::{Function, Param, Size};
use crate::nat::{Condition, Nat, Var};
use crate::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One function of a `lift!` block, checked, with every function it calls inlined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The checked function; it calls no other, and its types are found again by checking it.
    pub function: Function,
}

/// The values of a program's size parameters, in the order of its `<…>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sizes(pub Vec<(Var, i64)>);

impl Sizes {
    /// The value of a size, if it is one of these.
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
    /// Too few or too many arguments.
    #[error("`{program}` takes {}, but {got} {} given", count(*.expected, "argument"), was(*.got))]
    ArgumentCount {
        /// The name of the program.
        program: String,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments there were.
        got: usize,
    },
    /// An argument has too few or too many dimensions.
    #[error("argument `{argument}` has {got} dimensions, but its type {ty} has {expected}")]
    Rank {
        /// The name of the parameter.
        argument: String,
        /// Its type in the program's own names.
        ty: String,
        /// The dimensions of that type.
        expected: usize,
        /// The dimensions of the argument.
        got: usize,
    },
    /// A dimension has another length than sizes that are known by then demand.
    #[error("dimension {dimension} of argument `{argument}` has length {got}, but {expected}{} is expected", known(.expected, .value))]
    Length {
        /// The name of the parameter.
        argument: String,
        /// Counted from 0, the outer dimension first.
        dimension: usize,
        /// The length in the program's own names.
        expected: String,
        /// Its value, where it can be computed.
        value: Option<i64>,
        /// The length of that dimension of the argument.
        got: usize,
    },
    /// Two arguments determine the same size differently.
    #[error(
        "argument `{first_argument}` makes `{size}` {first}, but argument `{second_argument}` makes it {second}"
    )]
    Disagreement {
        /// The name of the size.
        size: String,
        /// Its value by the argument that comes first.
        first: i64,
        /// The parameter that determined it first.
        first_argument: String,
        /// Its value by the other.
        second: i64,
        /// The parameter that contradicts it.
        second_argument: String,
    },
    /// A length is linear in an unknown size, and the equation has no whole solution.
    #[error(
        "no value of `{size}` makes {length} equal to {got}, the length of dimension {dimension} of argument `{argument}`"
    )]
    NoFit {
        /// The name of the parameter.
        argument: String,
        /// Counted from 0, the outer dimension first.
        dimension: usize,
        /// The size that was solved for.
        size: String,
        /// The length in the program's own names.
        length: String,
        /// The length of that dimension of the argument.
        got: usize,
    },
    /// An empty dimension would make a size smaller than its least value.
    #[error("dimension {dimension} of argument `{argument}` has length 0, but a size is at least 1")]
    Empty {
        /// The name of the parameter.
        argument: String,
        /// Counted from 0, the outer dimension first.
        dimension: usize,
    },
    /// A `where` clause does not hold.
    #[error("`{program}` requires {clause}, which does not hold with {sizes}")]
    Where {
        /// The name of the program.
        program: String,
        /// The clause, in the program's own names.
        clause: String,
        /// The values of the sizes in it.
        sizes: String,
    },
    /// A size is smaller than its least value: 1, or 0 where a clause allows that.
    #[error("size `{size}` must be at least {least}, not {got}")]
    TooSmall {
        /// The name of the size.
        size: String,
        /// Its least value.
        least: i64,
        /// The value that was given, or solved from a shape.
        got: i64,
    },
    /// A size that can't be solved for from the shapes was not given.
    #[error("no argument's shape determines size `{size}`: give its value")]
    Undetermined {
        /// The name of the size.
        size: String,
    },
    /// No values of some `tune` parameters fit the sizes.
    #[error("{}", no_tuning(.program, .parameters, .asked, .sizes))]
    NoTuning {
        /// The name of the program.
        program: String,
        /// The parameters without a value, each with its range.
        parameters: String,
        /// The conditions that no values satisfy; empty where a range itself is empty.
        asked: String,
        /// The values of the sizes that these depend on.
        sizes: String,
    },
    /// A value given for a `tune` parameter is not in its range.
    #[error("`{program}` takes `{parameter}` in {range}, not {got}, with {sizes}")]
    OutOfRange {
        /// The name of the program.
        program: String,
        /// The name of the parameter.
        parameter: String,
        /// Its range.
        range: String,
        /// The value that was given.
        got: i64,
        /// The values of its sizes.
        sizes: String,
    },
    /// The search for values of `tune` parameters ran out of steps.
    #[error(
        "it takes too long to find values of the `tune` parameters of `{program}` with {sizes}; give values for them"
    )]
    TuningGivenUp {
        /// The name of the program.
        program: String,
        /// The values of its sizes.
        sizes: String,
    },
    /// A length, or the bytes of an array, can't be counted in 64 bits.
    #[error("`{what}` is too large for 64 bits with {sizes}")]
    Overflow {
        /// The length, or the number of scalars, in the program's own names.
        what: String,
        /// The values of its sizes.
        sizes: String,
    },
}

/// Why a checked program has no kernels at these sizes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    /// The program does not admit the sizes.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The generator met something it does not know how to do.
    #[error("`{program}`: {message}")]
    Unsupported {
        /// The name of the program.
        program: String,
        /// What is not supported, and what to do instead where there is something.
        message: String,
    },
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

/// The verb that goes with `n` things.
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

    /// The name of the function.
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// All size parameters, `tune` ones included, in the order of its `<…>`.
    pub fn sizes(&self) -> &[Size] {
        &self.function.sizes
    }

    /// The parameters, in the order of the arguments.
    pub fn params(&self) -> &[Param] {
        &self.function.params
    }

    /// The type of the result: a scalar, an array of scalars or a tuple of these.
    pub fn result(&self) -> &Type {
        &self.function.result
    }

    /// Sizes that no argument's shape determines, in order, without `tune` parameters: the caller passes
    /// them.
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
            // A length that is linear in its only unknown determines it, and lengths with that unknown and another
            // may determine the other then: repeat until nothing is added.
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

    /// The same iteration as [`Program::solvable`], with numbers: a length without unknowns is a check, one that
    /// is linear in its only unknown is an equation, and any other waits until more sizes are known.
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

    /// The error for a clause that does not hold, with the values of its own variables only.
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

/// Compares a known length with the array's. Where the length is a bare size that another argument has
/// determined, the error names both arguments: either may be the mistaken one.
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
