//! Convolutions and pooling against loops that walk over elements and padding by themselves.

mod common;

use common::{On, array, close, same, whole};
use lift::ndarray::ArrayD;
use lift_operators::window;

/// How windows lie along one dimension.
#[derive(Clone, Copy, Debug)]
struct Along {
    window: usize,
    stride: usize,
    dilation: usize,
    before: usize,
    after: usize,
    length: usize,
}

impl Along {
    fn random(random: &mut fastrand::Rng) -> Along {
        loop {
            let [window, stride, dilation] = [(); 3].map(|()| random.usize(1..=3));
            let (before, after, length) = (random.usize(0..=3), random.usize(0..=3), random.usize(1..=7));
            let along = Along { window, stride, dilation, before, after, length };
            if (window - 1) * dilation < length + before + after {
                return along;
            }
        }
    }

    fn count(&self) -> usize {
        (self.length + self.before + self.after - (self.window - 1) * self.dilation - 1) / self.stride + 1
    }

    /// The places that window `i` has: of element `k`, where it is inside.
    fn places(&self, i: usize) -> Vec<(usize, usize)> {
        let place = |k: usize| (i * self.stride + k * self.dilation).checked_sub(self.before).map(|p| (k, p));
        (0..self.window).filter_map(place).filter(|(_, p)| *p < self.length).collect()
    }
}

/// The sizes in the order of the programs.
fn placed(rows: Along, columns: Along) -> Vec<usize> {
    let pair = |f: &dyn Fn(Along) -> usize| [f(rows), f(columns)];
    [pair(&|a| a.stride), pair(&|a| a.dilation), pair(&|a| a.before), pair(&|a| a.after)].concat()
}

/// The sum of products of all pairs of places.
fn at(
    x: &ArrayD<f32>,
    kernels: &ArrayD<f32>,
    (n, c): (usize, usize),
    (k, d): (usize, usize),
    over: &Over,
) -> f32 {
    let mut sum = 0.0;
    for (i, y) in &over.0 {
        for (j, z) in &over.1 {
            sum += x[[n, c, *y, *z]] * kernels[[k, d, *i, *j]];
        }
    }
    sum
}

type Over = (Vec<(usize, usize)>, Vec<(usize, usize)>);

#[test]
fn convolutions() {
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..60 {
        let (rows, columns) = (Along::random(&mut random), Along::random(&mut random));
        let [batch, c, k, groups] = [(); 4].map(|()| random.usize(1..=3));
        let on = if round % 20 == 0 { On::Device } else { On::Meaning };
        let free = placed(rows, columns);
        let windows = [rows.count(), columns.count()];
        let over = |i: &[usize]| (rows.places(i[2]), columns.places(i[3]));

        let x = whole(&[batch, c, rows.length, columns.length], &mut random);
        let kernels = whole(&[k, c, rows.window, columns.window], &mut random);
        let expected = array(&[batch, k, windows[0], windows[1]], |i| {
            (0..c).map(|c| at(&x, &kernels, (i[0], c), (i[1], c), &over(i))).sum()
        });
        same(window::conv::program(), &free, &[&kernels, &x], &expected, on);

        let single = whole(&[c, 1, rows.window, columns.window], &mut random);
        let expected = array(&[batch, c, windows[0], windows[1]], |i| {
            at(&x, &single, (i[0], i[1]), (i[1], 0), &over(i))
        });
        same(window::conv_depthwise::program(), &free, &[&single, &x], &expected, on);

        let x = whole(&[batch, groups * c, rows.length, columns.length], &mut random);
        let kernels = whole(&[groups * k, c, rows.window, columns.window], &mut random);
        let expected = array(&[batch, groups * k, windows[0], windows[1]], |i| {
            let first = i[1] / k * c;
            (0..c).map(|c| at(&x, &kernels, (i[0], first + c), (i[1], c), &over(i))).sum()
        });
        same(window::conv_grouped::program(), &free, &[&kernels, &x], &expected, on);
    }
}

/// Each element of `x` adds a multiple of the kernels to what lies around it.
fn scattered(
    x: &ArrayD<f32>,
    kernels: &ArrayD<f32>,
    groups: usize,
    (rows, columns): (Along, Along),
    lengths: [usize; 2],
) -> ArrayD<f32> {
    let [n, c, k] = [x.shape()[0], x.shape()[1] / groups, kernels.shape()[1]];
    let mut y = ArrayD::zeros(vec![n, groups * k, lengths[0], lengths[1]]);
    for ([n, channel, i, j], value) in x.indexed_iter().map(|(d, v)| ([d[0], d[1], d[2], d[3]], v)) {
        for out in 0..k {
            for (a, b) in (0..rows.window).flat_map(|a| (0..columns.window).map(move |b| (a, b))) {
                let down = (i * rows.stride + a * rows.dilation).checked_sub(rows.before);
                let right = (j * columns.stride + b * columns.dilation).checked_sub(columns.before);
                let inside = down.zip(right).filter(|(d, r)| *d < lengths[0] && *r < lengths[1]);
                if let Some((d, r)) = inside {
                    y[[n, channel / c * k + out, d, r]] += value * kernels[[channel, out, a, b]];
                }
            }
        }
    }
    y
}

