//! The language, its primitives, and what the compiler says about mistakes.

#[doc = include_str!("../docs/language.md")]
pub mod language {}

#[doc = include_str!("../docs/primitives.md")]
pub mod primitives {}

// Its programs are tests of their own.
#[cfg_attr(not(doctest), doc = include_str!("../docs/mistakes.md"))]
pub mod mistakes {}
