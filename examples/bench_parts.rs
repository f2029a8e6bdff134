use lift::prelude::*;
use lift::tune::{self, Goal, Limits, Tuning};
use std::time::{Duration, Instant};

lift! {
    fn dense<N, M, L>(a: [[f32; L]; N], b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a)
    }
    fn layer<K, C, H, W>(kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(kernel, bias)| max(0.0, reduce(bias, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)))), zip(kernels, biases)), windows)
    }
    pub fn pooled<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; 2 * W]; 2 * H]) -> [[[f32; K]; W]; H] {
        let all = layer(kernels, biases, input);
        let largest = |window| map(|xs| reduce(f32::NEG_INFINITY, max, xs), transpose(join(window)));
        map2D(largest, slide2D((2, 2), (2, 2), all))
    }
    pub fn two_layers<K, C, H, W>(const first: [[[[f32; C]; 3]; 3]; K], const second: [[[[f32; K]; 3]; 3]; C], biases: [f32; K], more: [f32; C], input: [[[f32; C]; W]; H]) -> [[[f32; C]; W]; H] {
        layer(second, more, layer(first, biases, input))
    }
    pub fn attention<N, M, L, K>(queries: [[f32; L]; N], keys: [[f32; L]; M], values: [[f32; K]; M]) -> [[f32; K]; N] {
        let scores = map2D(|x| 0.125 * x, dense(queries, transpose(keys)));
        let weights = map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let powers = map(|x| exp(x - top), row);
            let total = reduce(0.0, |acc, x| acc + x, powers);
            map(|x| x / total, powers)
        }, scores);
        dense(weights, values)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tune::worker();
    let name = std::env::args().nth(1).unwrap_or("cpu".into());
    let seconds: u64 = std::env::args().nth(2).map_or(0, |s| s.parse().unwrap());
    let device = lift::Device::named(&name)?;
    let cases: [(&lift::Program, &[usize]); 3] = [
        (pooled::program(), &[64, 64, 56, 56]),
        (two_layers::program(), &[128, 64, 56, 56]),
        (attention::program(), &[512, 512, 64, 64]),
    ];
    for (program, sizes) in cases {
        let tuning = Tuning::new(program, &device, sizes)?.stored(None);
        println!("{} {} parts", program.name(), tuning.parts().len());
        let plain = tuning.only(None);
        let bench = |what: &str, t: &Tuning| -> Result<(), Box<dyn std::error::Error>> {
            let start = Instant::now();
            let best = t.best(Goal::Fastest)?;
            let took = start.elapsed();
            println!("  {what}: {} (found in {took:?})", best.choice);
            let times = time(&best.compiled, program, sizes)?;
            println!("     {:.3} ms", times * 1e3);
            Ok(())
        };
        bench("as written", &plain)?;
        let tuning = Tuning::new(program, &device, sizes)?.stored(None);
        bench("best", &tuning)?;
        if seconds > 0 {
            let store = lift::tune::Store::new(
                std::env::temp_dir().join(format!("bench_parts_{}.txt", std::process::id())),
            );
            let tuning = Tuning::new(program, &device, sizes)?.stored(Some(store));
            let limits = Limits { time: Duration::from_secs(seconds), ..Limits::default() };
            let report = tuning.search(&limits, |p| {
                if std::env::var("V").is_ok() {
                    println!("{p}")
                }
            })?;
            println!("  tried {} measured {}", report.tried, report.measured);
            bench("searched", &tuning)?;
        }
    }
    Ok(())
}

fn time(
    compiled: &lift::Compiled,
    program: &lift::Program,
    sizes: &[usize],
) -> Result<f64, Box<dyn std::error::Error>> {
    let sizes = lift_core::Sizes(
        program.sizes().iter().zip(sizes).map(|(s, n)| (s.var.clone(), *n as i64)).collect(),
    );
    let arrays: Vec<ndarray::ArrayD<f32>> = program
        .params()
        .iter()
        .map(|p| {
            let shape = lift_core::Program::shape(&p.ty, &sizes).unwrap();
            ndarray::ArrayD::from_shape_fn(shape, |_| fastrand::f32() - 0.5)
        })
        .collect();

    let arguments: Vec<lift_runtime::Argument> = arrays.iter().map(|a| a.into()).collect();
    let mut times = vec![];
    for _ in 0..25 {
        let (_, t) = compiled.run_timed(&arguments)?;
        times.push((t.total() - t.preparing()).as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[8])
}
