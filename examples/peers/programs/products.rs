//! Products of matrices, stored by rows (N) or by columns (T), of many matrices, and with vectors.

use lift::prelude::*;

lift! {
    fn times<M, N, K>(rows: [[f32; K]; M], columns: [[f32; K]; N]) -> [[f32; N]; M] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), columns), rows)
    }

    pub fn nn<M, N, K>(a: [[f32; K]; M], b: [[f32; N]; K]) -> [[f32; N]; M] {
        times(a, transpose(b))
    }

    pub fn nt<M, N, K>(a: [[f32; K]; M], b: [[f32; K]; N]) -> [[f32; N]; M] {
        times(a, b)
    }

    pub fn tn<M, N, K>(a: [[f32; M]; K], b: [[f32; N]; K]) -> [[f32; N]; M] {
        times(transpose(a), transpose(b))
    }

    pub fn tt<M, N, K>(a: [[f32; M]; K], b: [[f32; K]; N]) -> [[f32; N]; M] {
        times(transpose(a), b)
    }

    /// So many products at once: the heads of an attention.
    pub fn batched<B, M, N, K>(a: [[[f32; K]; M]; B], b: [[[f32; N]; K]; B]) -> [[[f32; N]; M]; B] {
        map(|(a, b)| times(a, transpose(b)), zip(a, b))
    }

    pub fn vector<M, K>(a: [[f32; K]; M], x: [f32; K]) -> [f32; M] {
        map(|row| reduce(0.0, |acc, (a, x)| acc + a * x, zip(row, x)), a)
    }

    /// The matrix stored by columns.
    pub fn vector_across<M, K>(a: [[f32; M]; K], x: [f32; K]) -> [f32; M] {
        map(|row| reduce(0.0, |acc, (a, x)| acc + a * x, zip(row, x)), transpose(a))
    }
}
