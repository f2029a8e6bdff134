//! Products of matrices.

use super::network::Network;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::layout::broadcast;
use crate::tensor::Tensor;
use lift::Program;
use lift_operators::{matrix, scalar};
use std::sync::Arc;

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    let one = match call.operator() {
        "MatMul" => matmul(network, call)?,
        "Gemm" => gemm(network, call)?,
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

/// `alpha * A * B + beta * C`, of which either matrix may be stored by columns.
fn gemm(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    // Old versions say that arrays are repeated, which newer ones always do.
    call.ignore("broadcast");
    let (alpha, beta) = (call.float("alpha", 1.0)?, call.float("beta", 1.0)?);
    let program = match (call.flag("transA", false)?, call.flag("transB", false)?) {
        (false, false) => matrix::matmul::program(),
        (false, true) => matrix::matmul_nt::program(),
        (true, false) => matrix::matmul_tn::program(),
        (true, true) => matrix::matmul_tt::program(),
    };
    let (a, b) = (network.floats(call, 0)?, network.floats(call, 1)?);
    let program = network.program(call, program.name().to_string(), || Ok(program.clone()))?;
    let mut product = network.apply(call, &program, &[], &[a, b])?;
    if alpha != 1.0 {
        product = network.elementwise(call, scalar::mul::program(), &[product], &[alpha])?;
    }
    if call.optional(2).is_some() && beta != 0.0 {
        network.floats(call, 2)?;
        let known = call.input(2)?.clone();
        let mut added = network.array(call, &known)?;
        if beta != 1.0 {
            added = match &known.constant {
                Some(Tensor::F32(elements)) => {
                    network.numbers(call.name(), elements.mapv(|element| beta * element).into_shared())
                }
                _ => network.elementwise(call, scalar::mul::program(), &[added], &[beta])?,
            };
        }
        let shape = network.shape(product).to_vec();
        product = network.elementwise(call, scalar::add::program(), &[product, added], &[])?;
        if network.shape(product) != shape {
            return Err(call.wrong(format!("adds an array of shape {:?} to one of {shape:?}", known.shape)));
        }
    }
    Ok(network.known(product))
}

/// The product as NumPy has it: vectors are matrices of one row or column, and outer dimensions are batches.
fn matmul(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let (a, b) = (call.input(0)?.shape.clone(), call.input(1)?.shape.clone());
    let wrong = || call.wrong(format!("can't multiply arrays of shapes {a:?} and {b:?}"));
    if a.is_empty() || b.is_empty() {
        return Err(wrong());
    }
    let rows = if a.len() == 1 { vec![1, a[0]] } else { a.clone() };
    let columns = if b.len() == 1 { vec![b[0], 1] } else { b.clone() };
    let (batch_a, [m, k]) = rows.split_last_chunk().ok_or_else(wrong)?;
    let (batch_b, [_, n]) = columns.split_last_chunk().ok_or_else(wrong)?;
    let batch = broadcast([batch_a, batch_b]).ok_or_else(wrong)?;
    let (left, right) = (network.floats(call, 0)?, network.floats(call, 1)?);

    let product = if batch_b.iter().all(|length| *length == 1) {
        // One matrix for all: rows of all batches are rows of one.
        let all = batch_a.iter().product::<usize>() * m;
        let left = network.reshape(call, left, &[all, *k])?;
        let right = network.reshape(call, right, &columns[batch_b.len()..])?;
        let program =
            network.program(call, "matmul".to_string(), || Ok(matrix::matmul::program().clone()))?;
        network.apply(call, &program, &[], &[left, right])?
    } else {
        let used = |own: &[usize]| -> Vec<bool> {
            let skipped = batch.len() - own.len();
            (0..batch.len()).map(|d| d >= skipped && own[d - skipped] == batch[d]).collect()
        };
        let uses = [used(batch_a), used(batch_b)];
        let kept = |uses: &[bool], rest: &[usize]| -> Vec<usize> {
            let kept = batch.iter().zip(uses).filter(|(_, used)| **used).map(|(length, _)| *length);
            kept.chain(rest.iter().copied()).collect()
        };
        let left = network.reshape(call, left, &kept(&uses[0], &rows[batch_a.len()..]))?;
        let right = network.reshape(call, right, &kept(&uses[1], &columns[batch_b.len()..]))?;
        let program = batched(network, call, &uses)?;
        network.apply(call, &program, &[], &[left, right])?
    };
    let mut shape = batch;
    shape.extend((a.len() > 1).then_some(*m));
    shape.extend((b.len() > 1).then_some(*n));
    network.shaped(call, product, &shape)
}

/// The product of matrices for each of a batch; `uses` says which operand has which of its dimensions.
fn batched(network: &mut Network, call: &Call, uses: &[Vec<bool>; 2]) -> Result<Arc<Program>, OnnxError> {
    let key = format!("matmul {uses:?}");
    network.program(call, key, || {
        let mut program = matrix::matmul::program().clone();
        for d in (0..uses[0].len()).rev() {
            let having: Vec<&str> =
                ["a", "b"].into_iter().zip(uses).filter(|(_, row)| row[d]).map(|(name, _)| name).collect();
            program = program.each(&format!("B{d}"), &having)?;
        }
        Ok(program)
    })
}
