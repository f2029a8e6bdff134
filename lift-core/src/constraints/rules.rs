//! The rules, each with what it demands of a nest of maps.

use super::items::ITEMS;
use super::nest::{Code, Memory, Nest, Use, of_group};
use super::{Constraint, Limits};
use crate::kernel::Space;
use crate::nat::{Nat, Relation};
use crate::primitives::Level::{self, Global, Group, Local};
use crate::solve::{Formula, Term};
use crate::syntax::Site;

/// A rule that placements keep.
pub struct Rule {
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// `m`, `n`: maps, `n` inside `m`; `level` and `dim`: a code divided by 10, and what remains.
    pub equation: &'static str,
    pub reason: &'static str,
    pub help: &'static str,
    /// Mistakes of a hand-placed kernel are shown stage by stage.
    pub(super) stage: usize,
    pub(super) apply: fn(&mut Application),
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

pub const STAGES: usize = 3;

/// What is known besides the nest.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Take sequential maps that can be fused for fused, to have fewer to look at (CC'22, rule 8).
    pub fuse_sequential: bool,
    /// The device's.
    pub limits: Option<Limits>,
    /// What stands for a symbolic number; without it nothing is said of numbers.
    pub term: Option<Numbers<'a>>,
}

/// Symbolic numbers as terms of a problem.
pub type Numbers<'a> = &'a dyn Fn(&Nat) -> Option<Term>;

/// All rules but those of `tune` parameters, which come from the program.
pub static RULES: [&Rule; 17] = [
    &DUPLICATE,
    &MIXED,
    &HIERARCHY,
    &DIMENSIONS,
    &STEPS,
    &FUSABLE,
    &PRIVATE,
    &LOCAL,
    &EXHAUSTIVE,
    &SYNCHRONISABLE,
    &ITEMS,
    &FUSION,
    &GROUP_SIZE,
    &GROUP_SIDES,
    &LOCAL_MEMORY,
    &REGISTERS,
    &BUFFERS,
];

const PRIVATE: Rule = Rule {
    name: "private scoping",
    source: "CC'22, rule 1",
    equation: "m uses private memory ⇒ level(m) < 1",
    reason: "private memory is one work-item's own: a map that reads or writes it is sequential",
    help: "use `mapSeq`, or keep the values in other memory with `toLocal` or `toGlobal`",
    stage: 1,
    apply: |a| {
        for (m, map) in a.nest.maps.iter().enumerate() {
            if let Some(used) = map.private {
                let what = match used {
                    Use::Reads => "reads private memory",
                    Use::Writes => "has private memory for its result",
                };
                a.map(m, Formula::In(m, SEQUENTIAL.to_vec()), |m| format!("{m} {what}"));
            }
        }
    },
};

const LOCAL: Rule = Rule {
    name: "local scoping",
    source: "CC'22, rule 2",
    equation: "m uses local memory ⇒ level(m) < 2 ∧ ⋁ level(outer) = 2",
    reason: "local memory is one work-group's own: it is written and read inside a `mapWrg`, by `mapLcl` and \
             sequential maps",
    help: "keep what groups share with `toGlobal`, and what one group shares inside its `mapWrg`",
    stage: 1,
    apply: |a| {
        for (m, map) in a.nest.maps.iter().enumerate() {
            if map.local.is_some() {
                let within = [&SEQUENTIAL[..], &Code::level(Local)].concat();
                a.map(m, Formula::In(m, within), |m| format!("{m} reads or writes local memory"));
            }
        }
        for memory in a.nest.memory.iter().filter(|memory| of_group(memory.space)) {
            let name = if memory.space == Space::Items { "toItems" } else { "toLocal" };
            let message = format!("`{name}` stands in no `mapWrg`");
            let groups = any_of(&memory.around, &Code::level(Group));
            a.add(memory.site, memory.kernel, groups, message);
        }
    },
};

const DUPLICATE: Rule = Rule {
    name: "duplicate scheduling",
    source: "CC'22, rule 3",
    equation: "level(m) < 1 ∨ m ≠ n",
    reason: "one index of a work-item cannot count two nested maps",
    help: "use another dimension: there are 0, 1 and 2",
    stage: 0,
    apply: |a| {
        for (m, n) in a.nest.nested() {
            for code in spread() {
                let both = not(m, code).or(not(n, code));
                a.map(n, both, |_| format!("{code} stands in another {code}"));
            }
        }
    },
};

