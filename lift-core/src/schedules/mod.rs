//! The schedules: five published ways to make a convolution fast, each a strategy that derives it
//! from the user's expression.

pub mod combined;
pub mod nest;
