//! Whatever the bytes of a model are, it is refused in words or has a plan.
//!
//! What libFuzzer found is changed where a field says something (`lift-onnx/tests/mutated/`), and now and then anywhere.
#![no_main]

#[path = "../../lift-onnx/tests/common/mod.rs"]
mod common;
#[path = "../../lift-onnx/tests/mutated/mod.rs"]
mod mutated;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    if seed.is_multiple_of(16) {
        return fuzzer_mutate(data, size, most);
    }
    let changed = mutated::mutated(&data[..size], &mut fastrand::Rng::with_seed(u64::from(seed)));
    if changed.len() > most {
        return size;
    }
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
});

fuzz_target!(|bytes: &[u8]| {
    let reached = mutated::whole::carried_out(bytes, false);
    if std::env::var_os("SHOW").is_some() {
        println!("{reached:?}");
    }
});
