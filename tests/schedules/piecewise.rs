//! Where several tiles of channels are multiplied with the same copy, the first of them makes it.

use super::common::{Trial, compare, values};
use super::nests;
use lift::tune::Tuning;
use lift::{Device, Sizes};
use std::error::Error;

#[test]
fn the_first_tile_makes_the_copy() -> Result<(), Box<dyn Error>> {
    let program = nests::one_by_one::program();
    let sizes = [32, 24, 3, 7];
    let named = program.sizes().iter().map(|size| size.var.clone()).zip(sizes.map(|n| n as i64));
    let trial = Trial::new(program, Sizes(named.collect()), (-1.0, 1.0), &mut fastrand::Rng::with_seed(31));
    let arguments: Vec<_> = trial.arguments.iter().map(values::argument).collect();
    let expected: Vec<_> = trial.interpret()?.iter().map(values::to_f64).collect();
    let tuning = Tuning::new(program, &Device::cpu(), &sizes)?.stored(None);
    for (form, tested) in [
        ("combined packed merged ragged copied wide D=8 V=8 R=1 Q=7 G=4 T=8", true),
        ("combined packed merged ragged copied wide D=8 V=8 R=1 Q=7 G=1 T=8", false),
    ] {
        let compiled = tuning.build(&form.parse()?)?;
        let results: Vec<_> = compiled.run(&arguments)?.into_iter().map(values::of).collect();
        compare::check(&results, &expected)?;
        let c = compiled.plan().c();
        let sums = c.find("lift_f32x8 acc").ok_or("there are sums")?;
        let copy = c.rfind("*(lift_f32x8 *)(input_tile_").ok_or("there is a copy")?;
        assert!(sums < copy, "{form}: the copy is made before the sums: {c}");
        assert_eq!(c[sums..copy].contains(" == 0)"), tested, "{form}: {c}");
    }
    Ok(())
}
