//! Where the maps of a tiled product run, together with how large its tiles are: lengths and memory depend on
//! parameters, and what a device has room for on both.

use crate::problems::{map, write};
use lift_core::constraints::{Limits, Memory, Nest, Options, Use, constraints};
use lift_core::kernel::Space;
use lift_core::nat::{Condition, Nat, Var};
use lift_core::solve::{Domain, Formula, Problem, Term};
use lift_core::syntax::Site;

const ROWS: i64 = 16;
const COLUMNS: i64 = 8;

/// Each of these limits leaves out something that the others don't.
pub const LIMITS: Limits =
    Limits { group: 8, sides: [16, 4, 2], local: 128, private: 16, alone: 16, buffer: 1 << 20 };

fn sizes() -> [Var; 2] {
    ["T", "U"].map(Var::size)
}

/// A tile of rows is in local memory, and the sums of a row of a tile in registers.
fn nest() -> Nest {
    let [t, u] = &sizes().map(|size| Nat::var(&size));
    let mut nest = Nest::default();
    let n = &mut nest;
    let mut add = |around: &[usize], length: &Nat, perfect: bool| {
        let number = map(n, 0, around, 1, perfect);
        n.maps[number].extent = Some(length.clone());
        number
    };
    let rows = add(&[], &Nat::constant(ROWS).div(t), false);
    let columns = add(&[rows], &Nat::constant(COLUMNS).div(u), true);
    let load = add(&[rows, columns], &(t * u), false);
    let row = add(&[rows, columns], t, false);
    let zeros = add(&[rows, columns, row], u, false);
    let sums = add(&[rows, columns, row], u, false);
    n.maps[load].local = Some(Use::Writes);
    n.maps[row].local = Some(Use::Reads);
    n.maps[zeros].private = Some(Use::Writes);
    n.maps[sums].private = Some(Use::Reads);
    write(n, 0, &[rows, columns, load], Space::Local);
    write(n, 0, &[rows, columns, row, zeros], Space::Private);
    write(n, 0, &[rows, columns, row], Space::Global);
    let mut keep = |space, around: &[usize], bytes, inside| {
        let (site, around) = (Site::default(), around.to_vec());
        n.memory.push(Memory {
            site,
            space,
            around,
            kernel: Some(0),
            bytes: Some(bytes),
            inside,
            branch: false,
        });
    };
    keep(Space::Local, &[rows, columns], t * u * 4, vec![load]);
    keep(Space::Private, &[rows, columns, row], u * 4, vec![zeros]);
    nest
}

/// The maps come first, and then the parameters.
pub fn problem(limits: Limits) -> Problem {
    let (nest, sizes) = (nest(), sizes());
    let maps = nest.maps.len();
    let variable = |var: &Var| sizes.iter().position(|size| size == var).map(|k| Term::Variable(maps + k));
    let number = |n: &Nat| Term::of(n, &variable);
    let options = Options { fuse_sequential: false, limits: Some(limits), term: Some(&number) };
    let [t, u] = &sizes.clone().map(|size| Nat::var(&size));
    let divide = [(t, ROWS), (u, COLUMNS)].map(|(n, all)| Condition::divides(n, Nat::constant(all)));
    let divide = divide.iter().map(|c| Formula::of(c, &variable).expect("of the parameters"));
    let codes = || Domain::of(vec![0, 1, 10, 11, 12, 20, 21, 22, 30, 31, 32]);
    let spans = [Domain::Span(1, ROWS), Domain::Span(1, COLUMNS)];
    Problem {
        domains: (0..maps).map(|_| codes()).chain(spans).collect(),
        constraints: constraints(&nest, &options).into_iter().map(|c| c.formula).chain(divide).collect(),
    }
}
