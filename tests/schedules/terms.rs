//! Nested sums go over neighbours in memory last, and weights lie in the order in which they are read.

use super::common::{Trial, compare, values};
use lift::prelude::*;
use lift::schedules::COMBINED;
use lift::tune::Tuning;
use lift::{Device, Plan, Program, Sizes};
use lift_core::kernel::{Expr, Module, Parallel, Stmt};
use lift_core::nat::{Nat, Var};
use std::error::Error;

lift! {
    /// Channels last, but each window's sum goes over channels first, and so do weights.
    pub fn channels_outermost<H, W, C, K>(const kernels: [[[[f32; 3]; 3]; C]; K], x: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, x));
        map2D(|window| {
            let channels = transpose(map(|row| transpose(row), window));
            map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(join(channels)), join(join(kernel)))), kernels)
        }, windows)
    }
    /// Channels first: neighbours are beside each other in a row, over which the sum goes last as it is.
    pub fn planes_first<H, W, C, K>(const kernels: [[[[f32; 3]; 3]; C]; K], x: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; K] {
        let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, plane)), x)));
        map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
    }
    /// The same for each picture of a batch.
    pub fn batch_of_planes<N, H, W, C, K>(const kernels: [[[[f32; 3]; 3]; C]; K], xs: [[[[f32; W]; H]; C]; N]) -> [[[[f32; W]; H]; K]; N] {
        map(|x| {
            let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, plane)), x)));
            map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
        }, xs)
    }
    /// A product of factors that lie by rows, both given anew.
    pub fn rows_first<H, W, C>(x: [[f32; C]; H], y: [[f32; W]; C]) -> [[f32; W]; H] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(y)), x)
    }
    /// A product whose first factor lies by columns.
    pub fn columns_first<H, W, C>(x: [[f32; H]; C], const weights: [[f32; W]; C]) -> [[f32; W]; H] {
        map(|column| map(|other| reduce(0.0, |acc, (x, w)| acc + x * w, zip(column, other)), transpose(weights)), transpose(x))
    }
    /// Windows of one element: the sums over them are no loops, and channels are the innermost.
    pub fn single<H, W, C, K>(const kernels: [[[[f32; 1]; 1]; C]; K], x: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; K] {
        let windows = map(transpose, transpose(map(|plane| slide2D((1, 1), (1, 1), plane), x)));
        map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
    }
}

const FORM: &str = "combined packed padded D=4 V=4 R=1 Q=2";
const WITHOUT_PADDING: &str = "combined packed D=4 V=4 R=1 Q=2";

fn sizes(program: &Program) -> Sizes {
    let of = |size: &Var| match &*size.name {
        "H" => 4,
        "W" => 6,
        "C" => 5,
        _ => 8,
    };
    Sizes(program.sizes().iter().map(|size| (size.var.clone(), of(&size.var))).collect())
}

/// A form of a program, after comparing it with the interpreter.
fn plan(program: &Program, form: &str) -> Result<Plan, Box<dyn Error>> {
    let sizes = sizes(program);
    let numbers: Vec<usize> = sizes.0.iter().map(|(_, n)| *n as usize).collect();
    let tuning = Tuning::new(program, &Device::cpu(), &numbers)?.stored(None);
    let trial = Trial::new(program, sizes, (-1.0, 1.0), &mut fastrand::Rng::with_seed(74));
    let arguments: Vec<_> = trial.arguments.iter().map(values::argument).collect();
    let compiled = tuning.build(&form.parse()?)?;
    let results: Vec<_> = compiled.run(&arguments)?.into_iter().map(values::of).collect();
    let expected: Vec<_> = trial.interpret()?.iter().map(values::to_f64).collect();
    compare::check(&results, &expected)?;
    Ok(compiled.plan().clone())
}

/// The iterations of the loops that the last kernel has in each other, the innermost first.
fn loops(plan: &Plan) -> Vec<i64> {
    fn of(module: &Module, body: &[Stmt]) -> Vec<i64> {
        let around = body.iter().flat_map(|stmt| {
            stmt.blocks().into_iter().map(move |block| {
                let mut inside = of(module, block);
                if let Stmt::Loop { extent, parallel: Parallel::Sequential, .. } = stmt {
                    inside.extend(module.value(extent));
                }
                inside
            })
        });
        around.max_by_key(Vec::len).unwrap_or_default()
    }
    let last = plan.kernels().last();
    last.map_or_else(Vec::new, |(module, kernel)| of(module, kernel.item.as_ref().unwrap_or(&kernel.body)))
}

