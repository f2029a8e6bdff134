//! What is known about variables, and what follows from it.
//!
//! Every answer is certain or "unknown": proofs are sound for all integers that satisfy the facts, however
//! little work is left, and a counterexample has been evaluated.

mod certificate;
mod context;
mod equations;
mod goal;
mod interval;
mod prover;
mod rational;
mod residues;
mod samples;
mod schedule;
mod search;
mod simplex;
mod simplify;

use super::{Condition, EvalError, Nat, Var};
use context::Context;
use goal::Proof;
use prover::Prover;
use rustc_hash::FxHashMap;
use search::{Outcome, Wanted};
use serde::{Deserialize, Serialize};
use simplify::{Simplifier, operations};
use std::cell::Cell;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Work for one question, in units of some tens of nanoseconds.
const FUEL: i64 = 100_000;

/// The outcome of a proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The condition holds for all valuations that satisfy the facts.
    Proved,
    /// The smallest valuation found of the condition's variables, sorted, that satisfies every
    /// assumption and breaks the condition (or divides by zero in it).
    Refuted(Vec<(Var, i64)>),
    /// Neither a proof nor a counterexample was found within the time for one question.
    Unknown,
}

impl Answer {
    /// Does the condition hold for certain?
    pub fn is_proved(&self) -> bool {
        matches!(self, Answer::Proved)
    }
}

/// One thing that is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Known {
    Size(Var),
    Range(Var, Nat, Nat),
    Fix(Var, i64),
    Assume(Condition),
}

/// What is known about variables.
///
/// A program is checked after every rule, and a generator comes by the same expression many times:
/// the same is assumed and asked again and again. So facts are branches of a tree: assuming the same thing again
/// finds the branch that was made before, with all conclusions drawn there.
#[derive(Clone)]
pub struct Facts {
    tree: Arc<Mutex<Tree>>,
    number: usize,
    branch: Arc<Branch>,
    /// The variables that have one value: of these alone nothing has to be proved.
    fixed: Arc<FxHashMap<Var, i64>>,
}

/// All branches, by their numbers: however long, they are dropped without recursion.
#[derive(Default)]
struct Tree {
    branches: Vec<Arc<Branch>>,
    /// Where one thing more leads from a branch.
    more: FxHashMap<(usize, Known), usize>,
}

#[derive(Default)]
struct Branch {
    /// The branch that it goes on from, and what is known here besides.
    before: Option<(usize, Known)>,
    /// All that is known, made ready for proofs.
    ready: OnceLock<(Vec<Known>, Context)>,
    concluded: Mutex<Concluded>,
}

/// Answers to questions.
#[derive(Default)]
struct Concluded {
    evident: FxHashMap<Condition, bool>,
    holds: FxHashMap<Condition, bool>,
    certain: FxHashMap<Condition, bool>,
    decided: FxHashMap<Condition, bool>,
    simple: FxHashMap<Nat, Nat>,
}

impl Default for Facts {
    fn default() -> Facts {
        let branch = Arc::<Branch>::default();
        let tree = Tree { branches: vec![branch.clone()], ..Tree::default() };
        Facts { tree: Arc::new(Mutex::new(tree)), number: 0, branch, fixed: Arc::default() }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(self.known()).finish()
    }
}

impl Facts {
    /// Nothing is known: variables are any integers.
    pub fn new() -> Facts {
        Facts::default()
    }

    fn know(&mut self, known: Known) {
        let mut tree = lock(&self.tree);
        let before = (self.number, known);
        // Facts that were learned in the same order share a branch, whoever learned them.
        self.number = match tree.more.get(&before) {
            Some(number) => *number,
            None => {
                let number = tree.branches.len();
                tree.more.insert(before.clone(), number);
                tree.branches.push(Arc::new(Branch { before: Some(before), ..Branch::default() }));
                number
            }
        };
        self.branch = tree.branches[self.number].clone();
    }

