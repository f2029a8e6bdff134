//! What each stage of the compiler makes of one small program: `cargo run --example tour`.
//!
//! `ARCHITECTURE.md` follows this program, and a test keeps what it shows up to date. Write another program in its
//! place to see what becomes of it.

use lift::target::Target;
use std::error::Error;

// begin
lift::lift! {
    pub fn sums<N>(xs: [f32; N]) -> [f32; N - 1]
    where
        N >= 2,
    {
        map(|pair| reduce(0.0, |sum, x| sum + x, pair), slide(2, 1, reverse(xs)))
    }
}
// end

/// The program after each stage, for arrays of 1000 elements: what the stage's result is called, and its text.
pub fn stages() -> Result<[(&'static str, String); 4], Box<dyn Error>> {
    let program = sums::program();
    let sizes = program.solve(&[], &[vec![1000]])?;
    let lowered = lift::lowered(program, &sizes, &Target::default())?;
    let plan = lift::plan(program, &sizes, &Target::default())?;
    let kernels = plan.kernels().map(|(_, kernel)| kernel.to_string()).collect();
    Ok([
        ("checked", program.function.to_string()),
        ("lowered", lowered.to_string()),
        ("kernel tree", kernels),
        ("OpenCL", plan.opencl()),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    for (title, text) in stages()? {
        println!("== {title}\n{text}");
    }
    Ok(())
}
