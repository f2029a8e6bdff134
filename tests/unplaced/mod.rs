//! Programs whose memory is decided and whose maps are not placed, and what is known of them by
//! reading them: from that, [`Nest::allows`] says which placements are valid, without regard to how
//! the library finds them.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use lift::Program;
use lift::prelude::*;

lift! {
    /// CC'22, listing 3, with the products in local memory.
    pub fn listing3_local<N>(x: [f32; 6 * N], y: f32, z: f32) -> [f32; 6 * N] {
        join(map(|part| {
            let products = toLocal(join(map(|row| map(|x| x * y, row), split(2, part))));
            map(|p| p + z, reverse(products))
        }, split(6, x)))
    }

    pub fn listing3_private<N>(x: [f32; 6 * N], y: f32, z: f32) -> [f32; 6 * N] {
        join(map(|part| {
            let products = toPrivate(join(map(|row| map(|x| x * y, row), split(2, part))));
            map(|p| p + z, reverse(products))
        }, split(6, x)))
    }

    pub fn listing3_global<N>(x: [f32; 6 * N], y: f32, z: f32) -> [f32; 6 * N] {
        join(map(|part| {
            let products = toGlobal(join(map(|row| map(|x| x * y, row), split(2, part))));
            map(|p| p + z, reverse(products))
        }, split(6, x)))
    }

    /// Tiles of the input in local memory; in each, every kernel at every window.
    pub fn convolution<N, K>(weights: [[f32; 3]; K], xs: [f32; 4 * N + 2]) -> [[[f32; 4]; K]; N] {
        map(|tile| {
            let tile = toLocal(map(|x| x, tile));
            map(|kernel| map(
                |window| reduceSeq(0.0, |sum, (x, w)| sum + x * w, zip(window, kernel)),
                slide(3, 1, tile)), weights)
        }, slide(6, 4, xs))
    }

    /// Tiles of two dimensions in local memory, larger than what is computed of them.
    pub fn tiles<H, W>(image: [[f32; 2 * W + 2]; 2 * H + 2]) -> [[[[f32; 2]; 2]; W]; H] {
        map(|row| map(|tile| {
            let tile = toLocal(map(|line| map(|x| x, line), tile));
            map(|line| map(|window| reduceSeq(0.0, |sum, x| sum + x, join(window)), line),
                slide2D((3, 3), (1, 1), tile))
        }, row), slide2D((4, 4), (2, 2), image))
    }

    /// Two steps, a kernel for each.
    pub fn stencil<H, W>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        let step = |image| map(
            |rows| map(|window| reduceSeq(0.0, |sum, x| sum + x, join(window)), rows),
            slide2D((3, 3), (1, 1), padClamp2D(1, 1, 1, 1, image)));
        step(toGlobal(step(image)))
    }

    /// Blocks of rows by blocks of columns.
    pub fn product<M, N, K>(a: [[f32; K]; 2 * M], b: [[f32; 3 * N]; K]) -> [[[[f32; 3]; 2]; N]; M] {
        map(|rows|
            map(|columns|
                map(|row|
                    map(|column| reduceSeq(0.0, |sum, (x, y)| sum + x * y, zip(row, column)), columns),
                    rows),
                split(3, transpose(b))),
            split(2, a))
    }

    /// The powers of a row in local memory.
    pub fn softmax<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|row| {
            let largest = reduceSeq(f32::NEG_INFINITY, max, row);
            let powers = toLocal(map(|x| exp(x - largest), row));
            let total = reduceSeq(0.0, |sum, x| sum + x, powers);
            map(|x| x / total, powers)
        }, rows)
    }
}

/// A map, in the order of the text from the outside in.
pub struct Map {
    pub around: &'static [usize],
    pub length: usize,
    pub kernel: usize,
    /// The map around it does nothing else.
    pub only: bool,
    pub memory: Memory,
}

/// The memory, other than that of arguments and results, that a map reads or writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    None,
    Private,
    Local,
    /// Global memory of a single work-item: nothing orders what several do to it.
    Own,
}

