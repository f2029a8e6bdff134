use lift::prelude::*;
lift! {
    pub fn sigmoid<N>(xs: [f32; N]) -> [f32; N] { map(|x| 1.0 / (1.0 + exp(0.0 - x)), xs) }
    pub fn flip<N, M>(xs: [[f32; M]; N]) -> [[f32; N]; M] { transpose(xs) }
}
fn main() {
    for (p, s) in [(sigmoid::program(), vec![1 << 24]), (flip::program(), vec![4096, 4096])] {
        let sizes = lift_core::Sizes(p.sizes().iter().zip(s).map(|(s, n)| (s.var.clone(), n)).collect());
        println!("{}", lift_core::compile(p, &sizes, &Default::default()).unwrap().c());
    }
}
