//! The solver counts as many solutions as pumpkin-solver, a lazy clause generation solver, finds.

#[path = "../../lift-core/tests/problems/mod.rs"]
#[allow(dead_code)]
mod problems;

use lift_core::constraints::{Nest, Options, constraints};
use lift_core::nat::Relation;
use lift_core::solve::{Domain, Formula, Problem, Term};
use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_solver::Solver;
use pumpkin_solver::core::predicate;
use pumpkin_solver::core::predicates::Predicate;
use pumpkin_solver::core::results::solution_iterator::IteratedSolution;
use pumpkin_solver::core::termination::Indefinite;
use pumpkin_solver::core::variables::{DomainId, TransformableVariable};

/// A variable of the other solver, and its bounds.
#[derive(Clone, Copy)]
struct Number {
    id: DomainId,
    low: i64,
    high: i64,
}

struct Other {
    solver: Solver,
    variables: Vec<Number>,
    domains: Vec<Vec<i64>>,
}

fn values(domain: &Domain) -> Vec<i64> {
    match domain {
        Domain::Span(low, high) => (*low..=*high).collect(),
        Domain::List(values) => values.clone(),
    }
}

fn small(n: i64) -> i32 {
    i32::try_from(n).expect("the other solver has 32 bits")
}

impl Other {
    fn count(problem: &Problem) -> u64 {
        let mut other = Other { solver: Solver::default(), variables: vec![], domains: vec![] };
        for domain in &problem.domains {
            let values = values(domain);
            let id = other.solver.new_sparse_integer(values.iter().map(|n| small(*n)).collect::<Vec<_>>());
            other.variables.push(Number { id, low: values[0], high: values[values.len() - 1] });
            other.domains.push(values);
        }
        problem.constraints.iter().for_each(|c| other.constraint(c));
        let (mut brancher, mut resolver) = (other.solver.default_brancher(), ResolutionResolver::default());
        let mut never = Indefinite;
        let mut solutions = other.solver.get_solution_iterator(&mut brancher, &mut never, &mut resolver);
        let mut count = 0;
        loop {
            match solutions.next_solution() {
                IteratedSolution::Solution(..) => count += 1,
                IteratedSolution::Finished | IteratedSolution::Unsatisfiable => return count,
                IteratedSolution::Unknown => panic!("it was not to be stopped"),
            }
        }
    }

    fn constraint(&mut self, formula: &Formula) {
        match formula {
            Formula::All(parts) => parts.iter().for_each(|p| self.constraint(p)),
            Formula::Compare(relation, a, b) => self.comparison(*relation, a, b),
            _ => {
                let mut clause = vec![];
                self.literals(formula, &mut clause);
                let tag = self.solver.new_constraint_tag();
                self.solver.add_clause(clause, tag);
            }
        }
    }

    fn literals(&self, formula: &Formula, clause: &mut Vec<Predicate>) {
        let (v, wanted, values) = match formula {
            Formula::Any(parts) => return parts.iter().for_each(|p| self.literals(p, clause)),
            Formula::In(v, values) => (*v, true, values),
            Formula::Not(inner) => match &**inner {
                Formula::In(v, values) => (*v, false, values),
                other => panic!("{other:?} is no literal"),
            },
            other => panic!("{other:?} is no clause"),
        };
        for value in self.domains[v].iter().filter(|n| values.contains(n) == wanted) {
            let (id, value) = (self.variables[v].id, small(*value));
            clause.push(predicate!(id == value));
        }
    }

    fn fresh(&mut self, low: i64, high: i64) -> Number {
        Number { id: self.solver.new_bounded_integer(small(low), small(high)), low, high }
    }

    fn comparison(&mut self, relation: Relation, a: &Term, b: &Term) {
        let (a, b) = match (relation, a, b) {
            // The other solver knows no remainders.
            (Relation::Eq, Term::Mod(n, m), Term::Constant(0)) => {
                let (n, m) = (self.number(n), self.number(m));
                let quotient = self.fresh(0, n.high / m.low);
                (n, self.product(quotient, m))
            }
            _ => (self.number(a), self.number(b)),
        };
        let tag = self.solver.new_constraint_tag();
        let difference = vec![a.id.scaled(1), b.id.scaled(-1)];
        match relation {
            Relation::Eq => {
                self.solver.add_constraint(pumpkin_constraints::equals(difference, 0, tag)).post();
            }
            Relation::Le => {
                self.solver.add_constraint(pumpkin_constraints::less_than_or_equals(difference, 0, tag)).post();
            }
            other => panic!("{other:?} is not needed here"),
        }
    }

    fn product(&mut self, a: Number, b: Number) -> Number {
        let ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
        let c = self.fresh(*ends.iter().min().expect("four"), *ends.iter().max().expect("four"));
        let tag = self.solver.new_constraint_tag();
        self.solver.add_constraint(pumpkin_constraints::times(a.id, b.id, c.id, tag)).post();
        c
    }

    /// A variable that has the value of a term; all are at least 0 but sums' parts.
    fn number(&mut self, term: &Term) -> Number {
        match term {
            Term::Constant(n) => self.fresh(*n, *n),
            Term::Variable(v) => self.variables[*v],
            Term::Product(a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                self.product(a, b)
            }
            Term::Sum(a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                let c = self.fresh(a.low + b.low, a.high + b.high);
                let tag = self.solver.new_constraint_tag();
                let difference = vec![a.id.scaled(1), b.id.scaled(1), c.id.scaled(-1)];
                self.solver.add_constraint(pumpkin_constraints::equals(difference, 0, tag)).post();
                c
            }
            Term::Div(a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                let c = self.fresh(0, a.high.max(0) / b.low);
                let tag = self.solver.new_constraint_tag();
                self.solver.add_constraint(pumpkin_constraints::division(a.id, b.id, c.id, tag)).post();
                c
            }
            other => panic!("{other:?} is not needed here"),
        }
    }
}

fn placement(nest: &Nest) -> Problem {
    let codes = vec![0, 1, 10, 11, 12, 20, 21, 22, 30, 31, 32];
    Problem {
        domains: nest.maps.iter().map(|_| Domain::of(codes.clone())).collect(),
        constraints: constraints(nest, &Options::default()).into_iter().map(|c| c.formula).collect(),
    }
}

#[test]
fn placements_are_as_many() {
    let chain = |maps| problems::chains(1, maps);
    for nest in [chain(1), chain(3), chain(4), problems::chains(2, 2), problems::chains(2, 3)] {
        let problem = placement(&nest);
        let count = problem.count();
        println!("{} maps: {count}", nest.maps.len());
        assert_eq!(Other::count(&problem), count);
    }
}

#[test]
fn parameters_are_as_many() {
    for (c, k, h) in [(1, 2, 5), (4, 6, 6), (3, 8, 10)] {
        let problem = problems::parameters(c, k, h).problem(&|_| None);
        let count = problem.count();
        println!("C = {c}, K = {k}, H = {h}: {count}");
        assert_eq!(Other::count(&problem), count);
    }
}
