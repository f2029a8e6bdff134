//! A rule applied to a nest: what it demands of maps, and of numbers that depend on where the maps run.

use super::nest::{Code, Memory};
use super::rule::{Application, Constraint};
use crate::hierarchy::Level::{self, Local};
use crate::hierarchy::Space;
use crate::nat::{Nat, Relation};
use crate::solve::{Formula, Term};
use crate::syntax::Site;

/// The codes of maps that run inside one work-item.
pub(super) const SEQUENTIAL: [i64; 2] = [Code::SEQUENTIAL.0, Code::FUSED.0];

pub(super) fn spread() -> impl Iterator<Item = Code> {
    Code::ALL.into_iter().filter(|c| c.parallel().is_some())
}

pub(super) fn not(m: usize, code: Code) -> Formula {
    Formula::not_in(m, vec![code.0])
}

pub(super) fn not_at(m: usize, level: Level) -> Formula {
    Formula::not_in(m, Code::level(level))
}

/// One of the maps has one of the codes.
pub(super) fn any_of(maps: &[usize], codes: &[i64]) -> Formula {
    Formula::Any(maps.iter().map(|m| Formula::In(*m, codes.to_vec())).collect())
}

/// For numbers that are known.
pub(super) fn both(op: fn(Box<Term>, Box<Term>) -> Term, a: Option<Term>, b: Option<Term>) -> Option<Term> {
    match (a?, b?) {
        (a @ Term::Constant(_), b @ Term::Constant(_)) => {
            op(a.into(), b.into()).value(&[]).map(Term::Constant)
        }
        (a, b) => Some(op(a.into(), b.into())),
    }
}

