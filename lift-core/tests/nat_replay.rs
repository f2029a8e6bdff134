//! What the fuzzer of the prover found worth keeping, and everything that ever went wrong.

mod nat_bytes;

#[test]
fn fuzzed_questions() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/kept/prover");
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("inputs that the fuzzer kept") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        if let Err(problem) = nat_bytes::check(&bytes) {
            panic!("{}: {problem}", nat_bytes::shown(&bytes));
        }
        replayed += 1;
    }
    assert!(replayed > 50, "{replayed}");
}
