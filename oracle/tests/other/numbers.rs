//! Terms, each as a variable that has its value.

use super::{Other, small};
use lift_core::nat::Relation;
use lift_core::solve::{Formula, Term};
use pumpkin_core::constraints::Constraint;
use pumpkin_core::predicate;
use pumpkin_core::proof::ConstraintTag;
use pumpkin_core::variables::{DomainId, Literal};

impl Other {
    /// Between which values a term lies: exactly where it is of one variable, since a polynomial's terms alone
    /// may be negative where it is not.
    fn bounds(&self, term: &Term) -> (i64, i64) {
        let variables = Formula::Compare(Relation::Eq, term.clone(), Term::Constant(0)).variables();
        if let [v] = variables[..] {
            let mut solution = vec![0; v + 1];
            let value = |n: &i64| {
                solution[v] = *n;
                term.value(&solution).expect("it has a value")
            };
            let all: Vec<i64> = self.domains[v].iter().map(value).collect();
            return (*all.iter().min().expect("a domain"), *all.iter().max().expect("a domain"));
        }
        let of = |a: &Term, b: &Term| (self.bounds(a), self.bounds(b));
        match term {
            Term::Constant(n) => (*n, *n),
            Term::Variable(v) => (self.domains[*v][0], self.domains[*v][self.domains[*v].len() - 1]),
            Term::Sum(a, b) => {
                let (a, b) = of(a, b);
                (a.0 + b.0, a.1 + b.1)
            }
            Term::Product(a, b) => {
                let (a, b) = of(a, b);
                let ends = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                (*ends.iter().min().expect("four"), *ends.iter().max().expect("four"))
            }
            Term::Div(a, b) => {
                let (a, b) = of(a, b);
                assert!(a.0 >= 0 && b.0 > 0, "{term:?} is of natural numbers");
                (a.0 / b.1, a.1 / b.0)
            }
            Term::Mod(a, b) => {
                let (a, b) = of(a, b);
                assert!(a.0 >= 0 && b.0 > 0, "{term:?} is of natural numbers");
                (0, b.1 - 1)
            }
            Term::Min(a, b) => {
                let (a, b) = of(a, b);
                (a.0.min(b.0), a.1.min(b.1))
            }
            Term::Max(a, b) => {
                let (a, b) = of(a, b);
                (a.0.max(b.0), a.1.max(b.1))
            }
            Term::Choose(_, a, b) => {
                let (a, b) = of(a, b);
                (a.0.min(b.0), a.1.max(b.1))
            }
        }
    }

    /// A variable with the value of a term that has to be at most so much.
    pub fn number(&mut self, term: &Term, most: i64) -> DomainId {
        if let Term::Variable(v) = term {
            return self.variables[*v];
        }
        let (low, high) = self.bounds(term);
        let most = most.min(high);
        if let Some(known) = self.terms.get(&(term.clone(), most)) {
            return *known;
        }
        let id = self.solver.new_bounded_integer(small(low.min(most)), small(most));
        self.define(id, term, most);
        self.terms.insert((term.clone(), most), id);
        id
    }

    fn define(&mut self, id: DomainId, term: &Term, most: i64) {
        let least = |other: &Other, terms: [&Term; 2]| {
            terms.map(|t| other.bounds(t).0).into_iter().min().expect("two")
        };
        // Parts are no larger than the whole, if no part takes anything away.
        let inside = |all: bool| if all { most } else { i64::MAX };
        match term {
            Term::Constant(n) => self.clause(vec![predicate!(id == small(*n))]),
            Term::Variable(_) => {}
            Term::Sum(a, b) => {
                let most = inside(least(self, [a, b]) >= 0);
                let (a, b) = (self.number(a, most), self.number(b, most));
                self.hard(|tag| pumpkin_constraints::plus(a, b, id, tag));
            }
            Term::Product(a, b) => {
                let most = inside(least(self, [a, b]) >= 1);
                let (a, b) = (self.number(a, most), self.number(b, most));
                self.hard(|tag| pumpkin_constraints::times(a, b, id, tag));
            }
            Term::Div(a, b) => {
                let (a, b) = (self.number(a, i64::MAX), self.number(b, i64::MAX));
                self.hard(|tag| pumpkin_constraints::division(a, b, id, tag));
            }
            // a = whole + id, whole = a / b * b; that id is less than b follows.
            Term::Mod(a, b) => {
                let most = self.bounds(a).1;
                let quotient = Term::Div(a.clone(), b.clone());
                let whole = self.number(&Term::Product(quotient.into(), b.clone()), most);
                let a = self.number(a, i64::MAX);
                self.hard(|tag| pumpkin_constraints::plus(whole, id, a, tag));
            }
            Term::Min(a, b) => {
                let all = [self.number(a, i64::MAX), self.number(b, i64::MAX)];
                self.hard(|tag| pumpkin_constraints::minimum(all, id, tag));
            }
            Term::Max(a, b) => {
                let all = [self.number(a, most), self.number(b, most)];
                self.hard(|tag| pumpkin_constraints::maximum(all, id, tag));
            }
            Term::Choose(condition, a, b) => {
                let chosen = self.literal(condition);
                self.equal_if(chosen, id, a);
                self.equal_if(!chosen, id, b);
            }
        }
    }

    fn hard<C: Constraint>(&mut self, constraint: impl FnOnce(ConstraintTag) -> C) {
        let tag = self.solver.new_constraint_tag();
        self.solver.add_constraint(constraint(tag)).post();
    }

    fn equal_if(&mut self, condition: Literal, id: DomainId, term: &Term) {
        if let Some(n) = term.constant() {
            return self.clause(vec![condition.get_false_predicate(), predicate!(id == small(n))]);
        }
        let term = self.number(term, i64::MAX);
        let tag = self.solver.new_constraint_tag();
        self.solver.add_constraint(pumpkin_constraints::binary_equals(term, id, tag)).implied_by(condition);
    }
}
