use lift::prelude::*;

lift! {
    fn product<M, N, K>(a: [[f32; K]; M], b: [[f32; N]; K]) -> [[f32; N]; M] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), b), a)
    }
    fn sum<H, W>(xss: [[f32; W]; H], yss: [[f32; H]; W]) -> [[f32; W]; H] {
        map2D(|(x, y)| x + y, zip2D(xss, yss))
    }
    fn dots<M, N>(rows: [[f32; N]; M], xs: [f32; M]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, xs)), rows)
    }
}

fn main() {}
