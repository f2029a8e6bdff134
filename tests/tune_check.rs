//! What tuning relies on: the reference in wider floats, and the model that orders candidates.

mod applications;
mod by_hand;
mod common;
mod nests;
mod programs;
#[path = "tune_check/verdicts.rs"]
mod verdicts;

use lift::prelude::*;
use lift::target::{Class, Description, Target};
use lift::tune::{Choice, Found, Front, Goal, Store, Tuning};
use lift_core::cost;
use lift_core::kernel::Plan;
use std::time::Duration;

lift! {
    pub fn product<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        map(|x| map(|y| reduce(0.0, |a, (p, q)| a + p * q, zip(x, y)), ys), xs)
    }

    pub fn layer<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        picture: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, picture));
        map2D(
            |window| map(
                |kernel| reduce(0.0, |a, (x, w)| a + x * w, zip(join(join(window)), join(join(kernel)))),
                kernels,
            ),
            windows,
        )
    }

    /// Neighbouring work-items read neighbours.
    pub fn sums<N, M>(xs: [[f32; M]; N]) -> [f32; M] {
        map(|column| reduce(0.0, |acc, x| acc + x, column), transpose(xs))
    }

    pub fn along<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        mapGlb(1, |row| mapGlb(0, |x| x + 1.0, row), xs)
    }

    /// Neighbouring work-items read of different rows.
    pub fn across<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        mapGlb(0, |row| mapGlb(1, |x| x + 1.0, row), xs)
    }

    /// Floats of every width, written in every way.
    pub fn mixed<N>(xs: [f16; N], scale: f32) -> ([f32; N], [i32; N]) {
        let third: f32 = 1.0f32 / 3.0;
        let ys = map(|x: f16| (x as f32) * scale + third, xs);
        (ys, generate(N, |i| (i as f32 * 2.5f32) as i32))
    }
}

#[test]
fn wider_floats_mean_the_same() -> Result<(), lift::Error> {
    let widened = mixed::program().widened();
    let ty = |program: &lift::Program| {
        let params: Vec<String> = program.params().iter().map(|p| p.ty.to_string()).collect();
        format!("{} -> {}", params.join(", "), program.result())
    };
    assert_eq!(ty(&widened), "[f64; N], f64 -> ([f64; N], [i32; N])");
    let xs: Array1<f64> = (0..9).map(|i| i as f64 / 4.0 - 1.0).collect();
    let narrow: Array1<f16> = xs.mapv(f16::from_f64);
    // Not every driver has 16-bit floats.
    let device = &Device::cpu();
    let (expected, counts) = mixed(device, narrow.view(), 1.5)?;
    let mut outputs = lift::run(&widened, device, &[], &[(&xs).into(), 1.5f64.into()])?.into_iter();
    let got = outputs.next().expect("two results").into_array::<f64>()?;
    assert!(got.iter().zip(&expected).all(|(g, e)| (g - f64::from(*e)).abs() < 1e-6), "{got} {expected}");
    // What a narrow float can't hold is there.
    assert!((got[[4]] - 1.0 / 3.0).abs() < 1e-15);
    let whole = outputs.next().expect("two results").into_array::<i32>()?;
    assert_eq!(whole, counts.into_dyn());
    Ok(())
}

fn tuning(n: usize) -> Tuning {
    let sizes = product::Sizes { N: n, M: n, L: n };
    product::tuning(&Device::cpu(), sizes).expect("it fits").stored(None)
}

/// Of so many cores with vectors of so many bytes.
fn processor(units: usize, vector: usize) -> Target {
    Target::of(&Description { vector, ..Description::unknown(Class::Processor, units) })
}

/// One of NVIDIA's, with so many compute units.
fn gpu(units: usize) -> Target {
    Target::of(&Description { names: vec!["NVIDIA".into()], ..Description::unknown(Class::Gpu, units) })
}

/// Seconds by the model on a processor and on a GPU.
fn by_model(plan: &Plan) -> [f64; 2] {
    [processor(4, 32), gpu(64)].map(|target| cost::seconds(plan, &target))
}

/// One register too many, and a compiler loads and stores sums in each iteration: measured by GCC 12 for AVX2, 24 × 4 and 16 × 6 sums
/// take half as long each as 16 × 7 and 32 × 3.
#[test]
fn the_model_knows_how_many_sums_registers_hold() -> Result<(), lift::Error> {
    let each = |target: &Target, [d, v, q]: [i64; 3]| -> Result<f64, lift::Error> {
        let choice: Choice = format!("combined packed D={d} V={v} R=1 Q={q}").parse().expect("a choice");
        Ok(cost::seconds(tuning(672).build(&choice)?.plan(), target))
    };
    let avx2 = &processor(4, 32);
    let most = each(avx2, [16, 8, 6])?;
    assert!(each(avx2, [24, 8, 4])? < 1.2 * most);
    for spilled in [[16, 8, 7], [32, 8, 4], [24, 8, 6]] {
        assert!(each(avx2, spilled)? > 1.5 * most, "{spilled:?}");
    }
    // 28 sums and 2 vectors of weights fit 32 registers, 42 sums do not.
    let avx512 = &processor(4, 64);
    let most = each(avx512, [32, 16, 14])?;
    assert!(each(avx512, [96, 16, 7])? > 1.5 * most);
    Ok(())
}

