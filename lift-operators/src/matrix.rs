//! Products of matrices, and rows of them. Batches of them are [`each`](lift::Program::each) of these: of both operands, or of one.

use lift::lift;

lift! {
    fn times<M, N, K>(rows: [[f32; K]; M], columns: [[f32; K]; N]) -> [[f32; N]; M] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), columns), rows)
    }

    /// The product of two matrices.
    pub fn matmul<M, N, K>(a: [[f32; K]; M], b: [[f32; N]; K]) -> [[f32; N]; M] {
        times(a, transpose(b))
    }

    /// The product where `b` is stored by columns, as the weights of linear layers are.
    pub fn matmul_nt<M, N, K>(a: [[f32; K]; M], b: [[f32; K]; N]) -> [[f32; N]; M] {
        times(a, b)
    }

    /// The product where `a` is stored by columns.
    pub fn matmul_tn<M, N, K>(a: [[f32; M]; K], b: [[f32; N]; K]) -> [[f32; N]; M] {
        times(transpose(a), transpose(b))
    }

    /// The product where both are stored by columns.
    pub fn matmul_tt<M, N, K>(a: [[f32; M]; K], b: [[f32; K]; N]) -> [[f32; N]; M] {
        times(transpose(a), b)
    }

    /// A matrix times a vector.
    pub fn matrix_vector<M, K>(a: [[f32; K]; M], x: [f32; K]) -> [f32; M] {
        map(|row| reduce(0.0, |acc, (a, x)| acc + a * x, zip(row, x)), a)
    }

    /// A vector times a matrix.
    pub fn vector_matrix<N, K>(x: [f32; K], b: [[f32; N]; K]) -> [f32; N] {
        map(|column| reduce(0.0, |acc, (x, b)| acc + x * b, zip(x, column)), transpose(b))
    }

    /// The sum of the products of two vectors' elements.
    pub fn inner<K>(x: [f32; K], y: [f32; K]) -> f32 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(x, y))
    }

    /// The rows of a table that the keys name, where a negative key counts from the end; zeros where there is no such row.
    ///
    /// No value is an index: every row is compared with every key, as much work as a product with a matrix that has ones
    /// where the keys are.
    pub fn lookup<V, D, M>(table: [[f32; D]; V], keys: [i64; M]) -> [[f32; D]; M] {
        let numbers = generate(V, |i| i as i64);
        map(
            |key| map(
                |column| reduce(
                    0.0,
                    |found, (x, i)| if i == key || i - V as i64 == key { x } else { found },
                    zip(column, numbers),
                ),
                transpose(table),
            ),
            keys,
        )
    }
}