/// Where something is written, by the maps around it, to memory that several work-items see.
pub struct Written {
    pub by: &'static [usize],
    /// The maps around the memory, if it is local.
    pub local: Option<&'static [usize]>,
}

pub struct Nest {
    pub program: fn() -> &'static Program,
    pub sizes: &'static [usize],
    pub maps: &'static [Map],
    pub written: &'static [Written],
}

const fn map(around: &'static [usize], length: usize, only: bool, memory: Memory) -> Map {
    Map { around, length, kernel: 0, only, memory }
}

const fn global(by: &'static [usize]) -> Written {
    Written { by, local: None }
}

const fn local(by: &'static [usize], around: &'static [usize]) -> Written {
    Written { by, local: Some(around) }
}

pub const NESTS: &[Nest] = &[
    Nest {
        program: listing3_local::program,
        sizes: &[2],
        maps: &[
            map(&[], 2, false, Memory::None),
            map(&[0], 3, false, Memory::Local),
            map(&[0, 1], 2, true, Memory::Local),
            map(&[0], 6, false, Memory::Local),
        ],
        written: &[local(&[0, 1, 2], &[0]), global(&[0, 3])],
    },
    Nest {
        program: listing3_private::program,
        sizes: &[2],
        maps: &[
            map(&[], 2, false, Memory::None),
            map(&[0], 3, false, Memory::Private),
            map(&[0, 1], 2, true, Memory::Private),
            map(&[0], 6, false, Memory::Private),
        ],
        written: &[global(&[0, 3])],
    },
    Nest {
        program: listing3_global::program,
        sizes: &[2],
        maps: &[
            map(&[], 2, false, Memory::None),
            map(&[0], 3, false, Memory::Own),
            map(&[0, 1], 2, true, Memory::Own),
            map(&[0], 6, false, Memory::None),
        ],
        written: &[global(&[0, 1, 2]), global(&[0, 3])],
    },
    Nest {
        program: convolution::program,
        sizes: &[2, 2],
        maps: &[
            map(&[], 2, false, Memory::None),
            map(&[0], 6, false, Memory::Local),
            map(&[0], 2, false, Memory::Local),
            map(&[0, 2], 4, true, Memory::Local),
        ],
        written: &[local(&[0, 1], &[0]), global(&[0, 2, 3])],
    },
    Nest {
        program: stencil::program,
        sizes: &[3, 4],
        maps: &[
            Map { kernel: 1, ..map(&[], 3, false, Memory::None) },
            Map { kernel: 1, ..map(&[0], 4, true, Memory::None) },
            map(&[], 3, false, Memory::None),
            map(&[2], 4, true, Memory::None),
        ],
        written: &[global(&[0, 1]), global(&[2, 3])],
    },
    Nest {
        program: product::program,
        sizes: &[2, 2, 3],
        maps: &[
            map(&[], 2, false, Memory::None),
            map(&[0], 2, true, Memory::None),
            map(&[0, 1], 2, true, Memory::None),
            map(&[0, 1, 2], 3, true, Memory::None),
        ],
        written: &[global(&[0, 1, 2, 3])],
    },
    Nest {
        program: softmax::program,
        sizes: &[5, 3],
        maps: &[
            map(&[], 3, false, Memory::None),
            map(&[0], 5, false, Memory::Local),
            map(&[0], 5, false, Memory::Local),
        ],
        written: &[local(&[0, 1], &[0]), global(&[0, 2])],
    },
];

/// Too large to try everything.
pub const LARGE: &[Nest] = &[Nest {
    program: tiles::program,
    sizes: &[2, 2],
    maps: &[
        map(&[], 2, false, Memory::None),
        map(&[0], 2, true, Memory::None),
        map(&[0, 1], 4, false, Memory::Local),
        map(&[0, 1, 2], 4, true, Memory::Local),
        map(&[0, 1], 2, false, Memory::Local),
        map(&[0, 1, 4], 2, true, Memory::Local),
    ],
    written: &[local(&[0, 1, 2, 3], &[0, 1]), global(&[0, 1, 4, 5])],
}];

