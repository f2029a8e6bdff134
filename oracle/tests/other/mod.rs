//! A problem, said to pumpkin-solver, which is to count its solutions.

mod numbers;

use lift_core::nat::Relation;
use lift_core::solve::{Domain, Formula, Problem, Term};
use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_core::Solver;
use pumpkin_core::constraints::NegatableConstraint;
use pumpkin_core::predicate;
use pumpkin_core::predicates::Predicate;
use pumpkin_core::results::{ProblemSolution, SatisfactionResult};
use pumpkin_core::termination::Indefinite;
use pumpkin_core::variables::{DomainId, Literal};
use std::collections::HashMap;

/// A problem as the other solver has it. Its own variables beside the problem's have the values of formulas
/// and terms.
pub struct Other {
    solver: Solver,
    variables: Vec<DomainId>,
    domains: Vec<Vec<i64>>,
    formulas: HashMap<Formula, Literal>,
    /// With the most that they may be.
    terms: HashMap<(Term, i64), DomainId>,
}

pub fn values(domain: &Domain) -> Vec<i64> {
    match domain {
        Domain::Span(low, high) => (*low..=*high).collect(),
        Domain::List(values) => values.clone(),
    }
}

fn small(n: i64) -> i32 {
    i32::try_from(n).expect("the other solver has 32 bits")
}

impl Other {
    fn new(problem: &Problem) -> Other {
        let mut solver = Solver::default();
        let domains: Vec<Vec<i64>> = problem.domains.iter().map(values).collect();
        let mut variable = |values: &Vec<i64>| {
            solver.new_sparse_integer(values.iter().map(|n| small(*n)).collect::<Vec<_>>())
        };
        let variables = domains.iter().map(&mut variable).collect();
        let mut other = Other { solver, variables, domains, formulas: HashMap::new(), terms: HashMap::new() };
        for constraint in &problem.constraints {
            // Then it takes no more.
            if other.solver.is_inconsistent() {
                break;
            }
            other.demand(constraint);
        }
        other
    }

    /// How many solutions there are: each is excluded when it was found, until there are none.
    pub fn count(problem: &Problem) -> u64 {
        let mut other = Other::new(problem);
        let (mut brancher, mut resolver) = (other.solver.default_brancher(), ResolutionResolver::default());
        let mut count = 0;
        loop {
            let excluded: Vec<Predicate> =
                match other.solver.satisfy(&mut brancher, &mut Indefinite, &mut resolver) {
                    SatisfactionResult::Satisfiable(found) => {
                        let solution = found.solution();
                        let value = |v: &DomainId| solution.get_integer_value(*v);
                        other.variables.iter().map(|v| predicate!(v != value(v))).collect()
                    }
                    SatisfactionResult::Unsatisfiable(..) => return count,
                    SatisfactionResult::Unknown(..) => panic!("it was not to be stopped"),
                };
            count += 1;
            other.clause(excluded);
        }
    }

    fn clause(&mut self, clause: Vec<Predicate>) {
        let tag = self.solver.new_constraint_tag();
        self.solver.add_clause(clause, tag);
    }

    /// It has to hold.
    fn demand(&mut self, formula: &Formula) {
        match formula {
            Formula::All(parts) => parts.iter().for_each(|p| self.demand(p)),
            Formula::Compare(relation, a, b) => self.comparison(*relation, a, b, None),
            _ => {
                let mut clause = vec![];
                self.ways_out(formula, &mut clause);
                self.clause(clause);
            }
        }
    }

    /// Of a formula that holds where one of these does.
    fn ways_out(&mut self, formula: &Formula, clause: &mut Vec<Predicate>) {
        let (v, wanted, values) = match formula {
            Formula::Any(parts) => return parts.iter().for_each(|p| self.ways_out(p, clause)),
            Formula::In(v, values) => (*v, true, values),
            Formula::Not(inner) => match &**inner {
                Formula::In(v, values) => (*v, false, values),
                _ => return clause.push(self.literal(formula).get_true_predicate()),
            },
            _ => return clause.push(self.literal(formula).get_true_predicate()),
        };
        let id = self.variables[v];
        let ones = self.domains[v].iter().filter(|n| values.contains(n) == wanted);
        clause.extend(ones.map(|n| predicate!(id == small(*n))));
    }

    /// A variable that says whether it holds.
    fn literal(&mut self, formula: &Formula) -> Literal {
        if let Some(known) = self.formulas.get(formula) {
            return *known;
        }
        let literal = self.solver.new_literal();
        match formula {
            Formula::Not(inner) => {
                let inner = self.literal(inner);
                self.same(literal, vec![inner.get_false_predicate()]);
            }
            Formula::In(..) | Formula::Any(_) => {
                let mut ways = vec![];
                self.ways_out(formula, &mut ways);
                self.same(literal, ways);
            }
            Formula::All(parts) => {
                let parts = parts.iter().map(|p| self.literal(p).get_false_predicate()).collect();
                self.same(!literal, parts);
            }
            Formula::Compare(relation, a, b) => self.comparison(*relation, a, b, Some(literal)),
        }
        self.formulas.insert(formula.clone(), literal);
        literal
    }

    /// It holds where one of the others does.
    fn same(&mut self, literal: Literal, ways: Vec<Predicate>) {
        ways.iter().for_each(|way| self.clause(vec![literal.get_true_predicate(), !*way]));
        self.clause([vec![literal.get_false_predicate()], ways].concat());
    }

    /// Two numbers compared: it has to hold, or a literal says whether it does.
    fn comparison(&mut self, relation: Relation, a: &Term, b: &Term, literal: Option<Literal>) {
        // What has to hold leaves no room for larger numbers, which the other solver might not have.
        let most = match (relation, b.constant(), literal) {
            (Relation::Le | Relation::Eq, Some(n), None) => n,
            _ => i64::MAX,
        };
        let (a, b) = (self.number(a, most), self.number(b, i64::MAX));
        let tag = self.solver.new_constraint_tag();
        use pumpkin_constraints as constraints;
        match relation {
            Relation::Eq => self.post(constraints::binary_equals(a, b, tag), literal),
            Relation::Ne => self.post(constraints::binary_not_equals(a, b, tag), literal),
            Relation::Lt => self.post(constraints::binary_less_than(a, b, tag), literal),
            Relation::Le => self.post(constraints::binary_less_than_or_equals(a, b, tag), literal),
            Relation::Gt => self.post(constraints::binary_greater_than(a, b, tag), literal),
            Relation::Ge => self.post(constraints::binary_greater_than_or_equals(a, b, tag), literal),
        }
    }

    fn post(&mut self, constraint: impl NegatableConstraint + 'static, literal: Option<Literal>) {
        let poster = self.solver.add_constraint(constraint);
        match literal {
            Some(literal) => poster.reify(literal),
            None => poster.post(),
        }
    }
}
