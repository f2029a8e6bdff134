//! Work-items that go over a row several times ask for the next one meanwhile.

use super::common::{Trial, compare, values};
use super::nests;
use lift::tune::Tuning;
use lift::{Device, Sizes};
use std::error::Error;

#[test]
fn the_next_row_is_asked_for() -> Result<(), Box<dyn Error>> {
    let program = nests::softmax::program();
    let sizes = [6, 150];
    let named = program.sizes().iter().map(|size| size.var.clone()).zip(sizes.map(|n| n as i64));
    let trial = Trial::new(program, Sizes(named.collect()), (-1.0, 1.0), &mut fastrand::Rng::with_seed(30));
    let arguments: Vec<_> = trial.arguments.iter().map(values::argument).collect();
    let expected: Vec<_> = trial.interpret()?.iter().map(values::to_f64).collect();
    let tuning = Tuning::new(program, &Device::cpu(), &sizes)?.stored(None);
    for (form, requests) in [("rows ragged vectors L=1 V=8 U=2", 2), ("rows ragged L=1", 0)] {
        let compiled = tuning.build(&form.parse()?)?;
        let results: Vec<_> = compiled.run(&arguments)?.into_iter().map(values::of).collect();
        compare::check(&results, &expected)?;
        let (c, opencl) = (compiled.plan().c(), compiled.plan().opencl());
        assert_eq!(c.matches("__builtin_prefetch(").count(), requests, "{form}: {c}");
        assert_eq!(opencl.matches(" prefetch(").count(), requests, "{form}: {opencl}");
    }
    Ok(())
}
