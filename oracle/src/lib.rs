//! Only tests: see `tests/counts.rs`.