const DIMENSIONS: Rule = Rule {
    name: "local and group dimensions",
    source: "CC'22, rules 4 and 5",
    equation: "m = 20 + d ⇒ ⋁ n = 10 + d",
    reason: "a dimension has groups, and work-items in them: `mapWrg` and `mapLcl` go together",
    help: "put a `mapLcl` of this dimension inside, or use `mapGlb`",
    stage: 0,
    apply: |a| {
        for m in 0..a.nest.maps.len() {
            let inside: Vec<usize> = a.nest.inside(m).collect();
            for d in 0..3 {
                let (group, local) = (Code::spread(Group, d), Code::spread(Local, d));
                let paired = not(m, group).or(any_of(&inside, &[local.0]));
                a.map(m, paired, |_| format!("{group} has no {local} inside"));
            }
        }
    },
};

const HIERARCHY: Rule = Rule {
    name: "hierarchy",
    source: "CC'22, rules 4 and 6",
    equation: "¬(level(m) = 1 ∧ level(n) = 2); m = 10 + d ⇒ ⋁ outer = 20 + d",
    reason: "work is given to work-groups first, and then to the work-items in them",
    help: "put it around the `mapLcl` and not into it, or use `mapGlb` instead of both",
    stage: 0,
    apply: |a| {
        for (m, n) in a.nest.nested() {
            let apart = not_at(m, Local).or(not_at(n, Group));
            a.map(n, apart, |n| format!("{n} stands in a `mapLcl`"));
        }
        for (m, map) in a.nest.maps.iter().enumerate() {
            for d in 0..3 {
                let (group, local) = (Code::spread(Group, d), Code::spread(Local, d));
                let inside = not(m, local).or(any_of(&map.around, &[group.0]));
                a.map(m, inside, |_| format!("{local} stands in no {group}"));
            }
        }
    },
};

const EXHAUSTIVE: Rule = Rule {
    name: "exhaustive indexing",
    source: "CC'22, rule 7",
    equation: "m in a kernel, level(m) > 0 ⇒ for every chain that writes shared memory: ⋁ map of the chain = m",
    reason: "what is written is spread over every dimension that the kernel uses, or several work-items would \
             write the same",
    help: "compute it in a `mapLcl` too, or in a kernel of its own",
    stage: 2,
    apply: |a| {
        for write in a.nest.writes.iter().filter(|w| w.space != Space::Private) {
            for m in a.nest.kernel(write.kernel).filter(|m| !write.around.contains(m)) {
                // The memory of each group is another.
                let group_only = of_group(write.space);
                for code in spread().filter(|c| !group_only || c.parallel().is_some_and(|(l, _)| l == Local))
                {
                    let covered = not(m, code).or(any_of(&write.around, &[code.0]));
                    let message = format!("every work-item of {code} would write this");
                    a.add(write.site, Some(write.kernel), covered, message);
                }
            }
        }
    },
};

const MIXED: Rule = Rule {
    name: "global apart from group and local",
    source: "CC'22 §4.4",
    equation: "¬(level(m) = 3 ∧ level(n) ∈ {1, 2}), for all maps of a kernel",
    reason: "a kernel counts its work-items globally, or group by group",
    help: "use either `mapGlb`, or `mapWrg` and `mapLcl`",
    stage: 0,
    apply: |a| {
        for n in 0..a.nest.maps.len() {
            for m in a.nest.kernel(a.nest.maps[n].kernel).filter(|m| *m < n) {
                let inside = a.nest.maps[n].around.contains(&m);
                let stands = if inside { "stands in" } else { "is in one kernel with" };
                let grouped = [Code::level(Local), Code::level(Group)].concat();
                let global = Formula::not_in(n, Code::level(Global)).or(Formula::not_in(m, grouped.clone()));
                a.map(n, global, |n| format!("{n} {stands} a `mapWrg` or `mapLcl`"));
                let other = Formula::not_in(n, grouped).or(not_at(m, Global));
                a.map(n, other, |n| format!("{n} {stands} a `mapGlb`"));
            }
        }
    },
};

