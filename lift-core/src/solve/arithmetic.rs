//! Constraints on numbers, compiled: a list of operations for each variable, in the order of the
//! choice, that are done once whenever that variable is given a value. Equal operations are one.

use super::formula::{floor_div, floor_mod};
use super::{Formula, Term};
use crate::nat::Relation;
use std::collections::HashMap;

/// Where a value is found in the list of values: variables first, by their numbers in the problem, then operations.
type Slot = u32;

/// Stands for no value: a division by zero, or more than 64 bits. The least number is given up for it.
const NONE: i64 = i64::MIN;

/// An operation on values; `bool`s are 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Op {
    Constant(i64),
    Sum,
    Product,
    Div,
    Mod,
    Min,
    Max,
    Compare(Relation),
    /// Of a variable, in this list of sets.
    In(u32),
    And,
    Or,
    Not,
    /// The second if the first is true, else the third.
    Choose,
}

/// An operation and where its operands are. Equal ones share a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Operation {
    op: Op,
    operands: [Slot; 3],
}

/// The work at one level of the search.
#[derive(Clone, Default)]
struct Level {
    /// In order of dependence: each with the slot that it fills.
    operations: Vec<(Slot, Operation)>,
    /// Slots that must hold 1, or the search turns back here.
    checks: Vec<Slot>,
    /// A value that the variable chosen next must divide.
    dividend: Option<Slot>,
}

/// Compiled constraints, level by level: level 0 comes before all choices, level 1 after the variables of
/// clauses, and then there is one for every other variable.
#[derive(Clone, Default)]
pub struct Arithmetic {
    /// From the first choice to the last.
    levels: Vec<Level>,
    /// The sets of [`Op::In`].
    sets: Vec<Vec<i64>>,
    /// How many values there are.
    slots: usize,
}

/// Compiles constraints, sharing equal operations.
struct Builder {
    arithmetic: Arithmetic,
    /// For each slot the level at which its value is known: that of its latest operand.
    level: Vec<usize>,
    /// The slot of each operation.
    known: HashMap<Operation, Slot>,
}

impl Arithmetic {
    /// Compiles constraints for variables chosen in this order, of which the first `block` are chosen together.
    pub fn new(order: &[usize], block: usize, constraints: &[&Formula]) -> Arithmetic {
        let mut level = vec![0; order.len()];
        for (at, v) in order.iter().enumerate() {
            level[*v] = if at < block { 1 } else { at - block + 2 };
        }
        let levels = vec![Level::default(); order.len() - block + 2];
        let slots = order.len();
        let arithmetic = Arithmetic { levels, sets: vec![], slots };
        let mut builder = Builder { arithmetic, level, known: HashMap::new() };
        constraints.iter().for_each(|c| builder.constraint(c));
        builder.arithmetic
    }

    /// Memory for the values.
    pub fn values(&self) -> Vec<i64> {
        vec![0; self.slots]
    }

    /// Computes the values of a level, and says whether everything holds that is known by then.
    pub fn holds(&self, level: usize, values: &mut [i64]) -> bool {
        let level = &self.levels[level];
        for (slot, operation) in &level.operations {
            values[*slot as usize] = self.value(operation, values);
        }
        level.checks.iter().all(|slot| values[*slot as usize] == 1)
    }

    /// Is there nothing to check from this level on?
    pub fn is_done(&self, level: usize) -> bool {
        self.levels[level..].iter().all(|l| l.checks.is_empty())
    }

    /// The number that the variable of a level must divide, if there is one that is known before.
    pub fn dividend(&self, level: usize, values: &[i64]) -> Option<i64> {
        self.levels[level].dividend.map(|slot| values[slot as usize]).filter(|n| *n != NONE && *n != 0)
    }

