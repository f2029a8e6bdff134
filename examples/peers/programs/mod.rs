//! The programs that are measured, written as their users would: none says where it runs.

pub mod convolutions;
pub mod kinds;
pub mod passes;
pub mod products;
pub mod stencils;