const STEPS: Rule = Rule {
    name: "steps of a reduction",
    source: "CC'22 §4.6",
    equation: "m in the function of a reduction ⇒ level(m) < 2",
    reason: "only the work-items of a group can wait for each other between the steps of a reduction",
    help: "put the reduction into the map, or use `mapLcl`",
    stage: 0,
    apply: |a| {
        for (m, _) in a.nest.maps.iter().enumerate().filter(|(_, map)| map.step) {
            let within = [&SEQUENTIAL[..], &Code::level(Local)].concat();
            a.map(m, Formula::In(m, within), |m| format!("{m} stands in the function of a reduction"));
        }
    },
};

const FUSABLE: Rule = Rule {
    name: "fusion of perfect nests",
    source: "CC'22 §4.1",
    equation: "n = 1 ⇒ n is perfectly nested",
    reason: "maps are fused where the outer one does nothing but the inner one",
    help: "use `mapSeq`",
    stage: 0,
    apply: |a| {
        for (m, map) in a.nest.maps.iter().enumerate() {
            if !map.perfect {
                a.map(m, not(m, Code::FUSED), |m| format!("{m} is not all that the map around it does"));
            }
        }
    },
};

const FUSION: Rule = Rule {
    name: "sequential fusion (a heuristic, if asked for)",
    source: "CC'22, rule 8",
    equation: "n is perfectly nested in m ⇒ ¬(m = 0 ∧ n = 0)",
    reason: "two sequential maps, one being all that the other does, are as good as one",
    help: "fuse them",
    stage: 0,
    apply: |a| {
        if !a.options.fuse_sequential {
            return;
        }
        for (n, map) in a.nest.maps.iter().enumerate().filter(|(_, map)| map.perfect) {
            if let Some(m) = map.around.last() {
                let apart = not(*m, Code::SEQUENTIAL).or(not(n, Code::SEQUENTIAL));
                a.map(n, apart, |n| format!("{n} and the map around it are both sequential"));
            }
        }
    },
};

const SYNCHRONISABLE: Rule = Rule {
    name: "synchronisability",
    source: "CC'22 §4.6",
    equation: "n writes what is kept inside m: level(n) = 1 ∧ m = 10 + d ⇒ every p = 10 + d is no longer than m",
    reason: "all work-items of a group come to a barrier, or none",
    help: "give the maps of this dimension one length, or keep the values outside the map",
    stage: 2,
    apply: |a| {
        for memory in &a.nest.memory {
            match memory.space {
                Space::Local => a.barriers(memory),
                // No barrier orders what work-items do to global memory.
                Space::Global => {
                    for m in memory.inside.iter().filter(|m| a.nest.maps[**m].reread) {
                        let alone = Formula::In(*m, SEQUENTIAL.to_vec());
                        a.map(*m, alone, |m| format!("{m} writes global memory that its kernel reads"));
                    }
                }
                _ => {}
            }
        }
    },
};

const GROUP_SIZE: Rule = Rule {
    name: "size of a work-group",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_MAX_WORK_GROUP_SIZE",
    equation: "∏ over d of max { length(m) : m = 10 + d } ≤ limit",
    reason: "a device has room for so many work-items in a group",
    help: "use smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for kernel in 0..a.nest.kernels() {
            let mut product: Option<Term> = Some(Term::Constant(1));
            for d in 0..3 {
                let local = Code::spread(Local, d);
                let mut largest = Some(Term::Constant(1));
                for m in a.nest.kernel(kernel) {
                    largest = both(Term::Max, largest, a.count_if(m, &[local.0]));
                }
                product = both(Term::Product, product, largest);
            }
            a.at_most(kernel, product, limits.group, "the work-items of a group");
            // The same for each map alone, and for two, so that it is seen early.
            let long: Vec<(usize, i64)> = a
                .nest
                .kernel(kernel)
                .filter_map(|m| Some((m, a.own_length(m).filter(|n| *n > 1)?)))
                .collect();
            for (k, (m, length)) in long.iter().copied().enumerate() {
                if length > limits.group {
                    a.map(m, not_at(m, Local), |m| format!("{m} takes {length} work-items of a group"));
                }
                for (n, other) in
                    long[..k].iter().copied().filter(|(_, n)| n.saturating_mul(length) > limits.group)
                {
                    for d in 0..3 {
                        let elsewhere =
                            (0..3).filter(|e| *e != d).map(|e| Code::spread(Local, e).0).collect();
                        let apart = not(m, Code::spread(Local, d)).or(Formula::not_in(n, elsewhere));
                        a.map(m, apart, |m| {
                            format!("{m} takes {length} times {other} work-items of a group")
                        });
                    }
                }
            }
        }
    },
};

