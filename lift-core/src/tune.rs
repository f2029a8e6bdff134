//! The values of `tune` parameters: their ranges, what must hold of them, and a search for some
//! that satisfy it (GPGPU'20 §5.1).

use crate::expr::Tune;
use crate::nat::{Condition, Nat, Var};
use std::collections::BTreeMap;

/// What a program's `tune` parameters may be.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// In the order of the program's `<…>`; a range may mention sizes and parameters before it.
    pub parameters: Vec<(Var, Tune)>,
    pub constraints: Vec<Condition>,
}

/// Why a search ended without values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// There are none.
    Impossible,
    /// There was no time to look at all of them.
    GivenUp,
}

impl Tune {
    /// The same range with sizes replaced.
    pub fn substitute(&self, f: &dyn Fn(&Var) -> Option<Nat>) -> Tune {
        match self {
            Tune::Span(low, high) => Tune::Span(low.substitute(f), high.substitute(f)),
            Tune::List(values) => Tune::List(values.iter().map(|v| v.substitute(f)).collect()),
        }
    }

    /// Its values at these sizes, the smallest first.
    fn values(&self, sizes: &dyn Fn(&Var) -> Option<i64>) -> Option<Box<dyn Iterator<Item = i64>>> {
        match self {
            Tune::Span(low, high) => Some(Box::new(low.eval(sizes).ok()?..=high.eval(sizes).ok()?)),
            Tune::List(values) => {
                let mut values: Vec<i64> =
                    values.iter().map(|v| v.eval(sizes)).collect::<Result<_, _>>().ok()?;
                values.sort_unstable();
                values.dedup();
                Some(Box::new(values.into_iter()))
            }
        }
    }

    /// What the prover is to know of a parameter: for a list of numbers, the ends will do.
    pub fn bounds(&self, value: &Nat) -> Condition {
        let Tune::List(values) = self else { return self.contains(value) };
        let numbers: Option<Vec<i64>> = values.iter().map(Nat::as_constant).collect();
        match numbers.as_ref().and_then(|n| Some((*n.iter().min()?, *n.iter().max()?))) {
            Some((low, high)) => Tune::Span(low.into(), high.into()).contains(value),
            None => self.contains(value),
        }
    }

    /// That a parameter is in this range.
    pub fn contains(&self, value: &Nat) -> Condition {
        match self {
            Tune::Span(low, high) => Condition::le(low, value).and(Condition::le(value, high)),
            Tune::List(values) => {
                values.iter().fold(Condition::truth(false), |any, v| any.or(Condition::eq(value, v)))
            }
        }
    }
}

impl Space {
    pub fn is_parameter(&self, var: &Var) -> bool {
        self.parameters.iter().any(|(v, _)| v == var)
    }

    /// Does anything here depend on a parameter?
    pub fn mentions(&self, condition: &Condition) -> bool {
        condition.vars().iter().any(|v| self.is_parameter(v))
    }

    /// The first values that satisfy the constraints, in lexicographic order, looking at no more
    /// than so many partial assignments.
    pub fn first(
        &self,
        sizes: &dyn Fn(&Var) -> Option<i64>,
        mut steps: usize,
    ) -> Result<Vec<(Var, i64)>, Unsolved> {
        let mut search = Search { space: self, sizes, due: self.due(), chosen: BTreeMap::new() };
        if search.choose(0, &mut steps)? {
            let order = |(var, _): &(Var, Tune)| (var.clone(), search.chosen[var]);
            return Ok(self.parameters.iter().map(order).collect());
        }
        Err(Unsolved::Impossible)
    }

    /// Is it certain, whatever the sizes, that there are no values? Ranges that depend on sizes
    /// leave it open.
    pub fn is_empty(&self, steps: usize) -> bool {
        let known = |range: &Tune| range.values(&|_| None).is_some();
        self.parameters.iter().all(|(_, range)| known(range))
            && self.first(&|_| None, steps) == Err(Unsolved::Impossible)
    }

    /// The constraints that can be decided once so many parameters are chosen.
    fn due(&self) -> Vec<Vec<&Condition>> {
        let mut due = vec![vec![]; self.parameters.len() + 1];
        for constraint in &self.constraints {
            let vars = constraint.vars();
            let last = self.parameters.iter().rposition(|(v, _)| vars.contains(v));
            due[last.map_or(0, |i| i + 1)].push(constraint);
        }
        due
    }
}

struct Search<'a> {
    space: &'a Space,
    sizes: &'a dyn Fn(&Var) -> Option<i64>,
    due: Vec<Vec<&'a Condition>>,
    chosen: BTreeMap<Var, i64>,
}

impl Search<'_> {
    /// Chooses the parameters from this one on; false if nothing fits those before.
    fn choose(&mut self, at: usize, steps: &mut usize) -> Result<bool, Unsolved> {
        *steps = steps.checked_sub(1).ok_or(Unsolved::GivenUp)?;
        let lookup = |v: &Var| self.chosen.get(v).copied().or_else(|| (self.sizes)(v));
        if !self.due[at].iter().all(|c| c.eval(&lookup) == Ok(true)) {
            return Ok(false);
        }
        let Some((var, range)) = self.space.parameters.get(at) else { return Ok(true) };
        let Some(values) = range.values(&lookup) else { return Ok(false) };
        for value in values {
            self.chosen.insert(var.clone(), value);
            if self.choose(at + 1, steps)? {
                return Ok(true);
            }
        }
        self.chosen.remove(var);
        Ok(false)
    }
}