    fn value(&self, operation: &Operation, values: &[i64]) -> i64 {
        let [a, b, c] = operation.operands.map(|slot| values[slot as usize]);
        let some = |n: Option<i64>| n.unwrap_or(NONE);
        match operation.op {
            Op::Constant(n) => n,
            Op::In(set) => i64::from(self.sets[set as usize].contains(&a)),
            // The second part is looked at only if the first leaves it open.
            Op::And => {
                if a == 1 {
                    b
                } else {
                    a
                }
            }
            Op::Or => {
                if a == 0 {
                    b
                } else {
                    a
                }
            }
            Op::Choose => match a {
                1 => b,
                0 => c,
                _ => NONE,
            },
            Op::Not => {
                if a == NONE {
                    NONE
                } else {
                    1 - a
                }
            }
            _ if a == NONE || b == NONE => NONE,
            Op::Sum => some(a.checked_add(b)),
            Op::Product => some(a.checked_mul(b)),
            Op::Div => some(floor_div(a, b)),
            Op::Mod => some(floor_mod(a, b)),
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Compare(relation) => i64::from(relation.holds(a, b)),
        }
    }
}

impl Builder {
    /// Each conjunct is a check of its own, at the level where it is first known.
    fn constraint(&mut self, formula: &Formula) {
        if let Formula::All(parts) = formula {
            return parts.iter().for_each(|p| self.constraint(p));
        }
        let slot = self.formula(formula);
        let level = self.level[slot as usize];
        self.arithmetic.levels[level].checks.push(slot);
        if let Formula::Compare(Relation::Eq, Term::Mod(dividend, divisor), Term::Constant(0)) = formula
            && let Term::Variable(v) = **divisor
        {
            let dividend = self.term(dividend);
            let known = self.level[dividend as usize] < self.level[v] && self.level[v] > 1;
            if known {
                self.arithmetic.levels[self.level[v]].dividend.get_or_insert(dividend);
            }
        }
    }

    /// The slot of an operation, made if there is none yet.
    fn add(&mut self, op: Op, operands: &[Slot]) -> Slot {
        let mut three = [operands.first().copied().unwrap_or(0); 3];
        three[..operands.len()].copy_from_slice(operands);
        let operation = Operation { op, operands: three };
        if let Some(slot) = self.known.get(&operation) {
            return *slot;
        }
        let slot = self.level.len() as Slot;
        let level = operands.iter().map(|s| self.level[*s as usize]).max().unwrap_or(0);
        self.level.push(level);
        self.known.insert(operation, slot);
        self.arithmetic.levels[level].operations.push((slot, operation));
        self.arithmetic.slots = self.level.len();
        slot
    }

    fn term(&mut self, term: &Term) -> Slot {
        let (op, a, b) = match term {
            Term::Constant(n) => return self.add(Op::Constant(*n), &[]),
            Term::Variable(v) => return *v as Slot,
            Term::Choose(c, a, b) => {
                let operands = [self.formula(c), self.term(a), self.term(b)];
                return self.add(Op::Choose, &operands);
            }
            Term::Sum(a, b) => (Op::Sum, a, b),
            Term::Product(a, b) => (Op::Product, a, b),
            Term::Div(a, b) => (Op::Div, a, b),
            Term::Mod(a, b) => (Op::Mod, a, b),
            Term::Min(a, b) => (Op::Min, a, b),
            Term::Max(a, b) => (Op::Max, a, b),
        };
        let operands = [self.term(a), self.term(b)];
        self.add(op, &operands)
    }

    fn formula(&mut self, formula: &Formula) -> Slot {
        match formula {
            Formula::In(v, values) => {
                let sets = &mut self.arithmetic.sets;
                let set = sets.iter().position(|s| s == values).unwrap_or_else(|| {
                    sets.push(values.clone());
                    sets.len() - 1
                });
                self.add(Op::In(set as u32), &[*v as Slot])
            }
            Formula::Compare(relation, a, b) => {
                let operands = [self.term(a), self.term(b)];
                self.add(Op::Compare(*relation), &operands)
            }
            Formula::All(parts) => self.chain(Op::And, 1, parts),
            Formula::Any(parts) => self.chain(Op::Or, 0, parts),
            Formula::Not(inner) => {
                let inner = self.formula(inner);
                self.add(Op::Not, &[inner])
            }
        }
    }

    /// Parts combined from the left, so that an earlier part can guard a later one; `neutral` is
    /// the operator's identity element.
    fn chain(&mut self, op: Op, neutral: i64, parts: &[Formula]) -> Slot {
        let Some((first, rest)) = parts.split_first() else { return self.add(Op::Constant(neutral), &[]) };
        let first = self.formula(first);
        rest.iter().fold(first, |so_far, part| {
            let part = self.formula(part);
            self.add(op, &[so_far, part])
        })
    }
}