const GROUP_SIDES: Rule = Rule {
    name: "sides of a work-group",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_MAX_WORK_ITEM_SIZES",
    equation: "m = 10 + d ⇒ length(m) ≤ limit(d)",
    reason: "along a dimension a group has so many work-items, often fewer than in all",
    help: "use another dimension, or smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for (d, limit) in (0..3).zip(limits.sides) {
            let local = Code::spread(Local, d);
            for m in 0..a.nest.maps.len() {
                let short = matches!(a.length(m), Some(Term::Constant(n)) if n <= limit);
                let Some(length) = a.count_if(m, &[local.0]).filter(|_| !short) else { continue };
                let fits = Formula::Compare(Relation::Le, length, Term::Constant(limit));
                a.map(m, fits, |m| format!("{m} takes more than {limit} work-items along dimension {d}"));
            }
        }
    },
};

const LOCAL_MEMORY: Rule = Rule {
    name: "local memory",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_LOCAL_MEM_SIZE",
    equation: "Σ bytes(toLocal) · ∏ { length(m) : m around it, level(m) = 1 } ≤ limit",
    reason: "a device has so much local memory for a group",
    help: "use smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for kernel in 0..a.nest.kernels() {
            let total = a.total(Space::Local, kernel, &Code::level(Local));
            a.at_most(kernel, total, limits.local, "the bytes of local memory");
        }
    },
};

const REGISTERS: Rule = Rule {
    name: "registers",
    source: "an estimate",
    equation: "Σ bytes(toPrivate) ≤ limit",
    reason: "what a work-item keeps beyond its registers is kept in slow memory",
    help: "use smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for kernel in 0..a.nest.kernels() {
            let total = a.total(Space::Private, kernel, &[]);
            a.at_most(kernel, total, limits.private, "the bytes of private memory");
        }
    },
};

const BUFFERS: Rule = Rule {
    name: "buffers",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_MAX_MEM_ALLOC_SIZE",
    equation: "bytes(toGlobal) · ∏ { length(m) : m around it, level(m) > 0 } ≤ limit",
    reason: "a device has buffers of so many bytes",
    help: "use smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for memory in a.nest.memory.iter().filter(|m| m.space == Space::Global) {
            let all: Vec<i64> = spread().map(|c| c.0).collect();
            if let Some(bytes) = a.bytes(memory, &all) {
                let fits = Formula::Compare(Relation::Le, bytes, Term::Constant(limits.buffer));
                let message = format!("a buffer has more than {} bytes", limits.buffer);
                a.add(memory.site, memory.kernel, fits, message);
            }
        }
    },
};

/// What follows from all rules.
pub fn constraints(nest: &Nest, options: &Options) -> Vec<Constraint> {
    let mut found = vec![];
    for rule in RULES {
        let mut application = Application { rule, nest, options, found: &mut found };
        (rule.apply)(&mut application);
    }
    found
}

/// A rule being applied.
pub(super) struct Application<'a> {
    rule: &'static Rule,
    pub(super) nest: &'a Nest,
    options: &'a Options<'a>,
    found: &'a mut Vec<Constraint>,
}

/// The codes of maps that one work-item runs.
const SEQUENTIAL: [i64; 2] = [Code::SEQUENTIAL.0, Code::FUSED.0];

fn spread() -> impl Iterator<Item = Code> {
    Code::ALL.into_iter().filter(|c| c.parallel().is_some())
}

pub(super) fn not(m: usize, code: Code) -> Formula {
    Formula::not_in(m, vec![code.0])
}

pub(super) fn not_at(m: usize, level: Level) -> Formula {
    Formula::not_in(m, Code::level(level))
}

