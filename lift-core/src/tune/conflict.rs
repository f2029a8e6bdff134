//! Why `tune` parameters have no values: as little as it takes, of everything that is asked of them.

use super::{Space, Unsolved};
use crate::expr::Tune;
use crate::nat::{Condition, Nat, Var};
use std::fmt;

/// Constraints that no values satisfy, and none of which can be left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The parameters that these are about, and those on which their ranges depend. Where there are no
    /// constraints, the last has an empty range.
    pub parameters: Vec<(Var, Tune)>,
    /// Conditions that the parameters can't satisfy together.
    pub constraints: Vec<Condition>,
}

impl Space {
    /// Why there are no values at these sizes: constraints are left out one by one, as long as the rest still
    /// has no values. `steps` limits each attempt; a constraint for which that is too few is taken to be
    /// needed. Of constraints that could stand for each other the last stay.
    pub fn conflict(&self, sizes: &dyn Fn(&Var) -> Option<i64>, steps: usize) -> Conflict {
        let impossible = |parameters: &[(Var, Tune)], constraints: &[Condition]| {
            let space = Space { parameters: parameters.to_vec(), constraints: constraints.to_vec() };
            space.first(sizes, steps) == Err(Unsolved::Impossible)
        };
        let mut constraints = self.constraints.clone();
        let mut k = 0;
        while k < constraints.len() {
            let left_out = constraints.remove(k);
            if !impossible(&self.parameters, &constraints) {
                constraints.insert(k, left_out);
                k += 1;
            }
        }
        // Ranges depend on parameters before them only.
        let empty = (0..self.parameters.len()).find(|k| impossible(&self.parameters[..=*k], &[]));
        let mut vars: Vec<Var> = match empty {
            Some(k) if constraints.is_empty() => vec![self.parameters[k].0.clone()],
            _ => constraints.iter().flat_map(Condition::vars).collect(),
        };
        for (var, range) in self.parameters.iter().rev() {
            if vars.contains(var) {
                vars.extend(range.vars());
            }
        }
        let parameters = self.parameters.iter().filter(|(var, _)| vars.contains(var)).cloned().collect();
        Conflict { parameters, constraints }
    }
}

impl Conflict {
    /// The sizes and parameters that it is about.
    pub fn mentions(&self, var: &Var) -> bool {
        let by_constraints = self.constraints.iter().any(|c| c.vars().contains(var));
        by_constraints || self.parameters.iter().any(|(v, range)| v == var || range.vars().contains(var))
    }
}

/// The parameters in words, each with its range: `T` in 2..=8
pub fn in_words<'a>(parameters: impl IntoIterator<Item = &'a (Var, Tune)>) -> String {
    let words: Vec<String> =
        parameters.into_iter().map(|(var, range)| format!("`{var}` in {range}")).collect();
    match &words[..] {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => words.concat(),
    }
}

/// As it is written.
impl fmt::Display for Tune {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Tune::Span(low, high) => write!(f, "{low}..={high}"),
            Tune::List(values) => {
                let values: Vec<String> = values.iter().map(Nat::to_string).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}
