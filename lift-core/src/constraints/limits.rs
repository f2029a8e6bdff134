//! The rules that follow from what a device has room for ([`crate::target::Limits`]).

use super::application::{both, not, not_at, spread};
use super::nest::Code;
use super::rule::Rule;
use crate::hierarchy::Level::Local;
use crate::hierarchy::Space;
use crate::nat::Relation;
use crate::solve::{Formula, Term};

pub(super) const GROUP_SIZE: Rule = Rule {
    name: "size of a work-group",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_MAX_WORK_GROUP_SIZE",
    equation: "∏ over d of max { length(m) : m = 10 + d } ≤ limit",
    reason: "a device limits the number of work-items in a work-group",
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
            a.at_most(kernel, product, limits.group, |n| {
                format!("a work-group has more than {n} work-items")
            });
            // The same for each map alone and for each pair: a search notices earlier that the product is too large.
            let long: Vec<(usize, i64)> = a
                .nest
                .kernel(kernel)
                .filter_map(|m| Some((m, a.own_length(m).filter(|n| *n > 1)?)))
                .collect();
            for (k, (m, length)) in long.iter().copied().enumerate() {
                if length > limits.group {
                    a.map(m, not_at(m, Local), |m| format!("{m} needs a work-group of {length} work-items"));
                }
                for (n, other) in
                    long[..k].iter().copied().filter(|(_, n)| n.saturating_mul(length) > limits.group)
                {
                    for d in 0..3 {
                        let elsewhere =
                            (0..3).filter(|e| *e != d).map(|e| Code::spread(Local, e).0).collect();
                        let apart = not(m, Code::spread(Local, d)).or(Formula::not_in(n, elsewhere));
                        a.map(m, apart, |m| {
                            format!("{m} needs a work-group of {length} times {other} work-items")
                        });
                    }
                }
            }
        }
    },
};

pub(super) const GROUP_SIDES: Rule = Rule {
    name: "sides of a work-group",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_MAX_WORK_ITEM_SIZES",
    equation: "m = 10 + d ⇒ length(m) ≤ limit(d)",
    reason: "a device limits the number of work-items along each dimension of a work-group",
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
                a.map(m, fits, |m| format!("{m} needs more than {limit} work-items along dimension {d}"));
            }
        }
    },
};

pub(super) const LOCAL_MEMORY: Rule = Rule {
    name: "local memory",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_LOCAL_MEM_SIZE",
    equation: "Σ bytes(toLocal) · ∏ { length(m) : m around it, level(m) = 1 } ≤ limit",
    reason: "a device limits the local memory of a work-group",
    help: "use smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for kernel in 0..a.nest.kernels() {
            let total = a.total(Space::Local, kernel, &Code::level(Local));
            a.at_most(kernel, total, limits.local, |n| {
                format!("a work-group uses more than {n} bytes of local memory")
            });
        }
    },
};

pub(super) const REGISTERS: Rule = Rule {
    name: "registers",
    source: "an estimate",
    equation: "Σ bytes(toPrivate) ≤ limit, or ≤ limit(alone) if no level(m) = 1",
    reason: "values that do not fit into the registers of a work-item are spilled to slow memory",
    help: "use smaller tiles",
    stage: 2,
    apply: |a| {
        let Some(limits) = a.options.limits else { return };
        for kernel in 0..a.nest.kernels() {
            let total = a.total(Space::Private, kernel, &[]);
            let in_no_group = a.nest.kernel(kernel).map(|m| not_at(m, Local)).collect();
            let message = |n| match limits.alone > limits.private {
                true => format!(
                    "a work-item uses more than {n} bytes of private memory, which one in a group has {} of",
                    limits.private
                ),
                false => format!("a work-item uses more than {n} bytes of private memory"),
            };
            a.at_most_where(
                kernel,
                total,
                [limits.private, limits.alone],
                Formula::All(in_no_group),
                message,
            );
        }
    },
};

pub(super) const BUFFERS: Rule = Rule {
    name: "buffers",
    source: "OpenCL 1.2 §4.2, CL_DEVICE_MAX_MEM_ALLOC_SIZE",
    equation: "bytes(toGlobal) · ∏ { length(m) : m around it, level(m) > 0 } ≤ limit",
    reason: "a device limits the size of a buffer",
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