#[test]
fn transposed_convolutions() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut rounds = 0;
    while rounds < 60 {
        let (rows, columns) = (Along::random(&mut random), Along::random(&mut random));
        let more = [rows, columns].map(|along| random.usize(0..along.stride.max(along.dilation)));
        let length = |a: Along, more: usize| {
            let whole = (a.length - 1) * a.stride + (a.window - 1) * a.dilation + 1 + more;
            whole.checked_sub(a.before + a.after).filter(|n| *n > 0)
        };
        let cut = |a: Along, more: usize| {
            let around = (a.window - 1) * a.dilation;
            a.before <= a.length * a.stride + around
                && a.after + a.stride <= a.length * a.stride + around + more + 1
        };
        let (Some(height), Some(width)) = (length(rows, more[0]), length(columns, more[1])) else { continue };
        if !cut(rows, more[0]) || !cut(columns, more[1]) {
            continue;
        }
        rounds += 1;
        let on = if rounds % 30 == 0 { On::Device } else { On::Meaning };
        let [batch, c, k, groups] = [(); 4].map(|()| random.usize(1..=2));
        let free = [placed(rows, columns), more.to_vec()].concat();
        let x = whole(&[batch, c, rows.length, columns.length], &mut random);
        let kernels = whole(&[c, k, rows.window, columns.window], &mut random);
        let expected = scattered(&x, &kernels, 1, (rows, columns), [height, width]);
        same(window::conv_transposed::program(), &free, &[&kernels, &x], &expected, on);

        let x = whole(&[batch, groups * c, rows.length, columns.length], &mut random);
        let kernels = whole(&[groups * c, k, rows.window, columns.window], &mut random);
        let expected = scattered(&x, &kernels, groups, (rows, columns), [height, width]);
        let free = [&[groups, c][..], &free].concat();
        same(window::conv_transposed_grouped::program(), &free, &[&kernels, &x], &expected, on);
    }
}

#[test]
fn pooling() {
    let mut random = fastrand::Rng::with_seed(3);
    for round in 0..60 {
        let (rows, columns) = (Along::random(&mut random), Along::random(&mut random));
        let [batch, c] = [(); 2].map(|()| random.usize(1..=3));
        let on = if round % 20 == 0 { On::Device } else { On::Meaning };
        let free = [vec![rows.window, columns.window], placed(rows, columns)].concat();
        let shape = [batch, c, rows.count(), columns.count()];
        let x = whole(&[batch, c, rows.length, columns.length], &mut random);
        let elements = |i: &[usize]| -> Vec<f32> {
            let (rows, columns) = (rows.places(i[2]), columns.places(i[3]));
            rows.iter().flat_map(|y| columns.iter().map(|z| x[[i[0], i[1], y.1, z.1]])).collect()
        };
        let expected = array(&shape, |i| elements(i).into_iter().fold(f32::NEG_INFINITY, f32::max));
        same(window::max_pool::program(), &free, &[&x], &expected, on);
        let mean = |i: &[usize]| elements(i).iter().sum::<f32>() / elements(i).len() as f32;
        close(window::average_pool::program(), &free, &[&x], &array(&shape, mean), 1e-6, on);

        // Of these paddings some may be further out.
        let further = [rows.after, columns.after].map(|after| random.usize(0..=after));
        let counted = |along: Along, further: usize, i: usize| {
            let end = along.before + along.length + along.after - further;
            (0..along.window).filter(|k| i * along.stride + k * along.dilation < end).count()
        };
        let expected = array(&shape, |i| {
            let count = counted(rows, further[0], i[2]) * counted(columns, further[1], i[3]);
            elements(i).iter().sum::<f32>() / count as f32
        });
        let near = |along: Along, further: usize| Along { after: along.after - further, ..along };
        let placed = placed(near(rows, further[0]), near(columns, further[1]));
        let with_ends = [vec![rows.window, columns.window], placed, further.to_vec()].concat();
        close(window::average_pool_padded::program(), &with_ends, &[&x], &expected, 1e-6, on);

        let p = ArrayD::from_elem(vec![], 2.0);
        let expected = array(&shape, |i| elements(i).iter().map(|x| x * x).sum::<f32>().sqrt());
        close(window::lp_pool::program(), &free, &[&p, &x], &expected, 1e-5, on);
    }
}
