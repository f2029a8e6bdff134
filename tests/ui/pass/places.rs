// `lift!` in modules, in functions and through `macro_rules!`; names that get in the way nowhere.
#![deny(warnings)]
use lift::prelude::*;

mod filters {
    use lift::prelude::*;

    lift! {
        /// Twice as much.
        pub fn double<N>(xs: [f32; N]) -> [f32; N] { map(|x| x + x, xs) }
    }

    lift! {
        pub(crate) fn triple<N>(xs: [f32; N]) -> [f32; N] { map(|x| x * 3.0, xs) }
        pub(super) fn quadruple<N>(xs: [f32; N]) -> [f32; N] { map(|x| x * 4.0, xs) }
    }
}

lift! {
    // Named as things of the expansion are.
    pub fn run<outputs>(device: [f32; outputs], sizes: f32, times: f32) -> [f32; outputs] {
        map(|x| x * sizes + times, device)
    }

    // Raw identifiers, and the words of other languages.
    pub fn r#loop<r#type>(r#in: [f32; r#type], float: f32, kernel: f32) -> [f32; r#type] {
        let double = r#in;
        map(|int| int * float + kernel, double)
    }

    // A function of the block comes before one of the language.
    pub fn offset(x: f32) -> f32 { abs(x) + 1.0 }
    fn abs(x: f32) -> f32 { x - 100.0 }

    #[cfg(any())]
    pub fn left_out(x: f32) -> f32 { x }

    #[must_use]
    #[inline]
    pub fn attributes(x: f32) -> (f32,) { (x,) }

    // Private, and of no use outside: no item is made of it.
    fn pairs<N>(xs: [f32; N]) -> [(f32, f32); N] { zip(xs, reverse(xs)) }
    pub fn palindrome<N>(xs: [f32; N]) -> [f32; N] { map(|(x, y)| x + y, pairs(xs)) }

    pub fn many<A, B, C, D, E, F, G>(
        deep: [[[[[[[u8; G]; F]; E]; D]; C]; B]; A],
        deeper: [[[[[[u16; G]; F]; E]; D]; C]; B],
    ) -> ([[[[[[[u8; G]; F]; E]; D]; C]; B]; A], [[[[[[u16; G]; F]; E]; D]; C]; B]) {
        (deep, deeper)
    }
}

pub fn left_out() {}

macro_rules! scaled {
    ($name:ident, $factor:expr, $element:ty) => {
        lift! {
            pub fn $name<N>(xs: [$element; N]) -> [$element; N] { map(|x| x * $factor, xs) }
        }
    };
}
scaled!(tenfold, 7.0 + 3.0, f32);

// A variable and what is computed of it, passed in together.
macro_rules! pointwise {
    ($name:ident, |$x:ident, $xs:ident| $result:expr) => {
        lift! {
            pub fn $name<N>($xs: [f32; N]) -> [f32; N] {
                let y = map(|$x| $result, $xs);
                map(|x| x + 0.5, y)
            }
        }
    };
}
pointwise!(squared, |x, xs| x * x + reduce(0.0, |a, y| max(a, y), xs));

lift! {}

pub fn main() -> Result<(), lift::Error> {
    lift! {
        fn local<N>(xs: [f32; N]) -> [f32; N] { map(|x| x - 1.0, xs) }
    }
    let device = Device::cpu();
    let xs = array![1.0f32, 2.0];
    assert_eq!(filters::double(&device, xs.view())?, array![2.0, 4.0]);
    assert_eq!(filters::triple(&device, xs.view())?, array![3.0, 6.0]);
    assert_eq!(filters::quadruple(&device, xs.view())?, array![4.0, 8.0]);
    assert_eq!(run(&device, xs.view(), 2.0, 1.0)?, array![3.0, 5.0]);
    assert_eq!(r#loop(&device, xs.view(), 2.0, 1.0)?, array![3.0, 5.0]);
    assert_eq!(offset(&device, 1.0)?, -98.0);
    assert_eq!(attributes(&device, 1.0)?, (1.0,));
    assert_eq!(palindrome(&device, xs.view())?, array![3.0, 3.0]);
    assert_eq!(tenfold(&device, xs.view())?, array![10.0, 20.0]);
    assert_eq!(squared(&device, xs.view())?, array![3.5, 6.5]);
    assert_eq!(local(&device, xs.view())?, array![0.0, 1.0]);
    let compiled = local::compile(&device, local::Sizes { N: 2 })?;
    assert_eq!(compiled.run(xs.view())?, array![0.0, 1.0]);

    // The expression form: a function without a name.
    let square = lift!(|x: [f32; N]| -> [f32; N] { map(|v| v * v, x) });
    assert_eq!(square(&device, xs.view())?, array![1.0, 4.0]);
    let repeated = lift!(|r#in: f32, xs: [[f32; max(N, 2)]; M]| -> [f32; N] { repeat(N, r#in + M as f32) });
    assert_eq!(repeated(&device, 2, 1.0, array![[1.0f32, 2.0]].view())?, array![2.0, 2.0]);

    let deep = ArrayD::<u8>::ones(vec![1, 2, 1, 2, 1, 2, 1]);
    let deeper = Array6::<u16>::ones((2, 1, 2, 1, 2, 1));
    assert_eq!(many(&device, deep.view(), deeper.view())?, (deep.clone(), deeper.clone()));
    left_out();
    Ok(())
}