    /// In the order in which it came to be known.
    fn known(&self) -> Vec<Known> {
        let (tree, mut known) = (lock(&self.tree), vec![]);
        let mut branch = &self.branch;
        while let Some((number, last)) = &branch.before {
            known.push(last.clone());
            branch = &tree.branches[*number];
        }
        known.reverse();
        known
    }

    /// `v >= 1`
    pub fn size(&mut self, v: &Var) {
        self.know(Known::Size(v.clone()));
    }

    /// `low <= v < end`
    pub fn range(&mut self, v: &Var, low: &Nat, end: &Nat) {
        self.know(Known::Range(v.clone(), low.clone(), end.clone()));
    }

    /// `v == value`, a size that is no longer a choice. What [`Facts::simplify`] returns still
    /// calls it by its name.
    pub fn fix(&mut self, v: &Var, value: i64) {
        Arc::make_mut(&mut self.fixed).insert(v.clone(), value);
        self.know(Known::Fix(v.clone(), value));
    }

    /// A condition holds. Conditions that contradict each other make everything provable.
    pub fn assume(&mut self, c: &Condition) {
        self.know(Known::Assume(c.clone()));
    }

    fn ready(&self) -> &(Vec<Known>, Context) {
        self.branch.ready.get_or_init(|| {
            let known = self.known();
            let context = self.nearest().and_then(|branch| {
                let (before, context) = branch.ready.get()?;
                context.with_ranges(&known[before.len()..])
            });
            let context = context.unwrap_or_else(|| Context::new(&known));
            (known, context)
        })
    }

    /// The nearest branch on the way here that is ready.
    fn nearest(&self) -> Option<Arc<Branch>> {
        let tree = lock(&self.tree);
        let mut branch = &self.branch;
        while let Some((number, _)) = &branch.before {
            branch = &tree.branches[*number];
            if branch.ready.get().is_some() {
                return Some(branch.clone());
            }
        }
        None
    }

    fn context(&self) -> &Context {
        &self.ready().1
    }

    fn by_proof(&self, c: &Condition, fuel: i64) -> bool {
        let (known, context) = self.ready();
        context.shows(c) || !context.refuted(c) && Proof::new(known, context, &Cell::new(fuel)).holds(c)
    }

    fn search(&self, c: &Condition, which: Wanted) -> Outcome {
        let (known, context) = self.ready();
        search::search(known, context, c, which)
    }

    /// Is the condition proved? Cheaper than [`Facts::certain`] where it is not.
    pub fn holds(&self, c: &Condition) -> bool {
        // What held when less was known still holds.
        self.concluded(c, |known| &mut known.holds, || self.held_before(c) || self.by_proof(c, FUEL))
    }

    /// The value of an expression of variables that have one value.
    fn value(&self, n: &Nat) -> Result<i64, EvalError> {
        n.eval(&|v| self.fixed.get(v).copied())
    }

    /// Does the condition hold for the values that are known, whatever else there is?
    pub(crate) fn evaluates(&self, c: &Condition) -> bool {
        c.eval(&|v| self.fixed.get(v).copied()) == Ok(true)
    }

    /// Was the condition proved on the way here?
    fn held_before(&self, c: &Condition) -> bool {
        let tree = lock(&self.tree);
        let mut branch = &self.branch;
        while let Some((number, _)) = &branch.before {
            branch = &tree.branches[*number];
            let concluded = lock(&branch.concluded);
            if [&concluded.holds, &concluded.evident].into_iter().any(|known| known.get(c) == Some(&true)) {
                return true;
            }
        }
        false
    }

    /// Is the condition proved, with little effort?
    pub(crate) fn evident(&self, c: &Condition) -> bool {
        self.concluded(c, |known| &mut known.evident, || self.held_before(c) || self.by_proof(c, FUEL / 20))
    }

    /// Is the condition proved, be it by trying every valuation? As [`Facts::prove`], but cheaper
    /// where it is not.
    pub fn certain(&self, c: &Condition) -> bool {
        self.concluded(c, |known| &mut known.certain, || self.holds(c) || self.tried(c))
    }

    /// The same, with little effort for a proof.
    pub(crate) fn decided(&self, c: &Condition) -> bool {
        self.concluded(c, |known| &mut known.decided, || self.evident(c) || self.tried(c))
    }