fn seconds(n: usize, choice: &str) -> Result<[f64; 2], lift::Error> {
    let choice: Choice = choice.parse().expect("a choice");
    Ok(by_model(tuning(n).build(&choice)?.plan()))
}

#[test]
fn the_model_knows_what_is_much_better() -> Result<(), lift::Error> {
    let [plain, scalar, vectors, gathered] = [
        seconds(256, "-")?,
        seconds(256, "combined D=16 V=1 R=1 Q=4")?,
        seconds(256, "combined packed D=16 V=8 R=1 Q=4")?,
        seconds(256, "combined D=16 V=8 R=1 Q=4")?,
    ];
    // Measured on a processor with AVX-512: 216, 688, 3107 and 717 µs. A compiler makes vectors of a sum along two rows
    // itself, but not of 64 sums side by side.
    assert!(vectors[0] < plain[0] && plain[0] < scalar[0], "a processor: {vectors:?} {plain:?} {scalar:?}");
    assert!(vectors[0] < gathered[0], "lane by lane: {vectors:?} {gathered:?}");
    let [plain, scalar, spilled] = [
        seconds(64, "-")?,
        seconds(64, "combined D=16 V=1 R=1 Q=4")?,
        seconds(64, "combined D=64 V=1 R=1 Q=8")?,
    ];
    assert!(scalar[0] < spilled[0], "registers: {scalar:?} {spilled:?}");
    // Few work-items leave a GPU idle.
    assert!(spilled[1] > plain[1], "a GPU: {spilled:?} {plain:?}");
    // So do groups of fewer work-items than run together.
    let [whole, part] = [
        seconds(1024, "blocked GM=8 GN=8 TM=4 TN=4 BK=4 W=1 V=1 P=0")?,
        seconds(1024, "blocked GM=2 GN=2 TM=4 TN=4 BK=4 W=1 V=1 P=0")?,
    ];
    assert!(part[1] > 4.0 * whole[1], "a GPU: {part:?} {whole:?}");
    // Whatever a device says of itself, there is a figure.
    let plan = tuning(64).build(&"combined D=64 V=1 R=1 Q=8".parse().expect("a choice"))?.plan().clone();
    for target in [processor(0, 0), processor(1, 4), gpu(0), Target::default()] {
        assert!(cost::seconds(&plan, &target).is_normal(), "{target:?}");
    }
    let larger = seconds(256, "-")?;
    assert!(larger.iter().zip(plain).all(|(large, small)| *large > 8.0 * small), "{larger:?} {plain:?}");
    Ok(())
}

/// What work-items that run together read is moved line by line, and by banks where memory is local.
#[test]
fn the_model_knows_what_memory_does() -> Result<(), lift::Error> {
    let device = &Device::cpu();
    let along = by_model(along::compile(device, along::Sizes { N: 2048, M: 2048 })?.plan());
    let across = by_model(across::compile(device, across::Sizes { N: 2048, M: 2048 })?.plan());
    // On a processor neighbours are a vector, and others are not.
    assert!(along[0] < across[0], "{across:?} {along:?}");
    assert!(across[1] > 2.0 * along[1], "{across:?} {along:?}");
    let [without, with] = [
        seconds(1024, "blocked GM=8 GN=8 TM=4 TN=4 BK=32 W=1 V=1 P=0")?,
        seconds(1024, "blocked GM=8 GN=8 TM=4 TN=4 BK=32 W=1 V=1 P=1")?,
    ];
    assert!(without[1] > 1.1 * with[1], "{without:?} {with:?}");
    // Nobody waits for lines that are written whole, one after the other. Measured with AVX-512: 7.1 and 8.5 ms.
    let rows = |choice: &str| {
        let tuning = nests::softmax::tuning(device, nests::softmax::Sizes { N: 256, M: 65536 })?;
        let built = tuning.stored(None).build(&choice.parse().expect("a choice"))?;
        Ok::<_, lift::Error>(cost::seconds(built.plan(), &processor(2, 64)))
    };
    let [vectors, scalars] = [rows("rows vectors again L=1 V=16 U=4")?, rows("rows ragged again L=1")?];
    assert!(vectors < 1.2 * scalars, "{vectors} {scalars}");
    Ok(())
}

