// No prelude, and names of Rust's own wherever a name may stand.
#![deny(warnings)]
#![no_implicit_prelude]

// What stands around does not matter.
#[allow(dead_code)]
const N: u8 = 0;
#[allow(dead_code)]
static ENTRY: u8 = 0;
#[allow(dead_code)]
struct M;
#[allow(dead_code, non_camel_case_types)]
struct usize;
#[allow(dead_code)]
enum Result {
    Ok,
}
#[allow(unused_imports)]
use Result::Ok;

::lift::lift! {
    pub fn parameters<N, M>(
        result: [f32; N], ENTRY: f32, Compiled: f32, Ok: f32, Err: f32, Some: f32, None: f32, Sizes: f32,
    ) -> [f32; N] {
        map(|x| x + ENTRY + Compiled + Ok + Err + Some + None + Sizes + M as f32, result)
    }
}

pub fn main() {
    let xs = ::lift::ndarray::arr1(&[1.0f32]);
    let device = ::lift::Device::cpu();
    let sums = parameters(&device, 2, xs.view(), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0).unwrap();
    ::std::assert_eq!(sums, ::lift::ndarray::arr1(&[10.0]));
    let compiled = parameters::compile(&device, parameters::Sizes { N: 1, M: 2 }).unwrap();
    let (mut sums, _) = compiled.run_timed(xs.view(), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0).unwrap();
    compiled.run_into(xs.view(), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, &mut sums).unwrap();
    ::std::assert_eq!(sums, ::lift::ndarray::arr1(&[10.0]));
    let there = device.upload(&xs).unwrap();
    let mut sums = compiled.run_there(&there, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0).unwrap();
    compiled.run_there_into(xs, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, &mut sums).unwrap();
    ::std::assert_eq!(sums.download().unwrap(), ::lift::ndarray::arr1(&[10.0]));
}
