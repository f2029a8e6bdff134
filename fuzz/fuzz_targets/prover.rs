//! What the prover proves is true, and its counterexamples are some.
#![no_main]

#[path = "../../lift-core/tests/nat_bytes/mod.rs"]
mod nat_bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if std::env::var_os("SHOW").is_some() {
        println!("{}", nat_bytes::shown(bytes));
    }
    if let Err(problem) = nat_bytes::check(bytes) {
        panic!("{problem}");
    }
});
