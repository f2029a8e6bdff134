//! Products of matrices against `ndarray`, and rows of tables.

mod common;

use common::{On, array, close, outputs, same, whole};
use lift::ndarray::{Array1, ArrayD, Ix1, Ix2};
use lift_operators::matrix;

fn two(x: &ArrayD<f32>) -> lift::ndarray::Array2<f32> {
    x.clone().into_dimensionality::<Ix2>().expect("a matrix")
}

#[test]
fn products() {
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..40 {
        let [m, n, k] = [(); 3].map(|()| random.usize(1..=9));
        let on = if round % 20 == 0 { On::Device } else { On::Meaning };
        let (a, b) = (whole(&[m, k], &mut random), whole(&[k, n], &mut random));
        let turned = |x: &ArrayD<f32>| x.t().as_standard_layout().into_owned();
        let (a_t, b_t) = (turned(&a), turned(&b));
        let expected = two(&a).dot(&two(&b)).into_dyn();
        same(matrix::matmul::program(), &[], &[&a, &b], &expected, on);
        same(matrix::matmul_nt::program(), &[], &[&a, &b_t], &expected, on);
        same(matrix::matmul_tn::program(), &[], &[&a_t, &b], &expected, on);
        same(matrix::matmul_tt::program(), &[], &[&a_t, &b_t], &expected, on);

        let x = whole(&[k], &mut random);
        let row = x.clone().into_dimensionality::<Ix1>().expect("a vector");
        same(matrix::matrix_vector::program(), &[], &[&a, &x], &two(&a).dot(&row).into_dyn(), on);
        same(matrix::vector_matrix::program(), &[], &[&x, &b], &row.dot(&two(&b)).into_dyn(), on);
        let expected = ArrayD::from_elem(vec![], row.dot(&row));
        same(matrix::inner::program(), &[], &[&x, &x], &expected, on);
    }
}

#[test]
fn batches() {
    let mut random = fastrand::Rng::with_seed(2);
    for round in 0..10 {
        let [batch, m, n, k] = [(); 4].map(|()| random.usize(1..=5));
        let on = if round == 0 { On::Device } else { On::Meaning };
        let (a, b) = (whole(&[batch, m, k], &mut random), whole(&[batch, k, n], &mut random));
        let product = |i: &[usize]| (0..k).map(|j| a[[i[0], i[1], j]] * b[[i[0], j, i[2]]]).sum();
        let program = matrix::matmul::program().each("B", &["a", "b"]).expect("a name that is free");
        close(&program, &[], &[&a, &b], &array(&[batch, m, n], product), 0.0, on);
    }
}

#[test]
fn rows_of_tables() {
    let table = array(&[4, 3], |i| (i[0] * 10 + i[1]) as f32);
    let keys = Array1::from(vec![0i64, 3, -1, 7, -5, 2]).into_dyn();
    let expected = array(&[6, 3], |i| {
        [Some(0), Some(3), Some(3), None, None, Some(2)][i[0]].map_or(0.0, |row: usize| table[[row, i[1]]])
    });
    for output in outputs(matrix::lookup::program(), &[], &[(&table).into(), (&keys).into()], On::Device) {
        assert_eq!(output.into_array::<f32>().expect("rows"), expected);
    }
}