    /// Does the condition hold for every valuation, each of which was tried?
    fn tried(&self, c: &Condition) -> bool {
        !self.context().refuted(c) && matches!(self.search(c, Wanted::Any), Outcome::Impossible)
    }

    /// Does the condition hold for every valuation that satisfies the facts, and divide by zero
    /// for none? Facts that contradict each other prove everything.
    pub fn prove(&self, c: &Condition) -> Answer {
        if self.holds(c) {
            return Answer::Proved;
        }
        match self.search(c, Wanted::Smallest) {
            Outcome::Found(values) => Answer::Refuted(values),
            Outcome::Impossible => Answer::Proved,
            Outcome::None => Answer::Unknown,
        }
    }

    /// An expression of equal value for every valuation that satisfies the facts, with fewer
    /// divisions, remainders, minima and maxima where that is possible.
    pub fn simplify(&self, n: &Nat) -> Nat {
        // Nothing to make simpler, as nearly everywhere: no facts have to be made ready for that.
        if operations(n) == 0 {
            return n.clone();
        }
        self.remembered(n, |known| &mut known.simple, || self.simplified(n))
    }

    fn simplified(&self, n: &Nat) -> Nat {
        let fuel = Cell::new(FUEL);
        let prover = Prover::new(self.context(), &fuel);
        let simple = Simplifier::new(&prover).simplify(n);
        if operations(&simple) == 0 {
            return simple;
        }
        // Numbers divide where names do not.
        let fixed = |v: &Var| {
            self.ready().0.iter().find_map(|k| match k {
                Known::Fix(w, value) if w == v => Some(Nat::constant(*value)),
                _ => None,
            })
        };
        let numeric = Simplifier::new(&prover).simplify(&simple.substitute(&fixed));
        if operations(&numeric) < operations(&simple) { numeric } else { simple }
    }

    /// Does a condition hold? Of values that are known nothing has to be found out or kept.
    fn concluded(
        &self,
        c: &Condition,
        kind: impl Fn(&mut Concluded) -> &mut FxHashMap<Condition, bool>,
        find: impl FnOnce() -> bool,
    ) -> bool {
        self.evaluates(c) || self.remembered(c, kind, find)
    }

    /// The answer to a question of one kind: the one that was found before, else found now and kept.
    fn remembered<Q: Clone + Eq + Hash, A: Clone>(
        &self,
        question: &Q,
        kind: impl Fn(&mut Concluded) -> &mut FxHashMap<Q, A>,
        find: impl FnOnce() -> A,
    ) -> A {
        if let Some(answer) = kind(&mut lock(&self.branch.concluded)).get(question) {
            return answer.clone();
        }
        let answer = find();
        kind(&mut lock(&self.branch.concluded)).insert(question.clone(), answer.clone());
        answer
    }

    /// Inclusive constant bounds that certainly hold.
    pub fn bounds(&self, n: &Nat) -> (Option<i64>, Option<i64>) {
        if let Ok(value) = self.value(n) {
            return (Some(value), Some(value));
        }
        let fuel = Cell::new(FUEL);
        let prover = Prover::new(self.context(), &fuel);
        let n = prover.context.apply(n);
        let n = Simplifier::new(&prover).simplify(&n);
        let high = prover.least(&-&n).and_then(i128::checked_neg);
        (narrow(prover.least(&n)), narrow(high))
    }

    /// Bounds that hold as certainly and cost little, but may be far from the value.
    pub(crate) fn rough_bounds(&self, n: &Nat) -> (Option<i64>, Option<i64>) {
        if let Ok(value) = self.value(n) {
            return (Some(value), Some(value));
        }
        let context = self.context();
        let interval = context.interval(&context.apply(n));
        (narrow(interval.low), narrow(interval.high))
    }
}

fn narrow(x: Option<i128>) -> Option<i64> {
    x.and_then(|x| i64::try_from(x).ok())
}

/// A mutex that a thread has poisoned is used all the same: entries are inserted whole or not at all.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
