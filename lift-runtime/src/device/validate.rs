//! Does a plan fit its signature? Devices pass pointers on the strength of it.

use crate::{Error, Signature};
use lift_core::kernel::{Access, Buffer, BufferId, Kernel, Launch, Plan, Role};
use lift_core::types::Scalar;
use std::collections::HashSet;

/// Checks every number by which one part of a plan refers to another, and that no two sizes of
/// one array differ or overflow.
pub fn validate(plan: &Plan, signature: &Signature) -> Result<(), Error> {
    check(plan, signature)
        .map_err(|what| Error::Inconsistent { program: plan.name.clone(), what })
        .and_then(|()| plan.buffers.iter().try_for_each(fits))
}

fn check(plan: &Plan, signature: &Signature) -> Result<(), String> {
    plan.buffers.iter().try_for_each(|buffer| check_buffer(buffer, signature))?;
    // The buffer that holds each result, and whether it is the only one.
    let mut holders = vec![None; signature.results.len()];
    for (k, buffer) in plan.buffers.iter().enumerate() {
        if let Role::Output(n) = buffer.role
            && holders[n].replace(BufferId(k)).is_some()
        {
            return Err(format!("not one buffer holds result {n}"));
        }
    }
    let written = written(plan);
    for (n, ((_, shape), holder)) in signature.results.iter().zip(holders).enumerate() {
        let Some(buffer) = holder else {
            return Err(format!("not one buffer holds result {n}"));
        };
        if !shape.contains(&0) && !written.contains(&buffer) {
            return Err(format!("no kernel writes result {n}"));
        }
    }
    if let Some(n) = plan.constants.iter().find(|n| **n >= signature.parameters.len()) {
        return Err(format!("parameter {n} is to be constant, and there is none"));
    }
    for launch in &plan.launches {
        let kernel = plan.kernel(launch).ok_or("a launch of a kernel that is not there")?;
        check_launch(plan, signature, kernel, launch)
            .map_err(|what| format!("kernel `{}`: {what}", kernel.name))?;
    }
    Ok(())
}

/// The buffers that kernels write.
fn written(plan: &Plan) -> HashSet<BufferId> {
    let started = plan.launches.iter().filter(|launch| !launch.is_empty());
    let accesses = started.flat_map(|l| plan.accesses(l));
    accesses.filter(|(_, access)| *access != Access::Read).map(|(buffer, _)| buffer).collect()
}

fn check_buffer(buffer: &Buffer, signature: &Signature) -> Result<(), String> {
    let expected = match buffer.role {
        Role::Input(n) => signature.parameters.get(n).map(|p| (p.scalar, &p.shape)),
        Role::Output(n) => signature.results.get(n).map(|(scalar, shape)| (*scalar, shape)),
        Role::Temporary => return Ok(()),
    };
    let (scalar, shape) = expected.ok_or_else(|| format!("buffer `{}` has no counterpart", buffer.name))?;
    let length = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    if scalar != buffer.scalar || length != Some(buffer.length) {
        let Buffer { name, scalar: got, length, .. } = buffer;
        return Err(format!("buffer `{name}` holds {length} of {got}, its array {shape:?} of {scalar}"));
    }
    Ok(())
}

fn check_launch(plan: &Plan, signature: &Signature, kernel: &Kernel, launch: &Launch) -> Result<(), String> {
    if kernel.arrays.len() != launch.arrays.len() || kernel.scalars.len() != launch.scalars.len() {
        return Err("it is launched with a different number of arguments".into());
    }
    let sides = launch.grid.iter().zip(launch.group.unwrap_or([1; 3]));
    let items = sides.fold(1u128, |n, (g, l)| n.saturating_mul(*g as u128).saturating_mul(l as u128));
    // Devices multiply them, and take them for signed numbers.
    if items > isize::MAX as u128 {
        return Err("it is launched on more work-items than can be counted".into());
    }
    let buffers = launch.arrays.iter().map(|id| plan.buffers.get(id.0).map(|b| b.scalar));
    let arrays = kernel.arrays.iter().map(|(array, _)| Some(array.scalar));
    let passed = launch.scalars.iter().map(|n| scalar_parameter(signature, *n));
    let scalars = kernel.scalars.iter().map(|(_, scalar)| Some(*scalar));
    if !buffers.eq(arrays) || !passed.eq(scalars) {
        return Err("it is launched with arguments of other types".into());
    }
    Ok(())
}

fn scalar_parameter(signature: &Signature, n: usize) -> Option<Scalar> {
    signature.parameters.get(n).filter(|p| p.shape.is_empty()).map(|p| p.scalar)
}

/// No allocation is larger than half the address space.
fn fits(buffer: &Buffer) -> Result<(), Error> {
    let bytes = buffer.length as u128 * buffer.scalar.bytes() as u128;
    if bytes <= isize::MAX as u128 {
        return Ok(());
    }
    Err(Error::OutOfMemory { what: format!("`{}`", buffer.name), bytes, available: None })
}