/// However good a form is, each of its kernels is launched.
#[test]
fn the_model_counts_launches_in_full() -> Result<(), lift::Error> {
    let of = |choice: &str| tuning(64).build(&choice.parse().expect("a choice"));
    let one = of("blocked GM=4 GN=4 TM=4 TN=4 BK=16 W=1 V=1 P=1")?;
    let two = of("blocked split GM=4 GN=4 TM=4 TN=4 BK=16 W=1 V=1 S=4 P=1")?;
    for (form, kernels) in [(one, 1), (two, 2)] {
        assert_eq!(form.plan().launches.len(), kernels);
        let target = gpu(64);
        let launches = target.costs.launch * kernels as f64;
        let [all, tenth] = [1.0, 0.1].map(|times| cost::corrected(form.plan(), &target, times));
        assert!(launches < tenth && tenth < all, "{kernels}: {launches:e} {tenth:e} {all:e}");
    }
    Ok(())
}

#[test]
fn the_model_knows_that_groups_wait() -> Result<(), lift::Error> {
    let [few, many] = [
        seconds(256, "blocked GM=4 GN=4 TM=4 TN=4 BK=16 W=1 V=1 P=1")?,
        seconds(256, "blocked GM=4 GN=4 TM=4 TN=4 BK=1 W=1 V=1 P=1")?,
    ];
    assert!(many[1] > 2.0 * few[1], "{many:?} {few:?}");
    Ok(())
}

#[test]
fn the_model_leaves_out_what_is_prepared_once() -> Result<(), lift::Error> {
    let device = &Device::cpu();
    let choice: Choice = "tiled packed GX=1 GY=1 GZ=1 D=4 V=4 R=1 Q=2 T=4 U=1".parse().expect("a choice");
    let tuning = layer::tuning(device, layer::Sizes { K: 64, C: 64, H: 4, W: 4 })?.stored(None);
    let fixed = tuning.build(&choice)?.plan().clone();
    let changing = Plan { constants: vec![], ..fixed.clone() };
    let (fixed, changing) = (by_model(&fixed), by_model(&changing));
    assert!(fixed[0] < changing[0] && fixed[1] < changing[1], "{fixed:?} {changing:?}");
    Ok(())
}

/// A form of other sizes keeps its numbers as far as they fit: a corner of all choices would be far off.
#[test]
fn forms_of_other_sizes_stay_what_they_are() -> Result<(), lift::Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let point = "blocked split ahead GM=8 GN=16 TM=8 TN=4 BK=16 W=2 V=4 S=16 P=4";
    let choice: Choice = point.parse().expect("a choice");
    tuning(1024).build(&choice)?;
    let found = Found { choice: choice.clone(), time: Duration::from_millis(1), bytes: 1 };
    store.merge(tuning(1024).key(), &Front::from_iter([found]))?;
    // Of 576 terms a sixteenth is no whole number of sixteens.
    let like = tuning(576).stored(Some(store)).candidates(1).next_candidate().expect("there is one");
    assert_eq!(like.form(), choice.form());
    let apart = |(name, value): &(String, i64)| {
        let wanted = choice.value(name).expect("the same numbers").max(1) as f64;
        ((*value).max(1) as f64 / wanted).log2().abs()
    };
    let doublings: Vec<f64> = like.point.iter().map(apart).collect();
    assert!(doublings.iter().sum::<f64>() <= 3.0, "{like}: {doublings:?}");
    Ok(())
}

/// Where nothing was measured, a seed that fits is there at once, and right.
#[test]
fn without_any_tuning_there_is_a_good_form() -> Result<(), lift::Error> {
    let best = tuning(128).best(Goal::Fastest)?;
    assert!(best.choice.schedule.is_some(), "{}", best.choice);
    let [xs, ys] = [3, 5].map(|k| Array2::from_shape_fn((128, 128), |(i, j)| ((i * k + j) % 7) as f32));
    let got = best.compiled.run(&[(&xs).into(), (&ys).into()])?.remove(0).into_array::<f32>()?;
    assert_eq!(got, xs.dot(&ys.t()).into_dyn());
    Ok(())
}

/// The model only guesses: what it puts first is run, beside others and the program as it is written.
#[test]
fn without_any_tuning_the_first_forms_are_timed() -> Result<(), lift::Error> {
    let device = &Device::cpu();
    let tuning = sums::tuning(device, sums::Sizes { N: 512, M: 512 })?.stored(None);
    let best = tuning.best(Goal::Fastest)?;
    let xs = Array2::from_shape_fn((512, 512), |(i, j)| ((i * 5 + j) % 7) as f32);
    let shortest = |compiled: &lift::Compiled| -> Result<Duration, lift::Error> {
        let mut all = vec![];
        for _ in 0..50 {
            all.push(compiled.run_timed(&[(&xs).into()])?.1.total());
        }
        Ok(all.into_iter().min().unwrap_or_default())
    };
    let written = tuning.build(&Choice::default())?;
    // Four fifths of the time that it could have had, beside other tests.
    let [best, written] = [shortest(&best.compiled)?, shortest(&written)?];
    assert!(best < written.mul_f64(1.25), "{best:?} {written:?}");
    Ok(())
}