#[test]
fn sums_go_over_neighbours_last() -> Result<(), Box<dyn Error>> {
    let channels = plan(channels_outermost::program(), FORM)?;
    assert_eq!(loops(&channels), [5, 3, 3], "{}", channels.opencl());
    let planes = plan(planes_first::program(), FORM)?;
    assert_eq!(loops(&planes), [3, 3, 5], "{}", planes.opencl());
    let single = plan(single::program(), WITHOUT_PADDING)?;
    assert_eq!(loops(&single), [5], "{}", single.opencl());
    Ok(())
}

/// Terms that lie furthest apart are copied beside each other.
#[test]
fn terms_that_lie_apart_are_brought_together() -> Result<(), Box<dyn Error>> {
    let cases = [
        (planes_first::program(), "combined packed inwards D=4 V=4 R=1 Q=2"),
        (planes_first::program(), "combined packed inwards merged ragged D=4 V=4 Q=4"),
        (batch_of_planes::program(), "combined packed inwards ragged D=4 V=4 R=1 Q=4"),
    ];
    for (program, form) in cases {
        let plan = plan(program, form)?;
        assert_eq!(loops(&plan), [5, 3, 3], "{form}: {}", plan.opencl());
        // The weights, and what they are multiplied with.
        assert_eq!(plan.launches.len(), 3, "{form}: {}", plan.opencl());
        let steps = steps(&plan, 5, 1).ok_or("no kernel")?;
        assert!(!steps.is_empty() && steps.iter().all(|step| *step == Some(1)), "{form}: {steps:?}");
    }
    let columns = plan(columns_first::program(), "combined inwards D=2 V=2 Q=2")?;
    let steps = steps(&columns, 5, 1).ok_or("no kernel")?;
    assert!(!steps.is_empty() && steps.iter().all(|step| *step == Some(1)), "{steps:?}");
    // What the last factor's terms are apart by is no matter of what it is multiplied with.
    let refused = COMBINED.derive(rows_first::program(), &["inwards"]).err().ok_or("it is derived")?;
    assert!(refused.reason.contains("is read in one place"), "{refused}");
    Ok(())
}

/// From one weight to the next that is read is a vector's width, also where weights are rounded up to blocks.
#[test]
fn packed_weights_lie_in_the_order_of_the_sums() -> Result<(), Box<dyn Error>> {
    let forms = [
        FORM,
        "combined packed ragged D=4 V=4 R=1 Q=4",
        "combined packed merged ragged D=4 V=4 Q=4",
        "combined packed merged ragged copied D=4 V=4 Q=4 G=2",
    ];
    forms.into_iter().try_for_each(|form| {
        let plan = plan(channels_outermost::program(), form)?;
        let steps = steps(&plan, 5, 4).ok_or("no kernel")?;
        let all = !steps.is_empty() && steps.iter().all(|step| *step == Some(4));
        if all { Ok(()) } else { Err(format!("{form}: {steps:?}\n{}", plan.opencl()).into()) }
    })
}

/// How far what the last kernel loads, so many elements at a time, moves on in each iteration of the sum over so many terms.
fn steps(plan: &Plan, terms: i64, width: u8) -> Option<Vec<Option<i64>>> {
    let (module, kernel) = plan.kernels().last()?;
    let mut steps = vec![];
    kernel.body.iter().for_each(|stmt| {
        stmt.visit(&mut |stmt| {
            let Stmt::Loop { var, extent, .. } = stmt else { return };
            if module.value(extent) != Some(terms) {
                return;
            }
            stmt.visit(&mut |inner| {
                if let Some(e) = inner.expr() {
                    e.visit(&mut |e| {
                        if let Expr::Load(_, at, loaded) = e
                            && *loaded == width
                        {
                            let next = at.substitute(&|v| (v == var).then(|| Nat::var(v) + 1));
                            steps.push(module.value(&(next - at)));
                        }
                    });
                }
            });
        });
    });
    Some(steps)
}
