//! Clauses, "this variable is one of these, or that one of those", and what follows from them.

use super::{Domain, Formula};

/// Values of a variable as bits, in the order of its domain.
pub type Set = u64;

/// Variables with larger domains take part in arithmetic only.
const MOST: usize = Set::BITS as usize;

/// Constraints in conjunctive form, with propagation by unit resolution on sets of values.
#[derive(Clone)]
pub struct Clauses {
    /// The full set of each variable; 0 for those with too many values.
    pub full: Vec<Set>,
    domains: Vec<Domain>,
    /// In each at least one variable is in its set.
    clauses: Vec<Vec<(usize, Set)>>,
    /// For each variable the clauses with it, and its set there.
    of: Vec<Vec<(u32, Set)>>,
    /// Is the variable in a clause, or was it in one that is settled?
    spoken_of: Vec<bool>,
    /// Do the clauses contradict each other?
    hopeless: bool,
}

/// Where a search stands: what each variable may still be, and how to go back.
#[derive(Clone, Default)]
pub struct State {
    /// The values that are left of each variable.
    pub sets: Vec<Set>,
    /// What sets were before they shrank: backtracking restores them from here.
    trail: Vec<(u32, Set)>,
    /// Variables whose sets shrank and whose clauses have still to be looked at.
    queue: Vec<u32>,
}

impl Clauses {
    /// No clauses yet.
    pub fn new(domains: &[Domain]) -> Clauses {
        let full = |d: &Domain| match d.len() {
            n if n > MOST => 0,
            MOST => Set::MAX,
            n => (1 << n) - 1,
        };
        Clauses {
            full: domains.iter().map(full).collect(),
            domains: domains.to_vec(),
            clauses: vec![],
            of: vec![vec![]; domains.len()],
            spoken_of: vec![false; domains.len()],
            hopeless: false,
        }
    }

    /// Does propagation decide this variable?
    pub fn speaks_of(&self, variable: usize) -> bool {
        self.spoken_of[variable]
    }

    /// Takes a constraint that is a clause, or several; false if it is not.
    pub fn take(&mut self, constraint: &Formula) -> bool {
        let mut found = vec![];
        if !self.read(constraint, &mut found) {
            return false;
        }
        for mut clause in found {
            clause.sort_unstable();
            // Of one variable: any of both.
            clause.dedup_by(|b, a| {
                a.0 == b.0 && {
                    a.1 |= b.1;
                    true
                }
            });
            // A literal that allows every value makes the clause true.
            if clause.iter().any(|(v, set)| *set == self.full[*v]) {
                continue;
            }
            clause.iter().for_each(|(v, _)| self.spoken_of[*v] = true);
            self.clauses.push(clause);
        }
        true
    }

    /// The clauses of a formula; false if it is no conjunction of clauses.
    fn read(&self, formula: &Formula, found: &mut Vec<Vec<(usize, Set)>>) -> bool {
        if let Formula::All(parts) = formula {
            return parts.iter().all(|p| self.read(p, found));
        }
        let mut clause = vec![];
        let is_clause = self.literals(formula, &mut clause);
        found.push(clause);
        is_clause
    }

    /// The literals of a disjunction; false if one of its parts is none.
    fn literals(&self, formula: &Formula, clause: &mut Vec<(usize, Set)>) -> bool {
        match formula {
            Formula::Any(parts) => parts.iter().all(|p| self.literals(p, clause)),
            Formula::In(v, values) => self.set(*v, values).map(|s| clause.push((*v, s))).is_some(),
            Formula::Not(inner) => match &**inner {
                Formula::In(v, values) => {
                    self.set(*v, values).map(|s| clause.push((*v, self.full[*v] & !s))).is_some()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Values as bits; `None` for domains that are too large.
    fn set(&self, variable: usize, values: &[i64]) -> Option<Set> {
        let domain = &self.domains[variable];
        if domain.len() > MOST {
            return None;
        }
        let bits = (0..domain.len()).filter(|k| values.contains(&domain.at(*k)));
        Some(bits.fold(0, |set, k| set | 1 << k))
    }

    /// Propagates before any choice, and drops clauses and literals that are decided then.
    pub fn settle(&mut self) {
        let index = |clauses: &[Vec<(usize, Set)>], of: &mut [Vec<(u32, Set)>]| {
            of.iter_mut().for_each(Vec::clear);
            for (k, clause) in clauses.iter().enumerate() {
                clause.iter().for_each(|(v, set)| of[*v].push((k as u32, *set)));
            }
        };
        index(&self.clauses, &mut self.of);
        let mut state = State { sets: self.full.clone(), ..State::default() };
        let settled = (0..self.clauses.len()).all(|k| self.look(k, &mut state)) && self.propagate(&mut state);
        // From here on every variable begins with the values that propagation has left it.
        self.hopeless = !settled;
        self.full = state.sets;
        let full = &self.full;
        self.clauses.retain(|clause| clause.iter().all(|(v, set)| full[*v] & !set != 0));
        for clause in &mut self.clauses {
            clause.retain(|(v, set)| full[*v] & set != 0);
        }
        index(&self.clauses, &mut self.of);
    }

    /// Where a search begins; `None` if nothing is possible.
    pub fn start(&self) -> Option<State> {
        (!self.hopeless).then(|| State { sets: self.full.clone(), ..State::default() })
    }

    /// Restricts a variable to a set and propagates; false on a contradiction, after which the
    /// state must go back to its mark.
    pub fn restrict(&self, variable: usize, set: Set, state: &mut State) -> bool {
        state.narrow(variable, set);
        self.propagate(state)
    }

    fn propagate(&self, state: &mut State) -> bool {
        while let Some(v) = state.queue.pop() {
            for (clause, set) in &self.of[v as usize] {
                // Only a way that is closed now can leave another as the last one.
                if state.sets[v as usize] & set == 0 && !self.look(*clause as usize, state) {
                    state.queue.clear();
                    return false;
                }
            }
        }
        true
    }

    /// Unit propagation: a clause with a single literal that can still hold makes it hold. False if none can.
    fn look(&self, clause: usize, state: &mut State) -> bool {
        let mut open = None;
        for (v, set) in &self.clauses[clause] {
            let now = state.sets[*v];
            if now & !set == 0 {
                return true;
            }
            if now & set != 0 {
                if open.is_some() {
                    return true;
                }
                open = Some((*v, *set));
            }
        }
        match open {
            None => false,
            Some((v, set)) => {
                state.narrow(v, set);
                true
            }
        }
    }

    /// Do the clauses leave these variables independent of each other: whatever one is, the others
    /// may be what they may?
    pub fn independent(&self, open: &[usize], state: &State) -> bool {
        open.iter().all(|v| {
            self.of[*v].iter().all(|(clause, _)| {
                let clause = &self.clauses[*clause as usize];
                clause.iter().any(|(v, set)| state.sets[*v] & !set == 0)
            })
        })
    }
}

impl State {
    /// Takes values away, with a note on the trail.
    fn narrow(&mut self, variable: usize, set: Set) {
        let before = self.sets[variable];
        if before & set != before {
            self.trail.push((variable as u32, before));
            self.sets[variable] &= set;
            self.queue.push(variable as u32);
        }
    }

    /// A point to come back to.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes everything since a mark.
    pub fn back_to(&mut self, mark: usize) {
        self.queue.clear();
        while self.trail.len() > mark {
            if let Some((v, set)) = self.trail.pop() {
                self.sets[v as usize] = set;
            }
        }
    }
}
