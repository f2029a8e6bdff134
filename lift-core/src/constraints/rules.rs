//! The rules, each with what it demands of a nest of maps.

use super::application::{SEQUENTIAL, any_of, not, not_at, spread};
use super::items::ITEMS;
use super::limits::{BUFFERS, GROUP_SIDES, GROUP_SIZE, LOCAL_MEMORY, REGISTERS};
use super::nest::{Code, Nest, Use, of_group};
use super::rule::{Application, Constraint, Options, Rule};
use crate::hierarchy::Level::{Global, Group, Local};
use crate::hierarchy::Space;
use crate::solve::Formula;

/// The number of [`Rule::stage`]s.
pub const STAGES: usize = 3;

/// All rules but those of `tune` parameters, which come from the program.
pub static RULES: [&Rule; 18] = [
    &DUPLICATE,
    &MIXED,
    &HIERARCHY,
    &DIMENSIONS,
    &STEPS,
    &FUSABLE,
    &PRIVATE,
    &LOCAL,
    &OVERLAP,
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

/// All constraints that the rules make for a nest.
pub fn constraints(nest: &Nest, options: &Options) -> Vec<Constraint> {
    let mut found = vec![];
    for rule in RULES {
        let mut application = Application { rule, nest, options, found: &mut found };
        (rule.apply)(&mut application);
    }
    found
}

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
                    Use::Writes => "writes its result to private memory",
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
            let message = format!("`{name}` is not inside a `mapWrg`");
            let groups = any_of(&memory.around, &Code::level(Group));
            a.add(memory.site, memory.kernel, groups, message);
        }
    },
};

const OVERLAP: Rule = Rule {
    name: "rows that overlap",
    source: "OpenCL 1.2 §3.3.1",
    equation: "m goes over the rows of `joinOverlap` ⇒ level(m) = 0",
    reason: "two rows may have elements in common, and the last of them says what these are: one work-item writes all rows, in order",
    help: "use `mapSeq`, and spread the maps around or inside it over work-items",
    stage: 1,
    apply: |a| {
        for (m, _) in a.nest.maps.iter().enumerate().filter(|(_, map)| map.overlaps) {
            let alone = Formula::In(m, vec![Code::SEQUENTIAL.0]);
            a.map(m, alone, |m| format!("{m} writes rows that share elements"));
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
                a.map(n, both, |_| format!("{code} is nested in another {code}"));
            }
        }
    },
};

const DIMENSIONS: Rule = Rule {
    name: "local and group dimensions",
    source: "CC'22, rules 4 and 5",
    equation: "m = 20 + d ⇒ ⋁ n = 10 + d",
    reason: "along each dimension there are groups with work-items in them: `mapWrg` and `mapLcl` go together",
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
    help: "put it around the `mapLcl`, not inside it, or use `mapGlb` instead of both",
    stage: 0,
    apply: |a| {
        for (m, n) in a.nest.nested() {
            let apart = not_at(m, Local).or(not_at(n, Group));
            a.map(n, apart, |n| format!("{n} is inside a `mapLcl`"));
        }
        for (m, map) in a.nest.maps.iter().enumerate() {
            for d in 0..3 {
                let (group, local) = (Code::spread(Group, d), Code::spread(Local, d));
                let inside = not(m, local).or(any_of(&map.around, &[group.0]));
                a.map(m, inside, |_| format!("{local} is not inside a {group}"));
            }
        }
    },
};

const EXHAUSTIVE: Rule = Rule {
    name: "exhaustive indexing",
    source: "CC'22, rule 7",
    equation: "m in a kernel, level(m) > 0 ⇒ for every chain that writes shared memory: ⋁ map of the chain = m",
    reason: "a write is spread over every dimension that the kernel uses; otherwise several work-items would \
             write the same element",
    help: "compute it in a `mapLcl` too, or in a kernel of its own",
    stage: 2,
    apply: |a| {
        for write in a.nest.writes.iter().filter(|w| w.space != Space::Private) {
            for m in a.nest.kernel(write.kernel).filter(|m| !write.around.contains(m)) {
                // Each group has local memory of its own.
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
                let stands = if inside { "is inside" } else { "shares a kernel with" };
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
            a.map(m, Formula::In(m, within), |m| format!("{m} is inside the function of a reduction"));
        }
    },
};

const FUSABLE: Rule = Rule {
    name: "fusion of perfect nests",
    source: "CC'22 §4.1",
    equation: "n = 1 ⇒ n is perfectly nested",
    reason: "only perfectly nested maps are fused: the outer one does nothing besides the inner one",
    help: "use `mapSeq`",
    stage: 0,
    apply: |a| {
        for (m, map) in a.nest.maps.iter().enumerate() {
            if !map.perfect {
                a.map(m, not(m, Code::FUSED), |m| format!("{m} is not the whole body of the map around it"));
            }
        }
    },
};

const FUSION: Rule = Rule {
    name: "sequential fusion (a heuristic, if asked for)",
    source: "CC'22, rule 8",
    equation: "n is perfectly nested in m ⇒ ¬(m = 0 ∧ n = 0)",
    reason: "two perfectly nested sequential maps are as good as one",
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
    reason: "either all work-items of a group reach a barrier, or none",
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