impl Application<'_> {
    pub(super) fn add(&mut self, site: Site, kernel: Option<usize>, formula: Formula, message: String) {
        self.found.push(Constraint { rule: self.rule, site, kernel, message, formula });
    }

    /// Adds a constraint on a map, which the message names.
    pub(super) fn map(&mut self, m: usize, formula: Formula, message: impl FnOnce(String) -> String) {
        let map = &self.nest.maps[m];
        let name = match (map.given, &map.extent) {
            (Some(code), _) => code.to_string(),
            (None, Some(n)) => format!("the `map` of {n}"),
            (None, None) => "this `map`".to_string(),
        };
        let (site, kernel) = (map.site, Some(map.kernel));
        self.add(site, kernel, formula, message(name));
    }

    pub(super) fn at_most(
        &mut self,
        kernel: usize,
        number: Option<Term>,
        limit: i64,
        message: impl Fn(i64) -> String,
    ) {
        self.at_most_where(kernel, number, [limit; 2], Formula::All(vec![]), message);
    }

    /// At most the first limit, and at most the second where a condition holds.
    pub(super) fn at_most_where(
        &mut self,
        kernel: usize,
        number: Option<Term>,
        [limit, further]: [i64; 2],
        condition: Formula,
        message: impl Fn(i64) -> String,
    ) {
        let site = self.nest.kernel(kernel).next().map_or(Site::default(), |m| self.nest.maps[m].site);
        if let Some(number) = number.filter(|n| !matches!(n, Term::Constant(n) if *n <= limit)) {
            let within = |limit| Formula::Compare(Relation::Le, number.clone(), Term::Constant(limit));
            let fits = match further > limit {
                true => within(limit).or(Formula::All(vec![condition, within(further)])),
                false => within(limit),
            };
            self.add(site, Some(kernel), fits, message(limit.max(further)));
        }
    }

    fn term(&self, n: &Nat) -> Option<Term> {
        self.options.term.and_then(|term| term(n))
    }

    /// The length of a map, times the lengths of the maps fused with it.
    pub(super) fn length(&self, m: usize) -> Option<Term> {
        let own = self.term(self.nest.maps[m].extent.as_ref()?);
        match self.nest.only(m) {
            None => own,
            Some(inner) => {
                let fused = Formula::In(inner, vec![Code::FUSED.0]);
                let length = Term::Choose(fused.into(), self.length(inner)?.into(), Term::Constant(1).into());
                both(Term::Product, own, Some(length))
            }
        }
    }

    /// The length of the map alone, if that is known.
    pub(super) fn own_length(&self, m: usize) -> Option<i64> {
        match self.term(self.nest.maps[m].extent.as_ref()?)? {
            Term::Constant(n) => Some(n),
            _ => None,
        }
    }

    /// The map's length if it has one of these codes, else 1.
    pub(super) fn count_if(&self, m: usize, codes: &[i64]) -> Option<Term> {
        match (self.nest.maps[m].given, self.length(m)?) {
            _ if codes.is_empty() => Some(Term::Constant(1)),
            (_, Term::Constant(1)) => Some(Term::Constant(1)),
            (Some(code), _) if !codes.contains(&code.0) => Some(Term::Constant(1)),
            (_, length) => {
                let here = Formula::In(m, codes.to_vec());
                Some(Term::Choose(here.into(), length.into(), Term::Constant(1).into()))
            }
        }
    }

    /// The bytes of some memory, once for each iteration of the maps around it that have one of these codes.
    pub(super) fn bytes(&self, memory: &Memory, codes: &[i64]) -> Option<Term> {
        let own = self.term(memory.bytes.as_ref()?);
        memory.around.iter().fold(own, |bytes, m| both(Term::Product, bytes, self.count_if(*m, codes)))
    }

    pub(super) fn total(&self, space: Space, kernel: usize, codes: &[i64]) -> Option<Term> {
        let here = self.nest.memory.iter().filter(|m| m.space == space && m.kernel == Some(kernel));
        let bytes: Option<Vec<Term>> = here.map(|memory| self.bytes(memory, codes)).collect();
        bytes?.into_iter().try_fold(Term::Constant(0), |sum, bytes| both(Term::Sum, Some(sum), Some(bytes)))
    }

    /// Where several work-items write to local memory, barriers are needed. They stand inside all the
    /// maps that are around the memory.
    pub(super) fn barriers(&mut self, memory: &Memory) {
        let Some(kernel) = memory.kernel else { return };
        for n in memory.inside.iter().copied() {
            if memory.branch {
                self.map(n, not_at(n, Local), |n| format!("{n} needs a barrier in a branch of an `if`"));
            }
            for m in memory.around.iter().copied() {
                for p in self.nest.kernel(kernel).filter(|p| *p != m) {
                    self.exact(n, m, p, "has a barrier inside");
                }
            }
        }
    }

    /// Where `n` inside `m` is spread over a group, no `p` in the same dimension as `m` is longer than `m`.
    pub(super) fn exact(&mut self, n: usize, m: usize, p: usize, what: &str) {
        let message =
            |d: i64| move |m: String| format!("{m} {what}, but another {} is longer", Code::spread(Local, d));
        let spread = |d: i64| {
            let code = Code::spread(Local, d);
            vec![not_at(n, Local), not(m, code), not(p, code)]
        };
        if let (Some(own), Some(other)) = (self.lengths(m), self.lengths(p)) {
            // With at most this many maps fused into `m`, it is too short for the maps that `p` has fused by then.
            for (fused, (_, length)) in own.iter().enumerate() {
                let Some(longer) = other.iter().position(|(_, n)| n > length) else { continue };
                for d in 0..3 {
                    let mut parts = spread(d);
                    parts.extend(other[1..=longer].iter().map(|(q, _)| not(*q, Code::FUSED)));
                    parts.extend(own.get(fused + 1).map(|(q, _)| Formula::In(*q, vec![Code::FUSED.0])));
                    self.map(m, Formula::Any(parts), message(d));
                }
            }
        } else if let (Some(own), Some(other)) = (self.length(m), self.length(p))
            && own != other
        {
            for d in 0..3 {
                let mut parts = spread(d);
                parts.push(Formula::Compare(Relation::Le, other.clone(), own.clone()));
                self.map(m, Formula::Any(parts), message(d));
            }
        }
    }

    /// A map, and the maps that may be fused with it one after the other, each with the product of the lengths
    /// up to it. `None` if a length is not known.
    fn lengths(&self, m: usize) -> Option<Vec<(usize, i64)>> {
        let mut found = vec![(m, self.own_length(m)?)];
        while let Some((at, length)) = found.last().copied()
            && let Some(inner) = self.nest.only(at)
        {
            found.push((inner, length.saturating_mul(self.own_length(inner)?)));
        }
        Some(found)
    }
}