/// Some seeds keep a padded copy of the picture, which is more than the caller may have room for.
#[test]
fn without_any_tuning_memory_is_kept_to() -> Result<(), lift::Error> {
    let sizes = layer::Sizes { K: 64, C: 32, H: 28, W: 28 };
    let tuning = layer::tuning(&Device::cpu(), sizes)?.stored(None);
    let arrays = [64 * 3 * 3 * 32, 28 * 28 * 32, 28 * 28 * 64].map(|n| n * size_of::<f32>());
    let least: usize = arrays.iter().sum();
    let padded = tuning.build(&"combined packed padded D=32 V=16 R=2 Q=7".parse().expect("a choice"))?;
    assert!(padded.bytes() > least);
    let small = tuning.best(Goal::WithinBytes(least))?;
    assert!(small.choice.schedule.is_some() && small.compiled.bytes() == least, "{}", small.choice);
    Ok(())
}

/// By default a form takes no more than the layer by im2col would: a row of all weights' partners for every position.
#[test]
fn by_default_no_more_memory_than_im2col() -> Result<(), lift::Error> {
    let sizes = layer::Sizes { K: 64, C: 32, H: 6, W: 7 };
    let tuning = layer::tuning(&Device::cpu(), sizes)?.stored(None);
    let arrays = [64 * 3 * 3 * 32, 6 * 7 * 32, 6 * 7 * 64].map(|n| n * size_of::<f32>());
    let rows = 6 * 7 * (3 * 3 * 32) * size_of::<f32>();
    assert_eq!(tuning.moderate_bytes(), arrays.iter().sum::<usize>() + rows);
    assert!(tuning.best(Goal::default())?.compiled.bytes() <= tuning.moderate_bytes());
    // Of a product, either factor once more.
    let square = 16 * 16 * size_of::<f32>();
    assert_eq!(crate::tuning(16).moderate_bytes(), 5 * square);
    Ok(())
}

lift! {
    /// More than registers hold, by an estimate; a processor does not mind.
    pub fn large_rows<N>(xs: [[f32; 4096]; N]) -> [[f32; 4096]; N] {
        mapGlb(0, |row| {
            let own = toPrivate(mapSeq(|x| x + 1.0, row));
            mapSeq(|(x, y)| x * y, zip(own, reverse(own)))
        }, xs)
    }
}

/// What runs as it is can be tuned as it is, whatever estimates say.
#[test]
fn a_program_as_it_is_need_not_keep_to_estimates() -> Result<(), lift::Error> {
    let tuning = large_rows::tuning(&Device::cpu(), large_rows::Sizes { N: 3 })?.stored(None);
    assert_eq!(tuning.candidates(1).next_candidate().map(|choice| choice.to_string()).as_deref(), Some("-"));
    let xs = Array2::from_shape_fn((3, 4096), |(i, j)| ((i + j) % 5) as f32);
    let got = tuning.best(Goal::Fastest)?.compiled.run(&[(&xs).into()])?.remove(0).into_array::<f32>()?;
    let expected = Array2::from_shape_fn((3, 4096), |(i, j)| (xs[[i, j]] + 1.0) * (xs[[i, 4095 - j]] + 1.0));
    assert_eq!(got, expected.into_dyn());
    Ok(())
}

/// What is chosen among some forms is not what is chosen among all, another time.
#[test]
fn what_some_forms_are_asked_for_is_theirs() -> Result<(), lift::Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = lift::Settings { cache: Some(folder.path().into()), ..lift::Settings::default() };
    let tuning = || product::tuning(&Device::cpu_with(&settings), product::Sizes { N: 128, M: 128, L: 128 });
    assert_eq!(tuning()?.only(None).best(Goal::Fastest)?.choice.to_string(), "-");
    let all = tuning()?.best(Goal::Fastest)?.choice;
    assert!(all.schedule.is_some(), "{all}");
    assert_eq!(tuning()?.best(Goal::Fastest)?.choice, all);
    let none = tuning()?.only(Some("forgotten")).candidates(1).next_candidate();
    assert_eq!(none, None);
    assert!(matches!(
        tuning()?.only(Some("forgotten")).best(Goal::Fastest),
        Err(lift::Error::NoCandidate { .. })
    ));
    Ok(())
}
