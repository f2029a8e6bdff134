//! What the compiler says about wrong programs, word for word.

#[test]
fn ui() {
    // None that must compile is among them: then `trybuild` only checks them, all at once.
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