/// The values of a map, CC'22's table 2.
pub const CODES: [i64; 11] = [0, 1, 10, 11, 12, 20, 21, 22, 30, 31, 32];

impl Nest {
    /// May the maps run like this?
    pub fn allows(&self, codes: &[i64]) -> bool {
        let maps = || self.maps.iter().zip(codes.iter().copied()).enumerate();
        for (m, (map, code)) in maps() {
            let outer = |wanted: i64| map.around.iter().any(|o| codes[*o] == wanted);
            let outer_level = |level: i64| map.around.iter().any(|o| codes[*o] / 10 == level);
            let inner = |wanted: i64| maps().any(|(_, (n, c))| n.around.contains(&m) && c == wanted);
            let fine = match code / 10 {
                0 => code == 0 || map.only,
                1 => outer(code + 10),
                2 => inner(code - 10) && !outer_level(1),
                _ => maps().all(|(_, (n, c))| n.kernel != map.kernel || !(1..=2).contains(&(c / 10))),
            };
            let reaches = match map.memory {
                Memory::None => true,
                Memory::Private | Memory::Own => code < 10,
                Memory::Local => code < 20 && outer_level(2),
            };
            if !fine || !reaches {
                return false;
            }
        }
        self.written.iter().all(|w| self.written_once(w, codes) && self.synchronised(w, codes))
    }

    /// The iterations of a map, with those of maps fused with it.
    fn length(&self, m: usize, codes: &[i64]) -> usize {
        let inner = (0..self.maps.len())
            .find(|n| self.maps[*n].only && self.maps[*n].around.last() == Some(&m) && codes[*n] == 1);
        self.maps[m].length * inner.map_or(1, |n| self.length(n, codes))
    }

    /// How many work-items, or groups, there are for a code.
    fn count(&self, code: i64, kernel: usize, codes: &[i64]) -> usize {
        let those = (0..self.maps.len()).filter(|m| codes[*m] == code && self.maps[*m].kernel == kernel);
        those.map(|m| self.length(m, codes)).max().unwrap_or(1)
    }

    /// Does exactly one work-item come to each element, of all, or of every group that comes there?
    fn written_once(&self, written: &Written, codes: &[i64]) -> bool {
        let kernel = self.maps[written.by[0]].kernel;
        let counted: &[i64] = match written.local {
            None => &[10, 11, 12, 20, 21, 22, 30, 31, 32],
            Some(_) => &[10, 11, 12],
        };
        let counts: Vec<usize> = counted.iter().map(|c| self.count(*c, kernel, codes)).collect();
        let loops: Vec<usize> = written.by.iter().copied().filter(|m| codes[*m] != 1).collect();
        let lengths: Vec<usize> = loops.iter().map(|m| self.length(*m, codes)).collect();
        all(&lengths).iter().all(|element| {
            let comes = |item: &&Vec<usize>| {
                loops.iter().zip(element).all(|(m, i)| {
                    let at = counted.iter().position(|c| *c == codes[*m]);
                    at.is_none_or(|at| i % counts[at] == item[at])
                })
            };
            all(&counts).iter().filter(comes).count() == 1
        })
    }

    /// Do all work-items of a group come to the barrier behind what several of them write?
    fn synchronised(&self, written: &Written, codes: &[i64]) -> bool {
        let Some(around) = written.local else { return true };
        let shared = written.by.iter().any(|m| !around.contains(m) && codes[*m] / 10 == 1);
        let kernel = self.maps[written.by[0]].kernel;
        let whole =
            |m: &usize| codes[*m] / 10 != 1 || self.length(*m, codes) == self.count(codes[*m], kernel, codes);
        !shared || around.iter().all(whole)
    }
}

/// All tuples of numbers below these.
fn all(counts: &[usize]) -> Vec<Vec<usize>> {
    counts.iter().fold(vec![vec![]], |tuples, count| {
        let longer = |t: &Vec<usize>| (0..*count).map(|k| [&t[..], &[k]].concat()).collect::<Vec<_>>();
        tuples.iter().flat_map(longer).collect()
    })
}