/// One of the maps has one of the codes.
fn any_of(maps: &[usize], codes: &[i64]) -> Formula {
    Formula::Any(maps.iter().map(|m| Formula::In(*m, codes.to_vec())).collect())
}

/// Of numbers that are known.
fn both(op: fn(Box<Term>, Box<Term>) -> Term, a: Option<Term>, b: Option<Term>) -> Option<Term> {
    match (a?, b?) {
        (a @ Term::Constant(_), b @ Term::Constant(_)) => {
            op(a.into(), b.into()).value(&[]).map(Term::Constant)
        }
        (a, b) => Some(op(a.into(), b.into())),
    }
}

impl Application<'_> {
    fn add(&mut self, site: Site, kernel: Option<usize>, formula: Formula, message: String) {
        self.found.push(Constraint { rule: self.rule, site, kernel, message, formula });
    }

    /// Of a map, which the message names.
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

    fn at_most(&mut self, kernel: usize, number: Option<Term>, limit: i64, what: &str) {
        let site = self.nest.kernel(kernel).next().map_or(Site::default(), |m| self.nest.maps[m].site);
        if let Some(number) = number.filter(|n| !matches!(n, Term::Constant(n) if *n <= limit)) {
            let fits = Formula::Compare(Relation::Le, number, Term::Constant(limit));
            self.add(site, Some(kernel), fits, format!("{what} are more than {limit}"));
        }
    }

    fn term(&self, n: &Nat) -> Option<Term> {
        self.options.term.and_then(|term| term(n))
    }

    /// How many elements a map has, together with those that are fused with it.
    fn length(&self, m: usize) -> Option<Term> {
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

    /// How many elements it has itself, if that is known.
    fn own_length(&self, m: usize) -> Option<i64> {
        match self.term(self.nest.maps[m].extent.as_ref()?)? {
            Term::Constant(n) => Some(n),
            _ => None,
        }
    }

    /// Its length if it has one of these codes, else 1.
    fn count_if(&self, m: usize, codes: &[i64]) -> Option<Term> {
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

    /// Memory for each iteration of the maps around it that have one of these codes.
    fn bytes(&self, memory: &Memory, codes: &[i64]) -> Option<Term> {
        let own = self.term(memory.bytes.as_ref()?);
        memory.around.iter().fold(own, |bytes, m| both(Term::Product, bytes, self.count_if(*m, codes)))
    }

    fn total(&self, space: Space, kernel: usize, codes: &[i64]) -> Option<Term> {
        let here = self.nest.memory.iter().filter(|m| m.space == space && m.kernel == Some(kernel));
        let bytes: Option<Vec<Term>> = here.map(|memory| self.bytes(memory, codes)).collect();
        bytes?.into_iter().try_fold(Term::Constant(0), |sum, bytes| both(Term::Sum, Some(sum), Some(bytes)))
    }

    /// What several work-items write to local memory takes barriers, which stand in all the maps
    /// that the memory stands in.
    fn barriers(&mut self, memory: &Memory) {
        let Some(kernel) = memory.kernel else { return };
        for n in memory.inside.iter().copied() {
            if memory.branch {
                self.map(n, not_at(n, Local), |n| format!("{n} takes a barrier in a branch of an `if`"));
            }
            for m in memory.around.iter().copied() {
                for p in self.nest.kernel(kernel).filter(|p| *p != m) {
                    self.exact(n, m, p, "has a barrier inside");
                }
            }
        }
    }

    /// Where `n` in `m` is spread over a group, no `p` of the dimension of `m` is longer.
    pub(super) fn exact(&mut self, n: usize, m: usize, p: usize, what: &str) {
        let message = |d: i64| {
            move |m: String| format!("{m} {what}, and others of {} are longer", Code::spread(Local, d))
        };
        let spread = |d: i64| {
            let code = Code::spread(Local, d);
            vec![not_at(n, Local), not(m, code), not(p, code)]
        };
        if let (Some(own), Some(other)) = (self.lengths(m), self.lengths(p)) {
            // With so many fused, at most, it is too short for those.
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

    /// A map, and those that may be fused with it one after the other, each with the length up to there:
    /// if these are known.
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
