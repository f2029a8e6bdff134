//! A program whose arrays lie beside each other in memory, for tests of where they lie and of what is done with that.

use lift::prelude::*;

lift! {
    /// The first array is the largest. The last two, which are needed at the same time, are smaller.
    pub fn uneven<N>(xs: [f32; 4 * N]) -> [f32; 3 * N] {
        let large = toGlobal(mapGlb(0, |x| x + 1.0, xs));
        let small = toGlobal(mapGlb(0, |four| reduce(0.0, |sum, x| sum + x, four), split(4, reverse(large))));
        let wide = toGlobal(mapGlb(0, |x| x * 2.0, concat(small, concat(reverse(small), small))));
        let turned = toGlobal(mapGlb(0, |x| x - 3.0, reverse(wide)));
        mapGlb(0, |x| x * x, reverse(turned))
    }
}
