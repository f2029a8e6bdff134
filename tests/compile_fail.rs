//! What rustc shows of wrong programs, word for word. The everyday tests compare what the macro has it say
//! (`lift-macros/src/tests/messages.rs`).

#[test]
#[ignore = "scripts/hunt runs it"]
fn ui() {
    // None that must compile is among them: then `trybuild` only checks them, all at once.
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
