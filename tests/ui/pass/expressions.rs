// The expression form: results inferred, sizes that no argument determines, values to pass around.
use lift::prelude::*;

/// An expression's type can't be written, but it can be a parameter.
fn twice<F>(device: &Device, f: F, x: f32) -> Result<f32, lift::Error>
where
    F: Fn(&Device, f32) -> Result<f32, lift::Error>,
{
    f(device, f(device, x)?)
}

pub fn main() -> Result<(), lift::Error> {
    let device = Device::cpu();
    let xs = array![1.0f32, 2.0, 3.0, 4.0];

    let square = lift!(|xs: [f32; N]| map(|x| x * x, xs));
    let same = square;
    assert_eq!(square(&device, xs.view())?, array![1.0, 4.0, 9.0, 16.0]);
    assert_eq!(same(&device, xs.view())?, square(&device, xs.view())?);
    assert_eq!(square.program().result().to_string(), "[f32; N]");

    // Literals decide if nothing else does.
    let literals = lift!(|| (1, 1.0, true, [1, 2]));
    let (a, b, c, d): (i32, f32, bool, Array1<i32>) = literals(&device)?;
    assert_eq!((a, b, c, d), (1, 1.0, true, array![1, 2]));

    // Sizes in `<…>` first; those that no argument determines are passed.
    let doubled = lift!(<TIMES> |xs: [f32; N]| iterate(TIMES, |ys| map(|y| y + y, ys), xs));
    assert_eq!(doubled(&device, 2, xs.view())?, array![4.0, 8.0, 12.0, 16.0]);
    assert_eq!(doubled.program().result().to_string(), "[f32; N]");
    let ramp = lift!(<N> |slope: f32| generate(N, |i| slope * i as f32));
    assert_eq!(ramp(&device, 3, 0.5)?, array![0.0, 0.5, 1.0]);

    let increment = lift!(|x: f32| { let one = 1.0; x + one });
    assert_eq!(twice(&device, *increment, 1.0)?, 3.0);

    let tiled = lift!(<tune T: [1, 2]> |xs: [f32; 2 * N]| -> [f32; 2 * N] { join(split(T, xs)) });
    assert_eq!(tiled.program().result().to_string(), "[f32; 2 * N]");

    let composed = square.program().of("xs", doubled.program()).expect("they fit");
    let got = lift::run(&composed, &device, &[3], &[(&xs).into()])?.remove(0).into_array::<f32>()?;
    assert_eq!(got, array![64.0f32, 256.0, 576.0, 1024.0].into_dyn());
    Ok(())
}
