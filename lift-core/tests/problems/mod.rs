//! Problems of the size that tuning a convolution poses, as data.

use lift_core::constraints::{Limits, Map, Memory, Nest, Numbers, Options, Use, Write, constraints};
use lift_core::expr::{NodeId, Tune};
use lift_core::kernel::Space;
use lift_core::nat::{Condition, Nat, Var};
use lift_core::solve::{Domain, Problem, Term};
use lift_core::syntax::Site;
use lift_core::tune;

/// The placement of a nest's maps, with the limits of a device or without.
pub fn placement(nest: &Nest, limits: Option<Limits>) -> Problem {
    let number = |n: &Nat| n.as_constant().map(Term::Constant);
    let term: Option<Numbers> = if limits.is_some() { Some(&number) } else { None };
    let options = Options { fuse_sequential: false, limits, term };
    let codes = [0, 1, 10, 11, 12, 20, 21, 22, 30, 31, 32];
    Problem {
        domains: nest.maps.iter().map(|_| Domain::of(codes.to_vec())).collect(),
        constraints: constraints(nest, &options).into_iter().map(|c| c.formula).collect(),
    }
}

/// A small device's.
pub const LIMITS: Limits = Limits {
    group: 256,
    sides: [256, 256, 64],
    local: 8 << 10,
    private: 4 << 10,
    alone: 4 << 10,
    buffer: 1 << 30,
};

/// A map among the maps around it; `perfect`: it is all that the last of them does.
pub fn map(nest: &mut Nest, kernel: usize, around: &[usize], length: i64, perfect: bool) -> usize {
    let number = nest.maps.len();
    nest.maps.push(Map {
        id: NodeId(number as u32),
        site: Site(number as u32),
        around: around.to_vec(),
        kernel,
        given: None,
        extent: Some(Nat::constant(length)),
        perfect,
        private: None,
        local: None,
        step: false,
        reread: false,
        overlaps: false,
        items: None,
    });
    number
}

pub fn write(nest: &mut Nest, kernel: usize, around: &[usize], space: Space) {
    nest.writes.push(Write { site: Site::default(), around: around.to_vec(), kernel, space });
}

/// The twelve maps of a direct convolution as CC'22 has it before they are placed: a kernel that
/// loads tiles of the input into local memory, or into registers, and sums up products in registers,
/// and one that adds the partial sums.
pub fn convolution(tiles: Space) -> Nest {
    let mut nest = Nest::default();
    let n = &mut nest;
    let a = map(n, 0, &[], 4, false);
    let b = map(n, 0, &[a], 4, true);
    let load = map(n, 0, &[a, b], 6, false);
    let loads = map(n, 0, &[a, b, load], 6, true);
    let kernels = map(n, 0, &[a, b], 8, false);
    let windows = map(n, 0, &[a, b, kernels], 16, true);
    let zeros = map(n, 0, &[a, b, kernels, windows], 8, false);
    let step = map(n, 0, &[a, b, kernels, windows], 8, false);
    let local = tiles == Space::Local;
    for m in [load, loads, kernels, windows] {
        let used = Some(if m < kernels { Use::Writes } else { Use::Reads });
        match local {
            true => n.maps[m].local = used,
            // Each work-item prefetches what it needs, inside the window that it computes.
            false if m < kernels => n.maps[m].private = used,
            false => {}
        }
    }
    if !local {
        for m in [load, loads] {
            let inside = [a, b, kernels, windows];
            n.maps[m].around = if m == load { inside.to_vec() } else { [&inside[..], &[load]].concat() };
        }
    }
    for m in [zeros, step] {
        n.maps[m].private = Some(Use::Writes);
    }
    n.maps[step].step = true;
    write(n, 0, &n.maps[loads].around.clone(), tiles);
    write(n, 0, &[a, b, kernels, windows, zeros], Space::Private);
    write(n, 0, &[a, b, kernels, windows], Space::Global);
    let (around, inside) = (n.maps[load].around.clone(), vec![load, loads]);
    let bytes = Some(Nat::constant(4 * 36));
    let site = Site::default();
    n.memory.push(Memory {
        site,
        space: Space::Local,
        around,
        kernel: Some(0),
        bytes,
        inside,
        branch: false,
    });
    chain(n, 1, &[4, 4, 8, 16]);
    nest
}

/// Maps of these lengths, each all that the one around it does.
fn chain(nest: &mut Nest, kernel: usize, lengths: &[i64]) {
    let mut around = vec![];
    for length in lengths {
        let m = map(nest, kernel, &around, *length, !around.is_empty());
        around.push(m);
    }
    write(nest, kernel, &around, Space::Global);
}

/// So many kernels of so many nested maps.
pub fn chains(kernels: usize, maps: usize) -> Nest {
    let mut nest = Nest::default();
    (0..kernels).for_each(|kernel| chain(&mut nest, kernel, &vec![4; maps]));
    nest
}

/// The parameters of GPGPU'20's partial convolution for a layer of VGG-16 with `C` input channels,
/// `K` kernels and images of `H` by `H`.
pub fn parameters(c: i64, k: i64, h: i64) -> tune::Space {
    let var = |name: &str| Nat::var(&Var::size(name));
    let span = |name: &str, low: i64, high: i64| (Var::size(name), Tune::Span(low.into(), high.into()));
    let (theta, kappa, sigma, omega, v) =
        (&var("THETA"), &var("KAPPA"), &var("SIGMA"), &var("OMEGA"), &var("V"));
    let outputs = &(theta - 2);
    let windows = &(outputs * outputs);
    let chunks = &Nat::constant(9 * c);
    tune::Space {
        parameters: vec![
            span("THETA", 3, h),
            span("KAPPA", 1, k),
            span("OMEGA", 1, 9 * c),
            span("SIGMA", 1, h * h),
            (Var::size("V"), Tune::List([1, 2, 4, 8, 16].map(Nat::constant).into())),
        ],
        constraints: vec![
            Condition::divides(outputs, Nat::constant(h - 2)),
            Condition::divides(kappa, Nat::constant(k)),
            Condition::divides(omega, chunks),
            Condition::divides(sigma, windows),
            Condition::divides(v, omega),
            Condition::le(kappa * sigma, Nat::constant(1 << 20)),
            Condition::le((Nat::constant(k).div(kappa)) * windows.div(sigma), Nat::constant(1 << 20)),
        ],
    }
}
