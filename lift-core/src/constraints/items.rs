//! Registers distributed over the work-items of a group (`toItems`): a work-item holds the elements at its own
//! indices, and it alone computes, updates and reads them.

use super::application::{not, not_at};
use super::nest::Code;
use super::rule::Rule;
use crate::hierarchy::Level::Local;
use crate::hierarchy::Space;
use crate::solve::Formula;

pub(super) const ITEMS: Rule = Rule {
    name: "registers of a group",
    source: "CC'22, rule 1, for what is kept across barriers",
    equation: "m around a toItems ⇒ level(m) ≠ 1; m, n count dimension k of a toItems ⇒ m = n; l, m, n count dimensions in this order: \
               ¬(level(l) = 1 ∧ m = 0 ∧ level(n) = 1); m = 10 + d counts k ⇒ every p = 10 + d is no longer than m",
    reason: "the registers of a work-item are its own: no other work-item computes, updates or reads the values in them",
    help: "place all maps over these values alike, with the maps of the group nested directly in each other",
    stage: 2,
    apply: |a| {
        for memory in a.nest.memory.iter().filter(|memory| memory.space == Space::Items) {
            for m in &memory.around {
                a.map(*m, not_at(*m, Local), |m| format!("{m} is around a `toItems`"));
            }
        }
        for dimensions in a.nest.items() {
            for (k, maps) in dimensions.iter().enumerate() {
                let [first, others @ ..] = &maps[..] else { continue };
                for other in others {
                    for code in Code::ALL {
                        let same = |m: usize, n: usize| not(m, code).or(Formula::In(n, vec![code.0]));
                        let alike = Formula::All(vec![same(*first, *other), same(*other, *first)]);
                        a.map(*other, alike, |m| {
                            format!("{m} uses values in the registers of another work-item")
                        });
                    }
                }
                // The elements of a work-item stand together, once or several times.
                let inner: Vec<usize> =
                    dimensions[k + 1..].iter().filter_map(|maps| maps.first()).copied().collect();
                for (l, between) in inner.iter().enumerate() {
                    for last in &inner[l + 1..] {
                        let parts = vec![
                            not_at(*first, Local),
                            not(*between, Code::SEQUENTIAL),
                            not_at(*last, Local),
                        ];
                        a.map(*last, Formula::Any(parts), |m| {
                            format!("{m} distributes the registers of one work-item over several")
                        });
                    }
                }
                for m in maps {
                    for p in a.nest.kernel(a.nest.maps[*m].kernel).filter(|p| p != m) {
                        a.exact(*m, *m, p, "distributes registers over a group");
                    }
                }
            }
        }
    },
};
